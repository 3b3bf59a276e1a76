//! The question about a call: made, stored before anyone is told, and waited for.

use std::sync::Arc;

use sekisho_policy::tools::ToolKind;
use sekisho_policy::{CallTool, Digest, OnTimeout};
use serde_json::Value;

use crate::access::WriteAccess;
use crate::approval::{Approval, Asked, Fate};
use crate::ask::{Ask, Patience};
use crate::display;
use crate::gate::{Inner, Judged, Long, is_heavy};
use crate::ids::{ApprovalId, CallId};
use crate::input_schema::InputSchema;
use crate::ledger::{Opened, Opening, Spent};
use crate::proposals::propose;
use crate::record;
use crate::refusal::{Refusal, RefusalCode};
use crate::turns;
use crate::waiting::{Waiter, Woken};

/// How a question was put.
pub(crate) enum Put {
    /// It is open.
    Open(ApprovalId, Waiter),
    /// It was put before and has ended.
    Ended(ApprovalId),
    /// The durable key of its call was spent.
    Spent(Spent),
}

impl Inner {
    /// Puts the question, stored before anyone is told.
    pub(crate) async fn put(&self, ask: &Ask, digest: Digest, judged: Box<Judged>) -> Result<Put, Refusal> {
        let generation = judged.generation;
        // What it would do to a file is shown as a difference, whatever the size of the file.
        let writes = CallTool::of(&ask.call).is_some_and(|tool| tool.kind() == ToolKind::Write);
        let turn = self.turn(Long::of(is_heavy(&ask.call.input), writes), &ask.asker).await?;
        let (approval, record, room) = turns::work(turn.as_ref(), || {
            let approval = self.question(ask, digest, *judged);
            let record = record::opened(&approval);
            // Weighing a large question takes a moment too.
            let room = ask.room.as_ref().map(|room| room.take(&approval)).transpose();
            (approval, record, room)
        });
        drop(turn);
        let room = room.map_err(|why| Refusal { reason: why, ..Refusal::of(RefusalCode::NoRoom) })?;
        let (new, deadline) = (approval.id, approval.fate.deadline);
        // Waiting begins before the question is stored: who goes away in the middle has left all the same.
        let mut waiter = self.waiting.wait(new, deadline, self.left.clone());
        let opening = Opening { approval, replica: self.replica, schema: ask.schema.clone(), record };
        let id =
            match self.ports.ledger.open(&WriteAccess::GATE, opening).await.map_err(Refusal::not_recorded)? {
                Opened::New => {
                    if let Some(room) = room {
                        room.keep();
                    }
                    new
                }
                Opened::Answered(approval) => return Ok(Put::Ended(approval.id)),
                Opened::Conflict(_) => return Err(Refusal::of(RefusalCode::OtherInput)),
                Opened::Spent(spent) => return Ok(Put::Spent(spent)),
                Opened::Joined(approval) => {
                    let deadline = approval.fate.deadline;
                    waiter = self.waiting.wait(approval.id, deadline, self.left.clone());
                    // It may have ended before we were in the table.
                    let now = self.ports.ledger.approval(approval.id).await.map_err(Refusal::not_recorded)?;
                    if now.is_none_or(|approval| !approval.is_pending()) {
                        return Ok(Put::Ended(approval.id));
                    }
                    approval.id
                }
            };
        self.alarm.at_latest(deadline);
        if self.ports.rulebook.generation() != generation {
            self.rejudge(id).await.map_err(Refusal::not_recorded)?;
        }
        Ok(Put::Open(id, waiter))
    }

    fn question(&self, ask: &Ask, digest: Digest, judged: Judged) -> Approval {
        let deadline = self.deadline(ask, &judged);
        let shown = display::show(&ask.call, &judged.verdict, &|path| self.file(&ask.around, path));
        let proposals = propose(&judged.policy, &ask.call, &judged.around, &judged.verdict, &shown);
        let asked = Asked {
            call_id: CallId::new(judged.at),
            call: ask.call.clone(),
            digest,
            asker: ask.asker.clone(),
            around: ask.around.clone(),
            verdict: display::bounded(judged.verdict),
            shown,
            proposals,
            schema: ask.schema.as_ref().map(InputSchema::version),
            at: judged.at,
        };
        Approval { id: ApprovalId::new(judged.at), asked: Arc::new(asked), fate: Fate::open(deadline) }
    }

    /// Waits until the question has ended. Hours may pass, and many may wait: a large input or schema is not kept meanwhile,
    /// for the ledger has it.
    pub(crate) async fn wait(&self, ask: &mut Ask, waiter: Waiter) -> Result<(), Refusal> {
        ask.held = None;
        if is_heavy(&ask.call.input) {
            ask.call.input = Value::Null;
        }
        ask.schema = ask.schema.take().filter(|schema| !is_heavy(schema.schema()));
        woken(waiter).await
    }

    /// Reads again what was not kept while waiting: the call is to be judged anew.
    pub(crate) async fn recall(&self, ask: &mut Ask, digest: Digest, id: ApprovalId) -> Result<(), Refusal> {
        let found = self.ports.ledger.approval(id).await.map_err(Refusal::not_recorded)?;
        if let Some(Approval { asked, .. }) = found {
            if ask.call.input.is_null() {
                ask.call.input = asked.call.input.clone();
            }
            if ask.schema.is_none() {
                ask.schema = self.kept_schema(&asked).await?;
            }
        }
        match Digest::of(&ask.call) {
            Ok(again) if again == digest => Ok(()),
            _ => Err(Refusal::with(RefusalCode::NotRecorded, "the input of the call is gone")),
        }
    }

    /// The asking of a question once more: for as long, with the same schema, and a question wherever it is one.
    pub(crate) async fn asked_again(&self, approval: &Approval) -> Result<Ask, Refusal> {
        let asked = &approval.asked;
        let gone = |what: &str| Refusal::with(RefusalCode::NotRecorded, what);
        // An input that was purged is another one.
        if Digest::of(&asked.call).ok() != Some(asked.digest) {
            return Err(gone("the input of the call is gone"));
        }
        let schema = self.kept_schema(asked).await?;
        let patience = match approval.fate.deadline {
            None => Patience { on_timeout: Some(OnTimeout::Park), timeout_s: None },
            Some(deadline) => {
                let seconds = deadline.duration_since(asked.at).as_secs();
                let timeout_s = Some(u32::try_from(seconds).unwrap_or(u32::MAX));
                Patience { on_timeout: Some(OnTimeout::Deny), timeout_s }
            }
        };
        let ask = Ask::new(asked.call.clone(), asked.asker.clone());
        Ok(Ask { around: asked.around.clone(), schema, patience, insists: true, ..ask })
    }

    /// The schema that a question named.
    async fn kept_schema(&self, asked: &Asked) -> Result<Option<InputSchema>, Refusal> {
        let gone = |what: &str| Refusal::with(RefusalCode::NotRecorded, what);
        let Some(version) = asked.schema else { return Ok(None) };
        let kept = self.ports.ledger.input_schema(asked.call.tool.clone(), version).await;
        let kept = kept.map_err(Refusal::not_recorded)?.ok_or_else(|| gone("the tool's schema is gone"))?;
        InputSchema::new(kept).map(Some).map_err(|error| gone(&error.to_string()))
    }
}

/// Waits until a question has ended.
pub(crate) async fn woken(mut waiter: Waiter) -> Result<(), Refusal> {
    match waiter.woken().await {
        Woken::Resolved => Ok(()),
        Woken::NotRecorded(why) => Err(Refusal::not_recorded(why)),
        Woken::Closing => Err(Refusal::of(RefusalCode::Closing)),
    }
}
