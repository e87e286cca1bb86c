//! Tables of text.

use std::fmt::Write as _;

/// Alignment of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Format of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Markdown,
}

/// Heading and rows of cells.
#[derive(Debug)]
pub(crate) struct Table {
    heading: Vec<(String, Align)>,
    /// Invariant: each row is as long as `heading`.
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(heading: &[(&str, Align)]) -> Self {
        Self {
            heading: heading
                .iter()
                .map(|&(name, align)| (name.to_owned(), align))
                .collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; missing cells are empty, cells beyond the heading are dropped.
    pub(crate) fn push(&mut self, mut row: Vec<String>) {
        row.resize(self.heading.len(), String::new());
        self.rows.push(row);
    }

    pub(crate) fn render(&self, style: Style) -> String {
        let widths: Vec<usize> = (0..self.heading.len())
            .map(|column| {
                let cells = self
                    .rows
                    .iter()
                    .map(|row| row[column].as_str())
                    .chain([self.heading[column].0.as_str()]);
                cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
            })
            .collect();
        let mut text = String::new();
        let names: Vec<String> = self.heading.iter().map(|(name, _)| name.clone()).collect();
        self.render_row(&names, &widths, style, &mut text);
        if style == Style::Markdown {
            for ((_, align), width) in self.heading.iter().zip(&widths) {
                let dashes = "-".repeat(*width);
                text.push_str("|-");
                text.push_str(&dashes);
                text.push(if *align == Align::Left { '-' } else { ':' });
            }
            text.push_str("|\n");
        }
        for row in &self.rows {
            self.render_row(row, &widths, style, &mut text);
        }
        text
    }

    fn render_row(&self, cells: &[String], widths: &[usize], style: Style, text: &mut String) {
        let mut line = String::new();
        for ((cell, width), (_, align)) in cells.iter().zip(widths).zip(&self.heading) {
            let cell = if style == Style::Markdown {
                cell.replace('|', "\\|")
            } else {
                cell.clone()
            };
            line.push_str(if style == Style::Markdown { "| " } else { "" });
            let written = match align {
                Align::Left => write!(line, "{cell:<width$}"),
                Align::Right => write!(line, "{cell:>width$}"),
            };
            written.expect("writing to a string does not fail");
            line.push_str(if style == Style::Markdown { " " } else { "  " });
        }
        line.push_str(if style == Style::Markdown { "|" } else { "" });
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

/// Returns the geometric mean of positive numbers, or `None` if there are none.
pub(crate) fn geometric_mean(numbers: &[f64]) -> Option<f64> {
    if numbers.is_empty() {
        return None;
    }
    let logarithms: f64 = numbers.iter().map(|number| number.ln()).sum();
    Some((logarithms / numbers.len() as f64).exp())
}

/// Returns the median, or `None` if there are no numbers; of an even count, the mean of the middle
/// two.
pub(crate) fn median(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some(f64::midpoint(lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Table {
        let mut table = Table::new(&[("name", Align::Left), ("n", Align::Right)]);
        table.push(vec!["a|b".into(), "12345".into()]);
        table.push(vec!["é".into()]);
        table
    }

    #[test]
    fn plain_columns_are_aligned() {
        assert_eq!(
            example().render(Style::Plain),
            "name      n\na|b   12345\né\n"
        );
    }

    #[test]
    fn markdown_escapes_bars_and_states_the_alignment() {
        let expected = "| name |     n |\n|------|------:|\n| a\\|b | 12345 |\n| é    |       |\n";
        assert_eq!(example().render(Style::Markdown), expected);
    }

    #[test]
    fn means_and_medians_of_few_numbers_are_right() {
        assert!((geometric_mean(&[0.5, 2.0, 8.0]).unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(geometric_mean(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }
}
