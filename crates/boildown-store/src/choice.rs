//! The choices of a session in its file: what boildown decided for the user, and why.

use boildown_show::ChoiceRecord;
use rusqlite::{Connection, params};

pub(super) fn write_choices(
    database: &Connection,
    session: i64,
    choices: &[ChoiceRecord],
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
pub(super) fn read_choices(
    database: &Connection,
    session: i64,
) -> rusqlite::Result<Vec<ChoiceRecord>> {
    if !database.table_exists(None, "choices")? {
        return Ok(Vec::new());
    }
    database
        .prepare(
            "SELECT about, chosen, because, option FROM choices \
             WHERE session = ?1 ORDER BY number",
        )?
        .query_map([session], |row| {
            Ok(ChoiceRecord {
                about: row.get(0)?,
                chosen: row.get(1)?,
                because: row.get(2)?,
                option: row.get(3)?,
            })
        })?
        .collect()
}
