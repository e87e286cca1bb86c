//! The files of a bug report: its folder and its archive.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use boildown_exec::{Access, CommandLine, StdinContent, WordPart, fsx};
use boildown_show::{BugCommand, ScriptPart};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::bug_folder::FolderPlace;
use super::trust::Trust;
use crate::error::{CliError, ExitKind};
use crate::report::format::EscapedPath as _;

/// The largest file of the command that is enclosed, in bytes.
const MAX_ENCLOSED: u64 = 1 << 20;

/// The files of a bug report.
pub(super) struct BugFiles {
    /// Their paths in the folder, contents, and whether they are executable.
    files: Vec<(String, Vec<u8>, bool)>,
    /// The paths of the command's files, and their names in the folder.
    pub(super) enclosed: Vec<(PathBuf, String)>,
    home: Option<String>,
    /// Where the folder is that is the test case.
    place: Option<FolderPlace>,
    /// Whether files of this machine are enclosed: those that a foreign store names may be secret.
    encloses: bool,
    /// What the files may permit.
    access: Access,
}

impl BugFiles {
    /// Returns no files. `place` is where the test case is, if that is a folder.
    pub(super) fn new(place: Option<FolderPlace>, trust: Trust) -> Self {
        Self {
            encloses: trust != Trust::Foreign,
            home: std::env::home_dir().and_then(|home| home.to_str().map(str::to_owned)),
            place,
            files: Vec::new(),
            enclosed: Vec::new(),
            access: Access::OWNER,
        }
    }

    pub(super) fn add(&mut self, name: &str, content: Vec<u8>, is_executable: bool) {
        self.files.push((name.to_owned(), content, is_executable));
    }

    /// Returns a text with `~` in place of the home directory.
    pub(super) fn without_home(&self, text: &str) -> String {
        match self.home.as_deref().filter(|home| home.len() > 1) {
            Some(home) => text.replace(home, "~"),
            None => text.to_owned(),
        }
    }

    /// Returns a text with the names of the enclosed files in place of their paths, and without the
    /// home directory.
    pub(super) fn without_paths(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (path, name) in &self.enclosed {
            if let Some(path) = path.to_str() {
                text = text.replace(path, name);
            }
        }
        self.without_home(&text)
    }

    pub(super) fn command(&mut self, command: &CommandLine) -> Result<BugCommand, CliError> {
        let mut words = Vec::new();
        for (number, word) in command.parts().enumerate() {
            let mut parts = Vec::new();
            for part in word {
                parts.extend(self.part(part, number == 0)?);
            }
            words.push(parts);
        }
        Ok(BugCommand {
            words,
            reads_case: command.stdin() == StdinContent::Candidate,
        })
    }

    fn part(&mut self, part: &WordPart, is_program: bool) -> Result<Vec<ScriptPart>, CliError> {
        let text = |text: Option<&str>| {
            text.map(str::to_owned).ok_or_else(|| {
                CliError::usage(
                    "the command has a word that is not UTF-8, which a bug report cannot hold",
                )
            })
        };
        Ok(match part {
            WordPart::Text(word) => self.with_home(&text(word.to_str())?),
            WordPart::Path => match &self.place {
                Some(place) if place.name.is_none() => vec![ScriptPart::InRun(String::new())],
                _ => vec![ScriptPart::CasePath],
            },
            WordPart::Name(typed) => {
                let name = match &self.place {
                    Some(place) => place.input(),
                    None => vec![ScriptPart::CaseName],
                };
                let is_bare = match &name[..] {
                    [ScriptPart::Text(text)] => text != "." && !text.contains('/'),
                    [ScriptPart::CaseName] => true,
                    _ => false,
                };
                let directory = is_bare && typed.as_encoded_bytes().contains(&b'/');
                let directory = directory.then(|| ScriptPart::Text("./".to_owned()));
                directory.into_iter().chain(name).collect()
            }
            WordPart::Items => vec![ScriptPart::Items],
            WordPart::Other { path, .. } if self.moved(path).is_some() => {
                vec![ScriptPart::InRun(self.moved(path).unwrap_or_default())]
            }
            WordPart::Other { path, .. } => match self.enclose(path, is_program) {
                Some(name) => vec![ScriptPart::Enclosed(name)],
                None => self.with_home(&text(path.to_str())?),
            },
        })
    }

    /// Returns a text as parts, without the path of the home directory.
    fn with_home(&self, text: &str) -> Vec<ScriptPart> {
        let Some(home) = self.home.as_deref().filter(|home| home.len() > 1) else {
            return vec![ScriptPart::Text(text.to_owned())];
        };
        let mut parts = Vec::new();
        for (number, between) in text.split(home).enumerate() {
            if number > 0 {
                parts.push(ScriptPart::Home);
            }
            if !between.is_empty() {
                parts.push(ScriptPart::Text(between.to_owned()));
            }
        }
        parts
    }

    /// Returns the path that a file of the test case has in a run, if it is a folder.
    fn moved(&self, path: &Path) -> Option<String> {
        let place = self.place.as_ref()?;
        let inner = path.strip_prefix(&place.root).ok()?;
        let is_of_case = place.inputs.iter().any(|input| inner.starts_with(input));
        inner.to_str().filter(|_| is_of_case).map(str::to_owned)
    }

    /// Returns these files with what they may permit.
    pub(super) fn limited_to(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// Adds a file of the command, if it is small, and a script if it is a program. Returns its
    /// name in the folder.
    fn enclose(&mut self, path: &Path, is_program: bool) -> Option<String> {
        if let Some((_, name)) = self.enclosed.iter().find(|(known, _)| known == path) {
            return Some(name.clone());
        }
        if !self.encloses {
            return None;
        }
        let metadata = fs::metadata(path).ok()?;
        if !metadata.is_file() || metadata.len() > MAX_ENCLOSED {
            return None;
        }
        let content = fs::read(path).ok()?;
        if is_program && !content.starts_with(b"#!") {
            return None;
        }
        let names: BTreeSet<&str> = (self.enclosed.iter())
            .map(|(_, name)| name.as_str())
            .collect();
        let base = path.file_name()?.to_str()?;
        let numbered = (1..).map(|number| match number {
            1 => format!("files/{base}"),
            number => format!("files/{number}-{base}"),
        });
        let name = numbered
            .into_iter()
            .find(|name| !names.contains(name.as_str()))?;
        let is_executable = metadata.permissions().mode() & 0o100 != 0;
        self.add(&name, content, is_executable);
        self.enclosed.push((path.to_owned(), name.clone()));
        Some(name)
    }

    /// Writes the files. No name leads out of the folder, and no link is followed in it.
    pub(super) fn write(&self, folder: &Path) -> Result<(), CliError> {
        let failed = |path: &Path| {
            let what = format!("failed to write {}", path.escaped());
            move |error| CliError::new(ExitKind::CannotRun, what).because(error)
        };
        let root = fsx::create_dirs(folder, self.access).map_err(failed(folder))?;
        for (name, content, is_executable) in &self.files {
            let path = folder.join(name);
            let written = || {
                let mut dir = root
                    .subdirectory(Path::new(""))?
                    .ok_or(io::ErrorKind::NotFound)?;
                let mut names = Path::new(name).iter().peekable();
                while let Some(name) = names.next() {
                    match names.peek() {
                        Some(_) => dir = dir.subdirectory_for(name, self.access)?,
                        None if *is_executable => {
                            fsx::write_program_in(&dir, name, content, self.access)?;
                        }
                        None => fsx::write_in(&dir, name, content, self.access)?,
                    }
                }
                io::Result::Ok(())
            };
            written().map_err(failed(&path))?;
        }
        Ok(())
    }

    /// Writes the files as an archive in which nothing is said about the user.
    pub(super) fn write_archive(&self, folder: &Path, archive: &Path) -> Result<(), CliError> {
        let name = folder.file_name().unwrap_or_default();
        let packed = || {
            let encoder = GzEncoder::new(Vec::new(), Compression::default());
            let mut builder = tar::Builder::new(encoder);
            for (file, content, is_executable) in &self.files {
                let mut header = tar::Header::new_gnu();
                header.set_size(content.len() as u64);
                header.set_mode(if *is_executable { 0o755 } else { 0o644 });
                builder.append_data(&mut header, Path::new(name).join(file), content.as_slice())?;
            }
            builder.into_inner()?.finish()
        };
        let bytes = packed().map_err(|error: std::io::Error| {
            CliError::new(ExitKind::CannotRun, "failed to pack the archive").because(error)
        })?;
        fsx::write_durable(archive, &bytes, self.access).map_err(CliError::from)
    }
}
