//! Delta debugging on sets of changes, in its first published forms.

mod dd;
mod simple_dd;

pub use dd::Dd;
pub use simple_dd::SimpleDd;
