//! Notes and warnings, and the ones that belong to the preparation of a run.

use std::error::Error as _;
use std::time::Duration;

use boildown_exec::ProjectPlan;
use boildown_oracle::Property;
use boildown_session::Event;
use boildown_session::changes::EndRates;
use boildown_session::prepare::{Flakiness, Loosening, MoveReason, PrepareEvent};
use boildown_session::triage::TriageEvent;
use boildown_store::{Distrusted, ResumeStatus, StoreError};

use super::flakiness;
use super::format::{clock, count};
use super::terminal::{LiveLine, StatusOutput};
use crate::explain::ended;
use crate::options::OutputArgs;
use crate::report::format::EscapedPath as _;

/// Returns the note of an event of a search, if it has one.
pub(super) fn event_note(event: &Event) -> Option<String> {
    Some(match event {
        Event::StoreFailed { error } => not_remembered(error),
        Event::VerdictsOutdated {
            forgotten,
            distrusted,
        } => verdicts_outdated(*forgotten, *distrusted),
        Event::EnvironmentChanged { forgotten } => environment_changed(*forgotten),
        &Event::BecameFlaky { policy, input } => {
            return flakiness::before_search(&Flakiness {
                policy,
                input,
                result: None,
                contradictions: 0,
            });
        }
        Event::PropertyLost { bytes, runs } => format!(
            "the failure turned out to be flaky below {}; continuing with {runs} runs per candidate",
            count(*bytes, "byte")
        ),
        Event::SandboxLoosened(loosening) => {
            loosened(*loosening, "the two states are good and bad as stated")
        }
        Event::RatesMeasured(rates) => rates_measured(rates),
        Event::FailureRead(property) => failure_read(property),
        Event::RunsDisagree { name } => {
            format!("flaky: runs on {name} disagree; searching again with repeated runs")
        }
        Event::SearchWidened => "the commits that change the paths of --path do not show the cause: searching all commits".to_owned(),
        Event::Triage(TriageEvent::Note(text)) => text.clone(),
        Event::Triage(TriageEvent::Loosened(loosening)) => {
            loosened(*loosening, "the input fails as before")
        }
        _ => return None,
    })
}

fn environment_changed(forgotten: u64) -> String {
    let verdicts = count(forgotten, "verdict");
    format!(
        "error: the environment changed: the property does not hold on the input any more\n  hint: {verdicts} since it last held will not be used again; repair what changed (a tool, a disk, a server), and run the same command to resume"
    )
}

fn rates_measured(EndRates { bad, good }: &EndRates) -> String {
    format!(
        "flaky: the second state is as stated in {} of {} runs, the first one like it in {} of {}; \
         each test is run until it is clear which one it is like",
        bad.hits, bad.runs, good.hits, good.runs
    )
}

pub(super) fn prepare_note(event: PrepareEvent<'_>) -> Option<String> {
    Some(match event {
        PrepareEvent::Preserving(property) => labelled("preserving: ", property),
        PrepareEvent::Alternative(property) => format!("also possible: {}", property.flags()),
        PrepareEvent::Failing(property) => labelled("failing: ", property),
        PrepareEvent::Passing(property) => labelled("passing: ", property),
        PrepareEvent::SandboxGap(gap) => format!("warning: the command can {gap}"),
        PrepareEvent::Loosened(loosening) => loosened(loosening, "the property holds"),
        PrepareEvent::Moved { project, reason } => moved(project, reason),
        PrepareEvent::EarlierSessions { news, fresh } => return earlier_sessions(news, fresh),
        PrepareEvent::NotRemembered(error) => not_remembered(error),
        PrepareEvent::Running { .. } => return None,
    })
}

/// Returns how long a run may take, for a user who waits for it.
pub(crate) fn limit_advice(limit: Duration) -> String {
    format!(
        "a run is stopped after {}; --timeout sets another limit, and --hangs preserves a hang",
        clock(limit)
    )
}

/// Shows that the user waits for a run before anything is reported, until the value is dropped.
pub(crate) fn waiting(printing: &OutputArgs, what: &str, limit: Duration) -> Option<StatusOutput> {
    let status = (printing.is_text()).then(|| StatusOutput::new(LiveLine::OnTerminals));
    status.inspect(|status| status.working(what.to_owned(), limit_advice(limit)))
}

/// Returns the property after a label, with its other lines indented.
fn labelled(label: &str, property: &Property) -> String {
    let indent = format!("\n{:width$}", "", width = label.len());
    format!("{label}{}", property.to_string().replace('\n', &indent))
}

/// Returns what counts as bad, read off the bad state.
pub(crate) fn failure_read(property: &Property) -> String {
    labelled("only this counts as bad: ", property) + " (see --any-failure)"
}

/// Returns what to say about a looser sandbox. `condition` is what is true only outside the
/// sandbox.
fn loosened(loosening: Loosening, condition: &str) -> String {
    match loosening {
        Loosening::TemporaryFiles => "the command writes temporary files outside $TMPDIR: this is allowed; such files are not cleaned up".to_owned(),
        Loosening::NoSandbox => format!(
            "warning: {condition} only outside the sandbox, so it is turned off: a candidate may damage your files\n         --writable PATH, such as ~/.cache, keeps the sandbox and lets the command write there"
        ),
    }
}

/// Returns what to say about runs in a copy of the project.
fn moved(project: &ProjectPlan, reason: MoveReason<'_>) -> String {
    let place = format!("running in a copy of {}", project.root().escaped());
    match reason {
        MoveReason::Differs(alone) => format!(
            "{place}: alone in a fresh directory, the command {}",
            ended(alone)
        ),
        MoveReason::HoldsOnEmpty => {
            format!("{place}: alone in a fresh directory, the property holds on the empty input")
        }
        MoveReason::Resumed => place,
    }
}

fn earlier_sessions(news: &ResumeStatus, fresh: bool) -> Option<String> {
    match news {
        ResumeStatus::Resumed { verdicts } => Some(format!(
            "resumed: {} of an earlier run (--fresh starts over)",
            count(*verdicts, "verdict")
        )),
        ResumeStatus::Changed { what, verdicts } if *verdicts > 0 && !fresh => Some(format!(
            "cannot resume: {} changed since the last run; starting over\n               its {} not used",
            list(what),
            match count(*verdicts, "verdict") {
                one if *verdicts == 1 => format!("{one} is"),
                many => format!("{many} are"),
            }
        )),
        ResumeStatus::Damaged { aside, error } => Some(format!(
            "warning: the store of an earlier run is damaged ({}); moved to {}\n         starting over",
            cause(error),
            aside.escaped()
        )),
        _ => None,
    }
}

/// Returns what to say when nothing can be remembered.
fn not_remembered(error: &StoreError) -> String {
    format!(
        "warning: failed to {error}: {}\n         the search continues, but it cannot be resumed from here",
        cause(error)
    )
}

/// Returns what to say when a run showed that known verdicts are wrong now.
fn verdicts_outdated(forgotten: u64, distrusted: Distrusted) -> String {
    let (what, whose) = match distrusted {
        Distrusted::OfOthers => ("the verdicts of --known are wrong here", "known verdict"),
        Distrusted::Earlier => (
            "verdicts of earlier sessions are wrong now: something that the command depends on has changed",
            "verdict",
        ),
    };
    let verb = if forgotten == 1 { "is" } else { "are" };
    format!(
        "{what}\n  {} {verb} not used any more; starting over",
        count(forgotten, whose)
    )
}

fn list(names: &[String]) -> String {
    const SHOWN: usize = 4;
    let mut text = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN {
        text += &format!(" and {} more", names.len() - SHOWN);
    }
    text
}

fn cause(error: &StoreError) -> String {
    let source = error.source();
    source.map_or_else(|| error.to_string(), ToString::to_string)
}
