//! Records of a run and their use by later sessions, also when the file is damaged or the run has
//! changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use boildown_oracle::{Answer, Outcome, Run, Verdict};
use boildown_store::{
    Distrusted, EndReason, Ending, Identity, Improvement, Provenance, Recalled, ResumeStatus,
    RunDescription, RunStore, StoreError, StoreFolder, StoredRun, fingerprint_of,
};
use rusqlite::Connection;

fn identity(input: &str) -> Identity {
    let mut identity = Identity::default();
    identity.add_hash("the input", input.as_bytes());
    identity.add("the command", "/src/test.sh {}");
    identity
}

fn improvement(query: u64, text: &str) -> Improvement {
    Improvement {
        query,
        content: fingerprint_of(text.as_bytes()),
        bytes: text.len(),
        tokens: Some(text.split_whitespace().count()),
        elapsed: Duration::from_millis(query * 10),
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

fn begin(folder: &StoreFolder, stored: StoredRun, input: &str) -> RunStore {
    let description = RunDescription {
        name: "in.txt",
        input: improvement(0, input),
        property: "exits with 3".to_owned(),
        flags: "--exit 3".to_owned(),
        time_limit: Duration::from_secs(2),
        version: "0.1.0",
        choices: &[],
        provenance: Provenance::default(),
    };
    stored.begin(folder, &description).unwrap()
}

/// Returns candidate `number` of a search, and the verdict on it.
fn candidate(number: usize) -> (String, Verdict) {
    let verdict = [
        Verdict::Uninteresting,
        Verdict::Interesting,
        Verdict::Unresolved,
    ][number % 3];
    (format!("candidate {number}"), verdict)
}

const INPUT: &str = "the whole input";

/// Writes a run with this number of queries, two recorded baseline runs, an improvement at query 3,
/// and an end. Returns its file.
fn run(dir: &Path, queries: usize) -> PathBuf {
    let folder = StoreFolder::beside(&dir.join("in.min.txt")).unwrap();
    let (stored, status) = folder.find(identity(INPUT)).unwrap();
    assert!(matches!(status, ResumeStatus::FirstRun), "{status:?}");
    for outcome in [Outcome::Exited(3), Outcome::Signalled(11)] {
        let ask = || Ok(answer(Verdict::Interesting, outcome));
        stored
            .recording()
            .replay_or_ask(INPUT.as_bytes(), ask)
            .unwrap();
    }
    let store = begin(&folder, stored, INPUT);
    for number in 0..queries {
        let (text, verdict) = candidate(number);
        let outcome = Outcome::Exited(i32::try_from(number % 200).unwrap());
        store.learn(fingerprint_of(text.as_bytes()), &answer(verdict, outcome));
    }
    store.improve(improvement(3, "the input"));
    store.end(Ending {
        why: EndReason::Finished,
        queries: queries as u64,
        runs: queries as u64,
        recalled: 0,
        elapsed: Duration::from_secs(1),
    });
    let file = store.file().to_owned();
    drop(store);
    assert_eq!(folder.dir(), file.parent().unwrap());
    file
}

/// Reads the run, and compares everything with what [`run`] wrote.
#[track_caller]
fn assert_known(dir: &Path, queries: usize) {
    let folder = StoreFolder::beside(&dir.join("in.min.txt")).unwrap();
    let (stored, status) = folder.find(identity(INPUT)).unwrap();
    assert!(
        matches!(status, ResumeStatus::Resumed { verdicts } if verdicts == queries as u64),
        "{status:?}"
    );
    let best = stored.best().unwrap();
    assert_eq!(
        (best.query, &*best.text, best.tokens),
        (3, &b"the input"[..], Some(2))
    );
    assert!(stored.is_known_result(fingerprint_of(INPUT.as_bytes())));
    assert!(stored.is_known_result(fingerprint_of(b"the input")));
    assert!(!stored.is_known_result(fingerprint_of(b"else")));
    for outcome in [Outcome::Exited(3), Outcome::Signalled(11)] {
        let played = stored
            .recording()
            .replay_or_ask(INPUT.as_bytes(), || panic!("it is recorded"));
        assert_eq!(played.unwrap(), answer(Verdict::Interesting, outcome));
    }
    let store = begin(&folder, stored, INPUT);
    for number in 0..queries {
        let (text, verdict) = candidate(number);
        let outcome = Outcome::Exited(i32::try_from(number % 200).unwrap());
        let expected = Recalled {
            verdict,
            outcome: Some(outcome),
            is_earlier: true,
            is_of_others: false,
        };
        assert_eq!(
            store.recall(fingerprint_of(text.as_bytes())),
            Some(expected)
        );
    }
    assert_eq!(store.recall(fingerprint_of(b"never asked")), None);
    assert!(store.take_error().is_none());
}

#[test]
fn the_next_session_knows_what_a_session_recorded() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), 500);
    assert_known(dir.path(), 500);
    assert_known(dir.path(), 500);
}

#[test]
fn a_file_of_format_1_is_read() {
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
fn the_file_can_be_queried_with_sql() {
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
fn few_texts_are_stored_and_always_the_first_and_the_last() {
    let dir = tempfile::tempdir().unwrap();
    let folder = StoreFolder::beside(&dir.path().join("x")).unwrap();
    let (stored, _) = folder.find(identity("")).unwrap();
    let input = "x".repeat(5000);
    let store = begin(&folder, stored, &input);
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
fn a_changed_run_is_reported_with_the_differences() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), 5);
    let folder = StoreFolder::beside(&dir.path().join("in.min.txt")).unwrap();
    let (stored, status) = folder.find(identity("another input")).unwrap();
    let ResumeStatus::Changed { what, verdicts } = status else {
        panic!("{status:?}");
    };
    assert_eq!((what, verdicts), (vec!["the input".to_owned()], 5));
    drop(begin(&folder, stored, "another input"));
    let (_, status) = folder.find(identity(INPUT)).unwrap();
    assert!(
        matches!(status, ResumeStatus::Resumed { verdicts: 5 }),
        "{status:?}"
    );
}

#[test]
fn a_forgotten_run_starts_over() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), 5);
    let folder = StoreFolder::beside(&dir.path().join("in.min.txt")).unwrap();
    folder.forget(&identity(INPUT)).unwrap();
    let (stored, status) = folder.find(identity(INPUT)).unwrap();
    assert!(matches!(status, ResumeStatus::FirstRun), "{status:?}");
    assert!(stored.best().is_none());
}

/// Checks that no wrong verdict is recalled, and that nothing panics or hangs, whatever the file
/// contains.
#[track_caller]
fn assert_no_wrong_verdicts(dir: &Path, queries: usize) {
    let folder = StoreFolder::beside(&dir.join("in.min.txt")).unwrap();
    let (stored, _) = match folder.find(identity(INPUT)) {
        Ok(found) => found,
        Err(StoreError::Newer { .. }) => return,
        Err(error) => panic!("{error:?}"),
    };
    if let Some(best) = stored.best() {
        assert!([&b"the input"[..], INPUT.as_bytes()].contains(&&*best.text));
    }
    let mut asked = false;
    for outcome in [Outcome::Exited(3), Outcome::Signalled(11)] {
        let expected = answer(Verdict::Interesting, outcome);
        let played = stored.recording().replay_or_ask(INPUT.as_bytes(), || {
            asked = true;
            Ok(expected.clone())
        });
        assert_eq!(played.unwrap(), expected);
    }
    let description = RunDescription {
        name: "in.txt",
        input: improvement(0, INPUT),
        property: String::new(),
        flags: String::new(),
        time_limit: Duration::ZERO,
        version: "0.1.0",
        choices: &[],
        provenance: Provenance::default(),
    };
    let Ok(store) = stored.begin(&folder, &description) else {
        return;
    };
    for number in 0..queries {
        let (text, verdict) = candidate(number);
        let recalled = store.recall(fingerprint_of(text.as_bytes()));
        assert!(
            recalled.is_none_or(|recalled| recalled.verdict == verdict),
            "{number}"
        );
    }
}

#[test]
fn no_damage_changes_a_verdict() {
    let dir = tempfile::tempdir().unwrap();
    let file = run(dir.path(), 300);
    let whole = fs::read(&file).unwrap();
    let restore = |bytes: &[u8]| {
        for entry in fs::read_dir(file.parent().unwrap()).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        fs::write(&file, bytes).unwrap();
    };
    // Damages the file at fixed offsets all over it: a flipped bit, other bytes, or a shorter file.
    let mut offset = 1_usize;
    for round in 0..150 {
        offset = (offset * 7919 + round * 31) % whole.len();
        let mut bytes = whole.clone();
        match round % 3 {
            0 => bytes[offset] ^= 1 << (round % 8),
            1 => {
                let end = (offset + 97).min(bytes.len());
                bytes[offset..end].fill(u8::try_from(round).unwrap());
            }
            _ => bytes.truncate(offset),
        }
        restore(&bytes);
        assert_no_wrong_verdicts(dir.path(), 300);
    }
}

#[test]
fn a_damaged_file_is_renamed_and_a_new_one_works() {
    for content in [
        &b"no database at all, but long enough to be one"[..],
        &[0; 8192],
    ] {
        let dir = tempfile::tempdir().unwrap();
        let file = run(dir.path(), 5);
        fs::write(&file, content).unwrap();
        let folder = StoreFolder::beside(&dir.path().join("in.min.txt")).unwrap();
        let (stored, status) = folder.find(identity(INPUT)).unwrap();
        let ResumeStatus::Damaged { aside, .. } = status else {
            panic!("{status:?}");
        };
        assert_eq!(fs::read(aside).unwrap(), content);
        let store = begin(&folder, stored, INPUT);
        store.learn(
            fingerprint_of(b"x"),
            &answer(Verdict::Interesting, Outcome::TimedOut),
        );
        drop(store);
        let (_, status) = folder.find(identity(INPUT)).unwrap();
        assert!(
            matches!(status, ResumeStatus::Resumed { verdicts: 1 }),
            "{status:?}"
        );
    }
}

#[test]
fn an_empty_file_is_treated_as_a_new_run() {
    let dir = tempfile::tempdir().unwrap();
    let file = run(dir.path(), 5);
    fs::write(&file, "").unwrap();
    let folder = StoreFolder::beside(&dir.path().join("in.min.txt")).unwrap();
    let (stored, status) = folder.find(identity(INPUT)).unwrap();
    assert!(matches!(status, ResumeStatus::FirstRun), "{status:?}");
    drop(begin(&folder, stored, INPUT));
}

#[test]
fn a_file_of_a_newer_version_is_not_changed() {
    let dir = tempfile::tempdir().unwrap();
    let file = run(dir.path(), 5);
    Connection::open(&file)
        .unwrap()
        .pragma_update(None, "user_version", 2)
        .unwrap();
    let before = fs::read(&file).unwrap();
    let folder = StoreFolder::beside(&dir.path().join("in.min.txt")).unwrap();
    let error = folder.find(identity(INPUT)).unwrap_err();
    assert!(
        matches!(error, StoreError::Newer { format: 2, .. }),
        "{error:?}"
    );
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn an_error_of_writing_is_reported_once_and_nothing_blocks() {
    let dir = tempfile::tempdir().unwrap();
    let folder = StoreFolder::beside(&dir.path().join("x")).unwrap();
    let (stored, _) = folder.find(identity("")).unwrap();
    let store = begin(&folder, stored, "");
    // Another program, or a disk, may damage the file at any time.
    Connection::open(store.file())
        .unwrap()
        .execute_batch("DROP TABLE verdicts")
        .unwrap();
    store.learn(
        fingerprint_of(b"x"),
        &answer(Verdict::Interesting, Outcome::TimedOut),
    );
    store.improve(improvement(1, "x"));
    let error = store.take_error().unwrap();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
    assert_eq!(store.recall(fingerprint_of(b"x")), None);
    assert!(store.take_error().is_some(), "reading fails separately");
    store.improve(improvement(2, "y"));
    assert_eq!(store.recall(fingerprint_of(b"x")), None);
    assert!(store.take_error().is_none());
}

#[test]
fn a_result_that_takes_the_place_of_a_better_one_is_the_one_to_resume_from() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), 9);
    let folder = StoreFolder::beside(&dir.path().join("in.min.txt")).unwrap();
    let best = || {
        let (stored, _) = folder.find(identity(INPUT)).unwrap();
        String::from_utf8(stored.best().unwrap().text.to_vec()).unwrap()
    };
    let session = |then: fn(&RunStore)| {
        let (stored, _) = folder.find(identity(INPUT)).unwrap();
        then(&begin(&folder, stored, INPUT));
    };
    // An improvement that is found again is not written again.
    session(|store| store.improve(improvement(2, "the whole")));
    assert_eq!(best(), "the input");
    // At fewer tests than the best result of the earlier session.
    session(|store| {
        store.supersede(improvement(1, "the whole"));
        store.supersede(improvement(2, "whole input"));
    });
    assert_eq!(best(), "whole input");
}

#[test]
fn a_run_that_starts_over_keeps_only_what_this_session_has_run() {
    let dir = tempfile::tempdir().unwrap();
    let file = run(dir.path(), 9);
    let folder = StoreFolder::beside(&dir.path().join("in.min.txt")).unwrap();
    let (stored, _) = folder.find(identity(INPUT)).unwrap();
    let store = begin(&folder, stored, INPUT);
    let own = fingerprint_of(b"own");
    store.learn(own, &answer(Verdict::Interesting, Outcome::Exited(3)));
    assert_eq!(store.start_over(Distrusted::Earlier), 9);
    let earlier = fingerprint_of(candidate(1).0.as_bytes());
    assert_eq!(store.recall(earlier), None);
    assert!(!store.recall(own).unwrap().is_earlier);
    // Queries begin at 1 again.
    store.improve(improvement(2, "the input"));
    drop(store);
    let (stored, status) = folder.find(identity(INPUT)).unwrap();
    assert!(
        matches!(status, ResumeStatus::Resumed { verdicts: 1 }),
        "{status:?}"
    );
    assert_eq!(stored.best().unwrap().query, 2);
    let database = Connection::open(file).unwrap();
    let improvements: i64 = database
        .query_row("SELECT count(*) FROM improvements", [], |row| row.get(0))
        .unwrap();
    assert_eq!(improvements, 2, "the input, and what was found since");
}
