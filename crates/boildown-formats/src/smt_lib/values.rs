//! Values that can take the places of terms and symbols of a script.

use std::ops::Range;

use boildown_document::words;

use super::bindings::without_bindings;
use super::form::ScriptForm;
use super::implied::ImpliedValues;
use super::literals::{narrower, values_of_operations, with_width};
use super::names::shorter_names;
use super::raised::constants_raised;
use super::sorts::Sort;
use super::terms::{ReadTerms, Term, TermContent, parse};
use super::uses::{Application, ByteEdits, ScriptUses, SymbolUses};

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
    /// In a short script: it becomes another value, or a constant that is declared before, or a
    /// relation becomes stronger while another assertion goes.
    OtherTerm,
    /// A constant gets the sort of the terms that it is used in, and takes their places.
    Raised,
    /// In a short script: a use of a constant becomes a value of its sort.
    Constant,
    /// In a short script: two constants become one while an assertion goes.
    Merged,
    /// In a short script: a relation becomes an equation for a term in it.
    Equation,
    /// The uses of a declared symbol become a value of its sort, and its declaration is deleted. In
    /// a short script: they become a constant of another width, as all bit vectors of theirs do.
    Symbol,
    /// A parameter of a function, or a field of a constructor, is deleted with its arguments.
    Parameter,
    /// All assertions but one are deleted, one of several datatypes with its constructors, one of
    /// several recursive functions with its body, or the two commands that open and close a level
    /// of assertions.
    Pair,
    /// The body of a function takes the place of its uses, or values that of names.
    Inlined,
    /// In a short script: an assertion is deleted. What missed may hit after any other change.
    Dropped,
    /// Names become letters: all of them, or one.
    Renamed,
    /// An operation on literals becomes its value.
    Folded,
    /// All bit vectors of one width become narrower.
    Narrowed,
}

/// Returns changes to a script that leave all terms with their sorts.
pub(crate) fn changes_by_sort(text: &[u8]) -> Vec<SortedChange> {
    let script = ScriptForm::uses(text);
    let is_short = script.applications.len() <= SHORT;
    let mut all = values_of_terms(text, &script, is_short);
    let mut add = |kind, edits| all.push(SortedChange { kind, edits });
    for edits in values_of_operations(text) {
        add(SortedChangeKind::Folded, edits);
    }
    for edits in narrower(text) {
        add(SortedChangeKind::Narrowed, edits);
    }
    for edits in constants_raised(&script) {
        add(SortedChangeKind::Raised, edits);
    }
    if is_short && script.assertions.len() <= FEW_ASSERTIONS {
        for edits in stronger(text, &script) {
            add(SortedChangeKind::OtherTerm, edits);
        }
        for edits in merged(&script) {
            add(SortedChangeKind::Merged, edits);
        }
    }
    for edits in merged_widths(text, &script).filter(|_| is_short) {
        add(SortedChangeKind::Symbol, edits);
    }
    for (index, symbol) in script.symbols.iter().enumerate() {
        let parameters = 0..symbol.parameters.len();
        for edits in parameters.filter_map(|parameter| symbol.without_parameter(parameter)) {
            add(SortedChangeKind::Parameter, edits);
        }
        let Some(declaration) = &symbol.declaration else {
            continue;
        };
        let mut values = values(&symbol.sort, &script.symbols[..index]);
        values.extend(symbol.sort.one().filter(|_| is_short));
        for value in values {
            let mut edits = vec![(declaration.clone(), Vec::new())];
            let uses = symbol.outer_uses();
            edits.extend(uses.map(|(term, _)| (term.clone(), value.clone())));
            add(SortedChangeKind::Symbol, edits);
        }
    }
    let inlined = script
        .symbols
        .iter()
        .filter_map(|symbol| symbol.inlined(text));
    for edits in inlined.chain(without_bindings(text)) {
        add(SortedChangeKind::Inlined, edits);
    }
    let commands = [&script.assertions[..], &script.recursive].concat();
    for edits in alone(&commands) {
        add(SortedChangeKind::Pair, edits);
    }
    for command in commands
        .iter()
        .filter(|_| is_short && commands.len() <= FEW_ASSERTIONS)
    {
        add(
            SortedChangeKind::Dropped,
            vec![(command.clone(), Vec::new())],
        );
    }
    for edits in shorter_names(text, &script) {
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

/// Returns values in the place of terms and of uses of constants, without those that are implied.
fn values_of_terms(text: &[u8], script: &ScriptUses<'_>, is_short: bool) -> Vec<SortedChange> {
    let mut all = Vec::new();
    let mut add = |kind, term: &Application<'_>, value| {
        let edits = vec![(term.range.clone(), value)];
        all.push(SortedChange { kind, edits });
    };
    let mut implied = ImpliedValues::default();
    for term in &script.applications {
        let mut values = values(&term.sort, &script.symbols[..term.symbols_before]);
        values.extend(literal(&text[term.range.clone()]));
        values.retain(|value| !implied.contains(text, term, value));
        for value in values {
            add(SortedChangeKind::Term, term, value);
        }
    }
    for term in script.applications.iter().filter(|_| is_short) {
        let mut values = other_values(&term.sort, &script.symbols[..term.symbols_before]);
        values.retain(|value| !implied.contains(text, term, value));
        for value in values {
            add(SortedChangeKind::OtherTerm, term, value);
        }
    }
    for (relation, equation) in equations(text, script).filter(|_| is_short) {
        add(SortedChangeKind::Equation, relation, equation);
    }
    for constant in script.constants.iter().filter(|_| is_short) {
        let mut values = constant.sort.values();
        values.extend(constant.sort.one());
        values.retain(|value| !implied.contains(text, constant, value));
        for value in values {
            add(SortedChangeKind::Constant, constant, value);
        }
    }
    all
}

/// Returns relations, each with an equation for a term in it that is shorter: `(= a (f a))` for
/// `(p (g (f a)) b)`. The other side is a constant that is declared before, or a value.
fn equations<'a>(
    text: &'a [u8],
    script: &'a ScriptUses<'a>,
) -> impl Iterator<Item = (&'a Application<'a>, Vec<u8>)> {
    let length = |range: &Range<usize>| words(text, range.clone()).count();
    script.applications.iter().filter_map(move |part| {
        let is_around = |term: &&Application<'_>| {
            term.range.start < part.range.start && part.range.end < term.range.end
        };
        let relations = script.applications.iter().filter(is_around);
        let relations = relations.filter(|term| term.sort == Sort::Bool);
        let relation = relations.min_by_key(|term| term.range.len())?;
        let sides = other_values(&part.sort, &script.symbols[..part.symbols_before]);
        let side = (sides.into_iter().last()).or_else(|| part.sort.values().pop())?;
        let is_shorter = length(&part.range) + EQUATION < length(&relation.range);
        let equation = [b"(= ", &side[..], b" ", &text[part.range.clone()], b")"].concat();
        (is_shorter && part.sort != Sort::Bool).then_some((relation, equation))
    })
}

/// The number of words of an equation without one of its sides, and of an operation with one
/// argument, which a deletion takes away.
const EQUATION: usize = 4 + 3;

/// Of scripts with more applications than this, fewer values are tried.
const SHORT: usize = 16;

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

/// Returns the edits that delete all of a few assertions or definitions but one: what the others
/// make true does not matter to a solver that gives up.
fn alone(commands: &[Range<usize>]) -> Vec<ByteEdits> {
    let is_few = (3..=MOST_ALONE).contains(&commands.len());
    let one = commands.iter().filter(|_| is_few).map(|one| {
        let others = commands.iter().filter(|other| *other != one);
        others.map(|other| (other.clone(), Vec::new())).collect()
    });
    one.collect()
}

/// Of more assertions than this, none is tried alone.
const MOST_ALONE: usize = 6;

/// Of scripts with more assertions than this, none is deleted while another one becomes stronger.
const FEW_ASSERTIONS: usize = 4;

/// Returns edits that delete an assertion while another one becomes stronger: a constant that is
/// compared becomes zero, or an equation says that one side is less.
fn stronger(text: &[u8], script: &ScriptUses<'_>) -> Vec<ByteEdits> {
    let mut edits = Vec::new();
    for constant in &script.compared {
        edits.push((constant.clone(), b"0".to_vec()));
    }
    for [term, left, right] in &script.equations {
        let [left, right] = [left, right].map(|side| &text[side.clone()]);
        for [left, right] in [[left, right], [right, left]] {
            let less = [b"(< ", left, b" ", right, b")"].concat();
            edits.push((term.clone(), less));
        }
    }
    let without = edits.iter().flat_map(|edit| {
        let is_apart = |command: &&Range<usize>| !command.contains(&edit.0.start);
        let others = script.assertions.iter().filter(is_apart);
        others.map(move |command| vec![edit.clone(), (command.clone(), Vec::new())])
    });
    without.collect()
}

/// Of more symbols than this, no two become one while an assertion goes.
const MOST_MERGED: usize = 4;

/// Returns edits that put a constant in the place of a later one of its sort, and delete an
/// assertion.
fn merged(script: &ScriptUses<'_>) -> Vec<ByteEdits> {
    let symbols = match script.symbols.len() {
        0..=MOST_MERGED => &script.symbols[..],
        _ => &[],
    };
    let mut all = Vec::new();
    for (index, later) in symbols.iter().enumerate() {
        let Some(declaration) = later.declaration.as_ref().filter(|_| later.is_constant()) else {
            continue;
        };
        let is_alike = |symbol: &&SymbolUses<'_>| {
            symbol.is_constant() && symbol.declaration.is_some() && symbol.sort == later.sort
        };
        for first in symbols[..index].iter().filter(is_alike) {
            for command in &script.assertions {
                let uses = later.uses.iter().map(|(place, _)| place);
                let uses = uses.filter(|place| !command.contains(&place.start));
                let deleted = [declaration, command].map(|range| (range.clone(), Vec::new()));
                let replaced = uses.map(|place| (place.clone(), first.name.to_vec()));
                all.push(deleted.into_iter().chain(replaced).collect());
            }
        }
    }
    all
}

/// Returns edits that put a bit vector in the place of a later one of another width, and give all
/// bit vectors of that width its own.
fn merged_widths<'a>(
    text: &'a [u8],
    script: &'a ScriptUses<'a>,
) -> impl Iterator<Item = ByteEdits> + 'a {
    let terms = match parse(text) {
        ReadTerms::Script(terms) => terms,
        ReadTerms::Unbalanced | ReadTerms::TooDeep => Vec::new(),
    };
    let constants = script
        .symbols
        .iter()
        .filter_map(|symbol| match symbol.sort {
            Sort::Bits(width) if symbol.is_constant() => {
                Some((symbol, symbol.declaration.as_ref()?, width as usize))
            }
            _ => None,
        });
    let constants: Vec<_> = constants.take(MOST_MERGED).collect();
    let pairs = constants.windows(2).map(|pair| (pair[0], pair[1]));
    let others: Vec<_> = pairs.filter(|(first, later)| first.2 != later.2).collect();
    others
        .into_iter()
        .map(move |((first, _, to), (later, declaration, from))| {
            let mut edits = with_width(&terms, from, to);
            edits.retain(|(range, _)| !declaration.contains(&range.start));
            edits.push((declaration.clone(), Vec::new()));
            let uses = later.uses.iter().map(|(place, _)| place.clone());
            edits.extend(uses.map(|place| (place, first.name.to_vec())));
            edits
        })
}

/// Returns a shorter text for a literal: `#x05` for `(_ bv5 8)`.
fn literal(text: &[u8]) -> Option<Vec<u8>> {
    let ReadTerms::Script(terms) = parse(text) else {
        return None;
    };
    let (b"_", [number, width]) = terms.first()?.application()? else {
        return None;
    };
    let number = std::str::from_utf8(number.atom()?.strip_prefix(b"bv")?).ok()?;
    let number: u128 = number.parse().ok()?;
    let width = super::sorts::number(width)? as usize;
    let text = match width % 4 {
        0 => format!("#x{number:0width$x}", width = width / 4),
        _ => format!("#b{number:0width$b}"),
    };
    (width <= 128 && number > 0).then(|| text.into_bytes())
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
