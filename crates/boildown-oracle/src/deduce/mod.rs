//! Reads what failed from the output of a run: a property of the first run, a signature of any run.

mod failure_line;
mod generalise;
mod signature;
mod stack_frame;

use crate::{ExitSpec, Expectation, Outcome, Pattern, Property, Run};
use generalise::generalise;
pub use signature::Signature;

/// Returns the property that the run shows: its exit status, and the line of output that names the
/// failure.
///
/// A table of messages of compilers, sanitizers and language runtimes finds the line. If none of
/// them was printed, the last line is taken. The parts of the line that differ between runs
/// (addresses, numbers, directories) are generalised.
///
/// # Guarantee
/// The run has the property. `None` when it exited with 0, timed out or exceeded a limit, because
/// it shows no failure then.
#[must_use]
pub fn deduce(run: &Run) -> Option<Property> {
    if run.outcome == Outcome::Exited(0) {
        return None;
    }
    let exit = Expectation::Exit(ExitSpec::of_outcome(run.outcome)?);
    let output = failure_line::find_or_last(run).and_then(|line| {
        let pattern: Pattern = generalise(&line).parse().ok()?;
        // Without this check, an expectation could reject the input itself.
        pattern
            .matches(line.stream.of_run(run))
            .then(|| line.stream.expectation(pattern))
    });
    Property::new(std::iter::once(exit).chain(output).collect())
}

#[cfg(test)]
mod tests;
