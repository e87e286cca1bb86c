//! Resuming a reduction after a kill, a limit, or a finished search.

use std::collections::HashSet;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use rusqlite::Connection;
use rustix::process::Signal;

use crate::env::{FINDS_NEEDLE, HAYSTACK, NEEDLE, TestEnv};

/// A test that logs every candidate as a line of hexadecimal digits.
const LOGS: &str = r#"printf '%s\n' "$(od -An -v -tx1 "$1" | tr -d ' \n')" >>"$HERE/log""#;

const COMMAND: [&str; 5] = ["in.txt", "--jobs", "2", "--test", "test.sh"];

/// Returns the candidates of all runs so far. The last line may be incomplete.
fn runs(env: &TestEnv) -> Vec<[u8; 16]> {
    let log = fs::read_to_string(env.path("log")).unwrap_or_default();
    let bytes = |line: &str| -> Vec<u8> {
        let digits = |at| u8::from_str_radix(&line[at..at + 2], 16).unwrap();
        (0..line.len() / 2).map(|at| digits(2 * at)).collect()
    };
    log.lines().map(|line| hash(&bytes(line))).collect()
}

fn hash(bytes: &[u8]) -> [u8; 16] {
    blake3::hash(bytes).as_bytes()[..16].try_into().unwrap()
}

/// Returns the files of the store.
fn stores(env: &TestEnv, output: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(env.path(".boildown").join(output)) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "db"))
        .collect()
}

fn answered(env: &TestEnv) -> HashSet<[u8; 16]> {
    answered_in(env, "in.min.txt")
}

/// Returns every candidate with a verdict in the only store beside an output.
pub(crate) fn answered_in(env: &TestEnv, output: &str) -> HashSet<[u8; 16]> {
    let Some(file) = stores(env, output).pop() else {
        return HashSet::new();
    };
    let database = Connection::open(file).unwrap();
    // A session that was killed at once may not have created its tables.
    let Ok(mut query) =
        database.prepare("SELECT content FROM verdicts UNION SELECT content FROM baseline")
    else {
        return HashSet::new();
    };
    let rows = query.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

/// Returns a file whose reduction takes a few hundred tests.
fn input() -> String {
    (0..150)
        .map(|number| match number % 9 {
            4 => format!("{{ {NEEDLE} number {number} (or so) }}\n"),
            _ => format!("line {number} of the [hay]\n"),
        })
        .collect()
}

const WANTS_MANY: &str = "[ $(grep -c needle \"$1\") -ge 12 ]";

#[test]
fn after_a_kill_the_result_is_the_same_and_no_known_test_is_run_again() {
    let env = TestEnv::with_test(&format!("{LOGS}\n{WANTS_MANY}")).file("in.txt", input());
    env.reduce(["in.txt", "--output", "undisturbed", "--test", "test.sh"])
        .assert_code(0);
    let undisturbed = env.bytes("undisturbed");
    let needed = runs(&env).len();
    fs::remove_file(env.path("log")).unwrap();

    let mut known = HashSet::new();
    let mut looked_at = 0;
    let mut best = usize::MAX;
    for (round, wait) in [1, 6, 30, 3, 12, 50, 9].into_iter().enumerate() {
        let come = runs(&env).len() + wait;
        let mut run = env.start_reduce(COMMAND);
        run.wait_until(|env| runs(env).len() >= come);
        if round % 3 == 2 {
            run.signal(Signal::INT);
            run.finish().assert_code(6);
        } else {
            // With SIGKILL.
            drop(run);
        }
        let runs = runs(&env);
        let again = runs[looked_at..].iter().filter(|run| known.contains(*run));
        // The input is run once, to see that it still fails.
        let again: Vec<_> = again.collect();
        assert!(again.len() <= 1, "round {round}");
        assert!(again.iter().all(|run| **run == hash(input().as_bytes())));
        looked_at = runs.len();
        let answered = answered(&env);
        assert!(answered.is_superset(&known));
        known = answered;
        if let Ok(found) = fs::read(env.path("in.min.txt")) {
            assert!(found.len() <= best, "round {round}");
            best = found.len();
        }
    }
    assert!(known.len() > 50, "{}", known.len());
    env.reduce(COMMAND)
        .assert_code(0)
        .assert_says("resumed: ")
        .assert_says("1-minimal");
    assert_eq!(env.bytes("in.min.txt"), undisturbed);
    let runs = runs(&env);
    // The input, the result, and some candidates that the claim rests on are run once more.
    known.remove(&hash(&undisturbed));
    let again = runs[looked_at..].iter().filter(|run| known.contains(*run));
    assert!(again.count() <= 65);
    // Only runs that had not ended or were not stored yet when it was killed are repeated.
    assert!(runs.len() < needed + 7 * 60, "{} {needed}", runs.len());
}

#[test]
fn a_finished_reduction_is_repeated_with_the_runs_that_its_claim_needs() {
    let env = TestEnv::with_test(&format!("{LOGS}\n{FINDS_NEEDLE}"));
    env.reduce(COMMAND).assert_code(0);
    let count = runs(&env).len();
    let result = env.bytes("in.min.txt");
    // The same with options that do not affect verdicts, and after the result was deleted.
    fs::remove_file(env.path("in.min.txt")).unwrap();
    let again = env.reduce(["in.txt", "--jobs", "1", "--json", "--test", "test.sh"]);
    let last = again.assert_code(0).events().pop().unwrap();
    assert_eq!(last["recalled"], last["tests"]);
    assert_eq!(last["one_minimal"], true);
    let repeated: Vec<_> = runs(&env).split_off(count);
    // The input and the result once, and the result without each of its bytes.
    let distinct: HashSet<_> = repeated.iter().collect();
    assert_eq!(distinct.len(), repeated.len());
    assert!(repeated.contains(&hash(HAYSTACK.as_bytes())));
    assert!(repeated.contains(&hash(NEEDLE.as_bytes())));
    assert!((2 + NEEDLE.len()..=66).contains(&repeated.len()));
    assert_eq!(last["runs"], repeated.len() as u64);
    assert_eq!(env.bytes("in.min.txt"), result);
    // --fresh repeats the runs.
    env.reduce(COMMAND.iter().chain(&["--fresh"]))
        .assert_code(0);
    assert!(runs(&env).len() >= 2 * count + repeated.len() - 20);
    assert_eq!(env.bytes("in.min.txt"), result);
}

#[test]
fn a_raised_limit_resumes_and_gives_the_same_result() {
    let env = TestEnv::with_test(WANTS_MANY).file("in.txt", input());
    let with = |output: &str, most: &str, code| {
        let args = ["in.txt", "--output", output, "--max-tests", most];
        env.reduce(args.iter().chain(&["--test", "test.sh"]))
            .assert_code(code);
        env.bytes(output)
    };
    let (ten, fifty, all) = (
        with("a", "10", 6),
        with("b", "50", 6),
        with("c", "100000", 0),
    );
    assert!(ten.len() > fifty.len() && fifty.len() > all.len());
    assert_eq!(with("d", "10", 6), ten);
    assert_eq!(with("d", "50", 6), fifty);
    assert_eq!(with("d", "100000", 0), all);
    // A lower limit ends where it would have without a store.
    assert_eq!(with("d", "50", 6), fifty);
}

#[test]
fn changes_since_the_last_run_are_named_and_verdicts_are_not_mixed() {
    let env = TestEnv::with_test(&format!("{LOGS}\n{FINDS_NEEDLE}"));
    env.reduce(COMMAND).assert_code(0);
    let count = runs(&env).len();

    let env = env.file("in.txt", format!("more\n{HAYSTACK}"));
    env.reduce(COMMAND)
        .assert_code(0)
        .assert_says("cannot resume: the input changed since the last run; starting over\n");
    let other = runs(&env).len();
    assert!(other > count);

    let env = env.script("test.sh", &format!("{LOGS}\ngrep -q hay \"$1\""));
    env.reduce(COMMAND)
        .assert_code(0)
        .assert_says("cannot resume: the file $ENV/here/test.sh changed since");
    assert!(runs(&env).len() > other);
    assert_eq!(env.read("in.min.txt"), "hay");
    let changed = runs(&env).len();

    // After changing back, the earlier verdicts are known again.
    let env = env.script("test.sh", &format!("{LOGS}\n{FINDS_NEEDLE}"));
    env.reduce(COMMAND).assert_code(0).assert_says("resumed: ");
    assert!(runs(&env).len() - changed <= 66);
    assert_eq!(env.read("in.min.1.txt"), NEEDLE);
}

#[test]
fn a_rebuilt_tool_under_test_is_a_change() {
    let env = TestEnv::new().file("in.txt", HAYSTACK).script(
        "tool",
        "! grep -q needle $1 || { echo 'fatal: needle found' >&2; exit 3; }",
    );
    let args = ["in.txt", "--", "./tool", "in.txt"];
    env.reduce(args).assert_code(0);
    env.reduce(args).assert_code(0).assert_says("resumed: ");
    let env = env.script(
        "tool",
        "! grep -q five $1 || { echo 'fatal: five found' >&2; exit 3; }",
    );
    env.reduce(args)
        .assert_code(0)
        .assert_says("cannot resume: the file $ENV/here/tool changed since");
    assert_eq!(env.read("in.min.txt"), "five");
}

#[test]
fn a_second_session_for_the_same_result_is_rejected() {
    let env = TestEnv::with_test("touch $HERE/running; sleep 1000");
    let mut run = env.start_reduce(["in.txt", "--timeout", "2000", "--test", "test.sh"]);
    run.wait_until(|env| env.exists("running"));
    env.command()
        .args(["reduce"])
        .args(COMMAND)
        .output()
        .map(|second| {
            assert_eq!(second.status.code(), Some(5));
            let said = String::from_utf8(second.stderr).unwrap();
            assert!(
                said.contains("another boildown (process ") && said.contains("--output"),
                "{said}"
            );
        })
        .unwrap();
    // With another output it runs. A killed process does not keep its lock.
    drop(run);
    let env = env.script("test.sh", FINDS_NEEDLE);
    env.reduce(COMMAND).assert_code(0);
}

#[test]
fn a_failed_start_is_not_stored() {
    let env = TestEnv::with_test("[ -e $HERE/works ] && grep -q needle $1");
    env.reduce(COMMAND).assert_code(3);
    assert!(!env.exists(".boildown"));
    let env = env.file("works", "");
    env.reduce(COMMAND).assert_code(0);
}

#[test]
fn the_store_is_ignored_by_git() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    env.reduce(COMMAND).assert_code(0);
    assert_eq!(env.read(".boildown/.gitignore"), "*\n");
}

#[test]
fn a_damaged_store_is_moved_away_and_the_run_starts_over() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    env.reduce(COMMAND).assert_code(0);
    let file = stores(&env, "in.min.txt").pop().unwrap();
    let mut bytes = fs::read(&file).unwrap();
    bytes[..4096].fill(b'x');
    fs::write(&file, bytes).unwrap();
    env.reduce(COMMAND)
        .assert_code(0)
        .assert_says("warning: the store of an earlier run is damaged");
    assert_eq!(env.read("in.min.txt"), NEEDLE);
    env.reduce(COMMAND).assert_code(0).assert_says("resumed: ");
}

#[test]
fn a_run_continues_when_nothing_can_be_stored() {
    let env = TestEnv::with_test(FINDS_NEEDLE).file(".boildown", "in the way");
    let finished = env.reduce(COMMAND);
    finished
        .assert_code(0)
        .assert_says("warning: failed to open the run store in .boildown/in.min.txt: ");
    assert_eq!(finished.stderr.matches("warning").count(), 1, "{finished}");
    assert_eq!(env.read("in.min.txt"), NEEDLE);
}

#[test]
fn a_run_continues_when_the_disk_is_full_with_one_warning() {
    // A limit on the size of files has the effect of a full disk; the signal that comes with it is
    // ignored.
    let env = TestEnv::with_test(WANTS_MANY).file("in.txt", input());
    let mut limited = Command::new("sh");
    let boildown = env.command();
    limited
        .env_clear()
        .envs(
            boildown
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .current_dir(env.path(""))
        .arg("-c")
        .arg("trap '' XFSZ; ulimit -f 96; exec \"$0\" reduce \"$@\"")
        .arg(boildown.get_program())
        .args(COMMAND);
    limited.process_group(0);
    let finished = limited.output().unwrap();
    let said = String::from_utf8(finished.stderr).unwrap();
    assert_eq!(finished.status.code(), Some(0), "{said}");
    assert_eq!(
        said.matches("warning: failed to write ").count(),
        1,
        "{said}"
    );
    assert_eq!(said.matches("warning").count(), 1, "{said}");
    let full = env.bytes("in.min.txt");
    env.reduce(["in.txt", "--output", "elsewhere", "--test", "test.sh"])
        .assert_code(0);
    assert_eq!(full, env.bytes("elsewhere"));
    // The store that was written before is intact.
    env.reduce(COMMAND).assert_code(0);
    assert_eq!(full, env.bytes("in.min.txt"));
}

#[test]
fn an_isolation_resumes_after_a_kill() {
    let command = [
        "isolate",
        "good.txt",
        "in.txt",
        "--jobs=2",
        "--",
        "./test.sh",
        "{}",
    ];
    let with_both = || {
        let has = |number| format!("grep -q 'needle number {number} ' \"$1\"");
        let all = [13, 58, 94].map(has).join(" && ");
        // Slow enough for verdicts to be stored.
        TestEnv::with_test(&format!("{LOGS}\nsleep 0.15\n! {{ {all}; }}"))
            .file("in.txt", input())
            .file("good.txt", input().replace(NEEDLE, "thread"))
    };
    let whole = with_both();
    whole.run(command).assert_code(0);
    let sides = |env: &TestEnv| (env.bytes("in.pass.txt"), env.bytes("in.fail.txt"));

    let env = with_both();
    let mut known = HashSet::new();
    for wait in [16, 5, 4] {
        let before = runs(&env).len();
        let mut run = env.start(command);
        run.wait_until(|env| runs(env).len() >= before + wait);
        drop(run);
        let again = runs(&env).split_off(before);
        assert!(again.iter().all(|run| !known.contains(run)));
        known.extend(answered_in(&env, "in.fail.txt"));
        // Runs that check the sandbox are repeated each time.
        for name in ["good.txt", "in.txt"] {
            known.remove(&hash(&env.bytes(name)));
        }
    }
    assert!(!known.is_empty());
    let before = runs(&env).len();
    env.run(command).assert_code(0).assert_says("resumed: ");
    // Both sides, and what the claim rests on.
    let runs = runs(&env).split_off(before);
    assert!(runs.iter().filter(|run| known.contains(*run)).count() <= 66);
    assert_eq!(sides(&env), sides(&whole));
    // Results that were found stay until there are better ones.
    let stopped = [&command[..3], &["--max-tests=1"], &command[3..]].concat();
    env.run(stopped).assert_code(6);
    assert_eq!(sides(&env), sides(&whole));
}

#[test]
fn an_error_in_the_options_is_all_that_is_said_after_an_earlier_run() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    let args = ["in.txt", "--test", "test.sh"];
    env.reduce(args).assert_code(0);
    for options in [
        ["--keep", "900-901"],
        ["--language", "klingon"],
        ["--passes", "foo"],
        ["--jobs", "0"],
    ] {
        let run = env.reduce(args.iter().chain(&options));
        run.assert_code(1);
        assert!(!run.stderr.contains("resume"), "{}", run.stderr);
    }
}

#[test]
fn only_what_two_commands_have_in_common_can_have_changed() {
    let env = TestEnv::new().file("in.txt", HAYSTACK);
    let reduce =
        |program: &str| env.reduce(["in.txt", "--exit", "0", "--", program, "needle", "in.txt"]);
    reduce("grep").assert_code(0);
    reduce("fgrep")
        .assert_says("cannot resume: the command changed since the last run; starting over");
}

#[test]
fn a_command_that_succeeds_is_refused_also_after_a_script_of_the_same_name() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    env.reduce(["in.txt", "--test", "./test.sh"]).assert_code(0);
    let refused = env.reduce(["in.txt", "--", "./test.sh", "{}"]);
    refused.assert_code(3).assert_says("the command succeeded");
}
