//! The scripts of a bug report. They need a POSIX shell and the command, and nothing of boildown.

use std::fmt::Write as _;

use boildown_oracle::shell::quote_text;

use super::pattern::GrepPattern;

/// A command of a script.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BugCommand {
    /// The words; the parts of a word are joined.
    pub words: Vec<Vec<ScriptPart>>,
    /// Whether the test case is its standard input.
    pub reads_case: bool,
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptPart {
    /// The same for every test case.
    Text(String),
    /// The path of the test case.
    CasePath,
    /// The base name of the test case.
    CaseName,
    /// A file in the folder of the bug report.
    Enclosed(String),
    /// The path of the home directory.
    Home,
    /// A path in the directory of the run, which holds the test case.
    InRun(String),
    /// The items of the test case: a word for each, or all of them in a word of other parts.
    Items,
}

/// What a test case is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum CaseForm {
    /// A file.
    #[default]
    File,
    /// A file of items, one on each line.
    Lines,
    /// A file of items with white space between them.
    Words,
    /// A folder. A run has it under its name, and begins in this directory beside or in it.
    Folder(String),
    /// Several files, in a folder. The directory of a run has the same files, and a run begins in
    /// this directory of it.
    Files(String),
}

impl CaseForm {
    fn is_folder(&self) -> bool {
        matches!(self, Self::Folder(_) | Self::Files(_))
    }

    /// Returns the word of the usage.
    fn noun(&self) -> &'static str {
        if self.is_folder() { "folder" } else { "file" }
    }
}

/// What has to hold of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptCheck {
    /// The exit status, as a shell sees it.
    Status(i32),
    /// An exit status other than 0.
    Fails,
    /// It was killed by a signal.
    Signal,
    /// Standard output matches.
    Stdout(GrepPattern),
    /// Standard error matches.
    Stderr(GrepPattern),
    /// Standard error does not match.
    NotStderr(GrepPattern),
    /// It runs longer than the time limit.
    Hangs,
}

/// What both scripts are made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BugScripts {
    /// The base name of the test case.
    pub name: String,
    /// What the test case is.
    pub form: CaseForm,
    /// The command.
    pub command: BugCommand,
    /// What has to hold of its run.
    pub checks: Vec<ScriptCheck>,
    /// Further commands, and whether each has to succeed or to fail.
    pub extra: Vec<(BugCommand, bool)>,
    /// The time limit of a run, in seconds.
    pub seconds: u64,
    /// The property in words, a line for each expectation.
    pub property: String,
}

/// Returns the script that exits with 0 when a test case has the property.
pub fn interesting(scripts: &BugScripts) -> String {
    let mut text = "#!/bin/sh\n# Exits with 0 when a test case shows the failure:\n".to_owned();
    for line in scripts.property.lines() {
        writeln!(text, "#   {}", comment(line)).ok();
    }
    writeln!(
        text,
        "# Usage: interesting.sh [{0}]\n# The test case is {0}, or {1} in the current directory.\n# Written by boildown; needs nothing of it.",
        scripts.form.noun().to_uppercase(),
        comment(&scripts.name)
    )
    .ok();
    text += &prelude(scripts, "$PWD/$name");
    let hangs = scripts.checks.contains(&ScriptCheck::Hangs);
    text += &run(&scripts.command);
    text += match hangs {
        true => "[ -f \"$work/late\" ] || exit 1\n",
        false => "[ ! -f \"$work/late\" ] || exit 1\n",
    };
    for check in &scripts.checks {
        text += &match check {
            ScriptCheck::Status(status) => format!("[ \"$status\" -eq {status} ] || exit 1\n"),
            ScriptCheck::Fails => "[ \"$status\" -ne 0 ] || exit 1\n".to_owned(),
            ScriptCheck::Signal => "[ \"$status\" -gt 128 ] || exit 1\n".to_owned(),
            ScriptCheck::Stdout(pattern) => grep(pattern, "stdout", "||"),
            ScriptCheck::Stderr(pattern) => grep(pattern, "stderr", "||"),
            ScriptCheck::NotStderr(pattern) => grep(pattern, "stderr", "&&"),
            ScriptCheck::Hangs => continue,
        };
    }
    for (command, succeeds) in &scripts.extra {
        text += &run(command);
        text += "[ ! -f \"$work/late\" ] || exit 1\n";
        let operator = if *succeeds { "-eq" } else { "-ne" };
        writeln!(text, "[ \"$status\" {operator} 0 ] || exit 1").ok();
    }
    text + "exit 0\n"
}

/// Returns the script that runs the command on the test case and prints what it does.
pub fn reproduce(scripts: &BugScripts) -> String {
    let mut text = format!(
        "#!/bin/sh\n# Runs the command on {}, alone in a fresh directory, and prints how it ends.\n# Written by boildown; needs nothing of it.\n",
        comment(&scripts.name)
    );
    text += &prelude(scripts, "$here/$name");
    text += &run(&scripts.command);
    text += "cat \"$work/stdout\"\ncat \"$work/stderr\" >&2\n";
    text += "if [ -f \"$work/late\" ]; then\n";
    writeln!(
        text,
        "    echo \"still running after {} s: killed\"",
        scripts.seconds
    )
    .ok();
    text += "else\n    echo \"exit status $status\"\nfi\n";
    text
}

/// Returns what comes before the runs: the directory, and a function that runs a command for a
/// limited time.
fn prelude(scripts: &BugScripts, default: &str) -> String {
    format!(
        r#"name={name}
here=$(cd "$(dirname "$0")" && pwd) || exit 2
export here
case ${{1:-}} in
    '') case_file={default} ;;
    /*) case_file=$1 ;;
    *) case_file=$PWD/$1 ;;
esac
if [ ! {is} "$case_file" ]; then
    echo "$0: there is no {noun} $case_file" >&2
    exit 2
fi
work=${{TMPDIR:-/tmp}}/bug-report-$$
(umask 077 && mkdir "$work" "$work/case") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM

# Runs a command in a fresh directory with the test case, for {seconds} seconds at most. Sets status;
# makes the file late when the time was not enough. The guard ends by itself: a signal to a subshell
# that has just started may get lost.
runs=0
run() {{
    input=$1
    shift
    runs=$((runs + 1))
    rm -rf "$work/case" "$work/late"
    mkdir "$work/case" && {copy} || exit 2
    cd "$work/case"{directory} || exit 2
    "$@" <"$input" >"$work/stdout" 2>"$work/stderr" &
    command=$!
    (
        trap - EXIT HUP INT TERM
        left={seconds}
        while [ "$left" -gt 0 ]; do
            sleep 1
            [ -d "$work" ] && [ ! -f "$work/done-$runs" ] || exit 0
            left=$((left - 1))
        done
        : >"$work/late"
        kill -9 "$command"
    ) </dev/null >/dev/null 2>&1 &
    status=0
    wait "$command" 2>/dev/null || status=$?
    : >"$work/done-$runs"
    cd "$here" || exit 2
}}

{items}"#,
        is = if scripts.form.is_folder() { "-d" } else { "-f" },
        noun = scripts.form.noun(),
        copy = copy(&scripts.form),
        directory = directory(&scripts.form),
        items = items(&scripts.form),
        seconds = scripts.seconds.max(1),
        name = quote_text(&scripts.name)
    )
}

/// Returns the command that copies the test case to where a run has it.
fn copy(form: &CaseForm) -> &'static str {
    match form {
        CaseForm::File | CaseForm::Lines | CaseForm::Words => {
            "cp \"$case_file\" \"$work/case/$name\""
        }
        CaseForm::Folder(_) => {
            "mkdir \"$work/case/$name\" && cp -R \"$case_file/.\" \"$work/case/$name\""
        }
        CaseForm::Files(_) => "cp -R \"$case_file/.\" \"$work/case\"",
    }
}

/// Returns the directory of a run, after that of the copy.
fn directory(form: &CaseForm) -> String {
    match form {
        CaseForm::Folder(directory) | CaseForm::Files(directory) if !directory.is_empty() => {
            format!("/{}", quote_text(directory))
        }
        _ => String::new(),
    }
}

/// Returns what makes the items the arguments of the script. Without one there is no command.
fn items(form: &CaseForm) -> &'static str {
    match form {
        CaseForm::Lines => {
            r#"set --
end=$(printf '\r')
while IFS= read -r item || [ -n "$item" ]; do
    item=${item%"$end"}
    [ -z "$item" ] || set -- "$@" "$item"
done <"$case_file"
[ $# -gt 0 ] || exit 1

"#
        }
        CaseForm::Words => {
            r#"set -f
set -- $(cat "$case_file")
set +f
[ $# -gt 0 ] || exit 1

"#
        }
        CaseForm::File | CaseForm::Folder(_) | CaseForm::Files(_) => "",
    }
}

/// Returns the line of a shell that the script runs as the test case, if that is a command. Files
/// in the folder of the report are found by the variable `here`.
pub fn command_case(command: &BugCommand, variables: Option<&[(String, String)]>) -> String {
    let mut words = Vec::new();
    if let Some(variables) = variables {
        words.extend(["env", "-i", "PATH=\"$PATH\""].map(str::to_owned));
        let variable = |(name, value): &(String, String)| quote_text(&format!("{name}={value}"));
        words.extend(variables.iter().map(variable));
    }
    words.extend(command.words.iter().map(|word| shell_word(word)));
    words.join(" ") + "\n"
}

fn run(command: &BugCommand) -> String {
    let input = match command.reads_case {
        true => "\"$case_file\"",
        false => "/dev/null",
    };
    let words: Vec<String> = command.words.iter().map(|word| shell_word(word)).collect();
    format!("run {input} {}\n", words.join(" "))
}

fn shell_word(parts: &[ScriptPart]) -> String {
    let part = |part: &ScriptPart| match part {
        ScriptPart::Text(text) => quote_text(text),
        ScriptPart::CasePath => "\"$work\"/case/\"$name\"".to_owned(),
        ScriptPart::CaseName => "\"$name\"".to_owned(),
        ScriptPart::Enclosed(path) => format!("\"$here\"/{}", quote_text(path)),
        ScriptPart::Home => "\"$HOME\"".to_owned(),
        ScriptPart::InRun(path) => format!("\"$work\"/case/{}", quote_text(path)),
        ScriptPart::Items if parts.len() == 1 => "\"$@\"".to_owned(),
        ScriptPart::Items => "\"$*\"".to_owned(),
    };
    let word: String = parts.iter().map(part).collect();
    if word.is_empty() {
        "''".to_owned()
    } else {
        word
    }
}

fn grep(pattern: &GrepPattern, stream: &str, operator: &str) -> String {
    let grep = format!("LC_ALL=C grep -a -E -q -e {}", quote_text(&pattern.text));
    let file = format!("\"$work/{stream}\"");
    let lines = match (pattern.joins_lines, pattern.may_be_empty) {
        (false, false) => return format!("{grep} {file} {operator} exit 1\n"),
        (false, true) => format!("{{ cat {file}; echo; }}"),
        (true, false) => format!("{JOINS_LINES} <{file}"),
        (true, true) => format!("{{ {JOINS_LINES} <{file}; echo; }}"),
    };
    format!("{lines} | {grep} {operator} exit 1\n")
}

/// The command that makes one line of all: `grep` reads a line at a time.
const JOINS_LINES: &str = r"LC_ALL=C tr '\n\001' '\001\002'";

/// Returns a text that stays within one line of a comment.
fn comment(text: &str) -> String {
    crate::escape::visible(text.as_bytes()).replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        let word = [
            ScriptPart::Text("it's".to_owned()),
            ScriptPart::Home,
            ScriptPart::Text("/x y".to_owned()),
        ];
        assert_eq!(shell_word(&word), "'it'\\''s'\"$HOME\"'/x y'");
        assert_eq!(shell_word(&[]), "''");
        let scripts = BugScripts {
            name: "a b.c".to_owned(),
            command: BugCommand {
                words: vec![
                    vec![ScriptPart::Text("cc".to_owned())],
                    vec![ScriptPart::CasePath],
                ],
                reads_case: true,
            },
            checks: vec![
                ScriptCheck::Status(139),
                ScriptCheck::NotStderr(GrepPattern {
                    text: "it's [0-9]+".to_owned(),
                    joins_lines: false,
                    may_be_empty: false,
                }),
            ],
            seconds: 5,
            property: "exits with 139\nx\r".to_owned(),
            ..BugScripts::default()
        };
        let text = interesting(&scripts);
        assert!(text.contains("\nname='a b.c'\n"));
        assert!(text.contains("\nrun \"$case_file\" cc \"$work\"/case/\"$name\"\n"));
        assert!(text.contains("-e 'it'\\''s [0-9]+' \"$work/stderr\" && exit 1\n"));
        assert!(text.contains("#   x\\x0d\n"));
        assert!(reproduce(&scripts).contains("exit status"));
    }
}
