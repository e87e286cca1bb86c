//! The form of a script of SMT-LIB: its commands, the symbols that it declares, and the sorts of
//! its terms, as far as they are known.

use std::collections::{BTreeMap, BTreeSet};

use super::hashing::{HASH_START, hash};

/// What is known of the form of a script.
#[derive(Debug, Default)]
pub(super) struct ScriptForm<'a> {
    /// The commands and the operations that are neither declared nor built in, each with the number
    /// of its arguments.
    pub(super) heads: BTreeSet<(&'a [u8], usize)>,
    /// The symbols in terms that nothing declares.
    pub(super) undeclared: BTreeSet<&'a [u8]>,
    /// Whether brackets, a number of arguments or a sort is wrong.
    pub(super) is_wrong: bool,
    declared: BTreeMap<&'a [u8], Signature>,
    /// The symbols that are bound where the walk is.
    bound: Vec<(&'a [u8], Sort)>,
}

/// A sort, as far as it matters. Integers and reals are alike, and what is not known is any sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Any,
    Bool,
    Number,
    Text,
    Language,
    /// A sort of another name.
    Named(u64),
}

/// The arguments and the result of a declared symbol.
#[derive(Debug, Clone)]
struct Signature {
    arguments: Vec<Sort>,
    result: Sort,
}

#[derive(Debug)]
enum Term<'a> {
    Atom(&'a [u8]),
    List(Vec<Self>),
}

/// Terms that are nested deeper than this are not looked at.
const DEEPEST: usize = 200;

impl<'a> ScriptForm<'a> {
    pub(super) fn read(text: &'a [u8]) -> Self {
        let mut form = Self::default();
        match parse(text) {
            ReadTerms::Script(commands) => {
                for command in &commands {
                    form.command(command);
                }
            }
            ReadTerms::Unbalanced => form.is_wrong = true,
            ReadTerms::TooDeep => {}
        }
        form
    }

    fn command(&mut self, command: &Term<'a>) {
        let Term::List(parts) = command else {
            self.is_wrong = true;
            return;
        };
        let [Term::Atom(head), arguments @ ..] = &parts[..] else {
            self.is_wrong = true;
            return;
        };
        if *head != b"declare-const" {
            self.heads.insert((head, arguments.len()));
        }
        match (*head, arguments) {
            (b"assert", [term]) => {
                let sort = self.term(term);
                self.expect(sort, Sort::Bool);
            }
            (b"declare-const", [Term::Atom(name), sort]) => {
                self.declare(name, Vec::new(), Sort::of(sort));
            }
            (b"declare-fun", [Term::Atom(name), Term::List(sorts), sort]) => {
                let arguments = sorts.iter().map(Sort::of).collect();
                self.declare(name, arguments, Sort::of(sort));
            }
            (b"define-fun", [Term::Atom(name), Term::List(parameters), sort, body]) => {
                let before = self.bound.len();
                self.bind_sorted(parameters);
                let arguments = self.bound[before..].iter().map(|(_, sort)| *sort).collect();
                let found = self.term(body);
                self.bound.truncate(before);
                self.expect(found, Sort::of(sort));
                self.declare(name, arguments, Sort::of(sort));
            }
            (b"assert" | b"declare-const" | b"declare-fun" | b"define-fun", _) => {
                self.is_wrong = true;
            }
            _ => {}
        }
    }

    fn declare(&mut self, name: &'a [u8], arguments: Vec<Sort>, result: Sort) {
        self.declared.insert(name, Signature { arguments, result });
    }

    fn expect(&mut self, found: Sort, expected: Sort) {
        self.is_wrong |= !found.fits(expected);
    }

    /// Binds the symbols of `((x Int) (y Int))`.
    fn bind_sorted(&mut self, parameters: &[Term<'a>]) {
        for parameter in parameters {
            match parameter {
                Term::List(pair) => match &pair[..] {
                    [Term::Atom(name), sort] => self.bound.push((name, Sort::of(sort))),
                    _ => self.is_wrong = true,
                },
                Term::Atom(_) => self.is_wrong = true,
            }
        }
    }

    fn term(&mut self, term: &Term<'a>) -> Sort {
        match term {
            Term::Atom(atom) => self.atom(atom),
            Term::List(parts) => match &parts[..] {
                [Term::Atom(head), arguments @ ..] => self.application(head, arguments),
                [Term::List(_), arguments @ ..] => {
                    for argument in arguments {
                        self.term(argument);
                    }
                    Sort::Any
                }
                [] => {
                    self.is_wrong = true;
                    Sort::Any
                }
            },
        }
    }

    fn atom(&mut self, atom: &'a [u8]) -> Sort {
        if let Some((_, sort)) = self.bound.iter().rev().find(|(name, _)| *name == atom) {
            return *sort;
        }
        if let Some(signature) = self.declared.get(atom) {
            self.is_wrong |= !signature.arguments.is_empty();
            return signature.result;
        }
        match atom {
            b"true" | b"false" => Sort::Bool,
            [b'"', ..] => Sort::Text,
            [b'0'..=b'9', ..] => Sort::Number,
            [b'#', ..] => Sort::Any,
            _ => {
                self.undeclared.insert(atom);
                Sort::Any
            }
        }
    }

    fn application(&mut self, head: &'a [u8], arguments: &[Term<'a>]) -> Sort {
        match (head, arguments) {
            (b"let", [Term::List(bindings), body]) => return self.binding_let(bindings, body),
            (b"forall" | b"exists", [Term::List(parameters), body]) => {
                let before = self.bound.len();
                self.bind_sorted(parameters);
                let sort = self.term(body);
                self.bound.truncate(before);
                self.expect(sort, Sort::Bool);
                return Sort::Bool;
            }
            (b"!", [term, ..]) => return self.term(term),
            (b"let" | b"forall" | b"exists" | b"!", _) => {
                self.is_wrong = true;
                return Sort::Any;
            }
            (b"_" | b"as" | b"match", _) => return Sort::Any,
            _ => {}
        }
        let sorts: Vec<Sort> = arguments.iter().map(|term| self.term(term)).collect();
        if self.bound.iter().any(|(name, _)| *name == head) {
            self.is_wrong = true;
            return Sort::Any;
        }
        if let Some(signature) = self.declared.get(head) {
            let (expected, result) = (signature.arguments.clone(), signature.result);
            self.is_wrong |= expected.is_empty();
            self.expect_all(&sorts, &expected);
            return result;
        }
        self.built_in(head, &sorts)
    }

    fn binding_let(&mut self, bindings: &[Term<'a>], body: &Term<'a>) -> Sort {
        let mut new = Vec::new();
        for binding in bindings {
            let pair = match binding {
                Term::List(pair) => &pair[..],
                Term::Atom(_) => &[],
            };
            match pair {
                [Term::Atom(name), value] => new.push((*name, self.term(value))),
                _ => self.is_wrong = true,
            }
        }
        let before = self.bound.len();
        self.bound.append(&mut new);
        let sort = self.term(body);
        self.bound.truncate(before);
        sort
    }

    fn expect_all(&mut self, sorts: &[Sort], expected: &[Sort]) {
        let fits = |(found, expected): (&Sort, &Sort)| found.fits(*expected);
        self.is_wrong |= sorts.len() != expected.len() || !sorts.iter().zip(expected).all(fits);
    }

    /// Looks at an operation that nothing declares.
    fn built_in(&mut self, head: &'a [u8], sorts: &[Sort]) -> Sort {
        use Sort::{Any, Bool, Language, Number, Text};
        let (of_any_number, result) = match head {
            b"and" | b"or" | b"xor" | b"=>" => (Bool, Bool),
            b"<" | b"<=" | b">" | b">=" => (Number, Bool),
            b"+" | b"*" | b"-" | b"/" | b"div" => (Number, Number),
            b"str.++" => (Text, Text),
            b"re.++" | b"re.union" | b"re.inter" => (Language, Language),
            b"=" | b"distinct" => {
                let known = sorts.iter().copied().find(|sort| *sort != Any);
                (known.unwrap_or(Any), Bool)
            }
            _ => return self.of_fixed_number(head, sorts),
        };
        let fewest = if head == b"-" { 1 } else { 2 };
        self.is_wrong |= sorts.len() < fewest || !sorts.iter().all(|sort| sort.fits(of_any_number));
        result
    }

    /// Looks at an operation with a fixed number of arguments.
    fn of_fixed_number(&mut self, head: &'a [u8], sorts: &[Sort]) -> Sort {
        use Sort::{Any, Bool, Language, Number, Text};
        let (expected, result): (&[Sort], Sort) = match head {
            b"not" => (&[Bool], Bool),
            b"ite" => {
                let branches = sorts.get(1..).unwrap_or_default();
                let known = branches.iter().copied().find(|sort| *sort != Any);
                let branch = known.unwrap_or(Any);
                self.expect_all(sorts, &[Bool, branch, branch]);
                return branch;
            }
            b"mod" => (&[Number, Number], Number),
            b"abs" | b"to_real" | b"to_int" => (&[Number], Number),
            b"is_int" => (&[Number], Bool),
            b"str.len" | b"str.to.int" | b"str.to_int" | b"str.to_code" => (&[Text], Number),
            b"int.to.str" | b"str.from_int" | b"str.from_code" => (&[Number], Text),
            b"str.at" => (&[Text, Number], Text),
            b"str.substr" => (&[Text, Number, Number], Text),
            b"str.prefixof" | b"str.suffixof" | b"str.contains" | b"str.<" | b"str.<=" => {
                (&[Text, Text], Bool)
            }
            b"str.indexof" => (&[Text, Text, Number], Number),
            b"str.replace" | b"str.replace_all" => (&[Text, Text, Text], Text),
            b"str.is_digit" => (&[Text], Bool),
            b"str.in.re" | b"str.in_re" => (&[Text, Language], Bool),
            b"str.to.re" | b"str.to_re" => (&[Text], Language),
            b"re.*" | b"re.+" | b"re.opt" | b"re.comp" => (&[Language], Language),
            b"re.range" => (&[Text, Text], Language),
            _ => {
                self.heads.insert((head, sorts.len()));
                return Any;
            }
        };
        self.expect_all(sorts, expected);
        result
    }
}

impl Sort {
    fn of(term: &Term<'_>) -> Self {
        match term {
            Term::Atom(b"Bool") => Self::Bool,
            Term::Atom(b"Int" | b"Real") => Self::Number,
            Term::Atom(b"String") => Self::Text,
            Term::Atom(b"RegLan") => Self::Language,
            Term::Atom(name) => Self::Named(hash(HASH_START, name)),
            Term::List(_) => Self::Any,
        }
    }

    fn fits(self, expected: Self) -> bool {
        self == expected || self == Self::Any || expected == Self::Any
    }
}

enum ReadTerms<'a> {
    Script(Vec<Term<'a>>),
    Unbalanced,
    TooDeep,
}

fn parse(text: &[u8]) -> ReadTerms<'_> {
    let mut open: Vec<Vec<Term<'_>>> = vec![Vec::new()];
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let length_to = |end: u8| rest.iter().skip(1).position(|&byte| byte == end);
        let is_end = |byte: &u8| {
            byte.is_ascii_whitespace() || matches!(byte, b'(' | b')' | b'"' | b';' | b'|')
        };
        let length = match rest[0] {
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b';' => {
                at += rest.iter().take_while(|&&byte| byte != b'\n').count();
                continue;
            }
            b'(' => {
                at += 1;
                open.push(Vec::new());
                if open.len() > DEEPEST {
                    return ReadTerms::TooDeep;
                }
                continue;
            }
            b')' => {
                at += 1;
                let (Some(list), Some(outer)) = (open.pop(), open.last_mut()) else {
                    return ReadTerms::Unbalanced;
                };
                outer.push(Term::List(list));
                continue;
            }
            end @ (b'"' | b'|') => match length_to(end) {
                Some(length) => length + 2,
                None => return ReadTerms::Unbalanced,
            },
            _ => rest.iter().take_while(|byte| !is_end(byte)).count(),
        };
        if let Some(list) = open.last_mut() {
            // A quote in a string is written twice.
            let is_continued = at > 0 && rest[0] == b'"' && text[at - 1] == b'"';
            if !(is_continued && matches!(list.last(), Some(Term::Atom([b'"', ..])))) {
                list.push(Term::Atom(&rest[..length]));
            }
        }
        at += length;
    }
    match (open.pop(), open.is_empty()) {
        (Some(script), true) => ReadTerms::Script(script),
        _ => ReadTerms::Unbalanced,
    }
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
