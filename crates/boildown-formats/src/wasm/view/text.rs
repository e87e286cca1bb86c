//! Modules in text. They are read as binaries, and what is kept of them is printed.
//!
//! So an index in the text is renumbered as in a binary, whether it is a number or a name, and an
//! instruction may be followed by its operands in brackets or come after them.

use std::sync::Arc;

use boildown_document::{Document, module_layout::no_module, writable_module::WritableModule};

use super::layout;
use super::module::Module;
use super::printed::{InstructionForm, binary, in_sequence, print};
use super::script;
use super::units::ModuleUnits;

/// A module that was read from a text.
#[derive(Debug)]
struct PrintedModule {
    text: Arc<[u8]>,
    module: Module,
    form: InstructionForm,
}

/// Reads a module in text, or a script of them; an input that is none becomes a single token.
pub(crate) fn read_text(bytes: &Arc<[u8]>, units: ModuleUnits) -> Document {
    let module = binary(bytes).and_then(|binary| Module::read(&binary.into()));
    let Some(module) = module else {
        return script::read(bytes, units).unwrap_or_else(|| no_module(bytes));
    };
    let (module, mut document) = layout::document(module, units);
    // What is known is the place of a token in the binary. Its share of the text is about the same.
    layout::place_in_text(
        &mut document.tokens,
        &(0..module.bytes.len()),
        &(0..bytes.len()),
    );
    let text = Arc::clone(bytes);
    let form = InstructionForm::of(bytes);
    document.of_module(bytes, PrintedModule { text, module, form })
}

/// Returns whether a binary is a valid module.
pub(crate) fn is_valid(bytes: &[u8]) -> bool {
    Module::is_valid(bytes)
}

/// Returns whether a text is a valid module, or a script of them.
pub(crate) fn is_valid_text(text: &[u8]) -> bool {
    match binary(text) {
        Some(binary) => Module::is_valid(&binary),
        None => script::is_valid(text),
    }
}

/// Returns a module with its instructions one after another, if they are in brackets.
pub(crate) fn without_brackets(text: &[u8]) -> Option<Vec<u8>> {
    let printed = in_sequence(text)?;
    Some(match is_whole_module(text) {
        true => printed,
        false => without_module(&printed),
    })
}

/// Returns whether a text is a module, and not only the fields of one.
fn is_whole_module(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"(module")
}

impl WritableModule for PrintedModule {
    fn write(&self, kept: &[bool]) -> Vec<u8> {
        let text = print(&self.module.write(kept), self.form).unwrap_or_default();
        match is_whole_module(&self.text) {
            true => text,
            false => without_module(&text),
        }
    }

    fn accepts(&self, candidate: &[u8]) -> bool {
        binary(candidate).is_some_and(|binary| self.module.accepts(&binary))
    }
}

/// Returns the fields of a printed module, which stand for it where nothing else follows.
fn without_module(text: &[u8]) -> Vec<u8> {
    let inside = text.strip_prefix(b"(module\n").unwrap_or_default();
    let Some(inside) = inside
        .strip_suffix(b")\n")
        .or_else(|| inside.strip_suffix(b")"))
    else {
        return text.to_vec();
    };
    let lines = inside.split_inclusive(|&byte| byte == b'\n');
    lines
        .flat_map(|line| line.strip_prefix(b"  ").unwrap_or(line))
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use boildown_document::module_checks::{
        assert_anything_is_written, assert_given_back, assert_has, edits, without_units,
    };
    use proptest::prelude::*;

    use super::super::of_text;
    use super::*;

    const VIEW: boildown_document::View = of_text(ModuleUnits::Instructions);

    /// Indices are numbers; instructions are in brackets and in sequence.
    const NUMBERS: &str = r#"(module
  (type (;0;) (func (param i32) (result i32)))
  (import "a" ";;b\"" (func (type 0)))
  (func (;1;) (type 0) (i32.add (local.get 0) (i32.const 1)))
  (func (;2;) (type 0)
    block ;; label = @1
      br 0 (;@1;)
    end
    local.get 0
    call 1)
  (memory 1)
  (data (i32.const 8) "(; no comment ;)")
  (export "c" (func 2)))
"#;

    /// Indices are names.
    const NAMES: &str = r#"(module $m
  (import "a" "b" (func $first (param i32)))
  (func $second (export "e") (param $p i64) (result i64) (local.get $p))
  (func $third (call $first (i32.const 3)) (drop (call $second (i64.const 4)))))
"#;

    #[test]
    fn instructions_stay_in_brackets() {
        let text = "(module (func (nop)) (func (drop (i32.const 1))))";
        let rest = without_all_that_can_go(text, &["1"]);
        assert!(rest.contains("(i32.const 1)"), "{rest}");
    }

    /// Returns the module without the tokens for which a candidate has none of these texts.
    fn without_all_that_can_go(text: &str, needed: &[&str]) -> String {
        let document = Document::new(&text.as_bytes().into(), VIEW);
        let mut gone: Vec<usize> = Vec::new();
        for token in 0..document.len() {
            let cuts = gone.iter().chain([&token]).map(|&at| at..at + 1);
            let rest = without_units(&document, cuts);
            if needed.iter().all(|needed| rest.contains(needed)) {
                assert!(is_valid_text(rest.as_bytes()), "{rest}");
                gone.push(token);
            }
        }
        without_units(&document, gone.iter().map(|&at| at..at + 1))
    }

    #[test]
    fn all_tokens_give_the_module_back() {
        assert_given_back(VIEW, NUMBERS);
        assert_given_back(VIEW, NAMES);
        assert_given_back(VIEW, SCRIPT);
    }

    #[test]
    fn indices_in_a_text_are_renumbered() {
        let rest = without_all_that_can_go(NUMBERS, &["call", "i32.add"]);
        assert_has(&rest, &["call 0", "i32.add"]);
        assert!(!rest.contains("import"), "{rest}");
    }

    #[test]
    fn names_are_left() {
        let rest = without_all_that_can_go(NAMES, &["call $second"]);
        assert_has(&rest, &["(func $second", "call $second"]);
        assert!(!rest.contains("first"), "{rest}");
    }

    #[test]
    fn a_vector_that_is_gone_becomes_a_short_one() {
        let text = r#"(module (memory 1)
  (func (export "e") (param i32)
    (v128.store (local.get 0) (i8x16.abs (v128.load (local.get 0))))))
"#;
        let rest = without_all_that_can_go(text, &["v128.store"]);
        assert_has(&rest, &["i8x16.splat"]);
        assert!(!rest.contains("v128.const"), "{rest}");
    }

    #[test]
    fn types_are_defined_by_functions() {
        let text = r#"(module (memory 1)
  (func (param i32 i32) (result i64) (i32.store (local.get 0) (local.get 1)) i64.const 1))
"#;
        let rest = without_all_that_can_go(text, &["i32.store"]);
        assert!(!rest.contains("(type "), "{rest}");
        assert!(!rest.contains("(result "), "{rest}");
        assert!(rest.len() < text.len(), "{rest}");
    }

    #[test]
    fn fields_without_a_module_are_printed_alone() {
        let text = "(func (param i32) (result i32) (local.get 0) drop (i32.const 1))";
        let rest = without_all_that_can_go(text, &["drop"]);
        assert!(rest.starts_with("(func"), "{rest}");
        assert!(!rest.contains("param"), "{rest}");
    }

    #[test]
    fn types_that_something_else_mentions_are_left() {
        for text in [
            "(module (type (func)) (table 1 funcref) (func i32.const 0 call_indirect (type 0) nop))",
            "(module (type (func)) (tag (type 0)) (func nop))",
            "(module (import \"(type \" \"b\" (func (param i32))) (func nop))",
        ] {
            let binary = binary(text.as_bytes()).expect("a module");
            let printed = print(&binary, InstructionForm::Sequence).expect("a text");
            let printed = String::from_utf8(printed).expect("a text");
            assert!(printed.contains("\n  (type "), "{printed}");
            assert!(is_valid_text(printed.as_bytes()), "{printed}");
        }
    }

    #[test]
    fn strings_that_look_like_comments_are_left() {
        let rest = without_all_that_can_go(NUMBERS, &["(; no comment ;)", ";;b"]);
        assert_has(&rest, &["\"(; no comment ;)\"", "\";;b"]);
        assert!(!rest.contains("(;0;)"), "{rest}");
    }

    /// Commands between modules.
    const SCRIPT: &str = r#"(module $a
  (func (export "f") (param i32) (result i32) (i32.const 1))
  (func (export "g") nop))
(assert_return (invoke $a "f" (i32.const 7)) (i32.const 1))
(invoke "g")
(module $b (func (export "h")))
(register "b" $b)
"#;

    #[test]
    fn commands_of_a_script_go_with_the_exports_that_they_call() {
        let rest = without_all_that_can_go(SCRIPT, &["(invoke \"g\")"]);
        assert_has(&rest, &["(export \"g\""]);
        for gone in ["\"f\"", "assert_return", "$a", "$b", "register"] {
            assert!(!rest.contains(gone), "{rest}");
        }
    }

    #[test]
    fn commands_of_a_script_lose_the_arguments_of_parameters_that_are_gone() {
        let rest = without_all_that_can_go(SCRIPT, &["assert_return", "(i32.const 1))"]);
        assert_has(&rest, &["(invoke $a \"f\")", "(module $a"]);
    }

    #[test]
    fn a_script_is_valid_with_its_modules() {
        assert!(is_valid_text(SCRIPT.as_bytes()));
        assert!(is_valid_text(b"(module quote \"(func\") (module)"));
        for text in [
            "(module i32)",
            "(invoke \"f\")",
            "(module) (module i32)",
            "(module) i32",
        ] {
            assert!(!is_valid_text(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn what_is_neither_module_nor_script_is_one_token() {
        for text in ["", "(component)", "(module", "\u{e9}"] {
            let document = Document::new(&text.as_bytes().into(), VIEW);
            assert!(!document.is_module() && document.len() <= 1, "{text}");
        }
    }

    proptest! {
        #[test]
        fn anything_is_read_and_written_back(
            edits in edits(NUMBERS.len()),
            kept in proptest::collection::vec(any::<bool>(), 1..40),
        ) {
            assert_anything_is_written(VIEW, NUMBERS, &edits, &kept);
            assert_anything_is_written(VIEW, NAMES, &edits, &kept);
            assert_anything_is_written(VIEW, SCRIPT, &edits, &kept);
        }
    }
}
