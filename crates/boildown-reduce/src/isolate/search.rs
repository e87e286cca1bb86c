//! The search that narrows the difference.

use std::ops::Range;
use std::sync::Arc;

use boildown_document::{Language, fingerprint};
use boildown_search::changes::Isolate;
use boildown_search::{Fingerprint, Fingerprinted, Query, Search, Subset, Verdict};
use rpds::RedBlackTreeMapSync;

use super::difference::Difference;
use super::level::{Finest, Ladder, Level};

/// An input to be tested.
#[derive(Debug, Clone)]
pub struct Text {
    bytes: Arc<[u8]>,
    fingerprint: Fingerprint,
}

impl Text {
    fn new(bytes: Arc<[u8]>) -> Self {
        Self {
            fingerprint: fingerprint(&bytes),
            bytes,
        }
    }

    /// Returns the bytes.
    #[must_use]
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }
}

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Fingerprinted for Text {
    fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }
}

/// Narrows the difference between an input that passes and one that fails, from both sides, and
/// level by level from nodes to characters.
///
/// Each level compares the two inputs that the one before left, in finer units, and runs
/// [`Isolate`] on the changes between them. `Interesting` means that an input fails,
/// `Uninteresting` that it passes, `Unresolved` that it does neither.
///
/// For example, with a passing `f(1); g(2);` and a failing `h(1); g(345);`, the first level has one
/// change for each statement. If the second alone makes the input fail, both sides become `f(1);`
/// there, and the next level looks for the tokens of `g(345);` that matter.
///
/// # Guarantee
/// [`passing`](Self::passing) was told `Uninteresting` and [`failing`](Self::failing)
/// `Interesting`, or they are the inputs given. When the search is finished, the difference is
/// 1-minimal in the finest units: it is a single change, or each single change of it, applied to
/// the passing input or reverted in the failing one, was told `Unresolved`. It explains the failure
/// in the context that both inputs share.
/// # Cost
/// The sum of the levels: each about log₂ of its number of changes when little is unresolved, O(n²)
/// for n changes in the worst case. No input is asked about twice. Making a query copies the input;
/// each level reads and compares both inputs once.
/// # Units
/// A change deletes a unit, inserts one, or replaces one by another. Characters are deleted and
/// inserted separately.
/// # Source
/// A. Zeller, R. Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, IEEE TSE 28(2),
/// 2002, dd, as in [`Isolate`]. The levels are those of hierarchical delta debugging (G. Misherghi,
/// Z. Su, ICSE 2006), applied to differences.
#[derive(Debug, Clone)]
pub struct Isolation {
    ladder: Ladder,
    level: Level,
    difference: Arc<Difference>,
    narrowing: Isolate,
    /// The next query. Invariant: not in `known`; `None` only when the search is finished.
    open: Option<Query<Text>>,
    /// Every verdict so far; the inputs of one level come up again in another.
    known: RedBlackTreeMapSync<Fingerprint, Verdict>,
}

impl Isolation {
    /// Starts between an input that is known to pass and one that is known to fail.
    ///
    /// # Panics
    /// When one of them is longer than [`Document::MAX`](boildown_document::Document::MAX).
    #[must_use]
    pub fn between(
        passing: &Arc<[u8]>,
        failing: &Arc<[u8]>,
        language: Option<&'static Language>,
        finest: Finest,
    ) -> Self {
        let ladder = Ladder::new([passing, failing], language, finest);
        let level = ladder.first();
        let difference = Difference::new(passing, failing, level);
        let mut known = RedBlackTreeMapSync::new_sync();
        known.insert_mut(fingerprint(passing), Verdict::Uninteresting);
        known.insert_mut(fingerprint(failing), Verdict::Interesting);
        let mut isolation = Self {
            ladder,
            level,
            narrowing: all_of(&difference),
            difference: Arc::new(difference),
            open: None,
            known,
        };
        isolation.advance();
        isolation
    }

    /// Returns the passing input that is closest to the failing one.
    #[must_use]
    pub fn passing(&self) -> Arc<[u8]> {
        self.difference.apply(self.narrowing.passing())
    }

    /// Returns the failing input that is closest to the passing one.
    #[must_use]
    pub fn failing(&self) -> Arc<[u8]> {
        self.difference.apply(self.narrowing.failing())
    }

    /// Returns the number of remaining changes, in the units of the current level.
    #[must_use]
    pub fn changes(&self) -> usize {
        self.narrowing.difference().len()
    }

    /// Returns the number of bytes that the remaining changes delete and insert.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let changes = self.narrowing.difference().iter();
        changes
            .map(|at| self.difference.change(at))
            .map(|change| change.before.len() + change.after.len())
            .sum()
    }

    /// Returns where the two inputs differ: ranges of the passing one, and the ranges of the
    /// failing one that replace them. Ascending; everything between is equal.
    #[must_use]
    pub fn places(&self) -> Vec<(Range<usize>, Range<usize>)> {
        let (passing, failing) = (self.narrowing.passing(), self.narrowing.failing());
        self.difference.differing_ranges(passing, failing)
    }

    /// Returns what the units of the current level are called: `nodes`, `lines`, `tokens`,
    /// `characters` or `bytes`.
    #[must_use]
    pub fn units(&self) -> &'static str {
        self.level.name()
    }

    /// Moves on to the next query whose verdict is not known, through several levels if necessary.
    fn advance(&mut self) {
        self.open = None;
        loop {
            let Some(query) = self.narrowing.ask() else {
                if self.descend() {
                    continue;
                }
                return;
            };
            let query = query.map(|applied| Text::new(self.difference.apply(&applied)));
            let Some(&verdict) = self.known.get(&query.candidate.fingerprint) else {
                self.open = Some(query);
                return;
            };
            self.narrowing.tell(verdict);
        }
    }

    /// Continues with the next finer level, if there is one.
    fn descend(&mut self) -> bool {
        let Some(finer) = (self.ladder).after(self.level, self.difference.goes_deeper) else {
            return false;
        };
        let difference = Difference::new(&self.passing(), &self.failing(), finer);
        self.level = finer;
        self.narrowing = all_of(&difference);
        self.difference = Arc::new(difference);
        true
    }
}

/// Returns the search over all changes of a difference.
fn all_of(difference: &Difference) -> Isolate {
    let all = Subset::full(difference.len());
    Isolate::between(all.without([0..difference.len()]), all)
}

impl Search for Isolation {
    type Candidate = Text;

    fn ask(&self) -> Option<Query<Text>> {
        self.open.clone()
    }

    fn tell(&mut self, verdict: Verdict) {
        if let Some(query) = self.open.take() {
            self.known.insert_mut(query.candidate.fingerprint, verdict);
            self.narrowing.tell(verdict);
            self.advance();
        }
    }

    fn skip(&mut self) {
        if let Some(query) = self.open.take() {
            let known = Verdict::Unresolved;
            self.known.insert_mut(query.candidate.fingerprint, known);
            self.narrowing.skip();
            self.advance();
        }
    }

    fn best(&self) -> Text {
        Text::new(self.failing())
    }
}

#[cfg(test)]
mod tests {
    use boildown_search::run;
    use proptest::prelude::*;

    use super::*;

    fn bytes(text: &str) -> Arc<[u8]> {
        text.as_bytes().into()
    }

    /// Isolates with a closure; returns the two sides and the finished search.
    fn isolate(
        [passing, failing]: [&str; 2],
        language: Option<&str>,
        judge: impl Fn(&str) -> Verdict,
    ) -> (String, String, Isolation) {
        let language = language.map(|name| Language::named(name).expect("the grammar is built"));
        let search = Isolation::between(
            &bytes(passing),
            &bytes(failing),
            language,
            Finest::Characters,
        );
        let ended = run(search, |text| {
            judge(std::str::from_utf8(text.bytes()).expect("characters stay whole"))
        });
        let text = |bytes: Arc<[u8]>| String::from_utf8(bytes.to_vec()).expect("still UTF-8");
        (text(ended.passing()), text(ended.failing()), ended)
    }

    #[test]
    fn printing_a_select_tag_differs_in_one_character() {
        let page = r#"<SELECT NAME="priority" MULTIPLE SIZE=7>"#;
        let judge = |text: &str| match text.contains("<SELECT") {
            true => Verdict::Interesting,
            false => Verdict::Uninteresting,
        };
        let (passing, failing, ended) = isolate(["", page], None, judge);
        assert_eq!(ended.bytes(), 1);
        assert_eq!((passing.as_str(), failing.as_str()), ("<SELEC", "<SELECT"));
    }

    /// Fails with `eval`, is unresolved with unbalanced parentheses or braces, and passes
    /// otherwise.
    fn needs_pairs(text: &str) -> Verdict {
        let mut open = Vec::new();
        for char in text.chars() {
            match char {
                '(' => open.push(')'),
                '{' => open.push('}'),
                ')' | '}' if open.pop() != Some(char) => return Verdict::Unresolved,
                _ => {}
            }
        }
        match (open.is_empty(), text.contains("eval")) {
            (false, _) => Verdict::Unresolved,
            (true, true) => Verdict::Interesting,
            (true, false) => Verdict::Uninteresting,
        }
    }

    #[test]
    fn one_call_out_of_many_changes_to_a_program_is_isolated_with_few_queries() {
        let item = |call: &str, at: usize| format!("function f{at}() {{ return {call}({at}); }}\n");
        let before: String = (0..40).map(|at| item("g", at)).collect();
        let after: String = (0..40)
            .map(|at| item(if at == 23 { "eval" } else { "h" }, at))
            .collect();
        let mut queries = 0;
        let count = std::cell::RefCell::new(&mut queries);
        let judge = |text: &str| {
            **count.borrow_mut() += 1;
            needs_pairs(text)
        };
        let (passing, failing, ended) = isolate([&before, &after], Some("JavaScript"), judge);
        assert_eq!(needs_pairs(&passing), Verdict::Uninteresting);
        assert_eq!(needs_pairs(&failing), Verdict::Interesting);
        assert_eq!(ended.changes(), 1, "{passing}\n{failing}");
        assert_eq!(passing.lines().count(), 40);
        let differ = |(old, new): &(&str, &str)| old != new;
        let pairs: Vec<_> = passing
            .lines()
            .zip(failing.lines())
            .filter(differ)
            .collect();
        assert_eq!(pairs.len(), 1);
        assert!(pairs[0].1.starts_with("function f23"), "{pairs:?}");
        assert!(queries < 20, "{queries}");
    }

    #[test]
    fn a_call_that_passes_only_as_a_whole_is_the_difference() {
        let before = "start();\nstop();\n";
        let after = "start();\nif (ready(now)) { eval(now); }\nstop();\n";
        let whole = "if (ready(now)) { eval(now); }";
        let judge = |text: &str| {
            let rest: String = text.replace(whole, "").split_whitespace().collect();
            if rest != "start();stop();" {
                return Verdict::Unresolved;
            }
            needs_pairs(text)
        };
        let (_, _, ended) = isolate([before, after], Some("JavaScript"), judge);
        // White space passes, so both sides have it.
        assert_eq!(ended.bytes(), whole.replace(' ', "").len());
    }

    #[test]
    fn inputs_that_are_not_utf_8_are_isolated_to_bytes() {
        let passing: Arc<[u8]> = (0..=255).collect();
        let failing: Arc<[u8]> = (0..=255).map(|byte: u8| byte.reverse_bits()).collect();
        let search = Isolation::between(&passing, &failing, None, Finest::Characters);
        let ended = run(search, |text| {
            if text.bytes().windows(2).any(|pair| pair == [0xc0, 0x20]) {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            }
        });
        assert_eq!((ended.bytes(), ended.units()), (1, "bytes"));
    }

    #[test]
    fn isolation_stops_at_the_finest_units_requested() {
        let (before, after) = (bytes("one two\nthree four\n"), bytes("one 2\nthree 4\n"));
        let units = |finest| {
            let search = Isolation::between(&before, &after, None, finest);
            let ended = run(search, |text| match text.bytes().contains(&b'4') {
                true => Verdict::Interesting,
                false => Verdict::Uninteresting,
            });
            (ended.units(), ended.bytes())
        };
        assert_eq!(units(Finest::Lines), ("lines", 19));
        assert_eq!(units(Finest::Tokens), ("tokens", 5));
        assert_eq!(units(Finest::Characters), ("characters", 1));
    }

    /// Texts over a few words, so that two of them have something in common.
    fn texts() -> impl Strategy<Value = String> {
        let word = prop::sample::select(vec!["a", "bb", "f(x)", "{", "}", ";", "\n", "  ", "é"]);
        prop::collection::vec(word, 0..12).prop_map(|words| words.concat())
    }

    const LANGUAGES: &[Option<&str>] = &[None, Some("C")];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        #[test]
        fn the_difference_is_1_minimal_whatever_the_verdicts(
            passing in texts(),
            failing in texts(),
            language in prop::sample::select(LANGUAGES),
            seed in 0_u8..8,
            resolved in 0_u8..=8,
        ) {
            prop_assume!(passing != failing);
            // An arbitrary verdict on every text except the two inputs.
            let judge = |text: &str| {
                let [first, second, ..] = *blake3::keyed_hash(&[seed; 32], text.as_bytes()).as_bytes();
                if text == passing || text != failing && first % 8 < resolved && second % 2 == 0 {
                    Verdict::Uninteresting
                } else if text == failing || first % 8 < resolved {
                    Verdict::Interesting
                } else {
                    Verdict::Unresolved
                }
            };
            let asked = std::cell::RefCell::new(std::collections::BTreeSet::new());
            let (old, new, ended) = isolate([&passing, &failing], language, |text| {
                assert!(asked.borrow_mut().insert(text.to_owned()), "asked twice: {text:?}");
                judge(text)
            });
            prop_assert_eq!(judge(&old), Verdict::Uninteresting);
            prop_assert_eq!(judge(&new), Verdict::Interesting);
            let left = ended.narrowing.difference();
            for at in left.iter().filter(|_| left.len() > 1) {
                let (old, new) = (ended.narrowing.passing(), ended.narrowing.failing());
                for text in [old.with([at..at + 1]), new.without([at..at + 1])] {
                    let text = ended.difference.apply(&text);
                    let text = std::str::from_utf8(&text).expect("characters stay whole");
                    prop_assert_eq!(judge(text), Verdict::Unresolved, "{:?}", text);
                }
            }
        }
    }
}
