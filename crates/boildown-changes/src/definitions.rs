//! Names that changes define, and the changes that use them.

use std::collections::{BTreeMap, HashMap, HashSet};

use boildown_search::Subset;

use crate::names::split_words;
use crate::signatures::{FileTexts, SignatureChange};
use crate::{ChangeTree, ChangesError, Contents};

/// The names that only one of the two states has, with the elements that define and use them.
///
/// A definition is recognised by the words and signs around the name, as they are in most
/// languages: `def total`, `import total`, `#define total`, `total = `, `total() {`. A file that
/// only one state has defines its name, and so does the move of a file. A name for which no changed
/// line looks like a definition is left out.
///
/// In a file that defines or imports a name, its uses need one of those lines. Elsewhere they need
/// a definition in another file, and an export if there is one. So do imports.
///
/// A function with another number of parameters needs those changed calls that fit only its new
/// head, and they need it.
///
/// A name that only one text of a function has, which is defined there, counts likewise within the
/// function: other functions may have it too.
#[derive(Debug)]
pub struct ChangedDefinitions {
    /// Names of the second state only.
    new: Vec<NameChange>,
    /// Names of the first state only.
    vanished: Vec<NameChange>,
    /// Functions that both states have, with other parameters.
    signatures: Vec<SignatureChange>,
}

/// What the bad state prints about its failure.
#[derive(Debug, Clone)]
pub struct NamedInFailure<'a> {
    /// The words of the message.
    pub words: &'a HashSet<Vec<u8>>,
    /// The changed files that the output names, by their indices.
    pub files: Vec<usize>,
}

impl NamedInFailure<'_> {
    /// Returns whether the failure may be that definitions of a name are deleted.
    fn has(&self, name: &[u8]) -> bool {
        self.words.contains(name.strip_suffix(BARE).unwrap_or(name))
    }

    /// Returns whether the failure may be that a new name has no definition: it is in a file that
    /// uses the name.
    fn has_use(&self, name: &[u8], change: &NameChange) -> bool {
        let uses = |file: &Mentions| [&file.uses, &file.declared, &file.imports].map(Vec::len);
        let mut files = self.files.iter().filter_map(|file| change.0.get(file));
        self.has(name) && files.any(|file| uses(file) != [0; 3])
    }
}

/// A function that both states have.
#[derive(Debug, Clone)]
pub struct FunctionScope {
    /// The elements that delete lines of it, and those that insert some.
    pub elements: [Vec<usize>; 2],
    /// The words of its text in the first state and in the second one.
    pub words: [HashSet<Vec<u8>>; 2],
}

impl FunctionScope {
    /// Returns the function with these lines in the two states; `None` if one of the two does not
    /// look like a function.
    pub fn of_lines(lines: [&[&[u8]]; 2]) -> Option<Self> {
        let is_function = |lines: &[&[u8]]| lines.first().is_some_and(|it| is_head(it));
        lines.iter().all(|it| is_function(it)).then(|| Self {
            elements: Default::default(),
            words: lines.map(|lines| {
                let words = lines.iter().flat_map(|line| split_words(line));
                words.map(<[u8]>::to_vec).collect()
            }),
        })
    }
}

/// The elements whose changed lines have a name, in each file, given by its index.
#[derive(Debug, Default)]
struct NameChange(BTreeMap<usize, Mentions>);

/// The elements of one file whose changed lines have a name.
#[derive(Debug, Default)]
struct Mentions {
    definitions: Vec<usize>,
    /// Lines that make a name of another file usable in this one, or one of this file in others.
    imports: Vec<usize>,
    exports: Vec<usize>,
    uses: Vec<usize>,
    /// Lines that define the name if no other line does.
    declared: Vec<usize>,
}

/// What a line says about a name in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Definition,
    Import,
    Export,
    /// A line of names: in a list of imports or exports, or in an enumeration.
    Listed,
    /// A name with words after it: a column with its type, or a command with its arguments.
    Declared,
    Use,
}

impl ChangedDefinitions {
    /// Reads the definitions of a tree. Leaves out names that the failure may be about: it may be
    /// that such a name has no definition.
    ///
    /// # Errors
    /// [`ChangesError`] when a content cannot be read.
    pub fn read(
        tree: &ChangeTree,
        contents: &Contents,
        failure: &NamedInFailure<'_>,
        functions: &[FunctionScope],
    ) -> Result<Self, ChangesError> {
        let mut words: [HashSet<Vec<u8>>; 2] = [HashSet::new(), HashSet::new()];
        for file in tree.files() {
            for (words, side) in words.iter_mut().zip([&file.old, &file.new]) {
                if let Some((path, entry)) = side
                    && entry.kind.is_plain()
                {
                    let text = contents.read(entry.id)?;
                    words.extend(split_words(&text).map(<[u8]>::to_vec));
                    words.insert(stem(path).to_vec());
                }
            }
        }
        let [old_words, new_words] = words;
        let mut names: [BTreeMap<Vec<u8>, NameChange>; 2] = Default::default();
        let mut texts: HashMap<usize, [Vec<u8>; 2]> = HashMap::new();
        for (index, file) in tree.files().iter().enumerate() {
            for changed in file.changed_texts(contents)? {
                let [deleted, inserted] = &changed.deleted_and_inserted;
                let [vanished, new] = &mut names;
                note(vanished, deleted, [index, changed.element], &new_words);
                note(new, inserted, [index, changed.element], &old_words);
                texts.insert(changed.element, changed.deleted_and_inserted);
            }
            let paths = [&file.old, &file.new].map(|side| side.as_ref().map(|(path, _)| path));
            let elements = match paths {
                [Some(from), Some(to)] if from == to => continue,
                // The first element of a file that moves is the move.
                [Some(_), Some(_)] => file.elements().start..file.elements().start + 1,
                _ => file.elements(),
            };
            for ((path, names), other) in
                (paths.iter().zip(&mut names)).zip([&new_words, &old_words])
            {
                if let Some(stem) = path.map(|path| stem(path)).filter(|it| is_name(it, other)) {
                    let name = names.entry(stem.to_vec()).or_default();
                    let mentions = name.0.entry(index).or_default();
                    mentions.definitions.extend(elements.clone());
                }
            }
        }
        let [vanished, new] = &mut names;
        vanished.retain(|name, _| !failure.has(name));
        new.retain(|name, change| !failure.has_use(name, change));
        let [mut vanished, mut new]: [Vec<NameChange>; 2] = names.map(|names| {
            let names = names.into_values().map(NameChange::with_definitions);
            names.filter(NameChange::is_defined_and_used).collect()
        });
        for function in functions {
            for (side, all) in [&mut vanished, &mut new].into_iter().enumerate() {
                let mut names: BTreeMap<Vec<u8>, NameChange> = BTreeMap::new();
                for &element in &function.elements[side] {
                    if let Some(texts) = texts.get(&element) {
                        let other = &function.words[1 - side];
                        note(&mut names, &texts[side], [0, element], other);
                    }
                }
                if side == 0 {
                    names.retain(|name, _| !failure.has(name));
                }
                for file in names.values_mut().flat_map(|name| name.0.values_mut()) {
                    file.uses.append(&mut file.declared);
                }
                all.extend(names.into_values().filter(NameChange::is_defined_and_used));
            }
        }
        let mut files = Vec::new();
        for file in tree.files() {
            let old = match &file.old {
                Some((_, entry)) if entry.kind.is_plain() => contents.read(entry.id)?,
                _ => continue,
            };
            files.push((old, file.elements()));
        }
        let files: Vec<FileTexts<'_>> = (files.iter())
            .map(|(old, elements)| FileTexts {
                old,
                elements: (elements.clone())
                    .filter_map(|element| Some((element, texts.get(&element)?)))
                    .collect(),
            })
            .collect();
        let is_left_out = |name: &[u8]| failure.has(name);
        let signatures = SignatureChange::find(&files, &is_head, &is_left_out);
        Ok(Self {
            new,
            vanished,
            signatures,
        })
    }

    /// Returns whether some changes use a new name without a change that defines it, or delete all
    /// definitions of a name and not all uses, or have a call that does not fit the parameters of
    /// its function.
    pub fn are_incomplete(&self, elements: &Subset) -> bool {
        let kept = |element: usize| elements.contains(element);
        let lacks_old = |name: &NameChange| name.lacks_definition(&|element| !kept(element));
        self.new.iter().any(|name| name.lacks_definition(&kept))
            || self.vanished.iter().any(lacks_old)
            || self.signatures.iter().any(|it| it.is_broken(&kept))
    }
}

impl NameChange {
    /// Makes lines of names definitions if there are no others: those of an enumeration, or of the
    /// columns of a table.
    fn with_definitions(mut self) -> Self {
        let is_defined = self.0.values().any(|file| !file.definitions.is_empty());
        for file in self.0.values_mut() {
            let declared = std::mem::take(&mut file.declared);
            if is_defined {
                file.uses.extend(declared);
            } else {
                let listed = file.imports.iter().chain(&file.exports);
                file.definitions.extend(declared.iter().chain(listed));
            }
        }
        self
    }

    fn is_defined_and_used(&self) -> bool {
        let mut files = self.0.values();
        let is_used = |file: &Mentions| {
            !file.uses.is_empty() || !file.imports.is_empty() || !file.exports.is_empty()
        };
        self.0.values().any(is_used) && files.any(|file| !file.definitions.is_empty())
    }

    /// Returns whether some lines with the name are there and its definition is not.
    fn lacks_definition(&self, is_there: &dyn Fn(usize) -> bool) -> bool {
        let any = |elements: &[usize]| elements.iter().any(|&element| is_there(element));
        let is_defined = self.0.values().any(|file| any(&file.definitions));
        let is_exported = self.0.values().all(|file| file.exports.is_empty())
            || self.0.values().any(|file| any(&file.exports));
        self.0.values().any(|file| {
            let is_own = !file.definitions.is_empty() || !file.imports.is_empty();
            let uses_other =
                any(&file.imports) || any(&file.exports) && file.definitions.is_empty();
            let lacks_own = match is_own {
                true => !any(&file.definitions) && !any(&file.imports),
                false => !is_defined || !is_exported,
            };
            uses_other && !is_defined
                || any(&file.uses) && lacks_own
                || any(&file.exports) && !file.definitions.is_empty() && !any(&file.definitions)
        })
    }
}

/// Returns the name of a file without its directories and its extension.
fn stem(path: &[u8]) -> &[u8] {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    split_words(name).next().unwrap_or_default()
}

/// Returns whether a word may be an identifier that the other state does not have.
fn is_name(word: &[u8], other: &HashSet<Vec<u8>>) -> bool {
    word.len() >= MIN_NAME_LENGTH && !word[0].is_ascii_digit() && !other.contains(word)
}

/// Shortest name that is looked for, in bytes. A definition is needed as well, so that it may be
/// shorter than a word without one.
const MIN_NAME_LENGTH: usize = 2;

/// Number of words after a name in its declaration.
const MAX_WORDS: usize = 4;

/// Notes the names in a changed text that the other state does not have.
fn note(
    names: &mut BTreeMap<Vec<u8>, NameChange>,
    text: &[u8],
    [file, element]: [usize; 2],
    other: &HashSet<Vec<u8>>,
) {
    let lines = text.split(|byte| *byte == b'\n');
    for line in lines.filter(|line| !is_comment(line)) {
        for word in split_words(line).filter(|word| is_name(word, other)) {
            note_bare(names, line, word, [file, element]);
            let name = names.entry(word.to_vec()).or_default();
            let mentions = name.0.entry(file).or_default();
            // A text of several lines may define the name and use it.
            match role(line, word) {
                Role::Definition => mentions.definitions.push(element),
                Role::Import => mentions.imports.push(element),
                Role::Export => mentions.exports.push(element),
                Role::Listed => {
                    mentions.imports.push(element);
                    mentions.exports.push(element);
                }
                Role::Declared => mentions.declared.push(element),
                Role::Use => mentions.uses.push(element),
            }
        }
    }
}

/// What follows a name that is no attribute, among the names of a change.
const BARE: &[u8] = b"\0";

/// Notes a name that a line uses or defines as a variable, not as an attribute of another one:
/// `self.total = total` defines the attribute, and uses the variable.
fn note_bare(
    names: &mut BTreeMap<Vec<u8>, NameChange>,
    line: &[u8],
    word: &[u8],
    [file, element]: [usize; 2],
) {
    let at = word.as_ptr() as usize - line.as_ptr() as usize;
    if line[..at].ends_with(b".") {
        return;
    }
    let first = split_words(line).find(|it| *it == word);
    let first = first.map_or(at, |first| first.as_ptr() as usize - line.as_ptr() as usize);
    let follows_attribute = first < at && line[..first].ends_with(b".");
    let role = role(line, word);
    if !follows_attribute && role != Role::Definition {
        return;
    }
    let name = names.entry([word, BARE].concat()).or_default();
    let mentions = name.0.entry(file).or_default();
    match follows_attribute {
        true => mentions.uses.push(element),
        false => mentions.definitions.push(element),
    }
}

fn is_comment(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let directives: [&[u8]; 4] = [b"#define", b"#include", b"#import", b"#undef"];
    let starts: [&[u8]; 5] = [b"#", b"//", b"/*", b"*", b"--"];
    starts.iter().any(|start| line.starts_with(start))
        && !directives.iter().any(|start| line.starts_with(start))
}

/// Words before a name that it is defined by.
#[rustfmt::skip]
const BEFORE: [&str; 28] = [
    "def", "class", "fn", "func", "function", "let", "const", "var", "val", "struct", "enum",
    "trait", "interface", "type", "typedef", "define", "module", "mod", "namespace", "static",
    "local", "sub", "as", "macro", "table", "TABLE", "column", "COLUMN",
];
/// First words of lines that import all names in them.
const IMPORTS: [&str; 6] = ["import", "from", "use", "include", "require", "using"];
/// First words of lines that call what is before a parenthesis.
const CALLS: [&str; 14] = [
    "if", "while", "for", "switch", "return", "else", "elif", "match", "catch", "foreach",
    "unless", "until", "elsif", "with",
];
/// Words before the parameters of a function, or before its name.
const FUNCTIONS: [&str; 6] = ["def", "fn", "func", "function", "fun", "sub"];
/// First words of lines that use the name after them.
const STATEMENTS: [&str; 12] = [
    "return", "throw", "goto", "delete", "yield", "await", "raise", "print", "echo", "case", "new",
    "del",
];

fn is_in(words: &[&str], word: &[u8]) -> bool {
    words.iter().any(|it| it.as_bytes() == word)
}

fn has(line: &[u8], part: &[u8]) -> bool {
    line.windows(part.len()).any(|it| it == part)
}

/// Returns whether a line is the head of a function with its parameters.
fn is_head(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let before = line.split(|byte| *byte == b'(').next().unwrap_or_default();
    let first = split_words(line).next().unwrap_or_default();
    let is_named = split_words(line).any(|word| is_in(&FUNCTIONS, word));
    let has_body = line.ends_with(b"{") && before.len() < line.len();
    is_named || has_body && !before.contains(&b'=') && !is_in(&CALLS, first)
}

/// Returns the part of a line before its sign for an assignment; `None` when it has none.
fn assigned(line: &[u8]) -> Option<&[u8]> {
    let mut around = line.windows(2).enumerate();
    let (at, _) = around.find(|(at, pair)| {
        let before = at.checked_sub(1).map_or(b' ', |before| line[before]);
        pair[0] == b'=' && !b"=>~".contains(&pair[1]) && !b"=!<>+-*/%&|^".contains(&before)
    })?;
    Some(&line[..at])
}

/// Returns whether a line assigns to a name in it, or binds it as a parameter or in a loop.
fn is_bound(line: &[u8], [before, after]: [&[u8]; 2], first: &[u8]) -> bool {
    let is_open = |text: &[u8]| text.contains(&b'(');
    let ends = |text: &[u8], part: &[u8]| text.trim_ascii_end().ends_with(part);
    if let Some(left) = assigned(line)
        && before.len() < left.len()
        && !is_open(left)
        && (!ends(before, b"[") || before.trim_ascii().len() == 1)
    {
        return true;
    }
    if is_head(line) && is_open(before) {
        return true;
    }
    let is_loop = [&b"for"[..], b"foreach", b"catch"].contains(&first);
    if is_loop
        && ![&b"="[..], b" in ", b" of "]
            .iter()
            .any(|part| has(before, part))
    {
        return true;
    }
    // A declaration without a value: a type before a name.
    line.ends_with(b";")
        && split_words(before).next().is_some()
        && !line.contains(&b'(')
        && !before.ends_with(b".")
        && (after.starts_with(b";") || after.starts_with(b",") || after.starts_with(b"["))
        && assigned(line).is_none()
        && !is_in(&STATEMENTS, first)
}

/// Returns what a line says about one of its words.
fn role(line: &[u8], name: &[u8]) -> Role {
    let line = line.trim_ascii();
    let words_with_name = split_words(line).find(|word| *word == name);
    let Some(start) = words_with_name.map(|word| word.as_ptr() as usize - line.as_ptr() as usize)
    else {
        return Role::Use;
    };
    let (before, after) = (
        &line[..start],
        line[start + name.len()..].trim_ascii_start(),
    );
    let mut words = split_words(line);
    let (first, second) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let word_before = split_words(before).last().unwrap_or_default();
    let is_alias = word_before == b"as";
    if is_in(&IMPORTS, first) || is_in(&["let", "const", "var"], first) && has(line, b"require(") {
        return match is_alias {
            true => Role::Definition,
            false => Role::Import,
        };
    }
    let is_export = first == b"export" && !is_in(&BEFORE, second) && second != b"default";
    if is_export || first == b"__all__" || [first, second].contains(&&b"exports"[..]) {
        return Role::Export;
    }
    let is_quoted = |quote: &u8| before.ends_with(&[*quote]) && after.starts_with(&[*quote]);
    let after_quote = match b"\"'".iter().any(is_quoted) {
        true => after[1..].trim_ascii_start(),
        false => after,
    };
    let is_typed = after_quote.starts_with(b":")
        && !is_in(&CALLS, first)
        && !is_in(&STATEMENTS, first)
        && !before.contains(&b'(')
        && !before.contains(&b'=');
    let is_function = after.starts_with(b"(") && line.ends_with(b"{") && !is_in(&CALLS, first);
    let is_bound = is_bound(line, [before, after], first);
    if is_in(&BEFORE, word_before) || is_typed || is_function || is_bound {
        return Role::Definition;
    }
    let is_list = line
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || b"_, ".contains(byte) || !byte.is_ascii());
    let is_declared = before.is_empty() && (1..=MAX_WORDS).contains(&split_words(after).count());
    match is_list {
        true if line.contains(&b',') => Role::Listed,
        true if is_declared => Role::Declared,
        _ => Role::Use,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expected: Role, lines: &[&str]) {
        for line in lines {
            assert_eq!(role(line.as_bytes(), b"total"), expected, "{line}");
        }
    }

    #[test]
    fn definitions_are_recognised_in_many_languages() {
        check(
            Role::Definition,
            &[
                "def total(prices):",
                "class total(Sum):",
                "import numbers as total",
                "#define total 3",
                "const total = 3;",
                "export function total(a) {",
                "  total = 3",
                "self.total = 3",
                "total: int = 3",
                "total() {",
                "  \"total\": 3,",
                "ALTER TABLE item ADD COLUMN total INTEGER;",
                "static int total(int a) {",
                "def average(total, count):",
                "int average(int total, int count) {",
                "for total in totals:",
                "first, total = split(text)",
                "const [first, ...total] = split(text);",
                "} catch (total) {",
                "  unsigned total;",
                "  int count, total[3];",
            ],
        );
    }

    #[test]
    fn imports_exports_and_lists_are_told_apart() {
        check(
            Role::Import,
            &[
                "from shop import price, total",
                "import { total } from './shop.js';",
                "use crate::shop::{price, total};",
                "const { price, total } = require('./shop.js');",
            ],
        );
        check(
            Role::Export,
            &[
                "export { price, total };",
                "module.exports = { price, total };",
                "exports.total = total;",
                "__all__ = ['total']",
            ],
        );
        check(Role::Listed, &["    total,", "    price, total,"]);
        check(Role::Declared, &["    total INTEGER NOT NULL", "total tea"]);
    }

    #[test]
    fn an_attribute_is_no_definition_of_the_variable_that_it_is_set_to() {
        let bare = |lines: &[&str]| {
            let mut names = BTreeMap::new();
            for (element, line) in lines.iter().enumerate() {
                note(&mut names, line.as_bytes(), [0, element], &HashSet::new());
            }
            let bare = names.remove(&b"total\0"[..])?;
            Some([0, 1].map(|it| bare.lacks_definition(&|kept| kept == it)))
        };
        let lines = ["def f(self, total):", "self.total = total"];
        assert_eq!(bare(&lines), Some([false, true]));
        assert_eq!(bare(&["self.total = 3", "x = self.total"]), None);
    }

    #[test]
    fn uses_are_no_definitions() {
        check(
            Role::Use,
            &[
                "print(total)",
                "x = total + 1",
                "if (total == 3) {",
                "call(total=3)",
                "return total(a)",
                "while total(a) {",
                "total",
                "total += 1",
                "prices[total] = 1",
                "for price in total:",
                "for (int i = 0; i < total; i++) {",
                "return total;",
                "subtotal = total",
                "case \"total\":",
                "prices[\"total\"]",
            ],
        );
    }
}
