//! Patches: `git apply` makes the same files from them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use boildown_changes::{Configuration, Contents, DiffStat, Workspace, diff_stat, patch};
use boildown_search::Subset;

use crate::{TwoDirectories, disk_id, elements, git_in, make_executable};

/// Applies a patch with git to the files of a configuration in a new folder.
#[track_caller]
fn apply_with_git(patch: &[u8], base: &Configuration, contents: &Contents, folder: &Path) {
    let mut patched = Workspace::create(folder.to_owned()).unwrap();
    patched.update(base, contents).unwrap();
    let file = folder.with_extension("patch");
    fs::write(&file, patch).unwrap();
    let name = file.to_str().unwrap();
    git_in(folder, &["apply", "--whitespace=nowarn", name]);
}

#[test]
fn a_patch_of_any_subset_makes_the_same_files() {
    let two = TwoDirectories::new(&[
        (
            "a.txt",
            Some(b"1\n2\n3\n4\n5\n6\n7\n8\n9"),
            Some(b"1\nzwei\n3\n4\n5\n6\n7\n8\n9\n10\n"),
        ),
        ("deleted", Some(b"x\n"), None),
        ("dir/new", None, Some(b"one\ntwo\n")),
        ("binary", Some(b"\0\x01"), Some(b"\0\x02 longer than four")),
        ("old name", Some(b"a\nb\nc\nd\n"), None),
        ("new\tnäme", None, Some(b"a\nb\nc\nx\n")),
    ]);
    let tree = two.tree();
    assert!(tree.len() < 16, "{}", tree.len());
    let base = tree.base().clone().into();
    let scratch = tempfile::tempdir().unwrap();
    let mut expected = Workspace::create(scratch.path().join("expected")).unwrap();
    for bits in 1..1_usize << tree.len() {
        // All subsets take a minute: every nineteenth, and those of a single element.
        if bits % 19 != 0 && bits.count_ones() != 1 {
            continue;
        }
        let removed = (0..tree.len()).filter(|element| bits & (1 << element) == 0);
        let subset = Subset::full(tree.len()).without(removed.map(|element| element..element + 1));
        let configuration = two.configuration(&tree, &subset);
        let patch = patch(&base, &configuration, &two.contents).unwrap();
        expected.update(&configuration, &two.contents).unwrap();
        let folder = scratch.path().join(format!("{bits}"));
        apply_with_git(&patch, &base, &two.contents, &folder);
        let text = String::from_utf8_lossy(&patch);
        assert_eq!(disk_id(&folder), disk_id(expected.root()), "{text}");
    }
}

#[test]
fn modes_links_and_changes_of_type_are_applied() {
    let two = TwoDirectories::new(&[
        ("mode", Some(b"#!/bin/sh\n"), Some(b"#!/bin/sh\n")),
        ("mode-and-text", Some(b"a\nb\n"), Some(b"a\nc\n")),
        ("becomes-link", Some(b"text\n"), None),
        ("becomes-file", None, Some(b"text\n")),
    ]);
    make_executable(&two.path("new/mode"));
    make_executable(&two.path("old/mode-and-text"));
    symlink("mode", two.path("new/becomes-link")).unwrap();
    symlink("mode", two.path("old/becomes-file")).unwrap();
    symlink("old-target", two.path("old/link")).unwrap();
    symlink("new-target", two.path("new/link")).unwrap();
    symlink("mode", two.path("new/added-link")).unwrap();
    let (old, new) = (two.state("old").into(), two.state("new").into());
    for (name, before, after) in [("forward", &old, &new), ("backward", &new, &old)] {
        let patch = patch(before, after, &two.contents).unwrap();
        apply_with_git(&patch, before, &two.contents, &two.path(name));
    }
    assert_eq!(disk_id(&two.path("forward")), disk_id(&two.path("new")));
    assert_eq!(disk_id(&two.path("backward")), disk_id(&two.path("old")));
}

#[test]
fn a_patch_has_three_lines_of_context_and_joins_near_hunks() {
    let old: String = (1..=30).map(|line| format!("{line}\n")).collect();
    let new = old.replace("\n5\n", "\nfive\n").replace("\n11\n", "\n");
    let new = new.replace("\n25\n", "\n25\nextra\n");
    let two = TwoDirectories::new(&[("n", Some(old.as_bytes()), Some(new.as_bytes()))]);
    let patch = patch(
        &two.state("old").into(),
        &two.state("new").into(),
        &two.contents,
    )
    .unwrap();
    let text = String::from_utf8(patch).unwrap();
    let ranges: Vec<&str> = text.lines().filter(|line| line.starts_with("@@")).collect();
    assert_eq!(ranges, ["@@ -2,13 +2,12 @@", "@@ -23,6 +22,7 @@"]);
    assert!(text.starts_with("diff --git a/n b/n\nindex "), "{text}");
}

#[test]
fn equal_configurations_have_an_empty_patch() {
    let two = TwoDirectories::new(&[("a", Some(b"1\n"), Some(b"2\n"))]);
    let state: Configuration = two.state("old").into();
    assert_eq!(patch(&state, &state, &two.contents).unwrap(), b"");
    assert_eq!(
        diff_stat(&state, &state, &two.contents).unwrap(),
        DiffStat::default()
    );
}

#[test]
fn the_size_of_a_patch_counts_files_and_lines_of_text() {
    let two = TwoDirectories::new(&[
        ("a", Some(b"1\n2\n3\n"), Some(b"1\nzwei\n3\n4\n")),
        ("moved", Some(b"long enough\nto be found\n"), None),
        ("moved-to", None, Some(b"long enough\nto be found\n")),
        ("binary", Some(b"\0\n"), Some(b"\0\n\n")),
        ("deleted", Some(b"x\ny\n"), None),
    ]);
    let tree = two.tree();
    let all = two.configuration(&tree, &Subset::full(tree.len()));
    let base = tree.base().clone().into();
    assert_eq!(
        diff_stat(&base, &all, &two.contents).unwrap(),
        DiffStat {
            files: 4,
            added: 2,
            deleted: 3
        }
    );
    let none = two.configuration(&tree, &elements(&tree, &[]));
    assert_eq!(diff_stat(&base, &none, &two.contents).unwrap().files, 0);
}

#[test]
fn the_contents_of_a_subset_can_be_read_after_printing_it() {
    let two = TwoDirectories::new(&[("a", Some(b"1\n2\n3\n"), Some(b"eins\n2\ndrei\n"))]);
    let tree = two.tree();
    let made = two.configuration(&tree, &elements(&tree, &[0, 1]));
    let id = made.get(&"a".into()).unwrap().id;
    assert!(two.contents.read(id).is_err());
    patch(&tree.base().clone().into(), &made, &two.contents).unwrap();
    assert_eq!(&*two.contents.read(id).unwrap(), b"eins\n2\n3\n");
}
