//! `boildown languages`.

use std::io::Write as _;

use boildown_syntax::Language;

use crate::error::Kind;

/// Prints every language and how its files are recognised.
pub(crate) fn print() -> Kind {
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
    // A reader that has seen enough is no error.
    drop(std::io::stdout().write_all(text.as_bytes()));
    Kind::Reduced
}
