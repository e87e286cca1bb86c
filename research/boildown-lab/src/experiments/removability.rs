//! The correlation of weight and removal of list elements, on real programs with simulated
//! properties: the assumption behind weighted delta debugging.

use std::sync::{Arc, Mutex, PoisonError};

use boildown_literature::tree::{Hdd, Nodes};
use boildown_search::algorithms::Algorithm;
use boildown_search::list::{List, ListAlgorithm};
use boildown_search::{AnyListSearch, Subset};
use serde::{Deserialize, Serialize};

use crate::parallel;
use crate::recorded::{RecordedInput, TokenChoice};
use crate::report::plot::{Axis, LinePlot, LineSeries, Plot as _, Scale};
use crate::report::{
    Align, HtmlPage, Report, ReportFigure, TextTable, csv, maybe, number, p_value,
};
use crate::simulate::RunRules;
use crate::statistics::{RankCorrelation, stratified_spearman};

/// The elements of one weight class in the lists of one program, and how many of them were removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovabilityRow {
    /// The name of the program.
    pub program: String,
    /// The smallest weight of the class, a power of two. The largest is one less than twice that.
    pub weight: u32,
    /// Number of elements.
    pub elements: usize,
    /// Number of elements that were removed.
    pub removed: usize,
}

/// An element of a list that was minimised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ListElement {
    weight: u32,
    is_removed: bool,
}

/// The lists of one program.
#[derive(Debug, Clone, PartialEq)]
struct ProgramLists {
    name: String,
    lists: Vec<Vec<ListElement>>,
}

/// The result of the experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct RemovabilityResult {
    /// The parameters by which the needed tokens were chosen.
    pub choice: TokenChoice,
    /// The algorithm that minimised the lists.
    pub algorithm: Algorithm,
    programs: Vec<ProgramLists>,
}

/// Reduces every program with HDD, and records for each element of each list with at least two
/// elements its weight in tokens and whether it was removed.
///
/// # Source
/// X. Zhou et al., *WDD: Weighted Delta Debugging*, ICSE 2025, research question 1: weight and the
/// probability of removal are negatively correlated. The properties there are those of real
/// compiler bugs. Here a random choice of tokens is needed, so an element that holds more tokens is
/// more likely to hold a needed one; how much, depends on the syntax.
#[must_use]
pub fn run(
    programs: &[RecordedInput],
    algorithm: &Algorithm,
    choice: TokenChoice,
) -> RemovabilityResult {
    let programs = parallel::map(programs, |program| {
        let observer = Observer {
            algorithm: algorithm.clone(),
            lists: Arc::default(),
        };
        let lists = Arc::clone(&observer.lists);
        let _result = program.reduce_by(
            |tree, everything| Hdd::new(observer, tree, everything, Nodes::All),
            RunRules::default(),
        );
        let lists = lists.lock().unwrap_or_else(PoisonError::into_inner);
        ProgramLists {
            name: program.name.clone(),
            lists: lists.clone(),
        }
    });
    RemovabilityResult {
        choice,
        algorithm: algorithm.clone(),
        programs,
    }
}

/// A list algorithm that records the lists that were minimised.
#[derive(Debug, Clone)]
struct Observer {
    algorithm: Algorithm,
    /// Shared by all clones; the search that receives verdicts is never cloned here.
    lists: Arc<Mutex<Vec<Vec<ListElement>>>>,
}

impl ListAlgorithm for Observer {
    type Search = AnyListSearch;

    fn on(&self, list: List) -> AnyListSearch {
        self.algorithm.on(list)
    }

    fn learn(&mut self, list: &List, left: &Subset) {
        self.algorithm.learn(list, left);
        let element = |index: usize| ListElement {
            weight: list.weights.get(index).copied().unwrap_or(1),
            is_removed: !left.contains(index),
        };
        let elements: Vec<ListElement> = list.kept.iter().map(element).collect();
        if elements.len() > 1 {
            let lists = &mut *self.lists.lock().unwrap_or_else(PoisonError::into_inner);
            lists.push(elements);
        }
    }
}

/// Elements, and those of them that were removed.
#[derive(Debug, Clone, Copy, Default)]
struct RemovalCounts {
    elements: usize,
    removed: usize,
}

impl RemovalCounts {
    fn add(&mut self, element: ListElement) {
        self.elements += 1;
        self.removed += usize::from(element.is_removed);
    }

    /// Returns the share that was removed, in per cent.
    fn percent(self) -> Option<f64> {
        (self.elements > 0).then(|| 100.0 * self.removed as f64 / self.elements as f64)
    }
}

/// Returns the number of the class of a weight: 0 for 1, 1 for 2 and 3, and so on.
fn weight_class(weight: u32) -> usize {
    weight.max(1).ilog2() as usize
}

/// Returns a power by squaring: unlike `powf`, the same on every machine.
fn power(base: f64, mut exponent: u32) -> f64 {
    let (mut result, mut square) = (1.0, base);
    while exponent > 0 {
        if exponent % 2 == 1 {
            result *= square;
        }
        square *= square;
        exponent /= 2;
    }
    result
}

fn by_class<'a>(elements: impl Iterator<Item = &'a ListElement>) -> Vec<RemovalCounts> {
    let mut classes = vec![RemovalCounts::default(); 32];
    for &element in elements {
        classes[weight_class(element.weight)].add(element);
    }
    classes
}

impl ProgramLists {
    fn elements(&self) -> impl Iterator<Item = &ListElement> {
        self.lists.iter().flatten()
    }

    fn totals(&self) -> RemovalCounts {
        let mut totals = RemovalCounts::default();
        self.elements().for_each(|&element| totals.add(element));
        totals
    }

    /// Returns the correlation of weight and removal over all elements.
    fn overall(&self) -> Option<RankCorrelation> {
        stratified_spearman([self.elements().map(pair).collect()])
    }

    /// Returns the correlation of weight and removal among the elements of the same list.
    fn within_lists(&self) -> Option<RankCorrelation> {
        let lists = self.lists.iter();
        stratified_spearman(lists.map(|list| list.iter().map(pair).collect()))
    }

    /// Returns the median weight of the elements that were removed, or of the others.
    fn median(&self, is_removed: bool) -> Option<f64> {
        let chosen = self.elements().filter(|it| it.is_removed == is_removed);
        let mut weights: Vec<u32> = chosen.map(|element| element.weight).collect();
        weights.sort_unstable();
        weights.get(weights.len() / 2).map(|&weight| weight.into())
    }
}

fn pair(element: &ListElement) -> (f64, f64) {
    let removed = if element.is_removed { 1.0 } else { 0.0 };
    (f64::from(element.weight), removed)
}

impl RemovabilityResult {
    /// Returns the counts by program and weight class.
    #[must_use]
    pub fn rows(&self) -> Vec<RemovabilityRow> {
        let mut rows = Vec::new();
        for program in &self.programs {
            for (class, counts) in by_class(program.elements()).into_iter().enumerate() {
                if counts.elements > 0 {
                    rows.push(RemovabilityRow {
                        program: program.name.clone(),
                        weight: 1 << class,
                        elements: counts.elements,
                        removed: counts.removed,
                    });
                }
            }
        }
        rows
    }

    fn summary(&self) -> TextTable {
        let mut table = TextTable::new([
            ("program", Align::Left),
            ("lists", Align::Right),
            ("elements", Align::Right),
            ("removed %", Align::Right),
            ("weight, removed", Align::Right),
            ("kept", Align::Right),
            ("correlation", Align::Right),
            ("p", Align::Right),
            ("within lists", Align::Right),
            ("p", Align::Right),
        ]);
        for program in &self.programs {
            let (overall, within) = (program.overall(), program.within_lists());
            table.push([
                program.name.clone(),
                number(program.lists.len() as f64, 0),
                number(program.totals().elements as f64, 0),
                maybe(program.totals().percent(), 1),
                maybe(program.median(true), 0),
                maybe(program.median(false), 0),
                maybe(overall.map(|it| it.rho), 3),
                p_value(overall.map(|it| it.p)),
                maybe(within.map(|it| it.rho), 3),
                p_value(within.map(|it| it.p)),
            ]);
        }
        table
    }

    fn pooled(&self) -> impl Iterator<Item = &ListElement> {
        self.programs.iter().flat_map(ProgramLists::elements)
    }

    fn classes(&self) -> TextTable {
        let mut table = TextTable::new([
            ("weight in tokens", Align::Left),
            ("elements", Align::Right),
            ("removed %", Align::Right),
            ("p^w %", Align::Right),
        ]);
        let model = self.model();
        for (class, counts) in by_class(self.pooled()).into_iter().enumerate() {
            if counts.elements > 0 {
                let (first, last) = (1_u64 << class, (2_u64 << class) - 1);
                let weights = match first == last {
                    true => first.to_string(),
                    false => format!("{first} to {last}"),
                };
                table.push([
                    weights,
                    number(counts.elements as f64, 0),
                    maybe(counts.percent(), 1),
                    maybe(model[class], 1),
                ]);
            }
        }
        table
    }

    /// Returns the removed share of each class, in per cent, if every token can be removed with the
    /// same probability p and an element when all of its tokens can. p is chosen so that as many
    /// elements are removed as were.
    fn model(&self) -> Vec<Option<f64>> {
        let mut weights = vec![Vec::new(); 32];
        let mut removed = 0;
        for element in self.pooled() {
            weights[weight_class(element.weight)].push(element.weight);
            removed += usize::from(element.is_removed);
        }
        let expected = |p: f64, class: &Vec<u32>| -> f64 {
            class.iter().map(|&weight| power(p, weight)).sum()
        };
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..40 {
            let middle = f64::midpoint(low, high);
            let all: f64 = weights.iter().map(|class| expected(middle, class)).sum();
            if all < removed as f64 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let share = |class: &Vec<u32>| {
            (!class.is_empty()).then(|| 100.0 * expected(high, class) / class.len() as f64)
        };
        weights.iter().map(share).collect()
    }

    fn curve(&self) -> ReportFigure {
        let points = |shares: Vec<Option<f64>>| {
            let points = shares.into_iter().enumerate();
            let middle = |class| 1.5 * (1_u64 << class) as f64;
            let points = points.filter_map(|(class, share)| Some((middle(class), share?)));
            points.collect::<Vec<_>>()
        };
        let measured = by_class(self.pooled())
            .into_iter()
            .map(RemovalCounts::percent);
        let series = [("removed", measured.collect()), ("p^w", self.model())];
        let lines = LinePlot {
            x: Axis::new("weight of the element, tokens", Scale::Log),
            y: Axis::new("removed, %", Scale::Linear),
            series: (series.into_iter().enumerate())
                .map(|(style, (name, shares))| LineSeries {
                    name: name.to_owned(),
                    style,
                    points: points(shares),
                })
                .collect(),
            reference: None,
        };
        lines.figure(
            "Removed elements by weight",
            "All programs together, in classes of weights from a power of two to the next. \
             The curve p^w is the assumption of the simulation in the paper, with p such \
             that as many elements are removed.",
        )
    }
}

impl Report for RemovabilityResult {
    fn table(&self) -> String {
        format!("{}\n{}", self.summary().plain(), self.classes().plain())
    }

    fn csv(&self) -> String {
        csv(&self.rows())
    }

    fn html(&self) -> String {
        let page = HtmlPage {
            title: "Weight and removability".to_owned(),
            lead:
                "Whether heavy elements are removed less often, the assumption of weighted delta \
                   debugging: all lists of nodes that HDD minimises, on real programs of which a \
                   random choice of tokens is needed, with what these need to parse. Correlations \
                   are Spearman's, of the weight in tokens and of removal; negative ones mean that \
                   heavy elements stay. Lists of one element are left out."
                    .to_owned(),
            settings: vec![
                ("list algorithm", self.algorithm.to_string()),
                ("chosen tokens", self.choice.tokens.to_string()),
                ("seed", self.choice.seed.to_string()),
            ],
            figures: vec![self.curve()],
            tables: vec![
                ("Correlation by program".to_owned(), self.summary()),
                ("Removed elements by weight".to_owned(), self.classes()),
            ],
        };
        page.html()
    }
}

#[cfg(test)]
mod tests {
    use boildown_document::Language;
    use boildown_literature::list::Ddmin;

    use super::*;

    fn element(weight: u32, is_removed: bool) -> ListElement {
        ListElement { weight, is_removed }
    }

    fn result(lists: Vec<Vec<ListElement>>) -> RemovabilityResult {
        RemovabilityResult {
            choice: TokenChoice { tokens: 1, seed: 1 },
            algorithm: Algorithm::halving(),
            programs: vec![ProgramLists {
                name: "program".to_owned(),
                lists,
            }],
        }
    }

    #[test]
    fn the_heaviest_elements_that_stay_give_a_negative_correlation() {
        let list = |heavy_stay: bool| {
            let elements = (1..=20).map(|weight| element(weight, (weight < 11) == heavy_stay));
            result(vec![elements.collect()])
        };
        let of = |heavy_stay| list(heavy_stay).programs[0].overall();
        let (negative, positive) = (of(true), of(false));
        let (negative, positive) = (negative.unwrap(), positive.unwrap());
        assert!((-0.9..-0.8).contains(&negative.rho), "{negative:?}");
        assert!((negative.rho + positive.rho).abs() < 1e-12);
        assert!(negative.p < 0.001);
    }

    #[test]
    fn a_difference_between_lists_is_none_within_them() {
        // All of the light list is removed, nothing of the heavy one.
        let lists = vec![
            (1..5).map(|weight| element(weight, true)).collect(),
            (5..9).map(|weight| element(weight, false)).collect(),
        ];
        let program = &result(lists).programs[0];
        assert!(program.overall().unwrap().rho < -0.8);
        assert_eq!(program.within_lists(), None);
    }

    #[test]
    fn the_model_removes_as_many_elements_as_were_removed() {
        let elements = (0..100).map(|index| element(1 + index % 4, index % 3 == 0));
        let result = result(vec![elements.collect()]);
        let classes = by_class(result.pooled());
        let expected: f64 = (classes.iter().zip(result.model()))
            .map(|(counts, share)| counts.elements as f64 * share.unwrap_or(0.0) / 100.0)
            .sum();
        assert!((expected - 34.0).abs() < 1e-6, "{expected}");
    }

    #[test]
    fn every_element_of_a_list_is_recorded_once() {
        let Some(c) = Language::named("C") else {
            return;
        };
        let text = "int a; int b; int f(void) { a = 1; b = 2; return a; } int g;\n";
        let choice = TokenChoice { tokens: 1, seed: 3 };
        let program = RecordedInput::new("program", text.as_bytes(), c, choice).unwrap();
        let ddmin = Algorithm::of::<Ddmin>();
        let result = run(&[program], &ddmin, choice);
        let lists = &result.programs[0].lists;
        assert_eq!(lists[0].len(), 4, "{lists:?}");
        let weights: Vec<u32> = lists[0].iter().map(|element| element.weight).collect();
        assert_eq!(weights, [3, 3, 18, 3]);
        let rows = result.rows();
        let count: usize = rows.iter().map(|row| row.elements).sum();
        assert_eq!(count, lists.iter().map(Vec::len).sum::<usize>());
    }
}
