//! The tools of the server: what they are called, what they take, and what they do.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use serde_json::{Value, json};

use super::messages::Refusal;
use crate::served_search::ServedSearch;

/// The most seconds that a call waits for the end of a job: clients give up after a minute.
const LONGEST_WAIT: f64 = 50.0;

/// How much of a result is returned, in bytes.
const MOST_TEXT: usize = 64 * 1024;

/// The jobs by their numbers, which begin at 1.
#[derive(Debug)]
pub(super) struct Toolbox {
    /// The program of boildown.
    pub(super) program: PathBuf,
    pub(super) jobs: Vec<ServedSearch>,
}

/// Returns the tools as the protocol describes them.
pub(super) fn described() -> &'static [Value] {
    static TOOLS: LazyLock<Vec<Value>> = LazyLock::new(|| {
        serde_json::from_str(include_str!("tools.json")).expect("the file is a list of tools")
    });
    &TOOLS
}

/// The arguments of a call, which are what the tool takes.
#[derive(Debug)]
struct Arguments<'a>(&'a Value);

impl<'a> Arguments<'a> {
    /// # Errors
    /// Says which argument is missing, unknown or of another kind.
    fn read(call: &'a Value, schema: &Value) -> Result<Self, Refusal> {
        const NONE: &Value = &Value::Null;
        let given = call.get("arguments").unwrap_or(NONE);
        let parameters = || schema["properties"].as_object().into_iter().flatten();
        let names = given.as_object().into_iter().flat_map(|given| given.keys());
        for name in names {
            if parameters().all(|(known, _)| known != name) {
                let known: Vec<&str> = parameters().map(|(known, _)| &**known).collect();
                let known = known.join(", ");
                return Err(Refusal::invalid(format!(
                    "there is no argument `{name}`: {known}"
                )));
            }
        }
        let required = schema["required"].as_array();
        for (name, parameter) in parameters() {
            let is_required = required.is_some_and(|all| all.iter().any(|it| it == name));
            let (fits, kind) = match (given.get(name), parameter["type"].as_str()) {
                (None, _) => (!is_required, "given"),
                (Some(value), Some("string")) => (value.is_string(), "a string"),
                (Some(value), Some("number")) => (value.is_number(), "a number"),
                (Some(value), _) => {
                    let words = value.as_array();
                    let are_words = words.is_some_and(|words| words.iter().all(Value::is_string));
                    (are_words, "an array of strings")
                }
            };
            if !fits {
                return Err(Refusal::invalid(format!("`{name}` has to be {kind}")));
            }
        }
        Ok(Self(given))
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        self.0.get(name)?.as_str()
    }

    fn words(&self, name: &str) -> Vec<String> {
        let words = self.0.get(name).and_then(Value::as_array);
        let words = words.into_iter().flatten().filter_map(Value::as_str);
        words.map(str::to_owned).collect()
    }

    fn wait(&self, usual: f64) -> Duration {
        let seconds = self.0.get("wait_seconds").and_then(Value::as_f64);
        Duration::from_secs_f64(seconds.unwrap_or(usual).clamp(0.0, LONGEST_WAIT))
    }
}

impl Toolbox {
    /// Calls a tool. What a tool fails at is a result too, so that the model sees it.
    ///
    /// # Errors
    /// The call names no tool, or its arguments are not what the tool takes.
    pub(super) fn call(&mut self, call: &Value) -> Result<Value, Refusal> {
        let name = call.get("name").and_then(Value::as_str).unwrap_or("");
        let Some(tool) = described().iter().find(|tool| tool["name"] == name) else {
            return Err(Refusal::invalid(format!("there is no tool `{name}`")));
        };
        let arguments = Arguments::read(call, &tool["inputSchema"])?;
        let result = match name {
            "reduce" | "changes" => self.start(name, &arguments),
            "status" => self.status(&arguments),
            "best" => self.best(&arguments),
            _ => self.stop(&arguments),
        };
        Ok(match result {
            Ok(told) => told,
            Err(message) => told(&message, true),
        })
    }

    fn start(&mut self, task: &str, arguments: &Arguments<'_>) -> Result<Value, String> {
        let directory = Path::new(arguments.text("directory").unwrap_or("."));
        let input = arguments.text("input").map(str::to_owned);
        let mut words = vec![task.to_owned()];
        words.extend(input.into_iter().chain(arguments.words("states")));
        words.extend(arguments.words("options"));
        words.push("--json".to_owned());
        let command = arguments.words("command");
        match command.first().map(String::as_str) {
            Some("--test" | "--") => {}
            _ => words.push("--".to_owned()),
        }
        words.extend(command);
        let search = ServedSearch::start(&self.program, &words, directory, |_| ())?;
        self.jobs.push(search);
        let job = self.jobs.len();
        self.told(job, arguments.wait(20.0))
    }

    fn status(&self, arguments: &Arguments<'_>) -> Result<Value, String> {
        self.told(number(arguments)?, arguments.wait(0.0))
    }

    fn stop(&self, arguments: &Arguments<'_>) -> Result<Value, String> {
        let job = number(arguments)?;
        self.job(job)?.stop();
        self.told(job, Duration::from_secs_f64(LONGEST_WAIT))
    }

    fn best(&self, arguments: &Arguments<'_>) -> Result<Value, String> {
        let job = self.job(number(arguments)?)?;
        let path: PathBuf = job.output().ok_or("the job has no result yet")?;
        if path.is_dir() {
            return Ok(told(&format!("a folder: {}", path.display()), false));
        }
        let bytes = fs::read(&path)
            .map_err(|error| format!("there is no result at {} yet: {error}", path.display()))?;
        let Ok(text) = std::str::from_utf8(&bytes) else {
            let message = format!("{} bytes, no text: {}", bytes.len(), path.display());
            return Ok(told(&message, false));
        };
        let mut ends = (0..=text.len().min(MOST_TEXT)).rev();
        let end = ends.find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let rest = text.len() - end;
        let cut = match rest {
            0 => String::new(),
            rest => format!("\n[{rest} more bytes: {}]", path.display()),
        };
        Ok(told(&format!("{}{cut}", &text[..end]), false))
    }

    /// Returns the state of a job, after a wait for its end.
    fn told(&self, number: usize, wait: Duration) -> Result<Value, String> {
        let job = self.job(number)?;
        job.wait(wait);
        let mut state = job.state().json();
        state["job"] = number.into();
        let mut result = told(&state.to_string(), job.has_failed());
        result["structuredContent"] = state;
        Ok(result)
    }

    fn job(&self, number: usize) -> Result<&ServedSearch, String> {
        let job = number.checked_sub(1).and_then(|index| self.jobs.get(index));
        job.ok_or_else(|| format!("there is no job {number}: {} were started", self.jobs.len()))
    }
}

/// Returns the number of the job that a call is about.
fn number(arguments: &Arguments<'_>) -> Result<usize, String> {
    let number = arguments.0.get("job").and_then(Value::as_u64);
    let number = number.and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| "`job` is a number that reduce or changes returned".to_owned())
}

/// Returns a text as the result of a call.
fn told(text: &str, is_error: bool) -> Value {
    json!({ "content": [{ "type": "text", "text": text }], "isError": is_error })
}
