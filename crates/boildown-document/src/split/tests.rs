//! Tests of the splits.

use super::*;

/// Returns the elements, each with its tokens apart.
#[track_caller]
fn elements(split: &str, text: &str) -> Vec<String> {
    let split: Split = split.parse().expect(split);
    let elements = split.elements(text.as_bytes()).expect("a list");
    let tokens = elements.tokens.into_iter();
    tokens.map(|token| text[token].to_owned()).collect()
}

#[test]
fn lines_and_records_hold_what_ends_them() {
    assert_eq!(elements("lines", "a b\n\nc"), ["a b\n", "\n", "c"]);
    assert_eq!(elements("nul", "a\0\0b"), ["a\0", "\0", "b"]);
    assert_eq!(
        elements("json-lines", "1\n{\"a\": 2}\n"),
        ["1\n", "{\"a\": 2}\n"]
    );
    assert_eq!(
        elements("csv", "h\n\"a\n\"\"b\"\n1\n"),
        ["\"a\n\"\"b\"\n", "1\n"]
    );
}

#[test]
fn words_and_elements_of_arrays_are_without_what_separates_them() {
    assert_eq!(elements("words", " a  bc\n d "), ["a", "bc", "d"]);
    assert_eq!(elements("json-array", "[ ]"), [""; 0]);
    assert_eq!(
        elements("json-array", "[\"a,\\\"]\", [1, 2] ,{\"b\": [3, 4]}]"),
        ["\"a,\\\"]\"", "[1, 2]", "{\"b\": [3, 4]}"]
    );
}

#[test]
fn statements_end_with_semicolons_outside_of_quotes_comments_and_bodies() {
    assert_eq!(
        elements(
            "sql",
            "-- a;\nSELECT ';', \"b;\";  INSERT INTO t VALUES ('it''s;');\n\n"
        ),
        [
            "-- a;\nSELECT ';', \"b;\";  ",
            "INSERT INTO t VALUES ('it''s;');\n\n"
        ]
    );
    assert_eq!(
        elements("sql", ".mode list\nSELECT 1; /* ; */ SELECT $a$;$a$;"),
        [".mode list\n", "SELECT 1; ", "/* ; */ SELECT $a$;$a$;"]
    );
    let trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN\n  SELECT CASE WHEN 1 THEN 2 END;\n  DELETE FROM b;\nEND;\n";
    let text = format!("BEGIN;\n{trigger}END;\n");
    assert_eq!(elements("sql", &text), ["BEGIN;\n", trigger, "END;\n"]);
}

#[test]
fn a_backslash_escapes_a_quote_where_it_would_stay_open_otherwise() {
    assert_eq!(
        elements("sql", "SELECT 'it\\'s;';SELECT 2;"),
        ["SELECT 'it\\'s;';", "SELECT 2;"]
    );
    assert_eq!(
        elements("sql", "SELECT 'C:\\';SELECT 'a';"),
        ["SELECT 'C:\\';", "SELECT 'a';"]
    );
}

#[test]
fn an_expression_separates_elements_or_begins_them() {
    assert_eq!(elements("; *", "a; b;;c"), ["a", "b", "c"]);
    assert_eq!(
        elements("^== ", "x\n== a\nb\n== c\n"),
        ["== a\nb\n", "== c\n"]
    );
}

#[test]
fn an_option_goes_with_its_value() {
    let split = Split::Command(CommandParts::Arguments);
    let text = "cc -O2 -o x --std c11 --opt=y -Xlinker -z -c -g a.c";
    let elements = split.elements(text.as_bytes()).expect("a command");
    let groups = elements.groups.iter().map(|group| {
        let [first, last] =
            [group.start, group.end - 1].map(|token| elements.tokens[token].clone());
        &text[first.start..last.end]
    });
    assert_eq!(
        groups.collect::<Vec<_>>(),
        [
            "-O2",
            "-o x",
            "--std c11",
            "--opt=y",
            "-Xlinker -z",
            "-c",
            "-g a.c"
        ]
    );
}

#[test]
fn a_command_is_read_as_a_shell_reads_it() {
    let words = command_words(b"env -i PATH=\"$PATH\" A='b c' B= 'my tool' it\\''s' $'\\x0a'\n");
    let words = words.expect("a command");
    assert_eq!(
        words.variables,
        Some(vec![
            (b"A".into(), b"b c".into()),
            (b"B".into(), b"".into())
        ])
    );
    assert_eq!(words.words, [&b"my tool"[..], b"it's", b"\n"]);
    for more in ["cc 'a", "cc $A", "cc a | b", "cc *", ""] {
        assert_eq!(command_words(more.as_bytes()), None, "{more}");
    }
}

#[test]
fn items_are_elements_without_their_ends() {
    let items = |split: Split, text: &'static str| {
        let items = split.items(text.as_bytes()).into_iter();
        items.map(String::from_utf8_lossy).collect::<Vec<_>>()
    };
    assert_eq!(items(Split::Lines, "a b\r\n\nc\n"), ["a b", "c"]);
    assert_eq!(items(Split::Nul, "a\n\0\0"), ["a\n", ""]);
    assert_eq!(
        items(Split::Sql, "SELECT 1;\nSELECT 2;\n"),
        ["SELECT 1;", "SELECT 2;"]
    );
}

#[test]
fn a_candidate_stays_a_list_of_the_same_kind() {
    let accepts =
        |split: &Split, text: &str, input: &str| split.accepts(text.as_bytes(), input.as_bytes());
    assert!(accepts(&Split::JsonArray, "[]", "[1]"));
    assert!(!accepts(&Split::JsonArray, "[1,]", "[1]"));
    assert!(accepts(&Split::Csv, "a,b\n", "a,b\n1,2\n"));
    assert!(!accepts(&Split::Csv, "a\n1\n", "a,b\n1,2\n"));
    let arguments = Split::Command(CommandParts::Arguments);
    assert!(accepts(&arguments, "cc", "cc -c"));
    assert!(!accepts(&arguments, "-c", "cc -c"));
}

#[test]
fn what_is_no_split_is_reported() {
    let problem = |text: &str| text.parse::<Split>().expect_err(text);
    assert!(problem("line").starts_with("it is none of lines, words, nul,"));
    assert!(problem("(").contains("no regular expression"));
    assert_eq!(problem("a*"), "it matches the empty text");
    assert_eq!(Split::JsonArray.count(b"{}"), Err(SplitError::NoArray));
    assert_eq!(
        Split::JsonLines.count(b"1\nx\n"),
        Err(SplitError::NoValue(2))
    );
    assert_eq!(Split::Csv.count(b"header\n"), Err(SplitError::NoElement));
}
