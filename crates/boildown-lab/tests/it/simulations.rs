//! Simulated workers against the plain run.
#![expect(
    clippy::float_cmp,
    reason = "virtual time with equal latencies counts in whole numbers"
)]

use std::cell::Cell;
use std::num::NonZeroUsize;

use boildown_lab::simulate::{Ahead, Latency, Pool, Repeats, alone, simulate};
use boildown_lab::workload::{Problem, Shape};
use boildown_search::list::{Algorithm, DdminOptions, Minimise as _};
use boildown_search::{Epochs, Subset, run};

fn pool(workers: usize, latency: Latency, ahead: Ahead) -> Pool {
    Pool {
        workers: NonZeroUsize::new(workers).unwrap(),
        latency,
        ahead,
    }
}

fn problems() -> Vec<(String, Problem)> {
    Shape::ALL
        .into_iter()
        .map(|shape| (shape.to_string(), shape.problem(40, 3, 1)))
        // The weighted lists have hundreds of elements.
        .filter(|(_, problem)| problem.length <= 40)
        .collect()
}

#[test]
fn one_worker_asks_what_the_plain_run_asks() {
    for (name, problem) in problems() {
        for algorithm in Algorithm::ALL {
            let asked = Cell::new(0);
            let plain = run(algorithm.on(problem.list()), |kept| {
                asked.set(asked.get() + 1);
                problem.judge(kept)
            });
            let judge = |kept: &Subset| problem.judge(kept);
            let cheap = alone(algorithm.on(problem.list()), judge, Repeats::Skipped);
            for ahead in [Ahead::Guesses, Ahead::Certainties] {
                let ended = simulate(
                    algorithm.on(problem.list()),
                    judge,
                    pool(1, Latency::Unit, ahead),
                );
                let context = format!("{name} {algorithm} {ahead:?}");
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
}

#[test]
fn more_workers_tell_the_same_and_never_take_longer_than_one_question_at_a_time() {
    for (name, problem) in problems() {
        for algorithm in Algorithm::ALL {
            let judge = |kept: &Subset| problem.judge(kept);
            let on = |pool: Pool| simulate(algorithm.on(problem.list()), judge, pool);
            let alone = on(pool(1, Latency::Unit, Ahead::Guesses));
            for workers in [2, 7, 64] {
                for latency in [Latency::Unit, Latency::Drawn { seed: 5 }] {
                    let ended = on(pool(workers, latency, Ahead::Guesses));
                    let context = format!("{name} {algorithm} {workers} {latency:?}");
                    assert_eq!(ended.told, alone.told, "{context}");
                    assert_eq!(ended.best, alone.best, "{context}");
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
fn wide_questions_run_together_without_waste() {
    let problem = Shape::Independent { needed: 0.4 }.problem(64, 1, 1);
    let judge = |kept: &Subset| problem.judge(kept);
    let wide = Epochs::new(
        Algorithm::HALVING.on(problem.list()),
        NonZeroUsize::new(16).unwrap(),
    );
    let alone = simulate(
        wide.clone(),
        judge,
        pool(1, Latency::Unit, Ahead::Certainties),
    );
    let together = simulate(wide, judge, pool(16, Latency::Unit, Ahead::Certainties));
    assert_eq!(together.told, alone.told);
    assert_eq!(together.executed, together.told, "nothing is guessed");
    assert_eq!(together.best, alone.best);
    assert!(
        4.0 * together.latency < alone.latency,
        "{} of {}",
        together.latency,
        alone.latency
    );
}

#[test]
fn drawn_latencies_repeat_and_are_about_one_on_average() {
    let problem = Shape::Independent { needed: 1.0 }.problem(2_000, 1, 1);
    let judge = |kept: &Subset| problem.judge(kept);
    let sweep = || Algorithm::Sweep.on(problem.list());
    let on = |seed| {
        simulate(
            sweep(),
            judge,
            pool(1, Latency::Drawn { seed }, Ahead::Guesses),
        )
        .latency
    };
    assert_eq!(on(1), on(1));
    assert_ne!(on(1), on(2));
    assert!((1_700.0..2_400.0).contains(&on(1)), "{}", on(1));
}

#[test]
fn without_a_cache_ddmin_asks_the_eight_statements_35_times() {
    let problem = Shape::EightStatements.problem(0, 0, 0);
    let judge = |kept: &Subset| problem.judge(kept);
    let ddmin = || Algorithm::Ddmin(DdminOptions::PAPER).on(problem.list());
    let repeating = alone(ddmin(), judge, Repeats::Counted);
    assert_eq!((repeating.told, repeating.best.count()), (35, 7));
    let cached = simulate(ddmin(), judge, Pool::default());
    assert_eq!((cached.told, cached.best.count()), (27, 7));
}
