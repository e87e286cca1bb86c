//! Functions with a value in another place: one that ends by returning it, or that gets it from its
//! callers. What only computes or uses the value is then not needed.
//!
//! `llvm-reduce` makes parameters of operands too; that a value is returned is ours.

use std::ops::Range;

/// The size of a module from which on it has no such forms, in bytes. In larger ones, units that
/// nothing needs are found first.
pub(super) const LIMIT: usize = 4096;

/// The number of values of a function that are tried in each way, the last ones.
const MOST: usize = 8;

/// Words before the type of an instruction that say nothing about it.
const FLAGS: &[&str] = &[
    "afn", "arcp", "atomic", "coldcc", "contract", "disjoint", "exact", "fast", "fastcc",
    "inbounds", "musttail", "ninf", "nnan", "nneg", "noalias", "nonnull", "notail", "noundef",
    "nsw", "nsz", "nuw", "reassoc", "samesign", "signext", "tail", "volatile", "zeroext",
];

/// Returns the module with a function that ends by returning one of its values, the last one first,
/// and then with a function of which a value has become a parameter.
pub(super) fn forms(text: &[u8]) -> Vec<Vec<u8>> {
    let Ok(text) = std::str::from_utf8(text) else {
        return Vec::new();
    };
    if text.len() >= LIMIT {
        return Vec::new();
    }
    let (mut returning, mut taking) = (Vec::new(), Vec::new());
    for function in functions(text) {
        let values: Vec<Value<'_>> = function.values(text).collect();
        for value in values.iter().rev().take(MOST) {
            returning.extend(function.returning(text, value));
            taking.extend(function.taking(text, value));
        }
    }
    returning.extend(taking);
    returning.into_iter().map(String::into_bytes).collect()
}

/// A function that nothing else mentions, as ranges of bytes of the module.
struct Function {
    /// From behind `define` to the name.
    before_name: Range<usize>,
    /// Between the parentheses.
    parameters: Range<usize>,
    /// The lines between the braces.
    body: Range<usize>,
}

/// An instruction with a value.
struct Value<'a> {
    name: &'a str,
    kind: &'a str,
    /// Whether the value has as many elements as a vector of this type, each of one bit.
    is_comparison: bool,
    /// The line of the instruction, with its line break.
    line: Range<usize>,
}

fn functions(text: &str) -> Vec<Function> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find("define ").map(|at| from + at) {
        from = start + "define".len();
        let Some(end) = text[from..].find("\n}").map(|at| from + at + 1) else {
            break;
        };
        let head = text[from..end].find('\n').map(|at| from + at);
        let begins_line = start == 0 || text.as_bytes()[start - 1] == b'\n';
        if let Some(head) = head.filter(|_| begins_line) {
            found.extend(function(text, from..head, head + 1..end));
        }
        from = end;
    }
    found
}

/// Returns the function whose head is in this range of the text, without `define`.
fn function(text: &str, head: Range<usize>, body: Range<usize>) -> Option<Function> {
    let at = text[head.clone()].find('@')? + head.start;
    let open = text[at..head.end].find('(')? + at;
    let close = closing(text.as_bytes(), open)?;
    let name = &text[at..open];
    let is_rest = |rest: &str| rest.starts_with(|it: char| is_name(it));
    let mut uses = text.match_indices(name);
    let is_alone = uses.all(|(other, _)| other == at || is_rest(&text[other + name.len()..]));
    (is_alone && text[head.clone()].trim_end().ends_with('{')).then_some(Function {
        before_name: head.start..at,
        parameters: open + 1..close,
        body,
    })
}

impl Function {
    fn values<'a>(&self, text: &'a str) -> impl Iterator<Item = Value<'a>> {
        let mut start = self.body.start;
        text[self.body.clone()]
            .split_inclusive('\n')
            .filter_map(move |line| {
                let range = start..start + line.len();
                start = range.end;
                let (name, instruction) = line.trim().split_once(" = ")?;
                let (kind, is_comparison) = result(instruction)?;
                name.starts_with('%').then_some(Value {
                    name,
                    kind,
                    is_comparison,
                    line: range,
                })
            })
    }

    /// Returns the module in which the function ends by returning the value.
    fn returning(&self, text: &str, value: &Value<'_>) -> Option<String> {
        let kept = &text[self.body.start..value.line.end];
        let dropped = &text[value.line.end..self.body.end];
        let labels = dropped.lines().filter_map(label);
        let is_reached = |label: &str| {
            let name = format!("%{label}");
            let mut uses = kept.match_indices(&name);
            uses.any(|(at, _)| !kept[at + name.len()..].starts_with(is_name))
        };
        if { labels }.any(is_reached) {
            return None;
        }
        let kind = value.full_kind()?;
        Some(format!(
            "{} {kind} {}{kept}  ret {kind} {}\n{}",
            &text[..self.before_name.start],
            &text[self.before_name.end..self.body.start],
            value.name,
            &text[self.body.end..],
        ))
    }

    /// Returns the module in which the function has a parameter for the value. Without the
    /// instruction, those after it have smaller numbers.
    fn taking(&self, text: &str, value: &Value<'_>) -> Option<String> {
        let kind = value.full_kind()?;
        let number: Option<usize> = value.name[1..].parse().ok();
        let name = match number {
            Some(_) => unused_name(text)?,
            None => value.name.to_owned(),
        };
        let parameters = &text[self.parameters.clone()];
        let separator = match parameters.trim() {
            "" => "",
            all if all.ends_with("...") => return None,
            _ => ", ",
        };
        let body = [
            &text[self.body.start..value.line.start],
            &text[value.line.end..self.body.end],
        ];
        let body = body.concat();
        let body = number.map_or(body.clone(), |number| renumbered(&body, number, &name));
        Some(format!(
            "{}{parameters}{separator}{kind} {name}{}{body}{}",
            &text[..self.parameters.start],
            &text[self.parameters.end..self.body.start],
            &text[self.body.end..],
        ))
    }
}

impl Value<'_> {
    fn full_kind(&self) -> Option<String> {
        if !self.is_comparison {
            return Some(self.kind.to_owned());
        }
        match self.kind.strip_prefix('<') {
            None => Some("i1".to_owned()),
            Some(vector) => Some(format!("<{}x i1>", vector.rsplit_once("x ")?.0)),
        }
    }
}

/// Returns the type of the value of an instruction, or of what it compares, and whether it
/// compares. `None` where the text of the instruction does not say it.
fn result(instruction: &str) -> Option<(&str, bool)> {
    let (mut operation, mut rest) = instruction.split_once(' ')?;
    while FLAGS.contains(&operation) {
        (operation, rest) = rest.split_once(' ')?;
    }
    while let Some((flag, after)) = rest
        .split_once(' ')
        .filter(|(flag, _)| FLAGS.contains(flag))
    {
        let _ = flag;
        rest = after;
    }
    let kind = match operation {
        "icmp" | "fcmp" => return Some((first_type(rest.split_once(' ')?.1)?.0, true)),
        "select" => {
            let (_, condition) = first_type(rest)?;
            first_type(condition.split_once(',')?.1.trim_start())?.0
        }
        "getelementptr" => {
            let (_, pointer) = first_type(rest)?;
            let pointer = pointer.trim_start().strip_prefix(',')?.trim_start();
            first_type(pointer)?.0
        }
        "bitcast" | "addrspacecast" | "inttoptr" | "ptrtoint" | "trunc" | "zext" | "sext"
        | "fptrunc" | "fpext" | "fptoui" | "fptosi" | "uitofp" | "sitofp" => {
            first_type(rest.rsplit_once(" to ")?.1)?.0
        }
        "call" => {
            let (kind, callee) = first_type(rest)?;
            let is_direct = callee.trim_start().starts_with(['@', '%']) && kind != "void";
            is_direct.then_some(kind)?
        }
        "extractelement" => {
            let vector = first_type(rest)?.0.strip_prefix('<')?.strip_suffix('>')?;
            vector.rsplit_once("x ")?.1
        }
        "extractvalue" | "alloca" | "cmpxchg" | "landingpad" | "shufflevector" | "invoke"
        | "callbr" | "atomicrmw" | "va_arg" => return None,
        _ => first_type(rest)?.0,
    };
    // The type of the result has a star more or less than what is written.
    let is_clear = operation != "getelementptr" || kind == "ptr";
    is_clear.then_some((kind, false))
}

/// Divides a text after the type at its beginning.
fn first_type(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let mut end = match bytes.first()? {
        b'<' | b'{' | b'[' => closing(bytes, 0)? + 1,
        _ => text.find([' ', ',', '*', '(']).unwrap_or(text.len()),
    };
    if text[end..].starts_with(" addrspace(") {
        end += text[end..].find(')')? + 1;
    }
    end += bytes[end..]
        .iter()
        .take_while(|byte| **byte == b'*')
        .count();
    (end > 0).then(|| text.split_at(end))
}

/// Returns the position of the bracket that closes the one at a position.
fn closing(bytes: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

fn is_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-' | '$')
}

/// Returns the name of the block that begins in a line.
fn label(line: &str) -> Option<&str> {
    let name = line.split_once(':')?.0;
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

/// Returns a name of one letter that no value of the module has.
fn unused_name(text: &str) -> Option<String> {
    let mut names = ('a'..='z').map(|letter| format!("%{letter}"));
    names.find(|name| !text.contains(name.as_str()))
}

/// Returns the body of a function with a name in place of the value with this number, and with
/// smaller numbers in place of the larger ones.
fn renumbered(body: &str, number: usize, name: &str) -> String {
    let mut text = String::new();
    for line in body.split_inclusive('\n') {
        let mut rest = line;
        if let Some(block) = label(line).and_then(|label| label.parse::<usize>().ok())
            && block > number
        {
            text += &(block - 1).to_string();
            rest = rest.trim_start_matches(|it: char| it.is_ascii_digit());
        }
        while let Some(at) = rest.find('%') {
            text += &rest[..at];
            rest = &rest[at + 1..];
            let end = rest.find(|it: char| !is_name(it)).unwrap_or(rest.len());
            match rest[..end].parse::<usize>() {
                Ok(value) if value == number => text += name,
                Ok(value) if value > number => text += &format!("%{}", value - 1),
                _ => text += &format!("%{}", &rest[..end]),
            }
            rest = &rest[end..];
        }
        text += rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "\
define internal i1 @f(ptr %q) {
  %1 = getelementptr i8, ptr %q, i64 8
  %2 = load i32, ptr %1
  %3 = icmp ult i32 7, %2
  br i1 %3, label %4, label %5
4:
  unreachable
5:
  call void @free(i1 %3)
  unreachable
}
declare void @free(i1)
";

    fn all() -> Vec<String> {
        let forms = forms(MODULE.as_bytes()).into_iter();
        forms.map(|form| String::from_utf8(form).unwrap()).collect()
    }

    #[test]
    fn a_function_returns_each_of_its_values_the_last_one_first() {
        let forms = all();
        assert_eq!(
            forms[1],
            "define i32 @f(ptr %q) {\n  %1 = getelementptr i8, ptr %q, i64 8\n  \
             %2 = load i32, ptr %1\n  ret i32 %2\n}\ndeclare void @free(i1)\n"
        );
        assert!(forms[0].contains("  ret i1 %3\n}"), "{}", forms[0]);
        assert!(forms[2].contains("define ptr @f") && forms[2].contains("ret ptr %1\n}"));
    }

    #[test]
    fn a_value_becomes_a_parameter_and_later_ones_get_smaller_numbers() {
        let forms = all();
        assert_eq!(
            forms[4],
            "define internal i1 @f(ptr %q, i32 %a) {\n  %1 = getelementptr i8, ptr %q, i64 8\n  \
             %2 = icmp ult i32 7, %a\n  br i1 %2, label %3, label %4\n3:\n  unreachable\n4:\n  \
             call void @free(i1 %2)\n  unreachable\n}\ndeclare void @free(i1)\n"
        );
        assert_eq!(forms.len(), 6);
    }

    #[test]
    fn a_function_that_is_called_and_blocks_that_are_reached_stay() {
        let called = MODULE.replace("@free(i1 %3)", "@f(ptr %q)");
        assert!(forms(called.as_bytes()).is_empty());
        let later = MODULE.replace("5:\n  call void @free(i1 %3)", "5:\n  %6 = add i32 %2, 1");
        let forms = forms(later.as_bytes());
        assert!(forms[0].windows(13).any(|part| part == b"  ret i32 %6\n"));
        let middle = later.replace(
            "4:\n  unreachable",
            "4:\n  %x = xor i32 %2, 1\n  unreachable",
        );
        let forms = super::forms(middle.as_bytes());
        assert!(
            !forms
                .iter()
                .any(|form| form.windows(6).any(|part| part == b"ret i32 %x"))
        );
    }

    #[test]
    fn the_type_of_a_value_is_read_from_its_instruction() {
        for (instruction, expected) in [
            ("add nuw nsw i64 %a, 1", Some(("i64", false))),
            ("load volatile <4 x i8>, ptr %p", Some(("<4 x i8>", false))),
            (
                "icmp samesign ult <2 x i8> %a, %b",
                Some(("<2 x i8>", true)),
            ),
            ("select i1 %c, i32 %a, i32 7", Some(("i32", false))),
            ("zext i32 %a to i64", Some(("i64", false))),
            (
                "tail call fastcc noundef i32 @g(i32 1)",
                Some(("i32", false)),
            ),
            ("call void @g()", None),
            ("load i32*, i32** %p", Some(("i32*", false))),
            ("getelementptr inbounds i8, i8* %p, i64 1", None),
            ("load i8, i8 addrspace(1)* %p", Some(("i8", false))),
            (
                "extractelement <4 x float> %v, i32 0",
                Some(("float", false)),
            ),
            ("bitcast ptr %a to ptr", Some(("ptr", false))),
        ] {
            assert_eq!(result(instruction), expected, "{instruction}");
        }
    }
}
