//! What a run on a service reports.

use std::sync::Arc;
use std::time::Duration;

use boildown_oracle::{Capture, Interrupt, Outcome, Run};
use boildown_remote::{
    Address, Part, RemoteCommand, RemoteConfig, RemoteRunner, RemoteService, SentFiles,
};

use crate::casd::Casd;

/// Returns a command: `{}` is the candidate.
pub(crate) fn command(words: &[&str]) -> RemoteCommand {
    let word = |word: &&str| match *word {
        "{}" => vec![Part::Candidate],
        text => vec![Part::Text(text.into())],
    };
    RemoteCommand {
        words: words.iter().map(word).collect(),
        candidate: "in put.txt".into(),
        dir: String::new(),
        company: SentFiles::default(),
        is_executable: false,
        reads_candidate: false,
        files: SentFiles::default(),
        timeout: Duration::from_secs(20),
        output_cap: 1 << 20,
    }
}

pub(crate) fn config(port: u16) -> RemoteConfig {
    RemoteConfig::new(Address::parse(&format!("grpc://127.0.0.1:{port}")).unwrap())
}

pub(crate) fn connect(port: u16) -> Arc<RemoteService> {
    Arc::new(RemoteService::connect(config(port)).unwrap())
}

pub(crate) fn run(runner: &RemoteRunner, candidate: &[u8]) -> Run {
    let interrupt = Interrupt::new().unwrap();
    runner.run(candidate, Capture::Output, &interrupt).unwrap()
}

#[track_caller]
fn check(runner: &RemoteRunner, candidate: &str, outcome: Outcome, stdout: &str, stderr: &str) {
    let run = run(runner, candidate.as_bytes());
    let texts = [&run.stdout, &run.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert_eq!(
        (run.outcome, texts),
        (outcome, [stdout.into(), stderr.into()])
    );
}

#[test]
fn a_run_reports_how_the_command_ended_and_what_it_printed() {
    let Some(casd) = Casd::start() else { return };
    let service = connect(casd.port());
    let line = r#"cat "$1"; pwd >&2; ls; . "$1""#;
    let runner = RemoteRunner::new(service, command(&["sh", "-c", line, "sh", "{}"])).unwrap();
    let stdout = |text: &str| format!("{text}in put.txt\n");
    for (text, outcome) in [
        ("exit 0\n", Outcome::Exited(0)),
        ("exit 3\n", Outcome::Exited(3)),
        ("exit 139\n", Outcome::Exited(139)),
        ("kill -SEGV $$\n", Outcome::Signalled(11)),
        ("kill -ABRT $$\n", Outcome::Signalled(6)),
    ] {
        check(&runner, text, outcome, &stdout(text), "/test\n");
    }
}
