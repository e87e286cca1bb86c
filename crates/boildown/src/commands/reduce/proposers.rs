//! Programs that propose candidates.

use std::env;
use std::path::{Path, PathBuf};

use boildown_document::Language;
use boildown_exec::{Proposer, Runner};
use boildown_oracle::shell::quote;
use boildown_reduce::{NamePolicy, PassSelection, Strategy};

use crate::error::CliError;
use crate::report::format::EscapedPath as _;

/// The value that stands for all transformations below.
const CLANG_DELTA: &str = "clang_delta";

/// The transformations of `clang_delta` that can make a text smaller, in the order in which C-Vise
/// uses them: those that remove much come first. Each with words of which a text holds one, if
/// there is something to transform.
const TRANSFORMATIONS: &str = include_str!("clang_delta.txt");

/// The endings of the files that `clang_delta` reads.
const ENDINGS: &[&str] = &["c", "i", "cc", "ii", "cp", "cpp", "CPP", "c++", "cxx", "C"];

/// The places of `clang_delta` beside the PATH, where packages of C-Vise and C-Reduce put it.
const PLACES: &[&str] = &[
    "/usr/libexec/cvise",
    "/usr/lib/cvise",
    "/usr/libexec/creduce",
    "/usr/lib/creduce",
    "/usr/local/libexec/cvise",
    "/opt/homebrew/libexec/cvise",
];

/// The value that stands for no programs.
const NONE: &str = "none";

/// The variable with the path of `clang_delta`; if it is empty, it counts as not installed.
const CLANG_DELTA_VARIABLE: &str = "BOILDOWN_CLANG_DELTA";

/// The programs that propose candidates when the search has finished.
#[derive(Debug, Default)]
pub(super) struct ChosenProposers {
    named: Vec<String>,
    clang_delta: Option<PathBuf>,
    /// Whether `clang_delta` was not named.
    is_by_itself: bool,
}

impl ChosenProposers {
    /// Returns the programs that the user names; without any, `clang_delta`, if it is installed and
    /// `is_fit` says that it can do something.
    ///
    /// # Errors
    /// [`CliError`] if `clang_delta` is named and not installed.
    pub(super) fn new(named: &[String], is_fit: bool) -> Result<Self, CliError> {
        let names_it = named.iter().any(|name| name == CLANG_DELTA);
        let wants_it = names_it || (named.is_empty() && is_fit);
        let clang_delta = if wants_it { clang_delta() } else { None };
        if names_it && clang_delta.is_none() {
            return Err(CliError::usage("clang_delta is not installed")
                .hint("it is a part of C-Vise and of C-Reduce, such as Debian's package cvise"));
        }
        let is_other = |name: &&String| *name != CLANG_DELTA && *name != NONE;
        Ok(Self {
            named: named.iter().filter(is_other).cloned().collect(),
            clang_delta,
            is_by_itself: !names_it,
        })
    }

    /// Returns what to say about `clang_delta`, if it was not named.
    pub(super) fn note(&self) -> Option<String> {
        let program = self.clang_delta.as_ref().filter(|_| self.is_by_itself)?;
        let program = program.escaped();
        Some(format!(
            "{program} proposes candidates when the search has finished; `--pass-command none` \
             leaves it out"
        ))
    }

    /// Returns the programs.
    ///
    /// # Errors
    /// [`CliError`] if an option is no pass, or parts of the input have to stay: a program does not
    /// know which.
    pub(super) fn start(
        &self,
        keeps_parts: bool,
        runner: &Runner,
    ) -> Result<Vec<Proposer>, CliError> {
        if keeps_parts && !(self.named.is_empty() && self.clang_delta.is_none()) {
            let what = "--pass-command does not know which parts of the input have to stay";
            return Err(CliError::usage(what).hint("leave out --pass-command, or what keeps parts"));
        }
        let user_dir = env::current_dir().unwrap_or_default();
        let make = |text: &str| {
            Proposer::new(text, &user_dir, runner).map_err(|why| {
                CliError::usage(format!("`{text}` is no --pass-command: {why}"))
                    .hint("for example --pass-command 'short: ./shorten.py {in} {index}'")
            })
        };
        let mut proposers = Vec::new();
        for text in &self.named {
            proposers.push(make(text)?);
        }
        if let Some(program) = &self.clang_delta {
            let program = quote(program);
            for line in TRANSFORMATIONS.lines() {
                let mut words = line.split(' ');
                let name = words.next().unwrap_or_default();
                let options = format!("--transformation={name} --counter={{index}}");
                let proposer = make(&format!("{name}: {program} {options} {{in}}"))?;
                proposers.push(proposer.for_texts_with(words.collect()));
            }
        }
        Ok(proposers)
    }
}

/// Returns whether `clang_delta` can do something for this input, without breaking what the user
/// has chosen.
pub(super) fn suits_clang_delta(
    path: &Path,
    language: Option<&Language>,
    strategy: &Strategy,
) -> bool {
    let standard = boildown_formats::strategy();
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    language.is_some_and(|language| matches!(language.name, "C" | "C++"))
        && ENDINGS.contains(&&*ending)
        && strategy.passes == PassSelection::All
        && strategy.keep.is_empty()
        && strategy.split.is_none()
        && strategy.units == standard.units
        && strategy.algorithm.is_none()
        && strategy.schedule == standard.schedule
        && strategy.names != NamePolicy::Preserved
}

/// Returns the path of `clang_delta`, if it is installed.
pub(crate) fn clang_delta() -> Option<PathBuf> {
    if let Some(program) = env::var_os(CLANG_DELTA_VARIABLE) {
        return Some(PathBuf::from(program)).filter(|program| program.is_file());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let dirs = env::split_paths(&path).chain(PLACES.iter().map(PathBuf::from));
    dirs.map(|dir| dir.join(CLANG_DELTA))
        .find(|program: &PathBuf| Path::is_file(program))
}
