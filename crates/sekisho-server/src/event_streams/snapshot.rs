//! Snapshots, serialized for a stream: all approvals for people, an agent's own for an agent.

use std::collections::HashMap;
use std::sync::Arc;

use sekisho_gate::answer::Role;
use sekisho_gate::ledger;

use super::frame::Frame;
use crate::auth::Identity;
use crate::wire::approval::{ApprovalView, OwnApprovalView};

const NAME: &str = "snapshot";
/// Yields to other tasks after this many approvals: ten thousand are a tenth of a second's work.
const TURN: usize = 128;

/// A snapshot as text.
pub(crate) struct SnapshotFrames {
    /// The last event it includes.
    pub(crate) seq: u64,
    pub(super) whole: Arc<Frame>,
    /// The text for each credential that has approvals, shared by all its streams.
    own: HashMap<String, Arc<Frame>>,
    /// The text for everyone else.
    empty: Arc<Frame>,
}

impl SnapshotFrames {
    pub(crate) async fn of(read: &ledger::Snapshot) -> SnapshotFrames {
        let mut text = head(read.seq);
        let mut own: HashMap<String, String> = HashMap::new();
        for (count, approval) in read.pending.iter().enumerate() {
            if count % TURN == TURN - 1 {
                tokio::task::yield_now().await;
            }
            let whole = serde_json::to_string(&ApprovalView::from(approval));
            match (whole, serde_json::to_string(&OwnApprovalView::from(approval))) {
                (Ok(whole), Ok(less)) => {
                    add(&mut text, &whole);
                    let owner = approval.asked.asker.credential.clone();
                    add(own.entry(owner).or_insert_with(|| head(read.seq)), &less);
                }
                (Err(error), _) | (_, Err(error)) => {
                    tracing::error!(%error, id = %approval.id, "cannot write an approval")
                }
            }
        }
        let finish = |text| finish(read.seq, text);
        let own = own.into_iter().map(|(owner, text)| (owner, finish(text))).collect();
        SnapshotFrames { seq: read.seq, whole: finish(text), own, empty: finish(head(read.seq)) }
    }

    /// The text for a subscriber: an agent sees only its own approvals.
    pub(crate) fn frame_for(&self, who: &Identity) -> Arc<Frame> {
        if who.role > Role::Agent {
            return Arc::clone(&self.whole);
        }
        let own = self.own.get(&who.credential).filter(|_| who.may_hear_of(&who.credential));
        Arc::clone(own.unwrap_or(&self.empty))
    }
}

fn head(seq: u64) -> String {
    format!(r#"{}{{"seq":{seq},"approvals":["#, Frame::head(NAME))
}

fn add(text: &mut String, question: &str) {
    if !text.ends_with('[') {
        text.push(',');
    }
    text.push_str(question);
}

fn finish(seq: u64, mut text: String) -> Arc<Frame> {
    text.push_str("]}}");
    Arc::new(Frame::from_text(seq, NAME, text))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;
    use sekisho_gate::answer::Role;
    use sekisho_gate::caller::Caller;
    use sekisho_gate::ledger;
    use sekisho_gate::token_store::{Token, TokenKind};
    use sekisho_testkit::{block_on, fixtures};

    use super::SnapshotFrames;
    use crate::auth::{Identity, Peer, TokenSecret};
    use crate::memory_budget::MemoryBudget;

    fn agent() -> Identity {
        let at = Timestamp::UNIX_EPOCH;
        let secret = TokenSecret::make(at).unwrap();
        let token = Token {
            id: secret.id,
            name: "agent".into(),
            role: Role::Agent,
            kind: TokenKind::Api,
            hash: secret.hash(),
            agent: None,
            vouches_for_server: false,
            roots: Vec::new(),
            created_at: at,
            created_by: "a test".into(),
            expires_at: None,
            revoked_at: None,
            last_used_at: None,
        };
        Identity::of_token(token, "api", Peer::Unix(0))
    }

    #[test]
    fn streams_of_one_agent_share_a_text() {
        let (one, other) = (agent(), agent());
        let mut call = fixtures::call("c");
        call.input = serde_json::json!({ "text": "x".repeat(100_000) });
        let question = fixtures::pending_approval(
            call,
            Caller::remote(one.credential.clone()),
            Timestamp::UNIX_EPOCH,
            None,
        );
        let read = ledger::Snapshot { seq: 7, pending: vec![question] };
        let snapshot = block_on(SnapshotFrames::of(&read));
        let frame = snapshot.frame_for(&one);
        assert!(Arc::ptr_eq(&frame, &snapshot.frame_for(&one)));
        assert!(frame.text().len() > 100_000);
        assert_eq!(
            &snapshot.frame_for(&other).text()[..],
            br#"{"type":"snapshot","data":{"seq":7,"approvals":[]},"seq":7}"#
        );
        // It uses the budget once, and without memory it is not sent.
        let (small, budget) = (MemoryBudget::new(400_000), MemoryBudget::new(600_000));
        assert!(!frame.reserve(|| small.reservation_for("a")));
        assert!(
            frame.reserve(|| budget.reservation_for("a")) && frame.reserve(|| budget.reservation_for("a"))
        );
        assert!(!budget.reservation_for("a").try_grow(100_000));
        drop((frame, snapshot));
        assert!(budget.reservation_for("a").try_grow(100_000));
    }
}
