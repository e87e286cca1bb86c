//! The page about a triage: the groups of failing inputs, and an example of each.
//!
//! - `model.rs`: the record
//! - `page.rs`: the page

mod model;
mod page;

pub use model::{TriageRecord, TriagedExampleRecord, TriagedGroupRecord, TriagedInputRecord};
pub use page::triage_page;
