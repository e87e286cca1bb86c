//! What lies between two configurations, as a patch that `git apply` and `patch -p1` take.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Arc;

use gix::bstr::ByteSlice as _;

use crate::lines::{Hunk, Lines, hunks, is_text};
use crate::renames::renames;
use crate::transplant::differing;
use crate::{ChangesError, Configuration, Contents, Entry, FilePath, Made};

/// Lines around a hunk.
const CONTEXT: usize = 3;

/// How much a patch changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stat {
    /// Files.
    pub files: usize,
    /// Lines that it adds.
    pub added: usize,
    /// Lines that it deletes.
    pub deleted: usize,
}

/// A file, unless it is not there.
type Side = Option<(FilePath, Made)>;

/// The bytes of a file before and after.
type Texts = (Arc<[u8]>, Arc<[u8]>);

/// A file before and after.
#[derive(Clone)]
struct Pair {
    before: Side,
    after: Side,
}

/// Returns what leads from one configuration to another as a patch.
///
/// # Errors
/// [`ChangesError`] when a content cannot be read.
pub fn patch(
    before: &Configuration,
    after: &Configuration,
    contents: &Contents,
) -> Result<Vec<u8>, ChangesError> {
    let mut out = Vec::new();
    for pair in pairs(before, after, contents)? {
        pair.print(contents, &mut out)?;
    }
    Ok(out)
}

/// Returns how much leads from one configuration to another.
///
/// # Errors
/// [`ChangesError`] when a content cannot be read.
pub fn stat(
    before: &Configuration,
    after: &Configuration,
    contents: &Contents,
) -> Result<Stat, ChangesError> {
    let mut stat = Stat::default();
    for pair in pairs(before, after, contents)? {
        stat.files += 1;
        if let Some((old, new)) = pair.texts(contents)? {
            for hunk in hunks(&old, &new) {
                stat.added += hunk.after.len();
                stat.deleted += hunk.before.len();
            }
        }
    }
    Ok(stat)
}

fn pairs(
    before: &Configuration,
    after: &Configuration,
    contents: &Contents,
) -> Result<Vec<Pair>, ChangesError> {
    contents.keep(before);
    contents.keep(after);
    let mut deleted: BTreeMap<FilePath, Entry> = BTreeMap::new();
    let mut added: BTreeMap<FilePath, Entry> = BTreeMap::new();
    let mut pairs = Vec::new();
    for path in differing(before, after) {
        match (before.get(&path), after.get(&path)) {
            (Some(old), None) => drop(deleted.insert(path, old.entry())),
            (None, Some(new)) => drop(added.insert(path, new.entry())),
            (old, new) => pairs.push(Pair {
                before: old.map(|made| (path.clone(), made)),
                after: new.map(|made| (path, made)),
            }),
        }
    }
    for (from, to) in renames(&deleted, &added, contents)? {
        let (old, new) = (deleted.remove(&from), added.remove(&to));
        pairs.push(Pair {
            before: old.map(|entry| (from, entry.into())),
            after: new.map(|entry| (to, entry.into())),
        });
    }
    pairs.extend(deleted.into_iter().map(|(path, entry)| Pair {
        before: Some((path, entry.into())),
        after: None,
    }));
    pairs.extend(added.into_iter().map(|(path, entry)| Pair {
        before: None,
        after: Some((path, entry.into())),
    }));
    pairs.sort_by_key(|pair| {
        let side = pair.after.as_ref().or(pair.before.as_ref());
        side.map(|(path, _)| path.clone())
    });
    Ok(pairs)
}

/// A line of the head of a patch: text in the encoding that it is in.
macro_rules! line {
    ($out:expr, $($format:tt)*) => {
        writeln!($out, $($format)*).expect("memory takes every write")
    };
}

impl Pair {
    fn texts(&self, contents: &Contents) -> Result<Option<Texts>, ChangesError> {
        let side = |side: &Side| match side {
            Some((_, made)) => contents.of_file(made),
            None => Ok([].into()),
        };
        let (old, new) = (side(&self.before)?, side(&self.after)?);
        Ok((is_text(&old) && is_text(&new)).then_some((old, new)))
    }

    fn print(&self, contents: &Contents, out: &mut Vec<u8>) -> Result<(), ChangesError> {
        if let (Some((path, old)), Some((_, new))) = (&self.before, &self.after) {
            let file_type = |made: &Made| (made.kind.is_plain(), made.kind.mode());
            if (old.kind.is_plain(), new.kind.is_plain()) != (true, true)
                && file_type(old) != file_type(new)
            {
                // Another type of thing is another file, to git.
                let (path, new) = (path.clone(), new.clone());
                let gone = Self {
                    before: self.before.clone(),
                    after: None,
                };
                let come = Self {
                    before: None,
                    after: Some((path, new)),
                };
                gone.print(contents, out)?;
                return come.print(contents, out);
            }
        }
        let name = |side: &Side, other: &Side| {
            let side = side.as_ref().or(other.as_ref());
            side.map(|(path, _)| path.clone()).unwrap_or_default()
        };
        let old_path = name(&self.before, &self.after);
        let new_path = name(&self.after, &self.before);
        line!(
            out,
            "diff --git {} {}",
            quoted("a/", &old_path),
            quoted("b/", &new_path)
        );
        let none = gix::ObjectId::null(gix::hash::Kind::Sha1);
        let id = |side: &Side| side.as_ref().map_or(none, |(_, made)| made.id);
        let (old_id, new_id) = (id(&self.before), id(&self.after));
        let mut mode = String::new();
        match (&self.before, &self.after) {
            (None, Some((_, new))) => line!(out, "new file mode {}", new.kind.mode()),
            (Some((_, old)), None) => line!(out, "deleted file mode {}", old.kind.mode()),
            (Some((from, old)), Some((to, new))) => {
                if old.kind == new.kind {
                    mode = format!(" {}", old.kind.mode());
                } else {
                    line!(out, "old mode {}", old.kind.mode());
                    line!(out, "new mode {}", new.kind.mode());
                }
                if from != to {
                    line!(out, "rename from {}", quoted("", from));
                    line!(out, "rename to {}", quoted("", to));
                }
            }
            (None, None) => {}
        }
        if old_id == new_id {
            return Ok(());
        }
        line!(out, "index {old_id}..{new_id}{mode}");
        let Some((old, new)) = self.texts(contents)? else {
            return self.print_binary(contents, out);
        };
        let hunks = hunks(&old, &new);
        if hunks.is_empty() {
            return Ok(());
        }
        let label = |side: &Side, prefix: &str| match side {
            Some((path, _)) => quoted(prefix, path),
            None => "/dev/null".to_owned(),
        };
        line!(out, "--- {}", label(&self.before, "a/"));
        line!(out, "+++ {}", label(&self.after, "b/"));
        print_hunks(&old, &new, &hunks, out);
        Ok(())
    }

    /// The whole of both contents, as git writes what is no text.
    fn print_binary(&self, contents: &Contents, out: &mut Vec<u8>) -> Result<(), ChangesError> {
        line!(out, "GIT binary patch");
        for side in [&self.after, &self.before] {
            let bytes = match side {
                Some((_, made)) => contents.of_file(made)?,
                None => [].into(),
            };
            line!(out, "literal {}", bytes.len());
            for chunk in stored(&bytes).chunks(52) {
                let length = u8::try_from(chunk.len()).expect("52 at most");
                let length = match length {
                    1..=26 => b'A' + length - 1,
                    _ => b'a' + length - 27,
                };
                out.push(length);
                base85(chunk, out);
                out.push(b'\n');
            }
            out.push(b'\n');
        }
        Ok(())
    }
}

fn print_hunks(old: &[u8], new: &[u8], hunks: &[Hunk], out: &mut Vec<u8>) {
    let old_lines: Vec<&[u8]> = Lines { text: old }.iter().collect();
    let new_lines: Vec<&[u8]> = Lines { text: new }.iter().collect();
    let mut rest = hunks;
    while let Some(first) = rest.first() {
        // Hunks whose context would overlap are printed as one.
        let apart = (rest.windows(2))
            .position(|pair| pair[1].before.start - pair[0].before.end > 2 * CONTEXT);
        let (group, others) = rest.split_at(apart.map_or(rest.len(), |place| place + 1));
        rest = others;
        let last = group.last().unwrap_or(first);
        let lead = first.before.start.min(CONTEXT);
        let start = first.before.start - lead;
        let end = (last.before.end + CONTEXT).min(old_lines.len());
        let new_start = first.after.start - lead;
        let new_end = last.after.end + (end - last.before.end);
        let range = |start: usize, end: usize| match end - start {
            0 => format!("{start},0"),
            1 => format!("{}", start + 1),
            length => format!("{},{length}", start + 1),
        };
        line!(
            out,
            "@@ -{} +{} @@",
            range(start, end),
            range(new_start, new_end)
        );
        let mut print = |sign: u8, lines: &[&[u8]]| {
            for text in lines {
                out.push(sign);
                out.extend_from_slice(text);
                if !text.ends_with(b"\n") {
                    out.extend_from_slice(b"\n\\ No newline at end of file\n");
                }
            }
        };
        let mut at = start;
        for hunk in group {
            print(b' ', &old_lines[at..hunk.before.start]);
            print(b'-', &old_lines[hunk.before.clone()]);
            print(b'+', &new_lines[hunk.after.clone()]);
            at = hunk.before.end;
        }
        print(b' ', &old_lines[at..end]);
    }
}

/// A path as git prints it: in quotes when it holds anything that could be misread.
fn quoted(prefix: &str, path: &FilePath) -> String {
    let strange = |byte: &u8| *byte < b' ' || *byte >= 0x7f || matches!(byte, b'"' | b'\\');
    if !path.iter().any(strange) {
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
            _ if strange(&byte) => text.push_str(&format!("\\{byte:03o}")),
            _ => text.push(char::from(byte)),
        }
    }
    text.push('"');
    text
}

/// The bytes as a zlib stream that compresses nothing: what is no text is rarely large, or compressed already.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let mut chunks = bytes.chunks(0xffff).peekable();
    if chunks.peek().is_none() {
        stream.extend_from_slice(&[1, 0, 0, 0xff, 0xff]);
    }
    while let Some(chunk) = chunks.next() {
        let length = u16::try_from(chunk.len()).expect("a chunk is no longer");
        stream.push(u8::from(chunks.peek().is_none()));
        stream.extend_from_slice(&length.to_le_bytes());
        stream.extend_from_slice(&(!length).to_le_bytes());
        stream.extend_from_slice(chunk);
    }
    let (mut low, mut high) = (1_u32, 0_u32);
    for &byte in bytes {
        low = (low + u32::from(byte)) % 65521;
        high = (high + low) % 65521;
    }
    stream.extend_from_slice(&((high << 16) | low).to_be_bytes());
    stream
}

const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

fn base85(bytes: &[u8], out: &mut Vec<u8>) {
    for group in bytes.chunks(4) {
        let mut four = [0; 4];
        four[..group.len()].copy_from_slice(group);
        let mut number = u32::from_be_bytes(four);
        let mut digits = [0; 5];
        for digit in digits.iter_mut().rev() {
            *digit = DIGITS[(number % 85) as usize];
            number /= 85;
        }
        out.extend_from_slice(&digits);
    }
}
