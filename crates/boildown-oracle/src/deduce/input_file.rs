//! The file that a command was run on: what messages quote of it, and which files they name are of
//! its program.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use crate::has_word;

/// The file that a command was run on; the default where that is not known.
#[derive(Debug, Clone, Default)]
pub struct InputFile<'a> {
    /// The name that the command gets. Without one, and for a folder, no file of a message is taken
    /// for a source of the program.
    pub name: Cow<'a, str>,
    /// Its content.
    pub text: &'a [u8],
}

impl<'a> InputFile<'a> {
    /// Returns whether a file, as messages name it, is taken for a source of the program that was
    /// run: lines in it do not move when the input shrinks. Its name has another ending than that
    /// of the input, which a script may copy, and is neither made from it nor in it.
    pub(super) fn is_beside(&self, file: &str) -> bool {
        let name = file.rsplit('/').next().unwrap_or(file);
        let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
        let own = self.name.rsplit_once('.');
        own.is_some_and(|(own_stem, own_ending)| {
            stem != own_stem
                && ending.rsplit('.').next() != Some(own_ending)
                && !is_temporary(file)
                && !has_word(self.text, name)
        })
    }

    /// Returns whether the input has the path of a file, or its name: it is not that of a run.
    pub(super) fn mentions(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_name = name.len() > 2 && name.contains(|it: char| it.is_alphabetic());
        has_word(self.text, path) || (is_name && name != self.name && has_word(self.text, name))
    }

    /// Returns the lines of the input, and what stands in them behind the first sign of equality: a
    /// command that make or ninja shows before it is run. Not single words, which may be a message
    /// and a name at once.
    pub(super) fn shown_commands(&self) -> HashSet<&[u8]> {
        let lines = self.text.split(|byte| *byte == b'\n');
        let behind = |line: &'a [u8]| {
            let equals = line.iter().position(|byte| *byte == b'=');
            [Some(line), equals.map(|equals| &line[equals + 1..])]
        };
        let parts = lines.flat_map(behind).flatten().map(<[u8]>::trim_ascii);
        parts.filter(|part| part.contains(&b' ')).collect()
    }

    /// Returns where a message quotes an excerpt of the input, which dots show to be cut off, or
    /// all of it: `..."[1, 2, ]"...`.
    pub(super) fn excerpt_in(&self, message: &str) -> Option<Range<usize>> {
        let is_quoted = |text: &str| {
            let mut stretches = self.text.windows(text.len().max(1));
            stretches.any(|stretch| stretch == text.as_bytes())
        };
        if let Some(start) = message.find("...\"") {
            let inside = start + 4;
            // The rest of it may be on further lines.
            let ends = ["", "\"...", "\""].into_iter();
            return ends
                .filter_map(|mark| Some((message[inside..].rfind(mark)? + inside, mark.len())))
                .find(|&(end, _)| is_quoted(&message[inside..end]))
                .map(|(end, mark)| start..end + mark);
        }
        let start = message.find('"')?;
        let inside = start + 1;
        if let Some(length) = message[inside..].rfind("\"...") {
            let end = inside + length;
            return is_quoted(&message[inside..end]).then_some(start..end + 4);
        }
        let end = inside + message[inside..].rfind('"')?;
        let is_all = message[inside..end].trim().as_bytes() == self.text.trim_ascii();
        (is_all && end > inside).then_some(start..end + 1)
    }
}

/// Returns whether a file is made anew in each run.
fn is_temporary(path: &str) -> bool {
    path.split('/').any(|part| {
        let part = part.trim_start_matches('.');
        ["temp", "shm", "cache"].contains(&part) || part.starts_with("tmp")
    })
}
