//! Table of the faults.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};
use rustix::process::Signal;

use super::fault::{Fault, Injection, moment};
use super::work_dir::WorkDir;
use super::{damage, disks, links, services, time};

const SAME_RESULT: &str = "the result is the undisturbed one";

/// All faults, in the order of the table.
pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        name: "SIGINT at a random point",
        promise: "it ends soon, nothing is left behind, the best result is whole",
        per_round: 5,
        inject: |work_dir, round| interrupted(work_dir, round, Signal::INT),
    },
    Fault {
        name: "SIGTERM at a random point",
        promise: "it ends soon, nothing is left behind, the best result is whole",
        per_round: 5,
        inject: |work_dir, round| interrupted(work_dir, round, Signal::TERM),
    },
    Fault {
        name: "SIGKILL at a random point",
        promise: "the best result is whole; the next run cleans up and gives the undisturbed result",
        per_round: 10,
        inject: |work_dir, round| {
            work_dir.test("setsid sleep 1000 & sleep 0.01")?;
            let child = work_dir.start(&["--jobs", "2"])?;
            thread::sleep(moment(round));
            work_dir.signal(&child, Signal::KILL)?;
            work_dir.finish(child)?;
            work_dir.assert_best_is_whole()?;
            work_dir.test("")?;
            work_dir.reduce_well(&[])?;
            Ok(Injection::Done)
        },
    },
    Fault {
        name: "daemons without marks",
        promise: "none is left at the end, and the result is the undisturbed one",
        per_round: 3,
        inject: |work_dir, _| {
            work_dir.test(
                "for n in 1 2 3; do env -i HERE=\"$HERE\" setsid sh -c 'echo $$ >>\"$HERE\"/pids
                 prlimit --pid $$ --rttime=unlimited; exec env -i sleep 1000' <&- >&- 2>&- & done",
            )?;
            work_dir.reduce_well(&["--jobs", "4"])?;
            Ok(Injection::Done)
        },
    },
    Fault {
        name: "directories of the user with names like ours",
        promise: "none is touched, even with a file `lock` and years old",
        per_round: 1,
        inject: |work_dir, _| {
            let memory = Path::new("/dev/shm");
            let parent = if memory.exists() {
                memory.into()
            } else {
                work_dir.path("tmp")
            };
            let dir = parent.join(format!("boildown-{}-keep", std::process::id()));
            fs::create_dir_all(&dir)?;
            fs::write(dir.join("lock"), "")?;
            work_dir.test("")?;
            let reduced = work_dir.reduce_well(&[]);
            let is_kept = dir.join("lock").exists();
            fs::remove_dir_all(&dir).ok();
            ensure!(is_kept, "a directory of the user was removed");
            reduced.map(|()| Injection::Done)
        },
    },
    Fault {
        name: "ENOSPC where the result is written",
        promise: "an error that names the cause, and the best result is whole",
        per_round: 1,
        inject: disks::full_for_the_result,
    },
    Fault {
        name: "ENOSPC where the run is stored",
        promise: "a warning, and the reduction continues without the store",
        per_round: 1,
        inject: disks::full_for_the_store,
    },
    Fault {
        name: "ENOSPC where candidates are run",
        promise: "an error that names the cause, and the best result is whole",
        per_round: 1,
        inject: disks::full_for_runs,
    },
    Fault {
        name: "a read-only input directory",
        promise: "an error with the cause and the remedy; a result once that is done",
        per_round: 1,
        inject: disks::read_only,
    },
    Fault {
        name: "a worker is killed",
        promise: SAME_RESULT,
        per_round: 1,
        inject: links::killed,
    },
    Fault {
        name: "a worker is stopped for 10 s and continued",
        promise: SAME_RESULT,
        per_round: 1,
        inject: links::stopped,
    },
    Fault {
        name: "the link to a worker is cut for 10 s",
        promise: SAME_RESULT,
        per_round: 1,
        inject: links::cut,
    },
    Fault {
        name: "slow links to workers",
        promise: SAME_RESULT,
        per_round: 1,
        inject: links::slow,
    },
    Fault {
        name: "answers of workers that come twice, late, or unasked",
        promise: SAME_RESULT,
        per_round: 2,
        inject: links::repeated,
    },
    Fault {
        name: "workers that send what is not a message, and random faults",
        promise: SAME_RESULT,
        per_round: 1,
        inject: links::wrong,
    },
    Fault {
        name: "workers with other clocks",
        promise: SAME_RESULT,
        per_round: 1,
        inject: links::skewed,
    },
    Fault {
        name: "ENOSPC on a worker",
        promise: "another machine continues, and the result is the undisturbed one",
        per_round: 1,
        inject: links::full_disk,
    },
    Fault {
        name: "a remote service is killed and started again",
        promise: SAME_RESULT,
        per_round: 1,
        inject: services::restarted,
    },
    Fault {
        name: "the link to a remote service is cut for 10 s",
        promise: SAME_RESULT,
        per_round: 1,
        inject: services::cut,
    },
    Fault {
        name: "a slow link to a remote service",
        promise: SAME_RESULT,
        per_round: 1,
        inject: services::slow,
    },
    Fault {
        name: "the store is damaged after a SIGKILL",
        promise: "intact records are used, the others are tested again; the result is the undisturbed one",
        per_round: 10,
        inject: damage::between_sessions,
    },
    Fault {
        name: "the store is damaged or removed during the run",
        promise: "the result is the undisturbed one, and the same command works again",
        per_round: 10,
        inject: damage::during_a_session,
    },
    Fault {
        name: "clock jumps: other boots, files from other centuries",
        promise: "a killed run resumes and gives the same result",
        per_round: 2,
        inject: time::jumps,
    },
    Fault {
        name: "EMFILE: too few file descriptors",
        promise: "an error that names the cause, or the right result",
        per_round: 1,
        inject: |work_dir, round| {
            work_dir.test("")?;
            let mut command = Command::new("sh");
            let most = 12 + 3 * round % 40;
            command.args(["-c", &format!("ulimit -n {most}; exec \"$0\" \"$@\"")]);
            command.arg(work_dir.program());
            let ended = work_dir.finish(work_dir.start_by(command, &["--jobs", "4"])?)?;
            match ended.code {
                Some(0) => work_dir.assert_reduced()?,
                Some(5) => ensure!(ended.stderr.contains("error: "), "{}", ended.stderr),
                code => anyhow::bail!("exit {code:?}: {}", ended.stderr),
            }
            work_dir.assert_best_is_whole()?;
            Ok(Injection::Done)
        },
    },
    Fault {
        name: "EACCES: the test may no longer be executed",
        promise: "an error that names the cause, and the best result is whole",
        per_round: 1,
        inject: |work_dir, round| {
            let runs = 10 + round;
            work_dir.test(&format!(
                "echo run >>$HERE/runs; [ $(wc -l <$HERE/runs) -gt {runs} ] && chmod -x $HERE/test.sh"
            ))?;
            let ended = work_dir.reduce(&["--jobs", "1"])?;
            ensure!(
                ended.code == Some(5) && ended.stderr.contains("it is not executable"),
                "exit {:?}: {}",
                ended.code,
                ended.stderr
            );
            work_dir.assert_best_is_whole()?;
            Ok(Injection::Done)
        },
    },
    Fault {
        name: "a fork bomb that leaves its group and its environment",
        promise: "all of its processes are killed, and the reduction continues",
        per_round: 1,
        inject: |work_dir, _| {
            // It ends by itself at 512 processes.
            fs::write(
                work_dir.path("bomb"),
                "echo $$ >>$1/pids; [ $2 = 0 ] || { env -i setsid sh $1/bomb $1 $(($2 - 1)) & env -i setsid sh $1/bomb $1 $(($2 - 1)) & }\nsleep 1000\n",
            )?;
            work_dir.test("[ -e $HERE/ignited ] || { grep -q 'line 5 ' $1 || { : >$HERE/ignited; sh $HERE/bomb $HERE 8; }; }")?;
            work_dir.reduce_well(&["--processes", "60", "--jobs", "2"])?;
            Ok(Injection::Done)
        },
    },
    Fault {
        name: "a memory hog",
        promise: "it is stopped, and the reduction continues",
        per_round: 1,
        inject: |work_dir, _| {
            work_dir.test("grep -q 'line 5 ' $1 || [ -e $HERE/hog ] || { : >$HERE/hog; head -c 400000000 /dev/zero | tail | sleep 1000; }")?;
            work_dir.reduce_well(&["--memory", "100M", "--jobs", "2"])?;
            Ok(Injection::Done)
        },
    },
    Fault {
        name: "a flood of output",
        promise: "it ends with the time limit, and the reduction continues",
        per_round: 1,
        inject: |work_dir, _| {
            work_dir
                .test("grep -q 'line 5 ' $1 || [ -e $HERE/flood ] || { : >$HERE/flood; yes; }")?;
            work_dir.reduce_well(&["--timeout", "1"])?;
            Ok(Injection::Done)
        },
    },
    Fault {
        name: "ignored SIGTERM",
        promise: "it is killed, and the reduction continues",
        per_round: 1,
        inject: |work_dir, _| {
            work_dir.test("grep -q 'line 5 ' $1 || [ -e $HERE/deaf ] || { : >$HERE/deaf; trap '' TERM; while :; do sleep 1; done; }")?;
            work_dir.reduce_well(&["--timeout", "1"])?;
            Ok(Injection::Done)
        },
    },
    Fault {
        name: "daemons without group, session, environment",
        promise: "they are gone when the reduction ends",
        per_round: 1,
        inject: |work_dir, _| {
            work_dir.test("(env -i setsid sh -c \"echo \\$\\$ >>$HERE/pids; sleep 1000\" &) ; setsid sleep 1000 &")?;
            work_dir.reduce_well(&["--jobs", "2"])?;
            Ok(Injection::Done)
        },
    },
    Fault {
        name: "a test that rewrites or deletes its candidate",
        promise: "the result is the undisturbed one",
        per_round: 1,
        inject: |work_dir, round| {
            let damage = [
                "echo needle >$1",
                "rm $1",
                "rm $1; ln -s $HERE/in.txt $1",
                "rm -rf $PWD",
                "rm $1; mkdir $1",
            ];
            let damage = damage[round as usize % damage.len()];
            work_dir.test(&format!(
                "cp $1 $TMPDIR/copy; {damage} 2>/dev/null; set -- $TMPDIR/copy"
            ))?;
            let before = fs::read(work_dir.path("in.txt"))?;
            work_dir.reduce_well(&[])?;
            ensure!(
                fs::read(work_dir.path("in.txt"))? == before,
                "the input was changed"
            );
            Ok(Injection::Done)
        },
    },
    Fault {
        name: "the input is edited during the run",
        promise: "the result is that of the input as it was read, with a warning",
        per_round: 1,
        inject: |work_dir, _| {
            work_dir.test("echo edited >$HERE/in.txt")?;
            let ended = work_dir.reduce(&["--jobs", "1"])?;
            ensure!(
                ended.code == Some(0) && ended.stderr.contains("was modified during the search"),
                "exit {:?}: {}",
                ended.code,
                ended.stderr
            );
            work_dir.assert_reduced()?;
            Ok(Injection::Done)
        },
    },
    Fault {
        name: "20,000 files and locked, deep directories are left",
        promise: "they are removed",
        per_round: 1,
        inject: |work_dir, _| {
            work_dir.test("[ -e $HERE/littered ] || { : >$HERE/littered; mkdir -p a/b/c/d many; (cd many; seq 20000 | xargs touch); chmod 0 a/b/c a/b a many; }")?;
            work_dir.reduce_well(&[])?;
            Ok(Injection::Done)
        },
    },
];

/// Interrupts a reduction and checks that it saves its best result.
fn interrupted(work_dir: &WorkDir, round: u32, signal: Signal) -> Result<Injection> {
    work_dir.test("setsid sleep 1000 & sleep 0.01")?;
    let child = work_dir.start(&["--jobs", "2"])?;
    // A signal before boildown handles signals would kill it.
    thread::sleep(Duration::from_millis(300) + moment(round));
    work_dir.signal(&child, signal)?;
    let ended = work_dir.finish(child)?;
    ensure!(
        matches!(ended.code, Some(0 | 6)),
        "exit {:?}: {}",
        ended.code,
        ended.stderr
    );
    work_dir.assert_best_is_whole()?;
    Ok(Injection::Done)
}
