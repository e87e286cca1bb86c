//! The format ZIP: an archive as members, and any of them as an archive again.

use std::sync::Arc;

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use super::limits::{LEVEL, MAX_CONTENT, MAX_CONTENTS};
use super::records::{
    CENTRAL, CENTRAL_FIELDS, COUNTS, DESCRIPTOR_SIGNATURE, DIRECTORY_OFFSET, DIRECTORY_SIZE, DISKS,
    END, LOCAL, LOCAL_FIELDS, MemberFields, OFFSET, Record,
};
use crate::document::crc32;

/// The methods by which the data of a member is packed.
const STORED: usize = 0;
const DEFLATED: usize = 8;

/// The flags of a member: it is encrypted; its sizes are behind its data.
const ENCRYPTED: usize = 1;
const SIZES_BEHIND: usize = 8;

/// A ZIP archive.
///
/// # Invariant
/// Writing what was read gives the same bytes. So records keep the bytes that nothing changes, and
/// a member whose content is unchanged keeps its packed data.
#[derive(Debug, Clone)]
pub(crate) struct Zip {
    /// In the order of the directory.
    members: Vec<Arc<Member>>,
    /// Bytes between the last member and the directory, such as the signatures of an APK.
    before_directory: Vec<u8>,
    end: Record,
}

/// A member of an archive.
#[derive(Debug)]
struct Member {
    central: Record,
    local: Record,
    packed: Vec<u8>,
    /// The sizes behind the data; empty without them.
    descriptor: Vec<u8>,
    /// `None` when it could not be unpacked.
    content: Option<Arc<[u8]>>,
    error: MemberError,
    /// The position in the archive that was read, which orders the members' data.
    position: usize,
}

/// What is wrong with a checksum and a size, as the difference to the right ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct MemberError {
    crc: usize,
    size: usize,
}

impl Zip {
    /// Reads an archive. `None` when it is none, or one of a form that could not be written again
    /// byte for byte.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (end_at, end) = read_end(bytes)?;
        let directory = end.get(DIRECTORY_OFFSET);
        let mut zip = Self {
            members: Vec::new(),
            before_directory: Vec::new(),
            end,
        };
        let mut at = directory;
        let mut budget = MAX_CONTENTS;
        for _ in 0..zip.end.get(COUNTS[0]) {
            let central = Record::read(CENTRAL, bytes.get(at..end_at)?)?;
            at += central.len();
            let member = Member::read(central, bytes.get(..directory)?, &mut budget)?;
            zip.members.push(Arc::new(member));
        }
        let ends = zip.members.iter().map(|member| member.end());
        let data_end = ends.max().unwrap_or(0);
        zip.before_directory = bytes.get(data_end..directory)?.to_vec();
        (!zip.members.is_empty() && zip.write()? == bytes).then_some(zip)
    }

    /// Returns the number of members.
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns the name of a member.
    pub(crate) fn name(&self, member: usize) -> String {
        let name = self.members[member].central.texts.first();
        String::from_utf8_lossy(name.map_or(b"", Vec::as_slice)).into_owned()
    }

    /// Returns the content of a member; `None` when it could not be unpacked.
    pub(crate) fn content(&self, member: usize) -> Option<&Arc<[u8]>> {
        self.members[member].content.as_ref()
    }

    /// Returns whether a member can be unpacked, and its checksum and size are right.
    pub(crate) fn is_sound(&self, member: usize) -> bool {
        let member = &self.members[member];
        member.content.is_some() && member.error == MemberError::default()
    }

    /// Returns the number of bytes that a member takes as it is.
    pub(crate) fn weight(&self, member: usize) -> u32 {
        let member = &self.members[member];
        let bytes = member.end() - member.position + member.central.len();
        u32::try_from(bytes).unwrap_or(u32::MAX)
    }

    /// Returns the archive with only these members.
    pub(crate) fn with_members(&self, kept: impl IntoIterator<Item = usize>) -> Self {
        Self {
            members: (kept.into_iter())
                .map(|member| Arc::clone(&self.members[member]))
                .collect(),
            before_directory: self.before_directory.clone(),
            end: self.end.clone(),
        }
    }

    /// Returns the archive with another content of a member, stored or deflated, whichever is
    /// smaller. `None` when the content is too large for the format.
    pub(crate) fn with_content(&self, member: usize, content: &Arc<[u8]>) -> Option<Self> {
        let mut zip = self.clone();
        zip.members[member] = Arc::new(self.members[member].with_content(content)?);
        Some(zip)
    }

    /// Returns the archive without what readers do not need: comments, extra fields, sizes behind
    /// the data, bytes in front of the directory.
    pub(crate) fn bare(&self) -> Option<Self> {
        let mut end = self.end.clone();
        end.clear_texts(END, 0);
        let members = self
            .members
            .iter()
            .map(|member| member.bare().map(Arc::new));
        Some(Self {
            members: members.collect::<Option<_>>()?,
            before_directory: Vec::new(),
            end,
        })
    }

    /// Returns the archive with single letters as names, in front of an extension if that is kept.
    /// `None` when there are too many members, or no name becomes shorter.
    pub(crate) fn with_short_names(&self, keeps_extension: bool) -> Option<Self> {
        let mut is_shorter = false;
        let members = self
            .members
            .iter()
            .zip(b'a'..=b'z')
            .map(|(member, letter)| {
                let old = &member.central.texts[0];
                let extension = old.iter().rposition(|byte| matches!(byte, b'.' | b'/'));
                let extension = extension.filter(|&at| keeps_extension || at + 1 == old.len());
                let name = [&[letter], &old[extension.unwrap_or(old.len())..]].concat();
                if name.len() >= old.len() {
                    return Some(Arc::clone(member));
                }
                is_shorter = true;
                let mut member = member.clone_with(member.packed.clone(), member.content.clone());
                member.local.set_name(LOCAL, &name)?;
                member.central.set_name(CENTRAL, &name)?;
                Some(Arc::new(member))
            });
        let members: Vec<_> = members.collect::<Option<_>>()?;
        (is_shorter && members.len() == self.members.len()).then(|| Self {
            members,
            ..self.clone()
        })
    }

    /// Returns the bytes of the archive. `None` when it is too large for the format.
    pub(crate) fn write(&self) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let mut offsets = vec![0; self.members.len()];
        let mut order: Vec<usize> = (0..self.members.len()).collect();
        order.sort_by_key(|&member| self.members[member].position);
        for index in order {
            let member = &self.members[index];
            offsets[index] = out.len();
            member.local.write(&mut out);
            out.extend_from_slice(&member.packed);
            out.extend_from_slice(&member.descriptor);
        }
        out.extend_from_slice(&self.before_directory);
        let directory = out.len();
        for (member, offset) in self.members.iter().zip(offsets) {
            let mut central = member.central.clone();
            central.set(OFFSET, offset)?;
            central.write(&mut out);
        }
        let mut end = self.end.clone();
        for field in COUNTS {
            end.set(field, self.members.len())?;
        }
        end.set(DIRECTORY_SIZE, out.len() - directory)?;
        end.set(DIRECTORY_OFFSET, directory)?;
        end.write(&mut out);
        Some(out)
    }
}

/// Finds the record at the end of an archive, which only its comment may follow.
fn read_end(bytes: &[u8]) -> Option<(usize, Record)> {
    const SMALLEST: usize = 22;
    if !bytes.starts_with(b"PK\x03\x04") {
        return None;
    }
    let last = bytes.len().checked_sub(SMALLEST)?;
    let first = last.saturating_sub(usize::from(u16::MAX));
    (first..=last).rev().find_map(|at| {
        let end = Record::read(END, &bytes[at..])?;
        let one_disk = DISKS.iter().all(|&disk| end.get(disk) == 0);
        let agree = end.get(COUNTS[0]) == end.get(COUNTS[1]);
        let is_last = at + end.len() == bytes.len();
        let directory = end.get(DIRECTORY_OFFSET) + end.get(DIRECTORY_SIZE);
        (one_disk && agree && is_last && directory == at).then_some((at, end))
    })
}

impl Member {
    /// Reads the member of a record of the directory. `bytes` are those before the directory.
    fn read(central: Record, bytes: &[u8], budget: &mut usize) -> Option<Self> {
        let position = central.get(OFFSET);
        let local = Record::read(LOCAL, bytes.get(position..)?)?;
        let start = position + local.len();
        let packed = bytes.get(start..start + central.get(CENTRAL_FIELDS.packed))?;
        let mut member = Self {
            local,
            packed: packed.to_vec(),
            descriptor: Vec::new(),
            content: None,
            error: MemberError::default(),
            position,
            central,
        };
        if member.central.get(CENTRAL_FIELDS.flags) & SIZES_BEHIND != 0 {
            let behind = &bytes[start + packed.len()..];
            let size = match behind.starts_with(DESCRIPTOR_SIGNATURE) {
                true => 16,
                false => 12,
            };
            member.descriptor = behind.get(..size)?.to_vec();
        }
        member.content = member.unpacked((*budget).min(MAX_CONTENT));
        if let Some(content) = &member.content {
            *budget -= content.len();
            member.error = member.error_of(content)?;
        }
        Some(member)
    }

    /// Returns the content if it has at most this many bytes.
    fn unpacked(&self, most: usize) -> Option<Arc<[u8]>> {
        let size = self.central.get(CENTRAL_FIELDS.size);
        if size > most || self.central.get(CENTRAL_FIELDS.flags) & ENCRYPTED != 0 {
            return None;
        }
        match self.central.get(CENTRAL_FIELDS.method) {
            STORED => Some(self.packed.clone().into()),
            DEFLATED => Some(
                decompress_to_vec_with_limit(&self.packed, most)
                    .ok()?
                    .into(),
            ),
            _ => None,
        }
    }

    /// Returns how the checksum and the size that are stated differ from those of the content.
    fn error_of(&self, content: &[u8]) -> Option<MemberError> {
        let stated = |field| self.central.get(field);
        Some(MemberError {
            crc: stated(CENTRAL_FIELDS.crc) ^ usize::try_from(crc32(content)).ok()?,
            size: stated(CENTRAL_FIELDS.size).wrapping_sub(content.len()),
        })
    }

    /// Returns the position behind the data, in the archive that was read.
    fn end(&self) -> usize {
        self.position + self.local.len() + self.packed.len() + self.descriptor.len()
    }

    fn with_content(&self, content: &Arc<[u8]>) -> Option<Self> {
        if self.content.as_ref() == Some(content) {
            return Some(self.clone_with(self.packed.clone(), self.content.clone()));
        }
        let deflated = compress_to_vec(content, LEVEL);
        let (method, packed) = match deflated.len() < content.len() {
            true => (DEFLATED, deflated),
            false => (STORED, content.to_vec()),
        };
        let mut member = self.clone_with(packed, Some(Arc::clone(content)));
        member.descriptor.clear();
        // What the program fails on may be that they are wrong.
        let crc = usize::try_from(crc32(content)).ok()? ^ self.error.crc;
        let size = content.len().wrapping_add(self.error.size);
        let size = if size > MAX_CONTENT { 0 } else { size };
        let packed = member.packed.len();
        for (record, fields) in member.records() {
            record.set(fields.method, method)?;
            record.set(fields.flags, record.get(fields.flags) & !SIZES_BEHIND)?;
            record.set(fields.crc, crc)?;
            record.set(fields.packed, packed)?;
            record.set(fields.size, size)?;
        }
        Some(member)
    }

    fn bare(&self) -> Option<Self> {
        let mut member = self.clone_with(self.packed.clone(), self.content.clone());
        member.descriptor.clear();
        member.local.clear_texts(LOCAL, 1);
        member.central.clear_texts(CENTRAL, 1);
        let stated = [
            CENTRAL_FIELDS.crc,
            CENTRAL_FIELDS.packed,
            CENTRAL_FIELDS.size,
        ];
        let [crc, packed, size] = stated.map(|field| member.central.get(field));
        for (record, fields) in member.records() {
            record.set(fields.flags, record.get(fields.flags) & !SIZES_BEHIND)?;
            record.set(fields.crc, crc)?;
            record.set(fields.packed, packed)?;
            record.set(fields.size, size)?;
        }
        Some(member)
    }

    fn clone_with(&self, packed: Vec<u8>, content: Option<Arc<[u8]>>) -> Self {
        Self {
            central: self.central.clone(),
            local: self.local.clone(),
            packed,
            descriptor: self.descriptor.clone(),
            content,
            error: self.error,
            position: self.position,
        }
    }

    fn records(&mut self) -> [(&mut Record, MemberFields); 2] {
        [
            (&mut self.local, LOCAL_FIELDS),
            (&mut self.central, CENTRAL_FIELDS),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an archive with these members, each behind the other, with sizes behind the data
    /// and an extra field where asked for.
    fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut zip = Zip {
            members: Vec::new(),
            before_directory: Vec::new(),
            end: Record::read(END, &[b"PK\x05\x06".as_slice(), &[0; 18]].concat()).unwrap(),
        };
        for (position, (name, content)) in members.iter().enumerate() {
            let record = |kind, signature: &[u8], fixed: usize, length_at: usize| {
                let mut bytes = [signature, &vec![0; fixed - 4], name.as_bytes()].concat();
                bytes[length_at] = u8::try_from(name.len()).unwrap();
                Record::read(kind, &bytes).unwrap()
            };
            let empty = Member {
                local: record(LOCAL, b"PK\x03\x04", 30, 26),
                central: record(CENTRAL, b"PK\x01\x02", 46, 28),
                packed: Vec::new(),
                descriptor: Vec::new(),
                content: Some(Arc::new([])),
                error: MemberError::default(),
                position,
            };
            let member = empty.with_content(&(*content).into()).unwrap();
            zip.members.push(Arc::new(member));
        }
        zip.write().unwrap()
    }

    #[test]
    fn an_archive_is_written_as_it_was_read() {
        let long = b"many words, many words, many words, many words, many words".as_slice();
        let bytes = archive(&[("a.txt", b"short"), ("b/c.txt", long), ("empty", b"")]);
        let zip = Zip::read(&bytes).unwrap();
        assert_eq!(zip.write().unwrap(), bytes);
        assert_eq!(zip.name(1), "b/c.txt");
        assert_eq!(zip.content(1).unwrap()[..], *long);
        assert!(bytes.len() < 3 * 30 + 3 * 46 + 22 + 2 * 17 + 5 + long.len());
    }

    #[test]
    fn what_is_left_is_an_archive_of_its_own() {
        let bytes = archive(&[("a", b"first"), ("b", b"second"), ("c", b"third")]);
        let zip = Zip::read(&bytes).unwrap();
        let without = zip.with_members([0, 2]);
        assert_eq!(
            without.write().unwrap(),
            archive(&[("a", b"first"), ("c", b"third")])
        );
        let changed = without.with_content(0, &b"1".as_slice().into()).unwrap();
        assert_eq!(
            changed.write().unwrap(),
            archive(&[("a", b"1"), ("c", b"third")])
        );
    }

    #[test]
    fn a_wrong_checksum_stays_wrong() {
        let mut bytes = archive(&[("a", b"first")]);
        let directory = bytes
            .windows(4)
            .rposition(|it| it == b"PK\x01\x02")
            .unwrap();
        bytes[directory + 16] ^= 1;
        let zip = Zip::read(&bytes).unwrap();
        assert!(!zip.is_sound(0));
        let changed = zip.with_content(0, &b"1".as_slice().into()).unwrap();
        let changed = Zip::read(&changed.write().unwrap()).unwrap();
        assert!(!changed.is_sound(0));
        assert_eq!(changed.content(0).unwrap()[..], *b"1");
    }

    #[test]
    fn what_readers_do_not_need_is_left_out() {
        let plain = archive(&[("a", b"first")]);
        let mut bytes = plain.clone();
        // A comment of the archive.
        let length = bytes.len() - 2;
        bytes[length] = 3;
        bytes.extend_from_slice(b"hey");
        let zip = Zip::read(&bytes).unwrap();
        assert_eq!(zip.write().unwrap(), bytes);
        assert_eq!(zip.bare().unwrap().write().unwrap(), plain);
    }

    #[test]
    fn names_become_letters() {
        let bytes = archive(&[("dir/", b""), ("dir/one.txt", b"first"), ("c", b"second")]);
        let zip = Zip::read(&bytes).unwrap();
        for (keeps_extension, names) in [(true, ["a/", "b.txt", "c"]), (false, ["a/", "b", "c"])] {
            let zip = zip.with_short_names(keeps_extension).unwrap();
            let zip = Zip::read(&zip.write().unwrap()).unwrap();
            assert_eq!([0, 1, 2].map(|member| zip.name(member)), names);
            assert_eq!(zip.content(1).unwrap()[..], *b"first");
            assert!(zip.with_short_names(keeps_extension).is_none());
        }
    }

    #[test]
    fn what_could_not_be_written_again_is_no_archive() {
        let bytes = archive(&[("a", b"first"), ("b", b"second")]);
        for length in 0..bytes.len() {
            assert!(Zip::read(&bytes[..length]).is_none(), "{length}");
        }
        assert!(Zip::read(b"PK\x03\x04").is_none());
        assert!(Zip::read(&[b"x", &bytes[..]].concat()).is_none());
        assert!(Zip::read(&[&bytes[..], b"x"].concat()).is_none());
    }

    #[test]
    fn damaged_archives_are_read_without_a_panic() {
        let bytes = archive(&[("a", b"first"), ("b", &[7; 500])]);
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                if let Some(zip) = Zip::read(&damaged) {
                    assert_eq!(zip.write().unwrap(), damaged);
                }
            }
        }
    }
}
