//! Statements of a changed file: the units of its changes, and the blocks that some of them keep.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use boildown_changes::{ChangesError, Contents, FileChange, FunctionScope, LineEdit};
use boildown_document::{Alignment, ItemSort, Language, Outline, OutlineItem};
use boildown_search::Subset;

/// Size, in bytes, above which a text is not parsed.
const LARGE: usize = 1 << 20;

/// The outlines of both texts of a changed file.
///
/// A line of either text has an identity: an unchanged line is the same on both sides, and so is
/// the first line of an item that took the place of another. So statements of both texts, and of a
/// text with some of the changes, can be compared by where they are.
#[derive(Debug)]
pub(super) struct FileStatements {
    pub(super) language: &'static Language,
    /// The largest number of syntax errors in one of the texts.
    pub(super) most_errors: usize,
    /// The functions that both texts have.
    pub(super) functions: Vec<FunctionScope>,
    old: TextSide,
    new: TextSide,
    alignment: Alignment,
    edits: Vec<LineEdit>,
    /// For each new line, the old line that it is, if it is unchanged.
    unchanged: Vec<Option<usize>>,
    /// The pairs of an item and the item around it that one of the texts has, by their first lines.
    nestings: HashSet<(usize, Option<usize>)>,
    /// The items that are never empty in the texts, by their first lines.
    filled: HashSet<usize>,
}

/// One of the two texts.
#[derive(Debug)]
struct TextSide {
    outline: Outline,
    /// For each line, its identity.
    identities: Vec<usize>,
    /// For each line, the innermost item that holds it; `None` for blank lines, too.
    owners: Vec<Option<usize>>,
}

/// Returns the identity of the nearest item around an item that is no comment.
fn around(outline: &Outline, item: &OutlineItem, identities: &[usize]) -> Option<usize> {
    let mut parent = item.parent;
    while let Some(at) = parent {
        let item = &outline.items[at];
        if item.sort != ItemSort::Comment {
            return identities.get(item.lines.start).copied();
        }
        parent = item.parent;
    }
    None
}

/// The items of an outline that are no comments: their identity, that of the item around them, and
/// whether they count as the content of that item.
fn nested_items<'a>(
    outline: &'a Outline,
    identities: &'a [usize],
) -> impl Iterator<Item = (usize, Option<usize>, bool)> + 'a {
    let items = outline.items.iter();
    let items = items.filter(|item| item.sort != ItemSort::Comment);
    items.filter_map(|item| {
        let identity = *identities.get(item.lines.start)?;
        let fills = item.sort != ItemSort::Clause;
        Some((identity, around(outline, item, identities), fills))
    })
}

/// Returns the number of items in each item that is no comment.
fn contents_of(outline: &Outline, identities: &[usize]) -> BTreeMap<usize, usize> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for (identity, parent, fills) in nested_items(outline, identities) {
        counts.entry(identity).or_default();
        if let Some(parent) = parent {
            *counts.entry(parent).or_default() += usize::from(fills);
        }
    }
    counts
}

impl FileStatements {
    /// Reads the statements of a file. `None` if it has no text in a known language, or is large.
    pub(super) fn read(
        file: &FileChange,
        contents: &Contents,
    ) -> Result<Option<Self>, ChangesError> {
        let edits: Vec<LineEdit> = file.line_edits().collect();
        let mut texts: [Arc<[u8]>; 2] = [[].into(), [].into()];
        for (text, side) in texts.iter_mut().zip([&file.old, &file.new]) {
            if let Some((_, entry)) = side
                && entry.kind.is_plain()
            {
                *text = contents.read(entry.id)?;
            }
        }
        let [before, after] = &texts;
        let head = if after.is_empty() { before } else { after };
        let language = Language::detect(&file.path().to_string(), head);
        let Some(language) = language.filter(|_| texts.iter().all(|text| text.len() <= LARGE))
        else {
            return Ok(None);
        };
        let lines = [before, after].map(|text| {
            let lines = text.split_inclusive(|byte| *byte == b'\n');
            lines.collect::<Vec<&[u8]>>()
        });
        Ok(Some(Self::between(
            language,
            [before, after],
            &lines,
            edits,
        )))
    }

    fn between(
        language: &'static Language,
        texts: [&[u8]; 2],
        [old_lines, new_lines]: &[Vec<&[u8]>; 2],
        edits: Vec<LineEdit>,
    ) -> Self {
        let [old, new] = texts.map(|text| language.outline(text));
        let [unchanged, kept] = kept_lines(&edits, old_lines.len(), new_lines.len());
        let alignment = Alignment::between((&old, old_lines), (&new, new_lines), &kept);
        let old_identities: Vec<usize> = (0..old_lines.len()).collect();
        let mut new_identities: Vec<usize> = (unchanged.iter().enumerate())
            .map(|(line, old)| old.unwrap_or(old_lines.len() + line))
            .collect();
        for (item, aligned) in new.items.iter().zip(&alignment.old_of_new) {
            if let Some(aligned) = aligned
                && let Some(identity) = new_identities.get_mut(item.lines.start)
            {
                *identity = old.items[*aligned].lines.start;
            }
        }
        let mut nestings = HashSet::new();
        let mut filled: BTreeMap<usize, bool> = BTreeMap::new();
        for (outline, identities) in [(&old, &old_identities), (&new, &new_identities)] {
            nestings.extend(
                nested_items(outline, identities).map(|(identity, around, _)| (identity, around)),
            );
            for (identity, count) in contents_of(outline, identities) {
                let is_filled = filled.entry(identity).or_insert(true);
                *is_filled &= count > 0;
            }
        }
        Self {
            language,
            most_errors: old.errors.max(new.errors),
            functions: functions([(&old, old_lines), (&new, new_lines)], &alignment, &edits),
            old: TextSide::new(old, old_identities, old_lines),
            new: TextSide::new(new, new_identities, new_lines),
            alignment,
            edits,
            unchanged,
            nestings,
            filled: (filled.into_iter())
                .filter_map(|(identity, is_filled)| is_filled.then_some(identity))
                .collect(),
        }
    }

    /// Returns whether a text with some of the changes nests its statements as one of the two texts
    /// does, and leaves none of them empty that has a content in both.
    ///
    /// For example, deleting only the first of the lines `if a:` and `    f()` makes `f()` a part
    /// of the statement before, where neither text has it.
    pub(super) fn keeps_blocks(&self, elements: &Subset, outline: &Outline) -> bool {
        if self.most_errors > 0 {
            // The trees are guesses around errors.
            return true;
        }
        let identities = self.identities(elements);
        let is_known = |(identity, around, _)| self.nestings.contains(&(identity, around));
        nested_items(outline, &identities).all(is_known)
            && (contents_of(outline, &identities).into_iter())
                .all(|(identity, count)| count > 0 || !self.filled.contains(&identity))
    }

    /// Returns the identities of the lines of the text with some of the changes.
    fn identities(&self, elements: &Subset) -> Vec<usize> {
        let mut identities = Vec::new();
        let (mut old, mut new) = (0, 0);
        for edit in &self.edits {
            let unchanged = edit.line - old;
            identities.extend(&self.old.identities[old..edit.line]);
            (old, new) = (edit.line, new + unchanged);
            let is_applied = elements.contains(edit.element);
            if edit.inserts {
                identities.extend(self.new.identities.get(new).filter(|_| is_applied));
                new += 1;
            }
            if edit.deletes {
                identities.extend(self.old.identities.get(old).filter(|_| !is_applied));
                old += 1;
            }
        }
        identities.extend(&self.old.identities[old..]);
        identities
    }
}

impl TextSide {
    fn new(outline: Outline, identities: Vec<usize>, lines: &[&[u8]]) -> Self {
        let mut owners = outline.owners(lines.len());
        for (owner, line) in owners.iter_mut().zip(lines) {
            if line.trim_ascii().is_empty() {
                *owner = None;
            }
        }
        Self {
            outline,
            identities,
            owners,
        }
    }
}

/// Returns the functions of both texts that have changed lines.
fn functions(
    [old, new]: [(&Outline, &Vec<&[u8]>); 2],
    alignment: &Alignment,
    edits: &[LineEdit],
) -> Vec<FunctionScope> {
    let mut changed: [Vec<(usize, usize)>; 2] = Default::default();
    let (mut at_old, mut at_new) = (0, 0);
    for edit in edits {
        (at_old, at_new) = (edit.line, at_new + edit.line - at_old);
        if edit.deletes {
            changed[0].push((at_old, edit.element));
            at_old += 1;
        }
        if edit.inserts {
            changed[1].push((at_new, edit.element));
            at_new += 1;
        }
    }
    let pairs = (alignment.old_of_new.iter().enumerate())
        .filter_map(|(new, old)| old.map(|old| (old, new)));
    let function_of = |(old_item, new_item): (usize, usize)| {
        let lines = [
            old.0.items[old_item].lines.clone(),
            new.0.items[new_item].lines.clone(),
        ];
        let elements = [0, 1].map(|side: usize| {
            let start = changed[side].partition_point(|(line, _)| *line < lines[side].start);
            let end = changed[side].partition_point(|(line, _)| *line < lines[side].end);
            let inside = changed[side][start..end].iter();
            inside.map(|(_, element)| *element).collect::<Vec<usize>>()
        });
        if elements.iter().all(Vec::is_empty) {
            return None;
        }
        let [before, after] = [(old.1, &lines[0]), (new.1, &lines[1])]
            .map(|(all, lines)| all.get(lines.clone()).unwrap_or_default());
        let function = FunctionScope::of_lines([before, after])?;
        Some(FunctionScope {
            elements,
            ..function
        })
    };
    pairs.filter_map(function_of).collect()
}

/// Returns for each new line the old line that it is, if it is unchanged; and the same with the old
/// lines that similar new lines have replaced.
fn kept_lines(edits: &[LineEdit], old_count: usize, new_count: usize) -> [Vec<Option<usize>>; 2] {
    let mut unchanged = vec![None; new_count];
    let mut replaced = Vec::new();
    let (mut old, mut new) = (0, 0);
    let mut keep = |old: usize, new: usize| {
        if let Some(line) = unchanged.get_mut(new) {
            *line = Some(old);
        }
    };
    for edit in edits {
        while old < edit.line {
            keep(old, new);
            (old, new) = (old + 1, new + 1);
        }
        if edit.deletes && edit.inserts {
            replaced.push((old, new));
        }
        old += usize::from(edit.deletes);
        new += usize::from(edit.inserts);
    }
    while old < old_count {
        keep(old, new);
        (old, new) = (old + 1, new + 1);
    }
    let mut kept = unchanged.clone();
    for (old, new) in replaced {
        if let Some(line) = kept.get_mut(new) {
            *line = Some(old);
        }
    }
    [unchanged, kept]
}

/// A changed line with the items that it belongs to.
///
/// An item of both texts and the one that took its place are one node: the number of the new item.
/// The other old items have the numbers after those.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnedEdit {
    pub(super) element: usize,
    /// The nodes of the old and of the new line.
    pub(super) nodes: [Option<usize>; 2],
}

/// The nodes of a file, and which of them have changed lines of their own.
pub(super) struct StatementNodes<'a> {
    file: &'a FileStatements,
    pub(super) edits: Vec<OwnedEdit>,
    is_changed: Vec<bool>,
}

impl<'a> StatementNodes<'a> {
    pub(super) fn new(file: &'a FileStatements) -> Self {
        let mut nodes = Self {
            file,
            edits: Vec::new(),
            is_changed: vec![false; file.new.outline.items.len() + file.old.outline.items.len()],
        };
        let owner = |side: &TextSide, line: usize| side.owners.get(line).copied().flatten();
        let (mut old, mut new) = (0, 0);
        for edit in &file.edits {
            (old, new) = (edit.line, new + edit.line - old);
            let owners = [
                (edit.deletes.then(|| owner(&file.old, old)).flatten()).map(|it| nodes.of_old(it)),
                edit.inserts.then(|| owner(&file.new, new)).flatten(),
            ];
            for node in owners.into_iter().flatten() {
                nodes.is_changed[node] = true;
            }
            nodes.edits.push(OwnedEdit {
                element: edit.element,
                nodes: owners,
            });
            old += usize::from(edit.deletes);
            new += usize::from(edit.inserts);
        }
        nodes
    }

    /// Returns the pairs of an old and a new node with changed lines between which an unchanged
    /// statement moves. Neither can be left out alone: the statement would be in both, or in none.
    pub(super) fn exchanged(&self) -> Vec<(usize, usize)> {
        let (old, new) = (&self.file.old.outline.items, &self.file.new.outline.items);
        let old_at: BTreeMap<usize, usize> = (old.iter().enumerate())
            .map(|(index, item)| (item.lines.start, index))
            .collect();
        let mut pairs = Vec::new();
        for (index, item) in new.iter().enumerate() {
            let line = self.file.unchanged.get(item.lines.start).copied().flatten();
            let before = line.and_then(|line| old_at.get(&line).copied());
            let Some(before) = before.filter(|&before| self.of_old(before) != index) else {
                continue;
            };
            let left = old[before].parent.map(|parent| self.of_old(parent));
            if let (Some(left), Some(entered)) = (left, item.parent)
                && item.sort != ItemSort::Comment
                && left != entered
                && self.is_changed[left]
                && self.is_changed[entered]
            {
                pairs.push((left, entered));
            }
        }
        pairs
    }

    fn of_old(&self, item: usize) -> usize {
        let new = self.file.alignment.new_of_old[item];
        new.unwrap_or(self.file.new.outline.items.len() + item)
    }

    fn item(&self, node: usize) -> &OutlineItem {
        let new = &self.file.new.outline.items;
        (new.get(node)).unwrap_or_else(|| &self.file.old.outline.items[node - new.len()])
    }

    fn parent(&self, node: usize) -> Option<usize> {
        let parent = self.item(node).parent?;
        let is_new = node < self.file.new.outline.items.len();
        Some(if is_new { parent } else { self.of_old(parent) })
    }

    /// Returns the node that can be left out alone: the outermost changed part of the expression
    /// around a node, or the node itself. A comment belongs to a changed statement around it.
    pub(super) fn unit(&self, node: usize) -> usize {
        let (mut unit, mut at) = (node, node);
        while matches!(self.item(at).sort, ItemSort::Expression | ItemSort::Comment)
            && let Some(parent) = self.parent(at)
        {
            if self.is_changed[parent] {
                unit = parent;
            }
            at = parent;
        }
        unit
    }

    /// Returns the units around a node and that of the node, the outermost first, as far as each
    /// has changed lines of its own.
    pub(super) fn path(&self, node: usize) -> Vec<usize> {
        let mut path = vec![self.unit(node)];
        while let Some(parent) = path.last().and_then(|&last| self.parent(last))
            && self.is_changed[parent]
        {
            path.push(self.unit(parent));
        }
        path.reverse();
        path
    }
}
