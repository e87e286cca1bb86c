//! `--valid`: ready-made checks that every interesting candidate has to pass, by language.
//!
//! A check becomes an extra test, as one of `--also` does: it runs on candidates that are
//! interesting, after the command, and the input itself has to pass it.

mod checks;

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use boildown_document::Language;
use boildown_formats::FORMATS;
use boildown_oracle::has_word;
use boildown_reduce::Input;

use self::checks::{CHECKS, DIALECTS, Dialect, KnownCheck, Programs};
use crate::error::CliError;

/// The value that stands for every check of the input's language.
pub(crate) const ALL: &str = "all";

/// A check that was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChosenCheck {
    /// What it is called.
    pub(crate) kind: &'static str,
    /// The programs that it runs.
    pub(crate) programs: Vec<String>,
    /// A line for the shell, with the candidate as `$1`.
    pub(crate) line: OsString,
}

/// The checks for an input, and what is missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ChosenChecks {
    pub(crate) checks: Vec<ChosenCheck>,
    /// What is not checked, and why.
    pub(crate) left_out: Vec<String>,
}

impl ChosenChecks {
    /// Returns the checks and their programs; `None` if there are none.
    pub(crate) fn shown(&self) -> Option<String> {
        let each = self.checks.iter();
        let shown: Vec<String> = each
            .map(|check| format!("{} ({})", check.kind, check.programs.join(", ")))
            .collect();
        (!shown.is_empty()).then(|| shown.join(", "))
    }
}

/// Finds installed programs.
pub(crate) trait FindProgram {
    /// Returns the name of a program with this name, or with a version after it.
    fn find(&self, name: &str) -> Option<String>;
}

/// The programs of the `PATH`. Of several versions, that of the command under test is the right
/// one: `llc-16` reads what `opt-16` does.
pub(crate) struct InstalledPrograms<'a> {
    names: BTreeSet<String>,
    tested: &'a TestedCommand,
}

/// The words of a command, and the texts of the scripts among them.
#[derive(Debug, Default)]
pub(crate) struct TestedCommand(Vec<u8>);

impl<'a> InstalledPrograms<'a> {
    /// Lists them.
    pub(crate) fn list(tested: &'a TestedCommand) -> Self {
        let path = env::var_os("PATH").unwrap_or_default();
        let entries =
            env::split_paths(&path).flat_map(|dir| fs::read_dir(dir).into_iter().flatten());
        let is_program = |path: &PathBuf| {
            fs::metadata(path).is_ok_and(|metadata| {
                metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
            })
        };
        let names = entries.flatten().map(|entry| entry.path());
        let names = names.filter(is_program).filter_map(|path| {
            let name = path.file_name()?.to_str()?;
            Some(name.to_owned())
        });
        Self {
            names: names.collect(),
            tested,
        }
    }
}

impl FindProgram for InstalledPrograms<'_> {
    fn find(&self, name: &str) -> Option<String> {
        let mut of_version = (self.tested.versions()).map(|version| format!("{name}-{version}"));
        if let Some(program) = of_version.find(|it| self.names.contains(it)) {
            return Some(program);
        }
        if self.names.contains(name) {
            return Some(name.to_owned());
        }
        let version = |full: &String| -> Option<u32> {
            let version = full.strip_prefix(name)?.strip_prefix('-')?;
            version.parse().ok()
        };
        let versioned = self
            .names
            .iter()
            .filter_map(|full| Some((version(full)?, full)));
        versioned.max().map(|(_, full)| full.clone())
    }
}

/// Returns the name of the language or format whose checks an input has to pass.
pub(crate) fn checked_as(
    input: &[u8],
    language: Option<&'static Language>,
    stated: Option<&'static str>,
) -> Option<&'static str> {
    let format = FORMATS.format_of(&Input {
        bytes: &input.into(),
        language,
        stated,
    });
    let named = |name: &'static str| CHECKS.iter().any(|it| it.languages.contains(&name));
    let names = [
        format.map(|format| format.name()),
        language.map(|it| it.name),
    ];
    let known = names.into_iter().flatten().find(|name| named(name));
    known.or(language.map(|language| language.name))
}

/// Chooses the checks of these kinds for an input in this language. Where several programs can
/// check, one that the command under test does not run is better: a compiler that crashes on the
/// input cannot say whether it is valid. A program that checks gets the options of the command that
/// say which form of the language the input is in, such as `-std=c++20`.
///
/// # Errors
/// [`CliError`] when a kind is unknown for the language, or nothing of it is installed.
pub(crate) fn choose(
    kinds: &[String],
    language: Option<&'static str>,
    input: &[u8],
    tested: &TestedCommand,
    installed: &dyn FindProgram,
) -> Result<ChosenChecks, CliError> {
    let of_language =
        |check: &&KnownCheck| language.is_some_and(|language| check.languages.contains(&language));
    let known: Vec<&KnownCheck> = CHECKS.iter().filter(of_language).collect();
    if known.is_empty() {
        let what = match language {
            Some(language) => format!("`--valid` knows no check of {language}"),
            None => "`--valid` knows no check of a file in no known language".to_owned(),
        };
        let languages: BTreeSet<_> = CHECKS.iter().flat_map(|it| it.languages).copied().collect();
        let languages: Vec<_> = languages.into_iter().collect();
        return Err(CliError::usage(what)
            .because(format!("it checks {}", languages.join(", ")))
            .hint("--also SCRIPT takes a check of your own"));
    }
    let has_all = kinds.iter().any(|kind| kind == ALL);
    let names: Vec<&str> = known.iter().map(|check| check.kind).collect();
    if let Some(unknown) = kinds
        .iter()
        .find(|kind| *kind != ALL && !names.contains(&kind.as_str()))
    {
        let what = format!(
            "`--valid={unknown}` is no check of {}",
            language.unwrap_or("this file")
        );
        return Err(CliError::usage(what).hint(format!("its checks are {}", names.join(", "))));
    }
    let is_of_language =
        |it: &&Dialect| language.is_some_and(|language| it.languages.contains(&language));
    let dialect = DIALECTS.iter().find(is_of_language);
    let mut chosen = ChosenChecks::default();
    let mut used: Vec<String> = Vec::new();
    for check in known {
        let is_named = kinds.iter().any(|kind| kind == check.kind);
        if !has_all && !is_named {
            continue;
        }
        if check.needs.is_some_and(|needs| !has_word(input, needs)) {
            let needs = check.needs.unwrap_or_default();
            chosen
                .left_out
                .push(format!("{} (the input has no `{needs}`)", check.kind));
            continue;
        }
        match check.programs.line(tested, dialect, &used, installed) {
            Ok((line, programs)) => {
                used.extend(programs.iter().cloned());
                chosen.checks.push(ChosenCheck {
                    kind: check.kind,
                    programs,
                    line: line.into(),
                });
            }
            Err(missing) => chosen.left_out.push(format!("{} ({missing})", check.kind)),
        }
    }
    if chosen.checks.is_empty() {
        return Err(CliError::usage("`--valid` finds no check that it can make")
            .because(chosen.left_out.join("; "))
            .hint("install one of these programs, or give a check of your own with --also"));
    }
    Ok(chosen)
}

impl Programs {
    /// Returns the line for the shell, and the names of the programs in it; or what is missing.
    fn line(
        &self,
        tested: &TestedCommand,
        dialect: Option<&Dialect>,
        used: &[String],
        installed: &dyn FindProgram,
    ) -> Result<(String, Vec<String>), String> {
        let by_preference = |names: &[&'static str]| {
            let found = names.iter().enumerate().filter_map(|(place, name)| {
                let program = installed.find(name)?;
                Some((tested.names(&program), place, program))
            });
            let mut found: Vec<_> = found.collect();
            found.sort();
            found
        };
        let none =
            |names: &[&str], which: &str| format!("{which} of {} is installed", names.join(", "));
        let options = dialect.map_or_else(String::new, |dialect| tested.options_of(dialect));
        let with_options = |program: &str| match dialect {
            Some(dialect) if options.is_empty() && !tested.names(program) => {
                format!("{program}{}", dialect.default)
            }
            _ => format!("{program}{options}"),
        };
        match self {
            Self::One(programs) => {
                let names: Vec<&str> = programs.iter().map(|(name, _)| *name).collect();
                let found = by_preference(&names).into_iter().next();
                let (_, place, program) = found.ok_or_else(|| none(&names, "none"))?;
                Ok((
                    programs[place].1.replacen("{}", &with_options(&program), 1),
                    vec![program],
                ))
            }
            Self::Another(names, line) => {
                let found = by_preference(names).into_iter();
                let mut other =
                    found.filter(|(is_tested, _, program)| !is_tested && !used.contains(program));
                let (_, _, program) = other.next().ok_or_else(|| none(names, "no other one"))?;
                Ok((
                    line.replacen("{}", &with_options(&program), 1),
                    vec![program],
                ))
            }
            Self::Two(names, line) => {
                let mut found = by_preference(names);
                if found.len() < 2 {
                    return Err(none(names, "less than two"));
                }
                found.truncate(2);
                found.sort_by_key(|(_, place, _)| *place);
                let programs: Vec<String> =
                    found.into_iter().map(|(_, _, program)| program).collect();
                let line = line.replacen("{1}", &with_options(&programs[0]), 1);
                Ok((
                    line.replacen("{2}", &with_options(&programs[1]), 1),
                    programs,
                ))
            }
        }
    }
}

impl TestedCommand {
    /// Reads the scripts among the words of a command.
    pub(crate) fn read<'a>(words: impl IntoIterator<Item = &'a OsStr>) -> Self {
        Self::read_from(words, &|word| PathBuf::from(word))
    }

    /// Reads the scripts among the words of a command, each at its original path.
    pub(crate) fn read_from<'a>(
        words: impl IntoIterator<Item = &'a OsStr>,
        original: &dyn Fn(&OsStr) -> PathBuf,
    ) -> Self {
        const LARGEST_SCRIPT: u64 = 64 << 10;
        let mut text = Vec::new();
        for word in words {
            text.extend(word.as_encoded_bytes());
            text.push(b'\n');
            let path = original(word);
            let script = fs::metadata(&path);
            let is_script = script.is_ok_and(|it| it.is_file() && it.len() <= LARGEST_SCRIPT);
            if let Some(script) = is_script.then(|| fs::read(&path).ok()).flatten() {
                text.extend(script);
            }
            text.push(b'\n');
        }
        Self(text)
    }

    /// Reads a command that tests an input, which is none of its scripts, and whose name is that
    /// of no program.
    pub(crate) fn of_input<'a>(words: impl Iterator<Item = &'a OsStr>, input: &Path) -> Self {
        let Self(text) = Self::read(words.filter(|word| *word != input));
        let name = input.file_name().unwrap_or_default().to_string_lossy();
        let text = String::from_utf8_lossy(&text).replace(&*name, "");
        Self(text.into_bytes())
    }

    /// Returns the words and the texts.
    pub(crate) fn text(&self) -> &[u8] {
        &self.0
    }

    /// Returns whether it names a program.
    pub(crate) fn names(&self, program: &str) -> bool {
        has_word(&self.0, program)
    }

    /// Returns the options that say which form of a language the input is in, each after a space.
    fn options_of(&self, dialect: &Dialect) -> String {
        let text = std::str::from_utf8(&self.0).unwrap_or_default();
        let mut words = text.split_ascii_whitespace().peekable();
        let mut found = String::new();
        while let Some(word) = words.next() {
            let is_option = |option: &&str| match option.strip_suffix(' ') {
                Some(alone) => word == alone,
                None => word.starts_with(option),
            };
            let written = match dialect.options.iter().copied().find(is_option) {
                None => continue,
                Some(option) if option.ends_with(' ') => {
                    format!(" {word} {}", words.peek().unwrap_or(&""))
                }
                Some(_) => format!(" {word}"),
            };
            let is_plain =
                |letter: char| letter.is_ascii_alphanumeric() || " -_=+.,/:".contains(letter);
            if written.chars().all(is_plain) && !found.contains(&written) {
                found += &written;
            }
        }
        found
    }

    /// Returns the versions in the names of programs, such as 16 of `llc-16`.
    fn versions(&self) -> impl Iterator<Item = &str> {
        let text = std::str::from_utf8(&self.0).unwrap_or_default();
        let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-'));
        words.filter_map(|word| {
            let (name, version) = word.rsplit_once('-')?;
            let is_version = !version.is_empty() && version.bytes().all(|it| it.is_ascii_digit());
            (is_version && !name.is_empty()).then_some(version)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Only(&'static [&'static str]);

    impl FindProgram for Only {
        fn find(&self, name: &str) -> Option<String> {
            self.0.contains(&name).then(|| name.to_owned())
        }
    }

    fn chosen(
        kinds: &[&str],
        language: &'static str,
        input: &str,
        tested: &str,
        installed: &'static [&'static str],
    ) -> Result<(Vec<String>, Vec<String>), String> {
        let kinds: Vec<String> = kinds.iter().map(|kind| (*kind).to_owned()).collect();
        let found = choose(
            &kinds,
            Some(language),
            input.as_bytes(),
            &TestedCommand::read([OsStr::new(tested)]),
            &Only(installed),
        );
        let found = found.map_err(|error| format!("{error:?}"))?;
        let shown = found.checks.iter().map(|check| {
            let line = check.line.to_string_lossy();
            let first = line.split(' ').next().unwrap_or_default();
            format!("{} {first}", check.kind)
        });
        Ok((shown.collect(), found.left_out))
    }

    #[test]
    fn a_program_that_is_not_under_test_checks_and_a_second_one_differs() {
        let both = &["clang", "gcc"];
        let (checks, left_out) = chosen(&[ALL], "C", "int f;", "clang", both).unwrap();
        assert_eq!(checks, ["parses gcc", "warnings gcc"]);
        let (of_tcc, _) = chosen(&[ALL], "C", "int f;", "tcc", both).unwrap();
        assert_eq!(of_tcc, ["parses clang", "warnings clang", "second gcc"]);
        assert_eq!(
            left_out,
            [
                "second (no other one of tcc, gcc, clang is installed)",
                "sanitizers (the input has no `main`)",
                "agree (the input has no `main`)"
            ]
        );
        let (checks, left_out) = chosen(&[ALL], "C", "int main(){}", "gcc", &["gcc"]).unwrap();
        assert_eq!(checks, ["parses gcc", "warnings gcc", "sanitizers gcc"]);
        assert_eq!(
            left_out[0],
            "second (no other one of tcc, gcc, clang is installed)"
        );
        assert_eq!(
            left_out[1],
            "agree (less than two of gcc, clang, tcc is installed)"
        );
    }

    #[test]
    fn only_named_kinds_are_checked_and_unknown_ones_are_refused() {
        let (checks, _) = chosen(&["verify"], "LLVM IR", "", "", &["opt"]).unwrap();
        assert_eq!(checks, ["verify opt"]);
        let error = |kind: &str, language| chosen(&[kind], language, "", "", &["opt"]).unwrap_err();
        assert!(error("parses", "LLVM IR").contains("its checks are verify"));
        assert!(error(ALL, "Java").contains("none of javac is installed"));
        assert!(error(ALL, "Elm").contains("knows no check of Elm"));
    }

    #[test]
    fn a_program_may_have_a_version_in_its_name() {
        let names = ["clang-9", "clang-14", "clang-format-15", "gcc"];
        let tested = TestedCommand::default();
        let mut installed = InstalledPrograms {
            names: names.map(str::to_owned).into(),
            tested: &tested,
        };
        assert_eq!(installed.find("clang").as_deref(), Some("clang-14"));
        assert_eq!(installed.find("gcc").as_deref(), Some("gcc"));
        assert_eq!(installed.find("tcc"), None);
        let tested = TestedCommand::read([OsStr::new("llc-9 -O2")]);
        installed.tested = &tested;
        assert_eq!(installed.find("clang").as_deref(), Some("clang-9"));
    }

    #[test]
    fn a_check_reads_the_form_of_the_language_that_the_command_reads() {
        let line = |kind: &str, language, tested: &str, installed| {
            let tested = TestedCommand::read([OsStr::new(tested)]);
            let kinds = [kind.to_owned()];
            let found = choose(&kinds, Some(language), b"", &tested, &Only(installed)).unwrap();
            found.checks[0].line.to_string_lossy().into_owned()
        };
        let command = "clang -std=c++20 -O2 -I include -DNDEBUG -D 'A B' -std=c++20 -c";
        assert!(
            line("parses", "C++", command, &["g++"])
                .starts_with("g++ -std=c++20 -I include -DNDEBUG -fsyntax-only")
        );
        let command = "opt-14 -opaque-pointers -passes=sroa";
        assert!(
            line("verify", "LLVM IR", command, &["opt"])
                .starts_with("opt -opaque-pointers -passes")
        );
        assert!(line("parses", "Python", command, &["python3"]).starts_with("python3 -c"));
    }

    #[test]
    fn a_word_is_not_a_part_of_another() {
        assert!(has_word(b"int main()", "main"));
        assert!(!has_word(b"int mainly, domain;", "main"));
        let tested = TestedCommand::read([OsStr::new("timeout 5 clang-14 -c")]);
        assert!(tested.names("clang-14") && !tested.names("gcc"));
        let words = ["sh", "-c", "gcc -c ./gcc-clang.c"].map(OsStr::new);
        let tested = TestedCommand::of_input(words.into_iter(), Path::new("gcc-clang.c"));
        assert!(tested.names("gcc") && !tested.names("clang"));
    }

    #[test]
    fn every_language_of_a_check_is_known() {
        let names: Vec<&str> = (Language::all().iter().map(|it| it.name))
            .chain(FORMATS.names())
            .collect();
        for check in CHECKS {
            for language in check.languages {
                assert!(names.contains(language), "{language}");
            }
        }
    }
}
