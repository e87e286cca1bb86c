//! Curves of speed-up against the number of workers, as a picture.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::rows::{ReplayRow, baseline};
use crate::table;

/// Size of the picture, and the distances of the axes from its edges.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 60.0;
const BOTTOM: f64 = 50.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 20.0;

/// A curve: its name, and the speed-up for each number of workers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Curve {
    name: String,
    points: BTreeMap<usize, f64>,
}

/// Returns the curve of each subject with tests of equal duration.
pub(super) fn of_subjects(rows: &[ReplayRow], against: &[ReplayRow]) -> Vec<Curve> {
    let mut curves: BTreeMap<&str, BTreeMap<usize, f64>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.latency == "equal") {
        if let Some(base) = baseline(row, rows, against) {
            let points = curves.entry(&row.subject).or_default();
            points.insert(row.workers, base.seconds / row.seconds);
        }
    }
    let curve = |(name, points): (&str, _)| Curve {
        name: name.to_owned(),
        points,
    };
    curves.into_iter().map(curve).collect()
}

/// Reads curves of other programs: lines of name, number of workers, and speed-up.
pub(super) fn of_others(text: &str) -> Result<Vec<Curve>> {
    let mut curves: BTreeMap<&str, BTreeMap<usize, f64>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [name, workers, speedup] = fields[..] else {
            anyhow::bail!("`{line}` is not a name, a number of workers and a speed-up");
        };
        let workers = workers.parse().with_context(|| format!("read `{line}`"))?;
        let speedup = speedup.parse().with_context(|| format!("read `{line}`"))?;
        curves.entry(name).or_default().insert(workers, speedup);
    }
    let curve = |(name, points): (&str, _)| Curve {
        name: name.to_owned(),
        points,
    };
    Ok(curves.into_iter().map(curve).collect())
}

/// Returns the curve of the geometric means, for the numbers of workers that all curves have.
fn mean_of(curves: &[Curve]) -> Curve {
    let mut points = BTreeMap::new();
    for workers in curves.first().iter().flat_map(|curve| curve.points.keys()) {
        let all: Option<Vec<f64>> = curves
            .iter()
            .map(|curve| curve.points.get(workers).copied())
            .collect();
        if let Some(mean) = all.and_then(|all| table::geometric_mean(&all)) {
            points.insert(*workers, mean);
        }
    }
    let name = "geometric mean".to_owned();
    Curve { name, points }
}

/// Returns the curve that no search can exceed: each worker always runs a test that is needed.
fn bound(curves: &[Curve]) -> Curve {
    let workers = curves.iter().flat_map(|curve| curve.points.keys().copied());
    let name = "bound: all guesses right".to_owned();
    let points = workers.map(|count| (count, count as f64)).collect();
    Curve { name, points }
}

/// Draws the curves of subjects thin, and their mean, the bound and other programs with a name.
pub(super) fn write(path: &Path, subjects: &[Curve], others: &[Curve]) -> Result<()> {
    std::fs::write(path, draw(subjects, others))
        .with_context(|| format!("write {}", path.display()))
}

fn draw(subjects: &[Curve], others: &[Curve]) -> String {
    let bound = bound(subjects);
    let largest = bound.points.keys().max().copied().unwrap_or(1).max(2) as f64;
    let scale = |value: f64| value.max(1.0).ln() / largest.ln();
    let x = |workers: f64| LEFT + scale(workers) * (WIDTH - LEFT - RIGHT);
    let y = |speedup: f64| HEIGHT - BOTTOM - scale(speedup) * (HEIGHT - BOTTOM - TOP);
    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' \
         font-family='sans-serif' font-size='13'>\n\
         <rect width='{WIDTH}' height='{HEIGHT}' fill='white'/>\n"
    );
    let mut line = |text: std::fmt::Arguments<'_>| {
        writeln!(svg, "{text}").expect("writing to a string does not fail");
    };
    for count in bound.points.keys().map(|count| *count as f64) {
        let (at, up, end, base) = (x(count), y(count), WIDTH - RIGHT, HEIGHT - BOTTOM);
        line(format_args!(
            "<path d='M{at:.1} {base} V{TOP} M{LEFT} {up:.1} H{end}' stroke='#ddd'/>"
        ));
        line(format_args!(
            "<text x='{at:.1}' y='{:.1}' text-anchor='middle'>{count}</text>",
            base + 18.0
        ));
        line(format_args!(
            "<text x='{:.1}' y='{:.1}' text-anchor='end'>{count}</text>",
            LEFT - 8.0,
            up + 4.0
        ));
    }
    let middle = f64::midpoint(LEFT, WIDTH - RIGHT);
    line(format_args!(
        "<text x='{middle:.1}' y='{:.1}' text-anchor='middle'>workers</text>",
        HEIGHT - 12.0
    ));
    line(format_args!(
        "<text x='16' y='{:.1}' transform='rotate(-90 16 {:.1})' text-anchor='middle'>times faster than one worker</text>",
        HEIGHT / 2.0,
        HEIGHT / 2.0
    ));
    let mut path = |curve: &Curve, color: &str, width: f64, is_named: bool| {
        let points: Vec<String> = curve
            .points
            .iter()
            .map(|(count, speedup)| format!("{:.1},{:.1}", x(*count as f64), y(*speedup)))
            .collect();
        line(format_args!(
            "<polyline points='{}' fill='none' stroke='{color}' stroke-width='{width}'><title>{}</title></polyline>",
            points.join(" "),
            curve.name
        ));
        if let (true, Some((count, speedup))) = (is_named, curve.points.iter().next_back()) {
            let (at, up) = (x(*count as f64) + 6.0, y(*speedup) + 4.0);
            line(format_args!(
                "<text x='{at:.1}' y='{up:.1}' fill='{color}'>{}</text>",
                curve.name
            ));
        }
    };
    for curve in subjects {
        path(curve, "#9bbbe0", 1.0, false);
    }
    path(&bound, "#888", 1.5, true);
    path(&mean_of(subjects), "#1558b0", 3.0, true);
    for (curve, color) in others
        .iter()
        .zip(["#c0392b", "#d68910", "#7d3c98"].iter().cycle())
    {
        path(curve, color, 2.0, true);
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, points: &[(usize, f64)]) -> Curve {
        Curve {
            name: name.to_owned(),
            points: points.iter().copied().collect(),
        }
    }

    #[test]
    fn the_mean_has_the_numbers_of_workers_that_all_curves_have() {
        let curves = [
            curve("a", &[(1, 1.0), (4, 2.0), (16, 4.0)]),
            curve("b", &[(1, 1.0), (4, 3.125)]),
        ];
        assert_eq!(
            mean_of(&curves).points,
            BTreeMap::from([(1, 1.0), (4, 2.5)])
        );
    }

    #[test]
    fn curves_of_others_are_read_from_lines() {
        let read = of_others("peer, 1, 1\n\npeer, 4, 1.5\n").unwrap();
        assert_eq!(read, [curve("peer", &[(1, 1.0), (4, 1.5)])]);
        assert!(of_others("peer, 4").is_err());
        assert!(of_others("peer, many, 4").is_err());
    }

    #[test]
    fn a_picture_names_the_mean_the_bound_and_other_programs() {
        let svg = draw(
            &[curve("a", &[(1, 1.0), (4, 3.0)])],
            &[curve("peer", &[(4, 1.5)])],
        );
        for text in [
            ">geometric mean<",
            ">bound: all guesses right<",
            ">peer<",
            "<title>a<",
        ] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
    }
}
