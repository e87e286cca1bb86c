//! One harness: a process that runs candidates when it is asked to.

use std::path::Path;
use std::time::{Duration, Instant};

use super::harness_start::{HarnessStart, RequestForm};
use super::protocol::{self, HarnessAnswer};
use crate::scratch::ReusableRunDir;
use crate::spawn::{AnswerLimits, Invocation, Limits, Reply, ServedProcess};
use boildown_oracle::{Interrupt, OracleError, Outcome, Run};

/// The longest time until a harness is ready.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// A harness that has said that it is ready.
#[derive(Debug)]
pub(super) struct Harness {
    process: ServedProcess,
    form: RequestForm,
    next_id: u64,
}

/// What came of asking a harness to run a candidate.
#[derive(Debug)]
pub(super) enum Asked {
    Ran(Run),
    /// It cannot run candidates, and says why.
    Refused(String),
    /// It has ended, did not answer in time, or has answered nonsense. It is not asked again.
    Fault(String),
    /// The request cannot be put into words.
    Unsayable,
}

impl Harness {
    /// Starts a harness in these directories. The inner error says why there is none.
    pub(super) fn start(
        start: &HarnessStart,
        place: &mut ReusableRunDir,
        command: &Invocation,
        limits: &Limits,
        interrupt: &Interrupt,
    ) -> Result<Result<Self, String>, OracleError> {
        let invocation = match start.invocation(command) {
            Ok(invocation) => invocation,
            Err(why) => return Ok(Err(why.to_owned())),
        };
        let mut process = match ServedProcess::start(&mut place.thread, &invocation, limits) {
            Ok(process) => process,
            Err(error @ OracleError::Spawn { .. }) => return Ok(Err(error.to_string())),
            Err(error) => return Err(error),
        };
        let within = AnswerLimits {
            limits,
            deadline: Instant::now().checked_add(START_TIMEOUT),
            longest: protocol::longest_answer(0),
        };
        let greeting = match process.greeting(&within, interrupt)? {
            Reply::Line(line) => protocol::check_greeting(&line),
            Reply::Interrupted => return Err(OracleError::Interrupted),
            Reply::Deadline => Err("it does not say that it is ready".to_owned()),
            Reply::Exceeded(resource) => Err(Outcome::Exceeded(resource).to_string()),
            Reply::Ended => Err("it ended before it was ready".to_owned()),
            Reply::Flooded => Err("its first line is too long".to_owned()),
        };
        Ok(match greeting {
            Ok(()) => Ok(Self {
                process,
                form: start.request_form(),
                next_id: 0,
            }),
            Err(why) => Err(with_messages(why, &process.messages())),
        })
    }

    /// Asks for a run of the candidate at this path.
    pub(super) fn run(
        &mut self,
        invocation: &Invocation,
        candidate: &Path,
        limits: &Limits,
        interrupt: &Interrupt,
    ) -> Result<Asked, OracleError> {
        let id = self.next_id;
        self.next_id += 1;
        let request = match self.form {
            RequestForm::Json => protocol::request(id, invocation, candidate, limits.output_cap),
            RequestForm::Fields => protocol::fields(id, invocation, limits.output_cap),
        };
        let Some(request) = request else {
            return Ok(Asked::Unsayable);
        };
        let started = Instant::now();
        let within = AnswerLimits {
            limits,
            deadline: started.checked_add(limits.timeout),
            longest: protocol::longest_answer(limits.output_cap),
        };
        let reply = self.process.ask(&request, &within, interrupt)?;
        let took = started.elapsed();
        let fault = |process: &mut ServedProcess, why: &str| {
            Asked::Fault(with_messages(why.to_owned(), &process.messages()))
        };
        let is_cut_short = matches!(reply, Reply::Deadline | Reply::Interrupted);
        let line = match reply {
            Reply::Line(line) => line,
            Reply::Deadline | Reply::Interrupted => {
                let stopped = self.process.stop_run(&within)?;
                if reply == Reply::Interrupted {
                    // A harness that has not answered cannot be asked again.
                    return match stopped {
                        Some(_) => Err(OracleError::Interrupted),
                        None => Ok(Asked::Fault("interrupted".to_owned())),
                    };
                }
                match stopped {
                    Some(line) => line,
                    None => return Ok(fault(&mut self.process, "it does not answer in time")),
                }
            }
            Reply::Ended => return Ok(fault(&mut self.process, "it has ended")),
            Reply::Flooded => return Ok(fault(&mut self.process, "its answer is too long")),
            Reply::Exceeded(resource) => {
                let why = Outcome::Exceeded(resource).to_string();
                return Ok(fault(&mut self.process, &why));
            }
        };
        Ok(match protocol::answer(&line, id, invocation.capture) {
            Ok(HarnessAnswer::Ran {
                outcome,
                stdout,
                stderr,
            }) => Asked::Ran(Run {
                outcome: if is_cut_short {
                    Outcome::TimedOut
                } else {
                    outcome
                },
                stdout,
                stderr,
                took,
            }),
            Ok(HarnessAnswer::Refused(why)) => Asked::Refused(why),
            Err(why) => fault(&mut self.process, &why),
        })
    }
}

/// Returns the sentence with the last line that the harness wrote to its standard error.
fn with_messages(why: String, messages: &[u8]) -> String {
    let messages = String::from_utf8_lossy(messages);
    let last = messages.lines().rev().find(|line| !line.trim().is_empty());
    match last {
        Some(line) => {
            let line: String = line
                .trim()
                .chars()
                .filter(|c| !c.is_control())
                .take(200)
                .collect();
            format!("{why}; its last message: {line}")
        }
        None => why,
    }
}
