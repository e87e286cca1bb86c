//! Elements of SVG as text.

use std::fmt::Write as _;

/// Escapes a text for element content and attribute values.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// About how wide a text is in the page's font, in pixels.
pub(super) fn width(text: &str) -> f64 {
    6.7 * text.chars().count() as f64
}

/// About how wide a text in bold is, in pixels.
pub(super) fn bold_width(text: &str) -> f64 {
    8.0 * text.chars().count() as f64
}

/// How a text stands to its point.
#[derive(Debug, Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A drawing in the making.
pub(super) struct Drawing(String);

impl Drawing {
    pub(super) fn new(width: f64, height: f64, title: &str) -> Self {
        let mut drawing = Self(String::new());
        drawing.write(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{}\">\n",
            escape(title)
        ));
        drawing
    }

    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        self.write(format_args!(
            "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>\n",
            from.0, from.1, to.0, to.1
        ));
    }

    pub(super) fn band(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.write(format_args!(
            "<rect class=\"band\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>\n",
            from.0,
            from.1,
            to.0 - from.0,
            to.1 - from.1
        ));
    }

    pub(super) fn curve(&mut self, class: &str, points: &[(f64, f64)]) {
        let points: Vec<String> = (points.iter())
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        self.write(format_args!(
            "<polyline class=\"{class}\" points=\"{}\"/>\n",
            points.join(" ")
        ));
    }

    pub(super) fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.write(format_args!(
            "<text class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>\n",
            at.0,
            at.1,
            escape(text)
        ));
    }

    /// A mark whose shape goes with its style, so that colour is not all that tells series apart.
    pub(super) fn mark(&mut self, style: usize, (x, y): (f64, f64), note: &str) {
        let path = match style % 4 {
            0 => format!("M{:.1} {y:.1}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", x - 4.0),
            1 => format!("M{:.1} {:.1}h7v7h-7z", x - 3.5, y - 3.5),
            2 => format!("M{x:.1} {:.1}l4.5 8h-9z", y - 5.0),
            _ => format!("M{x:.1} {:.1}l5 5l-5 5l-5 -5z", y - 5.0),
        };
        self.write(format_args!("<path class=\"mark\" d=\"{path}\">"));
        self.write(format_args!("<title>{}</title></path>\n", escape(note)));
    }

    /// What follows until `end_group` belongs to a series of this style.
    pub(super) fn begin_group(&mut self, style: usize) {
        self.write(format_args!("<g class=\"s{}\">\n", style % 12));
    }

    pub(super) fn end_group(&mut self) {
        self.0.push_str("</g>\n");
    }

    pub(super) fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }

    fn write(&mut self, text: std::fmt::Arguments<'_>) {
        self.0
            .write_fmt(text)
            .expect("writing to a string does not fail");
    }
}
