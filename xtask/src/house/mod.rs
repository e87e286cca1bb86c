//! Figures of the source tree, each read off the parsed files, with the limits that they keep.

pub mod comments;
pub mod imports;
pub mod modules;
pub mod source;
pub mod types;
pub mod weight;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::checkout::{self, WrittenFile};
use modules::ModuleTree;
use source::RustFile;

/// Most lines of a file.
pub const MAX_FILE_LINES: usize = 800;

/// Enums that several formats use: a variant for one of them is a sign of a missing method.
const SHARED_ENUMS: [&str; 5] = ["View", "Method", "RewriteKind", "BuiltIn", "Split"];

/// Files that may be longer: a changelog grows with every release and is searched, not read.
const LONG_FILES: &[&str] = &["CHANGELOG.md"];

/// One figure of the source tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// What is counted.
    pub name: &'static str,
    /// The number, with its unit if it is no plain count.
    pub value: String,
    /// The largest number that is allowed, if there is a limit.
    pub limit: Option<usize>,
    /// Whether the limit is broken.
    pub is_broken: bool,
    /// A line for each thing counted, `file:line: …`.
    pub details: Vec<String>,
}

impl Figure {
    /// Makes a figure of a number that must not be above `limit`.
    fn limited(name: &'static str, value: usize, limit: usize, details: Vec<String>) -> Self {
        Self {
            name,
            value: value.to_string(),
            limit: Some(limit),
            is_broken: value > limit,
            details,
        }
    }

    /// Makes a figure without a limit.
    fn counted(name: &'static str, value: usize) -> Self {
        Self {
            name,
            value: value.to_string(),
            limit: None,
            is_broken: false,
            details: Vec::new(),
        }
    }

    /// Makes a figure without a limit that consists of parts.
    fn sum(name: &'static str, parts: &[(String, usize)]) -> Self {
        let details = parts.iter().map(|(part, count)| format!("{part}: {count}"));
        Self {
            details: details.collect(),
            ..Self::counted(name, parts.iter().map(|(_, count)| count).sum())
        }
    }

    /// Makes a figure that counts offenders, of which there must be none.
    fn none(name: &'static str, offenders: Vec<String>) -> Self {
        Self::limited(name, offenders.len(), 0, offenders)
    }
}

/// All parsed files of a checkout.
#[derive(Debug)]
pub struct House {
    root: PathBuf,
    written: Vec<WrittenFile>,
    rust: Vec<RustFile>,
    /// The libraries and programs of each package, by the package's name.
    trees: BTreeMap<String, Vec<ModuleTree>>,
}

impl House {
    /// Reads and parses the checkout at `root`.
    ///
    /// # Errors
    /// A file that cannot be read or is not Rust, a module without a file.
    pub fn read(root: &Path) -> Result<Self> {
        let written = checkout::written_files(root).context("read the checkout")?;
        let rust: Vec<RustFile> = written
            .iter()
            .filter(|file| file.has_extension("rs"))
            .map(RustFile::parse)
            .collect::<Result<_>>()?;
        let mut trees: BTreeMap<String, Vec<ModuleTree>> = BTreeMap::new();
        for file in &rust {
            let Some(package) = package_of_root(&file.path) else {
                continue;
            };
            let tree = ModuleTree::read(&rust, &file.path)?;
            trees.entry(package).or_default().push(tree);
        }
        Ok(Self {
            root: root.to_path_buf(),
            written,
            rust,
            trees,
        })
    }

    /// Returns the written files, of all kinds.
    pub fn written(&self) -> &[WrittenFile] {
        &self.written
    }

    /// Returns the parsed Rust files.
    pub fn rust(&self) -> &[RustFile] {
        &self.rust
    }

    /// Computes all figures.
    ///
    /// # Errors
    /// Cargo.lock cannot be read.
    pub fn figures(&self) -> Result<Vec<Figure>> {
        let mut figures = vec![
            self.import_circles(),
            Figure::none("comment lines over 100 columns", self.wide_comments()),
            Figure::none(
                "type names defined twice in a crate",
                self.duplicate_types(),
            ),
            Figure::none("files over 800 lines", self.long_files()),
            Figure::none(
                "languages compared by name in shared code",
                weight::compared_names(&self.rust),
            ),
        ];
        figures.extend(self.weight()?);
        Ok(figures)
    }

    /// Counts the import circles of all crates; see [`imports::edges`].
    pub fn import_circles(&self) -> Figure {
        let mut count = 0;
        let mut details = Vec::new();
        for tree in self.trees.values().flatten() {
            let edges = imports::edges(tree);
            for circle in imports::circles(&edges) {
                count += 1;
                details.extend(imports::describe(&self.rust, &edges, &circle));
            }
        }
        Figure::limited("import circles", count, 0, details)
    }

    /// Returns the comment lines that are too wide.
    pub fn wide_comments(&self) -> Vec<String> {
        self.rust.iter().flat_map(comments::wide_comments).collect()
    }

    /// Returns the type names that a crate defines more than once.
    pub fn duplicate_types(&self) -> Vec<String> {
        let duplicates =
            |(name, trees): (&String, &Vec<ModuleTree>)| types::duplicates(&self.rust, name, trees);
        self.trees.iter().flat_map(duplicates).collect()
    }

    /// Returns the files that are too long.
    pub fn long_files(&self) -> Vec<String> {
        let lines = |file: &WrittenFile| file.text.lines().count();
        self.written
            .iter()
            .filter(|file| !LONG_FILES.iter().any(|name| file.path.ends_with(name)))
            .filter(|file| lines(file) > MAX_FILE_LINES)
            .map(|file| format!("{}: {} lines", file.path.display(), lines(file)))
            .collect()
    }

    /// Counts lines with code, variants of shared enums, records and packages.
    ///
    /// # Errors
    /// Cargo.lock cannot be read.
    fn weight(&self) -> Result<Vec<Figure>> {
        let rust = &self.rust;
        let variants = weight::variants(rust, &SHARED_ENUMS);
        let is_record = |file: &&WrittenFile| {
            let name = file.path.file_name().unwrap_or_default().to_string_lossy();
            file.path.starts_with("docs/decisions")
                && name.starts_with(|c: char| c.is_ascii_digit())
        };
        let lock = fs::read_to_string(self.root.join("Cargo.lock")).context("read Cargo.lock")?;
        let packages = lock.lines().filter(|line| *line == "[[package]]").count();
        Ok(vec![
            Figure::sum(
                "lines with code: crates/",
                &weight::by_crate(rust, "crates"),
            ),
            Figure::sum(
                "lines with code: extras/",
                &weight::by_crate(rust, "extras"),
            ),
            Figure::sum(
                "lines with code: research/",
                &weight::by_crate(rust, "research"),
            ),
            Figure::sum("lines with code, by format", &weight::by_format(rust)),
            Figure::sum("variants of enums that formats share", &variants),
            Figure::counted(
                "records of decisions",
                self.written.iter().filter(is_record).count(),
            ),
            Figure::counted("packages in Cargo.lock", packages),
        ])
    }
}

/// Returns the name of the package whose library or program starts with this file.
fn package_of_root(path: &Path) -> Option<String> {
    let name = path.file_name()?;
    let folder = path.parent()?;
    let is_root = folder.ends_with("src") && (name == "lib.rs" || name == "main.rs");
    let package = folder.parent()?.file_name()?;
    is_root.then(|| package.to_string_lossy().into_owned())
}
