//! Subjects: folders with a real input and a script that tests whether a candidate is interesting.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::Deserialize;

/// Longest run of a subject's own test when a result is verified.
const TEST_LIMIT: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(5);

/// Fields of `subject.json` that are used here.
#[derive(Debug, Clone, Deserialize)]
struct Description {
    name: String,
    language: String,
    input: String,
}

/// A folder with `subject.json`, the input, `test.sh` and optionally `setup.sh`.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) language: String,
    /// Base name of the input; the test expects the candidate under this name.
    pub(crate) input: String,
    pub(crate) folder: PathBuf,
}

impl Subject {
    fn read(folder: &Path) -> Result<Self> {
        let folder =
            fs::canonicalize(folder).with_context(|| format!("find {}", folder.display()))?;
        let path = folder.join("subject.json");
        let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        let Description {
            name,
            language,
            input,
        } = serde_json::from_str(&text).with_context(|| format!("parse {}", path.display()))?;
        Ok(Self {
            name,
            language,
            input,
            folder,
        })
    }

    /// Returns the folder that holds this subject and others.
    pub(crate) fn parent(&self) -> &Path {
        self.folder.parent().unwrap_or(&self.folder)
    }

    pub(crate) fn test(&self) -> PathBuf {
        self.folder.join("test.sh")
    }

    pub(crate) fn input_path(&self) -> PathBuf {
        self.folder.join(&self.input)
    }

    /// Runs `setup.sh`, if there is one, to install the tools that the test needs.
    pub(crate) fn set_up(&self) -> Result<()> {
        let script = self.folder.join("setup.sh");
        if !script.exists() {
            return Ok(());
        }
        let scratch = tempfile::tempdir().context("make a folder for setup.sh")?;
        let done = Command::new(&script)
            .current_dir(scratch.path())
            .env("SUBJECT_DIR", &self.folder)
            .stdin(Stdio::null())
            .output()
            .context("start setup.sh")?;
        if !done.status.success() {
            let errors = String::from_utf8_lossy(&done.stderr);
            let last = errors
                .lines()
                .rfind(|line| !line.trim().is_empty())
                .unwrap_or_default();
            bail!("setup.sh: {}: {last}", done.status);
        }
        Ok(())
    }

    /// Returns whether the subject's own test accepts `candidate`, in a fresh folder.
    pub(crate) fn accepts(&self, candidate: &Path) -> Result<bool> {
        let scratch = tempfile::tempdir().context("make a folder for test.sh")?;
        fs::copy(candidate, scratch.path().join(&self.input))
            .with_context(|| format!("copy {}", candidate.display()))?;
        let mut child = Command::new(self.test())
            .current_dir(scratch.path())
            .env("SUBJECT_DIR", &self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .context("start test.sh")?;
        Ok(wait_for(&mut child, TEST_LIMIT)?.is_some_and(|status| status.success()))
    }
}

/// Waits for a child that leads its process group; kills the group and returns `None` after
/// `limit`.
fn wait_for(child: &mut Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().context("wait for test.sh")? {
            return Ok(Some(status));
        }
        if started.elapsed() >= limit {
            kill_process_group(Pid::from_child(child), Signal::KILL).context("kill test.sh")?;
            child.wait().context("wait for test.sh")?;
            return Ok(None);
        }
        thread::sleep(POLL);
    }
}

/// Returns the subjects of `folders`, each a subject itself or a folder of subjects, ordered by
/// path. With `only`, returns only the subjects with these names.
pub(crate) fn find(folders: &[PathBuf], only: &[String]) -> Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    for folder in folders {
        if folder.join("subject.json").exists() {
            subjects.push(Subject::read(folder)?);
            continue;
        }
        let entries = fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))?;
        let mut inside: Vec<PathBuf> = entries
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<_>>()
            .context("list subjects")?;
        inside.retain(|path| path.join("subject.json").exists());
        inside.sort();
        for path in inside {
            subjects.push(Subject::read(&path)?);
        }
    }
    for name in only {
        if !subjects.iter().any(|subject| subject.name == *name) {
            bail!("no subject called {name}");
        }
    }
    if !only.is_empty() {
        subjects.retain(|subject| only.contains(&subject.name));
    }
    if subjects.is_empty() {
        bail!("no subjects: a subject is a folder with a subject.json");
    }
    Ok(subjects)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait_for_script(script: &str) -> Option<ExitStatus> {
        let mut child = Command::new("sh")
            .args(["-c", script])
            .process_group(0)
            .spawn()
            .unwrap();
        wait_for(&mut child, Duration::from_millis(300)).unwrap()
    }

    #[test]
    fn a_test_that_hangs_is_ended() {
        assert_eq!(wait_for_script("exit 3").unwrap().code(), Some(3));
        assert_eq!(wait_for_script("sleep 100 & wait"), None);
    }

    #[test]
    fn a_folder_of_subjects_and_a_single_subject_are_found() {
        let top = tempfile::tempdir().unwrap();
        for name in ["b", "a", "empty"] {
            let folder = top.path().join(name);
            fs::create_dir(&folder).unwrap();
            if name != "empty" {
                let text = format!(
                    r#"{{"name": "subject-{name}", "language": "C", "input": "x.c", "more": 1}}"#
                );
                fs::write(folder.join("subject.json"), text).unwrap();
            }
        }
        let names = |folder: &Path, only: &[&str]| {
            let only: Vec<String> = only.iter().map(|&name| name.to_owned()).collect();
            find(&[folder.to_path_buf()], &only)
                .map(|found| found.into_iter().map(|s| s.name).collect::<Vec<_>>())
        };
        assert_eq!(names(top.path(), &[]).unwrap(), ["subject-a", "subject-b"]);
        assert_eq!(names(&top.path().join("b"), &[]).unwrap(), ["subject-b"]);
        assert_eq!(names(top.path(), &["subject-b"]).unwrap(), ["subject-b"]);
        assert!(names(top.path(), &["subject-c"]).is_err());
        assert!(names(&top.path().join("empty"), &[]).is_err());
    }
}
