//! Workspaces: folders that hold one configuration after another.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::Path;
use std::time::SystemTime;

use boildown_changes::{Configuration, Contents, FileVersion, State, UpdateCounts, Workspace};

use crate::{TwoDirectories, disk_id, make_executable, write};

fn two_directories() -> TwoDirectories {
    TwoDirectories::new(&[
        ("a", Some(b"a1\n"), Some(b"a2\n")),
        ("b", Some(b"b1\n"), Some(b"b2\n")),
        ("dir/c", None, Some(b"c\n")),
        ("same", Some(b"s\n"), Some(b"s\n")),
    ])
}

/// Returns the modification time, in seconds and nanoseconds, and the inode of each file.
fn stamps(root: &Path) -> BTreeMap<String, (i64, i64, u64)> {
    let names = ["a", "b", "same"].map(str::to_owned);
    let stamp = |name: &String| {
        let found = fs::metadata(root.join(name)).unwrap();
        (found.mtime(), found.mtime_nsec(), found.ino())
    };
    names.map(|name| (name.clone(), stamp(&name))).into()
}

#[test]
fn only_files_that_differ_are_written_and_never_ahead_of_the_clock() {
    let two = two_directories();
    write(&two.path("new/a"), b"a22\n");
    let (old, new): (Configuration, Configuration) =
        (two.state("old").into(), two.state("new").into());
    let mut workspace = Workspace::create(two.path("work")).unwrap();
    let first = workspace.update(&old, &two.contents).unwrap();
    assert_eq!((first.written, first.removed, first.restored), (3, 0, 0));
    let mut times = Vec::new();
    for round in 1..20 {
        let before = stamps(workspace.root());
        write(&workspace.root().join("product"), b"p");
        let configuration = [&old, &new][round % 2];
        workspace.update(configuration, &two.contents).unwrap();
        let after = stamps(workspace.root());
        assert_eq!(before["same"], after["same"]);
        let modified = |name| {
            fs::metadata(workspace.root().join(name))
                .unwrap()
                .modified()
        };
        let [a, product] = ["a", "product"].map(|name| modified(name).unwrap());
        assert!(a <= SystemTime::now());
        assert!(product < a, "what was built before is older");
        times.push(a);
    }
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
}

#[test]
fn versions_of_the_same_size_have_times_in_different_seconds() {
    let two = two_directories();
    let (old, new): (Configuration, Configuration) =
        (two.state("old").into(), two.state("new").into());
    let mut workspace = Workspace::create(two.path("work")).unwrap();
    let mut seconds = Vec::new();
    for configuration in [&old, &new, &old] {
        workspace.update(configuration, &two.contents).unwrap();
        seconds.push(stamps(workspace.root())["a"].0);
    }
    assert!(
        seconds.windows(2).all(|pair| pair[0] < pair[1]),
        "{seconds:?}"
    );
}

#[test]
fn moving_to_another_state_and_back_gives_the_same_files() {
    let two = two_directories();
    make_executable(&two.path("new/same"));
    symlink("a", two.path("old/link")).unwrap();
    symlink("b", two.path("new/link")).unwrap();
    let (old, new) = (two.state("old").into(), two.state("new").into());
    let mut workspace = Workspace::create(two.path("work")).unwrap();
    for _ in 0..2 {
        workspace.update(&old, &two.contents).unwrap();
        assert_eq!(disk_id(workspace.root()), disk_id(&two.path("old")));
        let counts = workspace.update(&new, &two.contents).unwrap();
        assert_eq!(disk_id(workspace.root()), disk_id(&two.path("new")));
        let expected = UpdateCounts {
            written: 5,
            removed: 0,
            restored: 0,
        };
        assert_eq!(counts, expected);
    }
}

#[test]
fn changes_of_a_command_are_undone_and_its_new_files_stay() {
    let two = two_directories();
    let old: Configuration = two.state("old").into();
    let mut workspace = Workspace::create(two.path("work")).unwrap();
    workspace.update(&old, &two.contents).unwrap();
    write(&workspace.root().join("a"), b"changed\n");
    fs::remove_file(workspace.root().join("b")).unwrap();
    fs::create_dir(workspace.root().join("b")).unwrap();
    write(&workspace.root().join("built.o"), b"o");
    let counts = workspace.update(&old, &two.contents).unwrap();
    assert_eq!((counts.written, counts.restored), (2, 2));
    assert_eq!(fs::read(workspace.root().join("a")).unwrap(), b"a1\n");
    assert_eq!(fs::read(workspace.root().join("b")).unwrap(), b"b1\n");
    assert!(workspace.root().join("built.o").exists());
}

#[test]
fn a_directory_without_files_of_the_configuration_is_removed_with_what_was_built_there() {
    let two = two_directories();
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
fn nothing_is_written_through_a_symbolic_link_of_a_command() {
    let two = two_directories();
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

/// Moves a workspace to the new state and back while `plant` changes the tree before each move.
/// Checks that the tree is put right and nothing outside is changed.
#[track_caller]
fn check_outside_stays(plant: impl Fn(&Path, &Path)) {
    let two = TwoDirectories::new(&[
        ("a", Some(b"a1\n"), Some(b"a2\n")),
        ("dir/b", Some(b"b1\n"), Some(b"b2\n")),
        ("dir/deep/c", Some(b"c1\n"), None),
        ("dir/deep/inner/d", Some(b"d1\n"), None),
        ("dir/deep/inner/e", Some(b"e1\n"), None),
        ("new/f", None, Some(b"f2\n")),
    ]);
    // The user's own directory is the target of the links: it has files of the same names.
    let outside = two.path("outside");
    for name in [
        "b",
        "c",
        "d",
        "f",
        "deep/c",
        "deep/inner/d",
        "inner/d",
        "dir/deep/c",
    ] {
        write(&outside.join(name), b"precious");
    }
    let before = disk_id(&outside);
    let (old, new): (Configuration, Configuration) =
        (two.state("old").into(), two.state("new").into());
    let mut workspace = Workspace::create(two.path("work")).unwrap();
    workspace.update(&old, &two.contents).unwrap();
    for _ in 0..2 {
        for (configuration, folder) in [(&new, "new"), (&old, "old")] {
            plant(workspace.root(), &outside);
            workspace.update(configuration, &two.contents).unwrap();
            assert_eq!(disk_id(&outside), before);
            for path in ["a", "dir/b", "dir/deep/c", "dir/deep/inner/d", "new/f"] {
                let expected = fs::read(two.path(folder).join(path)).ok();
                let found = workspace.root().join(path);
                assert_eq!(fs::read(&found).ok(), expected, "{path}");
                assert!(!found.is_symlink(), "{path}");
            }
        }
    }
}

/// Replaces whatever is at the path by a link.
fn replace_by_link(path: &Path, target: &Path) {
    if path.is_dir() && !path.is_symlink() {
        fs::remove_dir_all(path).unwrap();
    } else {
        fs::remove_file(path).ok();
    }
    if path.parent().unwrap().is_dir() {
        symlink(target, path).unwrap();
    }
}

#[test]
fn nothing_is_removed_through_a_link_in_place_of_a_directory() {
    for dir in ["dir", "dir/deep", "dir/deep/inner", "new"] {
        check_outside_stays(|tree, outside| replace_by_link(&tree.join(dir), outside));
    }
}

#[test]
fn nothing_is_changed_through_nested_relative_and_dangling_links() {
    check_outside_stays(|tree, outside| {
        replace_by_link(&tree.join("hop"), outside);
        replace_by_link(&tree.join("dir/deep"), Path::new("../hop"));
    });
    check_outside_stays(|tree, _| replace_by_link(&tree.join("dir"), Path::new("../outside")));
    check_outside_stays(|tree, _| replace_by_link(&tree.join("dir"), Path::new("../outside/gone")));
    check_outside_stays(|tree, _| replace_by_link(&tree.join("dir"), Path::new("dir")));
    check_outside_stays(|tree, outside| {
        replace_by_link(&tree.join("dir/deep/inner/d"), &outside.join("d"));
        replace_by_link(&tree.join("a"), &outside.join("b"));
    });
}

#[test]
fn files_and_sockets_in_place_of_directories_are_removed() {
    check_outside_stays(|tree, _| {
        fs::remove_dir_all(tree.join("dir")).unwrap();
        write(&tree.join("dir"), b"a file");
    });
    check_outside_stays(|tree, _| {
        fs::remove_dir_all(tree.join("dir")).unwrap();
        std::os::unix::net::UnixListener::bind(tree.join("dir")).unwrap();
    });
}

#[test]
fn nothing_outside_changes_while_links_are_swapped_in() {
    let two = TwoDirectories::new(&[
        ("dir/deep/a", Some(b"a1\n"), None),
        ("dir/deep/b", Some(b"b1\n"), Some(b"b2\n")),
    ]);
    let outside = two.path("outside");
    for name in ["a", "b", "deep/a", "deep/b"] {
        write(&outside.join(name), b"precious");
    }
    let before = disk_id(&outside);
    let (old, new): (Configuration, Configuration) =
        (two.state("old").into(), two.state("new").into());
    let mut workspace = Workspace::create(two.path("work")).unwrap();
    workspace.update(&old, &two.contents).unwrap();
    let root = workspace.root().to_owned();
    let is_done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                for dir in ["dir", "dir/deep"] {
                    let (dir, aside) = (root.join(dir), root.join("aside"));
                    fs::rename(&dir, &aside).ok();
                    symlink(&outside, &dir).ok();
                    fs::remove_file(&dir).ok();
                    fs::rename(&aside, &dir).ok();
                    fs::remove_dir_all(&aside).ok();
                }
            }
        });
        for _ in 0..100 {
            for configuration in [&new, &old] {
                // A directory that is moved during the update may make it fail.
                workspace.update(configuration, &two.contents).ok();
            }
        }
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(disk_id(&outside), before);
}

#[test]
fn a_workspace_that_was_replaced_by_a_link_is_not_used() {
    let two = two_directories();
    let mut workspace = Workspace::create(two.path("work")).unwrap();
    let old: Configuration = two.state("old").into();
    workspace.update(&old, &two.contents).unwrap();
    fs::rename(workspace.root(), two.path("moved")).unwrap();
    fs::create_dir(two.path("outside")).unwrap();
    symlink(two.path("outside"), workspace.root()).unwrap();
    let error = workspace.update(&old, &two.contents).unwrap_err();
    assert!(error.to_string().starts_with("write to "), "{error}");
    assert_eq!(fs::read_dir(two.path("outside")).unwrap().count(), 0);
}

#[test]
fn what_a_command_has_mounted_is_unmounted_and_stays_as_it_is() {
    let two = two_directories();
    let mut workspace = Workspace::create(two.path("work")).unwrap();
    workspace
        .update(&two.state("new").into(), &two.contents)
        .unwrap();
    let outside = two.path("outside");
    write(&outside.join("c"), b"precious");
    let dir = workspace.root().join("dir");
    let mount = |args: &[&std::ffi::OsStr]| {
        let mounted = std::process::Command::new("mount").args(args).output();
        mounted.is_ok_and(|mounted| mounted.status.success())
    };
    if !mount(&["--bind".as_ref(), outside.as_ref(), dir.as_ref()]) {
        println!("skipped: this user may not mount a directory");
        return;
    }
    let updated = workspace.update(&two.state("old").into(), &two.contents);
    // Fails if it is unmounted already.
    std::process::Command::new("umount")
        .arg(&dir)
        .output()
        .unwrap();
    updated.unwrap();
    assert!(!dir.exists());
    assert_eq!(fs::read(outside.join("c")).unwrap(), b"precious");
}

#[test]
fn a_source_file_that_changes_during_the_run_is_an_error_that_names_it() {
    let two = two_directories();
    let new: Configuration = two.state("new").into();
    write(&two.path("new/a"), b"edited\n");
    let mut workspace = Workspace::create(two.path("work")).unwrap();
    let error = workspace
        .update(&new, &two.contents)
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("new/a again: the file was changed during the run"),
        "{error}"
    );
}

#[test]
fn paths_out_of_the_workspace_and_into_git_directories_are_refused() {
    let two = two_directories();
    let entry = two.state("old").get(&"a".into()).unwrap();
    for path in [
        "../a",
        "dir/../../a",
        "/a",
        ".git/hooks/a",
        "dir/.GIT/a",
        "./a",
    ] {
        let file: FileVersion = entry.into();
        let overrides = [(path.into(), Some(file))].into();
        let configuration = Configuration::new(State::default(), overrides);
        let folder = tempfile::tempdir().unwrap();
        let mut workspace = Workspace::create(folder.path().join("work")).unwrap();
        let error = workspace.update(&configuration, &two.contents).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("write a file at `{path}`: the path leads out of the tree or into .git")
        );
        assert_eq!(fs::read_dir(workspace.root()).unwrap().count(), 0);
    }
}

#[test]
fn an_existing_folder_is_not_used_as_a_workspace() {
    let folder = tempfile::tempdir().unwrap();
    let error = Workspace::create(folder.path().to_owned()).unwrap_err();
    assert!(error.to_string().starts_with("create "), "{error}");
}

#[test]
fn excluded_paths_and_git_directories_are_not_part_of_a_directory() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "out/b", ".git/config", "dir/.git"] {
        write(&folder.path().join(name), b"x");
    }
    let excluded = [fs::canonicalize(folder.path()).unwrap().join("out")];
    let contents = Contents::default();
    let state = contents.directory_state(folder.path(), &excluded).unwrap();
    let paths: Vec<String> = state.iter().map(|(path, _)| path.to_string()).collect();
    assert_eq!(paths, ["a"]);
}
