//! Archives as states: wheels and other ZIP files, tarballs, source distributions.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::path::{Component, Path};

use flate2::read::MultiGzDecoder;
use gix::bstr::ByteSlice as _;

use crate::state::blob_id;
use crate::{ChangesError, Contents, Entry, FileKind, FilePath, State};

/// The largest sum of the sizes of the files of an archive. More is a mistake, or a trap.
const MAX_SIZE: u64 = 2 << 30;

/// An error of a library that reads archives, or of the system.
type ArchiveError = Box<dyn std::error::Error + Send + Sync>;

/// The files of an archive, and the size that is left for more of them.
struct UnpackedFiles {
    files: BTreeMap<FilePath, (FileKind, Vec<u8>)>,
    left: u64,
}

impl UnpackedFiles {
    /// Adds a file. Names that lead out of the archive are left out.
    fn add(&mut self, path: &Path, kind: FileKind, content: impl Read) -> Result<(), ArchiveError> {
        let mut names: Vec<&[u8]> = Vec::new();
        for component in path.components() {
            match component {
                Component::Normal(name) => names.push(name.as_encoded_bytes()),
                Component::CurDir => {}
                _ => return Ok(()),
            }
        }
        let mut bytes = Vec::new();
        content.take(self.left + 1).read_to_end(&mut bytes)?;
        let size = u64::try_from(bytes.len())?;
        self.left = (self.left.checked_sub(size)).ok_or("its files are larger than 2 GiB")?;
        if !names.is_empty() {
            self.files.insert(names.join(&b'/').into(), (kind, bytes));
        }
        Ok(())
    }

    /// Removes the directory that all files are in, if there is one: `name-1.0` of a tarball would
    /// differ in each release.
    fn without_outer_directory(self) -> BTreeMap<FilePath, (FileKind, Vec<u8>)> {
        let outer = (self.files.keys().next())
            .and_then(|path| path.find_byte(b'/').map(|end| path[..=end].to_vec()));
        match outer {
            Some(outer) if self.files.keys().all(|path| path.starts_with(&outer)) => (self.files)
                .into_iter()
                .map(|(path, file)| (path[outer.len()..].into(), file))
                .collect(),
            _ => self.files,
        }
    }
}

impl Contents {
    /// Returns the files of an archive as a state: a ZIP file such as a wheel, or a tarball, also
    /// one that is compressed by gzip. The directory that all files are in is left out.
    ///
    /// # Errors
    /// [`ChangesError::Archive`] when it cannot be read, or is of another kind.
    pub fn archive_state(&self, path: &Path) -> Result<State, ChangesError> {
        let mut unpacked = UnpackedFiles {
            files: BTreeMap::new(),
            left: MAX_SIZE,
        };
        unpack(path, &mut unpacked).map_err(|source| ChangesError::Archive {
            path: path.to_owned(),
            source,
        })?;
        let files = unpacked.without_outer_directory().into_iter();
        let entries = files.map(|(path, (kind, bytes))| {
            let id = blob_id(&bytes);
            self.add_bytes(id, &bytes);
            (path, Entry { kind, id })
        });
        Ok(entries.collect())
    }
}

fn unpack(path: &Path, files: &mut UnpackedFiles) -> Result<(), ArchiveError> {
    let mut file = BufReader::new(File::open(path)?);
    let mut start = [0; 4];
    let size = file.read(&mut start)?;
    let whole = Cursor::new(start).take(u64::try_from(size)?).chain(file);
    match start {
        [b'P', b'K', ..] => unpack_zip(File::open(path)?, files),
        [0x1f, 0x8b, ..] => unpack_tar(MultiGzDecoder::new(whole), files),
        [b'B', b'Z', b'h', _] | [0xfd, b'7', b'z', b'X'] | [0x28, 0xb5, 0x2f, 0xfd] => Err(
            "only tarballs compressed by gzip are read; unpack it, and give the directory".into(),
        ),
        _ => unpack_tar(whole, files),
    }
}

fn unpack_tar(bytes: impl Read, files: &mut UnpackedFiles) -> Result<(), ArchiveError> {
    for entry in tar::Archive::new(bytes).entries()? {
        let entry = entry?;
        let kind = match entry.header().entry_type() {
            tar::EntryType::Regular | tar::EntryType::Continuous => kind_of(entry.header().mode()?),
            tar::EntryType::Symlink => {
                let target = entry.link_name_bytes().unwrap_or_default().into_owned();
                let path = entry.path()?.into_owned();
                files.add(&path, FileKind::Symlink, &*target)?;
                continue;
            }
            _ => continue,
        };
        let path = entry.path()?.into_owned();
        files.add(&path, kind, entry)?;
    }
    Ok(())
}

fn unpack_zip(file: File, files: &mut UnpackedFiles) -> Result<(), ArchiveError> {
    let mut archive = zip::ZipArchive::new(BufReader::new(file))?;
    for number in 0..archive.len() {
        let member = archive.by_index(number)?;
        if member.is_dir() {
            continue;
        }
        let kind = match member.is_symlink() {
            true => FileKind::Symlink,
            false => kind_of(member.unix_mode().unwrap_or(0o644)),
        };
        let path = Path::new(&*member.name()?).to_owned();
        files.add(&path, kind, member)?;
    }
    Ok(())
}

fn kind_of(mode: u32) -> FileKind {
    match mode & 0o100 {
        0 => FileKind::Regular,
        _ => FileKind::Executable,
    }
}
