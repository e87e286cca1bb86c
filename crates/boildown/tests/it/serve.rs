//! Clients of the service over HTTP.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::env::{FINDS_NEEDLE, HAYSTACK, SOON, TestEnv};

/// A service, and what its clients need.
struct Service {
    server: Child,
    address: String,
    token: String,
}

impl Service {
    fn start(env: &TestEnv, options: &[&str]) -> Self {
        let mut command = env.command();
        command.args(["serve", "farm", "--jobs", "1"]).args(options);
        let mut server = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        let (address, token) = line.split_once("  token in ").unwrap();
        assert_eq!(token.trim(), env.path("farm/token").to_str().unwrap());
        Self {
            server,
            address: address.trim_start_matches("http://").to_owned(),
            token: env.read("farm/token").trim().to_owned(),
        }
    }

    fn kill(mut self) {
        self.server.kill().unwrap();
        self.server.wait().unwrap();
    }

    /// Sends a request; returns its status and its body.
    fn ask(&self, request: &str, body: &str) -> (u16, String) {
        let token = format!("Authorization: Bearer {}\r\n", self.token);
        ask(&self.address, request, &token, body)
    }

    fn state(&self, request: &str, body: &str) -> Value {
        let (status, answer) = self.ask(request, body);
        assert!((200..300).contains(&status), "{status} {answer}");
        serde_json::from_str(&answer).unwrap()
    }

    /// Follows a job to its end; returns its events, and its state.
    fn follow(&self, job: i64) -> (Vec<Value>, Value) {
        let (status, events) = self.ask(&format!("GET /jobs/{job}/events"), "");
        assert_eq!(status, 200, "{events}");
        let data = events
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        let mut data: Vec<Value> = data
            .map(|data| serde_json::from_str(data).unwrap())
            .collect();
        assert!(events.contains("event: end\n"), "{events}");
        let end = data.pop().unwrap();
        (data, end)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.server.kill().ok();
        self.server.wait().ok();
    }
}

fn ask(address: &str, request: &str, headers: &str, body: &str) -> (u16, String) {
    let mut connection = TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(
        connection,
        "{request} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\
         Content-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    if !head.contains("transfer-encoding: chunked") {
        return (status, body.to_owned());
    }
    let mut whole = String::new();
    let mut rest = body;
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        whole += &after[..size];
        rest = &after[size + 2..];
    }
    (status, whole)
}

/// Returns a request to reduce [`HAYSTACK`] with this script.
fn needle(script: &str) -> String {
    let test = format!("#!/bin/sh\n{script}\n");
    json!({ "name": "in.txt", "content": HAYSTACK, "test": test }).to_string()
}

#[test]
fn a_client_posts_a_job_follows_it_and_reads_the_result() {
    let env = TestEnv::new();
    let service = Service::start(&env, &[]);
    let state = service.state("POST /jobs", &needle(FINDS_NEEDLE));
    assert_eq!(state["id"], 1);
    let (events, end) = service.follow(1);
    assert!(events.iter().any(|event| event["event"] == "started"));
    assert_eq!(events.last().unwrap()["event"], "finished");
    assert_eq!(end["state"], "finished");
    assert_eq!(end["end"]["one_minimal"], true);
    assert_eq!(service.state("GET /jobs/1", ""), end);
    assert_eq!(
        service.ask("GET /jobs/1/best", ""),
        (200, "needle".to_owned())
    );
    let (status, page) = service.ask("GET /jobs/1/page", "");
    assert!(status == 200 && page.contains("</html>"), "{page}");
    let command = json!({
        "name": "a.txt", "content_base64": "eAp5Cg==", "command": ["grep", "y", "{}"],
        "options": { "stdout": "y" },
    });
    service.state("POST /jobs", &command.to_string());
    let (_, end) = service.follow(2);
    assert_eq!(end["state"], "finished", "{end}");
    assert_eq!(service.ask("GET /jobs/2/best", "").1, "y");
    assert_eq!(service.ask("DELETE /jobs/1", "").0, 204);
    assert_eq!(service.ask("GET /jobs/1", "").0, 404);
    assert!(!env.exists("farm/jobs/1"));
    let jobs = service.state("GET /jobs", "");
    assert_eq!(jobs["jobs"][0]["id"], 2);
}

#[test]
fn what_a_client_may_not_do_is_refused() {
    let env = TestEnv::new();
    let service = Service::start(&env, &["--max-input", "1k", "--waiting", "1"]);
    let refused = |request: &str, body: &str, expected: (u16, &str)| {
        let (status, answer) = service.ask(request, body);
        assert_eq!(status, expected.0, "{answer}");
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let error = answer["error"].as_str().unwrap();
        assert!(error.contains(expected.1), "{error}");
    };
    refused("GET /jobs/7", "", (404, "there is no job 7"));
    refused("GET /jobs/x", "", (404, "a whole number"));
    refused("GET /", "", (404, "see /openapi.json"));
    refused("PUT /jobs", "", (405, "other methods"));
    refused("POST /jobs", "{", (400, "the body is no request: EOF"));
    let large = json!({ "name": "a", "content": "x".repeat(2000), "test": "t" }).to_string();
    refused("POST /jobs", &large, (413, "at most 1000 are taken"));
    let slow = needle("sleep 0.1; grep -q needle \"$1\"");
    service.state("POST /jobs", &slow);
    service.state("POST /jobs", &slow);
    refused("POST /jobs", &slow, (429, "1 jobs are waiting"));
    refused("DELETE /jobs/1", "", (409, "stop it first"));
    assert_eq!(service.state("POST /jobs/2/stop", "")["state"], "stopped");
    service.state("POST /jobs/1/stop", "");
    assert_eq!(service.follow(1).1["state"], "stopped");
    let (status, answer) = ask(&service.address, "GET /jobs", "", "");
    assert_eq!(status, 401, "{answer}");
    let (status, answer) = ask(&service.address, "GET /openapi.json", "", "");
    assert!(status == 200 && answer.contains("\"3.1.0\""), "{answer}");
    let second = env.run(["serve", "farm"]);
    second.assert_code(5).assert_says("failed to serve from");
}

#[test]
fn jobs_survive_a_service_that_is_killed() {
    let env = TestEnv::new();
    let service = Service::start(&env, &[]);
    let slow = needle("sleep 0.05; grep -q needle \"$1\"");
    service.state("POST /jobs", &slow);
    service.state("POST /jobs", &slow);
    let started = Instant::now();
    while service.state("GET /jobs/1", "")["bytes"].is_null() {
        assert!(started.elapsed() < SOON, "nothing was deleted");
        thread::sleep(Duration::from_millis(10));
    }
    service.kill();
    let service = Service::start(&env, &[]);
    let (events, end) = service.follow(1);
    assert_eq!(end["state"], "finished", "{end}");
    let starts = events.iter().filter(|event| event["event"] == "started");
    assert!(starts.count() >= 2, "{events:?}");
    assert!(end["end"]["recalled"].as_u64().unwrap() > 0, "{end}");
    assert_eq!(service.follow(2).1["state"], "finished");
    for job in [1, 2] {
        assert_eq!(
            service.ask(&format!("GET /jobs/{job}/best"), "").1,
            "needle"
        );
    }
}

#[test]
fn a_job_that_cannot_begin_says_why() {
    let env = TestEnv::new();
    let service = Service::start(&env, &[]);
    service.state("POST /jobs", &needle("false"));
    let (_, end) = service.follow(1);
    assert_eq!(end["state"], "failed");
    let message = end["end"]["message"].as_str().unwrap();
    assert!(message.contains("does not hold on the input"), "{message}");
    let wrong = json!({ "name": "a", "content": "x", "test": "t", "options": { "exit": "no" } });
    service.state("POST /jobs", &wrong.to_string());
    let (_, end) = service.follow(2);
    assert_eq!(end["state"], "failed", "{end}");
}

#[test]
fn many_clients_are_served_at_once() {
    let env = TestEnv::new();
    let service = Service::start(&env, &["--at-once", "2", "--max-tests", "5"]);
    thread::scope(|scope| {
        for _ in 0..60 {
            scope.spawn(|| {
                let job = service.state("POST /jobs", &needle(FINDS_NEEDLE))["id"].as_i64();
                let (_, end) = service.follow(job.unwrap());
                assert_eq!(end["end"]["event"], "finished", "{end}");
            });
        }
    });
    let jobs = service.state("GET /jobs", "");
    assert_eq!(jobs["jobs"].as_array().unwrap().len(), 60);
}

#[test]
fn each_option_of_a_job_is_one_of_reduce_and_other_users_cannot_read_the_jobs() {
    let env = TestEnv::new();
    let service = Service::start(&env, &[]);
    let description = service.state("GET /openapi.json", "");
    let request = &description["components"]["schemas"]["JobRequest"]["properties"];
    let options = request["options"]["propertyNames"]["enum"].as_array();
    let help = env.run(["reduce", "--help", "expert"]).stdout;
    for option in options.unwrap() {
        let option = format!("--{}", option.as_str().unwrap());
        let is_word =
            |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '-');
        let mut places = help.split(&option).skip(1);
        assert!(places.any(is_word), "{option}");
    }
    let mode = std::fs::metadata(env.path("farm/jobs"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
}
