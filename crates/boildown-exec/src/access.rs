//! Permissions of files that are derived from an input.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The most that a file may permit that is derived from an input, such as a result or a report:
/// what the input permits.
///
/// The umask takes permissions away as usual. The owner of a derived file may always read and write
/// it. The permissions of a group count only for a file of the same group: for a file of another
/// group, its members are like all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Permissions and set-id bits.
    mode: u32,
    /// The group that the permissions of a group are for; `None` if there is none.
    group: Option<u32>,
}

impl Access {
    /// No limit: only the umask takes permissions away.
    pub const ANY: Self = Self {
        mode: 0o7777,
        group: None,
    };

    /// Nothing for others than the owner.
    pub const OWNER: Self = Self {
        mode: 0o700,
        group: None,
    };

    /// Returns what an input permits; nothing for others when that is not known.
    #[must_use]
    pub fn of(input: &Path) -> Self {
        fs::metadata(input).map_or(Self::OWNER, |found| Self::from(&found))
    }

    /// Returns what each of several inputs permits.
    #[must_use]
    pub fn of_all<P: AsRef<Path>>(inputs: impl IntoIterator<Item = P>) -> Self {
        let all = inputs.into_iter().map(|input| Self::of(input.as_ref()));
        all.reduce(Self::and).unwrap_or(Self::OWNER)
    }

    /// Returns what each of several inputs permits, and everything in those that are folders: for
    /// a file that may quote any of it, such as a report.
    #[must_use]
    pub fn of_contents<P: AsRef<Path>>(inputs: impl IntoIterator<Item = P>) -> Self {
        let mut waiting: Vec<PathBuf> = (inputs.into_iter())
            .map(|input| input.as_ref().to_owned())
            .collect();
        let mut access = Self::of_all(&waiting);
        while let Some(path) = waiting.pop() {
            // What a link leads to is not in the folder.
            for entry in fs::read_dir(path).into_iter().flatten().flatten() {
                let Ok(found) = entry.metadata() else {
                    return Self::OWNER;
                };
                if !found.is_symlink() {
                    access = access.and(Self::from(&found));
                }
                if found.is_dir() {
                    waiting.push(entry.path());
                }
            }
        }
        access
    }

    /// Returns what both permit.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if self.group == other.group {
            return Self {
                mode: self.mode & other.mode,
                ..self
            };
        }
        Self {
            mode: self.for_others() & other.for_others(),
            group: None,
        }
    }

    /// Returns the permissions for files whose group is not known, as a number to store.
    #[must_use]
    pub fn to_mode(self) -> u32 {
        self.for_others() & 0o777
    }

    /// Returns the access that [`to_mode`](Self::to_mode) was stored of.
    #[must_use]
    pub fn from_mode(mode: u32) -> Self {
        Self {
            mode: mode & 0o777,
            group: None,
        }
    }

    /// Returns the mode of a new file of this group, before the umask is applied.
    pub(crate) fn new_file(self, group: u32) -> u32 {
        0o600 | self.for_group(group) & 0o666
    }

    /// Returns the mode of a new directory of this group, before the umask is applied.
    pub(crate) fn new_dir(self, group: u32) -> u32 {
        let read = self.for_group(group) & 0o044;
        0o700 | read | read >> 2
    }

    /// Returns the mode of an existing file of this group without what is not permitted. Who may
    /// read a file may execute it.
    pub(crate) fn existing_file(self, mode: u32, group: u32) -> u32 {
        let limit = self.for_group(group);
        mode & (0o700 | limit | (limit & 0o444) >> 2)
    }

    /// Returns the permissions on a file of this group.
    fn for_group(self, group: u32) -> u32 {
        match self.group {
            Some(own) if own == group => self.mode,
            _ => self.for_others(),
        }
    }

    /// Returns the permissions with those of all others in place of the group's.
    fn for_others(self) -> u32 {
        self.mode & !0o070 | (self.mode & 0o007) << 3
    }
}

impl From<&Metadata> for Access {
    fn from(found: &Metadata) -> Self {
        Self {
            mode: found.mode() & 0o7777,
            group: Some(found.gid()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn access(mode: u32, group: u32) -> Access {
        Access {
            mode,
            group: Some(group),
        }
    }

    #[test]
    fn a_file_about_a_folder_permits_no_more_than_each_file_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let set_mode = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("a"), "a").unwrap();
        std::os::unix::fs::symlink("/dev/null", folder.path().join("link")).unwrap();
        for path in [folder.path(), &inner] {
            set_mode(path, 0o755);
        }
        for (mode, expected) in [(0o644, 0o644), (0o600, 0o600)] {
            set_mode(&inner.join("a"), mode);
            assert_eq!(Access::of_all([folder.path()]).to_mode() & 0o666, 0o644);
            let access = Access::of_contents([folder.path()]);
            assert_eq!(access.to_mode() & 0o666, expected, "{mode:o}");
        }
    }

    #[test]
    fn a_derived_file_permits_no_more_than_its_input() {
        for (input, file, dir) in [
            (0o600, 0o600, 0o700),
            (0o400, 0o600, 0o700),
            (0o640, 0o640, 0o750),
            (0o644, 0o644, 0o755),
            (0o4755, 0o644, 0o755),
            (0o666, 0o666, 0o755),
            (0o711, 0o600, 0o700),
        ] {
            assert_eq!(access(input, 7).new_file(7), file, "{input:o}");
            assert_eq!(access(input, 7).new_dir(7), dir, "{input:o}");
        }
        assert_eq!(access(0o640, 7).new_file(8), 0o600, "another group");
        assert_eq!(access(0o644, 7).new_file(8), 0o644);
        assert_eq!(Access::ANY.new_file(8), 0o666);
        assert_eq!(Access::OWNER.new_file(8), 0o600);
    }

    #[test]
    fn an_existing_file_keeps_what_its_input_permits() {
        assert_eq!(access(0o644, 7).existing_file(0o751, 7), 0o751 & 0o755);
        assert_eq!(access(0o600, 7).existing_file(0o644, 7), 0o600);
        assert_eq!(access(0o4755, 7).existing_file(0o4755, 7), 0o4755);
        assert_eq!(access(0o644, 7).existing_file(0o4755, 7), 0o755);
        assert_eq!(Access::ANY.existing_file(0o751, 7), 0o751);
    }

    #[test]
    fn several_inputs_permit_what_each_of_them_does() {
        let both = access(0o664, 7).and(access(0o640, 7));
        assert_eq!(both.new_file(7), 0o640);
        let groups = access(0o664, 7).and(access(0o660, 8));
        assert_eq!(groups.new_file(7), 0o600);
        assert_eq!(Access::of_all::<&Path>([]), Access::OWNER);
        assert_eq!(
            Access::from_mode(access(0o640, 7).to_mode()).new_file(7),
            0o600
        );
        assert_eq!(
            Access::from_mode(access(0o644, 7).to_mode()).new_file(9),
            0o644
        );
    }
}
