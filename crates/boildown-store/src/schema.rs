//! The format of the file, which `docs/reference/store.md` describes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use boildown_search::Fingerprint;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _};

use super::identity::Salt;
use super::{Identity, StoreError};

/// The version of the format that is written. Every released version can be read.
pub(super) const FORMAT: i64 = 1;

/// "boil", the application id by which tools recognise the file.
const APPLICATION: i64 = 0x626F_696C;

const TABLES: &str = "
CREATE TABLE run (
    input TEXT NOT NULL,
    property TEXT NOT NULL,
    flags TEXT NOT NULL,
    time_limit REAL NOT NULL
);
CREATE TABLE identity (
    what TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    version TEXT NOT NULL,
    started INTEGER NOT NULL,
    seconds REAL,
    ending TEXT,
    questions INTEGER,
    runs INTEGER,
    recalled INTEGER
);
CREATE TABLE baseline (
    number INTEGER PRIMARY KEY,
    content BLOB NOT NULL,
    verdict INTEGER NOT NULL,
    outcome TEXT,
    micros INTEGER,
    stdout BLOB NOT NULL,
    stderr BLOB NOT NULL,
    checked INTEGER NOT NULL
);
CREATE TABLE verdicts (
    content BLOB PRIMARY KEY,
    verdict INTEGER NOT NULL,
    outcome TEXT,
    micros INTEGER,
    session INTEGER NOT NULL,
    checked INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE improvements (
    question INTEGER PRIMARY KEY,
    content BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    tokens INTEGER,
    seconds REAL NOT NULL,
    session INTEGER NOT NULL,
    text BLOB
);
CREATE INDEX pictures ON improvements (question, bytes) WHERE text IS NOT NULL;
";

/// The table of skipped passes, which the first files do not have.
const SKIPPED_PASSES_TABLE: &str = "
CREATE TABLE IF NOT EXISTS leaves (
    number INTEGER PRIMARY KEY,
    question INTEGER NOT NULL,
    session INTEGER NOT NULL
);
";

/// The table of choices, which the first files do not have.
const CHOICES_TABLE: &str = "
CREATE TABLE IF NOT EXISTS choices (
    session INTEGER NOT NULL,
    number INTEGER NOT NULL,
    about TEXT NOT NULL,
    chosen TEXT NOT NULL,
    because TEXT NOT NULL,
    option TEXT NOT NULL,
    PRIMARY KEY (session, number)
) WITHOUT ROWID;
";

/// The table of verdicts after which the property was not seen to hold, which the first files do
/// not have.
const UNCONFIRMED_TABLE: &str = "
CREATE TABLE IF NOT EXISTS unconfirmed (
    number INTEGER PRIMARY KEY,
    content BLOB NOT NULL
);
";

/// The table of files that a script names, which the first files do not have.
const WATCHED_FILES_TABLE: &str = "
CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
";

/// The tables that only `boildown report` reads, which the first files do not have.
const REPORT_TABLES: &str = "
CREATE TABLE IF NOT EXISTS passes (
    question INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    seconds REAL NOT NULL,
    session INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS outputs (
    place INTEGER PRIMARY KEY,
    number INTEGER NOT NULL,
    content BLOB NOT NULL,
    lines BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS ends (
    session INTEGER NOT NULL,
    event TEXT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (session, event)
) WITHOUT ROWID;
";

/// The table of facts about where a file comes from, which the first files do not have.
const PROVENANCE_TABLE: &str = "
CREATE TABLE IF NOT EXISTS provenance (
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
) WITHOUT ROWID;
";

/// The name of the salt of the secrets in the identity.
pub(super) const SALT: &str = "salt";

/// Opens the file for writing, and creates it if it does not exist.
pub(super) fn open(file: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = connect(file, flags)?;
    let set = |name, value: &str| {
        database
            .pragma_update(None, name, value)
            .map_err(StoreError::from_database("write", file))
    };
    set("journal_mode", "wal")?;
    // When boildown is killed, no committed record is lost. A power failure loses the last moments;
    // testing these candidates again is cheaper than waiting for the disk at every commit.
    set("synchronous", "normal")?;
    set("journal_size_limit", "16777216")?;
    Ok(database)
}

/// Opens the file for reading only.
pub(super) fn open_to_read(file: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    connect(file, flags)
}

/// Returns the path without links in the directory that the result is in, which is of the user's
/// choice. The directories of the store and the file are kept as they are, even if they are links.
fn resolved(file: &Path) -> PathBuf {
    let Some(parent) = file.ancestors().nth(STORE_COMPONENTS) else {
        return file.to_owned();
    };
    let ours = file.strip_prefix(parent).unwrap_or(file);
    let parent = match parent.as_os_str().is_empty() {
        true => Path::new("."),
        false => parent,
    };
    match parent.canonicalize() {
        Ok(parent) => parent.join(ours),
        Err(_) => file.to_owned(),
    }
}

/// The number of components in `.boildown/NAME/ID.db`.
const STORE_COMPONENTS: usize = 3;

/// Opens a file that is no link, in directories that are none.
fn connect(file: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    // SQLite would wait for a pipe.
    if (file.symlink_metadata()).is_ok_and(|found| !found.is_file() && !found.is_symlink()) {
        let error = std::io::Error::other("it is not a file");
        return Err(StoreError::unusable("open", file, error));
    }
    let fail = StoreError::from_database("open", file);
    let flags = flags | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let database = Connection::open_with_flags(resolved(file), flags).map_err(&fail)?;
    // The user may have opened the file with other tools.
    database
        .busy_timeout(Duration::from_secs(10))
        .map_err(&fail)?;
    Ok(database)
}

/// Returns whether the file of a run holds an improvement with this content.
pub(super) fn has_improvement(file: &Path, content: Fingerprint) -> bool {
    let found = || {
        open_to_read(file)
            .ok()?
            .query_row(
                "SELECT EXISTS (SELECT * FROM improvements WHERE content = ?1)",
                [content.bits().to_le_bytes()],
                |row| row.get(0),
            )
            .ok()
    };
    found().unwrap_or(false)
}

/// Creates the tables.
pub(super) fn create(database: &Connection) -> rusqlite::Result<()> {
    create_with(database, TABLES)
}

/// Creates tables, and marks the file as ours.
pub(super) fn create_with(database: &Connection, tables: &str) -> rusqlite::Result<()> {
    database.execute_batch(tables)?;
    database.pragma_update(None, "application_id", APPLICATION)?;
    database.pragma_update(None, "user_version", FORMAT)
}

/// Creates the tables that older files do not have.
pub(super) fn create_missing(database: &Connection) -> rusqlite::Result<()> {
    database.execute_batch(SKIPPED_PASSES_TABLE)?;
    database.execute_batch(CHOICES_TABLE)?;
    database.execute_batch(UNCONFIRMED_TABLE)?;
    database.execute_batch(WATCHED_FILES_TABLE)?;
    database.execute_batch(REPORT_TABLES)?;
    database.execute_batch(PROVENANCE_TABLE)
}

/// Returns whether the file has no tables.
pub(super) fn is_empty(database: &Connection, file: &Path) -> Result<bool, StoreError> {
    let fail = StoreError::from_database("read", file);
    let tables: i64 = database
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(fail)?;
    Ok(tables == 0)
}

/// Checks that the file is a run store in a known format, and that it is not damaged.
pub(super) fn check(database: &Connection, file: &Path) -> Result<(), StoreError> {
    check_format(database, file)?;
    let fail = StoreError::from_database("read", file);
    let result: String = database
        .pragma_query_value(None, "quick_check", |row| row.get(0))
        .map_err(&fail)?;
    if result == "ok" {
        Ok(())
    } else {
        Err(StoreError::damaged(file, result))
    }
}

/// Checks that the file is a run store in a known format.
pub(super) fn check_format(database: &Connection, file: &Path) -> Result<(), StoreError> {
    let fail = StoreError::from_database("read", file);
    let number = |name| {
        database
            .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
            .map_err(&fail)
    };
    if number("application_id")? != APPLICATION {
        return Err(StoreError::damaged(
            file,
            "it is not a run store of boildown",
        ));
    }
    match number("user_version")? {
        FORMAT => Ok(()),
        format if format > FORMAT => Err(StoreError::Newer {
            path: file.to_owned(),
            format,
        }),
        format => Err(StoreError::damaged(
            file,
            format!("unknown format {format}"),
        )),
    }
}

/// Returns the flags that state the property of a run.
pub(super) fn read_flags(database: &Connection) -> rusqlite::Result<Option<String>> {
    database
        .query_row("SELECT flags FROM run", [], |row| row.get(0))
        .optional()
}

/// Returns what the verdicts of a run depend on.
pub(super) fn read_identity(database: &Connection) -> rusqlite::Result<Identity> {
    let salt = read_salt(database)?.map(Salt);
    let identity: Identity = database
        .prepare("SELECT what, value FROM identity ORDER BY what")?
        .query_map([], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    Ok(identity.with_salt(salt))
}

/// Returns a fact about where the file comes from.
pub(super) fn read_fact(database: &Connection, name: &str) -> rusqlite::Result<Option<Vec<u8>>> {
    if !database.table_exists(None, "provenance")? {
        return Ok(None);
    }
    database
        .query_row(
            "SELECT value FROM provenance WHERE name = ?1",
            [name],
            |row| row.get(0),
        )
        .optional()
}

/// Returns the salt of the secrets in the identity; `None` in files of the first versions.
fn read_salt(database: &Connection) -> rusqlite::Result<Option<[u8; 32]>> {
    Ok(read_fact(database, SALT)?.and_then(|salt| salt.try_into().ok()))
}
