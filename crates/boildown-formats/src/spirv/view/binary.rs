//! Modules of SPIR-V as binaries. They are read as texts, and what is kept of a text is assembled.
//!
//! The texts are those of `spirv-dis --raw-id` but for numbers, each of which is a word, and sets
//! of flags, which are numbers.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use boildown_document::{
    Document,
    module_layout::no_module,
    writable_module::{IdleUnits, WritableModule},
};
use rspirv::binary::{Assemble as _, Consumer, ParseAction, parse_bytes};
use rspirv::dr::{Instruction, ModuleHeader, Operand};
use rspirv::grammar::{INSTRUCTION_TABLE, OperandKind};

use super::layout;
use super::module::{InstructionIndex, SpirvModule};

/// What a module begins with.
const MAGIC: [u8; 4] = [0x03, 0x02, 0x23, 0x07];

/// The number of words before the first instruction.
pub(super) const HEADER: usize = 5;

/// An operation, by the number that it has in binaries.
#[derive(Debug, Clone, Copy)]
struct SpirvOperation {
    number: u16,
    /// Whether it names a type before its result.
    has_type: bool,
}

/// All operations, by their names without `Op`.
static OPERATIONS: LazyLock<BTreeMap<&'static [u8], SpirvOperation>> = LazyLock::new(|| {
    let all = INSTRUCTION_TABLE.iter().map(|class| {
        let operation = SpirvOperation {
            number: class.opcode as u16,
            has_type: (class.operands.first())
                .is_some_and(|operand| operand.kind == OperandKind::IdResultType),
        };
        (class.opname.as_bytes(), operation)
    });
    all.collect()
});

/// A module that was read from a binary.
#[derive(Debug)]
struct AssembledModule {
    text: SpirvText,
    /// The module in text.
    module: Arc<dyn WritableModule>,
}

/// The text of a module, and what it takes to assemble a part of it.
#[derive(Debug, Default)]
struct SpirvText {
    header: Vec<u32>,
    bytes: Vec<u8>,
    /// The values that are written as names, by the number of their operation and name.
    values: BTreeMap<(u16, String), u32>,
}

/// Returns whether an input begins like a module as a binary.
pub(crate) fn is_spirv_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Returns the text of a module as a binary; `None` if it is none.
pub(crate) fn spirv_text(binary: &[u8]) -> Option<Vec<u8>> {
    Some(SpirvText::read(binary)?.bytes)
}

/// Reads a module; an input that is none becomes a single token.
pub(super) fn read(binary: &Arc<[u8]>) -> Document {
    read_module(binary).unwrap_or_else(|| no_module(binary))
}

fn read_module(binary: &Arc<[u8]>) -> Option<Document> {
    let mut text = SpirvText::read(binary)?;
    let bytes: Arc<[u8]> = std::mem::take(&mut text.bytes).into();
    let mut document = layout::read(&bytes);
    let module = document.module.take()?;
    // What is known is the place of a token in the text. Its share of the binary is about the same.
    let scale = |at: &mut u32| {
        let place = u64::from(*at) * binary.len() as u64 / bytes.len().max(1) as u64;
        *at = u32::try_from(place).unwrap_or(u32::MAX);
    };
    for token in &mut document.tokens {
        scale(&mut token.start);
        scale(&mut token.end);
    }
    let module = AssembledModule { text, module };
    Some(document.of_module(binary, module))
}

impl WritableModule for AssembledModule {
    fn write(&self, kept: &[bool]) -> Vec<u8> {
        self.text
            .assemble(self.module.write(kept))
            .unwrap_or_default()
    }

    fn idle_units(&self) -> IdleUnits {
        self.module.idle_units()
    }

    fn accepts(&self, candidate: &[u8]) -> bool {
        !candidate.is_empty()
    }
}

impl SpirvText {
    fn read(binary: &[u8]) -> Option<Self> {
        let mut text = Self::default();
        // The parser panics where an instruction is longer than the rest.
        instruction_words(binary)?;
        parse_bytes(binary, &mut text).is_ok().then_some(text)
    }

    /// Adds the words of an operand.
    fn operand(&mut self, operation: u16, operand: &Operand) {
        if let Some(id) = operand.id_ref_any() {
            self.bytes.extend_from_slice(format!(" %{id}").as_bytes());
            return;
        }
        if let Operand::LiteralString(string) = operand {
            let escaped = string.replace('\\', "\\\\").replace('"', "\\\"");
            let quoted = format!(" \"{escaped}\"");
            self.bytes.extend_from_slice(quoted.as_bytes());
            return;
        }
        let words = operand.assemble();
        let is_number = matches!(
            operand,
            Operand::LiteralBit32(_) | Operand::LiteralBit64(_) | Operand::LiteralExtInstInteger(_)
        );
        if let ([value], false) = (&words[..], is_number)
            && let Some(name) = name_of(operand, *value)
            && *(self.values.entry((operation, name.clone()))).or_insert(*value) == *value
        {
            self.bytes.extend_from_slice(format!(" {name}").as_bytes());
            return;
        }
        for word in words {
            self.bytes.extend_from_slice(format!(" {word}").as_bytes());
        }
    }

    /// Returns the binary of a text of which this one is the source.
    fn assemble(&self, text: Vec<u8>) -> Option<Vec<u8>> {
        let module = SpirvModule::read(&text.into())?;
        let mut assembler = SpirvAssembler {
            text: self,
            module: &module,
            bound: *self.header.get(3)?,
            new_ids: BTreeMap::new(),
            out: self.header.clone(),
        };
        for index in 0..module.instructions.len() {
            assembler.instruction(index)?;
        }
        assembler.out[3] = assembler.bound;
        let bytes = assembler.out.iter().flat_map(|word| word.to_le_bytes());
        Some(bytes.collect())
    }
}

/// Returns the words of each instruction of a binary; `None` if it is no module, or their lengths
/// do not lead to its end.
pub(super) fn instruction_words(binary: &[u8]) -> Option<Vec<Range<usize>>> {
    let (words, rest) = binary.as_chunks::<4>();
    let mut instructions = Vec::new();
    let mut at = HEADER;
    while at < words.len() {
        let [_, _, low, high] = words[at];
        let length = usize::from(u16::from_le_bytes([low, high]));
        if length == 0 {
            return None;
        }
        instructions.push(at..at + length);
        at += length;
    }
    let is_module = is_spirv_binary(binary) && rest.is_empty() && at == words.len();
    is_module.then_some(instructions)
}

/// Returns the name of a value that is not just a number.
fn name_of(operand: &Operand, value: u32) -> Option<String> {
    let name = operand.to_string();
    let is_name = name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.contains(|one: char| one.is_ascii_lowercase())
        && name.chars().all(|one| one.is_ascii_alphanumeric());
    match is_name {
        true => Some(name),
        // An empty set of flags.
        false => (value == 0).then(|| "None".to_owned()),
    }
}

impl Consumer for SpirvText {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, header: ModuleHeader) -> ParseAction {
        self.header = header.assemble();
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, one: Instruction) -> ParseAction {
        if let Some(id) = one.result_id {
            self.bytes.extend_from_slice(format!("%{id} = ").as_bytes());
        }
        let name = one.class.opname;
        self.bytes.extend_from_slice(format!("Op{name}").as_bytes());
        let type_id = one.result_type.map(Operand::IdRef);
        for operand in type_id.iter().chain(&one.operands) {
            self.operand(one.class.opcode as u16, operand);
        }
        self.bytes.push(b'\n');
        ParseAction::Continue
    }
}

struct SpirvAssembler<'a> {
    text: &'a SpirvText,
    module: &'a SpirvModule,
    /// One more than the largest id.
    bound: u32,
    /// The ids of the names that are no numbers.
    new_ids: BTreeMap<Vec<u8>, u32>,
    out: Vec<u32>,
}

impl SpirvAssembler<'_> {
    fn instruction(&mut self, index: InstructionIndex) -> Option<()> {
        let module = self.module;
        let name = module.operation(index).strip_prefix(b"Op")?;
        let operation = *OPERATIONS.get(name)?;
        let start = self.out.len();
        self.out.push(0);
        let mut operands = module.operands(index);
        if module.instructions[index].result.is_some() {
            if operation.has_type {
                self.operand(operation, operands.next()?)?;
            }
            self.operand(operation, module.instructions[index].words.start)?;
        }
        for operand in operands {
            self.operand(operation, operand)?;
        }
        let count = u16::try_from(self.out.len() - start).ok()?;
        self.out[start] = u32::from(count) << 16 | u32::from(operation.number);
        Some(())
    }

    fn operand(&mut self, operation: SpirvOperation, word: usize) -> Option<()> {
        let word = str::from_utf8(self.module.word(word)).ok()?;
        if let Some(quoted) = word.strip_prefix('"') {
            self.string(quoted.strip_suffix('"')?);
            return Some(());
        }
        let value = if let Some(id) = word.strip_prefix('%') {
            self.id(id)
        } else if let Ok(number) = word.parse() {
            number
        } else {
            let name = (operation.number, word.to_owned());
            let value = self.text.values.get(&name).copied();
            value.or_else(|| (word == "None").then_some(0))?
        };
        self.out.push(value);
        Some(())
    }

    /// Returns the number of an id, which is the next one for a name that is no number.
    fn id(&mut self, name: &str) -> u32 {
        if let Ok(id) = name.parse::<u32>() {
            self.bound = self.bound.max(id.saturating_add(1));
            return id;
        }
        let next = self.bound;
        let id = *(self.new_ids.entry(name.as_bytes().to_vec())).or_insert(next);
        self.bound = self.bound.max(id.saturating_add(1));
        id
    }

    fn string(&mut self, escaped: &str) {
        let mut bytes = Vec::new();
        let mut rest = escaped.bytes();
        while let Some(byte) = rest.next() {
            bytes.push(match byte {
                b'\\' => rest.next().unwrap_or(byte),
                byte => byte,
            });
        }
        // A zero, and more up to the end of a word.
        bytes.resize(bytes.len() / 4 * 4 + 4, 0);
        let words = bytes.chunks_exact(4);
        let word = |word: &[u8]| u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        self.out.extend(words.map(word));
    }
}

#[cfg(test)]
mod tests {
    use boildown_search::Subset;
    use proptest::prelude::*;
    use rspirv::dr::Builder;
    use rspirv::spirv::{
        AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl,
        MemoryModel, StorageClass,
    };

    use super::super::{INSTRUCTIONS, WORDS};
    use super::*;

    /// Returns a shader that stores twice a number.
    fn shader() -> Vec<u8> {
        let mut builder = Builder::new();
        builder.set_version(1, 3);
        builder.capability(Capability::Shader);
        builder.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
        let void = builder.type_void();
        let float = builder.type_float(32, None);
        let pointer = builder.type_pointer(None, StorageClass::Output, float);
        let output = builder.variable(pointer, None, StorageClass::Output, None);
        builder.name(output, "a \"name\\");
        let location = [Operand::LiteralBit32(0)];
        builder.decorate(output, Decoration::Location, location);
        let one = builder.constant_bit32(float, 1.5_f32.to_bits());
        let kind = builder.type_function(void, [float]);
        let scale = builder.begin_function(void, None, FunctionControl::NONE, kind);
        let scale = scale.expect("a function");
        let number = builder.function_parameter(float).expect("a parameter");
        builder.begin_block(None).expect("a block");
        let twice = builder.f_add(float, None, number, number);
        let twice = twice.expect("a sum");
        builder.store(output, twice, None, []).expect("a store");
        builder.ret().expect("an end");
        builder.end_function().expect("an end");
        let kind = builder.type_function(void, []);
        let main = builder.begin_function(void, None, FunctionControl::INLINE, kind);
        let main = main.expect("a function");
        builder.begin_block(None).expect("a block");
        let call = builder.function_call(void, None, scale, [one]);
        call.expect("a call");
        builder.ret().expect("an end");
        builder.end_function().expect("an end");
        builder.entry_point(ExecutionModel::Fragment, main, "main", [output]);
        builder.execution_mode(main, ExecutionMode::OriginUpperLeft, []);
        let words = builder.module().assemble();
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    fn text_of(binary: &[u8]) -> String {
        let text = spirv_text(binary).expect("a module");
        String::from_utf8(text).expect("a text")
    }

    #[test]
    fn a_binary_is_read_as_text_and_assembled_again() {
        let binary = shader();
        let text = SpirvText::read(&binary).expect("a module");
        assert_eq!(text.assemble(text.bytes.clone()), Some(binary.clone()));
        let text = text_of(&binary);
        for expected in [
            "OpMemoryModel Logical 1\n",
            " \"a \\\"name\\\\\"\n",
            " Location 0\n",
            " = OpTypePointer Output %",
            " None %",
        ] {
            assert!(text.contains(expected), "{expected} in {text}");
        }
    }

    #[test]
    fn what_mentions_a_deleted_instruction_is_made_right() {
        let binary: Arc<[u8]> = shader().into();
        let document = Document::new(&binary, INSTRUCTIONS);
        assert!(document.is_module());
        let all = Subset::full(document.len());
        let without = |token: usize| document.render(&all.without([token..token + 1]));
        let rests: Vec<String> = (0..document.len())
            .map(|token| text_of(&without(token)))
            .collect();
        let has = |kept: &str, gone: &str| {
            let is_it = |rest: &&String| rest.contains(kept) && !rest.contains(gone);
            rests.iter().any(|rest| is_it(&rest))
        };
        assert!(has("OpStore", "OpFAdd"), "{rests:?}");
        assert!(has("OpFAdd", "OpFunctionCall"), "{rests:?}");
        assert!(has("OpFunctionCall", "OpFAdd"), "{rests:?}");
    }

    #[test]
    fn a_word_that_is_gone_shortens_its_instruction() {
        let binary: Arc<[u8]> = shader().into();
        let document = Document::new(&binary, WORDS);
        let all = Subset::full(document.len());
        let rests =
            (0..document.len()).map(|token| document.render(&all.without([token..token + 1])));
        let rests: Vec<String> = rests
            .filter_map(|rest| spirv_text(&rest))
            .map(|text| String::from_utf8(text).expect("a text"))
            .collect();
        for gone in ["OpDecorate", "Location 0", "OpStore", "%10 %10"] {
            assert!(rests.iter().any(|rest| !rest.contains(gone)), "{gone}");
        }
    }

    #[test]
    fn what_is_no_module_is_one_token() {
        let mut cut = shader();
        cut.truncate(cut.len() - 6);
        for bytes in [&MAGIC[..], b"\x03\x02\x23\x07abcd", &cut] {
            let document = Document::new(&bytes.into(), INSTRUCTIONS);
            assert!(!document.is_module() && document.len() == 1);
        }
    }

    proptest! {
        #[test]
        fn mutated_binaries_are_read_and_written_back(
            edits in proptest::collection::vec((4..400_usize, any::<u8>()), 0..4),
            kept in proptest::collection::vec(any::<bool>(), 1..40),
        ) {
            let mut bytes = shader();
            for (at, byte) in edits {
                let at = at % bytes.len();
                bytes[at.max(4)] = byte;
            }
            for view in [INSTRUCTIONS, WORDS] {
                let document = Document::new(&bytes.as_slice().into(), view);
                let all = Subset::full(document.len());
                prop_assert_eq!(&document.render(&all), &bytes);
                let gone = (0..document.len()).filter(|token| !kept[token % kept.len()]);
                let rest = document.render(&all.without(gone.map(|token| token..token + 1)));
                prop_assert!(rest.len() < 16 * bytes.len());
            }
        }
    }
}
