//! `cargo xtask debloat`: CHISEL and list algorithms on a subject with its own test.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use boildown_document::Language;
use boildown_lab::experiments::debloat::{DebloatSearch, DebloatedProgram};
use boildown_lab::recorded::TokenChoice;
use boildown_lab::simulate::RunRules;
use boildown_literature::list::Ddmin;
use boildown_search::algorithms::Algorithm;
use clap::Args;

use crate::corpus;
use crate::table::{Align, Style, Table};
use crate::verdicts::Verdicts;

/// Numbers of tests after which the size is printed.
const MARKS: [usize; 6] = [50, 100, 200, 300, 500, 1000];

#[derive(Debug, Args)]
pub(crate) struct DebloatArgs {
    /// The subject's folder. Its test runs without a sandbox.
    subject: PathBuf,
    /// Ends each search after this number of tests.
    #[arg(long, value_name = "N", default_value_t = 300)]
    tests: u64,
    /// Folder that keeps the verdicts for the next time.
    #[arg(long, value_name = "FOLDER")]
    cache: PathBuf,
}

/// The course of one search.
#[derive(Debug)]
struct Course {
    search: DebloatSearch,
    /// The tokens left after each test.
    left: Vec<usize>,
    tests: u64,
    tokens: usize,
}

impl Course {
    /// Returns the tokens left after a number of tests; a dash if the search had ended before.
    fn after(&self, tests: usize) -> String {
        let left = tests.checked_sub(1).and_then(|last| self.left.get(last));
        left.map_or_else(|| "–".to_owned(), usize::to_string)
    }
}

pub(crate) fn run(args: &DebloatArgs) -> Result<ExitCode> {
    let subjects = corpus::find(std::slice::from_ref(&args.subject), &[])?;
    let [subject] = subjects.as_slice() else {
        bail!("one subject is debloated at a time");
    };
    subject.set_up()?;
    let path = subject.input_path();
    let bytes = std::fs::read(&path).with_context(|| format!("read {}", path.display()))?;
    let language = Language::detect(&subject.input, &bytes).context("detect the language")?;
    let nothing = TokenChoice { tokens: 0, seed: 0 };
    let program = DebloatedProgram::new(&subject.name, &bytes, language, nothing);
    let program = program.context("find a token in the input")?;
    let mut verdicts = Verdicts::open(subject, &args.cache)?;
    let mut courses = Vec::new();
    for search in searches() {
        let course = follow(&program, &search, args.tests, &mut verdicts)?;
        println!(
            "{search}: {} tokens after {} tests",
            course.tokens, course.tests
        );
        courses.push(course);
    }
    print!("{}", table(&courses));
    Ok(ExitCode::SUCCESS)
}

fn searches() -> Vec<DebloatSearch> {
    let ddmin = Algorithm::of::<Ddmin>();
    vec![
        DebloatSearch::Plain(ddmin.clone()),
        DebloatSearch::Rejecting(ddmin),
        DebloatSearch::Plain(Algorithm::halving()),
        DebloatSearch::Rejecting(Algorithm::halving()),
        DebloatSearch::Closed(Algorithm::halving()),
        DebloatSearch::Binary,
        DebloatSearch::Chisel,
    ]
}

/// Runs a search with the subject's own test.
fn follow(
    program: &DebloatedProgram,
    search: &DebloatSearch,
    tests: u64,
    verdicts: &mut Verdicts<'_>,
) -> Result<Course> {
    let mut left = Vec::new();
    let mut best = program.tokens();
    let mut failed = None;
    let rules = RunRules {
        max_tests: Some(tests),
        ..RunRules::default()
    };
    let reduced = program.reduce_until(search, rules, |candidate| {
        match verdicts.judge(std::slice::from_ref(candidate)) {
            Ok(judged) => {
                if judged[0].verdict.is_interesting() {
                    best = candidate.token_count();
                }
                left.push(best);
                Some(judged[0].verdict)
            }
            Err(error) => {
                failed = Some(error);
                None
            }
        }
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(Course {
            search: search.clone(),
            left,
            tests: reduced.queries,
            tokens: reduced.tokens,
        }),
    }
}

/// Returns the sizes after some numbers of tests, and at the end.
fn table(courses: &[Course]) -> String {
    let marks = MARKS.map(|mark| mark.to_string());
    let mut heading = vec![("search", Align::Left)];
    heading.extend(marks.iter().map(|mark| (mark.as_str(), Align::Right)));
    heading.extend([("tests", Align::Right), ("tokens", Align::Right)]);
    let mut table = Table::new(&heading);
    for course in courses {
        let mut row = vec![course.search.to_string()];
        row.extend(MARKS.iter().map(|&mark| course.after(mark)));
        row.extend([course.tests.to_string(), course.tokens.to_string()]);
        table.push(row);
    }
    table.render(Style::Markdown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_after_the_marks_and_at_the_end() {
        let course = Course {
            search: DebloatSearch::Chisel,
            left: (0..120).map(|test| 1000 - test).collect(),
            tests: 120,
            tokens: 881,
        };
        let text = table(&[course]);
        let row = text.lines().last().unwrap();
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        assert_eq!(
            cells[1..10],
            ["chisel", "951", "901", "–", "–", "–", "–", "120", "881"]
        );
    }
}
