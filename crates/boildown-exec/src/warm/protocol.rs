//! The protocol of a harness: lines of JSON.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine as _, alphabet};
use serde_json::{Map, Value, json};

use crate::spawn::{Invocation, Stdin};
use boildown_oracle::{Capture, Outcome};

/// The version of the protocol, which a harness states first.
const VERSION: u64 = 1;

/// Returns the request to run this candidate, or `None` when a path or a word is not UTF-8.
pub(super) fn request(
    id: u64,
    invocation: &Invocation,
    candidate: &Path,
    output_limit: usize,
) -> Option<Vec<u8>> {
    let mut words = vec![invocation.program.to_str()?];
    for word in &invocation.args {
        words.push(word.to_str()?);
    }
    let mut environment = Map::new();
    if let Some(tmp) = &invocation.tmp {
        environment.insert("TMPDIR".to_owned(), tmp.to_str()?.into());
    }
    for (name, value) in &invocation.env {
        environment.insert(name.to_str()?.to_owned(), value.to_str()?.into());
    }
    let stdin = match &invocation.stdin {
        Stdin::Null => None,
        Stdin::File(path) => Some(path.to_str()?),
    };
    let request = json!({
        "id": id,
        "candidate": candidate.to_str()?,
        "command": words,
        "directory": invocation.current_dir.to_str()?,
        "environment": environment,
        "stdin": stdin,
        "output": invocation.capture == Capture::Output,
        "output_limit": output_limit,
    });
    Some(format!("{request}\n").into_bytes())
}

/// Returns the same as fields, as `zygote.c` describes them; `None` when one has a zero byte.
pub(super) fn fields(id: u64, invocation: &Invocation, output_limit: usize) -> Option<Vec<u8>> {
    let mut fields = vec![
        id.to_string().into_bytes(),
        u8::from(invocation.capture == Capture::Output)
            .to_string()
            .into_bytes(),
        output_limit.to_string().into_bytes(),
        invocation.current_dir.as_os_str().as_bytes().to_vec(),
        match &invocation.stdin {
            // An empty field would end the request.
            Stdin::Null => b"/dev/null".to_vec(),
            Stdin::File(path) => path.as_os_str().as_bytes().to_vec(),
        },
    ];
    let tmp = (invocation.tmp.iter()).map(|tmp| (OsStr::new("TMPDIR"), tmp.as_os_str()));
    let env = invocation.env.iter();
    let env = env.map(|(name, value)| (name.as_os_str(), value.as_os_str()));
    for (name, value) in tmp.chain(env) {
        fields.push([name.as_bytes(), b"=", value.as_bytes()].concat());
    }
    fields.push(Vec::new());
    let is_sayable = |field: &Vec<u8>| !field.contains(&0);
    fields.iter().all(is_sayable).then(|| {
        let ended = fields.iter().flat_map(|field| field.iter().chain(&[0]));
        ended.copied().collect()
    })
}

/// Returns the longest answer with two streams of this size: each byte is escaped as `\u00ff`.
pub(super) fn longest_answer(output_limit: usize) -> usize {
    output_limit.saturating_add(128).saturating_mul(2 * 6) + 4096
}

/// What a harness says about a run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HarnessAnswer {
    /// How the run ended, and its output.
    Ran {
        outcome: Outcome,
        stdout: Vec<u8>,
        stderr: Vec<u8>,
    },
    /// Why the harness cannot run candidates.
    Refused(String),
}

/// Checks the first line of a harness.
pub(super) fn check_greeting(line: &[u8]) -> Result<(), String> {
    let greeting: Value = serde_json::from_slice(line).map_err(|_| {
        let start = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
        format!("its first line is not {{\"boildown\": {VERSION}}} but `{start}`")
    })?;
    match greeting["boildown"].as_u64() {
        Some(VERSION) => Ok(()),
        _ => Err(format!("it does not speak version {VERSION}")),
    }
}

/// Reads the answer to the request with this id.
pub(super) fn answer(line: &[u8], id: u64, capture: Capture) -> Result<HarnessAnswer, String> {
    let answer: Value = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    if answer["id"].as_u64() != Some(id) {
        return Err("it answers another request".to_owned());
    }
    if let Some(error) = answer["error"].as_str() {
        return Ok(HarnessAnswer::Refused(error.to_owned()));
    }
    let number = |name: &str| Some(i32::try_from(answer[name].as_i64()?).ok());
    let outcome = match (number("exit"), number("signal")) {
        (Some(Some(code @ 0..=255)), None) => Outcome::Exited(code),
        (None, Some(Some(signal @ 1..=127))) => Outcome::Signalled(signal),
        _ => return Err("it says neither an exit code nor a signal".to_owned()),
    };
    let stream = |name: &str| match capture {
        Capture::Nothing => Ok(Vec::new()),
        Capture::Output => stream(&answer, name).ok_or(format!("it does not say the {name}")),
    };
    Ok(HarnessAnswer::Ran {
        outcome,
        stdout: stream("stdout")?,
        stderr: stream("stderr")?,
    })
}

fn stream(answer: &Value, name: &str) -> Option<Vec<u8>> {
    match answer[name].as_str() {
        Some(text) => Some(text.as_bytes().to_vec()),
        None => BASE64
            .decode(answer[format!("{name}_base64")].as_str()?)
            .ok(),
    }
}

/// The usual alphabet of base64, with or without `=` at the end.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, answer_or_fault: &Result<HarnessAnswer, &str>) {
        let found = answer(line.as_bytes(), 7, Capture::Output);
        assert_eq!(
            found.as_ref().map_err(String::as_str),
            answer_or_fault.as_ref().map_err(|text| *text)
        );
    }

    fn ran(outcome: Outcome, stdout: &[u8]) -> Result<HarnessAnswer, &'static str> {
        let (stdout, stderr) = (stdout.to_vec(), Vec::new());
        Ok(HarnessAnswer::Ran {
            outcome,
            stdout,
            stderr,
        })
    }

    #[test]
    fn an_answer_is_an_exit_code_or_a_signal_with_the_output() {
        check(
            r#"{"id": 7, "exit": 3, "stdout": "a\n", "stderr": ""}"#,
            &ran(Outcome::Exited(3), b"a\n"),
        );
        check(
            r#"{"id": 7, "signal": 11, "stdout_base64": "/wBh", "stderr": "", "more": []}"#,
            &ran(Outcome::Signalled(11), b"\xff\0a"),
        );
        let refused = HarnessAnswer::Refused("no".to_owned());
        check(r#"{"id": 7, "error": "no"}"#, &Ok(refused));
    }

    #[test]
    fn an_answer_that_lacks_something_is_a_fault() {
        check(
            r#"{"id": 6, "exit": 0}"#,
            &Err("it answers another request"),
        );
        let neither = "it says neither an exit code nor a signal";
        check(r#"{"id": 7}"#, &Err(neither));
        check(r#"{"id": 7, "exit": 256}"#, &Err(neither));
        check(r#"{"id": 7, "exit": 0, "signal": 9}"#, &Err(neither));
        check(
            r#"{"id": 7, "exit": 0, "stderr": ""}"#,
            &Err("it does not say the stdout"),
        );
        check(
            r#"{"id": 7, "exit": 0, "stdout_base64": "?", "stderr": ""}"#,
            &Err("it does not say the stdout"),
        );
        assert!(answer(b"segfault", 7, Capture::Nothing).is_err());
    }

    #[test]
    fn a_greeting_states_the_version() {
        assert!(check_greeting(br#"{"boildown": 1, "name": "x"}"#).is_ok());
        assert!(check_greeting(br#"{"boildown": 2}"#).is_err());
        assert!(check_greeting(b"Usage: tool FILE").is_err());
    }
}
