//! `boildown languages`.

use boildown_syntax::{Language, format_names};

use crate::error::ExitKind;
use crate::stdout;

/// Prints every language and the file names by which it is recognised; then the formats that are
/// recognised by their content alone.
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
    for name in format_names().filter(|name| Language::named(name).is_none()) {
        text += &format!("{name:<18}by its content\n");
    }
    stdout::write(text.as_bytes());
    ExitKind::Reduced
}
