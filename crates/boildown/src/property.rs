//! The command that tests a candidate, and the property that the options state.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use boildown_document::Split;
use boildown_exec::{
    CommandLine, Delivered, ExpectedEnd, ExtraTest, InputBackup, Runner, StdinContent, TestCommand,
    TypedCommand, check_set_up, with_absolute_program,
};
use boildown_oracle::shell::quote;
use boildown_oracle::{Capture, Expectation, Interrupt, Property};
use boildown_session::default_time_limit;
use boildown_session::prepare::KeptFrames;
use boildown_store::{Identity, add_surroundings_from};

use crate::error::{CliError, ExitKind};
use crate::explain::{limit_hint, output_hints, repeat_hint};
use crate::input::script_likeness;
use crate::options::PropertyArgs;
use crate::report::format::EscapedPath as _;
use crate::report::reporter::Reporter;

/// The command of a property, and the tests that a candidate has to pass or to fail too.
#[derive(Debug)]
pub(crate) struct PropertyCommands {
    /// The command that tests a candidate.
    pub(crate) command: CommandLine,
    extra: Vec<ExtraCommand>,
    notes: Vec<String>,
    /// The options of the property.
    pub(crate) options: PropertyArgs,
    /// Where the files of the input are as they were before the first session.
    backup: Option<InputBackup>,
}

/// Returns the error of a test that is to read the candidate from standard input.
fn stdin_of_test(test: &Path) -> CliError {
    let fed = match test.is_file() {
        true => format!("{} <\"$1\"", quote(Path::new(".").join(test))),
        false => format!("{{ {}; }} <\"$1\"", test.display()),
    };
    CliError::usage("--stdin feeds a command, and a test gets the path of the candidate as $1")
        .hint(format!(
            "leave out --stdin, and write --test {}",
            quote(fed)
        ))
}

/// The input that the commands of a property test.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TestedInput<'a> {
    pub(crate) path: &'a Path,
    /// The copy of it that an earlier session made, if the result replaces the input.
    pub(crate) backup: Option<&'a Path>,
}

impl<'a> From<&'a PathBuf> for TestedInput<'a> {
    fn from(path: &'a PathBuf) -> Self {
        Self { path, backup: None }
    }
}

impl<'a> From<&'a Path> for TestedInput<'a> {
    fn from(path: &'a Path) -> Self {
        Self { path, backup: None }
    }
}

/// The option of ready-made checks.
const VALID: &str = "--valid";

/// The value of `--also` or `--not`, or a check of `--valid`.
#[derive(Debug)]
struct ExtraCommand {
    option: &'static str,
    typed: OsString,
    command: CommandLine,
    expected: ExpectedEnd,
}

impl ExtraCommand {
    fn requirement(&self) -> String {
        let does = match self.expected {
            ExpectedEnd::Holds(_) => "exits with 0",
            ExpectedEnd::HoldsNot(_) => "does not exit with 0",
        };
        format!("`{}` {does}", self.typed.escaped())
    }
}

impl PropertyCommands {
    /// Returns the commands that test a candidate of this input. `usage` is the command line up to
    /// the `--`, for a hint.
    pub(crate) fn new<'a>(
        property: &PropertyArgs,
        words: &[OsString],
        input: impl Into<TestedInput<'a>>,
        usage: &str,
    ) -> Result<Self, CliError> {
        let TestedInput {
            path: input,
            backup,
        } = input.into();
        (property.measure())
            .map_err(|error| CliError::failed_to(ExitKind::InvalidUsage, &error))?;
        let backup = backup.map(|backup| InputBackup::new(input, backup));
        let user_dir = current_dir()?;
        let mut notes = Vec::new();
        let mut test = |test: &OsStr| -> Result<CommandLine, CliError> {
            let test = TestCommand::new(test, &user_dir)?;
            notes.extend(test.note);
            Ok(test.command)
        };
        let command = match (&property.test, words.is_empty()) {
            (Some(script), _) if property.stdin => return Err(stdin_of_test(script)),
            (Some(script), _) => test(script.as_os_str())?,
            (None, false) => {
                let stdin = match property.stdin {
                    true => StdinContent::Candidate,
                    false => StdinContent::Nothing,
                };
                let compared = property.differs_from.as_ref();
                let compared = compared.map(|other| compared_words(words, other, input, &user_dir));
                let typed = TypedCommand {
                    words: compared.as_deref().unwrap_or(words),
                    input,
                    user_dir: &user_dir,
                    backup: backup.as_ref(),
                    stdin,
                };
                let command = CommandLine::new(&typed);
                command.map_err(|error| CliError::failed_to(ExitKind::InvalidUsage, &error))?
            }
            (None, true) => {
                let is_script = input.is_file() && script_likeness(input) == 2;
                let line = match is_script {
                    true => format!("boildown reduce FILE --test {}", quote(input)),
                    false => format!("{usage} -- COMMAND {}", quote(input)),
                };
                return Err(CliError::usage("no command to run on the candidates")
                    .hint("give a script with --test, or the command that fails after `--`")
                    .cure("type", Some(line)));
            }
        };
        let also = property
            .also
            .iter()
            .map(|typed| ("--also", typed, ExpectedEnd::Holds(Property::test())));
        let not = property
            .not
            .iter()
            .map(|typed| ("--not", typed, ExpectedEnd::HoldsNot(Property::test())));
        let valid = (property.companions.checks.iter())
            .map(|check| (VALID, &check.line, ExpectedEnd::Holds(Property::test())));
        let extra = also
            .chain(not)
            .chain(valid)
            .map(|(option, typed, expected)| {
                Ok(ExtraCommand {
                    option,
                    typed: typed.clone(),
                    command: test(typed)?,
                    expected,
                })
            });
        let extra = extra.collect::<Result<_, CliError>>()?;
        Ok(Self {
            command,
            extra,
            notes,
            options: property.clone(),
            backup,
        })
    }

    /// Returns the further commands, and whether each has to succeed.
    pub(crate) fn extra(&self) -> impl Iterator<Item = (&CommandLine, bool)> {
        let extra = self.extra.iter();
        let holds = |expected: &ExpectedEnd| matches!(expected, ExpectedEnd::Holds(_));
        extra.map(move |extra| (&extra.command, holds(&extra.expected)))
    }

    /// Lets candidates of this input decide about parts of the command.
    ///
    /// # Errors
    /// [`CliError`] when there is no current directory.
    pub(crate) fn deliver(
        &mut self,
        input: &Path,
        read: impl Fn(&[u8]) -> Delivered + Send + Sync + 'static,
    ) -> Result<(), CliError> {
        let typed = TypedCommand {
            words: &[],
            input,
            user_dir: &current_dir()?,
            backup: None,
            stdin: StdinContent::Nothing,
        };
        self.command = self.command.clone().delivering(&typed, read);
        Ok(())
    }

    /// Lets the elements of candidates of this input stand for `{items}`.
    ///
    /// # Errors
    /// [`CliError`] when there is no current directory.
    pub(crate) fn deliver_items(&mut self, input: &Path, split: Split) -> Result<(), CliError> {
        let word = |item: &[u8]| OsStr::from_bytes(item).to_owned();
        self.deliver(input, move |candidate| Delivered {
            items: split.items(candidate).into_iter().map(word).collect(),
            ..Delivered::default()
        })
    }

    /// Prints what is unusual about the scripts, and which tests have to hold too.
    pub(crate) fn note(&self, reporter: &mut dyn Reporter) {
        for note in &self.notes {
            reporter.note(&format!("note: {note}"));
        }
        for extra in self.extra.iter().filter(|extra| extra.option != VALID) {
            reporter.note(&format!("required: {}", extra.requirement()));
        }
        if let Some(checks) = self.options.companions.shown() {
            reporter.note(&format!("required: valid candidates: {checks}"));
        }
        for left_out in &self.options.companions.left_out {
            reporter.note(&format!("not checked: {left_out}"));
        }
    }

    /// Adds the commands, the files they consist of, and the stated property to the identity of a
    /// run.
    pub(crate) fn add_to_identity(&self, identity: &mut Identity) {
        let options = &self.options;
        let fed = if options.stdin { " <{}" } else { "" };
        identity.add("the command", format!("{}{fed}", self.command));
        for (number, extra) in (1..).zip(&self.extra) {
            let what = format!("{} (test {number})", extra.option);
            identity.add(what, extra.command.to_string());
        }
        let original = |path: &Path| match &self.backup {
            Some(backup) => backup.original(path),
            None => path.to_owned(),
        };
        add_surroundings_from(identity, self.constant_parts(), &original);
        identity.add("what to preserve", options.expectations.identity());
        // Only when it is given, so that runs of earlier versions can be resumed.
        if let Some(count) = options.frames {
            identity.add("--frames", count.to_string());
        }
        if let (Some(what), Some(at_least)) = (&options.measure, &options.at_least) {
            identity.add("--measure", format!("{what:?} {at_least}"));
        }
        if options.loose {
            identity.add("--loose", "yes");
        }
    }

    /// Returns the property that the options state, if they state one.
    pub(crate) fn stated(&self) -> Option<Property> {
        stated(&self.options)
    }

    /// Returns the test script.
    pub(crate) fn script(&self) -> Option<&Path> {
        self.options.test.as_deref()
    }

    /// Returns the stack frames that a deduced property names.
    pub(crate) fn kept_frames(&self) -> KeptFrames {
        match (self.options.frames, self.options.loose) {
            (Some(count), _) => KeptFrames::Top(count),
            (None, true) => KeptFrames::None,
            (None, false) if self.options.asks_versions => KeptFrames::Function,
            (None, false) => KeptFrames::Place,
        }
    }

    /// Returns a line for each further test that has to hold too.
    pub(crate) fn requirements(&self) -> String {
        let lines = self
            .extra
            .iter()
            .map(|extra| format!("\n{}", extra.requirement()));
        lines.collect()
    }

    /// Returns the options of the further tests, each after a space.
    pub(crate) fn further_flags(&self) -> String {
        let option = |extra: &ExtraCommand| {
            let option = if extra.option == VALID {
                "--also"
            } else {
                extra.option
            };
            format!(" {option} {}", quote(&extra.typed))
        };
        self.extra.iter().map(option).collect()
    }

    /// Returns the words of all commands, and parts of words, that are the same for every
    /// candidate.
    pub(crate) fn constant_parts(&self) -> impl Iterator<Item = &OsStr> {
        let parts = (self.extra.iter()).flat_map(|extra| extra.command.constant_parts());
        self.command.constant_parts().chain(parts)
    }

    /// Says which further test does not hold on the input; of checks, how to leave it out.
    fn failed_on_input(&self, extra: &ExtraCommand) -> (String, Option<String>) {
        let checks = &self.options.companions.checks;
        let check = checks.iter().find(|check| check.line == extra.typed);
        let Some(check) = check.filter(|_| extra.option == VALID) else {
            let typed = extra.typed.escaped();
            let what = format!("`{} {typed}` does not hold on the input", extra.option);
            return (what, None);
        };
        let others = checks.iter().filter(|other| other.kind != check.kind);
        let others: Vec<&str> = others.map(|other| other.kind).collect();
        let without = (!others.is_empty())
            .then(|| format!("--valid={} makes the other checks only", others.join(",")));
        let programs = check.programs.join(", ");
        let what = format!(
            "the input does not pass the check `{}` of --valid, by {programs}",
            check.kind
        );
        (what, without)
    }

    /// Returns the tests that a candidate has to pass or to fail too, after a run of each on the
    /// input.
    ///
    /// # Errors
    /// [`CliError`] when one of them does not end on the input as it has to.
    pub(crate) fn extra_tests(
        &self,
        runner: &Runner,
        path: &Path,
        input: &[u8],
        timeout_is_stated: bool,
        interrupt: &Interrupt,
    ) -> Result<Vec<ExtraTest>, CliError> {
        let cannot_run = CliError::before("the search");
        let mut tests = Vec::new();
        for extra in &self.extra {
            let mut test = ExtraTest {
                command: extra.command.clone(),
                expected: extra.expected.clone(),
                timeout: runner.limits.timeout,
                tally: Arc::default(),
            };
            let run = runner.run_extra(&test, input, Capture::Output, interrupt);
            let run = run.map_err(cannot_run)?;
            check_set_up(&run, &test.command, &runner.file, None).map_err(cannot_run)?;
            if !test.expected.verdict(&run).is_interesting() {
                let (what, without) = self.failed_on_input(extra);
                let this = Runner {
                    command: test.command,
                    ..runner.clone()
                };
                return Err(CliError::new(ExitKind::NotInteresting, what)
                    .because(format!("the test {}", run.outcome))
                    .hints(limit_hint(run.outcome))
                    .hints(output_hints(&run))
                    .hints(without)
                    .hint(repeat_hint(&this, path)));
            }
            if !timeout_is_stated {
                test.timeout = default_time_limit(run.took);
            }
            tests.push(test);
        }
        Ok(tests)
    }
}

/// Returns the words that run a command and another one on the candidate and fail where both
/// succeed and print different things.
fn compared_words(
    words: &[OsString],
    other: &OsStr,
    input: &Path,
    user_dir: &Path,
) -> Vec<OsString> {
    let has_braces = words
        .iter()
        .any(|word| word.as_encoded_bytes().windows(2).any(|two| two == b"{}"));
    let candidate = match has_braces {
        true => OsString::from("{}"),
        false => input.into(),
    };
    let script = ["sh", "-c", include_str!("differs.sh"), "sh"].map(OsString::from);
    let arguments = [with_absolute_program(other, user_dir), candidate];
    let words = words.iter().cloned();
    script.into_iter().chain(arguments).chain(words).collect()
}

/// Returns the current directory.
pub(crate) fn current_dir() -> Result<PathBuf, CliError> {
    std::env::current_dir().map_err(|error| {
        CliError::new(ExitKind::CannotRun, "failed to find the current directory").because(error)
    })
}

/// Returns the property that the options state, if they state one.
pub(crate) fn stated(property: &PropertyArgs) -> Option<Property> {
    let decides = |_: &_| !property.expectations.states_exit();
    let test = property
        .test
        .iter()
        .filter(decides)
        .map(|_| Expectation::Test);
    let measure = property.measure().ok().flatten();
    let expectations = property.expectations.expectations();
    let measure = measure.map(Expectation::Measure);
    Property::new(test.chain(expectations).chain(measure).collect())
}
/// Returns a word with a path in the place of a placeholder.
pub(crate) fn naming(word: &OsStr, placeholder: &[u8], path: &Path) -> OsString {
    let (mut named, mut rest) = (OsString::new(), word.as_bytes());
    let find = |text: &[u8]| {
        text.windows(placeholder.len())
            .position(|part| part == placeholder)
    };
    while let Some(at) = find(rest) {
        named.push(OsStr::from_bytes(&rest[..at]));
        named.push(path);
        rest = &rest[at + placeholder.len()..];
    }
    named.push(OsStr::from_bytes(rest));
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_named_in_every_place_of_a_word() {
        let named = naming(
            OsStr::new("{build}/a:{build}"),
            b"{build}",
            Path::new("/v1"),
        );
        assert_eq!(named, "/v1/a:/v1");
    }
}
