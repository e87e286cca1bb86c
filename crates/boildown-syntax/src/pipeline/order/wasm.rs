//! The order for modules of WebAssembly: items, instructions, then that of binaries.

use super::binary;
use crate::document::{ModuleUnits, View};
use crate::pipeline::pass::{Method, Pass, PassId, SmallestDeletion};

/// Returns whether an input begins like a module.
pub(super) fn is_module(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\0asm")
}

pub(super) fn order() -> Vec<Pass> {
    let items = View::Module(ModuleUnits::Items);
    let instructions = View::Module(ModuleUnits::Instructions);
    let tree = Method::Tree(SmallestDeletion::OneToken);
    let coarse = Method::Tree(SmallestDeletion::OneIn(100));
    let mut passes = vec![
        Pass::new(PassId::ModuleItems, items, tree),
        Pass::new(PassId::CoarseModule, instructions, coarse),
        Pass::new(PassId::Module, instructions, tree),
        Pass::new(PassId::ModuleNodes, instructions, Method::Nodes),
        Pass::new(PassId::ModuleTokens, instructions, Method::Window(1)),
    ];
    passes.extend(binary::order());
    passes
}
