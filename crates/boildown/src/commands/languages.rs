//! `boildown languages`.

use std::path::PathBuf;

use boildown_document::Language;
use boildown_formats::FORMATS;
use clap::Args;

use crate::error::{CliError, ExitKind};
use crate::input;
use crate::own_language::OwnLanguageArgs;
use crate::stdout;

/// The options of `boildown languages`.
#[derive(Debug, Args)]
pub(crate) struct LanguagesArgs {
    #[command(flatten)]
    own: OwnLanguageArgs,

    /// Parse a file, and print its language and the number of syntax errors
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
}

/// Prints every language, or what the grammar of a file makes of it.
pub(crate) fn run(args: &LanguagesArgs) -> Result<ExitKind, CliError> {
    let own = args.own.load(None)?;
    let Some(path) = &args.check else {
        print(own);
        return Ok(ExitKind::Reduced);
    };
    let text = input::read(path, "give a file to parse")?;
    let language = match own {
        Some(own) => Some(own),
        None => input::language(None, path, &text)?,
    };
    let line = match language {
        Some(language) => format!(
            "{}, syntax errors: {}\n",
            language.name,
            language.errors(&text)
        ),
        None => "no known language\n".to_owned(),
    };
    stdout::print(line);
    Ok(ExitKind::Reduced)
}

/// Prints every language and the file names by which it is recognised; then the formats that are
/// recognised by their content alone.
fn print(own: Option<&'static Language>) {
    let mut text = String::new();
    for language in own.into_iter().chain(Language::all()) {
        let extensions = language
            .extensions
            .iter()
            .map(|extension| format!("*.{extension}"));
        let names = language.file_names.iter().map(|name| (*name).to_owned());
        let files: Vec<String> = extensions.chain(names).collect();
        text += format!("{:<18}{}", language.name, files.join(" ")).trim_end();
        text.push('\n');
    }
    for name in FORMATS
        .names()
        .filter(|name| Language::named(name).is_none())
    {
        text += &format!("{name:<18}by its content\n");
    }
    stdout::print(text);
}
