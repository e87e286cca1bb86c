//! Tables of text cells.

/// The alignment of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Rows of cells under a heading.
#[derive(Debug, Clone)]
pub(crate) struct TextTable {
    pub(crate) heading: Vec<(String, Align)>,
    /// Invariant: each row has as many cells as `heading`.
    pub(crate) rows: Vec<Vec<String>>,
}

impl TextTable {
    pub(crate) fn new<'a>(heading: impl IntoIterator<Item = (&'a str, Align)>) -> Self {
        let heading = heading.into_iter();
        Self {
            heading: heading
                .map(|(name, align)| (name.to_owned(), align))
                .collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row. Missing cells become empty, and cells beyond the heading are dropped.
    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = String>) {
        let mut row: Vec<String> = row.into_iter().collect();
        row.resize(self.heading.len(), String::new());
        self.rows.push(row);
    }

    /// Returns the table as plain text with aligned columns.
    pub(crate) fn plain(&self) -> String {
        let heading: Vec<String> = self.heading.iter().map(|(name, _)| name.clone()).collect();
        let rows = || std::iter::once(&heading).chain(&self.rows);
        let width = |column: usize| rows().map(|row| row[column].chars().count()).max();
        let widths: Vec<usize> = (0..heading.len()).filter_map(width).collect();
        let mut text = String::new();
        for row in rows() {
            let cells = row.iter().zip(&widths).zip(&self.heading);
            let line: Vec<String> = cells
                .map(|((cell, width), (_, align))| match align {
                    Align::Left => format!("{cell:<width$}"),
                    Align::Right => format!("{cell:>width$}"),
                })
                .collect();
            text.push_str(line.join("  ").trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = TextTable::new([("name", Align::Left), ("n", Align::Right)]);
        table.push(["a".into(), "12345".into()]);
        table.push(["é".into()]);
        assert_eq!(table.plain(), "name      n\na     12345\né\n");
    }
}
