//! The form of a script: its commands, the symbols that it declares, and the sorts of its terms, as
//! far as they are known.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::sorts::{Expected, Operation, Sort};
use super::terms::{ReadTerms, Term, TermContent, parse};
use super::uses::{Application, ScriptUses, SymbolUses, TermPlace};

/// What is known of the form of a script.
#[derive(Debug, Default)]
pub(crate) struct ScriptForm<'a> {
    /// The commands and the operations that are neither declared nor built in, each with the number
    /// of its arguments.
    pub(crate) heads: BTreeSet<(&'a [u8], usize)>,
    /// The symbols in terms, and the sorts, that nothing declares; `pop` if nothing opens a level
    /// that is closed.
    pub(crate) undeclared: BTreeSet<&'a [u8]>,
    /// Whether brackets, a number of arguments or a sort is wrong.
    pub(crate) is_wrong: bool,
    pub(super) declared: BTreeMap<&'a [u8], Signature>,
    /// The sorts that are declared or defined. `Any` has parameters.
    pub(super) sorts: BTreeMap<&'a [u8], Sort>,
    /// The symbols that are bound where the walk is.
    pub(super) bound: Vec<(&'a [u8], Sort)>,
    /// The levels of assertions that are open.
    levels: Vec<AssertionLevel<'a>>,
    /// Whether a declaration outlives its level.
    has_global_declarations: bool,
    /// The terms and the uses of symbols, if asked for.
    pub(super) uses: Option<ScriptUses<'a>>,
    /// Where the term is that is read next.
    place: TermPlace<'a>,
    /// The number of commands but declarations and assertions.
    other_commands: usize,
}

/// A level of assertions.
#[derive(Debug)]
struct AssertionLevel<'a> {
    /// What was declared before it.
    declared: BTreeMap<&'a [u8], Signature>,
    sorts: BTreeMap<&'a [u8], Sort>,
    /// The command that opened it, if it opened no other.
    push: Option<Range<usize>>,
}

/// The arguments and the result of a declared symbol.
#[derive(Debug, Clone)]
pub(super) struct Signature {
    pub(super) arguments: Vec<Sort>,
    result: Sort,
}

/// Whether a function may be used in its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Recursion {
    With,
    Without,
}

/// The largest number of levels that a command opens. Others open fewer.
const MOST_LEVELS: u32 = 64;

impl<'a> ScriptForm<'a> {
    pub(crate) fn read(text: &'a [u8]) -> Self {
        let mut form = Self::default();
        form.walk(text);
        form
    }

    /// Returns the terms of a script and the uses of the symbols that it declares.
    pub(super) fn uses(text: &'a [u8]) -> ScriptUses<'a> {
        let uses = Some(ScriptUses::default());
        let mut form = Self {
            uses,
            ..Self::default()
        };
        form.walk(text);
        form.uses.unwrap_or_default()
    }

    fn walk(&mut self, text: &'a [u8]) {
        match parse(text) {
            ReadTerms::Script(commands) => {
                for command in &commands {
                    self.command(command);
                }
            }
            ReadTerms::Unbalanced => self.is_wrong = true,
            ReadTerms::TooDeep => {}
        }
    }

    fn command(&mut self, command: &Term<'a>) {
        let Some((head, arguments)) = command.application() else {
            self.is_wrong = true;
            return;
        };
        // A level can be opened and closed without a number.
        if !matches!(head, b"declare-const" | b"push" | b"pop") {
            self.heads.insert((head, arguments.len()));
        }
        match (head, arguments) {
            (b"assert", [term]) => {
                self.place = TermPlace::Assertion(self.other_commands);
                if let Some(uses) = &mut self.uses {
                    uses.assertions.push(command.range.clone());
                }
                let sort = self.term(term);
                self.expect(&sort, &Sort::Bool);
            }
            (b"declare-const", [name, sort]) if name.atom().is_some() => {
                self.constant(command, name, sort);
            }
            (b"declare-fun", [name, sorts, sort]) => match (name.atom(), sorts.list()) {
                (Some(_), Some([])) => self.constant(command, name, sort),
                (Some(name), Some(sorts)) => {
                    let arguments = sorts.iter().map(|sort| self.sort(sort)).collect();
                    let result = self.sort(sort);
                    self.symbol(name, Some(command.range.clone()), sorts, &result);
                    self.declare(name, arguments, result);
                }
                _ => self.is_wrong = true,
            },
            (b"define-fun", [head @ .., body]) => {
                let place = Some(command.range.clone());
                self.function(place, head, body, Recursion::Without);
            }
            (b"define-fun-rec", [head @ .., body]) => {
                self.recursive(command);
                let place = Some(command.range.clone());
                self.function(place, head, body, Recursion::With);
            }
            (b"define-funs-rec", [heads, bodies]) => {
                self.recursive(command);
                self.functions(heads, bodies);
            }
            (b"define-const", [name, sort, body]) if name.atom().is_some() => {
                let found = self.term(body);
                let result = self.sort(sort);
                self.expect(&found, &result);
                self.declare(name.atom().unwrap_or_default(), Vec::new(), result);
            }
            (b"declare-sort", [name, parameters, ..]) => self.declare_sort(name, parameters),
            (b"declare-sort", [name]) => {
                let name = name.atom().unwrap_or_default();
                self.new_sort(name, Sort::Named(name.to_vec()));
            }
            (b"define-sort", [name, parameters, sort]) => {
                let is_plain = parameters.list().is_some_and(<[_]>::is_empty);
                let sort = if is_plain { self.sort(sort) } else { Sort::Any };
                self.new_sort(name.atom().unwrap_or_default(), sort);
            }
            (b"declare-datatypes", [names, datatypes]) => self.datatypes(names, datatypes),
            (b"declare-datatype", [name, datatype]) => {
                let name = name.atom().unwrap_or_default();
                self.new_sort(name, Sort::Named(name.to_vec()));
                self.constructors(name, datatype);
            }
            (
                b"assert" | b"declare-const" | b"declare-fun" | b"define-fun" | b"define-fun-rec"
                | b"define-funs-rec" | b"define-const" | b"declare-sort" | b"define-sort"
                | b"declare-datatypes" | b"declare-datatype",
                _,
            ) => {
                self.is_wrong = true;
            }
            _ => {
                self.other_command(command, head, arguments);
                if let (b"get-value", [terms]) = (head, arguments) {
                    for term in terms.list().unwrap_or_default() {
                        self.term(term);
                    }
                }
            }
        }
    }

    /// Reads a command that declares and asserts nothing.
    fn other_command(&mut self, command: &Term<'a>, head: &[u8], arguments: &[Term<'a>]) {
        self.other_commands += 1;
        let number = match arguments {
            [] => Some(1),
            [number] => super::sorts::number(number),
            _ => None,
        };
        match (head, number) {
            (b"push", Some(number)) => {
                for _ in 0..number.min(MOST_LEVELS) {
                    self.levels.push(AssertionLevel {
                        declared: self.declared.clone(),
                        sorts: self.sorts.clone(),
                        push: (number == 1).then(|| command.range.clone()),
                    });
                }
            }
            (b"pop", Some(number)) => self.pop(number, command),
            (b"reset" | b"reset-assertions", Some(_)) => self.levels.clear(),
            (b"set-option" | b"set-info" | b"get-option" | b"get-info", _) => {
                let is_keyword = |term: &Term<'_>| is_keyword(term);
                self.is_wrong |= !arguments.first().is_some_and(is_keyword);
                self.has_global_declarations |= arguments
                    .iter()
                    .any(|term| term.atom() == Some(b":global-declarations"));
            }
            _ => {}
        }
    }

    /// Closes levels.
    fn pop(&mut self, number: u32, command: &Term<'a>) {
        let Some(left) = self.levels.len().checked_sub(number as usize) else {
            // If the best script has such a command, all else in it may be right.
            self.undeclared.insert(b"pop");
            return;
        };
        let mut closed = self.levels.drain(left..);
        let Some(first) = closed.next() else {
            return;
        };
        if let (1, Some(push), Some(uses)) = (number, first.push, &mut self.uses) {
            uses.levels.push([push, command.range.clone()]);
        }
        if !self.has_global_declarations {
            (self.declared, self.sorts) = (first.declared, first.sorts);
        }
    }

    /// Notes a command that defines recursive functions.
    fn recursive(&mut self, command: &Term<'a>) {
        if let Some(uses) = &mut self.uses {
            uses.recursive.push(command.range.clone());
        }
    }

    /// Reads a function: `[name, parameters, sort]` and its body. `place` is the command, if it
    /// defines no other.
    fn function(
        &mut self,
        place: Option<Range<usize>>,
        head: &[Term<'a>],
        body: &Term<'a>,
        recursion: Recursion,
    ) {
        let [name, parameters, sort] = head else {
            self.is_wrong = true;
            return;
        };
        let (Some(name), Some(parameters)) = (name.atom(), parameters.list()) else {
            self.is_wrong = true;
            return;
        };
        let before = self.bound.len();
        self.bind_sorted(parameters);
        let arguments = self.bound[before..].iter();
        let arguments: Vec<Sort> = arguments.map(|(_, sort)| sort.clone()).collect();
        let result = self.sort(sort);
        if recursion == Recursion::With {
            self.symbol(name, place.clone(), parameters, &result);
            self.declare(name, arguments.clone(), result.clone());
        }
        let found = self.term(body);
        self.bound.truncate(before);
        self.expect(&found, &result);
        if recursion == Recursion::Without {
            self.symbol(name, place, parameters, &result);
            if let Some(symbol) = self.uses.as_mut().and_then(|uses| uses.symbols.last_mut()) {
                symbol.body = Some(body.range.clone());
            }
            self.declare(name, arguments, result);
        }
    }

    /// Reads `((even ((n Int)) Bool) (odd ((n Int)) Bool)) (body body)`.
    fn functions(&mut self, heads: &Term<'a>, bodies: &Term<'a>) {
        let (Some(heads), Some(bodies)) = (heads.list(), bodies.list()) else {
            self.is_wrong = true;
            return;
        };
        self.is_wrong |= heads.len() != bodies.len();
        // Each may be used by all.
        for head in heads {
            if let Some([name, parameters, sort]) = head.list()
                && let (Some(name), Some(parameters)) = (name.atom(), parameters.list())
            {
                let before = self.bound.len();
                self.bind_sorted(parameters);
                let arguments = self.bound.drain(before..).map(|(_, sort)| sort).collect();
                let result = self.sort(sort);
                self.declare(name, arguments, result);
            }
        }
        for (head, body) in heads.iter().zip(bodies) {
            if let Some(uses) = &mut self.uses {
                let both = [head.range.clone(), body.range.clone()];
                uses.functions.push(both);
            }
            let head = head.list().unwrap_or_default();
            self.function(None, head, body, Recursion::With);
        }
    }

    /// Reads a declaration of a constant.
    fn constant(&mut self, command: &Term<'a>, name: &Term<'a>, sort: &Term<'a>) {
        let sort = self.sort(sort);
        let name = name.atom().unwrap_or_default();
        self.symbol(name, Some(command.range.clone()), &[], &sort);
        self.declare(name, Vec::new(), sort);
    }

    /// Notes a declaration of a symbol.
    pub(super) fn symbol(
        &mut self,
        name: &'a [u8],
        declaration: Option<Range<usize>>,
        parameters: &[Term<'a>],
        sort: &Sort,
    ) {
        if let Some(uses) = &mut self.uses {
            uses.symbols.push(SymbolUses {
                name,
                sort: sort.clone(),
                declaration,
                body: None,
                parameters: parameters.iter().map(|term| term.range.clone()).collect(),
                uses: Vec::new(),
            });
        }
    }

    /// Notes a use of a symbol.
    fn use_of(&mut self, name: &[u8], term: &Term<'a>, arguments: &[Term<'a>]) {
        let Some(uses) = &mut self.uses else {
            return;
        };
        if let Some(symbol) = uses.symbols.iter_mut().rfind(|symbol| symbol.name == name) {
            let arguments = arguments.iter().map(|term| term.range.clone());
            symbol.uses.push((term.range.clone(), arguments.collect()));
        }
    }

    pub(super) fn new_sort(&mut self, name: &'a [u8], sort: Sort) {
        self.name(name);
        self.sorts.insert(name, sort);
    }

    pub(super) fn sort(&mut self, sort: &Term<'a>) -> Sort {
        if let Some(name) = sort.atom()
            && !self.sorts.contains_key(name)
            && !Sort::is_built_in(name)
        {
            self.undeclared.insert(name);
        }
        match sort.application() {
            Some((b"Array", [index, element])) => {
                let index = self.sort(index);
                return Sort::Array(Box::new((index, self.sort(element))));
            }
            Some((b"_", parts)) => self.sort_with_numbers(parts),
            Some((name, parts)) => {
                self.heads.insert((name, parts.len()));
                for part in parts {
                    self.sort(part);
                }
            }
            None => self.is_wrong |= sort.atom().is_none(),
        }
        let sorts = &self.sorts;
        Sort::of(sort, &mut |name| match sorts.get(name) {
            Some(sort) => sort.clone(),
            None => Sort::Named(name.to_vec()),
        })
    }

    /// Reads the words of `(_ BitVec 8)` after the sign.
    fn sort_with_numbers(&mut self, parts: &[Term<'a>]) {
        let [name, numbers @ ..] = parts else {
            self.is_wrong = true;
            return;
        };
        let count = match name.atom() {
            Some(b"BitVec") => 1,
            Some(b"FloatingPoint") => 2,
            Some(name) => {
                self.heads.insert((name, numbers.len()));
                return;
            }
            None => 0,
        };
        let is_wrong = |term| super::sorts::number(term).is_none_or(|number| number == 0);
        self.is_wrong |= numbers.len() != count || numbers.iter().any(is_wrong);
    }

    pub(super) fn declare(&mut self, name: &'a [u8], arguments: Vec<Sort>, result: Sort) {
        self.declared.insert(name, Signature { arguments, result });
    }

    pub(super) fn expect(&mut self, found: &Sort, expected: &Sort) {
        self.is_wrong |= !found.fits(expected);
    }

    /// Binds the symbols of `((x Int) (y Int))`.
    fn bind_sorted(&mut self, parameters: &[Term<'a>]) {
        for parameter in parameters {
            match parameter.application() {
                Some((name, [sort])) => {
                    let sort = self.sort(sort);
                    self.bind(name, sort);
                }
                _ => self.is_wrong = true,
            }
        }
    }

    pub(super) fn bind(&mut self, name: &'a [u8], sort: Sort) {
        self.name(name);
        self.bound.push((name, sort));
    }

    /// Notes a name that is no symbol.
    pub(super) fn name(&mut self, name: &'a [u8]) {
        if let Some(uses) = &mut self.uses {
            uses.other_names.push(name);
        }
    }

    pub(super) fn term(&mut self, term: &Term<'a>) -> Sort {
        let place = std::mem::take(&mut self.place);
        let parts = match &term.content {
            TermContent::Atom(atom) => {
                let sort = self.atom(atom, term);
                if let Some(uses) = &mut self.uses
                    && Sort::of_literal(atom).is_none()
                {
                    uses.constant(&term.range, &sort, place);
                }
                return sort;
            }
            TermContent::List(parts) => parts,
        };
        let sort = match (term.application(), &parts[..]) {
            (Some((head, arguments)), _) => self.application(head, arguments, term),
            (None, [head, arguments @ ..]) => self.indexed(head, arguments),
            (None, []) => {
                self.is_wrong = true;
                Sort::Any
            }
        };
        if let Some(uses) = &mut self.uses {
            uses.applications.push(Application {
                range: term.range.clone(),
                sort: sort.clone(),
                place,
                symbols_before: uses.symbols.len(),
            });
        }
        sort
    }

    fn atom(&mut self, atom: &'a [u8], term: &Term<'a>) -> Sort {
        if let Some((_, sort)) = self.bound.iter().rev().find(|(name, _)| *name == atom) {
            return sort.clone();
        }
        if let Some(signature) = self.declared.get(atom) {
            self.is_wrong |= !signature.arguments.is_empty();
            let result = signature.result.clone();
            self.use_of(atom, term, &[]);
            return result;
        }
        Sort::of_literal(atom).unwrap_or_else(|| {
            self.undeclared.insert(atom);
            Sort::Any
        })
    }

    /// Reads an application of an operation that is a list: `(_ extract 3 0)`, `(as const T)`.
    fn indexed(&mut self, head: &Term<'a>, arguments: &[Term<'a>]) -> Sort {
        let sorts: Vec<Sort> = arguments.iter().map(|term| self.term(term)).collect();
        match head.application() {
            Some((b"_", parts)) => {
                if let [name, tested] = parts
                    && name.atom() == Some(b"is")
                    && let Some(tested) = tested.atom()
                    && !self.declared.contains_key(tested)
                {
                    self.undeclared.insert(tested);
                }
                match Operation::indexed(parts, &sorts) {
                    Some(operation) => self.apply(&sorts, &operation),
                    None => {
                        let name = parts.first().and_then(Term::atom);
                        self.heads.insert((name.unwrap_or_default(), sorts.len()));
                        Sort::Any
                    }
                }
            }
            Some((b"as", [_, sort])) => {
                let sort = self.sort(sort);
                match sort {
                    Sort::Array(_) => sort,
                    _ => Sort::Any,
                }
            }
            _ => {
                // Only a logic of higher order has these.
                self.heads.insert((b"(", arguments.len()));
                Sort::Any
            }
        }
    }

    /// Reads the arguments of an operation.
    fn arguments(&mut self, head: &'a [u8], arguments: &[Term<'a>]) -> Vec<Sort> {
        let count = arguments.len();
        let read = arguments.iter().enumerate().map(|(index, term)| {
            let other = match (head, count, index) {
                (b"ite", 3, 1) => Some(2),
                (b"ite", 3, 2) => Some(1),
                (b"ite", ..) => None,
                (_, 2, _) => Some(1 - index),
                _ => None,
            };
            let other = other.map(|other: usize| arguments[other].range.clone());
            self.place = TermPlace::Argument {
                head,
                index,
                count,
                other,
            };
            self.term(term)
        });
        read.collect()
    }

    fn application(&mut self, head: &'a [u8], arguments: &[Term<'a>], term: &Term<'a>) -> Sort {
        match (head, arguments) {
            (b"let", [bindings, body]) if bindings.list().is_some() => {
                return self.binding_let(bindings.list().unwrap_or_default(), body);
            }
            (b"forall" | b"exists", [parameters, body]) if parameters.list().is_some() => {
                let before = self.bound.len();
                self.bind_sorted(parameters.list().unwrap_or_default());
                self.place = TermPlace::Body;
                let sort = self.term(body);
                self.bound.truncate(before);
                self.expect(&sort, &Sort::Bool);
                return Sort::Bool;
            }
            (b"!", [term, attributes @ ..]) => {
                let sort = self.term(term);
                self.attributes(attributes, &sort);
                return sort;
            }
            (b"let" | b"forall" | b"exists" | b"!", _) => {
                self.is_wrong = true;
                return Sort::Any;
            }
            (b"_", [name, width]) if is_bit_vector(name) => {
                let width = super::sorts::number(width);
                self.is_wrong |= width.is_none();
                return width.map_or(Sort::Any, Sort::Bits);
            }
            (b"_", [name, exponent, significand])
                if [&b"+oo"[..], b"-oo", b"+zero", b"-zero", b"NaN"]
                    .contains(&name.atom().unwrap_or_default()) =>
            {
                return Sort::float(exponent, significand);
            }
            (b"as", [_, sort]) => return self.sort(sort),
            (b"_", [name, indices @ ..]) => {
                // Neither a value nor an operation that is known.
                self.is_wrong |= indices.iter().any(|index| index.atom().is_none());
                match name.atom() {
                    Some(name) => _ = self.heads.insert((name, indices.len())),
                    None => self.is_wrong = true,
                }
                return Sort::Any;
            }
            (b"match", [term, cases]) if cases.list().is_some() => {
                return self.matching(term, cases.list().unwrap_or_default());
            }
            (b"as" | b"match" | b"_", _) => {
                self.is_wrong = true;
                return Sort::Any;
            }
            _ => {}
        }
        let sorts = self.arguments(head, arguments);
        if let Some(uses) = &mut self.uses {
            uses.equation(term, &sorts);
        }
        if self.bound.iter().any(|(name, _)| *name == head) {
            self.is_wrong = true;
            return Sort::Any;
        }
        if let Some(signature) = self.declared.get(head) {
            let (expected, result) = (signature.arguments.clone(), signature.result.clone());
            self.is_wrong |= expected.is_empty();
            self.use_of(head, term, arguments);
            let expected = Expected::Sorts(expected);
            return self.apply(&sorts, &Operation { expected, result });
        }
        match Operation::of(head, &sorts) {
            Some(operation) => self.apply(&sorts, &operation),
            None => {
                self.heads.insert((head, sorts.len()));
                Sort::Any
            }
        }
    }

    fn apply(&mut self, sorts: &[Sort], operation: &Operation) -> Sort {
        let fits = match &operation.expected {
            Expected::Sorts(expected) => {
                let mut pairs = sorts.iter().zip(expected);
                sorts.len() == expected.len() && pairs.all(|(found, sort)| found.fits(sort))
            }
            Expected::AtLeast(count, expected) => {
                sorts.len() >= *count && sorts.iter().all(|sort| sort.fits(expected))
            }
        };
        self.is_wrong |= !fits;
        operation.result.clone()
    }

    /// Reads the attributes of a term of a sort: `:named a :pattern ((f x))`.
    fn attributes(&mut self, attributes: &[Term<'a>], sort: &Sort) {
        self.is_wrong |= !attributes.first().is_some_and(is_keyword);
        for (index, attribute) in attributes.iter().enumerate() {
            let value = attributes.get(index + 1).filter(|term| !is_keyword(term));
            match (attribute.atom(), value) {
                (Some(b":named"), Some(name)) if name.atom().is_some() => {
                    if let Some(uses) = &mut self.uses {
                        uses.names_of_terms.extend(name.atom());
                    }
                    self.declare(name.atom().unwrap_or_default(), Vec::new(), sort.clone());
                }
                (Some(b":pattern"), Some(value)) if value.list().is_some() => {
                    let before = self.uses.as_ref();
                    let before =
                        before.map(|uses| [&uses.applications, &uses.constants].map(Vec::len));
                    for term in value.list().unwrap_or_default() {
                        self.term(term);
                    }
                    // A value is no pattern.
                    if let (Some(uses), Some([terms, constants])) = (&mut self.uses, before) {
                        uses.applications.truncate(terms);
                        uses.constants.truncate(constants);
                    }
                }
                (Some(b":named" | b":pattern"), _) => self.is_wrong = true,
                _ => {}
            }
        }
    }

    fn binding_let(&mut self, bindings: &[Term<'a>], body: &Term<'a>) -> Sort {
        let mut new: Vec<(&[u8], Sort)> = Vec::new();
        for binding in bindings {
            match binding.application() {
                Some((name, [value])) => new.push((name, self.term(value))),
                _ => self.is_wrong = true,
            }
        }
        let before = self.bound.len();
        for (name, sort) in new {
            self.bind(name, sort);
        }
        self.place = TermPlace::Body;
        let sort = self.term(body);
        self.bound.truncate(before);
        sort
    }
}

/// Returns whether a term is the name of a number, such as `bv8`.
fn is_bit_vector(term: &Term<'_>) -> bool {
    let digits = term.atom().and_then(|name| name.strip_prefix(b"bv"));
    digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_digit))
}

fn is_keyword(term: &Term<'_>) -> bool {
    term.atom().is_some_and(|atom| atom.starts_with(b":"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_right(text: &str) -> bool {
        !ScriptForm::read(text.as_bytes()).is_wrong
    }

    #[test]
    fn sorts_and_numbers_of_arguments_are_checked() {
        let right = "(declare-fun f (Int) String) (declare-const b Bool) ; (\n\
             (define-fun g ((x Int)) Bool (< x 1))\n\
             (assert (let ((y (f 1))) (and (g 2) (= y \"a\"\"b)\") (not b) (= (ite b 1 2) 3.5))))\n\
             (assert (forall ((z Int)) (! (str.in_re (f z) (re.* (str.to_re \"a\"))) :named a)))\n\
             (assert (bvult #x1 ((_ extract 3 0) #xff)))";
        assert!(is_right(right));
        for (from, to) in [
            ("(f 1)", "f"),
            ("(f 1)", "(f \"\")"),
            ("(g 2)", "(g)"),
            ("(g 2)", "0"),
            ("(not b)", "(not b b)"),
            ("(not b)", "(b)"),
            ("(ite b 1 2)", "(ite b 1)"),
            ("(ite b 1 2)", "(ite b 1 \"\")"),
            ("(str.to_re \"a\")", "\"a\""),
            ("(assert (bvult", "((bvult"),
            ("((y (f 1)))", "(y)"),
            ("(z Int)", "(z)"),
            (":named a)", ":named a"),
            ("(declare-const b Bool)", "declare-const b Bool)"),
        ] {
            assert!(right.contains(from), "{from}");
            assert!(!is_right(&right.replacen(from, to, 1)), "{from} -> {to}");
        }
    }

    #[test]
    fn what_nothing_declares_is_collected() {
        let form = ScriptForm::read(b"(assert (p x (q 1))) (check-sat)");
        assert!(!form.is_wrong);
        assert_eq!(form.undeclared, BTreeSet::from([&b"x"[..]]));
        let heads = [(&b"assert"[..], 1), (b"check-sat", 0), (b"p", 2), (b"q", 1)];
        assert_eq!(form.heads, BTreeSet::from(heads));
    }
}
