//! Archives of any of the formats.

use std::sync::Arc;

use super::{Gzip, Tar, Zip};

/// An archive: members with names and contents.
///
/// # Invariant
/// Writing what was read gives the same bytes.
#[derive(Debug, Clone)]
pub(crate) enum Archive {
    Zip(Zip),
    Tar(Tar),
    /// Packed files in a row, as a rule one: their contents are the members.
    Gzip(Gzip),
}

impl Archive {
    /// Reads an archive. `None` when it is none, or one of a form that could not be written again
    /// byte for byte.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        (Zip::read(bytes).map(Self::Zip))
            .or_else(|| Gzip::read(bytes).map(Self::Gzip))
            .or_else(|| Tar::read(bytes).map(Self::Tar))
    }

    /// Returns the number of members.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Zip(zip) => zip.len(),
            Self::Tar(tar) => tar.len(),
            Self::Gzip(gzip) => gzip.len(),
        }
    }

    /// Returns a size that falls with every member that is deleted and every content that becomes
    /// smaller, however it is packed.
    pub(crate) fn extent(&self) -> usize {
        let contents = (0..self.len()).filter_map(|member| self.content(member));
        self.len() + contents.map(|content| content.len()).sum::<usize>()
    }

    /// Returns the name of a member; empty if it has none.
    pub(crate) fn name(&self, member: usize) -> String {
        match self {
            Self::Zip(zip) => zip.name(member),
            Self::Tar(tar) => tar.name(member),
            Self::Gzip(gzip) => gzip.name(member),
        }
    }

    /// Returns the content of a member; `None` when it could not be unpacked.
    pub(crate) fn content(&self, member: usize) -> Option<&Arc<[u8]>> {
        match self {
            Self::Zip(zip) => zip.content(member),
            Self::Tar(tar) => tar.content(member),
            Self::Gzip(gzip) => gzip.content(member),
        }
    }

    /// Returns the number of bytes that a member takes as it is.
    pub(crate) fn weight(&self, member: usize) -> u32 {
        match self {
            Self::Zip(zip) => zip.weight(member),
            Self::Tar(tar) => tar.weight(member),
            Self::Gzip(gzip) => {
                let size = gzip.content(member).map_or(0, |content| content.len());
                u32::try_from(size).unwrap_or(u32::MAX)
            }
        }
    }

    /// Returns the archive with only these members. A packed file without its content is one of
    /// no bytes.
    pub(crate) fn with_members(&self, kept: impl IntoIterator<Item = usize>) -> Self {
        match self {
            Self::Zip(zip) => Self::Zip(zip.with_members(kept)),
            Self::Tar(tar) => Self::Tar(tar.with_members(kept)),
            Self::Gzip(gzip) => Self::Gzip(gzip.with_members(kept)),
        }
    }

    /// Returns the archive with another content of a member. `None` when the content is too large
    /// for the format.
    pub(crate) fn with_content(&self, member: usize, content: &Arc<[u8]>) -> Option<Self> {
        Some(match self {
            Self::Zip(zip) => Self::Zip(zip.with_content(member, content)?),
            Self::Tar(tar) => Self::Tar(tar.with_content(member, content)?),
            Self::Gzip(gzip) => Self::Gzip(gzip.with_content(member, content)),
        })
    }

    /// Returns the archive with all contents in one member, if readers take them for one content.
    pub(crate) fn joined(&self) -> Option<Self> {
        match self {
            Self::Gzip(gzip) => Some(Self::Gzip(gzip.joined()?)),
            Self::Zip(_) | Self::Tar(_) => None,
        }
    }

    /// Returns the archive without what readers do not need.
    pub(crate) fn bare(&self) -> Option<Self> {
        Some(match self {
            Self::Zip(zip) => Self::Zip(zip.bare()?),
            Self::Tar(tar) => Self::Tar(tar.bare()),
            Self::Gzip(gzip) => Self::Gzip(gzip.bare()),
        })
    }

    /// Returns the bytes of the archive. `None` when it is too large for the format.
    pub(crate) fn write(&self) -> Option<Vec<u8>> {
        match self {
            Self::Zip(zip) => zip.write(),
            Self::Tar(tar) => Some(tar.write()),
            Self::Gzip(gzip) => gzip.write(),
        }
    }
}
