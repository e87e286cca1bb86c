//! Trees of changes, and their parts.

use boildown_changes::{ChangeTree, Contents, Layer, Workspace, patch};
use boildown_search::Subset;
use std::fs;
use std::process::Command;

use crate::{Two, write};

fn counts(tree: &ChangeTree) -> [usize; 4] {
    let all = Subset::full(tree.len());
    [Layer::Directories, Layer::Files, Layer::Hunks, Layer::Lines]
        .map(|layer| tree.count(layer, &all))
}

#[test]
fn all_changes_make_the_second_state_and_none_the_first() {
    let two = Two::new(&[
        ("a.txt", Some(b"1\n2\n3\n"), Some(b"1\nzwei\n3\n4")),
        (
            "src/moved.rs",
            Some(b"fn a() {}\nfn b() {}\nfn c() {}\n"),
            None,
        ),
        (
            "lib/moved.rs",
            None,
            Some(b"fn a() {}\nfn b() {}\nfn d() {}\n"),
        ),
        ("gone", Some(b"x"), None),
        ("empty", None, Some(b"")),
        ("bin", Some(b"\0\x01"), Some(b"\0\x02")),
    ]);
    let tree = two.tree();
    let (all, none) = (
        Subset::full(tree.len()),
        Subset::full(tree.len()).only(0..0),
    );
    assert_eq!(two.made(&tree, &all).name(), two.state("new").into_name());
    assert_eq!(two.made(&tree, &none).name(), two.state("old").into_name());
}

trait Named {
    fn into_name(self) -> boildown_changes::ObjectId;
}

impl Named for boildown_changes::State {
    fn into_name(self) -> boildown_changes::ObjectId {
        boildown_changes::Configuration::from(self).name()
    }
}

#[test]
fn every_part_is_made_and_its_patch_makes_the_same_again() {
    let two = Two::new(&[
        (
            "a.txt",
            Some(b"1\n2\n3\n4\n5\n6\n7\n8\n9"),
            Some(b"1\nzwei\n3\n4\n5\n6\n7\n8\n9\n10\n"),
        ),
        ("gone", Some(b"x\n"), None),
        ("dir/new", None, Some(b"one\ntwo\n")),
        ("bin", Some(b"\0\x01"), Some(b"\0\x02 longer than four")),
        ("old name", Some(b"a\nb\nc\nd\n"), None),
        ("new\tnäme", None, Some(b"a\nb\nc\nx\n")),
    ]);
    let tree = two.tree();
    assert!(tree.len() < 16, "{}", tree.len());
    let base = tree.base().clone().into();
    let scratch = tempfile::tempdir().unwrap();
    let mut expected = Workspace::create(scratch.path().join("expected")).unwrap();
    for bits in 1..1_usize << tree.len() {
        // Every seventh: all of them take a minute.
        if bits % 7 != 0 && bits.count_ones() != 1 {
            continue;
        }
        let cuts = (0..tree.len()).filter(|at| bits & (1 << at) == 0);
        let part = Subset::full(tree.len()).without(cuts.map(|at| at..at + 1));
        let made = two.made(&tree, &part);
        let patch = patch(&base, &made, &two.contents).unwrap();
        write(&scratch.path().join("patch"), &patch);
        expected.update(&made, &two.contents).unwrap();
        // Files that git adds are not ours: a folder of its own for each.
        let mut patched = Workspace::create(scratch.path().join(format!("{bits}"))).unwrap();
        patched.update(&base, &two.contents).unwrap();
        let git = Command::new("git")
            .args(["apply", "--whitespace=nowarn", "../patch"])
            .env("GIT_CEILING_DIRECTORIES", scratch.path())
            .current_dir(patched.root())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&git.stderr).into_owned();
        assert!(
            git.status.success(),
            "{said}\n{}",
            String::from_utf8_lossy(&patch)
        );
        let contents = Contents::default();
        let name = |workspace: &Workspace| {
            contents
                .directory(workspace.root(), &[])
                .unwrap()
                .into_name()
        };
        assert_eq!(
            name(&patched),
            name(&expected),
            "{}",
            String::from_utf8_lossy(&patch)
        );
    }
}

#[test]
fn a_file_in_the_way_of_a_directory_does_not_apply() {
    let two = Two::new(&[("a", Some(b"x\n"), None), ("a/b", None, Some(b"y\n"))]);
    let tree = two.tree();
    let added = (0..tree.len())
        .find(|&at| tree.place(at).starts_with("a/b"))
        .unwrap();
    let only = Subset::full(tree.len()).only(added..added + 1);
    assert!(tree.configuration(&only, &two.contents).unwrap().is_none());
}

#[test]
fn ten_thousand_changed_files_with_a_hundred_thousand_hunks_are_a_tree() {
    let root = tempfile::tempdir().unwrap();
    let old: String = (0..40).map(|line| format!("line {line}\n")).collect();
    let new: String = (0..40)
        .map(|line| match line % 4 {
            1 => format!("changed {line} altogether\n"),
            _ => format!("line {line}\n"),
        })
        .collect();
    for (dir, text) in [("old", &old), ("new", &new)] {
        for file in 0..10_000 {
            let path = root.path().join(format!("{dir}/d{}/f{file}", file / 100));
            if file % 100 == 0 {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
            }
            fs::write(path, format!("{file}\n{text}")).unwrap();
        }
    }
    let contents = Contents::default();
    let state = |dir: &str| contents.directory(&root.path().join(dir), &[]).unwrap();
    let tree = ChangeTree::between(&state("old"), &state("new"), &contents).unwrap();
    assert_eq!(counts(&tree)[..3], [100, 10_000, 100_000]);
    let half = Subset::full(tree.len()).without([0..tree.len() / 2]);
    let made = tree.configuration(&half, &contents).unwrap().unwrap();
    assert_eq!(made.made().len(), 5_000);
}

#[test]
fn hunks_that_share_a_new_name_are_a_group() {
    let two = Two::new(&[
        (
            "a.c",
            Some(b"int one;\nint two;\nint three;\nint four;\nint five;\n"),
            Some(b"int one;\nint fresh;\nint three;\nint four;\nint five, one;\n"),
        ),
        (
            "b.c",
            Some(b"int main() {\n    return 0;\n}\n"),
            Some(b"int main() {\n    return fresh;\n}\n// five\n"),
        ),
    ]);
    let mut groups = two.tree().by_name(&two.contents).unwrap();
    groups.dedup();
    // Of four hunks the first and the third.
    assert_eq!(groups, [0, 1, 0, 3]);
}
