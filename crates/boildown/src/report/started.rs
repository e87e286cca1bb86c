//! The event with which a search begins.

use std::path::Path;

use boildown_document::Language;
use boildown_exec::Runner;
use boildown_oracle::Property;
use boildown_show::{OptionsRecord, SCHEMA, StartedEvent, version};

use super::json::arguments;

/// A reduction or an isolation whose search begins.
pub(crate) struct StartedSearch<'a> {
    /// The command of boildown.
    pub(crate) task: &'static str,
    pub(crate) inputs: &'a [&'a Path],
    /// Bytes of the input.
    pub(crate) bytes: usize,
    pub(crate) output: &'a Path,
    pub(crate) language: Option<&'static Language>,
    /// What runs the command on candidates.
    pub(crate) runner: &'a Runner,
    pub(crate) property: &'a Property,
    pub(crate) units: String,
}

impl StartedSearch<'_> {
    /// Returns the event, but for the choices. `options` lacks what this knows.
    pub(crate) fn event(self, options: &OptionsRecord) -> StartedEvent {
        let (search, shown) = (self, |path: &Path| path.to_string_lossy().into_owned());
        StartedEvent {
            schema: SCHEMA,
            version: version(),
            task: search.task.to_owned(),
            arguments: arguments(),
            inputs: search.inputs.iter().map(|path| shown(path)).collect(),
            bytes: search.bytes,
            output: shown(search.output),
            path_bytes: path_bytes(search.inputs.iter().copied().chain([search.output])),
            language: search.language.map(|language| language.name.to_owned()),
            command: search.runner.command.to_string(),
            directory: (std::env::current_dir().ok())
                .and_then(|directory| Some(directory.to_str()?.to_owned())),
            place: (search.runner.project.as_ref()).map(|project| shown(project.plan().root())),
            property: (search.property.expectations().iter())
                .map(Into::into)
                .collect(),
            options: OptionsRecord {
                sandbox: search.runner.limits.sandbox.is_some(),
                units: search.units,
                ..options.clone()
            },
            choices: Vec::new(),
        }
    }
}

/// Returns the bytes of the paths in hexadecimal digits; `None` when all of them are UTF-8.
fn path_bytes<'a>(paths: impl Iterator<Item = &'a Path> + Clone) -> Option<Vec<String>> {
    let digits = |path: &Path| {
        let bytes = path.as_os_str().as_encoded_bytes();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let are_text = paths.clone().all(|path| path.to_str().is_some());
    (!are_text).then(|| paths.map(digits).collect())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    #[test]
    fn the_bytes_of_paths_are_given_when_one_is_not_text() {
        let [text, other] =
            ["a.c".as_bytes(), b"\xff.c"].map(|name| Path::new(OsStr::from_bytes(name)));
        assert_eq!(path_bytes([text, text].into_iter()), None);
        let both = path_bytes([text, other].into_iter()).unwrap();
        assert_eq!(both, ["612e63", "ff2e63"]);
    }
}
