//! Plots as inline SVG.
//!
//! They are written without a plotting library. Of the libraries that were considered, the one that
//! is maintained and small (kuva) writes colours into the drawing, so that a page would need two
//! drawings of each plot for light and dark mode. It also writes its version into the drawing, so
//! that snapshots would break with each release.

mod axis;
mod dot_plot;
mod line_plot;
mod svg;

pub(crate) use axis::{Axis, Scale};
pub(crate) use dot_plot::{DotPlot, DotPlotRow};
pub(crate) use line_plot::LinePlot;

/// A curve: points with one name and one colour.
#[derive(Debug, Clone)]
pub(crate) struct LineSeries {
    pub(crate) name: String,
    /// The number of the colour and of the shape of the points. The same algorithm has the same
    /// style in all plots of a page.
    pub(crate) style: usize,
    /// Points that an axis cannot show are left out: NaN, infinity, and numbers up to 0 on a
    /// logarithmic axis.
    pub(crate) points: Vec<(f64, f64)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_names_is_escaped() {
        let hostile = "<script>alert('x')</script>\"&";
        let axis = || Axis::new(hostile, Scale::Log);
        let series = LineSeries {
            name: hostile.to_owned(),
            style: 0,
            points: vec![(1.0, 2.0), (10.0, f64::NAN), (100.0, 5.0)],
        };
        let lines = LinePlot {
            x: axis(),
            y: axis(),
            series: vec![series],
            reference: Some(2.0),
        };
        let dots = DotPlot {
            x: axis(),
            series: vec![hostile.to_owned(), "other".to_owned()],
            rows: vec![DotPlotRow {
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
    fn a_plot_without_data_is_valid() {
        let lines = LinePlot {
            x: Axis::new("x", Scale::Log),
            y: Axis::new("y", Scale::Linear),
            series: Vec::new(),
            reference: None,
        };
        let dots = DotPlot {
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
        let curve = |name: &str, style: usize, power: f64| LineSeries {
            name: name.to_owned(),
            style,
            points: [1.0_f64, 2.0, 4.0, 8.0]
                .iter()
                .map(|&x| (x, x.powf(power)))
                .collect(),
        };
        let lines = LinePlot {
            x: Axis::new("workers", Scale::Log).with_ticks([1.0, 2.0, 4.0, 8.0]),
            y: Axis::new("times faster", Scale::Log),
            series: vec![curve("linear", 0, 1.0), curve("root", 1, 0.5)],
            reference: Some(1.0),
        };
        insta::assert_snapshot!(lines.svg());
    }

    #[test]
    fn two_rows_of_dots() {
        let dots = DotPlot {
            x: Axis::new("questions", Scale::Log),
            series: vec!["ddmin".to_owned(), "halving".to_owned()],
            rows: vec![
                DotPlotRow {
                    name: "one.c".to_owned(),
                    values: vec![Some(1200.0), Some(90.0)],
                },
                DotPlotRow {
                    name: "two.c".to_owned(),
                    values: vec![Some(15_000.0), None],
                },
            ],
            reference: None,
        };
        insta::assert_snapshot!(dots.svg());
    }
}
