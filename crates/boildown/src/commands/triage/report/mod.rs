//! The report of a triage: as a table, a page, JSON, as SARIF and as annotations.

mod content;
mod github;
mod page;
mod reporter;
mod sarif;
mod summary;
mod table;

pub(super) use self::content::{Report, ShownCommand, exit_kind};
pub(super) use self::page::page;
pub(super) use self::reporter::reporter;
pub(super) use self::summary::summary;
