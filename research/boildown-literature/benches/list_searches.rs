//! Benchmark of the cost of one query in list searches, for lists of a hundred to a million
//! elements.
//!
//! `ask` makes the next query with its candidate. `clone and tell` is what speculation does for
//! each guess. Both are measured in the middle of a search in which one element in ten thousand is
//! needed, and at least one.

use std::hint::black_box;

use boildown_search::algorithms::Algorithm;
use boildown_search::list::{List, ListAlgorithm as _};
use boildown_search::{AnyListSearch, Search as _, Verdict};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

/// Runs a search for 20 queries.
fn started(algorithm: &Algorithm, n: usize) -> AnyListSearch {
    let mut search = algorithm.on(List::uniform(n));
    for _ in 0..20 {
        let Some(query) = search.ask() else {
            break;
        };
        let hit = (0..n)
            .step_by(10_000)
            .all(|element| query.candidate.contains(element));
        search.tell(if hit {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        });
    }
    search
}

fn searches(criterion: &mut Criterion) {
    for what in ["ask", "clone and tell"] {
        let mut group = criterion.benchmark_group(what);
        for known in boildown_literature::algorithms().lists() {
            let algorithm = known.algorithm();
            for n in [100, 10_000, 1_000_000] {
                let search = started(&algorithm, n);
                if search.ask().is_none() {
                    continue;
                }
                let id = BenchmarkId::new(algorithm.to_string(), n);
                group.bench_with_input(id, &search, |bencher, search| match what {
                    "ask" => bencher.iter(|| black_box(search.ask())),
                    _ => bencher.iter(|| {
                        let mut clone = search.clone();
                        clone.tell(Verdict::Uninteresting);
                        clone
                    }),
                });
            }
        }
    }
}

criterion_group!(benches, searches);
criterion_main!(benches);
