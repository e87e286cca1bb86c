//! `boildown doctor`.

use std::env;

use boildown_exec::machine::{self, Facility, State};
use clap::Args;
use serde_json::{Value, json};

use super::reduce::proposers::clang_delta;
use crate::error::ExitKind;
use crate::report::format::EscapedPath as _;
use crate::stdout;

/// The arguments of `boildown doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints what the machine offers to contain runs and to make them fast.
pub(crate) fn run(args: &DoctorArgs) -> ExitKind {
    let mut facilities = machine::facilities(&env::temp_dir());
    facilities.push(other_reducer());
    let text = match args.json {
        true => format!("{}\n", to_json(&facilities)),
        false => facilities.iter().map(paragraph).collect(),
    };
    stdout::write(text.as_bytes());
    ExitKind::Reduced
}

/// Returns whether `clang_delta` is there to be used for C and C++.
fn other_reducer() -> Facility {
    let program = clang_delta();
    let (state, remedy) = match program {
        Some(_) => (State::On, None),
        None => (State::Off, Some("install C-Vise (apt install cvise)")),
    };
    let finding = match program {
        Some(program) => format!("{} proposes candidates for C and C++", program.escaped()),
        None => "no other program proposes candidates for C and C++".to_owned(),
    };
    Facility {
        name: "clang_delta",
        state,
        finding,
        remedy,
    }
}

fn word(state: State) -> &'static str {
    match state {
        State::On => "on",
        State::Partial => "partial",
        State::Off => "off",
    }
}

fn paragraph(facility: &Facility) -> String {
    let state = word(facility.state);
    let mut text = format!("{:<18}{state:<9}{}\n", facility.name, facility.finding);
    if let Some(remedy) = facility.remedy {
        text += &format!("{:27}to turn it on: {remedy}\n", "");
    }
    text
}

fn to_json(facilities: &[Facility]) -> Value {
    let facility = |facility: &Facility| {
        json!({
            "name": facility.name,
            "state": word(facility.state),
            "finding": facility.finding,
            "remedy": facility.remedy,
        })
    };
    json!({ "facilities": facilities.iter().map(facility).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_facility_that_is_off_is_printed_with_its_remedy() {
        let facility = Facility {
            name: "sandbox",
            state: State::Off,
            finding: "a run can write everywhere".to_owned(),
            remedy: Some("boot with lsm=landlock"),
        };
        assert_eq!(
            paragraph(&facility),
            "sandbox           off      a run can write everywhere\n                           \
             to turn it on: boot with lsm=landlock\n"
        );
    }
}
