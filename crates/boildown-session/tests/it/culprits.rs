//! Culprit searches over small folders and repositories, with shell commands for oracles.
#![expect(
    clippy::unwrap_used,
    reason = "a helper that cannot do its work is a failed test"
)]

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use boildown_changes::{ChangeUnit, Contents, Repository, Workspace, patch};
use boildown_driver::Budget;
use boildown_exec::Scratch;
use boildown_exec::spawn::Limits;
use boildown_oracle::{Interrupt, OracleError, Verdict};
use boildown_session::changes::{
    CulpritReport, HistoryPath, OutcomeRule, Problem, Revision, RevisionFiles, SearchError,
    SearchTarget, TreeCommand, TreeTest, UnresolvedReason,
};
use boildown_session::{Event, SessionConfig};
use boildown_show::{CulpritEvent, StopReason};
use boildown_store::BaselineRecording;
use tempfile::TempDir;

use crate::config;
use crate::skips::begin;

fn numbers(range: std::ops::Range<u32>) -> String {
    range.map(|number| format!("{number}\n")).collect()
}

/// Returns the lines 1 to 29, with `word` in place of line 20.
fn with_word(word: &str) -> String {
    numbers(1..30).replace("\n20\n", &format!("\n{word}\n"))
}

/// A problem in a temporary directory, which is removed with it.
struct Fixture {
    problem: Problem,
    dir: TempDir,
}

fn write(dir: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn shell(line: impl AsRef<OsStr>) -> TreeCommand {
    TreeCommand::line(line.as_ref(), PathBuf::new())
}

fn fixture(dir: TempDir, path: HistoryPath, contents: Contents, command: &str) -> Fixture {
    let problem = Problem {
        path,
        contents: Arc::new(contents),
        scratch: Arc::new(Scratch::within(dir.path()).unwrap()),
        test: TreeTest {
            command: shell(command),
            build: None,
            build_timeout: None,
            clean: false,
            company: Vec::new(),
            rule: OutcomeRule::ExitCode,
            target: SearchTarget::Culprit,
            limits: Limits::default(),
        },
        roomier: None,
        is_flaky: false,
        timeout_is_stated: true,
    };
    Fixture { problem, dir }
}

/// Two directories, `old` and `new`, and a command that succeeds in the first one.
fn directories(old: &[(&str, &str)], new: &[(&str, &str)], command: &str) -> Fixture {
    let dir = tempfile::tempdir().unwrap();
    let contents = Contents::default();
    let [old, new] = [("old", old), ("new", new)].map(|(name, files)| {
        write(&dir.path().join(name), files);
        let state = contents
            .directory_state(&dir.path().join(name), &[])
            .unwrap();
        Revision {
            name: name.to_owned(),
            files: RevisionFiles::State(state),
        }
    });
    fixture(
        dir,
        HistoryPath::without_history(old, new),
        contents,
        command,
    )
}

/// A repository whose first commit is good and whose last one is bad.
struct RepositoryBuilder(TempDir);

impl RepositoryBuilder {
    fn new() -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        repository.git(&["init", "-q", "-b", "main", "repo"], Path::new("."));
        repository
    }

    #[track_caller]
    fn git(&self, args: &[&str], dir: &Path) {
        let output = Command::new("git")
            .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
            .args(args)
            .current_dir(self.0.path().join(dir))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.0.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
    }

    fn commit(&self, title: &str, files: &[(&str, &str)]) {
        let dir = self.0.path().join("repo");
        write(&dir, files);
        self.git(&["add", "-A"], &dir);
        self.git(&["commit", "-q", "-m", title], &dir);
    }

    fn problem(self, good: &str, command: &str) -> Fixture {
        let contents =
            Contents::with_repository(Repository::open(&self.0.path().join("repo")).unwrap());
        let repository = contents.repository().unwrap();
        let [good, bad] = [good, "HEAD"].map(|name| Revision {
            name: name.to_owned(),
            files: RevisionFiles::Commit(repository.commit(name).unwrap().id),
        });
        let path = HistoryPath::through(repository, good, bad, None).unwrap();
        fixture(self.0, path, contents, command)
    }
}

/// Checks the problem and searches. The result and all events.
fn search(
    problem: &Problem,
    config: &SessionConfig,
    on_event: &mut dyn FnMut(&Event),
) -> Result<CulpritReport, SearchError> {
    let interrupt = config.interrupt.clone().unwrap_or(Interrupt::new()?);
    let prepare_tree = Box::new(|_: &Workspace| Ok(()));
    problem
        .check(
            prepare_tree,
            &BaselineRecording::default(),
            &interrupt,
            on_event,
        )?
        .find(config, on_event)
}

fn find(problem: &Problem) -> CulpritReport {
    search(problem, &config(2), &mut |_| {}).unwrap()
}

/// Returns the lines that the culprit adds and deletes.
fn changed_lines(problem: &Problem, report: &CulpritReport) -> Vec<String> {
    let patch = patch(&report.before, &report.after, &problem.contents).unwrap();
    (String::from_utf8(patch).unwrap().lines())
        .filter(|line| line.starts_with(['+', '-']))
        .filter(|line| !line.starts_with("+++") && !line.starts_with("---"))
        .map(str::to_owned)
        .collect()
}

fn changed_paths(problem: &Problem, report: &CulpritReport) -> String {
    let patch = patch(&report.before, &report.after, &problem.contents).unwrap();
    String::from_utf8(patch).unwrap()
}

/// Three edits of one file and one of another; a single line of them breaks the command.
fn one_culprit() -> Fixture {
    let (a, b) = (numbers(1..40), numbers(1..40));
    let new_a = a
        .replace("\n3\n", "\nthree\n")
        .replace("\n20\n", "\nfine\nBAD\n")
        .replace("\n30\n", "\nthirty\n");
    let new_b = b.replace("\n5\n", "\nfive\n");
    directories(
        &[("a.txt", &a), ("src/b.txt", &b)],
        &[("a.txt", &new_a), ("src/b.txt", &new_b)],
        "! grep -q BAD a.txt",
    )
}

#[test]
fn the_one_line_that_breaks_the_command_is_found() {
    let Fixture { problem, dir: _dir } = one_culprit();
    let mut layers = Vec::new();
    let mut endpoints = Vec::new();
    let report = search(&problem, &config(2), &mut |event| match event {
        Event::LayerFinished { layer, left, .. } => layers.push((*layer, *left)),
        Event::EndpointRun { is_good, .. } => endpoints.push(*is_good),
        _ => {}
    })
    .unwrap();
    assert_eq!(changed_lines(&problem, &report), ["+BAD"]);
    assert_eq!(report.stopped, None);
    assert!(report.base_is_good);
    assert_eq!(report.confirmed.verdict, Verdict::Interesting);
    assert_eq!(report.repair.verdict, Verdict::Uninteresting);
    assert!(report.hunks.is_empty(), "{:?}", report.hunks);
    assert_eq!((report.stat.added, report.stat.deleted), (1, 0));
    assert_eq!(endpoints, [false, true]);
    assert_eq!(layers.last(), Some(&(ChangeUnit::Lines, 1)));
}

#[test]
fn the_culprit_and_the_number_of_tests_do_not_depend_on_the_number_of_jobs() {
    let with = |jobs| {
        let Fixture { problem, dir: _dir } = one_culprit();
        let report = search(&problem, &config(jobs), &mut |_| {}).unwrap();
        (changed_lines(&problem, &report), report.counts.queries)
    };
    let alone = with(1);
    for jobs in [2, 8] {
        assert_eq!(with(jobs), alone, "{jobs} jobs");
    }
}

#[test]
fn each_finished_layer_reports_files_that_are_bad() {
    let Fixture { problem, dir: _dir } = one_culprit();
    let mut layers = 0;
    search(&problem, &config(2), &mut |event| {
        if let Event::LayerFinished { old, new, .. } = event {
            let patch = patch(old, new, &problem.contents).unwrap();
            assert!(String::from_utf8(patch).unwrap().contains("\n+BAD\n"));
            layers += 1;
        }
    })
    .unwrap();
    assert!(layers >= 3, "{layers} layers");
}

#[test]
fn hunks_that_break_the_command_only_together_are_both_found() {
    let plain = numbers(1..30);
    let Fixture { problem, dir: _dir } = directories(
        &[("one.txt", &plain), ("two.txt", &plain)],
        &[
            ("one.txt", &with_word("LEFT")),
            ("two.txt", &with_word("RIGHT")),
        ],
        "! { grep -q LEFT one.txt && grep -q RIGHT two.txt; }",
    );
    let report = find(&problem);
    let locations: Vec<&str> = report.hunks.iter().map(|it| it.location.as_str()).collect();
    assert_eq!(locations.len(), 2);
    assert!(locations[0].starts_with("one.txt:21"), "{locations:?}");
    assert!(locations[1].starts_with("two.txt:21"), "{locations:?}");
    assert!(
        report
            .hunks
            .iter()
            .all(|hunk| hunk.without.verdict == Verdict::Uninteresting)
    );
}

/// A file that uses what another file defines, and an unrelated change.
fn use_and_definition(command: &str) -> Fixture {
    directories(
        &[
            ("lib.txt", "one\n"),
            ("main.txt", "one\n"),
            ("notes.txt", "a\n"),
        ],
        &[
            ("lib.txt", "one\n\ntwo\n"),
            ("main.txt", "two\n"),
            ("notes.txt", "b\n"),
        ],
        command,
    )
}

#[test]
fn a_change_that_is_unresolved_alone_takes_the_change_along_that_it_needs() {
    let Fixture { problem, dir: _dir } = use_and_definition(
        "for word in $(cat main.txt); do grep -qx $word lib.txt || exit 125; done; ! grep -q two main.txt",
    );
    let report = find(&problem);
    let changed = changed_paths(&problem, &report);
    assert!(
        changed.contains("lib.txt") && changed.contains("main.txt"),
        "{changed}"
    );
    assert!(!changed.contains("notes.txt"), "{changed}");
    assert!(report.counts.unresolved[&UnresolvedReason::Exited125] > 0);
    assert!(
        report
            .hunks
            .iter()
            .any(|hunk| hunk.without.verdict == Verdict::Unresolved)
    );
}

#[test]
fn a_tree_that_does_not_build_is_unresolved() {
    let mut fixture = use_and_definition("! grep -q two main.txt");
    fixture.problem.test.build = Some(shell(
        "for word in $(cat main.txt); do grep -qx $word lib.txt || exit 1; done",
    ));
    let report = find(&fixture.problem);
    let reasons: Vec<_> = report.counts.unresolved.keys().copied().collect();
    assert_eq!(reasons, [UnresolvedReason::DoesNotBuild]);
    assert!(changed_paths(&fixture.problem, &report).contains("lib.txt"));
}

#[test]
fn a_culprit_that_hides_behind_what_earlier_runs_left_is_found_in_fresh_trees() {
    // BAD fails together with RIGHT, and also in a tree in which both were together before.
    let plain = numbers(1..30);
    let Fixture { problem, dir: _dir } = directories(
        &[("one.txt", &plain), ("two.txt", &plain)],
        &[
            ("one.txt", &with_word("BAD")),
            ("two.txt", &with_word("RIGHT")),
        ],
        "grep -q BAD one.txt || exit 0; grep -q RIGHT two.txt && touch cache; ! test -e cache",
    );
    let mut began_again = false;
    let report = search(&problem, &config(1), &mut |event| {
        began_again |= matches!(event, Event::GoingOnInFreshTrees);
    });
    let report = report.unwrap();
    assert!(began_again);
    let changed = changed_paths(&problem, &report);
    assert!(
        changed.contains("+BAD") && changed.contains("+RIGHT"),
        "{changed}"
    );
    assert_eq!(report.confirmed.verdict, Verdict::Interesting);
}

#[test]
fn a_fix_is_found_like_a_culprit() {
    let (old, new) = (
        with_word("BROKEN"),
        numbers(1..30).replace("\n4\n", "\nfour\n"),
    );
    let mut fixture = directories(
        &[("a.txt", &old)],
        &[("a.txt", &new)],
        "! grep -q BROKEN a.txt",
    );
    fixture.problem.test.target = SearchTarget::Fix;
    let report = find(&fixture.problem);
    assert_eq!(changed_lines(&fixture.problem, &report), ["-BROKEN"]);
    assert_eq!(report.confirmed.verdict, Verdict::Interesting);
}

#[test]
fn an_interrupted_search_reports_what_it_has_found_so_far() {
    let Fixture { problem, dir: _dir } = one_culprit();
    let interrupt = Interrupt::new().unwrap();
    let config = SessionConfig {
        interrupt: Some(interrupt.clone()),
        ..config(2)
    };
    let report = search(&problem, &config, &mut |event| {
        if let Event::LayerFinished { .. } = event {
            interrupt.trigger();
        }
    })
    .unwrap();
    assert_eq!(report.stopped, Some(StopReason::Interrupted));
    assert_eq!(report.confirmed.reason, Some(UnresolvedReason::Interrupted));
    let changed = changed_lines(&problem, &report);
    assert!(
        changed.len() > 1 && changed.contains(&"+BAD".to_owned()),
        "{changed:?}"
    );
    assert!(!changed_paths(&problem, &report).contains("b.txt"));
}

#[test]
fn an_interrupted_check_is_an_error() {
    let Fixture { problem, dir: _dir } = one_culprit();
    let interrupt = Interrupt::new().unwrap();
    interrupt.trigger();
    let config = SessionConfig {
        interrupt: Some(interrupt),
        ..config(2)
    };
    let error = search(&problem, &config, &mut |_| {}).unwrap_err();
    assert!(
        matches!(error, SearchError::Oracle(OracleError::Interrupted)),
        "{error:?}"
    );
}

#[test]
fn a_budget_of_tests_stops_the_search() {
    let Fixture { problem, dir: _dir } = one_culprit();
    let config = SessionConfig {
        budget: Budget {
            queries: Some(2),
            time: None,
        },
        ..config(4)
    };
    let report = search(&problem, &config, &mut |_| {}).unwrap();
    assert_eq!(report.stopped, Some(StopReason::QueryLimit));
    assert_eq!(report.counts.queries, 2);
    assert!(changed_lines(&problem, &report).contains(&"+BAD".to_owned()));
}

#[test]
fn a_resumed_search_does_not_run_the_trees_again_that_were_run_before() {
    let folder = tempfile::tempdir().unwrap();
    let with_budget = |queries| {
        let Fixture { problem, dir: _dir } = one_culprit();
        let config = SessionConfig {
            budget: Budget {
                queries,
                time: None,
            },
            store: Some(Arc::new(begin(folder.path(), ""))),
            ..config(1)
        };
        let report = search(&problem, &config, &mut |_| {}).unwrap();
        (changed_lines(&problem, &report), report.counts)
    };
    let (_, stopped) = with_budget(Some(3));
    assert_eq!(stopped.recalled, 0);
    let (changed, resumed) = with_budget(None);
    assert_eq!(changed, ["+BAD"]);
    assert!(resumed.recalled >= 3, "{resumed:?}");
}

#[track_caller]
fn check_fails(fixture: &Fixture) -> SearchError {
    search(&fixture.problem, &config(2), &mut |_| {}).unwrap_err()
}

#[test]
fn states_that_are_not_good_and_bad_are_an_error() {
    let with = |command| directories(&[("a", "1\n")], &[("a", "2\n")], command);
    for (command, expected, said) in [("true", "new", "bad"), ("false", "old", "good")] {
        let error = check_fails(&with(command));
        let SearchError::NotAsStated {
            name,
            wanted,
            answer,
        } = error
        else {
            panic!("{error:?}");
        };
        assert_eq!((&*name, wanted), (expected, said));
        assert!(answer.run.is_some());
    }
    let same = directories(&[("a", "1\n")], &[("a", "1\n")], "false");
    assert!(matches!(check_fails(&same), SearchError::Same { .. }));
}

#[test]
fn a_state_with_two_different_verdicts_is_an_error() {
    let mut fixture = directories(&[("a", "1\n")], &[("a", "2\n")], "");
    let flag = fixture.dir.path().join("was-run");
    let line = format!("test -e {0} && exit 0; touch {0}; exit 1", flag.display());
    fixture.problem.test.command = shell(line);
    let error = check_fails(&fixture);
    assert!(
        matches!(&error, SearchError::Flaky { name } if name == "new"),
        "{error:?}"
    );
}

#[test]
fn history_is_bisected_past_revisions_that_are_unresolved() {
    let repository = RepositoryBuilder::new();
    repository.commit("start", &[("a.txt", "0\n")]);
    for number in 1..=12 {
        let text = match number {
            4..=6 => format!("{number}\nBROKEN\n"),
            9.. => format!("{number}\nBAD\n"),
            _ => format!("{number}\n"),
        };
        repository.commit(&format!("number {number}"), &[("a.txt", &text)]);
    }
    let command = "grep -q BROKEN a.txt && exit 125; ! grep -q BAD a.txt";
    let Fixture { problem, dir: _dir } = repository.problem("HEAD~12", command);
    let mut steps = None;
    let mut between = Vec::new();
    let report = search(&problem, &config(2), &mut |event| match event {
        Event::Culprit(CulpritEvent::History { steps: read }) => steps = Some(*read),
        Event::Culprit(CulpritEvent::Narrowed { commits, .. }) => between.extend(commits.clone()),
        _ => {}
    })
    .unwrap();
    assert_eq!(steps, Some(12));
    assert_eq!(between.len(), 1);
    assert_eq!(report.commits.len(), 1);
    assert_eq!(report.commits[0].title, "number 9");
    assert_eq!(changed_lines(&problem, &report), ["+BAD"]);
}

#[test]
fn a_culprit_that_needs_an_older_change_is_found_with_it() {
    let repository = RepositoryBuilder::new();
    let plain = numbers(1..30);
    repository.commit("first", &[("one.txt", &plain), ("two.txt", &plain)]);
    for (file, word) in [
        ("one.txt", "LEFT"),
        ("other.txt", "x"),
        ("two.txt", "RIGHT"),
        ("last.txt", "y"),
    ] {
        repository.commit(word, &[(file, &with_word(word))]);
    }
    let command = "! { grep -q LEFT one.txt && grep -q RIGHT two.txt; }";
    let Fixture { problem, dir: _dir } = repository.problem("HEAD~4", command);
    let mut needed = 0;
    let report = search(&problem, &config(2), &mut |event| {
        needed += usize::from(matches!(event, Event::Culprit(CulpritEvent::Older { .. })));
    })
    .unwrap();
    assert_eq!(needed, 1);
    assert!(report.base_is_good);
    let titles: Vec<&str> = report.commits.iter().map(|it| it.title.as_str()).collect();
    assert_eq!(titles, ["LEFT", "RIGHT"]);
    assert_eq!(changed_lines(&problem, &report), ["+LEFT", "+RIGHT"]);
}
