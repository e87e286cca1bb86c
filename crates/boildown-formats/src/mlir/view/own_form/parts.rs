//! The parts of an operation in generic form.

use std::ops::Range;

use crate::mlir::view::module::{MlirModule, unquoted};
use crate::mlir::view::words::MlirSort;

/// `"name"(%a)[^b] ({ }) {key = value} : (types) -> types`
pub(super) struct GenericParts<'a> {
    module: &'a MlirModule,
    pub(super) operation: usize,
    pub(super) operands: Vec<Range<usize>>,
    pub(super) successors: Vec<Range<usize>>,
    /// The number of its regions, those without operations included.
    pub(super) region_count: usize,
    /// The values by their names, without those that were taken.
    attributes: Vec<(&'a [u8], Range<usize>)>,
    pub(super) operand_types: Vec<Range<usize>>,
    pub(super) result_types: Vec<Range<usize>>,
}

/// Attributes that say nothing where they have these values, or that other parts tell.
const IDLE: [(&str, &str); 12] = [
    ("fastmath", "#arith.fastmath<none>"),
    ("fastmathFlags", "#llvm.fastmath<none>"),
    ("overflowFlags", "#arith.overflow<none>"),
    ("overflowFlags", "#llvm.overflow<none>"),
    ("CConv", "#llvm.cconv<ccc>"),
    ("TailCallKind", "#llvm.tailcallkind<none>"),
    ("linkage", "#llvm.linkage<external>"),
    ("visibility_", "0 : i64"),
    ("unnamed_addr", "0 : i64"),
    ("addr_space", "0 : i32"),
    ("ordering", "0 : i64"),
    ("arg_attrs", "[]"),
];

/// Attributes that the other form does not write.
const TOLD: [&str; 5] = [
    "operand_segment_sizes",
    "operandSegmentSizes",
    "op_bundle_sizes",
    "branch_weights",
    "case_operand_segments",
];

impl<'a> GenericParts<'a> {
    /// Reads an operation. `None` if it has other parts than these.
    pub(super) fn read(module: &'a MlirModule, operation: usize) -> Option<Self> {
        let of = &module.operations[operation];
        let mut parts = Self {
            module,
            operation,
            operands: Vec::new(),
            successors: Vec::new(),
            region_count: 0,
            attributes: Vec::new(),
            operand_types: Vec::new(),
            result_types: Vec::new(),
        };
        let inside = |open: usize| open + 1..module.words[open].partner;
        let mut at = of.name + 1;
        if !module.is(at, "(") {
            return None;
        }
        parts.operands = module.list(inside(at));
        at = module.after(at);
        if module.is(at, "[") {
            parts.successors = module.list(inside(at));
            at = module.after(at);
        }
        // Since version 17, attributes that belong to the operation stand apart.
        if module.is(at, "<") && module.is(at + 1, "{") {
            parts.read_attributes(at + 1)?;
            at = module.after(at);
        }
        if module.is(at, "(") {
            parts.region_count = module.list(inside(at)).len();
            at = module.after(at);
        }
        if module.is(at, "{") {
            parts.read_attributes(at)?;
            at = module.after(at);
        }
        if module.sort(at) != MlirSort::Colon || !module.is(at + 1, "(") {
            return None;
        }
        parts.operand_types = module.list(inside(at + 1));
        at = module.after(at + 1);
        if !module.is(at, "->") {
            return None;
        }
        at += 1;
        let end = match module.is(at, "(") {
            true => {
                parts.result_types = module.list(inside(at));
                module.after(at)
            }
            false => {
                parts.result_types = vec![at..of.words.end];
                of.words.end
            }
        };
        let has_location = module.find(at..of.words.end, "loc").is_some();
        let is_whole = end == of.words.end && !has_location;
        (is_whole && parts.operands.len() == parts.operand_types.len()).then_some(parts)
    }

    fn read_attributes(&mut self, open: usize) -> Option<()> {
        let module = self.module;
        for entry in module.list(open + 1..module.words[open].partner) {
            let key = unquoted(module.text(entry.start));
            let value = match entry.len() {
                1 => entry.end..entry.end,
                _ if module.is(entry.start + 1, "=") => entry.start + 2..entry.end,
                _ => return None,
            };
            self.attributes.push((key, value));
        }
        Some(())
    }

    pub(super) fn name(&self) -> &'a [u8] {
        self.module.name(self.operation)
    }

    /// Takes the value of an attribute; an empty one if it has none.
    pub(super) fn take(&mut self, key: &str) -> Option<Range<usize>> {
        let position = (self.attributes.iter()).position(|(name, _)| *name == key.as_bytes())?;
        Some(self.attributes.remove(position).1)
    }

    /// Takes the text of an attribute.
    pub(super) fn take_text(&mut self, key: &str) -> Option<&'a [u8]> {
        let value = self.take(key)?;
        Some(self.module.source(value))
    }

    /// Takes the word of an attribute such as `#llvm.linkage<internal>`, unless it says nothing.
    pub(super) fn take_word(&mut self, key: &str) -> Option<&'a [u8]> {
        self.drop_idle();
        let value = self.take(key)?;
        let last = value.end.checked_sub(2)?;
        Some(self.module.text(last))
    }

    /// Takes the numbers of an attribute such as `array<i32: 1, 2>`.
    pub(super) fn take_numbers(&mut self, key: &str) -> Option<Vec<usize>> {
        let value = self.take(key)?;
        let numbers = value.filter_map(|word| {
            let text = std::str::from_utf8(self.module.text(word)).ok()?;
            text.parse().ok()
        });
        Some(numbers.collect())
    }

    /// Takes the sizes of the groups of operands.
    pub(super) fn take_segments(&mut self) -> Option<Vec<usize>> {
        let old = self.take_numbers("operand_segment_sizes");
        old.or_else(|| self.take_numbers("operandSegmentSizes"))
    }

    fn drop_idle(&mut self) {
        let module = self.module;
        self.attributes.retain(|(key, value)| {
            let text = module.source(value.clone());
            let is =
                |&(name, idle): &(&str, &str)| *key == name.as_bytes() && text == idle.as_bytes();
            !IDLE.iter().any(is) && !TOLD.iter().any(|name| *key == name.as_bytes())
        });
    }

    /// Returns the entries of the attributes that were not taken and say something.
    pub(super) fn rest(&mut self) -> Vec<Range<usize>> {
        self.drop_idle();
        let start = |value: &Range<usize>| match value.is_empty() {
            true => value.start - 1,
            false => value.start - 2,
        };
        let entries = self.attributes.iter();
        entries.map(|(_, value)| start(value)..value.end).collect()
    }

    /// Returns the only type of all operands and the only result.
    pub(super) fn only_type(&self) -> Option<Range<usize>> {
        let [result] = &self.result_types[..] else {
            return None;
        };
        let text = self.module.source(result.clone());
        let is_same = |of: &Range<usize>| self.module.source(of.clone()) == text;
        (self.operand_types.iter().all(is_same) && !self.operands.is_empty())
            .then(|| result.clone())
    }
}
