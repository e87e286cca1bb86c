//! `boildown man`: the manual pages, one for each command.

use clap::builder::PossibleValuesParser;
use clap::{Arg, Args, Command};
use roff::{Inline, Roff, bold, italic, roman};

use crate::error::ExitKind;
use crate::guide::{Guide, guide, pages};
use crate::options::heading;
use crate::stdout;

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command [default: boildown itself]
    #[arg(value_parser = PossibleValuesParser::new(pages()), hide_possible_values = true)]
    command: Option<String>,
}

/// Environment variables that boildown reads.
const ENVIRONMENT: [(&str, &str); 3] = [
    (
        "BOILDOWN_WRITABLE",
        "directories and files, separated by colons, that runs of the command may write to.",
    ),
    (
        "TMPDIR",
        "the directory for temporary files: it holds the directories of runs when memory has no \
         space for them.",
    ),
    (
        "NO_COLOR",
        "when it is set, differences are printed without colour.",
    ),
];

/// Prints the page of a command, or of boildown itself.
pub(crate) fn print(args: &ManArgs, mut definition: Command) -> ExitKind {
    definition.build();
    let page = match &args.command {
        Some(name) => {
            let command = definition.find_subcommand(name);
            let command = command.expect("each page is that of a command");
            render(&format!("boildown-{name}"), command, guide(name))
        }
        None => render("boildown", &definition, guide("boildown")),
    };
    stdout::write(page.as_bytes());
    ExitKind::Reduced
}

fn render(name: &str, command: &Command, guide: &Guide) -> String {
    let mut page = Roff::new();
    let title = name.to_uppercase();
    let source = concat!("boildown ", env!("CARGO_PKG_VERSION"));
    // Without a date: the version says more.
    page.control("TH", [title.as_str(), "1", "\"\"", source, "boildown"]);
    page.control("SH", ["NAME"]);
    let about = command.get_about().map(ToString::to_string);
    let about = about.unwrap_or_default();
    text(&mut page, &format!("{name} - {about}"));
    page.control("SH", ["SYNOPSIS"]);
    for (number, form) in guide.synopsis.iter().enumerate() {
        if number > 0 {
            page.control("br", []);
        }
        page.text(synopsis(form));
    }
    page.control("SH", ["DESCRIPTION"]);
    paragraphs(&mut page, guide.description.iter().map(String::as_str));
    commands(&mut page, command);
    options(&mut page, command);
    list(&mut page, "KEYS", guide.keys.iter().copied());
    list(&mut page, "FILES", guide.files.iter().copied());
    if !guide.files.is_empty() {
        list(&mut page, "ENVIRONMENT", ENVIRONMENT.into_iter());
    }
    list(&mut page, "EXIT STATUS", guide.exit_codes.iter().copied());
    let examples = guide.examples.iter();
    let examples = examples.map(|example| (example.command, example.purpose.as_str()));
    list(&mut page, "EXAMPLES", examples);
    see_also(&mut page, name, guide);
    page.render()
}

/// Returns a line of the synopsis: words in lower case in bold, placeholders in italics.
fn synopsis(form: &str) -> Vec<Inline> {
    let is_placeholder = |word: &str| word.chars().any(char::is_uppercase);
    form.split_inclusive(' ')
        .map(|word| match is_placeholder(word) {
            true => italic(word),
            false => bold(word),
        })
        .collect()
}

/// Adds paragraphs; the first one follows a heading or a term.
fn paragraphs<'a>(page: &mut Roff, texts: impl IntoIterator<Item = &'a str>) {
    for (number, paragraph) in texts.into_iter().enumerate() {
        if number > 0 {
            page.control("PP", []);
        }
        text(page, paragraph);
    }
}

/// Adds text, in lines of at most 72 characters.
fn text(page: &mut Roff, text: &str) {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.len() + word.len() >= 72 && !line.is_empty() {
            page.text([roman(std::mem::take(&mut line))]);
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    page.text([roman(line)]);
}

/// Adds a section with terms and their explanations, unless it is empty.
fn list<'a>(page: &mut Roff, heading: &str, items: impl Iterator<Item = (&'a str, &'a str)>) {
    let mut items = items.peekable();
    if items.peek().is_none() {
        return;
    }
    page.control("SH", [heading]);
    for (term, explanation) in items {
        page.control("TP", []);
        page.text([bold(term)]);
        text(page, explanation);
    }
}

/// Adds the commands of a command: those of boildown, or the experiments of the lab.
fn commands(page: &mut Roff, command: &Command) {
    let commands = (command.get_subcommands()).filter(|command| command.get_name() != "help");
    let commands: Vec<(String, String)> = commands
        .map(|command| {
            let about = command.get_about().map(ToString::to_string);
            (command.get_name().to_owned(), about.unwrap_or_default())
        })
        .collect();
    let commands = commands
        .iter()
        .map(|(name, about)| (name.as_str(), about.as_str()));
    list(page, "COMMANDS", commands);
}

/// Adds the options, in the groups of the help.
fn options(page: &mut Roff, command: &Command) {
    let mut groups: Vec<(&str, Vec<&Arg>)> = Vec::new();
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
        let heading = match arg.get_help_heading() {
            Some(heading) => heading,
            None if arg.is_positional() => "Arguments",
            None => heading::OTHER,
        };
        match groups.iter_mut().find(|(known, _)| *known == heading) {
            Some((_, group)) => group.push(arg),
            None => groups.push((heading, vec![arg])),
        }
    }
    // As in the help, what has no group of its own comes last.
    groups.sort_by_key(|(heading, _)| *heading == heading::OTHER);
    if !groups.is_empty() {
        page.control("SH", ["OPTIONS"]);
    }
    for (heading, args) in groups {
        page.control("SS", [heading]);
        for arg in args {
            option(page, arg);
        }
    }
}

fn option(page: &mut Roff, arg: &Arg) {
    page.control("TP", []);
    page.text(term(arg));
    let help = arg.get_long_help().or_else(|| arg.get_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    for (number, paragraph) in help.split("\n\n").enumerate() {
        if number > 0 {
            page.control("sp", []);
        }
        text(page, paragraph);
    }
}

/// Returns an option as it is written, `-j, --jobs N`.
fn term(arg: &Arg) -> Vec<Inline> {
    let mut term = Vec::new();
    if let Some(short) = arg.get_short() {
        term.push(bold(format!("-{short}")));
    }
    if let Some(long) = arg.get_long() {
        if !term.is_empty() {
            term.push(roman(", "));
        }
        term.push(bold(format!("--{long}")));
    }
    let takes_value = arg
        .get_num_args()
        .is_some_and(|number| number.takes_values());
    for name in arg.get_value_names().unwrap_or_default() {
        if takes_value || arg.is_positional() {
            if !term.is_empty() {
                term.push(roman(" "));
            }
            term.push(italic(name.as_str()));
        }
    }
    if term.is_empty() {
        term.push(italic(arg.get_id().as_str().to_uppercase()));
    }
    term
}

fn see_also(page: &mut Roff, name: &str, guide: &Guide) {
    let is_own = |page: &str| page == name;
    let others = match is_own("boildown") {
        true => pages().collect(),
        false => guide.see_also.clone(),
    };
    let pages = others.iter().map(|other| format!("boildown-{other}"));
    let main = (!is_own("boildown")).then(|| "boildown".to_owned());
    page.control("SH", ["SEE ALSO"]);
    let mut line = Vec::new();
    for page in main.into_iter().chain(pages) {
        if !line.is_empty() {
            line.push(roman(", "));
        }
        line.extend([bold(page), roman("(1)")]);
    }
    page.text(line);
}

#[cfg(test)]
mod tests {
    use crate::cli::Cli;
    use crate::guide::pages;

    #[test]
    fn every_command_has_a_page() {
        let definition = Cli::definition();
        let shown = definition.get_subcommands();
        let shown = shown.filter(|command| !command.is_hide_set());
        let names: Vec<_> = shown.map(clap::Command::get_name).collect();
        assert_eq!(names, pages().collect::<Vec<_>>());
    }
}
