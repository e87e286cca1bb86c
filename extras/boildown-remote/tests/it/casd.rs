//! A real service: buildbox-casd, which stores, caches and executes in one process.

use std::env;
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
        let shown = SHOWN.iter().filter(|dir| Path::new(dir).exists());
        let shown = shown.map(|dir| format!("--runner-arg=--bind-mount={dir}:{dir}"));
        let options = options.iter().map(|option| (*option).to_owned());
        Self::start_all(shown.chain(options).collect())
    }

    /// Starts a service whose actions see nothing of the machine.
    pub(crate) fn start_empty() -> Option<Self> {
        Self::start_all(Vec::new())
    }

    fn start_all(options: Vec<String>) -> Option<Self> {
        let cache = tempfile::tempdir().unwrap();
        let port = free_port();
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

#[expect(clippy::print_stdout, reason = "a test says that it is skipped")]
fn launch(port: u16, cache: &Path, options: &[String]) -> Option<Child> {
    let Some(programs) = programs() else {
        println!(
            "skipped: `.ci/remote-server` installs the server, and it needs a bubblewrap (bwrap) \
             that works here"
        );
        return None;
    };
    let mut command = Command::new(programs.join("buildbox-casd"));
    command.args(["--bind", &format!("127.0.0.1:{port}"), "--jobs", "2"]);
    let runner = programs.join("buildbox-run");
    command
        .arg("--buildbox-run")
        .arg(runner)
        .args(options)
        .arg(cache);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Some(command.spawn().unwrap())
}

/// Returns the directory of the programs, if they and the sandbox that they use work here.
fn programs() -> Option<PathBuf> {
    // Only tests are told this directory.
    let target = Path::new(option_env!("CARGO_TARGET_TMPDIR").unwrap_or("target/tmp")).parent()?;
    let below_target = target.join("remote-server");
    let dir = env::var_os("BUILDBOX").map_or(below_target, PathBuf::from);
    // Some systems let only root use it.
    let sandbox = Command::new("bwrap")
        .args(["--ro-bind", "/", "/", "true"])
        .output();
    let has_sandbox = sandbox.is_ok_and(|output| output.status.success());
    Some(dir).filter(|dir| dir.join("buildbox-casd").exists() && has_sandbox)
}

pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
