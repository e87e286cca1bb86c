//! The exact posterior as a yardstick on short lists: what `ProbDD` loses by treating elements as
//! independent.

use boildown_literature::list::{Cdd, CddOptions, ProbDd, ProbDdOptions, Sigma};
use boildown_search::algorithms::Algorithm;
use boildown_search::list::ListAlgorithm as _;
use boildown_search::{Query, Search, Subset, Verdict};
use serde::{Deserialize, Serialize};

use super::{Comparison, RunResult, run_on_problem};
use crate::parallel;
use crate::report::plot::{Axis, Plot as _, PlotRow, RowPlot, Scale};
use crate::report::{
    Align, HtmlPage, Report, ReportFigure, TextTable, csv, maybe, number, p_value,
};
use crate::simulate::RunRules;
use crate::workload::{ListProblem, Shape};

/// The largest list: the posterior is a table of 2ⁿ numbers.
pub const MAX_LENGTH: usize = 16;

/// The shares of needed elements. They are also the σ of the searches that have one.
pub const SHARES: [f64; 4] = [0.05, 0.1, 0.25, 0.4];

/// The quantity that the exact search maximises with each query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExactObjective {
    /// The expected number of deleted elements, as in `ProbDD`.
    Gain,
    /// The information in the verdict: the odds are as near to ½ as possible.
    Information,
}

/// Minimises a short list by the exact posterior over the sets of needed elements.
///
/// Every set X has a weight: the probability that X is the set of needed elements, given all
/// verdicts. A deletion D hits if X and D are disjoint. Of all deletions, the one with the greatest
/// objective is asked about; of equals, the one with the smallest index as a bit mask.
///
/// # Guarantee
/// Finds the needed elements if the oracle is monotone with one minimum.
/// # Cost
/// O(n · 2ⁿ) for each verdict.
/// # Source
/// G. Wang et al., *Probabilistic Delta Debugging*, ESEC/FSE 2021, §3.2: the posterior given all
/// test results, which the paper gives up for one that is conditioned on the last result only.
#[derive(Debug, Clone)]
struct ExactPosterior {
    objective: ExactObjective,
    length: usize,
    kept: usize,
    /// The weight of each set of needed elements, as a bit mask. Not normalised.
    weights: Vec<f64>,
    /// The deletion to be asked about, and its odds. `None` when finished.
    next: Option<(usize, f64)>,
}

impl ExactPosterior {
    fn new(length: usize, share: f64, objective: ExactObjective) -> Self {
        let weight = |set: usize| -> f64 {
            let elements = (0..length).map(|element| match set >> element & 1 {
                1 => share,
                _ => 1.0 - share,
            });
            elements.product()
        };
        let mut search = Self {
            objective,
            length,
            kept: (1 << length) - 1,
            weights: (0..1 << length).map(weight).collect(),
            next: None,
        };
        search.choose();
        search
    }

    /// Chooses the next deletion among the subsets of the kept elements that may be disjoint from
    /// the needed ones.
    fn choose(&mut self) {
        // The sum of the weights of all subsets of each set.
        let mut sums = self.weights.clone();
        for element in 0..self.length {
            for set in (0..sums.len()).filter(|set| set >> element & 1 == 1) {
                sums[set] += sums[set ^ 1 << element];
            }
        }
        let everything = sums.len() - 1;
        let total = sums[everything];
        let mut best: Option<(f64, usize, f64)> = None;
        for deletion in (1..sums.len()).filter(|deletion| deletion & !self.kept == 0) {
            let odds = sums[everything ^ deletion] / total;
            if odds <= 0.0 {
                continue;
            }
            let value = match self.objective {
                ExactObjective::Gain => f64::from(deletion.count_ones()) * odds,
                ExactObjective::Information => -(odds - 0.5).abs(),
            };
            // A tolerance, so that rounding does not choose among equals.
            if best.is_none_or(|(known, ..)| value > known + 1e-12) {
                best = Some((value, deletion, odds));
            }
        }
        self.next = best.map(|(_, deletion, odds)| (deletion, odds));
    }

    fn subset(&self, mask: usize) -> Subset {
        let gone = (0..self.length).filter(|element| mask >> element & 1 == 0);
        Subset::full(self.length).without(gone.map(|element| element..element + 1))
    }
}

impl Search for ExactPosterior {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.next.map(|(deletion, odds)| Query {
            candidate: self.subset(self.kept & !deletion),
            odds,
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        let Some((deletion, _)) = self.next else {
            return;
        };
        let hits = verdict.is_interesting();
        for (set, weight) in self.weights.iter_mut().enumerate() {
            if (set & deletion == 0) != hits {
                *weight = 0.0;
            }
        }
        if hits {
            self.kept &= !deletion;
        }
        self.choose();
    }

    fn skip(&mut self) {
        self.tell(Verdict::Uninteresting);
    }

    fn best(&self) -> Subset {
        self.subset(self.kept)
    }
}

/// A search of the comparison, before its σ is known.
#[derive(Debug, Clone, PartialEq)]
enum YardstickSearch {
    Exact(ExactObjective),
    ProbDd,
    Cdd,
    Fixed(Algorithm),
}

impl YardstickSearch {
    fn name(&self) -> String {
        match self {
            Self::Exact(ExactObjective::Gain) => "exact, gain".to_owned(),
            Self::Exact(ExactObjective::Information) => "exact, information".to_owned(),
            Self::ProbDd => "probdd".to_owned(),
            Self::Cdd => "cdd".to_owned(),
            Self::Fixed(algorithm) => algorithm.to_string(),
        }
    }

    fn run(&self, problem: &ListProblem, share: f64) -> RunResult {
        let sigma = Sigma::new(share).expect("the shares are between 0 and 1");
        let rules = RunRules::default();
        let algorithm = match self {
            Self::Exact(objective) => {
                let search = ExactPosterior::new(problem.length, share, *objective);
                return run_on_problem(problem, search, rules);
            }
            Self::ProbDd => Algorithm::with::<ProbDd>(ProbDdOptions {
                sigma,
                ..ProbDdOptions::DEFAULT
            }),
            Self::Cdd => Algorithm::with::<Cdd>(CddOptions {
                sigma,
                ..CddOptions::DEFAULT
            }),
            Self::Fixed(algorithm) => algorithm.clone(),
        };
        run_on_problem(problem, algorithm.on(problem.list()), rules)
    }
}

/// The parameters of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PosteriorSetup {
    /// Number of elements of a list, at most [`MAX_LENGTH`].
    pub length: usize,
    /// Number of lists of each share.
    pub problems: u64,
    /// The random seed of the lists.
    pub seed: u64,
}

/// The run of one search on one list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PosteriorRow {
    /// The share of needed elements.
    pub share: f64,
    /// The number of the list.
    pub list: u64,
    /// The name of the search.
    pub search: String,
    /// Number of tests.
    pub queries: u64,
    /// Number of elements kept.
    pub kept: usize,
    /// The information in the choice of the needed elements, in bits.
    pub bits: Option<f64>,
}

/// The result of the comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct PosteriorResult {
    /// The parameters.
    pub setup: PosteriorSetup,
    /// The names of the searches; the first is the reference.
    pub searches: Vec<String>,
    /// The runs, ordered by share, then by list, then by search.
    pub rows: Vec<PosteriorRow>,
}

/// Runs the exact searches, `ProbDD` and CDD with the share as σ, and these algorithms, on lists
/// whose elements are needed independently.
///
/// # Panics
/// If the lists are longer than [`MAX_LENGTH`].
#[must_use]
pub fn run(algorithms: &[Algorithm], setup: &PosteriorSetup) -> PosteriorResult {
    assert!(setup.length <= MAX_LENGTH, "2^{} numbers", setup.length);
    let searches: Vec<YardstickSearch> = [
        YardstickSearch::Exact(ExactObjective::Gain),
        YardstickSearch::Exact(ExactObjective::Information),
        YardstickSearch::ProbDd,
        YardstickSearch::Cdd,
    ]
    .into_iter()
    .chain(algorithms.iter().cloned().map(YardstickSearch::Fixed))
    .collect();
    let lists: Vec<(f64, u64)> = (SHARES.iter())
        .flat_map(|&share| (0..setup.problems).map(move |list| (share, list)))
        .collect();
    let rows = parallel::map(&lists, |&(share, list)| {
        let shape: Shape = format!("independent:needed={share}")
            .parse()
            .expect("the shares are valid parameters");
        let problem = shape.problem(setup.length, setup.seed, list);
        let row = |search: &YardstickSearch| {
            let ended = search.run(&problem, share);
            PosteriorRow {
                share,
                list,
                search: search.name(),
                queries: ended.queries,
                kept: ended.kept,
                bits: problem.bits,
            }
        };
        searches.iter().map(row).collect::<Vec<_>>()
    });
    PosteriorResult {
        setup: *setup,
        searches: searches.iter().map(YardstickSearch::name).collect(),
        rows: rows.into_iter().flatten().collect(),
    }
}

impl PosteriorResult {
    /// Returns the numbers of tests of a search on the lists with one share of needed elements.
    #[must_use]
    pub fn queries(&self, share: f64, search: &str) -> Vec<f64> {
        let rows = self.rows.iter();
        rows.filter(|row| row.share.to_bits() == share.to_bits() && row.search == search)
            .map(|row| row.queries as f64)
            .collect()
    }

    fn comparison(&self, share: f64, search: &str) -> Comparison {
        let first = self.queries(share, &self.searches[0]);
        Comparison::new(&self.queries(share, search), &first)
    }

    fn summary(&self) -> TextTable {
        let mut table = TextTable::new([
            ("needed", Align::Right),
            ("search", Align::Left),
            ("tests, mean", Align::Right),
            ("bound", Align::Right),
            ("ratio of sums", Align::Right),
            ("p", Align::Right),
        ]);
        for share in SHARES {
            let bits = (self.rows.iter())
                .find(|row| row.share.to_bits() == share.to_bits())
                .and_then(|row| row.bits);
            for search in &self.searches {
                let comparison = self.comparison(share, search);
                table.push([
                    share.to_string(),
                    search.clone(),
                    number(comparison.mean, 2),
                    maybe(bits, 1),
                    maybe(comparison.ratio_of_sums, 3),
                    p_value(comparison.p),
                ]);
            }
        }
        table
    }

    fn figure(&self) -> ReportFigure {
        let row = |search: &String| PlotRow {
            name: search.clone(),
            values: (SHARES.iter())
                .map(|&share| self.comparison(share, search).ratio_of_sums)
                .collect(),
        };
        let dots = RowPlot {
            x: Axis::new(
                "tests, divided by those of the exact posterior",
                Scale::Linear,
            ),
            series: SHARES
                .iter()
                .map(|share| format!("{share} needed"))
                .collect(),
            rows: self.searches.iter().map(row).collect(),
            reference: Some(1.0),
        };
        dots.figure(
            "Tests by the share of needed elements",
            "Left of the dashed line are fewer tests.",
        )
    }
}

impl Report for PosteriorResult {
    fn table(&self) -> String {
        self.summary().plain()
    }

    fn csv(&self) -> String {
        csv(&self.rows)
    }

    fn html(&self) -> String {
        let page = HtmlPage {
            title: "The exact posterior".to_owned(),
            lead: "Short lists whose elements are needed independently. The exact searches know the probability of every \
                   set of needed elements, given all verdicts: one asks about the deletion with the greatest expected \
                   gain, as ProbDD does with its approximation, the other about the one whose verdict says most. ProbDD \
                   and CDD have the true share as their sigma."
                .to_owned(),
            settings: vec![
                ("elements", self.setup.length.to_string()),
                ("lists of each share", self.setup.problems.to_string()),
                ("seed", self.setup.seed.to_string()),
            ],
            figures: vec![self.figure()],
            tables: vec![("Tests".to_owned(), self.summary())],
        };
        page.html()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::run_single_worker;

    #[test]
    fn every_set_of_needed_elements_is_found() {
        for objective in [ExactObjective::Gain, ExactObjective::Information] {
            for needed in 0..1_usize << 6 {
                let search = ExactPosterior::new(6, 0.25, objective);
                let judge = |kept: &Subset| {
                    let missing = (0..6).any(|e| needed >> e & 1 == 1 && !kept.contains(e));
                    match missing {
                        true => Verdict::Uninteresting,
                        false => Verdict::Interesting,
                    }
                };
                let ended = run_single_worker(search, judge, RunRules::default());
                let kept = ended.best.iter().fold(0, |mask, e| mask | 1 << e);
                assert_eq!(kept, needed, "{objective:?}");
            }
        }
    }

    #[test]
    fn a_miss_of_two_makes_each_of_them_likely() {
        let mut search = ExactPosterior::new(2, 0.25, ExactObjective::Gain);
        // 2 · 0.75² is more than 0.75.
        assert_eq!(search.next.map(|(deletion, _)| deletion), Some(0b11));
        search.tell(Verdict::Uninteresting);
        // Of 0.1875, 0.1875 and 0.0625, the first has the first element free.
        let odds = search.next.map(|(_, odds)| odds).unwrap();
        assert!((odds - 0.1875 / 0.4375).abs() < 1e-12, "{odds}");
        search.tell(Verdict::Interesting);
        // The other one is needed for certain, so nothing is left to ask.
        assert!(search.ask().is_none());
        assert_eq!(search.best().count(), 1);
    }

    #[test]
    fn the_exact_posterior_asks_no_more_than_probdd() {
        let setup = PosteriorSetup {
            length: 8,
            problems: 40,
            seed: 1,
        };
        let result = run(&[], &setup);
        for share in SHARES {
            let sum = |search: &str| result.queries(share, search).iter().sum::<f64>();
            assert!(sum("exact, information") <= sum("probdd"), "{share}");
        }
        assert!(result.table().contains("exact, gain"));
    }
}
