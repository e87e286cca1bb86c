//! A scripted client of the Model Context Protocol.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::env::{FINDS_NEEDLE, SOON, TestEnv};

/// A connection to `boildown mcp`.
struct Client {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    requests: u64,
}

impl Client {
    fn connect(env: &TestEnv) -> Self {
        let mut command = env.command();
        command
            .arg("mcp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let mut client = Self {
            input: server.stdin.take(),
            output: BufReader::new(server.stdout.take().unwrap()),
            server,
            requests: 0,
        };
        let version = json!({ "protocolVersion": "2025-06-18", "capabilities": {} });
        let welcome = client.ask("initialize", &version);
        assert_eq!(welcome["result"]["protocolVersion"], "2025-06-18");
        client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        client
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.say(&request.to_string());
        let answer = self.hear();
        assert_eq!(answer["id"], id);
        answer
    }

    /// Calls a tool; returns its text, and whether it says that it is an error.
    fn call(&mut self, tool: &str, arguments: &Value) -> (String, bool) {
        let answer = self.ask(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        );
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{answer}")).to_owned();
        (text, result["isError"] == true)
    }

    /// Calls a tool that returns the state of a job.
    fn state(&mut self, tool: &str, arguments: &Value) -> Value {
        let (text, _) = self.call(tool, arguments);
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"))
    }

    fn leave(mut self) {
        self.input = None;
        assert!(self.server.wait().unwrap().success());
    }
}

#[test]
fn a_client_reduces_a_file_and_reads_the_result() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    let mut client = Client::connect(&env);
    let tools = client.ask("tools/list", &json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(names, ["reduce", "changes", "status", "best", "stop"]);
    let arguments = json!({
        "input": "in.txt", "command": ["--test", "test.sh"], "options": ["-o", "it's small.txt"],
        "wait_seconds": 50,
    });
    let state = client.state("reduce", &arguments);
    assert_eq!(
        (&state["job"], &state["state"]),
        (&json!(1), &json!("finished"))
    );
    assert_eq!(state["end"]["one_minimal"], true);
    assert_eq!(
        client.call("best", &json!({ "job": 1 })),
        ("needle".to_owned(), false)
    );
    assert_eq!(env.read("it's small.txt"), "needle");
    client.leave();
}

#[test]
fn a_job_goes_on_until_it_is_stopped_and_keeps_the_best() {
    let env = TestEnv::with_test("sleep 0.2; grep -q needle \"$1\"");
    let mut client = Client::connect(&env);
    let arguments = json!({
        "input": "in.txt", "command": ["--test", "test.sh"], "options": ["--jobs", "1"],
        "wait_seconds": 0,
    });
    assert_eq!(client.state("reduce", &arguments)["state"], "running");
    // The first improvement is on disk before it is told.
    while client.state("status", &json!({ "job": 1 }))["bytes"].is_null() {
        thread::sleep(Duration::from_millis(20));
    }
    let state = client.state("stop", &json!({ "job": 1 }));
    assert_eq!(state["state"], "stopped", "{state}");
    let (best, _) = client.call("best", &json!({ "job": 1 }));
    assert!(best.contains("needle") && best.len() < 49, "{best}");
    client.leave();
}

#[test]
fn a_job_ends_with_a_server_that_was_killed() {
    let env = TestEnv::with_test("sleep 0.2; grep -q needle \"$1\"");
    let mut client = Client::connect(&env);
    let arguments = json!({
        "input": "in.txt", "command": ["--test", "test.sh"], "options": ["--jobs", "1"],
        "wait_seconds": 0,
    });
    client.state("reduce", &arguments);
    while client.state("status", &json!({ "job": 1 }))["bytes"].is_null() {
        thread::sleep(Duration::from_millis(20));
    }
    client.server.kill().unwrap();
    client.server.wait().unwrap();
    let explained = || env.run(["explain", "in.txt"]).stdout;
    let started = Instant::now();
    while !explained().contains("ended: interrupted") && started.elapsed() < SOON {
        thread::sleep(Duration::from_millis(50));
    }
    let explained = explained();
    assert!(explained.contains("ended: interrupted"), "{explained}");
}

#[test]
fn what_went_wrong_is_said_to_the_model() {
    let env = TestEnv::with_test("false");
    let mut client = Client::connect(&env);
    let arguments = json!({ "input": "in.txt", "command": ["--test", "test.sh"] });
    let (text, is_error) = client.call("reduce", &arguments);
    assert!(
        is_error && text.contains("the property does not hold on the input"),
        "{text}"
    );
    let (text, is_error) = client.call("status", &json!({ "job": 7 }));
    assert!(is_error && text.contains("there is no job 7"), "{text}");
    let answer = client.ask(
        "tools/call",
        &json!({ "name": "reduce", "arguments": { "file": 1 } }),
    );
    let message = answer["error"]["message"].to_string();
    assert!(message.contains("there is no argument `file`"), "{message}");
    client.say("no JSON");
    assert_eq!(client.hear()["error"]["code"], -32700);
    assert_eq!(
        client.ask("resources/list", &json!({}))["error"]["code"],
        -32601
    );
    client.leave();
}

#[test]
fn a_culprit_is_found_between_two_folders() {
    let env = TestEnv::new()
        .file("good/a.txt", "one\ntwo\nthree\n")
        .file("bad/a.txt", "one\n2\nthree\nfour\n");
    let mut client = Client::connect(&env);
    let arguments = json!({
        "states": ["good", "bad"], "command": ["sh", "-c", "! grep -q four a.txt"],
        "wait_seconds": 50,
    });
    let state = client.state("changes", &arguments);
    assert_eq!(state["state"], "finished", "{state}");
    assert!(state["end"].to_string().contains("four"), "{state}");
    client.leave();
}
