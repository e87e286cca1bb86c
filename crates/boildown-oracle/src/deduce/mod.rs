//! Reading a property off the first run.

mod generalise;
mod signs;

use crate::{ExitSpec, Expectation, Outcome, Pattern, Property, Run};
use generalise::generalise;

/// Returns the property that the run shows: how it failed, and the line of output that names the failure.
///
/// The line is found by a table of what compilers, sanitizers and language runtimes print; failing that, it is the last one. What
/// differs between two runs (addresses, numbers, directories) is generalised.
///
/// # Guarantee
/// The run has the property. `None` when it exited with 0 or timed out, for then it shows no failure.
#[must_use]
pub fn deduce(run: &Run) -> Option<Property> {
    if run.outcome == Outcome::Exited(0) {
        return None;
    }
    let exit = Expectation::Exit(ExitSpec::of(run.outcome)?);
    let line = signs::find(run).and_then(|found| {
        let pattern: Pattern = generalise(&found.text).parse().ok()?;
        // Rather no line than one that would turn the input itself down.
        pattern.matches(found.stream.of(run)).then(|| found.stream.expect(pattern))
    });
    Property::new(std::iter::once(exit).chain(line).collect())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::Verdict;

    fn failed(outcome: Outcome, stdout: &[u8], stderr: &[u8]) -> Run {
        Run { outcome, stdout: stdout.to_vec(), stderr: stderr.to_vec(), took: Duration::ZERO }
    }

    /// Deduces from a run that printed this to stderr, checks that the run has the property, and returns the flags.
    #[track_caller]
    fn flags(outcome: Outcome, stderr: &str) -> String {
        let run = failed(outcome, b"compiling...\n", stderr.as_bytes());
        let property = deduce(&run).unwrap();
        assert_eq!(property.verdict(&run), Verdict::Interesting);
        property.flags()
    }

    include!("tests.rs");
}
