//! Rule about the commands in documents: subcommands and long options exist.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use super::markdown::{document_lines, documents};
use crate::{assert_none, cargo};

/// Languages of the fenced blocks that hold commands.
const SHELLS: &[&str] = &["sh", "bash", "console", "shell"];

/// Documents with commands of earlier versions.
const EXEMPT: &[&str] = &["CHANGELOG.md", "docs/decisions", "docs/lab"];

/// The subcommands and long options that a help text lists.
#[derive(Debug, Default)]
struct Help {
    commands: Vec<String>,
    options: Vec<String>,
}

impl Help {
    fn parse(text: &str) -> Self {
        let mut help = Self::default();
        let mut is_commands = false;
        for line in text.lines() {
            if !line.starts_with(' ') && !line.is_empty() {
                is_commands = line == "Commands:";
                continue;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            // Continued descriptions stand further to the right.
            let indentation = line.len() - line.trim_start().len();
            if let (true, 2, Some(name)) = (is_commands, indentation, words.first()) {
                help.commands.push((*name).to_owned());
            }
            let is_option =
                indentation <= 6 && words.first().is_some_and(|word| word.starts_with('-'));
            let names = words.iter().take(2).filter(|_| is_option);
            for name in names.filter(|word| word.starts_with("--")) {
                let name = name.split(['=', '[', ',']).next().unwrap_or_default();
                help.options.push(name.to_owned());
            }
        }
        help
    }
}

/// Returns the words of a command line up to `--`, a pipe or a comment. Quotes hide these signs.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for c in line.chars().chain([' ']) {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, ' ') => {
                if matches!(word.as_str(), "--" | "|" | "&&" | ";" | ">") || word.starts_with('#') {
                    break;
                }
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            _ => word.push(c),
        }
    }
    words
}

/// Returns the arguments that a line of a document gives to boildown, if it calls it.
fn arguments(line: &str) -> Option<Vec<String>> {
    let line = line.trim().trim_start_matches("$ ");
    let rest = line
        .strip_prefix("boildown ")
        .or_else(|| line.strip_prefix("cargo run --release -- "))?;
    Some(words(rest))
}

/// Returns the command lines of a document with their line numbers: those of shell blocks,
/// continued lines joined, and the code spans of the prose.
fn calls(text: &str) -> Vec<(usize, String)> {
    let mut calls: Vec<(usize, String)> = Vec::new();
    let mut is_continued = false;
    for line in document_lines(text) {
        match line.block {
            Some(language) if SHELLS.contains(&language) => {
                let continues = line.text.ends_with('\\');
                let part = line.text.trim_end_matches('\\');
                match calls.last_mut().filter(|_| is_continued) {
                    Some((_, call)) => call.push_str(part),
                    None => calls.push((line.number, part.to_owned())),
                }
                is_continued = continues;
            }
            Some(_) => {}
            None => {
                let spans = line.text.split('`').skip(1).step_by(2);
                calls.extend(spans.map(|span| (line.number, span.to_owned())));
            }
        }
    }
    calls
}

/// Returns what is wrong with the arguments of a call. `help` returns the help of a subcommand,
/// given by its path.
fn argument_complaints(
    arguments: &[String],
    mut help: impl FnMut(&[String]) -> Help,
) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut known = help(&path);
    for argument in arguments {
        if argument.starts_with("--") {
            let name = argument.split(['=', '[']).next().unwrap_or_default();
            if !known.options.iter().any(|option| option == name) {
                complaints.push(format!("boildown {} has no option {name}", path.join(" ")));
            }
        } else if !argument.starts_with('-') && !known.commands.is_empty() {
            if !known.commands.contains(argument) {
                // Capitals and dots stand for a command.
                if argument.starts_with(|c: char| c.is_ascii_lowercase()) {
                    complaints.push(format!("boildown has no command {argument}"));
                }
                return complaints;
            }
            path.push(argument.clone());
            known = help(&path);
        }
    }
    complaints
}

/// Returns the program that the tests of the workspace were built with, built now if it is missing.
fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().nth(2).unwrap();
    let program = folder.join(format!("boildown{}", std::env::consts::EXE_SUFFIX));
    if !program.exists() {
        cargo(&["build", "--quiet", "--locked", "--package", "boildown"]);
    }
    program
}

#[test]
fn commands_in_documents_exist() {
    let program = program();
    let mut helps: BTreeMap<Vec<String>, String> = BTreeMap::new();
    let mut help = |path: &[String]| {
        let text = helps.entry(path.to_vec()).or_insert_with(|| {
            let output = Command::new(&program)
                .args(path)
                .args(["--help", "expert"])
                .output()
                .unwrap();
            String::from_utf8(output.stdout).unwrap()
        });
        Help::parse(text)
    };
    let mut complaints = Vec::new();
    for file in documents() {
        if EXEMPT.iter().any(|exempt| file.path.starts_with(exempt)) {
            continue;
        }
        for (number, call) in calls(&file.text) {
            let Some(arguments) = arguments(&call) else {
                continue;
            };
            for complaint in argument_complaints(&arguments, &mut help) {
                complaints.push(format!("{}:{number}: {complaint}", file.path.display()));
            }
        }
    }
    if !complaints.is_empty() {
        complaints.push(format!(
            "if an option is new, build {} again with `cargo build`",
            program.display()
        ));
    }
    assert_none(&complaints);
}

#[test]
fn the_rule_about_commands_finds_what_it_forbids() {
    let top = "Does it\n\nUsage: boildown <COMMAND>\n\nCommands:\n  reduce  Make a file small\n             again\n\nOptions:\n  -h, --help     Print help\n";
    let reduce = "Options:\n  -j, --jobs <N>   Run N\n      --colour[=<WHEN>]  Colours\n                   --no option\n";
    let help = |path: &[String]| Help::parse(if path.is_empty() { top } else { reduce });
    let complaints = |line: &str| argument_complaints(&arguments(line).unwrap(), help);
    assert!(complaints("$ boildown reduce a.c --jobs 3 --colour=no -- ls --bad").is_empty());
    assert!(complaints("boildown --help | grep --x").is_empty());
    assert!(complaints("cargo run --release -- reduce 'a --b'  # --c").is_empty());
    assert_eq!(
        complaints("boildown reduce --no"),
        ["boildown reduce has no option --no"]
    );
    assert_eq!(
        complaints("boildown shrink a.c"),
        ["boildown has no command shrink"]
    );
    assert!(arguments("boildowns").is_none());
    let document = "Use `a b`.\n```sh\nc \\\n  d\ne\n```\n```text\nf\n```\n";
    let calls: Vec<(usize, String)> = calls(document);
    let calls: Vec<(usize, &str)> = calls.iter().map(|(line, call)| (*line, &**call)).collect();
    assert_eq!(calls, [(1, "a b"), (3, "c   d"), (5, "e")]);
}
