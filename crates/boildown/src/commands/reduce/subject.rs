//! The file, the folder, or the command that is reduced, and its language.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use boildown_document::{Language, Split};
use boildown_exec::{InputBackup, Project};
use boildown_oracle::Interrupt;
use boildown_reduce::Strategy;

use super::args::ReduceArgs;
use super::delivery::command_as_input;
use super::destination::Destination;
use super::other_failure::OtherFailure;
use super::strategy::{strategy, strategy_of_folder};
use crate::choices::{self, Choices};
use crate::commands::history::earlier_result;
use crate::copying::Copying;
use crate::error::CliError;
use crate::folder::{self, FolderCase, FolderSource};
use crate::input;
use crate::report::format::EscapedPath as _;
use crate::report::reporter::Reporter;

/// Longer files are no scripts, in bytes.
const LARGE_SCRIPT: u64 = 64 << 10;

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
    /// Whether the elements of the input were chosen by its name.
    is_list_by_name: bool,
}

impl Subject {
    /// Reads the inputs. Several files become the folder that they are in, also in `args`.
    pub(super) fn read(args: &mut ReduceArgs, interrupt: &Interrupt) -> Result<Self, CliError> {
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
        let destination = Destination::new(args)?;
        let (failure, destination) = OtherFailure::find(args, destination)?;
        let copying = Copying::new(interrupt, &args.runs.printing);
        let folder = is_folder.then(|| folder_case(args, &inputs, &destination, copying));
        let folder = folder.transpose()?;
        let input = match &folder {
            Some(folder) => Arc::clone(&folder.whole),
            None if args.reduces_command() => command_as_input(args),
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
        let is_list_by_name = split_by_name(args, is_folder, &input);
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
            is_list_by_name,
        })
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

/// Returns the language of the input, and the strategy.
pub(super) fn language_and_strategy(
    args: &ReduceArgs,
    subject: &Subject,
    choices: &mut Choices,
) -> Result<(Option<&'static Language>, Strategy), CliError> {
    if subject.folder.is_some() {
        choices.push(choices::jobs(&args.runs.jobs));
        return Ok((None, strategy_of_folder(args)));
    }
    if subject.is_list_by_name {
        choices.push(choices::json_lines(&args.input));
    }
    let language = language(args, &subject.input, choices)?;
    Ok((language, strategy(args, &subject.input, language)?))
}

/// Takes a snapshot of the folder, or of the copy that an earlier session with --in-place made.
fn folder_case(
    args: &ReduceArgs,
    inputs: &[PathBuf],
    destination: &Destination,
    copying: Copying<'_>,
) -> Result<FolderCase, CliError> {
    let backup = destination
        .existing_backup()
        .map(|backup| vec![backup.to_owned()]);
    let left_out = destination
        .results()
        .filter_map(|path| std::path::absolute(path).ok());
    let moved = destination.existing_backup();
    let moved = moved.map(|backup| InputBackup::new(&args.input, backup));
    let test = test_as_text(args, moved.as_ref());
    let source = FolderSource {
        test: &test,
        inputs: backup.as_deref().unwrap_or(inputs),
        // A link to a folder stands for the folder, under the name that the command uses.
        name: args.input.file_name().unwrap_or_default(),
        options: &args.folder,
        left_out: left_out.collect(),
        script: args.runs.property.test.as_deref(),
        is_in_place: args.in_place,
        jobs: args.copies(),
    };
    FolderCase::read(&source, copying)
}

/// Returns the words of the test, and the texts of the scripts among them.
fn test_as_text(args: &ReduceArgs, backup: Option<&InputBackup>) -> Vec<u8> {
    let original = |word: &OsStr| match (backup, std::path::absolute(word)) {
        (Some(backup), Ok(path)) => backup.original(&path),
        _ => PathBuf::from(word),
    };
    let test = args.runs.property.test.as_deref().map(Path::as_os_str);
    let also = args
        .runs
        .property
        .also
        .iter()
        .chain(&args.runs.property.not);
    let words = args
        .runs
        .command
        .iter()
        .chain(also)
        .map(OsString::as_os_str);
    let mut text = Vec::new();
    for word in words.chain(test) {
        let path = original(word);
        let script = fs::metadata(&path);
        let is_script = script.is_ok_and(|file| file.is_file() && file.len() <= LARGE_SCRIPT);
        if let Some(script) = is_script.then(|| fs::read(&path).ok()).flatten() {
            text.extend(script);
        }
        text.push(b'\n');
        text.extend(word.as_encoded_bytes());
        text.push(b'\n');
    }
    text
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

/// Takes the lines of a `.jsonl` file as its elements, if each of them is a JSON value and no
/// option says otherwise. Returns whether it did.
fn split_by_name(args: &mut ReduceArgs, is_folder: bool, input: &[u8]) -> bool {
    let extension = args.input.extension().and_then(OsStr::to_str);
    let is_named = matches!(extension, Some("jsonl" | "ndjson"));
    let is_stated = args.split().is_some() || args.units.is_some() || args.language.is_some();
    let is_list = !is_folder && is_named && !is_stated && Split::JsonLines.count(input).is_ok();
    if is_list {
        args.split = Some(Split::JsonLines);
    }
    is_list
}

/// Returns the language of the input. It and the jobs are chosen before the first run.
fn language(
    args: &ReduceArgs,
    input: &[u8],
    choices: &mut Choices,
) -> Result<Option<&'static Language>, CliError> {
    if args.reduces_command() {
        choices.push(choices::jobs(&args.runs.jobs));
        return Ok(None);
    }
    let requested = args.language.as_deref();
    let of_elements = || args.split().and_then(|split| split.language());
    let language = match requested {
        None if of_elements().is_some() => of_elements(),
        _ => input::language(requested, &args.input, input)?,
    };
    let chosen = choices::language(requested, &args.input, input, language);
    choices.push(chosen);
    choices.push(choices::jobs(&args.runs.jobs));
    Ok(language)
}
