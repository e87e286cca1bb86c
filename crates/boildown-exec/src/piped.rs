//! List algorithms in programs of their own, which are asked and told in lines of JSON.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use boildown_oracle::Interrupt;
use boildown_search::algorithms::{Algorithm, ChosenAlgorithm};
use boildown_search::list::List;
use boildown_search::{
    AnyListSearch, Fingerprinted as _, ListSearch, Query, Search, Subset, Verdict,
};
use serde_json::{Value, json};

use crate::spawn::{Dialogue, NoAnswer};

/// The longest time that a program may take for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// What stands for the seed in a line.
const SEED: &str = "{seed}";

/// The most programs that wait in the middle of a list.
const WAITING: usize = 16;

/// The odds of a query whose program states none.
const ODDS: f64 = 0.3;

/// A list algorithm in a program of its own.
///
/// The program reads lines of JSON and answers each with one. For a list of n elements it is sent
/// `{"size": n, "weights": [...]}` and answers with the indices, from 0 to n − 1, of the elements
/// of its first candidate: `{"ask": [...]}`. It may add the probability that the candidate is
/// interesting, as `"odds"`, which only steers speculation. Each verdict, `{"verdict": V}`, is
/// answered with the next candidate, or with the elements that are left: `{"result": [...]}`. V is
/// `interesting`, `uninteresting`, `unresolved`, or `skipped` when there was no test. Then it may
/// be sent the next list, or end.
///
/// A search can be cloned, a process cannot: the clones of a search share the process at their
/// place in the conversation, and the first that is told a verdict takes it along. For another a
/// process is started, and told the same verdicts again. So the program has to be deterministic.
/// One that draws random numbers has its seed in the line, as `{seed}`: 0, or that of
/// [`Algorithm::reseeded`].
///
/// # Errors
/// A search has no errors. The first fault of a program ends all searches of the algorithm with the
/// best candidates so far, triggers [the handle of the session](Self::end_with), and is kept as the
/// [`failure`](Self::failure).
#[derive(Debug, Clone)]
pub struct PipedAlgorithm(Arc<Program>);

/// A fault of a program that has an algorithm.
#[derive(Debug, thiserror::Error)]
#[error("use the algorithm `{line}`: {fault}{}", said(.messages))]
pub struct PipedError {
    /// The line of shell that starts it.
    pub line: String,
    /// What is wrong.
    pub fault: PipedFault,
    /// The end of what it wrote to its standard error.
    pub messages: String,
}

/// What is wrong with a program that has an algorithm.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipedFault {
    /// It could not be started, or its pipes are broken.
    #[error("the system refuses: {0}")]
    System(io::Error),
    /// It ended in the middle of a list.
    #[error("it ended before it had a result")]
    Ended,
    /// It did not answer in time.
    #[error("it did not answer within {} s", .0.as_secs_f64())]
    Silent(Duration),
    /// It wrote a line that it was not asked for, or one that is too long.
    #[error("it wrote more than one line for an answer, or one of more than 128 MB")]
    Flooded,
    /// Its answer is neither a candidate nor a result.
    #[error("it answered `{0}`, which is neither {{\"ask\": [...]}} nor {{\"result\": [...]}}")]
    NotUnderstood(String),
    /// Its answer has an element that the list has not.
    #[error("it named the element {element} of a list of {size}; elements are counted from 0")]
    OutOfRange {
        /// The element, as it was written.
        element: String,
        /// The number of elements.
        size: usize,
    },
    /// Its result was never asked about, or not interesting.
    #[error("its result is neither the whole list nor a candidate that was interesting")]
    NotInteresting,
    /// The same verdicts led to different candidates.
    #[error("it is not deterministic: told the same verdicts again, it asked something else")]
    NotDeterministic,
    /// It asks without an end.
    #[error("it has no result after {asked} candidates of a list of {size} elements")]
    Endless {
        /// The number of candidates.
        asked: usize,
        /// The number of elements.
        size: usize,
    },
}

/// Returns the last line of what a program wrote to its standard error, as the end of a sentence.
fn said(messages: &str) -> String {
    match messages.lines().last() {
        Some(line) => format!("; it said: {line}"),
        None => String::new(),
    }
}

/// What the searches of an algorithm share.
#[derive(Debug)]
struct Program {
    line: String,
    patience: Duration,
    end: Arc<PipedEnd>,
    processes: Mutex<Processes>,
}

/// What ends the searches of an algorithm, with any seed.
#[derive(Debug, Default)]
struct PipedEnd {
    interrupt: OnceLock<Interrupt>,
    failure: OnceLock<PipedError>,
}

#[derive(Debug, Default)]
struct Processes {
    /// Those that have finished a list.
    idle: Vec<Dialogue>,
    /// Those in the middle of one, the longest waiting first.
    waiting: Vec<WaitingProcess>,
}

/// A process that has asked the question of a state, and waits for the answer.
#[derive(Debug)]
struct WaitingProcess {
    moment: Arc<Moment>,
    process: Dialogue,
}

/// A list as its program is told about it.
#[derive(Debug)]
struct PipedList {
    whole: List,
    /// For each index of the program, the element of the list.
    elements: Vec<usize>,
}

/// A state of the conversation about a list.
#[derive(Debug)]
struct Moment {
    /// How it was reached. `None` at the beginning.
    before: Option<Step>,
    question: Question,
    /// The number of states before.
    number: usize,
}

/// What was told at a state.
#[derive(Debug, Clone)]
struct Step {
    from: Arc<Moment>,
    told: Told,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    Verdict(Verdict),
    Skipped,
}

#[derive(Debug)]
enum Question {
    Ask {
        candidate: Subset,
        odds: f64,
    },
    Result(Subset),
    /// The program has failed, or the session was interrupted.
    Broken,
}

/// The next question, and the process that has asked it.
struct NextQuestion {
    question: Question,
    process: Dialogue,
}

/// Why there is no next question.
enum NoQuestion {
    Fault {
        fault: PipedFault,
        /// The end of what the program wrote to its standard error.
        messages: String,
    },
    /// The session was interrupted, or the program has failed before.
    Stopped,
}

impl NoQuestion {
    fn of(process: Dialogue, fault: PipedFault) -> Self {
        let messages = process.into_messages();
        Self::Fault { fault, messages }
    }
}

impl PipedAlgorithm {
    /// Returns the algorithm that a name such as `exec:python3 mine.py` stands for: that of the
    /// program that the line of shell after `exec:` starts. `None` for other names.
    ///
    /// # Errors
    /// Says that there is no line.
    pub fn named(name: &str) -> Option<Result<Self, String>> {
        let line = name.strip_prefix("exec:")?;
        Some(match line.trim().is_empty() {
            true => Err("a command has to follow `exec:`".to_owned()),
            false => Ok(Self::new(line)),
        })
    }

    /// Returns the algorithm of the program that a line of shell starts.
    #[must_use]
    pub fn new(line: &str) -> Self {
        Self::with_patience(line, PATIENCE)
    }

    /// Returns the algorithm of a program that may take this long for an answer.
    #[must_use]
    pub fn with_patience(line: &str, patience: Duration) -> Self {
        Self(Arc::new(Program {
            line: line.to_owned(),
            patience,
            end: Arc::default(),
            processes: Mutex::default(),
        }))
    }

    /// Ends with a session: when its handle is triggered, no answer is waited for. A fault of the
    /// program triggers the handle. Only the first handle counts.
    pub fn end_with(&self, interrupt: &Interrupt) {
        self.0.end.interrupt.get_or_init(|| interrupt.clone());
    }

    /// Returns the first fault of the program, if there was one.
    #[must_use]
    pub fn failure(&self) -> Option<&PipedError> {
        self.0.end.failure.get()
    }

    /// Returns the algorithm as a choice.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        Algorithm::new(self.clone())
    }
}

impl fmt::Display for PipedAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exec:{}", self.0.line)
    }
}

impl ChosenAlgorithm for PipedAlgorithm {
    fn start(&self, list: List) -> AnyListSearch {
        AnyListSearch::new(PipedSearch::start(Arc::clone(&self.0), list))
    }

    fn reseeded(&self, more: u64) -> Option<Algorithm> {
        let Program {
            line,
            patience,
            end,
            ..
        } = &*self.0;
        let reseeded = || Program {
            line: line.replace(SEED, &more.to_string()),
            patience: *patience,
            end: Arc::clone(end),
            processes: Mutex::default(),
        };
        (line.contains(SEED)).then(|| Algorithm::new(Self(Arc::new(reseeded()))))
    }
}

impl Program {
    fn processes(&self) -> MutexGuard<'_, Processes> {
        self.processes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the first state of a list.
    fn begin(&self, list: &PipedList) -> Arc<Moment> {
        let question = match list.elements.is_empty() {
            true => Question::Result(list.whole.kept.clone()),
            false => return self.moment(list, None, self.greet(list)),
        };
        Arc::new(Moment {
            before: None,
            question,
            number: 0,
        })
    }

    /// Returns the state after `told`.
    fn advance(&self, list: &PipedList, now: &Arc<Moment>, told: Told) -> Arc<Moment> {
        let size = list.elements.len();
        let most = 1_000 + 4 * size * size;
        let asked = self.process_at(list, now).and_then(|process| {
            if now.number < most {
                return self.tell(list, process, told);
            }
            let fault = PipedFault::Endless { asked: most, size };
            Err(NoQuestion::of(process, fault))
        });
        let from = Arc::clone(now);
        self.moment(list, Some(&Step { from, told }), asked)
    }

    /// Returns the state with this question, and keeps the process for the next one.
    fn moment(
        &self,
        list: &PipedList,
        before: Option<&Step>,
        asked: Result<NextQuestion, NoQuestion>,
    ) -> Arc<Moment> {
        let number = before.map_or(0, |step| step.from.number + 1);
        let state = |question| {
            Arc::new(Moment {
                before: before.cloned(),
                question,
                number,
            })
        };
        let (moment, process) = match asked {
            Ok(NextQuestion { question, process }) => (state(question), process),
            Err(why) => {
                self.fail(why);
                return state(Question::Broken);
            }
        };
        match &moment.question {
            Question::Result(left) if !moment.was_interesting(list, left) => {
                self.fail(NoQuestion::of(process, PipedFault::NotInteresting));
                return state(Question::Broken);
            }
            Question::Result(_) => self.processes().idle.push(process),
            Question::Ask { .. } | Question::Broken => {
                let mut processes = self.processes();
                let moment = Arc::clone(&moment);
                processes.waiting.push(WaitingProcess { moment, process });
                let surplus = processes.waiting.len().saturating_sub(WAITING);
                let ended: Vec<_> = processes.waiting.drain(..surplus).collect();
                drop(processes);
                // Outside of the lock: a process may take its time to end.
                drop(ended);
            }
        }
        moment
    }

    /// Returns a process that has asked the question of this state.
    fn process_at(&self, list: &PipedList, now: &Arc<Moment>) -> Result<Dialogue, NoQuestion> {
        let mut processes = self.processes();
        let mut waiting = processes.waiting.iter();
        if let Some(place) = waiting.position(|waiting| Arc::ptr_eq(&waiting.moment, now)) {
            return Ok(processes.waiting.remove(place).process);
        }
        drop(processes);
        let moments = now.from_the_beginning();
        let mut asked = self.greet(list)?;
        for (index, moment) in moments.iter().enumerate() {
            if !asked.question.is_same(&moment.question) {
                return Err(NoQuestion::of(asked.process, PipedFault::NotDeterministic));
            }
            let next = moments.get(index + 1);
            if let Some(step) = next.and_then(|next| next.before.as_ref()) {
                asked = self.tell(list, asked.process, step.told)?;
            }
        }
        Ok(asked.process)
    }

    /// Sends a list to a process, an idle one if there is any.
    fn greet(&self, list: &PipedList) -> Result<NextQuestion, NoQuestion> {
        let weight = |&element: &usize| list.whole.weight(element);
        let weights: Vec<u64> = list.elements.iter().map(weight).collect();
        let request = json!({"size": list.elements.len(), "weights": weights});
        let idle = self.processes().idle.pop();
        if let Some(process) = idle {
            match self.exchange(list, process, &request) {
                // It was for one list only.
                Err(NoQuestion::Fault {
                    fault: PipedFault::Ended,
                    ..
                }) => {}
                asked => return asked,
            }
        }
        let process = Dialogue::start(self.line.replace(SEED, "0").as_ref());
        let process = process.map_err(|error| NoQuestion::Fault {
            fault: PipedFault::System(error),
            messages: String::new(),
        })?;
        self.exchange(list, process, &request)
    }

    fn tell(
        &self,
        list: &PipedList,
        process: Dialogue,
        told: Told,
    ) -> Result<NextQuestion, NoQuestion> {
        let verdict = match told {
            Told::Verdict(Verdict::Interesting) => "interesting",
            Told::Verdict(Verdict::Uninteresting) => "uninteresting",
            Told::Verdict(Verdict::Unresolved) => "unresolved",
            Told::Skipped => "skipped",
        };
        self.exchange(list, process, &json!({ "verdict": verdict }))
    }

    fn exchange(
        &self,
        list: &PipedList,
        mut process: Dialogue,
        request: &Value,
    ) -> Result<NextQuestion, NoQuestion> {
        if self.end.failure.get().is_some() {
            return Err(NoQuestion::Stopped);
        }
        let request = format!("{request}\n");
        let answer = process.exchange(request.as_bytes(), self.patience, self.end.interrupt.get());
        let fault = match answer {
            Ok(answer) => match list.question(&answer) {
                Ok(question) => return Ok(NextQuestion { question, process }),
                Err(fault) => fault,
            },
            Err(NoAnswer::Ended) => PipedFault::Ended,
            Err(NoAnswer::Deadline) => PipedFault::Silent(self.patience),
            Err(NoAnswer::Flooded) => PipedFault::Flooded,
            Err(NoAnswer::System(error)) => PipedFault::System(error),
            Err(NoAnswer::Interrupted) => return Err(NoQuestion::Stopped),
        };
        Err(NoQuestion::of(process, fault))
    }

    /// Keeps the first fault, and stops the session.
    fn fail(&self, why: NoQuestion) {
        let NoQuestion::Fault { fault, messages } = why else {
            return;
        };
        self.end.failure.get_or_init(|| PipedError {
            line: self.line.clone(),
            fault,
            messages,
        });
        if let Some(interrupt) = self.end.interrupt.get() {
            interrupt.trigger();
        }
    }
}

impl PipedList {
    fn new(list: List) -> Self {
        Self {
            elements: list.kept.iter().collect(),
            whole: list,
        }
    }

    /// Reads an answer.
    fn question(&self, answer: &[u8]) -> Result<Question, PipedFault> {
        let not_understood = || {
            let text: String = String::from_utf8_lossy(answer).chars().take(100).collect();
            PipedFault::NotUnderstood(text)
        };
        let answer: Value = serde_json::from_slice(answer).map_err(|_| not_understood())?;
        let subset = |indices: &Value| {
            let indices = indices.as_array().ok_or_else(not_understood)?;
            let indices = indices.iter().map(|index| self.index(index));
            self.subset(&indices.collect::<Result<Vec<usize>, _>>()?)
        };
        match (answer.get("ask"), answer.get("result")) {
            (Some(indices), None) => Ok(Question::Ask {
                candidate: subset(indices)?,
                odds: match answer.get("odds").map(Value::as_f64) {
                    None => ODDS,
                    Some(Some(odds)) if (0.0..=1.0).contains(&odds) => odds,
                    Some(_) => return Err(not_understood()),
                },
            }),
            (None, Some(indices)) => Ok(Question::Result(subset(indices)?)),
            _ => Err(not_understood()),
        }
    }

    /// Reads an index.
    fn index(&self, index: &Value) -> Result<usize, PipedFault> {
        let number = index.as_u64().and_then(|index| usize::try_from(index).ok());
        number
            .filter(|&index| index < self.elements.len())
            .ok_or_else(|| PipedFault::OutOfRange {
                element: index.to_string(),
                size: self.elements.len(),
            })
    }

    fn subset(&self, indices: &[usize]) -> Result<Subset, PipedFault> {
        let mut is_kept = vec![false; self.elements.len()];
        for &index in indices {
            is_kept[index] = true;
        }
        let cut = (self.elements.iter().zip(is_kept)).filter(|(_, is_kept)| !is_kept);
        Ok((self.whole.kept).without(cut.map(|(&element, _)| element..element + 1)))
    }

    fn weight(&self, subset: &Subset) -> u64 {
        subset
            .iter()
            .map(|element| self.whole.weight(element))
            .sum()
    }
}

impl Moment {
    /// Returns the states up to this one.
    fn from_the_beginning(self: &Arc<Self>) -> Vec<Arc<Self>> {
        let mut moments = vec![Arc::clone(self)];
        while let Some(step) = moments.last().and_then(|moment| moment.before.clone()) {
            moments.push(step.from);
        }
        moments.reverse();
        moments
    }

    /// Returns whether a subset is known to be interesting.
    fn was_interesting(&self, list: &PipedList, subset: &Subset) -> bool {
        if *subset == list.whole.kept {
            return true;
        }
        let wanted = subset.fingerprint();
        let mut before = self.before.as_ref();
        while let Some(Step { from, told }) = before {
            if let Question::Ask { candidate, .. } = &from.question
                && *told == Told::Verdict(Verdict::Interesting)
                && candidate.fingerprint() == wanted
            {
                return true;
            }
            before = from.before.as_ref();
        }
        false
    }
}

impl Drop for Moment {
    /// Drops the states before one by one: there may be more than the stack takes.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(step) = before {
            before = Arc::into_inner(step.from).and_then(|mut moment| moment.before.take());
        }
    }
}

impl Question {
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Ask { candidate, .. },
                Self::Ask {
                    candidate: other, ..
                },
            )
            | (Self::Result(candidate), Self::Result(other)) => candidate == other,
            _ => false,
        }
    }
}

/// The search of a [`PipedAlgorithm`] on a list.
#[derive(Debug, Clone)]
struct PipedSearch {
    program: Arc<Program>,
    list: Arc<PipedList>,
    now: Arc<Moment>,
    best: Subset,
}

impl PipedSearch {
    fn start(program: Arc<Program>, list: List) -> Self {
        let best = list.kept.clone();
        let list = PipedList::new(list);
        Self {
            now: program.begin(&list),
            program,
            list: Arc::new(list),
            best,
        }
    }

    fn advance(&mut self, told: Told) {
        if !matches!(self.now.question, Question::Ask { .. }) {
            return;
        }
        self.now = self.program.advance(&self.list, &self.now, told);
        if let Question::Result(left) = &self.now.question {
            self.best = left.clone();
        }
    }
}

impl Search for PipedSearch {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        match &self.now.question {
            Question::Ask { candidate, odds } => Some(Query {
                candidate: candidate.clone(),
                odds: *odds,
            }),
            Question::Result(_) | Question::Broken => None,
        }
    }

    fn tell(&mut self, verdict: Verdict) {
        let Some(Query { candidate, .. }) = self.ask() else {
            return;
        };
        if verdict.is_interesting() && self.list.weight(&candidate) < self.list.weight(&self.best) {
            self.best = candidate;
        }
        self.advance(Told::Verdict(verdict));
    }

    fn skip(&mut self) {
        self.advance(Told::Skipped);
    }

    fn best(&self) -> Subset {
        self.best.clone()
    }
}

impl ListSearch for PipedSearch {
    fn restart(&mut self, best: Subset) {
        let list = List {
            kept: best,
            weights: Arc::clone(&self.list.whole.weights),
        };
        *self = Self::start(Arc::clone(&self.program), list);
    }
}

#[cfg(test)]
#[path = "piped_tests.rs"]
mod tests;
