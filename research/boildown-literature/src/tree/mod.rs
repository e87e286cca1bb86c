//! Tree algorithms of the literature: HDD and its variants, Perses, PARDIS.

mod edits;
mod hdd;
mod hddr;
mod hoist;
mod node_list;
mod node_list_search;
mod node_weights;
mod pardis;
mod perses;
mod schedule;
mod tree_index;
mod tree_list;
mod tree_probdd;

pub use hdd::{Hdd, LastNode};
pub use hddr::{Append, Hddr, HddrOrder, Pop};
pub use hoist::HoistingHdd;
pub use node_list::Nodes;
pub use node_weights::NodeWeights;
pub use pardis::{Pardis, Siblings};
pub use perses::Perses;
pub use schedule::KnownSchedule;
pub use tree_list::{TreeList, TreeLists};
pub use tree_probdd::TreeProbDd;
