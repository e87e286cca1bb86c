//! Comments: the pass that deletes what a compiler does not read.

use std::ops::Range;

use boildown_document::{Document, Language};
use boildown_search::tree::NodeId;
use tree_sitter::Language as Grammar;

use crate::edit::Edit;
use crate::grouped_edits::EditGroup;

/// Returns the edits that delete line markers, and those that delete comments. In a preprocessed
/// program of 3.6 MB, line markers are 8 % of the text, and nothing else deletes them together.
pub(crate) fn deleted(document: &Document, language: &'static Language) -> [EditGroup; 2] {
    let tree = document.tree();
    let grammar = language.grammar();
    let is_comment = |node: NodeId| {
        let kind = grammar.node_kind_for_id(tree.nodes[node].kind);
        kind.is_some_and(|kind| kind.contains("comment"))
    };
    let markers = deletions(document, |node| is_line_marker(document, &grammar, node));
    [markers, deletions(document, is_comment)]
}

/// Returns whether a node is a directive whose words are no names of the program: a line marker, or
/// what says to one compiler how to read the next lines (`#pragma GCC visibility push`).
pub(crate) fn is_for_compiler(document: &Document, grammar: &Grammar, node: NodeId) -> bool {
    let Range { start, end } = document.tree().nodes[node].tokens();
    let is_pragma = || {
        let mut words = (start..end.min(start + 3)).map(|at| document.token(at));
        words.next() == Some(b"#")
            && words.next() == Some(b"pragma")
            && matches!(words.next(), Some(b"GCC" | b"clang"))
    };
    is_line_marker(document, grammar, node) || is_pragma()
}

/// Returns whether a node says where the next line came from: `# 12 "a.h" 3`.
fn is_line_marker(document: &Document, grammar: &Grammar, node: NodeId) -> bool {
    let tree = document.tree();
    let Range { start, end } = tree.nodes[node].tokens();
    start + 1 < end
        && document.token(start) == b"#"
        && document.token(start + 1)[0].is_ascii_digit()
        && grammar.node_kind_for_id(tree.nodes[node].kind) == Some("preproc_call")
}

/// Returns the tokens of the outermost nodes of this kind.
fn deletions(document: &Document, is_kind: impl Fn(NodeId) -> bool) -> EditGroup {
    let tree = document.tree();
    let mut end = NodeId::ROOT;
    let nodes = tree.nodes.ids().skip(1).filter(|&node| {
        let is_outer = node >= end && is_kind(node);
        if is_outer {
            end = tree.nodes[node].end;
        }
        is_outer
    });
    nodes
        .map(|node| vec![Edit::deletion(&tree.nodes[node].tokens())])
        .collect()
}

#[cfg(test)]
mod tests {
    use boildown_document::Check;
    use boildown_search::algorithms::Algorithm;

    use super::*;
    use crate::grouped_edits::GroupedEdits;
    use crate::reduced_text::{program, reduced};

    #[test]
    fn line_markers_go_at_once_and_then_comments() {
        let text =
            "# 1 \"a.h\" 1 3 4\nint a; // first\n# 2 \"b.cpp\" 2\n#define c 1\nint /* d */ b;\n";
        let (document, language) = program(text);
        let run = |words: &[&str]| {
            let groups = deleted(&document, language);
            let search =
                GroupedEdits::new(&document, groups, &Algorithm::default(), 1, Check::Nothing);
            let (result, queries) = reduced(search, words);
            let words: Vec<&str> = result.split_whitespace().collect();
            (words.join(" "), queries)
        };
        let left = String::from("int a; #define c 1 int b;");
        assert_eq!(run(&[]), (left, 2));
        let (left, _) = run(&["b.cpp"]);
        assert_eq!(left, "int a; # 2 \"b.cpp\" 2 #define c 1 int b;");
    }
}
