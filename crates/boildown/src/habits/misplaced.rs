//! Options of boildown that were typed after `--`, where they belong to the command.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;

use super::line::{self, Line, is_called, needs_value};
use crate::cli::Cli;
use crate::report::format::EscapedPath as _;
use crate::report::reporter::Reporter;

/// Long options that few other programs have. One of them after `--` was meant for boildown.
const OWN: &[&str] = &[
    "max-time",
    "max-tests",
    "show-property",
    "ok-if-minimal",
    "not-stderr",
    "hangs",
    "differs-from",
];

/// Says that options of boildown after `--` went to the command, with the line to type.
pub(crate) fn note_misplaced(reporter: &mut dyn Reporter) {
    if let Some((option, line)) = misplaced(&Line::typed()) {
        let option = option.escaped();
        reporter.note(&format!(
            "note: the command gets `{option}`, which stands after `--`; as an option of boildown: {line}"
        ));
    }
}

/// Returns the first option of boildown after `--`, and the line with all of them before it.
pub(super) fn misplaced(line: &Line) -> Option<(OsString, String)> {
    let dashes = line.dashes();
    let command = line.0.get(dashes + 1..)?;
    let own = Cli::subcommand(line.0.get(1)?)?;
    let option = |word: &OsString| {
        let word = word.to_str()?.strip_prefix("--")?;
        let (name, value) = match word.split_once('=') {
            Some((name, _)) => (name, true),
            None => (word, false),
        };
        let option = own.get_arguments().find(|option| is_called(option, name))?;
        Some((option, 1 + usize::from(!value && needs_value(option))))
    };
    let start = command.iter().position(|word| option(word).is_some())?;
    // A line for a shell has no arguments.
    let is_line = |word: &OsString| word.as_bytes().iter().any(u8::is_ascii_whitespace);
    let (mut end, mut is_own) = (start, start == 1 && is_line(&command[0]));
    while let Some((option, words)) = command.get(end).and_then(option) {
        is_own |= option.get_long().is_some_and(|name| OWN.contains(&name));
        end += words;
    }
    let moved = command.get(start..end).filter(|_| is_own)?;
    let first = moved[0].clone();
    let rest = [&command[..start], &command[end..]].concat();
    let before = Line(line.0[..dashes].to_vec()).with(moved.iter().cloned());
    let shown = (!rest.is_empty()).then(|| before.ending(line::command(&rest)).shown())?;
    Some((first, shown?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_after_the_dashes_are_moved_if_they_are_ours_alone() {
        let line = |typed: &str| {
            let words = typed.split(' ').map(Into::into);
            let line = Line(["boildown".into()].into_iter().chain(words).collect());
            misplaced(&line).map(|(_, line)| line)
        };
        for (typed, expected) in [
            (
                "reduce a.c -- cc a.c --json --max-tests 2",
                Some("boildown reduce a.c --json --max-tests 2 -- cc a.c"),
            ),
            (
                "isolate a b -- --max-time=5s cc b",
                Some("boildown isolate a b --max-time=5s -- cc b"),
            ),
            ("reduce a.c -- cc --json a.c", None),
            (
                "reduce a.c -- cc\ta.c|grep\tx --jobs 2",
                Some("boildown reduce a.c --jobs 2 --test $'cc\\x09a.c|grep\\x09x'"),
            ),
            ("reduce a.c -- cc --max-time-trace a.c", None),
            ("reduce a.c -- cc a.c --max-time", None),
            ("reduce a.c --max-time 5s -- cc a.c", None),
        ] {
            assert_eq!(line(typed).as_deref(), expected, "{typed}");
        }
    }

    #[test]
    fn each_of_them_is_an_option_of_reduce() {
        let definition = Cli::definition();
        let reduce = definition.find_subcommand("reduce").unwrap();
        for name in OWN {
            let mut options = reduce.get_arguments();
            assert!(
                options.any(|option| option.get_long() == Some(name)),
                "{name}"
            );
        }
    }
}
