//! `cargo xtask triage-quality`: precision and recall of the groups of a triage.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use boildown_triage::PairQuality;
use clap::Args;
use serde_json::Value;

/// Compares the groups of a triage with known labels.
#[derive(Debug, Args)]
pub(crate) struct TriageQualityArgs {
    /// The `triage.json` of a triage.
    report: PathBuf,
    /// A JSON object with the label of each input, by the name of its file.
    labels: PathBuf,
}

pub(crate) fn run(args: &TriageQualityArgs) -> Result<ExitCode> {
    let report: Value = read(&args.report)?;
    let labels: BTreeMap<String, String> = serde_json::from_value(read(&args.labels)?)?;
    let inputs = report["inputs"].as_array().context("no inputs")?;
    for (when, field) in [("before", "group_before_merging"), ("after", "group")] {
        let labelled: Vec<(String, &str)> = inputs
            .iter()
            .filter_map(|input| {
                let file = Path::new(input["files"][0].as_str()?).file_name()?;
                let label = labels.get(file.to_str()?)?;
                input[field]
                    .as_u64()
                    .map(|group| (group.to_string(), label.as_str()))
            })
            .collect();
        let pairs = labelled
            .iter()
            .map(|(group, label)| (group.as_str(), *label));
        let quality = PairQuality::of_inputs(pairs);
        let mut groups: Vec<&str> = labelled.iter().map(|(group, _)| group.as_str()).collect();
        let mut bugs: Vec<&str> = labelled.iter().map(|(_, label)| *label).collect();
        for list in [&mut groups, &mut bugs] {
            list.sort_unstable();
            list.dedup();
        }
        println!(
            "{when} merging: {} inputs, {} groups, {} labels, precision {:.3}, recall {:.3}",
            labelled.len(),
            groups.len(),
            bugs.len(),
            quality.precision(),
            quality.recall()
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> Result<Value> {
    let text = fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}
