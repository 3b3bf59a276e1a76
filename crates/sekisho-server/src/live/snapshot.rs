//! How things stand, as text: whole for people, and cut out of it for an agent.

use std::ops::Range;
use std::sync::Arc;

use sekisho_gate::answer::Role;
use sekisho_gate::ledger;

use super::frame::Frame;
use crate::auth::Identity;
use crate::wire::approval::Question;

const NAME: &str = "snapshot";
/// After so many questions others get a turn: ten thousand are a tenth of a second's work.
const TURN: usize = 128;

/// How things stand.
pub(crate) struct Snapshot {
    /// The last event it reflects.
    pub(crate) seq: u64,
    whole: Arc<Frame>,
    /// Whose question is where in the text.
    questions: Vec<(Box<str>, Range<usize>)>,
}

impl Snapshot {
    pub(crate) async fn of(read: &ledger::Snapshot) -> Snapshot {
        let mut text = head(read.seq);
        let mut questions = Vec::with_capacity(read.pending.len());
        for (count, approval) in read.pending.iter().enumerate() {
            if count % TURN == TURN - 1 {
                tokio::task::yield_now().await;
            }
            match serde_json::to_string(&Question::from(approval)) {
                Ok(question) => {
                    let place = add(&mut text, &question);
                    questions.push((approval.asked.asker.credential.as_str().into(), place));
                }
                Err(error) => tracing::error!(%error, id = %approval.id, "a question cannot be told"),
            }
        }
        Snapshot { seq: read.seq, whole: made(read.seq, text), questions }
    }

    /// What somebody is told of it: an agent its own questions only.
    pub(crate) fn for_whom(&self, who: &Identity) -> Arc<Frame> {
        if who.role > Role::Agent {
            return Arc::clone(&self.whole);
        }
        let mut text = head(self.seq);
        for (_, place) in self.questions.iter().filter(|(owner, _)| who.hears_of(owner)) {
            let question = self.whole.text().get(place.clone()).unwrap_or_default();
            // It was cut where it was put together, so it is whole text.
            add(&mut text, std::str::from_utf8(question).unwrap_or("null"));
        }
        made(self.seq, text)
    }
}

fn head(seq: u64) -> String {
    format!(r#"{}{{"seq":{seq},"approvals":["#, Frame::head(NAME))
}

fn add(text: &mut String, question: &str) -> Range<usize> {
    if !text.ends_with('[') {
        text.push(',');
    }
    let start = text.len();
    text.push_str(question);
    start..text.len()
}

fn made(seq: u64, mut text: String) -> Arc<Frame> {
    text.push_str("]}}");
    Arc::new(Frame::made(seq, NAME, text))
}
