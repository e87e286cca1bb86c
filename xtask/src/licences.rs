//! The packages that the released program is made of, with their licences: for `boildown licences`,
//! for those who pass the program on, and as a bill of materials.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use crate::checkout;

/// The list that the program has in it, from the top of the checkout.
pub const LIST: &str = "crates/boildown/src/commands/licences.txt";

/// The program whose parts are listed, and the features and the system of its releases.
const PROGRAM: &str = "boildown";
const FEATURES: &str = "boildown/remote,boildown/lab,boildown/serve";
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// A package that is compiled into the program, or into a tool that builds it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    /// The name in the registry.
    pub name: String,
    /// The version.
    pub version: String,
    /// The licence as an SPDX expression.
    pub licence: String,
    authors: Vec<String>,
    repository: String,
    folder: PathBuf,
}

/// Returns the packages of the released program but its own, by name and version.
///
/// # Errors
/// Cargo fails, or a package states no licence.
pub fn packages() -> Result<Vec<Package>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(["--features", FEATURES, "--filter-platform", TARGET])
        .current_dir(checkout::root())
        .output()
        .context("start cargo")?;
    if !output.status.success() {
        bail!("cargo: {}", String::from_utf8_lossy(&output.stderr));
    }
    packages_of(&serde_json::from_slice(&output.stdout).context("read cargo's metadata")?)
}

/// Returns the packages below the program in what `cargo metadata` prints.
fn packages_of(metadata: &Value) -> Result<Vec<Package>> {
    let array = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let by_id = |values: Vec<Value>| -> BTreeMap<String, Value> {
        let pairs = values.into_iter().map(|value| (text(&value["id"]), value));
        pairs.collect()
    };
    let (nodes, packages) = (
        by_id(array(&metadata["resolve"]["nodes"])),
        by_id(array(&metadata["packages"])),
    );
    let program = packages.iter().find(|(_, it)| it["name"] == PROGRAM);
    let mut reached = BTreeSet::new();
    let mut open = vec![program.context("the program is no package")?.0.clone()];
    while let Some(id) = open.pop() {
        let dependencies = nodes.get(&id).map(|node| array(&node["deps"]));
        if !reached.insert(id) {
            continue;
        }
        let is_normal = |it: &Value| {
            array(&it["dep_kinds"])
                .iter()
                .any(|kind| kind["kind"].is_null())
        };
        let normal = dependencies
            .unwrap_or_default()
            .into_iter()
            .filter(is_normal);
        open.extend(normal.map(|dependency| text(&dependency["pkg"])));
    }
    let others = reached.iter().map(|id| &packages[id]);
    let others = others.filter(|package| !package["source"].is_null());
    let mut found = others.map(package).collect::<Result<Vec<_>>>()?;
    found.sort();
    Ok(found)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn package(package: &Value) -> Result<Package> {
    let name = text(&package["name"]);
    let stated = package["license"].as_str();
    let stated = stated.with_context(|| format!("`{name}` states no licence"))?;
    let manifest = PathBuf::from(text(&package["manifest_path"]));
    let authors = package["authors"].as_array().into_iter().flatten();
    Ok(Package {
        // An older way to write `OR`.
        licence: stated.replace(" / ", "/").replace('/', " OR "),
        version: text(&package["version"]),
        authors: authors.map(text).collect(),
        repository: text(&package["repository"]),
        folder: manifest.parent().unwrap_or(Path::new("")).to_owned(),
        name,
    })
}

/// Returns the list that the program prints, a line for each package.
#[must_use]
pub fn list(packages: &[Package]) -> String {
    let names = packages
        .iter()
        .map(|it| format!("{} {}", it.name, it.version));
    let widest = names.clone().map(|name| name.len()).max().unwrap_or(0);
    let lines = names.zip(packages);
    let lines = lines.map(|(name, it)| format!("{name:widest$}  {}\n", it.licence));
    lines.collect()
}

/// Returns the texts of all licences, each once, after the packages that have it.
///
/// # Errors
/// A folder of a package cannot be read.
pub fn texts(packages: &[Package]) -> Result<String> {
    let mut by_text: BTreeMap<String, Vec<&Package>> = BTreeMap::new();
    for package in packages {
        let files = licence_files(&package.folder)?;
        if files.is_empty() {
            let own = format!(
                "(The package has no text of its licence: {}.)",
                package.licence
            );
            by_text.entry(own).or_default().push(package);
        }
        for file in files {
            let text = fs::read(&file).with_context(|| file.display().to_string())?;
            let text = String::from_utf8_lossy(&text).replace("\r\n", "\n");
            by_text
                .entry(text.trim().to_owned())
                .or_default()
                .push(package);
        }
    }
    let mut texts: Vec<(Vec<&Package>, String)> = by_text
        .into_iter()
        .map(|(text, packages)| (packages, text))
        .collect();
    texts.sort();
    let mut page = String::new();
    for (packages, text) in texts {
        for package in packages {
            page += &format!("{} {}, {}", package.name, package.version, package.licence);
            let by = [package.authors.join(", "), package.repository.clone()];
            for part in by.iter().filter(|part| !part.is_empty()) {
                page += &format!(", {part}");
            }
            page.push('\n');
        }
        page += &format!("\n{text}\n\n{}\n\n", "-".repeat(80));
    }
    Ok(page)
}

/// Returns the files of a package that hold a licence or a notice.
fn licence_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_ascii_uppercase();
        let kinds = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];
        if kinds.iter().any(|kind| name.starts_with(kind)) && path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Returns the bill of materials of a version of the program, as `CycloneDX` 1.5.
#[must_use]
pub fn bill_of_materials(packages: &[Package], version: &str) -> Value {
    let components = packages.iter().map(|it| {
        let url = format!("pkg:cargo/{}@{}", it.name, it.version);
        json!({
            "type": "library",
            "bom-ref": url,
            "name": it.name,
            "version": it.version,
            "purl": url,
            "licenses": [{ "expression": it.licence }],
        })
    });
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": format!("pkg:cargo/{PROGRAM}@{version}"),
                "name": PROGRAM,
                "version": version,
                "licenses": [{ "expression": "MIT OR Apache-2.0" }],
            },
        },
        "components": components.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(licence: &Value) -> Value {
        let package = |id: &str, source: Value, licence: &Value| {
            json!({
                "id": id, "name": id, "version": "1.0.0", "source": source, "license": licence,
                "authors": [], "manifest_path": format!("/registry/{id}/Cargo.toml"),
            })
        };
        let edge = |id: &str, kind: Value| json!({ "pkg": id, "dep_kinds": [{ "kind": kind }] });
        let registry = json!("registry");
        json!({
            "packages": [
                package("boildown", Value::Null, &json!("MIT OR Apache-2.0")),
                package("near", registry.clone(), licence),
                package("far", registry.clone(), &json!("MIT/Apache-2.0")),
                package("for-tests", registry, &json!("GPL-3.0")),
            ],
            "resolve": { "nodes": [
                { "id": "boildown", "deps": [edge("near", Value::Null), edge("for-tests", json!("dev"))] },
                { "id": "near", "deps": [edge("far", Value::Null)] },
            ] },
        })
    }

    #[test]
    fn what_the_program_is_made_of_is_listed_and_what_tests_use_is_not() {
        let packages = packages_of(&metadata(&json!("ISC"))).unwrap();
        assert_eq!(
            list(&packages),
            "far 1.0.0   MIT OR Apache-2.0\nnear 1.0.0  ISC\n"
        );
        let bill = bill_of_materials(&packages, "0.1.0");
        assert_eq!(bill["components"][1]["purl"], "pkg:cargo/near@1.0.0");
    }

    #[test]
    fn a_package_without_a_licence_is_an_error() {
        let error = packages_of(&metadata(&Value::Null)).unwrap_err();
        assert_eq!(error.to_string(), "`near` states no licence");
    }

    #[test]
    fn a_text_that_packages_share_is_there_once() {
        let folder = tempfile::tempdir().unwrap();
        let package = |name: &str, text: Option<&str>| {
            let folder = folder.path().join(name);
            fs::create_dir(&folder).unwrap();
            if let Some(text) = text {
                fs::write(folder.join("LICENSE-MIT"), text).unwrap();
            }
            Package {
                name: name.to_owned(),
                version: "1.0.0".to_owned(),
                licence: "MIT".to_owned(),
                authors: Vec::new(),
                repository: String::new(),
                folder,
            }
        };
        let packages = [
            package("a", Some("As is.\r\n")),
            package("b", Some("As is.\n")),
            package("c", None),
        ];
        let page = texts(&packages).unwrap();
        assert_eq!(page.matches("As is.").count(), 1, "{page}");
        assert!(
            page.starts_with("a 1.0.0, MIT\nb 1.0.0, MIT\n\nAs is.\n"),
            "{page}"
        );
        assert!(
            page.contains("c 1.0.0, MIT\n\n(The package has no text"),
            "{page}"
        );
    }
}
