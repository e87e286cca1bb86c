//! The steps of a triage, one after another.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use boildown_document::Language;
use boildown_exec::spawn::Permissions;
use boildown_exec::{Access, DirHandle};
use boildown_oracle::{Deduction, Interrupt, OracleError, Property, Run, SourcePosition};
use boildown_reduce::canonical_form;
use boildown_show::TriageLine;
use boildown_store::{Identity, InputRuns, Provenance};
use boildown_triage::{
    FailureClass, FailureGroup, GroupedInput, RunPlan, Schedule, Slice, group_by_failure,
    merge_by_form, merge_by_message,
};

use super::failure_test::FailureTest;
use super::group_reduction::{GroupReduction, SliceEnd};
use super::report::{
    ExampleState, GroupReport, InputReport, MergeRule, TriageEvent, TriageOutcome, TriageReport,
};
use super::scan::{Scan, ScannedInput, TriageInput};
use super::verification::verify;
use crate::Event;
use crate::prepare::loosen_sandbox;

/// The bytes of a run's output that are kept, at most.
const MAX_OUTPUT: usize = 3000;

/// What to triage, and how.
pub struct Triage<'a> {
    /// The inputs, each content once.
    pub inputs: &'a [TriageInput],
    /// Runs the command, and tells failures apart.
    pub test: FailureTest,
    /// What the sandbox permits.
    pub permissions: &'a Permissions,
    /// How often an input is run.
    pub plan: RunPlan,
    /// Whether inputs are grouped that end with an ordinary error message, also if others crash.
    pub includes_errors: bool,
    /// Whether the examples are reduced.
    pub reduces: bool,
    /// Which groups are merged.
    pub merge: MergeRule,
    /// Returns the language of an input.
    pub language: &'a dyn Fn(&[u8]) -> Option<&'static Language>,
    /// The limit on the time of all reductions.
    pub max_time: Option<Duration>,
    /// The folder for the results of the reductions.
    pub folder: &'a Path,
    /// What they may permit.
    pub access: Access,
    /// What their stores record of where they come from.
    pub provenance: &'a Provenance,
    /// The extension of their file names, with its dot.
    pub extension: &'a str,
    /// What runs depend on, but for the input.
    pub identity: &'a Identity,
    /// The runs of earlier sessions.
    pub known: Option<&'a InputRuns>,
    /// The number of runs at the same time.
    pub jobs: usize,
    /// Stops the triage from another thread.
    pub interrupt: &'a Interrupt,
}

impl std::fmt::Debug for Triage<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Triage")
            .field("inputs", &self.inputs.len())
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum TriageError {
    /// It was interrupted before all inputs were run.
    #[error("interrupted before all inputs were run")]
    Interrupted,
    /// The command could not be run.
    #[error(transparent)]
    Oracle(OracleError),
    /// A file could not be written.
    #[error("write {path}")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
}

impl From<OracleError> for TriageError {
    fn from(error: OracleError) -> Self {
        match error {
            OracleError::Interrupted => Self::Interrupted,
            error => Self::Oracle(error),
        }
    }
}

/// A group whose example is being reduced.
struct OpenGroup {
    group: FailureGroup,
    /// The file of the result.
    output: PathBuf,
    best: Arc<[u8]>,
    state: ExampleState,
}

fn recorded(line: TriageLine) -> Event {
    Event::Triage(TriageEvent::Recorded(line))
}

impl Triage<'_> {
    /// Runs the inputs, groups them, reduces one of each group, merges groups, and runs each
    /// example again.
    ///
    /// An interruption during the reductions ends them; what was found is returned.
    ///
    /// # Errors
    /// [`TriageError`] when the inputs could not be run, or a result could not be written.
    pub fn run(mut self, on_event: &mut dyn FnMut(&Event)) -> Result<TriageReport, TriageError> {
        self.choose_sandbox(on_event)?;
        let scanned = self.scan(on_event)?;
        let grouped = self.grouped_inputs(&scanned);
        let content = |index: usize| &*self.inputs[index].content;
        let groups = merge_by_message(group_by_failure(&grouped), content);
        on_event(&recorded(TriageLine::Grouped {
            groups: groups.len(),
        }));
        let mut open = self.open(groups);
        let (outcome, tests) = self.reduce(&scanned, &mut open, on_event)?;
        on_event(&Event::Triage(TriageEvent::Verifying));
        let mut reports = Vec::with_capacity(open.len());
        for group in &open {
            reports.push(self.verified(group)?);
        }
        Ok(self.report(&scanned, &open, reports, outcome, tests))
    }

    /// Loosens the sandbox if the smallest input that fails outside fails otherwise inside.
    fn choose_sandbox(&mut self, on_event: &mut dyn FnMut(&Event)) -> Result<(), TriageError> {
        let runner = &self.test.runner;
        let Some(input) = self.inputs.iter().min_by_key(|input| input.content.len()) else {
            return Ok(());
        };
        if runner.limits.sandbox.is_none() {
            return Ok(());
        }
        let mut outside = self.test.clone();
        outside.runner.limits.sandbox = None;
        let run = outside.run(&input.content, self.interrupt)?;
        let deduced = || Deduction::of_run(&run).map(|deduction| deduction.property().clone());
        let property: Option<Property> = self.test.stated.clone().or_else(deduced);
        let Some(property) = property.filter(|_| outside.key_of(&run).is_some()) else {
            return Ok(());
        };
        let looser = loosen_sandbox(
            runner,
            self.permissions,
            &property,
            &input.content,
            self.interrupt,
        )?;
        if let Some((looser, loosening)) = looser {
            self.test.runner = looser;
            on_event(&Event::Triage(TriageEvent::Loosened(loosening)));
        }
        Ok(())
    }

    fn scan(&self, on_event: &mut dyn FnMut(&Event)) -> Result<Vec<ScannedInput>, TriageError> {
        let scan = Scan {
            inputs: self.inputs,
            test: &self.test,
            plan: self.plan,
            known: self.known,
            jobs: self.jobs,
            interrupt: self.interrupt,
        };
        let all = self.inputs.len();
        let scanned =
            scan.run(&mut |done| on_event(&recorded(TriageLine::Scanned { done, all })))?;
        if let Some(error) = self.known.and_then(InputRuns::take_error) {
            let text = format!("the runs on the inputs are not remembered: {error}");
            on_event(&Event::Triage(TriageEvent::Note(text)));
        }
        Ok(scanned)
    }

    /// Returns the inputs as they are grouped. Those that end with an error message are in no group
    /// if others crash.
    fn grouped_inputs(&self, scanned: &[ScannedInput]) -> Vec<GroupedInput> {
        let class = |scanned: &ScannedInput| {
            let key = scanned.assessment.key.as_ref();
            key.map(boildown_triage::FailureKey::class)
        };
        let is_error = |scanned: &ScannedInput| class(scanned) == Some(FailureClass::Error);
        let has_others = (scanned.iter()).any(|input| class(input).is_some() && !is_error(input));
        let leaves_out = has_others && !self.includes_errors;
        let inputs = self.inputs.iter().zip(scanned);
        inputs
            .map(|(input, scanned)| {
                let mut assessment = scanned.assessment.clone();
                if leaves_out && is_error(scanned) {
                    assessment.key = None;
                }
                GroupedInput {
                    bytes: input.content.len() as u64,
                    assessment,
                }
            })
            .collect()
    }

    /// Gives each group a file for its result, whose name depends on the failure only.
    fn open(&self, groups: Vec<FailureGroup>) -> Vec<OpenGroup> {
        let mut open: Vec<OpenGroup> = Vec::with_capacity(groups.len());
        for group in groups {
            let name = group.key.file_name();
            let names = (2..).map(|number| format!("{name}-{number}"));
            let output = std::iter::once(name.clone())
                .chain(names)
                .map(|name| self.folder.join(format!("{name}{}", self.extension)))
                .find(|output| open.iter().all(|other| other.output != *output))
                .expect("there are more names than groups");
            let best = Arc::clone(&self.inputs[group.example()].content);
            let why = match group.key.class() {
                FailureClass::Hang if self.test.stated.is_none() => {
                    "an input that hangs is not reduced unless --hangs states the time"
                }
                FailureClass::LimitExceeded => "it exceeds a limit",
                _ if !self.reduces => "--no-reduce",
                _ => "the time was over",
            };
            open.push(OpenGroup {
                group,
                output,
                best,
                state: ExampleState::Unreduced {
                    why: why.to_owned(),
                },
            });
        }
        open
    }

    /// Creates the folder of the reductions, in that of the results.
    fn create_folder(&self) -> io::Result<()> {
        let results = DirHandle::open(self.folder.parent().unwrap_or(Path::new("")))?;
        let name = self.folder.file_name().unwrap_or_default();
        results
            .create_private_subdirectory(Path::new(name))
            .map(drop)
    }

    /// Reduces the examples, as the schedule says. Returns how it ended, and the number of tests.
    fn reduce(
        &self,
        scanned: &[ScannedInput],
        open: &mut [OpenGroup],
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<(TriageOutcome, u64), TriageError> {
        let is_reduced = |group: &OpenGroup| match group.group.key.class() {
            FailureClass::Crash | FailureClass::Error => self.reduces,
            FailureClass::Hang => self.reduces && self.test.stated.is_some(),
            FailureClass::LimitExceeded => false,
        };
        let reduced: Vec<usize> = (0..open.len())
            .filter(|&at| is_reduced(&open[at]))
            .collect();
        if !reduced.is_empty() {
            self.create_folder().map_err(|source| TriageError::Write {
                path: self.folder.to_owned(),
                source,
            })?;
        }
        let mut schedule = Schedule::new(reduced.len(), self.max_time);
        let mut tests = 0;
        while let Some(slice) = schedule.next() {
            let at = reduced[slice.group];
            let before = open[at].best.len();
            let started = Instant::now();
            let scanned = &scanned[open[at].group.example()];
            let end = self.reduce_slice(at, open, scanned, slice, &mut tests, on_event)?;
            let removed = before.saturating_sub(open[at].best.len()) as u64;
            let is_finished = matches!(end, SliceEnd::Finished | SliceEnd::Impossible(_));
            schedule.record(slice, started.elapsed(), removed, is_finished);
            if end == SliceEnd::Interrupted {
                return Ok((TriageOutcome::Interrupted, tests));
            }
        }
        let outcome = match schedule.is_finished() {
            true => TriageOutcome::Finished,
            false => TriageOutcome::TimeLimit,
        };
        Ok((outcome, tests))
    }

    fn reduce_slice(
        &self,
        at: usize,
        open: &mut [OpenGroup],
        scanned: &ScannedInput,
        slice: Slice,
        tests: &mut u64,
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<SliceEnd, TriageError> {
        let this = &mut open[at];
        let input = &self.inputs[this.group.example()].content;
        let (number, key) = (at + 1, &this.group.key);
        on_event(&recorded(TriageLine::GroupStarted {
            number,
            failure: key.to_string(),
            bytes: this.best.len(),
            seconds: slice.time.map(|time| time.as_secs_f64()),
        }));
        let reduction = GroupReduction {
            test: &self.test,
            key,
            run: scanned.run.as_ref().expect("an input of a group failed"),
            is_flaky: scanned.assessment.is_flaky(),
            input,
            language: (self.language)(input),
            output: &this.output,
            identity: self.identity,
            access: self.access,
            provenance: self.provenance,
            jobs: self.jobs,
            interrupt: self.interrupt,
        };
        let mut notes = Vec::new();
        let done = reduction.slice(
            slice.time,
            &mut |event| match event {
                Event::Improved(progress) => on_event(&Event::Triage(TriageEvent::Smaller {
                    bytes: progress.bytes,
                })),
                Event::Tick(progress) => on_event(&Event::Triage(TriageEvent::Tick {
                    tests: progress.spent.queries,
                })),
                _ => {}
            },
            &mut |note| notes.push(note),
        )?;
        for note in notes {
            on_event(&Event::Triage(TriageEvent::Note(note)));
        }
        *tests += done.tests;
        this.best = done.best;
        this.state = match &done.end {
            SliceEnd::Finished => ExampleState::Finished,
            SliceEnd::TimeLimit | SliceEnd::Interrupted => ExampleState::Stopped,
            SliceEnd::Impossible(why) => ExampleState::Unreduced { why: why.clone() },
        };
        on_event(&recorded(TriageLine::GroupFinished {
            number,
            failure: key.to_string(),
            bytes_before: input.len(),
            bytes: this.best.len(),
            finished: this.state == ExampleState::Finished,
        }));
        Ok(done.end)
    }

    /// Runs the example of a group again. If it does not fail as it should, the input that was
    /// reduced takes its place.
    fn verified(&self, open: &OpenGroup) -> Result<GroupReport, TriageError> {
        let key = &open.group.key;
        let original = open.group.example();
        let input = &self.inputs[original].content;
        // The runs after an interruption are short, and what is shown has to be right.
        let interrupt = Interrupt::new()?;
        let again = |text: &[u8]| verify(&self.test, text, key, self.plan, &interrupt);
        let mut example = Arc::clone(&open.best);
        let mut state = open.state.clone();
        let mut verified = again(&example)?;
        if verified.counts.hits == 0 && example != *input {
            example = Arc::clone(input);
            verified = again(&example)?;
            state = ExampleState::Unreduced {
                why: "the reduced example did not fail again".to_owned(),
            };
        }
        let language = (self.language)(input);
        let run = verified.run.as_ref();
        // A finished reduction has renamed what can be renamed.
        let is_needed = |name: &[u8]| {
            let is_canonical = name.len() <= 2 && name.iter().all(u8::is_ascii_lowercase);
            state == ExampleState::Finished && !is_canonical
        };
        let form =
            (verified.counts.hits > 0).then(|| canonical_form(&example, language, &is_needed));
        Ok(GroupReport {
            keys: vec![key.clone()],
            members: open.group.members.clone(),
            original,
            output: run.map_or_else(Vec::new, last_output),
            position: run.and_then(|run| SourcePosition::of_run(run, &self.test.runner.file.name)),
            flags: match &self.test.stated {
                Some(stated) => Some(stated.flags()),
                None => run
                    .and_then(Deduction::of_run)
                    .map(|run| run.property().flags()),
            },
            form,
            language: language.map(|language| language.name),
            example,
            state,
            verified: verified.counts,
        })
    }

    /// Merges groups, and returns the report.
    fn report(
        &self,
        scanned: &[ScannedInput],
        open: &[OpenGroup],
        reports: Vec<GroupReport>,
        outcome: TriageOutcome,
        tests: u64,
    ) -> TriageReport {
        let groups: Vec<FailureGroup> = open.iter().map(|open| open.group.clone()).collect();
        let forms: Vec<Option<String>> = reports.iter().map(|report| report.form.clone()).collect();
        let merged = match self.merge {
            MergeRule::ByForm => merge_by_form(&groups, &forms),
            MergeRule::Never => (0..groups.len()).map(|number| vec![number]).collect(),
        };
        let mut inputs: Vec<InputReport> = (self.inputs.iter().zip(scanned))
            .map(|(input, scanned)| InputReport {
                files: input.files.clone(),
                bytes: input.content.len(),
                assessment: scanned.assessment.clone(),
                first_group: None,
                group: None,
            })
            .collect();
        let mut reports: Vec<Option<GroupReport>> = reports.into_iter().map(Some).collect();
        let mut together = Vec::with_capacity(merged.len());
        for (number, parts) in merged.iter().enumerate() {
            for &part in parts {
                for &member in &groups[part].members {
                    inputs[member].first_group = Some(part);
                    inputs[member].group = Some(number);
                }
            }
            let parts = parts.iter().filter_map(|&part| reports[part].take());
            together.extend(joined(parts));
        }
        TriageReport {
            inputs,
            groups: together,
            groups_before: groups.len(),
            outcome,
            tests,
        }
    }
}

/// Returns the end of what a run printed, from the beginning of a line on if it can be.
fn last_output(run: &Run) -> Vec<u8> {
    let printed = match run.stderr.trim_ascii().is_empty() {
        true => &run.stdout,
        false => &run.stderr,
    };
    let cut = printed.len().saturating_sub(MAX_OUTPUT);
    let last = &printed[cut..];
    let line = match cut {
        0 => 0,
        _ => last
            .iter()
            .position(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1),
    };
    last[line..].to_vec()
}

/// Returns groups as one. The smallest example stands for all of them.
fn joined(parts: impl Iterator<Item = GroupReport>) -> Option<GroupReport> {
    let mut parts: Vec<GroupReport> = parts.collect();
    let smallest = (0..parts.len()).min_by_key(|&part| parts[part].example.len())?;
    parts.swap(0, smallest);
    let mut parts = parts.into_iter();
    let mut first = parts.next()?;
    for other in parts {
        first.keys.extend(other.keys);
        first.members.extend(other.members);
    }
    Some(first)
}

#[cfg(test)]
mod tests {
    use boildown_search::flaky::RunCounts;

    use super::*;

    #[test]
    fn the_smallest_example_stands_for_merged_groups() {
        let run = |stderr: &str| {
            boildown_oracle::Run::ended(
                boildown_oracle::Outcome::Signalled(6),
                format!("a.c:1: f: Assertion `{stderr}' failed.\n"),
            )
        };
        let report = |name: &str, example: &str, member| GroupReport {
            keys: vec![boildown_triage::FailureKey::of_run(
                &run(name),
                "in.c".as_ref(),
                0,
            )],
            members: vec![member],
            original: member,
            example: example.as_bytes().into(),
            state: ExampleState::Finished,
            verified: RunCounts { runs: 2, hits: 2 },
            output: Vec::new(),
            position: None,
            flags: None,
            form: None,
            language: None,
        };
        let one = joined([report("a", "long", 3), report("b", "b", 1)].into_iter()).unwrap();
        assert_eq!(one.key().to_string(), "a.c:N: f: Assertion `b' failed");
        assert_eq!((one.keys.len(), &one.members[..]), (2, &[1, 3][..]));
        assert_eq!(&*one.example, b"b");
        assert!(one.is_verified());
    }
}
