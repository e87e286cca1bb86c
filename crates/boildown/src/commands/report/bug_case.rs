//! The test case of a bug report: a file, a folder, several files, or a command.

use std::env;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use boildown_document::{Split, command_words};
use boildown_exec::{CommandLine, StdinContent, TypedCommand};
use boildown_show::{BugCommand, BugScripts, CaseForm, ScriptPart, command_case};

use super::bug_files::BugFiles;
use super::bug_folder::FolderPlace;
use super::record::StoredReduction;
use super::trust::Trust;
use crate::error::CliError;
use crate::folder::{FolderArgs, is_folder};

/// The name of the folder that holds several files.
const SEVERAL: &str = "test-case";

/// The test case of a bug report.
pub(super) enum BugCase {
    /// A file, with its content.
    File(Vec<u8>),
    /// A folder, or several files.
    Folder(FolderPlace),
    /// A command, as a line for a shell.
    Command(Vec<u8>),
}

/// What the text of a bug report shows of the test case.
#[derive(Default)]
pub(super) struct CaseContent {
    /// The file with the command, and its content.
    pub(super) command: Option<(String, Vec<u8>)>,
    pub(super) files: Vec<(String, Vec<u8>)>,
}

impl BugCase {
    /// Reads the test case: the `inputs`, unless it is a command. The current directory is that of
    /// the reduction.
    /// `result_file` is the absolute path of the result.
    pub(super) fn read(
        stored: &StoredReduction,
        inputs: Option<&[PathBuf]>,
        options: &FolderArgs,
        result_file: &Path,
        trust: Trust,
    ) -> Result<Self, CliError> {
        if let Some(inputs) = inputs.filter(|inputs| is_folder(inputs)) {
            // A link beside a foreign store may lead to files of the user.
            if trust != Trust::Own && result_file.is_symlink() {
                return Err(CliError::unreadable(result_file, "it is a link"));
            }
            return Ok(Self::Folder(FolderPlace::of(inputs, options, result_file)?));
        }
        let result = stored.result()?.ok_or_else(|| {
            CliError::usage("the result is not stored, so there is no bug report about it")
        })?;
        let is_command = stored.session.input.ends_with(".command");
        match inputs {
            Some(_) => Ok(Self::File(result)),
            None if is_command => Ok(Self::Command(result)),
            None => Err(CliError::usage(
                "bug reports about the file of a reduction with --reduce are not supported",
            )
            .hint("without a file name, the report is about the command on the reduced file")),
        }
    }

    pub(super) fn place(&self) -> Option<&FolderPlace> {
        match self {
            Self::Folder(place) => Some(place),
            Self::File(_) | Self::Command(_) => None,
        }
    }

    /// Returns the name of the test case in the folder of the report. That of the input is `input`.
    pub(super) fn name(&self, input: &str) -> String {
        match self {
            Self::Folder(place) => place.name.clone().unwrap_or_else(|| SEVERAL.to_owned()),
            Self::File(_) | Self::Command(_) => input.to_owned(),
        }
    }

    /// Returns what the test case is to the scripts. A list stands for `{items}`.
    pub(super) fn form(&self, items: Option<&Split>) -> Result<CaseForm, CliError> {
        let Self::Folder(place) = self else {
            return match items {
                None => Ok(CaseForm::File),
                Some(Split::Lines) => Ok(CaseForm::Lines),
                Some(Split::Words) => Ok(CaseForm::Words),
                Some(split) => Err(CliError::usage(format!(
                    "bug reports about `{{items}}` of --split {split} are not supported"
                ))
                .hint("the items of --split lines and --split words are")),
            };
        };
        let directory = place.directory.clone();
        Ok(match place.name {
            Some(_) => CaseForm::Folder(directory),
            None => CaseForm::Files(directory),
        })
    }

    /// Adds the test case to the report. Returns what its text shows.
    pub(super) fn add_to(
        &self,
        scripts: &BugScripts,
        files: &mut BugFiles,
    ) -> Result<CaseContent, CliError> {
        let mut content = CaseContent::default();
        match self {
            Self::File(result) => files.add(&scripts.name, result.clone(), false),
            Self::Command(line) => {
                let line = enclosing(line, files)?;
                content.command = Some((scripts.name.clone(), line.clone()));
                files.add(&scripts.name, line, false);
            }
            Self::Folder(place) => {
                for (path, bytes, is_executable) in place.files()? {
                    let name = format!("{}/{path}", scripts.name);
                    files.add(&name, bytes.clone(), is_executable);
                    content.files.push((path, bytes));
                }
            }
        }
        Ok(content)
    }
}

/// Returns the command of scripts whose test case is a command.
pub(super) fn shell_command() -> BugCommand {
    BugCommand {
        words: vec![
            vec![ScriptPart::Text("sh".to_owned())],
            vec![ScriptPart::CasePath],
        ],
        reads_case: false,
    }
}

/// Returns a line of a shell with its files in the folder of the report.
fn enclosing(line: &[u8], files: &mut BugFiles) -> Result<Vec<u8>, CliError> {
    let unreadable = || CliError::usage("the result is no command that a bug report can hold");
    let command = command_words(line).ok_or_else(unreadable)?;
    let words: Vec<_> = command.words.into_iter().map(OsString::from_vec).collect();
    let user_dir = env::current_dir().map_err(|_| unreadable())?;
    let typed = TypedCommand {
        words: &words,
        input: Path::new(""),
        user_dir: &user_dir,
        backup: None,
        stdin: StdinContent::Nothing,
    };
    let parsed = CommandLine::new(&typed)?;
    if parsed.takes_candidate() {
        return Err(unreadable());
    }
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).map_err(|_| unreadable());
    let variables = command.variables.map(|all| {
        let pair = |(name, value)| Ok::<_, CliError>((text(name)?, text(value)?));
        all.into_iter().map(pair).collect::<Result<Vec<_>, _>>()
    });
    let variables = variables.transpose()?;
    let command = files.command(&parsed)?;
    Ok(command_case(&command, variables.as_deref()).into_bytes())
}
