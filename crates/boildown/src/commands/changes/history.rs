//! Earlier sessions of the same culprit search, and the store of this one.

use std::ffi::OsStr;
use std::time::Duration;

use boildown_changes::{Configuration, HistoryLimits};
use boildown_session::changes::{
    CulpritCounts, CulpritReport, OutcomeRule, Problem, Revision, RevisionFiles, SearchTarget,
};
use boildown_store::{
    EndReason, Ending, Identity, Improvement, Provenance, RunDescription, RunStore,
    add_surroundings,
};

use super::args::ChangesArgs;
use crate::error::CliError;
use crate::report::format::EscapedPath as _;
use crate::session::Session;

/// Opens the store of this session.
pub(super) fn open(
    session: &mut Session<'_>,
    problem: &Problem,
    rule: &OutcomeRule,
    time_limit: Duration,
) {
    let (good, bad) = (problem.path.good(), problem.path.bad());
    let (property, flags) = match rule {
        OutcomeRule::Property(property)
        | OutcomeRule::SilentFailure(property)
        | OutcomeRule::NamedFailure(property) => (property.to_string(), property.flags()),
        OutcomeRule::ExitCode | OutcomeRule::SameFailure => {
            ("the exit code tells".to_owned(), String::new())
        }
        OutcomeRule::BisectRun => (
            "as for git bisect run".to_owned(),
            "--bisect-run".to_owned(),
        ),
        OutcomeRule::Test => ("a test exits with 0".to_owned(), "--test".to_owned()),
    };
    session.open(RunDescription {
        name: &format!("{good}..{bad}"),
        // No patch yet.
        input: improvement(&[], &CulpritCounts::default()),
        property,
        flags,
        time_limit,
        version: env!("CARGO_PKG_VERSION"),
        choices: &[],
        provenance: Provenance::default(),
    });
}

/// Stores the smallest patch so far.
pub(super) fn improve(store: Option<&RunStore>, patch: &[u8], counts: &CulpritCounts) {
    if let Some(store) = store {
        store.improve(improvement(patch, counts));
    }
}

/// Stores the result.
pub(super) fn end(store: Option<&RunStore>, patch: &[u8], found: &CulpritReport) {
    let counts = &found.counts;
    improve(store, patch, counts);
    if let Some(store) = store {
        store.end(Ending {
            why: found
                .stopped
                .map_or(EndReason::Finished, EndReason::Stopped),
            queries: counts.queries,
            runs: counts.runs,
            recalled: counts.recalled,
            elapsed: counts.elapsed,
        });
    }
}

fn improvement(patch: &[u8], counts: &CulpritCounts) -> Improvement {
    Improvement::of_text(&patch.into(), counts.queries, counts.elapsed)
}

/// Returns everything that the candidates and verdicts of a culprit search depend on, as in
/// [`crate::identity`].
pub(super) fn identity(args: &ChangesArgs, problem: &Problem) -> Result<Identity, CliError> {
    let test = &problem.test;
    let mut identity = Identity::default();
    for (what, revision) in [
        ("the first state", problem.path.good()),
        ("the second state", problem.path.bad()),
    ] {
        let state = match &revision.files {
            RevisionFiles::State(state) | RevisionFiles::Submodule { state, .. } => {
                Ok(state.clone())
            }
            RevisionFiles::Commit(id) => {
                let repository = problem.contents.repository();
                repository.expect("it holds the commit").state(*id)
            }
        };
        let state = state?;
        identity.add(what, Configuration::from(state).id().to_string());
    }
    let commits: Vec<String> = problem.path.revisions.iter().map(commit).collect();
    identity.add("the commits between", commits.join(" "));
    let command = format!("{} in {}", test.command, test.command.dir().escaped());
    identity.add("the command", command);
    let build: Vec<&OsStr> = test.build.iter().flat_map(|build| build.words()).collect();
    identity.add("--build", format!("{build:?}"));
    add_surroundings(&mut identity, test.command.words().chain(build));
    identity.add("what is bad", what_is_bad(&test.rule, test.target));
    identity.add("--timeout", format!("{:?}", args.timeout));
    // Younger than some stores, and added only when they are given.
    if args.build_timeout.is_some() {
        identity.add("--build-timeout", format!("{:?}", args.build_timeout));
    }
    if args.flaky {
        identity.add("--flaky", "true");
    }
    if !args.with.is_empty() {
        identity.add("--with", format!("{:?}", args.with));
    }
    let limits = &problem.path.limits;
    if *limits != HistoryLimits::default() {
        identity.add("what is known of the history", format!("{limits:?}"));
    }
    if args.clean {
        identity.add("--clean", "true");
    }
    crate::limits::add_to_identity(&mut identity, &args.sandbox);
    identity.add("the version of boildown", env!("CARGO_PKG_VERSION"));
    Ok(identity)
}

/// Returns the rule and the target as text.
fn what_is_bad(rule: &OutcomeRule, target: SearchTarget) -> String {
    format!("{rule:?} {target:?}")
}

fn commit(revision: &Revision) -> String {
    match revision.files {
        RevisionFiles::Commit(id) => id.to_string(),
        RevisionFiles::State(_) | RevisionFiles::Submodule { .. } => "files".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use boildown_oracle::{ExitSpec, Expectation, Property};

    use super::*;

    #[test]
    fn the_text_of_the_rule_is_that_of_earlier_versions() {
        let expectations = vec![
            Expectation::Exit(ExitSpec::Nonzero),
            Expectation::Stderr("b".parse().expect("a regular expression")),
        ];
        let property = Property::new(expectations).expect("there are expectations");
        for (rule, target, expected) in [
            (
                OutcomeRule::ExitCode,
                SearchTarget::Culprit,
                "ExitCode Culprit",
            ),
            (
                OutcomeRule::SameFailure,
                SearchTarget::Fix,
                "SameFailure Fix",
            ),
            (OutcomeRule::BisectRun, SearchTarget::Fix, "BisectRun Fix"),
            (OutcomeRule::Test, SearchTarget::Culprit, "Test Culprit"),
            (
                OutcomeRule::Property(property),
                SearchTarget::Culprit,
                "Property(Property { expectations: [Exit(Nonzero), \
                 Stderr(Pattern(Regex(\"b\")))] }) Culprit",
            ),
        ] {
            assert_eq!(what_is_bad(&rule, target), expected);
        }
    }
}
