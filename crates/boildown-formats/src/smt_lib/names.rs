//! Shorter names for what a script declares and binds.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::terms::{ReadTerms, Term, TermContent, parse};
use super::uses::{ByteEdits, ScriptUses};

/// Returns the edits that give letters to all names of a script, and to each of them. A name keeps
/// its first letter if no other has it. Once all are letters they do not change any more, whatever
/// is deleted: with other names, what missed before would be asked again.
pub(super) fn shorter_names(text: &[u8], script: &ScriptUses<'_>) -> Vec<ByteEdits> {
    let ReadTerms::Script(commands) = parse(text) else {
        return Vec::new();
    };
    let mut mentions: BTreeMap<&[u8], Vec<Range<usize>>> = BTreeMap::new();
    let mut rest: Vec<&Term<'_>> = commands.iter().collect();
    while let Some(term) = rest.pop() {
        match &term.content {
            TermContent::List(parts) => rest.extend(parts),
            TermContent::Atom(atom) => mentions.entry(atom).or_default().push(term.range.clone()),
        }
    }
    let mut taken: BTreeSet<Vec<u8>> = mentions.keys().map(|name| name.to_vec()).collect();
    let symbols = script.symbols.iter().map(|symbol| symbol.name);
    let names = symbols.chain(script.other_names.iter().copied());
    let terms = script.names_of_terms.iter().copied();
    let mut printed = 0;
    let mut each: Vec<ByteEdits> = Vec::new();
    for (name, is_printed) in (names.map(|name| (name, false)))
        .chain(terms.map(|name| (name, true)))
        .filter(|(name, _)| name.len() > 1)
    {
        let Some(places) = mentions.remove(name) else {
            continue;
        };
        let first = name.iter().find(|byte| byte.is_ascii_alphabetic());
        let letters = first
            .copied()
            .into_iter()
            .chain(b'a'..=b'z')
            .chain(b'A'..=b'Z');
        let mut letters = letters.map(|letter| vec![letter]);
        let Some(new) = letters.find(|letter| !taken.contains(letter)) else {
            continue;
        };
        taken.insert(new.clone());
        let edits = places.into_iter().map(|place| (place, new.clone()));
        each.push(edits.collect());
        printed += usize::from(is_printed);
    }
    let concat = |each: &[ByteEdits]| (each.len() > 1).then(|| each.concat());
    let all = concat(&each);
    // Those of terms are among what a solver prints.
    let unprinted = (printed > 0)
        .then(|| concat(&each[..each.len() - printed]))
        .flatten();
    all.into_iter().chain(unprinted).chain(each).collect()
}
