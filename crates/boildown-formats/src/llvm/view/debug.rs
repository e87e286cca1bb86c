//! The metadata of a module, mostly debug information, and what it cannot do without.

use std::ops::Range;

use super::module::{IrDefinition, IrInstruction, IrModule, IrSort};
use super::words::WordSort;

/// How many scopes of debug information are followed to the one around them.
const DEEPEST_SCOPE: usize = 100;

/// Operations whose calls describe a variable: without it, or without a place in the source, a
/// verifier drops all debug information.
const DESCRIPTION: &[u8] = b"@llvm.dbg.";

/// Fields whose metadata a node cannot do without, and the nodes. Others may be `null`.
const NEEDED_MENTIONS: [(&str, &[&str]); 6] = [
    (
        "scope",
        &[
            "!DILocation",
            "!DILocalVariable",
            "!DILabel",
            "!DILexicalBlock",
            "!DILexicalBlockFile",
        ],
    ),
    ("file", &["!DICompileUnit", "!DISubprogram", "!DILabel"]),
    ("unit", &["!DISubprogram"]),
    ("inlinedAt", &["!DILocation"]),
    ("var", &["!DIGlobalVariableExpression"]),
    ("type", &["!DIGlobalVariable"]),
];

impl IrModule {
    /// Returns the only unit of debug information. The version of debug information goes with it.
    pub(super) fn only_compile_unit(&self) -> Option<usize> {
        let units = 0..self.definitions.len();
        let mut units = units.filter(|&index| self.is_node(index, &["!DICompileUnit"]));
        let unit = units.next()?;
        units.next().is_none().then_some(unit)
    }

    /// Returns whether a definition says which version of debug information the module has. Without
    /// it, tools ignore all of that.
    pub(super) fn is_debug_version(&self, definition: &IrDefinition) -> bool {
        let mut words = definition.words.clone();
        matches!(definition.sort, IrSort::Metadata)
            && words.any(|word| self.is(word, "!\"Debug Info Version\""))
    }

    /// Returns the word that says what a node of metadata is: `!DIFile`, or `!` of a list.
    fn node_word(&self, definition: &IrDefinition) -> usize {
        let start = definition.words.start + 2;
        start + usize::from(self.is(start, "distinct"))
    }

    /// Returns whether a definition is a node of debug information of one of these kinds.
    pub(super) fn is_node(&self, index: usize, names: &[&str]) -> bool {
        let definition = &self.definitions[index];
        let word = self.node_word(definition);
        matches!(definition.sort, IrSort::Metadata)
            && word < definition.words.end
            && names.iter().any(|name| self.is(word, name))
    }

    /// Returns what a node of debug information is: `!DIFile`.
    pub(super) fn debug_node(&self, definition: &IrDefinition) -> Option<&[u8]> {
        let word = self.node_word(definition);
        let is_node = matches!(definition.sort, IrSort::Metadata) && word < definition.words.end;
        let name = is_node.then(|| self.text(word))?;
        name.starts_with(b"!DI").then_some(name)
    }

    /// Returns the opening bracket of a list of other metadata and its elements. Such a list can do
    /// without any of them. `None` for other definitions.
    pub(super) fn plain_list(
        &self,
        definition: &IrDefinition,
    ) -> Option<(usize, Vec<Range<usize>>)> {
        let start = definition.words.start + 2;
        if !matches!(definition.sort, IrSort::Metadata)
            || !self.is(start, "!")
            || !self.is(start + 1, "{")
        {
            return None;
        }
        let elements = self.list(start + 1);
        let is_plain = |element: &Range<usize>| {
            let is_mention = self.sort(element.start) == WordSort::Metadata;
            element.len() == 1 && (is_mention || self.is(element.start, "null"))
        };
        elements
            .iter()
            .all(is_plain)
            .then_some((start + 1, elements))
    }

    /// Returns the definitions that one cannot do without: what an alias names, the elements of a
    /// list of values, and some fields of debug information.
    pub(super) fn needs(&self, index: usize) -> Vec<usize> {
        let definition = &self.definitions[index];
        let is_needed = |word: &usize| match definition.sort {
            IrSort::Alias => self.sort(*word) == WordSort::Global,
            IrSort::Metadata => {
                let node = self.node_word(definition);
                let is_field = |(label, nodes): &(&str, &[&str])| {
                    self.is(*word - 2, label) && nodes.iter().any(|name| self.is(node, name))
                };
                let is_mention = self.sort(*word) == WordSort::Metadata;
                is_mention && (self.is(node, "!") || NEEDED_MENTIONS.iter().any(is_field))
            }
            _ => false,
        };
        if self.plain_list(definition).is_some() {
            return Vec::new();
        }
        let words = definition.words.clone().skip(2).filter(is_needed);
        let needed = words.filter_map(|word| {
            let needed = *self.names.get(self.text(word))?;
            match self.is(word - 2, "scope") {
                true => Some(self.outer_scope(needed, |_| false)),
                false => Some(needed),
            }
        });
        needed.collect()
    }

    /// Returns a scope, or the one around it if it is a block that is not there.
    pub(super) fn outer_scope(&self, scope: usize, is_there: impl Fn(usize) -> bool) -> usize {
        let mut scope = scope;
        for _ in 0..DEEPEST_SCOPE {
            let is_block = self.is_node(scope, &["!DILexicalBlock", "!DILexicalBlockFile"]);
            match self.scope(scope).filter(|_| is_block && !is_there(scope)) {
                Some(outer) => scope = outer,
                None => break,
            }
        }
        scope
    }

    /// Returns the function that a node of debug information belongs to.
    fn subprogram(&self, index: usize) -> Option<usize> {
        let scope = self.outer_scope(self.scope(index)?, |_| false);
        self.is_node(scope, &["!DISubprogram"]).then_some(scope)
    }

    /// Returns the value of the field `scope`.
    fn scope(&self, index: usize) -> Option<usize> {
        let mut words = self.definitions[index].words.clone().skip(2);
        let word = words.find(|&word| self.is(word, "scope") && self.is(word + 1, ":"))? + 2;
        self.names.get(self.text(word)).copied()
    }

    /// Returns the debug information that is attached to a function between two words.
    pub(super) fn attached(&self, words: Range<usize>) -> Option<usize> {
        let mut words = words;
        let word = words.find(|&word| self.is(word, "!dbg"))?;
        self.names.get(self.text(word + 1)).copied()
    }

    /// Returns whether an instruction describes a variable.
    pub(super) fn is_description(&self, one: &IrInstruction) -> bool {
        one.callee
            .is_some_and(|callee| self.text(callee).starts_with(DESCRIPTION))
    }

    /// Returns the metadata that an instruction describes.
    pub(super) fn described(&self, one: &IrInstruction) -> impl Iterator<Item = usize> {
        let words = one.words.clone();
        let mentions = words.filter(|&word| self.is(word - 1, "metadata"));
        mentions.filter_map(|word| self.names.get(self.text(word)).copied())
    }

    /// Returns whether a description belongs to a function, from the debug information of that.
    pub(super) fn is_described_in(&self, one: &IrInstruction, subprogram: usize) -> bool {
        let mut described = self.described(one);
        described.all(|index| self.subprogram(index).is_none_or(|of| of == subprogram))
    }

    /// Returns the number that metadata of a function has which is not in the input.
    pub(super) fn new_number(&self, subprogram: usize) -> usize {
        let numbers = self.names.keys().filter(|name| name[0] == b'!');
        let last = numbers.filter_map(|name| super::module::number_of(name));
        last.max().map_or(0, |last| last + 1) + subprogram
    }
}
