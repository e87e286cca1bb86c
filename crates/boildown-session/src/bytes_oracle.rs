//! Adapter from oracles over bytes to oracles over candidates.

use boildown_oracle::{Answer, Interrupt, Oracle, OracleError};

/// Judges a candidate of any kind by its bytes.
pub(crate) struct BytesOracle<'a>(pub(crate) &'a dyn Oracle);

impl<C: AsRef<[u8]>> Oracle<C> for BytesOracle<'_> {
    fn judge(&self, candidate: &C, interrupt: &Interrupt) -> Result<Answer, OracleError> {
        self.0.judge(candidate.as_ref(), interrupt)
    }
}
