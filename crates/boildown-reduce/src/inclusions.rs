//! Files that are included as text in other files of a folder: `#include "a.h"`, `mod a;`,
//! `import a`.

use std::collections::BTreeMap;
use std::ops::Range;

use boildown_document::{DirectiveForm, Document, MARK, parts_of_joined};
use boildown_search::tree::NodeId;

use crate::edit::Edit;
use crate::edit_plan::{EditPlan, sibling_positions};
use crate::file_paths::{FilePaths, included, lines_of};
use crate::imports::{Import, imports_in};
use crate::packages::packages_as_modules;

/// The most directives for one file that are replaced together.
const MOST_PLACES: usize = 4;

/// A directive, and what stands before and after the text that takes its place.
struct Directive {
    /// The included file, as an index into the files.
    file: usize,
    before: Vec<u8>,
    after: &'static [u8],
    /// What else is particular about the import of a module.
    import: Option<Import>,
}

/// A directive in a file of a joined text.
struct Place {
    /// The tokens of its line.
    tokens: Range<usize>,
    directive: Directive,
}

/// Returns the edits that move the text of a file to where it is included, and delete the file.
/// A file that is included at several places is moved to all of them, or to one of them, and
/// the other directives are deleted.
pub(crate) fn inlined_files(document: &Document) -> Vec<Vec<Edit>> {
    let Some(parts) = parts_of_joined(document.bytes()) else {
        return Vec::new();
    };
    let files: Vec<(NodeId, usize)> = document.files().collect();
    let paths = FilePaths::new(
        (files.iter())
            .map(|&(_, header)| document.token(header)[MARK.len()..].trim_ascii_end())
            .collect(),
    );
    let mut places_of: BTreeMap<usize, Vec<Place>> = BTreeMap::new();
    for place in places(document, &files, &paths) {
        places_of
            .entry(place.directive.file)
            .or_default()
            .push(place);
    }
    let positions = sibling_positions(document.tree());
    let mut plans = packages_as_modules(document, &positions);
    for (file, here) in places_of {
        let (node, _) = files[file];
        let own = document.tree().nodes[node].tokens();
        if here.iter().any(|place| own.contains(&place.tokens.start)) {
            continue;
        }
        let content = document.bytes()[parts[file].content.clone()].trim_ascii_end();
        let mut plan = EditPlan::default();
        plan.delete(node);
        let without_file = plan.edits(document, &positions);
        let with_text = |chosen: &dyn Fn(usize) -> bool| {
            let edits = here.iter().enumerate().flat_map(|(index, place)| {
                let Directive {
                    before,
                    after,
                    import,
                    ..
                } = &place.directive;
                let text = match (chosen(index), import) {
                    (true, Some(import)) => import.text(content),
                    (true, None) => [before, content, after].concat(),
                    (false, _) => Vec::new(),
                };
                let uses = import.iter().flat_map(|import| import.uses.iter().cloned());
                std::iter::once(Edit::new(&place.tokens, text)).chain(uses)
            });
            edits
                .chain(without_file.iter().cloned())
                .collect::<Vec<_>>()
        };
        if here.len() <= MOST_PLACES {
            plans.push(with_text(&|_| true));
        }
        if here.len() > 1 {
            let one = (0..here.len().min(MOST_PLACES)).map(|only| with_text(&|at| at == only));
            plans.extend(one);
        }
    }
    plans
}

/// Returns the directives for files of this joined text.
fn places(document: &Document, files: &[(NodeId, usize)], paths: &FilePaths<'_>) -> Vec<Place> {
    let parts = parts_of_joined(document.bytes()).unwrap_or_default();
    let mut places = Vec::new();
    for (&(node, header), part) in files.iter().zip(&parts) {
        let Some(language) = part.language(document.bytes()) else {
            continue;
        };
        let own = document.token(header)[MARK.len()..].trim_ascii_end();
        if let Some(imports) = language.imports {
            let found = imports_in(document, node, imports, own, paths);
            places.extend(found.into_iter().map(|(tokens, file, import)| Place {
                tokens,
                directive: Directive {
                    file,
                    before: Vec::new(),
                    after: b"",
                    import: Some(import),
                },
            }));
        }
        let Some(directives) = language.directives else {
            continue;
        };
        for tokens in lines_of(document, &document.tree().nodes[node].tokens()) {
            let line = document.text(tokens.clone());
            let Ok(line) = std::str::from_utf8(line) else {
                continue;
            };
            let mut keywords = directives.keywords.iter();
            let found = keywords.find_map(|keyword| match directives.form {
                DirectiveForm::Module => module(line.trim(), keyword, own, paths),
                form => inclusion(line.trim(), keyword, form, own, paths),
            });
            if let Some(directive) = found {
                places.push(Place { tokens, directive });
            }
        }
    }
    places
}

/// Reads a line as a directive for a module of its own: `pub mod a;`.
fn module(line: &str, keyword: &str, own: &[u8], paths: &FilePaths<'_>) -> Option<Directive> {
    let declaration = line.strip_suffix(';')?.trim_end();
    let (visibility, name) = declaration.rsplit_once(' ')?;
    let visibility = visibility.trim_end().strip_suffix(keyword)?.trim_end();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_declaration = visibility.is_empty() || visibility.starts_with("pub");
    if !is_declaration || visibility.contains(['{', ';', '#']) || !name.bytes().all(is_word) {
        return None;
    }
    let directory = module_directory(own);
    let names = [format!("{name}.rs"), format!("{name}/mod.rs")];
    let mut files = names
        .iter()
        .map(|name| [&directory, name.as_bytes()].concat());
    let file = files.find_map(|path| paths.find(&path))?;
    Some(Directive {
        file,
        before: format!("{declaration} {{\n").into_bytes(),
        after: b"\n}",
        import: None,
    })
}

/// Reads a line as a directive with a path: `#include "a.h"`.
fn inclusion(
    line: &str,
    keyword: &str,
    form: DirectiveForm,
    own: &[u8],
    paths: &FilePaths<'_>,
) -> Option<Directive> {
    // `# include` is `#include`.
    let (mark, word) = keyword.split_at(usize::from(keyword.starts_with(['#', '%'])));
    let rest = line.strip_prefix(mark)?.trim_start().strip_prefix(word)?;
    let open = rest.trim_start_matches([' ', '\t', '(']);
    let name = match open.chars().next()? {
        '<' => open[1..].split_once('>')?.0,
        quote @ ('"' | '\'') => open[1..].split_once(quote)?.0,
        _ if form == DirectiveForm::Word && rest.starts_with([' ', '\t']) => {
            open.split_whitespace().next()?
        }
        _ => return None,
    };
    Some(Directive {
        file: included(name.as_bytes(), own, paths)?,
        before: Vec::new(),
        after: b"",
        import: None,
    })
}

/// Returns the directory of the modules inside of a file of Rust, with a slash at its end.
fn module_directory(own: &[u8]) -> Vec<u8> {
    let start = own
        .iter()
        .rposition(|&byte| byte == b'/')
        .map_or(0, |at| at + 1);
    match &own[start..] {
        b"lib.rs" | b"main.rs" | b"mod.rs" => own[..start].to_vec(),
        _ => [own.strip_suffix(b".rs").unwrap_or(own), b"/"].concat(),
    }
}

#[cfg(test)]
mod tests {
    use boildown_document::{
        Language, Substitutes, View, append_to_joined, parts_of_joined as parts,
    };
    use boildown_search::Subset;

    use super::*;
    use crate::rewrite::Proposal;

    /// Returns the folders that are left by each proposal to move a file.
    fn inlined(language: &str, files: &[(&str, &str)]) -> Vec<Vec<(String, String)>> {
        let mut bytes = Vec::new();
        for (path, content) in files {
            assert!(append_to_joined(
                &mut bytes,
                path.as_bytes(),
                content.as_bytes()
            ));
        }
        let language = Language::named(language).expect("the grammar is built");
        let document = Document::new(&bytes.into(), View::Syntax(language));
        let all = Subset::full(document.len());
        let plans = inlined_files(&document).into_iter();
        let rendered = plans.map(|edits| {
            let proposal = Proposal::new(&document, edits, 0).expect("it is smaller");
            let (kept, substitutes) = proposal.apply(&all, &Substitutes::new());
            document.render_with(&kept, &substitutes)
        });
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let read = |bytes: Vec<u8>| {
            let parts = parts(&bytes).expect("a joined text");
            let part = parts.into_iter();
            part.map(|part| (text(&bytes[part.path]), text(&bytes[part.content])))
                .collect()
        };
        rendered.map(read).collect()
    }

    fn left(files: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = files
            .iter()
            .map(|(path, content)| ((*path).into(), (*content).into()));
        owned.collect()
    }

    #[test]
    fn a_header_is_moved_to_where_it_is_included() {
        let files = [
            (
                "src/a.c",
                "int x;\n#include \"../lib/b.h\" // why\nint y;\n",
            ),
            ("lib/b.h", "int b;\nint c;\n"),
        ];
        let expected = left(&[("src/a.c", "int x;\nint b;\nint c;\nint y;\n")]);
        assert_eq!(inlined("C", &files), [expected]);
    }

    #[test]
    fn a_header_that_is_included_twice_is_moved_to_both_places_or_to_one() {
        let files = [
            ("a.c", "# include <b.h>\nint x;\n"),
            ("c.c", "#include \"b.h\"\nint y;\n"),
            ("inc/b.h", "int b;\n"),
        ];
        let expected = [
            left(&[("a.c", "int b;\nint x;\n"), ("c.c", "int b;\nint y;\n")]),
            left(&[("a.c", "int b;\nint x;\n"), ("c.c", "int y;\n")]),
            left(&[("a.c", "int x;\n"), ("c.c", "int b;\nint y;\n")]),
        ];
        assert_eq!(inlined("C", &files), expected);
    }

    #[test]
    fn a_file_that_includes_itself_and_one_that_is_not_there_stay() {
        let files = [
            ("a.c", "#include \"a.c\"\nint x;\n"),
            ("b.c", "#include <stdio.h>\nint y;\n"),
        ];
        assert!(inlined("C", &files).is_empty());
    }

    #[test]
    fn a_module_of_rust_gets_braces() {
        let files = [
            ("src/lib.rs", "pub mod a;\n"),
            ("src/a.rs", "mod b;\nfn f() {}\n"),
            ("src/a/b.rs", "fn g() {}\n"),
        ];
        let expected = [
            left(&[
                ("src/lib.rs", "pub mod a {\nmod b;\nfn f() {}\n}\n"),
                ("src/a/b.rs", "fn g() {}\n"),
            ]),
            left(&[
                ("src/lib.rs", "pub mod a;\n"),
                ("src/a.rs", "mod b {\nfn g() {}\n}\nfn f() {}\n"),
            ]),
        ];
        assert_eq!(inlined("Rust", &files), expected);
    }

    #[test]
    fn a_module_of_python_is_moved_to_where_it_is_imported() {
        let files = [
            ("main.py", "import lib.b\nlib.b.f(1)\n"),
            ("lib/b.py", "def f(a):\n    return a\n"),
        ];
        let expected = left(&[("main.py", "def f(a):\n    return a\nf(1)\n")]);
        assert_eq!(inlined("Python", &files), [expected]);
        let files = [
            ("lib/a.py", "if x:\n    from . import b as c\n"),
            ("lib/b.py", "f = 1\ng = 2\n"),
        ];
        assert!(inlined("Python", &files).is_empty());
        let files = [
            ("lib/a.py", "if x:\n    from .b import f\n"),
            ("lib/b.py", "f = 1\ng = 2\n"),
        ];
        let expected = left(&[("lib/a.py", "if x:\n    f = 1\n    g = 2\n")]);
        assert_eq!(inlined("Python", &files), [expected]);
    }

    #[test]
    fn a_package_of_npm_is_moved_to_where_it_is_required() {
        let files = [
            ("main.js", "const dep = require(\"dep\");\ndep.f(1);\n"),
            ("node_modules/dep/lib/x.js", "exports.f = (a) => a;\n"),
        ];
        let expected = left(&[("main.js", "f = (a) => a;\nf(1);\n")]);
        assert_eq!(inlined("JavaScript", &files), [expected]);
        let files = [
            ("main.js", "let x;\nrequire('./lib/dep').f(1);\n"),
            ("lib/dep.js", "exports.f = (a) => a;\n"),
        ];
        let expected = left(&[("main.js", "let x;\nf = (a) => a;\nf(1);\n")]);
        assert_eq!(inlined("JavaScript", &files), [expected]);
        let files = [
            ("main.mjs", "import f from './dep.mjs';\nf(1);\n"),
            ("dep.mjs", "export default (a) => a;\n"),
        ];
        let expected = left(&[("main.mjs", "const f = (a) => a;\nf(1);\n")]);
        assert_eq!(inlined("JavaScript", &files), [expected]);
    }

    #[test]
    fn a_package_of_rust_becomes_a_module() {
        let files = [
            (
                "Cargo.toml",
                "[package]\nname = \"app\"\n[dependencies.a_dep]\npackage = \"a-dep\"\npath = \"vendor/a-dep\"\n",
            ),
            (
                "src/main.rs",
                "extern crate a_dep;\nfn main() { a_dep::f(); }\n",
            ),
            ("vendor/a-dep/Cargo.toml", "[package]\nname = \"a-dep\"\n"),
            (
                "vendor/a-dep/src/lib.rs",
                "pub fn f() { crate::g() }\nfn g() {}\n",
            ),
        ];
        let expected = left(&[
            ("Cargo.toml", "[package]\nname = \"app\"\n"),
            (
                "src/main.rs",
                "fn main() { a_dep::f(); }\nmod a_dep {\npub fn f() { crate::a_dep::g() }\nfn g() {}\n}\n\n",
            ),
        ]);
        assert_eq!(inlined("Rust", &files), [expected]);
    }

    #[test]
    fn a_makefile_is_moved_to_where_it_is_included() {
        let files = [
            ("Makefile", "include rules.mk\nall: a\n"),
            ("rules.mk", "CC = cc\n"),
        ];
        let expected = left(&[("Makefile", "CC = cc\nall: a\n")]);
        assert_eq!(inlined("Make", &files), [expected]);
    }
}
