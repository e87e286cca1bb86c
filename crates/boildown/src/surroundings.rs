//! The surroundings that boildown inherits from its shell, and cannot work with.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::fs::Mode;
use rustix::process::umask;
use signal_hook::consts::SIGXFSZ;
use signal_hook::flag;

use crate::error::CliError;

/// Checks that boildown can use the files that it makes.
pub(crate) fn check() -> Result<(), CliError> {
    // Without a handler, a write beyond `ulimit -f` would end boildown without a message. With one,
    // the write fails. Runs get the default action back.
    drop(flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))));
    let mask = umask(Mode::empty());
    umask(mask);
    if !mask.intersects(Mode::RWXU) {
        return Ok(());
    }
    let mask = mask.as_raw_mode();
    Err(CliError::usage(format!(
        "the umask {mask:03o} takes permissions on new files from you"
    ))
    .hint("run `umask 022` first"))
}
