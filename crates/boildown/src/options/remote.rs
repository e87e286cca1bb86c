//! Options of runs on a remote execution service.

use std::path::PathBuf;

use boildown_store::Identity;
use clap::Args;

use super::heading;
use crate::input::read_regular;

/// A remote execution service, and how to reach it.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::REMOTE)]
pub(crate) struct RemoteArgs {
    /// Run tests on this service, such as grpcs://host:port
    ///
    /// It speaks the Bazel Remote Execution API v2. What the command names is uploaded; programs
    /// and libraries of the system are those of the workers. `grpc://` is without TLS. Give --jobs
    /// too: the number of tests to run there at once.
    #[arg(long, value_name = "URL", hide_short_help = true, conflicts_with_all = ["writable", "no_network", "memory", "processes", "worker", "workers"])]
    pub(crate) remote: Option<String>,

    /// The instance of the service
    #[arg(
        long,
        value_name = "NAME",
        hide_short_help = true,
        requires = "remote",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) remote_instance: String,

    /// What workers have to offer, such as container-image=docker://IMAGE
    ///
    /// May be repeated. The service says which names it knows.
    #[arg(long, value_name = "NAME=VALUE", hide_short_help = true, requires = "remote", value_parser = pair)]
    pub(crate) remote_property: Vec<(String, String)>,

    /// Set an environment variable there; may be repeated
    ///
    /// Commands see no variable of the local environment. [default: PATH with the usual
    /// directories, HOME and TMPDIR with the directory of temporary files]
    #[arg(long, value_name = "NAME=VALUE", hide_short_help = true, requires = "remote", value_parser = pair)]
    pub(crate) remote_env: Vec<(String, String)>,

    /// Send this file or directory too; may be repeated
    ///
    /// For what a test script uses without being named on the command line. It has the same place
    /// relative to the script as here.
    #[arg(long, value_name = "PATH", hide_short_help = true, requires = "remote")]
    pub(crate) remote_file: Vec<PathBuf>,

    /// Put up to N short tests into one action [default: 1]
    ///
    /// For tests of less than half a second on a service with little room: the tests of a group
    /// share the cost of the action. At most a Nth of --jobs are then executed at a time.
    #[arg(long, value_name = "N", hide_short_help = true, requires = "remote", value_parser = group, default_value = "1", hide_default_value = true)]
    pub(crate) remote_group: usize,

    /// File with a token that is sent with each request
    ///
    /// It is read again when the service asks for a new one.
    #[arg(long, value_name = "FILE", hide_short_help = true, requires = "remote")]
    pub(crate) remote_token_file: Option<PathBuf>,

    /// File with the certificates (PEM) that sign the service's
    ///
    /// [default: those of the system]
    #[arg(long, value_name = "FILE", hide_short_help = true, requires = "remote")]
    pub(crate) remote_ca: Option<PathBuf>,

    /// File with the certificate (PEM) to identify with
    #[arg(long, value_name = "FILE", hide_short_help = true, requires_all = ["remote", "remote_key"])]
    pub(crate) remote_cert: Option<PathBuf>,

    /// File with the private key (PEM) of that certificate
    #[arg(
        long,
        value_name = "FILE",
        hide_short_help = true,
        requires = "remote_cert"
    )]
    pub(crate) remote_key: Option<PathBuf>,
}

impl RemoteArgs {
    /// Returns whether tests run on a service.
    pub(crate) fn is_given(&self) -> bool {
        self.remote.is_some()
    }

    /// Adds what may change how a run ends. The identity of a local run is that of earlier
    /// versions.
    pub(crate) fn add_to_identity(&self, identity: &mut Identity) {
        let Some(address) = &self.remote else { return };
        identity.add("--remote", address);
        identity.add("--remote-instance", &self.remote_instance);
        let sorted = |pairs: &[(String, String)]| {
            let mut pairs = pairs.to_vec();
            pairs.sort();
            format!("{pairs:?}")
        };
        identity.add("--remote-property", sorted(&self.remote_property));
        // It may hold secrets.
        let variables = sorted(&self.remote_env);
        identity.add_hash("--remote-env", variables.as_bytes());
        let files = self.remote_file.iter();
        let files: Vec<_> = files.map(|path| (path, read_regular(path).ok())).collect();
        identity.add_hash("--remote-file", format!("{files:?}").as_bytes());
    }
}

fn group(text: &str) -> Result<usize, &'static str> {
    let size = text.parse().ok().filter(|size| (1..=100).contains(size));
    size.ok_or("not a whole number from 1 to 100")
}

fn pair(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("not of the form NAME=VALUE"),
    }
}
