//! What is remembered of a run, and what becomes of it when the file, the disk or the run itself is not as it was.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use boildown_oracle::store::{
    Ending, Found, Identity, Improvement, News, Place, Recalled, RunStore, Start, StoreError,
    fingerprint_of,
};
use boildown_oracle::{Answer, Outcome, Run, Verdict};
use rusqlite::Connection;

fn identity(input: &str) -> Identity {
    let mut identity = Identity::default();
    identity.add_hash("the input", input.as_bytes());
    identity.add("the command", "/src/test.sh {}");
    identity
}

fn improvement(question: u64, text: &str) -> Improvement {
    Improvement {
        question,
        content: fingerprint_of(text.as_bytes()),
        bytes: text.len(),
        tokens: Some(text.split_whitespace().count()),
        elapsed: Duration::from_millis(question * 10),
        text: Some(text.as_bytes().into()),
    }
}

fn answer(verdict: Verdict, outcome: Outcome) -> Answer {
    Answer {
        verdict,
        run: Some(Run {
            outcome,
            stdout: b"out \xff".to_vec(),
            stderr: Vec::new(),
            took: Duration::from_micros(1234),
        }),
    }
}

fn begin(place: &Place, found: Found, input: &str) -> RunStore {
    let start = Start {
        name: "in.txt",
        input: improvement(0, input),
        property: "exits with 3".to_owned(),
        flags: "--exit 3".to_owned(),
        time_limit: Duration::from_secs(2),
        version: "0.1.0",
    };
    found.begin(place, &start).unwrap()
}

/// The number-th candidate of some search, and the verdict on it.
fn candidate(number: usize) -> (String, Verdict) {
    let verdict = [
        Verdict::Uninteresting,
        Verdict::Interesting,
        Verdict::Unresolved,
    ][number % 3];
    (format!("candidate {number}"), verdict)
}

const INPUT: &str = "the whole input";

/// A run of so many questions with its baseline on the tape, an improvement at its third question, and an end.
fn run(dir: &Path, questions: usize) -> PathBuf {
    let place = Place::beside(&dir.join("in.min.txt")).unwrap();
    let (found, news) = place.find(identity(INPUT)).unwrap();
    assert!(matches!(news, News::Nothing), "{news:?}");
    for outcome in [Outcome::Exited(3), Outcome::Signalled(11)] {
        let ask = || Ok(answer(Verdict::Interesting, outcome));
        found.tape().play(INPUT.as_bytes(), ask).unwrap();
    }
    let store = begin(&place, found, INPUT);
    for number in 0..questions {
        let (text, verdict) = candidate(number);
        let outcome = Outcome::Exited(i32::try_from(number % 200).unwrap());
        store.learn(fingerprint_of(text.as_bytes()), &answer(verdict, outcome));
    }
    store.improve(improvement(3, "the input"));
    store.end(Ending {
        why: "finished",
        questions: questions as u64,
        runs: questions as u64,
        recalled: 0,
        elapsed: Duration::from_secs(1),
    });
    let file = store.file().to_owned();
    drop(store);
    assert_eq!(place.dir(), file.parent().unwrap());
    file
}

/// Looks for the run, and compares all that is known of it with what [`run`] wrote.
#[track_caller]
fn assert_known(dir: &Path, questions: usize) {
    let place = Place::beside(&dir.join("in.min.txt")).unwrap();
    let (found, news) = place.find(identity(INPUT)).unwrap();
    assert!(
        matches!(news, News::Resumed { verdicts } if verdicts == questions as u64),
        "{news:?}"
    );
    let best = found.best().unwrap();
    assert_eq!(
        (best.question, &*best.text, best.tokens),
        (3, &b"the input"[..], Some(2))
    );
    assert!(found.knows(fingerprint_of(INPUT.as_bytes())));
    assert!(found.knows(fingerprint_of(b"the input")));
    assert!(!found.knows(fingerprint_of(b"else")));
    for outcome in [Outcome::Exited(3), Outcome::Signalled(11)] {
        let played = found
            .tape()
            .play(INPUT.as_bytes(), || panic!("it is known"));
        assert_eq!(played.unwrap(), answer(Verdict::Interesting, outcome));
    }
    let store = begin(&place, found, INPUT);
    for number in 0..questions {
        let (text, verdict) = candidate(number);
        let outcome = Outcome::Exited(i32::try_from(number % 200).unwrap());
        let expected = Recalled {
            verdict,
            outcome: Some(outcome),
            is_earlier: true,
        };
        assert_eq!(
            store.recall(fingerprint_of(text.as_bytes())),
            Some(expected)
        );
    }
    assert_eq!(store.recall(fingerprint_of(b"never asked")), None);
    assert!(store.trouble().is_none());
}

#[test]
fn what_a_session_learned_the_next_one_knows() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), 500);
    assert_known(dir.path(), 500);
    assert_known(dir.path(), 500);
}

#[test]
fn a_file_that_version_1_wrote_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let file = run(dir.path(), 1);
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/store-v1.db");
    if std::env::var_os("BOILDOWN_WRITE_FIXTURE").is_some() {
        fs::remove_dir_all(dir.path().join(".boildown")).unwrap();
        run(dir.path(), 40);
        fs::copy(&file, &fixture).unwrap();
    }
    fs::copy(fixture, file).unwrap();
    assert_known(dir.path(), 40);
}

#[test]
fn the_file_can_be_queried_by_anybody() {
    let dir = tempfile::tempdir().unwrap();
    let file = run(dir.path(), 9);
    let database = Connection::open(file).unwrap();
    let one = |query: &str| -> String {
        let rows: Vec<String> = database
            .prepare(query)
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        rows.join(", ")
    };
    assert_eq!(
        one("SELECT property || ' ' || flags FROM run"),
        "exits with 3 --exit 3"
    );
    assert_eq!(
        one(
            "SELECT outcome || ' ' || verdict FROM verdicts ORDER BY cast(substr(outcome, 6) AS INTEGER) LIMIT 3"
        ),
        "exit 0 0, exit 1 1, exit 2 2"
    );
    assert_eq!(
        one("SELECT question || ' ' || cast(text AS TEXT) FROM improvements"),
        "0 the whole input, 3 the input"
    );
    assert_eq!(
        one("SELECT ending || ' ' || questions FROM sessions"),
        "finished 9"
    );
}

#[test]
fn pictures_on_the_way_are_few_and_the_last_text_is_always_there() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::beside(&dir.path().join("x")).unwrap();
    let (found, _) = place.find(identity("")).unwrap();
    let input = "x".repeat(5000);
    let store = begin(&place, found, &input);
    for size in (1..5000).rev().step_by(7) {
        store.improve(improvement(5000 - size as u64, &input[..size]));
    }
    let database = Connection::open(store.file()).unwrap();
    let sizes: Vec<usize> = database
        .prepare("SELECT length(text) FROM improvements WHERE text IS NOT NULL ORDER BY question")
        .unwrap()
        .query_map([], |row| row.get::<_, i64>(0))
        .unwrap()
        .map(|size| usize::try_from(size.unwrap()).unwrap())
        .collect();
    assert_eq!((sizes[0], sizes.last()), (5000, Some(&1)), "{sizes:?}");
    assert!(sizes.iter().sum::<usize>() < 9 * 5000, "{sizes:?}");
    assert!(sizes.len() > 20, "{sizes:?}");
    let rows: i64 = database
        .query_row("SELECT count(*) FROM improvements", [], |row| row.get(0))
        .unwrap();
    assert_eq!(rows, 716);
}

#[test]
fn another_run_is_told_from_this_one_by_what_differs() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), 5);
    let place = Place::beside(&dir.path().join("in.min.txt")).unwrap();
    let (found, news) = place.find(identity("another input")).unwrap();
    let News::Changed { what, verdicts } = news else {
        panic!("{news:?}");
    };
    assert_eq!((what, verdicts), (vec!["the input".to_owned()], 5));
    drop(begin(&place, found, "another input"));
    let (_, news) = place.find(identity(INPUT)).unwrap();
    assert!(matches!(news, News::Resumed { verdicts: 5 }), "{news:?}");
}

#[test]
fn a_run_that_is_forgotten_begins_anew() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), 5);
    let place = Place::beside(&dir.path().join("in.min.txt")).unwrap();
    place.forget(&identity(INPUT)).unwrap();
    let (found, news) = place.find(identity(INPUT)).unwrap();
    assert!(matches!(news, News::Nothing), "{news:?}");
    assert!(found.best().is_none());
}

/// Whatever is in the file, a verdict that was not given is never recalled, and nothing panics or hangs.
#[track_caller]
fn assert_no_lies(dir: &Path, questions: usize) {
    let place = Place::beside(&dir.join("in.min.txt")).unwrap();
    let (found, _) = match place.find(identity(INPUT)) {
        Ok(found) => found,
        Err(StoreError::Newer { .. }) => return,
        Err(error) => panic!("{error:?}"),
    };
    if let Some(best) = found.best() {
        assert!([&b"the input"[..], INPUT.as_bytes()].contains(&&*best.text));
    }
    let mut real = false;
    for outcome in [Outcome::Exited(3), Outcome::Signalled(11)] {
        let expected = answer(Verdict::Interesting, outcome);
        let played = found.tape().play(INPUT.as_bytes(), || {
            real = true;
            Ok(expected.clone())
        });
        assert_eq!(played.unwrap(), expected);
    }
    let start = Start {
        name: "in.txt",
        input: improvement(0, INPUT),
        property: String::new(),
        flags: String::new(),
        time_limit: Duration::ZERO,
        version: "0.1.0",
    };
    let Ok(store) = found.begin(&place, &start) else {
        return;
    };
    for number in 0..questions {
        let (text, verdict) = candidate(number);
        let recalled = store.recall(fingerprint_of(text.as_bytes()));
        assert!(
            recalled.is_none_or(|recalled| recalled.verdict == verdict),
            "{number}"
        );
    }
}

#[test]
fn no_damage_makes_a_verdict_another_one() {
    let dir = tempfile::tempdir().unwrap();
    let file = run(dir.path(), 300);
    let whole = fs::read(&file).unwrap();
    let restore = |bytes: &[u8]| {
        for entry in fs::read_dir(file.parent().unwrap()).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        fs::write(&file, bytes).unwrap();
    };
    // A fixed walk over the file: every part of it is hit, by a flipped bit, a run of other bytes, or its end.
    let mut place = 1_usize;
    for round in 0..150 {
        place = (place * 7919 + round * 31) % whole.len();
        let mut bytes = whole.clone();
        match round % 3 {
            0 => bytes[place] ^= 1 << (round % 8),
            1 => {
                let end = (place + 97).min(bytes.len());
                bytes[place..end].fill(u8::try_from(round).unwrap());
            }
            _ => bytes.truncate(place),
        }
        restore(&bytes);
        assert_no_lies(dir.path(), 300);
    }
}

#[test]
fn a_damaged_file_is_put_aside_and_the_next_run_is_whole() {
    for content in [
        &b"no database at all, but long enough to be one"[..],
        &[0; 8192],
    ] {
        let dir = tempfile::tempdir().unwrap();
        let file = run(dir.path(), 5);
        fs::write(&file, content).unwrap();
        let place = Place::beside(&dir.path().join("in.min.txt")).unwrap();
        let (found, news) = place.find(identity(INPUT)).unwrap();
        let News::Damaged { aside, .. } = news else {
            panic!("{news:?}");
        };
        assert_eq!(fs::read(aside).unwrap(), content);
        let store = begin(&place, found, INPUT);
        store.learn(
            fingerprint_of(b"x"),
            &answer(Verdict::Interesting, Outcome::TimedOut),
        );
        drop(store);
        let (_, news) = place.find(identity(INPUT)).unwrap();
        assert!(matches!(news, News::Resumed { verdicts: 1 }), "{news:?}");
    }
}

#[test]
fn an_empty_file_is_a_run_that_was_killed_before_it_had_begun() {
    let dir = tempfile::tempdir().unwrap();
    let file = run(dir.path(), 5);
    fs::write(&file, "").unwrap();
    let place = Place::beside(&dir.path().join("in.min.txt")).unwrap();
    let (found, news) = place.find(identity(INPUT)).unwrap();
    assert!(matches!(news, News::Nothing), "{news:?}");
    drop(begin(&place, found, INPUT));
}

#[test]
fn a_file_of_a_newer_version_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let file = run(dir.path(), 5);
    Connection::open(&file)
        .unwrap()
        .pragma_update(None, "user_version", 2)
        .unwrap();
    let before = fs::read(&file).unwrap();
    let place = Place::beside(&dir.path().join("in.min.txt")).unwrap();
    let error = place.find(identity(INPUT)).unwrap_err();
    assert!(
        matches!(error, StoreError::Newer { format: 2, .. }),
        "{error:?}"
    );
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn when_the_file_cannot_be_written_any_more_that_is_said_once_and_nothing_waits() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::beside(&dir.path().join("x")).unwrap();
    let (found, _) = place.find(identity("")).unwrap();
    let store = begin(&place, found, "");
    // What another program may do to it at any time, and a disk too.
    Connection::open(store.file())
        .unwrap()
        .execute_batch("DROP TABLE verdicts")
        .unwrap();
    store.learn(
        fingerprint_of(b"x"),
        &answer(Verdict::Interesting, Outcome::TimedOut),
    );
    store.improve(improvement(1, "x"));
    let trouble = store.trouble().unwrap();
    assert!(matches!(trouble, StoreError::Damaged { .. }), "{trouble:?}");
    assert_eq!(store.recall(fingerprint_of(b"x")), None);
    assert!(store.trouble().is_some(), "reading fails for itself");
    store.improve(improvement(2, "y"));
    assert_eq!(store.recall(fingerprint_of(b"x")), None);
    assert!(store.trouble().is_none());
}
