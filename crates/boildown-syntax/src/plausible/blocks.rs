//! The order of the blocks of a module, and what its header has to say.

use super::format::ModuleFormat;
use super::spirv::SpirvStructure;
use crate::document::ends_block_of_ir;

/// Follows the blocks of the functions of a module, line by line: each has to end in an instruction
/// that leaves it, and nothing comes after that one.
#[derive(Debug)]
pub(super) struct BlockOrder {
    format: ModuleFormat,
    last: BlockPlace,
    /// Whether the line is one of a table of jumps.
    is_table: bool,
    header: SpirvHeader,
    structure: SpirvStructure,
    is_broken: bool,
}

/// What a module of SPIR-V says before its functions.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
struct SpirvHeader {
    has_model: bool,
    /// Whether the memory model is one of shaders.
    is_shader: bool,
    has_shader: bool,
    has_linkage: bool,
    has_entry: bool,
    has_fragment: bool,
    has_origin: bool,
}

/// Capabilities that do not come with those of shaders.
const NOT_OF_SHADERS: [&[u8]; 10] = [
    b"Addresses",
    b"Float16",
    b"Float64",
    b"Int16",
    b"Int64",
    b"Int8",
    b"Kernel",
    b"Linkage",
    b"Matrix",
    b"VariablePointers",
];

impl SpirvHeader {
    fn line(&mut self, operation: &[u8], words: &[&[u8]]) {
        let has = |operand: &[u8]| words.contains(&operand);
        match operation {
            b"OpMemoryModel" => {
                self.has_model = true;
                self.is_shader = !has(b"OpenCL");
            }
            b"OpCapability" => {
                let name = words.last().copied().unwrap_or_default();
                self.has_shader |= !NOT_OF_SHADERS.contains(&name);
                self.has_linkage |= name == b"Linkage";
            }
            b"OpEntryPoint" => {
                self.has_entry = true;
                self.has_fragment |= has(b"Fragment");
            }
            b"OpExecutionMode" => {
                self.has_origin |= has(b"OriginUpperLeft") || has(b"OriginLowerLeft");
            }
            _ => {}
        }
    }

    /// Returns whether something is missing that each valid module has.
    fn is_incomplete(&self) -> bool {
        !self.has_model
            || self.is_shader && !self.has_shader
            || !self.has_entry && !self.has_linkage
            || self.has_fragment && !self.has_origin
    }
}

/// Where the last line of a module was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockPlace {
    Outside,
    /// After the beginning of a function.
    Begun,
    Inside,
    /// After an instruction that leaves a block.
    Left,
}

impl BlockOrder {
    pub(super) fn new(format: ModuleFormat) -> Self {
        Self {
            format,
            last: BlockPlace::Outside,
            is_table: false,
            header: SpirvHeader::default(),
            structure: SpirvStructure::default(),
            is_broken: false,
        }
    }

    pub(super) fn line(&mut self, words: &[&[u8]]) {
        use BlockPlace::{Begun, Inside, Left, Outside};
        let has_result = words.get(1) == Some(&&b"="[..]);
        let operation = words[if has_result && words.len() > 2 { 2 } else { 0 }];
        if self.format == ModuleFormat::Spirv {
            self.header.line(operation, words);
            let is_structured = self.structure.line(operation, words);
            self.is_broken |= self.header.is_shader && !is_structured;
        }
        let (is_allowed, place) = match self.format {
            ModuleFormat::Spirv => match operation {
                b"OpLine" | b"OpNoLine" => return,
                b"OpFunction" => (self.last == Outside, Begun),
                b"OpFunctionParameter" => (self.last == Begun, Begun),
                b"OpLabel" => (matches!(self.last, Begun | Left), Inside),
                b"OpFunctionEnd" => (matches!(self.last, Begun | Left), Outside),
                b"OpBranch"
                | b"OpBranchConditional"
                | b"OpSwitch"
                | b"OpReturn"
                | b"OpReturnValue"
                | b"OpKill"
                | b"OpUnreachable"
                | b"OpTerminateInvocation" => (self.last == Inside, Left),
                _ => (matches!(self.last, Inside | Outside), self.last),
            },
            ModuleFormat::LlvmIr => {
                if self.is_table {
                    self.is_table = words[0] != b"]";
                    return;
                }
                self.is_table = self.last != Outside && words.ends_with(&[b"["]);
                let is_label = words.get(1) == Some(&&b":"[..]);
                match operation {
                    b"define" => (self.last == Outside, Begun),
                    b"}" => (matches!(self.last, Outside | Left), Outside),
                    b"to" => return,
                    _ if self.last == Outside => return,
                    _ if is_label => (matches!(self.last, Begun | Left), Inside),
                    _ if ends_block_of_ir(operation) => (matches!(self.last, Begun | Inside), Left),
                    _ => (matches!(self.last, Begun | Inside), Inside),
                }
            }
            _ => return,
        };
        self.is_broken |= !is_allowed;
        self.last = place;
    }

    /// Returns whether a block has no end, or a function of SPIR-V, or its module lacks
    /// what each one has.
    pub(super) fn is_wrong(&self) -> bool {
        let is_unfinished = self.last != BlockPlace::Outside || self.header.is_incomplete();
        self.is_broken || self.format == ModuleFormat::Spirv && is_unfinished
    }
}
