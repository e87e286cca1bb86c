//! The data of a report: what is known of the reduction of one input.
//!
//! Texts are bytes as they were; whatever shows them escapes them.

use std::ops::Range;

use serde::Serialize;

use crate::record::{
    AssumptionsRecord, ChangedFormRecord, ChoiceRecord, ClaimRecord, OtherFailureRecord,
    RepeatabilityRecord, VerdictName,
};

/// Everything that a report shows. What is not known is `None` or empty, and is left out.
#[derive(Debug, Clone, Default)]
pub struct ReductionRecord {
    /// The base name of the input.
    pub input: String,
    /// The base name of the result.
    pub result: String,
    /// The language of the input.
    pub language: Option<String>,
    /// The property in readable form, a line for each expectation.
    pub property: String,
    /// The property as command-line flags.
    pub flags: String,
    /// The command that was run on candidates.
    pub command: Option<String>,
    /// The words of the command line of boildown, quoted for a shell.
    pub command_line: Option<String>,
    /// Whether a final pass verified that the result is 1-minimal, without any restriction.
    pub one_minimal: Option<bool>,
    /// What that pass verified: the units, and what limits the claim.
    pub claim: Option<ClaimRecord>,
    /// The same in words, such as `1-minimal: no single token can be removed`.
    pub guarantee: Option<String>,
    /// The sessions that worked on the run, in order.
    pub sessions: Vec<SessionRecord>,
    /// The results on the way, the input first. Never empty.
    pub steps: Vec<StepRecord>,
    /// The passes, in order.
    pub passes: Vec<PassRecord>,
    /// The verdicts, by outcome.
    pub verdicts: Vec<VerdictRecord>,
    /// The tree of the input, in preorder.
    pub parts: Vec<PartRecord>,
    /// What is left of the input, and why.
    pub remaining: Option<RemainingRecord>,
    /// How often the property held.
    pub repeatability: Option<RepeatabilityRecord>,
    /// How monotone and unambiguous the property was.
    pub assumptions: Option<AssumptionsRecord>,
    /// The step since which the failure has another form than on the input.
    pub form_change: Option<FormChange>,
    /// Failures of candidates that differ from that of the input.
    pub other_failures: Vec<OtherFailureRecord>,
    /// The programs and files that the command consists of or mentions.
    pub tools: Vec<ToolRecord>,
    /// Other facts that verdicts depend on, such as options: name and value.
    pub facts: Vec<(String, String)>,
    /// What boildown chose for the user.
    pub choices: Vec<ChoiceRecord>,
}

/// A session.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionRecord {
    /// The version of boildown.
    pub version: String,
    /// When it began, in seconds since 1970.
    pub started: u64,
    /// Why it ended; `None` if it is still running, or was killed.
    pub ending: Option<String>,
    /// Whether its search ran to its end.
    #[serde(skip)]
    pub has_finished: bool,
    /// Its duration in seconds, if it ended.
    pub seconds: Option<f64>,
    /// Tests that its search was answered.
    pub tests: u64,
    /// Runs of the command.
    pub runs: u64,
    /// Tests that were answered from the store.
    pub recalled: u64,
    /// Seconds that the recorded runs took, added up.
    pub run_seconds: f64,
    /// Tests that ran at once, at most.
    pub jobs: Option<u64>,
    /// Seconds of processor time of boildown itself.
    #[serde(rename = "driver_cpu_seconds")]
    pub own_seconds: Option<f64>,
}

/// A result on the way.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StepRecord {
    /// Tests before it was found.
    pub test: u64,
    /// Its size.
    pub bytes: u64,
    /// Its tokens, if they were counted.
    pub tokens: Option<u64>,
    /// Seconds since the first session began, without the time between sessions.
    pub seconds: f64,
    /// Its content, if it is stored. In JSON only whether it is, so that `boildown history` prints
    /// it.
    #[serde(rename = "stored", serialize_with = "is_some")]
    #[cfg_attr(test, schemars(with = "bool"))]
    pub text: Option<Vec<u8>>,
}

/// A pass at work, once.
#[derive(Debug, Clone, Default)]
pub struct PassRecord {
    /// Its name.
    pub name: String,
    /// Tests before it began.
    pub test: u64,
    /// Seconds since the session began in which it first ran.
    pub seconds: f64,
}

/// Verdicts with the same outcome.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VerdictRecord {
    /// The verdict: `interesting`, `uninteresting` or `unresolved`.
    pub verdict: VerdictName,
    /// How the runs ended, such as `exited with 1`.
    pub outcome: String,
    /// Their number.
    pub count: u64,
    /// Seconds that they took, added up.
    pub seconds: f64,
}

/// A node of the tree of the input.
#[derive(Debug, Clone, Default)]
pub struct PartRecord {
    /// Its bytes.
    pub bytes: Range<usize>,
}

/// What is left of the input.
#[derive(Debug, Clone, Default)]
pub struct RemainingRecord {
    /// What the units are: `token` or `byte`.
    pub unit: &'static str,
    /// The smallest units of the result, in order.
    pub units: Vec<RemainingUnit>,
    /// The number of units that are left out because there are too many.
    pub left_out: usize,
}

/// A unit of the result.
#[derive(Debug, Clone, Default)]
pub struct RemainingUnit {
    /// Its bytes in the result.
    pub bytes: Range<usize>,
    /// Why it is left.
    pub reason: RemainingReason,
}

/// Why a unit is left.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum RemainingReason {
    /// The candidate without it, or without more than it, was tested.
    Tested(TestedRemoval),
    /// The candidate without it has more syntax errors, so it was not tested.
    DoesNotParse,
    /// No candidate without it is in the store.
    #[default]
    NotTested,
}

/// A candidate without a unit of the result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TestedRemoval {
    /// The bytes of the result that the candidate lacks.
    pub removed: Range<usize>,
    /// How its run ended.
    pub outcome: String,
    /// Whether there was no verdict.
    pub is_unresolved: bool,
    /// Whether the candidate is interesting all the same: the search stopped before it was used.
    pub is_interesting: bool,
    /// The last lines that it printed; `None` when they are not stored.
    pub output: Option<Vec<u8>>,
}

/// The step at which the failure changed, and the way back.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FormChange {
    /// The step.
    #[serde(flatten)]
    pub form: ChangedFormRecord,
    /// The command that makes the last stored result before that step the result again; null when
    /// there is none.
    pub restore: Option<String>,
}

impl FormChange {
    /// Returns the change as lines for people.
    pub fn text(&self) -> String {
        let mut text = self.form.text();
        if let Some(restore) = &self.restore {
            text +=
                &format!("\n  to go back to it: {restore}\n  `boildown history` lists all results");
        }
        text
    }
}

/// A program or file that the command consists of or mentions.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ToolRecord {
    /// Its path.
    pub path: String,
    /// What the store identifies it by: a hash, or size and time.
    pub recorded: String,
    /// The first line that it prints about its version, if it was asked.
    pub version: Option<String>,
    /// The BLAKE3 hash of its content, if it is as it was when the run began.
    pub hash: Option<String>,
    /// Whether it differs now from what it was when the run began; `None` when that is not known.
    #[serde(rename = "changed")]
    pub has_changed: Option<bool>,
}

impl ReductionRecord {
    /// Returns a sentence about what was verified of the result; `None` if nothing was.
    pub(crate) fn verified(&self) -> Option<String> {
        match &self.guarantee {
            Some(guarantee) => Some(format!("The result is {guarantee}.")),
            // Earlier versions recorded no words.
            None => (self.one_minimal == Some(true)).then(|| "The result is 1-minimal.".to_owned()),
        }
    }

    /// Returns a sentence about what was verified, or that nothing was.
    pub(crate) fn minimality(&self) -> String {
        let verified = self.verified();
        verified.unwrap_or_else(|| "That the result is 1-minimal was not verified.".to_owned())
    }

    /// Returns how monotone and unambiguous the property was, if tests say something about that.
    pub(crate) fn assumption_text(&self) -> Option<String> {
        self.assumptions.as_ref()?.text()
    }

    /// Returns the input.
    ///
    /// # Panics
    /// When there are no steps.
    pub fn first(&self) -> &StepRecord {
        self.steps.first().expect("the first step is the input")
    }

    /// Returns the result.
    ///
    /// # Panics
    /// When there are no steps.
    pub fn last(&self) -> &StepRecord {
        self.steps.last().expect("the first step is the input")
    }

    /// Returns the passes with what each of them found, those of one name together, in the order
    /// in which they first ran.
    pub fn pass_figures(&self) -> Vec<PassFigures> {
        let mut figures: Vec<PassFigures> = Vec::new();
        for (index, pass) in self.passes.iter().enumerate() {
            let end = self.passes.get(index + 1).map(|next| next.test);
            let end = end.unwrap_or_else(|| self.tests().max(self.last().test));
            let place = figures.iter().position(|known| known.name == pass.name);
            let place = place.unwrap_or_else(|| {
                figures.push(PassFigures {
                    name: pass.name.clone(),
                    ..PassFigures::default()
                });
                figures.len() - 1
            });
            let known = &mut figures[place];
            known.times += 1;
            known.tests += end.saturating_sub(pass.test);
            for pair in self.steps.windows(2) {
                let [before, after] = pair else { continue };
                if after.test > pass.test && after.test <= end {
                    known.hits += 1;
                    known.bytes += signed(before.bytes, after.bytes);
                    if let (Some(before), Some(after)) = (before.tokens, after.tokens) {
                        known.tokens += signed(before, after);
                    }
                }
            }
        }
        figures
    }

    /// Returns the number of tests of the search.
    pub fn tests(&self) -> u64 {
        let tests = self.sessions.iter().map(|session| session.tests).max();
        tests.unwrap_or(0).max(self.last().test)
    }

    /// Returns the number of runs of the command.
    pub fn runs(&self) -> u64 {
        self.sessions.iter().map(|session| session.runs).sum()
    }

    /// Returns the seconds that the sessions took.
    pub fn seconds(&self) -> f64 {
        let known = self.sessions.iter().filter_map(|session| session.seconds);
        known.sum::<f64>().max(self.last().seconds)
    }

    /// Returns the name of the pass that found the result after this many tests.
    pub fn pass_of(&self, test: u64) -> Option<&str> {
        let before = self.passes.partition_point(|pass| pass.test < test);
        let pass = before.checked_sub(1).and_then(|pass| self.passes.get(pass));
        pass.map(|pass| pass.name.as_str())
    }
}

/// What the passes of one name found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PassFigures {
    /// The name.
    pub name: String,
    /// How often they ran.
    pub times: u64,
    /// Tests.
    pub tests: u64,
    /// Tests that made the result smaller.
    pub hits: u64,
    /// Tokens that they removed, as far as they were counted.
    pub tokens: i64,
    /// Bytes that they removed.
    pub bytes: i64,
}

fn signed(before: u64, after: u64) -> i64 {
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    number(before) - number(after)
}

#[expect(clippy::ref_option, reason = "serde calls it")]
fn is_some<S: serde::Serializer>(text: &Option<Vec<u8>>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_bool(text.is_some())
}
