//! Answers of `boildown changes` that fail as the bad state does, not in another way.

use crate::repo::{Repo, scripts};

/// Two lines that only together give the total of the bad state; alone, one of them gives another.
fn totals(test: &str) -> Repo {
    let text = |first: &str, second: &str| format!("{first}\n\n\n\n\n\n\n{second}\n");
    scripts(
        &[("shop.sh", &text("rate=1", "fee=0"))],
        &[("shop.sh", &text("rate=10", "fee=3"))],
        &format!(". ./shop.sh\ntotal=$((rate * 2 + (rate > 1) * fee))\n{test}"),
    )
}

#[track_caller]
fn check_both(test: &str) {
    let repo = totals(test);
    let run = repo.changes(["HEAD~3..HEAD", "--", "./test.sh"]);
    run.assert_code(0).assert_says("Ada: the change");
    assert_eq!(
        repo.changed(),
        ["-rate=1", "+rate=10", "-fee=0", "+fee=3"],
        "{run}"
    );
    run.assert_says("shop.sh:1 alone fails in another way");
    run.assert_says("without shop.sh:8 it fails in another way");
}

#[test]
fn half_of_a_change_that_fails_with_another_value_is_not_the_cause() {
    check_both("[ $total = 2 ] || { echo \"AssertionError: total is $total\" >&2; exit 1; }");
}

#[test]
fn values_on_the_lines_after_the_message_count() {
    check_both(
        "[ $total = 2 ] || { printf 'assertion failed: left == right\\n  left: %s\\n right: 2\\n' \
         $total >&2; exit 101; }",
    );
}

#[test]
fn values_that_are_printed_before_a_bare_message_count() {
    check_both("echo \"total $total\"\n[ $total = 2 ] || { echo AssertionError >&2; exit 1; }");
}

#[test]
fn values_after_the_first_hundred_characters_count() {
    let long = "word ".repeat(50);
    check_both(&format!(
        "[ $total = 2 ] || {{ echo \"Error: {long} $total\" >&2; exit 1; }}"
    ));
}

#[test]
fn what_a_run_prints_that_succeeds_is_no_part_of_the_failure() {
    let text = |first: &str, second: &str| format!("{first}\n\n\n\n\n\n\n{second}\n");
    let repo = scripts(
        &[("shop.sh", &text("rate=1", "name=old"))],
        &[("shop.sh", &text("rate=10", "name=new"))],
        ". ./shop.sh\necho \"shop: $name\"
         [ $rate = 1 ] || { echo \"AssertionError: rate is $rate\" >&2; exit 1; }",
    );
    let run = repo.changes(["HEAD~3..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    assert_eq!(repo.changed(), ["-rate=1", "+rate=10"], "{run}");
}

#[test]
fn what_differs_from_run_to_run_is_no_part_of_the_failure() {
    let text = |first: &str, second: &str| format!("{first}\n\n\n\n\n\n\n{second}\n");
    let repo = scripts(
        &[("shop.sh", &text("rate=1", "name=old"))],
        &[("shop.sh", &text("rate=10", "name=new"))],
        ". ./shop.sh\n[ $rate = 1 ] || { echo \"Error: rate $rate in process $$\" >&2
         date +%N; exit 1; }",
    );
    let run = repo.changes(["HEAD~3..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    assert_eq!(repo.changed(), ["-rate=1", "+rate=10"], "{run}");
}

#[test]
fn a_new_name_goes_with_its_import_and_its_definition() {
    // Whatever goes wrong, the test only says that it failed. The lines say which names they need.
    let test = "echo 'AssertionError: wrong exit code' >&2\n! grep -q 'raise HelpError' core.py";
    let core = |import: &str, raised: &str| {
        format!("from errors import AppError\n{import}\n\n\n\n\n\ndef run():\n    raise {raised}\n")
    };
    let errors = "class AppError(Exception):\n    code = 1\n";
    let repo = scripts(
        &[
            ("core.py", &core("", "SystemExit(0)")),
            ("errors.py", errors),
        ],
        &[
            (
                "core.py",
                &core("from errors import HelpError\n", "HelpError('help')"),
            ),
            (
                "errors.py",
                &format!("{errors}\n\nclass HelpError(AppError):\n    code = 2\n"),
            ),
        ],
        test,
    );
    let run = repo.changes(["HEAD~3..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    let changed = repo.changed();
    for line in [
        "+from errors import HelpError",
        "+    raise HelpError('help')",
        "+class HelpError(AppError):",
    ] {
        assert!(
            changed.iter().any(|changed| changed == line),
            "{changed:?}\n{run}"
        );
    }
}

#[test]
fn a_parameter_goes_with_its_uses_though_other_functions_have_its_name() {
    let core = |name: &str| {
        format!(
            "def other(width, limit):\n    return width + limit\n\n\n\n\n\n\
             def wrap(text, {name}):\n    place = len(text)\n    size = 3 * place\n\
             \x20   print(place)\n    print(size)\n    print(text)\n    return size > {name}\n"
        )
    };
    let repo = scripts(
        &[("core.py", &core("width"))],
        &[("core.py", &core("limit"))],
        "echo 'AssertionError: too long' >&2\n! grep -q 'size > limit' core.py",
    );
    let run = repo.changes(["HEAD~3..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    let expected = [
        "-def wrap(text, width):",
        "+def wrap(text, limit):",
        "-    return size > width",
        "+    return size > limit",
    ];
    assert_eq!(repo.changed(), expected, "{run}");
}

#[test]
fn a_part_without_which_a_name_lacks_its_definition_is_not_needless() {
    let repo = scripts(
        &[
            ("lib.sh", "report() {\n  echo \"lines: $1\"\n}\n"),
            ("main.sh", ". ./lib.sh\nreport 3\n"),
        ],
        &[
            (
                "lib.sh",
                "report() {\n  echo \"lines: $1\"\n}\n\nreport_short() {\n  echo \"$1 lines\"\n}\n",
            ),
            ("main.sh", ". ./lib.sh\nreport_short 3\n"),
        ],
        "sh main.sh 2>/dev/null | grep -q 'lines: 3'",
    );
    let run = repo.changes(["HEAD~3..HEAD", "--", "./test.sh"]);
    run.assert_code(0)
        .assert_says("without lib.sh:4 the rest is unresolved");
    assert!(!run.stderr.contains("it breaks it too"), "{run}");
}

#[test]
fn candidates_that_are_rejected_without_a_run_are_no_tests() {
    let repo = scripts(
        &[("lib.sh", "# none\n"), ("main.sh", ". ./lib.sh\necho 3\n")],
        &[
            ("lib.sh", "report_short() {\n  echo 4\n}\n"),
            ("main.sh", ". ./lib.sh\nreport_short\n"),
        ],
        "sh main.sh 2>/dev/null | grep -q 3",
    );
    let run = repo.changes(["HEAD~3..HEAD", "--json", "--", "./test.sh"]);
    let spent = run.assert_code(0).events().pop().unwrap()["spent"].clone();
    let number = |name: &str| spent[name].as_u64().unwrap();
    assert!(spent["not_run_by_reason"]["lacked a definition"].as_u64() > Some(0));
    assert!(number("tests") <= number("runs"), "{run}");
    assert_eq!(number("unresolved"), 0, "{run}");
}

#[test]
fn a_call_and_the_parameters_that_it_needs_are_one_change() {
    // Python stands for any language in which a wrong call fails at run time and is caught.
    let head = |parameters: &str| format!("def mode({parameters}):\n  return text\n");
    let test = "case $(cat lib.py) in\n*'mode(text, strict)'*) ! grep -q 'mode(line, True)' main.py\n\
                ! true;;\n*) ! grep -q 'mode(line, True)' main.py;;\nesac";
    let repo = scripts(
        &[
            ("lib.py", &head("text")),
            ("main.py", "from lib import mode\nprint(mode(line))\n"),
        ],
        &[
            ("lib.py", &head("text, strict")),
            ("main.py", "from lib import mode\nprint(mode(line, True))\n"),
        ],
        test,
    );
    let run = repo.changes(["HEAD~3..HEAD", "--", "./test.sh"]);
    run.assert_code(0).assert_says("lacked a definition");
    assert_eq!(repo.changed().len(), 4, "{run}");
}

#[test]
fn a_later_commit_that_changes_the_failure_is_mentioned() {
    let repo = Repo::new();
    repo.script(
        "test.sh",
        ". ./shop.sh; [ $rate = 1 ] || { echo \"Error: rate is $rate, fee is $fee\" >&2; exit 1; }",
    );
    for (number, (rate, fee)) in [(1, 0), (10, 0), (10, 5)].into_iter().enumerate() {
        repo.write("shop.sh", format!("rate={rate}\n\n\n\n\n\nfee={fee}\n"));
        repo.commit(&format!("number {number}"));
    }
    let run = repo.changes(["HEAD~2..HEAD", "--", "./test.sh"]);
    run.assert_code(0).assert_says("Ada: number 1").assert_says(
        "it fails with `Error: rate is 10, fee is 0`, and HEAD with `Error: rate is 10, fee is 5`",
    );
    assert_eq!(repo.changed(), ["-rate=1", "+rate=10"]);
}

#[test]
fn of_several_tests_that_fail_one_is_searched_and_the_other_is_offered() {
    let repo = Repo::new();
    repo.script(
        "test.sh",
        "code=0\nreport() {
           printf '%s\\nFAIL: %s (shop.T.%s)\\n%s\\nAssertionError: 1 != 2\\n\\n' \
             ====================== $1 $1 ---------------------- >&2; code=1; }
         grep -q 'rate=1' shop.txt || report test_rate\ngrep -q 'fee=0' shop.txt || report test_fee
         exit $code",
    );
    for (number, (rate, fee)) in [(1, 0), (1, 5), (2, 5)].into_iter().enumerate() {
        repo.write("shop.txt", format!("rate={rate}\n\n\n\n\n\nfee={fee}\n"));
        repo.commit(&format!("number {number}"));
    }
    let run = repo.changes(["HEAD~2..HEAD", "--", "./test.sh"]);
    run.assert_code(0)
        .assert_says("2 tests fail there, and this is about one of them")
        .assert_says(r"--exit 1 --stderr '^FAIL: test_fee \(shop\.T\.test_fee\)$'");
    assert_eq!(repo.changed(), ["-rate=1", "+rate=2"], "{run}");
}

#[test]
fn a_hang_of_the_bad_state_is_searched_with_the_option_that_is_named() {
    let repo = Repo::new();
    repo.script("test.sh", "if grep -q LOOP code.txt; then sleep 30; fi");
    repo.write("code.txt", "one\n");
    repo.commit("one");
    repo.write("code.txt", "one\nLOOP\n");
    repo.commit("two");
    let run = repo.changes(["HEAD~1..HEAD", "--timeout", "1s", "--", "./test.sh"]);
    run.assert_code(3)
        .assert_says("to find what makes HEAD hang: --hangs 1s");
    repo.changes(["HEAD~1..HEAD", "--hangs", "1s", "--", "./test.sh"])
        .assert_code(0);
    assert_eq!(repo.changed(), ["+LOOP"]);
}

#[test]
fn a_search_that_leaves_the_stated_paths_says_so() {
    let repo = Repo::new();
    repo.script("test.sh", "! test -e core.txt");
    for number in 0..6 {
        let name = if number == 3 { "core.txt" } else { "web.txt" };
        repo.write(name, format!("{number}\n"));
        repo.commit(&format!("number {number}"));
    }
    let run = repo.changes(["HEAD~4..HEAD", "--path", "web.txt", "--", "./test.sh"]);
    run.assert_code(0)
        .assert_says("the commits that change the paths of --path do not show the cause")
        .assert_says("Ada: number 3");
}

#[test]
fn the_program_that_the_build_makes_is_run_also_if_the_user_has_built_another() {
    let repo = Repo::new();
    repo.write(".gitignore", "prog\n");
    for (number, code) in ["exit 0", "exit 0 # one", "exit 1"].into_iter().enumerate() {
        repo.write("prog.in", format!("#!/bin/sh\n{code}\n"));
        repo.commit(&format!("number {number}"));
    }
    let build = "cp prog.in prog && chmod +x prog";
    repo.script("prog", "exit 1");
    let run = repo.changes(["HEAD~2..HEAD", "--build", build, "--", "./prog"]);
    run.assert_code(0)
        .assert_says("./prog is not in both states: that of the build is used");
    assert_eq!(repo.changed(), ["-exit 0 # one", "+exit 1"], "{run}");
}

#[test]
fn a_failure_about_a_missing_name_does_not_need_its_definition() {
    let repo = scripts(
        &[("lib.py", "old = 1\n"), ("main.py", "\n\n\n\n\nrun(old)\n")],
        &[
            ("lib.py", "old = 1\n\n\nfresh = 2\n"),
            ("main.py", "\n\n\n\n\nrun(fresh)\n"),
        ],
        "if grep -q 'run(fresh)' main.py; then
           printf 'Traceback (most recent call last):\\n  File \"main.py\", line 6, in run\\n' >&2
           echo \"NameError: name 'fresh' is not defined\" >&2; exit 1; fi",
    );
    let run = repo.changes(["HEAD~3..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    assert_eq!(repo.changed(), ["-run(old)", "+run(fresh)"], "{run}");
}
