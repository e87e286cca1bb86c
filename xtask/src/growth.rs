//! Growth of the cost of a reduction with the size of its input: texts of one kind, ten and a
//! hundred times as long, in which the same eight lines are needed.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::binary::{self, Finished};
use crate::table::{Align, Style, Table};

/// Needles that have to stay, spread evenly.
const NEEDLES: usize = 8;

const TEST: &str = "#!/bin/sh\n[ \"$(grep -c needle \"$1\")\" -ge 8 ]\n";

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// Measures and returns the table. `c` makes a C file of about the given size in bytes.
pub(crate) fn measure(
    boildown: &Path,
    folder: &Path,
    c: impl Fn(usize) -> String,
    style: Style,
) -> Result<String> {
    let test = folder.join("test.sh");
    fs::write(&test, TEST).context("write the test")?;
    fs::set_permissions(&test, fs::Permissions::from_mode(0o755))
        .context("make the test executable")?;
    let mut table = Table::new(&[
        ("input", Align::Left),
        ("KB", Align::Right),
        ("tests", Align::Right),
        ("s", Align::Right),
        ("driver s", Align::Right),
        ("driver s/MB", Align::Right),
    ]);
    let needle = "    int sum = 0;\n";
    let c = |size| with_needles(&c(size), needle, "    int sum = needle;\n");
    let json = |size| with_needles(&json(size), "\"plain\"", "\"needle\"");
    let texts: [(&str, &dyn Fn(usize) -> String); 2] = [("in.c", &c), ("in.json", &json)];
    for (name, text) in texts {
        for size in SIZES {
            let input = folder.join(name);
            let text = text(size);
            fs::write(&input, &text).context("write the input")?;
            let finished = reduce(boildown, &input, &test)?;
            let driver = finished.driver_cpu_seconds.unwrap_or_default();
            #[expect(clippy::cast_precision_loss, reason = "a few megabytes")]
            let megabytes = text.len() as f64 / 1e6;
            table.push(vec![
                name.trim_start_matches("in.").to_owned(),
                (text.len() / 1000).to_string(),
                finished.queries.unwrap_or_default().to_string(),
                format!("{:.1}", finished.seconds.unwrap_or_default()),
                format!("{driver:.2}"),
                format!("{:.1}", driver / megabytes),
            ]);
        }
    }
    Ok(table.render(style))
}

fn reduce(boildown: &Path, input: &Path, test: &Path) -> Result<Finished> {
    let output: PathBuf = input.with_file_name("result");
    let mut command = Command::new(boildown);
    command.arg("reduce").arg(input).arg("--output").arg(output);
    command.args(["--json", "--fresh", "--jobs", "1", "--test"]);
    command.arg(test);
    let run = binary::run(&mut command, None, &input.with_file_name("log"))?;
    ensure!(
        run.status.success(),
        "boildown: {}: {}",
        run.status,
        run.last_line
    );
    run.finished
        .context("boildown reported no `finished` event")
}

/// Replaces [`NEEDLES`] of the occurrences of `part`, spread evenly, by `needle`.
fn with_needles(text: &str, part: &str, needle: &str) -> String {
    let count = text.matches(part).count();
    let mut out = String::new();
    for (number, piece) in text.split(part).enumerate() {
        if number > 0 {
            // The middle of each of the equal stretches.
            let is_kept =
                (0..NEEDLES).any(|kept| (2 * kept + 1) * count / (2 * NEEDLES) + 1 == number);
            out.push_str(if is_kept { needle } else { part });
        }
        out.push_str(piece);
    }
    out
}

fn json(size: usize) -> String {
    let mut text = String::from("[\n");
    let mut number = 0;
    while text.len() < size {
        writeln!(
            text,
            "{{\"id\": {number}, \"name\": \"user{number}\", \"tags\": [\"plain\", \"c{}\"], \"nested\": {{\"x\": {}, \"y\": [1, 2, 3]}}}},",
            number % 7,
            number * 3,
        )
        .expect("writing to a string does not fail");
        number += 1;
    }
    text.push_str("null\n]\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_any_size_have_the_same_number_of_needles() {
        for size in [10_000, 100_000] {
            let text = with_needles(&json(size), "\"plain\"", "\"needle\"");
            assert_eq!(text.matches("needle").count(), NEEDLES);
            assert!((size..size + size / 10).contains(&text.len()));
        }
    }
}
