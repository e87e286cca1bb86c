//! Tests of the search that reduces a folder.

use std::collections::BTreeMap;
use std::sync::Arc;

use boildown_folder::{Entry, FolderSize, FolderText};
use boildown_search::{Search as _, Verdict, run};

use crate::folder_reduction;
use crate::memory_folder::folder;
use crate::strategy::Strategy;

/// Reduces the files for a property of them; returns what is left, and the number of queries.
fn reduced(
    files: &[(&str, &str)],
    holds: impl Fn(&BTreeMap<String, String>) -> bool,
) -> (Vec<(String, String)>, u32) {
    reduced_by(Strategy::default(), files, holds)
}

fn reduced_by(
    strategy: Strategy,
    files: &[(&str, &str)],
    holds: impl Fn(&BTreeMap<String, String>) -> bool,
) -> (Vec<(String, String)>, u32) {
    let input = folder(files);
    let read = |state: &[u8]| -> BTreeMap<String, String> {
        let text = FolderText::read(state, &input.listing).expect("a state of the folder");
        let size = text.size(&input.listing);
        assert_eq!(size, FolderText::size_in(state));
        let whole = FolderText::whole(&input.listing).size(&input.listing);
        assert!(size.bytes <= whole.bytes && size.files <= whole.files);
        let files = text.kept().filter_map(|entry| {
            let content = input.content_in(&text, entry)?;
            let path = &input.listing.entries()[entry].path;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            Some((text(path), text(&content)))
        });
        files.collect()
    };
    let whole = FolderText::whole(&input.listing).write(&input.listing);
    let search = folder_reduction(&input, &whole, strategy);
    let mut queries = 0;
    let search = run(search.expect("it is the whole folder"), |candidate| {
        queries += 1;
        match holds(&read(candidate.bytes())) {
            true => Verdict::Interesting,
            false => Verdict::Uninteresting,
        }
    });
    assert!(search.inner().is_proved());
    (read(search.best().bytes()).into_iter().collect(), queries)
}

fn pairs(files: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |text: &str| text.trim_end().to_owned();
    files
        .iter()
        .map(|(path, content)| (owned(path), owned(content)))
        .collect()
}

fn has(files: &BTreeMap<String, String>, path: &str, text: &str) -> bool {
    files
        .get(path)
        .is_some_and(|content| content.contains(text))
}

const PROJECT: &[(&str, &str)] = &[
    (
        "main.c",
        "#include \"lib/a.h\"\nint main() { return used(1) + other(); }\n",
    ),
    ("lib/a.h", "int used(int);\nint other();\n"),
    (
        "lib/a.c",
        "int used(int a) { return a; }\nint other() { return 2; }\n",
    ),
    ("doc/text.txt", "some words\n"),
];

#[test]
fn files_and_what_is_in_them_are_deleted() {
    let (left, _) = reduced(PROJECT, |files| has(files, "lib/a.c", "other() {"));
    let expected = ("lib/a.c".to_owned(), "other() {\n".to_owned());
    assert_eq!(left, [expected]);
}

#[test]
fn a_file_is_deleted_with_what_mentions_it() {
    // Whatever is included has to exist, and a call has to be declared.
    let compiles = |files: &BTreeMap<String, String>| {
        files.values().all(|text| {
            let mut lines = text
                .lines()
                .filter_map(|line| line.strip_prefix("#include \""));
            lines.all(|name| files.contains_key(name.trim_end_matches('"')))
        })
    };
    let (left, _) = reduced(PROJECT, |files| {
        compiles(files) && has(files, "main.c", "int main()")
    });
    let left: Vec<_> = left
        .into_iter()
        .map(|(path, text)| (path, text.trim().to_owned()))
        .collect();
    assert_eq!(left, pairs(&[("main.c", "int main()")]));
}

#[test]
fn the_first_query_keeps_what_the_test_names_with_what_it_mentions() {
    let mut input = folder(PROJECT);
    let is_main = |entry: &Entry| &*entry.path == b"main.c";
    let main = input.listing.entries().iter().position(is_main);
    input.named = Arc::new([main.expect("it is there")]);
    let whole = FolderText::whole(&input.listing).write(&input.listing);
    let search = folder_reduction(&input, &whole, Strategy::default());
    let mut search = search.expect("it is the whole folder");
    while !search.is_ready() {
        search.prepare();
    }
    let query = search.ask().expect("files can be deleted");
    let text = FolderText::read(query.candidate.bytes(), &input.listing).expect("a state");
    let path = |entry: usize| String::from_utf8_lossy(&input.listing.entries()[entry].path);
    let left: Vec<_> = text.kept().map(path).collect();
    assert_eq!(left, ["lib", "lib/a.h", "main.c"]);
}

#[test]
fn a_name_is_replaced_in_all_files_and_words_of_paths_stay() {
    let files = &[
        ("patient.py", "def secret(name):\n    return name\n"),
        (
            "main.py",
            "import patient\nprint(patient.secret('Hunter'))\n",
        ),
    ];
    // The call has to be of what the other file defines, with a text.
    let calls = |files: &BTreeMap<String, String>| -> Option<bool> {
        let defined = files.get("patient.py")?.split("def ").nth(1)?;
        let name = defined.split('(').next()?;
        let main = files.get("main.py")?;
        let is_called = main.contains(&format!("patient.{name}('"));
        Some(!name.is_empty() && is_called && main.contains("import patient\n"))
    };
    let strategy = Strategy {
        redacts: true,
        ..Strategy::default()
    };
    let (left, _) = reduced_by(strategy, files, |files| calls(files) == Some(true));
    let texts: Vec<_> = left.iter().map(|(_, text)| text.as_str()).collect();
    assert!(texts[0].contains("import patient\n"), "{texts:?}");
    assert!(!texts.concat().contains("secret"), "{texts:?}");
    assert!(!texts.concat().contains("Hunter"), "{texts:?}");
}

#[test]
fn a_size_is_that_of_the_files() {
    let input = folder(PROJECT);
    let bytes = PROJECT
        .iter()
        .map(|(_, content)| content.len() as u64)
        .sum();
    let size = FolderText::whole(&input.listing).size(&input.listing);
    assert_eq!(size, FolderSize { bytes, files: 4 });
}

#[test]
fn of_a_large_program_whose_functions_are_all_called_the_bodies_go_first() {
    let program = |first: usize| -> String {
        let function = |name: usize| {
            let line = |at: usize| format!("    total = total + {at} * other(total)\n");
            let body: String = (0..40).map(line).collect();
            format!(
                "def f{name}(total):\n{body}    return f{}(total)\n\n",
                name + 1
            )
        };
        (first..first + 30).map(function).collect()
    };
    let files = [program(0), program(30)];
    let input = folder(&[("a.py", &files[0]), ("b.py", &files[1])]);
    let whole = FolderText::whole(&input.listing).write(&input.listing);
    let mut search =
        folder_reduction(&input, &whole, Strategy::default()).expect("it is the whole folder");
    let is_interesting = |state: &[u8]| {
        let text = FolderText::read(state, &input.listing).expect("a state of the folder");
        let contents = text
            .kept()
            .filter_map(|entry| input.content_in(&text, entry));
        let contents: Vec<u8> = contents.flat_map(|content| content.to_vec()).collect();
        let contents = String::from_utf8_lossy(&contents).into_owned();
        let is_defined = |name: usize| contents.contains(&format!("def f{name}("));
        (0..60).all(is_defined) && contents.contains("return f42(")
    };
    let before = FolderText::size_in(&whole).bytes;
    let mut queries = 0;
    while FolderText::size_in(search.best().bytes()).bytes > before / 10 {
        while !search.is_ready() {
            search.prepare();
        }
        let query = search.ask().expect("a body can be emptied");
        queries += 1;
        search.tell(match is_interesting(query.candidate.bytes()) {
            true => Verdict::Interesting,
            false => Verdict::Uninteresting,
        });
    }
    assert_eq!(queries, 26);
}
