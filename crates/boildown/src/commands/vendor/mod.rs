//! `boildown vendor`: an input with the sources of the packages that it needs, as a folder.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use ignore::WalkBuilder;

use self::args::VendorArgs;
use self::finder::{Finder, Package, is_left_out};
use crate::commands::reduce::destination::with_suffix;
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
    let input = fs::canonicalize(input).map_err(|error| CliError::unreadable(input, error))?;
    let output = match &args.output {
        Some(output) => output.components().collect(),
        None if args.input.file_name().is_some() => with_suffix(&stem(&args.input), SUFFIX),
        None => with_suffix(&stem(&input), SUFFIX),
    };
    check_output(&output, &input, args.force)?;
    let packages = (finder.find)(args)?;
    if packages.is_empty() {
        let what = format!("{} needs no packages that are installed", input.escaped());
        return Err(CliError::usage(what).hint("`boildown reduce` reduces it as it is"));
    }
    let failed = |error: io::Error| CliError::unwritable(ExitKind::CannotRun, &output, error);
    // Written beside it first, so that the folder is there whole or not at all.
    let unfinished = with_suffix(&output, ".unfinished");
    if unfinished.exists() {
        let what = format!("{} exists already", unfinished.escaped());
        return Err(CliError::usage(what).hint("remove it if it is left of a run that was stopped"));
    }
    let mut files = 0;
    let copied = copy_all(&input, &packages, &unfinished, &mut files);
    let finished = copied
        .map_err(failed)
        .and_then(|()| (finder.finish)(args, &unfinished));
    if finished.is_err() {
        fs::remove_dir_all(&unfinished).ok();
    }
    finished?;
    // Installed packages are often ignored, and what git ignores is no part of an input.
    fs::write(unfinished.join(".gitignore"), "!*\n").map_err(failed)?;
    if output.exists() {
        fs::remove_dir_all(&output).map_err(failed)?;
    }
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

/// Checks that a folder can be written: that it is not part of the input, nor the input of it, and
/// that nothing is there, or only what this command wrote.
fn check_output(output: &Path, input: &Path, force: bool) -> Result<(), CliError> {
    let parent = match output.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let unreadable = |error| CliError::unreadable(parent, error);
    let parent = fs::canonicalize(parent).map_err(unreadable)?;
    let Some(name) = output.file_name() else {
        let what = format!("{} is no name of a folder", output.escaped());
        return Err(CliError::usage(what).hint("-o names another folder"));
    };
    let whole = parent.join(name);
    let is_apart = |output: &Path| !output.starts_with(input) && !input.starts_with(output);
    if !is_apart(&whole) || fs::canonicalize(&whole).is_ok_and(|whole| !is_apart(&whole)) {
        let what = format!("{} is the input, in it or around it", output.escaped());
        return Err(CliError::usage(what).hint("-o names another folder"));
    }
    if !output.exists() {
        return Ok(());
    }
    let what = format!("{} exists already", output.escaped());
    // With another name, it may hold anything.
    let is_ours = output
        .as_os_str()
        .as_encoded_bytes()
        .ends_with(SUFFIX.as_bytes());
    match (is_ours, force) {
        (true, true) => Ok(()),
        (true, false) => {
            Err(CliError::usage(what).hint("--force replaces it; -o names another folder"))
        }
        (false, _) => Err(CliError::usage(what).hint(
            "-o names another folder; only one whose name ends with `.vendored` is replaced",
        )),
    }
}

/// Returns a path without the ending of a file.
fn stem(path: &Path) -> PathBuf {
    let path: PathBuf = path.components().collect();
    match path.is_file() {
        true => path.with_extension(""),
        false => path,
    }
}

/// Returns the place of the input in the folder: of a file, its name; of a package of Python, that
/// of its folder, so that packages are beside it.
fn place_of(input: &Path) -> PathBuf {
    match input.is_file() || input.join("__init__.py").exists() {
        true => input.file_name().unwrap_or_default().into(),
        false => PathBuf::new(),
    }
}

/// Writes the input and the packages. Nothing is written outside of the folder.
fn copy_all(
    input: &Path,
    packages: &[Package],
    folder: &Path,
    files: &mut usize,
) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let own = fs::canonicalize(folder)?;
    copy_input(input, &folder.join(place_of(input)), files)?;
    for package in packages {
        let mut parts = package.target.components();
        if !parts.all(|part| matches!(part, Component::Normal(_))) {
            let what = format!("`{}` is no name of a package", package.name.escape_debug());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let target = folder.join(&package.target);
        copy(&package.source, &target, files, &mut vec![own.clone()])?;
    }
    Ok(())
}

/// Copies the input without what git ignores, what is part of no source, and links that lead out of
/// it.
fn copy_input(input: &Path, target: &Path, files: &mut usize) -> io::Result<()> {
    let mut entries = WalkBuilder::new(input);
    entries.hidden(false).require_git(false);
    entries.filter_entry(|entry| entry.depth() == 0 || !is_left_out(entry.path()));
    for entry in entries.build() {
        let entry = entry.map_err(io::Error::other)?;
        let (path, is_link) = (entry.path(), entry.path_is_symlink());
        let leads_out = is_link && fs::canonicalize(path).is_ok_and(|it| !it.starts_with(input));
        if !path.is_file() || leads_out {
            continue;
        }
        let inside = path.strip_prefix(input).unwrap_or(path);
        let target = match inside == Path::new("") {
            true => target.to_owned(),
            false => target.join(inside),
        };
        fs::create_dir_all(target.parent().unwrap_or(&target))?;
        fs::copy(path, target)?;
        *files += 1;
    }
    Ok(())
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
        let is_left_out = is_left_out(&entry.path());
        // A link to nothing, a socket.
        let is_other = !fs::metadata(entry.path()).is_ok_and(|it| it.is_dir() || it.is_file());
        if !is_left_out && !is_other {
            copy(&entry.path(), &target.join(name), files, above)?;
        }
    }
    above.pop();
    Ok(())
}
