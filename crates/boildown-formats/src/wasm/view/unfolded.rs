//! Blocks of the first proposal for exceptions, which the parser of texts knows without brackets
//! only.

/// A bracket that is open.
enum Bracket {
    /// One that stays.
    Kept {
        /// Whether there are instructions in it that are no operands.
        has_instructions: bool,
    },
    /// `(try …)`, and whether it ends in `(delegate …)`.
    Try { is_delegated: bool },
    /// `(do …)`, `(catch …)` and others of a block.
    Part,
}

/// Returns a text with `try do … catch … end` for `(try (do …) (catch …))`. `None` if there is no
/// such block, or if one is an operand.
pub(super) fn unfold(text: &str) -> Option<String> {
    let mut all = String::with_capacity(text.len());
    let mut open: Vec<Bracket> = Vec::new();
    let mut rest = text;
    let mut has_changed = false;
    while let Some(first) = rest.chars().next() {
        let quiet = length_of_quiet(rest);
        if quiet > 0 {
            all.push_str(&rest[..quiet]);
            rest = &rest[quiet..];
            continue;
        }
        let mut length = first.len_utf8();
        match first {
            '(' => {
                let inside = rest[1..].trim_start();
                let end = inside.find(|character: char| {
                    character.is_whitespace() || "();\"".contains(character)
                });
                let word = &inside[..end.unwrap_or(inside.len())];
                let bracket = bracket(word, open.last_mut())?;
                let skipped = match bracket {
                    Bracket::Kept { .. } => "(",
                    Bracket::Part if word == "do" => {
                        length = rest.len() - inside.len() + word.len();
                        " "
                    }
                    Bracket::Try { .. } | Bracket::Part => " ",
                };
                has_changed |= skipped == " ";
                all.push_str(skipped);
                open.push(bracket);
            }
            ')' => all.push_str(match open.pop()? {
                Bracket::Kept { .. } => ")",
                Bracket::Try {
                    is_delegated: false,
                } => " end ",
                Bracket::Try { .. } | Bracket::Part => " ",
            }),
            other => all.push(other),
        }
        rest = &rest[length..];
    }
    has_changed.then_some(all)
}

/// Returns the bracket that a word begins within another one. `None` if it is a block and an
/// operand.
fn bracket(word: &str, outside: Option<&mut Bracket>) -> Option<Bracket> {
    let has_instructions = match &outside {
        Some(Bracket::Kept { has_instructions }) => *has_instructions,
        Some(Bracket::Part) => true,
        Some(Bracket::Try { .. }) | None => false,
    };
    match (word, outside) {
        ("try", _) => has_instructions.then_some(Bracket::Try {
            is_delegated: false,
        }),
        ("do" | "catch" | "catch_all", Some(Bracket::Try { .. })) => Some(Bracket::Part),
        ("delegate", Some(Bracket::Try { is_delegated })) => {
            *is_delegated = true;
            Some(Bracket::Part)
        }
        _ => Some(Bracket::Kept {
            has_instructions: matches!(word, "func" | "block" | "loop" | "then" | "else"),
        }),
    }
}

/// Returns the length of the string or comment that a text begins with; 0 without one.
fn length_of_quiet(text: &str) -> usize {
    if text.starts_with(";;") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("(;") {
        return text.find(";)").map_or(text.len(), |end| end + 2);
    }
    if !text.starts_with('"') {
        return 0;
    }
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            '"' if !is_escaped => return at + 1,
            _ => is_escaped = character == '\\' && !is_escaped,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_the_first_proposal_are_written_without_brackets() {
        let text = "(func (try $l (result i32) (do (call $f)) (catch $e (drop \"(try\"))))";
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let unfolded = unfold(text).map(|text| words(&text));
        let expected = "(func try $l (result i32) (call $f) catch $e (drop \"(try\") end )";
        assert_eq!(unfolded.as_deref(), Some(expected));
        let delegated = "(func (try (do nop) (delegate 0)) ;; (try\n)";
        let unfolded = unfold(delegated).map(|text| words(&text));
        assert_eq!(
            unfolded.as_deref(),
            Some("(func try nop delegate 0 ;; (try )")
        );
        assert_eq!(
            unfold("(func (drop (try (result i32) (do (i32.const 1)))))"),
            None
        );
        assert_eq!(unfold("(func (block nop))"), None);
    }

    #[test]
    fn a_module_with_such_blocks_is_read() {
        let text =
            b"(module (tag $e) (func (try (do throw $e) (catch $e nop) (catch_all (rethrow 0)))
            (try $o (do (try (do nop) (delegate $o))))))";
        assert!(super::super::text::is_valid_text(text));
    }
}
