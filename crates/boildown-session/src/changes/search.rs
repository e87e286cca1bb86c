//! From two states to the smallest set of changes between them that makes the difference.

use std::sync::Arc;
use std::time::Duration;

use boildown_changes::{
    ChangeTree, ChangesError, Commit, Configuration, Contents, Layer, State, stat, transplant,
};
use boildown_oracle::spawn::Sandbox;
use boildown_oracle::store::Tape;
use boildown_oracle::{Cancel, OracleError, Run, Scratch, Verdict};
use boildown_search::changes::{Bisect, Descent};
use boildown_search::{Search as _, Subset};

use super::baseline::Baseline;
use super::event::{ChangesEvent, Counts, Found, Loosened, Part, Trial};
use super::parsing::Parsing;
use super::phase::{Made, Phases};
use super::rule::Reason;
use super::trees::{Furnish, Judge, Judgement, Trees};
use super::way::{At, Place, Row, States};
use crate::{Config, Stopped, time_limit};

/// What is searched.
#[derive(Debug)]
pub struct Problem {
    /// The states, from the good one to the bad one.
    pub row: Row,
    /// The bytes of their files.
    pub contents: Arc<Contents>,
    /// Where trees are made.
    pub scratch: Arc<Scratch>,
    /// How they are judged.
    pub judge: Judge,
    /// What may be tried when the sandbox is against it that the states are what they are said to be.
    pub roomier: Option<Sandbox>,
    /// Whether the time limit was stated, and is not to be read off the first runs.
    pub timeout_is_stated: bool,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A state is not what it was said to be.
    #[error("{name} is not {wanted}")]
    Baseline {
        /// Which state.
        name: String,
        /// What it was said to be.
        wanted: &'static str,
        /// What is known of it.
        judgement: Box<Judgement>,
    },
    /// A state was so in one run and otherwise in another.
    #[error("two runs on {name} did not end alike")]
    Flaky {
        /// Which state.
        name: String,
    },
    /// The two states are the same.
    #[error("nothing differs between {good} and {bad}")]
    Same {
        /// The one.
        good: String,
        /// The other.
        bad: String,
    },
    /// A command could not be run.
    #[error(transparent)]
    Oracle(#[from] OracleError),
    /// A state could not be read.
    #[error(transparent)]
    Changes(#[from] ChangesError),
}

/// How often the search goes back for something older that the culprit needs.
const OLDER: usize = 8;

/// A problem whose ends are known to be good and bad.
#[derive(Debug)]
pub struct Checked<'a> {
    problem: &'a Problem,
    trees: Trees,
    time_limit: Duration,
}

/// Checks that the first state of a row is good and the last one bad, twice each. When they are not, and it is for the sandbox that
/// they are not, the command is allowed more. The tape knows the runs of an earlier session.
///
/// # Errors
/// [`SearchError`] when the two states are not good and bad, or nobody could be asked.
pub fn check<'a>(
    problem: &'a Problem,
    furnish: Furnish,
    tape: &Tape,
    cancel: &Cancel,
    on_event: &mut dyn FnMut(&ChangesEvent),
) -> Result<Checked<'a>, SearchError> {
    let mut trees = Trees::new(
        problem.judge.clone(),
        Arc::clone(&problem.contents),
        Arc::clone(&problem.scratch),
        furnish,
    );
    let mut baseline = Baseline {
        problem,
        tape,
        cancel,
        on_event,
        said: [None; 2],
    };
    let slowest = match baseline.check(&trees) {
        Err(SearchError::Baseline { .. }) if trees.sandbox().is_some() => {
            trees.set_sandbox(None);
            // If it fails as well, it is this that the user sees when the command is run by hand.
            let slowest = baseline.check(&trees)?;
            trees.set_sandbox(problem.roomier.clone());
            let loosened = match baseline.check(&trees) {
                Ok(_) if problem.roomier.is_some() => Loosened::Temporary,
                Ok(_) | Err(SearchError::Baseline { .. } | SearchError::Flaky { .. }) => {
                    Loosened::Everything
                }
                Err(error) => return Err(error),
            };
            if loosened == Loosened::Everything {
                trees.set_sandbox(None);
            }
            (baseline.on_event)(&ChangesEvent::Loosened(loosened));
            slowest
        }
        checked => checked?,
    };
    let stated = problem
        .timeout_is_stated
        .then_some(problem.judge.limits.timeout);
    let time_limit = problem
        .judge
        .hang()
        .or(stated)
        .unwrap_or(time_limit(slowest));
    trees.set_timeout(time_limit);
    Ok(Checked {
        problem,
        trees,
        time_limit,
    })
}

impl Checked<'_> {
    /// Returns how long a run may take.
    #[must_use]
    pub fn time_limit(&self) -> Duration {
        self.time_limit
    }

    /// Finds the smallest set of changes that makes the difference between the first state of a row and the last.
    ///
    /// First along the row, by halves; then level by level in the changes of the step that history leaves. What is found is made
    /// to the good state itself; when that is not enough, because it only breaks together with something older, that is looked for in
    /// the same way. In the end the culprit alone is run in a fresh tree, and the bad state without it.
    ///
    /// # Errors
    /// [`SearchError`] when nobody could be asked.
    pub fn find(
        mut self,
        config: &Config,
        cancel: &Cancel,
        on_event: &mut dyn FnMut(&ChangesEvent),
    ) -> Result<Found, SearchError> {
        let Problem { row, contents, .. } = self.problem;
        self.trees.remember(config.store.clone());
        let hunt = Hunt {
            row: row.clone(),
            bad: &row.places[row.places.len() - 1],
            contents,
            states: States::default(),
            phases: Phases::new(&self.trees, config, on_event),
            cancel,
            stopped: None,
        };
        hunt.find()
    }
}

/// A run that was stopped says nothing; what was found before stays.
fn or_interrupted(judged: Result<Judgement, OracleError>) -> Result<Judgement, OracleError> {
    match judged {
        Err(OracleError::Cancelled) => Ok(Judgement {
            verdict: Verdict::Unresolved,
            reason: Some(Reason::Interrupted),
            run: None,
        }),
        judged => judged,
    }
}

struct Hunt<'a> {
    /// Its last place changes when the search follows a merge.
    row: Row,
    /// The bad state as the user gave it.
    bad: &'a Place,
    contents: &'a Contents,
    states: States,
    phases: Phases<'a>,
    cancel: &'a Cancel,
    stopped: Option<Stopped>,
}

/// A set of changes on a place of the row.
struct Culprit {
    /// The place that it is made to.
    at: usize,
    before: Configuration,
    after: Configuration,
    /// Which of the commits after that place it comes from, when there are several.
    of_commits: Option<Vec<u32>>,
}

impl Culprit {
    /// Those of the commits between two places that it comes from.
    fn commits(&self, all: Vec<Commit>, undone: bool) -> Vec<Commit> {
        let Some(used) = &self.of_commits else {
            return all;
        };
        let count = all.len();
        let is_used = |place: usize| {
            // Undone commits are met the youngest first.
            let met = if undone { count - 1 - place } else { place };
            u32::try_from(met).is_ok_and(|met| used.contains(&met))
        };
        let kept: Vec<bool> = (0..count).map(is_used).collect();
        let mut kept = kept.into_iter();
        let mut all = all;
        all.retain(|_| kept.next().unwrap_or(true));
        all
    }
}

/// The levels of a search in a tree, without those that say nothing new.
fn layers(tree: &ChangeTree, commits: Option<&[u32]>, names: Vec<u32>) -> Vec<(Layer, Vec<u32>)> {
    let mut layers: Vec<(Layer, Vec<u32>)> = Vec::new();
    let of_tree = |layer| (layer, tree.groups(layer));
    let commits = commits.map(|groups| (Layer::Commits, groups.to_vec()));
    let names =
        Some((Layer::Names, names)).filter(|(_, names)| *names != tree.groups(Layer::Hunks));
    let all = (commits.into_iter())
        .chain([Layer::Directories, Layer::Files].map(of_tree))
        .chain(names)
        .chain([Layer::Hunks, Layer::Lines].map(of_tree));
    for (layer, groups) in all {
        let is_one = groups.iter().all(|group| *group == groups[0]);
        let is_last = layer == Layer::Lines;
        if is_last || !is_one && layers.last().is_none_or(|(_, last)| *last != groups) {
            layers.push((layer, groups));
        }
    }
    layers
}

/// How many groups hold one of these elements.
fn count(groups: &[u32], elements: &Subset) -> usize {
    let mut held: Vec<u32> = elements.iter().map(|element| groups[element]).collect();
    held.sort_unstable();
    held.dedup();
    held.len()
}

impl Hunt<'_> {
    fn trees(&self) -> &Trees {
        self.phases.trees
    }

    fn state(&self, place: usize) -> Result<State, ChangesError> {
        self.states.of(&self.row.places[place], self.contents)
    }

    fn name(&self, place: usize) -> String {
        self.row.places[place].name.clone()
    }

    fn find(mut self) -> Result<Found, SearchError> {
        let (passing, failing) = self.along_history()?;
        let (mut commits, undone) = self.row.commits(self.repository(), passing, failing)?;
        let (passing_name, failing_name) = (self.name(passing), self.name(failing));
        let event = ChangesEvent::Narrowed {
            passing: passing_name,
            failing: failing_name,
            commits: commits.clone(),
            tally: self.phases.tally(),
        };
        self.phases.say(&event);
        let before = Configuration::from(self.state(passing)?);
        let mut culprit = self.inside(passing, failing, &before, &before)?;
        commits = culprit.commits(commits, undone);
        let mut on_good = None;
        for _ in 0..OLDER {
            if culprit.at == 0 || self.stopped.is_some() {
                break;
            }
            let trial = self.try_on(&culprit, 0)?;
            on_good = Some(trial);
            match trial.verdict {
                Verdict::Interesting => {
                    culprit = self.moved(&culprit, 0)?;
                    on_good = None;
                }
                Verdict::Uninteresting => {
                    let Some((older, more)) = self.with_older(&culprit)? else {
                        break;
                    };
                    culprit = older;
                    commits.splice(0..0, more);
                }
                Verdict::Unresolved => break,
            }
        }
        // What was tried there was less than what is tried there now.
        let on_good = on_good.filter(|_| culprit.at > 0);
        self.answer(culprit, commits, undone, on_good)
    }

    fn repository(&self) -> Option<&boildown_changes::Repository> {
        self.contents.repository()
    }

    /// Finds neighbours in the row of which one is good and the other bad, but for what cannot be judged between them.
    fn along_history(&mut self) -> Result<(usize, usize), SearchError> {
        loop {
            let steps = self.row.places.len() - 1;
            if steps > 1 {
                self.phases.say(&ChangesEvent::History { steps });
            }
            let (passing, failing) = self.bisect(
                |hunt, place| Ok(Ok(Configuration::from(hunt.state(place)?))),
                steps,
            )?;
            // A merge is bad and the commit it was made to is good: is it what was merged?
            if failing == passing + 1
                && failing > self.row.turn
                && self.stopped.is_none()
                && let Some(row) = self.merged(passing, failing)?
            {
                self.row = row;
                continue;
            }
            return Ok((passing, failing));
        }
    }

    /// The row to what a merge brought in, when that is bad.
    fn merged(&self, passing: usize, failing: usize) -> Result<Option<Row>, SearchError> {
        let (Some(repository), At::Commit(merge)) =
            (self.repository(), &self.row.places[failing].at)
        else {
            return Ok(None);
        };
        for parent in repository.commit_of(*merge)?.parents.into_iter().skip(1) {
            let state = repository.state(parent)?;
            let judgement = or_interrupted(self.trees().judge(&state.into(), self.cancel))?;
            if judgement.verdict != Verdict::Interesting {
                continue;
            }
            let bad = Place {
                name: parent.to_hex_with_len(10).to_string(),
                at: At::Commit(parent),
            };
            let good = self.row.places[passing].clone();
            let mut row = Row::through(repository, good, bad, None)?;
            // What came before is kept, so that the first place is still the good state.
            let older = self.row.places[..passing].to_vec();
            row.turn += older.len();
            row.places.splice(0..0, older);
            return Ok(Some(row));
        }
        Ok(None)
    }

    /// Bisects the first places of the row, or what is made on them.
    fn bisect(
        &mut self,
        make: impl Fn(&Making<'_>, usize) -> Made + Send + Sync,
        steps: usize,
    ) -> Result<(usize, usize), SearchError> {
        let making = Making {
            row: self.row.clone(),
            contents: self.contents,
            states: &self.states,
        };
        let make = |set: &Subset| make(&making, set.count());
        let (search, stopped) = self
            .phases
            .run(Bisect::of(steps), &make, |_, _| Vec::new())?;
        self.stopped = self.stopped.or(stopped);
        Ok((search.passing(), search.failing()))
    }

    /// Finds the changes between two places that matter, when `from` leads to `to` on top of them.
    fn inside(
        &mut self,
        passing: usize,
        failing: usize,
        from: &Configuration,
        to: &Configuration,
    ) -> Result<Culprit, SearchError> {
        let (old, new) = (self.state(passing)?, self.state(failing)?);
        let tree = ChangeTree::between(&old, &new, self.contents)?;
        let commits = self.by_commit(&tree, passing, failing)?;
        let names = tree.by_name(self.contents)?;
        let layers = layers(&tree, commits.as_deref(), names);
        let contents = self.contents;
        let parsing = Parsing::of(&tree, contents);
        let make = |set: &Subset| -> Made {
            let Some(made) = tree.configuration(set, contents)? else {
                return Ok(Err(Reason::DoesNotApply));
            };
            if !parsing.holds(&made)? {
                return Ok(Err(Reason::DoesNotParse));
            }
            Ok(transplant(from, to, &made, contents)?.ok_or(Reason::DoesNotApply))
        };
        let search = Descent::new(tree.len(), layers.iter().map(|(_, groups)| groups.clone()));
        let full = Subset::full(tree.len());
        let names: Vec<Layer> = layers.iter().map(|(layer, _)| *layer).collect();
        let mut shown = 0;
        let mut before = full;
        let old_files = Configuration::from(old.clone());
        let (search, stopped) = self.phases.run(search, &make, |search: &Descent, tally| {
            let (level, closing) = search.level();
            let level = if closing { names.len() } else { level };
            let mut events = Vec::new();
            // More than one level ends at once where there is nothing to choose.
            while shown < level {
                let best = search.best();
                let Ok(Ok(new)) = make(&best) else {
                    break;
                };
                let groups = &layers[shown].1;
                events.push(ChangesEvent::Level {
                    layer: names[shown],
                    before: count(groups, &before),
                    left: count(groups, &best),
                    tally: tally.clone(),
                    old: old_files.clone(),
                    new,
                });
                shown += 1;
                before = best;
            }
            events
        })?;
        self.stopped = self.stopped.or(stopped);
        let best = search.best();
        let after = make(&best)?.expect("it was run");
        self.contents.keep(&after);
        let of_commits = commits.map(|groups| {
            let mut used: Vec<u32> = best.iter().map(|element| groups[element]).collect();
            used.sort_unstable();
            used.dedup();
            used
        });
        Ok(Culprit {
            at: passing,
            before: Configuration::from(old),
            after,
            of_commits,
        })
    }

    /// The commits that changes come from, when several lie between two places.
    fn by_commit(
        &self,
        tree: &ChangeTree,
        passing: usize,
        failing: usize,
    ) -> Result<Option<Vec<u32>>, ChangesError> {
        /// So many are read one by one.
        const MANY: usize = 300;
        if !(2..=MANY).contains(&(failing - passing)) {
            return Ok(None);
        }
        let states: Result<Vec<State>, _> = (passing + 1..=failing)
            .map(|place| self.state(place))
            .collect();
        tree.by_commit(&states?, self.contents).map(Some)
    }

    /// The culprit on another place; `None` when it does not apply.
    fn onto(&self, culprit: &Culprit, place: usize) -> Result<Option<Culprit>, SearchError> {
        let before = Configuration::from(self.state(place)?);
        let after = transplant(&culprit.before, &culprit.after, &before, self.contents)?;
        Ok(after.map(|after| Culprit {
            at: place,
            before,
            after,
            of_commits: None,
        }))
    }

    fn moved(&self, culprit: &Culprit, place: usize) -> Result<Culprit, SearchError> {
        let moved = self.onto(culprit, place)?.expect("it was tried");
        self.contents.keep(&moved.after);
        Ok(moved)
    }

    fn try_on(&self, culprit: &Culprit, place: usize) -> Result<Trial, SearchError> {
        let moved = self.onto(culprit, place)?;
        self.trial(moved.map(|moved| moved.after))
    }

    fn trial(&self, configuration: Option<Configuration>) -> Result<Trial, SearchError> {
        let Some(configuration) = configuration else {
            return Ok(Trial {
                verdict: Verdict::Unresolved,
                reason: Some(Reason::DoesNotApply),
            });
        };
        let Judgement {
            verdict, reason, ..
        } = or_interrupted(self.trees().judge(&configuration, self.cancel))?;
        Ok(Trial { verdict, reason })
    }

    /// Finds what older changes the culprit needs to do harm, and returns it with them, on the place before those. The culprit alone does
    /// none on the first place.
    fn with_older(
        &mut self,
        culprit: &Culprit,
    ) -> Result<Option<(Culprit, Vec<Commit>)>, SearchError> {
        let (from, to) = (culprit.before.clone(), culprit.after.clone());
        let (passing, failing) = self.bisect(
            |making, place| {
                let onto = Configuration::from(making.state(place)?);
                let made = transplant(&from, &to, &onto, making.contents)?;
                Ok(made.ok_or(Reason::DoesNotApply))
            },
            culprit.at,
        )?;
        if self.stopped.is_some() {
            return Ok(None);
        }
        let event = ChangesEvent::Older {
            passing: self.name(passing),
            failing: self.name(failing),
        };
        self.phases.say(&event);
        let (commits, undone) = self.row.commits(self.repository(), passing, failing)?;
        let found = self.inside(passing, failing, &from, &to)?;
        let commits = found.commits(commits, undone);
        Ok(Some((found, commits)))
    }

    fn answer(
        mut self,
        culprit: Culprit,
        commits: Vec<Commit>,
        undone: bool,
        on_good: Option<Trial>,
    ) -> Result<Found, SearchError> {
        let fresh = or_interrupted(self.trees().judge_afresh(&culprit.after, self.cancel))?;
        let bad = Configuration::from(self.states.of(self.bad, self.contents)?);
        let mended = transplant(&culprit.after, &culprit.before, &bad, self.contents)?;
        let repair = self.trial(mended)?;
        let (parts, counts) = self.parts(&culprit)?;
        self.phases.look_after_store();
        let run: Option<Run> = fresh.run;
        Ok(Found {
            base: self.name(culprit.at),
            base_is_good: culprit.at == 0,
            stat: stat(&culprit.before, &culprit.after, self.contents)?,
            counts,
            before: culprit.before,
            after: culprit.after,
            commits,
            undone,
            confirmed: Trial {
                verdict: fresh.verdict,
                reason: fresh.reason,
            },
            on_good,
            repair,
            parts,
            run,
            stopped: self.stopped.take(),
            restored: self.trees().restored(),
            tally: self.phases.tally(),
        })
    }

    /// What the culprit does without each of its hunks, when there are several, and how many of each layer there are.
    fn parts(&self, culprit: &Culprit) -> Result<(Vec<Part>, Counts), SearchError> {
        /// More than anybody reads.
        const MANY: usize = 16;
        let after: State = (culprit.after.iter())
            .map(|(path, made)| (path.clone(), made.entry()))
            .collect();
        let tree = ChangeTree::between(culprit.before.base(), &after, self.contents)?;
        let all = Subset::full(tree.len());
        let layers = [Layer::Directories, Layer::Files, Layer::Hunks, Layer::Lines];
        let counts = layers.map(|layer| (layer, tree.count(layer, &all)));
        let parsing = Parsing::of(&tree, self.contents);
        let hunks = tree.groups(Layer::Hunks);
        let count = tree.count(Layer::Hunks, &all);
        let mut parts = Vec::new();
        if self.stopped.is_some() || !(2..=MANY).contains(&count) {
            return Ok((parts, counts.into()));
        }
        for hunk in 0..u32::try_from(count).expect("few") {
            let elements: Vec<usize> = (0..tree.len()).filter(|&at| hunks[at] == hunk).collect();
            let cut = elements.iter().map(|&element| element..element + 1);
            let less = tree.configuration(&all.without(cut), self.contents)?;
            let trial = match less {
                Some(less) if !parsing.holds(&less)? => Trial {
                    verdict: Verdict::Unresolved,
                    reason: Some(Reason::DoesNotParse),
                },
                less => self.trial(less)?,
            };
            parts.push(Part {
                place: tree.place(elements[0]),
                without: trial.verdict,
            });
        }
        Ok((parts, counts.into()))
    }
}

/// What is needed to make the files of a place, on any thread.
struct Making<'a> {
    row: Row,
    contents: &'a Contents,
    states: &'a States,
}

impl Making<'_> {
    fn state(&self, place: usize) -> Result<State, ChangesError> {
        self.states.of(&self.row.places[place], self.contents)
    }
}
