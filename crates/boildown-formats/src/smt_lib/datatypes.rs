//! Declarations of sorts and datatypes, and cases by constructors.

use super::form::ScriptForm;
use super::sorts::Sort;
use super::terms::Term;

impl<'a> ScriptForm<'a> {
    pub(super) fn declare_sort(&mut self, name: &Term<'a>, parameters: &Term<'a>) {
        let name = name.atom().unwrap_or_default();
        let sort = match parameters.atom() {
            Some(b"0") => Sort::Named(name.to_vec()),
            _ => Sort::Any,
        };
        self.new_sort(name, sort);
    }

    /// Reads `((List 0) (Tree 0)) ((constructors of the first) (those of the second))`.
    pub(super) fn datatypes(&mut self, names: &Term<'a>, datatypes: &Term<'a>) {
        let (Some(names), Some(datatypes)) = (names.list(), datatypes.list()) else {
            self.is_wrong = true;
            return;
        };
        // The old form, `() ((List constructors) …)`, is not read.
        if names.is_empty() {
            return;
        }
        self.is_wrong |= names.len() != datatypes.len();
        for name in names {
            match name.list() {
                Some([name, parameters]) => self.declare_sort(name, parameters),
                _ => self.is_wrong = true,
            }
        }
        for (name, datatype) in names.iter().zip(datatypes) {
            if let Some(uses) = &mut self.uses {
                let both = [name.range.clone(), datatype.range.clone()];
                uses.datatypes.push(both);
            }
            let name = name.application().map_or(&b""[..], |(name, _)| name);
            self.constructors(name, datatype);
        }
    }

    /// Reads `((nil) (cons (head Int) (tail List)))`.
    pub(super) fn constructors(&mut self, datatype: &'a [u8], constructors: &Term<'a>) {
        let own = self.sorts.get(datatype).cloned().unwrap_or(Sort::Any);
        let Some(constructors) = constructors.list().filter(|list| !list.is_empty()) else {
            self.is_wrong = true;
            return;
        };
        if own == Sort::Any || constructors[0].atom() == Some(b"par") {
            return;
        }
        for constructor in constructors {
            let (name, selectors) = match (constructor.atom(), constructor.application()) {
                (Some(name), _) => (name, &[][..]),
                (None, Some(parts)) => parts,
                (None, None) => {
                    self.is_wrong = true;
                    continue;
                }
            };
            let mut arguments = Vec::new();
            for selector in selectors {
                let Some((selector, [sort])) = selector.application() else {
                    self.is_wrong = true;
                    continue;
                };
                let sort = self.sort(sort);
                arguments.push(sort.clone());
                self.name(selector);
                self.declare(selector, vec![own.clone()], sort);
            }
            self.symbol(name, None, selectors, &own);
            self.declare(name, arguments, own.clone());
        }
    }

    /// Reads the cases of a value: `((nil 0) ((cons head tail) head))`.
    pub(super) fn matching(&mut self, value: &Term<'a>, cases: &[Term<'a>]) -> Sort {
        let matched = self.term(value);
        let mut result = None;
        for case in cases {
            let Some([pattern, term]) = case.list() else {
                self.is_wrong = true;
                continue;
            };
            let before = self.bound.len();
            if let Some((name, fields)) = pattern.application() {
                let sorts = self.declared.get(name).map(|known| known.arguments.clone());
                self.is_wrong |= sorts.as_ref().is_some_and(|it| it.len() != fields.len());
                if sorts.is_none() {
                    self.undeclared.insert(name);
                }
                let mut sorts = sorts.unwrap_or_default().into_iter();
                for field in fields {
                    let sort = sorts.next().unwrap_or(Sort::Any);
                    self.bind(field.atom().unwrap_or_default(), sort);
                }
            } else if let Some(name) = pattern.atom() {
                if !self.declared.contains_key(name) {
                    self.bind(name, matched.clone());
                }
            } else {
                self.is_wrong = true;
            }
            let sort = self.term(term);
            self.bound.truncate(before);
            self.expect(&sort, result.get_or_insert_with(|| sort.clone()));
        }
        self.is_wrong |= cases.is_empty();
        result.unwrap_or(Sort::Any)
    }
}
