//! Minimisation of lists whose elements require each other, as a library.
//!
//! A use requires its definition, a method the types that it names. A set is *closed* if every
//! element in it has everything that it requires. A set that is not closed usually does not
//! compile, so it is not worth a query.
//!
//! [`Requirements`] says which element requires which, and [`BinaryReduction`] finds the required
//! closures one by one, by bisection. Other searches over closed sets, such as CHISEL, are in the
//! crate `boildown-literature`.
//!
//! Requirements are hints: the oracle may find a set interesting that is not closed, and a search
//! may start from such a set. Therefore only the requirements among the elements of the start
//! count. A requirement for an element that is already deleted is void, since the start is
//! interesting without it.
//!
//! These searches are not chosen by name, because they need the requirements. Each is a
//! [`ListAlgorithm`](crate::list::ListAlgorithm) as a closure: `move |list|
//! BinaryReduction::on(list, requirements.clone())`.
//!
//! # Example
//! ```
//! use boildown_search::graph::{BinaryReduction, Requirements};
//! use boildown_search::list::{List, ListAlgorithm as _};
//! use boildown_search::{Search as _, Verdict, run};
//!
//! // 0: `type A`, 1: `type B`, 2: `fn f(A)`, 3: `fn g(B)`, 4: `f()`.
//! let requirements = Requirements::new(5, [(2, 0), (3, 1), (4, 2)]);
//! let algorithm = move |list| BinaryReduction::on(list, requirements.clone());
//! let search = run(algorithm.on(List::uniform(5)), |kept| match kept.contains(4) {
//!     true => Verdict::Interesting,
//!     false => Verdict::Uninteresting,
//! });
//! assert_eq!(search.best().iter().collect::<Vec<_>>(), [0, 2, 4]);
//! ```

mod binary;
mod components;
mod requirements;

pub use binary::BinaryReduction;
pub use requirements::Requirements;
