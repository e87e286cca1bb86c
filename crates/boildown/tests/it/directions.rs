//! Options about the result and the passes.

use crate::env::{FINDS_NEEDLE, TestEnv};

const PROGRAM: &str = "\
int a;
int b = 2;
int c; // boildown: keep
int f(int x) {
    return x + needle;
}
";

#[test]
fn parts_to_keep_are_in_the_result() {
    let env = TestEnv::with_test(FINDS_NEEDLE).file("in.c", PROGRAM);
    let wanted = ["--keep", "2", "--keep", r"\breturn\b"];
    let finished = env.reduce([&["in.c", "--test", "test.sh"], &wanted[..]].concat());
    finished
        .assert_code(0)
        .assert_says("1-minimal with restrictions: no single token can be removed, nor a node whose removal parses (except for the parts to keep)");
    let result = env.read("in.min.c");
    let lines: Vec<&str> = result.lines().map(str::trim).collect();
    assert!(lines.contains(&"int b = 2;"), "{result}");
    assert!(lines.contains(&"int c; // boildown: keep"), "{result}");
    assert!(
        result.contains("return") && result.contains("needle"),
        "{result}"
    );
    assert!(!result.contains("int a"), "{result}");
}

#[test]
fn an_invalid_part_to_keep_is_explained() {
    let env = TestEnv::with_test(FINDS_NEEDLE).file("in.c", PROGRAM);
    for (wanted, complaint) in [
        (
            "9-10",
            "invalid value of `--keep 9-10`: the input has lines 1 to 6",
        ),
        ("int z;", "the input does not match it"),
        ("(", "not a regular expression"),
    ] {
        let finished = env.reduce(["in.c", "--test", "test.sh", "--keep", wanted]);
        finished.assert_code(1).assert_says(complaint);
    }
}

#[test]
fn without_all_passes_minimality_is_not_verified() {
    let env = TestEnv::with_test(FINDS_NEEDLE).file("in.c", PROGRAM);
    let with = |passes: &str| {
        let passes = format!("--passes={passes}");
        env.reduce(["in.c", "--json", "--test", "test.sh", &passes])
    };
    let passes = |of: &str| -> Vec<String> {
        let events = with(of).assert_code(0).events();
        let pass = |event: &serde_json::Value| Some(event.get("name")?.as_str()?.to_owned());
        events
            .iter()
            .filter(|event| event["event"] == "pass")
            .filter_map(pass)
            .collect()
    };
    assert!(passes("tree").iter().all(|name| name == "tree"));
    let without = passes("-rewriting,-coarse-tree");
    assert!(
        without
            .iter()
            .all(|name| !name.starts_with("rewriting") && name != "coarse tree"),
        "{without:?}"
    );
    let last = |of: &str| with(of).events().pop().unwrap_or_default();
    assert!(last("tree")["claim"].is_null());
    assert_eq!(last("-rewriting-widths")["claim"]["units"], "tokens");
    with("trees")
        .assert_code(1)
        .assert_says("unknown pass `trees` for in.c");
    with("tree,-tokens")
        .assert_code(1)
        .assert_says("cannot both name passes to run and passes to skip");
}

#[test]
fn the_layout_and_names_follow_the_options() {
    let program = "int other;\n\n\nint f(int number) {\n        char *text = \"long words\";\n        return   number + needle;\n}\n";
    let test = "#!/bin/sh\ngrep -q 'return.*needle;' in.c && grep -q 'int f(int [a-z]*)' in.c && grep -q '\"[a-z]' in.c\n";
    let env = TestEnv::with_test(test).file("in.c", program);
    let result = |options: &[&str]| {
        let finished = env.reduce([&["in.c", "--force", "--test", "test.sh", "--passes=-tree,-fine-tree,-coarse-tree,-neighbours,-tokens,-nodes,-delimiters,-unused"], options].concat());
        finished.assert_code(0);
        let result = env.read("in.min.c");
        // A smaller result of another command would be kept.
        std::fs::remove_file(env.path("in.min.c")).unwrap();
        result
    };
    let tidy = result(&["--passes=-rewriting"]);
    assert!(
        tidy.starts_with("int other;\nint f(int number) {\n"),
        "{tidy}"
    );
    assert!(
        tidy.contains("        return number + needle;\n}\n"),
        "{tidy}"
    );
    assert!(tidy.contains("long words"), "{tidy}");
    let compact = result(&["--compact"]);
    assert!(
        !compact.contains(['\n', '\t']) && !compact.contains("  "),
        "{compact}"
    );
    assert!(compact.contains("int f(int number)"), "{compact}");
    // An algorithm that does not ask about the last element of a list.
    let by_ddmin = result(&["--compact", "--algorithm=ddmin"]);
    assert_eq!(by_ddmin, compact);
    let renamed = result(&["--rename"]);
    assert!(
        renamed.contains("int f(int ") && !renamed.contains("number"),
        "{renamed}"
    );
    assert!(
        renamed.contains("needle") && !renamed.contains("long words"),
        "{renamed}"
    );
}
