//! What earlier sessions of the same command know, whatever it searches.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use boildown_oracle::store::{
    Best, Found, Identity, News, Place, RunStore, Start, StoreError, Tape,
};

use crate::destination::OTHERS;
use crate::error::{CliError, Kind};
use crate::report::Note;

/// What is known of a run before it begins. Nobody else works on the same result while this lives.
#[derive(Default)]
pub(crate) struct Known {
    /// `None` when nothing can be remembered.
    run: Option<(Place, Found)>,
    /// Whether there was an earlier session of the same search.
    pub(crate) is_resumed: bool,
    /// What the baseline took, when nothing can be remembered.
    no_tape: Tape,
}

/// Takes the place of runs towards this result; `None` when nothing can be remembered there.
pub(crate) fn place(output: &Path, notes: &mut dyn Note) -> Result<Option<Place>, CliError> {
    match Place::beside(output) {
        Ok(place) => Ok(Some(place)),
        Err(error @ StoreError::Busy { .. }) => Err(CliError::failed_to(Kind::CannotRun, &error)
            .hint("wait for it, stop it, or give this one another place with --output")),
        Err(error) => {
            forget(&error, notes);
            Ok(None)
        }
    }
}

impl Known {
    /// Looks for earlier sessions, and says what was found.
    pub(crate) fn look(
        place: Place,
        identity: Identity,
        fresh: bool,
        notes: &mut dyn Note,
    ) -> Self {
        if fresh && let Err(error) = place.forget(&identity) {
            forget(&error, notes);
            return Self::default();
        }
        match place.find(identity) {
            Ok((found, news)) => {
                let is_resumed = matches!(news, News::Resumed { .. });
                if !is_resumed {
                    // What failed otherwise in another run would be taken for this one's.
                    fs::remove_dir_all(place.dir().join(OTHERS)).ok();
                }
                if let Some(news) = told(&news, fresh) {
                    notes.note(&news);
                }
                Self {
                    run: Some((place, found)),
                    is_resumed,
                    no_tape: Tape::default(),
                }
            }
            Err(error) => {
                forget(&error, notes);
                Self::default()
            }
        }
    }

    /// Returns the runs before the search of earlier sessions.
    pub(crate) fn tape(&self) -> &Tape {
        match &self.run {
            Some((_, found)) => found.tape(),
            None => &self.no_tape,
        }
    }

    /// Returns the best that earlier sessions found.
    pub(crate) fn best(&self) -> Option<&Best> {
        self.run.as_ref()?.1.best()
    }

    /// Begins to remember.
    pub(crate) fn begin(self, start: &Start<'_>, notes: &mut dyn Note) -> Remembered {
        let mut remembered = Remembered::default();
        if let Some((place, found)) = self.run {
            match found.begin(&place, start) {
                Ok(store) => remembered.store = Some(Arc::new(store)),
                Err(error) => forget(&error, notes),
            }
            remembered.place = Some(place);
        }
        remembered
    }
}

/// What a session remembers.
#[derive(Default)]
pub(crate) struct Remembered {
    // Before the place: it has to be closed when others may come.
    pub(crate) store: Option<Arc<RunStore>>,
    place: Option<Place>,
}

fn told(news: &News, fresh: bool) -> Option<String> {
    match news {
        News::Resumed { verdicts } => Some(format!(
            "resumed: {} of an earlier run (--fresh starts over)",
            count(*verdicts)
        )),
        News::Changed { what, verdicts } if *verdicts > 0 && !fresh => Some(format!(
            "starting afresh, for since the last run something changed: {}\n                 its {} not used",
            list(what),
            match count(*verdicts) {
                one if *verdicts == 1 => format!("{one} is"),
                many => format!("{many} are"),
            }
        )),
        News::Damaged { aside, error } => Some(format!(
            "warning: what is known of an earlier run is damaged ({}); it is now in {}\n         starting afresh",
            cause(error),
            aside.display()
        )),
        _ => None,
    }
}

fn count(verdicts: u64) -> String {
    format!("{verdicts} verdict{}", if verdicts == 1 { "" } else { "s" })
}

fn list(names: &[String]) -> String {
    const SHOWN: usize = 4;
    let mut text = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN {
        text += &format!(" and {} more", names.len() - SHOWN);
    }
    text
}

fn cause(error: &StoreError) -> String {
    let source = std::error::Error::source(error);
    source.map_or_else(|| error.to_string(), ToString::to_string)
}

/// Says that nothing is remembered, and why.
pub(crate) fn forget(error: &StoreError, notes: &mut dyn Note) {
    notes.note(&format!(
        "warning: failed to {error}: {}\n         going on, but the same command will not be able to go on from here",
        cause(error)
    ));
}
