//! The messages of JSON-RPC 2.0, and the beginning of a conversation.

use serde_json::{Value, json};

/// The versions of the protocol that the server speaks, the newest first. What it uses of them is
/// the same in all.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// What the server says about itself to the model that uses it.
const INSTRUCTIONS: &str = "boildown makes a failing input as small as possible while it still \
    fails in the same way (reduce), and finds the change that broke something (changes). Both \
    start a job and return its number; a job may take seconds or hours. Ask for its state with \
    status, read the best result so far with best, end it with stop. Reduce before you read a \
    large failing input.";

/// A request, or a notification, which has no id.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) id: Option<Value>,
    pub(super) method: String,
    pub(super) params: Value,
}

/// The answer to a request.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) id: Value,
    pub(super) result: Result<Value, Refusal>,
}

/// Why a request was refused.
#[derive(Debug)]
pub(super) struct Refusal {
    code: i32,
    message: String,
}

impl Refusal {
    pub(super) fn unknown_method(method: &str) -> Self {
        Self {
            code: -32601,
            message: format!("there is no method `{method}`"),
        }
    }

    /// A mistake in the parameters, such as a tool that does not exist.
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self {
            code: -32602,
            message: message.into(),
        }
    }
}

impl Message {
    /// Reads a line.
    ///
    /// # Errors
    /// The answer that says what is wrong with it.
    pub(super) fn read(line: &[u8]) -> Result<Self, Answer> {
        let refused = |id: Value, code, message: String| Answer {
            id,
            result: Err(Refusal { code, message }),
        };
        let value: Value = serde_json::from_slice(line)
            .map_err(|error| refused(Value::Null, -32700, format!("no JSON: {error}")))?;
        let id = value.get("id").filter(|id| !id.is_null()).cloned();
        let Some(method) = value.get("method").and_then(Value::as_str) else {
            let id = id.unwrap_or_default();
            return Err(refused(id, -32600, "a request has a `method`".to_owned()));
        };
        Ok(Self {
            id,
            method: method.to_owned(),
            params: value.get("params").cloned().unwrap_or_default(),
        })
    }
}

impl Answer {
    /// Returns the answer as one line of JSON.
    pub(super) fn json(&self) -> Value {
        let id = &self.id;
        match &self.result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(Refusal { code, message }) => {
                let error = json!({ "code": code, "message": message });
                json!({ "jsonrpc": "2.0", "id": id, "error": error })
            }
        }
    }
}

/// Returns the answer to `initialize`: in the client's version of the protocol, if it is known.
pub(super) fn welcome(params: &Value) -> Value {
    let wanted = params.get("protocolVersion").and_then(Value::as_str);
    let version = wanted.filter(|wanted| VERSIONS.contains(wanted));
    json!({
        "protocolVersion": version.unwrap_or(VERSIONS[0]),
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "boildown", "version": env!("CARGO_PKG_VERSION") },
        "instructions": INSTRUCTIONS,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Message, String> {
        Message::read(line.as_bytes()).map_err(|answer| answer.json().to_string())
    }

    #[test]
    fn a_message_without_an_id_is_a_notification() {
        let message = read(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        assert_eq!(message.map(|message| message.id), Ok(None));
    }

    #[test]
    fn what_is_wrong_with_a_message_is_said() {
        let error = read("{").expect_err("it is no JSON");
        assert!(
            error.contains("-32700") && error.contains("\"id\":null"),
            "{error}"
        );
        let error = read(r#"{"id":7}"#).expect_err("it has no method");
        assert!(
            error.contains("-32600") && error.contains("\"id\":7"),
            "{error}"
        );
    }

    #[test]
    fn the_version_is_that_of_the_client_if_it_is_known() {
        let version = |wanted: &str| {
            let welcome = welcome(&json!({ "protocolVersion": wanted }));
            welcome["protocolVersion"].as_str().map(str::to_owned)
        };
        assert_eq!(version("2024-11-05").as_deref(), Some("2024-11-05"));
        assert_eq!(version("1999-01-01").as_deref(), Some(VERSIONS[0]));
    }
}
