//! Running commands on a remote execution service that speaks the Bazel Remote Execution API v2.
//!
//! [`RemoteService`] is a connection, [`RemoteRunner`] runs one command on candidates through it.
//! The result is a [`Run`](boildown_oracle::Run) as of a local command, so one property judges both.
#![cfg(feature = "client")]

mod cas;
mod config;
mod connection;
mod digest;
mod error;
mod input_root;
mod runner;
mod service;
mod wrapper;

pub use config::{Address, ClientIdentity, RemoteConfig};
pub use error::RemoteError;
pub use input_root::{SentFiles, common_directory};
pub use runner::{RemoteCommand, RemoteRunner, RemoteService};
pub use wrapper::{Part, is_of_system};
