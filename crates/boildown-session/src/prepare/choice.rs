//! The choice of the property when the user states none.

use std::fmt;
use std::num::NonZeroUsize;

use boildown_oracle::{Deduction, InputFile, OracleError, OtherRuns, Property, Run};

use super::error::PreparationError;
use super::event::PrepareEvent;

/// How the property is chosen when none is stated.
pub struct PropertyChoice<'a> {
    /// The property of an earlier session of the same run. It is kept, because the verdicts of that
    /// session are about it.
    pub remembered: Option<Property>,
    /// The stack frames that have to stay the same.
    pub frames: KeptFrames,
    /// Runs that the first one is compared with, once they were made.
    pub others: Option<OtherRuns>,
    /// Lets the user take one of the properties; `None` ends the preparation.
    pub ask: &'a mut dyn FnMut(&Deduction) -> Option<Property>,
}

/// The stack frames that a deduced property names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptFrames {
    /// The top one, of a crash whose message does not say where it happened.
    Place,
    /// The same, but for the line in its source: other versions of the program are run too.
    Function,
    /// None.
    None,
    /// This number of frames, which must have been printed.
    Top(NonZeroUsize),
}

impl KeptFrames {
    /// Returns the input as far as it matters to the message: without its name, no line is in a
    /// source of the program.
    pub(super) fn read_with<'a>(self, input: &InputFile<'a>) -> InputFile<'a> {
        match self {
            Self::Place => input.clone(),
            Self::Function | Self::None | Self::Top(_) => InputFile {
                text: input.text,
                ..InputFile::default()
            },
        }
    }
}

/// The property to preserve.
#[derive(Debug, Clone)]
pub(super) struct ChosenProperty {
    pub(super) property: Property,
    /// The property that most likely identifies the failure otherwise.
    pub(super) next: Option<Property>,
}

impl From<Property> for ChosenProperty {
    fn from(property: Property) -> Self {
        Self {
            property,
            next: None,
        }
    }
}

impl ChosenProperty {
    /// Reports the other property.
    pub(super) fn report_next(&self, on_event: &mut dyn FnMut(PrepareEvent<'_>)) {
        if let Some(next) = &self.next {
            on_event(PrepareEvent::Alternative(next));
        }
    }
}

impl fmt::Debug for PropertyChoice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PropertyChoice")
            .field("remembered", &self.remembered)
            .field("frames", &self.frames)
            .finish_non_exhaustive()
    }
}

impl PropertyChoice<'_> {
    /// Returns the property to preserve of a run on the input.
    pub(super) fn choose(
        &mut self,
        run: &Run,
        input: &InputFile<'_>,
    ) -> Result<ChosenProperty, PreparationError> {
        // A run that shows no failure may have the property of a script that ran before: it exits
        // with 0.
        let fails = Deduction::of_run(run).is_some();
        let holds = |property: &Property| fails && property.verdict(run).is_interesting();
        if let Some(property) = self.remembered.clone().filter(holds) {
            return Ok(property.into());
        }
        let deduction = deduction(run, self.others.as_ref(), self.frames, input)?;
        let property = (self.ask)(&deduction).ok_or(OracleError::Interrupted)?;
        // A preparation that begins again elsewhere does not ask twice.
        self.remembered = Some(property.clone());
        let others = std::iter::once(deduction.property()).chain(deduction.alternatives());
        let next = others
            .into_iter()
            .find(|other| **other != property)
            .cloned();
        Ok(ChosenProperty { property, next })
    }
}

/// Returns what the run shows, compared with others if there are any.
pub(super) fn deduction(
    run: &Run,
    others: Option<&OtherRuns>,
    frames: KeptFrames,
    input: &InputFile<'_>,
) -> Result<Deduction, PreparationError> {
    let none = OtherRuns::default();
    let deduction = Deduction::on_input(run, &frames.read_with(input), others.unwrap_or(&none));
    let deduction = deduction.ok_or_else(|| PreparationError::NothingToPreserve {
        run: Box::new(run.clone()),
    })?;
    match frames {
        KeptFrames::Top(count) => deduction
            .with_frames(run, count)
            .ok_or(PreparationError::NoStackTrace),
        KeptFrames::Place | KeptFrames::Function => Ok(deduction.with_place(run, &input.name)),
        KeptFrames::None => Ok(deduction),
    }
}
