//! Mistakes that show when files are read or a command has run, and the line to type instead.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use super::line::{self, Line, is_program};
use crate::commands::reduce::args::{NO_FILE, ReduceArgs};
use crate::error::CliError;
use crate::report::format::EscapedPath as _;
use crate::script_hints::{ScriptCure, ScriptHint};

/// What is typed for the path of the candidate in other tools, in scripts and in manuals.
const PLACEHOLDERS: &[&str] = &[
    "%s", "%f", "$1", "$FILE", "FILE", "INPUT", "<file>", "{file}", "{1}", "@",
];

/// The most entries of folders among which a file is looked for.
const MAX_ENTRIES: usize = 5000;

/// Checks that the inputs of a reduction exist.
///
/// # Errors
/// [`CliError`] with the line to type, if a file of that name is in a folder below this one or on
/// standard input.
pub(super) fn check_inputs(args: &ReduceArgs) -> Result<(), CliError> {
    if args.input == Path::new("-") && !args.input.exists() {
        return Err(CliError::usage("failed to read -")
            .because("standard input can be read only once, and is no file")
            .cure("save it first", from_standard_input(&Line::typed())));
    }
    let real = |path: &Path| fs::canonicalize(path).ok();
    let test = args.runs.property.test.as_deref().and_then(real);
    if test.is_some() && test == real(&args.input) {
        return Err(CliError::usage("the test is the input")
            .hint("a test is a script that exits with 0 while the failure is there")
            .cure(
                "type",
                Line::typed()
                    .without_value(&["--test"])
                    .ending(["--test".into(), "SCRIPT".into()])
                    .shown(),
            ));
    }
    // A test with white space is a line for the shell.
    let is_line = |test: &Path| {
        test.as_os_str()
            .as_bytes()
            .iter()
            .any(u8::is_ascii_whitespace)
    };
    let script = (args.runs.property.test.as_deref())
        .filter(|test| !is_line(test) && !is_program(test.as_os_str()));
    let inputs = args.inputs();
    let paths = inputs.iter().map(AsRef::as_ref).chain(script);
    for path in paths.filter(|path| !path.exists() && *path != Path::new(NO_FILE)) {
        let Some(found) = below(path) else { continue };
        let what = format!("failed to read {}", path.escaped());
        let line = Line::typed().replacing(path, found);
        let error = CliError::usage(what).because("there is no such file");
        return Err(error.cure("it may be this one", line.shown()));
    }
    if let Some(result) = args.more.last().filter(|path| !path.exists())
        && args.output.is_none()
    {
        let line = Line::typed().before(result, "-o").shown();
        return Err(
            CliError::usage(format!("failed to read {}", result.escaped()))
                .because("there is no such file or folder")
                .cure("if it is the result", line),
        );
    }
    Ok(())
}

/// Returns the only file of that name in the folders below this one.
fn below(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?;
    let mut folders = vec![PathBuf::new()];
    let mut found = None;
    let mut entries = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(Path::new(".").join(&folder)).ok()?.flatten() {
            entries += 1;
            if entries > MAX_ENTRIES {
                return None;
            }
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let path = folder.join(entry.file_name());
            let is_hidden = entry.file_name().as_bytes().starts_with(b".");
            if kind.is_dir() && !is_hidden {
                folders.push(path);
            } else if kind.is_file() && entry.file_name() == name && found.replace(path).is_some() {
                return None;
            }
        }
    }
    found
}

/// Returns whether standard input is a pipe or a file.
pub(super) fn is_piped() -> bool {
    let metadata = fs::metadata("/dev/stdin");
    metadata.is_ok_and(|input| input.is_file() || input.file_type().is_fifo())
}

/// Returns the line with a file in the place of `-`: the one that standard input reads, or else one
/// that is written first.
pub(super) fn from_standard_input(line: &Line) -> Option<String> {
    let mut line = line.clone();
    let dashes = line.dashes();
    let index = line.0[..dashes].iter().position(|word| word == "-")?;
    let here = std::env::current_dir().unwrap_or_default();
    let redirected = fs::read_link("/proc/self/fd/0")
        .ok()
        .filter(|path| path.is_file());
    let file = redirected.map(|path| {
        path.strip_prefix(&here)
            .map_or(path.clone(), Path::to_owned)
    });
    let before = match &file {
        Some(_) => "",
        None => "cat > input.txt && ",
    };
    let file = file.unwrap_or_else(|| "input.txt".into());
    line.0[index] = file.into();
    let command = &line.0[(dashes + 1).min(line.0.len())..];
    let reads = |word: &OsString| word == "-" || word == "/dev/stdin";
    let has_stdin = line.0[..dashes].iter().any(|word| word == "--stdin");
    if !has_stdin && command.iter().any(reads) {
        line = line.with(["--stdin"]);
    }
    line.shown().map(|line| format!("{before}{line}"))
}

/// Returns the line with the command as it was meant, if it is no program, is a line for a shell,
/// or does not name the input.
pub(crate) fn cure_of_command(
    words: &[OsString],
    input: &Path,
    is_fed: bool,
    names_input: bool,
) -> Option<String> {
    let first = words.first()?;
    let line = Line::typed();
    let ending = line::command(words);
    if ending[0] != "--" || ending[1..] != words[..] {
        let is_file = Path::new(first).exists();
        return line.ending(ending).shown().filter(|_| !is_file);
    }
    if !first.as_bytes().contains(&b'/') && !is_program(first) && Path::new(first).is_file() {
        let program = Path::new(".").join(first);
        return line
            .ending(with_word(words, first, program.as_os_str()))
            .shown();
    }
    if names_input {
        return None;
    }
    let extension = input.extension();
    let is_placeholder = |word: &&OsString| {
        let is_missing = Path::new(word).extension() == extension && !Path::new(word).exists();
        PLACEHOLDERS.iter().any(|known| *word == known)
            || extension.is_some() && is_missing && !word.as_bytes().starts_with(b"-")
    };
    if let Some(word) = words.iter().skip(1).find(is_placeholder) {
        return line
            .ending(with_word(words, word, OsStr::new("{}")))
            .shown();
    }
    let reads_stdin = words.iter().skip(1).any(|word| word == "-");
    (reads_stdin && !is_fed).then(|| line.with(["--stdin"]).shown())?
}

/// Returns `--` and the words, with another one in the place of a word.
fn with_word(words: &[OsString], old: &OsStr, new: &OsStr) -> Vec<OsString> {
    let words = words
        .iter()
        .map(|word| if word == old { new } else { word });
    std::iter::once(OsStr::new("--"))
        .chain(words)
        .map(OsStr::to_owned)
        .collect()
}

/// Returns the line with the command as a test, for a command that succeeds on the input only.
pub(crate) fn cure_of_success(words: &[OsString]) -> Option<String> {
    let test = match words {
        [] => return None,
        [script] => script.clone(),
        words => {
            let words: Vec<_> = words.iter().map(boildown_oracle::shell::quote).collect();
            words.join(" ").into()
        }
    };
    Line::typed().ending(["--test".into(), test]).shown()
}

/// Returns the line with the script and the input exchanged.
pub(crate) fn swapped(script: &Path, input: &Path) -> Option<String> {
    let marker = OsStr::new("\u{0}");
    let line = Line::typed()
        .replacing(script, marker)
        .replacing(input, script);
    line.replacing(marker, input).shown()
}

/// Adds a hint about a test to an error, with the line to type at the end.
pub(crate) fn with_script_hint(error: CliError, hint: Option<ScriptHint>) -> CliError {
    let Some(ScriptHint { text, cure }) = hint else {
        return error;
    };
    let line = match cure {
        Some(ScriptCure::Test { old, new }) => Line::typed().replacing(old, new).shown(),
        Some(ScriptCure::Exit(code)) => {
            let option = ["--exit".to_owned(), code.to_string()];
            Line::typed().with(option).shown()
        }
        Some(ScriptCure::Line(line)) => Some(line),
        None => None,
    };
    error.hint(text).cure("type", line)
}
