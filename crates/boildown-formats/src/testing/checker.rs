//! The tools that check inputs of a format.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use crate::samples::Checker;

impl Checker {
    /// Returns the name of the first program.
    pub(super) fn name(&self) -> &'static str {
        self.programs[0].0[0]
    }

    /// Returns the programs, if all of them are installed.
    pub(super) fn installed(&self) -> Option<InstalledChecker> {
        let programs = self.programs.iter().map(|(names, arguments)| {
            let is_there = |name: &&&str| command(name).arg("--version").output().is_ok();
            let name = names.iter().find(is_there)?;
            Some((*name, *arguments))
        });
        Some(InstalledChecker {
            programs: programs.collect::<Option<_>>()?,
            divider: self.divider,
        })
    }
}

/// A checker whose programs are installed, each with its arguments.
pub(super) struct InstalledChecker {
    programs: Vec<(&'static str, &'static [&'static str])>,
    divider: Option<&'static str>,
}

impl InstalledChecker {
    /// Returns the position of an input that the programs reject.
    pub(super) fn first_rejected(&self, inputs: &[&[u8]]) -> Option<usize> {
        if let Some(divider) = self.divider {
            let divider = format!("\n{divider}\n");
            self.complaint(&inputs.join(divider.as_bytes()))?;
        }
        let is_rejected = |input: &&[u8]| self.complaint(input).is_some();
        inputs.iter().position(is_rejected)
    }

    /// Returns what the programs say about an input that they reject.
    pub(super) fn complaint(&self, input: &[u8]) -> Option<String> {
        let mut input = input.to_vec();
        for (program, arguments) in &self.programs {
            let output = run(program, arguments, &input);
            if !output.status.success() {
                let said = [output.stdout, output.stderr].concat();
                return Some(format!("{}: {}", program, String::from_utf8_lossy(&said)));
            }
            input = output.stdout;
        }
        None
    }
}

fn run(program: &str, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = command(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    // A program that rejects an input may not read all of it.
    drop(stdin.write_all(input));
    drop(stdin);
    child.wait_with_output().expect("the program ends")
}

#[expect(clippy::disallowed_methods, reason = "the tool of a format")]
fn command(program: &str) -> Command {
    Command::new(program)
}
