//! One reduction, from its start to its summary.

use std::sync::Arc;

use boildown_driver::Drive;
use boildown_oracle::{Oracle, OracleError};
use boildown_reduce::Reduction;
use boildown_search::Search as _;

use super::confirm::Confirmation;
use super::environment::{EnvironmentCheck, EnvironmentObserver};
use super::failure_form::FormObserver;
use super::options::ReduceOptions;
use super::sized_text::SizedText;
use super::stages::{OracleStage, StagedOracle};
use super::task::ReduceTask;
use crate::bytes_oracle::BytesOracle;
use crate::config::SessionConfig;
use crate::event::{Event, Summary};
use crate::runner::{self, Reporter};

/// Runs a reduction until it finishes or stops. Returns the summary and the best text.
///
/// # Errors
/// [`OracleError`] when the oracle could not answer, or the best result could not be written. The
/// result so far is on disk.
pub fn reduce(
    search: Reduction,
    oracle: &dyn Oracle,
    options: &ReduceOptions,
    config: &SessionConfig,
    on_event: &mut dyn FnMut(&Event),
) -> Result<(Summary, Arc<[u8]>), OracleError> {
    reduce_in(None, None, search, oracle, options, config, on_event)
}

/// Runs a reduction like [`reduce`]. With an `environment`, it stops when that has changed; with
/// `forms`, the summary says whether the form of the failure has.
pub(super) fn reduce_in(
    environment: Option<EnvironmentCheck<'_>>,
    forms: Option<&FormObserver<'_>>,
    search: Reduction,
    oracle: &dyn Oracle,
    options: &ReduceOptions,
    config: &SessionConfig,
    on_event: &mut dyn FnMut(&Event),
) -> Result<(Summary, Arc<[u8]>), OracleError> {
    let store = config.store.as_deref();
    let input = SizedText::from(&search.best());
    let observed = environment.is_some().then_some(store).flatten();
    let warm = options.warm.as_deref();
    let (observer, of_once) = (
        EnvironmentObserver::new(observed, warm),
        EnvironmentObserver::new(observed, warm),
    );
    let stages: [&dyn OracleStage; 1] = [&observer];
    let of_search = StagedOracle {
        oracle,
        stages: &stages,
    };
    let confirming = StagedOracle {
        oracle: environment.map_or(oracle, |check| check.confirming),
        ..of_search
    };
    let once = StagedOracle {
        oracle: environment.map_or(oracle, |check| check.oracle),
        stages: &[&of_once],
    };
    let environment = environment.map(|check| EnvironmentCheck {
        oracle: &once,
        ..check
    });
    let confirmation = Confirmation::new(
        input.clone(),
        &confirming,
        config.interrupt_handle()?,
        // Runs beside each other take longer.
        if options.measurements.have_times() {
            1
        } else {
            config.jobs
        },
        options.confirm.then_some(options.confirming),
        environment,
    );
    let mut task = ReduceTask::new(input, options, config, confirmation, &observer, forms);
    let mut reporter = Reporter::new(on_event, store);
    let bytes_oracle = BytesOracle(&of_search);
    std::thread::scope(|scope| {
        let mut drive = Drive::start(scope, search, &bytes_oracle, &config.driver());
        let stopped = runner::run(&mut drive, &mut task, &mut reporter)?;
        let stopped = task.finish(stopped, &drive, &mut reporter)?;
        let (changed_form, before_change) = task.changed_form().unzip();
        let summary = Summary {
            progress: task.progress(drive.spent()),
            stopped,
            one_minimal: stopped.is_none() && drive.search().inner().is_proved(),
            tokens_before: drive.search().inner().input_tokens(),
            confirmed: task.confirmed(),
            resumable: reporter.is_resumable(),
            trivial: task.trivial(),
            changed_form,
            before_change: before_change.flatten(),
            refused: task.refused(),
            assumptions: task.assumptions(),
        };
        if let Some(store) = store {
            summary.record(store);
        }
        Ok((summary, task.into_best()))
    })
}
