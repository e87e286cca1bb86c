//! Lengths of functions.

use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Block, Ident, Signature};

use crate::house::source::{RustFile, is_for_tests};

/// Most lines of a function, its signature included.
pub const MAX_LINES: usize = 80;

/// Functions that may be longer because their body is one table: file, name, reason.
pub const ALLOWED: &[(&str, &str, &str)] = &[];

/// Returns a line for each function of a file that is longer than [`MAX_LINES`]; functions for
/// tests are left out.
pub fn long_functions(file: &RustFile) -> Vec<String> {
    let mut finder = Finder {
        file,
        found: Vec::new(),
    };
    finder.visit_file(&file.syntax);
    finder.found
}

struct Finder<'a> {
    file: &'a RustFile,
    found: Vec<String>,
}

impl Finder<'_> {
    fn check(&mut self, signature: &Signature, block: &Block) {
        let start = signature.span().byte_range().start;
        let end = block.span().byte_range().end;
        let lines = self.file.line(end) - self.file.line(start) + 1;
        if lines > MAX_LINES && !self.is_allowed(&signature.ident) {
            let place = self.file.place(start);
            let name = &signature.ident;
            self.found
                .push(format!("{place}: `{name}` has {lines} lines"));
        }
    }

    fn is_allowed(&self, name: &Ident) -> bool {
        ALLOWED
            .iter()
            .any(|(path, allowed, _)| self.file.path.ends_with(path) && name == allowed)
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_for_tests(&item.attrs) {
            self.check(&item.sig, &item.block);
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.check(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.check(&item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::source::parse_example;

    #[test]
    fn functions_and_methods_count_and_tests_do_not() {
        let lines = "    g();\n".repeat(MAX_LINES - 1);
        let text = format!(
            "/// Doc.\nfn long() {{\n{lines}}}\nfn short() {{}}\nimpl A {{ fn method() {{\n{lines}}} }}\n\
             #[cfg(test)] mod tests {{ fn helper() {{\n{lines}}} }}\n#[test] fn t() {{\n{lines}}}\n"
        );
        let found = long_functions(&parse_example("a.rs", &text));
        assert_eq!(
            found,
            [
                "a.rs:2: `long` has 81 lines",
                "a.rs:84: `method` has 81 lines"
            ]
        );
    }
}
