//! Build artefacts that are kept between runs (`--incremental`).

use std::sync::Arc;

use boildown_exec::{CleanRuns, LocalOracle, Project};

use crate::error::CliError;
use crate::report::format::count;
use crate::report::reporter::Reporter;

/// Says once that artefacts are not kept any more.
pub(super) struct ArtifactNote {
    project: Option<Arc<Project>>,
}

impl ArtifactNote {
    /// Keeps artefacts from now on, if the user wants that.
    pub(super) fn begin(is_wanted: bool, oracle: &LocalOracle) -> Self {
        let project = oracle.runner().project.as_ref();
        let project = project.filter(|_| is_wanted).map(Arc::clone);
        if let Some(project) = &project {
            project.keep_artifacts();
        }
        Self { project }
    }

    /// Says that artefacts are not kept any more, if that has just happened.
    pub(super) fn report(&mut self, reporter: &mut dyn Reporter) {
        let runs = self.project.as_ref().map(|project| project.clean_runs());
        if let Some(runs) = runs.filter(|runs| runs.gave_up) {
            self.project = None;
            reporter.note(&gave_up(&runs));
        }
    }
}

fn gave_up(runs: &CleanRuns) -> String {
    let differing = runs.false_hits + runs.false_misses;
    format!(
        "note: build artefacts are not kept any more: {differing} of {} ended otherwise in a clean \
         tree",
        count(runs.hits + runs.misses, "run")
    )
}

/// Checks that there are copies in which artefacts can be kept.
///
/// # Errors
/// [`CliError`] when each run has a fresh directory.
pub(super) fn check(oracle: &LocalOracle) -> Result<(), CliError> {
    if oracle.runner().project.is_none() {
        let what = "--incremental needs a directory in which the command builds, and each candidate is alone in a fresh one";
        return Err(CliError::usage(what)
            .hint("--within DIR runs the command in a copy of a directory, and a folder is always reduced in copies"));
    }
    Ok(())
}
