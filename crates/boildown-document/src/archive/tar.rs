//! The format tar: files behind headers, in blocks.

use std::ops::Range;
use std::sync::Arc;

use super::limits::{MAX_CONTENT, MAX_CONTENTS};

/// The size of a block. Headers have one; contents are filled up with zeros.
const BLOCK: usize = 512;

/// The fields of a header.
const NAME: Range<usize> = 0..100;
const SIZE: Range<usize> = 124..136;
const CHECKSUM: Range<usize> = 148..156;
const KIND: usize = 156;
const PREFIX: Range<usize> = 345..500;

/// The kinds of headers that belong to the one after them: the names of GNU, and the attributes of
/// POSIX.
const LONG_NAME: u8 = b'L';
const LONG_LINK: u8 = b'K';
const ATTRIBUTES: u8 = b'x';

/// The two blocks that end an archive.
const END: usize = 2 * BLOCK;

/// A tar archive.
///
/// # Invariant
/// Writing what was read gives the same bytes. A member that is unchanged keeps its blocks.
#[derive(Debug, Clone)]
pub(crate) struct Tar {
    members: Vec<Arc<TarMember>>,
    /// The zeros at the end.
    end: usize,
}

/// A member: what is before its header, the header, and the content.
#[derive(Debug)]
struct TarMember {
    /// The headers with attributes of this member, with their contents.
    before: Vec<u8>,
    header: [u8; BLOCK],
    /// The content with the zeros that fill its last block.
    blocks: Vec<u8>,
    /// The content of a file; `None` for what is no file, is too large, or has its size elsewhere.
    content: Option<Arc<[u8]>>,
    name: Vec<u8>,
}

impl Tar {
    /// Reads an archive. `None` when it is none.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut members = Vec::new();
        let (mut at, mut start) = (0, 0);
        let mut budget = MAX_CONTENTS;
        let mut long_name = None;
        let mut has_size = false;
        while let Some(header) = bytes.get(at..).and_then(|rest| rest.first_chunk::<BLOCK>()) {
            if header.iter().all(|&byte| byte == 0) {
                break;
            }
            if number(&header[CHECKSUM])? != checksum(header) {
                return None;
            }
            let size = number(&header[SIZE])?;
            let content = at + BLOCK..(at + BLOCK).checked_add(size)?;
            let end = content.end.checked_next_multiple_of(BLOCK)?;
            let content = bytes.get(content)?;
            let blocks = bytes.get(at + BLOCK..end)?;
            match header[KIND] {
                LONG_NAME => long_name = Some(until_zero(content).to_vec()),
                LONG_LINK => {}
                ATTRIBUTES => {
                    long_name = attribute(content, b" path=")
                        .map(<[u8]>::to_vec)
                        .or(long_name);
                    let sizes: [&[u8]; 2] = [b" size=", b" GNU.sparse."];
                    has_size = sizes.iter().any(|key| attribute(content, key).is_some());
                }
                kind => {
                    let is_file = matches!(kind, b'0' | b'7' | 0);
                    let is_filled = blocks[size..].iter().all(|&byte| byte == 0);
                    let is_small = size <= MAX_CONTENT.min(budget);
                    let can_change = is_file && is_filled && is_small && !has_size;
                    budget -= if can_change { size } else { 0 };
                    let name = long_name.take().unwrap_or_else(|| name_in(header));
                    members.push(Arc::new(TarMember {
                        before: bytes[start..at].to_vec(),
                        header: *header,
                        blocks: blocks.to_vec(),
                        content: can_change.then(|| content.into()),
                        name,
                    }));
                    has_size = false;
                    start = end;
                }
            }
            at = end;
        }
        let end = &bytes[at.min(bytes.len())..];
        let is_whole = start == at && end.iter().all(|&byte| byte == 0);
        (is_whole && !members.is_empty()).then_some(Self {
            members,
            end: end.len(),
        })
    }

    /// Returns the number of members.
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns the name of a member.
    pub(crate) fn name(&self, member: usize) -> String {
        String::from_utf8_lossy(&self.members[member].name).into_owned()
    }

    /// Returns the content of a member that can be changed.
    pub(crate) fn content(&self, member: usize) -> Option<&Arc<[u8]>> {
        self.members[member].content.as_ref()
    }

    /// Returns the number of bytes that a member takes.
    pub(crate) fn weight(&self, member: usize) -> u32 {
        let TarMember { before, blocks, .. } = &*self.members[member];
        u32::try_from(before.len() + BLOCK + blocks.len()).unwrap_or(u32::MAX)
    }

    /// Returns the archive with only these members.
    pub(crate) fn with_members(&self, kept: impl IntoIterator<Item = usize>) -> Self {
        let kept = kept.into_iter();
        Self {
            members: kept
                .map(|member| Arc::clone(&self.members[member]))
                .collect(),
            end: self.end,
        }
    }

    /// Returns the archive with another content of a member. `None` when it is too large.
    pub(crate) fn with_content(&self, member: usize, content: &Arc<[u8]>) -> Option<Self> {
        let before = &self.members[member];
        let mut header = before.header;
        let digits = SIZE.len() - 1;
        let size = format!("{:0digits$o}\0", content.len());
        header[SIZE].copy_from_slice((size.len() == SIZE.len()).then_some(size.as_bytes())?);
        let sum = format!("{:06o}\0 ", checksum(&header));
        header[CHECKSUM].copy_from_slice(sum.as_bytes());
        let mut blocks = content.to_vec();
        blocks.resize(content.len().next_multiple_of(BLOCK), 0);
        let mut tar = self.clone();
        tar.members[member] = Arc::new(TarMember {
            before: before.before.clone(),
            header,
            blocks,
            content: Some(Arc::clone(content)),
            name: before.name.clone(),
        });
        Some(tar)
    }

    /// Returns the archive with no more zeros at its end than readers need.
    pub(crate) fn bare(&self) -> Self {
        Self {
            members: self.members.clone(),
            end: self.end.min(END),
        }
    }

    /// Returns the bytes of the archive.
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for member in &self.members {
            out.extend_from_slice(&member.before);
            out.extend_from_slice(&member.header);
            out.extend_from_slice(&member.blocks);
        }
        out.resize(out.len() + self.end, 0);
        out
    }
}

/// Returns the rest of the line of an attribute that begins with this key.
fn attribute<'a>(attributes: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let at = attributes
        .windows(key.len())
        .position(|window| window == key)?;
    attributes[at + key.len()..]
        .split(|&byte| byte == b'\n')
        .next()
}

/// Reads an octal number, which ends with a space or a zero byte.
fn number(field: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(until_zero(field)).ok()?;
    match text.trim_matches(' ') {
        "" => Some(0),
        digits => usize::from_str_radix(digits, 8).ok(),
    }
}

/// Returns the sum of the bytes of a header, in which the checksum counts as spaces.
fn checksum(header: &[u8; BLOCK]) -> usize {
    let sum: usize = header.iter().map(|&byte| usize::from(byte)).sum();
    let stated: usize = header[CHECKSUM].iter().map(|&byte| usize::from(byte)).sum();
    sum - stated + CHECKSUM.len() * usize::from(b' ')
}

fn name_in(header: &[u8; BLOCK]) -> Vec<u8> {
    let [prefix, name] = [PREFIX, NAME].map(|field| until_zero(&header[field]));
    match prefix.is_empty() || !header[PREFIX.start - 88..].starts_with(b"ustar\0") {
        true => name.to_vec(),
        false => [prefix, b"/", name].concat(),
    }
}

fn until_zero(field: &[u8]) -> &[u8] {
    let end = field.iter().position(|&byte| byte == 0);
    &field[..end.unwrap_or(field.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the header of a file without content.
    fn header(name: &str, kind: u8) -> [u8; BLOCK] {
        let mut header = [0; BLOCK];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[KIND] = kind;
        header[257..263].copy_from_slice(b"ustar\0");
        header
    }

    fn archive(members: &[(&str, u8, &[u8])]) -> Vec<u8> {
        let empty = |(name, kind, _): &(&str, u8, &[u8])| {
            Arc::new(TarMember {
                before: Vec::new(),
                header: header(name, *kind),
                blocks: Vec::new(),
                content: None,
                name: Vec::new(),
            })
        };
        let mut tar = Tar {
            members: members.iter().map(empty).collect(),
            end: END,
        };
        for (index, (_, _, content)) in members.iter().enumerate() {
            tar = tar.with_content(index, &(*content).into()).unwrap();
        }
        tar.write()
    }

    #[test]
    fn an_archive_is_written_as_it_was_read() {
        let long = [b'x'; 1000];
        let bytes = archive(&[
            ("dir/", b'5', b""),
            ("dir/a.json", b'0', b"[1]"),
            ("././@LongLink", b'L', b"a/very/long/name.c\0"),
            ("a/very/lo", b'0', &long),
        ]);
        let tar = Tar::read(&bytes).unwrap();
        assert_eq!(tar.write(), bytes);
        let names: Vec<String> = (0..tar.len()).map(|member| tar.name(member)).collect();
        assert_eq!(names, ["dir/", "dir/a.json", "a/very/long/name.c"]);
        assert_eq!(tar.content(0), None);
        assert_eq!(**tar.content(1).unwrap(), *b"[1]");
        assert_eq!(**tar.content(2).unwrap(), long);
    }

    #[test]
    fn what_is_left_is_an_archive_of_its_own() {
        let first = ("a", b'0', b"first".as_slice());
        let bytes = archive(&[first, ("b", b'0', &[7; 513])]);
        let tar = Tar::read(&bytes).unwrap();
        assert_eq!(tar.with_members([0]).write(), archive(&[first]));
        let changed = tar.with_content(1, &b"x".as_slice().into()).unwrap();
        let expected = archive(&[first, ("b", b'0', b"x")]);
        assert_eq!(changed.write(), expected);
        let long = [&expected[..], &[0; 8 * BLOCK]].concat();
        let long = Tar::read(&long).unwrap();
        assert_eq!(long.bare().write(), expected);
    }

    #[test]
    fn a_content_whose_size_is_an_attribute_stays_as_it_is() {
        let attributes = |text: &'static str| ("x", b'x', text.as_bytes());
        let file = ("a", b'0', b"1".as_slice());
        let sized = [attributes("9 size=1\n"), file];
        let named = [attributes("20 path=b/other.json\n"), file];
        let tar = Tar::read(&archive(&[sized, named].concat())).unwrap();
        assert_eq!(tar.content(0), None);
        assert!(tar.content(1).is_some());
        assert_eq!([0, 1].map(|member| tar.name(member)), ["a", "b/other.json"]);
    }

    #[test]
    fn damaged_archives_are_read_without_a_panic() {
        let bytes = archive(&[("a", b'0', b"first"), ("b", b'L', b"x\0"), ("c", b'0', b"")]);
        for length in 0..bytes.len() {
            if let Some(tar) = Tar::read(&bytes[..length]) {
                assert_eq!(tar.write(), &bytes[..length]);
            }
        }
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                if let Some(tar) = Tar::read(&damaged) {
                    assert_eq!(tar.write(), damaged);
                }
            }
        }
        assert!(Tar::read(&[0; 4 * BLOCK]).is_none());
        assert!(Tar::read(b"words").is_none());
    }
}
