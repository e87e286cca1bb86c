//! The report as a page for a browser.

use boildown_session::triage::GroupReport;
use boildown_show::{ShownExample, TriageSummary, triage_page};

use super::content::{Report, remarks};

/// Returns the page with this summary.
pub(in crate::commands::triage) fn page(report: &Report<'_>, summary: &TriageSummary) -> String {
    let example = |group: &GroupReport| ShownExample {
        text: group.example.to_vec(),
        remarks: remarks(group),
        output: group.output.clone(),
        reduce: report.reduction(group),
    };
    let examples: Vec<_> = report.found.groups.iter().map(example).collect();
    triage_page(summary, &examples)
}
