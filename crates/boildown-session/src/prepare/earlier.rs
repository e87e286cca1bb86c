//! Earlier sessions of the same command: what they found, and the store of this session.

use std::path::Path;
use std::sync::Arc;

use boildown_exec::remove_tree;
use boildown_oracle::Property;
use boildown_search::Fingerprint;
use boildown_store::{
    BaselineRecording, Identity, KnownResults, KnownStatus, KnownVerdicts, ResumeStatus,
    ResumedBest, RunDescription, RunStore, StoreError, StoreFolder, StoredRun,
};

use super::event::PrepareEvent;

/// The directory for candidates that fail in another way than the input.
pub const OTHER_FAILURES: &str = "others";

/// What is known of a run before it begins. Holds the lock on the result.
#[derive(Debug, Default)]
pub struct EarlierSessions {
    /// `None` when nothing can be remembered.
    run: Option<(StoreFolder, StoredRun)>,
    /// Whether there was an earlier session of the same run.
    pub is_resumed: bool,
    /// The results of the run before it was forgotten, because the user asked to start over.
    forgotten: Vec<Fingerprint>,
    /// The recording of the baseline runs when nothing can be remembered.
    unstored_tape: BaselineRecording,
    /// Verdicts of sessions of others.
    known: Vec<KnownVerdicts>,
}

/// Locks the result against other sessions. Returns `None` when nothing can be remembered there.
///
/// # Errors
/// [`StoreError::Busy`] when another session is at work on the result, [`StoreError::NotOurs`] when
/// something else is in the place of the store.
pub fn lock_result(
    output: &Path,
    on_event: &mut dyn FnMut(PrepareEvent<'_>),
) -> Result<Option<StoreFolder>, StoreError> {
    match StoreFolder::beside(output) {
        Ok(place) => Ok(Some(place)),
        Err(error @ (StoreError::Busy { .. } | StoreError::NotOurs { .. })) => Err(error),
        Err(error) => {
            on_event(PrepareEvent::NotRemembered(&error));
            Ok(None)
        }
    }
}

impl EarlierSessions {
    /// Locks a result, and looks for earlier sessions of the run with this identity beside it.
    ///
    /// # Errors
    /// As [`lock_result`].
    pub fn beside(
        output: &Path,
        identity: Identity,
        fresh: bool,
        on_event: &mut dyn FnMut(PrepareEvent<'_>),
    ) -> Result<Self, StoreError> {
        let place = lock_result(output, on_event)?;
        let find = |place| Self::find(place, identity, fresh, on_event);
        Ok(place.map(find).unwrap_or_default())
    }

    /// Looks for earlier sessions of the run with this identity, and reports what was found.
    ///
    /// `fresh` forgets them. Nothing is known when the store cannot be read.
    pub fn find(
        place: StoreFolder,
        identity: Identity,
        fresh: bool,
        on_event: &mut dyn FnMut(PrepareEvent<'_>),
    ) -> Self {
        let forgotten = match fresh.then(|| place.forget(&identity)) {
            None => Vec::new(),
            Some(Ok(forgotten)) => forgotten,
            Some(Err(error)) => {
                on_event(PrepareEvent::NotRemembered(&error));
                return Self::default();
            }
        };
        let found = place.find(identity.clone());
        if let Ok((found, _)) = &found
            && !found.changed_files().is_empty()
        {
            // The other run stays: it is resumed when the files are as they were.
            found.forget_unconfirmed().ok();
            let mut other = identity;
            other.include(found.changed_files());
            return Self::find(place, other, fresh, on_event);
        }
        match found {
            Ok((found, news)) => {
                let is_resumed = matches!(news, ResumeStatus::Resumed { .. });
                if !is_resumed {
                    // They would be taken for other failures of this run.
                    remove_tree(&place.dir().join(OTHER_FAILURES)).ok();
                }
                on_event(PrepareEvent::EarlierSessions { news: &news, fresh });
                Self {
                    run: Some((place, found)),
                    is_resumed,
                    forgotten,
                    ..Self::default()
                }
            }
            Err(error) => {
                on_event(PrepareEvent::NotRemembered(&error));
                Self::default()
            }
        }
    }

    /// Returns the recording of the runs before the search.
    pub fn recording(&self) -> &BaselineRecording {
        match &self.run {
            Some((_, found)) => found.recording(),
            None => &self.unstored_tape,
        }
    }

    /// Records the baseline runs of a new run, whose identity was not known before they were made
    /// if it is given.
    pub fn settle(&mut self, identity: Option<Identity>, recording: BaselineRecording) {
        let Some((folder, found)) = self.run.take() else {
            self.unstored_tape = recording;
            return;
        };
        let found = match identity {
            None => Some(found),
            // The user starts over, or there is nothing to forget.
            Some(identity) => (folder.forget(&identity).and_then(|_| folder.find(identity)))
                .map(|(found, _)| found)
                .ok(),
        };
        *self = Self {
            run: found.map(|found| (folder, found.with_recording(recording))),
            ..Self::default()
        };
    }

    /// Forgets what was found since the property last held: it does not hold now, and may not have
    /// held at the end of the last session.
    pub fn forget_unconfirmed(&self) {
        if let Some((_, run)) = &self.run {
            // An error shows when the store is used.
            run.forget_unconfirmed().ok();
        }
    }

    /// Returns the best result of earlier sessions.
    pub fn best(&self) -> Option<&ResumedBest> {
        self.run.as_ref()?.1.best()
    }

    /// Returns whether an earlier session of this run had this content as its result.
    pub fn is_known_result(&self, content: Fingerprint) -> bool {
        let run = self.run.as_ref();
        run.is_some_and(|(_, run)| run.is_known_result(content))
    }

    /// Returns whether this run ever had this content as its result, also before it was forgotten.
    pub fn was_result(&self, content: Fingerprint) -> bool {
        self.forgotten.contains(&content) || self.is_known_result(content)
    }

    /// Returns the property of earlier sessions, if options can state it.
    pub fn property(&self) -> Option<Property> {
        Property::from_flags(self.run.as_ref()?.1.flags()?)
    }

    /// Reads the verdicts of a session of another user, whose property has to be that of these
    /// flags. Returns their number, or what differs; `None` when nothing can be remembered.
    ///
    /// # Errors
    /// [`StoreError`] when there is no store, or it cannot be read.
    pub fn read_known(
        &mut self,
        store: &Path,
        flags: &str,
    ) -> Result<Option<Result<usize, Vec<String>>>, StoreError> {
        let Some((_, run)) = &self.run else {
            return Ok(None);
        };
        Ok(Some(
            match KnownVerdicts::read(store, run.identity(), flags)? {
                KnownStatus::Fits(known) => {
                    let count = known.count();
                    self.known.push(known);
                    Ok(count)
                }
                KnownStatus::Differs(what) => Err(what),
                _ => Err(Vec::new()),
            },
        ))
    }

    /// Opens the store of this session.
    pub fn begin(
        self,
        start: &RunDescription<'_>,
        on_event: &mut dyn FnMut(PrepareEvent<'_>),
    ) -> SessionStore {
        let mut session = SessionStore::default();
        if let Some((place, found)) = self.run {
            match found.begin(&place, start) {
                Ok(store) => session.store = Some(Arc::new(store.with_known(self.known))),
                Err(error) => on_event(PrepareEvent::NotRemembered(&error)),
            }
            session.place = Some(place);
        }
        session
    }
}

/// The store of this session, with the lock on the result.
#[derive(Debug, Default)]
pub struct SessionStore {
    // Declared before the lock, so that the store is closed before another session may open it.
    /// The store; `None` when nothing can be remembered.
    pub store: Option<Arc<RunStore>>,
    place: Option<StoreFolder>,
}

impl SessionStore {
    /// Returns the list of contents that the result file has had; `None` when nothing can be
    /// remembered.
    pub fn known_results(&self) -> Option<KnownResults> {
        self.place.as_ref().map(StoreFolder::known_results)
    }
}
