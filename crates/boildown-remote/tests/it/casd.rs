//! A real service: buildbox-casd, which stores, caches and executes in one process.

use std::env;
use std::io::{BufRead as _, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Directories of the machine that the sandbox of an action shows.
const SHOWN: [&str; 4] = ["/usr", "/bin", "/lib", "/lib64"];

/// A service that ends with this value.
pub(crate) struct Casd {
    child: Child,
    port: u16,
    cache: TempDir,
    options: Vec<String>,
}

impl Casd {
    /// Starts the service; `None` where it is not installed, and then it says so.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    /// Starts the service with options.
    pub(crate) fn start_with(options: &[&str]) -> Option<Self> {
        let cache = tempfile::tempdir().unwrap();
        let port = free_port();
        let options: Vec<_> = options.iter().map(|option| (*option).to_owned()).collect();
        let child = launch(port, cache.path(), &options)?;
        let casd = Self {
            child,
            port,
            cache,
            options,
        };
        casd.await_start();
        Some(casd)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Returns the directory in which it stores everything.
    pub(crate) fn cache(&self) -> &Path {
        self.cache.path()
    }

    /// Kills the service, with all that it runs.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts the service again, at the same port, with what it has stored.
    pub(crate) fn restart(&mut self) {
        self.child = launch(self.port, self.cache.path(), &self.options).unwrap();
        self.await_start();
    }

    fn await_start(&self) {
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "casd does not listen"
            );
            std::thread::yield_now();
        }
    }
}

impl Drop for Casd {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn launch(port: u16, cache: &Path, options: &[String]) -> Option<Child> {
    let Some(programs) = programs() else {
        println!(
            "skipped: buildbox-casd and bwrap are not installed; run `.ci/remote-server`, and \
             install bubblewrap"
        );
        return None;
    };
    let mut command = Command::new(programs.join("buildbox-casd"));
    command.arg("--bind").arg(format!("127.0.0.1:{port}"));
    command
        .arg("--buildbox-run")
        .arg(programs.join("buildbox-run"));
    command
        .args(["--jobs", "2", "--log-level", "warning"])
        .args(options);
    for dir in SHOWN.iter().filter(|dir| Path::new(dir).exists()) {
        command.arg(format!("--runner-arg=--bind-mount={dir}:{dir}"));
    }
    command
        .arg(cache)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    // Its log is shown by the tests that fail.
    let log = BufReader::new(child.stderr.take().unwrap());
    std::thread::spawn(move || {
        for line in log.lines().map_while(Result::ok) {
            println!("casd: {line}");
        }
    });
    Some(child)
}

/// Returns the directory of the programs.
fn programs() -> Option<PathBuf> {
    let below_target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../remote-server");
    let dir = env::var_os("BUILDBOX").map_or(below_target, PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let has_sandbox = env::split_paths(&path).any(|dir| dir.join("bwrap").exists());
    Some(dir).filter(|dir| dir.join("buildbox-casd").exists() && has_sandbox)
}

pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
