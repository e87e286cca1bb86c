//! Arguments of `boildown stage`.

use std::path::PathBuf;

use clap::Args;

use crate::options::{RunArgs, heading};

#[derive(Debug, Clone, Args)]
pub(crate) struct StageArgs {
    /// The file on which the command fails
    #[arg(value_name = "FILE", hide_short_help = true)]
    pub(crate) input: PathBuf,

    /// A stage of the pipeline: 'NAME=LINE', from the first to the last
    ///
    /// May be repeated. A line for the shell, in which {in} stands for the file that the stage
    /// before has written, and {out} for the file to write; {out.ll} gives it this ending. A stage
    /// without {out} passes its input on. [default: those of the compiler in COMMAND]
    #[arg(long, value_name = "NAME=LINE", help_heading = "Stages")]
    pub(crate) stage: Vec<String>,

    /// Only find the stage and write its input
    #[arg(long, help_heading = "Stages")]
    pub(crate) no_reduce: bool,

    /// Result file [default: crash.stage.min.ll for a stage of crash.c that reads IR]
    #[arg(short, long, value_name = "FILE", help_heading = heading::OUTPUT)]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) runs: RunArgs,
}
