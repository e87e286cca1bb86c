//! The program with one more list algorithm: `--algorithm square-roots` in `reduce` and in `lab`.
//!
//! ```text
//! cargo run --release --features lab --example own_algorithm -- \
//!     lab compare --algorithm ddmin --algorithm square-roots
//! ```

use std::ops::Range;
use std::process::ExitCode;

use boildown_search::algorithms::{AlgorithmSet, Entry, Family, ListEntry, Registered};
use boildown_search::list::List;
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

/// Deletes runs of √n elements, from the back; of the runs that stay, single elements.
#[derive(Debug, Clone)]
struct SquareRoots {
    kept: Subset,
    /// What is not tried yet, the next one last.
    open: Vec<Range<usize>>,
}

impl SquareRoots {
    fn new(kept: Subset) -> Self {
        let length = kept.universe().isqrt().max(1);
        let starts = (0..kept.universe()).step_by(length);
        let open = starts.map(|start| start..(start + length).min(kept.universe()));
        let open = open.filter(|run| kept.any_in(run.clone())).collect();
        Self { kept, open }
    }

    /// Takes the query away, and returns it.
    fn take(&mut self) -> Option<Range<usize>> {
        let asked = self.open.pop()?;
        while (self.open.last()).is_some_and(|run| !self.kept.any_in(run.clone())) {
            self.open.pop();
        }
        Some(asked)
    }
}

impl Search for SquareRoots {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        let candidate = self.kept.without([self.open.last()?.clone()]);
        Some(Query {
            candidate,
            odds: 0.3,
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        let Some(asked) = self.take() else { return };
        match verdict {
            Verdict::Interesting => self.kept = self.kept.without([asked]),
            _ if asked.len() > 1 => {
                let kept = &self.kept;
                let singles = asked.filter(|&element| kept.contains(element));
                self.open
                    .extend(singles.map(|element| element..element + 1));
            }
            _ => {}
        }
    }

    fn skip(&mut self) {
        self.take();
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl ListSearch for SquareRoots {
    fn restart(&mut self, best: Subset) {
        *self = Self::new(best);
    }
}

impl Registered for SquareRoots {
    type Options = ();
    const ENTRY: Entry = Entry {
        name: "square-roots",
        family: Family::List,
        parameters: "",
        guarantee: "minimal if monotone and unambiguous",
        cost: "√n, and √n for each run that stays",
        source: "an example",
    };

    fn start(list: List, (): ()) -> Self {
        Self::new(list.kept)
    }
}

const OWN: AlgorithmSet = AlgorithmSet {
    lists: &[ListEntry::of::<SquareRoots>()],
    ..AlgorithmSet::NONE
};

fn main() -> ExitCode {
    boildown::run_with(OWN)
}
