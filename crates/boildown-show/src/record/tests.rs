//! Tests of the record, and its schema.

use std::path::Path;

use schemars::JsonSchema;

use super::*;

/// A line that `boildown reduce --json` prints.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum ReduceLine {
    Event(SessionEvent),
    Last(Box<LastEvent<ReductionFinished>>),
}

/// A line that `boildown isolate --json` prints.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum IsolateLine {
    Event(SessionEvent),
    Last(LastEvent<IsolationFinished>),
}

/// A line of `--json`; each command has its own events.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(title = "Events of boildown --json")]
#[expect(dead_code, reason = "only its schema is used")]
enum Line {
    Reduce(ReduceLine),
    Isolate(IsolateLine),
    Changes(CulpritEvent),
    Triage(TriageLine),
    Failure(FailureEvent),
}

/// Compares the schema of a type with the one in the documentation.
#[expect(clippy::disallowed_methods, reason = "the schema is a file")]
pub(crate) fn check_schema<T: JsonSchema>(file: &str) {
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    let without_default = |schema: &mut schemars::Schema| drop(schema.remove("default"));
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    let settings =
        settings.with_transform(schemars::transform::RecursiveTransform(without_default));
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let schema = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = reference.join(file);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &schema).unwrap();
    }
    let stored = std::fs::read(&path).unwrap_or_default();
    assert!(
        stored == schema.as_bytes(),
        "{file} differs from the types: run this test with UPDATE=1"
    );
}

#[test]
fn the_schema_in_the_documentation_is_up_to_date() {
    check_schema::<Line>("events.schema.json");
}

#[test]
fn an_event_is_read_back_as_it_was_written() {
    let event = SessionEvent::Started(Box::new(StartedEvent {
        schema: SCHEMA,
        arguments: vec!["reduce".to_owned()],
        ..StartedEvent::default()
    }));
    let read: SessionEvent = serde_json::from_value(event.to_json()).unwrap();
    assert_eq!(read, event);
}

#[test]
fn events_of_earlier_versions_have_other_names_and_fewer_fields() {
    let earlier = r#"{"event":"finished","output":"a","questions":7,"stopped":"questions",
        "trust":{"flaky":false,"input":{"runs":3,"held":3,"low":0.5,"high":1},"is_kept":true},
        "others":[{"signature":null,"file":"b","bytes":1,"runs":0}]}"#;
    let read: ReductionFinished = serde_json::from_str(earlier).unwrap();
    assert_eq!(
        (read.tests, read.stopped),
        (7, Some(StopReason::QueryLimit))
    );
    assert_eq!(read.repeatability.input.runs, 3);
    assert_eq!(read.other_failures[0].file, "b");
    assert_eq!(read.changed_form, None);
}

#[test]
fn a_reason_for_stopping_is_read_back_from_its_name() {
    for reason in [
        StopReason::Interrupted,
        StopReason::QueryLimit,
        StopReason::TimeLimit,
        StopReason::SmallEnough,
        StopReason::Plateau,
        StopReason::Borderline,
        StopReason::PropertyLost,
        StopReason::EnvironmentChanged,
        StopReason::VerdictsOutdated,
    ] {
        assert_eq!(reason.to_json(), reason.name());
        assert_eq!(StopReason::named(reason.name()), Some(reason));
    }
    assert_eq!(StopReason::named("questions"), Some(StopReason::QueryLimit));
    assert_eq!(StopReason::named("written by a later version"), None);
}
