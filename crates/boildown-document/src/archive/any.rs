//! Archives of any of the formats.

use std::sync::Arc;

use super::{Gzip, Tar, Zip};

/// An archive: members with names and contents.
///
/// # Invariant
/// Writing what was read gives the same bytes.
#[derive(Debug, Clone)]
pub struct Archive(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Zip(Zip),
    Tar(Tar),
    /// Packed files in a row, as a rule one: their contents are the members.
    Gzip(Gzip),
}

impl Archive {
    /// Reads an archive. `None` when it is none, or one of a form that could not be written again
    /// byte for byte.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let kind = (Zip::read(bytes).map(Kind::Zip))
            .or_else(|| Gzip::read(bytes).map(Kind::Gzip))
            .or_else(|| Tar::read(bytes).map(Kind::Tar));
        kind.map(Self)
    }

    /// Returns the number of members.
    pub fn count(&self) -> usize {
        match &self.0 {
            Kind::Zip(zip) => zip.len(),
            Kind::Tar(tar) => tar.len(),
            Kind::Gzip(gzip) => gzip.len(),
        }
    }

    /// Returns a size that falls with every member that is deleted and every content that becomes
    /// smaller, however it is packed.
    pub fn extent(&self) -> usize {
        let contents = (0..self.count()).filter_map(|member| self.content(member));
        self.count() + contents.map(|content| content.len()).sum::<usize>()
    }

    /// Returns the name of a member; empty if it has none.
    pub fn name(&self, member: usize) -> String {
        match &self.0 {
            Kind::Zip(zip) => zip.name(member),
            Kind::Tar(tar) => tar.name(member),
            Kind::Gzip(gzip) => gzip.name(member),
        }
    }

    /// Returns the content of a member; `None` when it could not be unpacked.
    pub fn content(&self, member: usize) -> Option<&Arc<[u8]>> {
        match &self.0 {
            Kind::Zip(zip) => zip.content(member),
            Kind::Tar(tar) => tar.content(member),
            Kind::Gzip(gzip) => gzip.content(member),
        }
    }

    /// Returns whether a member can be unpacked, and what the archive says of it is right.
    pub fn is_sound(&self, member: usize) -> bool {
        match &self.0 {
            Kind::Zip(zip) => zip.is_sound(member),
            Kind::Tar(_) | Kind::Gzip(_) => true,
        }
    }

    /// Returns the number of bytes that a member takes as it is.
    pub fn weight(&self, member: usize) -> u32 {
        match &self.0 {
            Kind::Zip(zip) => zip.weight(member),
            Kind::Tar(tar) => tar.weight(member),
            Kind::Gzip(gzip) => {
                let size = gzip.content(member).map_or(0, |content| content.len());
                u32::try_from(size).unwrap_or(u32::MAX)
            }
        }
    }

    /// Returns the archive with only these members. A packed file without its content is one of
    /// no bytes.
    #[must_use]
    pub fn with_members(&self, kept: impl IntoIterator<Item = usize>) -> Self {
        Self(match &self.0 {
            Kind::Zip(zip) => Kind::Zip(zip.with_members(kept)),
            Kind::Tar(tar) => Kind::Tar(tar.with_members(kept)),
            Kind::Gzip(gzip) => Kind::Gzip(gzip.with_members(kept)),
        })
    }

    /// Returns the archive with another content of a member. `None` when the content is too large
    /// for the format.
    pub fn with_content(&self, member: usize, content: &Arc<[u8]>) -> Option<Self> {
        Some(Self(match &self.0 {
            Kind::Zip(zip) => Kind::Zip(zip.with_content(member, content)?),
            Kind::Tar(tar) => Kind::Tar(tar.with_content(member, content)?),
            Kind::Gzip(gzip) => Kind::Gzip(gzip.with_content(member, content)),
        }))
    }

    /// Returns the archive with all contents in one member, if readers take them for one content.
    pub fn joined(&self) -> Option<Self> {
        match &self.0 {
            Kind::Gzip(gzip) => Some(Self(Kind::Gzip(gzip.joined()?))),
            Kind::Zip(_) | Kind::Tar(_) => None,
        }
    }

    /// Returns the archive without what readers do not need.
    pub fn bare(&self) -> Option<Self> {
        Some(Self(match &self.0 {
            Kind::Zip(zip) => Kind::Zip(zip.bare()?),
            Kind::Tar(tar) => Kind::Tar(tar.bare()),
            Kind::Gzip(gzip) => Kind::Gzip(gzip.bare()),
        }))
    }

    /// Returns the archive with single letters as names, in front of an extension if that is kept;
    /// `None` when it would be no smaller.
    pub fn with_short_names(&self, keeps_extension: bool) -> Option<Self> {
        match &self.0 {
            Kind::Zip(zip) => Some(Self(Kind::Zip(zip.with_short_names(keeps_extension)?))),
            Kind::Tar(_) | Kind::Gzip(_) => None,
        }
    }

    /// Returns the bytes of the archive. `None` when it is too large for the format.
    pub fn write(&self) -> Option<Vec<u8>> {
        match &self.0 {
            Kind::Zip(zip) => zip.write(),
            Kind::Tar(tar) => Some(tar.write()),
            Kind::Gzip(gzip) => gzip.write(),
        }
    }
}
