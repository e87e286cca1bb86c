//! `cargo xtask lab`: makes the pages of `docs/lab` by the commands in its README.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};

use crate::binary;

/// What stands for programs in the commands, and the programs.
const PROGRAMS: &[(&str, &[&str])] = &[
    (
        "PROGRAMS",
        &[
            "clang-22382.c",
            "clang-23353.c",
            "clang-25900.c",
            "clang-27747.c",
            "gcc-59903.c",
            "gcc-61383.c",
            "gcc-64990.c",
            "gcc-65383.c",
            "gcc-66186.c",
            "gcc-71626.c",
        ],
    ),
    (
        "SOME",
        &[
            "gcc-66186.c",
            "gcc-65383.c",
            "gcc-61383.c",
            "clang-23353.c",
            "clang-22382.c",
            "gcc-71626.c",
        ],
    ),
];

#[derive(Debug, clap::Args)]
pub(crate) struct LabArgs {
    /// Folder with the programs that docs/lab/README.md names; without it, pages about them are
    /// left out.
    #[arg(long)]
    programs: Option<PathBuf>,
    /// Names of the pages to make, such as `lists`.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Program to run instead of a release build of this checkout with the laboratory.
    #[arg(long)]
    boildown: Option<PathBuf>,
}

/// Makes the pages that `args` name.
pub(crate) fn run(args: &LabArgs) -> Result<ExitCode> {
    let top = binary::checkout();
    let readme = fs::read_to_string(top.join("docs/lab/README.md")).context("read the README")?;
    let program = binary::find_or_build(args.boildown.as_deref(), Some("lab"))?;
    let programs = match &args.programs {
        Some(folder) => Some(fs::canonicalize(folder).context("find the programs")?),
        None => None,
    };
    for (page, command) in commands(&readme) {
        if !args.only.is_empty() && !args.only.iter().any(|name| name == page) {
            continue;
        }
        let Some(mut words) = words(command, programs.as_deref()) else {
            eprintln!("{page}: left out without --programs");
            continue;
        };
        let csv = format!("docs/lab/{page}.csv");
        if top.join(&csv).exists() {
            words.extend(["--csv".to_owned(), csv]);
        }
        eprintln!("{page}: {command}");
        let status = Command::new(&program)
            .args(&words)
            .current_dir(top)
            .status()
            .with_context(|| format!("start {}", program.display()))?;
        if !status.success() {
            bail!("{page}: {status}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the pages of the table in the README, each with its command.
fn commands(readme: &str) -> impl Iterator<Item = (&str, &str)> {
    readme.lines().filter_map(|line| {
        let (page, command) = line.strip_prefix("| [")?.split_once(".html]")?;
        let (_, command) = command.split_once("`boildown ")?;
        Some((page, command.split_once('`')?.0))
    })
}

/// Returns the arguments of a command, with the paths of programs; `None` if there are no programs
/// and it needs some.
fn words(command: &str, programs: Option<&Path>) -> Option<Vec<String>> {
    let mut words = Vec::new();
    for word in command.split_whitespace() {
        let named = PROGRAMS.iter().find(|(name, _)| *name == word);
        let files = match named {
            Some((_, files)) => *files,
            None if word.ends_with(".c") => &[word],
            None => {
                words.push(word.to_owned());
                continue;
            }
        };
        let paths = files.iter().map(|file| programs.map(|it| it.join(file)));
        for path in paths {
            words.push(path?.display().to_string());
        }
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_a_command_and_programs_are_put_in() {
        let readme = include_str!("../../docs/lab/README.md");
        let folder = binary::checkout().join("docs/lab");
        let files = fs::read_dir(folder).unwrap().flatten();
        let names = files.filter_map(|file| file.file_name().into_string().ok());
        for name in names.filter(|name| name.ends_with(".html")) {
            let command = commands(readme).find(|(page, _)| name == format!("{page}.html"));
            let (_, command) = command.expect(&name);
            let words = words(command, Some(Path::new("/programs"))).unwrap();
            assert_eq!(words[0], "lab");
            assert_eq!(words.last().unwrap(), &format!("docs/lab/{name}"));
            let is_placeholder = |word: &String| PROGRAMS.iter().any(|(name, _)| word == name);
            assert!(!words.iter().any(is_placeholder), "{words:?}");
        }
        assert_eq!(words("lab debloat SOME", None), None);
    }
}
