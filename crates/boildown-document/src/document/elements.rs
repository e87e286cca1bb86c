//! The view of the elements of a list.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use boildown_search::Subset;
use boildown_search::tree::IdVec;

use super::builder::{Builder, NodePosition};
use super::{Document, Substitutes, View};
use crate::split::{Elements, Split};

impl Document {
    /// Reads the elements of a list. An input that is no list of this kind is one element.
    pub fn of_elements(bytes: &Arc<[u8]>, split: &Split) -> Self {
        let elements = split.elements(bytes).unwrap_or_else(|_| {
            let whole = (!bytes.is_empty()).then_some(0..bytes.len());
            Elements::from(Vec::from_iter(whole))
        });
        debug_assert!(elements.tokens.iter().all(|token| !token.is_empty()));
        let mut builder = Builder::new(Arc::clone(bytes));
        builder.open(0, NodePosition::default());
        let mut element = |tokens: &[Range<usize>]| {
            builder.open(0, NodePosition::default());
            for token in tokens {
                builder.open(0, NodePosition::default());
                builder.token(token.clone());
                builder.close();
            }
            builder.close();
        };
        let tokens = &elements.tokens;
        match elements.groups.is_empty() {
            true => tokens.chunks(1).for_each(&mut element),
            false => (elements.groups.iter()).for_each(|group| element(&tokens[group.clone()])),
        }
        builder.close();
        let mut document = builder.finish(View::Elements, IdVec::default());
        document.pinned = elements.pinned;
        document
    }

    /// Returns the kept elements. Of the texts that separated two of them in the input, the first
    /// is between them, or else every one that always stays.
    pub(super) fn render_elements(&self, kept: &Subset, substitutes: &Substitutes) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes.len());
        let mut end = 0;
        // The head is among the texts that always stay, if there is anything else.
        let begins_pinned = self.pinned.contains(&0) && !self.is_empty();
        for run in kept.runs() {
            if end == 0 && !begins_pinned {
                out.extend_from_slice(self.gap(0));
            }
            let has_pinned = self.push_pinned(&mut out, end..=run.start);
            if end > 0 && !has_pinned {
                out.extend_from_slice(self.gap(end));
            }
            let mut start = run.start;
            for (&token, text) in substitutes.range(run.clone()) {
                out.extend_from_slice(self.text(start..token));
                if start < token {
                    out.extend_from_slice(self.gap(token));
                }
                out.extend_from_slice(text);
                start = token + 1;
                if start < run.end {
                    out.extend_from_slice(self.gap(start));
                }
            }
            out.extend_from_slice(self.text(start..run.end));
            end = run.end;
        }
        if end == 0 && !begins_pinned {
            out.extend_from_slice(self.gap(0));
        }
        let all = self.len();
        if end < all && self.push_pinned(&mut out, end..=all - 1) {
            let spaces = out.iter().rev().take_while(|&&byte| byte == b' ');
            out.truncate(out.len() - spaces.count());
        }
        if all > 0 {
            out.extend_from_slice(self.gap(all));
        }
        out
    }

    /// Appends the texts in this range of gaps that always stay. Returns whether there are any.
    fn push_pinned(&self, out: &mut Vec<u8>, gaps: RangeInclusive<usize>) -> bool {
        let mut pinned =
            (self.pinned.iter()).filter(|&&gap| gaps.contains(&gap) && gap < self.len());
        let mut has_any = false;
        for &gap in pinned.by_ref() {
            let text = self.gap(gap);
            let is_apart = out.last().is_none_or(u8::is_ascii_whitespace);
            out.extend_from_slice(if is_apart && has_any {
                text.trim_ascii_start()
            } else {
                text
            });
            has_any = true;
        }
        has_any
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::split::CommandParts;

    proptest! {
        #[test]
        fn all_elements_together_are_the_input(
            text in "[a;,'\"\\\\\\[\\]{}:1 .$\n\0-]{0,24}",
            dropped in 0..24_usize,
        ) {
            let kinds = ["lines", "words", "nul", "json-lines", "json-array", "sql", "csv", "; *", "^a"];
            let kinds = kinds.map(|kind| kind.parse().expect(kind));
            let commands = [CommandParts::Arguments, CommandParts::Variables, CommandParts::All];
            for split in kinds.into_iter().chain(commands.map(Split::Command)) {
                let document = Document::of_elements(&text.as_bytes().into(), &split);
                let all = Subset::full(document.len());
                prop_assert_eq!(&document.render(&all)[..], text.as_bytes(), "{}", split);
                let fewer = all.without([dropped.min(document.len())..document.len()]);
                let fewer = document.render(&fewer);
                if split.elements(text.as_bytes()).is_ok() {
                    prop_assert!(split.elements(&fewer).is_ok(), "{} {:?}", split, fewer);
                }
            }
        }
    }

    /// Returns what is left of a list without each of its tokens, and without all.
    fn without_each(split: &Split, text: &str) -> Vec<String> {
        let document = Document::of_elements(&text.as_bytes().into(), split);
        let all = Subset::full(document.len());
        let cuts = (0..document.len()).map(|token| token..token + 1);
        let cuts = cuts.chain([0..document.len()]);
        cuts.map(|cut| document.render(&all.without([cut])))
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .collect()
    }

    #[test]
    fn an_element_goes_with_its_separator_or_its_end() {
        let lines = without_each(&Split::Lines, "a\nb\nc");
        assert_eq!(lines, ["b\nc", "a\nc", "a\nb\n", ""]);
        let words = without_each(&Split::Words, " a  b c\n");
        assert_eq!(words, [" b c\n", " a  c\n", " a  b\n", " \n"]);
        let array = without_each(&Split::JsonArray, "[1, [2, 3], {\"a\": 4}]\n");
        assert_eq!(
            array,
            [
                "[[2, 3], {\"a\": 4}]\n",
                "[1, {\"a\": 4}]\n",
                "[1, [2, 3]]\n",
                "[]\n"
            ]
        );
        assert_eq!(without_each(&Split::Csv, "h,i\n"), ["h,i\n"]);
        let table = without_each(&Split::Csv, "h,i\n1,2\n3,4\n");
        assert_eq!(table, ["h,i\n3,4\n", "h,i\n1,2\n", "h,i\n"]);
    }

    #[test]
    fn the_program_stays_between_variables_and_arguments() {
        let split = Split::Command(CommandParts::All);
        assert_eq!(
            without_each(&split, "env -i PATH=\"$PATH\" A=1 cc -o x -c\n"),
            [
                "env -i PATH=\"$PATH\" cc -o x -c\n",
                "env -i PATH=\"$PATH\" A=1 cc x -c\n",
                "env -i PATH=\"$PATH\" A=1 cc -o -c\n",
                "env -i PATH=\"$PATH\" A=1 cc -o x\n",
                "env -i PATH=\"$PATH\" cc\n",
            ]
        );
    }
}
