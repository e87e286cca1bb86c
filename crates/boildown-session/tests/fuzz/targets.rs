//! The targets: functions that take arbitrary bytes and panic when a promise is broken.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use boildown_changes::{ChangeTree, Configuration, Contents, Repository, patch};
use boildown_document::{Candidate, Check, Document, Language, View};
use boildown_formats::FORMATS;
use boildown_oracle::{Answer, Verdict};
use boildown_reduce::{Finest, Isolation, Rules, reduction};
use boildown_search::{Search as _, Subset};
use boildown_store::{
    Identity, Improvement, Provenance, RunDescription, StoreFolder, fingerprint_of,
};

use super::mutation::Mutator;

/// A few lines of each language, each under a line with the name of its language.
const SAMPLES: &str = include_str!("../../../boildown-document/src/languages/samples.txt");

/// The most queries of one search; what comes later is like what came before.
const QUERIES: usize = 40;

/// A function, and real inputs for it.
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) seeds: Vec<Vec<u8>>,
    language: Option<&'static Language>,
    pub(crate) run: fn(&Self, &[u8]),
}

impl Target {
    /// Returns the files of a directory and those below it that are inputs of this target.
    pub(crate) fn of_corpus(&self, dir: &Path) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                found.extend(self.of_corpus(&entry.path()));
                continue;
            }
            let name = entry.file_name();
            if Language::detect(&name.to_string_lossy(), b"").map(|one| one.name)
                == self.language.map(|one| one.name)
            {
                found.extend(fs::read(entry.path()));
            }
        }
        found
    }
}

/// Returns all targets: one for each language, and those for other readers and writers.
pub(crate) fn all() -> Vec<Target> {
    let mut targets: Vec<Target> = SAMPLES
        .split("==== ")
        .skip(1)
        .filter_map(|sample| sample.split_once('\n'))
        .map(|(name, sample)| Target {
            name: format!("language {name}"),
            seeds: vec![sample.into()],
            language: Language::named(name),
            run: language,
        })
        .collect();
    let program = fs::read(std::env::current_exe().unwrap()).unwrap_or_default();
    let of_each_language: Vec<Vec<u8>> = targets.iter().flat_map(|one| one.seeds.clone()).collect();
    let other = |name: &str, seeds, run| Target {
        name: name.to_owned(),
        seeds,
        language: None,
        run,
    };
    targets.extend([
        other("views of texts", of_each_language.clone(), views),
        other(
            "views of binaries",
            vec![
                program[..program.len().min(4096)].to_vec(),
                include_bytes!("../../../boildown-reduce/tests/fixtures/members.zip").to_vec(),
                include_bytes!("../../../../fuzz/seeds/round_trip/png").to_vec(),
                include_bytes!("../../../boildown-formats/tests/fixtures/module.wasm").to_vec(),
                b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x0a\x04\x01\x02\0\x0b".to_vec(),
            ],
            views,
        ),
        other(
            "archives",
            vec![include_bytes!("../../../boildown-reduce/tests/fixtures/members.zip").to_vec()],
            |_, bytes| reduce(bytes, None),
        ),
        other("rules", rule_files(), rules),
        other("isolations", of_each_language.clone(), isolation),
        other("stores", stores(), store),
        other("patches", of_each_language, patches),
        other("git objects", vec![b"seed".to_vec()], git_objects),
    ]);
    targets
}

/// Reads a text through a grammar in each way, and reduces it with arbitrary verdicts.
fn language(target: &Target, bytes: &[u8]) {
    let Some(language) = target.language else {
        return;
    };
    for view in [
        View::Syntax(language),
        View::Letters(language),
        View::Spaces(language),
        View::LongWords,
    ] {
        check_round_trip(bytes, view);
    }
    reduce(bytes, Some(language));
}

fn views(_: &Target, bytes: &[u8]) {
    let views = [
        View::Blocks,
        View::Lines,
        View::Elements,
        View::Bytes(3),
        View::Parts(4),
        View::Zeros(4),
    ];
    for view in views.into_iter().chain(FORMATS.views()) {
        check_round_trip(bytes, view);
    }
    reduce(bytes, None);
}

/// Checks that a document gives its text back.
fn check_round_trip(bytes: &[u8], view: View) {
    let bytes: Arc<[u8]> = bytes.into();
    let document = Arc::new(Document::new(&bytes, view));
    let all = Subset::full(document.len());
    let candidate = Candidate::new(document, all, Check::Nothing);
    assert_eq!(candidate.bytes(), &bytes, "in the view {view:?}");
}

/// Begins a reduction with arbitrary verdicts. Its best text is the input or was interesting.
fn reduce(bytes: &[u8], language: Option<&'static Language>) {
    let bytes: Arc<[u8]> = bytes.into();
    let mut verdicts = verdicts(&bytes);
    let mut interesting = vec![Arc::clone(&bytes)];
    let mut search = reduction(&bytes, language, boildown_formats::strategy());
    for _ in 0..QUERIES {
        let Some(query) = search.ask() else { break };
        let verdict = verdicts();
        if verdict.is_interesting() {
            interesting.push(Arc::clone(query.candidate.bytes()));
        }
        search.tell(verdict);
    }
    assert!(interesting.contains(search.best().bytes()));
}

/// Returns arbitrary verdicts that follow from the bytes.
fn verdicts(bytes: &[u8]) -> impl FnMut() -> Verdict + use<> {
    let mut numbers = Mutator::new(seed_of(bytes), Vec::new());
    move || match numbers.below(8) {
        0 => Verdict::Interesting,
        1 => Verdict::Unresolved,
        _ => Verdict::Uninteresting,
    }
}

/// Returns a number that follows from the bytes.
fn seed_of(bytes: &[u8]) -> u64 {
    // FNV-1a.
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

fn rule_files() -> Vec<Vec<u8>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../boildown-document/rules");
    let files = fs::read_dir(dir).unwrap().flatten();
    files
        .filter_map(|file| fs::read(file.path()).ok())
        .collect()
}

/// Reads rules for some languages. An error is fine.
fn rules(_: &Target, bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    for language in ["c", "python", "javascript"] {
        drop(Rules::read(Language::named(language).unwrap(), text));
    }
}

/// Isolates the difference between the halves of a text with arbitrary verdicts.
fn isolation(_: &Target, bytes: &[u8]) {
    let (passing, failing) = bytes.split_at(bytes.len() / 2);
    let mut verdicts = verdicts(bytes);
    let [passing, failing] = [passing, failing].map(Arc::<[u8]>::from);
    for language in [None, Language::named("c"), Language::named("html")] {
        let mut search = Isolation::between(&passing, &failing, language, Finest::Characters);
        for _ in 0..QUERIES {
            if search.ask().is_none() {
                break;
            }
            search.tell(verdicts());
        }
        assert!(search.passing().len() + search.failing().len() <= 4 * bytes.len() + 2);
    }
}

/// The input of the runs of [`store`].
const STORED: &[u8] = b"the whole input";

fn identity() -> Identity {
    let mut identity = Identity::default();
    identity.add("the command", "test.sh {}");
    identity.add_hash("the input", STORED);
    identity
}

fn description() -> RunDescription<'static> {
    RunDescription {
        name: "in.txt",
        input: Improvement {
            query: 0,
            content: fingerprint_of(STORED),
            bytes: STORED.len(),
            tokens: Some(3),
            elapsed: Duration::ZERO,
            text: Some(STORED.into()),
        },
        property: "the test exits with 0".to_owned(),
        flags: "--exit 0".to_owned(),
        time_limit: Duration::from_secs(5),
        version: "0.1.0",
        choices: &[],
        provenance: Provenance::default(),
    }
}

/// Returns the file of a store with a few verdicts.
fn stores() -> Vec<Vec<u8>> {
    let dir = tempfile::tempdir().unwrap();
    let folder = StoreFolder::beside(&dir.path().join("in.min.txt")).unwrap();
    let (run, _) = folder.find(identity()).unwrap();
    let store = run.begin(&folder, &description()).unwrap();
    for number in 0..50_u8 {
        let answer = Answer {
            verdict: Verdict::Uninteresting,
            run: None,
        };
        store.learn(fingerprint_of(&[number]), &answer);
    }
    drop(store);
    let files = fs::read_dir(folder.dir()).unwrap().flatten();
    files
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "db"))
        .map(|path| fs::read(path).unwrap())
        .collect()
}

/// Opens a damaged store. No verdict of it is another than the one that was stored.
fn store(_: &Target, bytes: &[u8]) {
    let dir = tempfile::tempdir().unwrap();
    let Ok(folder) = StoreFolder::beside(&dir.path().join("in.min.txt")) else {
        return;
    };
    // Creates the file under its name.
    if let Ok((run, _)) = folder.find(identity()) {
        drop(run.begin(&folder, &description()));
    }
    for file in fs::read_dir(folder.dir()).unwrap().flatten() {
        if file.path().extension().is_some_and(|ending| ending == "db") {
            fs::write(file.path(), bytes).unwrap();
        }
    }
    let Ok((run, _)) = folder.find(identity()) else {
        return;
    };
    let Ok(store) = run.begin(&folder, &description()) else {
        return;
    };
    for number in 0..50_u8 {
        if let Some(recalled) = store.recall(fingerprint_of(&[number])) {
            assert_eq!(recalled.verdict, Verdict::Uninteresting);
        }
    }
}

/// Cuts a text in two versions of three files, and checks that `git apply` makes of one version
/// what the patch says.
fn patches(_: &Target, bytes: &[u8]) {
    let dir = tempfile::tempdir().unwrap();
    let mut numbers = Mutator::new(seed_of(bytes), vec![bytes.to_vec()]);
    for version in ["old", "new"] {
        for name in ["a", "dir/b", "dir/c d\t\"e"] {
            if numbers.below(5) == 0 {
                continue;
            }
            let path = dir.path().join(version).join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, numbers.next_input()).unwrap();
        }
        fs::create_dir_all(dir.path().join(version)).unwrap();
    }
    let contents = Contents::default();
    let state = |name| {
        contents
            .directory_state(&dir.path().join(name), &[])
            .unwrap()
    };
    let (old, new) = (state("old"), state("new"));
    let tree = ChangeTree::between(&old, &new, &contents).unwrap();
    let left_out = (0..tree.len()).filter(|_| numbers.below(2) == 0);
    let some = Subset::full(tree.len()).without(left_out.map(|element| element..element + 1));
    let Some(wanted) = tree.configuration(&some, &contents).unwrap() else {
        return;
    };
    let text = patch(&Configuration::from(old), &wanted, &contents).unwrap();
    if text.is_empty() {
        return;
    }
    fs::write(dir.path().join("patch"), &text).unwrap();
    let applied = Command::new("git")
        .args(["apply", "--whitespace=nowarn", "../patch"])
        .current_dir(dir.path().join("old"))
        .env("GIT_CEILING_DIRECTORIES", dir.path())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&applied.stderr);
    assert!(applied.status.success(), "{stderr}");
    let result = Configuration::from(state("old"));
    assert_eq!(result.id(), wanted.id(), "git apply makes other files");
}

/// Damages a repository, and reads its history and its work tree. An error is fine.
fn git_objects(_: &Target, bytes: &[u8]) {
    let dir = tempfile::tempdir().unwrap();
    let git = |words: &str| {
        let done = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(words.split(' '))
            .current_dir(dir.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdout(Stdio::null())
            .status();
        assert!(done.unwrap().success(), "git {words}");
    };
    git("init --quiet");
    for version in 0..3 {
        fs::create_dir_all(dir.path().join("dir")).unwrap();
        fs::write(
            dir.path().join("dir/file"),
            format!("{version}\n").repeat(60),
        )
        .unwrap();
        git("add --all");
        git(&format!("commit --quiet --message {version}"));
    }
    let mut numbers = Mutator::new(seed_of(bytes), Vec::new());
    if numbers.below(2) == 0 {
        git("gc --quiet");
    }
    let repository = Repository::open(dir.path()).unwrap();
    let head = repository.commit("HEAD").unwrap().id;
    drop(repository);
    let mut files = Vec::new();
    collect_files(&dir.path().join(".git"), &mut files);
    files.retain(|file| !file.components().any(|step| step.as_os_str() == "hooks"));
    files.sort();
    for _ in 0..=numbers.below(4) {
        let file = &files[numbers.below(files.len())];
        let seed = numbers.below(usize::MAX) as u64;
        let mut mutator = Mutator::new(seed, vec![fs::read(file).unwrap()]);
        fs::remove_file(file).unwrap();
        fs::write(file, mutator.next_input()).unwrap();
    }
    let Ok(repository) = Repository::open(dir.path()) else {
        return;
    };
    for revision in ["HEAD", "HEAD~2", "main", "@{1}", ":/2"] {
        drop(repository.commit(revision));
    }
    let old = repository.commit("HEAD~2").map_or(head, |commit| commit.id);
    drop(repository.history_path(old, head));
    let contents = Contents::with_repository(repository);
    let repository = contents.repository().unwrap();
    if let (Ok(old), Ok(new)) = (repository.state(old), repository.state(head)) {
        drop(ChangeTree::between(&old, &new, &contents));
    }
    drop(contents.work_tree_state(&[]));
}

fn collect_files(dir: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(dir).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => collect_files(&entry.path(), found),
            false => found.push(entry.path()),
        }
    }
}
