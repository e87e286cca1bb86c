//! Batches of the best-first tree search: gathering the next queries, recording their answers.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use super::replacements::Replacement;
use super::search::TreeSearch;
use super::tasks::{
    Cuts, PendingQuery, ReadyTask, Share, TaskAnswer, TaskId, TaskKey, TaskQuery, TaskState,
};
use crate::list::{List, ListAlgorithm};
use crate::tree::{NodeId, SlotId};
use crate::{BatchAnswer, ListSearch as _, Search as _, Subset, Verdict};

impl<A: ListAlgorithm> TreeSearch<A> {
    /// Prepares the next batch: takes tasks from the top of the heap until the first one has a
    /// query, and gathers the queries of the first tasks.
    ///
    /// A task without a query is removed, and the tasks that follow from its end are added. If the
    /// priority learns, a task whose next query belongs to another class than its key says is put
    /// back under the right key.
    pub(super) fn prepare_batch(&mut self) {
        loop {
            let Some(&key) = self.first_tasks(1).first() else {
                self.batch = Arc::new([]);
                return;
            };
            let (mut task, fresh) = match self.tasks.get(&key) {
                Some(TaskState::Fresh) | None => (self.start_task(key.id), true),
                Some(started) => (started.clone(), false),
            };
            let Some(cuts) = self.next_cuts(key.id, &mut task) else {
                self.tasks.remove_mut(&key);
                self.finish_task(key.id, &task);
                continue;
            };
            let size = self.size(&cuts);
            if self.priority.learns() {
                let kind = self.query_kind(&key, &task);
                let actual = TaskKey {
                    class: self.priority.class(kind, key.class.owner, size),
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
            self.batch = self.gather();
            return;
        }
    }

    /// Returns the first tasks that have queries and whose spans of tokens do not overlap, with up
    /// to `batch_size` queries in all.
    fn gather(&self) -> Arc<[ReadyTask<A::Search>]> {
        let mut gathered = Vec::new();
        // The spans of the gathered tasks: start to end.
        let mut spans = BTreeMap::new();
        let mut missing = self.batch_size.get();
        // Tasks far down the heap have little to gain, and there are many of them.
        let count = match self.batch_size.get() {
            1 => 1,
            batch_size => 4 * batch_size,
        };
        for key in self.first_tasks(count) {
            let Some(state) = self.tasks.get(&key) else {
                continue;
            };
            let span = self.span(key.id);
            let before = spans.range(..span.end).next_back();
            if before.is_some_and(|(_, &end)| end > span.start) {
                continue;
            }
            let mut state = match state {
                TaskState::Fresh => self.start_task(key.id),
                started => started.clone(),
            };
            let Some(first) = self.next_cuts(key.id, &mut state) else {
                continue;
            };
            missing -= 1;
            let queries = self.task_queries(key.id, &state, first, missing);
            let tests = (queries.iter()).filter(|query| matches!(query, TaskQuery::Test { .. }));
            missing = missing.saturating_sub(tests.count() - 1);
            gathered.push(ReadyTask {
                kind: self.query_kind(&key, &state),
                key,
                state,
                queries,
            });
            spans.insert(span.start, span.end);
            if missing == 0 {
                break;
            }
        }
        gathered.into()
    }

    /// Returns the queries that a task has now: the one that makes the `first` cuts, and up to
    /// `more` others of its list search.
    fn task_queries(
        &self,
        id: TaskId,
        state: &TaskState<A::Search>,
        first: Cuts,
        more: usize,
    ) -> Vec<TaskQuery> {
        let TaskState::Minimising(search) = state else {
            return vec![TaskQuery::Test {
                cuts: first,
                left: None,
            }];
        };
        let mut queries = vec![TaskQuery::Test {
            cuts: first,
            left: search.ask().map(|query| query.candidate),
        }];
        if let Some(more) = NonZeroUsize::new(more) {
            for query in search.pending(more.saturating_add(1)).into_iter().skip(1) {
                let cuts = self.cuts(id, &query.candidate);
                queries.push(match self.size(&cuts) {
                    0 => TaskQuery::Known(BatchAnswer::Told(Verdict::Interesting)),
                    size if size < self.smallest => TaskQuery::Known(BatchAnswer::Skipped),
                    _ => TaskQuery::Test {
                        cuts,
                        left: Some(query.candidate),
                    },
                });
            }
        }
        queries
    }

    /// Returns the range of tokens within which a task deletes.
    fn span(&self, id: TaskId) -> Range<usize> {
        let tokens = |node: NodeId| self.tree.nodes[node].tokens.clone();
        match id {
            TaskId::Extras => 0..usize::MAX,
            TaskId::List(list) => match self.tree.lists[list].elements.as_slice() {
                [first, .., last] => tokens(*first).start..tokens(*last).end,
                [only] => tokens(*only),
                [] => 0..0,
            },
            TaskId::Chain(node) | TaskId::Separate(node) | TaskId::Replace(node, _) => tokens(node),
        }
    }

    /// Returns the queries of the current batch that need a test, in the order in which they are
    /// asked.
    pub(super) fn pending_queries(&self) -> impl Iterator<Item = PendingQuery<'_, A::Search>> {
        self.batch.iter().flat_map(|task| {
            task.queries.iter().filter_map(move |query| match query {
                TaskQuery::Test { cuts, left } => Some(PendingQuery {
                    task,
                    cuts,
                    left: left.as_ref(),
                }),
                TaskQuery::Known(_) => None,
            })
        })
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
                let tokens = |node: NodeId| &tree.nodes[node].tokens;
                (self.levels(node).enumerate())
                    .filter(|&(level, _)| !kept.contains(level))
                    .map(|(_, (outer, inner))| (tokens(outer), tokens(inner)))
                    .flat_map(|(outer, inner)| [outer.start..inner.start, inner.end..outer.end])
                    .filter(|cut| !cut.is_empty())
                    .collect()
            }
            _ => (0..tree.extras.len())
                .filter(|&element| !kept.contains(element))
                .map(|element| tree.nodes[tree.extras[element]].tokens.clone())
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
                    let (whole, part) = (&tree.nodes[node].tokens, &options.last()?.tokens);
                    Arc::new([whole.start..part.start, part.end..whole.end])
                }
                (TaskId::Separate(node), _) => Arc::new([tree.nodes[node].tokens.clone()]),
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

    /// Records the answers to a task's queries. `answers` belong to the first of them that needed a
    /// test.
    pub(super) fn record_task(&mut self, task: &ReadyTask<A::Search>, answers: &[TaskAnswer]) {
        self.tasks.remove_mut(&task.key);
        match (&task.state, task.key.id) {
            (TaskState::Minimising(search), _) => {
                self.record_list_answers(task, search.clone(), answers);
            }
            (TaskState::Replacing(options), TaskId::Replace(_, slot)) => {
                self.record_replacement(task, options.clone(), slot, answers);
            }
            _ => match answers.first() {
                Some(&TaskAnswer {
                    answer: BatchAnswer::Told(verdict),
                    size,
                    ..
                }) => self.learned_rates.learn(task.kind, size, verdict.into()),
                Some(TaskAnswer {
                    answer: BatchAnswer::Skipped,
                    ..
                }) => {}
                _ => self.tasks.insert_mut(task.key, task.state.clone()),
            },
        }
    }

    /// Records the answers to the queries of a list search, those known without a test included.
    fn record_list_answers(
        &mut self,
        task: &ReadyTask<A::Search>,
        mut search: A::Search,
        answers: &[TaskAnswer],
    ) {
        let before = search.best();
        let mut answers = answers.iter();
        let mut recorded: Vec<BatchAnswer> = Vec::new();
        for query in &task.queries {
            let left = match query {
                TaskQuery::Known(answer) => {
                    recorded.push(*answer);
                    continue;
                }
                TaskQuery::Test { left, .. } => left,
            };
            let Some(&TaskAnswer { answer, size, .. }) = answers.next() else {
                break;
            };
            if let BatchAnswer::Told(verdict) = answer {
                self.learned_rates.learn(task.kind, size, verdict.into());
            }
            let is_miss = !matches!(
                answer,
                BatchAnswer::Told(Verdict::Interesting) | BatchAnswer::Deferred
            );
            if let Some(left) = left
                && is_miss
                && self.priority.learns()
            {
                self.push_after_miss(task.key.id, &before, left, size);
            }
            recorded.push(answer);
        }
        search.record(&recorded);
        self.tasks
            .insert_mut(task.key, TaskState::Minimising(search));
    }

    /// Records the answer to a replacement. After a hit, the node that took the slot gets a
    /// replacement task of its own.
    fn record_replacement(
        &mut self,
        task: &ReadyTask<A::Search>,
        mut options: Vec<Replacement>,
        slot: SlotId,
        answers: &[TaskAnswer],
    ) {
        let (answer, size) = match answers.first() {
            Some(answered) => (answered.answer, answered.size),
            None => (BatchAnswer::Deferred, 0),
        };
        if let BatchAnswer::Told(verdict) = answer {
            self.learned_rates.learn(task.kind, size, verdict.into());
        }
        match answer {
            BatchAnswer::Told(Verdict::Interesting) => {
                if let Some(node) = options.pop().and_then(|replacement| replacement.node) {
                    self.push_replace(node, slot, Share::All);
                }
                return;
            }
            BatchAnswer::Told(_) | BatchAnswer::Skipped => drop(options.pop()),
            BatchAnswer::Deferred => {}
        }
        self.tasks
            .insert_mut(task.key, TaskState::Replacing(options));
    }

    /// Returns the nodes that a list task works on.
    pub(super) fn siblings(&self, id: TaskId) -> &[NodeId] {
        match id {
            TaskId::List(list) => &self.tree.lists[list].elements,
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
