//! The instructions of a module, by function and block.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use boildown_document::writable_module::UnitToken;

use super::words::{SpirvWord, words};

/// The position of an instruction in the module.
pub(super) type InstructionIndex = usize;

/// A module of SPIR-V.
#[derive(Debug)]
pub(crate) struct SpirvModule {
    pub(super) bytes: Arc<[u8]>,
    pub(super) words: Vec<SpirvWord>,
    pub(super) instructions: Vec<SpirvInstruction>,
    /// The instructions before the first function.
    pub(super) header: Range<InstructionIndex>,
    pub(super) functions: Vec<SpirvFunction>,
    /// By id: the instruction that defines it.
    pub(super) definitions: Vec<Option<InstructionIndex>>,
    /// By id: the word that defines or first mentions it.
    pub(super) names: Vec<usize>,
    /// The texts of all ids.
    pub(super) texts: BTreeSet<Box<[u8]>>,
    /// The function that each `OpFunction` begins.
    pub(super) functions_at: BTreeMap<InstructionIndex, usize>,
    /// The first undefined value of each type, by the id of the type.
    pub(super) undefined: BTreeMap<usize, InstructionIndex>,
    /// The tokens of the names of entry points, by their words. Those of empty ones are left out.
    pub(super) entry_names: BTreeMap<usize, UnitToken>,
}

#[derive(Debug)]
pub(super) struct SpirvInstruction {
    pub(super) words: Range<usize>,
    /// The word of the operation, such as `OpLoad`.
    pub(super) operation: usize,
    /// The id that it defines.
    pub(super) result: Option<usize>,
    pub(super) token: UnitToken,
}

#[derive(Debug)]
pub(super) struct SpirvFunction {
    /// `OpFunction`. Its token stands for the whole function.
    pub(super) start: InstructionIndex,
    pub(super) parameters: Range<InstructionIndex>,
    pub(super) blocks: Vec<SpirvBlock>,
    /// The token of the body.
    pub(super) body: UnitToken,
    /// The token of its end. Without it, the function stands in the place of its only call, or of
    /// the contents of the entry point.
    pub(super) end_token: UnitToken,
    /// `OpFunctionEnd`.
    pub(super) end: InstructionIndex,
}

/// A basic block.
#[derive(Debug)]
pub(super) struct SpirvBlock {
    pub(super) label: InstructionIndex,
    /// What stands between the label and the end.
    pub(super) instructions: Range<InstructionIndex>,
    /// `OpSelectionMerge` or `OpLoopMerge`.
    pub(super) merge: Option<InstructionIndex>,
    pub(super) end: InstructionIndex,
    /// The blocks that it may continue at.
    pub(super) targets: Vec<SpirvTarget>,
}

#[derive(Debug)]
pub(super) struct SpirvTarget {
    pub(super) word: usize,
    pub(super) token: UnitToken,
}

/// What an instruction before the first function is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpirvHeaderSort {
    /// The memory model, which every module needs.
    Needed,
    /// A type, a constant or a set of instructions, which stays as long as something uses it.
    Value,
    /// A name or decoration, which goes with what it describes.
    Annotation,
    Other,
}

/// Operations that end a block.
#[rustfmt::skip]
const ENDS: [&str; 12] = [
    "OpBranch", "OpBranchConditional", "OpSwitch", "OpReturn", "OpReturnValue", "OpKill",
    "OpUnreachable", "OpTerminateInvocation", "OpIgnoreIntersectionKHR", "OpTerminateRayKHR",
    "OpEmitMeshTasksEXT", "OpDemoteToHelperInvocationEXT",
];

/// Decorations that say how a type is laid out.
#[rustfmt::skip]
const LAYOUTS: [&str; 7] = [
    "Offset", "ArrayStride", "MatrixStride", "ColMajor", "RowMajor", "Block", "BufferBlock",
];

impl SpirvModule {
    /// Reads a module. `None` if it has no memory model, or its functions are not made of blocks.
    pub(crate) fn read(bytes: &Arc<[u8]>) -> Option<Self> {
        let (words, ids) = words(bytes);
        let mut module = Self {
            bytes: Arc::clone(bytes),
            words,
            instructions: Vec::new(),
            header: 0..0,
            functions: Vec::new(),
            definitions: vec![None; ids],
            names: vec![0; ids],
            texts: BTreeSet::new(),
            functions_at: BTreeMap::new(),
            undefined: BTreeMap::new(),
            entry_names: BTreeMap::new(),
        };
        module.divide()?;
        for (index, word) in module.words.iter().enumerate().rev() {
            if let Some(id) = word.id {
                module.names[id] = index;
            }
        }
        for (index, one) in module.instructions.iter().enumerate() {
            if let Some(id) = one.result {
                module.definitions[id].get_or_insert(index);
            }
        }
        let count = module.instructions.len();
        let first = (0..count).find(|&index| module.is(index, "OpFunction"));
        module.header = 0..first.unwrap_or(count);
        let mut at = module.header.end;
        while at < count {
            if module.is(at, "OpLine") || module.is(at, "OpNoLine") {
                at += 1;
                continue;
            }
            let function = module.function(at)?;
            at = function.end + 1;
            let number = module.functions.len();
            module.functions_at.insert(function.start, number);
            module.functions.push(function);
        }
        module.texts = (module.names.iter())
            .map(|&word| module.word(word).into())
            .collect();
        for index in module.header.clone().rev() {
            let type_id = module.operand(index, 0);
            if let Some(type_id) = type_id.filter(|_| module.is(index, "OpUndef")) {
                module.undefined.insert(type_id, index);
            }
        }
        let has_model = (module.header.clone()).any(|index| module.is(index, "OpMemoryModel"));
        has_model.then_some(module)
    }

    /// Divides the words into instructions.
    fn divide(&mut self) -> Option<()> {
        let mut starts = Vec::new();
        for word in 0..self.words.len() {
            let text = self.word(word);
            let is_operation = text.starts_with(b"Op") && text[2..].first()?.is_ascii_uppercase();
            if is_operation {
                let has_result = word >= 2 && self.word(word - 1) == b"=";
                starts.push((word - if has_result { 2 } else { 0 }, word));
            }
        }
        if starts.first()?.0 != 0 {
            return None;
        }
        for (position, &(start, operation)) in starts.iter().enumerate() {
            let next = starts.get(position + 1);
            let end = next.map_or(self.words.len(), |next| next.0);
            if end <= operation {
                return None;
            }
            self.instructions.push(SpirvInstruction {
                words: start..end,
                operation,
                result: (start < operation).then(|| self.words[start].id).flatten(),
                token: None,
            });
        }
        Some(())
    }

    fn function(&self, start: InstructionIndex) -> Option<SpirvFunction> {
        let count = self.instructions.len();
        let from = |start: usize| start..count;
        let is_parameter = |&index: &usize| self.is(index, "OpFunctionParameter");
        let parameters = start + 1 + from(start + 1).take_while(is_parameter).count();
        let mut function = SpirvFunction {
            start,
            parameters: start + 1..parameters,
            blocks: Vec::new(),
            body: None,
            end_token: None,
            end: 0,
        };
        let mut at = parameters;
        while at < count && !self.is(at, "OpFunctionEnd") {
            if self.is(at, "OpLine") || self.is(at, "OpNoLine") {
                at += 1;
                continue;
            }
            if !self.is(at, "OpLabel") {
                return None;
            }
            let end = from(at + 1).find(|&index| ENDS.iter().any(|end| self.is(index, end)))?;
            if (at + 1..end).any(|index| self.is(index, "OpLabel")) {
                return None;
            }
            function.blocks.push(self.block(at, end));
            at = end + 1;
        }
        function.end = at;
        (at < count).then_some(function)
    }

    fn block(&self, label: InstructionIndex, end: InstructionIndex) -> SpirvBlock {
        let is_merge =
            |&index: &usize| self.is(index, "OpSelectionMerge") || self.is(index, "OpLoopMerge");
        let operands = self.operands(end);
        let first = match self.operation(end) {
            b"OpBranch" => operands.start,
            b"OpBranchConditional" | b"OpSwitch" => operands.start + 1,
            _ => operands.end,
        };
        let targets = (first..operands.end).filter(|&word| self.words[word].id.is_some());
        SpirvBlock {
            label,
            instructions: label + 1..end,
            merge: (label + 1..end).rev().take(3).find(is_merge),
            end,
            targets: targets
                .map(|word| SpirvTarget { word, token: None })
                .collect(),
        }
    }

    /// Returns the text of a word.
    pub(super) fn word(&self, word: usize) -> &[u8] {
        &self.bytes[self.words[word].bytes.clone()]
    }

    pub(super) fn operation(&self, index: InstructionIndex) -> &[u8] {
        self.word(self.instructions[index].operation)
    }

    pub(super) fn is(&self, index: InstructionIndex, operation: &str) -> bool {
        self.operation(index) == operation.as_bytes()
    }

    /// Returns the words after the operation.
    pub(super) fn operands(&self, index: InstructionIndex) -> Range<usize> {
        let one = &self.instructions[index];
        one.operation + 1..one.words.end
    }

    /// Returns the id of an operand by its position.
    pub(super) fn operand(&self, index: InstructionIndex, position: usize) -> Option<usize> {
        let operands = self.operands(index);
        let word = operands.start + position;
        (word < operands.end).then(|| self.words[word].id).flatten()
    }

    /// Returns the type of what an instruction defines. An operation with a type names it first.
    pub(super) fn type_of(&self, index: InstructionIndex) -> Option<usize> {
        let has_none = self.operation(index).starts_with(b"OpType")
            || [
                "OpLabel",
                "OpFunction",
                "OpExtInstImport",
                "OpString",
                "OpDecorationGroup",
            ]
            .iter()
            .any(|operation| self.is(index, operation));
        self.instructions[index].result?;
        if has_none {
            return None;
        }
        self.operand(index, 0)
    }

    /// Returns whether an instruction names or decorates another one.
    pub(super) fn is_annotation(&self, index: InstructionIndex) -> bool {
        self.header.contains(&index) && self.header_sort(index) == SpirvHeaderSort::Annotation
    }

    pub(super) fn header_sort(&self, index: InstructionIndex) -> SpirvHeaderSort {
        let operation = self.operation(index);
        let begins = |text: &str| operation.starts_with(text.as_bytes());
        let is_value = begins("OpType") || begins("OpConstant") || begins("OpSpecConstant");
        if begins("OpMemoryModel") {
            SpirvHeaderSort::Needed
        } else if begins("OpTypeForwardPointer") {
            SpirvHeaderSort::Annotation
        } else if is_value || begins("OpUndef") || begins("OpExtInstImport") {
            SpirvHeaderSort::Value
        } else if [
            "OpName",
            "OpMember",
            "OpDecorate",
            "OpGroup",
            "OpExecutionMode",
        ]
        .iter()
        .any(|text| begins(text))
        {
            SpirvHeaderSort::Annotation
        } else {
            SpirvHeaderSort::Other
        }
    }

    /// Returns whether an instruction says that what it describes, which has no contents, is in
    /// another module.
    pub(super) fn is_import(&self, index: InstructionIndex) -> bool {
        self.has_operand(index, "OpDecorate", "LinkageAttributes")
            && self.has_operand(index, "OpDecorate", "Import")
    }

    /// Returns whether an instruction says how a type is laid out, which its uses may need.
    pub(super) fn is_layout(&self, index: InstructionIndex) -> bool {
        let mut operands = self.operands(index).skip(1).take(2);
        operands.any(|word| {
            LAYOUTS
                .iter()
                .any(|name| self.word(word) == name.as_bytes())
        })
    }

    /// Returns the entry point that a module without linkage cannot do without: its only one.
    pub(super) fn only_entry_point(&self) -> Option<InstructionIndex> {
        let mut entries = (self.header.clone()).filter(|&index| self.is(index, "OpEntryPoint"));
        let mut all = self.header.clone();
        let only = entries.next().filter(|_| entries.next().is_none())?;
        let has_linkage = all.any(|index| self.has_operand(index, "OpCapability", "Linkage"));
        (!has_linkage).then_some(only)
    }

    /// Returns whether every valid module like this one has an instruction: the capability that the
    /// memory model asks for, or the origin of a fragment shader.
    pub(super) fn is_demanded(&self, index: InstructionIndex) -> bool {
        let is_origin = |origin| self.has_operand(index, "OpExecutionMode", origin);
        let is_model =
            |index| self.is(index, "OpMemoryModel") && !self.has_operand(index, "", "OpenCL");
        is_origin("OriginUpperLeft")
            || is_origin("OriginLowerLeft")
            || self.has_operand(index, "OpCapability", "Shader")
                && self.header.clone().any(is_model)
    }

    /// Returns, for each id, whether something uses what it stands for.
    pub(super) fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.definitions.len()];
        for index in 0..self.instructions.len() {
            let operation = self.operation(index);
            if operation == b"OpName" || operation.starts_with(b"OpDecorate") {
                continue;
            }
            for word in self.operands(index) {
                if let Some(id) = self.words[word].id {
                    used[id] = true;
                }
            }
        }
        used
    }

    /// Returns the instructions of a function that have no effect but their value, which nothing
    /// uses.
    pub(super) fn idle_values(
        &self,
        function: &SpirvFunction,
        used: &[bool],
    ) -> Vec<InstructionIndex> {
        let all = function
            .blocks
            .iter()
            .flat_map(|block| block.instructions.clone());
        let has_effect = |index: InstructionIndex| {
            let operation = self.operation(index);
            ["OpFunctionCall", "OpAtomic", "OpGroup"]
                .iter()
                .any(|name| operation.starts_with(name.as_bytes()))
        };
        let is_idle = |&index: &InstructionIndex| {
            let result = self.instructions[index].result;
            result.is_some_and(|id| !used[id]) && !has_effect(index)
        };
        all.filter(is_idle).collect()
    }

    /// Returns whether an instruction says how a shader and its variables are reached from outside.
    /// An environment such as Vulkan demands all of these, others none.
    pub(super) fn is_interface(&self, index: InstructionIndex) -> bool {
        let names = [
            "DescriptorSet",
            "Binding",
            "Location",
            "Block",
            "BufferBlock",
        ];
        let is_decoration = |name: &&str| self.has_operand(index, "OpDecorate", name);
        names.iter().any(is_decoration) || self.has_operand(index, "OpExecutionMode", "LocalSize")
    }

    /// Returns whether an instruction begins with this text and has this operand.
    pub(super) fn has_operand(
        &self,
        index: InstructionIndex,
        operation: &str,
        operand: &str,
    ) -> bool {
        let mut operands = self.operands(index);
        self.operation(index).starts_with(operation.as_bytes())
            && operands.any(|word| self.word(word) == operand.as_bytes())
    }

    /// Returns the type of the value that an id names.
    pub(super) fn type_of_value(&self, id: usize) -> Option<usize> {
        self.type_of(self.definitions[id]?)
    }

    /// Returns the ids that an instruction mentions after its type.
    pub(super) fn values_of(&self, index: InstructionIndex) -> impl Iterator<Item = usize> {
        let operands = self.operands(index).skip(1);
        operands.filter_map(|word| self.words[word].id)
    }

    /// Returns whether an undefined value of a type is allowed everywhere.
    pub(super) fn may_be_undefined(&self, type_id: usize) -> bool {
        let Some(index) = self.definitions[type_id] else {
            return false;
        };
        match self.operation(index) {
            b"OpTypeBool" | b"OpTypeInt" | b"OpTypeFloat" => true,
            b"OpTypeVector" | b"OpTypeMatrix" | b"OpTypeArray" => self
                .operand(index, 0)
                .is_some_and(|inner| self.is_before(inner, index) && self.may_be_undefined(inner)),
            b"OpTypeStruct" => self.operands(index).all(|word| {
                let member = self.words[word].id;
                member.is_some_and(|inner| {
                    self.is_before(inner, index) && self.may_be_undefined(inner)
                })
            }),
            _ => false,
        }
    }

    /// Returns whether an id is defined before an instruction, so that following it ends.
    fn is_before(&self, id: usize, index: InstructionIndex) -> bool {
        self.definitions[id].is_some_and(|definition| definition < index)
    }
}
