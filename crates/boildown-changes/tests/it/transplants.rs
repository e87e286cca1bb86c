//! Transplants: a change made to one state, applied to another.

use boildown_changes::{Configuration, transplant};

use crate::{TwoDirectories, make_executable, write};

/// Two directories and a third one, `onto`, that the change between them is applied to.
struct TransplantCase {
    two: TwoDirectories,
}

impl TransplantCase {
    fn new(old: &[(&str, &str)], new: &[(&str, &str)], onto: &[(&str, &str)]) -> Self {
        let two = TwoDirectories::new(&[]);
        for (dir, files) in [("old", old), ("new", new), ("onto", onto)] {
            std::fs::create_dir_all(two.path(dir)).unwrap();
            for (name, text) in files {
                write(&two.path(dir).join(name), text.as_bytes());
            }
        }
        Self { two }
    }

    fn state(&self, dir: &str) -> Configuration {
        self.two.state(dir).into()
    }

    /// Returns the file at a path after the transplant; `None` when the change does not apply.
    fn transplanted(&self, path: &str) -> Option<Option<String>> {
        let (old, new, onto) = (self.state("old"), self.state("new"), self.state("onto"));
        let result = transplant(&old, &new, &onto, &self.two.contents).unwrap()?;
        self.two.contents.add_configuration(&result);
        let file = result.get(&path.into());
        Some(file.map(|file| {
            let bytes = self.two.contents.read(file.id).unwrap();
            String::from_utf8(bytes.to_vec()).unwrap()
        }))
    }
}

#[test]
fn a_change_of_other_lines_is_merged() {
    let case = TransplantCase::new(
        &[("a", "1\n2\n3\n4\n5\n")],
        &[("a", "1\n2\n3\n4\nfive\n")],
        &[("a", "one\n2\n3\n4\n5\n"), ("b", "untouched\n")],
    );
    let merged = case.transplanted("a").unwrap();
    assert_eq!(merged.as_deref(), Some("one\n2\n3\n4\nfive\n"));
    let other = case.transplanted("b").unwrap();
    assert_eq!(other.as_deref(), Some("untouched\n"));
}

#[test]
fn a_change_of_the_same_line_does_not_apply() {
    let case = TransplantCase::new(
        &[("a", "1\n2\n3\n")],
        &[("a", "1\nzwei\n3\n")],
        &[("a", "1\ndeux\n3\n")],
    );
    assert_eq!(case.transplanted("a"), None);
}

#[test]
fn a_change_of_a_missing_file_does_not_apply() {
    let case = TransplantCase::new(&[("a", "1\n")], &[("a", "2\n")], &[("b", "1\n")]);
    assert_eq!(case.transplanted("a"), None);
}

#[test]
fn a_change_that_is_there_already_applies() {
    let case = TransplantCase::new(
        &[("a", "1\n"), ("gone", "x\n")],
        &[("a", "2\n"), ("added", "y\n")],
        &[("a", "2\n"), ("added", "y\n")],
    );
    assert_eq!(case.transplanted("a").unwrap().as_deref(), Some("2\n"));
    assert_eq!(case.transplanted("added").unwrap().as_deref(), Some("y\n"));
    assert_eq!(case.transplanted("gone").unwrap(), None);
}

#[test]
fn files_are_added_and_deleted() {
    let case = TransplantCase::new(
        &[("gone", "x\n")],
        &[("added", "y\n")],
        &[("gone", "x\n"), ("other", "z\n")],
    );
    assert_eq!(case.transplanted("gone").unwrap(), None);
    assert_eq!(case.transplanted("added").unwrap().as_deref(), Some("y\n"));
}

#[test]
fn the_deletion_of_a_file_that_differs_does_not_apply() {
    let case = TransplantCase::new(&[("a", "1\n")], &[], &[("a", "2\n")]);
    assert_eq!(case.transplanted("a"), None);
}

#[test]
fn a_renamed_file_moves_with_its_other_text() {
    let case = TransplantCase::new(
        &[("a", "1\n2\n3\n4\n")],
        &[("b", "1\n2\n3\nfour\n")],
        &[("a", "one\n2\n3\n4\n")],
    );
    let moved = case.transplanted("b").unwrap();
    assert_eq!(moved.as_deref(), Some("one\n2\n3\nfour\n"));
    assert_eq!(case.transplanted("a").unwrap(), None);

    let taken = TransplantCase::new(
        &[("a", "1\n")],
        &[("b", "1\n")],
        &[("a", "2\n"), ("b", "3\n")],
    );
    assert_eq!(taken.transplanted("b"), None);
    let missing = TransplantCase::new(&[("a", "1\n")], &[("b", "1\n")], &[("c", "2\n")]);
    assert_eq!(missing.transplanted("b"), None);
    let done = TransplantCase::new(&[("a", "1\n")], &[("b", "1\n")], &[("b", "1\n")]);
    assert_eq!(done.transplanted("b").unwrap().as_deref(), Some("1\n"));
}

#[test]
fn a_change_of_mode_keeps_the_other_text() {
    let case = TransplantCase::new(&[("a", "1\n")], &[("a", "1\n")], &[("a", "2\n")]);
    make_executable(&case.two.path("new/a"));
    let (old, new, onto) = (case.state("old"), case.state("new"), case.state("onto"));
    let result = transplant(&old, &new, &onto, &case.two.contents).unwrap();
    let file = result.unwrap().get(&"a".into()).unwrap();
    assert_eq!(file.kind, boildown_changes::FileKind::Executable);
    assert_eq!(Some(file.id), onto.get(&"a".into()).map(|file| file.id));
}

#[test]
fn binary_files_are_not_merged() {
    let case = TransplantCase::new(&[("a", "\0one")], &[("a", "\0two")], &[("a", "\0three")]);
    assert_eq!(case.transplanted("a"), None);
}
