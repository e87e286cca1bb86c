//! Plots as inline SVG.
//!
//! Written by hand: of the plotting libraries looked at, the one that is alive and light (kuva) paints colours into the drawing, so
//! that light and dark need two of each, and writes its version into it, so that no snapshot would last.

mod axis;
mod dots;
mod lines;
mod svg;

pub(crate) use axis::{Axis, Scale};
pub(crate) use dots::{Dots, Row};
pub(crate) use lines::Lines;

/// Points that belong together, under one name and in one colour.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    pub(crate) name: String,
    /// Which colour and shape: what is the same in several plots of a page has the same.
    pub(crate) style: usize,
    /// Points with coordinates that are no numbers, or none on a logarithmic axis, are left out.
    pub(crate) points: Vec<(f64, f64)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_are_escaped() {
        let hostile = "<script>alert('x')</script>\"&";
        let axis = || Axis::new(hostile, Scale::Log);
        let series = Series {
            name: hostile.to_owned(),
            style: 0,
            points: vec![(1.0, 2.0), (10.0, f64::NAN), (100.0, 5.0)],
        };
        let lines = Lines {
            x: axis(),
            y: axis(),
            series: vec![series],
            reference: Some(2.0),
        };
        let dots = Dots {
            x: axis(),
            series: vec![hostile.to_owned(), "other".to_owned()],
            rows: vec![Row {
                name: hostile.to_owned(),
                values: vec![Some(1.0), None],
            }],
            reference: None,
        };
        for svg in [lines.svg(), dots.svg()] {
            assert!(!svg.contains("<script"), "{svg}");
            assert!(svg.contains("&lt;script&gt;"), "{svg}");
            assert!(!svg.contains("NaN"), "{svg}");
        }
    }

    #[test]
    fn a_plot_of_nothing_is_a_plot() {
        let lines = Lines {
            x: Axis::new("x", Scale::Log),
            y: Axis::new("y", Scale::Linear),
            series: Vec::new(),
            reference: None,
        };
        let dots = Dots {
            x: Axis::new("x", Scale::Log),
            series: Vec::new(),
            rows: Vec::new(),
            reference: None,
        };
        for svg in [lines.svg(), dots.svg()] {
            assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }

    #[test]
    fn two_lines_over_powers_of_two() {
        let curve = |name: &str, style: usize, power: f64| Series {
            name: name.to_owned(),
            style,
            points: [1.0_f64, 2.0, 4.0, 8.0]
                .iter()
                .map(|&x| (x, x.powf(power)))
                .collect(),
        };
        let lines = Lines {
            x: Axis::new("workers", Scale::Log).with_ticks([1.0, 2.0, 4.0, 8.0]),
            y: Axis::new("times faster", Scale::Log),
            series: vec![curve("linear", 0, 1.0), curve("root", 1, 0.5)],
            reference: Some(1.0),
        };
        insta::assert_snapshot!(lines.svg());
    }

    #[test]
    fn two_rows_of_dots() {
        let dots = Dots {
            x: Axis::new("questions", Scale::Log),
            series: vec!["ddmin".to_owned(), "halving".to_owned()],
            rows: vec![
                Row {
                    name: "one.c".to_owned(),
                    values: vec![Some(1200.0), Some(90.0)],
                },
                Row {
                    name: "two.c".to_owned(),
                    values: vec![Some(15_000.0), None],
                },
            ],
            reference: None,
        };
        insta::assert_snapshot!(dots.svg());
    }
}
