//! `boildown report`: the page, JSON and Markdown about a reduction, and bug reports.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::env::{FINDS_NEEDLE, TestEnv, has};

/// A program that fails on a needle, and says other things about other hay.
const TOOL: &str = "if grep -q needle \"$1\"; then echo \"$1:3: error: found it's needle 17\" >&2; exit 3; fi\n\
                    echo \"nothing in it <b>\" >&2";

fn reduced() -> TestEnv {
    let lines: String = (0..60)
        .map(|line| format!("int f{line}(int a) {{ return g({line}, a); }}\n"))
        .collect();
    let env = TestEnv::new()
        .file(
            "in.c",
            format!("{lines}int needle(int b) {{ return 1; }} // </script>\n"),
        )
        .script("tool", TOOL);
    env.reduce(["in.c", "--yes", "--", "./tool", "in.c"])
        .assert_code(0);
    env
}

#[test]
fn a_page_has_everything_that_is_known_of_a_reduction() {
    let env = reduced();
    let report = env.run(["report"]);
    report.assert_code(0);
    assert_eq!(report.stdout, "in.min.c.report.html\n");
    let page = env.read("in.min.c.report.html");
    for section in [
        "texts",
        "remaining",
        "steps",
        "sizes",
        "map",
        "passes",
        "repeatability",
        "time",
        "environment",
    ] {
        assert!(
            page.contains(&format!("<section id={section} ")),
            "{section}"
        );
    }
    assert!(
        page.contains("nothing in it &lt;b&gt;"),
        "the output of a candidate"
    );
    assert!(page.contains("<span class=o0"), "the units of the result");
    assert!(page.contains("boildown reduce in.c --yes -- ./tool in.c"));

    env.run(["report", "in.c"]).assert_code(0);
    fs::write(env.path("in.min.c.report.html"), "mine").unwrap();
    env.run(["report"])
        .assert_code(1)
        .assert_says("exists already, and is no report");
    env.run(["report", "-o", "other.html"]).assert_code(0);
    env.run(["report", "missing.c"])
        .assert_code(1)
        .assert_says("no run of missing.c is recorded");
}

#[test]
fn other_formats_have_the_same_figures() {
    let env = reduced();
    let json = env.run(["report", "--format", "json", "--no-versions"]);
    json.assert_code(0);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["schema"], 2);
    assert_eq!(json["one_minimal"], true);
    assert_eq!(json["text"], env.read("in.min.c"));
    let passes = json["passes"].as_array().unwrap();
    let sum = |field: &str| -> i64 { passes.iter().filter_map(|pass| pass[field].as_i64()).sum() };
    let steps = json["steps"].as_array().unwrap();
    assert_eq!(sum("hits"), i64::try_from(steps.len()).unwrap() - 1);
    assert_eq!(Value::from(sum("tests")), json["sessions"][0]["tests"]);
    let [first, last] = [&steps[0], steps.last().unwrap()];
    let removed = first["bytes"].as_i64().unwrap() - last["bytes"].as_i64().unwrap();
    assert_eq!(sum("bytes"), removed);
    let units = json["remaining"]["units"].as_array().unwrap();
    assert!(
        units
            .iter()
            .any(|unit| unit["output"] == "nothing in it <b>"),
        "{units:?}"
    );
    assert!(
        units.iter().all(|unit| unit["reason"] != "not tested"),
        "{units:?}"
    );

    let markdown = env.run(["report", "--format", "markdown"]);
    markdown.assert_code(0);
    assert!(
        markdown.stdout.starts_with("# in.c: "),
        "{}",
        markdown.stdout
    );
    assert!(markdown.stdout.contains(&env.read("in.min.c")));
}

#[test]
fn a_store_of_an_earlier_version_has_a_report() {
    let env = TestEnv::new();
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../boildown-store/tests/fixtures/store-v1.db");
    let env = env.file("old.db", fs::read(fixture).unwrap());
    env.run(["report", "old.db", "-o", "old.html"])
        .assert_code(0);
    assert!(env.read("old.html").contains("<section id=sizes "));
    let env = reduced();
    let folder = fs::read_dir(env.path(".boildown/in.min.c")).unwrap();
    let store = folder
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|extension| extension == "db"))
        .unwrap();
    let database = rusqlite::Connection::open(&store).unwrap();
    for table in [
        "passes",
        "outputs",
        "ends",
        "choices",
        "unconfirmed",
        "leaves",
    ] {
        database
            .execute(&format!("DROP TABLE {table}"), [])
            .unwrap();
    }
    drop(database);
    let store = store.to_str().unwrap();
    env.run(["report", store, "-o", "old.html"]).assert_code(0);
    let page = env.read("old.html");
    assert!(!page.contains("<section id=passes "));
    assert!(page.contains("<section id=remaining "));
    env.run(["report", store, "--bug"])
        .assert_code(1)
        .assert_says("run the same reduction again");
}

/// Returns the answer to a request for a page under a host.
fn get(address: &str, host: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_live_page_follows_a_reduction_and_needs_its_token() {
    let lines: String = (0..40).map(|line| format!("int f{line};\n")).collect();
    let env = TestEnv::new().file("in.c", format!("{lines}int needle;\n"));
    let gate = env.path("gate");
    // The command waits for the test before the search gets far.
    let far = "! grep -q needle in.c || [ \"$(wc -l < in.c)\" -ge 30 ]";
    let wait = format!(
        "until {far} || [ -e '{}' ]; do sleep 0.01; done",
        gate.display()
    );
    let tool = format!("{wait}\nif grep -q needle in.c; then exit 3; fi");
    let env = env.script("tool", &tool);
    let mut reduction = env.command();
    reduction.args(["reduce", "--yes", "in.c", "--", "./tool", "in.c"]);
    let mut reduction = reduction.stderr(Stdio::null()).spawn().unwrap();
    let has_begun = |_| {
        thread::sleep(Duration::from_millis(20));
        env.run(["report", "in.c", "--format", "json"]).code == Some(0)
    };
    assert!((0..1000).any(has_begun));
    let mut report = env.start(["report", "--live", "in.c"]);
    report.wait_until(|env| env.read("../stdout").ends_with('\n'));
    let printed = env.read("../stdout");
    let (address, path) = printed
        .trim()
        .strip_prefix("http://")
        .unwrap()
        .split_once('/')
        .unwrap();
    let path = format!("/{path}");
    let page = || get(address, address, &path);
    let first = page();
    assert!(first.starts_with("HTTP/1.1 200 OK\r\n"), "{first}");
    assert!(first.contains("The search has not ended"), "{first}");
    assert!(get(address, address, "/").starts_with("HTTP/1.1 404 "));
    assert!(get(address, "evil.example", &path).starts_with("HTTP/1.1 403 "));
    fs::write(&gate, "").unwrap();
    assert!(reduction.wait().unwrap().success());
    report.wait_until(|_| page().contains("The search finished."));
    report.signal(Signal::INT);
    assert_eq!(report.finish().code, None);
}

/// Runs a script of a bug report in this directory, with a fresh home directory.
fn run_script(shell: &str, directory: &Path, words: &[&str]) -> Output {
    Command::new(shell)
        .args(words)
        .current_dir(directory)
        .output()
        .unwrap()
}

#[test]
fn the_scripts_of_a_bug_report_need_nothing_of_boildown() {
    let env = reduced();
    let report = env.run(["report", "--bug"]);
    report.assert_code(0);
    let bug = env.path("in.min.c.bug");
    assert!(env.exists("in.min.c.bug.tar.gz"));
    assert_eq!(fs::read(bug.join("in.c")).unwrap(), env.bytes("in.min.c"));
    // The tool is a script, which is enclosed: it may go.
    fs::remove_file(env.path("tool")).unwrap();
    let other = env.path("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("in.c"), "no such thing\n").unwrap();
    let script = bug.join("interesting.sh");
    let script = script.to_str().unwrap();
    for shell in ["sh", "bash", "dash"]
        .into_iter()
        .filter(|shell| has(shell))
    {
        let run = |directory: &Path, words: &[&str]| {
            let run = run_script(shell, directory, words);
            (
                run.status.code(),
                String::from_utf8_lossy(&run.stderr).into_owned(),
            )
        };
        let good = (Some(0), String::new());
        assert_eq!(run(&bug, &[script]), good, "{shell}");
        assert_eq!(run(&other, &[script, "../in.c"]), good, "{shell}");
        assert_eq!(run(&other, &[script]), (Some(1), String::new()), "{shell}");
        assert_eq!(run(&other, &[script, "gone"]).0, Some(2), "{shell}");
        let reproduced = run_script(shell, &other, &[bug.join("reproduce.sh").to_str().unwrap()]);
        let printed = String::from_utf8_lossy(&reproduced.stdout);
        assert_eq!(printed, "exit status 3\n");
        let printed = String::from_utf8_lossy(&reproduced.stderr);
        assert!(printed.contains("error: found it's needle 17"), "{printed}");
    }
    let readme = env.read("in.min.c.bug/README.md");
    assert!(readme.contains("found it's needle 17"), "{readme}");
    assert!(readme.contains(env.read("in.min.c").trim_end()), "{readme}");
    env.run(["report", "--bug"])
        .assert_code(1)
        .assert_says("exists already");
}

#[test]
fn a_bug_report_has_the_users_script_and_other_tests() {
    let env = TestEnv::with_test(FINDS_NEEDLE).script("also.sh", "grep -q hay \"$1\"");
    env.reduce(["in.txt", "--test", "test.sh", "--also", "./also.sh"])
        .assert_code(0);
    env.run(["report", "--bug", "-o", "bug"]).assert_code(0);
    let readme = env.read("bug/README.md");
    assert!(readme.contains("`./also.sh` exits with 0"), "{readme}");
    let interesting = |text: &str| {
        fs::write(env.path("candidate"), text).unwrap();
        let words = ["bug/interesting.sh", "candidate"];
        run_script("sh", &env.path(""), &words).status.code()
    };
    assert_eq!(interesting("needle hay"), Some(0));
    assert_eq!(interesting("needle"), Some(1));
    assert_eq!(interesting("hay"), Some(1));
}

#[test]
fn a_bug_report_claims_what_the_last_pass_verified() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    env.reduce(["in.txt", "--test", "test.sh", "--units", "lines"])
        .assert_says("1-minimal: no single line can be removed");
    env.run(["report", "--bug", "-o", "bug"]).assert_code(0);
    let readme = env.read("bug/README.md");
    let claim = "The result is 1-minimal: no single line can be removed.";
    assert!(readme.contains(claim), "{readme}");
}

/// Returns whether `interesting.sh` of the folder `bug` finds the failure of what it has by itself.
fn is_interesting(env: &TestEnv) -> bool {
    let run = run_script("sh", &env.path("bug"), &["interesting.sh"]);
    run.status.success()
}

#[test]
fn a_bug_report_about_a_folder_has_the_folder() {
    let tool = "grep -qs needle p/src/a.txt && grep -qs pin p/b.txt && { echo found it >&2; exit 3; }; exit 0";
    let env = TestEnv::new()
        .file("p/src/a.txt", "one\nneedle\ntwo\n")
        .file("p/b.txt", "pin\nand\n")
        .file("p/c.txt", "not needed\n")
        .script("tool", tool);
    env.reduce(["p", "--jobs", "1", "--", "./tool", "p/src/a.txt"])
        .assert_code(0);
    env.run(["report", "--bug", "-o", "bug"]).assert_code(0);
    fs::remove_file(env.path("tool")).unwrap();
    assert_eq!(env.read("bug/p/src/a.txt").trim(), "needle");
    assert!(!env.exists("bug/p/c.txt"));
    assert!(is_interesting(&env));
    let readme = env.read("bug/README.md");
    assert!(
        readme.contains("`src/a.txt`:") && readme.contains("found it"),
        "{readme}"
    );
    let run = run_script("sh", &env.path(""), &["bug/interesting.sh", "p"]);
    assert!(run.status.success());
    fs::remove_file(env.path("p/b.txt")).unwrap();
    let run = run_script("sh", &env.path(""), &["bug/interesting.sh", "p"]);
    assert_eq!(run.status.code(), Some(1));
}

#[test]
fn a_bug_report_about_a_folder_runs_where_the_reduction_ran() {
    let env = TestEnv::new()
        .file("p/a.txt", "one\nneedle\ntwo\n")
        .file("p/make.sh", "grep -q needle a.txt && exit 3\nexit 0\n");
    let inside = |args: &[&str]| {
        let mut command = env.command();
        command.current_dir(env.path("p")).args(args);
        let done = command.output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(0), "{said}");
    };
    inside(&[
        "reduce",
        ".",
        "-o",
        "../out",
        "--exit",
        "3",
        "--keep-file",
        "make.sh",
        "--",
        "sh",
        "make.sh",
    ]);
    let report = ["report", "--bug", "-o", "bug", "out"];
    env.run(report).assert_code(0);
    assert_eq!(env.read("bug/p/a.txt").trim(), "needle");
    assert!(is_interesting(&env));
}

#[test]
fn a_bug_report_about_several_files_has_all_of_them() {
    let env = TestEnv::new()
        .file("a.txt", "one\nneedle\n")
        .file("b.txt", "two\npin\n")
        .script(
            "tool",
            "grep -q needle $1 && grep -q pin $2 && exit 3\nexit 0",
        );
    env.reduce([
        "a.txt", "b.txt", "--exit", "3", "--", "./tool", "a.txt", "b.txt",
    ])
    .assert_code(0);
    env.run(["report", "--bug", "-o", "bug"]).assert_code(0);
    assert_eq!(env.read("bug/test-case/b.txt").trim(), "pin");
    assert!(is_interesting(&env));
}

#[test]
fn a_bug_report_about_a_list_delivers_its_items() {
    let tool = "for word in \"$@\"; do [ \"$word\" = 'the needle' ] && exit 3; done; exit 0";
    let env = TestEnv::new()
        .file("in.list", "hay\nthe needle\nmore hay\n")
        .script("tool", tool);
    env.reduce(["in.list", "--exit", "3", "--", "./tool", "-x", "{items}"])
        .assert_code(0);
    env.run(["report", "--bug", "-o", "bug"]).assert_code(0);
    assert!(is_interesting(&env));
    let other = |list: &str| {
        fs::write(env.path("other"), list).unwrap();
        let run = run_script("sh", &env.path(""), &["bug/interesting.sh", "other"]);
        run.status.code()
    };
    assert_eq!(other("a *\n\nthe needle"), Some(0));
    assert_eq!(other("the\nneedle\n"), Some(1));
}

#[test]
fn a_bug_report_about_a_command_has_its_files_and_variables() {
    let tool = "case \"$*\" in *'--needle=a b'*) ;; *) exit 0 ;; esac\n\
                [ \"$MODE\" = 'it is' ] && [ -f \"$1\" ] && exit 3\nexit 0";
    let env = TestEnv::new()
        .file("data.txt", "content\n")
        .script("tool", tool);
    let words = [
        "--reduce=args",
        "--reduce=env",
        "--exit",
        "3",
        "--",
        "./tool",
        "data.txt",
        "-v",
        "--needle=a b",
    ];
    env.reduce_with([("MODE", "it is"), ("SECRET", "hunter2")], &words)
        .assert_code(0);
    env.run(["report", "--bug", "-o", "bug"]).assert_code(0);
    for gone in ["tool", "data.txt"] {
        fs::remove_file(env.path(gone)).unwrap();
    }
    assert!(is_interesting(&env));
    let line = env.read("bug/tool.command");
    assert!(
        line.contains("'MODE=it is'") && !line.contains("hunter2") && !line.contains("-v"),
        "{line}"
    );
    assert!(env.read("bug/README.md").contains(line.trim()));
}

#[test]
fn a_bug_report_of_a_hang_kills_the_command() {
    let env = TestEnv::new()
        .file("in.txt", "loop\n")
        .script("tool", "grep -q loop \"$1\" && exec sleep 1000\nexit 0");
    // The first test is enough for a report.
    let words = [
        "in.txt",
        "--hangs",
        "1s",
        "--max-tests",
        "1",
        "--",
        "./tool",
        "{}",
    ];
    env.reduce(words).assert_code(6);
    env.run(["report", "--bug", "-o", "bug"]).assert_code(0);
    let words = ["bug/interesting.sh", "in.txt"];
    let run = run_script("sh", &env.path(""), &words);
    assert_eq!(run.status.code(), Some(0));
}

#[test]
fn neither_home_nor_environment_is_in_a_bug_report() {
    let env = TestEnv::new().file("in.txt", "one\nneedle\ntwo\n");
    let home = env.path("../home");
    let home = home.canonicalize().unwrap();
    fs::create_dir(home.join("tools")).unwrap();
    fs::write(
        home.join("tools/words"),
        [&b"\0needle"[..], &[0; 2 << 20]].concat(),
    )
    .unwrap();
    let env = env.script(
        "tool",
        "test -n \"$SECRET\" && test -f \"$2\" && grep needle \"$1\" && exit 3",
    );
    let words = home.join("tools/words");
    let words = words.to_str().unwrap();
    env.reduce_with(
        [("SECRET", "hunter2")],
        &["in.txt", "--exit", "3", "--", "./tool", "in.txt", words],
    )
    .assert_code(0);
    let mut command = env.command();
    let done = command
        .env("SECRET", "hunter2")
        .env("HOME", &home)
        .args(["report", "--bug", "-o", "bug"])
        .output()
        .unwrap();
    assert_eq!(
        done.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    for file in ["README.md", "interesting.sh", "reproduce.sh"] {
        let text = env.read(Path::new("bug").join(file));
        assert!(!text.contains(home.to_str().unwrap()), "{file}: {text}");
        assert!(!text.contains("hunter2"), "{file}: {text}");
    }
    assert!(env.read("bug/README.md").contains("`SECRET`"));
    let run = Command::new("sh")
        .args(["bug/interesting.sh", "in.txt"])
        .env("SECRET", "x")
        .env("HOME", &home)
        .current_dir(env.path(""))
        .status()
        .unwrap();
    assert_eq!(run.code(), Some(0));
}

#[test]
fn a_browser_shows_the_page_without_an_error() {
    if !has("chromium") {
        return;
    }
    let env = reduced();
    env.run(["report", "-o", "page.html"]).assert_code(0);
    let page = format!("file://{}", env.path("page.html").display());
    let profile = format!("--user-data-dir={}", env.path("profile").display());
    // A browser that hangs must not hang the tests.
    let shown = Command::new("timeout")
        .args(["-s", "KILL", "120", "chromium"])
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--enable-logging=stderr",
            &profile,
            "--dump-dom",
            &page,
        ])
        .env("HOME", env.path(""))
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&shown.stderr);
    let errors: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("CONSOLE"))
        .collect();
    assert_eq!(errors, [""; 0]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    for element in [
        "<main>",
        "<div class=\"stepper\">",
        "<p id=\"step-about\" aria-live=\"polite\">step ",
        "<svg class=\"curve\"",
        "<svg class=\"map\"",
        "<div class=\"code units\"",
        "</body></html>",
    ] {
        assert!(shown.contains(element), "{element} in {shown}");
    }
    assert_eq!(shown.matches("<script").count(), 2);
}

#[test]
fn a_bug_report_of_frames_and_of_bytes_that_are_no_text_is_verified() {
    // As AddressSanitizer prints it, with a zero byte before it.
    let tool = "grep -q needle \"$1\" || exit 0\n\
        printf 'a\\0b\\n==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0\\n\
        \\x20   #0 0x55aa in inner /src/a.c:10:3\\n    #1 0x55bb in outer /src/b.c:20:7\\n\
        \\x20   #2 0x55cc in main /src/c.c:1:1\\n' | sed 's/\\\\x20/ /' >&2\nexit 1";
    let env = TestEnv::new()
        .file("in.txt", "one\ntwo needle\n")
        .script("tool", tool);
    env.reduce(["in.txt", "--yes", "--frames", "2", "--", "./tool", "in.txt"])
        .assert_code(0);
    env.run(["report", "--bug"]).assert_code(0);
    let script = env.read("in.min.txt.bug/interesting.sh");
    assert!(script.contains("tr '\\n\\001'"), "{script}");
    assert!(script.contains("grep -a -E"), "{script}");
}
