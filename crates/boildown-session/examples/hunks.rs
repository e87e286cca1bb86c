//! Measurements to compare `boildown changes` with: plain ddmin over all hunks between two
//! revisions, and the time to make the tree of changes.
//!
//! ```text
//! cargo run --release -p boildown-session --example hunks -- \
//!     ddmin REPOSITORY GOOD BAD SCRIPT [TESTS]
//! cargo run --release -p boildown-session --example hunks -- tree FILES HUNKS
//! ```
#![expect(clippy::print_stdout, reason = "it reports what it measured")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use boildown_changes::{ChangeTree, ChangeUnit, Contents, Repository, Workspace};
use boildown_exec::spawn::{self, Inherited, Invocation, Limits, Stdin};
use boildown_literature::list::Ddmin;
use boildown_oracle::Capture;
use boildown_oracle::{Interrupt, Outcome};
use boildown_search::list::List;
use boildown_search::{Search as _, Subset, Verdict};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["ddmin", repository, good, bad, script] => ddmin(repository, [good, bad], script, 2_000),
        ["ddmin", repository, good, bad, script, most] => {
            ddmin(repository, [good, bad], script, most.parse()?)
        }
        ["tree", files, hunks] => tree(files.parse()?, hunks.parse()?),
        _ => Err("ddmin REPOSITORY GOOD BAD SCRIPT [TESTS], or tree FILES HUNKS".into()),
    }
}

/// Minimises the set of hunks that fails when applied to the good revision, without history and
/// without layers.
fn ddmin(repository: &str, ends: [&str; 2], script: &str, most: usize) -> Result<()> {
    let contents = Contents::with_repository(Repository::open(Path::new(repository))?);
    let repository = contents.repository().ok_or("it was just opened")?;
    let [good, bad] = ends.map(|name| repository.state(repository.commit(name)?.id));
    let tree = ChangeTree::between(&good?, &bad?, &contents)?;
    let hunk_of = tree.groups(ChangeUnit::Hunks);
    let hunks = tree.count(ChangeUnit::Hunks, &Subset::full(tree.len()));
    let folder = tempfile::tempdir()?;
    let mut workspace = Workspace::create(folder.path().join("tree"))?;
    let interrupt = Interrupt::new()?;
    let mut search = Ddmin::on(List::uniform(hunks));
    let (mut asked, mut unresolved, mut repeated) = (0, 0, 0);
    let mut known = std::collections::HashMap::new();
    while let Some(query) = search.ask().filter(|_| asked < most) {
        let kept = &query.candidate;
        let cut = (0..tree.len()).filter(|&it| !kept.contains(hunk_of[it] as usize));
        let set = Subset::full(tree.len()).without(cut.map(|element| element..element + 1));
        let made = tree.configuration(&set, &contents)?;
        let name = made.as_ref().map(boildown_changes::Configuration::id);
        let verdict = match (made, known.get(&name)) {
            (_, Some(&verdict)) => {
                repeated += 1;
                verdict
            }
            (None, _) => Verdict::Unresolved,
            (Some(made), None) => {
                workspace.update(&made, &contents)?;
                run(script, workspace.root(), &interrupt)?
            }
        };
        asked += 1;
        unresolved += usize::from(verdict == Verdict::Unresolved);
        known.insert(name, verdict);
        search.tell(verdict);
    }
    println!(
        "{hunks} hunks -> {}: {asked} tests, {repeated} of them repeated, {unresolved} unresolved{}",
        search.best().count(),
        match search.ask() {
            Some(_) => "; not finished",
            None => "",
        }
    );
    Ok(())
}

fn run(script: &str, root: &Path, interrupt: &Interrupt) -> Result<Verdict> {
    let invocation = Invocation {
        program: script.into(),
        args: Vec::new(),
        current_dir: root.to_owned(),
        stdin: Stdin::Null,
        inherited: Inherited::Everything,
        env: Vec::new(),
        tmp: None,
        capture: Capture::Nothing,
    };
    let run = spawn::run(&invocation, &Limits::default(), interrupt)?;
    Ok(match run.outcome {
        Outcome::Exited(0) => Verdict::Uninteresting,
        Outcome::Exited(125) => Verdict::Unresolved,
        _ => Verdict::Interesting,
    })
}

/// Makes two directories that differ in `files` files and `hunks` hunks, and measures the time and
/// the memory of their tree of changes.
fn tree(files: usize, hunks: usize) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let each = hunks.div_ceil(files);
    let dirs: [PathBuf; 2] = ["old", "new"].map(|name| folder.path().join(name));
    for file in 0..files {
        let place = format!("d{}/e{}", file % 20, file / 20 % 20);
        let text = |is_new: bool| -> String {
            let line = |line: usize| match line % 5 {
                2 if is_new => format!("    return call_{file}({line}) + 1;\n"),
                _ => format!("    let value_{line} = compute({file}, {line});\n"),
            };
            (0..each * 5).map(line).collect()
        };
        for (dir, is_new) in [(&dirs[0], false), (&dirs[1], true)] {
            fs::create_dir_all(dir.join(&place))?;
            fs::write(dir.join(&place).join(format!("f{file}.js")), text(is_new))?;
        }
    }
    let contents = Contents::default();
    let started = Instant::now();
    let [old, new] = dirs.map(|dir| contents.directory_state(&dir, &[]));
    let (old, new) = (old?, new?);
    let read = started.elapsed();
    let before = memory();
    let started = Instant::now();
    let tree = ChangeTree::between(&old, &new, &contents)?;
    let took = started.elapsed();
    println!(
        "{files} files, {} hunks, {} elements: both states read in {:.1} s, the tree made in {:.1} s; memory at most {} MiB, {} MiB before",
        tree.count(ChangeUnit::Hunks, &Subset::full(tree.len())),
        tree.len(),
        read.as_secs_f64(),
        took.as_secs_f64(),
        memory(),
        before,
    );
    Ok(())
}

/// Returns the peak memory of this process, in MiB.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let number = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    number.unwrap_or(0) / 1024
}
