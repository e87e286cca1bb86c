//! The operations of a module, with their regions and blocks.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::words::{MlirSort, MlirWord, words};
use crate::document::module_text::UnitToken;

/// A module of MLIR. Operations, regions and blocks are numbered from the outside to the inside,
/// and from the first to the last.
#[derive(Debug)]
pub(in crate::document) struct MlirModule {
    pub(super) bytes: Arc<[u8]>,
    pub(super) words: Vec<MlirWord>,
    pub(super) operations: Vec<MlirOperation>,
    pub(super) blocks: Vec<MlirBlock>,
    pub(super) regions: Vec<MlirRegion>,
    /// The operations at the top.
    pub(super) top: Vec<usize>,
    pub(super) values: Vec<MlirValue>,
    /// By word: the value that it defines or mentions.
    pub(super) meanings: BTreeMap<usize, usize>,
    /// The operation that defines each symbol.
    pub(super) symbols: BTreeMap<Box<[u8]>, usize>,
    /// The tokens of lists of elements, such as `dense<[1, 2]>`, by their opening bracket. Without
    /// its token, a list becomes its first element.
    pub(super) lists: BTreeMap<usize, UnitToken>,
}

#[derive(Debug)]
pub(super) struct MlirOperation {
    pub(super) words: Range<usize>,
    /// The word of its name.
    pub(super) name: usize,
    pub(super) token: UnitToken,
    pub(super) regions: Vec<usize>,
    /// Its only result.
    pub(super) result: Option<usize>,
    /// Parameters of a function.
    pub(super) parameters: Vec<MlirParameter>,
    /// The blocks that it may continue at.
    pub(super) targets: Vec<MlirTarget>,
    /// The symbol that it defines.
    pub(super) symbol: Option<usize>,
    /// The function around it.
    pub(super) function: Option<usize>,
}

#[derive(Debug)]
pub(super) struct MlirRegion {
    /// The brackets.
    pub(super) words: Range<usize>,
    pub(super) blocks: Range<usize>,
    /// The token of the body of a function.
    pub(super) token: UnitToken,
}

#[derive(Debug)]
pub(super) struct MlirBlock {
    /// The label with its parameters and colon; empty without one.
    pub(super) label: Range<usize>,
    pub(super) token: UnitToken,
    pub(super) parameters: Vec<MlirParameter>,
    pub(super) operations: Vec<usize>,
}

/// A parameter of a block or function.
#[derive(Debug)]
pub(super) struct MlirParameter {
    pub(super) words: Range<usize>,
    pub(super) value: usize,
    pub(super) token: UnitToken,
}

/// An edge to a block.
#[derive(Debug)]
pub(super) struct MlirTarget {
    /// The name, with the arguments.
    pub(super) words: Range<usize>,
    /// `None` for a name that is not defined.
    pub(super) block: Option<usize>,
    /// The first word of each.
    pub(super) arguments: Vec<usize>,
    /// Whether each argument is a single word.
    pub(super) is_plain: bool,
    pub(super) token: UnitToken,
}

#[derive(Debug)]
pub(super) struct MlirValue {
    pub(super) origin: MlirOrigin,
    /// Its type; empty if it is not known.
    pub(super) type_text: Vec<u8>,
    /// Whether it is the step of a loop, which is never zero.
    pub(super) is_step: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MlirOrigin {
    /// The only result of an operation.
    Result(usize),
    /// One of several results.
    OneOfResults(usize),
    /// A parameter of a function.
    Function(usize, usize),
    /// A parameter of a block.
    Block(usize, usize),
}

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
        reader.module.find_steps();
        let has_values = !reader.module.values.is_empty() || !reader.module.symbols.is_empty();
        has_values.then_some(reader.module)
    }

    pub(super) fn text(&self, word: usize) -> &[u8] {
        &self.bytes[self.words[word].bytes.clone()]
    }

    pub(super) fn is(&self, word: usize, text: &str) -> bool {
        word < self.words.len() && self.text(word) == text.as_bytes()
    }

    pub(super) fn sort(&self, word: usize) -> MlirSort {
        (self.words.get(word)).map_or(MlirSort::Other, |word| word.sort)
    }

    /// Returns the word after a word and, if that is a bracket, after what it encloses.
    pub(super) fn after(&self, word: usize) -> usize {
        match self.sort(word) {
            MlirSort::Open => self.words[word].partner + 1,
            _ => word + 1,
        }
    }

    /// Divides words at commas outside of brackets.
    pub(super) fn list(&self, words: Range<usize>) -> Vec<Range<usize>> {
        let mut elements = Vec::new();
        let (mut start, mut at) = (words.start, words.start);
        while at < words.end {
            if self.sort(at) == MlirSort::Comma {
                elements.push(start..at);
                start = at + 1;
            }
            at = self.after(at);
        }
        if start < words.end {
            elements.push(start..words.end);
        }
        elements
    }

    /// Returns the first word with a text outside of brackets.
    pub(super) fn find(&self, words: Range<usize>, text: &str) -> Option<usize> {
        let mut at = words.start;
        while at < words.end {
            if self.is(at, text) {
                return Some(at);
            }
            at = self.after(at);
        }
        None
    }

    /// Returns the name of an operation, without the quotes of the generic form.
    pub(super) fn name(&self, operation: usize) -> &[u8] {
        unquoted(self.text(self.operations[operation].name))
    }

    /// Returns whether an operation is written in generic form, with its name in quotes.
    pub(super) fn is_generic(&self, operation: usize) -> bool {
        self.text(self.operations[operation].name)[0] == b'"'
    }

    /// Returns whether an operation is a function.
    pub(super) fn is_function(&self, operation: usize) -> bool {
        let name = self.name(operation);
        name == b"func" || name.ends_with(b".func")
    }

    /// Returns whether a word is the name of an operation that defines the symbol after it, but for
    /// functions.
    fn is_named_definition(&self, name: usize) -> bool {
        let name = self.text(name).to_ascii_lowercase();
        let parts = [
            "module",
            "global",
            "metadata",
            "tbaa",
            "declare",
            "specconstant",
        ];
        parts.iter().any(|part| contains(&name, part.as_bytes()))
    }

    /// Returns the first symbol before any brackets.
    fn head_symbol(&self, words: Range<usize>) -> Option<usize> {
        let is_head = |word: &usize| self.sort(*word) != MlirSort::Open;
        let mut head = words.take_while(is_head);
        head.find(|&word| self.sort(word) == MlirSort::Symbol)
    }

    /// Returns the words of an operation without its regions.
    pub(super) fn own_words(&self, operation: usize) -> impl Iterator<Item = usize> + '_ {
        let of = &self.operations[operation];
        of.words.clone().filter(move |word| {
            let inside = |&region: &usize| {
                let words = &self.regions[region].words;
                words.start < *word && *word + 1 < words.end
            };
            !of.regions.iter().any(inside)
        })
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
            return parameters;
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

    fn parameters(&mut self, operation: usize, open: usize) {
        let parameters = self.between(open, |index| MlirOrigin::Function(operation, index));
        self.module.operations[operation].parameters = parameters;
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

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Parts of the names of operations that end a block.
const ENDS: [&str; 6] = [
    "return",
    "yield",
    "unreachable",
    "terminator",
    "resume",
    "invoke",
];

/// The same for the whole names, after the dialect, in small letters.
const WHOLE_ENDS: [&str; 10] = [
    "br",
    "cond_br",
    "branch",
    "branchconditional",
    "switch",
    "condition",
    "merge",
    "kill",
    "finalize",
    "rewrite",
];

/// Returns whether an operation of this name ends a block.
pub(crate) fn ends_block(name: &[u8]) -> bool {
    let name = unquoted(name).to_ascii_lowercase();
    let dot = name.iter().rposition(|&byte| byte == b'.');
    let last = dot.map_or(&name[..], |dot| &name[dot + 1..]);
    ENDS.iter().any(|part| contains(&name, part.as_bytes()))
        || WHOLE_ENDS.iter().any(|end| last == end.as_bytes())
}

/// Returns a name without the quotes around it.
fn unquoted(name: &[u8]) -> &[u8] {
    let inside = name.strip_prefix(b"\"").unwrap_or(name);
    inside.strip_suffix(b"\"").unwrap_or(inside)
}

impl MlirModule {
    /// Returns whether an operation ends a block by its name.
    pub(super) fn is_end(&self, operation: usize) -> bool {
        ends_block(self.name(operation))
    }

    /// Returns whether what is inside an operation may stand outside of it.
    pub(super) fn is_open(&self, operation: usize) -> bool {
        let of = &self.operations[operation];
        let is_known =
            |word: usize| self.sort(word) != MlirSort::Value || self.meanings.contains_key(&word);
        let name = self.name(operation);
        // What is inside a module of another dialect belongs there.
        let is_module = matches!(name, b"module" | b"builtin.module");
        (is_module || of.symbol.is_none() && !name.ends_with(b"module"))
            && self.own_words(operation).all(is_known)
    }

    /// Returns whether an operation is a function that may be declared without a body.
    pub(super) fn may_be_declared(&self, operation: usize) -> bool {
        let name = self.text(self.operations[operation].name);
        matches!(
            name,
            b"func" | b"func.func" | b"llvm.func" | b"builtin.func"
        )
    }

    /// Returns whether an operation belongs to the dialect of LLVM.
    pub(super) fn is_llvm(&self, operation: usize) -> bool {
        self.dialect(operation) == b"llvm"
    }

    /// Returns the dialect of an operation: its name up to the first dot.
    pub(super) fn dialect(&self, operation: usize) -> &[u8] {
        let name = self.name(operation);
        let dot = name.iter().position(|&byte| byte == b'.');
        dot.map_or(b"", |dot| &name[..dot])
    }

    /// Returns the name of the jump to a single block that takes the place of an operation; `None`
    /// if its targets stay as they are.
    pub(super) fn jump(&self, operation: usize) -> Option<&'static str> {
        match self.dialect(operation) {
            _ if self.is_generic(operation) => None,
            b"" => Some("br"),
            b"cf" => Some("cf.br"),
            b"std" => Some("std.br"),
            b"llvm" => Some("llvm.br"),
            b"spirv" => Some("spirv.Branch"),
            _ => None,
        }
    }

    /// Returns whether the targets of an operation stay as they are.
    pub(super) fn has_fixed_targets(&self, operation: usize) -> bool {
        !self.operations[operation].targets.is_empty() && self.jump(operation).is_none()
    }

    /// Returns whether blocks of a region may go.
    pub(super) fn has_free_blocks(&self, region: usize) -> bool {
        let mut blocks = self.blocks[self.regions[region].blocks.clone()].iter();
        !blocks.any(|block| {
            let last = block.operations.last();
            last.is_some_and(|&last| self.has_fixed_targets(last))
        })
    }

    /// Returns whether the parameters of a function can be deleted: each mention is a call that
    /// lists the types of its arguments.
    pub(super) fn has_free_parameters(&self, operation: usize) -> bool {
        let of = &self.operations[operation];
        let Some(symbol) = of.symbol else {
            return false;
        };
        let name = self.text(symbol);
        let mut mentions = (0..self.words.len())
            .filter(|&word| self.sort(word) == MlirSort::Symbol && self.text(word) == name);
        !of.parameters.is_empty()
            && mentions.all(|word| word == symbol || self.argument_types(word).is_some())
    }

    /// Returns the brackets around the arguments of a call, and around their types.
    pub(super) fn argument_types(&self, symbol: usize) -> Option<(usize, usize)> {
        let open = symbol + 1;
        if !self.is(open, "(") {
            return None;
        }
        let close = self.words[open].partner;
        let mut colon = close + 1;
        if self.is(colon, "{") {
            colon = self.words[colon].partner + 1;
        }
        (self.is(colon, ":") && self.is(colon + 1, "(")).then_some((open, colon + 1))
    }

    /// Returns whether two values have the same type, as far as it is known.
    pub(super) fn same_type(&self, left: usize, right: usize) -> bool {
        let of = &self.values[left].type_text;
        !of.is_empty() && *of == self.values[right].type_text
    }

    /// Returns the text of some words, with the white space between them.
    pub(super) fn source(&self, words: Range<usize>) -> &[u8] {
        match words.is_empty() {
            true => b"",
            false => {
                let (first, last) = (&self.words[words.start], &self.words[words.end - 1]);
                &self.bytes[first.bytes.start..last.bytes.end]
            }
        }
    }

    /// Returns the opening brackets of the lists of elements of an operation, before its regions.
    pub(super) fn element_lists(&self, operation: usize) -> Vec<usize> {
        let of = &self.operations[operation];
        let first = of.regions.first();
        let end = first.map_or(of.words.end, |&region| self.regions[region].words.start);
        let is_list = |&word: &usize| {
            word >= 2 && self.is(word, "[") && self.is(word - 1, "<") && self.is(word - 2, "dense")
        };
        let lists = (of.words.start..end).filter(is_list);
        lists
            .filter(|&open| self.first_element(open).is_some())
            .collect()
    }

    /// Returns the first element of a list of lists.
    pub(super) fn first_element(&self, open: usize) -> Option<Range<usize>> {
        let start = (open..self.words[open].partner).find(|&word| !self.is(word, "["))?;
        let mut end = start;
        while !matches!(self.sort(end), MlirSort::Comma | MlirSort::Close) {
            end = self.after(end);
        }
        (end > start).then_some(start..end)
    }

    /// Finds the values that are steps of loops: `step %a`, `step (%a, %b)`.
    fn find_steps(&mut self) {
        for word in 0..self.words.len() {
            if !self.is(word, "step") {
                continue;
            }
            for inside in word + 1..self.after(word + 1) {
                if let Some(&value) = self.meanings.get(&inside) {
                    self.values[value].is_step = true;
                }
            }
        }
    }
}

/// Returns the end of the type that begins at a word.
fn type_end(module: &MlirModule, start: usize, limit: usize) -> usize {
    let mut at = start;
    while at < limit {
        let is_part = at == start
            || module.sort(at) == MlirSort::Open && !module.is(at, "{") && touches(module, at)
            || module.sort(at) == MlirSort::Other && touches(module, at);
        if !is_part {
            break;
        }
        at = module.after(at);
    }
    at.min(limit)
}

/// Returns whether there is no white space before a word.
fn touches(module: &MlirModule, word: usize) -> bool {
    word > 0 && module.words[word - 1].bytes.end == module.words[word].bytes.start
}

/// Operations whose result has the type of an element of what they read from.
const READS: [&str; 4] = [
    "memref.load",
    "affine.load",
    "tensor.extract",
    "memref.atomic_rmw",
];

/// Parts of the names of operations with a truth value as their result.
const COMPARISONS: [&str; 8] = [
    ".icmp",
    ".fcmp",
    ".cmpi",
    ".cmpf",
    "than",
    "thanequal",
    "iequal",
    "fordequal",
];

/// Operations whose result is an index.
const INDICES: [&str; 8] = [
    "memref.dim",
    "memref.rank",
    "tensor.dim",
    "tensor.rank",
    "affine.apply",
    "affine.min",
    "affine.max",
    "shape.num_elements",
];

/// Operations whose only type is not that of their result.
const OTHERS: [&str; 8] = [
    ".load",
    ".dim",
    ".rank",
    ".extract",
    ".transfer_read",
    ".extractvalue",
    ".compositeextract",
    ".accesschain",
];

/// Returns the type of the only result of an operation; empty if it is not known.
fn result_type(module: &MlirModule, operation: usize) -> Vec<u8> {
    let of = &module.operations[operation];
    let name = module.name(operation).to_ascii_lowercase();
    let ends_in = |text: &&str| name.ends_with(text.as_bytes());
    let (mut colon, mut arrow, mut to) = (None, None, None);
    let mut at = of.name;
    while at < of.words.end {
        match module.sort(at) {
            MlirSort::Colon => (colon, to) = (Some(at + 1), None),
            _ if module.is(at, "->") => arrow = Some(at + 1),
            _ if module.is(at, "to") || module.is(at, "into") => to = Some(at + 1),
            _ => {}
        }
        at = module.after(at);
    }
    let written = arrow.or(to.filter(|_| colon.is_some()));
    if written.is_none() {
        if COMPARISONS.iter().any(ends_in) {
            // Of vectors, the result is a vector.
            let is_vector = colon.is_some_and(|colon| module.is(colon, "vector"));
            return if is_vector {
                Vec::new()
            } else {
                b"i1".to_vec()
            };
        }
        if INDICES.iter().any(ends_in) {
            return b"index".to_vec();
        }
    }
    let Some(start) = written.or(colon).filter(|&start| start < of.words.end) else {
        return Vec::new();
    };
    if written.is_none() && READS.iter().any(ends_in) {
        return element_type(module, start);
    }
    if written.is_none() && name != b"spirv.load" && OTHERS.iter().any(ends_in) {
        return Vec::new();
    }
    if module.is(start, "(") {
        let inside = module.list(start + 1..module.words[start].partner);
        return match &inside[..] {
            [only] => module.source(only.clone()).to_vec(),
            _ => Vec::new(),
        };
    }
    let end = type_end(module, start, of.words.end);
    // Of several types, none is known to be that of the result.
    match written.is_none() && module.sort(end) == MlirSort::Comma {
        true => Vec::new(),
        false => module.source(start..end).to_vec(),
    }
}

/// Returns the type of the elements of `memref<4x?xf32>`, as far as it is a single word.
fn element_type(module: &MlirModule, start: usize) -> Vec<u8> {
    if module.sort(start + 1) != MlirSort::Open {
        return Vec::new();
    }
    let close = module.words[start + 1].partner;
    let parts = module.list(start + 2..close);
    let Some(part) = parts.first() else {
        return Vec::new();
    };
    let last = module.source(part.clone());
    let element = last.rsplit(|&byte| byte == b'x').next().unwrap_or(last);
    let is_plain = element.iter().all(u8::is_ascii_alphanumeric)
        && element.iter().any(u8::is_ascii_digit)
        || last.ends_with(b"index");
    match is_plain {
        true if last.ends_with(b"index") => b"index".to_vec(),
        true => element.to_vec(),
        false => Vec::new(),
    }
}
