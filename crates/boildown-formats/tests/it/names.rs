//! Reductions of programs in which everything that is used has to be defined.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use boildown_document::Language;
use boildown_reduce::reduction;
use boildown_search::{Search as _, Verdict, run};

/// Returns the names defined in lines like `int NAME() { CALLED(); … }`, with the names that each
/// calls; `None` when a line is different.
fn definitions(text: &str) -> Option<Vec<(&str, Vec<&str>)>> {
    (text.lines().map(str::trim).filter(|line| !line.is_empty()))
        .map(|line| {
            let (name, body) = line.strip_prefix("int ")?.split_once("() {")?;
            let calls = body.strip_suffix('}')?.split_whitespace();
            let calls: Option<Vec<&str>> = calls.map(|call| call.strip_suffix("();")).collect();
            Some((name, calls?))
        })
        .collect()
}

/// Returns whether everything that is called is defined.
fn compiles(text: &str) -> bool {
    definitions(text).is_some_and(|definitions| {
        let names: BTreeSet<&str> = definitions.iter().map(|(name, _)| *name).collect();
        let mut calls = definitions.iter().flat_map(|(_, calls)| calls);
        calls.all(|call| names.contains(call))
    })
}

#[test]
fn an_unused_definition_and_everything_only_it_uses_are_deleted_in_one_query() {
    let language = Language::named("C").expect("the grammar is built");
    // Two groups of functions that call each other, interleaved so that no range of lines can be
    // deleted. Only `m` is needed, and it calls one of the groups.
    let mut text = String::new();
    for at in (0..40).map(|at| at * 7 % 40) {
        for half in ["a", "b"] {
            writeln!(text, "int {half}{at}() {{ {half}{}(); }}", (at + 1) % 40)
                .expect("writing to a string");
        }
    }
    text.push_str("int n() { b0(); }\nint m() { a0(); }\n");
    assert!(compiles(&text));
    let mut asked = Vec::new();
    let search = reduction(
        &text.as_bytes().into(),
        Some(language),
        boildown_formats::strategy(),
    );
    let search = run(search, |candidate| {
        let text = String::from_utf8_lossy(candidate.bytes()).into_owned();
        let verdict = match compiles(&text) && text.contains("int m()") {
            true => Verdict::Interesting,
            false => Verdict::Uninteresting,
        };
        asked.push((text, verdict));
        verdict
    });
    let result = String::from_utf8_lossy(search.best().bytes()).into_owned();
    assert_eq!(result.trim(), "int m() { }");
    let without = (asked.iter())
        .position(|(text, verdict)| verdict.is_interesting() && !text.contains("int b"));
    assert!(
        without < Some(8),
        "the unused group is deleted at once: {without:?}"
    );
}
