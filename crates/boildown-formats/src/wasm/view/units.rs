//! The sizes of the units that a module is divided into.

/// The smallest units of the functions of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModuleUnits {
    /// Whole bodies, and the whole contents of segments.
    Items,
    /// Instructions, parameters, results and local variables, and pieces of segments.
    Instructions,
}

impl ModuleUnits {
    /// All of them.
    pub(crate) const ALL: [Self; 2] = [Self::Items, Self::Instructions];
}
