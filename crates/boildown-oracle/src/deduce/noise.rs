//! Lines that do not say what failed: counts, banners, carets, echoed source code.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::plain_output::compile;

/// Lines that follow from a failure and do not name it.
#[rustfmt::skip]
const NOISE: &[&str] = &[
    // Carets, rules of dashes, and source code that a compiler shows.
    r"^(?:[\s^~\-_=*+|#:.>!]|─|━|⎯)*$",
    r"^\s*\d*\s*\|",
    r"\^--+ error here",
    // Builds that end because a step failed.
    r"^\S*make(?:\[\d+\])?: \*\*\* (?:\[|Waiting)",
    r"^\S*make(?:\[\d+\])?: (?:Entering|Leaving) ",
    r"^ninja: build stopped",
    r"(?i)^\W*build (?:has )?failed\b",
    r"(?i)^\W*(?:compilation|tests?|checks?) (?:has |have )?(?:failed|terminated|aborted)\W*$",
    r"^error: could not compile ",
    r"^error: aborting due to ",
    r"^error: test failed, to rerun",
    r"^error: process didn't exit successfully",
    r"^error: Recipe .* failed",
    r"^For more information",
    r"^(?:collect2|\S*clang\S*): error: (?:ld returned|linker command failed|clang frontend command|unable to execute)",
    r"^\S+: all warnings being treated as errors",
    r"\berror: input module is broken",
    r"aborted due to (?:compilation|previous) errors",
    r"(?i)^(?:error:? )?(?:command|process|script) .*(?:failed|exited|completed) with (?:exit )?(?:code|status)",
    r"^npm (?:ERR!|error|warn)",
    r"(?i)^exit (?:status|code) \d+$",
    r"^Errors while running CTest",
    r"^-- Configuring incomplete",
    r"^\[ERROR\] (?:Failed to execute goal|To see the full|Re-run Maven|For more information|After correcting|Please refer|\[Help|->|See dump|COMPILATION ERROR|There are test failures|Failures: *$|Errors: *$|Tests run:)",
    r"(?i)\berror is not recoverable|\bexiting (?:now|due to)\b",
    r"^\[error\]\s*>?\s*\d*\s*\|",
    // Counts and summaries.
    r"(?i)^\W*\d+ of \d+ \w+ ",
    r"(?i)^\W*(?:found )?\d+ (?:error|warning|problem|failure|issue|test)s?\b[^:]*$",
    r"(?i)^\W*\d+ (?:error\(s\)|warning\(s\)|failed|passed)\b",
    r"^(?:FAILED|FAIL|OK|ERROR)(?: \(.*\))?\W*$",
    r"^FAIL\t",
    r"^test result: ",
    r"^Ran \d+ tests? in ",
    r"^(?:Tests|Test Suites|Test Files|Snapshots|Duration|Time|Files|Result)(?: run)?:",
    r"^\d+% tests passed",
    r"^# Looks like you ",
    r"^ERROR SUMMARY: |^==\d+== (?:ERROR|HEAP|LEAK) SUMMARY",
    r"^Your code has been rated",
    // Advice, and what is printed beside a message.
    r"(?i)^[^:]*\b(?:note|help|hint|info|warning|remark|debug)(?:\[[\w-]+\])?:",
    r"^\S*:\d+:(?:\d+:)? (?:note|help|warning|remark|info)\b",
    r"(?i)^(?:usage|try|run|see also|please|use)[ :]",
    r"^(?:(?:\S+: )?In (?:function|member function|instantiation|file included)|\s+from |\S+: In )",
    r"^Node\.js v",
    r"^stack backtrace:|^stack traceback:|^\s+at |^\s+from |^\s*\[C\]: |^\s+File \x22",
];

static NOISE_REGEX: LazyLock<Regex> = LazyLock::new(|| {
    let parts: Vec<String> = NOISE.iter().map(|part| format!("(?:{part})")).collect();
    compile(&parts.join("|"))
});

/// Messages which say that another program failed.
static CONSEQUENCE: LazyLock<Regex> = LazyLock::new(|| {
    compile(r"CalledProcessError|returned non-zero exit status|exited with (?:code|status) \d+$")
});

/// Words of messages about failures.
static WORD: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?i)\b(?:error|fail(?:ed|ure|s)?|cannot|can't|could not|couldn't|unable|invalid|illegal|not found|no such|unexpected|undefined|unknown|missing|mismatch|denied|refused|abort(?:ed|ing)?|exception|unbound|bad|violat\w+|corrupt\w*|not ok)\b",
    )
});

/// Returns whether the line does not say what failed.
pub(super) fn is_noise(line: &[u8]) -> bool {
    NOISE_REGEX.is_match(line)
}

/// Returns whether the text only says that another program failed.
pub(super) fn is_consequence(text: &[u8]) -> bool {
    CONSEQUENCE.is_match(text)
}

/// Returns whether the line has a word that messages about failures have.
pub(super) fn has_a_word_of_failure(line: &[u8]) -> bool {
    WORD.is_match(line)
}
