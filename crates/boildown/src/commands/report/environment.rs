//! The programs and files that the command of a run consists of or mentions, and their versions.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use boildown_exec::{CommandLine, Runner, StdinContent, TypedCommand};
use boildown_oracle::{Capture, Interrupt, Outcome, Run};
use boildown_show::ToolRecord;
use boildown_store::IdentifiedFile;

use crate::error::CliError;
use crate::limits;
use crate::options::SandboxArgs;
use crate::report::format::EscapedPath as _;
use crate::shown_error::print_note;

/// Programs that print their version and do nothing else when they are asked for it. The ends of
/// names such as `gcc-13` and `python3.12` do not count.
const KNOWN: &[&str] = &[
    "gcc", "g++", "cc", "c++", "clang", "clang++", "rustc", "cargo", "gccgo", "tcc", "node",
    "deno", "bun", "python", "pypy", "ruby", "perl", "php", "java", "javac", "kotlinc", "scala",
    "ghc", "ocaml", "ocamlc", "swiftc", "dotnet", "lua", "llc", "lld", "sqlite", "sqlite3", "z3",
    "cvc5", "gdb", "lldb", "valgrind", "cmake", "ninja", "wasmtime", "wasm-opt", "jq", "frama-c",
    "coqc", "lean", "agda",
];

/// What the name of a variable has before it in an identity.
const VARIABLE: &str = "the environment variable ";

/// The time that a program has to print its version.
const PATIENCE: Duration = Duration::from_secs(5);

/// The number of programs that are asked.
const MAX_ASKED: usize = 12;

/// What is done with the programs and files that a store names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileUse {
    /// Nothing. Even the hash of a file of the user could tell others what it holds.
    Nothing,
    /// They are compared with what the run had.
    Read,
    /// Programs are also run to ask for their version.
    Run,
    /// The same, and each command is shown first: the store is another user's.
    ShowAndRun,
}

/// Returns the programs and files in the identity of a run.
pub(super) fn tools(
    identity: &[(String, String)],
    file_use: FileUse,
) -> Result<Vec<ToolRecord>, CliError> {
    let mut asked = 0;
    let mut tools = Vec::new();
    for (what, recorded) in identity {
        let Some(path) = IdentifiedFile::path(what) else {
            continue;
        };
        if file_use == FileUse::Nothing {
            tools.push(ToolRecord {
                path: path.display().to_string(),
                recorded: recorded.clone(),
                version: None,
                hash: None,
                has_changed: None,
            });
            continue;
        }
        let file = IdentifiedFile::of(&path, what);
        let has_changed = file.now.as_ref() != Some(recorded);
        let is_asked = matches!(file_use, FileUse::Run | FileUse::ShowAndRun)
            && !has_changed
            && asked < MAX_ASKED
            && may_be_asked(&file.path, what.starts_with("the file "));
        asked += usize::from(is_asked);
        if is_asked && file_use == FileUse::ShowAndRun {
            print_note(&format!("running {} --version", file.path.escaped()));
        }
        tools.push(ToolRecord {
            path: file.path.display().to_string(),
            recorded: recorded.clone(),
            version: if is_asked { version(&file.path)? } else { None },
            hash: file.hash.filter(|_| !has_changed),
            has_changed: Some(has_changed),
        });
    }
    Ok(tools)
}

/// Returns what else the verdicts of a run depend on.
pub(super) fn facts(identity: &[(String, String)]) -> Vec<(String, String)> {
    let is_fact = |what: &str| !what.starts_with("the file ") && !what.starts_with("the program ");
    let facts = identity.iter().filter(|(what, _)| is_fact(what));
    // A report is shown to others, and the hash of a short secret tells it.
    let shown = |(what, value): &(String, String)| match what.starts_with(VARIABLE) {
        true => (what.clone(), "set".to_owned()),
        false => (what.clone(), value.clone()),
    };
    facts.map(shown).collect()
}

/// Returns whether a program is asked for its version: a known one, or a binary that the command
/// names and that was run on all candidates. Scripts may do anything.
fn may_be_asked(path: &Path, is_named: bool) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.trim_end_matches(|end: char| end.is_ascii_digit() || matches!(end, '.' | '-'));
    KNOWN.contains(&stem) || is_named && is_binary(path)
}

fn is_binary(path: &Path) -> bool {
    let mut start = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == *b"\x7fELF"
}

/// Returns the first line that a program prints about its version.
fn version(program: &Path) -> Result<Option<String>, CliError> {
    let words = [program.as_os_str().to_owned(), "--version".into()];
    let command = CommandLine::new(&TypedCommand {
        words: &words,
        input: &PathBuf::from("version"),
        user_dir: Path::new("/"),
        backup: None,
        stdin: StdinContent::Nothing,
    });
    let Ok(command) = command else {
        return Ok(None);
    };
    let sandbox = SandboxArgs::default();
    let runner = limits::runner(
        Path::new("version"),
        command,
        &sandbox,
        Some(PATIENCE),
        &mut |_| {},
    );
    Ok(runner.ok().and_then(|runner| printed(&runner)))
}

fn printed(runner: &Runner) -> Option<String> {
    let interrupt = Interrupt::new().ok()?;
    let run = runner.run(b"", Capture::Output, &interrupt).ok()?;
    first_line(&run)
}

fn first_line(run: &Run) -> Option<String> {
    let output = match run.stdout.is_empty() {
        true => &run.stderr,
        false => &run.stdout,
    };
    let text = String::from_utf8_lossy(output);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    (run.outcome == Outcome::Exited(0)).then(|| line.chars().take(120).collect())
}
