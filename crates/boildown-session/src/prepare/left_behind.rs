//! Files beside what is copied for the runs, which the command looks for.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use boildown_exec::Project;
use boildown_oracle::{Expectation, Property, Run};

/// What programs say of a file that they do not find. A line may also name one beside the input
/// that they need not: the source from which the program was built.
const NOT_FOUND: &[&str] = &[
    "no such file",
    "not found",
    "cannot find",
    "can't find",
    "could not find",
    "couldn't find",
    "cannot open",
    "can't open",
    "could not open",
    "couldn't open",
    "unable to open",
    "does not exist",
    "no rule to make",
];

/// Returns the file which the failure says that the command does not find, though it is there for
/// the user: it is beside what the copies for the runs hold.
pub(super) fn file_left_behind(
    property: &Property,
    run: &Run,
    project: &Project,
) -> Option<PathBuf> {
    let lines = property.expectations().iter().flat_map(|expectation| {
        let (pattern, output) = match expectation {
            Expectation::Stdout(pattern) => (pattern, &run.stdout),
            Expectation::Stderr(pattern) => (pattern, &run.stderr),
            _ => return Vec::new(),
        };
        let lines = output.split(|&byte| byte == b'\n');
        lines.filter(|line| pattern.matches(line)).collect()
    });
    let is_not_found = |line: &Cow<'_, str>| {
        let line = line.to_lowercase();
        NOT_FOUND.iter().any(|words| line.contains(words))
    };
    let lines = lines.map(String::from_utf8_lossy).filter(is_not_found);
    let lines: Vec<_> = lines.collect();
    let words = lines.iter().flat_map(|line| {
        line.split(|end: char| end.is_whitespace() || "'\"`:,;()[]".contains(end))
    });
    words
        .filter(|word| word.starts_with("../"))
        .find_map(|word| project.file_left_behind(Path::new(word)))
}
