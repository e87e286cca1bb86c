//! Whether memory and disk stay bounded, and how long it takes to go on: a real reduction of a million questions, whose property
//! costs next to nothing, and then the same once more with what it has stored.
//!
//! `cargo run --release -p boildown-session --example million [QUESTIONS]`
#![expect(clippy::print_stdout, reason = "it reports what it measured")]

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use boildown_oracle::store::{
    Ending, Identity, Improvement, News, Place, RunStore, Start, fingerprint_of,
};
use boildown_oracle::{FnOracle, Verdict};
use boildown_search::{Fingerprinted as _, Search as _};
use boildown_session::{Budget, Config, Drive, Step};
use boildown_syntax::{Draft, Strategy, reduction};

/// Enough for more than a million questions: a sweep removes one or two.
const LINES: u32 = 4000;

fn main() -> Result<(), Box<dyn Error>> {
    let questions: u64 = std::env::args()
        .nth(1)
        .map_or(Ok(1_000_000), |word| word.parse())?;
    let mut text = String::new();
    for turn in turns() {
        writeln!(text, "{turn}")?;
    }
    let text: Arc<[u8]> = text.into_bytes().into();
    let folder = tempfile::tempdir()?;
    let place = Place::beside(&folder.path().join("result"))?;
    println!("questions     runs  recalled  improved  seconds  memory/MiB  disk/MiB");
    for _ in 0..2 {
        session(&place, &text, questions)?;
    }
    Ok(())
}

/// When each line can go, counting down: the one with the largest number is the only one that can, so that almost every question
/// is in vain, as at the end of a long reduction.
fn turns() -> impl Iterator<Item = u32> {
    // Neighbours are far apart, or they would go together.
    (0..LINES).map(|line| line * 1009 % LINES)
}

/// Whether these are all the lines up to some turn, in their order.
fn judge(text: &[u8]) -> Verdict {
    let lines = text.iter().filter(|&&byte| byte == b'\n').count();
    let mut given = text.split(|&byte| byte == b'\n');
    let mut expected = turns().filter(|&turn| (turn as usize) < lines);
    let agrees = expected.all(|turn| given.next().is_some_and(|line| is(line, turn)));
    match agrees && given.next() == Some(b"") {
        true => Verdict::Interesting,
        false => Verdict::Uninteresting,
    }
}

fn is(line: &[u8], number: u32) -> bool {
    std::str::from_utf8(line).is_ok_and(|line| line.parse() == Ok(number))
}

/// Reduces until so many questions are answered, and prints a line for each tenth of the way.
fn session(place: &Place, text: &Arc<[u8]>, questions: u64) -> Result<(), Box<dyn Error>> {
    let oracle = FnOracle::new(|draft: &Draft| judge(draft.bytes()));
    let store = Arc::new(begin(place, text)?);
    let config = Config {
        jobs: 2,
        budget: Budget {
            questions: Some(questions),
            time: None,
        },
        store: Some(Arc::clone(&store)),
        ..Config::default()
    };
    let started = Instant::now();
    std::thread::scope(|scope| {
        let search = reduction(text, None, Strategy::default());
        let mut drive = Drive::start(scope, search, &oracle, &config);
        let (mut next, mut improved, mut over) = (1, 0, false);
        while !over {
            match drive.step()? {
                Step::Told(told) if told.verdict.is_interesting() => {
                    improved += 1;
                    let best = drive.search().best();
                    store.improve(improvement(
                        drive.spent().questions,
                        &best,
                        started.elapsed(),
                    ));
                }
                Step::Told(_) | Step::Tick => {}
                Step::Ended(_) => over = true,
            }
            let spent = drive.spent();
            if over || spent.questions >= next {
                println!(
                    "{:9}  {:7}  {:8}  {improved:8}  {:7.1}  {:10.1}  {:8.1}",
                    spent.questions,
                    spent.runs,
                    spent.recalled,
                    started.elapsed().as_secs_f64(),
                    memory()?,
                    disk(place.dir())?,
                );
                next += questions.div_ceil(10);
            }
        }
        let spent = drive.spent();
        store.end(Ending {
            why: "budget",
            questions: spent.questions,
            runs: spent.runs,
            recalled: spent.recalled,
            elapsed: spent.elapsed,
        });
        Ok(())
    })
}

fn begin(place: &Place, text: &Arc<[u8]>) -> Result<RunStore, Box<dyn Error>> {
    let (found, news) = place.find(Identity::default())?;
    if let News::Resumed { verdicts } = news {
        println!("again, with {verdicts} verdicts");
    }
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
