//! From candidates of many kinds to the texts that most oracles judge.

use boildown_oracle::{Answer, Cancel, Oracle, OracleError};

/// Judges candidates by their texts.
pub(crate) struct OfTexts<'a>(pub(crate) &'a dyn Oracle);

impl<C: AsRef<[u8]>> Oracle<C> for OfTexts<'_> {
    fn judge(&self, candidate: &C, cancel: &Cancel) -> Result<Answer, OracleError> {
        self.0.judge(candidate.as_ref(), cancel)
    }
}
