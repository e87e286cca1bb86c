//! The gate before scripts of SQL.

use super::Sql;
use crate::testing::admits;

#[test]
fn statements_of_sql_keep_what_their_words_ask_for() {
    let text = "CREATE TABLE a (b, c);\nSELECT b FROM a WHERE c = 1;\n";
    let sql = |from, to| admits((&Sql, "--"), text, (from, to));
    assert!(!sql("TABLE ", ""));
    assert!(!sql("FROM a", "FROM"));
    assert!(!sql("c = 1", "c ="));
    assert!(sql(" WHERE c = 1", ""));
    assert!(sql("b, c", "b"));
}
