//! Reductions whose results are more than a part of the input.

use std::sync::Arc;

use boildown_document::Language;
use boildown_reduce::{Layout, NamePolicy, PassSelection, Rules, Strategy, reduction};
use boildown_search::{Fingerprint, Planner, Search as _, Verdict, run};
use proptest::prelude::*;

use crate::chance::chance;

/// Reduces an input to one that parses and for which `keeps` holds.
fn reduced(
    language: &'static Language,
    input: &str,
    strategy: Strategy,
    keeps: &dyn Fn(&str) -> bool,
) -> String {
    assert!(keeps(input), "the input is interesting: {input}");
    let search = reduction(&input.as_bytes().into(), Some(language), strategy);
    let search = run(search, |candidate| {
        let text = String::from_utf8_lossy(candidate.bytes());
        if keeps(&text) && language.errors(text.as_bytes()) == 0 {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    });
    String::from_utf8_lossy(search.best().bytes()).into_owned()
}

fn without(pass: &str) -> Strategy {
    Strategy {
        passes: PassSelection::Without(vec![pass.to_owned()]),
        ..boildown_formats::strategy()
    }
}

/// Checks the results without and with the rewriting passes.
#[track_caller]
fn check(
    language: &str,
    input: &str,
    keeps: impl Fn(&str) -> bool,
    deleted: &str,
    rewritten: &str,
) {
    let language = Language::named(language).expect("the grammar is built");
    let off = reduced(language, input, without("rewriting"), &keeps);
    assert_eq!(off.trim_end(), deleted, "by deletion only");
    let on = reduced(language, input, boildown_formats::strategy(), &keeps);
    assert_eq!(on.trim_end(), rewritten, "with rewriting");
}

#[test]
fn a_condition_becomes_a_statement() {
    check(
        "C",
        "int main(void) { if (g(1)) { h(); } return 0; }",
        |text| text.contains("int main(void) {") && text.contains("g(1)"),
        "int main(void) { if (g(1)) { } }",
        "int main(void) { g(1); }",
    );
}

#[test]
fn a_typedef_is_expanded() {
    // Like a compiler: `x` has to be a variable of that type.
    let declares = |text: &str| {
        let is_typedef = text.contains("typedef unsigned long u64;");
        text.contains("unsigned long x;") && !text.contains("typedef")
            || is_typedef && text.contains("u64 x;")
    };
    check(
        "C",
        "typedef unsigned long u64;\nint y;\nu64 x;\n",
        declares,
        "typedef unsigned long u64;\nu64 x;",
        "unsigned long x;",
    );
}

#[test]
fn uses_of_a_deleted_definition_become_minimal_replacements() {
    let defined = |text: &str, name: &str| {
        !text.contains(&format!("({name},")) && !text.contains(&format!(", {name})"))
            || text.contains(&format!("int {name};"))
    };
    check(
        "C",
        "int a; int b; int c = f(a, b);",
        |text| {
            let call = text.contains("f(") && text.contains(", ") && text.contains(')');
            call && defined(text, "a") && defined(text, "b") && text.contains("int c = f(")
        },
        "int a; int b; int c = f(a, b);",
        "int c = f(0, 0);",
    );
}

#[test]
fn a_body_becomes_pass() {
    check(
        "Python",
        "class a:\n    @b\n    def c(self):\n        return d(self)\n",
        |text| text.contains("class a") && (text.contains("d(self)") || text.contains("pass")),
        "class a:\n    d(self)",
        "class a:\n    pass",
    );
}

#[test]
fn a_value_becomes_a_number() {
    check(
        "JSON",
        "{\"a\": \"two words\", \"b\": [1, 2]}",
        |text| text.starts_with("{\"a\": "),
        "{\"a\": \"\"}",
        "{\"a\": 0}",
    );
}

#[test]
fn a_node_becomes_a_word_of_the_same_width() {
    check(
        "TypeScript",
        "type a = Record<string, number>;",
        |text| text.starts_with("type a = ") && text.trim_end().len() >= 30,
        "type a = Record<string, number>",
        "type a = Record_string__number_",
    );
}

#[test]
fn a_word_takes_the_width_of_a_deleted_neighbour() {
    check(
        "Python",
        "f(first, second)",
        |text| text.starts_with("f(") && text.trim_end().len() >= 16,
        "f(first, second)",
        "f(second_______)",
    );
}

#[test]
fn a_statement_replaces_what_is_around_it_and_keeps_the_width() {
    check(
        "Python",
        "class a:\n    call(1, 2)\n",
        |text| {
            let stands = text.starts_with("class a:\n") || text.starts_with("call");
            stands
                && text
                    .lines()
                    .any(|line| line.ends_with("(1, 2)") && line.len() >= 14)
        },
        "class a:\n    call(1, 2)",
        "call____(1, 2)",
    );
}

#[test]
fn a_word_takes_the_width_of_an_operator() {
    check(
        "JavaScript",
        "x = a || !b_with_a_long_name;",
        |text| text.starts_with("x = a || ") && text.trim_end().len() >= 28,
        "x = a || !b_with_a_long_name",
        "x = a || _b_with_a_long_name",
    );
}

#[test]
fn rules_of_the_user_are_applied() {
    let language = Language::named("TOML").expect("the grammar is built");
    let rules = "rule a table becomes a pair
        [$N] $K = $V  ~>  $N = $V
        example: [a]\\nb = 1  ~>  a = 1";
    let rules = Rules::read(language, rules).expect("the rules are valid");
    let keeps = |text: &str| text.contains('a') && text.contains("= 1");
    let with = |rules| {
        let strategy = Strategy {
            rules,
            ..boildown_formats::strategy()
        };
        reduced(language, "[a]\nb = 1\n", strategy, &keeps)
    };
    assert_eq!(with(Arc::default()), "[a]\nb = 1\n");
    assert_eq!(with(Arc::new(rules)), "a = 1\n");
}

/// Checks the result with a strategy.
#[track_caller]
fn check_finished(
    language: &str,
    input: &str,
    strategy: Strategy,
    keeps: impl Fn(&str) -> bool,
    wanted: &str,
) {
    let language = Language::named(language).expect("the grammar is built");
    assert_eq!(reduced(language, input, strategy, &keeps), wanted);
}

#[test]
fn words_of_strings_and_comments_lose_characters_and_names_do_not() {
    let input = "x = call(\"several words here\", 123456) # why it is so\n";
    let keeps = |text: &str| {
        let called = text.starts_with("x = call(\"") && text.contains('#');
        called
            && text
                .split('"')
                .nth(1)
                .is_some_and(|words| !words.trim().is_empty())
    };
    check_finished(
        "Python",
        input,
        boildown_formats::strategy(),
        keeps,
        "x = call(\"s\") #\n",
    );
}

#[test]
fn fractions_strings_and_characters_of_tiny_texts_become_shorter() {
    let strategy = Strategy::default;
    let keeps = |text: &str| text.contains("0.") && text.contains('7');
    let input = "[1.5, 0.8806666666667979]\n";
    check_finished("JSON", input, strategy(), keeps, "0.7\n");
    let keeps = |text: &str| text.contains('R') && matches!(text.matches('"').count(), 2 | 6);
    let input = "\"\"\"Read\nit.\n\"\"\"\n";
    check_finished("Python", input, strategy(), keeps, "\"R\"\n");
    let keeps =
        |text: &str| text.contains("regex = '") && text.contains("\\x") && !text.contains("'\\x");
    check_finished(
        "TOML",
        "regex = '(\\x'\n",
        strategy(),
        keeps,
        "regex = ' \\x'\n",
    );
}

#[test]
fn the_result_is_tidy_and_keeps_its_line_breaks() {
    let input = "if a:\n\n        if b:\n                    c()\n\n\n                    d()\n";
    let keeps = |text: &str| {
        ["if a:", "if b:", "c()", "d()"]
            .iter()
            .all(|part| text.contains(part))
    };
    let tidy = "if a:\n        if b:\n                c()\n                d()\n";
    check_finished("Python", input, boildown_formats::strategy(), keeps, tidy);
    check_finished("Python", input, without("layout"), keeps, input);
    let compact = Strategy {
        layout: Layout::Compact,
        ..boildown_formats::strategy()
    };
    let input = "int a;\n\nint f(int b)  {\n  return a + b;\n}\n";
    let keeps = |text: &str| text.replace([' ', '\n'], "") == "inta;intf(intb){returna+b;}";
    let keeps = |text: &str| {
        let words = ["int a", "int f", "int b", "return a"];
        keeps(text) && words.iter().all(|words| text.contains(words))
    };
    check_finished(
        "C",
        input,
        compact,
        keeps,
        "int a;int f(int b){return a+b;}",
    );
}

#[test]
fn names_become_canonical_only_on_request() {
    let input = "int total(int left) { int sum = left + left; return sum; }\nint main() { return total(1); }\n";
    // Names in the order in which they first appear; `main` is one that cannot change.
    let shape = |text: &str| {
        let mut seen: Vec<String> = Vec::new();
        let mut shape = String::new();
        for piece in text.split_inclusive(|char: char| !char.is_alphabetic()) {
            let word = piece.trim_end_matches(|char: char| !char.is_alphabetic());
            let index = seen.iter().position(|other| other == word);
            let index = index.unwrap_or(seen.len());
            if index == seen.len() {
                seen.push(word.to_owned());
            }
            let is_fixed = ["int", "return", "main", ""].contains(&word);
            let name = if is_fixed {
                word.to_owned()
            } else {
                index.to_string()
            };
            shape += &format!("{name}{}", &piece[word.len()..]);
        }
        shape
    };
    let wanted = shape(input);
    let keeps = |text: &str| shape(text) == wanted;
    let with = |names| Strategy {
        names,
        ..boildown_formats::strategy()
    };
    let named = "int a(int b) { int c = b + b; return c; }\nint main() { return a(1); }\n";
    check_finished("C", input, with(NamePolicy::Canonical), keeps, named);
    check_finished("C", input, with(NamePolicy::Preserved), keeps, input);
}

#[test]
fn an_error_in_a_rule_is_reported_with_its_line() {
    let c = Language::named("C").expect("the grammar is built");
    let error = |text: &str| match Rules::read(c, text) {
        Ok(_) => "none".to_owned(),
        Err(error) => error.to_string(),
    };
    assert_eq!(error("# nothing\n\n"), "none");
    assert_eq!(
        error("rule a\n  if ($C) $S\n"),
        "line 2: expected `rule NAME`, `least KIND TEXT` or `PATTERN ~> REPLACEMENT`"
    );
    assert_eq!(
        error("f() ~> 0"),
        "line 1: a rule has to begin with a line `rule NAME`"
    );
    assert_eq!(
        error("rule a\n  f($A) ~> $B\n"),
        "line 2: the replacement uses $B, which the pattern does not bind"
    );
    assert_eq!(
        error("rule a\n  $A ~> 0\n"),
        "line 2: the pattern consists of holes only, so it would match everywhere"
    );
    assert_eq!(
        error("rule a\n  f() ~> 0\n"),
        "line 2: the rule `a`, which ends here, has no example"
    );
    assert_eq!(
        error("rule a\n  f($A) ~> $A\n  example: int x = f(1); ~> int x = 2;\n"),
        "line 3: the example of `a` does not hold\n  it yields int x = 1;"
    );
    assert_eq!(
        error("rule a\n  f() ~> g(1)\n  example: int x = f(); ~> int x = g(1);\n"),
        "line 3: the example of `a` does not hold\n  the rule proposes nothing for it"
    );
    assert_eq!(
        error("least nonsense 0"),
        "line 1: C has no node kind `nonsense`"
    );
}

/// Returns the queries in the order in which they were told, and the result, with this many workers
/// that answer in an order that depends on the seed.
fn history(text: &str, workers: usize, seed: u64, one_in: u64) -> (Vec<Fingerprint>, Vec<u8>) {
    let search = reduction(
        &text.as_bytes().into(),
        Language::named("C"),
        boildown_formats::strategy(),
    );
    let mut planner = Planner::new(search);
    let mut running = Vec::new();
    let mut answers = Vec::new();
    let mut turn = usize::from(seed.to_le_bytes()[0]);
    while !planner.is_finished() {
        while running.len() < workers
            && let Some(ticket) = planner.next()
        {
            running.push((ticket.id, ticket.candidate));
        }
        turn = turn * 31 % 8191 + 1;
        let (id, candidate) = running.swap_remove(turn % running.len());
        planner.answer(id, chance(&candidate, seed, one_in));
        while let Some(answer) = planner.advance() {
            answers.push(answer.fingerprint);
        }
        let abandoned = planner.abandoned();
        running.retain(|(id, _)| !abandoned.contains(id));
    }
    (answers, planner.search().best().bytes().to_vec())
}

const PROGRAM: &str = "typedef unsigned long u64;\nstruct s { int x; } t;\nu64 f(int a, char *b) {\n    \
    if (a > 10) { return b[0]; }\n    a = a + g(\"x y\", a, 30);\n}\n";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_result_is_the_same_with_any_number_of_workers_and_any_verdicts(
        seed in any::<u64>(),
        one_in in 1_u64..20,
        workers in 2_usize..9,
    ) {
        prop_assert_eq!(
            history(PROGRAM, 1, seed, one_in),
            history(PROGRAM, workers, seed, one_in)
        );
    }
}

/// Returns the elements of each parenthesised list after an `f`.
fn lists_after_f(text: &str) -> Vec<Vec<&str>> {
    (text.split("f(").skip(1))
        .filter_map(|rest| rest.split_once(')'))
        .map(|(list, _)| list.split(',').map(str::trim).collect())
        .collect()
}

#[test]
fn a_parameter_is_deleted_with_its_arguments() {
    let language = Language::named("C").expect("the grammar is built");
    // Like a compiler: every call has as many arguments as there are parameters.
    let compiles = |text: &str| {
        let lists = lists_after_f(text);
        lists.len() == 3
            && lists[0].iter().all(|part| part.starts_with("int "))
            && lists
                .iter()
                .all(|list| list.len() == lists[0].len() && !list.contains(&""))
    };
    let result = reduced(
        language,
        "int f(int a, int b, int c) { return b; } int g() { return f(1, 2, 3) + f(4, 5, 6); }",
        boildown_formats::strategy(),
        &|text| {
            let [start, end] = ["int f(", "} int g() { return f("].map(|part| text.contains(part));
            start && end && text.contains("int b") && text.contains("return b;") && compiles(text)
        },
    );
    let parameters = &lists_after_f(&result)[0];
    assert_eq!(*parameters, ["int b"], "{result}");
}

#[test]
fn a_type_parameter_goes_with_the_parameter_that_has_it() {
    let language = Language::named("Rust").expect("the grammar is built");
    let result = reduced(
        language,
        "fn f<T: A, U>(a: T, b: U) -> U { b } fn g() -> u8 { f(x, 1) }",
        boildown_formats::strategy(),
        &|text| {
            // Like a compiler: a type parameter that no argument tells is an error.
            let mentions = [", U>", "a: T", "T: A", "f(x, "].map(|part| text.contains(part));
            let is_whole = ["f<", "U>(", "b: U)", "{ b }", "1) }"]
                .iter()
                .all(|part| text.contains(part));
            is_whole && (mentions == [true; 4] || mentions == [false; 4])
        },
    );
    assert!(result.starts_with("fn f<U>(b: U) "), "{result}");
}

#[test]
fn a_type_takes_the_place_of_a_type_parameter_without_its_condition() {
    let language = Language::named("Rust").expect("the grammar is built");
    let result = reduced(
        language,
        "struct Long; fn f<T>(a: T) where T: A, u8: B { a.b() } fn g() { f(Long) }",
        boildown_formats::strategy(),
        &|text| {
            // Like a compiler: a condition on a type that does not meet it is an error.
            let mentions = ["f<T>(", "a: T)", "T: A"].map(|part| text.contains(part));
            let is_whole = ["struct Long;", "(a: ", "u8: B", "{ a.b() }", "{ f(Long) }"];
            let is_concrete = text.contains("f(a: Long)") && mentions == [false; 3];
            is_whole.iter().all(|part| text.contains(part))
                && (mentions == [true; 3] || is_concrete && !text.contains("Long: A"))
        },
    );
    assert!(result.contains("fn f(a: Long) where u8: B "), "{result}");
}

#[test]
fn calls_of_a_deleted_function_become_minimal_replacements() {
    let language = Language::named("C").expect("the grammar is built");
    let result = reduced(
        language,
        "int f(int a) { return a; } int g() { return f(f(b)) + f(c); }",
        boildown_formats::strategy(),
        &|text| {
            let is_defined = text.contains("int f(int a) {") || !text.contains('f');
            let sum = text
                .rsplit_once("return ")
                .and_then(|(_, sum)| sum.split_once(" + "));
            is_defined
                && text.contains("int g() { return ")
                && sum.is_some_and(|(left, right)| !left.is_empty() && !right.starts_with(';'))
        },
    );
    assert_eq!(result.trim(), "int g() { return 0 + 0; }");
}

#[test]
fn neighbouring_functions_are_merged() {
    for (language, input, want) in [
        (
            "C",
            "void f() { a(); } void g() { b(); }",
            "void f() { a(); b(); }",
        ),
        (
            "Python",
            "def f():\n  a()\ndef g():\n  b()\n",
            "def f():\n  a()\n  b()\n",
        ),
    ] {
        let language = Language::named(language).expect("the grammar is built");
        // Calls have to be inside a function.
        let keeps = |text: &str| {
            let [f, a, b] = ["f()", "a()", "b()"].map(|call| text.find(call));
            let heads = text.matches("void ").count() + text.matches("def ").count();
            let bodies = text.matches('}').count() + text.matches("  ").count();
            f.is_some()
                && (f < a && a < b)
                && (text.starts_with("void f") && text.trim_end().ends_with('}')
                    || text.starts_with("def f") && text.contains("  b()"))
                && (1..=bodies).contains(&heads)
                && text.contains('{') == text.contains('}')
                && text.contains("g()") == (heads == 2)
        };
        let result = reduced(language, input, boildown_formats::strategy(), &keeps);
        assert_eq!(result.trim(), want.trim());
    }
}
