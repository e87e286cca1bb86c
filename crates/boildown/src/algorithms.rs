//! `boildown algorithms`.

use std::io::Write as _;

use boildown_search::catalogue::{CATALOGUE, Family};

use crate::error::Kind;

/// The columns of a line.
const WIDTH: usize = 100;
/// Where the text of a line begins.
const INDENT: usize = 14;

/// Prints every algorithm: what it works on, what it promises, what it costs, where it comes from.
pub(crate) fn print() -> Kind {
    let mut text = String::new();
    for family in Family::ALL {
        text += &format!("{}\n\n", heading(family));
        for entry in CATALOGUE.iter().filter(|entry| entry.family == family) {
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
    text += "n: elements at the start; m: elements that are needed.\nWhich to choose, and what each costs in practice: docs/algorithms.md\n";
    // A reader that has seen enough is no error.
    drop(std::io::stdout().write_all(text.as_bytes()));
    Kind::Reduced
}

fn heading(family: Family) -> &'static str {
    match family {
        Family::List => "Lists (boildown reduce --algorithm NAME)",
        Family::Tree => {
            "Trees, with any of these on every list of siblings (boildown reduce --schedule NAME)"
        }
        Family::Changes => {
            "Changes between a state that passes and one that fails, with unresolved outcomes (library)"
        }
        Family::Requirements => "Elements that require others (library)",
    }
}

/// A label and a text beside it, in lines.
fn paragraph(label: &str, text: &str) -> String {
    let mut lines = vec![format!("    {label:INDENT$}")];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("there is a line from the start");
        if last.chars().count() + word.chars().count() < WIDTH {
            last.push_str(word);
            last.push(' ');
        } else {
            lines.push(format!("    {:INDENT$}{word} ", ""));
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
    fn a_long_text_goes_on_below_itself() {
        let text = paragraph("cost", &"twenty questions or so, ".repeat(6));
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert!(text.starts_with("    cost          twenty questions"));
        assert!(
            text.lines()
                .nth(1)
                .is_some_and(|line| line.starts_with("                  "))
        );
    }
}
