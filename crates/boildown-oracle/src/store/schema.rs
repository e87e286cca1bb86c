//! The format of the file: `docs/store.md` describes it for readers.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::StoreError;

/// The version of the format that is written. Every version that was ever released is read.
pub(super) const FORMAT: i64 = 1;

/// "boil", so that tools that know files by their content can know these.
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

/// The first files have no such table.
const LEAVES: &str = "
CREATE TABLE IF NOT EXISTS leaves (
    number INTEGER PRIMARY KEY,
    question INTEGER NOT NULL,
    session INTEGER NOT NULL
);
";

/// Opens the file for writing, and makes it when there is none.
pub(super) fn open(file: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = connect(file, flags)?;
    let set = |name, value: &str| {
        database
            .pragma_update(None, name, value)
            .map_err(StoreError::of("write", file))
    };
    set("journal_mode", "wal")?;
    // A kill loses nothing that was committed, and a power cut only the last moments: asking again is cheaper than waiting
    // for the disk at every commit.
    set("synchronous", "normal")?;
    set("journal_size_limit", "16777216")?;
    Ok(database)
}

/// Opens the file for reading only.
pub(super) fn open_to_read(file: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    connect(file, flags)
}

fn connect(file: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let fail = StoreError::of("open", file);
    let database = Connection::open_with_flags(file, flags).map_err(&fail)?;
    // Somebody may look at it with other tools meanwhile.
    database
        .busy_timeout(Duration::from_secs(10))
        .map_err(&fail)?;
    Ok(database)
}

/// Makes the tables.
pub(super) fn create(database: &Connection) -> rusqlite::Result<()> {
    database.execute_batch(TABLES)?;
    database.pragma_update(None, "application_id", APPLICATION)?;
    database.pragma_update(None, "user_version", FORMAT)
}

/// Makes the tables that a file may be without.
pub(super) fn complete(database: &Connection) -> rusqlite::Result<()> {
    database.execute_batch(LEAVES)
}

/// Whether anything was ever written.
pub(super) fn is_empty(database: &Connection, file: &Path) -> Result<bool, StoreError> {
    let fail = StoreError::of("read", file);
    let tables: i64 = database
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(fail)?;
    Ok(tables == 0)
}

/// Checks that it is a run store that we can read, and whole.
pub(super) fn check(database: &Connection, file: &Path) -> Result<(), StoreError> {
    let fail = StoreError::of("read", file);
    let number = |name| {
        database
            .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
            .map_err(&fail)
    };
    if number("application_id")? != APPLICATION {
        return Err(StoreError::damaged(file, "it is no run store of boildown"));
    }
    match number("user_version")? {
        FORMAT => {}
        format if format > FORMAT => {
            return Err(StoreError::Newer {
                path: file.to_owned(),
                format,
            });
        }
        format => {
            return Err(StoreError::damaged(
                file,
                format!("there is no format {format}"),
            ));
        }
    }
    let verdict: String = database
        .pragma_query_value(None, "quick_check", |row| row.get(0))
        .map_err(&fail)?;
    if verdict == "ok" {
        Ok(())
    } else {
        Err(StoreError::damaged(file, verdict))
    }
}
