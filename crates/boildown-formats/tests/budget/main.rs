//! The budget of a reduction: how much memory it needs, and how often it allocates, on inputs of
//! several sizes and languages. Both are counted, so that they are the same on every machine.
//!
//! The property is a function, so nothing but the search is measured. The figures are compared with
//! those of `figures.txt`, and those of a larger input with those of a smaller one of the same
//! language. After a change on purpose, the file is replaced by the one that the failed test names.
//!
//! Seconds are not measured: they tell more about the machine. What is done once more for each byte
//! of an input, or for each pair of them, nearly always allocates.
//!
//! A test program of its own: allocators are set for the whole process.
#![cfg(feature = "all-languages")]

mod allocator;
mod inputs;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use boildown_document::Language;
use boildown_formats::strategy;
use boildown_reduce::reduction;
use boildown_search::Planner;

use allocator::{Counts, counted};
use inputs::{Input, Need, generate};

/// The languages of the inputs.
const LANGUAGES: [&str; 9] = [
    "C",
    "C++",
    "JSON",
    "JavaScript",
    "Python",
    "Rust",
    "SQL",
    "XML",
    "text",
];

/// The sizes of the inputs, in bytes. Smaller ones are reduced by other passes.
const SIZES: [usize; 2] = [100_000, 1_000_000];

/// The same in the weekly test.
const LARGE_SIZES: [usize; 2] = [100_000, 5_000_000];

/// Tests in each measurement. The largest deletions, and the reading of the input, are among them.
const TESTS: u64 = 40;

/// The share by which a figure may be larger than the one in the file.
const TOLERANCE: f64 = 0.1;

/// Differences that are none: figures have two decimals.
const ROUNDING: f64 = 0.05;

/// How often each of the figures may be that of a smaller input. Vectors double, and the first
/// tests of a larger input may be of other passes.
const GROWTH: [f64; 4] = [1.5, 1.3, 2.0, 1.5];

/// The figures of one measurement.
#[derive(Debug, Clone, Copy)]
struct Figures {
    /// Most bytes that were allocated at the same time, for each byte of the input.
    memory: f64,
    /// Allocations until the first test, for each KB of the input.
    reading: f64,
    /// Allocations of all that follows, for each KB of the input and 100 tests.
    testing: f64,
    /// Bytes allocated in all, for each byte of the input.
    bytes: f64,
}

impl Figures {
    const NAMES: [&str; 4] = ["memory", "reading", "testing", "bytes"];

    fn all(self) -> [f64; 4] {
        [self.memory, self.reading, self.testing, self.bytes]
    }
}

/// Reduces an input until this number of tests is answered.
fn measure(input: &Input, need: Need) -> Figures {
    let language = Language::named(input.language);
    let bytes: Arc<[u8]> = input.text.as_bytes().into();
    let needed = input.needed(need);
    let size = bytes.len();
    let mut read = Counts::default();
    let mut tests = 0;
    let ((), all) = counted(|| {
        let before = Counts::now();
        let mut planner = Planner::stepwise(reduction(&bytes, language, strategy()));
        while tests < TESTS && !planner.is_finished() {
            planner.settle();
            if !planner.is_settled() {
                continue;
            }
            if let Some(ticket) = planner.next() {
                if tests == 0 {
                    read = Counts::now() - before;
                }
                let verdict = inputs::verdict(ticket.candidate.bytes(), &needed);
                planner.answer(ticket.id, verdict);
            }
            tests += u64::from(planner.advance().is_some());
        }
    });
    let kilobytes = size as f64 / 1000.0;
    let after = (all.allocations - read.allocations) as f64;
    Figures {
        memory: all.most as f64 / size as f64,
        reading: read.allocations as f64 / kilobytes,
        testing: after / kilobytes / tests as f64 * 100.0,
        bytes: all.bytes as f64 / size as f64,
    }
}

/// The figures of a reduction of an input of some size.
struct Line {
    language: &'static str,
    need: Need,
    size: usize,
    figures: [f64; 4],
}

impl Line {
    fn name(&self) -> String {
        format!("{} {} {:?}", self.language, self.size, self.need)
    }
}

/// Returns the figures of all languages, of inputs of these sizes, ascending. Of the larger ones
/// only a few parts are needed.
fn lines(sizes: &[usize]) -> Vec<Line> {
    allocator::count_parsers();
    let mut lines = Vec::new();
    for language in LANGUAGES {
        // What is made once and kept, such as the tables of grammars, belongs to no measurement.
        measure(&generate(language, 3000), Need::Three);
        let needs = sizes.iter().map(|&size| (size, Need::Three));
        let needs = needs.chain([(sizes[0], Need::Tenth)]);
        lines.extend(needs.map(|(size, need)| Line {
            language,
            need,
            size,
            figures: measure(&generate(language, size), need).all(),
        }));
    }
    lines
}

/// Returns the figures of a file, by the names of the measurements.
fn read(text: &str) -> BTreeMap<&str, Vec<f64>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, figures) = line.split_once(':').expect("a name and a colon");
            let figures = figures.split_whitespace();
            let figures = figures.map(|figure| figure.parse().expect("a number"));
            (name, figures.collect())
        })
        .collect()
}

/// Returns the lines as a file.
fn table(lines: &[Line]) -> String {
    let mut table = format!("# measurement: {}\n", Figures::NAMES.join(" "));
    for line in lines {
        let figures = line.figures.map(|figure| format!("{figure:.2}")).join(" ");
        writeln!(table, "{}: {figures}", line.name()).expect("writing to a string");
    }
    table
}

/// Returns which figures are larger than those of a file.
fn excess(lines: &[Line], known: &str) -> Vec<String> {
    let known = read(known);
    let mut excess = Vec::new();
    for line in lines {
        let name = line.name();
        let known = known.get(&*name).map_or(&[] as &[f64], Vec::as_slice);
        for (position, &figure) in line.figures.iter().enumerate() {
            let what = Figures::NAMES[position];
            let known = known.get(position).copied().unwrap_or(0.0);
            if figure > (1.0 + TOLERANCE) * known + ROUNDING {
                excess.push(format!("{name}: {what} is {figure:.2}, was {known:.2}"));
            }
        }
    }
    excess
}

/// Returns which figures, which are for each byte of the input, are larger for a larger input.
fn growth(lines: &[Line]) -> Vec<String> {
    let mut growth = Vec::new();
    for smallest in lines {
        let is_larger = |other: &&Line| {
            (other.language, other.need) == (smallest.language, smallest.need)
                && other.size > smallest.size
        };
        for line in lines.iter().filter(is_larger) {
            for (position, &figure) in line.figures.iter().enumerate() {
                let what = Figures::NAMES[position];
                let (before, smaller) = (smallest.figures[position], smallest.size);
                if figure > GROWTH[position] * before + ROUNDING {
                    let name = line.name();
                    let text = format!("{name}: {what} is {figure:.2}, of {smaller} {before:.2}");
                    growth.push(text);
                }
            }
        }
    }
    growth
}

#[track_caller]
fn assert_none(faults: &[String], table: &str) {
    let measured = Path::new(env!("CARGO_TARGET_TMPDIR")).join("figures.txt");
    fs::write(&measured, table).expect("the folder of the build can be written");
    let (faults, measured) = (faults.join("\n"), measured.display());
    assert!(
        faults.is_empty(),
        "{faults}\n\nmeasured, in {measured}:\n{table}"
    );
}

#[test]
fn memory_and_allocations_are_within_the_budget() {
    let lines = lines(&SIZES);
    let mut faults = excess(&lines, include_str!("figures.txt"));
    faults.extend(growth(&lines));
    assert_none(&faults, &table(&lines));
}

#[test]
#[ignore = "takes minutes without optimisation; alone, because memory is counted for all threads"]
fn memory_and_allocations_grow_with_large_inputs() {
    let lines = lines(&LARGE_SIZES);
    assert_none(&growth(&lines), &table(&lines));
}
