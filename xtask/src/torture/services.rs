//! Remote execution services that fail, and links to them that do.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use super::fault::{Injection, moment};
use super::work_dir::WorkDir;

#[path = "../../../extras/boildown-remote/tests/it/casd.rs"]
#[expect(
    dead_code,
    clippy::unwrap_used,
    reason = "written for tests, which use the rest"
)]
mod casd;
#[path = "../../../extras/boildown-remote/tests/it/proxy.rs"]
#[expect(clippy::unwrap_used, reason = "written for tests")]
mod proxy;

use casd::Casd;
use proxy::Proxy;

/// The time for which a link is cut.
const CUT: Duration = Duration::from_secs(10);

/// Reduces on a service, and disturbs it at a moment that depends on the round.
fn disturbed(
    work_dir: &WorkDir,
    round: u32,
    disturb: impl FnOnce(&mut Casd, &Proxy),
) -> Result<Injection> {
    let Some(mut casd) = Casd::start() else {
        return Ok(Injection::Skipped("there is no server: .ci/remote-server"));
    };
    let proxy = Proxy::to(casd.port());
    let address = format!("grpc://127.0.0.1:{}", proxy.port());
    let [jobs, group] = [["1", "1"], ["4", "1"], ["8", "4"]][round as usize % 3];
    work_dir.test("sleep 0.02")?;
    let group = format!("group={group}");
    let options = ["--remote", &*address, "--remote", &*group, "--jobs", jobs];
    let child = work_dir.start(&options)?;
    // The first verdict is stored after the runs that find the property.
    let started = Instant::now();
    while work_dir.stored() == 0 {
        if started.elapsed() > Duration::from_secs(100) {
            let ended = work_dir.finish(child)?;
            if ended.stderr.contains("built without remote execution") {
                return Ok(Injection::Skipped("it was built without remote execution"));
            }
            bail!("no verdict is stored: {}", ended.stderr);
        }
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(moment(round));
    disturb(&mut casd, &proxy);
    let ended = work_dir.finish(child)?;
    ensure!(
        ended.code == Some(0),
        "exit {:?}: {}",
        ended.code,
        ended.stderr
    );
    work_dir.assert_reduced()?;
    Ok(Injection::Done)
}

/// Kills the service with all that it runs, and starts it again after up to 3 s.
pub(super) fn restarted(work_dir: &WorkDir, round: u32) -> Result<Injection> {
    disturbed(work_dir, round, |casd, _| {
        casd.kill();
        thread::sleep(moment(round + 1));
        casd.restart();
    })
}

/// Cuts the link for 10 s: in every second round connections are closed, in the others nothing
/// passes.
pub(super) fn cut(work_dir: &WorkDir, round: u32) -> Result<Injection> {
    disturbed(work_dir, round, |_, proxy| {
        if round.is_multiple_of(2) {
            proxy.cut();
        } else {
            proxy.hold();
        }
        thread::sleep(CUT);
        proxy.mend();
    })
}

/// Slows the link to 20 kB a second.
pub(super) fn slow(work_dir: &WorkDir, round: u32) -> Result<Injection> {
    disturbed(work_dir, round, |_, proxy| proxy.slow_down(20_000))
}
