//! Test scenes: a script, a scratch space, and a check that nothing is left of both.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use boildown_exec::spawn::{Limits, Permissions, Sandbox};
use boildown_exec::{CandidateFile, CommandLine, Runner, Scratch};
use boildown_oracle::{Capture, Interrupt, OracleError, Outcome, Run};
use tempfile::TempDir;

/// A time limit that is longer than every run here and shorter than the `sleep 1000` of the
/// scripts.
pub(crate) const SOON: Duration = Duration::from_secs(60);

/// A test script in its own directory.
pub(crate) struct Scene {
    /// The directory of the script, and of the file `$NOTES` that the script may write to.
    pub(crate) dir: TempDir,
    /// The runner of the script.
    pub(crate) runner: Runner,
    /// The environment variable of all processes that the script starts.
    mark: String,
}

impl Scene {
    /// Writes the script, after a first line that names the interpreter and exports `$NOTES`.
    pub(crate) fn new(script: &str) -> Self {
        static SCENES: AtomicU32 = AtomicU32::new(0);
        let number = SCENES.fetch_add(1, Ordering::Relaxed);
        let mark = format!("BOILDOWN_TEST_MARK={}-{number}.", std::process::id());
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("test.sh");
        let notes = dir.path().join("notes");
        fs::write(
            &path,
            format!(
                "#!/bin/sh\nexport {mark} NOTES='{}'\n{script}\n",
                notes.display()
            ),
        )
        .unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let scratch = dir.path().join("scratch");
        fs::create_dir(&scratch).unwrap();
        let notes = dir.path().join("notes");
        fs::write(&notes, "").unwrap();
        let permissions = Permissions {
            writable: vec![notes],
            ..Permissions::default()
        };
        let runner = Runner {
            command: CommandLine::script(&path, dir.path()),
            project: None,
            scratch: Arc::new(Scratch::within(&scratch).unwrap()),
            file: CandidateFile::named("crash.c"),
            limits: Limits {
                timeout: SOON,
                sandbox: Some(Sandbox::new(&permissions).unwrap()),
                ..Limits::default()
            },
            extra_tests: Vec::new(),
            executor: None,
        };
        Self { dir, runner, mark }
    }

    /// Sets the time limit of the script.
    pub(crate) fn timeout(mut self, timeout: Duration) -> Self {
        self.runner = self.runner.with_timeout(timeout);
        self
    }

    /// Runs the script, checks that nothing is left, and returns the run.
    #[track_caller]
    pub(crate) fn run(&self) -> Run {
        self.try_run(&Interrupt::new().unwrap()).unwrap()
    }

    #[track_caller]
    pub(crate) fn try_run(&self, interrupt: &Interrupt) -> Result<Run, OracleError> {
        let result = self.runner.run(b"int x;\n", Capture::Output, interrupt);
        self.assert_clean();
        result
    }

    /// Checks that no process of the script is left, and no file in the scratch space.
    #[track_caller]
    pub(crate) fn assert_clean(&self) {
        assert_eq!(self.escaped_processes(), Vec::<String>::new());
        // Empty directories are kept for the next run.
        let is_empty = |dir: &Path| fs::read_dir(dir).is_ok_and(|mut dir| dir.next().is_none());
        let left: Vec<_> = fs::read_dir(self.runner.scratch.path())
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| !is_empty(&entry.path()))
            .map(|entry| entry.file_name())
            .collect();
        assert_eq!(left, ["lock"]);
    }

    /// Returns the command lines of the processes with the mark of the script.
    fn escaped_processes(&self) -> Vec<String> {
        let processes = fs::read_dir("/proc")
            .unwrap()
            .map(|entry| entry.unwrap().path());
        processes
            .filter(|process| {
                fs::read(process.join("environ"))
                    .is_ok_and(|environ| contains(&environ, self.mark.as_bytes()))
            })
            .map(|process| {
                format!(
                    "{}: {}",
                    process.display(),
                    fs::read_to_string(process.join("cmdline")).unwrap_or_default()
                )
            })
            .collect()
    }

    /// Returns the words that the script wrote to `$NOTES`.
    pub(crate) fn notes(&self) -> Vec<String> {
        let notes = fs::read_to_string(self.dir.path().join("notes")).unwrap_or_default();
        notes.split_whitespace().map(str::to_owned).collect()
    }

    /// Runs the script and checks how it ended.
    #[track_caller]
    pub(crate) fn check(&self, outcome: Outcome) {
        assert_eq!(self.run().outcome, outcome);
    }
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle)
}

/// Returns whether the process has not ended. The process that has adopted it may reap it later.
pub(crate) fn is_running(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}
