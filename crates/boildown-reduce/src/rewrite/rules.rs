//! Rewrite rules, as they are written in `*.rules` files.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use boildown_document::{Document, Language, Substitutes, View, words};
use boildown_search::Subset;

use super::arguments::Arguments;
use super::matching::{Bindings, MatchIndex};
use super::pattern::{HoleNames, Pattern};
use super::proposal::Proposal;
use super::writing::{Occurrence, Writing};
use crate::edit::Edit;

/// Rewrite rules for one language.
///
/// `docs/rules.md` describes the format.
///
/// # Example
/// ```
/// use boildown_document::Language;
/// use boildown_reduce::Rules;
///
/// let c = Language::named("C").expect("C is in the default build");
/// let rules = Rules::read(
///     c,
///     "rule a loop becomes its body
///          while ($C) $S  ~>  $S
///          example: while (a) { b(); }  ~>  { b(); }",
/// )?;
/// assert_eq!(rules.len(), 1);
/// # Ok::<(), boildown_reduce::RuleError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rules {
    pub(super) rules: Vec<Rule>,
    pub(super) minimal: Vec<MinimalReplacement>,
}

/// A rule: the rewrites that begin it, and those that follow from its bindings.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rule {
    name: String,
    hole_names: HoleNames,
    /// Patterns that are searched for in the document.
    here: Vec<Rewrite>,
    /// Patterns that are then replaced in the rest of the document, with the same bindings.
    everywhere: Vec<Rewrite>,
    /// Parameters whose names become something else.
    arguments: Vec<Arguments>,
    examples: Vec<Example>,
}

#[derive(Debug, Clone, PartialEq)]
struct Rewrite {
    pattern: Pattern,
    replacement: Pattern,
}

#[derive(Debug, Clone, PartialEq)]
struct Example {
    line: usize,
    before: String,
    after: String,
}

/// A minimal replacement: the text for a kind of node, from a line `least KIND TEXT`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MinimalReplacement {
    pub(super) kind: String,
    pub(super) text: Arc<[u8]>,
    line: usize,
}

/// An error in a file of rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct RuleError {
    /// The line, from 1 on.
    pub line: usize,
    /// The error.
    pub what: String,
}

const ARROW: &str = "~>";

impl Rules {
    /// Reads rules, and checks their examples.
    ///
    /// # Errors
    /// If a line is not valid, or an example of a rule does not hold.
    pub fn read(language: &'static Language, text: &str) -> Result<Self, RuleError> {
        let rules = Self::parse(text)?;
        rules.check(language)?;
        Ok(rules)
    }

    /// Returns the rules that come with boildown for a language.
    pub(crate) fn built_in(language: &Language) -> Self {
        let files = language.rules.iter();
        let read =
            files.map(|file| Self::parse(file).expect("a test reads the rules of every language"));
        read.fold(Self::default(), |all, file| all.and(&file))
    }

    /// Returns the number of rules.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Returns whether there are no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Appends other rules.
    #[must_use]
    pub fn and(mut self, others: &Self) -> Self {
        self.rules.extend_from_slice(&others.rules);
        self.minimal.extend_from_slice(&others.minimal);
        self
    }

    fn parse(text: &str) -> Result<Self, RuleError> {
        let mut rules = Self::default();
        for (index, line) in text.lines().enumerate() {
            let line_number = index + 1;
            let wrong = |what: String| RuleError {
                line: line_number,
                what,
            };
            let line = line.trim();
            if line.is_empty() || line.starts_with("# ") || line == "#" {
            } else if let Some(name) = line.strip_prefix("rule ") {
                rules.finish(line_number)?;
                rules.rules.push(Rule {
                    name: name.trim().to_owned(),
                    hole_names: HoleNames::default(),
                    here: Vec::new(),
                    everywhere: Vec::new(),
                    arguments: Vec::new(),
                    examples: Vec::new(),
                });
            } else if let Some(least) = line.strip_prefix("least ") {
                let (kind, text) = least.split_once(char::is_whitespace).ok_or_else(|| {
                    wrong("`least` takes a kind of node and a text, as in `least number 0`".into())
                })?;
                rules.minimal.push(MinimalReplacement {
                    kind: kind.to_owned(),
                    text: unescape(text.trim()).into_bytes().into(),
                    line: line_number,
                });
            } else {
                let (before, after) = line.split_once(ARROW).ok_or_else(|| {
                    wrong(format!(
                        "expected `rule NAME`, `least KIND TEXT` or `PATTERN {ARROW} REPLACEMENT`"
                    ))
                })?;
                let rule = rules
                    .rules
                    .last_mut()
                    .ok_or_else(|| wrong("a rule has to begin with a line `rule NAME`".into()))?;
                rule.add(line_number, before.trim(), after.trim())
                    .map_err(wrong)?;
            }
        }
        rules.finish(text.lines().count())?;
        Ok(rules)
    }

    /// Checks that the rule that was read last is complete.
    fn finish(&self, line: usize) -> Result<(), RuleError> {
        let complaint = self.rules.last().and_then(|rule| {
            let missing = match rule {
                Rule { here, .. } if here.is_empty() => "pattern",
                Rule { examples, .. } if examples.is_empty() => "example",
                _ => return None,
            };
            Some(format!(
                "the rule `{}`, which ends here, has no {missing}",
                rule.name
            ))
        });
        complaint.map_or(Ok(()), |what| Err(RuleError { line, what }))
    }

    fn check(&self, language: &'static Language) -> Result<(), RuleError> {
        let grammar = language.grammar();
        for minimal in &self.minimal {
            if grammar.id_for_node_kind(&minimal.kind, true) == 0 {
                return Err(RuleError {
                    line: minimal.line,
                    what: format!("{} has no node kind `{}`", language.name, minimal.kind),
                });
            }
        }
        for rule in &self.rules {
            for example in &rule.examples {
                rule.check(example, language)?;
            }
        }
        Ok(())
    }
}

impl Rule {
    fn add(&mut self, line: usize, before: &str, after: &str) -> Result<(), String> {
        if let Some(before) = before.strip_prefix("example:") {
            self.examples.push(Example {
                line,
                before: unescape(before.trim()),
                after: unescape(after),
            });
            return Ok(());
        }
        if let Some(inside) = before.strip_prefix("inside ") {
            let (body, parameters) = (inside.split_once(':')).ok_or(
                "expected `inside $BODY: $$$PARAMETERS or a word ~> $$$ARGUMENTS or a text`",
            )?;
            let arguments = Arguments::read(body, parameters, after, &self.hole_names)?;
            self.arguments.push(arguments);
            return Ok(());
        }
        let everywhere = before.strip_prefix("everywhere:");
        let known = self.hole_names.len();
        let pattern = Pattern::read(everywhere.unwrap_or(before).trim(), &mut self.hole_names);
        if pattern.items.is_empty() {
            return Err("the pattern is empty".to_owned());
        }
        // A hole that the rule has bound before restricts the matches enough.
        let is_restricted = everywhere.is_some() && pattern.holes().any(|hole| hole < known);
        if pattern.matches_everything() && !is_restricted {
            return Err(
                "the pattern consists of holes only, so it would match everywhere".to_owned(),
            );
        }
        let known = self.hole_names.len();
        let replacement = Pattern::read(&unescape(after), &mut self.hole_names);
        if let Some(hole) = replacement.holes().find(|&hole| hole >= known) {
            let name = self.hole_names.name(hole);
            return Err(format!(
                "the replacement uses ${name}, which the pattern does not bind"
            ));
        }
        let rewrite = Rewrite {
            pattern,
            replacement,
        };
        match everywhere {
            Some(_) => self.everywhere.push(rewrite),
            None => self.here.push(rewrite),
        }
        Ok(())
    }

    /// Adds the proposals that the rule makes for a document.
    pub(super) fn propose(
        &self,
        index: &MatchIndex<'_>,
        source: usize,
        proposals: &mut Vec<Proposal>,
    ) {
        let nothing: Bindings = vec![None; self.hole_names.len()];
        for rewrite in &self.here {
            for found in index.matches(&rewrite.pattern, &nothing) {
                let occurrences = self.occurrences(index, &found.bindings);
                let writing = Writing::new(
                    index.document,
                    &self.arguments,
                    &found.bindings,
                    &occurrences,
                );
                let mut edits = vec![writing.edit_here(&found, &rewrite.replacement)];
                for occurrence in &occurrences {
                    let Range { start, end } = occurrence.found.tokens;
                    let is_apart = |edit: &Edit| {
                        let taken = edit.range();
                        end <= taken.start || taken.end <= start
                    };
                    if edits.iter().all(is_apart) {
                        edits.push(writing.edit_at(occurrence));
                    }
                }
                proposals.extend(Proposal::new(index.document, edits, source));
            }
        }
    }

    /// Returns what the rule replaces everywhere, with what its match has bound.
    fn occurrences(&self, index: &MatchIndex<'_>, known: &Bindings) -> Vec<Occurrence<'_>> {
        // Not every line before binds every hole: without them, a hole alone matches everything.
        let is_restricted = |pattern: &Pattern| {
            !pattern.matches_everything() || pattern.holes().any(|hole| known[hole].is_some())
        };
        let everywhere = (self.everywhere.iter()).filter(|other| is_restricted(&other.pattern));
        let occurrences = everywhere.flat_map(|other| {
            let found = index.matches(&other.pattern, known);
            found.into_iter().map(|found| Occurrence {
                found,
                replacement: &other.replacement,
            })
        });
        occurrences.collect()
    }

    /// Checks that one of the proposals for the text before is the text after, not counting white
    /// space.
    fn check(&self, example: &Example, language: &'static Language) -> Result<(), RuleError> {
        let before: Arc<[u8]> = format!("{}\n", example.before).into_bytes().into();
        let document = Document::new(&before, View::Syntax(language));
        let index = MatchIndex::new(&document);
        let mut proposals = Vec::new();
        self.propose(&index, 0, &mut proposals);
        let everything = Subset::full(document.len());
        let mut seen = String::new();
        for proposal in &proposals {
            let (kept, substitutes) = proposal.apply(&everything, &Substitutes::new());
            let after = document.render_with(&kept, &substitutes);
            let after = String::from_utf8_lossy(&after);
            if visible(&after) == visible(&example.after) {
                return Ok(());
            }
            let after = after.trim().replace('\n', "\\n");
            write!(seen, "\n  it yields {after}").expect("writing to a string");
        }
        if proposals.is_empty() {
            seen.push_str("\n  the rule proposes nothing for it");
        }
        Err(RuleError {
            line: example.line,
            what: format!("the example of `{}` does not hold{seen}", self.name),
        })
    }
}

/// Returns the words and the other visible characters of a text.
fn visible(text: &str) -> Vec<&[u8]> {
    let bytes = text.as_bytes();
    let found = words(bytes, 0..bytes.len());
    found.map(|word| &bytes[word]).collect()
}

/// Replaces `
/// ` by a line break.
fn unescape(text: &str) -> String {
    text.replace("\\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_every_rule_hold() {
        let mut complaints = Vec::new();
        for language in Language::all() {
            for source in language.rules {
                let rules = match Rules::parse(source) {
                    Ok(rules) => rules,
                    Err(error) => {
                        complaints.push(format!("{}: {error}", language.name));
                        continue;
                    }
                };
                for rule in &rules.rules {
                    for example in &rule.examples {
                        if let Err(error) = rule.check(example, language) {
                            complaints.push(format!("{}: {error}", language.name));
                        }
                    }
                }
            }
        }
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    }

    #[test]
    fn a_rule_does_not_take_two_methods_for_one() {
        let text = "class a { int f() { return 1; } int g() { return 2; } }";
        let rule =
            "rule r\n $T $F($$$P) { $$$B } ~> void $F($$$P) {}\n example: a b() { } ~> void b() {}";
        let texts = rewritten("Java", rule, text);
        assert_eq!(
            texts,
            [
                "class a { void f() {} int g() { return 2; } }",
                "class a { int f() { return 1; } void g() {} }"
            ]
        );
    }

    #[test]
    fn every_minimal_replacement_is_for_a_kind_that_the_language_has() {
        for language in Language::all() {
            if let Some(own) = language.rules.last() {
                Rules::read(language, own).unwrap_or_else(|error| panic!("{language:?}: {error}"));
            }
        }
    }

    /// Returns the texts that a rule makes of another one.
    fn rewritten(language: &str, rule: &str, text: &str) -> Vec<String> {
        let language = Language::named(language).expect("the grammar is built");
        let document = Document::new(&text.as_bytes().into(), View::Syntax(language));
        let rules = Rules::parse(rule).expect("the rule is well-formed");
        let mut proposals = Vec::new();
        rules.rules[0].propose(&MatchIndex::new(&document), 0, &mut proposals);
        let everything = Subset::full(document.len());
        let text = |proposal: &Proposal| {
            let (kept, substitutes) = proposal.apply(&everything, &Substitutes::new());
            String::from_utf8_lossy(&document.render_with(&kept, &substitutes)).into_owned()
        };
        let mut texts: Vec<String> = proposals.iter().map(text).collect();
        texts.dedup();
        texts
    }

    #[test]
    fn of_deep_calls_in_calls_the_outer_ones_are_replaced() {
        let rule = "rule r\n function $F($P) { return $E } ~>\n everywhere: $F($A) ~> $E\n inside $E: $P ~> $A\n example: function f(a) { return a } f(1) ~> 1";
        let calls = |depth: usize| format!("{}b{}", "f(".repeat(depth), ")".repeat(depth));
        let single = format!("function f(a) {{ return a }} {}", calls(500));
        // The outermost one, and eight levels inside of it.
        assert_eq!(rewritten("JavaScript", rule, &single), [calls(491)]);
        // Each level would double the text.
        let double = format!("function f(a) {{ return a + a }} {}", calls(500));
        assert!(rewritten("JavaScript", rule, &double).is_empty());
    }

    #[test]
    fn blocks_of_python_are_indented_as_their_places_are() {
        let call = "rule r\n def $F(): $B ~>\n everywhere: $F() ~> $B\n example: a ~> b";
        let text = "def f():\n        a()\n        b()\nif c:\n  f()\n  d()\n";
        let expect = "if c:\n  a()\n  b()\n  d()\n";
        assert_eq!(rewritten("Python", call, text), [expect]);
        let parameter = "rule r\n def $F($P): $B ~> def $F(): $B\n example: a ~> b";
        let text = "if c:\n  def f(a):\n    b()\n    d()\n";
        let expect = "if c:\n  def f():\n    b()\n    d()\n";
        assert_eq!(rewritten("Python", parameter, text), [expect]);
        let merged = "rule r\n class $B: $S class $N($B): $T ~> class $N:\\n    $S\\n    $T\n \
             example: a ~> b";
        let text = "class a:\n  f\n  g\nclass b(a):\n  if h:\n    k\n    l\n";
        let expect = "class b:\n  f\n  g\n  if h:\n    k\n    l\n";
        assert_eq!(rewritten("Python", merged, text), [expect]);
    }

    #[test]
    fn what_is_replaced_everywhere_is_replaced_in_what_moves() {
        let rule = "rule r\n int $F() { $$$B } ~> void $F() { $$$B }\n \
             everywhere: $F($E) ~> $E\n example: a ~> b";
        let seen = rewritten(
            "C",
            rule,
            "int f() { g(f(f(1))); f(2); }\nint x = f(f(3));\n",
        );
        let expect = "void f() { g(1); 2; }\nint x = 3;\n";
        assert_eq!(seen, [expect]);
        // A value that contains its own name is written once.
        let rule = "rule r\n int $N = $V; ~>\n everywhere: $N ~> $V\n example: a ~> b";
        let seen = rewritten("C", rule, "int a = a + 1;\nint b = a;\n");
        assert!(
            seen.iter().any(|text| text == "int b = a + 1;\n"),
            "{seen:#?}"
        );
        // A hole that nothing binds is not everything.
        let rule = "rule r\n a; ~>\n int $N; ~>\n everywhere: $N ~> 0\n example: a ~> b";
        let seen = rewritten("C", rule, "a;\nb c = d;\n");
        assert_eq!(seen, ["b c = d;\n"]);
    }
}
