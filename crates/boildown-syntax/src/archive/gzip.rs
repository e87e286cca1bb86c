//! The format gzip: one packed file.

use std::sync::Arc;

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use super::limits::{LEVEL, MAX_CONTENT};
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

/// A packed file.
#[derive(Debug, Clone)]
pub(crate) struct Gzip {
    header: Vec<u8>,
    name: Vec<u8>,
    packed: Arc<[u8]>,
    content: Arc<[u8]>,
}

impl Gzip {
    /// Reads a packed file. `None` when it is none, or several in a row.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (header, name) = read_header(bytes)?;
        let (packed, trailer) = bytes[header..].split_last_chunk::<TRAILER>()?;
        let [crc, size] = [&trailer[..4], &trailer[4..]]
            .map(|field| u32::from_le_bytes([field[0], field[1], field[2], field[3]]));
        let size = usize::try_from(size).ok()?;
        if size > MAX_CONTENT {
            return None;
        }
        let content = decompress_to_vec_with_limit(packed, size).ok()?;
        let file = Self {
            header: bytes[..header].to_vec(),
            name,
            packed: packed.into(),
            content: content.into(),
        };
        (file.content.len() == size && crc32(&file.content) == crc).then_some(file)
    }

    /// Returns the name of the content; empty if there is none.
    pub(crate) fn name(&self) -> String {
        String::from_utf8_lossy(&self.name).into_owned()
    }

    pub(crate) fn content(&self) -> &Arc<[u8]> {
        &self.content
    }

    pub(crate) fn with_content(&self, content: &Arc<[u8]>) -> Self {
        if *content == self.content {
            return self.clone();
        }
        Self {
            packed: compress_to_vec(content, LEVEL).into(),
            content: Arc::clone(content),
            ..self.clone()
        }
    }

    /// Returns the file without a name, a comment and extra fields.
    pub(crate) fn bare(&self) -> Self {
        let mut header = self.header[..FIXED].to_vec();
        header[3] = 0;
        Self {
            header,
            ..self.clone()
        }
    }

    /// Returns the bytes. `None` when the content is too large for the format.
    pub(crate) fn write(&self) -> Option<Vec<u8>> {
        let size = u32::try_from(self.content.len()).ok()?;
        let crc = crc32(&self.content).to_le_bytes();
        Some([&self.header, &*self.packed, &crc, &size.to_le_bytes()].concat())
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
        let file = Gzip {
            header,
            name: Vec::new(),
            packed: compress_to_vec(content, LEVEL).into(),
            content: content.into(),
        };
        file.write().unwrap()
    }

    #[test]
    fn a_packed_file_is_written_as_it_was_read() {
        let texts = b"\x03\0abcname.json\0a comment\0\x55\x66";
        let bytes = packed(b"content", HEADER_CRC | EXTRA | NAME | COMMENT, texts);
        let file = Gzip::read(&bytes).unwrap();
        assert_eq!(file.write().unwrap(), bytes);
        assert_eq!(file.name(), "name.json");
        assert_eq!(**file.content(), *b"content");
        let bare = file.bare().write().unwrap();
        assert_eq!(bare, packed(b"content", 0, b""));
    }

    #[test]
    fn another_content_is_a_packed_file_of_its_own() {
        let file = Gzip::read(&packed(b"content", NAME, b"a\0")).unwrap();
        let changed = file.with_content(&b"new".as_slice().into());
        assert_eq!(changed.write().unwrap(), packed(b"new", NAME, b"a\0"));
        let empty = file.with_content(&Arc::default()).write().unwrap();
        assert!(Gzip::read(&empty).unwrap().content().is_empty());
    }

    #[test]
    fn damaged_and_joined_files_are_none() {
        let bytes = packed(b"content, content, content", NAME, b"a\0");
        for length in 0..bytes.len() {
            assert!(Gzip::read(&bytes[..length]).is_none(), "{length}");
        }
        assert!(Gzip::read(&[&bytes[..], &packed(b"other", 0, b"")].concat()).is_none());
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
