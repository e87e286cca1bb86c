//! The record of a reduction, from its store.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use boildown_document::{Language, text_parts};
use boildown_folder::FolderText;
use boildown_oracle::shell::quote;
use boildown_oracle::{Outcome, Run, Verdict};
use boildown_search::flaky::RunCounts;
use boildown_show::{
    FormChange, PartRecord, RateRecord, ReductionFinished, ReductionRecord, RepeatabilityRecord,
    SessionRecord, StartedEvent, StepRecord,
};
use boildown_store::{LastSession, RunHistory, SessionDetails};

use super::environment::FileUse;
use super::{environment, remaining};
use crate::error::CliError;
use crate::report::recorded;

/// The depth of the parts of the tree map.
const MAP_DEPTH: usize = 14;

/// A reduction in its store.
pub(super) struct StoredReduction {
    pub(super) session: LastSession,
    history: RunHistory,
    sessions: Vec<SessionDetails>,
    /// The first and the last event of the last session that has them.
    pub(super) started: Option<StartedEvent>,
    finished: Option<ReductionFinished>,
}

impl StoredReduction {
    /// Reads what is needed of the file of the run.
    pub(super) fn read(session: LastSession) -> Result<Self, CliError> {
        if session.stated("the good file").is_some() || session.stated("the input").is_none() {
            return Err(
                CliError::usage("this run is no reduction; a report is about one")
                    .hint("`boildown explain` prints what is known of the run"),
            );
        }
        let history = RunHistory::read(&session.file)?;
        let sessions = history.sessions()?;
        if history.improvements().is_empty() {
            return Err(CliError::usage("the run has no input yet"));
        }
        Ok(Self {
            started: sessions.iter().rev().find_map(recorded::started),
            finished: sessions.iter().rev().find_map(recorded::finished),
            session,
            history,
            sessions,
        })
    }

    /// Returns whether the last search with a summary finished.
    pub(super) fn is_finished(&self) -> bool {
        let finished = self.finished.as_ref();
        finished.is_some_and(|finished| finished.stopped.is_none())
    }

    /// Returns the language of the input.
    pub(super) fn language(&self) -> Option<&'static Language> {
        let choices = self.session.choices.iter();
        let chosen = choices.filter(|choice| choice.about == "language");
        let chosen = chosen.map(|choice| choice.chosen.as_str()).next();
        let started = self.started.as_ref();
        let name = started
            .and_then(|started| started.language.as_deref())
            .or(chosen)?;
        Language::named(name)
    }

    /// Returns the bytes of the result, or of the input; `None` when they are not stored, or not
    /// those of a file.
    fn text(&self, step: usize) -> Result<Option<Vec<u8>>, CliError> {
        let Some(step) = self.history.improvements().get(step) else {
            return Ok(None);
        };
        let text = self.history.text(step)?;
        Ok(text.filter(|text| !FolderText::is_state(text)))
    }

    /// Returns how the last run on the result ended, or one on the input before the search, and
    /// what the latter printed.
    pub(super) fn recorded_run(&self) -> Result<(Option<Outcome>, Vec<u8>), CliError> {
        let improvements = self.history.improvements();
        let [first, last] = [0, improvements.len() - 1].map(|step| improvements[step].content);
        let baseline = self.history.baseline(first)?.pop();
        let found = self.history.verdict(last)?;
        let outcome = found.and_then(|(_, outcome)| outcome);
        let Some((_, run)) = baseline else {
            return Ok((outcome, Vec::new()));
        };
        let output = match run.stderr.is_empty() {
            true => run.stdout,
            false => run.stderr,
        };
        Ok((outcome.or(Some(run.outcome)), output))
    }

    /// Returns the bytes of the result.
    pub(super) fn result(&self) -> Result<Option<Vec<u8>>, CliError> {
        self.text(self.history.improvements().len() - 1)
    }

    /// Returns the path in the current directory that is the name of the result and this.
    pub(super) fn result_with(&self, suffix: &str) -> PathBuf {
        let mut name = self.session.result.clone();
        name.push(suffix);
        name.into()
    }

    /// Returns the name of the result. A result beside that of another run has another name than
    /// the folder of its store.
    fn result_file(&self) -> String {
        let finished = self.finished.as_ref();
        let name = finished.and_then(|finished| Path::new(&finished.output).file_name());
        let name = name.unwrap_or(&self.session.result);
        name.to_string_lossy().into_owned()
    }

    /// Returns everything that a report shows. `file_use` says what is done with the programs and
    /// files that the store names.
    pub(super) fn record(&self, file_use: FileUse) -> Result<ReductionRecord, CliError> {
        let session = &self.session;
        let language = self.language();
        let steps = self.steps()?;
        let input: Option<Arc<[u8]>> = steps[0].text.as_deref().map(Arc::from);
        let result: Option<Arc<[u8]>> =
            (steps.last()).and_then(|step| step.text.as_deref().map(Arc::from));
        let parts = |input: &Arc<[u8]>| text_parts(input, language, MAP_DEPTH);
        let parts = input.as_ref().map(parts).unwrap_or_default().into_iter();
        let tools = environment::tools(&session.identity, file_use)?;
        let finished = self.finished.as_ref();
        Ok(ReductionRecord {
            input: session.input.clone(),
            result: self.result_file(),
            language: language.map(|language| language.name.to_owned()),
            property: session.property.clone(),
            flags: session.flags.clone(),
            command: self.command(),
            command_line: self.command_line(),
            one_minimal: finished.map(|finished| finished.one_minimal),
            claim: finished.and_then(|finished| finished.claim.clone()),
            guarantee: finished.and_then(|finished| finished.guarantee.clone()),
            sessions: self.sessions.iter().map(session_record).collect(),
            steps,
            passes: self.history.passes()?,
            verdicts: self.history.verdicts()?,
            parts: parts.map(|part| PartRecord { bytes: part.bytes }).collect(),
            remaining: match &result {
                Some(result) => remaining::record(&self.history, result, language)?,
                None => None,
            },
            repeatability: self.repeatability()?,
            assumptions: finished.and_then(|finished| finished.assumptions),
            form_change: self.form_change(),
            other_failures: finished
                .map_or_else(Vec::new, |finished| finished.other_failures.clone()),
            tools,
            facts: environment::facts(&session.identity),
            choices: session.choices.clone(),
        })
    }

    /// Returns the step at which the failure changed, if it did.
    pub(super) fn form_change(&self) -> Option<FormChange> {
        recorded::form_change(&self.sessions, &self.history, &self.session.result)
    }

    /// Returns the command that was run on candidates.
    fn command(&self) -> Option<String> {
        let known = || self.session.stated("the command").map(str::to_owned);
        let started = self.started.as_ref().map(|started| started.command.clone());
        started.or_else(known)
    }

    /// Returns the command line of boildown.
    pub(super) fn command_line(&self) -> Option<String> {
        let words: Vec<String> = self.started.as_ref()?.arguments.iter().map(quote).collect();
        Some(format!("boildown {}", words.join(" ")))
    }

    fn steps(&self) -> Result<Vec<StepRecord>, CliError> {
        let offsets = self.offsets();
        let mut steps = Vec::with_capacity(self.history.improvements().len());
        for (number, step) in self.history.improvements().iter().enumerate() {
            let offset = offsets.get(&step.session).copied().unwrap_or_default();
            steps.push(StepRecord {
                test: step.query,
                bytes: step.bytes,
                tokens: step.tokens,
                seconds: (offset + step.elapsed).as_secs_f64(),
                text: if step.has_text {
                    self.text(number)?
                } else {
                    None
                },
            });
        }
        // The tokens of the input are counted after it was recorded.
        let counted = self
            .finished
            .as_ref()
            .and_then(|finished| finished.tokens_before);
        steps[0].tokens = steps[0].tokens.or(counted.map(|tokens| tokens as u64));
        Ok(steps)
    }

    /// Returns the time of the sessions before each session.
    fn offsets(&self) -> HashMap<i64, Duration> {
        let mut offset = Duration::ZERO;
        let sessions = self.sessions.iter().map(|session| {
            let before = offset;
            let steps = self.history.improvements().iter();
            let last = steps.filter(|step| step.session == session.id);
            let last = last.map(|step| step.elapsed).max().unwrap_or_default();
            offset += session.ending.map_or(last, |ending| ending.elapsed);
            (session.id, before)
        });
        sessions.collect()
    }

    /// Returns how often the property held: as the last session measured it, or in the runs before
    /// the search.
    fn repeatability(&self) -> Result<Option<RepeatabilityRecord>, CliError> {
        if let Some(finished) = &self.finished
            && finished.repeatability.input.runs > 0
        {
            return Ok(Some(finished.repeatability.clone()));
        }
        let input = self.history.improvements()[0].content;
        let runs = self.history.baseline(input)?;
        Ok(counted(&runs).map(|input| RepeatabilityRecord {
            input,
            ..RepeatabilityRecord::default()
        }))
    }
}

/// Returns the rate of the runs that were judged.
fn counted(runs: &[(Verdict, Run)]) -> Option<RateRecord> {
    let mut counts = RunCounts::default();
    for (verdict, _) in runs
        .iter()
        .filter(|(verdict, _)| *verdict != Verdict::Unresolved)
    {
        counts.count(verdict.is_interesting());
    }
    (counts.runs > 0).then(|| counts.into())
}

fn session_record(session: &SessionDetails) -> SessionRecord {
    let ending = session.ending.as_ref();
    SessionRecord {
        version: session.version.clone(),
        started: session.started,
        ending: ending.map(|ending| ending.why.name().to_owned()),
        has_finished: ending.is_some_and(|ending| ending.why.has_finished()),
        seconds: ending.map(|ending| ending.elapsed.as_secs_f64()),
        tests: ending.map_or(0, |ending| ending.queries),
        runs: ending.map_or(0, |ending| ending.runs),
        recalled: ending.map_or(0, |ending| ending.recalled),
        run_seconds: session.running.as_secs_f64(),
        jobs: recorded::started(session).map(|started| started.options.jobs as u64),
        own_seconds: recorded::finished(session).map(|finished| finished.driver_cpu_seconds),
    }
}
