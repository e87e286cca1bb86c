//! The registry of algorithms: names as they are typed, and descriptions.
//!
//! Each algorithm owns its name, parameters, guarantee, cost and source, in the file of its search.
//! A registry, [`Algorithms`], lists those that a program has; names such as
//! `halving:direction=forwards` are parsed by it. [`Algorithm`] and [`Schedule`] are what has been
//! chosen: the rest of a program needs nothing else.
//!
//! # Adding a list algorithm
//! Implement [`Registered`] for its search, in any crate, and add a set with its line to the
//! registry of the program:
//!
//! ```
//! use boildown_search::algorithms::{
//!     AlgorithmSet, Algorithms, Entry, Family, ListEntry, Registered,
//! };
//! use boildown_search::list::{List, ListAlgorithm as _, Sweep};
//! use boildown_search::{ListSearch, Query, Search, Subset, Verdict, run};
//!
//! /// Single elements, the last ones first, once.
//! #[derive(Debug, Clone)]
//! struct Once(Subset, usize);
//!
//! impl Search for Once {
//!     type Candidate = Subset;
//!
//!     fn ask(&self) -> Option<Query<Subset>> {
//!         let element = self.0.iter().take_while(|&element| element < self.1).last()?;
//!         let candidate = self.0.without([element..element + 1]);
//!         Some(Query { candidate, odds: 0.5 })
//!     }
//!
//!     fn tell(&mut self, verdict: Verdict) {
//!         let Some(query) = self.ask() else { return };
//!         self.skip();
//!         if verdict == Verdict::Interesting {
//!             self.0 = query.candidate;
//!         }
//!     }
//!
//!     fn skip(&mut self) {
//!         let asked = self.0.iter().take_while(|&element| element < self.1).last();
//!         self.1 = asked.unwrap_or(0);
//!     }
//!
//!     fn best(&self) -> Subset {
//!         self.0.clone()
//!     }
//! }
//!
//! impl ListSearch for Once {
//!     fn restart(&mut self, best: Subset) {
//!         (self.1, self.0) = (best.universe(), best);
//!     }
//! }
//!
//! impl Registered for Once {
//!     type Options = ();
//!     const ENTRY: Entry = Entry {
//!         name: "once",
//!         family: Family::List,
//!         parameters: "",
//!         guarantee: "an interesting result",
//!         cost: "n",
//!         source: "this page",
//!     };
//!
//!     fn start(list: List, (): ()) -> Self {
//!         Self(list.kept.clone(), list.kept.universe())
//!     }
//! }
//!
//! const OURS: AlgorithmSet = AlgorithmSet {
//!     lists: &[ListEntry::of::<Once>()],
//!     ..AlgorithmSet::NONE
//! };
//! let algorithm = Algorithms::default().with(OURS).parse_list("once")?;
//! let search = run(algorithm.on(List::uniform(100)), |kept| {
//!     match kept.contains(7) && kept.contains(42) {
//!         true => Verdict::Interesting,
//!         false => Verdict::Uninteresting,
//!     }
//! });
//! assert_eq!(search.best().iter().collect::<Vec<_>>(), [7, 42]);
//! # Ok::<(), String>(())
//! ```

mod catalogue;
mod entry;
mod list;
mod names;
mod tree;

pub use catalogue::{AlgorithmSet, Algorithms, CORE};
pub use entry::{Entry, Family, Options, Registered, Repeated};
pub use list::{Algorithm, ChosenAlgorithm, ListEntry};
pub use names::{ParsedName, non_default, non_default_seed};
pub use tree::{Schedule, ScheduleEntry, TreeSchedule};
