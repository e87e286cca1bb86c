//! Runs on the input and on parts of it, with which the first run is compared: they show which
//! lines of its output do not name the failure.

use std::time::Duration;

use boildown_driver::map_at_once;
use boildown_exec::Runner;
use boildown_oracle::{Capture, Deduction, OracleError, OtherRuns, Run};

use super::reduction::PreparationSetup;
use super::sandbox::without_sandbox;
use crate::default_time_limit;

/// The duration of a first run from which on it is compared with no other ones: they would take
/// longer than the question is worth, which the user can answer.
const TOO_SLOW: Duration = Duration::from_secs(10);

impl PreparationSetup<'_> {
    /// Runs the command once more on the input, outside the sandbox, which shows what varies from
    /// run to run. If several lines of the first run may name its failure, also on the empty input,
    /// and on both halves of it. A run that fails to start shows nothing.
    pub(super) fn compare(
        &self,
        runner: &Runner,
        input: &[u8],
        first: &Run,
    ) -> Result<OtherRuns, OracleError> {
        let mut others = OtherRuns::default();
        let shown = Deduction::of_run(first);
        let Some(shown) = shown.filter(|_| self.stated.is_none() && first.took <= TOO_SLOW) else {
            return Ok(others);
        };
        let runner = without_sandbox(runner).with_timeout(default_time_limit(first.took));
        let (start, end) = halves(input);
        let run = |candidate: &&[u8]| runner.run(candidate, Capture::Output, self.interrupt);
        let all = [input, b"", start, end];
        let candidates = if shown.is_unsure() {
            &all[..]
        } else {
            &all[..1]
        };
        let runs: Vec<_> = match self.jobs {
            1 => candidates.iter().map(run).collect(),
            _ => map_at_once(candidates, run),
        };
        for (number, run) in runs.into_iter().enumerate() {
            match run {
                Err(OracleError::Interrupted) => return Err(OracleError::Interrupted),
                Ok(run) if !run.outcome.is_cut_short() => match number {
                    0 => others.repeated.push(run),
                    1 => others.without_failure.push(run),
                    _ => others.on_parts.push(run),
                },
                _ => {}
            }
        }
        Ok(others)
    }
}

/// Returns the first and the second half of the lines of a text; of one line, of its bytes.
fn halves(input: &[u8]) -> (&[u8], &[u8]) {
    let middle = input.len() / 2;
    let line_end = input[middle..].iter().position(|byte| *byte == b'\n');
    let middle = match line_end.map(|length| middle + length + 1) {
        Some(end) if end < input.len() => end,
        _ => (input[..middle].iter().rposition(|byte| *byte == b'\n'))
            .map_or(middle, |line_break| line_break + 1),
    };
    input.split_at(middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_end_at_line_breaks() {
        assert_eq!(halves(b"a\nbc\nd\ne\n"), (&b"a\nbc\n"[..], &b"d\ne\n"[..]));
        assert_eq!(halves(b"a\nbcdefgh\n"), (&b"a\n"[..], &b"bcdefgh\n"[..]));
        assert_eq!(halves(b"abcd"), (&b"ab"[..], &b"cd"[..]));
        assert_eq!(halves(b""), (&b""[..], &b""[..]));
    }
}
