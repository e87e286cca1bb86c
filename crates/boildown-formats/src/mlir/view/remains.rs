//! The remains of a module of MLIR, and what takes the place of the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use boildown_document::writable_module::{UnitToken, is_kept};

use super::module::{MlirModule, MlirOrigin, MlirParameter};
use super::types;
use super::words::MlirSort;
use crate::ir::{BlockJumps, LONGEST_CHAIN};

/// What takes the place of a mention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MlirStandIn {
    Value(usize),
    /// A value of its own, that is made by this operation at the beginning of the function.
    Default(usize, Vec<u8>),
    /// A new parameter of the function, of this type.
    Parameter(usize, Vec<u8>),
}

/// What is left.
pub(super) struct MlirRemains<'a> {
    pub(super) module: &'a MlirModule,
    pub(super) kept: &'a [bool],
    /// By operation.
    pub(super) is_left: Vec<bool>,
    /// Parameters that are left because nothing can take their place.
    pub(super) needed: BTreeSet<usize>,
    /// Functions whose results are left because nothing can take their place.
    returning: BTreeSet<usize>,
    /// For each block, the block that it has become the rest of, if its label is deleted.
    pub(super) joined: BTreeMap<usize, usize>,
    /// By block.
    pub(super) is_reached: Vec<bool>,
    /// By block: the operation that it is inside of.
    holders: Vec<Option<usize>>,
    /// For each function, the operations that make default values.
    pub(super) defaults: BTreeMap<usize, BTreeSet<Vec<u8>>>,
    /// For each function, the types of its new parameters.
    pub(super) new_parameters: BTreeMap<usize, BTreeSet<Vec<u8>>>,
}

impl<'a> MlirRemains<'a> {
    pub(super) fn new(module: &'a MlirModule, kept: &'a [bool]) -> Self {
        let mut remains = Self {
            module,
            kept,
            is_left: vec![false; module.operations.len()],
            needed: BTreeSet::new(),
            returning: BTreeSet::new(),
            joined: BTreeMap::new(),
            is_reached: vec![false; module.blocks.len()],
            holders: vec![None; module.blocks.len()],
            defaults: BTreeMap::new(),
            new_parameters: BTreeMap::new(),
        };
        for (index, operation) in module.operations.iter().enumerate() {
            for &region in &operation.regions {
                remains.holders[module.regions[region].blocks.clone()].fill(Some(index));
            }
        }
        remains.join();
        for &operation in &module.top {
            remains.operation(operation, false);
        }
        remains.drop_mentions_of_gone();
        let mut waiting: Vec<usize> = (0..module.operations.len())
            .filter(|&operation| remains.is_left[operation])
            .collect();
        while let Some(operation) = waiting.pop() {
            for value in remains.operands(operation) {
                remains.need(value, &mut waiting);
            }
            for definition in remains.mentioned_symbols(operation) {
                remains.need_operation(definition, &mut waiting);
            }
        }
        remains
    }

    /// Finds the blocks that continue the only block that jumps to them.
    fn join(&mut self) {
        let module = self.module;
        let targets = module.blocks.iter().map(|block| {
            let last = block.operations.last();
            let targets = last.map_or(&[][..], |&last| &module.operations[last].targets);
            targets.iter().filter_map(|target| target.block).collect()
        });
        let jumps = BlockJumps::new(targets.collect());
        for (index, block) in module.blocks.iter().enumerate() {
            if is_kept(block.token, self.kept) {
                continue;
            }
            if let Some(only) = jumps.continued(index)
                && only < index
                && let Some(&last) = module.blocks[only].operations.last()
                && let [target] = &module.operations[last].targets[..]
                && target.arguments.len() == block.parameters.len()
                && target.is_plain
                && is_kept(module.operations[last].token, self.kept)
            {
                self.joined.insert(index, only);
            }
        }
    }

    /// Marks an operation that is kept, and those inside it. `is_outside` says whether it moves out
    /// of an operation that is deleted.
    fn operation(&mut self, index: usize, is_outside: bool) {
        let module = self.module;
        let of = &module.operations[index];
        let is_kept_here = is_kept(of.token, self.kept);
        let is_end = of.token.is_none() || !of.targets.is_empty();
        self.is_left[index] =
            !(is_outside && is_end) && (is_kept_here || is_end && !self.leaves_early(index));
        if !is_kept_here && !module.is_open(index) {
            return;
        }
        for &region in &of.regions {
            let blocks = module.regions[region].blocks.clone();
            if !is_kept(module.regions[region].token, self.kept) {
                continue;
            }
            let mut waiting = vec![blocks.start];
            if blocks.is_empty() {
                continue;
            }
            self.is_reached[blocks.start] = true;
            while let Some(block) = waiting.pop() {
                for &inner in &module.blocks[block].operations {
                    self.operation(inner, !is_kept_here);
                }
                if let Some(&last) = module.blocks[block].operations.last() {
                    for target in self.targets(last) {
                        let to = module.operations[last].targets[target].block;
                        if let Some(to) = to
                            && !std::mem::replace(&mut self.is_reached[to], true)
                        {
                            waiting.push(to);
                        }
                    }
                }
            }
        }
    }

    /// Returns whether an operation that jumps becomes one that is never reached.
    pub(super) fn leaves_early(&self, operation: usize) -> bool {
        let of = &self.module.operations[operation];
        self.module.is_llvm(operation)
            && !of.targets.is_empty()
            && self.module.jump(operation).is_some()
            && (!is_kept(of.token, self.kept) || self.targets(operation).is_empty())
    }

    /// Returns the targets of an operation that are left, by their positions.
    pub(super) fn targets(&self, operation: usize) -> Vec<usize> {
        let module = self.module;
        let of = &module.operations[operation];
        if module.has_fixed_targets(operation) {
            return (0..of.targets.len()).collect();
        }
        if module.is_llvm(operation) && !is_kept(of.token, self.kept) {
            return Vec::new();
        }
        let is_there = |target: &usize| {
            let target = &of.targets[*target];
            let to = target.block;
            is_kept(target.token, self.kept)
                && to.is_none_or(|to| {
                    is_kept(module.blocks[to].token, self.kept) || self.joined.contains_key(&to)
                })
        };
        let left: Vec<usize> = (0..of.targets.len()).filter(is_there).collect();
        match left.is_empty() && !of.targets.is_empty() && !module.is_llvm(operation) {
            true => vec![0],
            false => left,
        }
    }

    /// Marks operations that mention a deleted symbol outside of their attributes as deleted; those
    /// that define a symbol, as in metadata, also for what their attributes mention.
    fn drop_mentions_of_gone(&mut self) {
        while (0..self.module.operations.len()).any(|operation| self.drop_mention(operation)) {}
    }

    fn drop_mention(&mut self, operation: usize) -> bool {
        let module = self.module;
        let of = &module.operations[operation];
        if !self.is_left[operation] || of.token.is_none() || !of.targets.is_empty() {
            return false;
        }
        let is_gone = (self.mentioned_symbols(operation).into_iter())
            .any(|definition| !self.is_left[definition]);
        if is_gone {
            self.is_left[operation] = false;
        }
        is_gone
    }

    /// Returns the operations that define the symbols that an operation mentions outside of its
    /// attributes; in generic form, and of what defines a symbol itself, as in metadata, also in
    /// these.
    fn mentioned_symbols(&self, operation: usize) -> Vec<usize> {
        let module = self.module;
        let of = &module.operations[operation];
        let is_definition = of.symbol.is_some() && of.regions.is_empty();
        let has_attributes = is_definition || module.is_generic(operation);
        let mut found = Vec::new();
        let mut at = of.words.start;
        while at < of.words.end {
            let is_region = of
                .regions
                .iter()
                .any(|&region| module.regions[region].words.start == at);
            if is_region || module.is(at, "{") && !has_attributes {
                at = module.after(at);
                continue;
            }
            if module.sort(at) == MlirSort::Symbol && of.symbol != Some(at) {
                found.extend(module.symbols.get(module.text(at)));
            }
            at += 1;
        }
        found
    }

    /// Returns whether an operation is written with its first region. A function that is needed
    /// after all, without its blocks, is declared.
    pub(super) fn has_body(&self, operation: usize, body: usize) -> bool {
        let body = &self.module.regions[body];
        let is_empty = !body.blocks.clone().any(|block| self.is_reached[block]);
        let is_declared = is_empty && self.module.may_be_declared(operation);
        is_kept(body.token, self.kept) && !is_declared
    }

    /// Returns whether the definition of a symbol is deleted.
    pub(super) fn is_gone_symbol(&self, word: usize) -> bool {
        let defined = self.module.symbols.get(self.module.text(word));
        defined.is_some_and(|&operation| !self.is_left[operation])
    }

    /// Returns the values that an operation mentions where it is written.
    fn operands(&self, operation: usize) -> Vec<usize> {
        let module = self.module;
        let of = &module.operations[operation];
        if self.returns_nothing(operation) {
            return Vec::new();
        }
        let targets = self.targets(operation);
        let is_written = |word: &usize| {
            let target = of
                .targets
                .iter()
                .position(|target| target.words.contains(word));
            let Some(target) = target else {
                return !self.leaves_early(operation);
            };
            if !targets.contains(&target) {
                return false;
            }
            let target = &of.targets[target];
            let position = target
                .arguments
                .iter()
                .position(|argument| argument == word);
            let parameters = target.block.map(|block| &module.blocks[block].parameters);
            match (position, parameters) {
                (Some(position), Some(parameters)) => (parameters.get(position))
                    .is_none_or(|parameter| self.has_parameter(parameter.value, parameter.token)),
                _ => true,
            }
        };
        let defines = |word: usize| (of.parameters.iter()).any(|one| one.words.start == word);
        let words = module.own_words(operation);
        let words = words.filter(|word| *word >= of.name && !defines(*word));
        let words = words.filter(is_written);
        let gone = self.lost_results(operation);
        let words = words.filter(|word| !gone.iter().any(|value| value.contains(word)));
        words
            .filter_map(|word| module.meanings.get(&word).copied())
            .collect()
    }

    /// Returns whether the results of a function are left.
    pub(super) fn has_results(&self, function: usize) -> bool {
        let token = self.module.operations[function].results_token;
        is_kept(token, self.kept) || self.returning.contains(&function)
    }

    /// Returns whether an operation ends a function whose results are deleted.
    pub(super) fn returns_nothing(&self, operation: usize) -> bool {
        let function = self.module.operations[operation].function;
        self.module.is_return(operation) && function.is_some_and(|of| !self.has_results(of))
    }

    /// Returns whether a result of a function is left.
    pub(super) fn has_result(&self, function: usize, position: usize) -> bool {
        let tokens = &self.module.operations[function].result_tokens;
        tokens
            .get(position)
            .is_none_or(|&token| is_kept(token, self.kept))
    }

    /// Returns whether single results of a function are deleted.
    pub(super) fn has_fewer_results(&self, function: usize) -> bool {
        let count = self.module.operations[function].result_tokens.len();
        !(0..count).all(|position| self.has_result(function, position))
    }

    /// Returns the values that an operation does not return any more.
    fn lost_results(&self, operation: usize) -> Vec<Range<usize>> {
        let Some(function) = self.module.operations[operation].function else {
            return Vec::new();
        };
        if !self.module.is_return(operation) || !self.has_fewer_results(function) {
            return Vec::new();
        }
        let values = self.module.returned(operation).unwrap_or_default();
        let gone = values.into_iter().enumerate();
        gone.filter(|(position, _)| !self.has_result(function, *position))
            .map(|(_, (value, _))| value)
            .collect()
    }

    /// Returns whether an operation calls a function whose results are deleted.
    pub(super) fn gets_nothing(&self, operation: usize) -> bool {
        let callee = self.module.operations[operation].callee;
        callee.is_some_and(|of| !self.has_results(of))
    }

    /// Keeps the results of the function that an operation calls.
    fn need_results(&mut self, operation: usize, waiting: &mut Vec<usize>) {
        let module = self.module;
        if self.gets_nothing(operation)
            && let Some(callee) = module.operations[operation].callee
        {
            self.returning.insert(callee);
            let ends = 0..module.operations.len();
            let ends = ends.filter(|&end| module.operations[end].function == Some(callee));
            waiting.extend(ends.filter(|&end| self.is_left[end] && module.is_return(end)));
        }
    }

    /// Returns whether a parameter is left.
    pub(super) fn has_parameter(&self, value: usize, token: UnitToken) -> bool {
        is_kept(token, self.kept) || self.needed.contains(&value)
    }

    /// Makes sure that there is something for the mentions of a value.
    fn need(&mut self, value: usize, waiting: &mut Vec<usize>) {
        match self.stand_in(value, LONGEST_CHAIN) {
            Some(MlirStandIn::Value(_)) => {}
            Some(MlirStandIn::Default(function, text)) => {
                self.defaults.entry(function).or_default().insert(text);
            }
            Some(MlirStandIn::Parameter(function, of)) => {
                self.new_parameters.entry(function).or_default().insert(of);
            }
            None => match self.module.values[value].origin {
                MlirOrigin::Result(operation) | MlirOrigin::OneOfResults(operation) => {
                    self.need_operation(operation, waiting);
                    self.need_results(operation, waiting);
                }
                MlirOrigin::Function(..) => {
                    self.needed.insert(value);
                }
                MlirOrigin::Block(block, _) => {
                    if self.needed.insert(value) {
                        // What jumps to the block passes the argument again.
                        let ends = self.module.blocks.iter();
                        let ends = ends.filter_map(|block| block.operations.last().copied());
                        waiting.extend(ends.filter(|&end| {
                            let targets = self.module.operations[end].targets.iter();
                            self.is_left[end]
                                && targets
                                    .into_iter()
                                    .any(|target| target.block == Some(block))
                        }));
                    }
                }
            },
        }
    }

    /// Keeps an operation that is needed after all.
    fn need_operation(&mut self, operation: usize, waiting: &mut Vec<usize>) {
        if !std::mem::replace(&mut self.is_left[operation], true) {
            waiting.push(operation);
            self.need_ends(operation, waiting);
        }
    }

    /// Keeps what ends the regions of an operation that is needed after all.
    fn need_ends(&mut self, operation: usize, waiting: &mut Vec<usize>) {
        let module = self.module;
        for &region in &module.operations[operation].regions {
            let blocks = module.regions[region].blocks.clone();
            // With several blocks, jumps would have to be kept as well.
            if blocks.len() == 1
                && let Some(&last) = module.blocks[blocks.start].operations.last()
                && module.is_end(last)
                && !std::mem::replace(&mut self.is_left[last], true)
            {
                self.is_reached[blocks.start] = true;
                waiting.push(last);
            }
        }
    }

    /// Returns what takes the place of a value; `None` if nothing can.
    pub(super) fn stand_in(&self, value: usize, chain: usize) -> Option<MlirStandIn> {
        let module = self.module;
        let of = &module.values[value];
        let function = match of.origin {
            MlirOrigin::Result(operation)
                if self.is_left[operation] && !self.gets_nothing(operation) =>
            {
                return Some(MlirStandIn::Value(value));
            }
            MlirOrigin::OneOfResults(operation) => {
                let is_there = self.is_left[operation] && !self.gets_nothing(operation);
                return is_there.then_some(MlirStandIn::Value(value));
            }
            MlirOrigin::Result(operation) => {
                if chain > 0 {
                    let name = module.operations[operation].name;
                    let words = module.own_words(operation).filter(|&word| word >= name);
                    let operands = words.filter_map(|word| module.meanings.get(&word));
                    let same = operands.filter(|&&operand| module.same_type(operand, value));
                    for &operand in same {
                        if let Some(MlirStandIn::Value(found)) = self.stand_in(operand, chain - 1) {
                            return Some(MlirStandIn::Value(found));
                        }
                    }
                }
                if let Some(found) = self.made_before(value, operation) {
                    return Some(MlirStandIn::Value(found));
                }
                // Instead of one constant there would be another one.
                if self.is_made(operation) {
                    return self.parameter_of_type(value, module.operations[operation].function?);
                }
                module.operations[operation].function
            }
            MlirOrigin::Function(operation, index) => {
                let parameter = &module.operations[operation].parameters[index];
                if self.has_parameter(value, parameter.token) {
                    return Some(MlirStandIn::Value(value));
                }
                Some(operation)
            }
            MlirOrigin::Block(block, index) => {
                if let Some(&before) = self.joined.get(&block) {
                    let last = *module.blocks[before].operations.last()?;
                    let argument = *module.operations[last].targets[0].arguments.get(index)?;
                    let argument = *module.meanings.get(&argument)?;
                    return self.stand_in(argument, chain.checked_sub(1)?);
                }
                let parameter = &module.blocks[block].parameters[index];
                let is_there = self.holders[block].is_none_or(|holder| self.is_left[holder]);
                if is_there && self.has_parameter(value, parameter.token) {
                    return Some(MlirStandIn::Value(value));
                }
                let first = module.blocks[block].operations.first()?;
                module.operations[*first].function
            }
        };
        let function = function?;
        if let Some(found) = self.made_first(value, function) {
            return Some(MlirStandIn::Value(found));
        }
        match types::default(module, &of.type_text, function, of.is_step) {
            Some(text) => Some(MlirStandIn::Default(function, text)),
            None => self.parameter_of_type(value, function),
        }
    }

    /// Returns a parameter of a function that has the type of a value: one that is left, or a new
    /// one, if the function can have more.
    fn parameter_of_type(&self, value: usize, function: usize) -> Option<MlirStandIn> {
        let module = self.module;
        let of = &module.values[value];
        if matches!(of.origin, MlirOrigin::Function(..)) || of.type_text.is_empty() {
            return None;
        }
        let mut parameters = module.operations[function].parameters.iter();
        let fits = |parameter: &&MlirParameter| {
            self.has_parameter(parameter.value, parameter.token)
                && module.same_type(parameter.value, value)
        };
        match parameters.find(fits) {
            Some(parameter) => Some(MlirStandIn::Value(parameter.value)),
            None => (module.takes_parameters(function))
                .then(|| MlirStandIn::Parameter(function, of.type_text.clone())),
        }
    }

    /// Returns the operation that would make a value in place of the only result of an operation.
    fn default_of(&self, operation: usize) -> Option<Vec<u8>> {
        let module = self.module;
        let of = &module.operations[operation];
        let result = &module.values[of.result?];
        types::default(module, &result.type_text, of.function?, result.is_step)
    }

    /// Returns whether an operation makes its result as a value that would take its place is made:
    /// a constant, an undefined value.
    fn is_made(&self, operation: usize) -> bool {
        let name = self.module.name(operation);
        let default = self.default_of(operation);
        let rest = default
            .as_ref()
            .and_then(|default| default.strip_prefix(name));
        rest.is_some_and(|rest| matches!(rest.first(), Some(b' ' | b'(')))
    }

    /// Returns the operations at the beginning of a function.
    fn first_operations(&self, function: usize) -> &'a [usize] {
        let module = self.module;
        let body = module.operations[function].regions.first();
        let first = body.and_then(|&body| module.regions[body].blocks.clone().next());
        first.map_or(&[], |first| &module.blocks[first].operations)
    }

    /// Returns a value of the same type that is left and made like a default value, at the
    /// beginning of the function: before all that the value is used by.
    fn made_before(&self, value: usize, operation: usize) -> Option<usize> {
        let before = self.first_operations(self.module.operations[operation].function?);
        let mut before = before.iter().take_while(|&&before| before < operation);
        before.find_map(|&before| self.made(before, value))
    }

    /// The same for a value, such as a parameter, that may be used by the first operation that does
    /// not make such a value.
    fn made_first(&self, value: usize, function: usize) -> Option<usize> {
        let first = self.first_operations(function).iter();
        let first = first.filter(|&&first| self.is_left[first]);
        let mut first = first.take_while(|&&first| self.is_made(first));
        first.find_map(|&first| self.made(first, value))
    }

    /// Returns the result of an operation, if that is left and makes a value of the same type.
    fn made(&self, operation: usize, value: usize) -> Option<usize> {
        let result = self.module.operations[operation].result?;
        let is_alike = self.is_left[operation] && self.module.same_type(result, value);
        let fits = is_alike && self.is_made(operation) && !self.is_zero_step(operation, value);
        fits.then_some(result)
    }

    /// Returns whether a value is a step, and an operation makes zero.
    fn is_zero_step(&self, operation: usize, value: usize) -> bool {
        let mut words = self.module.operations[operation].words.clone();
        self.module.values[value].is_step && words.any(|word| self.module.is(word, "0"))
    }
}
