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
    let paragraph = match tool(paragraph) {
        Some(_) => paragraph.splitn(3, '`').nth(2)?,
        None => paragraph,
    };
    paragraph.split('`').nth(1)
}

/// Returns the program that a recipe needs: "It needs `cargo`."
fn tool(text: &str) -> Option<&str> {
    text.split_once("It needs `")?.1.split('`').next()
}

/// Runs a recipe: writes the files before each command, and compares those after it. Skips it when
/// the tool that it needs is not there.
#[track_caller]
#[expect(clippy::print_stderr, reason = "a test that was not done says so")]
fn follow(section: &str) {
    let mut env = TestEnv::new();
    let is_there = |tool| {
        let version = shell(&env, &format!("{tool} --version")).output();
        version.is_ok_and(|run| run.status.success())
    };
    if let Some(tool) = tool(section)
        && !is_there(tool)
    {
        eprintln!("skipped: there is no {tool}");
        return;
    }
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

/// Returns a shell that runs this line, with boildown among the programs.
fn shell(env: &TestEnv, line: &str) -> Command {
    let boildown = env.command();
    let folder = Path::new(boildown.get_program()).parent().unwrap();
    // Cargo runs the tests; the one in `PATH` may need the home directory of the user.
    let cargo = Path::new(env!("CARGO")).parent().unwrap();
    let (folder, cargo) = (folder.display(), cargo.display());
    let line = format!("PATH={folder}:{cargo}:$PATH; {line}");
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", &line])
        .current_dir(env.path(""))
        .env_clear();
    for (name, value) in boildown.get_envs() {
        value.map(|value| shell.env(name, value));
    }
    shell
}

/// Runs the command of a block, and checks that it prints the other lines.
#[track_caller]
fn run(env: &TestEnv, text: &str) {
    let mut lines = text.lines();
    let line = lines.next().unwrap().strip_prefix("$ ").unwrap();
    let output = shell(env, line).output().unwrap();
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

/// Runs the recipes of a page.
#[track_caller]
fn follow_all(page: &str) {
    let guides = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide");
    let guide = fs::read_to_string(guides.join(page)).unwrap();
    let mut sections = guide.split("\n## ").skip(1).peekable();
    assert!(sections.peek().is_some(), "no recipe");
    sections.for_each(follow);
}

#[test]
fn every_recipe_for_lists_works_as_it_says() {
    follow_all("lists.md");
}

#[test]
fn every_recipe_for_folders_works_as_it_says() {
    follow_all("folders.md");
}

#[test]
fn every_recipe_for_dependencies_works_as_it_says() {
    follow_all("dependencies.md");
}

#[test]
fn the_bot_answers_a_member_who_asks_and_nobody_else() {
    let env = TestEnv::new();
    let bot = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bot");
    let event = fs::read_to_string(bot.join("event.json")).unwrap();
    let answer = |event: &str| {
        fs::write(env.path("event.json"), event).unwrap();
        let line = format!(
            "python3 {} event.json",
            bot.join("reduce_issue.py").display()
        );
        let output = shell(&env, &line).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let answered = answer(&event);
    assert!(answered.starts_with("# crash.c: 74 → "), "{answered}");
    assert!(answered.contains("```c\nreturn x\n```"), "{answered}");
    let of_a_browser = answer(&event.replace(r"\n", r"\r\n"));
    assert!(
        of_a_browser.contains("```c\nreturn x\n```"),
        "{of_a_browser}"
    );
    assert_eq!(answer(&event.replace("MEMBER", "NONE")), "");
    assert_eq!(answer(&event.replace("/reduce", "reduce")), "");
    let unquoted = answer(&event.replace("x' crash.c\\\" sh", "x' crash.c sh"));
    assert!(unquoted.contains("No closing quotation"), "{unquoted}");
    let without_block = answer(&event.replace("```", ""));
    assert!(without_block.contains("no code block"), "{without_block}");
}
