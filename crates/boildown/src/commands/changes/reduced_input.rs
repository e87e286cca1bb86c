//! `--reduce`: the file that the command reads is reduced before the search.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use boildown_changes::Repository;
use boildown_oracle::shell::quote;
use boildown_store::FOLDER;

use super::args::ChangesArgs;
use super::states::revisions;
use crate::cli::Cli;
use crate::commands::reduce::destination::result_beside;
use crate::commands::reduce::run_within;
use crate::commands::reduce::same_culprit::SameCulpritArgs;
use crate::error::{CliError, ExitKind};
use crate::options::OutputArgs;
use crate::property::current_dir;
use crate::report::format::EscapedPath as _;
use crate::report::ui::Ui;
use crate::session::Beginning;

/// Returns a line for a shell that runs a command in the directory `$0`, with the path of `$1` in
/// the place of the file. In a line, the other words mean what they mean in that directory.
fn line_in_dir(command: &[OsString], file: &Path) -> String {
    let words = command.iter().map(|word| match Path::new(word) == file {
        true => "\"$file\"".to_owned(),
        false => quote(word),
    });
    let words: Vec<String> = words.collect();
    format!(
        "file=$(realpath -- \"$1\") && cd \"$0\" && exec {}",
        words.join(" ")
    )
}

/// Reduces the file of `--reduce`, if there is one, with the command in the bad state, and puts the
/// result in its place in the command. Returns the exit of a reduction that found nothing to search
/// with.
pub(super) fn reduce(args: &mut ChangesArgs) -> Result<Option<ExitKind>, CliError> {
    let Some(file) = args.reduce.take() else {
        return Ok(None);
    };
    if !args.command.iter().any(|word| Path::new(word) == file) {
        let what = format!("no word of the command is {}", file.escaped());
        let hint = "boildown changes GOOD..BAD --reduce FILE -- COMMAND FILE";
        return Err(CliError::usage(what).hint(hint));
    }
    let states: Vec<&Path> = args.states.iter().map(Path::new).collect();
    let ends = match states.as_slice() {
        [good, bad] if good.is_dir() && bad.is_dir() => {
            [good, bad].map(|dir| dir.to_string_lossy().into_owned())
        }
        _ => {
            let (good, bad) = revisions(args)?;
            let bad = bad.ok_or_else(|| {
                CliError::usage("--reduce needs both states").hint("boildown changes GOOD..BAD")
            })?;
            [good, bad]
        }
    };
    let user_dir = current_dir()?;
    let repository = Repository::open(&user_dir).ok();
    let inside = repository.and_then(|repository| repository.path_in_work_tree(&user_dir));
    let dir = Path::new("{build}").join(inside.unwrap_or_default());
    let session = Beginning::new(args.budget.budget())?;
    let folder = Path::new(FOLDER).join("versions");
    let mut reduction = Cli::reduction()?;
    reduction.same_culprit = SameCulpritArgs::between(ends, folder, args.build.clone());
    reduction.ui = Some(Ui::Plain);
    reduction.input.clone_from(&file);
    let runs = &mut reduction.runs;
    runs.command = vec![
        "sh".into(),
        "-c".into(),
        line_in_dir(&args.command, &file).into(),
        dir.into_os_string(),
        file.clone().into_os_string(),
    ];
    runs.property.expectations = args.expectations.clone();
    runs.jobs = args.jobs.clone();
    runs.timeout = args.timeout;
    runs.sandbox = args.sandbox.clone();
    runs.budget = args.budget.clone();
    runs.fresh = args.fresh;
    runs.within = Some(PathBuf::from("none"));
    runs.printing = OutputArgs {
        json: false,
        quiet: args.json || args.markdown || args.quiet,
        verbose: false,
    };
    let exit = run_within(reduction, &session, None)?;
    if !matches!(exit, ExitKind::Reduced | ExitKind::AlreadyMinimal) {
        return Ok(Some(exit));
    }
    let result = user_dir.join(result_beside(&file));
    for word in &mut args.command {
        if Path::new(word) == file {
            result.as_os_str().clone_into(word);
        }
    }
    Ok(None)
}
