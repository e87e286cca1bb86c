//! Runs on a remote execution service: the connection, from the options.

use boildown_exec::Runner;

use crate::error::CliError;
use crate::options::RemoteArgs;

/// Lets the runner run its command on the service of the options, if there is one, `jobs` at a
/// time.
#[cfg(feature = "remote")]
pub(crate) fn attach(runner: &mut Runner, args: &RemoteArgs, jobs: usize) -> Result<(), CliError> {
    use std::sync::Arc;

    use boildown_remote::{
        Address, ClientIdentity, Grouping, RemoteConfig, RemoteError, RemoteExecutor, RemoteService,
    };

    use crate::error::ExitKind;

    let Some(settings) = args.settings()? else {
        return Ok(());
    };
    let url = settings.url;
    let address = Address::parse(&url).map_err(|error| CliError::usage(error.to_string()))?;
    let identity = settings.certificate.zip(settings.key);
    let config = RemoteConfig {
        instance: settings.instance,
        properties: settings.properties,
        variables: settings.variables,
        authorities: settings.authorities,
        identity: identity.map(|(certificate, key)| ClientIdentity { certificate, key }),
        token: settings.token_file,
        ..RemoteConfig::new(address)
    };
    let service = RemoteService::connect(config).map_err(|error| {
        let is_mistake = matches!(
            error,
            RemoteError::File { .. } | RemoteError::Unsendable { .. }
        );
        let mut error = CliError::from(error.of_oracle(&url));
        if is_mistake {
            error.kind = ExitKind::InvalidUsage;
        }
        error
    })?;
    let files = settings.files.iter().map(|path| {
        std::path::absolute(path).map_err(|_| CliError::usage("`--remote file=` needs a path"))
    });
    let files = files.collect::<Result<_, _>>()?;
    let executor = RemoteExecutor::new(Arc::new(service))
        .with_files(files)
        .with_grouping(Grouping {
            size: settings.group,
            actions: jobs.div_ceil(settings.group),
        });
    runner.executor = Some(Arc::new(executor));
    // Workers have their own.
    runner.limits.sandbox = None;
    Ok(())
}

/// Reports that this program cannot use a service.
#[cfg(not(feature = "remote"))]
pub(crate) fn attach(_: &mut Runner, args: &RemoteArgs, _: usize) -> Result<(), CliError> {
    match args.settings()? {
        None => Ok(()),
        Some(_) => Err(
            CliError::usage("this program was built without remote execution").hint(
                "build it with `cargo install --path crates/boildown --locked --features remote`",
            ),
        ),
    }
}
