//! Writing the body of a function that something is deleted of.
//!
//! Every set of instructions gives valid code. Where an operand is missing, the default value of
//! its type takes its place; where nothing takes a value, it is dropped. An instruction that is
//! deleted leaves the first of its operands that has its type, as `a` of `a + b`. An instruction
//! that mentions something that is gone counts as deleted.

use std::ops::Range;

use wasm_encoder::reencode::Reencode as _;
use wasm_encoder::{Encode as _, Instruction as Encoded};
use wasmparser::{BinaryReader, Operator, OperatorsReader, ValType};

use super::body::{BodyShape, CodeBody, CodeInstruction, CodeKind, FUNCTION_LABEL};
use super::link::{Linker, changed_call};
use super::mentions::{Token, position};
use super::module::FunctionInfo;

/// What is to happen to the values of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Values {
    /// They stay on the stack.
    Stay,
    /// They are not wanted.
    Drop,
}

/// Writes one body.
pub(super) struct CodeWriter<'a> {
    linker: &'a Linker<'a>,
    body: &'a CodeBody,
    function: &'a FunctionInfo,
    results: &'a [ValType],
    /// For each instruction, whether it is left.
    is_left: Vec<bool>,
    /// For each instruction, how many before it are left.
    left_before: Vec<usize>,
    /// The new index of each local variable; `None` if it is gone.
    locals: Vec<Option<u32>>,
    out: Vec<u8>,
    /// Whether the place is never reached.
    is_dead: bool,
    /// The blocks around the place, the function first.
    labels: Vec<u32>,
}

impl<'a> CodeWriter<'a> {
    pub(super) fn new(linker: &'a Linker<'a>, body: &'a CodeBody, index: usize) -> Self {
        let signature = u32::try_from(index).ok();
        let signature = signature.and_then(|index| linker.module.signature(index));
        let function = &linker.module.functions[index];
        let tokens = function.parameters.iter();
        let tokens = tokens.chain(body.locals.iter().map(|local| &local.token));
        let mut next = 0;
        let locals = tokens.map(|token| {
            let new = token.is_in(linker.kept).then_some(next);
            next += u32::from(new.is_some());
            new
        });
        let mut writer = Self {
            linker,
            body,
            function,
            results: signature.map_or(&[], |(_, results)| results),
            is_left: Vec::with_capacity(body.instructions.len()),
            left_before: Vec::with_capacity(body.instructions.len() + 1),
            locals: locals.collect(),
            out: Vec::with_capacity(body.bytes.len()),
            is_dead: false,
            labels: vec![FUNCTION_LABEL],
        };
        writer.mark();
        writer
    }

    /// Finds the instructions that are left.
    fn mark(&mut self) {
        let mut count = 0;
        for instruction in &self.body.instructions {
            let is_left = self.stays(instruction);
            self.left_before.push(count);
            count += usize::from(is_left);
            self.is_left.push(is_left);
        }
        self.left_before.push(count);
    }

    fn stays(&self, instruction: &CodeInstruction) -> bool {
        let linker = self.linker;
        let mentions = &self.body.mentions[instruction.mentions.clone()];
        let has_label = |label: &u32| {
            *label == FUNCTION_LABEL || self.is_left.get(*label as usize) == Some(&true)
        };
        instruction.token.is_in(linker.kept)
            && match &instruction.kind {
                CodeKind::Block { .. } => true,
                CodeKind::Local(local) => self.new_local(*local).is_some(),
                CodeKind::Branch(labels) | CodeKind::Jump(labels) => {
                    linker.renumbering.has_all(mentions) && labels.iter().any(has_label)
                }
                _ => linker.renumbering.has_all(mentions),
            }
    }

    fn new_local(&self, local: u32) -> Option<u32> {
        // The parameters of a type that is not known have no tokens.
        let new = self.locals.get(local as usize);
        new.copied().unwrap_or(Some(local))
    }

    /// Writes the body with its length in front.
    pub(super) fn write(mut self, out: &mut Vec<u8>) {
        self.locals();
        match self.body.shape {
            BodyShape::Tree => {
                let left = self.left_results();
                self.sequence(&self.body.roots, Some(&left));
            }
            BodyShape::Sequence if self.body.code_token.is_in(self.linker.kept) => self.flat(),
            BodyShape::Opaque if self.body.code_token.is_in(self.linker.kept) => {
                let start = self.body.bytes.clone();
                let bytes = &self.linker.module.bytes[start];
                let mut reader = BinaryReader::new(bytes, 0);
                let _length = reader.read_var_u32();
                let code = position(reader.original_position());
                self.out = bytes.get(code..).unwrap_or_default().to_vec();
                self.out.pop();
            }
            BodyShape::Sequence | BodyShape::Opaque => Encoded::Unreachable.encode(&mut self.out),
        }
        Encoded::End.encode(&mut self.out);
        self.out.len().encode(out);
        out.extend_from_slice(&self.out);
    }

    fn locals(&mut self) {
        let kept = self.linker.kept;
        let left = self.body.locals.iter();
        let left: Vec<ValType> = left
            .filter(|local| local.token.is_in(kept))
            .map(|local| local.ty)
            .collect();
        let groups: Vec<&[ValType]> = left.chunk_by(|one, other| one == other).collect();
        groups.len().encode(&mut self.out);
        for group in groups {
            group.len().encode(&mut self.out);
            let mut renumbering = &self.linker.renumbering;
            if let Ok(ty) = renumbering.val_type(group[0]) {
                ty.encode(&mut self.out);
            }
        }
    }

    /// Returns the types of the results that the function still has.
    fn left_results(&self) -> Vec<ValType> {
        let results = self.results.iter().zip(&self.function.results);
        let left = results.filter(|(_, token)| token.is_in(self.linker.kept));
        left.map(|(&ty, _)| ty).collect()
    }

    fn instruction(&self, index: u32) -> &'a CodeInstruction {
        &self.body.instructions[index as usize]
    }

    /// Returns whether anything of a subtree is left.
    fn has_rest(&self, index: u32) -> bool {
        let CodeInstruction { first, end, .. } = self.instruction(index);
        self.left_before[*first as usize] < self.left_before[*end as usize]
    }

    fn push(&mut self, instruction: &Encoded<'_>) {
        instruction.encode(&mut self.out);
        self.is_dead |= matches!(instruction, Encoded::Unreachable);
    }

    fn drop_values(&mut self, count: usize) {
        for _ in 0..count {
            self.push(&Encoded::Drop);
        }
    }

    fn push_default(&mut self, ty: ValType) {
        if ty == ValType::V128 {
            // Four bytes. A constant takes 18.
            self.push(&Encoded::I32Const(0));
            self.push(&Encoded::I8x16Splat);
            return;
        }
        let default = self.linker.default_of(ty);
        self.push(&default.unwrap_or(Encoded::Unreachable));
    }

    /// Writes instructions one after another. Those that leave values make the wanted ones;
    /// without any that are wanted, they are dropped.
    fn sequence(&mut self, items: &[u32], wanted: Option<&[ValType]>) {
        let values = items
            .iter()
            .flat_map(|&item| &self.instruction(item).results);
        let wanted_types = wanted.unwrap_or_default();
        let fits = !wanted_types.is_empty() && values.eq(wanted_types);
        // Results of the function that are gone.
        let all = items
            .iter()
            .flat_map(|&item| &self.instruction(item).results);
        let single = items
            .iter()
            .all(|&item| self.instruction(item).results.len() <= 1);
        let is_function = self.labels.len() == 1 && wanted.is_some();
        let fits_some = is_function && single && all.eq(self.results);
        let mut result = 0;
        let mut made = fits;
        for &item in items {
            let count = self.instruction(item).results.len();
            let stays = match (fits, fits_some && count == 1) {
                (true, _) => true,
                (false, true) => self.function.results[result].is_in(self.linker.kept),
                (false, false) => false,
            };
            result += count;
            made |= fits_some;
            self.subtree(item, if stays { Values::Stay } else { Values::Drop });
        }
        if !made && !self.is_dead {
            for &ty in wanted_types {
                self.push_default(ty);
            }
        }
    }

    /// Writes a subtree.
    fn subtree(&mut self, index: u32, values: Values) {
        let instruction = self.instruction(index);
        match self.is_left[index as usize] {
            false => self.deleted(instruction, values),
            true => match &instruction.kind {
                CodeKind::Block { inside, .. } => {
                    self.block(index, inside);
                    self.finish(&instruction.results, values);
                }
                CodeKind::If { .. } => {
                    self.condition(index);
                    self.finish(&instruction.results, values);
                }
                _ => self.plain(instruction, values),
            },
        }
    }

    fn finish(&mut self, results: &[ValType], values: Values) {
        if values == Values::Drop {
            self.drop_values(results.len());
        }
    }

    /// Makes the place unreachable where operands come from nowhere.
    fn missing(&mut self, instruction: &CodeInstruction) {
        if instruction.missing > 0 && !self.is_dead {
            self.push(&Encoded::Unreachable);
        }
    }

    fn operands(&mut self, instruction: &CodeInstruction, values: Values) {
        for &operand in &instruction.operands {
            self.subtree(operand, values);
        }
    }

    fn plain(&mut self, instruction: &'a CodeInstruction, values: Values) {
        self.missing(instruction);
        let changed = changed_call(self.linker, &instruction.kind);
        let changed =
            changed.and_then(|function| self.linker.module.functions.get(function as usize));
        let is_return = match &instruction.kind {
            CodeKind::Return => true,
            CodeKind::Jump(labels) => labels.iter().all(|&label| label == FUNCTION_LABEL),
            _ => false,
        };
        let tokens = match changed {
            Some(function) => Some(&function.parameters),
            None if is_return => Some(&self.function.results),
            None => None,
        };
        match tokens {
            Some(tokens) => self.some_operands(instruction, tokens),
            None => self.operands(instruction, Values::Stay),
        }
        self.encode(instruction);
        let is_end = matches!(
            instruction.kind,
            CodeKind::End | CodeKind::Jump(_) | CodeKind::Return
        );
        let returned = changed.map(|function| &function.results);
        if let Some(tokens) = returned
            && tokens.iter().any(|token| !token.is_in(self.linker.kept))
        {
            let made = tokens.iter().filter(|token| token.is_in(self.linker.kept));
            let made = made.count();
            self.drop_values(made);
            if values == Values::Stay {
                for &ty in &instruction.results {
                    self.push_default(ty);
                }
            }
        } else {
            self.finish(&instruction.results, values);
        }
        self.is_dead |= is_end;
    }

    /// Writes the operands whose tokens are kept.
    fn some_operands(&mut self, instruction: &CodeInstruction, tokens: &[Token]) {
        let mut tokens = tokens.iter();
        for &operand in &instruction.operands {
            let count = self.instruction(operand).results.len();
            let is_kept = (tokens.by_ref().take(count)).all(|token| token.is_in(self.linker.kept));
            self.subtree(operand, if is_kept { Values::Stay } else { Values::Drop });
        }
    }

    /// Writes what is left of the operands of an instruction that is deleted.
    fn deleted(&mut self, instruction: &'a CodeInstruction, values: Values) {
        if !instruction.is_regular() {
            self.missing(instruction);
            self.operands(instruction, Values::Stay);
            self.drop_values(instruction.takes as usize);
            let kept = instruction.results.len() - instruction.own_results as usize;
            if values == Values::Drop {
                return self.drop_values(kept);
            }
            for &ty in &instruction.results[kept..] {
                self.push_default(ty);
            }
            return;
        }
        let wanted = match values {
            Values::Stay => &instruction.results[..],
            Values::Drop => &[],
        };
        let heir = instruction.operands.iter().copied().find(|&operand| {
            !wanted.is_empty()
                && self.instruction(operand).results == wanted
                && self.has_rest(operand)
        });
        for &operand in &instruction.operands {
            let stays = heir == Some(operand);
            self.subtree(operand, if stays { Values::Stay } else { Values::Drop });
        }
        let arms = match &instruction.kind {
            CodeKind::Block { inside, .. } => vec![&inside[..]],
            CodeKind::If { then, otherwise } => {
                let other = otherwise.as_ref().map(|otherwise| &otherwise.inside[..]);
                [Some(&then[..]), other].into_iter().flatten().collect()
            }
            _ => Vec::new(),
        };
        let mut made = heir.is_some();
        for arm in arms {
            let has_rest = arm.iter().any(|&item| self.has_rest(item));
            if has_rest {
                let wanted = Some(wanted).filter(|wanted| !made && !wanted.is_empty());
                self.sequence_inside(arm, wanted);
                made |= wanted.is_some();
            }
        }
        if !made {
            for &ty in wanted {
                self.push_default(ty);
            }
        }
    }

    /// Writes the inside of a block that is deleted.
    fn sequence_inside(&mut self, items: &[u32], wanted: Option<&[ValType]>) {
        // The label of the block is gone, but the function is not the innermost label.
        self.labels.push(GONE_LABEL);
        self.sequence(items, wanted);
        self.labels.pop();
    }

    fn block(&mut self, index: u32, inside: &[u32]) {
        let instruction = self.instruction(index);
        self.encode(instruction);
        self.inside(index, inside);
        self.push(&Encoded::End);
        self.is_dead = false;
    }

    fn inside(&mut self, index: u32, items: &[u32]) {
        let results = &self.instruction(index).results;
        self.is_dead = false;
        self.labels.push(index);
        self.sequence(items, Some(results));
        self.labels.pop();
    }

    fn condition(&mut self, index: u32) {
        let instruction = self.instruction(index);
        let CodeKind::If { then, otherwise } = &instruction.kind else {
            return;
        };
        self.missing(instruction);
        self.operands(instruction, Values::Stay);
        self.encode(instruction);
        self.inside(index, then);
        let otherwise = otherwise.as_ref();
        let otherwise = otherwise.filter(|otherwise| otherwise.token.is_in(self.linker.kept));
        if otherwise.is_some() || !instruction.results.is_empty() {
            self.push(&Encoded::Else);
            self.inside(index, otherwise.map_or(&[], |otherwise| &otherwise.inside));
        }
        self.push(&Encoded::End);
        self.is_dead = false;
    }

    /// Returns how many blocks are between the place and a label.
    fn depth(&self, label: u32) -> Option<u32> {
        let labels = self
            .labels
            .iter()
            .rev()
            .filter(|&&label| label != GONE_LABEL);
        let mut depths = labels.zip(0..);
        let found = depths.find(|&(&open, _)| open == label);
        found.map(|(_, depth)| depth)
    }

    /// Writes an instruction alone, with new indices.
    fn encode(&mut self, instruction: &CodeInstruction) {
        let bytes = &self.linker.module.bytes[instruction.bytes.clone()];
        let mentions = &self.body.mentions[instruction.mentions.clone()];
        let is_plain = matches!(
            instruction.kind,
            CodeKind::Plain | CodeKind::End | CodeKind::Call(_)
        );
        if is_plain && self.linker.renumbering.keeps(mentions) {
            self.out.extend_from_slice(bytes);
            return;
        }
        let mut reader = OperatorsReader::new(BinaryReader::new(bytes, 0));
        if let Ok(operator) = reader.read() {
            self.renumbered(instruction, operator);
        }
    }

    fn renumbered(&mut self, instruction: &CodeInstruction, operator: Operator<'_>) {
        let mut renumbering = &self.linker.renumbering;
        if let Operator::TryTable { try_table } = operator {
            return self.handlers(instruction, &try_table);
        }
        let Ok(mut encoded) = renumbering.instruction(operator) else {
            return self.push(&Encoded::Unreachable);
        };
        match &mut encoded {
            Encoded::LocalGet(local) | Encoded::LocalSet(local) | Encoded::LocalTee(local) => {
                *local = self.new_local(*local).unwrap_or(*local);
            }
            Encoded::Br(depth)
            | Encoded::BrIf(depth)
            | Encoded::BrOnNull(depth)
            | Encoded::BrOnNonNull(depth)
            | Encoded::BrOnCast {
                relative_depth: depth,
                ..
            }
            | Encoded::BrOnCastFail {
                relative_depth: depth,
                ..
            } => {
                if let CodeKind::Branch(labels) | CodeKind::Jump(labels) = &instruction.kind
                    && let Some(new) = labels.first().and_then(|&label| self.depth(label))
                {
                    *depth = new;
                }
            }
            Encoded::BrTable(targets, default) => {
                let CodeKind::Jump(labels) = &instruction.kind else {
                    return;
                };
                let depths: Vec<Option<u32>> =
                    labels.iter().map(|&label| self.depth(label)).collect();
                let any = depths.iter().rev().copied().flatten().next().unwrap_or(0);
                let mut depths: Vec<u32> = depths
                    .into_iter()
                    .map(|depth| depth.unwrap_or(any))
                    .collect();
                *default = depths.pop().unwrap_or(any);
                // Targets at the end that are the default can go.
                while depths.pop_if(|depth| *depth == *default).is_some() {}
                *targets = depths.into();
            }
            _ => {}
        }
        encoded.encode(&mut self.out);
    }

    /// Writes a block with the handlers whose labels and tags are left.
    fn handlers(&mut self, instruction: &CodeInstruction, table: &wasmparser::TryTable) {
        let mut renumbering = &self.linker.renumbering;
        let CodeKind::Block { handlers, .. } = &instruction.kind else {
            return;
        };
        let mut catches = Vec::new();
        for (catch, &label) in table.catches.iter().zip(handlers) {
            if let Ok(catch) = renumbering.catch(*catch)
                && let Some(depth) = self.depth(label)
            {
                catches.push(match catch {
                    wasm_encoder::Catch::One { tag, .. } => {
                        wasm_encoder::Catch::One { tag, label: depth }
                    }
                    wasm_encoder::Catch::OneRef { tag, .. } => {
                        wasm_encoder::Catch::OneRef { tag, label: depth }
                    }
                    wasm_encoder::Catch::All { .. } => wasm_encoder::Catch::All { label: depth },
                    wasm_encoder::Catch::AllRef { .. } => {
                        wasm_encoder::Catch::AllRef { label: depth }
                    }
                });
            }
        }
        if let Ok(ty) = renumbering.block_type(table.ty) {
            Encoded::TryTable(ty, catches.into()).encode(&mut self.out);
        }
    }

    /// Writes the instructions of a body that is no tree.
    fn flat(&mut self) {
        let last = self.body.instructions.len().saturating_sub(1);
        for instruction in &self.body.instructions[..last] {
            let mentions = &self.body.mentions[instruction.mentions.clone()];
            if !instruction.token.is_in(self.linker.kept) {
                continue;
            }
            let is_lost = !self.linker.renumbering.has_all(mentions)
                || changed_call(self.linker, &instruction.kind).is_some();
            if is_lost {
                self.push(&Encoded::Unreachable);
                continue;
            }
            let bytes: Range<usize> = instruction.bytes.clone();
            let mut reader = OperatorsReader::new(BinaryReader::new(
                &self.linker.module.bytes[bytes.clone()],
                0,
            ));
            let is_same = self.linker.renumbering.keeps(mentions);
            match reader.read() {
                Ok(operator) if !is_same => {
                    let mut renumbering = &self.linker.renumbering;
                    if let Ok(encoded) = renumbering.instruction(operator) {
                        encoded.encode(&mut self.out);
                    }
                }
                _ => self.out.extend_from_slice(&self.linker.module.bytes[bytes]),
            }
        }
    }
}

/// The label of a block that is deleted.
const GONE_LABEL: u32 = u32::MAX - 1;
