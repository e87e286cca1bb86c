//! Signal numbers and their names.

use std::fmt;

/// A shell reports a command killed by signal N as exit code `128 + N`.
pub(crate) const SHELL_OFFSET: i32 = 128;

/// The largest signal number of all supported systems.
pub(crate) const MAX: i32 = 64;

/// The signals of Linux on x86, Arm and RISC-V.
#[cfg(target_os = "linux")]
const NAMES: &[(i32, &str)] = &[
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (5, "SIGTRAP"),
    (6, "SIGABRT"),
    (7, "SIGBUS"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (10, "SIGUSR1"),
    (11, "SIGSEGV"),
    (12, "SIGUSR2"),
    (13, "SIGPIPE"),
    (14, "SIGALRM"),
    (15, "SIGTERM"),
    (17, "SIGCHLD"),
    (18, "SIGCONT"),
    (19, "SIGSTOP"),
    (20, "SIGTSTP"),
    (21, "SIGTTIN"),
    (22, "SIGTTOU"),
    (23, "SIGURG"),
    (24, "SIGXCPU"),
    (25, "SIGXFSZ"),
    (26, "SIGVTALRM"),
    (27, "SIGPROF"),
    (28, "SIGWINCH"),
    (29, "SIGIO"),
    (31, "SIGSYS"),
];

/// The signals of macOS and the BSDs.
#[cfg(not(target_os = "linux"))]
const NAMES: &[(i32, &str)] = &[
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (5, "SIGTRAP"),
    (6, "SIGABRT"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (10, "SIGBUS"),
    (11, "SIGSEGV"),
    (12, "SIGSYS"),
    (13, "SIGPIPE"),
    (14, "SIGALRM"),
    (15, "SIGTERM"),
    (16, "SIGURG"),
    (17, "SIGSTOP"),
    (18, "SIGTSTP"),
    (19, "SIGCONT"),
    (20, "SIGCHLD"),
    (21, "SIGTTIN"),
    (22, "SIGTTOU"),
    (23, "SIGIO"),
    (24, "SIGXCPU"),
    (25, "SIGXFSZ"),
    (26, "SIGVTALRM"),
    (27, "SIGPROF"),
    (28, "SIGWINCH"),
    (30, "SIGUSR1"),
    (31, "SIGUSR2"),
];

/// Returns the number of a signal written as `SIGSEGV`, `SEGV` or either in lower case.
pub(crate) fn number(name: &str) -> Option<i32> {
    let name = name.to_ascii_uppercase();
    NAMES
        .iter()
        .find(|(_, known)| *known == name || known["SIG".len()..] == name)
        .map(|(signal, _)| *signal)
}

/// Displays a signal number as its name, or as `signal 63` when it has none.
pub(crate) struct SignalName(pub(crate) i32);

impl fmt::Display for SignalName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.iter().find(|(signal, _)| *signal == self.0) {
            Some((_, name)) => f.write_str(name),
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
        for (signal, name) in NAMES {
            assert_eq!(number(name), Some(*signal));
            assert_eq!(SignalName(*signal).to_string(), *name);
        }
    }
}
