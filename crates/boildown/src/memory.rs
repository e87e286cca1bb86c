//! What earlier sessions of the same command came to, and what is remembered of this one.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use boildown_oracle::store::{
    Best, Found, Identity, Improvement, News, Place, RunStore, Start, StoreError, Tape,
    add_surroundings, fingerprint_of,
};
use boildown_oracle::{CommandLine, Property};

use crate::args::{self, Reduce};
use crate::destination::{Destination, OTHERS};
use crate::error::{CliError, Kind};
use crate::report::Report;

/// What is known of a run before it begins. Nobody else works on the same result while this lives.
pub(crate) struct Memory {
    /// `None` when nothing can be remembered.
    run: Option<(Place, Found)>,
    /// What the baseline took, when nothing can be remembered.
    no_tape: Tape,
    /// The input as it was before the first session.
    pub(crate) input: Arc<[u8]>,
}

impl Memory {
    /// Looks for earlier sessions, and says what was found.
    pub(crate) fn open(
        args: &Reduce,
        command: &CommandLine,
        destination: &Destination,
        input: Arc<[u8]>,
        report: &mut dyn Report,
    ) -> Result<Self, CliError> {
        let place = match Place::beside(&destination.output) {
            Ok(place) => Some(place),
            Err(error @ StoreError::Busy { .. }) => {
                return Err(CliError::failed_to(Kind::CannotRun, &error)
                    .hint("wait for it, stop it, or give this one another place with --output"));
            }
            Err(error) => {
                forget(&error, report);
                None
            }
        };
        let mut memory = Self {
            run: None,
            no_tape: Tape::default(),
            input,
        };
        let backup = destination.existing_backup();
        if let Some(backup) = backup {
            // In place, what is there now may be what an earlier session came to.
            memory.input = original(backup, &memory.input, place.as_ref(), args, command)?;
        }
        if let Some(place) = place {
            memory.run = look(place, args, command, &memory.input, report);
        }
        Ok(memory)
    }

    /// Returns the runs on the input of earlier sessions.
    pub(crate) fn tape(&self) -> &Tape {
        match &self.run {
            Some((_, found)) => found.tape(),
            None => &self.no_tape,
        }
    }

    /// Begins to remember. Returns what earlier sessions came to, when this one will come there too.
    pub(crate) fn begin(
        self,
        args: &Reduce,
        property: &Property,
        time_limit: Duration,
        report: &mut dyn Report,
    ) -> Remembered {
        let mut remembered = Remembered::default();
        let Some((place, found)) = self.run else {
            return remembered;
        };
        // A budget may end this session before the point where the earlier ones found their best.
        let comes_there = |best: &&Best| {
            let most = args.patience.budget().questions;
            args.until.is_none() && most.is_none_or(|most| most >= best.question)
        };
        let best = found.best().filter(comes_there).cloned();
        let name = args.input.file_name().unwrap_or_default().to_string_lossy();
        let start = Start {
            name: &name,
            input: Improvement {
                question: 0,
                content: fingerprint_of(&self.input),
                bytes: self.input.len(),
                tokens: None,
                elapsed: Duration::ZERO,
                text: Some(Arc::clone(&self.input)),
            },
            property: property.to_string(),
            flags: property.flags(),
            time_limit,
            version: env!("CARGO_PKG_VERSION"),
        };
        match found.begin(&place, &start) {
            Ok(store) => {
                remembered.store = Some(Arc::new(store));
                remembered.best = best;
            }
            Err(error) => forget(&error, report),
        }
        remembered.place = Some(place);
        remembered
    }
}

/// What a session goes on with.
#[derive(Default)]
pub(crate) struct Remembered {
    // Before the place: it has to be closed when others may come.
    pub(crate) store: Option<Arc<RunStore>>,
    pub(crate) best: Option<Best>,
    place: Option<Place>,
}

/// Returns the input as it was before the first session in its place.
fn original(
    backup: &Path,
    current: &[u8],
    place: Option<&Place>,
    args: &Reduce,
    command: &CommandLine,
) -> Result<Arc<[u8]>, CliError> {
    let taken = || {
        let what = format!("{} exists already", backup.display());
        CliError::new(Kind::Usage, what)
            .hint("it would hold the copy of the input: move it away first")
    };
    let original: Arc<[u8]> = fs::read(backup).map_err(|_| taken())?.into();
    let found = place.and_then(|place| place.find(identity(args, command, &original)).ok());
    match found {
        Some((found, _)) if found.knows(fingerprint_of(current)) => Ok(original),
        Some((_, News::Resumed { .. })) => Err(taken().hint(format!(
            "to go on with the earlier run, {} has to be as that left it",
            args.input.display()
        ))),
        _ => Err(taken()),
    }
}

fn look(
    place: Place,
    args: &Reduce,
    command: &CommandLine,
    input: &[u8],
    report: &mut dyn Report,
) -> Option<(Place, Found)> {
    let identity = identity(args, command, input);
    if args.fresh
        && let Err(error) = place.forget(&identity)
    {
        forget(&error, report);
        return None;
    }
    match place.find(identity) {
        Ok((found, news)) => {
            if !matches!(news, News::Resumed { .. }) {
                // What failed otherwise in another run would be taken for this one's.
                fs::remove_dir_all(place.dir().join(OTHERS)).ok();
            }
            if let Some(news) = told(&news, args.fresh) {
                report.note(&news);
            }
            Some((place, found))
        }
        Err(error) => {
            forget(&error, report);
            None
        }
    }
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
pub(crate) fn forget(error: &StoreError, report: &mut dyn Report) {
    report.note(&format!(
        "warning: failed to {error}: {}\n         going on, but the same command will not be able to go on from here",
        cause(error)
    ));
}

/// What this run's course and its verdicts depend on. Everything that can be typed is here: a new option has to be put on one
/// side or the other.
fn identity(args: &Reduce, command: &CommandLine, input: &[u8]) -> Identity {
    let Reduce {
        input: path,
        timeout,
        language,
        keep,
        passes,
        algorithm,
        schedule,
        width,
        rules,
        preserve_names,
        rename,
        compact,
        no_gate,
        flaky,
        containment,
        property,
        // Is in the command line and what surrounds it.
        command: _,
        // The place of the result is the place where this is looked for.
        output: _,
        in_place: _,
        // Change the time only.
        jobs: _,
        // The same course, more or less of it.
        until: _,
        patience: _,
        // Change what is said.
        printing: _,
        fresh: _,
    } = args;
    let args::Property {
        // Are in the command line and what surrounds it.
        test: _,
        stdin,
        looks,
    } = property;
    let mut identity = Identity::default();
    identity.add_hash("the input", input);
    let name = path.file_name().unwrap_or_default();
    identity.add("the name of the input", format!("{name:?}"));
    let fed = if *stdin { " <{}" } else { "" };
    identity.add("the command", format!("{command}{fed}"));
    add_surroundings(&mut identity, command);
    identity.add("what to preserve", format!("{looks:?}"));
    identity.add("--timeout", format!("{timeout:?}"));
    identity.add("--language", format!("{language:?}"));
    identity.add("--keep", format!("{keep:?}"));
    identity.add("--passes", format!("{passes:?}"));
    identity.add("--algorithm", format!("{algorithm:?}"));
    identity.add("--schedule", format!("{schedule:?}"));
    identity.add("--width", format!("{width}"));
    let rules: Vec<_> = rules.iter().map(|path| fs::read(path).ok()).collect();
    identity.add_hash("--rules", format!("{rules:?}").as_bytes());
    identity.add("--preserve-names", format!("{preserve_names}"));
    identity.add("--rename", format!("{rename}"));
    identity.add("--compact", format!("{compact}"));
    identity.add("--no-gate", format!("{no_gate}"));
    identity.add("--flaky", format!("{flaky}"));
    identity.add("what the command may do", format!("{containment:?}"));
    identity.add("the version of boildown", env!("CARGO_PKG_VERSION"));
    identity
}
