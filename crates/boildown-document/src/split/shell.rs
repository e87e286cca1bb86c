//! Commands as a shell reads them: `env -i PATH="$PATH" A=1 cc -O2 -o x a.c`.

use std::ops::Range;

use super::elements::{CommandParts, Elements, SplitError};

/// A word of a command.
#[derive(Debug, Clone)]
struct Word {
    /// With its quotes.
    range: Range<usize>,
    /// Without its quotes.
    text: Vec<u8>,
}

/// What a command says, without its quotes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandWords {
    /// The whole environment, but for the `PATH`; `None` when the command inherits its environment.
    pub variables: Option<Vec<(Vec<u8>, Vec<u8>)>>,
    /// The program and its arguments.
    pub words: Vec<Vec<u8>>,
}

/// Returns what a command says; `None` when it is not written as in the example above.
#[must_use]
pub fn command_words(command: &[u8]) -> Option<CommandWords> {
    let parts = parts(command).ok()?;
    let variable = |word: &Word| {
        let equals = word.text.iter().position(|&byte| byte == b'=')?;
        Some((
            word.text[..equals].to_vec(),
            word.text[equals + 1..].to_vec(),
        ))
    };
    let variables = parts.words[parts.variables.clone()].iter();
    let states_environment = parts.variables.start > 0;
    let words = parts.words[parts.program..].iter();
    Some(CommandWords {
        variables: states_environment.then(|| variables.filter_map(variable).collect()),
        words: words.map(|word| word.text.clone()).collect(),
    })
}

/// Reads the words; `None` when a quote is not closed, or where a shell would do more than divide
/// the line into words.
fn read(command: &[u8]) -> Option<Vec<Word>> {
    let mut words = Vec::new();
    let mut at = 0;
    loop {
        let space = command[at..]
            .iter()
            .take_while(|byte| b" \n".contains(byte));
        at += space.count();
        if at == command.len() {
            return Some(words);
        }
        let (start, mut text) = (at, Vec::new());
        while at < command.len() && !b" \n".contains(&command[at]) {
            at += part(&command[at..], &mut text)?;
        }
        words.push(Word {
            range: start..at,
            text,
        });
    }
}

/// Appends the first part of a word, and returns its length.
fn part(word: &[u8], text: &mut Vec<u8>) -> Option<usize> {
    let position = |from: usize, wanted: u8| {
        let found = word[from..].iter().position(|&byte| byte == wanted)?;
        Some(from + found)
    };
    match word[0] {
        b'$' if word.starts_with(b"$'") => escaped(word, text),
        b'\'' | b'"' => {
            let end = position(1, word[0])?;
            text.extend_from_slice(&word[1..end]);
            Some(end + 1)
        }
        b'\\' => {
            text.push(*word.get(1)?);
            Some(2)
        }
        byte if b"$`&|;<>()#*?[]{}!~\t\r".contains(&byte) => None,
        byte => {
            text.push(byte);
            Some(1)
        }
    }
}

/// Appends what `$'…'` stands for, and returns its length.
fn escaped(word: &[u8], text: &mut Vec<u8>) -> Option<usize> {
    let mut at = 2;
    loop {
        match *word.get(at)? {
            b'\'' => return Some(at + 1),
            b'\\' if word.get(at + 1) == Some(&b'x') => {
                let digits = std::str::from_utf8(word.get(at + 2..at + 4)?).ok()?;
                text.push(u8::from_str_radix(digits, 16).ok()?);
                at += 4;
            }
            b'\\' => {
                text.push(*word.get(at + 1)?);
                at += 2;
            }
            byte => {
                text.push(byte);
                at += 1;
            }
        }
    }
}

/// The start of a command that states its whole environment.
const WHOLE_ENVIRONMENT: [&[u8]; 2] = [b"env", b"-i"];

/// The parts of a command.
struct Parts {
    words: Vec<Word>,
    /// The variables that can be removed.
    variables: Range<usize>,
    program: usize,
}

fn parts(command: &[u8]) -> Result<Parts, SplitError> {
    let words = read(command).ok_or(SplitError::OpenQuote)?;
    let starts =
        |at: usize, text: &[u8]| words.get(at).is_some_and(|word: &Word| word.text == text);
    let states_environment = starts(0, WHOLE_ENVIRONMENT[0]) && starts(1, WHOLE_ENVIRONMENT[1]);
    let first = match states_environment {
        true => 3,
        false => 0,
    };
    let variables = words.iter().skip(first);
    let variables = variables.take_while(|word| states_environment && word.text.contains(&b'='));
    let program = first + variables.count();
    if program >= words.len() {
        return Err(SplitError::NoElement);
    }
    Ok(Parts {
        variables: first..program,
        words,
        program,
    })
}

/// Returns the parts of a command that are elements.
pub(super) fn elements(command: &[u8], which: CommandParts) -> Result<Elements, SplitError> {
    let parts = parts(command)?;
    let words = &parts.words;
    let mut elements = Elements::default();
    let mut add = |from: usize, to: usize| {
        let first = elements.tokens.len();
        elements
            .tokens
            .extend(words[from..to].iter().map(|word| word.range.clone()));
        elements.groups.push(first..elements.tokens.len());
        elements.tokens.len()
    };
    let mut variables = 0;
    if which != CommandParts::Arguments {
        for word in parts.variables {
            variables = add(word, word + 1);
        }
    }
    let mut at = parts.program + 1;
    while at < words.len() && which != CommandParts::Variables {
        let has_value = takes_value(&words[at].text, words.get(at + 1));
        let end = at + 1 + usize::from(has_value);
        add(at, end);
        at = end;
    }
    elements.pinned = vec![0, variables];
    elements.pinned.dedup();
    Ok(elements)
}

/// Options whose value is the next word, whatever it looks like.
const ALWAYS_WITH_VALUE: &[&[u8]] = &[
    b"-Xlinker",
    b"-Xclang",
    b"-Xpreprocessor",
    b"-Xassembler",
    b"-mllvm",
];

/// Options with a single dash whose value is the next word.
#[rustfmt::skip]
const WITH_VALUE: &[&[u8]] = &[
    b"-arch", b"-classpath", b"-cp", b"-framework", b"-idirafter", b"-imacros", b"-include",
    b"-iquote", b"-isysroot", b"-isystem", b"-rpath", b"-target", b"-MF", b"-MQ", b"-MT",
];

/// Returns whether an option is followed by its value.
fn takes_value(option: &[u8], next: Option<&Word>) -> bool {
    let is_option = |text: &[u8]| text.len() > 1 && text[0] == b'-';
    let Some(next) = next else {
        return false;
    };
    if ALWAYS_WITH_VALUE.contains(&option) {
        return true;
    }
    // `-O2`, `-Wall` and `--level=3` hold their values, `-o` and `--output` need not.
    let is_long = option.starts_with(b"--") && option.len() > 2 && !option.contains(&b'=');
    let may_take = is_long || option.len() == 2 || WITH_VALUE.contains(&option);
    is_option(option) && option != b"--" && may_take && !is_option(&next.text)
}

/// Returns whether a candidate is the command of the input with fewer or other elements.
pub(super) fn is_same(candidate: &[u8], input: &[u8], which: CommandParts) -> bool {
    let (Ok(candidate), Ok(input)) = (parts(candidate), parts(input)) else {
        return false;
    };
    let texts = |parts: &Parts, range: Range<usize>| -> Vec<Vec<u8>> {
        let words = parts.words[range].iter();
        words.map(|word| word.text.clone()).collect()
    };
    let head = |parts: &Parts| texts(parts, 0..parts.variables.start);
    let command = |parts: &Parts| {
        let end = match which {
            CommandParts::Variables => parts.words.len(),
            CommandParts::Arguments | CommandParts::All => parts.program + 1,
        };
        texts(parts, parts.program..end)
    };
    head(&candidate) == head(&input) && command(&candidate) == command(&input)
}
