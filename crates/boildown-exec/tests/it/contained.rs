//! Containment: a run cannot write elsewhere, signal other processes, use the network when it is
//! closed, or use up the machine.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::process::{Child, Command};
use std::sync::Arc;

use boildown_exec::spawn::{Permissions, Sandbox};
use boildown_exec::{CandidateFile, Scratch};
use boildown_oracle::Outcome::{Exceeded, Exited, Signalled};
use boildown_oracle::{Capture, Interrupt, Resource};
use tempfile::TempDir;

use crate::support::Scene;

/// Returns a scene for the script, with `$HOME` set to a directory that holds a precious file, and
/// that directory.
fn with_home(script: &str) -> (Scene, TempDir) {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("projects")).unwrap();
    fs::write(home.path().join("projects/thesis.tex"), "precious").unwrap();
    let script = format!("HOME='{}'\n{script}", home.path().display());
    (Scene::new(&script), home)
}

#[track_caller]
fn assert_untouched(home: &TempDir) {
    let thesis = home.path().join("projects/thesis.tex");
    assert_eq!(fs::read(thesis).unwrap(), b"precious");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    assert_eq!(
        fs::read_dir(home.path().join("projects")).unwrap().count(),
        1
    );
}

#[test]
fn a_script_cannot_delete_the_home_directory() {
    let (scene, home) = with_home(
        "grep -q precious $HOME/projects/thesis.tex || exit 1
        rm -rf $HOME/* $HOME; echo >$HOME/projects/thesis.tex; truncate -s 0 $HOME/projects/thesis.tex
        mv $HOME/projects/thesis.tex here; echo x >>$HOME/projects/thesis.tex; ln -s / $HOME/link; mkdir $HOME/dir
        ln -f crash.c $HOME/projects/thesis.tex; mv crash.c $HOME/projects/thesis.tex
        exit 3",
    );
    scene.check(Exited(3));
    assert_untouched(&home);
}

#[test]
fn a_daemon_cannot_delete_the_home_directory() {
    let (scene, home) = with_home(
        "env -i setsid sh -c \"rm -rf $HOME; echo done >$NOTES\"; while ! [ -s $NOTES ]; do sleep 0.01; done; exit 3",
    );
    scene.check(Exited(3));
    assert_untouched(&home);
}

#[test]
fn a_run_can_write_to_its_directories_and_to_devices() {
    Scene::new(
        "set -e; echo x >new; mkdir dir; mv new dir; echo y >crash.c; ln -s dir link; mkfifo pipe; rm -r dir
        [ $(ls -A $TMPDIR | wc -l) = 0 ]; file=$(mktemp); echo z >$file; mv $file .; [ $TMPDIR != $PWD ]
        echo >/dev/null; echo 2>/dev/null; exec 3<>/dev/null; exit 3",
    )
    .check(Exited(3));
}

#[test]
fn a_run_cannot_write_to_the_directory_of_another() {
    let scene = Scene::new(
        "for dir in ../*; do echo >$dir/left; rm -f $dir/crash.c; done 2>/dev/null; exit 3",
    );
    let other = scene
        .runner
        .scratch
        .run_dir(&CandidateFile::named("crash.c"), b"other")
        .unwrap();
    let run = scene
        .runner
        .run(b"x", Capture::Output, &Interrupt::new().unwrap());
    assert_eq!(run.unwrap().outcome, Exited(3));
    assert_eq!(fs::read(other.candidate()).unwrap(), b"other");
    assert_eq!(fs::read_dir(other.path()).unwrap().count(), 1);
}

#[test]
fn a_run_can_write_to_the_permitted_directories() {
    let (mut scene, home) = with_home(
        "set -e; echo new >$HOME/projects/new; mv $HOME/projects/new $HOME/projects/thesis.tex; exit 3",
    );
    let permissions = Permissions {
        writable: vec![home.path().to_owned()],
        ..Permissions::default()
    };
    scene.runner.limits.sandbox = Some(Sandbox::new(&permissions).unwrap());
    scene.check(Exited(3));
    assert_eq!(
        fs::read(home.path().join("projects/thesis.tex")).unwrap(),
        b"new\n"
    );
}

#[test]
fn a_permitted_path_that_does_not_exist_is_an_error() {
    let permissions = Permissions {
        writable: vec!["/nonexistent".into()],
        ..Permissions::default()
    };
    let error = Sandbox::new(&permissions).unwrap_err();
    assert_eq!(error.to_string(), "open the writable path /nonexistent");
}

/// A process that is not part of a run; it is killed when dropped.
struct Outside(Child);

impl Drop for Outside {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn a_run_can_kill_only_its_own_processes() {
    let sandbox = Sandbox::new(&Permissions::default()).unwrap();
    if sandbox.gap().is_some() {
        return;
    }
    let mut outside = Outside(Command::new("sleep").arg("1000").spawn().unwrap());
    let scene = Scene::new(&format!(
        "kill -KILL {} && exit 1; sleep 1000 & kill $! || exit 2; exit 3",
        outside.0.id()
    ));
    scene.check(Exited(3));
    assert!(outside.0.try_wait().unwrap().is_none());
}

#[test]
fn the_network_is_closed_when_requested() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect =
        format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null && exit 3; exit 4");
    let mut scene = Scene::new(&connect);
    scene.check(Exited(3));
    let permissions = Permissions {
        no_network: true,
        ..Permissions::default()
    };
    scene.runner.limits.sandbox = Some(Sandbox::new(&permissions).unwrap());
    scene.check(Exited(4));
}

#[test]
fn a_run_with_too_many_processes_is_killed() {
    let mut scene = Scene::new("for number in $(seq 100); do sleep 1000 & done; wait");
    scene.runner.limits.processes = Some(50);
    scene.check(Exceeded(Resource::Processes));
}

#[test]
fn multiplying_daemons_are_all_killed() {
    // If it is not stopped, it starts a thousand processes.
    let mut scene = Scene::new(
        r#"cat >bomb <<'END'
        [ $1 = 0 ] || { env -i setsid sh bomb $(($1 - 1)) & env -i setsid sh bomb $(($1 - 1)) & }
        sleep 1000
END
        sh bomb 9"#,
    );
    scene.runner.limits.processes = Some(100);
    scene.check(Exceeded(Resource::Processes));
    let theirs = |process: &fs::DirEntry| {
        fs::read(process.path().join("cmdline")).is_ok_and(|line| line.starts_with(b"sh\0bomb\0"))
    };
    let left = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter(theirs)
        .count();
    assert_eq!(left, 0);
}

#[test]
fn a_run_with_too_much_memory_in_one_or_several_processes_is_killed() {
    for script in [
        "head -c 300000000 /dev/zero | tail | sleep 1000",
        "for part in 1 2 3 4; do head -c 60000000 /dev/zero | tail | sleep 1000 & done; wait",
    ] {
        let mut scene = Scene::new(script);
        scene.runner.limits.memory = Some(150_000_000);
        scene.check(Exceeded(Resource::Memory));
    }
}

#[test]
fn reserved_address_space_does_not_count_as_memory() {
    let mut scene = Scene::new(
        "python3 -c 'import mmap, time; mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | 0x4000); time.sleep(1.5)' || exit 1; exit 3",
    );
    scene.runner.limits.memory = Some(150_000_000);
    scene.check(Exited(3));
}

#[test]
fn a_file_cannot_grow_beyond_the_limit() {
    let mut scene = Scene::new("sleep 0.2; exec head -c 2000000 /dev/zero >big");
    scene.runner.limits.file_size = Some(1_000_000);
    // SIGXFSZ.
    scene.check(Signalled(25));
}

#[test]
fn a_process_cannot_open_more_files_than_the_limit() {
    let mut scene = Scene::new(
        "python3 -c 'x = [open(\"/dev/null\") for _ in range(100)]' 2>/dev/null && exit 1; exit 3",
    );
    scene.runner.limits.open_files = Some(50);
    scene.check(Exited(3));
}

#[test]
fn file_names_that_look_like_options_or_are_not_utf8_work() {
    use std::os::unix::ffi::OsStrExt as _;
    for name in [
        &b"-rf"[..],
        b"a b\n",
        b"\xff\xfe",
        b"--output=x",
        b"'\"$(touch x)`",
    ] {
        let mut scene = Scene::new(
            "[ \"$(cat -- \"$1\")\" = 'int x;' ] && [ $(ls | wc -l) -ge 1 ] && ! [ -e x ] && exit 3",
        );
        scene.runner.file = CandidateFile::named(std::ffi::OsStr::from_bytes(name));
        scene.check(Exited(3));
    }
}

#[test]
fn links_of_a_run_without_a_sandbox_do_not_make_us_delete_their_targets() {
    let (mut scene, home) = with_home(
        "dir=$PWD; cd /; rm -r $dir $TMPDIR; ln -s $HOME/projects $dir; ln -s $HOME $TMPDIR; exit 3",
    );
    scene.runner.limits.sandbox = None;
    scene.runner.file = CandidateFile::named("thesis.tex");
    scene.check(Exited(3));
    assert_untouched(&home);
}

#[test]
fn a_session_directory_that_was_replaced_by_a_link_is_removed_as_a_link() {
    let (_, home) = with_home("");
    let parent = tempfile::tempdir().unwrap();
    let scratch = Arc::new(Scratch::within(parent.path()).unwrap());
    let (dir, moved) = (scratch.path().to_owned(), parent.path().join("moved"));
    fs::rename(&dir, &moved).unwrap();
    symlink(home.path(), &dir).unwrap();
    drop(scratch.run_dir(&CandidateFile::named("a"), b"x").unwrap());
    drop(scratch);
    assert!(dir.symlink_metadata().is_err());
    assert_untouched(&home);
}

/// Runs the script several times in a reused directory, and checks that each run finds its
/// directories as new ones are: the candidate can be read and written, and files can be made.
#[track_caller]
fn check_next_runs(mischief: &str) {
    let scene = Scene::new(&format!(
        "umask 022; set -e; [ \"$(cat crash.c)\" = 'int x;' ]; echo >crash.c; echo >new; mkdir dir; echo >dir/new
        [ $(stat -c %a .) = 700 ]; [ $(stat -c %a new) = 644 ]; echo >$TMPDIR/new; {mischief}\nexit 3"
    ));
    for _ in 0..3 {
        scene.check(Exited(3));
    }
}

#[test]
fn changed_modes_do_not_reach_the_next_run() {
    check_next_runs("chmod 755 .");
    check_next_runs("chmod 2700 $TMPDIR .");
    check_next_runs("chmod 0 $TMPDIR .");
    check_next_runs("chmod 0 $TMPDIR ..");
    check_next_runs("chmod 2777 ..");
}

#[test]
fn access_control_lists_and_extended_attributes_do_not_reach_the_next_run() {
    if !has_tool("setfacl") || !has_tool("setfattr") {
        return;
    }
    for dir in [".", "..", "$TMPDIR"] {
        check_next_runs(&format!(
            "[ -z \"$(getfacl -s --omit-header {dir} 2>/dev/null)\" ]; setfacl -d -m u::---,g::---,o::--- {dir}"
        ));
        check_next_runs(&format!(
            "[ -z \"$(getfattr {dir})\" ]; setfattr -n user.left -v 1 {dir} || true"
        ));
    }
}

#[test]
fn flags_do_not_reach_the_next_run() {
    if !has_tool("chattr") {
        return;
    }
    for dir in [".", "..", "$TMPDIR"] {
        for flag in ["+d", "+a", "+i", "+i new", "+a crash.c"] {
            // Not every file system has each flag, and some are for administrators only.
            check_next_runs(&format!("chattr {flag} {dir} 2>/dev/null || true"));
        }
    }
}

/// Returns whether the tool is on this machine, and prints that a test is skipped if not.
#[expect(clippy::print_stdout, reason = "a test says that it is skipped")]
fn has_tool(tool: &str) -> bool {
    let found = Command::new("which").arg(tool).output();
    let found = found.is_ok_and(|which| which.status.success());
    if !found {
        println!("skipped: {tool} is missing");
    }
    found
}

#[test]
fn a_run_has_a_session_of_its_own_without_a_terminal() {
    Scene::new(
        "read pid name state parent group session tty rest </proc/$$/stat
        [ $session = $$ ] && [ $tty = 0 ] && ! (: </dev/tty) 2>/dev/null && exit 3",
    )
    .check(Exited(3));
}

/// Returns whether this machine has the facility.
fn has_facility(name: &str) -> bool {
    use boildown_exec::machine::{State, facilities};
    facilities(&std::env::temp_dir())
        .iter()
        .any(|facility| facility.name == name && facility.state == State::On)
}

#[test]
fn system_v_objects_and_message_queues_end_with_their_run() {
    if !has_facility("IPC") || !has_tool("ipcmk") {
        return;
    }
    let scene = Scene::new(
        "[ $(cat /proc/sysvipc/* | wc -l) = 3 ] || exit 4
        ipcmk -M 4096 -S 2 -Q >/dev/null || exit 5; [ $(cat /proc/sysvipc/* | wc -l) = 6 ] && exit 3",
    );
    for _ in 0..3 {
        scene.check(Exited(3));
    }
}

#[test]
fn a_run_makes_pipes_and_no_devices() {
    if Sandbox::new(&Permissions::default())
        .unwrap()
        .gap()
        .is_some()
    {
        return;
    }
    Scene::new(
        "mkfifo pipe || exit 4; mknod zero c 1 5 2>/dev/null && exit 5
        mknod disk b 7 0 2>/dev/null && exit 6; exit 3",
    )
    .check(Exited(3));
}
