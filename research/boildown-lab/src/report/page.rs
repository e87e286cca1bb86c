//! An HTML page that needs no other file.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{Environment, context};

use super::{Align, TextTable};

/// The content of a page. All texts are escaped; the drawings are inserted as they are.
#[derive(Debug, Clone)]
pub(crate) struct HtmlPage {
    pub(crate) title: String,
    /// A paragraph about the experiment.
    pub(crate) lead: String,
    /// The names and values of the settings.
    pub(crate) settings: Vec<(&'static str, String)>,
    pub(crate) figures: Vec<ReportFigure>,
    /// The tables, each with its title.
    pub(crate) tables: Vec<(String, TextTable)>,
}

/// A drawing with its title and caption.
#[derive(Debug, Clone)]
pub(crate) struct ReportFigure {
    pub(crate) title: String,
    pub(crate) caption: String,
    pub(crate) svg: String,
}

impl HtmlPage {
    pub(crate) fn html(&self) -> String {
        let figure_context = |figure: &ReportFigure| {
            context! {
                title => &figure.title,
                caption => &figure.caption,
                svg => Value::from_safe_string(figure.svg.clone()),
            }
        };
        let table_context = |(title, table): &(String, TextTable)| {
            let sides: Vec<&str> = (table.heading.iter())
                .map(|(_, align)| match align {
                    Align::Left => "left",
                    Align::Right => "right",
                })
                .collect();
            let cells = |row: Vec<String>| -> Value {
                (row.into_iter().zip(&sides))
                    .map(|(text, side)| context! { text, side => *side })
                    .collect()
            };
            let heading = table.heading.iter().map(|(name, _)| name.clone()).collect();
            context! {
                title,
                heading => cells(heading),
                rows => table.rows.iter().map(|row| cells(row.clone())).collect::<Value>(),
            }
        };
        let setting_context = |(name, value): &(&str, String)| context! { name => *name, value };
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build();
        environment.set_syntax(syntax.expect("the default delimiters are valid"));
        environment
            .add_template("page.html", include_str!("page.html"))
            .expect("the template is valid: tests render it");
        let template = environment.get_template("page.html");
        let page = template.and_then(|template| {
            template.render(context! {
                title => &self.title,
                lead => &self.lead,
                settings => self.settings.iter().map(setting_context).collect::<Value>(),
                figures => self.figures.iter().map(figure_context).collect::<Value>(),
                tables => self.tables.iter().map(table_context).collect::<Value>(),
            })
        });
        page.expect("the template has all its variables: tests render it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_texts_is_escaped() {
        let hostile = "<script>alert('x')</script>\"&";
        let mut table = TextTable::new([(hostile, Align::Left)]);
        table.push([hostile.to_owned()]);
        let page = HtmlPage {
            title: hostile.to_owned(),
            lead: hostile.to_owned(),
            settings: vec![(hostile, hostile.to_owned())],
            figures: vec![ReportFigure {
                title: hostile.to_owned(),
                caption: hostile.to_owned(),
                svg: "<svg></svg>".to_owned(),
            }],
            tables: vec![(hostile.to_owned(), table)],
        };
        let html = page.html();
        assert!(!html.contains("<script"), "{html}");
        assert_eq!(html.matches("&lt;script&gt;").count(), 10, "{html}");
        assert!(html.contains("<svg></svg>"));
    }
}
