//! Query counts of every search on six fixed shapes, so that a change of cost is a visible diff.

use boildown_search::list::List;
use boildown_search::{Search as _, Subset, Verdict, run};

use crate::any_search::AnySearch;
use crate::oracles::{Check, Oracle, every_search};

/// Records the number of queries and of elements left.
struct QueryCounts<'a> {
    oracle: &'a Oracle,
    lines: std::cell::RefCell<Vec<String>>,
}

impl Check for QueryCounts<'_> {
    fn check_any(&self, search: AnySearch<'_>) -> Result<(), String> {
        let mut with_repeats = 0;
        let mut repeating = search.clone();
        while let Some(query) = repeating.ask() {
            with_repeats += 1;
            repeating.tell(self.oracle.judge(&query.candidate));
        }
        let mut asked = 0;
        let best = run(search, |kept| {
            asked += 1;
            self.oracle.judge(kept)
        })
        .best();
        self.lines
            .borrow_mut()
            .push(format!("{asked}/{with_repeats} -> {}", best.count()));
        Ok(())
    }
}

/// Returns the counts of every search for one oracle, by its name.
fn column(oracle: &Oracle) -> Vec<(&'static str, String)> {
    let count = QueryCounts {
        oracle,
        lines: std::cell::RefCell::default(),
    };
    assert_eq!(oracle.judge(&Subset::full(120)), Verdict::Interesting);
    let names = every_search(&List::uniform(120), &count).expect("counting cannot fail");
    names.into_iter().zip(count.lines.into_inner()).collect()
}

#[test]
fn queries_asked_without_and_with_repeats_and_elements_left() {
    let every = |step: usize| {
        (0..120)
            .filter(move |element| element % step == 0)
            .collect::<Vec<_>>()
    };
    let chain = |users: std::ops::Range<usize>, back: usize| {
        users.map(|user| (user, user - back)).collect::<Vec<_>>()
    };
    let shapes = [
        ("nothing needed", Oracle::Needs(vec![])),
        ("one in the middle", Oracle::Needs(vec![60])),
        ("every twelfth", Oracle::Needs(every(12))),
        ("one run of 20", Oracle::Needs((50..70).collect())),
        (
            "uses the one before",
            Oracle::DefUse {
                roots: vec![9],
                uses: chain(1..120, 1),
            },
        ),
        ("every second", Oracle::Needs(every(2))),
    ];
    let columns = shapes.each_ref().map(|(_, oracle)| column(oracle));
    let line = |name: &str, cells: Vec<&str>| {
        let cells: String = cells.iter().map(|cell| format!("{cell:>21}")).collect();
        format!("{name:40}{cells}\n")
    };
    let mut table = line("", shapes.iter().map(|(shape, _)| *shape).collect());
    for (row, (name, _)) in columns[0].iter().enumerate() {
        let cells = columns.iter().map(|column| &*column[row].1).collect();
        table += &line(name, cells);
    }
    insta::assert_snapshot!(table);
}
