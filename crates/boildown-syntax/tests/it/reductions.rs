//! Small reductions, each with what must stay and what comes out.

use boildown_search::{Search, Verdict, run};
use boildown_syntax::{Gate, Language, reduction};

/// Reduces `input` while it parses (when it is in a language) and holds every text of `must_keep`; the only place that knows how.
#[track_caller]
fn check(language: &str, input: &str, must_keep: &[&str], expect: &str) {
    let language =
        (!language.is_empty()).then(|| Language::named(language).expect("a known language"));
    let search = reduction(input.as_bytes().into(), language, Gate::Adaptive);
    let parses = |bytes: &[u8]| {
        let Some(language) = language else {
            return true;
        };
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&language.grammar()).unwrap();
        !parser.parse(bytes, None).unwrap().root_node().has_error()
    };
    let mut questions = 0;
    let search = run(search, |draft| {
        questions += 1;
        let text = String::from_utf8_lossy(draft.bytes());
        let keeps = must_keep.iter().all(|part| text.contains(part));
        if keeps && parses(draft.bytes()) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    });
    let result = String::from_utf8_lossy(search.best().bytes()).into_owned();
    assert_eq!(result, expect, "after {questions} questions");
}

#[test]
fn a_list_loses_its_elements_with_their_separators() {
    check("JSON", "[1, 2, 3, 4]", &["3"], "3");
    check(
        "JSON",
        r#"{"a": [1, 2, 3], "b": {"c": 4}}"#,
        &["\"b\"", "4"],
        "{\"b\": 4}",
    );
    check("Python", "f(a, b, c)\n", &["f(", "b"], "f(b)\n");
}

#[test]
fn a_statement_takes_the_place_of_the_block_around_it() {
    check(
        "C",
        "int main(void) { if (x) { while (y) { foo(1); } } return 0; }",
        &["foo("],
        "foo()",
    );
    check(
        "Python",
        "def f():\n    if a:\n        for b in c:\n            keep()\n            me()\n    return 1\n",
        &["def", "keep()\n", "me()"],
        "def f():\n    keep()\n    me()\n",
    );
}
