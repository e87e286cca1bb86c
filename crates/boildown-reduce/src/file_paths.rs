//! The paths of the files of a joined text, and the lines of a file.

use std::collections::BTreeMap;
use std::ops::Range;

use boildown_document::Document;

/// The paths of the files of a joined text, in their order.
pub(crate) struct FilePaths<'a> {
    paths: Vec<&'a [u8]>,
    /// The files with each last part of a path.
    by_name: BTreeMap<&'a [u8], Vec<usize>>,
}

/// Returns the tokens of each line of a file, without its header.
pub(crate) fn lines_of(document: &Document, tokens: &Range<usize>) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = tokens.start;
    for token in tokens.clone() {
        let starts_line = document.gap(token).contains(&b'\n') || document.is_header(token);
        if starts_line && token > start {
            lines.push(start..token);
            start = token;
        }
        if document.is_header(token) {
            start = token + 1;
        }
    }
    if start < tokens.end {
        lines.push(start..tokens.end);
    }
    lines
}

/// Returns the file with this name: relative to the file that includes it, or else the only one
/// whose path ends so.
pub(crate) fn included(name: &[u8], own: &[u8], paths: &FilePaths<'_>) -> Option<usize> {
    let directory = own
        .iter()
        .rposition(|&byte| byte == b'/')
        .map_or(&own[..0], |at| &own[..at]);
    let mut path: Vec<&[u8]> = directory.split(|&byte| byte == b'/').collect();
    path.retain(|part| !part.is_empty());
    for part in name.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                path.pop()?;
            }
            part => path.push(part),
        }
    }
    (paths.find(&path.join(&b'/'))).or_else(|| paths.only_ending(name))
}

impl<'a> FilePaths<'a> {
    pub(crate) fn new(paths: Vec<&'a [u8]>) -> Self {
        let mut by_name: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
        for (file, path) in paths.iter().enumerate() {
            by_name.entry(last_part(path)).or_default().push(file);
        }
        Self { paths, by_name }
    }

    /// Returns the only file with this ending in a directory of this name.
    pub(crate) fn only_within(&self, directory: &[u8], ending: &[u8]) -> Option<usize> {
        let is_within = |path: &&[u8]| {
            let mut parts = path.rsplit(|&byte| byte == b'/').skip(1);
            path.ends_with(ending) && parts.any(|part| part == directory)
        };
        let mut files = (0..self.paths.len()).filter(|&file| is_within(&self.paths[file]));
        let only = files.next()?;
        files.next().is_none().then_some(only)
    }

    /// Returns the files whose paths have the same last part as this one.
    fn named_like(&self, path: &[u8]) -> &[usize] {
        (self.by_name.get(last_part(path))).map_or(&[], Vec::as_slice)
    }

    /// Returns the file with this path.
    pub(crate) fn find(&self, path: &[u8]) -> Option<usize> {
        let mut files = self.named_like(path).iter().copied();
        files.find(|&file| self.paths[file] == path)
    }

    /// Returns the only file whose path ends with this one.
    fn only_ending(&self, name: &[u8]) -> Option<usize> {
        let ends = |&file: &usize| {
            let before = self.paths[file].strip_suffix(name);
            before.is_some_and(|before| before.is_empty() || before.ends_with(b"/"))
        };
        let mut files = self.named_like(name).iter().copied().filter(ends);
        let only = files.next()?;
        files.next().is_none().then_some(only)
    }
}

/// Returns what follows the last slash of a path.
fn last_part(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}
