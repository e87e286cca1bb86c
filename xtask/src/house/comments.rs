//! Widths of comments.

use crate::house::source::RustFile;

/// Last column that a line with a comment may reach.
pub const MAX_COLUMNS: usize = 100;

/// Returns a line for each line of a file that ends beyond [`MAX_COLUMNS`] and holds a comment.
///
/// A line whose last word alone makes it too long, a link say, counts too.
pub fn wide_comments(file: &RustFile) -> Vec<String> {
    let mut found = Vec::new();
    for comment in &file.comments {
        let first = file.line(comment.range.start);
        let text = file.text[comment.range.clone()].lines();
        let lines = file.text.lines().enumerate().skip(first - 1);
        for (index, line) in lines.take(text.count()) {
            let columns = line.chars().count();
            if columns > MAX_COLUMNS {
                let path = file.path.display();
                found.push(format!("{path}:{}: {columns} columns", index + 1));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::source::parse_example;

    #[test]
    fn comments_are_measured_with_their_line_and_strings_are_not() {
        let (wide, code) = ("x".repeat(98), " ".repeat(90));
        let text = format!(
            "// {wide}\nfn f() {{{code} // Late.\n}}\nconst S: &str = \"// {wide}\";\n// Short é.\n"
        );
        let found = wide_comments(&parse_example("a.rs", &text));
        assert_eq!(found, ["a.rs:1: 101 columns", "a.rs:2: 107 columns"]);
    }
}
