//! The languages of programs.

/// The language of a program whose compiler resolves all names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CompiledLanguage {
    C,
    Cxx,
    Java,
    Rust,
}
