//! The processor time of the commands that ran, and how busy the processors are.

use std::fs;
use std::sync::OnceLock;
use std::time::Duration;

use rustix::process::Pid;

/// Returns the processor time of all commands of this process that have ended, with everything that
/// they started and waited for. `None` where the system does not tell it.
#[must_use]
pub fn cpu_time_of_runs() -> Option<Duration> {
    cpu_times().map(|times| times.runs)
}

/// How the processors of the machine are used.
#[derive(Debug, Clone, Copy)]
pub struct MachineUse {
    /// The processor time of all commands of this process that have ended.
    pub runs: Duration,
    /// The processor time of this process.
    pub own: Duration,
    /// The tasks of all programs, except the calling thread, that now have a processor or wait for
    /// one, for each processor of the machine. 0 where the system does not tell it.
    pub queue: f64,
}

/// Returns how the processors are used. `None` where the system does not tell the times.
#[must_use]
pub fn machine_use() -> Option<MachineUse> {
    let CpuTimes { runs, own } = cpu_times()?;
    let queue = queue_in(&fs::read_to_string("/proc/loadavg").unwrap_or_default());
    Some(MachineUse { runs, own, queue })
}

/// Returns the number of tasks for each processor, without the calling thread, from the contents of
/// `/proc/loadavg`.
fn queue_in(loadavg: &str) -> f64 {
    // Of the machine, not of what a group of processes may use: so are the tasks.
    static PROCESSORS: OnceLock<f64> = OnceLock::new();
    let processors = *PROCESSORS.get_or_init(|| {
        let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
        let each =
            (stat.lines()).filter(|line| line.starts_with("cpu") && !line.starts_with("cpu "));
        each.count().max(1) as f64
    });
    f64::from(tasks_in(loadavg).unwrap_or(0).saturating_sub(1)) / processors
}

/// Returns the number of tasks that have a processor or wait for one: the fourth field, `3/240`.
fn tasks_in(loadavg: &str) -> Option<u32> {
    let field = loadavg.split_ascii_whitespace().nth(3)?;
    field.split_once('/')?.0.parse().ok()
}

/// Returns the processor time of a process that has ended and was not reaped yet, with that of the
/// children that it waited for; `None` where the system does not say it.
pub(crate) fn cpu_time_of(process: Pid) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).ok()?;
    let times = parse(&stat, rustix::param::clock_ticks_per_second())?;
    Some(times.own + times.runs)
}

struct CpuTimes {
    runs: Duration,
    own: Duration,
}

fn cpu_times() -> Option<CpuTimes> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    parse(&stat, rustix::param::clock_ticks_per_second())
}

fn parse(stat: &str, ticks_per_second: u64) -> Option<CpuTimes> {
    // The second field is the program's name in parentheses, which may contain parentheses and
    // spaces.
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace().skip(11);
    let mut time = || {
        let user: u64 = fields.next()?.parse().ok()?;
        let system: u64 = fields.next()?.parse().ok()?;
        let milliseconds = (user + system)
            .checked_mul(1000)?
            .checked_div(ticks_per_second)?;
        Some(Duration::from_millis(milliseconds))
    };
    let (own, runs) = (time()?, time()?);
    Some(CpuTimes { runs, own })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_times_are_fields_14_and_15_and_those_of_children_16_and_17() {
        let stat = "7 (a) (b c) S 4 5 6 7 8 9 10 11 12 13 14 15 150 25 18 19";
        let times = parse(stat, 100).unwrap();
        assert_eq!(times.runs, Duration::from_millis(1750));
        assert_eq!(times.own, Duration::from_millis(290));
        assert!(parse("no fields", 100).is_none());
    }

    #[test]
    fn tasks_that_compete_are_the_fourth_field() {
        assert_eq!(tasks_in("0.20 0.18 0.12 3/240 11206"), Some(3));
        assert_eq!(tasks_in("0.20 0.18"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_busy_command_costs_time() {
        let before = cpu_time_of_runs().unwrap();
        let script = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let status = std::process::Command::new("sh")
            .args(["-c", script])
            .status();
        assert!(status.unwrap().success());
        assert!(cpu_time_of_runs().unwrap() > before);
    }
}
