//! Measurement of memory, disk and resumption: a reduction of a million tests whose property costs
//! next to nothing, and then the same again with the stored verdicts.
//!
//! `cargo run --release -p boildown-session --example million [TESTS]`
#![expect(clippy::print_stdout, reason = "it reports what it measured")]

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use boildown_document::Candidate;
use boildown_driver::{Budget, Config, Drive, Step};
use boildown_oracle::{FnOracle, Verdict};
use boildown_reduce::reduction;
use boildown_search::Search as _;
use boildown_session::StoreMemory;
use boildown_show::StopReason;
use boildown_store::{
    EndReason, Ending, Identity, Improvement, Provenance, ResumeStatus, RunDescription, RunStore,
    StoreFolder,
};

/// Number of lines: enough for more than a million tests, as a sweep removes one or two lines.
const LINES: u32 = 4000;

fn main() -> Result<(), Box<dyn Error>> {
    let queries: u64 = std::env::args()
        .nth(1)
        .map_or(Ok(1_000_000), |word| word.parse())?;
    let mut text = String::new();
    for turn in turns() {
        writeln!(text, "{turn}")?;
    }
    let text: Arc<[u8]> = text.into_bytes().into();
    let folder = tempfile::tempdir()?;
    let place = StoreFolder::beside(&folder.path().join("result"))?;
    println!("tests         runs  recalled  improved  seconds  memory/MiB  disk/MiB");
    for _ in 0..2 {
        session(&place, &text, queries)?;
    }
    Ok(())
}

/// Returns the number of each line. Only the line with the largest number can be removed, so that
/// almost every test is uninteresting, as at the end of a long reduction.
fn turns() -> impl Iterator<Item = u32> {
    // The numbers of neighbours differ much, or neighbours would be removed together.
    (0..LINES).map(|line| line * 1009 % LINES)
}

/// Returns whether these are all lines up to some number, in their order.
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

/// Reduces until `queries` tests are answered, and prints a line for each tenth of them.
fn session(place: &StoreFolder, text: &Arc<[u8]>, queries: u64) -> Result<(), Box<dyn Error>> {
    let oracle = FnOracle::new(|candidate: &Candidate| judge(candidate.bytes()));
    let store = Arc::new(begin(place, text)?);
    let config = Config {
        jobs: 2,
        budget: Budget {
            queries: Some(queries),
            time: None,
        },
        memory: Some(Arc::new(StoreMemory::new(Arc::clone(&store)))),
        ..Config::default()
    };
    let started = Instant::now();
    std::thread::scope(|scope| {
        let search = reduction(text, None, boildown_formats::strategy());
        let mut drive = Drive::start(scope, search, &oracle, &config);
        let (mut next, mut improved, mut over) = (1, 0, false);
        while !over {
            match drive.step()? {
                Step::Told(told) if told.verdict.is_interesting() => {
                    improved += 1;
                    let best = drive.search().best();
                    store.improve(improvement(drive.spent().queries, &best, started.elapsed()));
                }
                Step::Told(_) | Step::Prepared | Step::Tick => {}
                Step::Finished | Step::Stopped(_) => over = true,
            }
            let spent = drive.spent();
            if over || spent.queries >= next {
                println!(
                    "{:9}  {:7}  {:8}  {improved:8}  {:7.1}  {:10.1}  {:8.1}",
                    spent.queries,
                    spent.runs,
                    spent.recalled,
                    started.elapsed().as_secs_f64(),
                    memory()?,
                    disk(place.dir())?,
                );
                next += queries.div_ceil(10);
            }
        }
        let spent = drive.spent();
        store.end(Ending {
            why: EndReason::Stopped(StopReason::QueryLimit),
            queries: spent.queries,
            runs: spent.runs,
            recalled: spent.recalled,
            elapsed: spent.elapsed,
        });
        Ok(())
    })
}

fn begin(place: &StoreFolder, text: &Arc<[u8]>) -> Result<RunStore, Box<dyn Error>> {
    let (found, news) = place.find(Identity::default())?;
    if let ResumeStatus::Resumed { verdicts } = news {
        println!("again, with {verdicts} verdicts");
    }
    let start = RunDescription {
        name: "text",
        input: Improvement::of_text(text, 0, Duration::ZERO),
        property: String::new(),
        flags: String::new(),
        time_limit: Duration::ZERO,
        version: env!("CARGO_PKG_VERSION"),
        choices: &[],
        provenance: Provenance::default(),
    };
    Ok(found.begin(place, &start)?)
}

fn improvement(query: u64, best: &Candidate, elapsed: Duration) -> Improvement {
    Improvement::of_text(best.bytes(), query, elapsed)
}

/// Returns the resident memory of this process, in MiB.
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
