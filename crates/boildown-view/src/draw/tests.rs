//! Snapshots of screens.

use std::sync::Arc;
use std::time::Duration;

use boildown_document::{ClassifiedToken, TokenClass};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use super::draw;
use crate::case::TestCase;
use crate::event::{FailureRow, Measured, SessionFacts, ViewEvent, WorkerRow};
use crate::keys::{Key, ViewAction};
use crate::model::ViewModel;
use crate::palette::Palette;
use crate::step_history::StepRow;

const INPUT: &str = "\
#include <stdio.h>
struct point { int x; int y; };

/* Not needed. */
static int helper(int a, int b) {
    return a + b;
}

int main(void) {
    struct point p = { 1, 2 };
    printf(\"%d\\n\", helper(p.x, p.y));
    return crash(p.x);
}
";

fn measured(seconds: u64, tests: u64, bytes: usize) -> Measured {
    Measured {
        elapsed: Duration::from_secs(seconds),
        tests,
        runs: tests - tests / 10,
        bytes: bytes as u64,
        tokens: Some(bytes as u64 / 4),
        ..Measured::default()
    }
}

/// Returns a session in which two passes have removed something.
fn session() -> ViewModel {
    let mut model = ViewModel::default();
    model.apply(ViewEvent::Started(SessionFacts {
        input: "crash.c".to_owned(),
        output: "crash.min.c".to_owned(),
        language: Some("C".to_owned()),
        bytes: INPUT.len() as u64,
        original: INPUT.as_bytes().into(),
        command: "cc crash.min.c".to_owned(),
        property: "exit status 1, error: crash".to_owned(),
        can_switch: true,
        can_restart: true,
    }));
    model.apply(ViewEvent::PassStarted("blocks"));
    model.apply(ViewEvent::Progress(measured(0, 0, INPUT.len())));
    let first = INPUT.replace("/* Not needed. */\n", "");
    let second = first.replace(
        "static int helper(int a, int b) {\n    return a + b;\n}\n\n",
        "",
    );
    for (seconds, tests, text) in [(4, 40, &first), (9, 100, &second)] {
        let now = measured(seconds, tests, text.len());
        model.apply(ViewEvent::Tested(now, true));
        model.apply(ViewEvent::Improved(now, text.as_bytes().into()));
    }
    model.apply(ViewEvent::PassStarted("tree"));
    let third = second.replace("    printf(\"%d\\n\", helper(p.x, p.y));\n", "");
    let now = measured(15, 180, third.len());
    model.apply(ViewEvent::Tested(now, true));
    model.apply(ViewEvent::Improved(now, third.as_bytes().into()));
    model.apply(ViewEvent::Tested(
        Measured {
            since_improved: Duration::from_millis(5200),
            ..measured(20, 240, third.len())
        },
        false,
    ));
    model.apply(ViewEvent::Workers(vec![
        WorkerRow {
            running: Some(Duration::from_millis(420)),
            bytes: 100,
            base: third.as_bytes().into(),
            lacks: Some(19..52),
        },
        WorkerRow::default(),
    ]));
    model
}

fn case_of(model: &ViewModel) -> TestCase {
    let (best, previous) = model.best();
    let colours = vec![ClassifiedToken {
        bytes: 0..8,
        class: TokenClass::Keyword,
    }];
    let previous = previous.map(|previous| &previous[..]);
    TestCase::new(Arc::clone(best), previous, colours)
}

fn screen(model: &ViewModel, columns: u16, rows: u16) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
    draw(model, &case_of(model), Palette::Dark, &mut buffer);
    buffer
}

/// Returns the characters of a screen, a line each.
fn text_of(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area().width);
    let mut text = String::new();
    for row in buffer.content().chunks(width) {
        let (mut line, mut hidden) = (String::new(), 0);
        for cell in row {
            if hidden == 0 {
                line += cell.symbol();
                hidden = unicode_width::UnicodeWidthStr::width(cell.symbol()).max(1);
            }
            hidden -= 1;
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

fn shown(model: &ViewModel, columns: u16, rows: u16) -> String {
    text_of(&screen(model, columns, rows))
}

#[test]
fn the_main_screen_has_all_parts_at_80_by_24() {
    insta::assert_snapshot!(shown(&session(), 80, 24));
}

#[test]
fn a_larger_screen_shows_more() {
    insta::assert_snapshot!(shown(&session(), 120, 40));
}

#[test]
fn a_small_screen_shows_the_numbers_and_the_test_case() {
    insta::assert_snapshot!(shown(&session(), 44, 12));
}

#[test]
fn keys_show_other_screens() {
    let mut model = session();
    model.apply(ViewEvent::Failures(vec![FailureRow {
        name: Some("SIGSEGV".to_owned()),
        signature: "SIGSEGV in f\x1b[2J".to_owned(),
        file: ".boildown/crash.min.c/others/SIGSEGV.c".to_owned(),
        bytes: 40,
        runs: 2,
    }]));
    let mut screens = String::new();
    for key in ['d', 'f', '?'] {
        model.press(Key::Character(key));
        screens += &format!("{key}:\n{}", shown(&model, 80, 18));
    }
    insta::assert_snapshot!(screens);
}

#[test]
fn arrows_go_through_the_results() {
    let mut model = session();
    let texts: Vec<Arc<[u8]>> = ["a\nb\nc\n", "a\nc\n", "c\n"]
        .map(|text| text.as_bytes().into())
        .to_vec();
    let row = |place: usize| StepRow {
        bytes: texts[place].len() as u64,
        tests: 20 * place as u64,
        elapsed: Duration::from_secs(place as u64),
        pass: "coarse tree".to_owned(),
        ..StepRow::default()
    };
    assert_eq!(model.press(Key::Left), Some(ViewAction::ListSteps));
    model.apply(ViewEvent::Steps(vec![row(0), row(1), row(2)]));
    let mut screens = String::new();
    for key in [Key::End, Key::Left, Key::Left] {
        model.press(key);
        if let Some(place) = model.wanted_step() {
            let texts = [place - 1, place].map(|place| Arc::clone(&texts[place]));
            model.apply(ViewEvent::StepTexts(place, Some(texts)));
        }
        screens += &format!("{key:?}:\n{}", shown(&model, 80, 10));
    }
    insta::assert_snapshot!(screens);
    model.press(Key::Escape);
    assert!(shown(&model, 80, 24).contains("last step"));
}

#[test]
fn the_marked_failure_is_the_next_one() {
    let mut model = session();
    let failure = |name: &str| FailureRow {
        name: Some(name.to_owned()),
        signature: name.to_owned(),
        file: format!("others/{name}.c"),
        bytes: 40,
        runs: 2,
    };
    model.apply(ViewEvent::Failures(vec![failure("a"), failure("b")]));
    assert_eq!(model.press(Key::Enter), None, "the list is not shown");
    model.press(Key::Character('f'));
    model.press(Key::Down);
    model.press(Key::Down);
    // The mark stays at its failure.
    let failures = ["new", "a", "b"].map(failure);
    model.apply(ViewEvent::Failures(failures.to_vec()));
    assert!(shown(&model, 80, 10).contains("▶ b"));
    assert_eq!(
        model.press(Key::Enter),
        Some(ViewAction::ReduceFailure(Some("b".to_owned())))
    );
    assert_eq!(model.press(Key::Enter), None, "the session ends");
}

#[test]
fn a_paused_session_says_so() {
    let mut model = session();
    model.apply(ViewEvent::Paused(true));
    let text = shown(&model, 80, 24);
    assert!(
        text.contains("PAUSED") && text.contains("p continue"),
        "{text}"
    );
}

#[test]
fn the_time_left_is_shown_once_it_is_known() {
    let mut model = session();
    assert!(shown(&model, 80, 24).contains("time left unknown"));
    model.apply(ViewEvent::Progress(Measured {
        tests_left: Some(1200),
        ..measured(21, 252, 100)
    }));
    let text = shown(&model, 80, 24);
    assert!(text.contains("left unless more is removed"), "{text}");
}

#[test]
fn hostile_test_cases_are_escaped_on_every_screen() {
    let mut model = session();
    let hostile = "\x1b]0;x\x07\x1b[31m日本\u{202e}e\u{301}\r\n\u{9b}2J\tend\n".repeat(3);
    let now = measured(30, 300, hostile.len());
    model.apply(ViewEvent::Improved(now, hostile.as_bytes().into()));
    model.apply(ViewEvent::Improved(
        now,
        hostile.as_bytes()[hostile.len() / 3..].into(),
    ));
    model.apply(ViewEvent::Note("warning:\x1b[2J\nline".to_owned()));
    for key in ['x', 'd'] {
        model.press(Key::Character(key));
        let buffer = screen(&model, 80, 24);
        for cell in buffer.content() {
            let is_harmless = |symbol: &str| {
                !symbol
                    .chars()
                    .any(|c| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c))
            };
            assert!(is_harmless(cell.symbol()), "{:?}", cell.symbol());
        }
        let text = text_of(&buffer);
        assert!(
            text.contains("\\x1b]0;x\\x07\\x1b[31m日本\\u{202e}"),
            "{text}"
        );
    }
}

#[test]
fn every_size_can_be_drawn() {
    let mut model = session();
    let wide = "日本".repeat(200);
    model.apply(ViewEvent::Improved(
        measured(30, 300, wide.len()),
        wide.as_bytes().into(),
    ));
    for key in ['x', 'd', 'f', '?'] {
        model.press(Key::Character(key));
        for columns in (0..100).step_by(9) {
            for rows in (0..10).chain([24, 40]) {
                screen(&model, columns, rows);
            }
        }
    }
}

#[test]
fn without_colours_no_cell_has_one() {
    let model = session();
    let mut buffer = Buffer::empty(Rect::new(0, 0, 80, 24));
    draw(&model, &case_of(&model), Palette::Monochrome, &mut buffer);
    let reset = ratatui_core::style::Color::Reset;
    assert!(
        buffer
            .content()
            .iter()
            .all(|cell| cell.fg == reset && cell.bg == reset)
    );
}

#[test]
fn a_candidate_that_lacks_white_space_says_so() {
    let mut model = session();
    model.apply(ViewEvent::Workers(vec![WorkerRow {
        running: Some(Duration::from_millis(420)),
        bytes: 9,
        base: b"use a;\n  b".as_slice().into(),
        lacks: Some(6..8),
    }]));
    let text = shown(&model, 80, 24);
    assert!(
        text.contains("without, in lines 1-2: white space"),
        "{text}"
    );
}

#[test]
fn the_output_of_the_command_is_a_screen() {
    let mut model = session();
    model.press(Key::Character('o'));
    assert!(shown(&model, 80, 24).contains("did not run on it in this session yet"));
    model.apply(ViewEvent::Output(Some(b"".as_slice().into())));
    assert!(shown(&model, 80, 24).contains("it printed nothing"));
    let output = b"in.c:3: error: \x1b[31mx\nabort\n".as_slice();
    model.apply(ViewEvent::Output(Some(output.into())));
    let screen = shown(&model, 80, 24);
    assert!(
        screen.contains("in.c:3: error: ") && screen.contains("\nabort\n"),
        "{screen}"
    );
    assert!(
        screen.contains("2 lines") && !screen.contains('\x1b'),
        "{screen}"
    );
    model.press(Key::Down);
    assert!(!shown(&model, 80, 24).contains("in.c:3"));
    model.press(Key::Character('o'));
    assert!(shown(&model, 80, 24).contains("best test case"));
}

#[test]
fn a_reduction_continues_from_the_result_that_is_looked_at() {
    for can_restart in [false, true] {
        let mut model = ViewModel::default();
        model.apply(ViewEvent::Started(SessionFacts {
            can_restart,
            ..SessionFacts::default()
        }));
        model.press(Key::Left);
        let row = |has_text| StepRow {
            has_text,
            ..StepRow::default()
        };
        model.apply(ViewEvent::Steps([true, true, false, true].map(row).into()));
        let is_ignored = |model: &mut ViewModel| model.press(Key::Enter).is_none();
        assert!(is_ignored(&mut model), "the search is at the last one");
        model.press(Key::Left);
        assert!(is_ignored(&mut model), "its text is not stored");
        model.press(Key::Left);
        let is_offered = shown(&model, 100, 24).contains("Enter continue from it");
        assert_eq!(is_offered, can_restart);
        let restart = can_restart.then_some(ViewAction::RestartFrom(1));
        assert_eq!(model.press(Key::Enter), restart);
        assert_eq!(model.press(Key::Enter), None, "the session ends");
    }
}
