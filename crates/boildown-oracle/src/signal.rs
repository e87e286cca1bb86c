//! Signal numbers and their names.

use std::fmt;

use rustix::process::Signal;

/// A shell reports a command killed by signal N as exit code `128 + N`.
pub(crate) const SHELL_OFFSET: i32 = 128;

/// The largest signal number of any Unix that we run on.
pub(crate) const MAX: i32 = 64;

const NAMES: &[(Signal, &str)] = &[
    (Signal::HUP, "SIGHUP"),
    (Signal::INT, "SIGINT"),
    (Signal::QUIT, "SIGQUIT"),
    (Signal::ILL, "SIGILL"),
    (Signal::TRAP, "SIGTRAP"),
    (Signal::ABORT, "SIGABRT"),
    (Signal::BUS, "SIGBUS"),
    (Signal::FPE, "SIGFPE"),
    (Signal::KILL, "SIGKILL"),
    (Signal::USR1, "SIGUSR1"),
    (Signal::SEGV, "SIGSEGV"),
    (Signal::USR2, "SIGUSR2"),
    (Signal::PIPE, "SIGPIPE"),
    (Signal::ALARM, "SIGALRM"),
    (Signal::TERM, "SIGTERM"),
    (Signal::CHILD, "SIGCHLD"),
    (Signal::CONT, "SIGCONT"),
    (Signal::STOP, "SIGSTOP"),
    (Signal::TSTP, "SIGTSTP"),
    (Signal::TTIN, "SIGTTIN"),
    (Signal::TTOU, "SIGTTOU"),
    (Signal::URG, "SIGURG"),
    (Signal::XCPU, "SIGXCPU"),
    (Signal::XFSZ, "SIGXFSZ"),
    (Signal::VTALARM, "SIGVTALRM"),
    (Signal::PROF, "SIGPROF"),
    (Signal::WINCH, "SIGWINCH"),
    (Signal::IO, "SIGIO"),
    (Signal::SYS, "SIGSYS"),
];

/// Returns the number of a signal written as `SIGSEGV`, `SEGV` or either in lower case.
pub(crate) fn number(name: &str) -> Option<i32> {
    let name = name.to_ascii_uppercase();
    NAMES
        .iter()
        .find(|(_, known)| *known == name || known["SIG".len()..] == name)
        .map(|(signal, _)| signal.as_raw())
}

/// Displays a signal number as its name, or as `signal 63` when it has none.
pub(crate) struct Named(pub(crate) i32);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.iter().find(|(signal, _)| signal.as_raw() == self.0) {
            Some((_, name)) => f.write_str(name),
            None => write!(f, "signal {}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_with_and_without_its_prefix_in_any_case() {
        for name in ["SIGSEGV", "SEGV", "sigsegv", "segv"] {
            assert_eq!(number(name), Some(11), "{name}");
        }
        assert_eq!(number("SIGNAL"), None);
        assert_eq!(number(""), None);
    }

    #[test]
    fn every_name_leads_back_to_its_number() {
        for (signal, name) in NAMES {
            assert_eq!(number(name), Some(signal.as_raw()));
            assert_eq!(Named(signal.as_raw()).to_string(), *name);
        }
    }
}
