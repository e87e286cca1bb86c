//! The report as Markdown: a summary for an issue tracker or a chat.

use std::fmt::Write as _;

use crate::escape;
use crate::format::{count, duration, grouped, percent, real};
use crate::model::ReductionRecord;
use crate::record::RateRecord;

/// The largest text of a result that is part of the report, in bytes.
const MAX_TEXT: usize = 20 << 10;

/// Returns the report as Markdown.
pub fn markdown(record: &ReductionRecord) -> String {
    let (first, last) = (record.first(), record.last());
    let gone = real(first.bytes) - real(last.bytes);
    let mut text = format!(
        "# {}: {} → {} bytes\n\n{} removed in {} tests ({} runs), {}.",
        inline(&record.input),
        grouped(first.bytes),
        grouped(last.bytes),
        percent(gone, real(first.bytes)),
        grouped(record.tests()),
        grouped(record.runs()),
        duration(record.seconds()),
    );
    if let (Some(before), Some(after)) = (first.tokens, last.tokens) {
        write!(text, " Tokens: {} → {}.", grouped(before), grouped(after)).ok();
    }
    let session = record.sessions.last();
    text += " ";
    text += &match session.is_some_and(|session| session.has_finished) {
        true => inline(&record.minimality()),
        false => "The search did not finish.".to_owned(),
    };
    text += "\n\n";
    text += &form_change(record);
    for line in record.property.lines() {
        writeln!(text, "- Preserved: {}", code(line)).ok();
    }
    if let Some(command) = &record.command {
        writeln!(text, "- Command: {}", code(command)).ok();
    }
    if let Some(line) = &record.command_line {
        writeln!(text, "- Reduced with: {}", code(line)).ok();
    }
    if let Some(repeatability) = &record.repeatability {
        let rate = |rate: &RateRecord| format!("{} of {} runs", rate.held, rate.runs);
        write!(
            text,
            "- Failed in {} on the input",
            rate(&repeatability.input)
        )
        .ok();
        if let Some(result) = &repeatability.result {
            write!(text, ", in {} on the result", rate(result)).ok();
        }
        text += "\n";
    }
    if let Some(assumptions) = record.assumption_text() {
        writeln!(text, "- The tests, compared with each other: {assumptions}").ok();
    }
    if let Some(result) = &last.text {
        write!(text, "\n## {}\n\n", inline(&record.result)).ok();
        text += &fenced(result, record.language.as_deref());
    }
    text += &passes(record);
    text += &tools(record);
    text
}

/// Returns at which step the failure changed, and the way back; nothing if it did not.
pub(crate) fn form_change(record: &ReductionRecord) -> String {
    let Some(change) = &record.form_change else {
        return String::new();
    };
    let form = &change.form;
    let mut text = format!(
        "**The failure changed at step {} of {} ({}): the result fails in another way than the \
         input.**\n\n- Before: {}\n- Since: {}\n",
        form.step,
        form.steps,
        count(form.bytes, "byte"),
        code(&form.before),
        code(&form.after)
    );
    if let Some(kept) = &form.kept {
        writeln!(text, "- The last result before that step: {}", code(kept)).ok();
    }
    if let Some(restore) = &change.restore {
        writeln!(text, "- To go back to it: {}", code(restore)).ok();
        writeln!(text, "- `boildown history` lists all results.").ok();
    }
    text + "\n"
}

fn passes(record: &ReductionRecord) -> String {
    let figures = record.pass_figures();
    if figures.is_empty() {
        return String::new();
    }
    let mut text =
        "\n## Passes\n\n| pass | tests | hits | bytes removed |\n|---|---:|---:|---:|\n".to_owned();
    for pass in figures {
        writeln!(
            text,
            "| {} | {} | {} | {} |",
            inline(&pass.name),
            pass.tests,
            pass.hits,
            pass.bytes
        )
        .ok();
    }
    text
}

fn tools(record: &ReductionRecord) -> String {
    let versions = record.tools.iter();
    let versions: Vec<_> = versions
        .filter_map(|tool| Some((tool, tool.version.as_ref()?)))
        .collect();
    let mut text = String::new();
    if !versions.is_empty() {
        text += "\n## Versions\n\n";
    }
    for (tool, version) in versions {
        writeln!(text, "- {}: {}", code(&tool.path), inline(version)).ok();
    }
    text
}

/// Returns a text as a fenced block, with a fence that is not in it. A long text is cut.
pub fn fenced(bytes: &[u8], language: Option<&str>) -> String {
    let shown = escape::visible(&bytes[..bytes.len().min(MAX_TEXT)]);
    let fence = fence_for(&shown);
    let word = language
        .map(|language| language.to_lowercase())
        .unwrap_or_default();
    let word: String = word.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    let end = if shown.ends_with('\n') { "" } else { "\n" };
    let rest = bytes.len().saturating_sub(MAX_TEXT);
    let note = match rest {
        0 => String::new(),
        rest => format!("\n{} more bytes are left out.\n", grouped(rest as u64)),
    };
    format!("{fence}{word}\n{shown}{end}{fence}\n{note}")
}

/// Returns a fence that is longer than every run of backquotes in a text.
fn fence_for(text: &str) -> String {
    "`".repeat(longest_run(text).max(2) + 1)
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|character| character != '`').map(str::len);
    runs.max().unwrap_or(0)
}

/// Returns a text as code in a line.
pub fn code(text: &str) -> String {
    let text = escape::visible(text.as_bytes()).replace(['\n', '\t'], " ");
    let fence = "`".repeat(longest_run(&text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{space}{text}{space}{fence}")
}

/// Returns a text in which nothing is markup.
pub fn inline(text: &str) -> String {
    let mut escaped = String::new();
    for character in escape::visible(text.as_bytes()).replace('\n', " ").chars() {
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => {
                escaped.extend(['\\', character]);
            }
            '<' => escaped += "&lt;",
            '&' => escaped += "&amp;",
            '@' => escaped += "&#64;",
            character => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        assert_eq!(inline("a_b <x> @me"), "a\\_b &lt;x> &#64;me");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(
            fenced(b"```\n</details>\n", Some("C++")),
            "````c\n```\n</details>\n````\n"
        );
        assert_eq!(fenced(b"\0", None), "```\n\\x00\n```\n");
    }
}
