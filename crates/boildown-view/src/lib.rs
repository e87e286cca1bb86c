//! The terminal view of a reduction: a model that is fed with events, and a function that draws it.
//!
//! [`ViewModel`] takes [`ViewEvent`]s and [`Key`]s. [`draw()`] turns it, with the [`TestCase`] that
//! was prepared for it, into a buffer of cells. Threads, the clock and the terminal belong to the
//! caller.
//!
//! No character of a test case that controls a terminal reaches the buffer: see `glyphs`.
//!
//! # Modules
//! - `event`: what the model is told
//! - `model`: the state of the view
//! - `curve`: the sizes over time, in bounded memory
//! - `pass_yield`: what each pass has asked and removed
//! - `step_history`: the results so far, and what one step changed
//! - `keys`: keys, and the actions that they stand for
//! - `glyphs`: characters of a test case as cells of a terminal
//! - `case`: the best test case with its colours, and what the last step removed
//! - `draw`: the screens
//! - `palette`: colours, and their replacement where there are none
//! - `numbers`: numbers and times as text
#![warn(clippy::disallowed_methods)]

mod case;
mod curve;
mod draw;
mod event;
mod glyphs;
mod keys;
mod model;
mod numbers;
mod palette;
mod pass_yield;
mod step_history;

pub use case::{TestCase, differing};
pub use draw::draw;
pub use event::{FailureRow, Measured, SessionFacts, ViewEvent, WorkerRow};
pub use keys::{Key, KeyReader, ViewAction};
pub use model::ViewModel;
pub use palette::{BACKGROUND_QUERY, Background, Palette};
pub use ratatui_core::{buffer, layout, style};
pub use step_history::StepRow;

/// The smallest terminal, in columns and rows, for which the view is the default.
pub const ROOMY: (u16, u16) = (80, 20);
