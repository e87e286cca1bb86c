//! The file, the folder, or the command that is reduced, and its language.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use boildown_document::{Language, Split};
use boildown_exec::{InputBackup, Project};
use boildown_oracle::Interrupt;
use boildown_session::TargetSize;

use super::args::ReduceArgs;
use super::delivery::{command_as_input, name_of_command, without_response_files};
use super::destination::Destination;
use super::other_failure::OtherFailure;
use crate::choices::{self, Choices};
use crate::commands::history::earlier_result;
use crate::copying::Copying;
use crate::error::CliError;
use crate::folder::{self, FolderCase, FolderSource};
use crate::input;
use crate::property::TestedInput;
use crate::report::format::EscapedPath as _;
use crate::report::reporter::Reporter;
use crate::valid::TestedCommand;

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
    is_list_by_name: bool,
}

impl Subject {
    /// Reads the inputs. Several files become the folder that they are in, also in `args`.
    pub(super) fn read(args: &mut ReduceArgs, interrupt: &Interrupt) -> Result<Self, CliError> {
        if args.reduces_command() {
            args.input = name_of_command(&args.runs.command, &args.parts, args.part)?;
            args.runs.command = without_response_files(&args.runs.command);
        }
        let inputs = args.inputs();
        let is_folder = !args.reduces_command() && folder::is_folder(&inputs);
        // Of a folder, each file is read in the language of its name.
        let checked = (!is_folder && !args.reduces_command()).then_some(args.input.as_path());
        let own = args.own_language.load(checked)?;
        if checked.is_some() && args.language.is_none() {
            args.language = own.map(|language| language.name.to_owned());
        }
        if args.input.file_name().is_none() {
            args.input = folder::resolved(&args.input)?;
        }
        if !is_folder && !args.reduces_command() && !args.input.exists() {
            read(&args.input)?;
        }
        let destination = Destination::new(args)?;
        let (failure, destination) = OtherFailure::find(
            args.failure.as_deref(),
            &mut args.runs.property.expectations,
            destination,
        )?;
        let copying = Copying::new(interrupt, &args.runs.printing);
        let case = || folder_case(args, &inputs, &destination, copying);
        let folder = is_folder.then(case).transpose()?;
        let input = match &folder {
            Some(folder) => Arc::clone(&folder.whole),
            None if args.reduces_command() => {
                let variables = || args.variables.clone();
                command_as_input(
                    &args.runs.command,
                    args.reduces_environment().then(variables),
                )
            }
            None => read(&args.input)?,
        };
        let (input, file) = match (args.backtrack, &failure) {
            (Some(number), _) => {
                let earlier = earlier_result(&destination.output, &input, number)?;
                (earlier.into(), Some(input))
            }
            (None, Some(failure)) => {
                let project = folder.as_ref().map(|folder| folder.project.as_ref());
                let text = failure.text(project, &destination.output, args.runs.fresh)?;
                (text, Some(input))
            }
            (None, None) => (input, None),
        };
        let is_stated = args.split().is_some() || args.units.is_some() || args.language.is_some();
        let is_list_by_name = !is_folder && !is_stated && is_named_list(&args.input, &input);
        if is_list_by_name {
            args.split = Some(Split::JsonLines);
        }
        if inputs.len() > 1 {
            args.input = folder::subject(&inputs)?;
        }
        let snapshot = folder.as_ref().map(|folder| Arc::clone(&folder.project));
        Ok(Self {
            inputs,
            destination: destination.of_folder(snapshot),
            folder,
            input,
            file,
            failure,
            is_command: args.reduces_command(),
            target_size: args.until,
            is_list_by_name,
        })
    }

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

    /// Returns the copy of the folder that runs are made from.
    pub(super) fn snapshot(&self) -> Option<Arc<Project>> {
        let folder = self.folder.as_ref();
        folder.map(|folder| Arc::clone(&folder.project))
    }
}

/// Takes a snapshot of the folder, or of the copy that an earlier session with --in-place made.
fn folder_case(
    args: &ReduceArgs,
    inputs: &[PathBuf],
    destination: &Destination,
    copying: Copying<'_>,
) -> Result<FolderCase, CliError> {
    let backup = destination.existing_backup();
    let moved = backup.map(|backup| InputBackup::new(&args.input, backup));
    let original = |word: &OsStr| match (&moved, std::path::absolute(word)) {
        (Some(moved), Ok(path)) => moved.original(&path),
        _ => PathBuf::from(word),
    };
    let property = &args.runs.property;
    let script = property.test.as_deref();
    let words = (args.runs.command.iter())
        .chain(&property.also)
        .chain(&property.not)
        .map(OsString::as_os_str)
        .chain(script.map(Path::as_os_str));
    let tested = TestedCommand::read_from(words, &original);
    let backup = backup.map(|backup| vec![backup.to_owned()]);
    let left_out = destination
        .results()
        .filter_map(|path| std::path::absolute(path).ok());
    let source = FolderSource {
        test: tested.text(),
        inputs: backup.as_deref().unwrap_or(inputs),
        // A link to a folder stands for the folder, under the name that the command uses.
        name: args.input.file_name().unwrap_or_default(),
        options: &args.folder,
        left_out: left_out.collect(),
        script,
        is_in_place: destination.backup.is_some(),
        jobs: args.copies(),
    };
    FolderCase::read(&source, copying)
}

fn read(path: &Path) -> Result<Arc<[u8]>, CliError> {
    let hint = "the file to reduce comes first: boildown reduce FILE -- COMMAND";
    let input = input::read(path, hint)?;
    if input.is_empty() {
        let what = format!("{} is empty: there is nothing to reduce", path.escaped());
        return Err(CliError::usage(what));
    }
    Ok(input)
}

/// Returns whether a file is a `.jsonl` file, each line of which is a JSON value.
fn is_named_list(path: &Path, input: &[u8]) -> bool {
    let extension = path.extension().and_then(OsStr::to_str);
    matches!(extension, Some("jsonl" | "ndjson")) && Split::JsonLines.count(input).is_ok()
}

impl Subject {
    /// Returns the language of the file: the requested one, or else that of its elements, or by its
    /// name or content. It is chosen before the first run.
    pub(super) fn language(
        &self,
        path: &Path,
        requested: Option<&str>,
        split: Option<&Split>,
        choices: &mut Choices,
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
