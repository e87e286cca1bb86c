//! The words and variables that a candidate says.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// What a candidate says about the command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delivered {
    /// The items of the candidate, which replace `{items}`.
    pub items: Vec<OsString>,
    /// The program and its arguments; `None` when they are those that the user typed.
    pub words: Option<Vec<OsString>>,
    /// The environment of the command; `None` when it is inherited.
    pub variables: Option<Vec<(OsString, OsString)>>,
}

pub(crate) type Read = dyn Fn(&[u8]) -> Delivered + Send + Sync;

/// The reader of what candidates say, and the context in which their words are interpreted.
#[derive(Clone)]
pub(crate) struct Delivery {
    pub(crate) read: Arc<Read>,
    pub(crate) input: PathBuf,
    pub(crate) user_dir: PathBuf,
}

impl fmt::Debug for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delivery").finish_non_exhaustive()
    }
}

impl PartialEq for Delivery {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.read, &other.read)
    }
}

impl Eq for Delivery {}
