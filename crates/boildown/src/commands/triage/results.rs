//! The folder of the results: one example of each group, and the report.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use boildown_exec::{Access, DirHandle, fsx, remove_tree};
use boildown_show::TriageSummary;

use crate::error::{CliError, ExitKind};
use crate::report::format::EscapedPath as _;

/// The folder that a triage writes to.
pub(super) struct ResultFolder {
    path: PathBuf,
    /// What the files in it may permit.
    access: Access,
}

/// The folder of the examples, in that of the results.
const EXAMPLES: &str = "examples";

/// The folder of the reductions, which a later session continues.
const REDUCTIONS: &str = "reductions";

/// The report.
const REPORT: &str = "triage.json";

/// The report as a page.
const PAGE: &str = "triage.html";

impl ResultFolder {
    /// Returns the stated folder, or the one beside the inputs. It does not have to exist.
    pub(super) fn new(inputs: &Path, stated: Option<&Path>) -> Result<Self, CliError> {
        let path = match stated {
            Some(stated) => stated.to_owned(),
            None => match inputs.components().next_back() {
                Some(Component::Normal(name)) => {
                    let mut name = name.to_owned();
                    name.push(".triage");
                    inputs.with_file_name(name)
                }
                _ => PathBuf::from("boildown.triage"),
            },
        };
        let this = Self {
            path,
            access: Access::OWNER,
        };
        let is_ours = this.report().exists() || this.path.join(boildown_store::FOLDER).exists();
        let is_used = match fs::read_dir(&this.path) {
            Ok(mut entries) => entries.next().is_some(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(this.cannot("read", &this.path, error)),
        };
        if is_used && !is_ours {
            let what = format!(
                "{} exists, and boildown triage did not make it",
                this.shown()
            );
            let hint = "--output FOLDER writes the results elsewhere";
            return Err(CliError::usage(what).hint(hint));
        }
        Ok(this)
    }

    /// States what the files may permit: what the inputs do.
    pub(super) fn limit(&mut self, access: Access) {
        self.access = access;
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn reductions(&self) -> PathBuf {
        self.path.join(REDUCTIONS)
    }

    pub(super) fn report(&self) -> PathBuf {
        self.path.join(REPORT)
    }

    /// Returns the file of an example.
    pub(super) fn example(&self, name: &str) -> PathBuf {
        self.path.join(EXAMPLES).join(name)
    }

    fn shown(&self) -> String {
        self.path.escaped()
    }

    pub(super) fn create(&self) -> Result<(), CliError> {
        self.open().map(drop)
    }

    /// Opens the folder, and creates it if there is none.
    fn open(&self) -> Result<DirHandle, CliError> {
        (fsx::create_dirs(&self.path, self.access))
            .map_err(|error| self.cannot("create", &self.path, error))
    }

    /// Removes the reductions of earlier sessions.
    pub(super) fn forget(&self) -> Result<(), CliError> {
        remove_tree(&self.reductions())
            .map_err(|error| self.cannot("remove", &self.reductions(), error))
    }

    /// Returns the file of the page.
    pub(super) fn page(&self) -> PathBuf {
        self.path.join(PAGE)
    }

    /// Writes the examples and the report, also as a page, and removes the examples of earlier
    /// sessions that are not among them.
    pub(super) fn write<'a>(
        &self,
        examples: impl Iterator<Item = (&'a str, &'a [u8])>,
        report: &TriageSummary,
        page: &str,
    ) -> Result<(), CliError> {
        let results = self.open()?;
        let folder = results.subdirectory_for(EXAMPLES.as_ref(), self.access);
        let folder =
            folder.map_err(|error| self.cannot("create", &self.path.join(EXAMPLES), error))?;
        let written_in = |dir: &DirHandle, name: &str, content: &[u8]| {
            (fsx::write_in(dir, name.as_ref(), content, self.access))
                .map_err(|error| self.cannot("write", &dir.path().join(name), error))
        };
        let mut written = BTreeSet::new();
        for (name, content) in examples {
            written_in(&folder, name, content)?;
            written.insert(name.to_owned());
        }
        for name in self.earlier_examples() {
            if !written.contains(&name) {
                folder.unlink(name.as_ref()).ok();
            }
        }
        let text = serde_json::to_string_pretty(report).expect("a report is valid JSON");
        for (name, text) in [(PAGE, page), (REPORT, &(text + "\n"))] {
            written_in(&results, name, text.as_bytes())?;
        }
        Ok(())
    }

    /// Returns the names of the examples that the earlier report lists.
    fn earlier_examples(&self) -> Vec<String> {
        let read = || -> Option<Vec<String>> {
            let text = fs::read_to_string(self.report()).ok()?;
            let report: TriageSummary = serde_json::from_str(&text).ok()?;
            let files = report
                .groups
                .iter()
                .map(|group| Path::new(&group.example.file));
            let names = files.filter_map(|file| Some(file.file_name()?.to_str()?.to_owned()));
            Some(names.collect())
        };
        read().unwrap_or_default()
    }

    fn cannot(&self, action: &str, path: &Path, error: io::Error) -> CliError {
        let what = format!("failed to {action} {}", path.escaped());
        let error = CliError::new(ExitKind::InvalidUsage, what).because(error);
        error.hint("--output FOLDER writes the results elsewhere")
    }
}
