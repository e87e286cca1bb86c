//! Packages of Python: those that the interpreter would import.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::args::VendorArgs;
use super::finder::{Finder, Package, files_of, output_of};
use crate::error::CliError;

pub(super) const FINDER: Finder = Finder {
    knows: |input| !files_of(input, ENDINGS).is_empty(),
    find,
    finish: |_, _| Ok(()),
};

const ENDINGS: &[&str] = &["py", "pyi"];

/// Prints a line for each package: its name, a tab, its path.
const SCRIPT: &str = include_str!("imports.py");

fn find(args: &VendorArgs) -> Result<Vec<Package>, CliError> {
    let program = (args.program.as_deref()).unwrap_or(OsStr::new("python3"));
    let mut words: Vec<OsString> = vec!["-c".into(), SCRIPT.into()];
    words.extend(
        files_of(&args.input, ENDINGS)
            .into_iter()
            .map(PathBuf::into_os_string),
    );
    let hint = "the interpreter of the input is needed: --program venv/bin/python names another";
    let printed = output_of(program, &words, hint)?;
    let printed = String::from_utf8_lossy(&printed);
    let lines = printed.lines().filter_map(|line| line.split_once('\t'));
    let packages = lines.map(|(name, path)| Package {
        name: name.to_owned(),
        source: PathBuf::from(path),
        target: Path::new(path)
            .file_name()
            .map(PathBuf::from)
            .unwrap_or_default(),
    });
    Ok(packages.collect())
}
