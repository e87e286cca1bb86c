//! Rename detection: pairs of a deleted and an added file that are the same file, moved.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use crate::lines::{TextLines, is_text};
use crate::{ChangesError, Contents, Entry, FilePath};

/// A line that occurs in more deleted files than this is ignored: it does not identify a file.
const MAX_FILES_OF_LINE: usize = 20;

/// Least share of common lines, in thousandths of the larger file, at which files are paired.
const MIN_SIMILARITY: usize = 500;

/// Pairs deleted files with added ones, as (old path, new path).
///
/// Files with equal contents are paired first. The others are paired when at least half of the
/// larger file's text is common, the most similar pairs first.
pub(crate) fn renames(
    deleted: &BTreeMap<FilePath, Entry>,
    added: &BTreeMap<FilePath, Entry>,
    contents: &Contents,
) -> Result<Vec<(FilePath, FilePath)>, ChangesError> {
    let mut pairs = Vec::new();
    let mut old: BTreeMap<&FilePath, Entry> = plain_files(deleted);
    let mut new: BTreeMap<&FilePath, Entry> = plain_files(added);
    let mut old_paths_by_entry: HashMap<Entry, Vec<&FilePath>> = HashMap::new();
    for (path, entry) in &old {
        old_paths_by_entry.entry(*entry).or_default().push(path);
    }
    for (path, entry) in new.clone() {
        let Some(old_paths) = old_paths_by_entry.get_mut(&entry) else {
            continue;
        };
        // A file of the same name in another directory is preferred.
        let file_name =
            |path: &FilePath| path.rsplit(|&byte| byte == b'/').next().map(<[u8]>::to_vec);
        let chosen = (old_paths.iter())
            .position(|old_path| file_name(old_path) == file_name(path))
            .or(if old_paths.is_empty() { None } else { Some(0) });
        if let Some(chosen) = chosen {
            let old_path = old_paths.remove(chosen);
            old.remove(old_path);
            new.remove(path);
            pairs.push((old_path.clone(), path.clone()));
        }
    }
    pairs.extend(similar_files(&old, &new, contents)?);
    Ok(pairs)
}

fn plain_files(files: &BTreeMap<FilePath, Entry>) -> BTreeMap<&FilePath, Entry> {
    (files.iter())
        .filter(|(_, entry)| entry.kind.is_plain())
        .map(|(path, entry)| (path, *entry))
        .collect()
}

/// The distinct lines of a text file.
struct LineSet<'a> {
    path: &'a FilePath,
    /// The hash and the length in bytes of each line.
    lines: Vec<(u64, usize)>,
}

impl LineSet<'_> {
    /// Returns the length of all distinct lines.
    fn size(&self) -> usize {
        self.lines.iter().map(|(_, bytes)| bytes).sum()
    }
}

/// An old and a new file, as indices, and how much they have in common, in thousandths.
struct SimilarPair {
    similarity: usize,
    old: usize,
    new: usize,
}

/// Pairs files with different contents.
fn similar_files(
    old: &BTreeMap<&FilePath, Entry>,
    new: &BTreeMap<&FilePath, Entry>,
    contents: &Contents,
) -> Result<Vec<(FilePath, FilePath)>, ChangesError> {
    if old.is_empty() || new.is_empty() {
        return Ok(Vec::new());
    }
    let old = line_sets(old, contents)?;
    let new = line_sets(new, contents)?;
    let mut candidates = similar_pairs(&old, &new);
    candidates.sort_by_key(|pair| (Reverse(pair.similarity), pair.old, pair.new));
    let (mut old_paired, mut new_paired) = (vec![false; old.len()], vec![false; new.len()]);
    let mut pairs = Vec::new();
    for pair in candidates {
        if !old_paired[pair.old] && !new_paired[pair.new] {
            old_paired[pair.old] = true;
            new_paired[pair.new] = true;
            pairs.push((old[pair.old].path.clone(), new[pair.new].path.clone()));
        }
    }
    Ok(pairs)
}

/// Returns all pairs of files that are similar enough.
fn similar_pairs(old: &[LineSet<'_>], new: &[LineSet<'_>]) -> Vec<SimilarPair> {
    let mut old_files_by_line: HashMap<u64, Vec<usize>> = HashMap::new();
    for (index, file) in old.iter().enumerate() {
        for (line, _) in &file.lines {
            old_files_by_line.entry(*line).or_default().push(index);
        }
    }
    let mut pairs = Vec::new();
    for (new_index, file) in new.iter().enumerate() {
        // Bytes in common with each old file.
        let mut common: BTreeMap<usize, usize> = BTreeMap::new();
        for (line, bytes) in &file.lines {
            let old_files = old_files_by_line.get(line);
            let old_files = old_files.filter(|files| files.len() <= MAX_FILES_OF_LINE);
            for &old_index in old_files.into_iter().flatten() {
                *common.entry(old_index).or_default() += bytes;
            }
        }
        for (old_index, bytes) in common {
            let larger = file.size().max(old[old_index].size()).max(1);
            let similarity = bytes * 1000 / larger;
            if similarity >= MIN_SIMILARITY {
                pairs.push(SimilarPair {
                    similarity,
                    old: old_index,
                    new: new_index,
                });
            }
        }
    }
    pairs
}

/// Returns the distinct lines of each file that is text.
fn line_sets<'a>(
    files: &BTreeMap<&'a FilePath, Entry>,
    contents: &Contents,
) -> Result<Vec<LineSet<'a>>, ChangesError> {
    let mut sets = Vec::new();
    for (&path, entry) in files {
        let bytes = contents.read(entry.id)?;
        if !is_text(&bytes) {
            continue;
        }
        let lines: BTreeMap<u64, usize> = TextLines { text: &bytes }
            .iter()
            .map(|line| (hash(line), line.len()))
            .collect();
        let lines = lines.into_iter().collect();
        sets.push(LineSet { path, lines });
    }
    Ok(sets)
}

/// Returns the FNV-1a hash of a line, which is the same on every machine.
fn hash(line: &[u8]) -> u64 {
    line.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
