//! The report as annotations of GitHub Actions: workflow commands on standard output.

use std::fmt::Write as _;

use boildown_triage::FailureClass;

use super::content::Report;
use crate::report::format::{EscapedPath as _, Visible, count};

/// Returns an annotation for each group, a line each.
pub(super) fn annotations(report: &Report<'_>) -> String {
    let mut text = String::new();
    for (_, group, file) in report.groups() {
        let level = level(group.key().class());
        let example = file.escaped();
        let mut properties = Vec::new();
        // Annotations of files outside of the checkout are not shown.
        let position = group.position.as_ref();
        match position.map(|position| (position, relative(&position.file))) {
            Some((position, file)) if !file.starts_with('/') => {
                properties.push(("file", file));
                properties.push(("line", position.line.to_string()));
                properties.extend(position.column.map(|column| ("col", column.to_string())));
            }
            _ => properties.push(("file", relative(&example))),
        }
        properties.push(("title", group.key().to_string()));
        let properties: Vec<String> = properties
            .into_iter()
            .map(|(name, value)| format!("{name}={}", property(&value)))
            .collect();
        let inputs = count(group.members.len(), "input");
        let bytes = count(group.example.len(), "byte");
        let verified = match group.is_verified() {
            true => "",
            false => ", which did not fail when it was run again",
        };
        let message = format!(
            "{}: {inputs}. Smallest example: {example} ({bytes}){verified}. Run: {}",
            group.key(),
            report.run_of(&file)
        );
        writeln!(
            text,
            "::{level} {}::{}",
            properties.join(","),
            data(&message)
        )
        .ok();
    }
    text
}

/// Returns how severe a failure is.
pub(super) fn level(class: FailureClass) -> &'static str {
    match class {
        FailureClass::Crash => "error",
        FailureClass::Hang | FailureClass::LimitExceeded | FailureClass::Error => "warning",
    }
}

/// Returns a path relative to the current directory, if it is below it.
pub(super) fn relative(path: &str) -> String {
    let below = std::env::current_dir().ok().and_then(|here| {
        let rest = std::path::Path::new(path).strip_prefix(here).ok()?;
        Some(rest.to_string_lossy().into_owned())
    });
    below.unwrap_or_else(|| path.strip_prefix("./").unwrap_or(path).to_owned())
}

/// Escapes the message of a workflow command.
fn data(text: &str) -> String {
    let text = Visible::lines(text.replace('\r', ""));
    text.replace('%', "%25").replace('\n', "%0A")
}

/// Escapes the value of a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_cannot_begin_another_command() {
        assert_eq!(data("100%\r\n::error::\x1b"), "100%25%0A::error::\\x1b");
        assert_eq!(property("a,b: c\n"), "a%2Cb%3A c%0A");
    }

    #[test]
    fn paths_in_the_checkout_are_relative() {
        let here = std::env::current_dir().unwrap();
        let below = here.join("src/a.c");
        assert_eq!(relative(below.to_str().unwrap()), "src/a.c");
        assert_eq!(relative("./b.c"), "b.c");
        assert_eq!(relative("/elsewhere/c.c"), "/elsewhere/c.c");
    }
}
