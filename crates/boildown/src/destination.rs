//! Where the result goes, and the input when the result takes its place.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use boildown_oracle::fsx;

use crate::args::Reduce;
use crate::error::{CliError, Kind};

/// The directory of inputs that fail otherwise.
pub(crate) const OTHERS: &str = "others";

/// Where the result goes.
pub(crate) struct Destination {
    pub(crate) output: PathBuf,
    /// The same, or where it led to before anything was run.
    pub(crate) target: PathBuf,
    /// Where the input is kept when the result takes its place.
    pub(crate) backup: Option<PathBuf>,
}

impl Destination {
    /// Settles the place: beside the input, unless told otherwise.
    pub(crate) fn new(args: &Reduce) -> Result<Self, CliError> {
        let wrong = |what: String| CliError::new(Kind::Usage, what);
        if args.in_place {
            return Ok(Self {
                target: fsx::settle(&args.input),
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
            return Err(wrong("the output is the input".to_owned())
                .hint("--in-place does that, and keeps a copy"));
        }
        let parent = output.parent().unwrap_or(Path::new(""));
        let complaint = match fs::metadata(&output) {
            Ok(there) if there.is_dir() => Some("it is a directory".to_owned()),
            // It would be replaced by one: bad luck for /dev/null.
            Ok(there) if !there.is_file() => Some("it is not an ordinary file".to_owned()),
            Err(_) if !Path::new(".").join(parent).is_dir() => {
                Some(format!("there is no directory {}", parent.display()))
            }
            _ => None,
        };
        if let Some(complaint) = complaint {
            return Err(wrong(format!("failed to write {}", output.display())).because(complaint));
        }
        Ok(Self {
            target: fsx::settle(&output),
            output,
            backup: None,
        })
    }

    /// Returns where inputs go that fail otherwise.
    pub(crate) fn others(&self) -> PathBuf {
        let name = self.output.file_name().unwrap_or_default();
        self.output
            .with_file_name(".boildown")
            .join(name)
            .join(OTHERS)
    }

    /// Returns the copy of the input, when an earlier session made one.
    pub(crate) fn existing_backup(&self) -> Option<&Path> {
        let backup = self.backup.as_deref()?;
        backup.symlink_metadata().is_ok().then_some(backup)
    }

    /// Puts the first result there, which is the input, or what earlier sessions came to: from now on, the best so far is there
    /// at any moment.
    pub(crate) fn begin(&self, args: &Reduce, first: &[u8]) -> Result<(), CliError> {
        // In place, this undoes what the command may have done to the input, so that the copy is of what was read.
        fsx::write_atomic(&self.target, first).map_err(|error| {
            CliError::failed_to(Kind::CannotRun, &error).hint("--output FILE puts it elsewhere")
        })?;
        if let Some(backup) = &self.backup
            && self.existing_backup().is_none()
        {
            // It is the only copy of the original from now on: it has to survive a power cut.
            let copied =
                fs::copy(&args.input, backup).and_then(|_| fs::File::open(backup)?.sync_all());
            copied.map_err(|error| {
                let what = format!("failed to write {}", backup.display());
                CliError::new(Kind::CannotRun, what).because(error)
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
