//! Mentions of files in other files of a folder, and the files that the words of a test name.

use std::collections::{BTreeSet, HashMap};

use boildown_document::is_word;
use boildown_folder::{EntryKind, FolderInput, FolderText, Listing};

use crate::mentions::IMPORTS;

/// Files above this size are not read for mentions, in bytes.
const LARGE_FILE: u64 = 1 << 20;

/// The largest number of bytes that are read for mentions.
const READ_LIMIT: u64 = 16 << 20;

/// The longest line in which each word may be the name of a module. Longer ones are minified.
const LONG_LINE: usize = 400;

/// Endings of names that stand for files with another ending: a rule in a Makefile names `a.o`,
/// a module of TypeScript imports `./a.js`.
const BUILT: [&[u8]; 8] = [b"o", b"obj", b"lo", b"d", b"class", b"js", b"mjs", b"cjs"];

/// A file that tools read without being told so.
struct Companion {
    /// The endings of the files with which it is read.
    endings: &'static [&'static [u8]],
    name: &'static [u8],
    /// Whether those of all folders around are read, or only the nearest one.
    of_all_folders: bool,
}

const COMPANIONS: &[Companion] = &[
    Companion {
        endings: &[b"py", b"pyi", b"pyx"],
        name: b"__init__.py",
        of_all_folders: true,
    },
    Companion {
        endings: &[b"js", b"mjs", b"cjs", b"ts"],
        name: b"package.json",
        of_all_folders: false,
    },
    Companion {
        endings: &[b"rs"],
        name: b"Cargo.toml",
        of_all_folders: false,
    },
    Companion {
        endings: &[b"go"],
        name: b"go.mod",
        of_all_folders: false,
    },
];

/// Files beside a file of this name that are read with it.
const ENTRY_POINTS: &[(&[u8], &[&[u8]])] = &[
    (b"Cargo.toml", &[b"src/lib.rs", b"src/main.rs", b"build.rs"]),
    (b"package.json", &[b"index.js"]),
];

/// Files that programs read without being told so, in the folder in which they are started.
const READ_BY_PROGRAMS: &[(&[u8], &[&[u8]])] = &[
    (b"make", &[b"Makefile", b"makefile", b"GNUmakefile"]),
    (b"cargo", &[b"Cargo.toml"]),
    (b"npm", &[b"package.json"]),
    (b"go", &[b"go.mod"]),
    (b"cmake", &[b"CMakeLists.txt"]),
    (b"mvn", &[b"pom.xml"]),
];

/// The names of the files of a folder.
struct FileNames<'a> {
    listing: &'a Listing,
    by_name: HashMap<&'a [u8], Vec<usize>>,
    /// By what a module of a language is called: its name without the ending, or the name of its
    /// folder.
    by_module: HashMap<&'a [u8], Vec<usize>>,
}

impl<'a> FileNames<'a> {
    fn new(listing: &'a Listing, entries: impl Iterator<Item = usize>) -> Self {
        let mut names = Self {
            listing,
            by_name: HashMap::new(),
            by_module: HashMap::new(),
        };
        for number in entries {
            let entry = &listing.entries()[number];
            if entry.is_folder() {
                continue;
            }
            let name = entry.name();
            names.by_name.entry(name).or_default().push(number);
            let stem = stem(name);
            if matches!(stem, b"__init__" | b"mod" | b"index") || name == b"package.json" {
                let folder = entry.parent().map(last_component);
                names.add_module(folder, number);
            } else {
                names.add_module(Some(stem), number);
            }
        }
        names
    }

    fn add_module(&mut self, name: Option<&'a [u8]>, number: usize) {
        if let Some(name) = name {
            self.by_module.entry(name).or_default().push(number);
        }
    }

    /// Returns the files that a word in a file stands for: those whose folders fit it best, and of
    /// those the nearest ones.
    fn mentioned(&self, word: &[u8], from: usize, is_import: bool) -> Vec<usize> {
        let name = last_component(word);
        let mut found: Vec<usize> = self.by_name.get(name).cloned().unwrap_or_default();
        if found.is_empty() && ending(name).is_some_and(|ending| BUILT.contains(&ending)) {
            found = self.modules(stem(name));
        }
        if found.is_empty() && (is_import || name.len() < word.len()) {
            found = self.modules(name);
            // `import a.b`.
            if found.is_empty() && is_import {
                let parts = name.split(|&byte| byte == b'.');
                found = parts.flat_map(|part| self.modules(part)).collect();
                return found;
            }
        }
        if found.len() < 2 {
            return found;
        }
        let path = |number: usize| &*self.listing.entries()[number].path;
        let folders = |path: &'_ [u8]| path.split(|&byte| byte == b'/').count();
        let score = |number: usize| {
            let fits = common(components(path(number)).rev(), components(word).rev());
            let near = common(components(path(number)), components(path(from)));
            (fits, near, usize::MAX - folders(path(number)))
        };
        let best = found.iter().map(|&number| score(number)).max();
        found.retain(|&number| Some(score(number)) == best);
        found
    }

    fn modules(&self, name: &[u8]) -> Vec<usize> {
        self.by_module.get(name).cloned().unwrap_or_default()
    }

    /// Returns the file at a path, beside a file.
    fn beside(&self, number: usize, path: &[u8]) -> Option<usize> {
        let folder = self.listing.entries()[number].parent();
        self.within(folder, path)
    }

    fn within(&self, folder: Option<&[u8]>, path: &[u8]) -> Option<usize> {
        let whole = match folder {
            Some(folder) => [folder, b"/", path].concat(),
            None => path.to_vec(),
        };
        let found = self.by_name.get(last_component(path))?.iter().copied();
        let mut found = found.filter(|&number| *self.listing.entries()[number].path == *whole);
        found.next()
    }

    /// Adds the files that tools read with a file without being told so.
    fn companions(&self, number: usize, found: &mut BTreeSet<usize>) {
        let entry = &self.listing.entries()[number];
        let own = ending(entry.name());
        for companion in COMPANIONS {
            if !own.is_some_and(|own| companion.endings.contains(&own)) {
                continue;
            }
            let mut folder = entry.parent();
            loop {
                let known = self.within(folder, companion.name);
                found.extend(known);
                let goes_on = companion.of_all_folders || known.is_none();
                match folder.filter(|_| goes_on) {
                    Some(inner) => folder = parent(inner),
                    None => break,
                }
            }
        }
        let points = ENTRY_POINTS
            .iter()
            .filter(|(name, _)| *name == entry.name());
        let points = points.flat_map(|(_, points)| points.iter());
        found.extend(points.filter_map(|point| self.beside(number, point)));
        if let EntryKind::Link { target } = &entry.kind {
            found.extend(self.mentioned(target, number, false));
        }
    }
}

/// Returns the mentions of files in other files, as pairs `(user, used)` of entries: `#include`,
/// `import`, a path in a Makefile, and what tools read without being told so.
///
/// They are hints: names may stand for something else, and programs make names.
pub(crate) fn mentions_of_files(input: &FolderInput, text: &FolderText) -> Vec<(usize, usize)> {
    let listing = &input.listing;
    let names = FileNames::new(listing, text.kept());
    let mut left = READ_LIMIT;
    let mut pairs = Vec::new();
    for number in text.kept() {
        let entry = &listing.entries()[number];
        let mut found = BTreeSet::new();
        names.companions(number, &mut found);
        let size = text.size_of(listing, number);
        if matches!(entry.kind, EntryKind::File { .. }) && size <= LARGE_FILE.min(left) {
            left -= size;
            let content = input.content_in(text, number);
            let content = content.filter(|content| !content.contains(&0));
            for line in content
                .iter()
                .flat_map(|text| text.split(|&byte| byte == b'\n'))
            {
                mentions_in_line(&names, line, number, &mut found);
            }
        }
        found.remove(&number);
        pairs.extend(found.into_iter().map(|used| (number, used)));
    }
    pairs
}

fn mentions_in_line(
    names: &FileNames<'_>,
    line: &[u8],
    number: usize,
    found: &mut BTreeSet<usize>,
) {
    let is_short = line.len() <= LONG_LINE;
    let is_keyword = |word: &[u8]| IMPORTS.contains(&word) || word == b"main";
    let is_import = is_short && line.split(|byte| !is_word(*byte)).any(is_keyword);
    for word in path_words(line).filter(|word| !is_keyword(word)) {
        found.extend(names.mentioned(word, number, is_import));
    }
}

/// Returns the files that a text names: the command, and the script, of a test. A name that
/// several files have counts only with its folder, or if one of them is not in a folder.
#[must_use]
pub fn files_named_in(text: &[u8], listing: &Listing) -> Vec<usize> {
    let names = FileNames::new(listing, 0..listing.entries().len());
    // `a\.c` in a regular expression.
    let text: Vec<u8> = text.iter().copied().filter(|&byte| byte != b'\\').collect();
    let mut named = BTreeSet::new();
    let at_the_top = |name: &&[u8]| names.within(None, name);
    for word in path_words(&text) {
        let program = READ_BY_PROGRAMS
            .iter()
            .find(|(program, _)| *program == word);
        named.extend(
            program
                .into_iter()
                .flat_map(|(_, read)| read.iter().filter_map(at_the_top)),
        );
        let Some(found) = names.by_name.get(last_component(word)) else {
            continue;
        };
        let path = |number: usize| &*listing.entries()[number].path;
        let fits = |number: usize| common(components(path(number)).rev(), components(word).rev());
        let best = found.iter().map(|&number| fits(number)).max().unwrap_or(0);
        let mut found: Vec<usize> = found
            .iter()
            .copied()
            .filter(|&one| fits(one) == best)
            .collect();
        if found.len() > 1 {
            found.retain(|&number| !path(number).contains(&b'/'));
        }
        named.extend(found);
    }
    named.into_iter().collect()
}

/// Returns the longest words of a text that may be paths.
fn path_words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_part = |byte: &u8| is_word(*byte) || b"./-+@".contains(byte);
    let words = text.split(move |byte| !is_part(byte));
    let words = words.map(|word| {
        let end = word.iter().rposition(|byte| !b"./".contains(byte));
        &word[..end.map_or(0, |end| end + 1)]
    });
    words.filter(|word| !word.is_empty())
}

/// Returns the components of a path, without those that only go up or stay.
fn components(path: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    let components = path.split(|&byte| byte == b'/');
    components.filter(|part| !matches!(*part, b"" | b"." | b".."))
}

/// Returns how many components two paths have in common, from their beginnings.
fn common<'a>(one: impl Iterator<Item = &'a [u8]>, other: impl Iterator<Item = &'a [u8]>) -> usize {
    one.zip(other)
        .take_while(|(one, other)| one == other)
        .count()
}

fn last_component(path: &[u8]) -> &[u8] {
    let slash = path.iter().rposition(|&byte| byte == b'/');
    &path[slash.map_or(0, |slash| slash + 1)..]
}

/// Returns the path of the folder around a file or folder.
pub(crate) fn parent(path: &[u8]) -> Option<&[u8]> {
    let slash = path.iter().rposition(|&byte| byte == b'/')?;
    Some(&path[..slash])
}

fn stem(name: &[u8]) -> &[u8] {
    let dot = name.iter().rposition(|&byte| byte == b'.');
    &name[..dot.filter(|&dot| dot > 0).unwrap_or(name.len())]
}

fn ending(name: &[u8]) -> Option<&[u8]> {
    let dot = name.iter().rposition(|&byte| byte == b'.');
    dot.filter(|&dot| dot > 0).map(|dot| &name[dot + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_folder::folder;

    fn path(input: &FolderInput, entry: usize) -> String {
        String::from_utf8_lossy(&input.listing.entries()[entry].path).into_owned()
    }

    /// Checks what each file mentions: `user: used used`, a line each.
    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let input = folder(files);
        let text = FolderText::whole(&input.listing);
        let mut lines: Vec<(usize, String)> = Vec::new();
        for (user, used) in mentions_of_files(&input, &text) {
            match lines.last_mut().filter(|(last, _)| *last == user) {
                Some((_, line)) => *line += &format!(" {}", path(&input, used)),
                None => lines.push((
                    user,
                    format!("{}: {}", path(&input, user), path(&input, used)),
                )),
            }
        }
        let lines: Vec<String> = lines.into_iter().map(|(_, line)| line).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn an_include_means_the_file_whose_folders_fit() {
        check(
            &[
                ("inc/util/a.h", "#include \"b.h\"\n"),
                ("inc/util/b.h", "int b;\n"),
                ("old/b.h", "int b;\n"),
                ("src/a.c", "#include <util/a.h>\n#include <stdio.h>\n"),
            ],
            &["inc/util/a.h: inc/util/b.h", "src/a.c: inc/util/a.h"],
        );
    }

    #[test]
    fn a_module_is_named_without_its_ending() {
        check(
            &[
                ("Cargo.toml", "[package]\n"),
                ("src/json.rs", "use std::fmt;\n"),
                ("src/lib.rs", "mod json;\nmod sub;\nfn unused() {}\n"),
                ("src/sub/mod.rs", ""),
                ("src/unused.rs", ""),
            ],
            &[
                "Cargo.toml: src/lib.rs",
                "src/json.rs: Cargo.toml",
                "src/lib.rs: Cargo.toml src/json.rs src/sub/mod.rs",
                "src/sub/mod.rs: Cargo.toml",
                "src/unused.rs: Cargo.toml",
            ],
        );
    }

    #[test]
    fn a_package_is_named_by_its_folder() {
        check(
            &[
                ("main.mjs", "import f from 'string-x';\n"),
                ("node_modules/string-x/lib/x.js", "require('../util')\n"),
                (
                    "node_modules/string-x/package.json",
                    "{\n\"main\": \"lib/x\"\n}\n",
                ),
                ("node_modules/string-x/util.js", ""),
                ("node_modules/other/index.js", ""),
            ],
            &[
                "main.mjs: node_modules/string-x/package.json",
                "node_modules/string-x/lib/x.js: node_modules/string-x/package.json \
                 node_modules/string-x/util.js",
                "node_modules/string-x/package.json: node_modules/string-x/lib/x.js",
                "node_modules/string-x/util.js: node_modules/string-x/package.json",
            ],
        );
    }

    #[test]
    fn a_module_of_python_needs_its_packages() {
        check(
            &[
                ("p/__init__.py", ""),
                ("p/a.py", "from p.sub.b import f\n"),
                ("p/sub/__init__.py", ""),
                ("p/sub/b.py", "def f(): pass\n"),
            ],
            &[
                "p/a.py: p/__init__.py p/sub/__init__.py p/sub/b.py",
                "p/sub/__init__.py: p/__init__.py",
                "p/sub/b.py: p/__init__.py p/sub/__init__.py",
            ],
        );
    }

    #[test]
    fn objects_and_links_stand_for_their_sources() {
        check(
            &[
                ("Makefile", "prog: src/a.o\n\tcc -o prog src/a.o\n"),
                ("current", "-> src/a.c"),
                ("src/a.c", "int a;\n"),
            ],
            &["Makefile: src/a.c", "current: src/a.c"],
        );
    }

    #[test]
    fn a_test_names_files_with_or_without_folders() {
        let input = folder(&[
            ("Makefile", ""),
            ("a/x.c", ""),
            ("b/x.c", ""),
            ("b/y.c", ""),
            ("c/y.c", ""),
            ("z.c", ""),
        ]);
        let named = |text: &str| -> Vec<String> {
            let named = files_named_in(text.as_bytes(), &input.listing);
            named.into_iter().map(|entry| path(&input, entry)).collect()
        };
        assert_eq!(named("cc p/b/x.c 2>&1 | grep '^z\\.c:'"), ["b/x.c", "z.c"]);
        assert_eq!(named("cc y.c xz.c"), [""; 0]);
        assert_eq!(named("cd p && make"), ["Makefile"]);
    }
}
