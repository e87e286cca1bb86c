//! Parsers of option values.

use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Duration;

use boildown_oracle::{OracleError, parse_bytes, parse_duration};

/// A limit on memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryLimit {
    Unlimited,
    Bytes(u64),
}

/// Parses a number of jobs.
pub(crate) fn jobs(text: &str) -> Result<NonZeroUsize, &'static str> {
    let jobs = text
        .parse()
        .ok()
        .filter(|jobs: &NonZeroUsize| jobs.get() <= 1024);
    jobs.ok_or("not a whole number from 1 to 1024")
}

/// Parses a number of jobs on this machine, which may be none.
pub(crate) fn jobs_here(text: &str) -> Result<usize, &'static str> {
    match text.parse() {
        Ok(0) => Ok(0),
        _ => jobs(text).map(NonZeroUsize::get),
    }
}

/// Parses a number that is not zero.
pub(crate) fn at_least_one(text: &str) -> Result<usize, &'static str> {
    let number = text.parse().ok().filter(|&number| number > 0);
    number.ok_or("not a whole number from 1 up")
}

/// Parses an amount of memory, or `none`.
pub(crate) fn memory(text: &str) -> Result<MemoryLimit, &'static str> {
    match (text, parse_bytes(text)) {
        ("none", _) => Ok(MemoryLimit::Unlimited),
        (_, Some(bytes)) => Ok(MemoryLimit::Bytes(bytes)),
        _ => Err("not an amount of memory, such as 500M or 8G, nor `none`"),
    }
}

/// Parses a length of time.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    if text.parse() == Ok(0.0) {
        return Err("0 is no time; without the option there is a default".to_owned());
    }
    parse_duration(text).map_err(complaint)
}

/// Parses a value that [`boildown_oracle`] knows.
pub(crate) fn oracle_value<T: FromStr<Err = OracleError>>(text: &str) -> Result<T, String> {
    text.parse().map_err(complaint)
}

/// Parses a value whose error is a message already.
pub(crate) fn named<T: FromStr<Err = String>>(text: &str) -> Result<T, String> {
    text.parse()
}

/// Returns what is wrong with a value, without its option and the value, which clap prints.
fn complaint(error: OracleError) -> String {
    match error {
        OracleError::Expectation { wanted, .. } => format!("not {wanted}"),
        error => error.to_string(),
    }
}
