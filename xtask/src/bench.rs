//! `cargo xtask bench`: measures the cost of a test beyond the cost of running the program.
//!
//! The property holds on the input only, so each query is one run and a miss. The test is the
//! program that the bare loop starts, so that the two rates of a round differ by boildown's cost
//! alone. Absolute rates depend on the load of the machine; ratios are taken within a round, and
//! the median of the rounds is reported.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};

use crate::binary::{self, Finished};
use crate::growth;
use crate::table::{Align, Style, Table, median};

/// Exits with 0 when the candidate is as long as the input, which no smaller candidate is.
const PROBE: &str = r#"
#include <stdlib.h>
#include <sys/stat.h>

int main(int argc, char **argv) {
    const char *wanted = getenv("BENCH_SIZE");
    struct stat file;
    if (!wanted || stat(argc > 1 ? argv[1] : "big.c", &file) != 0) return 1;
    return file.st_size == atoll(wanted) ? 0 : 1;
}
"#;

/// Pairs of measurements in a round, where the difference is smaller than the noise of one
/// measurement.
const PAIRS: u32 = 4;

/// Name of a folder in which no store can be made.
const STORELESS: &str = "storeless";

#[derive(Debug, clap::Args)]
pub(crate) struct BenchArgs {
    /// Tests in one measurement.
    #[arg(long, default_value_t = 2000)]
    queries: u32,
    /// Number of rounds.
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// Size of the input in bytes.
    #[arg(long, default_value_t = 500_000)]
    size: usize,
    /// Program to measure instead of a release build of this checkout.
    #[arg(long)]
    boildown: Option<PathBuf>,
    /// Measure instead how the cost of whole reductions grows with the input.
    #[arg(long)]
    growth: bool,
    /// Print the tables as Markdown.
    #[arg(long)]
    markdown: bool,
}

/// Parse gate: with `Closed`, candidates that do not parse are not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gate {
    Closed,
    Open,
}

/// Store, sandbox and memory limit, on (`Up`) or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guards {
    Up,
    Down,
}

/// Figures of one round.
struct Round {
    /// Runs per second of the bare loop.
    bare: f64,
    /// Tests per second.
    asked: f64,
    /// Milliseconds of CPU time that boildown itself used per test.
    driver: f64,
}

/// Setting of a measurement.
struct Bench {
    boildown: PathBuf,
    probe: PathBuf,
    /// Folder with the input.
    folder: PathBuf,
    size: usize,
    queries: u32,
}

impl Bench {
    /// Returns the runs of the program per second, started one after the other by one thread.
    fn bare(&self) -> Result<f64> {
        let elsewhere = self.folder.join("bare");
        let started = Instant::now();
        for _ in 0..self.queries {
            self.spawn_once(&elsewhere)?;
        }
        Ok(f64::from(self.queries) / started.elapsed().as_secs_f64())
    }

    /// Measures the bare loop and a reduction, one after the other.
    fn round(&self, jobs: u32, gate: Gate) -> Result<Round> {
        let bare = self.bare()?;
        let finished = self.reduce(jobs, gate, Guards::Up)?;
        Ok(Round {
            bare,
            asked: rate(&finished)?,
            driver: driver_milliseconds(&finished)?,
        })
    }

    /// Returns the tests per second with guards and without. The order alternates by round, so that
    /// other load on the machine affects both.
    fn guarded(&self, jobs: u32, round: u32) -> Result<[f64; 2]> {
        let mut guards = [Guards::Up, Guards::Down];
        guards.rotate_left(round as usize % 2);
        let mut rates = [0.0; 2];
        for guards in guards {
            // Without the gate, less other work hides the difference.
            rates[guards as usize] = rate(&self.reduce(jobs, Gate::Open, guards)?)?;
        }
        Ok(rates)
    }

    fn spawn_once(&self, folder: &Path) -> Result<()> {
        let status = Command::new(&self.probe)
            .current_dir(folder)
            .env("BENCH_SIZE", self.size.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .context("start the probe")?;
        ensure!(status.code() == Some(1), "the probe: {status}");
        Ok(())
    }

    fn reduce(&self, jobs: u32, gate: Gate, guards: Guards) -> Result<Finished> {
        let mut command = Command::new(&self.boildown);
        let (result, unguarded): (_, &[&str]) = match guards {
            Guards::Up => (self.folder.join("result.c"), &[]),
            Guards::Down => (
                self.folder.join(STORELESS).join("result.c"),
                &["--no-sandbox", "--memory", "none"],
            ),
        };
        command
            .args(["reduce", "big.c", "--json", "--fresh", "--output"])
            .arg(result)
            .args(unguarded)
            .arg("--test")
            .arg(&self.probe)
            .args([
                "--jobs",
                &jobs.to_string(),
                "--max-questions",
                &self.queries.to_string(),
            ])
            .args((gate == Gate::Open).then_some("--no-gate"))
            .current_dir(&self.folder)
            .env("BENCH_SIZE", self.size.to_string());
        let run = binary::run(&mut command, None, &self.folder.join("log"))?;
        // 2: nothing could be removed; 6: the limit on tests was reached.
        if !matches!(run.status.code(), Some(2 | 6)) {
            bail!("boildown: {}: {}", run.status, run.last_line);
        }
        let finished = run
            .finished
            .context("boildown reported no `finished` event")?;
        if finished
            .bytes_after
            .is_some_and(|after| after != self.size as u64)
        {
            bail!(
                "the property held on a candidate: {} bytes remain",
                finished.bytes_after.unwrap_or_default()
            );
        }
        Ok(finished)
    }
}

/// Returns the tests per second.
fn rate(finished: &Finished) -> Result<f64> {
    let runs = finished.runs.context("no `runs` in the `finished` event")?;
    let seconds = finished
        .seconds
        .context("no `seconds` in the `finished` event")?;
    ensure!(runs > 0 && seconds > 0.0, "nothing was run");
    Ok(runs as f64 / seconds)
}

/// Returns the milliseconds of CPU time that boildown itself used per test.
fn driver_milliseconds(finished: &Finished) -> Result<f64> {
    let runs = finished.runs.context("no `runs` in the `finished` event")?;
    let seconds = finished
        .driver_cpu_seconds
        .context("no `driver_cpu_seconds` in the `finished` event")?;
    ensure!(runs > 0, "nothing was run");
    Ok(seconds * 1000.0 / runs as f64)
}

/// Measures and prints a table.
pub(crate) fn run(args: &BenchArgs) -> Result<ExitCode> {
    ensure!(
        args.rounds > 0 && args.queries > 1,
        "at least one round and two tests are needed"
    );
    let scratch = tempfile::tempdir().context("make a working folder")?;
    let style = if args.markdown {
        Style::Markdown
    } else {
        Style::Plain
    };
    if args.growth {
        let boildown = binary::find_or_build(args.boildown.as_deref(), None)?;
        print!(
            "{}",
            growth::measure(&boildown, scratch.path(), big_c, style)?
        );
        return Ok(ExitCode::SUCCESS);
    }
    let bench = prepare(args, scratch.path())?;

    print!("{}", queries(&bench, args.rounds)?.render(style));
    println!();
    print!("{}", guards(&bench, args.rounds)?.render(style));
    println!();
    println!(
        "{} bytes of C, {} tests, median of {} rounds; bare: one thread that runs the same program; \
         without: no store, no sandbox, no memory limit",
        bench.size, bench.queries, args.rounds
    );
    Ok(ExitCode::SUCCESS)
}

/// Measures the cost of a test beyond the run of the program.
fn queries(bench: &Bench, rounds: u32) -> Result<Table> {
    let mut table = Table::new(&[
        ("parse gate", Align::Left),
        ("jobs", Align::Right),
        ("bare runs/s", Align::Right),
        ("tests/s", Align::Right),
        ("ratio", Align::Right),
        ("driver ms/test", Align::Right),
    ]);
    for (gate, name) in [(Gate::Closed, "on"), (Gate::Open, "off")] {
        for jobs in [1, 2] {
            let rounds = (0..rounds)
                .map(|_| bench.round(jobs, gate))
                .collect::<Result<Vec<_>>>()?;
            let middle = |figure: fn(&Round) -> f64| {
                let figures: Vec<f64> = rounds.iter().map(figure).collect();
                median(&figures).expect("there is a round")
            };
            table.push(vec![
                name.to_owned(),
                jobs.to_string(),
                format!("{:.0}", middle(|round| round.bare)),
                format!("{:.0}", middle(|round| round.asked)),
                format!("{:.2}", middle(|round| round.asked / round.bare)),
                format!("{:.3}", middle(|round| round.driver)),
            ]);
        }
    }
    Ok(table)
}

/// Measures the cost of the store, the sandbox and the memory limit.
fn guards(bench: &Bench, rounds: u32) -> Result<Table> {
    let mut table = Table::new(&[
        ("store, sandbox, limits: jobs", Align::Left),
        ("tests/s", Align::Right),
        ("without", Align::Right),
        ("overhead", Align::Right),
    ]);
    for jobs in [1, 2] {
        let rounds = (0..rounds * PAIRS)
            .map(|round| bench.guarded(jobs, round))
            .collect::<Result<Vec<_>>>()?;
        let middle = |figure: fn(&[f64; 2]) -> f64| {
            let figures: Vec<f64> = rounds.iter().map(figure).collect();
            median(&figures).expect("there is a round")
        };
        table.push(vec![
            jobs.to_string(),
            format!("{:.0}", middle(|[with, _]| *with)),
            format!("{:.0}", middle(|[_, without]| *without)),
            format!(
                "{:.1} %",
                100.0 * middle(|[with, without]| without / with - 1.0)
            ),
        ]);
    }
    Ok(table)
}

/// Builds boildown and the probe, and writes the input.
fn prepare(args: &BenchArgs, folder: &Path) -> Result<Bench> {
    let boildown = binary::find_or_build(args.boildown.as_deref(), None)?;
    let input = big_c(args.size);
    fs::write(folder.join("big.c"), &input).context("write the input")?;
    fs::create_dir(folder.join(STORELESS)).context("make a folder for results")?;
    fs::write(folder.join(STORELESS).join(".boildown"), "").context("block the store")?;
    fs::create_dir(folder.join("bare")).context("make a folder for the bare loop")?;
    fs::write(folder.join("bare/big.c"), "int x;\n")
        .context("write a candidate for the bare loop")?;
    fs::write(folder.join("probe.c"), PROBE).context("write the probe")?;
    let probe = folder.join("probe");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let status = Command::new(&compiler)
        .args(["-O1", "-o"])
        .arg(&probe)
        .arg(folder.join("probe.c"))
        .status()
        .with_context(|| format!("start {}", compiler.display()))?;
    ensure!(status.success(), "compile the probe: {status}");
    Ok(Bench {
        boildown,
        probe,
        folder: folder.to_path_buf(),
        size: input.len(),
        queries: args.queries,
    })
}

/// Returns a C file of at least `size` bytes that compiles; the same one for the same size.
fn big_c(size: usize) -> String {
    let mut text = String::from(
        "struct pair { int left, right; };\nextern int printf(const char *, ...);\n\n",
    );
    let mut noise = Noise(0x2545_F491);
    let mut functions = 0;
    while text.len() < size {
        write_function(&mut text, functions, &mut noise)
            .expect("writing to a string does not fail");
        functions += 1;
    }
    write!(
        text,
        "int main(void) {{\n    return f{}(1, 2);\n}}\n",
        functions.max(1) - 1
    )
    .expect("writing to a string does not fail");
    text
}

/// A small generator of pseudo-random numbers; only variety is needed.
struct Noise(u32);

impl Noise {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) % limit
    }
}

fn write_function(text: &mut String, number: u32, noise: &mut Noise) -> std::fmt::Result {
    writeln!(text, "/* Function {number} of the generated program. */")?;
    writeln!(
        text,
        "static int table{number}[8] = {{1, 2, {}, 4, {}}};",
        noise.below(90),
        noise.below(90)
    )?;
    writeln!(text, "int f{number}(int a, int b) {{")?;
    writeln!(text, "    struct pair p = {{a, {}}};", noise.below(1000))?;
    writeln!(text, "    int sum = 0;")?;
    for step in 0..3 + noise.below(6) {
        let (x, y) = (noise.below(100), 1 + noise.below(30));
        match noise.below(6) {
            0 => writeln!(
                text,
                "    for (int i = 0; i < {y}; i++) {{\n        sum += table{number}[i & 7] * {x};\n    }}"
            )?,
            1 => writeln!(
                text,
                "    if (a > {x} && b != {y}) {{\n        sum -= p.left;\n    }} else {{\n        sum++;\n    }}"
            )?,
            2 => writeln!(
                text,
                "    switch ((a + {x}) % {y}) {{\n    case 0:\n        sum ^= b;\n        break;\n    default:\n        break;\n    }}"
            )?,
            3 => writeln!(
                text,
                "    int local{step} = (a << {}) | (b & {x});\n    sum += local{step} ? {y} : -{x};",
                y % 8
            )?,
            4 if number > 0 => writeln!(
                text,
                "    sum += f{}(a - {x}, p.right);",
                noise.below(number)
            )?,
            _ => writeln!(text, "    printf(\"f{number}: %d %d\\n\", sum, {x});")?,
        }
    }
    writeln!(text, "    return sum + p.right;\n}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_is_the_same_every_time_and_about_as_large_as_asked() {
        let text = big_c(50_000);
        assert_eq!(text, big_c(50_000));
        assert!((50_000..53_000).contains(&text.len()), "{}", text.len());
    }

    #[test]
    fn the_input_compiles() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("big.c");
        fs::write(&file, big_c(100_000)).unwrap();
        let status = Command::new("cc")
            .args(["-fsyntax-only", "-Wall", "-Werror"])
            .arg(&file)
            .status()
            .unwrap();
        assert!(status.success());
    }

    #[test]
    fn rates_need_the_figures_they_are_made_of() {
        let finished = Finished {
            runs: Some(2000),
            seconds: Some(4.0),
            driver_cpu_seconds: Some(1.0),
            ..Finished::default()
        };
        assert!((rate(&finished).unwrap() - 500.0).abs() < 1e-9);
        assert!((driver_milliseconds(&finished).unwrap() - 0.5).abs() < 1e-9);
        assert!(rate(&Finished::default()).is_err());
        assert!(
            driver_milliseconds(&Finished {
                runs: Some(1),
                ..Finished::default()
            })
            .is_err()
        );
    }
}
