//! The names and shapes of a text that the gate for modules compares.

use std::collections::{BTreeMap, BTreeSet};

use super::blocks::BlockOrder;
use super::format::{ModuleFormat, begins_function, kind};
use super::hashing::{HASH_START, hash};
use super::mlir_lines::{LineTypes, RegionEnds, defines_symbol, exponent, shapes};
use super::programs::{self, CompiledLanguage};
use super::shaders::{ShaderLanguage, undeclared};
use super::signatures::{known_operation, string_elements};
use super::spirv::shape;
use super::sql::has_faults_of_sql;
use super::verilog::VerilogFaults;
use crate::document::{
    is_ill_formed_ir, is_valid_module, is_valid_module_text, rtlil_cells, spirv_text,
};
use crate::smt_lib::ScriptForm;

/// What the gate compares a text with.
#[derive(Debug, Default)]
pub(super) struct ModuleNames {
    /// The names that are mentioned and not defined, with the number of their function.
    pub(super) undefined: BTreeSet<(usize, Box<[u8]>)>,
    /// The kinds of neighbouring words; of SPIR-V the shapes of instructions.
    pub(super) neighbours: BTreeSet<(u64, u64)>,
    /// Numbers of the declarations of operations that LLVM knows, by name and types.
    pub(super) known_operations: BTreeSet<u64>,
    /// Numbers of the strings of LLVM IR, and of the elements of lists in them.
    pub(super) strings: BTreeSet<u64>,
    /// The shapes of the lines of MLIR, and what these may become; the forms of the cells of RTLIL.
    pub(super) shapes: BTreeSet<u64>,
    pub(super) other_shapes: BTreeSet<u64>,
    /// Numbers of the attributes of MLIR, by their operation and name, and how many there are.
    pub(super) attributes: BTreeMap<u64, usize>,
    /// The types of MLIR that are written with brackets.
    pub(super) types: BTreeSet<u64>,
    /// How many operations and labels of MLIR there are, and how many types of dialects with
    /// parameters.
    pub(super) operations: usize,
    pub(super) types_of_dialects: usize,
    /// Whether a validator rejects it, or something but a name or a neighbour is wrong: a block
    /// without an end, a term of the wrong sort. Of WebAssembly there are no names here.
    pub(super) is_invalid: bool,
    /// Whether an operand or constant of LLVM IR has the wrong type, or is missing, or a value of
    /// MLIR.
    pub(super) is_ill_formed: bool,
}

/// The sign of the end of a line among the kinds of words.
const LINE_END: u64 = 0;

impl ModuleNames {
    pub(super) fn read(format: ModuleFormat, text: &[u8]) -> Self {
        let mut names = Self::default();
        let is_valid = match format {
            ModuleFormat::SpirvBinary => return Self::of_spirv_binary(text),
            ModuleFormat::LlvmIr | ModuleFormat::Mlir | ModuleFormat::Spirv => None,
            ModuleFormat::Wasm => Some(is_valid_module(text)),
            ModuleFormat::Wat => Some(is_valid_module_text(text)),
            ModuleFormat::Rtlil => return Self::of_rtlil(text),
            ModuleFormat::SmtLib => return Self::of_script(text),
            ModuleFormat::Verilog => return Self::of_verilog(text),
            ModuleFormat::Sql => Some(!has_faults_of_sql(text)),
            ModuleFormat::Glsl => return Self::of_shader(ShaderLanguage::Glsl, text),
            ModuleFormat::Wgsl => return Self::of_shader(ShaderLanguage::Wgsl, text),
            ModuleFormat::Program(language) => return Self::of_program(language, text),
        };
        if let Some(is_valid) = is_valid {
            names.is_invalid = !is_valid;
            return names;
        }
        let (mut defined, mut mentioned) = (BTreeSet::new(), BTreeSet::new());
        let mut blocks = BlockOrder::new(format);
        let mut regions = RegionEnds::default();
        let mut types = LineTypes::default();
        let (mut function, mut last) = (0, LINE_END);
        // The shapes of the others say more.
        let has_neighbours = format == ModuleFormat::LlvmIr;
        for line in text.split(|&byte| byte == b'\n') {
            let words = words(format, line);
            if words.is_empty() {
                continue;
            }
            let begins = format != ModuleFormat::Spirv && begins_function(&words);
            function += usize::from(begins);
            blocks.line(&words);
            if format == ModuleFormat::Mlir {
                regions.line(&words);
                types.line(function, &words);
                names.add_shapes(&words);
            }
            if format == ModuleFormat::Spirv {
                names.neighbours.insert((LINE_END, shape(&words)));
            }
            for (index, &word) in words.iter().enumerate() {
                let kind = kind(format, word);
                if has_neighbours {
                    names.neighbours.insert((last, kind));
                }
                if format == ModuleFormat::LlvmIr && index == 2 && words[1] == b"=" {
                    // The result may go.
                    names.neighbours.insert((LINE_END, kind));
                }
                last = kind;
                let Some(name) = name(format, &words, index) else {
                    continue;
                };
                let is_local = matches!(name.text[0], b'%' | b'^') && format != ModuleFormat::Spirv;
                let scope = if is_local { function } else { 0 };
                if name.is_definition || begins && is_local {
                    defined.insert((scope, name.text));
                } else {
                    mentioned.insert((scope, name.text));
                }
            }
            if has_neighbours {
                names.neighbours.insert((last, LINE_END));
                names.known_operations.extend(known_operation(&words));
                names.strings.extend(string_elements(&words));
            }
            last = LINE_END;
        }
        names.undefined = undefined(mentioned, &defined);
        names.is_invalid = blocks.is_wrong() || regions.is_wrong();
        names.is_ill_formed =
            types.is_wrong() || format == ModuleFormat::LlvmIr && is_ill_formed_ir(text);
        names.types = types.known;
        names.shapes.extend(&regions.pairs);
        names.operations = regions.operations;
        names.types_of_dialects = types.of_dialects.len();
        names
    }

    /// Adds the shapes of a line of MLIR.
    fn add_shapes(&mut self, words: &[&[u8]]) {
        let shapes = shapes(words);
        self.shapes.extend(shapes.own);
        self.other_shapes.extend(shapes.others);
        for attribute in shapes.attributes {
            *self.attributes.entry(attribute).or_insert(0) += 1;
        }
    }

    /// Reads a module of SPIR-V as a binary.
    fn of_spirv_binary(binary: &[u8]) -> Self {
        match spirv_text(binary) {
            Some(text) => Self::read(ModuleFormat::Spirv, &text),
            None => Self {
                is_invalid: true,
                ..Self::default()
            },
        }
    }

    fn of_rtlil(text: &[u8]) -> Self {
        let cells = rtlil_cells(text);
        let forms = cells.iter().flatten().map(|form| hash(HASH_START, form));
        Self {
            shapes: forms.collect(),
            is_invalid: cells.is_none(),
            ..Self::default()
        }
    }

    fn of_verilog(text: &[u8]) -> Self {
        let faults = VerilogFaults::of(text);
        let undeclared = faults.undeclared.into_iter();
        Self {
            undefined: undeclared.map(|name| (0, name)).collect(),
            is_invalid: faults.is_broken,
            ..Self::default()
        }
    }

    fn of_shader(language: ShaderLanguage, text: &[u8]) -> Self {
        let undeclared = undeclared(language, text).into_iter();
        Self {
            undefined: undeclared.map(|name| (0, name)).collect(),
            ..Self::default()
        }
    }

    fn of_program(language: CompiledLanguage, text: &[u8]) -> Self {
        let undeclared = programs::undeclared(language, text).into_iter();
        Self {
            undefined: undeclared.map(|name| (0, name)).collect(),
            ..Self::default()
        }
    }

    /// Reads a script of SMT-LIB: an operation with its number of arguments is a pair of words.
    fn of_script(text: &[u8]) -> Self {
        let form = ScriptForm::read(text);
        let heads = form.heads.iter();
        let undeclared = form.undeclared.iter();
        Self {
            undefined: undeclared.map(|&name| (0, name.into())).collect(),
            neighbours: heads
                .map(|&(head, arguments)| (hash(HASH_START, head), arguments as u64))
                .collect(),
            is_invalid: form.is_wrong,
            ..Self::default()
        }
    }
}

/// Returns the attributes of which there are fewer than before.
pub(super) fn lacking(left: &BTreeMap<u64, usize>, before: &BTreeMap<u64, usize>) -> BTreeSet<u64> {
    let count = |attribute| left.get(attribute).copied().unwrap_or(0);
    let fewer = before
        .iter()
        .filter(|&(attribute, all)| count(attribute) < *all);
    fewer.map(|(&attribute, _)| attribute).collect()
}

/// A name, with the number of its function.
type ScopedName = (usize, Box<[u8]>);

/// Returns the names that are mentioned, but defined neither in their function nor outside of all.
fn undefined(
    mut mentioned: BTreeSet<ScopedName>,
    defined: &BTreeSet<ScopedName>,
) -> BTreeSet<ScopedName> {
    mentioned.retain(|(scope, name)| {
        !defined.contains(&(*scope, name.clone())) && !defined.contains(&(0, name.clone()))
    });
    mentioned
}

/// A name in a line.
struct MentionedName {
    /// With its sign.
    text: Box<[u8]>,
    is_definition: bool,
}

/// Returns the name that a word of a line is.
fn name(format: ModuleFormat, words: &[&[u8]], index: usize) -> Option<MentionedName> {
    let word = words[index];
    let next = words.get(index + 1).copied();
    let first = words[0];
    let is_label = format == ModuleFormat::LlvmIr && index == 0 && next == Some(b":");
    if is_label {
        let text = [b"%", word].concat().into();
        return Some(MentionedName {
            text,
            is_definition: true,
        });
    }
    let signs: &[u8] = match format {
        ModuleFormat::LlvmIr => b"%@!#",
        ModuleFormat::Mlir => b"%^#@",
        ModuleFormat::Spirv => b"%",
        ModuleFormat::Wasm
        | ModuleFormat::SpirvBinary
        | ModuleFormat::Wat
        | ModuleFormat::Rtlil
        | ModuleFormat::Verilog
        | ModuleFormat::SmtLib
        | ModuleFormat::Glsl
        | ModuleFormat::Wgsl
        | ModuleFormat::Sql
        | ModuleFormat::Program(_) => b"",
    };
    // `%a#1` is one of several results.
    if word.len() < 2 || !signs.contains(&word[0]) || word[0] == b'#' && word[1].is_ascii_digit() {
        return None;
    }
    let is_definition = match format {
        ModuleFormat::Spirv => {
            let operation = words.get(index + 2);
            next == Some(b"=") && operation.is_some_and(|operation| operation.starts_with(b"Op"))
        }
        ModuleFormat::LlvmIr => {
            let is_header = first == b"define" || first == b"declare";
            next == Some(b"=") || is_header && word[0] == b'@'
        }
        ModuleFormat::Mlir if word[0] == b'@' => defines_symbol(words, index),
        ModuleFormat::Mlir => {
            let is_plain = |word: &&[u8]| !word[0].is_ascii_alphabetic() && word[0] != b'"';
            let before_sign = words.iter().take_while(|word| *word != b"=");
            let is_result = words.contains(&&b"="[..]) && before_sign.clone().all(is_plain);
            // A use has a space before the colon.
            let is_joined =
                next.is_some_and(|next| std::ptr::eq(word.as_ptr_range().end, next.as_ptr()));
            next == Some(b":") && is_joined
                || index == 0
                || is_result && index < before_sign.count()
        }
        ModuleFormat::Wasm
        | ModuleFormat::SpirvBinary
        | ModuleFormat::Wat
        | ModuleFormat::Rtlil
        | ModuleFormat::Verilog
        | ModuleFormat::SmtLib
        | ModuleFormat::Glsl
        | ModuleFormat::Wgsl
        | ModuleFormat::Sql
        | ModuleFormat::Program(_) => false,
    };
    Some(MentionedName {
        text: word.into(),
        is_definition,
    })
}

/// Divides a line into words, names, strings and signs, without comments.
fn words(format: ModuleFormat, line: &[u8]) -> Vec<&[u8]> {
    let is_letter = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$') || byte >= 0x80
    };
    let mut words = Vec::new();
    let mut at = 0;
    while at < line.len() {
        let byte = line[at];
        let is_comment = match format {
            ModuleFormat::Mlir => line[at..].starts_with(b"//"),
            ModuleFormat::LlvmIr | ModuleFormat::Spirv | ModuleFormat::SmtLib => byte == b';',
            ModuleFormat::Wasm
            | ModuleFormat::SpirvBinary
            | ModuleFormat::Wat
            | ModuleFormat::Rtlil
            | ModuleFormat::Verilog
            | ModuleFormat::Glsl
            | ModuleFormat::Wgsl
            | ModuleFormat::Sql
            | ModuleFormat::Program(_) => false,
        };
        if is_comment {
            break;
        }
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let is_sign = matches!(byte, b'%' | b'@' | b'!' | b'#' | b'^' | b'$');
        let start = at;
        at += usize::from(is_sign);
        if line.get(at) == Some(&b'"') {
            let inside = &line[at + 1..];
            let length = inside.iter().position(|&byte| byte == b'"');
            at = length.map_or(line.len(), |length| at + length + 2);
        } else {
            at += (line[at..].iter())
                .take_while(|&&byte| is_letter(byte))
                .count();
            at = at.max(start + 1);
            if format == ModuleFormat::Mlir {
                at += exponent(&line[start..at], &line[at..]);
            }
        }
        words.push(&line[start..at]);
    }
    words
}
