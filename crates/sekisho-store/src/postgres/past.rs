//! Calls as they were judged.

use sekisho_gate::ledger::Past;
use sekisho_gate::record::Kind;
use sekisho_policy::Call;
use tokio_postgres::Row;

use super::db::Db;
use super::text::given;
use crate::encoding::bounded;
use crate::fault::Scripted;
use crate::past::{PastRow, claimed, newest};

/// The newest lines of a kind about calls whose input is still there. Goes along the log, whose order is the answer's.
const OF_KIND: &str = "SELECT l.at, l.writer, l.seq, l.decision, l.body, l.approval, c.id, c.input, c.facts, c.tool, \
    c.server, c.agent, c.credential, c.workspace, c.conversation, c.run_id, c.call_id, c.cwd, a.asked \
    FROM audit_log l JOIN calls c ON c.id = l.call LEFT JOIN approvals a ON a.id = l.approval \
    WHERE l.kind = $1 AND c.input IS NOT NULL ORDER BY l.at DESC, l.writer DESC, l.seq DESC LIMIT $2";

/// The newest calls whose input is still there, newest first.
pub(crate) async fn newest_judged(db: &Db<'_>, limit: usize) -> Scripted<Vec<Past>> {
    let mut rows = Vec::new();
    for kind in [Kind::Verdict, Kind::Question] {
        let found = db.rows(OF_KIND, &[&kind.name(), &bounded(limit)]).await?;
        for row in &found {
            rows.push(read(row)?);
        }
    }
    newest(rows, limit)
}

fn read(row: &Row) -> Scripted<PastRow> {
    let text = |name: &str| row.try_get::<_, Option<String>>(name).map(|text| text.map(given));
    let call = Call {
        tool: given(row.try_get("tool")?),
        server: claimed(text("server")?),
        agent: claimed(text("agent")?),
        workspace: text("workspace")?,
        conversation: text("conversation")?,
        run_id: text("run_id")?,
        call_id: text("call_id")?,
        cwd: text("cwd")?,
        ..Call::default()
    };
    Ok(PastRow {
        place: (row.try_get("at")?, row.try_get("writer")?, row.try_get("seq")?),
        decision: row.try_get("decision")?,
        body: row.try_get("body")?,
        call_id: row.try_get("id")?,
        call,
        input: row.try_get("input")?,
        facts: row.try_get("facts")?,
        credential: given(row.try_get("credential")?),
        approval: row.try_get("approval")?,
        asked: row.try_get("asked")?,
    })
}
