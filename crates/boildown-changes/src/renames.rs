//! Which deleted file and which added file are the same one, renamed.

use std::collections::{BTreeMap, HashMap};

use crate::lines::{Lines, is_text};
use crate::{ChangesError, Contents, Entry, FilePath};

/// A line in more files than this says nothing about which is which.
const COMMON: usize = 20;

/// Pairs deleted files with added ones: first those of the same content, then those with at least half in common, the most similar
/// first.
pub(crate) fn renames(
    deleted: &BTreeMap<FilePath, Entry>,
    added: &BTreeMap<FilePath, Entry>,
    contents: &Contents,
) -> Result<Vec<(FilePath, FilePath)>, ChangesError> {
    let mut pairs = Vec::new();
    let mut old: BTreeMap<&FilePath, Entry> = plain(deleted);
    let mut new: BTreeMap<&FilePath, Entry> = plain(added);
    let mut same: HashMap<Entry, Vec<&FilePath>> = HashMap::new();
    for (path, entry) in &old {
        same.entry(*entry).or_default().push(path);
    }
    for (path, entry) in new.clone() {
        let Some(candidates) = same.get_mut(&entry) else {
            continue;
        };
        // The same name in another directory, before any other.
        let name = |path: &FilePath| path.rsplit(|&byte| byte == b'/').next().map(<[u8]>::to_vec);
        let place = (candidates.iter())
            .position(|other| name(other) == name(path))
            .or(if candidates.is_empty() { None } else { Some(0) });
        if let Some(place) = place {
            let other = candidates.remove(place);
            old.remove(other);
            new.remove(path);
            pairs.push((other.clone(), path.clone()));
        }
    }
    pairs.extend(similar(&old, &new, contents)?);
    Ok(pairs)
}

fn plain(files: &BTreeMap<FilePath, Entry>) -> BTreeMap<&FilePath, Entry> {
    (files.iter())
        .filter(|(_, entry)| entry.kind.is_plain())
        .map(|(path, entry)| (path, *entry))
        .collect()
}

fn similar(
    old: &BTreeMap<&FilePath, Entry>,
    new: &BTreeMap<&FilePath, Entry>,
    contents: &Contents,
) -> Result<Vec<(FilePath, FilePath)>, ChangesError> {
    if old.is_empty() || new.is_empty() {
        return Ok(Vec::new());
    }
    let old: Vec<(&FilePath, Vec<(u64, usize)>)> = sized(old, contents)?;
    let new: Vec<(&FilePath, Vec<(u64, usize)>)> = sized(new, contents)?;
    let mut holders: HashMap<u64, Vec<usize>> = HashMap::new();
    for (place, (_, lines)) in old.iter().enumerate() {
        for (line, _) in lines {
            holders.entry(*line).or_default().push(place);
        }
    }
    let size = |lines: &[(u64, usize)]| lines.iter().map(|(_, bytes)| bytes).sum::<usize>();
    let mut scores = Vec::new();
    for (place, (_, lines)) in new.iter().enumerate() {
        let mut common: BTreeMap<usize, usize> = BTreeMap::new();
        for (line, bytes) in lines {
            let holders = holders.get(line).filter(|all| all.len() <= COMMON);
            for &holder in holders.into_iter().flatten() {
                *common.entry(holder).or_default() += bytes;
            }
        }
        for (holder, bytes) in common {
            let larger = size(lines).max(size(&old[holder].1)).max(1);
            let score = bytes * 1000 / larger;
            if score >= 500 {
                scores.push((score, holder, place));
            }
        }
    }
    scores.sort_by_key(|&(score, holder, place)| (std::cmp::Reverse(score), holder, place));
    let (mut gone, mut came) = (vec![false; old.len()], vec![false; new.len()]);
    let mut pairs = Vec::new();
    for (_, holder, place) in scores {
        if !gone[holder] && !came[place] {
            gone[holder] = true;
            came[place] = true;
            pairs.push((old[holder].0.clone(), new[place].0.clone()));
        }
    }
    Ok(pairs)
}

/// The different lines of text files, as hashes, with their length.
#[expect(clippy::type_complexity, reason = "used twice, right here")]
fn sized<'a>(
    files: &BTreeMap<&'a FilePath, Entry>,
    contents: &Contents,
) -> Result<Vec<(&'a FilePath, Vec<(u64, usize)>)>, ChangesError> {
    let mut sized = Vec::new();
    for (&path, entry) in files {
        let bytes = contents.read(entry.id)?;
        if !is_text(&bytes) {
            continue;
        }
        let lines: BTreeMap<u64, usize> = Lines { text: &bytes }
            .iter()
            .map(|line| (hash(line), line.len()))
            .collect();
        sized.push((path, lines.into_iter().collect()));
    }
    Ok(sized)
}

/// FNV-1a: the same on every machine.
fn hash(line: &[u8]) -> u64 {
    line.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
