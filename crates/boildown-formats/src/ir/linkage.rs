//! Words that LLVM and its dialect know.

/// Words that stand before the type of a definition, and not of a declaration.
#[rustfmt::skip]
const LINKAGES: [&str; 14] = [
    "private", "internal", "available_externally", "linkonce", "weak", "common", "appending",
    "extern_weak", "linkonce_odr", "weak_odr", "external", "hidden", "protected", "dso_local",
];

/// Returns whether a word stands before the type of a definition, and not of a declaration.
pub(crate) fn is_linkage(word: &[u8]) -> bool {
    LINKAGES.iter().any(|linkage| word == linkage.as_bytes())
}
