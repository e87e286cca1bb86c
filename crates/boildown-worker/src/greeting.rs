//! The lines with which a worker and a client begin: both are text, so that versions that have
//! nothing else in common can still name each other.

use std::io::{self, BufRead, Read as _};

/// The version of the protocol.
pub(crate) const PROTOCOL: u32 = 2;

/// The version of boildown.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The first word of the line of a worker.
const WORKER: &str = "boildown-worker";

/// The first word of the line of a client.
const CLIENT: &str = "boildown-client";

/// The longest line, in bytes.
const MAX_LINE: u64 = 1024;

/// Bytes that a launch command may print before the worker begins, such as the banner of a login
/// shell.
const MAX_NOISE: usize = 64 << 10;

/// What a worker says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkerGreeting {
    pub(crate) protocol: u32,
    pub(crate) version: String,
    /// Commands that it runs at the same time, as it says.
    pub(crate) jobs: usize,
    pub(crate) host: String,
}

/// Returns the line of this worker.
pub(crate) fn of_worker(jobs: usize, host: &str) -> String {
    format!("{WORKER} {PROTOCOL} {VERSION} {jobs} {host}\n")
}

/// Returns the line of this client.
pub(crate) fn of_client() -> String {
    format!("{CLIENT} {PROTOCOL} {VERSION}\n")
}

fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    input.take(MAX_LINE).read_until(b'\n', &mut line)?;
    Ok((!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned()))
}

/// Reads the line of a client. The inner error is what came instead.
pub(crate) fn read_client(input: &mut impl BufRead) -> io::Result<Option<Result<(), String>>> {
    let Some(line) = read_line(input)? else {
        return Ok(None);
    };
    let mut words = line.split_whitespace();
    Ok(Some(match words.next() {
        // The client judges the versions, because it can report to the user.
        Some(CLIENT) if line.ends_with('\n') => Ok(()),
        _ => Err(line.trim_end().chars().take(80).collect()),
    }))
}

/// Reads the line of a worker, after other lines. The inner error is the last of these.
pub(crate) fn read_worker(input: &mut impl BufRead) -> io::Result<Result<WorkerGreeting, String>> {
    let (mut noise, mut last) = (0, String::new());
    while let Some(line) = read_line(input)? {
        // A banner need not end its last line.
        if let Some(at) = line.find(WORKER)
            && let Some(greeting) = parse_worker(&line[at..])
        {
            return Ok(Ok(greeting));
        }
        last = shown(&line).unwrap_or(last);
        noise += line.len();
        if noise > MAX_NOISE {
            break;
        }
    }
    Ok(Err(last))
}

/// Returns a line for messages; `None` if it is empty.
fn shown(line: &str) -> Option<String> {
    let line = line.trim();
    (!line.is_empty()).then(|| line.chars().take(200).collect())
}

fn parse_worker(line: &str) -> Option<WorkerGreeting> {
    let mut words = line.strip_suffix('\n')?.splitn(5, ' ').skip(1);
    Some(WorkerGreeting {
        protocol: words.next()?.parse().ok()?,
        version: words.next()?.to_owned(),
        // The client refuses 0.
        jobs: words.next()?.parse().unwrap_or(0),
        host: words.next()?.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_is_found_behind_the_banner_of_a_shell() {
        let line = of_worker(3, "node 7");
        let mut stream: &[u8] = &[b"Welcome!\n\nLast login: ", line.as_bytes(), b"\x05"].concat();
        let greeting = read_worker(&mut stream).unwrap().unwrap();
        assert_eq!((greeting.jobs, greeting.host.as_str()), (3, "node 7"));
        assert_eq!((greeting.protocol, &*greeting.version), (PROTOCOL, VERSION));
        assert_eq!(stream, b"\x05");
    }

    #[test]
    fn a_worker_may_announce_any_number_of_jobs() {
        for (jobs, read) in [
            ("1000000", 1_000_000),
            ("many", 0),
            ("99999999999999999999", 0),
        ] {
            let line = format!("{WORKER} 1 0.1.0 {jobs} host\n");
            let greeting = read_worker(&mut line.as_bytes()).unwrap().unwrap();
            assert_eq!(greeting.jobs, read);
        }
    }

    #[test]
    fn a_worker_that_is_none_is_an_error_with_its_last_line() {
        let read = |text: &str| read_worker(&mut text.as_bytes()).unwrap().unwrap_err();
        assert_eq!(
            read("sh: boildown: not found\n\n"),
            "sh: boildown: not found"
        );
        assert_eq!(read(""), "");
        assert!(read(&"x".repeat(1 << 20)).len() <= 200);
    }

    #[test]
    fn a_client_of_another_version_is_known_as_one() {
        let read = |text: &str| read_client(&mut text.as_bytes()).unwrap();
        assert_eq!(read("boildown-client 99 7.0 more\n"), Some(Ok(())));
        assert_eq!(read("hello\n"), Some(Err("hello".to_owned())));
        assert_eq!(
            read("boildown-client 1"),
            Some(Err("boildown-client 1".to_owned()))
        );
        assert_eq!(read(""), None);
    }
}
