//! Writing what is kept of a module of LLVM IR.
//!
//! Every set of units gives a module whose names are defined: uses of a deleted value become one of
//! its operands, if that has the same type, or `poison`; uses of a deleted global become `null`;
//! calls of a deleted function go with it. A block that is deleted is taken out of all jumps and
//! phis. Values without a name are numbered anew. Comments go with the first deletion.

mod ends;
mod globals;
mod metadata;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use boildown_document::writable_module::{
    IdleUnits, WritableModule, is_kept, trim_written, without_comments,
};

use super::flow::{BlockFate, Flow, add_idle_units};
use super::module::{
    IrDefinition, IrFunction, IrInstruction, IrKind, IrLocal, IrModule, IrParameter, IrSort,
    IrTarget, number_of,
};
use super::words::WordSort;
use crate::ir::{LONGEST_CHAIN, is_linkage};

impl WritableModule for IrModule {
    fn words(&self) -> Vec<Range<usize>> {
        self.words.iter().map(|word| word.bytes.clone()).collect()
    }

    fn write(&self, kept: &[bool]) -> Vec<u8> {
        let gone = self.gone(kept);
        let mut texts: Vec<Option<Vec<u8>>> = Vec::new();
        let mut types = BTreeSet::new();
        let mut new_locations = BTreeSet::new();
        for (definition, &is_gone) in self.definitions.iter().zip(&gone) {
            texts.push((!is_gone).then(|| {
                let mut writer = IrWriter::new(self, kept, &gone);
                writer.definition(definition);
                types.append(&mut writer.types);
                new_locations.append(&mut writer.new_locations);
                writer.out
            }));
        }
        // Types that are not kept but used.
        while let Some(name) = types.pop_first() {
            if let Some(&index) = self.names.get(&name)
                && texts[index].is_none()
            {
                let mut writer = IrWriter::new(self, kept, &gone);
                writer.definition(&self.definitions[index]);
                types.append(&mut writer.types);
                texts[index] = Some(writer.out);
            }
        }
        self.leave_out_unmentioned(&mut texts);
        self.number_globals(&mut texts);
        let end = self.words.last().map_or(0, |last| last.bytes.end);
        let mut out: Vec<u8> = texts.into_iter().flatten().flatten().collect();
        for subprogram in new_locations {
            out.extend_from_slice(&self.new_location(subprogram));
        }
        out.extend_from_slice(&without_comments(&self.bytes[end..]));
        out
    }

    fn idle_units(&self) -> IdleUnits {
        let mut idle = IdleUnits::default();
        for definition in &self.definitions {
            if let IrSort::Function(function) = &definition.sort {
                add_idle_units(self, function, &mut idle);
            }
        }
        idle
    }
}

struct IrWriter<'a> {
    module: &'a IrModule,
    kept: &'a [bool],
    /// Whether each definition is gone.
    gone: &'a [bool],
    out: Vec<u8>,
    /// The names of types that were written.
    types: BTreeSet<Box<[u8]>>,
    function: Option<OpenFunction<'a>>,
    /// The name of the definition that is being written.
    name: Option<usize>,
    /// Whether the words that it can do without are left out.
    is_plain: bool,
    /// The debug information of the function.
    subprogram: Option<usize>,
    /// The debug information for which an instruction gets a new place in the source, if its own
    /// is deleted.
    place: Option<usize>,
    /// The debug information of functions for which there has to be such a place.
    new_locations: BTreeSet<usize>,
    /// The function of which the address of a block was written last.
    addressed: Option<OpenFunction<'a>>,
}

/// The function that is being written.
struct OpenFunction<'a> {
    function: &'a IrFunction,
    flow: Flow,
    /// New numbers for names that are numbers.
    numbers: BTreeMap<&'a [u8], usize>,
    /// The values that phis with a single value stand for.
    single: BTreeMap<(usize, usize), Range<usize>>,
    /// How often each number was written.
    written: BTreeMap<usize, usize>,
    /// The numbers of results, and the bytes that give them.
    results: Vec<(usize, Range<usize>)>,
}

impl<'a> IrWriter<'a> {
    fn new(module: &'a IrModule, kept: &'a [bool], gone: &'a [bool]) -> Self {
        Self {
            module,
            kept,
            gone,
            out: Vec::new(),
            types: BTreeSet::new(),
            function: None,
            name: None,
            is_plain: false,
            subprogram: None,
            place: None,
            new_locations: BTreeSet::new(),
            addressed: None,
        }
    }

    /// Writes what stands between a word and the one before it in the input, without comments.
    fn gap(&mut self, word: usize) {
        let start = match word {
            0 => 0,
            word => self.module.words[word - 1].bytes.end,
        };
        let gap = start..self.module.words[word].bytes.start;
        let gap = without_comments(&self.module.bytes[gap]);
        // Comments before the first definition leave no lines, and others no empty ones.
        self.out.extend_from_slice(match word {
            0 => gap.trim_ascii_start(),
            _ => &gap[gap.iter().rposition(|&byte| byte == b'\n').unwrap_or(0)..],
        });
    }

    fn put(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
    }

    /// Returns the definition of a name, unless there is none.
    fn defined(&self, word: usize) -> Option<&'a IrDefinition> {
        let index = *self.module.names.get(self.module.text(word))?;
        self.module.definitions.get(index)
    }

    /// Returns whether what a word refers to is deleted.
    fn is_gone(&self, word: usize) -> bool {
        let index = self.module.names.get(self.module.text(word));
        index.is_some_and(|&index| self.gone[index])
    }

    fn definition(&mut self, definition: &'a IrDefinition) {
        let words = definition.words.clone();
        self.name = definition.name;
        self.is_plain = !is_kept(definition.optional, self.kept);
        match &definition.sort {
            IrSort::Function(function) => self.function(definition, function),
            IrSort::Declaration(parameters) => {
                let Some(name) = definition.name else {
                    return self.words(words);
                };
                self.words(words.start..name + 1);
                let end = self.arguments(name + 1, parameters);
                self.words(end..words.end);
            }
            IrSort::Variable {
                init: Some(init),
                token,
            } if !is_kept(*token, self.kept) => {
                self.words(words.start..init.start);
                self.put(b" zeroinitializer");
                self.words(init.end..words.end);
            }
            IrSort::Variable {
                init: Some(init), ..
            } if self.module.lists_used_globals(definition) => self.used_globals(words, init),
            IrSort::NamedMetadata => self.named_metadata(words),
            IrSort::Metadata => self.metadata(definition),
            _ => self.words(words),
        }
    }

    /// Writes elements with commas between them.
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

    /// Writes the arguments of the parameters that are kept. Returns the word after them.
    fn arguments(&mut self, open: usize, parameters: &[IrParameter]) -> usize {
        let arguments = self.module.list(open);
        let close = self.module.closing(open, self.module.words.len());
        if arguments.len() != parameters.len()
            || parameters
                .iter()
                .all(|parameter| is_kept(parameter.token, self.kept))
        {
            self.words(open..close + 1);
            return close + 1;
        }
        let arguments = arguments.into_iter().zip(parameters);
        let left = arguments.filter(|(_, parameter)| is_kept(parameter.token, self.kept));
        let left: Vec<_> = left.map(|(argument, _)| argument).collect();
        self.put(b"(");
        self.separated(&left);
        self.put(b")");
        close + 1
    }

    /// Returns whether an instruction is left.
    fn stays(&self, instruction: &IrInstruction) -> bool {
        is_kept(instruction.token, self.kept)
            && instruction
                .callee
                .is_none_or(|callee| !self.is_gone(callee))
            && !self.lacks_description(instruction)
    }

    /// Returns whether a value is left: an `invoke` is only if it ends its block as it did.
    fn is_written(&self, open: &OpenFunction<'_>, one: &IrInstruction, part: usize) -> bool {
        let is_last = || {
            let chain = open.flow.chains.iter().find(|chain| chain.contains(&part));
            chain.is_some_and(|chain| chain.last() == Some(&part))
        };
        let has_target = |target: &IrTarget| {
            let block = open.function.locals.get(self.module.text(target.word));
            let is_left = |block| open.flow.resolve(block, part).is_some();
            is_kept(target.token, self.kept)
                && matches!(block, Some(&IrLocal::Block(block)) if is_left(block))
        };
        // An `invoke` whose exceptions lead nowhere becomes a call.
        let count = if one.is_invoke { 1 } else { one.targets.len() };
        let mut needed = one.targets.iter().take(count);
        self.stays(one) && (!one.ends_block() || is_last() && needed.all(has_target))
    }

    /// Returns a function as it is before anything of it is written.
    fn open(&self, function: &'a IrFunction) -> OpenFunction<'a> {
        let flow = Flow::new(self.module, function, self.kept, |one| self.stays(one));
        let mut open = OpenFunction {
            function,
            flow,
            numbers: BTreeMap::new(),
            single: BTreeMap::new(),
            written: BTreeMap::new(),
            results: Vec::new(),
        };
        self.single_values(&mut open);
        self.number(&mut open);
        open
    }

    fn function(&mut self, definition: &IrDefinition, function: &'a IrFunction) {
        let words = definition.words.clone();
        let name = function.brackets.start - 1;
        if !is_kept(function.token, self.kept) {
            return self.declaration(words.start, name, function);
        }
        let attached = self.module.attached(function.brackets.end..function.body);
        self.subprogram = attached.filter(|&index| !self.gone[index]);
        self.function = Some(self.open(function));
        self.words(words.start..name + 1);
        let end = self.arguments(name + 1, &function.parameters);
        self.words(end..function.body + 1);
        let blocks = self
            .function
            .as_ref()
            .map_or(0, |open| open.flow.fates.len());
        for block in 0..blocks {
            self.block(block);
        }
        if blocks == 0 {
            self.put(b"\n  ");
            self.missing_end();
        }
        self.words(words.end - 1..words.end);
        self.leave_out_unused_numbers();
        self.function = None;
        self.subprogram = None;
    }

    /// Remembers where an instruction that was written from a position on has its number.
    fn note_result(&mut self, one: &IrInstruction, from: usize) {
        let Some(open) = self.function.as_mut().filter(|_| one.has_result) else {
            return;
        };
        let name = self.module.text(one.words.start);
        let Some(&number) = open.numbers.get(name) else {
            return;
        };
        let is_space = |byte: &&u8| byte.is_ascii_whitespace();
        let text = &self.out[from..];
        let start = text.iter().take_while(is_space).count();
        if let Some(sign) = text.iter().position(|&byte| byte == b'=') {
            let space = text[sign + 1..].iter().take_while(is_space).count();
            let bytes = from + start..from + sign + 1 + space;
            open.results.push((number, bytes));
        }
    }

    /// Takes the numbers of values that nothing mentions out of the function that was written.
    fn leave_out_unused_numbers(&mut self) {
        let Some(open) = &self.function else {
            return;
        };
        let mut left = Vec::with_capacity(self.out.len());
        let mut end = 0;
        for (number, bytes) in &open.results {
            if open.written.get(number) == Some(&1) {
                left.extend_from_slice(&self.out[end..bytes.start]);
                end = bytes.end;
            }
        }
        left.extend_from_slice(&self.out[end..]);
        self.out = left;
    }

    /// Writes a function without its body.
    fn declaration(&mut self, start: usize, name: usize, function: &IrFunction) {
        self.gap(start);
        self.put(b"declare");
        for word in start + 1..name + 1 {
            if !is_linkage(self.module.text(word)) {
                self.words(word..word + 1);
            }
        }
        let open = function.brackets.start;
        let left: Vec<Range<usize>> = match function.parameters.is_empty() {
            true => self.module.list(open),
            false => (function.parameters.iter())
                .filter(|parameter| is_kept(parameter.token, self.kept))
                .map(|parameter| parameter.words.clone())
                .collect(),
        };
        let unnamed = |words: Range<usize>| {
            let last = words.end.saturating_sub(1);
            let name = function.locals.contains_key(self.module.text(last));
            words.start..words.end - usize::from(name && words.len() > 1)
        };
        let left: Vec<_> = left.into_iter().map(unnamed).collect();
        self.put(b"(");
        self.separated(&left);
        self.put(b")");
    }

    /// Finds the phis that have become part of a block before.
    fn single_values(&self, open: &mut OpenFunction<'a>) {
        for chain in open.flow.chains.iter().filter(|chain| chain.len() > 1) {
            for pair in chain.windows(2) {
                let block = &open.function.blocks[pair[1]];
                for (index, instruction) in block.instructions.iter().enumerate() {
                    let IrKind::Phi(incoming) = &instruction.kind else {
                        continue;
                    };
                    if let Some(incoming) = incoming.first() {
                        open.single.insert((pair[1], index), incoming.value.clone());
                    }
                }
            }
        }
    }

    /// Numbers the values and blocks that have no names.
    fn number(&self, open: &mut OpenFunction<'a>) {
        let function = open.function;
        let is_written: Vec<Vec<bool>> = (function.blocks.iter().enumerate())
            .map(|(part, block)| {
                let ones = block.instructions.iter();
                ones.map(|one| self.is_written(open, one, part)).collect()
            })
            .collect();
        let mut next = 0;
        let numbers = &mut open.numbers;
        let keeps_names = is_kept(function.names, self.kept);
        let mut number = |name: Option<&'a [u8]>, keeps_name: bool| {
            if let Some(name) = name {
                if keeps_name && number_of(name).is_none() {
                    return;
                }
                numbers.insert(name, next);
            }
            next += 1;
        };
        for parameter in &function.parameters {
            let name = self.module.text(parameter.words.end.saturating_sub(1));
            let known = function.locals.get_key_value(name);
            let is_variable = self.module.is(parameter.words.start, "...");
            if is_kept(parameter.token, self.kept) && !is_variable {
                number(known.map(|(name, _)| &**name), keeps_names);
            }
        }
        for (block, is_reached) in open.flow.is_reached.iter().enumerate() {
            if !is_reached {
                continue;
            }
            let this = &function.blocks[block];
            let has_label = is_kept(this.token, self.kept);
            number(Some(&this.name), keeps_names && has_label);
            for &part in &open.flow.chains[block] {
                for (index, one) in function.blocks[part].instructions.iter().enumerate() {
                    let is_left =
                        is_written[part][index] && !open.single.contains_key(&(part, index));
                    match &one.unnamed {
                        _ if !is_left => {}
                        Some(unnamed) => number(Some(unnamed), keeps_names),
                        None if one.has_result => {
                            number(Some(self.module.text(one.words.start)), keeps_names);
                        }
                        None => {}
                    }
                }
            }
        }
    }

    fn block(&mut self, index: usize) {
        let Some(open) = &self.function else {
            return;
        };
        if !open.flow.is_reached[index] {
            return;
        }
        let function = open.function;
        let block = &function.blocks[index];
        if !block.label.is_empty() && is_kept(block.token, self.kept) {
            self.gap(block.label.start);
            self.name(&block.name, 1);
            self.put(b":");
        }
        let chain = open_chain(self, index);
        let last = chain.last().copied();
        for &part in &chain {
            for (position, one) in function.blocks[part].instructions.iter().enumerate() {
                let is_single = (self.function.as_ref())
                    .is_some_and(|open| open.single.contains_key(&(part, position)));
                if one.ends_block() {
                    if Some(part) == last {
                        self.end(one, part);
                        return;
                    }
                } else if self.stays(one) && !is_single {
                    let from = self.out.len();
                    self.instruction(one, index);
                    self.note_result(one, from);
                }
            }
        }
        self.put(b"\n  ");
        self.missing_end();
    }

    fn instruction(&mut self, one: &'a IrInstruction, block: usize) {
        let words = one.words.clone();
        if let IrKind::Phi(incoming) = &one.kind {
            let Some(first) = incoming.first() else {
                return self.words(words);
            };
            self.words(words.start..first.value.start - 1);
            let edges = self
                .function
                .as_ref()
                .map(|open| open.flow.incoming[block].clone());
            let labels = |word: usize| {
                self.function
                    .as_ref()?
                    .function
                    .locals
                    .get(self.module.text(word))
                    .copied()
            };
            let edges: Vec<_> = edges
                .unwrap_or_default()
                .into_iter()
                .map(|edge| {
                    let value = incoming
                        .iter()
                        .find(|one| labels(one.block) == Some(IrLocal::Block(edge.via)));
                    (edge.from, value.map(|one| one.value.clone()))
                })
                .collect();
            // Edges from the same block bring the same value.
            let value_from = |from: usize| {
                let edge = edges.iter().find(|(other, _)| *other == from);
                edge.and_then(|(_, value)| value.clone())
            };
            for (position, &(from, _)) in edges.iter().enumerate() {
                let value = value_from(from);
                self.put(if position > 0 { b", [ " } else { b" [ " });
                match value {
                    Some(value) => self.separated(&[value]),
                    None => self.put(b"poison"),
                }
                self.put(b", ");
                self.block_name(from);
                self.put(b" ]");
            }
            return;
        }
        self.call(one, words);
    }

    /// Writes an instruction, without the arguments of deleted parameters.
    fn call(&mut self, one: &IrInstruction, words: Range<usize>) {
        let parameters = one.callee.and_then(|callee| {
            let parameters = match &self.defined(callee)?.sort {
                IrSort::Function(function) => &function.parameters,
                IrSort::Declaration(parameters) => parameters,
                _ => return None,
            };
            Some((callee, parameters))
        });
        let Some((callee, parameters)) = parameters else {
            return self.words(words);
        };
        self.place = self.subprogram.filter(|_| self.needs_place(one));
        self.words(words.start..callee + 1);
        let end = self.arguments(callee + 1, parameters);
        self.words(end..words.end);
        self.place = None;
    }

    fn block_name(&mut self, block: usize) {
        let Some(open) = &self.function else {
            return;
        };
        let function = open.function;
        self.name(&function.blocks[block].name, 0);
    }

    /// Writes a local name, with its new number, without its first bytes.
    fn name(&mut self, name: &[u8], skip: usize) {
        let open = self.function.as_mut();
        let number = open.and_then(|open| {
            let number = *open.numbers.get(name)?;
            *open.written.entry(number).or_default() += 1;
            Some(number)
        });
        match number {
            Some(number) => {
                let name = format!("%{number}");
                self.put(&name.as_bytes()[skip..]);
            }
            None => self.put(&name[skip..]),
        }
    }

    /// Writes words, with what is deleted among them made right.
    fn words(&mut self, words: Range<usize>) {
        let module = self.module;
        let mut at = words.start;
        while at < words.end {
            let sort = module.sort(at);
            let is_number = |word: usize| module.text(word).get(1).is_some_and(u8::is_ascii_digit);
            let is_attachment = |word: usize| {
                word + 1 < words.end
                    && module.sort(word) == WordSort::Metadata
                    && module.sort(word + 1) == WordSort::Metadata
                    && !is_number(word)
                    && is_number(word + 1)
                    && self.is_gone(word + 1)
            };
            let optional = match self.is_plain {
                true => module.optional_words(at),
                false => 0,
            };
            match sort {
                _ if optional > 0 && module.words[at].begins_line => {
                    // What follows begins the line instead: `tail call`.
                    self.gap(at);
                    at += optional;
                    if at < words.end {
                        self.put(module.text(at));
                        at += 1;
                    }
                }
                _ if optional > 0 => at += optional,
                WordSort::Comma if is_attachment(at + 1) => {
                    self.new_place(at + 1);
                    at += 3;
                }
                WordSort::Metadata if is_attachment(at) => at += 2,
                WordSort::Comma if self.is_gone_comdat(at + 1) => {
                    at += if module.is(at + 2, "(") { 5 } else { 2 };
                }
                WordSort::Attributes if self.is_gone(at) => at += 1,
                WordSort::Metadata if is_number(at) && self.is_gone(at) => {
                    self.gap(at);
                    let stand_in = self.gone_metadata(at);
                    self.put(&stand_in);
                    at += 1;
                }
                WordSort::Global if self.is_gone(at) => {
                    self.gap(at);
                    self.put(b"null");
                    at += 1;
                }
                WordSort::Other if module.is(at, "blockaddress") && module.is(at + 1, "(") => {
                    self.gap(at);
                    self.block_address(at);
                    at = module.closing(at + 1, words.end) + 1;
                }
                WordSort::Other if self.is_gone_comdat(at) => {
                    at += if module.is(at + 1, "(") { 4 } else { 1 };
                }
                WordSort::Local if module.is_type(at) => {
                    self.types.insert(module.text(at).into());
                    self.gap(at);
                    self.put(module.text(at));
                    at += 1;
                }
                WordSort::Local => {
                    self.gap(at);
                    self.local(at, LONGEST_CHAIN);
                    at += 1;
                }
                _ => {
                    self.gap(at);
                    self.put(module.text(at));
                    at += 1;
                }
            }
        }
    }

    /// Returns whether a word begins the mention of a group that is deleted.
    fn is_gone_comdat(&self, word: usize) -> bool {
        let module = self.module;
        if !module.is(word, "comdat") {
            return false;
        }
        if module.is(word + 1, "(") {
            return self.is_gone(word + 2);
        }
        // The group has the name of the definition.
        self.name.is_some_and(|name| {
            let name = [b"$", &module.text(name)[1..]].concat();
            let index = module.names.get(&*name);
            let definition = index.map(|&index| &module.definitions[index]);
            definition.is_some_and(|definition| !is_kept(definition.token, self.kept))
        })
    }

    /// Writes a local name, or what takes its place.
    fn local(&mut self, word: usize, chain: usize) {
        let module = self.module;
        let name = module.text(word);
        let meaning = |open: &OpenFunction<'_>| open.function.locals.get(name).copied();
        let Some(local) = self.function.as_ref().and_then(meaning) else {
            self.types.insert(name.into());
            return self.put(name);
        };
        let Some(open) = &self.function else {
            return;
        };
        match local {
            IrLocal::Parameter(index) => {
                match is_kept(open.function.parameters[index].token, self.kept) {
                    true => self.name(name, 0),
                    false => self.absent(word),
                }
            }
            IrLocal::Block(block) => match open.flow.resolve(block, block) {
                Some((block, _)) => self.block_name(block),
                None => self.name(name, 0),
            },
            IrLocal::Value(block, index) => {
                let one = &open.function.blocks[block].instructions[index];
                let is_there = match open.flow.fates[block] {
                    BlockFate::Stays => open.flow.is_reached[block],
                    BlockFate::Joined => true,
                    BlockFate::Skipped(_) | BlockFate::Gone => false,
                };
                if let Some(value) = open.single.get(&(block, index)) {
                    let value = value.clone();
                    return self.stand_in(value, chain);
                }
                if is_there && self.is_written(open, one, block) {
                    return self.name(name, 0);
                }
                if self.module.has_zeros {
                    return self.absent(word);
                }
                let operands = self.operands(one);
                self.stand_in_first(&operands, chain);
            }
        }
    }

    /// Writes the first local value among operands, or `poison`.
    fn stand_in_first(&mut self, operands: &[usize], chain: usize) {
        let local = operands
            .iter()
            .find(|&&word| self.module.sort(word) == WordSort::Local);
        match local.filter(|_| chain > 0) {
            Some(&word) => self.local(word, chain - 1),
            None => self.put(b"poison"),
        }
    }

    fn stand_in(&mut self, value: Range<usize>, chain: usize) {
        match self.module.sort(value.start) {
            WordSort::Local if chain > 0 => self.local(value.start, chain - 1),
            WordSort::Local => self.absent(value.start),
            _ => self.separated(&[value]),
        }
    }

    /// Returns the operands that have the type of the result.
    fn operands(&self, one: &IrInstruction) -> Vec<usize> {
        let module = self.module;
        let operation = module.text(one.operation);
        let last = |end: usize| end.saturating_sub(1);
        let is_binary = [
            "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and",
            "or", "xor", "fadd", "fsub", "fmul", "fdiv", "frem",
        ]
        .iter()
        .any(|name| operation == name.as_bytes());
        if !is_binary {
            return Vec::new();
        }
        let comma = one
            .words
            .clone()
            .find(|&word| module.sort(word) == WordSort::Comma);
        comma.map_or(Vec::new(), |comma| vec![last(comma), comma + 1])
    }
}

/// Returns the blocks that a block consists of.
fn open_chain(writer: &IrWriter<'_>, block: usize) -> Vec<usize> {
    let open = writer.function.as_ref();
    open.map_or(Vec::new(), |open| open.flow.chains[block].clone())
}
