//! `boildown history`: the results that a reduction had on the way.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use crate::env::{FINDS_NEEDLE, HAYSTACK, TestEnv};

fn reduced() -> TestEnv {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    let text = format!("{}{HAYSTACK}", "some other line\n".repeat(40));
    let env = env.file("in.txt", text);
    env.reduce(["in.txt", "--test", "test.sh"]).assert_code(0);
    env
}

#[test]
fn a_run_is_found_by_names_that_are_not_utf_8() {
    let name = OsStr::from_bytes(b"x\xe9.txt");
    let env = TestEnv::new().file(name, HAYSTACK);
    let result = env.path(OsStr::from_bytes(b"x\xe9.min.txt"));
    let (reduce, test) = (OsStr::new("reduce"), OsStr::new("--test"));
    let run = |words: &[&str]| {
        let words = words.iter().map(|word| OsStr::new(*word));
        env.run(words.chain([name]))
    };
    env.run([reduce, name, test, OsStr::new(FINDS_NEEDLE)])
        .assert_code(0);
    for words in [&["explain"][..], &["report"], &["history", "list"]] {
        run(words).assert_code(0);
    }
    assert!(
        env.path(OsStr::from_bytes(b"x\xe9.min.txt.report.html"))
            .exists()
    );
    env.run(["history", "restore", "0"]).assert_code(0);
    assert_eq!(fs::read_to_string(&result).unwrap(), HAYSTACK);
    assert!(!env.exists("x\u{fffd}.min.txt"));
}

#[test]
fn the_results_of_a_run_are_listed_printed_and_compared() {
    let env = reduced();
    let list = env.run(["history"]);
    list.assert_code(0);
    let lines: Vec<&str> = list.stdout.lines().collect();
    assert_eq!(lines[0], "in.min.txt, from in.txt");
    assert!(lines[2].trim_start().starts_with("0  "), "{list}");
    let last = lines.len() - 4;
    assert!(last >= 2, "{list}");
    assert_eq!(lines[last + 3], "1-minimal: no single byte can be removed");
    assert_eq!(env.run(["history", "in.min.txt"]).stdout, list.stdout);

    let shown = |number: usize| env.run(["history", "show", &number.to_string()]).stdout;
    assert_eq!(shown(0), env.read("in.txt"));
    assert_eq!(shown(last), env.read("in.min.txt"));
    let diff = env.run(["history", "diff", "0", &last.to_string(), "in.txt"]);
    diff.assert_code(0);
    assert!(diff.stdout.contains("\n-hay needle hay\n"), "{diff}");
    assert!(diff.stdout.contains("\n+needle\n"), "{diff}");

    let missing = env.run(["history", "show", "999"]);
    missing
        .assert_code(1)
        .assert_says("there is no result 999")
        .assert_says("0 (the input) to ");
}

#[test]
fn a_result_is_restored_over_a_later_one_and_over_nothing_else() {
    let env = reduced();
    env.run(["history", "restore", "0"]).assert_code(0);
    assert_eq!(env.read("in.min.txt"), env.read("in.txt"));
    env.reduce(["in.txt", "--test", "test.sh"]).assert_code(0);
    assert_eq!(
        env.read("in.min.txt"),
        "needle",
        "the run continues with its best"
    );

    fs::write(env.path("in.min.txt"), "edited by hand").unwrap();
    env.run(["history", "restore", "0"])
        .assert_code(1)
        .assert_says("is no result of this run");
    assert_eq!(env.read("in.min.txt"), "edited by hand");
    let new = ["history", "restore", "0", "-o", "other.txt"];
    env.run(new).assert_code(0);
    assert_eq!(env.read("other.txt"), env.read("in.txt"));
    env.run(new).assert_code(1).assert_says("exists already");
}

#[test]
fn without_a_run_there_is_no_history() {
    let env = TestEnv::new().file("a.c", "int a;\n");
    env.run(["history", "list", "a.c"])
        .assert_code(1)
        .assert_says("no run of a.c is recorded");
}

#[test]
fn a_reduction_continues_from_an_earlier_result_with_other_options() {
    let env = reduced();
    // The last one that is more than a line, and whose text is stored; the input always is.
    let list = env.run(["history"]).stdout;
    let rows = list.lines().filter(|line| !line.contains("size only"));
    let mut rows = rows.map(|line| line.split_whitespace().collect::<Vec<_>>());
    let size = |row: &Vec<&str>| row.get(1)?.parse::<usize>().ok();
    let earlier = rows.rfind(|row| size(row) > Some(20)).unwrap();
    let (number, bytes) = (earlier[0], earlier[1]);
    let args = [
        "in.txt",
        "--test",
        "test.sh",
        "--units",
        "lines",
        "--backtrack",
    ];
    let args = [&args[..], &[number]].concat();
    let run = env.reduce(&args);
    run.assert_code(0)
        .assert_says("in.min.txt holds a result of another run, 6 bytes: the new one is in")
        .assert_says(&format!("in.min.1.txt  {bytes} -> "));
    assert!(!run.stderr.contains("was modified"), "{run}");
    assert_eq!(env.read("in.min.1.txt"), "hay needle hay\n");
    assert_eq!(env.read("in.min.txt"), "needle");
    // The number still means the run on the file, so that the same command resumes.
    env.reduce(&args).assert_code(0).assert_says("resumed: ");
}

#[test]
fn an_earlier_result_has_to_exist() {
    let env = reduced();
    let args = ["in.txt", "--test", "test.sh", "--backtrack"];
    env.reduce([&args[..], &["99"]].concat())
        .assert_code(1)
        .assert_says("there is no result 99");
    let env = env.file("in.txt", "another needle\n");
    env.reduce([&args[..], &["1"]].concat())
        .assert_code(1)
        .assert_says("no run on this input is recorded beside in.min.txt");
}
