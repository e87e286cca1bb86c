//! Detection of the language of a file.

use super::Language;
use super::table::LANGUAGES;

/// A file has the guessed language only if it has at most one syntax error in this many bytes.
const BYTES_FOR_AN_ERROR: usize = 1000;

impl Language {
    /// Returns every language of this build, sorted by name. Those that were
    /// [added](Self::add) are not among them.
    #[must_use]
    pub fn all() -> &'static [Self] {
        LANGUAGES
    }

    /// Returns the language with this name or alias, in any mix of upper and lower case.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::every().find(|language| {
            language.name.eq_ignore_ascii_case(name)
                || contains_ignoring_case(language.aliases, name)
        })
    }

    /// Returns the language that a file is most likely written in.
    ///
    /// The first of these that is known decides: the whole file name, the extension as it is spelt,
    /// the extension in any mix of upper and lower case, the program in a `#!` line. So `a.c` is C
    /// and `a.C` is C++, but `a.PY` is Python like `a.py`.
    ///
    /// `head` is the start of the file; its first line is enough. Directories in front of the file
    /// name are ignored.
    #[must_use]
    pub fn detect(file_name: &str, head: &[u8]) -> Option<&'static Self> {
        let file_name = file_name.rsplit(['/', '\\']).next().unwrap_or(file_name);
        Self::with_file_name(file_name)
            .or_else(|| Self::with_extension(file_name.rsplit_once('.')?.1))
            .or_else(|| Self::with_interpreter(interpreter(head)?))
    }

    /// Returns the language of a text that can be recognised by its first bracket: JSON, XML, or
    /// S-expressions (WebAssembly's text format, SMT-LIB).
    ///
    /// # Cost
    /// Reads at most 1 MiB, with at most one grammar.
    #[must_use]
    pub fn guess(bytes: &[u8]) -> Option<&'static Self> {
        let head = &bytes[..bytes.len().min(1 << 20)];
        let comment = |line: &&[u8]| line.trim_ascii().first().is_none_or(|&byte| byte == b';');
        let first = head
            .split(|&byte| byte == b'\n')
            .find(|line| !comment(line))?;
        let first = first.trim_ascii_start();
        let language = Self::named(match first.first()? {
            b'(' if is_smt_command(&first[1..]) => "SMT-LIB",
            b'(' => "S-expressions",
            b'{' | b'[' => "JSON",
            b'<' => "XML",
            _ => return None,
        })?;
        let parses = language.errors(head) <= head.len() / BYTES_FOR_AN_ERROR;
        // Their grammar also accepts words and numbers around any brackets.
        let has_lists = matches!(language.name, "S-expressions" | "SMT-LIB");
        let is_that = !has_lists || language.begins_with_lists(head);
        (parses && is_that).then_some(language)
    }

    fn with_file_name(file_name: &str) -> Option<&'static Self> {
        Self::every().find(|language| language.file_names.contains(&file_name))
    }

    fn with_extension(extension: &str) -> Option<&'static Self> {
        let as_spelt = || Self::every().find(|language| language.extensions.contains(&extension));
        let in_any_case = || {
            Self::every().find(|language| contains_ignoring_case(language.extensions, extension))
        };
        as_spelt().or_else(in_any_case)
    }

    fn with_interpreter(program: &str) -> Option<&'static Self> {
        let program =
            program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        Self::every().find(|language| language.interpreters.contains(&program))
    }

    /// Returns the languages that were added, then those of this build.
    fn every() -> impl Iterator<Item = &'static Self> {
        super::own::added().into_iter().chain(Self::all())
    }
}

fn contains_ignoring_case(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Returns the program in the `#!` line of a file, without its directory.
///
/// For `#!/usr/bin/env -S VAR=1 python3 -u` that is `python3`.
fn interpreter(head: &[u8]) -> Option<&str> {
    let line = head
        .strip_prefix(b"#!")?
        .split(|&byte| byte == b'\n')
        .next()?;
    let mut words = str::from_utf8(line)
        .ok()?
        .split_ascii_whitespace()
        .map(base_name);
    match words.next()? {
        "env" => words.find(|word| !word.starts_with('-') && !word.contains('=')),
        program => Some(program),
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns whether a list that begins so is a command for a solver.
fn is_smt_command(text: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 5] = [
        b"set-",
        b"declare-",
        b"define-fun",
        b"assert ",
        b"check-sat",
    ];
    BEGINNINGS
        .iter()
        .any(|beginning| text.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tree_sitter::{Node, Parser};

    use super::*;
    use crate::languages::samples;

    /// Checks the name of the detected language; "none" if there should be none.
    #[track_caller]
    fn check_detect(file_name: &str, head: &str, want: &str) {
        let found =
            Language::detect(file_name, head.as_bytes()).map_or("none", |language| language.name);
        assert_eq!(found, want, "{file_name:?} starting with {head:?}");
    }

    #[cfg(feature = "all-languages")]
    #[track_caller]
    fn check_named(name: &str, want: &str) {
        assert_eq!(
            Language::named(name).map(|language| language.name),
            Some(want),
            "{name:?}"
        );
    }

    fn parser(language: &Language) -> Parser {
        let mut parser = Parser::new();
        parser
            .set_language(&language.grammar())
            .unwrap_or_else(|error| panic!("{}: {error}", language.name));
        parser
    }

    fn first_error(node: Node<'_>) -> Option<Node<'_>> {
        if node.is_error() || node.is_missing() {
            return Some(node);
        }
        let mut cursor = node.walk();
        node.children(&mut cursor)
            .filter(Node::has_error)
            .find_map(first_error)
    }

    #[test]
    fn every_grammar_loads() {
        for language in Language::all() {
            parser(language);
        }
    }

    #[test]
    fn every_language_parses_its_sample() {
        let mut failures = Vec::new();
        for language in Language::all() {
            let text = samples::sample(language.name);
            let tree = parser(language)
                .parse(text, None)
                .expect("no timeout was set");
            if let Some(error) = first_error(tree.root_node()) {
                failures.push(format!(
                    "{}: {error:?} in {}",
                    language.name,
                    tree.root_node().to_sexp()
                ));
            }
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }

    #[cfg(feature = "all-languages")]
    #[test]
    fn every_sample_has_a_language() {
        assert_eq!(samples::all().count(), Language::all().len());
    }

    #[test]
    fn every_language_is_detected_by_each_of_its_marks() {
        for language in Language::all() {
            for extension in language.extensions {
                check_detect(&format!("file.{extension}"), "", language.name);
            }
            for file_name in language.file_names {
                check_detect(file_name, "", language.name);
            }
            for interpreter in language.interpreters {
                check_detect(
                    "file",
                    &format!("#!/usr/bin/{interpreter}\n"),
                    language.name,
                );
            }
            let marks = language.extensions.len() + language.file_names.len();
            assert!(marks > 0, "{} is never detected", language.name);
        }
    }

    #[test]
    fn no_two_languages_share_a_name_or_an_extension() {
        let mut owners = BTreeMap::new();
        for language in Language::all() {
            let extensions = language
                .extensions
                .iter()
                .map(|mark| ("extension", (*mark).to_owned()));
            let file_names = language
                .file_names
                .iter()
                .map(|mark| ("file name", (*mark).to_owned()));
            let interpreters = language
                .interpreters
                .iter()
                .map(|mark| ("interpreter", (*mark).to_owned()));
            let names = language.aliases.iter().chain([&language.name]);
            let names = names.map(|mark| ("name", mark.to_ascii_lowercase()));
            for mark in extensions
                .chain(file_names)
                .chain(interpreters)
                .chain(names)
            {
                let other = owners.insert(mark.clone(), language.name);
                assert_eq!(other, None, "{} also claims {mark:?}", language.name);
            }
        }
    }

    #[test]
    fn languages_are_listed_by_name() {
        let names: Vec<_> = Language::all()
            .iter()
            .map(|l| l.name.to_ascii_lowercase())
            .collect();
        assert!(names.is_sorted(), "{names:?}");
    }

    #[test]
    fn node_types_are_json() {
        for language in Language::all() {
            if language.node_types.is_empty() {
                continue;
            }
            let types: Vec<serde_json::Value> = serde_json::from_str(language.node_types)
                .unwrap_or_else(|error| panic!("{}: {error}", language.name));
            let named = types.iter().filter(|one| one["type"].is_string());
            assert!(named.count() > 5, "{}", language.name);
        }
    }

    #[cfg(feature = "all-languages")]
    #[test]
    fn a_language_is_found_by_its_aliases_in_any_case() {
        check_named("c", "C");
        check_named("C++", "C++");
        check_named("cpp", "C++");
        check_named("CPP", "C++");
        check_named("js", "JavaScript");
        check_named("javascript", "JavaScript");
        check_named("py", "Python");
        check_named("rs", "Rust");
        assert!(Language::named("").is_none());
        assert!(Language::named("klingon").is_none());
    }

    #[cfg(feature = "all-languages")]
    #[test]
    fn an_extension_is_looked_up_as_spelt_first() {
        check_detect("a.c", "", "C");
        check_detect("a.C", "", "C++");
        check_detect("a.h", "", "C");
        check_detect("a.H", "", "C++");
        check_detect("A.CPP", "", "C++");
        check_detect("A.PY", "", "Python");
    }

    #[cfg(feature = "all-languages")]
    #[test]
    fn preprocessed_files_and_headers_are_detected() {
        check_detect("a.i", "", "C");
        check_detect("a.ii", "", "C++");
        check_detect("a.ipp", "", "C++");
        check_detect("a.hh", "", "C++");
    }

    #[cfg(feature = "all-languages")]
    #[test]
    fn the_file_name_decides_before_the_extension() {
        check_detect("CMakeLists.txt", "", "CMake");
        check_detect("notes.txt", "", "none");
        check_detect("Cargo.lock", "", "TOML");
        check_detect("src/Makefile", "", "Make");
        check_detect("src\\Makefile", "", "Make");
    }

    #[cfg(feature = "all-languages")]
    #[test]
    fn the_extension_decides_before_the_interpreter() {
        check_detect("a.py", "#!/bin/sh\n", "Python");
        check_detect("a.unknown", "#!/bin/sh\n", "Bash");
    }

    #[cfg(feature = "all-languages")]
    #[test]
    fn a_language_is_guessed_from_the_first_bracket() {
        let guess = |text: &str| Language::guess(text.as_bytes()).map(|language| language.name);
        for (text, language) in [
            (";; TOOL: run\n\n(module (memory 1))", "S-expressions"),
            ("(define (problem p))\n", "S-expressions"),
            ("(assert (= a b))\n", "SMT-LIB"),
            ("(set-logic QF_BV)\n(declare-fun a () Int)\n", "SMT-LIB"),
            ("{\"a\": [1]}", "JSON"),
            ("\n<a>b</a>", "XML"),
        ] {
            assert_eq!(guess(text), Some(language), "{text}");
        }
        assert_eq!(guess("(one of a kind"), None, "it does not parse");
        assert_eq!(guess("{ f(); }"), None, "it does not parse");
        assert_eq!(guess("a (b)"), None);
        assert_eq!(guess("(1 + 2) * 3"), None);
        assert_eq!(guess("(c) all rights"), None);
        assert_eq!(guess("(gdb) print (a)"), None);
        assert_eq!(guess(""), None);
    }

    #[cfg(feature = "all-languages")]
    #[test]
    fn the_interpreter_is_read_from_the_first_line() {
        check_detect("run", "#!/usr/bin/python3.12\nimport os", "Python");
        check_detect("run", "#! /bin/sh -e\n", "Bash");
        check_detect("run", "#!/usr/bin/env node", "JavaScript");
        check_detect("run", "#!/usr/bin/env -S LANG=C python3 -u\r\n", "Python");
        check_detect("run", "#!/usr/bin/env\n", "none");
        check_detect("run", "#!\n/bin/sh\n", "none");
        check_detect("run", "# python\n", "none");
        check_detect("run", "", "none");
    }
}
