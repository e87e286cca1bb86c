//! Facts about the debug information of a module that its form depends on.

/// What is known about the debug information of a module.
#[derive(Debug, Default)]
pub(super) struct DebugForm<'a> {
    /// Whether there is a unit of it.
    pub(super) has_unit: bool,
    /// The metadata that says the version.
    pub(super) versions: Vec<&'a [u8]>,
    /// Whether the flags of the module name one of these. Otherwise tools ignore all of it.
    pub(super) has_version: bool,
}
