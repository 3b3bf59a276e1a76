//! A Markdown table.

/// Short rows are padded to at most this many columns.
const MAX_FILLED: usize = 64;
/// The most rows that are filled up. Others may be shorter than the head.
const MAX_FILLED_ROWS: usize = 1000;

/// The memory of a cell besides its text, and of a row besides its cells.
const CELL: usize = size_of::<String>();

/// The rows of a table that is being read.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
    bytes: usize,
}

impl Table {
    /// The approximate size in bytes so far.
    pub(super) fn len(&self) -> usize {
        self.bytes
    }

    pub(super) fn begin_row(&mut self) {
        self.bytes += CELL;
        self.rows.push(Vec::new());
    }

    /// Adds a cell, and an empty one for each further column that it spans.
    pub(super) fn cell(&mut self, text: String, columns: usize) {
        if self.rows.is_empty() {
            self.begin_row();
        }
        let Some(row) = self.rows.last_mut() else { return };
        self.bytes += text.len() + CELL;
        row.push(text);
        let covered = columns.clamp(1, MAX_FILLED) - 1;
        let covered = covered.min(MAX_FILLED.saturating_sub(row.len()));
        self.bytes += covered * CELL;
        row.extend(std::iter::repeat_n(String::new(), covered));
    }

    /// The lines of the table. The first row is the head, because Markdown needs one.
    pub(super) fn lines(self) -> Vec<String> {
        let mut rows = self.rows;
        rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0).min(MAX_FILLED);
        let mut lines = Vec::with_capacity(rows.len() + 1);
        for row in rows {
            let is_filled = lines.len() < MAX_FILLED_ROWS;
            let missing = if is_filled { columns.saturating_sub(row.len()) } else { 0 };
            let mut line = String::from("|");
            for cell in row.iter().map(String::as_str).chain(std::iter::repeat_n("", missing)) {
                line.push(' ');
                line.push_str(cell);
                line.push_str(if cell.is_empty() { "|" } else { " |" });
            }
            lines.push(line);
            if lines.len() == 1 {
                lines.push(format!("|{}", " --- |".repeat(columns)));
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_rows_of_long_tables_are_not_filled() {
        let mut table = Table::default();
        table.cell("wide".into(), 64);
        for _ in 0..50_000 {
            table.begin_row();
            table.cell("x".into(), 1);
        }
        assert!(table.len() > 50_000 * 2 * CELL);
        let lines = table.lines();
        assert_eq!(lines.get(2).map(String::len), Some("| x |".len() + 63 * 2));
        assert_eq!(lines.last().map(String::as_str), Some("| x |"));
        assert!(lines.iter().map(String::len).sum::<usize>() < 500_000);
    }
}
