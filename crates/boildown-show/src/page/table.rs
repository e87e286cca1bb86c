//! Tables of the page.

use std::fmt::Write as _;

/// Returns a table: heading cells, and rows of cells, which are HTML.
pub(crate) fn table(class: &str, heading: &[&str], rows: &[Vec<String>]) -> String {
    let mut html = format!("<div class=scroll><table class=\"{class}\">\n<thead><tr>");
    for cell in heading {
        write!(html, "<th scope=col>{cell}</th>").ok();
    }
    html += "</tr></thead>\n<tbody>\n";
    for row in rows {
        html += "<tr>";
        for (column, cell) in row.iter().enumerate() {
            match column {
                0 => write!(html, "<th scope=row>{cell}</th>").ok(),
                _ => write!(html, "<td>{cell}</td>").ok(),
            };
        }
        html += "</tr>\n";
    }
    html + "</tbody></table></div>\n"
}
