//! Writing what is kept of a module of SPIR-V.
//!
//! Every set of units gives a module whose ids are defined. Uses of a deleted value become one of
//! its operands, if that has the same type, or an undefined value; what uses a deleted pointer goes
//! with it. Types and constants stay as long as something uses them, names and decorations as long
//! as what they describe. The type of a function follows its parameters. A function without its end
//! stands in the place of its only call, or of the contents of the entry point if nothing calls it.
//! Comments go with the first deletion.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use boildown_document::writable_module::{IdleUnits, WritableModule, is_kept, without_comments};

use super::flow::{SpirvBlockEnd, SpirvFlow};
use super::inlined::inlined;
use super::module::{InstructionIndex, SpirvFunction, SpirvHeaderSort, SpirvModule};
use super::stand_in::{SpirvRemains, SpirvStandIn};

/// The white space before an instruction that is not in the input.
const INDENT: &[u8] = b"\n               ";

impl WritableModule for SpirvModule {
    fn words(&self) -> Vec<Range<usize>> {
        self.words.iter().map(|word| word.bytes.clone()).collect()
    }

    fn idle_units(&self) -> IdleUnits {
        let mut idle = IdleUnits::default();
        let used = self.used();
        for function in &self.functions {
            idle.labels.extend(SpirvFlow::idle_labels(self, function));
            for index in self.idle_values(function, &used) {
                let class = match self.is(index, "OpVariable") {
                    true => &mut idle.variables,
                    false => &mut idle.values,
                };
                class.push(self.instructions[index].token);
            }
        }
        idle
    }

    fn write(&self, kept: &[bool]) -> Vec<u8> {
        let remains = SpirvRemains::new(self, kept);
        let mut writer = SpirvWriter {
            module: self,
            remains: &remains,
            out: Vec::new(),
            used: vec![false; self.definitions.len()],
            undefined: BTreeSet::new(),
            function_types: BTreeMap::new(),
            unnamed: BTreeSet::new(),
        };
        for (function, flow) in self.functions.iter().zip(&remains.flows) {
            if !remains.is_gone[function.start] {
                writer.function(function, flow.as_ref());
            }
        }
        let functions = std::mem::take(&mut writer.out);
        let header = writer.header();
        let mut out = header;
        out.extend_from_slice(&functions);
        let end = self.words.last().map_or(0, |last| last.bytes.end);
        out.extend_from_slice(&without_comments(&self.bytes[end..]));
        let is_inlined = |function: &&SpirvFunction| !is_kept(function.end_token, kept);
        let inlined_ones = self.functions.iter().filter(is_inlined);
        let names = inlined_ones.filter_map(|function| {
            let id = self.instructions[function.start].result?;
            Some(self.word(self.names[id]).to_vec())
        });
        inlined(out, &names.collect::<Vec<_>>())
    }
}

struct SpirvWriter<'a> {
    module: &'a SpirvModule,
    remains: &'a SpirvRemains<'a>,
    out: Vec<u8>,
    /// By id.
    used: Vec<bool>,
    /// The types of the undefined values that were written.
    undefined: BTreeSet<usize>,
    /// The names of new function types, by their operands.
    function_types: BTreeMap<Vec<usize>, Vec<u8>>,
    /// The models of the entry points that were written without a name: no two may be alike.
    unnamed: BTreeSet<&'a [u8]>,
}

impl<'a> SpirvWriter<'a> {
    fn gap(&mut self, word: usize) {
        let start = match word {
            0 => 0,
            word => self.module.words[word - 1].bytes.end,
        };
        let gap = &self.module.bytes[start..self.module.words[word].bytes.start];
        let gap = without_comments(gap);
        // Comments before the first instruction leave no lines.
        let is_first = word == 0;
        self.out.extend_from_slice(if is_first {
            gap.trim_ascii_start()
        } else {
            &gap[..]
        });
    }

    fn put(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
    }

    fn name(&self, id: usize) -> &'a [u8] {
        self.module.word(self.module.names[id])
    }

    /// Writes a word as it is.
    fn word(&mut self, word: usize) {
        self.gap(word);
        if let Some(id) = self.module.words[word].id {
            self.used[id] = true;
        }
        self.put(self.module.word(word));
    }

    fn words(&mut self, words: Range<usize>) {
        for word in words {
            self.word(word);
        }
    }

    /// Writes an operand, or what takes its place.
    fn operand(&mut self, word: usize) {
        match self.module.words[word].id {
            Some(id) => {
                self.gap(word);
                self.stand_in(self.remains.stand_in(id));
            }
            None => self.word(word),
        }
    }

    fn stand_in(&mut self, stand_in: Option<SpirvStandIn>) {
        match stand_in {
            Some(SpirvStandIn::Id(id)) => {
                self.used[id] = true;
                self.put(self.name(id));
            }
            Some(SpirvStandIn::Undefined(type_id)) => self.undefined_value(type_id),
            None => {}
        }
    }

    /// Writes the name of an undefined value of a type.
    fn undefined_value(&mut self, type_id: usize) {
        let module = self.module;
        let known = module.undefined.get(&type_id);
        match known.and_then(|&index| module.instructions[index].result) {
            Some(id) => {
                self.used[id] = true;
                self.put(self.name(id));
            }
            None => {
                self.used[type_id] = true;
                self.undefined.insert(type_id);
                let name = self.new_name(b"%undef_", type_id);
                self.put(&name);
            }
        }
    }

    fn new_name(&self, prefix: &[u8], of: usize) -> Vec<u8> {
        let mut name = [prefix, &self.name(of)[1..]].concat();
        while self.module.texts.contains(&*name) {
            name.push(b'_');
        }
        name
    }

    /// Writes an instruction with its operands made right.
    fn instruction(&mut self, index: InstructionIndex) {
        let one = &self.module.instructions[index];
        self.words(one.words.start..one.operation + 1);
        for word in self.remains.operands(index) {
            self.operand(word);
        }
    }

    fn function(&mut self, function: &SpirvFunction, flow: Option<&SpirvFlow>) {
        let module = self.module;
        let gone = |index: &usize| !is_kept(module.instructions[*index].token, self.remains.kept);
        let words = module.instructions[function.start].words.clone();
        if function.parameters.clone().any(|index| gone(&index)) {
            self.words(words.start..words.end - 1);
            self.put(b" ");
            let name = self.function_type(function);
            self.put(&name);
        } else {
            self.words(words);
        }
        for index in function.parameters.clone() {
            if !self.remains.is_gone[index] {
                self.instruction(index);
            }
        }
        match flow {
            Some(flow) => {
                for block in 0..function.blocks.len() {
                    self.block(function, flow, block);
                }
            }
            None => {
                if let Some(first) = function.blocks.first() {
                    self.words(module.instructions[first.label].words.clone());
                    self.leave(function);
                }
            }
        }
        self.words(module.instructions[function.end].words.clone());
    }

    /// Returns the name of the type of a function without its deleted parameters.
    fn function_type(&mut self, function: &SpirvFunction) -> Vec<u8> {
        let module = self.module;
        let left = (function.parameters.clone())
            .filter(|&index| is_kept(module.instructions[index].token, self.remains.kept));
        let types: Vec<usize> = std::iter::once(function.start)
            .chain(left)
            .filter_map(|index| module.operand(index, 0))
            .collect();
        let is_same = |&index: &usize| {
            let operands = module.operands(index);
            let operands = operands.map(|word| module.words[word].id);
            module.is(index, "OpTypeFunction") && operands.eq(types.iter().map(|&id| Some(id)))
        };
        let known = module.header.clone().find(is_same);
        for &id in &types {
            self.used[id] = true;
        }
        if let Some(id) = known.and_then(|index| module.instructions[index].result) {
            self.used[id] = true;
            return self.name(id).to_vec();
        }
        let id = module.instructions[function.start].result.unwrap_or(0);
        let name = self.new_name(b"%type_", id);
        self.function_types.entry(types).or_insert(name).clone()
    }

    /// Returns from a function with nothing.
    fn leave(&mut self, function: &SpirvFunction) {
        let type_id = self.module.operand(function.start, 0);
        let definition = type_id.and_then(|id| self.module.definitions[id]);
        self.put(INDENT);
        match type_id {
            _ if definition.is_some_and(|index| self.module.is(index, "OpTypeVoid")) => {
                self.put(b"OpReturn");
            }
            Some(type_id) if self.module.may_be_undefined(type_id) => {
                self.put(b"OpReturnValue ");
                self.undefined_value(type_id);
            }
            _ => self.put(b"OpUnreachable"),
        }
    }

    fn block(&mut self, function: &SpirvFunction, flow: &SpirvFlow, index: usize) {
        let block = &function.blocks[index];
        let label = self.module.instructions[block.label].words.clone();
        if let Some(target) = flow.stubs.get(&index) {
            self.words(label);
            match target {
                Some(target) => self.branch(function, flow, *target),
                None => {
                    self.put(INDENT);
                    self.put(b"OpUnreachable");
                }
            }
            return;
        }
        if !flow.is_reached[index] || flow.joined[index].is_some() {
            return;
        }
        self.words(label);
        let mut part = index;
        loop {
            self.contents(function, flow, part);
            match flow.joined.iter().position(|&before| before == Some(part)) {
                Some(next) => part = next,
                None => return self.end(function, flow, part),
            }
        }
    }

    fn contents(&mut self, function: &SpirvFunction, flow: &SpirvFlow, index: usize) {
        let block = &function.blocks[index];
        for one in block.instructions.clone() {
            if block.merge == Some(one) {
                if flow.has_merge[index] {
                    self.words(self.module.instructions[one].words.clone());
                }
            } else if self.remains.is_gone[one] {
            } else if self.module.is(one, "OpPhi") {
                self.phi(function, flow, index, one);
            } else {
                self.instruction(one);
            }
        }
    }

    fn phi(&mut self, function: &SpirvFunction, flow: &SpirvFlow, block: usize, phi: usize) {
        let module = self.module;
        let one = &module.instructions[phi];
        self.words(one.words.start..one.operation + 2);
        let label = |block: usize| module.instructions[function.blocks[block].label].result;
        let pairs: Vec<usize> = module.operands(phi).skip(1).collect();
        for &from in &flow.incoming[block] {
            let value = pairs.chunks(2).find(|pair| {
                let parent = pair.get(1).and_then(|&word| module.words[word].id);
                parent.is_some() && parent == label(from)
            });
            self.put(b" ");
            let value = value.and_then(|pair| module.words[pair[0]].id);
            let stand_in = value.and_then(|id| self.remains.stand_in(id));
            let undefined = || module.type_of(phi).map(SpirvStandIn::Undefined);
            self.stand_in(stand_in.or_else(undefined));
            self.put(b" ");
            self.label(function, flow.head(from));
        }
    }

    /// Writes the name of a block.
    fn label(&mut self, function: &SpirvFunction, block: usize) {
        let label = function.blocks[block].label;
        if let Some(id) = self.module.instructions[label].result {
            self.put(self.name(id));
            self.used[id] = true;
        }
    }

    fn branch(&mut self, function: &SpirvFunction, flow: &SpirvFlow, target: usize) {
        self.put(INDENT);
        self.put(b"OpBranch ");
        self.label(function, flow.head(target));
    }

    fn end(&mut self, function: &SpirvFunction, flow: &SpirvFlow, index: usize) {
        let end = function.blocks[index].end;
        let operands = self.module.operands(end);
        match &flow.ends[index] {
            SpirvBlockEnd::Leaves if self.module.is(end, "OpReturnValue") => {
                let value = self.module.operand(end, 0);
                match value.and_then(|id| self.remains.stand_in(id)) {
                    Some(_) => self.instruction(end),
                    None => {
                        self.put(INDENT);
                        self.put(b"OpUnreachable");
                    }
                }
            }
            SpirvBlockEnd::Leaves => self.words(self.module.instructions[end].words.clone()),
            SpirvBlockEnd::LeavesEarly => self.leave(function),
            SpirvBlockEnd::Branch(target) => self.branch(function, flow, *target),
            SpirvBlockEnd::Conditional(first, second) => {
                self.word(self.module.instructions[end].operation);
                self.operand(operands.start);
                for target in [first, second] {
                    self.put(b" ");
                    self.label(function, *target);
                }
            }
            SpirvBlockEnd::Switch(default, cases) => {
                self.word(self.module.instructions[end].operation);
                self.operand(operands.start);
                self.put(b" ");
                self.label(function, *default);
                for (value, target) in cases {
                    self.word(*value);
                    self.put(b" ");
                    self.label(function, *target);
                }
            }
        }
    }

    /// Marks the types and constants that used ones are made of.
    fn mark_values(&mut self) {
        let module = self.module;
        for index in module.header.clone() {
            let one = &module.instructions[index];
            let is_kept = is_kept(one.token, self.remains.kept);
            let is_unit = one.token.is_some() && is_kept;
            let is_variable = module.header_sort(index) == SpirvHeaderSort::Other;
            let is_value = module.header_sort(index) == SpirvHeaderSort::Value || is_variable;
            if let Some(id) = one.result.filter(|_| is_unit && is_value) {
                self.used[id] = true;
            }
        }
        for index in module.header.clone().rev() {
            let result = module.instructions[index].result;
            if result.is_some_and(|id| self.used[id]) {
                for word in module.operands(index) {
                    if let Some(id) = module.words[word].id {
                        self.used[id] = true;
                    }
                }
            }
        }
    }

    /// Returns the instructions before the first function.
    fn header(&mut self) -> Vec<u8> {
        let module = self.module;
        self.mark_values();
        for index in module.header.clone() {
            let one = &module.instructions[index];
            let is_used = one.result.is_some_and(|id| self.used[id]);
            let is_described = || {
                let id = module.operand(index, 0);
                id.is_none_or(|id| {
                    let definition = module.definitions[id];
                    let is_value = definition.is_some_and(|definition| {
                        module.header.contains(&definition)
                            && module.header_sort(definition) == SpirvHeaderSort::Value
                    });
                    self.used[id] || !is_value && self.is_written(id)
                })
            };
            match module.header_sort(index) {
                SpirvHeaderSort::Value if !is_used => {}
                SpirvHeaderSort::Annotation if self.remains.is_gone[index] || !is_described() => {}
                SpirvHeaderSort::Other if self.remains.is_gone[index] => {}
                SpirvHeaderSort::Other if module.is(index, "OpEntryPoint") => {
                    self.entry_point(index);
                }
                _ => self.words(one.words.clone()),
            }
        }
        for (types, name) in std::mem::take(&mut self.function_types) {
            self.put(INDENT);
            self.put(&name);
            self.put(b" = OpTypeFunction");
            for id in types {
                self.put(b" ");
                self.put(self.name(id));
            }
        }
        for type_id in std::mem::take(&mut self.undefined) {
            self.put(INDENT);
            let name = self.new_name(b"%undef_", type_id);
            self.put(&name);
            self.put(b" = OpUndef ");
            self.put(self.name(type_id));
        }
        std::mem::take(&mut self.out)
    }

    /// Returns whether the definition of an id is part of the result.
    fn is_written(&self, id: usize) -> bool {
        let definition = self.module.definitions[id];
        definition.is_some_and(|index| {
            !self.remains.is_gone[index] && (!self.module.is(index, "OpLabel") || self.used[id])
        })
    }

    /// Writes an entry point without the variables that are deleted.
    fn entry_point(&mut self, index: InstructionIndex) {
        let one = &self.module.instructions[index];
        self.words(one.words.start..one.operation + 1);
        for word in self.module.operands(index) {
            let is_there = (self.module.words[word].id).is_none_or(|id| self.is_written(id));
            let name = self.module.entry_names.get(&word);
            let model = self.module.word(one.operation + 1);
            if name.is_some_and(|&name| !is_kept(name, self.remains.kept))
                && self.unnamed.insert(model)
            {
                self.gap(word);
                self.put(b"\"\"");
            } else if is_there {
                self.word(word);
            }
        }
    }
}
