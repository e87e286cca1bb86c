//! The result of a culprit search as sentences, for the text and the Markdown report.

use std::collections::BTreeMap;

use boildown_changes::ChangeUnit;
use boildown_oracle::Verdict;
use boildown_session::changes::{
    CulpritHunk, CulpritReport, OtherCause, RepairScope, SearchTarget, Trial, UnresolvedReason,
};
use boildown_show::{
    OutputDifferenceRecord, PartialCauseRecord, PartialStatementRecord, SpentRecord,
    WordChangeRecord,
};

use super::culprit::CulpritSearchReport;
use crate::explain::output_hints;
use crate::report::endings::Claim;
use crate::report::format::count;

/// Returns the number of tests: `12 tests, 3 unresolved`.
pub(super) fn spent(spent: &SpentRecord) -> String {
    let mut text = count(spent.tests, "test");
    if spent.unresolved > 0 {
        text += &format!(", {} unresolved", spent.unresolved);
    }
    text
}

/// Returns reasons with their numbers: `3 did not build, 1 timed out`.
pub(super) fn reasons(numbers: &BTreeMap<UnresolvedReason, u64>) -> String {
    let each: Vec<String> = (numbers.iter())
        .map(|(reason, number)| format!("{number} {}", reason.words()))
        .collect();
    each.join(", ")
}

/// Returns the size of the patch: `2 hunks in 1 file, +3 -1`.
pub(super) fn size(found: &CulpritReport) -> String {
    let units = |wanted: ChangeUnit| {
        let found = found
            .layer_counts
            .iter()
            .find(|(layer, _)| *layer == wanted);
        let number = found.map_or(0, |(_, number)| *number);
        format!("{number} {}", wanted.noun(number))
    };
    let stat = found.stat;
    format!(
        "{} in {}, +{} -{}",
        units(ChangeUnit::Hunks),
        units(ChangeUnit::Files),
        stat.added,
        stat.deleted
    )
}

/// Says what the search guarantees about the patch, and what to do if that is nothing.
pub(super) fn guarantee(found: &CulpritReport) -> Vec<String> {
    if found.stopped.is_some() {
        return vec!["stopped early: the patch may contain unrelated changes".to_owned()];
    }
    if found.nothing_was_judged() {
        return nothing_judged(found);
    }
    if !found.is_confirmed() {
        return vec![
            "the patch is not the cause: each run had a fresh copy, and equal copies had different verdicts".to_owned(),
            "state what is bad so that every run shows it, or repeat the command in a script".to_owned(),
        ];
    }
    if found.finest.is_none() {
        return vec![
            "not 1-minimal: parts of the patch fail alone, but it has to be undone as a whole"
                .to_owned(),
        ];
    }
    verified(found).iter().map(Claim::text).collect()
}

/// Returns what the search verified of the patch.
pub(super) fn verified(found: &CulpritReport) -> Option<Claim> {
    let finest = found.finest?;
    let is_verified =
        found.stopped.is_none() && found.is_confirmed() && !found.nothing_was_judged();
    let flaky = found
        .is_flaky
        .then_some("as repeated runs of a flaky failure show");
    is_verified.then(|| Claim {
        units: finest.noun(2),
        sentence: format!(
            "no single {}, hunk or file of the patch can be left out",
            finest.noun(1)
        ),
        restrictions: flaky.into_iter().collect(),
    })
}

/// Says what kept the tests from being judged.
fn nothing_judged(found: &CulpritReport) -> Vec<String> {
    let counts = &found.counts;
    let mut all = counts.unresolved.clone();
    for (reason, number) in &counts.rejected {
        *all.entry(*reason).or_default() += number;
    }
    let most = all.iter().max_by_key(|(_, number)| **number);
    let advice = most.and_then(|(reason, _)| advice(*reason));
    let mut all = vec![format!(
        "no candidate could be judged, so the patch is the whole difference: of {}, {}",
        count(counts.queries + counts.all_rejected(), "candidate"),
        reasons(&all)
    )];
    if let Some(run) = &found.last_unresolved {
        all.push(format!("the last of them {}", run.outcome));
        all.extend(output_hints(run));
    }
    all.extend(advice.map(str::to_owned));
    all
}

/// Returns what to do when most tests have no verdict for this reason.
fn advice(reason: UnresolvedReason) -> Option<&'static str> {
    match reason {
        UnresolvedReason::BuildTimedOut => Some("--build-timeout raises the time limit of a build"),
        UnresolvedReason::TimedOut => Some("--timeout raises the time limit of the command"),
        UnresolvedReason::DoesNotBuild => Some(
            "the states between do not build: give states that lie closer together, or a --build that works on all of them",
        ),
        UnresolvedReason::FailsOtherwise => {
            Some("state the failure less precisely, with --stderr or --exit")
        }
        _ => None,
    }
}

/// The words for a culprit or a fix.
struct Words {
    /// What the patch does: `breaks it`.
    does: &'static str,
    /// The same after "does not": `break it`.
    base_form: &'static str,
    /// What a state does without the patch: `works`.
    without: &'static str,
    /// The first state: `good`.
    first: &'static str,
}

impl Words {
    fn new(target: SearchTarget) -> Self {
        match target {
            SearchTarget::Culprit => Self {
                does: "breaks it",
                base_form: "break it",
                without: "works",
                first: "good",
            },
            SearchTarget::Fix => Self {
                does: "fixes it",
                base_form: "fix it",
                without: "is broken",
                first: "broken",
            },
        }
    }
}

/// Returns everything that was found about the patch.
pub(super) fn sentences(report: &CulpritSearchReport<'_>) -> Vec<String> {
    let found = report.found;
    let words = Words::new(report.target);
    let mut all = changed_words(&found.words);
    all.push(confirmed(found, &words));
    if let Some(trial) = found.on_good {
        let base_form = words.base_form;
        all.push(match trial.verdict {
            Verdict::Uninteresting => format!("on {} it does not {base_form}", report.good),
            _ => format!(
                "on {} the result is unresolved{}",
                report.good,
                because(trial)
            ),
        });
    }
    all.extend(
        found
            .partial_statements
            .iter()
            .map(|it| partial(it, &words)),
    );
    all.extend(
        found
            .other_causes
            .iter()
            .map(|it| another_cause(it, &words)),
    );
    all.extend(found.partial.as_ref().map(fails_otherwise));
    all.push(repaired(report, &words));
    all.extend(parts(&found.hunks, &words));
    if let Some(runs) = found.repeated {
        all.push(format!(
            "it changes only comments and blank lines: {runs} more tests with it failed, and {runs} without it succeeded"
        ));
    }
    if let Some(OutputDifferenceRecord { wanted, printed }) = &found.unlike_bad {
        all.push(match printed {
            Some(instead) => format!("it fails with `{instead}`, and {} with `{wanted}`: a later commit changes the failure", report.bad),
            None => format!("{} also prints `{wanted}`: a later commit changes the failure", report.bad),
        });
    } else if report.same_failure == Some(false) {
        all.push(format!(
            "it fails in another way than {}: to look for that failure only, state it with --stderr or --exit",
            report.bad
        ));
    }
    if found.restored_files > 0 {
        all.push(format!(
            "the command modifies files of the copy in which it runs; they were restored {}",
            count(found.restored_files, "time")
        ));
    }
    all
}

/// Number of words that are listed.
const MAX_WORDS: usize = 4;

/// Says which words of lines are changed, with the text around them.
fn changed_words(words: &[WordChangeRecord]) -> Vec<String> {
    let listed = words.iter().take(MAX_WORDS).map(|word| {
        let [deleted, inserted] = [&word.deleted, &word.inserted].map(|it| visible(it));
        let what = match (deleted.as_str(), inserted.as_str()) {
            ("", inserted) => format!("`{inserted}` is inserted"),
            (deleted, "") => format!("`{deleted}` is deleted"),
            (deleted, inserted) => format!("`{deleted}` becomes `{inserted}`"),
        };
        let around = [&word.before, &word.deleted, &word.after].map(|it| visible(it));
        format!("{}: {what} in `{}`", word.place, around.concat().trim())
    });
    let more = words.len().saturating_sub(MAX_WORDS);
    let more = (more > 0).then(|| format!("and {} more", count(more, "changed word")));
    listed.chain(more).collect()
}

/// Returns a text with escapes for its line breaks and tabs.
fn visible(text: &str) -> String {
    let escapes = [('\t', "\\t"), ('\r', "\\r"), ('\n', "\\n")];
    let escape = |text: String, (sign, escape): (char, &str)| text.replace(sign, escape);
    escapes.into_iter().fold(text.to_owned(), escape)
}

/// Says of which statement the patch has the first line and not all others.
fn partial(statement: &PartialStatementRecord, words: &Words) -> String {
    let PartialStatementRecord {
        place,
        head,
        left_out,
    } = statement;
    let lines = count(*left_out, "other changed line");
    format!(
        "{place} begins `{head}`: with its {lines}, it {} too",
        words.does
    )
}

/// Says where another cause is, and where it comes from.
fn another_cause(cause: &OtherCause, words: &Words) -> String {
    let places = cause.locations.join(" and ");
    let from: Vec<String> = (cause.commits.iter())
        .map(|commit| format!("{} {}", commit.short(), commit.title))
        .collect();
    let from = match from.is_empty() {
        true => String::new(),
        false => format!(", from {}", from.join(" and ")),
    };
    match cause.is_alone {
        true => format!("another cause {} alone: {places}{from}", words.does),
        false => format!("another cause {} without it: {places}{from}", words.does),
    }
}

/// Says how a part of the changes fails.
pub(super) fn fails_otherwise(part: &PartialCauseRecord) -> String {
    let places = part.places.join(" and ");
    let Some(OutputDifferenceRecord { wanted, printed }) = &part.difference else {
        return format!(
            "{places} alone makes the difference too, but to undo that changes nothing"
        );
    };
    match printed {
        Some(printed) => {
            format!("{places} alone fails in another way: `{printed}`, not `{wanted}`")
        }
        None => format!("{places} alone fails in another way: without `{wanted}`"),
    }
}

/// Says whether the patch alone was confirmed in a fresh copy of the base.
fn confirmed(found: &CulpritReport, words: &Words) -> String {
    let Words {
        does,
        base_form,
        first,
        ..
    } = words;
    let base = match found.base_is_good {
        true => format!("{}, the {first} state", found.base),
        false => found.base.clone(),
    };
    match found.confirmed.verdict {
        _ if found.confirmed.reason == Some(UnresolvedReason::Interrupted) => format!(
            "applied to {base}, it {does}; interrupted before this was confirmed in a fresh copy"
        ),
        Verdict::Interesting => {
            format!("applied to {base}, it alone {does}: confirmed in a fresh copy")
        }
        _ => format!(
            "not confirmed: in a fresh copy, applied to {base}, it does not {base_form}{}",
            because(found.confirmed)
        ),
    }
}

/// Says what the second state does without the patch.
fn repaired(report: &CulpritSearchReport<'_>, words: &Words) -> String {
    let on = &report.found.repair_on;
    let Words { does, without, .. } = words;
    let repair = report.found.repair;
    let what = match (report.found.repair_scope, report.found.other_causes.len()) {
        (RepairScope::Causes, 0) => "it",
        (RepairScope::Causes, 1) => "both",
        (RepairScope::Causes, _) => "all of them",
        (RepairScope::Hunks, _) => "the hunks that hold it",
        (RepairScope::Names, _) => "the hunks that share its names",
        (RepairScope::Files, _) => "all changes of its files",
    };
    match repair.verdict {
        Verdict::Uninteresting if report.found.other_causes.is_empty() => {
            format!("{on} {without} without {what}")
        }
        Verdict::Uninteresting
            if report
                .found
                .other_causes
                .iter()
                .any(|it| !it.commits.is_empty()) =>
        {
            format!("{on} {without} without {what}, but not without the first alone")
        }
        Verdict::Uninteresting => format!(
            "{on} {without} without {what}, but not without one: they are separate causes, or parts of one"
        ),
        Verdict::Interesting => {
            format!("{on} without {what} is as before: something else {does} as well")
        }
        Verdict::Unresolved => format!(
            "whether {on} {without} without {what} is unresolved{}",
            because(repair)
        ),
    }
}

/// Says what happens without each part of the patch.
fn parts(parts: &[CulpritHunk], words: &Words) -> Vec<String> {
    let Words {
        does,
        base_form,
        without,
        ..
    } = words;
    let needed: Vec<&str> = (parts.iter())
        .filter(|part| part.without.verdict == Verdict::Uninteresting)
        .map(|part| part.location.as_str())
        .collect();
    if parts.len() > 1 && needed.len() == parts.len() {
        let all = needed.join(" and ");
        return vec![format!("they interact: {all} only {base_form} together")];
    }
    let each = parts.iter().map(|part| match part.without.verdict {
        Verdict::Uninteresting => format!("without {} it {without}", part.location),
        Verdict::Unresolved if part.without.reason == Some(UnresolvedReason::FailsOtherwise) => {
            format!("without {} it fails in another way", part.location)
        }
        Verdict::Unresolved => format!(
            "without {} the rest is unresolved: the other parts need it",
            part.location
        ),
        Verdict::Interesting => format!("without {} it {does} too", part.location),
    });
    each.collect()
}

fn because(trial: Trial) -> String {
    trial
        .reason
        .map(|reason| format!(" ({})", reason.words()))
        .unwrap_or_default()
}
