//! A language of the user's own: a compiled tree-sitter grammar (`--grammar`), and a file that says
//! what else is known about the language (`--language-file`).

#![expect(unsafe_code, reason = "a grammar is a function of a shared library")]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use boildown_document::{Language, OwnLanguage, OwnLanguageError};
use boildown_oracle::{Interrupt, Outcome};
use boildown_reduce::Rules;
use clap::Args;
use serde::Deserialize;
use tree_sitter_language::LanguageFn;

use crate::error::{CliError, ExitKind};
use crate::limits::run_program;
use crate::options::heading;
use crate::report::format::EscapedPath as _;
use libloading::Library;

/// A grammar that takes longer for the input is refused.
const CHECK_TIMEOUT: Duration = Duration::from_secs(20);

/// The options that state a language of the user's own.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct OwnLanguageArgs {
    /// A compiled tree-sitter grammar, for a language that boildown does not know
    ///
    /// A shared library, as editors have them, such as `dot.so`. The function is named after the
    /// file, `tree_sitter_dot`, or stated: `PATH:SYMBOL`. Its code runs in boildown.
    #[arg(long, value_name = "PATH[:SYMBOL]", hide = true, help_heading = heading::EXPERT)]
    pub(crate) grammar: Option<PathBuf>,

    /// A file in TOML that describes the language of --grammar
    ///
    /// All keys may be left out: name, extensions, file-names, node-types, rules, statements,
    /// ignores-case, indented, bare-statements, always-parsed, stub, includes. Paths are relative
    /// to the file.
    #[arg(long, value_name = "FILE", requires = "grammar", hide = true, help_heading = heading::EXPERT)]
    pub(crate) language_file: Option<PathBuf>,
}

/// The content of a file that describes a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about a language"
)]
struct LanguageFile {
    name: Option<String>,
    extensions: Vec<String>,
    file_names: Vec<String>,
    node_types: Option<PathBuf>,
    rules: Vec<PathBuf>,
    statements: bool,
    ignores_case: bool,
    indented: bool,
    bare_statements: bool,
    always_parsed: bool,
    stub: Option<String>,
    includes: Vec<String>,
}

impl OwnLanguageArgs {
    /// Loads the grammar, checks it on an input in a process of its own, and adds the language.
    /// Returns it; `None` if none was stated.
    ///
    /// # Errors
    /// The library cannot be loaded, or crashes or hangs on the input; a file has mistakes.
    pub(crate) fn load(
        &self,
        checked: Option<&Path>,
    ) -> Result<Option<&'static Language>, CliError> {
        let Some(stated) = &self.grammar else {
            return Ok(None);
        };
        let (path, symbol) = library_and_symbol(stated);
        if let Some(input) = checked {
            self.check(&path, input)?;
        }
        let own = self.described(&path)?;
        let grammar = grammar(&path, &symbol)?;
        let failed =
            || CliError::usage(format!("failed to add the language of {}", path.escaped()));
        let language = own.entry(grammar.into()).map_err(|error| {
            let is_known = matches!(error, OwnLanguageError::Name(_));
            let error = failed().because(error);
            match is_known {
                true => {
                    error.hint("`name = \"…\"` in the file of --language-file gives it another")
                }
                false => error,
            }
        })?;
        for (position, rules) in language.rules.iter().enumerate() {
            Rules::read(language, rules).map_err(|error| {
                let position = position + 1;
                failed().because(format!(
                    "the rules file number {position} has an error in {error}"
                ))
            })?;
        }
        language.add();
        Ok(Some(language))
    }

    /// Returns what a run depends on: the content of the library and of the file.
    pub(crate) fn content(&self) -> Option<Vec<u8>> {
        let (path, symbol) = library_and_symbol(self.grammar.as_ref()?);
        let mut content = fs::read(path).unwrap_or_default();
        content.extend(symbol.as_encoded_bytes());
        let file = self
            .language_file
            .as_ref()
            .and_then(|path| fs::read(path).ok());
        content.extend(file.unwrap_or_default());
        Some(content)
    }

    /// Returns what the file says about the language of a library.
    fn described(&self, library: &Path) -> Result<OwnLanguage, CliError> {
        let file = match &self.language_file {
            Some(path) => read_description(path)?,
            None => LanguageFile::default(),
        };
        let folder = self.language_file.as_deref().and_then(Path::parent);
        let read = |path: &PathBuf| {
            let path = folder.unwrap_or(Path::new("")).join(path);
            fs::read_to_string(&path).map_err(|error| CliError::unreadable(&path, error))
        };
        let short = short_name(library);
        let rules: Result<Vec<_>, _> = file.rules.iter().map(read).collect();
        Ok(OwnLanguage {
            name: file.name.unwrap_or_else(|| short.clone()),
            extensions: match file.extensions.is_empty() && file.file_names.is_empty() {
                true => vec![short],
                false => file.extensions,
            },
            file_names: file.file_names,
            node_types: file
                .node_types
                .as_ref()
                .map(read)
                .transpose()?
                .unwrap_or_default(),
            rules: rules?,
            has_statements: file.statements,
            ignores_case: file.ignores_case,
            is_indented: file.indented,
            has_bare_statements: file.bare_statements,
            is_always_parsed: file.always_parsed,
            stub: file.stub,
            includes: file.includes,
        })
    }

    /// Reads the input with the grammar in a process of its own, which may crash.
    fn check(&self, library: &Path, input: &Path) -> Result<(), CliError> {
        let program = std::env::current_exe().map_err(|error| {
            let what = "failed to find the program of boildown";
            CliError::new(ExitKind::CannotRun, what).because(error)
        })?;
        let mut args: Vec<OsString> = vec!["languages".into(), "--grammar".into()];
        args.extend(self.grammar.iter().map(|path| path.into()));
        if let Some(file) = &self.language_file {
            args.extend(["--language-file".into(), file.into()]);
        }
        args.extend(["--check".into(), input.into()]);
        let here = std::env::current_dir().unwrap_or_default();
        let interrupt = Interrupt::new()?;
        let run = run_program(program.into(), args, &here, CHECK_TIMEOUT, &interrupt)?;
        let what = format!("the grammar {} is of no use here", library.escaped());
        let hint = "`boildown languages --grammar PATH --check FILE` tries it on a file";
        match run.outcome {
            Outcome::Exited(0) => Ok(()),
            Outcome::Exited(_) => {
                let message = String::from_utf8_lossy(&run.stderr);
                let message = message.trim().trim_start_matches("error: ").to_owned();
                Err(CliError::usage(message))
            }
            Outcome::TimedOut => {
                let seconds = CHECK_TIMEOUT.as_secs();
                let why = format!("it took more than {seconds} s to parse {}", input.escaped());
                Err(CliError::usage(what).because(why).hint(hint))
            }
            outcome => {
                let why = match outcome {
                    Outcome::Signalled(_) => {
                        format!("parsing {} with it was {outcome}", input.escaped())
                    }
                    _ => format!("parsing {} with it {outcome}", input.escaped()),
                };
                Err(CliError::usage(what).because(why).hint(hint))
            }
        }
    }
}

fn read_description(path: &Path) -> Result<LanguageFile, CliError> {
    let text = fs::read_to_string(path).map_err(|error| CliError::unreadable(path, error))?;
    toml::from_str(&text).map_err(|error| CliError::unreadable(path, error))
}

/// Divides `PATH:SYMBOL`; without a symbol, it is made of the name of the file.
fn library_and_symbol(stated: &Path) -> (PathBuf, OsString) {
    let text = stated.to_string_lossy();
    if let Some((path, symbol)) = text.rsplit_once(':')
        && !stated.exists()
        && !symbol.contains(std::path::MAIN_SEPARATOR)
    {
        return (path.into(), symbol.into());
    }
    let symbol = format!("tree_sitter_{}", short_name(stated).replace('-', "_"));
    (stated.to_owned(), symbol.into())
}

/// Returns the name of a language by that of its library: `dot` of `libtree-sitter-dot.so.0`.
fn short_name(library: &Path) -> String {
    let name = library.file_name().unwrap_or_default().to_string_lossy();
    let name = name.split('.').next().unwrap_or_default();
    let name = name.strip_prefix("lib").unwrap_or(name);
    let name = name.strip_prefix("tree-sitter-").unwrap_or(name);
    name.strip_prefix("tree_sitter_").unwrap_or(name).to_owned()
}

/// Returns the grammar in a library, which stays loaded until the program ends.
fn grammar(path: &Path, symbol: &OsString) -> Result<LanguageFn, CliError> {
    let what = format!("failed to load the grammar {}", path.escaped());
    if !path.is_file() {
        return Err(CliError::usage(what).because("there is no such file"));
    }
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    // SAFETY: the library is code that the user names, as they name the command to run. What it
    // does when it is loaded is up to it.
    let library = unsafe { Library::new(&absolute) };
    let library = library.map_err(|error| {
        CliError::usage(what.clone())
            .because(error)
            .hint("it has to be a shared library: `tree-sitter build` makes one")
    })?;
    let library = Box::leak(Box::new(library));
    // SAFETY: functions with names of this form are those of grammars that tree-sitter generates.
    // The check in a process of its own has called it.
    let function =
        unsafe { library.get::<unsafe extern "C" fn() -> *const ()>(symbol.as_encoded_bytes()) };
    let function = function.map_err(|_| {
        let symbol = symbol.to_string_lossy();
        CliError::usage(what)
            .because(format!("it has no function `{symbol}`"))
            .hint(format!(
                "name the function: --grammar {}:SYMBOL",
                path.escaped()
            ))
    })?;
    // SAFETY: see above; the function is valid as long as the library, which is never unloaded.
    Ok(unsafe { LanguageFn::from_raw(*function) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_is_named_after_the_file_or_stated() {
        let of = |stated: &str| {
            let (path, symbol) = library_and_symbol(Path::new(stated));
            (
                path.display().to_string(),
                symbol.to_string_lossy().into_owned(),
            )
        };
        let pair = |path: &str, symbol: &str| (path.to_owned(), symbol.to_owned());
        assert_eq!(of("a/dot.so"), pair("a/dot.so", "tree_sitter_dot"));
        assert_eq!(
            of("libtree-sitter-c-sharp.so.0"),
            pair("libtree-sitter-c-sharp.so.0", "tree_sitter_c_sharp")
        );
        assert_eq!(
            of("x.so:tree_sitter_lark"),
            pair("x.so", "tree_sitter_lark")
        );
    }

    #[test]
    fn an_unknown_key_of_a_language_file_is_an_error() {
        let error = toml::from_str::<LanguageFile>("nmae = 'a'\n").expect_err("no such key");
        assert!(
            error.to_string().contains("unknown field `nmae`"),
            "{error}"
        );
    }
}
