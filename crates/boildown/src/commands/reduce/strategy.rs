//! The strategy of a reduction, from the options.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use boildown_document::{Language, Split};
use boildown_reduce::{
    ElementOrder, GateMode, IdleReason, Keep, Layout, NamePolicy, PassSelection, Rules, Strategy,
    TrivialInputs, idle_passes, pass_names,
};

use super::args::ReduceArgs;
use crate::error::CliError;
use crate::input;
use crate::report::format::{EscapedPath as _, count};

/// Returns the strategy for a file in this language; for a folder (`None`) that of its files,
/// without what depends on the content or the language of a single one.
pub(super) fn strategy(
    args: &ReduceArgs,
    file: Option<(&Arc<[u8]>, Option<&'static Language>)>,
) -> Result<Strategy, CliError> {
    let counts_bytes = args.objective.counts_bytes();
    let strategy = Strategy {
        gate: match args.no_gate {
            true => GateMode::Off,
            false => GateMode::Adaptive,
        },
        algorithm: args.algorithm.clone(),
        schedule: args.schedule.clone(),
        names: match (args.rename || counts_bytes, args.preserve_names) {
            (true, false) => NamePolicy::Canonical,
            (_, true) => NamePolicy::Preserved,
            (false, false) => NamePolicy::Free,
        },
        layout: match args.compact || counts_bytes {
            true => Layout::Compact,
            false => Layout::Tidy,
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
    };
    let Some((input, language)) = file else {
        return Ok(strategy);
    };
    let rules = rules(&args.rules, language)?;
    let keep = keep(&args.keep, input)?;
    let (path, split) = (&args.input, args.split());
    match &split {
        None => {
            let needs_list = [("--units-only", args.units_only), ("--order", args.order)];
            if let Some((option, _)) = needs_list.iter().find(|(_, is_given)| *is_given) {
                return Err(CliError::usage(format!("`{option}` without a list"))
                    .hint("--split says what the elements of the input are"));
            }
        }
        Some(split) => check_list(path, input, split, args.names_items())?,
    }
    let strategy = Strategy {
        format: args.language.as_deref().and_then(input::format_named),
        rules: Arc::new(rules),
        keep,
        split,
        trivial: match args.allow_trivial {
            true => TrivialInputs::Allowed,
            false => TrivialInputs::Reported,
        },
        ..strategy
    };
    let passes = passes(&args.passes, path, &pass_names(input, language, &strategy))?;
    let strategy = Strategy { passes, ..strategy };
    if strategy.passes != PassSelection::All {
        let idle = idle_passes(input, language, &strategy);
        let may_run = |(_, why): &(_, IdleReason)| *why == IdleReason::NothingReported;
        if !idle.is_empty() && !idle.iter().any(may_run) {
            return Err(nothing_to_try(path, &idle, input.len()));
        }
    }
    Ok(strategy)
}

/// Returns an error unless the input is a list of this kind, with something for `{items}` if they
/// are named.
fn check_list(path: &Path, input: &[u8], split: &Split, names_items: bool) -> Result<(), CliError> {
    let has_no_item = names_items && split.items(input).is_empty();
    match split.count(input) {
        Ok(_) if has_no_item => Err(CliError::usage(format!(
            "{} holds nothing for {{items}}",
            path.escaped()
        ))),
        Ok(_) => Ok(()),
        Err(_) if matches!(split, Split::Command(_)) => Err(CliError::usage(
            "nothing of the command can be removed: it has no arguments",
        )
        .hint("`--reduce env` reduces its environment, and a file before `--reduce` is reduced with it")),
        Err(problem) => {
            let what = format!("failed to split {} as {split}", path.escaped());
            Err(CliError::usage(what)
                .because(problem)
                .hint("--split lines takes every line as an element"))
        }
    }
}

/// Returns the error for a selection of passes that does nothing.
fn nothing_to_try(input: &Path, idle: &[(&str, IdleReason)], bytes: usize) -> CliError {
    let input = input.escaped();
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
fn rules(paths: &[PathBuf], language: Option<&'static Language>) -> Result<Rules, CliError> {
    let mut all = Rules::default();
    for path in paths {
        let Some(language) = language else {
            let what = format!("failed to apply the rules in {}", path.escaped());
            return Err(CliError::usage(what)
                .because("the language of the input is unknown")
                .hint("--language states it; `boildown languages` lists the languages"));
        };
        let unreadable = |error: io::Error| CliError::unreadable(path, error);
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
fn keep(stated: &[String], input: &[u8]) -> Result<Keep, CliError> {
    let mut keep = Keep::marked(input);
    for wanted in stated {
        keep.add(wanted, input).map_err(|problem| {
            CliError::usage(format!("invalid value of `--keep {wanted}`"))
                .because(problem)
                .hint("give lines such as 12 or 10-20, or a regular expression that the input matches")
        })?;
    }
    Ok(keep)
}

/// Returns the passes to run, of those that the input has.
fn passes(stated: &[String], input: &Path, available: &[&str]) -> Result<PassSelection, CliError> {
    let available: Vec<String> = (available.iter())
        .map(|name| name.replace(' ', "-"))
        .collect();
    let (skipped, only): (Vec<&String>, Vec<&String>) =
        (stated.iter()).partition(|name| name.starts_with('-'));
    let skipped: Vec<String> = skipped.iter().map(|name| name[1..].to_owned()).collect();
    let only: Vec<String> = only.into_iter().cloned().collect();
    let unknown = only
        .iter()
        .chain(&skipped)
        .find(|name| !available.contains(name));
    if let Some(name) = unknown {
        let what = format!("unknown pass `{name}` for {}", input.escaped());
        return Err(CliError::usage(what).hint(format!("its passes are {}", available.join(", "))));
    }
    match (only.is_empty(), skipped.is_empty()) {
        (true, true) => Ok(PassSelection::All),
        (false, _) => Ok(PassSelection::Only(only)),
        (true, false) => Ok(PassSelection::Without(skipped)),
    }
}
