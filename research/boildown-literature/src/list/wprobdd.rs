//! `WProbDD`, probabilistic delta debugging with weights.

use boildown_search::algorithms::{
    Entry, Family, Options, ParsedName, Registered, non_default, non_default_seed,
};
use boildown_search::list::List;
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

use super::beliefs::{
    Beliefs, Objective, Prefix, SigmaPrior, Ties, TrialOrder, impl_belief_search,
};
use super::{Sigma, SigmaEstimate};

/// Deletes the elements with the largest expected weight, and learns from misses.
///
/// Like [`ProbDd`](super::ProbDd), but elements are ordered by weight·(1 − p), largest first, and a
/// query deletes the prefix that maximises its weight times the chance that none of its elements is
/// needed.
///
/// # Guarantee
/// Ends with an interesting set. It is minimal if the oracle is monotone, and the minimum if it is
/// also unambiguous: each remaining element missed alone at some time. It is 1-minimal only when
/// followed by [`Sweep`](boildown_search::list::Sweep).
/// # Cost
/// At most 3 n queries for n elements in all of our tests. The prefix is found exactly without
/// looking at the whole list: the scan ends when the chance of the prefix times the total weight is
/// below the highest gain so far. `tell` takes O(log n) for each element looked at, and O(n / 64)
/// on a hit; the start sorts the list.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are those of the
/// [`List`].
/// # Source
/// X. Zhou et al., *WDD: Weighted Delta Debugging*, ICSE 2025, the algorithm `WProbDD`. Of two
/// prefixes with the same gain it takes the smaller one, by a strict comparison. With
/// [`Prefix::Longest`] and equal weights the queries are exactly those of `ProbDD`. Gains are
/// compared with a tolerance of 2⁻⁴⁰, so that rounding does not decide. Elements with the same gain
/// go in the order of rising probability, then right to left; the paper does not specify that. Ends
/// when every element is decided, as in the paper of `ProbDD`. A skipped query teaches nothing: the
/// halves of its group are asked about next, and a single element that is skipped is kept.
#[derive(Debug, Clone)]
pub struct WProbDd(Beliefs);

/// Parameters of [`WProbDd`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WProbDdOptions {
    /// The initial probability that an element is needed.
    pub sigma: Sigma,
    /// The element that is tried first among equally promising ones.
    pub ties: Ties,
    /// The seed of random ties.
    pub seed: u64,
    /// The group that is deleted among equally promising ones.
    pub prefix: Prefix,
    /// Whether sigma is replaced by an estimate.
    pub estimate: SigmaEstimate,
}

impl WProbDdOptions {
    /// A fixed sigma of a tenth, the last element first, the shortest prefix.
    pub const DEFAULT: Self = Self {
        sigma: Sigma::TENTH,
        ties: Ties::Last,
        seed: 0,
        prefix: Prefix::Shortest,
        estimate: SigmaEstimate::Fixed,
    };
}

impl Default for WProbDdOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl WProbDd {
    /// Starts on a list, with the default options.
    #[must_use]
    pub fn on(list: List) -> Self {
        Self::with_options(list, WProbDdOptions::DEFAULT)
    }

    /// Starts on a list, with the given options.
    #[must_use]
    pub fn with_options(list: List, options: WProbDdOptions) -> Self {
        let WProbDdOptions {
            sigma,
            ties,
            seed,
            prefix,
            estimate,
        } = options;
        Self(Beliefs::new(
            list,
            SigmaPrior { sigma, estimate },
            Objective::Weight(prefix),
            TrialOrder::Ties(ties, seed),
        ))
    }
}

impl_belief_search!(WProbDd);

impl Options for WProbDdOptions {
    const DEFAULT: Self = Self::DEFAULT;

    fn parse(name: &mut ParsedName<'_>) -> Result<Self, String> {
        let default = Self::DEFAULT;
        Ok(Self {
            sigma: Sigma::parse(name, default.sigma)?,
            ties: name.choice("ties", default.ties, &Ties::NAMES)?,
            seed: name.seed()?,
            prefix: name.choice("prefix", default.prefix, &Prefix::NAMES)?,
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
            non_default("prefix", &self.prefix, &default.prefix, &Prefix::NAMES),
            non_default(
                "estimate",
                &self.estimate,
                &default.estimate,
                &SigmaEstimate::NAMES,
            ),
        ]
    }
}

impl Registered for WProbDd {
    type Options = WProbDdOptions;

    const ENTRY: Entry = Entry {
        name: "wprobdd",
        family: Family::List,
        parameters: "sigma=0.1, ties=last|first|stable|random, seed=0, \
            prefix=shortest|longest, \
            estimate=fixed|answers|lists",
        guarantee: "minimal if monotone, the minimum if also unambiguous; 1-minimal after a sweep",
        cost: "at most 3 n in all our tests",
        source: "Zhou et al.: WDD, ICSE 2025",
    };

    fn start(list: List, options: WProbDdOptions) -> Self {
        Self::with_options(list, options)
    }

    fn learn(options: WProbDdOptions, list: &List, left: &Subset) -> Option<WProbDdOptions> {
        let estimate = options.estimate;
        let sigma = estimate.after_list(options.sigma, list.kept.count(), left.count());
        (sigma != options.sigma).then_some(WProbDdOptions { sigma, ..options })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{ProbDd, ProbDdOptions};
    use super::*;

    fn deleted<S: Search<Candidate = Subset>>(search: &S) -> Option<Vec<usize>> {
        let kept = search.ask()?.candidate;
        let best = search.best();
        Some(
            best.iter()
                .filter(|&element| !kept.contains(element))
                .collect(),
        )
    }

    #[test]
    fn the_heaviest_elements_are_tried_first() {
        // 8 alone gains 6; 8 and 6 together gain 14 · 9/16 = 7.875; with one element of weight 2
        // the gain is 16 · 27/64 = 6.75.
        let list = List::weighted([1, 8, 2, 6, 2]);
        let mut search = WProbDd::with_options(
            list,
            WProbDdOptions {
                sigma: Sigma::QUARTER,
                ties: Ties::Last,
                prefix: Prefix::Longest,
                ..WProbDdOptions::DEFAULT
            },
        );
        assert_eq!(deleted(&search), Some(vec![1, 3]));
        search.tell(Verdict::Uninteresting);
        // Both are now needed with probability 4/7. 8 and 6 are still first in the order, but 8
        // gains 24/7 alone and 18/7 with 6.
        assert!((search.0.probability(1).unwrap() - 4.0 / 7.0).abs() < 1e-12);
        assert_eq!(deleted(&search), Some(vec![1]));
        search.tell(Verdict::Uninteresting);
        // 6 gains 18/7, and with the last element 8 · 3/7 · 3/4, which is equal: the larger group
        // is taken.
        assert_eq!(deleted(&search), Some(vec![3, 4]));
        search.tell(Verdict::Interesting);
        assert_eq!(deleted(&search), Some(vec![0, 2]));
    }

    #[test]
    fn rounding_does_not_decide_between_equal_products() {
        // After the first miss 0 and 2, of weight 9, are needed with probability 2/3, so both gain
        // 3 as 1 does with weight 6 and probability 1/2. The one with the smallest probability is
        // next.
        let list = List::weighted([9, 6, 9, 2]);
        let options = |prefix| WProbDdOptions {
            sigma: Sigma::new(0.5).unwrap(),
            ties: Ties::First,
            prefix,
            ..WProbDdOptions::DEFAULT
        };
        let second = |prefix| {
            let mut search = WProbDd::with_options(list.clone(), options(prefix));
            let first = deleted(&search);
            search.tell(Verdict::Uninteresting);
            (first, deleted(&search))
        };
        assert_eq!(second(Prefix::Shortest), (Some(vec![0]), Some(vec![2])));
        assert_eq!(second(Prefix::Longest), (Some(vec![0, 2]), Some(vec![1])));
    }

    #[test]
    fn the_whole_run_on_the_weights_9_6_9_2_is_that_of_exact_fractions() {
        let run = |prefix, needed: &[usize]| {
            let options = WProbDdOptions {
                sigma: Sigma::new(0.5).unwrap(),
                ties: Ties::First,
                prefix,
                ..WProbDdOptions::DEFAULT
            };
            let mut search = WProbDd::with_options(List::weighted([9, 6, 9, 2]), options);
            let mut trace = String::new();
            while let Some(group) = deleted(&search) {
                let hit = !group.iter().any(|element| needed.contains(element));
                let group: Vec<String> = group.iter().map(ToString::to_string).collect();
                trace += &format!("{}{} ", group.concat(), if hit { '✓' } else { '✗' });
                search.tell(match hit {
                    true => Verdict::Interesting,
                    false => Verdict::Uninteresting,
                });
            }
            trace
        };
        // By a program that computes with fractions.
        assert_eq!(run(Prefix::Shortest, &[1]), "0✓ 2✓ 1✗ 3✓ ");
        assert_eq!(run(Prefix::Shortest, &[0, 2]), "0✗ 2✗ 1✓ 3✓ ");
        assert_eq!(run(Prefix::Longest, &[1]), "02✓ 1✗ 3✓ ");
        assert_eq!(run(Prefix::Longest, &[0, 2]), "02✗ 1✓ 0✗ 2✗ 3✓ ");
    }

    /// Returns the gain that deleting these elements promises.
    fn gain(elements: &[(u32, f64)]) -> f64 {
        let weight: f64 = elements.iter().map(|&(weight, _)| f64::from(weight)).sum();
        weight * elements.iter().map(|&(_, p)| 1.0 - p).product::<f64>()
    }

    /// Returns the best gain of a prefix by looking at all of them.
    fn best_gain(mut elements: Vec<(u32, f64)>) -> f64 {
        elements.sort_by(|a, b| {
            gain(&[*b])
                .total_cmp(&gain(&[*a]))
                .then(a.1.total_cmp(&b.1))
        });
        let prefixes = (1..=elements.len()).map(|count| gain(&elements[..count]));
        prefixes.fold(0.0, f64::max)
    }

    proptest! {
        #[test]
        fn the_chosen_prefix_is_the_best_one_and_the_number_of_queries_is_linear(
            weights in proptest::collection::vec(prop_oneof![1_u32..6, 1_u32..2000], 1..40),
            sigma in prop_oneof![Just(0.1), Just(0.25), 0.01..0.9],
            verdicts in proptest::collection::vec(0_u8..5, 1..60),
        ) {
            let sigma = Sigma::new(sigma).unwrap();
            let mut search = WProbDd::with_options(List::weighted(weights.iter().copied()), WProbDdOptions { sigma, ties: Ties::Last, prefix: Prefix::Longest, ..WProbDdOptions::DEFAULT });
            let mut verdicts = verdicts.iter().cycle();
            let mut asked = 0;
            while let Some(group) = deleted(&search) {
                asked += 1;
                let known = |element| Some((weights[element], search.0.probability(element)?));
                let chosen: Vec<_> = group.iter().filter_map(|&element| known(element)).collect();
                let best = best_gain(search.best().iter().filter_map(known).collect());
                // Products that differ by rounding only may be in another order here.
                prop_assert!(gain(&chosen) >= best * (1.0 - 1e-9), "{chosen:?}");
                match verdicts.next() {
                    Some(0) => search.tell(Verdict::Interesting),
                    _ => search.tell(Verdict::Uninteresting),
                }
            }
            prop_assert!(asked <= 3 * weights.len(), "{asked} queries for {} elements", weights.len());
        }

        #[test]
        fn with_equal_weights_the_queries_are_those_of_probdd(
            n in 1_usize..60,
            weight in 1_u32..1000,
            sigma in prop_oneof![Just(0.1), Just(0.25), Just(0.2), Just(0.5), 0.01..0.9],
            verdicts in proptest::collection::vec(0_u8..4, 1..60),
        ) {
            let sigma = Sigma::new(sigma).unwrap();
            let mut weighted = WProbDd::with_options(List::weighted(vec![weight; n]), WProbDdOptions { sigma, ties: Ties::Last, prefix: Prefix::Longest, ..WProbDdOptions::DEFAULT });
            let mut plain = ProbDd::with_options(List::uniform(n), ProbDdOptions { sigma, ties: Ties::Last, ..ProbDdOptions::DEFAULT });
            for verdict in verdicts.iter().cycle() {
                let group = deleted(&plain);
                prop_assert_eq!(&group, &deleted(&weighted));
                if group.is_none() {
                    break;
                }
                let verdict = if *verdict == 0 { Verdict::Interesting } else { Verdict::Uninteresting };
                plain.tell(verdict);
                weighted.tell(verdict);
            }
        }
    }
}
