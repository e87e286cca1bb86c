//! `boildown lab` in a program that was built without the laboratory.

use self::args::LabArgs;
use crate::error::{CliError, ExitKind};

pub(crate) mod args {
    //! Arguments of `boildown lab`, which are not read.

    use std::ffi::OsString;

    #[derive(Debug, clap::Args)]
    pub(crate) struct LabArgs {
        /// An experiment and its options
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        pub(crate) experiment: Vec<OsString>,
    }
}

/// Reports that this program has no laboratory.
pub(crate) fn run(_: &LabArgs) -> Result<ExitKind, CliError> {
    Err(
        CliError::usage("this program was built without the laboratory")
            .hint("build it with `cargo install --path crates/boildown --locked --features lab`"),
    )
}
