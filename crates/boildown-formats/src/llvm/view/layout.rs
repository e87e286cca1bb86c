//! The tokens and nodes of a module of LLVM IR.

use std::sync::Arc;

use boildown_document::{
    Document,
    module_layout::{UnitLayout, document},
};

use super::module::{IrBlock, IrDefinition, IrFunction, IrModule, IrParameter, IrSort};
use super::optional::DebugField;

/// Reads a module; an input that is none becomes a single token.
///
/// `has_metadata` says whether metadata other than the units of debug information is laid out,
/// `has_zeros` whether the uses of a deleted value become zero.
pub(super) fn read(bytes: &Arc<[u8]>, has_metadata: bool, has_zeros: bool) -> Document {
    document(bytes, IrModule::read(bytes), |units, module| {
        module.has_zeros = has_zeros;
        IrLayout {
            units,
            has_metadata,
        }
        .definitions(module);
    })
}

struct IrLayout<'a> {
    units: &'a mut UnitLayout,
    /// Whether metadata other than the units of debug information is laid out.
    has_metadata: bool,
}

/// What is laid out together, whatever stands between: each is a node, so that it can go as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IrGroup {
    /// Functions, variables, types and what is said about the target.
    Code,
    /// What all debug information goes with.
    CompileUnit,
    /// Lists of metadata with a name, and metadata of other tools.
    Metadata,
    DebugInformation,
    /// Places in the source.
    Location,
}

impl IrGroup {
    const ALL: [Self; 5] = [
        Self::Code,
        Self::CompileUnit,
        Self::Metadata,
        Self::DebugInformation,
        Self::Location,
    ];

    fn of(module: &IrModule, definition: &IrDefinition) -> Self {
        match definition.sort {
            IrSort::NamedMetadata => Self::Metadata,
            IrSort::Metadata => match module.debug_node(definition) {
                Some(b"!DICompileUnit") => Self::CompileUnit,
                Some(b"!DILocation") => Self::Location,
                Some(_) => Self::DebugInformation,
                None => Self::Metadata,
            },
            _ => Self::Code,
        }
    }
}

impl IrLayout<'_> {
    fn definitions(&mut self, module: &mut IrModule) {
        let unit = module.only_compile_unit();
        let mut definitions = std::mem::take(&mut module.definitions);
        let has_version = |definition: &IrDefinition| match definition.sort {
            IrSort::NamedMetadata => definition.words.clone().skip(1).any(|word| {
                let index = module.names.get(module.text(word));
                index.is_some_and(|&index| module.is_debug_version(&definitions[index]))
            }),
            _ => module.is_debug_version(definition),
        };
        let goes_with_unit: Vec<bool> = match unit {
            Some(_) => definitions.iter().map(has_version).collect(),
            None => vec![false; definitions.len()],
        };
        let groups: Vec<IrGroup> = (definitions.iter())
            .map(|definition| IrGroup::of(module, definition))
            .collect();
        let shown = match self.has_metadata {
            true => &IrGroup::ALL[..],
            false => &[IrGroup::Code, IrGroup::CompileUnit],
        };
        for group in shown {
            let is_in = |&index: &usize| groups[index] == *group && !goes_with_unit[index];
            let group: Vec<usize> = (0..definitions.len()).filter(is_in).collect();
            let is_node = group.len() > 1 && group.len() < definitions.len();
            if is_node {
                self.units.open();
            }
            for index in group {
                self.definition(module, &mut definitions[index]);
            }
            if is_node {
                self.units.close();
            }
        }
        module.definitions = definitions;
    }

    fn definition(&mut self, module: &IrModule, definition: &mut IrDefinition) {
        let is_free = definition.name.is_some_and(|name| match &definition.sort {
            IrSort::Function(IrFunction { parameters, .. }) | IrSort::Declaration(parameters) => {
                module.has_free_parameters(name, parameters)
            }
            _ => false,
        });
        let lists_used = module.lists_used_globals(definition);
        self.units.open();
        definition.token = self.units.token(definition.words.start);
        if let Some(place) = module.place_of_optional(definition) {
            definition.optional = self.units.leaf(place);
        }
        self.fields(module, definition);
        match &mut definition.sort {
            IrSort::Function(function) => {
                if function.has_names() {
                    function.names = self.units.leaf(function.brackets.start);
                }
                self.function(function, is_free);
            }
            IrSort::Declaration(parameters) if is_free => self.parameters(parameters),
            IrSort::Variable {
                init: Some(init),
                token,
            } if !lists_used => *token = self.units.leaf(init.start),
            _ => {}
        }
        self.units.close();
    }

    /// Lays out the fields of a node of debug information that it can do without.
    fn fields(&mut self, module: &IrModule, definition: &mut IrDefinition) {
        let is_node = matches!(definition.sort, IrSort::Metadata);
        let fields = module.fields(definition).filter(|_| is_node);
        let fields = fields.map_or(Vec::new(), |(_, fields)| fields);
        let is_unit = |field: &DebugField| !field.is_needed || field.instead.is_some();
        if !fields.iter().any(is_unit) {
            return;
        }
        self.units.open();
        for field in fields {
            let token = match is_unit(&field) {
                true => self.units.leaf(field.words.start),
                false => None,
            };
            definition.fields.push(token);
        }
        self.units.close();
    }

    fn parameters(&mut self, parameters: &mut [IrParameter]) {
        self.units.open();
        for parameter in parameters {
            parameter.token = self.units.leaf(parameter.words.start);
        }
        self.units.close();
    }

    fn function(&mut self, function: &mut IrFunction, is_free: bool) {
        if is_free {
            self.parameters(&mut function.parameters);
        }
        self.units.open();
        function.token = self.units.token(function.body);
        for (index, block) in function.blocks.iter_mut().enumerate() {
            self.block(block, index == 0);
        }
        self.units.close();
    }

    fn block(&mut self, block: &mut IrBlock, is_first: bool) {
        self.units.open();
        if !block.label.is_empty() {
            block.token = self.units.token(block.label.start);
        } else if !is_first && let Some(first) = block.instructions.first() {
            // An empty token before that of the instruction.
            block.token = self.units.empty_token(first.words.start);
        }
        for instruction in &mut block.instructions {
            if instruction.is_needed {
                continue;
            }
            self.units.open();
            instruction.token = self.units.token(instruction.words.start);
            if instruction.targets.len() > 1 {
                for target in &mut instruction.targets {
                    target.token = self.units.leaf(target.word);
                }
            }
            self.units.close();
        }
        self.units.close();
    }
}
