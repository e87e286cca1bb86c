//! Preparation of a session: deduces the property, loosens the sandbox, checks the baseline, and
//! looks for earlier sessions.
//!
//! [`PreparationSetup`] prepares a reduction or an isolation; [`lock_result`] and
//! [`EarlierSessions`] are for all kinds of sessions. What is found is reported as
//! [`PrepareEvent`]s, and what prevents a session is returned as an error.

mod choice;
mod comparison;
mod earlier;
mod error;
mod event;
mod flakiness;
mod isolation;
mod left_behind;
mod place;
mod reduction;
mod sandbox;

pub use choice::{KeptFrames, PropertyChoice};
pub use earlier::{EarlierSessions, OTHER_FAILURES, SessionStore, lock_result};
pub use error::PreparationError;
pub use event::{Loosening, MoveReason, PrepareEvent};
pub use flakiness::Flakiness;
pub use isolation::{GoodAndBad, PreparedIsolation};
pub use place::{PlaceError, PlacedReduction};
pub use reduction::{PreparationSetup, PreparedReduction};
pub use sandbox::{create_sandbox, create_sandbox_with_temporary_files, loosen_sandbox};
