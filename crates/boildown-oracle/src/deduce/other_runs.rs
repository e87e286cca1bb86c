//! Runs that a run is compared with.

use std::collections::HashSet;

use super::alike::OtherTexts;
use super::noise::{has_a_word_of_failure, is_noise};
use super::plain_output::normalised_lines;
use crate::Run;

/// Other runs of the command, which show which lines of an output do not depend on the failure.
#[derive(Debug, Clone, Default)]
pub struct OtherRuns {
    /// Further runs on the same input.
    pub repeated: Vec<Run>,
    /// Runs on an input that cannot show the failure, such as the empty one.
    pub without_failure: Vec<Run>,
    /// Runs on parts of the input, which may show the failure.
    pub on_parts: Vec<Run>,
}

/// The number of lines that are compared with those of another run, word by word.
const COMPARED: usize = 200;

impl OtherRuns {
    /// Returns the lines of a run that do not depend on its failure, without the parts that vary.
    pub(super) fn common_lines(&self, run: &Run) -> HashSet<String> {
        let mut own = normalised_lines(run);
        let mut common = HashSet::new();
        for other in &self.repeated {
            let lines = normalised_lines(other);
            match other.outcome == run.outcome {
                true => {
                    let others = OtherTexts::new(lines.iter().map(String::as_str));
                    let vary = |(number, line): &(usize, &String)| {
                        *number >= COMPARED || others.varying(line).is_none()
                    };
                    let mut differ: Vec<&String> = own.difference(&lines).collect();
                    differ.sort();
                    let differ = differ.into_iter().enumerate().filter(vary);
                    common.extend(differ.map(|(_, line)| line.clone()));
                }
                // The failure is intermittent, and these lines have nothing to do with it.
                false => common.extend(lines),
            }
        }
        own.retain(|line| !common.contains(line));
        for other in &self.without_failure {
            let lines = normalised_lines(other);
            // Where an input without the failure ends in the same way and prints all messages, the
            // output does not depend on the input, and nothing follows.
            let names_something = |line: &&String| {
                has_a_word_of_failure(line.as_bytes()) && !is_noise(line.as_bytes())
            };
            if other.outcome != run.outcome
                || own.difference(&lines).any(|line| names_something(&line))
            {
                common.extend(lines);
            }
        }
        // A part of the input that ends in the same way may show the same failure.
        let parts = self.on_parts.iter();
        for other in parts.filter(|other| other.outcome != run.outcome) {
            common.extend(normalised_lines(other));
        }
        common
    }
}
