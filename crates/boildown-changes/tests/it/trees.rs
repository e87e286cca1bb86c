//! Change trees: their elements, their groups, and the files that subsets of them make.

use std::fs;
use std::os::unix::fs::symlink;

use boildown_changes::{
    ChangeTree, ChangeUnit, ChangedDefinitions, Contents, FileKind, NamedInFailure,
};
use boildown_search::Subset;

use crate::{TwoDirectories, elements, make_executable, state_id};

/// Returns the number of directories, files, hunks and lines that changed.
fn counts(tree: &ChangeTree) -> [usize; 4] {
    let all = Subset::full(tree.len());
    let units = [
        ChangeUnit::Directories,
        ChangeUnit::Files,
        ChangeUnit::Hunks,
        ChangeUnit::Lines,
    ];
    units.map(|unit| tree.count(unit, &all))
}

fn locations(tree: &ChangeTree) -> Vec<String> {
    (0..tree.len())
        .map(|element| tree.location(element))
        .collect()
}

#[test]
fn all_changes_make_the_second_state_and_no_change_makes_the_first() {
    let two = TwoDirectories::new(&[
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
        ("deleted", Some(b"x"), None),
        ("empty", None, Some(b"")),
        ("binary", Some(b"\0\x01"), Some(b"\0\x02")),
    ]);
    let tree = two.tree();
    let all = Subset::full(tree.len());
    let none = elements(&tree, &[]);
    assert_eq!(
        two.configuration(&tree, &all).id(),
        state_id(two.state("new"))
    );
    assert_eq!(
        two.configuration(&tree, &none).id(),
        state_id(two.state("old"))
    );
}

#[test]
fn equal_states_have_no_changes() {
    let two = TwoDirectories::new(&[("a", Some(b"1\n"), Some(b"1\n"))]);
    let tree = two.tree();
    assert!(tree.is_empty());
    assert_eq!(counts(&tree), [0; 4]);
}

#[test]
fn each_line_is_an_element_and_its_location_is_its_old_line() {
    let two = TwoDirectories::new(&[(
        "src/a.c",
        Some(b"one\ntwo\nthree\nfour\nfive\n"),
        Some(b"one\nTWO!\nthree\nfour\n5a\n5b\n"),
    )]);
    let tree = two.tree();
    assert_eq!(
        locations(&tree),
        [
            "src/a.c:2",
            "src/a.c:3",
            "src/a.c:5",
            "src/a.c:6",
            "src/a.c:6"
        ]
    );
    assert_eq!(tree.groups(ChangeUnit::Hunks), [0, 0, 1, 1, 1]);
    assert_eq!(counts(&tree), [1, 1, 2, 5]);
}

#[test]
fn a_rename_can_be_applied_without_the_edit_and_the_mode() {
    let two = TwoDirectories::new(&[
        ("src/tool.sh", Some(b"one\ntwo\nthree\nfour\n"), None),
        ("bin/tool.sh", None, Some(b"one\ntwo\nthree\nlast\n")),
    ]);
    make_executable(&two.path("new/bin/tool.sh"));
    let tree = two.tree();
    // The rename, the mode, the deleted line and the inserted line.
    assert_eq!(counts(&tree), [2, 2, 3, 4]);
    let renamed = two.configuration(&tree, &elements(&tree, &[0]));
    let file = renamed.get(&"bin/tool.sh".into()).unwrap();
    assert_eq!(file.kind, FileKind::Regular);
    assert_eq!(
        &*two.contents.read(file.id).unwrap(),
        b"one\ntwo\nthree\nfour\n"
    );
    assert_eq!(renamed.get(&"src/tool.sh".into()), None);
    let executable = two.configuration(&tree, &elements(&tree, &[1]));
    let file = executable.get(&"src/tool.sh".into()).unwrap();
    assert_eq!(file.kind, FileKind::Executable);
    let edited = two.configuration(&tree, &elements(&tree, &[2, 3]));
    let file = edited.get(&"src/tool.sh".into()).unwrap();
    assert_eq!(file.bytes.as_deref(), Some(&b"one\ntwo\nthree\nlast\n"[..]));
}

#[test]
fn files_moved_between_the_same_directories_are_one_group() {
    let two = TwoDirectories::new(&[
        ("src/a", Some(b"alpha\n"), None),
        ("lib/a", None, Some(b"alpha\n")),
        ("src/b", Some(b"beta\n"), None),
        ("lib/b", None, Some(b"beta\n")),
        ("src/c", Some(b"gamma\n"), None),
        ("doc/c", None, Some(b"gamma\n")),
    ]);
    let tree = two.tree();
    assert_eq!(locations(&tree), ["doc/c", "lib/a", "lib/b"]);
    assert_eq!(tree.groups(ChangeUnit::Files), [0, 1, 1]);
    assert_eq!(tree.groups(ChangeUnit::Hunks), [0, 1, 2]);
}

#[test]
fn binary_files_links_and_deletions_are_one_element_each() {
    let two = TwoDirectories::new(&[
        (
            "binary",
            Some(b"\0one\n\0two\n"),
            Some(b"\0one\n\0three\n\0"),
        ),
        ("deleted", Some(b"1\n2\n3\n"), None),
        ("becomes-link", Some(b"1\n2\n"), None),
    ]);
    symlink("before", two.path("old/link")).unwrap();
    symlink("after", two.path("new/link")).unwrap();
    symlink("binary", two.path("new/becomes-link")).unwrap();
    let tree = two.tree();
    assert_eq!(
        locations(&tree),
        ["becomes-link", "binary", "deleted", "link"]
    );
    let link_only = two.configuration(&tree, &elements(&tree, &[3]));
    let link = link_only.get(&"link".into()).unwrap();
    assert_eq!(link.kind, FileKind::Symlink);
    assert_eq!(&*two.contents.read(link.id).unwrap(), b"after");
    assert_eq!(
        link_only.get(&"becomes-link".into()).unwrap().kind,
        FileKind::Regular
    );
}

#[test]
fn an_added_text_can_be_added_in_part() {
    let two = TwoDirectories::new(&[("new.txt", None, Some(b"one\ntwo\nthree"))]);
    let tree = two.tree();
    assert_eq!(tree.len(), 3);
    let made = two.configuration(&tree, &elements(&tree, &[0, 2]));
    let file = made.get(&"new.txt".into()).unwrap();
    assert_eq!(file.bytes.as_deref(), Some(&b"one\nthree"[..]));
}

#[test]
fn a_line_after_a_last_line_without_a_line_break_gets_one() {
    let two = TwoDirectories::new(&[("a", Some(b"one"), Some(b"one\ntwo\n"))]);
    let tree = two.tree();
    let inserted = (0..tree.len()).find(|&element| tree.location(element) == "a:2");
    let made = two.configuration(&tree, &elements(&tree, &[inserted.unwrap()]));
    let file = made.get(&"a".into()).unwrap();
    assert_eq!(file.bytes.as_deref(), Some(&b"one\ntwo\n"[..]));
}

#[test]
fn a_file_at_the_path_of_a_needed_directory_does_not_apply() {
    let two = TwoDirectories::new(&[("a", Some(b"x\n"), None), ("a/b", None, Some(b"y\n"))]);
    let tree = two.tree();
    let added = (0..tree.len())
        .find(|&element| tree.location(element).starts_with("a/b"))
        .unwrap();
    let only = elements(&tree, &[added]);
    assert!(tree.configuration(&only, &two.contents).unwrap().is_none());
    let both = Subset::full(tree.len());
    assert!(tree.configuration(&both, &two.contents).unwrap().is_some());
}

#[test]
fn hunks_that_share_a_new_identifier_are_a_group() {
    let two = TwoDirectories::new(&[
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
    let mut groups = two.tree().groups_by_new_name(&two.contents).unwrap();
    groups.dedup();
    // Of the four hunks, the first and the third insert `fresh`.
    assert_eq!(groups, [0, 1, 0, 3]);
}

#[test]
fn a_tree_of_ten_thousand_files_has_a_hundred_thousand_hunks() {
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
    let state = |dir: &str| {
        contents
            .directory_state(&root.path().join(dir), &[])
            .unwrap()
    };
    let tree = ChangeTree::between(&state("old"), &state("new"), &contents).unwrap();
    assert_eq!(counts(&tree)[..3], [100, 10_000, 100_000]);
    let half = Subset::full(tree.len()).without([0..tree.len() / 2]);
    let made = tree.configuration(&half, &contents).unwrap().unwrap();
    assert_eq!(made.overrides().len(), 5_000);
}

/// Returns for each element whether it is incomplete alone, by what the bad state prints.
fn incomplete(files: &TwoDirectories, words: &[&str], named: &[usize]) -> Vec<bool> {
    let tree = files.tree();
    let words = words.iter().map(|word| word.as_bytes().to_vec()).collect();
    let failure = NamedInFailure {
        words: &words,
        files: named.to_vec(),
    };
    let definitions = ChangedDefinitions::read(&tree, &files.contents, &failure, &[]).unwrap();
    let alone = (0..tree.len()).map(|element| elements(&tree, &[element]));
    alone.map(|set| definitions.are_incomplete(&set)).collect()
}

#[test]
fn the_move_of_a_file_goes_with_the_lines_that_name_it() {
    let text = Some(&b"def cost(n):\n    return n * 2\n\n\nprint(cost(3))\n"[..]);
    let files = TwoDirectories::new(&[
        ("calc.py", text, None),
        ("price.py", None, text),
        ("main.py", Some(b"import calc\n"), Some(b"import price\n")),
    ]);
    assert_eq!(incomplete(&files, &[], &[]), [true, true]);
}

#[test]
fn a_name_of_the_message_needs_its_definition_unless_the_failure_is_in_a_file_that_uses_it() {
    let files = TwoDirectories::new(&[
        ("lib.py", Some(b"old = 1\n"), Some(b"old = 1\nfresh = 2\n")),
        ("main.py", Some(b"run(old)\n"), Some(b"run(fresh)\n")),
    ]);
    assert_eq!(incomplete(&files, &[], &[]), [false, true]);
    assert_eq!(incomplete(&files, &["fresh"], &[]), [false, true]);
    assert_eq!(incomplete(&files, &["fresh"], &[0]), [false, true]);
    assert_eq!(incomplete(&files, &["fresh"], &[1]), [false, false]);
}

#[test]
fn a_deleted_name_of_the_message_may_have_uses() {
    let files = TwoDirectories::new(&[
        ("lib.py", Some(b"one = 1\ngone = 2\n"), Some(b"one = 1\n")),
        ("main.py", Some(b"run(gone)\n"), Some(b"run(one)\n")),
    ]);
    assert_eq!(incomplete(&files, &[], &[]), [true, false]);
    assert_eq!(incomplete(&files, &["gone"], &[]), [false, false]);
}

#[test]
fn a_column_is_defined_by_the_line_with_its_type() {
    let files = TwoDirectories::new(&[
        (
            "table.sql",
            Some(b"CREATE TABLE item (\n  price INTEGER\n);\n"),
            Some(b"CREATE TABLE item (\n  cents INTEGER\n);\n"),
        ),
        (
            "query.sql",
            Some(b"SELECT sum(price) FROM item;\n"),
            Some(b"SELECT sum(cents) FROM item;\n"),
        ),
    ]);
    assert_eq!(incomplete(&files, &[], &[]), [true, true]);
}
