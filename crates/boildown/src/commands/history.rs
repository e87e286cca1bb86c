//! `boildown history`: the results of a run, from the input to the last one.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use boildown_changes::diff_of_texts;
use boildown_exec::fsx;
use boildown_folder::FolderText;
use boildown_store::{Identity, LastSession, RunHistory, StoredImprovement, fingerprint_of};
use clap::{Args, Subcommand};

use super::explain::last_session;
use crate::error::{CliError, ExitKind};
use crate::provenance;
use crate::report::format::{EscapedPath as _, Visible, clock, grouped};
use crate::report::recorded;
use crate::stdout;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct StoredResultsArgs {
    /// The input or the result of the run [default: the last run in the current directory]
    file: Option<PathBuf>,

    #[command(subcommand)]
    action: Option<HistoryAction>,
}

#[derive(Debug, Subcommand)]
enum HistoryAction {
    /// List the results of a run, the input first (the default)
    List {
        /// The input or the result of the run [default: the last run in the current directory]
        file: Option<PathBuf>,
    },
    /// Print a result
    Show {
        /// Its number in the list
        number: usize,
        /// The input or the result of the run
        file: Option<PathBuf>,
    },
    /// Print what was removed and changed between two results
    Diff {
        /// The number of the older one
        from: usize,
        /// The number of the newer one
        to: usize,
        /// The input or the result of the run
        file: Option<PathBuf>,
    },
    /// Write a result to the result file of the run, in place of a later one
    Restore {
        /// Its number in the list
        number: usize,
        /// The input or the result of the run
        file: Option<PathBuf>,
        /// Write to this file instead, which does not exist yet
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

/// Lists, prints, compares or restores results.
pub(crate) fn run(args: StoredResultsArgs) -> Result<ExitKind, CliError> {
    let list = HistoryAction::List { file: args.file };
    let action = args.action.unwrap_or(list);
    match action {
        HistoryAction::List { file } => stdout::print(StoredResults::find(file.as_deref())?.list()),
        HistoryAction::Show { number, file } => {
            stdout::write(&StoredResults::find(file.as_deref())?.text(number)?);
        }
        HistoryAction::Diff { from, to, file } => {
            let results = StoredResults::find(file.as_deref())?;
            let [old, new] = [results.text(from)?, results.text(to)?];
            stdout::print(difference([from, to], &old, &new));
        }
        HistoryAction::Restore {
            number,
            file,
            output,
        } => {
            let results = StoredResults::find(file.as_deref())?;
            let written = results.restore(number, output)?;
            stdout::print(format!("{}: result {number}\n", written.escaped()));
        }
    }
    Ok(ExitKind::Reduced)
}

/// Returns a result of the last run that reduced this input to this result file.
pub(super) fn earlier_result(
    result: &Path,
    input: &[u8],
    number: usize,
) -> Result<Vec<u8>, CliError> {
    StoredResults::of_run(result, input)?.text(number)
}

/// The results of one run.
struct StoredResults {
    session: LastSession,
    history: RunHistory,
}

impl StoredResults {
    fn find(file: Option<&Path>) -> Result<Self, CliError> {
        let session = last_session(file)?;
        let history = RunHistory::read(&session.file)?;
        Ok(Self { session, history })
    }

    /// Finds the last run that reduced this input to this result file.
    fn of_run(result: &Path, input: &[u8]) -> Result<Self, CliError> {
        let name = result.file_name().unwrap_or_default();
        let dir = result.parent().unwrap_or(Path::new(""));
        let mut wanted = Identity::default();
        wanted.add_hash("the input", input);
        let is_meant = |session: &LastSession| {
            session.result == name
                && (wanted.pairs()).all(|(what, value)| session.stated(what) == Some(value))
        };
        let found = LastSession::find_where(dir, is_meant)?;
        let session = found.ok_or_else(|| {
            let what = format!(
                "no run on this input is recorded beside {}",
                result.escaped()
            );
            CliError::usage(what).hint("reduce it without --backtrack first")
        })?;
        let history = RunHistory::read(&session.file)?;
        Ok(Self { session, history })
    }

    /// Returns the list: a line each.
    fn list(&self) -> String {
        let result = self.session.result.escaped();
        let mut text = format!("{result}, from {}\n", Visible::line(&self.session.input));
        let rows: Vec<[String; 5]> = std::iter::once(["", "bytes", "tokens", "tests", "time"])
            .map(|row| row.map(ToOwned::to_owned))
            .chain(self.improvements().iter().enumerate().map(row))
            .collect();
        let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
        let widths = [0, 1, 2, 3, 4].map(width);
        for (place, row) in rows.iter().enumerate() {
            let is_stored = place == 0 || self.improvements()[place - 1].has_text;
            for (cell, width) in row.iter().zip(widths) {
                write!(text, "{cell:>width$}  ").ok();
            }
            text.truncate(text.trim_end().len());
            text += if is_stored { "\n" } else { "  (size only)\n" };
        }
        if let Some(change) = recorded::stored_form_change(&self.session) {
            text += &format!("{}\n", change.text());
        }
        if let Some(guarantee) = self.guarantee() {
            text += &format!("{guarantee}\n");
        }
        text
    }

    /// Returns what the last session verified of the last result, in words.
    fn guarantee(&self) -> Option<String> {
        let sessions = self.history.sessions().ok()?;
        let last = sessions.last()?;
        last.ending.filter(|ending| ending.why.has_finished())?;
        let guarantee = recorded::finished(last)?.guarantee?;
        Some(Visible::line(guarantee).into())
    }

    fn improvements(&self) -> &[StoredImprovement] {
        self.history.improvements()
    }

    /// Returns the bytes of a result.
    fn text(&self, number: usize) -> Result<Vec<u8>, CliError> {
        let results = self.improvements();
        let Some(result) = results.get(number) else {
            let last = results.len().saturating_sub(1);
            return Err(CliError::usage(format!("there is no result {number}"))
                .hint(format!("the results are 0 (the input) to {last}")));
        };
        let text = self.history.text(result)?;
        if text.as_deref().is_some_and(FolderText::is_state) {
            let what = "a result of a folder cannot be brought back on its own";
            return Err(CliError::usage(what).hint("the list has the sizes of all results"));
        }
        text.ok_or_else(|| {
            let stored = |place: &usize| results[*place].has_text;
            let before = (0..number).rev().find(stored);
            let after = (number + 1..results.len()).find(stored);
            let near: Vec<String> = [before, after]
                .iter()
                .flatten()
                .map(usize::to_string)
                .collect();
            CliError::usage(format!("of result {number} only the size is stored"))
                .hint(format!("the nearest whole ones are {}", near.join(" and ")))
        })
    }

    /// Writes a result. Returns the path of the file.
    fn restore(&self, number: usize, output: Option<PathBuf>) -> Result<PathBuf, CliError> {
        let text = self.text(number)?;
        let target = match output {
            Some(output) if output.symlink_metadata().is_ok() => {
                let what = format!("{} exists already", output.escaped());
                return Err(CliError::usage(what).hint("name a new file with --output"));
            }
            Some(output) => output,
            None => self.result_file()?,
        };
        fsx::write_durable(&target, &text, provenance::access(&self.session.file))?;
        Ok(target)
    }

    /// Returns the path of the result file, if it holds a result of this run or nothing.
    fn result_file(&self) -> Result<PathBuf, CliError> {
        let folder = self
            .session
            .file
            .ancestors()
            .nth(3)
            .unwrap_or(Path::new(""));
        let path = folder.join(&self.session.result);
        let is_ours = match fs::read(&path) {
            Ok(bytes) => {
                let content = fingerprint_of(&bytes);
                self.improvements()
                    .iter()
                    .any(|result| result.content == content)
            }
            Err(_) => path.symlink_metadata().is_err(),
        };
        if is_ours {
            return Ok(path);
        }
        let what = format!("{} is no result of this run", path.escaped());
        Err(CliError::usage(what).hint("write to a new file with --output, or move that one away"))
    }
}

fn row((number, result): (usize, &StoredImprovement)) -> [String; 5] {
    [
        number.to_string(),
        grouped(result.bytes),
        result.tokens.map_or_else(String::new, grouped),
        grouped(result.query),
        clock(result.elapsed),
    ]
}

/// Returns the lines that differ, with lines around them. Control characters are escaped.
fn difference(numbers: [usize; 2], old: &[u8], new: &[u8]) -> String {
    let [old, new] = [old, new].map(Visible::lines);
    let hunks = diff_of_texts(old.as_bytes(), new.as_bytes());
    let [from, to] = numbers;
    let hunks = String::from_utf8_lossy(&hunks);
    format!("--- result {from}\n+++ result {to}\n{hunks}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_near_each_other_share_their_context() {
        let old: String = (1..=30).map(|line| format!("{line}\n")).collect();
        let new = old.replace("2\n3\n", "2\n").replace("\n8\n", "\nx\n");
        let new = new.replace("\n20\n", "\n");
        assert_eq!(
            difference([1, 2], old.as_bytes(), new.as_bytes()),
            "--- result 1\n+++ result 2\n@@ -1,11 +1,10 @@\n 1\n 2\n-3\n 4\n 5\n 6\n 7\n-8\n+x\n 9\n \
             10\n 11\n@@ -17,7 +16,6 @@\n 17\n 18\n 19\n-20\n 21\n 22\n 23\n"
        );
    }

    #[test]
    fn a_difference_has_the_lines_around_it_and_escapes_control_characters() {
        let old = b"1\n2\n3\n4\n5\n\x1b[2J\n7\n8\n9\n";
        let new = b"1\n2\n3\n4\n5\n7\n8\n9\n";
        assert_eq!(
            difference([0, 3], old, new),
            "--- result 0\n+++ result 3\n@@ -3,7 +3,6 @@\n 3\n 4\n 5\n-\\x1b[2J\n 7\n 8\n 9\n"
        );
    }
}
