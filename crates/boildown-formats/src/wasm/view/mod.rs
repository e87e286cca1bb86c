//! Modules of WebAssembly: their items and instructions, and any subset of them as a module.
//!
//! - `module.rs`, `body.rs`: reading, with the indices that everything mentions (`mentions.rs`)
//! - `layout.rs`: the tokens and nodes
//! - `link.rs`: which entities are left, and their new indices
//! - `write.rs`, `code.rs`, `names.rs`: writing what is kept
//! - `feature_list.rs`: the list of features that compilers write
//! - `text.rs`: modules in text, read as binaries and printed
//! - `printed.rs`: texts as binaries, and binaries as texts
//! - `script.rs`, `script_parts.rs`, `forms.rs`: scripts of several modules, with commands between
//!   them
//! - `unfolded.rs`: older blocks for exceptions, as the parser of texts knows them
//! - `older_types.rs`, `older_instructions.rs`: types of references in older encodings, and what is
//!   done with them
//! - `overwritten.rs`: edits that overwrite bytes and gain nothing
//! - `unread.rs`: takes the place of all that in builds without the feature

#[cfg(feature = "wasm")]
mod body;
#[cfg(feature = "wasm")]
mod code;
#[cfg(feature = "wasm")]
mod feature_list;
#[cfg(feature = "wasm")]
mod forms;
#[cfg(feature = "wasm")]
mod layout;
#[cfg(feature = "wasm")]
mod link;
#[cfg(feature = "wasm")]
mod mentions;
#[cfg(feature = "wasm")]
mod module;
#[cfg(feature = "wasm")]
mod names;
#[cfg(feature = "wasm")]
mod older_instructions;
#[cfg(feature = "wasm")]
mod older_types;
#[cfg(feature = "wasm")]
mod overwritten;
#[cfg(feature = "wasm")]
mod printed;
#[cfg(feature = "wasm")]
mod script;
#[cfg(feature = "wasm")]
mod script_parts;
#[cfg(all(test, feature = "wasm"))]
mod tests;
#[cfg(feature = "wasm")]
mod text;
#[cfg(feature = "wasm")]
mod unfolded;
mod units;
#[cfg(not(feature = "wasm"))]
mod unread;
#[cfg(feature = "wasm")]
mod write;

#[cfg(feature = "wasm")]
use layout::read;
#[cfg(feature = "wasm")]
pub(crate) use overwritten::is_overwritten;
#[cfg(feature = "wasm")]
use text::read_text;
#[cfg(feature = "wasm")]
pub(crate) use text::{is_valid, is_valid_text, without_brackets};
#[cfg(not(feature = "wasm"))]
pub(crate) use unread::{is_overwritten, is_valid, is_valid_text, without_brackets};
#[cfg(not(feature = "wasm"))]
use unread::{read, read_text};

pub(crate) use units::ModuleUnits;

use std::sync::Arc;

use boildown_document::{Document, FormatView, ReadUnits, View};

/// Returns the view of a module as a binary. Indices, lengths and types are made right.
pub(crate) const fn of_binary(units: ModuleUnits) -> View {
    View::Of(FormatView::new(match units {
        ModuleUnits::Items => &BinaryModules(ModuleUnits::Items),
        ModuleUnits::Instructions => &BinaryModules(ModuleUnits::Instructions),
    }))
}

/// Returns the view of a module in text. What is kept is written without comments, with
/// instructions one after another.
pub(crate) const fn of_text(units: ModuleUnits) -> View {
    View::Of(FormatView::new(match units {
        ModuleUnits::Items => &TextModules(ModuleUnits::Items),
        ModuleUnits::Instructions => &TextModules(ModuleUnits::Instructions),
    }))
}

/// Reads modules as binaries.
#[derive(Debug)]
struct BinaryModules(ModuleUnits);

impl ReadUnits for BinaryModules {
    fn name(&self) -> &'static str {
        match self.0 {
            ModuleUnits::Items => "items of WebAssembly",
            ModuleUnits::Instructions => "instructions of WebAssembly",
        }
    }

    fn read(&self, bytes: &Arc<[u8]>) -> Document {
        read(bytes, self.0)
    }
}

/// Reads modules in text.
#[derive(Debug)]
struct TextModules(ModuleUnits);

impl ReadUnits for TextModules {
    fn name(&self) -> &'static str {
        match self.0 {
            ModuleUnits::Items => "items of WebAssembly in text",
            ModuleUnits::Instructions => "instructions of WebAssembly in text",
        }
    }

    fn read(&self, bytes: &Arc<[u8]>) -> Document {
        read_text(bytes, self.0)
    }
}
