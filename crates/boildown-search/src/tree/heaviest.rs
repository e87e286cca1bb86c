//! The order in which a tree is reduced: heaviest first, or what promises most.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use rpds::{RedBlackTreeMapSync, RedBlackTreeSetSync};

use super::promise::{Class, Experience, Kind, Opened, Order, Standing};
use super::replacements::{Replacement, Replacements};
use super::tasks::{Ask, Cuts, Key, Part, Ready, Separated, Task, What, is_empty};
use super::{NodeId, Tree};
use crate::list::{List, Minimise};
use crate::{Epochs, Fate, Question, Search, Subset, Verdict, Wide};

/// Reduces a tree: heaviest task first, with a list minimiser on every row of siblings.
///
/// A heap holds tasks, keyed by the atoms they may remove: minimising a sibling list (separators go with their elements),
/// deleting a node without its separator, replacing a node by a descendant that fits its place, or by the inner list of one
/// (a block by its statements), and minimising a spine: nodes within each other, the inner of which may take the place of the outer, as
/// in `a + b + c` and `x.f().g()`, are a list of levels, each of which can go alone. What survives brings its own parts into the heap. Extras go before everything else.
///
/// In the order of promise ([`promising`](Self::promising)) the key is the promise of a task's next question, and parts of a node do not wait
/// until its whole row is done.
///
/// # Guarantee
/// Ends with an interesting set. 1-tree-minimal only when followed by [`Sweep::units`](crate::list::Sweep::units) over [`Tree::units`].
/// # Cost
/// At most 2 questions for each list element and each level of a spine with [`Halving`](crate::list::Halving), one for each node with a
/// separator, and eight for the replacements of each surviving node. `tell` is O(log n) and O(n / 64) on a hit; a question about a row or a spine is linear in it.
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
    /// How many questions are looked for at once.
    width: NonZeroUsize,
    tasks: RedBlackTreeMapSync<Key, Task<A::Machine>>,
    /// The tasks that have the next questions, first task first. Empty when no task is left.
    next: Arc<[Ready<A::Machine>]>,
    /// For the promising: what has brought its tasks.
    opened: RedBlackTreeSetSync<Opened>,
    /// For the promising: the key of each list's task, also when that is finished.
    of_list: RedBlackTreeMapSync<usize, Key>,
    /// The nodes of each spine that has or had a task, by the outermost.
    spines: RedBlackTreeMapSync<NodeId, Arc<[NodeId]>>,
    /// All nodes of those, each the innermost with the same atoms.
    on_spines: RedBlackTreeSetSync<NodeId>,
    experience: Experience,
    order: Order,
    /// Questions that would delete fewer atoms are left out.
    smallest: usize,
}

/// Spines of so many nodes, or fewer, are not worth a task: the replacements of each node find what there is.
const SHORT: usize = 6;

impl<A: Minimise> TreeSearch<A> {
    /// Starts on the atoms of `kept`, which hold all atoms of the tree that are still there. Asks only what would delete at
    /// least `smallest` atoms.
    #[must_use]
    pub fn new(algorithm: A, tree: Arc<Tree>, kept: Subset, smallest: usize) -> Self {
        let order = Order::Heaviest;
        Self::ordered(
            algorithm,
            tree,
            (kept, smallest),
            order,
            Experience::default(),
        )
    }

    /// Starts with the order of promise: the next question is the one with the most atoms times odds, and the odds learn, by kind of
    /// question and size. For large texts of which much is needed, where most heavy questions miss.
    #[must_use]
    pub fn promising(
        algorithm: A,
        tree: Arc<Tree>,
        kept: Subset,
        smallest: usize,
        experience: Experience,
    ) -> Self {
        let order = Order::Promising;
        Self::ordered(algorithm, tree, (kept, smallest), order, experience)
    }

    fn ordered(
        algorithm: A,
        tree: Arc<Tree>,
        (kept, smallest): (Subset, usize),
        order: Order,
        experience: Experience,
    ) -> Self {
        let mut search = Self {
            algorithm,
            tree,
            kept,
            width: NonZeroUsize::MIN,
            tasks: RedBlackTreeMapSync::new_sync(),
            next: Arc::new([]),
            opened: RedBlackTreeSetSync::new_sync(),
            of_list: RedBlackTreeMapSync::new_sync(),
            spines: RedBlackTreeMapSync::new_sync(),
            on_spines: RedBlackTreeSetSync::new_sync(),
            experience,
            order,
            smallest: smallest.max(1),
        };
        if !search.tree.extras.is_empty() {
            search.push(
                (Kind::Extras, Standing::Needed),
                What::Extras,
                usize::MAX,
                0,
            );
        }
        if !search.tree.nodes.is_empty() {
            search.push_lists(0, (Standing::Needed, usize::MAX), Part::All);
        }
        search.ready();
        search
    }

    /// Returns what was learned about which questions pay.
    #[must_use]
    pub fn experience(&self) -> &Experience {
        &self.experience
    }

    /// Runs the schedule in epochs of so many questions: those of the first tasks that do not overlap.
    #[must_use]
    pub fn in_epochs(mut self, width: NonZeroUsize) -> Epochs<Self> {
        self.width = width;
        self.ready();
        Epochs::new(self, width)
    }

    fn weight(&self, node: NodeId) -> usize {
        self.kept.count_in(self.tree.nodes[node].atoms.clone())
    }

    fn class(&self, kind: Kind, standing: Standing, size: usize) -> Class {
        match self.order {
            Order::Heaviest => Experience::class(Kind::All, Standing::Needed, 1),
            Order::Promising => Experience::class(kind, standing, size),
        }
    }

    fn push(
        &mut self,
        (kind, standing): (Kind, Standing),
        what: What,
        weight: usize,
        position: usize,
    ) {
        if self.order == Order::Promising && weight < self.smallest {
            return;
        }
        let key = Key {
            class: self.class(kind, standing, weight),
            weight: Reverse(weight),
            position: Reverse(position),
            what,
        };
        self.add(key, Task::Fresh);
    }

    fn add(&mut self, key: Key, task: Task<A::Machine>) {
        if let (Order::Promising, What::List(list)) = (self.order, key.what) {
            self.of_list.insert_mut(list, key);
        }
        self.tasks.insert_mut(key, task);
    }

    /// Adds the tasks for the lists of a node at a part of their weight; to those that are there, what is known of the node now.
    /// `failed` is the size of the deletion that did not work.
    fn push_lists(&mut self, node: NodeId, (standing, failed): (Standing, usize), part: Part) {
        let tree = Arc::clone(&self.tree);
        for list in tree.nodes[node].lists.clone() {
            let row = &tree.lists[list];
            let (Some(&first), Some(&last)) = (row.elements.first(), row.elements.last()) else {
                continue;
            };
            let (start, end) = (tree.nodes[first].atoms.start, tree.nodes[last].atoms.end);
            let weight = self.kept.count_in(start..end);
            let kind = if weight / 4 > failed / 5 {
                Kind::Nearly
            } else {
                Kind::All
            };
            match self.of_list.get(&list).copied() {
                None => self.push((kind, standing), What::List(list), part.of(weight), start),
                Some(mut key) => {
                    if let Some(task) = self.tasks.get(&key).cloned() {
                        self.tasks.remove_mut(&key);
                        key.class.standing = standing;
                        self.add(key, task);
                    }
                }
            }
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
        let start = tree.nodes[node].atoms.start;
        let weight = self.weight(node);
        if weight == 0 {
            return;
        }
        if separated == Separated::Yes {
            let class = (Kind::Separate, Standing::Needed);
            self.push(class, What::Separate(node), weight, start);
        }
        let (whole, parts) = match (self.order, self.is_wrapper(node)) {
            // What is promised says it.
            (Order::Promising, _) => (Part::All, Part::All),
            (Order::Heaviest, true) => (Part::All, Part::Quarter),
            (Order::Heaviest, false) => (Part::Quarter, Part::All),
        };
        self.push_spine(node, slot, whole);
        self.push_replace(node, slot, whole);
        self.push_lists(node, (Standing::Needed, weight), parts);
    }

    /// Adds the task for the spine that begins at a node, unless the node is on one that begins further out.
    ///
    /// Statements within statements make no spine: little of what stands beside them goes before it is reduced itself.
    fn push_spine(&mut self, node: NodeId, slot: usize, part: Part) {
        if self.tree.slots[slot].many || self.on_spines.contains(&node) {
            return;
        }
        let spine = self.replacements().spine(node, slot);
        let Some(&innermost) = spine.last().filter(|_| spine.len() > SHORT) else {
            return;
        };
        for &node in &spine {
            // By the name that it is asked about by.
            self.on_spines.insert_mut(self.core(node));
        }
        let weight = self.weight(node) - self.weight(innermost);
        let start = self.tree.nodes[node].atoms.start;
        self.spines.insert_mut(node, spine.into());
        let class = (Kind::Unwrap, Standing::Needed);
        self.push(class, What::Spine(node), part.of(weight), start);
    }

    fn is_wrapper(&self, node: NodeId) -> bool {
        let weight = self.weight(node);
        let mut children = self.tree.children(node);
        children.any(|child| 5 * self.weight(child) > 4 * weight)
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
        let start = self.tree.nodes[node].atoms.start;
        let weight = self.weight(node);
        if weight > 1 {
            let kind = if self.is_wrapper(node) {
                Kind::Unwrap
            } else {
                Kind::Replace
            };
            let what = What::Replace(node, slot);
            self.push((kind, Standing::Needed), what, part.of(weight), start);
        }
    }

    /// The siblings of a list task.
    fn row(&self, what: What) -> &[NodeId] {
        match what {
            What::List(list) => &self.tree.lists[list].elements,
            What::Extras => &self.tree.extras,
            What::Spine(_) | What::Separate(_) | What::Replace(..) => &[],
        }
    }

    /// The levels of a spine, outermost first: its nodes, each with the next one.
    fn levels(&self, outermost: NodeId) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let nodes: &[NodeId] = self.spines.get(&outermost).map_or(&[], |nodes| nodes);
        nodes.iter().copied().zip(nodes.iter().copied().skip(1))
    }

    /// What minimising a row or a spine works on: the number of living atoms of each element.
    fn weights(&self, what: What) -> Vec<usize> {
        match what {
            What::Spine(node) => (self.levels(node))
                .map(|(above, below)| self.weight(above) - self.weight(below))
                .collect(),
            _ => (self.row(what).iter())
                .map(|&node| self.weight(node))
                .collect(),
        }
    }

    /// The first tasks, as many as there are up to `count`.
    fn first(&self, count: usize) -> Vec<Key> {
        let mut found: Vec<(f64, Key)> = Vec::new();
        let mut next = self.tasks.first().map(|(key, _)| *key);
        while let Some(first) = next {
            let of_class = (self.tasks.range(first..)).map_while(|(key, _)| {
                let promise = self.experience.promise(key.class, key.weight.0);
                (key.class == first.class).then_some((promise, *key))
            });
            found.extend(of_class.take(count));
            // Behind the lightest task there can be.
            let end = Key {
                weight: Reverse(0),
                position: Reverse(0),
                what: What::Replace(NodeId::MAX, usize::MAX),
                ..first
            };
            next = self.tasks.range(end..).next().map(|(key, _)| *key);
        }
        // Within a class they are in their order already.
        found.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        found.truncate(count);
        found.into_iter().map(|(_, key)| key).collect()
    }

    /// Which kind of question a task asks.
    fn kind(&self, key: &Key, task: &Task<A::Machine>) -> Kind {
        let Task::Minimising(machine) = task else {
            return match key.what {
                What::Separate(_) => Kind::Separate,
                What::Replace(..) if key.class.kind == Kind::Unwrap => Kind::Unwrap,
                _ => Kind::Replace,
            };
        };
        match key.what {
            What::Extras => return Kind::Extras,
            What::Spine(_) => return Kind::Unwrap,
            _ => {}
        }
        let Some(question) = machine.ask() else {
            return Kind::All;
        };
        let left = question.candidate;
        match machine.best().lost_in(&left).len() {
            _ if is_empty(&left) && key.class.kind == Kind::Nearly => Kind::Nearly,
            _ if is_empty(&left) => Kind::All,
            1 => Kind::One,
            _ => Kind::Several,
        }
    }

    /// Readies the first tasks that have questions, as many as the width asks for. A task without a question is finished when it
    /// is the first.
    fn ready(&mut self) {
        loop {
            let Some(&key) = self.first(1).first() else {
                self.next = Arc::new([]);
                return;
            };
            let (mut task, fresh) = match self.tasks.get(&key) {
                Some(Task::Fresh) | None => (self.begin(key.what), true),
                Some(started) => (started.clone(), false),
            };
            let Some(cuts) = self.propose(key.what, &mut task) else {
                self.tasks.remove_mut(&key);
                self.finish(key.what, &task);
                continue;
            };
            let size = self.size(&cuts);
            if self.order == Order::Promising {
                let kind = self.kind(&key, &task);
                let actual = Key {
                    class: self.class(kind, key.class.standing, size),
                    weight: Reverse(size),
                    ..key
                };
                if actual != key {
                    self.tasks.remove_mut(&key);
                    self.add(actual, task);
                    continue;
                }
            }
            if fresh {
                self.tasks.insert_mut(key, task);
            }
            self.next = self.gather();
            return;
        }
    }

    /// The first tasks with questions about places that do not overlap.
    fn gather(&self) -> Arc<[Ready<A::Machine>]> {
        let mut gathered = Vec::new();
        let mut taken = BTreeMap::new();
        let mut missing = self.width.get();
        // Far down the heap there is little to gain, and much to look through.
        let count = match self.width.get() {
            1 => 1,
            width => 4 * width,
        };
        for key in self.first(count) {
            let Some(task) = self.tasks.get(&key) else {
                continue;
            };
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
            let kind = self.kind(&key, &task);
            gathered.push(Ready {
                key,
                kind,
                task,
                asks,
            });
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
            What::Spine(node) | What::Separate(node) | What::Replace(node, _) => atoms(node),
        }
    }

    /// The questions of the tasks that are ready: the task, what is cut, and what that leaves of a row.
    fn asked(&self) -> impl Iterator<Item = (&Ready<A::Machine>, &Cuts, Option<&Subset>)> {
        self.next.iter().flat_map(|ready| {
            ready.asks.iter().filter_map(move |ask| match ask {
                Ask::Cuts(cuts, row) => Some((ready, cuts, row.as_ref())),
                Ask::Known(_) => None,
            })
        })
    }

    fn question(&self, kind: Kind, cuts: &Cuts) -> Question<Subset> {
        Question {
            candidate: self.kept.without(cuts.iter().cloned()),
            odds: self.experience.odds(kind, self.size(cuts)),
        }
    }

    /// Works out the state of a task when its turn comes, and not before: by then much of it may be gone.
    fn begin(&self, what: What) -> Task<A::Machine> {
        match what {
            What::List(_) | What::Extras | What::Spine(_) => {
                let weights = self.weights(what);
                let mut list = List::weighted(
                    weights
                        .iter()
                        .map(|&weight| u32::try_from(weight).unwrap_or(u32::MAX)),
                );
                let gone = (0..weights.len()).filter(|&position| weights[position] == 0);
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

    /// The cuts that leave what a list machine keeps of its row or spine.
    fn cuts(&self, what: What, kept: &Subset) -> Cuts {
        let tree = &self.tree;
        match what {
            What::List(list) => tree.lists[list]
                .cuts(tree, |position| kept.contains(position))
                .collect(),
            What::Spine(node) => {
                let atoms = |node: NodeId| &tree.nodes[node].atoms;
                (self.levels(node).enumerate())
                    .filter(|&(level, _)| !kept.contains(level))
                    .map(|(_, (above, below))| (atoms(above), atoms(below)))
                    .flat_map(|(above, below)| [above.start..below.start, below.end..above.end])
                    .filter(|cut| !cut.is_empty())
                    .collect()
            }
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
        let (Task::Minimising(machine), What::List(_) | What::Extras) = (task, what) else {
            return;
        };
        for position in machine.best().iter() {
            self.survived(what, position);
        }
    }

    /// Adds the tasks that follow when an element of a row cannot go.
    fn survived(&mut self, what: What, position: usize) {
        let tree = Arc::clone(&self.tree);
        let row = self.row(what);
        let atoms = |position: usize| &tree.nodes[row[position]].atoms;
        // Only what stands between two siblings counts as a separator here.
        let gap_before = position > 0 && atoms(position - 1).end < atoms(position).start;
        let gap_after = position + 1 < row.len() && atoms(position).end < atoms(position + 1).start;
        let separated = match what {
            What::List(_) if gap_before || gap_after => Separated::Yes,
            _ => Separated::No,
        };
        let node = row[position];
        if self.order == Order::Promising {
            if self.opened.contains(&Opened::Survivor(node)) {
                return;
            }
            self.opened.insert_mut(Opened::Survivor(node));
        }
        self.push_survivor(node, separated);
    }

    /// Adds the tasks that follow when elements of a row could not go, without waiting for the end of the row.
    fn missed(&mut self, what: What, before: &Subset, candidate: &Subset, size: usize) {
        if let What::Spine(_) = what {
            return;
        }
        let lost = before.lost_in(candidate);
        if is_empty(candidate) {
            for &position in &lost {
                let node = self.row(what)[position];
                if !self.opened.contains(&Opened::Early(node)) {
                    self.opened.insert_mut(Opened::Early(node));
                    self.push_lists(self.core(node), (Standing::Open, size), Part::All);
                }
            }
        }
        if let [position] = *lost {
            self.survived(what, position);
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
        let Ready {
            key,
            kind,
            task,
            asks,
        } = ready;
        let mut task = task.clone();
        self.tasks.remove_mut(key);
        match (&mut task, key.what) {
            (Task::Minimising(machine), _) => {
                let before = machine.best();
                let mut told = fates.iter();
                let mut settled: Vec<Fate> = Vec::new();
                for ask in asks {
                    match ask {
                        Ask::Known(fate) => settled.push(*fate),
                        Ask::Cuts(_, row) => {
                            let Some(&(fate, size)) = told.next() else {
                                break;
                            };
                            if let Fate::Told(verdict) = fate {
                                self.experience.learn(*kind, size, verdict.into());
                            }
                            let stays =
                                !matches!(fate, Fate::Told(Verdict::Interesting) | Fate::Postponed);
                            if let (Order::Promising, true, Some(row)) = (self.order, stays, row) {
                                self.missed(key.what, &before, row, size);
                            }
                            settled.push(fate);
                        }
                    }
                }
                machine.settle(&settled);
                self.tasks.insert_mut(*key, task);
            }
            (Task::Replacing(options), What::Replace(_, slot)) => {
                let (fate, size) = fates.first().copied().unwrap_or((Fate::Postponed, 0));
                if let Fate::Told(verdict) = fate {
                    self.experience.learn(*kind, size, verdict.into());
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
                Some(&(Fate::Told(verdict), size)) => {
                    self.experience.learn(*kind, size, verdict.into());
                }
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

impl<A: Minimise> Search for TreeSearch<A> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        let (ready, cuts, _) = self.asked().next()?;
        Some(self.question(ready.kind, cuts))
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
            .map(|(ready, cuts, _)| self.question(ready.kind, cuts))
            .collect()
    }

    fn union(&self, _asked: &[Question<Subset>], places: &[usize]) -> Subset {
        let asked: Vec<_> = (self.asked())
            .map(|(ready, cuts, row)| (ready.key, cuts, row))
            .collect();
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
            .map(|(&fate, (ready, cuts, _))| (ready.key, fate, self.size(cuts)))
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
