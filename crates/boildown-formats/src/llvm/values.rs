//! Functions with a value in another place: one that ends by returning it, or that gets it from its
//! callers. What only computes or uses the value is then not needed.
//!
//! `llvm-reduce` makes parameters of operands too; that a value is returned is ours.

use std::ops::Range;

use super::view::{TypedFunction, TypedValue, number_of, typed_functions};

/// The size of a module from which on it has no such forms, in bytes. In larger ones, units that
/// nothing needs are found first.
pub(super) const LIMIT: usize = 4096;

/// The number of values of a function that are tried in each way, the last ones.
const MOST: usize = 8;

/// Returns the module with a function that ends by returning one of its values, the last one first,
/// and then with a function of which a value has become a parameter.
pub(super) fn forms(text: &[u8]) -> Vec<Vec<u8>> {
    if text.len() >= LIMIT {
        return Vec::new();
    }
    let functions = typed_functions(text);
    let each = |form: fn(&TypedFunction, &[u8], &TypedValue) -> Option<Vec<u8>>| {
        let all = functions.iter().flat_map(|function| {
            let values = function.values.iter().rev().take(MOST);
            values.filter_map(move |value| form(function, text, value))
        });
        all.collect::<Vec<_>>()
    };
    [each(returning), each(taking)].concat()
}

/// Returns the module in which the function ends by returning the value. `None` if a block that is
/// kept leads to one that is not.
fn returning(function: &TypedFunction, text: &[u8], value: &TypedValue) -> Option<Vec<u8>> {
    let end = value.line.end;
    let kept = function.locals.iter().filter(|local| local.end <= end);
    let kept: Vec<&[u8]> = kept
        .map(|local| &text[local.start + 1..local.end])
        .collect();
    let mut dropped = function.labels.iter().filter(|label| label.start >= end);
    if dropped.any(|label| kept.contains(&&text[label.clone()])) {
        return None;
    }
    let (kind, name) = (&text[value.kind.clone()], &text[value.name.clone()]);
    Some(
        [
            &text[..function.before_name.start],
            b" ",
            kind,
            b" ",
            &text[function.before_name.end..end],
            b"ret ",
            kind,
            b" ",
            name,
            b"\n",
            &text[function.body.end..],
        ]
        .concat(),
    )
}

/// Returns the module in which the function has a parameter for the value.
fn taking(function: &TypedFunction, text: &[u8], value: &TypedValue) -> Option<Vec<u8>> {
    let own = &text[value.name.clone()];
    let number = number_of(own);
    let name = match number {
        Some(_) => unused_name(function, text)?,
        None => own.to_vec(),
    };
    let parameters = text[function.parameters.clone()].trim_ascii();
    let separator: &[u8] = match parameters {
        b"" => b"",
        all if all.ends_with(b"...") => return None,
        _ => b", ",
    };
    let mut taking = text[..function.parameters.end].to_vec();
    for part in [separator, &text[value.kind.clone()], b" ", &name] {
        taking.extend_from_slice(part);
    }
    let mut done = function.parameters.end;
    for (word, new) in renamed(function, text, number, &name) {
        copy(text, done..word.start, &value.line, &mut taking);
        if !value.line.contains(&word.start) {
            taking.extend_from_slice(&new);
        }
        done = word.end;
    }
    copy(text, done..text.len(), &value.line, &mut taking);
    Some(taking)
}

/// Copies a part of a text without what is left out.
fn copy(text: &[u8], part: Range<usize>, left_out: &Range<usize>, to: &mut Vec<u8>) {
    to.extend_from_slice(&text[part.start..part.end.min(left_out.start).max(part.start)]);
    to.extend_from_slice(&text[part.start.max(left_out.end).min(part.end)..part.end]);
}

/// Returns the words of a function that change when the value with a number has this name: so do
/// those of values and blocks with larger numbers.
fn renamed(
    function: &TypedFunction,
    text: &[u8],
    number: Option<usize>,
    name: &[u8],
) -> Vec<(Range<usize>, Vec<u8>)> {
    let Some(number) = number else {
        return Vec::new();
    };
    let locals = function.locals.iter().filter_map(|word| {
        let new = match number_of(&text[word.clone()])? {
            own if own == number => name.to_vec(),
            own if own > number => format!("%{}", own - 1).into_bytes(),
            _ => return None,
        };
        Some((word.clone(), new))
    });
    let labels = function.labels.iter().filter_map(|word| {
        let own = number_of(&[b"%", &text[word.clone()]].concat())?;
        (own > number).then(|| (word.clone(), (own - 1).to_string().into_bytes()))
    });
    let mut all: Vec<_> = locals.chain(labels).collect();
    all.sort_by_key(|(word, _)| word.start);
    all
}

/// Returns a name of one letter that no value of the function has.
fn unused_name(function: &TypedFunction, text: &[u8]) -> Option<Vec<u8>> {
    let is_used = |name: &[u8]| {
        let parameters = text[function.parameters.clone()].windows(2);
        let mut locals = function.locals.iter().map(|word| &text[word.clone()]);
        locals.any(|word| word == name) || { parameters }.any(|part| part == name)
    };
    (b'a'..=b'z')
        .map(|letter| vec![b'%', letter])
        .find(|name| !is_used(name))
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

    fn all(module: &str) -> Vec<String> {
        let forms = forms(module.as_bytes()).into_iter();
        forms.map(|form| String::from_utf8(form).unwrap()).collect()
    }

    #[test]
    fn a_function_returns_each_of_its_values_the_last_one_first() {
        let forms = all(MODULE);
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
        let forms = all(MODULE);
        assert_eq!(
            forms[4],
            "define internal i1 @f(ptr %q, i32 %a) {\n  %1 = getelementptr i8, ptr %q, i64 8\n  \
             %2 = icmp ult i32 7, %a\n  br i1 %2, label %3, label %4\n3:\n  unreachable\n4:\n  \
             call void @free(i1 %2)\n  unreachable\n}\ndeclare void @free(i1)\n"
        );
        assert_eq!(forms.len(), 6);
    }

    #[test]
    fn a_value_with_a_name_keeps_it_as_a_parameter() {
        let module = "define void @f() {\n  %x = load <2 x i8>, ptr null\n  ret void\n}\n";
        let expected = "define void @f(<2 x i8> %x) {\n  ret void\n}\n";
        assert_eq!(all(module)[1], expected);
        let variadic = module.replace("()", "(i32, ...)");
        assert_eq!(all(&variadic).len(), 1);
    }

    #[test]
    fn a_function_that_is_called_and_blocks_that_are_reached_stay() {
        let called = MODULE.replace("@free(i1 %3)", "@f(ptr %q)");
        assert!(all(&called).is_empty());
        let later = MODULE.replace("5:\n  call void @free(i1 %3)", "5:\n  %6 = add i32 %2, 1");
        assert!(all(&later)[0].contains("ret i32 %6\n"));
        let middle = later.replace("4:\n", "4:\n  %x = xor i32 %2, 1\n");
        assert!(!all(&middle).iter().any(|form| form.contains("ret i32 %x")));
    }
}
