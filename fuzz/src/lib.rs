//! Fuzz targets: functions that take arbitrary bytes and panic when a promise is broken.
//!
//! `cargo test` runs each target on its seeds, on stable Rust. `cargo +nightly fuzz run TARGET
//! --features libfuzzer` searches for inputs that make it panic.

use std::collections::BTreeSet;
use std::sync::Arc;

use boildown_document::{Candidate, Check, Document, Language, View};
use boildown_reduce::{Rules, reduction};
use boildown_search::{Search, Subset, Verdict};

/// Longest text that is reduced, in bytes. The number of tests grows with it.
const MAX_TEXT: usize = 200;

/// Most tests of a reduction of [`MAX_TEXT`] bytes; a search that asks more is taken to be endless.
const MAX_TESTS: usize = 200_000;

/// Reads a text in every view and checks that rendering all of its tokens gives the text again.
pub fn round_trip(data: &[u8]) {
    let (language, bytes) = language_and_text(data);
    let mut views = vec![
        View::Blocks,
        View::Lines,
        View::Bytes(3),
        View::Parts(4),
        View::Zeros(4),
    ];
    views.extend(language.map(View::Syntax));
    views.extend(language.map(View::Letters));
    views.extend(language.map(View::Spaces));
    for view in views {
        let document = Arc::new(Document::new(&bytes, view));
        let all = Subset::full(document.len());
        let candidate = Candidate::new(document, all, Check::Nothing);
        assert_eq!(candidate.bytes(), &bytes, "in the view {view:?}");
    }
}

/// Parses a file of rewriting rules. An error is fine, a panic is not.
pub fn rules(data: &[u8]) {
    let (language, bytes) = language_and_text(data);
    if let (Some(language), Ok(text)) = (language, std::str::from_utf8(&bytes)) {
        drop(Rules::read(language, text));
    }
}

/// Reduces a text with arbitrary verdicts, contradictory ones too. The search ends, and its best
/// candidate is the input or one that was found interesting.
///
/// The bits of the second byte and of the text, in turn, are the verdicts.
pub fn verdicts(data: &[u8]) {
    let (language, bytes) = language_and_text(&data[..data.len().min(MAX_TEXT)]);
    let bits: Vec<bool> = data
        .iter()
        .skip(1)
        .flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1))
        .collect();
    let mut bits = bits.into_iter();
    let mut interesting = BTreeSet::from([bytes.clone()]);
    let mut search = reduction(&bytes, language, boildown_formats::strategy());
    let mut tests = 0;
    while let Some(query) = search.ask() {
        // After the last bit every candidate is uninteresting, so that the search has to end.
        if bits.next().unwrap_or(false) {
            interesting.insert(query.candidate.bytes().clone());
            search.tell(Verdict::Interesting);
        } else {
            search.tell(Verdict::Uninteresting);
        }
        tests += 1;
        assert!(tests < MAX_TESTS, "the search does not end");
    }
    assert!(interesting.contains(search.best().bytes()));
}

/// Takes the language from the first byte and the text from the rest.
fn language_and_text(data: &[u8]) -> (Option<&'static Language>, Arc<[u8]>) {
    let (first, text) = data.split_first().unwrap_or((&0, &[]));
    let names = ["none", "c", "json", "python"];
    let language = Language::named(names[usize::from(*first) % names.len()]);
    (language, text.into())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// Runs a target on each of its seeds, on all of their beginnings if these are short, and on a
    /// few damaged copies.
    fn run(name: &str, target: fn(&[u8])) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("seeds")
            .join(name);
        let mut seeds = 0;
        for entry in fs::read_dir(folder).unwrap() {
            let seed = fs::read(entry.unwrap().path()).unwrap();
            seeds += 1;
            target(&seed);
            for length in 0..seed.len().min(40) {
                target(&seed[..length]);
            }
            for (index, damage) in [(1, 0xff), (seed.len() / 2, b'{'), (seed.len() - 1, 0)] {
                let mut damaged = seed.clone();
                damaged[index] = damage;
                target(&damaged);
            }
        }
        assert!(seeds > 0, "{name} has seeds");
    }

    #[test]
    fn documents_of_all_seeds_render_as_they_were_read() {
        run("round_trip", super::round_trip);
    }

    #[test]
    fn rules_of_all_seeds_are_read_or_refused() {
        run("rules", super::rules);
    }

    #[test]
    fn reductions_of_all_seeds_end_with_an_interesting_candidate() {
        run("verdicts", super::verdicts);
    }
}
