//! Writing what is kept of a module of MLIR.
//!
//! Every set of units gives a module whose names are defined. Uses of a deleted value become one of
//! the operands of the same type, or a value that is made for them, or a parameter; where no type
//! is known, the operation stays, with the symbols that it mentions. A list of elements becomes its
//! first one, and an alias goes with its last mention. A deleted operation with regions leaves what
//! was inside and is kept; a function without a body becomes a declaration.

use std::collections::BTreeSet;
use std::ops::Range;

use boildown_document::writable_module::{WritableModule, is_kept, trim_written};

use super::module::{MlirModule, MlirParameter, contains};
use super::remains::{MlirRemains, MlirStandIn};
use super::words::MlirSort;
use crate::ir::{LONGEST_CHAIN, is_linkage};

impl WritableModule for MlirModule {
    fn words(&self) -> Vec<Range<usize>> {
        self.words.iter().map(|word| word.bytes.clone()).collect()
    }

    fn write(&self, kept: &[bool]) -> Vec<u8> {
        let remains = MlirRemains::new(self, kept);
        let mut prefix = b"%default".to_vec();
        while contains(&self.bytes, &prefix) {
            prefix.push(b'_');
        }
        let mut writer = MlirWriter {
            module: self,
            remains: &remains,
            out: Vec::new(),
            prefix,
            first_parameter: self.free_parameter(),
        };
        let parts = self.top.iter().map(|&operation| {
            writer.operation(operation);
            std::mem::take(&mut writer.out)
        });
        let parts: Vec<Vec<u8>> = parts.collect();
        for (part, is_used) in parts.iter().zip(self.uses(&parts)) {
            writer.put(if is_used { part } else { b"" });
        }
        let end = self.words.last().map_or(0, |last| last.bytes.end);
        writer.put(&self.bytes[end..]);
        writer.out
    }
}

impl MlirModule {
    /// Returns the number after those of all names such as `%arg7`.
    fn free_parameter(&self) -> usize {
        let names = (0..self.words.len()).filter_map(|word| self.text(word).strip_prefix(b"%arg"));
        let numbers = names.filter_map(|name| std::str::from_utf8(name).ok()?.parse().ok());
        numbers
            .map(|number: usize| number.saturating_add(1))
            .max()
            .unwrap_or(0)
    }

    /// Returns which of the operations at the top are used, given their texts: all but the aliases
    /// whose last mention is deleted.
    fn uses(&self, parts: &[Vec<u8>]) -> Vec<bool> {
        let name = |operation: usize| {
            let start = self.operations[operation].words.start;
            let is_alias = self.is(start, "#") || self.is(start, "!");
            is_alias.then(|| self.source(start..start + 2))
        };
        let names: Vec<Option<&[u8]>> = self.top.iter().map(|&operation| name(operation)).collect();
        let all: Vec<BTreeSet<&[u8]>> = parts.iter().map(|part| alias_names(part)).collect();
        let was_used = |name: &[u8]| {
            let mut mentions = self.bytes.windows(name.len()).filter(|&text| text == name);
            mentions.nth(1).is_some()
        };
        let mut used: Vec<bool> = (names.iter())
            .map(|name| name.is_none_or(|name| !was_used(name)))
            .collect();
        loop {
            let is_mentioned = |name: &[u8]| {
                let mut texts = all.iter().zip(&used);
                texts.any(|(mentioned, is_used)| *is_used && mentioned.contains(name))
            };
            let next: Vec<bool> = (names.iter().zip(&used))
                .map(|(name, is_used)| *is_used || name.is_some_and(is_mentioned))
                .collect();
            if next == used {
                return used;
            }
            used = next;
        }
    }
}

/// Returns the names in a text that may be aliases: `#map`, `!type`.
fn alias_names(text: &[u8]) -> BTreeSet<&[u8]> {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.');
    let starts = (0..text.len()).filter(|&at| matches!(text[at], b'#' | b'!'));
    let name = |at: usize| {
        let length = text[at + 1..].iter().take_while(is_name).count();
        &text[at..at + 1 + length]
    };
    starts.map(name).collect()
}

struct MlirWriter<'a> {
    module: &'a MlirModule,
    remains: &'a MlirRemains<'a>,
    out: Vec<u8>,
    /// The beginning of the names of values that are made.
    prefix: Vec<u8>,
    /// The number of the first new parameter of a function.
    first_parameter: usize,
}

impl MlirWriter<'_> {
    fn put(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
    }

    fn gap(&mut self, word: usize) {
        self.put(self.module.gap(word));
    }

    /// Writes elements with commas between them, without the space before each.
    fn separated(&mut self, elements: &[Range<usize>]) {
        for (position, element) in elements.iter().enumerate() {
            if position > 0 {
                self.put(b", ");
            }
            let at = self.out.len();
            self.words(element.clone());
            trim_written(&mut self.out, at);
        }
    }

    fn operation(&mut self, index: usize) {
        let module = self.module;
        let of = &module.operations[index];
        if !self.remains.is_left[index] {
            let is_last_here = of.token.is_some() && self.remains.leaves_early(index);
            if is_last_here {
                return self.put(b"\n    llvm.unreachable");
            }
            if module.is_open(index) {
                for &region in &of.regions {
                    for block in module.regions[region].blocks.clone() {
                        for &inner in &module.blocks[block].operations {
                            self.operation(inner);
                        }
                    }
                }
            }
            return;
        }
        if self.remains.leaves_early(index) {
            return self.put(b"\n    llvm.unreachable");
        }
        let targets = self.remains.targets(index);
        if targets.len() < of.targets.len() {
            return self.fewer_targets(index, &targets);
        }
        match of.regions.first() {
            Some(&body) if !self.remains.has_body(index, body) => {
                self.declaration(index, module.regions[body].words.clone());
            }
            _ => self.whole(index),
        }
    }

    /// Writes an operation with its regions.
    fn whole(&mut self, index: usize) {
        let module = self.module;
        let of = &module.operations[index];
        let mut at = of.words.start;
        if self.remains.returns_nothing(index) {
            self.gap(at);
            return self.put(module.text(of.name));
        }
        if let Some(function) = of.function.filter(|_| module.is_return(index))
            && self.remains.has_fewer_results(function)
        {
            return self.fewer_returned(index, function);
        }
        let gets_nothing = self.remains.gets_nothing(index);
        if gets_nothing && at < of.name {
            self.gap(at);
            self.put(module.text(of.name));
            at = of.name + 1;
        }
        while at < of.words.end {
            if at == of.results.start && self.results(index) {
                at = of.results.end;
                continue;
            }
            if gets_nothing && module.is(at, "->") {
                return self.put(b" -> ()");
            }
            let region = of
                .regions
                .iter()
                .find(|&&region| module.regions[region].words.start == at);
            if let Some(&region) = region {
                self.region(index, region);
                at = module.regions[region].words.end;
                continue;
            }
            if let Some(target) = of
                .targets
                .iter()
                .position(|target| target.words.start == at)
            {
                self.target(index, target);
                at = of.targets[target].words.end;
                continue;
            }
            let is_list = of.symbol.is_some_and(|symbol| at == symbol + 1) && module.is(at, "(");
            let new = self.remains.new_parameters.get(&index);
            if is_list && (!of.parameters.is_empty() || new.is_some()) {
                self.parameters(at, &of.parameters, Some(index));
                at = module.after(at);
                continue;
            }
            at = self.word(at);
        }
    }

    /// Writes the results of a function, if some of them are deleted. Returns whether they are.
    fn results(&mut self, index: usize) -> bool {
        let module = self.module;
        if !self.remains.has_results(index) {
            return true;
        }
        if !self.remains.has_fewer_results(index) {
            return false;
        }
        let types = module.single_results(index).into_iter().enumerate();
        let left = types.filter(|(position, _)| self.remains.has_result(index, *position));
        let left: Vec<Range<usize>> = left.map(|(_, of)| of).collect();
        if !left.is_empty() {
            self.put(if left.len() > 1 { b" -> (" } else { b" -> " });
            self.separated(&left);
            self.put(if left.len() > 1 { b")" } else { b"" });
        }
        true
    }

    /// Writes a return without the results that are deleted.
    fn fewer_returned(&mut self, index: usize, function: usize) {
        let module = self.module;
        let of = &module.operations[index];
        self.gap(of.words.start);
        self.put(module.text(of.name));
        let all = module
            .returned(index)
            .unwrap_or_default()
            .into_iter()
            .enumerate();
        let left = all.filter(|(position, _)| self.remains.has_result(function, *position));
        let (values, types): (Vec<_>, Vec<_>) = left.map(|(_, pair)| pair).unzip();
        if !values.is_empty() {
            self.put(b" ");
            self.separated(&values);
            self.put(b" : ");
            self.separated(&types);
        }
    }

    /// Writes the parameters of a block or, with its new ones, of a function.
    fn parameters(&mut self, open: usize, parameters: &[MlirParameter], function: Option<usize>) {
        let new = function.and_then(|function| self.remains.new_parameters.get(&function));
        let left: Vec<Range<usize>> = (parameters.iter())
            .filter(|parameter| self.remains.has_parameter(parameter.value, parameter.token))
            .map(|parameter| parameter.words.clone())
            .collect();
        if left.len() == parameters.len() && new.is_none() {
            return self.words(open..self.module.after(open));
        }
        self.put(b"(");
        self.separated(&left);
        for (index, of) in new.into_iter().flatten().enumerate() {
            self.put(if index + left.len() > 0 { b", " } else { b"" });
            let name = self.new_parameter(index);
            self.put(&[&name, &b": "[..], of].concat());
        }
        self.put(b")");
    }

    /// Returns the name of a new parameter.
    fn new_parameter(&self, index: usize) -> Vec<u8> {
        format!("%arg{}", self.first_parameter + index).into_bytes()
    }

    /// Writes a function without its body.
    fn declaration(&mut self, index: usize, body: Range<usize>) {
        let module = self.module;
        let of = &module.operations[index];
        let Some(symbol) = of.symbol else {
            return self.whole(index);
        };
        let is_llvm = module.is_llvm(index);
        for word in of.words.start..symbol {
            if !is_linkage(module.text(word)) {
                self.word(word);
            }
        }
        if !is_llvm {
            self.put(b" private");
        }
        self.word(symbol);
        let mut at = symbol + 1;
        if module.is(at, "(") && !of.parameters.is_empty() {
            let left: Vec<Range<usize>> = (of.parameters.iter())
                .filter(|parameter| self.remains.has_parameter(parameter.value, parameter.token))
                .map(|parameter| parameter.words.start + 2..parameter.words.end)
                .collect();
            self.put(b"(");
            self.separated(&left);
            self.put(b")");
            at = module.after(at);
        }
        if at == of.results.start && self.results(index) {
            at = of.results.end;
        }
        self.words(at..body.start);
        self.words(body.end..of.words.end);
    }

    fn region(&mut self, operation: usize, region: usize) {
        let module = self.module;
        let of = &module.regions[region];
        self.gap(of.words.start);
        self.put(b"{");
        let begin = self.out.len();
        for block in of.blocks.clone() {
            if !self.remains.is_reached[block] || self.remains.joined.contains_key(&block) {
                continue;
            }
            self.label(block);
            if block == of.blocks.start && module.is_function(operation) {
                self.defaults(operation);
            }
            self.contents(block);
        }
        // In generic form, a region with nothing in it has no block.
        if self.out.len() == begin && module.is_generic(operation) && !of.blocks.is_empty() {
            self.put(b"\n^bb0:");
        }
        self.gap(of.words.end - 1);
        self.put(b"}");
    }

    fn label(&mut self, block: usize) {
        let of = &self.module.blocks[block];
        if of.label.is_empty() {
            return;
        }
        self.words(of.label.start..of.label.start + 1);
        let open = of.label.start + 1;
        if of.parameters.is_empty() {
            return self.words(open..of.label.end);
        }
        let has_any = (of.parameters.iter())
            .any(|parameter| self.remains.has_parameter(parameter.value, parameter.token));
        if has_any {
            self.parameters(open, &of.parameters, None);
        }
        self.put(b":");
    }

    /// Writes the operations of a block, and of the blocks that continue it.
    fn contents(&mut self, block: usize) {
        let joined = &self.remains.joined;
        let next = joined.iter().find(|&(_, &before)| before == block);
        let next = next.map(|(&next, _)| next);
        let operations = &self.module.blocks[block].operations;
        let count = operations.len() - usize::from(next.is_some());
        for &operation in &operations[..count] {
            self.operation(operation);
        }
        if let Some(next) = next {
            self.contents(next);
        }
    }

    fn defaults(&mut self, function: usize) {
        let defaults = self.remains.defaults.get(&function);
        for (index, text) in defaults.into_iter().flatten().enumerate() {
            let name = format!("{index} = ");
            let line = [b"\n    ", &self.prefix[..], name.as_bytes(), text].concat();
            self.put(&line);
        }
    }

    /// Writes a jump of which some targets are left.
    fn fewer_targets(&mut self, index: usize, left: &[usize]) {
        let module = self.module;
        let of = &module.operations[index];
        let name = module.text(of.name);
        let [first, rest @ ..] = left else {
            return self.put(b"\n    llvm.unreachable");
        };
        let is_switch = name.ends_with(b"switch");
        if let Some(jump) = module.jump(index).filter(|_| rest.is_empty() || !is_switch) {
            self.put(b"\n    ");
            self.put(jump.as_bytes());
            return self.target(index, *first);
        }
        self.words(of.words.start..of.targets[0].words.start);
        self.target(index, *first);
        // In some dialects the default is one of the cases.
        let is_case = module.is(of.targets[0].words.start.saturating_sub(1), ":");
        self.put(if is_case { b"" } else { b" [" });
        for (position, &target) in rest.iter().enumerate() {
            if position > 0 || is_case {
                self.put(b",");
            }
            let start = of.targets[target].words.start;
            self.put(b"\n      ");
            let value = module.text(start.saturating_sub(2)).to_vec();
            let is_negative = module.is(start.saturating_sub(3), "-");
            self.put(if is_negative { b"-" } else { b"" });
            self.put(&value);
            self.put(b":");
            self.target(index, target);
        }
        self.put(b"\n    ]");
    }

    /// Writes the name of a block with the arguments that are left.
    fn target(&mut self, operation: usize, target: usize) {
        let module = self.module;
        let of = &module.operations[operation].targets[target];
        let name = of.words.start;
        let parameters = of
            .block
            .map_or(&[][..], |block| &module.blocks[block].parameters);
        if parameters.len() != of.arguments.len() || of.arguments.is_empty() {
            return self.words(of.words.clone());
        }
        self.gap(name);
        self.put(module.text(name));
        let close = of.words.end - 1;
        let Some(colon) = module.find(name + 2..close, ":") else {
            return self.words(name + 1..of.words.end);
        };
        let left = |elements: Vec<Range<usize>>| -> Vec<Range<usize>> {
            let pairs = elements.into_iter().zip(parameters);
            let left = pairs.filter(|(_, parameter)| {
                self.remains.has_parameter(parameter.value, parameter.token)
            });
            left.map(|(element, _)| element).collect()
        };
        let values = left(module.list(name + 2..colon));
        let types = left(module.list(colon + 1..close));
        if !values.is_empty() {
            self.put(b"(");
            self.separated(&values);
            self.put(b" : ");
            self.separated(&types);
            self.put(b")");
        }
    }

    fn words(&mut self, words: Range<usize>) {
        let mut at = words.start;
        while at < words.end {
            at = self.word(at);
        }
    }

    /// Writes a word with what is deleted there made right. Returns the word after it.
    fn word(&mut self, word: usize) -> usize {
        let module = self.module;
        match module.sort(word) {
            MlirSort::Value => {
                self.gap(word);
                self.value(word);
            }
            MlirSort::Open if module.is(word, "{") && self.has_gone_symbol(word) => {
                let close = module.words[word].partner;
                let is_left =
                    |entry: &Range<usize>| !entry.clone().any(|word| self.is_gone_symbol(word));
                let entries = module.list(word + 1..close);
                let left: Vec<_> = entries.into_iter().filter(is_left).collect();
                if !left.is_empty() {
                    self.gap(word);
                    self.put(b"{");
                    self.separated(&left);
                    self.put(b"}");
                }
                return close + 1;
            }
            MlirSort::Open if self.is_splat(word) => {
                self.gap(word);
                let element = module.first_element(word).unwrap_or(word..word);
                self.put(module.source(element));
                return module.words[word].partner + 1;
            }
            MlirSort::Symbol => {
                self.gap(word);
                self.put(module.text(word));
                return self.call(word);
            }
            _ => {
                self.gap(word);
                self.put(module.text(word));
            }
        }
        word + 1
    }

    /// Returns whether a list of elements becomes its first one.
    fn is_splat(&self, open: usize) -> bool {
        let list = self.module.lists.get(&open);
        list.is_some_and(|&token| !is_kept(token, self.remains.kept))
    }

    fn is_gone_symbol(&self, word: usize) -> bool {
        self.module.sort(word) == MlirSort::Symbol && self.remains.is_gone_symbol(word)
    }

    fn has_gone_symbol(&self, open: usize) -> bool {
        (open..self.module.words[open].partner).any(|word| self.is_gone_symbol(word))
    }

    fn value(&mut self, word: usize) {
        let module = self.module;
        let Some(&value) = module.meanings.get(&word) else {
            return self.put(module.text(word));
        };
        match self.remains.stand_in(value, LONGEST_CHAIN) {
            Some(MlirStandIn::Value(found)) if found != value => {
                let name = module.meanings.iter().find(|&(_, &of)| of == found);
                let name = name.map_or(word, |(&name, _)| name);
                self.put(module.text(name));
            }
            Some(MlirStandIn::Default(function, text)) => {
                let defaults = self.remains.defaults.get(&function);
                let index = defaults.and_then(|all| all.iter().position(|one| *one == text));
                let index = index.unwrap_or(0).to_string();
                let name = [&self.prefix[..], index.as_bytes()].concat();
                self.put(&name);
            }
            Some(MlirStandIn::Parameter(function, of)) => {
                let new = self.remains.new_parameters.get(&function);
                let index = new.and_then(|all| all.iter().position(|one| *one == of));
                let name = self.new_parameter(index.unwrap_or(0));
                self.put(&name);
            }
            _ => self.put(module.text(word)),
        }
    }

    /// Writes the arguments of a call of a function whose parameters are deleted. Returns the word
    /// after what was written.
    fn call(&mut self, symbol: usize) -> usize {
        let module = self.module;
        let function = module.symbols.get(module.text(symbol));
        let parameters =
            function.map_or(&[][..], |&function| &module.operations[function].parameters);
        let is_left = |parameter: &MlirParameter| {
            self.remains.has_parameter(parameter.value, parameter.token)
        };
        let Some((values, types)) = module.argument_types(symbol) else {
            return symbol + 1;
        };
        if parameters.iter().all(is_left) {
            return symbol + 1;
        }
        let left = |open: usize| -> Vec<Range<usize>> {
            let close = module.words[open].partner;
            let pairs = module.list(open + 1..close).into_iter().zip(parameters);
            let left = pairs.filter(|(_, parameter)| is_left(parameter));
            left.map(|(element, _)| element).collect()
        };
        let (left_values, left_types) = (left(values), left(types));
        self.put(b"(");
        self.separated(&left_values);
        self.put(b")");
        self.words(module.words[values].partner + 1..types);
        self.put(b" (");
        self.separated(&left_types);
        self.put(b")");
        module.words[types].partner + 1
    }
}
