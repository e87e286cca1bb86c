//! Transplanting: the change between two configurations, applied to a third.

use std::collections::BTreeMap;

use crate::file_diff::{FileDiff, PatchSide, file_diffs, is_same};
use crate::lines::{Hunk, TextLines, hunks, is_text};
use crate::{ChangesError, Configuration, Contents, FilePath, FileVersion};

/// Applies to `onto` the changes that lead from `from` to `to`.
///
/// Returns `None` when they conflict: a changed file is missing in `onto`, or differs there at the
/// same lines. A renamed file moves with the lines that `onto` has. Texts are merged line by line,
/// as in a three-way merge. Two changes conflict when they touch the same lines, or when one
/// inserts next to a line that the other changes.
///
/// # Errors
/// [`ChangesError`] when a content cannot be read.
pub fn transplant(
    from: &Configuration,
    to: &Configuration,
    onto: &Configuration,
    contents: &Contents,
) -> Result<Option<Configuration>, ChangesError> {
    let mut overrides: BTreeMap<FilePath, Option<FileVersion>> = onto.overrides().clone();
    for diff in file_diffs(from, to, contents)? {
        let Some(files) = apply(diff, onto, contents)? else {
            return Ok(None);
        };
        overrides.extend(files);
    }
    Ok(Some(Configuration::new(onto.base().clone(), overrides)))
}

/// Files that are replaced or added; `None` for those that are deleted.
type Overrides = Vec<(FilePath, Option<FileVersion>)>;

/// Returns the files of `onto` that the change of a file replaces, adds or deletes; `None` when it
/// conflicts.
fn apply(
    diff: FileDiff,
    onto: &Configuration,
    contents: &Contents,
) -> Result<Option<Overrides>, ChangesError> {
    let (before, after) = match (diff.before, diff.after) {
        (Some(before), Some(after)) if before.path != after.path => {
            return rename(&before, after, onto, contents);
        }
        sides => sides,
    };
    let Some(path) = (before.as_ref().or(after.as_ref())).map(|side| side.path.clone()) else {
        return Ok(Some(Vec::new()));
    };
    let [before, after] = [before, after].map(|side| side.map(|side| side.file));
    let target = onto.get(&path);
    if is_same(target.as_ref(), before.as_ref()) {
        return Ok(Some(vec![(path, after)]));
    }
    if is_same(target.as_ref(), after.as_ref()) {
        return Ok(Some(Vec::new()));
    }
    let (Some(before), Some(after), Some(target)) = (before, after, target) else {
        return Ok(None);
    };
    let merged = merge_files(&before, &after, &target, contents)?;
    Ok(merged.map(|new| vec![(path, Some(new))]))
}

/// Moves a file of `onto`, with the change of its content.
fn rename(
    before: &PatchSide,
    after: PatchSide,
    onto: &Configuration,
    contents: &Contents,
) -> Result<Option<Overrides>, ChangesError> {
    let moved = |target| vec![(before.path.clone(), None), (after.path.clone(), target)];
    match (onto.get(&before.path), onto.get(&after.path)) {
        (Some(target), None) if is_same(Some(&target), Some(&before.file)) => {
            Ok(Some(moved(Some(after.file))))
        }
        (Some(target), None) => {
            let merged = merge_files(&before.file, &after.file, &target, contents)?;
            Ok(merged.map(|new| moved(Some(new))))
        }
        (None, Some(target)) if is_same(Some(&target), Some(&after.file)) => Ok(Some(Vec::new())),
        _ => Ok(None),
    }
}

/// Merges the change of one file into `target`. `None` when it conflicts, or a file is not text.
fn merge_files(
    before: &FileVersion,
    after: &FileVersion,
    target: &FileVersion,
    contents: &Contents,
) -> Result<Option<FileVersion>, ChangesError> {
    let files = [before, after, target];
    if !files.iter().all(|file| file.kind.is_plain()) {
        return Ok(None);
    }
    let kind = if before.kind == after.kind {
        target.kind
    } else {
        after.kind
    };
    if before.id == after.id {
        return Ok(Some(FileVersion {
            kind,
            ..target.clone()
        }));
    }
    let [before, after, target] = files.map(|file| contents.read_version(file));
    let (before, after, target) = (before?, after?, target?);
    if ![&before, &after, &target]
        .iter()
        .all(|bytes| is_text(bytes))
    {
        return Ok(None);
    }
    let merged = merge_texts(&before, &after, &target);
    Ok(merged.map(|text| FileVersion::from_bytes(kind, text)))
}

/// A hunk to apply, and the text that has its new lines.
struct MergedHunk<'a> {
    hunk: &'a Hunk,
    text: &'a [u8],
    line_starts: &'a [usize],
}

/// Merges two texts that were made from a common base. `None` when their changes conflict.
fn merge_texts(base: &[u8], one: &[u8], two: &[u8]) -> Option<Vec<u8>> {
    let (one_hunks, two_hunks) = (hunks(base, one), hunks(base, two));
    let conflict = |a: &Hunk, b: &Hunk| {
        let (a, b) = (&a.before, &b.before);
        if a.is_empty() || b.is_empty() {
            a.start <= b.end && b.start <= a.end
        } else {
            a.start < b.end && b.start < a.end
        }
    };
    if (one_hunks.iter()).any(|hunk| two_hunks.iter().any(|other| conflict(hunk, other))) {
        return None;
    }
    let starts = TextLines { text: base }.starts();
    let [one_starts, two_starts] = [one, two].map(|text| TextLines { text }.starts());
    let from_one = one_hunks.iter().map(|hunk| MergedHunk {
        hunk,
        text: one,
        line_starts: &one_starts,
    });
    let from_two = two_hunks.iter().map(|hunk| MergedHunk {
        hunk,
        text: two,
        line_starts: &two_starts,
    });
    let mut all: Vec<MergedHunk<'_>> = from_one.chain(from_two).collect();
    all.sort_by_key(|merged| merged.hunk.before.start);
    let mut merged = Vec::with_capacity(base.len());
    let mut copied = 0;
    for MergedHunk {
        hunk,
        text,
        line_starts,
    } in all
    {
        merged.extend_from_slice(&base[starts[copied]..starts[hunk.before.start]]);
        let new_lines = line_starts[hunk.after.start]..line_starts[hunk.after.end];
        merged.extend_from_slice(&text[new_lines]);
        copied = hunk.before.end;
    }
    merged.extend_from_slice(&base[starts[copied]..]);
    Some(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(one: &str, two: &str, expected: Option<&str>) {
        let base = "a\nb\nc\nd\ne\n";
        let merged = merge_texts(base.as_bytes(), one.as_bytes(), two.as_bytes());
        let merged = merged.map(|text| String::from_utf8(text).unwrap());
        assert_eq!(merged.as_deref(), expected);
    }

    #[test]
    fn changes_of_different_lines_are_merged() {
        check(
            "a\nB\nc\nd\ne\n",
            "0\na\nb\nc\nd\n",
            Some("0\na\nB\nc\nd\n"),
        );
        check(
            "a\nB\nc\nd\ne\n",
            "a\nb\nC\nd\ne\n",
            Some("a\nB\nC\nd\ne\n"),
        );
    }

    #[test]
    fn changes_of_the_same_lines_conflict() {
        check("a\nB\nc\nd\ne\n", "a\nX\nc\nd\ne\n", None);
        check("a\nx\nb\nc\nd\ne\n", "a\ny\nb\nc\nd\ne\n", None);
        check("a\nx\nb\nc\nd\ne\n", "a\nB\nc\nd\ne\n", None);
    }
}
