//! A temporary git repository.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use crate::env::{Finished, TestEnv};

/// A repository in the directory of an environment.
pub(crate) struct Repo {
    pub(crate) env: TestEnv,
}

impl Repo {
    pub(crate) fn new() -> Self {
        let repo = Self {
            env: TestEnv::new(),
        };
        repo.git(["init", "-q", "-b", "main"]);
        repo
    }

    /// Runs git without the user's configuration, and returns its output.
    #[track_caller]
    pub(crate) fn git<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> String {
        self.git_in("", args)
    }

    #[track_caller]
    pub(crate) fn git_in<A: AsRef<OsStr>>(
        &self,
        dir: &str,
        args: impl IntoIterator<Item = A>,
    ) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
            .args(["-c", "protocol.file.allow=always"])
            .args(args)
            .current_dir(self.env.path(dir))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.env.path("../home"))
            .env("GIT_AUTHOR_DATE", "2024-02-29T12:00:00Z")
            .env("GIT_COMMITTER_DATE", "2024-02-29T12:00:00Z")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    #[track_caller]
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.env.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Commits everything, and returns the hash of the commit.
    #[track_caller]
    pub(crate) fn commit(&self, title: &str) -> String {
        self.git(["add", "-A"]);
        self.git(["commit", "-q", "--allow-empty", "-m", title]);
        self.git(["rev-parse", "HEAD"]).trim().to_owned()
    }

    #[track_caller]
    pub(crate) fn script(&self, name: &str, body: &str) {
        let path = self.env.path(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[track_caller]
    pub(crate) fn changes<const N: usize>(&self, args: [&str; N]) -> Finished<'_> {
        self.env.run(std::iter::once("changes").chain(args))
    }

    pub(crate) fn read(&self, name: &str) -> String {
        self.env.read(name)
    }

    pub(crate) fn patch(&self) -> String {
        self.env.read("culprit.patch")
    }

    /// Returns the lines that the patch adds and deletes.
    pub(crate) fn changed(&self) -> Vec<String> {
        let patch = String::from_utf8_lossy(&self.env.bytes("culprit.patch")).into_owned();
        (patch.lines())
            .filter(|line| line.starts_with(['+', '-']))
            .filter(|line| !line.starts_with("+++") && !line.starts_with("---"))
            .map(str::to_owned)
            .collect()
    }

    /// Returns everything in the repository that must not change: refs, index, stash, hooks,
    /// configuration, files.
    pub(crate) fn possessions(&self) -> Vec<(String, Vec<u8>)> {
        let mut all = Vec::new();
        let mut pending = vec![self.env.path("")];
        while let Some(dir) = pending.pop() {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.file_name() == Some(OsStr::new(".boildown")) {
                    continue;
                }
                if path.is_dir() && !path.is_symlink() {
                    pending.push(path);
                } else if path.file_name() != Some(OsStr::new("culprit.patch")) {
                    let bytes = match fs::read_link(&path) {
                        Ok(target) => target.into_os_string().into_encoded_bytes(),
                        Err(_) => fs::read(&path).unwrap(),
                    };
                    all.push((path.to_string_lossy().into_owned(), bytes));
                }
            }
        }
        all.sort();
        all
    }
}

pub(crate) fn numbers(range: std::ops::Range<u32>) -> String {
    range.map(|number| format!("{number}\n")).collect()
}

/// Returns a repository of two commits; the second changes several files, and one line breaks the
/// test.
pub(crate) fn one_culprit() -> Repo {
    let repo = Repo::new();
    repo.write("a.txt", numbers(1..40));
    repo.write("b.txt", numbers(1..40));
    repo.write("src/c.txt", numbers(1..20));
    repo.script("test.sh", "! grep -q BAD a.txt");
    repo.commit("one");
    let a = numbers(1..40);
    repo.write(
        "a.txt",
        a.replace("\n3\n", "\nthree\n")
            .replace("\n20\n", "\nfine\nBAD\n")
            .replace("\n30\n", "\nthirty\n"),
    );
    repo.write("b.txt", numbers(1..40).replace("\n5\n", "\nfive\n"));
    repo.git(["mv", "src/c.txt", "src/d.txt"]);
    repo.commit("two");
    repo
}

/// A repository of scripts for a shell before and after a change, with comments before and after.
pub(crate) fn scripts(before: &[(&str, &str)], after: &[(&str, &str)], test: &str) -> Repo {
    let repo = Repo::new();
    repo.script("test.sh", test);
    for (name, text) in before {
        repo.write(name, text);
    }
    repo.commit("one");
    repo.write("notes.txt", "note\n");
    repo.commit("a note");
    for (name, text) in after {
        repo.write(name, text);
    }
    repo.commit("the change");
    repo.write("notes.txt", "another note\n");
    repo.commit("another note");
    repo
}
