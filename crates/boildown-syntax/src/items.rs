//! Top-level nodes of a parsed text, and the part of it that an edit may parse differently.

use std::ops::Range;

use tree_sitter::{Node, Tree, TreeCursor};

use crate::common_ends::{common_end, common_start};

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

/// A stretch of a text around an edit: the items that the edit touches, and perhaps one on either
/// side.
///
/// Most languages are lists of items, each of which parses in the same way alone. So the errors of
/// a text after an edit are those of the items outside of the window, and those of a parse of the
/// window alone. For example, when a statement of a function is deleted, only that function is
/// parsed; when a function is deleted, the ones before and after it. The neighbours show where that
/// is wrong: a missing semicolon joins two items, and in a language whose items mean something else
/// at the start of a text, the neighbours parse as other items.
///
/// A candidate is rejected that only a later item makes whole: a comment without its end, which
/// ends with the next comment. Deletions of whole tokens do not make such candidates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window {
    /// The items of the text before the edit.
    pub(crate) items: Range<usize>,
    /// Those of them that the edit touches.
    touched: Range<usize>,
    extent: Extent,
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

/// A window may hold one part in this many of a text. With more, incremental parsing costs less.
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

impl Window {
    /// Returns the window of the edit that makes `new` of `old`, which has these items. `None` if
    /// the texts are equal, there is no such window, or it would be no small part of the text.
    pub(crate) fn around(items: &[Item], old: &[u8], new: &[u8], extent: Extent) -> Option<Self> {
        let start = common_start(old, new);
        let same_after = common_end(&old[start..], &new[start..]);
        let edit = start..old.len() - same_after;
        if edit.is_empty() && old.len() == new.len() {
            return None;
        }
        let first = items.partition_point(|item| item.end < edit.start);
        let last = items
            .partition_point(|item| item.start <= edit.end)
            .max(first);
        let (mut low, mut high) = (first, last);
        let (from, to);
        match extent {
            Extent::Inside => {
                let item = items.get(first).filter(|_| last == first + 1)?;
                if item.start >= edit.start || edit.end >= item.end {
                    return None;
                }
                (from, to) = (item.start, item.end);
            }
            Extent::WithNeighbours => {
                // A comment does not keep what is before it apart from what is after it.
                while low > 0 && (low == first || items[low].is_extra) {
                    low -= 1;
                }
                while high < items.len() && (high == last || items[high - 1].is_extra) {
                    high += 1;
                }
                from = if low == 0 { 0 } else { items[low].start };
                to = items.get(high).map_or(old.len(), |item| item.start);
            }
        }
        (LARGEST * (to - from) <= old.len()).then(|| Self {
            items: low..high,
            touched: first..last,
            extent,
            before: from..to,
            after: from..to + new.len() - old.len(),
        })
    }

    /// Returns whether a parse of the window alone, before the edit, has just these items.
    pub(crate) fn is_before(&self, items: &[Item], alone: &[Item]) -> bool {
        let expected = items[self.items.clone()].iter();
        expected
            .copied()
            .eq(alone.iter().map(|item| item.moved(self.before.start)))
    }

    /// Returns the items of the text after the edit, of which the window has these alone. `None` if
    /// the neighbours of the edit are not among them.
    pub(crate) fn after(&self, items: &[Item], alone: &[Item]) -> Option<Vec<Item>> {
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
        let shift = |item: &Item| Item {
            start: item.start + self.after.end - self.before.end,
            end: item.end + self.after.end - self.before.end,
            ..*item
        };
        let alone: Vec<Item> = alone
            .iter()
            .map(|item| item.moved(self.after.start))
            .collect();
        let are_same = alone.starts_with(before)
            && alone[before.len()..].ends_with(&behind.iter().map(shift).collect::<Vec<_>>());
        are_same.then(|| {
            let outside = items[..self.items.start].iter().copied();
            let rest = items[self.items.end..].iter().map(shift);
            outside.chain(alone).chain(rest).collect()
        })
    }
}

impl Item {
    fn moved(self, by: usize) -> Self {
        Self {
            start: self.start + by,
            end: self.end + by,
            ..self
        }
    }
}

#[cfg(all(test, feature = "lang-c", feature = "lang-php"))]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Language;
    use crate::parse::{Parsed, Parser};
    use crate::steps::at_once;

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
        let parsed = at_once(base.reparse(&parser, text.as_bytes().into()));
        let errors = language.errors(text.as_bytes());
        let whole = (errors <= base.errors).then_some(errors);
        assert_eq!(parsed.as_ref().map(|parsed| parsed.errors), whole, "{text}");
        parsed
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
        let size = |after: &str, extent| {
            let window = Window::around(&items, text.as_bytes(), after.as_bytes(), extent);
            window.map(|window| window.before.len())
        };
        let function =
            text[text.find("int f7(").unwrap()..text.find("\nstruct s7 ").unwrap()].len();
        let statement = text.replace("  return a + 7;\n", "");
        assert_eq!(size(&statement, Extent::Inside), Some(function));
        let item = text.replace("struct s100 { int x; } v100;\n", "");
        assert_eq!(size(&item, Extent::Inside), None);
        assert!(size(&item, Extent::WithNeighbours).unwrap() < text.len() / 50);
        assert_eq!(size(&text, Extent::WithNeighbours), None);
        assert_eq!(size(&text[..text.len() / 2], Extent::WithNeighbours), None);
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
                let accepted = at_once(base.reparse(&Parser::new(c), after.as_bytes().into()));
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
