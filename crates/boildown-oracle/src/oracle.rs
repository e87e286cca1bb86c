//! The `Oracle` trait: decides whether a candidate is interesting.

use std::fmt;

use crate::{Interrupt, OracleError, Run, Verdict};

/// Decides whether a candidate is interesting.
///
/// Implemented by commands run on this machine, by remote services and by closures. The candidate
/// is the bytes of a file by default; another type can be named, such as a set of changes from
/// which the oracle writes files.
///
/// An oracle is called from many threads at once. It must return the same verdict for the same
/// candidate; the session detects when it does not.
pub trait Oracle<C: ?Sized = [u8]>: Send + Sync {
    /// Judges one candidate. Blocks until the verdict is known or `interrupt` is triggered.
    ///
    /// # Errors
    /// [`OracleError::Interrupted`] when `interrupt` was triggered. Any other error means that the
    /// candidate could not be tested, and ends the session. A candidate on which the command fails
    /// gets a verdict, never an error.
    fn judge(&self, candidate: &C, interrupt: &Interrupt) -> Result<Answer, OracleError>;
}

impl<C: ?Sized, O: Oracle<C> + ?Sized> Oracle<C> for &O {
    fn judge(&self, candidate: &C, interrupt: &Interrupt) -> Result<Answer, OracleError> {
        (**self).judge(candidate, interrupt)
    }
}

/// A verdict, and the run that it was derived from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// The run, when a command was run.
    pub run: Option<Run>,
}

/// An oracle made of a closure from a candidate to a verdict.
pub struct FnOracle<F>(F);

impl<F> FnOracle<F> {
    /// Returns an oracle that answers with the verdict of the closure.
    pub fn new(closure: F) -> Self {
        Self(closure)
    }
}

impl<F> fmt::Debug for FnOracle<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FnOracle")
    }
}

impl<C: ?Sized, F: Fn(&C) -> Verdict + Send + Sync> Oracle<C> for FnOracle<F> {
    fn judge(&self, candidate: &C, interrupt: &Interrupt) -> Result<Answer, OracleError> {
        if interrupt.is_triggered() {
            return Err(OracleError::Interrupted);
        }
        Ok(Answer {
            verdict: (self.0)(candidate),
            run: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closure_is_an_oracle_until_it_is_interrupted() {
        let long_enough = |bytes: &[u8]| {
            if bytes.len() > 2 {
                Verdict::Interesting
            } else {
                Verdict::Unresolved
            }
        };
        let oracle: Box<dyn Oracle> = Box::new(FnOracle::new(long_enough));
        let interrupt = Interrupt::new().unwrap();
        assert_eq!(
            oracle.judge(b"abc", &interrupt).unwrap(),
            Answer {
                verdict: Verdict::Interesting,
                run: None
            }
        );
        assert_eq!(
            oracle.judge(b"ab", &interrupt).unwrap().verdict,
            Verdict::Unresolved
        );
        interrupt.trigger();
        assert!(matches!(
            oracle.judge(b"abc", &interrupt),
            Err(OracleError::Interrupted)
        ));
    }
}
