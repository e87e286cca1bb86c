#![expect(clippy::print_stdout, reason = "it reports what it measured")]
//! Measures what a run costs over a bare `Command::status`, on this machine: `cargo run --release --example overhead`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use boildown_oracle::spawn::{Capture, Limits};
use boildown_oracle::{Cancel, CandidateFile, CommandLine, Runner, Scratch};

const RUNS: u32 = 2000;
const ROUNDS: usize = 5;

fn main() {
    let runner = Runner {
        command: CommandLine::script(Path::new("/bin/true"), Path::new("/")),
        scratch: Arc::new(
            Scratch::new(&std::env::temp_dir()).expect("the temporary directory is writable"),
        ),
        file: CandidateFile::named("crash.c"),
        limits: Limits::default(),
    };
    let cancel = Cancel::new().expect("there are file descriptors");
    let judged = |capture| {
        let run = runner.run(b"int main() {}", capture, &cancel);
        drop(run.expect("/bin/true can be run"));
    };
    let bare = || {
        let mut command = Command::new("/bin/true");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        assert!(command.status().expect("/bin/true can be run").success());
    };
    // The best of several rounds each, taken in turn: other programs can only make a round slower.
    let mut best = [f64::MAX; 3];
    for _ in 0..ROUNDS {
        best[0] = best[0].min(microseconds(bare));
        best[1] = best[1].min(microseconds(|| judged(Capture::Nothing)));
        best[2] = best[2].min(microseconds(|| judged(Capture::Output)));
    }
    let [bare, quiet, captured] = best;
    println!("bare Command::status   {bare:7.1} µs");
    println!(
        "a run without output   {quiet:7.1} µs  (+{:.1})",
        quiet - bare
    );
    println!(
        "a run with output      {captured:7.1} µs  (+{:.1})",
        captured - bare
    );
}

/// Returns the average time of a call.
fn microseconds(call: impl Fn()) -> f64 {
    let started = Instant::now();
    for _ in 0..RUNS {
        call();
    }
    started.elapsed().as_secs_f64() * 1e6 / f64::from(RUNS)
}
