//! Import circles: files of a crate that name each other's items, directly or through others.

use std::collections::{BTreeMap, BTreeSet};

use crate::house::modules::{Import, Module, ModuleTree, NamedPath, Target};
use crate::house::source::RustFile;

/// A file that names an item of another file of its crate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Index of the file with the name.
    pub from: usize,
    /// Index of the file that defines the item.
    pub to: usize,
    /// Name of the item.
    pub name: String,
    /// Offset of the name in `from`.
    pub offset: usize,
}

/// Returns the edges between the files of a crate, one for each pair of files and name.
///
/// A file that mentions an item, in a `use` or in a path, has an edge to the file that defines the
/// item, not to those that re-export it. These are no edges: `mod child;`; the import of a module
/// by its name (the paths that start with it are); a `use` with a visibility, unless its own file
/// mentions the name too; and everything under `#[cfg(test)]`.
pub fn edges(tree: &ModuleTree) -> BTreeSet<Edge> {
    let mut found: BTreeMap<(usize, usize, String), usize> = BTreeMap::new();
    for (index, module) in tree.modules.iter().enumerate() {
        for (path, target) in targets(tree, index, module) {
            let (file, name) = match target {
                Target::Item { module, name } => (tree.modules[module].file, name),
                Target::Module(_) => continue,
            };
            if file != module.file {
                found
                    .entry((module.file, file, name))
                    .or_insert(path.offset);
            }
        }
        for glob in module.globs.iter().filter(|glob| !glob.is_reexport) {
            if let Some(Target::Module(target)) = tree.resolve(index, &glob.path.segments) {
                let file = tree.modules[target].file;
                if file != module.file {
                    let key = (module.file, file, "*".to_owned());
                    found.entry(key).or_insert(glob.path.offset);
                }
            }
        }
    }
    found
        .into_iter()
        .map(|((from, to, name), offset)| Edge {
            from,
            to,
            name,
            offset,
        })
        .collect()
}

/// Returns what the imports and the paths of a module lead to.
fn targets(tree: &ModuleTree, index: usize, module: &Module) -> Vec<(NamedPath, Target)> {
    let mut targets = Vec::new();
    for (name, imports) in &module.imports {
        let counts = |import: &&Import| !import.is_reexport || module.mentions.contains_key(name);
        for import in imports.iter().filter(counts) {
            let mut path = import.path.clone();
            if import.is_reexport {
                path.offset = module.mentions[name];
            }
            targets.extend(
                tree.resolve(index, &path.segments)
                    .map(|target| (path, target)),
            );
        }
    }
    for path in &module.inline_paths {
        let target = tree.resolve(index, &path.segments);
        targets.extend(target.map(|target| (path.clone(), target)));
    }
    targets
}

/// Returns the circles: sets of two and more files, each of which reaches all others along edges.
pub fn circles(edges: &BTreeSet<Edge>) -> Vec<BTreeSet<usize>> {
    let mut next: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for edge in edges {
        next.entry(edge.from).or_default().insert(edge.to);
    }
    let reachable: BTreeMap<usize, BTreeSet<usize>> = next
        .keys()
        .map(|&start| (start, reachable(&next, start)))
        .collect();
    let mut circles: BTreeSet<BTreeSet<usize>> = BTreeSet::new();
    for (start, ends) in &reachable {
        let returns = |end: &&usize| reachable.get(end).is_some_and(|back| back.contains(start));
        let circle: BTreeSet<usize> = ends.iter().filter(returns).copied().collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

fn reachable(next: &BTreeMap<usize, BTreeSet<usize>>, start: usize) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut waiting = vec![start];
    while let Some(file) = waiting.pop() {
        for &neighbour in next.get(&file).into_iter().flatten() {
            if seen.insert(neighbour) {
                waiting.push(neighbour);
            }
        }
    }
    seen
}

/// Describes a circle: a line with its files, then a line for each edge within it.
pub fn describe(
    files: &[RustFile],
    edges: &BTreeSet<Edge>,
    circle: &BTreeSet<usize>,
) -> Vec<String> {
    let names: Vec<String> = circle
        .iter()
        .map(|&file| files[file].path.display().to_string())
        .collect();
    let mut lines = vec![format!("{} files: {}", names.len(), names.join(", "))];
    let within = |edge: &&Edge| circle.contains(&edge.from) && circle.contains(&edge.to);
    for edge in edges.iter().filter(within) {
        lines.push(format!(
            "  {}: `{}` of {}",
            files[edge.from].place(edge.offset),
            edge.name,
            files[edge.to].path.display()
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::house::source::parse_example;

    /// Returns the edges of a crate as `from -> to: name`, and its circles.
    fn analyse(sources: &[(&str, &str)]) -> (Vec<String>, Vec<Vec<String>>) {
        let files: Vec<RustFile> = sources
            .iter()
            .map(|(path, text)| parse_example(path, text))
            .collect();
        let tree = ModuleTree::read(&files, Path::new("lib.rs")).unwrap();
        let edges = edges(&tree);
        let name = |file: usize| files[file].path.display().to_string();
        let circles = circles(&edges)
            .iter()
            .map(|circle| circle.iter().map(|&file| name(file)).collect())
            .collect();
        let edges = edges
            .iter()
            .map(|edge| format!("{} -> {}: {}", name(edge.from), name(edge.to), edge.name))
            .collect();
        (edges, circles)
    }

    #[test]
    fn an_edge_leads_to_the_definition_and_not_to_the_facade() {
        let (edges, circles) = analyse(&[
            ("lib.rs", "mod a; mod b; pub use a::A;"),
            ("a.rs", "pub struct A;"),
            ("b.rs", "use crate::A; fn f(_: A) { crate::a::g() }"),
        ]);
        assert_eq!(edges, ["b.rs -> a.rs: A", "b.rs -> a.rs: g"]);
        assert!(circles.is_empty());
    }

    #[test]
    fn a_parent_may_re_export_what_its_child_builds_on_it() {
        let child = ("part.rs", "use super::Whole; pub struct Part(Whole);");
        let facade = "mod part; pub use part::Part; pub struct Whole;";
        let (edges, circles) = analyse(&[("lib.rs", facade), child]);
        assert_eq!(edges, ["part.rs -> lib.rs: Whole"]);
        assert!(circles.is_empty());

        let user = "mod part; pub use part::Part; pub struct Whole; fn f(_: Part) {}";
        let (_, circles) = analyse(&[("lib.rs", user), child]);
        assert_eq!(circles, [["lib.rs", "part.rs"]]);
    }

    #[test]
    fn a_circle_may_have_many_files_and_pass_macros_and_module_aliases() {
        let (edges, circles) = analyse(&[
            ("lib.rs", "mod a; mod b; mod c; mod d;"),
            ("a.rs", "use crate::b; fn f() { println!(\"{}\", b::X); }"),
            (
                "b.rs",
                "pub const X: u8 = 1; fn f() { use crate::c::{g}; g(); }",
            ),
            ("c.rs", "pub fn g() { let _ = vec![super::a::f()]; }"),
            ("d.rs", "use crate::a::*;"),
        ]);
        assert_eq!(
            edges,
            [
                "a.rs -> b.rs: X",
                "b.rs -> c.rs: g",
                "c.rs -> a.rs: f",
                "d.rs -> a.rs: *"
            ]
        );
        assert_eq!(circles, [["a.rs", "b.rs", "c.rs"]]);
    }

    #[test]
    fn tests_and_other_crates_are_left_out() {
        let (edges, _) = analyse(&[
            (
                "lib.rs",
                "mod a; #[cfg(test)] mod b; use std::fs; fn f() { fs::read(\"\"); }",
            ),
            ("a.rs", "#[cfg(test)] mod tests { use crate::f; }"),
        ]);
        assert!(edges.is_empty());
    }
}
