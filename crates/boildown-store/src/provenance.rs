//! The origin of a store: its seal, and the permissions of its input.
//!
//! A store travels: with a repository, as an artefact of a CI job. A command that it names is run
//! only if the store was written here by this user, which its *seal* says: a hash that is keyed
//! with a secret beside no store. Without the secret there is no seal, and a store with another
//! command, another directory or another result has another one.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use boildown_exec::{Access, DirHandle, fsx};
use rusqlite::{Connection, params};

use super::{StoreError, schema};

/// Where a store comes from: what a session knows when it begins.
#[derive(Debug, Clone, Default)]
pub struct Provenance {
    /// The key of the user; `None` when there is none.
    pub key: Option<SealKey>,
    /// What the input permits, as a mode.
    pub access: Option<u32>,
}

/// The secret of a user of a machine.
#[derive(Clone)]
pub struct SealKey([u8; 32]);

impl std::fmt::Debug for SealKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealKey(..)")
    }
}

/// The name of the file with the secret.
const KEY_FILE: &str = "store-key";

/// The machine. The home directories of several machines may be one.
const MACHINE: &str = "/etc/machine-id";

/// What the keys of this purpose are derived with.
const CONTEXT: &str = "boildown 2026-11-28 seals of run stores";

/// The names of the seal and of the permissions.
const SEAL: &str = "seal";
const ACCESS: &str = "access";

impl SealKey {
    /// Returns the key that is in this directory of the user, and makes one if there is none.
    ///
    /// # Errors
    /// Those of the system.
    pub fn of_user(dir: &Path) -> io::Result<Self> {
        let dir = fsx::create_dirs(dir, Access::OWNER)?;
        if let Err(error) = dir.open_file(KEY_FILE.as_ref()) {
            if error.kind() != io::ErrorKind::NotFound {
                return Err(error);
            }
            // Another session may make one at the same time. The one that is there then counts.
            match dir.write_new(KEY_FILE.as_ref(), &random()?, Access::OWNER) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        Self::read(&dir)
    }

    /// Returns the key that is in this directory of the user; `None` when there is none.
    pub fn existing(dir: &Path) -> Option<Self> {
        Self::read(&DirHandle::open(dir).ok()?).ok()
    }

    fn read(dir: &DirHandle) -> io::Result<Self> {
        let secret = dir.read_file(KEY_FILE.as_ref())?;
        if secret.len() != 32 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let machine = std::fs::read(MACHINE).unwrap_or_default();
        let material = [secret, machine].concat();
        Ok(Self(blake3::derive_key(CONTEXT, &material)))
    }
}

/// Returns bytes of the random generator of the system.
pub(super) fn random() -> io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Writes what the input permits, and the salt of secrets.
pub(super) fn write_origin(
    database: &Connection,
    access: Option<u32>,
    salt: Option<[u8; 32]>,
) -> rusqlite::Result<()> {
    if let Some(access) = access {
        write(database, ACCESS, &access.to_le_bytes())?;
    }
    salt.map_or(Ok(()), |salt| write(database, schema::SALT, &salt))
}

fn write(database: &Connection, name: &str, value: &[u8]) -> rusqlite::Result<()> {
    (database.prepare_cached("INSERT OR REPLACE INTO provenance VALUES (?1, ?2)")?)
        .execute(params![name, value])
        .map(drop)
}

/// Returns the mode that says what the input permits; `None` in files of the first versions.
///
/// # Errors
/// [`StoreError`] when the file cannot be read.
pub fn access_of_store(file: &Path) -> Result<Option<u32>, StoreError> {
    let database = schema::open_to_read(file)?;
    let access =
        schema::read_fact(&database, ACCESS).map_err(StoreError::from_database("read", file))?;
    Ok(access.and_then(|mode| Some(u32::from_le_bytes(mode.try_into().ok()?))))
}

/// Returns whether a store was written with this key, and not changed by others since.
///
/// # Errors
/// [`StoreError`] when the file cannot be read.
pub fn is_sealed(file: &Path, key: &SealKey) -> Result<bool, StoreError> {
    let database = schema::open_to_read(file)?;
    has_seal(&database, key).map_err(StoreError::from_database("read", file))
}

/// Returns whether the seal is that of what the file says.
pub(super) fn has_seal(database: &Connection, key: &SealKey) -> rusqlite::Result<bool> {
    let stored =
        schema::read_fact(database, SEAL)?.and_then(|seal| <[u8; 32]>::try_from(seal).ok());
    match stored {
        // Hashes are compared in constant time.
        Some(stored) => Ok(seal_of(database, key)? == blake3::Hash::from(stored)),
        None => Ok(false),
    }
}

/// Writes the seal of what the file says now.
pub(super) fn seal(database: &Connection, key: &SealKey) -> rusqlite::Result<()> {
    let seal = seal_of(database, key)?;
    write(database, SEAL, seal.as_bytes())
}

/// The queries for all that decides what a report runs: the property, the identity with the names
/// of programs, the events with the arguments, and the result. The schema is among it, because a
/// view in place of a table may say something else each time.
const SEALED: [&str; 5] = [
    "SELECT type, name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name",
    "SELECT input, property, flags, CAST(time_limit AS TEXT) FROM run",
    "SELECT what, value FROM identity ORDER BY what",
    "SELECT CAST(session AS TEXT), event, json FROM ends ORDER BY session, event",
    "SELECT CAST(question AS TEXT), hex(content) FROM improvements ORDER BY question DESC LIMIT 1",
];

fn seal_of(database: &Connection, key: &SealKey) -> rusqlite::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new_keyed(&key.0);
    for query in SEALED {
        let mut statement = database.prepare_cached(query)?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                let text: String = row.get(column)?;
                hasher.update(&(text.len() as u64).to_le_bytes());
                hasher.update(text.as_bytes());
            }
        }
        // No text is as long as this.
        hasher.update(&u64::MAX.to_le_bytes());
    }
    Ok(hasher.finalize())
}
