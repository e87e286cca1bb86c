//! Earlier sessions of the same reduction, and the store of this one.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use boildown_exec::{Access, LocalOracle, Project};
use boildown_session::prepare::{EarlierSessions, MoveReason, PrepareEvent, lock_result};
use boildown_store::{
    BaselineRecording, Identity, ResumeStatus, ResumedBest, StoreFolder, fingerprint_of,
};

use super::destination::Destination;
use super::subject::Subject;
use crate::error::CliError;
use crate::job::Job;
use crate::project::{RunPlace, RunPlaces};
use crate::report::format::EscapedPath as _;
use crate::report::reporter::noting;
use crate::session::Session;

/// Returns the identity of the run with an input in a project.
pub(super) type IdentityOf<'a> = &'a dyn Fn(&[u8], Option<&Project>) -> Identity;

/// What is known of a reduction before it begins.
pub(super) struct ReductionHistory<'a> {
    identity: IdentityOf<'a>,
    /// The folder of the stores, until earlier sessions are looked for; holds the lock.
    folder: Option<StoreFolder>,
    /// The run whose sessions are looked for.
    run: Identity,
    /// The input as it was before the first session.
    pub(super) input: Arc<[u8]>,
    /// Where candidates are run.
    pub(super) place: RunPlace,
}

impl<'a> ReductionHistory<'a> {
    /// Says what is reduced, locks the result, and finds out which run this is. Its input becomes
    /// that of `subject`.
    ///
    /// A session in the project is resumed there, and one in fresh directories so.
    pub(super) fn find(
        job: Job<'_>,
        identity: IdentityOf<'a>,
        places: &RunPlaces<'_>,
        subject: &mut Subject,
        session: &mut Session<'_>,
    ) -> Result<Self, CliError> {
        subject.note(session.reporter());
        let (destination, on_event) = (&subject.destination, &mut noting(session.reporter()));
        let folder =
            lock_result(&destination.output, on_event).map_err(|error| CliError::busy(&error))?;
        let look = Look {
            input: job.input,
            is_fresh: job.runs.fresh,
            identity,
            folder: folder.as_ref(),
            backup: destination.existing_backup(),
            input_folder: places.folder(),
            current: &subject.input,
        };
        let (place, found) = match places.stated()? {
            Some(place) => {
                let found = look.at(place.project())?;
                (place, found)
            }
            None => look.at_either(places, on_event)?,
        };
        let (input, mut run) = (found.input, found.identity);
        run.unwatch(job.input);
        run.unwatch(&destination.output);
        subject.input = Arc::clone(&input);
        Ok(Self {
            identity,
            folder,
            run,
            input,
            place,
        })
    }

    /// Looks for the earlier sessions of the run, and reports what was found. The options have been
    /// checked with the input: this may forget them.
    pub(super) fn resume(
        &mut self,
        destination: &mut Destination,
        is_fresh: bool,
        session: &mut Session<'_>,
    ) -> Result<(), CliError> {
        // Before --fresh makes the store forget the earlier run.
        let other_result = destination.replaceable_result(self.folder.as_ref(), &self.input)?;
        if let Some(folder) = self.folder.take() {
            let (run, on_event) = (self.run.clone(), &mut noting(session.reporter.as_mut()));
            session.earlier = EarlierSessions::find(folder, run, is_fresh, on_event);
        }
        if let Some(other) = other_result {
            destination.keep(other, &session.earlier, &self.input);
        }
        Ok(())
    }

    /// Records the place of the runs, and the runs on the input that were needed to choose it.
    pub(super) fn settle(
        &mut self,
        path: &Path,
        place: RunPlace,
        recording: BaselineRecording,
        earlier: &mut EarlierSessions,
    ) {
        let project = place.project();
        let identity = project.map(|_| {
            let mut identity = (self.identity)(&self.input, project);
            identity.unwatch(path);
            identity
        });
        earlier.settle(identity, recording);
        self.place = place;
    }

    /// Opens the store of this session. Returns the best result of earlier sessions, if this
    /// session will reach it.
    pub(super) fn open(
        &self,
        job: Job<'_>,
        subject: &Subject,
        oracle: &LocalOracle,
        session: &mut Session<'_>,
    ) -> Result<Option<ResumedBest>, CliError> {
        // A limit may end this session before the test in which an earlier one found its best
        // result.
        let is_reached = |best: &&ResumedBest| {
            let most = job.runs.budget.budget().queries;
            subject.target_size.is_none() && most.is_none_or(|most| most >= best.query)
        };
        let best = session.earlier.best().filter(is_reached).cloned();
        job.open(
            session,
            (&self.input, subject.form().size(&self.input)),
            (oracle.property(), oracle.runner().limits.timeout),
            Access::of_contents(&subject.inputs),
        )?;
        Ok(best.filter(|_| session.store.store.is_some()))
    }
}

/// A look for earlier sessions, in one place or another.
struct Look<'a> {
    /// The path of the input.
    input: &'a Path,
    is_fresh: bool,
    identity: IdentityOf<'a>,
    folder: Option<&'a StoreFolder>,
    /// The copy of the input that an earlier session made.
    backup: Option<&'a Path>,
    /// The folder that is reduced; read from the backup if there is one.
    input_folder: Option<&'a Project>,
    /// The input as it is now.
    current: &'a Arc<[u8]>,
}

/// The run that a look found.
struct Found {
    /// The input as it was before the first session.
    input: Arc<[u8]>,
    identity: Identity,
    is_stored: bool,
}

impl Look<'_> {
    /// Looks for sessions in both places. Those in fresh directories are found without a look at
    /// the project.
    fn at_either(
        &self,
        places: &RunPlaces<'_>,
        on_event: &mut dyn FnMut(PrepareEvent<'_>),
    ) -> Result<(RunPlace, Found), CliError> {
        let alone = self.at(None);
        // A project that was added since the earlier session is found with --fresh.
        if !self.is_fresh && alone.as_ref().is_ok_and(|found| found.is_stored) {
            return Ok((RunPlace::Alone, alone?));
        }
        let Some(project) = places.chosen() else {
            return Ok((RunPlace::Alone, alone?));
        };
        if let Ok(found) = self.at(Some(project))
            && (found.is_stored || alone.is_err())
        {
            let (project, plan) = (Arc::clone(project), project.plan());
            let reason = MoveReason::Resumed;
            on_event(PrepareEvent::Moved {
                project: plan,
                reason,
            });
            return Ok((RunPlace::Project(project), found));
        }
        Ok((RunPlace::Either(Arc::clone(project)), alone?))
    }

    fn at(&self, project: Option<&Project>) -> Result<Found, CliError> {
        let input = match self.backup {
            // With --in-place, the file may hold the result of an earlier session.
            Some(backup) => self.original(backup, project)?,
            None => Arc::clone(self.current),
        };
        let identity = (self.identity)(&input, project);
        let is_stored = self.folder.is_some_and(|folder| folder.has(&identity));
        Ok(Found {
            input,
            identity,
            is_stored,
        })
    }

    /// Returns the input as it was before the first session with --in-place.
    ///
    /// # Errors
    /// [`CliError`] when the backup is not the original of the current file.
    fn original(&self, backup: &Path, project: Option<&Project>) -> Result<Arc<[u8]>, CliError> {
        let exists = || {
            let what = format!("{} exists already", backup.escaped());
            CliError::usage(what)
                .hint("the backup of the input would overwrite it; move it away first")
        };
        let (original, current) = match self.input_folder {
            Some(folder) => {
                let current = folder.state_of(self.input).unwrap_or_default();
                (Arc::clone(self.current), Arc::from(current))
            }
            None => {
                let original: Arc<[u8]> = fs::read(backup).map_err(|_| exists())?.into();
                (original, Arc::clone(self.current))
            }
        };
        let identity = (self.identity)(&original, project);
        let found = self.folder.and_then(|folder| folder.find(identity).ok());
        match found {
            Some((found, _)) if found.is_known_result(fingerprint_of(&current)) => Ok(original),
            // Of the run of the same command with other files.
            Some((_, ResumeStatus::Resumed { .. }))
                if (self.folder)
                    .is_some_and(|folder| folder.is_known_result(fingerprint_of(&current))) =>
            {
                Ok(original)
            }
            Some((_, ResumeStatus::Resumed { .. })) => Err(exists().hint(format!(
                "to resume the earlier run, restore {} as that run left it",
                self.input.escaped()
            ))),
            _ => Err(exists()),
        }
    }
}
