//! Measures what the planner costs for each run that it starts, with a property that costs next to
//! nothing: `cargo run --release -p boildown-formats --example planner_overhead FILE WORKERS TESTS
//! lines|one-in N`. The property needs N lines of the file, spread evenly, or holds on one in N
//! candidates. Answers come in the order of the runs, each when all workers are busy.
#![expect(clippy::print_stdout, reason = "it prints its measurements")]

use std::collections::VecDeque;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use boildown_document::{Candidate, Language};
use boildown_reduce::reduction;
use boildown_search::{Fingerprinted as _, LookAhead, Planner, Search as _, Ticket, Verdict};

enum Property {
    Lines(Vec<Vec<u8>>),
    OneIn(u64),
}

impl Property {
    fn parse(text: &[u8], kind: &str, n: usize) -> Result<Self, String> {
        let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
        let needed = |index: usize| lines[index * lines.len() / n].to_vec();
        match kind {
            "lines" => Ok(Self::Lines((0..n).map(needed).collect())),
            "one-in" => Ok(Self::OneIn(n as u64)),
            _ => Err(format!("{kind} is neither lines nor one-in")),
        }
    }

    fn verdict(&self, candidate: &Candidate) -> Verdict {
        let holds = match self {
            Self::Lines(needed) => {
                let mut lines = candidate.bytes().split(|&byte| byte == b'\n');
                (needed.iter()).all(|needed| lines.any(|line| line == needed))
            }
            Self::OneIn(n) => (candidate.fingerprint().bits()).is_multiple_of(u128::from(*n)),
        };
        match holds {
            true => Verdict::Interesting,
            false => Verdict::Uninteresting,
        }
    }
}

/// The time of the planner's calls.
#[derive(Default)]
struct Spent {
    total: Duration,
    longest: Duration,
}

impl Spent {
    fn time<T>(&mut self, call: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let returned = call();
        let took = started.elapsed();
        self.total += took;
        self.longest = self.longest.max(took);
        returned
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, workers, tests, kind, n] = &words[..] else {
        return Err("expected FILE WORKERS TESTS lines|one-in N".into());
    };
    let (workers, tests): (usize, usize) = (workers.parse()?, tests.parse()?);
    let text: Arc<[u8]> = std::fs::read(file)?.into();
    let property = Property::parse(&text, kind, n.parse()?)?;
    let language = Language::detect(file, &text);

    let mut spent = Spent::default();
    let mut planner =
        spent.time(|| Planner::stepwise(reduction(&text, language, boildown_formats::strategy())));
    let mut running: VecDeque<Ticket<Candidate>> = VecDeque::new();
    let (mut told, mut runs) = (0, 0);
    while told < tests && !planner.is_finished() {
        if !planner.is_settled() {
            spent.time(|| planner.settle());
            continue;
        }
        if spent.time(|| planner.advance()).is_some() {
            told += 1;
            continue;
        }
        let abandoned = spent.time(|| planner.abandoned());
        running.retain(|ticket| !abandoned.contains(&ticket.id));
        if running.len() < workers {
            if let Some(ticket) = spent.time(|| planner.next()) {
                runs += 1;
                running.push_back(ticket);
                continue;
            }
            if spent.time(|| planner.look_ahead()) != LookAhead::Nothing {
                continue;
            }
        }
        let ticket = running
            .pop_front()
            .expect("the query of the search is in flight");
        let verdict = property.verdict(&ticket.candidate);
        spent.time(|| planner.answer(ticket.id, verdict));
    }
    let best = planner.search().best();
    println!(
        "{told} tests, {runs} runs, {} bytes; planner {:.2} s, {:.2} ms a run, longest {:.0} ms; {}",
        best.bytes().len(),
        spent.total.as_secs_f64(),
        spent.total.as_secs_f64() * 1000.0 / f64::from(runs),
        spent.longest.as_secs_f64() * 1000.0,
        most_memory()?,
    );
    Ok(())
}

/// Returns the line on the most memory that this process has had.
fn most_memory() -> Result<String, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    Ok(line.ok_or("no VmHWM")?.to_owned())
}
