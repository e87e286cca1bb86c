//! The end of a culprit search.

use std::path::Path;

use boildown_session::changes::{CulpritReport, SearchTarget};
/// The result of a culprit search.
pub(crate) struct CulpritSearchReport<'a> {
    pub(crate) found: &'a CulpritReport,
    pub(crate) target: SearchTarget,
    /// The first state, as the user named it.
    pub(crate) good: &'a str,
    /// The second state, as the user named it.
    pub(crate) bad: &'a str,
    pub(crate) command: &'a str,
    pub(crate) output: &'a Path,
    pub(crate) patch: &'a [u8],
    /// The patches of the other causes.
    pub(crate) other_patches: &'a [Vec<u8>],
    /// Whether the culprit alone shows the failure of the bad state; `None` when the bad state
    /// shows no failure to compare with.
    pub(crate) same_failure: Option<bool>,
}
