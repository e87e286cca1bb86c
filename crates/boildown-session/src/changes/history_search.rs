//! Search for the step of a history at which good turns bad.

use boildown_changes::{Configuration, FileKind, HistoryGraph, ObjectId};
use boildown_oracle::Verdict;
use boildown_search::Subset;
use boildown_search::changes::{Ancestry, Bisect, BisectGraph};
use boildown_search::flaky::FlakyBisect;
use boildown_show::CulpritEvent;

use super::error::SearchError;
use super::history_path::{HistoryPath, Narrowed, PathStates, Revision, RevisionFiles};
use super::phases::MadeFiles;
use super::search::{CulpritSearch, or_interrupted};
use crate::event::Event;

/// The commits of a history that may be the culprit, and what a search says about them.
struct Suspects {
    /// The commit that is known to be bad.
    failing: ObjectId,
    /// That one, and ancestors of it that could not be judged.
    all: Vec<ObjectId>,
}

impl CulpritSearch<'_> {
    /// Finds neighbours on the path of which one is good and the other bad. Revisions that could
    /// not be judged may lie between them.
    pub(super) fn bisect_history(&mut self) -> Result<Narrowed, SearchError> {
        let narrowed = self.bisect_revisions()?;
        self.bisect_submodule(narrowed)
    }

    /// Continues in the history of a submodule, if the step moves one and is harmless with the
    /// submodule as it was before.
    fn bisect_submodule(&mut self, narrowed: Narrowed) -> Result<Narrowed, SearchError> {
        let Narrowed { passing, failing } = narrowed;
        let is_step_forward = failing == passing + 1 && failing > self.states.path.turning_point;
        if self.stopped.is_some() || !is_step_forward {
            return Ok(narrowed);
        }
        let contents = self.states.contents;
        let (before, after) = (self.states.read(passing)?, self.states.read(failing)?);
        let moved = after.iter().filter_map(|(path, entry)| {
            let old = before.get(path)?;
            let are_submodules = [old, entry].map(|it| it.kind == FileKind::Submodule);
            (are_submodules == [true, true] && old.id != entry.id)
                .then(|| (path.clone(), old.id, entry.id))
        });
        let moved: Vec<_> = moved.collect();
        let [(path, old, new)] = &moved[..] else {
            return Ok(narrowed);
        };
        let Some(commits) = contents.submodule_commits(path, *old, *new)? else {
            return Ok(narrowed);
        };
        let outer = self.states.path.commit_at(failing);
        let outer = outer.zip(self.repository());
        let outer = outer
            .map(|(id, repository)| repository.commit_by_id(id))
            .transpose()?;
        let inner = commits.iter().map(|commit| Revision {
            name: format!("{path}@{}", commit.short()),
            files: RevisionFiles::Submodule {
                state: contents.with_submodule_files(&after, path, Some(commit.id)),
                commits: outer.iter().cloned().chain([commit.clone()]).collect(),
            },
        });
        let inner: Vec<Revision> = inner.collect();
        let files: Vec<Configuration> = (inner.iter())
            .map(|revision| Ok(self.states.read_revision(revision)?.into()))
            .collect::<Result<_, SearchError>>()?;
        let unmoved = or_interrupted(self.trees().judge(&files[0], self.interrupt))?;
        if unmoved.verdict != Verdict::Uninteresting {
            return Ok(narrowed);
        }
        let steps = inner.len() - 1;
        self.phases.report(CulpritEvent::History { steps });
        let make_files = |set: &Subset| -> MadeFiles { Ok(Ok(files[set.count()].clone())) };
        let search = Bisect::over_prefixes(steps);
        let (search, stopped) = self.phases.run(search, &make_files, |_, _| Vec::new())?;
        self.stopped = self.stopped.or(stopped);
        let revisions = &mut self.states.path.revisions;
        revisions.truncate(passing + 1);
        revisions.extend(inner);
        self.states.submodule = Some(path.clone());
        Ok(Narrowed {
            passing: passing + 1 + search.passing(),
            failing: passing + 1 + search.failing(),
        })
    }

    fn bisect_revisions(&mut self) -> Result<Narrowed, SearchError> {
        if let Some(narrowed) = self.bisect_commits()? {
            return Ok(narrowed);
        }
        if !self.path.limits.paths.is_empty() && self.stopped.is_none() {
            self.phases.reporter().report(&Event::SearchWidened);
        }
        let steps = self.states.path.steps();
        if steps > 1 {
            self.phases.report(CulpritEvent::History { steps });
        }
        self.bisect(steps, |states, revision| {
            Ok(Ok(Configuration::from(states.read(revision)?)))
        })
    }

    /// Bisects the commits that the bad one descends from and the good ones do not, on all their
    /// branches. The path then leads to the commit that is found.
    ///
    /// Returns `None` when the history does not say which commit it is: the good state is no
    /// ancestor of the bad one and where they part is not good, or a commit is bad whose parents
    /// are not good. Then the path along first parents is searched.
    fn bisect_commits(&mut self) -> Result<Option<Narrowed>, SearchError> {
        let path = self.path;
        let last = path.steps();
        // The work tree has no commit.
        let last_commit = match path.commit_at(last) {
            None if last > 1 => last - 1,
            _ => last,
        };
        let (Some(repository), Some(good), Some(bad)) = (
            self.repository(),
            path.commit_at(0),
            path.commit_at(last_commit),
        ) else {
            return Ok(None);
        };
        if last_commit < last {
            match self.verdict_on(bad)? {
                Verdict::Interesting => {}
                Verdict::Uninteresting => {
                    return Ok(Some(Narrowed {
                        passing: last_commit,
                        failing: last,
                    }));
                }
                Verdict::Unresolved => return Ok(None),
            }
        }
        let mut all_good = vec![good];
        all_good.extend(&path.limits.good);
        if !repository.is_ancestor(good, bad)? {
            let Some(common) = path.commit_at(path.turning_point) else {
                return Ok(None);
            };
            if self.verdict_on(common)? != Verdict::Uninteresting {
                return Ok(None);
            }
            all_good.push(common);
        }
        let graph = repository.commits_between(&all_good, bad, &path.limits)?;
        let Some(graph) = graph.filter(|graph| graph.commits.len() > 1) else {
            return Ok(None);
        };
        let steps = graph.commits.len();
        self.phases.report(CulpritEvent::History { steps });
        let suspects = match self.flaky_suspects(&graph)? {
            Some(suspects) => suspects,
            None => self.suspects(graph)?,
        };
        self.path_to(&suspects)
    }

    fn suspects(&mut self, graph: HistoryGraph) -> Result<Suspects, SearchError> {
        let skipped = &self.path.limits.skipped;
        let skipped = (0..graph.commits.len()).filter(|at| skipped.contains(&graph.commits[*at]));
        let search = BisectGraph::past(Ancestry::new(graph.parents), skipped);
        let commits = &graph.commits;
        let repository = self.states.contents.repository();
        let make_files = |set: &Subset| -> MadeFiles {
            // A commit is the last one of it and its ancestors.
            let commit = commits[set.iter().last().expect("it holds a commit")];
            let repository = repository.expect("the commits are in a repository");
            Ok(Ok(repository.state(commit)?.into()))
        };
        let progress = |search: &BisectGraph, _: &_| {
            let suspects = search.suspects().len();
            let tests = suspects.next_power_of_two().ilog2() as usize;
            vec![Event::BisectionProgress { suspects, tests }]
        };
        let (search, stopped) = self.phases.run(search, &make_files, progress)?;
        self.stopped = self.stopped.or(stopped);
        Ok(Suspects {
            failing: commits[search.failing()],
            all: search.suspects().iter().map(|at| commits[*at]).collect(),
        })
    }

    /// Finds the suspects by runs that do not always tell good from bad. `None` when they do.
    fn flaky_suspects(&mut self, graph: &HistoryGraph) -> Result<Option<Suspects>, SearchError> {
        let Some(rates) = self.trees().rates() else {
            return Ok(None);
        };
        let commits = Ancestry::new(graph.parents.clone());
        let mut search = FlakyBisect::new(commits, rates.bad, rates.good);
        for (at, commit) in graph.commits.iter().enumerate() {
            if self.path.limits.skipped.contains(commit) {
                search.skip(at);
            }
        }
        while self.stopped.is_none()
            && let Some(at) = search.next_run()
        {
            let state = self
                .states
                .read_revision(&Revision::of_commit(graph.commits[at]))?;
            let answer = self.trees().judge_now(&state.into(), self.interrupt);
            let answer = or_interrupted(answer)?;
            match answer.verdict {
                Verdict::Unresolved => search.skip(at),
                verdict => search.tell(at, verdict == Verdict::Interesting),
            }
            self.stopped = self.phases.count_one(&answer);
            let event = Event::BisectionProgress {
                suspects: search.suspects().len(),
                tests: search.tests_left(),
            };
            self.phases.reporter().report(&event);
        }
        let suspects = search.suspects();
        let Some(last) = suspects.last() else {
            return Ok(None);
        };
        Ok(Some(Suspects {
            failing: graph.commits[*last],
            all: suspects.iter().map(|at| graph.commits[*at]).collect(),
        }))
    }

    fn verdict_on(&self, commit: ObjectId) -> Result<Verdict, SearchError> {
        let state = self.states.read_revision(&Revision::of_commit(commit))?;
        let answer = or_interrupted(self.trees().judge(&state.into(), self.interrupt))?;
        Ok(answer.verdict)
    }

    /// Makes the path lead to the suspects: from the good state to the newest ancestor of the
    /// failing commit that is not one of them, and along first parents through them. `None` if that
    /// ancestor is not good, or the failing commit is not bad.
    fn path_to(&mut self, suspects: &Suspects) -> Result<Option<Narrowed>, SearchError> {
        let repository = self.repository().expect("the commits are in a repository");
        let mut steps = vec![suspects.failing];
        let before = loop {
            let first = steps[steps.len() - 1];
            let parents = repository.commit_by_id(first)?.parents;
            let Some(parent) = parents.first().copied() else {
                return Ok(None);
            };
            if !suspects.all.contains(&parent) {
                // Any parent that is good will do, the first one best.
                let found = match self.stopped {
                    Some(_) => Some(parent),
                    None => self.first_good(&parents)?,
                };
                let Some(found) = found else {
                    return Ok(None);
                };
                break found;
            }
            steps.push(parent);
        };
        if self.stopped.is_none() && self.verdict_on(suspects.failing)? != Verdict::Interesting {
            return Ok(None);
        }
        let good = self.path.good().clone();
        let mut path = match &good.files {
            RevisionFiles::Commit(id) if before == *id => HistoryPath {
                revisions: vec![good],
                ..self.path.clone()
            },
            _ => {
                let before = Revision::of_commit(before);
                HistoryPath::through(repository, good, before, None)?
            }
        };
        path.turning_point = path.turning_point.min(path.revisions.len() - 1);
        let passing = path.revisions.len() - 1;
        let bad = (
            self.path.bad().clone(),
            self.path.commit_at(self.path.steps()),
        );
        path.revisions
            .extend(steps.into_iter().rev().map(|id| match &bad {
                // As the user named it.
                (revision, Some(commit)) if *commit == id => revision.clone(),
                _ => Revision::of_commit(id),
            }));
        let failing = path.revisions.len() - 1;
        self.states.path = path;
        Ok(Some(Narrowed { passing, failing }))
    }

    fn first_good(&self, commits: &[ObjectId]) -> Result<Option<ObjectId>, SearchError> {
        for commit in commits {
            if self.verdict_on(*commit)? == Verdict::Uninteresting {
                return Ok(Some(*commit));
            }
        }
        Ok(None)
    }

    /// Bisects the first `steps` steps of the path. `make_files` makes the files that are tested
    /// for a revision, given by its index.
    pub(super) fn bisect(
        &mut self,
        steps: usize,
        make_files: impl Fn(&PathStates<'_>, usize) -> MadeFiles + Send + Sync,
    ) -> Result<Narrowed, SearchError> {
        let states = &self.states;
        let make_files = |set: &Subset| make_files(states, set.count());
        let search = Bisect::over_prefixes(steps);
        let (search, stopped) = self.phases.run(search, &make_files, |_, _| Vec::new())?;
        self.stopped = self.stopped.or(stopped);
        Ok(Narrowed {
            passing: search.passing(),
            failing: search.failing(),
        })
    }
}
