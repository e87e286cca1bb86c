//! The terms of a script and the uses of its symbols, with their places.

use std::ops::Range;

use super::sorts::Sort;
use super::terms::Term;

/// Replacements for ranges of bytes, to be made together.
pub(super) type ByteEdits = Vec<(Range<usize>, Vec<u8>)>;

/// The terms of a script, and the symbols that it declares.
#[derive(Debug, Default)]
pub(super) struct ScriptUses<'a> {
    pub(super) applications: Vec<Application<'a>>,
    /// The uses of constants that are declared.
    pub(super) constants: Vec<Application<'a>>,
    pub(super) symbols: Vec<SymbolUses<'a>>,
    /// The name of each datatype of several, and its constructors.
    pub(super) datatypes: Vec<[Range<usize>; 2]>,
    /// The head of each recursive function of several, and its body.
    pub(super) functions: Vec<[Range<usize>; 2]>,
    /// The commands that open a level of assertions and close it.
    pub(super) levels: Vec<[Range<usize>; 2]>,
    /// The names of sorts, fields and bound symbols.
    pub(super) other_names: Vec<&'a [u8]>,
    pub(super) names_of_terms: Vec<&'a [u8]>,
    /// The commands that assert.
    pub(super) assertions: Vec<Range<usize>>,
    /// The commands that define recursive functions.
    pub(super) recursive: Vec<Range<usize>>,
    /// The constants that are a side of a relation between numbers.
    pub(super) compared: Vec<Range<usize>>,
    /// The equations between two numbers, each with its sides.
    pub(super) equations: Vec<[Range<usize>; 3]>,
}

impl<'a> ScriptUses<'a> {
    /// Notes a constant of a sort at a place.
    pub(super) fn constant(&mut self, range: &Range<usize>, sort: &Sort, place: TermPlace<'a>) {
        if let TermPlace::Argument { head, .. } = &place
            && matches!(*head, b"=" | b"<" | b"<=" | b">" | b">=")
            && matches!(sort, Sort::Int | Sort::Real)
        {
            self.compared.push(range.clone());
        }
        self.constants.push(Application {
            range: range.clone(),
            sort: sort.clone(),
            place,
            symbols_before: self.symbols.len(),
        });
    }

    /// Notes an application to arguments of these sorts.
    pub(super) fn equation(&mut self, term: &Term<'a>, sorts: &[Sort]) {
        if let Some((b"=", [left, right])) = term.application()
            && (sorts.iter()).all(|sort| matches!(sort, Sort::Int | Sort::Real))
        {
            let all = [term, left, right].map(|term| term.range.clone());
            self.equations.push(all);
        }
    }
}

/// An application, with its sort.
#[derive(Debug)]
pub(super) struct Application<'a> {
    pub(super) range: Range<usize>,
    pub(super) sort: Sort,
    pub(super) place: TermPlace<'a>,
    /// The number of symbols that are declared before.
    pub(super) symbols_before: usize,
}

/// Where a term is.
#[derive(Debug, Clone, Default)]
pub(super) enum TermPlace<'a> {
    /// It is asserted. Of the assertions between two checks all have the same number.
    Assertion(usize),
    Argument {
        head: &'a [u8],
        index: usize,
        count: usize,
        /// The other argument of two, or the other branch.
        other: Option<Range<usize>>,
    },
    /// It is what a `let` or a quantifier is about: a value of it is a value of that.
    Body,
    #[default]
    Elsewhere,
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
