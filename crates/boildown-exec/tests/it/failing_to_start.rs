//! Commands that cannot be started: errors that name the mistake, never verdicts.

use std::error::Error as _;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use boildown_exec::{CommandLine, StdinContent, TypedCommand};
use boildown_oracle::Interrupt;

use crate::support::Scene;

/// Writes a file with this content and mode, runs it, and returns the error. `$DIR` stands for the
/// directory.
#[track_caller]
fn error_of(content: &[u8], mode: u32) -> String {
    let scene = Scene::new("exit 0");
    let path = scene.dir.path().join("prog");
    fs::write(&path, content).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    error_of_program(scene, &path)
}

#[track_caller]
fn error_of_program(mut scene: Scene, program: &Path) -> String {
    let typed = TypedCommand {
        words: &[program.into()],
        input: Path::new("crash.c"),
        user_dir: scene.dir.path(),
        backup: None,
        stdin: StdinContent::Nothing,
    };
    scene.runner.command = CommandLine::new(&typed).unwrap();
    let error = scene.try_run(&Interrupt::new().unwrap()).unwrap_err();
    assert!(error.source().is_some(), "the error of the system is kept");
    error
        .to_string()
        .replace(&scene.dir.path().display().to_string(), "$DIR")
}

#[test]
fn a_name_that_is_not_on_the_path() {
    let message = error_of_program(Scene::new(""), Path::new("frobnicate-the-input"));
    insta::assert_snapshot!(message, @"start `frobnicate-the-input`: no such program on the PATH; write ./frobnicate-the-input to run a file of the current directory");
}

#[test]
fn a_file_that_does_not_exist() {
    insta::assert_snapshot!(error_of_program(Scene::new(""), Path::new("./missing.sh")), @"start `$DIR/missing.sh`: the file does not exist");
}

#[test]
fn a_file_that_is_not_executable() {
    insta::assert_snapshot!(error_of(b"#!/bin/sh\nexit 0\n", 0o644), @"start `$DIR/prog`: it is not executable; try `chmod +x $DIR/prog`, and check that its file system is not mounted noexec");
}

#[test]
fn a_directory() {
    insta::assert_snapshot!(error_of_program(Scene::new(""), Path::new("./scratch")), @"start `$DIR/scratch`: it is a directory");
}

#[test]
fn a_script_whose_interpreter_does_not_exist() {
    insta::assert_snapshot!(error_of(b"#!/usr/bin/pyhton3 -u\n", 0o755), @"start `$DIR/prog`: its first line names the interpreter `/usr/bin/pyhton3 -u`, which does not exist");
}

#[test]
fn a_script_without_a_first_line() {
    insta::assert_snapshot!(error_of(b"grep -q foo crash.c\n", 0o755), @"start `$DIR/prog`: it is neither a program for this machine nor a script; give a script a first line like `#!/bin/sh`");
}

#[test]
fn a_script_with_windows_line_ends() {
    insta::assert_snapshot!(error_of(b"#!/bin/sh\r\nexit 0\r\n", 0o755), @r"start `$DIR/prog`: its first line ends in a carriage return, so it names the interpreter `/bin/sh\r`, which does not exist; convert it to Unix line ends");
}

#[test]
fn a_script_whose_interpreter_may_not_be_executed() {
    let message = error_of(b"#!/etc/passwd\n", 0o755);
    insta::assert_snapshot!(message, @"start `$DIR/prog`: its first line names the interpreter `/etc/passwd`, which is not executable");
}

#[test]
fn a_script_whose_interpreter_cannot_be_started() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("interpreter");
    // A copy of the shell that names a loader that does not exist.
    let mut binary = fs::read("/bin/sh").unwrap();
    let loader = b"/lib64/ld-linux";
    let offset = binary.windows(loader.len()).position(|part| part == loader);
    let Some(offset) = offset else {
        return;
    };
    binary[offset + 1] = b'L';
    fs::write(&path, binary).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    let message = error_of(format!("#!{}\n", path.display()).as_bytes(), 0o755);
    let message = message.replace(&folder.path().display().to_string(), "$FOLDER");
    insta::assert_snapshot!(message, @"start `$DIR/prog`: its first line names the interpreter `$FOLDER/interpreter`, which exists but cannot be started; it may be linked for another system");
}

#[test]
fn a_program_that_is_being_written() {
    let mut scene = Scene::new("");
    let path = scene.dir.path().join("prog");
    fs::write(&path, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    let writer = fs::OpenOptions::new().append(true).open(&path).unwrap();
    scene.runner.limits.sandbox = None;
    insta::assert_snapshot!(error_of_program(scene, &path), @"start `$DIR/prog`: another process has it open for writing");
    drop(writer);
}
