//! Packages of npm: those that manifests name, or files of an input without a manifest.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::args::VendorArgs;
use super::finder::{Finder, Package, files_of};
use crate::error::CliError;
use crate::report::format::EscapedPath as _;

pub(super) const FINDER: Finder = Finder {
    knows: |input| {
        input.join(MANIFEST).is_file() || input.is_file() && !files_of(input, ENDINGS).is_empty()
    },
    find,
    finish: |_, _| Ok(()),
};

const MANIFEST: &str = "package.json";

const INSTALLED: &str = "node_modules";

const ENDINGS: &[&str] = &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"];

fn find(args: &VendorArgs) -> Result<Vec<Package>, CliError> {
    let unreadable = |error| CliError::unreadable(&args.input, error);
    let input = fs::canonicalize(&args.input).map_err(unreadable)?;
    let folder = match input.is_dir() {
        true => input.as_path(),
        false => input.parent().unwrap_or(&input),
    };
    let mut open: Vec<(PathBuf, String, bool)> = Vec::new();
    match manifest(folder).filter(|_| input.is_dir()) {
        Some(manifest) => open.extend(needed(folder, &manifest)),
        None => {
            let text = fs::read_to_string(&input).map_err(unreadable)?;
            let names = names_in(&text).into_iter();
            open.extend(names.map(|name| (folder.to_owned(), name, false)));
        }
    }
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    let mut packages = Vec::new();
    while let Some((user, name, is_needed)) = open.pop() {
        let Some((base, source)) = installed(&user, &name) else {
            if is_needed {
                let what = format!("the package `{name}` is not installed");
                return Err(CliError::usage(what)
                    .because(format!("{} names it", user.join(MANIFEST).escaped()))
                    .hint("run `npm install` in the folder"));
            }
            continue;
        };
        if !seen.insert(source.clone()) {
            continue;
        }
        if let Some(manifest) = manifest(&source) {
            open.extend(needed(&source, &manifest));
        }
        // One of a folder above the input is at the top of the folder that is written.
        let inside = base.strip_prefix(folder).unwrap_or(Path::new(""));
        packages.push(Package {
            target: inside.join(INSTALLED).join(&name),
            name,
            source,
        });
    }
    packages.sort_by(|one, other| one.target.cmp(&other.target));
    Ok(packages)
}

fn manifest(folder: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(folder.join(MANIFEST)).ok()?).ok()
}

/// Returns the packages that a manifest names: its folder, their names, and whether each is needed.
fn needed(folder: &Path, manifest: &Value) -> Vec<(PathBuf, String, bool)> {
    let lists = [
        ("dependencies", true),
        ("peerDependencies", false),
        ("optionalDependencies", false),
    ];
    let optional = |name: &str| !manifest["optionalDependencies"][name].is_null();
    let names = lists.into_iter().flat_map(|(list, is_needed)| {
        let names = manifest[list].as_object().into_iter().flatten();
        names.map(move |(name, _)| (name.clone(), is_needed))
    });
    let named = names.map(|(name, is_needed)| {
        let is_needed = is_needed && !optional(&name);
        (folder.to_owned(), name, is_needed)
    });
    named.collect()
}

/// Returns the names in quotes that may be those of packages: `a` of `a/b`, `@a/b` of `@a/b/c`.
fn names_in(text: &str) -> BTreeSet<String> {
    let quoted = text.split(['"', '\'', '`']);
    let names =
        quoted.filter(|name| !name.starts_with(['.', '/']) && !name.contains(char::is_whitespace));
    let names = names.filter_map(|name| {
        let parts = 1 + usize::from(name.starts_with('@'));
        let name: Vec<&str> = name.split('/').take(parts).collect();
        (!name[0].is_empty()).then(|| name.join("/"))
    });
    names.collect()
}

/// Returns where the package that a folder gets by a name is: the folder with `node_modules`, and
/// the package.
fn installed(user: &Path, name: &str) -> Option<(PathBuf, PathBuf)> {
    let parts = Path::new(name).components();
    let is_name = parts
        .clone()
        .all(|part| matches!(part, Component::Normal(_)))
        && parts.count() == 1 + usize::from(name.starts_with('@'));
    if !is_name {
        return None;
    }
    user.ancestors().find_map(|base| {
        let package = base.join(INSTALLED).join(name);
        package.is_dir().then(|| (base.to_owned(), package))
    })
}
