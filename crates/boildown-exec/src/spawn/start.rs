//! Starting a command, and advice when that fails.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Access, access};
use rustix::io::Errno;

use super::adoption;
use super::invocation::{Invocation, Stdin};
use super::launch::Launcher;
use super::limits::Limits;
use super::run_marks::RunMarks;
use super::started_process::StartedProcess;
use boildown_oracle::OracleError;

/// How often starting a program that is being written is tried again. With [`PAUSE`], this is at
/// least two seconds, because on a busy machine a new process may need seconds until it executes
/// anything.
const MAX_RETRIES: u32 = 1000;

/// The time between two tries.
const PAUSE: Duration = Duration::from_millis(2);

/// The maximum length of a first line, in bytes. No system reads more of it.
const MAX_FIRST_LINE: u64 = 4096;

/// Starts the command from a thread that starts nothing else, and applies the limits and the marks.
/// An open standard input takes the place of that of the invocation.
pub(super) fn start(
    launcher: &mut Launcher,
    invocation: &Invocation,
    stdin: Option<File>,
    limits: &Limits,
    marks: &RunMarks,
) -> Result<StartedProcess, OracleError> {
    // No code of ours runs between `fork` and `exec`. For this reason the command does not end when
    // boildown is killed. PR_SET_PDEATHSIG would have to be set by the child itself, which is
    // unsafe and turns every start into a fork. It would not affect the children of the command,
    // and it would also act when only the thread that started the command ends. Instead, the next
    // session kills the processes that are left: see `kill_processes_of_sessions`.
    let stdin = match (stdin, &invocation.stdin) {
        (Some(stdin), _) => stdin,
        (None, Stdin::Null) => open(Path::new("/dev/null"))?,
        (None, Stdin::File(path)) => open(path)?,
    };
    let started = Instant::now();
    let launch = || launcher.launch(invocation, marks.variable(), &stdin);
    let process = start_with_retries(launch, invocation).map_err(|source| OracleError::Spawn {
        program: shown_program(invocation).display().to_string(),
        advice: advice(invocation, &source),
        source,
    })?;
    limits.apply(process.pid, marks.mark());
    // Looking for children is expensive, and in less than this time no program starts any.
    if started.elapsed() > Duration::from_millis(1) {
        limits.apply_to_children(process.pid, marks.mark());
    }
    Ok(process)
}

fn open(path: &Path) -> Result<File, OracleError> {
    File::open(path).map_err(|source| OracleError::Scratch {
        action: "open",
        path: path.to_owned(),
        source,
    })
}

/// Starts the command, and tries again while its program is "busy" or missing for a moment.
///
/// A program is busy while it is open for writing. A process that another thread starts inherits
/// every file that is open for writing at that moment, even a candidate that is a program, and
/// holds it until it executes. A program is missing for a moment while it is being replaced.
fn start_with_retries(
    mut launch: impl FnMut() -> io::Result<StartedProcess>,
    invocation: &Invocation,
) -> io::Result<StartedProcess> {
    let mut retries = 0;
    loop {
        match adoption::start_recorded(&mut launch) {
            Err(error) if retries < MAX_RETRIES && is_transient(&error, invocation) => {
                retries += 1;
                thread::sleep(PAUSE);
            }
            started => return started,
        }
    }
}

/// Returns whether the error may disappear when the start is tried again.
fn is_transient(error: &io::Error, invocation: &Invocation) -> bool {
    let is_there_now = || {
        let program = Path::new(&invocation.program);
        invocation.current_dir.is_dir()
            && Interpreter::of_script(program)
                .is_some_and(|interpreter| interpreter.exists(invocation))
    };
    match error.kind() {
        io::ErrorKind::ExecutableFileBusy => true,
        io::ErrorKind::NotFound => is_there_now(),
        _ => false,
    }
}

/// Returns the path of the program for a message. One in the working directory, which may be a copy
/// that is removed, is named as seen from there: the user has it in the same place.
fn shown_program(invocation: &Invocation) -> Cow<'_, Path> {
    let program = Path::new(&invocation.program);
    match program.strip_prefix(&invocation.current_dir) {
        Ok(inside) => Path::new(".").join(inside).into(),
        Err(_) => program.into(),
    }
}

/// Returns what is wrong with the command and what to do, as far as its files show.
fn advice(invocation: &Invocation, error: &io::Error) -> String {
    let program = Path::new(&invocation.program);
    let shown = shown_program(invocation);
    let name = shown.display();
    let dir = &invocation.current_dir;
    if !dir.is_dir() {
        return format!("its working directory {} does not exist", dir.display());
    }
    let is_path = program.components().nth(1).is_some() || program.is_absolute();
    match error.kind() {
        // Of the device for output that is not captured.
        kind if error.raw_os_error().is_none() && kind != io::ErrorKind::InvalidInput => {
            "all users have to be able to write there; as root, `mknod -m 666 /dev/null c 1 3` \
             makes the device again"
                .to_owned()
        }
        io::ErrorKind::ArgumentListTooLong => {
            "its arguments are too long for the system; let it read them from the file, as in `@{}` \
             or `xargs -a {}`"
                .to_owned()
        }
        io::ErrorKind::NotFound if !is_path => {
            format!(
                "no such program on the PATH; write ./{name} to run a file of the current directory"
            )
        }
        io::ErrorKind::NotFound if program.exists() => match Interpreter::of_script(program) {
            Some(interpreter) => interpreter.advice(invocation),
            None => "the loader that it is linked for does not exist; is it for another system?"
                .to_owned(),
        },
        io::ErrorKind::NotFound => "the file does not exist".to_owned(),
        io::ErrorKind::PermissionDenied if access(dir, Access::EXEC_OK).is_err() => {
            format!(
                "no permission to enter its working directory {}",
                dir.display()
            )
        }
        // A directory of the PATH that may not be searched also causes this error.
        io::ErrorKind::PermissionDenied if !is_path => {
            "no program of this name on the PATH is executable".to_owned()
        }
        io::ErrorKind::PermissionDenied if program.is_dir() => "it is a directory".to_owned(),
        io::ErrorKind::PermissionDenied if access(program, Access::EXEC_OK).is_err() => {
            format!(
                "it is not executable; try `chmod +x {name}`, and check that its file system is not \
                 mounted noexec"
            )
        }
        io::ErrorKind::PermissionDenied => match Interpreter::of_script(program) {
            Some(Interpreter { line, .. }) => {
                format!("its first line names the interpreter `{line}`, which is not executable")
            }
            None => "it may not be executed; its file system may be mounted noexec".to_owned(),
        },
        io::ErrorKind::ExecutableFileBusy => "another process has it open for writing".to_owned(),
        _ if Errno::from_io_error(error) == Some(Errno::NOEXEC) => {
            "it is neither a program for this machine nor a script; give a script a first line like \
             `#!/bin/sh`"
                .to_owned()
        }
        _ if Errno::from_io_error(error) == Some(Errno::MFILE) => {
            "this process may open no more files; `ulimit -n 1024` before it allows more".to_owned()
        }
        _ => "the system refused to start another process".to_owned(),
    }
}

/// The interpreter that the first line of a script names.
struct Interpreter {
    /// The line after `#!`, for messages.
    line: String,
    /// The path as the system reads it: up to the first space or tab, including a carriage return.
    path: PathBuf,
}

impl Interpreter {
    /// Reads the first line of a script; `None` when the file has none that names an interpreter.
    fn of_script(script: &Path) -> Option<Self> {
        if !fs::metadata(script).ok()?.is_file() {
            return None;
        }
        let mut line = Vec::new();
        BufReader::new(File::open(script).ok()?.take(MAX_FIRST_LINE))
            .read_until(b'\n', &mut line)
            .ok()?;
        let line = line.strip_prefix(b"#!")?;
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let mut words = line.split(|byte| b" \t".contains(byte));
        let path = words.find(|word| !word.is_empty())?;
        Some(Self {
            line: String::from_utf8_lossy(line.trim_ascii()).into_owned(),
            path: OsStr::from_bytes(path).into(),
        })
    }

    fn exists(&self, invocation: &Invocation) -> bool {
        invocation.current_dir.join(&self.path).exists()
    }

    /// Returns why a script with this interpreter could not be started.
    fn advice(&self, invocation: &Invocation) -> String {
        let line = &self.line;
        if self.path.as_os_str().as_bytes().ends_with(b"\r") {
            format!(
                "its first line ends in a carriage return, so it names the interpreter `{line}\\r`, which \
                 does not exist; convert it to Unix line ends"
            )
        } else if self.exists(invocation) {
            format!(
                "its first line names the interpreter `{line}`, which exists but cannot be started; it may \
                 be linked for another system"
            )
        } else {
            format!("its first line names the interpreter `{line}`, which does not exist")
        }
    }
}

#[cfg(test)]
mod tests {
    use boildown_oracle::Capture;

    use super::*;
    use crate::spawn::Inherited;

    #[test]
    fn a_device_for_output_that_cannot_be_written_is_no_fault_of_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let invocation = Invocation {
            program: "/bin/sh".into(),
            args: Vec::new(),
            current_dir: folder.path().to_owned(),
            stdin: Stdin::Null,
            inherited: Inherited::Everything,
            env: Vec::new(),
            tmp: None,
            capture: Capture::Nothing,
        };
        let denied = io::Error::new(io::ErrorKind::PermissionDenied, "open /dev/null to write");
        assert!(advice(&invocation, &denied).contains("mknod -m 666 /dev/null"));
        let read_only = io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "open /dev/null");
        assert!(advice(&invocation, &read_only).contains("mknod -m 666 /dev/null"));
        let denied = io::Error::from(Errno::ACCESS);
        assert!(!advice(&invocation, &denied).contains("/dev/null"));
    }

    #[test]
    fn a_program_in_a_copy_is_named_as_seen_from_there() {
        let copy = tempfile::tempdir().unwrap();
        let script = copy.path().join("test.sh");
        fs::write(&script, "#!/bin/sh\n").unwrap();
        let mut invocation = Invocation {
            program: script.into(),
            args: Vec::new(),
            current_dir: copy.path().to_owned(),
            stdin: Stdin::Null,
            inherited: Inherited::Everything,
            env: Vec::new(),
            tmp: None,
            capture: Capture::Nothing,
        };
        let denied = io::Error::from(Errno::ACCESS);
        assert!(advice(&invocation, &denied).contains("`chmod +x ./test.sh`"));
        invocation.program = "/bin/sh".into();
        assert_eq!(shown_program(&invocation), Path::new("/bin/sh"));
    }

    #[test]
    fn a_program_that_was_missing_and_exists_now_is_a_transient_error() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("test.sh");
        let is_transient = |line: &str, dir: &Path| {
            fs::write(&script, line).unwrap();
            let invocation = Invocation {
                program: script.clone().into(),
                args: Vec::new(),
                current_dir: dir.to_owned(),
                stdin: Stdin::Null,
                inherited: Inherited::Everything,
                env: Vec::new(),
                tmp: None,
                capture: Capture::Nothing,
            };
            is_transient(&io::ErrorKind::NotFound.into(), &invocation)
        };
        assert!(is_transient("#! /bin/sh -e\n", folder.path()));
        assert!(is_transient("#!/bin/sh", folder.path()));
        assert!(!is_transient("#!/bin/sh\r\n", folder.path()));
        assert!(!is_transient("#!/bin/missing\n", folder.path()));
        assert!(!is_transient("#!/bin/sh\n", &folder.path().join("missing")));
        assert!(!is_transient("\x7fELF", folder.path()));
    }
}
