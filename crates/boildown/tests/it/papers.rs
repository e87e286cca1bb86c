//! The commands of `docs/lab/papers.md`.

use std::path::{Path, PathBuf};

use crate::env::{FINDS_NEEDLE, TestEnv};

const PAGE: &str = include_str!("../../../../docs/lab/papers.md");

/// A program with a needle, which `test.sh` finds, and something to delete for each pass.
const CRASH: &str = "int a;\nint f(int x) {\n    return x + needle;\n}\nint b[3];\nchar *s = \"hello needle\";\nint main(void) { return f(a); }\n";

/// Returns the cells of the rows that are checked in this way: the command, without its quotes.
fn commands(checked: &str) -> Vec<&'static str> {
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| "));
    let cells = rows.map(|row| row.trim_end_matches(" |").split(" | ").collect::<Vec<_>>());
    let chosen = cells.filter(|cells| cells.last() == Some(&checked));
    chosen.map(|cells| cells[2].trim_matches('`')).collect()
}

/// Splits a line into words, as a shell does with single quotes.
fn words(line: &str) -> Vec<String> {
    let quoted = line.split('\'').enumerate();
    let mut words = Vec::new();
    for (number, part) in quoted {
        match number % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

fn arguments(command: &str) -> Vec<String> {
    let rest = command.strip_prefix("boildown ").expect(command);
    words(rest)
}

fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn every_row_says_how_it_is_checked_or_why_it_is_not_here() {
    let rows = PAGE.lines().filter(|line| line.starts_with("| "));
    for row in rows.filter(|row| !row.starts_with("| what | where |")) {
        let cells: Vec<&str> = row.trim_matches(['|', ' ']).split(" | ").collect();
        let [_, _, shown, checked] = cells[..] else {
            panic!("{row}");
        };
        match checked {
            "run" | "parsed" => assert!(shown.starts_with("`boildown "), "{row}"),
            "test" => assert!(shown.starts_with("`cargo test "), "{row}"),
            "–" => assert!(shown.starts_with("not here"), "{row}"),
            _ => panic!("{row}"),
        }
    }
}

#[test]
fn every_algorithm_is_on_the_page() {
    let listed = TestEnv::new()
        .run(["algorithms"])
        .assert_code(0)
        .stdout
        .clone();
    let chosen = listed.split("Differences between").next().unwrap();
    let names = (chosen.lines()).filter_map(|line| line.strip_prefix("  "));
    let names: Vec<&str> = names.filter(|name| !name.starts_with(' ')).collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        let options = ["--algorithm ", "--schedule "];
        let is_chosen = |option: &str| {
            let mut uses = PAGE.split(option).skip(1);
            uses.any(|rest| rest.split([' ', ':', '`']).next() == Some(name))
        };
        assert!(options.into_iter().any(is_chosen), "{name}");
    }
}

#[test]
fn the_quick_commands_of_the_page_run() {
    let recorded = checkout().join("docs/lab/recorded/v-yosys-macc.jsonl");
    let recorded = std::fs::read(recorded).unwrap();
    let mine = include_str!("../../../../examples/own_algorithm.py");
    let env = TestEnv::with_test(FINDS_NEEDLE)
        .file("crash.c", CRASH)
        .file("bad.c", CRASH)
        .file("good.c", CRASH.replace("needle", "1"))
        .file("own_algorithm.py", mine)
        .file("docs/lab/recorded/v-yosys-macc.jsonl", recorded)
        .file("lists/README", "recordings\n")
        .file("subject/in.c", CRASH)
        .file(
            "subject/subject.json",
            r#"{"name": "subject", "input": "in.c"}"#,
        )
        .script("subject/test.sh", "grep -q needle in.c");
    let commands = commands("run");
    assert!(commands.len() > 60, "{}", commands.len());
    for command in commands {
        let finished = env.run(arguments(command));
        assert!(finished.code == Some(0), "{command}\n{finished}");
    }
}

#[test]
fn the_other_commands_of_the_page_have_options_that_exist() {
    let env = TestEnv::new();
    for command in commands("parsed") {
        let mut arguments = arguments(command);
        let end = arguments.iter().position(|word| word == "--");
        arguments.insert(end.unwrap_or(arguments.len()), "--help".to_owned());
        let finished = env.run(&arguments);
        assert!(finished.code == Some(0), "{command}\n{finished}");
        let unknown = ["--no-such-option".to_owned()];
        let first = &arguments[..1];
        let refused = env.run([first, &unknown, &arguments[1..]].concat());
        refused.assert_code(1);
    }
}

#[test]
fn the_tests_that_the_page_names_exist() {
    let crates = ["crates", "research"].map(|folder| checkout().join(folder));
    for command in commands("test") {
        let words = words(command);
        let place = words.iter().position(|word| word == "-p").expect(command);
        let (package, test) = (&words[place + 1], words.last().unwrap());
        let folder = crates.iter().map(|folder| folder.join(package));
        let folder = folder.into_iter().find(|folder| folder.exists());
        let mut folders = vec![folder.expect(command)];
        let mut is_found = false;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let source = std::fs::read_to_string(path).unwrap();
                    is_found |= source.contains(&format!("fn {test}("));
                }
            }
        }
        assert!(is_found, "{command}");
    }
}
