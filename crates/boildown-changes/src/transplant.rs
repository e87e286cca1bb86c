//! A change that was made to one state, made to another.

use std::collections::{BTreeMap, BTreeSet};

use crate::lines::{Hunk, Lines, hunks, is_text};
use crate::{ChangesError, Configuration, Contents, FilePath, Made};

/// Makes to `onto` the changes that lead from one configuration to another. `None` when they do not apply: what they change is not
/// there, or another.
///
/// Texts are merged line by line. Changes at the same place do not apply, neither does an insertion beside a line that differs.
///
/// # Errors
/// [`ChangesError`] when a content cannot be read.
pub fn transplant(
    from: &Configuration,
    to: &Configuration,
    onto: &Configuration,
    contents: &Contents,
) -> Result<Option<Configuration>, ChangesError> {
    let mut made: BTreeMap<FilePath, Option<Made>> = onto.made().clone();
    for path in differing(from, to) {
        let (was, is, there) = (from.get(&path), to.get(&path), onto.get(&path));
        let new = if same(there.as_ref(), was.as_ref()) {
            is
        } else if same(there.as_ref(), is.as_ref()) {
            continue;
        } else {
            let (Some(was), Some(is), Some(there)) = (was, is, there) else {
                return Ok(None);
            };
            let Some(new) = merged(&was, &is, &there, contents)? else {
                return Ok(None);
            };
            Some(new)
        };
        made.insert(path, new);
    }
    Ok(Some(Configuration::new(onto.base().clone(), made)))
}

fn same(one: Option<&Made>, two: Option<&Made>) -> bool {
    one.map(Made::entry) == two.map(Made::entry)
}

/// The paths at which two configurations differ, in order.
pub(crate) fn differing(one: &Configuration, two: &Configuration) -> BTreeSet<FilePath> {
    let made = one.made().keys().chain(two.made().keys());
    let mut paths: BTreeSet<FilePath> = made.cloned().collect();
    if one.base() != two.base() {
        let bases = one.base().iter().chain(two.base().iter());
        paths.extend(bases.map(|(path, _)| path.clone()));
    }
    paths.retain(|path| !same(one.get(path).as_ref(), two.get(path).as_ref()));
    paths
}

fn merged(
    was: &Made,
    is: &Made,
    there: &Made,
    contents: &Contents,
) -> Result<Option<Made>, ChangesError> {
    if ![was, is, there].iter().all(|made| made.kind.is_plain()) {
        return Ok(None);
    }
    let kind = if was.kind == is.kind {
        there.kind
    } else {
        is.kind
    };
    if was.id == is.id {
        return Ok(Some(Made {
            kind,
            ..there.clone()
        }));
    }
    let texts = [was, is, there].map(|made| contents.of_file(made));
    let [was, is, there] = texts;
    let (was, is, there) = (was?, is?, there?);
    if ![&was, &is, &there].iter().all(|bytes| is_text(bytes)) {
        return Ok(None);
    }
    Ok(merge(&was, &is, &there).map(|text| Made::of(kind, text)))
}

/// Merges two texts that both come from a third.
fn merge(base: &[u8], one: &[u8], two: &[u8]) -> Option<Vec<u8>> {
    let (ours, theirs) = (hunks(base, one), hunks(base, two));
    let clash = |a: &Hunk, b: &Hunk| {
        let (a, b) = (&a.before, &b.before);
        if a.is_empty() || b.is_empty() {
            a.start <= b.end && b.start <= a.end
        } else {
            a.start < b.end && b.start < a.end
        }
    };
    if (ours.iter()).any(|hunk| theirs.iter().any(|other| clash(hunk, other))) {
        return None;
    }
    let mut all: Vec<(&Hunk, &[u8])> = (ours.iter().map(|hunk| (hunk, one)))
        .chain(theirs.iter().map(|hunk| (hunk, two)))
        .collect();
    all.sort_by_key(|(hunk, _)| hunk.before.start);
    let starts = Lines { text: base }.starts();
    let [one_starts, two_starts] = [one, two].map(|text| Lines { text }.starts());
    let mut text = Vec::with_capacity(base.len());
    let mut copied = 0;
    for (hunk, from) in all {
        text.extend_from_slice(&base[starts[copied]..starts[hunk.before.start]]);
        let lines = if std::ptr::eq(from, one) {
            &one_starts
        } else {
            &two_starts
        };
        text.extend_from_slice(&from[lines[hunk.after.start]..lines[hunk.after.end]]);
        copied = hunk.before.end;
    }
    text.extend_from_slice(&base[starts[copied]..]);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(one: &str, two: &str, expected: Option<&str>) {
        let base = "a\nb\nc\nd\ne\n";
        let merged = merge(base.as_bytes(), one.as_bytes(), two.as_bytes());
        let merged = merged.map(|text| String::from_utf8(text).unwrap());
        assert_eq!(merged.as_deref(), expected);
    }

    #[test]
    fn changes_at_different_places_are_both_made() {
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
    fn changes_at_the_same_place_do_not_apply() {
        check("a\nB\nc\nd\ne\n", "a\nX\nc\nd\ne\n", None);
        check("a\nx\nb\nc\nd\ne\n", "a\ny\nb\nc\nd\ne\n", None);
        check("a\nx\nb\nc\nd\ne\n", "a\nB\nc\nd\ne\n", None);
    }
}
