//! Reductions for other programs, which start jobs and ask what became of them.
//!
//! A job is a process of boildown that runs beside the server with `--json`, tied to it: it ends
//! with the server, however that ends, and the same command resumes it.
//!
//! - [`serve_mcp`]: the Model Context Protocol over standard input and output, for agents and
//!   editors
//! - `serve_http`, behind the feature `http`: HTTP and JSON, with a queue that survives the server

#[cfg(feature = "http")]
mod http;
mod job_state;
mod mcp;
mod served_search;

#[cfg(feature = "http")]
pub use http::{Quotas, ServiceConfig, ServiceError, serve_http};
pub use mcp::serve_mcp;
