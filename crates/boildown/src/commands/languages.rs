//! `boildown languages`.

use std::io::Write as _;

use boildown_syntax::Language;

use crate::error::ExitKind;

/// Prints every language and the file names by which it is recognised.
pub(crate) fn print() -> ExitKind {
    let mut text = String::new();
    for language in Language::all() {
        let extensions = language
            .extensions
            .iter()
            .map(|extension| format!("*.{extension}"));
        let names = language.file_names.iter().map(|name| (*name).to_owned());
        let files: Vec<String> = extensions.chain(names).collect();
        text += format!("{:<18}{}", language.name, files.join(" ")).trim_end();
        text.push('\n');
    }
    // A reader that stops early is not an error.
    drop(std::io::stdout().write_all(text.as_bytes()));
    ExitKind::Reduced
}
