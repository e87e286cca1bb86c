//! Small models of the case studies in A. Zeller, *Yesterday, my program worked. Today, it does
//! not. Why?*, ESEC/FSE 1999.

use boildown_search::changes::{Bisect, Descent};
use boildown_search::{Search, Subset, Verdict};

/// Runs a search, and returns it with the number of its queries and of the unresolved ones.
fn count<S: Search<Candidate = Subset>>(
    mut search: S,
    judge: impl Fn(&Subset) -> Verdict,
) -> (S, usize, usize) {
    let (mut queries, mut unresolved) = (0, 0);
    while let Some(query) = search.ask() {
        let verdict = judge(&query.candidate);
        queries += 1;
        unresolved += usize::from(verdict == Verdict::Unresolved);
        search.tell(verdict);
    }
    (search, queries, unresolved)
}

#[test]
fn one_culprit_among_116_logical_changes_in_date_order_takes_at_most_12_queries() {
    // 344 textual changes, about three for each logical one. A logical change builds with all older
    // ones.
    const TEXTUAL: usize = 344;
    const LOGICAL: usize = 116;
    let owner = |textual: usize| textual * LOGICAL / TEXTUAL;
    for culprit in [0, 1, 57, 101, 115] {
        let (history, first, unresolved) = count(Bisect::over_prefixes(LOGICAL), |applied| {
            if applied.contains(culprit) {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            }
        });
        assert_eq!(
            (history.passing(), history.failing(), unresolved),
            (culprit, culprit + 1, 0)
        );
        let own: Vec<usize> = (0..TEXTUAL)
            .filter(|&change| owner(change) == culprit)
            .collect();
        let guilty = own.len() - 1;
        let levels = [(0..3).take(own.len()).collect()];
        let (search, second, _) = count(Descent::new(own.len(), levels), |applied| {
            if applied.contains(guilty) {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            }
        });
        assert_eq!(search.best().iter().collect::<Vec<_>>(), [guilty]);
        assert!(first + second <= 12, "{first} and {second}");
    }
}

/// 8721 textual changes in 57 directories of 17 files. A change builds if the first change of its
/// directory and the one before it in its file are applied.
const CHANGES: usize = 8721;
const PER_FILE: usize = 9;
const PER_DIRECTORY: usize = 17 * PER_FILE;

fn needs(change: usize) -> Vec<usize> {
    let header = change / PER_DIRECTORY * PER_DIRECTORY;
    let above = (!change.is_multiple_of(PER_FILE)).then(|| change - 1);
    above
        .into_iter()
        .chain((header != change).then_some(header))
        .collect()
}

fn builds(applied: &Subset) -> bool {
    (applied.iter()).all(|change| {
        needs(change)
            .into_iter()
            .all(|needed| applied.contains(needed))
    })
}

fn with_needs(changes: &[usize]) -> Vec<usize> {
    let mut all = changes.to_vec();
    let mut next = 0;
    while next < all.len() {
        all.extend(needs(all[next]));
        next += 1;
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn levels(sizes: &[usize]) -> Vec<Vec<u32>> {
    let level = |size: &usize| {
        let group = |change: usize| u32::try_from(change / size).expect("few changes");
        (0..CHANGES).map(group).collect()
    };
    sizes.iter().map(level).collect()
}

#[test]
fn of_8721_changes_that_rarely_build_the_culprit_and_all_that_it_needs_are_found() {
    let mut figures = Vec::new();
    for culprits in [&[4000][..], &[8720], &[153 * 3 + 40, 153 * 50 + 100]] {
        let judge = |applied: &Subset| {
            if !builds(applied) {
                Verdict::Unresolved
            } else if culprits.iter().all(|&culprit| applied.contains(culprit)) {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            }
        };
        let search = Descent::new(CHANGES, levels(&[PER_DIRECTORY, PER_FILE, 1]));
        let (search, grouped, unresolved) = count(search, judge);
        assert_eq!(
            search.best().iter().collect::<Vec<_>>(),
            with_needs(culprits)
        );
        let (_, alone, _) = count(Descent::new(CHANGES, levels(&[1])), judge);
        assert!(grouped * 3 < alone, "{grouped} and {alone}");
        figures.push((grouped, unresolved));
    }
    // In the study: 289 tests with directories and other groups, 470 without.
    assert!(
        figures.iter().all(|(grouped, _)| *grouped < 289),
        "{figures:?}"
    );
}

#[test]
fn two_changes_in_different_files_that_interfere_are_both_found() {
    for second in [1, 700, 5000, 8719] {
        let search = Descent::new(CHANGES, levels(&[PER_DIRECTORY, PER_FILE, 1]));
        let (search, queries, _) = count(search, |applied| {
            if applied.contains(0) && applied.contains(second) {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            }
        });
        assert_eq!(search.best().iter().collect::<Vec<_>>(), [0, second]);
        assert!(queries < 100, "{queries}");
    }
}
