//! Files that a reduction reads and writes, and when.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use rustix::process::Signal;

use crate::env::{FINDS_NEEDLE, HAYSTACK, NEEDLE, TestEnv};

/// Reduces a file with this content with a test that greps for the needle.
#[track_caller]
fn check_content(content: &[u8], expect: &[u8]) {
    let env = TestEnv::with_test("LC_ALL=C grep -q needle in.dat").file("in.dat", content);
    let code = if content == expect { 2 } else { 0 };
    env.reduce(["in.dat", "--test", "test.sh"])
        .assert_code(code);
    let result = env.bytes("in.min.dat");
    assert_eq!(result, expect, "{}", result.escape_ascii());
    assert_eq!(env.bytes("in.dat"), content);
}

#[test]
fn separators_of_a_list_that_is_needed_by_its_length_go_at_once() {
    let list = format!("[{}true]", "true, ".repeat(199));
    let env = TestEnv::new().file("in.json", list);
    let holds = "test $(grep -ow true \"$1\" | wc -l) -ge 200";
    let run = env.reduce(["in.json", "--json", "--jobs", "1", "--test", holds]);
    let last = run.assert_code(0).events().pop().expect("it ends");
    assert!(!env.read("in.min.json").contains(','), "{last}");
    // One by one, they took 441.
    assert!(last["tests"].as_u64() < Some(100), "{last}");
}

#[test]
fn a_word_of_megabytes_is_reduced() {
    for (name, quotes) in [("in.txt", ""), ("in.json", "\"")] {
        let long = "x".repeat(1 << 20);
        let env = TestEnv::new().file(name, format!("{quotes}{long}needle{long}{long}{quotes}"));
        env.reduce([name, "--test", "grep -q needle \"$1\""])
            .assert_code(0);
        let result = env.read(if quotes.is_empty() {
            "in.min.txt"
        } else {
            "in.min.json"
        });
        assert_eq!(result, "needle");
    }
}

#[test]
fn the_result_is_written_beside_the_input() {
    for (input, output) in [
        ("crash.c", "crash.min.c"),
        ("crash", "crash.min"),
        (".crash", ".crash.min"),
        ("crash.tar.gz", "crash.min.tar.gz"),
        ("some where/the crash.c", "some where/the crash.min.c"),
    ] {
        let env = TestEnv::with_test(FINDS_NEEDLE).file(input, HAYSTACK);
        env.reduce([input, "--test", "test.sh"]).assert_code(0);
        assert_eq!(env.read(output).trim_end(), NEEDLE, "{input}");
        assert_eq!(env.read(input), HAYSTACK);
    }
}

#[test]
fn a_name_may_be_any_bytes() {
    let name = OsStr::from_bytes(b"cr\xffsh 'x'.txt");
    let env = TestEnv::with_test(FINDS_NEEDLE).file(name, HAYSTACK);
    let args = [name, "--test".as_ref(), "test.sh".as_ref()];
    env.reduce(args).assert_code(0);
    let output = OsStr::from_bytes(b"cr\xffsh 'x'.min.txt");
    assert_eq!(env.read(output), NEEDLE);
}

#[test]
fn the_result_is_written_to_the_output_option() {
    // An empty file, such as one of mktemp, may be replaced.
    let env = TestEnv::with_test(FINDS_NEEDLE).file("results/new.txt", "");
    let args = ["in.txt", "--output", "results/new.txt", "--test", "test.sh"];
    env.reduce(args).assert_code(0);
    assert_eq!(env.read("results/new.txt"), NEEDLE);
    assert_eq!(env.read("in.txt"), HAYSTACK);
    assert!(!env.exists("in.min.txt"));
}

#[test]
fn in_place_the_result_replaces_the_input_and_a_copy_is_kept() {
    let env = TestEnv::with_test(FINDS_NEEDLE).mode("in.txt", 0o750);
    env.reduce(["in.txt", "--in-place", "--test", "test.sh"])
        .assert_code(0);
    assert_eq!(env.read("in.txt"), NEEDLE);
    assert_eq!(env.read("in.txt.orig"), HAYSTACK);
    assert!(!env.exists("in.min.txt"));
    for name in ["in.txt", "in.txt.orig"] {
        let mode = fs::metadata(env.path(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o750, "{name}");
    }
}

#[test]
fn in_place_nothing_is_written_before_the_property_held() {
    let env = TestEnv::with_test("exit 1");
    env.reduce(["in.txt", "--in-place", "--test", "test.sh"])
        .assert_code(3);
    assert_eq!(env.read("in.txt"), HAYSTACK);
    assert!(!env.exists("in.txt.orig"));
}

#[test]
fn a_link_to_the_input_is_reduced_like_the_input() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    symlink("in.txt", env.path("link.txt")).unwrap();
    env.reduce(["link.txt", "--test", "test.sh"]).assert_code(0);
    assert_eq!(env.read("link.min.txt"), NEEDLE);
    assert_eq!(env.read("in.txt"), HAYSTACK);
}

#[test]
fn a_failed_start_leaves_no_result() {
    let env = TestEnv::with_test("exit 1");
    env.reduce(["in.txt", "--test", "test.sh"]).assert_code(3);
    assert!(!env.exists("in.min.txt"));
}

#[test]
fn the_result_on_disk_is_interesting_at_any_moment() {
    // Each run of the test checks the current content of the result.
    let env = TestEnv::with_test(
        r#"
        if [ -e "$HERE/in.min.txt" ]; then
            if grep -q needle "$HERE/in.min.txt"; then echo good; else echo bad; fi
        fi >>"$HERE/seen"
        grep -q needle "$1""#,
    );
    env.reduce(["in.txt", "--jobs", "4", "--test", "test.sh"])
        .assert_code(0);
    let seen = env.read("seen");
    assert!(seen.contains("good"), "{seen}");
    assert!(!seen.contains("bad"), "{seen}");
}

#[test]
fn a_file_that_boildown_did_not_write_is_never_replaced() {
    const THEIRS: &str = "written by hand";
    let check = |env: &TestEnv, problem: &str| {
        for output in [None, Some("--output=in.min.txt")] {
            let args = ["in.txt", "--test", "test.sh"].into_iter().chain(output);
            env.reduce(args)
                .assert_code(1)
                .assert_says(&format!("error: failed to write in.min.txt: {problem}"))
                .assert_says("hint: --output FILE writes the result elsewhere, --force replaces");
        }
        assert!(!env.exists("ran"), "it stops before the first run");
    };
    let env = || TestEnv::with_test(&format!("touch $HERE/ran; {FINDS_NEEDLE}"));
    let forced = |env: &TestEnv| {
        env.reduce(["in.txt", "--force", "--test", "test.sh"])
            .assert_code(0);
        assert_eq!(env.read("in.min.txt"), NEEDLE);
    };

    let plain = env().file("in.min.txt", THEIRS);
    check(&plain, "it exists, and boildown did not write it");
    assert_eq!(plain.read("in.min.txt"), THEIRS);
    forced(&plain);

    let read_only = env().file("in.min.txt", THEIRS).mode("in.min.txt", 0o444);
    check(&read_only, "it is read-only");
    assert_eq!(read_only.read("in.min.txt"), THEIRS);
    forced(&read_only);

    let linked = env().file("precious", THEIRS);
    symlink("precious", linked.path("in.min.txt")).unwrap();
    check(&linked, "it exists, and boildown did not write it");
    assert_eq!(linked.read("precious"), THEIRS);

    let dangling = env();
    symlink("nowhere", dangling.path("in.min.txt")).unwrap();
    check(&dangling, "it is a link to a file that does not exist");
    assert!(!dangling.exists("nowhere"));
    forced(&dangling);
}

#[test]
fn a_result_that_was_edited_is_not_replaced() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    let args = ["in.txt", "--test", "test.sh"];
    env.reduce(args).assert_code(0);
    let env = env.file("in.min.txt", "needle, with a remark");
    env.reduce(args).assert_code(1);
    env.reduce(args.iter().chain(&["--fresh"])).assert_code(1);
    assert_eq!(env.read("in.min.txt"), "needle, with a remark");
}

#[test]
fn a_larger_result_of_another_run_is_kept_beside_the_smaller_one() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    let args = ["in.txt", "--test", "test.sh"];
    env.reduce(args).assert_code(0);

    // Nothing can be removed: the result is as large as the input.
    let env = env.script("test.sh", "cmp -s $1 $HERE/in.txt");
    env.reduce(args).assert_code(2).assert_says(
        "in.min.txt holds a result of another run, 6 bytes: the new one is in in.min.1.txt, and",
    );
    assert_eq!(env.read("in.min.txt"), NEEDLE);
    assert_eq!(env.read("in.min.1.txt"), HAYSTACK);

    let larger = "grep -q needle $1 && grep -q seven $1";
    let env = env.script("test.sh", larger);
    env.reduce(args)
        .assert_code(0)
        .assert_says("in.min.1.txt  49 -> ");
    let found = env.read("in.min.1.txt");
    assert!(found.contains("seven") && found.len() < 20, "{found}");
    let report = env.run(["report", "--format", "json"]);
    report.assert_code(0);
    assert!(
        report.stdout.contains("\"result\": \"in.min.1.txt\""),
        "{}",
        report.stdout
    );
    assert_eq!(env.read("in.min.txt"), NEEDLE);
    // The same run resumes, also when it has to begin again.
    env.reduce(args).assert_code(0).assert_says("resumed: ");
    env.reduce(args.iter().chain(&["--fresh"])).assert_code(0);
    assert_eq!(env.read("in.min.txt"), NEEDLE);

    // A result that is not larger replaces the other one.
    let env = env.script("test.sh", "grep -q seven $1");
    env.reduce(args)
        .assert_code(0)
        .assert_says("in.min.txt  49 -> 5 bytes");
    assert_eq!(env.read("in.min.txt"), "seven");
    // It may be replaced by a larger one if the user says so.
    let env = env.script("test.sh", larger);
    env.reduce(args.iter().chain(&["--force", "--fresh"]))
        .assert_code(0);
    assert_eq!(env.read("in.min.txt"), found);
}

#[test]
fn before_the_first_improvement_the_result_is_the_input() {
    let size = HAYSTACK.len();
    let env = TestEnv::with_test(&format!(
        r#"
        size=$(wc -c <"$1")
        [ $size = 0 ] && exit 1
        [ $size = {size} ] && exit 0
        touch $HERE/reducing
        sleep 1000"#
    ));
    let mut run = env.start_reduce(["in.txt", "--test", "test.sh"]);
    run.wait_until(|env| env.exists("reducing"));
    run.signal(Signal::INT);
    run.finish()
        .assert_code(6)
        .assert_says("in.txt: nothing removed yet")
        .assert_says("to resume, run the same command");
    assert_eq!(env.read("in.min.txt"), HAYSTACK);
}

#[test]
fn a_test_may_edit_its_copy_of_a_read_only_input() {
    let env = TestEnv::with_test("echo more >>in.txt && grep -q needle in.txt && [ -w in.txt ]")
        .mode("in.txt", 0o444);
    env.reduce(["in.txt", "--test", "test.sh"]).assert_code(0);
    assert_eq!(env.read("in.min.txt"), NEEDLE);
    assert_eq!(env.read("in.txt"), HAYSTACK);
}

#[test]
fn the_language_decides_the_units() {
    let env = TestEnv::new()
        .file("in.c", "int f(void) { return needle; }\n")
        .script("test.sh", "grep -q need in.c");
    for (language, expect) in [("C", "needle\n"), ("none", "need")] {
        let args = ["in.c", "--language", language, "--test", "test.sh"];
        env.reduce(args).assert_code(0);
        assert_eq!(env.read("in.min.c"), expect);
    }
}

#[test]
fn a_program_is_executable_when_it_is_reduced() {
    let env = TestEnv::new().script("in.sh", "echo hello\nexit 3\necho never");
    env.reduce(["in.sh", "--exit", "3", "--", "sh", "-c", "{}"])
        .assert_code(0);
    let result = env.read("in.min.sh");
    assert_eq!(result.trim_end(), "exit 3");
}

#[test]
fn lines_are_joined_in_a_compact_layout_only() {
    let env = TestEnv::new()
        .file(
            "in.ll",
            "define i32 @f() {\n  %b = shl i32 3, 40\n  br label %next\nnext:\n  ret i32 4\n}\n",
        )
        .script(
            "test.sh",
            "grep -q 'shl i32 3, 40' in.ll && grep -q 'ret i32 4' in.ll",
        );
    let args = ["in.ll", "--test", "test.sh"];
    env.reduce(args).assert_code(0);
    let result = env.read("in.min.ll");
    let lines: Vec<_> = result.lines().map(str::trim).collect();
    assert_eq!(lines, ["shl i32 3, 40", "ret i32 4"]);
    assert!(result.ends_with('\n'), "{result}");
    env.reduce(args.iter().chain(&["--compact"])).assert_code(0);
    assert!(!env.read("in.min.ll").trim_end().contains('\n'));
}

#[test]
fn any_line_ending_is_supported() {
    check_content(b"a\r\nb needle b\r\nc\r\n", b"needle");
    check_content(b"a\nb\nneedle", b"needle");
    check_content(b"\n\n\nneedle\n\n\n", b"needle");
}

#[test]
fn input_that_is_not_utf_8_is_supported() {
    check_content(b"caf\xe9 \xff\xfe needle \xc3\n\x80\x80", b"needle");
    check_content(b"\0\0\x01needle\0\x7fELF\0\0\0needl\0", b"needle");
}

#[test]
fn a_byte_order_mark_is_removed_like_other_bytes() {
    check_content(b"\xef\xbb\xbfneedle\n", b"needle");
}

#[test]
fn a_file_of_the_interesting_bytes_alone_is_minimal() {
    check_content(b"needle", b"needle");
}

#[test]
fn a_file_of_one_byte_is_reduced_or_minimal() {
    let env = TestEnv::new()
        .file("one", "x")
        .script("test.sh", "grep -q x one");
    env.reduce(["one", "--test", "test.sh"])
        .assert_code(2)
        .assert_says("one: nothing could be removed");
    assert_eq!(env.read("one.min"), "x");
}

#[test]
fn source_with_syntax_errors_is_reduced() {
    let env = TestEnv::new()
        .file("in.c", "int main( { needle } } ((( \"\n'\0 int x;\n")
        .script("test.sh", "LC_ALL=C grep -q needle in.c");
    env.reduce(["in.c", "--test", "test.sh"]).assert_code(0);
    assert_eq!(env.read("in.min.c").trim_end(), NEEDLE);
}

#[test]
fn on_a_nearly_full_disk_the_store_makes_room_for_the_result() {
    let lines: String = (0..60)
        .map(|line| format!("w{line} some more words of it\n"))
        .collect();
    let env = TestEnv::with_test("grep -q 'w7 ' $1 && grep -q 'w33 ' $1").file("in.txt", &lines);
    let disk = env.path("../disk");
    std::fs::create_dir(&disk).unwrap();
    let output = format!("--output={}/min.txt", disk.display());
    let args = [
        "reduce",
        "in.txt",
        "--test",
        "./test.sh",
        "--jobs=1",
        &output,
    ];
    // 300 kB are left.
    let full = "head -c 1790000 /dev/zero >\"$DISK/ballast\"";
    let list = format!("{full}; trap 'cat \"$DISK/min.txt\"' EXIT; \"$@\"; exit");
    let Some(run) = env.run_on_a_small_disk(&disk, &list, &args) else {
        return;
    };
    let said = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(0), "{said}");
    assert!(said.contains("no room for it and the result"), "{said}");
    let result = String::from_utf8_lossy(&run.stdout);
    assert!(
        result.contains("w7 ") && result.contains("w33 "),
        "{result}"
    );
    assert!(result.len() < 20, "{result}");
}

#[test]
fn in_place_on_a_full_disk_everything_stays_as_it_is() {
    let env = TestEnv::with_test("grep -q w7 $1 || grep -q w7 $1/in.txt")
        .file("in.txt", "w6\nw7\n")
        .file("in/in.txt", "w6\nw7\n");
    for input in ["in.txt", "in"] {
        let disk = env.path(format!("../disk-{input}"));
        std::fs::create_dir(&disk).unwrap();
        let place = format!("{}/{input}", disk.display());
        let args = [
            "reduce",
            &place,
            "--in-place",
            "--test",
            "./test.sh",
            "--jobs=1",
        ];
        let list = format!(
            "cp -r {input} \"$DISK\"; cat /dev/zero >\"$DISK/ballast\" 2>/dev/null; \
             \"$@\"; code=$?; rm \"$DISK/ballast\"; cd \"$DISK\"; ls; cat in.txt 2>/dev/null || cat in/*; exit $code"
        );
        let Some(run) = env.run_on_a_small_disk(&disk, &list, &args) else {
            return;
        };
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(said.contains("No space left on device"), "{said}");
        let left = String::from_utf8_lossy(&run.stdout);
        assert_eq!(left, format!("{input}\nw6\nw7\n"));
    }
}
