//! The choices of a session: what boildown decided for the user, and why.

use std::fmt;

use rusqlite::{Connection, params};

/// One choice: what was chosen, why, and the option that changes it.
///
/// Its [`Display`](fmt::Display) is one line: `language: C, by the name crash.c (see --language)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The subject, such as `language`.
    pub about: String,
    /// What was chosen, such as `C`.
    pub chosen: String,
    /// Why, as the end of a sentence, such as `by the name crash.c`. May be empty.
    pub because: String,
    /// The option or options that change it, such as `--language`.
    pub option: String,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            about,
            chosen,
            because,
            option,
        } = self;
        let comma = if because.is_empty() { "" } else { ", " };
        write!(f, "{about}: {chosen}{comma}{because} (see {option})")
    }
}

pub(super) fn write_choices(
    database: &Connection,
    session: i64,
    choices: &[Choice],
) -> rusqlite::Result<()> {
    for (number, choice) in (1_i64..).zip(choices) {
        database.execute(
            "INSERT INTO choices VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                session,
                number,
                choice.about,
                choice.chosen,
                choice.because,
                choice.option
            ],
        )?;
    }
    Ok(())
}

/// Returns the choices of a session, in order. Files of the first versions have none.
pub(super) fn read_choices(database: &Connection, session: i64) -> rusqlite::Result<Vec<Choice>> {
    if !database.table_exists(None, "choices")? {
        return Ok(Vec::new());
    }
    database
        .prepare(
            "SELECT about, chosen, because, option FROM choices \
             WHERE session = ?1 ORDER BY number",
        )?
        .query_map([session], |row| {
            Ok(Choice {
                about: row.get(0)?,
                chosen: row.get(1)?,
                because: row.get(2)?,
                option: row.get(3)?,
            })
        })?
        .collect()
}
