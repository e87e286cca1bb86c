//! Packages of Rust: those that cargo resolves, with manifests that need no registry.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toml::{Table, Value as Toml};

use super::args::VendorArgs;
use super::finder::{Finder, Package, output_of};
use crate::error::{CliError, ExitKind};
use crate::report::format::EscapedPath as _;

pub(super) const FINDER: Finder = Finder {
    knows: |input| input.join(MANIFEST).is_file(),
    find,
    finish,
};

const MANIFEST: &str = "Cargo.toml";

/// The folder for packages.
const FOLDER: &str = "vendor";

/// Sections of a manifest that name packages, or depend on such.
#[rustfmt::skip]
const REPLACED: &[&str] = &[
    "dependencies", "dev-dependencies", "build-dependencies", "target", "features", "patch",
    "replace", "bench", "test", "example", "lints",
];

/// What cargo resolved.
struct Resolved {
    metadata: Value,
    /// The folder of each package in the folder that is written, by its identity.
    places: BTreeMap<String, PathBuf>,
}

fn find(args: &VendorArgs) -> Result<Vec<Package>, CliError> {
    let resolved = Resolved::read(args)?;
    let packages = resolved.packages().filter_map(|package| {
        let target = resolved.place(package)?.to_owned();
        let source = Path::new(package["manifest_path"].as_str()?).parent()?;
        target.starts_with(FOLDER).then(|| Package {
            name: package["name"].as_str().unwrap_or_default().to_owned(),
            source: source.to_owned(),
            target,
        })
    });
    Ok(packages.collect())
}

/// Writes the manifests.
fn finish(args: &VendorArgs, folder: &Path) -> Result<(), CliError> {
    let resolved = Resolved::read(args)?;
    let failed = |path: &Path| {
        let what = format!("failed to write {}", path.escaped());
        move |error| CliError::new(ExitKind::CannotRun, what).because(error)
    };
    for package in resolved.packages() {
        let Some(place) = resolved.place(package) else {
            continue;
        };
        let path = folder.join(place).join(MANIFEST);
        let old = fs::read_to_string(&path).map_err(failed(&path))?;
        let old: Table = old
            .parse()
            .map_err(|error: toml::de::Error| CliError::unreadable(&path, error))?;
        let new = resolved.manifest(package, place, old).to_string();
        fs::write(&path, new).map_err(failed(&path))?;
        let lock = folder.join(place).join("Cargo.lock");
        // It names a registry.
        fs::remove_file(lock).ok();
    }
    Ok(())
}

impl Resolved {
    fn read(args: &VendorArgs) -> Result<Self, CliError> {
        let program = (args.program.as_deref()).unwrap_or(OsStr::new("cargo"));
        let manifest = args.input.join(MANIFEST);
        let words = ["metadata", "--format-version", "1", "--filter-platform"];
        let mut words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
        words.push(host(program)?.into());
        words.extend(["--manifest-path".into(), manifest.into_os_string()]);
        let hint = "cargo has to resolve and download the packages: `cargo fetch` does no more";
        let printed = output_of(program, &words, hint)?;
        let metadata: Value = serde_json::from_slice(&printed).map_err(|error| {
            CliError::new(ExitKind::CannotRun, "failed to read what cargo prints").because(error)
        })?;
        let input = fs::canonicalize(&args.input)
            .map_err(|error| CliError::unreadable(&args.input, error))?;
        Ok(Self {
            places: places(&metadata, &input),
            metadata,
        })
    }

    fn packages(&self) -> impl Iterator<Item = &Value> {
        self.metadata["packages"].as_array().into_iter().flatten()
    }

    fn place(&self, package: &Value) -> Option<&Path> {
        self.places
            .get(package["id"].as_str()?)
            .map(PathBuf::as_path)
    }

    /// Returns the manifest of a package with paths in place of versions, and with the
    /// features that are on.
    fn manifest(&self, package: &Value, place: &Path, old: Table) -> Table {
        let mut new = old;
        let is_own = !place.starts_with(FOLDER);
        new.retain(|section, _| match is_own {
            true => !REPLACED.contains(&section),
            false => section == "lib",
        });
        let text = |value: &Value| Toml::String(value.as_str().unwrap_or_default().to_owned());
        if !is_own {
            let mut about = Table::new();
            for key in ["name", "version", "edition"] {
                about.insert(key.to_owned(), text(&package[key]));
            }
            if let Some(links) = package["links"].as_str() {
                about.insert("links".to_owned(), Toml::String(links.to_owned()));
            }
            let targets = package["targets"].as_array().into_iter().flatten();
            let mut scripts = targets.filter(|target| target["kind"][0] == "custom-build");
            if let Some(script) = scripts
                .next()
                .and_then(|script| script["src_path"].as_str())
                && let Some(root) = package["manifest_path"].as_str().map(Path::new)
                && let Ok(script) = Path::new(script).strip_prefix(root.parent().unwrap_or(root))
            {
                let script = script.to_string_lossy().into_owned();
                about.insert("build".to_owned(), Toml::String(script));
            }
            new.insert("package".to_owned(), Toml::Table(about));
        }
        let nodes = self.metadata["resolve"]["nodes"].as_array();
        let mut nodes = nodes.into_iter().flatten();
        let Some(node) = nodes.find(|node| node["id"] == package["id"]) else {
            return new;
        };
        let features = node["features"].as_array().into_iter().flatten();
        let on: BTreeSet<&str> = features.filter_map(Value::as_str).collect();
        if !on.is_empty() {
            let others = on.iter().filter(|name| **name != "default");
            let default: Vec<Toml> = others
                .map(|name| Toml::String((*name).to_owned()))
                .collect();
            let empty = || Toml::Array(Vec::new());
            let mut table: Table = on
                .iter()
                .map(|name| ((*name).to_owned(), empty()))
                .collect();
            table.insert("default".to_owned(), Toml::Array(default));
            new.insert("features".to_owned(), Toml::Table(table));
        }
        let up: PathBuf = place.iter().map(|_| "..").collect();
        for used in node["deps"].as_array().into_iter().flatten() {
            let Some(package) = self.packages().find(|package| package["id"] == used["pkg"]) else {
                continue;
            };
            let Some(target) = self.place(package) else {
                continue;
            };
            let mut entry = Table::new();
            let path = up.join(target).to_string_lossy().into_owned();
            entry.insert("path".to_owned(), Toml::String(path));
            if package["name"] != used["name"] {
                entry.insert("package".to_owned(), text(&package["name"]));
            }
            let kinds = used["dep_kinds"].as_array().into_iter().flatten();
            let kinds: BTreeSet<&str> = kinds
                .map(|kind| kind["kind"].as_str().unwrap_or_default())
                .collect();
            for (kind, section) in [("", "dependencies"), ("build", "build-dependencies")] {
                let name = used["name"].as_str().unwrap_or_default();
                if kinds.contains(kind) {
                    let section = new
                        .entry(section)
                        .or_insert_with(|| Toml::Table(Table::new()));
                    if let Toml::Table(section) = section {
                        section.insert(name.to_owned(), Toml::Table(entry.clone()));
                    }
                }
            }
        }
        new
    }
}

/// Returns the folder of each package that the input needs.
fn places(metadata: &Value, input: &Path) -> BTreeMap<String, PathBuf> {
    let packages = || metadata["packages"].as_array().into_iter().flatten();
    let nodes = metadata["resolve"]["nodes"]
        .as_array()
        .into_iter()
        .flatten();
    // Not those that only tests need.
    let mut needed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for node in nodes {
        let used = node["deps"].as_array().into_iter().flatten();
        let used = used.filter(|used| {
            let mut kinds = used["dep_kinds"].as_array().into_iter().flatten();
            kinds.any(|kind| kind["kind"] != "dev")
        });
        let used = used.filter_map(|used| used["pkg"].as_str());
        needed.insert(node["id"].as_str().unwrap_or_default(), used.collect());
    }
    let is_member = |package: &&Value| {
        let mut members = metadata["workspace_members"]
            .as_array()
            .into_iter()
            .flatten();
        members.any(|member| *member == package["id"])
    };
    let mut open: Vec<&str> = packages()
        .filter(is_member)
        .filter_map(|package| package["id"].as_str())
        .collect();
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    while let Some(id) = open.pop() {
        if reached.insert(id) {
            open.extend(needed.get(id).into_iter().flatten());
        }
    }
    let mut places: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut taken: BTreeSet<PathBuf> = BTreeSet::new();
    for package in packages() {
        let (Some(id), Some(name)) = (package["id"].as_str(), package["name"].as_str()) else {
            continue;
        };
        let folder = package["manifest_path"].as_str().map(Path::new);
        let Some(folder) = folder
            .and_then(Path::parent)
            .filter(|_| reached.contains(id))
        else {
            continue;
        };
        let place = match folder.strip_prefix(input) {
            Ok(inside) => inside.to_owned(),
            Err(_) => {
                let version = package["version"].as_str().unwrap_or_default();
                let place = Path::new(FOLDER).join(name);
                match taken.insert(place.clone()) {
                    true => place,
                    false => Path::new(FOLDER).join(format!("{name}-{version}")),
                }
            }
        };
        places.insert(id.to_owned(), place);
    }
    places
}

/// Returns the platform that cargo builds for.
fn host(program: &OsStr) -> Result<String, CliError> {
    let hint = "install Rust, or name another cargo with --program";
    let printed = output_of(program, &["-vV".into()], hint)?;
    let printed = String::from_utf8_lossy(&printed);
    let host = printed.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.unwrap_or_default().to_owned())
}
