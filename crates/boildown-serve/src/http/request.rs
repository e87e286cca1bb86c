//! Requests for reductions: an input, a property, and options that reach nothing beside the job.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::config::Quotas;

/// The options of `boildown reduce` that a job may have. None of them names a file, opens the
/// sandbox, or takes more than the quotas give.
#[rustfmt::skip]
pub(super) const OPTIONS: [&str; 26] = [
    "also", "at-least", "confirm-runs", "differs-from", "exit", "flaky", "hangs", "keep",
    "language", "loose", "maximize", "measure", "minimize", "no-network", "not-stderr",
    "ok-if-minimal", "passes", "redact", "stderr", "stdin", "stdout", "strict", "timeout",
    "units", "until", "valid",
];

/// The longest name of an input, in bytes.
const LONGEST_NAME: usize = 200;

/// Where a job has what the words of its command name, seen from the folder of its input.
pub(super) const TEST: &str = "../test";
pub(super) const BEST: &str = "../best";

/// A request for a reduction.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JobRequest {
    /// The name of the input, which tells its language.
    name: String,
    content: Option<String>,
    content_base64: Option<String>,
    /// The command that fails on the input.
    command: Option<Vec<String>>,
    /// A script that exits with 0 if a candidate is interesting, in the place of the command.
    test: Option<String>,
    #[serde(default)]
    options: BTreeMap<String, OptionValue>,
    seconds: Option<u64>,
    tests: Option<u64>,
}

/// The value of an option.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OptionValue {
    Switch(bool),
    Number(serde_json::Number),
    Text(String),
    Texts(Vec<String>),
}

/// A request that can be served.
#[derive(Debug)]
pub(super) struct CheckedRequest {
    pub(super) name: String,
    pub(super) content: Vec<u8>,
    pub(super) test: Option<String>,
    /// The words after `boildown`.
    pub(super) words: Vec<String>,
}

/// Why a request is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RefusedRequest {
    /// The status of the answer.
    pub(super) status: u16,
    pub(super) message: String,
}

impl RefusedRequest {
    pub(super) fn new(status: u16, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
        }
    }
}

impl CheckedRequest {
    /// Reads and checks the body of a request.
    ///
    /// # Errors
    /// What is wrong with it, and what is possible.
    pub(super) fn read(body: &[u8], quotas: &Quotas) -> Result<Self, RefusedRequest> {
        let wrong = |message: String| RefusedRequest::new(400, message);
        let request: JobRequest = serde_json::from_slice(body)
            .map_err(|error| wrong(format!("the body is no request: {error}")))?;
        check_name(&request.name).map_err(wrong)?;
        let content = match (&request.content, &request.content_base64) {
            (Some(text), None) => text.clone().into_bytes(),
            (None, Some(encoded)) => STANDARD
                .decode(encoded)
                .map_err(|error| wrong(format!("`content_base64` is no Base64: {error}")))?,
            _ => {
                let message = "an input is `content`, a text, or `content_base64`";
                return Err(wrong(message.to_owned()));
            }
        };
        if content.len() as u64 > quotas.input {
            let limit = quotas.input;
            let message = format!(
                "the input has {} bytes: at most {limit} are taken",
                content.len()
            );
            return Err(RefusedRequest::new(413, message));
        }
        let words = request.words(quotas).map_err(wrong)?;
        Ok(Self {
            name: request.name,
            content,
            test: request.test,
            words,
        })
    }
}

impl JobRequest {
    /// Returns the words after `boildown`.
    fn words(&self, quotas: &Quotas) -> Result<Vec<String>, String> {
        let mut words = vec!["reduce".to_owned(), "--json".to_owned()];
        let mut add = |name: &str, value: &str| words.push(format!("--{name}={value}"));
        add("output", BEST);
        add("jobs", &quotas.runs.to_string());
        let seconds = self.seconds.unwrap_or(quotas.seconds).min(quotas.seconds);
        add("max-time", &format!("{seconds}s"));
        let tests = self.tests.into_iter().chain(quotas.tests).min();
        if let Some(tests) = tests {
            add("max-tests", &tests.to_string());
        }
        if let Some(memory) = &quotas.memory {
            add("memory", memory);
        }
        for (name, value) in &self.options {
            if !OPTIONS.contains(&name.as_str()) {
                let known = OPTIONS.join(", ");
                return Err(format!("a job cannot have the option `{name}`: {known}"));
            }
            match value {
                OptionValue::Switch(true) => words.push(format!("--{name}")),
                OptionValue::Switch(false) => {}
                OptionValue::Number(value) => words.push(format!("--{name}={value}")),
                OptionValue::Text(value) => words.push(format!("--{name}={value}")),
                OptionValue::Texts(values) => {
                    words.extend(values.iter().map(|value| format!("--{name}={value}")));
                }
            }
        }
        let input = self.name.clone();
        match (&self.command, &self.test) {
            (None, Some(_)) => words.extend([format!("--test={TEST}"), input]),
            (Some(command), None) if !command.is_empty() => {
                words.extend([input, "--".to_owned()]);
                words.extend(command.iter().cloned());
            }
            _ => {
                let message = "a property is `command`, the words of a command that fails on the \
                               input, or `test`, the text of a script";
                return Err(message.to_owned());
            }
        }
        let is_text = |word: &String| !word.contains('\0');
        match words.iter().all(is_text) {
            true => Ok(words),
            false => Err("a word of a command has no NUL".to_owned()),
        }
    }
}

/// # Errors
/// What a name has to be.
fn check_name(name: &str) -> Result<(), String> {
    let mut components = Path::new(name).components();
    let is_one = matches!(components.next(), Some(Component::Normal(_)))
        && components.next().is_none()
        && !name.contains('/');
    let is_plain = !name.starts_with(['-', '.']) && !name.contains(char::is_control);
    match is_one && is_plain && name.len() <= LONGEST_NAME {
        true => Ok(()),
        false => Err(format!(
            "`name` is the name of a file without a folder, such as in.c, of at most {LONGEST_NAME} \
             bytes; it does not begin with a dot or a hyphen"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<CheckedRequest, (u16, String)> {
        let quotas = Quotas {
            input: 10,
            waiting: 1,
            seconds: 60,
            tests: Some(100),
            runs: 2,
            memory: Some("1G".to_owned()),
        };
        CheckedRequest::read(body.as_bytes(), &quotas)
            .map_err(|refusal| (refusal.status, refusal.message))
    }

    #[test]
    fn a_command_has_its_quotas_and_options() {
        let request = read(
            r#"{"name": "a.c", "content": "x", "command": ["cc", "a.c"], "seconds": 5, "tests": 7000,
                "options": {"stderr": ["a", "-b"], "flaky": true, "strict": false}}"#,
        );
        let words = request.unwrap().words.join(" ");
        assert_eq!(
            words,
            "reduce --json --output=../best --jobs=2 --max-time=5s --max-tests=100 --memory=1G \
             --flaky --stderr=a --stderr=-b a.c -- cc a.c"
        );
    }

    #[test]
    fn a_script_takes_the_place_of_a_command() {
        let request = read(r#"{"name": "a", "content_base64": "AAE=", "test": "exit 0"}"#).unwrap();
        assert_eq!(request.content, [0, 1]);
        assert_eq!(request.words[2..4], ["--output=../best", "--jobs=2"]);
        assert_eq!(request.words[6..], ["--memory=1G", "--test=../test", "a"]);
    }

    #[test]
    fn what_reaches_beyond_the_job_is_refused() {
        for (status, fields) in [
            (400, r#""name": "../a", "content": "x", "test": "t""#),
            (400, r#""name": ".boildown", "content": "x", "test": "t""#),
            (400, r#""name": "-o", "content": "x", "test": "t""#),
            (400, r#""name": "a/", "content": "x", "test": "t""#),
            (400, r#""name": "", "content": "x", "test": "t""#),
            (400, r#""name": "a", "content": "x""#),
            (
                400,
                r#""name": "a", "content": "x", "test": "t", "command": ["c"]"#,
            ),
            (400, r#""name": "a", "content": "x", "command": []"#),
            (
                400,
                r#""name": "a", "content": "x", "command": ["a\u0000"]"#,
            ),
            (400, r#""name": "a", "test": "t""#),
            (400, r#""name": "a", "content_base64": "*", "test": "t""#),
            (413, r#""name": "a", "content": "12345678901", "test": "t""#),
            (
                400,
                r#""name": "a", "content": "x", "test": "t", "output": "b""#,
            ),
            (
                400,
                r#""name": "a", "content": "x", "test": "t", "options": {"output": "b"}"#,
            ),
            (
                400,
                r#""name": "a", "content": "x", "test": "t", "options": {"no-sandbox": true}"#,
            ),
        ] {
            let refused = read(&format!("{{{fields}}}")).map_err(|(status, _)| status);
            assert_eq!(refused.unwrap_err(), status, "{fields}");
        }
    }
}
