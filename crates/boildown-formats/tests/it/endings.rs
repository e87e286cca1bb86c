//! Reductions end, whatever the verdicts are.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use boildown_document::{Candidate, Language};
use boildown_reduce::reduction;
use boildown_search::{Fingerprinted as _, Search as _, Verdict};
use proptest::prelude::*;

use crate::chance::chance;

const SAMPLES: &str = include_str!("../../../boildown-document/src/languages/samples.txt");

/// Returns the name and the sample of each language.
fn samples() -> impl Iterator<Item = (&'static str, &'static str)> {
    SAMPLES
        .split("==== ")
        .skip(1)
        .filter_map(|sample| sample.split_once('\n'))
}

/// Reduces a text to the end. Fails when a text becomes the best one for a second time, or when
/// there are many more steps, of planning and of verdicts, than the length of the text explains.
///
/// Candidates whose verdict is known are answered without being counted, as by a driver.
fn check(
    language: &str,
    text: &str,
    judge: impl Fn(&Candidate) -> Verdict,
) -> Result<(), TestCaseError> {
    let input: Arc<[u8]> = text.as_bytes().into();
    let mut search = reduction(
        &input,
        Language::named(language),
        boildown_formats::strategy(),
    );
    let mut verdicts = HashMap::new();
    let mut best = input;
    let mut bests = HashSet::from([Arc::clone(&best)]);
    let mut steps = 0;
    loop {
        steps += 1;
        prop_assert!(
            steps < 20_000 + 1_000 * text.len(),
            "{language}: {} verdicts on {text:?}, which became {:?}",
            verdicts.len(),
            String::from_utf8_lossy(&best)
        );
        if !search.is_ready() {
            search.prepare();
            continue;
        }
        let Some(query) = search.ask() else {
            return Ok(());
        };
        let content = query.candidate.fingerprint();
        match verdicts.get(&content) {
            Some(Verdict::Interesting) => search.tell(Verdict::Interesting),
            Some(_) => search.skip(),
            None => {
                let verdict = judge(&query.candidate);
                verdicts.insert(content, verdict);
                search.tell(verdict);
            }
        }
        let now = search.best();
        if *now.bytes() != best {
            best = Arc::clone(now.bytes());
            prop_assert!(
                bests.insert(Arc::clone(&best)),
                "{language}: {text:?} becomes {:?} again",
                String::from_utf8_lossy(&best)
            );
        }
    }
}

#[test]
fn a_deletion_and_a_rewriting_do_not_undo_each_other() {
    let judge = |candidate: &Candidate| {
        let text = String::from_utf8_lossy(candidate.bytes()).into_owned();
        // `define.i32`, as `grep` looks for it.
        let mut places = text.match_indices("define");
        match places.any(|(at, _)| {
            text.get(at + 7..)
                .is_some_and(|rest| rest.starts_with("i32"))
        }) {
            true => Verdict::Interesting,
            false => Verdict::Uninteresting,
        }
    };
    check("LLVM IR", "define_i32 foo bar\nlabel x\n", judge).unwrap();
}

#[test]
fn every_sample_ends_when_all_or_half_of_the_candidates_are_interesting() {
    for (language, text) in samples() {
        for one_in in [1, 2, 3, 30] {
            check(language, text, |candidate| chance(candidate, 1, one_in)).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Texts with the words of a language, but hardly ever with its grammar.
    #[test]
    fn shreds_of_every_language_end(
        sample in any::<prop::sample::Index>(),
        shreds in prop::collection::vec((any::<prop::sample::Index>(), 1_usize..12, "[ _\n;(+.]?"), 1..12),
        seed in any::<u64>(),
        one_in in 1_u64..8,
    ) {
        let all: Vec<_> = samples().collect();
        let (language, sample) = all[sample.index(all.len())];
        let characters: Vec<char> = sample.chars().collect();
        let mut text = String::new();
        for (start, length, end) in shreds {
            text.extend(characters[start.index(characters.len())..].iter().take(length));
            text += &end;
        }
        check(language, &text, |candidate| chance(candidate, seed, one_in))?;
    }
}
