//! The report as SARIF 2.1.0, which code scanning tools read.

use serde_json::{Value, json};

use super::content::{Report, fingerprint};
use super::github::{level, relative};
use crate::report::format::count;

/// The rules: the kinds of failures, with what they mean.
const RULES: &[(&str, &str)] = &[
    ("memory", "A memory error, or undefined behaviour"),
    ("internal", "An internal error of a compiler"),
    ("assertion", "An assertion that failed"),
    ("signal", "The end of the program by a signal"),
    ("panic", "A panic, or an error of the runtime of a language"),
    ("exception", "An exception that nothing catches"),
    (
        "limit",
        "The use of more memory or processes than the limit",
    ),
    ("hang", "A run past the time limit"),
    ("error", "The end of the program with an error message"),
];

/// Returns the report as a SARIF log with one run. Each group is a result.
pub(super) fn log(report: &Report<'_>) -> Value {
    let rules = RULES.iter().map(|(id, text)| {
        json!({
            "id": id,
            "shortDescription": { "text": text },
        })
    });
    let results: Vec<Value> = report
        .groups()
        .map(|(_, group, file)| {
            let key = group.key();
            let rule = key.kind_name();
            let index = RULES.iter().position(|(id, _)| *id == rule);
            let example = json!({
                "physicalLocation": { "artifactLocation": { "uri": uri(&file.to_string_lossy()) } },
                "message": { "text": "The smallest input that fails in this way" },
            });
            let location = match &group.position {
                Some(position) => {
                    let mut region = json!({ "startLine": position.line });
                    if let Some(column) = position.column.filter(|column| *column > 0) {
                        region["startColumn"] = column.into();
                    }
                    json!({ "physicalLocation": {
                        "artifactLocation": { "uri": uri(&relative(&position.file)) },
                        "region": region,
                    } })
                }
                None => example.clone(),
            };
            let inputs = count(group.members.len(), "input");
            let mut result = json!({
                "ruleId": rule,
                "level": level(key.class()),
                "message": { "text": format!("{key} ({inputs})") },
                "locations": [location],
                "relatedLocations": [example],
                "occurrenceCount": group.members.len().max(1),
                "partialFingerprints": { "failure/v1": fingerprint(&key.to_string()) },
                "properties": {
                    "verified": group.is_verified(),
                    "bytes": group.example.len(),
                },
            });
            if let Some(index) = index {
                result["ruleIndex"] = index.into();
            }
            if let Some(form) = &group.form {
                result["partialFingerprints"]["canonicalForm/v1"] = fingerprint(form).into();
            }
            result
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "boildown",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Vec<_>>(),
            } },
            "invocations": [{
                "commandLine": report.command.line,
                "executionSuccessful": !report.is_interrupted,
            }],
            "results": results,
        }],
    })
}

/// Returns a path as a URI reference. An absolute path gets a scheme.
fn uri(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let mut text = String::new();
    if path.starts_with('/') {
        text += "file://";
    }
    for byte in path.bytes() {
        match is_plain(byte) {
            true => text.push(char::from(byte)),
            false => text += &format!("%{byte:02X}"),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_uri_reference() {
        assert_eq!(uri("src/a b.c"), "src/a%20b.c");
        assert_eq!(uri("/x/é:1"), "file:///x/%C3%A9%3A1");
    }
}
