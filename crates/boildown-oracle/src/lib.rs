//! Properties, outcomes, verdicts, and the one way to run a command.
