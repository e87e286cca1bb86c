//! A sandbox and the directories of the runs in it.

use crate::spawn::{self, Capture, Cell, Limits, Sandbox};
use crate::{Cancel, CandidateFile, CommandLine, OracleError, Run};

use super::{RunDir, Scratch};

/// The directories of a run and a place in a sandbox that may write to them, kept for the next run: making either new costs
/// more than clearing up. A run cannot replace the directories, for it may not write around them.
#[derive(Debug)]
pub(super) struct Room {
    // First: the thread has to be gone before its directories are.
    cell: Cell,
    dir: RunDir,
    sandbox: Sandbox,
}

impl Scratch {
    /// Runs the command on a candidate in the sandbox, in a directory that holds only the candidate.
    ///
    /// # Errors
    /// [`OracleError::Scratch`] when there is no room for the candidate; those of [`run`](crate::spawn::run).
    pub(crate) fn run_in(
        &self,
        sandbox: &Sandbox,
        command: &CommandLine,
        capture: Capture,
        candidate: (&CandidateFile, &[u8]),
        limits: (&Limits, &Cancel),
    ) -> Result<Run, OracleError> {
        let mut room = self.room(sandbox, candidate)?;
        let invocation = command.invocation(&room.dir, capture);
        let result = spawn::run_in(Some(&mut room.cell), &invocation, limits.0, limits.1);
        // After an error nothing is known of the place.
        let worked = matches!(result, Ok(_) | Err(OracleError::Cancelled));
        if worked && room.dir.clear() {
            self.rooms().push(room);
        }
        result
    }

    fn room(
        &self,
        sandbox: &Sandbox,
        (file, bytes): (&CandidateFile, &[u8]),
    ) -> Result<Room, OracleError> {
        let free = {
            let mut rooms = self.rooms();
            let suits = |room: &Room| room.sandbox.is(sandbox);
            rooms.iter().rposition(suits).map(|at| rooms.remove(at))
        };
        if let Some(mut room) = free {
            room.dir.refill(file, bytes)?;
            return Ok(room);
        }
        let dir = self.run_dir(file, bytes)?;
        Ok(Room {
            cell: sandbox.cell(&[dir.path(), dir.tmp()])?,
            dir,
            sandbox: sandbox.clone(),
        })
    }
}
