//! Values that can take the places of terms and symbols of a script.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::form::ScriptForm;
use super::sorts::Sort;
use super::terms::{ReadTerms, Term, TermContent, parse};
use super::uses::SymbolUses;

impl SymbolUses<'_> {
    fn is_constant(&self) -> bool {
        self.parameters.is_empty()
    }

    /// Returns the edits that delete a parameter with its arguments; `None` if a use lacks it.
    fn without_parameter(&self, parameter: usize) -> Option<ByteEdits> {
        let mut edits = vec![(self.parameters[parameter].clone(), Vec::new())];
        for (term, arguments) in &self.uses {
            edits.push(match &arguments[..] {
                [_] => (term.clone(), self.name.to_vec()),
                _ => (arguments.get(parameter)?.clone(), Vec::new()),
            });
        }
        Some(edits)
    }

    /// Returns the uses that are neither in another one nor in the declaration.
    fn outer_uses(&self) -> impl Iterator<Item = &(Range<usize>, Vec<Range<usize>>)> {
        let is_in = |inner: &Range<usize>, outer: &Range<usize>| {
            inner != outer && outer.start <= inner.start && inner.end <= outer.end
        };
        self.uses.iter().filter(move |(term, _)| {
            !(self.uses.iter()).any(|(other, _)| is_in(term, other))
                && !(self.declaration.iter()).any(|declaration| is_in(term, declaration))
        })
    }

    /// Returns the edits that delete a function and put its body in the place of each use, with the
    /// arguments in it. `None` if it has no body or no parameters, or if a use lacks an argument.
    fn inlined(&self, text: &[u8]) -> Option<ByteEdits> {
        let (declaration, body) = (self.declaration.clone()?, self.body.clone()?);
        if self.is_constant() {
            return None;
        }
        let names: Vec<&[u8]> = (self.parameters.iter())
            .filter_map(|parameter| match &parse(&text[parameter.clone()]) {
                ReadTerms::Script(terms) => Some(terms.first()?.application()?.0),
                ReadTerms::Unbalanced | ReadTerms::TooDeep => None,
            })
            .collect();
        let body = &text[body];
        let ReadTerms::Script(terms) = parse(body) else {
            return None;
        };
        let mut edits = vec![(declaration, Vec::new())];
        for (term, arguments) in self.outer_uses() {
            if arguments.len() != names.len() || names.len() != self.parameters.len() {
                return None;
            }
            let arguments = arguments.iter().map(|range| &text[range.clone()]);
            let values: Vec<(&[u8], &[u8])> = names.iter().copied().zip(arguments).collect();
            edits.push((term.clone(), with_values(body, &terms, &values)));
        }
        Some(edits)
    }
}

/// Returns a text with values in the place of names.
fn with_values(text: &[u8], terms: &[Term<'_>], values: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut all: Vec<u8> = Vec::new();
    let mut copied = 0;
    let mut rest: Vec<&Term<'_>> = terms.iter().rev().collect();
    while let Some(term) = rest.pop() {
        match &term.content {
            TermContent::List(parts) => rest.extend(parts.iter().rev()),
            TermContent::Atom(atom) => {
                let value = values.iter().find(|(name, _)| name == atom);
                if let Some((_, value)) = value {
                    all.extend(&text[copied..term.range.start]);
                    all.extend(*value);
                    copied = term.range.end;
                }
            }
        }
    }
    all.extend(&text[copied..]);
    all
}

/// Replacements for ranges of bytes, to be made together.
type ByteEdits = Vec<(Range<usize>, Vec<u8>)>;

/// A change to a script that leaves all terms with their sorts.
#[derive(Debug)]
pub(crate) struct SortedChange {
    pub(crate) kind: SortedChangeKind,
    /// Replacements for ranges of bytes, made together. An empty one deletes.
    pub(crate) edits: ByteEdits,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SortedChangeKind {
    /// An application becomes a value of its sort, or, where these need a declaration, a constant
    /// that is declared before.
    Term,
    /// In a short script: it becomes another value, or a constant that is declared before.
    OtherTerm,
    /// So do all uses of a declared function, or of a constant that is a bit vector, and the
    /// declaration is deleted. The rules do that for other constants.
    Symbol,
    /// A parameter of a function, or a field of a constructor, is deleted with its arguments.
    Parameter,
    /// One of several datatypes is deleted with its constructors, one of several recursive
    /// functions with its body, or the two commands that open and close a level of assertions.
    Pair,
    /// The body of a function takes the place of its uses.
    Inlined,
    /// Declared symbols have the beginnings of their names for names: all of them, or one.
    Renamed,
}

/// Returns changes to a script that leave all terms with their sorts.
pub(crate) fn changes_by_sort(text: &[u8]) -> Vec<SortedChange> {
    let script = ScriptForm::uses(text);
    let mut all = Vec::new();
    let mut add = |kind, edits| all.push(SortedChange { kind, edits });
    for term in &script.applications {
        for value in values(&term.sort, &script.symbols[..term.symbols_before]) {
            add(SortedChangeKind::Term, vec![(term.range.clone(), value)]);
        }
    }
    let is_short = script.applications.len() <= SHORT;
    for term in script.applications.iter().filter(|_| is_short) {
        for value in other_values(&term.sort, &script.symbols[..term.symbols_before]) {
            let edits = vec![(term.range.clone(), value)];
            add(SortedChangeKind::OtherTerm, edits);
        }
    }
    for (index, symbol) in script.symbols.iter().enumerate() {
        let parameters = 0..symbol.parameters.len();
        for edits in parameters.filter_map(|parameter| symbol.without_parameter(parameter)) {
            add(SortedChangeKind::Parameter, edits);
        }
        let Some(declaration) = &symbol.declaration else {
            continue;
        };
        let mut values = match symbol.is_constant() && !matches!(symbol.sort, Sort::Bits(_)) {
            true => Vec::new(),
            false => values(&symbol.sort, &script.symbols[..index]),
        };
        values.extend(symbol.sort.one().filter(|_| is_short));
        for value in values {
            let mut edits = vec![(declaration.clone(), Vec::new())];
            let uses = symbol.outer_uses();
            edits.extend(uses.map(|(term, _)| (term.clone(), value.clone())));
            add(SortedChangeKind::Symbol, edits);
        }
    }
    for symbol in &script.symbols {
        if let Some(edits) = symbol.inlined(text) {
            add(SortedChangeKind::Inlined, edits);
        }
    }
    for edits in shorter_names(text, &script.symbols) {
        add(SortedChangeKind::Renamed, edits);
    }
    let several = |pairs: &'_ Vec<[Range<usize>; 2]>| match pairs.len() {
        0 | 1 => Vec::new(),
        _ => pairs.clone(),
    };
    let pairs = [
        several(&script.datatypes),
        several(&script.functions),
        script.levels,
    ];
    for pair in pairs.into_iter().flatten() {
        let edits = pair.map(|range| (range, Vec::new()));
        add(SortedChangeKind::Pair, edits.to_vec());
    }
    all
}

/// Of scripts with more applications than this, fewer values are tried.
const SHORT: usize = 24;

/// The largest number of constants that are tried in the place of a term.
const MOST_CONSTANTS: usize = 2;

/// Returns another value of a sort, and these constants of it.
fn other_values(sort: &Sort, symbols: &[SymbolUses<'_>]) -> Vec<Vec<u8>> {
    let has_sort = |symbol: &&SymbolUses<'_>| {
        symbol.is_constant() && symbol.declaration.is_some() && symbol.sort == *sort
    };
    let constants = symbols.iter().filter(has_sort).take(MOST_CONSTANTS);
    let constants = constants.map(|symbol| symbol.name.to_vec());
    sort.one().into_iter().chain(constants).collect()
}

/// Returns the edits that shorten the names of all symbols, and of each of them, to their
/// beginnings.
fn shorter_names(text: &[u8], symbols: &[SymbolUses<'_>]) -> Vec<ByteEdits> {
    let ReadTerms::Script(commands) = parse(text) else {
        return Vec::new();
    };
    let mut mentions: BTreeMap<&[u8], Vec<Range<usize>>> = BTreeMap::new();
    let mut rest: Vec<&Term<'_>> = commands.iter().collect();
    while let Some(term) = rest.pop() {
        match &term.content {
            TermContent::List(parts) => rest.extend(parts),
            TermContent::Atom(atom) => mentions.entry(atom).or_default().push(term.range.clone()),
        }
    }
    let mut taken: BTreeSet<&[u8]> = mentions.keys().copied().collect();
    let mut each: Vec<ByteEdits> = Vec::new();
    for symbol in symbols {
        let name = symbol.name;
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        if !name.first().is_some_and(u8::is_ascii_alphabetic) || !name.iter().all(is_plain) {
            continue;
        }
        let new = (1..name.len()).map(|length| &name[..length]);
        if let Some(new) = new.into_iter().find(|new| !taken.contains(new)) {
            taken.insert(new);
            let places = mentions.remove(name).unwrap_or_default().into_iter();
            each.push(places.map(|place| (place, new.to_vec())).collect());
        }
    }
    let all = match each.len() {
        0 | 1 => None,
        _ => Some(each.concat()),
    };
    all.into_iter().chain(each).collect()
}

/// Returns values of a sort, or, where these need a declaration, one of these symbols.
fn values(sort: &Sort, symbols: &[SymbolUses<'_>]) -> Vec<Vec<u8>> {
    let mut values = sort.values();
    if values.is_empty() && sort.is_known() {
        let mut symbols = symbols.iter();
        let other = symbols.find(|symbol| symbol.is_constant() && symbol.sort == *sort);
        values.extend(other.map(|symbol| symbol.name.to_vec()));
    }
    values
}
