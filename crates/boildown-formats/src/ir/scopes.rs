//! Names that are defined and mentioned in the functions of a module.

use std::collections::BTreeSet;

use boildown_reduce::ScopedName;

/// The names of a module, as they are collected.
#[derive(Debug, Default)]
pub(crate) struct ScopedNames {
    defined: BTreeSet<ScopedName>,
    mentioned: BTreeSet<ScopedName>,
}

impl ScopedNames {
    /// Adds the definition of a name in a function, or outside of all of them, which is 0.
    pub(crate) fn define(&mut self, scope: usize, name: Box<[u8]>) {
        self.defined.insert((scope, name));
    }

    /// Adds a mention of a name in a function, or outside of all of them, which is 0.
    pub(crate) fn mention(&mut self, scope: usize, name: Box<[u8]>) {
        self.mentioned.insert((scope, name));
    }

    /// Returns the names that are mentioned, but defined neither in their function nor outside of
    /// all.
    pub(crate) fn undefined(self) -> BTreeSet<ScopedName> {
        let (mut mentioned, defined) = (self.mentioned, self.defined);
        mentioned.retain(|(scope, name)| {
            !defined.contains(&(*scope, name.clone())) && !defined.contains(&(0, name.clone()))
        });
        mentioned
    }
}
