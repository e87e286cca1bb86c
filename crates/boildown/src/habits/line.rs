//! The command line that the user typed, and how it has to be typed.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use boildown_oracle::shell::quote;
use clap::Parser as _;
use clap::error::ContextKind;

use super::other_commands;
use crate::cli::Cli;

/// The words of a command line, the program's name first.
#[derive(Debug, Clone)]
pub(crate) struct Line(pub(super) Vec<OsString>);

impl Line {
    /// Returns the line that the user typed, with the command of boildown that was meant.
    pub(crate) fn typed() -> Self {
        Self(with_command(env::args_os().collect()))
    }

    /// Returns the number of words before `--`.
    pub(super) fn dashes(&self) -> usize {
        let dashes = self.0.iter().position(|word| word == "--");
        dashes.unwrap_or(self.0.len())
    }

    /// Returns the line with another text in the place of a word, or of the value in
    /// `--option=value`.
    pub(crate) fn replacing(mut self, old: impl AsRef<OsStr>, new: impl AsRef<OsStr>) -> Self {
        let (old, new) = (old.as_ref(), new.as_ref());
        for word in self.0.iter_mut().skip(2) {
            let value = word.as_bytes().strip_suffix(old.as_bytes());
            if word == old {
                *word = new.to_owned();
            } else if let Some(option) = value.filter(|option| is_option_with_equals(option)) {
                let mut replaced = OsStr::from_bytes(option).to_owned();
                replaced.push(new);
                *word = replaced;
            }
        }
        self
    }

    /// Returns the line with an option before a word.
    pub(super) fn before(mut self, word: impl AsRef<OsStr>, option: &str) -> Self {
        if let Some(index) = self.0.iter().position(|typed| typed == word.as_ref()) {
            self.0.insert(index, option.into());
        }
        self
    }

    /// Returns the line with further words before `--`.
    pub(crate) fn with<W: Into<OsString>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        let dashes = self.dashes();
        let words = words.into_iter().map(Into::into);
        self.0.splice(dashes..dashes, words);
        self
    }

    /// Returns the line without an option and its value.
    pub(crate) fn without_value(mut self, option: &[&str]) -> Self {
        let is_value = |word: &OsString, name: &&str| {
            let rest = word.as_bytes().strip_prefix(name.as_bytes());
            rest.is_some_and(|rest| rest.starts_with(b"=") || !name.starts_with("--"))
        };
        let end = self.dashes();
        let mut words = std::mem::take(&mut self.0).into_iter().enumerate();
        while let Some((index, word)) = words.next() {
            if index < end && option.iter().any(|name| word == *name) {
                words.next();
            } else if index >= end || !option.iter().any(|name| is_value(&word, name)) {
                self.0.push(word);
            }
        }
        self
    }

    /// Takes the value of one of these options out of the line, with the option.
    pub(super) fn take_value(&mut self, options: &[&str]) -> Option<OsString> {
        let dashes = self.dashes();
        let is_one = |name: &str| options.contains(&name);
        let (index, value) = self.0[..dashes]
            .iter()
            .enumerate()
            .find_map(|(index, word)| {
                let word = word.to_str()?;
                match word.split_once('=') {
                    Some((name, value)) => is_one(name).then(|| (index, Some(value.into()))),
                    None => is_one(word).then_some((index, None)),
                }
            })?;
        self.0.remove(index);
        value.or_else(|| (index + 1 < dashes).then(|| self.0.remove(index)))
    }

    /// Returns the line without the last word before `--` that is this one.
    pub(super) fn without_last(mut self, word: impl AsRef<OsStr>) -> Self {
        let words = &self.0[..self.dashes()];
        if let Some(index) = words.iter().rposition(|typed| typed == word.as_ref()) {
            self.0.remove(index);
        }
        self
    }

    /// Returns the line with another test in the place of this one, which may have no option.
    pub(super) fn with_test(self, old: &Path, new: String) -> Self {
        match self.has_test() {
            true => self.replacing(old, new),
            false => self.without_last(old).with(["--test".to_owned(), new]),
        }
    }

    /// Returns the line without this test, which may have no option.
    pub(super) fn without_test(self, test: &Path) -> Self {
        match self.has_test() {
            true => self.without_value(&["--test"]),
            false => self.without_last(test),
        }
    }

    fn has_test(&self) -> bool {
        let is_test = |word: &OsString| word == "--test" || word.as_bytes().starts_with(b"--test=");
        before_dashes(&self.0).iter().any(is_test)
    }

    /// Returns the line with `{}` in the place of the last word of the command that names a file,
    /// or at its end.
    pub(crate) fn with_candidate(mut self) -> Self {
        let first = self.dashes() + 2;
        let is_file = |word: &OsString| Path::new(word).is_file();
        let last = self
            .0
            .iter()
            .rposition(is_file)
            .filter(|index| *index >= first);
        match last {
            Some(index) => self.0[index] = "{}".into(),
            None => self.0.push("{}".into()),
        }
        self
    }

    /// Returns the line with other words in the place of `--` and the command.
    pub(crate) fn ending(mut self, words: impl IntoIterator<Item = OsString>) -> Self {
        self.0.truncate(self.dashes());
        self.0.extend(words);
        self
    }

    /// Returns the line as it is typed, if boildown accepts it.
    pub(crate) fn shown(&self) -> Option<String> {
        Cli::try_parse_from(&self.0).is_ok().then(|| self.text())
    }

    /// Returns the line as it is typed.
    pub(crate) fn text(&self) -> String {
        let name = OsStr::new("boildown");
        let is_ours = |word: &OsString| Path::new(word).file_name() == Some(name);
        let first = self.0.first().filter(|word| is_ours(word)).map(|_| name);
        let rest = self.0.iter().map(OsString::as_os_str);
        let rest = rest.skip(usize::from(first.is_some()));
        let words: Vec<_> = first.into_iter().chain(rest).map(typed).collect();
        words.join(" ")
    }
}

/// Returns the arguments with `reduce` in front if they name a file, or have options or a command,
/// but no command of ours.
pub(crate) fn with_command(mut words: Vec<OsString>) -> Vec<OsString> {
    let Some(first) = words.get(1).map(OsString::as_os_str) else {
        return words;
    };
    let definition = Cli::definition();
    let is_command = |word: &OsString| {
        let names = |command: &clap::Command| {
            command
                .get_name_and_visible_aliases()
                .iter()
                .any(|name| word == name)
        };
        word == "help" || definition.get_subcommands().any(names)
    };
    let own = first.as_bytes().starts_with(b"-") && first.len() > 1;
    let own = own && !before_dashes(&words).iter().any(is_command);
    let is_global = ["-h", "--help", "-V", "--version"]
        .iter()
        .any(|option| first == *option);
    let is_path =
        first.as_bytes().iter().any(|byte| b"./".contains(byte)) || Path::new(first).exists();
    // Before a command to run, `reduec` is more likely a misspelled command than a missing input.
    let is_other = first.to_str().and_then(other_commands::find).is_some();
    let is_named = || is_other || is_like_a_command(first);
    let is_input = || words.iter().any(|word| word == "--") && !is_named();
    if !is_global && !is_command(&words[1]) && (own || is_path || is_input()) {
        words.insert(1, "reduce".into());
    }
    words
}

fn is_like_a_command(word: &OsStr) -> bool {
    let parsed = Cli::try_parse_from([OsStr::new("boildown"), word]);
    parsed.is_err_and(|error| error.get(ContextKind::SuggestedSubcommand).is_some())
}

/// Returns the words before `--`.
pub(super) fn before_dashes(words: &[OsString]) -> &[OsString] {
    let end = words.iter().position(|word| word == "--");
    &words[..end.unwrap_or(words.len())]
}

/// Returns a word as it is typed: revisions and `{}` need no quotes.
pub(super) fn typed(word: &OsStr) -> String {
    let quoted = quote(word);
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_@%+=:,./-{}~^".contains(byte);
    let may_stay = word.as_bytes().iter().all(is_plain) && !word.as_bytes().starts_with(b"~");
    match quoted
        .strip_prefix('\'')
        .and_then(|quoted| quoted.strip_suffix('\''))
    {
        Some(plain) if may_stay && !plain.is_empty() => plain.to_owned(),
        _ => quoted,
    }
}

/// Returns whether an option has this long name.
pub(super) fn is_called(option: &clap::Arg, name: &str) -> bool {
    let aliases = option.get_all_aliases().unwrap_or_default();
    option.get_long() == Some(name) || aliases.contains(&name)
}

/// Returns whether the word after an option of a command that was built is its value.
pub(super) fn needs_value(option: &clap::Arg) -> bool {
    let values = option.get_num_args();
    values.is_some_and(|values| values.min_values() > 0)
}

fn is_option_with_equals(text: &[u8]) -> bool {
    text.starts_with(b"--") && text.ends_with(b"=")
}

/// Returns whether a word names a program: one on the PATH, or one with arguments or variables that
/// was typed as a single word.
pub(super) fn is_program(word: &OsStr) -> bool {
    let bytes = word.as_bytes();
    let mut words = bytes.split(u8::is_ascii_whitespace);
    let first = words.find(|word| !is_assignment(word));
    let name = OsStr::from_bytes(first.unwrap_or_default());
    match name.as_bytes() {
        b"" => false,
        _ if name != word && BUILTINS.iter().any(|known| name == *known) => true,
        path if path.contains(&b'/') => path != bytes && is_runnable(name),
        _ => {
            let path = env::var_os("PATH").unwrap_or_default();
            env::split_paths(&path).any(|dir| is_runnable(dir.join(name)))
        }
    }
}

/// Returns whether this is a file that can be executed.
pub(super) fn is_runnable(path: impl AsRef<Path>) -> bool {
    let metadata = fs::metadata(path.as_ref());
    metadata.is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// Returns whether a word sets a variable of the environment, as `CC=gcc` does.
pub(super) fn is_assignment(word: &[u8]) -> bool {
    let name = word.split(|byte| *byte == b'=').next().unwrap_or_default();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    name.len() < word.len() && name.iter().all(is_name) && !name.is_empty()
}

/// Words that a shell reads as operators, and its commands that are no programs.
const OPERATORS: &[&str] = &["|", "||", "&&", ";", "&", ">", "<", ">>", "2>&1", "!"];
const BUILTINS: &[&str] = &[
    "cd", "export", "set", "source", ".", "ulimit", "exec", "eval",
];

/// Returns how the words of a command have to be typed: with `--` or `--test` in front. A line that
/// was typed as one word, variables, and operators of a shell are not what a program gets.
pub(super) fn command(words: &[OsString]) -> Vec<OsString> {
    let is_one_of = |list: &[&str], word: &OsString| list.iter().any(|known| word == known);
    let joined = match words {
        [line] if line.as_bytes().iter().any(u8::is_ascii_whitespace) => {
            Some(line.to_string_lossy().into_owned())
        }
        [first, ..]
            if is_one_of(BUILTINS, first)
                || words.iter().any(|word| is_one_of(OPERATORS, word)) =>
        {
            let quoted = words.iter().map(|word| match is_one_of(OPERATORS, word) {
                true => word.to_string_lossy().into_owned(),
                false => quote(word),
            });
            Some(quoted.collect::<Vec<_>>().join(" "))
        }
        _ => None,
    };
    let with_dashes = |words: Vec<OsString>| {
        let is_first_assigned = words
            .first()
            .is_some_and(|word| is_assignment(word.as_bytes()));
        let env = is_first_assigned.then(|| "env".into());
        [OsString::from("--")]
            .into_iter()
            .chain(env)
            .chain(words)
            .collect()
    };
    match joined {
        None => with_dashes(words.to_vec()),
        Some(line) if line.contains('|') => vec!["--test".into(), line.into()],
        Some(line) if line.contains(|letter| "&;<>$`*?()\"'\\!".contains(letter)) => {
            with_dashes(vec!["sh".into(), "-c".into(), line.into()])
        }
        Some(line) => with_dashes(line.split_whitespace().map(Into::into).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_a_shell_becomes_words_or_a_test() {
        let check = |words: &[&str], expected: &str| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            let typed: Vec<_> = command(&words).iter().map(quote).collect();
            assert_eq!(typed.join(" "), expected);
        };
        check(&["gcc -c a.c"], "-- gcc -c a.c");
        check(&["gcc", "-c", "a b.c"], "-- gcc -c 'a b.c'");
        check(&["make 2>&1 | grep x"], "--test 'make 2>&1 | grep x'");
        check(
            &["make", "x y", "|", "grep", "a"],
            "--test 'make '\\''x y'\\'' | grep a'",
        );
        check(&["cd", "sub", "&&", "make"], "-- sh -c 'cd sub && make'");
        check(&["CC=cc", "make"], "-- env CC=cc make");
        check(&["CC=cc make -j"], "-- env CC=cc make -j");
    }

    #[test]
    fn the_value_of_an_option_is_taken_out_with_it() {
        let take = |line: &str| {
            let mut line = Line(line.split(' ').map(Into::into).collect());
            let value = line.take_value(&["--bad", "--new"]);
            (value, line.text())
        };
        let check = |typed, value: Option<&str>, rest: &str| {
            assert_eq!(take(typed), (value.map(Into::into), rest.to_owned()));
        };
        check(
            "boildown changes --bad v2 --json",
            Some("v2"),
            "boildown changes --json",
        );
        check(
            "boildown changes --new=v2 -- make",
            Some("v2"),
            "boildown changes -- make",
        );
        check(
            "boildown changes a -- --bad v2",
            None,
            "boildown changes a -- --bad v2",
        );
    }

    #[test]
    fn a_word_is_a_program_with_its_arguments_and_variables() {
        for word in ["sh", "sh -c x", "A=b sh", "/bin/sh -c x", "cd x && y"] {
            assert!(is_program(OsStr::new(word)), "{word}");
        }
        for word in ["", "A=b", "no-such-program x", "/bin/sh", "-c"] {
            assert!(!is_program(OsStr::new(word)), "{word}");
        }
    }
}
