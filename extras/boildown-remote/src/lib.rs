//! Running commands on a remote execution service that speaks the Bazel Remote Execution API v2.
//!
//! `RemoteService` is a connection; `RemoteExecutor` runs the commands of runners through it,
//! and `RemoteRunner` one command, which it has uploaded with all that it names. The result is a
//! `Run` as of a local command, so one property judges both.
//!
//! A run goes through these steps: the service's cache of results is asked, what is missing is
//! uploaded, the action is executed, its status and streams are read. A stream that breaks is
//! attached again; a service that does not answer is tried again for two minutes.
//!
//! All of it is behind the feature `client`: without it, the crate is empty and needs no gRPC.
#![cfg(feature = "client")]

mod cas;
mod config;
mod connection;
mod digest;
mod error;
mod executor;
mod group;
mod input_root;
mod plan;
mod runner;
mod service;
mod wrapper;

pub use config::{Address, ClientIdentity, RemoteConfig};
pub use error::RemoteError;
pub use executor::RemoteExecutor;
pub use group::Grouping;
pub use input_root::SentFiles;
pub use plan::RemoteCommand;
pub use runner::{RemoteRunner, RemoteService};
pub use wrapper::Part;
