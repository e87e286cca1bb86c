//! Module tree of a crate: its modules, the items that each defines, and the paths by which they
//! name each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, Result};
use quote::ToTokens as _;
use syn::visit::Visit;
use syn::{Item, UseTree, Visibility};

use crate::house::source::{RustFile, Token, Word, flatten, is_for_tests};

/// Imports may name imports; deeper than this, a path is not followed.
const MAX_DEPTH: usize = 16;

/// A path in the source, such as `crate::list::Halving`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPath {
    /// Identifiers between the colons.
    pub segments: Vec<String>,
    /// Offset of the first one in its file.
    pub offset: usize,
}

/// A name that a `use` brings into a module.
#[derive(Debug, Clone)]
pub struct Import {
    /// Path behind the name.
    pub path: NamedPath,
    /// Whether other modules may take the name from here: the `use` has a visibility.
    pub is_reexport: bool,
}

/// A module that is not for tests only.
#[derive(Debug)]
pub struct Module {
    /// Names of the modules above it, then its own; empty for the root.
    pub path: Vec<String>,
    /// Index of its file in the list that the tree was made from.
    pub file: usize,
    parent: Option<usize>,
    /// Modules below it by name, those for tests left out.
    children: BTreeMap<String, usize>,
    /// Names that it defines, modules left out.
    items: BTreeSet<String>,
    /// Names that a `use` brings in.
    pub imports: BTreeMap<String, Vec<Import>>,
    /// Modules of which a `use` with a star brings all names in.
    pub globs: Vec<Import>,
    /// Paths of two and more segments outside of `use`.
    pub inline_paths: Vec<NamedPath>,
    /// Names mentioned outside of `use`, each with the offset of its first mention.
    pub mentions: BTreeMap<String, usize>,
    /// Types that it defines, with their offsets.
    pub types: Vec<(String, usize)>,
}

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A module itself.
    Module(usize),
    /// An item, and the module that defines it.
    Item {
        /// Defining module.
        module: usize,
        /// Name of the item.
        name: String,
    },
}

/// All modules of a library or a program; the first is its root.
#[derive(Debug)]
pub struct ModuleTree {
    /// Modules, parents before children.
    pub modules: Vec<Module>,
}

impl ModuleTree {
    /// Reads the tree of modules below a root file, `src/lib.rs` say.
    ///
    /// # Errors
    /// A module without a file.
    pub fn read(files: &[RustFile], root: &Path) -> Result<Self> {
        let mut tree = Self {
            modules: Vec::new(),
        };
        let file = position(files, root)?;
        let folder = root.parent().unwrap_or(Path::new(""));
        let items = &files[file].syntax.items;
        let module = Module::read(Vec::new(), file, None, items);
        tree.add(files, module, folder, items)?;
        Ok(tree)
    }

    /// Adds a module and those below it. `folder` is where the files of its children are.
    fn add(
        &mut self,
        files: &[RustFile],
        module: Module,
        folder: &Path,
        items: &[Item],
    ) -> Result<usize> {
        let index = self.modules.len();
        let file = module.file;
        self.modules.push(module);
        for item in items {
            let Item::Mod(child) = item else { continue };
            if is_for_tests(&child.attrs) {
                continue;
            }
            let name = child.ident.to_string();
            let below = folder.join(&name);
            let mut path = self.modules[index].path.clone();
            path.push(name.clone());
            let mut contents: Vec<(usize, &[Item])> = Vec::new();
            if let Some((_, items)) = &child.content {
                contents.push((file, items));
            } else {
                for file in child_files(files, &files[file].path, folder, child)? {
                    contents.push((file, &files[file].syntax.items));
                }
            }
            for (file, items) in contents {
                let module = Module::read(path.clone(), file, Some(index), items);
                let added = self.add(files, module, &below, items)?;
                self.modules[index]
                    .children
                    .entry(name.clone())
                    .or_insert(added);
            }
        }
        Ok(index)
    }

    /// Follows a path from a module to the module or item that it names, through re-exports to the
    /// definition. Returns `None` for what other crates define.
    pub fn resolve(&self, from: usize, segments: &[String]) -> Option<Target> {
        self.resolve_within(from, segments, MAX_DEPTH)
    }

    fn resolve_within(&self, from: usize, segments: &[String], depth: usize) -> Option<Target> {
        let depth = depth.checked_sub(1)?;
        let mut module = from;
        let mut rest = segments;
        let mut is_anchored = false;
        while let Some((first, others)) = rest.split_first() {
            module = match first.as_str() {
                "crate" => 0,
                "self" => module,
                "super" => self.modules[module].parent?,
                _ => break,
            };
            is_anchored = true;
            rest = others;
        }
        if !is_anchored && !self.modules[from].knows(rest.first()?) {
            let globs = &self.modules[from].globs;
            return globs
                .iter()
                .find_map(|glob| self.resolve_through_glob(from, glob, rest, depth));
        }
        self.descend(module, rest, depth)
    }

    /// Follows `segments` from within `module`.
    fn descend(&self, module: usize, segments: &[String], depth: usize) -> Option<Target> {
        let Some((first, rest)) = segments.split_first() else {
            return Some(Target::Module(module));
        };
        let known = &self.modules[module];
        let child = known.children.get(first);
        if let Some(&child) = child.filter(|_| !rest.is_empty()) {
            return self.descend(child, rest, depth);
        }
        if known.items.contains(first) {
            return Some(Target::Item {
                module,
                name: first.clone(),
            });
        }
        if let Some(imports) = known.imports.get(first) {
            return imports.iter().find_map(|import| {
                let mut path = import.path.segments.clone();
                path.extend_from_slice(rest);
                // `use` of a name in itself, as `pub use list::list` is, must not be followed
                // twice.
                (path != segments).then(|| self.resolve_within(module, &path, depth))?
            });
        }
        if let Some(&child) = child {
            return Some(Target::Module(child));
        }
        known
            .globs
            .iter()
            .find_map(|glob| self.resolve_through_glob(module, glob, segments, depth))
            .or_else(|| {
                // A macro defines it.
                Some(Target::Item {
                    module,
                    name: first.clone(),
                })
            })
    }

    fn resolve_through_glob(
        &self,
        module: usize,
        glob: &Import,
        segments: &[String],
        depth: usize,
    ) -> Option<Target> {
        let Target::Module(target) = self.resolve_within(module, &glob.path.segments, depth)?
        else {
            return None;
        };
        let knows = self.modules[target].knows(segments.first()?);
        knows.then(|| self.descend(target, segments, depth))?
    }
}

impl Module {
    fn read(path: Vec<String>, file: usize, parent: Option<usize>, items: &[Item]) -> Self {
        let mut module = Self {
            path,
            file,
            parent,
            children: BTreeMap::new(),
            items: BTreeSet::new(),
            imports: BTreeMap::new(),
            globs: Vec::new(),
            inline_paths: Vec::new(),
            mentions: BTreeMap::new(),
            types: Vec::new(),
        };
        for item in items {
            if !is_for_tests(attributes(item)) && !matches!(item, Item::Mod(_)) {
                module.add_item(item);
            }
        }
        module
    }

    fn add_item(&mut self, item: &Item) {
        if let Item::Use(item) = item {
            let is_reexport = !matches!(item.vis, Visibility::Inherited);
            self.add_imports(&item.tree, &mut Vec::new(), is_reexport);
            return;
        }
        let name = match item {
            Item::Const(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            Item::Fn(item) => Some(&item.sig.ident),
            Item::Macro(item) => item.ident.as_ref(),
            Item::Static(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            Item::Union(item) => Some(&item.ident),
            _ => None,
        };
        if let Some(name) = name {
            self.items.insert(name.to_string());
            let is_type = !matches!(
                item,
                Item::Const(_) | Item::Fn(_) | Item::Macro(_) | Item::Static(_)
            );
            if is_type {
                let offset = name.span().byte_range().start;
                self.types.push((name.to_string(), offset));
            }
        }
        let mut nested = NestedUses(Vec::new());
        nested.visit_item(item);
        for tree in &nested.0 {
            self.add_imports(tree, &mut Vec::new(), false);
        }
        self.add_paths(&flatten(item.to_token_stream()));
    }

    fn add_imports(
        &mut self,
        tree: &UseTree,
        prefix: &mut Vec<(String, usize)>,
        is_reexport: bool,
    ) {
        let import = |mut names: Vec<(String, usize)>| {
            // `list::{self}` is `list`.
            if names.len() > 1 && names.last().is_some_and(|(name, _)| name == "self") {
                names.pop();
            }
            let offset = names.first().map_or(0, |&(_, offset)| offset);
            let segments = names.into_iter().map(|(name, _)| name).collect();
            let path = NamedPath { segments, offset };
            Import { path, is_reexport }
        };
        let named = |ident: &syn::Ident| (ident.to_string(), ident.span().byte_range().start);
        match tree {
            UseTree::Path(path) => {
                prefix.push(named(&path.ident));
                self.add_imports(&path.tree, prefix, is_reexport);
                prefix.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_imports(tree, prefix, is_reexport);
                }
            }
            UseTree::Glob(_) => self.globs.push(import(prefix.clone())),
            UseTree::Name(name) => {
                let mut names = prefix.clone();
                names.push(named(&name.ident));
                let import = import(names);
                let bound = import.path.segments.last().cloned().unwrap_or_default();
                self.imports.entry(bound).or_default().push(import);
            }
            UseTree::Rename(rename) => {
                let mut names = prefix.clone();
                names.push(named(&rename.ident));
                let bound = rename.rename.to_string();
                let imports = self.imports.entry(bound).or_default();
                imports.push(import(names));
            }
        }
    }

    /// Collects the paths and names of an item, those within macro calls included.
    fn add_paths(&mut self, tokens: &[Token]) {
        let is_colons = |index: usize| {
            matches!(tokens.get(index..index + 2), Some([a, b])
                if a.word == Word::Punct(':') && b.word == Word::Punct(':'))
        };
        let mut index = 0;
        while let Some(token) = tokens.get(index) {
            let Word::Ident(first) = &token.word else {
                index += 1;
                continue;
            };
            let next = tokens.get(index + 1).map(|next| &next.word);
            if first == "use" && matches!(next, Some(Word::Ident(_))) {
                // Its paths are imports.
                let is_end = |token: &Token| token.word == Word::Punct(';');
                index += tokens[index..]
                    .iter()
                    .take_while(|token| !is_end(token))
                    .count();
                continue;
            }
            let is_field = index > 0 && tokens[index - 1].word == Word::Punct('.');
            let is_tail = index > 1 && is_colons(index - 2);
            let mut segments = vec![first.clone()];
            let mut end = index + 1;
            while is_colons(end) {
                let Some(Word::Ident(segment)) = tokens.get(end + 2).map(|token| &token.word)
                else {
                    break;
                };
                segments.push(segment.clone());
                end += 3;
            }
            if !is_field && !is_tail {
                let offset = token.range.start;
                let is_type = first.starts_with(char::is_uppercase);
                let is_called = matches!(next, Some(Word::Punct('(' | '!' | ':')));
                if is_type || is_called {
                    self.mentions.entry(first.clone()).or_insert(offset);
                }
                if segments.len() > 1 {
                    self.inline_paths.push(NamedPath { segments, offset });
                }
            }
            index = end;
        }
    }

    fn knows(&self, name: &str) -> bool {
        self.items.contains(name)
            || self.children.contains_key(name)
            || self.imports.contains_key(name)
    }
}

/// Returns the files of `mod child;`: those that its `path` attributes name (one for each system),
/// or else the one below `folder` with its name. A file of another crate counts there only.
fn child_files(
    files: &[RustFile],
    parent: &Path,
    folder: &Path,
    child: &syn::ItemMod,
) -> Result<Vec<usize>> {
    let attributes = child
        .attrs
        .iter()
        .map(|attribute| attribute.to_token_stream().to_string());
    let named: Vec<PathBuf> = attributes
        .filter_map(|attribute| {
            let (_, path) = attribute.split_once("path = \"")?;
            let (path, _) = path.split_once('"')?;
            Some(parent.with_file_name(path))
        })
        .collect();
    if !named.is_empty() {
        let is_elsewhere =
            |path: &&PathBuf| path.components().any(|part| part == Component::ParentDir);
        let own = named.iter().filter(|path| !is_elsewhere(path));
        return own.map(|path| position(files, path)).collect();
    }
    let name = child.ident.to_string();
    let flat = folder.join(format!("{name}.rs"));
    let nested = folder.join(&name).join("mod.rs");
    Ok(vec![
        position(files, &flat).or_else(|_| position(files, &nested))?,
    ])
}

/// Finds the `use` declarations within function bodies.
struct NestedUses(Vec<UseTree>);

impl<'ast> Visit<'ast> for NestedUses {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.0.push(item.tree.clone());
    }
}

/// Returns the attributes of an item.
pub fn attributes(item: &Item) -> &[syn::Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn position(files: &[RustFile], path: &Path) -> Result<usize> {
    let matches = |file: &RustFile| file.path == path;
    files
        .iter()
        .position(matches)
        .with_context(|| format!("find the module file {}", PathBuf::from(path).display()))
}
