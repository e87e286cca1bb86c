//! Something that the user waits for, shown while nothing else is printed.

use std::time::{Duration, Instant};

/// Work whose end is not known.
pub(crate) struct Activity {
    what: String,
    /// Advice for when it takes long; may be empty.
    advice: String,
    pub(crate) since: Instant,
    /// Time after which a log gets its first line.
    said_after: Duration,
    /// Number of lines printed about it to a log.
    printed: u32,
}

/// Time after which it is shown on a terminal.
const SHOWN_AFTER: Duration = Duration::from_millis(500);

/// Time after which it takes long: the advice is shown, and a log gets a line, if not earlier.
const LONG: Duration = Duration::from_secs(10);

impl Activity {
    pub(crate) fn new(what: String, advice: String, since: Instant) -> Self {
        Self {
            what,
            advice,
            since,
            said_after: LONG,
            printed: 0,
        }
    }

    /// Lets a log have its first line after this time.
    pub(crate) fn said_after(self, said_after: Duration) -> Self {
        Self { said_after, ..self }
    }

    /// Returns the live line after this time.
    pub(crate) fn live_line(&self, elapsed: Duration) -> Option<String> {
        (elapsed >= SHOWN_AFTER).then(|| self.line(elapsed))
    }

    /// Returns a line for a log, if one is due: after ten seconds or earlier, after a minute, and
    /// whenever the time has doubled since.
    pub(crate) fn log_line(&mut self, elapsed: Duration) -> Option<String> {
        let due = match self.printed {
            0 => self.said_after,
            more => Duration::from_secs(60) * 2_u32.saturating_pow(more - 1),
        };
        if elapsed < due {
            return None;
        }
        self.printed += 1;
        Some(self.line(elapsed))
    }

    fn line(&self, elapsed: Duration) -> String {
        let seconds = elapsed.as_secs();
        let clock = match seconds {
            0..60 => format!("{seconds}s"),
            _ => format!("{}m{:02}s", seconds / 60, seconds % 60),
        };
        let advice = match elapsed >= LONG && !self.advice.is_empty() {
            true => format!(" ({})", self.advice),
            false => String::new(),
        };
        format!("{} … {clock}{advice}", self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn activity() -> Activity {
        Activity::new("running".to_owned(), "wait".to_owned(), Instant::now())
    }

    #[test]
    fn a_terminal_shows_the_time_and_advice_after_ten_seconds() {
        let line = |millis| activity().live_line(Duration::from_millis(millis));
        assert_eq!(line(400), None);
        assert_eq!(line(1200).unwrap(), "running … 1s");
        assert_eq!(line(10_000).unwrap(), "running … 10s (wait)");
        assert_eq!(line(75_000).unwrap(), "running … 1m15s (wait)");
    }

    #[test]
    fn a_log_gets_ever_fewer_lines() {
        let seconds = |mut activity: Activity| {
            let seconds = (1..1000).filter(|&seconds| {
                let line = activity.log_line(Duration::from_secs(seconds));
                line.is_some()
            });
            seconds.collect::<Vec<_>>()
        };
        assert_eq!(seconds(activity()), [10, 60, 120, 240, 480, 960]);
        let early = activity().said_after(Duration::from_secs(3));
        assert_eq!(seconds(early), [3, 60, 120, 240, 480, 960]);
    }
}
