//! The share of a crate's source lines that stand below a folder.

use std::collections::BTreeSet;
use std::path::Path;

use quote::ToTokens as _;
use syn::Item;

use crate::house::modules::attributes;
use crate::house::source::{RustFile, is_for_tests};

/// Source lines of a crate: those in a folder of it, and all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// Lines in the folder.
    pub within: usize,
    /// Lines of the crate.
    pub all: usize,
}

impl Share {
    /// Returns the share in the folder in percent, rounded.
    pub fn percent(self) -> usize {
        (100 * self.within + self.all / 2)
            .checked_div(self.all)
            .unwrap_or(0)
    }
}

/// Counts the lines below `crate_folder` and `folder` that hold code: blank lines, comments and
/// items for tests are left out.
pub fn share(files: &[RustFile], crate_folder: &Path, folder: &Path) -> Share {
    let mut share = Share::default();
    for file in files
        .iter()
        .filter(|file| file.path.starts_with(crate_folder))
    {
        let lines = source_lines(file);
        share.all += lines;
        if file.path.starts_with(folder) {
            share.within += lines;
        }
    }
    share
}

fn source_lines(file: &RustFile) -> usize {
    let mut lines = BTreeSet::new();
    collect_lines(file, &file.syntax.items, &mut lines);
    lines.len()
}

fn collect_lines(file: &RustFile, items: &[Item], lines: &mut BTreeSet<usize>) {
    for item in items {
        if !is_for_tests(attributes(item)) {
            lines.extend(file.lines_of(item.to_token_stream()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::source::parse_example;

    #[test]
    fn only_lines_with_code_count() {
        let files = [
            parse_example(
                "c/src/lib.rs",
                "//! Doc.\n\nfn f() {\n    // Why.\n    g();\n}\n",
            ),
            parse_example(
                "c/src/l/a.rs",
                "/// Doc.\nstruct A;\n#[cfg(test)]\nmod tests {}\n",
            ),
            parse_example("d/src/lib.rs", "struct B;\n"),
        ];
        let share = share(&files, Path::new("c/src"), Path::new("c/src/l"));
        assert_eq!((share.within, share.all, share.percent()), (1, 4, 25));
    }
}
