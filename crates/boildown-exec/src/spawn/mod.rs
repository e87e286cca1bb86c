//! The only way to run a command.
//!
//! Whatever the command does, a run ends and leaves no process behind. The command gets its own
//! session, without a terminal. Its output is read while it runs, and kept up to a limit; its time
//! is limited. After the command has ended, its group is killed, and so are escaped processes,
//! which have left the group (see [`ReapOnDrop`] for the last of them). A process that is not known
//! to belong to a run is never touched.

mod abandoned;
mod adoption;
mod companion;
mod dialogue;
mod escaped;
mod invocation;
mod launch;
mod limits;
mod not_executable;
mod output;
mod permissions;
mod poll;
mod process_table;
mod resource_monitor;
mod run_command;
mod run_marks;
mod run_meter;
mod running;
mod sandbox;
mod sandbox_thread;
mod served;
#[cfg_attr(target_os = "linux", path = "session_cgroup_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "session_cgroup_elsewhere.rs")]
mod session_cgroup;
mod start;
mod started_process;
mod system;

pub(crate) use abandoned::kill_processes_of_sessions;
pub(crate) use adoption::has_subreaper;
pub use companion::{Companion, CompanionStreams};
pub(crate) use dialogue::{Dialogue, NoAnswer};
pub use escaped::ReapOnDrop;
pub use invocation::{Inherited, Invocation, Stdin};
pub(crate) use launch::has_own_sessions;
pub use limits::Limits;
pub use not_executable::is_not_executable;
pub use permissions::Permissions;
pub(crate) use run_command::run_in;
pub use run_command::{run, run_within};
pub use run_meter::RunMeter;
pub use sandbox::Sandbox;
pub(crate) use sandbox::has_own_ipc;
pub(crate) use sandbox_thread::SandboxThread;
pub(crate) use served::{AnswerLimits, Reply, ServedProcess};
pub(crate) use session_cgroup::cgroup_gap;
