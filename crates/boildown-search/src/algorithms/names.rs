//! Names with parameters as they are typed, such as `probdd:sigma=0.1,ties=first`.

use std::fmt;

/// A name with parameters, which are taken out one by one.
#[derive(Debug)]
pub struct ParsedName<'a> {
    pub(crate) name: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
}

impl<'a> ParsedName<'a> {
    /// Splits a text into its name and parameters.
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
        let repeated = (1..parameters.len()).find(|&index| {
            let earlier = &parameters[..index];
            earlier.iter().any(|(name, _)| *name == parameters[index].0)
        });
        match repeated {
            Some(index) => Err(format!("`{}` is there twice", parameters[index].0)),
            None => Ok(Self { name, parameters }),
        }
    }

    /// Takes a parameter out whose value is one of `choices`, or returns `default` if it is not
    /// given.
    ///
    /// # Errors
    /// Says which choices there are.
    pub fn choice<T: Copy>(
        &mut self,
        parameter: &str,
        default: T,
        choices: &[(&str, T)],
    ) -> Result<T, String> {
        let names = || choices.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        self.value(parameter, default, |text| {
            let value = choices.iter().find(|(name, _)| *name == text);
            value
                .map(|&(_, value)| value)
                .ok_or_else(|| format!("one of {}", names().join(", ")))
        })
    }

    /// Takes a parameter out, or returns `default` if it is not given. On a wrong value, `read`
    /// returns a description of the values that are allowed.
    ///
    /// # Errors
    /// Names the parameter, and what its value has to be.
    pub fn value<T>(
        &mut self,
        parameter: &str,
        default: T,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, String> {
        let Some(index) = (self.parameters.iter()).position(|(name, _)| *name == parameter) else {
            return Ok(default);
        };
        let (_, text) = self.parameters.remove(index);
        read(text).map_err(|wanted| format!("{parameter} has to be {wanted}, not `{text}`"))
    }

    /// Takes the parameter `seed` out, or returns 0 if it is not given.
    ///
    /// # Errors
    /// Says that it has to be a number.
    pub fn seed(&mut self) -> Result<u64, String> {
        self.value("seed", 0, |text| {
            text.parse().map_err(|_| "a whole number".to_owned())
        })
    }

    /// Fails if a parameter is left that was not taken out.
    pub(crate) fn finish(self) -> Result<(), String> {
        match self.parameters.first() {
            Some((parameter, _)) => Err(format!("`{}` has no parameter `{parameter}`", self.name)),
            None => Ok(()),
        }
    }
}

/// Returns `parameter=name` with the name of a value among `choices`, or `None` if the value is
/// the default.
pub fn non_default<T: PartialEq>(
    parameter: &str,
    value: &T,
    default: &T,
    choices: &[(&str, T)],
) -> Option<String> {
    let named = choices.iter().find(|(_, known)| known == value);
    named
        .filter(|_| value != default)
        .map(|(name, _)| format!("{parameter}={name}"))
}

/// Returns `seed=value`, or `None` if the seed is 0.
#[must_use]
pub fn non_default_seed(seed: u64) -> Option<String> {
    (seed != 0).then(|| format!("seed={seed}"))
}

/// Writes a name and those of its parameters that do not have their default values.
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
