//! Measures the time that a run takes in addition to a bare `Command::status`, on this machine:
//! `cargo run --release -p boildown-exec --example run_overhead`.
#![expect(clippy::print_stdout, reason = "it prints its measurements")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use boildown_exec::spawn::{Limits, Permissions, Sandbox};
use boildown_exec::{CandidateFile, CommandLine, Runner, Scratch, StdinContent, TypedCommand};
use boildown_oracle::{Capture, Interrupt};

const RUNS: usize = 1000;

fn main() {
    // No argument, because with one, `true` does several times its usual work.
    let typed = TypedCommand {
        words: &["/bin/true".into()],
        input: Path::new("crash.c"),
        user_dir: Path::new("/"),
        backup: None,
        stdin: StdinContent::Nothing,
    };
    let runner = Runner {
        project: None,
        command: CommandLine::new(&typed).expect("there is a word"),
        scratch: Arc::new(
            Scratch::new(&std::env::temp_dir()).expect("the temporary directory is writable"),
        ),
        file: CandidateFile::named("crash.c"),
        limits: Limits::default(),
        extra_tests: Vec::new(),
        executor: None,
    };
    let mut unlimited = runner.clone();
    unlimited.limits = Limits::none();
    let mut confined = runner.clone();
    let sandbox = Sandbox::new(&Permissions::default()).expect("nothing is asked for");
    confined.limits.sandbox = Some(sandbox);
    let interrupt = Interrupt::new().expect("there are file descriptors");
    let judged = |runner: &Runner, capture| {
        let run = runner.run(b"int main() {}", capture, &interrupt);
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
    // The calls alternate, so that other programs disturb all of them equally.
    let [
        mut bares,
        mut quiets,
        mut unlimiteds,
        mut confineds,
        mut captureds,
    ] = [const { Vec::new() }; 5];
    for _ in 0..RUNS {
        bares.push(microseconds(bare));
        quiets.push(microseconds(|| judged(&runner, Capture::Nothing)));
        unlimiteds.push(microseconds(|| judged(&unlimited, Capture::Nothing)));
        confineds.push(microseconds(|| judged(&confined, Capture::Nothing)));
        captureds.push(microseconds(|| judged(&runner, Capture::Output)));
    }
    let [bare, quiet, unlimited, confined, captured] =
        [bares, quiets, unlimiteds, confineds, captureds].map(lower_quartile);
    println!("bare Command::status   {bare:7.1} µs");
    println!(
        "a run without output   {quiet:7.1} µs  (+{:.1})",
        quiet - bare
    );
    println!(
        "the same without limits{unlimited:7.1} µs  (+{:.1})",
        unlimited - bare
    );
    println!(
        "the same in a sandbox  {confined:7.1} µs  (+{:.1})",
        confined - bare
    );
    println!(
        "a run with output      {captured:7.1} µs  (+{:.1})",
        captured - bare
    );
}

fn microseconds(call: impl Fn()) -> f64 {
    let started = Instant::now();
    call();
    started.elapsed().as_secs_f64() * 1e6
}

/// Returns the lower quartile, which is more stable than the average: disturbances only make a call
/// slower.
fn lower_quartile(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 4]
}
