//! Patches: the difference of two configurations in the format of `git diff`.
//!
//! `git apply` and `patch -p1` accept it, except that `patch` cannot apply changes of binary files.

use std::io::Write as _;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use gix::bstr::ByteSlice as _;

use crate::file_diff::{FileDiff, PatchSide, file_diffs};
use crate::lines::{TextLines, hunks, is_text};
use crate::tokens::Hunk;
use crate::{ChangesError, Configuration, Contents, FilePath};

/// Number of unchanged lines printed before and after a hunk.
const CONTEXT: usize = 3;

/// The size of a patch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DiffStat {
    /// Number of files that differ. A renamed file is one.
    pub files: usize,
    /// Number of lines added. Binary files count as none.
    pub added: usize,
    /// Number of lines deleted. Binary files count as none.
    pub deleted: usize,
}

/// The texts of both sides of a file; the text of a missing side is empty.
struct TextPair {
    before: Arc<[u8]>,
    after: Arc<[u8]>,
}

/// Returns the difference of two texts as the hunks of a patch, without a header.
pub fn diff_of_texts(before: &[u8], after: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    print_hunks(before, after, &hunks(before, after), &mut out);
    out
}

/// Returns the difference of two configurations as a patch.
///
/// # Errors
/// [`ChangesError`] when a content cannot be read.
pub fn patch(
    before: &Configuration,
    after: &Configuration,
    contents: &Contents,
) -> Result<Vec<u8>, ChangesError> {
    let mut out = Vec::new();
    for file in file_diffs(before, after, contents)? {
        file.print(contents, &mut out)?;
    }
    Ok(out)
}

/// Returns the size of the patch between two configurations.
///
/// # Errors
/// [`ChangesError`] when a content cannot be read.
pub fn diff_stat(
    before: &Configuration,
    after: &Configuration,
    contents: &Contents,
) -> Result<DiffStat, ChangesError> {
    let mut stat = DiffStat::default();
    for file in file_diffs(before, after, contents)? {
        stat.files += 1;
        if let Some(texts) = file.texts(contents)? {
            for hunk in hunks(&texts.before, &texts.after) {
                stat.added += hunk.after.len();
                stat.deleted += hunk.before.len();
            }
        }
    }
    Ok(stat)
}

/// Prints a line of the header of a file. Paths may be any bytes, all else is ASCII.
macro_rules! line {
    ($out:expr, $($format:tt)*) => {
        writeln!($out, $($format)*).expect("writing to memory does not fail")
    };
}

impl FileDiff {
    /// Returns both texts; `None` when a side is binary.
    fn texts(&self, contents: &Contents) -> Result<Option<TextPair>, ChangesError> {
        let read = |side: &Option<PatchSide>| match side {
            Some(side) => contents.read_version(&side.file),
            None => Ok([].into()),
        };
        let (before, after) = (read(&self.before)?, read(&self.after)?);
        let is_text = is_text(&before) && is_text(&after);
        Ok(is_text.then_some(TextPair { before, after }))
    }

    /// Returns whether the file becomes one of another type, such as a symbolic link. Git shows
    /// that as the deletion of one file and the addition of another.
    fn changes_type(&self) -> bool {
        let (Some(before), Some(after)) = (&self.before, &self.after) else {
            return false;
        };
        let (old, new) = (before.file.kind, after.file.kind);
        let both_plain = old.is_plain() && new.is_plain();
        !both_plain && old != new
    }

    fn print(&self, contents: &Contents, out: &mut Vec<u8>) -> Result<(), ChangesError> {
        if self.changes_type() {
            let deletion = Self {
                before: self.before.clone(),
                after: None,
            };
            let addition = Self {
                before: None,
                after: self.after.clone(),
            };
            deletion.print(contents, out)?;
            return addition.print(contents, out);
        }
        let null = gix::ObjectId::null(gix::hash::Kind::Sha1);
        let id = |side: &Option<PatchSide>| side.as_ref().map_or(null, |side| side.file.id);
        let (old_id, new_id) = (id(&self.before), id(&self.after));
        let mode = self.print_header(out);
        if old_id == new_id {
            return Ok(());
        }
        line!(out, "index {old_id}..{new_id}{mode}");
        let Some(texts) = self.texts(contents)? else {
            return self.print_binary(contents, out);
        };
        let hunks = hunks(&texts.before, &texts.after);
        if hunks.is_empty() {
            return Ok(());
        }
        let label = |side: &Option<PatchSide>, prefix: &str| match side {
            Some(side) => quoted(prefix, &side.path),
            None => "/dev/null".to_owned(),
        };
        line!(out, "--- {}", label(&self.before, "a/"));
        line!(out, "+++ {}", label(&self.after, "b/"));
        print_hunks(&texts.before, &texts.after, &hunks, out);
        Ok(())
    }

    /// Prints the lines about paths and modes. Returns the mode to print after the ids of the
    /// contents, with a space before it; empty when the header has it already.
    fn print_header(&self, out: &mut Vec<u8>) -> String {
        let path = |side: &Option<PatchSide>, other: &Option<PatchSide>| {
            let side = side.as_ref().or(other.as_ref());
            side.map(|side| side.path.clone()).unwrap_or_default()
        };
        let old_path = quoted("a/", &path(&self.before, &self.after));
        let new_path = quoted("b/", &path(&self.after, &self.before));
        line!(out, "diff --git {old_path} {new_path}");
        match (&self.before, &self.after) {
            (None, Some(new)) => line!(out, "new file mode {}", new.file.kind.mode()),
            (Some(old), None) => line!(out, "deleted file mode {}", old.file.kind.mode()),
            (Some(old), Some(new)) => {
                let (old_mode, new_mode) = (old.file.kind.mode(), new.file.kind.mode());
                if old_mode != new_mode {
                    line!(out, "old mode {old_mode}");
                    line!(out, "new mode {new_mode}");
                }
                if old.path != new.path {
                    line!(out, "rename from {}", quoted("", &old.path));
                    line!(out, "rename to {}", quoted("", &new.path));
                }
                if old_mode == new_mode {
                    return format!(" {old_mode}");
                }
            }
            (None, None) => {}
        }
        String::new()
    }

    /// Prints both contents whole, in the format that git uses for binary files.
    fn print_binary(&self, contents: &Contents, out: &mut Vec<u8>) -> Result<(), ChangesError> {
        line!(out, "GIT binary patch");
        for side in [&self.after, &self.before] {
            let bytes = match side {
                Some(side) => contents.read_version(&side.file)?,
                None => [].into(),
            };
            line!(out, "literal {}", bytes.len());
            let mut stream = ZlibEncoder::new(Vec::new(), Compression::default());
            let written = stream.write_all(&bytes).and_then(|()| stream.finish());
            for chunk in written.expect("writing to memory does not fail").chunks(52) {
                // The length of the line: A to Z for 1 to 26 bytes, a to z for 27 to 52.
                let length = u8::try_from(chunk.len()).expect("chunks have at most 52 bytes");
                let length = match length {
                    1..=26 => b'A' + length - 1,
                    _ => b'a' + length - 27,
                };
                out.push(length);
                push_base85(chunk, out);
                out.push(b'\n');
            }
            out.push(b'\n');
        }
        Ok(())
    }
}

/// A hunk of a patch: hunks of the difference with the lines around them.
struct PrintedHunk<'a> {
    hunks: &'a [Hunk],
    /// The first old line that is printed, and the one after the last.
    old_start: usize,
    old_end: usize,
    new_start: usize,
    new_end: usize,
}

/// Joins hunks whose context lines would overlap, and adds the context.
fn with_context(hunks: &[Hunk], old_line_count: usize) -> Vec<PrintedHunk<'_>> {
    let mut printed = Vec::new();
    let is_near = |one: &Hunk, next: &Hunk| next.before.start - one.before.end <= 2 * CONTEXT;
    for group in hunks.chunk_by(is_near) {
        let (first, last) = (&group[0], &group[group.len() - 1]);
        let lead = first.before.start.min(CONTEXT);
        let old_end = (last.before.end + CONTEXT).min(old_line_count);
        printed.push(PrintedHunk {
            hunks: group,
            old_start: first.before.start - lead,
            old_end,
            new_start: first.after.start - lead,
            new_end: last.after.end + (old_end - last.before.end),
        });
    }
    printed
}

fn print_hunks(before: &[u8], after: &[u8], hunks: &[Hunk], out: &mut Vec<u8>) {
    let old_lines: Vec<&[u8]> = TextLines { text: before }.iter().collect();
    let new_lines: Vec<&[u8]> = TextLines { text: after }.iter().collect();
    // Git counts lines from 1; an empty range is named by the line before it.
    let range = |start: usize, end: usize| match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        length => format!("{},{length}", start + 1),
    };
    for printed in with_context(hunks, old_lines.len()) {
        let old_range = range(printed.old_start, printed.old_end);
        let new_range = range(printed.new_start, printed.new_end);
        line!(out, "@@ -{old_range} +{new_range} @@");
        let mut print_lines = |sign: u8, lines: &[&[u8]]| {
            for text in lines {
                out.push(sign);
                out.extend_from_slice(text);
                if !text.ends_with(b"\n") {
                    out.extend_from_slice(b"\n\\ No newline at end of file\n");
                }
            }
        };
        let mut next_line = printed.old_start;
        for hunk in printed.hunks {
            print_lines(b' ', &old_lines[next_line..hunk.before.start]);
            print_lines(b'-', &old_lines[hunk.before.clone()]);
            print_lines(b'+', &new_lines[hunk.after.clone()]);
            next_line = hunk.before.end;
        }
        print_lines(b' ', &old_lines[next_line..printed.old_end]);
    }
}

/// Returns a path as git prints it: in quotes and escaped when it has special characters.
fn quoted(prefix: &str, path: &FilePath) -> String {
    let is_special = |byte: &u8| *byte < b' ' || *byte >= 0x7f || matches!(byte, b'"' | b'\\');
    if !path.iter().any(is_special) {
        return format!("{prefix}{}", path.to_str_lossy());
    }
    let mut text = format!("\"{prefix}");
    for &byte in path.iter() {
        match byte {
            b'\t' => text.push_str("\\t"),
            b'\n' => text.push_str("\\n"),
            b'"' | b'\\' => {
                text.push('\\');
                text.push(char::from(byte));
            }
            _ if is_special(&byte) => text.push_str(&format!("\\{byte:03o}")),
            _ => text.push(char::from(byte)),
        }
    }
    text.push('"');
    text
}

/// The digits of git's base 85, which are those of RFC 1924.
const BASE85_DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// Appends bytes in base 85: five digits for four bytes, padded with zero bytes.
fn push_base85(bytes: &[u8], out: &mut Vec<u8>) {
    for group in bytes.chunks(4) {
        let mut four = [0; 4];
        four[..group.len()].copy_from_slice(group);
        let mut number = u32::from_be_bytes(four);
        let mut digits = [0; 5];
        for digit in digits.iter_mut().rev() {
            *digit = BASE85_DIGITS[(number % 85) as usize];
            number /= 85;
        }
        out.extend_from_slice(&digits);
    }
}
