//! Past calls as they were judged.

use sekisho_gate::ledger::PastCall;
use sekisho_gate::record::RecordKind;
use sekisho_policy::Call;
use tokio_postgres::Row;

use super::connection::PgConnection;
use super::nul_escape::unescape_nul;
use crate::encoding::saturating_column;
use crate::past_calls::{PastCallRow, claimed, newest};
use crate::transaction_error::TransactionResult;

/// The newest entries of a kind about calls whose input is still stored. Reads the audit log in its own
/// order, newest first.
const OF_KIND: &str = "SELECT l.at, l.writer, l.seq, l.decision, l.body, l.approval, c.id, c.input, c.facts, c.tool, \
    c.server, c.agent, c.credential, c.workspace, c.conversation, c.run_id, c.call_id, c.cwd, a.asked \
    FROM audit_log l JOIN calls c ON c.id = l.call LEFT JOIN approvals a ON a.id = l.approval \
    WHERE l.kind = $1 AND c.input IS NOT NULL ORDER BY l.at DESC, l.writer DESC, l.seq DESC LIMIT $2";

/// The newest calls whose input is still stored, newest first.
pub(crate) async fn newest_judged(db: &PgConnection<'_>, limit: usize) -> TransactionResult<Vec<PastCall>> {
    let mut rows = Vec::new();
    for kind in [RecordKind::Verdict, RecordKind::Question] {
        let found = db.rows(OF_KIND, &[&kind.name(), &saturating_column(limit)]).await?;
        for row in &found {
            rows.push(read(row)?);
        }
    }
    newest(rows, limit)
}

fn read(row: &Row) -> TransactionResult<PastCallRow> {
    let text = |name: &str| row.try_get::<_, Option<String>>(name).map(|text| text.map(unescape_nul));
    let call = Call {
        tool: unescape_nul(row.try_get("tool")?),
        server: claimed(text("server")?),
        agent: claimed(text("agent")?),
        workspace: text("workspace")?,
        conversation: text("conversation")?,
        run_id: text("run_id")?,
        call_id: text("call_id")?,
        cwd: text("cwd")?,
        ..Call::default()
    };
    Ok(PastCallRow {
        place: (row.try_get("at")?, row.try_get("writer")?, row.try_get("seq")?),
        decision: row.try_get("decision")?,
        body: row.try_get("body")?,
        call_id: row.try_get("id")?,
        call,
        input: row.try_get("input")?,
        facts: row.try_get("facts")?,
        credential: unescape_nul(row.try_get("credential")?),
        approval: row.try_get("approval")?,
        asked: row.try_get("asked")?,
    })
}
