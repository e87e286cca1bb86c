//! Verdicts of a subject's own test, each run once and kept in a file.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context as _, Result};
use boildown_document::Candidate;
use boildown_search::{Fingerprint, Fingerprinted as _, Verdict};

use crate::corpus::Subject;

/// The number of tests that run at the same time.
const JOBS: usize = 2;

/// The result of a test.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Judged {
    pub(crate) verdict: Verdict,
    /// The seconds that the test took when it ran.
    pub(crate) seconds: f64,
}

/// The results of a subject's test by the content of the candidate, with a file that holds them: a
/// line each, with fingerprint, `I` or `U`, and microseconds.
///
/// The test runs without a sandbox, so only tests that do not run the candidate are safe.
#[derive(Debug)]
pub(crate) struct Verdicts<'a> {
    subject: &'a Subject,
    known: HashMap<Fingerprint, Judged>,
    file: File,
}

impl<'a> Verdicts<'a> {
    /// Reads what the folder `cache` knows about a subject.
    pub(crate) fn open(subject: &'a Subject, cache: &Path) -> Result<Self> {
        fs::create_dir_all(cache).with_context(|| format!("make {}", cache.display()))?;
        let path = cache.join(format!("{}.verdicts", subject.name));
        let mut file = OpenOptions::new();
        let file = file.append(true).create(true).open(&path);
        let file = file.with_context(|| format!("open {}", path.display()))?;
        let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        Ok(Self {
            subject,
            known: text.lines().filter_map(read).collect(),
            file,
        })
    }

    /// Returns the results of the test on some candidates; runs it where the result is not known.
    pub(crate) fn judge(&mut self, candidates: &[Candidate]) -> Result<Vec<Judged>> {
        let mut unknown: Vec<&Candidate> = (candidates.iter())
            .filter(|candidate| !self.known.contains_key(&candidate.fingerprint()))
            .collect();
        unknown.dedup_by_key(|candidate| candidate.fingerprint());
        self.known
            .extend(run_all(self.subject, &unknown, &self.file)?);
        Ok(candidates
            .iter()
            .map(|candidate| self.known[&candidate.fingerprint()])
            .collect())
    }
}

/// Writes a line of the file.
fn write(mut file: &File, fingerprint: Fingerprint, judged: Judged) -> Result<()> {
    let letter = if judged.verdict.is_interesting() {
        'I'
    } else {
        'U'
    };
    let (bits, micros) = (fingerprint.bits(), judged.seconds * 1e6);
    // In one call, so that lines of threads and processes are not mixed.
    let line = format!("{bits:032x} {letter} {micros:.0}\n");
    file.write_all(line.as_bytes()).context("write a verdict")
}

/// Reads a line of the file; a line that was not written to its end counts for nothing.
fn read(line: &str) -> Option<(Fingerprint, Judged)> {
    let mut fields = line.split(' ');
    let fingerprint = u128::from_str_radix(fields.next()?, 16).ok()?;
    let verdict = match fields.next()? {
        "I" => Verdict::Interesting,
        "U" => Verdict::Uninteresting,
        _ => return None,
    };
    let micros: f64 = fields.next()?.parse().ok()?;
    let seconds = micros / 1e6;
    Some((Fingerprint::new(fingerprint), Judged { verdict, seconds }))
}

/// Runs the test on each candidate, a few at a time. Each verdict is written at once, so that a
/// replay that is stopped continues from there.
fn run_all(
    subject: &Subject,
    candidates: &[&Candidate],
    file: &File,
) -> Result<Vec<(Fingerprint, Judged)>> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<(Fingerprint, Judged)>> {
        let mut judged = Vec::new();
        while let Some(candidate) = candidates.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = (candidate.fingerprint(), run_one(subject, candidate)?);
            write(file, result.0, result.1)?;
            judged.push(result);
        }
        Ok(judged)
    };
    thread::scope(|scope| {
        let jobs = JOBS.min(candidates.len());
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        let judged = threads.into_iter().map(|thread| {
            let judged = thread.join();
            judged.expect("no thread panics")
        });
        Ok(judged.collect::<Result<Vec<_>>>()?.concat())
    })
}

fn run_one(subject: &Subject, candidate: &Candidate) -> Result<Judged> {
    let folder = tempfile::tempdir().context("make a folder for a candidate")?;
    let path = folder.path().join("candidate");
    fs::write(&path, candidate.bytes()).context("write a candidate")?;
    let started = Instant::now();
    let verdict = if subject.accepts(&path)? {
        Verdict::Interesting
    } else {
        Verdict::Uninteresting
    };
    let seconds = started.elapsed().as_secs_f64();
    Ok(Judged { verdict, seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_cut_short_is_no_verdict() {
        let whole = "000000000000000000000000000000ff I 1500000";
        let (fingerprint, judged) = read(whole).unwrap();
        assert_eq!(fingerprint, Fingerprint::new(255));
        assert!(judged.verdict.is_interesting());
        assert!((judged.seconds - 1.5).abs() < 1e-9);
        assert!(read("00ff I").is_none());
        assert!(read("00ff").is_none());
    }
}
