//! Questions and answers on the wire.

use jiff::Timestamp;
use schemars::JsonSchema;
use sekisho_gate::answer::{Answer, Behavior, By, Remember, Role, Scope};
use sekisho_gate::answering::Given;
use sekisho_gate::approval::{Approval, State};
use sekisho_gate::display::Shown;
use sekisho_gate::proposals::{AlsoAllowed, Proposal};
use sekisho_gate::refusal::{Refusal, RefusalCode};
use sekisho_gate::{ApprovalId, Digest};
use sekisho_policy::{Described, OnTimeout, Verdict, say, typed_json};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::rule::RuleFields;
use crate::error::Fault;

/// A question put to humans, and what became of it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// Its id.
    pub id: ApprovalId,
    /// Where it stands.
    pub state: QuestionState,
    /// The tool.
    pub tool_name: String,
    /// The tool's input, as the agent wrote it.
    pub input: Value,
    /// The MCP server the tool belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_id: Option<String>,
    /// The label of the workspace; null where the asker named none. Clients of old count on the key being there.
    pub workspace_id: Option<String>,
    /// The conversation; null where the asker named none.
    pub conversation_id: Option<String>,
    /// The run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The call's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// The directory it would run in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What the tool is said to do, and who says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptor: Option<Described>,
    /// The workspace root it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The credential that asked.
    pub asked_by: String,
    /// What people call that credential: the name of its token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by_name: Option<String>,
    /// What an answer binds to.
    pub digest: Digest,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When it expires; none: it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// What happens when nobody answers.
    pub on_timeout: OnTimeout,
    /// What a person sees.
    pub shown: Shown,
    /// The rules that remembering would write, narrowest first.
    pub proposals: Vec<ProposalBody>,
    /// The verdict that made it a question. Of more than 2000 parts it holds the gravest; what it decides, its reasons and
    /// its danger are those of the whole.
    pub verdict: Verdict,
    /// What became of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

/// A question as its asker sees it: what it said itself, and what became of it. What was looked up for people to see, the
/// contents of files for one, is not for whoever asks.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnQuestion {
    /// Its id.
    pub id: ApprovalId,
    /// Where it stands.
    pub state: QuestionState,
    /// The tool.
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
    /// What an answer binds to.
    pub digest: Digest,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When it expires; none: it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// What became of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

impl From<&Approval> for OwnQuestion {
    fn from(approval: &Approval) -> OwnQuestion {
        let asked = &approval.asked;
        OwnQuestion {
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

/// A question, as far as whoever looks at it may see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SeenQuestion {
    /// By a person.
    Whole(Box<Question>),
    /// By an agent, its own.
    Own(Box<OwnQuestion>),
}

impl SeenQuestion {
    /// What a role sees of it.
    pub(crate) fn by(role: Role, approval: &Approval) -> SeenQuestion {
        match role {
            Role::Agent => SeenQuestion::Own(Box::new(approval.into())),
            Role::Viewer | Role::Approver | Role::Admin => SeenQuestion::Whole(Box::new(approval.into())),
        }
    }
}

/// Rules that would settle the question from now on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Proposal")]
pub struct ProposalBody {
    /// The rules; a compound command needs one for each part.
    pub rules: Vec<RuleFields>,
    /// What they would also allow, in plain words.
    pub also: String,
    /// The same as codes; empty in what was kept before there were codes.
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

/// Where a question stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuestionState {
    /// Nobody has answered.
    Pending,
    /// Yes.
    Approved,
    /// No.
    Denied,
    /// Nobody answered in time.
    Expired,
    /// The asker went away, or it was withdrawn.
    Aborted,
}

impl QuestionState {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            QuestionState::Pending => "pending",
            QuestionState::Approved => "approved",
            QuestionState::Denied => "denied",
            QuestionState::Expired => "expired",
            QuestionState::Aborted => "aborted",
        }
    }
}

impl From<&State> for QuestionState {
    fn from(state: &State) -> QuestionState {
        match state {
            State::Pending => QuestionState::Pending,
            State::Approved(_) => QuestionState::Approved,
            State::Denied(_) => QuestionState::Denied,
            State::Expired { .. } => QuestionState::Expired,
            State::Aborted { .. } => QuestionState::Aborted,
        }
    }
}

/// How a question ended.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "QuestionOutcome")]
pub struct Outcome {
    /// When.
    pub at: Timestamp,
    /// Who or what ended it, as people read it.
    pub by: String,
    /// The way the answer came: `web`, `terminal`, `api`, …; none where no person answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how: Option<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Which kind of refusal it is, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<RefusalCode>,
    /// What is special about the refusal: the words of whoever called the question off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The input that was put in the place of the asked one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<Value>,
    /// The run was to stop as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupt: bool,
    /// Its asker has taken the answer.
    pub taken: bool,
}

impl From<&Approval> for Question {
    fn from(approval: &Approval) -> Question {
        let asked = &approval.asked;
        let call = &asked.call;
        Question {
            id: approval.id,
            state: (&approval.fate.state).into(),
            tool_name: call.tool.clone(),
            input: call.input.clone(),
            server_id: call.server.as_ref().map(|server| server.id.clone()),
            workspace_id: call.workspace.clone(),
            conversation_id: call.conversation.clone(),
            run_id: call.run_id.clone(),
            agent_id: call.agent.as_ref().map(|agent| agent.id.clone()),
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

/// How a question ended; none while it is open.
pub fn outcome(approval: &Approval) -> Option<Outcome> {
    let taken = approval.fate.claimed.is_some();
    let (code, detail) = match Refusal::by_fate(approval) {
        Some(refusal) => (Some(refusal.code), refusal.detail),
        None => (None, None),
    };
    let nobody = |at: &Timestamp, by: &str, message: Option<String>| Outcome {
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
        State::Pending => None,
        State::Expired { at } => Some(nobody(at, "time", Some(say("nobody answered in time").into_owned()))),
        State::Aborted { at, why } => Some(nobody(at, "asker", Some(why.to_string()))),
        State::Approved(answered) | State::Denied(answered) => Some(Outcome {
            at: answered.at,
            by: answered.by.to_string(),
            how: match &answered.by {
                By::Person(person) => Some(person.how.clone()),
                By::Rule(_) => None,
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

/// An answer.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerBody {
    /// Yes or no.
    pub behavior: Behavior,
    /// Why; told to the model.
    #[serde(default)]
    #[schemars(length(max = 8192))]
    pub message: Option<String>,
    /// Another input to run instead: a full replacement, judged anew.
    #[serde(default)]
    pub updated_input: Option<Value>,
    /// Stop the run as well.
    #[serde(default)]
    pub interrupt: bool,
    /// Rules to keep: `true` means the narrowest proposal, for the project.
    #[serde(default)]
    pub remember: Option<RememberBody>,
    /// The digest of what was shown. An answer to something else is not taken.
    #[serde(default)]
    pub digest: Option<Digest>,
}

/// What to remember.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum RememberBody {
    /// `true`: the narrowest proposal, for the project; `false`: nothing.
    Plain(bool),
    /// Where, and which rules.
    Rules(RememberRules),
}

impl<'de> Deserialize<'de> for RememberBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RememberBody, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Bool(plain) => Ok(RememberBody::Plain(plain)),
            rules @ Value::Object(_) => {
                typed_json::read(rules).map(RememberBody::Rules).map_err(D::Error::custom)
            }
            _ => Err(D::Error::custom("it is neither true nor false nor an object")),
        }
    }
}

/// Where to remember, and which rules.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RememberRules {
    /// Where they apply.
    pub scope: Scope,
    /// The rules, as proposed or as edited. None: the narrowest that were proposed.
    #[serde(default)]
    pub rules: Vec<RuleFields>,
}

impl AnswerBody {
    /// The answer, with its rules checked.
    pub(crate) fn answer(self) -> Result<Answer, Fault> {
        let body = self;
        let effect = body.behavior.effect();
        let remember = match body.remember {
            None | Some(RememberBody::Plain(false)) => None,
            Some(RememberBody::Plain(true)) => Some(Remember { scope: Scope::Project, rules: Vec::new() }),
            Some(RememberBody::Rules(RememberRules { scope, rules })) => {
                let rules = rules.into_iter().map(|fields| fields.rule(effect));
                Some(Remember { scope, rules: rules.collect::<Result<_, _>>()? })
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

/// What an answer came to.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerTaken {
    /// The question as it is now.
    pub approval: Question,
    /// The very same answer had been given before.
    pub again: bool,
    /// What was remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remembered: Option<RememberedBody>,
}

/// What was remembered, or why not. The answer stands either way.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RememberedBody {
    /// Where the rules apply; not always where they were meant for. None: nothing was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The rules as they are kept.
    pub rules: Vec<RuleFields>,
    /// Why they apply in the session only, or why nothing was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What changed in a project file that was not written to, since it is not what a human trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

impl From<Given> for AnswerTaken {
    fn from(given: Given) -> AnswerTaken {
        let remembered = given.remembered.map(|remembered| match remembered {
            Ok(remembered) => RememberedBody {
                scope: Some(remembered.scope),
                rules: remembered.rules.iter().map(RuleFields::from).collect(),
                message: remembered.moved.as_ref().map(|moved| {
                    format!("`{}` is not what was trusted, so it holds for this session only", moved.path)
                }),
                diff: remembered.moved.map(|moved| moved.diff),
            },
            Err(why) => RememberedBody { scope: None, rules: Vec::new(), message: Some(why), diff: None },
        });
        AnswerTaken { approval: (&given.approval).into(), again: given.again, remembered }
    }
}
