//! The tests and hits of each pass, and what it removed.

use std::time::Duration;

use crate::event::Measured;

/// What one pass has done in all of its rounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PassYield {
    pub(crate) name: &'static str,
    pub(crate) tests: u64,
    pub(crate) hits: u64,
    pub(crate) bytes: u64,
    /// Tokens, as far as they were counted before and after.
    pub(crate) tokens: u64,
    pub(crate) time: Duration,
}

/// What all passes have done, in the order in which they first ran.
#[derive(Debug, Clone, Default)]
pub(crate) struct PassTable {
    rows: Vec<PassYield>,
    current: Option<usize>,
    /// The state up to which everything is counted.
    counted: Measured,
}

impl PassTable {
    /// Begins to count from a state.
    pub(crate) fn begin(&mut self, at: Measured) {
        self.counted = at;
    }

    /// The following counts for the pass with this name.
    pub(crate) fn start(&mut self, name: &'static str) {
        let known = self.rows.iter().position(|row| row.name == name);
        self.current = Some(known.unwrap_or_else(|| {
            let row = PassYield {
                name,
                ..PassYield::default()
            };
            self.rows.push(row);
            self.rows.len() - 1
        }));
    }

    /// Counts everything up to a state for the pass at work.
    pub(crate) fn count(&mut self, now: Measured) {
        let before = std::mem::replace(&mut self.counted, now);
        let Some(row) = self.current.and_then(|current| self.rows.get_mut(current)) else {
            return;
        };
        row.tests += now.tests.saturating_sub(before.tests);
        row.time += now.elapsed.saturating_sub(before.elapsed);
        row.bytes += before.bytes.saturating_sub(now.bytes);
        if let (Some(before), Some(now)) = (before.tokens, now.tokens) {
            row.tokens += before.saturating_sub(now);
        }
    }

    /// Counts a hit of the pass at work.
    pub(crate) fn hit(&mut self) {
        if let Some(row) = self.current.and_then(|current| self.rows.get_mut(current)) {
            row.hits += 1;
        }
    }

    pub(crate) fn current(&self) -> Option<&PassYield> {
        self.rows.get(self.current?)
    }

    /// Returns the rows: the pass at work, and then the others by what they removed.
    pub(crate) fn ranked(&self) -> Vec<&PassYield> {
        let mut others: Vec<&PassYield> = (self.rows.iter().enumerate())
            .filter(|(place, _)| Some(*place) != self.current)
            .map(|(_, row)| row)
            .collect();
        others.sort_by_key(|row| std::cmp::Reverse(row.bytes));
        self.current().into_iter().chain(others).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(seconds: u64, tests: u64, bytes: u64, tokens: Option<u64>) -> Measured {
        Measured {
            elapsed: Duration::from_secs(seconds),
            tests,
            bytes,
            tokens,
            ..Measured::default()
        }
    }

    #[test]
    fn each_pass_has_what_happened_while_it_was_at_work() {
        let mut table = PassTable::default();
        table.begin(measured(0, 0, 1000, None));
        table.start("lines");
        table.hit();
        table.count(measured(2, 10, 600, None));
        table.start("tree");
        table.count(measured(2, 10, 600, Some(200)));
        table.hit();
        table.hit();
        table.count(measured(5, 30, 100, Some(20)));
        table.start("lines");
        table.count(measured(6, 31, 100, None));
        let rows: Vec<_> = (table.ranked().iter())
            .map(|row| {
                (
                    row.name,
                    row.tests,
                    row.hits,
                    row.bytes,
                    row.tokens,
                    row.time.as_secs(),
                )
            })
            .collect();
        assert_eq!(
            rows,
            [("lines", 11, 1, 400, 0, 3), ("tree", 20, 2, 500, 180, 3)]
        );
    }
}
