//! Limits of the figures that `cargo xtask house` prints.

use xtask::checkout;
use xtask::house::{Figure, House};

use crate::assert_none;

#[test]
fn figures_of_the_source_tree_keep_their_limits() {
    let figures = House::read(checkout::root()).unwrap().figures().unwrap();
    let broken = figures.iter().filter(|figure| figure.is_broken);
    let complaints: Vec<String> = broken.flat_map(complaints).collect();
    assert_none(&complaints);
}

/// Returns a line with the figure, then its details.
fn complaints(figure: &Figure) -> Vec<String> {
    let heading = match figure.limit {
        Some(limit) => format!("{}: {}, limit {limit}", figure.name, figure.value),
        None => format!("{}: {}", figure.name, figure.value),
    };
    let details = figure.details.iter().map(|line| format!("  {line}"));
    std::iter::once(heading).chain(details).collect()
}
