//! Measures what a run on a service costs.
//!
//! ```sh
//! cargo run --release -p boildown-remote --features client --example service_overhead -- \
//!     grpc://localhost:50051 200 4 true
//! ```
//! makes 200 runs of `true` on candidates of a kilobyte, four at a time, and the same again, which
//! the cache of the service then knows.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a tool that measures time"
)]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use boildown_oracle::{Capture, Interrupt};
use boildown_remote::{
    Address, Part, RemoteCommand, RemoteConfig, RemoteError, RemoteRunner, RemoteService, SentFiles,
};
use rustix::time::{ClockId, clock_gettime};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().ok_or("ADDRESS RUNS JOBS COMMAND...");
    let (address, runs, jobs) = (next()?, next()?.parse()?, next()?.parse()?);
    let service = RemoteService::connect(RemoteConfig::new(Address::parse(&address)?))?;
    let words: Vec<_> = args.map(|word| vec![Part::Text(word)]).collect();
    let service = Arc::new(service);
    let started = clock_gettime(ClockId::Realtime);
    for title in ["new", "known"] {
        let command = RemoteCommand {
            words: words.clone(),
            candidate: "candidate".into(),
            dir: String::new(),
            company: SentFiles::default(),
            is_executable: false,
            reads_candidate: false,
            files: SentFiles::default(),
            timeout: Duration::from_secs(60),
            output_cap: 1 << 20,
        };
        let runner = RemoteRunner::new(Arc::clone(&service), command)?;
        let own = clock_gettime(ClockId::ProcessCPUTime);
        let mut times = measure(&runner, runs, jobs, started.tv_nsec)?;
        let own = clock_gettime(ClockId::ProcessCPUTime) - own;
        let wall = times.pop().unwrap_or_default();
        times.sort_unstable();
        println!(
            "{title}: median {:?}, {:.1} runs/s, own processor time {:?} a run",
            times[times.len() / 2],
            f64::from(runs) / wall.as_secs_f64(),
            Duration::new(u64::try_from(own.tv_sec)?, u32::try_from(own.tv_nsec)?) / runs,
        );
    }
    Ok(())
}

/// Returns the time of each run, and of all of them last.
fn measure(
    runner: &RemoteRunner,
    runs: u32,
    jobs: u32,
    seed: impl Into<i64> + Copy + Sync,
) -> Result<Vec<Duration>, RemoteError> {
    let (number, seed) = (AtomicU32::new(0), seed.into());
    let start = Instant::now();
    let one_after_another = || {
        let interrupt = Interrupt::new().expect("a process has descriptors");
        let mut times = Vec::new();
        loop {
            let number = number.fetch_add(1, Ordering::Relaxed);
            if number >= runs {
                return Ok(times);
            }
            let start = Instant::now();
            let candidate = format!("{seed} {number:01020}");
            runner.run(candidate.as_bytes(), Capture::Output, &interrupt)?;
            times.push(start.elapsed());
        }
    };
    let times: Result<Vec<_>, RemoteError> = thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(one_after_another)).collect();
        let joined = threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"));
        joined.collect()
    });
    let mut times: Vec<Duration> = times?.into_iter().flatten().collect();
    times.push(start.elapsed());
    Ok(times)
}
