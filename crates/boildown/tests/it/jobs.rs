//! The number of jobs changes the duration, never the result.

use serde_json::Value;

use crate::env::TestEnv;

/// Takes up to 20 ms, so that the order of the results varies.
const DAWDLE: &str = "sleep 0.0$(printf %02d $((RANDOM % 21)))";

/// Returns the result and the counts of the last event.
#[track_caller]
fn reduce(env: &TestEnv, name: &str, jobs: &str) -> (Vec<u8>, [Value; 3]) {
    let args = [
        name, "--output", jobs, "--jobs", jobs, "--json", "--test", "test.sh",
    ];
    let events = env.reduce(args).assert_code(0).events();
    let last = events.last().unwrap();
    let told = ["tests", "unresolved", "tokens_after"].map(|name| last[name].clone());
    (env.bytes(jobs), told)
}

/// Reduces the subject with one job and with eight. The condition is a bash condition; `$1` is the
/// candidate.
#[track_caller]
fn check(name: &str, content: &[u8], condition: &str) {
    let env = TestEnv::new()
        .file(name, content)
        .file(
            "test.sh",
            format!("#!/usr/bin/env bash\n{DAWDLE}\nexport LC_ALL=C\n{condition}\n"),
        )
        .mode("test.sh", 0o755);
    let (one, eight) = (reduce(&env, name, "1"), reduce(&env, name, "8"));
    assert_eq!(one.0, eight.0, "{}", one.0.escape_ascii());
    assert_eq!(one.1, eight.1);
    assert!(one.0.len() < content.len() / 2, "{}", one.0.escape_ascii());
}

#[test]
fn a_c_program_is_reduced_the_same_by_any_number_of_jobs() {
    check(
        "stack.c",
        include_bytes!("subjects/stack.c"),
        r#"grep -q 'push(' "$1" && grep -q 'depth' "$1" && [ $(grep -c return "$1") -ge 2 ]"#,
    );
}

#[test]
fn json_is_reduced_the_same_by_any_number_of_jobs() {
    check(
        "orders.json",
        include_bytes!("subjects/orders.json"),
        r#"grep -q '"sku"' "$1" && [ $(grep -o '"price": [0-9]*' "$1" | wc -l) -ge 2 ]  && grep -q paid "$1""#,
    );
}

#[test]
fn a_python_program_is_reduced_the_same_by_any_number_of_jobs() {
    check(
        "report.py",
        include_bytes!("subjects/report.py"),
        r#"grep -q 'yield' "$1" && grep -q 'total' "$1" && ! grep -qE '^[^ ]*:$' "$1" && grep -q '(' "$1""#,
    );
}

#[test]
fn a_plain_text_is_reduced_the_same_by_any_number_of_jobs() {
    // Unresolved for an odd number of lines.
    check(
        "server.log",
        include_bytes!("subjects/server.log"),
        r#"[ $(($(wc -l <"$1") % 2)) = 1 ] && exit 125; grep -q 'timeout' "$1" && grep -q 'retry 2' "$1""#,
    );
}

#[test]
fn a_binary_is_reduced_the_same_by_any_number_of_jobs() {
    // Records of a tag, a length, and that number of bytes.
    let mut binary = b"\x7fBIN\0\x01".to_vec();
    for record in 0..40_u8 {
        let length = record % 13;
        binary.extend([b'T' ^ (record % 5), 0, length]);
        binary.extend((0..length).map(|at| at.wrapping_mul(record).wrapping_add(record)));
    }
    check(
        "image.bin",
        &binary,
        r#"[ $(tr -dc 'T' <"$1" | wc -c) -ge 3 ] && grep -aq BIN "$1" && [ $(wc -c <"$1") -gt 20 ]"#,
    );
}
