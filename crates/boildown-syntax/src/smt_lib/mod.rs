//! Scripts of SMT-LIB: terms, their sorts, and what can take their places.
//!
//! - `terms.rs`: commands and terms as nested lists
//! - `sorts.rs`: sorts, and what operations take and give
//! - `datatypes.rs`: declarations of sorts and datatypes, and cases by constructors
//! - `form.rs`: what is declared, and whether each term has the sort that its place asks for
//! - `uses.rs`: terms and uses of symbols, with their places
//! - `values.rs`: replacements of terms and constants by values of their sorts
//! - `bindings.rs`: values in the place of names that are bound
//! - `implied.rs`: values that need not be tried
//! - `literals.rs`: values of operations on literals, and narrower bit vectors
//! - `names.rs`: shorter names
//! - `raised.rs`: constants in the place of the terms around them

mod bindings;
mod datatypes;
mod form;
mod implied;
mod literals;
mod names;
mod raised;
mod sorts;
mod terms;
#[cfg(test)]
mod tests;
mod uses;
mod values;

pub(crate) use form::ScriptForm;
pub(crate) use values::{SortedChangeKind, changes_by_sort};
