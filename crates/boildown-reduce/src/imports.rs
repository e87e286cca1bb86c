//! Imports of modules that are files of a folder: `import a`, `const { b } = require('./a')`.

use std::ops::Range;

use boildown_document::{Document, Imports, is_word};
use boildown_search::tree::NodeId;

use crate::edit::Edit;
use crate::file_paths::{FilePaths, included};

/// The longest statement that is read as an import, in tokens.
const LONGEST: usize = 64;

/// Signs beside which spaces mean nothing.
const BRACKETS: [char; 5] = ['{', '}', '(', ')', '='];

/// An import of a module, whose text can take its place.
pub(crate) struct Import {
    imports: &'static Imports,
    /// The name of the module in the text that imports it; empty if it has none.
    name: String,
    /// The white space before each line.
    indentation: Vec<u8>,
    /// What is used of the module in the same expression: `f` of `require('./a').f(1)`.
    member: Vec<u8>,
    /// The edits of what else mentions the module.
    pub(crate) uses: Vec<Edit>,
}

/// What a statement imports.
#[derive(Debug, Default, PartialEq, Eq)]
struct Imported<'a> {
    path: &'a str,
    /// A name of the whole module.
    name: &'a str,
    /// A name of a module in the package, or of something in the module.
    member: &'a str,
}

impl Import {
    /// Returns the text of the module as a part of the text that imports it.
    pub(crate) fn text(&self, content: &[u8]) -> Vec<u8> {
        let mut text = String::from_utf8_lossy(content).into_owned();
        for (export, local) in self.imports.exports {
            text = text.replace(export, &local.replace('$', &self.name));
        }
        let line = [b"\n", &self.indentation[..]].concat();
        let lines: Vec<&[u8]> = text.as_bytes().split(|&byte| byte == b'\n').collect();
        let mut text = lines.join(&line[..]);
        if !self.member.is_empty() {
            text.extend_from_slice(&line);
            text.extend_from_slice(&self.member);
        }
        text
    }
}

/// Returns the imports of files in the text of a node: their tokens, the files, and the imports.
pub(crate) fn imports_in(
    document: &Document,
    node: NodeId,
    imports: &'static Imports,
    own: &[u8],
    paths: &FilePaths<'_>,
) -> Vec<(Range<usize>, usize, Import)> {
    let tree = document.tree();
    let all = tree.nodes[node].tokens();
    let mut found: Vec<(Range<usize>, usize, Import)> = Vec::new();
    let mut end = all.start;
    for inner in tree.nodes.iter().skip(node.index() + 1) {
        let tokens = inner.tokens();
        if tokens.start >= all.end {
            break;
        }
        if tokens.start < end || tokens.len() > LONGEST || tokens.is_empty() {
            continue;
        }
        let Ok(text) = std::str::from_utf8(document.text(tokens.clone())) else {
            continue;
        };
        let text = normal(text);
        let Some(imported) = imported(imports, &text) else {
            continue;
        };
        let Some((file, name)) = resolved(imports, &imported, own, paths) else {
            continue;
        };
        let gap = document.gap(tokens.start);
        let line = gap.iter().rposition(|&byte| byte == b'\n');
        // The text cannot stand inside of a line.
        if line.is_none() && !document.is_header(tokens.start - 1) {
            continue;
        }
        let indentation = line.map_or(&b""[..], |line| &gap[line + 1..]).to_vec();
        let is_used = tokens.end + 1 < all.end && document.token(tokens.end) == b".";
        let member = match is_used {
            true => document.token(tokens.end + 1),
            false => b"",
        };
        let tokens = tokens.start..tokens.end + 2 * usize::from(is_used);
        end = tokens.end;
        let import = Import {
            imports,
            uses: uses(document, &all, name),
            name: name.to_owned(),
            indentation,
            member: member.to_vec(),
        };
        found.push((tokens, file, import));
    }
    found
}

/// Returns a statement in one line, with single quotes and without needless spaces, without its
/// end.
fn normal(text: &str) -> String {
    let text = text.replace('"', "'");
    let mut normal = String::new();
    for word in text.split_whitespace() {
        let touches = normal.ends_with(BRACKETS) || word.starts_with(BRACKETS);
        if !normal.is_empty() && !touches {
            normal.push(' ');
        }
        normal.push_str(word);
    }
    normal.trim_end_matches([';', ' ']).to_owned()
}

/// Reads a statement as an import.
fn imported<'a>(imports: &Imports, text: &'a str) -> Option<Imported<'a>> {
    (imports.statements.iter()).find_map(|statement| matched(statement, text))
}

/// Reads a text by a statement with holes.
fn matched<'a>(statement: &str, text: &'a str) -> Option<Imported<'a>> {
    let mut imported = Imported::default();
    let mut pieces = statement.split('$');
    let mut rest = text.strip_prefix(pieces.next()?)?;
    for piece in pieces {
        let end = piece.bytes().position(|byte| !is_word(byte));
        let (hole, literal) = piece.split_at(end.unwrap_or(piece.len()));
        let (value, after) = match literal.is_empty() {
            true => (rest, ""),
            false => rest.split_once(literal)?,
        };
        let is_name = !value.is_empty() && value.bytes().all(|byte| is_word(byte) || byte == b'$');
        let is_path = |byte: u8| is_word(byte) || b"./@-$".contains(&byte);
        let fits = match hole {
            "path" => !value.is_empty() && value.bytes().all(is_path),
            "names" => !value.contains([';', '=', '\'']),
            _ => is_name,
        };
        if !fits {
            return None;
        }
        match hole {
            "path" => imported.path = value,
            "name" => imported.name = value,
            "member" => imported.member = value,
            _ => {}
        }
        rest = after;
    }
    rest.is_empty().then_some(imported)
}

/// Returns the file that an import stands for, and the name that the module has.
fn resolved<'a>(
    imports: &Imports,
    imported: &Imported<'a>,
    own: &[u8],
    paths: &FilePaths<'_>,
) -> Option<(usize, &'a str)> {
    let path = slashed(imports, imported.path);
    if !imported.member.is_empty() {
        let inner = format!("{}/{}", path.trim_end_matches('/'), imported.member);
        if let Some(file) = file(imports, &inner, own, paths) {
            return Some((file, imported.member));
        }
    }
    let file = file(imports, &path, own, paths)?;
    let is_bare = imported.name.is_empty() && imported.member.is_empty();
    // Without a name of its own, the path is that: `import a.b`.
    let name = match is_bare && imports.separator == '.' {
        true => imported.path,
        false => imported.name,
    };
    Some((file, name))
}

/// Returns a path with slashes: `..a.b` becomes `../a/b`.
fn slashed(imports: &Imports, path: &str) -> String {
    if imports.separator == '/' {
        return path.to_owned();
    }
    let rest = path.trim_start_matches(imports.separator);
    let up = match path.len() - rest.len() {
        0 => String::new(),
        dots => "./".to_owned() + &"../".repeat(dots - 1),
    };
    up + &rest.replace(imports.separator, "/")
}

fn file(imports: &Imports, path: &str, own: &[u8], paths: &FilePaths<'_>) -> Option<usize> {
    let mut names = imports.files.iter().map(|name| name.replace('$', path));
    let found = names.find_map(|name| included(name.as_bytes(), own, paths));
    // The main file of a package may have any name.
    let within = || {
        let dot = own.iter().rposition(|&byte| byte == b'.')?;
        let is_relative = path.starts_with('.');
        paths
            .only_within(path.as_bytes(), &own[dot..])
            .filter(|_| !is_relative)
    };
    found.or_else(within)
}

/// Returns the edits that put a member in the place of a name, a dot and the member, in these
/// tokens: `a.f` becomes `f`. It is written where the name stands, which may begin a line.
fn uses(document: &Document, tokens: &Range<usize>, name: &str) -> Vec<Edit> {
    let parts: Vec<&str> = name.split('.').filter(|part| !part.is_empty()).collect();
    let Some(length) = (2 * parts.len()).checked_sub(1) else {
        return Vec::new();
    };
    let is = |token: usize, text: &str| document.token(token) == text.as_bytes();
    let is_use = |start: usize| {
        let end = start + length;
        let mut names = parts.iter().enumerate();
        end + 1 < tokens.end
            && is(end, ".")
            && names.all(|(index, part)| is(start + 2 * index, part))
            && (1..length).step_by(2).all(|dot| is(start + dot, "."))
            && (start == tokens.start || !is(start - 1, "."))
    };
    let edit = |start: usize| {
        let member = start + length + 1;
        Edit::new(&(start..member + 1), document.token(member))
    };
    tokens
        .clone()
        .filter(|&start| is_use(start))
        .map(edit)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use boildown_document::Language;

    #[track_caller]
    fn check(language: &str, statement: &str, expected: (&str, &str, &str)) {
        let imports = Language::named(language).and_then(|language| language.imports);
        let text = normal(statement);
        let imported = imported(imports.expect("it has imports"), &text).expect(statement);
        assert_eq!((imported.path, imported.name, imported.member), expected);
    }

    #[test]
    fn statements_are_written_as_they_are_compared() {
        for imports in Language::all()
            .iter()
            .filter_map(|language| language.imports)
        {
            for statement in imports.statements {
                assert_eq!(normal(statement), *statement);
            }
        }
    }

    #[test]
    fn imports_of_python_are_read() {
        check("Python", "import a.b", ("a.b", "", ""));
        check("Python", "import a.b as c", ("a.b", "c", ""));
        check("Python", "from . import c", (".", "", "c"));
        check(
            "Python",
            "from ..a import (\n  b,\n  c,\n)",
            ("..a", "", ""),
        );
        check("Python", "from a import *", ("a", "", ""));
    }

    #[test]
    fn imports_of_javascript_are_read() {
        check(
            "JavaScript",
            "import { a } from \"./b.js\";",
            ("./b.js", "", ""),
        );
        check("JavaScript", "import a from 'b'", ("b", "a", ""));
        check("JavaScript", "const a = require('./b');", ("./b", "a", ""));
        check(
            "TypeScript",
            "const {a, b} = require('./b')",
            ("./b", "", ""),
        );
    }

    #[test]
    fn other_statements_are_no_imports() {
        let imports = Language::named("JavaScript").and_then(|language| language.imports);
        for text in ["const a = f('./b')", "import('b')", "f(); require('b')"] {
            assert_eq!(imported(imports.unwrap(), &normal(text)), None, "{text}");
        }
    }
}
