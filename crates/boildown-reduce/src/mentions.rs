//! Mentions of files in other files of a folder, and the deletion of a file with its mentions.

use std::ops::Range;

use boildown_document::{Document, MARK, is_word};
use boildown_search::tree::NodeId;

use crate::edit_plan::{EditPlan, SiblingPositions, sibling_positions};

/// Returns the deletions of whole files, each together with what mentions the file elsewhere:
/// `#include "a.h"`, `import a`, `<link href="a.css">`, `a.o` in a Makefile. There are two for
/// a file, which delete the smallest elements with the mentions, and whole lines.
pub(crate) fn files_with_mentions(document: &Document) -> Vec<Vec<Range<usize>>> {
    let positions = sibling_positions(document.tree());
    let mut units = Vec::new();
    for (file, header) in document.files() {
        let path = &document.token(header)[MARK.len()..].trim_ascii_end();
        let mentions = mentions(document, path, file);
        for around in [smallest_element, whole_lines] {
            let mut plan = EditPlan::default();
            plan.delete(file);
            for &token in &mentions {
                if let Some(node) = around(document, token, &positions) {
                    plan.delete(node);
                }
            }
            units.push(plan.cuts(document.tree(), &positions));
        }
    }
    units
}

/// Returns the tokens outside of a file that mention its path.
fn mentions(document: &Document, path: &[u8], file: NodeId) -> Vec<usize> {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
    let dot = name.iter().rposition(|&byte| byte == b'.');
    let stem = &name[..dot.filter(|&dot| dot > 0).unwrap_or(name.len())];
    // `import a` of `a/__init__.py`, `mod a` of `a/mod.rs`, `require('./a')` of `a/index.js`.
    let is_of_folder = matches!(stem, b"__init__" | b"mod" | b"index");
    let folder = (path.len() > name.len()).then(|| &path[..path.len() - name.len() - 1]);
    let folder = folder.and_then(|folder| folder.rsplit(|&byte| byte == b'/').next());
    let own = document.tree().nodes[file].tokens();
    let mut found = Vec::new();
    let mut line: Vec<usize> = Vec::new();
    let mut flush = |line: &mut Vec<usize>| {
        let (Some(&first), Some(&last)) = (line.first(), line.last()) else {
            return;
        };
        let text = document.text(first..last + 1);
        let has = |word: &[u8]| (0..text.len()).any(|at| is_word_at(text, at, word));
        let imports = IMPORTS.iter().any(|word| has(word));
        let names = |token: &[u8]| {
            let is = |word: &[u8]| (0..token.len()).any(|at| is_word_at(token, at, word));
            is(name) || imports && is(stem) || imports && is_of_folder && folder.is_some_and(is)
        };
        // A name with a dot may be divided among tokens.
        if has(name) || imports {
            let mentions = line.iter().copied().filter(|&token| {
                let end = (token + 3).min(last + 1);
                names(document.token(token)) || is_word_at(document.text(token..end), 0, name)
            });
            found.extend(mentions);
        }
        line.clear();
    };
    for token in 0..document.len() {
        let starts_line = document.gap(token).contains(&b'\n') || document.is_header(token);
        if starts_line {
            flush(&mut line);
        }
        if !own.contains(&token) && !document.is_header(token) {
            line.push(token);
        }
    }
    flush(&mut line);
    found
}

/// Returns the smallest node around a token that is one of several elements.
fn smallest_element(
    document: &Document,
    token: usize,
    positions: &SiblingPositions,
) -> Option<NodeId> {
    let is_element = |node: NodeId| {
        let tree = document.tree();
        let position = positions.get(&node)?;
        (tree.elements(&tree.lists[position.list]).len() > 1).then_some(())
    };
    let nodes = nodes_around(document, token);
    nodes
        .into_iter()
        .rev()
        .find(|&node| is_element(node).is_some())
}

/// Returns the smallest node around a token that takes whole lines, but for a separator.
fn whole_lines(document: &Document, token: usize, _: &SiblingPositions) -> Option<NodeId> {
    let is_whole = |&node: &NodeId| {
        let tokens = document.tree().nodes[node].tokens();
        let starts = |token: usize| {
            document.gap(token).contains(&b'\n') || token > 0 && document.is_header(token - 1)
        };
        let is_end = |token: usize| {
            token >= document.len()
                || document.is_header(token)
                || document.gap(token).contains(&b'\n')
        };
        let is_separator = |token: usize| matches!(document.token(token), b"," | b";");
        let end = tokens.end;
        starts(tokens.start) && (is_end(end) || is_separator(end) && is_end(end + 1))
    };
    let nodes = nodes_around(document, token);
    nodes.into_iter().rev().find(is_whole)
}

/// Returns the nodes around a token inside of its file, the outermost first.
fn nodes_around(document: &Document, token: usize) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    let mut next = NodeId::ROOT;
    loop {
        let mut children = document.tree().children(next);
        let inside = children.find(|&child| document.tree().nodes[child].tokens().contains(&token));
        let Some(inside) = inside else {
            break;
        };
        nodes.push(inside);
        next = inside;
    }
    // Without the folders, the file and its text.
    let file = nodes.iter().position(|&node| document.is_whole_file(node));
    nodes.split_off(file.map_or(nodes.len(), |file| file + 1))
}

/// Words in lines that name other files without their extensions.
pub(crate) const IMPORTS: [&[u8]; 16] = [
    b"import", b"from", b"require", b"include", b"use", b"mod", b"using", b"source", b"load",
    b"export", b"extern", b"package", b"script", b"link", b"href", b"src",
];

/// Returns whether a word is at this place of a text, and no longer one.
fn is_word_at(text: &[u8], at: usize, word: &[u8]) -> bool {
    let is_part = |byte: &u8| is_word(*byte);
    let Some(first) = word.first().filter(|_| text[at..].starts_with(word)) else {
        return false;
    };
    let continues_before = at > 0 && is_part(&text[at - 1]) && is_part(first);
    let continues_after = text.get(at + word.len()).is_some_and(is_part);
    !(continues_before || continues_after)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use boildown_document::{Language, View, append_to_joined as append, parts_of_joined as parts};
    use boildown_search::Subset;

    use super::*;

    fn joined(files: &[(&str, &str)]) -> Arc<[u8]> {
        let mut bytes = Vec::new();
        for (path, content) in files {
            assert!(append(&mut bytes, path.as_bytes(), content.as_bytes()));
        }
        bytes.into()
    }

    fn document(files: &[(&str, &str)]) -> Document {
        let c = Language::named("C").expect("the grammar is built");
        Document::new(&joined(files), View::Syntax(c))
    }

    fn shown(bytes: &[u8]) -> Vec<(String, String)> {
        let text = |range: Range<usize>| String::from_utf8_lossy(&bytes[range]).into_owned();
        let parts = parts(bytes).unwrap_or_default().into_iter();
        parts
            .map(|part| (text(part.path), text(part.content)))
            .collect()
    }

    #[test]
    fn a_joined_text_is_taken_apart_as_it_was_put_together() {
        let files = [
            ("a.c", "int a;\n"),
            ("b/empty", ""),
            ("b/c.txt", "no line break"),
        ];
        let bytes = joined(&files);
        let expected = files.map(|(path, content)| (path.to_owned(), content.to_owned()));
        assert_eq!(shown(&bytes), expected);
        let document = document(&files);
        let all = Subset::full(document.len());
        assert_eq!(document.render(&all), *bytes);
        assert_eq!(parts(b"int a;"), None);
        assert_eq!(parts(b"\0\x01a\nx\0y"), None);
    }

    #[test]
    fn a_file_can_be_deleted_and_leaves_the_others_as_they_are() {
        let files = [
            ("a.c", "int a;"),
            ("d/b.c", "int b;\n\n"),
            ("d/c.c", "\n  int c;\n"),
            ("e.js", "f()\n"),
        ];
        let document = document(&files);
        for (gone, (node, _)) in document.files().enumerate() {
            let tokens = document.tree().nodes[node].tokens();
            let kept = Subset::full(document.len()).without([tokens]);
            let mut left = files.to_vec();
            left.remove(gone);
            let left: Vec<_> = (left.iter())
                .map(|(path, content)| ((*path).to_owned(), (*content).to_owned()))
                .collect();
            assert_eq!(shown(&document.render(&kept)), left);
        }
    }

    #[test]
    fn each_file_is_read_in_its_language() {
        let files = [
            ("a.c", "int a() { b(); c(); }\n"),
            ("d.js", "let a = [1, 2];\n"),
        ];
        let document = document(&files);
        let kinds = |text: &[u8]| {
            let nodes = document.tree().nodes.enumerate();
            let nodes = nodes.filter(|(_, node)| document.text(node.tokens()) == text);
            nodes.count()
        };
        assert!(kinds(b"b();") > 0, "a statement of C");
        assert!(kinds(b"[1, 2]") > 0, "an array of JavaScript");
    }

    #[test]
    fn a_file_goes_with_what_mentions_it() {
        let files = [
            ("a.c", "#include \"lib/b.h\"\n#include \"c.h\"\nint a;\n"),
            ("lib/b.h", "int b;\n"),
            ("c.h", "int c;\n"),
        ];
        let document = document(&files);
        let left: Vec<_> = (files_with_mentions(&document).into_iter())
            .map(|unit| shown(&document.render(&Subset::full(document.len()).without(unit))))
            .collect();
        let own = |path: &str, content: &str| (path.to_owned(), content.to_owned());
        let expected = vec![
            own("a.c", "#include \"c.h\"\nint a;\n"),
            own("c.h", "int c;\n"),
        ];
        assert!(left.contains(&expected), "{left:?}");
    }
}
