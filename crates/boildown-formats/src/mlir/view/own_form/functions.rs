//! The forms of operations with regions: functions, global variables, modules, loops, conditions.

use std::ops::Range;

use super::OwnFormWriter;
use super::parts::GenericParts;
use crate::mlir::view::module::unquoted;

/// Types of the dialect of LLVM, which are written without their prefix inside of others.
#[rustfmt::skip]
const TYPES_OF_LLVM: [&str; 11] = [
    "ptr", "struct", "array", "void", "func", "label", "token", "metadata", "vec", "ppc_fp128",
    "target",
];

/// The type of a function.
struct MlirSignature {
    inputs: Vec<Range<usize>>,
    results: Vec<Range<usize>>,
}

impl<'a> OwnFormWriter<'a> {
    pub(super) fn with_regions(&mut self, parts: &mut GenericParts<'a>) -> Option<()> {
        match parts.name() {
            b"func.func" | b"llvm.func" => self.function(parts),
            b"llvm.mlir.global" => self.global(parts),
            b"builtin.module" => self.inner_module(parts),
            b"scf.for" => self.counted_loop(parts),
            b"scf.if" => self.branches(parts),
            _ => None,
        }
    }

    /// Returns the only region that has operations, and the words of the parameters of its first
    /// block.
    fn entry(&self, operation: usize) -> (Option<usize>, Vec<Range<usize>>) {
        let module = self.module;
        let region = module.operations[operation].regions.first().copied();
        let block = region.map(|region| &module.blocks[module.regions[region].blocks.start]);
        let label = block.map_or(0..0, |block| block.label.clone());
        let parameters = match label.len() > 2 && module.is(label.start + 1, "(") {
            true => module.list(label.start + 2..module.words[label.start + 1].partner),
            false => Vec::new(),
        };
        (region, parameters)
    }

    fn function(&mut self, parts: &mut GenericParts<'a>) -> Option<()> {
        let module = self.module;
        let is_llvm = parts.name() == b"llvm.func";
        self.put(parts.name());
        let signature = parts.take("function_type")?;
        let signature = self.signature(signature, is_llvm)?;
        let attributes = ["arg_attrs", "res_attrs"].map(|key| self.lists(parts, key));
        let (region, parameters) = self.entry(parts.operation);
        let is_variadic = |input: &Range<usize>| module.source(input.clone()) == b"...";
        let named = signature.inputs.iter().filter(|input| !is_variadic(input));
        if region.is_some() && parameters.len() != named.count() {
            return None;
        }
        self.linkage(parts)?;
        self.name_of(parts)?;
        self.put(b"(");
        for (position, input) in signature.inputs.iter().enumerate() {
            self.put(if position > 0 { b", " } else { b"" });
            match parameters.get(position) {
                Some(parameter) => self.put(module.source(parameter.clone())),
                None => self.type_of(input, is_llvm),
            }
            self.entry_of(&attributes[0], position);
        }
        self.put(b")");
        let is_plain = signature.results.len() == 1 && attributes[1].is_empty();
        for (position, result) in signature.results.iter().enumerate() {
            let before: &[u8] = match position {
                0 if is_plain => b" -> ",
                0 => b" -> (",
                _ => b", ",
            };
            self.put(before);
            self.type_of(result, is_llvm);
            self.entry_of(&attributes[1], position);
        }
        self.put(if is_plain || signature.results.is_empty() {
            b""
        } else {
            b")"
        });
        let rest = parts.rest();
        self.attributes(&rest, b" attributes");
        if let Some(region) = region {
            self.put(b" ");
            self.region(region, false);
        }
        Some(())
    }

    /// Reads `(a, b) -> c` or `!llvm.func<c (a, b)>`.
    fn signature(&self, words: Range<usize>, is_llvm: bool) -> Option<MlirSignature> {
        let module = self.module;
        let start = match is_llvm {
            true => words.clone().find(|&word| module.is(word, "<"))? + 1,
            false => words.start,
        };
        let mut open = start;
        while !module.is(open, "(") {
            open = module.after(open);
            (open < words.end).then_some(())?;
        }
        let close = module.words[open].partner;
        let result = match is_llvm {
            true => start..open,
            false if module.is(close + 1, "->") => close + 2..words.end,
            false => return None,
        };
        let results = match module.is(result.start, "(") && !is_llvm {
            true => module.list(result.start + 1..module.words[result.start].partner),
            false if module.source(result.clone()) == b"void" => Vec::new(),
            false => vec![result],
        };
        Some(MlirSignature {
            inputs: module.list(open + 1..close),
            results,
        })
    }

    fn type_of(&mut self, words: &Range<usize>, is_llvm: bool) {
        let module = self.module;
        let is_short = (TYPES_OF_LLVM.iter()).any(|name| module.is(words.start, name));
        self.put(if is_llvm && is_short { b"!llvm." } else { b"" });
        self.put(module.source(words.clone()));
    }

    /// Takes the attributes of parameters or results: `[{a}, {}]`.
    fn lists(&self, parts: &mut GenericParts<'a>, key: &str) -> Vec<Range<usize>> {
        let module = self.module;
        let list = parts.take(key).filter(|list| !list.is_empty());
        list.map_or(Vec::new(), |list| module.list(list.start + 1..list.end - 1))
    }

    fn entry_of(&mut self, attributes: &[Range<usize>], position: usize) {
        let module = self.module;
        if let Some(entry) = attributes.get(position)
            && entry.len() > 2
        {
            self.put(b" ");
            self.put(module.source(entry.clone()));
        }
    }

    /// Writes what stands before the name of a function or variable.
    fn linkage(&mut self, parts: &mut GenericParts<'a>) -> Option<()> {
        let mut words: Vec<&[u8]> = Vec::new();
        if let Some(visibility) = parts.take_text("sym_visibility") {
            words.push(unquoted(visibility));
        }
        words.extend(parts.take_word("linkage"));
        match parts.take_numbers("unnamed_addr").as_deref() {
            Some([0]) | None => {}
            Some([1]) => words.push(b"local_unnamed_addr"),
            Some([2]) => words.push(b"unnamed_addr"),
            Some(_) => return None,
        }
        words.extend(parts.take_word("CConv"));
        if parts.name() == b"llvm.mlir.global" && parts.take("constant").is_some() {
            words.push(b"constant");
        }
        for word in words {
            self.put(b" ");
            self.put(word);
        }
        Some(())
    }

    /// Writes the symbol that an operation defines.
    fn name_of(&mut self, parts: &mut GenericParts<'a>) -> Option<()> {
        let quoted = parts.take_text("sym_name")?;
        let name = unquoted(quoted);
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$.".contains(byte);
        let is_bare = name.iter().all(is_name)
            && (name.first()).is_some_and(|&byte| byte.is_ascii_alphabetic() || byte == b'_');
        self.put(b" @");
        self.put(if is_bare { name } else { quoted });
        Some(())
    }

    fn global(&mut self, parts: &mut GenericParts<'a>) -> Option<()> {
        let module = self.module;
        self.put(b"llvm.mlir.global");
        let of = parts.take_text("global_type")?;
        let value = parts.take_text("value").unwrap_or_default();
        self.linkage(parts)?;
        self.name_of(parts)?;
        self.put(b"(");
        self.put(value);
        self.put(b")");
        let rest = parts.rest();
        self.attributes(&rest, b"");
        // A string tells its type.
        if !value.starts_with(b"\"") {
            self.put(b" : ");
            self.put(of);
        }
        if let Some(&region) = module.operations[parts.operation].regions.first() {
            self.put(b" ");
            self.region(region, true);
        }
        Some(())
    }

    fn inner_module(&mut self, parts: &mut GenericParts<'a>) -> Option<()> {
        self.put(b"module");
        let (region, parameters) = self.entry(parts.operation);
        parameters.is_empty().then_some(())?;
        // A module need not have a name.
        let _ = self.name_of(parts);
        let rest = parts.rest();
        self.attributes(&rest, b" attributes");
        self.put(b" ");
        self.region(region?, false);
        Some(())
    }

    /// Returns `None` if there are attributes, for which there is no place.
    fn without_attributes(parts: &mut GenericParts<'a>) -> Option<()> {
        parts.rest().is_empty().then_some(())
    }

    fn counted_loop(&mut self, parts: &mut GenericParts<'a>) -> Option<()> {
        let module = self.module;
        Self::without_attributes(parts)?;
        let (region, parameters) = self.entry(parts.operation);
        let [counter, iterated @ ..] = &parameters[..] else {
            return None;
        };
        let [from, to, step, first @ ..] = &parts.operands[..] else {
            return None;
        };
        (iterated.len() == first.len()).then_some(())?;
        let text = |words: &Range<usize>| module.source(words.clone());
        let [from, to, step] = [from, to, step].map(text);
        let loop_head = [
            b"scf.for ",
            module.text(counter.start),
            b" = ",
            from,
            b" to ",
            to,
            b" step ",
            step,
        ];
        loop_head.into_iter().for_each(|text| self.put(text));
        for (position, (name, value)) in iterated.iter().zip(first).enumerate() {
            self.put(if position > 0 { b", " } else { b" iter_args(" });
            self.put(module.text(name.start));
            self.put(b" = ");
            self.put(text(value));
        }
        if !first.is_empty() {
            self.put(b")");
            self.results_of(parts);
        }
        let of = module.source(counter.start + 2..counter.end);
        if of != b"index" {
            self.put(b" : ");
            self.put(of);
        }
        self.put(b" ");
        self.region(region?, false);
        Some(())
    }

    fn results_of(&mut self, parts: &GenericParts<'a>) {
        if !parts.result_types.is_empty() {
            self.put(b" -> (");
            self.list(&parts.result_types);
            self.put(b")");
        }
    }

    fn branches(&mut self, parts: &mut GenericParts<'a>) -> Option<()> {
        Self::without_attributes(parts)?;
        let [condition] = &parts.operands[..] else {
            return None;
        };
        self.put(b"scf.if ");
        self.list(std::slice::from_ref(condition));
        self.results_of(parts);
        let regions = &self.module.operations[parts.operation].regions;
        for (position, &region) in regions.iter().enumerate() {
            self.put(if position > 0 { b" else " } else { b" " });
            self.region(region, true);
        }
        Some(())
    }
}
