//! The choices that a session makes for the user: what was chosen, why, and the option that changes
//! it. They are shown with `--verbose`, stored, and shown again by `boildown explain`.

use std::path::Path;
use std::time::Duration;

use boildown_document::Language;
use boildown_oracle::Property;
use boildown_session::default_time_limit;
use boildown_session::prepare::Loosening;
use boildown_show::ChoiceRecord;

use crate::input;
use crate::options::{JobsArgs, RemoteArgs, SandboxArgs};
use crate::project::RunPlace;
use crate::report::format::{EscapedPath as _, clock};

/// Returns a choice: `about: chosen, because (option)`.
pub(crate) fn choice(
    about: &str,
    chosen: impl Into<String>,
    because: impl Into<String>,
    option: &str,
) -> ChoiceRecord {
    ChoiceRecord {
        about: about.to_owned(),
        chosen: chosen.into(),
        because: because.into(),
        option: option.to_owned(),
    }
}

/// Returns the choice of the language of an input.
pub(crate) fn language(
    requested: Option<&str>,
    path: &Path,
    input: &[u8],
    language: Option<&Language>,
) -> ChoiceRecord {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let format = || requested.and_then(input::format_named);
    let chosen = language.map_or_else(|| format().unwrap_or("none"), |language| language.name);
    let is_found = |head: &[u8]| Language::detect(&name, head).is_some();
    let because = match (requested, language) {
        (Some(_), _) => "as stated".to_owned(),
        (None, None) => format!("neither the name {name} nor the content is known"),
        (None, Some(_)) if is_found(b"") => format!("by the name {name}"),
        (None, Some(_)) if is_found(&input[..input.len().min(256)]) => {
            "by its first line".to_owned()
        }
        (None, Some(_)) => "by its content".to_owned(),
    };
    choice("language", chosen, because, "--language")
}

/// Returns the choice of the lines of a file as its elements.
pub(crate) fn json_lines(path: &Path) -> ChoiceRecord {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    choice(
        "elements",
        "JSON lines",
        format!("by the name {name}"),
        "--split",
    )
}

/// Returns the choice of keys as the units of a difference.
pub(crate) fn keys() -> ChoiceRecord {
    choice("units", "keys", "both are configuration files", "--units")
}

/// Returns the choice of the number of jobs.
pub(crate) fn jobs(args: &JobsArgs) -> ChoiceRecord {
    let because = match args.is_stated() {
        true => "as stated",
        false => "one for each core; the result does not depend on it",
    };
    choice("jobs", args.here().to_string(), because, "--jobs")
}

/// Returns the choice of the place of the runs. `is_new` says that it was made in this session.
pub(crate) fn place(place: &RunPlace, is_stated: bool, is_new: bool) -> ChoiceRecord {
    let (chosen, because) = match place {
        RunPlace::Project(project) if project.folder().is_some() => {
            let because = "the input is no single file";
            return choice(
                "place",
                "a copy of the candidate's files",
                because,
                "--with",
            );
        }
        RunPlace::Project(project) => (
            format!("copies of {}", project.plan().root().escaped()),
            "the failure needs other files than the input",
        ),
        RunPlace::Alone | RunPlace::Either(_) => (
            "a fresh directory for each run".to_owned(),
            match is_new {
                true => "the failure is the same as in a copy of the project",
                false => "there is no project that could be copied",
            },
        ),
    };
    let because = match (is_stated, is_new, place) {
        (true, ..) => "as stated",
        (false, false, RunPlace::Project(_)) => "as in the earlier session",
        _ => because,
    };
    choice("place", chosen, because, "--within")
}

/// Returns the choice of the property to preserve.
pub(crate) fn property(property: &Property, is_stated: bool) -> ChoiceRecord {
    let because = match is_stated {
        true => "as stated",
        false => "deduced from the first run",
    };
    let chosen = property.to_string().replace('\n', " and ");
    choice(
        "property",
        chosen,
        because,
        "--test, --exit, --stdout, --stderr",
    )
}

/// Returns the choice of the sandbox. `loosened` says how it was loosened.
pub(crate) fn sandbox(
    args: &SandboxArgs,
    remote: &RemoteArgs,
    loosened: Option<Loosening>,
) -> ChoiceRecord {
    if let Some(service) = remote.url() {
        let (chosen, because) = ("that of the workers", format!("tests run on {service}"));
        return choice("sandbox", chosen, because, "--remote property=NAME=VALUE");
    }
    let (chosen, because) = match loosened {
        _ if args.no_sandbox => ("off", "as stated"),
        Some(Loosening::NoSandbox) => ("off", "the failure occurs only outside the sandbox"),
        Some(Loosening::TemporaryFiles) => (
            "on, but the system's temporary directories may be written to",
            "the failure occurs only then",
        ),
        None => (
            "on",
            "a candidate's run may write to its own directory and $TMPDIR only",
        ),
    };
    choice("sandbox", chosen, because, "--writable, --no-sandbox")
}

/// Returns the choice of the time limit of a run, from the slowest run on the input unless it is
/// stated, or follows from a property that expects a hang.
pub(crate) fn time_limit(
    stated: Option<Duration>,
    property: &Property,
    slowest: Duration,
) -> ChoiceRecord {
    let (limit, because) = match (property.hang(), stated) {
        (Some(hang), _) => (hang, "as long as the hang to preserve".to_owned()),
        (None, Some(stated)) => (stated, "as stated".to_owned()),
        (None, None) => (
            default_time_limit(slowest),
            format!("from the slowest run on the input, {}", clock(slowest)),
        ),
    };
    choice("time limit", clock(limit), because, "--timeout")
}
