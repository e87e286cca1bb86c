//! The layout of a folder, by which failing inputs are told from other files.

use std::collections::BTreeSet;

/// The layout of a folder, by the names of its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderLayout {
    /// AFL and its successors: `crashes/id:000000,sig:06,…`, `hangs/…`, `README.txt`.
    Afl,
    /// libFuzzer and cargo-fuzz: `crash-…`, `oom-…`, `timeout-…`, `leak-…`.
    LibFuzzer,
    /// Honggfuzz: `SIGSEGV.PC.….fuzz`, `HONGGFUZZ.REPORT.TXT`.
    Honggfuzz,
    /// Any other folder: all of its files.
    Plain,
}

impl FolderLayout {
    /// Returns the name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Afl => "afl",
            Self::LibFuzzer => "libFuzzer",
            Self::Honggfuzz => "honggfuzz",
            Self::Plain => "plain",
        }
    }
}

/// The inputs of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayoutChoice {
    /// The layout that was recognised.
    pub layout: FolderLayout,
    /// The indices of the paths that are inputs, in the order of the paths.
    pub inputs: Vec<usize>,
}

impl LayoutChoice {
    /// Chooses the inputs among files of a folder. Each path is given as its components, relative
    /// to the folder.
    ///
    /// If some files have names that a fuzzer gives to failing inputs, only these are inputs: the
    /// others are its corpus, its logs, or the program. Hidden files and folders never are.
    #[must_use]
    pub fn of_paths(paths: &[Vec<String>]) -> Self {
        let visible: Vec<usize> = (0..paths.len())
            .filter(|&index| !paths[index].iter().any(|part| part.starts_with('.')))
            .collect();
        let with = |test: fn(&[String]) -> bool| -> Vec<usize> {
            let found = visible.iter().copied();
            found.filter(|&index| test(&paths[index])).collect()
        };
        for (layout, test) in [
            (FolderLayout::Afl, is_of_afl as fn(&[String]) -> bool),
            (FolderLayout::LibFuzzer, is_of_libfuzzer),
            (FolderLayout::Honggfuzz, is_of_honggfuzz),
        ] {
            let inputs = with(test);
            if !inputs.is_empty() {
                return Self { layout, inputs };
            }
        }
        let inputs = with(|path| !is_note(path));
        Self {
            layout: FolderLayout::Plain,
            inputs,
        }
    }

    /// Returns the extension that the names of all inputs have, if they have the same one. Names
    /// that fuzzers give have none.
    pub fn extension<'a>(&self, paths: &'a [Vec<String>]) -> Option<&'a str> {
        if self.layout != FolderLayout::Plain {
            return None;
        }
        let extensions: BTreeSet<Option<&str>> = (self.inputs.iter())
            .map(|&index| {
                let (stem, extension) = paths[index].last()?.rsplit_once('.')?;
                let is_usual = !extension.is_empty()
                    && extension.len() <= 8
                    && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
                (is_usual && !stem.is_empty()).then_some(extension)
            })
            .collect();
        match (extensions.len(), extensions.first()) {
            (1, Some(extension)) => *extension,
            _ => None,
        }
    }
}

/// `id:000000,sig:06,…` below a folder `crashes` or `hangs`, or where no folder is named (the user
/// gave the folder itself). Files of `queue` have such names too.
fn is_of_afl(path: &[String]) -> bool {
    let Some((name, folders)) = path.split_last() else {
        return false;
    };
    let is_named = ["id:", "id_"].iter().any(|prefix| {
        let rest = name.strip_prefix(prefix).unwrap_or_default();
        rest.len() >= 6 && rest.bytes().take(6).all(|byte| byte.is_ascii_digit())
    });
    let is_failure = |folder: &String| {
        ["crashes", "hangs"].iter().any(|kind| {
            let rest = folder.strip_prefix(kind);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '_', '-']))
        })
    };
    is_named && folders.last().is_none_or(is_failure)
}

/// `crash-` and such a word, followed by a SHA-1.
fn is_of_libfuzzer(path: &[String]) -> bool {
    let name = path.last().map_or("", String::as_str);
    [
        "crash-",
        "oom-",
        "timeout-",
        "leak-",
        "slow-unit-",
        "minimized-from-",
    ]
    .iter()
    .filter_map(|prefix| name.strip_prefix(prefix))
    .any(|rest| rest.len() == 40 && rest.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// `SIGSEGV.PC.….STACK.….CODE.….ADDR.….INSTR.….fuzz`; the extension is an option.
fn is_of_honggfuzz(path: &[String]) -> bool {
    let name = path.last().map_or("", String::as_str);
    name.starts_with("SIG") && name.contains(".PC.") && name.contains(".STACK.")
}

/// Notes that fuzzers leave beside inputs.
fn is_note(path: &[String]) -> bool {
    let name = path.last().map_or("", String::as_str);
    ["README.txt", "HONGGFUZZ.REPORT.TXT"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(paths: &[&str], layout: FolderLayout, inputs: &[&str]) {
        let split = |path: &&str| path.split('/').map(ToOwned::to_owned).collect();
        let split: Vec<Vec<String>> = paths.iter().map(split).collect();
        let choice = LayoutChoice::of_paths(&split);
        let taken: Vec<&str> = choice.inputs.iter().map(|&index| paths[index]).collect();
        assert_eq!((choice.layout, taken.as_slice()), (layout, inputs));
    }

    const HASH: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn crashes_and_hangs_of_afl_are_inputs_and_its_queue_is_not() {
        check(
            &[
                "main/crashes/README.txt",
                "main/crashes/id:000000,sig:11,src:000001,op:havoc,rep:2",
                "main/fuzzer_stats",
                "main/hangs/id:000000,src:000004,op:flip1,pos:3",
                "main/queue/id:000000,orig:a.c",
                "main/queue/.state/auto_extras/id:000000",
                "old/crashes.2026-11-01-10:00:00/id:000003,sig:06",
            ],
            FolderLayout::Afl,
            &[
                "main/crashes/id:000000,sig:11,src:000001,op:havoc,rep:2",
                "main/hangs/id:000000,src:000004,op:flip1,pos:3",
                "old/crashes.2026-11-01-10:00:00/id:000003,sig:06",
            ],
        );
        check(
            &["README.txt", "id:000000,sig:06", "id_000001_00"],
            FolderLayout::Afl,
            &["id:000000,sig:06", "id_000001_00"],
        );
    }

    #[test]
    fn artefacts_of_libfuzzer_are_told_from_the_corpus() {
        let names = ["crash", "oom", "timeout", "leak"].map(|kind| format!("{kind}-{HASH}"));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut all = names.clone();
        all.extend([HASH, "fuzz-0.log", "crash-report.md"]);
        check(&all, FolderLayout::LibFuzzer, &names);
    }

    #[test]
    fn files_of_honggfuzz_have_the_signal_in_their_names() {
        let name = "SIGSEGV.PC.555.STACK.badbad.CODE.1.ADDR.0.INSTR.mov____(%rax),%eax.fuzz";
        check(
            &["HONGGFUZZ.REPORT.TXT", name, "input.honggfuzz.cov"],
            FolderLayout::Honggfuzz,
            &[name],
        );
    }

    #[test]
    fn every_visible_file_of_another_folder_is_an_input() {
        check(
            &[".cache/x", "README.txt", "a.js", "sub/b.js", "crash-me"],
            FolderLayout::Plain,
            &["a.js", "sub/b.js", "crash-me"],
        );
        check(&[], FolderLayout::Plain, &[]);
    }

    #[test]
    fn a_common_extension_is_found_in_plain_folders_only() {
        let extension = |paths: &[&str]| {
            let paths: Vec<Vec<String>> =
                paths.iter().map(|path| vec![(*path).to_owned()]).collect();
            LayoutChoice::of_paths(&paths)
                .extension(&paths)
                .map(ToOwned::to_owned)
        };
        assert_eq!(extension(&["a.js", "b.js"]).as_deref(), Some("js"));
        assert_eq!(extension(&["a.js", "b.ts"]), None);
        assert_eq!(extension(&["a.js", "b"]), None);
        assert_eq!(extension(&["id:000000,src:a.js"]), None);
        assert_eq!(extension(&[]), None);
    }
}
