//! Lists that reductions of real inputs meet, with verdicts of the real command.
//!
//! A [`ParsedInput`] is reduced list by list; each list becomes a [`ListRecording`], a table of
//! what was tested. Any algorithm can be run on a recording: the table answers what it holds, and
//! the command, through the input, all else. A recording holds numbers only, nothing of the input.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use boildown_document::{Candidate, Check, Document, Language, View};
use boildown_literature::tree::{TreeList, TreeLists};
use boildown_search::algorithms::Algorithm;
use boildown_search::list::{List, ListAlgorithm as _};
use boildown_search::tree::NodeId;
use boildown_search::{Fingerprint, Fingerprinted as _, Search, Subset, Verdict};
use serde::{Deserialize, Serialize};

use crate::simulate::{Judged, RunEnd, RunRules, run_alone};

/// The lists that a reduction of a tree meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ListKind {
    /// All nodes of a level of the tree, as in HDD.
    Levels,
    /// The children of one node, as in `HDDr`.
    Siblings,
}

impl ListKind {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::Levels, Self::Siblings];

    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Levels => "levels",
            Self::Siblings => "siblings",
        }
    }
}

impl FromStr for ListKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|kind| kind.name() == text);
        known.ok_or_else(|| "not one of levels, siblings".to_owned())
    }
}

/// What is known about a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CandidateTest {
    /// The command was run, with this verdict: the property holds.
    Interesting,
    /// It does not.
    Uninteresting,
    /// It cannot be said.
    Unresolved,
    /// The candidate has more syntax errors than the input, and the command was not run.
    NotParsing,
}

impl From<Verdict> for CandidateTest {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Interesting => Self::Interesting,
            Verdict::Uninteresting => Self::Uninteresting,
            Verdict::Unresolved => Self::Unresolved,
        }
    }
}

/// A list that a reduction met: its weights, and what is known about its subsets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListRecording {
    /// The name of the input.
    pub input: String,
    /// The kind of list.
    pub lists: ListKind,
    /// The number of the list among those of this kind and input, from 1.
    pub number: usize,
    /// The hash of the input.
    content: String,
    /// The weight of each element.
    weights: Vec<u32>,
    /// The tokens that were left when the reduction met the list, such as `0-5,9`.
    kept: String,
    /// The nodes whose children the elements are.
    parents: Vec<usize>,
    /// The hashes of subsets, by what is known about them.
    tests: BTreeMap<CandidateTest, Vec<String>>,
    #[serde(skip)]
    known: HashMap<Fingerprint, TimedTest>,
}

/// What a test said about a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedTest {
    /// What is known about the candidate.
    pub test: CandidateTest,
    /// How long the command ran. `None` if that is not known: the test was recorded.
    pub took: Option<Duration>,
}

/// The limits of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunLimit {
    /// The most tests.
    pub max_tests: Option<u64>,
    /// The time of all tests after which no other one begins. Tests without a time take none.
    pub max_time: Option<Duration>,
}

impl RunLimit {
    /// Returns what a run leaves of the limits.
    fn after(self, run: &ListRun) -> Self {
        let took = run.took.unwrap_or_default();
        Self {
            max_tests: (self.max_tests).map(|tests| tests.saturating_sub(run.tests)),
            max_time: self.max_time.map(|time| time.saturating_sub(took)),
        }
    }
}

/// The run of an algorithm on a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListRun {
    /// Number of tests. Candidates that do not parse, or were tested before, are none.
    pub tests: u64,
    /// The elements that are left.
    pub left: Subset,
    /// The tests, in order.
    pub told: Vec<(Subset, Verdict)>,
    /// The time of all tests; `None` if one of them is not known.
    pub took: Option<Duration>,
    /// Whether the search ended by itself.
    pub finished: bool,
}

/// The reduction of an input, list by list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedReduction {
    /// The lists of at least two elements.
    pub lists: Vec<ListRecording>,
    /// Number of tokens of the input.
    pub tokens_before: usize,
    /// Number of tokens that are left.
    pub tokens: usize,
    /// Number of tests.
    pub tests: u64,
    /// The time of all tests.
    pub took: Duration,
    /// Whether it ended by itself.
    pub finished: bool,
}

impl ListRecording {
    /// Returns the list.
    #[must_use]
    pub fn list(&self) -> List {
        List::weighted(self.weights.iter().copied())
    }

    /// Runs a search over the list to its end, or to a limit. `ask` is called about subsets that
    /// are not in the table, and its answers are added.
    ///
    /// # Errors
    /// The first error of `ask`.
    pub fn run<E>(
        &mut self,
        mut search: impl Search<Candidate = Subset>,
        limit: RunLimit,
        ask: &mut impl FnMut(&Subset) -> Result<TimedTest, E>,
    ) -> Result<ListRun, E> {
        let (mut told, mut took) = (Vec::new(), Some(Duration::ZERO));
        let judge = |subset: &Subset| {
            if limit.max_time.is_some() && took >= limit.max_time {
                return Ok(Judged::Ended);
            }
            let tested = self.test(subset, ask)?;
            let verdict = match tested.test {
                CandidateTest::Interesting => Verdict::Interesting,
                CandidateTest::Uninteresting => Verdict::Uninteresting,
                CandidateTest::Unresolved => Verdict::Unresolved,
                CandidateTest::NotParsing => return Ok(Judged::Skipped),
            };
            took = took.zip(tested.took).map(|(before, took)| before + took);
            told.push((subset.clone(), verdict));
            Ok(Judged::Told(verdict))
        };
        let rules = RunRules {
            max_tests: limit.max_tests,
            ..RunRules::default()
        };
        let RunEnd { tests, finished } = run_alone(&mut search, &mut HashSet::new(), rules, judge)?;
        Ok(ListRun {
            tests,
            left: search.best(),
            told,
            took,
            finished,
        })
    }

    /// Forgets the tests, so that all are made again.
    pub fn forget_tests(&mut self) {
        self.tests.clear();
        self.known.clear();
    }

    /// Returns what is known about a subset, or asks.
    fn test<E>(
        &mut self,
        subset: &Subset,
        ask: &mut impl FnMut(&Subset) -> Result<TimedTest, E>,
    ) -> Result<TimedTest, E> {
        if self.known.is_empty() {
            for (&test, subsets) in &self.tests {
                let hashes = subsets.iter().filter_map(|hash| parsed(hash));
                let test = TimedTest { test, took: None };
                self.known.extend(hashes.map(|hash| (hash, test)));
            }
        }
        let hash = shortened(subset);
        if let Some(&test) = self.known.get(&hash) {
            return Ok(test);
        }
        let test = ask(subset)?;
        self.known.insert(hash, test);
        let hashes = self.tests.entry(test.test).or_default();
        let text = format!("{:016x}", hash.bits());
        if let Err(place) = hashes.binary_search(&text) {
            hashes.insert(place, text);
        }
        Ok(test)
    }

    /// Returns the number of subsets in the table.
    #[must_use]
    pub fn tested(&self) -> usize {
        self.tests.values().map(Vec::len).sum()
    }
}

/// The last 64 bits of a fingerprint: a table has some thousands.
fn shortened(subset: &Subset) -> Fingerprint {
    Fingerprint::new(subset.fingerprint().bits() & u128::from(u64::MAX))
}

fn parsed(hash: &str) -> Option<Fingerprint> {
    u128::from_str_radix(hash, 16).ok().map(Fingerprint::new)
}

/// The error for a recording that does not belong to an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("find list {number} of the recording: the input, or its grammar, is another one")]
pub struct OtherInput {
    number: usize,
}

/// An input whose lists are recorded or replayed.
#[derive(Debug)]
pub struct ParsedInput {
    document: Arc<Document>,
    language: &'static Language,
    lists: TreeLists,
    content: String,
    errors: usize,
    /// What is known about contents.
    tested: HashMap<Fingerprint, TimedTest>,
}

impl ParsedInput {
    /// Parses an input.
    #[must_use]
    pub fn new(bytes: &Arc<[u8]>, language: &'static Language) -> Self {
        let document = Arc::new(Document::new(bytes, View::Syntax(language)));
        let content = boildown_document::fingerprint(bytes).bits();
        Self {
            language,
            lists: TreeLists::new(document.tree()),
            document,
            content: format!("{content:032x}"),
            errors: language.errors(bytes),
            tested: HashMap::new(),
        }
    }

    /// Reduces the input list by list with an algorithm, until nothing more goes or the limit is
    /// met. As in picireny, the last element of a list is tried too.
    ///
    /// # Errors
    /// The first error of `judge`, the command, which also says how long it ran.
    pub fn record<E>(
        &mut self,
        name: &str,
        lists: ListKind,
        algorithm: &Algorithm,
        mut limit: RunLimit,
        mut judge: impl FnMut(&[u8]) -> Result<(Verdict, Duration), E>,
    ) -> Result<RecordedReduction, E> {
        let mut recordings = Vec::new();
        let mut kept = Subset::full(self.document.len());
        let tokens_before = self.document.count_tokens(&kept);
        let (mut tests, mut took, mut finished) = (0, Duration::ZERO, true);
        let mut open = vec![self.lists.root()];
        while finished && let Some(parents) = open.pop() {
            let tree_list = self.lists.children_of(&kept, &parents);
            let list = tree_list.list();
            let mut recording = ListRecording {
                input: name.to_owned(),
                lists,
                number: recordings.len() + 1,
                content: self.content.clone(),
                weights: list.weights.to_vec(),
                kept: text_of_runs(&kept),
                parents: parents.iter().map(|node| node.index()).collect(),
                tests: BTreeMap::new(),
                known: HashMap::new(),
            };
            let mut ask = |subset: &Subset| self.test(&tree_list, subset, &mut judge);
            let run = recording.run(algorithm.on(list), limit, &mut ask)?;
            limit = limit.after(&run);
            (tests, took) = (tests + run.tests, took + run.took.unwrap_or_default());
            finished = run.finished;
            let mut left = run.left;
            let none = left.only(0..0);
            let is_told = run.told.iter().any(|(subset, _)| *subset == none);
            if left.count() == 1 && finished && !is_told {
                let last = ask(&none)?;
                if last.test != CandidateTest::NotParsing {
                    (tests, took) = (tests + 1, took + last.took.unwrap_or_default());
                }
                if last.test == CandidateTest::Interesting {
                    left = none;
                }
            }
            kept = tree_list.tokens(&left);
            kept.commit();
            let below = tree_list.below(&left);
            match lists {
                ListKind::Levels if below.is_empty() => {}
                ListKind::Levels => open.push(below),
                ListKind::Siblings => open.extend(below.into_iter().map(|node| vec![node])),
            }
            if recording.weights.len() > 1 {
                recordings.push(recording);
            }
        }
        Ok(RecordedReduction {
            lists: recordings,
            tokens_before,
            tokens: self.document.count_tokens(&kept),
            tests,
            took,
            finished,
        })
    }

    /// Returns the list of a recording.
    ///
    /// # Errors
    /// [`OtherInput`] when the recording is not one of this input.
    pub fn list_of(&self, recording: &ListRecording) -> Result<TreeList, OtherInput> {
        let other = OtherInput {
            number: recording.number,
        };
        let kept = runs_of_text(&recording.kept, self.document.len()).ok_or(other)?;
        let nodes = self.document.tree().nodes.len();
        if recording.content != self.content || recording.parents.iter().any(|&it| it >= nodes) {
            return Err(other);
        }
        let parents: Vec<NodeId> = recording.parents.iter().copied().map(NodeId::new).collect();
        let list = self.lists.children_of(&kept, &parents);
        match *list.list().weights == *recording.weights {
            true => Ok(list),
            false => Err(other),
        }
    }

    /// Tests a subset of a list: parses it, and runs the command if it is new.
    ///
    /// # Errors
    /// The error of `judge`, the command.
    pub fn test<E>(
        &mut self,
        list: &TreeList,
        elements: &Subset,
        judge: &mut impl FnMut(&[u8]) -> Result<(Verdict, Duration), E>,
    ) -> Result<TimedTest, E> {
        let kept = list.tokens(elements);
        let candidate = Candidate::new(Arc::clone(&self.document), kept, Check::Parses);
        let content = candidate.fingerprint();
        if let Some(&test) = self.tested.get(&content) {
            return Ok(test);
        }
        let (test, took) = match self.language.errors(candidate.bytes()) > self.errors {
            true => (CandidateTest::NotParsing, Duration::ZERO),
            false => {
                let (verdict, took) = judge(candidate.bytes())?;
                (verdict.into(), took)
            }
        };
        let test = TimedTest {
            test,
            took: Some(took),
        };
        self.tested.insert(content, test);
        Ok(test)
    }
}

fn text_of_runs(subset: &Subset) -> String {
    let run = |run: Range<usize>| match run.len() {
        1 => run.start.to_string(),
        _ => format!("{}-{}", run.start, run.end - 1),
    };
    subset.runs().map(run).collect::<Vec<_>>().join(",")
}

fn runs_of_text(text: &str, universe: usize) -> Option<Subset> {
    let runs = text.split(',').filter(|run| !run.is_empty()).map(|run| {
        let (first, last) = run.split_once('-').unwrap_or((run, run));
        let run = first.parse().ok()?..last.parse::<usize>().ok()?.checked_add(1)?;
        (run.start < run.end && run.end <= universe).then_some(run)
    });
    let runs: Vec<Range<usize>> = runs.collect::<Option<_>>()?;
    Some(Subset::full(universe).only(0..0).with(runs))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use boildown_literature::list::Ddmin;

    use super::*;

    const PROGRAM: &str = "int a; int b;\nint f(int x) { if (x) { a = x; } return x; }\nint main(void) { f(1); b = 2; }\n";

    fn input() -> Option<ParsedInput> {
        let language = Language::named("C")?;
        Some(ParsedInput::new(&PROGRAM.as_bytes().into(), language))
    }

    /// A command that takes a second.
    fn needs_call(candidate: &[u8]) -> Result<(Verdict, Duration), Infallible> {
        let text = String::from_utf8_lossy(candidate);
        let verdict = match text.contains("f(1)") && text.contains("return") {
            true => Verdict::Interesting,
            false => Verdict::Uninteresting,
        };
        Ok((verdict, Duration::from_secs(1)))
    }

    fn recorded(input: &mut ParsedInput, lists: ListKind, limit: RunLimit) -> RecordedReduction {
        let Ok(recorded) = input.record("program", lists, &Algorithm::halving(), limit, needs_call);
        recorded
    }

    #[test]
    fn a_recording_answers_what_was_asked_and_the_command_the_rest() {
        let Some(mut input) = input() else { return };
        for kind in ListKind::ALL {
            let halving = Algorithm::halving();
            let recordings = recorded(&mut input, kind, RunLimit::default()).lists;
            assert!(recordings.len() > 1, "{recordings:?}");
            for mut recording in recordings {
                let mut refuse = |subset: &Subset| Err(subset.clone());
                let no_limit = RunLimit::default();
                let search = halving.on(recording.list());
                let replayed = recording.run(search, no_limit, &mut refuse);
                assert!(replayed.is_ok(), "all was asked before");

                let list = input.list_of(&recording).unwrap();
                let (known, mut asked) = (recording.tested(), 0);
                let mut ask = |subset: &Subset| {
                    asked += 1;
                    input.test(&list, subset, &mut needs_call)
                };
                let search = Algorithm::of::<Ddmin>().on(recording.list());
                let other = recording.run(search, no_limit, &mut ask).unwrap();
                assert_eq!(recording.tested(), known + asked);
                let test = input.test(&list, &other.left, &mut needs_call).unwrap();
                assert_eq!(test.test, CandidateTest::Interesting);
            }
        }
    }

    #[test]
    fn a_later_list_is_of_what_earlier_ones_left() {
        let Some(mut input) = input() else { return };
        let recorded = recorded(&mut input, ListKind::Levels, RunLimit::default());
        let last = recorded.lists.last().unwrap();
        let list = input.list_of(last).unwrap();
        let all = Subset::full(last.list().kept.universe());
        let text = Candidate::new(
            Arc::clone(&input.document),
            list.tokens(&all),
            Check::Parses,
        );
        let text = String::from_utf8_lossy(text.bytes()).into_owned();
        assert!(text.contains("f(1)") && !text.contains("b = 2"), "{text}");
    }

    #[test]
    fn a_reduction_ends_at_a_limit_of_tests_or_of_time_with_its_best_result() {
        let Some(mut input) = input() else { return };
        let whole = recorded(&mut input, ListKind::Levels, RunLimit::default());
        assert!(whole.finished && whole.tests > 3, "{whole:?}");
        assert_eq!(whole.took, Duration::from_secs(whole.tests));
        let max_tests = Some(whole.tests - 2);
        let max_time = max_tests.map(Duration::from_secs);
        for limit in [(max_tests, None), (None, max_time)] {
            let (max_tests, max_time) = limit;
            let limit = RunLimit {
                max_tests,
                max_time,
            };
            let ended = recorded(&mut input, ListKind::Levels, limit);
            assert_eq!((ended.tests, ended.finished), (whole.tests - 2, false));
            assert!((whole.tokens..whole.tokens_before).contains(&ended.tokens));
        }
    }

    #[test]
    fn the_time_of_a_run_is_known_if_all_of_its_tests_were_made_now() {
        let Some(mut input) = input() else { return };
        let mut recording = recorded(&mut input, ListKind::Levels, RunLimit::default())
            .lists
            .remove(0);
        let text = serde_json::to_string(&recording).unwrap();
        let mut replayed: ListRecording = serde_json::from_str(&text).unwrap();
        let list = input.list_of(&recording).unwrap();
        let mut took = |recording: &mut ListRecording| {
            let mut ask = |subset: &Subset| input.test(&list, subset, &mut needs_call);
            let search = Algorithm::halving().on(recording.list());
            let Ok(run) = recording.run(search, RunLimit::default(), &mut ask);
            (run.took, Duration::from_secs(run.tests))
        };
        let (known, tests) = took(&mut recording);
        assert_eq!(known, Some(tests));
        assert_eq!(took(&mut replayed), (None, tests));
        replayed.forget_tests();
        assert_eq!(took(&mut replayed), (Some(tests), tests));
    }

    #[test]
    fn a_recording_of_another_input_is_refused() {
        let Some(mut input) = input() else { return };
        let recorded = recorded(&mut input, ListKind::Levels, RunLimit::default());
        let language = Language::named("C").unwrap();
        let changed = PROGRAM.replace("int b;", "int c;");
        let other = ParsedInput::new(&changed.as_bytes().into(), language);
        assert!(other.list_of(&recorded.lists[0]).is_err());
    }

    #[test]
    fn runs_are_read_as_they_are_written() {
        for runs in [&[][..], &[0..1], &[0..6, 9..10], &[3..20]] {
            let subset = Subset::full(20).only(0..0).with(runs.iter().cloned());
            assert_eq!(runs_of_text(&text_of_runs(&subset), 20), Some(subset));
        }
        for wrong in ["x", "5-2", "0-20", "3-"] {
            assert_eq!(runs_of_text(wrong, 20), None, "{wrong}");
        }
    }
}
