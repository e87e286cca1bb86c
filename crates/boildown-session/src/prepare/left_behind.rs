//! Files beside what is copied for the runs, which the command looks for.

use std::path::{Path, PathBuf};

use boildown_exec::Project;
use boildown_oracle::{Expectation, Property, Run};

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
    let lines: Vec<_> = lines.map(String::from_utf8_lossy).collect();
    let words = lines.iter().flat_map(|line| {
        line.split(|end: char| end.is_whitespace() || "'\"`:,;()[]".contains(end))
    });
    words
        .filter(|word| word.starts_with("../"))
        .find_map(|word| project.file_left_behind(Path::new(word)))
}
