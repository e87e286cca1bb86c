//! Telling a file that is not a program from a system that is out of resources.

use boildown_oracle::OracleError;
use rustix::io::Errno;

/// Returns whether a command could not be started because its file is not something that the system
/// can execute.
///
/// `false` when the system was out of processes, memory or file descriptors, and for every other
/// error.
#[must_use]
pub fn is_not_executable(error: &OracleError) -> bool {
    let OracleError::Spawn { source, .. } = error else {
        return false;
    };
    Errno::from_io_error(source).is_some_and(|errno| {
        // Neither a binary nor a script with `#!`; a binary with impossible headers, or cut short.
        matches!(errno, Errno::NOEXEC | Errno::INVAL | Errno::IO)
            // The interpreter after `#!`, or the loader: missing, not executable, or not a path.
            || matches!(
                errno,
                Errno::NOENT | Errno::ACCESS | Errno::NOTDIR | Errno::LOOP | Errno::NAMETOOLONG
            )
            || BROKEN_BINARY.contains(&errno)
    })
}

/// Further errors of this system for a broken binary: on Linux, its loader is not a loader.
#[cfg(target_os = "linux")]
const BROKEN_BINARY: &[Errno] = &[Errno::LIBBAD];

/// Further errors of this system for a broken binary: on macOS EBADEXEC, EBADARCH and EBADMACHO (it
/// is damaged, or for another processor).
#[cfg(target_vendor = "apple")]
const BROKEN_BINARY: &[Errno] = &[
    Errno::from_raw_os_error(85),
    Errno::from_raw_os_error(86),
    Errno::from_raw_os_error(88),
];

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
const BROKEN_BINARY: &[Errno] = &[];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_program_is_distinguished_from_exhausted_resources() {
        let spawn = |errno: Errno| OracleError::Spawn {
            program: String::new(),
            advice: String::new(),
            source: errno.into(),
        };
        for errno in [Errno::NOEXEC, Errno::NOENT, Errno::ACCESS] {
            assert!(is_not_executable(&spawn(errno)), "{errno}");
        }
        for errno in [
            Errno::AGAIN,
            Errno::NOMEM,
            Errno::MFILE,
            Errno::NFILE,
            Errno::TXTBSY,
            Errno::TOOBIG,
        ] {
            assert!(!is_not_executable(&spawn(errno)), "{errno}");
        }
        assert!(!is_not_executable(&OracleError::Interrupted));
    }
}
