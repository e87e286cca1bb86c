//! `boildown vendor`: an input with the sources of the packages that it needs, as a folder.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use self::args::VendorArgs;
use self::finder::{Finder, LEFT_OUT};
use crate::error::{CliError, ExitKind};
use crate::report::format::{EscapedPath as _, count};
use crate::stdout;

pub(crate) mod args;
mod cargo;
mod finder;
mod npm;
mod python;

/// The end of the names of the folders.
const SUFFIX: &str = ".vendored";

/// The most packages whose names are printed.
const LISTED: usize = 8;

/// The first one that knows the input is used.
const FINDERS: &[Finder] = &[cargo::FINDER, npm::FINDER, python::FINDER];

/// Writes the folder.
pub(crate) fn run(args: &VendorArgs) -> Result<ExitKind, CliError> {
    let input = &args.input;
    fs::metadata(input).map_err(|error| CliError::unreadable(input, error))?;
    let finder = FINDERS.iter().find(|finder| (finder.knows)(input));
    let finder = finder.ok_or_else(|| {
        CliError::usage(format!("the packages of {} are not known", input.escaped()))
            .because("it has no Cargo.toml, no package.json and no file of Python or JavaScript")
    })?;
    let output = match &args.output {
        Some(output) => output.clone(),
        None => with_suffix(&input.components().as_path().with_extension(""), SUFFIX),
    };
    if output.exists() {
        let what = format!("{} exists already", output.escaped());
        // With another name, it may hold anything.
        let is_ours = output
            .as_os_str()
            .as_encoded_bytes()
            .ends_with(SUFFIX.as_bytes());
        if !is_ours {
            let hint =
                "-o names another folder; only one whose name ends with `.vendored` is replaced";
            return Err(CliError::usage(what).hint(hint));
        }
        if !args.force {
            return Err(CliError::usage(what).hint("--force replaces it; -o names another folder"));
        }
    }
    let packages = (finder.find)(args)?;
    if packages.is_empty() {
        let what = format!("{} needs no packages that are installed", input.escaped());
        return Err(CliError::usage(what).hint("`boildown reduce` reduces it as it is"));
    }
    let failed = |error: io::Error| {
        let what = format!("failed to write {}", output.escaped());
        CliError::new(ExitKind::CannotRun, what).because(error)
    };
    // Written beside it first, so that the folder is there whole or not at all.
    let unfinished = with_suffix(&output, ".unfinished");
    let remove = |old: &Path| match old.exists() {
        true => fs::remove_dir_all(old).map_err(failed),
        false => Ok(()),
    };
    remove(&unfinished)?;
    let inside = unfinished.join(place_of(input));
    let mut files = 0;
    copy(input, &inside, &mut files, &mut Vec::new()).map_err(failed)?;
    for package in &packages {
        copy(
            &package.source,
            &unfinished.join(&package.target),
            &mut files,
            &mut Vec::new(),
        )
        .map_err(failed)?;
    }
    (finder.finish)(args, &unfinished)?;
    // Installed packages are often ignored, and what git ignores is no part of an input.
    fs::write(unfinished.join(".gitignore"), "!*\n").map_err(failed)?;
    remove(&output)?;
    fs::rename(&unfinished, &output).map_err(failed)?;
    let mut names: Vec<&str> = packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    let more = match names.len().checked_sub(LISTED) {
        None | Some(0) => String::new(),
        Some(more) => format!(" and {more} more"),
    };
    eprint_line(&format!(
        "{} with {}: {}{more}",
        count(files, "file"),
        count(names.len(), "package"),
        names[..names.len().min(LISTED)].join(", "),
    ));
    stdout::write(format!("{}\n", output.escaped()).as_bytes());
    Ok(ExitKind::Reduced)
}

/// Writes a line to standard error.
#[expect(clippy::print_stderr, reason = "the command has no session")]
fn eprint_line(line: &str) {
    eprintln!("{line}");
}

/// Returns the place of the input in the folder: of a file, its name; of a package of Python, that
/// of its folder, so that packages are beside it.
fn place_of(input: &Path) -> PathBuf {
    match input.is_file() || input.join("__init__.py").exists() {
        true => PathBuf::from(
            input
                .components()
                .next_back()
                .map_or(OsStr::new(""), |name| name.as_os_str()),
        ),
        false => PathBuf::new(),
    }
}

/// Returns a path with a text at the end of its name.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Copies a file, or a folder without what is part of no source. A link stands for what it leads
/// to, but for one of the folders that it is in: `above`, without links.
fn copy(
    source: &Path,
    target: &Path,
    files: &mut usize,
    above: &mut Vec<PathBuf>,
) -> io::Result<()> {
    if !fs::metadata(source)?.is_dir() {
        fs::create_dir_all(target.parent().unwrap_or(target))?;
        fs::copy(source, target)?;
        *files += 1;
        return Ok(());
    }
    let folder = fs::canonicalize(source)?;
    if above.contains(&folder) {
        return Ok(());
    }
    above.push(folder);
    fs::create_dir_all(target)?;
    for entry in fs::read_dir(source)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_left_out = LEFT_OUT.iter().any(|other| name == *other);
        // A link to nothing, a socket.
        let is_other = !fs::metadata(entry.path()).is_ok_and(|it| it.is_dir() || it.is_file());
        if !is_left_out && !is_other {
            copy(&entry.path(), &target.join(name), files, above)?;
        }
    }
    above.pop();
    Ok(())
}
