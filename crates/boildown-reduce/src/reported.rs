//! Guesses from the lines of the input that the output of the failure reports: that nothing else is
//! needed but what these lines refer to.

use std::ops::Range;
use std::sync::Arc;

use boildown_document::{Document, View};
use boildown_search::tree::NodeId;
use boildown_search::{Query, Search, Subset, Verdict};

use crate::edit_plan::{cuts_of, sibling_positions};
use crate::unused;

/// A guess that deletes less than one part in this many is not worth a test.
const LEAST_DELETED: usize = 20;

/// From this number of elements on, most of a list is about other things than one of them.
const LONG_LIST: usize = 5;

/// The share of guesses that are right, about.
const ODDS: f64 = 0.5;

/// Sets of tokens that may be all that is needed, one after another: those that keep most come
/// first. Of a program, a smaller one may compile where a larger one does not.
///
/// # Guarantee
/// Ends with an interesting set, which is the whole input or an intersection of guesses.
/// # Cost
/// At most one query for each guess, of which there are at most four.
#[derive(Debug, Clone)]
pub(crate) struct Guesses {
    best: Subset,
    guesses: Arc<[Subset]>,
    next: usize,
}

impl Guesses {
    /// Returns the guesses for a document. Each element of `reported` is a set of lines, as ranges
    /// of its bytes.
    pub(crate) async fn new(document: &Arc<Document>, reported: &[Vec<Range<usize>>]) -> Self {
        let mut guesses = Vec::new();
        for (set, lines) in reported.iter().enumerate() {
            let tokens: Vec<Range<usize>> = (lines.iter())
                .map(|line| document.tokens_in(line))
                .filter(|tokens| !tokens.is_empty())
                .collect();
            if tokens.is_empty() {
                continue;
            }
            let mut kept = kept_with(document, &tokens).await;
            if set > 0 {
                // Of fewer lines, only what keeps least.
                kept.drain(..kept.len() - 1);
            }
            guesses.extend(kept);
        }
        let all = document.len();
        guesses.retain(|guess| (all - guess.count()) * LEAST_DELETED >= all);
        guesses.sort_by_key(|guess| std::cmp::Reverse(guess.count()));
        guesses.dedup_by(|one, other| one.is_same(other));
        let mut new = Self {
            best: Subset::full(all),
            guesses: guesses.into(),
            next: 0,
        };
        new.pass_over_known();
        new
    }

    fn candidate(&self) -> Option<Subset> {
        let guess = self.guesses.get(self.next)?;
        Some(guess.intersection([&self.best]))
    }

    fn pass_over_known(&mut self) {
        let is_known = |new: &Self| {
            let candidate = new.candidate();
            candidate.is_some_and(|candidate| candidate.count() == new.best.count())
        };
        while is_known(self) {
            self.next += 1;
        }
    }
}

impl Search for Guesses {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        let candidate = self.candidate()?;
        Some(Query {
            candidate,
            odds: ODDS,
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        if let Some(candidate) = self.candidate()
            && verdict.is_interesting()
        {
            self.best = candidate;
            self.best.commit();
        }
        self.skip();
    }

    fn skip(&mut self) {
        self.next += 1;
        self.pass_over_known();
    }

    fn best(&self) -> Subset {
        self.best.clone()
    }
}

/// Returns the sets of tokens that may be all that some tokens need.
async fn kept_with(document: &Arc<Document>, tokens: &[Range<usize>]) -> Vec<Subset> {
    if let View::Syntax(language) = document.view() {
        let needed = unused::needed_by(document, language, tokens).await;
        if !needed.is_empty() {
            return needed;
        }
    }
    let depths = [3, usize::MAX].into_iter();
    depths
        .map(|depth| around(document, tokens, depth))
        .collect()
}

/// Returns the whole text but for elements of lists that contain none of these tokens, in lists
/// that are inside of fewer than `depth` others.
fn around(document: &Document, tokens: &[Range<usize>], depth: usize) -> Subset {
    let tree = document.tree();
    let is_reported = |node: NodeId| {
        let whole = tree.nodes[node].tokens();
        tokens
            .iter()
            .any(|tokens| tokens.start < whole.end && whole.start < tokens.end)
    };
    let mut positions = sibling_positions(tree);
    // In a short list, such as that of a key and its value, an element may need what is beside it.
    positions.retain(|_, position| tree.elements(&tree.lists[position.list]).len() >= LONG_LIST);
    let mut deleted = Vec::new();
    let mut pending = vec![(NodeId::ROOT, 0)];
    while let Some((node, lists)) = pending.pop() {
        for child in tree.children(node) {
            match positions.get(&child) {
                Some(position) if !is_reported(child) => deleted.push((child, Some(*position))),
                Some(_) if lists + 1 >= depth => {}
                Some(_) => pending.push((child, lists + 1)),
                None => pending.push((child, lists)),
            }
        }
    }
    let mut kept = Subset::full(document.len()).without(cuts_of(tree, deleted.into_iter()));
    kept.commit();
    kept
}

#[cfg(test)]
mod tests {
    use boildown_document::steps::at_once;

    use super::*;
    use crate::reduced_text::{program_in, reduced_tokens};

    /// Returns the words of the result, and the number of queries, when a run on the text reports
    /// the lines with this text and other texts have to stay.
    fn left(language: &str, text: &str, reported: &str, needed: &[&str]) -> (String, usize) {
        let (document, _) = program_in(language, text);
        let mut start = 0;
        let lines = text.split_inclusive('\n').filter_map(|line| {
            let range = start..start + line.len();
            start = range.end;
            line.contains(reported).then_some(range)
        });
        let guesses = at_once(Guesses::new(&document, &[lines.collect()]));
        let (result, queries) = reduced_tokens(&document, guesses, needed);
        let words: Vec<&str> = result.split_whitespace().collect();
        (words.join(" "), queries)
    }

    fn program() -> String {
        let others: String = (0..40)
            .map(|n| {
                format!("struct t{n} {{ int a; }};\nint g{n}(struct t{n} *p) {{ return p->a; }}\n")
            })
            .collect();
        format!(
            "{others}int f(struct t7 *p) {{\n  return g7(p) + 1;\n}}\nint main() {{ return f(0); }}\n"
        )
    }

    const NEEDED: &str = "struct t7 { int a; }; int g7(struct t7 *p) { return p->a; } \
        int f(struct t7 *p) { return g7(p) + 1; } int main() { return f(0); }";

    #[test]
    fn what_the_reported_line_refers_to_is_left_after_one_query() {
        let found = left("C", &program(), "g7(p) + 1", &["g7(p) + 1", "main"]);
        assert_eq!(found, (NEEDED.to_owned(), 1));
    }

    #[test]
    fn wrong_guesses_change_nothing() {
        let (result, queries) = left("C", &program(), "g7(p) + 1", &["g9"]);
        assert_eq!(queries, 3);
        assert_eq!(
            result.split_whitespace().count(),
            program().split_whitespace().count()
        );
    }

    #[test]
    fn methods_stay_in_the_classes_that_are_needed() {
        let others: String = (0..40)
            .map(|n| format!("def g{n}():\n    return {n}\n"))
            .collect();
        let text = format!(
            "{others}class A:\n    def __init__(self):\n        self.a = 1\n    def b(self):\n        \
             return self.a\ndef f(a):\n    return g7() + a.b()\nf(A())\n"
        );
        let (result, queries) = left("Python", &text, "g7() +", &["__init__", "g7() +", "f(A())"]);
        assert!(
            !result.contains("g8") && result.contains("def b"),
            "{result}"
        );
        assert!(queries <= 3, "{queries}");
    }

    #[test]
    fn of_data_the_elements_around_the_line_stay() {
        let others: String = (0..50).map(|n| format!("  {{\"a\": [{n}]}},\n")).collect();
        let text =
            format!("{{\"list\": [\n{others}  {{\"a\": [\n    true,\n    false\n  ]}}\n]}}\n");
        let (result, queries) = left("JSON", &text, "true", &["true", "list"]);
        assert_eq!(
            (&*result, queries),
            ("{\"list\": [ {\"a\": [ true, false ]} ]}", 1)
        );
    }

    #[test]
    fn lines_that_are_not_reported_need_nothing() {
        assert_eq!(left("C", &program(), "no such line", &["main"]).1, 0);
    }
}
