//! `cargo xtask subjects`: reduces real inputs, verifies the results, and compares them with those
//! of other reducers.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use boildown_exec::cpu_time_of_runs;
use serde::Serialize;

use crate::binary::{self, Finished, Run};
use crate::corpus::{self, Subject};
use crate::peers::{self, Baseline, Best};
use crate::table::{self, Align, Style, Table};
use crate::tokens::Counter;

#[derive(Debug, clap::Args)]
pub(crate) struct SubjectsArgs {
    /// Subjects, or folders of subjects.
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Number of tests that boildown runs at the same time.
    #[arg(long, short, default_value_t = 2)]
    jobs: usize,
    /// Seconds after which a reduction is interrupted and its best result taken.
    #[arg(long, default_value_t = 300)]
    limit: u64,
    /// Names of the subjects to run.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Do not run the subjects' setup.sh.
    #[arg(long)]
    no_setup: bool,
    /// File that gets a line of JSON for every subject.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Folder that gets the reduced inputs, as `SUBJECT/INPUT`.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Print the table as Markdown.
    #[arg(long)]
    markdown: bool,
    /// Script that counts tokens; without it, `bench/tokcount.py` beside the folder of subjects.
    #[arg(long)]
    tokcount: Option<PathBuf>,
    /// Program to measure instead of a release build of this checkout.
    #[arg(long)]
    boildown: Option<PathBuf>,
    /// Further arguments for `boildown reduce`.
    #[arg(last = true)]
    extra: Vec<String>,
}

/// Result of one subject. The field names are those in the lines that `--out` writes.
#[derive(Debug, Clone, Default, Serialize)]
struct Row {
    subject: String,
    language: String,
    jobs: usize,
    limit: u64,
    bytes_before: Option<u64>,
    bytes_after: Option<u64>,
    tokens_before: Option<u64>,
    tokens_after: Option<u64>,
    queries: Option<u64>,
    runs: Option<u64>,
    wall: Option<f64>,
    cpu: Option<f64>,
    driver_cpu: Option<f64>,
    /// Whether the time limit ended the reduction.
    stopped: bool,
    one_minimal: Option<bool>,
    verified: bool,
    best_peer: Option<String>,
    best_peer_tokens: Option<u64>,
    best_peer_wall: Option<f64>,
    best_peer_stopped: bool,
    /// Our tokens divided by those of the best other reducer; only for verified results.
    ratio: Option<f64>,
    /// Reason of a failure.
    problem: Option<String>,
}

impl Row {
    fn fail(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }

    fn take_counts(&mut self, finished: &Finished) {
        self.bytes_before = self.bytes_before.or(finished.bytes_before);
        self.bytes_after = self.bytes_after.or(finished.bytes_after);
        self.queries = finished.queries;
        self.runs = finished.runs;
        self.driver_cpu = finished.driver_cpu_seconds;
        self.one_minimal = finished.one_minimal;
    }
}

/// Runs the subjects that `args` name and prints the table.
///
/// Returns failure when a subject could not be set up, reduced or verified.
pub(crate) fn run(args: &SubjectsArgs) -> Result<ExitCode> {
    let subjects = corpus::find(&args.folders, &args.only)?;
    let program = binary::find_or_build(args.boildown.as_deref(), None)?;
    if let Some(script) = &args.tokcount
        && !script.exists()
    {
        bail!("no such script: {}", script.display());
    }
    let mut rows = Vec::new();
    let mut counters = Vec::new();
    for subject in &subjects {
        let counter = Counter::choose(args.tokcount.as_deref(), subject.parent());
        let row = measure(subject, args, &program, &counter)?;
        eprintln!("{}", progress(&row));
        if let Some(path) = &args.out {
            append(path, &row)?;
        }
        rows.push(row);
        if !counters.contains(&counter) {
            counters.push(counter);
        }
    }
    let style = if args.markdown {
        Style::Markdown
    } else {
        Style::Plain
    };
    print!("{}", as_table(&rows).render(style));
    println!();
    for line in summary(&rows) {
        println!("{line}");
    }
    for counter in counters {
        println!("{}", counter.describe());
    }
    let failed = rows.iter().any(|row| row.problem.is_some());
    Ok(if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// Runs one subject. Problems with the subject or its reduction are part of the row; other problems
/// are errors.
fn measure(
    subject: &Subject,
    args: &SubjectsArgs,
    program: &Path,
    counter: &Counter,
) -> Result<Row> {
    let mut row = Row {
        subject: subject.name.clone(),
        language: subject.language.clone(),
        jobs: args.jobs,
        limit: args.limit,
        ..Row::default()
    };
    if let Some(best) =
        Baseline::beside(subject.parent())?.and_then(|baseline| baseline.best(&subject.name))
    {
        let Best {
            peer,
            tokens,
            wall,
            stopped,
        } = best;
        row.best_peer = Some(peer);
        row.best_peer_tokens = Some(tokens);
        row.best_peer_wall = wall;
        row.best_peer_stopped = stopped;
    }
    if !args.no_setup
        && let Err(error) = subject.set_up()
    {
        row.fail(format!("{error:#}"));
        return Ok(row);
    }
    if let Err(error) = reduce(subject, args, program, counter, &mut row) {
        row.fail(format!("{error:#}"));
    }
    if row.problem.is_none()
        && let (Some(ours), Some(theirs)) = (row.tokens_after, row.best_peer_tokens)
    {
        row.ratio = Some(peers::ratio(ours, theirs));
    }
    Ok(row)
}

fn reduce(
    subject: &Subject,
    args: &SubjectsArgs,
    program: &Path,
    counter: &Counter,
    row: &mut Row,
) -> Result<()> {
    let top = tempfile::Builder::new()
        .prefix("subject-")
        .tempdir()
        .context("make a working folder")?;
    let work = top.path().join("work");
    let result = top.path().join("result").join(&subject.input);
    fs::create_dir(&work).context("make a working folder")?;
    fs::create_dir(top.path().join("result")).context("make a folder for the result")?;
    let original = work.join(&subject.input);
    fs::copy(subject.input_path(), &original).context("copy the input")?;
    row.bytes_before = Some(size(&original)?);

    let run = run_boildown(subject, args, program, top.path(), row)?;
    let result = result_file(&run, &original, result)?;
    row.bytes_after = Some(size(&result)?);
    let finished = run.finished.unwrap_or_default();
    row.take_counts(&finished);
    row.tokens_before = counter
        .count(&subject.language, &original)?
        .or(finished.tokens_before);
    row.tokens_after = counter
        .count(&subject.language, &result)?
        .or(finished.tokens_after);
    row.verified = subject.accepts(&result)?;
    if !row.verified {
        row.fail("the subject's test does not accept the result".to_owned());
    }
    if fs::read(subject.input_path()).ok() != fs::read(&original).ok() {
        row.fail("boildown changed its input".to_owned());
    }
    if let Some(keep) = &args.keep {
        let folder = keep.join(&subject.name);
        fs::create_dir_all(&folder).with_context(|| format!("make {}", folder.display()))?;
        fs::copy(&result, folder.join(&subject.input)).context("keep the result")?;
    }
    Ok(())
}

/// Runs boildown in the folder `work` of `top`; the result goes to the folder `result` there.
fn run_boildown(
    subject: &Subject,
    args: &SubjectsArgs,
    program: &Path,
    top: &Path,
    row: &mut Row,
) -> Result<Run> {
    let mut command = Command::new(program);
    command
        .args([
            "reduce",
            &subject.input,
            "--json",
            "--jobs",
            &args.jobs.to_string(),
        ])
        .arg("--test")
        .arg(subject.test())
        .arg("--output")
        .arg(top.join("result").join(&subject.input))
        .args(&args.extra)
        .current_dir(top.join("work"))
        .env("SUBJECT_DIR", &subject.folder);
    let cpu_before = cpu_time_of_runs();
    let limit = Duration::from_secs(args.limit);
    let run = binary::run(&mut command, Some(limit), &top.join("log"))?;
    let cpu_after = cpu_time_of_runs();
    row.wall = Some(run.wall.as_secs_f64());
    row.cpu = cpu_before
        .zip(cpu_after)
        .map(|(before, after)| (after - before).as_secs_f64());
    row.stopped = run.limited;
    Ok(run)
}

/// Returns the file with the result of a run: `result`, or the input where boildown wrote none.
fn result_file(run: &Run, original: &Path, result: PathBuf) -> Result<PathBuf> {
    // 0: reduced; 2: already minimal, so the input is the result; 6: interrupted, with the best
    // result so far.
    match run.status.code() {
        Some(2) if !result.exists() => Ok(original.to_path_buf()),
        // Interrupted before a smaller candidate was found.
        Some(0 | 2 | 6) if run.limited && !result.exists() => Ok(original.to_path_buf()),
        Some(0 | 2 | 6) => Ok(result),
        _ if run.killed => bail!("boildown ignored the interrupt and was killed"),
        _ => bail!("boildown: {}: {}", run.status, run.last_line),
    }
}

fn size(path: &Path) -> Result<u64> {
    Ok(fs::metadata(path)
        .with_context(|| format!("no file {}", path.display()))?
        .len())
}

fn append(path: &Path, row: &Row) -> Result<()> {
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .with_context(|| format!("open {}", path.display()))?;
    let line = serde_json::to_string(row).context("write a row as JSON")?;
    writeln!(file, "{line}").with_context(|| format!("write {}", path.display()))
}

fn show<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

fn seconds(value: Option<f64>, stopped: bool) -> String {
    value.map_or_else(
        || "-".to_owned(),
        |value| format!("{value:.1}{}", if stopped { "*" } else { "" }),
    )
}

fn change(before: Option<u64>, after: Option<u64>) -> String {
    format!("{} → {}", show(before), show(after))
}

fn yes_or_no(value: bool) -> String {
    if value { "yes" } else { "NO" }.to_owned()
}

fn progress(row: &Row) -> String {
    let what = row.problem.clone().unwrap_or_else(|| {
        format!(
            "{} tokens in {} s",
            change(row.tokens_before, row.tokens_after),
            seconds(row.wall, row.stopped)
        )
    });
    format!("{}: {what}", row.subject)
}

fn as_table(rows: &[Row]) -> Table {
    use Align::{Left, Right};
    let compared = rows.iter().any(|row| row.best_peer.is_some());
    let failed = rows.iter().any(|row| row.problem.is_some());
    let mut heading = vec![
        ("subject", Left),
        ("bytes", Right),
        ("tokens", Right),
        ("tests", Right),
        ("runs", Right),
        ("wall s", Right),
        ("CPU s", Right),
        ("1-minimal", Left),
        ("verified", Left),
    ];
    if compared {
        heading.extend([
            ("best other", Left),
            ("its tokens", Right),
            ("its wall s", Right),
            ("ratio", Right),
        ]);
    }
    if failed {
        heading.push(("problem", Left));
    }
    let mut table = Table::new(&heading);
    for row in rows {
        let mut cells = vec![
            row.subject.clone(),
            change(row.bytes_before, row.bytes_after),
            change(row.tokens_before, row.tokens_after),
            show(row.queries),
            show(row.runs),
            seconds(row.wall, row.stopped),
            seconds(row.cpu, false),
            row.one_minimal.map_or_else(
                || "-".to_owned(),
                |proved| if proved { "yes" } else { "no" }.to_owned(),
            ),
            yes_or_no(row.verified),
        ];
        if compared {
            cells.extend([
                show(row.best_peer.as_deref()),
                show(row.best_peer_tokens),
                seconds(row.best_peer_wall, row.best_peer_stopped),
                row.ratio
                    .map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}")),
            ]);
        }
        if failed {
            cells.push(row.problem.clone().unwrap_or_default());
        }
        table.push(cells);
    }
    table
}

/// Returns the lines below the table.
fn summary(rows: &[Row]) -> Vec<String> {
    let mut lines = Vec::new();
    let ratios: Vec<f64> = rows.iter().filter_map(|row| row.ratio).collect();
    if let Some(mean) = table::geometric_mean(&ratios) {
        let compared = || rows.iter().filter(|row| row.ratio.is_some());
        let smaller = compared()
            .filter(|row| row.tokens_after < row.best_peer_tokens)
            .count();
        let larger = compared()
            .filter(|row| row.tokens_after > row.best_peer_tokens)
            .count();
        let equal = ratios.len() - smaller - larger;
        lines.push(format!(
            "geometric mean of the ratios over {} subjects: {mean:.3} ({smaller} smaller, {equal} equal, {larger} larger)",
            ratios.len()
        ));
    }
    let failed = rows.iter().filter(|row| row.problem.is_some()).count();
    if failed > 0 {
        lines.push(format!("{failed} of {} subjects failed", rows.len()));
    }
    if rows.iter().any(|row| row.stopped || row.best_peer_stopped) {
        lines.push("*: stopped by the time limit, best result so far".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAKE: &str = r#"#!/bin/sh
# reduce INPUT --json --jobs N --test SCRIPT --output RESULT MODE
case "${10}" in
good)
    printf x > "$9"
    echo '{"event":"finished","tokens_before":3,"tokens_after":1,"runs":4,"one_minimal":true}' ;;
wrong) printf y > "$9" ;;
slow)
    trap 'printf ax > "$9"; exit 6' INT
    while :; do sleep 0.02; done ;;
minimal) exit 2 ;;
refused) echo 'the property does not hold' >&2; exit 3 ;;
esac
"#;

    /// Writes an executable script with a shell. A file that this process has open for writing
    /// cannot be executed while a child that another test starts has inherited it.
    fn script(path: &Path, text: &str) {
        let write = r#"printf %s "$2" > "$1" && chmod +x "$1""#;
        let mut shell = Command::new("sh");
        assert!(
            shell
                .args(["-c", write, "sh"])
                .arg(path)
                .arg(text)
                .status()
                .unwrap()
                .success()
        );
    }

    /// Measures a subject whose property is an `x` in the input, with a script in place of
    /// boildown.
    fn measured(mode: &str, setup: &str) -> Row {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("s");
        fs::create_dir(&folder).unwrap();
        fs::write(
            folder.join("subject.json"),
            r#"{"name": "s", "language": "C", "input": "in.c"}"#,
        )
        .unwrap();
        fs::write(folder.join("in.c"), "a x b\n").unwrap();
        script(&folder.join("setup.sh"), &format!("#!/bin/sh\n{setup}\n"));
        script(
            &folder.join("test.sh"),
            "#!/bin/sh\n[ -d \"$SUBJECT_DIR\" ] && grep -q x in.c\n",
        );
        fs::write(
            top.path().join("baseline.json"),
            r#"{"s": {"other": {"tokens": 2, "wall": 9.0}}}"#,
        )
        .unwrap();
        script(&top.path().join("boildown"), FAKE);
        let args = SubjectsArgs {
            folders: vec![],
            jobs: 1,
            limit: 1,
            only: vec![],
            no_setup: false,
            out: None,
            keep: None,
            markdown: false,
            tokcount: None,
            boildown: None,
            extra: vec![mode.to_owned()],
        };
        let subject = corpus::find(&[folder], &[]).unwrap().remove(0);
        measure(&subject, &args, &top.path().join("boildown"), &Counter::Own).unwrap()
    }

    #[test]
    fn a_good_reduction_is_verified_and_compared() {
        let row = measured("good", "true");
        assert_eq!(row.problem, None);
        assert!(row.verified);
        assert_eq!(
            (row.bytes_before, row.bytes_after, row.tokens_after),
            (Some(6), Some(1), Some(1))
        );
        assert_eq!(
            (row.runs, row.one_minimal, row.ratio),
            (Some(4), Some(true), Some(0.5))
        );
    }

    #[test]
    fn a_wrong_result_and_a_failed_setup_are_failures() {
        assert_eq!(
            measured("wrong", "true").problem.unwrap(),
            "the subject's test does not accept the result"
        );
        let setup = measured("good", "echo no network >&2; exit 9")
            .problem
            .unwrap();
        assert!(setup.contains("exit status: 9: no network"), "{setup}");
        let refused = measured("refused", "true").problem.unwrap();
        assert!(
            refused.contains("exit status: 3: the property does not hold"),
            "{refused}"
        );
    }

    #[test]
    fn the_best_result_at_the_time_limit_counts() {
        let row = measured("slow", "true");
        assert_eq!(row.problem, None);
        assert!(row.stopped && row.verified);
        assert_eq!(row.bytes_after, Some(2));
    }

    #[test]
    fn the_result_of_a_minimal_input_is_the_input() {
        let row = measured("minimal", "true");
        assert!(row.verified);
        assert_eq!(row.bytes_after, Some(6));
    }

    #[test]
    fn a_failure_is_a_row_with_its_problem() {
        let good = Row {
            subject: "a".into(),
            tokens_before: Some(9),
            tokens_after: Some(3),
            ..measured("good", "true")
        };
        let bad = Row {
            subject: "b".into(),
            problem: Some("no such tool".into()),
            ..Row::default()
        };
        let text = as_table(&[good.clone(), bad.clone()]).render(Style::Markdown);
        assert!(
            text.lines()
                .nth(2)
                .is_some_and(|line| line.contains("9 → 3")),
            "{text}"
        );
        assert!(text.ends_with("| no such tool |\n"), "{text}");
        let lines = summary(&[good, bad]);
        assert_eq!(lines[1], "1 of 2 subjects failed");
        assert!(lines[0].contains("over 1 subjects"), "{lines:?}");
    }
}
