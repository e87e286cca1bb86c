//! Grammars of the user: shared libraries that are loaded with `--grammar`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::env::TestEnv;

/// Returns the folder with the C sources of a grammar that is a dependency of boildown.
fn sources_of_a_grammar() -> PathBuf {
    let cargo = |args: &[&str]| {
        let output = Command::new(env!("CARGO"))
            .args(args)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        output
    };
    // What other systems need may not be there.
    let version = String::from_utf8(cargo(&["-vV"]).stdout).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let args = [
        "metadata",
        "--format-version=1",
        "--locked",
        "--filter-platform",
        host.unwrap(),
    ];
    let output = cargo(&args);
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages
        .iter()
        .find(|package| package["name"] == "tree-sitter-json")
        .unwrap();
    let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap());
    manifest.with_file_name("src")
}

/// Compiles a C file to a shared library in the environment.
fn compile(env: &TestEnv, source: &str, library: &str) {
    let include = sources_of_a_grammar();
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-O0", "-o", library, source, "-I"])
        .arg(include)
        .current_dir(env.path(""))
        .status()
        .unwrap();
    assert!(status.success());
}

const INPUT: &str = "[1, {\"a\": [2, 3], \"needle\": 4}, [5, [6, 7]], 8]\n";

/// Returns an environment with a library of JSON's grammar, for files that are not called so.
fn with_grammar() -> TestEnv {
    let env = TestEnv::with_test("grep -q needle \"$1\"").file("in.notation", INPUT);
    let parser = sources_of_a_grammar().join("parser.c");
    compile(&env, parser.to_str().unwrap(), "libtree-sitter-json.so");
    env
}

/// The options of a description of the language, and of its library.
const OWN: [&str; 4] = [
    "--grammar",
    "libtree-sitter-json.so",
    "--language-file",
    "notation.toml",
];

#[test]
fn a_grammar_of_the_user_divides_the_input() {
    let env = with_grammar()
        .file(
            "notation.toml",
            "name = 'Notation'\nextensions = ['notation']\nrules = ['own.rules']\n",
        )
        .file(
            "own.rules",
            "rule an array becomes its element\n    [$A]  ~>  $A\n    example: [1]  ~>  1\n",
        );
    let args = ["in.notation", "--test", "test.sh", "--json"];
    let finished = env.reduce(args.iter().chain(&OWN));
    finished.assert_code(0);
    let events = finished.events();
    let started = events.iter().find(|event| event["event"] == "started");
    assert_eq!(started.unwrap()["language"], "Notation");
    // As blocks, it is divided in another way, which takes more tests.
    let tests = |events: &[serde_json::Value]| events.last().unwrap()["tests"].as_u64().unwrap();
    let own = tests(&events);
    let blocks = env.reduce(args.iter().chain(&["--fresh"]));
    assert!(own <= tests(&blocks.assert_code(0).events()), "{own}");
    let checked = env.run(["languages", "--check", "in.notation"].iter().chain(&OWN));
    checked.assert_code(0);
    assert_eq!(checked.stdout, "Notation, syntax errors: 0\n");
}

#[test]
fn a_run_resumes_with_the_same_grammar_only() {
    let env = with_grammar().file("notation.toml", "name = 'Notation'\n");
    let args = ["in.notation", "--test", "test.sh"];
    env.reduce(args.iter().chain(&OWN)).assert_code(0);
    env.reduce(args.iter().chain(&OWN))
        .assert_code(0)
        .assert_says("resumed");
    let env = env.file("notation.toml", "name = 'Notation'\nindented = true\n");
    env.reduce(args.iter().chain(&OWN))
        .assert_code(0)
        .assert_says("--grammar and --language-file");
}

#[test]
fn a_library_that_is_no_grammar_is_an_error_that_names_the_mistake() {
    let env = with_grammar()
        .file(
            "crash.c",
            "const void *tree_sitter_crash(void) { __builtin_trap(); }\n",
        )
        .file(
            "old.c",
            "const void *tree_sitter_old(void) {\n\
             static const unsigned version[64] = {99};\nreturn version;\n}\n",
        )
        .file("text.so", "no library\n");
    compile(&env, "crash.c", "crash.so");
    compile(&env, "old.c", "old.so");
    for (library, message) in [
        ("missing.so", "there is no such file"),
        ("text.so", "failed to load the grammar text.so"),
        (
            "old.so:tree_sitter_new",
            "it has no function `tree_sitter_new`",
        ),
        (
            "crash.so",
            "parsing in.notation with it was killed by SIGILL",
        ),
        ("old.so", "generated for another version of tree-sitter"),
        (
            "libtree-sitter-json.so",
            "there is a language `json` already",
        ),
    ] {
        let args = ["in.notation", "--test", "test.sh", "--grammar", library];
        env.reduce(args).assert_code(1).assert_says(message);
        assert!(!env.exists("in.min.notation"), "{library}");
    }
    assert_eq!(fs::read_to_string(env.path("in.notation")).unwrap(), INPUT);
}
