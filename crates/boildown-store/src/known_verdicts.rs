//! Verdicts from the store of another session, which is only read.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use boildown_exec::DirHandle;
use boildown_oracle::{Outcome, Verdict};
use boildown_search::Fingerprint;
use rusqlite::{Connection, OpenFlags};

use super::record::{VerdictRecord, read_outcome, read_verdict};
use super::{Identity, StoreError, schema};

/// Values of an identity on which no verdict depends: what the search tries, and in which order.
#[rustfmt::skip]
const SEARCH: &[&str] = &[
    "--algorithm", "--compact", "--keep", "--language", "--no-gate", "--passes",
    "--preserve-names", "--rename", "--rules", "--schedule", "--units",
];

/// Environment variables that name the user and the places of programs. The programs that a command
/// uses are compared themselves.
const OF_THE_USER: &[&str] = &["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"];

/// How often the file of a session that is at work is copied until a copy is whole.
const TRIES: u32 = 5;

/// Bytes at the beginning of the log of SQLite that change when it begins anew.
const LOG_HEADER: usize = 32;

/// Verdicts of another session of the same run, on another machine or in another folder.
#[derive(Debug)]
pub struct KnownVerdicts(HashMap<Fingerprint, (Verdict, Option<Outcome>)>);

/// Whether the verdicts of a store can be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum KnownStatus {
    /// They can.
    Fits(KnownVerdicts),
    /// They cannot: this differs in each of its runs; of the one that is most alike.
    Differs(Vec<String>),
}

impl KnownVerdicts {
    /// Reads the verdicts of a run with this identity and this property from a store: a file, a
    /// folder `.boildown`, or a folder that has one.
    ///
    /// Compared is what verdicts depend on. Files that the command names are compared by their
    /// names and contents, and may be in other directories. Verdicts that a limit led to are left
    /// out, and those after which the property was not seen to hold.
    ///
    /// The store may be in use. It is copied first, so it is neither locked nor changed.
    ///
    /// # Errors
    /// [`StoreError`] when there is no store, or it cannot be read.
    pub fn read(store: &Path, identity: &Identity, flags: &str) -> Result<KnownStatus, StoreError> {
        let files = files(store).map_err(|error| StoreError::unusable("read", store, error))?;
        let mut closest: Option<Vec<String>> = None;
        for file in &files {
            let folder = tempfile::tempdir();
            let folder = folder.map_err(|error| StoreError::unusable("copy", file, error))?;
            let copy = copy(file, folder.path())?;
            let fail = StoreError::from_database("read", file);
            let theirs = schema::read_identity(&copy).map_err(&fail)?;
            let their_flags = schema::read_flags(&copy)
                .map_err(&fail)?
                .unwrap_or_default();
            let wanted = comparable(&identity.clone().salted(theirs.salt()), flags);
            let differs = wanted.differences(&comparable(&theirs, &their_flags));
            if differs.is_empty() {
                return Ok(KnownStatus::Fits(Self(verdicts(&copy).map_err(&fail)?)));
            }
            if closest
                .as_ref()
                .is_none_or(|closest| differs.len() < closest.len())
            {
                closest = Some(differs);
            }
        }
        let nothing =
            || StoreError::unusable("find a run store in", store, io::ErrorKind::NotFound.into());
        closest.map(KnownStatus::Differs).ok_or_else(nothing)
    }

    /// Returns the number of verdicts.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the verdict on a content, and the outcome that it was derived from.
    pub(super) fn get(&self, content: Fingerprint) -> Option<(Verdict, Option<Outcome>)> {
        self.0.get(&content).copied()
    }
}

/// Returns the files of all runs of a store.
fn files(store: &Path) -> io::Result<Vec<PathBuf>> {
    if fs::metadata(store)?.is_file() {
        return Ok(vec![store.to_owned()]);
    }
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let own = store.join(super::FOLDER);
    let folder = if own.is_dir() { own } else { store.to_owned() };
    let direct = entries(&folder);
    let nested = direct.iter().flat_map(|folder| entries(folder));
    let mut files: Vec<PathBuf> = direct.iter().cloned().chain(nested).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "db"));
    files.sort();
    Ok(files)
}

/// Opens a copy of a file in this folder.
fn copy(file: &Path, folder: &Path) -> Result<Connection, StoreError> {
    let fail = |error| StoreError::unusable("copy", file, error);
    let log = with_suffix(file, "-wal");
    let (copied, copied_log) = (folder.join("copy.db"), folder.join("copy.db-wal"));
    for number in 1.. {
        // The log has new records until its header changes. So with the same header before and
        // after, the copies belong together, even if records are being moved from it to the file.
        let before = log_header(&log).map_err(fail)?;
        copy_file(file, &copied).map_err(fail)?;
        match copy_file(&log, &copied_log) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(fail(error)),
            _ => {}
        }
        let is_whole = log_header(&log).map_err(fail)? == before;
        let opened = open(&copied, file);
        match opened {
            Ok(database) if is_whole => return Ok(database),
            Err(error) if is_whole || number == TRIES => return Err(error),
            _ if number == TRIES => break,
            _ => {}
        }
    }
    Err(StoreError::unusable(
        "copy",
        file,
        io::ErrorKind::ResourceBusy.into(),
    ))
}

/// Copies a file, which may be no pipe and no link. Replaces an earlier copy.
fn copy_file(file: &Path, copied: &Path) -> io::Result<()> {
    let dir = |path: &Path| DirHandle::open(path.parent().unwrap_or(Path::new("")));
    let name = |path: &'_ Path| path.file_name().unwrap_or_default().to_owned();
    let mut from = dir(file)?.open_file(&name(file))?;
    let copies = dir(copied)?;
    copies.unlink(&name(copied))?;
    io::copy(&mut from, &mut copies.create_file(&name(copied), 0o600)?).map(drop)
}

fn open(copied: &Path, file: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(copied, flags)
        .map_err(StoreError::from_database("open", file))?;
    schema::check(&database, file)?;
    Ok(database)
}

fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Returns the beginning of a log; nothing when there is none.
fn log_header(log: &Path) -> io::Result<Vec<u8>> {
    let mut header = Vec::new();
    match File::open(log) {
        Ok(log) => log.take(LOG_HEADER as u64).read_to_end(&mut header)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
        Err(error) => return Err(error),
    };
    Ok(header)
}

fn verdicts(
    database: &Connection,
) -> rusqlite::Result<HashMap<Fingerprint, (Verdict, Option<Outcome>)>> {
    let condition = match database.table_exists(None, "unconfirmed")? {
        true => "WHERE content NOT IN (SELECT content FROM unconfirmed)",
        false => "",
    };
    let query = format!("SELECT content, verdict, outcome, checked FROM verdicts {condition}");
    let mut statement = database.prepare(&query)?;
    let rows = statement.query_map([], |row| {
        let (content, code): (Vec<u8>, i64) = (row.get(0)?, row.get(1)?);
        let (outcome, checksum): (Option<String>, i64) = (row.get(2)?, row.get(3)?);
        Ok(content.try_into().ok().and_then(|bits| {
            let content = Fingerprint::new(u128::from_le_bytes(bits));
            let verdict = read_verdict(code)?;
            let outcome = outcome.as_deref().and_then(read_outcome);
            let is_usable = VerdictRecord::checksum(content, verdict) == checksum
                && !outcome.is_some_and(Outcome::is_cut_short);
            is_usable.then_some((content, (verdict, outcome)))
        }))
    })?;
    rows.filter_map(Result::transpose).collect()
}

/// Returns the part of an identity that verdicts depend on, the same for each place of the files
/// that the command names.
fn comparable(identity: &Identity, flags: &str) -> Identity {
    let file = |what: &str| what.strip_prefix("the file ").map(str::to_owned);
    let mut files: Vec<String> = identity
        .pairs()
        .filter_map(|(what, _)| file(what))
        .collect();
    // A path before one that it begins with.
    files.sort_by_key(|path| std::cmp::Reverse(path.len()));
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let is_of_the_user = |what: &str| {
        let variable = what.strip_prefix("the environment variable ");
        variable.is_some_and(|variable| OF_THE_USER.contains(&variable))
    };
    let mut pairs: Vec<(String, String)> = Vec::new();
    for (what, value) in identity.pairs() {
        if SEARCH.contains(&what) || is_of_the_user(what) {
            continue;
        }
        pairs.push(match file(what) {
            Some(path) => (format!("the file {}", name(&path)), value.to_owned()),
            None => {
                let shorten =
                    |text: String, path: &String| text.replace(path.as_str(), &name(path));
                (
                    what.to_owned(),
                    files.iter().fold(value.to_owned(), shorten),
                )
            }
        });
    }
    pairs.push(("the property".to_owned(), flags.to_owned()));
    pairs.sort();
    pairs.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(one: &[(&str, &str)], other: &[(&str, &str)]) -> Vec<String> {
        let identity = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().copied();
            comparable(&pairs.collect::<Identity>(), "--exit 0")
        };
        identity(one).differences(&identity(other))
    }

    #[test]
    fn files_may_be_in_other_directories_but_not_have_other_contents() {
        let mine = [
            ("the command", "/home/me/test.sh {}"),
            ("the file /home/me/test.sh", "blake3:1"),
            ("the environment variable HOME", "/home/me"),
            ("--rename", "true"),
        ];
        let theirs = [
            ("the command", "/builds/7/test.sh {}"),
            ("the file /builds/7/test.sh", "blake3:1"),
            ("--rename", "false"),
        ];
        assert_eq!(differences(&mine, &theirs), Vec::<String>::new());
        let changed = [theirs[0], ("the file /builds/7/test.sh", "blake3:2")];
        assert_eq!(differences(&mine, &changed), ["the file test.sh"]);
        let other = [("the command", "/builds/7/test.sh -v {}"), theirs[1]];
        assert_eq!(differences(&mine, &other), ["the command"]);
    }

    #[test]
    fn a_place_without_a_store_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        for place in [folder.path().to_owned(), folder.path().join("missing")] {
            let error = KnownVerdicts::read(&place, &Identity::default(), "").unwrap_err();
            assert!(matches!(error, StoreError::Unusable { .. }), "{error}");
        }
        let file = folder.path().join("x.db");
        fs::write(&file, "not a database").unwrap();
        let error = KnownVerdicts::read(&file, &Identity::default(), "").unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    }
}
