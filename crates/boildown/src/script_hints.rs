//! Hints about a test script that does not decide as it should. Each cause is tried before it is
//! named.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use boildown_exec::{CommandLine, OpenWatch, Runner, TestCommand};
use boildown_oracle::shell::quote;
use boildown_oracle::{Capture, Expectation, Interrupt, Outcome, Property, Run};

/// The time limit of a trial.
const LIMIT: Duration = Duration::from_secs(10);

/// The most names of files whose need is tried one by one.
const MAX_NAMES: usize = 16;

/// Why a test does not decide as it should, and what to type instead.
#[derive(Debug, Clone)]
pub(crate) struct ScriptHint {
    pub(crate) text: String,
    pub(crate) cure: Option<ScriptCure>,
}

/// What to type instead of the line that names a test.
#[derive(Debug, Clone)]
pub(crate) enum ScriptCure {
    /// The same with another value of `--test`.
    Test { old: PathBuf, new: String },
    /// The same with `--exit`.
    Exit(i32),
    /// The same with the test as the command that fails.
    Command(PathBuf),
    /// Another line, which changes the script.
    Line(String),
}

impl From<String> for ScriptHint {
    fn from(text: String) -> Self {
        Self { text, cure: None }
    }
}

/// Trials of a test on an input.
pub(crate) struct ScriptTrials<'a> {
    pub(crate) runner: &'a Runner,
    pub(crate) property: &'a Property,
    /// The value of `--test`.
    pub(crate) script: &'a Path,
    pub(crate) path: &'a Path,
    pub(crate) input: &'a [u8],
    pub(crate) interrupt: &'a Interrupt,
}

impl ScriptTrials<'_> {
    /// Returns why the property does not hold on the input, if a trial shows it. `run` is the run
    /// on the input.
    pub(crate) fn hint(&self, run: &Run) -> Option<ScriptHint> {
        if run.outcome.is_cut_short() {
            return None;
        }
        self.line_without_the_candidate()
            .or_else(|| self.missing_files(Some(run)))
            .or_else(|| self.calling_convention())
            .or_else(|| self.other_exit_code(run.outcome))
            .or_else(|| self.other_arguments(run))
    }

    /// Returns the hint about a line for the shell that does not name the candidate as the shell
    /// does, or names a file by a path that leads nowhere in the directory of a run.
    fn line_without_the_candidate(&self) -> Option<ScriptHint> {
        let line = self.script.to_str()?;
        if self.script.is_file() || line.contains("$1") {
            return None;
        }
        let with_candidate = match line.contains("{}") {
            true => line.replace("{}", "\"$1\""),
            false => format!("{line} \"$1\""),
        };
        let here = std::env::current_dir().ok()?;
        let is_beside = |word: &&str| {
            Path::new(word).is_relative()
                && here.join(word).is_file()
                && **word != *self.runner.file.name
        };
        let beside = line.split_whitespace().find(is_beside);
        let absolute = |line: &str| {
            let word = beside?;
            Some(line.replacen(word, &quote(here.join(word)), 1))
        };
        let variants = [
            absolute(line),
            Some(with_candidate.clone()),
            absolute(&with_candidate),
        ];
        let decides = |line: &String| {
            let test = TestCommand::new(line.as_ref(), &here);
            test.is_ok_and(|test| self.decides(test.command))
        };
        let line = variants.into_iter().flatten().find(decides)?;
        let why =
            "a line gets the path of the candidate as `$1`, and runs beside the candidate only";
        Some(self.with_test(why, &line))
    }

    /// Returns the hint about files that the test needs beside the candidate.
    pub(crate) fn missing_files(&self, run: Option<&Run>) -> Option<ScriptHint> {
        let dir = self
            .folders()
            .into_iter()
            .find(|dir| self.holds_beside(dir, None))?;
        let mut text = fs::read(self.script).unwrap_or_default();
        text.extend(self.script.as_os_str().as_encoded_bytes());
        if let Some(run) = run {
            text.extend([run.stdout.as_slice(), &run.stderr].concat());
        }
        let text = String::from_utf8_lossy(&text);
        let mut names: Vec<OsString> = (fs::read_dir(&dir).ok()?.flatten())
            .map(|entry| entry.file_name())
            .filter(|name| {
                *name != self.runner.file.name && text.contains(&*name.to_string_lossy())
            })
            .collect();
        names.sort();
        names.truncate(MAX_NAMES);
        names.retain(|name| !self.holds_beside(&dir, Some(name)));
        let files: Vec<_> = (names.iter())
            .map(|name| format!("`{}`", dir.join(name).display()))
            .collect();
        let text = if files.is_empty() {
            format!(
                "the test succeeds beside the files of {}: name them in it by their absolute paths",
                dir.display()
            )
        } else {
            format!(
                "the test succeeds beside {}: name it so in the script, by its absolute path",
                files.join(" and ")
            )
        };
        Some(text.into())
    }

    /// Returns a hint that ends with the line of a test, and the whole line with it.
    fn with_test(&self, why: &str, test: &str) -> ScriptHint {
        ScriptHint {
            text: format!("{why}: --test {}", quote(test)),
            cure: Some(ScriptCure::Test {
                old: self.script.to_owned(),
                new: test.to_owned(),
            }),
        }
    }

    /// Returns the directories in which the user may have tried the test.
    fn folders(&self) -> Vec<PathBuf> {
        let folder = |path: &Path| Some(fs::canonicalize(path).ok()?.parent()?.to_owned());
        let here = std::env::current_dir().ok();
        let mut folders: Vec<PathBuf> = [folder(self.path), folder(self.script), here]
            .into_iter()
            .flatten()
            .collect();
        folders.dedup();
        folders
    }

    /// Returns whether the property holds on the input beside links to the files of a directory,
    /// except for one.
    fn holds_beside(&self, dir: &Path, except: Option<&OsString>) -> bool {
        let mut line = format!("ln -s {}/* . 2>/dev/null", quote(dir));
        if let Some(name) = except {
            line += &format!("; rm -f ./{}", quote(name));
        }
        self.holds(self.runner.command.after_shell_line(&line))
    }

    /// Returns the hint about a script that wants no argument, or nothing on standard input.
    fn calling_convention(&self) -> Option<ScriptHint> {
        let command = &self.runner.command;
        let is_script = self.script.is_file();
        let bare = command.clone().without_last_argument();
        let started = format!("exec {bare}");
        if is_script && self.decides(bare) {
            let why = "the script succeeds without an argument; this gives it none";
            return Some(self.with_test(why, &started));
        }
        if self.decides(command.clone().without_stdin()) {
            let line = if is_script {
                let bare = command.clone().without_last_argument();
                format!("exec {bare} \"$1\" </dev/null")
            } else {
                format!("{{ {}; }} </dev/null", self.script.display())
            };
            let why =
                "the test succeeds without the candidate on standard input; this gives it none";
            return Some(self.with_test(why, &line));
        }
        None
    }

    /// Returns the hint about a script that means something else by its exit code.
    fn other_exit_code(&self, on_input: Outcome) -> Option<ScriptHint> {
        let on_empty = self.run(self.runner.command.clone(), b"")?.outcome;
        let Outcome::Exited(code) = on_input else {
            let is_command = self.script.is_file() && on_empty == Outcome::Exited(0);
            return is_command.then(|| ScriptHint {
                text: "this is no test, but the command that fails: it goes after `--`".to_owned(),
                cure: Some(ScriptCure::Command(self.script.to_owned())),
            });
        };
        let text = match on_empty {
            _ if self.property.expectations() != [Expectation::Test] => None,
            Outcome::Exited(0) => Some(format!(
                "the script seems inverted: it exits with {code} on the input and with 0 on an empty file; \
                 --exit {code} takes it as it is"
            )),
            Outcome::Exited(other) if other != code => Some(format!(
                "the script exits with {code} on the input and with {other} on an empty file; if {code} \
                 means interesting, add --exit {code}"
            )),
            _ => None,
        };
        Some(ScriptHint {
            text: text?,
            cure: Some(ScriptCure::Exit(code)),
        })
    }

    /// Returns the hint about a script that expects more arguments.
    fn other_arguments(&self, run: &Run) -> Option<ScriptHint> {
        let script = fs::read_to_string(self.script).ok()?;
        let output = [run.stdout.as_slice(), &run.stderr].concat();
        let output = String::from_utf8_lossy(&output).to_lowercase();
        let wants_more = ["$2", "${2", "argv[2]"]
            .iter()
            .any(|text| script.contains(text));
        (wants_more || output.contains("usage")).then(|| {
            let line = format!(
                "{} ARGUMENT \"$1\"",
                self.runner.command.clone().without_last_argument()
            );
            let why =
                "the script gets one argument, the path of the candidate; a line gives it others";
            self.with_test(why, &line)
        })
    }

    fn holds(&self, command: CommandLine) -> bool {
        self.holds_on(self.input, command)
    }

    /// Returns whether the property holds on the input and not on an empty file.
    fn decides(&self, command: CommandLine) -> bool {
        self.holds(command.clone()) && !self.holds_on(b"", command)
    }

    fn holds_on(&self, candidate: &[u8], command: CommandLine) -> bool {
        let run = self.run(command, candidate);
        run.is_some_and(|run| self.property.verdict(&run).is_interesting())
    }

    fn run(&self, command: CommandLine, candidate: &[u8]) -> Option<Run> {
        let runner = Runner {
            command,
            ..self.runner.clone()
        };
        let limit = runner.limits.timeout.min(LIMIT);
        let run = runner
            .with_timeout(limit)
            .run(candidate, Capture::Output, self.interrupt);
        run.ok()
    }
}

/// Returns the hint about a command that reads the original input, not the candidate. `script` is
/// the test, if it is a file.
pub(crate) fn reads_original(
    runner: &Runner,
    path: &Path,
    script: Option<&Path>,
    interrupt: &Interrupt,
) -> Option<ScriptHint> {
    let watch = OpenWatch::begin(path)?;
    let limit = runner.limits.timeout.min(LIMIT);
    let runner = runner.clone().with_timeout(limit);
    runner.run(b"", Capture::Output, interrupt).ok()?;
    watch.was_opened().then(|| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let name = runner.file.name.display();
        let text = format!(
            "the command reads {}, so that every candidate looks the same to it: let it read `{name}` in its \
             working directory, or the path that it gets",
            path.display(),
        );
        let line = script.filter(|script| {
            let text = fs::read_to_string(script).unwrap_or_default();
            path.to_str().is_some_and(|path| text.contains(path))
        });
        let line = line.map(|script| {
            let replace = format!("s|{}|{name}|g", path.display());
            ScriptCure::Line(format!("sed -i {} {}", quote(replace), quote(script)))
        });
        ScriptHint { text, cure: line }
    })
}
