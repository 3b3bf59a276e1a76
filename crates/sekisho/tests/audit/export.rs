//! Exporting the audit log.

use sekisho_gate::audit::{ChainRow, Verifier};
use snapbox::{assert_data_eq, file};

use super::audit_fixture::{AuditFixture, keys};

#[test]
fn json_lines_are_complete() {
    let fixture = AuditFixture::new();
    let exported = fixture.out(&["audit", "export"]);
    let mut rows: Vec<ChainRow> = exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.is_sorted_by_key(|row| row.at_us), "oldest first");
    rows.sort_by_key(|row| (row.writer, row.seq));
    let keys = keys();
    let mut verifier = Verifier::new(&keys, Vec::new(), &[]).unwrap();
    rows.iter().for_each(|row| verifier.row(row).unwrap());
    assert_eq!(verifier.finish().unwrap().rows, 10, "an export verifies like the audit log itself");
}

#[test]
fn csv_is_quoted_and_formulas_are_harmless() {
    let fixture = AuditFixture::new();
    let csv = fixture.out(&["audit", "export", "--format", "csv", "--decision", "deny"]);
    assert_data_eq!(csv, file!["snapshots/export.csv"]);
}

#[test]
fn part_of_the_log_can_be_exported() {
    let fixture = AuditFixture::new();
    let count = |arguments: &[&str]| fixture.out(&[&["audit", "export"], arguments].concat()).lines().count();
    assert_eq!(count(&["--kind", "verdict"]), 4);
    assert_eq!(count(&["--format", "csv", "--to", "2026-11-03T09:00:00Z"]), 3);
    assert_eq!(count(&["--text", "force"]), 1);
}
