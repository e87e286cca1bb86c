//! Texts of stores, programs and file names that try to control what shows them.

use std::fs;
use std::process::Command;

use rusqlite::Connection;
use serde_json::Value;

use crate::env::TestEnv;

/// Control characters, ends of elements and lines, commands of CI services, markup, substitutions
/// of shells, changes of direction.
const HOSTILE: &str = "\x1b]0;x\x07\x1b[2J</pre><script>alert(1)</script>\r\nboildown: forged\n\
    ::error file=x::y%0A`a`|b|\u{202e}\u{9b}31m'\"$(touch owned)";

/// Fails on texts with a needle, with a hostile message.
const PRINTS_IT: &str = r#"cat "$HERE/hostile" >&2; grep -q needle "$1" && exit 3"#;

/// Checks that a text controls nothing and that no line of it is forged.
#[track_caller]
fn check(what: &str, text: &str) {
    check_controls(what, text);
    for line in text.lines() {
        let is_forged = line.starts_with("boildown: ") || line.starts_with("::error file=x");
        assert!(!is_forged, "{what}: {text}");
    }
}

/// Checks that a text has no controls and changes no direction.
#[track_caller]
fn check_controls(what: &str, text: &str) {
    assert!(!text.is_empty(), "{what}");
    let controls = |letter: &char| letter.is_control() && !matches!(letter, '\n' | '\t');
    let found = text.chars().find(controls);
    assert_eq!(found, None, "{what}: {text}");
    assert!(!text.contains('\u{202e}'), "{what}: {text}");
}

/// Makes the strings hostile that a reader of the event does not compare with known words.
fn spoil(value: &mut Value) {
    match value {
        Value::String(text) => text.push_str(HOSTILE),
        Value::Array(values) => values.iter_mut().for_each(spoil),
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_word = [
                    "event",
                    "kind",
                    "arguments",
                    "directory",
                    "language",
                    "units",
                ];
                if !is_word.contains(&name.as_str()) {
                    spoil(value);
                }
            }
        }
        _ => {}
    }
}

/// Makes each text of a store hostile.
fn spoil_store(database: &Connection) {
    let texts = "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c \
                 WHERE t.type = 'table' AND c.type = 'TEXT' \
                 AND t.name || '.' || c.name NOT IN ('identity.what', 'ends.event', 'ends.json', \
                 'sessions.ending', 'verdicts.outcome', 'baseline.outcome', 'provenance.name')";
    let mut columns = database.prepare(texts).unwrap();
    let columns = columns.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let columns: Vec<(String, String)> = columns.unwrap().map(Result::unwrap).collect();
    assert!(columns.len() > 8, "{columns:?}");
    for (table, column) in columns {
        let update = format!("UPDATE {table} SET {column} = {column} || ?1");
        database.execute(&update, [HOSTILE]).unwrap();
    }
    let further = "INSERT INTO identity VALUES (?1, ?1)";
    database.execute(further, [HOSTILE]).unwrap();
    let mut events = database.prepare("SELECT event, json FROM ends").unwrap();
    let events = events.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let events: Vec<(String, String)> = events.unwrap().map(Result::unwrap).collect();
    assert_eq!(events.len(), 2);
    for (event, json) in events {
        let mut json: Value = serde_json::from_str(&json).unwrap();
        spoil(&mut json);
        if event == "finished" {
            json["changed_form"] = serde_json::json!({
                "step": 1, "steps": 2, "bytes": 9,
                "before": HOSTILE, "after": HOSTILE, "kept": HOSTILE,
            });
        }
        let update = "UPDATE ends SET json = ?2 WHERE event = ?1";
        database
            .execute(update, [&event, &json.to_string()])
            .unwrap();
    }
}

#[test]
fn every_text_of_a_store_is_escaped_wherever_it_is_shown() {
    let env = TestEnv::new()
        .file("hostile", HOSTILE)
        .file("in.txt", format!("one\nneedle\n{HOSTILE}\n"))
        .script("tool", PRINTS_IT);
    env.reduce(["in.txt", "--yes", "--exit", "3", "--", "./tool", "in.txt"])
        .assert_code(0);
    let stores = fs::read_dir(env.path(".boildown/in.min.txt")).unwrap();
    let mut stores = stores.map(|entry| entry.unwrap().path());
    let store = stores.find(|path| path.extension().is_some_and(|extension| extension == "db"));
    let store = store.unwrap();
    let database = Connection::open(&store).unwrap();
    spoil_store(&database);
    drop(database);

    let shown = |args: &[&str]| {
        let run = env.run(args.iter().copied().chain([store.to_str().unwrap()]));
        run.assert_code(0);
        run.stdout.clone()
    };
    for args in [&["explain"][..], &["history"]] {
        let run = env.run(args);
        run.assert_code(0);
        check(args[0], &run.stdout);
    }
    check(
        "Markdown",
        &outside_of_fences(&shown(&["report", "--format", "markdown"])),
    );
    let json = shown(&["report", "--format", "json"]);
    check("JSON", &json);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert!(json["changed_form"]["before"].as_str() == Some(HOSTILE));

    shown(&["report", "-o", "page.html"]);
    let page = env.read("page.html");
    check_controls("page", &page);
    assert!(!page.contains("<script>alert") && !page.contains("</pre><script"));

    shown(&["report", "--bug", "-o", "bug"]);
    check("README", &outside_of_fences(&env.read("bug/README.md")));
    for script in ["interesting.sh", "reproduce.sh"] {
        check(script, &env.read(format!("bug/{script}")));
        let parsed = Command::new("sh")
            .arg("-n")
            .arg(env.path("bug").join(script))
            .status();
        assert!(parsed.unwrap().success());
    }
    assert!(!env.exists("owned") && !env.exists("bug/owned"));
}

/// Returns the lines of Markdown that are in no code block.
fn outside_of_fences(text: &str) -> String {
    let mut fence: Option<&str> = None;
    let mut outside = String::new();
    for line in text.lines() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => outside = outside + line + "\n",
        }
    }
    assert_eq!(fence, None, "{text}");
    outside
}

#[test]
fn file_names_and_messages_of_a_reduction_control_no_terminal() {
    let name = "in\x1b[2J\nboildown: forged\u{202e}.txt";
    let env = TestEnv::new()
        .file("hostile", HOSTILE)
        .file(name, "one\nneedle\ntwo\n")
        .script("tool", PRINTS_IT);
    let run = env.reduce([name, "--yes", "--verbose", "--", "./tool", name]);
    check("summary", &run.assert_code(0).stderr);
    for command in ["explain", "history"] {
        check(command, &env.run([command]).assert_code(0).stdout);
    }
    let run = env.reduce([name, "--json", "--fresh", "--", "./tool", name]);
    check("events", &run.assert_code(0).stdout);
    run.events();
    let wrong = env.reduce([name, &format!("--no-such-option{HOSTILE}")]);
    check("usage", &wrong.assert_code(1).stderr);
}

#[test]
fn a_failure_of_a_triage_is_escaped_in_each_format() {
    let asan = r#"printf '==1==ERROR: AddressSanitizer: SEGV on unknown address\n    #0 0x1 in '
cat "$HERE/hostile"
exit 1"#;
    let env = TestEnv::new()
        .file(
            "hostile",
            HOSTILE.replace('\n', " ") + " src/a%0A::error::.c:3:1\n",
        )
        .file("crashes/a\x1b[2J\nboildown: forged.txt", "one\n")
        .script("tool", asan);
    let triage = ["triage", "crashes", "--no-reduce", "--format"];
    for format in ["text", "json", "sarif", "github"] {
        let run = env.run(triage.iter().chain(&[format, "--", "./tool", "{}"]));
        check(format, &run.assert_code(0).stdout);
        check(format, &run.stderr);
        match format {
            "json" | "sarif" => drop(serde_json::from_str::<Value>(&run.stdout).unwrap()),
            "github" => assert_eq!(run.stdout.lines().count(), 1, "{run}"),
            _ => {}
        }
    }
    let page = env.read("crashes.triage/triage.html");
    check_controls("page", &page);
    assert!(!page.contains("<script>alert"));
    check("report", &env.read("crashes.triage/triage.json"));
}
