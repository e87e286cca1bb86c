//! The operations of a module, with their regions and blocks.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use boildown_document::writable_module::UnitToken;

use super::words::{MlirSort, MlirWord};

/// A module of MLIR. Operations, regions and blocks are numbered from the outside to the inside,
/// and from the first to the last.
#[derive(Debug)]
pub(crate) struct MlirModule {
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
    /// Of a function: the arrow and the types of its results.
    pub(super) results: Range<usize>,
    /// The token of the results.
    pub(super) results_token: UnitToken,
    /// The tokens of single results, where nothing calls the function.
    pub(super) result_tokens: Vec<UnitToken>,
    /// The function that it calls.
    pub(super) callee: Option<usize>,
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

impl MlirModule {
    pub(super) fn text(&self, word: usize) -> &[u8] {
        &self.bytes[self.words[word].bytes.clone()]
    }

    /// Returns what stands between a word and the one before it.
    pub(super) fn gap(&self, word: usize) -> &[u8] {
        let start = word
            .checked_sub(1)
            .map_or(0, |before| self.words[before].bytes.end);
        &self.bytes[start..self.words[word].bytes.start]
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
    pub(super) fn is_named_definition(&self, name: usize) -> bool {
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
    pub(super) fn head_symbol(&self, words: Range<usize>) -> Option<usize> {
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

pub(super) fn contains(text: &[u8], part: &[u8]) -> bool {
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
#[rustfmt::skip]
const WHOLE_ENDS: [&str; 10] = [
    "br", "cond_br", "branch", "branchconditional", "switch", "condition", "merge", "kill",
    "finalize", "rewrite",
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
pub(super) fn unquoted(name: &[u8]) -> &[u8] {
    let inside = name.strip_prefix(b"\"").unwrap_or(name);
    inside.strip_suffix(b"\"").unwrap_or(inside)
}

impl MlirModule {
    /// Returns whether an operation ends a block by its name.
    pub(super) fn is_end(&self, operation: usize) -> bool {
        ends_block(self.name(operation))
    }

    /// Returns whether an operation ends a block that ends in the same way without it.
    pub(super) fn may_be_implicit(&self, operation: usize) -> bool {
        let of = &self.operations[operation];
        matches!(self.text(of.name), b"scf.yield" | b"affine.yield") && of.words.len() == 1
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
        !of.parameters.is_empty()
            && (self.mentions(symbol)).all(|word| self.argument_types(word).is_some())
    }

    /// Returns whether a function can have more parameters: it has a body and a list of parameters
    /// that was read, and nothing mentions it.
    pub(super) fn takes_parameters(&self, operation: usize) -> bool {
        let of = &self.operations[operation];
        let Some(symbol) = of.symbol.filter(|&symbol| self.is(symbol + 1, "(")) else {
            return false;
        };
        let close = self.words[symbol + 1].partner;
        let is_known = self.may_be_declared(operation) || self.is(of.name, "spirv.func");
        is_known
            && !of.regions.is_empty()
            && of.parameters.len() == self.list(symbol + 2..close).len()
            && self.mentions(symbol).next().is_none()
    }

    /// Returns the other words that are this symbol.
    fn mentions(&self, symbol: usize) -> impl Iterator<Item = usize> + '_ {
        let name = self.text(symbol);
        let is_mention = move |&word: &usize| {
            word != symbol && self.sort(word) == MlirSort::Symbol && self.text(word) == name
        };
        (0..self.words.len()).filter(is_mention)
    }

    /// Returns whether a function can return nothing: each mention is a call that lists the types
    /// of its results.
    pub(super) fn has_free_results(&self, operation: usize) -> bool {
        let of = &self.operations[operation];
        let Some(symbol) = of.symbol.filter(|_| !of.results.is_empty()) else {
            return false;
        };
        self.may_be_declared(operation)
            && (self.mentions(symbol)).all(|word| self.called_results(word).is_some())
    }

    /// Returns the types of the results of a function, if there are several and nothing mentions
    /// the function, so that single ones can go.
    pub(super) fn single_results(&self, operation: usize) -> Vec<Range<usize>> {
        let of = &self.operations[operation];
        let open = of.results.start + 1;
        let Some(symbol) = of
            .symbol
            .filter(|_| of.results.len() > 1 && self.is(open, "("))
        else {
            return Vec::new();
        };
        let is_mentioned = self.mentions(symbol).next().is_some();
        let types = self.list(open + 1..self.words[open].partner);
        let mut ends = (0..self.operations.len())
            .filter(|&end| self.operations[end].function == Some(operation) && self.is_return(end));
        let is_plain = |end: usize| self.returned(end).is_some_and(|of| of.len() == types.len());
        match types.len() > 1 && !is_mentioned && ends.all(is_plain) {
            true => types,
            false => Vec::new(),
        }
    }

    /// Returns the values that a return lists, each with its type.
    pub(super) fn returned(&self, operation: usize) -> Option<Vec<(Range<usize>, Range<usize>)>> {
        let of = &self.operations[operation];
        let colon = self.find(of.name + 1..of.words.end, ":")?;
        let values = self.list(of.name + 1..colon);
        let types = self.list(colon + 1..of.words.end);
        (values.len() == types.len()).then(|| values.into_iter().zip(types).collect())
    }

    /// Returns the arrow before the types of the results of a call.
    pub(super) fn called_results(&self, symbol: usize) -> Option<usize> {
        let (_, types) = self.argument_types(symbol)?;
        let arrow = self.after(types);
        self.is(arrow, "->").then_some(arrow)
    }

    /// Returns whether an operation ends a function and lists its results.
    pub(super) fn is_return(&self, operation: usize) -> bool {
        matches!(
            self.name(operation),
            b"return" | b"func.return" | b"std.return" | b"llvm.return"
        ) && !self.is_generic(operation)
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
    pub(super) fn find_steps(&mut self) {
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
