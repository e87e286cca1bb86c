//! Kinds of synthetic list problems, and their generators.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::{ListOracle, ListProblem, NeededElements, entropy};
use crate::rng::SeededRng;

/// A kind of list problem, with its parameters.
///
/// On the command line and in reports it is written as its name and its parameter:
/// `independent:needed=0.1`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// Each element is needed with the same probability.
    Independent {
        /// The probability, in `0.0..=1.0`.
        needed: f64,
    },
    /// Runs of 2 to 8 neighbouring elements are needed, up to a share of the list.
    Clustered {
        /// The share of needed elements, in `0.0..=1.0`. The last run may exceed it.
        needed: f64,
    },
    /// Half of the elements use one earlier element each, and 3 % are always needed.
    DefUse,
    /// About 30 % of the elements begin a pair, of which both or none must be kept, and 5 % are
    /// always needed.
    Pairs {
        /// The largest distance between the two. Pairs begin at even and at odd elements.
        distance: usize,
    },
    /// Lists of 2 to 1,000 weighted elements, of which heavy ones are needed more often: the
    /// simulation of the WDD paper.
    Weighted,
    /// The eight statements of the ProbDD paper.
    EightStatements,
    /// An example of the lectures: `2424`, interesting while it contains `42`.
    FortyTwo,
}

impl Shape {
    /// Every kind, some with several parameters.
    pub const ALL: [Self; 10] = [
        Self::Independent { needed: 0.02 },
        Self::Independent { needed: 0.1 },
        Self::Independent { needed: 0.4 },
        Self::Clustered { needed: 0.1 },
        Self::DefUse,
        Self::Pairs { distance: 1 },
        Self::Pairs { distance: 3 },
        Self::Weighted,
        Self::EightStatements,
        Self::FortyTwo,
    ];

    /// Returns whether there is only one problem of this kind, independent of the seed.
    #[must_use]
    pub fn is_fixed(self) -> bool {
        matches!(self, Self::EightStatements | Self::FortyTwo)
    }

    /// Makes problem number `index` of a seed. Weighted lists and the examples of papers ignore
    /// `length`.
    #[must_use]
    pub fn problem(self, length: usize, seed: u64, index: u64) -> ListProblem {
        let mut rng = SeededRng::new(seed, index);
        let oracle = match self {
            Self::Independent { needed } => {
                let elements = NeededElements::new((0..length).map(|_| rng.chance(needed)));
                return ListProblem {
                    bits: Some(length as f64 * entropy(needed)),
                    ..unweighted(length, ListOracle::Needs(elements))
                };
            }
            Self::Clustered { needed } => ListOracle::Needs(clustered(&mut rng, length, needed)),
            Self::DefUse => def_use(&mut rng, length),
            Self::Pairs { distance } => pairs(&mut rng, length, distance),
            Self::Weighted => return WeightedList::draw(&mut rng).problem(),
            Self::EightStatements => return unweighted(8, ListOracle::EightStatements),
            Self::FortyTwo => return unweighted(4, ListOracle::FortyTwo),
        };
        unweighted(length, oracle)
    }
}

fn unweighted(length: usize, oracle: ListOracle) -> ListProblem {
    ListProblem {
        length,
        weights: Arc::new([]),
        oracle,
        bits: None,
    }
}

fn clustered(rng: &mut SeededRng, length: usize, share: f64) -> NeededElements {
    let mut needed = vec![false; length];
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the product is between 0 and `length`"
    )]
    let mut missing = (share.clamp(0.0, 1.0) * length as f64).round() as usize;
    while missing > 0 {
        let run = (2 + rng.below(7)).min(length);
        let start = rng.below(length - run + 1);
        for element in &mut needed[start..start + run] {
            missing = missing.saturating_sub(usize::from(!*element));
            *element = true;
        }
    }
    NeededElements::new(needed)
}

fn def_use(rng: &mut SeededRng, length: usize) -> ListOracle {
    let mut uses = Vec::new();
    let mut roots = Vec::with_capacity(length);
    for element in 0..length {
        if element > 0 && rng.chance(0.5) {
            uses.push((element, rng.below(element)));
        }
        roots.push(rng.chance(0.03));
    }
    if length > 0 && !roots.contains(&true) {
        roots[rng.below(length)] = true;
    }
    ListOracle::DefUse {
        roots: NeededElements::new(roots),
        uses: uses.into(),
    }
}

fn pairs(rng: &mut SeededRng, length: usize, distance: usize) -> ListOracle {
    let mut taken = vec![false; length];
    let mut pairs = Vec::new();
    for one in 0..length {
        let other = one + 1 + rng.below(distance.max(1));
        if rng.chance(0.3) && other < length && !taken[one] && !taken[other] {
            (taken[one], taken[other]) = (true, true);
            pairs.push((one, other));
        }
    }
    ListOracle::Pairs {
        needed: NeededElements::new((0..length).map(|_| rng.chance(0.05))),
        pairs: pairs.into(),
    }
}

/// A weighted list of the WDD simulation.
///
/// # Source
/// X. Zhou et al., *WDD: Weighted Delta Debugging*, ICSE 2025, the simulation in the section on the
/// approach. Lists have 2 to 1,000 elements with 1 to 10 tokens each on average. A token can be
/// removed with a probability drawn for the list, and an element with that probability to the power
/// of its number of tokens. The paper does not say how tokens are distributed: here every element
/// has one, and each other token goes to a random element.
#[derive(Debug, Clone)]
pub(crate) struct WeightedList {
    pub(crate) weights: Vec<u32>,
    /// The probability that a token can be removed.
    pub(crate) removable: f64,
    /// The information in the choice of the needed elements, in bits.
    pub(crate) bits: f64,
    pub(crate) needed: NeededElements,
}

impl WeightedList {
    pub(crate) fn draw(rng: &mut SeededRng) -> Self {
        let length = 2 + rng.below(999);
        let tokens = length + rng.below(9 * length + 1);
        let mut weights = vec![1_u32; length];
        for _ in length..tokens {
            weights[rng.below(length)] += 1;
        }
        let removable = rng.unit();
        let mut bits = 0.0;
        let needed = NeededElements::new(weights.iter().map(|&weight| {
            // Not `powi`, whose result may depend on the machine.
            let removable = (0..weight).fold(1.0, |product, _| product * removable);
            bits += entropy(removable);
            rng.unit() >= removable
        }));
        Self {
            weights,
            removable,
            bits,
            needed,
        }
    }

    pub(crate) fn problem(&self) -> ListProblem {
        ListProblem {
            length: self.weights.len(),
            weights: self.weights.iter().copied().collect(),
            oracle: ListOracle::Needs(self.needed.clone()),
            bits: Some(self.bits),
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Independent { needed } => write!(f, "independent:needed={needed}"),
            Self::Clustered { needed } => write!(f, "clustered:needed={needed}"),
            Self::DefUse => f.write_str("def-use"),
            Self::Pairs { distance } => write!(f, "pairs:distance={distance}"),
            Self::Weighted => f.write_str("weighted"),
            Self::EightStatements => f.write_str("eight-statements"),
            Self::FortyTwo => f.write_str("forty-two"),
        }
    }
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, parameter) = match text.split_once(':') {
            Some((name, parameter)) => (name, Some(parameter)),
            None => (text, None),
        };
        let value = |key: &str| match parameter {
            None => Ok(None),
            Some(parameter) => parameter
                .strip_prefix(key)
                .and_then(|rest| rest.strip_prefix('='))
                .map(Some)
                .ok_or_else(|| format!("the parameter of `{name}` must be `{key}=VALUE`")),
        };
        let share = || match value("needed")? {
            None => Ok(0.1),
            Some(text) => (text.parse().ok())
                .filter(|share| (0.0..=1.0).contains(share))
                .ok_or_else(|| format!("`{text}` is not a share between 0 and 1")),
        };
        let plain = |shape| match parameter {
            None => Ok(shape),
            Some(_) => Err(format!("`{name}` has no parameters")),
        };
        match name {
            "independent" => Ok(Self::Independent { needed: share()? }),
            "clustered" => Ok(Self::Clustered { needed: share()? }),
            "def-use" => plain(Self::DefUse),
            "pairs" => match value("distance")? {
                None => Ok(Self::Pairs { distance: 1 }),
                Some(text) => (text.parse().ok())
                    .filter(|&distance| distance > 0)
                    .map(|distance| Self::Pairs { distance })
                    .ok_or_else(|| format!("`{text}` is not a distance of at least 1")),
            },
            "weighted" => plain(Self::Weighted),
            "eight-statements" => plain(Self::EightStatements),
            "forty-two" => plain(Self::FortyTwo),
            _ => Err(format!("no kind of list problem has the name `{text}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use boildown_search::Subset;
    use proptest::prelude::*;

    use super::*;

    fn problems(shape: Shape, length: usize, count: u64) -> Vec<ListProblem> {
        (0..count)
            .map(|index| shape.problem(length, 11, index))
            .collect()
    }

    #[test]
    fn every_shape_is_interesting_as_a_whole_and_repeats_with_its_seed() {
        for shape in Shape::ALL {
            for (index, problem) in problems(shape, 50, 5).into_iter().enumerate() {
                let whole = problem.list().kept;
                assert!(problem.judge(&whole).is_interesting(), "{shape}");
                let again = shape.problem(50, 11, index as u64);
                assert_eq!(
                    format!("{problem:?}"),
                    format!("{again:?}"),
                    "{shape} {index}"
                );
                assert!(problem.weights.is_empty() || problem.weights.len() == problem.length);
            }
        }
    }

    #[test]
    fn every_shape_is_read_back_from_its_name() {
        for shape in Shape::ALL {
            assert_eq!(shape.to_string().parse(), Ok(shape));
        }
        for wrong in [
            "sorted",
            "def-use:x=1",
            "pairs:distance=0",
            "clustered:needed=2",
            "pairs:needed=1",
        ] {
            assert!(wrong.parse::<Shape>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_share_of_needed_elements_is_about_the_parameter() {
        let needed = |problem: &ListProblem| match &problem.oracle {
            ListOracle::Needs(needed) => needed.count(),
            other => panic!("{other:?}"),
        };
        let share = |shape: Shape| {
            let counts: usize = problems(shape, 200, 50).iter().map(needed).sum();
            counts as f64 / (200.0 * 50.0)
        };
        assert!((share(Shape::Independent { needed: 0.1 }) - 0.1).abs() < 0.01);
        assert!((share(Shape::Independent { needed: 0.4 }) - 0.4).abs() < 0.02);
        for problem in problems(Shape::Clustered { needed: 0.1 }, 200, 50) {
            assert!((20..=27).contains(&needed(&problem)));
        }
    }

    #[test]
    fn information_is_that_of_independent_choices() {
        let bits = |shape: Shape| shape.problem(120, 1, 0).bits;
        let rounded = |needed| bits(Shape::Independent { needed }).map(f64::round);
        assert_eq!(rounded(0.1), Some(56.0));
        assert_eq!(rounded(0.25), Some(97.0));
        assert_eq!(rounded(0.5), Some(120.0));
        assert_eq!(rounded(0.0), Some(0.0));
        assert_eq!(bits(Shape::DefUse), None);
        let weighted = problems(Shape::Weighted, 0, 20);
        assert!(
            weighted
                .iter()
                .all(|list| list.bits.is_some_and(|bits| bits <= list.length as f64))
        );
    }

    #[test]
    fn about_half_of_the_elements_use_an_earlier_one() {
        let mut users = 0;
        let mut all_roots = 0;
        for problem in problems(Shape::DefUse, 200, 50) {
            let ListOracle::DefUse { roots, uses } = &problem.oracle else {
                panic!()
            };
            assert!(uses.iter().all(|(user, used)| used < user));
            assert!(roots.count() > 0);
            users += uses.len();
            all_roots += roots.count();
        }
        assert!(users.abs_diff(5_000) < 200, "{users}");
        assert!(all_roots.abs_diff(300) < 60, "{all_roots}");
    }

    #[test]
    fn pairs_are_close_disjoint_and_begin_at_even_and_odd_elements() {
        let mut odd = 0;
        let mut all = 0;
        for problem in problems(Shape::Pairs { distance: 3 }, 200, 50) {
            let ListOracle::Pairs { pairs, .. } = &problem.oracle else {
                panic!()
            };
            let mut members: Vec<usize> = pairs
                .iter()
                .flat_map(|&(one, other)| [one, other])
                .collect();
            assert!(
                pairs
                    .iter()
                    .all(|(one, other)| (1..=3).contains(&(other - one)))
            );
            members.sort_unstable();
            assert!(members.windows(2).all(|pair| pair[0] < pair[1]));
            odd += pairs.iter().filter(|(one, _)| one % 2 == 1).count();
            all += pairs.len();
        }
        assert!(odd.abs_diff(all / 2) < all / 10, "{odd} of {all}");
    }

    #[test]
    fn weighted_lists_have_the_lengths_and_weights_of_the_paper() {
        let mut light = (0, 0);
        let mut heavy = (0, 0);
        for index in 0..200 {
            let list = WeightedList::draw(&mut SeededRng::new(3, index));
            let (length, tokens) = (
                list.weights.len(),
                list.weights.iter().sum::<u32>() as usize,
            );
            assert!((2..=1000).contains(&length));
            assert!((length..=10 * length).contains(&tokens));
            assert!(list.weights.iter().all(|&weight| weight > 0));
            let mean = tokens as f64 / length as f64;
            for (element, &weight) in list.weights.iter().enumerate() {
                let class = if f64::from(weight) < mean {
                    &mut light
                } else {
                    &mut heavy
                };
                class.0 += usize::from(list.needed.contains(element));
                class.1 += 1;
            }
        }
        let share = |(needed, all): (usize, usize)| needed as f64 / all as f64;
        assert!(share(light) + 0.05 < share(heavy), "{light:?} {heavy:?}");
    }

    proptest! {
        #[test]
        fn the_whole_list_is_interesting_even_when_it_is_short(length in 0_usize..12, seed in any::<u64>()) {
            for shape in Shape::ALL {
                let problem = shape.problem(length, seed, 0);
                prop_assert!(problem.judge(&Subset::full(problem.length)).is_interesting());
            }
        }
    }
}
