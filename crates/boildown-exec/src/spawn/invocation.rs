//! The description of a command to be run.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use boildown_oracle::Capture;
use boildown_oracle::shell::quote;

/// A command with its directory, input, environment and output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// An absolute path, or a name that is looked up on the PATH.
    pub program: OsString,
    /// The arguments.
    pub args: Vec<OsString>,
    /// The working directory.
    pub current_dir: PathBuf,
    /// The standard input.
    pub stdin: Stdin,
    /// The environment to which `env` is added.
    pub inherited: Inherited,
    /// Variables added to the inherited environment.
    pub env: Vec<(OsString, OsString)>,
    /// A directory for temporary files, which the command finds as `TMPDIR`.
    pub tmp: Option<PathBuf>,
    /// Which output is captured.
    pub capture: Capture,
}

/// The part of our environment that a command inherits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Inherited {
    /// All variables.
    #[default]
    Everything,
    /// The `PATH`.
    Path,
}

/// The standard input of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stdin {
    /// Empty.
    Null,
    /// The content of this file.
    File(PathBuf),
}

/// Displays the command as a line that can be pasted into a shell.
impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cd {} &&", quote(&self.current_dir))?;
        if self.inherited == Inherited::Path {
            f.write_str(" env -i PATH=\"$PATH\"")?;
        }
        for (name, value) in &self.env {
            write!(f, " {}={}", name.display(), quote(value))?;
        }
        write!(f, " {}", quote(&self.program))?;
        for arg in &self.args {
            write!(f, " {}", quote(arg))?;
        }
        match &self.stdin {
            Stdin::Null => Ok(()),
            Stdin::File(path) => write!(f, " <{}", quote(path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invocation_is_displayed_as_a_shell_line() {
        let invocation = Invocation {
            program: "./my tool".into(),
            args: vec!["-c".into(), "it's".into()],
            current_dir: "/tmp/x".into(),
            stdin: Stdin::File("/tmp/x/a.c".into()),
            inherited: Inherited::Everything,
            env: vec![("MODE".into(), "fast run".into())],
            tmp: None,
            capture: Capture::Nothing,
        };
        assert_eq!(
            invocation.to_string(),
            r"cd /tmp/x && MODE='fast run' './my tool' -c 'it'\''s' </tmp/x/a.c"
        );
    }
}
