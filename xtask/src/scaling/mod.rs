//! `cargo xtask scaling`: how much sooner reductions of real inputs end with more workers.
//!
//! Each subject is reduced by the search that `boildown reduce` runs, once for each number of
//! workers. The workers are simulated, time is virtual; the verdicts are those of the subject's own
//! test, which runs once for each content (`Verdicts`). The planner is the real one, and its own
//! time counts (`replay.rs`).

mod calibration;
mod latency;
mod plot;
mod replay;
mod rows;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use boildown_document::Language;
use boildown_reduce::{Reduction, reduction};

use crate::corpus::{self, Subject};
use crate::table::{self, Align, Style, Table};
use crate::verdicts::Verdicts;
use latency::Latency;
use replay::{Replayed, Setting, replay};
use rows::{ReplayRow, baseline, read};

#[derive(Debug, clap::Args)]
pub(crate) struct ScalingArgs {
    /// Subjects, or folders of subjects. Their tests run without a sandbox.
    #[arg(required_unless_present = "from")]
    folders: Vec<PathBuf>,
    /// Folder that keeps the verdicts, so that no test runs twice.
    #[arg(long, required_unless_present = "from")]
    cache: Option<PathBuf>,
    /// Names of the subjects to replay.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Numbers of workers.
    #[arg(long, value_delimiter = ',', default_value = "1,4,16,64,256")]
    workers: Vec<usize>,
    /// How long tests take.
    #[arg(long, value_delimiter = ',', default_value = "equal,exponential")]
    latency: Vec<Latency>,
    /// Mean duration of a test, in virtual seconds.
    #[arg(long, default_value_t = 0.6)]
    mean: f64,
    /// Virtual seconds for each second of the planner's own time; 0: the same figures anywhere.
    #[arg(long, default_value_t = 1.0)]
    driver_cost: f64,
    /// Stop after this many questions.
    #[arg(long, default_value_t = u64::MAX, hide_default_value = true)]
    questions: u64,
    /// Also print the passes of each replay, its odds and the verdicts, and what was left when.
    #[arg(long)]
    passes: bool,
    /// Do not run the subjects' setup.sh.
    #[arg(long)]
    no_setup: bool,
    /// File that gets the figures as JSON.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Figures that `--out` wrote before: speed-ups are over one worker there.
    #[arg(long)]
    against: Option<PathBuf>,
    /// Figures that `--out` wrote before, to print instead of replaying anything.
    #[arg(long, conflicts_with = "folders")]
    from: Vec<PathBuf>,
    /// File that gets the curves of speed-up as a picture (SVG).
    #[arg(long)]
    plot: Option<PathBuf>,
    /// Speed-ups of other programs for the picture: lines of name, workers, speed-up.
    #[arg(long, requires = "plot")]
    others: Option<PathBuf>,
    /// Print the tables as Markdown.
    #[arg(long)]
    markdown: bool,
}

/// Replays the subjects that `args` name and prints the tables.
///
/// Returns failure when the results of a subject differ.
pub(crate) fn run(args: &ScalingArgs) -> Result<ExitCode> {
    let against = match &args.against {
        Some(path) => read(path)?,
        None => Vec::new(),
    };
    let style = if args.markdown {
        Style::Markdown
    } else {
        Style::Plain
    };
    let mut rows = Vec::new();
    for path in &args.from {
        rows.extend(read(path)?);
    }
    if let Some(cache) = &args.cache {
        replay_all(args, cache, style, &mut rows)?;
    }
    print!("{}", as_table(&rows, &against).render(style));
    println!();
    for line in means(&rows, &against) {
        println!("{line}");
    }
    if let Some(path) = &args.out {
        let text = serde_json::to_string_pretty(&rows).context("write figures as JSON")?;
        fs::write(path, text).with_context(|| format!("write {}", path.display()))?;
    }
    if let Some(path) = &args.plot {
        let others = match &args.others {
            Some(path) => {
                fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?
            }
            None => String::new(),
        };
        plot::write(
            path,
            &plot::of_subjects(&rows, &against),
            &plot::of_others(&others)?,
        )?;
    }
    let differing = differing(&rows);
    for subject in &differing {
        eprintln!("{subject}: the result depends on the number of workers");
    }
    Ok(if differing.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Replays the subjects with each number of workers, and adds a row for each replay.
fn replay_all(
    args: &ScalingArgs,
    cache: &Path,
    style: Style,
    rows: &mut Vec<ReplayRow>,
) -> Result<()> {
    for subject in &corpus::find(&args.folders, &args.only)? {
        if !args.no_setup {
            subject.set_up()?;
        }
        let start = search_of(subject)?;
        let mut verdicts = Verdicts::open(subject, cache)?;
        for &latency in &args.latency {
            for &workers in &args.workers {
                let setting = Setting {
                    workers: workers.max(1),
                    latency,
                    mean: args.mean,
                    driver_cost: args.driver_cost,
                    questions: args.questions,
                };
                let replayed = replay(start.clone(), &mut verdicts, setting)?;
                let row = ReplayRow::new(subject, &setting, &replayed);
                eprintln!(
                    "{}: {} workers: {:.1} s, {} questions, {} runs",
                    subject.name, workers, row.seconds, row.questions, row.runs
                );
                if args.passes {
                    print!("{}", passes(&replayed, args.mean).render(style));
                    print!("{}", replayed.calibration.as_table().render(style));
                    print!("{}", progress(&replayed, args.mean).render(style));
                }
                rows.push(row);
            }
        }
    }
    Ok(())
}

/// Returns the search that reduces a subject.
fn search_of(subject: &Subject) -> Result<Reduction> {
    let path = subject.input_path();
    let bytes = fs::read(&path).with_context(|| format!("read {}", path.display()))?;
    let language = Language::detect(&subject.input, &bytes).or_else(|| Language::guess(&bytes));
    if !subject.accepts(&path)? {
        bail!("{}: the test does not accept the input", subject.name);
    }
    Ok(reduction(
        &Arc::from(bytes),
        language,
        boildown_formats::strategy(),
    ))
}

fn as_table(rows: &[ReplayRow], against: &[ReplayRow]) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("subject", Left),
        ("latency", Left),
        ("workers", Right),
        ("seconds", Right),
        ("speed-up", Right),
        ("questions", Right),
        ("runs", Right),
        ("wasted", Right),
        ("driver s", Right),
        ("MB", Right),
        ("bytes", Right),
        ("tokens", Right),
    ]);
    for row in rows {
        let speedup = baseline(row, rows, against).map(|base| base.seconds / row.seconds);
        table.push(vec![
            row.subject.clone(),
            row.latency.clone(),
            row.workers.to_string(),
            format!("{:.1}", row.seconds),
            speedup.map_or_else(|| "-".to_owned(), |speedup| format!("{speedup:.2}")),
            row.questions.to_string(),
            row.runs.to_string(),
            row.runs.saturating_sub(row.questions).to_string(),
            format!("{:.2}", row.driver),
            row.memory
                .map_or_else(|| "-".to_owned(), |bytes| (bytes >> 20).to_string()),
            row.bytes.to_string(),
            row.tokens.to_string(),
        ]);
    }
    table
}

/// Returns a line for each number of workers, with means over the subjects.
fn means(rows: &[ReplayRow], against: &[ReplayRow]) -> Vec<String> {
    let mut settings: Vec<(&str, usize)> = (rows.iter())
        .map(|row| (row.latency.as_str(), row.workers))
        .collect();
    let mut seen = std::collections::BTreeSet::new();
    settings.retain(|setting| seen.insert(*setting));
    let line = |&(latency, workers): &(&str, usize)| {
        let ratios = |figure: &dyn Fn(&ReplayRow, &ReplayRow) -> f64| {
            let ratios: Vec<f64> = rows
                .iter()
                .filter(|row| row.latency == latency && row.workers == workers)
                .filter_map(|row| Some(figure(row, baseline(row, rows, against)?)))
                .collect();
            table::geometric_mean(&ratios).unwrap_or(f64::NAN)
        };
        let speedup = ratios(&|row, base| base.seconds / row.seconds);
        let questions = ratios(&|row, base| row.questions as f64 / base.questions as f64);
        let runs = ratios(&|row, base| row.runs as f64 / base.questions as f64);
        let tokens = ratios(&|row, base| row.tokens as f64 / base.tokens.max(1) as f64);
        format!(
            "{latency}, {workers} workers: speed-up {speedup:.2}, questions {questions:.3}, \
             runs {runs:.2}, tokens {tokens:.3} (geometric means, over one worker)"
        )
    };
    settings.iter().map(line).collect()
}

/// Returns the subjects whose results are not all the same.
fn differing(rows: &[ReplayRow]) -> Vec<&str> {
    let mut names: Vec<&str> = rows
        .iter()
        .filter(|row| {
            let mut others = rows.iter().filter(|other| other.subject == row.subject);
            others.any(|other| (&other.result, other.questions) != (&row.result, row.questions))
        })
        .map(|row| row.subject.as_str())
        .collect();
    names.dedup();
    names
}

/// Returns the passes of a replay. A round is the mean duration of a test.
fn passes(replayed: &Replayed, mean: f64) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("pass", Left),
        ("rounds", Right),
        ("questions", Right),
        ("hits", Right),
        ("misses", Right),
        ("bits", Right),
    ]);
    for pass in &replayed.passes {
        table.push(vec![
            pass.name.to_owned(),
            format!("{:.1}", pass.seconds / mean),
            (pass.hits + pass.misses).to_string(),
            pass.hits.to_string(),
            pass.misses.to_string(),
            format!("{:.1}", pass.surprise),
        ]);
    }
    table
}

/// Returns what was left at some times of a replay.
fn progress(replayed: &Replayed, mean: f64) -> Table {
    use Align::Right;
    let mut table = Table::new(&[
        ("tokens", Right),
        ("bytes", Right),
        ("questions", Right),
        ("rounds", Right),
    ]);
    for progress in &replayed.progress {
        table.push(vec![
            progress.tokens.to_string(),
            progress.bytes.to_string(),
            progress.questions.to_string(),
            format!("{:.1}", progress.seconds / mean),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(subject: &str, workers: usize, seconds: f64, result: &str) -> ReplayRow {
        ReplayRow {
            subject: subject.to_owned(),
            latency: "equal".to_owned(),
            workers,
            seconds,
            questions: 10,
            runs: 10,
            driver: 0.0,
            memory: None,
            bytes: 1,
            tokens: 1,
            result: result.to_owned(),
        }
    }

    #[test]
    fn speed_ups_are_over_one_worker_of_the_figures_before_if_there_are_some() {
        let rows = [row("a", 1, 8.0, "x"), row("a", 4, 2.0, "x")];
        let before = [row("a", 1, 12.0, "y"), row("b", 1, 1.0, "z")];
        assert!(means(&rows, &[])[1].contains("speed-up 4.00"));
        assert!(means(&rows, &before)[1].contains("speed-up 6.00"));
    }

    #[test]
    fn results_that_differ_between_numbers_of_workers_are_named() {
        let rows = [
            row("a", 1, 1.0, "x"),
            row("a", 4, 1.0, "y"),
            row("b", 1, 1.0, "z"),
        ];
        assert_eq!(differing(&rows), ["a"]);
    }
}
