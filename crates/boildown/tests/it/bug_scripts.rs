//! The scripts of bug reports agree with boildown: the expressions that are written for `grep -E`
//! with the `regex` crate, and `interesting.sh` with the property.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use boildown_oracle::{Outcome, Property, Run};
use boildown_show::{
    BugCommand, BugScripts, CaseForm, ScriptCheck, ScriptPart, grep_pattern, interesting,
};
use regex::bytes::RegexBuilder;

/// Numbers that look random, the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = (self.0.wrapping_mul(6_364_136_223_846_793_005))
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn choose<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// Returns an expression with at most this many levels.
fn expression(dice: &mut Dice, depth: usize) -> String {
    let leaves = [
        "a", "b", "z", "-", "^", "$", "\\^", "\\n", "é", ".", "\\s", "\\d", "\\w", "\\b", "[-^]",
        "[-^]z", "[^-^]", "[]a]", "[^]a-]", "[\\[^-]", "[a-f]", "[^\\n]", "[^a]", "[\\]\\[]",
        "[+--]", "\\\\", "\\{", "{", "'", "(?i:A)", "[\\^]", "[!-~]", "[^\\s]",
    ];
    if depth == 0 {
        return dice.choose(&leaves).to_owned();
    }
    let mut inner = || expression(dice, depth - 1);
    let (one, two) = (inner(), inner());
    match dice.below(9) {
        0 | 1 => one + &two,
        2 => format!("(?:{one}|{two})"),
        3 => format!("(?:{one})*"),
        4 => format!("(?:{one})+{two}"),
        5 => format!("(?:{one})?{two}"),
        6 => format!("(?:{one}){{1,2}}{two}"),
        7 => format!("({one}){two}"),
        _ => format!("{one}.*{two}"),
    }
}

/// Returns a text of what expressions look for.
fn text(dice: &mut Dice) -> Vec<u8> {
    let parts = [
        "a", "b", "z", "-", "^", "-z", "^z", "\n", "\n\n", " ", "\t", "é", "A", "1", "]", "[",
        "\\", "{", "'", "$", "az", "\u{1}", "\r", "_",
    ];
    let length = dice.below(9);
    (0..length)
        .flat_map(|_| dice.choose(&parts).bytes())
        .collect()
}

/// Returns the texts in which `grep` finds an expression, as the scripts call it.
fn found_by_grep(pattern: &boildown_show::GrepPattern, folder: &Path, count: usize) -> Vec<usize> {
    let script = "number=0; while [ $number -lt $3 ]; do \
        if [ \"$2\" = true ]; then LC_ALL=C tr '\\n\\001' '\\001\\002' <$number; \
        else cat $number; fi >lines; \
        if [ \"$4\" = true ]; then echo >>lines; fi; \
        LC_ALL=C grep -a -E -q -e \"$1\" lines && echo $number; \
        number=$((number + 1)); done; exit 0";
    let output = Command::new("sh")
        .args(["-c", script, "sh", &pattern.text])
        .args([pattern.joins_lines.to_string(), count.to_string()])
        .arg(pattern.may_be_empty.to_string())
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.is_empty(), "{said}: {}", pattern.text);
    let numbers = String::from_utf8(output.stdout).unwrap();
    numbers.lines().map(|line| line.parse().unwrap()).collect()
}

#[test]
fn grep_finds_what_an_expression_finds() {
    const TEXTS: usize = 12;
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice(7);
    let (mut compared, mut hits) = (0, 0);
    for round in 0..150 {
        let depth = 1 + round % 3;
        let pattern = expression(&mut dice, depth);
        let Ok(regex) = RegexBuilder::new(&pattern).multi_line(true).build() else {
            continue;
        };
        let Ok(translated) = grep_pattern(&pattern) else {
            continue;
        };
        // To `grep`, letters beyond ASCII are of no word.
        let is_compared = |text: &Vec<u8>| !pattern.contains("\\b") || text.is_ascii();
        let texts = std::iter::repeat_with(|| text(&mut dice)).filter(is_compared);
        let texts: Vec<Vec<u8>> = texts.take(TEXTS).collect();
        for (number, text) in texts.iter().enumerate() {
            fs::write(folder.path().join(number.to_string()), text).unwrap();
        }
        let expected: Vec<usize> = (0..TEXTS)
            .filter(|number| regex.is_match(&texts[*number]))
            .collect();
        let found = found_by_grep(&translated, folder.path(), TEXTS);
        let differing: Vec<_> = (0..TEXTS)
            .filter(|number| expected.contains(number) != found.contains(number))
            .map(|number| String::from_utf8_lossy(&texts[number]).into_owned())
            .collect();
        assert!(
            differing.is_empty(),
            "{pattern:?} as {:?} ({}): {differing:?}",
            translated.text,
            translated.joins_lines
        );
        (compared, hits) = (compared + 1, hits + expected.len());
    }
    assert!(compared > 75 && hits > 180, "{compared} {hits}");
}

/// A report of a failure, as tools print it.
const REPORT: &str = "in.c:3:7: error: found it's needle 17 in `f(a[0])' - z\n\
    stack:\n  #0 0x1234 in crash /src/a.c:10\n  #1 0x5678 in caller /src/b.c:20\n\
    panicked at src/lib.rs:5:9:\nindex out of bounds: the len is 3\nnote: é - end\n";

/// Properties of the report, as flags.
const PROPERTIES: [&str; 22] = [
    "--stderr needle",
    "--stderr '^in.c:[0-9]+'",
    "--stderr 'it.s needle [0-9]+'",
    "--stderr '#0 .* crash.*\\n(?:.*\\n)*?  #1 .* caller\\b'",
    "--stderr 'crash[^/]*/src'",
    "--stderr '[-^] z'",
    "--stderr '[-^]'",
    "--stderr '\\(a\\[0\\]\\)'",
    "--stderr 'error:.*$'",
    "--stderr '^stack:$'",
    "--stderr 'panicked at [^\\n]*\\nindex'",
    "--stderr '\\blen\\b'",
    "--stderr 'note: .'",
    "--stderr '(crash|caller) /src/[ab]\\.c:[12]0'",
    "--stderr '\\s+#1'",
    "--stderr '^  #\\d+ 0x[0-9a-f]+ in'",
    "--not-stderr 'never printed'",
    "--not-stderr 'needle 18'",
    "--exit 3",
    "--stderr 'bounds:(\\s|$)'",
    "--stderr '^$'",
    "--not-stderr '^(x|\\s*)$'",
];

/// Returns the report with a few bytes removed, replaced or inserted.
fn mutant(dice: &mut Dice) -> Vec<u8> {
    let mut text = REPORT.as_bytes().to_vec();
    for _ in 0..1 + dice.below(3) {
        let start = dice.below(text.len());
        let end = (start + dice.below(40)).min(text.len());
        let new: &[u8] = [&b""[..], b"\0", b"\n", b"-", b"x"][dice.below(5)];
        drop(text.splice(start..end, new.iter().copied()));
        if text.is_empty() {
            break;
        }
    }
    text
}

#[test]
fn interesting_sh_agrees_with_boildown_on_mutants() {
    let mutants = std::env::var("BOILDOWN_MUTANTS").map_or(6, |count| count.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice(11);
    for flags in PROPERTIES {
        let property = Property::from_flags(flags).unwrap_or_else(|| panic!("{flags}"));
        let script = folder.path().join("interesting.sh");
        fs::write(&script, interesting(&scripts(&property))).unwrap();
        for _ in 0..mutants {
            let text = mutant(&mut dice);
            // `.` matches no half of a character to boildown, and any byte to `grep`.
            if std::str::from_utf8(&text).is_err() {
                continue;
            }
            let case = folder.path().join("in.txt");
            fs::write(&case, &text).unwrap();
            let run = Run::ended(Outcome::Exited(3), text.clone());
            let expected = property.verdict(&run).is_interesting();
            let status = Command::new("sh")
                .arg(&script)
                .arg(&case)
                .stdin(Stdio::null())
                .status()
                .unwrap();
            assert_eq!(
                status.success(),
                expected,
                "{flags}\n{}",
                String::from_utf8_lossy(&text)
            );
        }
    }
}

/// Returns the scripts for a command that prints the test case as an error.
fn scripts(property: &Property) -> BugScripts {
    use boildown_oracle::{ExitSpec, Expectation};
    let checks = property.expectations().iter().map(|expectation| {
        let pattern = |text: &str| grep_pattern(text).unwrap();
        match expectation {
            Expectation::Stderr(text) => ScriptCheck::Stderr(pattern(text.as_str())),
            Expectation::NotStderr(text) => ScriptCheck::NotStderr(pattern(text.as_str())),
            Expectation::Exit(ExitSpec::Code(code)) => ScriptCheck::Status((*code).into()),
            other => panic!("{other:?}"),
        }
    });
    let words = ["sh", "-c", "cat \"$1\" >&2; exit 3", "sh"]
        .map(|word| vec![ScriptPart::Text(word.to_owned())]);
    BugScripts {
        name: "in.txt".to_owned(),
        form: CaseForm::File,
        command: BugCommand {
            words: words
                .into_iter()
                .chain([vec![ScriptPart::CasePath]])
                .collect(),
            reads_case: false,
        },
        checks: checks.collect(),
        seconds: 5,
        ..BugScripts::default()
    }
}
