//! Narrowing the difference between two texts: both sides are on disk at every moment.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use boildown_oracle::store::RunStore;
use boildown_oracle::{Answer, Cancel, Oracle, OracleError, Repeating, Verdict, fsx};
use boildown_search::flaky::{Law, Tally};
use boildown_syntax::Isolation;

use crate::baseline::{Baseline, Care};
use crate::drive::{Config, Drive, Step};
use crate::event::{Event, Progress, Summary};
use crate::rate::Rate;
use crate::texts::OfTexts;

/// The files that always hold the two texts that differ least so far, written whole.
#[derive(Debug, Clone)]
pub struct Sides {
    /// The one that passes.
    pub passing: PathBuf,
    /// The one that fails.
    pub failing: PathBuf,
    /// Whether both hold what an earlier session of the same search came to. They stay until there is more.
    pub are_there: bool,
}

/// Why there is nothing to isolate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContrastError {
    /// The input that should pass did not, or the one that should fail did not, in some of the runs.
    #[error("the runs on one of the inputs differ")]
    Flaky {
        /// Which input.
        side: Side,
        /// Runs that ended as they should.
        held: u32,
        /// All runs.
        runs: u32,
    },
    /// The oracle could not be asked.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

/// One of two inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The one that passes.
    Passing,
    /// The one that fails.
    Failing,
}

/// How often each input is tested.
const RUNS: u32 = 3;

/// Checks that one input passes each time and that the other fails, and returns how often it does, and the longest of the runs. The
/// first run on each is known to have been so. Where the other fails in some runs only, its rate is measured.
///
/// # Errors
/// [`ContrastError`] says which input did not.
pub fn contrast(
    oracle: &dyn Oracle,
    [passing, failing]: [&[u8]; 2],
    (care, jobs): (Care, usize),
    cancel: &Cancel,
) -> Result<Baseline, ContrastError> {
    let mut rate = Rate::default().and(oracle, failing, (RUNS - 1, 1), cancel)?;
    let law = if rate.tally.misses() == 0 && care == Care::Usual {
        Law::once()
    } else {
        rate = rate.measure(oracle, failing, jobs, cancel)?;
        let Tally { hits, runs } = rate.tally;
        Law::for_rate(rate.tally).ok_or(ContrastError::Flaky {
            side: Side::Failing,
            held: hits,
            runs,
        })?
    };
    let mut held = 1;
    for _ in 1..RUNS {
        // As often as a candidate that fails as rarely as this one may.
        let Answer { verdict, run } = Repeating::new(oracle, law).judge(passing, cancel)?;
        held += u32::from(verdict == Verdict::Uninteresting);
        let took = run.map_or(Duration::ZERO, |run| run.took);
        rate.slowest = rate.slowest.max(took);
    }
    if held < RUNS {
        let (side, runs) = (Side::Passing, RUNS);
        return Err(ContrastError::Flaky { side, held, runs });
    }
    Ok(Baseline { rate, law })
}

/// Runs an isolation to its end and returns what it came to, and the search with both sides. Progress counts the bytes in which they
/// differ.
///
/// # Errors
/// [`OracleError`] when the oracle could not be asked or a side not be written. What was found so far is on disk.
pub fn isolate(
    search: Isolation,
    oracle: &dyn Oracle,
    sides: Option<&Sides>,
    config: &Config,
    on_event: &mut dyn FnMut(&Event),
) -> Result<(Summary, Isolation), OracleError> {
    let mut is_behind = sides.is_some_and(|sides| sides.are_there);
    if !is_behind {
        save(&search, sides, fsx::write_atomic)?;
    }
    let oracle = OfTexts(oracle);
    let bytes_before = search.bytes();
    let store = config.store.as_deref();
    let mut is_forgetful = false;
    std::thread::scope(|scope| {
        let mut drive = Drive::start(scope, search, &oracle, config);
        let mut improved = Duration::ZERO;
        let mut units = None;
        let progress = |drive: &Drive<Isolation>, improved| {
            let spent = drive.spent();
            Progress {
                bytes_before,
                bytes: drive.search().bytes(),
                tokens: None,
                spent,
                since_improved: spent.elapsed.saturating_sub(improved),
            }
        };
        let stopped = loop {
            if let Some(why) = store.and_then(RunStore::trouble) {
                // One defect may show twice, when reading and when writing.
                if !std::mem::replace(&mut is_forgetful, true) {
                    on_event(&Event::Forgetful { why: Arc::new(why) });
                }
            }
            let name = drive.search().units();
            if units.replace(name) != Some(name) {
                on_event(&Event::Pass { name });
            }
            match drive.step()? {
                Step::Told(told) if told.verdict != Verdict::Unresolved => {
                    // Until something is new, all was known to the earlier session.
                    is_behind &= drive.spent().runs == 0;
                    if !is_behind {
                        save(drive.search(), sides, fsx::write_atomic)?;
                    }
                    improved = drive.spent().elapsed;
                    on_event(&Event::Improved(progress(&drive, improved)));
                }
                Step::Told(_) => {}
                Step::Tick => on_event(&Event::Tick(progress(&drive, improved))),
                Step::Ended(stopped) => break stopped,
            }
        };
        // Until now the result survives a kill; from here on it survives a power cut too.
        if !is_behind || stopped.is_none() {
            save(drive.search(), sides, fsx::write_durable)?;
        }
        let summary = Summary {
            progress: progress(&drive, improved),
            stopped,
            one_minimal: stopped.is_none(),
            confirmed: None,
            resumable: store.is_some() && !is_forgetful,
        };
        if let Some(store) = store {
            summary.remember(store);
        }
        Ok((summary, drive.search().clone()))
    })
}

/// Writes both sides.
fn save(
    search: &Isolation,
    sides: Option<&Sides>,
    write: fn(&Path, &[u8]) -> Result<(), OracleError>,
) -> Result<(), OracleError> {
    if let Some(sides) = sides {
        write(&sides.passing, &search.passing())?;
        write(&sides.failing, &search.failing())?;
    }
    Ok(())
}
