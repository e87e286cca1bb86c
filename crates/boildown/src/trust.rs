//! Whether the property held again, and how often.

use boildown_oracle::{Cancel, Oracle, OracleError};
use boildown_search::flaky::{Law, Tally};
use boildown_session::{Baseline, Rate};
use serde_json::{Value, json};

/// What repeated runs showed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trust {
    law: Law,
    /// Runs on the input.
    input: Tally,
    /// Runs on the result, after it was found; `None` when there were none.
    result: Option<Tally>,
    /// Candidates on which the property held and then did not.
    contradictions: u64,
}

impl Trust {
    /// Before the reduction.
    pub(crate) fn new(baseline: &Baseline) -> Self {
        Self {
            law: baseline.law,
            input: baseline.rate.tally,
            result: None,
            contradictions: 0,
        }
    }

    /// Measures how often the property holds on the result. That this is interrupted is no error.
    pub(crate) fn confirm(
        &mut self,
        oracle: &dyn Oracle,
        result: &[u8],
        jobs: usize,
        cancel: &Cancel,
    ) -> Result<(), OracleError> {
        match Rate::default().measure(oracle, result, jobs, cancel) {
            Ok(rate) => self.result = Some(rate.tally),
            Err(OracleError::Cancelled) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Takes runs on the result that were done already.
    pub(crate) fn confirmed(&mut self, result: Option<Tally>) {
        self.result = result;
    }

    /// Whether the property is one that holds always or never, for all that the input showed.
    pub(crate) fn expects_certainty(&self) -> bool {
        self.law == Law::once()
    }

    pub(crate) fn contradicted(&mut self, times: u64) {
        self.contradictions = times;
    }

    /// Whether the property holds on the result as it did on the input, for all that is known.
    pub(crate) fn is_kept(&self) -> bool {
        self.result.is_none_or(|result| {
            if self.expects_certainty() {
                result.misses() == 0
            } else {
                result.interval().high >= self.input.interval().low
            }
        })
    }

    /// What a user has to know before the reduction starts.
    pub(crate) fn foreword(&self) -> Option<String> {
        let lower = self.law.clearly_lower()?;
        Some(format!(
            "flaky: the property held on the input in {}\n       each candidate is run until it is clear whether its rate is that or below {}",
            shown(self.input),
            percent(lower),
        ))
    }

    /// What a user has to know at the end.
    pub(crate) fn afterword(&self) -> Option<String> {
        let mut lines = Vec::new();
        if let Some(result) = self.result.filter(|_| !self.expects_certainty()) {
            lines.push(format!(
                "flaky: the property held on the result in {}, on the input in {}",
                shown(result),
                shown(self.input)
            ));
            if !self.is_kept() {
                lines.push(
                    "warning: it holds on the result less often than on the input".to_owned(),
                );
            }
        }
        if self.contradictions > 0 {
            lines.push(format!(
                "warning: the property held on {} and, run again, did not; --flaky measures how often it holds, and keeps that",
                match self.contradictions {
                    1 => "a candidate".to_owned(),
                    times => format!("{times} candidates"),
                }
            ));
        }
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// The same for programs.
    pub(crate) fn json(&self) -> Value {
        json!({
            "flaky": self.law != Law::once(),
            "input": rate(self.input),
            "result": self.result.map(rate),
            "is_kept": self.is_kept(),
            "contradictions": self.contradictions,
        })
    }
}

fn rate(tally: Tally) -> Value {
    let interval = tally.interval();
    json!({"runs": tally.runs, "held": tally.hits, "low": interval.low, "high": interval.high})
}

/// The rate and what it may really be.
fn shown(tally: Tally) -> String {
    let interval = tally.interval();
    format!(
        "{} of {} runs, {} ({} to {})",
        tally.hits,
        tally.runs,
        percent(tally.rate()),
        percent(interval.low),
        percent(interval.high)
    )
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trust(law: Law, input: (u32, u32), result: (u32, u32)) -> Trust {
        let tally = |(hits, runs)| Tally { runs, hits };
        Trust {
            law,
            input: tally(input),
            result: Some(tally(result)),
            contradictions: 0,
        }
    }

    #[test]
    fn a_rate_is_kept_unless_it_is_lower_for_sure() {
        let flaky = Law::for_rate(Tally { runs: 66, hits: 40 }).unwrap();
        assert!(trust(flaky, (40, 66), (30, 60)).is_kept());
        assert!(trust(flaky, (40, 66), (40, 40)).is_kept());
        assert!(!trust(flaky, (40, 66), (40, 160)).is_kept());
        assert!(trust(Law::once(), (3, 3), (2, 2)).is_kept());
        assert!(!trust(Law::once(), (3, 3), (1, 2)).is_kept());
        assert!(trust(Law::once(), (3, 3), (2, 2)).afterword().is_none());
    }
}
