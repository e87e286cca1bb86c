//! Reading off a run what failed: a property of the first run, a signature of any.

mod generalise;
mod place;
mod signature;
mod signs;

use crate::{ExitSpec, Expectation, Outcome, Pattern, Property, Run};
use generalise::generalise;
pub use signature::Signature;

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
        let pattern: Pattern = generalise(&found).parse().ok()?;
        // Rather no line than one that would turn the input itself down.
        pattern
            .matches(found.stream.of(run))
            .then(|| found.stream.expect(pattern))
    });
    Property::new(std::iter::once(exit).chain(line).collect())
}

#[cfg(test)]
mod tests;
