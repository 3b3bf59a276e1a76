//! Past calls as they were judged.

use rusqlite::{Connection, Row, params};
use sekisho_gate::ledger::PastCall;
use sekisho_gate::record::RecordKind;
use sekisho_policy::Call;

use crate::encoding::saturating_column;
use crate::past_calls::{PastCallRow, claimed, newest};
use crate::transaction_error::TransactionResult;

/// The newest entries of a kind about calls whose input is still stored. Reads the audit log in its own
/// order, newest first.
const OF_KIND: &str = "SELECT l.at, l.writer, l.seq, l.decision, l.body, l.approval, c.id, c.input, c.facts, c.tool, \
    c.server, c.agent, c.credential, c.workspace, c.conversation, c.run_id, c.call_id, c.cwd, a.asked \
    FROM audit_log l INDEXED BY audit_log_by_kind CROSS JOIN calls c ON c.id = l.call \
    LEFT JOIN approvals a ON a.id = l.approval \
    WHERE l.kind = ?1 AND c.input IS NOT NULL ORDER BY l.at DESC, l.writer DESC, l.seq DESC LIMIT ?2";

/// The newest calls whose input is still stored, newest first.
pub(crate) fn newest_judged(db: &Connection, limit: usize) -> TransactionResult<Vec<PastCall>> {
    let mut rows = Vec::new();
    for kind in [RecordKind::Verdict, RecordKind::Question] {
        let mut statement = db.prepare_cached(OF_KIND)?;
        let most = saturating_column(limit);
        for row in statement.query_map(params![kind.name(), most], read)? {
            rows.push(row?);
        }
    }
    newest(rows, limit)
}

fn read(row: &Row<'_>) -> rusqlite::Result<PastCallRow> {
    let call = Call {
        tool: row.get("tool")?,
        server: claimed(row.get("server")?),
        agent: claimed(row.get("agent")?),
        workspace: row.get("workspace")?,
        conversation: row.get("conversation")?,
        run_id: row.get("run_id")?,
        call_id: row.get("call_id")?,
        cwd: row.get("cwd")?,
        ..Call::default()
    };
    Ok(PastCallRow {
        place: (row.get("at")?, row.get("writer")?, row.get("seq")?),
        decision: row.get("decision")?,
        body: row.get("body")?,
        call_id: row.get("id")?,
        call,
        input: row.get("input")?,
        facts: row.get("facts")?,
        credential: row.get("credential")?,
        approval: row.get("approval")?,
        asked: row.get("asked")?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::query_plan::assert_by_index;
    use super::*;

    #[test]
    fn frequent_statements_use_an_index() {
        assert_by_index(&[(OF_KIND, "audit_log_by_kind")]);
    }
}
