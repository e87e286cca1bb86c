//! The body of a function as a tree of instructions.

use std::ops::Range;

use wasm_encoder::reencode::Reencode as _;
use wasmparser::{FuncValidator, FunctionBody, Operator, ValType, ValidatorResources};

use super::mentions::{Mention, Mentions, SPACES, Token, position};

/// The most blocks and operands that may be nested in a body that is read as a tree. Deeper ones
/// are read as sequences: trees are walked by recursion.
const DEEPEST: usize = 600;

/// The most local variables that are listed. Bodies with more are copied as they are.
const MOST_LOCALS: u32 = 4096;

/// The label of the whole function.
pub(super) const FUNCTION_LABEL: u32 = u32::MAX;

/// The body of a function.
#[derive(Debug, Default)]
pub(super) struct CodeBody {
    /// With the length in front.
    pub(super) bytes: Range<usize>,
    /// The token of the function.
    pub(super) token: Token,
    /// All tokens of the function.
    pub(super) tokens: Range<usize>,
    /// The token of the bytes, if they are opaque.
    pub(super) code_token: Token,
    /// The local variables after the parameters.
    pub(super) locals: Vec<CodeLocal>,
    /// The instructions in the order of the file, without `else` and `end`.
    pub(super) instructions: Vec<CodeInstruction>,
    /// What the instructions mention.
    pub(super) mentions: Vec<Mention>,
    /// The instructions that stand alone, in order; of a body that is no tree, all.
    pub(super) roots: Vec<u32>,
    pub(super) shape: BodyShape,
    /// The largest index that is mentioned in each space, plus one.
    pub(super) bounds: [u32; SPACES],
    pub(super) is_valid: bool,
}

/// How much is known about a body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum BodyShape {
    /// The instructions are a tree: each has its operands.
    Tree,
    /// The instructions are a sequence.
    Sequence,
    /// The bytes cannot be read as instructions.
    #[default]
    Opaque,
}

/// A local variable.
#[derive(Debug)]
pub(super) struct CodeLocal {
    pub(super) ty: ValType,
    pub(super) token: Token,
}

/// An instruction; for a block, everything up to its end.
#[derive(Debug)]
pub(super) struct CodeInstruction {
    /// The bytes of the instruction alone.
    pub(super) bytes: Range<usize>,
    pub(super) token: Token,
    pub(super) kind: CodeKind,
    /// The instructions that compute the operands, and those between them, in order.
    pub(super) operands: Vec<u32>,
    /// The first instruction of this subtree.
    pub(super) first: u32,
    /// The instruction after the last one of this subtree.
    pub(super) end: u32,
    /// How many operands it takes.
    pub(super) takes: u32,
    /// How many operands come from nowhere, since the place is never reached.
    pub(super) missing: u32,
    /// The types of the values that the subtree leaves.
    pub(super) results: Vec<ValType>,
    /// How many of the results are its own; the others are left of its operands.
    pub(super) own_results: u32,
    /// A range of the mentions of the body.
    pub(super) mentions: Range<usize>,
}

/// What is special about an instruction.
#[derive(Debug)]
pub(super) enum CodeKind {
    Plain,
    /// Nothing after it is reached; in a sequence, the end of a block.
    End,
    /// Reads or writes a local variable.
    Local(u32),
    /// Calls a function.
    Call(u32),
    /// Returns from the function, or branches out of it.
    Return,
    /// Branches to the labels: the indices of blocks.
    Branch(Vec<u32>),
    /// A branch that is always taken.
    Jump(Vec<u32>),
    /// A block, loop or table of handlers, with the labels of the handlers.
    Block {
        inside: Vec<u32>,
        handlers: Vec<u32>,
    },
    If {
        then: Vec<u32>,
        /// The bytes of `else` and the instructions after it.
        otherwise: Option<Otherwise>,
    },
}

/// The other arm of a condition.
#[derive(Debug)]
pub(super) struct Otherwise {
    pub(super) bytes: Range<usize>,
    pub(super) token: Token,
    pub(super) inside: Vec<u32>,
}

impl CodeInstruction {
    /// Returns whether all values of its operands are its own operands.
    pub(super) fn is_regular(&self) -> bool {
        self.own_results as usize == self.results.len() && self.missing == 0
    }
}

/// A block that is being read.
#[derive(Default)]
struct OpenBlock {
    /// The instruction of the block; [`FUNCTION_LABEL`] for the function.
    block: u32,
    /// The instructions so far, with the number of values that each has left on the stack.
    items: Vec<(u32, usize)>,
    /// The items before this one are out of reach, because a jump came after them.
    barrier: usize,
    depth: usize,
}

struct BodyReader<'a> {
    body: CodeBody,
    validator: &'a mut FuncValidator<ValidatorResources>,
    open: Vec<OpenBlock>,
    /// The depth of each instruction's subtree.
    depths: Vec<usize>,
}

impl CodeBody {
    /// Reads a body. `bytes` includes its length. Without a validator it is read as a sequence.
    pub(super) fn read(
        body: &FunctionBody<'_>,
        bytes: Range<usize>,
        validator: Option<FuncValidator<ValidatorResources>>,
        parameters: Option<&[ValType]>,
    ) -> Self {
        let locals = read_locals(body);
        let has_locals = locals.is_some() && parameters.is_some();
        let mut is_valid = false;
        if let Some(mut validator) = validator {
            let tree = (has_locals)
                .then(|| Self::tree(body, &mut validator.clone()))
                .flatten();
            if let Some(tree) = tree {
                return Self {
                    bytes,
                    locals: locals.unwrap_or_default(),
                    is_valid: true,
                    ..tree
                };
            }
            is_valid = validator.validate(body).is_ok();
        }
        let sequence = locals.and_then(|locals| {
            let sequence = Self::sequence(body)?;
            Some(Self { locals, ..sequence })
        });
        Self {
            bytes,
            is_valid,
            ..sequence.unwrap_or_default()
        }
    }

    /// Reads the instructions as a tree. `None` if that is not possible.
    fn tree(
        body: &FunctionBody<'_>,
        validator: &mut FuncValidator<ValidatorResources>,
    ) -> Option<Self> {
        let mut bytes = body.get_binary_reader();
        validator.read_locals(&mut bytes).ok()?;
        let mut operators = body.get_operators_reader().ok()?;
        let mut reader = BodyReader {
            body: Self {
                shape: BodyShape::Tree,
                ..Self::default()
            },
            validator,
            open: vec![OpenBlock {
                block: FUNCTION_LABEL,
                ..OpenBlock::default()
            }],
            depths: Vec::new(),
        };
        while !operators.eof() {
            let start = operators.original_position();
            let operator = operators.read().ok()?;
            let end = operators.original_position();
            reader.operator(&operator, position(start)..position(end))?;
        }
        let mut read = reader.body;
        read.locals_bound(body);
        (reader.validator.control_stack_height() == 0).then_some(read)
    }

    /// Reads the instructions one after another. `None` if they cannot be read.
    fn sequence(body: &FunctionBody<'_>) -> Option<Self> {
        let mut read = Self {
            shape: BodyShape::Sequence,
            ..Self::default()
        };
        let mut operators = body.get_operators_reader().ok()?;
        while !operators.eof() {
            let start = operators.original_position();
            let operator = operators.read().ok()?;
            let bytes = position(start)..position(operators.original_position());
            let mentions = read.mention(&operator)?;
            let kind = match operator {
                Operator::Block { .. }
                | Operator::Loop { .. }
                | Operator::If { .. }
                | Operator::Try { .. }
                | Operator::TryTable { .. } => CodeKind::Block {
                    inside: Vec::new(),
                    handlers: Vec::new(),
                },
                Operator::End | Operator::Delegate { .. } => CodeKind::End,
                _ => CodeKind::Plain,
            };
            let index = read.next()?;
            read.roots.push(index);
            read.instructions.push(CodeInstruction {
                mentions,
                kind,
                ..CodeInstruction::new(index, bytes)
            });
        }
        read.locals_bound(body);
        Some(read)
    }

    /// Makes everything inside of the function one token.
    pub(super) fn set_all_tokens(&mut self, token: Token) {
        self.code_token = token;
        for local in &mut self.locals {
            local.token = token;
        }
        for instruction in &mut self.instructions {
            instruction.token = token;
            if let CodeKind::If {
                otherwise: Some(otherwise),
                ..
            } = &mut instruction.kind
            {
                otherwise.token = token;
            }
        }
    }

    fn next(&self) -> Option<u32> {
        u32::try_from(self.instructions.len()).ok()
    }

    /// Adds what an instruction mentions.
    fn mention(&mut self, operator: &Operator<'_>) -> Option<Range<usize>> {
        let start = self.mentions.len();
        let mut mentions = Mentions(std::mem::take(&mut self.mentions));
        let read = mentions.instruction(operator.clone());
        self.mentions = mentions.0;
        read.ok()?;
        self.raise_bounds(start);
        Some(start..self.mentions.len())
    }

    fn raise_bounds(&mut self, start: usize) {
        for mention in &self.mentions[start..] {
            let bound = &mut self.bounds[mention.space as usize];
            *bound = (*bound).max(mention.index.saturating_add(1));
        }
    }

    /// Takes account of the types that the local variables mention.
    fn locals_bound(&mut self, body: &FunctionBody<'_>) {
        let mut mentions = Mentions::default();
        if let Ok(locals) = body.get_locals_reader() {
            for (_, ty) in locals.into_iter().flatten() {
                let _is_concrete = mentions.val_type(ty).is_ok();
            }
        }
        let start = self.mentions.len();
        self.mentions.extend(mentions.0);
        self.raise_bounds(start);
    }
}

impl CodeInstruction {
    fn new(index: u32, bytes: Range<usize>) -> Self {
        Self {
            bytes,
            token: Token::NONE,
            kind: CodeKind::Plain,
            operands: Vec::new(),
            first: index,
            end: index + 1,
            takes: 0,
            missing: 0,
            results: Vec::new(),
            own_results: 0,
            mentions: 0..0,
        }
    }
}

/// Returns the local variables; `None` if there are too many.
fn read_locals(body: &FunctionBody<'_>) -> Option<Vec<CodeLocal>> {
    let mut locals = Vec::new();
    let mut all = 0_u32;
    for group in body.get_locals_reader().ok()? {
        let (count, ty) = group.ok()?;
        all = all.checked_add(count).filter(|&all| all <= MOST_LOCALS)?;
        let token = Token::NONE;
        locals.extend((0..count).map(|_| CodeLocal { ty, token }));
    }
    Some(locals)
}

impl BodyReader<'_> {
    fn operator(&mut self, operator: &Operator<'_>, bytes: Range<usize>) -> Option<()> {
        match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => {
                self.begin(operator, Vec::new(), bytes)
            }
            Operator::TryTable { try_table } => {
                let labels = try_table.catches.iter().map(|catch| match catch {
                    wasmparser::Catch::One { label, .. }
                    | wasmparser::Catch::OneRef { label, .. }
                    | wasmparser::Catch::All { label }
                    | wasmparser::Catch::AllRef { label } => *label,
                });
                let labels = labels
                    .map(|label| self.label(label))
                    .collect::<Option<_>>()?;
                self.begin(operator, labels, bytes)
            }
            Operator::Else => self.otherwise(operator, bytes),
            Operator::End => self.end(operator, &bytes),
            Operator::Try { .. }
            | Operator::Catch { .. }
            | Operator::CatchAll
            | Operator::Delegate { .. }
            | Operator::Rethrow { .. } => None,
            _ => self.plain(operator, bytes),
        }
    }

    fn validate(&mut self, operator: &Operator<'_>, at: usize) -> Option<()> {
        self.validator.op(at as u64, operator).ok()
    }

    /// Returns the block that a label refers to.
    fn label(&self, depth: u32) -> Option<u32> {
        let above = self
            .open
            .len()
            .checked_sub(1)?
            .checked_sub(depth as usize)?;
        Some(self.open[above].block)
    }

    fn plain(&mut self, operator: &Operator<'_>, bytes: Range<usize>) -> Option<()> {
        let (takes, results) = operator.operator_arity(self.validator)?;
        let kind = self.kind(operator)?;
        let is_end = match kind {
            CodeKind::End | CodeKind::Jump(_) | CodeKind::Return => true,
            CodeKind::Call(_) => matches!(operator, Operator::ReturnCall { .. }),
            _ => false,
        };
        let mentions = self.body.mention(operator)?;
        let index = self.body.next()?;
        let mut instruction = CodeInstruction {
            kind,
            takes,
            own_results: results,
            mentions,
            ..CodeInstruction::new(index, bytes)
        };
        let left = self.gather(&mut instruction)?;
        self.validate(operator, instruction.bytes.start)?;
        self.results(&mut instruction, left + results as usize);
        let left_values = instruction.results.len();
        self.body.instructions.push(instruction);
        let open = self.open.last_mut()?;
        open.items.push((index, left_values));
        if is_end {
            open.barrier = open.items.len();
        }
        Some(())
    }

    fn kind(&self, operator: &Operator<'_>) -> Option<CodeKind> {
        Some(match operator {
            Operator::LocalGet { local_index }
            | Operator::LocalSet { local_index }
            | Operator::LocalTee { local_index } => CodeKind::Local(*local_index),
            Operator::Call { function_index } | Operator::ReturnCall { function_index } => {
                CodeKind::Call(*function_index)
            }
            Operator::Unreachable
            | Operator::Throw { .. }
            | Operator::ThrowRef
            | Operator::ReturnCallIndirect { .. }
            | Operator::ReturnCallRef { .. } => CodeKind::End,
            Operator::Return => CodeKind::Return,
            Operator::Br { relative_depth } => CodeKind::Jump(vec![self.label(*relative_depth)?]),
            Operator::BrTable { targets } => {
                let depths = targets.targets().chain([Ok(targets.default())]);
                let labels = depths.map(|depth| self.label(depth.ok()?));
                CodeKind::Jump(labels.collect::<Option<_>>()?)
            }
            Operator::BrIf { relative_depth }
            | Operator::BrOnNull { relative_depth }
            | Operator::BrOnNonNull { relative_depth }
            | Operator::BrOnCast { relative_depth, .. }
            | Operator::BrOnCastFail { relative_depth, .. } => {
                CodeKind::Branch(vec![self.label(*relative_depth)?])
            }
            // Their labels are not known to be rewritten.
            Operator::BrOnCastDescEq { .. }
            | Operator::BrOnCastDescEqFail { .. }
            | Operator::Resume { .. }
            | Operator::ResumeThrow { .. }
            | Operator::ResumeThrowRef { .. } => return None,
            _ => CodeKind::Plain,
        })
    }

    /// Takes the operands of an instruction off the stack. Returns how many values are left of
    /// them.
    fn gather(&mut self, instruction: &mut CodeInstruction) -> Option<usize> {
        let open = self.open.last_mut()?;
        let mut wanted = instruction.takes as usize;
        let mut left = 0;
        let mut taken: Vec<(u32, usize)> = Vec::new();
        while wanted > 0 && open.items.len() > open.barrier {
            let (item, values) = open.items.pop()?;
            taken.push((item, values));
            left = values.saturating_sub(wanted);
            wanted = wanted.saturating_sub(values);
        }
        while wanted > 0
            && let Some(item) = taken.pop_if(|(_, values)| *values == 0)
        {
            open.items.push(item);
        }
        instruction.missing = u32::try_from(wanted).ok()?;
        instruction.operands = taken.iter().rev().map(|&(item, _)| item).collect();
        let mut depth = 0;
        if let Some(&first) = instruction.operands.first() {
            instruction.first = self.body.instructions[first as usize].first;
        }
        for &operand in &instruction.operands {
            depth = depth.max(self.depths[operand as usize]);
        }
        self.depths.push(depth + 1);
        (open.depth + depth < DEEPEST).then_some(left)
    }

    /// Reads the types of the topmost values.
    fn results(&self, instruction: &mut CodeInstruction, count: usize) {
        let types = (0..count).rev().map(|depth| {
            let ty = self.validator.get_operand_type(depth).flatten();
            ty.unwrap_or(ValType::I32)
        });
        instruction.results = types.collect();
    }

    fn begin(
        &mut self,
        operator: &Operator<'_>,
        handlers: Vec<u32>,
        bytes: Range<usize>,
    ) -> Option<()> {
        let (takes, _) = operator.operator_arity(self.validator)?;
        let takes = match operator {
            Operator::If { .. } => takes,
            // A block with parameters.
            _ if takes > 0 => return None,
            _ => 0,
        };
        if takes > 1 {
            return None;
        }
        let mentions = self.body.mention(operator)?;
        let index = self.body.next()?;
        let inside = Vec::new();
        let mut instruction = CodeInstruction {
            kind: match operator {
                Operator::If { .. } => CodeKind::If {
                    then: inside,
                    otherwise: None,
                },
                _ => CodeKind::Block { inside, handlers },
            },
            takes,
            mentions,
            ..CodeInstruction::new(index, bytes)
        };
        let left = self.gather(&mut instruction)?;
        if left > 0 {
            return None;
        }
        self.validate(operator, instruction.bytes.start)?;
        self.body.instructions.push(instruction);
        let depth = self.open.last()?.depth + 1;
        self.open.push(OpenBlock {
            block: index,
            depth,
            ..OpenBlock::default()
        });
        Some(())
    }

    fn otherwise(&mut self, operator: &Operator<'_>, bytes: Range<usize>) -> Option<()> {
        self.validate(operator, bytes.start)?;
        let open = self.open.last_mut()?;
        let items = std::mem::take(&mut open.items);
        open.barrier = 0;
        let block = self.body.instructions.get_mut(open.block as usize)?;
        let CodeKind::If { then, otherwise } = &mut block.kind else {
            return None;
        };
        *then = items.into_iter().map(|(item, _)| item).collect();
        *otherwise = Some(Otherwise {
            bytes,
            token: Token::NONE,
            inside: Vec::new(),
        });
        Some(())
    }

    fn end(&mut self, operator: &Operator<'_>, bytes: &Range<usize>) -> Option<()> {
        let (_, count) = operator.operator_arity(self.validator)?;
        let open = self.open.pop()?;
        let inside: Vec<u32> = open.items.iter().map(|&(item, _)| item).collect();
        let deepest = inside.iter().map(|&item| self.depths[item as usize]).max();
        self.validate(operator, bytes.start)?;
        if open.block == FUNCTION_LABEL {
            self.body.roots = inside;
            return Some(());
        }
        let end = self.body.next()?;
        let mut block = std::mem::replace(
            self.body.instructions.get_mut(open.block as usize)?,
            CodeInstruction::new(0, 0..0),
        );
        match &mut block.kind {
            CodeKind::Block { inside: items, .. } => *items = inside,
            CodeKind::If {
                otherwise: Some(otherwise),
                ..
            } => otherwise.inside = inside,
            CodeKind::If { then, .. } => *then = inside,
            _ => return None,
        }
        block.end = end;
        block.own_results = count;
        self.results(&mut block, count as usize);
        let values = block.results.len();
        self.body.instructions[open.block as usize] = block;
        let depth = &mut self.depths[open.block as usize];
        *depth = (*depth).max(deepest.unwrap_or(0) + 1);
        self.open.last_mut()?.items.push((open.block, values));
        Some(())
    }
}
