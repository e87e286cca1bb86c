//! `boildown triage`.

use std::path::Path;

use boildown_driver::Budget;
use boildown_session::Event;
use boildown_session::triage::{MergeRule, Triage, TriageEvent};
use boildown_show::{SCHEMA, TriageLine, version};
use boildown_triage::RunPlan;

use self::args::TriageArgs;
use self::history::{Remembered, identity};
use self::inputs::{FolderInputs, candidate_name, dotted_extension};
use self::preparation::{commands, explain, failure_test, nothing_fails, time_limit};
use self::report::{Report, ShownCommand, exit_kind};
use self::results::ResultFolder;
use crate::error::{CliError, ExitKind};
use crate::provenance;
use crate::session::{Beginning, Session};
use crate::{input, limits};

pub(crate) mod args;
mod history;
mod inputs;
mod preparation;
pub(crate) mod report;
mod results;

/// Runs, groups and reduces the inputs of a folder.
pub(crate) fn run(args: &TriageArgs) -> Result<ExitKind, CliError> {
    let beginning = Beginning::new(Budget::default())?;
    let mut results = ResultFolder::new(&args.folder, args.output.as_deref())?;
    let inputs = FolderInputs::read(&args.folder, results.path())?;
    results.limit(inputs.access());
    let name = candidate_name(args.name.as_deref(), inputs.extension.as_deref())?;
    let mut session = Session::new(&beginning, report::reporter(args));
    inputs.note(session.reporter());
    let (named, extension) = (Path::new(&name), dotted_extension(&name));
    let commands = commands(args, named)?;
    let shown = ShownCommand::new(commands.script(), &args.command, commands.options.stdin);
    let language = |text: &[u8]| {
        let found = input::language(args.language.as_deref(), named, text);
        found.ok().flatten()
    };
    if let Some(stated) = &args.language {
        input::language(Some(stated), named, &[])?;
    }
    let test = failure_test(args, &commands, named, &mut session)?;
    let identity = identity(args, &commands, &name, time_limit(args));
    let remembered = Remembered::open(&results, &identity, args.fresh, session.reporter())?;
    let started = TriageEvent::Recorded(TriageLine::TriageStarted {
        schema: SCHEMA,
        version: version(),
        files: inputs.files(),
        distinct: inputs.inputs.len(),
        layout: inputs.layout.name().to_owned(),
    });
    session.reporter.show(&Event::Triage(started));
    let triage = Triage {
        inputs: &inputs.inputs,
        test,
        permissions: &limits::permissions(&args.sandbox),
        plan: RunPlan {
            first: args.runs,
            if_flaky: RunPlan::default().if_flaky.max(args.runs),
        },
        includes_errors: args.errors,
        reduces: !args.no_reduce,
        merge: match args.no_merge {
            true => MergeRule::Never,
            false => MergeRule::ByForm,
        },
        language: &language,
        max_time: args.max_time,
        folder: &results.reductions(),
        access: inputs.access(),
        provenance: &provenance::of_session(inputs.access()),
        extension: &extension,
        identity: &identity,
        known: remembered.runs.as_ref(),
        jobs: args.jobs.count(),
        interrupt: &beginning.interrupt,
    };
    let found = triage.run(&mut |event| session.reporter.show(event));
    let found = found.map_err(|error| explain(error, &beginning.interrupt))?;
    let (folder, printed) = (&args.folder, (&shown, args.format));
    let report = Report::new(folder, &extension, &inputs, &found, &results, printed);
    if !found.groups.is_empty() {
        let summary = report::summary(&report);
        let page = report::page(&report, &summary);
        results.write(report.examples(), &summary, &page)?;
    }
    session.finish(&report);
    let mut inputs = found.inputs.iter();
    match inputs.any(|input| input.assessment.key.is_some()) {
        true => Ok(exit_kind(&found)),
        false => Err(nothing_fails(&found)),
    }
}
