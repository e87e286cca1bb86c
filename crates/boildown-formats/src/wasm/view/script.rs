//! Scripts: modules in text with commands between them, as tests of the specification have them.
//!
//! Each module is read as a binary and printed, as a single module is. A command that calls what
//! its module has no longer goes with it, and loses the arguments of parameters that are gone.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use boildown_document::{Document, writable_module::WritableModule};

use super::forms::{forms, inside};
use super::layout;
use super::mentions::Token;
use super::module::Module;
use super::printed::{InstructionForm, binary, print};
use super::script_parts::{Action, PartContent, ScriptPart};
use super::units::ModuleUnits;

/// The first words of commands.
const COMMANDS: [&[u8]; 4] = [b"register", b"invoke", b"get", b"assert_"];

/// A script that was read from a text.
#[derive(Debug)]
struct Script {
    text: Arc<[u8]>,
    form: InstructionForm,
    parts: Vec<ScriptPart>,
    /// Whether its modules are valid, known from the first question on.
    is_valid: OnceLock<bool>,
}

/// What is left of the exports of a part.
#[derive(Debug)]
enum LeftExports {
    /// All of them: nothing changed, or it is not known what did.
    All,
    /// Some of them; of functions, with the numbers of their parameters and results.
    Some(BTreeMap<String, Option<(usize, usize)>>),
    /// None: the part is gone, or a command.
    None,
}

/// Reads a script; `None` if the text is none, or has no module that can be read.
pub(super) fn read(bytes: &Arc<[u8]>, units: ModuleUnits) -> Option<Document> {
    let mut script = Script {
        text: Arc::clone(bytes),
        form: InstructionForm::of(bytes),
        parts: Vec::new(),
        is_valid: OnceLock::new(),
    };
    for form in top_level(bytes)? {
        let content = script.content(&form)?;
        script.parts.push(ScriptPart {
            name: name(bytes, &form),
            bytes: form,
            token: Token::NONE,
            tokens: 0..0,
            content,
        });
    }
    let is_module = |part: &ScriptPart| matches!(part.content, PartContent::Module(_));
    if script.parts.len() < 2 || !script.parts.iter().any(is_module) {
        return None;
    }
    let document = layout::script(bytes, &mut script.parts, units);
    Some(document.of_module(bytes, script))
}

/// Returns whether a text is a script whose modules are valid.
pub(super) fn is_valid(text: &[u8]) -> bool {
    let is_valid = |form: &Range<usize>| match head(text, form) {
        Some(FormHead::Module) => {
            binary(&text[form.clone()]).is_some_and(|binary| Module::is_valid(&binary))
        }
        head => head.is_some(),
    };
    let is_module = |form: &Range<usize>| head(text, form) != Some(FormHead::Command);
    top_level(text).is_some_and(|forms| forms.iter().any(is_module) && forms.iter().all(is_valid))
}

fn top_level(text: &[u8]) -> Option<Vec<Range<usize>>> {
    std::str::from_utf8(text).ok()?;
    forms(text, 0..text.len())
}

/// What a form of a script is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FormHead {
    Module,
    /// A module in quotes, as bytes, or by its name.
    OtherModule,
    Command,
}

fn head(text: &[u8], form: &Range<usize>) -> Option<FormHead> {
    let words = inside(text, form)?;
    let word = |index: usize| words.get(index).map(|word| &text[word.clone()]);
    let first = word(0)?;
    if first == b"module" {
        let name = usize::from(word(1).is_some_and(|name| name.starts_with(b"$")));
        return match word(1 + name) {
            Some(b"quote" | b"binary" | b"definition" | b"instance") => Some(FormHead::OtherModule),
            Some(field) if !field.starts_with(b"(") => None,
            _ => Some(FormHead::Module),
        };
    }
    let is_command = COMMANDS.iter().any(|command| first.starts_with(command));
    is_command.then_some(FormHead::Command)
}

/// Returns the name of a module.
fn name(text: &[u8], form: &Range<usize>) -> Option<Range<usize>> {
    let name = inside(text, form)?.get(1)?.clone();
    text[name.clone()].starts_with(b"$").then_some(name)
}

impl Script {
    fn name(&self, part: &ScriptPart) -> Option<&[u8]> {
        Some(&self.text[part.name.clone()?])
    }

    fn content(&self, form: &Range<usize>) -> Option<PartContent> {
        Some(match head(&self.text, form)? {
            FormHead::Module => {
                let binary = binary(&self.text[form.clone()]);
                let module = binary.and_then(|binary| Module::read(&binary.into()));
                module.map_or(PartContent::Unread, |module| {
                    PartContent::Module(Box::new(module))
                })
            }
            FormHead::OtherModule => PartContent::Unread,
            FormHead::Command => PartContent::Command(self.action(form)),
        })
    }

    /// Reads what a command does.
    fn action(&self, form: &Range<usize>) -> Option<Action> {
        let outer = inside(&self.text, form)?;
        let word = |range: &Range<usize>| &self.text[range.clone()];
        let (list, results) = match word(outer.first()?) {
            b"invoke" | b"get" => (form.clone(), Vec::new()),
            b"assert_return" => (outer.get(1)?.clone(), outer[2..].to_vec()),
            _ => (outer.get(1)?.clone(), Vec::new()),
        };
        let words = inside(&self.text, &list)?;
        if !matches!(word(words.first()?), b"invoke" | b"get") {
            return None;
        }
        let given = word(words.get(1)?);
        let has_name = given.starts_with(b"$");
        let is_meant = |part: &ScriptPart| match part.content {
            PartContent::Command(_) => false,
            _ => !has_name || self.name(part) == Some(given),
        };
        let export = 1 + usize::from(has_name);
        let string = std::str::from_utf8(word(words.get(export)?)).ok()?;
        Some(Action {
            module: self.parts.iter().rposition(is_meant)?,
            export: string.strip_prefix('"')?.strip_suffix('"')?.to_owned(),
            arguments: words[export + 1..].to_vec(),
            results,
        })
    }

    /// Returns a module without what is gone, and what it still exports.
    fn module(&self, part: &ScriptPart, module: &Module, kept: &[bool]) -> (Vec<u8>, LeftExports) {
        let as_written = || (self.text[part.bytes.clone()].to_vec(), LeftExports::All);
        if kept[part.tokens.clone()].iter().all(|&kept| kept) {
            return as_written();
        }
        let binary = module.write(kept);
        let Some(printed) = print(&binary, self.form) else {
            return as_written();
        };
        let exports = Module::read(&binary.into()).map(|module| {
            let numbers = |function: Option<u32>| {
                let (parameters, results) = module.signature(function?)?;
                Some((parameters.len(), results.len()))
            };
            let exports = module.exports().into_iter();
            let exports = exports.map(|(name, function)| (name.to_owned(), numbers(function)));
            exports.collect()
        });
        let exports = exports.map_or(LeftExports::All, LeftExports::Some);
        (printed.trim_ascii().to_vec(), exports)
    }

    /// Returns a command without the arguments and results that are gone; `None` if it does
    /// something with an export that is gone.
    fn command(
        &self,
        part: &ScriptPart,
        action: Option<&Action>,
        left: &[LeftExports],
        kept: &[bool],
    ) -> Option<Vec<u8>> {
        let gone = match action.map(|action| (action, &left[action.module])) {
            None | Some((_, LeftExports::All)) => Vec::new(),
            Some((_, LeftExports::None)) => return None,
            Some((action, LeftExports::Some(exports))) => {
                self.gone_values(action, exports, kept)?
            }
        };
        let mut out = Vec::new();
        let mut at = part.bytes.start;
        for value in gone {
            out.extend_from_slice(self.text[at..value.start].trim_ascii_end());
            at = value.end;
        }
        out.extend_from_slice(&self.text[at..part.bytes.end]);
        Some(out)
    }

    /// Returns the arguments and results of a command that belong to parameters and results that
    /// are gone; `None` if the export is gone.
    fn gone_values(
        &self,
        action: &Action,
        exports: &BTreeMap<String, Option<(usize, usize)>>,
        kept: &[bool],
    ) -> Option<Vec<Range<usize>>> {
        let PartContent::Module(module) = &self.parts[action.module].content else {
            return Some(Vec::new());
        };
        let Some(function) = module.exports().get(&*action.export).copied() else {
            // The export is no string without escapes, or there never was one.
            return Some(Vec::new());
        };
        let numbers = *exports.get(&action.export)?;
        let info = function.and_then(|function| module.functions.get(function as usize));
        let Some(((parameters, results), info)) = numbers.zip(info) else {
            return Some(Vec::new());
        };
        let is_gone = |token: &Token| !token.is_in(kept);
        let gone = |values: &[Range<usize>], tokens: &[Token], number: usize| {
            let left = tokens.iter().filter(|token| !is_gone(token)).count();
            let gone = values
                .iter()
                .zip(tokens)
                .filter(|(_, token)| is_gone(token));
            let gone = gone
                .filter(|_| left == number)
                .map(|(value, _)| value.clone());
            gone.collect::<Vec<_>>()
        };
        let arguments = gone(&action.arguments, &info.parameters, parameters);
        Some([arguments, gone(&action.results, &info.results, results)].concat())
    }
}

impl WritableModule for Script {
    fn write(&self, kept: &[bool]) -> Vec<u8> {
        let mut written: Vec<Option<Vec<u8>>> = Vec::new();
        let mut left: Vec<LeftExports> = Vec::new();
        for part in &self.parts {
            let (text, exports) = match &part.content {
                _ if !part.token.is_in(kept) => (None, LeftExports::None),
                PartContent::Module(module) => {
                    let (text, exports) = self.module(part, module, kept);
                    (Some(text), exports)
                }
                PartContent::Unread => {
                    let text = self.text[part.bytes.clone()].to_vec();
                    (Some(text), LeftExports::All)
                }
                PartContent::Command(action) => {
                    let text = self.command(part, action.as_ref(), &left, kept);
                    (text, LeftExports::None)
                }
            };
            written.push(text);
            left.push(exports);
        }
        let commands = self.parts.iter().zip(&written);
        let commands = commands.filter(|(part, _)| matches!(part.content, PartContent::Command(_)));
        let commands: Vec<&[u8]> = commands.filter_map(|(_, text)| text.as_deref()).collect();
        let mut out = Vec::with_capacity(self.text.len());
        for (part, text) in self.parts.iter().zip(&written) {
            let Some(text) = text else {
                continue;
            };
            match (&part.content, self.name(part)) {
                (PartContent::Module(_), Some(name)) => {
                    let is_mentioned = |command: &&[u8]| mentions(command, name);
                    out.extend(named(text, name, commands.iter().any(is_mentioned)));
                }
                _ => out.extend_from_slice(text),
            }
            out.push(b'\n');
        }
        out
    }

    fn accepts(&self, candidate: &[u8]) -> bool {
        is_valid(candidate) || !self.is_valid.get_or_init(|| is_valid(&self.text))
    }
}

/// Returns whether a command mentions the name of a module.
fn mentions(command: &[u8], name: &[u8]) -> bool {
    let mut windows = command.windows(name.len()).enumerate();
    windows.any(|(at, window)| window == name && !continues(&command[at + name.len()..]))
}

/// Returns whether a text begins in the middle of a word.
fn continues(text: &[u8]) -> bool {
    text.first()
        .is_some_and(|byte| !byte.is_ascii_whitespace() && !b"()".contains(byte))
}

/// Returns a module with its name, or without it.
fn named(module: &[u8], name: &[u8], is_named: bool) -> Vec<u8> {
    let Some(rest) = module.strip_prefix(b"(module") else {
        return module.to_vec();
    };
    let after_name = rest.trim_ascii_start().strip_prefix(name);
    let rest = after_name.filter(|rest| !continues(rest)).unwrap_or(rest);
    match is_named {
        true => [b"(module ", name, rest].concat(),
        false => [b"(module", rest].concat(),
    }
}
