//! ProbDD, probabilistic delta debugging.

use boildown_search::algorithms::{
    Entry, Family, Options, ParsedName, Registered, non_default, non_default_seed,
};
use boildown_search::list::List;
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

use super::beliefs::{Beliefs, Objective, SigmaPrior, Ties, TrialOrder, impl_belief_search};
use super::{Sigma, SigmaEstimate};

/// Deletes the elements that are least likely to be needed, in groups of the best expected gain,
/// and learns from misses.
///
/// Each element has a probability of being needed, σ at first. A query deletes the k least likely
/// elements, where k maximises k times the chance that none of them is needed; of two equal maxima
/// it takes the larger k. After a miss the probabilities of the group rise by Bayes' rule. An
/// element that misses alone is needed.
///
/// For example, with σ = 1/4 the first group has 4 elements, since 4·(3/4)⁴ = 1.27 is the maximum
/// (as is 3·(3/4)³). If it misses, each of the four is needed with probability 0.37, and the next
/// four elements are tried; then pairs of the eight.
///
/// # Guarantee
/// Ends with an interesting set. It is minimal if the oracle is monotone, and the minimum if it is
/// also unambiguous: each remaining element missed alone at some time. It is 1-minimal only when
/// followed by [`Sweep`](boildown_search::list::Sweep).
/// # Cost
/// O(n) queries for n elements: 2.02 n if nothing can be deleted and σ is a tenth, 1.75 n if σ is a
/// quarter. No group has more than ⌊1/σ⌋ elements, with the σ of that moment. `tell` takes
/// O(log n) for each element of the group, and O(n / 64) on a hit.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are ignored: see
/// [`WProbDd`](super::WProbDd).
/// # Source
/// G. Wang, R. Shen, J. Chen, Y. Xiong, L. Zhang, *Probabilistic Delta Debugging*, ESEC/FSE 2021,
/// §3. The default σ is that of its evaluation. On random lists of 120 elements with scattered
/// needs, a σ of a quarter took a tenth fewer queries than a tenth where a tenth or more of the
/// elements was needed, and a third more where a fiftieth was.
///
/// The paper does not specify ties, and a tie decides the size of the very first group. Here equal
/// gains take the larger group, as in its Fig. 3, and equal elements go right to left. The figure
/// follows from a stable order, `ties=stable`. With `ties=random` equal elements are tried in one
/// order of the whole list, which is drawn from the seed.
/// Probabilities of groups stay below 1 despite rounding. A skipped query teaches nothing: the
/// halves of its group are asked about next, and a single element that is skipped is kept.
#[derive(Debug, Clone)]
pub struct ProbDd(Beliefs);

/// Parameters of [`ProbDd`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbDdOptions {
    /// The initial probability that an element is needed.
    pub sigma: Sigma,
    /// The element that is tried first among equally promising ones.
    pub ties: Ties,
    /// The seed of random ties.
    pub seed: u64,
    /// Whether sigma is replaced by an estimate.
    pub estimate: SigmaEstimate,
}

impl ProbDdOptions {
    /// A fixed sigma of a tenth, the last element first.
    pub const DEFAULT: Self = Self {
        sigma: Sigma::TENTH,
        ties: Ties::Last,
        seed: 0,
        estimate: SigmaEstimate::Fixed,
    };
}

impl Default for ProbDdOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl ProbDd {
    /// Starts on a list, with the default options.
    #[must_use]
    pub fn on(list: List) -> Self {
        Self::with_options(list, ProbDdOptions::DEFAULT)
    }

    /// Starts on a list, with the given options.
    #[must_use]
    pub fn with_options(list: List, options: ProbDdOptions) -> Self {
        let ProbDdOptions {
            sigma,
            ties,
            seed,
            estimate,
        } = options;
        Self(Beliefs::new(
            list,
            SigmaPrior { sigma, estimate },
            Objective::Number,
            TrialOrder::Ties(ties, seed),
        ))
    }

    /// Starts on a list whose elements are tried in the given order; equally likely ones stay in
    /// the order that they had before the last miss. Elements that are not in `order` are kept.
    #[must_use]
    pub fn with_order(list: List, sigma: Sigma, order: &[usize]) -> Self {
        let order = TrialOrder::Given(order.into());
        Self(Beliefs::new(list, sigma, Objective::Number, order))
    }
}

impl_belief_search!(ProbDd);

impl Options for ProbDdOptions {
    const DEFAULT: Self = Self::DEFAULT;

    fn parse(name: &mut ParsedName<'_>) -> Result<Self, String> {
        let default = Self::DEFAULT;
        Ok(Self {
            sigma: Sigma::parse(name, default.sigma)?,
            ties: name.choice("ties", default.ties, &Ties::NAMES)?,
            seed: name.seed()?,
            estimate: name.choice("estimate", default.estimate, &SigmaEstimate::NAMES)?,
        })
    }

    fn reseeded(self, more: u64) -> Option<Self> {
        let seed = self.ties.reseeded(self.seed, more)?;
        Some(Self { seed, ..self })
    }

    fn non_default(self) -> Vec<Option<String>> {
        let default = Self::DEFAULT;
        vec![
            self.sigma.non_default(default.sigma),
            non_default("ties", &self.ties, &default.ties, &Ties::NAMES),
            non_default_seed(self.seed),
            non_default(
                "estimate",
                &self.estimate,
                &default.estimate,
                &SigmaEstimate::NAMES,
            ),
        ]
    }
}

impl Registered for ProbDd {
    type Options = ProbDdOptions;

    const ENTRY: Entry = Entry {
        name: "probdd",
        family: Family::List,
        parameters: "sigma=0.1, ties=last|first|stable|random, seed=0, \
            estimate=fixed|answers|lists",
        guarantee: "minimal if monotone, the minimum if also unambiguous; 1-minimal after a sweep",
        cost: "O(n): 2.0 n if nothing can be deleted, 1.75 n with sigma=0.25",
        source: "Wang et al.: Probabilistic Delta Debugging, ESEC/FSE 2021",
    };

    fn start(list: List, options: ProbDdOptions) -> Self {
        Self::with_options(list, options)
    }

    fn learn(options: ProbDdOptions, list: &List, left: &Subset) -> Option<ProbDdOptions> {
        let estimate = options.estimate;
        let sigma = estimate.after_list(options.sigma, list.kept.count(), left.count());
        (sigma != options.sigma).then_some(ProbDdOptions { sigma, ..options })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use boildown_search::list::testing::eight_statements;

    use super::*;

    /// Runs a search. Returns a line for each query: the elements it deleted, the answer, and the
    /// probabilities of these elements afterwards; then the elements that are left. Elements are
    /// counted from 1.
    fn trace(mut search: ProbDd, hits: impl Fn(&[usize]) -> bool) -> (Vec<String>, Vec<usize>) {
        let names = |set: &Subset| set.iter().map(|element| element + 1).collect::<Vec<_>>();
        let mut lines = Vec::new();
        while let Some(query) = search.ask() {
            let kept = names(&query.candidate);
            let mut deleted = names(&search.best());
            deleted.retain(|element| !kept.contains(element));
            let hit = hits(&kept);
            let verdict = [Verdict::Uninteresting, Verdict::Interesting][usize::from(hit)];
            search.tell(verdict);
            let mut line: String = deleted.iter().map(ToString::to_string).collect();
            line += [" miss", " hit"][usize::from(hit)];
            for element in deleted {
                if let Some(p) = search.0.probability(element - 1) {
                    line += &format!(" {p:.4}");
                }
            }
            lines.push(line);
        }
        (lines, names(&search.best()))
    }

    #[test]
    fn random_ties_are_an_order_of_the_list_that_the_seed_decides() {
        let deleted = |seed| {
            let options = ProbDdOptions {
                ties: Ties::Random,
                seed,
                ..ProbDdOptions::DEFAULT
            };
            let search = ProbDd::with_options(List::uniform(100), options);
            let kept = search.ask().expect("the list is not empty").candidate;
            let gone: Vec<usize> = (0..100).filter(|&it| !kept.contains(it)).collect();
            gone
        };
        assert_eq!(deleted(1), deleted(1));
        assert_ne!(deleted(1), deleted(2));
        // Each element is as likely as any other to be in the first group, of ten.
        let mut counts = [0_u32; 100];
        for element in (0..2_000).flat_map(deleted) {
            counts[element] += 1;
        }
        let is_near = |count: &u32| count.abs_diff(200) < 60;
        assert!(counts.iter().all(is_near), "{counts:?}");
    }

    #[test]
    fn the_eight_statements_are_reduced_as_in_the_figure_of_the_paper() {
        // The first four are a random choice of the paper's. Its text (§3.4) names what the third
        // and the fourth query keep, its Fig. 3 what they delete.
        let order = [0, 7, 1, 2, 3, 4, 5, 6];
        let search = ProbDd::with_order(List::uniform(8), Sigma::QUARTER, &order);
        let (asked, left) = trace(search, eight_statements);
        let expected = [
            "1238 miss 0.3657 0.3657 0.3657 0.3657",
            "4567 hit",
            "18 miss 0.6119 0.6119",
            "23 miss 0.6119 0.6119",
            "2 hit",
            "3 miss",
            "1 hit",
            "8 miss",
        ];
        assert_eq!(asked, expected);
        assert_eq!(left, [3, 8]);
    }

    #[test]
    fn the_eight_statements_left_to_right_with_a_sigma_of_a_quarter() {
        let search = ProbDd::with_options(
            List::uniform(8),
            ProbDdOptions {
                sigma: Sigma::QUARTER,
                ties: Ties::First,
                ..ProbDdOptions::DEFAULT
            },
        );
        let (asked, left) = trace(search, eight_statements);
        let expected = [
            "1234 miss 0.3657 0.3657 0.3657 0.3657",
            "5678 miss 0.3657 0.3657 0.3657 0.3657",
            "12 miss 0.6119 0.6119",
            "34 miss 0.6119 0.6119",
            "56 miss 0.6119 0.6119",
            "78 miss 0.6119 0.6119",
            "1 miss",
            "2 miss",
            "3 hit",
            "4 miss",
            "5 miss",
            "6 miss",
            "7 miss",
            "8 miss",
        ];
        assert_eq!(asked, expected);
        assert_eq!(left, [1, 2, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn the_eight_statements_left_to_right_with_a_sigma_of_a_tenth() {
        let search = ProbDd::with_options(
            List::uniform(8),
            ProbDdOptions {
                sigma: Sigma::TENTH,
                ties: Ties::First,
                ..ProbDdOptions::DEFAULT
            },
        );
        let (asked, left) = trace(search, eight_statements);
        let all = " 0.1756".repeat(8);
        let expected = [
            &format!("12345678 miss{all}"),
            "12345 miss 0.2836 0.2836 0.2836 0.2836 0.2836",
            "678 miss 0.3993 0.3993 0.3993",
            "123 miss 0.4485 0.4485 0.4485",
            "45 miss 0.5826 0.5826",
            "67 miss 0.6247 0.6247",
            "18 miss 0.6707 0.5972",
            "23 miss 0.6445 0.6445",
            "4 miss",
            "5 miss",
            "8 miss",
            "6 miss",
            "7 hit",
            "2 miss",
            "3 miss",
            "1 miss",
        ];
        assert_eq!(asked, expected);
        assert_eq!(left, [1, 2, 3, 4, 5, 6, 8]);
    }

    #[test]
    fn equal_gains_take_the_larger_group_for_every_popular_sigma() {
        for (sigma, size) in [
            (0.5, 2),
            (0.25, 4),
            (0.2, 5),
            (0.1, 10),
            (0.05, 20),
            (0.3, 3),
        ] {
            let sigma = Sigma::new(sigma).unwrap();
            let search = ProbDd::with_options(
                List::uniform(50),
                ProbDdOptions {
                    sigma,
                    ties: Ties::Last,
                    ..ProbDdOptions::DEFAULT
                },
            );
            let candidate = search.ask().unwrap().candidate;
            assert_eq!(candidate, Subset::full(50).only(0..50 - size), "{sigma}");
        }
    }

    #[test]
    fn an_estimated_sigma_follows_the_answers() {
        let start = || {
            let options = ProbDdOptions {
                estimate: SigmaEstimate::Answers,
                ..ProbDdOptions::DEFAULT
            };
            ProbDd::with_options(List::uniform(1000), options)
        };
        let sizes = |verdict| {
            let mut search = start();
            let mut sizes = Vec::new();
            for _ in 0..5 {
                let kept = search.ask().unwrap().candidate.count();
                sizes.push(search.best().count() - kept);
                search.tell(verdict);
            }
            sizes
        };
        // Half an element of five, then of 15, of 45, and so on.
        assert_eq!(sizes(Verdict::Interesting), [10, 30, 90, 270, 600]);
        // Ten are each needed with probability 0.1535 after the first miss: (0.5 + 1.535) / 15 is
        // 1 / 7.4. After the second, sigma is 0.16, so six of the ten come first.
        assert_eq!(sizes(Verdict::Uninteresting), [10, 7, 6, 5, 4]);
    }

    #[test]
    fn a_skipped_group_is_asked_about_in_halves_and_teaches_nothing() {
        let mut search = ProbDd::with_options(
            List::uniform(6),
            ProbDdOptions {
                sigma: Sigma::QUARTER,
                ties: Ties::First,
                ..ProbDdOptions::DEFAULT
            },
        );
        let deleted = |search: &ProbDd| {
            let kept = search.ask().unwrap().candidate;
            let best = search.best();
            best.iter()
                .filter(|&element| !kept.contains(element))
                .collect::<Vec<_>>()
        };
        assert_eq!(deleted(&search), [0, 1, 2, 3]);
        search.skip();
        assert_eq!(deleted(&search), [0, 1]);
        assert_eq!(search.0.probability(0), Some(0.25));
        search.skip();
        assert_eq!(deleted(&search), [0]);
        search.skip();
        assert_eq!(
            search.0.probability(0),
            None,
            "an element skipped alone is kept"
        );
        search.tell(Verdict::Interesting);
        assert_eq!(deleted(&search), [2, 3]);
        search.tell(Verdict::Uninteresting);
        assert_eq!(search.best().iter().collect::<Vec<_>>(), [0, 2, 3, 4, 5]);
        assert_eq!(deleted(&search), [4, 5]);
    }

    proptest! {
        #[test]
        fn queries_are_linear_groups_are_small_and_probabilities_only_rise(
            n in 1_usize..60,
            sigma in prop_oneof![Just(0.1), Just(0.25), 0.01..0.9],
            verdicts in proptest::collection::vec(0_u8..5, 1..60),
            ties in prop_oneof![Just(Ties::First), Just(Ties::Last), Just(Ties::Random)],
            estimate in prop_oneof![Just(SigmaEstimate::Fixed), Just(SigmaEstimate::Answers)],
        ) {
            let is_fixed = estimate == SigmaEstimate::Fixed;
            let mut search = ProbDd::with_options(List::uniform(n), ProbDdOptions { sigma: Sigma::new(sigma).unwrap(), ties, seed: 5, estimate });
            let mut before = vec![Some(sigma); n];
            let mut verdicts = verdicts.iter().cycle();
            let mut asked = 0;
            while let Some(query) = search.ask() {
                asked += 1;
                let group = search.best().count() - query.candidate.count();
                prop_assert!(group >= 1 && (!is_fixed || group as f64 <= (1.0 / sigma).ceil()));
                match verdicts.next() {
                    Some(0) => search.tell(Verdict::Interesting),
                    _ => search.tell(Verdict::Uninteresting),
                }
                for (element, before) in before.iter_mut().enumerate() {
                    let now = search.0.probability(element);
                    if let Some(now) = now {
                        prop_assert!(before.is_some_and(|before| !is_fixed || now >= before) && now < 1.0);
                    }
                    *before = now;
                }
            }
            prop_assert!(asked <= 3 * n, "{asked} queries for {n} elements");
            prop_assert!(before.iter().all(Option::is_none));
        }
    }

    #[test]
    fn about_two_queries_are_asked_for_each_element_if_nothing_can_be_deleted() {
        for (sigma, most) in [(Sigma::TENTH, 2200), (Sigma::QUARTER, 1750)] {
            let mut search = ProbDd::with_options(
                List::uniform(1000),
                ProbDdOptions {
                    sigma,
                    ties: Ties::Last,
                    ..ProbDdOptions::DEFAULT
                },
            );
            let mut asked = 0;
            while search.ask().is_some() {
                asked += 1;
                search.tell(Verdict::Uninteresting);
            }
            assert!(asked <= most, "{asked}");
        }
    }
}
