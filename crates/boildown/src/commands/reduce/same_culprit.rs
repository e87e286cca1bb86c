//! `--same-culprit`: candidates fail from the same version on as the input does.
//!
//! Before the search, the version in which the failure of the input began is found by bisection.
//! A candidate has the same culprit if it fails in that version, and not in the one before it:
//! two extra tests, which run on candidates that are interesting.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use boildown_exec::{ExpectedEnd, ExtraTest};
use boildown_oracle::{Interrupt, Verdict};
use boildown_session::prepare::PreparedReduction;
use boildown_show::CheckRecord;
use clap::Args;

use crate::error::{CliError, ExitKind};
use crate::options::{PropertyArgs, RunArgs, heading};
use crate::property::{PropertyCommands, naming};
use crate::report::reporter::Reporter;
use crate::versions::BuiltVersions;

/// Stands for the directory of a version in the command.
const BUILD: &[u8] = b"{build}";

/// The option, which also marks its tests in the record.
pub(super) const OPTION: &str = "--same-culprit";

/// The versions between which the failure began.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SameCulpritArgs {
    /// Candidates have to fail since the same version or commit as the input
    ///
    /// GOOD and BAD are entries of --versions. {build} in the command stands for the directory of a
    /// version: that of BAD for candidates. At the beginning, the version in which the failure
    /// began is found by bisection. A candidate that is interesting is also run with that version,
    /// where it has to fail in the same way, and with the one before it, where it must not.
    #[arg(long, value_name = "GOOD..BAD", requires = "versions", conflicts_with_all = ["flaky", "parts", "differs_from"], hide = true, help_heading = heading::EXPERT)]
    same_culprit: Option<String>,

    /// The folder of built versions for --same-culprit
    ///
    /// Each entry is a directory, named by a commit or a tag of the repository of the current
    /// directory, or by a version number.
    #[arg(long, value_name = "DIR", requires = "same_culprit", hide = true, help_heading = heading::EXPERT)]
    versions: Option<PathBuf>,

    /// A line for the shell that builds a commit that --versions lacks
    ///
    /// It runs at the top of a checkout, without a sandbox. The result is kept, named by the
    /// commit.
    #[arg(long, value_name = "LINE", requires = "same_culprit", hide = true, help_heading = heading::EXPERT)]
    build: Option<OsString>,

    /// A good and a bad version with none in between.
    #[arg(skip)]
    ends: Option<[String; 2]>,
}

/// A command whose candidates have to fail since the same version.
pub(super) struct SameCulprit {
    versions: BuiltVersions,
    /// The options as they were typed, with `{build}`.
    typed: RunArgs,
}

/// The version in which the failure of the input began, and the tests of candidates.
pub(super) struct FoundCulprit {
    tests: Vec<(String, ExtraTest)>,
}

impl SameCulpritArgs {
    /// Lists the versions, and lets the command run the bad one. `None` without the option.
    ///
    /// # Errors
    /// [`CliError`] when there are no such versions, or the command does not say where they go.
    pub(super) fn start(
        &self,
        runs: &mut RunArgs,
        interrupt: &Interrupt,
    ) -> Result<Option<SameCulprit>, CliError> {
        let Some(folder) = &self.versions else {
            return Ok(None);
        };
        let typed = runs.clone();
        let test = typed.property.test.iter().map(|test| test.as_os_str());
        let mut words = typed.command.iter().map(OsString::as_os_str).chain(test);
        if !words.any(|word| word.as_bytes().windows(BUILD.len()).any(|it| it == BUILD)) {
            return Err(CliError::usage("{build} is not in the command")
                .because("it stands for the directory of a version")
                .hint("name the program by it: -- {build}/bin/tool {}"));
        }
        let build = self.build.as_deref();
        let versions = match (&self.ends, &self.same_culprit) {
            (Some(ends), _) => BuiltVersions::of_ends(ends, folder, build)?,
            (None, Some(range)) => BuiltVersions::list(range, folder, build)?,
            (None, None) => return Ok(None),
        };
        let bad = versions.dir(versions.len() - 1, interrupt)?;
        *runs = with_build(runs, bad.expect("an end is built, or an error"));
        Ok(Some(SameCulprit { versions, typed }))
    }

    /// Lets candidates fail in one state and not in another one: directories, or commits that are
    /// written to a folder and built there.
    pub(crate) fn between(ends: [String; 2], folder: PathBuf, build: Option<OsString>) -> Self {
        Self {
            same_culprit: None,
            versions: Some(folder),
            build: Some(build.unwrap_or_else(|| OsString::from(":"))),
            ends: Some(ends),
        }
    }

    /// Returns the options, for the identity of a run; `None` if they are not given.
    pub(crate) fn identity(&self) -> Option<String> {
        let versions = self.versions.as_ref()?;
        let range = (&self.same_culprit, &self.ends);
        Some(format!("{range:?} {versions:?} {:?}", self.build))
    }
}

impl SameCulprit {
    /// Finds the version in which the failure of the input began, and adds the tests of candidates.
    ///
    /// # Errors
    /// [`CliError`] when the failure occurs in the good version too, or a command cannot be run.
    pub(super) fn find(
        &self,
        (path, text): (&Path, &[u8]),
        prepared: &mut PreparedReduction,
        interrupt: &Interrupt,
        reporter: &mut dyn Reporter,
    ) -> Result<FoundCulprit, CliError> {
        let property = prepared.oracle.property().clone();
        let timeout = prepared.oracle.time_limit();
        let runner = prepared.oracle.runner().clone();
        let fails = |version: usize| -> Result<Option<bool>, CliError> {
            let Some(dir) = self.versions.dir(version, interrupt)? else {
                return Ok(None);
            };
            let expected = ExpectedEnd::Holds(property.clone());
            let test = self.test(dir, path, expected, timeout)?;
            let run = runner.run_extra(&test, text, property.capture(), interrupt)?;
            Ok(match property.verdict(&run) {
                Verdict::Interesting => Some(true),
                Verdict::Uninteresting => Some(false),
                Verdict::Unresolved => None,
            })
        };
        reporter.working("looking for the version in which the failure began", "");
        let last = self.versions.len() - 1;
        if fails(0)? != Some(false) {
            let what = format!("the failure occurs in {} too", self.versions.name(0));
            return Err(CliError::new(ExitKind::NotInteresting, what)
                .hint("--same-culprit GOOD..BAD begins with a version that does not fail"));
        }
        let (parent, culprit) = bisect(last, &mut |version| fails(version))?;
        let [parent_name, name] = [parent, culprit].map(|index| self.versions.name(index));
        reporter.note(&format!("culprit: {name}, after {parent_name}"));
        let dir = |index| self.versions.dir(index, interrupt);
        let mut tests = Vec::new();
        if let Some(dir) = dir(parent)? {
            let expected = ExpectedEnd::HoldsNot(property.clone());
            let test = self.test(dir, path, expected, timeout)?;
            tests.push((format!("not in {parent_name}"), test));
        }
        // The bad version is the one that candidates are run with.
        if let Some(dir) = dir(culprit)?.filter(|_| culprit != last) {
            let test = self.test(dir, path, ExpectedEnd::Holds(property), timeout)?;
            tests.push((format!("in {name}"), test));
        }
        let added = tests.iter().map(|(_, test)| test.clone());
        prepared.oracle = prepared.oracle.clone().with_extra_tests(added);
        Ok(FoundCulprit { tests })
    }

    /// Returns the test of a candidate with a version.
    fn test(
        &self,
        dir: &Path,
        input: &Path,
        expected: ExpectedEnd,
        timeout: Duration,
    ) -> Result<ExtraTest, CliError> {
        let runs = with_build(&self.typed, dir);
        let property = PropertyArgs {
            also: Vec::new(),
            not: Vec::new(),
            ..runs.property
        };
        let commands = PropertyCommands::new(&property, &runs.command, input, "boildown reduce")?;
        Ok(ExtraTest {
            command: commands.command,
            expected,
            timeout,
            tally: Arc::default(),
        })
    }
}

impl FoundCulprit {
    /// Returns the number of tests: they are the last of the extra tests.
    pub(super) fn tests(&self) -> usize {
        self.tests.len()
    }

    /// Returns the records of the tests.
    pub(super) fn records(&self) -> impl Iterator<Item = CheckRecord> {
        self.tests.iter().map(|(name, test)| {
            let effort = test.tally.effort();
            CheckRecord {
                option: OPTION.to_owned(),
                kind: name.clone(),
                line: test.command.to_string(),
                runs: effort.runs,
                seconds: effort.time.as_secs_f64(),
                refused: effort.refused,
            }
        })
    }
}

/// Returns the last version before the failure, and the first one with it, between 0, which does
/// not fail, and `last`, which does. Versions about which nothing is known are passed over.
fn bisect(
    last: usize,
    fails: &mut dyn FnMut(usize) -> Result<Option<bool>, CliError>,
) -> Result<(usize, usize), CliError> {
    let (mut good, mut bad) = (0, last);
    let mut unknown: Vec<usize> = Vec::new();
    loop {
        let middle = good + (bad - good) / 2;
        let open = (good + 1..bad).filter(|version| !unknown.contains(version));
        let Some(next) = open.min_by_key(|version| version.abs_diff(middle)) else {
            return Ok((good, bad));
        };
        match fails(next)? {
            Some(true) => bad = next,
            Some(false) => good = next,
            None => unknown.push(next),
        }
    }
}

/// Returns the options with the directory of a version in the place of `{build}`.
fn with_build(runs: &RunArgs, dir: &Path) -> RunArgs {
    let mut runs = runs.clone();
    for word in &mut runs.command {
        *word = naming(word, BUILD, dir);
    }
    runs.property.test =
        (runs.property.test).map(|test| naming(test.as_os_str(), BUILD, dir).into());
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_version_that_fails_is_found_and_unknown_ones_are_passed_over() {
        let found = |first_bad: usize, unknown: &[usize]| {
            let mut fails =
                |version| Ok((!unknown.contains(&version)).then_some(version >= first_bad));
            bisect(10, &mut fails).unwrap()
        };
        for first in 1..=10 {
            assert_eq!(found(first, &[]), (first - 1, first));
        }
        assert_eq!(found(6, &[5]), (4, 6));
        assert_eq!(found(6, &[5, 6]), (4, 7));
        assert_eq!(found(10, &[4, 5, 9]), (8, 10));
    }
}
