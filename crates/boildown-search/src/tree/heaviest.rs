//! The order in which a tree is reduced: heaviest first.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use rpds::RedBlackTreeMapSync;

use super::replacements::{Replacement, Replacements};
use super::{NodeId, Tree};
use crate::list::{List, Minimise};
use crate::odds::{HitRate, RatesBySize};
use crate::{Epochs, Fate, Question, Search, Subset, Verdict, Wide};

/// Reduces a tree: heaviest task first, with a list minimiser on every row of siblings.
///
/// A heap holds tasks, keyed by the atoms they may remove: minimising a sibling list (separators go with their elements),
/// deleting a node without its separator, replacing a node by a descendant that fits its place, or by the inner list of one
/// (a block by its statements). What survives brings its own parts into the heap. Extras go before everything else.
///
/// # Guarantee
/// Ends with an interesting set. 1-tree-minimal only when followed by [`Sweep::units`](crate::list::Sweep::units) over [`Tree::units`].
/// # Cost
/// At most 2 questions for each list element with [`Halving`](crate::list::Halving), one for each node with a separator, and eight for
/// the replacements of each surviving node. `tell` is O(log n) and O(n / 64) on a hit.
/// # Units
/// Elements are atoms, by their index in the row; they are never renumbered.
/// # Source
/// C. Sun et al., *Perses: Syntax-Guided Program Reduction*, ICSE 2018 (queue by weight, list minimisers, replacement by compatible
/// descendants). Differs from it: any list minimiser (halving by default); of the fitting descendants the nearest ones, heaviest
/// first, since under monotony what does not work with all of a descendant does not work with a part of it; besides them
/// the lightest one, and one with half of the node's atoms.
#[derive(Debug, Clone)]
pub struct TreeSearch<A: Minimise> {
    algorithm: A,
    tree: Arc<Tree>,
    kept: Subset,
    /// Questions that would delete fewer atoms are left out.
    smallest: usize,
    /// How many questions are looked for at once.
    width: NonZeroUsize,
    tasks: RedBlackTreeMapSync<Key, Task<A::Machine>>,
    /// The tasks that have the next questions, first task first. Empty when no task is left.
    next: Arc<[Ready<A::Machine>]>,
    deletions: RatesBySize,
    separate: HitRate,
    replacements: HitRate,
}

/// What comes first: more atoms, then further back, then the order of [`What`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    weight: Reverse<usize>,
    position: Reverse<usize>,
    what: What,
}

/// Names a task: no two tasks of a heap are equal in this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// Minimise the extras.
    Extras,
    /// Minimise this list.
    List(usize),
    /// Delete a node, but not its separator.
    Separate(NodeId),
    /// Replace a node that stands in a place of this kind by something below it.
    Replace(NodeId, usize),
}

/// How far a task has come.
#[derive(Debug, Clone)]
enum Task<M> {
    Fresh,
    /// The machine's elements are positions in the row of siblings.
    Minimising(M),
    /// What may take the node's place; the last one is next.
    Replacing(Vec<Replacement>),
}

/// A task that has a question, or several that do not depend on each other.
#[derive(Debug, Clone)]
struct Ready<M> {
    key: Key,
    /// Its state, past all questions that need no asking.
    task: Task<M>,
    /// What it asks, in the order of its machine; the first is a question.
    asks: Vec<Ask>,
}

/// What a machine in a task wants to know.
#[derive(Debug, Clone)]
enum Ask {
    /// Whether these can be cut, which leaves so much of the row when it is a row that the task minimises.
    Cuts(Cuts, Option<Subset>),
    /// Something that needs no question.
    Known(Fate),
}

/// What one question deletes.
type Cuts = Arc<[Range<usize>]>;

impl<A: Minimise> TreeSearch<A> {
    /// Starts on the atoms of `kept`, which hold all atoms of the tree that are still there. Asks only what would delete at
    /// least `smallest` atoms.
    #[must_use]
    pub fn new(algorithm: A, tree: Arc<Tree>, kept: Subset, smallest: usize) -> Self {
        let mut search = Self {
            algorithm,
            tree,
            kept,
            smallest: smallest.max(1),
            width: NonZeroUsize::MIN,
            tasks: RedBlackTreeMapSync::new_sync(),
            next: Arc::new([]),
            deletions: RatesBySize::new(0.3),
            separate: HitRate::new(0.05),
            replacements: HitRate::new(0.1),
        };
        if !search.tree.extras.is_empty() {
            search.push(What::Extras, usize::MAX, 0);
        }
        if !search.tree.nodes.is_empty() {
            search.push_parts(0, Part::All);
        }
        search.ready();
        search
    }

    /// Runs the schedule in epochs of so many questions: those of the heaviest tasks that do not overlap.
    #[must_use]
    pub fn in_epochs(mut self, width: NonZeroUsize) -> Epochs<Self> {
        self.width = width;
        self.ready();
        Epochs::new(self, width)
    }

    fn push(&mut self, what: What, weight: usize, position: usize) {
        self.tasks.insert_mut(
            Key {
                weight: Reverse(weight),
                position: Reverse(position),
                what,
            },
            Task::Fresh,
        );
    }

    /// Adds the tasks for what is inside a node that stays, at a part of their weight.
    fn push_parts(&mut self, node: NodeId, part: Part) {
        let tree = Arc::clone(&self.tree);
        for list in tree.nodes[node].lists.clone() {
            let row = &tree.lists[list];
            let (Some(&first), Some(&last)) = (row.elements.first(), row.elements.last()) else {
                continue;
            };
            let (start, end) = (tree.nodes[first].atoms.start, tree.nodes[last].atoms.end);
            self.push(
                What::List(list),
                part.of(self.kept.count_in(start..end)),
                start,
            );
        }
    }

    /// Adds the tasks for a node that its list could not do without.
    ///
    /// Replacing it rarely works before its parts are reduced, so that waits. But when nearly all of it is one child, as in a
    /// chain of wrappers, deleting that child is nearly what has just failed: then the parts wait.
    fn push_survivor(&mut self, node: NodeId, separated: Separated) {
        let tree = Arc::clone(&self.tree);
        let slot = tree.nodes[node].slot;
        let node = self.core(node);
        let atoms = &tree.nodes[node].atoms;
        let weight = self.kept.count_in(atoms.clone());
        if weight == 0 {
            return;
        }
        if separated == Separated::Yes {
            self.push(What::Separate(node), weight, atoms.start);
        }
        let is_wrapper = tree
            .children(node)
            .any(|child| 5 * self.kept.count_in(tree.nodes[child].atoms.clone()) > 4 * weight);
        let (whole, parts) = if is_wrapper {
            (Part::All, Part::Quarter)
        } else {
            (Part::Quarter, Part::All)
        };
        self.push_replace(node, slot, whole);
        self.push_parts(node, parts);
    }

    /// The innermost node with the same living atoms: what is left of a node that something below has taken the place of.
    fn core(&self, node: NodeId) -> NodeId {
        let weight = |node: NodeId| self.kept.count_in(self.tree.nodes[node].atoms.clone());
        let whole = weight(node);
        let same = |&above: &NodeId| {
            self.tree
                .children(above)
                .find(|&child| weight(child) == whole)
        };
        std::iter::successors(Some(node), same)
            .last()
            .unwrap_or(node)
    }

    fn push_replace(&mut self, node: NodeId, slot: usize, part: Part) {
        let atoms = self.tree.nodes[node].atoms.clone();
        let weight = self.kept.count_in(atoms.clone());
        if weight > 1 {
            self.push(What::Replace(node, slot), part.of(weight), atoms.start);
        }
    }

    /// The siblings of a list task.
    fn row(&self, what: What) -> &[NodeId] {
        match what {
            What::List(list) => &self.tree.lists[list].elements,
            What::Extras => &self.tree.extras,
            What::Separate(_) | What::Replace(..) => &[],
        }
    }

    /// Readies the first tasks that have questions, as many as the width asks for. A task without a question is finished when it
    /// is the first.
    fn ready(&mut self) {
        loop {
            let Some((&key, task)) = self.tasks.first() else {
                self.next = Arc::new([]);
                return;
            };
            let (mut task, fresh) = match task {
                Task::Fresh => (self.begin(key.what), true),
                started => (started.clone(), false),
            };
            if self.propose(key.what, &mut task).is_some() {
                if fresh {
                    self.tasks.insert_mut(key, task);
                }
                self.next = self.gather();
                return;
            }
            self.tasks.remove_mut(&key);
            self.finish(key.what, &task);
        }
    }

    /// The first tasks with questions about places that do not overlap.
    fn gather(&self) -> Arc<[Ready<A::Machine>]> {
        let mut gathered = Vec::new();
        let mut taken = BTreeMap::new();
        let mut missing = self.width.get();
        // Far down the heap there is little to gain, and much to look through.
        for (&key, task) in self.tasks.iter().take(4 * self.width.get()) {
            let place = self.place(key.what);
            let before = taken.range(..place.end).next_back();
            if before.is_some_and(|(_, &end)| end > place.start) {
                continue;
            }
            let mut task = match task {
                Task::Fresh => self.begin(key.what),
                started => started.clone(),
            };
            let Some(first) = self.propose(key.what, &mut task) else {
                continue;
            };
            let row = match &task {
                Task::Minimising(machine) => machine.ask().map(|question| question.candidate),
                Task::Fresh | Task::Replacing(_) => None,
            };
            let mut asks = vec![Ask::Cuts(first, row)];
            missing -= 1;
            if let (Task::Minimising(machine), Some(more)) = (&task, NonZeroUsize::new(missing)) {
                for question in machine.pending(more.saturating_add(1)).into_iter().skip(1) {
                    let cuts = self.cuts(key.what, &question.candidate);
                    asks.push(match self.size(&cuts) {
                        0 => Ask::Known(Fate::Told(Verdict::Interesting)),
                        size if size < self.smallest => Ask::Known(Fate::Skipped),
                        _ => Ask::Cuts(cuts, Some(question.candidate)),
                    });
                }
            }
            let questions = asks.iter().filter(|ask| matches!(ask, Ask::Cuts(..)));
            missing = missing.saturating_sub(questions.count() - 1);
            gathered.push(Ready { key, task, asks });
            taken.insert(place.start, place.end);
            if missing == 0 {
                break;
            }
        }
        gathered.into()
    }

    /// Where a task cuts.
    fn place(&self, what: What) -> Range<usize> {
        let atoms = |node: NodeId| self.tree.nodes[node].atoms.clone();
        match what {
            What::Extras => 0..usize::MAX,
            What::List(list) => match self.tree.lists[list].elements.as_slice() {
                [first, .., last] => atoms(*first).start..atoms(*last).end,
                [only] => atoms(*only),
                [] => 0..0,
            },
            What::Separate(node) | What::Replace(node, _) => atoms(node),
        }
    }

    /// The questions of the tasks that are ready: the task, what is cut, and what that leaves of a row.
    fn asked(&self) -> impl Iterator<Item = (Key, &Cuts, Option<&Subset>)> {
        self.next.iter().flat_map(|ready| {
            ready.asks.iter().filter_map(|ask| match ask {
                Ask::Cuts(cuts, row) => Some((ready.key, cuts, row.as_ref())),
                Ask::Known(_) => None,
            })
        })
    }

    fn question(&self, what: What, cuts: &Cuts) -> Question<Subset> {
        Question {
            candidate: self.kept.without(cuts.iter().cloned()),
            odds: match what {
                What::List(_) | What::Extras => self.deletions.odds(self.size(cuts)),
                What::Separate(_) => self.separate.odds(),
                What::Replace(..) => self.replacements.odds(),
            },
        }
    }

    /// Works out the state of a task when its turn comes, and not before: by then much of it may be gone.
    fn begin(&self, what: What) -> Task<A::Machine> {
        match what {
            What::List(_) | What::Extras => {
                let row = self.row(what);
                let weights: Vec<usize> = row
                    .iter()
                    .map(|&node| self.kept.count_in(self.tree.nodes[node].atoms.clone()))
                    .collect();
                let mut list = List::weighted(
                    weights
                        .iter()
                        .map(|&weight| u32::try_from(weight).unwrap_or(u32::MAX)),
                );
                let gone = (0..row.len()).filter(|&position| weights[position] == 0);
                list.kept = list
                    .kept
                    .without(gone.map(|position| position..position + 1));
                list.kept.commit();
                Task::Minimising(self.algorithm.on(list))
            }
            What::Separate(_) => Task::Fresh,
            What::Replace(node, slot) => Task::Replacing(self.replacements().all(node, slot)),
        }
    }

    /// The cuts that leave what a list machine keeps of its row.
    fn cuts(&self, what: What, kept: &Subset) -> Cuts {
        let tree = &self.tree;
        match what {
            What::List(list) => tree.lists[list]
                .cuts(tree, |position| kept.contains(position))
                .collect(),
            _ => (0..tree.extras.len())
                .filter(|&position| !kept.contains(position))
                .map(|position| tree.nodes[tree.extras[position]].atoms.clone())
                .collect(),
        }
    }

    /// The cuts of a task's next question. Moves past questions that would delete nothing, since other tasks got there first.
    fn propose(&self, what: What, task: &mut Task<A::Machine>) -> Option<Cuts> {
        let tree = &self.tree;
        loop {
            let cuts: Cuts = match (what, &*task) {
                (_, Task::Minimising(machine)) => self.cuts(what, &machine.ask()?.candidate),
                (What::Replace(node, _), Task::Replacing(options)) => {
                    let (whole, part) = (&tree.nodes[node].atoms, &options.last()?.atoms);
                    Arc::new([whole.start..part.start, part.end..whole.end])
                }
                (What::Separate(node), _) => Arc::new([tree.nodes[node].atoms.clone()]),
                _ => return None,
            };
            let size = self.size(&cuts);
            if size >= self.smallest {
                return Some(cuts);
            }
            match task {
                // Deleting nothing keeps the property.
                Task::Minimising(machine) if size == 0 => machine.tell(Verdict::Interesting),
                Task::Minimising(machine) => machine.skip(),
                Task::Replacing(options) => drop(options.pop()),
                Task::Fresh => return None,
            }
        }
    }

    /// Adds the tasks that follow from a finished one.
    fn finish(&mut self, what: What, task: &Task<A::Machine>) {
        let Task::Minimising(machine) = task else {
            return;
        };
        let row = self.row(what).to_vec();
        let tree = Arc::clone(&self.tree);
        let atoms = |position: usize| &tree.nodes[row[position]].atoms;
        for position in machine.best().iter() {
            // Only what stands between two siblings counts as a separator here.
            let gap_before = position > 0 && atoms(position - 1).end < atoms(position).start;
            let gap_after =
                position + 1 < row.len() && atoms(position).end < atoms(position + 1).start;
            let separated = match what {
                What::List(_) if gap_before || gap_after => Separated::Yes,
                _ => Separated::No,
            };
            self.push_survivor(row[position], separated);
        }
    }

    fn replacements(&self) -> Replacements<'_> {
        Replacements {
            tree: &self.tree,
            kept: &self.kept,
        }
    }

    /// Takes what became of a task's questions into it. `fates` are those of its first ones.
    fn take_in(&mut self, ready: &Ready<A::Machine>, fates: &[(Fate, usize)]) {
        let Ready { key, task, asks } = ready;
        let mut task = task.clone();
        self.tasks.remove_mut(key);
        match (&mut task, key.what) {
            (Task::Minimising(machine), _) => {
                let mut told = fates.iter();
                let settled: Vec<Fate> = (asks.iter())
                    .map_while(|ask| match ask {
                        Ask::Known(fate) => Some(*fate),
                        Ask::Cuts(..) => {
                            let &(fate, size) = told.next()?;
                            if let Fate::Told(verdict) = fate {
                                self.deletions.learn(size, verdict.into());
                            }
                            Some(fate)
                        }
                    })
                    .collect();
                machine.settle(&settled);
                self.tasks.insert_mut(*key, task);
            }
            (Task::Replacing(options), What::Replace(_, slot)) => {
                let fate = fates.first().map_or(Fate::Postponed, |(fate, _)| *fate);
                if let Fate::Told(verdict) = fate {
                    self.replacements.learn(verdict.into());
                }
                match fate {
                    Fate::Told(Verdict::Interesting) => {
                        if let Some(Replacement {
                            node: Some(node), ..
                        }) = options.pop()
                        {
                            self.push_replace(node, slot, Part::All);
                        }
                    }
                    Fate::Told(_) | Fate::Skipped => {
                        options.pop();
                        self.tasks.insert_mut(*key, task);
                    }
                    Fate::Postponed => self.tasks.insert_mut(*key, task),
                }
            }
            _ => match fates.first() {
                Some((Fate::Told(verdict), _)) => self.separate.learn((*verdict).into()),
                Some((Fate::Skipped, _)) => {}
                Some((Fate::Postponed, _)) | None => self.tasks.insert_mut(*key, task),
            },
        }
    }

    /// The number of atoms that cuts delete.
    fn size(&self, cuts: &[Range<usize>]) -> usize {
        cuts.iter().map(|cut| self.kept.count_in(cut.clone())).sum()
    }
}

/// How much of its weight a task counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    All,
    Quarter,
}

impl Part {
    fn of(self, weight: usize) -> usize {
        match self {
            Self::All => weight,
            Self::Quarter => weight / 4,
        }
    }
}

/// Whether a node has a separator beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separated {
    Yes,
    No,
}

impl<A: Minimise> Search for TreeSearch<A> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        let (key, cuts, _) = self.asked().next()?;
        Some(self.question(key.what, cuts))
    }

    fn tell(&mut self, verdict: Verdict) {
        self.settle(&[Fate::Told(verdict)]);
    }

    fn skip(&mut self) {
        self.settle(&[Fate::Skipped]);
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl<A: Minimise> Wide for TreeSearch<A> {
    fn pending(&self, width: NonZeroUsize) -> Vec<Question<Subset>> {
        let asked = self.asked().take(width.get());
        asked
            .map(|(key, cuts, _)| self.question(key.what, cuts))
            .collect()
    }

    fn union(&self, _asked: &[Question<Subset>], places: &[usize]) -> Subset {
        let asked: Vec<(Key, &Cuts, Option<&Subset>)> = self.asked().collect();
        let chosen: Vec<&(Key, &Cuts, Option<&Subset>)> =
            places.iter().map(|&place| &asked[place]).collect();
        let mut cuts: Vec<Range<usize>> = Vec::new();
        for of_task in chosen.chunk_by(|one, other| one.0 == other.0) {
            let mut rows = of_task.iter().filter_map(|(_, _, row)| *row);
            match rows.next() {
                // Which separators go depends on all that goes from the row.
                Some(row) if of_task.len() > 1 => {
                    let row = row.intersection(rows);
                    cuts.extend(self.cuts(of_task[0].0.what, &row).iter().cloned());
                }
                _ => cuts.extend(of_task.iter().flat_map(|(_, cuts, _)| cuts.iter().cloned())),
            }
        }
        self.kept.without(cuts)
    }

    fn settle(&mut self, fates: &[Fate]) {
        let asked = self.asked();
        let told: Vec<(Key, Fate, usize)> = fates
            .iter()
            .zip(asked)
            .map(|(&fate, (key, cuts, _))| (key, fate, self.size(cuts)))
            .collect();
        let hits: Vec<usize> = (0..told.len())
            .filter(|&place| told[place].1 == Fate::Told(Verdict::Interesting))
            .collect();
        if !hits.is_empty() {
            self.kept = self.union(&[], &hits);
            self.kept.commit();
        }
        let next = Arc::clone(&self.next);
        let mut next = next.iter();
        for of_task in told.chunk_by(|one, other| one.0 == other.0) {
            if let Some(ready) = next.find(|ready| ready.key == of_task[0].0) {
                let fates: Vec<(Fate, usize)> = of_task
                    .iter()
                    .map(|&(_, fate, size)| (fate, size))
                    .collect();
                self.take_in(ready, &fates);
            }
        }
        self.ready();
    }
}
