//! The definitions of a module, with the blocks and instructions of functions.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use boildown_document::writable_module::{UnitToken, is_kept};

use super::words::{IrWord, WordSort, ends_block, words};

/// A module of LLVM IR.
#[derive(Debug)]
pub(crate) struct IrModule {
    pub(super) bytes: Arc<[u8]>,
    pub(super) words: Vec<IrWord>,
    pub(super) definitions: Vec<IrDefinition>,
    /// The definition of each name, with its sign: `@f`, `%T`, `!7`, `#0`, `$c`.
    pub(super) names: BTreeMap<Box<[u8]>, usize>,
    /// For each definition, those that go with it: aliases of it, lists that it is in, and metadata
    /// in its scope.
    pub(super) dependents: Vec<Vec<usize>>,
    /// Whether uses of a deleted value become zero, and not one of its operands or `poison`.
    pub(super) has_zeros: bool,
}

/// Something at the top level.
#[derive(Debug)]
pub(super) struct IrDefinition {
    pub(super) words: Range<usize>,
    pub(super) token: UnitToken,
    /// The token of the words that it can do without, such as `dso_local` and `align 8`.
    pub(super) optional: UnitToken,
    /// The token of each field of a node of debug information; `None` for one that is needed.
    pub(super) fields: Vec<UnitToken>,
    pub(super) sort: IrSort,
    /// The word of the name.
    pub(super) name: Option<usize>,
    /// Whether the name stands somewhere else too.
    pub(super) is_mentioned: bool,
}

#[derive(Debug)]
pub(super) enum IrSort {
    /// `%T = type …`.
    Type,
    /// A variable, with its initial value.
    Variable {
        init: Option<Range<usize>>,
        token: UnitToken,
    },
    /// `@a = alias …`.
    Alias,
    Declaration(Vec<IrParameter>),
    Function(IrFunction),
    /// `!7 = …`.
    Metadata,
    /// `!name = !{…}`.
    NamedMetadata,
    /// `attributes #0 = …`, `$c = comdat …`, `target …`.
    Other,
}

/// A parameter or its declaration.
#[derive(Debug)]
pub(super) struct IrParameter {
    pub(super) words: Range<usize>,
    pub(super) token: UnitToken,
}

/// A function with a body.
#[derive(Debug)]
pub(super) struct IrFunction {
    /// The opening bracket of the parameters, and the closing one.
    pub(super) brackets: Range<usize>,
    pub(super) parameters: Vec<IrParameter>,
    /// The token of all local names. Without them, values and blocks are numbered.
    pub(super) names: UnitToken,
    /// The word `{`.
    pub(super) body: usize,
    pub(super) token: UnitToken,
    pub(super) blocks: Vec<IrBlock>,
    /// What each local name means.
    pub(super) locals: BTreeMap<Box<[u8]>, IrLocal>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IrLocal {
    Parameter(usize),
    Block(usize),
    /// An instruction of a block.
    Value(usize, usize),
}

/// Operations that have a result and an effect.
const WITH_EFFECTS: [&str; 6] = ["call", "invoke", "callbr", "atomicrmw", "cmpxchg", "va_arg"];

/// Operations without a result, but for calls.
#[rustfmt::skip]
const NO_RESULT: [&str; 10] = [
    "store", "fence", "br", "switch", "indirectbr", "ret", "resume", "unreachable", "cleanupret",
    "catchret",
];

/// Returns the name of a value or block with this number.
fn numbered(number: usize) -> Box<[u8]> {
    format!("%{number}").into_bytes().into()
}

/// Returns the number that a name with its sign is, if it is one.
pub(in crate::llvm) fn number_of(name: &[u8]) -> Option<usize> {
    std::str::from_utf8(name.get(1..)?).ok()?.parse().ok()
}

/// A basic block.
#[derive(Debug)]
pub(super) struct IrBlock {
    /// The label and its colon; empty for a block without a label.
    pub(super) label: Range<usize>,
    /// The name with its sign: the label, or the number that a block without one has.
    pub(super) name: Box<[u8]>,
    pub(super) token: UnitToken,
    pub(super) instructions: Vec<IrInstruction>,
}

/// An instruction.
#[derive(Debug)]
pub(super) struct IrInstruction {
    pub(super) words: Range<usize>,
    pub(super) token: UnitToken,
    pub(super) has_result: bool,
    /// The number of the result, with its sign, if it stands nowhere: `load i8, ptr %p`.
    pub(super) unnamed: Option<Box<[u8]>>,
    /// The word of the operation, such as `add`.
    pub(super) operation: usize,
    pub(super) kind: IrKind,
    /// The name of the function that is called directly.
    pub(super) callee: Option<usize>,
    /// Whether the block needs it: it receives exceptions.
    pub(super) is_needed: bool,
    /// Whether it is an `invoke`: a call with a block for exceptions.
    pub(super) is_invoke: bool,
    /// The blocks that it may continue at: the word of the label, and the token of the edge.
    pub(super) targets: Vec<IrTarget>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum IrKind {
    Plain,
    /// The pairs of values and blocks.
    Phi(Vec<IrIncoming>),
    Branch,
    Switch,
    /// Another instruction that ends a block.
    End,
}

/// An incoming value of a phi.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IrIncoming {
    pub(super) value: Range<usize>,
    pub(super) block: usize,
}

/// An edge to a block.
#[derive(Debug)]
pub(super) struct IrTarget {
    pub(super) word: usize,
    pub(super) token: UnitToken,
}

impl IrModule {
    /// Returns where the type that ends before a word begins. `None` for a pointer to a function.
    pub(super) fn type_before(&self, end: usize) -> Option<usize> {
        let mut at = end.checked_sub(1)?;
        while self.is(at, "*") {
            at = at.checked_sub(1)?;
        }
        let open = match self.text(at) {
            b")" if self.is(at.checked_sub(3)?, "addrspace") => return self.type_before(at - 3),
            b")" => return None,
            b">" | b"]" | b"}" => at,
            _ => return Some(at),
        };
        let mut depth = 0;
        for word in (0..=open).rev() {
            match self.text(word) {
                b">" | b"]" | b"}" => depth += 1,
                b"<" | b"[" | b"{" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(word);
            }
        }
        None
    }

    /// Reads a module. `None` if brackets do not match.
    pub(crate) fn read(bytes: &Arc<[u8]>) -> Option<Self> {
        let mut module = Self {
            bytes: Arc::clone(bytes),
            words: words(bytes),
            definitions: Vec::new(),
            names: BTreeMap::new(),
            dependents: Vec::new(),
            has_zeros: false,
        };
        let mut at = 0;
        while at < module.words.len() {
            let end = module.unit_end(at, module.words.len());
            let definition = module.definition(at..end)?;
            at = definition.words.end.max(at + 1);
            if let Some(name) = definition.name {
                let name = module.text(name).into();
                module.names.entry(name).or_insert(module.definitions.len());
            }
            module.definitions.push(definition);
        }
        for word in 0..module.words.len() {
            if let Some(&index) = module.names.get(module.text(word))
                && module.definitions[index].name != Some(word)
            {
                module.definitions[index].is_mentioned = true;
            }
        }
        module.dependents = vec![Vec::new(); module.definitions.len()];
        let unit = module.only_compile_unit();
        for index in 0..module.definitions.len() {
            for needed in module.needs(index) {
                module.dependents[needed].push(index);
            }
            if let Some(unit) = unit
                && module.is_debug_version(&module.definitions[index])
            {
                module.dependents[unit].push(index);
            }
        }
        Some(module)
    }

    /// Returns which definitions are gone when these tokens are kept. Other names of a function go
    /// with its body.
    pub(super) fn gone(&self, kept: &[bool]) -> Vec<bool> {
        let mut gone: Vec<bool> = (self.definitions.iter())
            .map(|definition| !is_kept(definition.token, kept))
            .collect();
        for (index, definition) in self.definitions.iter().enumerate() {
            let has_body = match &definition.sort {
                IrSort::Function(function) => is_kept(function.token, kept),
                _ => true,
            };
            for &dependent in self.dependents[index].iter().filter(|_| !has_body) {
                let is_alias = matches!(self.definitions[dependent].sort, IrSort::Alias);
                gone[dependent] = gone[dependent] || is_alias;
            }
        }
        let mut waiting: Vec<usize> = (0..gone.len()).filter(|&index| gone[index]).collect();
        while let Some(index) = waiting.pop() {
            for &dependent in &self.dependents[index] {
                if !std::mem::replace(&mut gone[dependent], true) {
                    waiting.push(dependent);
                }
            }
        }
        gone
    }

    /// Returns the text of a word.
    pub(super) fn text(&self, word: usize) -> &[u8] {
        &self.bytes[self.words[word].bytes.clone()]
    }

    pub(super) fn is(&self, word: usize, text: &str) -> bool {
        word < self.words.len() && self.text(word) == text.as_bytes()
    }

    pub(super) fn sort(&self, word: usize) -> WordSort {
        self.words
            .get(word)
            .map_or(WordSort::Other, |word| word.sort)
    }

    /// Returns whether a definition is the list of what the linker keeps, whatever refers to it.
    pub(super) fn lists_used_globals(&self, definition: &IrDefinition) -> bool {
        let names = ["@llvm.used", "@llvm.compiler.used"];
        (definition.name).is_some_and(|name| names.iter().any(|list| self.is(name, list)))
    }

    /// Returns whether a local name is that of a type, which may be a number, as that of a value:
    /// it stands after an operation that takes a type, or before what has the type.
    pub(super) fn is_type(&self, word: usize) -> bool {
        let before = |texts: &[&str]| word > 0 && texts.iter().any(|text| self.is(word - 1, text));
        let is_operand = |word: usize| match self.sort(word) {
            _ if self.words.get(word).is_none_or(|word| word.begins_line) => false,
            WordSort::Local | WordSort::Global => true,
            WordSort::Open => !self.is(word, "("),
            _ => ["*", "undef", "poison", "zeroinitializer"]
                .iter()
                .any(|text| self.is(word, text)),
        };
        let is_type = is_operand(word + 1)
            || before(&["alloca", "load", "getelementptr", "inbounds", "x"])
            || before(&["("]) && word > 1 && self.is_type_list(word - 2);
        let index = self.names.get(self.text(word)).filter(|_| is_type);
        index.is_some_and(|&index| matches!(self.definitions[index].sort, IrSort::Type))
    }

    /// Returns whether an attribute of a parameter is followed by a type in brackets.
    fn is_type_list(&self, word: usize) -> bool {
        [
            "byval",
            "byref",
            "sret",
            "inalloca",
            "preallocated",
            "elementtype",
        ]
        .iter()
        .any(|text| self.is(word, text))
    }

    /// Returns the end of the unit that begins at a word: the next line outside of brackets.
    fn unit_end(&self, start: usize, end: usize) -> usize {
        let mut depth = 0_usize;
        for word in start..end {
            let begins = word > start && self.words[word].begins_line && depth == 0;
            if begins && !self.continues(word) {
                return word;
            }
            match self.sort(word) {
                WordSort::Open => depth += 1,
                WordSort::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            if word == start && self.sort(word) == WordSort::Label {
                // The label alone, with its colon.
                return (word + 2).min(end);
            }
        }
        end
    }

    /// Returns whether a line continues the instruction before it.
    fn continues(&self, word: usize) -> bool {
        ["to", "unwind", "cleanup", "catch", "filter"]
            .iter()
            .any(|text| self.is(word, text))
            && self.sort(word) != WordSort::Label
            && !self.is(word + 1, "=")
    }

    fn definition(&self, unit: Range<usize>) -> Option<IrDefinition> {
        let start = unit.start;
        let named = self.is(start + 1, "=").then_some(start);
        let sort = match self.sort(start) {
            WordSort::Local => IrSort::Type,
            WordSort::Global => self.variable(unit.clone()),
            WordSort::Metadata => match self.text(start).get(1) {
                Some(byte) if byte.is_ascii_digit() => IrSort::Metadata,
                _ => IrSort::NamedMetadata,
            },
            _ if self.is(start, "define") => return self.function(unit),
            _ if self.is(start, "declare") => {
                let name = unit
                    .clone()
                    .find(|&word| self.sort(word) == WordSort::Global);
                let parameters = name.map_or(Vec::new(), |name| self.parameters(name + 1));
                return Some(IrDefinition::new(
                    unit,
                    IrSort::Declaration(parameters),
                    name,
                ));
            }
            _ if self.is(start, "attributes") => {
                return Some(IrDefinition::new(unit, IrSort::Other, Some(start + 1)));
            }
            _ => IrSort::Other,
        };
        Some(IrDefinition::new(unit, sort, named))
    }

    fn variable(&self, unit: Range<usize>) -> IrSort {
        let mut words = unit.clone();
        let sort = words.find(|&word| {
            ["global", "constant", "alias", "ifunc"]
                .iter()
                .any(|text| self.is(word, text))
        });
        let Some(sort) = sort else {
            return IrSort::Other;
        };
        if self.is(sort, "alias") || self.is(sort, "ifunc") {
            return IrSort::Alias;
        }
        let start = self.type_end(sort + 1, unit.end);
        let end = self.operand_end(start, unit.end);
        IrSort::Variable {
            init: (start < end && !self.is(start, "zeroinitializer")).then_some(start..end),
            token: None,
        }
    }

    /// Returns the end of the type that begins at a word.
    fn type_end(&self, start: usize, end: usize) -> usize {
        let mut at = match self.sort(start) {
            WordSort::Open => self.closing(start, end) + 1,
            _ => start + 1,
        };
        while at < end {
            if self.is(at, "addrspace") {
                at = self.closing(at + 1, end) + 1;
            } else if self.is(at, "*") {
                at += 1;
            } else if self.is(at, "(") {
                at = self.closing(at, end) + 1;
            } else {
                break;
            }
        }
        at.min(end)
    }

    /// Returns the end of an operand: the next comma outside of brackets.
    fn operand_end(&self, start: usize, end: usize) -> usize {
        let mut at = start;
        while at < end && self.sort(at) != WordSort::Comma {
            at = match self.sort(at) {
                WordSort::Open => self.closing(at, end) + 1,
                WordSort::Close => return at,
                _ => at + 1,
            };
        }
        at.min(end)
    }

    /// Returns the bracket that closes one; the last word if none does. A word that is no bracket
    /// is closed by itself.
    pub(super) fn closing(&self, open: usize, end: usize) -> usize {
        let partner = self.words.get(open).map_or(open, |word| word.partner);
        partner.max(open).min(end.saturating_sub(1))
    }

    /// Returns whether single parameters of a function can be deleted. Calls of functions with
    /// variable arguments repeat the type, and the types of intrinsics are known to the tools.
    pub(super) fn has_free_parameters(&self, name: usize, parameters: &[IrParameter]) -> bool {
        let is_variable =
            |one: &IrParameter| one.words.is_empty() || self.is(one.words.start, "...");
        !self.text(name).starts_with(b"@llvm.") && !parameters.iter().any(is_variable)
    }

    /// Divides what is between brackets at commas.
    pub(super) fn list(&self, open: usize) -> Vec<Range<usize>> {
        if self.sort(open) != WordSort::Open {
            return Vec::new();
        }
        let close = self.closing(open, self.words.len());
        let mut elements = Vec::new();
        let mut start = open + 1;
        while start < close {
            let end = self.operand_end(start, close);
            elements.push(start..end);
            start = end + 1;
        }
        elements
    }

    fn parameters(&self, open: usize) -> Vec<IrParameter> {
        let parameters = self.list(open).into_iter();
        let parameters = parameters.map(|words| IrParameter { words, token: None });
        parameters.collect()
    }

    fn function(&self, unit: Range<usize>) -> Option<IrDefinition> {
        let mut words = unit.clone();
        let name = words.find(|&word| self.sort(word) == WordSort::Global)?;
        let close = self.closing(name + 1, unit.end);
        let body = (close..unit.end).find(|&word| self.is(word, "{"))?;
        let end = self.closing(body, unit.end);
        let mut function = IrFunction {
            brackets: name + 1..close,
            parameters: self.parameters(name + 1),
            names: None,
            body,
            token: None,
            blocks: Vec::new(),
            locals: BTreeMap::new(),
        };
        for (index, parameter) in function.parameters.iter().enumerate() {
            let last = parameter.words.end.saturating_sub(1);
            if self.sort(last) == WordSort::Local {
                let local = IrLocal::Parameter(index);
                function.locals.insert(self.text(last).into(), local);
            }
        }
        self.blocks(&mut function, body + 1..end);
        Some(IrDefinition::new(
            unit.start..end + 1,
            IrSort::Function(function),
            Some(name),
        ))
    }

    fn blocks(&self, function: &mut IrFunction, inside: Range<usize>) {
        // The number that the next value or block without a name has.
        let mut next = self.numbered_parameters(function);
        let mut at = inside.start;
        while at < inside.end {
            let end = self.unit_end(at, inside.end);
            if self.sort(at) == WordSort::Label {
                let name = [b"%", self.text(at)].concat();
                next = number_of(&name).map_or(next, |number| number + 1);
                function.begin_block(at..end, name.into());
            } else {
                let last = function.blocks.last();
                if last.is_none_or(IrBlock::is_over) {
                    function.begin_block(at..at, numbered(next));
                    next += 1;
                }
                let mut instruction = self.instruction(at..end);
                let index = function.blocks.len() - 1;
                let block = &mut function.blocks[index];
                let value = IrLocal::Value(index, block.instructions.len());
                if instruction.has_result {
                    let name = self.text(at);
                    next = number_of(name).map_or(next, |number| number + 1);
                    function.locals.insert(name.into(), value);
                } else if self.yields_value(&instruction) {
                    let name = numbered(next);
                    next += 1;
                    function.locals.insert(name.clone(), value);
                    instruction.unnamed = Some(name);
                }
                block.instructions.push(instruction);
            }
            at = end;
        }
    }

    /// Returns the instructions of a function that have no effect but their value, which nothing
    /// uses.
    pub(super) fn idle_values<'a>(&'a self, function: &'a IrFunction) -> Vec<&'a IrInstruction> {
        let instructions = || function.blocks.iter().flat_map(|block| &block.instructions);
        let mut used = BTreeSet::new();
        for instruction in instructions() {
            let operands = instruction.operation..instruction.words.end;
            let locals = operands.filter(|&word| self.sort(word) == WordSort::Local);
            used.extend(locals.map(|word| self.text(word)));
        }
        let is_idle = |instruction: &&IrInstruction| {
            let name = match instruction.has_result {
                true => Some(self.text(instruction.words.start)),
                false => instruction.unnamed.as_deref(),
            };
            let has_effect = |name| self.is(instruction.operation, name);
            name.is_some_and(|name| !used.contains(name))
                && matches!(instruction.kind, IrKind::Plain | IrKind::Phi(_))
                && !instruction.is_needed
                && !WITH_EFFECTS.into_iter().any(has_effect)
        };
        instructions().filter(is_idle).collect()
    }

    /// Returns whether an instruction without a name has a result. The numbers of the values after
    /// it count it.
    fn yields_value(&self, instruction: &IrInstruction) -> bool {
        let operation = instruction.operation;
        let is_word = self.sort(operation) == WordSort::Other
            && self.text(operation)[0].is_ascii_alphabetic();
        let rest = operation + 1..instruction.words.end;
        let is_type = |word: &usize| {
            let sort = self.sort(*word);
            !matches!(sort, WordSort::Open | WordSort::Global | WordSort::Local)
        };
        let is_void = || rest.take_while(is_type).any(|word| self.is(word, "void"));
        match self.text(operation) {
            b"call" | b"invoke" | b"callbr" => !is_void(),
            _ => is_word && !NO_RESULT.iter().any(|name| self.is(operation, name)),
        }
    }

    /// Returns the number of parameters that have a number.
    fn numbered_parameters(&self, function: &IrFunction) -> usize {
        let has_number = |parameter: &&IrParameter| {
            let name = self.text(parameter.words.end.saturating_sub(1));
            let is_number = name.iter().skip(1).all(u8::is_ascii_digit);
            let has_name = function.locals.contains_key(name) && !is_number;
            !has_name && !self.is(parameter.words.start, "...")
        };
        function.parameters.iter().filter(has_number).count()
    }

    fn instruction(&self, words: Range<usize>) -> IrInstruction {
        let has_result = self.sort(words.start) == WordSort::Local && self.is(words.start + 1, "=");
        let first = words.start + if has_result { 2 } else { 0 };
        let is_prefix = |&word: &usize| {
            ["tail", "musttail", "notail"]
                .iter()
                .any(|text| self.is(word, text))
        };
        let operation = (first..words.end)
            .find(|word| !is_prefix(word))
            .unwrap_or(first);
        let mut targets: Vec<IrTarget> = Vec::new();
        for word in operation..words.end {
            if self.is(word, "label") && self.sort(word + 1) == WordSort::Local {
                let word = word + 1;
                targets.push(IrTarget { word, token: None });
            }
        }
        let mut names = operation..words.end;
        let is_call = ["call", "invoke", "callbr"]
            .iter()
            .any(|text| self.is(operation, text));
        let callee = names
            .find(|&word| is_call && self.sort(word) == WordSort::Global && self.is(word + 1, "("));
        let kind = match self.text(operation.min(self.words.len() - 1)) {
            b"phi" => IrKind::Phi(self.incoming(operation, words.end)),
            b"br" => IrKind::Branch,
            b"switch" => IrKind::Switch,
            operation if ends_block(operation) => IrKind::End,
            _ => IrKind::Plain,
        };
        if matches!(kind, IrKind::Phi(_) | IrKind::Plain) {
            targets.clear();
        }
        IrInstruction {
            words,
            token: None,
            has_result,
            unnamed: None,
            operation,
            kind,
            callee,
            is_needed: ["landingpad", "cleanuppad", "catchpad"]
                .iter()
                .any(|text| self.is(operation, text)),
            is_invoke: self.is(operation, "invoke") && targets.len() == 2,
            targets,
        }
    }

    fn incoming(&self, phi: usize, end: usize) -> Vec<IrIncoming> {
        let mut incoming = Vec::new();
        let mut at = self.type_end(phi + 1, end);
        while self.is(at, "[") && at < end {
            let parts = self.list(at);
            if let [value, block] = &parts[..] {
                let (value, block) = (value.clone(), block.start);
                incoming.push(IrIncoming { value, block });
            }
            at = self.closing(at, end) + 1;
            if self.sort(at) == WordSort::Comma {
                at += 1;
            }
        }
        incoming
    }
}

impl IrDefinition {
    fn new(words: Range<usize>, sort: IrSort, name: Option<usize>) -> Self {
        Self {
            words,
            token: None,
            optional: None,
            fields: Vec::new(),
            sort,
            name,
            is_mentioned: false,
        }
    }
}

impl IrFunction {
    /// Returns whether there is a local name that is no number.
    pub(super) fn has_names(&self) -> bool {
        self.locals.keys().any(|name| number_of(name).is_none())
    }

    fn begin_block(&mut self, label: Range<usize>, name: Box<[u8]>) {
        let block = IrLocal::Block(self.blocks.len());
        self.locals.insert(name.clone(), block);
        self.blocks.push(IrBlock {
            label,
            name,
            token: None,
            instructions: Vec::new(),
        });
    }
}

impl IrBlock {
    /// Returns whether nothing follows in the block: what comes next without a label is a block
    /// of its own.
    fn is_over(&self) -> bool {
        self.instructions
            .last()
            .is_some_and(IrInstruction::ends_block)
    }
}

impl IrInstruction {
    /// Returns whether nothing follows it in its block.
    pub(super) fn ends_block(&self) -> bool {
        matches!(self.kind, IrKind::Branch | IrKind::Switch | IrKind::End)
    }
}
