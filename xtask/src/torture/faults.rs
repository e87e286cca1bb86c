//! The faults.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};
use rustix::process::Signal;

use super::place::Place;
use super::{Fault, Injected, damage, disks, time};

/// All of them.
pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        name: "SIGINT at a random point",
        promise: "it ends soon, nothing is left, the best is whole",
        often: 5,
        inject: |place, round| interrupted(place, round, Signal::INT),
    },
    Fault {
        name: "SIGTERM at a random point",
        promise: "it ends soon, nothing is left, the best is whole",
        often: 5,
        inject: |place, round| interrupted(place, round, Signal::TERM),
    },
    Fault {
        name: "SIGKILL at a random point",
        promise: "the best is whole; the next run clears up and ends as if nothing had been",
        often: 10,
        inject: |place, round| {
            place.test("setsid sleep 1000 & sleep 0.01")?;
            let child = place.start(&["--jobs", "2"])?;
            thread::sleep(moment(round));
            place.signal(&child, Signal::KILL)?;
            place.finish(child)?;
            place.assert_best_is_whole()?;
            place.test("")?;
            place.reduce_well(&[])?;
            Ok(Injected::Yes)
        },
    },
    Fault {
        name: "ENOSPC where the result is written",
        promise: "an error that says so, and the best is whole",
        often: 1,
        inject: disks::full_for_the_result,
    },
    Fault {
        name: "ENOSPC where the run is stored",
        promise: "it is said, and the reduction goes on without",
        often: 1,
        inject: disks::full_for_the_store,
    },
    Fault {
        name: "ENOSPC where candidates are run",
        promise: "an error that says so, and the best is whole",
        often: 1,
        inject: disks::full_for_runs,
    },
    Fault {
        name: "a read-only input directory",
        promise: "an error that says so and what to do; a result when that is done",
        often: 1,
        inject: disks::read_only,
    },
    Fault {
        name: "the store is damaged after a SIGKILL",
        promise: "what is whole of it is used, the rest asked again; the result is that of the undisturbed run",
        often: 10,
        inject: damage::between_sessions,
    },
    Fault {
        name: "the store is damaged or removed during the run",
        promise: "the result is that of the undisturbed run, and the same command works again",
        often: 10,
        inject: damage::during_a_session,
    },
    Fault {
        name: "clock jumps: other boots, files from other centuries",
        promise: "a run that was killed goes on and comes to the same result",
        often: 2,
        inject: time::jumps,
    },
    Fault {
        name: "EMFILE: too few file descriptors",
        promise: "an error that says so or a result, never a wrong one",
        often: 1,
        inject: |place, round| {
            place.test("")?;
            let mut command = Command::new("sh");
            let most = 12 + 3 * round % 40;
            command.args(["-c", &format!("ulimit -n {most}; exec \"$0\" \"$@\"")]);
            command.arg(place.program());
            let ended = place.finish(place.start_by(command, &["--jobs", "4"])?)?;
            match ended.code {
                Some(0) => place.assert_reduced()?,
                Some(5) => ensure!(ended.said.contains("error: "), "{}", ended.said),
                code => anyhow::bail!("exit {code:?}: {}", ended.said),
            }
            place.assert_best_is_whole()?;
            Ok(Injected::Yes)
        },
    },
    Fault {
        name: "EACCES: the test may no longer be executed",
        promise: "an error that names the mistake, and the best is whole",
        often: 1,
        inject: |place, round| {
            let runs = 10 + round;
            place.test(&format!(
                "echo run >>$HERE/runs; [ $(wc -l <$HERE/runs) -gt {runs} ] && chmod -x $HERE/test.sh"
            ))?;
            let ended = place.reduce(&["--jobs", "1"])?;
            ensure!(
                ended.code == Some(5) && ended.said.contains("it may not be executed"),
                "exit {:?}: {}",
                ended.code,
                ended.said
            );
            place.assert_best_is_whole()?;
            Ok(Injected::Yes)
        },
    },
    Fault {
        name: "a fork bomb that leaves its group and its environment",
        promise: "it is killed to the last, and the reduction goes on",
        often: 1,
        inject: |place, _| {
            // At most 512 processes, should nobody stop it.
            fs::write(
                place.path("bomb"),
                "echo $$ >>$1/pids; [ $2 = 0 ] || { env -i setsid sh $1/bomb $1 $(($2 - 1)) & env -i setsid sh $1/bomb $1 $(($2 - 1)) & }\nsleep 1000\n",
            )?;
            place.test("[ -e $HERE/ignited ] || { grep -q 'line 5 ' $1 || { : >$HERE/ignited; sh $HERE/bomb $HERE 8; }; }")?;
            place.reduce_well(&["--processes", "60", "--jobs", "2"])?;
            Ok(Injected::Yes)
        },
    },
    Fault {
        name: "a memory hog",
        promise: "it is stopped, and the reduction goes on",
        often: 1,
        inject: |place, _| {
            place.test("grep -q 'line 5 ' $1 || [ -e $HERE/hog ] || { : >$HERE/hog; head -c 400000000 /dev/zero | tail | sleep 1000; }")?;
            place.reduce_well(&["--memory", "100M", "--jobs", "2"])?;
            Ok(Injected::Yes)
        },
    },
    Fault {
        name: "a flood of output",
        promise: "it ends with the time limit, and the reduction goes on",
        often: 1,
        inject: |place, _| {
            place.test("grep -q 'line 5 ' $1 || [ -e $HERE/flood ] || { : >$HERE/flood; yes; }")?;
            place.reduce_well(&["--timeout", "1"])?;
            Ok(Injected::Yes)
        },
    },
    Fault {
        name: "ignored SIGTERM",
        promise: "it is killed, and the reduction goes on",
        often: 1,
        inject: |place, _| {
            place.test("grep -q 'line 5 ' $1 || [ -e $HERE/deaf ] || { : >$HERE/deaf; trap '' TERM; while :; do sleep 1; done; }")?;
            place.reduce_well(&["--timeout", "1"])?;
            Ok(Injected::Yes)
        },
    },
    Fault {
        name: "daemons without group, session, environment",
        promise: "they are gone when the reduction is",
        often: 1,
        inject: |place, _| {
            place.test("(env -i setsid sh -c \"echo \\$\\$ >>$HERE/pids; sleep 1000\" &) ; setsid sleep 1000 &")?;
            place.reduce_well(&["--jobs", "2"])?;
            Ok(Injected::Yes)
        },
    },
    Fault {
        name: "a test that rewrites or deletes its candidate",
        promise: "the result is that of the undisturbed run",
        often: 1,
        inject: |place, round| {
            let mischief = [
                "echo needle >$1",
                "rm $1",
                "rm $1; ln -s $HERE/in.txt $1",
                "rm -rf $PWD",
                "rm $1; mkdir $1",
            ];
            let mischief = mischief[round as usize % mischief.len()];
            place.test(&format!(
                "cp $1 $TMPDIR/copy; {mischief} 2>/dev/null; set -- $TMPDIR/copy"
            ))?;
            let before = fs::read(place.path("in.txt"))?;
            place.reduce_well(&[])?;
            ensure!(
                fs::read(place.path("in.txt"))? == before,
                "the input was changed"
            );
            Ok(Injected::Yes)
        },
    },
    Fault {
        name: "the input is edited during the run",
        promise: "the result is that of what was read, and it is said",
        often: 1,
        inject: |place, _| {
            place.test("echo edited >$HERE/in.txt")?;
            let ended = place.reduce(&["--jobs", "1"])?;
            ensure!(
                ended.code == Some(0) && ended.said.contains("was changed by someone else"),
                "exit {:?}: {}",
                ended.code,
                ended.said
            );
            place.assert_reduced()?;
            Ok(Injected::Yes)
        },
    },
    Fault {
        name: "20,000 files and locked, deep directories are left",
        promise: "they are removed",
        often: 1,
        inject: |place, _| {
            place.test("[ -e $HERE/littered ] || { : >$HERE/littered; mkdir -p a/b/c/d many; (cd many; seq 20000 | xargs touch); chmod 0 a/b/c a/b a many; }")?;
            place.reduce_well(&[])?;
            Ok(Injected::Yes)
        },
    },
];

/// A moment of a reduction, another one in each round, from the start to about where it ends.
pub(super) fn moment(round: u32) -> Duration {
    // The golden section spreads any number of moments evenly.
    let part = (u64::from(round) * 618_034) % 1_000_000;
    Duration::from_micros(part * 3)
}

fn interrupted(place: &Place, round: u32, signal: Signal) -> Result<Injected> {
    place.test("setsid sleep 1000 & sleep 0.01")?;
    let child = place.start(&["--jobs", "2"])?;
    // Before it listens for signals, they kill it like any program.
    thread::sleep(Duration::from_millis(300) + moment(round));
    place.signal(&child, signal)?;
    let ended = place.finish(child)?;
    ensure!(
        matches!(ended.code, Some(0 | 6)),
        "exit {:?}: {}",
        ended.code,
        ended.said
    );
    place.assert_best_is_whole()?;
    Ok(Injected::Yes)
}
