//! SVG elements as text.

use std::fmt::Write as _;

/// Escapes a text for use as element content or attribute value.
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

/// Returns the approximate width of a text in the font of the page, in pixels.
pub(super) fn width(text: &str) -> f64 {
    6.7 * text.chars().count() as f64
}

/// Returns the approximate width of a bold text, in pixels.
pub(super) fn bold_width(text: &str) -> f64 {
    8.0 * text.chars().count() as f64
}

/// The part of a text that is at its position.
#[derive(Debug, Clone, Copy)]
pub(super) enum TextAnchor {
    Start,
    Middle,
    End,
}

/// A position in a drawing, in pixels from the upper left corner.
#[derive(Debug, Clone, Copy)]
pub(super) struct PixelPoint {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// Returns the position with these coordinates.
pub(super) fn point(x: f64, y: f64) -> PixelPoint {
    PixelPoint { x, y }
}

/// An SVG drawing under construction.
pub(crate) struct SvgDrawing(String);

impl SvgDrawing {
    pub(super) fn new(width: f64, height: f64, title: &str) -> Self {
        let mut drawing = Self(String::new());
        drawing.write(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{}\">\n",
            escape(title)
        ));
        drawing
    }

    pub(super) fn line(&mut self, class: &str, from: PixelPoint, to: PixelPoint) {
        self.write(format_args!(
            "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>\n",
            from.x, from.y, to.x, to.y
        ));
    }

    /// Adds a rectangle; a note is shown beside the pointer.
    pub(super) fn rectangle(&mut self, class: &str, from: PixelPoint, to: PixelPoint, note: &str) {
        self.write(format_args!(
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"",
            from.x,
            from.y,
            to.x - from.x,
            to.y - from.y
        ));
        match note {
            "" => self.0.push_str("/>\n"),
            _ => self.write(format_args!("><title>{}</title></rect>\n", escape(note))),
        }
    }

    pub(super) fn curve(&mut self, class: &str, points: &[PixelPoint]) {
        let points: Vec<String> = (points.iter())
            .map(|point| format!("{:.1},{:.1}", point.x, point.y))
            .collect();
        self.write(format_args!(
            "<polyline class=\"{class}\" points=\"{}\"/>\n",
            points.join(" ")
        ));
    }

    pub(super) fn text(
        &mut self,
        class: &str,
        position: PixelPoint,
        anchor: TextAnchor,
        text: &str,
    ) {
        let anchor = match anchor {
            TextAnchor::Start => "start",
            TextAnchor::Middle => "middle",
            TextAnchor::End => "end",
        };
        self.write(format_args!(
            "<text class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>\n",
            position.x,
            position.y,
            escape(text)
        ));
    }

    /// Adds a mark. Its shape depends on its style, so that series differ not only by colour.
    pub(super) fn mark(&mut self, style: usize, position: PixelPoint, note: &str) {
        let PixelPoint { x, y } = position;
        let path = match style % 4 {
            0 => format!("M{:.1} {y:.1}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", x - 4.0),
            1 => format!("M{:.1} {:.1}h7v7h-7z", x - 3.5, y - 3.5),
            2 => format!("M{x:.1} {:.1}l4.5 8h-9z", y - 5.0),
            _ => format!("M{x:.1} {:.1}l5 5l-5 5l-5 -5z", y - 5.0),
        };
        self.write(format_args!("<path class=\"mark\" d=\"{path}\">"));
        self.write(format_args!("<title>{}</title></path>\n", escape(note)));
    }

    /// Begins a group: elements up to [`end_group`](Self::end_group) get the colour of this style.
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
