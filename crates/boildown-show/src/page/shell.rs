//! The parts that every page has: the head, the list of sections, the style, and no network.

use std::fmt::Write as _;

use crate::escape;

/// A section of a page, with the name by which links find it.
pub(crate) struct PageSection {
    pub(crate) anchor: String,
    pub(crate) title: String,
    /// Empty when nothing is known; then the section is left out.
    pub(crate) content: String,
}

impl PageSection {
    /// Returns a section. The title is HTML.
    pub(crate) fn new(
        anchor: impl Into<String>,
        title: impl Into<String>,
        content: String,
    ) -> Self {
        Self {
            anchor: anchor.into(),
            title: title.into(),
            content,
        }
    }
}

/// The parts of a page that differ from page to page.
pub(crate) struct PageShell<'a> {
    /// The title of the window, not escaped.
    pub(crate) title: &'a str,
    /// The heading, as HTML.
    pub(crate) heading: &'a str,
    pub(crate) sections: &'a [PageSection],
    /// The sentence at the end, as HTML.
    pub(crate) made_by: &'a str,
    /// The script; empty if there is none.
    pub(crate) script: &'a str,
}

impl PageShell<'_> {
    /// Returns the page.
    pub(crate) fn html(&self) -> String {
        let shown = || (self.sections.iter()).filter(|section| !section.content.is_empty());
        let skip_to = shown().next().map_or("", |section| &section.anchor);
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n\
             <meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
             <meta name=color-scheme content=\"light dark\">\n\
             <meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n\
             <meta name=generator content=boildown>\n\
             <link rel=icon href=\"data:,\">\n\
             <title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n\
             <a class=skip href=\"#{skip_to}\">Skip the heading</a>\n<header>\n{}",
            escape::text(self.title),
            include_str!("page.css"),
            self.heading,
        );
        html += "<nav aria-label=Sections><ul>";
        for PageSection { anchor, title, .. } in shown() {
            write!(html, "<li><a href=\"#{anchor}\">{title}</a></li>").ok();
        }
        html += "</ul></nav>\n</header>\n<main>\n";
        for section in shown() {
            let PageSection {
                anchor,
                title,
                content,
            } = section;
            write!(
                html,
                "<section id={anchor} aria-labelledby={anchor}-title>\n<h2 id={anchor}-title>{title}</h2>\n{content}</section>\n"
            )
            .ok();
        }
        write!(
            html,
            "</main>\n<footer><p>{} Characters that cannot be seen are written as <span class=x>\\x1b</span>.</p></footer>\n",
            self.made_by
        )
        .ok();
        if !self.script.is_empty() {
            writeln!(html, "<script>\n{}</script>", self.script).ok();
        }
        html + "</body>\n</html>\n"
    }
}

/// Returns an entry of the figures below a heading. The value and the remark are HTML.
pub(crate) fn figure(name: &str, value: &str, remark: &str) -> String {
    format!("<div><dt>{name}</dt><dd>{value}<small>{remark}</small></dd></div>\n")
}
