//! Approvals and answers on the wire.

use jiff::Timestamp;
use schemars::JsonSchema;
use sekisho_gate::answer::{Actor, Answer, Behavior, RememberChoice, Role, RuleScope};
use sekisho_gate::answer_handler::AnswerOutcome;
use sekisho_gate::approval::{Approval, ApprovalRequest, ApprovalState};
use sekisho_gate::display::CallView;
use sekisho_gate::proposals::{AlsoAllowed, Proposal};
use sekisho_gate::refusal::{Refusal, RefusalCode};
use sekisho_gate::{ApprovalId, Digest};
use sekisho_policy::{OnTimeout, SourcedDescriptor, Verdict, say, strict_deserializer};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::rule::RuleFields;
use crate::error::ApiError;

/// A question put to humans, and its outcome.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Question")]
pub struct ApprovalView {
    /// Its id.
    pub id: ApprovalId,
    /// Its current state.
    pub state: ApprovalStatus,
    /// The tool's name.
    pub tool_name: String,
    /// The tool's input, as the agent wrote it.
    pub input: Value,
    /// The MCP server the tool belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_id: Option<String>,
    /// The label of the workspace; null if the caller named none. Old clients rely on the key being present.
    pub workspace_id: Option<String>,
    /// The conversation; null if the caller named none.
    pub conversation_id: Option<String>,
    /// The run the call belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The agent's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// For a sub-agent: the names of the agents, from the one that was started down to the one that asks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agent_chain: Vec<String>,
    /// The call's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// The directory the call would run in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What the tool does, and who described it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptor: Option<SourcedDescriptor>,
    /// The workspace root the call belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The credential that asked.
    pub asked_by: String,
    /// The name of the token that asked, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by_name: Option<String>,
    /// The digest that an answer must match.
    pub digest: Digest,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When it expires; absent if it does not expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// What happens if nobody answers in time.
    pub on_timeout: OnTimeout,
    /// The call as people see it.
    pub shown: CallView,
    /// The rules that remembering would store, narrowest first.
    pub proposals: Vec<ProposalBody>,
    /// The verdict that led to the question. If it has more than 2000 parts, only the gravest are listed; its
    /// decision, reasons and danger are those of the whole.
    pub verdict: Verdict,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ApprovalOutcome>,
}

/// An approval as the agent that asked sees it: what the agent sent, and the outcome. Information that was
/// looked up for people, such as file contents, is left out.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "OwnQuestion")]
pub struct OwnApprovalView {
    /// Its id.
    pub id: ApprovalId,
    /// Its current state.
    pub state: ApprovalStatus,
    /// The tool's name.
    pub tool_name: String,
    /// The tool's input, as it was asked.
    pub input: Value,
    /// The label of the workspace.
    pub workspace_id: Option<String>,
    /// The conversation.
    pub conversation_id: Option<String>,
    /// The call's own id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// The digest that an answer must match.
    pub digest: Digest,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When it expires; absent if it does not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ApprovalOutcome>,
}

impl From<&Approval> for OwnApprovalView {
    fn from(approval: &Approval) -> OwnApprovalView {
        let asked = &approval.asked;
        OwnApprovalView {
            id: approval.id,
            state: (&approval.fate.state).into(),
            tool_name: asked.call.tool.clone(),
            input: asked.call.input.clone(),
            workspace_id: asked.call.workspace.clone(),
            conversation_id: asked.call.conversation.clone(),
            tool_use_id: asked.call.call_id.clone(),
            digest: asked.digest,
            asked_at: asked.at,
            expires_at: approval.fate.deadline,
            outcome: outcome(approval),
        }
    }
}

/// An approval, as far as the reader may see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "SeenQuestion")]
pub enum ApprovalByRole {
    /// For people: all of it.
    Whole(Box<ApprovalView>),
    /// For the agent that asked.
    Own(Box<OwnApprovalView>),
}

impl ApprovalByRole {
    /// The part of an approval that a role may see.
    pub(crate) fn for_role(role: Role, approval: &Approval) -> ApprovalByRole {
        match role {
            Role::Agent => ApprovalByRole::Own(Box::new(approval.into())),
            Role::Viewer | Role::Approver | Role::Admin => ApprovalByRole::Whole(Box::new(approval.into())),
        }
    }
}

/// Rules that would decide equal calls from now on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Proposal")]
pub struct ProposalBody {
    /// The rules; a compound command needs one for each part.
    pub rules: Vec<RuleFields>,
    /// What else they would allow, in plain words.
    pub also: String,
    /// The same as codes; empty in approvals stored before codes existed.
    #[serde(default, rename = "alsoCodes", skip_serializing_if = "Vec::is_empty")]
    pub also_codes: Vec<AlsoAllowed>,
}

impl From<&Proposal> for ProposalBody {
    fn from(proposal: &Proposal) -> ProposalBody {
        ProposalBody {
            rules: proposal.rules.iter().map(RuleFields::from).collect(),
            also: proposal.also.clone(),
            also_codes: proposal.also_codes.clone(),
        }
    }
}

/// The state of an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "QuestionState")]
pub enum ApprovalStatus {
    /// Nobody has answered yet.
    Pending,
    /// A human approved it.
    Approved,
    /// A human denied it.
    Denied,
    /// Nobody answered in time.
    Expired,
    /// The caller went away, or the question was withdrawn.
    Aborted,
}

impl ApprovalStatus {
    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            ApprovalStatus::Pending => "pending",
            ApprovalStatus::Approved => "approved",
            ApprovalStatus::Denied => "denied",
            ApprovalStatus::Expired => "expired",
            ApprovalStatus::Aborted => "aborted",
        }
    }
}

impl From<&ApprovalState> for ApprovalStatus {
    fn from(state: &ApprovalState) -> ApprovalStatus {
        match state {
            ApprovalState::Pending => ApprovalStatus::Pending,
            ApprovalState::Approved(_) => ApprovalStatus::Approved,
            ApprovalState::Denied(_) => ApprovalStatus::Denied,
            ApprovalState::Expired { .. } => ApprovalStatus::Expired,
            ApprovalState::Aborted { .. } => ApprovalStatus::Aborted,
        }
    }
}

/// How an approval ended.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "QuestionOutcome")]
pub struct ApprovalOutcome {
    /// When it ended.
    pub at: Timestamp,
    /// Who or what ended it, for people.
    pub by: String,
    /// The channel of the answer: `web`, `terminal`, `api`, …; absent if no person answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how: Option<String>,
    /// The reason, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The kind of refusal, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<RefusalCode>,
    /// Details of the refusal: the words of the person who withdrew the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The input that replaced the requested one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<Value>,
    /// Whether the run was to stop as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupt: bool,
    /// Whether the caller has received the answer.
    pub taken: bool,
}

fn agent_chain(asked: &ApprovalRequest) -> Vec<String> {
    let above = &asked.around.chain;
    let own = asked.call.agent.as_ref().filter(|_| !above.is_empty()).map(|agent| agent.id.clone());
    above.iter().map(|link| link.agent.clone()).chain(own).collect()
}

impl From<&Approval> for ApprovalView {
    fn from(approval: &Approval) -> ApprovalView {
        let asked = &approval.asked;
        let call = &asked.call;
        ApprovalView {
            id: approval.id,
            state: (&approval.fate.state).into(),
            tool_name: call.tool.clone(),
            input: call.input.clone(),
            server_id: call.server.as_ref().map(|server| server.id.clone()),
            workspace_id: call.workspace.clone(),
            conversation_id: call.conversation.clone(),
            run_id: call.run_id.clone(),
            agent_id: call.agent.as_ref().map(|agent| agent.id.clone()),
            agent_chain: agent_chain(asked),
            tool_use_id: call.call_id.clone(),
            cwd: call.cwd.clone(),
            descriptor: call.descriptor.as_deref().cloned(),
            root: asked.around.root.clone(),
            asked_by: asked.asker.credential.clone(),
            asked_by_name: asked.asker.name.clone(),
            digest: asked.digest,
            asked_at: asked.at,
            expires_at: approval.fate.deadline,
            on_timeout: if approval.fate.deadline.is_some() { OnTimeout::Deny } else { OnTimeout::Park },
            shown: asked.shown.clone(),
            proposals: asked.proposals.iter().map(ProposalBody::from).collect(),
            verdict: asked.verdict.clone(),
            outcome: outcome(approval),
        }
    }
}

/// How an approval ended; `None` while it is open.
pub fn outcome(approval: &Approval) -> Option<ApprovalOutcome> {
    let taken = approval.fate.claimed.is_some();
    let (code, detail) = match Refusal::from_approval(approval) {
        Some(refusal) => (Some(refusal.code), refusal.detail),
        None => (None, None),
    };
    let nobody = |at: &Timestamp, by: &str, message: Option<String>| ApprovalOutcome {
        at: *at,
        by: by.into(),
        how: None,
        message,
        code,
        detail: detail.clone(),
        updated_input: None,
        interrupt: false,
        taken,
    };
    match &approval.fate.state {
        ApprovalState::Pending => None,
        ApprovalState::Expired { at } => {
            Some(nobody(at, "time", Some(say("nobody answered in time").into_owned())))
        }
        ApprovalState::Aborted { at, why } => Some(nobody(at, "asker", Some(why.to_string()))),
        ApprovalState::Approved(answered) | ApprovalState::Denied(answered) => Some(ApprovalOutcome {
            at: answered.at,
            by: answered.by.to_string(),
            how: match &answered.by {
                Actor::Person(person) => Some(person.how.clone()),
                Actor::Rule(_) => None,
            },
            message: answered.answer.reason.clone(),
            code,
            detail: None,
            updated_input: answered.answer.updated_input.clone(),
            interrupt: answered.answer.interrupt,
            taken,
        }),
    }
}

/// An answer to an approval.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerBody {
    /// Allow or deny.
    pub behavior: Behavior,
    /// The reason; the model reads it.
    #[serde(default)]
    #[schemars(length(max = 8192))]
    pub message: Option<String>,
    /// Another input to run instead: a full replacement, judged again.
    #[serde(default)]
    pub updated_input: Option<Value>,
    /// Whether to stop the run as well.
    #[serde(default)]
    pub interrupt: bool,
    /// Rules to store: `true` means the narrowest proposal, for the project.
    #[serde(default)]
    pub remember: Option<RememberBody>,
    /// The digest of the call that was shown. An answer with a different digest is rejected.
    #[serde(default)]
    pub digest: Option<Digest>,
}

/// What to remember.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum RememberBody {
    /// `true`: the narrowest proposal, for the project; `false`: nothing.
    Plain(bool),
    /// Chosen rules and their scope.
    Rules(RememberRules),
}

impl<'de> Deserialize<'de> for RememberBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RememberBody, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Bool(plain) => Ok(RememberBody::Plain(plain)),
            rules @ Value::Object(_) => {
                strict_deserializer::read(rules).map(RememberBody::Rules).map_err(D::Error::custom)
            }
            _ => Err(D::Error::custom("expected `true`, `false` or an object")),
        }
    }
}

/// Which rules to remember, and where.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RememberRules {
    /// Where they apply.
    pub scope: RuleScope,
    /// The rules, as proposed or as edited. Empty: the narrowest proposal.
    #[serde(default)]
    pub rules: Vec<RuleFields>,
}

impl AnswerBody {
    /// Checks the rules and builds the answer.
    pub(crate) fn answer(self) -> Result<Answer, ApiError> {
        let body = self;
        let effect = body.behavior.effect();
        let remember = match body.remember {
            None | Some(RememberBody::Plain(false)) => None,
            Some(RememberBody::Plain(true)) => {
                Some(RememberChoice { scope: RuleScope::Project, rules: Vec::new() })
            }
            Some(RememberBody::Rules(RememberRules { scope, rules })) => {
                let rules = rules.into_iter().map(|fields| fields.rule(effect));
                Some(RememberChoice { scope, rules: rules.collect::<Result<_, _>>()? })
            }
        };
        Ok(Answer {
            behavior: body.behavior,
            reason: body.message,
            updated_input: body.updated_input,
            interrupt: body.interrupt,
            remember,
            digest: body.digest,
        })
    }
}

/// The result of an answer.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AnswerTaken")]
pub struct AnswerResponse {
    /// The approval as it is now.
    pub approval: ApprovalView,
    /// Whether the same answer had been given before.
    pub again: bool,
    /// What was remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remembered: Option<RememberedBody>,
}

/// What was remembered, or why not. The answer stands either way.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RememberedBody {
    /// Where the rules apply, which may differ from the requested scope. Absent if nothing was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<RuleScope>,
    /// The rules as they were stored.
    pub rules: Vec<RuleFields>,
    /// Why the rules apply to the session only, or why nothing was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The changes in a project file that was not written, because it differs from the file a human trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

impl From<AnswerOutcome> for AnswerResponse {
    fn from(given: AnswerOutcome) -> AnswerResponse {
        let remembered = given.remembered.map(|remembered| match remembered {
            Ok(remembered) => RememberedBody {
                scope: Some(remembered.scope),
                rules: remembered.rules.iter().map(RuleFields::from).collect(),
                message: remembered.untrusted_file.as_ref().map(|moved| {
                    format!(
                        "`{}` is not the file that was trusted, so the rules apply to this session only",
                        moved.path
                    )
                }),
                diff: remembered.untrusted_file.map(|moved| moved.diff),
            },
            Err(why) => RememberedBody { scope: None, rules: Vec::new(), message: Some(why), diff: None },
        });
        AnswerResponse { approval: (&given.approval).into(), again: given.duplicate, remembered }
    }
}
