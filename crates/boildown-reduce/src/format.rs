//! The door between the core and the formats: the trait [`Format`], and what it is asked about.

use std::fmt::Debug;
use std::sync::Arc;

use boildown_document::{Language, View, is_binary};

use crate::facts::{Facts, GatePolicy, Proof};
use crate::pipeline::Pass;
use crate::rewrite::BuiltIns;

/// An input, as a format sees it. Made once for each input.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The whole input.
    pub bytes: &'a Arc<[u8]>,
    /// The language; `None` for a binary, and for a text in no known language.
    pub language: Option<&'static Language>,
    /// The name of the format, if the user stated it.
    pub stated: Option<&'static str>,
}

impl Input<'_> {
    /// Returns whether the input is in the language of this name.
    pub fn is_in(&self, name: &str) -> bool {
        self.language.is_some_and(|language| language.name == name)
    }

    /// Returns whether the input is a text in no known language.
    pub fn is_plain_text(&self) -> bool {
        self.language.is_none() && !is_binary(self.bytes)
    }
}

/// What boildown knows about one format, beyond the grammar of its language.
///
/// A format is a value with a line in a registry, [`Formats`]. Nothing else names it: shared code
/// asks this trait. Each method but `name` and `detects` has a default that does nothing.
pub trait Format: Debug + Send + Sync {
    /// Returns the name of the format. Unique.
    fn name(&self) -> &'static str;

    /// Returns whether an input has this format. The first of the registry that says so has it.
    ///
    /// # Cost
    /// At most linear in the size of the input: it is called for each input and each file of a
    /// folder, not for candidates.
    fn detects(&self, input: &Input<'_>) -> bool;

    /// Returns the views that only this format has.
    fn views(&self) -> Vec<View> {
        Vec::new()
    }

    /// Changes the passes over an input, which are those for its language, for texts or for
    /// binaries. Passes over single bytes that the user asked for come after them.
    fn order(&self, _input: &Input<'_>, usual: Vec<Pass>) -> Vec<Pass> {
        usual
    }

    /// Returns how candidates are compared with the best one; `None` if they are not, as those of
    /// an input that is not valid itself.
    fn gate(&self, _input: &Input<'_>) -> Option<GatePolicy> {
        None
    }

    /// Returns what candidates are compared by.
    ///
    /// # Cost
    /// Linear in the size of the text: it is called for each candidate.
    fn facts(&self, _text: &[u8]) -> Facts {
        Facts::default()
    }

    /// Returns whether a candidate is never tested, not even as a sample of those that the gate
    /// skips. `size` is that of the best candidate, in bytes.
    fn is_never_sampled(&self, _candidate: &Facts, _best: &Facts, _size: usize) -> bool {
        false
    }

    /// Returns whether nothing would be learnt or gained by a test of a candidate.
    fn is_vain(&self, _candidate: &[u8], _best: &[u8]) -> bool {
        false
    }

    /// Adds rewritings that only this format has, before those of rules.
    fn propose(&self, _proposals: &mut BuiltIns<'_>) {}

    /// Returns whether nodes and symbols are rewritten as in any language.
    fn has_usual_rewritings(&self) -> bool {
        true
    }

    /// Returns the whole text in other forms that its tools read more easily, the best one first.
    fn own_forms(&self, _text: &[u8]) -> Vec<Vec<u8>> {
        Vec::new()
    }
}

/// A registry of formats. The first that detects an input has it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Formats(pub &'static [&'static dyn Format]);

impl Formats {
    /// Returns the format of an input: the stated one, or the first that detects it.
    #[must_use]
    pub fn format_of(self, input: &Input<'_>) -> Option<&'static dyn Format> {
        let is_format = |format: &&dyn Format| match input.stated {
            Some(name) => format.name() == name,
            None => format.detects(input),
        };
        self.0.iter().copied().find(is_format)
    }

    /// Returns what the proof of 1-minimality is about for an input. Of a format such as LLVM IR,
    /// tokens are only deleted if the rest is well-formed.
    #[must_use]
    pub fn proof_of(self, input: &Input<'_>) -> Proof {
        let policy = self.format_of(input).and_then(|format| format.gate(input));
        policy.map_or(Proof::Tokens, |policy| policy.proof)
    }

    /// Returns the names of all formats, by which [`Strategy::format`](crate::Strategy::format)
    /// states one.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|format| format.name())
    }

    /// Returns the views that the formats have of their own; each reads any input.
    #[must_use]
    pub fn views(self) -> Vec<View> {
        self.0.iter().flat_map(|format| format.views()).collect()
    }
}
