//! Rows as comma-separated values.
//!
//! Spreadsheets evaluate cells that begin like a formula, and the text of a row is untrusted. Such a
//! cell gets a leading apostrophe, which spreadsheets take as "this is text". JSON lines keep every
//! byte.

use std::io::{self, Write};

use super::chain_row::ChainRow;

/// The header line without its line end.
const NAMES: &str = "at,writer,seq,kind,decision,tool,server,agent,credential,approver,call,approval,execution,text,body,key,previous,code";

/// Writes the header line.
pub fn header(out: &mut impl Write) -> io::Result<()> {
    write!(out, "{NAMES}\r\n")
}

/// Writes a row as one line.
pub fn row(out: &mut impl Write, row: &ChainRow) -> io::Result<()> {
    let id = |id: &Option<uuid::Uuid>| id.map(|id| id.to_string()).unwrap_or_default();
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let cells = [
        format!("{:.6}", row.at()),
        row.writer.to_string(),
        row.seq.to_string(),
        row.kind.clone(),
        text(&row.decision),
        text(&row.tool),
        text(&row.server),
        text(&row.agent),
        text(&row.credential),
        text(&row.approver),
        id(&row.call),
        id(&row.approval),
        id(&row.execution),
        row.text.clone(),
        row.body.clone(),
        row.key.to_string(),
        row.previous.to_string(),
        row.code.to_string(),
    ];
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        write_cell(out, cell)?;
    }
    out.write_all(b"\r\n")
}

fn write_cell(out: &mut impl Write, cell: &str) -> io::Result<()> {
    // Leading whitespace does not stop a spreadsheet from evaluating a formula.
    let formula = cell.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
        || cell.starts_with(['\t', '\r', '\n']);
    let guard = if formula { "'" } else { "" };
    if formula || cell.contains(['"', ',', '\n', '\r', ';', '\t']) {
        write!(out, "\"{guard}{}\"", cell.replace('"', "\"\""))
    } else {
        out.write_all(cell.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_formulas_escaped() {
        for (cell, expected) in [
            ("plain", "plain"),
            ("", ""),
            ("a,b", "\"a,b\""),
            ("say \"yes\"", "\"say \"\"yes\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            ("=1+1", "\"'=1+1\""),
            ("+1", "\"'+1\""),
            ("-rf", "\"'-rf\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("\t=1", "\"'\t=1\""),
            ("  =1", "\"'  =1\""),
            ("＝1", "\"'＝1\""),
            ("a=1", "a=1"),
        ] {
            let mut out = Vec::new();
            write_cell(&mut out, cell).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{cell:?}");
        }
    }
}
