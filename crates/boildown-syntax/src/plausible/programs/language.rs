//! The languages of programs.

/// The language of a program whose compiler resolves all names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompiledLanguage {
    C,
    Cxx,
    Java,
    Rust,
}

impl CompiledLanguage {
    /// Returns the language with a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "C" => Some(Self::C),
            "C++" => Some(Self::Cxx),
            "Java" => Some(Self::Java),
            "Rust" => Some(Self::Rust),
            _ => None,
        }
    }
}
