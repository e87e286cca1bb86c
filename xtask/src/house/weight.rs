//! The weight of the source tree: lines with code by crate and by format, the variants of the enums
//! that passes and views share, and the places where shared code compares the name of a language.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use quote::ToTokens as _;
use syn::Item;

use crate::house::modules::attributes;
use crate::house::source::{RustFile, is_for_tests};

/// The folder of the formats.
const FORMATS: &str = "crates/boildown-formats/src";

/// The crates that know no language or format by name, but for the table of languages.
const SHARED: [&str; 2] = ["crates/boildown-document/src", "crates/boildown-reduce/src"];

/// The table of languages.
const LANGUAGES: &str = "crates/boildown-document/src/languages";

/// Counts the lines with code by crate below a folder of crates, largest first.
pub fn by_crate(files: &[RustFile], root: &str) -> Vec<(String, usize)> {
    by_folder(files, Path::new(root))
}

/// Counts the lines with code by format, largest first.
pub fn by_format(files: &[RustFile]) -> Vec<(String, usize)> {
    by_folder(files, Path::new(FORMATS))
}

/// Counts the lines with code below each folder of this one: blank lines, comments, and what is for
/// tests are left out.
fn by_folder(files: &[RustFile], folder: &Path) -> Vec<(String, usize)> {
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        let Ok(inside) = file.path.strip_prefix(folder) else {
            continue;
        };
        if is_of_tests(inside) {
            continue;
        }
        let mut parts = inside.iter();
        let (Some(name), Some(_)) = (parts.next(), parts.next()) else {
            continue;
        };
        let name = name.to_string_lossy();
        *lines.entry(name.into_owned()).or_default() += source_lines(file);
    }
    let mut lines: Vec<_> = lines.into_iter().collect();
    lines.sort_by_key(|(name, lines)| (std::cmp::Reverse(*lines), name.clone()));
    lines
}

fn is_of_tests(path: &Path) -> bool {
    let is_folder = |name: &std::ffi::OsStr| {
        ["tests", "testing", "benches"]
            .iter()
            .any(|tests| name == *tests)
    };
    path.iter().any(is_folder)
        || path.file_name().is_some_and(|name| {
            let name = name.to_string_lossy();
            matches!(&*name, "tests.rs" | "testing.rs") || name.ends_with("_tests.rs")
        })
}

/// Returns the places outside of formats and of the table of languages where the name of a language
/// is compared with a text, as `file:line`.
pub fn compared_names(files: &[RustFile]) -> Vec<String> {
    let is_shared = |file: &&RustFile| {
        SHARED.iter().any(|folder| file.path.starts_with(folder))
            && !file.path.starts_with(LANGUAGES)
            && !is_of_tests(&file.path)
    };
    files
        .iter()
        .filter(is_shared)
        .flat_map(compared_names_of)
        .collect()
}

fn compared_names_of(file: &RustFile) -> Vec<String> {
    let mut code = BTreeSet::new();
    collect_lines(file, &file.syntax.items, &mut code);
    let compares = |line: &str| {
        let compared = ["== \"", "!= \"", "\" =="];
        let is_compared =
            line.contains(".name ") && compared.iter().any(|sign| line.contains(sign));
        is_compared
            || line.contains("match language.name")
            || line.contains("matches!(language.name")
    };
    let lines = file.text.lines().enumerate();
    let found = lines.filter(|(line, text)| code.contains(&(line + 1)) && compares(text));
    found
        .map(|(line, _)| format!("{}:{}", file.path.display(), line + 1))
        .collect()
}

/// Returns the number of variants of each of these enums of a crate.
pub fn variants(files: &[RustFile], names: &[&str]) -> Vec<(String, usize)> {
    let items = files.iter().flat_map(|file| &file.syntax.items);
    let enums = items.filter_map(|item| match item {
        Item::Enum(item) => Some((item.ident.to_string(), item.variants.len())),
        _ => None,
    });
    enums
        .filter(|(name, _)| names.contains(&name.as_str()))
        .collect()
}

fn source_lines(file: &RustFile) -> usize {
    let mut lines = BTreeSet::new();
    collect_lines(file, &file.syntax.items, &mut lines);
    lines.len()
}

fn collect_lines(file: &RustFile, items: &[Item], lines: &mut BTreeSet<usize>) {
    for item in items {
        if !is_for_tests(attributes(item)) {
            lines.extend(file.lines_of(item.to_token_stream()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::source::parse_example;

    #[test]
    fn lines_for_tests_and_comments_are_no_source_lines() {
        let path = "crates/a/src/lib.rs";
        let text = "//! A.\n\n/// B.\nfn b() {\n    c();\n}\n\n#[cfg(test)]\nmod tests {\n    fn d() {}\n}\n";
        let files = [parse_example(path, text)];
        assert_eq!(by_crate(&files, "crates"), [("a".to_owned(), 3)]);
    }

    #[test]
    fn names_of_languages_are_compared_in_formats_only() {
        let text = "fn a(language: &L) -> bool {\n    language.name == \"C\"\n}\n";
        let shared = parse_example("crates/boildown-reduce/src/a.rs", text);
        let format = parse_example("crates/boildown-formats/src/c/mod.rs", text);
        let found = compared_names(&[shared, format]);
        assert_eq!(found, ["crates/boildown-reduce/src/a.rs:2"]);
    }
}
