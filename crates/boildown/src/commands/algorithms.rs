//! `boildown algorithms`.

use boildown_search::algorithms::{Entry, Family};

use crate::error::ExitKind;
use crate::options::algorithms;
use crate::stdout;

/// Columns of a line.
const COLUMNS: usize = 100;
/// Columns of a label.
const LABEL: usize = 14;

/// Prints every algorithm with its parameters, guarantee, cost and source.
pub(crate) fn print() -> ExitKind {
    let entries: Vec<Entry> = algorithms::known().entries().collect();
    let mut text = String::new();
    for family in Family::ALL {
        text += &format!("{}\n\n", heading(family));
        for entry in entries.iter().filter(|entry| entry.family == family) {
            text += &format!("  {}\n", entry.name);
            for (label, what) in [
                ("parameters", entry.parameters),
                ("guarantee", entry.guarantee),
                ("cost", entry.cost),
                ("source", entry.source),
            ] {
                if !what.is_empty() {
                    text += &paragraph(label, what);
                }
            }
            text.push('\n');
        }
    }
    text += "n: elements of the list; m: elements of the result.\nWhich algorithm to choose, and measured costs: docs/algorithms.md\n";
    stdout::print(text);
    ExitKind::Reduced
}

fn heading(family: Family) -> &'static str {
    match family {
        Family::List => "Lists (boildown reduce --algorithm NAME)",
        Family::Tree => {
            "Trees, with a list algorithm on every sibling list (boildown reduce --schedule NAME)"
        }
        Family::Changes => {
            "Differences between a passing and a failing state, with unresolved outcomes (library)"
        }
        Family::Requirements => "Elements with dependencies (library)",
    }
}

/// Returns a label and a text beside it, wrapped.
fn paragraph(label: &str, text: &str) -> String {
    let mut lines = vec![format!("    {label:LABEL$}")];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("the list starts with one line");
        if last.chars().count() + word.chars().count() < COLUMNS {
            last.push_str(word);
            last.push(' ');
        } else {
            lines.push(format!("    {:LABEL$}{word} ", ""));
        }
    }
    lines
        .iter()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_wrapped_and_indented() {
        let text = paragraph("cost", &"twenty tests at most, ".repeat(6));
        assert!(text.lines().all(|line| line.len() <= COLUMNS), "{text}");
        assert!(text.starts_with("    cost          twenty tests"));
        assert!(
            text.lines()
                .nth(1)
                .is_some_and(|line| line.starts_with("                  "))
        );
    }
}
