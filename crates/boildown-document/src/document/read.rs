//! Reading of an input under any of the views.

use std::sync::Arc;

use boildown_search::Subset;

use super::frames::Frames;
use super::{Document, View, binary, blocks, characters, flat, nested_lines, syntax};
use crate::split::Split;
use crate::steps::at_once;

impl Document {
    /// The largest input, in bytes.
    pub const MAX: usize = u32::MAX as usize;

    /// Reads an input. Never fails: what a view cannot make sense of becomes one more unit.
    ///
    /// # Panics
    /// When the input is longer than [`MAX`](Self::MAX).
    #[must_use]
    pub fn new(bytes: &Arc<[u8]>, view: View) -> Self {
        at_once(Self::read(bytes, view))
    }

    /// Reads an input, as [`new`](Self::new) does, in steps.
    ///
    /// # Panics
    /// When the input is longer than [`MAX`](Self::MAX).
    pub async fn read(bytes: &Arc<[u8]>, view: View) -> Self {
        assert!(bytes.len() <= Self::MAX, "an input of more than 4 GiB");
        match view {
            View::Syntax(language) => syntax::read(bytes, language).await,
            View::Blocks => blocks::read(bytes),
            View::Lines => flat::lines(bytes),
            View::Elements => Self::of_elements(bytes, &Split::Lines),
            View::NestedLines => nested_lines::read(bytes),
            View::Bytes(size) => flat::pieces(bytes, size.max(1)),
            View::LongWords => characters::long_words(bytes),
            View::Parts(size) => {
                binary::parts(bytes, size.max(1), Arc::new(Frames::infer(bytes).await))
            }
            View::Of(view) => view.read(bytes),
            View::Zeros(size) => {
                binary::pieces_to_zero(bytes, size.max(1), Arc::new(Frames::infer(bytes).await))
            }
            View::Letters(language) => characters::letters(bytes, language),
            View::Spaces(language) => characters::spaces(bytes, language),
        }
    }

    /// Returns whether something of this document is carried over to one that is read from its kept
    /// tokens. Otherwise their bytes are enough to read it.
    #[must_use]
    pub fn is_carried_over(&self) -> bool {
        self.frames.is_some()
    }

    /// Reads an input that consists of the kept tokens of this document. The parts of a binary are
    /// carried over: they could not be recognised again in a fragment.
    pub async fn reread(&self, kept: &Subset, bytes: &Arc<[u8]>, view: View) -> Self {
        let Some(frames) = self.frames_of(kept, bytes) else {
            return Self::read(bytes, view).await;
        };
        match view {
            View::Parts(size) => binary::parts(bytes, size.max(1), frames),
            View::Zeros(size) => binary::pieces_to_zero(bytes, size.max(1), frames),
            view => Self {
                frames: Some(frames),
                ..Self::read(bytes, view).await
            },
        }
    }
}
