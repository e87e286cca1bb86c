//! Faults of the service, of its store and of the link. None of them may change a verdict.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use boildown_oracle::{Capture, Interrupt, Outcome};
use boildown_remote::{RemoteConfig, RemoteError, RemoteRunner, RemoteService};
use tempfile::TempDir;

use crate::casd::{Casd, free_port};
use crate::proxy::Proxy;
use crate::runs::{command, config, connect, run};

/// A directory that actions can write to, to show what they did.
struct Witness {
    dir: TempDir,
}

impl Witness {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    /// Returns the option that shows the directory to actions.
    fn option(&self) -> String {
        format!(
            "--runner-arg=--bind-mount={}:/witness",
            self.dir.path().display()
        )
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Waits until an action has created a file.
    fn wait_for(&self, name: &str) {
        while !self.path(name).exists() {
            thread::yield_now();
        }
    }

    fn create(&self, name: &str) {
        fs::write(self.path(name), "").unwrap();
    }

    /// Returns how many times an action has started.
    fn starts(&self) -> usize {
        fs::read_to_string(self.path("starts")).map_or(0, |text| text.lines().count())
    }
}

/// A command that notes its start, waits for a file if the candidate asks for it, and prints.
const WAITS: &str = r#"echo start >>/witness/starts
>/witness/began
if grep -q wait "$1"; then while ! [ -e /witness/go ]; do sleep 0.05; done; fi
echo seen; exit 7"#;

/// Returns a configuration that notices a cut link soon.
fn hasty(port: u16) -> RemoteConfig {
    RemoteConfig {
        silence: Duration::from_millis(300),
        patience: Duration::from_secs(60),
        ..config(port)
    }
}

fn waiting_runner(port: u16) -> Arc<RemoteRunner> {
    let service = Arc::new(RemoteService::connect(hasty(port)).unwrap());
    let command = command(&["sh", "-c", WAITS, "sh", "{}"]);
    Arc::new(RemoteRunner::new(service, command).unwrap())
}

/// Starts a run that waits until `/witness/go` exists, and disturbs it while it waits.
#[track_caller]
fn check_disturbed(port: u16, witness: &Witness, disturb: impl FnOnce()) {
    let runner = waiting_runner(port);
    let waiting = {
        let runner = Arc::clone(&runner);
        thread::spawn(move || run(&runner, b"wait"))
    };
    witness.wait_for("began");
    disturb();
    witness.create("go");
    let run = waiting.join().unwrap();
    assert_eq!(
        (run.outcome, run.stdout),
        (Outcome::Exited(7), b"seen\n".to_vec())
    );
}

#[test]
fn a_stream_that_breaks_is_attached_again_and_the_command_runs_once() {
    let witness = Witness::new();
    let Some(casd) = Casd::start_with(&[&witness.option()]) else {
        return;
    };
    let proxy = Proxy::to(casd.port());
    check_disturbed(proxy.port(), &witness, || {
        proxy.cut();
        proxy.mend();
    });
    assert_eq!(witness.starts(), 1);
}

#[test]
fn a_link_that_carries_nothing_is_noticed_and_made_again() {
    let witness = Witness::new();
    let Some(casd) = Casd::start_with(&[&witness.option()]) else {
        return;
    };
    let proxy = Proxy::to(casd.port());
    check_disturbed(proxy.port(), &witness, || {
        proxy.hold();
        // The command ends while nothing passes.
        witness.create("go");
        thread::sleep(Duration::from_secs(1));
        proxy.mend();
    });
    assert_eq!(witness.starts(), 1);
}

#[test]
fn a_service_that_is_restarted_runs_the_command_again() {
    let witness = Witness::new();
    let Some(mut casd) = Casd::start_with(&[&witness.option()]) else {
        return;
    };
    check_disturbed(casd.port(), &witness, || {
        casd.kill();
        casd.restart();
    });
    assert_eq!(witness.starts(), 2);
}

#[test]
fn a_slow_link_changes_no_result() {
    let witness = Witness::new();
    let Some(casd) = Casd::start_with(&[&witness.option()]) else {
        return;
    };
    let proxy = Proxy::to(casd.port());
    let runner = waiting_runner(proxy.port());
    proxy.slow_down(20_000);
    for candidate in [&b"a"[..], b"b"] {
        assert_eq!(run(&runner, candidate).outcome, Outcome::Exited(7));
    }
}

#[test]
fn a_service_that_stays_away_is_an_error_that_says_so() {
    let witness = Witness::new();
    let Some(mut casd) = Casd::start_with(&[&witness.option()]) else {
        return;
    };
    let config = RemoteConfig {
        patience: Duration::from_millis(500),
        ..config(casd.port())
    };
    let service = Arc::new(RemoteService::connect(config).unwrap());
    let runner = RemoteRunner::new(service, command(&["true"])).unwrap();
    casd.kill();
    let error = (runner.run(b"x", Capture::Output, &Interrupt::new().unwrap())).unwrap_err();
    assert!(matches!(error, RemoteError::Gone { .. }), "{error}");
    assert!(
        error.to_string().contains("the same command resumes"),
        "{error}"
    );
}

#[test]
fn an_address_without_a_service_is_an_error() {
    let config = RemoteConfig {
        patience: Duration::from_millis(300),
        ..config(free_port())
    };
    let error = RemoteService::connect(config).unwrap_err();
    assert!(error.to_string().contains("refused"), "{error}");
}

/// Removes the objects that a service has stored since the start, except those of `kept`.
fn remove_objects(dir: &Path, kept: &[PathBuf]) {
    for path in objects(dir) {
        if !kept.contains(&path) {
            fs::remove_file(path).unwrap();
        }
    }
}

fn objects(dir: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(dir)
        .unwrap()
        .map(|folder| folder.unwrap().path());
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap());
    files.map(|file| file.unwrap().path()).collect()
}

#[test]
fn what_a_store_has_lost_is_uploaded_again() {
    let Some(casd) = Casd::start() else { return };
    let runner = RemoteRunner::new(connect(casd.port()), command(&["cat", "{}"])).unwrap();
    remove_objects(&casd.cache().join("cas/objects"), &[]);
    assert_eq!(run(&runner, b"text").stdout, b"text");
    // Now the cache knows the result, and the store has lost its output.
    remove_objects(&casd.cache().join("cas/objects"), &[]);
    let runner = RemoteRunner::new(connect(casd.port()), command(&["cat", "{}"])).unwrap();
    assert_eq!(run(&runner, b"text").stdout, b"text");
}

#[test]
fn a_result_of_another_candidate_in_the_cache_is_not_believed() {
    let Some(casd) = Casd::start() else { return };
    let results = casd.cache().join("actioncache/objects");
    let new_runner = || {
        let line = "cat \"$1\"; grep -q good \"$1\"";
        RemoteRunner::new(
            connect(casd.port()),
            command(&["sh", "-c", line, "sh", "{}"]),
        )
        .unwrap()
    };
    let runner = new_runner();
    assert_eq!(run(&runner, b"good").outcome, Outcome::Exited(0));
    let of_good = objects(&results);
    assert_eq!(run(&runner, b"bad").outcome, Outcome::Exited(1));
    // The cache answers with the result of the other candidate from now on.
    let [good] = of_good.as_slice() else {
        panic!("{of_good:?}")
    };
    let foreign = fs::read(good).unwrap();
    for path in objects(&results).iter().filter(|path| *path != good) {
        fs::remove_file(path).unwrap();
        fs::write(path, &foreign).unwrap();
    }
    let run_again = run(&new_runner(), b"bad");
    assert_eq!(run_again.outcome, Outcome::Exited(1));
    assert_eq!(run_again.stdout, b"bad");
}

#[test]
fn an_interrupted_run_is_cancelled_there() {
    let witness = Witness::new();
    let Some(casd) = Casd::start_with(&[&witness.option()]) else {
        return;
    };
    let mark = format!("{}.5", 80_000 + u32::from(casd.port()));
    let line = format!(">/witness/began; exec sleep {mark}");
    let runner = RemoteRunner::new(connect(casd.port()), command(&["sh", "-c", &line])).unwrap();
    let runner = Arc::new(runner);
    let interrupt = Interrupt::new().unwrap();
    let waiting = {
        let (runner, interrupt) = (Arc::clone(&runner), interrupt.clone());
        thread::spawn(move || runner.run(b"x", Capture::Output, &interrupt))
    };
    witness.wait_for("began");
    interrupt.trigger();
    let error = waiting.join().unwrap().unwrap_err();
    assert!(matches!(error, RemoteError::Interrupted), "{error}");
    while is_running(&mark) {
        thread::yield_now();
    }
}

/// Returns whether a process has this argument.
fn is_running(argument: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut command_lines = processes.filter_map(|dir| fs::read(dir.path().join("cmdline")).ok());
    command_lines.any(|line| {
        let words: Vec<_> = line.split(|byte| *byte == 0).collect();
        words.first() == Some(&&b"sleep"[..]) && words.contains(&argument.as_bytes())
    })
}

#[test]
fn a_store_without_room_is_an_error_that_says_so() {
    let options = [
        "--quota-high=300K",
        "--reserved=0",
        "--protect-session-blobs",
    ];
    let Some(casd) = Casd::start_with(&options) else {
        return;
    };
    let config = RemoteConfig {
        patience: Duration::from_millis(500),
        ..config(casd.port())
    };
    let service = Arc::new(RemoteService::connect(config).unwrap());
    let runner = RemoteRunner::new(service, command(&["true"])).unwrap();
    let interrupt = Interrupt::new().unwrap();
    let mut runs = (0..10).map(|letter| runner.run(&[letter; 80_000], Capture::Output, &interrupt));
    let error = runs.find_map(Result::err).unwrap().to_string();
    assert!(error.contains("make room there"), "{error}");
}
