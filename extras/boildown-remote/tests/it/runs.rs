//! Runs on a service: how they end, what they print, what they are sent.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use boildown_oracle::{Capture, Interrupt, Outcome, Run};
use boildown_remote::{
    Address, Grouping, Part, RemoteCommand, RemoteConfig, RemoteError, RemoteRunner, RemoteService,
    SentFiles,
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

#[test]
fn a_run_past_the_time_limit_has_timed_out_and_what_it_printed_is_kept() {
    let Some(casd) = Casd::start() else { return };
    let words = ["sh", "-c", "echo begun; sleep 1000"];
    let command = RemoteCommand {
        timeout: Duration::from_secs(1),
        ..command(&words)
    };
    let runner = RemoteRunner::new(connect(casd.port()), command).unwrap();
    let run = run(&runner, b"x");
    assert_eq!(
        (run.outcome, run.stdout),
        (Outcome::TimedOut, b"begun\n".to_vec())
    );
}

#[test]
fn the_candidate_is_on_the_standard_input_if_the_command_reads_it() {
    let Some(casd) = Casd::start() else { return };
    let command = RemoteCommand {
        reads_candidate: true,
        ..command(&["cat"])
    };
    let runner = RemoteRunner::new(connect(casd.port()), command).unwrap();
    check(&runner, "one\ntwo", Outcome::Exited(0), "one\ntwo", "");
    check(&runner, "", Outcome::Exited(0), "", "");
}

#[test]
fn words_of_a_command_reach_it_unchanged() {
    let Some(casd) = Casd::start() else { return };
    let words = [
        "printf",
        "<%s>",
        "",
        "it's",
        "a\nb",
        "$HOME `id` \\",
        "*",
        "-n",
        "é",
    ];
    let runner = RemoteRunner::new(connect(casd.port()), command(&words)).unwrap();
    let expected = "<><it's><a\nb><$HOME `id` \\><*><-n><é>";
    check(&runner, "x", Outcome::Exited(0), expected, "");
}

#[test]
fn long_outputs_keep_their_beginning_and_their_end() {
    let Some(casd) = Casd::start() else { return };
    let command = RemoteCommand {
        output_cap: 8,
        ..command(&["cat", "{}"])
    };
    let runner = RemoteRunner::new(connect(casd.port()), command).unwrap();
    check(&runner, "0123456789", Outcome::Exited(0), "01236789", "");
    check(&runner, "01234567", Outcome::Exited(0), "01234567", "");
}

#[test]
fn candidates_of_every_size_arrive_whole() {
    let Some(casd) = Casd::start() else { return };
    let runner = RemoteRunner::new(connect(casd.port()), command(&["cat", "{}"])).unwrap();
    for size in [0, 1, 70_000, 5_000_000] {
        let candidate: Vec<u8> = (0..size).map(|index: u32| index.to_le_bytes()[1]).collect();
        let run = run(&runner, &candidate);
        let end = candidate.len().saturating_sub(1 << 19);
        let expected = match candidate.len() {
            0..=1_048_576 => candidate.clone(),
            _ => [&candidate[..1 << 19], &candidate[end..]].concat(),
        };
        assert!(run.stdout == expected, "{size}");
    }
}

#[test]
fn files_and_directories_are_where_the_command_names_them() {
    let Some(casd) = Casd::start() else { return };
    let here = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str, mode: u32| {
        let path = here.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    write(
        "bin/tool",
        "#!/bin/sh\ncat \"$1\"; cat \"$2/inner/b\"",
        0o755,
    );
    write("data/inner/b", "of the directory\n", 0o644);
    let mut files = SentFiles::default();
    files
        .add("bin/tool", &here.path().join("bin/tool"))
        .unwrap();
    files.add("data", &here.path().join("data")).unwrap();
    let sent = |path: &str| vec![Part::Sent(path.into())];
    let command = RemoteCommand {
        words: vec![sent("bin/tool"), vec![Part::Candidate], sent("data")],
        files,
        ..command(&[])
    };
    let runner = RemoteRunner::new(connect(casd.port()), command).unwrap();
    check(
        &runner,
        "candidate, ",
        Outcome::Exited(0),
        "candidate, of the directory\n",
        "",
    );
}

#[test]
fn each_run_of_a_candidate_is_another_one_and_a_later_session_finds_them_all() {
    let Some(casd) = Casd::start() else { return };
    let random = ["sh", "-c", "head -c 16 /dev/urandom | od -An -tx1"];
    let three_runs = || {
        let runner = RemoteRunner::new(connect(casd.port()), command(&random)).unwrap();
        [(); 3].map(|()| run(&runner, b"x").stdout)
    };
    let first = three_runs();
    assert!(first[0] != first[1] && first[1] != first[2] && first[0] != first[2]);
    assert_eq!(first, three_runs());
}

#[test]
fn a_program_that_workers_lack_is_an_error_that_names_it() {
    let Some(casd) = Casd::start() else { return };
    let runner = RemoteRunner::new(connect(casd.port()), command(&["no-such-tool"])).unwrap();
    let error = runner.run(b"x", Capture::Output, &Interrupt::new().unwrap());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("`no-such-tool` is not there"), "{error}");
}

#[test]
fn a_candidate_that_is_the_program_runs_or_is_not_executable() {
    let Some(casd) = Casd::start() else { return };
    let command = RemoteCommand {
        is_executable: true,
        ..command(&["{}"])
    };
    let runner = RemoteRunner::new(connect(casd.port()), command).unwrap();
    check(
        &runner,
        "#!/bin/sh\necho yes\n",
        Outcome::Exited(0),
        "yes\n",
        "",
    );
    for candidate in [&b""[..], b"echo yes\n"] {
        let error = runner.run(candidate, Capture::Output, &Interrupt::new().unwrap());
        assert!(
            matches!(error, Err(RemoteError::NotExecutable)),
            "{error:?}"
        );
    }
}

#[test]
fn a_worker_without_a_shell_is_an_error_and_no_verdict() {
    // The sandbox shows no directory of the machine, so there is no shell in it.
    let Some(casd) = Casd::start_empty() else {
        return;
    };
    let runner = RemoteRunner::new(connect(casd.port()), command(&["true"])).unwrap();
    let error = runner.run(b"x", Capture::Output, &Interrupt::new().unwrap());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("/bin/sh could not be run there"), "{error}");
}

#[test]
fn short_runs_that_wait_for_room_go_together_with_the_same_results() {
    let witness = tempfile::tempdir().unwrap();
    let shown = format!(
        "--runner-arg=--bind-mount={}:/witness",
        witness.path().display()
    );
    let Some(casd) = Casd::start_with(&[&shown]) else {
        return;
    };
    // Notes the directories in which it runs: those of a group are not at the top.
    let line = "pwd >>/witness/dirs; cat; echo \"$1\" >&2; . \"$1\"";
    let command = RemoteCommand {
        reads_candidate: true,
        ..command(&["sh", "-c", line, "sh", "{}"])
    };
    let grouping = Grouping {
        size: 4,
        actions: 1,
    };
    let runner = RemoteRunner::new(connect(casd.port()), command).unwrap();
    let runner = runner.grouping(grouping);
    assert_eq!(run(&runner, b"exit 9\n").outcome, Outcome::Exited(9));
    let candidates: Vec<_> = (0..12).map(|code| format!("exit {code}\n")).collect();
    thread::scope(|scope| {
        for (code, candidate) in (0..).zip(&candidates) {
            let runner = &runner;
            scope.spawn(move || {
                let run = run(runner, candidate.as_bytes());
                assert_eq!(run.outcome, Outcome::Exited(code));
                assert_eq!(run.stdout, candidate.as_bytes());
                assert!(run.stderr.ends_with(b"/test/in put.txt\n"));
            });
        }
    });
    let dirs = fs::read_to_string(witness.path().join("dirs")).unwrap();
    assert!(
        dirs.contains("/000/test\n") && dirs.contains("/001/test\n"),
        "{dirs}"
    );
}

#[test]
fn a_run_that_hangs_in_a_group_costs_the_others_time_only() {
    let Some(casd) = Casd::start() else { return };
    let command = RemoteCommand {
        timeout: Duration::from_secs(2),
        ..command(&["sh", "{}"])
    };
    let grouping = Grouping {
        size: 8,
        actions: 1,
    };
    let runner = RemoteRunner::new(connect(casd.port()), command).unwrap();
    let runner = &runner.grouping(grouping);
    run(runner, b"exit 0\n");
    thread::scope(|scope| {
        let expect = |candidate: &'static [u8], outcome| {
            scope.spawn(move || assert_eq!(run(runner, candidate).outcome, outcome));
        };
        expect(b"sleep 1000\n", Outcome::TimedOut);
        expect(b"exit 1\n", Outcome::Exited(1));
        expect(b"kill -SEGV $$\n", Outcome::Signalled(11));
        expect(b"sleep 1001\n", Outcome::TimedOut);
        expect(b"exit 2\n", Outcome::Exited(2));
    });
}
