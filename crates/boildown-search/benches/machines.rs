//! What one question costs a list machine, at lists of a hundred to a million elements.
//!
//! `ask`: the next question, its candidate included. `clone and tell`: what speculation does for each guess. Both in the middle of a
//! search in which one element in ten thousand is needed, and one at least.

use std::hint::black_box;

use boildown_search::list::{Algorithm, List, Machine, Minimise as _};
use boildown_search::{Search as _, Verdict};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

/// Runs a machine for so many questions.
fn started(algorithm: Algorithm, n: usize) -> Machine {
    let mut machine = algorithm.on(List::uniform(n));
    for _ in 0..20 {
        let Some(question) = machine.ask() else {
            break;
        };
        let hit = (0..n)
            .step_by(10_000)
            .all(|element| question.candidate.contains(element));
        machine.tell(if hit {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        });
    }
    machine
}

fn machines(criterion: &mut Criterion) {
    for what in ["ask", "clone and tell"] {
        let mut group = criterion.benchmark_group(what);
        for algorithm in Algorithm::ALL {
            for n in [100, 10_000, 1_000_000] {
                let machine = started(algorithm, n);
                if machine.ask().is_none() {
                    continue;
                }
                let id = BenchmarkId::new(algorithm.to_string(), n);
                group.bench_with_input(id, &machine, |bencher, machine| match what {
                    "ask" => bencher.iter(|| black_box(machine.ask())),
                    _ => bencher.iter(|| {
                        let mut clone = machine.clone();
                        clone.tell(Verdict::Uninteresting);
                        clone
                    }),
                });
            }
        }
    }
}

criterion_group!(benches, machines);
criterion_main!(benches);
