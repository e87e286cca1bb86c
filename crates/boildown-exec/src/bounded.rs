//! Reading and copying of files that others may be writing to.
//!
//! A file that grows while it is read would be followed for ever, and some files of `/proc` have no
//! end. So at most as much is read as the file held when it was opened.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use boildown_oracle::Interrupt;
use rustix::fs::{Mode, OFlags, open};

/// Bytes that are copied between two looks at an interrupt.
const CHUNK: u64 = 4 << 20;

/// Reads a regular file, up to the size that it has now.
///
/// # Errors
/// The error of the system; also when it is not a regular file. A pipe or a device could be waited
/// for, or read, without end.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    // Without O_NONBLOCK, opening a pipe waits for its writer.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = File::from(open(path, flags, Mode::empty())?);
    let size = regular_size(&file)?;
    let mut bytes = Vec::new();
    // A length alone takes no memory that the system does not have.
    bytes.try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX))?;
    file.take(size).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the size of an open regular file.
///
/// # Errors
/// When it is not a regular file.
pub(crate) fn regular_size(file: &File) -> io::Result<u64> {
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    match metadata.is_file() {
        true => Ok(metadata.len()),
        false => Err(io::Error::other("it is not a regular file")),
    }
}

/// Copies this many bytes of a file, or fewer if it has become shorter.
///
/// # Errors
/// The error of the system, or [`io::ErrorKind::Interrupted`] when the interrupt was triggered.
pub(crate) fn copy(
    from: &File,
    to: &File,
    size: u64,
    interrupt: Option<&Interrupt>,
) -> io::Result<()> {
    let (mut from, mut to) = (from, to);
    let mut left = size;
    loop {
        if interrupt.is_some_and(Interrupt::is_triggered) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let chunk = left.min(CHUNK);
        let copied = io::copy(&mut (&mut from).take(chunk), &mut to)?;
        left -= copied;
        if left == 0 || copied < chunk {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_is_added_to_a_file_after_it_was_opened_is_not_copied() {
        let temp = tempfile::tempdir().unwrap();
        let [source, target] = ["source", "target"].map(|name| temp.path().join(name));
        fs::write(&source, vec![b'x'; 10_000_000]).unwrap();
        let from = File::open(&source).unwrap();
        let size = regular_size(&from).unwrap();
        let mut end = File::options().append(true).open(&source).unwrap();
        end.write_all(&[b'y'; 1000]).unwrap();
        copy(&from, &File::create(&target).unwrap(), size, None).unwrap();
        assert!(fs::read(&target).unwrap() == vec![b'x'; 10_000_000]);
        // One that has become shorter.
        File::options()
            .write(true)
            .open(&source)
            .unwrap()
            .set_len(100)
            .unwrap();
        let from = File::open(&source).unwrap();
        copy(&from, &File::create(&target).unwrap(), size, None).unwrap();
        assert_eq!(fs::read(&target).unwrap(), [b'x'; 100]);
    }

    #[test]
    fn an_interrupt_ends_the_copy_of_a_large_file() {
        let temp = tempfile::tempdir().unwrap();
        let source = temp.path().join("source");
        // It has no content on the disk, and copying it would take minutes.
        let size = 1 << 40;
        File::create(&source).unwrap().set_len(size).unwrap();
        let from = File::open(&source).unwrap();
        let to = File::options().write(true).open("/dev/null").unwrap();
        let interrupt = Interrupt::new().unwrap();
        let error = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(20));
                interrupt.trigger();
            });
            copy(&from, &to, size, Some(&interrupt)).unwrap_err()
        });
        assert_eq!(error.kind(), io::ErrorKind::Interrupted);
    }

    #[test]
    fn a_pipe_a_device_and_a_directory_are_not_read() {
        let temp = tempfile::tempdir().unwrap();
        let pipe = temp.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        for path in [&pipe, Path::new("/dev/zero"), temp.path()] {
            read_file(path).unwrap_err();
        }
        fs::write(temp.path().join("file"), "text").unwrap();
        assert_eq!(read_file(&temp.path().join("file")).unwrap(), b"text");
        // A file without a size, whose reader would wait for the next message of the kernel.
        if Path::new("/proc/kmsg").exists() {
            read_file(Path::new("/proc/kmsg")).unwrap_or_default();
        }
    }
}
