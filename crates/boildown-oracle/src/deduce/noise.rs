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
    r"^(?:@@ .* @@|(?:---|\+\+\+) \S+(?:\t.*)?$|diff -|index [0-9a-f]+\.\.)",
    // Commands that a shell or ninja shows; banners of Valgrind; libxslt's place of an error.
    r"^\++ (?:\[|\w+=|(?:case|cat|cd|echo|exit|export|false|grep|printf|return|set|test|true)\b)",
    r"^\[\d+/\d+\] \S",
    r"^==\d+== (?:Memcheck|Helgrind|DRD|Copyright|Using Valgrind|Command:|For lists|Rerun with|For counts|\s*$)",
    r"^(?:compilation|runtime) error: file \S+ line \d+ element \S+$",
    // Builds that end because a step failed.
    r"^\S*make(?:\[\d+\])?: \*\*\* (?:\[|Waiting)",
    r"^\S*make(?:\[\d+\])?: (?:Entering|Leaving) ",
    r"^ninja: build stopped",
    r"(?i)^\W*(?:failure: )?build (?:has )?failed\b",
    r"(?i)^\W*(?:abort(?:ed|ing)|exit(?:ed|ing)|stopp(?:ed|ing)|terminat(?:ed|ing)|giving up|execution halted)\b[^:]*$",
    r"(?i)^\W*(?:compilation|tests?|checks?|build) (?:has |have )?(?:failed|terminated|aborted|abandoned)\b[^:]*$",
    r"^(?:Aborted|Killed|Terminated)(?: \(core dumped\))?$",
    r"^error: could not compile ",
    r"^error: aborting due to ",
    r"^error: test failed, to rerun",
    r"^error: process didn't exit successfully",
    r"^error: Recipe .* failed",
    r"^For more information",
    r"^(?:collect2|\S*clang\S*): error: (?:ld returned|linker command failed|clang frontend command|unable to execute)",
    r"(?i)^(?:\S+: )?(?:\w+ )?warnings (?:are )?(?:being )?treated as errors\W*$",
    r"(?i)^(?:\S+: )?(?:exiting with failure\b|[^:]*\b(?:succeeded|completed|finished|done) with (?:warnings|errors)\W*$)",
    r"^Transcript written on ",
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
    // Messages that only say that there is an error.
    r"(?i)^(?:\S+[: ] ?)?\W*(?:fatal )?errors?\W*(?:\S*|(?:[\w.-]+ ){0,2}(?:failed|aborted))\W*$",
    r"(?i)\b(?:encountered|occurred|found|detected|with) an? (?:\w+ )?error:?$|\berrors? (?:was |were |has |have )?(?:been )?(?:encountered|occurred|found|detected)\b.*$|\b(?:raised|threw|thrown) (?:an )?(?:exception|error):?$|^error in \S+(?: [\d:,-]+)?$",
    r"(?i)^\W*(?:\w+ ){0,2}(?:error|exception|failure)s?:$",
    // Counts and summaries.
    r"(?i)^\W*\d+ of \d+ \w+ ",
    r"^=+ \[.*\] \w+$|^\d+ success(?:es)? / \d+ failures? / ",
    r"(?i)^\W*(?:found )?\d+ (?:error|warning|problem|failure|issue|test)s?\b[^:]*$",
    r"(?i)^\W*\d+ (?:\w+ )?(?:error\(s\)|warning\(s\)|failed|passed)\b",
    r"^(?:FAILED|FAIL|OK|ERROR)(?: \(.*\))?\W*$",
    r"^FAIL\t",
    r"^test result: ",
    r"^Ran \d+ tests? in ",
    r"^(?:Tests|Test Suites|Test Files|Snapshots|Duration|Time|Files|Result)(?: run)?:\W*(?:\d|(?:FAIL\w*|PASS\w*|OK|ERROR)?\W*$)",
    r"^\d+% tests passed",
    r"^# Looks like you ",
    r"^ERROR SUMMARY: |^==\d+== (?:ERROR|HEAP|LEAK) SUMMARY",
    r"^Your code has been rated",
    // Progress, times and versions.
    r"(?i)^\W*(?:\[[^\]]*\] *)*\w+ing\b.*(?:\.\.\.|…)$",
    r"(?i)^\W*(?:\[[^\]]*\] *)*(?:done|finished|completed|elapsed|took|bye|pass(?:ed)?|ok|success\w*)\b[^:]*$",
    r"(?i)^copyright |^command line\b[^:]*:",
    r"(?i)\binformation:$|\blocations?:$|\bcalled from:?$|^expected one of\b|^(?:command line|backtrace|stack ?trace|traceback|call ?stack)\b.*:?$",
    // Advice, and what is printed beside a message.
    r"(?i)^\W*please (?:submit|report|file|include|open|send|try|see|check)\b|\bthis is (?:a|always indicative of a) bug\b",
    r"(?i)^[^:]*\b(?:note|help|hint|info|warning|remark|debug)(?:\[[\w-]+\])?:",
    r"^\S*:\d+:(?:\d+:)? (?:note|help|warning|remark|info)\b",
    r"(?i)^(?:usage:|usage [^e]|see also[ :])",
    r"^(?:(?:\S+: )?In (?:function|member function|instantiation|file included)|\s+from |\S+: In .*[:,]$|In (?:unknown )?[\w./-]+:$)",
    r"^Node\.js v|^ ?entering extended mode",
    r"^ *\d+:\d+ +\d+ \(",
    r"^stack backtrace:|^stack traceback:|^(?:\[\w+\])?\s+at |^\s+from |, called at |^CallStack |^\s*\[C\]: |^\s+File \x22",
];

static NOISE_REGEX: LazyLock<Regex> = LazyLock::new(|| {
    let parts: Vec<String> = NOISE.iter().map(|part| format!("(?:{part})")).collect();
    compile(&parts.join("|"))
});

/// Steps and what is printed beside a failure, unless a message follows them: programs have such
/// names, too.
static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?i)^(?:target|host|platform|os|seed|date|log|output)\b[^:]*:|^(?:tests|snapshots|duration|time|files|result):|\bversion:? [\w.]*\d|^(?:try|run|please|use)[ :]|^(?:total|wall|real|user|sys|elapsed|execution|time)\b.*\d\s*(?:ms|s|sec\w*|min\w*)?\W*$|^\W*(?:\[[^\]]*\] *)*(?:reading|loading|starting|running|checking|comparing|processing|cleaning|parsing|compiling|building|exiting|writing|generating)\b",
    )
});

/// Messages about a failed step, or about a use.
static FAILED_STEP: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?i)^\W*(?:\[[^\]]*\] *)*(?:\w+ing|run) (?:\w+ ){0,2}(?:failed|error)\b|^\w+ (?:failed|mismatch)\b|^use[ -](?:of|after)\b|\bunsupported version\b|\bversion:? \S+ (?:is|was) (?:not|un)",
    )
});

/// Messages which say that another program failed.
static CONSEQUENCE: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"CalledProcessError|returned non-zero exit status|(?:failed|exited|ended|terminated) with (?:exit )?(?:code|status)\b|did not complete successfully",
    )
});

/// Words of messages about failures.
const WORDS: &str = r"errors?|fail(?:ed|ure|s)?|fatal|panic\w*|crash\w*|cannot|can't|could not|couldn't|unable|invalid|illegal|not found|no such|unexpected|undefined|undeclared|unknown|missing|mismatch\w*|denied|refused|abort(?:ed|ing)?|exception|unbound|bad|wrong|incorrect|bugs?|broken|differ(?:s|ent|ence)?|diverge\w*|disagree\w*|inconsisten\w+|miscompil\w*|regress\w+|conflict|unsound\w*|leak\w*|overflow\w*|deadlock\w*|killed|signal|assert\w*|unreachable|impossible|out of (?:range|bounds|memory)|violat\w+|corrupt\w*|not (?:ok|in scope|an?|defined|declared|equal|recogni[sz]ed|supported|expected|allowed|the same)|doesn't|does not|slow(?:er)?|hangs?|hung|too (?:many|few|large|small|long)|smash\w*|double free|malformed|premature|rejected|timeout|unbalanced|unsupported|unterminated|expected|instead of|but (?:got|was|found)|did not|isn't|timed out";

static WORD: LazyLock<Regex> = LazyLock::new(|| compile(&format!(r"(?i)\b(?:{WORDS})\b")));

/// A word of failing in capital letters, not followed by a zero.
static EMPHATIC: LazyLock<Regex> = LazyLock::new(|| {
    let words = WORDS.replace(r"\w", "[A-Z]");
    let mut capitals = String::new();
    let mut is_escape = false;
    for character in words.chars() {
        let keeps = is_escape || character == '\\';
        is_escape = character == '\\' && !is_escape;
        capitals.push(if keeps {
            character
        } else {
            character.to_ascii_uppercase()
        });
    }
    compile(&format!(r"\b(?:{capitals})\b"))
});

/// Details of a line above: indented lines, and items of a list.
static DETAIL: LazyLock<Regex> = LazyLock::new(|| compile(r"^(?:\s|[-+*>|] ?\S)"));

/// Returns whether the line does not say what failed.
pub(super) fn is_noise(line: &[u8]) -> bool {
    NOISE_REGEX.is_match(line) || HEADER.is_match(line) && !is_message(line)
}

/// Returns whether what follows a first word is a message about a failure.
fn is_message(line: &[u8]) -> bool {
    let colon = line.iter().position(|&byte| byte == b':');
    FAILED_STEP.is_match(line) || colon.is_some_and(|at| has_a_word_of_failure(&line[at..]))
}

/// Returns whether the text only says that another program failed.
pub(super) fn is_consequence(text: &[u8]) -> bool {
    CONSEQUENCE.is_match(text)
}

/// Returns whether the message says where the program failed, or that a resource was used up, which
/// happens in any function.
pub(super) fn happens_anywhere(text: &[u8]) -> bool {
    static ANYWHERE: LazyLock<Regex> = LazyLock::new(|| {
        compile(
            r"(?i)^panicked at |recursion|stack[ -]?overflow|call stack size|out ?of ?memory|MemoryError|KeyboardInterrupt",
        )
    });
    ANYWHERE.is_match(text)
}

/// Returns whether the line has a word of failing in capital letters.
pub(super) fn is_emphatic(line: &[u8]) -> bool {
    EMPHATIC.is_match(line)
}

/// Returns whether the line is a warning.
pub(super) fn is_warning(line: &[u8]) -> bool {
    static WARNING: LazyLock<Regex> = LazyLock::new(|| compile(r"(?i)\bwarning\b"));
    WARNING.is_match(line)
}

/// Returns whether the line is a detail of a line above it.
pub(super) fn is_detail(line: &[u8]) -> bool {
    DETAIL.is_match(line)
}

/// Returns whether the line has a word that messages about failures have.
pub(super) fn has_a_word_of_failure(line: &[u8]) -> bool {
    WORD.is_match(line)
}
