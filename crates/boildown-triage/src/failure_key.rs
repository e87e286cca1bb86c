//! The key of a failure, which distinguishes it from others.

use std::ffi::OsStr;
use std::fmt;

use boildown_oracle::{Outcome, Run, Signature, SourcePosition, has_word, top_functions};

/// The class of a failure, the most severe first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FailureClass {
    /// The program crashed: a memory error, an assertion, a signal, a panic, an exception.
    Crash,
    /// It used more memory or processes than the limit.
    LimitExceeded,
    /// It ran past its time limit.
    Hang,
    /// It ended with an ordinary error message.
    Error,
}

impl FailureClass {
    /// Returns the class as a word for tools.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::LimitExceeded => "limit",
            Self::Hang => "hang",
            Self::Error => "error",
        }
    }
}

/// What distinguishes one failure from another: inputs with equal keys form a group.
///
/// It is the class, the message with placeholders for what differs from run to run, the function
/// that failed, the line and column in the program's source that the stack trace or the message
/// names, and, if asked for, more functions of the stack trace.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FailureKey {
    class: FailureClass,
    /// `None` when a limit ended the run.
    signature: Option<Signature>,
    /// How the run ended, when a limit ended it; else empty.
    end: String,
    /// The line and the column at which the program failed, as it names them.
    position: Option<(u32, Option<u32>)>,
    /// The functions at the top of the stack trace, the one that failed first.
    functions: Vec<String>,
}

impl FailureKey {
    /// Returns the key of a run that failed, with this many functions of its stack trace. With
    /// none, only the function that failed counts. Positions in the input, which has this name, do
    /// not count.
    #[must_use]
    pub fn of_run(run: &Run, input: &OsStr, frames: usize) -> Self {
        let class = match run.outcome {
            Outcome::TimedOut => FailureClass::Hang,
            Outcome::Exceeded(_) => FailureClass::LimitExceeded,
            Outcome::Exited(_) | Outcome::Signalled(_) => FailureClass::Error,
        };
        if run.outcome.is_cut_short() {
            return Self {
                class,
                signature: None,
                end: run.outcome.to_string(),
                position: None,
                functions: Vec::new(),
            };
        }
        let signature = Signature::of_failure(run);
        let position = SourcePosition::of_run(run, input);
        // One statement that reports what it has read is one failure, whatever it quotes.
        let signature = match position {
            Some(_) => signature.up_to_quote(),
            None => signature,
        };
        let class = match signature.is_crash() {
            true => FailureClass::Crash,
            false => class,
        };
        Self {
            class,
            signature: Some(signature),
            end: String::new(),
            position: position.map(|at| (at.line, at.column)),
            functions: top_functions(run, frames),
        }
    }

    /// Returns whether two failures differ only in words of their messages that each has from its
    /// input.
    ///
    /// Example: `LookupError: no entry bob in table` and `LookupError: no entry alice in table`, on
    /// inputs with these names.
    pub fn differs_by_input(&self, input: &[u8], other: &Self, other_input: &[u8]) -> bool {
        let ([Some(own), Some(others)], true) = (
            [&self.signature, &other.signature],
            (self.class, self.position, &self.functions)
                == (other.class, other.position, &other.functions),
        ) else {
            return false;
        };
        let (own_text, other_text) = (own.to_string(), others.to_string());
        let [own_words, other_words] = [words(&own_text), words(&other_text)];
        let pairs = own_words.iter().zip(&other_words);
        let before = pairs.take_while(|(a, b)| a == b).count();
        let pairs = own_words[before..]
            .iter()
            .rev()
            .zip(other_words[before..].iter().rev());
        let after = pairs.take_while(|(a, b)| a == b).count();
        let is_of = |words: &[&str], input: &[u8]| {
            let different = &words[before..words.len() - after];
            let has_same = 2 * different.len() < words.len();
            has_same
                && different
                    .iter()
                    .all(|word| *word == "N" || has_word(input, word))
        };
        own.kind_name() == others.kind_name()
            && is_of(&own_words, input)
            && is_of(&other_words, other_input)
    }

    /// Returns the class of the failure.
    pub fn class(&self) -> FailureClass {
        self.class
    }

    /// Returns the kind of the failure as a word for tools: that of its signature, `hang` or
    /// `limit`.
    pub fn kind_name(&self) -> &'static str {
        let of_signature = self.signature.as_ref().map(Signature::kind_name);
        of_signature.unwrap_or(self.class.name())
    }

    /// Returns a file name made of the key: ASCII letters, digits and dashes, at most 60.
    pub fn file_name(&self) -> String {
        let name = match &self.signature {
            Some(signature) => signature.file_name(),
            None => self.end.replace(' ', "-"),
        };
        match name.is_empty() {
            true => self.class.name().to_owned(),
            false => name,
        }
    }
}

impl fmt::Display for FailureKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.signature {
            Some(signature) => write!(f, "{signature}")?,
            None => write!(f, "{}", self.end)?,
        }
        match self.functions.split_first() {
            Some((_, callers)) if !callers.is_empty() => write!(f, " < {}", callers.join(" < ")),
            _ => Ok(()),
        }
    }
}

/// Returns the words of a message: letters, digits and underscores.
fn words(text: &str) -> Vec<&str> {
    let is_between = |character: char| !character.is_alphanumeric() && character != '_';
    let words = text.split(is_between);
    words.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(outcome: Outcome, stderr: &str, frames: usize) -> FailureKey {
        let run = Run::ended(outcome, stderr);
        FailureKey::of_run(&run, OsStr::new("in.c"), frames)
    }

    #[test]
    fn addresses_numbers_and_quoted_names_do_not_distinguish() {
        let message = |name: &str, line: u32| {
            let stderr = format!("tool: in.c:{line}: error: unknown type '{name}'\n");
            key(Outcome::Exited(1), &stderr, 0)
        };
        assert_eq!(message("a", 3), message("bcd", 71));
        assert_eq!(message("a", 3).class(), FailureClass::Error);
        assert_ne!(
            message("a", 3),
            key(
                Outcome::Exited(1),
                "tool: in.c:3: error: no such field 'a'\n",
                0
            )
        );
    }

    #[test]
    fn the_line_that_failed_distinguishes_and_what_the_message_quotes_does_not() {
        let error = |line: u32, message: &str| {
            let stderr = format!(
                "Traceback (most recent call last):\n  File \"/s/t.py\", line {line}, in loads\n    \
                 x\n{message}\n"
            );
            key(Outcome::Exited(1), &stderr, 0)
        };
        let index = "IndexError: string index out of range";
        assert_eq!(error(7, index), error(7, index));
        assert_ne!(error(7, index), error(11, index));
        let literal = |quoted: &str| {
            let message = format!("ValueError: invalid literal for int() with base 10: {quoted}");
            error(14, &message)
        };
        for quoted in [
            r#"'\'a\' "b"'"#,
            r#""'q'\\n = x""#,
            "'it's'",
            "'{ a = 1 }' 'b'",
        ] {
            assert_eq!(literal("'x1'"), literal(quoted), "{quoted}");
        }
        assert_eq!(
            literal("'x1'").to_string(),
            "ValueError: invalid literal for int() with base N: '…' in loads"
        );
    }

    #[test]
    fn positions_in_messages_distinguish_but_not_those_in_the_input() {
        let abort = |line: &str| key(Outcome::Signalled(6), line, 0);
        let assertion =
            |position: &str| abort(&format!("{position}: rows: Assertion `d' failed.\n"));
        assert_eq!(assertion("t.c:8"), assertion("t.c:8"));
        assert_ne!(assertion("t.c:8"), assertion("t.c:9"));
        let fault = |line: u32, rest: &str| {
            abort(&format!("in.c:{line}:1: internal compiler error: {rest}\n"))
        };
        assert_eq!(
            fault(3, "Segmentation fault"),
            fault(9, "Segmentation fault")
        );
        let at = |line: u32, place: u32| fault(line, &format!("in expand, at expr.cc:{place}"));
        assert_eq!(at(3, 12), at(9, 12));
        assert_ne!(at(3, 12), at(3, 45));
    }

    #[test]
    fn words_of_the_input_do_not_distinguish() {
        let lookup = |line: u32, message: &str| {
            let stderr = format!(
                "Traceback (most recent call last):\n  File \"/s/t.py\", line {line}, in find\n    \
                 x\nLookupError: {message}\n"
            );
            key(Outcome::Exited(1), &stderr, 0)
        };
        let alike = |[own, other]: [(&str, &str); 2], line| {
            let (own_key, other_key) = (lookup(9, own.0), lookup(line, other.0));
            own_key.differs_by_input(own.1.as_bytes(), &other_key, other.1.as_bytes())
        };
        let bob = ("no entry bob in table", "{name: bob}");
        assert!(alike([bob, ("no entry alice 7 in table", "[alice 7]")], 9));
        assert!(!alike([bob, ("no entry alice in table", "[alice]")], 8));
        assert!(!alike([bob, ("no entry alice in table", "[malice]")], 9));
        assert!(!alike([bob, ("bad entry alice", "bad [alice]")], 9));
        // Nothing but words of the input.
        let long = ("a b c d", "a b c d");
        assert!(!alike([long, ("e f g h", "e f g h")], 9));
    }

    #[test]
    fn callers_distinguish_when_frames_are_asked_for() {
        let trace = |caller: &str| {
            format!(
                "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x0\n    \
                 #0 0x1 in parse /s/p.c:1\n    #1 0x2 in {caller} /s/p.c:9\n"
            )
        };
        let with = |caller, frames| key(Outcome::Exited(1), &trace(caller), frames);
        assert_eq!(with("list", 0), with("table", 0));
        assert_eq!(with("list", 1), with("table", 1));
        assert_ne!(with("list", 2), with("table", 2));
        assert_eq!(
            with("list", 0).to_string(),
            "AddressSanitizer: SEGV in parse"
        );
        assert_eq!(
            with("list", 2).to_string(),
            "AddressSanitizer: SEGV in parse < list"
        );
    }

    #[test]
    fn limits_are_classes_of_their_own_whatever_was_printed() {
        let hang = key(Outcome::TimedOut, "Segmentation fault", 3);
        assert_eq!(hang, key(Outcome::TimedOut, "", 0));
        assert_eq!(
            (hang.class(), hang.to_string().as_str()),
            (FailureClass::Hang, "timed out")
        );
        assert_eq!(hang.file_name(), "timed-out");
    }

    #[test]
    fn the_most_severe_failures_come_first() {
        let mut keys = [
            key(Outcome::Exited(2), "error: no", 0),
            key(Outcome::TimedOut, "", 0),
            key(Outcome::Signalled(11), "", 0),
            key(Outcome::Signalled(6), "a.c:1: f: Assertion `x' failed.", 0),
        ];
        keys.sort();
        let kinds = keys.map(|key| key.kind_name());
        assert_eq!(kinds, ["assertion", "signal", "hang", "error"]);
    }
}
