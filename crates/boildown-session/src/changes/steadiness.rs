//! Repeated runs of what a culprit search has found: a verdict of one run may be chance.

use boildown_changes::{ChangeTree, ChangesError, Configuration, Contents, diff_stat};
use boildown_document::{Language, TokenClass};
use boildown_oracle::{OracleError, Verdict};
use boildown_search::Subset;

use super::error::SearchError;
use super::final_checks::{layer_counts, state_of};
use super::report::CulpritReport;
use super::search::CulpritSearch;

/// The number of runs of the last good revision, beside that of the bisection.
const RUNS: u32 = 2;
/// The number of runs, or of tests with as many runs as they need, if chance is the likeliest
/// reason for what was found.
const RUNS_IN_DOUBT: u32 = 6;
const TESTS_IN_DOUBT: u32 = 3;

impl CulpritSearch<'_> {
    /// Runs the last good revision and the culprit again. Returns the name of the one on which runs
    /// disagree, if there is one. `found` learns whether the culprit changes code.
    ///
    /// Say a test fails in 70 of 100 runs since one commit. The runs on the bad state may all fail,
    /// and a bisection takes three of ten bad commits for good ones. A search with repeated runs
    /// errs as well, though seldom. What it finds then often changes comments only: in whole, or in
    /// some lines.
    pub(super) fn unsteady_state(
        &self,
        found: &mut CulpritReport,
    ) -> Result<Option<String>, SearchError> {
        let contents = self.states.contents;
        contents.add_configuration(&found.after);
        let trees = self.trees();
        let is_flaky = trees.rates().is_some();
        let in_doubt = match is_flaky {
            true => TESTS_IN_DOUBT,
            false => RUNS_IN_DOUBT,
        };
        let code = only_code(&found.before, &found.after, contents)?;
        let [passing, _] = &self.step;
        // A commit that changes no code is as doubtful, whatever older change its patch needs.
        let changes_code = code.is_some() && self.step_changes_code()?;
        let is_first = *passing == self.states.read_revision(self.path.good())?;
        let base_runs = match (changes_code, is_flaky, is_first) {
            (false, ..) => in_doubt,
            // The good state was run before.
            (true, false, true) => 0,
            (true, false, false) => RUNS,
            (true, true, _) => 1,
        };
        let culprit_runs = match changes_code && found.is_confirmed() {
            true => 0,
            false => in_doubt,
        };
        // What earlier builds left is no chance.
        let uses_fresh_trees = trees.runner().test().build.is_some() || !found.is_confirmed();
        let with_patch = || format!("{} with the patch", found.base);
        let mut states = vec![
            (
                Configuration::from(passing.clone()),
                Verdict::Uninteresting,
                base_runs,
                "the last good state".to_owned(),
            ),
            (
                found.after.clone(),
                found.confirmed.verdict,
                culprit_runs,
                with_patch(),
            ),
        ];
        if let Some(code) = code.as_ref().filter(|code| code.id() != found.after.id()) {
            states.push((code.clone(), Verdict::Uninteresting, in_doubt, with_patch()));
        }
        for (files, expected, runs, name) in states {
            if runs == 0 || changes_code && !is_flaky && trees.recall_steady(files.id()) {
                continue;
            }
            let is_code = files.id() != found.after.id()
                && code.as_ref().is_some_and(|code| code.id() == files.id());
            let is_fresh = is_flaky || uses_fresh_trees || is_code;
            let (mut expected_runs, mut others) = (0, 0);
            for _ in 0..runs {
                let answer = match is_fresh {
                    true => trees.judge_in_fresh_tree(&files, self.interrupt),
                    false => trees.judge_now(&files, self.interrupt),
                };
                match answer {
                    Err(OracleError::Interrupted) => return Ok(None),
                    answer => match answer?.verdict {
                        Verdict::Unresolved => {}
                        verdict if verdict == expected => expected_runs += 1,
                        _ => others += 1,
                    },
                }
                if others > 0 && is_code && is_flaky && found.commits.len() == 1 {
                    self.replace_patch(found, files)?;
                    return Ok(None);
                }
                // Comments may be in a statement that is deleted. Then the patch does as much
                // without them, in every run.
                if others > 0 && (expected_runs > 0 || !is_code) {
                    return Ok(Some(name));
                }
            }
            if others > 0 {
                // Of several commits, the older ones may be there by chance.
                if found.commits.len() != 1 {
                    return Ok(Some(name));
                }
                self.replace_patch(found, files)?;
                return Ok(None);
            }
            if !is_flaky {
                trees.record_steady(files.id());
            }
        }
        if code.is_none() {
            found.repeated = Some(in_doubt);
        }
        Ok(None)
    }

    /// Returns whether the last good revision and the first bad one differ in more than comments.
    pub(super) fn step_changes_code(&self) -> Result<bool, SearchError> {
        let (contents, [passing, failing]) = (self.states.contents, &self.step);
        let tree = ChangeTree::between(passing, failing, contents)?;
        let all = tree.configuration(&Subset::full(tree.len()), contents)?;
        Ok(match all {
            Some(all) => changes_code(&passing.clone().into(), &all, contents)?,
            None => true,
        })
    }

    /// Makes a part of the patch the patch, because it is enough.
    fn replace_patch(
        &self,
        found: &mut CulpritReport,
        after: Configuration,
    ) -> Result<(), SearchError> {
        let contents = self.states.contents;
        contents.add_configuration(&after);
        let tree = ChangeTree::between(found.before.base(), &state_of(&after), contents)?;
        found.stat = diff_stat(&found.before, &after, contents)?;
        found.layer_counts = layer_counts(&tree);
        found.hunks.clear();
        found.words.clear();
        found.partial_statements.clear();
        found.after = after;
        Ok(())
    }
}

/// Number of changed lines above which those that are no code are not left out.
const MAX_LINES: usize = 200;

/// Returns the second state without the changed lines that are comments or blank; `None` if all
/// are. Files in languages without a grammar are code.
fn only_code(
    before: &Configuration,
    after: &Configuration,
    contents: &Contents,
) -> Result<Option<Configuration>, ChangesError> {
    if !changes_code(before, after, contents)? {
        return Ok(None);
    }
    let tree = ChangeTree::between(before.base(), &state_of(after), contents)?;
    let all = Subset::full(tree.len());
    let mut kept = all.clone();
    for element in (0..tree.len()).filter(|_| tree.len() <= MAX_LINES) {
        let alone = tree.configuration(&all.only(element..element + 1), contents)?;
        if let Some(alone) = alone
            && !changes_code(before, &alone, contents)?
        {
            kept = kept.without([element..element + 1]);
        }
    }
    let code = tree.configuration(&kept, contents)?;
    Ok(Some(code.unwrap_or_else(|| after.clone())))
}

/// Returns whether two states differ in more than comments and blank lines. True for files in
/// languages without a grammar.
fn changes_code(
    before: &Configuration,
    after: &Configuration,
    contents: &Contents,
) -> Result<bool, ChangesError> {
    for (path, new) in after.overrides() {
        let (Some(old), Some(new)) = (before.get(path), new) else {
            return Ok(true);
        };
        if old == *new {
            continue;
        }
        let texts = [contents.read_version(&old)?, contents.read_version(new)?];
        let language = Language::detect(&path.to_string(), &texts[1]);
        let Some(language) = language.filter(|_| old.kind == new.kind) else {
            return Ok(true);
        };
        let [old, new] = texts.map(|text| code(language, &text));
        if old != new {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the lines of a text without comments, and without lines that are blank then.
fn code(language: &Language, text: &[u8]) -> Vec<Vec<u8>> {
    let mut rest = Vec::with_capacity(text.len());
    let mut done = 0;
    let tokens = language.classify(text);
    for comment in (tokens.iter()).filter(|token| token.class == TokenClass::Comment) {
        rest.extend_from_slice(&text[done..comment.bytes.start.max(done)]);
        done = comment.bytes.end.max(done);
        // Some grammars have the line break in the comment.
        if text[..done].ends_with(b"\n") {
            done -= 1;
        }
    }
    rest.extend_from_slice(&text[done..]);
    let lines = rest.split(|byte| *byte == b'\n');
    let lines = lines.filter_map(|line| {
        let text = line.trim_ascii_end();
        // A carriage return is code: a shell takes it for a part of the last word.
        let end: &[u8] = if line.ends_with(b"\r") { b"\r" } else { b"" };
        (!text.is_empty()).then(|| [text, end].concat())
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: &str, texts: [&str; 2], are_equal: bool) {
        let Some(language) = Language::named(language) else {
            return;
        };
        let [old, new] = texts.map(|text| code(language, text.as_bytes()));
        assert_eq!(old == new, are_equal, "{texts:?}");
    }

    #[test]
    fn comments_and_blank_lines_are_no_code() {
        check("python", ["a = 1\n", "# one\n\na = 1  # two\n"], true);
        check("python", ["a = 1\n", "a = 2\n"], false);
        check("python", ["if a:\n  b\nc\n", "if a:\n  b\n  c\n"], false);
        check("python", ["a = '#b'\n", "a = '#c'\n"], false);
        check("rust", ["f(1);\n", "f(/* one */ 1); // two\n"], false);
        check("c", ["f();\n", "/* one\n two */\nf();\n"], true);
        check("bash", ["f a\n\n", "f a\r\n\r\n"], false);
        check("bash", ["f a\n", "f a\n\r\n"], true);
    }
}
