//! How things stand, as text: whole for people, and for an agent what it sees of its own.

use std::sync::Arc;

use sekisho_gate::answer::Role;
use sekisho_gate::ledger;

use super::frame::Frame;
use crate::auth::Identity;
use crate::wire::approval::{OwnQuestion, Question};

const NAME: &str = "snapshot";
/// After so many questions others get a turn: ten thousand are a tenth of a second's work.
const TURN: usize = 128;

/// How things stand.
pub(crate) struct Snapshot {
    /// The last event it reflects.
    pub(crate) seq: u64,
    whole: Arc<Frame>,
    /// Whose question it is, and what its asker sees of it.
    own: Vec<(Box<str>, Box<str>)>,
}

impl Snapshot {
    pub(crate) async fn of(read: &ledger::Snapshot) -> Snapshot {
        let mut text = head(read.seq);
        let mut own = Vec::with_capacity(read.pending.len());
        for (count, approval) in read.pending.iter().enumerate() {
            if count % TURN == TURN - 1 {
                tokio::task::yield_now().await;
            }
            let whole = serde_json::to_string(&Question::from(approval));
            match (whole, serde_json::to_string(&OwnQuestion::from(approval))) {
                (Ok(whole), Ok(less)) => {
                    add(&mut text, &whole);
                    own.push((approval.asked.asker.credential.as_str().into(), less.into()));
                }
                (Err(error), _) | (_, Err(error)) => {
                    tracing::error!(%error, id = %approval.id, "a question cannot be told")
                }
            }
        }
        Snapshot { seq: read.seq, whole: made(read.seq, text), own }
    }

    /// What somebody is told of it: an agent its own questions only.
    pub(crate) fn for_whom(&self, who: &Identity) -> Arc<Frame> {
        if who.role > Role::Agent {
            return Arc::clone(&self.whole);
        }
        let mut text = head(self.seq);
        for (_, question) in self.own.iter().filter(|(owner, _)| who.hears_of(owner)) {
            add(&mut text, question);
        }
        made(self.seq, text)
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

fn made(seq: u64, mut text: String) -> Arc<Frame> {
    text.push_str("]}}");
    Arc::new(Frame::made(seq, NAME, text))
}
