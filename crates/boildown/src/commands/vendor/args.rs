//! Arguments of `boildown vendor`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Clone, Args)]
pub(crate) struct VendorArgs {
    /// The file or folder that needs packages
    #[arg(value_name = "INPUT", hide_short_help = true)]
    pub(crate) input: PathBuf,

    /// The folder to write [default: crash.vendored for crash.py]
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,

    /// Replace the folder if it exists
    #[arg(long)]
    pub(crate) force: bool,

    /// The Python or the cargo that finds the packages, such as venv/bin/python
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) program: Option<OsString>,
}
