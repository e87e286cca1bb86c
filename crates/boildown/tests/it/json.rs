//! Events of `--json`, each checked against the published schema.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::env::{FINDS_NEEDLE, TestEnv};

/// The parts of JSON Schema that the published schema uses.
struct Schema(Value);

impl Schema {
    fn published() -> Self {
        let path = "../../docs/reference/events.schema.json";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        Self(serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap())
    }

    fn accepts(&self, value: &Value) -> bool {
        self.matches(&self.0, value)
    }

    fn matches(&self, schema: &Value, value: &Value) -> bool {
        let Some(rules) = schema.as_object() else {
            return schema == &Value::Bool(true);
        };
        rules.iter().all(|(rule, wanted)| match rule.as_str() {
            "$ref" => {
                let path = wanted.as_str().unwrap().trim_start_matches('#');
                self.matches(self.0.pointer(path).unwrap(), value)
            }
            "anyOf" | "oneOf" => {
                let schemas = wanted.as_array().unwrap();
                schemas.iter().any(|schema| self.matches(schema, value))
            }
            "const" => wanted == value,
            "enum" => wanted.as_array().unwrap().contains(value),
            "type" => match wanted {
                Value::Array(types) => types.iter().any(|name| is_type(name, value)),
                name => is_type(name, value),
            },
            "required" => {
                let names = wanted.as_array().unwrap();
                names
                    .iter()
                    .all(|name| value.get(name.as_str().unwrap()).is_some())
            }
            "properties" => wanted.as_object().unwrap().iter().all(|(name, schema)| {
                value
                    .get(name)
                    .is_none_or(|value| self.matches(schema, value))
            }),
            "items" => {
                let items = value.as_array().into_iter().flatten();
                items.into_iter().all(|item| self.matches(wanted, item))
            }
            "additionalProperties" => {
                let values = value
                    .as_object()
                    .into_iter()
                    .flat_map(|object| object.values());
                values.into_iter().all(|value| self.matches(wanted, value))
            }
            "minimum" => value
                .as_f64()
                .is_none_or(|number| number >= wanted.as_f64().unwrap()),
            "maximum" => value
                .as_f64()
                .is_none_or(|number| number <= wanted.as_f64().unwrap()),
            "$schema" | "$defs" | "title" | "description" | "format" => true,
            rule => panic!("the schema has a rule that this test does not know: {rule}"),
        })
    }
}

fn is_type(name: &Value, value: &Value) -> bool {
    match name.as_str().unwrap() {
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        name => panic!("a type that this test does not know: {name}"),
    }
}

/// Checks every event, and returns them.
#[track_caller]
fn checked(events: Vec<Value>) -> Vec<Value> {
    let schema = Schema::published();
    for event in &events {
        assert!(schema.accepts(event), "not in the schema: {event}");
    }
    events
}

fn of_kind<'a>(events: &'a [Value], kind: &str) -> &'a Value {
    let mut found = events.iter().filter(|event| event["event"] == kind);
    let event = found
        .next()
        .unwrap_or_else(|| panic!("no {kind}: {events:?}"));
    assert!(found.next().is_none(), "more than one {kind}: {events:?}");
    event
}

#[test]
fn the_schema_rejects_what_no_command_prints() {
    let schema = Schema::published();
    for event in [
        json!({"event": "unknown"}),
        json!({"event": "note"}),
        json!({"event": "note", "text": 3}),
        json!({"event": "error", "message": "m", "hints": [1], "exit_code": 3, "schema": 2}),
        json!({"text": "no event"}),
    ] {
        assert!(!schema.accepts(&event), "{event}");
    }
    assert!(schema.accepts(&json!({"event": "note", "text": "t"})));
}

#[test]
fn a_reduction_states_what_it_does_before_it_searches() {
    let env = TestEnv::new().file("in.py", "a = 1\nraise ValueError('x')\nb = 2\n");
    let script = "grep -q raise \"$1\" && { echo 'ValueError: x' >&2; exit 3; }";
    let env = env.script("tool.sh", script);
    let run = env.reduce([
        "in.py",
        "--json",
        "--max-tests",
        "500",
        "--",
        "./tool.sh",
        "in.py",
    ]);
    let events = checked(run.assert_code(0).events());
    let started = of_kind(&events, "started");
    assert_eq!(started["schema"], 2);
    assert_eq!(started["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(started["task"], "reduce");
    assert_eq!(started["inputs"], json!(["in.py"]));
    assert_eq!(started["language"], "Python");
    assert_eq!(started["output"], "in.min.py");
    assert_eq!(started["arguments"][0], "reduce");
    assert_eq!(started["options"]["max_tests"], 500);
    assert_eq!(started["options"]["units"], "tokens");
    let expected = json!({"kind": "exit", "value": "3"});
    assert!(
        started["property"].as_array().unwrap().contains(&expected),
        "{started}"
    );
    let abouts: Vec<_> = (started["choices"].as_array().unwrap().iter())
        .map(|choice| choice["about"].as_str().unwrap())
        .collect();
    assert!(
        abouts.contains(&"language") && abouts.contains(&"property"),
        "{abouts:?}"
    );
    let position = |kind| events.iter().position(|event| event["event"] == kind);
    assert!(position("started") < position("improved"));
    let last = events.last().unwrap();
    assert_eq!(last["event"], "finished");
    let passes = events.iter().filter(|event| event["event"] == "pass");
    let before = passes.map(|pass| pass["tests"].as_u64().unwrap());
    let before: Vec<u64> = before.collect();
    assert!(before.len() > 2 && before.is_sorted(), "{before:?}");
    assert!(before[0] < 2 && before.last() <= last["tests"].as_u64().as_ref());
}

#[test]
fn events_of_the_other_commands_are_in_the_schema() {
    let env = TestEnv::with_test(FINDS_NEEDLE)
        .file("good.txt", "one\ntwo\n")
        .file("bad.txt", "one\nneedle\n")
        .file("old/a", "1\n")
        .file("new/a", "needle\n")
        .script("check.sh", "! grep -q needle a");
    let run = env.run([
        "isolate", "good.txt", "bad.txt", "--json", "--test", "test.sh",
    ]);
    let events = checked(run.assert_code(0).events());
    let started = of_kind(&events, "started");
    assert_eq!(started["task"], "isolate");
    assert_eq!(started["inputs"], json!(["good.txt", "bad.txt"]));
    let script = env.path("check.sh");
    let run = env.run([
        "changes",
        "old",
        "new",
        "--json",
        "--",
        script.to_str().unwrap(),
    ]);
    let events = checked(run.assert_code(0).events());
    assert_eq!(of_kind(&events, "started")["task"], "changes");
    assert_eq!(of_kind(&events, "finished")["lines_added"], 1);
}

#[test]
fn an_error_is_the_last_event() {
    let env = TestEnv::with_test("exit 1");
    for (args, code, words) in [
        (
            &["reduce", "in.txt", "--json", "--test", "test.sh"][..],
            3,
            "does not hold",
        ),
        (
            &["reduce", "gone.txt", "--json", "--test", "test.sh"],
            1,
            "gone.txt",
        ),
        (
            &["reduce", "in.txt", "--json", "--exit", "often"],
            1,
            "often",
        ),
        (
            &["isolate", "in.txt", "in.txt", "--json", "--test", "test.sh"],
            1,
            "identical",
        ),
    ] {
        let run = env.run(args);
        let events = checked(run.assert_code(code).events());
        let last = events.last().unwrap();
        assert_eq!(last["event"], "error", "{last}");
        assert_eq!(last["exit_code"], code);
        assert_eq!(last["schema"], 2);
        assert!(last["message"].as_str().unwrap().contains(words), "{last}");
        assert!(
            run.stderr.starts_with("error: ") || run.stderr.contains("\nerror: "),
            "{run}"
        );
    }
    let run = env.reduce(["in.txt", "--json", "--test", "test.sh"]);
    let hints = run.events().last().unwrap()["hints"].clone();
    assert!(
        hints
            .as_array()
            .unwrap()
            .iter()
            .any(|hint| hint.as_str().unwrap().contains("repeat"))
    );
}

#[test]
fn a_command_line_after_the_dashes_does_not_ask_for_json() {
    let env = TestEnv::with_test("exit 1");
    let run = env.reduce(["gone.txt", "--", "tool", "--json"]);
    assert_eq!(run.assert_code(1).stdout, "");
}

#[test]
fn a_long_search_without_an_improvement_has_a_heartbeat() {
    // Only the input is interesting, so that there is no other event of progress.
    let script = "sleep 0.3; cmp -s \"$1\" \"$HERE/in.txt\"";
    let env = TestEnv::with_test(script);
    let run = env.reduce([
        "in.txt",
        "--json",
        "--jobs",
        "1",
        "--max-time",
        "8",
        "--test",
        "test.sh",
    ]);
    let events = checked(run.events());
    let beat = events.iter().find(|event| event["event"] == "progress");
    let beat = beat.unwrap_or_else(|| panic!("{run}"));
    assert_eq!(beat["bytes"], 49);
    assert!(beat["seconds"].as_f64() >= Some(5.0));
}
