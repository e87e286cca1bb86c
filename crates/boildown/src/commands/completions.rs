//! `boildown completions`.

use std::sync::Arc;

use boildown_document::{Language, Split};
use boildown_formats::FORMATS;
use boildown_reduce::{Strategy, Units, pass_names};
use clap::builder::PossibleValuesParser;

use crate::error::ExitKind;
use crate::options::algorithms;
use crate::stdout;

/// Prints a completion script for a shell.
pub(crate) fn print(shell: clap_complete::Shell, definition: &clap::Command) -> ExitKind {
    let mut script = Vec::new();
    let mut definition = with_values(definition.clone());
    clap_complete::generate(shell, &mut definition, "boildown", &mut script);
    stdout::write(&script);
    ExitKind::Reduced
}

/// Returns the commands with the names that shells complete for options that take one. Such an
/// option accepts more than these names: parameters, lists, another case.
fn with_values(definition: clap::Command) -> clap::Command {
    let languages = Language::all().iter().filter_map(word);
    let languages: Vec<String> = languages.chain(["none".to_owned()]).collect();
    let known = algorithms::known();
    let completed = [
        ("language", languages),
        (
            "algorithm",
            known
                .lists()
                .map(|known| known.entry.name.to_owned())
                .collect(),
        ),
        (
            "schedule",
            known
                .schedules()
                .map(|known| known.entry.name.to_owned())
                .collect(),
        ),
        ("passes", passes()),
    ];
    definition.mut_subcommands(|command| {
        command.mut_args(|option| {
            let values = completed
                .iter()
                .find(|(name, _)| option.get_long() == Some(name));
            match values {
                Some((_, values)) => option.value_parser(PossibleValuesParser::new(values)),
                None => option,
            }
        })
    })
}

/// Returns the name of a language as one word.
fn word(language: &Language) -> Option<String> {
    let mut names = std::iter::once(&language.name).chain(language.aliases);
    let name = names.find(|name| !name.contains([' ', '(']))?;
    Some(name.to_lowercase())
}

/// Returns the names of the passes over files of every kind.
fn passes() -> Vec<String> {
    let large = vec![b'x'; 1 << 20];
    let language = Language::all().first();
    let usual = boildown_formats::strategy();
    let lines = Strategy {
        units: Units::Lines,
        ..boildown_formats::strategy()
    };
    let list = Strategy {
        units: Units::Bytes,
        split: Some(Split::Lines),
        ..boildown_formats::strategy()
    };
    let (text, binary): (Arc<[u8]>, Arc<[u8]>) = (b"x"[..].into(), b"\0"[..].into());
    let mut kinds = vec![
        pass_names(&large.into(), language, &list),
        pass_names(&text, None, &usual),
        pass_names(&text, None, &lines),
        pass_names(&binary, None, &usual),
    ];
    kinds.extend(FORMATS.names().map(|name| {
        let format = Strategy {
            format: Some(name),
            ..boildown_formats::strategy()
        };
        pass_names(&text, Language::named(name), &format)
    }));
    let mut names: Vec<_> = (kinds.concat().iter())
        .map(|name| name.replace(' ', "-"))
        .collect();
    names.sort();
    names.dedup();
    names
}
