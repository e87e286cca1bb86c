//! Guesses: the changes that hold words of the failure's message, to be tested before the layers.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use boildown_changes::{ChangeTree, ChangeUnit, ChangesError, Contents, NamedInFailure};
use boildown_oracle::{Expectation, Property, Run, deduce};
use boildown_search::Subset;

use super::change_units::ChangeUnits;

/// Number of hunks up to which nothing is guessed: the layers need as few tests.
const FEW_HUNKS: usize = 16;
/// Number of statements that are guessed alone.
const MAX_STATEMENTS: usize = 4;
/// Least score of a statement that is guessed: a word in eight statements says little.
const MIN_SCORE: f64 = 0.125;
/// Number of guesses.
const MAX_GUESSES: usize = 10;
/// Length, in bytes, of the end of an output that is searched for file names.
const MAX_OUTPUT: usize = 1 << 16;

/// What a failing run says about where it failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FailureHints {
    /// The words of the lines that name the failure.
    words: Vec<Vec<u8>>,
    /// All words of these lines.
    pub(super) all_words: HashSet<Vec<u8>>,
    /// The words of the output that may be paths, in the order of the output.
    paths: Vec<String>,
}

impl FailureHints {
    /// Reads the hints off a failing run. The lines that name the failure are those that the
    /// property is about, or those that the run shows.
    pub(super) fn of_run(run: &Run, property: Option<&Property>) -> Self {
        let mut lines = lines_of_failure(run, property);
        let mut words: BTreeSet<&[u8]> = lines.iter().flat_map(|line| names(line)).collect();
        let deduced = deduce(run);
        if words.is_empty() {
            lines = lines_of_failure(run, deduced.as_ref());
            words = lines.iter().flat_map(|line| names(line)).collect();
        }
        let words = words.into_iter().map(<[u8]>::to_vec).collect();
        let all_words = lines.iter().flat_map(|line| line.split(is_no_word));
        let all_words = all_words.map(<[u8]>::to_vec).collect();
        let mut paths = Vec::new();
        for output in [&run.stdout, &run.stderr] {
            let output = &output[output.len().saturating_sub(MAX_OUTPUT)..];
            let output = String::from_utf8_lossy(output);
            let words = output.split(|c: char| c.is_whitespace() || "\"'`()<>[]{},:;=".contains(c));
            let words = words.filter(|word| word.contains(['/', '.']) && word.len() > 2);
            paths.extend(words.map(ToOwned::to_owned));
        }
        Self {
            words,
            all_words,
            paths,
        }
    }

    /// Returns what the failure names of a tree.
    pub(super) fn named_in(&self, tree: &ChangeTree) -> NamedInFailure<'_> {
        NamedInFailure {
            words: &self.all_words,
            files: named_files(tree, self),
        }
    }
}

/// Returns the lines that match the patterns of a property.
fn lines_of_failure<'a>(run: &'a Run, property: Option<&Property>) -> Vec<&'a [u8]> {
    let mut found = Vec::new();
    for expectation in property.map_or(&[][..], Property::expectations) {
        let (output, pattern) = match expectation {
            Expectation::Stdout(pattern) => (&run.stdout, pattern),
            Expectation::Stderr(pattern) => (&run.stderr, pattern),
            _ => continue,
        };
        let lines = output.split(|byte| *byte == b'\n');
        found.extend(lines.filter(|line| pattern.matches(line)));
    }
    found
}

/// Returns whether a byte is between words.
fn is_no_word(byte: &u8) -> bool {
    !byte.is_ascii_alphanumeric() && *byte != b'_'
}

/// Returns the words of a message that are names, not plain English: those in quotes, and those
/// with an underscore, a digit, or a capital letter inside.
fn names(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    let words = line.split(is_no_word).map(move |word| {
        let at = start;
        start += word.len() + 1;
        (at, word)
    });
    let is_quote = |at: Option<usize>| {
        let byte = at.and_then(|at| line.get(at)).copied();
        byte.is_some_and(|byte| b"'\"`".contains(&byte))
    };
    let is_odd = |byte: &u8| *byte == b'_' || byte.is_ascii_digit() || byte.is_ascii_uppercase();
    words
        .filter(move |(at, word)| {
            let is_name = word.iter().skip(1).any(is_odd) && !word[0].is_ascii_digit();
            word.len() > 2
                && (is_name || is_quote(at.checked_sub(1)) && is_quote(Some(at + word.len())))
        })
        .map(|(_, word)| word)
}

/// Returns sets of changes that may make the difference alone, the likeliest first: single
/// statements, then the hunks, groups of hunks and files around them.
///
/// A word of the message counts the more, the fewer statements change a line with it; a file that
/// the output names counts as a rare word of all its changes.
pub(super) fn guesses(
    tree: &ChangeTree,
    units: &ChangeUnits,
    names: &[u32],
    hints: &FailureHints,
    contents: &Contents,
) -> Result<Vec<Subset>, ChangesError> {
    let all = Subset::full(tree.len());
    if tree.count(ChangeUnit::Hunks, &all) <= FEW_HUNKS {
        return Ok(Vec::new());
    }
    let ranked = ranked_statements(tree, units, hints, contents)?;
    let mut guesses: Vec<Subset> = Vec::new();
    let mut push = |groups: &[u32], wanted: &BTreeSet<u32>| {
        let others = (0..tree.len()).filter(|&element| !wanted.contains(&groups[element]));
        let mut guess = all.without(others.map(|element| element..element + 1));
        guess.commit();
        let is_new = !guesses.contains(&guess);
        if is_new && guesses.len() < MAX_GUESSES && (1..tree.len()).contains(&guess.count()) {
            guesses.push(guess);
        }
    };
    let group_at = |groups: &[u32], rank: usize| {
        let element = ranked.get(rank).map(|&statement| statement as usize);
        element.map(|element| BTreeSet::from([groups[element]]))
    };
    for rank in 0..MAX_STATEMENTS {
        if let Some(wanted) = group_at(&units.statements, rank) {
            push(&units.statements, &wanted);
        }
    }
    let files = tree.groups(ChangeUnit::Files);
    for groups in [&units.outermost[..], &units.hunks] {
        for rank in 0..2 {
            if let Some(wanted) = group_at(groups, rank) {
                push(groups, &wanted);
            }
        }
    }
    for groups in [names, &files] {
        if let Some(wanted) = group_at(groups, 0) {
            push(groups, &wanted);
        }
    }
    Ok(guesses)
}

/// Returns the statements with words of the failure, each by its first element, the likeliest
/// first.
fn ranked_statements(
    tree: &ChangeTree,
    units: &ChangeUnits,
    hints: &FailureHints,
    contents: &Contents,
) -> Result<Vec<u32>, ChangesError> {
    let mut statements_with: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
    for (element, word) in tree.mentions(&hints.words, contents)? {
        let statement = units.statements[element];
        statements_with.entry(word).or_default().insert(statement);
    }
    let mut scores: BTreeMap<u32, f64> = BTreeMap::new();
    for statements in statements_with.values() {
        for &statement in statements {
            *scores.entry(statement).or_default() += 1.0 / count(statements.len());
        }
    }
    let named = named_files(tree, hints);
    for (&statement, score) in &mut scores {
        let file = tree.file_of(statement as usize);
        if let Some(rank) = named.iter().rposition(|named| *named == file) {
            // The last one is the innermost frame in the traces of some languages, the first one in
            // those of others.
            let nearest = rank.min(named.len() - 1 - rank);
            *score += 1.0 / count(nearest + 1);
        }
    }
    let mut ranked: Vec<(u32, f64)> = scores.into_iter().collect();
    ranked.retain(|(_, score)| *score >= MIN_SCORE);
    ranked.sort_by(|one, two| two.1.total_cmp(&one.1).then(one.0.cmp(&two.0)));
    Ok(ranked.into_iter().map(|(statement, _)| statement).collect())
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::MAX, f64::from)
}

/// Returns the changed files that the output names, by their index, in the order of the output.
fn named_files(tree: &ChangeTree, hints: &FailureHints) -> Vec<usize> {
    let mut files: BTreeMap<String, usize> = BTreeMap::new();
    for (index, file) in tree.files().iter().enumerate() {
        for (path, _) in [&file.old, &file.new].into_iter().flatten() {
            files.insert(path.to_string(), index);
        }
    }
    let mut named = Vec::new();
    for path in &hints.paths {
        let starts = path.match_indices('/').map(|(slash, _)| slash + 1);
        let found = std::iter::once(0)
            .chain(starts)
            .find_map(|start| files.get(&path[start..]));
        named.extend(found.copied());
    }
    named.dedup();
    named
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use boildown_oracle::Outcome;

    use super::*;

    #[test]
    fn words_are_those_of_the_line_that_names_the_failure() {
        let run = Run {
            outcome: Outcome::Exited(1),
            stdout: b"loading plugins\n".to_vec(),
            stderr:
                b"  File \"/tmp/x/shop/prices.py\", line 3, in total\nKeyError: 'price' of Tea3\n"
                    .to_vec(),
            took: Duration::ZERO,
        };
        let hints = FailureHints::of_run(&run, None);
        assert_eq!(
            hints.words,
            [b"KeyError".to_vec(), b"Tea3".to_vec(), b"price".to_vec()]
        );
        assert_eq!(hints.paths, ["/tmp/x/shop/prices.py"]);
    }
}
