//! `cargo xtask licences`: what the released program is made of.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;
use xtask::{checkout, licences};

#[derive(Debug, Args)]
pub(crate) struct LicencesArgs {
    /// Write the texts of all licences to this file, and leave the list alone
    #[arg(long, value_name = "FILE")]
    texts: Option<PathBuf>,

    /// Write a bill of materials (`CycloneDX`, JSON) to this file, and leave the list alone
    #[arg(long, value_name = "FILE")]
    bill: Option<PathBuf>,
}

pub(crate) fn run(args: &LicencesArgs) -> Result<ExitCode> {
    let packages = licences::packages()?;
    let write = |path: &PathBuf, text: String| {
        fs::write(path, text).with_context(|| path.display().to_string())
    };
    if let Some(path) = &args.texts {
        write(path, licences::texts(&packages)?)?;
    }
    if let Some(path) = &args.bill {
        // All crates of the workspace have one version.
        let bill = licences::bill_of_materials(&packages, env!("CARGO_PKG_VERSION"));
        write(path, format!("{bill:#}\n"))?;
    }
    if args.texts.is_none() && args.bill.is_none() {
        write(
            &checkout::root().join(licences::LIST),
            licences::list(&packages),
        )?;
    }
    println!("{} packages", packages.len());
    Ok(ExitCode::SUCCESS)
}
