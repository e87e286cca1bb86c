//! Stubs: statements that every compiler accepts in the place of what functions do.

use boildown_document::{Document, Language};

use crate::bodies::{SMALLEST_REPLACED, outermost};
use crate::edit::Edit;
use crate::grouped_edits::EditGroup;

/// Returns the edits that put a stub in the place of what is in the body of a function: `int f() {
/// return g(1); }` becomes `int f() { throw null; }`. An empty body would not do for a function
/// that has to return something, and each body alone would take many tests. None in a language
/// without stubs.
pub(crate) fn stubs(document: &Document, language: &'static Language) -> EditGroup {
    let Some(stub) = language.stub else {
        return Vec::new();
    };
    let mut bodies = outermost(document, language);
    bodies.retain(|body| body.inside.len() > SMALLEST_REPLACED);
    let bodies = bodies.iter();
    bodies
        .map(|body| vec![Edit::new(&body.inside, stub.as_bytes())])
        .collect()
}

#[cfg(test)]
mod tests {
    use boildown_document::Check;
    use boildown_search::algorithms::Algorithm;

    use super::*;
    use crate::grouped_edits::GroupedEdits;
    use crate::reduced_text::{program_in, reduced};

    #[test]
    fn all_bodies_but_the_needed_one_become_stubs_in_few_queries() {
        let function = |name: usize| format!("fn f{name}() -> u8 {{ let a = {name}; a + 1 }}\n");
        let text: String = (0..8).map(function).collect();
        let (document, rust) = program_in("Rust", &text);
        let groups = [stubs(&document, rust)];
        let search = GroupedEdits::new(&document, groups, &Algorithm::default(), 1, Check::Nothing);
        let (result, queries) = reduced(search, &["a = 5"]);
        let left = |name| match name {
            5 => function(5),
            _ => format!("fn f{name}() -> u8 {{ loop {{}} }}\n"),
        };
        let want: String = (0..8).map(left).collect();
        assert_eq!(result, want);
        assert_eq!(queries, 7);
    }

    #[test]
    fn every_language_with_a_stub_has_bodies_that_become_stubs() {
        let programs = [
            ("C#", "class A { int F() { return G(1, 2); } }"),
            ("Go", "package a\nfunc f() int { return g(1, 2) }"),
            ("Java", "class A { int f() { return g(1, 2); } }"),
            ("Rust", "fn f() -> u8 { return g(1, 2); }"),
            (
                "Scala",
                "object A { def f(): Int = { val b = 1; g(b, 2) } }",
            ),
            ("Swift", "func f() -> Int { return g(1, 2) }"),
            ("Zig", "fn f() u8 { return g(1, 2); }"),
        ];
        let with_stubs = Language::all()
            .iter()
            .filter(|language| language.stub.is_some());
        let with_stubs: Vec<_> = with_stubs.map(|language| language.name).collect();
        assert_eq!(programs.map(|(name, _)| name), *with_stubs);
        let mut without = Vec::new();
        for (name, text) in programs {
            let (document, language) = program_in(name, text);
            let groups = [stubs(&document, language)];
            let search =
                GroupedEdits::new(&document, groups, &Algorithm::default(), 1, Check::Nothing);
            let (text, _) = reduced(search, &[]);
            if !text.contains(language.stub.expect("the language has a stub")) {
                without.push(name);
            }
        }
        assert!(without.is_empty(), "{without:?}");
    }
}
