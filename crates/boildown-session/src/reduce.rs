//! Making a text smaller: the best one is on disk at every moment.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use boildown_oracle::store::{Best, Improvement, RunStore, fingerprint_of};
use boildown_oracle::{Cancel, Oracle, OracleError, fsx};
use boildown_search::Search as _;
use boildown_search::flaky::Tally;
use boildown_syntax::{Draft, Reduction, View};

use crate::budget::Size;
use crate::drive::{Config, Drive, Leave, Spent, Step};
use crate::event::{Event, Progress, Stopped, Summary};
use crate::texts::OfTexts;

/// What a reduction is to come to.
#[derive(Debug, Clone, Default)]
pub struct Goal {
    /// The file that always holds the best result so far, written whole.
    pub output: Option<PathBuf>,
    /// Stop once the best result is no larger.
    pub size: Option<Size>,
    /// What earlier sessions came to. It is in the output already and stays there until the search, which starts from its
    /// beginning, has come past it.
    pub best: Option<Best>,
    /// Leaves the pass at work, from elsewhere. Not heard before the search has come past what earlier sessions came to.
    pub leave: Leave,
    /// With this the best result is run again now and then, until it cuts that short. When the property does not hold on it any more, the
    /// reduction stops, and the result is the last one on which it did. For properties that should hold always or never.
    pub doubt: Option<Cancel>,
}

/// So many questions apart, the best result is run again.
const DOUBTED_EVERY: u64 = 256;

/// So many apart when it has become half as large.
const DOUBTED_WHEN_HALVED: u64 = 64;

/// How often a result is run again to be sure of it.
const RUNS: u32 = 3;

/// Runs a reduction to its end and returns what it came to, and the best text.
///
/// # Errors
/// [`OracleError`] when the oracle could not be asked or the best result not be written. What was found so far is on disk.
pub fn reduce(
    search: Reduction,
    oracle: &dyn Oracle,
    goal: &Goal,
    config: &Config,
    on_event: &mut dyn FnMut(&Event),
) -> Result<(Summary, Arc<[u8]>), OracleError> {
    let store = config.store.as_deref();
    let mut session = Session::new(&search.best(), goal, store, on_event);
    let of_texts = OfTexts(oracle);
    std::thread::scope(|scope| {
        let mut drive = Drive::start(scope, search, &of_texts, config);
        let mut left = store.map_or(&[][..], RunStore::left).iter().peekable();
        let stopped = loop {
            let questions = drive.spent().questions;
            while left.next_if(|left| **left <= questions).is_some() {
                drive.change(Reduction::leave_pass);
            }
            if goal.leave.take() && left.peek().is_none() && session.ahead.is_none() {
                if let Some(store) = store {
                    store.leave(questions);
                }
                drive.change(Reduction::leave_pass);
            }
            session.announce(drive.search().inner().pass());
            session.look_after_store();
            if session.is_small_enough() {
                break Some(Stopped::SmallEnough);
            }
            match drive.step()? {
                Step::Told(told) if told.verdict.is_interesting() => {
                    let best = drive.search().best();
                    session.save(&best, drive.spent())?;
                    if session.is_doubtful(&best, drive.spent())
                        && !session.make_sure(
                            (best.bytes(), tokens(&best)),
                            oracle,
                            drive.spent(),
                        )?
                    {
                        break Some(Stopped::Lost);
                    }
                }
                Step::Told(_) => {}
                Step::Tick => session.tick(drive.spent()),
                Step::Ended(stopped) => {
                    if stopped.is_none() {
                        // It never came past what earlier sessions came to: the search is another one now.
                        session.come_past();
                        session.save(&drive.search().best(), drive.spent())?;
                    }
                    break stopped;
                }
            }
        };
        let result = (Arc::clone(&session.saved), session.tokens);
        let is_lost = stopped == Some(Stopped::Lost)
            || !session.make_sure((&result.0, result.1), oracle, drive.spent())?;
        let stopped = if is_lost {
            session.go_back(oracle, drive.spent())?;
            Some(Stopped::Lost)
        } else {
            stopped
        };
        // Until now the result survives a kill; from here on it survives a power cut too.
        if let Some(path) = &goal.output {
            fsx::write_durable(path, &session.saved)?;
        }
        let summary = Summary {
            progress: session.progress(drive.spent()),
            stopped,
            one_minimal: stopped.is_none() && drive.search().inner().is_proved(),
            confirmed: (session.sure.text == session.saved && session.sure.tally.runs > 0)
                .then_some(session.sure.tally),
            resumable: store.is_some() && !session.is_forgetful,
        };
        if let Some(store) = session.store {
            summary.remember(store);
        }
        Ok((summary, session.saved))
    })
}

struct Session<'a> {
    goal: &'a Goal,
    store: Option<&'a RunStore>,
    is_forgetful: bool,
    /// What earlier sessions came to, until this one is past it.
    ahead: Option<&'a Best>,
    on_event: &'a mut dyn FnMut(&Event),
    bytes_before: usize,
    /// The best result that was written.
    saved: Arc<[u8]>,
    /// Its tokens.
    tokens: Option<usize>,
    /// When it was found.
    improved: Duration,
    /// The pass that was last spoken of.
    pass: Option<&'static str>,
    input: Sure,
    sure: Sure,
}

/// A text on which the property held each time.
#[derive(Clone)]
struct Sure {
    text: Arc<[u8]>,
    tokens: Option<usize>,
    /// When it was run.
    question: u64,
    /// The runs of this session; none of the input, nor of what an earlier one came to.
    tally: Tally,
}

impl<'a> Session<'a> {
    fn new(
        input: &Draft,
        goal: &'a Goal,
        store: Option<&'a RunStore>,
        on_event: &'a mut dyn FnMut(&Event),
    ) -> Self {
        let ahead = goal.best.as_ref();
        let sure = Sure {
            text: Arc::clone(input.bytes()),
            tokens: tokens(input),
            question: 0,
            tally: Tally::default(),
        };
        Self {
            input: sure.clone(),
            sure,
            goal,
            store,
            is_forgetful: false,
            ahead,
            on_event,
            bytes_before: input.bytes().len(),
            saved: Arc::clone(ahead.map_or_else(|| input.bytes(), |best| &best.text)),
            tokens: ahead.map_or_else(|| tokens(input), |best| best.tokens),
            improved: Duration::ZERO,
            pass: None,
        }
    }

    /// Writes the best result, when it is another one than before, and says so.
    fn save(&mut self, best: &Draft, spent: Spent) -> Result<(), OracleError> {
        if self
            .ahead
            .is_some_and(|ahead| spent.questions < ahead.question)
        {
            return Ok(());
        }
        self.come_past();
        // Of several deletions that are asked about together, the last to work need not be the best.
        if self.saved == *best.bytes() {
            return Ok(());
        }
        self.write((Arc::clone(best.bytes()), tokens(best)), spent)
    }

    fn write(
        &mut self,
        (text, tokens): (Arc<[u8]>, Option<usize>),
        spent: Spent,
    ) -> Result<(), OracleError> {
        if let Some(store) = self.store {
            store.improve(Improvement {
                question: spent.questions,
                content: fingerprint_of(&text),
                bytes: text.len(),
                tokens,
                elapsed: spent.elapsed,
                text: Some(Arc::clone(&text)),
            });
        }
        if let Some(path) = &self.goal.output {
            fsx::write_atomic(path, &text)?;
        }
        (self.saved, self.tokens) = (text, tokens);
        self.improved = spent.elapsed;
        let progress = self.progress(spent);
        (self.on_event)(&Event::Improved(progress));
        Ok(())
    }

    /// Whether it is time to run the best result again.
    fn is_doubtful(&self, best: &Draft, spent: Spent) -> bool {
        if self.ahead.is_some() {
            // Nothing that is known is run again.
            return false;
        }
        let since = spent.questions - self.sure.question;
        let is_halved = 2 * best.bytes().len() <= self.sure.text.len();
        since >= DOUBTED_EVERY || is_halved && since >= DOUBTED_WHEN_HALVED
    }

    /// Runs a result again, when that was not done yet. Returns whether the property still holds on it, for all that is known.
    fn make_sure(
        &mut self,
        (text, tokens): (&Arc<[u8]>, Option<usize>),
        oracle: &dyn Oracle,
        spent: Spent,
    ) -> Result<bool, OracleError> {
        let Some(cancel) = &self.goal.doubt else {
            return Ok(true);
        };
        self.sure.question = spent.questions;
        if self.sure.text == *text {
            return Ok(true);
        }
        let mut tally = Tally::default();
        while tally.runs < RUNS {
            let answer = match oracle.judge(text, cancel) {
                Ok(answer) => answer,
                Err(OracleError::Cancelled) => return Ok(true),
                // What others write beside it is no fault of the result.
                Err(error) if error.is_full_disk() => return Ok(true),
                Err(error) => return Err(error),
            };
            if !answer.verdict.is_interesting() {
                // On a busy machine it may have been too slow for that alone.
                return Ok(answer.run.is_some_and(|run| run.outcome.is_cut_short()));
            }
            tally.count(true);
        }
        (self.sure.text, self.sure.tokens) = (Arc::clone(text), tokens);
        self.sure.tally = tally;
        Ok(true)
    }

    /// Takes what earlier sessions came to for granted, as long as nothing speaks against it.
    fn come_past(&mut self) {
        if let Some(ahead) = self.ahead.take() {
            self.sure.text = Arc::clone(&ahead.text);
            self.sure.tokens = ahead.tokens;
            self.sure.tally = Tally::default();
        }
    }

    /// Makes the last result on which the property held each time the best one.
    fn go_back(&mut self, oracle: &dyn Oracle, spent: Spent) -> Result<(), OracleError> {
        self.come_past();
        if self.sure.tally.runs == 0 {
            // Of an earlier session, or the input.
            let earlier = std::mem::replace(&mut self.sure, self.input.clone());
            self.make_sure((&earlier.text, earlier.tokens), oracle, spent)?;
        }
        self.write((Arc::clone(&self.sure.text), self.sure.tokens), spent)
    }

    fn tick(&mut self, spent: Spent) {
        let progress = self.progress(spent);
        (self.on_event)(&Event::Tick(progress));
    }

    fn look_after_store(&mut self) {
        if let Some(why) = self.store.and_then(RunStore::trouble) {
            // One defect may show twice, when reading and when writing.
            if !std::mem::replace(&mut self.is_forgetful, true) {
                (self.on_event)(&Event::Forgetful { why: Arc::new(why) });
            }
        }
    }

    fn announce(&mut self, pass: Option<&'static str>) {
        if pass != self.pass
            && let Some(name) = pass
        {
            (self.on_event)(&Event::Pass { name });
        }
        self.pass = pass;
    }

    fn is_small_enough(&self) -> bool {
        let progress = self.progress(Spent::default());
        (self.goal.size).is_some_and(|size| size.is_reached(&progress))
    }

    fn progress(&self, spent: Spent) -> Progress {
        Progress {
            bytes_before: self.bytes_before,
            bytes: self.saved.len(),
            tokens: self.tokens,
            spent,
            since_improved: spent.elapsed.saturating_sub(self.improved),
        }
    }
}

/// The number of tokens, in the views that have any: lines and bytes are something else.
fn tokens(draft: &Draft) -> Option<usize> {
    let counts = matches!(draft.document().view(), View::Syntax(_) | View::Blocks);
    counts.then(|| draft.tokens())
}
