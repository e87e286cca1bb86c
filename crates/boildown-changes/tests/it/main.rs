//! Changes between real directories and git repositories, and their effect on disk.
#![expect(
    clippy::unwrap_used,
    reason = "a failed step of a helper is a failed test"
)]

mod patches;
mod repositories;
mod transplants;
mod trees;
mod words;
mod workspaces;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use boildown_changes::{ChangeTree, Configuration, Contents, ObjectId, State};
use boildown_search::Subset;
use tempfile::TempDir;

/// The path of a file, and its content in the old and in the new directory.
type FilePair<'a> = (&'a str, Option<&'a [u8]>, Option<&'a [u8]>);

/// Two directories, `old` and `new`, and the contents of their files.
struct TwoDirectories {
    root: TempDir,
    contents: Contents,
}

impl TwoDirectories {
    fn new(files: &[FilePair<'_>]) -> Self {
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

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn state(&self, dir: &str) -> State {
        self.contents.directory_state(&self.path(dir), &[]).unwrap()
    }

    fn tree(&self) -> ChangeTree {
        ChangeTree::between(&self.state("old"), &self.state("new"), &self.contents).unwrap()
    }

    fn configuration(&self, tree: &ChangeTree, elements: &Subset) -> Configuration {
        tree.configuration(elements, &self.contents)
            .unwrap()
            .unwrap()
    }
}

/// A git repository in a temporary directory, made with the `git` command.
struct GitRepository {
    root: TempDir,
}

impl GitRepository {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let repository = Self { root };
        repository.git(&["init", "-q", "-b", "main"]);
        repository
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        write(&self.path(name), text.as_bytes());
    }

    fn git(&self, args: &[&str]) -> String {
        git_in(self.root.path(), args)
    }

    /// Commits everything in the work tree.
    fn commit(&self, title: &str) -> ObjectId {
        self.git(&["add", "--all"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", title]);
        self.head()
    }

    fn head(&self) -> ObjectId {
        self.git(&["rev-parse", "HEAD"]).parse().unwrap()
    }
}

/// Runs git without the configuration of the user, and returns what it prints.
fn git_in(dir: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "protocol.file.allow=always"])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CEILING_DIRECTORIES", dir.parent().unwrap())
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "Ada")))
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "ada@example.org")))
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_DATE"), "2021-11-03T12:00Z")))
        .current_dir(dir)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {stderr}");
    String::from_utf8(output.stdout)
        .unwrap()
        .trim_end()
        .to_owned()
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn make_executable(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Returns the id of a state: equal for equal files.
fn state_id(state: State) -> ObjectId {
    Configuration::from(state).id()
}

/// Returns the id of the files in a directory on disk, except for `.git`.
fn disk_id(dir: &Path) -> ObjectId {
    state_id(Contents::default().directory_state(dir, &[]).unwrap())
}

/// Returns the subset of these elements of a tree.
fn elements(tree: &ChangeTree, wanted: &[usize]) -> Subset {
    let removed = (0..tree.len()).filter(|element| !wanted.contains(element));
    Subset::full(tree.len()).without(removed.map(|element| element..element + 1))
}
