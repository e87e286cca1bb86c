//! The key of the user, by which a store of theirs is known.

use std::env;
use std::path::{Path, PathBuf};

use boildown_exec::Access;
use boildown_store::{Provenance, SealKey, access_of_store, is_sealed};

/// Returns what a store records of where it comes from. `access` is that of the input.
pub(crate) fn of_session(access: Access) -> Provenance {
    Provenance {
        // Without a key, reports about this session ask before they run anything.
        key: key_dir().and_then(|dir| SealKey::of_user(&dir).ok()),
        access: Some(access.to_mode()),
    }
}

/// Returns whether this user has written a store on this machine, and no one has changed it since.
pub(crate) fn is_own(store: &Path) -> bool {
    let key = key_dir().and_then(|dir| SealKey::existing(&dir));
    key.is_some_and(|key| is_sealed(store, &key).unwrap_or(false))
}

/// Returns what files may permit that are made of a store.
pub(crate) fn access(store: &Path) -> Access {
    let mode = access_of_store(store).ok().flatten();
    mode.map_or(Access::OWNER, Access::from_mode)
}

/// Returns the directory of the key, which is beside no store.
fn key_dir() -> Option<PathBuf> {
    let is_usable = |dir: &PathBuf| dir.is_absolute();
    let state = env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let state = state.filter(is_usable).or_else(|| {
        let home = env::home_dir().filter(is_usable)?;
        Some(home.join(".local/state"))
    })?;
    Some(state.join("boildown"))
}
