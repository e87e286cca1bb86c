//! The end of a reduction, as text and as JSON.

use std::path::Path;
use std::time::Duration;

use boildown_document::{Language, Split};
use boildown_exec::SecondaryFailures;
use boildown_reduce::{Proof, RemainingWord, Units};
use boildown_session::Summary;
use boildown_session::prepare::Flakiness;
use boildown_show::{
    AssumptionsRecord, CheckRecord, JsonValue as _, LastEvent, OtherFailureRecord,
    ReductionFinished, RemainingWordRecord, StopReason,
};
use serde_json::Value;

use super::destination::PRINTED;
use super::objective::ObjectiveOutcome;
use crate::report::endings::Claim;
use crate::report::format::{EscapedPath as _, Visible, clock, count, grouped};
use crate::report::reporter::FinalReport;
use crate::report::text::{not_verified, spent};
use crate::report::{flakiness, recorded};

/// The time that a command takes beside its search before the summary mentions it.
const OTHER_TIME: Duration = Duration::from_secs(5);

/// The end of a reduction.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReductionReport<'a> {
    pub(crate) input: &'a Path,
    pub(crate) output: &'a Path,
    /// The reduced command as a line for a shell, if no file was reduced.
    pub(crate) command: Option<&'a str>,
    /// The time since the command began.
    pub(super) elapsed: Duration,
    /// What was measured of the result, beside the least value.
    pub(super) measured: Option<&'a str>,
    /// What was made small or large.
    pub(super) objective: Option<&'a ObjectiveOutcome>,
    /// The words of the input that the result still has, if it is redacted.
    pub(super) remaining: Option<&'a [RemainingWord]>,
    /// The checks of --valid, and their runs.
    pub(super) checks: &'a [CheckRecord],
    /// The copy of the input, if the result replaced the input.
    pub(crate) backup: Option<&'a Path>,
    /// Whether the result is the input.
    pub(crate) unchanged: bool,
    pub(crate) summary: &'a Summary,
    pub(crate) tokens_before: Option<usize>,
    pub(crate) tokens_after: Option<usize>,
    /// Files of the input and of the result, if it is a folder.
    pub(crate) files: Option<[usize; 2]>,
    pub(crate) language: Option<&'static Language>,
    /// The smallest parts that the search deletes.
    pub(crate) units: Units,
    pub(crate) claim: ClaimLimits,
    pub(crate) flakiness: &'a Flakiness,
    /// Candidates that failed in another way than the input.
    pub(crate) other_failures: &'a SecondaryFailures,
    /// Whether to list all of them.
    pub(crate) lists_all: bool,
    /// Seconds of processor time of boildown itself, without the commands it ran.
    pub(crate) own_cpu: f64,
}

/// What limits the claim that the result is 1-minimal.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClaimLimits {
    /// Whether the user excluded parts of the input from removal.
    pub(crate) keeps_parts: bool,
    /// The runs that misses are known from, if they are not in fresh directories.
    pub(crate) seen_in: Option<&'static str>,
    /// What the proof is about for the format of the input.
    pub(crate) proof: Proof,
    /// What every candidate has, as a list of this kind.
    pub(crate) form: Option<&'static str>,
}

/// Returns what every candidate of a list has, for a claim.
pub(super) fn form_of_list(split: Option<&Split>) -> Option<&'static str> {
    Some(match split? {
        Split::Csv => "with the header kept",
        Split::JsonArray => "with an array left",
        Split::JsonLines => "with lines of JSON left",
        Split::Command(_) => "with the rest of the command kept",
        _ => return None,
    })
}

impl ReductionReport<'_> {
    /// Returns what the final pass verified: that no single unit of the result can be removed.
    fn verified(&self) -> Option<Claim> {
        if self.summary.stopped.is_some() || !self.summary.one_minimal {
            return None;
        }
        let (units, sentence, where_tried) = match (self.units, self.language) {
            _ if self.files.is_some() => (
                "files and tokens",
                "no single file can be removed, nor a single token of one",
                None,
            ),
            (Units::Elements, _) => ("elements", "no single element can be removed", None),
            (Units::Lines, _) => ("lines", "no single line can be removed", None),
            (Units::Tokens, _) if self.claim.proof == Proof::WellFormedTokens => (
                "tokens",
                "no single token can be removed",
                Some("only well-formed candidates were tried"),
            ),
            // Not all tokens were asked about again on the very result, and the gate refuses some
            // forms that a tool may accept.
            (Units::Tokens, _) if self.claim.proof == Proof::Units => (
                "instructions",
                "no single instruction can be removed",
                Some("of single tokens, only well-formed candidates were tried"),
            ),
            (Units::Tokens, Some(_)) => (
                "tokens",
                "no single token can be removed, nor a node whose removal parses",
                None,
            ),
            (Units::Bytes, _) | (Units::Tokens, None) => {
                ("bytes", "no single byte can be removed", None)
            }
        };
        // An element goes with what separates it from others.
        let form = self.claim.form.filter(|_| self.units != Units::Elements);
        let kept = (self.claim.keeps_parts).then_some("except for the parts to keep");
        let flaky =
            (!self.flakiness.is_steady()).then_some("as repeated runs of a flaky failure show");
        let bound = (self.objective).map(|_| "without a worse value of what is measured");
        let refused = self.summary.refused.as_ref();
        let refused = refused.map(|_| "without an error that the input does not have");
        let seen_in = self.claim.seen_in;
        let restrictions = [where_tried, form, kept, seen_in, flaky, bound, refused];
        Some(Claim {
            units,
            sentence: sentence.to_owned(),
            restrictions: restrictions.into_iter().flatten().collect(),
        })
    }

    fn guarantee(&self) -> Option<String> {
        self.verified().map(|claim| claim.text())
    }

    /// Returns how monotone and unambiguous the property was, if tests say something about that.
    fn assumptions(&self) -> Option<AssumptionsRecord> {
        let assumptions = AssumptionsRecord::from(self.summary.assumptions);
        assumptions.text().map(|_| assumptions)
    }

    fn minimality(&self) -> String {
        if let Some(guarantee) = self.guarantee() {
            return guarantee;
        }
        match self.summary.stopped {
            None => "1-minimality not verified: the final pass was skipped or disabled, or the input is an archive or too large".to_owned(),
            Some(StopReason::Interrupted) => {
                let how = self.how_to_resume();
                format!("{}\nto resume, {how}", not_verified(StopReason::Interrupted))
            }
            Some(why) => not_verified(why).to_owned(),
        }
    }

    /// Returns how to continue an interrupted reduction. Without a store it starts again from the
    /// result, which has to replace the input because the command names the input.
    fn how_to_resume(&self) -> String {
        if self.summary.resumable {
            return "run the same command".to_owned();
        }
        let (input, output) = (self.input.escaped(), self.output.escaped());
        match self.backup {
            Some(backup) => format!("move {} away and run the same command", backup.escaped()),
            None if self.unchanged => "run the same command".to_owned(),
            None => format!(
                "replace {input} by {output} (keep the original elsewhere) and run the same command"
            ),
        }
    }
}

impl FinalReport for ReductionReport<'_> {
    fn summary(&self) -> String {
        let progress = &self.summary.progress;
        let sizes = |before: usize, after: usize, noun: &str| {
            format!("{} -> {}", grouped(before), count(after, noun))
        };
        let mut text = match (self.unchanged, self.summary.stopped) {
            // The result is a line, which is printed.
            (false, _) if self.command.is_some() && self.output == Path::new(PRINTED) => {
                "the command  ".to_owned()
            }
            (false, _) => format!("{}  ", self.output.escaped()),
            (true, None) => format!("{}: nothing could be removed  ", self.input.escaped()),
            (true, Some(_)) => format!("{}: nothing removed yet  ", self.input.escaped()),
        };
        if let Some([before, after]) = self.files {
            text += &format!("{}, ", sizes(before, after, "file"));
        }
        text += &sizes(progress.bytes_before, progress.bytes, "byte");
        if let (Some(before), Some(after)) = (self.tokens_before, self.tokens_after) {
            text += &format!(", {}", sizes(before, after, "token"));
        }
        text += &format!("\n{}", spent(&progress.spent));
        if self.elapsed >= progress.spent.elapsed + OTHER_TIME {
            text += &format!(", {} with the runs before and after", clock(self.elapsed));
        }
        text += &format!("\n{}", self.minimality());
        if let Some(measured) = self.measured.filter(|_| !self.unchanged) {
            text += &format!("\nmeasured: {measured}");
        }
        if let Some(remaining) = self.remaining {
            let is_over = self.summary.stopped.is_none();
            text += &format!("\n{}", redaction(remaining, is_over, self.lists_all));
            if self.files.is_some() {
                text += "\nnames of files, and binaries, stay as they are";
            }
        }
        for check in self.checks {
            let runs = usize::try_from(check.runs).unwrap_or(usize::MAX);
            let refused = usize::try_from(check.refused).unwrap_or(usize::MAX);
            text += &format!(
                "\n{}: {} ({}, {:.1}s, {} refused)",
                check.option.trim_start_matches('-').replace('-', " "),
                check.kind,
                count(runs, "run"),
                check.seconds,
                count(refused, "candidate"),
            );
        }
        if let Some(objective) = self.objective {
            text += &format!("\n{}", objective.text());
        }
        if let Some(repeats) = flakiness::after_search(self.flakiness) {
            text += &format!("\n{repeats}");
        }
        if let Some(changed) = &self.summary.changed_form {
            text += &format!("\n{}", changed.text());
        }
        if let Some(refused) = &self.summary.refused {
            text += &format!(
                "\na candidate of {} fails like that too, but also with an error that the input does \
                 not have (--loose accepts it): {}",
                count(refused.bytes, "byte"),
                refused.error
            );
        }
        if let Some(assumptions) = self.assumptions().filter(AssumptionsRecord::is_notable)
            && let Some(shown) = assumptions.text()
        {
            text += &format!("\n{shown}");
        }
        if let Some(trivial) = &self.summary.trivial {
            text += &format!(
                "\na different, trivial input also has the property: \"{}\" (--allow-trivial makes it the result)",
                trivial.escape_ascii()
            );
        }
        let can_reduce = self.command.is_none() && self.backup.is_none();
        text + &other_failures(self.other_failures, self.lists_all, can_reduce)
    }

    fn json(&self) -> Value {
        let progress = &self.summary.progress;
        let found = self.other_failures.iter().map(|other| OtherFailureRecord {
            signature: Some(other.signature.to_string()),
            file: other.file.to_string_lossy().into_owned(),
            bytes: other.bytes as u64,
            runs: other.runs,
        });
        let earlier =
            (self.other_failures.earlier.iter()).map(|(file, bytes)| OtherFailureRecord {
                signature: None,
                file: file.to_string_lossy().into_owned(),
                bytes: *bytes,
                runs: 0,
            });
        let claim = self.verified();
        let event = ReductionFinished {
            output: self.output.to_string_lossy().into_owned(),
            command: self.command.map(str::to_owned),
            bytes_before: progress.bytes_before,
            bytes_after: progress.bytes,
            tokens_before: self.tokens_before,
            tokens_after: self.tokens_after,
            files_before: self.files.map(|[before, _]| before),
            files_after: self.files.map(|[_, after]| after),
            tests: progress.spent.queries,
            runs: progress.spent.runs,
            recalled: progress.spent.recalled,
            unresolved: progress.spent.unresolved,
            timeouts: progress.spent.timeouts,
            seconds: progress.spent.elapsed.as_secs_f64(),
            driver_cpu_seconds: self.own_cpu,
            repeatability: recorded::repeatability(self.flakiness),
            other_failures: found.chain(earlier).collect(),
            one_minimal: claim.as_ref().is_some_and(Claim::is_unrestricted),
            guarantee: claim.as_ref().map(Claim::text),
            claim: claim.as_ref().map(Into::into),
            stopped: self.summary.stopped,
            trivial: self
                .summary
                .trivial
                .as_ref()
                .map(|text| text.escape_ascii().to_string()),
            changed_form: self.summary.changed_form.clone(),
            objective: self.objective.map(ObjectiveOutcome::record),
            checks: self.checks.to_vec(),
            remaining_words: self
                .remaining
                .map(|words| words.iter().map(word_record).collect()),
            refused: self.summary.refused.clone(),
            assumptions: self.assumptions(),
        };
        LastEvent::Finished(event).to_json()
    }
}

/// The number of words that are listed unless the user wants all of them.
const LISTED_WORDS: usize = 8;

/// Returns what is left of the words of the input, with their lines. `is_over` says that the search
/// was not stopped.
fn redaction(remaining: &[RemainingWord], is_over: bool, lists_all: bool) -> String {
    let begin = match (is_over, remaining.len()) {
        (true, 0) => return "redacted: no word of the input remains".to_owned(),
        (false, 0) => return "stopped before the end of the redaction".to_owned(),
        (true, words) => format!("redacted, except for {} of the input", count(words, "word")),
        (false, words) => format!(
            "stopped before the end of the redaction, with {} of the input",
            count(words, "word")
        ),
    };
    let listed = if lists_all {
        remaining.len()
    } else {
        LISTED_WORDS
    };
    let shown = remaining.iter().take(listed).map(|one| {
        let word: String = Visible::line(&one.word).into();
        match &one.file {
            None => format!("line {} {word}", one.line),
            Some(file) => format!("{} line {} {word}", Visible::line(file), one.line),
        }
    });
    let mut text = format!("{begin}: {}", shown.collect::<Vec<_>>().join(", "));
    if let Some(more @ 1..) = remaining.len().checked_sub(listed) {
        text += &format!(" and {more} more (--verbose lists all)");
    }
    text
}

fn word_record(one: &RemainingWord) -> RemainingWordRecord {
    let file = one.file.as_deref();
    RemainingWordRecord {
        file: file.map(|file| String::from_utf8_lossy(file).into_owned()),
        line: one.line,
        word: String::from_utf8_lossy(&one.word).into_owned(),
    }
}

/// The number of secondary failures that are listed unless the user wants all of them.
const LISTED: usize = 3;

/// Returns the list of secondary failures, the smallest first; nothing if there are none.
fn other_failures(others: &SecondaryFailures, lists_all: bool, can_reduce: bool) -> String {
    let found = others.iter().map(|other| {
        let bytes = count(other.bytes, "byte");
        let runs = count(other.runs, "run");
        let line = format!("{} ({bytes}, {runs})", other.signature);
        (other.bytes as u64, &other.file, line)
    });
    let earlier = others.earlier.iter().map(|(file, bytes)| {
        let size = count(*bytes, "byte");
        (
            *bytes,
            file,
            format!("found by an earlier session ({size})"),
        )
    });
    let mut failures: Vec<_> = found.chain(earlier).collect();
    failures.sort();
    let Some(folder) = failures.first().and_then(|(_, file, _)| file.parent()) else {
        return String::new();
    };
    let mut text = format!(
        "\n{} in candidates; the smallest candidate of each is in {}:",
        count(failures.len(), "secondary failure"),
        folder.escaped()
    );
    let listed = if lists_all { failures.len() } else { LISTED };
    for (_, file, line) in failures.iter().take(listed) {
        let name = file.file_name().unwrap_or_default();
        text += &format!("\n  {}: {line}", name.escaped());
    }
    if let Some(more @ 1..) = failures.len().checked_sub(listed) {
        text += &format!(
            "\n  and {} (--verbose lists all)",
            count(more, "larger one")
        );
    }
    if others.left_out > 0 && lists_all {
        text += &format!(
            "\n  {} failed in other ways still",
            count(others.left_out, "run")
        );
    }
    let named = failures.iter().filter_map(|(_, file, _)| file.file_stem());
    if let Some(name) = named.into_iter().next().filter(|_| can_reduce) {
        text += &format!(
            "\n  to reduce one, run the same command with --failure NAME, such as --failure {}",
            name.escaped()
        );
    }
    if let Some(problem) = &others.write_error {
        text += &format!("\nwarning: some could not be written: failed to {problem}");
    }
    text
}
