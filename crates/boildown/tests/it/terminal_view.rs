//! The view that fills the terminal, on a real pseudo-terminal.

use std::fmt::Write as _;

use rustix::process::Signal;

use crate::env::{NEEDLE, TestEnv, has};
use crate::pty::OnTerminal;

/// Size of the usual terminal, in columns and rows.
const USUAL: [u16; 2] = [80, 24];

const ARGS: [&str; 6] = ["reduce", "in.txt", "--jobs", "2", "--test", "test.sh"];

/// Returns an input whose reduction takes longer than any test waits, until there is a file
/// `quick`.
fn slow_reduction() -> TestEnv {
    let mut text = String::new();
    for number in 0..200 {
        writeln!(text, "line {number} of the hay").unwrap();
        if number % 10 == 0 {
            writeln!(text, "{NEEDLE} {number}").unwrap();
        }
    }
    TestEnv::with_test("[ -e $HERE/quick ] || sleep 0.1; [ $(grep -c needle $1) -ge 10 ]")
        .file("in.txt", text)
}

/// Starts a slow reduction, and waits until something was removed.
fn started(env: &TestEnv, size: [u16; 2]) -> OnTerminal {
    let mut run = OnTerminal::start(env, size, &[], &ARGS);
    run.wait_for("last step");
    run.wait_until(|shown| shown.contains(" by "));
    run
}

#[test]
fn the_view_shows_the_reduction_and_q_ends_it_with_the_best() {
    if !has("setsid") {
        return;
    }
    let env = slow_reduction();
    let mut run = started(&env, USUAL);
    for part in [
        "in.txt → in.min.txt",
        "% removed",
        "size over time (log)",
        "passes",
        "best test case",
        "of 2 busy",
        "last success",
        "q quit with the best",
    ] {
        run.wait_for(part);
    }
    run.wait_until(|shown| shown.contains("tests/s") && shown.contains("needle"));
    run.press("q");
    let end = run.finish();
    end.assert_code(6)
        .assert_shows("1-minimality not verified: interrupted")
        .assert_shows("to resume, run the same command");
    let best = env.read("in.min.txt");
    assert!(best.len() < env.read("in.txt").len());
    assert!(best.matches(NEEDLE).count() >= 10, "{best}");
}

#[test]
fn a_reduction_that_ends_leaves_its_summary() {
    if !has("setsid") {
        return;
    }
    let env = TestEnv::with_test(crate::env::FINDS_NEEDLE);
    let end = OnTerminal::start(&env, USUAL, &[], &ARGS).finish();
    end.assert_code(0)
        .assert_shows("in.min.txt  49 -> 6 bytes")
        .assert_shows("1-minimal: no single byte can be removed");
    assert_eq!(env.read("in.min.txt"), NEEDLE);
}

#[test]
fn signals_give_the_terminal_back() {
    if !has("setsid") {
        return;
    }
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let env = slow_reduction();
        let run = started(&env, USUAL);
        assert!(run.is_full_screen());
        run.signal(signal);
        let end = run.finish();
        end.assert_code(6).assert_shows("interrupted");
    }
}

#[test]
fn the_view_follows_the_size_of_the_terminal() {
    if !has("setsid") {
        return;
    }
    let env = slow_reduction();
    let mut run = started(&env, USUAL);
    for [columns, rows] in [[120, 40], [200, 60], [30, 6], [5, 2], [80, 24]] {
        run.resize(columns, rows);
        let last = usize::from(rows) - 1;
        let title = "boildown  in.txt"
            .chars()
            .take(usize::from(columns).saturating_sub(20));
        let title: String = title.collect();
        run.wait_until(|shown| {
            let lines: Vec<&str> = shown.lines().collect();
            let keys = lines.get(last).is_some_and(|line| line.starts_with(" q"));
            keys && lines[0].contains(&title)
        });
    }
    run.press("q");
    run.finish().assert_code(6);
}

#[test]
fn keys_pause_compare_and_skip() {
    if !has("setsid") {
        return;
    }
    let env = slow_reduction();
    let mut run = started(&env, USUAL);
    run.press("p");
    run.wait_until(|shown| shown.contains("PAUSED") && shown.contains("0 of 2 busy"));
    run.press("d");
    run.wait_until(|shown| {
        shown.contains("input → best test case") && shown.contains("of the hay")
    });
    run.press("\x1b");
    run.wait_for("last step");
    run.press("?");
    run.wait_for("1-minimality may then stay unverified");
    run.press("?");
    run.wait_for("last step");
    run.press("p");
    run.wait_until(|shown| shown.contains("running") && !shown.contains("0 of 2 busy"));
    let pass = |shown: &str| {
        let line = shown.lines().find(|line| line.contains("▶ "));
        line.and_then(|line| {
            line.split("▶ ")
                .nth(1)?
                .split_whitespace()
                .next()
                .map(str::to_owned)
        })
    };
    let before = pass(&run.shown());
    run.press("s");
    run.wait_until(|shown| pass(shown).is_some_and(|now| Some(now) != before));
    run.press("q");
    run.finish().assert_code(6);
}

#[test]
fn enter_reduces_the_marked_failure_and_returns_to_the_first_one() {
    if !has("setsid") {
        return;
    }
    let text: String = (0..400)
        .map(|number| format!("{NEEDLE} {number} three\n"))
        .collect();
    let tool = "[ -e $HERE/quick ] || sleep 0.05; [ $(grep -c needle $1) -ge 100 ] \
         && { echo 'internal compiler error: in hay, at hay.c:12' >&2; exit 4; }; \
         [ $(grep -c three $1) -ge 40 ] && kill -SEGV $$; exit 1";
    let env = TestEnv::with_test(tool).file("in.txt", text);
    let args = [
        "reduce",
        "in.txt",
        "--jobs",
        "2",
        "--yes",
        "--",
        "./test.sh",
        "in.txt",
    ];
    let mut run = OnTerminal::start(&env, USUAL, &[], &args);
    run.wait_for("1 secondary failure (f)");
    run.press("f");
    run.wait_for("▶ SIGSEGV");
    run.press("\r");
    run.wait_for("in.txt → in.min.SIGSEGV.txt");
    let first = env.read("in.min.txt");
    assert!(first.matches(NEEDLE).count() >= 100, "{first}");
    run.press("f");
    run.wait_for("▶ the failure of in.txt");
    run.press("\r");
    run.wait_for("in.txt → in.min.txt");
    assert_eq!(env.read("in.min.txt"), first, "it continues");
    run.press("q");
    let end = run.finish();
    end.assert_code(6)
        .assert_shows("now: boildown reduce --failure SIGSEGV in.txt --jobs 2")
        .assert_shows("now: boildown reduce in.txt --jobs 2");
    assert!(env.read("in.min.SIGSEGV.txt").contains("three"));
}

#[test]
fn a_paused_reduction_can_be_ended() {
    if !has("setsid") {
        return;
    }
    let env = slow_reduction();
    for ends_by_key in [true, false] {
        let mut run = started(&env, USUAL);
        run.press("p");
        run.wait_until(|shown| shown.contains("PAUSED") && shown.contains("0 of 2 busy"));
        match ends_by_key {
            true => run.press("q"),
            false => run.signal(Signal::TERM),
        }
        run.finish().assert_code(6);
    }
}

#[test]
fn the_command_to_repeat_the_failure_is_copied_and_printed_at_the_end() {
    if !has("setsid") {
        return;
    }
    let env = slow_reduction();
    let mut run = started(&env, USUAL);
    run.press("c");
    run.wait_for("the command is copied");
    run.press("q");
    let end = run.finish();
    end.assert_shows("to repeat the failure:")
        .assert_shows("in.min.txt");
    assert!(end.written.windows(7).any(|bytes| bytes == b"\x1b]52;c;"));
}

#[test]
fn sequences_in_the_test_case_do_not_reach_the_terminal() {
    if !has("setsid") {
        return;
    }
    let evil = "\x1b]0;evil\x07\x1b[8mneedle 日本 e\u{301} \u{202e}\u{9b}5n\r\n";
    let env = slow_reduction().file("in.txt", evil.repeat(40));
    let mut run = started(&env, USUAL);
    run.wait_until(|shown| shown.contains("\\x1b]0;evil\\x07\\x1b[8mneedle 日本 e\u{301}"));
    let written = String::from_utf8_lossy(&run.written()).into_owned();
    for sequence in ["\x1b]0;", "\x1b[8m", "\u{9b}", "\u{202e}"] {
        assert!(!written.contains(sequence), "{sequence:?}");
    }
    run.press("q");
    run.finish().assert_code(6);
}

#[test]
fn small_terminals_and_no_color_have_the_live_line() {
    if !has("setsid") {
        return;
    }
    let env = slow_reduction();
    let none: &[(&str, &str)] = &[];
    for (size, variables) in [
        ([60, 24], none),
        ([80, 10], none),
        (USUAL, &[("NO_COLOR", "1")]),
        (USUAL, &[("TERM", "dumb")]),
    ] {
        let mut run = OnTerminal::start(&env, size, variables, &ARGS);
        run.wait_for("% removed: ");
        assert!(!run.is_full_screen());
        run.press("q");
        let end = run.finish();
        end.assert_code(6);
        assert!(!end.written.windows(8).any(|bytes| bytes == b"\x1b[?1049h"));
    }
}

#[test]
fn the_user_chooses_how_progress_is_shown() {
    if !has("setsid") {
        return;
    }
    let env = slow_reduction();
    let with = |ui| [&ARGS[..], &["--ui", ui]].concat();
    let mut run = OnTerminal::start(&env, [60, 12], &[("NO_COLOR", "1")], &with("tui"));
    run.wait_for("best test case");
    let coloured = |written: &[u8]| written.windows(5).any(|bytes| bytes == b"\x1b[0;3");
    run.wait_until(|shown| shown.contains("needle"));
    run.press("q");
    let end = run.finish();
    end.assert_code(6);
    assert!(!coloured(&end.written));
    for ui in ["line", "plain"] {
        let mut run = OnTerminal::start(&env, USUAL, &[], &with(ui));
        run.wait_for("% removed: ");
        assert!(!run.is_full_screen());
        run.press("q");
        run.finish().assert_code(6);
    }
    env.run(with("tui"))
        .assert_code(1)
        .assert_says("--ui tui needs a terminal");
}
