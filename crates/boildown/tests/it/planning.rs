//! Inputs of shapes on which planning could take for ever: a session ends soon all the same.

use std::thread;

use rustix::process::Signal;

use crate::env::TestEnv;

/// The size of the inputs, in bytes.
const SIZE: usize = 1_000_000;

/// Languages, each with a text that takes its grammar minutes when it is repeated.
const SLOW: [(&str, &str); 8] = [
    ("Bash", "|"),
    ("C", "a("),
    ("HTML", "<!--"),
    ("HTML", "<a>"),
    ("SQL", "("),
    ("XML", "<a>"),
    ("XML", "<a b='c'>"),
    ("XML", "<![CDATA["),
];

/// Reduces a text, repeated, under a property that holds on all but the empty input, for so short a
/// time that it is over while the text is read.
#[track_caller]
fn check(options: &[&str], text: &str) {
    let env = TestEnv::new()
        .script("test.sh", "test -s \"$1\"")
        .file("in", text.repeat(SIZE / text.len()));
    let args = [
        "in",
        "--max-time",
        "100ms",
        "--jobs",
        "1",
        "--test",
        "test.sh",
    ];
    let finished = env.reduce(args.iter().chain(options));
    let code = finished.code;
    assert!(
        matches!(code, Some(0 | 2 | 6)),
        "{options:?} {text:?}: {code:?}"
    );
}

/// Does this for several cases at a time.
fn check_all(cases: &[(String, &str)]) {
    thread::scope(|scope| {
        for part in cases.chunks(cases.len().div_ceil(4)) {
            scope.spawn(move || {
                for (language, text) in part {
                    check(&["--language", language], text);
                }
            });
        }
    });
}

#[test]
fn zeros_in_any_language_end_at_the_time_limit() {
    let env = TestEnv::new();
    let listed = env.run(["languages"]).stdout.clone();
    let names = listed.lines().map(|line| {
        let name = line.split("  ").next().unwrap_or_default();
        (name.trim().to_owned(), "\0")
    });
    let names: Vec<_> = names.filter(|(name, _)| !name.is_empty()).collect();
    assert!(names.len() > 50, "{listed}");
    check_all(&names);
}

#[test]
fn texts_that_take_their_grammars_minutes_end_at_the_time_limit() {
    check_all(&SLOW.map(|(language, text)| (language.to_owned(), text)));
}

#[test]
fn runs_of_any_byte_end_at_the_time_limit() {
    for text in [
        "\0",
        "\x01",
        "\x01\0\0\0",
        "\x02\0",
        "\u{7f}",
        "\0\0\0\x08abcd",
        "(",
    ] {
        check(&[], text);
    }
}

#[test]
fn a_signal_is_heard_while_a_text_is_parsed() {
    let text = "a(".repeat(SIZE / 2);
    let env = TestEnv::new()
        .script("test.sh", "touch $HERE/begun; test -s \"$1\"")
        .file("in.c", text);
    let mut run = env.start_reduce(["in.c", "--jobs", "1", "--test", "test.sh"]);
    run.wait_until(|env| env.exists("begun"));
    run.signal(Signal::TERM);
    run.finish().assert_code(6).assert_says("interrupted");
}
