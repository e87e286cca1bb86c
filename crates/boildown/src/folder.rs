//! Folders and several files as the input of a reduction.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use boildown_document::joined_texts;
use boildown_exec::{FolderNotes, FolderPlan, FolderRequest, PlanError, Project};
use boildown_folder::{FolderInput, FolderText, Listing};
use boildown_oracle::OracleError;
use boildown_reduce::{count_tokens, files_named_in, language_of_file};
use boildown_store::Identity;
use clap::Args;

use crate::copying::Copying;
use crate::error::{CliError, ExitKind};
use crate::options::heading;
use crate::report::format::{EscapedPath as _, count};
use crate::report::reporter::Reporter;
use ignore::gitignore::GitignoreBuilder;

/// Options for an input that is a folder, or several files.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct FolderArgs {
    /// Reduce only these files of a folder; the others stay
    ///
    /// A pattern as in .gitignore, such as `*.c` or `src/`; may be repeated. The other files stay
    /// as they are.
    #[arg(long, hide_short_help = true, value_name = "GLOB", help_heading = heading::PRESERVE)]
    pub(crate) only: Vec<String>,

    /// Keep these files of a folder as they are
    ///
    /// A pattern as in .gitignore; may be repeated.
    #[arg(long, hide_short_help = true, value_name = "GLOB", help_heading = heading::PRESERVE)]
    pub(crate) keep_file: Vec<String>,

    /// A file or folder that each run finds in its place
    ///
    /// It is not reduced; a run sees it through a link, and may not write to it. For what a folder
    /// needs, such as `node_modules`. May be repeated.
    #[arg(long, hide_short_help = true, value_name = "PATH", help_heading = heading::RUN)]
    pub(crate) with: Vec<PathBuf>,
}

/// The largest directory of packages about which nothing is said, in entries.
const MANY_PACKAGES: usize = 500;

/// A folder to reduce, or several files.
#[derive(Debug)]
pub(crate) struct FolderCase {
    /// The snapshot, in whose copies candidates are run.
    pub(crate) project: Arc<Project>,
    /// The listing and the contents.
    pub(crate) input: FolderInput,
    /// The whole folder, as a state of it.
    pub(crate) whole: Arc<[u8]>,
    notes: FolderNotes,
}

/// What a folder is read from.
pub(crate) struct FolderSource<'a> {
    /// The inputs: a folder, or several files and folders.
    pub(crate) inputs: &'a [PathBuf],
    /// The name that a single folder has in a run.
    pub(crate) name: &'a OsStr,
    pub(crate) options: &'a FolderArgs,
    /// Results and the like, which are no part of the input.
    pub(crate) left_out: Vec<PathBuf>,
    /// The test script.
    pub(crate) script: Option<&'a Path>,
    /// The texts of the test: its command, and its script.
    pub(crate) test: &'a [u8],
    /// Whether the folder itself is replaced by the result.
    pub(crate) is_in_place: bool,
    pub(crate) jobs: usize,
}

/// Returns whether these inputs are reduced as a folder: there are several, or there is one
/// directory.
pub(crate) fn is_folder(inputs: &[PathBuf]) -> bool {
    match inputs {
        [one] => one.is_dir(),
        _ => inputs.len() > 1,
    }
}

/// Returns the path that stands for the inputs: the folder, or the directory that all of them are
/// in.
pub(crate) fn subject(inputs: &[PathBuf]) -> Result<PathBuf, CliError> {
    match inputs {
        [folder] => resolved(folder),
        several => root_of(several),
    }
}

impl FolderCase {
    /// Takes a snapshot of the inputs.
    ///
    /// # Errors
    /// [`CliError`] when something cannot be read, or there is nothing to reduce.
    pub(crate) fn read(source: &FolderSource<'_>, copying: Copying<'_>) -> Result<Self, CliError> {
        let inputs: Vec<PathBuf> = (source.inputs.iter())
            .map(|input| match source.inputs.len() {
                1 if !is_link(input) => resolved(input),
                _ => resolved_name(input),
            })
            .collect::<Result<_, _>>()?;
        let root = match inputs.as_slice() {
            [folder] => folder.parent().map(Path::to_owned).ok_or_else(|| {
                CliError::usage(format!("failed to reduce {}", folder.escaped()))
                    .because("it is the root of the file system")
            })?,
            _ => root_of(source.inputs)?,
        };
        let relative = inputs
            .iter()
            .map(|input| input.strip_prefix(&root).map(Path::to_owned));
        let relative: Vec<PathBuf> = relative.filter_map(Result::ok).collect();
        let company =
            source.options.with.iter().map(|path| {
                fs::canonicalize(path).map_err(|error| CliError::unreadable(path, error))
            });
        let company: Vec<PathBuf> = company.collect::<Result<_, _>>()?;
        if let Some(inside) = company.iter().find(|path| inputs.contains(path)) {
            let what = format!("`--with {}` names the input", inside.escaped());
            return Err(CliError::usage(what).hint("--keep-file keeps files of the input"));
        }
        let user_dir = env::current_dir().unwrap_or_default();
        let scripts: Vec<PathBuf> = (source.script.into_iter())
            .filter_map(|script| std::path::absolute(script).ok())
            .collect();
        check_in_place(source, &inputs, &company, &scripts)?;
        let plan = FolderPlan::new(&FolderRequest {
            root: &root,
            inputs: &relative,
            name: source.name,
            user_dir: &user_dir,
            company: &company,
            left_out: &source.left_out,
            scripts: &scripts,
        })
        .map_err(|error| plan_error(&error))?;
        let shown = source
            .inputs
            .first()
            .map_or_else(String::new, |input| input.escaped());
        if plan.is_empty() {
            let what = format!("{shown} holds no files: there is nothing to reduce");
            return Err(CliError::usage(what));
        }
        let notes = plan.notes.clone();
        let shown = inputs.first().map_or(root.as_path(), PathBuf::as_path);
        let project = copying.show(shown, |interrupt| {
            Project::of_folder(&plan, source.jobs, &env::temp_dir(), interrupt)
        });
        let project = project.map_err(|error| match error {
            OracleError::Interrupted => CliError::interrupted_before("the reduction"),
            error => CliError::from(error)
                .hint("a file may have vanished while it was read; run the same command again"),
        })?;
        let folder = project.folder().expect("it was made of a folder");
        let fixed = fixed(folder, source.options)?;
        let input = FolderInput {
            fixed: fixed.into(),
            named: files_named_in(source.test, &folder.listing).into(),
            ..folder.clone()
        };
        let whole = FolderText::whole(&input.listing)
            .write(&input.listing)
            .into();
        Ok(Self {
            project: Arc::new(project),
            input,
            whole,
            notes,
        })
    }

    /// Says what is left out, and what is special.
    pub(crate) fn note(&self, reporter: &mut dyn Reporter) {
        let listed = |paths: &[PathBuf]| {
            let shown = paths.iter().take(3).map(|path| path.escaped());
            let shown: Vec<String> = shown.collect();
            match paths.len() {
                0..=3 => shown.join(", "),
                more => format!("{} and {} more", shown.join(", "), more - 3),
            }
        };
        let FolderNotes {
            ignored,
            special,
            leaving,
            packages,
        } = &self.notes;
        if !ignored.is_empty() {
            reporter.note(&format!(
                "note: left out, because git ignores it: {} (--with PATH gives it to each run)",
                listed(ignored)
            ));
        }
        if !special.is_empty() {
            let what = listed(special);
            reporter.note(&format!("note: left out, because it is no file: {what}"));
        }
        if !leaving.is_empty() {
            let what = listed(leaving);
            reporter.note(&format!(
                "note: links that lead out of the folder are kept as links: {what}"
            ));
        }
        for (path, entries) in packages {
            if *entries > MANY_PACKAGES {
                reporter.note(&format!(
                    "warning: {} has {}, which are reduced too; --with {} keeps it as it is, for all runs",
                    path.escaped(),
                    count(*entries, "file"),
                    path.escaped(),
                ));
            }
        }
    }

    /// Returns a list of the files of a state, with their sizes.
    pub(crate) fn listed(&self, state: &[u8]) -> Arc<[u8]> {
        listed(&self.input.listing, state)
    }

    /// Returns the number of files in a state.
    pub(crate) fn files_in(state: &[u8]) -> usize {
        FolderText::size_in(state).files
    }

    /// Returns the texts of a state as one, each under its path; empty if there is none.
    pub(crate) fn joined(&self, state: &[u8]) -> Vec<u8> {
        let text = FolderText::read(state, &self.input.listing);
        let joined = text.map(|text| joined_texts(&self.input, &text, text.kept()).1);
        joined.unwrap_or_default()
    }

    /// Returns the number of tokens of all texts in a state; `None` if it is large.
    pub(crate) fn tokens_in(&self, state: &[u8]) -> Option<usize> {
        const LARGE: u64 = 4 << 20;
        let text = FolderText::read(state, &self.input.listing).ok()?;
        if text.size(&self.input.listing).bytes > LARGE {
            return None;
        }
        let files = text.kept().filter_map(|entry| {
            let content = self.input.content_in(&text, entry)?;
            let path = &self.input.listing.entries()[entry].path;
            let language = language_of_file(&String::from_utf8_lossy(path), &content);
            count_tokens(&content, language)
        });
        Some(files.sum())
    }
}

/// Returns a list of the files of a state of the folder with this content, with their sizes.
pub(crate) fn listed(listing: &Listing, state: &[u8]) -> Arc<[u8]> {
    let Ok(text) = FolderText::read(state, listing) else {
        return Arc::default();
    };
    let line = |entry: usize| {
        let path = OsStr::from_bytes(&listing.entries()[entry].path);
        let size = text.size_of(listing, entry);
        format!("{}  {}\n", path.escaped(), count(size, "byte"))
    };
    let files = text
        .kept()
        .filter(|entry| !listing.entries()[*entry].is_folder());
    files.map(line).collect::<String>().into_bytes().into()
}

/// Adds the options for folders to the identity of a run.
pub(crate) fn add_to_identity(identity: &mut Identity, options: &FolderArgs) {
    let FolderArgs {
        only,
        keep_file,
        with,
    } = options;
    // Only when they are given, so that runs of earlier versions can be resumed.
    for (name, values) in [("--only", only), ("--keep-file", keep_file)] {
        if !values.is_empty() {
            identity.add(name, format!("{values:?}"));
        }
    }
    if !with.is_empty() {
        identity.add("--with", format!("{with:?}"));
    }
}

/// Returns the entries that stay as they are.
fn fixed(input: &FolderInput, options: &FolderArgs) -> Result<Vec<usize>, CliError> {
    let matcher = |globs: &[String], option: &str| {
        let mut builder = GitignoreBuilder::new("/");
        for glob in globs {
            builder.add_line(None, glob).map_err(|error| {
                CliError::usage(format!("invalid value of `{option} {glob}`")).because(error)
            })?;
        }
        let matcher = builder.build().map_err(|error| {
            CliError::usage(format!("invalid value of `{option}`")).because(error)
        })?;
        let entries = input.listing.entries().iter();
        let matched: Vec<bool> = entries
            .map(|entry| {
                let path = Path::new("/").join(OsStr::from_bytes(&entry.path));
                matcher
                    .matched_path_or_any_parents(path, entry.is_folder())
                    .is_ignore()
            })
            .collect();
        if let Some(glob) = globs.first().filter(|_| !matched.contains(&true)) {
            let what = format!("`{option} {glob}` matches no file of the input");
            return Err(CliError::usage(what)
                .hint("a pattern without a slash matches names, such as `*.c`; one with a slash matches paths in the folder"));
        }
        Ok(matched)
    };
    let only = matcher(&options.only, "--only")?;
    let kept = matcher(&options.keep_file, "--keep-file")?;
    // A folder stays as long as something in it stays.
    let has_entries = |entry: usize| input.listing.end(entry) > entry + 1;
    let is_fixed = |entry: &usize| {
        let is_excluded = kept[*entry] || !options.only.is_empty() && !only[*entry];
        is_excluded && !has_entries(*entry)
    };
    let fixed: Vec<usize> = (0..input.listing.entries().len())
        .filter(is_fixed)
        .collect();
    let leaves = (0..input.listing.entries().len()).filter(|&entry| !has_entries(entry));
    if fixed.len() == leaves.count() {
        return Err(CliError::usage("no file of the input is left to reduce")
            .hint("--only and --keep-file exclude all of them"));
    }
    Ok(fixed)
}

fn plan_error(error: &PlanError) -> CliError {
    match error {
        PlanError::Unreadable { path, .. } => CliError::failed_to(ExitKind::InvalidUsage, error)
            .hint(format!(
                "make {} readable, or move it out of the folder",
                path.escaped()
            )),
        PlanError::TooLarge { .. } => CliError::usage(error.to_string())
            .hint("--with PATH leaves out a large part, which each run sees through a link"),
        error => CliError::usage(error.to_string()),
    }
}

fn unreadable(path: &Path, error: io::Error) -> CliError {
    match error.kind() {
        io::ErrorKind::NotFound => CliError::unreadable(path, "there is no such file or folder")
            .hint("the inputs come first: boildown reduce FILE... -- COMMAND"),
        _ => CliError::unreadable(path, error),
    }
}

/// Returns the absolute path of a folder, without links.
pub(crate) fn resolved(path: &Path) -> Result<PathBuf, CliError> {
    fs::canonicalize(path).map_err(|error| unreadable(path, error))
}

/// Returns whether a path is that of a link.
pub(crate) fn is_link(path: &Path) -> bool {
    // With a slash at its end, the path would be that of what the link leads to.
    let path = path.components().as_path();
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

/// Returns the absolute path of an input, whose own name may be that of a link.
fn resolved_name(path: &Path) -> Result<PathBuf, CliError> {
    fs::symlink_metadata(path).map_err(|error| unreadable(path, error))?;
    let absolute = std::path::absolute(path).map_err(|error| unreadable(path, error))?;
    match (absolute.parent(), absolute.file_name()) {
        (Some(parent), Some(name)) => Ok(resolved(parent)?.join(name)),
        _ => Ok(absolute),
    }
}

/// Returns the directory that several inputs are in: that of the user if it holds all of them, or
/// else the innermost one.
fn root_of(inputs: &[PathBuf]) -> Result<PathBuf, CliError> {
    let inputs: Vec<PathBuf> = inputs
        .iter()
        .map(|path| resolved_name(path))
        .collect::<Result<_, _>>()?;
    let holds_all = |dir: &Path| {
        inputs
            .iter()
            .all(|input| input.starts_with(dir) && input != dir)
    };
    let user_dir = env::current_dir().and_then(fs::canonicalize).ok();
    if let Some(user_dir) = user_dir.filter(|dir| holds_all(dir)) {
        return Ok(user_dir);
    }
    let first = inputs
        .first()
        .map(PathBuf::as_path)
        .unwrap_or(Path::new("/"));
    let root = first.ancestors().skip(1).find(|dir| holds_all(dir));
    Ok(root.unwrap_or(Path::new("/")).to_owned())
}

/// Checks that nothing that the runs need would be moved by `--in-place`.
fn check_in_place(
    source: &FolderSource<'_>,
    inputs: &[PathBuf],
    company: &[PathBuf],
    scripts: &[PathBuf],
) -> Result<(), CliError> {
    // A test may be a line for the shell, which is no file.
    let is_inside =
        |path: &&PathBuf| path.exists() && inputs.iter().any(|input| path.starts_with(input));
    match scripts.iter().chain(company).find(is_inside) {
        Some(path) if source.is_in_place => {
            let what = format!(
                "--in-place would move {}, which the runs need",
                path.escaped()
            );
            Err(CliError::usage(what).hint("leave out --in-place, or move it out of the folder"))
        }
        _ => Ok(()),
    }
}
