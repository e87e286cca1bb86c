//! Lines of a tree of changes that are cut into words.

use boildown_changes::{ChangeTree, Configuration, CutLines, WordTree};
use boildown_search::Subset;

use crate::TwoDirectories;

fn two(old: &str, new: &str) -> TwoDirectories {
    TwoDirectories::new(&[("a", Some(old.as_bytes()), Some(new.as_bytes()))])
}

/// Cuts all lines, each a statement of its own.
fn cut(two: &TwoDirectories, tree: &ChangeTree, which: CutLines) -> Option<WordTree> {
    let statements: Vec<u32> = (0..).take(tree.len()).collect();
    let all = Subset::full(tree.len());
    (tree.cut_to_words(&all, &statements, which, &two.contents)).unwrap()
}

fn text(two: &TwoDirectories, files: &Configuration) -> String {
    let file = files.get(&"a".into()).unwrap();
    let bytes = match file.bytes {
        Some(bytes) => bytes,
        None => two.contents.read(file.id).unwrap(),
    };
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Compares each word: its place, and the text in which only that word is changed.
#[track_caller]
fn check(old: &str, new: &str, expected: &[(&str, &str)]) {
    let two = two(old, new);
    let tree = two.tree();
    let words = cut(&two, &tree, CutLines::Needed).unwrap();
    let found = (0..words.tree().len()).map(|word| {
        let one = Subset::full(words.tree().len()).only(word..word + 1);
        let files = two.configuration(words.tree(), &one);
        (words.tree().location(word), text(&two, &files))
    });
    let found: Vec<(String, String)> = found.collect();
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|(at, text)| (&at[..], &text[..]))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn each_word_of_a_line_can_be_changed_alone() {
    check(
        "first\ncpu=4 mem=512\n",
        "first\ncpu=8 mem=128",
        &[
            ("a:2:5", "first\ncpu=8 mem=512\n"),
            ("a:2:11", "first\ncpu=4 mem=128\n"),
            ("a:2:14", "first\ncpu=4 mem=512"),
        ],
    );
    check(
        "\u{fc}ber a=1 b\n",
        "\u{fc}ber a=2\tb\n",
        &[
            ("a:1:8", "\u{fc}ber a=2 b\n"),
            ("a:1:9", "\u{fc}ber a=1\tb\n"),
        ],
    );
}

#[test]
fn a_short_line_with_one_changed_word_is_left_whole() {
    let two = two("limit=10\n", "limit=9\n");
    let tree = two.tree();
    assert!(cut(&two, &tree, CutLines::Needed).is_none());
    let all = cut(&two, &tree, CutLines::All).unwrap();
    assert_eq!(all.tree().location(0), "a:1:7");
    let word = all.word(0, &two.contents).unwrap().unwrap();
    assert_eq!(
        (&word.deleted[..], &word.inserted[..]),
        (&b"10"[..], &b"9"[..])
    );
    assert_eq!(word.around, [b"limit=".to_vec(), Vec::new()]);
}

/// Returns a text for each number: parts of lines in some order.
fn text_of(number: u64) -> String {
    let parts = [
        "a", "b1", "c = ", "(", ", ", "  ", "\t", "\r\n", "\n", "\n    ", "a, ",
    ];
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap()
    };
    let count = next() % 24;
    (0..count).map(|_| parts[next() % parts.len()]).collect()
}

#[test]
fn whole_lines_are_the_same_with_words() {
    for number in 0..300 {
        let (old, new) = (text_of(2 * number), text_of(2 * number + 1));
        let two = two(&old, &new);
        let tree = two.tree();
        let Some(words) = cut(&two, &tree, CutLines::All) else {
            continue;
        };
        let all = Subset::full(words.tree().len());
        assert_eq!(text(&two, &two.configuration(words.tree(), &all)), new);
        assert_eq!(
            text(&two, &two.configuration(words.tree(), &all.only(0..0))),
            old
        );
        let left_out = (0..tree.len()).filter(|line| number >> (line % 8) & 1 == 0);
        let lines = Subset::full(tree.len()).without(left_out.map(|line| line..line + 1));
        let [whole, touched] = words.lines_of(&words.words_of(&lines));
        assert_eq!(whole.count(), touched.count());
        let by_lines = two.configuration(&tree, &whole);
        let by_words = two.configuration(words.tree(), &words.words_of(&whole));
        assert_eq!(
            text(&two, &by_words),
            text(&two, &by_lines),
            "{old:?} {new:?}"
        );
    }
}
