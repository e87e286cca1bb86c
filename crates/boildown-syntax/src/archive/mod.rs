//! ZIP archives and their kin (JAR, APK, DOCX, XLSX, EPUB): members that are removed whole and
//! whose contents are reduced like inputs of their own.
//!
//! - `zip.rs`: the format: an archive as members, and any of them as an archive again
//! - `records.rs`: the records of the format, as bytes with fields at fixed positions

mod records;
mod zip;

pub(crate) use zip::Zip;
