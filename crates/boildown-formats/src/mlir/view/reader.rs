//! Reading a module of MLIR.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::module::{
    MlirBlock, MlirModule, MlirOperation, MlirOrigin, MlirParameter, MlirRegion, MlirTarget,
    MlirValue, unquoted,
};
use super::results::{result_type, type_end};
use super::words::{MlirSort, words};

/// The names that are known at a place: the innermost function last.
struct MlirReader {
    module: MlirModule,
    /// The values by name, of the function that is being read.
    names: BTreeMap<Box<[u8]>, usize>,
    /// The function that is being read.
    function: Option<usize>,
}

impl MlirModule {
    /// Reads a module. `None` if brackets do not match.
    pub(super) fn read(bytes: &Arc<[u8]>) -> Option<Self> {
        let module = Self {
            bytes: Arc::clone(bytes),
            words: words(bytes)?,
            operations: Vec::new(),
            blocks: Vec::new(),
            regions: Vec::new(),
            top: Vec::new(),
            values: Vec::new(),
            meanings: BTreeMap::new(),
            symbols: BTreeMap::new(),
            lists: BTreeMap::new(),
        };
        let mut reader = MlirReader {
            module,
            names: BTreeMap::new(),
            function: None,
        };
        let end = reader.module.words.len();
        reader.module.top = reader.operations(0..end);
        reader.mentions(0..end);
        reader.edges();
        reader.callees();
        reader.module.find_steps();
        let has_values = !reader.module.values.is_empty() || !reader.module.symbols.is_empty();
        has_values.then_some(reader.module)
    }
}

impl MlirReader {
    /// Reads the operations among some words.
    fn operations(&mut self, words: Range<usize>) -> Vec<usize> {
        let mut found = Vec::new();
        let mut at = words.start;
        while at < words.end {
            let mut end = self.module.after(at);
            while end < words.end && !self.module.words[end].begins_line {
                end = self.module.after(end);
            }
            let end = end.min(words.end);
            found.push(self.operation(at..end));
            at = end;
        }
        found
    }

    fn operation(&mut self, words: Range<usize>) -> usize {
        let index = self.module.operations.len();
        let equals = match self.module.sort(words.start) {
            MlirSort::Value => self.module.find(words.clone(), "="),
            _ => None,
        };
        let name = equals
            .map_or(words.start, |equals| equals + 1)
            .min(words.end - 1);
        self.module.operations.push(MlirOperation {
            words: words.clone(),
            name,
            token: None,
            regions: Vec::new(),
            result: None,
            parameters: Vec::new(),
            targets: Vec::new(),
            symbol: None,
            function: self.function,
            results: words.start..words.start,
            results_token: None,
            result_tokens: Vec::new(),
            callee: None,
        });
        let is_function = self.module.is_function(index);
        let outer = is_function.then(|| {
            let function = self.function.replace(index);
            (std::mem::take(&mut self.names), function)
        });
        if let Some(equals) = equals {
            self.results(index, words.start..equals);
        }
        let is_definition =
            is_function || equals.is_none() && self.module.is_named_definition(name);
        if is_definition && let Some(symbol) = self.module.head_symbol(name..words.end) {
            self.define_symbol(index, symbol);
            if is_function && self.module.is(symbol + 1, "(") {
                self.parameters(index, symbol + 1);
                self.module.operations[index].results = self.returned(symbol + 1);
            }
        }
        self.regions(index, words.clone());
        if self.module.operations[index].symbol.is_none() && equals.is_none() {
            self.late_symbol(index);
        }
        if is_function {
            self.mentions(words);
        }
        if let Some(outer) = outer {
            (self.names, self.function) = outer;
        }
        index
    }

    fn define_symbol(&mut self, operation: usize, symbol: usize) {
        let text = match self.module.sort(symbol) {
            MlirSort::Symbol => self.module.text(symbol).into(),
            _ => [b"@", unquoted(self.module.text(symbol))].concat().into(),
        };
        self.module.symbols.entry(text).or_insert(operation);
        self.module.operations[operation].symbol = Some(symbol);
    }

    /// Finds the symbol of an operation that was not known to define one: what has regions, such as
    /// `pdl.pattern @p : benefit(1) {`, or is in generic form.
    fn late_symbol(&mut self, operation: usize) {
        let module = &self.module;
        let of = &module.operations[operation];
        let symbol = match module.is_generic(operation) {
            true => {
                let key = (module.own_words(operation)).find(|&word| module.is(word, "sym_name"));
                key.filter(|key| module.is(key + 1, "=")).map(|key| key + 2)
            }
            false if of.regions.is_empty() => None,
            false => module.head_symbol(of.name..of.words.end),
        };
        if let Some(symbol) = symbol {
            self.define_symbol(operation, symbol);
        }
    }

    fn results(&mut self, operation: usize, words: Range<usize>) {
        let values: Vec<usize> = words
            .clone()
            .filter(|&word| self.module.sort(word) == MlirSort::Value)
            .collect();
        let is_one = words.len() == 1;
        for word in values {
            let type_text = match is_one {
                true => result_type(&self.module, operation),
                false => Vec::new(),
            };
            let origin = match is_one {
                true => MlirOrigin::Result(operation),
                false => MlirOrigin::OneOfResults(operation),
            };
            let value = self.module.values.len();
            self.define(word, origin, type_text);
            if is_one {
                self.module.operations[operation].result = Some(value);
            }
        }
    }

    fn define(&mut self, word: usize, origin: MlirOrigin, type_text: Vec<u8>) {
        let value = self.module.values.len();
        self.module.values.push(MlirValue {
            origin,
            type_text,
            is_step: false,
        });
        self.names.insert(self.module.text(word).into(), value);
        self.module.meanings.insert(word, value);
    }

    /// Reads the parameters between brackets: `%a: i32 {attribute}`.
    fn between(&mut self, open: usize, origin: impl Fn(usize) -> MlirOrigin) -> Vec<MlirParameter> {
        let close = self.module.words[open].partner;
        let mut parameters = Vec::new();
        let lists = self.module.list(open + 1..close);
        let is_named = |words: &Range<usize>| {
            self.module.sort(words.start) == MlirSort::Value
                && self.module.sort(words.start + 1) == MlirSort::Colon
        };
        if !lists.iter().all(is_named) {
            return match lists.iter().any(is_named) {
                true => parameters,
                false => self.unnamed(lists, origin),
            };
        }
        for words in lists {
            let end = type_end(&self.module, words.start + 2, words.end);
            let value = self.module.values.len();
            let origin = origin(parameters.len());
            let type_text = self.module.source(words.start + 2..end).to_vec();
            self.define(words.start, origin, type_text);
            parameters.push(MlirParameter {
                words,
                value,
                token: None,
            });
        }
        parameters
    }

    /// Reads the parameters of a declaration, which are types.
    fn unnamed(
        &mut self,
        lists: Vec<Range<usize>>,
        origin: impl Fn(usize) -> MlirOrigin,
    ) -> Vec<MlirParameter> {
        if lists
            .iter()
            .any(|words| self.module.text(words.start).starts_with(b"."))
        {
            return Vec::new();
        }
        let parameter = |(index, words): (usize, Range<usize>)| {
            let value = self.module.values.len();
            self.module.values.push(MlirValue {
                origin: origin(index),
                type_text: self.module.source(words.clone()).to_vec(),
                is_step: false,
            });
            MlirParameter {
                words,
                value,
                token: None,
            }
        };
        lists.into_iter().enumerate().map(parameter).collect()
    }

    fn parameters(&mut self, operation: usize, open: usize) {
        let parameters = self.between(open, |index| MlirOrigin::Function(operation, index));
        self.module.operations[operation].parameters = parameters;
    }

    /// Returns the arrow and the types of the results after the parameters of a function.
    fn returned(&self, open: usize) -> Range<usize> {
        let module = &self.module;
        let arrow = module.after(open);
        if !module.is(arrow, "->") {
            return arrow..arrow;
        }
        let end = match module.is(arrow + 1, "(") {
            true => module.after(arrow + 1),
            false => type_end(module, arrow + 1, module.words.len()),
        };
        arrow..end
    }

    /// Finds the functions that operations call.
    fn callees(&mut self) {
        let module = &self.module;
        let callee = |operation: usize| {
            let mut words = module.own_words(operation);
            let called = words.find(|&word| module.called_results(word).is_some())?;
            module.symbols.get(module.text(called)).copied()
        };
        let callees: Vec<_> = (0..module.operations.len()).map(callee).collect();
        for (operation, callee) in callees.into_iter().enumerate() {
            self.module.operations[operation].callee = callee.filter(|&of| of != operation);
        }
    }

    /// Reads the regions: brackets around lines of their own.
    fn regions(&mut self, operation: usize, words: Range<usize>) {
        let mut at = words.start;
        while at < words.end {
            let word = &self.module.words[at];
            if word.sort != MlirSort::Open {
                at += 1;
                continue;
            }
            let close = word.partner;
            let is_region = self.module.is(at, "{")
                && at + 1 < close
                && self.module.words[at + 1].begins_line
                && self.module.words[close].begins_line;
            if is_region {
                let region = self.module.regions.len();
                self.module.regions.push(MlirRegion {
                    words: at..close + 1,
                    blocks: 0..0,
                    token: None,
                });
                self.module.operations[operation].regions.push(region);
                // Other regions may use the same names for other values.
                let outer = self.names.clone();
                let blocks = self.blocks(at + 1..close);
                self.mentions(at + 1..close);
                self.names = outer;
                self.module.regions[region].blocks = blocks;
                at = close + 1;
            } else if self.module.is(at, "(") {
                // A region in generic form stands in parentheses.
                at += 1;
            } else {
                at = close + 1;
            }
        }
    }

    fn blocks(&mut self, words: Range<usize>) -> Range<usize> {
        let is_label = |word: usize| {
            self.module.words[word].begins_line && self.module.sort(word) == MlirSort::Block
        };
        let mut starts = Vec::new();
        let mut at = words.start;
        while at < words.end {
            if at == words.start || is_label(at) {
                starts.push(at);
            }
            at = self.module.after(at);
        }
        // The blocks of a region have numbers in a row; those inside them come after.
        let first = self.module.blocks.len();
        for &start in &starts {
            let mut label = start..start;
            if self.module.sort(start) == MlirSort::Block {
                let colon = self.module.find(start..words.end, ":");
                label.end = colon.map_or(start + 1, |colon| colon + 1);
            }
            self.module.blocks.push(MlirBlock {
                label,
                token: None,
                parameters: Vec::new(),
                operations: Vec::new(),
            });
        }
        for position in 0..starts.len() {
            let block = first + position;
            let label = self.module.blocks[block].label.clone();
            if label.len() > 2 && self.module.is(label.start + 1, "(") {
                let parameters =
                    self.between(label.start + 1, |index| MlirOrigin::Block(block, index));
                self.module.blocks[block].parameters = parameters;
            }
            let end = starts.get(position + 1).copied().unwrap_or(words.end);
            let operations = self.operations(label.end.max(starts[position])..end);
            self.module.blocks[block].operations = operations;
        }
        first..first + starts.len()
    }

    /// Finds what the names among some words mean.
    fn mentions(&mut self, words: Range<usize>) {
        for word in words {
            if self.module.sort(word) == MlirSort::Value
                && !self.module.meanings.contains_key(&word)
                && let Some(&value) = self.names.get(self.module.text(word))
            {
                self.module.meanings.insert(word, value);
            }
        }
    }

    /// Finds the targets of the last operations of blocks.
    fn edges(&mut self) {
        for region in 0..self.module.regions.len() {
            let blocks = self.module.regions[region].blocks.clone();
            let labels: BTreeMap<&[u8], usize> = blocks
                .clone()
                .filter(|&block| !self.module.blocks[block].label.is_empty())
                .map(|block| {
                    (
                        self.module.text(self.module.blocks[block].label.start),
                        block,
                    )
                })
                .collect();
            let mut found = Vec::new();
            for block in blocks {
                if let Some(&last) = self.module.blocks[block].operations.last() {
                    found.push((last, self.targets(last, &labels)));
                }
            }
            for (operation, targets) in found {
                self.module.operations[operation].targets = targets;
            }
        }
    }

    fn targets(&self, operation: usize, labels: &BTreeMap<&[u8], usize>) -> Vec<MlirTarget> {
        let module = &self.module;
        let words = module.own_words(operation);
        let names = words.filter(|&word| module.sort(word) == MlirSort::Block);
        let target = |word: usize| {
            let end = match module.is(word + 1, "(") {
                true => module.words[word + 1].partner + 1,
                false => word + 1,
            };
            let colon = module.find(word + 2..end.saturating_sub(1), ":");
            let arguments = colon.map_or(Vec::new(), |colon| module.list(word + 2..colon));
            MlirTarget {
                words: word..end,
                block: labels.get(module.text(word)).copied(),
                is_plain: arguments.iter().all(|argument| argument.len() == 1),
                arguments: arguments
                    .into_iter()
                    .map(|argument| argument.start)
                    .collect(),
                token: None,
            }
        };
        names.map(target).collect()
    }
}
