//! Signal numbers and their names.

use std::fmt;

/// A shell reports a command killed by signal N as exit code `128 + N`.
pub(crate) const SHELL_OFFSET: i32 = 128;

/// The largest signal number of all supported systems.
pub(crate) const MAX: i32 = 64;

/// The names of the signals from 1 up of Linux on x86, Arm and RISC-V, without `SIG`; a dash stands
/// for one without a name.
#[cfg(target_os = "linux")]
const NAMES: &str = "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM - CHLD \
     CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO - SYS";

/// The names of the signals of macOS and the BSDs.
#[cfg(not(target_os = "linux"))]
const NAMES: &str = "HUP INT QUIT ILL TRAP ABRT - FPE KILL BUS SEGV SYS PIPE ALRM TERM URG STOP \
     TSTP CONT CHLD TTIN TTOU IO XCPU XFSZ VTALRM PROF WINCH - USR1 USR2";

/// Returns the signals that have a name, without `SIG`.
fn named() -> impl Iterator<Item = (i32, &'static str)> {
    (1..).zip(NAMES.split(' ')).filter(|(_, name)| *name != "-")
}

/// Returns the number of a signal written as `SIGSEGV`, `SEGV` or either in lower case.
pub(crate) fn number(name: &str) -> Option<i32> {
    let name = name.to_ascii_uppercase();
    let name = name.strip_prefix("SIG").unwrap_or(&name);
    let signal = named().find(|(_, known)| *known == name);
    signal.map(|(signal, _)| signal)
}

/// Displays a signal number as its name, or as `signal 63` when it has none.
pub(crate) struct SignalName(pub(crate) i32);

impl fmt::Display for SignalName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match named().find(|(signal, _)| *signal == self.0) {
            Some((_, name)) => write!(f, "SIG{name}"),
            None => write!(f, "signal {}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_recognised_with_and_without_sig_in_any_case() {
        for name in ["SIGSEGV", "SEGV", "sigsegv", "segv"] {
            assert_eq!(number(name), Some(11), "{name}");
        }
        assert_eq!(number("SIGNAL"), None);
        assert_eq!(number(""), None);
    }

    #[test]
    fn numbers_are_those_of_the_system() {
        use rustix::process::Signal;

        for (signal, name) in [
            (Signal::BUS, "SIGBUS"),
            (Signal::USR1, "SIGUSR1"),
            (Signal::USR2, "SIGUSR2"),
            (Signal::CHILD, "SIGCHLD"),
            (Signal::CONT, "SIGCONT"),
            (Signal::STOP, "SIGSTOP"),
            (Signal::TSTP, "SIGTSTP"),
            (Signal::URG, "SIGURG"),
            (Signal::IO, "SIGIO"),
            (Signal::SYS, "SIGSYS"),
        ] {
            assert_eq!(number(name), Some(signal.as_raw()), "{name}");
        }
    }

    #[test]
    fn every_name_and_number_convert_to_each_other() {
        for (signal, name) in named() {
            assert_eq!(number(name), Some(signal));
            assert_eq!(SignalName(signal).to_string(), format!("SIG{name}"));
        }
        assert_eq!(SignalName(31).to_string(), "SIGSYS");
    }
}
