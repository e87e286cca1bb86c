//! The type of modules in builds that cannot read them: it has no value.

/// A module; there is none.
#[derive(Debug)]
pub(in crate::document) enum AbsentModule {}

impl AbsentModule {
    pub(in crate::document) fn write(&self, _kept: &[bool]) -> Vec<u8> {
        match *self {}
    }

    pub(in crate::document) fn accepts(&self, _bytes: &[u8]) -> bool {
        match *self {}
    }
}
