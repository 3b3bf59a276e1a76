//! Plain tables for a terminal.

use std::time::Duration;

/// A table with a heading.
pub struct Table {
    title: String,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns.
    pub fn new(title: impl Into<String>, columns: impl IntoIterator<Item = String>) -> Table {
        Table { title: title.into(), rows: vec![columns.into_iter().collect()] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Prints it: the first column left-aligned, the others right-aligned.
    pub fn print(&self) {
        println!("\n{}", self.title);
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &self.rows {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| match column {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            println!("  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
        }
    }
}

/// A number with thousands separators.
pub fn format_number(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A duration in a suitable unit.
pub fn format_duration(time: Duration) -> String {
    let ns = time.as_nanos() as f64;
    match ns {
        _ if ns < 1e4 => format!("{ns:.0} ns"),
        _ if ns < 1e7 => format!("{:.0} us", ns / 1e3),
        _ if ns < 1e10 => format!("{:.0} ms", ns / 1e6),
        _ => format!("{:.1} s", ns / 1e9),
    }
}
