//! Facts about what is left of modules.

use std::sync::Arc;

use boildown_document::Document;
use boildown_search::Subset;
use boildown_search::tree::NodeId;
use proptest::prelude::*;
use wasmparser::{Parser, Payload, Validator, WasmFeatures};

use super::{ModuleUnits, of_binary};
use crate::testing::gate;
use crate::wasm::WasmText;

/// A module with items of every kind, as `wat2wasm` writes `module.wat`.
const MODULE: &[u8] = include_bytes!("../../../tests/fixtures/module.wasm");

fn document(bytes: &[u8], units: ModuleUnits) -> Document {
    let document = Document::new(&Arc::from(bytes), of_binary(units));
    assert!(document.is_module());
    document
}

#[track_caller]
fn assert_valid(bytes: &[u8], what: &str) {
    let mut validator = Validator::new_with_features(WasmFeatures::all());
    if let Err(error) = validator.validate_all(bytes) {
        panic!("{what}: {error}");
    }
}

/// Returns the number of entities of each kind that a module imports or defines.
fn counts(bytes: &[u8]) -> Vec<u32> {
    let mut counts = vec![0; 12];
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.expect("the module can be read") {
            Payload::TypeSection(section) => counts[0] = section.count(),
            Payload::ImportSection(section) => counts[1] = section.count(),
            Payload::FunctionSection(section) => counts[2] = section.count(),
            Payload::ExportSection(section) => counts[3] = section.count(),
            Payload::DataSection(section) => counts[4] = section.count(),
            Payload::ElementSection(section) => counts[5] = section.count(),
            _ => {}
        }
    }
    counts
}

#[test]
fn all_tokens_give_the_module_back() {
    for units in [ModuleUnits::Items, ModuleUnits::Instructions] {
        let document = document(MODULE, units);
        let all = Subset::full(document.len());
        assert_eq!(document.render(&all), MODULE);
    }
}

#[test]
fn without_its_tokens_a_module_is_empty() {
    let document = document(MODULE, ModuleUnits::Instructions);
    let all = Subset::full(document.len());
    let none = all.without([0..document.len()]);
    assert_eq!(document.render(&none), b"\0asm\x01\0\0\0");
}

#[test]
fn a_function_is_deleted_with_its_calls_and_the_others_get_new_indices() {
    let document = document(MODULE, ModuleUnits::Items);
    let tree = document.tree();
    let all = Subset::full(document.len());
    let sections: Vec<NodeId> = tree.children(NodeId::ROOT).collect();
    let code = sections.iter().copied().max_by_key(|&section| {
        // The section whose items have a shell and a body each.
        let two = |&item: &NodeId| tree.nodes[item].tokens().len() == 2;
        tree.children(section).filter(two).count()
    });
    let functions: Vec<NodeId> = tree.children(code.unwrap()).collect();
    assert_eq!(functions.len(), 6);
    for function in functions {
        let rest = document.render(&all.without([tree.nodes[function].tokens()]));
        assert_valid(&rest, "without a function");
        assert_eq!(counts(&rest)[2], 5);
    }
}

#[test]
fn a_module_that_is_not_valid_can_be_read_and_written() {
    // The body of the first function: `global.set` of a global that there is not.
    let mut bytes = MODULE.to_vec();
    let body = [0x41, 0x0c, 0x24, 0x01];
    let at = bytes.windows(4).position(|window| window == body).unwrap();
    bytes[at + 3] = 0x55;
    let document = document(&bytes, ModuleUnits::Instructions);
    let all = Subset::full(document.len());
    assert_eq!(document.render(&all), bytes);
    for token in 0..document.len() {
        let rest = document.render(&all.without([token..token + 1]));
        assert!(rest.starts_with(b"\0asm"), "without token {token}");
    }
}

proptest! {
    #[test]
    fn mutated_modules_are_read_and_written_back(
        edits in proptest::collection::vec((0..MODULE.len(), any::<u8>()), 1..4),
        kept in proptest::collection::vec(any::<bool>(), 64),
    ) {
        let mut bytes = MODULE.to_vec();
        for (at, byte) in edits {
            bytes[at] = byte;
        }
        for units in [ModuleUnits::Items, ModuleUnits::Instructions] {
            let document = Document::new(&bytes.as_slice().into(), of_binary(units));
            let all = Subset::full(document.len());
            prop_assert_eq!(&document.render(&all), &bytes);
            let gone = (0..document.len()).filter(|token| !kept[token % kept.len()]);
            let rest = document.render(&all.without(gone.map(|token| token..token + 1)));
            prop_assert!(rest.len() < 16 * bytes.len());
        }
    }
}

#[test]
fn each_feature_of_a_compiler_can_go() {
    let features = b"\x0ftarget_features\x02+\x04simd+\x08sign-ext";
    let mut module = b"\0asm\x01\0\0\0".to_vec();
    module.extend([0, u8::try_from(features.len()).expect("a short section")]);
    module.extend(features);
    let document = document(&module, ModuleUnits::Items);
    let all = Subset::full(document.len());
    assert_eq!(document.render(&all), module);
    let rests = (0..document.len()).map(|token| document.render(&all.without([token..token + 1])));
    let rests: Vec<Vec<u8>> = rests.collect();
    let with = |features: &[u8]| {
        let mut rest = b"\0asm\x01\0\0\0\0".to_vec();
        rest.push(u8::try_from(features.len() + 17).expect("a short section"));
        rest.extend([b"\x0ftarget_features\x01", features].concat());
        rest
    };
    assert!(rests.contains(&with(b"+\x04simd")));
    assert!(rests.contains(&with(b"+\x08sign-ext")));
    assert!(rests.contains(&b"\0asm\x01\0\0\0".to_vec()), "the section");
    // A list that cannot be read goes as one.
    let broken = [&module[..module.len() - 1], b"\xff"].concat();
    let document = Document::new(&Arc::from(broken), of_binary(ModuleUnits::Items));
    assert!(!document.is_module() || document.len() == 1);
}

#[test]
fn a_module_of_webassembly_stays_valid() {
    let best: Arc<[u8]> = b"(module (func (param i32) local.get 0 drop))"
        .as_slice()
        .into();
    let mut gate = gate(&WasmText, &best);
    assert!(gate.admits(b"(module (func (param i32)))", &best));
    assert!(!gate.admits(b"(module (func local.get 0 drop))", &best));
    let mut samples = (0..128).map(|_| gate.admits(b"(module", &best));
    assert!(samples.any(|is_admitted| is_admitted), "no sample");
}
