//! Asks about each configuration once, and answers repeats from memory.

use rpds::RedBlackTreeMapSync;

use crate::odds::HitRate;
use crate::{Fingerprint, Fingerprinted as _, Question, Subset, Verdict};

/// A procedure on configurations, written as if every question cost nothing: it may want the same one again.
pub(super) trait Procedure: Clone {
    /// What it wants to know next; `None` when it is finished.
    fn wish(&self) -> Option<Wish>;

    /// Hears the answer to `wish`.
    fn hear(&mut self, verdict: Verdict);
}

/// A configuration that a procedure wants a verdict on.
#[derive(Debug, Clone)]
pub(super) struct Wish {
    pub(super) candidate: Subset,
    pub(super) kind: Kind,
}

/// The kinds of questions whose hit rates differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A part, with what stays applied.
    Part,
    /// Everything but a part.
    Complement,
}

/// A procedure with a memory: what all machines of the dd family share.
#[derive(Debug, Clone)]
pub(super) struct Recall<P> {
    procedure: P,
    /// Every answer so far; what was skipped counts as `Unresolved`.
    known: RedBlackTreeMapSync<Fingerprint, Verdict>,
    /// The question that is open. Invariant: not in `known`; `None` only when the procedure is finished.
    open: Option<(Fingerprint, Wish)>,
    best: Subset,
    /// The size of `best`.
    size: usize,
    /// Of parts, and of complements.
    rates: [HitRate; 2],
}

impl<P: Procedure> Recall<P> {
    /// Starts from a configuration known to fail, with a guess of how often parts and complements do.
    pub(super) fn new(procedure: P, start: Subset, guesses: [f64; 2]) -> Self {
        let mut recall = Self {
            procedure,
            known: RedBlackTreeMapSync::new_sync(),
            open: None,
            size: start.count(),
            best: start,
            rates: guesses.map(HitRate::new),
        };
        let start = recall.best.fingerprint();
        recall.known.insert_mut(start, Verdict::Interesting);
        recall.advance();
        recall
    }

    /// Starts another procedure from another configuration known to fail. Everything told stays known.
    pub(super) fn restart(&mut self, procedure: P, start: Subset) {
        self.procedure = procedure;
        self.size = start.count();
        self.known
            .insert_mut(start.fingerprint(), Verdict::Interesting);
        self.best = start;
        self.advance();
    }

    pub(super) fn procedure(&self) -> &P {
        &self.procedure
    }

    pub(super) fn is_finished(&self) -> bool {
        self.open.is_none()
    }

    /// The answer on a configuration, if there was one.
    pub(super) fn verdict(&self, candidate: &Subset) -> Option<Verdict> {
        self.known.get(&candidate.fingerprint()).copied()
    }

    pub(super) fn best(&self) -> &Subset {
        &self.best
    }

    pub(super) fn ask(&self) -> Option<Question<Subset>> {
        let (_, wish) = self.open.as_ref()?;
        Some(Question {
            candidate: wish.candidate.clone(),
            odds: self.rates[wish.kind as usize].odds(),
        })
    }

    pub(super) fn tell(&mut self, verdict: Verdict) {
        if let Some((_, wish)) = &self.open {
            self.rates[wish.kind as usize].learn(verdict.into());
        }
        self.settle(verdict);
    }

    pub(super) fn skip(&mut self) {
        self.settle(Verdict::Unresolved);
    }

    fn settle(&mut self, verdict: Verdict) {
        if let Some((fingerprint, wish)) = self.open.take() {
            self.known.insert_mut(fingerprint, verdict);
            self.hear(&wish, verdict);
            self.advance();
        }
    }

    fn hear(&mut self, wish: &Wish, verdict: Verdict) {
        if verdict.is_interesting() {
            let size = wish.candidate.count();
            if size < self.size {
                self.best = wish.candidate.clone();
                self.size = size;
            }
        }
        self.procedure.hear(verdict);
    }

    /// Takes the procedure on to its next question without a known answer.
    fn advance(&mut self) {
        self.open = None;
        while let Some(wish) = self.procedure.wish() {
            let fingerprint = wish.candidate.fingerprint();
            let Some(&verdict) = self.known.get(&fingerprint) else {
                self.open = Some((fingerprint, wish));
                return;
            };
            self.hear(&wish, verdict);
        }
    }
}

/// Makes a machine of a type with a field `recall`.
macro_rules! recalling {
    ($machine:ty) => {
        impl $crate::Search for $machine {
            type Candidate = $crate::Subset;

            fn ask(&self) -> Option<$crate::Question<$crate::Subset>> {
                self.recall.ask()
            }

            fn tell(&mut self, verdict: $crate::Verdict) {
                self.recall.tell(verdict);
            }

            fn skip(&mut self) {
                self.recall.skip();
            }

            fn best(&self) -> $crate::Subset {
                self.recall.best().clone()
            }
        }

        impl $machine {
            /// Returns the decisions so far, in order.
            pub fn history(&self) -> impl Iterator<Item = &$crate::changes::Step> + '_ {
                self.recall.procedure().history.iter()
            }
        }
    };
}

pub(super) use recalling;
