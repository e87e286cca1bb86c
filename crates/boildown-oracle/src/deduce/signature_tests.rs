//! Signatures of output that real tools printed, and of output that is not a crash.

use super::*;

/// What tools printed about small failing programs. Each section begins with a line that names it
/// and says how it ended. Long stack traces are shortened.
const REAL: &str = include_str!("real_tool_output.txt");

fn run(outcome: Outcome, stderr: &str) -> Run {
    Run::ended(outcome, stderr)
}

fn real() -> impl Iterator<Item = (&'static str, Run)> {
    let sections = REAL.split("#### ").skip(1);
    sections.map(|section| {
        let (head, printed) = section.split_once('\n').unwrap();
        let (name, code) = head.split_once(", exit code ").unwrap();
        (name, run(Outcome::Exited(code.parse().unwrap()), printed))
    })
}

fn signature(outcome: Outcome, stderr: &str) -> Option<String> {
    Some(Signature::of_run(&run(outcome, stderr))?.to_string())
}

#[test]
fn signatures_of_real_tools() {
    let listed: Vec<String> = real()
        .map(|(name, run)| match Signature::of_run(&run) {
            Some(signature) => format!("{name}: {:?}: {signature}", signature.kind),
            None => format!("{name}: no crash"),
        })
        .collect();
    insta::assert_snapshot!(listed.join("\n"), @r#"
    gcc-asan: Memory: AddressSanitizer: heap-use-after-free in peek
    clang-asan: Memory: AddressSanitizer: heap-use-after-free in peek
    gcc-lsan: Memory: AddressSanitizer: N byte(s) leaked in lose
    gcc-tsan: Memory: ThreadSanitizer: data race in add
    clang-msan: Memory: MemorySanitizer: use-of-uninitialized-value in main
    gcc-ubsan: Memory: runtime error: signed integer overflow: N + N cannot be represented in type 'int'
    clang-ubsan: Memory: UndefinedBehaviorSanitizer: SEGV in main
    glibc-assert: Assertion: assert.c:N: main: Assertion `argc == N && "seven arguments"' failed
    twice: Memory: free(): double free detected in tcache N
    fortify: Memory: *** buffer overflow detected ***: terminated
    smash: Memory: *** stack smashing detected ***: terminated
    throw: Panic: terminate called after throwing an instance of 'std::out_of_range' what():  vector::_M_range_check: __n (which is N) >= this->size() (which is N)
    segv: Signal: SIGSEGV
    segv-shell: Signal: SIGSEGV
    gdb: Signal: SIGSEGV in follow
    gcc-ice-seg: Internal: internal compiler error: Segmentation fault signal terminated program cc1
    clang-crash: Internal: SIGILL in clang::Preprocessor::HandlePragmaDirective
    clang-llvm_fatal_error: Internal: fatal error: error in backend: #pragma clang __debug llvm_fatal_error in clang::Preprocessor::HandlePragmaDirective
    rustc-ice: Internal: internal compiler error[E0308]: mismatched types
    rust-index: Panic: panicked at stop.rs:N:N: index out of bounds: the len is N but the index is N
    rust-index-trace: Panic: panicked at stop.rs:N:N: index out of bounds: the len is N but the index is N
    rust-none: Panic: panicked at none.rs:N:N: called `Option::unwrap()` on a `None` value
    go-index: Panic: panic: runtime error: index out of range [N] with length N in main.pick
    go-nilmap: Panic: panic: runtime error: invalid memory address or nil pointer dereference in main.follow
    go-dead: Panic: fatal error: all goroutines are asleep - deadlock! in main.main
    py-chain: Exception: ValueError: no value for 0x…, caused by KeyError: '…' in look
    py-deep: Exception: RecursionError: maximum recursion depth exceeded in down
    py-fatal: Signal: Fatal Python error: Segmentation fault
    node-type: Exception: TypeError: Cannot read properties of undefined (reading '…') in look
    node-reject: Exception: RangeError: N is out of range in main
    node-heap: Panic: FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
    javac-pick: Exception: java.lang.IllegalStateException: cannot pick, caused by java.lang.ArrayIndexOutOfBoundsException: Index N out of bounds for length N in Pick.pick
    java-deep: Exception: java.lang.StackOverflowError in Deep.down
    java-crash: Signal: V  [libjvm.so+0x…]  Unsafe_PutLong+0x…
    mono-pick: Exception: System.IndexOutOfRangeException: Index was outside the bounds of the array. in Pick.Main
    mono-wrap: Exception: System.InvalidOperationException: cannot go on ---> System.ArgumentNullException: Value cannot be null. in Wrap.Main
    gcc-bad: no crash
    clang-bad: no crash
    rust-bad: no crash
    py-bad: no crash
    node-bad: no crash
    java-bad: no crash
    go-build-bad: no crash
    "#);
}

#[test]
fn a_signature_does_not_depend_on_addresses_and_directories() {
    let digits = regex::Regex::new(r"0x[0-9a-f]+|==\d+==|/home/me/try/").unwrap();
    for (name, run) in real() {
        let Some(signature) = Signature::of_run(&run) else {
            continue;
        };
        let text = String::from_utf8(run.stderr.clone()).unwrap();
        let mut other = run;
        let moved = digits.replace_all(&text, |found: &regex::Captures<'_>| {
            let kind = &found[0][..1];
            ["0x7ffd1234", "==99==", "/x/y/"]
                [usize::from(kind == "=") + 2 * usize::from(kind == "/")]
        });
        other.stderr = moved.into_owned().into_bytes();
        assert_eq!(Signature::of_run(&other), Some(signature), "{name}");
    }
}

#[test]
fn a_signal_is_recognised_without_a_message_and_through_a_shell() {
    for outcome in [Outcome::Signalled(11), Outcome::Exited(139)] {
        assert_eq!(signature(outcome, "").unwrap(), "SIGSEGV");
    }
    let printed = "a.sh: line 3: 12 Segmentation fault      (core dumped) ./a.out\n";
    assert_eq!(signature(Outcome::Exited(1), printed).unwrap(), "SIGSEGV");
    // It was killed from outside, directly or inside a shell.
    for outcome in [
        Outcome::Signalled(9),
        Outcome::Exited(143),
        Outcome::Exited(141),
        Outcome::TimedOut,
    ] {
        assert_eq!(signature(outcome, ""), None, "{outcome}");
    }
}

#[test]
fn error_messages_about_the_input_are_not_crashes() {
    for printed in [
        "a.c:1:1: error: expected ';'\n",
        "fatal error: missing.h: No such file or directory\n",
        "Traceback (most recent call last):\n  File \"t.py\", line 1, in <module>\n    x\njson.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n",
        "Traceback (most recent call last):\n  File \"t.py\", line 1, in <module>\n    x\nNameError: name 'x' is not defined\n",
        "/a.js:1\nx\n^\n\nReferenceError: x is not defined\n    at Object.<anonymous> (/a.js:1:1)\n",
        "Exception in thread \"main\" java.lang.NumberFormatException: For input string: \"x\"\n\tat A.main(A.java:1)\n",
        "usage: tool FILE\n",
        "",
    ] {
        assert_eq!(signature(Outcome::Exited(1), printed), None, "{printed}");
    }
}

#[test]
fn a_successful_run_is_a_crash_only_if_a_sanitizer_reports_one() {
    assert_eq!(
        signature(Outcome::Exited(0), "Assertion `a' failed.\n"),
        None
    );
    assert_eq!(
        signature(
            Outcome::Exited(0),
            "a.c:3:4: runtime error: division by zero\n"
        )
        .unwrap(),
        "runtime error: division by zero"
    );
}

#[test]
fn internal_errors_of_other_compilers() {
    assert_eq!(
        signature(Outcome::Exited(1), "crash.c:7:6: internal compiler error: in vect_transform_stmt, at tree-vect-stmts.c:9875\n").unwrap(),
        "internal compiler error: in vect_transform_stmt, at tree-vect-stmts.c:N"
    );
    // From the documentation of Microsoft.
    assert_eq!(
        signature(
            Outcome::Exited(2),
            "crash.cpp(5): fatal error C1001: Internal compiler error.\n"
        )
        .unwrap(),
        "fatal error C1001: Internal compiler error."
    );
}

#[test]
fn quoted_text_does_not_distinguish_exceptions() {
    let printed = |name| {
        format!(
            "Traceback (most recent call last):\n  File \"t.py\", line 1, in look\n    x\nKeyError: '{name}'\n"
        )
    };
    let one = signature(Outcome::Exited(1), &printed("one"));
    assert_eq!(one.as_deref(), Some("KeyError: '…' in look"));
    assert_eq!(one, signature(Outcome::Exited(1), &printed("other")));
}

#[test]
fn the_function_is_one_of_the_program_and_not_of_its_library() {
    let printed = |frames: &str| {
        format!(
            "/s/s.js:2\n    x\n    ^\n\nTypeError: Cannot read properties of undefined\n{frames}    \
             at pick (/s/s.js:2:9)\n    at Object.<anonymous> (/s/s.js:5:1)\n"
        )
    };
    let expected = "TypeError: Cannot read properties of undefined in pick";
    for frames in [
        "",
        "    at /s/s.js:2:80\n    at Array.map (<anonymous>)\n",
        "    at Array.filter (<anonymous>)\n",
    ] {
        let signature = signature(Outcome::Exited(1), &printed(frames));
        assert_eq!(signature.as_deref(), Some(expected), "{frames}");
    }
}

#[test]
fn a_signature_has_a_file_name() {
    let run = run(
        Outcome::Exited(134),
        "Assertion `a / b != \"..\"' failed.\n",
    );
    assert_eq!(
        Signature::of_run(&run).unwrap().file_name(),
        "Assertion-a-b-failed"
    );
    for (name, run) in real() {
        let file_name = Signature::of_run(&run).map(|signature| signature.file_name());
        assert!(
            file_name.is_none_or(|name| (1..=60).contains(&name.len())),
            "{name}"
        );
    }
}

#[test]
fn what_a_program_says_before_it_aborts_is_in_the_signature() {
    let aborted = |message: &str| signature(Outcome::Signalled(6), message).unwrap();
    let key = aborted("error: key 'a' not found in table\n");
    assert_eq!(key, aborted("error: key 'bc' not found in table\n"));
    let deep = aborted("error: nesting too deep at column 7\n");
    assert_eq!(deep, aborted("error: nesting too deep at column 12\n"));
    let sum = aborted("ledger: debit and credit differ by 5\n");
    assert!(
        key != deep && deep != sum && key != sum,
        "{key}, {deep}, {sum}"
    );
    assert_eq!(aborted(""), "SIGABRT");
}
