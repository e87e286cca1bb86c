//! What earlier sessions of the same reduction came to, and what is remembered of this one.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use boildown_oracle::store::{
    Best, Identity, Improvement, News, Place, Start, Tape, fingerprint_of,
};
use boildown_oracle::{CommandLine, Property};

use crate::args::Reduce;
use crate::destination::Destination;
use crate::error::{CliError, Kind};
use crate::known::{self, Known, Remembered};
use crate::property;
use crate::report::Note;

/// What is known of a reduction before it begins.
pub(crate) struct Memory {
    known: Known,
    /// The input as it was before the first session.
    pub(crate) input: Arc<[u8]>,
}

impl Memory {
    /// Looks for earlier sessions, and says what was found.
    pub(crate) fn open(
        args: &Reduce,
        command: &CommandLine,
        destination: &Destination,
        mut input: Arc<[u8]>,
        notes: &mut dyn Note,
    ) -> Result<Self, CliError> {
        let place = known::place(&destination.output, notes)?;
        let backup = destination.existing_backup();
        if let Some(backup) = backup {
            // In place, what is there now may be what an earlier session came to.
            input = original(backup, &input, place.as_ref(), args, command)?;
        }
        let look = |place| Known::look(place, identity(args, command, &input), args.fresh, notes);
        Ok(Self {
            known: place.map(look).unwrap_or_default(),
            input,
        })
    }

    /// Returns the runs on the input of earlier sessions.
    pub(crate) fn tape(&self) -> &Tape {
        self.known.tape()
    }

    /// Begins to remember. Returns what earlier sessions came to, too, when this one will come there.
    pub(crate) fn begin(
        self,
        args: &Reduce,
        property: &Property,
        time_limit: Duration,
        notes: &mut dyn Note,
    ) -> (Remembered, Option<Best>) {
        // A budget may end this session before the point where the earlier ones found their best.
        let comes_there = |best: &&Best| {
            let most = args.patience.budget().questions;
            args.until.is_none() && most.is_none_or(|most| most >= best.question)
        };
        let best = self.known.best().filter(comes_there).cloned();
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
        let remembered = self.known.begin(&start, notes);
        let best = best.filter(|_| remembered.store.is_some());
        (remembered, best)
    }
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
    let mut identity = Identity::default();
    identity.add_hash("the input", input);
    let name = path.file_name().unwrap_or_default();
    identity.add("the name of the input", format!("{name:?}"));
    property::add_to(&mut identity, property, command);
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
    crate::containment::add_to(&mut identity, containment);
    identity.add("the version of boildown", env!("CARGO_PKG_VERSION"));
    identity
}
