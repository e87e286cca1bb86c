//! Top-level nodes of a parsed text, and the part of it that an edit may parse differently.

use std::ops::Range;

use tree_sitter::{Node, Tree, TreeCursor};

use crate::stretches::Stretch;

/// A node directly below the root of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item {
    start: usize,
    end: usize,
    kind: u16,
    /// Whether it may stand anywhere, such as a comment.
    is_extra: bool,
    /// The number of error and missing nodes in it.
    pub(crate) errors: usize,
}

/// A part of a text around an edit: the items that the edit touches, and perhaps one on either
/// side.
///
/// Most languages are lists of items, each of which parses in the same way alone. So the errors of
/// a text after an edit are those of the items outside of the window, and those of a parse of the
/// window alone. For example, when a statement of a function is deleted, only that function is
/// parsed; when a function is deleted, the ones before and after it. The neighbours show where that
/// is wrong: a missing semicolon joins two items, and in a language whose items mean something else
/// at the start of a text, the neighbours parse as other items. An edit in several places has
/// several windows.
///
/// A candidate is rejected that only a later item makes whole: a comment without its end, which
/// ends with the next comment. Deletions of whole tokens do not make such candidates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window {
    /// The stretches of the edit that it holds, as indices.
    pub(crate) stretches: Range<usize>,
    /// The items of the text before the edit.
    pub(crate) items: Range<usize>,
    /// Those of them that the edit touches.
    touched: Range<usize>,
    pub(crate) extent: Extent,
    /// The bytes of the text before the edit.
    pub(crate) before: Range<usize>,
    /// The bytes of the text after the edit.
    pub(crate) after: Range<usize>,
}

/// The items of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The one item that contains the edit; its first and last byte stay.
    Inside,
    /// The items that the edit touches, and one on either side.
    WithNeighbours,
}

/// The items that replace those of a window.
#[derive(Debug, Clone)]
pub(crate) struct Splice {
    /// The items of the text before the edit.
    items: Range<usize>,
    /// The items of the text after the edit.
    instead: Vec<Item>,
    /// The end of the window before the edit, and after it.
    ends: [usize; 2],
}

/// Windows may hold one part in this many of a text. With more, incremental parsing costs less.
const LARGEST: usize = 4;

/// Returns the items of a tree. `None` if it has no list of items.
pub(crate) fn items_of(tree: &Tree) -> Option<Vec<Item>> {
    let root = tree.root_node();
    if root.is_error() {
        return None;
    }
    let mut cursor = root.walk();
    let mut items = Vec::with_capacity(root.child_count() as usize);
    let mut is_at_child = cursor.goto_first_child();
    while is_at_child {
        let node = cursor.node();
        items.push(Item {
            start: node.start_byte(),
            end: node.end_byte(),
            kind: node.kind_id(),
            is_extra: node.is_extra(),
            errors: errors_in(node),
        });
        is_at_child = cursor.goto_next_sibling();
    }
    Some(items)
}

/// Counts error and missing nodes of a tree.
pub(crate) fn count_errors(tree: &Tree) -> usize {
    errors_in(tree.root_node())
}

/// Counts error and missing nodes, visiting only subtrees that have any.
fn errors_in(top: Node<'_>) -> usize {
    let mut cursor: TreeCursor<'_> = top.walk();
    let mut errors = 0;
    loop {
        let node = cursor.node();
        errors += usize::from(node.is_error() || node.is_missing());
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return errors;
            }
        }
    }
}

/// Returns the windows of an edit of `size` bytes of text with these items. Where a stretch is
/// marked, its window has neighbours. `None` if there are no such windows, or they would be no
/// small part of the text.
pub(crate) fn windows_of(
    items: &[Item],
    size: usize,
    stretches: &[Stretch],
    with_neighbours: &[bool],
) -> Option<Vec<Window>> {
    if items.is_empty() {
        return None;
    }
    let mut windows: Vec<Window> = Vec::new();
    for (index, &with_neighbours) in with_neighbours.iter().enumerate() {
        let inside = |window: &Window| !with_neighbours && window.is_inside(items, size, stretches);
        let mut window = Window::around(items, size, stretches, index..index + 1);
        if inside(&window) {
            window.narrow(items, stretches);
        }
        while let Some(before) = windows.pop_if(|before| before.items.end > window.items.start) {
            let are_inside = [&before, &window].map(|window| window.extent == Extent::Inside);
            window = Window::around(items, size, stretches, before.stretches.start..index + 1);
            if are_inside == [true; 2] {
                window.narrow(items, stretches);
            }
        }
        windows.push(window);
    }
    let parsed: usize = windows.iter().map(|window| window.after.len()).sum();
    (!windows.is_empty() && LARGEST * parsed <= size).then_some(windows)
}

/// Returns the items of a text after an edit, which replaces some of these.
pub(crate) fn spliced(items: &[Item], splices: &[Splice]) -> Vec<Item> {
    let mut after = Vec::with_capacity(items.len());
    let (mut from, mut ends) = (0, [0; 2]);
    for splice in splices {
        let same = items[from..splice.items.start].iter();
        after.extend(same.map(|item| item.shifted(ends)));
        after.extend_from_slice(&splice.instead);
        (from, ends) = (splice.items.end, splice.ends);
    }
    after.extend(items[from..].iter().map(|item| item.shifted(ends)));
    after
}

impl Window {
    /// Returns the window of some stretches, with neighbours.
    fn around(items: &[Item], size: usize, stretches: &[Stretch], range: Range<usize>) -> Self {
        let within = &stretches[range.clone()];
        let (start, end) = (within[0].before.start, within[within.len() - 1].before.end);
        let first = items.partition_point(|item| item.end < start);
        let last = items.partition_point(|item| item.start <= end).max(first);
        let (mut low, mut high) = (first, last);
        // A comment does not keep what is before it apart from what is after it.
        while low > 0 && (low == first || items[low].is_extra) {
            low -= 1;
        }
        while high < items.len() && (high == last || items[high - 1].is_extra) {
            high += 1;
        }
        let mut window = Self {
            stretches: range,
            items: low..high,
            touched: first..last,
            extent: Extent::WithNeighbours,
            before: 0..0,
            after: 0..0,
        };
        let from = if low == 0 { 0 } else { items[low].start };
        let to = items.get(high).map_or(size, |item| item.start);
        window.set_bytes(from..to, within);
        window
    }

    /// Returns whether one item contains the stretches of the window, and is small enough.
    fn is_inside(&self, items: &[Item], size: usize, stretches: &[Stretch]) -> bool {
        let within = &stretches[self.stretches.clone()];
        let [item] = &items[self.touched.clone()] else {
            return false;
        };
        let contains =
            |stretch: &Stretch| item.start < stretch.before.start && stretch.before.end < item.end;
        LARGEST * (item.end - item.start) <= size && within.iter().all(contains)
    }

    /// Leaves out the neighbours.
    fn narrow(&mut self, items: &[Item], stretches: &[Stretch]) {
        let item = &items[self.touched.start];
        self.extent = Extent::Inside;
        self.items = self.touched.clone();
        self.set_bytes(item.start..item.end, &stretches[self.stretches.clone()]);
    }

    fn set_bytes(&mut self, before: Range<usize>, within: &[Stretch]) {
        let (first, last) = (&within[0], &within[within.len() - 1]);
        let start = before.start + first.after.start - first.before.start;
        let end = before.end - last.before.end + last.after.end;
        (self.before, self.after) = (before, start..end);
    }

    /// Returns the neighbours on either side of what is touched, with their bytes.
    pub(crate) fn neighbours(&self, items: &[Item]) -> [(Range<usize>, Range<usize>); 2] {
        let Range { start, end } = self.items;
        let sides = [start..self.touched.start, self.touched.end..end];
        sides.map(|side| {
            let bytes = match items[side.clone()] {
                [] => 0..0,
                [first, ..] => first.start..items[side.end - 1].end,
            };
            (side, bytes)
        })
    }

    /// Returns whether the window is a small part of a text of this size before the edit.
    pub(crate) fn is_small_before(&self, size: usize) -> bool {
        LARGEST * self.before.len() <= size
    }

    /// Returns the items after the edit, of which the window has these alone. `None` if the
    /// neighbours of the edit are not among them.
    pub(crate) fn after(&self, items: &[Item], alone: &[Item]) -> Option<Splice> {
        if self.extent == Extent::Inside {
            // It has to be one item still, of the same kind.
            let kind = items[self.touched.start].kind;
            let range = 0..self.after.len();
            alone.iter().find(|item| {
                alone.len() == 1 && item.kind == kind && (item.start..item.end) == range
            })?;
        }
        let before = &items[self.items.start..self.touched.start];
        let behind = &items[self.touched.end..self.items.end];
        let starts = [self.before.start, self.after.start];
        let ends = [self.before.end, self.after.end];
        let instead: Vec<Item> = (alone.iter())
            .map(|item| item.shifted([0, self.after.start]))
            .collect();
        let count = instead.len();
        let are_same = count >= before.len() + behind.len()
            && (before.iter())
                .map(|item| item.shifted(starts))
                .eq(instead[..before.len()].iter().copied())
            && (behind.iter())
                .map(|item| item.shifted(ends))
                .eq(instead[count - behind.len()..].iter().copied());
        are_same.then(|| Splice {
            items: self.items.clone(),
            instead,
            ends,
        })
    }
}

/// Returns whether some items are those of a text alone that starts at this byte.
pub(crate) fn are_alone(items: &[Item], start: usize, alone: &[Item]) -> bool {
    let alone = alone.iter().map(|item| item.shifted([0, start]));
    items.iter().copied().eq(alone)
}

impl Item {
    /// Returns the item as far from the second position as it is from the first.
    fn shifted(self, [from, to]: [usize; 2]) -> Self {
        Self {
            start: self.start + to - from,
            end: self.end + to - from,
            ..self
        }
    }
}

#[cfg(all(test, feature = "lang-c", feature = "lang-php"))]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::Language;
    use crate::parse::{Parsed, Parser};
    use crate::steps::at_once;
    use crate::stretches::stretches;

    fn program() -> String {
        let function = |number: usize| {
            format!(
                "int f{number}(int a) {{\n  if (a) {{ g(a, \"}}\"); }}\n  \
                 return a + {number};\n}}\nstruct s{number} {{ int x; }} v{number};\n#define M{number} 1\n"
            )
        };
        (0..200).map(function).collect()
    }

    /// Checks that a text after edits is accepted, or not, as a parse of the whole would have it.
    /// Returns it if it was.
    #[track_caller]
    fn check(language: &Language, base: &Parsed, text: &str) -> Option<Parsed> {
        let parser = Parser::new(language);
        let parsed = reparsed(base, &parser, text);
        let errors = language.errors(text.as_bytes());
        let whole = (errors <= base.errors).then_some(errors);
        assert_eq!(parsed.as_ref().map(|parsed| parsed.errors), whole, "{text}");
        parsed
    }

    fn reparsed(base: &Parsed, parser: &Parser, text: &str) -> Option<Parsed> {
        let bytes = text.as_bytes().into();
        let accepted = at_once(base.reparse(parser, Arc::clone(&bytes)))?;
        Some(base.after(accepted, &bytes))
    }

    fn parsed(language: &Language, text: &str) -> Parsed {
        at_once(Parsed::new(&Parser::new(language), text.as_bytes().into()))
    }

    #[test]
    fn only_the_item_that_is_edited_is_parsed_and_its_neighbours_when_it_goes() {
        let c = Language::named("C").expect("the grammar is built");
        let text = program();
        let tree = at_once(Parser::new(c).parse(text.as_bytes())).expect("it is small");
        let items = items_of(&tree).expect("a list of items");
        let sizes = |after: &str| {
            let stretches = stretches(text.as_bytes(), after.as_bytes());
            let windows = windows_of(
                &items,
                text.len(),
                &stretches,
                &vec![false; stretches.len()],
            );
            windows.map(|windows| -> Vec<usize> {
                windows.iter().map(|window| window.before.len()).collect()
            })
        };
        let function =
            text[text.find("int f7(").unwrap()..text.find("\nstruct s7 ").unwrap()].len();
        let statement = text.replace("  return a + 7;\n", "");
        assert_eq!(sizes(&statement), Some(vec![function]));
        let item = "struct s100 { int x; } v100;\n";
        let small = |size: &usize| *size > item.len() && *size < text.len() / 50;
        assert!(matches!(&*sizes(&text.replace(item, "")).unwrap(), [size] if small(size)));
        let both = statement.replace(item, "");
        assert!(
            matches!(&*sizes(&both).unwrap(), [first, size] if *first == function && small(size))
        );
        assert_eq!(sizes(&text), None);
        let half = sizes(&text[..text.len() / 2]).unwrap();
        assert!(half[0] > text.len() / 2, "the rest is not parsed");
    }

    #[test]
    fn a_neighbour_that_is_joined_to_an_edited_item_is_seen() {
        let c = Language::named("C").expect("the grammar is built");
        let text = program();
        let base = parsed(c, &text);
        let without = |part: &str| text.replacen(part, "", 1);
        assert!(check(c, &base, &without(" v50;")).is_none());
        assert!(check(c, &base, &without("  return a + 50;\n}")).is_none());
        assert!(check(c, &base, &without("  return a + 50;\n")).is_some());
    }

    #[test]
    fn a_text_whose_items_depend_on_its_start_is_parsed_as_a_whole() {
        let php = Language::named("PHP").expect("the grammar is built");
        let statement = |number: usize| format!("f({number}, array({number}));\n");
        let text: String = (0..1000).map(statement).collect();
        let text = format!("<?php\n{text}");
        let base = parsed(php, &text);
        assert_eq!(base.errors, 0);
        assert!(check(php, &base, &text.replacen("array(500)", "array(", 1)).is_none());
        assert!(check(php, &base, &text.replacen(", array(500)", "", 1)).is_some());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn windows_decide_as_a_parse_of_the_whole(
            cuts in prop::collection::vec((0_usize..20_000, 0_usize..60, 0_usize..3), 8),
        ) {
            let c = Language::named("C").expect("the grammar is built");
            let mut text = program();
            let mut base = parsed(c, &text);
            prop_assert_eq!(base.errors, 0);
            for (start, length, is_far) in cuts {
                let cut = |text: &str, start: usize| {
                    let start = start % text.len();
                    let end = (start + length).min(text.len());
                    format!("{}{}", &text[..start], &text[end..])
                };
                let mut after = cut(&text, start);
                if is_far == 0 {
                    after = cut(&after, start / 2);
                }
                let accepted = reparsed(&base, &Parser::new(c), &after);
                let errors = c.errors(after.as_bytes());
                prop_assert_eq!(accepted.is_some(), errors == 0, "{}", after);
                if let Some(accepted) = accepted {
                    prop_assert_eq!(&*accepted.bytes, after.as_bytes());
                    (base, text) = (accepted, after);
                }
            }
        }
    }
}
