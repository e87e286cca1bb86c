//! Modification times of the files of a workspace.

use std::collections::HashMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::FilePath;

/// Gives the files of a workspace modification times by which build tools notice what is new.
///
/// A file gets the present time, with nanoseconds. The system gives the files of a command the time
/// of its last tick, some milliseconds ago at most. So whatever was built before is older than a
/// file that is written now, and whatever is built from it is not in the past of the clock.
///
/// Two more rules serve tools that look less closely:
/// * Some tools compare whole seconds and sizes, such as rsync. When two versions of a file have
///   the same size, the second one is written in a later second. Python compares them too, but what
///   it keeps is known, and is removed instead.
/// * Where times are kept in whole seconds, each update begins in a later second than the one
///   before.
///
/// A clock that goes back by more than [`PATIENCE`] is an error: everything that was built here
/// would be newer than what is written now. The workspace has to be replaced then.
#[derive(Debug, Default)]
pub(crate) struct WriteTimes {
    /// The time of the last write.
    latest: Option<SystemTime>,
    /// The versions of each path that were written in its latest second.
    versions: HashMap<FilePath, VersionsOfSecond>,
    /// Whether the file system, or the tools of the system, keep whole seconds.
    is_coarse: bool,
}

/// Versions of a file that were written in the same second.
#[derive(Debug, Default)]
struct VersionsOfSecond {
    second: u64,
    versions: Vec<Version>,
}

/// A content of a file, as a tool that compares sizes sees it, and as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Version {
    size: usize,
    hash: u64,
}

impl Version {
    fn of(bytes: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        Self {
            size: bytes.len(),
            hash: hasher.finish(),
        }
    }
}

/// The longest time to wait for a clock that has gone back.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether the `make` of the system compares whole seconds.
const MAKE_COMPARES_SECONDS: bool = cfg!(target_os = "macos");

impl WriteTimes {
    /// Begins an update: waits until its time differs from that of the last one.
    ///
    /// # Errors
    /// When the clock has gone back.
    pub(crate) fn begin(&self) -> io::Result<()> {
        let Some(latest) = self.latest else {
            return Ok(());
        };
        if let Ok(back) = latest.duration_since(SystemTime::now()) {
            if back > PATIENCE {
                return Err(io::Error::other("the clock was set back"));
            }
            thread::sleep(back);
        }
        if self.is_coarse || MAKE_COMPARES_SECONDS {
            wait_for_second_after(second(latest));
        }
        Ok(())
    }

    /// Returns whether this content has the size of another one that the path had in the latest
    /// second in which it was written.
    pub(crate) fn looks_like_earlier(&self, path: &FilePath, bytes: &[u8]) -> bool {
        let version = Version::of(bytes);
        let looks_alike = |other: &Version| other.size == version.size && *other != version;
        let earlier = self.versions.get(path);
        earlier.is_some_and(|earlier| earlier.versions.iter().any(looks_alike))
    }

    /// Waits until the clock is in a later second than the one in which a path was written.
    pub(crate) fn wait_for_next_second(&self, path: &FilePath) {
        if let Some(earlier) = self.versions.get(path) {
            wait_for_second_after(earlier.second);
        }
    }

    /// Sets the time of a file that was just written with this content.
    ///
    /// # Errors
    /// Those of the system.
    pub(crate) fn set(&mut self, file: &mut File, path: &FilePath, bytes: &[u8]) -> io::Result<()> {
        let now = SystemTime::now();
        file.set_modified(now)?;
        let earlier = self.versions.entry(path.clone()).or_default();
        if earlier.second != second(now) {
            *earlier = VersionsOfSecond {
                second: second(now),
                versions: Vec::new(),
            };
        }
        earlier.versions.push(Version::of(bytes));
        if self.latest.is_none() {
            let kept = file.metadata()?.modified()?;
            self.is_coarse = kept != now && subsec_is_zero(kept);
        }
        self.latest = Some(now);
        Ok(())
    }
}

fn second(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}

fn subsec_is_zero(time: SystemTime) -> bool {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    since.subsec_nanos() == 0
}

/// Waits until the clock is in a later second than this one.
fn wait_for_second_after(earlier: u64) {
    loop {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        if since.as_secs() != earlier {
            return;
        }
        let part = Duration::from_nanos(since.subsec_nanos().into());
        thread::sleep(Duration::from_secs(1).saturating_sub(part));
    }
}
