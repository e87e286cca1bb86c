//! Counting of tokens with one counter for every reducer.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

/// Counter of the tokens of inputs and results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Counter {
    /// A script, called as `PYTHON SCRIPT LANGUAGE FILE`, that prints the count first.
    Script { python: PathBuf, script: PathBuf },
    /// The counts in boildown's last event.
    Own,
}

impl Counter {
    /// Chooses the script (`given`, or else `bench/tokcount.py` beside the folder of subjects) if
    /// it and the interpreter with its grammars exist.
    pub(crate) fn choose(given: Option<&Path>, subjects: &Path) -> Self {
        let Some(home) = peers_home() else {
            return Self::Own;
        };
        let python = home.join("peers/tok/bin/python");
        let script = given.map_or_else(|| subjects.join("../bench/tokcount.py"), Path::to_path_buf);
        if python.exists() && script.exists() {
            Self::Script { python, script }
        } else {
            Self::Own
        }
    }

    /// Returns the number of tokens in `file`, or `None` if boildown's own count is used.
    pub(crate) fn count(&self, language: &str, file: &Path) -> Result<Option<u64>> {
        let Self::Script { python, script } = self else {
            return Ok(None);
        };
        let output = Command::new(python)
            .arg(script)
            .args([language.as_ref(), file.as_os_str()])
            .output()
            .with_context(|| format!("start {}", python.display()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let Some(count) = text
            .split_whitespace()
            .next()
            .and_then(|word| word.parse().ok())
        else {
            let errors = String::from_utf8_lossy(&output.stderr);
            bail!(
                "{} counted nothing: {}",
                script.display(),
                errors.lines().last().unwrap_or_default()
            );
        };
        Ok(Some(count))
    }

    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Script { script, .. } => format!("tokens counted by {}", script.display()),
            Self::Own => "tokens as boildown counts them (no neutral counter found)".to_owned(),
        }
    }
}

/// Returns the folder with the other reducers and the counter's interpreter.
fn peers_home() -> Option<PathBuf> {
    if let Some(home) = std::env::var_os("PB_HOME") {
        return Some(PathBuf::from(home));
    }
    Some(std::env::home_dir()?.join(".cache/boildown-bench"))
}
