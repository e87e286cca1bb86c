//! Plots as inline SVG.
//!
//! They are written without a plotting library. Of the libraries that were considered, the one that
//! is maintained and small (kuva) writes colours into the drawing, so that a page would need two
//! drawings of each plot for light and dark mode. It also writes its version into the drawing, so
//! that snapshots would break with each release.

mod axis;
mod line_plot;
mod row_plot;
mod svg;

pub(crate) use axis::{Axis, Scale};
pub(crate) use line_plot::LinePlot;
pub(crate) use row_plot::{BoxSummary, PlotRow, RowPlot};

use super::ReportFigure;

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

/// A plot that can be drawn.
pub(crate) trait Plot {
    /// Returns the drawing.
    fn svg(&self) -> String;

    /// Returns the drawing with its title and caption.
    fn figure(&self, title: impl Into<String>, caption: &str) -> ReportFigure {
        ReportFigure {
            title: title.into(),
            caption: caption.to_owned(),
            svg: self.svg(),
        }
    }
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
        let dots = RowPlot {
            x: axis(),
            series: vec![hostile.to_owned(), "other".to_owned()],
            rows: vec![PlotRow {
                name: hostile.to_owned(),
                values: vec![Some(1.0), None],
            }],
            reference: None,
        };
        for svg in [lines.svg(), dots.svg(), boxes(hostile).svg()] {
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
        let dots = RowPlot {
            x: Axis::new("x", Scale::Log),
            series: Vec::new(),
            rows: Vec::<PlotRow<f64>>::new(),
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
        let dots = RowPlot {
            x: Axis::new("questions", Scale::Log),
            series: vec!["ddmin".to_owned(), "halving".to_owned()],
            rows: vec![
                PlotRow {
                    name: "one.c".to_owned(),
                    values: vec![Some(1200.0), Some(90.0)],
                },
                PlotRow {
                    name: "two.c".to_owned(),
                    values: vec![Some(15_000.0), None],
                },
            ],
            reference: None,
        };
        insta::assert_snapshot!(dots.svg());
    }

    /// A row with a whole box, and one that is open to both sides.
    fn boxes(name: &str) -> RowPlot<BoxSummary> {
        let infinity = f64::INFINITY;
        let whole = [0.2, 0.5, 0.8, 0.9, 1.25];
        let whole = BoxSummary {
            at_least: whole,
            at_most: whole,
        };
        let open = BoxSummary {
            at_least: [0.0, 0.4, 0.7, 1.0, 1.0],
            at_most: [0.3, 0.6, infinity, infinity, infinity],
        };
        RowPlot {
            x: Axis::new("tests, divided by those of ddmin", Scale::Log),
            series: vec!["ddmin".to_owned(), "halving".to_owned(), "open".to_owned()],
            rows: vec![PlotRow {
                name: name.to_owned(),
                values: vec![None, Some(whole), Some(open)],
            }],
            reference: Some(1.0),
        }
    }

    #[test]
    fn a_row_of_boxes() {
        let svg = boxes("levels").svg();
        assert!(!svg.contains("inf") && !svg.contains("NaN"), "{svg}");
        // Three in the legend, and one median.
        assert_eq!(svg.matches("class=\"mark\"").count(), 4);
        assert!(svg.contains("median between 0.700 and ∞, middle half 0.400 to ∞"));
        insta::assert_snapshot!(svg);
    }
}
