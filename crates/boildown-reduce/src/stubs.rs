//! Stubs: statements that every compiler accepts in the place of what functions do.

use std::ops::Range;

use boildown_document::{Document, Language};
use boildown_search::tree::NodeId;

use crate::bodies::{SMALLEST_REPLACED, outermost};
use crate::edit::Edit;
use crate::grouped_edits::EditGroup;
use crate::symbols::parents;

/// Returns the edits that put a stub in the place of what is in the body of a function: `int f() {
/// return g(1); }` becomes `int f() { throw null; }`. An empty body would not do for a function
/// that has to return something, and each body alone would take many tests. None in a language
/// without stubs.
pub(crate) fn stubs(document: &Document, language: &'static Language) -> EditGroup {
    let Some(stub) = language.stub else {
        return Vec::new();
    };
    let mut bodies: Vec<Range<usize>> = match language.is_indented {
        true => indented(document, language),
        false => {
            let bodies = outermost(document, language).into_iter();
            bodies.map(|body| body.inside).collect()
        }
    };
    bodies.retain(|body| body.len() > SMALLEST_REPLACED);
    let bodies = bodies.iter();
    bodies
        .map(|body| vec![Edit::new(body, stub.as_bytes())])
        .collect()
}

/// Returns the tokens of each body of a function that is in no other one, in order, for a language
/// whose blocks are indented. Those of classes hold declarations.
fn indented(document: &Document, language: &Language) -> Vec<Range<usize>> {
    let grammar = language.grammar();
    let body = grammar.field_id_for_name("body").map(u16::from);
    let tree = document.tree();
    let parents = parents(tree);
    let is_function = |node: NodeId| {
        let kind = grammar.node_kind_for_id(tree.nodes[node].kind);
        kind.is_some_and(|kind| kind.contains("function"))
    };
    let mut bodies: Vec<Range<usize>> = Vec::new();
    for node in tree.nodes.ids().skip(1) {
        let tokens = tree.nodes[node].tokens();
        let is_body = Some(document.field(node)) == body && is_function(parents[node]);
        if is_body && bodies.last().is_none_or(|last| last.end <= tokens.start) {
            bodies.push(tokens);
        }
    }
    bodies
}

#[cfg(test)]
mod tests {
    use boildown_document::Check;
    use boildown_search::algorithms::Algorithm;

    use super::*;
    use crate::grouped_edits::GroupedEdits;
    use crate::reduced_text::{program_in, reduced};

    #[test]
    fn what_is_indented_under_a_function_is_its_body() {
        let text = "class A:\n    def f(self):\n        a = 1\n        return g(a + 1)\n\n\
                    def g(a):\n    def h():\n        return 1 + 2\n    return h() + 5\n";
        let (document, python) = program_in("Python", text);
        let groups = [stubs(&document, python)];
        let search = GroupedEdits::new(&document, groups, &Algorithm::default(), 1, Check::Nothing);
        let (result, queries) = reduced(search, &["def f", "def g"]);
        let want = "class A:\n    def f(self):\n        pass\n\ndef g(a):\n    pass\n";
        assert_eq!((result.as_str(), queries), (want, 1));
    }

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
            ("Python", "def f():\n    a = 1\n    return g(a, 2)\n"),
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
