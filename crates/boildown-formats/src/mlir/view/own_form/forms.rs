//! The forms of operations without regions.

use std::ops::Range;

use super::OwnFormWriter;
use super::parts::GenericParts;

/// Operations on values of one type, written `name %a, %b : type`.
#[rustfmt::skip]
const ELEMENTWISE: [&str; 40] = [
    "addf", "addi", "andi", "ceildivsi", "ceildivui", "divf", "divsi", "divui", "floordivsi",
    "maxf", "maximumf", "maxnumf", "maxsi", "maxui", "minf", "minimumf", "minnumf", "minsi",
    "minui", "mulf", "muli", "negf", "ori", "remf", "remsi", "remui", "shli", "shrsi", "shrui",
    "subf", "subi", "xori", "absf", "absi", "exp", "log", "sqrt", "sin", "cos", "tanh",
];

/// The same for the dialect of LLVM.
const ELEMENTWISE_OF_LLVM: [&str; 19] = [
    "add", "and", "ashr", "fadd", "fdiv", "fmul", "fneg", "frem", "freeze", "fsub", "lshr", "mul",
    "or", "sdiv", "shl", "srem", "sub", "udiv", "urem",
];

/// Casts, written `name %a : type to type`.
#[rustfmt::skip]
const CASTS: [&str; 23] = [
    "bitcast", "cast", "extf", "extsi", "extui", "fpext", "fptosi", "fptoui", "fptrunc",
    "index_cast", "index_castui", "inttoptr", "ptrtoint", "sext", "sitofp", "trunc", "truncf",
    "trunci", "uitofp", "zext", "addrspacecast", "memory_space_cast", "collapse",
];

/// Ends of blocks, written `name %a, %b : type, type`.
const ENDS: [&str; 7] = [
    "func.return",
    "llvm.return",
    "scf.yield",
    "linalg.yield",
    "tensor.yield",
    "affine.yield",
    "llvm.unreachable",
];

/// The names of comparisons of integers, by their numbers.
const OF_INTEGERS: [&str; 10] = [
    "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge",
];

/// The names of comparisons of floating-point numbers, by their numbers.
const OF_FLOATS: [&str; 16] = [
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule",
    "une", "uno", "true",
];

impl<'a> OwnFormWriter<'a> {
    /// Writes an operation without regions.
    pub(super) fn plain(&mut self, parts: &mut GenericParts<'a>) -> Option<()> {
        let name = std::str::from_utf8(parts.name()).ok()?;
        let (dialect, rest) = name.split_once('.')?;
        self.put(name.as_bytes());
        let is_elementwise = match dialect {
            "arith" | "math" => ELEMENTWISE.contains(&rest),
            "llvm" => ELEMENTWISE_OF_LLVM.contains(&rest),
            _ => false,
        };
        let is_cast = matches!(dialect, "arith" | "llvm" | "tensor" | "memref");
        if ENDS.contains(&name) {
            self.end(parts)
        } else if is_elementwise {
            let of = parts.only_type()?;
            self.operands(parts);
            self.tail(parts, &[b" : ", self.module.source(of)])
        } else if is_cast && CASTS.contains(&rest) {
            let ([from], [to]) = (&parts.operand_types[..], &parts.result_types[..]) else {
                return None;
            };
            let (from, to) = (from.clone(), to.clone());
            self.operands(parts);
            let module = self.module;
            self.tail(
                parts,
                &[b" : ", module.source(from), b" to ", module.source(to)],
            )
        } else {
            match name {
                "cf.br" | "llvm.br" => self.jump(parts),
                "cf.cond_br" | "llvm.cond_br" => self.condition(parts),
                "llvm.switch" => self.switch(parts),
                "func.call" | "llvm.call" => self.direct_call(parts),
                "arith.cmpi" | "arith.cmpf" | "llvm.icmp" | "llvm.fcmp" => {
                    self.comparison(parts, rest)
                }
                "arith.select" | "llvm.select" => self.choice(parts, dialect),
                _ => self.memory(parts, name),
            }
        }
    }

    /// Writes constants, and operations that read and write memory.
    fn memory(&mut self, parts: &mut GenericParts<'a>, name: &str) -> Option<()> {
        let module = self.module;
        let of = |types: &[Range<usize>], at: usize| Some(module.source(types.get(at)?.clone()));
        let first = || of(&parts.operand_types, 0);
        let (result, operand) = (of(&parts.result_types, 0), first());
        let (count, second) = (parts.operands.len(), of(&parts.operand_types, 1));
        match name {
            "arith.constant" => {
                let value = parts.take_text("value")?;
                self.tail(parts, &[b" ", value])
            }
            "llvm.mlir.constant" => {
                let value = parts.take_text("value")?;
                [b"(", value, b")"]
                    .into_iter()
                    .for_each(|text| self.put(text));
                self.tail(parts, &[b" : ", result?])
            }
            "llvm.mlir.undef" | "llvm.mlir.null" | "llvm.mlir.zero" | "llvm.mlir.poison" => {
                self.tail(parts, &[b" : ", result?])
            }
            "llvm.mlir.addressof" => {
                let of = parts.take_text("global_name")?;
                self.put(b" ");
                self.put(of);
                self.tail(parts, &[b" : ", result?])
            }
            "tensor.empty" | "memref.alloc" if count == 0 => {
                self.put(b"()");
                self.tail(parts, &[b" : ", result?])
            }
            "llvm.load" if count == 1 => {
                self.operands(parts);
                self.tail(parts, &[b" : ", operand?, b" -> ", result?])
            }
            "llvm.store" if count == 2 => {
                self.operands(parts);
                self.tail(parts, &[b" : ", operand?, b", ", second?])
            }
            "tensor.dim" | "memref.dim" => {
                self.operands(parts);
                self.tail(parts, &[b" : ", operand?])
            }
            "memref.load" | "tensor.extract" if count > 0 => {
                self.put(b" ");
                self.element(&parts.operands.clone());
                self.tail(parts, &[b" : ", operand?])
            }
            "memref.store" | "tensor.insert" if count > 1 => {
                self.put(b" ");
                self.list(&parts.operands[..1]);
                let between: &[u8] = if name == "tensor.insert" {
                    b" into "
                } else {
                    b", "
                };
                self.put(between);
                self.element(&parts.operands[1..]);
                self.tail(parts, &[b" : ", second?])
            }
            _ => None,
        }
    }

    fn operands(&mut self, parts: &GenericParts<'a>) {
        self.put(if parts.operands.is_empty() { b"" } else { b" " });
        self.list(&parts.operands);
    }

    /// Writes a value and the indices into it: `%a[%i, %j]`.
    fn element(&mut self, operands: &[Range<usize>]) {
        self.list(&operands[..1]);
        self.put(b"[");
        self.list(&operands[1..]);
        self.put(b"]");
    }

    /// Writes what is left of the attributes, and the end of the operation.
    fn tail(&mut self, parts: &mut GenericParts<'a>, texts: &[&[u8]]) -> Option<()> {
        let rest = parts.rest();
        self.attributes(&rest, b"");
        texts.iter().for_each(|text| self.put(text));
        Some(())
    }

    /// Writes attributes between brackets, after a word, if there are any.
    pub(super) fn attributes(&mut self, entries: &[Range<usize>], word: &[u8]) {
        if !entries.is_empty() {
            self.put(word);
            self.put(b" {");
            self.list(entries);
            self.put(b"}");
        }
    }

    fn end(&mut self, parts: &mut GenericParts<'a>) -> Option<()> {
        if !parts.rest().is_empty() {
            return None;
        }
        if !parts.operands.is_empty() {
            self.operands(parts);
            self.put(b" : ");
            self.list(&parts.operand_types);
        }
        Some(())
    }

    fn jump(&mut self, parts: &mut GenericParts<'a>) -> Option<()> {
        parts.rest().is_empty().then_some(())?;
        self.put(b" ");
        self.target(parts, 0, 0..parts.operands.len())
    }

    /// Writes a block with its arguments.
    fn target(
        &mut self,
        parts: &GenericParts<'a>,
        successor: usize,
        operands: Range<usize>,
    ) -> Option<()> {
        self.list(&[parts.successors.get(successor)?.clone()]);
        if !operands.is_empty() {
            self.put(b"(");
            self.list(parts.operands.get(operands.clone())?);
            self.put(b" : ");
            self.list(&parts.operand_types[operands]);
            self.put(b")");
        }
        Some(())
    }

    fn condition(&mut self, parts: &mut GenericParts<'a>) -> Option<()> {
        let [1, of_true, of_false] = parts.take_segments()?[..] else {
            return None;
        };
        parts.rest().is_empty().then_some(())?;
        self.put(b" ");
        self.list(parts.operands.get(..1)?);
        self.put(b", ");
        self.target(parts, 0, 1..1 + of_true)?;
        self.put(b", ");
        self.target(parts, 1, 1 + of_true..1 + of_true + of_false)
    }

    fn switch(&mut self, parts: &mut GenericParts<'a>) -> Option<()> {
        let [1, of_default, _] = parts.take_segments()?[..] else {
            return None;
        };
        let segments = parts
            .take_numbers("case_operand_segments")
            .unwrap_or_default();
        let values = parts.take("case_values");
        parts.rest().is_empty().then_some(())?;
        self.put(b" ");
        self.list(parts.operands.get(..1)?);
        self.put(b" : ");
        self.list(&parts.operand_types[..1]);
        self.put(b", ");
        let mut at = 1 + of_default;
        self.target(parts, 0, 1..at)?;
        let module = self.module;
        self.put(b" [");
        if let Some(values) = values {
            let numbers = values.filter(|&word| module.text(word)[0].is_ascii_digit());
            let is_number = |&word: &usize| module.text(word).iter().all(u8::is_ascii_digit);
            let numbers: Vec<usize> = numbers.filter(is_number).collect();
            // Of equal values, only one is written.
            (numbers.len() == segments.len() && segments.len() + 1 == parts.successors.len())
                .then_some(())?;
            for (case, (&number, &count)) in numbers.iter().zip(&segments).enumerate() {
                self.put(if case > 0 { b",\n      " } else { b"\n      " });
                self.put(if module.is(number - 1, "-") {
                    b"-"
                } else {
                    b""
                });
                self.put(module.text(number));
                self.put(b": ");
                self.target(parts, case + 1, at..at + count)?;
                at += count;
            }
        }
        self.put(b"\n    ]");
        Some(())
    }

    fn direct_call(&mut self, parts: &mut GenericParts<'a>) -> Option<()> {
        let callee = parts.take_text("callee")?;
        // The type of a function with any number of arguments is told by its declaration.
        if parts.take("var_callee_type").is_some() || parts.take("callee_type").is_some() {
            return None;
        }
        self.put(b" ");
        self.put(callee);
        self.put(b"(");
        self.list(&parts.operands);
        self.put(b")");
        let rest = parts.rest();
        self.attributes(&rest, b"");
        self.put(b" : (");
        self.list(&parts.operand_types);
        self.put(b") -> ");
        let is_one = parts.result_types.len() == 1;
        self.put(if is_one { b"" } else { b"(" });
        self.list(&parts.result_types);
        self.put(if is_one { b"" } else { b")" });
        Some(())
    }

    fn comparison(&mut self, parts: &mut GenericParts<'a>, kind: &str) -> Option<()> {
        let number = *parts.take_numbers("predicate")?.first()?;
        let name = match kind {
            "cmpi" | "icmp" => *OF_INTEGERS.get(number)?,
            _ => *OF_FLOATS.get(number)?,
        };
        match kind {
            "icmp" | "fcmp" => {
                let sign = if matches!(name, "false" | "true") {
                    "_"
                } else {
                    ""
                };
                self.put(format!(" \"{sign}{name}\"").as_bytes());
            }
            _ => self.put(format!(" {name},").as_bytes()),
        }
        let of = parts.operand_types.first()?.clone();
        self.operands(parts);
        self.tail(parts, &[b" : ", self.module.source(of)])
    }

    fn choice(&mut self, parts: &mut GenericParts<'a>, dialect: &str) -> Option<()> {
        let [condition, of, _] = &parts.operand_types[..] else {
            return None;
        };
        let (condition, of) = (condition.clone(), of.clone());
        let module = self.module;
        self.operands(parts);
        match dialect {
            "llvm" => {
                let types = [module.source(condition), b", ", module.source(of)].concat();
                self.tail(parts, &[b" : ", &types])
            }
            _ if module.source(condition) == b"i1" => {
                self.tail(parts, &[b" : ", module.source(of)])
            }
            _ => None,
        }
    }
}
