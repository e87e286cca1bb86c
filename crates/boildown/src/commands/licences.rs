//! `boildown licences`.

use crate::error::ExitKind;
use crate::stdout;

/// Prints the licence of boildown, and those of the packages that it is made of.
pub(crate) fn print() -> ExitKind {
    let own = concat!(
        "boildown ",
        env!("CARGO_PKG_VERSION"),
        " is licensed under MIT or Apache-2.0, at your choice. With all its features it\n\
         contains these packages. libsqlite3-sys holds SQLite, which is in the public domain. The\n\
         texts of the licences come with each package of boildown.\n\n",
    );
    stdout::write(own.as_bytes());
    stdout::write(include_bytes!("licences.txt"));
    ExitKind::Reduced
}
