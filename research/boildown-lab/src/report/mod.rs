//! Reports: results as a table of plain text, as CSV, and as an HTML page with plots.

mod page;
pub(crate) mod plot;
mod table;

use serde::Serialize;

pub(crate) use page::{HtmlPage, ReportFigure};
pub(crate) use table::{Align, TextTable};

/// The result of an experiment that can be printed. The same result gives the same bytes.
pub trait Report {
    /// Returns a summary as a table of plain text.
    fn table(&self) -> String;

    /// Returns all runs as comma-separated values, with a line of column names.
    fn csv(&self) -> String;

    /// Returns an HTML page with plots, which needs no other file.
    fn html(&self) -> String;
}

/// Returns records as comma-separated values, with the names of their fields as the first line.
pub(crate) fn csv<R: Serialize>(records: &[R]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        writer
            .serialize(record)
            .expect("records have no nested fields, and writing to memory does not fail");
    }
    let bytes = writer
        .into_inner()
        .expect("writing to memory does not fail");
    String::from_utf8(bytes).expect("names and numbers are UTF-8")
}

/// Returns a number with this many decimals, and a comma between thousands.
pub(crate) fn number(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) = match text.split_once('.') {
        Some((whole, decimals)) => (whole, format!(".{decimals}")),
        None => (text.as_str(), String::new()),
    };
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let zero = text.chars().all(|digit| matches!(digit, '0' | '.'));
    let sign = if value < 0.0 && !zero { "−" } else { "" };
    format!("{sign}{grouped}{rest}")
}

/// Returns a number, or a dash when there is none.
pub(crate) fn maybe(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "–".to_owned(), |value| number(value, decimals))
}

/// Returns a p-value: a dash when there is none, and an upper bound when it is very small.
pub(crate) fn p_value(p: Option<f64>) -> String {
    match p {
        Some(p) if p < 0.0001 => "< 0.0001".to_owned(),
        _ => maybe(p, 4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_rounded() {
        assert_eq!(number(1_234_567.891, 1), "1,234,567.9");
        assert_eq!(number(999.0, 0), "999");
        assert_eq!(number(-1000.0, 0), "−1,000");
        assert_eq!(number(-0.001, 2), "0.00");
        assert_eq!(maybe(None, 2), "–");
        assert_eq!(p_value(Some(0.000_01)), "< 0.0001");
        assert_eq!(p_value(Some(0.0412)), "0.0412");
    }
}
