//! `cargo xtask house`: prints the figures of the source tree.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use xtask::checkout;
use xtask::house::House;

use crate::table::{Align, Style, Table};

/// What is counted, and how.
const DEFINITIONS: &str = "\
Figures:
  import circles     Sets of files of a crate that name each other's items, directly or through
                     other files (strongly connected components of two and more files). A file has
                     an edge to the file that defines an item if it mentions the item in a `use` or
                     in a path, also within a macro call; re-exports are followed to the definition.
                     No edges: `mod child;`, the import of a module by its name (paths that start
                     with that name are), a `use` with a visibility whose name the file does not
                     mention itself, and everything under #[cfg(test)].
  comment lines      Lines of Rust files that hold a comment and end beyond column 100.
  type names         Structs, enums, unions, traits and aliases at the level of modules that a crate
                     defines more than once, without tests. Exceptions: house/types.rs.
  files              Written files of more than 800 lines, CHANGELOG.md left out.
  languages          Places outside of formats and of the table of languages where shared code
                     compares the name of a language with a text.
  lines with code    Lines that hold code, by crate and by format; comments, blank lines and tests
                     are left out. `--list` prints the parts.
  variants           Variants of the enums that formats share: View, Method, RewriteKind, BuiltIn,
                     Split.

Exits with 1 if a limit is broken.";

#[derive(Debug, clap::Args)]
#[command(after_help = DEFINITIONS)]
pub(crate) struct HouseArgs {
    /// Print each thing counted, as `file:line`
    #[arg(long)]
    list: bool,
    /// Checkout to read instead of the one that this program was built from
    #[arg(long)]
    checkout: Option<PathBuf>,
}

pub(crate) fn run(args: &HouseArgs) -> Result<ExitCode> {
    let root = args.checkout.as_deref().unwrap_or_else(|| checkout::root());
    let figures = House::read(root)?.figures()?;
    let mut table = Table::new(&[
        ("figure", Align::Left),
        ("value", Align::Right),
        ("limit", Align::Right),
        ("", Align::Left),
    ]);
    for figure in &figures {
        let limit = figure
            .limit
            .map_or_else(|| "-".to_owned(), |limit| limit.to_string());
        let mark = if figure.is_broken { "broken" } else { "" };
        table.push(vec![
            figure.name.to_owned(),
            figure.value.clone(),
            limit,
            mark.to_owned(),
        ]);
    }
    print!("{}", table.render(Style::Plain));
    if args.list {
        for figure in figures.iter().filter(|figure| !figure.details.is_empty()) {
            println!("\n{}:", figure.name);
            for line in &figure.details {
                println!("  {line}");
            }
        }
    }
    let is_broken = figures.iter().any(|figure| figure.is_broken);
    if is_broken && !args.list {
        println!("\nto see what breaks a limit: cargo xtask house --list");
    }
    Ok(ExitCode::from(u8::from(is_broken)))
}
