//! Small reductions, each with what must stay and what comes out.

use std::fmt::Write as _;

use boildown_search::{Search as _, Verdict, run};
use boildown_syntax::{Language, Strategy, reduction};

/// Reduces `input` while it parses (when it is in a language) and holds every text of `must_keep`; the only place that knows how.
#[track_caller]
fn check(language: &str, input: &str, must_keep: &[&str], expect: &str) {
    let language =
        (!language.is_empty()).then(|| Language::named(language).expect("a known language"));
    let search = reduction(&input.as_bytes().into(), language, Strategy::default());
    let mut questions = 0;
    let search = run(search, |draft| {
        questions += 1;
        let text = String::from_utf8_lossy(draft.bytes());
        let keeps = must_keep.iter().all(|part| text.contains(part));
        if keeps && language.is_none_or(|language| language.errors(text.as_bytes()) == 0) {
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
        "foo();",
    );
    check(
        "Python",
        "def f():\n    if a:\n        for b in c:\n            keep()\n            me()\n    return 1\n",
        &["def", "keep()\n", "me()"],
        "def f():\n    keep()\n    me()\n",
    );
}

#[test]
fn what_is_chained_loses_many_links_at_once() {
    let call = |links: &[usize]| {
        let links = links.iter().map(|link| format!(".f{link}()"));
        format!("let r = x{};", links.collect::<String>())
    };
    let all: Vec<usize> = (10..74).collect();
    let language = Language::named("JavaScript").expect("a known language");
    let input = call(&all).into_bytes().into();
    let search = reduction(&input, Some(language), Strategy::default());
    let mut questions = 0;
    let search = run(search, |draft| {
        questions += 1;
        let text = String::from_utf8_lossy(draft.bytes());
        let parses = language.errors(text.as_bytes()) == 0;
        if parses && [".f20()", ".f60()"].iter().all(|link| text.contains(link)) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    });
    let result = String::from_utf8_lossy(search.best().bytes()).into_owned();
    assert_eq!((result.as_str(), questions), ("x.f20().f60()", 75));
}

#[test]
fn a_single_character_that_shows_it_is_all_that_is_left() {
    let search = reduction(
        &b"def f(a):\r\n    return a\r\n".as_slice().into(),
        Language::named("Python"),
        Strategy::default(),
    );
    let mut questions = 0;
    let search = run(search, |draft| {
        questions += 1;
        if draft.bytes().contains(&b'\r') {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    });
    assert_eq!((&**search.best().bytes(), questions), (&b"\r"[..], 2));
}

#[test]
fn white_space_stays_as_somebody_would_have_written_it() {
    check(
        "C",
        "int a;\nint b;\nint c;\n",
        &["int a", "int c"],
        "int a;\nint c;\n",
    );
    check(
        "Python",
        "import a\nif x:\n    b()\n    keep()\n    c()\n",
        &["if x", "keep()"],
        "if x:\n    keep()\n",
    );
    check(
        "JSON",
        "{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}\r\n",
        &["\"b\"", "2"],
        "{\r\n  \"b\": 2\r\n}\r\n",
    );
    check("JavaScript", "return/*c*/x;", &["return ", "x"], "return x");
}

#[test]
fn two_words_become_one_for_those_who_read_them_so_all_the_same() {
    check("SQL", "SELECT 0 AS a, b;", &["0", "AS"], "SELECT 0AS_");
}

#[test]
fn a_separator_that_is_not_one_stays_when_its_neighbour_goes() {
    check(
        "C",
        "void f(void) { for (a; b; c) d(); }",
        &["for", "c)"],
        "for (;; c);",
    );
}

#[test]
fn comments_go_first_and_words_of_strings_can_go() {
    check(
        "C",
        "/* one */ int x; // two\nchar *s = \"keep the needle here\";\n",
        &["needle\"", "s"],
        "s \"needle\";\n",
    );
}

#[test]
fn a_text_without_grammar_loses_lines_groups_words_and_bytes() {
    check(
        "",
        "(module\n  (func $a (i32.const 1))\n  (data (i32.const 0) \"xyz\"))\n",
        &["data", "z"],
        "dataz",
    );
    check("", "one two\nthree four\n\nfive\n", &["three"], "three");
    check("", "", &[], "");
}

#[test]
fn a_file_that_does_not_parse_is_reduced_all_the_same() {
    check("", "int x = = 3;\nfoo(;\nint keep;\n", &["keep"], "keep");
    let broken = "int f( { return 1 }\nint needle;\nint g(;\n";
    let search = reduction(
        &broken.as_bytes().into(),
        Language::named("C"),
        Strategy::default(),
    );
    let search = run(search, |draft| {
        let text = String::from_utf8_lossy(draft.bytes());
        if text.contains("needle") && text.contains("f(") {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    });
    assert_eq!(
        String::from_utf8_lossy(search.best().bytes()),
        "f( needle\n"
    );
}

/// The samples of all languages, each under a line with its name.
const SAMPLES: &str = include_str!("../../src/languages/samples.txt");

/// A change of cost or of quality in any language shows in the snapshot: questions asked, and what is left.
#[test]
fn the_longest_word_of_every_sample_is_what_is_left_or_nearly() {
    let mut table = String::new();
    for (name, sample) in SAMPLES
        .split("==== ")
        .skip(1)
        .filter_map(|sample| sample.split_once('\n'))
    {
        let Some(language) = Language::named(name) else {
            continue;
        };
        let words = sample.split(|letter: char| !letter.is_ascii_alphanumeric());
        let longest = words
            .max_by_key(|word| word.len())
            .expect("a sample has words");
        let mut questions = 0;
        let search = reduction(
            &sample.as_bytes().into(),
            Some(language),
            Strategy::default(),
        );
        let search = run(search, |draft| {
            questions += 1;
            assert!(questions < 2_000, "{name} does not end");
            let holds = String::from_utf8_lossy(draft.bytes()).contains(longest);
            if holds {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            }
        });
        let result = String::from_utf8_lossy(search.best().bytes()).into_owned();
        assert!(result.contains(longest), "{name}: {result:?}");
        assert!(
            result.len() <= longest.len() + 12,
            "{name}: {result:?} for {longest:?}"
        );
        writeln!(table, "{name:18}{questions:4}  {result:?}").expect("writing to a string");
    }
    if cfg!(feature = "all-languages") {
        insta::assert_snapshot!(table);
    }
}

/// Reduces a text while what stands between two marks parses in an inner language and holds some texts; returns what is left, and after how many questions.
fn reduced_within(
    [outer, inner]: [&str; 2],
    input: &str,
    [begin, end]: [&str; 2],
    must_keep: &[&str],
) -> Option<(String, usize)> {
    let inner = Language::named(inner)?;
    let outer = Language::named(outer)?;
    let search = reduction(&input.as_bytes().into(), Some(outer), Strategy::default());
    let mut questions = 0;
    let search = run(search, |draft| {
        questions += 1;
        let text = String::from_utf8_lossy(draft.bytes());
        let part = (text.split_once(begin)).and_then(|(_, rest)| rest.split_once(end));
        let is_interesting = part.is_some_and(|(part, _)| {
            must_keep.iter().all(|wanted| part.contains(wanted))
                && inner.errors(part.as_bytes()) == 0
        });
        match is_interesting {
            true => Verdict::Interesting,
            false => Verdict::Uninteresting,
        }
    });
    let result = String::from_utf8_lossy(search.best().bytes()).into_owned();
    Some((result, questions))
}

const PAGE: &str = "<!DOCTYPE html>
<html>
<head>
<style>
body { margin: 0; color: red }
p, a { display: grid; gap: 1em }
</style>
</head>
<body>
<p>Some text</p>
<script>
function first(a, b) {
  if (a) { return [1, 2, b]; }
  return null;
}
function second(list) {
  for (const one of list) {
    console.log(`${one}: ${first(one, 2)}`);
    document.querySelector('p').replaceWith(one);
  }
}
second([3, 4, 5]);
</script>
</body>
</html>
";

#[test]
fn scripts_and_styles_in_pages_are_reduced_along_their_own_trees() {
    let script = reduced_within(
        ["HTML", "JavaScript"],
        PAGE,
        ["<script>", "</script>"],
        &["for (const one of ", ".replaceWith(one)"],
    );
    insta::assert_debug_snapshot!("script", script);
    let style = reduced_within(
        ["HTML", "CSS"],
        PAGE,
        ["<style>", "</style>"],
        &["{ display: grid"],
    );
    insta::assert_debug_snapshot!("style", style);
    let readme = "# Title\n\n- one\n- two\n\n```python\ndef f(a, b):\n    if a:\n        for c in b:\n            print(c)\n        return [1, 2]\n    return a\n```\n\nAnd more\n";
    let code = reduced_within(
        ["Markdown", "Python"],
        readme,
        ["```python\n", "\n```\n"],
        &["for c in b", "print(c)"],
    );
    insta::assert_debug_snapshot!("code", code);
}
