//! The short form, `minimize_with`, with every algorithm.

use boildown_search::{Verdict, minimize_with};

#[test]
fn every_algorithm_finds_what_is_needed_and_asks_about_no_subset_twice() {
    for known in boildown_literature::algorithms().lists() {
        let algorithm = known.algorithm();
        let mut asked = Vec::new();
        let letters: Vec<char> = "boildown".chars().collect();
        let needed = minimize_with(
            &algorithm,
            &letters,
            |_| 1,
            |kept| {
                let text: String = kept.iter().copied().collect();
                let holds = text.contains('i') && text.contains('w');
                asked.push(
                    kept.iter()
                        .map(|&letter| std::ptr::from_ref(letter))
                        .collect::<Vec<_>>(),
                );
                if holds {
                    Verdict::Interesting
                } else {
                    Verdict::Uninteresting
                }
            },
        );
        assert_eq!(needed, [&'i', &'w'], "{algorithm}");
        let times = asked.len();
        asked.sort();
        asked.dedup();
        assert_eq!(asked.len(), times, "{algorithm}");
    }
}
