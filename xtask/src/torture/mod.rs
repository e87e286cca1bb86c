//! `cargo xtask torture`: faults are injected into whole reductions, and a table says whether the promises held.
//!
//! Every fault is a small real one: it has a bound of its own, should boildown fail to stop it. A fault that cannot be injected
//! here (a tiny file system needs root) is left out, and the table says why.

mod damage;
mod dice;
mod disks;
mod faults;
mod kills;
mod place;
mod time;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;

use crate::binary;
use crate::table::{Align, Style, Table};
use faults::FAULTS;
use place::Place;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Times that each fault is injected; signals at random points ten times as often.
    #[arg(long, default_value_t = 10)]
    rounds: u32,
    /// Inject only faults whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// Program to torture, instead of a release built from this checkout.
    #[arg(long)]
    boildown: Option<PathBuf>,
    /// Print the table as Markdown.
    #[arg(long)]
    markdown: bool,
}

/// What came of one injection.
#[derive(Debug)]
pub(crate) enum Injected {
    Yes,
    /// It cannot be done here, for this reason.
    No(&'static str),
}

/// A fault, and the promise that has to survive it.
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    pub(crate) promise: &'static str,
    /// How often it is injected for each round that was asked for.
    pub(crate) often: u32,
    /// Injects it once; the number is that of the round. Fails when the promise is broken.
    pub(crate) inject: fn(&Place, u32) -> Result<Injected>,
}

/// Injects all faults and prints the table.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let boildown = binary::find_or_build(args.boildown.as_deref())?;
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
        for round in 0..args.rounds * fault.often {
            let done = Place::new(&boildown).and_then(|place| {
                let done = (fault.inject)(&place, round)?;
                place.assert_clean()?;
                Ok(done)
            });
            match done {
                Ok(Injected::Yes) => injected += 1,
                Ok(Injected::No(reason)) => {
                    kept = format!("left out: {reason}");
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
