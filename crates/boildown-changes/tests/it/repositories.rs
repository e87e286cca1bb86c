//! Git repositories: commits, states, the path through history, the work tree.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use boildown_changes::{ChangeTree, ChangeUnit, Contents, FileKind, Repository, State, Workspace};
use boildown_search::Subset;

use crate::{GitRepository, disk_id, elements, git_in, make_executable, state_id};

fn contents(repository: &GitRepository) -> Contents {
    Contents::with_repository(Repository::open(repository.root.path()).unwrap())
}

fn state_at(contents: &Contents, revision: &str) -> State {
    let repository = contents.repository().unwrap();
    let commit = repository.commit(revision).unwrap();
    repository.state(commit.id).unwrap()
}

fn text(contents: &Contents, state: &State, path: &str) -> String {
    let entry = state.get(&path.into()).unwrap();
    String::from_utf8(contents.read(entry.id).unwrap().to_vec()).unwrap()
}

#[test]
fn a_commit_is_found_by_its_revision_and_described() {
    let git = GitRepository::new();
    git.write("a", "1\n");
    let first = git.commit("add a\n\nwith a body");
    git.write("a", "2\n");
    let second = git.commit("change a");
    git.git(&["tag", "v1", "HEAD~1"]);
    let repository = Repository::open(&git.path("")).unwrap();
    let commit = repository.commit("v1").unwrap();
    assert_eq!(commit.id, first);
    assert_eq!(
        (
            &*commit.title,
            &*commit.author,
            &*commit.date,
            commit.parents.len()
        ),
        ("add a", "Ada", "2021-11-03", 0)
    );
    assert_eq!(commit.short(), first.to_string()[..10]);
    assert_eq!(repository.commit_by_id(second).unwrap().parents, [first]);
    assert!(!repository.is_shallow());
}

#[test]
fn a_revision_that_names_no_commit_is_an_error() {
    let git = GitRepository::new();
    git.write("a", "1\n");
    git.commit("add a");
    let repository = Repository::open(&git.path("")).unwrap();
    let message = |revision: &str| repository.commit(revision).unwrap_err().to_string();
    assert_eq!(
        message("nowhere"),
        "find the revision `nowhere`: there is no such commit, branch or tag here"
    );
    assert_eq!(
        message("HEAD:a"),
        "find the revision `HEAD:a`: it is not a commit"
    );
}

#[test]
fn a_directory_outside_any_repository_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let error = Repository::open(folder.path()).unwrap_err().to_string();
    assert!(error.starts_with("open the git repository of "), "{error}");
}

#[test]
fn a_state_has_all_kinds_of_files() {
    let module = GitRepository::new();
    module.write("inner/file", "of the module\n");
    let module_head = module.commit("module");
    let git = GitRepository::new();
    git.write("dir/plain", "1\n");
    git.write("tool", "#!/bin/sh\n");
    make_executable(&git.path("tool"));
    symlink("dir/plain", git.path("link")).unwrap();
    let url = module.path("").to_str().unwrap().to_owned();
    git.git(&["submodule", "--quiet", "add", &url, "vendor"]);
    git.commit("all kinds");
    let contents = contents(&git);
    let state = state_at(&contents, "HEAD");
    let kind = |path: &str| state.get(&path.into()).unwrap().kind;
    assert_eq!(kind("dir/plain"), FileKind::Regular);
    assert_eq!(kind("tool"), FileKind::Executable);
    assert_eq!(kind("link"), FileKind::Symlink);
    assert_eq!(kind("vendor"), FileKind::Submodule);
    assert_eq!(state.get(&"vendor".into()).unwrap().id, module_head);
    assert_eq!(text(&contents, &state, "link"), "dir/plain");

    let folder = tempfile::tempdir().unwrap();
    let mut workspace = Workspace::create(folder.path().join("work")).unwrap();
    workspace.update(&state.into(), &contents).unwrap();
    let inner = workspace.root().join("vendor/inner/file");
    assert_eq!(fs::read_to_string(inner).unwrap(), "of the module\n");
}

#[test]
fn the_update_of_a_submodule_is_one_change() {
    let module = GitRepository::new();
    module.write("file", "old\n");
    module.commit("old");
    let git = GitRepository::new();
    let url = module.path("").to_str().unwrap().to_owned();
    git.git(&["submodule", "--quiet", "add", &url, "vendor"]);
    git.commit("with the module");
    module.write("file", "new\n");
    module.write("second", "x\n");
    let new_head = module.commit("new");
    git_in(&git.path("vendor"), &["pull", "-q", "origin", "main"]);
    git.commit("update the module");
    let contents = contents(&git);
    let (old, new) = (state_at(&contents, "HEAD~1"), state_at(&contents, "HEAD"));
    let tree = ChangeTree::between(&old, &new, &contents).unwrap();
    assert_eq!((tree.len(), &*tree.location(0)), (1, "vendor"));
    let updated = tree.configuration(&Subset::full(1), &contents).unwrap();
    let updated = updated.unwrap();
    assert_eq!(updated.get(&"vendor".into()).unwrap().id, new_head);
    let patch = boildown_changes::patch(&old.into(), &updated, &contents).unwrap();
    let patch = String::from_utf8(patch).unwrap();
    let line = format!("\n+Subproject commit {new_head}\n");
    assert!(patch.contains(&line), "{patch}");

    let folder = tempfile::tempdir().unwrap();
    let mut workspace = Workspace::create(folder.path().join("work")).unwrap();
    workspace
        .update(&tree.base().clone().into(), &contents)
        .unwrap();
    let file = workspace.root().join("vendor/file");
    assert_eq!(fs::read_to_string(&file).unwrap(), "old\n");
    workspace.update(&updated, &contents).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "new\n");
    assert!(workspace.root().join("vendor/second").exists());
}

#[test]
fn the_work_tree_is_tracked_files_and_untracked_files_that_are_not_ignored() {
    let git = GitRepository::new();
    git.write(".gitignore", "*.o\n/build/\n");
    git.write("tracked", "1\n");
    git.write("deleted", "x\n");
    git.commit("start");
    git.write("tracked", "2\n");
    fs::remove_file(git.path("deleted")).unwrap();
    git.write("dir/untracked", "new\n");
    git.write("a.o", "ignored");
    git.write("build/out", "ignored");
    git.write("result", "excluded");
    git.git(&["init", "-q", "nested"]);
    git.write("nested/file", "another repository");
    let contents = contents(&git);
    let excluded = [fs::canonicalize(git.path("result")).unwrap()];
    let state = contents.work_tree_state(&excluded).unwrap();
    let paths: Vec<String> = state.iter().map(|(path, _)| path.to_string()).collect();
    assert_eq!(paths, [".gitignore", "dir/untracked", "tracked"]);
    assert_eq!(text(&contents, &state, "tracked"), "2\n");
}

#[test]
fn a_bare_repository_has_no_work_tree() {
    let folder = tempfile::tempdir().unwrap();
    git_in(folder.path(), &["init", "-q", "--bare"]);
    let contents = Contents::with_repository(Repository::open(folder.path()).unwrap());
    let error = contents.work_tree_state(&[]).unwrap_err();
    assert_eq!(error.to_string(), "read the work tree from the repository");
    assert_eq!(contents.repository().unwrap().work_dir(), None);
}

#[test]
fn a_path_is_relative_to_the_work_tree() {
    let git = GitRepository::new();
    git.write("src/a", "1\n");
    let repository = Repository::open(&git.path("src")).unwrap();
    let inside = |path: &Path| repository.path_in_work_tree(path);
    assert_eq!(inside(&git.path("src")).as_deref(), Some(Path::new("src")));
    assert_eq!(inside(&git.path("")).as_deref(), Some(Path::new("")));
    assert_eq!(inside(Path::new("/")), None);
}

/// A history in which `side` branches off at `b` and is merged into `main` after `c`.
///
/// ```text
/// a --- b --- c --- merge --- d    main
///        \         /
///         side ----
/// ```
struct MergedHistory {
    git: GitRepository,
    commits: [(&'static str, boildown_changes::ObjectId); 6],
}

impl MergedHistory {
    fn new() -> Self {
        let git = GitRepository::new();
        let commit = |name: &str| {
            git.write(name, "x\n");
            git.commit(name)
        };
        let (a, b) = (commit("a"), commit("b"));
        git.git(&["switch", "-q", "-c", "side"]);
        let side = commit("side");
        git.git(&["switch", "-q", "main"]);
        let c = commit("c");
        git.git(&["merge", "-q", "--no-edit", "-m", "merge", "side"]);
        let merge = git.head();
        let d = commit("d");
        let commits = [
            ("a", a),
            ("b", b),
            ("side", side),
            ("c", c),
            ("merge", merge),
            ("d", d),
        ];
        Self { git, commits }
    }

    /// Returns the titles of the commits on a path, and that of the turning point.
    fn path(&self, from: &str, to: &str) -> (Vec<&'static str>, &'static str) {
        let id = |name: &str| self.commits.iter().find(|(it, _)| *it == name).unwrap().1;
        let repository = Repository::open(self.git.root.path()).unwrap();
        let path = repository.history_path(id(from), id(to)).unwrap();
        let title = |id: &_| self.commits.iter().find(|(_, it)| it == id).unwrap().0;
        let titles: Vec<&str> = path.commits.iter().map(title).collect();
        let turning_point = titles[path.turning_point];
        (titles, turning_point)
    }
}

#[test]
fn a_path_follows_first_parents_to_the_common_commit_and_back() {
    let history = MergedHistory::new();
    let path = |from, to| history.path(from, to);
    assert_eq!(path("a", "d"), (vec!["a", "b", "c", "merge", "d"], "a"));
    assert_eq!(path("d", "b"), (vec!["d", "merge", "c", "b"], "b"));
    assert_eq!(path("side", "c"), (vec!["side", "b", "c"], "b"));
    assert_eq!(
        path("side", "d"),
        (vec!["side", "b", "c", "merge", "d"], "b")
    );
    assert_eq!(path("b", "b"), (vec!["b"], "b"));
}

#[test]
fn unrelated_commits_have_no_path() {
    let git = GitRepository::new();
    git.write("a", "1\n");
    let main = git.commit("main");
    git.git(&["switch", "-q", "--orphan", "other"]);
    git.write("b", "2\n");
    let other = git.commit("other");
    let repository = Repository::open(&git.path("")).unwrap();
    assert_eq!(repository.history_path(main, other), None);
}

#[test]
fn a_shallow_repository_ends_at_its_edge() {
    let git = GitRepository::new();
    for name in ["a", "b", "c"] {
        git.write(name, "x\n");
        git.commit(name);
    }
    let folder = tempfile::tempdir().unwrap();
    let url = format!("file://{}", git.path("").display());
    git_in(
        folder.path(),
        &["clone", "-q", "--depth", "2", &url, "clone"],
    );
    let repository = Repository::open(&folder.path().join("clone")).unwrap();
    assert!(repository.is_shallow());
    let error = repository.commit("HEAD~2").unwrap_err().to_string();
    assert!(
        error.ends_with("the repository is shallow, `git fetch --unshallow` brings the rest"),
        "{error}"
    );
    let (near, head) = (repository.commit("HEAD~1"), repository.commit("HEAD"));
    let path = repository.history_path(near.unwrap().id, head.unwrap().id);
    assert_eq!(path.unwrap().commits.len(), 2);
}

#[test]
fn each_element_belongs_to_the_commit_that_introduced_it() {
    let git = GitRepository::new();
    git.write("a", "1\n2\n3\n4\n5\n");
    git.write("old-name", "some text\nthat is moved\n");
    git.commit("good");
    git.write("a", "one\n2\n3\n4\n5\n");
    git.commit("first line");
    git.git(&["mv", "old-name", "new-name"]);
    git.commit("rename");
    git.write("a", "one\n2\n3\n4\nfive\n");
    git.write("added", "x\n");
    git.commit("last line and a file");
    let contents = contents(&git);
    let states: Vec<State> = ["HEAD~2", "HEAD~1", "HEAD"]
        .map(|revision| state_at(&contents, revision))
        .into();
    let tree = ChangeTree::between(&state_at(&contents, "HEAD~3"), &states[2], &contents).unwrap();
    let commits = tree.groups_by_commit(&states, &contents).unwrap();
    let mut found: Vec<(String, u32)> = (0..tree.len())
        .map(|element| (tree.location(element), commits[element]))
        .collect();
    found.dedup();
    let found: Vec<(&str, u32)> = found.iter().map(|(at, commit)| (&**at, *commit)).collect();
    assert_eq!(
        found,
        [
            ("a:1", 0),
            ("a:2", 0),
            ("a:5", 2),
            ("a:6", 2),
            ("added:1", 2),
            ("new-name", 1)
        ]
    );
    assert_eq!(
        tree.count(ChangeUnit::Commits, &Subset::full(tree.len())),
        1
    );
}

#[test]
fn line_endings_follow_the_attributes_of_the_given_commit() {
    let git = GitRepository::new();
    git.write(".gitattributes", "*.bat text eol=crlf\n");
    git.write("run.bat", "echo 1\necho 2\n");
    git.write("plain", "1\n2\n");
    git.commit("good");
    git.write("run.bat", "echo 1\necho 3\n");
    git.commit("bad");
    let contents = contents(&git);
    let repository = contents.repository().unwrap();
    repository.set_attributes_commit(repository.commit("HEAD~1").unwrap().id);
    let (old, new) = (state_at(&contents, "HEAD~1"), state_at(&contents, "HEAD"));
    let tree = ChangeTree::between(&old, &new, &contents).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut workspace = Workspace::create(folder.path().join("work")).unwrap();
    let file = workspace.root().join("run.bat");
    let expected = [
        (elements(&tree, &[]), "echo 1\r\necho 2\r\n"),
        (Subset::full(tree.len()), "echo 1\r\necho 3\r\n"),
    ];
    for (subset, text) in expected {
        let configuration = tree.configuration(&subset, &contents).unwrap().unwrap();
        workspace.update(&configuration, &contents).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    let plain = fs::read_to_string(workspace.root().join("plain")).unwrap();
    assert_eq!(plain, "1\n2\n");
    // The work tree is converted back: only the real change is left.
    git.write("run.bat", "echo 1\r\necho 3\r\n");
    let work_tree = contents.work_tree_state(&[]).unwrap();
    assert_eq!(state_id(work_tree), state_id(new));
}

#[test]
fn git_works_in_a_workspace_with_a_skeleton() {
    let git = GitRepository::new();
    git.write("a", "1\n");
    git.write("dir/b", "2\n");
    git.commit("first");
    git.git(&["tag", "-a", "v1.0", "-m", "release"]);
    git.write("a", "2\n");
    let head = git.commit("second");
    let contents = contents(&git);
    let state = state_at(&contents, "HEAD");
    let folder = tempfile::tempdir().unwrap();
    let mut workspace = Workspace::create(folder.path().join("work")).unwrap();
    workspace.update(&state.clone().into(), &contents).unwrap();
    let repository = contents.repository().unwrap();
    repository.create_git_skeleton(&workspace, head).unwrap();
    let run = |args: &[&str]| git_in(workspace.root(), args);
    assert_eq!(
        run(&["describe"]),
        format!("v1.0-1-g{}", &head.to_string()[..7])
    );
    assert_eq!(run(&["ls-files"]), "a\ndir/b");
    assert_eq!(run(&["status", "--porcelain"]), "");
    assert_eq!(run(&["branch", "--list", "main"]), "");
    assert_eq!(disk_id(workspace.root()), state_id(state));
    run(&["tag", "local"]);
    assert_eq!(git.git(&["tag"]), "v1.0");
}
