//! The folder of a service, and the processes that work on its jobs.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use tokio::sync::watch;

use super::config::{ServiceConfig, ServiceError, file_error};
use super::queue::{Queue, StoredJob};
use super::request::{CheckedRequest, RefusedRequest};
use crate::job_state::{JobPhase, JobState};
use crate::served_search::ServedSearch;

/// The exit code of a boildown that cannot write its result, since another one does.
const CANNOT_RUN: u64 = 5;

/// How often, and after which pause, a resumed job is started while the process of the service
/// before may still be ending.
const ATTEMPTS: usize = 40;
const PAUSE: Duration = Duration::from_millis(250);

/// The pause before the end of a job is stored again: the disk may be full.
const STORE_PAUSE: Duration = Duration::from_secs(2);

/// The number of jobs in a list.
const LISTED: usize = 1000;

/// The jobs, and the processes at work on them.
#[derive(Debug)]
pub(super) struct Farm {
    config: ServiceConfig,
    queue: Queue,
    running: Mutex<BTreeMap<i64, Arc<ServedSearch>>>,
    /// Counts what happened, so that who follows a job looks at it again.
    changes: watch::Sender<u64>,
}

impl Farm {
    /// Opens the folder of a service, which may have ended at any moment.
    pub(super) fn open(config: ServiceConfig) -> Result<Arc<Self>, ServiceError> {
        let path = config.jobs().join("queue.sqlite");
        let in_database = |error| ServiceError::Database {
            path: path.clone(),
            error,
        };
        let queue = Queue::open(&path).map_err(in_database)?;
        let farm = Self {
            queue,
            config,
            running: Mutex::default(),
            changes: watch::Sender::new(0),
        };
        // Their clients were never told a number.
        for id in farm.queue.in_state(JobPhase::New).map_err(in_database)? {
            let folder = farm.job_folder(id);
            match fs::remove_dir_all(&folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(file_error("remove", &folder)(error));
                }
                _ => farm.queue.remove(id).map_err(in_database)?,
            }
        }
        Ok(Arc::new(farm))
    }

    pub(super) fn config(&self) -> &ServiceConfig {
        &self.config
    }

    /// Returns what changes whenever something happened.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn job_folder(&self, id: i64) -> PathBuf {
        self.config.jobs().join(id.to_string())
    }

    /// Returns the file with the events of a job.
    pub(super) fn events_file(&self, id: i64) -> PathBuf {
        self.job_folder(id).join("events.jsonl")
    }

    /// Returns the best result of a job, which may not exist yet.
    pub(super) fn best_file(&self, id: i64) -> PathBuf {
        self.job_folder(id).join("best")
    }

    fn running(&self) -> MutexGuard<'_, BTreeMap<i64, Arc<ServedSearch>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Accepts a job: when it returns, the job survives the service.
    ///
    /// # Errors
    /// Why it is refused. Nothing of it is left then.
    pub(super) fn submit(
        self: &Arc<Self>,
        request: &CheckedRequest,
    ) -> Result<i64, RefusedRequest> {
        let waiting = self
            .queue
            .waiting()
            .map_err(|error| database_refusal(&error))?;
        if waiting >= i64::from(self.config.quotas.waiting) {
            let message = format!("{waiting} jobs are waiting: ask again later");
            return Err(RefusedRequest::new(429, message));
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |time| i64::try_from(time.as_secs()).unwrap_or(i64::MAX));
        let id = self.queue.add(&request.name, &request.words, now);
        let id = id.map_err(|error| database_refusal(&error))?;
        let folder = self.job_folder(id);
        let written = write_files(&folder, request).map_err(|error| file_refusal(&error));
        let ready = written.and_then(|()| {
            let moved = self.queue.move_on(id, JobPhase::New, JobPhase::Waiting);
            moved.map_err(|error| database_refusal(&error))
        });
        if let Err(refusal) = ready {
            fs::remove_dir_all(&folder).ok();
            // Otherwise the next service removes it.
            self.queue.remove(id).ok();
            return Err(refusal);
        }
        self.fill();
        Ok(id)
    }

    /// Starts jobs that wait, as many as may be at work.
    pub(super) fn fill(self: &Arc<Self>) {
        let mut running = self.running();
        while running.len() < self.config.at_once {
            let job = match self.queue.take() {
                Ok(Some(job)) => job,
                Ok(None) => return,
                // It waits until the next job is asked for, or ends.
                Err(_) => return,
            };
            match self.start(&job) {
                Ok(search) => {
                    let id = job.id;
                    running.insert(id, Arc::clone(&search));
                    let farm = Arc::clone(self);
                    thread::spawn(move || farm.attend(&job, search));
                }
                Err(message) => {
                    let farm = Arc::clone(self);
                    thread::spawn(move || farm.store_end(job.id, &failed(&message)));
                }
            }
            self.tell_change();
        }
    }

    fn start(self: &Arc<Self>, job: &StoredJob) -> Result<Arc<ServedSearch>, String> {
        let mut options = OpenOptions::new();
        let events = self.events_file(job.id);
        let file = options.create(true).append(true).open(&events);
        let mut file =
            file.map_err(|error| format!("failed to write {}: {error}", events.display()))?;
        let farm = Arc::downgrade(self);
        let record = move |line: &[u8]| {
            // On a full disk, the process says so itself.
            file.write_all(&[line, b"\n"].concat()).ok();
            if let Some(farm) = farm.upgrade() {
                farm.tell_change();
            }
        };
        let (program, folder) = (&self.config.program, self.job_folder(job.id));
        let search = ServedSearch::start(program, &job.words, &folder.join("input"), record)?;
        Ok(Arc::new(search))
    }

    /// Waits for the end of a job that was started, and starts the next one.
    fn attend(self: &Arc<Self>, job: &StoredJob, mut search: Arc<ServedSearch>) {
        let mut end = search.end();
        for _ in 0..ATTEMPTS {
            let is_in_the_way = job.is_resumed && has_code(&end, CANNOT_RUN);
            if !is_in_the_way {
                break;
            }
            thread::sleep(PAUSE);
            if search.is_stopped() {
                break;
            }
            match self.start(job) {
                Ok(again) => {
                    self.running().insert(job.id, Arc::clone(&again));
                    search = again;
                    end = search.end();
                }
                Err(message) => end = failed(&message),
            }
        }
        self.store_end(job.id, &end);
        self.running().remove(&job.id);
        self.tell_change();
        self.fill();
    }

    /// Stores what became of a job, as soon as that is possible.
    fn store_end(&self, id: i64, end: &JobState) {
        while self.queue.end(id, end).is_err() {
            thread::sleep(STORE_PAUSE);
        }
    }

    fn tell_change(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Returns whether no more is to come of a job.
    pub(super) fn has_ended(&self, id: i64) -> bool {
        let runs = self.running().contains_key(&id);
        let is_over = |job: StoredJob| ![JobPhase::Waiting, JobPhase::Running].contains(&job.state);
        !runs && self.queue.get(id).is_ok_and(|job| job.is_none_or(is_over))
    }

    /// Returns the state of a job as an object.
    pub(super) fn state(&self, id: i64) -> Result<Value, RefusedRequest> {
        let job = self.job(id)?;
        let running = self.running().get(&id).cloned();
        let state = running.map(|search| search.state());
        let state = state.or_else(|| job.end.clone());
        Ok(told(&job, state))
    }

    /// Returns the latest jobs, the last one first.
    pub(super) fn list(&self) -> Result<Value, RefusedRequest> {
        let jobs = self
            .queue
            .latest(LISTED)
            .map_err(|error| database_refusal(&error))?;
        Ok(jobs.iter().map(|job| told(job, None)).collect())
    }

    /// # Errors
    /// There is no job with this number, or the database cannot be read.
    pub(super) fn job(&self, id: i64) -> Result<StoredJob, RefusedRequest> {
        let job = self
            .queue
            .get(id)
            .map_err(|error| database_refusal(&error))?;
        let job = job.filter(|job| job.state != JobPhase::New);
        job.ok_or_else(|| RefusedRequest::new(404, format!("there is no job {id}")))
    }

    /// Stops a job. One at work keeps its best result; one that waits will not begin.
    pub(super) fn stop(&self, id: i64) -> Result<(), RefusedRequest> {
        self.job(id)?;
        let is_waiting = self.queue.move_on(id, JobPhase::Waiting, JobPhase::Stopped);
        if is_waiting.map_err(|error| database_refusal(&error))? {
            self.tell_change();
        } else if let Some(search) = self.running().get(&id) {
            search.stop();
        }
        Ok(())
    }

    /// Removes a job that is not at work, with its files: these first, since the database needs
    /// space.
    pub(super) fn remove(&self, id: i64) -> Result<(), RefusedRequest> {
        let job = self.job(id)?;
        let waits = job.state == JobPhase::Waiting;
        let is_stopped = waits
            && self
                .queue
                .move_on(id, JobPhase::Waiting, JobPhase::Stopped)
                .map_err(|error| database_refusal(&error))?;
        if job.end.is_none() && job.state != JobPhase::Stopped && !is_stopped {
            return Err(RefusedRequest::new(
                409,
                format!("job {id} is at work: stop it first"),
            ));
        }
        match fs::remove_dir_all(self.job_folder(id)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(file_refusal(&error)),
            _ => self
                .queue
                .remove(id)
                .map_err(|error| database_refusal(&error)),
        }
    }
}

/// Returns what a client is told about a job.
fn told(job: &StoredJob, state: Option<JobState>) -> Value {
    let mut state = state.unwrap_or_else(|| JobState {
        state: job.state,
        ..JobState::default()
    });
    // It is a path of the service.
    state.output = None;
    let end = state.end.as_mut().and_then(Value::as_object_mut);
    end.and_then(|end| end.remove("output"));
    let mut told = state.json();
    told["id"] = job.id.into();
    told["name"] = job.name.clone().into();
    told["created"] = job.created.into();
    told
}

/// Writes the files of a job, so that they survive the machine.
fn write_files(folder: &Path, request: &CheckedRequest) -> io::Result<()> {
    let input = folder.join("input");
    fs::create_dir_all(&input)?;
    write(&input.join(&request.name), &request.content, 0o600)?;
    if let Some(test) = &request.test {
        write(&folder.join("test"), test.as_bytes(), 0o700)?;
    }
    for folder in [&input, folder] {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Returns the state of a job that could not be started.
fn failed(message: &str) -> JobState {
    JobState {
        state: JobPhase::Failed,
        messages: Some(message.to_owned()),
        ..JobState::default()
    }
}

/// Returns whether boildown ended with an error that has this exit code.
fn has_code(end: &JobState, code: u64) -> bool {
    end.end.as_ref().is_some_and(|end| end["exit_code"] == code)
}

fn file_refusal(error: &io::Error) -> RefusedRequest {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            RefusedRequest::new(507, "the disk of the service is full")
        }
        _ => RefusedRequest::new(500, format!("failed to write the files of a job: {error}")),
    }
}

fn database_refusal(error: &rusqlite::Error) -> RefusedRequest {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DiskFull) => {
            RefusedRequest::new(507, "the disk of the service is full")
        }
        _ => RefusedRequest::new(500, format!("the database of the jobs failed: {error}")),
    }
}
