//! Facts about a compiler.

/// A compiler and its stages.
pub(super) struct KnownCompiler {
    /// Its names, without a version.
    pub(super) programs: &'static [&'static str],
    /// Options that say what to make.
    pub(super) makes: &'static [&'static str],
    /// Such options with a value, in the next word or after `=`.
    pub(super) makes_with_value: &'static [&'static str],
    /// Options with a value that later stages do not have.
    pub(super) of_source: &'static [&'static str],
    /// The stages, from the first to the last.
    pub(super) stages: &'static [KnownStage],
}

/// A stage of a compiler.
pub(super) struct KnownStage {
    pub(super) name: &'static str,
    /// The endings of the files that it reads.
    pub(super) reads: &'static [&'static str],
    /// The ending of the file that it writes; without one, the next stage reads the same file.
    pub(super) writes: Option<&'static str>,
    /// Options with which the compiler stops before this stage.
    pub(super) unless: &'static [&'static str],
    /// The line that runs it as the compiler does.
    pub(super) line: &'static str,
    /// Lines that run less, the best one first. The first that fails in the same way is taken.
    pub(super) narrower: &'static [KnownNarrower],
}

/// A line that runs less than a stage.
pub(super) struct KnownNarrower {
    pub(super) line: &'static str,
    /// The line that prints the list for `{passes}`.
    pub(super) passes: Option<&'static str>,
    /// How its program begins a message, and how the compiler does.
    pub(super) says: Option<(&'static str, &'static str)>,
}
