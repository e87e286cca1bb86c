//! The search for changes as lines for people.

use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use boildown_changes::Layer;
use boildown_oracle::Verdict;
use boildown_session::changes::{ChangesEvent, Found, Goal, Reason, Tally, Trial};
use crossterm::{cursor, queue, style, terminal};

use super::{Answer, Show};
use crate::report::{Note, clock, count};

/// Prints to standard error.
pub(super) struct Text {
    goal: Goal,
    live: bool,
    shown: Duration,
}

/// How often the live line changes.
const LIVE: Duration = Duration::from_millis(100);
/// How often a log is told that time passes.
const LOG: Duration = Duration::from_secs(60);

impl Text {
    pub(super) fn new(goal: Goal) -> Self {
        Self {
            goal,
            live: std::io::stderr().is_terminal(),
            shown: Duration::ZERO,
        }
    }

    fn say(&self, text: &str) {
        let mut out = std::io::stderr();
        if self.live {
            drop(queue!(
                out,
                cursor::MoveToColumn(0),
                terminal::Clear(terminal::ClearType::UntilNewLine)
            ));
        }
        // Nobody is left to tell when standard error is gone.
        drop(writeln!(out, "{text}"));
    }

    fn progress(&mut self, tally: &Tally) {
        if tally.elapsed < self.shown + if self.live { LIVE } else { LOG } {
            return;
        }
        self.shown = tally.elapsed;
        let line = format!("{}  {}", clock(tally.elapsed), spent(tally));
        if !self.live {
            return self.say(&line);
        }
        let mut out = std::io::stderr();
        drop(queue!(
            out,
            cursor::MoveToColumn(0),
            style::Print(line),
            terminal::Clear(terminal::ClearType::UntilNewLine)
        ));
        drop(out.flush());
    }
}

/// `12 questions, 3 unresolved`
pub(super) fn spent(tally: &Tally) -> String {
    let mut text = count(
        usize::try_from(tally.questions).unwrap_or(usize::MAX),
        "question",
    );
    if tally.all_unresolved() > 0 {
        text += &format!(", {} unresolved", tally.all_unresolved());
    }
    text
}

/// `3 did not build, 1 timed out`
pub(super) fn reasons(tally: &Tally) -> String {
    let each: Vec<String> = (tally.unresolved.iter())
        .map(|(reason, number)| format!("{number} {}", reason.words()))
        .collect();
    each.join(", ")
}

/// `2 hunks in 1 file`
pub(super) fn size(found: &Found) -> String {
    let of = |wanted: Layer| {
        let found = found.counts.iter().find(|(layer, _)| *layer == wanted);
        let number = found.map_or(0, |(_, number)| *number);
        format!("{number} {}", wanted.name(number))
    };
    let stat = found.stat;
    format!(
        "{} in {}, +{} -{}",
        of(Layer::Hunks),
        of(Layer::Files),
        stat.added,
        stat.deleted
    )
}

/// Everything that was found, as sentences.
pub(super) fn sentences(answer: &Answer<'_>) -> Vec<String> {
    let found = answer.found;
    let mut all = Vec::new();
    let (breaks, does, without, on) = match answer.goal {
        Goal::Culprit => ("breaks it", "break it", "works", "good"),
        Goal::Fix => ("fixes it", "fix it", "is broken", "broken"),
    };
    let base = match found.base_is_good {
        true => format!("{}, the {on} state", found.base),
        false => found.base.clone(),
    };
    all.push(match found.confirmed.verdict {
        _ if found.confirmed.reason == Some(Reason::Interrupted) => {
            format!("applied to {base}, it {breaks}; interrupted before it was run in a fresh tree")
        }
        Verdict::Interesting => {
            format!("applied to {base}, it alone {breaks}: seen again in a fresh tree")
        }
        _ => format!(
            "but in a fresh tree, applied to {base}, it does not {does}{}: what earlier runs left behind matters, so trust it with care",
            because(found.confirmed)
        ),
    });
    if let Some(trial) = found.on_good {
        all.push(match trial.verdict {
            Verdict::Uninteresting => format!("on {} it does not {does}", answer.good),
            _ => format!("on {} nobody can tell{}", answer.good, because(trial)),
        });
    }
    all.push(match found.repair.verdict {
        Verdict::Uninteresting => {
            format!(
                "{} {without} without it: reversed, it applies there",
                answer.bad
            )
        }
        Verdict::Interesting => format!(
            "taking it back on {} changes nothing there: something else {breaks} as well",
            answer.bad
        ),
        Verdict::Unresolved => format!(
            "whether {} {without} without it cannot be told{}",
            answer.bad,
            because(found.repair)
        ),
    });
    let harmless: Vec<&str> = (found.parts.iter())
        .filter(|part| part.without == Verdict::Uninteresting)
        .map(|part| part.place.as_str())
        .collect();
    if found.parts.len() > 1 && harmless.len() == found.parts.len() {
        all.push(format!(
            "they interfere: {} only {does} together",
            harmless.join(" and ")
        ));
    } else {
        for part in &found.parts {
            all.push(match part.without {
                Verdict::Uninteresting => {
                    format!("without {} it {}", part.place, passes(answer.goal))
                }
                Verdict::Unresolved => {
                    format!(
                        "without {} the rest cannot be judged: the others need it",
                        part.place
                    )
                }
                Verdict::Interesting => format!("without {} it {breaks} too", part.place),
            });
        }
    }
    if answer.same_failure == Some(false) {
        all.push(format!(
            "it fails in another way than {}: if that is not what you look for, say what is bad with --stderr or --exit",
            answer.bad
        ));
    }
    if found.restored > 0 {
        all.push(format!(
            "the command changes files of the tree that it is run in; they were put back {}",
            count(
                usize::try_from(found.restored).unwrap_or(usize::MAX),
                "time"
            )
        ));
    }
    all
}

fn passes(goal: Goal) -> &'static str {
    match goal {
        Goal::Culprit => "works",
        Goal::Fix => "is broken",
    }
}

fn because(trial: Trial) -> String {
    trial
        .reason
        .map(|reason| format!(" ({})", reason.words()))
        .unwrap_or_default()
}

impl Note for Text {
    fn note(&mut self, text: &str) {
        self.say(text);
    }
}

impl Show for Text {
    fn event(&mut self, event: &ChangesEvent) {
        match event {
            ChangesEvent::Baseline { good, run } => {
                let (first, second) = match self.goal {
                    Goal::Culprit => ("good", "bad"),
                    Goal::Fix => ("broken", "fixed"),
                };
                let which = if *good { first } else { second };
                self.say(&format!("{which}: {}", run.outcome));
            }
            ChangesEvent::History { steps } => {
                self.say(&format!("history: {}", count(*steps, "step")));
            }
            ChangesEvent::Narrowed {
                passing,
                failing,
                commits,
                tally,
            } => {
                if commits.is_empty() {
                    return;
                }
                self.say(&format!(
                    "between {passing} and {failing} ({})",
                    spent(tally)
                ));
            }
            ChangesEvent::Level {
                layer,
                before,
                left,
                tally,
                ..
            } => self.say(&format!(
                "{}: {before} -> {left} ({})",
                layer.name(2),
                spent(tally)
            )),
            ChangesEvent::Older { passing, failing } => self.say(&format!(
                "it takes something older too, between {passing} and {failing}"
            )),
            ChangesEvent::Progress(tally) => self.progress(tally),
            _ => {}
        }
    }

    fn finish(&mut self, answer: &Answer<'_>) {
        let found = answer.found;
        let mut text = format!("{}  {}\n", answer.output.display(), size(found));
        for commit in &found.commits {
            let undone = if found.undone { "undoes" } else { "from" };
            text += &format!(
                "  {undone} {} {} {}: {}\n",
                commit.short(),
                commit.date,
                commit.author,
                commit.title
            );
        }
        for sentence in sentences(answer) {
            text += &format!("  {sentence}\n");
        }
        let tally = &found.tally;
        text += &format!(
            "{} in {} ({}",
            spent(tally),
            clock(tally.elapsed),
            count(usize::try_from(tally.runs).unwrap_or(usize::MAX), "run")
        );
        if tally.recalled > 0 {
            text += &format!(", {} recalled", tally.recalled);
        }
        text += ")";
        if !tally.unresolved.is_empty() {
            text += &format!("\nunresolved: {}", reasons(tally));
        }
        text += match found.stopped {
            None => "\n1-minimal: no single line, hunk or file of it can be left out",
            Some(_) => "\nstopped early: it may hold changes that have nothing to do with it",
        };
        self.say(&text);
    }
}
