//! Joined texts: the texts of a folder, one after another, as one input.
//!
//! Before each text stands its header: the bytes 0 and 1, its path, and a line break. Texts contain
//! no byte 0, so headers cannot be mistaken. The header of a file is a token, like any other: a
//! file whose header is deleted is deleted. Example, with `·` for the bytes 0 and 1:
//!
//! ```text
//! ·src/a.c
//! int f();
//! ·src/b.c
//! int f() { return 1; }
//! ```

use std::ops::Range;

use boildown_search::tree::NodeId;

use crate::Language;

/// The beginning of a header.
pub const MARK: &[u8] = b"\0\x01";

/// A text in a joined text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedPart {
    pub(crate) header: Range<usize>,
    /// The path in the header.
    pub path: Range<usize>,
    /// The text of the file.
    pub content: Range<usize>,
}

/// Returns the texts of a joined text; `None` if it is none.
pub fn parts(bytes: &[u8]) -> Option<Vec<JoinedPart>> {
    if !bytes.starts_with(MARK) {
        return None;
    }
    let mut parts: Vec<JoinedPart> = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let path = start + MARK.len();
        let line = bytes[path..].iter().position(|&byte| byte == b'\n')?;
        let content = path + line + 1;
        let next = bytes[content..].iter().position(|&byte| byte == 0);
        let end = next.map_or(bytes.len(), |next| content + next);
        if !bytes[end..].is_empty() && !bytes[end..].starts_with(MARK) {
            return None;
        }
        parts.push(JoinedPart {
            header: start..content,
            path: path..path + line,
            content: content..end,
        });
        start = end;
    }
    Some(parts)
}

/// Appends a text to a joined text. Returns `false` if it cannot be part of one.
pub fn append(joined: &mut Vec<u8>, path: &[u8], content: &[u8]) -> bool {
    let can_be = !path.contains(&b'\n') && !path.contains(&0) && !content.contains(&0);
    if can_be {
        joined.extend_from_slice(MARK);
        joined.extend_from_slice(path);
        joined.push(b'\n');
        joined.extend_from_slice(content);
    }
    can_be
}

impl JoinedPart {
    /// Returns the language of the text.
    pub fn language(&self, bytes: &[u8]) -> Option<&'static Language> {
        let content = &bytes[self.content.clone()];
        let path = String::from_utf8_lossy(&bytes[self.path.clone()]);
        let head = &content[..content.len().min(256)];
        Language::detect(&path, head)
    }
}

/// The files of a document that is a joined text.
#[derive(Debug, Clone, Default)]
pub(super) struct JoinedFiles {
    /// The tokens that are headers, ascending.
    pub(super) headers: Vec<usize>,
    /// The nodes of the files, in the same order.
    pub(super) nodes: Vec<NodeId>,
}
