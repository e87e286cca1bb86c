//! Operations in generic form, written in the form of their dialect: it has fewer words, and the
//! view knows the parameters of functions and the arguments of jumps in it.
//!
//! - `parts.rs`: the parts of an operation in generic form
//! - `functions.rs`: functions, global variables and loops, with their regions
//! - `forms.rs`: operations without regions

mod forms;
mod functions;
mod parts;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::module::MlirModule;
use parts::GenericParts;

/// Returns a module with the operations in generic form that have a known form of their own written
/// in that form; then, for each name of several, with only those of this name.
pub(crate) fn own_forms(bytes: &Arc<[u8]>) -> Vec<Vec<u8>> {
    let Some(module) = MlirModule::read(bytes) else {
        return Vec::new();
    };
    let (all, names) = OwnFormWriter::write(&module, None);
    let mut texts = Vec::new();
    if !names.is_empty() {
        texts.push(all);
    }
    if names.len() > 1 {
        let single = names.iter();
        texts.extend(single.map(|name| OwnFormWriter::write(&module, Some(name)).0));
    }
    texts
}

struct OwnFormWriter<'a> {
    module: &'a MlirModule,
    /// The only name whose operations are written in another form.
    only: Option<&'a [u8]>,
    /// The names of the operations that were.
    names: BTreeSet<&'a [u8]>,
    out: Vec<u8>,
}

impl<'a> OwnFormWriter<'a> {
    /// Returns the text, and the names of operations that are written in another form.
    fn write(module: &'a MlirModule, only: Option<&'a [u8]>) -> (Vec<u8>, BTreeSet<&'a [u8]>) {
        let mut writer = Self {
            module,
            only,
            names: BTreeSet::new(),
            out: Vec::new(),
        };
        for &operation in &module.top {
            writer.operation(operation);
        }
        let end = module.words.last().map_or(0, |last| last.bytes.end);
        writer.put(&module.bytes[end..]);
        (writer.out, writer.names)
    }

    fn put(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
    }

    /// Writes what stands before a word.
    fn gap(&mut self, word: usize) {
        self.put(self.module.gap(word));
    }

    fn word(&mut self, word: usize) {
        self.gap(word);
        let module = self.module;
        self.put(module.text(word));
    }

    /// Writes elements with commas between them.
    fn list(&mut self, elements: &[Range<usize>]) {
        let module = self.module;
        for (position, element) in elements.iter().enumerate() {
            self.put(if position > 0 { b", " } else { b"" });
            self.put(module.source(element.clone()));
        }
    }

    fn operation(&mut self, index: usize) {
        let module = self.module;
        let start = self.out.len();
        let name = module.name(index);
        if module.is_generic(index) && self.only.is_none_or(|only| only == name) {
            self.gap(module.operations[index].words.start);
            let parts = GenericParts::read(module, index);
            if parts.is_some_and(|parts| self.own_form(parts).is_some()) {
                self.names.insert(name);
                return;
            }
            self.out.truncate(start);
        }
        self.as_written(index);
    }

    /// Writes an operation in another form. `None` if that is not known.
    fn own_form(&mut self, mut parts: GenericParts<'a>) -> Option<()> {
        let module = self.module;
        let of = &module.operations[parts.operation];
        let results = module.source(of.words.start..of.name);
        if !results.is_empty() {
            self.put(results);
            self.put(b" ");
        }
        match of.regions.is_empty() && parts.region_count == 0 {
            true => self.plain(&mut parts),
            false => self.with_regions(&mut parts),
        }
    }

    fn as_written(&mut self, index: usize) {
        let of = &self.module.operations[index];
        let mut at = of.words.start;
        while at < of.words.end {
            let regions = &self.module.regions;
            let region = (of.regions.iter()).find(|&&region| regions[region].words.start == at);
            if let Some(&region) = region {
                self.gap(at);
                self.region(region, true);
                at = regions[region].words.end;
            } else {
                self.word(at);
                at += 1;
            }
        }
    }

    /// Writes a region. `has_label` says whether the label of the first block is written.
    fn region(&mut self, region: usize, has_label: bool) {
        let module = self.module;
        let of = &module.regions[region];
        self.put(b"{");
        for block in of.blocks.clone() {
            if has_label || block != of.blocks.start {
                module.blocks[block]
                    .label
                    .clone()
                    .for_each(|word| self.word(word));
            }
            for &operation in &module.blocks[block].operations {
                self.operation(operation);
            }
        }
        self.gap(of.words.end - 1);
        self.put(b"}");
    }
}
