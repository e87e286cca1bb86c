//! The quantity that a reduction makes small, or large: `--minimize` and `--maximize`.

use std::sync::Arc;

use boildown_document::TextOrder;
use boildown_oracle::{Extreme, Interrupt, MeasureList, Objective, OracleError, TextMeasure};
use boildown_session::prepare::PreparedReduction;
use boildown_session::{MeasuredEnds, MeasuringEffort, ObjectiveReview};
use boildown_show::ObjectiveRecord;
use clap::Args;

use crate::error::{CliError, ExitKind};
use crate::options::heading;
use crate::options::values::oracle_value;
use crate::report::format::count;

/// What is made small, or large.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ObjectiveArgs {
    /// What to make small: tokens, bytes, lines, cpu, wall, memory or `stdout:REGEX`
    ///
    /// `cpu` is the processor time of a run, `wall` its time from start to end, `memory` the peak
    /// of its largest process, `stdout:REGEX` the last number that the first group of the
    /// expression finds in standard output. A list such as memory,bytes has what matters most
    /// first. A candidate that is interesting, but worse in a quantity of runs than the best
    /// result so far, is refused; differences that chance explains do not count. The input and the
    /// result are measured again at the end. [default: tokens]
    #[arg(long, value_name = "MEASURE", hide_short_help = true, allow_hyphen_values = true, value_parser = oracle_value::<MeasureList>, help_heading = heading::REDUCE)]
    minimize: Option<MeasureList>,

    /// What must not become smaller: cpu, wall, memory or `stdout:REGEX`
    ///
    /// What this quantity does not need is removed. Nothing is added to make it larger.
    #[arg(long, value_name = "MEASURE", conflicts_with = "minimize", allow_hyphen_values = true, value_parser = oracle_value::<MeasureList>, hide = true, help_heading = heading::EXPERT)]
    maximize: Option<MeasureList>,
}

impl ObjectiveArgs {
    fn list(&self) -> Option<(&MeasureList, Extreme)> {
        let least = self.minimize.as_ref().map(|list| (list, Extreme::Least));
        least.or(self.maximize.as_ref().map(|list| (list, Extreme::Most)))
    }

    /// Returns the quantities of runs by which candidates are compared.
    pub(super) fn objective(&self) -> Option<Objective> {
        let (list, wanted) = self.list()?;
        list.objective(wanted)
    }

    fn of_text(&self) -> TextMeasure {
        self.list()
            .map_or_else(TextMeasure::default, |(list, _)| list.of_text())
    }

    /// Returns whether every byte counts, so that names and white space are shortened too.
    pub(super) fn counts_bytes(&self) -> bool {
        self.of_text() == TextMeasure::Bytes
    }

    /// Returns the order in which every hit is smaller, if it is not that of the language.
    pub(super) fn text_order(&self) -> Option<TextOrder> {
        match self.of_text() {
            TextMeasure::Tokens => None,
            TextMeasure::Bytes => Some(TextOrder::Bytes),
            TextMeasure::Lines => Some(TextOrder::Lines),
        }
    }

    /// Returns the options and their values, for the identity of a run.
    pub(crate) fn identity(&self) -> Option<(&'static str, String)> {
        let (list, wanted) = self.list()?;
        let option = match wanted {
            Extreme::Least => "--minimize",
            Extreme::Most => "--maximize",
        };
        Some((option, list.to_string()))
    }

    /// Returns whether quantities of runs are compared, on which verdicts then depend.
    pub(crate) fn measures_runs(&self) -> bool {
        self.objective().is_some()
    }

    /// Returns whether a quantity of runs must not become smaller.
    pub(crate) fn keeps_quantity(&self) -> bool {
        self.maximize.is_some() && self.measures_runs()
    }

    /// Returns whether something is to be large that is no quantity of runs.
    pub(crate) fn only_grows(&self) -> bool {
        let mut list = self.maximize.iter();
        list.any(|list| list.objective(Extreme::Most).is_none())
    }

    /// Measures the input, and the result of earlier sessions, before the search. `None` if no
    /// quantity of runs is compared.
    pub(super) fn start(
        &self,
        prepared: &PreparedReduction,
        input: &[u8],
        known_best: Option<&[u8]>,
        interrupt: &Interrupt,
    ) -> Result<Option<Arc<ObjectiveReview>>, CliError> {
        let Some(objective) = self.objective() else {
            return Ok(None);
        };
        let cannot_run = CliError::before("the search");
        let names: Vec<String> = objective.names().collect();
        let runner = prepared.oracle.runner();
        let review = ObjectiveReview::start(objective, runner, input, interrupt);
        let review = review.map_err(cannot_run)?.ok_or_else(|| {
            let what = format!("`{}` cannot be measured on the input", names.join(","));
            CliError::new(ExitKind::NotInteresting, what)
                .because("the run prints no such number, or ends before its memory can be seen")
                .hint("stdout:REGEX needs a group around the number: 'stdout:(\\d+) nodes'")
        })?;
        if let Some(result) = known_best {
            review.accept(result, interrupt).map_err(cannot_run)?;
        }
        Ok(Some(Arc::new(review)))
    }
}

/// What the measures of the input and of the result are.
#[derive(Debug)]
pub(super) struct ObjectiveOutcome {
    objective: Objective,
    ends: Option<MeasuredEnds>,
    effort: MeasuringEffort,
}

impl ObjectiveOutcome {
    /// Measures the input and the result. An interrupt leaves out what is not measured yet.
    pub(super) fn measure(
        review: &ObjectiveReview,
        input: &[u8],
        result: &[u8],
        interrupt: &Interrupt,
    ) -> Result<Self, CliError> {
        let ends = match review.measure_ends(input, result, interrupt) {
            Err(OracleError::Interrupted) => None,
            ends => ends?,
        };
        Ok(Self {
            objective: review.objective().clone(),
            ends,
            effort: review.effort(),
        })
    }

    /// Returns the line of the summary.
    pub(super) fn text(&self) -> String {
        let (verb, worse) = match self.objective.wanted() {
            Extreme::Least => ("minimized", "not smaller"),
            Extreme::Most => ("maximized", "not larger"),
        };
        let MeasuringEffort {
            runs,
            time,
            refused,
        } = self.effort;
        let effort = format!(
            "{} of {:.1}s measured, {} refused",
            count(usize::try_from(runs).unwrap_or(usize::MAX), "run"),
            time.as_secs_f64(),
            count(usize::try_from(refused).unwrap_or(usize::MAX), "candidate"),
        );
        let Some(MeasuredEnds { before, after }) = &self.ends else {
            return format!("{verb}: the result was not measured again ({effort})");
        };
        let is_better = self.objective.compare(after, before).is_lt();
        let worse = if is_better {
            String::new()
        } else {
            format!(", {worse}")
        };
        let shown = self.objective.shown(before, after);
        format!("{verb}: {shown}{worse} ({effort})")
    }

    /// Returns the record of it.
    pub(super) fn record(&self) -> ObjectiveRecord {
        let ends = self.ends.as_ref();
        ObjectiveRecord {
            wanted: match self.objective.wanted() {
                Extreme::Least => "least".to_owned(),
                Extreme::Most => "most".to_owned(),
            },
            measures: self.objective.names().collect(),
            before: ends.map(|ends| ends.before.clone()).unwrap_or_default(),
            after: ends.map(|ends| ends.after.clone()).unwrap_or_default(),
            runs: self.effort.runs,
            seconds: self.effort.time.as_secs_f64(),
            refused: self.effort.refused,
        }
    }
}
