//! Names with parameters, as they are typed: `probdd:sigma=0.1,ties=first`.

use std::fmt;

/// A name with parameters that are taken out one by one.
pub(crate) struct Spec<'a> {
    pub(crate) name: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
}

impl<'a> Spec<'a> {
    /// Takes a text apart.
    pub(crate) fn parse(text: &'a str) -> Result<Self, String> {
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        let parameters = rest.into_iter().flat_map(|rest| rest.split(','));
        let parameters = parameters.map(|parameter| {
            let pair = parameter.split_once('=');
            pair.ok_or_else(|| format!("`{parameter}` is not of the form `parameter=value`"))
        });
        let parameters: Vec<(&str, &str)> = parameters.collect::<Result<_, _>>()?;
        let twice = (1..parameters.len()).find(|&at| {
            let earlier = &parameters[..at];
            earlier.iter().any(|(name, _)| *name == parameters[at].0)
        });
        match twice {
            Some(at) => Err(format!("`{}` is there twice", parameters[at].0)),
            None => Ok(Self { name, parameters }),
        }
    }

    /// Takes a parameter that has one of a few values.
    pub(crate) fn choice<T: Copy>(
        &mut self,
        parameter: &str,
        usual: T,
        values: &[(&str, T)],
    ) -> Result<T, String> {
        let names = || values.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        self.value(parameter, usual, |text| {
            let value = values.iter().find(|(name, _)| *name == text);
            value
                .map(|&(_, value)| value)
                .ok_or_else(|| format!("one of {}", names().join(", ")))
        })
    }

    /// Takes a parameter; `read` says what a value has to be when it is not.
    pub(crate) fn value<T>(
        &mut self,
        parameter: &str,
        usual: T,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, String> {
        let Some(at) = (self.parameters.iter()).position(|(name, _)| *name == parameter) else {
            return Ok(usual);
        };
        let (_, text) = self.parameters.remove(at);
        read(text).map_err(|wanted| format!("{parameter} has to be {wanted}, not `{text}`"))
    }

    /// Fails when there is a parameter that nobody took.
    pub(crate) fn finish(self) -> Result<(), String> {
        match self.parameters.first() {
            Some((parameter, _)) => Err(format!("`{}` has no parameter `{parameter}`", self.name)),
            None => Ok(()),
        }
    }
}

/// Writes a name and those of its parameters that are not the usual ones.
pub(crate) fn write(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    parameters: &[Option<String>],
) -> fmt::Result {
    let parameters: Vec<&str> = parameters.iter().flatten().map(String::as_str).collect();
    match parameters.is_empty() {
        true => f.write_str(name),
        false => write!(f, "{name}:{}", parameters.join(",")),
    }
}
