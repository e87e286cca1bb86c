//! The guarantee of a finished reduction: no single token can be deleted.

use std::sync::Arc;

use boildown_document::{Candidate, Check, Document, Language, View};
use boildown_reduce::reduction;
use boildown_search::{Search as _, Subset, Verdict, run};
use proptest::prelude::*;

use crate::chance::chance;

const TEXTS: [(&str, &str); 4] = [
    (
        "C",
        "int f(int a, char *b) { if (a > 1) { return b[a]; } g(\"x y\", a, 3); }\nstruct s { int x; } t;\n",
    ),
    (
        "Python",
        "def f(a, b=1):\n    if a:\n        return [x for x in b]\n    print('hi there', a)\n",
    ),
    (
        "JSON",
        "{\"a\": [1, 2, {\"b\": null}], \"c\": \"some words\"}",
    ),
    (
        "",
        "(module (func $f (i32.const 1))\n  (data \"x\"))\nline two\n",
    ),
];

/// Reduces one of the texts with random verdicts, then asks about the deletion of every single
/// token.
fn check(seed: u64, one_in: u64, text: usize) -> Result<(), TestCaseError> {
    let (name, text) = TEXTS[text];
    let language = Language::named(name);
    let search = reduction(
        &text.as_bytes().into(),
        language,
        boildown_formats::strategy(),
    );
    let best = run(search, |candidate| chance(candidate, seed, one_in)).best();
    let view = language.map_or(View::Bytes(1), View::Syntax);
    let document = Arc::new(Document::new(best.bytes(), view));
    let everything = Subset::full(document.len());
    for token in 0..document.len() {
        let without = everything.without([token..token + 1]);
        let candidate = Candidate::new(Arc::clone(&document), without, Check::Nothing);
        prop_assert_eq!(
            chance(&candidate, seed, one_in),
            Verdict::Uninteresting,
            "{:?} can be reduced to {:?}",
            String::from_utf8_lossy(best.bytes()),
            String::from_utf8_lossy(candidate.bytes())
        );
    }
    Ok(())
}

/// Once in thousands of reductions, characters are deleted in a later round in which no other pass
/// has a query.
#[test]
fn the_proof_is_repeated_after_characters_were_deleted() {
    check(3_721_357_401_514_738_687, 25, 2).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_single_token_of_a_result_can_be_deleted(
        seed in any::<u64>(),
        one_in in 2_u64..40,
        text in 0..TEXTS.len(),
    ) {
        check(seed, one_in, text)?;
    }
}
