//! Lines for people: a live one on a terminal, plain ones in a log.

use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use boildown_oracle::{Other, Others};
use boildown_session::{Event, Progress, Spent, Stopped};
use crossterm::{cursor, queue, style, terminal};

use super::{Ending, Isolated, Note, Report};

/// Prints to standard error.
pub(crate) struct Text {
    live: bool,
    /// What the live line ends with.
    hint: &'static str,
    pass: &'static str,
    /// When a line of progress was last shown.
    shown: Duration,
    /// The last improvement that no line has shown yet.
    unshown: Option<Progress>,
}

impl Text {
    /// How often the live line changes.
    const LIVE: Duration = Duration::from_millis(100);
    /// How often a log gets a line.
    const LOG: Duration = Duration::from_secs(1);

    /// A live line ends with the hint.
    pub(crate) fn new(hint: &'static str) -> Self {
        Self {
            live: std::io::stderr().is_terminal(),
            hint,
            pass: "",
            shown: Duration::ZERO,
            unshown: None,
        }
    }

    fn say(&mut self, text: &str) {
        self.clear();
        // Nobody is left to tell when standard error is gone.
        drop(writeln!(std::io::stderr(), "{text}"));
    }

    fn clear(&self) {
        if self.live {
            let mut terminal = std::io::stderr();
            drop(queue!(
                terminal,
                cursor::MoveToColumn(0),
                terminal::Clear(terminal::ClearType::UntilNewLine)
            ));
            drop(terminal.flush());
        }
    }

    fn show(&mut self, progress: &Progress) {
        let line = self.line(progress);
        self.shown = progress.spent.elapsed;
        self.unshown = None;
        if !self.live {
            return self.say(&line);
        }
        let width = terminal::size().map_or(80, |(columns, _)| usize::from(columns).max(20));
        let has_room = line.chars().count() + self.hint.len() < width;
        let hint = if has_room { self.hint } else { "" };
        let line: String = line.chars().chain(hint.chars()).take(width - 1).collect();
        let mut terminal = std::io::stderr();
        drop(queue!(
            terminal,
            cursor::MoveToColumn(0),
            style::Print(line),
            terminal::Clear(terminal::ClearType::UntilNewLine)
        ));
        drop(terminal.flush());
    }

    fn line(&self, progress: &Progress) -> String {
        let seconds = progress.spent.elapsed.as_secs_f64().max(0.001);
        #[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
        let rate = progress.spent.runs as f64 / seconds;
        let tokens = progress
            .tokens
            .map(|tokens| format!(", {}", count(tokens, "token")))
            .unwrap_or_default();
        let stale = match progress.since_improved.as_secs() {
            0..5 => String::new(),
            _ => format!(", nothing new for {}", clock(progress.since_improved)),
        };
        format!(
            "{}  {:.1}% gone: {}{tokens}  [{}]  {}, {rate:.0} runs/s{stale}",
            clock(progress.spent.elapsed),
            percent_gone(progress),
            count(progress.bytes, "byte"),
            self.pass,
            count(
                usize::try_from(progress.spent.questions).unwrap_or(usize::MAX),
                "question"
            ),
        )
    }
}

impl Note for Text {
    fn note(&mut self, text: &str) {
        self.say(text);
    }
}

impl Report for Text {
    fn event(&mut self, event: &Event) {
        let (progress, often) = match event {
            Event::Pass { name } => {
                self.pass = name;
                return;
            }
            Event::Improved(progress) => {
                self.unshown = Some(*progress);
                (*progress, if self.live { Self::LIVE } else { Self::LOG })
            }
            Event::Tick(progress) if self.live => (*progress, Self::LIVE),
            // A log says at once what is new, and now and then that nothing is.
            Event::Tick(progress) => (
                *progress,
                if self.unshown.is_some() {
                    Self::LOG
                } else {
                    60 * Self::LOG
                },
            ),
            _ => return,
        };
        if progress.spent.elapsed >= self.shown + often {
            self.show(&progress);
        }
    }

    fn finish(&mut self, ending: &Ending<'_>) {
        let progress = &ending.summary.progress;
        let sizes = |before: usize, after: usize, what: &str| {
            format!("{} -> {}", before, count(after, what))
        };
        let stopped = ending.summary.stopped;
        let mut text = match (ending.unchanged, stopped) {
            (false, _) => format!("{}  ", ending.output.display()),
            (true, None) => format!("{}: nothing could be removed  ", ending.input.display()),
            (true, Some(_)) => format!("{}: nothing is removed yet  ", ending.input.display()),
        };
        text += &sizes(progress.bytes_before, progress.bytes, "byte");
        if let (Some(before), Some(after)) = (ending.tokens_before, ending.tokens_after) {
            text += &format!(", {}", sizes(before, after, "token"));
        }
        text += &format!("\n{}\n", spent(&progress.spent));
        text += &match stopped {
            None if ending.summary.one_minimal => format!("1-minimal: {}", ending.units),
            None => {
                "not proved 1-minimal: a sweep that proves it was left or left out, or the text is too large for it"
                    .to_owned()
            }
            Some(Stopped::Interrupted) => {
                let how = go_on(ending);
                format!("{}\nto go on, {how}", not_proved(Stopped::Interrupted))
            }
            Some(why) => not_proved(why).to_owned(),
        };
        if let Some(afterword) = ending.trust.afterword() {
            text += &format!("\n{afterword}");
        }
        text += &others(ending.others);
        self.say(&text);
    }

    fn isolated(&mut self, ending: &Isolated<'_>) {
        let unit = match (ending.units.strip_suffix('s'), ending.changes) {
            (Some(one), 1) => one,
            _ => ending.units,
        };
        let (passing, failing) = (&ending.sides.passing, &ending.sides.failing);
        let mut text = format!(
            "{} and {} differ in {} {unit}\n{}\n",
            passing.display(),
            failing.display(),
            ending.changes,
            spent(&ending.summary.progress.spent)
        );
        text += match ending.summary.stopped {
            None if ending.changes == 1 => "the difference is a single change",
            None => {
                "1-minimal: with any single one of these changes alone, or without it, the command neither passes nor fails"
            }
            Some(why) => not_proved(why),
        };
        self.say(&text);
        let colour = std::io::stdout().is_terminal()
            && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        // A reader that went away is no mistake.
        drop(std::io::stdout().write_all(super::diff::show(ending, colour).as_bytes()));
    }
}

/// Lists what failed otherwise, when anything did.
fn others(others: &Others) -> String {
    let found: Vec<&Other> = others.iter().collect();
    let earlier = others.earlier.iter().map(|(file, _)| file);
    let files = found.iter().map(|other| &other.file).chain(earlier);
    let Some(folder) = files.clone().next().and_then(|file| file.parent()) else {
        return String::new();
    };
    let mut text = format!(
        "\n{} on other candidates, the smallest of each in {}:",
        count(files.count(), "other failure"),
        folder.display()
    );
    for other in found {
        let name = other.file.file_name().unwrap_or_default();
        text += &format!(
            "\n  {}: {} ({}, {})",
            name.display(),
            other.signature,
            count(other.bytes, "byte"),
            count(usize::try_from(other.runs).unwrap_or(usize::MAX), "run"),
        );
    }
    for (file, bytes) in &others.earlier {
        text += &format!(
            "\n  {}: found by an earlier session ({})",
            file.file_name().unwrap_or_default().display(),
            count(usize::try_from(*bytes).unwrap_or(usize::MAX), "byte"),
        );
    }
    if others.left_out > 0 {
        text += &format!("\n  {} runs failed in still other ways", others.left_out);
    }
    if let Some(problem) = &others.problem {
        text += &format!("\nwarning: not all could be written: failed to {problem}");
    }
    text
}

fn not_proved(why: Stopped) -> &'static str {
    match why {
        Stopped::Questions => "not proved 1-minimal: the budget of questions is spent",
        Stopped::Time => "not proved 1-minimal: the time is over",
        Stopped::SmallEnough => "not proved 1-minimal: as small as was asked for",
        Stopped::Interrupted => "not proved 1-minimal: interrupted",
        Stopped::Lost => {
            "not proved 1-minimal: the property did not hold each time on what came after"
        }
    }
}

fn spent(spent: &Spent) -> String {
    let number = |number| usize::try_from(number).unwrap_or(usize::MAX);
    let mut text = format!(
        "{} in {} ({}",
        count(number(spent.questions), "question"),
        clock(spent.elapsed),
        count(number(spent.runs), "run"),
    );
    if spent.recalled > 0 {
        text += &format!(", {} recalled", spent.recalled);
    }
    if spent.unresolved > 0 {
        text += &format!(", {} unresolved", spent.unresolved);
    }
    if spent.timeouts > 0 {
        text += &format!(", {} timed out", spent.timeouts);
    }
    text + ")"
}

/// Says how to continue. When nothing was remembered, that is from the result: the command names the input, so the result has to
/// be where that is.
fn go_on(ending: &Ending<'_>) -> String {
    if ending.summary.resumable {
        return "run the same command".to_owned();
    }
    let (input, output) = (ending.input.display(), ending.output.display());
    match ending.backup {
        Some(backup) => format!("move {} away and run the same command", backup.display()),
        None if ending.unchanged => "run the same command".to_owned(),
        None => format!(
            "put {output} in the place of {input} (keep the original elsewhere) and run the same command"
        ),
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
fn percent_gone(progress: &Progress) -> f64 {
    100.0 * (1.0 - progress.bytes as f64 / (progress.bytes_before as f64).max(1.0))
}

pub(crate) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

pub(crate) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{:.1}s", time.as_secs_f64()),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}
