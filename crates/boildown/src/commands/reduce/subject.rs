//! The file, the folder, or the command that is reduced, and its language.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use boildown_document::{Language, Split};
use boildown_exec::Project;
use boildown_session::{InputForm, TargetSize};
use boildown_show::ChoiceRecord;

use super::destination::Destination;
use super::other_failure::OtherFailure;
use crate::choices;
use crate::error::CliError;
use crate::folder::FolderCase;
use crate::input;
use crate::job::Job;
use crate::project::RunPlaces;
use crate::property::TestedInput;
use crate::report::format::EscapedPath as _;
use crate::report::reporter::Reporter;

/// What is reduced, and where the result goes.
pub(super) struct Subject {
    /// The inputs as the user named them.
    pub(super) inputs: Vec<PathBuf>,
    /// The folder, if the input is one.
    pub(super) folder: Option<FolderCase>,
    pub(super) input: Arc<[u8]>,
    /// The content of the input file, if an earlier result is reduced in its place.
    pub(super) file: Option<Arc<[u8]>>,
    /// The failure of a candidate that is reduced in place of that of the input.
    pub(super) failure: Option<OtherFailure>,
    pub(super) destination: Destination,
    /// Whether the command itself is reduced.
    pub(super) is_command: bool,
    /// The size at which to stop.
    pub(super) target_size: Option<TargetSize>,
    /// Whether the elements of the input were chosen by its name.
    pub(super) is_list_by_name: bool,
}

impl Subject {
    /// Returns the input with this path as the commands test it.
    pub(super) fn tested<'a>(&'a self, path: &'a Path) -> TestedInput<'a> {
        TestedInput {
            path,
            backup: self.destination.existing_backup(),
        }
    }

    /// Says what there is to know of a folder, and which failure is reduced, if it is not that of
    /// the input.
    pub(super) fn note(&self, reporter: &mut dyn Reporter) {
        if let Some(folder) = &self.folder {
            folder.note(reporter);
        }
        if let Some(failure) = &self.failure {
            let names: Vec<_> = self.inputs.iter().map(|path| path.escaped()).collect();
            failure.note(&names.join(" "), self.destination.shown(), reporter);
        }
    }

    /// Returns whether states of the input are files or folders.
    pub(super) fn form(&self) -> InputForm {
        match &self.folder {
            Some(_) => InputForm::Folder,
            None => InputForm::File,
        }
    }

    /// Returns the places in which candidates can be run.
    pub(super) fn places<'a>(&self, job: Job<'a>) -> RunPlaces<'a> {
        let places = job.places(self.destination.results());
        places.of_folder(self.snapshot())
    }

    /// Returns the copy of the folder that runs are made from.
    pub(super) fn snapshot(&self) -> Option<Arc<Project>> {
        let folder = self.folder.as_ref();
        folder.map(|folder| Arc::clone(&folder.project))
    }

    /// Returns the language of the file: the requested one, or else that of its elements, or by its
    /// name or content. It is chosen before the first run.
    pub(super) fn language(
        &self,
        path: &Path,
        requested: Option<&str>,
        split: Option<&Split>,
        choices: &mut Vec<ChoiceRecord>,
    ) -> Result<Option<&'static Language>, CliError> {
        if self.is_list_by_name {
            choices.push(choices::json_lines(path));
        }
        if self.is_command || self.folder.is_some() {
            return Ok(None);
        }
        let language = match split.and_then(Split::language) {
            Some(language) if requested.is_none() => Some(language),
            _ => input::language(requested, path, &self.input)?,
        };
        choices.push(choices::language(requested, path, &self.input, language));
        Ok(language)
    }
}
