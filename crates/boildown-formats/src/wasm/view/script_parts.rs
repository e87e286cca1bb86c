//! The parts of a script: modules and commands.

use std::ops::Range;

use super::mentions::Token;
use super::module::Module;

/// A module or a command.
#[derive(Debug)]
pub(super) struct ScriptPart {
    pub(super) bytes: Range<usize>,
    /// Where its name is, if it is a module with one.
    pub(super) name: Option<Range<usize>>,
    /// A part without its token is gone.
    pub(super) token: Token,
    /// The tokens of the part.
    pub(super) tokens: Range<usize>,
    pub(super) content: PartContent,
}

#[derive(Debug)]
pub(super) enum PartContent {
    Module(Box<Module>),
    /// A module that is not read: in quotes, or not understood.
    Unread,
    Command(Option<Action>),
}

/// What a command does with an export.
#[derive(Debug)]
pub(super) struct Action {
    /// The part with the module.
    pub(super) module: usize,
    pub(super) export: String,
    pub(super) arguments: Vec<Range<usize>>,
    /// What the results have to be.
    pub(super) results: Vec<Range<usize>>,
}
