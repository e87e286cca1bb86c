//! `cargo xtask torture`: injects faults into whole reductions and prints whether the promises
//! held.
//!
//! Each fault is real but bounded: it ends by itself if boildown fails to stop it. A fault that
//! this machine does not allow (mounting a file system needs root) is skipped, and the table says
//! why.

mod damage;
mod dice;
mod disks;
mod endurance;
mod fault;
mod faults;
mod kills;
mod large_folder;
mod links;
mod services;
mod time;
mod work_dir;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::binary;
use crate::table::{Align, Style, Table};
use fault::{Fault, Injection};
use faults::FAULTS;
use work_dir::WorkDir;

#[derive(Debug, clap::Args)]
pub(crate) struct TortureArgs {
    /// Injections of each fault; signals at random moments are injected up to ten times as often.
    #[arg(long, default_value_t = 10)]
    rounds: u32,
    /// Inject only faults whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// Instead of the faults: reduce with random disturbances until there were this many tests.
    #[arg(long)]
    tests: Option<u64>,
    /// The longest time for `--tests`, in minutes.
    #[arg(long, default_value_t = 40)]
    minutes: u64,
    /// Instead of the faults: kill the reduction of a folder of this many files, at --rounds random
    /// moments, and compare the results.
    #[arg(long)]
    folder: Option<usize>,
    /// The size of that folder, in megabytes.
    #[arg(long, default_value_t = 500)]
    megabytes: usize,
    /// Program to test instead of a release build of this checkout.
    #[arg(long)]
    boildown: Option<PathBuf>,
    /// Print the table as Markdown.
    #[arg(long)]
    markdown: bool,
}

/// Injects all faults and prints the table.
pub(crate) fn run(args: &TortureArgs) -> Result<ExitCode> {
    let boildown = binary::find_or_build(args.boildown.as_deref(), None)?;
    if instead_of_faults(args, &boildown)? {
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&[
        ("fault", Align::Left),
        ("injected", Align::Right),
        ("promise", Align::Left),
        ("kept", Align::Left),
    ]);
    let mut broken = 0;
    let wanted = |fault: &&Fault| (args.only.as_ref()).is_none_or(|only| fault.name.contains(only));
    for fault in FAULTS.iter().filter(wanted) {
        let mut injected = 0;
        let mut kept = "yes".to_owned();
        for round in 0..args.rounds * fault.per_round {
            let done = WorkDir::new(&boildown).and_then(|work_dir| {
                let done = (fault.inject)(&work_dir, round)?;
                work_dir.assert_clean()?;
                Ok(done)
            });
            match done {
                Ok(Injection::Done) => injected += 1,
                Ok(Injection::Skipped(reason)) => {
                    kept = format!("skipped: {reason}");
                    break;
                }
                Err(error) => {
                    injected += 1;
                    broken += 1;
                    kept = format!("NO, in round {round}: {error:#}");
                    break;
                }
            }
        }
        eprintln!("{}: {injected}, {kept}", fault.name);
        table.push(vec![
            fault.name.to_owned(),
            injected.to_string(),
            fault.promise.to_owned(),
            kept,
        ]);
    }
    if args
        .only
        .as_ref()
        .is_none_or(|only| kills::NAME.contains(only))
    {
        let kept = match kills::run(&boildown, 10 * args.rounds) {
            Ok(reductions) => format!("yes, in {reductions} reductions"),
            Err(error) => {
                broken += 1;
                format!("NO: {error:#}")
            }
        };
        eprintln!("{}: {}, {kept}", kills::NAME, 10 * args.rounds);
        table.push(vec![
            kills::NAME.to_owned(),
            (10 * args.rounds).to_string(),
            kills::PROMISE.to_owned(),
            kept,
        ]);
    }
    let style = if args.markdown {
        Style::Markdown
    } else {
        Style::Plain
    };
    print!("{}", table.render(style));
    Ok(if broken == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Does what the options ask for instead of the faults; returns whether there was anything.
fn instead_of_faults(args: &TortureArgs, boildown: &Path) -> Result<bool> {
    if let Some(tests) = args.tests {
        let time = Duration::from_secs(60 * args.minutes);
        let kept = endurance::run(boildown, tests, time).context(endurance::PROMISE)?;
        println!("{}: {kept}", endurance::NAME);
    }
    if let Some(files) = args.folder {
        large_folder::run(boildown, files, args.megabytes, args.rounds)?;
    }
    Ok(args.tests.is_some() || args.folder.is_some())
}
