//! Results to read, to compute with, and to look at.

mod page;
pub(crate) mod plot;
mod table;

use serde::Serialize;

pub(crate) use page::{Figure, Page};
pub(crate) use table::{Align, Table};

/// The result of an experiment, in the forms it is handed on in. All of them are functions of the result: the same bytes each time.
pub trait Report {
    /// Returns the summary as a table of plain text.
    fn table(&self) -> String;

    /// Returns every single run as comma-separated values, with a heading.
    fn csv(&self) -> String;

    /// Returns a page of HTML with plots, which needs no other file.
    fn html(&self) -> String;
}

/// Returns records as comma-separated values.
pub(crate) fn csv<R: Serialize>(records: &[R]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        writer
            .serialize(record)
            .expect("records are flat, and memory takes every byte");
    }
    let bytes = writer.into_inner().expect("memory takes every byte");
    String::from_utf8(bytes).expect("names and numbers are UTF-8")
}

/// Returns a number with so many decimals, and a thin mark between thousands.
pub(crate) fn number(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) = match text.split_once('.') {
        Some((whole, decimals)) => (whole, format!(".{decimals}")),
        None => (text.as_str(), String::new()),
    };
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let zero = text.chars().all(|digit| matches!(digit, '0' | '.'));
    let sign = if value < 0.0 && !zero { "−" } else { "" };
    format!("{sign}{grouped}{rest}")
}

/// Returns a number that may be missing.
pub(crate) fn maybe(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "–".to_owned(), |value| number(value, decimals))
}

/// Returns a p-value: none at all is a dash, a very small one a bound.
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
