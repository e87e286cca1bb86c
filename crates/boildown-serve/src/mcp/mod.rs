//! A server of the Model Context Protocol over standard input and output: JSON-RPC 2.0, a message a
//! line (`messages.rs`).
//!
//! Its tools (`tools.rs`) start other processes of boildown with `--json`, and tell what these said
//! so far: a job continues while the client does something else.

mod messages;
mod tools;

use std::io::{self, BufRead, Read as _};
use std::path::Path;

use messages::{Answer, Message};
use tools::Toolbox;

/// The longest message that is read, in bytes.
const LONGEST_MESSAGE: u64 = 16 << 20;

/// Serves a client with processes of this program until it closes the connection. Jobs that still
/// run are stopped then; their best results are on disk. Each answer is one line of JSON.
///
/// # Errors
/// Those of the input.
pub fn serve_mcp(
    program: &Path,
    mut input: impl BufRead,
    mut answered: impl FnMut(&str),
) -> io::Result<()> {
    let mut toolbox = Toolbox {
        program: program.to_owned(),
        jobs: Vec::new(),
    };
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut input)
            .take(LONGEST_MESSAGE)
            .read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = match Message::read(&line) {
            Ok(message) => answer(&message, &mut toolbox),
            Err(error) => Some(error),
        };
        if let Some(answer) = answer {
            answered(&answer.json().to_string());
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
