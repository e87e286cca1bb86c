//! Writing variables and functions, and what mentions them from outside.

use std::collections::BTreeMap;
use std::ops::Range;

use boildown_document::writable_module::is_kept;

use super::{IrWriter, OpenFunction};
use crate::llvm::view::module::{IrDefinition, IrLocal, IrModule, IrSort, number_of};
use crate::llvm::view::words::{WordSort, words};

impl IrModule {
    /// Leaves out the definitions that mean nothing unless another one mentions them: types,
    /// metadata, groups of attributes and of sections, and declarations that something mentioned.
    pub(super) fn leave_out_unmentioned(&self, texts: &mut [Option<Vec<u8>>]) {
        let is_passive = |definition: &IrDefinition| match definition.sort {
            IrSort::Type | IrSort::Metadata => true,
            IrSort::Declaration(_) => definition.is_mentioned,
            IrSort::Other => definition.name.is_some_and(|name| {
                matches!(self.sort(name), WordSort::Attributes | WordSort::Comdat)
            }),
            _ => false,
        };
        let is_root = |index: &usize| !is_passive(&self.definitions[*index]);
        let mut waiting: Vec<usize> = (0..texts.len()).filter(is_root).collect();
        let mut is_live = vec![false; texts.len()];
        for &root in &waiting {
            is_live[root] = true;
        }
        while let Some(index) = waiting.pop() {
            let Some(text) = &texts[index] else {
                continue;
            };
            for word in words(text) {
                let mut name = text[word.bytes].to_vec();
                if &*name == b"comdat"
                    && let Some(of) = self.definitions[index].name
                {
                    // The group has the name of the definition.
                    name = [b"$", &self.text(of)[1..]].concat();
                }
                if let Some(&named) = self.names.get(&*name)
                    && !std::mem::replace(&mut is_live[named], true)
                {
                    waiting.push(named);
                }
            }
        }
        for (text, is_live) in texts.iter_mut().zip(is_live) {
            if !is_live {
                *text = None;
            }
        }
    }

    /// Numbers the variables and functions that have no names: their numbers have no gaps.
    pub(super) fn number_globals(&self, texts: &mut [Option<Vec<u8>>]) {
        let name = |definition: &IrDefinition| definition.name.map(|name| self.text(name));
        let left = self.definitions.iter().zip(&*texts);
        let left = left.filter(|(_, text)| text.is_some());
        let names = left.filter_map(|(definition, _)| name(definition));
        let numbered = names.filter(|name| name[0] == b'@' && number_of(name).is_some());
        let numbers: BTreeMap<&[u8], String> = numbered
            .enumerate()
            .map(|(number, name)| (name, format!("@{number}")))
            .collect();
        if numbers.iter().all(|(name, new)| *name == new.as_bytes()) {
            return;
        }
        for text in texts.iter_mut().flatten() {
            let mut out = Vec::with_capacity(text.len());
            let mut end = 0;
            for word in words(text) {
                if let Some(new) = numbers.get(&text[word.bytes.clone()]) {
                    out.extend_from_slice(&text[end..word.bytes.start]);
                    out.extend_from_slice(new.as_bytes());
                    end = word.bytes.end;
                }
            }
            out.extend_from_slice(&text[end..]);
            *text = out;
        }
    }
}

impl<'a> IrWriter<'a> {
    /// Writes the list of what the linker keeps, without what is deleted. An empty one is none.
    pub(super) fn used_globals(&mut self, words: Range<usize>, init: &Range<usize>) {
        let module = self.module;
        let elements = module.list(init.start).into_iter();
        let is_left = |element: &Range<usize>| !element.clone().any(|word| self.is_gone(word));
        let left: Vec<Range<usize>> = elements.filter(is_left).collect();
        let Some(length) = module.type_before(init.start).map(|start| start + 1) else {
            return self.words(words);
        };
        if left.is_empty() {
            return;
        }
        self.words(words.start..length);
        self.put(left.len().to_string().as_bytes());
        self.words(length + 1..init.start + 1);
        self.separated(&left);
        self.words(init.end - 1..words.end);
    }

    /// Writes the address of a block, or `null` if the block is not there.
    pub(super) fn block_address(&mut self, word: usize) {
        let list = self.module.list(word + 1);
        let block = match &list[..] {
            [function, block] => self.addressed_block(function.start, block.start),
            _ => None,
        };
        match block {
            Some(name) => {
                self.put(b"blockaddress(");
                self.put(self.module.text(list[0].start));
                self.put(b", ");
                self.put(&name);
                self.put(b")");
            }
            None => self.put(b"null"),
        }
    }

    /// Returns the name that a block of a function is written with.
    fn addressed_block(&mut self, name: usize, block: usize) -> Option<Vec<u8>> {
        let IrSort::Function(function) = &self.defined(name)?.sort else {
            return None;
        };
        let IrLocal::Block(block) = *function.locals.get(self.module.text(block))? else {
            return None;
        };
        if self.is_gone(name) || !is_kept(function.token, self.kept) {
            return None;
        }
        let is_open = |open: &OpenFunction<'_>| std::ptr::eq(open.function, function);
        let open = match self.addressed.take().filter(is_open) {
            Some(open) => open,
            None => self.open(function),
        };
        let (block, _) = open.flow.resolve(block, block)?;
        let name = &function.blocks[block].name;
        let written = match open.numbers.get(&**name) {
            Some(number) => format!("%{number}").into_bytes(),
            None => name.to_vec(),
        };
        let is_reached = open.flow.is_reached[block];
        self.addressed = Some(open);
        is_reached.then_some(written)
    }
}
