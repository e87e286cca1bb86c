//! The recipes of the guide: each is run, and leaves and prints what it says.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::env::TestEnv;

/// A fenced block, with the paragraph before it.
struct Block<'a> {
    before: &'a str,
    kind: &'a str,
    text: &'a str,
}

/// Returns the blocks of a section.
fn blocks(section: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut rest = section;
    while let Some((before, after)) = rest.split_once("\n```") {
        let (kind, text) = after.split_once('\n').unwrap();
        let (text, end) = text.split_once("```\n").unwrap();
        let before = before.trim_end().rsplit("\n\n").next().unwrap();
        blocks.push(Block { before, kind, text });
        rest = end;
    }
    blocks
}

/// Returns the file that a paragraph names first: "`order.txt` holds …".
fn file(paragraph: &str) -> Option<&str> {
    paragraph.split('`').nth(1)
}

/// Runs a recipe: writes the files before each command, and compares those after it.
#[track_caller]
fn follow(section: &str) {
    let mut env = TestEnv::new();
    let mut has_run = false;
    for block in blocks(section) {
        match (block.kind, file(block.before)) {
            ("console", _) => {
                run(&env, block.text);
                has_run = true;
            }
            (_, Some(name)) if has_run => assert_eq!(env.read(name), block.text),
            ("sh", Some(name)) => env = env.file(name, block.text).mode(name, 0o755),
            (_, Some(name)) => env = env.file(name, block.text),
            (kind, None) => panic!("a block of {kind} without a file: {}", block.text),
        }
    }
    assert!(has_run, "no command in {section}");
}

/// Runs the command of a block, and checks that it prints the other lines.
#[track_caller]
fn run(env: &TestEnv, text: &str) {
    let mut lines = text.lines();
    let line = lines.next().unwrap().strip_prefix("$ ").unwrap();
    let boildown = env.command();
    let folder = Path::new(boildown.get_program()).parent().unwrap();
    let path = format!("PATH={}:$PATH; {line}", folder.display());
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", &path])
        .current_dir(env.path(""))
        .env_clear();
    for (name, value) in boildown.get_envs() {
        value.map(|value| shell.env(name, value));
    }
    let output = shell.output().unwrap();
    let all = [output.stdout, output.stderr].concat();
    let all = String::from_utf8_lossy(&all);
    assert!(output.status.success(), "{line}\n{all}");
    for expected in lines {
        assert!(
            all.contains(expected.trim_end()),
            "no `{expected}` in\n{all}"
        );
    }
}

#[test]
fn every_recipe_for_lists_works_as_it_says() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/lists.md");
    let guide = fs::read_to_string(guide).unwrap();
    let mut sections = guide.split("\n## ").skip(1).peekable();
    assert!(sections.peek().is_some(), "no recipe");
    sections.for_each(follow);
}
