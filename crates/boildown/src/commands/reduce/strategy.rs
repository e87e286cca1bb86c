//! The strategy of a reduction, from the options.

use std::io;
use std::sync::Arc;

use boildown_document::{Language, Split};
use boildown_reduce::{
    ElementOrder, GateMode, IdleReason, Keep, Layout, NamePolicy, PassSelection, Rules, Strategy,
    TrivialInputs, idle_passes, pass_names,
};

use super::args::ReduceArgs;
use crate::error::CliError;
use crate::input;
use crate::report::format::EscapedPath as _;
use crate::report::format::count;

/// Returns the strategy for this input.
pub(super) fn strategy(
    args: &ReduceArgs,
    input: &Arc<[u8]>,
    language: Option<&'static Language>,
) -> Result<Strategy, CliError> {
    let rules = rules(args, language)?;
    let keep = keep(args, input)?;
    let split = args.split();
    check_list(args, input, split.as_ref())?;
    let strategy = Strategy {
        format: args.language.as_deref().and_then(input::format_named),
        rules: Arc::new(rules),
        keep,
        split,
        trivial: match args.allow_trivial {
            true => TrivialInputs::Allowed,
            false => TrivialInputs::Reported,
        },
        ..strategy_of_folder(args)
    };
    let passes = passes(args, &pass_names(input, language, &strategy))?;
    let strategy = Strategy { passes, ..strategy };
    if strategy.passes != PassSelection::All {
        let idle = idle_passes(input, language, &strategy);
        if !idle.is_empty() {
            return Err(nothing_to_try(args, &idle, input.len()));
        }
    }
    Ok(strategy)
}

/// Returns the strategy for a folder: that of its files, without what depends on the content or the
/// language of a single one.
pub(super) fn strategy_of_folder(args: &ReduceArgs) -> Strategy {
    let counts_bytes = args.objective.counts_bytes();
    Strategy {
        gate: if args.no_gate {
            GateMode::Off
        } else {
            GateMode::Adaptive
        },
        algorithm: args.algorithm.clone(),
        schedule: args.schedule.clone(),
        names: match (args.rename || counts_bytes, args.preserve_names) {
            (true, false) => NamePolicy::Canonical,
            (_, true) => NamePolicy::Preserved,
            (false, false) => NamePolicy::Free,
        },
        layout: if args.compact || counts_bytes {
            Layout::Compact
        } else {
            Layout::Tidy
        },
        units: args.smallest(),
        order: match args.order {
            true => ElementOrder::Sorted,
            false => ElementOrder::Kept,
        },
        redacts: args.redact,
        text_order: args.objective.text_order(),
        // A trivial file is no trivial folder.
        trivial: TrivialInputs::Untried,
        ..boildown_formats::strategy()
    }
}

/// Returns an error unless the input is a list of the stated kind.
fn check_list(args: &ReduceArgs, input: &[u8], split: Option<&Split>) -> Result<(), CliError> {
    let Some(split) = split else {
        let needs_list = [("--units-only", args.units_only), ("--order", args.order)];
        return match needs_list.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(CliError::usage(format!("`{option}` without a list"))
                .hint("--split says what the elements of the input are")),
            None => Ok(()),
        };
    };
    let has_no_item = args.names_items() && split.items(input).is_empty();
    match split.count(input) {
        Ok(_) if has_no_item => Err(CliError::usage(format!(
            "{} holds nothing for {{items}}",
            args.input.escaped()
        ))),
        Ok(_) => Ok(()),
        Err(_) if args.reduces_command() => Err(CliError::usage(
            "nothing of the command can be removed: it has no arguments",
        )
        .hint("`--reduce env` reduces its environment, and a file before `--reduce` is reduced with it")),
        Err(problem) => {
            let what = format!("failed to split {} as {split}", args.input.escaped());
            Err(CliError::usage(what)
                .because(problem)
                .hint("--split lines takes every line as an element"))
        }
    }
}

/// Returns the error for a selection of passes that does nothing.
fn nothing_to_try(args: &ReduceArgs, idle: &[(&str, IdleReason)], bytes: usize) -> CliError {
    let input = args.input.escaped();
    let reason = |reason: &IdleReason| match reason {
        IdleReason::NamesStay => "runs with --rename only".to_owned(),
        IdleReason::LayoutStays => "runs with --compact only".to_owned(),
        IdleReason::WordsStay => "runs with --redact only".to_owned(),
        IdleReason::OrderStays => "runs with --order only".to_owned(),
        IdleReason::OtherSchedule => "runs without --schedule only".to_owned(),
        IdleReason::Size(sizes) if bytes < sizes.start => {
            format!("runs on inputs of at least {}", count(sizes.start, "byte"))
        }
        IdleReason::Size(sizes) => {
            format!("runs on inputs of fewer than {}", count(sizes.end, "byte"))
        }
        _ => "finds nothing to try".to_owned(),
    };
    let lines: Vec<String> = (idle.iter())
        .map(|(name, why)| format!("`{}` {}", name.replace(' ', "-"), reason(why)))
        .collect();
    CliError::usage(format!("the selected passes can do nothing with {input}"))
        .hint(lines.join("\n"))
        .hint("without --passes every pass runs; --units lines deletes whole lines only")
}

/// Reads the user's rewrite rules.
fn rules(args: &ReduceArgs, language: Option<&'static Language>) -> Result<Rules, CliError> {
    let mut all = Rules::default();
    for path in &args.rules {
        let Some(language) = language else {
            let what = format!("failed to apply the rules in {}", path.escaped());
            return Err(CliError::usage(what)
                .because("the language of the input is unknown")
                .hint("--language states it; `boildown languages` lists the languages"));
        };
        let unreadable = |error: io::Error| {
            CliError::usage(format!("failed to read {}", path.escaped())).because(error)
        };
        let text = input::read_regular(path).map_err(unreadable)?;
        let text =
            String::from_utf8(text).map_err(|_| unreadable(io::Error::other("it is not UTF-8")))?;
        let rules = Rules::read(language, &text)
            .map_err(|error| CliError::usage(format!("{}, {error}", path.escaped())))?;
        all = all.and(&rules);
    }
    Ok(all)
}

/// Returns the parts of the input that every candidate has to contain.
fn keep(args: &ReduceArgs, input: &[u8]) -> Result<Keep, CliError> {
    let mut keep = Keep::marked(input);
    for wanted in &args.keep {
        keep.add(wanted, input).map_err(|problem| {
            CliError::usage(format!("invalid value of `--keep {wanted}`"))
                .because(problem)
                .hint("give lines such as 12 or 10-20, or a regular expression that the input matches")
        })?;
    }
    Ok(keep)
}

/// Returns the passes to run, of those that the input has.
fn passes(args: &ReduceArgs, available: &[&str]) -> Result<PassSelection, CliError> {
    let available: Vec<String> = (available.iter())
        .map(|name| name.replace(' ', "-"))
        .collect();
    let (skipped, only): (Vec<&String>, Vec<&String>) =
        (args.passes.iter()).partition(|name| name.starts_with('-'));
    let skipped: Vec<String> = skipped.iter().map(|name| name[1..].to_owned()).collect();
    let only: Vec<String> = only.into_iter().cloned().collect();
    let unknown = only
        .iter()
        .chain(&skipped)
        .find(|name| !available.contains(name));
    if let Some(name) = unknown {
        let what = format!("unknown pass `{name}` for {}", args.input.escaped());
        return Err(CliError::usage(what).hint(format!("its passes are {}", available.join(", "))));
    }
    match (only.is_empty(), skipped.is_empty()) {
        (true, true) => Ok(PassSelection::All),
        (false, true) => Ok(PassSelection::Only(only)),
        (true, false) => Ok(PassSelection::Without(skipped)),
        (false, false) => Err(CliError::usage(
            "--passes cannot both name passes to run and passes to skip",
        )),
    }
}
