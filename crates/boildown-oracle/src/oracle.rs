//! Whoever decides whether a candidate is interesting.

use std::fmt;

use crate::{Cancel, OracleError, Run, Verdict};

/// Decides whether a candidate has the property. Implemented by commands run here, by remote services and by closures.
///
/// A candidate is a text, unless something else is named: a set of changes, for one who makes files of it.
/// Called from many threads at once. Must give the same verdict for the same candidate; the session finds out when it does not.
pub trait Oracle<C: ?Sized = [u8]>: Send + Sync {
    /// Judges one candidate, blocking until the verdict is there or `cancel` is cancelled.
    ///
    /// # Errors
    /// [`OracleError::Cancelled`] when it was cancelled; any other error means that nobody could be asked, and ends the
    /// session. A candidate that merely fails is a verdict, never an error.
    fn judge(&self, candidate: &C, cancel: &Cancel) -> Result<Answer, OracleError>;
}

impl<C: ?Sized, O: Oracle<C> + ?Sized> Oracle<C> for &O {
    fn judge(&self, candidate: &C, cancel: &Cancel) -> Result<Answer, OracleError> {
        (**self).judge(candidate, cancel)
    }
}

/// A verdict, and the run it was read off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What it means to the search.
    pub verdict: Verdict,
    /// What happened, when a command was run.
    pub run: Option<Run>,
}

/// An oracle made of a closure from a candidate to a verdict.
pub struct FnOracle<F>(F);

impl<F> FnOracle<F> {
    /// Returns an oracle that answers what the closure returns.
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
    fn judge(&self, candidate: &C, cancel: &Cancel) -> Result<Answer, OracleError> {
        if cancel.is_cancelled() {
            return Err(OracleError::Cancelled);
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
    fn a_closure_is_an_oracle_until_it_is_cancelled() {
        let long_enough = |bytes: &[u8]| {
            if bytes.len() > 2 {
                Verdict::Interesting
            } else {
                Verdict::Unresolved
            }
        };
        let oracle: Box<dyn Oracle> = Box::new(FnOracle::new(long_enough));
        let cancel = Cancel::new().unwrap();
        assert_eq!(
            oracle.judge(b"abc", &cancel).unwrap(),
            Answer {
                verdict: Verdict::Interesting,
                run: None
            }
        );
        assert_eq!(
            oracle.judge(b"ab", &cancel).unwrap().verdict,
            Verdict::Unresolved
        );
        cancel.cancel();
        assert!(matches!(
            oracle.judge(b"abc", &cancel),
            Err(OracleError::Cancelled)
        ));
    }
}
