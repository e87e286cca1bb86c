//! The files that one candidate passes from ask to verdict, as ARCHITECTURE.md lists them.

use std::collections::BTreeSet;
use std::path::Path;

/// Heading of the list.
pub const HEADING: &str = "The path of one candidate";

/// Most files that the list may name.
pub const MAX_FILES: usize = 22;

/// Files of the list, and what is wrong with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CandidatePath {
    /// Distinct paths of existing files, in order.
    pub files: Vec<String>,
    /// A line for each name that is no file, or more than one.
    pub complaints: Vec<String>,
}

/// Reads the list from the text of ARCHITECTURE.md: each word in backquotes that ends with `.rs`
/// below the heading, up to the next heading of its level or above.
///
/// A name may leave out folders in front, as long as one file of `sources` alone ends with it.
/// Below a line that names a crate in backquotes, only the files of that crate are meant if there
/// are any.
pub fn read(architecture: &str, sources: &[&Path]) -> CandidatePath {
    let mut path = CandidatePath::default();
    let Some(section) = section(architecture) else {
        path.complaints
            .push(format!("ARCHITECTURE.md has no heading \"{HEADING}\""));
        return path;
    };
    let mut seen = BTreeSet::new();
    let mut package: Option<&str> = None;
    for line in section.lines() {
        for word in line.split('`').skip(1).step_by(2) {
            if word.starts_with("boildown") && !word.contains(['/', '.', ':', ' ']) {
                package = Some(word);
                continue;
            }
            if !word.ends_with(".rs") {
                continue;
            }
            let mut matches: Vec<&&Path> =
                sources.iter().filter(|file| file.ends_with(word)).collect();
            if let (2.., Some(package)) = (matches.len(), package) {
                matches.retain(|file| file.iter().any(|folder| folder == package));
            }
            match matches[..] {
                [file] => {
                    if seen.insert(file) {
                        path.files.push(file.display().to_string());
                    }
                }
                [] => path.complaints.push(format!("no file is called `{word}`")),
                _ => path
                    .complaints
                    .push(format!("several files are called `{word}`: add folders")),
            }
        }
    }
    if path.files.is_empty() && path.complaints.is_empty() {
        let complaint = format!("\"{HEADING}\" in ARCHITECTURE.md names no file");
        path.complaints.push(complaint);
    }
    path
}

/// Returns the text between the heading and the next one of its level or above.
fn section(architecture: &str) -> Option<&str> {
    let level = |line: &str| line.bytes().take_while(|&byte| byte == b'#').count();
    let mut lines = architecture.split_inclusive('\n');
    let mut offset = 0;
    let heading = lines.by_ref().find(|line| {
        offset += line.len();
        level(line) > 0 && line.trim_start_matches('#').trim() == HEADING
    })?;
    let rest = &architecture[offset..];
    let length = lines
        .take_while(|line| level(line) == 0 || level(line) > level(heading))
        .map(str::len)
        .sum();
    Some(&rest[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_files_by_their_ends() {
        let text = "# A\n`no.rs`\n## The path of one candidate\n1. `planner.rs`, `a/mod.rs`, `planner.rs`\n\
                    ### More\n`gone.rs`, `mod.rs`; `boildown-y`: `gate.rs`\n## B\n`b.rs`\n";
        let sources = [
            "crates/x/src/planner.rs",
            "crates/x/src/a/mod.rs",
            "crates/x/src/mod.rs",
            "crates/x/src/gate.rs",
            "crates/boildown-y/src/gate.rs",
        ];
        let path = read(text, &sources.map(Path::new));
        assert_eq!(path.files, [sources[0], sources[1], sources[4]]);
        assert_eq!(
            path.complaints,
            [
                "no file is called `gone.rs`",
                "several files are called `mod.rs`: add folders"
            ]
        );
        assert_eq!(read("# A", &[]).complaints.len(), 1);
    }
}
