//! Names that changes define, and the changes that use them.

use std::collections::{BTreeMap, HashSet};

use boildown_search::Subset;

use crate::names::{MIN_IDENTIFIER_LENGTH, split_words};
use crate::{ChangeTree, ChangesError, Contents};

/// The names that only one of the two states has, with the elements that define and use them.
///
/// A definition is recognised by the words and signs around the name, as they are in most
/// languages: `def total`, `import total`, `#define total`, `total = `, `total() {`. A name for
/// which no changed line looks like a definition is left out.
#[derive(Debug)]
pub struct ChangedDefinitions {
    /// Names of the second state only.
    new: Vec<NameChange>,
    /// Names of the first state only.
    vanished: Vec<NameChange>,
}

/// The elements whose changed lines have a name.
#[derive(Debug, Default)]
struct NameChange {
    definitions: Vec<usize>,
    uses: Vec<usize>,
}

impl ChangedDefinitions {
    /// Reads the definitions of a tree.
    ///
    /// # Errors
    /// [`ChangesError`] when a content cannot be read.
    pub fn read(tree: &ChangeTree, contents: &Contents) -> Result<Self, ChangesError> {
        let mut words: [HashSet<Vec<u8>>; 2] = [HashSet::new(), HashSet::new()];
        for file in tree.files() {
            for (words, side) in words.iter_mut().zip([&file.old, &file.new]) {
                if let Some((_, entry)) = side
                    && entry.kind.is_plain()
                {
                    let text = contents.read(entry.id)?;
                    words.extend(split_words(&text).map(<[u8]>::to_vec));
                }
            }
        }
        let [old_words, new_words] = words;
        let mut names: [BTreeMap<Vec<u8>, NameChange>; 2] = Default::default();
        for file in tree.files() {
            for changed in file.changed_texts(contents)? {
                let [deleted, inserted] = &changed.deleted_and_inserted;
                let [vanished, new] = &mut names;
                note(vanished, deleted, changed.element, &new_words);
                note(new, inserted, changed.element, &old_words);
            }
        }
        let [vanished, new] = names.map(|names| {
            let names = names.into_values();
            names
                .filter(|name| !name.definitions.is_empty() && !name.uses.is_empty())
                .collect()
        });
        Ok(Self { new, vanished })
    }

    /// Returns whether some changes use a new name without a change that defines it, or delete all
    /// definitions of a name and not all uses.
    #[must_use]
    pub fn are_incomplete(&self, elements: &Subset) -> bool {
        let has = |&element: &usize| elements.contains(element);
        let lacks_new =
            |name: &NameChange| name.uses.iter().any(has) && !name.definitions.iter().any(has);
        let lacks_old =
            |name: &NameChange| name.definitions.iter().all(has) && !name.uses.iter().all(has);
        self.new.iter().any(lacks_new) || self.vanished.iter().any(lacks_old)
    }
}

/// Notes the names in a changed text that the other state does not have.
fn note(
    names: &mut BTreeMap<Vec<u8>, NameChange>,
    text: &[u8],
    element: usize,
    other: &HashSet<Vec<u8>>,
) {
    for line in text.split(|byte| *byte == b'\n') {
        for word in split_words(line) {
            let is_name = word.len() >= MIN_IDENTIFIER_LENGTH
                && !word[0].is_ascii_digit()
                && !other.contains(word);
            if !is_name {
                continue;
            }
            let name = names.entry(word.to_vec()).or_default();
            // A text of several lines may define the name and use it.
            if defines(line, word) {
                name.definitions.push(element);
            } else {
                name.uses.push(element);
            }
        }
    }
}

/// Words before a name that it is defined by.
const BEFORE: [&str; 24] = [
    "def",
    "class",
    "fn",
    "func",
    "function",
    "let",
    "const",
    "var",
    "val",
    "struct",
    "enum",
    "trait",
    "interface",
    "type",
    "typedef",
    "define",
    "module",
    "mod",
    "namespace",
    "static",
    "local",
    "sub",
    "as",
    "macro",
];
/// First words of lines that define all names in them.
const IMPORTS: [&str; 7] = [
    "import", "from", "use", "include", "require", "export", "using",
];
/// First words of lines that call what is before a parenthesis.
const CALLS: [&str; 8] = [
    "if", "while", "for", "switch", "return", "else", "elif", "match",
];

/// Returns whether a line looks like a definition of one of its words.
fn defines(line: &[u8], name: &[u8]) -> bool {
    let line = line.trim_ascii();
    let first = split_words(line).next().unwrap_or_default();
    let is_in = |words: &[&str], word: &[u8]| words.iter().any(|it| it.as_bytes() == word);
    if is_in(&IMPORTS, first) {
        return true;
    }
    let Some(start) = line.windows(name.len()).position(|part| part == name) else {
        return false;
    };
    let (before, after) = (
        &line[..start],
        line[start + name.len()..].trim_ascii_start(),
    );
    let word_before = split_words(before).last().unwrap_or_default();
    let is_assigned = (after.starts_with(b"=") && !after.starts_with(b"==")
        || after.starts_with(b":"))
        && !before.contains(&b'(')
        && !before.contains(&b'=');
    let is_function = after.starts_with(b"(") && line.ends_with(b"{") && !is_in(&CALLS, first);
    is_in(&BEFORE, word_before) || is_assigned || is_function
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: bool) {
        assert_eq!(defines(line.as_bytes(), b"total"), expected, "{line}");
    }

    #[test]
    fn definitions_are_recognised_in_many_languages() {
        for line in [
            "def total(prices):",
            "from shop import price, total",
            "use crate::shop::{price, total};",
            "#define total 3",
            "const total = 3;",
            "  total = 3",
            "self.total = 3",
            "total: int = 3",
            "total() {",
            "static int total(int a) {",
        ] {
            check(line, true);
        }
    }

    #[test]
    fn uses_are_no_definitions() {
        for line in [
            "print(total)",
            "x = total + 1",
            "if (total == 3) {",
            "call(total=3)",
            "return total(a)",
            "while total(a) {",
        ] {
            check(line, false);
        }
    }
}
