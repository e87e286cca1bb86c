//! Choice of the sandbox: the strict one, a looser one, or none.

use std::env;
use std::path::PathBuf;

use boildown_exec::Runner;
use boildown_exec::spawn::{Permissions, Sandbox};
use boildown_oracle::{Capture, Interrupt, OracleError, Property};

use super::event::{Loosening, PrepareEvent};

/// Runs inside the sandbox, and outside, that have to agree before the sandbox is blamed.
const TRIES: usize = 3;

/// Returns a sandbox with these permissions, and reports what the system cannot protect.
///
/// # Errors
/// When a writable path cannot be opened.
pub fn create_sandbox(
    permissions: &Permissions,
    on_event: &mut dyn FnMut(PrepareEvent<'_>),
) -> Result<Sandbox, OracleError> {
    let sandbox = Sandbox::new(permissions)?;
    if let Some(gap) = sandbox.gap() {
        on_event(PrepareEvent::SandboxGap(gap));
    }
    Ok(sandbox)
}

/// Returns a sandbox in which the command may also write to the system's directories for temporary
/// files.
///
/// # Errors
/// As [`create_sandbox`].
pub fn create_sandbox_with_temporary_files(
    permissions: &Permissions,
    on_event: &mut dyn FnMut(PrepareEvent<'_>),
) -> Result<Sandbox, OracleError> {
    let temporary = [env::temp_dir(), "/tmp".into(), "/var/tmp".into()]
        .into_iter()
        .filter(|path| path.is_dir());
    let mut permissions = permissions.clone();
    let writable: &mut Vec<PathBuf> = &mut permissions.writable;
    writable.extend(temporary);
    create_sandbox(&permissions, on_event)
}

/// Returns this runner without a sandbox, for runs on files that the user has run by hand before.
pub(super) fn without_sandbox(runner: &Runner) -> Runner {
    let mut runner = runner.clone();
    runner.limits.sandbox = None;
    runner
}

/// A runner whose sandbox may have to be loosened.
pub(super) struct SandboxTrial<'a> {
    pub(super) runner: &'a Runner,
    pub(super) permissions: &'a Permissions,
    pub(super) interrupt: &'a Interrupt,
}

impl SandboxTrial<'_> {
    /// Returns a looser runner if the property does not hold on the input only because of the
    /// sandbox; `None` if the runner can stay as it is.
    ///
    /// The looser runner lets the command write temporary files to the system's directories. If the
    /// property does not hold in that sandbox either, the runner has no sandbox.
    ///
    /// # Errors
    /// [`OracleError`] when the command cannot be run.
    pub(super) fn loosen(
        &self,
        property: &Property,
        input: &[u8],
        on_event: &mut dyn FnMut(PrepareEvent<'_>),
    ) -> Result<Option<Runner>, OracleError> {
        if self.runner.limits.sandbox.is_none() {
            return Ok(None);
        }
        // Several runs, for a property that does not hold each time.
        let each_run = |runner: &Runner, holds: bool| -> Result<bool, OracleError> {
            for _ in 0..TRIES {
                let run = runner.run(input, Capture::Output, self.interrupt)?;
                if property.verdict(&run).is_interesting() != holds {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let outside = without_sandbox(self.runner);
        if !each_run(self.runner, false)? || !each_run(&outside, true)? {
            return Ok(None);
        }
        let mut looser = self.runner.clone();
        looser.limits.sandbox = Some(create_sandbox_with_temporary_files(
            self.permissions,
            on_event,
        )?);
        if each_run(&looser, true)? {
            on_event(PrepareEvent::Loosened(Loosening::TemporaryFiles));
            return Ok(Some(looser));
        }
        on_event(PrepareEvent::Loosened(Loosening::NoSandbox));
        Ok(Some(outside))
    }
}
