//! What the user gives to work on.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use boildown_syntax::{Document, Language};

use crate::error::{CliError, Kind};

/// Reads an input, and says what is wrong when it cannot be one. `hint` says where it belongs on the command line.
pub(crate) fn read(path: &Path, hint: &str) -> Result<Arc<[u8]>, CliError> {
    let what = format!("failed to read {}", path.display());
    // Others can be read once, or have no end.
    let ordinary = |found: fs::Metadata| found.is_file() || found.is_dir();
    let bytes = match fs::metadata(path).map(ordinary) {
        Ok(false) => Err(io::Error::other(
            "it is not an ordinary file; write its content to one first",
        )),
        _ => fs::read(path),
    };
    let bytes = bytes.map_err(|error| match error.kind() {
        io::ErrorKind::IsADirectory => CliError::new(Kind::Usage, what).because("it is a directory").hint(
            "boildown reduces one file at a time for now; give the file, and mention what it needs in the command",
        ),
        io::ErrorKind::NotFound => CliError::new(Kind::Usage, what)
            .because("there is no such file")
            .hint(hint),
        _ => CliError::new(Kind::Usage, what).because(error),
    })?;
    if bytes.len() > Document::MAX {
        let what = format!("{} is larger than 4 GiB", path.display());
        return Err(CliError::new(Kind::Usage, what));
    }
    Ok(bytes.into())
}

/// The language of an input: what was asked for, what its name and its first line say, or what it looks like.
pub(crate) fn language(
    asked: Option<&str>,
    path: &Path,
    input: &[u8],
) -> Result<Option<&'static Language>, CliError> {
    match asked {
        Some("none") => Ok(None),
        Some(name) => Language::named(name).map(Some).ok_or_else(|| {
            CliError::new(Kind::Usage, format!("there is no language `{name}`"))
                .hint("`boildown languages` lists them; `--language none` works on any file")
        }),
        None => {
            let head = &input[..input.len().min(256)];
            let named = Language::detect(&path.to_string_lossy(), head);
            Ok(named.or_else(|| Language::guess(input)))
        }
    }
}
