//! The `boildown` program: building it, running it, and reading its events.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use serde::Deserialize;
use serde_json::Value;

/// Time after an interrupt within which boildown has to save its best result and exit.
const GRACE: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(2);

/// Fields of the `finished` event; a version of boildown that does not report a field leaves it
/// out.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Finished {
    pub(crate) bytes_before: Option<u64>,
    pub(crate) bytes_after: Option<u64>,
    pub(crate) tokens_before: Option<u64>,
    pub(crate) tokens_after: Option<u64>,
    pub(crate) queries: Option<u64>,
    pub(crate) runs: Option<u64>,
    pub(crate) seconds: Option<f64>,
    pub(crate) one_minimal: Option<bool>,
    /// User and system time of the boildown process itself, without the commands that it ran.
    pub(crate) driver_cpu_seconds: Option<f64>,
}

/// A finished run of boildown.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) status: ExitStatus,
    pub(crate) wall: Duration,
    /// Last `finished` event, if there was one.
    pub(crate) finished: Option<Finished>,
    /// Whether the time limit ended it.
    pub(crate) limited: bool,
    /// Whether it ignored the interrupt and had to be killed.
    pub(crate) killed: bool,
    /// Last non-empty line of its standard error.
    pub(crate) last_line: String,
}

/// Returns the top of the checkout that this program was built from.
pub(crate) fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is a folder of the checkout")
}

/// Returns `given` as an absolute path; without it, builds a release of boildown, with a feature if
/// one is named, and returns its path.
pub(crate) fn find_or_build(given: Option<&Path>, feature: Option<&str>) -> Result<PathBuf> {
    if let Some(path) = given {
        return fs::canonicalize(path)
            .with_context(|| format!("no boildown at {}", path.display()));
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let built = Command::new(cargo)
        .args([
            "build",
            "--release",
            "--package",
            "boildown",
            "--message-format=json-render-diagnostics",
        ])
        .args(feature.map(|feature| format!("--features={feature}")))
        .current_dir(checkout())
        .stderr(Stdio::inherit())
        .output()
        .context("start cargo")?;
    if !built.status.success() {
        bail!("cargo build --release: {}", built.status);
    }
    String::from_utf8_lossy(&built.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
        .find(|path| path.file_stem().is_some_and(|stem| stem == "boildown"))
        .context("cargo build made no program called boildown")
}

/// Runs a prepared boildown command and interrupts it after `limit`. Its standard error goes to
/// `log`.
pub(crate) fn run(command: &mut Command, limit: Option<Duration>, log: &Path) -> Result<Run> {
    let errors = File::create(log).with_context(|| format!("create {}", log.display()))?;
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(errors)
        .spawn()
        .with_context(|| format!("start {}", command.get_program().display()))?;
    let stdout = child.stdout.take().expect("stdout is piped");
    let events = thread::spawn(move || last_finished(BufReader::new(stdout)));
    let (status, limited, killed) = wait(&mut child, started, limit)?;
    let wall = started.elapsed();
    let finished = events.join().expect("reading lines does not panic");
    let stderr = fs::read(log).unwrap_or_default();
    let stderr = String::from_utf8_lossy(&stderr);
    let last_line = stderr
        .lines()
        .rfind(|line| !line.trim().is_empty())
        .unwrap_or_default()
        .trim()
        .to_owned();
    Ok(Run {
        status,
        wall,
        finished,
        limited,
        killed,
        last_line,
    })
}

fn wait(
    child: &mut Child,
    started: Instant,
    limit: Option<Duration>,
) -> Result<(ExitStatus, bool, bool)> {
    let mut interrupted: Option<Instant> = None;
    let mut killed = false;
    loop {
        if let Some(status) = child.try_wait().context("wait for boildown")? {
            return Ok((status, interrupted.is_some(), killed));
        }
        match interrupted {
            None if limit.is_some_and(|limit| started.elapsed() >= limit) => {
                kill_process(Pid::from_child(child), Signal::INT).context("interrupt boildown")?;
                interrupted = Some(Instant::now());
            }
            Some(since) if !killed && since.elapsed() >= GRACE => {
                child.kill().context("kill boildown")?;
                killed = true;
            }
            _ => {}
        }
        thread::sleep(POLL);
    }
}

fn last_finished(lines: impl std::io::BufRead) -> Option<Finished> {
    lines
        .split(b'\n')
        .map_while(Result::ok)
        .filter_map(|line| serde_json::from_slice::<Value>(&line).ok())
        .filter(|event| event["event"] == "finished")
        .filter_map(|event| serde_json::from_value(event).ok())
        .last()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_script(script: &str, limit: Option<Duration>) -> Run {
        let folder = tempfile::tempdir().unwrap();
        run(
            Command::new("sh").args(["-c", script]),
            limit,
            &folder.path().join("log"),
        )
        .unwrap()
    }

    #[test]
    fn the_finished_event_is_found_among_others() {
        let script = r#"echo '{"event":"improved","bytes":3,"tokens":1}'; echo noise
            echo '{"event":"finished","bytes_after":8,"one_minimal":true,"new":[1]}'; echo hint >&2; echo >&2"#;
        let run = run_script(script, None);
        let finished = run.finished.unwrap();
        assert_eq!(finished.bytes_after, Some(8));
        assert_eq!(finished.one_minimal, Some(true));
        assert_eq!(finished.runs, None);
        assert_eq!(run.last_line, "hint");
        assert!(run.status.success() && !run.limited);
    }

    #[test]
    fn the_limit_interrupts_the_run_and_its_last_event_is_kept() {
        let script = r#"trap 'echo "{\"event\":\"finished\",\"runs\":5}"; exit 6' INT
            while :; do sleep 0.02; done"#;
        let run = run_script(script, Some(Duration::from_millis(200)));
        assert_eq!(run.status.code(), Some(6));
        assert_eq!(run.finished.unwrap().runs, Some(5));
        assert!(run.limited && !run.killed);
    }
}
