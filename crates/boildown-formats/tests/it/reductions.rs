//! Small reductions, each with texts to keep and the expected result.

use std::fmt::Write as _;
use std::sync::Arc;

use boildown_document::Language;
use boildown_reduce::{Strategy, TrivialInputs, reduction};
use boildown_search::{Search as _, Verdict, run};

/// Reduces `input` to one that parses (if it is in a language) and contains every text of
/// `must_keep`.
#[track_caller]
fn check(language: &str, input: &str, must_keep: &[&str], expect: &str) {
    let keeps = |text: &str| must_keep.iter().all(|part| text.contains(part));
    check_while(language, input, keeps, expect);
}

fn check_while(language: &str, input: &str, keeps: impl Fn(&str) -> bool, expect: &str) {
    let language =
        (!language.is_empty()).then(|| Language::named(language).expect("the grammar is built"));
    let search = reduction(
        &input.as_bytes().into(),
        language,
        boildown_formats::strategy(),
    );
    let mut queries = 0;
    let search = run(search, |candidate| {
        queries += 1;
        let text = String::from_utf8_lossy(candidate.bytes());
        let parses = || language.is_none_or(|language| language.errors(text.as_bytes()) == 0);
        if keeps(&text) && parses() {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    });
    let result = String::from_utf8_lossy(search.best().bytes()).into_owned();
    assert_eq!(result, expect, "after {queries} queries");
}

#[test]
fn columns_of_a_table_whose_rows_have_one_width_go_together() {
    let is_table = |text: &str| {
        let mut widths = text.lines().map(|line| line.matches(',').count());
        let width = widths.next();
        text.contains('x') && text.contains('y') && widths.all(|next| Some(next) == width)
    };
    let table = "a,b,c,d,e\n1,2,x,4,5\n6,7,y,9,10\n";
    let has_rows =
        |text: &str| is_table(text) && text.lines().filter(|it| it.contains(',')).count() > 1;
    check_while("", table, has_rows, ",x\n,y");
}

#[test]
fn elements_of_a_list_are_deleted_with_their_separators() {
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
fn a_statement_replaces_the_block_around_it() {
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
fn an_expression_replaces_the_statements_around_it_in_python() {
    let input = "class A:\n    def m(self, y):\n        return keep(1)[y]\nA().m(3)\n";
    let search = reduction(
        &input.as_bytes().into(),
        Language::named("Python"),
        boildown_formats::strategy(),
    );
    let mut texts = Vec::new();
    run(search, |candidate| {
        let text = String::from_utf8_lossy(candidate.bytes()).into_owned();
        let verdict = match text.contains("keep(1)") {
            true => Verdict::Interesting,
            false => Verdict::Uninteresting,
        };
        texts.push(text);
        verdict
    });
    assert!(texts.len() < 30, "{texts:#?}");
    let first = texts.iter().position(|text| text.trim_end() == "keep(1)");
    assert!(first.is_some_and(|first| first < 12), "{texts:#?}");
}

#[test]
fn several_links_of_a_call_chain_are_deleted_at_once() {
    let call = |links: &[usize]| {
        let links = links.iter().map(|link| format!(".f{link}()"));
        format!("let r = x{};", links.collect::<String>())
    };
    let all: Vec<usize> = (10..74).collect();
    let language = Language::named("JavaScript").expect("the grammar is built");
    let input = call(&all).into_bytes().into();
    let search = reduction(&input, Some(language), boildown_formats::strategy());
    let mut queries = 0;
    let search = run(search, |candidate| {
        queries += 1;
        let text = String::from_utf8_lossy(candidate.bytes());
        let parses = language.errors(text.as_bytes()) == 0;
        if parses && [".f20()", ".f60()"].iter().all(|link| text.contains(link)) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    });
    let result = String::from_utf8_lossy(search.best().bytes()).into_owned();
    assert_eq!((result.as_str(), queries), ("x.f20().f60()", 71));
}

#[test]
fn a_query_becomes_one_of_twelve_table_expressions() {
    let tables = (0..12).map(|table| {
        let value = if table == 7 { 4711 } else { table };
        format!("t{table} AS ( SELECT {table} AS a , {value} AS b , 'n{table}' AS c )")
    });
    let arms = (0..12).map(|table| format!("SELECT a , b , c FROM t{table} WHERE a >= {table}"));
    let tables: Vec<String> = tables.collect();
    let arms: Vec<String> = arms.collect();
    let query = format!(
        "WITH {} , tall AS ( {} ) SELECT c , b FROM tall WHERE a >= 0 ORDER BY c",
        tables.join(" , "),
        arms.join(" UNION ALL ")
    );
    let language = Language::named("SQL").expect("the grammar is built");
    let input = query.into_bytes().into();
    let search = reduction(&input, Some(language), boildown_formats::strategy());
    let mut queries = 0;
    let search = run(search, |candidate| {
        queries += 1;
        let text = String::from_utf8_lossy(candidate.bytes());
        // Nothing can go while the tables read each other.
        let reads_none = text.starts_with("SELECT ") && !text.contains("FROM");
        match reads_none && text.contains("4711") {
            true => Verdict::Interesting,
            false => Verdict::Uninteresting,
        }
    });
    let result = String::from_utf8_lossy(search.best().bytes()).into_owned();
    assert_eq!((result.trim(), queries), ("SELECT 4711", 75));
}

#[test]
fn an_input_can_become_a_single_character_in_one_query() {
    let strategy = Strategy {
        trivial: TrivialInputs::Allowed,
        ..boildown_formats::strategy()
    };
    let search = reduction(
        &b"def f(a):\r\n    return a\r\n".as_slice().into(),
        Language::named("Python"),
        strategy,
    );
    let mut queries = 0;
    let search = run(search, |candidate| {
        queries += 1;
        if candidate.bytes().contains(&b'\r') {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    });
    assert_eq!((&**search.best().bytes(), queries), (&b"\r"[..], 2));
}

#[test]
fn white_space_looks_hand_written() {
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
fn two_words_are_joined_if_the_property_allows_it() {
    check("SQL", "SELECT 0 AS a, b;", &["0", "AS"], "SELECT 0AS_");
}

#[test]
fn a_token_that_is_no_separator_stays_when_its_neighbour_is_deleted() {
    check(
        "C",
        "void f(void) { for (a; b; c) d(); }",
        &["for", "c)"],
        "for (;; c);",
    );
}

#[test]
fn comments_and_words_of_strings_are_deleted() {
    check(
        "C",
        "/* one */ int x; // two\nchar *s = \"keep the needle here\";\n",
        &["needle\"", "s"],
        "s \"needle\";\n",
    );
}

#[test]
fn a_text_in_no_language_is_reduced_by_lines_groups_words_and_bytes() {
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
fn an_input_that_does_not_parse_is_reduced() {
    check("", "int x = = 3;\nfoo(;\nint keep;\n", &["keep"], "keep");
    let broken = "int f( { return 1 }\nint needle;\nint g(;\n";
    let search = reduction(
        &broken.as_bytes().into(),
        Language::named("C"),
        boildown_formats::strategy(),
    );
    let search = run(search, |candidate| {
        let text = String::from_utf8_lossy(candidate.bytes());
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
const SAMPLES: &str = include_str!("../../../boildown-document/src/languages/samples.txt");

/// The snapshot shows every change of cost or quality, in any language: the number of queries and
/// the result.
#[test]
fn every_sample_is_reduced_to_about_its_longest_word() {
    let mut table = String::new();
    for (name, sample) in SAMPLES
        .split("==== ")
        .skip(1)
        .filter_map(|sample| sample.split_once('\n'))
    {
        let language = Language::named(name).expect("the grammar is built");
        let words = sample.split(|letter: char| !letter.is_ascii_alphanumeric());
        let longest = words
            .max_by_key(|word| word.len())
            .expect("a sample has words");
        let mut queries = 0;
        let search = reduction(
            &sample.as_bytes().into(),
            Some(language),
            boildown_formats::strategy(),
        );
        let search = run(search, |candidate| {
            queries += 1;
            assert!(queries < 2_000, "{name} does not end");
            let holds = String::from_utf8_lossy(candidate.bytes()).contains(longest);
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
        writeln!(table, "{name:18}{queries:4}  {result:?}").expect("writing to a string");
    }
    insta::assert_snapshot!(table);
}

/// Reduces an input in which the text between two marks has to parse in a nested language and to
/// contain some texts. Returns the result and the number of queries.
fn reduced_within(
    [outer, inner]: [&str; 2],
    input: &str,
    [begin, end]: [&str; 2],
    must_keep: &[&str],
) -> (String, usize) {
    let [outer, inner] =
        [outer, inner].map(|name| Language::named(name).expect("the grammar is built"));
    let search = reduction(
        &input.as_bytes().into(),
        Some(outer),
        boildown_formats::strategy(),
    );
    let mut queries = 0;
    let search = run(search, |candidate| {
        queries += 1;
        let text = String::from_utf8_lossy(candidate.bytes());
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
    (result, queries)
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
fn nested_languages_are_reduced_along_their_own_trees() {
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

#[test]
fn a_token_inside_of_a_word_can_be_deleted() {
    check("Regex", "abc", &["a", "c"], "ac");
}

#[test]
fn a_large_program_loses_the_bodies_of_its_functions_first() {
    // Each is needed by the next, so that none is unused.
    let name = |at: usize| format!("a_function_with_a_name_of_forty_letters_{at}");
    let functions = (0..800).map(|at| {
        format!(
            "int {}(int a) {{ return {}(a); }}\n",
            name(at),
            name(at + 1)
        )
    });
    let text: Arc<[u8]> = functions.collect::<String>().into_bytes().into();
    let needed = format!("{}(int a) {{ return {}(a); }}", name(200), name(201));
    let mut search = reduction(&text, Language::named("C"), boildown_formats::strategy());
    let mut questions = 0;
    loop {
        if !search.is_ready() {
            search.prepare();
            continue;
        }
        match search.inner().pass().map(|pass| pass.name()) {
            Some("bodies") => questions += 1,
            _ if questions > 0 => break,
            _ => {}
        }
        let query = search.ask().expect("there is more to delete");
        // A compiler that needs every function, and the body of one.
        let text = String::from_utf8_lossy(query.candidate.bytes()).into_owned();
        let has_all = text.matches("(int a) {").count() == 800;
        search.tell(match has_all && text.contains(&needed) {
            true => Verdict::Interesting,
            false => Verdict::Uninteresting,
        });
    }
    let best = String::from_utf8_lossy(search.best().bytes()).into_owned();
    let returns = best.matches("return").count();
    assert!(
        returns < 20 && questions < 20,
        "{returns} left after {questions} questions"
    );
}

#[test]
fn the_instructions_of_a_module_are_searched_as_a_tree_once() {
    let text = "define i32 @f(i32 %a) {\n  %b = add nsw i32 %a, 1\n  %c = mul i32 %b, %b\n  \
                %d = add i32 %c, 1\n  ret i32 %d\n}\n";
    let text: Arc<[u8]> = text.as_bytes().into();
    let mut search = reduction(
        &text,
        Language::named("LLVM IR"),
        boildown_formats::strategy(),
    );
    let (mut begun, mut last) = (Vec::new(), None);
    loop {
        if !search.is_ready() {
            search.prepare();
            continue;
        }
        let Some(query) = search.ask() else {
            break;
        };
        let pass = search.inner().pass().map(|pass| pass.name());
        if pass != last {
            begun.extend(pass);
            last = pass;
        }
        let text = String::from_utf8_lossy(query.candidate.bytes()).into_owned();
        let parts = ["add ", "mul i32 %b, %b", "ret i32"];
        search.tell(match parts.iter().all(|part| text.contains(part)) {
            true => Verdict::Interesting,
            false => Verdict::Uninteresting,
        });
    }
    let count = |name| begun.iter().filter(|&&pass| pass == name).count();
    assert_eq!(count("instructions"), 1, "{begun:?}");
    assert!(count("each instruction") > 1, "{begun:?}");
}

#[test]
fn a_large_input_is_read_in_small_steps() {
    let functions =
        (0..4000).map(|at| format!("int f{at}(int a) {{ return a * {at} + g(a, 1); }}\n"));
    let text: Arc<[u8]> = functions.collect::<String>().into_bytes().into();
    let mut search = reduction(&text, Language::named("C"), boildown_formats::strategy());
    let mut steps = 0;
    while search
        .inner()
        .pass()
        .is_none_or(|pass| pass.name() != "promising")
    {
        match search.is_ready() {
            true => search.tell(Verdict::Uninteresting),
            false => {
                search.prepare();
                steps += 1;
            }
        }
    }
    // The input is parsed, its tree becomes a document, and its names are looked up.
    assert!(steps > 50, "{steps} steps for {} bytes", text.len());
}

#[test]
fn dead_definition_removal_is_repeated_in_a_large_input_that_has_become_smaller() {
    let array = |name: &str, n: usize, elements: usize| {
        format!("int {name}{n}[] = {{ {}}};\n", "1, ".repeat(elements))
    };
    let large = (0..10).map(|n| array("large", n, 500));
    let pairs = (0..35).map(|n| array("needed", n, 100) + &array("small", n, 100));
    let input = large.chain(pairs).collect::<String>();
    let mut search = reduction(
        &input.as_bytes().into(),
        Language::named("C"),
        boildown_formats::strategy(),
    );
    loop {
        while !search.is_ready() {
            search.prepare();
        }
        let is_first = (search.inner().pass()).is_some_and(|pass| pass.name() == "unused");
        let Some(query) = search.ask().filter(|_| is_first) else {
            break;
        };
        let text = String::from_utf8_lossy(query.candidate.bytes()).into_owned();
        let keeps = (0..35).all(|n| text.contains(&format!("needed{n}[")));
        search.tell(match keeps {
            true => Verdict::Interesting,
            false => Verdict::Uninteresting,
        });
    }
    let best = search.best();
    let best = String::from_utf8_lossy(best.bytes());
    // An array of 200 tokens is no hundredth of the input, but one of what the others leave.
    assert!(!best.contains("small") && !best.contains("large"));
}
