//! Columns of tables that go with their values.

use std::ops::Range;

use boildown_document::Document;
use boildown_reduce::{Edit, WordList};

/// The first words of constraints, which stand among the columns of a table.
#[rustfmt::skip]
const CONSTRAINTS: [&str; 9] = [
    "CHECK", "CONSTRAINT", "EXCLUDE", "FOREIGN", "INDEX", "KEY", "LIKE", "PRIMARY", "UNIQUE",
];

/// Returns for each column of a table the edits that delete it with its values: as it is, and with
/// a number in the place of what mentions it.
pub(super) fn columns_with_values(document: &Document) -> Vec<Vec<Edit>> {
    let script = SqlScript::read(document);
    let mut all = Vec::new();
    for table in &script.tables {
        for position in 0..table.columns.len() {
            let (edits, deleted) = script.without_column(table, position);
            let name = script.words.word(table.columns[position].start);
            let uses = script.uses(name, &deleted);
            if !uses.is_empty() {
                all.push(edits.iter().cloned().chain(uses).collect());
            }
            all.push(edits);
        }
    }
    all
}

/// The words of a script, its tables and what is inserted into them. All ranges are of words.
struct SqlScript<'a> {
    words: WordList<'a>,
    tables: Vec<SqlTable<'a>>,
    insertions: Vec<SqlInsertion<'a>>,
}

/// A table with at least two columns or constraints.
struct SqlTable<'a> {
    name: &'a [u8],
    /// The columns and constraints.
    elements: Vec<Range<usize>>,
    /// The columns, which come first.
    columns: Vec<Range<usize>>,
}

struct SqlInsertion<'a> {
    table: &'a [u8],
    /// The columns that values are given for; none if for all of them.
    columns: Vec<Range<usize>>,
    /// The values of each row.
    rows: Vec<Vec<Range<usize>>>,
}

impl<'a> SqlScript<'a> {
    fn read(document: &'a Document) -> Self {
        let mut script = Self {
            words: WordList::of(document),
            tables: Vec::new(),
            insertions: Vec::new(),
        };
        for at in 0..script.words.count() {
            if script.is(at, "TABLE") {
                let table = script.table(at + 1);
                script.tables.extend(table);
            } else if script.is(at, "INTO") {
                let insertion = script.insertion(at + 1);
                script.insertions.extend(insertion);
            }
        }
        script
    }

    fn is(&self, at: usize, keyword: &str) -> bool {
        (self.words.word(at)).eq_ignore_ascii_case(keyword.as_bytes())
    }

    /// Returns the elements of the list in brackets at a word, and the word after it.
    fn list(&self, open: usize) -> Option<(Vec<Range<usize>>, usize)> {
        let end = self.words.bracket(open)?;
        (self.words.word(open) == b"(").then(|| (self.words.elements(&(open + 1..end - 1)), end))
    }

    /// Returns the first word after a name that may have a qualifier.
    fn after_name(&self, name: usize) -> usize {
        match self.words.word(name + 1) {
            b"." => name + 3,
            _ => name + 1,
        }
    }

    /// Reads the definition of a table, from after the word `TABLE`.
    fn table(&self, at: usize) -> Option<SqlTable<'a>> {
        let mut condition = ["IF", "NOT", "EXISTS"].iter().zip(at..);
        let is_conditional = condition.all(|(word, at)| self.is(at, word));
        let open = self.after_name(if is_conditional { at + 3 } else { at });
        let (elements, _) = self.list(open)?;
        let is_column =
            |element: &&Range<usize>| !CONSTRAINTS.iter().any(|word| self.is(element.start, word));
        let columns: Vec<_> = elements.iter().take_while(is_column).cloned().collect();
        (columns.len() > 1).then_some(SqlTable {
            name: self.words.word(open - 1),
            elements,
            columns,
        })
    }

    /// Reads what is inserted into a table, from after the word `INTO`.
    fn insertion(&self, at: usize) -> Option<SqlInsertion<'a>> {
        let mut at = self.after_name(at);
        let table = self.words.word(at - 1);
        let mut columns = Vec::new();
        if let Some((list, end)) = self.list(at) {
            (columns, at) = (list, end);
        }
        let mut rows = Vec::new();
        while self.is(at, if rows.is_empty() { "VALUES" } else { "," }) {
            let (row, end) = self.list(at + 1)?;
            rows.push(row);
            at = end;
        }
        (!rows.is_empty()).then_some(SqlInsertion {
            table,
            columns,
            rows,
        })
    }

    /// Returns the edits that delete a column with its values, and the words that they delete.
    fn without_column(
        &self,
        table: &SqlTable<'a>,
        position: usize,
    ) -> (Vec<Edit>, Vec<Range<usize>>) {
        let mut deleted = vec![without_element(&table.elements, position)];
        let name = self.words.word(table.columns[position].start);
        let insertions = self.insertions.iter();
        for insertion in insertions.filter(|of| of.table.eq_ignore_ascii_case(table.name)) {
            let is_it =
                |column: &Range<usize>| (self.words.word(column.start)).eq_ignore_ascii_case(name);
            let position = match &insertion.columns[..] {
                [] => Some(position),
                columns => columns.iter().position(is_it),
            };
            let Some(position) = position else {
                continue;
            };
            let lists = insertion.rows.iter().chain([&insertion.columns]);
            let lists = lists.filter(|list| position < list.len() && list.len() > 1);
            deleted.extend(lists.map(|list| without_element(list, position)));
        }
        let edits = deleted
            .iter()
            .map(|words| self.words.edit(words, Vec::new()));
        (edits.collect(), deleted)
    }

    /// Returns the edits that write a number in the place of what mentions a column, with its
    /// qualifier.
    fn uses(&self, name: &[u8], deleted: &[Range<usize>]) -> Vec<Edit> {
        let mut is_other = vec![false; self.words.count()];
        for words in deleted {
            is_other[words.clone()].fill(true);
        }
        let definitions = (self.tables.iter().flat_map(|table| &table.columns))
            .chain(self.insertions.iter().flat_map(|into| &into.columns));
        for definition in definitions {
            is_other[definition.start] = true;
        }
        let is_use = |at: &usize| !is_other[*at] && self.words.word(*at).eq_ignore_ascii_case(name);
        let uses = (0..self.words.count()).filter(is_use);
        uses.map(|at| {
            let is_qualified = at > 1 && self.words.word(at - 1) == b".";
            let start = if is_qualified { at - 2 } else { at };
            self.words.edit(&(start..at + 1), b"1".to_vec())
        })
        .collect()
    }
}

/// Returns the words to delete for an element to go with one comma. There are at least two
/// elements.
fn without_element(elements: &[Range<usize>], position: usize) -> Range<usize> {
    let element = &elements[position];
    match elements.get(position + 1) {
        Some(next) => element.start..next.start,
        None => elements[position - 1].end..element.end,
    }
}

#[cfg(test)]
mod tests {
    use boildown_reduce::text_after;

    use crate::testing::program_in;

    use super::columns_with_values;

    /// Returns a script after each proposal.
    fn proposed(text: &str) -> Vec<String> {
        let document = program_in("SQL", text);
        let proposals = columns_with_values(&document).into_iter();
        proposals
            .map(|edits| text_after(&document, edits))
            .collect()
    }

    #[test]
    fn a_column_goes_with_its_value_in_each_row() {
        let text = "CREATE TABLE t (a INT, b TEXT); INSERT INTO t VALUES (1, f(2, 3)), (4, 5);";
        assert_eq!(
            proposed(text),
            [
                "CREATE TABLE t ( b TEXT); INSERT INTO t VALUES ( f(2, 3)), ( 5);",
                "CREATE TABLE t (a INT ); INSERT INTO t VALUES (1 ), (4 );",
            ]
        );
    }

    #[test]
    fn insertions_that_name_their_columns_lose_the_one_of_the_name() {
        let text = "create table t (a, b, primary key (a)); insert into T (b, a) values (1, 2);";
        let [.., last] = &proposed(text)[..] else {
            panic!("there are proposals");
        };
        let expect = "create table t (a, primary key (a)); insert into T ( a) values ( 2);";
        assert_eq!(last, expect);
    }

    #[test]
    fn a_number_takes_the_place_of_what_mentions_the_column() {
        let text = "CREATE TABLE t (a, b); CREATE TABLE u (a, c); SELECT t.a, b FROM t;";
        assert_eq!(
            proposed(text)[..2],
            [
                "CREATE TABLE t ( b); CREATE TABLE u (a, c); SELECT 1 , b FROM t;",
                "CREATE TABLE t ( b); CREATE TABLE u (a, c); SELECT t.a, b FROM t;",
            ]
        );
    }

    #[test]
    fn the_only_column_of_a_table_stays() {
        assert_eq!(
            proposed("CREATE TABLE t (a); INSERT INTO t VALUES (1);"),
            [""; 0]
        );
    }
}
