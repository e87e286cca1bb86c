//! Workers: runs of candidates on other machines, over the standard streams of any program that
//! reaches them.
//!
//! * [`WorkerPool`] is the client: an [`Executor`](boildown_exec::Executor) that starts workers,
//!   checks them, and gives them candidates.
//! * [`serve()`] is the worker: it runs commands for a client, in the same way as a local session.
//!
//! The two talk in frames, which `docs/reference/worker.md` describes. A worker judges nothing: it
//! returns how a run ended and what it printed.
mod admission;
mod connection;
mod difference;
mod error;
mod frame;
mod greeting;
mod keeper;
mod message;
mod placed_files;
mod pool;
mod serve;
mod shared;

pub use admission::{WorkerCheck, WorkerJudge};
pub use error::WorkerError;
pub use pool::{WorkerPool, launch_lines};
pub use serve::{WorkerSetup, serve};
