//! `boildown mcp`: reductions and culprit searches for a program that works with tools, such as the
//! agent of an editor.
//!
//! A server of the Model Context Protocol over standard input and output: JSON-RPC 2.0, a message a
//! line (`messages.rs`). Its tools (`tools.rs`) start other processes of boildown with `--json`,
//! and tell what these said so far (`job.rs`): a job continues while the client does something
//! else.

mod job;
mod messages;
mod tools;

use std::io::{self, BufRead as _, Read as _};

use crate::error::{CliError, ExitKind};
use crate::stdout;
use messages::{Answer, Message};
use tools::Toolbox;

/// The longest message that is read, in bytes.
const LONGEST_MESSAGE: u64 = 16 << 20;

/// Serves the client at the other end of standard input and output until it closes the connection.
/// Jobs that still run are stopped then; their best results are on disk.
pub(crate) fn run() -> Result<ExitKind, CliError> {
    let mut toolbox = Toolbox::default();
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut input)
            .take(LONGEST_MESSAGE)
            .read_until(b'\n', &mut line);
        let read = read.map_err(|error| {
            CliError::new(ExitKind::CannotRun, "failed to read standard input").because(error)
        })?;
        if read == 0 {
            return Ok(ExitKind::Reduced);
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = match Message::read(&line) {
            Ok(message) => answer(&message, &mut toolbox),
            Err(error) => Some(error),
        };
        if let Some(answer) = answer {
            stdout::write(format!("{}\n", answer.json()).as_bytes());
        }
    }
}

/// Returns the answer to a message; `None` for a notification.
fn answer(message: &Message, toolbox: &mut Toolbox) -> Option<Answer> {
    let result = match message.method.as_str() {
        "initialize" => Ok(messages::welcome(&message.params)),
        "ping" => Ok(serde_json::json!({})),
        "tools/list" => Ok(serde_json::json!({ "tools": tools::described() })),
        "tools/call" => toolbox.call(&message.params),
        method => Err(messages::Refusal::unknown_method(method)),
    };
    let id = message.id.clone()?;
    Some(Answer { id, result })
}
