//! What a run cannot do: write elsewhere, signal others, use the network, take the machine for itself.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::process::{Child, Command};
use std::sync::Arc;

use boildown_oracle::Outcome::{Exceeded, Exited, Signalled};
use boildown_oracle::spawn::{Permissions, Sandbox};
use boildown_oracle::{Cancel, CandidateFile, Resource, Scratch};
use tempfile::TempDir;

use crate::support::Scene;

/// Runs the script with the path of a directory that is none of its business in `$1`, as the name of the candidate's path says no
/// more, and returns that directory.
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
fn a_script_that_deletes_the_home_directory_does_not() {
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
fn a_daemon_cannot_delete_it_either() {
    let (scene, home) = with_home(
        "env -i setsid sh -c \"rm -rf $HOME; echo done >$NOTES\"; while ! [ -s $NOTES ]; do sleep 0.01; done; exit 3",
    );
    scene.check(Exited(3));
    assert_untouched(&home);
}

#[test]
fn a_run_writes_to_its_directories_and_to_devices() {
    Scene::new(
        "set -e; echo x >new; mkdir dir; mv new dir; echo y >crash.c; ln -s dir link; mkfifo pipe; rm -r dir
        [ $(ls -A $TMPDIR | wc -l) = 0 ]; file=$(mktemp); echo z >$file; mv $file .; [ $TMPDIR != $PWD ]
        echo >/dev/null; echo 2>/dev/null; exec 3<>/dev/null; exit 3",
    )
    .check(Exited(3));
}

#[test]
fn runs_do_not_write_to_each_others_directories() {
    let scene = Scene::new(
        "for dir in ../*; do echo >$dir/left; rm -f $dir/crash.c; done 2>/dev/null; exit 3",
    );
    let other = scene
        .runner
        .scratch
        .run_dir(&CandidateFile::named("crash.c"), b"other")
        .unwrap();
    let run = scene.runner.run(
        b"x",
        boildown_oracle::spawn::Capture::Output,
        &Cancel::new().unwrap(),
    );
    assert_eq!(run.unwrap().outcome, Exited(3));
    assert_eq!(fs::read(other.candidate()).unwrap(), b"other");
    assert_eq!(fs::read_dir(other.path()).unwrap().count(), 1);
}

#[test]
fn what_is_said_to_be_writable_is() {
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
fn something_writable_that_does_not_exist_is_a_mistake() {
    let permissions = Permissions {
        writable: vec!["/nonexistent".into()],
        ..Permissions::default()
    };
    let error = Sandbox::new(&permissions).unwrap_err();
    assert_eq!(error.to_string(), "let a test write to /nonexistent");
}

/// A process outside, killed when dropped.
struct Outside(Child);

impl Drop for Outside {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn a_run_cannot_kill_what_is_not_its_own() {
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
fn the_network_is_closed_when_that_is_asked_for() {
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
fn too_many_processes_are_too_many() {
    let mut scene = Scene::new("for number in $(seq 100); do sleep 1000 & done; wait");
    scene.runner.limits.processes = Some(50);
    scene.check(Exceeded(Resource::Processes));
}

#[test]
fn processes_that_flee_as_they_multiply_are_killed_to_the_last() {
    // A thousand at most, should nobody stop it.
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
fn too_much_memory_is_too_much_also_in_several_processes() {
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
fn reserved_addresses_are_no_memory() {
    let mut scene = Scene::new(
        "python3 -c 'import mmap, time; mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | 0x4000); time.sleep(1.5)' || exit 1; exit 3",
    );
    scene.runner.limits.memory = Some(150_000_000);
    scene.check(Exited(3));
}

#[test]
fn a_file_ends_where_it_may_not_be_larger() {
    let mut scene = Scene::new("exec head -c 2000000 /dev/zero >big");
    scene.runner.limits.file_size = Some(1_000_000);
    // SIGXFSZ.
    scene.check(Signalled(25));
}

#[test]
fn more_files_cannot_be_opened_than_may_be() {
    let mut scene = Scene::new(
        "python3 -c 'x = [open(\"/dev/null\") for _ in range(100)]' 2>/dev/null && exit 1; exit 3",
    );
    scene.runner.limits.open_files = Some(50);
    scene.check(Exited(3));
}

#[test]
fn names_that_look_like_options_or_are_no_text_are_names() {
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
fn a_run_outside_the_sandbox_cannot_have_us_delete_what_its_links_lead_to() {
    let (mut scene, home) = with_home(
        "dir=$PWD; cd /; rm -r $dir $TMPDIR; ln -s $HOME/projects $dir; ln -s $HOME $TMPDIR; exit 3",
    );
    scene.runner.limits.sandbox = None;
    scene.runner.file = CandidateFile::named("thesis.tex");
    scene.check(Exited(3));
    assert_untouched(&home);
}

#[test]
fn a_session_whose_directory_became_a_link_removes_the_link() {
    let (_, home) = with_home("");
    let place = tempfile::tempdir().unwrap();
    let scratch = Arc::new(Scratch::within(place.path()).unwrap());
    let (dir, moved) = (scratch.path().to_owned(), place.path().join("moved"));
    fs::rename(&dir, &moved).unwrap();
    symlink(home.path(), &dir).unwrap();
    drop(scratch.run_dir(&CandidateFile::named("a"), b"x").unwrap());
    drop(scratch);
    assert!(dir.symlink_metadata().is_err());
    assert_untouched(&home);
}
