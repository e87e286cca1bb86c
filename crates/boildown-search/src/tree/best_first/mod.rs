//! The best-first search over a tree, which reductions run by default.
//!
//! | file | holds |
//! |---|---|
//! | `search` | the search: its state, its start, the `Search` trait |
//! | `tasks` | what a task is, its key in the heap, its state |
//! | `heap` | adding tasks, taking the first one |
//! | `priority` | which task comes first: by weight, or by expected gain |
//! | `expected_gain` | tokens removed times odds, with learned hit rates |
//! | `next_query` | the next query of the first task, and the record of its answer |
//! | `survivors` | tasks for nodes that could not be deleted |
//! | `replacements` | descendants that can replace a node |
//! | `chains` | nested nodes reduced as a list of levels |

mod chains;
mod expected_gain;
mod heap;
mod next_query;
mod priority;
mod replacements;
mod search;
mod survivors;
mod tasks;

pub use expected_gain::LearnedRates;
pub use search::TreeSearch;
