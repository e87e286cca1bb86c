//! Removing directories whatever a command did to them.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Removes what is at the path, also when directories in it were made unreadable. It is fine if nothing is there.
pub(super) fn remove_tree(path: &Path) -> io::Result<()> {
    let kind = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    if !kind.is_dir() {
        return fs::remove_file(path);
    }
    fs::remove_dir_all(path).or_else(|_| {
        open_up(path);
        fs::remove_dir_all(path)
    })
}

/// Gives us every right on the directory and those below it. What fails here fails again, and is reported, when removing.
fn open_up(root: &Path) {
    let mut pending: Vec<PathBuf> = vec![root.to_owned()];
    while let Some(dir) = pending.pop() {
        fs::set_permissions(&dir, Permissions::from_mode(0o700)).ok();
        let Ok(entries) = fs::read_dir(&dir) else {
            continue;
        };
        // The type of an entry is that of a link, not of its target: links are not followed.
        let below = entries
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        pending.extend(below.map(|entry| entry.path()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_without_any_permission_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let tree = parent.path().join("tree");
        fs::create_dir_all(tree.join("a/b")).unwrap();
        fs::write(tree.join("a/b/file"), "x").unwrap();
        for dir in ["a/b", "a", ""] {
            fs::set_permissions(tree.join(dir), Permissions::from_mode(0o000)).unwrap();
        }
        remove_tree(&tree).unwrap();
        assert!(!tree.exists());
    }

    #[test]
    fn a_link_is_removed_and_its_target_is_not() {
        let parent = tempfile::tempdir().unwrap();
        let precious = parent.path().join("precious");
        fs::create_dir(&precious).unwrap();
        fs::set_permissions(&precious, Permissions::from_mode(0o500)).unwrap();
        let tree = parent.path().join("tree");
        fs::create_dir(&tree).unwrap();
        std::os::unix::fs::symlink(&precious, tree.join("link")).unwrap();

        open_up(&tree);
        remove_tree(&tree).unwrap();

        assert_eq!(
            fs::metadata(&precious).unwrap().permissions().mode() & 0o777,
            0o500
        );
    }

    #[test]
    fn nothing_is_easily_removed() {
        remove_tree(Path::new("/nonexistent/nothing")).unwrap();
    }
}
