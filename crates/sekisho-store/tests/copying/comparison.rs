//! Compares every table value by value, using the server's own catalogue.

use std::fmt::Write;

use rusqlite::types::ValueRef;
use tokio_postgres::Client;

use crate::sample_data::File;

/// The tables of a database and their columns with types, without generated columns.
pub(crate) async fn tables(server: &Client) -> Vec<(String, Vec<(String, String)>)> {
    let query = "SELECT table_name::text, column_name::text, data_type::text FROM information_schema.columns \
        WHERE table_schema = 'public' AND is_generated = 'NEVER' AND table_name <> 'refinery_schema_history' \
        ORDER BY table_name, ordinal_position";
    let mut tables: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for row in server.query(query, &[]).await.unwrap() {
        let (table, column): (String, (String, String)) = (row.get(0), (row.get(1), row.get(2)));
        match tables.last_mut().filter(|(name, _)| *name == table) {
            Some((_, columns)) => columns.push(column),
            None => tables.push((table, vec![column])),
        }
    }
    tables
}

/// The rows of a table on the server, as sorted text.
pub(crate) async fn on_server(server: &Client, table: &str, columns: &[(String, String)]) -> Vec<String> {
    let columns: Vec<_> = columns.iter().map(|(name, _)| format!("{name}::text")).collect();
    let rows = server.query(&format!("SELECT {} FROM {table}", columns.join(", ")), &[]).await.unwrap();
    let text =
        |row: &tokio_postgres::Row| -> Vec<Option<String>> { (0..row.len()).map(|i| row.get(i)).collect() };
    let mut rows: Vec<String> = rows.iter().map(|row| format!("{:?}", text(row))).collect();
    rows.sort();
    rows
}

/// The same rows of the file, formatted as the server formats them.
pub(crate) fn in_file(file: &File, table: &str, columns: &[(String, String)]) -> Vec<String> {
    let db = file.other();
    let names: Vec<_> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let mut statement = db.prepare(&format!("SELECT {} FROM {table}", names.join(", "))).unwrap();
    let mut rows: Vec<String> = statement
        .query_map([], |row| {
            let texts =
                columns.iter().enumerate().map(|(i, (_, kind))| written(row.get_ref(i).unwrap(), kind));
            Ok(format!("{:?}", texts.collect::<Vec<_>>()))
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    rows.sort();
    rows
}

fn written(value: ValueRef<'_>, kind: &str) -> Option<String> {
    match (value, kind) {
        (ValueRef::Null, _) => None,
        (ValueRef::Integer(number), "boolean") => Some((number == 1).to_string()),
        (ValueRef::Integer(number), _) => Some(number.to_string()),
        (ValueRef::Blob(bytes), "uuid") => Some(uuid::Uuid::from_slice(bytes).unwrap().to_string()),
        (ValueRef::Blob(bytes), _) => Some(bytes.iter().fold("\\x".to_owned(), |mut hex, byte| {
            write!(hex, "{byte:02x}").unwrap();
            hex
        })),
        // The server cannot store NUL.
        (ValueRef::Text(text), _) => {
            let text = std::str::from_utf8(text).unwrap();
            Some(text.replace('\u{1}', "\u{1}1").replace('\0', "\u{1}0"))
        }
        (ValueRef::Real(_), _) => unreachable!("no column holds one"),
    }
}
