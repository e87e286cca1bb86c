//! Columns: elements at the same position of all lists of one length, and cells at the same
//! position of all lines with as many separators.

use std::collections::BTreeMap;
use std::ops::Range;

use boildown_search::tree::ListId;

use super::binary::halves;
use super::{Document, View};
use crate::Keys;

/// Tokens that separate the cells of a line.
const SEPARATORS: [&[u8]; 4] = [b",", b";", b"|", b"&"];

/// The longest row that is looked at.
const LONGEST_ROW: usize = 1024;

/// A row of a table.
enum Row {
    /// A sibling list, and its tokens.
    List(ListId, Range<usize>),
    /// The tokens of each cell of a line. One token or none is between two of them.
    Cells(Vec<Range<usize>>),
}

impl Row {
    /// Returns the number of its tokens.
    fn len(&self) -> usize {
        match self {
            Self::List(_, tokens) => tokens.len(),
            Self::Cells(cells) => cells.last().map_or(0, |last| last.end - cells[0].start),
        }
    }
}

impl Document {
    /// Returns the columns of tables and runs of columns, halves before quarters, as the tokens of
    /// each. Rows are sibling lists of the same length, wherever they are, and lines with as many
    /// cells. Short rows are a table in data only: in a program they say little.
    #[must_use]
    pub fn columns(&self) -> Vec<Vec<Range<usize>>> {
        let is_data = match self.view {
            View::Syntax(language) => language.keys != Keys::None,
            view => view == View::Blocks,
        };
        let (shortest_list, shortest_line) = if is_data { (2, 2) } else { (4, 3) };
        let lists = self.lists_by_length().into_iter();
        let lists = lists.map(|(length, lists)| {
            let rows = lists
                .into_iter()
                .map(|(list, tokens)| Row::List(list, tokens));
            (length, rows.collect::<Vec<Row>>())
        });
        let mut lines: BTreeMap<usize, Vec<Row>> = BTreeMap::new();
        for cells in self.lines_of_cells() {
            let rows = lines.entry(cells.len()).or_default();
            rows.push(Row::Cells(cells));
        }
        let lists = lists.filter(|(length, _)| *length >= shortest_list);
        let lines = lines
            .into_iter()
            .filter(|(length, _)| *length >= shortest_line);
        let tables = lists.chain(lines);
        // Lists may have the same length by chance: a table has a quarter of the tokens at least.
        let is_table = |rows: &[Row]| 4 * rows.iter().map(Row::len).sum::<usize>() >= self.len();
        tables
            .filter(|(length, rows)| *length <= LONGEST_ROW && rows.len() > 1 && is_table(rows))
            .flat_map(|(length, rows)| {
                let runs = halves(length).filter(move |run| run.len() < length);
                runs.map(move |run| self.run_of_columns(&rows, length, &run))
            })
            .collect()
    }

    /// Returns the sibling lists of each length that hold no other one of that length. In a text in
    /// no language, they are its lines and their words, and not returned.
    fn lists_by_length(&self) -> BTreeMap<usize, Vec<(ListId, Range<usize>)>> {
        let tree = &self.tree;
        let mut by_length: BTreeMap<usize, Vec<(ListId, Range<usize>)>> = BTreeMap::new();
        let lists = tree.lists.enumerate();
        for (list, siblings) in lists.filter(|_| self.view != View::Blocks) {
            let elements = tree.elements(siblings);
            if let (Some(&first), Some(&last)) = (elements.first(), elements.last()) {
                let span = tree.nodes[first].tokens().start..tree.nodes[last].tokens().end;
                by_length
                    .entry(elements.len())
                    .or_default()
                    .push((list, span));
            }
        }
        for lists in by_length.values_mut() {
            lists.sort_by_key(|(_, span)| (span.start, usize::MAX - span.end));
            let holds_next = |pair: &[(ListId, Range<usize>)]| pair[1].1.end <= pair[0].1.end;
            let mut holds: Vec<bool> = lists.windows(2).map(holds_next).collect();
            holds.push(false);
            let mut holds = holds.into_iter();
            lists.retain(|_| holds.next() == Some(false));
        }
        by_length
    }

    /// Returns the tokens of a run of columns.
    fn run_of_columns(&self, rows: &[Row], length: usize, run: &Range<usize>) -> Vec<Range<usize>> {
        let mut cuts: Vec<Range<usize>> = Vec::new();
        for row in rows {
            match row {
                Row::List(list, _) => {
                    let stays = |element: usize| !run.contains(&element);
                    cuts.extend(self.tree.lists[*list].cuts(&self.tree, stays));
                }
                Row::Cells(cells) if run.end < length => {
                    cuts.push(cells[run.start].start..cells[run.end].start);
                }
                Row::Cells(cells) => cuts.push(cells[run.start - 1].end..cells[length - 1].end),
            }
        }
        cuts.retain(|cut| !cut.is_empty());
        cuts.sort_by_key(|cut| cut.start);
        cuts
    }

    /// Returns the cells of each line that has separators. If all others have as many words, these
    /// are cells too.
    fn lines_of_cells(&self) -> Vec<Vec<Range<usize>>> {
        let (mut lines, mut words) = (Vec::new(), Vec::new());
        let mut start = 0;
        while start < self.len() {
            let breaks = |token: usize| self.gap(token).contains(&b'\n');
            let end = (start + 1..self.len()).find(|&token| breaks(token));
            let line = start..end.unwrap_or(self.len());
            start = line.end;
            match self.cells(line.clone()) {
                Some(cells) => lines.push(cells),
                None => words.push(line.map(|token| token..token + 1).collect::<Vec<_>>()),
            }
        }
        let are_alike = words.iter().all(|line| line.len() == words[0].len());
        if are_alike && self.view == View::Blocks {
            lines.append(&mut words);
        }
        lines
    }

    /// Returns the cells of a line, by the separator that it has most of. Those between double
    /// quotes separate nothing.
    fn cells(&self, line: Range<usize>) -> Option<Vec<Range<usize>>> {
        let mut quoted = false;
        let outside: Vec<usize> = line
            .clone()
            .filter(|&token| {
                quoted ^= self.token(token) == b"\"";
                !quoted
            })
            .collect();
        let found = SEPARATORS.map(|separator| {
            let tokens = outside.iter().copied();
            tokens
                .filter(|&token| self.token(token) == separator)
                .collect::<Vec<usize>>()
        });
        let separators = found.into_iter().max_by_key(Vec::len)?;
        let starts = separators.iter().map(|&separator| separator + 1);
        let starts = std::iter::once(line.start).chain(starts);
        let ends = separators.iter().copied().chain([line.end]);
        let cells = starts.zip(ends).map(|(start, end)| start..end);
        (!separators.is_empty()).then(|| cells.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is left when each run of columns is deleted.
    fn without_columns(text: &str) -> Vec<String> {
        let document = Document::new(&text.as_bytes().into(), View::Blocks);
        let left = document.columns().into_iter().map(|cuts| {
            let kept = boildown_search::Subset::full(document.len()).without(cuts);
            String::from_utf8(document.render(&kept)).unwrap()
        });
        left.collect()
    }

    #[test]
    fn a_column_goes_with_its_separators() {
        let left = without_columns("a,b,c\nd,\"e,f\",g\n");
        let halves = ["a\nd\n", "a,b\nd,\"e,f\"\n"];
        let columns = ["a,c\nd,g\n", "b,c\n\"e,f\",g\n"];
        assert_eq!(left, [halves, columns].concat());
    }

    #[test]
    fn words_in_lines_of_one_length_are_columns() {
        let left = without_columns("1 2 3\n4 5 6\n");
        assert!(left.contains(&"1 3\n4 6\n".to_owned()), "{left:?}");
    }

    #[test]
    fn one_row_is_no_table() {
        assert_eq!(without_columns("a,b,c\nd\n"), <[String; 0]>::default());
    }
}
