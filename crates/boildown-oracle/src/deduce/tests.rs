//! Properties deduced from realistic failures, and from random bytes.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::Verdict;

pub(super) fn failed(outcome: Outcome, stdout: &[u8], stderr: &[u8]) -> Run {
    Run {
        outcome,
        stdout: stdout.to_vec(),
        stderr: stderr.to_vec(),
        took: Duration::ZERO,
    }
}

/// Deduces a property from a run that printed this text to stderr, and returns its expression.
#[track_caller]
fn deduced(stderr: &str) -> String {
    let run = failed(Outcome::Exited(1), b"compiling...\n", stderr.as_bytes());
    let property = deduce(&run).unwrap();
    assert_eq!(property.verdict(&run), Verdict::Interesting);
    match property.expectations() {
        [
            Expectation::Exit(ExitSpec::Code(1)),
            Expectation::Stderr(pattern),
        ] => pattern.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn all_expressions_compile() {
    assert_eq!(
        deduce(&failed(Outcome::Exited(1), b"", b""))
            .unwrap()
            .flags(),
        "--exit 1"
    );
    assert_eq!(deduced("x"), "^x$");
}

#[test]
fn nothing_is_deduced_from_a_success_or_a_timeout() {
    assert_eq!(
        deduce(&failed(Outcome::Exited(0), b"", b"error: ignored\n")),
        None
    );
    assert_eq!(
        deduce(&failed(Outcome::TimedOut, b"", b"error: slow\n")),
        None
    );
}

#[test]
fn a_failure_without_output_is_identified_by_its_exit_status() {
    assert_eq!(
        deduce(&failed(Outcome::Signalled(11), b"", b""))
            .unwrap()
            .flags(),
        "--exit SIGSEGV"
    );
    assert_eq!(
        deduce(&failed(Outcome::Exited(3), b"", b" \n\n"))
            .unwrap()
            .flags(),
        "--exit 3"
    );
}

#[test]
fn standard_output_is_used_when_standard_error_is_less_specific() {
    let flags = |stdout: &[u8], stderr: &[u8]| {
        deduce(&failed(Outcome::Exited(1), stdout, stderr))
            .unwrap()
            .flags()
    };
    assert_eq!(
        flags(b"FAIL test 3\n", b""),
        r"--exit 1 --stdout '^FAIL test \d+$'"
    );
    assert_eq!(
        flags(b"a: Assertion `x' failed.\n", b"done\n"),
        r"--exit 1 --stdout 'Assertion `x'\'' failed'"
    );
    assert_eq!(
        flags(b"error: a\n", b"error: b\n"),
        "--exit 1 --stderr '^error: b$'"
    );
}

#[test]
fn clang_assertion() {
    let stderr = "\
clang-18: ../llvm/lib/IR/Type.cpp:312: static llvm::IntegerType *llvm::IntegerType::get(llvm::LLVMContext &, unsigned int): Assertion `NumBits >= MIN_INT_BITS && \"bitwidth too small\"' failed.
PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/ and include the crash backtrace.
Stack dump:
0.\tProgram arguments: clang-18 -cc1 crash.c
 #0 0x000055d0c8a3a1b8 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int)
";
    insta::assert_snapshot!(deduced(stderr), @r#"\S*Type\.cpp:\d+: static llvm::IntegerType \*llvm::IntegerType::get\(llvm::LLVMContext &, unsigned int\): Assertion `NumBits >= MIN_INT_BITS && "bitwidth too small"' failed"#);
}

#[test]
fn clang_crash_without_assertion() {
    let stderr = "\
PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/ and include the crash backtrace.
Stack dump:
0.\tProgram arguments: clang-18 -cc1 /dev/shm/boildown-17-aXb3Qz/000000000001/crash.c
clang: error: unable to execute command: Segmentation fault (core dumped)
";
    insta::assert_snapshot!(deduced(stderr), @"Segmentation fault");
}

#[test]
fn clang_backend_error() {
    insta::assert_snapshot!(deduced("fatal error: error in backend: Cannot select: 0x55f1c0a8: i64 = bitcast t12\n"), @r"^fatal error: error in backend: Cannot select: 0[xX][0-9a-fA-F]+: i\d+ = bitcast t\d+$");
    insta::assert_snapshot!(deduced("bad opcode\nUNREACHABLE executed at /build/llvm/lib/Target/X86/X86ISelLowering.cpp:4242!\n"), @r"^UNREACHABLE executed at \S*X\d+ISelLowering\.cpp:\d+!$");
}

#[test]
fn compile_error() {
    let stderr = "\
/dev/shm/boildown-17-aXb3Qz/000000000001/crash.c:3:5: error: use of undeclared identifier 'x'
    x = 1;
    ^
1 error generated.
";
    insta::assert_snapshot!(deduced(stderr), @r"^\S*crash\.c:\d+:\d+: error: use of undeclared identifier 'x'$");
}

#[test]
fn gcc_internal_compiler_error() {
    let stderr = "\
during GIMPLE pass: vect
crash.c: In function 'f':
crash.c:7:6: internal compiler error: in vect_transform_stmt, at tree-vect-stmts.c:9875
    7 | void f() {
0x7f2a11d2a082 __libc_start_main
Please submit a full bug report, with preprocessed source.
";
    insta::assert_snapshot!(deduced(stderr), @r"internal compiler error: in vect_transform_stmt, at tree-vect-stmts\.c:\d+$");
}

#[test]
fn rustc_internal_compiler_error() {
    let stderr = "\
thread 'rustc' (4711) panicked at /rustc/0f2b1c/compiler/rustc_type_ir/src/binder.rs:783:9:
index out of bounds: the len is 2 but the index is 2
stack backtrace:
   0:     0x7f3b6c1d2e4f - std::backtrace_rs
error: the compiler unexpectedly panicked. this is a bug.
";
    insta::assert_snapshot!(deduced(stderr), @r"panicked at \S*binder\.rs:\d+:\d+:\nindex out of bounds: the len is \d+ but the index is \d+$");
}

#[test]
fn rust_panic_before_1_73() {
    insta::assert_snapshot!(deduced("thread 'main' panicked at 'explicit panic', src/main.rs:2:5\nnote: run with `RUST_BACKTRACE=1`\n"), @r"panicked at 'explicit panic', \S*main\.rs:\d+:\d+$");
}

#[test]
fn address_sanitizer() {
    let stderr = "\
=================================================================
==31337==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x0000004f8c2d bp 0x7ffd sp 0x7ffc
READ of size 4 at 0x602000000010 thread T0
    #0 0x4f8c2c in main /tmp/crash.c:6:10
SUMMARY: AddressSanitizer: heap-use-after-free /tmp/crash.c:6:10 in main
";
    insta::assert_snapshot!(deduced(stderr), @"^SUMMARY: AddressSanitizer: heap-use-after-free");
    let cut_short = &stderr[..stderr.find("READ").unwrap()];
    insta::assert_snapshot!(deduced(cut_short), @"ERROR: AddressSanitizer: heap-use-after-free");
}

#[test]
fn undefined_behavior_sanitizer() {
    let stderr = "\
crash.c:3:12: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'
SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior crash.c:3:12
";
    insta::assert_snapshot!(deduced(stderr), @r"runtime error: signed integer overflow: \d+ \+ \d+ cannot be represented in type 'int'$");
}

#[test]
fn glibc_assertion_and_heap_check() {
    insta::assert_snapshot!(deduced("a.out: crash.c:4: main: Assertion `p != 0' failed.\nAborted (core dumped)\n"), @r"crash\.c:\d+: main: Assertion `p != \d+' failed");
    insta::assert_snapshot!(deduced("free(): double free detected in tcache 2\n"), @r"^free\(\): double free detected in tcache \d+$");
    insta::assert_snapshot!(deduced("*** stack smashing detected ***: terminated\n"), @r"^\*\*\* stack smashing detected \*\*\*: terminated$");
}

#[test]
fn cpp_exception() {
    let stderr = "terminate called after throwing an instance of 'std::out_of_range'\n  what():  vector::_M_range_check: __n (which is 7)\n";
    insta::assert_snapshot!(deduced(stderr), @r"^terminate called after throwing an instance of 'std::out_of_range'\n  what\(\):  vector::_M_range_check: __n \(which is \d+\)$");
}

#[test]
fn python_exception_is_the_last_of_its_chain_with_the_first_one() {
    let unrelated = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\n\
                     OSError: shown and ignored\n";
    let chain = "\
Traceback (most recent call last):
  File \"/home/me/tool.py\", line 3, in <module>
    int('x')
ValueError: invalid literal for int() with base 10: 'x'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File \"/home/me/tool.py\", line 5, in <module>
    raise KeyError(1)
KeyError: 1
";
    let run = failed(
        Outcome::Exited(1),
        b"",
        format!("{unrelated}{chain}").as_bytes(),
    );
    let property = deduce(&run).unwrap();
    insta::assert_snapshot!(property.flags(), @r"--exit 1 --stderr '^KeyError: \d+$' --stderr '^ValueError: invalid literal for int\(\) with base \d+: '\''x'\''$'");
    // The wrapper around another failure.
    let other = chain.replace("ValueError: invalid literal", "ValueError: too many values");
    let other = failed(Outcome::Exited(1), b"", other.as_bytes());
    assert_eq!(property.verdict(&other), Verdict::Uninteresting);
    let alone = format!("{chain}{unrelated}");
    insta::assert_snapshot!(deduced(&alone), @r"^OSError: shown and ignored$");
}

#[test]
fn python_syntax_error_has_no_traceback() {
    insta::assert_snapshot!(deduced("  File \"/tmp/a.py\", line 1\n    x = = 1\n        ^\nSyntaxError: invalid syntax\n"), @"^SyntaxError: invalid syntax$");
}

#[test]
fn node_exception() {
    let stderr = "\
/home/me/tool.js:3
  x.y.z
    ^

TypeError: Cannot read properties of undefined (reading 'z')
    at Object.<anonymous> (/home/me/tool.js:3:7)
    at node:internal/main/run_main_module:28:49

Node.js v20.11.0
";
    insta::assert_snapshot!(deduced(stderr), @r"^TypeError: Cannot read properties of undefined \(reading 'z'\)$");
}

#[test]
fn java_exception_and_virtual_machine_crash() {
    let exception = "\
Exception in thread \"pool-1-thread-7\" java.lang.ArrayIndexOutOfBoundsException: Index 5 out of bounds for length 3
\tat com.example.Main.main(Main.java:5)
";
    insta::assert_snapshot!(deduced(exception), @r"java\.lang\.ArrayIndexOutOfBoundsException: Index \d+ out of bounds for length \d+$");
    let crash = "\
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007f1e2c8f4a2d, pid=4242, tid=4243
#
# Problematic frame:
# V  [libjvm.so+0x8f4a2d]  PhaseIdealLoop::build_loop_late_post_work(Node*, bool)+0x1d
";
    insta::assert_snapshot!(deduced(crash), @r"^# Problematic frame:\n# V  \[libjvm\.so\+0[xX][0-9a-fA-F]+\]  PhaseIdealLoop::build_loop_late_post_work\(Node\*, bool\)\+0[xX][0-9a-fA-F]+$");
}

#[test]
fn go_panic() {
    let stderr = "\
panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.main()
\t/tmp/x/main.go:7 +0x1d
exit status 2
";
    insta::assert_snapshot!(deduced(stderr), @r"^panic: runtime error: index out of range \[\d+\] with length \d+$");
}

#[test]
fn a_crash_inside_a_test_script_is_reported_by_the_shell() {
    insta::assert_snapshot!(deduced("./test.sh: line 3: 12345 Segmentation fault      (core dumped) ./a.out\n"), @"Segmentation fault");
}

#[test]
fn an_unknown_failure_is_identified_by_its_last_line() {
    insta::assert_snapshot!(deduced("first\nI/O trouble (a.b*c) at 0xFFee in dir/file.ext and 3.5/x\n\n"), @r"^I/O trouble \(a\.b\*c\) at 0[xX][0-9a-fA-F]+ in \S* and \d+\.\d+/x$");
}

#[test]
fn a_long_line_is_matched_by_its_beginning() {
    let expression = deduced(&format!("trouble {}", "abc ".repeat(1000)));
    assert!(expression.starts_with("^trouble abc"));
    assert!(expression.len() < 200, "{expression}");
    assert!(!expression.ends_with('$'));
}

#[test]
fn a_run_with_other_addresses_numbers_and_directories_has_the_same_property() {
    let line = |dir: &str, number: u32| {
        format!(
            "{dir}/crash.c:{number}:{number}: fatal error: bad thing {number} at 0x{number:x} in '{dir}/b.o'\n"
        )
    };
    let property = deduce(&failed(
        Outcome::Exited(1),
        b"",
        line("/dev/shm/boildown-1-a/000000000001", 7).as_bytes(),
    ))
    .unwrap();
    let other = failed(
        Outcome::Exited(1),
        b"",
        line("/tmp/elsewhere", 123_456).as_bytes(),
    );
    assert_eq!(property.verdict(&other), Verdict::Interesting);
    let different = failed(
        Outcome::Exited(1),
        b"",
        b"crash.c:1:1: fatal error: worse thing 3 at 0x1 in 'b.o'\n",
    );
    assert_eq!(property.verdict(&different), Verdict::Uninteresting);
}

#[test]
fn the_name_of_a_file_is_literal_if_the_input_has_its_path() {
    let run = failed(
        Outcome::Exited(1),
        b"",
        b"cat: /nonexistent/b2: No such file or directory\n",
    );
    let flags = |input: &[u8]| {
        let input = InputFile {
            name: "in.sh".into(),
            text: input,
        };
        let deduction = Deduction::on_input(&run, &input, &OtherRuns::default()).unwrap();
        deduction.property().flags()
    };
    insta::assert_snapshot!(flags(b"cat /nonexistent/b2\n"), @r"--exit 1 --stderr '^cat: \S*b2: No such file or directory$'");
    insta::assert_snapshot!(flags(b"cat /nonexistent/b21\n"), @r"--exit 1 --stderr '^cat: \S*: No such file or directory$'");
}

/// Returns the flags of the property with the place of the failure, which the run has to have.
fn placed(stderr: &str) -> String {
    let run = failed(Outcome::Exited(1), b"", stderr.as_bytes());
    let deduction = Deduction::of_run(&run).unwrap().with_place(&run, "in.txt");
    assert_eq!(deduction.property().verdict(&run), Verdict::Interesting);
    deduction.property().flags()
}

#[test]
fn an_exception_is_kept_with_the_function_of_the_program_that_raised_it() {
    let python = |last: &str, message: &str| {
        placed(&format!(
            "Traceback (most recent call last):\n  File \"/s/tool.py\", line 9, in <module>\n    \
             load(x)\n  File \"/s/tool.py\", line 3, in load\n    json.loads(x)\n{last}{message}\n"
        ))
    };
    let in_library =
        "  File \"/usr/lib/python3.12/json/decoder.py\", line 353, in raw_decode\n    raise\n";
    let message = "KeyError: 'name'";
    let expected = [
        r#"--exit 1 --stderr '^KeyError: '\''name'\''$' --stderr '^  File .*, in load$\n(  .*\n)*\S'"#,
        r#"--exit 1 --stderr '^KeyError: '\''name'\''$' --stderr '^  File .*, in load$\n(  [ \[].*\n)*\S'"#,
    ];
    assert_eq!(python(in_library, message), expected[0]);
    assert_eq!(python("", message), expected[1]);
    // The function is one of the input.
    let in_input = "  File \"in.txt\", line 1, in f\n    x\n";
    let loose = expected[0].split(" --stderr '^  File").next().unwrap();
    assert_eq!(python(in_input, message), loose);
    // Any function may be the one that exceeds a limit.
    let limit = "RecursionError: maximum recursion depth exceeded";
    assert!(!python("", limit).contains("File"));

    let java = "Exception in thread \"main\" java.lang.NullPointerException: no name\n\tat \
                java.base/java.util.Objects.requireNonNull(Objects.java:259)\n\tat \
                tool.Parser.parse(Parser.java:31)\n\tat tool.Main.main(Main.java:4)\n";
    assert!(placed(java).ends_with(r"\s+at (async |new )*tool\.Parser\.parse[ (]'"));
    let javascript = "/s/tool.js:4\n    throw new TypeError('no name');\n    ^\n\nTypeError: no \
                      name\n    at Array.map (<anonymous>)\n    at check (/s/tool.js:4:11)\n    at \
                      main (/s/tool.js:9:1)\n    at node:internal/main:30:5\n\nNode.js v20.1.0\n";
    assert!(placed(javascript).ends_with(r"\s+at (async |new )*check[ (]'"));
    let go = "panic: no name\n\ngoroutine 1 [running]:\nmain.check(0x1)\n\t/s/tool.go:7 +0x1d\n\
              main.main()\n\t/s/tool.go:3 +0x1d\nexit status 2\n";
    assert!(placed(go).ends_with(r"main\.check\('"), "{}", placed(go));
}

#[test]
fn the_place_of_a_failure_is_that_of_its_innermost_cause() {
    let java = "Exception in thread \"main\" a.LoadError: no plan\n\tat a.Plan.load(Plan.java:41)\n\
                \tat a.Main.main(Main.java:12)\nCaused by: a.ReadError: no rows\n\tat \
                a.Plan.load(Plan.java:30)\n\t... 1 more\nCaused by: a.RowError: no name\n\tat \
                java.base/java.util.Objects.requireNonNull(Objects.java:259)\n\tat \
                a.Column.width(Column.java:17)\n\t... 2 more\n";
    let flags = placed(java);
    assert!(flags.contains(r"'a\.RowError: no name$'"), "{flags}");
    assert!(!flags.contains("ReadError"), "{flags}");
    assert!(flags.ends_with(r"a\.Column\.width[ (]'"), "{flags}");

    let node = "/m.js:9\n    throw e;\n    ^\n\nError: no plan\n    at load (/m.js:9:11) {\n  \
                [cause]: TypeError: no rows\n      at column (/m.js:3:20)\n      at load \
                (/m.js:7:5)\n}\n\nNode.js v20.20.2\n";
    assert!(placed(node).ends_with(r"\s+at (async |new )*column[ (]'"));

    let python = "Traceback (most recent call last):\n  File \"/s/m.py\", line 4, in limit\n    \
                  int(x)\nValueError: no int\n\nThe above exception was the direct cause of the \
                  following exception:\n\nTraceback (most recent call last):\n  File \"/s/m.py\", \
                  line 12, in load\n    raise E('no plan')\nE: no plan\n";
    assert!(placed(python).contains("File .*, in limit$"));
}

#[test]
fn the_place_of_a_failure_is_not_in_a_library() {
    let dart = "Unhandled exception:\nRangeError (index): Only valid value is 0: 3\n#0      List.[] \
                (dart:core-patch/growable_array.dart:264:36)\n#1      readRow \
                (file:///src/bin/main.dart:14:15)\n";
    assert!(
        placed(dart).ends_with(r"#1\b.*\breadRow\b'"),
        "{}",
        placed(dart)
    );
    let dotnet = "Unhandled exception. System.InvalidOperationException: Sequence contains no \
                  elements\n   at System.Linq.ThrowHelper.ThrowNoElementsException()\n   at \
                  Acme.Parser.ReadTable(String text) in /src/Parser.cs:line 51\n";
    assert!(placed(dotnet).ends_with(r"Acme\.Parser\.ReadTable[ (]'"));
    let zig = "thread 12 panic: index out of bounds: index 7, len 4\n\
               /usr/lib/zig/std/mem.zig:6:19: 0x103f1a0 in get (prog)\n/src/table.zig:61:19: \
               0x103f1a1 in lookup (prog)\n    return rows[i];\n                  ^\n";
    assert!(placed(zig).ends_with(r"in lookup\b'"), "{}", placed(zig));
}

/// Texts that the table of messages and the generalisation look for.
const FRAGMENTS: &[&str] = &[
    "error: ",
    "panicked at ",
    "Assertion `",
    "' failed",
    "Traceback (most recent call last):\n",
    "  at ",
    "0x",
    "/",
    "//a",
    "./b.c",
    ":3",
    "\n",
    "\r\n",
    "\t",
    "é",
    "‘",
    " ",
    "TypeError",
    "$",
    "^",
    "\\",
    "SUMMARY: AddressSanitizer: ",
    "I/O",
];

/// Output made of the fragments in any order, and of random bytes.
fn output() -> impl Strategy<Value = Vec<u8>> {
    let fragment = prop_oneof![
        prop::sample::select(FRAGMENTS).prop_map(|fragment| fragment.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..4),
        "[a-z0-9./]{0,40}".prop_map(String::into_bytes),
    ];
    prop::collection::vec(fragment, 0..30).prop_map(|fragments| fragments.concat())
}

proptest! {
    #[test]
    fn the_run_has_the_property_deduced_from_it(
            stdout in output(),
            stderr in output(),
            code in 1i32..256,
        ) {
        let run = failed(Outcome::Exited(code), &stdout, &stderr);
        let property = deduce(&run).unwrap();
        prop_assert_eq!(property.verdict(&run), Verdict::Interesting);
        let has_output = stdout.iter().chain(&stderr).any(|byte| !byte.is_ascii_whitespace());
        // With a line that is announced by the one that names the failure, there are three.
        let expected = if has_output { 2..=3 } else { 1..=1 };
        prop_assert!(expected.contains(&property.expectations().len()), "{}", property);
    }

    #[test]
    fn a_deduced_pattern_parses_to_itself(stderr in output()) {
        let property = deduce(&failed(Outcome::Exited(1), b"", &stderr)).unwrap();
        if let [_, Expectation::Stderr(pattern)] = property.expectations() {
            prop_assert_eq!(&pattern.as_str().parse::<Pattern>().unwrap(), pattern);
            prop_assert!(!pattern.as_str().contains(char::is_control), "{}", pattern);
        }
    }
}

#[test]
fn of_a_frame_of_signs_the_line_of_the_internal_error_is_taken() {
    let frame = "==========\n\
        || INTERNAL ERROR in phase \"lower\": TupleIndex on unit   ||\n\
        ||                                                       ||\n\
        || Please report this at https://example.org/issues      ||\n\
        ==========\ncompilation aborted.\n";
    assert_eq!(
        deduced(frame),
        "INTERNAL ERROR in phase \"lower\": TupleIndex on unit"
    );
}

#[test]
fn what_a_line_overwrites_is_no_message() {
    let bar = |states: usize| {
        let states: String = (0..states)
            .map(|it| format!("\rloading {it} [##]"))
            .collect();
        failed(
            Outcome::Exited(1),
            b"",
            format!("{states}\r\x1b[Kerror: bad block\r\n").as_bytes(),
        )
    };
    let property = deduce(&bar(3)).unwrap();
    assert_eq!(property.flags(), "--exit 1 --stderr 'error: bad block'");
    assert!(property.verdict(&bar(7)).is_interesting());
}

#[test]
fn a_command_of_the_input_that_is_shown_is_no_failure() {
    let rule = "  command = check $in && echo \"error: bad value\" && exit 3";
    let shown = "check in && echo \"error: bad value\" && exit 3";
    let output =
        format!("[1/1] {shown}\nFAILED: out\n{shown}\nerror: bad value\nninja: build stopped\n");
    let run = failed(Outcome::Exited(1), output.as_bytes(), b"");
    let input = InputFile {
        name: "build.ninja".into(),
        text: rule.as_bytes(),
    };
    let deduction = Deduction::on_input(&run, &input, &OtherRuns::default()).unwrap();
    assert_eq!(
        deduction.property().flags(),
        "--exit 1 --stdout '^error: bad value$'"
    );
}

#[test]
fn values_that_a_test_compares_are_left_open() {
    for (line, expected) in [
        (
            "AssertionError: {'a': [1]} != {'b': 'x'}",
            r"^AssertionError: .*$",
        ),
        (
            "AssertionError: Lists differ: ['a'] != []",
            r"^AssertionError: Lists differ: .*$",
        ),
        (
            "AssertionError: total is odd",
            "^AssertionError: total is odd$",
        ),
    ] {
        let output =
            format!("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n{line}\n");
        let run = failed(Outcome::Exited(1), b"", output.as_bytes());
        let property = deduce(&run).unwrap();
        assert!(property.flags().contains(expected), "{}", property.flags());
    }
}

#[test]
fn words_that_vary_from_run_to_run_are_left_open() {
    let run = |worker: &str, time: &str| {
        let output = format!("error: worker {worker} gave up after {time}: bad frame\n");
        failed(Outcome::Exited(1), b"", output.as_bytes())
    };
    let first = run("ab-x", "1e-05s");
    let others = OtherRuns {
        repeated: vec![run("q-zz", "0.25s")],
        ..OtherRuns::default()
    };
    let deduction = Deduction::on_input(&first, &InputFile::default(), &others).unwrap();
    let expected = r"--exit 1 --stderr '^error: worker \S+-\S+ gave up after \S+: bad frame$'";
    assert_eq!(deduction.property().flags(), expected);
}

#[test]
fn what_a_number_counts_may_be_one_or_several() {
    for (line, other) in [
        (
            "E: 2 validation errors for User",
            "E: 1 validation error for User",
        ),
        (
            "E: takes 1 argument (3 given)",
            "E: takes 2 arguments (1 given)",
        ),
    ] {
        let first = failed(Outcome::Exited(1), b"", line.as_bytes());
        let property = deduce(&first).unwrap();
        let other = failed(Outcome::Exited(1), b"", other.as_bytes());
        assert!(property.verdict(&other).is_interesting(), "{property}");
    }
}

#[test]
fn other_properties_hold_in_repeated_runs() {
    let run = |session: &str| {
        let output = format!("session {session}\nbad thing in the file\nanother thing failed\n");
        failed(Outcome::Exited(1), output.as_bytes(), b"")
    };
    let is_named = |deduction: &Deduction| {
        let others = deduction.alternatives().iter();
        others.filter(|it| it.flags().contains("session")).count()
    };
    let first = run("73ab9");
    assert_eq!(is_named(&Deduction::of_run(&first).unwrap()), 1);
    let others = OtherRuns {
        repeated: vec![run("c4ffe")],
        ..OtherRuns::default()
    };
    assert_eq!(
        is_named(&Deduction::on_input(&first, &InputFile::default(), &others).unwrap()),
        0
    );
}

#[test]
fn of_a_group_of_exceptions_the_first_one_is_preserved_too() {
    let python = "  + Exception Group Traceback (most recent call last):
  |   File \"a.py\", line 9, in <module>
  |     asyncio.run(main())
  | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File \"a.py\", line 3, in f
    |     raise ValueError(\"insecure url\")
    | ValueError: insecure url
    +---------------- 2 ----------------
    | Traceback (most recent call last):
    |   File \"a.py\", line 5, in g
    |     raise KeyError(\"k\")
    | KeyError: 'k'
    +------------------------------------
";
    let node = "[AggregateError: All promises were rejected] {
  [errors]: [
    RangeError: bad port
        at Object.<anonymous> (/a.js:1:29)
        at node:internal/main/run_main_module:28:49,
    Error: x
        at Object.<anonymous> (/a.js:1:73)
  ]
}

Node.js v20.20.2
";
    for (printed, message) in [
        (python, "ValueError: insecure url"),
        (node, "RangeError: bad port"),
    ] {
        let run = Run::ended(Outcome::Exited(1), printed);
        let property = Deduction::of_run(&run).unwrap().property().to_string();
        assert!(property.contains(message), "{property}");
    }
}

/// Returns the lines that are preserved of a run on `in.txt`.
fn preserved(exit: u8, printed: &str, text: &[u8]) -> String {
    let run = failed(Outcome::Exited(exit.into()), b"", printed.as_bytes());
    let name = "in.txt".into();
    let deduction = Deduction::on_input(&run, &InputFile { name, text }, &OtherRuns::default());
    deduction.unwrap().property().flags()
}

#[test]
fn the_line_of_a_crash_in_the_source_of_the_program_is_literal_and_no_other() {
    insta::assert_snapshot!(preserved(134, "r: r.c:18: main: Assertion `n!=50' failed.\n", b"v 50\n"), @r"--exit 134 --stderr 'r\.c:18: main: Assertion `n!=50'\'' failed'");
    insta::assert_snapshot!(preserved(134, "r: r.c:18: main: Assertion `ok?s.len:0' failed.\n", b""), @r"--exit 134 --stderr 'r\.c:18: main: Assertion `ok\?s\.len:0'\'' failed'");
    insta::assert_snapshot!(preserved(134, "in: in.c:18: main: Assertion `n!=50' failed.\n", b""), @r"--exit 134 --stderr 'in\.c:\d+: main: Assertion `n!=\d+'\'' failed'");
    insta::assert_snapshot!(preserved(134, "t: t.txt:18: main: Assertion `n!=50' failed.\n", b""), @r"--exit 134 --stderr 't\.txt:\d+: main: Assertion `n!=\d+'\'' failed'");
    insta::assert_snapshot!(preserved(134, "t: target/.tmpa/t.c:18: main: Assertion `n!=50' failed.\n", b""), @r"--exit 134 --stderr '\S*t\.c:\d+: main: Assertion `n!=\d+'\'' failed'");
    insta::assert_snapshot!(preserved(1, "a.c:3:1: internal compiler error: in f, at expr.cc:12\n", b"# 1 \"a.c\"\n"), @r"--exit 1 --stderr 'internal compiler error: in f, at expr\.cc:12$'");
    insta::assert_snapshot!(preserved(1, "gen.c:14: error: junk 12\n", b""), @r"--exit 1 --stderr '^gen\.c:\d+: error: junk \d+$'");
    let run = failed(
        Outcome::Exited(134),
        b"",
        b"r: r.c:18: main: Assertion `a' failed.\n",
    );
    let folder = InputFile {
        name: "project".into(),
        text: b"",
    };
    let deduction = Deduction::on_input(&run, &folder, &OtherRuns::default()).unwrap();
    insta::assert_snapshot!(deduction.property().flags(), @r"--exit 134 --stderr 'r\.c:\d+: main: Assertion `a'\'' failed'");
}

#[test]
fn of_a_report_in_json_the_message_of_the_first_error_is_preserved() {
    let eslint = r#"[{"ruleId":"no-x","severity":1,"message":"x 1"},{"ruleId":"no-y","severity":2,"message":"bad \"y\" 2"}]"#;
    insta::assert_snapshot!(preserved(1, eslint, b""), @r#"--exit 1 --stderr '"message":"bad \\"y\\" \d+"'"#);
    let lines = "checked\n{\"level\": \"note\", \"message\": \"a\"}\n{\"level\": \"error\", \"message\": {\"text\": \"b c\"}}\n";
    insta::assert_snapshot!(preserved(1, lines, b""), @r#"--exit 1 --stderr '"text": "b c"'"#);
    let unknown = "[{\"code\": \"F821\", \"message\": \"undefined name\"}, {\"message\": \"b\"}]\n";
    insta::assert_snapshot!(preserved(1, unknown, b""), @r#"--exit 1 --stderr '"message": "undefined name"'"#);
    let beside = "{\"name\":\"x\",\"message\":\"A tool\"}\nx: error: cannot frob\n";
    insta::assert_snapshot!(preserved(1, beside, b""), @r"--exit 1 --stderr '^x: error: cannot frob$'");
    let log =
        "{\"level\":30,\"msg\":\"starting\"}\n{\"level\":50,\"msg\":\"cannot parse: boom\"}\n";
    insta::assert_snapshot!(preserved(1, log, b""), @r#"--exit 1 --stderr '^\{"level":\d+,"msg":"cannot parse: boom"\}$'"#);
    insta::assert_snapshot!(preserved(1, "{\"a\": 1}\nbad thing\n", b""), @r"--exit 1 --stderr '^bad thing$'");
}

#[test]
fn frames_are_no_failure_and_outer_exceptions_and_late_messages_are_found() {
    let guile = "Backtrace:\n           1 (primitive-load \"/x/u.scm\")\n  152:10  0 (with-exception-handler _ _ #:unwind? _ # _)\n\n/x/u.scm:3:9: In procedure vector-ref: Argument 2 out of range: 5\n";
    insta::assert_snapshot!(preserved(1, guile, b""), @r"--exit 1 --stderr '^\S*u\.scm:\d+:\d+: In procedure vector-ref: Argument \d+ out of range: \d+$'");
    let php = "PHP Fatal error:  Uncaught TypeError: no id in /x/a.php:4\nStack trace:\n#0 /x/a.php(9): f()\n#1 {main}\n\nNext RuntimeException: cannot run in /x/a.php:11\nStack trace:\n#0 {main}\n  thrown in /x/a.php on line 11\n";
    insta::assert_snapshot!(preserved(255, php, b""), @r"--exit 255 --stderr '^PHP Fatal error:  Uncaught TypeError: no id in \S*a\.php:\d+$' --stderr 'RuntimeException: cannot run'");
    let mocha = "  1) wrong\n  2) other\n\n  0 passing (3ms)\n  2 failing\n\n  1) wrong:\n     AssertionError [ERR_ASSERTION]: one is not two\n      at Context.<anonymous> (m.spec.js:3:5)\n\n  2) other:\n     ReferenceError: y is not defined\n";
    insta::assert_snapshot!(preserved(2, mocha, b""), @r"--exit nonzero --stderr '\d+\) wrong$' --stderr 'AssertionError \[ERR_ASSERTION\]: one is not two$'");
}

#[test]
fn words_of_hexadecimal_digits_and_excerpts_of_the_input_are_open_and_names_with_a_slash_are_not() {
    insta::assert_snapshot!(preserved(1, "error: object 6768ec8b of defaced is a385cffe\n", b""), @r"--exit 1 --stderr '^error: object [0-9a-fA-F]+ of defaced is [0-9a-fA-F]+$'");
    insta::assert_snapshot!(preserved(1, "Error: /undefined in nosuchname\n", b""), @r"--exit 1 --stderr '^Error: /undefined in nosuchname$'");
    insta::assert_snapshot!(preserved(1, "error: expected </div> in /srv/www or ./a for //\n", b""), @r"--exit 1 --stderr '^error: expected </div> in \S* or \S* for //$'");
    let json = br#"{"a": [1, 2, ], "b": 3}"#;
    insta::assert_snapshot!(preserved(1, "SyntaxError: Unexpected token ']', ...\": [1, 2, ], \"b\"... is not valid JSON\n", json), @r"--exit 1 --stderr '^SyntaxError: Unexpected token '\''\]'\'', .* is not valid JSON$'");
    insta::assert_snapshot!(preserved(1, "SyntaxError: Unexpected token ']', \"{\"a\": [1,\"... is not valid JSON\n", json), @r"--exit 1 --stderr '^SyntaxError: Unexpected token '\''\]'\'', .* is not valid JSON$'");
    insta::assert_snapshot!(preserved(1, "SyntaxError: Unexpected token ']', ...\": [1, 2, ],\n \"b\": 3\"... is not valid JSON\n", json), @r"--exit 1 --stderr '^SyntaxError: Unexpected token '\''\]'\'', .*$'");
    insta::assert_snapshot!(preserved(1, "SyntaxError: Unexpected token ']', \"[1,]\" is not valid JSON\n", b"[1,]\n"), @r"--exit 1 --stderr '^SyntaxError: Unexpected token '\''\]'\'', .* is not valid JSON$'");
    insta::assert_snapshot!(preserved(1, "error: no rule \"b\" for \"c\"\n", json), @r#"--exit 1 --stderr '^error: no rule "b" for "c"$'"#);
}

#[test]
fn what_a_line_that_breaks_off_announces_is_below_it() {
    let cmake =
        "CMake Warning: x\nerror: include could not find requested file:\n\n    Foo.cmake\n";
    insta::assert_snapshot!(preserved(1, cmake, b""), @r"--exit 1 --stderr '^error: include could not find requested file:$' --stderr 'Foo\.cmake$'");
    let ocaml = "Error: This expression has type int but an expression was expected of type\n         string\n";
    insta::assert_snapshot!(preserved(2, ocaml, b""), @r"--exit 2 --stderr '^Error: This expression has type int but an expression was expected of type$' --stderr 'string$'");
    let javac = "A.java:3: error: cannot find symbol\n    int x = s.size();\n             ^\n  symbol:   method size()\n  location: variable s of type String\n1 error\n";
    insta::assert_snapshot!(preserved(1, javac, b""), @r"--exit 1 --stderr '^A\.java:\d+: error: cannot find symbol$' --stderr 'symbol:   method size\(\)$'");
    let caused = "error: could not parse\n  caused by: duplicate key `a`\n";
    insta::assert_snapshot!(preserved(1, caused, b""), @r"--exit 1 --stderr '^error: could not parse$' --stderr 'duplicate key `a`$'");
    let ends = "error: bad value:\nusage: x FILE\n";
    insta::assert_snapshot!(preserved(1, ends, b""), @r"--exit 1 --stderr '^error: bad value:$'");
}
