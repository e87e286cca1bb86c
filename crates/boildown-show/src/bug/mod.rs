//! The files of a bug report: scripts that any POSIX shell runs, and a text to paste.
//!
//! - `pattern.rs`: regular expressions as `grep -E` reads them
//! - `script.rs`: `interesting.sh` and `reproduce.sh`
//! - `readme.rs`: `README.md`

mod pattern;
mod readme;
mod script;

pub use pattern::{GrepPattern, PatternError, grep_pattern};
pub use readme::{BugText, readme};
pub use script::{
    BugCommand, BugScripts, CaseForm, ScriptCheck, ScriptPart, command_case, interesting, reproduce,
};
