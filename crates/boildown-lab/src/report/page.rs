//! A page of HTML that needs no other file.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{Environment, context};

use super::{Align, Table};

/// What a page shows. All texts are escaped; the drawings are ours.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) title: String,
    /// What was done, in a paragraph.
    pub(crate) lead: String,
    /// The settings, each with its name.
    pub(crate) settings: Vec<(String, String)>,
    pub(crate) figures: Vec<Figure>,
    /// Each with its title.
    pub(crate) tables: Vec<(String, Table)>,
}

/// A drawing and what is to be seen in it.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    pub(crate) title: String,
    pub(crate) caption: String,
    pub(crate) svg: String,
}

impl Page {
    pub(crate) fn html(&self) -> String {
        let figure = |figure: &Figure| {
            context! {
                title => &figure.title,
                caption => &figure.caption,
                svg => Value::from_safe_string(figure.svg.clone()),
            }
        };
        let table = |(title, table): &(String, Table)| {
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
        let setting = |(name, value): &(String, String)| context! { name, value };
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build();
        environment.set_syntax(syntax.expect("the usual delimiters"));
        environment
            .add_template("page.html", include_str!("page.html"))
            .expect("the template is well-formed: tests render it");
        let template = environment.get_template("page.html");
        let page = template.and_then(|template| {
            template.render(context! {
                title => &self.title,
                lead => &self.lead,
                settings => self.settings.iter().map(setting).collect::<Value>(),
                figures => self.figures.iter().map(figure).collect::<Value>(),
                tables => self.tables.iter().map(table).collect::<Value>(),
            })
        });
        page.expect("the template uses what it is given: tests render it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_texts_are_shown_and_not_run() {
        let hostile = "<script>alert('x')</script>\"&";
        let mut table = Table::new([(hostile, Align::Left)]);
        table.push([hostile.to_owned()]);
        let page = Page {
            title: hostile.to_owned(),
            lead: hostile.to_owned(),
            settings: vec![(hostile.to_owned(), hostile.to_owned())],
            figures: vec![Figure {
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
