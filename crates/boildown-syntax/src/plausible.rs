//! A gate for modules, scripts, shaders and programs: skips deletions that leave a name without its
//! definition, bring words together that are never neighbours, or leave a block without its end or
//! a term of the wrong sort, and modules of WebAssembly that are not valid.

mod blocks;
mod format;
mod hashing;
mod mlir_lines;
mod names;
mod programs;
mod samples;
mod shaders;
mod signatures;
mod spirv;
mod sql;
mod verilog;

use std::collections::BTreeSet;
use std::sync::Arc;

use boildown_search::Verdict;

use crate::document::is_overwritten_module;
pub(crate) use format::{CompiledLanguage, ModuleFormat};
use hashing::{hash_of_change, hash_of_words};
use names::{ModuleNames, lacking};
use samples::{MissedAttributes, SkippedCandidates};
pub(crate) use verilog::is_name as is_name_in_verilog;

/// A gate in front of the deletions of tokens and nodes of a module, or of bytes.
///
/// The units of a module, such as instructions, are deleted by its view, which makes all mentions
/// right. Of the other deletions nearly all are rejected by the first check of a tool: they take a
/// definition away, or an operand. So a candidate has to define the names that it mentions, but for
/// those that the best one leaves undefined too; and each pair of neighbouring words must be one of
/// the input or of the best candidate, where names, types and numbers are alike. Of SPIR-V, in
/// which most operations have a fixed number of operands, whole instructions must be. Of
/// WebAssembly it has to be valid, if the best one is, and of RTLIL what yosys reads, with cells of
/// known forms. Blocks of LLVM IR
/// and SPIR-V end in an instruction that leaves them, operands and constants of LLVM IR have the
/// shape and the types that are written with them, and terms of SMT-LIB have the sorts and numbers
/// of arguments that their operations take, if this is so in the best one. Lines of MLIR have a
/// shape that is known, and names of Verilog are declared in their module, those of GLSL, WGSL
/// and programs anywhere. Words of SQL are not neighbours where no dialect allows it.
///
/// A candidate that differs from one that was not interesting in the width of spaces alone is not
/// asked about either, nor one of MLIR that changes a line as one before, after the same line.
///
/// The gate is adaptive: it lets some of the candidates that it would skip through as samples, and
/// once many of these are interesting, it opens for good: two of the first four, or later one in
/// four; of a program, of which many samples are taken because formatters and parsers read no
/// names, two that are one in four. The more samples were not interesting, the rarer they become.
/// In LLVM IR, candidates with nothing but new neighbours are counted on their own: when these hit,
/// others are still skipped.
/// The gate does not stand before what is left of a short text.
///
/// # Cost
/// Linear in the size of the candidate, for each query.
#[derive(Debug, Clone)]
pub(crate) struct ModuleGate {
    format: ModuleFormat,
    /// The neighbours in the input.
    input: Arc<ModuleNames>,
    /// The best candidate that was compared with last.
    base: Option<(Arc<[u8]>, Arc<ModuleNames>)>,
    /// What came of candidates that a tool rejects while it reads them: they mention what is not
    /// defined, or are of another form.
    malformed: SkippedCandidates,
    /// What came of the others of LLVM IR, in which only the neighbours are new. Many of these are
    /// modules.
    unfamiliar: SkippedCandidates,
    /// The attributes of MLIR without which candidates were not interesting.
    missed_attributes: MissedAttributes,
    /// The attributes that the query at work lacks, if there are any.
    lacking: BTreeSet<u64>,
    /// The number of the change of a module of MLIR that the query at work makes.
    change: Option<u64>,
    /// Why the query at work was to be skipped, if it is a sample.
    sampled: Option<Objection>,
    /// Numbers of the last candidates that were not interesting, whatever the width of spaces; of
    /// MLIR also those of their changes. Empty for binaries.
    missed: Arc<BTreeSet<u64>>,
}

/// Why a candidate is to be skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Objection {
    Malformed,
    Unfamiliar,
}

/// Below this size of the best candidate, in bytes, there are so few deletions that all are tried,
/// unless a validator or a parser says which are worth it.
const GATED_FROM: usize = 128;

/// The largest number of candidates remembered as not interesting.
const MOST_MISSED: usize = 4096;

impl ModuleGate {
    pub(crate) fn new(format: ModuleFormat, input: &[u8]) -> Self {
        Self {
            format,
            input: Arc::new(ModuleNames::read(format, input)),
            base: None,
            malformed: SkippedCandidates::default(),
            unfamiliar: SkippedCandidates::default(),
            missed_attributes: MissedAttributes::default(),
            lacking: BTreeSet::new(),
            change: None,
            sampled: None,
            missed: Arc::default(),
        }
    }

    /// Returns whether the gate stands before the passes that prove a result 1-minimal.
    pub(crate) fn gates_proof(&self) -> bool {
        self.format.gates_proof()
    }

    /// Returns whether a candidate is to be asked about. Counts those that are not.
    pub(crate) fn admits(&mut self, candidate: &[u8], best: &Arc<[u8]>) -> bool {
        if self.is_open() {
            return true;
        }
        if self.is_vain(candidate, best) {
            return false;
        }
        if best.len() < self.gated_from() {
            return true;
        }
        if (self.base.as_ref()).is_none_or(|(bytes, _)| !Arc::ptr_eq(bytes, best)) {
            let names = ModuleNames::read(self.format, best);
            self.base = Some((Arc::clone(best), Arc::new(names)));
        }
        let names = ModuleNames::read(self.format, candidate);
        if self.cuts_strings(&names) {
            return false;
        }
        if let Some((_, base)) = &self.base {
            self.lacking = lacking(&names.attributes, &base.attributes);
        }
        let is_mlir = self.format == ModuleFormat::Mlir;
        self.change = is_mlir.then(|| hash_of_change(best, candidate));
        let Some(objection) = self.objection(&names) else {
            return true;
        };
        if self.is_open_for(objection) {
            return true;
        }
        if self.hides_numbers(&names) {
            return false;
        }
        let is_short = self.is_short_ir(best);
        let is_strict = matches!(
            self.format,
            ModuleFormat::LlvmIr | ModuleFormat::Spirv | ModuleFormat::SpirvBinary
        );
        let skipped = match objection {
            Objection::Malformed => &mut self.malformed,
            Objection::Unfamiliar => &mut self.unfamiliar,
        };
        // Of MLIR there are thousands of such candidates, and hardly any is a module. Whether the
        // property needs one is shown by those that surely are none.
        let is_sample = match (self.format, objection) {
            (ModuleFormat::Mlir, Objection::Unfamiliar) => false,
            (ModuleFormat::Mlir, Objection::Malformed) => skipped.is_rarely_sampled(),
            (ModuleFormat::Program(_), _) => skipped.is_often_sampled(),
            _ => skipped.is_sampled(is_short, is_strict),
        };
        self.sampled = is_sample.then_some(objection);
        if !is_sample {
            (self.lacking, self.change) = (BTreeSet::new(), None);
        }
        is_sample
    }

    /// Returns whether candidates with an objection are no longer skipped.
    fn is_open_for(&self, objection: Objection) -> bool {
        match (self.format, objection) {
            // A line of an unknown shape that is accepted says nothing about others.
            (ModuleFormat::Mlir, Objection::Unfamiliar) => false,
            (ModuleFormat::Mlir, Objection::Malformed) => {
                let base = self.base.as_ref();
                let is_short = base.is_some_and(|(bytes, _)| bytes.len() < GATED_FROM);
                self.malformed.is_mostly_hit(is_short)
            }
            (ModuleFormat::Program(_), _) => self.malformed.is_sometimes_hit(),
            (_, Objection::Malformed) => self.malformed.is_open(),
            (_, Objection::Unfamiliar) => self.unfamiliar.is_open(),
        }
    }

    /// Returns whether a best candidate of LLVM IR is so short that neighbours are not compared.
    fn is_short_ir(&self, best: &[u8]) -> bool {
        best.len() < GATED_FROM && self.format == ModuleFormat::LlvmIr
    }

    /// Returns whether texts that differ in their spaces are told apart.
    fn asks_about_spaces(&self) -> bool {
        matches!(self.format, ModuleFormat::Sql | ModuleFormat::Program(_))
    }

    /// Returns whether nothing would be learnt or gained by a candidate.
    fn is_vain(&self, candidate: &[u8], best: &[u8]) -> bool {
        // Formatters depend on spaces.
        !self.asks_about_spaces() && self.has_missed(candidate, best)
            || self.format == ModuleFormat::Wasm && is_overwritten_module(best, candidate)
    }

    /// Returns whether a candidate differs from one that was not interesting in the width of spaces
    /// alone. Of those that differ from the best one in nothing else, all are asked about.
    fn has_missed(&self, candidate: &[u8], best: &[u8]) -> bool {
        let words = hash_of_words(candidate);
        let is_missed = self.missed.contains(&words)
            || self.format == ModuleFormat::Mlir
                && self.missed.contains(&hash_of_change(best, candidate));
        is_missed && words != hash_of_words(best)
    }

    /// Returns whether a candidate passes as things are, not counting samples.
    pub(crate) fn passes(&self, candidate: &[u8], best: &[u8]) -> bool {
        if self.is_open() {
            return true;
        }
        if self.is_vain(candidate, best) {
            return false;
        }
        let is_long = |(bytes, _): &(Arc<[u8]>, _)| bytes.len() >= self.gated_from();
        if !self.base.as_ref().is_some_and(is_long) {
            return true;
        }
        let names = ModuleNames::read(self.format, candidate);
        let objection = self.objection(&names);
        !self.cuts_strings(&names) && objection.is_none_or(|objection| self.is_open_for(objection))
    }

    /// Returns why a candidate with these names is to be skipped.
    fn objection(&self, names: &ModuleNames) -> Option<Objection> {
        let (bytes, base) = self.base.as_ref()?;
        let has_shape = |shape| {
            [&self.input, base]
                .iter()
                .any(|names| names.shapes.contains(shape) || names.other_shapes.contains(shape))
        };
        let is_malformed = !self.has_known_names(names, base)
            || !base.is_invalid && names.is_invalid
            || !base.is_ill_formed && names.is_ill_formed
            || !(names.known_operations.iter()).all(|operation| {
                let known = [&self.input.known_operations, &base.known_operations];
                known.iter().any(|known| known.contains(operation))
            });
        // Of MLIR, and the shapes of RTLIL.
        let is_unfamiliar = || {
            // Operations are deleted by the view, which makes all mentions right.
            names.operations < base.operations
                // A type has to change everywhere.
                || names.types_of_dialects > base.types_of_dialects
                || !names.shapes.iter().all(has_shape)
                || !(names.types.iter())
                    .all(|one| base.types.contains(one) || self.input.types.contains(one))
                || self.missed_attributes.has_any_of(&lacking(&names.attributes, &base.attributes))
        };
        let is_known =
            |pair| self.input.neighbours.contains(pair) || base.neighbours.contains(pair);
        // Of what is left of a short text, few deletions bring new neighbours together.
        let is_short = self.is_short_ir(bytes);
        match is_malformed {
            true => Some(Objection::Malformed),
            false if is_unfamiliar() => Some(match self.format {
                ModuleFormat::Mlir => Objection::Unfamiliar,
                _ => Objection::Malformed,
            }),
            false if is_short || names.neighbours.iter().all(is_known) => None,
            false if self.format == ModuleFormat::LlvmIr => Some(Objection::Unfamiliar),
            false => Some(Objection::Malformed),
        }
    }

    /// Returns whether the names that a candidate does not define are those that the best one does
    /// not define either. Of a shader they may be those of the input: built-in types may take the
    /// place of others.
    fn has_known_names(&self, names: &ModuleNames, base: &ModuleNames) -> bool {
        let has_built_in = matches!(
            self.format,
            ModuleFormat::Glsl | ModuleFormat::Wgsl | ModuleFormat::Program(_)
        );
        (names.undefined.iter()).all(|name| {
            base.undefined.contains(name) || has_built_in && self.input.undefined.contains(name)
        })
    }

    /// Returns whether a candidate with these names leaves out a number of LLVM IR that is
    /// mentioned, or the label between two blocks. Blocks and values without a name are counted, so
    /// nothing would change but that it is hard to read: the second block would look like a part of
    /// the first.
    fn hides_numbers(&self, names: &ModuleNames) -> bool {
        let Some((bytes, base)) = &self.base else {
            return false;
        };
        let mut new = names.undefined.difference(&base.undefined);
        let is_number = |name: &[u8]| name[1..].iter().all(u8::is_ascii_digit);
        // What is left of a short text may be no module.
        let hides_label = bytes.len() >= GATED_FROM && names.is_invalid && !base.is_invalid;
        self.format == ModuleFormat::LlvmIr && (hides_label || new.any(|(_, name)| is_number(name)))
    }

    /// Returns whether a string, or an element of a list in it, is new: a part of a word. Such a
    /// module is valid, but says nothing else than one without the string.
    fn cuts_strings(&self, names: &ModuleNames) -> bool {
        let base = self.base.as_ref();
        let is_new = |one| {
            !self.input.strings.contains(one)
                && base.is_some_and(|(_, base)| !base.strings.contains(one))
        };
        names.strings.iter().any(is_new)
    }

    /// Takes the verdict on the candidate that was admitted last.
    pub(crate) fn tell(&mut self, candidate: &[u8], verdict: Verdict) {
        let lacking = std::mem::take(&mut self.lacking);
        self.missed_attributes.tell(&lacking, verdict);
        if !verdict.is_interesting() && !self.is_binary() && !self.is_open() {
            let missed = Arc::make_mut(&mut self.missed);
            if missed.len() == MOST_MISSED {
                missed.clear();
            }
            missed.insert(hash_of_words(candidate));
            missed.extend(self.change);
        }
        self.change = None;
        let skipped = match self.sampled.take() {
            Some(Objection::Malformed) => &mut self.malformed,
            Some(Objection::Unfamiliar) => &mut self.unfamiliar,
            None => return,
        };
        skipped.samples += 1;
        skipped.hits += u32::from(verdict.is_interesting());
    }

    fn is_binary(&self) -> bool {
        matches!(self.format, ModuleFormat::Wasm | ModuleFormat::SpirvBinary)
    }

    fn gated_from(&self) -> usize {
        match self.format {
            ModuleFormat::Spirv
            | ModuleFormat::Verilog
            | ModuleFormat::Glsl
            | ModuleFormat::Wgsl
            | ModuleFormat::Sql => GATED_FROM,
            // The shortest functions with a body have 26 and 27 bytes.
            ModuleFormat::LlvmIr | ModuleFormat::Mlir => 32,
            ModuleFormat::Wasm
            | ModuleFormat::Wat
            | ModuleFormat::SpirvBinary
            | ModuleFormat::Rtlil
            | ModuleFormat::SmtLib
            | ModuleFormat::Program(_) => 0,
        }
    }

    fn is_open(&self) -> bool {
        self.is_open_for(Objection::Malformed)
            && (self.format != ModuleFormat::LlvmIr || self.is_open_for(Objection::Unfamiliar))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LLVM: &str = "\
define i32 @f(i32 %a) {
  %b = add nsw i32 %a, 1
  br label %next

next:
  %c = add i32 %b, %a
  ret i32 %c
}
";

    /// Returns a text that the gate stands before: with a long comment.
    fn long(format: ModuleFormat, text: &str) -> String {
        let mark = match format {
            ModuleFormat::Mlir
            | ModuleFormat::Verilog
            | ModuleFormat::Glsl
            | ModuleFormat::Wgsl
            | ModuleFormat::Program(_) => "//",
            ModuleFormat::LlvmIr | ModuleFormat::Spirv | ModuleFormat::SmtLib => ";",
            ModuleFormat::Sql => "--",
            ModuleFormat::Wasm | ModuleFormat::Wat | ModuleFormat::SpirvBinary => ";;",
            ModuleFormat::Rtlil => "#",
        };
        format!("{text}{mark}{}\n", "-".repeat(GATED_FROM))
    }

    fn admits(format: ModuleFormat, input: &str, from: &str, to: &str) -> bool {
        let input = long(format, input);
        let best: Arc<[u8]> = input.as_bytes().into();
        let mut gate = ModuleGate::new(format, input.as_bytes());
        assert!(input.contains(from), "no {from:?}");
        gate.admits(input.replacen(from, to, 1).as_bytes(), &best)
    }

    #[cfg(feature = "wasm")]
    #[test]
    fn a_module_of_webassembly_stays_valid() {
        let best: Arc<[u8]> = b"(module (func (param i32) local.get 0 drop))"
            .as_slice()
            .into();
        let mut gate = ModuleGate::new(ModuleFormat::Wat, &best);
        assert!(gate.admits(b"(module (func (param i32)))", &best));
        assert!(!gate.admits(b"(module (func local.get 0 drop))", &best));
        let mut samples = (0..128).map(|_| gate.admits(b"(module", &best));
        assert!(samples.any(|is_admitted| is_admitted), "no sample");
    }

    #[cfg(feature = "wasm")]
    #[test]
    fn of_an_invalid_module_everything_is_tried() {
        let best: Arc<[u8]> = b"(module (func local.get 0 drop))".as_slice().into();
        let mut gate = ModuleGate::new(ModuleFormat::Wat, &best);
        assert!(gate.admits(b"(module", &best));
    }

    #[test]
    fn of_a_short_text_everything_is_tried() {
        let best: Arc<[u8]> = b"module m(input a);\nendmodule\n".as_slice().into();
        let mut gate = ModuleGate::new(ModuleFormat::Verilog, &best);
        assert!(gate.admits(b"module m(", &best));
    }

    #[test]
    fn of_a_short_text_of_llvm_ir_what_its_parser_takes_is_tried() {
        let best: Arc<[u8]> = b"define dso_local i32 @f() {\n  ret i32 4\n}\n"
            .as_slice()
            .into();
        let mut gate = ModuleGate::new(ModuleFormat::LlvmIr, &best);
        assert!(gate.admits(b"define i32 @f() {\n  ret i32 4\n}\n", &best));
        assert!(!gate.admits(b"define dso_local i32 @f() {\n  ret 4\n}\n", &best));
    }

    #[test]
    fn a_miss_is_not_asked_about_again_with_other_spaces() {
        let best: Arc<[u8]> = b"(assert (= a  b)) ; c".as_slice().into();
        let mut gate = ModuleGate::new(ModuleFormat::SmtLib, &best);
        assert!(gate.admits(b"(assert (= a b))", &best));
        gate.tell(b"(assert (= a b))", Verdict::Uninteresting);
        assert!(!gate.admits(b"(assert (= a b) )", &best));
        let narrow = b"(assert (= a b)) ; c";
        gate.tell(narrow, Verdict::Uninteresting);
        assert!(gate.admits(narrow, &best), "only spaces differ");
    }

    #[test]
    fn terms_of_a_script_keep_their_sorts() {
        let script = "(declare-const a Int) (assert (and (< a 1) true))";
        let smt = |from, to| admits(ModuleFormat::SmtLib, script, from, to);
        assert!(!smt("(declare-const a Int) ", ""));
        assert!(!smt("(< a 1)", "a"));
        assert!(!smt("a 1", "a"));
        assert!(smt("(and (< a 1) true)", "(< a 1)"));
    }

    #[test]
    fn a_block_ends_in_an_instruction_that_leaves_it() {
        let llvm = |from, to| admits(ModuleFormat::LlvmIr, LLVM, from, to);
        assert!(!llvm("  ret i32 %c\n", ""));
        assert!(!llvm("  br label %next\n", "  ret i32 %a\n  ret i32 %b\n"));
        assert!(llvm("  br label %next\n", "  ret i32 %b\n"));
    }

    #[test]
    fn a_definition_that_is_used_stays() {
        let llvm = |from, to| admits(ModuleFormat::LlvmIr, LLVM, from, to);
        assert!(!llvm("  %b = add nsw i32 %a, 1\n", ""));
        assert!(!llvm("next:\n", ""));
        assert!(llvm("add nsw", "add"), "this pair of words is in the input");
        let unused = LLVM.replace("ret i32 %c", "ret i32 %a");
        assert!(admits(ModuleFormat::LlvmIr, &unused, "%c = add", "add"));
    }

    #[test]
    fn operands_of_llvm_ir_keep_their_types() {
        let llvm = |from, to| admits(ModuleFormat::LlvmIr, LLVM, from, to);
        assert!(!llvm("add i32 %b, %a", "add i32 %b, true"));
        assert!(!llvm("ret i32 %c", "ret i32"));
        assert!(llvm("ret i32 %c", "ret i32 1"));
    }

    #[test]
    fn operations_that_llvm_knows_keep_their_types() {
        let text = "declare i32 @llvm.smin.i32(i32, i32) #0\ndeclare i32 @g(i32, i32) #0\n\
                    declare i32 @h(i32)\n";
        let llvm = |from, to| admits(ModuleFormat::LlvmIr, text, from, to);
        assert!(!llvm("smin.i32(i32, i32)", "smin.i32(i32)"));
        assert!(!llvm("i32 @llvm.smin", "i8 @llvm.smin"));
        assert!(llvm(
            "@llvm.smin.i32(i32, i32) #0",
            "@llvm.smin.i32(i32, i32)"
        ));
        assert!(llvm("@g(i32, i32)", "@g(i32)"));
    }

    #[test]
    fn words_that_are_never_neighbours_are_not_brought_together() {
        let llvm = |from, to| admits(ModuleFormat::LlvmIr, LLVM, from, to);
        assert!(!llvm("label %next", "%next"));
        assert!(!llvm("nsw i32 %a, 1", "nsw i32"));
        assert!(llvm("add i32 %b, %a", "add i32 %a, %a"), "names are alike");
    }

    #[test]
    fn numbers_that_are_mentioned_are_never_left_out() {
        let text = "define void @f() {\n  br label %1\n\n1:\n  ret void\n}\n";
        let text = long(ModuleFormat::LlvmIr, text);
        let best: Arc<[u8]> = text.as_bytes().into();
        let mut gate = ModuleGate::new(ModuleFormat::LlvmIr, text.as_bytes());
        let hidden = text.replace("1:", "");
        assert!((0..100).all(|_| !gate.admits(hidden.as_bytes(), &best)));
    }

    #[test]
    fn instructions_of_spirv_keep_their_shape() {
        let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n\
                    OpEntryPoint GLCompute %h \"\"\nOpDecorate %v Binding 0\n%v = OpTypeVoid\n\
                    %f = OpTypeFunction %v\n%g = OpTypeFunction %v %v\n%h = OpFunction %v None %f\n\
                    OpFunctionEnd\n";
        let spirv = |from, to| admits(ModuleFormat::Spirv, text, from, to);
        assert!(!spirv("%v = OpTypeVoid\n", ""));
        assert!(!spirv("= OpTypeFunction %v\n", "OpTypeFunction %v\n"));
        assert!(!spirv("OpTypeFunction %v\n", "OpTypeFunction\n"));
        assert!(spirv("%v %v", "%v"));
        // Each pair of words is in the input.
        assert!(!spirv("%v Binding 0", "%v"));
        assert!(!spirv("OpFunctionEnd\n", ""));
        assert!(!spirv("OpMemoryModel Logical GLSL450\n", ""));
        assert!(!spirv("OpCapability Shader\n", ""));
        assert!(!spirv("OpEntryPoint GLCompute %h \"\"\n", ""));
        assert!(spirv("OpDecorate %v Binding 0\n", ""));
    }

    #[test]
    fn samples_that_miss_become_rare() {
        let best: Arc<[u8]> = long(ModuleFormat::LlvmIr, LLVM).into_bytes().into();
        let mut gate = ModuleGate::new(ModuleFormat::LlvmIr, &best);
        let asked = (0..4096).filter(|number| {
            let candidate = format!("next next {number}");
            let is_asked = gate.admits(candidate.as_bytes(), &best);
            if is_asked {
                gate.tell(candidate.as_bytes(), Verdict::Uninteresting);
            }
            is_asked
        });
        // 2, 8, 32, 128, 512 and 2048.
        assert_eq!(asked.count(), 6);
    }

    #[test]
    fn values_of_mlir_are_defined_before_a_sign_or_right_before_a_colon() {
        let text =
            "func.func @f(%a: i32) {\n  %b = arith.addi %a, %a : i32\n  return %b : i32\n}\n";
        let mlir = |from, to| admits(ModuleFormat::Mlir, text, from, to);
        assert!(!mlir("  %b = arith.addi %a, %a : i32\n", ""));
        assert!(mlir("arith.addi %a, %a", "arith.addi %b, %b"));
    }

    #[test]
    fn lines_of_mlir_keep_their_shape_and_regions_their_end() {
        let text = "\
func.func @f(%a: i1, %b: i32) -> i32 {
  %r = scf.if %a -> (i32) {
    %s = arith.addi %b, %b {l} : i32
    scf.yield %s : i32
  } else {
    scf.yield %b : i32
  }
  return %r : i32
}
";
        let mlir = |from, to| admits(ModuleFormat::Mlir, text, from, to);
        assert!(mlir("{l} ", ""));
        assert!(!mlir("%b, %b", "%b"));
        assert!(!mlir("scf.yield %b : i32", "scf.yield %b"));
        assert!(!mlir("    scf.yield %b : i32\n", ""));
        assert!(!mlir("  return %r : i32\n", ""));
        assert!(!mlir("scf.if %a", "scf.if"));
    }

    #[test]
    fn names_of_verilog_stay_declared() {
        let text = "module m(input a, b, output c);\n  wire d;\n  assign c = a & d;\nendmodule\n";
        let verilog = |from, to| admits(ModuleFormat::Verilog, text, from, to);
        assert!(!verilog("wire d;", ""));
        assert!(!verilog("input a, b", "input b"));
        assert!(verilog("input a, b", "input a"));
        assert!(verilog("a & d", "a"));
    }

    #[test]
    fn names_of_shaders_stay_declared() {
        let text = "fn f(a: vec2f) -> f32 { return a.x; }\nvar<private> b: f32;\n\
                    fn main() { b = f(vec2f()); }\n";
        let wgsl = |from, to| admits(ModuleFormat::Wgsl, text, from, to);
        assert!(!wgsl("fn f(a: vec2f) -> f32 { return a.x; }\n", ""));
        assert!(!wgsl("var<private> b: f32;\n", ""));
        assert!(!wgsl("a: vec2f", ""));
        assert!(!wgsl("f(vec2f())", "f()"));
        assert!(wgsl("f(vec2f())", "f(b)"));
        assert!(wgsl("b = f(vec2f());", ""));
        // Known from the input.
        assert!(wgsl("a: vec2f", "a: f32"));
        let glsl = |from, to| admits(ModuleFormat::Glsl, "#version 450\nint a;\n", from, to);
        assert!(!glsl("#version 450\n", ""));
        assert!(glsl("int a;\n", ""));
    }

    #[test]
    fn statements_of_sql_keep_what_their_words_ask_for() {
        let text = "CREATE TABLE a (b, c);\nSELECT b FROM a WHERE c = 1;\n";
        let sql = |from, to| admits(ModuleFormat::Sql, text, from, to);
        assert!(!sql("TABLE ", ""));
        assert!(!sql("FROM a", "FROM"));
        assert!(!sql("c = 1", "c ="));
        assert!(sql(" WHERE c = 1", ""));
        assert!(sql("b, c", "b"));
    }

    #[test]
    fn the_gate_opens_when_what_it_skips_is_interesting() {
        let best: Arc<[u8]> = long(ModuleFormat::LlvmIr, LLVM).into_bytes().into();
        let mut gate = ModuleGate::new(ModuleFormat::LlvmIr, &best);
        let asked = (0..512)
            .filter(|_| {
                let is_asked = gate.admits(b"next", &best);
                if is_asked {
                    gate.tell(b"next", Verdict::Interesting);
                }
                is_asked
            })
            .count();
        // The second, fourth, eighth and sixteenth, and all after these.
        assert_eq!(asked, 4 + 512 - 16);
    }
}
