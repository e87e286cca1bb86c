//! Answers of `boildown changes` that are parts of a line: words, and white space.

use crate::repo::Repo;

/// Searches what breaks a test between two texts of a file, each in a commit of its own.
#[track_caller]
fn check(name: &str, texts: [&str; 2], test: &str, expected: &[&str]) -> String {
    let repo = Repo::new();
    repo.script("test.sh", test);
    for text in texts {
        repo.write(name, text);
        repo.commit("a text");
    }
    let run = repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    assert_eq!(repo.changed(), expected, "{run}");
    run.stderr.clone()
}

#[track_caller]
fn assert_says(said: &str, part: &str) {
    assert!(said.contains(part), "{part}: {said}");
}

const MINIFIED: &str =
    "function a(x){return x+1}function b(x){return x*2}function c(x){return x-3}var k=5;";

#[test]
fn one_statement_of_a_minified_line_is_named() {
    let after = MINIFIED
        .replace("x+1", "x+11")
        .replace("x*2", "x*3")
        .replace("x-3", "x-4")
        .replace("k=5", "k=6");
    let added = format!("+{}", MINIFIED.replace("x*2", "x*3"));
    let removed = format!("-{MINIFIED}");
    for end in ["", "\n", "\r\n"] {
        let texts = [MINIFIED, &after].map(|text| format!("{text}{end}"));
        let said = check(
            "m.js",
            [&texts[0], &texts[1]],
            "! grep -q 'x[*]3' m.js",
            &[&removed, &added],
        );
        assert_says(
            &said,
            "  m.js:1:49: `2` becomes `3` in `…}function b(x){return x*2}function c(x){return x-…`\n",
        );
        assert_says(&said, "HEAD works without it");
        assert_says(
            &said,
            "1-minimal: no single word, hunk or file of the patch",
        );
    }
}

#[test]
fn one_value_of_a_line_of_json_is_named() {
    let text = |name: &str, cpu: u32, mem: u32, users: &str| {
        format!(
            "{{\"name\":\"{name}\",\"limits\":{{\"cpu\":{cpu},\"mem\":{mem}}},\"users\":[{users}]}}"
        )
    };
    let said = check(
        "c.json",
        [
            &text("demo", 4, 512, "\"ada\",\"ben\""),
            &text("demo2", 8, 128, "\"ada\",\"cleo\""),
        ],
        "! grep -q '\"mem\":128' c.json",
        &[
            &format!("-{}", text("demo", 4, 512, "\"ada\",\"ben\"")),
            &format!("+{}", text("demo", 4, 128, "\"ada\",\"ben\"")),
        ],
    );
    assert_says(&said, "c.json:1:40: `512` becomes `128`");
}

#[test]
fn words_of_a_line_that_only_break_it_together_interact() {
    let said = check(
        "app.conf",
        [
            "least=3 most=9 size=4 name=tea\n",
            "least=5 most=6 size=8 name=milk\n",
        ],
        "! { grep -q least=5 app.conf && grep -q size=8 app.conf; }",
        &[
            "-least=3 most=9 size=4 name=tea",
            "+least=5 most=9 size=8 name=tea",
        ],
    );
    assert_says(
        &said,
        "they interact: app.conf:1:7 and app.conf:1:21 only break it together",
    );
}

#[test]
fn two_causes_in_a_line_are_both_named() {
    let said = check(
        "app.conf",
        [
            "least=3 most=9 size=4 name=tea\n",
            "least=5 most=6 size=8 name=milk\n",
        ],
        "! grep -q -e least=5 -e size=8 app.conf",
        &[
            "-least=3 most=9 size=4 name=tea",
            "+least=5 most=9 size=4 name=tea",
        ],
    );
    assert_says(&said, "another cause breaks it alone: app.conf:1:21");
    assert_says(&said, "HEAD works without both");
}

#[test]
fn words_are_no_cause_if_the_state_without_them_has_no_verdict() {
    let said = check(
        "app.conf",
        ["version=1 format=1\n", "version=2 format=2\n"],
        "grep -q 'version=1 format=2' app.conf && exit 125; ! grep -q version=2 app.conf",
        &["-version=1 format=1", "+version=2 format=2"],
    );
    assert_says(
        &said,
        "1-minimal: no single line, hunk or file of the patch",
    );
}

const CLASS: &str = "\
class Tax:
    def __init__(self, rate, floor):
        self.rate = rate
        self.floor = floor

    def of(self, amount):
        if amount < self.floor:
            return 0
        return amount * self.rate
";

#[test]
fn one_word_of_a_class_that_is_indented_otherwise_is_named() {
    for [old, new] in [["    ", "  "], ["    ", "\t"], ["\t", "    "]] {
        let before = CLASS.replace("    ", old);
        let after = CLASS.replace("    ", new).replace("<", "<=");
        let said = check(
            "tax.py",
            [&before, &after],
            "! grep -q 'amount <=' tax.py",
            &[
                &format!("-{old}{old}if amount < self.floor:"),
                &format!("+{old}{old}if amount <= self.floor:"),
            ],
        );
        assert_says(&said, "HEAD works without it");
    }
}

#[test]
fn white_space_that_breaks_it_is_named() {
    let said = check(
        "app.conf",
        ["a=1\nb=2\nc=3\n", "a=1\r\nb=4\r\nc=3\r\n"],
        "! grep -q 'c=3.' app.conf",
        &["-c=3", "+c=3"],
    );
    assert_says(&said, "app.conf:3:4: `\\n` becomes `\\r\\n` in `c=3\\n`");
    let said = check(
        "Makefile",
        ["all:\n\techo one two\n", "all:\n        echo one three\n"],
        "grep -q \"$(printf '\\t')\" Makefile",
        &["-\techo one two", "+        echo one two"],
    );
    assert_says(&said, "Makefile:2:1: `\\t` becomes `        `");
}

#[test]
fn one_word_of_a_statement_that_is_wrapped_otherwise_is_named() {
    check(
        "shop.py",
        [
            "start()\ntotal = compute(first, second, third, fourth)\nstop()\n",
            "start()\ntotal = compute(\n    first,\n    other,\n    third,\n    fourth,\n)\nstop()\n",
        ],
        "! grep -q other shop.py",
        &[
            "-total = compute(first, second, third, fourth)",
            "+total = compute(first, other, third, fourth)",
        ],
    );
}

#[test]
fn a_row_is_replaced_by_the_one_with_its_key() {
    let row = |number: u32, sign: &str| match (number, sign) {
        (57, "y") => "57,-1,y\n".to_owned(),
        _ => format!("{number},{},{sign}\n", number * 3),
    };
    for count in [100, 400] {
        let [before, after] = ["x", "y"].map(|sign| {
            (1..count)
                .map(|number| row(number, sign))
                .collect::<String>()
        });
        check(
            "rows.csv",
            [&before, &after],
            "! grep -q -e -1 rows.csv",
            &["-57,171,x", "+57,-1,x"],
        );
    }
}
