//! Repeated runs, as text.

use boildown_search::flaky::RunCounts;
use boildown_session::prepare::Flakiness;

/// Returns what to say before the search when the property is flaky.
pub(crate) fn before_search(flakiness: &Flakiness) -> Option<String> {
    let lower = flakiness.policy.clearly_lower()?;
    Some(format!(
        "flaky: the property held on the input in {}\n       each candidate is run until its rate is clearly as high, or below {}",
        rate(flakiness.input),
        percent(lower),
    ))
}

/// Returns what to say after the search: the rates, and candidates with contradictory runs.
pub(crate) fn after_search(flakiness: &Flakiness) -> Option<String> {
    let mut lines = Vec::new();
    if let Some(result) = flakiness.result.filter(|_| !flakiness.is_steady()) {
        lines.push(format!(
            "flaky: the property held on the result in {}, on the input in {}",
            rate(result),
            rate(flakiness.input)
        ));
        if !flakiness.is_preserved() {
            lines.push("warning: it holds on the result less often than on the input".to_owned());
        }
        if flakiness.holds_more_often() {
            lines.push(
                "warning: it holds on the result far more often than on the input: this may be \
                 another failure\n         compare what the command prints on both; --strict keeps \
                 the rate of the input"
                    .to_owned(),
            );
        }
    }
    if flakiness.contradictions > 0 {
        lines.push(format!(
            "warning: the property held on {} in one run and not in another; --flaky measures and preserves its rate",
            match flakiness.contradictions {
                1 => "a candidate".to_owned(),
                times => format!("{times} candidates"),
            }
        ));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Returns the observed rate with its confidence interval.
fn rate(counts: RunCounts) -> String {
    let interval = counts.interval();
    format!(
        "{} of {} runs, {} ({} to {})",
        counts.hits,
        counts.runs,
        percent(counts.rate()),
        percent(interval.low),
        percent(interval.high)
    )
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use boildown_search::flaky::RepeatPolicy;

    use super::*;

    #[test]
    fn a_property_that_held_in_each_run_is_not_mentioned() {
        let flakiness = Flakiness {
            policy: RepeatPolicy::once(),
            input: RunCounts { runs: 3, hits: 3 },
            result: Some(RunCounts { runs: 2, hits: 2 }),
            contradictions: 0,
        };
        assert!(before_search(&flakiness).is_none());
        assert!(after_search(&flakiness).is_none());
    }
}
