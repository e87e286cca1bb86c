//! Functions whose parameters changed, and the calls that changed with them.

use std::collections::BTreeMap;

use crate::names::split_words;

/// A function with other parameters in the second state, and changed calls of it.
#[derive(Debug)]
pub(crate) struct SignatureChange {
    /// The elements that change its head.
    heads: Vec<usize>,
    calls: Vec<CallChange>,
}

/// A changed call of a function whose parameters changed.
#[derive(Debug)]
struct CallChange {
    element: usize,
    /// Whether its new form does not fit the old parameters.
    needs_new_head: bool,
    /// Whether its old form does not fit the new parameters.
    breaks_with_new_head: bool,
}

/// The numbers of arguments that a function takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Arity {
    least: usize,
    most: usize,
}

impl Arity {
    fn takes(self, arguments: usize) -> bool {
        (self.least..=self.most).contains(&arguments)
    }
}

/// The heads of a function that changed, each with its element.
#[derive(Debug)]
struct ChangedHead {
    element: usize,
    arities: [Arity; 2],
}

/// Names of functions that make a value of the class around them.
const CONSTRUCTORS: [&[u8]; 2] = [b"__init__", b"constructor"];

/// A changed file: its old text, and for each element what it deletes and what it inserts.
pub(crate) struct FileTexts<'a> {
    pub(crate) old: &'a [u8],
    pub(crate) elements: Vec<(usize, &'a [Vec<u8>; 2])>,
}

impl SignatureChange {
    /// Finds functions whose number of parameters changed, and changed calls that fit only one of
    /// the two heads. Leaves out names for which `is_left_out`.
    ///
    /// Heads and calls are looked for in single lines. A call with arguments of an unknown number
    /// is left out.
    pub(crate) fn find(
        files: &[FileTexts<'_>],
        is_head: &dyn Fn(&[u8]) -> bool,
        is_left_out: &dyn Fn(&[u8]) -> bool,
    ) -> Vec<Self> {
        let mut heads: BTreeMap<Vec<u8>, Vec<ChangedHead>> = BTreeMap::new();
        for file in files {
            for (element, texts) in &file.elements {
                for (name, arities) in changed_heads(texts, is_head) {
                    let name = match CONSTRUCTORS.contains(&&name[..]) {
                        true => only_class(file.old).map(<[u8]>::to_vec),
                        false => Some(name),
                    };
                    if let Some(name) = name.filter(|name| !is_left_out(name)) {
                        let element = *element;
                        let head = ChangedHead { element, arities };
                        heads.entry(name).or_default().push(head);
                    }
                }
            }
        }
        // Functions of one name with several heads are several functions.
        heads.retain(|_, heads| heads.len() == 1);
        let found = heads.into_iter().map(|(name, heads)| {
            let [old, new] = heads[0].arities;
            let elements = files.iter().flat_map(|file| &file.elements);
            let calls = elements.filter_map(|(element, texts)| {
                let [before, after] = [&texts[0], &texts[1]].map(|it| call(it, &name, is_head));
                let (before, after) = (before?, after?);
                let is_own = old.takes(before) && new.takes(after);
                is_own.then(|| CallChange {
                    element: *element,
                    needs_new_head: !old.takes(after),
                    breaks_with_new_head: !new.takes(before),
                })
            });
            Self {
                heads: heads.iter().map(|head| head.element).collect(),
                calls: calls.collect(),
            }
        });
        found.filter(|change| !change.calls.is_empty()).collect()
    }

    /// Returns whether some of the changes have a call that does not fit the head of its function.
    pub(crate) fn is_broken(&self, kept: &dyn Fn(usize) -> bool) -> bool {
        let has_new_head = self.heads.iter().all(|head| kept(*head));
        self.calls.iter().any(|call| match has_new_head {
            true => call.breaks_with_new_head && !kept(call.element),
            false => call.needs_new_head && kept(call.element),
        })
    }
}

/// Returns the functions of which both texts have a head, with other numbers of parameters.
fn changed_heads(
    texts: &[Vec<u8>; 2],
    is_head: &dyn Fn(&[u8]) -> bool,
) -> Vec<(Vec<u8>, [Arity; 2])> {
    let [old, new] = [&texts[0], &texts[1]].map(|text| {
        let lines = text.split(|byte| *byte == b'\n');
        let heads = lines.filter(|line| is_head(line)).filter_map(head);
        heads.collect::<BTreeMap<&[u8], Arity>>()
    });
    let changed = old.into_iter().filter_map(|(name, old)| {
        let new = *new.get(name)?;
        (new != old).then(|| (name.to_vec(), [old, new]))
    });
    changed.collect()
}

/// Returns the only class that a text defines.
fn only_class(text: &[u8]) -> Option<&[u8]> {
    let lines = text.split(|byte| *byte == b'\n');
    let mut classes = lines.filter_map(|line| {
        let mut words = split_words(line);
        words.find(|word| *word == b"class")?;
        words.next()
    });
    classes.next().filter(|_| classes.next().is_none())
}

/// Returns the name of the function with this head, and the numbers of arguments it takes.
fn head(line: &[u8]) -> Option<(&[u8], Arity)> {
    let open = line.iter().position(|byte| *byte == b'(')?;
    let name = split_words(&line[..open]).last()?;
    let mut arity = Arity { least: 0, most: 0 };
    for parameter in items(&line[open..])? {
        let words: Vec<&[u8]> = split_words(parameter).collect();
        let is_receiver =
            [&b"self"[..], b"cls"].contains(words.last().unwrap_or(&&b""[..])) && arity.most == 0;
        if is_receiver || parameter == b"void" {
            continue;
        }
        let has = |part: &[u8]| parameter.windows(part.len()).any(|it| it == part);
        if parameter.starts_with(b"*") && !has(b" ") || has(b"...") || parameter == b"/" {
            arity.most = usize::MAX / 2;
            continue;
        }
        arity.most += 1;
        arity.least += usize::from(!has(b"=") && !has(b"?"));
    }
    Some((name, arity))
}

/// Returns the number of arguments of the only call of a function in a text; `None` if there is
/// none or several, or it cannot be told.
fn call(text: &[u8], name: &[u8], is_head: &dyn Fn(&[u8]) -> bool) -> Option<usize> {
    let lines = text.split(|byte| *byte == b'\n');
    let mut calls = lines.filter(|line| !is_head(line)).flat_map(|line| {
        let words = split_words(line).filter(|word| *word == name);
        words.filter_map(|word| {
            let end = word.as_ptr() as usize - line.as_ptr() as usize + word.len();
            let after = &line[end..];
            after.starts_with(b"(").then_some(after)
        })
    });
    let arguments = items(calls.next().filter(|_| calls.next().is_none())?)?;
    let is_counted =
        |argument: &&[u8]| !argument.starts_with(b"*") && !argument.starts_with(b"...");
    arguments.iter().all(is_counted).then_some(arguments.len())
}

/// Returns the parts between commas of the parentheses with which a text begins; `None` if these
/// are not closed.
fn items(text: &[u8]) -> Option<Vec<&[u8]>> {
    let (mut depth, mut start, mut quote) = (0_usize, 1, None);
    let mut items = Vec::new();
    for (at, byte) in text.iter().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if open == *byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'' | b'`') => quote = Some(*byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => {
                depth -= 1;
                if depth == 0 {
                    items.push(text[start..at].trim_ascii());
                    items.retain(|item| !item.is_empty());
                    return Some(items);
                }
            }
            (None, b',') if depth == 1 => {
                items.push(text[start..at].trim_ascii());
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_head(line: &[u8]) -> bool {
        let words = ["def", "fn", "function", "constructor", "int"];
        split_words(line).any(|word| words.iter().any(|it| it.as_bytes() == word))
    }

    #[test]
    fn heads_say_how_many_arguments_they_take() {
        let arity = |line: &'static str| head(line.as_bytes()).map(|(_, it)| (it.least, it.most));
        assert_eq!(arity("def f(self, a, b=(1, 2)):"), Some((1, 2)));
        assert_eq!(arity("fn f(&self, a: [u8; 2]) -> u8 {"), Some((1, 1)));
        assert_eq!(arity("int f(void) {"), Some((0, 0)));
        assert_eq!(arity("int f(char *a, int b) {"), Some((2, 2)));
        assert_eq!(arity("function f(a, b?: string) {"), Some((1, 2)));
        assert_eq!(arity("def f(a, *rest):").map(|it| it.0), Some(1));
        assert_eq!(arity("def f(a,"), None);
    }

    #[test]
    fn calls_say_how_many_arguments_they_have() {
        let call = |line: &str| call(line.as_bytes(), b"f", &is_head);
        assert_eq!(call("x = f(a, g(b, c), \"1, 2\")"), Some(3));
        assert_eq!(call("x = f()"), Some(0));
        assert_eq!(call("x = f(*all)"), None);
        assert_eq!(call("f(1) + f(2)"), None);
        assert_eq!(call("def f(a):"), None);
        assert_eq!(call("f(a,"), None);
    }

    /// Returns for the head alone, the call alone and both whether they are broken; `None` if no
    /// change of a signature is seen.
    fn broken(old: &str, head: [&str; 2], call: [&str; 2]) -> Option<[bool; 3]> {
        let texts = [head, call].map(|sides| sides.map(|side| side.as_bytes().to_vec()));
        let file = FileTexts {
            old: old.as_bytes(),
            elements: texts.iter().enumerate().collect(),
        };
        let found = SignatureChange::find(&[file], &is_head, &|_| false);
        let change = found.first()?;
        let kept = |kept: &'static [usize]| change.is_broken(&|it| kept.contains(&it));
        assert!(!kept(&[]));
        Some([kept(&[0]), kept(&[1]), kept(&[0, 1])])
    }

    #[test]
    fn a_new_parameter_and_its_argument_belong_together() {
        let call = ["x = f(1)", "x = f(1, 2)"];
        let both = Some([true, true, false]);
        assert_eq!(broken("", ["def f(a):", "def f(a, b):"], call), both);
        // With a default value, the old calls fit.
        let new = ["def f(a):", "def f(a, b=3):"];
        assert_eq!(broken("", new, call), Some([false, true, false]));
        assert_eq!(broken("", ["def f(a):", "def f(b):"], call), None);
    }

    #[test]
    fn a_constructor_is_called_by_the_name_of_its_class() {
        let head = ["def __init__(self, a):", "def __init__(self, a, b):"];
        let call = ["x = Config(1)", "x = Config(1, 2)"];
        let class = "class Config:\n    def __init__(self, a):\n";
        assert_eq!(broken(class, head, call), Some([true, true, false]));
        let two = [class, "class Other:\n"].concat();
        assert_eq!(broken(&two, head, call), None);
    }
}
