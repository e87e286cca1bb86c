//! The statements of a design, and what they are inside of.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use boildown_document::writable_module::UnitToken;

use super::words::lines;

/// The position of a statement in the design.
pub(super) type StatementIndex = usize;

/// A design in RTLIL.
#[derive(Debug)]
pub(crate) struct RtlilDesign {
    pub(super) bytes: Arc<[u8]>,
    pub(super) words: Vec<Range<usize>>,
    pub(super) statements: Vec<RtlilStatement>,
    /// The modules by name.
    pub(super) modules: BTreeMap<Box<[u8]>, StatementIndex>,
    /// The wires by module and name.
    pub(super) wires: BTreeMap<(StatementIndex, Box<[u8]>), StatementIndex>,
    /// By the name of an attribute: the token that stands for all attributes of that name.
    pub(super) attributes: BTreeMap<Box<[u8]>, UnitToken>,
    /// The token that stands for the long form of all names that yosys made.
    pub(super) names: UnitToken,
}

/// A line.
#[derive(Debug)]
pub(super) struct RtlilStatement {
    pub(super) words: Range<usize>,
    pub(super) sort: RtlilSort,
    /// The statement that it is inside of.
    pub(super) parent: Option<StatementIndex>,
    /// After its last statement: `end`, if it begins a block.
    pub(super) end: StatementIndex,
    pub(super) token: UnitToken,
    pub(super) wire: Option<RtlilWire>,
}

#[derive(Debug)]
pub(super) struct RtlilWire {
    pub(super) width: usize,
    pub(super) options: Vec<RtlilOption>,
}

/// What a wire may do without: to be a port, a sign, an offset.
#[derive(Debug)]
pub(super) struct RtlilOption {
    pub(super) words: Range<usize>,
    pub(super) is_port: bool,
    pub(super) token: UnitToken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RtlilSort {
    Attribute,
    Module,
    Parameter,
    Wire,
    Memory,
    Cell,
    Process,
    Switch,
    Case,
    Sync,
    /// `assign` in a process.
    Assign,
    Update,
    MemoryWrite,
    /// `connect`, of two signals in a module, or of a port in a cell.
    Connect,
    End,
    /// `autoidx`.
    Other,
}

impl RtlilSort {
    fn of(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"attribute" => Self::Attribute,
            b"module" => Self::Module,
            b"parameter" => Self::Parameter,
            b"wire" => Self::Wire,
            b"memory" => Self::Memory,
            b"cell" => Self::Cell,
            b"process" => Self::Process,
            b"switch" => Self::Switch,
            b"case" => Self::Case,
            b"sync" => Self::Sync,
            b"assign" => Self::Assign,
            b"update" => Self::Update,
            b"memwr" => Self::MemoryWrite,
            b"connect" => Self::Connect,
            b"end" => Self::End,
            b"autoidx" => Self::Other,
            _ => return None,
        })
    }

    /// The number of words that it has at least.
    fn least_words(self) -> usize {
        match self {
            Self::End | Self::Case => 1,
            Self::Module | Self::Wire | Self::Memory | Self::Process | Self::Switch => 2,
            Self::Parameter | Self::Sync | Self::Other => 2,
            Self::Attribute | Self::Cell | Self::Assign | Self::Update | Self::Connect => 3,
            Self::MemoryWrite => 5,
        }
    }

    /// Returns whether `end` ends it.
    fn is_block(self) -> bool {
        matches!(
            self,
            Self::Module | Self::Cell | Self::Process | Self::Switch
        )
    }

    /// Returns whether it ends where a statement of another sort begins.
    fn ends_at(self, next: Self) -> bool {
        match self {
            Self::Case => matches!(next, Self::Case | Self::End),
            Self::Sync => matches!(next, Self::Sync | Self::End),
            _ => false,
        }
    }

    fn may_contain(self, inner: Self) -> bool {
        match self {
            Self::Module => matches!(
                inner,
                Self::Parameter
                    | Self::Wire
                    | Self::Memory
                    | Self::Cell
                    | Self::Process
                    | Self::Connect
            ),
            Self::Cell => matches!(inner, Self::Parameter | Self::Connect),
            Self::Process => matches!(inner, Self::Switch | Self::Assign | Self::Sync),
            Self::Switch => inner == Self::Case,
            Self::Case => matches!(inner, Self::Switch | Self::Assign),
            Self::Sync => matches!(inner, Self::Update | Self::MemoryWrite),
            _ => false,
        }
    }
}

impl RtlilDesign {
    /// Reads a design. `None` if a line is no statement, a block has no end, or there is no module.
    pub(crate) fn read(bytes: &Arc<[u8]>) -> Option<Self> {
        let (words, lines) = lines(bytes);
        let mut design = Self {
            bytes: Arc::clone(bytes),
            words,
            statements: Vec::new(),
            modules: BTreeMap::new(),
            wires: BTreeMap::new(),
            attributes: BTreeMap::new(),
            names: None,
        };
        let mut open: Vec<StatementIndex> = Vec::new();
        let mut attributes = 0;
        for words in lines {
            let index = design.statements.len();
            let sort = RtlilSort::of(design.word(words.start))?;
            if words.len() < sort.least_words() {
                return None;
            }
            while let Some(&last) = open.last()
                && design.statements[last].sort.ends_at(sort)
            {
                design.statements[last].end = index - attributes;
                open.pop();
            }
            let around = open.last().map(|&last| design.statements[last].sort);
            let parent = open.last().copied();
            match sort {
                RtlilSort::Attribute => attributes += 1,
                RtlilSort::End => {
                    let begun = open.pop()?;
                    design.statements[begun].end = index + 1;
                    // Attributes of nothing.
                    if !around?.is_block() || attributes > 0 {
                        return None;
                    }
                }
                _ => {
                    let is_allowed = match around {
                        Some(around) => around.may_contain(sort),
                        None => matches!(sort, RtlilSort::Module | RtlilSort::Other),
                    };
                    if !is_allowed {
                        return None;
                    }
                    for attribute in &mut design.statements[index - attributes..] {
                        attribute.parent = parent;
                    }
                    attributes = 0;
                    let begins =
                        sort.is_block() || matches!(sort, RtlilSort::Case | RtlilSort::Sync);
                    open.extend(begins.then_some(index));
                }
            }
            let wire = match sort {
                RtlilSort::Wire => Some(design.wire(&words)?),
                _ => None,
            };
            design.statements.push(RtlilStatement {
                words,
                sort,
                parent,
                end: index + 1,
                token: None,
                wire,
            });
        }
        design.index();
        (open.is_empty() && attributes == 0 && !design.modules.is_empty()).then_some(design)
    }

    fn wire(&self, words: &Range<usize>) -> Option<RtlilWire> {
        let mut wire = RtlilWire {
            width: 1,
            options: Vec::new(),
        };
        let mut at = words.start + 1;
        while at + 1 < words.end {
            let has_number = !matches!(self.word(at), b"signed" | b"upto");
            let end = at + 1 + usize::from(has_number);
            let is_port = match self.word(at) {
                b"width" => {
                    wire.width = number(self.word(at + 1))?;
                    at = end;
                    continue;
                }
                b"input" | b"output" | b"inout" => true,
                b"offset" | b"signed" | b"upto" => false,
                _ => return None,
            };
            wire.options.push(RtlilOption {
                words: at..end,
                is_port,
                token: None,
            });
            at = end;
        }
        (at + 1 == words.end).then_some(wire)
    }

    fn index(&mut self) {
        for index in 0..self.statements.len() {
            let words = self.statements[index].words.clone();
            let (second, last) = (words.start + 1, words.end - 1);
            match self.statements[index].sort {
                RtlilSort::Module => {
                    let name = self.word(second).into();
                    self.modules.entry(name).or_insert(index);
                }
                RtlilSort::Wire => {
                    let name = self.word(last).into();
                    if let Some(module) = self.statements[index].parent {
                        self.wires.entry((module, name)).or_insert(index);
                    }
                }
                RtlilSort::Attribute => {
                    let name = self.word(second).into();
                    self.attributes.entry(name).or_insert(None);
                }
                _ => {}
            }
        }
    }

    /// Returns the text of a word.
    pub(super) fn word(&self, word: usize) -> &[u8] {
        &self.bytes[self.words[word].clone()]
    }

    /// Returns the text of a word of a statement; empty if there are fewer.
    pub(super) fn word_of(&self, index: StatementIndex, position: usize) -> &[u8] {
        let words = &self.statements[index].words;
        match position < words.len() {
            true => self.word(words.start + position),
            false => b"",
        }
    }

    pub(super) fn is(&self, index: StatementIndex, sort: RtlilSort) -> bool {
        self.statements[index].sort == sort
    }

    /// Returns the module that a statement is inside of.
    pub(super) fn module_of(&self, mut index: StatementIndex) -> Option<StatementIndex> {
        while !self.is(index, RtlilSort::Module) {
            index = self.statements[index].parent?;
        }
        Some(index)
    }

    /// Returns the wire that a word of a statement names.
    pub(super) fn wire_at(&self, module: StatementIndex, word: usize) -> Option<StatementIndex> {
        let name = self.word(word);
        if !matches!(name.first(), Some(b'\\' | b'$')) {
            return None;
        }
        self.wires.get(&(module, name.into())).copied()
    }

    /// Returns whether a cell is one of those that yosys knows, which need all of their ports.
    pub(super) fn is_built_in(&self, cell: StatementIndex) -> bool {
        let kind = self.word_of(cell, 1);
        kind.starts_with(b"$") && !self.modules.contains_key(kind)
    }
}

/// Returns the number that a word is, if it is a small one.
pub(super) fn number(word: &[u8]) -> Option<usize> {
    let is_short = word.len() <= 7 && word.iter().all(u8::is_ascii_digit);
    let text = str::from_utf8(word).ok().filter(|_| is_short)?;
    text.parse().ok()
}
