//! The identity of a run.

use std::fmt;
use std::path::Path;

use super::file_state::{hash, watched_value};

/// The length of a digest, in hexadecimal digits.
pub(super) const DIGEST_LEN: usize = 16;

/// Everything that the queries and verdicts of a run depend on: pairs of a readable name and a
/// value.
///
/// Two runs with equal identities ask the same queries and get the same verdicts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// Sorted by name when read from a file, otherwise in the order of adding.
    pairs: Vec<Pair>,
    salt: Option<Salt>,
    /// Files that verdicts may depend on, with what they hold. Runs may also write them.
    watched: Vec<(String, String)>,
}

/// A name and a value of an identity.
#[derive(Clone, PartialEq, Eq)]
struct Pair {
    what: String,
    value: String,
    /// The value of which only a hash is stored; empty when the value itself is.
    secret: Vec<u8>,
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (f.debug_tuple("Pair").field(&self.what).field(&self.value)).finish()
    }
}

/// Random bytes in the hashes of secrets of one folder of stores: a reader of a store cannot look
/// the hashes up in a table, nor compare those of two folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Salt(pub(super) [u8; SALT_LEN]);

/// The length of a salt, in bytes.
pub(super) const SALT_LEN: usize = 32;

/// The maximum length of a value. Longer values are replaced by their hash.
const MAX_VALUE: usize = 200;

impl Identity {
    /// Adds a value. Messages about what has changed use the name `what`, such as "the command".
    pub fn add(&mut self, what: impl Into<String>, value: impl Into<String>) {
        let value = value.into();
        let value = if value.len() > MAX_VALUE {
            hash(value.as_bytes())
        } else {
            value
        };
        self.pairs.push(Pair::open(what.into(), value));
    }

    /// Adds the hash of a value that is long.
    pub fn add_hash(&mut self, what: impl Into<String>, value: &[u8]) {
        self.pairs.push(Pair::open(what.into(), hash(value)));
    }

    /// Adds the hash of a value that is secret. In a store it is salted.
    pub fn add_secret(&mut self, what: impl Into<String>, value: &[u8]) {
        let mut pair = Pair::open(what.into(), String::new());
        value.clone_into(&mut pair.secret);
        pair.value = hash_of_secret(value, self.salt);
        self.pairs.push(pair);
    }

    /// Returns this identity with the hashes of its secrets salted with this, or not at all, as in
    /// stores of the first versions.
    pub(super) fn salted(mut self, salt: Option<Salt>) -> Self {
        for pair in &mut self.pairs {
            if !pair.secret.is_empty() {
                pair.value = hash_of_secret(&pair.secret, salt);
            }
        }
        Self { salt, ..self }
    }

    /// Returns this identity, whose secrets were salted with this.
    pub(super) fn with_salt(self, salt: Option<Salt>) -> Self {
        Self { salt, ..self }
    }

    /// Returns what its secrets are salted with.
    pub(super) fn salt(&self) -> Option<Salt> {
        self.salt
    }

    /// Adds a file that verdicts may depend on, and that runs may write: its path, and a value that
    /// changes with its content. It is no part of the identity; a session that finds it changed
    /// does not resume.
    pub(super) fn watch(&mut self, file: String, value: String) {
        self.watched.push((file, value));
    }

    /// Makes watched files part of the identity, as they are now: the verdicts of a run with other
    /// ones are not those of this run.
    pub fn include(&mut self, files: &[String]) {
        for file in files {
            let what = format!("the file {file}");
            let now = watched_value(Path::new(file)).unwrap_or_else(|| "missing".to_owned());
            match self.pairs.iter_mut().find(|pair| pair.what == what) {
                Some(pair) => pair.value = now,
                None => self.pairs.push(Pair::open(what, now)),
            }
        }
    }

    /// Does not watch this file: boildown writes it itself, or its content is part of the identity.
    pub fn unwatch(&mut self, file: &Path) {
        let Ok(file) = file.canonicalize() else {
            return;
        };
        let is_same = |path: &str| {
            Path::new(path)
                .canonicalize()
                .is_ok_and(|path| path == file)
        };
        self.watched.retain(|(path, _)| !is_same(path));
    }

    /// Returns the watched files.
    pub(super) fn watched(&self) -> impl Iterator<Item = (&str, &str)> {
        let watched = self.watched.iter();
        watched.map(|(file, value)| (file.as_str(), value.as_str()))
    }

    /// Returns the names and values.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs
            .iter()
            .map(|pair| (pair.what.as_str(), pair.value.as_str()))
    }

    /// Returns the name of the file of the run, without its extension.
    pub(super) fn digest(&self) -> String {
        let mut pairs: Vec<_> = self.pairs().collect();
        pairs.sort_unstable();
        let mut hasher = blake3::Hasher::new();
        for text in pairs.into_iter().flat_map(|(what, value)| [what, value]) {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        hasher.finalize().to_hex()[..DIGEST_LEN].to_owned()
    }

    /// Returns the names whose values differ, sorted.
    ///
    /// Files, programs and variables that only one of two commands depends on did not change: they
    /// are left out if something else did.
    pub(super) fn differences(&self, other: &Self) -> Vec<String> {
        let salted = self.clone().salted(other.salt);
        salted.differing_names(other)
    }

    fn differing_names(&self, other: &Self) -> Vec<String> {
        let names = self.pairs().chain(other.pairs()).map(|(what, _)| what);
        let mut names: Vec<_> = names
            .filter(|what| self.value(what) != other.value(what))
            .map(str::to_owned)
            .collect();
        names.sort_unstable();
        names.dedup();
        let is_of_both = |what: &str| self.value(what).is_some() && other.value(what).is_some();
        let is_change = |what: &String| is_of_both(what) || !is_surrounding(what);
        if names.iter().any(is_change) {
            names.retain(is_change);
        }
        names
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.pairs()
            .find(|(what, _)| *what == name)
            .map(|(_, value)| value)
    }
}

impl Pair {
    fn open(what: String, value: String) -> Self {
        Self {
            what,
            value,
            secret: Vec::new(),
        }
    }
}

fn hash_of_secret(value: &[u8], salt: Option<Salt>) -> String {
    let Some(Salt(salt)) = salt else {
        return hash(value);
    };
    let salted = blake3::keyed_hash(&salt, value).to_hex();
    format!("salted:{}", &salted[..32])
}

impl<A: Into<String>, B: Into<String>> FromIterator<(A, B)> for Identity {
    fn from_iter<I: IntoIterator<Item = (A, B)>>(pairs: I) -> Self {
        let pairs = pairs.into_iter();
        Self {
            pairs: pairs
                .map(|(what, value)| Pair::open(what.into(), value.into()))
                .collect(),
            salt: None,
            watched: Vec::new(),
        }
    }
}

/// Returns whether a command depends on what this names.
fn is_surrounding(what: &str) -> bool {
    let kinds = ["the file ", "the program ", "the environment variable "];
    kinds.iter().any(|kind| what.starts_with(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(pairs: &[(&str, &str)]) -> Identity {
        let mut identity = Identity::default();
        for (what, value) in pairs {
            identity.add(*what, *value);
        }
        identity
    }

    #[test]
    fn the_digest_depends_on_every_value_but_not_on_the_order() {
        let one = identity(&[("the command", "cc"), ("the input", "x")]);
        let same = identity(&[("the input", "x"), ("the command", "cc")]);
        assert_eq!(one.digest(), same.digest());
        assert!(one.differences(&same).is_empty());
        let other = identity(&[("the command", "cc"), ("the input", "y")]);
        assert_ne!(one.digest(), other.digest());
        assert_eq!(one.differences(&other), ["the input"]);
        let shifted = identity(&[("the command", "c"), ("cthe input", "x")]);
        assert_ne!(one.digest(), shifted.digest());
    }

    #[test]
    fn added_and_removed_names_are_differences() {
        let one = identity(&[("the command", "cc"), ("the file a", "x")]);
        let other = identity(&[("the command", "cc"), ("the file b", "x")]);
        assert_eq!(one.differences(&other), ["the file a", "the file b"]);
    }

    #[test]
    fn long_values_and_secrets_are_replaced_by_their_hash() {
        let mut identity = Identity::default();
        identity.add("the command", "x".repeat(1000));
        identity.add_hash("the environment variable TOKEN", b"secret");
        for (_, value) in identity.pairs() {
            assert!(value.starts_with("blake3:") && value.len() == 39, "{value}");
        }
    }
}
