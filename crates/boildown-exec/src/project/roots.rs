//! The directories that may be the project of an input.

use std::path::{Path, PathBuf};

/// Entries of the root of a repository.
pub(super) const REPOSITORIES: &[&str] = &[".git", ".hg", ".jj", ".svn"];

/// Returns the directories that may be the project of an input, the most likely first: the root of
/// its repository, the user's directory if the input is in it, and the folder of the input.
///
/// Both paths have to be absolute and free of links. `excluded` are directories that hold more than
/// a project, such as the home directory; `/` is never a project.
#[must_use]
pub fn possible_roots(input: &Path, user_dir: &Path, excluded: &[PathBuf]) -> Vec<PathBuf> {
    let Some(folder) = input.parent() else {
        return Vec::new();
    };
    let is_repository = |dir: &&Path| REPOSITORIES.iter().any(|name| dir.join(name).exists());
    let repository = folder.ancestors().find(is_repository);
    let user_dir = Some(user_dir).filter(|dir| folder.starts_with(dir));
    let mut roots: Vec<PathBuf> = Vec::new();
    for root in [repository, user_dir, Some(folder)].into_iter().flatten() {
        let is_project = root.parent().is_some() && !excluded.iter().any(|other| other == root);
        if is_project && !roots.iter().any(|known| known == root) {
            roots.push(root.to_owned());
        }
    }
    roots
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_repository_comes_first_then_the_directory_of_the_user_then_the_folder() {
        let temp = tempfile::tempdir().unwrap();
        let (home, repository) = (temp.path().to_owned(), temp.path().join("repository"));
        let folder = repository.join("src/deep");
        fs::create_dir_all(&folder).unwrap();
        let input = folder.join("a.c");
        let roots = |user_dir: &Path| {
            let roots = possible_roots(&input, user_dir, std::slice::from_ref(&home));
            let relative = |root: PathBuf| root.strip_prefix(&home).unwrap().to_owned();
            roots.into_iter().map(relative).collect::<Vec<_>>()
        };
        assert_eq!(
            roots(&repository.join("src")),
            [
                Path::new("repository/src"),
                Path::new("repository/src/deep")
            ]
        );
        assert_eq!(roots(&home), [Path::new("repository/src/deep")]);
        assert_eq!(
            roots(Path::new("/elsewhere")),
            [Path::new("repository/src/deep")]
        );
        fs::create_dir(repository.join(".git")).unwrap();
        assert_eq!(
            roots(&folder),
            [Path::new("repository"), Path::new("repository/src/deep")]
        );
    }
}
