//! Templates of pages. Every value in them is escaped, unless it is markup made here.

use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{Environment, UndefinedBehavior, context, escape_formatter};

use crate::escape;

macro_rules! templates {
    ($($path:literal as $name:literal),* $(,)?) => {
        [$(($name, include_str!($path))),*]
    };
}

const TEMPLATES: [(&str, &str); 17] = templates![
    "templates/macros.html" as "macros.html",
    "templates/shell.html" as "shell.html",
    "templates/heading.html" as "heading.html",
    "templates/texts.html" as "texts.html",
    "templates/remaining.html" as "remaining.html",
    "templates/steps.html" as "steps.html",
    "templates/sizes.html" as "sizes.html",
    "templates/map.html" as "map.html",
    "templates/passes.html" as "passes.html",
    "templates/repeatability.html" as "repeatability.html",
    "templates/failures.html" as "failures.html",
    "templates/time.html" as "time.html",
    "templates/environment.html" as "environment.html",
    "../triage/templates/heading.html" as "triage/heading.html",
    "../triage/templates/groups.html" as "triage/groups.html",
    "../triage/templates/group.html" as "triage/group.html",
    "../triage/templates/inputs.html" as "triage/inputs.html",
];

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build();
    environment.set_syntax(syntax.expect("the default delimiters are valid"));
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_formatter(|out, state, value| match value.as_str() {
        Some(text) if !value.is_safe() => Ok(out.write_str(&escape::text(text))?),
        _ if value.is_none() => Ok(()),
        _ => escape_formatter(out, state, value),
    });
    for (name, source) in TEMPLATES {
        let added = environment.add_template(name, source);
        added.expect("the templates are valid: tests render them");
    }
    environment
});

/// Returns what a template makes of its variables, as markup.
pub(crate) fn render(name: &str, variables: Value) -> Value {
    let template = ENVIRONMENT.get_template(name);
    let text = template.and_then(|template| template.render(variables));
    markup(text.expect("a template has all its variables: tests render them"))
}

/// Returns HTML as a value that is not escaped again.
pub(crate) fn markup(html: impl Into<String>) -> Value {
    Value::from_safe_string(html.into())
}

/// Returns a text as code.
pub(crate) fn code(text: &str) -> Value {
    markup(format!("<code>{}</code>", escape::text(text)))
}

/// Returns an address that holds these bytes, such that a link to it downloads them; `None` when
/// they are too many.
pub(crate) fn data_link(bytes: &[u8]) -> Option<String> {
    const LARGEST: usize = 256 << 10;
    if bytes.len() > LARGEST {
        return None;
    }
    let mut link = "data:application/octet-stream,".to_owned();
    for &byte in bytes {
        match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => link.push(char::from(byte)),
            _ => link += &format!("%{byte:02X}"),
        }
    }
    Some(link)
}

/// The cells of a row of a table.
pub(crate) type Cells = Vec<Value>;

/// A section of a page, with the name by which links find it.
pub(crate) struct PageSection {
    pub(crate) anchor: String,
    pub(crate) title: String,
    /// Left out when nothing is known.
    pub(crate) content: Option<Value>,
}

/// The parts of a page that differ from page to page.
pub(crate) struct PageShell<'a> {
    /// The title of the window.
    pub(crate) title: String,
    pub(crate) heading: Value,
    pub(crate) sections: Vec<PageSection>,
    /// The sentence at the end, as HTML.
    pub(crate) made_by: &'a str,
    /// Whether the page asks its server for newer ones.
    pub(crate) is_live: bool,
}

impl PageShell<'_> {
    /// Returns the page.
    pub(crate) fn html(self) -> String {
        let shown = self.sections.into_iter();
        let shown: Vec<PageSection> = shown.filter(|section| section.content.is_some()).collect();
        let live = if self.is_live {
            include_str!("live.js")
        } else {
            ""
        };
        let html = render(
            "shell.html",
            context! {
                title => self.title,
                connect => markup(if self.is_live { "; connect-src 'self'" } else { "" }),
                style => markup(include_str!("page.css")),
                skip_to => shown.first().map_or("", |section| &section.anchor),
                heading => self.heading,
                sections => shown.iter().map(|section| context! {
                    anchor => &section.anchor,
                    title => &section.title,
                    content => &section.content,
                }).collect::<Value>(),
                made_by => markup(self.made_by),
                script => markup(include_str!("page.js").to_owned() + live),
            },
        );
        html.to_string()
    }
}
