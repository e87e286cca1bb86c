//! Documents keep every byte, of any input and under any view.

use std::ops::Range;
use std::sync::Arc;

use boildown_document::{Document, Language, View};
use boildown_search::Subset;
use proptest::prelude::*;

fn views() -> Vec<View> {
    let languages = Language::all().iter().map(View::Syntax);
    languages
        .chain([
            View::Blocks,
            View::Lines,
            View::Elements,
            View::Bytes(1),
            View::Bytes(7),
        ])
        .collect()
}

/// Checks that rendering all tokens yields the input, and that any part of it can be rendered and
/// read again.
fn check(bytes: &[u8], view: View, dropped: &[usize]) -> Result<(), TestCaseError> {
    let document = Document::new(&bytes.into(), view);
    let everything = Subset::full(document.len());
    prop_assert_eq!(document.render(&everything), bytes, "{:?}", view);
    let cuts = dropped.iter().map(|&start| start % (document.len() + 1));
    let part = everything.without(cuts.map(|start| start..(start + 2).min(document.len())));
    let rendered = document.render(&part);
    prop_assert!(document.count_tokens(&part) <= document.count_tokens(&everything));
    // The next pass reads the result of the one before.
    let again = Document::new(&Arc::from(rendered.as_slice()), view);
    prop_assert_eq!(again.render(&Subset::full(again.len())), rendered);
    for node in &document.tree().nodes {
        let Range { start, end } = node.tokens();
        prop_assert!(start <= end && end <= document.len());
    }
    let tree = document.tree();
    for list in &tree.lists {
        let elements = tree.elements(list).iter();
        let ends: Vec<_> = elements.map(|&node| tree.nodes[node].tokens()).collect();
        prop_assert!(ends.windows(2).all(|pair| pair[0].end <= pair[1].start));
        prop_assert!(list.end() >= ends.last().map_or(0, |last| last.end));
    }
    Ok(())
}

/// Generates bytes that resemble a text: words, brackets, quotes, line breaks, and arbitrary bytes.
fn texts() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        "[a-z]{1,4}".prop_map(String::into_bytes),
        "[-+*/=<>!.,;:#'\"(){}\\[\\]\\\\ \t]".prop_map(String::into_bytes),
        Just(b"\n".to_vec()),
        Just(b"\r\n    ".to_vec()),
        Just(b"if ".to_vec()),
        Just(b"0x1F".to_vec()),
        "\\PC".prop_map(String::into_bytes),
        proptest::collection::vec(any::<u8>(), 1..3),
    ];
    proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn every_view_renders_any_bytes_unchanged(bytes in texts(), dropped in proptest::collection::vec(any::<usize>(), 0..5)) {
        for view in views() {
            check(&bytes, view, &dropped)?;
        }
    }
}

#[test]
fn empty_and_blank_inputs_have_no_tokens() {
    for view in views() {
        for text in ["", "\n", " \r\n\t\n"] {
            let document = Document::new(&text.as_bytes().into(), view);
            if !matches!(view, View::Lines | View::Elements | View::Bytes(_)) {
                assert!(document.is_empty(), "{view:?} {text:?}");
            }
            assert_eq!(
                document.render(&Subset::full(document.len())),
                text.as_bytes()
            );
        }
    }
}
