//! Transplanting: the change between two configurations, applied to a third.

use std::collections::BTreeMap;

use crate::file_diff::{FileDiff, PatchSide, file_diffs, is_same};
use crate::lines::{TextLines, hunks, is_text};
use crate::tokens::{Hunk, tokens, word_hunks};
use crate::{ChangesError, Configuration, Contents, FilePath, FileVersion};

/// Applies to `onto` the changes that lead from `from` to `to`.
///
/// Returns `None` when they conflict: a changed file is missing in `onto`, or differs there at the
/// same words. A renamed file moves with the lines that `onto` has. Texts are merged line by line,
/// as in a three-way merge, and word by word where both changes touch the same line. Two changes
/// conflict when they replace the same words, or insert at the same place.
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

/// Merges two texts that were made from a common base: by their lines, and if these conflict, by
/// their words. `None` when these conflict too.
fn merge_texts(base: &[u8], one: &[u8], two: &[u8]) -> Option<Vec<u8>> {
    let lines = [base, one, two].map(|text| TextLines { text }.iter().collect::<Vec<_>>());
    let changes = [hunks(base, one), hunks(base, two)];
    merge(Parts::Lines, &lines, &changes).or_else(|| {
        let words = [base, one, two].map(tokens);
        let changes = [1, 2].map(|side| word_hunks(&words[0], &words[side]));
        merge(Parts::Words, &words, &changes)
    })
}

/// What texts are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parts {
    Lines,
    Words,
}

/// Merges the changes that lead from the first of three lists of parts to the second and to the
/// third. `None` when they conflict.
fn merge(parts: Parts, texts: &[Vec<&[u8]>; 3], changes: &[Vec<Hunk>; 2]) -> Option<Vec<u8>> {
    let conflict = |a: &Hunk, b: &Hunk| {
        let (a, b) = (&a.before, &b.before);
        match (a.is_empty(), b.is_empty()) {
            (true, true) => a.start == b.start,
            // What is next to an insertion does not matter.
            _ => a.start < b.end && b.start < a.end,
        }
    };
    let [one, two] = changes;
    if one
        .iter()
        .any(|hunk| two.iter().any(|it| conflict(hunk, it)))
    {
        return None;
    }
    let [base, sides @ ..] = texts;
    let mut all: Vec<(&Hunk, &[&[u8]])> = Vec::new();
    for (hunks, side) in changes.iter().zip(sides) {
        all.extend(hunks.iter().map(|hunk| (hunk, &side[hunk.after.clone()])));
    }
    all.sort_by_key(|(hunk, _)| (hunk.before.start, hunk.before.end));
    let mut merged = Vec::new();
    let mut copied = 0;
    for (hunk, inserted) in all {
        merged.extend_from_slice(&base[copied..hunk.before.start]);
        let follows_open_line = merged.last().is_some_and(|it| !it.ends_with(b"\n"));
        if parts == Parts::Lines && follows_open_line && !inserted.is_empty() {
            merged.push(b"\n");
        }
        merged.extend_from_slice(inserted);
        copied = hunk.before.end;
    }
    merged.extend_from_slice(&base[copied..]);
    Some(merged.concat())
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
    fn changes_of_the_same_words_conflict() {
        check("a\nB\nc\nd\ne\n", "a\nX\nc\nd\ne\n", None);
        check("a\nx\nb\nc\nd\ne\n", "a\ny\nb\nc\nd\ne\n", None);
        check("a\nb\n", "a\nX\nc\nd\ne\n", Some("a\nX\n"));
        check("a\nb\n", "a\nb\nc\nX\ne\n", None);
    }

    #[test]
    fn lines_are_inserted_next_to_lines_that_the_other_text_lacks() {
        let inserted = "a\nb\nx\nc\nd\ne\n";
        check(inserted, "a\nc\nd\ne\n", Some("a\nx\nc\nd\ne\n"));
        check(inserted, "a\nb\nd\ne\n", Some("a\nb\nx\nd\ne\n"));
        check(inserted, "a\nd\ne\n", None);
        check("a\nb\nc\nd\ne\nf\n", "a\nb\nc\n", Some("a\nb\nc\nf\n"));
    }

    #[test]
    fn changes_of_different_words_of_a_line_are_merged() {
        let merged = merge_texts(b"x = f(a)\n", b"x = f(a, 1)\n", b"x = g(a)\n");
        assert_eq!(merged.as_deref(), Some(&b"x = g(a, 1)\n"[..]));
        let merged = merge_texts(b"limit=10\n", b"limit=9\n", b"limit=12\n");
        assert_eq!(merged, None);
    }
}
