//! Deduced properties: the question which one to preserve, and options to paste.

use boildown_oracle::{Deduction, Interrupt, Property};

use crate::error::{CliError, ExitKind};
use crate::keys;
use crate::shown_error::print_line;
use crate::stdout;

/// Returns a function that lets the user at a terminal take one of the deduced properties. Without
/// alternatives, or when it must not ask, it returns the most likely one.
pub(crate) fn chooser(
    may_ask: bool,
    interrupt: &Interrupt,
) -> impl FnMut(&Deduction) -> Option<Property> {
    move |deduction| {
        let first = deduction.property();
        if !may_ask || deduction.alternatives().is_empty() {
            return Some(first.clone());
        }
        let choices: Vec<&Property> = std::iter::once(first)
            .chain(deduction.alternatives().iter().take(MAX_CHOICES - 1))
            .collect();
        print_choices(&choices);
        loop {
            return match keys::wait_for_key(interrupt)? {
                b'\n' | b'\r' | b' ' | b'y' => Some(first.clone()),
                b'q' | b'n' => None,
                digit @ b'1'..=b'9' if usize::from(digit - b'1') < choices.len() => {
                    Some(choices[usize::from(digit - b'1')].clone())
                }
                _ => continue,
            };
        }
    }
}

/// The number of properties to choose from.
const MAX_CHOICES: usize = 4;

fn print_choices(choices: &[&Property]) {
    let mut text = "what identifies the failure?\n".to_owned();
    for (number, property) in (1..).zip(choices) {
        text += &format!(
            "  {number}: {}\n",
            property.to_string().replace('\n', "\n     ")
        );
    }
    text += &format!(
        "Enter: 1    2 to {}: another one    q: quit    (--yes does not ask)\n",
        choices.len()
    );
    print_line(&text.trim_end().into());
}

/// Returns the error for frames that have to stay the same, where none were printed.
pub(crate) fn no_stack_trace() -> CliError {
    CliError::new(
        ExitKind::NotInteresting,
        "the command printed no stack trace that names a function, so --frames has nothing to keep",
    )
    .hint("make it print one, for example with RUST_BACKTRACE=1, -g or --trace-uncaught; or remove --frames")
}

/// Prints the options that state a property.
pub(crate) fn print_flags(property: &Property, further: &str) {
    stdout::print(format!("{}{further}\n", property.flags()));
}

/// Prints the options that state what the first run shows, and what else it may be.
/// `further` are the options of further tests.
pub(crate) fn print_deduction(deduction: &Deduction, further: &str) {
    let mut text = deduction.property().flags() + further + "\n";
    for other in deduction.alternatives() {
        text += &format!("# also possible: {}{further}\n", other.flags());
    }
    stdout::print(text);
}
