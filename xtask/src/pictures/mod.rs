//! `cargo xtask pictures`: the pictures of docs and README, from a real reduction.
//!
//! - `terminal`: boildown on a terminal in memory
//! - `svg`: a screen of a terminal as a drawing

mod svg;
mod terminal;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Args;

use self::terminal::Terminal;
use crate::binary::{checkout, find_or_build};

/// Makes the pictures of docs and README.
#[derive(Debug, Args)]
pub(crate) struct PicturesArgs {
    /// The program; without it, a release is built.
    #[arg(long)]
    boildown: Option<PathBuf>,
    /// The folder to write to.
    #[arg(long, default_value = "docs/pictures")]
    output: PathBuf,
}

/// The shortest time for which a screen of the recording is shown.
const FRAME: Duration = Duration::from_millis(400);

/// How long the last screen of the recording stays.
const AT_THE_END: Duration = Duration::from_secs(6);

/// Size of the terminal, in columns and rows.
const SIZE: [u16; 2] = [100, 28];

/// An input with several failures, and the program that fails on it: those of the guide.
const ORDERS: &str = r#"[
  {"customer": "Ada", "items": [{"name": "tea", "price": 3}, {"name": "mug", "price": 8}]},
  {"customer": "Ben", "items": []},
  {"customer": "Cleo", "items": [{"name": "pot", "price": 20}, {"name": "lid", "price": 4}]}
]
"#;
const TOTALS: &str = r#"import json
import sys

for order in json.load(open(sys.argv[1])):
    prices = [item["price"] for item in order["items"]]
    print(order["customer"], "pays", sum(prices), "on average", sum(prices) / len(prices))
"#;

/// Programs that are tried as a browser.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

pub(crate) fn run(args: &PicturesArgs) -> Result<ExitCode> {
    let boildown = find_or_build(args.boildown.as_deref(), None)?;
    let output = checkout().join(&args.output);
    fs::create_dir_all(&output).with_context(|| format!("create {}", output.display()))?;
    let work = tempfile::tempdir().context("make a directory")?;
    let example = checkout().join("examples/printing");
    for name in ["page.html", "browser.py"] {
        fs::copy(example.join(name), work.path().join(name))
            .with_context(|| format!("copy {name}"))?;
    }
    if find("setsid").is_some() {
        recording(&boildown, work.path(), &output)?;
        screens(&boildown, work.path(), &output)?;
        failures(&boildown, work.path(), &output)?;
    } else {
        eprintln!("there is no setsid: the pictures of the terminal stay as they are");
    }
    match BROWSERS.into_iter().find_map(find) {
        Some(browser) => page(&boildown, &browser, work.path(), &output)?,
        None => eprintln!("there is no chromium: the pictures of pages stay as they are"),
    }
    Ok(ExitCode::SUCCESS)
}

/// The reduction that the pictures show.
fn reduction(boildown: &Path) -> Command {
    let mut command = Command::new(boildown);
    command.args(["reduce", "--yes", "--jobs", "2", "page.html"]);
    command.args(["--", "python3", "browser.py", "page.html"]);
    command
}

/// Draws a whole reduction, as it is seen by who starts it.
fn recording(boildown: &Path, work: &Path, output: &Path) -> Result<()> {
    let command = reduction(boildown);
    let words = command.get_args().map(OsStr::to_string_lossy);
    let words: Vec<_> = words.filter(|word| word != "--yes").collect();
    let prompt = format!("$ boildown {}\r\n", words.join(" "));
    let screens = Terminal::start(&command, work, SIZE, &prompt)?.record(FRAME)?;
    let path = output.join("reduction.svg");
    let title = "A reduction of a page of 476 lines to one word";
    fs::write(&path, svg::animation(&screens, AT_THE_END, title))
        .with_context(|| format!("write {}", path.display()))?;
    println!("{}", path.display());
    for trace in [".boildown", "page.min.html"] {
        remove(&work.join(trace)).with_context(|| format!("remove {trace}"))?;
    }
    Ok(())
}

/// Removes a file or a folder.
fn remove(path: &Path) -> std::io::Result<()> {
    match path.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    }
}

/// Draws screens of the terminal view.
fn screens(boildown: &Path, work: &Path, output: &Path) -> Result<()> {
    let mut terminal = Terminal::start(&reduction(boildown), work, SIZE, "")?;
    terminal.wait_until("the page is much smaller", |shown| {
        percent_removed(shown).is_some_and(|percent| percent > 95.0)
    })?;
    let draw =
        |terminal: &Terminal, name: &str, title: &str| draw(terminal, &output.join(name), title);
    draw(
        &terminal,
        "terminal-view.svg",
        "The terminal view of a reduction",
    )?;
    // Nothing changes while it is looked at.
    terminal.press("p")?;
    terminal.wait_until("it pauses", |shown| {
        shown.contains("PAUSED") && shown.contains("0 of 2 busy")
    })?;
    // The step before the last ones, which are small.
    terminal.press("\x1b[D\x1b[D\x1b[D")?;
    terminal.wait_until("the history is shown", |shown| {
        steps_after(shown) == Some(2) && shown.contains("→ result")
    })?;
    draw(
        &terminal,
        "terminal-steps.svg",
        "What one step of the reduction removed",
    )?;
    terminal.press("q")?;
    terminal.wait_for_end()
}

/// Returns how many results there are after the one that is shown.
fn steps_after(shown: &str) -> Option<usize> {
    let (before, after) = shown.lines().nth(1)?.rsplit_once(" of ")?;
    let place: usize = before.split_whitespace().last()?.parse().ok()?;
    after.trim().parse::<usize>().ok()?.checked_sub(place)
}

/// Draws the list of secondary failures. The page has none.
fn failures(boildown: &Path, work: &Path, output: &Path) -> Result<()> {
    for (name, text) in [("orders.json", ORDERS), ("totals.py", TOTALS)] {
        fs::write(work.join(name), text).with_context(|| format!("write {name}"))?;
    }
    let mut command = Command::new(boildown);
    command.args([
        "reduce",
        "--ui",
        "tui",
        "--yes",
        "--jobs",
        "1",
        "orders.json",
    ]);
    command.args(["--", "python3", "totals.py", "orders.json"]);
    let mut terminal = Terminal::start(&command, work, [SIZE[0], 14], "")?;
    terminal.wait_until("there are secondary failures", |shown| {
        shown.contains("secondary failures (f)")
    })?;
    terminal.press("p")?;
    terminal.wait_until("it pauses", |shown| shown.contains("PAUSED"))?;
    terminal.press("f")?;
    terminal.wait_until("the failures are shown", |shown| shown.contains('▶'))?;
    let title = "Secondary failures in the terminal view";
    draw(&terminal, &output.join("terminal-failures.svg"), title)?;
    terminal.press("q")?;
    terminal.wait_for_end()
}

fn draw(terminal: &Terminal, path: &Path, title: &str) -> Result<()> {
    fs::write(path, svg::drawing(&terminal.screen(), title))
        .with_context(|| format!("write {}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}

/// Returns the part of the input that was removed, in percent, as the view shows it.
fn percent_removed(shown: &str) -> Option<f64> {
    let (before, _) = shown.split_once("% removed")?;
    before.split_whitespace().last()?.parse().ok()
}

/// Draws the page about the reduction, light and dark.
fn page(boildown: &Path, browser: &Path, work: &Path, output: &Path) -> Result<()> {
    let mut report = Command::new(boildown);
    report.args(["report", "-o", "report.html"]);
    // In one session, without that of the terminal.
    fs::remove_dir_all(work.join(".boildown")).context("forget the earlier reductions")?;
    fs::remove_file(work.join("page.min.html")).context("remove the result")?;
    for mut command in [reduction(boildown), report] {
        let status = command.current_dir(work).stderr(Stdio::null()).status();
        let status = status.context("start boildown")?;
        if !status.success() {
            bail!("{command:?}: {status}");
        }
    }
    // The picture is the same wherever it is made.
    let html = work.join("report.html");
    let text = fs::read_to_string(&html).context("read the page")?;
    let here = work.display().to_string();
    fs::write(&html, text.replace(&here, "/src/printing")).context("write the page")?;
    let open = |options: &[String]| {
        let mut command = Command::new(browser);
        command
            .args(["--headless", "--no-sandbox", "--disable-gpu"])
            .args(["--hide-scrollbars", "--force-color-profile=srgb"])
            .arg(format!("--user-data-dir={here}/profile"))
            .args(options)
            .arg(format!("file://{}", html.display()));
        succeed(&mut command)
    };
    for (name, scheme, size) in [
        ("report-light.png", 1, "1120,1500"),
        ("report-dark.png", 0, "1120,1500"),
        ("report-narrow.png", 1, "400,1500"),
    ] {
        let path = output.join(name);
        open(&[
            format!("--window-size={size}"),
            format!("--blink-settings=preferredColorScheme={scheme}"),
            format!("--screenshot={}", path.display()),
        ])?;
        shrink(&path)?;
    }
    let Some(printer) = find("pdftoppm") else {
        eprintln!("there is no pdftoppm: the picture of a printed page stays as it is");
        return Ok(());
    };
    let pdf = work.join("report.pdf");
    open(&[
        "--no-pdf-header-footer".to_owned(),
        format!("--print-to-pdf={}", pdf.display()),
    ])?;
    let path = output.join("report-printed.png");
    let mut command = Command::new(printer);
    command.args(["-png", "-r", "80", "-f", "1", "-singlefile"]);
    succeed(command.arg(&pdf).arg(path.with_extension("")))?;
    shrink(&path)
}

/// Runs a command that has to succeed.
fn succeed(command: &mut Command) -> Result<()> {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    let status = status.with_context(|| format!("start {command:?}"))?;
    if !status.success() {
        bail!("{command:?}: {status}");
    }
    Ok(())
}

/// Gives a picture fewer colours, if there is a program for it.
fn shrink(path: &Path) -> Result<()> {
    if let Some(program) = find("pngquant") {
        let mut command = Command::new(program);
        command.args(["--force", "--strip", "--ext", ".png", "48"]);
        succeed(command.arg(path))?;
    }
    println!("{}", path.display());
    Ok(())
}

/// Returns the path of a program in the `PATH`.
fn find(program: impl AsRef<OsStr>) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|dir| dir.join(program.as_ref()))
        .find(|path| path.is_file())
}
