//! Input files and their languages.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use boildown_document::{Document, Language};
use boildown_formats::FORMATS;

use crate::error::CliError;
use crate::report::format::EscapedPath as _;

/// Reads an input file. `hint` says where the file belongs on the command line.
pub(crate) fn read(path: &Path, hint: &str) -> Result<Arc<[u8]>, CliError> {
    let bytes = read_regular(path).map_err(|error| match error.kind() {
        io::ErrorKind::IsADirectory => CliError::unreadable(path, "it is a directory")
            .hint("give a single file; the command finds the other files of its project too"),
        io::ErrorKind::NotFound => CliError::unreadable(path, "there is no such file").hint(hint),
        _ => CliError::unreadable(path, error),
    })?;
    if bytes.len() > Document::MAX {
        let what = format!("{} is larger than 4 GiB", path.escaped());
        return Err(CliError::usage(what));
    }
    Ok(bytes.into())
}

/// Reads a file. Pipes and devices can be read only once, or without end, so they are errors.
pub(crate) fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let is_readable = |metadata: fs::Metadata| metadata.is_file() || metadata.is_dir();
    match fs::metadata(path).map(is_readable) {
        Ok(false) => Err(io::Error::other(
            "it is not a regular file; copy its content to one first",
        )),
        _ => boildown_exec::read_file(path),
    }
}

/// Returns how much a file is like a script: whether it can be executed, and whether its first line
/// names an interpreter.
pub(crate) fn script_likeness(path: &Path) -> usize {
    if path.is_dir() {
        return 0;
    }
    let mode = fs::metadata(path).map_or(0, |metadata| metadata.permissions().mode());
    let mut start = [0; 2];
    let is_read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    usize::from(mode & 0o111 != 0) + usize::from(is_read.is_ok() && &start == b"#!")
}

/// Returns the language of an input: the requested one, or else by its name, its first line, or its
/// content.
pub(crate) fn language(
    requested: Option<&str>,
    path: &Path,
    input: &[u8],
) -> Result<Option<&'static Language>, CliError> {
    match requested {
        Some("none") => Ok(None),
        Some(name) if Language::named(name).is_none() && format_named(name).is_some() => Ok(None),
        Some(name) => Language::named(name).map(Some).ok_or_else(|| {
            CliError::usage(format!("unknown language `{name}`")).hint(
                "`boildown languages` lists the languages; `--language none` works for any file",
            )
        }),
        None => {
            let head = &input[..input.len().min(256)];
            let named = Language::detect(&path.to_string_lossy(), head);
            Ok(named.or_else(|| Language::guess(input)))
        }
    }
}

/// Returns the name of the format that a request names, if there is one: of RTLIL, for example,
/// there is no grammar.
pub(crate) fn format_named(requested: &str) -> Option<&'static str> {
    FORMATS
        .names()
        .find(|name| name.eq_ignore_ascii_case(requested))
}

/// Returns the warning about an input that changed during the search.
pub(crate) fn modified_warning(path: &Path) -> String {
    format!(
        "warning: {} was modified during the search; does the command write to it?",
        path.escaped()
    )
}
