//! Settings: options that a file, `boildown.toml`, states for the commands.
//!
//! `[reduce]`, `[isolate]`, `[changes]` and `[triage]` hold options by their long names;
//! `[profile.NAME.reduce]` those that `--profile NAME` adds. Settings become words of the command
//! line, unless an option was typed that is the same or excludes them. So they mean what they would
//! mean if they were typed, and a mistake is reported like a mistyped one.

use std::any::TypeId;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use boildown_show::ChoiceRecord;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use toml::{Table, Value};

use crate::error::CliError;
use crate::report::format::EscapedPath as _;
use crate::report::reporter::Reporter;

const NAME: &str = "boildown.toml";

/// The commands with settings, and the argument in whose directory the search for the file begins.
const COMMANDS: [(&str, Option<&str>); 4] = [
    ("reduce", Some("input")),
    ("isolate", Some("bad")),
    ("changes", None),
    ("triage", Some("folder")),
];

/// Directories by which the root of a repository is known.
const REPOSITORIES: [&str; 4] = [".git", ".jj", ".hg", ".svn"];

/// Options that open the sandbox, run something outside of it, or name files to write. The file may
/// be that of a repository of others: these count only in a profile, which the user has to name.
#[rustfmt::skip]
const OF_PROFILES: [&str; 14] = [
    "no-sandbox", "writable", "memory", "processes", "worker", "remote", "serve", "warm",
    "pass-command", "grammar", "output", "force", "in-place", "scratch",
];

/// The profile that stands for no settings.
const NO_SETTINGS: &str = "none";

/// The settings in effect for a command.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    file: PathBuf,
    stated: Vec<Setting>,
}

/// An option that the file states.
#[derive(Debug, Clone)]
struct Setting {
    option: String,
    /// The values; none of a flag.
    values: Vec<OsString>,
    section: String,
}

impl Settings {
    /// Returns a note about the settings; `None` if there are none.
    fn note(&self) -> Option<String> {
        let sections = self.stated.chunk_by(|one, two| one.section == two.section);
        let sections: Vec<String> = sections
            .map(|settings| {
                let words: Vec<String> = settings.iter().map(Setting::shown).collect();
                format!("[{}] {}", settings[0].section, words.join(" "))
            })
            .collect();
        let file = self.file.escaped();
        (!sections.is_empty()).then(|| format!("settings in {file}: {}", sections.join(", ")))
    }

    /// Returns the settings as choices, for `boildown explain`.
    pub(crate) fn choices(&self) -> impl Iterator<Item = ChoiceRecord> {
        self.stated.iter().map(|setting| {
            let (section, file) = (&setting.section, self.file.escaped());
            ChoiceRecord {
                about: "setting".to_owned(),
                chosen: setting.shown(),
                because: format!("as [{section}] in {file} says"),
                option: "--profile".to_owned(),
            }
        })
    }
}

impl Setting {
    fn words(&self) -> Vec<OsString> {
        let word = |value: &OsString| {
            let mut word = OsString::from(format!("{}=", self.option));
            word.push(value);
            word
        };
        match self.values.is_empty() {
            true => vec![OsString::from(&self.option)],
            false => self.values.iter().map(word).collect(),
        }
    }

    fn shown(&self) -> String {
        let words = self.words();
        let words = words.iter().map(boildown_oracle::shell::quote);
        words.collect::<Vec<_>>().join(" ")
    }
}

/// The command line of this process: its words with those of the settings, and the settings.
static IN_EFFECT: OnceLock<(Vec<OsString>, Settings)> = OnceLock::new();

/// Returns the words of the command line of this process with its settings, the program first.
pub(crate) fn words_in_effect() -> Vec<OsString> {
    match IN_EFFECT.get() {
        Some((words, _)) => words.clone(),
        None => env::args_os().collect(),
    }
}

/// Returns the settings of this process, if there are any.
pub(crate) fn in_effect() -> Option<&'static Settings> {
    IN_EFFECT.get().map(|(_, settings)| settings)
}

/// Says which settings are in effect, if any are.
pub(crate) fn note(reporter: &mut dyn Reporter) {
    if let Some(note) = in_effect().and_then(Settings::note) {
        reporter.note(&note);
    }
}

/// Adds the settings that apply to the command line of this process, whose second word is the
/// command. `cli` is all that can be typed.
///
/// # Errors
/// [`CliError`] when the file is not valid, or states what the command does not take.
pub(crate) fn apply(words: Vec<OsString>, cli: &Command) -> Result<Vec<OsString>, CliError> {
    let (words, settings) = with_settings(words, cli)?;
    IN_EFFECT.set((words.clone(), settings)).ok();
    Ok(words)
}

fn with_settings(
    words: Vec<OsString>,
    cli: &Command,
) -> Result<(Vec<OsString>, Settings), CliError> {
    let none = |words| Ok((words, Settings::default()));
    let Ok(matches) = cli.clone().try_get_matches_from(&words) else {
        // The mistake is reported when the words are parsed.
        return none(words);
    };
    let Some((name, typed)) = matches.subcommand() else {
        return none(words);
    };
    let Some((_, place)) = COMMANDS.iter().find(|(command, _)| *command == name) else {
        return none(words);
    };
    let profile = typed.get_one::<String>("profile").map(String::as_str);
    if profile == Some(NO_SETTINGS) {
        return none(words);
    }
    let input = place.and_then(|place| typed.get_one::<PathBuf>(place));
    let Some(file) = find(&directory_of(input.map(PathBuf::as_path)))? else {
        return match profile {
            None => none(words),
            Some(profile) => {
                let what = format!("there is no {NAME} with a profile `{profile}`");
                Err(CliError::usage(what).hint(
                    "it is looked for beside the input, and above it up to the root of the repository",
                ))
            }
        };
    };
    let stated = read(&file, name, profile)?;
    let mut definition = cli.clone();
    definition.build();
    let command = definition.find_subcommand(name).expect("it was parsed");
    let mut settings = Vec::new();
    for (section, key, value) in &stated {
        let setting = setting(command, &file, section, key, value)?;
        settings.extend(setting.filter(|setting| applies(command, typed, setting)));
    }
    let mut all = words;
    all.splice(2..2, settings.iter().flat_map(Setting::words));
    if let Err(error) = cli.clone().try_get_matches_from(&all) {
        let message = error.to_string();
        let message = message.strip_prefix("error: ").unwrap_or(&message);
        let what = message.split("\n\n").next().unwrap_or(message);
        let what = format!("{}: {}", file.escaped(), what.trim_end());
        return Err(CliError::usage(what).hint("--profile none leaves the settings out"));
    }
    let settings = Settings {
        file,
        stated: settings,
    };
    Ok((all, settings))
}

/// Returns the directory of an input: itself, if it is one.
fn directory_of(input: Option<&Path>) -> PathBuf {
    let directory = match input {
        Some(path) if path.is_dir() => path,
        Some(path) => path.parent().unwrap_or(Path::new("")),
        None => Path::new(""),
    };
    let current = env::current_dir().unwrap_or_default();
    let directory = current.join(directory);
    fs::canonicalize(&directory).unwrap_or(directory)
}

/// Returns the file that is nearest to a directory: in it, or above it up to the root of the
/// repository. A path below the current directory is relative.
///
/// # Errors
/// [`CliError`] when the file belongs to another user, who could state any command.
fn find(directory: &Path) -> Result<Option<PathBuf>, CliError> {
    let is_root = |path: &Path| {
        let mut names = REPOSITORIES.iter();
        names.any(|name| path.join(name).exists())
    };
    let levels = match directory.ancestors().position(is_root) {
        Some(root) => root + 1,
        None => 1,
    };
    let mut places = directory.ancestors().take(levels);
    let Some(file) = places.find_map(|place| Some(place.join(NAME)).filter(|file| file.is_file()))
    else {
        return Ok(None);
    };
    let owner = fs::metadata(&file).map_or(0, |metadata| metadata.uid());
    if owner != 0 && owner != rustix::process::geteuid().as_raw() {
        let what = format!("{} belongs to another user", file.escaped());
        return Err(CliError::usage(what)
            .because("its settings may run commands")
            .hint("--profile none leaves the settings out"));
    }
    let current = env::current_dir().unwrap_or_default();
    let relative = file.strip_prefix(&current).map(Path::to_owned);
    Ok(Some(relative.unwrap_or(file)))
}

/// Reads the settings of a command, as section, key and value. Those of the profile come last, and
/// replace others.
fn read(
    file: &Path,
    command: &str,
    profile: Option<&str>,
) -> Result<Vec<(String, String, Value)>, CliError> {
    let text = fs::read_to_string(file).map_err(|error| CliError::unreadable(file, error))?;
    let all: Table =
        (text.parse()).map_err(|error: toml::de::Error| CliError::unreadable(file, error))?;
    let wrong = |section: &str| {
        let what = format!("{}: `{section}` is no section of settings", file.escaped());
        CliError::usage(what).hint(
            "the sections are [reduce], [isolate], [changes], [triage] and [profile.NAME.reduce]",
        )
    };
    check_sections(&all, "", &wrong)?;
    let mut profiles = Table::new();
    if let Some(stated) = all.get("profile") {
        profiles = stated.as_table().cloned().ok_or_else(|| wrong("profile"))?;
    }
    for (name, sections) in &profiles {
        let prefix = format!("profile.{name}");
        let sections = sections.as_table().ok_or_else(|| wrong(&prefix))?;
        check_sections(sections, &format!("{prefix}."), &wrong)?;
    }
    let chosen = match profile {
        None => None,
        Some(name) => {
            let known: Vec<&str> = profiles.keys().map(String::as_str).collect();
            let found = profiles.get(name).and_then(Value::as_table);
            Some(found.ok_or_else(|| {
                let what = format!("{} has no profile `{name}`", file.escaped());
                CliError::usage(what).hint(match known.is_empty() {
                    true => "it has none; a section [profile.NAME.reduce] makes one".to_owned(),
                    false => format!("its profiles are {}", known.join(", ")),
                })
            })?)
        }
    };
    let of_profile = profile.map(|name| format!("profile.{name}.{command}"));
    let sections = [
        (command.to_owned(), all.get(command)),
        (
            of_profile.unwrap_or_default(),
            chosen.and_then(|chosen| chosen.get(command)),
        ),
    ];
    let mut stated: Vec<(String, String, Value)> = Vec::new();
    for (section, content) in sections {
        for (key, value) in content.and_then(Value::as_table).into_iter().flatten() {
            stated.retain(|(_, known, _)| known != key);
            stated.push((section.clone(), key.clone(), value.clone()));
        }
    }
    Ok(stated)
}

/// Checks that all sections are tables for commands.
fn check_sections(
    table: &Table,
    prefix: &str,
    wrong: &dyn Fn(&str) -> CliError,
) -> Result<(), CliError> {
    for (name, content) in table {
        let is_command = COMMANDS.iter().any(|(command, _)| command == name);
        let is_profile = prefix.is_empty() && name == "profile";
        let is_known = is_profile || is_command && content.is_table();
        if !is_known {
            return Err(wrong(&format!("{prefix}{name}")));
        }
    }
    Ok(())
}

/// Returns what a key and its value state; `None` for a flag that is off.
fn setting(
    command: &Command,
    file: &Path,
    section: &str,
    key: &str,
    value: &Value,
) -> Result<Option<Setting>, CliError> {
    let origin = format!("[{section}] in {}", file.escaped());
    let mut known = command.get_arguments();
    let is_key = |arg: &&Arg| {
        let aliases = arg.get_all_aliases().unwrap_or_default();
        arg.get_long() == Some(key) || aliases.contains(&key)
    };
    let not_settings = ["profile", "help", "version"];
    let arg = known
        .find(is_key)
        .filter(|_| !not_settings.contains(&key))
        .ok_or_else(|| {
            let what = format!("there is no setting `{key}` for {origin}");
            let name = command.get_name();
            CliError::usage(what).hint(format!(
                "the settings are options: `boildown {name} --help expert` lists them"
            ))
        })?;
    let name = arg.get_long().unwrap_or(key);
    if OF_PROFILES.contains(&name) && !section.starts_with("profile.") {
        let what = format!("`{key}` for {origin} counts only in a profile");
        let command = command.get_name();
        return Err(CliError::usage(what)
            .because("it affects more than the directories of runs")
            .hint(format!(
                "put it into a section [profile.NAME.{command}], and type --profile NAME"
            )));
    }
    let wrong = |wanted: &str| {
        let what = format!("invalid value of `{key}` for {origin}");
        CliError::usage(what).because(wanted.to_owned())
    };
    let option = format!("--{name}");
    let made = |values| Setting {
        option: option.clone(),
        values,
        section: section.to_owned(),
    };
    if let Value::Boolean(is_on) = value {
        let needs_value = arg
            .get_num_args()
            .is_some_and(|number| number.min_values() > 0);
        return match needs_value {
            true => Err(wrong("the option takes a value, such as \"text\" or 1")),
            false => Ok(is_on.then(|| made(Vec::new()))),
        };
    }
    if !arg.get_action().takes_values() {
        return Err(wrong("it is true or false"));
    }
    let values = match value {
        Value::Array(values) => values.as_slice(),
        value => std::slice::from_ref(value),
    };
    let text = |value: &Value| match value {
        Value::String(text) => Some(in_place(arg, file, text)),
        Value::Integer(number) => Some(number.to_string().into()),
        Value::Float(number) => Some(number.to_string().into()),
        _ => None,
    };
    let values: Option<Vec<OsString>> = values.iter().map(text).collect();
    match values {
        Some(values) if !values.is_empty() => Ok(Some(made(values))),
        Some(_) => Ok(None),
        None => Err(wrong("it is a text, a number, or a list of them")),
    }
}

/// Returns a text as the option takes it. A path of a file beside the settings is relative to them.
fn in_place(arg: &Arg, file: &Path, text: &str) -> OsString {
    let kind = arg.get_value_parser().type_id();
    let is_path = kind == TypeId::of::<PathBuf>() || kind == TypeId::of::<OsString>();
    let beside = file.parent().unwrap_or(Path::new("")).join(text);
    match is_path && !text.is_empty() && beside.exists() {
        // With a directory, so that a script is not looked for in the PATH.
        true if beside.components().count() == 1 => Path::new(".").join(beside).into(),
        true => beside.into(),
        false => OsStr::new(text).to_owned(),
    }
}

/// Returns whether neither the option nor one that excludes it was typed.
fn applies(command: &Command, typed: &ArgMatches, setting: &Setting) -> bool {
    let name = setting.option.trim_start_matches('-');
    let mut known = command.get_arguments();
    let Some(arg) = known.find(|arg| arg.get_long() == Some(name)) else {
        return false;
    };
    let is_typed =
        |arg: &Arg| typed.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let excludes = |other: &&Arg| {
        let conflicts = |one: &Arg, two: &Arg| {
            let mut conflicts = command.get_arg_conflicts_with(one).into_iter();
            conflicts.any(|conflict| conflict.get_id() == two.get_id())
        };
        conflicts(arg, other) || conflicts(other, arg)
    };
    !is_typed(arg) && !command.get_arguments().filter(excludes).any(is_typed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;

    #[test]
    fn what_counts_in_profiles_only_are_options_by_their_names() {
        let definition = Cli::definition();
        let commands = COMMANDS.map(|(name, _)| definition.find_subcommand(name).unwrap());
        for name in OF_PROFILES {
            let is_option = |command: &&Command| {
                let mut options = command.get_arguments();
                options.any(|option| option.get_long() == Some(name))
            };
            assert!(commands.iter().any(is_option), "{name}");
        }
        for (name, place) in COMMANDS {
            let command = definition.find_subcommand(name).unwrap();
            let is_place = |argument: &Arg| place.is_none_or(|place| argument.get_id() == place);
            assert!(command.get_arguments().any(is_place), "{name}");
        }
    }
}
