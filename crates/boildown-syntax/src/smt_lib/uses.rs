//! The terms of a script and the uses of its symbols, with their places.

use std::ops::Range;

use super::sorts::Sort;

/// The terms of a script, and the symbols that it declares.
#[derive(Debug, Default)]
pub(super) struct ScriptUses<'a> {
    pub(super) applications: Vec<Application>,
    pub(super) symbols: Vec<SymbolUses<'a>>,
    /// The name of each datatype of several, and its constructors.
    pub(super) datatypes: Vec<[Range<usize>; 2]>,
    /// The head of each recursive function of several, and its body.
    pub(super) functions: Vec<[Range<usize>; 2]>,
    /// The commands that open a level of assertions and close it.
    pub(super) levels: Vec<[Range<usize>; 2]>,
}

/// An application, with its sort.
#[derive(Debug)]
pub(super) struct Application {
    pub(super) range: Range<usize>,
    pub(super) sort: Sort,
    /// The number of symbols that are declared before.
    pub(super) symbols_before: usize,
}

/// A symbol, and where it is used.
#[derive(Debug)]
pub(super) struct SymbolUses<'a> {
    pub(super) name: &'a [u8],
    pub(super) sort: Sort,
    /// The command that declares it; `None` for a constructor.
    pub(super) declaration: Option<Range<usize>>,
    /// What the command defines it as, if it is not recursive.
    pub(super) body: Option<Range<usize>>,
    pub(super) parameters: Vec<Range<usize>>,
    /// The terms, and the arguments of each.
    pub(super) uses: Vec<(Range<usize>, Vec<Range<usize>>)>,
}
