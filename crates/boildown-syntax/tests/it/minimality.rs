//! The promise at the end of a run: no single token can go.

use std::num::NonZeroUsize;
use std::sync::Arc;

use boildown_search::{Search as _, Subset, Verdict, run};
use boildown_syntax::{Check, Document, Draft, Language, Strategy, View, reduction};
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

/// Reduces one of the texts by tossing coins, and asks about every single token of the result.
fn check(seed: u64, one_in: u64, text: usize, width: usize) -> Result<(), TestCaseError> {
    let (name, text) = TEXTS[text];
    let language = Language::named(name);
    let strategy = Strategy {
        width: NonZeroUsize::new(width).expect("not zero"),
        ..Strategy::default()
    };
    let search = reduction(&text.as_bytes().into(), language, strategy);
    let best = run(search, |draft| chance(draft, seed, one_in)).best();
    let view = language.map_or(View::Bytes(1), View::Syntax);
    let document = Arc::new(Document::new(best.bytes(), view));
    let everything = Subset::full(document.len());
    for atom in 0..document.len() {
        let without = everything.without([atom..atom + 1]);
        let draft = Draft::new(Arc::clone(&document), without, Check::Nothing);
        prop_assert_eq!(
            chance(&draft, seed, one_in),
            Verdict::Uninteresting,
            "{:?} can become {:?}",
            String::from_utf8_lossy(best.bytes()),
            String::from_utf8_lossy(draft.bytes())
        );
    }
    Ok(())
}

/// Once in thousands of reductions letters go in a later round, after which nothing else is asked.
#[test]
fn what_letters_leave_is_swept_again() {
    check(3_721_357_401_514_738_687, 25, 2, 1).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_single_token_of_a_result_can_go(
        seed in any::<u64>(),
        one_in in 2_u64..40,
        text in 0..TEXTS.len(),
        width in prop_oneof![Just(1), 2_usize..20],
    ) {
        check(seed, one_in, text, width)?;
    }
}
