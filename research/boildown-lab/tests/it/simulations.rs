//! Simulated workers compared with a plain run of the search.
#![expect(
    clippy::float_cmp,
    reason = "with equal latencies, virtual time is a whole number"
)]

use std::cell::Cell;
use std::num::NonZeroUsize;

use boildown_lab::simulate::{
    Latency, RepeatedCandidates, RunRules, WorkerPool, run_single_worker, simulate,
};
use boildown_lab::workload::{ListProblem, Shape};
use boildown_literature::list::Ddmin;
use boildown_search::algorithms::Algorithm;
use boildown_search::list::{ListAlgorithm as _, Sweep};
use boildown_search::{Subset, run};

fn pool(workers: usize, latency: Latency) -> WorkerPool {
    WorkerPool {
        workers: NonZeroUsize::new(workers).unwrap(),
        latency,
    }
}

fn problems() -> Vec<(String, ListProblem)> {
    Shape::ALL
        .into_iter()
        .map(|shape| (shape.to_string(), shape.problem(40, 3, 1)))
        // The weighted lists have hundreds of elements.
        .filter(|(_, problem)| problem.length <= 40)
        .collect()
}

#[test]
fn one_worker_runs_the_queries_of_a_plain_run() {
    for (name, problem) in problems() {
        for known in boildown_literature::algorithms().lists() {
            let algorithm = known.algorithm();
            let asked = Cell::new(0);
            let plain = run(algorithm.on(problem.list()), |kept| {
                asked.set(asked.get() + 1);
                problem.judge(kept)
            });
            let judge = |kept: &Subset| problem.judge(kept);
            let cheap = run_single_worker(algorithm.on(problem.list()), judge, RunRules::default());
            let ended = simulate(algorithm.on(problem.list()), judge, pool(1, Latency::Unit));
            let context = format!("{name} {algorithm}");
            assert_eq!(ended.told, asked.get(), "{context}");
            assert_eq!(ended, cheap, "{context}");
            assert_eq!(ended.latency, asked.get() as f64, "{context}");
            assert_eq!(
                boildown_search::Search::best(&plain),
                ended.best,
                "{context}"
            );
        }
    }
}

#[test]
fn more_workers_give_the_same_result_and_never_take_longer() {
    for (name, problem) in problems() {
        for known in boildown_literature::algorithms().lists() {
            let algorithm = known.algorithm();
            let judge = |kept: &Subset| problem.judge(kept);
            let on = |pool: WorkerPool| simulate(algorithm.on(problem.list()), judge, pool);
            let single = on(pool(1, Latency::Unit));
            for workers in [2, 7, 64] {
                for latency in [Latency::Unit, Latency::Drawn { seed: 5 }] {
                    let ended = on(pool(workers, latency));
                    let context = format!("{name} {algorithm} {workers} {latency:?}");
                    assert_eq!(ended.told, single.told, "{context}");
                    assert_eq!(ended.best, single.best, "{context}");
                    assert!(ended.executed >= ended.told, "{context}");
                    if latency == Latency::Unit {
                        assert!(ended.latency <= ended.told as f64, "{context}");
                    }
                }
            }
        }
    }
}

#[test]
fn drawn_latencies_are_repeatable_and_about_one_on_average() {
    let problem = Shape::Independent { needed: 1.0 }.problem(2_000, 1, 1);
    let judge = |kept: &Subset| problem.judge(kept);
    let sweep = || Algorithm::of::<Sweep>().on(problem.list());
    let on = |seed| simulate(sweep(), judge, pool(1, Latency::Drawn { seed })).latency;
    assert_eq!(on(1), on(1));
    assert_ne!(on(1), on(2));
    assert!((1_700.0..2_400.0).contains(&on(1)), "{}", on(1));
}

#[test]
fn ddmin_needs_35_tests_for_the_eight_statements_without_a_cache() {
    let problem = Shape::EightStatements.problem(0, 0, 0);
    let judge = |kept: &Subset| problem.judge(kept);
    let ddmin = || Algorithm::of::<Ddmin>().on(problem.list());
    let rules = RunRules {
        repeats: RepeatedCandidates::Counted,
        ..RunRules::default()
    };
    let repeating = run_single_worker(ddmin(), judge, rules);
    assert_eq!((repeating.told, repeating.best.count()), (35, 7));
    let cached = simulate(ddmin(), judge, WorkerPool::default());
    assert_eq!((cached.told, cached.best.count()), (27, 7));
}

#[test]
fn a_run_that_meets_its_limit_has_the_best_candidate_so_far() {
    let problem = Shape::Independent { needed: 0.1 }.problem(100, 1, 1);
    let judge = |kept: &Subset| problem.judge(kept);
    let limited = |max_tests| {
        let rules = RunRules {
            max_tests,
            ..RunRules::default()
        };
        run_single_worker(Algorithm::halving().on(problem.list()), judge, rules)
    };
    let whole = limited(None);
    assert!(whole.finished);
    assert_eq!(limited(Some(whole.told)), whole);
    let mut kept = 100;
    for tests in 0..whole.told {
        let ended = limited(Some(tests));
        assert_eq!((ended.told, ended.finished), (tests, false));
        assert!(judge(&ended.best).is_interesting());
        assert!((whole.best.count()..=kept).contains(&ended.best.count()));
        kept = ended.best.count();
    }
}
