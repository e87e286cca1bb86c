//! A script, a scratch space, and the question what is left of both.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use boildown_oracle::spawn::{Capture, Limits, Permissions, Sandbox};
use boildown_oracle::{
    Cancel, CandidateFile, CommandLine, OracleError, Outcome, Run, Runner, Scratch,
};
use tempfile::TempDir;

/// Longer than any run here takes, shorter than the `sleep 1000` that scripts start.
pub(crate) const SOON: Duration = Duration::from_secs(60);

/// A test script in a directory of its own.
pub(crate) struct Scene {
    /// Where the script is, and where it may write to through `$NOTES`.
    pub(crate) dir: TempDir,
    /// Ready to run the script.
    pub(crate) runner: Runner,
    /// Carried by all that the script starts, in the environment.
    mark: String,
}

impl Scene {
    /// Writes the script, whose first line is given already.
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
        let place = dir.path().join("scratch");
        fs::create_dir(&place).unwrap();
        let notes = dir.path().join("notes");
        fs::write(&notes, "").unwrap();
        let permissions = Permissions {
            writable: vec![notes],
            ..Permissions::default()
        };
        let runner = Runner {
            command: CommandLine::script(&path, dir.path()),
            scratch: Arc::new(Scratch::within(&place).unwrap()),
            file: CandidateFile::named("crash.c"),
            limits: Limits {
                timeout: SOON,
                sandbox: Some(Sandbox::new(&permissions).unwrap()),
                ..Limits::default()
            },
        };
        Self { dir, runner, mark }
    }

    /// Lets the script run for this long.
    pub(crate) fn timeout(mut self, timeout: Duration) -> Self {
        self.runner = self.runner.with_timeout(timeout);
        self
    }

    /// Runs the script, checks that nothing is left, and returns the run.
    #[track_caller]
    pub(crate) fn run(&self) -> Run {
        self.try_run(&Cancel::new().unwrap()).unwrap()
    }

    #[track_caller]
    pub(crate) fn try_run(&self, cancel: &Cancel) -> Result<Run, OracleError> {
        let result = self.runner.run(b"int x;\n", Capture::Output, cancel);
        self.assert_clean();
        result
    }

    /// Checks that no process that the script started is left, and no file in the scratch space.
    #[track_caller]
    pub(crate) fn assert_clean(&self) {
        assert_eq!(self.survivors(), Vec::<String>::new());
        // Empty directories wait for the next run.
        let is_empty = |dir: &Path| fs::read_dir(dir).is_ok_and(|mut dir| dir.next().is_none());
        let left: Vec<_> = fs::read_dir(self.runner.scratch.path())
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| !is_empty(&entry.path()))
            .map(|entry| entry.file_name())
            .collect();
        assert_eq!(left, ["lock"]);
    }

    /// Returns the command lines of the processes that carry the script's mark.
    fn survivors(&self) -> Vec<String> {
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

/// Returns whether there is such a process, be it a zombie.
pub(crate) fn exists(pid: &str) -> bool {
    fs::exists(format!("/proc/{pid}")).unwrap()
}
