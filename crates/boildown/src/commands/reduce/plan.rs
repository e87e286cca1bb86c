//! Plan of a reduction: how the subject is read and reduced, and what runs its candidates.

use std::io;
use std::path::{Path, PathBuf};

use boildown_document::{Language, Split};
use boildown_exec::LocalOracle;
use boildown_reduce::{IdleReason, Keep, PassSelection, Rules, Strategy};

use super::incremental;
use super::proposers::ChosenProposers;
use super::subject::Subject;
use crate::error::CliError;
use crate::executors::Executors;
use crate::input;
use crate::job::Job;
use crate::report::format::{EscapedPath as _, count};
use crate::report::reporter::Reporter;
use crate::session::Session;

/// How a subject is reduced.
pub(super) struct Plan {
    pub(super) language: Option<&'static Language>,
    pub(super) strategy: Strategy,
    pub(super) executors: Executors,
    /// The programs that propose candidates.
    pub(super) proposers: ChosenProposers,
    /// Whether build artefacts are kept.
    pub(super) is_incremental: bool,
}

impl Plan {
    /// Shows what was chosen so far, with `--verbose`.
    pub(super) fn show(&self, job: Job<'_>, session: &mut Session<'_>) {
        for choice in &session.choices {
            session.reporter.choice(choice);
        }
        let note = self.proposers.note();
        note.filter(|_| job.runs.printing.verbose)
            .inspect(|note| session.reporter.note(note));
    }

    /// Lets the machines and warm processes run the candidates. `is_steady` says that the failure
    /// occurs in each run.
    ///
    /// # Errors
    /// [`CliError`] when no machine answers as this one, when build artefacts cannot be kept, or
    /// when a warm process does not start.
    pub(super) fn admit(
        &self,
        job: Job<'_>,
        oracle: &mut LocalOracle,
        subject: &Subject,
        is_steady: bool,
        reporter: &mut dyn Reporter,
    ) -> Result<(), CliError> {
        let (input, interrupt) = (&subject.input, job.interrupt());
        let is_flaky = job.commands.options.flaky;
        (self.executors).admit_reduction(oracle, input, is_flaky, interrupt, reporter)?;
        if self.is_incremental {
            incremental::check(oracle)?;
        }
        (self.executors.warm).start(oracle, input, is_steady, interrupt, reporter)
    }
}

/// Returns an error unless the input is a list of this kind, with something for `{items}` if they
/// are named.
pub(super) fn check_list(
    path: &Path,
    input: &[u8],
    split: &Split,
    names_items: bool,
) -> Result<(), CliError> {
    let has_no_item = names_items && split.items(input).is_empty();
    match split.count(input) {
        Ok(_) if has_no_item => Err(CliError::usage(format!(
            "{} holds nothing for {{items}}",
            path.escaped()
        ))),
        Ok(_) => Ok(()),
        Err(_) if matches!(split, Split::Command(_)) => Err(CliError::usage(
            "nothing of the command can be removed: it has no arguments",
        )
        .hint("`--reduce env` reduces its environment, and a file before `--reduce` is reduced with it")),
        Err(problem) => {
            let what = format!("failed to split {} as {split}", path.escaped());
            Err(CliError::usage(what)
                .because(problem)
                .hint("--split lines takes every line as an element"))
        }
    }
}

/// Returns the error for a selection of passes that does nothing.
pub(super) fn nothing_to_try(input: &Path, idle: &[(&str, IdleReason)], bytes: usize) -> CliError {
    let input = input.escaped();
    let reason = |reason: &IdleReason| match reason {
        IdleReason::NamesStay => "runs with --rename only".to_owned(),
        IdleReason::LayoutStays => "runs with --compact only".to_owned(),
        IdleReason::WordsStay => "runs with --redact only".to_owned(),
        IdleReason::OrderStays => "runs with --order only".to_owned(),
        IdleReason::OtherSchedule => "runs without --schedule only".to_owned(),
        IdleReason::Size(sizes) if bytes < sizes.start => {
            format!("runs on inputs of at least {}", count(sizes.start, "byte"))
        }
        IdleReason::Size(sizes) => {
            format!("runs on inputs of fewer than {}", count(sizes.end, "byte"))
        }
        _ => "finds nothing to try".to_owned(),
    };
    let lines: Vec<String> = (idle.iter())
        .map(|(name, why)| format!("`{}` {}", name.replace(' ', "-"), reason(why)))
        .collect();
    CliError::usage(format!("the selected passes can do nothing with {input}"))
        .hint(lines.join("\n"))
        .hint("without --passes every pass runs; --units lines deletes whole lines only")
}

/// Reads the user's rewrite rules.
pub(super) fn rules(
    paths: &[PathBuf],
    language: Option<&'static Language>,
) -> Result<Rules, CliError> {
    let mut all = Rules::default();
    for path in paths {
        let Some(language) = language else {
            let what = format!("failed to apply the rules in {}", path.escaped());
            return Err(CliError::usage(what)
                .because("the language of the input is unknown")
                .hint("--language states it; `boildown languages` lists the languages"));
        };
        let unreadable = |error: io::Error| CliError::unreadable(path, error);
        let text = input::read_regular(path).map_err(unreadable)?;
        let text =
            String::from_utf8(text).map_err(|_| unreadable(io::Error::other("it is not UTF-8")))?;
        let rules = Rules::read(language, &text)
            .map_err(|error| CliError::usage(format!("{}, {error}", path.escaped())))?;
        all = all.and(&rules);
    }
    Ok(all)
}

/// Returns the parts of the input that every candidate has to contain.
pub(super) fn keep(stated: &[String], input: &[u8]) -> Result<Keep, CliError> {
    let mut keep = Keep::marked(input);
    for wanted in stated {
        keep.add(wanted, input).map_err(|problem| {
            CliError::usage(format!("invalid value of `--keep {wanted}`"))
                .because(problem)
                .hint("give lines such as 12 or 10-20, or a regular expression that the input matches")
        })?;
    }
    Ok(keep)
}

/// Returns the passes to run, of those that the input has.
pub(super) fn passes(
    stated: &[String],
    input: &Path,
    available: &[&str],
) -> Result<PassSelection, CliError> {
    let available: Vec<String> = (available.iter())
        .map(|name| name.replace(' ', "-"))
        .collect();
    let (skipped, only): (Vec<&String>, Vec<&String>) =
        (stated.iter()).partition(|name| name.starts_with('-'));
    let skipped: Vec<String> = skipped.iter().map(|name| name[1..].to_owned()).collect();
    let only: Vec<String> = only.into_iter().cloned().collect();
    let unknown = only
        .iter()
        .chain(&skipped)
        .find(|name| !available.contains(name));
    if let Some(name) = unknown {
        let what = format!("unknown pass `{name}` for {}", input.escaped());
        return Err(CliError::usage(what).hint(format!("its passes are {}", available.join(", "))));
    }
    match (only.is_empty(), skipped.is_empty()) {
        (true, true) => Ok(PassSelection::All),
        (false, _) => Ok(PassSelection::Only(only)),
        (true, false) => Ok(PassSelection::Without(skipped)),
    }
}
