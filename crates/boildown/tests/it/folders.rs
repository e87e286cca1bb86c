//! Folders and several files as inputs.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use crate::env::TestEnv;

/// Holds when `main.c` calls a function that `lib/f.c` defines.
const CALLS: &str = "grep -q 'f(' p/main.c && grep -q 'int f' p/lib/f.c";

/// Returns an environment with a small project `p`, and this test.
fn project(test: &str) -> TestEnv {
    TestEnv::new()
        .file(
            "p/main.c",
            "#include \"lib/f.h\"\nint main() {\n  return f(1);\n}\n",
        )
        .file(
            "p/lib/f.c",
            "int f(int a) {\n  return a;\n}\nint g() {\n  return 2;\n}\n",
        )
        .file("p/lib/f.h", "int f(int);\n")
        .file("p/README.md", "# A project\n\nWith words.\n")
        .file("p/data.bin", b"\0\x01\x02\x03".repeat(50))
        .script("test.sh", test)
}

/// Returns the paths and contents of all files in a folder; links with their targets.
fn tree(root: &Path) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut pending = vec![root.to_owned()];
    while let Some(dir) = pending.pop() {
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let inside = path.strip_prefix(root).unwrap().to_owned();
            if metadata.is_symlink() {
                files.push((inside, format!("-> {:?}", fs::read_link(&path).unwrap())));
            } else if metadata.is_dir() {
                if fs::read_dir(&path).unwrap().next().is_none() {
                    files.push((inside, "empty folder".to_owned()));
                }
                pending.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                files.push((inside, String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
    }
    files.sort();
    files
}

fn shown(env: &TestEnv, name: &str) -> Vec<String> {
    let files = tree(&env.path(name)).into_iter();
    files
        .map(|(path, content)| format!("{}: {}", path.display(), content.trim_end()))
        .collect()
}

#[test]
fn a_folder_is_reduced_to_the_files_and_tokens_that_are_needed() {
    let env = project(CALLS);
    let before = tree(&env.path("p"));
    let run = env.reduce(["p/", "--test", "./test.sh"]);
    run.assert_code(0)
        .assert_says("5 -> 2 files")
        .assert_says("1-minimal");
    assert_eq!(shown(&env, "p.min"), ["lib/f.c: int f", "main.c: f("]);
    assert_eq!(tree(&env.path("p")), before, "the input is unchanged");
}

#[test]
fn the_result_does_not_depend_on_the_number_of_jobs() {
    let results = ["1", "3", "8"].map(|jobs| {
        let env = project(CALLS);
        let run = env.reduce(["p", "--test", "./test.sh", "--jobs", jobs, "--json"]);
        run.assert_code(0);
        let last = run.events().pop().unwrap();
        (
            tree(&env.path("p.min")),
            last["tests"].as_u64(),
            last["files_after"].as_u64(),
        )
    });
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
    assert_eq!(results[0].2, Some(2));
}

#[test]
fn several_files_are_reduced_together() {
    let env = TestEnv::new()
        .file("a.c", "int one = 1;\nint needle = 2;\n")
        .file("b.c", "int three = 3;\nint thread = 4;\n")
        .file("util.h", "int five;\n")
        .script("tool", "grep -q needle $1 && grep -q thread $2 && exit 3");
    let run = env.reduce([
        "a.c", "b.c", "util.h", "--exit", "3", "--", "./tool", "a.c", "b.c",
    ]);
    run.assert_code(0).assert_says("3 -> 2 files");
    assert_eq!(shown(&env, "a.min"), ["a.c: needle", "b.c: thread"]);
}

#[test]
fn a_failure_in_a_folder_is_deduced_from_the_first_run() {
    let env = TestEnv::new()
        .file("p/a.txt", "one\ntwo\n")
        .file("p/b.txt", "three\nfour\n")
        .script(
            "tool",
            "grep -q two $1/a.txt && { echo 'error: two' >&2; exit 4; }; exit 0",
        );
    env.reduce(["p", "--", "./tool", "p"])
        .assert_code(0)
        .assert_says("error: two");
    assert_eq!(shown(&env, "p.min"), ["a.txt: two"]);
}

#[test]
fn a_file_that_the_command_names_is_never_that_of_the_user() {
    let env = TestEnv::new()
        .file("p/a.txt", "needle\nother\n")
        .file("p/b.txt", "words\n")
        .script("tool", "grep -q needle $1 && exit 3");
    let words = ["p", "--exit", "3", "--", "./tool", "p/a.txt"];
    env.reduce(words).assert_code(0);
    assert_eq!(shown(&env, "p.min"), ["a.txt: needle"]);
}

#[test]
fn what_a_run_does_to_its_files_does_not_reach_the_next_one() {
    let mischief = "[ \"$(ls p | tr '\\n' ' ')\" = 'a.txt b.txt dir ' ] || exit 1
        [ \"$(cat p/dir/c.txt)\" = c ] || exit 1
        grep -q needle p/a.txt || exit 1
        echo more >> p/a.txt; rm -r p/dir; mkdir p/new; touch p/new/file; chmod 0 p/b.txt; exit 0";
    let env = TestEnv::new()
        .file("p/a.txt", "needle\nother\n")
        .file("p/b.txt", "b")
        .file("p/dir/c.txt", "c")
        .script("test.sh", mischief);
    env.reduce(["p", "--test", "./test.sh", "--jobs", "2"])
        .assert_code(0);
    assert_eq!(
        shown(&env, "p.min"),
        ["a.txt: needle", "b.txt: ", "dir/c.txt: c"]
    );
}

#[test]
fn links_modes_and_empty_folders_are_kept_if_they_are_needed() {
    let env = project("[ -d p/empty ] && [ -x p/run ] && [ -L p/link ] && [ ! -e p/gone ]")
        .script("p/run", "exit 0");
    fs::create_dir(env.path("p/empty")).unwrap();
    fs::create_dir(env.path("p/also_empty")).unwrap();
    symlink("run", env.path("p/link")).unwrap();
    env.reduce(["p", "--test", "./test.sh"]).assert_code(0);
    let left = shown(&env, "p.min");
    assert_eq!(left, ["empty: empty folder", "link: -> \"run\"", "run: "]);
    let mode = fs::metadata(env.path("p.min/run"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o755);
}

#[test]
fn a_link_out_of_the_folder_stays_a_link_and_is_never_followed() {
    let env = project("[ -L p/out ] && [ -L p/up ]").file("precious/file", "precious");
    symlink(env.path("precious"), env.path("p/out")).unwrap();
    symlink("../precious", env.path("p/up")).unwrap();
    let run = env.reduce(["p", "--test", "./test.sh"]);
    run.assert_code(0)
        .assert_says("links that lead out of the folder are kept as links: p/out, p/up");
    let target = format!("out: -> {:?}", env.path("precious"));
    assert_eq!(
        shown(&env, "p.min"),
        [target.as_str(), "up: -> \"../precious\""]
    );
    assert_eq!(shown(&env, "precious"), ["file: precious"]);
}

#[test]
fn what_git_ignores_and_the_repository_itself_are_left_out() {
    let env = project("[ ! -e p/.git ] && [ ! -e p/out ] && grep -q needle p/src/a.txt")
        .file("p/.git/config", "")
        .file("p/.gitignore", "/out\n*.log\n")
        .file("p/out/big", "x")
        .file("p/src/a.txt", "needle\n")
        .file("p/src/b.log", "x");
    let run = env.reduce(["p", "--test", "./test.sh"]);
    run.assert_code(0)
        .assert_says("git ignores it: p/out, p/src/b.log");
    assert_eq!(shown(&env, "p.min"), ["src/a.txt: needle"]);
}

#[test]
fn company_is_found_in_its_place_and_is_not_reduced() {
    let env = project("grep -q words p/lib/words && grep -q one beside/one && grep -q f p/main.c")
        .file("p/lib/words", "some words\n")
        .file("beside/one", "one\n");
    let company = ["--with", "p/lib/words", "--with", "beside"];
    env.reduce([&["p", "--test", "./test.sh"], &company[..]].concat())
        .assert_code(0);
    assert_eq!(shown(&env, "p.min"), ["main.c: f"]);
    assert_eq!(env.read("p/lib/words"), "some words\n");
}

#[test]
fn patterns_say_which_files_stay_as_they_are() {
    let env = project("grep -q 'f(' p/main.c");
    env.reduce(["p", "--test", "./test.sh", "--only", "*.c"])
        .assert_code(0);
    let left = shown(&env, "p.min");
    let names: Vec<_> = left
        .iter()
        .filter_map(|line| line.split(": ").next())
        .collect();
    assert_eq!(names, ["README.md", "data.bin", "lib/f.h", "main.c"]);
    assert!(left.contains(&"main.c: f(".to_owned()), "{left:?}");
    let kept = [
        "p",
        "--test",
        "./test.sh",
        "--keep-file",
        "lib/",
        "--fresh",
        "--force",
    ];
    env.reduce(kept).assert_code(0);
    let names: Vec<_> = tree(&env.path("p.min"))
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    assert_eq!(names, ["lib/f.c", "lib/f.h", "main.c"].map(PathBuf::from));
    env.reduce(["p", "--test", "./test.sh", "--only", "*.java"])
        .assert_code(1)
        .assert_says("`--only *.java` matches no file of the input");
}

#[test]
fn a_killed_reduction_resumes_and_ends_with_the_same_result() {
    let slow = format!("sleep 0.02; {CALLS}");
    let whole = project(CALLS);
    whole.reduce(["p", "--test", "./test.sh"]).assert_code(0);
    let env = project(&slow);
    let words = ["p", "--test", "./test.sh", "--jobs", "2"];
    for _ in 0..3 {
        let mut started = env.start_reduce(words);
        started.wait_until(|env| env.exists("p.min"));
        // With SIGKILL.
        drop(started);
        let left = tree(&env.path("p.min"));
        assert!(
            left.iter()
                .all(|(path, _)| whole.path("p").join(path).exists()),
            "{left:?}"
        );
    }
    env.reduce(words).assert_code(0);
    assert_eq!(tree(&env.path("p.min")), tree(&whole.path("p.min")));
    let hidden = fs::read_dir(env.path("")).unwrap().flatten();
    let hidden = hidden.filter(|entry| entry.file_name().as_bytes().starts_with(b".boildown-"));
    assert_eq!(hidden.count(), 0, "nothing is left beside the result");
}

#[test]
fn a_link_to_a_folder_stands_for_the_folder() {
    let env = TestEnv::new()
        .file("far/real/a.c", "int one;\nint needle;\n")
        .file("far/real/b.c", "int two;\n")
        .script("tool", "grep -q needle $1 && exit 3");
    symlink("far/real", env.path("p")).unwrap();
    let before = tree(&env.path("far/real"));
    for link in ["p", "p/"] {
        let words = [link, "--exit", "3", "--fresh", "--", "./tool", "p/a.c"];
        let run = env.reduce(words);
        run.assert_code(0).assert_says("2 -> 1 file");
        assert_eq!(shown(&env, "p.min"), ["a.c: needle"]);
    }
    assert_eq!(tree(&env.path("far/real")), before);
    let words = ["p", "--in-place", "--exit", "3", "--", "./tool", "p/a.c"];
    env.reduce(words)
        .assert_code(1)
        .assert_says("p, which is a link");
    assert_eq!(tree(&env.path("far/real")), before);
}

#[test]
fn in_place_the_folder_is_renamed_and_a_later_run_starts_from_it() {
    let env = project(CALLS).file("p/.git/config", "mine");
    let before = tree(&env.path("p"));
    let words = ["p", "--test", "./test.sh", "--in-place"];
    env.reduce([&words[..], &["--max-tests", "3"]].concat())
        .assert_code(6);
    assert_eq!(tree(&env.path("p.orig")), before, "with the repository");
    env.reduce(words).assert_code(0);
    assert_eq!(shown(&env, "p"), ["lib/f.c: int f", "main.c: f("]);
    assert_eq!(tree(&env.path("p.orig")), before);
}

#[test]
fn in_place_a_test_that_is_a_line_for_the_shell_is_no_file_of_the_folder() {
    let env = TestEnv::new()
        .file("p/a.c", "int a;\nneedle\n")
        .file("p/b.c", "int b;\n");
    let words = ["reduce", ".", "--in-place", "--test", "grep -q needle a.c"];
    let mut command = env.command();
    let output = command.current_dir(env.path("p")).args(words).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(shown(&env, "p"), ["a.c: needle"]);
}

#[test]
fn in_place_a_run_resumes_whose_command_names_files_of_the_folder() {
    let program = "# a comment\nimport os\nprint(os.path.sep)\nraise SystemExit(\"boom: x\")\n";
    let lines: String = (1..20).map(|line| format!("# line {line}\n")).collect();
    let env = TestEnv::new()
        .file("f/m.py", program)
        .file("f/1.txt", lines)
        .file("f/used", "");
    // The last word names a file that the result does not hold.
    let words = ["f", "--in-place", "--max-tests"];
    let command = ["--", "python3", "f/m.py", "f/used"];
    let reduce = |most: &str| env.reduce([&words[..], &[most], &command[..]].concat());
    reduce("12").assert_code(6);
    assert_ne!(env.read("f/m.py"), program);
    assert!(!env.exists("f/used"));
    reduce("20").assert_code(6).assert_says("resumed: ");
    reduce("1000").assert_code(0).assert_says("resumed: ");
    assert_eq!(env.read("f.orig/m.py"), program);
    assert_eq!(shown(&env, "f"), ["m.py: raise SystemExit(\"boom: x\")"]);
}

#[test]
fn the_result_of_a_folder_is_known_after_the_folder_was_edited() {
    let env = project(CALLS);
    let words = ["p", "--test", "./test.sh"];
    env.reduce(words).assert_code(0);
    let result = shown(&env, "p.min");
    let main = env.read("p/main.c");
    // Some of the files of the result are no more in the folder.
    let env = env
        .file("p/main.c", main.replace("f(", "g(f("))
        .script("test.sh", "grep -rq 'g(f(' p");
    fs::remove_dir_all(env.path("p/lib")).unwrap();
    env.reduce(words)
        .assert_code(0)
        .assert_says("p.min holds a result of another run");
    assert_ne!(shown(&env, "p.min"), result, "the new one is smaller");
    // Not so after an edit of the result.
    let env = env.file("p.min/main.c", "edited");
    env.reduce(words)
        .assert_code(1)
        .assert_says("it exists, and boildown did not write it");
}

#[test]
fn names_that_are_not_text_are_kept() {
    let env = project("ls p | grep -q needle");
    let name = OsStr::from_bytes(b"\xff needle\n\xfe");
    fs::write(env.path("p").join(name), "x\n").unwrap();
    env.reduce(["p", "--test", "./test.sh"]).assert_code(0);
    assert_eq!(
        tree(&env.path("p.min")),
        [(PathBuf::from(name), String::new())]
    );
}

#[test]
fn a_folder_that_changes_during_the_run_does_no_harm() {
    let env = project("");
    let original = env.path("p").display().to_string();
    let test = format!("#!/bin/sh\nrm -rf {original}/lib; echo x > {original}/main.c\n{CALLS}\n");
    fs::write(env.path("test.sh"), test).unwrap();
    let run = env.reduce(["p", "--test", "./test.sh", "--no-sandbox"]);
    run.assert_code(0);
    assert_eq!(shown(&env, "p.min"), ["lib/f.c: int f", "main.c: f("]);
}

#[test]
fn on_a_full_disk_the_last_result_stays_and_the_run_can_be_repeated() {
    // The result is too large for the disk until the large file is gone, which is needed.
    let env = project("[ $(wc -c < p/large) -ge 300000 ] && grep -q 'f(' p/main.c")
        .file("p/large", "words ".repeat(100_000));
    let before = tree(&env.path("p"));
    let disk = env.path("../disk");
    fs::create_dir(&disk).unwrap();
    let output = format!("--output={}/p.min", disk.display());
    let args = ["reduce", "p", "--test", "./test.sh", "--jobs=1", &output];
    let full = "head -c 1800000 /dev/zero >\"$DISK/ballast\"";
    let Some(run) = env.run_on_a_small_disk(&disk, full, &args) else {
        return;
    };
    let said = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(5), "{said}");
    for part in ["failed to write", "p.min", "os error 28"] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(tree(&env.path("p")), before, "the input is unchanged");

    // One result fits, two do not: the second is written where the first stays.
    let nearly = "head -c 1000000 /dev/zero >\"$DISK/ballast\"";
    let list = format!("{nearly}; trap 'ls -A \"$DISK\"; ls \"$DISK/p.min\"' EXIT; \"$@\"; exit");
    let few = [&args[..], &["--max-tests=10"]].concat();
    let tight = env.run_on_a_small_disk(&disk, &list, &few).unwrap();
    let listed = String::from_utf8_lossy(&tight.stdout);
    let names: Vec<&str> = listed.split_whitespace().collect();
    assert!(
        names.starts_with(&[".boildown", "ballast", "p.min"]),
        "{listed}"
    );
    assert!(names[3..].contains(&"large"), "whole: {listed}");
}

#[test]
fn files_that_the_test_names_are_tried_first_with_those_that_they_mention() {
    let mut env = TestEnv::new()
        .file(
            "p/src/main.c",
            "#include \"util/a.h\"\nint main() { return A; }\n",
        )
        .file("p/include/util/a.h", "#include \"b.h\"\n")
        .file("p/include/util/b.h", "#define A 1\n");
    for number in 0..40 {
        let text = format!("int x{number} = {number};\n").repeat(20);
        env = env.file(format!("p/src/x{number}.c"), text);
    }
    let needs = "cat p/src/main.c p/include/util/a.h p/include/util/b.h >/dev/null || exit 1";
    let env = env.script(
        "test.sh",
        &format!("echo >>\"$HERE/log\"; {needs}; cat p/src/main.c | grep -q A"),
    );
    env.reduce([
        "p",
        "--test",
        "./test.sh",
        "--jobs",
        "1",
        "--max-tests",
        "1",
    ])
    .assert_code(6);
    let left = tree(&env.path("p.min")).into_iter().map(|(path, _)| path);
    let expected = ["include/util/a.h", "include/util/b.h", "src/main.c"];
    assert_eq!(left.collect::<Vec<_>>(), expected.map(PathBuf::from));
}

#[test]
fn an_output_inside_the_folder_is_refused() {
    let env = project(CALLS);
    let run = env.reduce(["p", "--test", "./test.sh", "--output", "p/lib/result"]);
    run.assert_code(1)
        .assert_says("the output p/lib/result is inside the input p");
    env.reduce(["p", "--test", "./test.sh", "--output", "."])
        .assert_code(1)
        .assert_says("the output . holds the input p");
}

#[test]
fn a_folder_that_boildown_did_not_write_is_not_replaced() {
    let env = project(CALLS).file("p.min/precious", "precious");
    let run = env.reduce(["p", "--test", "./test.sh"]);
    run.assert_code(1)
        .assert_says("it exists, and boildown did not write it");
    assert_eq!(shown(&env, "p.min"), ["precious: precious"]);
    env.reduce(["p", "--test", "./test.sh", "--force"])
        .assert_code(0);
    assert_eq!(shown(&env, "p.min"), ["lib/f.c: int f", "main.c: f("]);
    // A result of its own is.
    env.reduce(["p", "--test", "./test.sh", "--fresh"])
        .assert_code(0);
}

#[test]
fn inputs_without_anything_to_reduce_are_errors() {
    let env = project(CALLS);
    fs::create_dir(env.path("none")).unwrap();
    env.reduce(["none", "--test", "./test.sh"])
        .assert_code(1)
        .assert_says("holds no files");
    env.reduce(["p", "absent", "--test", "./test.sh"])
        .assert_code(1)
        .assert_says("there is no such file or folder");
    env.reduce(["p", "--test", "true"])
        .assert_code(1)
        .assert_says("holds on the empty input");
    for option in [["--keep", "1"], ["--language", "c"], ["--within", "."]] {
        env.reduce([&["p", "--test", "./test.sh"], &option[..]].concat())
            .assert_code(1)
            .assert_says("is for a single file");
    }
}

#[test]
fn a_command_that_uses_a_file_beside_the_folder_is_told_how_to_get_it() {
    let env = project(CALLS)
        .script("tool", "echo \"tool: bad call\" >&2; exit 3")
        .script("p/run", "cd p && exec ../tool main.c");
    env.reduce(["p", "--", "sh", "p/run"])
        .assert_code(1)
        .assert_says("the runs fail because they do not find")
        .assert_says("/tool gives it to each run");
    // The source of a program that fails is none that it looks for.
    let check = "grep -q 'return f' main.c && { echo '../tool:3: bad call' >&2; exit 3; }";
    let env = env.script("p/run", &format!("cd p; {check}"));
    env.reduce(["p", "--", "sh", "p/run"]).assert_code(0);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_that_names_it() {
    let env = project(CALLS).mode("p/README.md", 0);
    let args = ["p", "--test", "./test.sh"];
    let Some(run) = env.reduce_with_permissions_in_force(&args) else {
        return;
    };
    run.assert_code(1)
        .assert_says("p/README.md")
        .assert_says("readable, or move it out of the folder");
}

#[test]
fn where_no_result_can_be_written_the_error_comes_before_the_search() {
    let test = format!("find p -type f | wc -l >> \"$HERE/runs\"\n{CALLS}");
    let env = project(&test);
    fs::create_dir(env.path("locked")).unwrap();
    fs::rename(env.path("p"), env.path("locked/p")).unwrap();
    let before = tree(&env.path("locked"));
    let env = env.mode("locked", 0o555);
    for (option, advice) in [
        (
            "--jobs=2",
            "make locked writable, or write the result elsewhere",
        ),
        (
            "--in-place",
            "make locked writable, or leave out --in-place",
        ),
    ] {
        let args = ["locked/p", "--test", "./test.sh", option];
        let Some(run) = env.reduce_with_permissions_in_force(&args) else {
            return;
        };
        run.assert_code(5)
            .assert_says("failed to write locked/p")
            .assert_says(advice);
        assert_eq!(tree(&env.path("locked")), before);
    }
    // Those on the input and on an empty folder, and none on a candidate.
    let runs = env.read("runs");
    assert!(runs.lines().all(|files| ["5", "0"].contains(&files)));
    let args = ["locked/p", "--test", "./test.sh", "--output=out"];
    let elsewhere = env.reduce_with_permissions_in_force(&args).unwrap();
    elsewhere.assert_code(0);
    assert_eq!(shown(&env, "out"), ["lib/f.c: int f", "main.c: f("]);
    env.mode("locked", 0o755);
}

#[test]
fn sockets_and_pipes_are_left_out() {
    let env = project("[ -e p/pipe ] && exit 1; grep -q 'f(' p/main.c");
    let pipe = env.path("p/pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    let run = env.reduce(["p", "--test", "./test.sh"]);
    run.assert_code(0)
        .assert_says("left out, because it is no file: p/pipe");
    assert_eq!(shown(&env, "p.min"), ["main.c: f("]);
}

#[test]
fn the_current_directory_can_be_the_folder() {
    let env = project("grep -q 'f(' p/main.c");
    let output = env
        .command()
        .current_dir(env.path("p"))
        .args(["reduce", ".", "--", "grep", "-q", "f(", "main.c"])
        .args(["--exit", "0"])
        .output()
        .unwrap();
    assert_eq!(
        output.status.code(),
        Some(1),
        "the options come before the command"
    );
    let output = env
        .command()
        .current_dir(env.path("p"))
        .args([
            "reduce", ".", "--exit", "0", "--", "grep", "-q", "f(", "main.c",
        ])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(shown(&env, "p.min"), ["main.c: f("]);
}

#[test]
fn a_program_outside_of_the_current_directory_is_that_of_the_user() {
    let env = project("grep -q 'f(' main.c");
    let output = env
        .command()
        .current_dir(env.path("p"))
        .args(["reduce", ".", "--exit", "0", "--", "../test.sh", "."])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(shown(&env, "p.min"), ["main.c: f("]);
}

#[test]
fn a_file_is_moved_to_where_it_is_included_if_that_is_smaller() {
    let env = TestEnv::new()
        .file(
            "p/main.c",
            "#include \"lib/f.h\"\nint main() { return f(1); }\n",
        )
        .file("p/lib/f.h", "int f(int needle);\nint g();\n")
        .script("test.sh", "cd p && cc -E main.c | grep -q 'f(int needle)'");
    env.reduce(["p", "--test", "./test.sh"])
        .assert_code(0)
        .assert_says("2 -> 1 file");
    assert_eq!(shown(&env, "p.min"), ["main.c: f(int needle)"]);
}

#[test]
fn no_single_file_can_be_removed_whatever_the_algorithm_does() {
    let test = "[ -e p/a ] && [ -e p/c ] || exit 1; [ -e p/b ] && [ ! -e p/d ] && exit 1; exit 0";
    let env = TestEnv::new()
        .file("p/a", "")
        .file("p/b", "")
        .file("p/c", "")
        .file("p/d", "")
        .script("test.sh", test);
    let run = env.reduce(["p", "--test", "./test.sh", "--algorithm", "probdd"]);
    run.assert_code(0).assert_says("1-minimal");
    assert_eq!(shown(&env, "p.min"), ["a: ", "c: "]);
}
