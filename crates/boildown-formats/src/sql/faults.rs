//! Words of SQL that are neighbours in no dialect.

/// Returns whether a script has words that are neighbours in no dialect, or brackets without
/// partners. The grammar is more lenient than any database, and takes most statements that lack
/// a word for others, or for names.
///
/// Little is said, because dialects differ: some allow a comma at the end of a list, `FROM` at the
/// beginning of a statement, or a query without anything that is selected.
pub(super) fn has_faults_of_sql(text: &[u8]) -> bool {
    let mut depth = 0_i64;
    let mut before = SqlToken::End;
    // The token at hand and the next one; the one after these is read next.
    let mut known: [Option<SqlToken>; 2] = [None; 2];
    let ends = [None; 2].into_iter();
    for third in tokens(text).map(SqlToken::of).map(Some).chain(ends) {
        let [this, next] = known;
        known = [next, third];
        let Some(this) = this else {
            continue;
        };
        depth += match this {
            SqlToken::Open => 1,
            SqlToken::Close => -1,
            _ => 0,
        };
        let next = [next, third].map(|token| token.unwrap_or(SqlToken::End));
        if depth < 0 || is_no_pair(before, this, next) {
            return true;
        }
        before = this;
    }
    depth != 0
}

/// A word or sign of SQL, as far as its neighbours are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SqlToken {
    /// The end of a statement, or of the script.
    End,
    Open,
    Close,
    Comma,
    Dot,
    /// A comparison, of which something follows.
    Comparison,
    Number,
    /// `WHERE`, `ON` and other words that are followed by a value or a name.
    Asking,
    From,
    Join,
    /// A word that ends a list of clauses before it: `GROUP`, `UNION`.
    Clause,
    Select,
    Create,
    /// What is created and has a name.
    Object,
    Values,
    Into,
    As,
    Name,
    Other,
}

impl SqlToken {
    fn of(token: &[u8]) -> Self {
        match token {
            b";" => return Self::End,
            b"(" => return Self::Open,
            b")" => return Self::Close,
            b"," => return Self::Comma,
            b"." => return Self::Dot,
            b"=" | b"<" | b">" => return Self::Comparison,
            [b'0'..=b'9', ..] => return Self::Number,
            _ => {}
        }
        let mut lowercase = [0; LONGEST];
        let word: &[u8] = match lowercase.get_mut(..token.len()) {
            Some(word) => {
                word.copy_from_slice(token);
                word.make_ascii_lowercase();
                word
            }
            // It is none of those that are told apart.
            None => token,
        };
        match word {
            b"where" | b"having" | b"on" | b"and" | b"or" | b"when" | b"then" | b"by" | b"in"
            | b"not" | b"between" | b"like" => Self::Asking,
            b"from" => Self::From,
            b"join" => Self::Join,
            b"group" | b"order" | b"union" | b"intersect" | b"except" => Self::Clause,
            b"select" => Self::Select,
            b"create" => Self::Create,
            b"table" | b"view" | b"schema" | b"trigger" => Self::Object,
            b"values" => Self::Values,
            b"into" => Self::Into,
            b"as" => Self::As,
            word if OTHERS.contains(&word) => Self::Other,
            [b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'"' | b'`' | 0x80.., ..] => Self::Name,
            _ => Self::Other,
        }
    }

    /// Returns whether nothing can begin with this.
    fn ends(self) -> bool {
        matches!(self, Self::End | Self::Close | Self::Comma)
    }

    /// Returns whether this stands between values or tables, or after them.
    fn follows_value(self) -> bool {
        let is_clause = matches!(self, Self::From | Self::Join | Self::Clause);
        is_clause || self.ends() || matches!(self, Self::Comparison | Self::As)
    }
}

/// The length of the longest word that is told apart from names: `intersect`.
const LONGEST: usize = 9;

/// Words that are no names.
#[rustfmt::skip]
const OTHERS: [&[u8]; 16] = [
    b"with", b"case", b"else", b"end", b"is", b"null", b"exists", b"left", b"insert", b"update",
    b"delete", b"set", b"limit", b"using", b"distinct", b"all",
];

/// Returns whether a token cannot stand between the one before it and the next ones.
fn is_no_pair(before: SqlToken, this: SqlToken, [next, second]: [SqlToken; 2]) -> bool {
    use SqlToken as Is;
    let is_first = before == Is::End;
    match this {
        Is::Comma => matches!(next, Is::Comma | Is::Comparison),
        Is::Open => next == Is::Comma,
        Is::Dot => next.follows_value(),
        // `<=` and `==` are two signs.
        Is::Comparison => is_first || next != Is::Comparison && next.follows_value(),
        // `ON CONFLICT`, `NOT IN` and `WHEN NOT MATCHED` begin otherwise.
        Is::Asking => next.follows_value(),
        Is::From => next.follows_value() || next == Is::Asking,
        Is::Join => next.follows_value() || next == Is::Asking || is_first,
        Is::Select => matches!(next, Is::Comma | Is::Comparison | Is::Dot | Is::Join),
        Is::Clause => is_first || next.ends() || matches!(next, Is::Name | Is::Number),
        Is::Create => {
            let is_named = matches!(second, Is::Open | Is::End | Is::As | Is::Dot);
            next.follows_value()
                || matches!(next, Is::Open | Is::Number)
                || next == Is::Name && is_named
        }
        Is::Object => {
            before == Is::Create && (next.follows_value() || matches!(next, Is::Open | Is::Number))
        }
        Is::Values => next.ends(),
        Is::Into => next.ends() || matches!(next, Is::Open | Is::Values | Is::Select),
        Is::As => is_first || next.ends(),
        Is::Number => next == Is::Number || is_first,
        Is::Close => is_first || next == Is::Number,
        Is::Name => {
            let begins_other = matches!(next, Is::Open | Is::Comma | Is::Dot | Is::Close);
            is_first && begins_other
        }
        Is::End | Is::Other => false,
    }
}

/// Returns the words, quoted texts and signs of a script. Comments are left out.
fn tokens(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let (length, is_token) = begin(rest);
            let token = &rest[..length];
            rest = &rest[length..];
            if is_token {
                return Some(token);
            }
        }
        None
    })
}

/// Returns the length of what a script begins with, and whether that is a token.
fn begin(rest: &[u8]) -> (usize, bool) {
    let until = |end: u8| rest.iter().skip(1).position(|&byte| byte == end);
    let is_part =
        |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || **byte >= 0x80;
    match rest {
        [b'-', b'-', ..] => (until(b'\n').map_or(rest.len(), |end| end + 2), false),
        [b'/', b'*', ..] => {
            let end = rest[2..].windows(2).position(|pair| pair == b"*/");
            (end.map_or(rest.len(), |end| end + 4), false)
        }
        [first, ..] if first.is_ascii_whitespace() => (1, false),
        [quote @ (b'\'' | b'"' | b'`'), ..] => {
            (until(*quote).map_or(rest.len(), |end| end + 2), true)
        }
        _ => (rest.iter().take_while(is_part).count().max(1), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPTS: [&str; 8] = [
        "CREATE TABLE t (a INT PRIMARY KEY, b TEXT DEFAULT 'x''y'); -- c, ,\nVALUES (1, .5);",
        "SELECT a.b, f(*) FROM t a LEFT JOIN u ON a.i = u.i WHERE a.x <= 1 AND NOT a GROUP BY 1;",
        "CREATE UNIQUE INDEX i ON t (a); CREATE VIEW v AS SELECT 1 UNION ALL SELECT 2 ORDER BY 1",
        "FROM t SELECT a, b, WHERE a IN (1, 2) AND b NOT LIKE 'x'; (SELECT 1);",
        "CREATE WAREHOUSE w WITH SIZE = 1; CREATE OR REPLACE TABLE a.b AS SELECT f() AS x;",
        "INSERT INTO t SELECT 1; UPDATE t SET a = -1 WHERE b == 2; ANALYZE; PRAGMA x = 1;",
        "WITH RECURSIVE a(b) AS (VALUES (1)) SELECT b FROM a WHERE b BETWEEN 1 AND 2 LIMIT 3",
        "CREATE TRIGGER r AFTER UPDATE OF a ON t WHEN new.a > 1 BEGIN DELETE FROM t; END;",
    ];

    #[test]
    fn scripts_of_several_dialects_have_no_faults() {
        for script in SCRIPTS {
            assert!(!has_faults_of_sql(script.as_bytes()), "{script}");
        }
    }

    #[test]
    fn words_that_are_never_neighbours_are_faults() {
        for script in [
            "SELECT a,, b FROM t",
            "SELECT f(, a)",
            "SELECT a FROM WHERE b",
            "SELECT a FROM t JOIN ON b",
            "SELECT a FROM t WHERE",
            "SELECT a FROM t WHERE b =",
            "SELECT a FROM t WHERE b AND GROUP BY c",
            "SELECT a FROM t GROUP a",
            "SELECT a FROM t ORDER",
            "CREATE t (a)",
            "CREATE TABLE (a)",
            "CREATE VIEW AS SELECT 1",
            "INSERT INTO VALUES (1)",
            "INSERT INTO t VALUES",
            "SELECT 1; t (a)",
            "SELECT a. FROM t",
            "SELECT (1",
            "SELECT 1 2",
        ] {
            assert!(has_faults_of_sql(script.as_bytes()), "{script}");
        }
    }
}
