//! The events of a job, as they come.

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use axum::response::sse::Event;
use tokio::sync::mpsc;

use super::farm::Farm;

/// The events of a job that were not read yet.
#[derive(Debug)]
struct NewEvents {
    file: PathBuf,
    /// How much of the file was read, in bytes, and the line that is not complete.
    read: u64,
    rest: Vec<u8>,
}

impl NewEvents {
    /// Returns the lines since the last call.
    fn lines(&mut self) -> io::Result<Vec<String>> {
        let mut file = match File::open(&self.file) {
            // The job has not begun.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            opened => opened?,
        };
        file.seek(SeekFrom::Start(self.read))?;
        self.read += file.read_to_end(&mut self.rest)? as u64;
        let end = self.rest.iter().rposition(|&byte| byte == b'\n');
        let rest = self.rest.split_off(end.map_or(0, |end| end + 1));
        let complete = std::mem::replace(&mut self.rest, rest);
        let lines = String::from_utf8_lossy(&complete);
        Ok(lines.lines().map(str::to_owned).collect())
    }
}

/// Sends the events of a job after the one with this number, and at its end the state of the job as
/// the event `end`. Ends early when no client receives them.
pub(super) async fn follow(
    farm: Arc<Farm>,
    id: i64,
    after: u64,
    events: mpsc::Sender<Result<Event, Infallible>>,
) {
    let mut changes = farm.changes();
    let mut number = 0;
    let mut new_events = NewEvents {
        file: farm.events_file(id),
        read: 0,
        rest: Vec::new(),
    };
    loop {
        changes.borrow_and_update();
        // Before the events are read: what comes after it is the last.
        let has_ended = farm.has_ended(id);
        let Ok(lines) = new_events.lines() else {
            return;
        };
        for line in lines {
            number += 1;
            let event = Event::default().id(number.to_string()).data(line);
            if number > after && events.send(Ok(event)).await.is_err() {
                return;
            }
        }
        if has_ended {
            if let Ok(state) = farm.state(id) {
                let event = Event::default().event("end").data(state.to_string());
                events.send(Ok(event)).await.ok();
            }
            return;
        }
        tokio::select! {
            () = events.closed() => return,
            changed = changes.changed() => if changed.is_err() { return },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_line_is_read_once_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events");
        let mut events = NewEvents {
            file: path.clone(),
            read: 0,
            rest: Vec::new(),
        };
        assert!(events.lines().unwrap().is_empty());
        let mut options = OpenOptions::new();
        let mut file = options.create(true).append(true).open(&path).unwrap();
        for (written, lines) in [
            ("a\nb", &["a"][..]),
            ("c", &[]),
            ("\nd\n\n", &["bc", "d", ""]),
        ] {
            file.write_all(written.as_bytes()).unwrap();
            assert_eq!(events.lines().unwrap(), lines);
        }
    }
}
