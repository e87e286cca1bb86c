//! The format gzip: packed files, one after another.

use std::sync::Arc;

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

use super::limits::{LEVEL, MAX_CONTENT, MAX_CONTENTS};
use crate::document::crc32;

/// The length of the header without its texts, and of the checksum and size at the end.
const FIXED: usize = 10;
const TRAILER: usize = 8;

/// The method of compression that all files have.
const DEFLATED: u8 = 8;

/// The flags of a header: a checksum of it, extra fields, a name, a comment.
const HEADER_CRC: u8 = 2;
const EXTRA: u8 = 4;
const NAME: u8 = 8;
const COMMENT: u8 = 16;

/// The most packed files in a row. An archive of more is not taken apart.
const MOST_MEMBERS: usize = 1 << 16;

/// Packed files in a row. A reader takes their contents together for one content.
#[derive(Debug, Clone)]
pub(crate) struct Gzip(Vec<PackedFile>);

/// A packed file.
#[derive(Debug, Clone)]
struct PackedFile {
    header: Vec<u8>,
    name: Vec<u8>,
    packed: Arc<[u8]>,
    content: Arc<[u8]>,
}

impl Gzip {
    /// Reads packed files. `None` when there is none, or something else after them.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (mut files, mut rest, mut total) = (Vec::new(), bytes, 0);
        while !rest.is_empty() && files.len() < MOST_MEMBERS {
            let (file, after) = PackedFile::read(rest)?;
            total += file.content.len();
            if total > MAX_CONTENTS {
                return None;
            }
            files.push(file);
            rest = after;
        }
        (rest.is_empty() && !files.is_empty()).then_some(Self(files))
    }

    /// Returns the number of packed files.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the name of a content: its own, or that of the first one; empty if there is none.
    pub(crate) fn name(&self, member: usize) -> String {
        let own = self.0.get(member).map(|file| &file.name);
        let name = own
            .filter(|name| !name.is_empty())
            .unwrap_or(&self.0[0].name);
        String::from_utf8_lossy(name).into_owned()
    }

    pub(crate) fn content(&self, member: usize) -> Option<&Arc<[u8]>> {
        Some(&self.0.get(member)?.content)
    }

    /// Returns only these files. Without any, it is one of no bytes.
    pub(crate) fn with_members(&self, kept: impl IntoIterator<Item = usize>) -> Self {
        let kept = kept
            .into_iter()
            .filter_map(|member| self.0.get(member).cloned());
        let kept: Vec<PackedFile> = kept.collect();
        match kept.is_empty() {
            true => Self(vec![self.0[0].with_content(&Arc::default())]),
            false => Self(kept),
        }
    }

    pub(crate) fn with_content(&self, member: usize, content: &Arc<[u8]>) -> Self {
        let mut files = self.0.clone();
        if let Some(file) = files.get_mut(member) {
            *file = file.with_content(content);
        }
        Self(files)
    }

    /// Returns one packed file with all contents; `None` if it is one already, or they are too
    /// large.
    pub(crate) fn joined(&self) -> Option<Self> {
        let contents: Vec<&[u8]> = self.0.iter().map(|file| &*file.content).collect();
        let all: Arc<[u8]> = contents.concat().into();
        let is_possible = self.0.len() > 1 && all.len() <= MAX_CONTENT;
        is_possible.then(|| Self(vec![self.0[0].with_content(&all)]))
    }

    /// Returns the files without names, comments and extra fields.
    pub(crate) fn bare(&self) -> Self {
        Self(self.0.iter().map(PackedFile::bare).collect())
    }

    /// Returns the bytes. `None` when a content is too large for the format.
    pub(crate) fn write(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        for file in &self.0 {
            file.write(&mut bytes)?;
        }
        Some(bytes)
    }
}

impl PackedFile {
    /// Reads the packed file at the start of some bytes, and returns those after it.
    fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (header, name) = read_header(bytes)?;
        let (content, packed) = unpack(&bytes[header..])?;
        let (packed, rest) = bytes[header..].split_at(packed);
        let (trailer, rest) = rest.split_at_checked(TRAILER)?;
        let [crc, size] = [&trailer[..4], &trailer[4..]]
            .map(|field| u32::from_le_bytes([field[0], field[1], field[2], field[3]]));
        let file = Self {
            header: bytes[..header].to_vec(),
            name,
            packed: packed.into(),
            content: content.into(),
        };
        let is_right = u32::try_from(file.content.len()) == Ok(size) && crc32(&file.content) == crc;
        is_right.then_some((file, rest))
    }

    fn with_content(&self, content: &Arc<[u8]>) -> Self {
        if *content == self.content {
            return self.clone();
        }
        Self {
            packed: compress_to_vec(content, LEVEL).into(),
            content: Arc::clone(content),
            ..self.clone()
        }
    }

    fn bare(&self) -> Self {
        let mut header = self.header[..FIXED].to_vec();
        header[3] = 0;
        Self {
            header,
            ..self.clone()
        }
    }

    fn write(&self, bytes: &mut Vec<u8>) -> Option<()> {
        let size = u32::try_from(self.content.len()).ok()?;
        let crc = crc32(&self.content).to_le_bytes();
        for part in [&self.header, &*self.packed, &crc, &size.to_le_bytes()] {
            bytes.extend_from_slice(part);
        }
        Some(())
    }
}

/// Unpacks the stream at the start of some bytes. Returns its content and its length; `None` if it
/// is none, or the content is too large.
fn unpack(packed: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut state = Box::<DecompressorOxide>::default();
    let mut content = vec![0; packed.len().saturating_mul(2).clamp(64, MAX_CONTENT)];
    let (mut from, mut to) = (0, 0);
    loop {
        let flags = inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (status, read, written) =
            decompress(&mut state, &packed[from..], &mut content, to, flags);
        (from, to) = (from + read, to + written);
        match status {
            TINFLStatus::Done => {
                content.truncate(to);
                return Some((content, from));
            }
            TINFLStatus::HasMoreOutput if content.len() < MAX_CONTENT => {
                let larger = content.len().saturating_mul(2).min(MAX_CONTENT);
                content.resize(larger, 0);
            }
            _ => return None,
        }
    }
}

/// Returns the length of the header, and the name in it.
fn read_header(bytes: &[u8]) -> Option<(usize, Vec<u8>)> {
    let fixed = bytes.first_chunk::<FIXED>()?;
    let &[0x1f, 0x8b, DEFLATED, flags, ..] = fixed else {
        return None;
    };
    let mut end = FIXED;
    if flags & EXTRA != 0 {
        let length = bytes.get(end..end + 2)?;
        end += 2 + usize::from(u16::from_le_bytes([length[0], length[1]]));
    }
    let mut name = Vec::new();
    for flag in [NAME, COMMENT] {
        if flags & flag != 0 {
            let text = bytes.get(end..)?;
            let length = text.iter().position(|&byte| byte == 0)?;
            if flag == NAME {
                name = text[..length].to_vec();
            }
            end += length + 1;
        }
    }
    if flags & HEADER_CRC != 0 {
        end += 2;
    }
    (end <= bytes.len()).then_some((end, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a packed file with this content and header.
    fn packed(content: &[u8], flags: u8, texts: &[u8]) -> Vec<u8> {
        let header = [&[0x1f, 0x8b, DEFLATED, flags, 1, 2, 3, 4, 0, 3], texts].concat();
        let file = PackedFile {
            header,
            name: Vec::new(),
            packed: compress_to_vec(content, LEVEL).into(),
            content: content.into(),
        };
        Gzip(vec![file]).write().unwrap()
    }

    #[test]
    fn a_packed_file_is_written_as_it_was_read() {
        let texts = b"\x03\0abcname.json\0a comment\0\x55\x66";
        let bytes = packed(b"content", HEADER_CRC | EXTRA | NAME | COMMENT, texts);
        let file = Gzip::read(&bytes).unwrap();
        assert_eq!(file.write().unwrap(), bytes);
        assert_eq!(file.name(0), "name.json");
        assert_eq!(**file.content(0).unwrap(), *b"content");
        let bare = file.bare().write().unwrap();
        assert_eq!(bare, packed(b"content", 0, b""));
    }

    #[test]
    fn another_content_is_a_packed_file_of_its_own() {
        let file = Gzip::read(&packed(b"content", NAME, b"a\0")).unwrap();
        let changed = file.with_content(0, &b"new".as_slice().into());
        assert_eq!(changed.write().unwrap(), packed(b"new", NAME, b"a\0"));
        let empty = file.with_content(0, &Arc::default()).write().unwrap();
        assert!(Gzip::read(&empty).unwrap().content(0).unwrap().is_empty());
        let none = file.with_members([]).write().unwrap();
        assert_eq!(none, empty);
    }

    #[test]
    fn packed_files_in_a_row_are_members_and_can_be_joined() {
        let many = b"many times, ".repeat(500);
        let parts = [
            packed(b"one, ", NAME, b"a.txt\0"),
            packed(&many, 0, b""),
            packed(b"", COMMENT, b"end\0"),
        ];
        let bytes = parts.concat();
        let file = Gzip::read(&bytes).unwrap();
        assert_eq!(file.len(), 3);
        assert_eq!(file.write().unwrap(), bytes);
        assert_eq!(file.name(1), "a.txt");
        assert_eq!(
            file.with_members([0, 2]).write().unwrap(),
            [&*parts[0], &*parts[2]].concat()
        );
        let joined = file.joined().unwrap();
        assert_eq!(
            **joined.content(0).unwrap(),
            *[&b"one, "[..], &many].concat()
        );
        assert!(joined.write().unwrap().len() < bytes.len());
        assert!(joined.joined().is_none());
    }

    #[test]
    fn damaged_files_are_none() {
        let bytes = packed(b"content, content, content", NAME, b"a\0");
        for length in 0..bytes.len() {
            assert!(Gzip::read(&bytes[..length]).is_none(), "{length}");
        }
        assert!(Gzip::read(&[&bytes[..], b"something else"].concat()).is_none());
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                if let Some(file) = Gzip::read(&damaged) {
                    assert_eq!(file.write().unwrap(), damaged);
                }
            }
        }
    }
}
