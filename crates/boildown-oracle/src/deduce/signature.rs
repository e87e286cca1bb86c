//! What tells one crash from another.

use std::fmt;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::place;
use super::signs::{self, Kind};
use crate::{Outcome, Run, signal};

/// What tells one crash from another: what kind of crash it is, what it said, and where, when that was printed. What differs between two runs
/// of the same crash (addresses, numbers, directories, what stands in quotes) is left open.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signature {
    kind: Kind,
    text: String,
}

/// The most characters of a signature.
const LONGEST: usize = 160;

impl Signature {
    /// Returns the signature of a run, when it shows that something broke.
    ///
    /// `None` for a run that succeeded, was cut short by a limit, or ended with an ordinary complaint: that an input is turned down is no crash, be it
    /// by an exception.
    #[must_use]
    pub fn of(run: &Run) -> Option<Self> {
        if run.outcome.is_cut_short() {
            return None;
        }
        let found = signs::find_known(run);
        let signal = crash_signal(run.outcome);
        let Some((kind, found)) = found.filter(|(kind, _)| kind.is_crash()) else {
            return signal.map(|number| Self {
                kind: Kind::Signal,
                text: signal::Named(number).to_string(),
            });
        };
        // A sanitizer may report and go on; whatever else is printed by a run that succeeded was of no importance.
        if run.outcome == Outcome::Exited(0) && kind != Kind::Memory {
            return None;
        }
        let said = match (found.text, signal) {
            // That clang asks for a report is not what happened.
            (b"PLEASE submit a bug report", Some(number)) => signal::Named(number).to_string(),
            (text, _) => named_signal(text).map_or_else(|| shown(kind, text), ToOwned::to_owned),
        };
        if kind == Kind::Exception && REJECTION.is_match(said.as_bytes()) {
            return None;
        }
        let said = [
            "SUMMARY: ",
            "ERROR: ",
            "WARNING: ",
            "# Problematic frame: # ",
        ]
        .iter()
        .find_map(|loud| said.strip_prefix(loud))
        .unwrap_or(&said);
        let output = found.stream.of(run);
        let mut text: String = said.chars().take(LONGEST).collect();
        if let Some(place) = place::of(kind, output, found.at) {
            text = format!("{text} in {place}");
        }
        Some(Self { kind, text })
    }

    /// Returns whether a crash of this kind says more than one of that: memory errors say most, exceptions least.
    #[must_use]
    pub fn is_graver(&self, other: &Self) -> bool {
        self.kind < other.kind
    }

    /// Returns a name for files: letters, digits and dashes.
    #[must_use]
    pub fn file_name(&self) -> String {
        let words = self
            .text
            .split(|letter: char| !letter.is_ascii_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let mut name = words.join("-");
        name.truncate(60);
        name.trim_end_matches('-').to_owned()
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The signals that a program gets for its own mistakes. The others somebody sent: the user, the system when memory is short, or we.
fn crash_signal(outcome: Outcome) -> Option<i32> {
    let number = match outcome {
        Outcome::Signalled(number) => number,
        Outcome::Exited(code) => code - signal::SHELL_OFFSET,
        Outcome::TimedOut | Outcome::Exceeded(_) => return None,
    };
    let of_its_own = [
        "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGSYS",
    ];
    of_its_own
        .contains(&&*signal::Named(number).to_string())
        .then_some(number)
}

/// The signal that a shell or a program calls by its description.
fn named_signal(text: &[u8]) -> Option<&'static str> {
    match text {
        b"Segmentation fault" => Some("SIGSEGV"),
        b"Bus error" => Some("SIGBUS"),
        b"Illegal instruction" => Some("SIGILL"),
        b"Floating point exception" => Some("SIGFPE"),
        _ => None,
    }
}

/// Exceptions by which programs turn an input down, and those that a shortened program gets for what is missing in it.
static REJECTION: LazyLock<Regex> = LazyLock::new(|| {
    let names = "Syntax|Indentation|Tab|Pars(?:e|er|ing)|Lex(?:er|ing)?|Token|Decod(?:e|er|ing)|Encod(?:e|ing)|Unicode|Malformed|Validation|Schema|Format\
                 |Name|UnboundLocal|Reference|Import|ModuleNotFound|NoClassDefFound|ClassNotFound|FileNotFound|NoSuchFile|EOF|EndOfFile|Usage|Argument";
    Regex::new(&format!(
        r"^(?:Uncaught )?(?:[\w$]+\.)*\w*(?:{names})(?:Error|Exception)?(?:$|\W)"
    ))
    .expect("a test compiles it")
});

/// What is said, without what differs from run to run.
fn shown(kind: Kind, text: &[u8]) -> String {
    static VARYING: LazyLock<regex::Regex> = LazyLock::new(|| {
        regex::Regex::new(
            r#"(?x)
            (?<space>\s*\n\s*)
            |(?<directory>(?:[\w.~+-]*/)+)(?:[\w.+-]*\.)
            |(?<address>0[xX][0-9a-fA-F]+)
            |(?<quoted>'[^'\n]*'|"[^"\n]*"|‘[^’\n]*’|“[^”\n]*”)
            |(?<number>\b\d+\b)"#,
        )
        .expect("a test compiles it")
    });
    let text = String::from_utf8_lossy(text);
    let shown = VARYING.replace_all(&text, |found: &regex::Captures<'_>| {
        let all = &found[0];
        if found.name("space").is_some() {
            " ".to_owned()
        } else if let Some(directory) = found.name("directory") {
            all[directory.as_str().len()..].to_owned()
        } else if found.name("address").is_some() {
            "0x…".to_owned()
        } else if found.name("number").is_some() {
            "N".to_owned()
        } else if kind == Kind::Exception {
            "'…'".to_owned()
        } else {
            all.to_owned()
        }
    });
    shown
        .chars()
        .filter(|letter| !letter.is_control())
        .collect()
}

#[cfg(test)]
#[path = "signature_tests.rs"]
mod tests;
