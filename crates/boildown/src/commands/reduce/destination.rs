//! Paths of the result, of the backup, and of secondary failures.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use boildown_exec::fsx;
use boildown_session::prepare::OTHER_FAILURES;

use super::args::ReduceArgs;
use crate::error::{CliError, ExitKind};

/// Paths to which a reduction writes.
pub(super) struct Destination {
    /// The result, as the user named it.
    pub(crate) output: PathBuf,
    /// The result, with symbolic links resolved before the first run.
    pub(crate) target: PathBuf,
    /// The copy of the input, if the result replaces the input.
    pub(crate) backup: Option<PathBuf>,
}

impl Destination {
    /// Chooses the paths; by default the result is beside the input.
    ///
    /// # Errors
    /// [`CliError`] when the result cannot be written there, or is the input itself.
    pub(crate) fn new(args: &ReduceArgs) -> Result<Self, CliError> {
        if args.in_place {
            return Ok(Self {
                target: fsx::resolve_link(&args.input),
                output: args.input.clone(),
                backup: Some(with_suffix(&args.input, ".orig")),
            });
        }
        let output = args
            .output
            .clone()
            .unwrap_or_else(|| beside_input(&args.input));
        let same = |path: &Path| fs::canonicalize(path).ok();
        if same(&output).is_some_and(|path| Some(path) == same(&args.input)) {
            return Err(CliError::usage("the output is the input")
                .hint("--in-place replaces the input, and keeps a copy"));
        }
        let parent = output.parent().unwrap_or(Path::new(""));
        let problem = match fs::metadata(&output) {
            Ok(metadata) if metadata.is_dir() => Some("it is a directory".to_owned()),
            // Writing would replace the device, such as /dev/null, by a file.
            Ok(metadata) if !metadata.is_file() => Some("it is not a regular file".to_owned()),
            Err(_) if !Path::new(".").join(parent).is_dir() => {
                Some(format!("there is no directory {}", parent.display()))
            }
            _ => None,
        };
        if let Some(problem) = problem {
            return Err(
                CliError::usage(format!("failed to write {}", output.display())).because(problem),
            );
        }
        Ok(Self {
            target: fsx::resolve_link(&output),
            output,
            backup: None,
        })
    }

    /// Returns the directory for candidates that fail in another way.
    pub(crate) fn other_failures(&self) -> PathBuf {
        let name = self.output.file_name().unwrap_or_default();
        self.output
            .with_file_name(".boildown")
            .join(name)
            .join(OTHER_FAILURES)
    }

    /// Returns the copy of the input, if an earlier session made one.
    pub(crate) fn existing_backup(&self) -> Option<&Path> {
        let backup = self.backup.as_deref()?;
        backup.symlink_metadata().is_ok().then_some(backup)
    }

    /// Writes the first result: the input, or the best result of earlier sessions. From now on the
    /// file always holds the best result so far.
    pub(crate) fn begin(&self, args: &ReduceArgs, first: &[u8]) -> Result<(), CliError> {
        // With --in-place this also undoes changes that the command may have made to the input, so
        // that the copy is of the bytes that were read.
        fsx::write_atomic(&self.target, first).map_err(|error| {
            CliError::failed_to(ExitKind::CannotRun, &error)
                .hint("--output FILE writes it elsewhere")
        })?;
        if let Some(backup) = &self.backup
            && self.existing_backup().is_none()
        {
            // From now on this is the only copy of the input: it has to survive a power failure.
            let copied =
                fs::copy(&args.input, backup).and_then(|_| fs::File::open(backup)?.sync_all());
            copied.map_err(|error| {
                let what = format!("failed to write {}", backup.display());
                CliError::new(ExitKind::CannotRun, what).because(error)
            })?;
        }
        Ok(())
    }
}

/// Returns `crash.min.c` for `crash.c`.
fn beside_input(input: &Path) -> PathBuf {
    let mut name = input.file_stem().unwrap_or_default().to_owned();
    name.push(".min");
    if let Some(extension) = input.extension() {
        name.push(".");
        name.push(extension);
    }
    input.with_file_name(name)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}
