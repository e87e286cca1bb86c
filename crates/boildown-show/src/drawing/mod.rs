//! Drawings as SVG. Their colours come from the style sheet of the page.

pub(crate) mod curve;
pub(crate) mod tree_map;

/// Returns a coordinate with one decimal.
pub(crate) fn at(coordinate: f64) -> String {
    let text = format!("{coordinate:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}
