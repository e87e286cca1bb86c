//! Where something broke: the first function of a stack that says more than how the end came.

use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

use super::signs::Kind;

/// Frames as sanitizers, debuggers and LLVM print them, and GCC's own.
static NATIVE: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?m-u)^[ \t]*#\d+:?[ \t]+(?:0x[0-9a-fA-F]+[ \t]+)?(?:in[ \t]+)?([A-Za-z_~][^\s(]*)|^0x[0-9a-fA-F]+ (?:in )?([A-Za-z_~][\w:~]*)",
    )
});

/// Frames of Java, JavaScript and C#.
static MANAGED: LazyLock<Regex> =
    LazyLock::new(|| compile(r"(?m-u)^[ \t]+at (?:async )?(?:new )?([\w.$]+)[ (]"));

/// Frames of Go.
static GO: LazyLock<Regex> =
    LazyLock::new(|| compile(r"(?m-u)^([A-Za-z_][\w./-]*\.[\w.*()-]*\w)\(.*\)$"));

/// Frames of Python, the last of which is where it broke.
static PYTHON: LazyLock<Regex> =
    LazyLock::new(|| compile(r#"(?m-u)^  File ".*", line \d+, in (.+)$"#));

/// What only carries the news: the C library, handlers of signals, what prints the stack; and what says nothing.
static MESSENGER: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?-u)^(?:__|_start$|_exit|abort$|raise$|gsignal$|malloc|free$|calloc|realloc|operator$|mem\w+$|str\w+$|pthread_|std::|core::|rust_|runtime\.|panic$|llvm::sys::|llvm::report_|llvm::llvm_unreachable|SignalHandler|crash_signal|internal_error|fancy_abort|diagnostic_|<)",
    )
});

fn compile(expression: &str) -> Regex {
    Regex::new(expression).expect("a test compiles it")
}

/// Returns the function in which it broke, if that was printed with what was found at `at`.
pub(super) fn of(kind: Kind, output: &[u8], at: usize) -> Option<String> {
    let name = match kind {
        // What they say names the place already, or is specific enough.
        Kind::Assertion | Kind::Complaint => None,
        Kind::Memory | Kind::Signal | Kind::Internal => first(&NATIVE, output),
        Kind::Panic => first(&GO, &output[at..]),
        Kind::Exception => {
            let before = PYTHON.captures_iter(&output[..at]).last();
            match before {
                Some(frame) => telling(&frame),
                None => first(&MANAGED, &output[at..]),
            }
        }
    }?;
    let name: String = String::from_utf8_lossy(name).chars().take(80).collect();
    Some(name)
}

fn first<'a>(frames: &Regex, output: &'a [u8]) -> Option<&'a [u8]> {
    frames
        .captures_iter(output)
        .find_map(|frame| telling(&frame))
}

fn telling<'a>(frame: &Captures<'a>) -> Option<&'a [u8]> {
    let name = frame.get(1).or(frame.get(2))?.as_bytes();
    (!MESSENGER.is_match(name)).then_some(name)
}
