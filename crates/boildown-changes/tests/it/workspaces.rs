//! Folders that hold one configuration after the other.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::Path;

use boildown_changes::{Configuration, Workspace};
use boildown_search::Subset;

use crate::{Two, write};

fn two() -> Two {
    Two::new(&[
        ("a", Some(b"a1\n"), Some(b"a2\n")),
        ("b", Some(b"b1\n"), Some(b"b2\n")),
        ("dir/c", None, Some(b"c\n")),
        ("same", Some(b"s\n"), Some(b"s\n")),
    ])
}

/// The seconds, nanoseconds and inodes of files.
fn stamps(root: &Path) -> BTreeMap<String, (i64, i64, u64)> {
    let names = ["a", "b", "same"].map(str::to_owned);
    let stamp = |name: &String| {
        let found = fs::metadata(root.join(name)).unwrap();
        (found.mtime(), found.mtime_nsec(), found.ino())
    };
    names.map(|name| (name.clone(), stamp(&name))).into()
}

#[test]
fn only_files_that_differ_are_written_and_never_within_the_same_second_again() {
    let two = two();
    let tree = two.tree();
    let states = [
        Subset::full(tree.len()).only(0..0),
        Subset::full(tree.len()).only(0..1),
    ];
    let mut workspace = Workspace::create(two.path("work")).unwrap();
    let first = workspace
        .update(&two.made(&tree, &states[0]), &two.contents)
        .unwrap();
    assert_eq!((first.written, first.removed, first.restored), (3, 0, 0));
    let mut seconds = Vec::new();
    for round in 1..6 {
        let before = stamps(workspace.root());
        let made = two.made(&tree, &states[round % 2]);
        let written = workspace.update(&made, &two.contents).unwrap();
        assert_eq!((written.written, written.restored), (1, 0));
        let after = stamps(workspace.root());
        assert_eq!((before["b"], before["same"]), (after["b"], after["same"]));
        seconds.push(after["a"].0);
    }
    assert!(
        seconds.windows(2).all(|pair| pair[0] < pair[1]),
        "{seconds:?}"
    );
}

#[test]
fn what_a_command_did_is_undone_and_what_it_built_stays() {
    let two = two();
    let old: Configuration = two.state("old").into();
    let mut workspace = Workspace::create(two.path("work")).unwrap();
    workspace.update(&old, &two.contents).unwrap();
    write(&workspace.root().join("a"), b"changed\n");
    fs::remove_file(workspace.root().join("b")).unwrap();
    fs::create_dir(workspace.root().join("b")).unwrap();
    write(&workspace.root().join("built.o"), b"o");
    let written = workspace.update(&old, &two.contents).unwrap();
    assert_eq!((written.written, written.restored), (2, 2));
    assert_eq!(fs::read(workspace.root().join("a")).unwrap(), b"a1\n");
    assert_eq!(fs::read(workspace.root().join("b")).unwrap(), b"b1\n");
    assert!(workspace.root().join("built.o").exists());
}

#[test]
fn a_directory_that_is_no_longer_part_of_it_goes_with_what_was_built_there() {
    let two = two();
    let mut workspace = Workspace::create(two.path("work")).unwrap();
    workspace
        .update(&two.state("new").into(), &two.contents)
        .unwrap();
    write(&workspace.root().join("dir/cache/c.pyc"), b"x");
    workspace
        .update(&two.state("old").into(), &two.contents)
        .unwrap();
    assert!(!workspace.root().join("dir").exists());
}

#[test]
fn nothing_is_written_through_a_link_that_a_command_left() {
    let two = two();
    let outside = two.path("outside");
    write(&outside.join("c"), b"precious");
    write(&outside.join("file"), b"precious");
    let mut workspace = Workspace::create(two.path("work")).unwrap();
    workspace
        .update(&two.state("old").into(), &two.contents)
        .unwrap();
    symlink(&outside, workspace.root().join("dir")).unwrap();
    fs::remove_file(workspace.root().join("a")).unwrap();
    symlink(outside.join("file"), workspace.root().join("a")).unwrap();
    workspace
        .update(&two.state("new").into(), &two.contents)
        .unwrap();
    assert_eq!(fs::read(outside.join("c")).unwrap(), b"precious");
    assert_eq!(fs::read(outside.join("file")).unwrap(), b"precious");
    assert_eq!(fs::read(workspace.root().join("dir/c")).unwrap(), b"c\n");
    assert_eq!(fs::read(workspace.root().join("a")).unwrap(), b"a2\n");
}

#[test]
fn a_file_of_the_user_that_changes_meanwhile_is_an_error_that_names_it() {
    let two = two();
    let new: Configuration = two.state("new").into();
    write(&two.path("new/a"), b"edited\n");
    let mut workspace = Workspace::create(two.path("work")).unwrap();
    let error = workspace
        .update(&new, &two.contents)
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("new/a again: it was changed meanwhile"),
        "{error}"
    );
}
