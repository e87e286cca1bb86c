//! Compilers whose stages are known, and those in a command.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::LazyLock;

use boildown_oracle::shell::quote;
use serde::Deserialize;

use super::search::{Narrower, Stage};
use crate::valid::FindProgram;

/// The file `compilers.toml`, which also says what each field means.
#[derive(Deserialize)]
struct KnownCompilers {
    compiler: Vec<KnownCompiler>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct KnownCompiler {
    programs: Vec<String>,
    makes: Vec<String>,
    makes_with_value: Vec<String>,
    of_source: Vec<String>,
    stage: Vec<KnownStage>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct KnownStage {
    name: String,
    reads: Vec<String>,
    writes: Option<String>,
    unless: Vec<String>,
    line: String,
    narrower: Vec<Narrower>,
}

static COMPILERS: LazyLock<Vec<KnownCompiler>> = LazyLock::new(|| {
    let known: KnownCompilers =
        toml::from_str(include_str!("compilers.toml")).expect("every field has its type");
    known.compiler
});

/// The names of the compilers, for messages.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let programs = COMPILERS.iter().flat_map(|compiler| &compiler.programs);
    programs.map(String::as_str)
}

/// A compiler in a command.
pub(super) struct CompilerCommand<'a> {
    compiler: &'static KnownCompiler,
    words: Vec<&'a str>,
    /// The place of the compiler among the words.
    place: usize,
    input: &'a Path,
}

impl<'a> CompilerCommand<'a> {
    /// Finds a known compiler among the words of a command.
    pub(super) fn find(
        words: impl IntoIterator<Item = &'a OsStr>,
        input: &'a Path,
    ) -> Option<Self> {
        let words: Option<Vec<&str>> = words.into_iter().map(OsStr::to_str).collect();
        let words = words?;
        let found = words.iter().enumerate().find_map(|(place, word)| {
            let name = bare_name(Path::new(word).file_name()?.to_str()?);
            let is_called = |it: &&KnownCompiler| it.programs.iter().any(|known| known == name);
            Some((place, COMPILERS.iter().find(is_called)?))
        });
        let (place, compiler) = found?;
        Some(Self {
            compiler,
            words,
            place,
            input,
        })
    }

    /// Returns the stages that the command runs.
    pub(super) fn stages(&self, installed: &dyn FindProgram) -> Vec<Stage> {
        let mut ending = self.ending();
        let mut stages = Vec::new();
        for stage in &self.compiler.stage {
            let stops = (self.words.iter()).any(|word| stage.unless.iter().any(|it| it == word));
            if stops || !stage.reads.contains(&ending) {
                continue;
            }
            let line = |text: &String| self.line(text, installed);
            let Some(whole) = line(&stage.line) else {
                continue;
            };
            let narrower = stage.narrower.iter().filter_map(|narrower| {
                Some(Narrower {
                    line: line(&narrower.line)?,
                    passes: match &narrower.passes {
                        Some(passes) => Some(line(passes)?),
                        None => None,
                    },
                    says: narrower.says.clone(),
                })
            });
            stages.push(Stage {
                name: stage.name.clone(),
                line: whole,
                output: stage.writes.clone(),
                narrower: narrower.collect(),
            });
            if let Some(writes) = &stage.writes {
                ending.clone_from(writes);
            }
        }
        stages
    }

    /// Returns the ending of the input, or the language that an option states.
    fn ending(&self) -> String {
        let stated = self.words.windows(2).find_map(|pair| {
            let is_stated = self.compiler.of_source.iter().any(|it| it == pair[0]);
            is_stated.then(|| pair[1].to_owned())
        });
        let ending = || self.input.extension()?.to_str();
        stated.unwrap_or_else(|| ending().unwrap_or_default().to_owned())
    }

    /// Returns a line with everything filled in that does not depend on a run; `None` if a program
    /// is not installed.
    fn line(&self, text: &str, installed: &dyn FindProgram) -> Option<String> {
        let level = self
            .words
            .iter()
            .rev()
            .find_map(|word| word.strip_prefix("-O"));
        let (level, number) = match level {
            None => ("O0", "0"),
            Some("" | "1" | "g") => ("O1", "1"),
            Some("s") => ("Os", "2"),
            Some("z") => ("Oz", "2"),
            Some("0") => ("O0", "0"),
            Some("2") => ("O2", "2"),
            Some(_) => ("O3", "3"),
        };
        let mut line = text
            .replace("{source}", &self.command(&[]))
            .replace("{command}", &self.command(&self.compiler.of_source))
            .replace("{level}", level)
            .replace("{number}", number);
        for program in ["opt", "llc"] {
            let placeholder = format!("{{{program}}}");
            if line.contains(&placeholder) {
                line = line.replace(&placeholder, &installed.find(program)?);
            }
        }
        Some(line)
    }

    fn is_input(&self, word: &str) -> bool {
        word == "{}" || Path::new(word) == self.input
    }

    /// Returns the words without the input, what they say about the output, and these options,
    /// which have a value.
    fn command(&self, without: &[String]) -> String {
        let compiler = self.compiler;
        let mut kept: Vec<&str> = self.words[..=self.place].to_vec();
        let mut words = self.words[self.place + 1..].iter().copied();
        while let Some(word) = words.next() {
            let with_value = (compiler.makes_with_value.iter())
                .chain(without)
                .find(|option| {
                    let value = word.strip_prefix(option.as_str());
                    value.is_some_and(|value| value.is_empty() || value.starts_with('='))
                });
            if with_value.is_some_and(|option| option == word) {
                words.next();
            }
            let is_made = compiler.makes.iter().any(|option| option == word);
            if with_value.is_none() && !is_made && !self.is_input(word) {
                kept.push(word);
            }
        }
        kept.iter().map(quote).collect::<Vec<_>>().join(" ")
    }
}

/// Returns the name of a program without the version after it and the target before it, such as
/// `clang` of `clang-16` and `gcc` of `x86_64-linux-gnu-gcc`.
fn bare_name(name: &str) -> &str {
    let is_version = |end: &str| end.starts_with(|letter: char| letter.is_ascii_digit());
    let mut parts = name.rsplit('-').skip_while(|part| is_version(part));
    parts.next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Everything;

    impl FindProgram for Everything {
        fn find(&self, name: &str) -> Option<String> {
            Some(format!("{name}-16"))
        }
    }

    /// Returns the names of the stages of a command, and the line of each.
    fn stages(command: &str, input: &str) -> Vec<(String, String)> {
        let words = command.split(' ').map(OsStr::new);
        let command = CompilerCommand::find(words, Path::new(input)).unwrap();
        let stages = command.stages(&Everything).into_iter();
        stages.map(|stage| (stage.name, stage.line)).collect()
    }

    #[test]
    fn a_compiler_is_found_after_other_words_and_with_a_version() {
        let names = |command, input| -> Vec<String> {
            stages(command, input)
                .into_iter()
                .map(|(name, _)| name)
                .collect()
        };
        assert_eq!(
            names("timeout 5 /usr/bin/clang++-16 -c a.cc", "a.cc"),
            [
                "preprocessor",
                "front end",
                "optimizer",
                "code generator",
                "assembler"
            ]
        );
        assert_eq!(names("clang -fsyntax-only a.ii", "a.ii"), ["front end"]);
        assert_eq!(names("gcc -S a.c", "a.c"), ["preprocessor", "compiler"]);
        assert_eq!(
            names("arm-none-eabi-gcc-12 a.c", "a.c").last().unwrap(),
            "linker"
        );
        assert_eq!(names("rustc a.rs", "a.rs").first().unwrap(), "analysis");
        assert!(CompilerCommand::find([OsStr::new("cat")], Path::new("a.c")).is_none());
    }

    #[test]
    fn a_stage_has_the_options_that_say_nothing_about_the_output() {
        let stages = stages("clang -x c++ -O2 -c {} -o a.o -MF x.d -DX", "a.c");
        assert_eq!(stages[0].1, "clang -x c++ -O2 -DX -E {in} -o {out}");
        assert!(stages[1].1.starts_with("clang -O2 -DX "), "{stages:?}");
    }
}
