//! The search for the first stage that fails.

use std::sync::Arc;

use boildown_oracle::Run;
use boildown_oracle::shell::quote;
use serde::Deserialize;

use super::pipeline::{Pass, parse};
use crate::error::CliError;

/// A stage of a pipeline. Lines are for a shell, with `{in}`, `{out}` and `{passes}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stage {
    pub(super) name: String,
    /// The line that runs it.
    pub(super) line: String,
    /// The ending of the file that it writes; without one, the next stage reads the same file.
    pub(super) output: Option<String>,
    /// Lines that run less of it, the best one first.
    pub(super) narrower: Vec<Narrower>,
}

/// A line that runs less than a stage.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Narrower {
    pub(super) line: String,
    /// The line that prints the list for `{passes}`.
    pub(super) passes: Option<String>,
    /// How its program begins a message, and how the program of the stage does.
    pub(super) says: Option<[String; 2]>,
}

/// The file that a stage reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StageInput {
    pub(super) content: Arc<[u8]>,
    /// Its ending; `None` if it is the file under test.
    pub(super) ending: Option<String>,
}

/// A line that is to be run.
#[derive(Debug, Clone, Copy)]
pub(super) struct StageRun<'a> {
    pub(super) line: &'a str,
    pub(super) input: &'a StageInput,
    /// Whether the file that it writes is needed.
    pub(super) writes: bool,
    /// How its program begins a message, and how the program under test does.
    pub(super) says: Option<&'a [String; 2]>,
}

/// How a run of a stage ended.
pub(super) enum StageEnd {
    /// It succeeded, and wrote this.
    Passed(Arc<[u8]>),
    /// It failed as the command does.
    Fails,
    /// It failed in another way.
    Differs(Box<Run>),
}

/// Runs lines.
pub(super) trait RunStage {
    /// Runs a line once.
    fn run(&mut self, run: &StageRun<'_>) -> Result<StageEnd, CliError>;

    /// Returns what a line prints, if it succeeds.
    fn prints(&mut self, line: &str, input: &StageInput) -> Result<Option<String>, CliError>;
}

/// What a search has found.
pub(super) enum FoundStage {
    /// This stage fails as the command does.
    Fails(Blamed),
    /// This stage fails in another way, so that nothing is known about later ones.
    Differs(String, Box<Run>),
    /// No stage fails.
    None,
}

/// The stage that is to blame.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Blamed {
    pub(super) name: String,
    /// The line that fails, with everything but `{in}` and `{out}` filled in.
    pub(super) line: String,
    pub(super) input: StageInput,
    /// The list of passes in the line.
    pub(super) passes: Option<String>,
}

/// Finds the first stage that fails as the command does. Each stage reads what the one before it
/// has written.
pub(super) fn find(
    stages: &[Stage],
    mut input: StageInput,
    runs: &mut dyn RunStage,
) -> Result<FoundStage, CliError> {
    for stage in stages {
        let run = StageRun {
            line: &stage.line,
            input: &input,
            writes: stage.output.is_some(),
            says: None,
        };
        match (runs.run(&run)?, &stage.output) {
            (StageEnd::Passed(content), Some(ending)) => {
                input = StageInput {
                    content,
                    ending: Some(ending.clone()),
                };
            }
            (StageEnd::Passed(_), None) => {}
            (StageEnd::Fails, _) => return narrow(stage, input, runs).map(FoundStage::Fails),
            (StageEnd::Differs(run), _) => {
                return Ok(FoundStage::Differs(stage.name.clone(), run));
            }
        }
    }
    Ok(FoundStage::None)
}

/// Returns what a stage that fails can be narrowed to.
fn narrow(stage: &Stage, input: StageInput, runs: &mut dyn RunStage) -> Result<Blamed, CliError> {
    let blamed = |line: String, input, passes| Blamed {
        name: stage.name.clone(),
        line,
        input,
        passes,
    };
    for narrower in &stage.narrower {
        let passes = match &narrower.passes {
            None => None,
            Some(line) => {
                let printed = runs.prints(line, &input)?;
                let Some(passes) = printed.as_deref().and_then(parse) else {
                    continue;
                };
                Some(passes)
            }
        };
        let Some(passes) = passes else {
            if fails(narrower, &narrower.line, &input, runs)? {
                return Ok(blamed(narrower.line.clone(), input, None));
            }
            continue;
        };
        let whole = join(&passes);
        if !fails(narrower, &with_passes(narrower, &whole), &input, runs)? {
            continue;
        }
        let ending = stage.output.as_deref();
        let first = first_pass((narrower, ending), passes, &input, runs)?;
        let (list, input) = first.unwrap_or((whole, input));
        return Ok(blamed(with_passes(narrower, &list), input, Some(list)));
    }
    Ok(blamed(stage.line.clone(), input, None))
}

/// Returns the first of several passes that fails, and what it reads: each pass is run alone, on
/// what the one before it has written, and the one that fails is taken apart in the same way.
/// `None` if none of them fails alone, or if one fails in another way.
fn first_pass(
    line: (&Narrower, Option<&str>),
    passes: Vec<Pass>,
    input: &StageInput,
    runs: &mut dyn RunStage,
) -> Result<Option<(String, StageInput)>, CliError> {
    let (narrower, ending) = line;
    let mut input = input.clone();
    for pass in passes {
        let list = pass.to_string();
        let run = StageRun {
            line: &with_passes(narrower, &list),
            input: &input,
            writes: true,
            says: narrower.says.as_ref(),
        };
        match runs.run(&run)? {
            StageEnd::Passed(content) => {
                input = StageInput {
                    content,
                    ending: ending.map(str::to_owned),
                };
            }
            StageEnd::Differs(_) => return Ok(None),
            StageEnd::Fails => {
                let inside = match pass.parts() {
                    parts if parts.len() > 1 => first_pass(line, parts, &input, runs)?,
                    _ => None,
                };
                return Ok(Some(inside.unwrap_or((list, input))));
            }
        }
    }
    Ok(None)
}

fn fails(
    narrower: &Narrower,
    line: &str,
    input: &StageInput,
    runs: &mut dyn RunStage,
) -> Result<bool, CliError> {
    let run = StageRun {
        line,
        input,
        writes: false,
        says: narrower.says.as_ref(),
    };
    Ok(matches!(runs.run(&run)?, StageEnd::Fails))
}

fn with_passes(narrower: &Narrower, list: &str) -> String {
    narrower.line.replace("{passes}", &quote(list))
}

fn join(passes: &[Pass]) -> String {
    let passes: Vec<String> = passes.iter().map(Pass::to_string).collect();
    passes.join(",")
}

#[cfg(test)]
mod tests {
    use boildown_oracle::Outcome;

    use super::*;

    /// Appends the names of passes to the input, and fails where one of two is reached.
    struct Passes {
        fails: &'static str,
        differs: &'static str,
    }

    impl RunStage for Passes {
        fn run(&mut self, run: &StageRun<'_>) -> Result<StageEnd, CliError> {
            let mut text = String::from_utf8_lossy(&run.input.content).into_owned();
            let list = run.line.strip_prefix("opt ").unwrap_or(run.line);
            for pass in list.trim_matches('\'').split([',', '(', ')']) {
                if pass == self.differs {
                    return Ok(StageEnd::Differs(Box::new(Run {
                        outcome: Outcome::Exited(1),
                        stdout: Vec::new(),
                        stderr: Vec::new(),
                        took: std::time::Duration::ZERO,
                    })));
                }
                text += pass;
                if text.contains(self.fails) {
                    return Ok(StageEnd::Fails);
                }
            }
            Ok(StageEnd::Passed(text.into_bytes().into()))
        }

        fn prints(&mut self, line: &str, _: &StageInput) -> Result<Option<String>, CliError> {
            Ok(Some(line.to_owned()))
        }
    }

    fn stage(name: &str, line: &str, list: Option<&str>) -> Stage {
        let narrower = list.map(|list| Narrower {
            line: "opt {passes}".to_owned(),
            passes: Some(list.to_owned()),
            says: None,
        });
        Stage {
            name: name.to_owned(),
            line: line.to_owned(),
            output: Some("ll".to_owned()),
            narrower: narrower.into_iter().collect(),
        }
    }

    /// Returns the stage to blame, its line, and its input.
    fn found(fails: &'static str, differs: &'static str) -> String {
        let list = "b,f(c,l(d,e)),g";
        let all = "b,c,d,e,g";
        let stages = [stage("first", "a", None), stage("opt", all, Some(list))];
        let input = StageInput {
            content: Arc::from(*b""),
            ending: None,
        };
        match find(&stages, input, &mut Passes { fails, differs }).unwrap() {
            FoundStage::Fails(blamed) => {
                let input = String::from_utf8_lossy(&blamed.input.content).into_owned();
                format!("{}: {} on {input}", blamed.name, blamed.line)
            }
            FoundStage::Differs(name, _) => format!("{name} differs"),
            FoundStage::None => "none".to_owned(),
        }
    }

    #[test]
    fn the_first_pass_that_fails_is_found_with_what_it_reads() {
        assert_eq!(found("a", "-"), "first: a on ");
        assert_eq!(found("b", "-"), "opt: opt b on a");
        assert_eq!(found("d", "-"), "opt: opt 'f(l(d))' on abfc");
        assert_eq!(found("z", "-"), "none");
    }

    #[test]
    fn a_stage_that_fails_in_another_way_is_not_blamed() {
        assert_eq!(found("d", "a"), "first differs");
        assert_eq!(found("g", "c"), "opt differs");
    }

    #[test]
    fn passes_that_fail_only_together_stay_together() {
        assert_eq!(found("de", "-"), "opt: opt 'f(l(d,e))' on abfc");
        // Only the compiler itself runs these two one after the other.
        assert_eq!(found("cd", "-"), "opt: b,c,d,e,g on a");
    }
}
