//! Type names that a crate defines more than once.

use std::collections::BTreeMap;

use crate::house::modules::ModuleTree;
use crate::house::source::RustFile;

/// Names that several modules of a crate may define: crate, name, reason.
pub const ALLOWED: &[(&str, &str, &str)] = &[];

/// Returns a line for each type name (struct, enum, union, trait or alias at the level of modules,
/// tests left out) that the modules of a crate define more than once.
///
/// Modules with the same path stand for each other on different systems, so their types do not
/// clash.
pub fn duplicates(files: &[RustFile], crate_name: &str, trees: &[ModuleTree]) -> Vec<String> {
    let mut places: BTreeMap<&str, BTreeMap<(usize, &[String]), String>> = BTreeMap::new();
    for (tree_index, tree) in trees.iter().enumerate() {
        for module in &tree.modules {
            for (name, offset) in &module.types {
                let place = files[module.file].place(*offset);
                let key = (tree_index, module.path.as_slice());
                places.entry(name).or_default().insert(key, place);
            }
        }
    }
    let is_allowed = |name: &str| {
        ALLOWED
            .iter()
            .any(|(owner, allowed, _)| *owner == crate_name && *allowed == name)
    };
    places
        .into_iter()
        .filter(|(name, places)| places.len() > 1 && !is_allowed(name))
        .map(|(name, places)| {
            let places: Vec<String> = places.into_values().collect();
            format!("{crate_name}: `{name}`: {}", places.join(", "))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::house::source::parse_example;

    #[test]
    fn types_of_different_modules_clash_unless_the_modules_replace_each_other() {
        let text = "mod a { struct Twice; struct Once; }\nmod b { trait Twice {} }\n\
                    #[cfg(unix)] mod system { enum Kind {} }\n\
                    #[cfg(windows)] mod system { enum Kind {} }\n\
                    #[cfg(test)] mod tests { struct Once; }\n\
                    impl Iterator for X { type Once = u8; }\n";
        let files = [parse_example("lib.rs", text)];
        let tree = ModuleTree::read(&files, Path::new("lib.rs")).unwrap();
        assert_eq!(
            duplicates(&files, "x", &[tree]),
            ["x: `Twice`: lib.rs:1, lib.rs:2"]
        );
    }
}
