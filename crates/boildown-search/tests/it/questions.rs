//! How many questions each machine asks on six fixed shapes: a change of cost shows in the diff.

use boildown_search::list::List;
use boildown_search::{Search, Subset, Verdict, run};

use crate::oracles::{Check, Oracle, every_machine};

/// Notes the questions asked and the elements left.
struct Count<'a> {
    oracle: &'a Oracle,
    lines: std::cell::RefCell<Vec<String>>,
}

impl Check for Count<'_> {
    fn check<S: Search<Candidate = Subset>>(&self, machine: S) -> Result<(), String> {
        let mut with_repeats = 0;
        let mut repeating = machine.clone();
        while let Some(question) = repeating.ask() {
            with_repeats += 1;
            repeating.tell(self.oracle.judge(&question.candidate));
        }
        let mut asked = 0;
        let best = run(machine, |kept| {
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

fn table(shape: &str, oracle: &Oracle) -> String {
    let count = Count {
        oracle,
        lines: std::cell::RefCell::default(),
    };
    assert_eq!(oracle.judge(&Subset::full(120)), Verdict::Interesting);
    every_machine(&List::uniform(120), &count).expect("counting cannot fail");
    format!(
        "{shape:20}{}\n",
        count
            .lines
            .into_inner()
            .iter()
            .map(|line| format!("{line:16}"))
            .collect::<String>()
    )
}

#[test]
fn questions_asked_without_and_with_repeats_and_elements_left() {
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
    let header = "                    halving         sweep           adaptive        ddmin           complements     \
                  halving+sweep   adaptive*       pairs|halving   \
                  naive           bisection       ddmin onwards   ddmin picire    ddmin*          wddmin          \
                  halving ltr     halving bfs     halving+pairs   known sweep     skip ddmin      bfs x3          \
                  picire x3       wddmin x3\n";
    let tables: String = shapes
        .iter()
        .map(|(shape, oracle)| table(shape, oracle))
        .collect();
    insta::assert_snapshot!(format!("{header}{tables}"));
}
