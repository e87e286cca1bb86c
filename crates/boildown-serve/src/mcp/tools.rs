//! The tools of the server: what they are called, what they take, and what they do.

use std::fs;
use std::path::{Path, PathBuf};
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

/// What a tool takes.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Words,
    Number,
}

/// A parameter of a tool.
#[derive(Debug, Clone, Copy)]
struct Parameter {
    name: &'static str,
    kind: Kind,
    is_required: bool,
    description: &'static str,
}

const fn required(name: &'static str, kind: Kind, description: &'static str) -> Parameter {
    Parameter {
        name,
        kind,
        is_required: true,
        description,
    }
}

const fn optional(name: &'static str, kind: Kind, description: &'static str) -> Parameter {
    Parameter {
        name,
        kind,
        is_required: false,
        description,
    }
}

const JOB: Parameter = required("job", Kind::Number, "the number of the job");

const WAIT: Parameter = optional(
    "wait_seconds",
    Kind::Number,
    "how long to wait for the end before answering, at most 50; the default is 20 to start a job, \
     and 0 otherwise",
);

const DIRECTORY: Parameter = optional(
    "directory",
    Kind::Text,
    "the directory in which boildown is started; the default is that of the server",
);

/// Each tool with what it says about itself, and what it takes.
const TOOLS: [(&str, &str, &[Parameter]); 5] = [
    (
        "reduce",
        "Starts a job that makes a file or folder as small as possible while a command still fails \
         on it in the same way. The input is not changed: the result is a file of its own. Returns \
         the number of the job and its state.",
        &[
            required("input", Kind::Text, "the path of the file or folder"),
            required(
                "command",
                Kind::Words,
                "the command that fails, a word each; the word {} stands for the input, or the \
                 input's own name. Or the words [\"--test\", SCRIPT]: a script that exits with 0 if \
                 the input is interesting",
            ),
            optional(
                "options",
                Kind::Words,
                "options of `boildown reduce`, such as [\"--stderr\", \"REGEX\"], [\"--max-time\", \
                 \"5m\"], [\"--until\", \"plateau\"]",
            ),
            DIRECTORY,
            WAIT,
        ],
    ),
    (
        "changes",
        "Starts a job that finds the change that broke something: the commit, and in it the files, \
         hunks and lines, between a state that is good and one that is bad. The work tree is not \
         touched. Returns the number of the job and its state.",
        &[
            required(
                "states",
                Kind::Words,
                "[\"GOOD..BAD\"], two revisions of git; or the paths of two folders",
            ),
            required(
                "command",
                Kind::Words,
                "the command that fails on the bad state, a word each",
            ),
            optional(
                "options",
                Kind::Words,
                "options of `boildown changes`, such as [\"--build\", \"make\"]",
            ),
            DIRECTORY,
            WAIT,
        ],
    ),
    (
        "status",
        "Returns the state of a job: running, finished, stopped or failed; how large the best result \
         is, and at the end what was found and what it guarantees.",
        &[JOB, WAIT],
    ),
    (
        "best",
        "Returns the text of the best result of a job so far.",
        &[JOB],
    ),
    (
        "stop",
        "Stops a job. The best result stays, and the same call of reduce or changes continues from \
         there later.",
        &[JOB],
    ),
];

/// Returns the tools as the protocol describes them.
pub(super) fn described() -> Vec<Value> {
    let tools = TOOLS.iter().map(|(name, description, parameters)| {
        let mut properties = json!({});
        for parameter in *parameters {
            let mut schema = match parameter.kind {
                Kind::Text => json!({ "type": "string" }),
                Kind::Words => json!({ "type": "array", "items": { "type": "string" } }),
                Kind::Number => json!({ "type": "number" }),
            };
            schema["description"] = parameter.description.into();
            properties[parameter.name] = schema;
        }
        let required = parameters.iter().filter(|parameter| parameter.is_required);
        let required: Vec<&str> = required.map(|parameter| parameter.name).collect();
        json!({
            "name": name,
            "description": description,
            "inputSchema": {
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            },
        })
    });
    tools.collect()
}

/// The arguments of a call, which are what the tool takes.
#[derive(Debug)]
struct Arguments<'a>(&'a Value);

impl<'a> Arguments<'a> {
    /// # Errors
    /// Says which argument is missing, unknown or of another kind.
    fn read(call: &'a Value, parameters: &[Parameter]) -> Result<Self, Refusal> {
        const NONE: &Value = &Value::Null;
        let given = call.get("arguments").unwrap_or(NONE);
        let names = given.as_object().into_iter().flat_map(|given| given.keys());
        for name in names {
            if parameters.iter().all(|parameter| parameter.name != name) {
                let known: Vec<&str> = parameters.iter().map(|known| known.name).collect();
                let known = known.join(", ");
                return Err(Refusal::invalid(format!(
                    "there is no argument `{name}`: {known}"
                )));
            }
        }
        for parameter in parameters {
            let (fits, kind) = match (given.get(parameter.name), parameter.kind) {
                (None, _) => (!parameter.is_required, "given"),
                (Some(value), Kind::Text) => (value.is_string(), "a string"),
                (Some(value), Kind::Number) => (value.is_number(), "a number"),
                (Some(value), Kind::Words) => {
                    let words = value.as_array();
                    let are_words = words.is_some_and(|words| words.iter().all(Value::is_string));
                    (are_words, "an array of strings")
                }
            };
            if !fits {
                let name = parameter.name;
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
        let seconds = self.0.get(WAIT.name).and_then(Value::as_f64);
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
        let tool = TOOLS.iter().find(|(known, ..)| *known == name);
        let Some((name, _, parameters)) = tool else {
            return Err(Refusal::invalid(format!("there is no tool `{name}`")));
        };
        let arguments = Arguments::read(call, parameters)?;
        let result = match *name {
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
    let number = arguments.0.get(JOB.name).and_then(Value::as_u64);
    let number = number.and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| "`job` is a number that reduce or changes returned".to_owned())
}

/// Returns a text as the result of a call.
fn told(text: &str, is_error: bool) -> Value {
    json!({ "content": [{ "type": "text", "text": text }], "isError": is_error })
}
