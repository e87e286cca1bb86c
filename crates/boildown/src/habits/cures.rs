//! Mistakes that show when files are read or a command has run, and the line to type instead.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use boildown_document::Language;
use boildown_exec::StdinContent;
use boildown_oracle::shell::quote;

use super::line::{self, Line, is_program};
use super::misplaced::misplaced;
use crate::error::CliError;
use crate::report::format::EscapedPath as _;
use crate::script_hints::{ScriptCure, ScriptHint};

/// What is typed for the path of the candidate in other tools, in scripts and in manuals.
const PLACEHOLDERS: &[&str] = &[
    "%s", "%f", "$1", "$FILE", "FILE", "INPUT", "<file>", "{file}", "{1}", "@",
];

/// The most entries of folders among which a file is looked for.
const MAX_ENTRIES: usize = 5000;

/// Returns the only file of that name in the folders below this one.
pub(super) fn below(path: &Path) -> Option<PathBuf> {
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
    let names_file = |word: &OsString| {
        let is_candidate = ["{}", "@@"]
            .iter()
            .any(|text| word.to_string_lossy().contains(text));
        is_candidate || *word == line.0[index] || Path::new(word).is_file()
    };
    let has_stdin = line.0[..dashes].iter().any(|word| word == "--stdin");
    let is_fed = !command.is_empty() && !command.iter().skip(1).any(names_file);
    if !has_stdin && (is_fed || command.iter().any(reads)) {
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
    if let Some((_, line)) = misplaced(&line) {
        return Some(line);
    }
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
        let is_missing = Path::new(word).extension() == extension
            && !Path::new(word).exists()
            && !is_shell_text(word);
        PLACEHOLDERS.iter().any(|known| *word == known)
            || extension.is_some() && is_missing && !word.as_bytes().starts_with(b"-")
    };
    if let Some(word) = words.iter().skip(1).find(is_placeholder) {
        return line
            .ending(with_word(words, word, OsStr::new("{}")))
            .shown();
    }
    let in_text = |word: &OsString| Some((word.clone(), with_candidate(word, input)?));
    if let Some((word, named)) = words.iter().skip(1).find_map(in_text) {
        return line
            .ending(with_word(words, &word, OsStr::new(&named)))
            .shown();
    }
    let reads_stdin = words.iter().skip(1).any(|word| word == "-");
    (reads_stdin && !is_fed).then(|| line.with(["--stdin"]).shown())?
}

/// Returns whether a word has white space, so that it is a text for a shell, and no path.
fn is_shell_text(word: &OsStr) -> bool {
    word.as_bytes().iter().any(u8::is_ascii_whitespace)
}

/// Returns a text for a shell with `{}` in the place of the input, if it names the input.
fn with_candidate(text: &OsStr, input: &Path) -> Option<String> {
    let text = text.to_str().filter(|_| is_shell_text(text))?;
    let is_end = |letter: char| letter.is_whitespace() || ";|&<>()\"'".contains(letter);
    let is_input = |word: &str| {
        let word = Path::new(word);
        word == input || Some(word.as_os_str()) == input.file_name()
    };
    let named = text.split_inclusive(is_end).map(|piece| {
        let word = piece.trim_end_matches(is_end);
        match is_input(word) {
            true => format!("{{}}{}", &piece[word.len()..]),
            false => piece.to_owned(),
        }
    });
    let named: String = named.collect();
    (named != text).then_some(named)
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

/// Returns the line with the candidate at the end of a command that does not name it, or on its
/// standard input: as it fails when it is typed so. `fails` says whether that depends on the input.
pub(crate) fn cure_of_unnamed(
    words: &[OsString],
    fails: impl Fn(&[OsString], StdinContent) -> bool,
) -> Option<String> {
    let named = [words, &["{}".into()]].concat();
    let as_argument = || {
        let ending = std::iter::once("--".into()).chain(named.clone());
        fails(&named, StdinContent::Nothing).then(|| Line::typed().ending(ending).shown())?
    };
    let on_stdin = || {
        let fails = fails(words, StdinContent::Candidate);
        fails.then(|| Line::typed().with(["--stdin"]).shown())?
    };
    match is_piped() {
        true => on_stdin().or_else(as_argument),
        false => as_argument().or_else(on_stdin),
    }
}

/// Returns the line with the command as a test, for a command that succeeds on the input only.
pub(crate) fn cure_of_success(words: &[OsString], input: &Path) -> Option<String> {
    let test = as_test(words, Some(input))?;
    Line::typed().ending(["--test".into(), test]).shown()
}

/// Returns the line that takes the time limit, which the command reached, for the least time of a
/// hang.
pub(crate) fn cure_of_hang(limit: Duration) -> Option<String> {
    let line = Line::typed().without_value(&["--timeout"]);
    line.with(["--hangs".to_owned(), limit.as_secs_f64().to_string()])
        .shown()
}

/// Returns the value of `--test` for a command, which gets the candidate as `$1`.
pub(super) fn as_test(words: &[OsString], input: Option<&Path>) -> Option<OsString> {
    let is_candidate = |word: &OsString| word == "{}" || input.is_some_and(|input| word == input);
    let word = |word: &OsString| match is_candidate(word) {
        true => "\"$1\"".to_owned(),
        false => {
            let text = word.to_string_lossy();
            let parts: Vec<_> = text.split("{}").map(quoted_part).collect();
            parts.join("\"$1\"")
        }
    };
    match words {
        [] => None,
        [script] => Some(script.clone()),
        // A script gets the candidate as its argument anyway.
        [script, argument] if Path::new(script).is_file() && is_candidate(argument) => {
            Some(script.clone())
        }
        words => Some(words.iter().map(word).collect::<Vec<_>>().join(" ").into()),
    }
}

/// Returns a part of a word as it is typed: nothing stays nothing.
fn quoted_part(part: &str) -> String {
    match part {
        "" => String::new(),
        part => quote(part),
    }
}

/// Checks that the shell can run a script that does not name its interpreter.
///
/// # Errors
/// [`CliError`] with the line that names it, if the name of the script is that of another language.
pub(super) fn check_interpreter(script: &Path) -> Result<(), CliError> {
    // A line for the shell is no file.
    let Ok(head) = fs::read(script) else {
        return Ok(());
    };
    let language = Language::detect(&script.to_string_lossy(), b"");
    let Some(language) = language.filter(|_| !head.starts_with(b"#!") && !head.contains(&0)) else {
        return Ok(());
    };
    if language.interpreters.contains(&"sh") {
        return Ok(());
    }
    // Debian has `python3` only.
    let names = language.interpreters.iter();
    let mut names = names.flat_map(|name| [(*name).to_owned(), format!("{name}3")]);
    let Some(program) = names.find(|name| is_program(OsStr::new(name))) else {
        return Ok(());
    };
    let path = fs::canonicalize(script).unwrap_or_else(|_| script.to_owned());
    let test = format!("{program} {} \"$1\"", quote(path));
    let what = format!(
        "{} has no first line that names its interpreter",
        script.escaped()
    );
    let line = Line::typed().with_test(script, test);
    Err(CliError::usage(what).cure("type", line.shown()))
}

/// Returns the line with two of its files exchanged.
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
        Some(ScriptCure::Test { old, new }) => Line::typed().with_test(&old, new).shown(),
        Some(ScriptCure::Command(script)) => {
            let words = ["--".into(), script.clone().into(), "{}".into()];
            Line::typed().without_test(&script).ending(words).shown()
        }
        Some(ScriptCure::Exit(code)) => {
            let option = ["--exit".to_owned(), code.to_string()];
            Line::typed().with(option).shown()
        }
        Some(ScriptCure::Line(line)) => Some(line),
        None => None,
    };
    error.hint(text).cure("type", line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_a_test_with_the_candidate_as_its_argument() {
        let input = Path::new("err.c");
        let check = |words: &[&str], expected: &str| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            assert_eq!(as_test(&words, Some(input)).unwrap(), expected);
        };
        check(&["./t.sh"], "./t.sh");
        check(&["/bin/sh", "{}"], "/bin/sh");
        check(&["grep", "-q", "a b", "{}"], "grep -q 'a b' \"$1\"");
        check(&["cc", "--in={}", "err.c"], "cc --in=\"$1\" \"$1\"");
    }

    #[test]
    fn the_input_in_a_text_for_a_shell_is_replaced_as_a_word() {
        let named = |text: &str| with_candidate(OsStr::new(text), Path::new("d/err.c"));
        assert_eq!(named("cd /d && cc err.c").unwrap(), "cd /d && cc {}");
        assert_eq!(named("cc 'd/err.c'; true").unwrap(), "cc '{}'; true");
        assert_eq!(named("cc other.c"), None);
        assert_eq!(named("err.c"), None);
        assert_eq!(named("cc myerr.c x"), None);
    }
}
