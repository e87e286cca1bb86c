//! The next query of the best-first tree search, and the record of its answer.

use std::cmp::Reverse;
use std::sync::Arc;

use super::expected_gain::{QueryKind, TaskClass};
use super::replacements::Replacement;
use super::search::TreeSearch;
use super::tasks::{Cuts, ReadyTask, Share, TaskId, TaskKey, TaskState};
use crate::list::{List, ListAlgorithm};
use crate::tree::{NodeId, SlotId};
use crate::{ListSearch as _, Search as _, Subset, Verdict};

impl<A: ListAlgorithm> TreeSearch<A> {
    /// Finds the next query: takes tasks from the top of the heap until the first one has a query.
    ///
    /// A task without a query is removed, and the tasks that follow from its end are added. If the
    /// priority learns, a task whose next query belongs to another class than its key says is put
    /// back under the right key.
    pub(super) fn find_next(&mut self) {
        self.next = None;
        while let Some(key) = self.first_task() {
            let (mut state, fresh) = match self.tasks.get(&key) {
                Some(TaskState::Fresh) | None => (self.start_task(key.id), true),
                Some(started) => (started.clone(), false),
            };
            let Some(cuts) = self.next_cuts(key.id, &mut state) else {
                self.tasks.remove_mut(&key);
                self.finish_task(key.id, &state);
                continue;
            };
            let size = self.size(&cuts);
            let kind = self.query_kind(&key, &state);
            if self.priority.learns() {
                let (class, weight) = self.prospect(key, &state, kind, size);
                let actual = TaskKey {
                    class,
                    weight: Reverse(weight),
                    ..key
                };
                if actual != key {
                    self.tasks.remove_mut(&key);
                    self.add(actual, state);
                    continue;
                }
            }
            if fresh {
                self.tasks.insert_mut(key, state.clone());
            }
            self.next = Some(Arc::new(ReadyTask {
                key,
                kind,
                state,
                cuts,
                size,
            }));
            return;
        }
    }

    /// Returns the class and the weight at which a task is queued: those of its next query, or, if
    /// more is expected of it, those of a chunk behind that query. The tokens of the chunk are
    /// shared among the queries up to it, two for each chunk: one that misses is asked about in
    /// halves.
    fn prospect(
        &self,
        key: TaskKey,
        state: &TaskState<A::Search>,
        kind: QueryKind,
        size: usize,
    ) -> (TaskClass, usize) {
        let next = (self.priority.class(kind, key.class.owner, size), size);
        let TaskState::Minimising(search) = state else {
            return next;
        };
        let (tree, siblings) = (&self.tree, self.siblings(key.id));
        let behind = search.waiting().into_iter().zip(2..);
        let behind = behind.filter_map(|(chunk, position)| {
            let [first, last] = [siblings.get(chunk.start)?, siblings.get(chunk.end - 1)?];
            let tokens = |node: &NodeId| tree.nodes[*node].tokens();
            let size = self.kept.count_in(tokens(first).start..tokens(last).end);
            let class = (self.priority).class(QueryKind::Several, key.class.owner, size);
            Some((class, size / (2 * position)))
        });
        let gain = |&(class, tokens): &_| self.learned_rates.expected_gain(class, tokens);
        let best = behind.max_by(|one, other| gain(one).total_cmp(&gain(other)));
        best.filter(|best| gain(best) > gain(&next)).unwrap_or(next)
    }

    /// Returns the state in which a task starts. Computed only when the task reaches the top of the
    /// heap: by then, many of its tokens may be deleted.
    fn start_task(&self, id: TaskId) -> TaskState<A::Search> {
        match id {
            TaskId::List(_) | TaskId::Extras | TaskId::Chain(_) => {
                let weights = self.weights(id);
                let mut list = List::weighted(weights.iter().copied());
                let deleted = (0..weights.len()).filter(|&element| weights[element] == 0);
                list.kept = list
                    .kept
                    .without(deleted.map(|element| element..element + 1));
                list.kept.commit();
                TaskState::Minimising(self.algorithm.on(list))
            }
            TaskId::Separate(_) => TaskState::Fresh,
            TaskId::Replace(node, slot) => {
                TaskState::Replacing(self.replacements().all(node, slot))
            }
        }
    }

    /// Returns the cuts that leave the elements `kept` of a sibling list, of the extras or of a
    /// chain.
    pub(super) fn cuts(&self, id: TaskId, kept: &Subset) -> Cuts {
        let tree = &self.tree;
        match id {
            TaskId::List(list) => tree.lists[list]
                .cuts(tree, |element| kept.contains(element))
                .collect(),
            TaskId::Chain(node) => {
                let tokens = |node: NodeId| tree.nodes[node].tokens();
                (self.levels(node).enumerate())
                    .filter(|&(level, _)| !kept.contains(level))
                    .map(|(_, (outer, inner))| (tokens(outer), tokens(inner)))
                    .flat_map(|(outer, inner)| [outer.start..inner.start, inner.end..outer.end])
                    .filter(|cut| !cut.is_empty())
                    .collect()
            }
            _ => (0..tree.extras.len())
                .filter(|&element| !kept.contains(element))
                .map(|element| tree.nodes[tree.extras[element]].tokens())
                .collect(),
        }
    }

    /// Returns the cuts of a task's next query, or `None` at the end of the task. Advances the
    /// state past queries that would delete nothing, because other tasks have deleted those tokens,
    /// and past those that would delete fewer than `smallest` tokens.
    fn next_cuts(&self, id: TaskId, state: &mut TaskState<A::Search>) -> Option<Cuts> {
        let tree = &self.tree;
        loop {
            let cuts: Cuts = match (id, &*state) {
                (_, TaskState::Minimising(search)) => self.cuts(id, &search.ask()?.candidate),
                (TaskId::Replace(node, _), TaskState::Replacing(options)) => {
                    let (whole, part) = (tree.nodes[node].tokens(), &options.last()?.tokens);
                    Arc::new([whole.start..part.start, part.end..whole.end])
                }
                (TaskId::Separate(node), _) => Arc::new([tree.nodes[node].tokens()]),
                _ => return None,
            };
            let size = self.size(&cuts);
            if size >= self.smallest {
                return Some(cuts);
            }
            match state {
                // Deleting nothing keeps the property.
                TaskState::Minimising(search) if size == 0 => search.tell(Verdict::Interesting),
                TaskState::Minimising(search) => search.skip(),
                TaskState::Replacing(options) => drop(options.pop()),
                TaskState::Fresh => return None,
            }
        }
    }

    /// Records the answer to the query of a task; `None` if it was skipped.
    pub(super) fn record_task(&mut self, task: &ReadyTask<A::Search>, verdict: Option<Verdict>) {
        self.tasks.remove_mut(&task.key);
        if let Some(verdict) = verdict {
            (self.learned_rates).learn(task.kind, task.size, verdict.into());
        }
        match (&task.state, task.key.id) {
            (TaskState::Minimising(search), _) => {
                self.record_list_answer(task, search.clone(), verdict);
            }
            (TaskState::Replacing(options), TaskId::Replace(_, slot)) => {
                self.record_replacement(task.key, options.clone(), slot, verdict);
            }
            _ => {}
        }
    }

    /// Records the answer to the query of a list search.
    fn record_list_answer(
        &mut self,
        task: &ReadyTask<A::Search>,
        mut search: A::Search,
        verdict: Option<Verdict>,
    ) {
        if verdict != Some(Verdict::Interesting)
            && self.priority.learns()
            && let Some(query) = search.ask()
        {
            self.push_after_miss(task.key.id, &search.best(), &query.candidate, task.size);
        }
        match verdict {
            Some(verdict) => search.tell(verdict),
            None => search.skip(),
        }
        self.tasks
            .insert_mut(task.key, TaskState::Minimising(search));
    }

    /// Records the answer to a replacement. After a hit, the node that took the slot gets a
    /// replacement task of its own.
    fn record_replacement(
        &mut self,
        key: TaskKey,
        mut options: Vec<Replacement>,
        slot: SlotId,
        verdict: Option<Verdict>,
    ) {
        let tested = options.pop();
        if verdict != Some(Verdict::Interesting) {
            self.tasks.insert_mut(key, TaskState::Replacing(options));
        } else if let Some(node) = tested.and_then(|replacement| replacement.node) {
            self.push_replace(node, slot, Share::All);
        }
    }

    /// Returns the nodes that a list task works on.
    pub(super) fn siblings(&self, id: TaskId) -> &[NodeId] {
        match id {
            TaskId::List(list) => self.tree.elements(&self.tree.lists[list]),
            TaskId::Extras => &self.tree.extras,
            TaskId::Chain(_) | TaskId::Separate(_) | TaskId::Replace(..) => &[],
        }
    }

    /// Returns the weight of each element of a sibling list, of the extras or of a chain: 0 if no
    /// token of it is kept. A level of a chain weighs as much as its tokens.
    fn weights(&self, id: TaskId) -> Vec<u32> {
        match id {
            TaskId::Chain(node) => (self.levels(node))
                .map(|(outer, inner)| self.weight(outer) - self.weight(inner))
                .map(|tokens| u32::try_from(tokens).unwrap_or(u32::MAX))
                .collect(),
            _ => (self.siblings(id).iter())
                .map(|&node| self.tree.weigh(node, self.weight(node)))
                .collect(),
        }
    }
}
