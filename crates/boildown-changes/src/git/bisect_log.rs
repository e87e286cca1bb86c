//! The log of a `git bisect`, as `git bisect log` prints it and git keeps it.

/// What a `git bisect` has learned so far. Revisions are as git wrote them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BisectLog {
    /// Revisions told to be good, the first one first.
    pub good: Vec<String>,
    /// Revisions told to be bad; the last one counts.
    pub bad: Vec<String>,
    /// Revisions that could not be tested, or ranges of them.
    pub skipped: Vec<String>,
    /// The paths to which the search is limited.
    pub paths: Vec<String>,
    /// Whether only first parents are followed.
    pub first_parent: bool,
}

impl BisectLog {
    /// Reads a log. `None` if it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let mut log = Self::default();
        let (mut old_term, mut new_term) = ("good".to_owned(), "bad".to_owned());
        let mut is_log = false;
        for line in text.lines() {
            let Some(rest) = line.trim().strip_prefix("git bisect ") else {
                continue;
            };
            let mut words = words(rest).into_iter();
            match words.next()?.as_str() {
                "start" => {
                    is_log = true;
                    let mut revisions = Vec::new();
                    while let Some(word) = words.next() {
                        let value =
                            |word: &str| word.split_once('=').map(|(_, value)| value.to_owned());
                        match word.as_str() {
                            "--" => log.paths.extend(words.by_ref()),
                            "--first-parent" => log.first_parent = true,
                            "--term-good" | "--term-old" => old_term = words.next()?,
                            "--term-bad" | "--term-new" => new_term = words.next()?,
                            word if word.starts_with("--term-good=")
                                || word.starts_with("--term-old=") =>
                            {
                                old_term = value(word)?;
                            }
                            word if word.starts_with("--term-bad=")
                                || word.starts_with("--term-new=") =>
                            {
                                new_term = value(word)?;
                            }
                            word if word.starts_with("--") => {}
                            _ => revisions.push(word),
                        }
                    }
                    let mut revisions = revisions.into_iter();
                    log.bad.extend(revisions.next());
                    log.good.extend(revisions);
                }
                "skip" => log.skipped.extend(words),
                "bad" | "new" => log.bad.extend(words),
                "good" | "old" => log.good.extend(words),
                word if word == new_term => log.bad.extend(words),
                word if word == old_term => log.good.extend(words),
                _ => {}
            }
        }
        is_log.then_some(log)
    }
}

/// Splits a line of a log into words. Git puts words into single quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = line.chars();
    let mut is_quoted = false;
    while let Some(character) = characters.next() {
        match character {
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            '\\' if !is_quoted => word.get_or_insert_default().extend(characters.next()),
            ' ' if !is_quoted => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_of_git_is_read() {
        let text = "# bad: [aaa] title\n# good: [bbb] title\n\
                    git bisect start '--first-parent' 'aaa' 'bbb' '--' 'src/it'\\''s' 'lib'\n\
                    # good: [ccc] title\ngit bisect good ccc\n\
                    # skip: [ddd] title\ngit bisect skip ddd\ngit bisect bad eee\n\
                    # first bad commit: [eee] title\n";
        let log = BisectLog::parse(text).unwrap();
        assert_eq!(log.good, ["bbb", "ccc"]);
        assert_eq!(log.bad, ["aaa", "eee"]);
        assert_eq!(log.skipped, ["ddd"]);
        assert_eq!(log.paths, ["src/it's", "lib"]);
        assert!(log.first_parent);
    }

    #[test]
    fn other_terms_are_understood() {
        let text = "git bisect start '--term-old' 'broken' '--term-new=fixed'\n\
                    git bisect fixed aaa\ngit bisect broken bbb\n";
        let log = BisectLog::parse(text).unwrap();
        assert_eq!(
            (log.bad.as_slice(), log.good.as_slice()),
            (["aaa".to_owned()].as_slice(), ["bbb".to_owned()].as_slice())
        );
        assert_eq!(BisectLog::parse("nothing of git"), None);
    }
}
