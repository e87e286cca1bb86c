//! Changes between real directories, and what becomes of them on the disk.
#![expect(
    clippy::unwrap_used,
    reason = "in helpers of tests too, a surprise is a failed test"
)]

mod trees;
mod workspaces;

use std::fs;
use std::path::{Path, PathBuf};

use boildown_changes::{ChangeTree, Configuration, Contents, State};
use boildown_search::Subset;
use tempfile::TempDir;

/// The name of a file, and its content before and after, where there is one.
type Pair<'a> = (&'a str, Option<&'a [u8]>, Option<&'a [u8]>);

/// Two directories, as states.
struct Two {
    root: TempDir,
    contents: Contents,
}

impl Two {
    fn new(files: &[Pair<'_>]) -> Self {
        let root = tempfile::tempdir().unwrap();
        for (dir, side) in [("old", 0), ("new", 1)] {
            fs::create_dir(root.path().join(dir)).unwrap();
            for (name, old, new) in files {
                if let Some(bytes) = [old, new][side] {
                    write(&root.path().join(dir).join(name), bytes);
                }
            }
        }
        let contents = Contents::default();
        Self { root, contents }
    }

    fn state(&self, dir: &str) -> State {
        self.contents
            .directory(&self.root.path().join(dir), &[])
            .unwrap()
    }

    fn tree(&self) -> ChangeTree {
        ChangeTree::between(&self.state("old"), &self.state("new"), &self.contents).unwrap()
    }

    fn made(&self, tree: &ChangeTree, elements: &Subset) -> Configuration {
        tree.configuration(elements, &self.contents)
            .unwrap()
            .unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}
