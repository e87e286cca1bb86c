//! Whether memory and disk stay bounded: a real reduction of a million questions, whose property costs next to nothing.
//!
//! `cargo run --release -p boildown-session --example million [QUESTIONS [BYTES]]`
#![expect(clippy::print_stdout, reason = "it reports what it measured")]

use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use boildown_oracle::store::{Identity, Improvement, Place, RunStore, Start, fingerprint_of};
use boildown_oracle::{FnOracle, Verdict};
use boildown_search::{Fingerprinted as _, Search as _};
use boildown_session::{Budget, Config, Drive, Step};
use boildown_syntax::{Draft, Strategy, reduction};

fn main() -> Result<(), Box<dyn Error>> {
    let mut numbers = std::env::args().skip(1).map(|word| word.parse());
    let questions: u64 = numbers.next().unwrap_or(Ok(1_000_000))?;
    let bytes = usize::try_from(numbers.next().unwrap_or(Ok(600_000))?)?;
    // Half of it can go.
    let text: Arc<[u8]> = (0..bytes)
        .map(|at| match at % 64 {
            63 => b'\n',
            at if at % 2 == 0 => b'x',
            _ => b'.',
        })
        .collect();
    let needed = count(&text);
    let oracle = FnOracle::new(|draft: &Draft| {
        if count(draft.bytes()) == needed {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    });
    let folder = tempfile::tempdir()?;
    let place = Place::beside(&folder.path().join("result"))?;
    let store = begin(&place, &text)?;
    let config = Config {
        jobs: 2,
        budget: Budget {
            questions: Some(questions),
            time: None,
        },
        store: Some(Arc::new(store)),
        ..Config::default()
    };
    let started = Instant::now();
    println!("questions    runs  improved   seconds  memory/MiB  disk/MiB");
    std::thread::scope(|scope| {
        let search = reduction(&text, None, Strategy::default());
        let mut drive = Drive::start(scope, search, &oracle, &config);
        let (mut step, mut improved) = (1, 0);
        loop {
            match drive.step()? {
                Step::Told(told) if told.verdict.is_interesting() => {
                    improved += 1;
                    let best = drive.search().best();
                    let store = config.store.as_ref().ok_or("there is a store")?;
                    store.improve(improvement(
                        drive.spent().questions,
                        &best,
                        started.elapsed(),
                    ));
                }
                Step::Told(_) | Step::Tick => {}
                Step::Ended(_) => step = 0,
            }
            let spent = drive.spent();
            if spent.questions >= step {
                println!(
                    "{:9}  {:6}  {improved:8}  {:8.1}  {:10.1}  {:8.1}",
                    spent.questions,
                    spent.runs,
                    started.elapsed().as_secs_f64(),
                    memory()?,
                    disk(place.dir())?,
                );
                if step == 0 {
                    return Ok(());
                }
                step += questions.div_ceil(10);
            }
        }
    })
}

fn count(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte == b'x').count()
}

fn begin(place: &Place, text: &Arc<[u8]>) -> Result<RunStore, Box<dyn Error>> {
    let (found, _) = place.find(Identity::default())?;
    let start = Start {
        name: "text",
        input: Improvement {
            question: 0,
            content: fingerprint_of(text),
            bytes: text.len(),
            tokens: None,
            elapsed: Duration::ZERO,
            text: Some(Arc::clone(text)),
        },
        property: String::new(),
        flags: String::new(),
        time_limit: Duration::ZERO,
        version: env!("CARGO_PKG_VERSION"),
    };
    Ok(found.begin(place, &start)?)
}

fn improvement(question: u64, best: &Draft, elapsed: Duration) -> Improvement {
    Improvement {
        question,
        content: best.fingerprint(),
        bytes: best.bytes().len(),
        tokens: None,
        elapsed,
        text: Some(Arc::clone(best.bytes())),
    }
}

/// What this process has in memory.
fn memory() -> Result<f64, Box<dyn Error>> {
    let pages = fs::read_to_string("/proc/self/statm")?;
    let resident: f64 = (pages.split(' ').nth(1).ok_or("no second number")?).parse()?;
    Ok(resident * 4096.0 / MIB)
}

fn disk(folder: &Path) -> Result<f64, Box<dyn Error>> {
    let mut bytes = 0.0;
    for entry in fs::read_dir(folder)? {
        #[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
        let size = entry?.metadata()?.len() as f64;
        bytes += size;
    }
    Ok(bytes / MIB)
}

const MIB: f64 = 1_048_576.0;
