//! The bisection of `boildown changes` in histories with branches, beside `git bisect run`; and
//! what it is told about a history.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::repo::Repo;

/// A commit to be made: its parents, and the file that it adds.
struct Made {
    parents: Vec<usize>,
    file: String,
}

/// Makes a history of these commits, at once. Each has the files of its parents too.
fn import(commits: &[Made]) -> Repo {
    let repo = Repo::new();
    let mut stream = String::new();
    for (number, Made { parents, file }) in commits.iter().enumerate() {
        let mark = |commit: usize| commit + 1;
        let title = format!("number {number}");
        writeln!(stream, "commit refs/heads/main\nmark :{}", mark(number)).unwrap();
        let time = 1_700_000_000 + number;
        writeln!(stream, "committer Ada <ada@example.org> {time} +0000").unwrap();
        writeln!(stream, "data {}\n{title}", title.len()).unwrap();
        for (order, parent) in parents.iter().enumerate() {
            let word = if order == 0 { "from" } else { "merge" };
            writeln!(stream, "{word} :{}", mark(*parent)).unwrap();
        }
        let mut files: Vec<&String> = Vec::new();
        let mut pending = parents.clone();
        while let Some(parent) = pending.pop() {
            if !files.contains(&&commits[parent].file) {
                files.push(&commits[parent].file);
                pending.extend(&commits[parent].parents);
            }
        }
        for file in files.into_iter().chain([file]) {
            writeln!(stream, "M 644 inline {file}\ndata 2\nx\n").unwrap();
        }
    }
    let mut child = Command::new("git")
        .args(["fast-import", "--quiet", "--force"])
        .current_dir(repo.env.path(""))
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(stream.as_bytes()).unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success());
    repo.git(["reset", "-q", "--hard", "main"]);
    repo
}

/// A main line into which branches of several commits are merged, some of them through branches of
/// their own.
fn merges() -> Vec<Made> {
    let mut made: Vec<Made> = Vec::new();
    let mut commit = |parents: &[usize]| {
        let number = made.len();
        made.push(Made {
            parents: parents.to_vec(),
            file: format!("f{}/g{number}", number % 5),
        });
        number
    };
    let mut main = commit(&[]);
    for round in 0..24 {
        let fork = main;
        main = commit(&[main]);
        let mut branch = commit(&[fork]);
        for _ in 0..round % 4 {
            branch = commit(&[branch]);
        }
        if round % 3 == 0 {
            let side = commit(&[branch]);
            let other = commit(&[branch]);
            branch = commit(&[side, other]);
        }
        main = commit(&[main, branch]);
    }
    made
}

/// A test that fails when a file is there, and counts its runs outside of the repository.
fn add_test(repo: &Repo, file: &str) {
    repo.script(
        "../home/test.sh",
        &format!("echo 2>/dev/null >>\"$HERE/../home/runs\"; ! test -e {file}"),
    );
}

fn git_bisect(repo: &Repo, good: &str, args: &[&str]) -> (usize, String) {
    let start = ["bisect", "start"].into_iter().chain(args.iter().copied());
    let (paths, options): (Vec<&str>, Vec<&str>) = start.partition(|arg| arg.starts_with("f"));
    let whole = options.into_iter().chain(["HEAD", good, "--"]).chain(paths);
    repo.git(whole);
    let here = repo.env.path("");
    let script = format!("HERE='{}' ../home/test.sh", here.display());
    let said = repo.git(["bisect", "run", "sh", "-c", &script]);
    let runs = repo.read("../home/runs").lines().count();
    std::fs::remove_file(repo.env.path("../home/runs")).unwrap();
    repo.git(["bisect", "reset"]);
    let found = said
        .lines()
        .find_map(|line| line.strip_suffix(" is the first bad commit"));
    (runs, found.unwrap()[..10].to_owned())
}

/// Returns the runs until the history was searched, without those on the two ends, and the commit.
fn boildown(repo: &Repo, args: &[&str]) -> (u64, String) {
    let fixed = ["changes", "--jobs", "1", "--json", "--fresh"];
    let test = ["--", "../home/test.sh"];
    let run = (repo.env).run(fixed.iter().chain(args).chain(&test));
    run.assert_code(0);
    let events = run.events();
    let narrowed = events
        .iter()
        .find(|event| event["event"] == "narrowed")
        .unwrap();
    let commits = narrowed["commits"].as_array().unwrap();
    assert_eq!(commits.len(), 1, "{narrowed}");
    let commit = commits[0]["id"].as_str().unwrap()[..10].to_owned();
    (narrowed["spent"]["runs"].as_u64().unwrap() - 5, commit)
}

#[test]
fn merges_take_hardly_more_runs_than_git_bisect() {
    let made = merges();
    let repo = import(&made);
    let first = repo.git(["rev-list", "--max-parents=0", "HEAD"]);
    let range = format!("{}..HEAD", first.trim());
    let (mut ours, mut theirs) = (0, 0);
    for culprit in (3..made.len()).step_by(13) {
        add_test(&repo, &made[culprit].file);
        let (git_runs, git_commit) = git_bisect(&repo, first.trim(), &[]);
        let (runs, commit) = boildown(&repo, &[&range]);
        assert_eq!(commit, git_commit);
        ours += runs;
        theirs += u64::try_from(git_runs).unwrap();
    }
    println!(
        "{} commits: boildown {ours} runs, git bisect {theirs} runs",
        made.len()
    );
    assert!(ours * 10 <= theirs * 12, "{ours} runs, git bisect {theirs}");
}

#[test]
fn a_first_parent_search_blames_the_merge_and_paths_leave_out_other_commits() {
    let made = merges();
    let repo = import(&made);
    let first = repo.git(["rev-list", "--max-parents=0", "HEAD"]);
    let first = first.trim();
    let range = format!("{first}..HEAD");
    // On a branch that a later commit merged.
    let culprit = 40;
    add_test(&repo, &made[culprit].file);
    let (_, git_commit) = git_bisect(&repo, first, &["--first-parent"]);
    let (_, commit) = boildown(&repo, &[&range, "--first-parent"]);
    assert_eq!(commit, git_commit);

    let (whole, commit) = boildown(&repo, &[&range]);
    let dir = made[culprit].file.split('/').next().unwrap();
    let (limited, same) = boildown(&repo, &[&range, "--path", dir]);
    assert_eq!(commit, same);
    let (git_runs, git_commit) = git_bisect(&repo, first, &[dir]);
    assert_eq!(commit, git_commit);
    assert!(
        limited < whole && limited <= git_runs as u64 + 1,
        "{limited} {whole} {git_runs}"
    );
}

#[test]
fn known_good_and_skipped_commits_are_not_run() {
    let made = merges();
    let repo = import(&made);
    let first = repo.git(["rev-list", "--max-parents=0", "HEAD"]);
    let range = format!("{}..HEAD", first.trim());
    add_test(&repo, &made[made.len() - 2].file);
    let (whole, commit) = boildown(&repo, &[&range]);
    let (fewer, same) = boildown(&repo, &[&range, "--good", "HEAD~3", "--good", "HEAD~2"]);
    assert_eq!(commit, same);
    assert!(fewer < whole, "{fewer} {whole}");
    // Of the culprit's ancestors only its parent is left to be run.
    let skipped = format!("{}..{commit}~2", first.trim());
    let (fewest, same) = boildown(&repo, &[&range, "--skip", &skipped]);
    assert_eq!(commit, same);
    assert!(fewest <= whole + 1, "{fewest} {whole}");
}

#[test]
fn a_bisect_in_progress_is_taken_over() {
    let made = merges();
    let repo = import(&made);
    let culprit = 40;
    add_test(&repo, &made[culprit].file);
    let first = repo.git(["rev-list", "--max-parents=0", "HEAD"]);
    let (whole, commit) = boildown(&repo, &[&format!("{}..HEAD", first.trim())]);
    repo.git(["bisect", "start", "HEAD", first.trim()]);
    for _ in 0..3 {
        let is_bad = repo.env.exists(&made[culprit].file);
        repo.git(["bisect", if is_bad { "bad" } else { "good" }]);
    }
    let (rest, same) = boildown(&repo, &["--bisect-log"]);
    assert_eq!(commit, same);
    assert!(rest < whole, "{rest} {whole}");
    let log = repo.git(["bisect", "log"]);
    repo.write("../home/log", log);
    repo.git(["bisect", "reset"]);
    let (saved, same) = boildown(&repo, &["--bisect-log=../home/log"]);
    assert_eq!((saved, &commit), (rest, &same));
    (repo.changes(["--bisect-log", "--", "true"]).assert_code(1))
        .assert_says("failed to take over from `git bisect`");
}

#[test]
fn a_branch_that_left_before_the_good_state_is_searched() {
    // 0 - 1 - 2 (good) ; 0 - 3 - 4 - 5 (bad): where they part is good.
    let made: Vec<Made> = [vec![], vec![0], vec![1], vec![0], vec![3], vec![4]]
        .into_iter()
        .enumerate()
        .map(|(number, parents)| Made {
            parents,
            file: format!("f{number}"),
        })
        .collect();
    let repo = import(&made);
    let good = repo.git(["rev-list", "--all", "--reverse"]);
    drop(good);
    add_test(&repo, "f4");
    let main = repo.git(["rev-parse", "main"]);
    let log = repo.git(["log", "--format=%H %s", "main"]);
    let commit_of = |title: &str| {
        let line = log.lines().find(|line| line.ends_with(title)).unwrap();
        line[..40].to_owned()
    };
    // The other branch is not an ancestor of main any more: name it by its files.
    let base = commit_of("number 0");
    repo.git(["checkout", "-q", "-b", "side", &base]);
    repo.write("s1", "x\n");
    repo.commit("side 1");
    repo.git(["checkout", "-q", "main"]);
    let (_, found) = boildown(&repo, &[&format!("side..{}", main.trim())]);
    assert_eq!(found, commit_of("number 4")[..10]);
}

#[test]
fn ignored_company_is_linked_into_each_copy() {
    let repo = Repo::new();
    repo.write(".gitignore", "deps\n");
    repo.write("deps/lib.txt", "library\n");
    repo.script(
        "test.sh",
        "grep -q library deps/lib.txt || exit 2\n! grep -q BAD a.txt",
    );
    repo.write("a.txt", "1\n2\n3\n");
    repo.commit("one");
    repo.write("a.txt", "1\nBAD\n3\nfour\n");
    repo.commit("two");
    let range = "HEAD~1..HEAD";
    repo.changes([range, "--", "./test.sh"]).assert_code(3);
    repo.changes([range, "--with", "deps", "--", "./test.sh"])
        .assert_code(0);
    assert!(repo.changed().contains(&"+BAD".to_owned()));
    assert_eq!(repo.read("deps/lib.txt"), "library\n");
    repo.changes([range, "--with", "a.txt", "--", "./test.sh"])
        .assert_code(1)
        .assert_says("a state has it");
}

#[test]
fn a_row_of_releases_is_bisected() {
    let repo = Repo::new();
    for number in 1..=9 {
        let bad = if number >= 6 { "BAD\n" } else { "" };
        repo.write(&format!("r{number}/a.txt"), format!("{number}\n\n\n{bad}"));
        repo.write(&format!("r{number}/b.txt"), format!("{number}\n"));
    }
    repo.script("test.sh", "! grep -q BAD a.txt");
    let mut args = vec!["changes", "--releases"];
    let names: Vec<String> = (1..=9).map(|number| format!("r{number}")).collect();
    args.extend(names.iter().map(String::as_str));
    args.extend(["--", "./test.sh"]);
    let run = repo.env.run(&args);
    run.assert_code(0).assert_says("between r5 and r6");
    assert_eq!(repo.changed(), ["+BAD"]);
}

#[test]
fn releases_are_read_from_wheels_zip_files_and_tarballs() {
    let repo = Repo::new();
    let make = r##"
import io, tarfile, zipfile
def files(number):
    text = f"{number}\n\n\n" + ("BAD\n" if number >= 4 else "")
    return {"pkg/a.txt": text, "pkg/b.txt": f"{number}\n", "run.sh": "#!/bin/sh\n! grep -q BAD pkg/a.txt\n"}
for number in range(1, 7):
    if number % 2:
        with tarfile.open(f"pkg-{number}.tar.gz", "w:gz") as out:
            for name, text in files(number).items():
                info = tarfile.TarInfo(f"pkg-{number}.0/{name}")
                info.size, info.mode = len(text), 0o755 if name == "run.sh" else 0o644
                out.addfile(info, io.BytesIO(text.encode()))
    else:
        with zipfile.ZipFile(f"pkg-{number}.whl", "w", zipfile.ZIP_DEFLATED) as out:
            for name, text in files(number).items():
                info = zipfile.ZipInfo(name)
                info.external_attr = (0o755 if name == "run.sh" else 0o644) << 16
                out.writestr(info, text)
"##;
    repo.write("../home/make.py", make);
    let made = Command::new("python3")
        .arg(repo.env.path("../home/make.py"))
        .current_dir(repo.env.path(""))
        .status();
    assert!(made.unwrap().success());
    let names = [
        "pkg-1.tar.gz",
        "pkg-2.whl",
        "pkg-3.tar.gz",
        "pkg-4.whl",
        "pkg-5.tar.gz",
        "pkg-6.whl",
    ];
    let fixed = ["changes", "--releases"];
    let test = ["--", "./run.sh"];
    let run = repo.env.run(fixed.iter().chain(&names).chain(&test));
    run.assert_code(0)
        .assert_says("between pkg-3.tar.gz and pkg-4.whl");
    assert_eq!(repo.changed(), ["+BAD"]);
    repo.write("broken.tar.gz", b"\x1f\x8bnothing");
    (repo
        .changes(["--releases", "pkg-1.tar.gz", "broken.tar.gz", "--", "true"])
        .assert_code(5))
    .assert_says("failed to read the archive");
}

#[test]
fn a_submodule_is_searched_down_to_its_commit_and_line() {
    let module = Repo::new();
    module.write("lib.txt", "1\n\n\n\n");
    module.commit("module 1");
    let repo = Repo::new();
    let url = module.env.path("").display().to_string();
    repo.git(["submodule", "--quiet", "add", &url, "vendor"]);
    repo.script("test.sh", "! grep -q BAD vendor/lib.txt");
    repo.commit("with the module");
    for number in 2..=8 {
        let bad = if number >= 5 { "BAD\n" } else { "" };
        module.write("lib.txt", format!("{number}\n\n\n\n{bad}"));
        module.commit(&format!("module {number}"));
    }
    repo.git_in("vendor", ["pull", "-q", "origin", "main"]);
    repo.write("other.txt", "x\n");
    repo.commit("update the module");
    let run = repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]);
    run.assert_code(0)
        .assert_says("Ada: update the module")
        .assert_says("Ada: module 5");
    assert_eq!(repo.changed(), ["+BAD"], "{run}");
    assert!(repo.patch().contains("+++ b/vendor/lib.txt"), "{run}");
}
