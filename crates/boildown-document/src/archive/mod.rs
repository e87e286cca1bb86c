//! Archives: members that are removed whole and whose contents are reduced like inputs of their
//! own.
//!
//! - `any.rs`: an archive of any of the formats
//! - `zip.rs`: ZIP and its kin (JAR, APK, DOCX, XLSX, EPUB)
//! - `records.rs`: the records of ZIP, as bytes with fields at fixed positions
//! - `tar.rs`: tar
//! - `gzip.rs`: gzip, packed files in a row, each of which may be an archive
//! - `limits.rs`: what is unpacked, and how it is packed

mod any;
mod gzip;
mod limits;
mod records;
mod tar;
mod zip;

pub use any::Archive;
use gzip::Gzip;
use tar::Tar;
use zip::Zip;
