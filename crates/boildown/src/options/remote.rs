//! Options of runs on a remote execution service.

use std::path::PathBuf;

use boildown_store::Identity;
use clap::Args;

use super::heading;
use crate::error::CliError;
use crate::input::read_regular;

/// A remote execution service, and how to reach it.
#[derive(Debug, Clone, Args)]
pub(crate) struct RemoteArgs {
    /// Run tests on this service: grpcs://host:port, and KEY=VALUE for details
    ///
    /// It speaks the Bazel Remote Execution API v2. What the command names is uploaded; programs
    /// and libraries of the system are those of the workers. `grpc://` is without TLS. Give --jobs
    /// too: the number of tests to run there at once. Details are stated by further --remote:
    /// instance=NAME, property=NAME=VALUE (what workers have to offer), env=NAME=VALUE, file=PATH
    /// (sent too), group=N (short tests in one action), token-file=FILE, ca=FILE, cert=FILE and
    /// key=FILE. `docs/reference/remote.md` describes them.
    #[arg(long = "remote", value_name = "URL|KEY=VALUE", value_parser = checked, hide_short_help = true, conflicts_with_all = ["writable", "no_network", "memory", "processes", "worker"], help_heading = heading::RUN)]
    stated: Vec<String>,
}

/// All that is stated about a service.
#[derive(Debug, Default)]
pub(crate) struct RemoteSettings {
    pub(crate) url: String,
    pub(crate) instance: String,
    /// What workers have to offer: name and value.
    pub(crate) properties: Vec<(String, String)>,
    /// Variables of the environment there.
    pub(crate) variables: Vec<(String, String)>,
    /// Files and directories to send beside what the command names.
    pub(crate) files: Vec<PathBuf>,
    /// The most tests in one action.
    pub(crate) group: usize,
    pub(crate) token_file: Option<PathBuf>,
    pub(crate) authorities: Option<PathBuf>,
    pub(crate) certificate: Option<PathBuf>,
    pub(crate) key: Option<PathBuf>,
}

impl RemoteArgs {
    /// Returns whether tests run on a service.
    pub(crate) fn is_given(&self) -> bool {
        !self.stated.is_empty()
    }

    /// Returns the address of the service.
    pub(crate) fn url(&self) -> Option<String> {
        self.is_given().then(|| self.merged().url)
    }

    /// Returns all that is stated; `None` if tests run on this machine.
    ///
    /// # Errors
    /// [`CliError`] when there is no URL, or a certificate without its key.
    pub(crate) fn settings(&self) -> Result<Option<RemoteSettings>, CliError> {
        if !self.is_given() {
            return Ok(None);
        }
        let settings = self.merged();
        if settings.url.is_empty() {
            return Err(CliError::usage("--remote states details, and no service")
                .hint("give its address by another --remote, such as --remote grpcs://host:port"));
        }
        if settings.certificate.is_some() != settings.key.is_some() {
            return Err(CliError::usage(
                "`--remote cert=FILE` and `--remote key=FILE` need each other",
            ));
        }
        Ok(Some(settings))
    }

    fn merged(&self) -> RemoteSettings {
        let mut settings = RemoteSettings {
            group: 1,
            ..RemoteSettings::default()
        };
        for text in &self.stated {
            settings.set(text).expect("clap has checked it");
        }
        settings
    }

    /// Adds what may change how a run ends. The identity of a local run, and the labels, are those
    /// of earlier versions.
    pub(crate) fn add_to_identity(&self, identity: &mut Identity) {
        if !self.is_given() {
            return;
        }
        let settings = self.merged();
        identity.add("--remote", &settings.url);
        identity.add("--remote-instance", &settings.instance);
        let sorted = |pairs: &[(String, String)]| {
            let mut pairs = pairs.to_vec();
            pairs.sort();
            format!("{pairs:?}")
        };
        identity.add("--remote-property", sorted(&settings.properties));
        // It may hold secrets.
        let variables = sorted(&settings.variables);
        identity.add_hash("--remote-env", variables.as_bytes());
        let files = settings.files.iter();
        let files: Vec<_> = files.map(|path| (path, read_regular(path).ok())).collect();
        identity.add_hash("--remote-file", format!("{files:?}").as_bytes());
    }
}

impl RemoteSettings {
    /// Interprets a value of `--remote`.
    fn set(&mut self, text: &str) -> Result<(), String> {
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        match key {
            "instance" => value.clone_into(&mut self.instance),
            "property" => self.properties.push(pair(value)?),
            "env" => self.variables.push(pair(value)?),
            "file" => self.files.push(value.into()),
            "group" => self.group = group(value)?,
            "token-file" => self.token_file = Some(value.into()),
            "ca" => self.authorities = Some(value.into()),
            "cert" => self.certificate = Some(value.into()),
            "key" => self.key = Some(value.into()),
            _ if text.contains('=') && !key.contains([':', '/', '.']) => {
                return Err(format!(
                    "there is no key `{key}`; the keys are instance, property, env, file, group, \
                     token-file, ca, cert and key"
                ));
            }
            _ => text.clone_into(&mut self.url),
        }
        Ok(())
    }
}

fn checked(text: &str) -> Result<String, String> {
    RemoteSettings::default().set(text)?;
    Ok(text.to_owned())
}

fn group(text: &str) -> Result<usize, &'static str> {
    let size = text.parse().ok().filter(|size| (1..=100).contains(size));
    size.ok_or("not a whole number from 1 to 100")
}

fn pair(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("not of the form NAME=VALUE"),
    }
}
