//! The two files of an isolation.

use std::fs;
use std::path::{Path, PathBuf};

use boildown_exec::Access;
use boildown_session::SideFiles;
use boildown_session::prepare::GoodAndBad;

use super::args::IsolateArgs;
use super::delivery::FileRole;
use crate::commands::reduce::destination::with_infix;
use crate::error::{CliError, ExitKind};
use crate::input;
use crate::report::format::EscapedPath as _;
use crate::report::reporter::Reporter;

/// A file on which the command passes, and one on which it fails.
pub(super) struct FilePair<'a> {
    pub(super) good: &'a Path,
    pub(super) bad: &'a Path,
    /// What they are to the command.
    pub(super) role: FileRole,
    /// Their contents, as they are compared.
    pub(super) files: GoodAndBad,
}

impl<'a> FilePair<'a> {
    /// Reads both files.
    pub(super) fn read(args: &'a IsolateArgs) -> Result<Self, CliError> {
        let role = match (args.env, args.args) {
            (true, _) => FileRole::Environment,
            (_, true) => FileRole::Arguments,
            (false, false) => FileRole::Read,
        };
        let hint = "the two files come first: boildown isolate GOOD BAD -- COMMAND";
        let good = role.normalised(input::read(&args.good, hint)?);
        let bad = role.normalised(input::read(&args.bad, hint)?);
        if good == bad {
            let (good, bad) = (args.good.escaped(), args.bad.escaped());
            return Err(CliError::usage(format!("{good} and {bad} are identical"))
                .hint("give a file on which the command passes, and one on which it fails"));
        }
        Ok(Self {
            good: &args.good,
            bad: &args.bad,
            role,
            files: GoodAndBad { good, bad },
        })
    }

    /// Says which of them was modified since.
    pub(super) fn warn_if_modified(&self, reporter: &mut dyn Reporter) {
        for (path, input) in [(self.good, &self.files.good), (self.bad, &self.files.bad)] {
            let current = fs::read(path).map(|bytes| self.role.normalised(bytes.into()));
            if current.ok().as_ref() != Some(input) {
                reporter.note(&input::modified_warning(path));
            }
        }
    }

    /// Returns the paths of the two results, in this folder or beside the bad file.
    pub(super) fn sides(&self, folder: Option<&Path>) -> Result<SideFiles, CliError> {
        let folder = match folder {
            Some(folder) => folder.to_owned(),
            None => self.bad.parent().unwrap_or(Path::new("")).to_owned(),
        };
        if !Path::new(".").join(&folder).is_dir() {
            let what = format!("there is no directory {}", folder.escaped());
            return Err(
                CliError::usage(what).hint("create it, or choose another one with --output")
            );
        }
        let side = |suffix: &str| -> Result<PathBuf, CliError> {
            let name = with_infix(self.bad, suffix);
            let path = folder.join(name.file_name().unwrap_or_default());
            let same = |other: &Path| fs::canonicalize(other).ok();
            let is_input = [self.good, self.bad]
                .into_iter()
                .any(|input| same(&path).is_some() && same(&path) == same(input));
            let failed = |why| CliError::unwritable(ExitKind::InvalidUsage, &path, why);
            if is_input {
                let hint = "--output writes to another directory";
                return Err(failed("it is one of the inputs").hint(hint));
            }
            if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
                return Err(failed("it is not a regular file"));
            }
            Ok(path)
        };
        Ok(SideFiles {
            passing: side(".pass")?,
            failing: side(".fail")?,
            access: Access::of_all([self.good, self.bad]),
            are_resumed: false,
        })
    }
}
