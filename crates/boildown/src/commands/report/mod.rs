//! `boildown report`: a page about a reduction, or a bug report.

pub(crate) mod args;
mod bug;
mod bug_case;
mod bug_files;
mod bug_folder;
mod environment;
mod record;
mod remaining;
mod trust;

use std::fs;
use std::io::Read as _;
use std::path::Path;

use boildown_exec::fsx;
use boildown_exec::spawn::ReapOnDrop;
use boildown_show::{json, live_page, markdown, page};
use boildown_store::LastSession;

use super::explain::last_session;
use crate::error::{CliError, ExitKind};
use crate::live;
use crate::provenance;
use crate::report::format::EscapedPath as _;
use crate::stdout;
use args::{ReportArgs, ReportFormat};
use environment::FileUse;
use record::StoredReduction;
use trust::Trust;

/// What a page of boildown has in its first bytes.
const MARK: &[u8] = b"<meta name=generator content=boildown>";

/// Writes a report.
pub(crate) fn run(args: &ReportArgs) -> Result<ExitKind, CliError> {
    // Ends leftover processes of runs whatever happens, also in a panic.
    let _reap = ReapOnDrop::begin();
    if args.live {
        let read = || StoredReduction::read(find(args.file.as_deref())?)?.record(FileUse::Nothing);
        live::serve(|| Ok(live_page(&read()?)))?;
        return Ok(ExitKind::Reduced);
    }
    let session = find(args.file.as_deref())?;
    let trust = Trust::of(args.run, &session);
    let stored = StoredReduction::read(session)?;
    let access = provenance::access(&stored.session.file);
    if args.bug {
        return bug::write(&stored, args, trust);
    }
    let record = stored.record(match trust {
        Trust::Foreign => FileUse::Nothing,
        Trust::Own if args.run && !args.no_versions => FileUse::Run,
        Trust::ToldToRun if !args.no_versions => FileUse::ShowAndRun,
        Trust::Own | Trust::ToldToRun => FileUse::Read,
    })?;
    let text = match args.format {
        ReportFormat::Html => page(&record),
        ReportFormat::Json => json(&record),
        ReportFormat::Markdown => markdown(&record),
    };
    let is_stdout = args
        .output
        .as_deref()
        .map_or(args.format != ReportFormat::Html, |output| {
            output == Path::new("-")
        });
    if is_stdout {
        stdout::write(text.as_bytes());
        return Ok(ExitKind::Reduced);
    }
    let output = match &args.output {
        Some(output) => output.clone(),
        None => stored.result_with(".report.html"),
    };
    check_replaceable(&output)?;
    fsx::write_durable(&output, text.as_bytes(), access)?;
    stdout::print(format!("{}\n", output.escaped()));
    Ok(ExitKind::Reduced)
}

/// Returns the last session of the run that the user means.
fn find(file: Option<&Path>) -> Result<LastSession, CliError> {
    let is_store = |file: &&Path| file.extension().is_some_and(|extension| extension == "db");
    let Some(store) = file.filter(is_store) else {
        return last_session(file);
    };
    // The name of the result is that of the folder.
    let file = std::path::absolute(store).unwrap_or_else(|_| store.to_owned());
    let session = LastSession::of_store(&file)?;
    session.ok_or_else(|| CliError::usage(format!("{} holds no run", store.escaped())))
}

/// Checks that there is no file at the path of a report, but an earlier report.
fn check_replaceable(output: &Path) -> Result<(), CliError> {
    if output.symlink_metadata().is_err() {
        return Ok(());
    }
    let mut start = Vec::new();
    // A pipe would make us wait.
    if output.is_file()
        && let Ok(file) = fs::File::open(output)
    {
        file.take(2000).read_to_end(&mut start).ok();
    }
    if start.windows(MARK.len()).any(|window| window == MARK) {
        return Ok(());
    }
    let what = format!("{} exists already, and is no report", output.escaped());
    Err(CliError::usage(what).hint("name a new file with --output"))
}
