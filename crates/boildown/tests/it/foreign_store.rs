//! Stores of others: they are read, and nothing that they name is run or read.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use rusqlite::Connection;

use crate::env::TestEnv;

/// A tool that notes that it ran.
const NOTES_RUNS: &str = "echo run >>\"$(dirname \"$0\")/runs\"; grep -q needle \"$1\" && exit 3";

/// Reduces a file with a tool that notes its runs, and forgets these.
fn reduced(options: &[&str]) -> TestEnv {
    let env = TestEnv::new()
        .file("in.txt", "one\ntwo needle\nthree\n")
        .script("tool", NOTES_RUNS);
    let args = [&["in.txt", "--yes"], options, &["--", "./tool", "in.txt"]].concat();
    env.reduce(args).assert_code(0);
    fs::remove_file(env.path("runs")).unwrap();
    env
}

/// Runs a command as another user of the store would: with another home directory.
fn elsewhere(env: &TestEnv, args: &[&str]) -> Output {
    let home = env.path("elsewhere");
    fs::create_dir_all(&home).unwrap();
    env.command().env("HOME", home).args(args).output().unwrap()
}

fn store(env: &TestEnv) -> PathBuf {
    let folder = fs::read_dir(env.path(".boildown/in.min.txt")).unwrap();
    let mut files = folder.map(|entry| entry.unwrap().path());
    files
        .find(|path| path.extension().is_some_and(|extension| extension == "db"))
        .unwrap()
}

/// Changes a store, as its sender may.
fn change(env: &TestEnv, sql: &str) {
    let database = Connection::open(store(env)).unwrap();
    assert!(database.execute(sql, []).unwrap() > 0);
}

#[track_caller]
fn assert_not_run(env: &TestEnv) {
    assert!(!env.exists("runs"), "{}", env.read("runs"));
}

#[test]
fn nothing_is_run_to_read_a_store() {
    let env = reduced(&[]);
    for args in [
        &["report"][..],
        &["report", "--format", "json"],
        &["report", "--format", "markdown"],
        &["history"],
        &["explain", "in.txt"],
    ] {
        for output in [
            env.command().args(args).output().unwrap(),
            elsewhere(&env, args),
        ] {
            assert!(output.status.success(), "{args:?}: {output:?}");
            assert_not_run(&env);
        }
        fs::remove_file(env.path("in.min.txt.report.html")).ok();
    }
}

#[test]
fn a_page_runs_no_program_that_the_store_names() {
    let env = reduced(&[]);
    // A program that is asked for its version, if any is.
    let env = env.script("gcc", NOTES_RUNS);
    let path = env.path("gcc");
    let stamp = fs::metadata(&path).unwrap();
    let value = {
        use std::os::unix::fs::MetadataExt as _;
        let (time, nanoseconds) = (stamp.mtime(), stamp.mtime_nsec());
        format!("{} bytes of {time}.{nanoseconds:09}", stamp.len())
    };
    let what = format!("the program {}", path.display());
    change(
        &env,
        &format!("INSERT INTO identity VALUES ('{what}', '{value}')"),
    );
    env.run(["report"]).assert_code(0);
    assert_not_run(&env);
    let page = env.read("in.min.txt.report.html");
    assert!(page.contains("/gcc"), "it is listed");
    env.run(["report", "--run"]).assert_code(0);
    assert_eq!(env.read("runs"), "run\n");
}

#[test]
fn a_bug_report_is_verified_when_the_user_wrote_the_store() {
    let env = reduced(&[]);
    let report = env.run(["report", "--bug"]);
    report.assert_code(0);
    assert!(env.exists("runs"));
    let text = env.read("in.min.txt.bug/README.md");
    assert!(!text.contains("Not verified"), "{text}");
}

#[test]
fn a_bug_report_from_a_foreign_store_is_not_verified_unless_it_is_told_to_run() {
    let env = reduced(&[]);
    let output = elsewhere(&env, &["report", "--bug"]);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("not verified"), "{said}");
    assert_not_run(&env);
    let text = env.read("in.min.txt.bug/README.md");
    assert!(text.contains("Not verified"), "{text}");
    assert!(text.contains("exited with 3"), "{text}");
    assert!(!env.exists("in.min.txt.bug/files"), "nothing is enclosed");

    let output = elsewhere(&env, &["report", "--bug", "--run", "-o", "run.bug"]);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("boildown reduce in.txt --yes -- ./tool in.txt"),
        "{said}"
    );
    assert!(env.exists("runs"));
    assert!(env.exists("run.bug/files/tool"));
    let text = env.read("run.bug/README.md");
    assert!(!text.contains("Not verified"), "{text}");
}

#[test]
fn a_store_that_was_changed_is_not_run() {
    let database_changes = [
        "UPDATE ends SET json = replace(json, './tool', './evil') WHERE event = 'started'",
        "UPDATE ends SET json = replace(json, '\"--yes\"', '\"--no-sandbox\"')",
        "UPDATE run SET flags = '--exit 1'",
        "UPDATE identity SET what = 'the program /bin/evil' WHERE what = 'the environment variable PATH'",
        "UPDATE improvements SET content = X'00000000000000000000000000000000' \
         WHERE question = (SELECT max(question) FROM improvements)",
        "DELETE FROM provenance WHERE name = 'seal'",
        "UPDATE provenance SET value = X'00' WHERE name = 'seal'",
    ];
    for sql in database_changes {
        let env = reduced(&[]).script("evil", NOTES_RUNS);
        change(&env, sql);
        let report = env.run(["report", "--bug"]);
        assert_not_run(&env);
        if report.code == Some(0) {
            report.assert_says("not verified");
        }
    }
    // A view may say something else each time it is read.
    let env = reduced(&[]);
    let database = Connection::open(store(&env)).unwrap();
    let script = "ALTER TABLE ends RENAME TO other; CREATE VIEW ends AS SELECT * FROM other";
    database.execute_batch(script).unwrap();
    drop(database);
    let report = env.run(["report", "--bug"]);
    assert_not_run(&env);
    assert_ne!(report.code, Some(0), "a view is no table of ours");
}

#[test]
fn a_session_on_a_store_that_others_began_does_not_make_it_ones_own() {
    let env = reduced(&[]);
    change(&env, "DELETE FROM provenance WHERE name = 'seal'");
    env.reduce(["in.txt", "--yes", "--", "./tool", "in.txt"])
        .assert_code(0);
    fs::remove_file(env.path("runs")).ok();
    env.run(["report", "--bug"]).assert_says("not verified");
    assert_not_run(&env);
}

/// Returns whether the sandbox keeps a tool from writing a file.
fn is_contained(tool: &str, written: &std::path::Path) -> bool {
    let env = TestEnv::new()
        .file("in.txt", "needle\n")
        .script("tool", tool);
    // The first run, from which a property is deduced, is outside the sandbox.
    let args = ["in.txt", "--exit", "3", "--", "./tool", "in.txt"];
    let before = written.exists();
    drop(env.reduce(args));
    before || !written.exists()
}

#[test]
fn a_store_neither_switches_the_sandbox_off_nor_opens_it() {
    let outside = tempfile::tempdir().unwrap();
    let written = outside.path().join("written");
    let tool = format!(
        "echo run >'{}' 2>/dev/null; grep -q needle \"$1\" && exit 3",
        written.display()
    );
    let writable = outside.path().to_str().unwrap();
    for options in [&["--no-sandbox"][..], &["--writable", writable]] {
        let env = TestEnv::new()
            .file("in.txt", "one\ntwo needle\nthree\n")
            .script("tool", &tool);
        let args = [&["in.txt", "--yes"], options, &["--", "./tool", "in.txt"]].concat();
        env.reduce(args).assert_code(0);
        fs::remove_file(&written).unwrap();
        let output = elsewhere(&env, &["report", "--bug", "--run"]);
        assert!(output.status.success(), "{output:?}");
        if !is_contained(&tool, &written) {
            println!("skipped: there is no sandbox here");
            return;
        }
        assert!(!written.exists(), "{options:?}");
        if options == ["--no-sandbox"] {
            env.run(["report", "--bug", "-o", "own.bug"]).assert_code(0);
            assert!(!written.exists(), "{options:?} of the own store");
            env.run(["report", "--bug", "--no-sandbox", "-o", "open.bug"])
                .assert_code(0);
            assert!(written.exists(), "the user switches it off");
        }
    }
}

#[test]
fn a_name_in_a_store_does_not_lead_out_of_the_bug_report() {
    let env = reduced(&[]);
    change(&env, "UPDATE run SET input = '../../escaped'");
    let report = env.run(["report", "--bug", "-o", "deep.bug"]);
    assert_ne!(report.code, Some(0));
    assert!(!env.exists("escaped") && !env.path("../escaped").exists());
}

#[test]
fn the_values_of_variables_cannot_be_looked_up() {
    let env = TestEnv::with_test("grep -q needle \"$1\" && [ -n \"$TOKEN\" ]");
    let token = [("TOKEN", "a secret")];
    env.reduce_with(token, &["in.txt", "--test", "./test.sh"])
        .assert_code(0);
    let file = fs::read_dir(env.path(".boildown/in.min.txt")).unwrap();
    let file = file
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|extension| extension == "db"))
        .unwrap();
    let database = Connection::open(file).unwrap();
    let query = "SELECT value FROM identity WHERE what = 'the environment variable TOKEN'";
    let value: String = database.query_row(query, [], |row| row.get(0)).unwrap();
    assert!(value.starts_with("salted:"), "{value}");
    let plain = blake3::hash(b"a secret").to_hex();
    assert!(!value.contains(&plain[..32]), "{value}");
    // The same variable resumes, and another value is another run.
    let again = env.reduce_with(token, &["in.txt", "--test", "./test.sh"]);
    again.assert_code(0).assert_says("resum");
    let other = [("TOKEN", "another secret")];
    let changed = env.reduce_with(other, &["in.txt", "--test", "./test.sh"]);
    changed.assert_says("the environment variable TOKEN");
}

#[test]
fn a_pipe_in_place_of_a_store_makes_no_reader_wait() {
    let env = reduced(&[]);
    let folder = env.path(".boildown/in.min.txt");
    for name in ["0123456789abcdef.db", "other.db", "results"] {
        fs::remove_file(folder.join(name)).ok();
        let made = std::process::Command::new("mkfifo")
            .arg(folder.join(name))
            .status();
        if !made.is_ok_and(|status| status.success()) {
            println!("skipped: there is no mkfifo");
            return;
        }
    }
    env.run(["report", "-o", "page.html"]).assert_code(0);
    env.run(["history"]).assert_code(0);
    env.run(["explain", "in.txt"]).assert_code(0);
    let pipe = folder.join("other.db");
    let named = env.run(["report", pipe.to_str().unwrap()]);
    assert_ne!(named.code, Some(0));
    let known = ["--known", pipe.to_str().unwrap(), "--fresh"];
    let args = [
        &["in.txt", "--yes"],
        &known[..],
        &["--", "./tool", "in.txt"],
    ]
    .concat();
    env.reduce(args).assert_says("it is not a file");
}
