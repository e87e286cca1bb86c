//! The processor time of the commands that ran.

use std::fs;
use std::time::Duration;

/// Returns the processor time of all commands of this process that have ended, with everything that
/// they started and waited for. `None` where the system does not tell it.
#[must_use]
pub fn cpu_time_of_runs() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    parse(&stat, rustix::param::clock_ticks_per_second())
}

fn parse(stat: &str, ticks_per_second: u64) -> Option<Duration> {
    // The second field is the program's name in parentheses, which may contain parentheses and
    // spaces.
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace().skip(13);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    let milliseconds = (user + system)
        .checked_mul(1000)?
        .checked_div(ticks_per_second)?;
    Some(Duration::from_millis(milliseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_children_are_fields_16_and_17() {
        let stat = "7 (a) (b c) S 4 5 6 7 8 9 10 11 12 13 14 15 150 25 18 19";
        assert_eq!(parse(stat, 100), Some(Duration::from_millis(1750)));
        assert_eq!(parse("no fields", 100), None);
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
