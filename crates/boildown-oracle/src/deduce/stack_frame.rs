//! The function in which a program failed: the first frame of a stack trace that is not part of the
//! machinery of failing.

use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

use super::failure_line::FailureKind;

/// Frames as sanitizers, debuggers, LLVM and GCC print them.
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

/// Frames of Python, the last of which failed.
static PYTHON: LazyLock<Regex> =
    LazyLock::new(|| compile(r#"(?m-u)^  File ".*", line \d+, in (.+)$"#));

/// Functions that only report a failure: the C library, signal handlers, printing of the stack; and
/// names that carry no information.
static REPORTING_FUNCTION: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?-u)^(?:__|_start$|_exit|abort$|raise$|gsignal$|malloc|free$|calloc|realloc|operator$|mem\w+$|str\w+$|pthread_|std::|core::|rust_|runtime\.|panic$|llvm::sys::|llvm::report_|llvm::llvm_unreachable|SignalHandler|crash_signal|internal_error|fancy_abort|diagnostic_|<)",
    )
});

fn compile(expression: &str) -> Regex {
    Regex::new(expression).expect("a test compiles it")
}

/// Returns the function in which the program failed, if its name was printed. The message of the
/// failure is at `offset` in the output.
pub(super) fn failing_function(kind: FailureKind, output: &[u8], offset: usize) -> Option<String> {
    let name = match kind {
        // The message names the position already, or is specific enough.
        FailureKind::Assertion | FailureKind::Complaint | FailureKind::Mention => None,
        FailureKind::Memory | FailureKind::Signal | FailureKind::Internal => {
            first_function(&NATIVE, output)
        }
        FailureKind::Panic => first_function(&GO, &output[offset..]),
        FailureKind::Exception => {
            let before = PYTHON.captures_iter(&output[..offset]).last();
            match before {
                Some(frame) => function_of(&frame),
                None => first_function(&MANAGED, &output[offset..]),
            }
        }
    }?;
    let name: String = String::from_utf8_lossy(name).chars().take(80).collect();
    Some(name)
}

/// Returns the function of the first frame that does not only report the failure.
fn first_function<'a>(frames: &Regex, output: &'a [u8]) -> Option<&'a [u8]> {
    frames
        .captures_iter(output)
        .find_map(|frame| function_of(&frame))
}

/// Returns the function of a frame; `None` when it only reports the failure.
fn function_of<'a>(frame: &Captures<'a>) -> Option<&'a [u8]> {
    let name = frame.get(1).or(frame.get(2))?.as_bytes();
    (!only_reports_failure(name)).then_some(name)
}

/// Returns whether a function only reports a failure that another one found.
pub(super) fn only_reports_failure(name: &[u8]) -> bool {
    REPORTING_FUNCTION.is_match(name)
}
