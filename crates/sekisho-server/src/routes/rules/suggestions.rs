//! Suggests rules for calls that people keep answering the same way.

use std::collections::HashMap;

use axum::extract::State;
use jiff::{SignedDuration, Timestamp};
use sekisho_gate::ApprovalId;
use sekisho_gate::answer::{Actor, Behavior};
use sekisho_gate::approval::Approval;
use sekisho_gate::ledger::ApprovalQuery;
use sekisho_gate::proposals::{AlsoAllowed, Proposal, server_tool_proposal};
use sekisho_gate::rulebook::Rulebook;
use sekisho_policy::{Decision, Effect, JudgeContext, Rule, judge, judge_with_extra_rules};

use super::past_call_test::line;
use crate::app::App;
use crate::error::ApiError;
use crate::exclusive_jobs::run_blocking;
use crate::json_body::JsonResponse;
use crate::wire::rule::{Evidence, Suggestion, Suggestions};

/// How far back answers are read.
const SPAN: SignedDuration = SignedDuration::from_hours(30 * 24);
/// How many equal answers are needed for a suggestion.
const ENOUGH: usize = 5;
/// How many answers of each kind are read at most.
const MOST: usize = 10_000;
/// Approvals in memory at once.
const PAGE: usize = 250;
/// The most memory they may use, in bytes.
const HEAVIEST: usize = 8 << 20;
/// The most suggestions.
const MAX_SUGGESTIONS: usize = 100;
/// How many answers are shown as evidence.
const SHOWN: usize = 10;

pub(super) async fn suggest(State(app): State<App>) -> Result<JsonResponse<Suggestions>, ApiError> {
    let _place = app.inner.exclusive_jobs.rule_suggestions.start().await?;
    let now = app.now();
    let groups = gather(&app, now).await?;
    let mut strongest: Vec<AnswerGroup> = groups.into_values().filter(AnswerGroup::is_conclusive).collect();
    strongest.sort_by(|a, b| b.support().cmp(&a.support()).then(b.last.cmp(&a.last)));
    let mut suggestions = Vec::new();
    for group in strongest {
        if suggestions.len() >= MAX_SUGGESTIONS {
            break;
        }
        // Read again: an approval holds its whole input, and only these few are needed.
        let Some(newest) = app.gate().ledger().approval(group.newest).await? else { continue };
        let gate = app.gate().clone();
        let suggestion = run_blocking(move || {
            let effect = group.effect();
            settles(gate.rulebook(), &newest, effect, &group.rules, now).then(|| group.into_suggestion())
        })
        .await?;
        suggestions.extend(suggestion);
    }
    Ok(JsonResponse(Suggestions { suggestions }))
}

/// Answers for or against the same rules.
struct AnswerGroup {
    rules: Vec<Rule>,
    also: String,
    also_codes: Vec<AlsoAllowed>,
    approvals: usize,
    denials: usize,
    /// Approvals with an edited input: the approver did not want the call as it was.
    edits: usize,
    evidence: Vec<Evidence>,
    newest: ApprovalId,
    first: Timestamp,
    last: Timestamp,
}

impl AnswerGroup {
    /// Whether there are enough answers, all equal.
    fn is_conclusive(&self) -> bool {
        self.support() >= ENOUGH && self.approvals.min(self.denials) + self.edits == 0
    }

    fn support(&self) -> usize {
        self.approvals.max(self.denials)
    }

    fn effect(&self) -> Effect {
        if self.approvals > 0 { Effect::Allow } else { Effect::Deny }
    }

    fn into_suggestion(mut self) -> Suggestion {
        self.evidence.sort_by_key(|evidence| std::cmp::Reverse(evidence.at));
        self.evidence.truncate(SHOWN);
        Suggestion {
            effect: self.effect(),
            support: self.support(),
            rules: self.rules.iter().map(Into::into).collect(),
            also: self.also,
            also_codes: self.also_codes,
            evidence: self.evidence,
            first_at: self.first,
            last_at: self.last,
        }
    }

    fn add(&mut self, behavior: Behavior, id: ApprovalId, evidence: Evidence) {
        match behavior {
            Behavior::Allow => self.approvals += 1,
            Behavior::Deny => self.denials += 1,
        }
        if evidence.at >= self.last {
            (self.last, self.newest) = (evidence.at, id);
        }
        self.first = self.first.min(evidence.at);
        self.evidence.push(evidence);
        // Approvals arrive in the order they were asked; keep the latest answers.
        if self.evidence.len() > SHOWN * 2 {
            self.evidence.sort_by_key(|evidence| std::cmp::Reverse(evidence.at));
            self.evidence.truncate(SHOWN);
        }
    }
}

/// People's answers, grouped by the narrowest proposed rules.
async fn gather(app: &App, now: Timestamp) -> Result<HashMap<String, AnswerGroup>, ApiError> {
    let mut groups = HashMap::new();
    for state in ["approved", "denied"] {
        let mut query = ApprovalQuery {
            state: Some(state.into()),
            since: now.saturating_sub(SPAN).ok(),
            limit: PAGE,
            max_bytes: Some(HEAVIEST),
            ..ApprovalQuery::default()
        };
        let mut read = 0;
        while read < MOST {
            let page = app.gate().ledger().approvals(query.clone()).await?;
            read += page.len();
            page.iter().for_each(|approval| take(&mut groups, approval));
            let Some(last) = page.last() else { break };
            query.before = Some(last.id);
        }
    }
    Ok(groups)
}

fn take(groups: &mut HashMap<String, AnswerGroup>, approval: &Approval) {
    let Some(answered) = approval.fate.state.answered() else { return };
    let asked = &approval.asked;
    // Answers about different inputs of a tool support a rule for the tool.
    let exact = |proposal: &&Proposal| proposal.rules.iter().any(|rule| rule.input.is_some());
    let proposal = asked
        .proposals
        .iter()
        .find(|proposal| !exact(proposal))
        .cloned()
        .or_else(|| server_tool_proposal(&asked.call));
    let (Actor::Person(_), Some(proposal)) = (&answered.by, proposal) else { return };
    let Ok(key) = serde_json::to_string(&proposal.rules) else { return };
    let evidence = Evidence {
        approval_id: approval.id.0,
        at: answered.at,
        by: answered.by.to_string(),
        message: line(&asked.shown.message),
    };
    let group = groups.entry(key).or_insert_with(|| AnswerGroup {
        rules: proposal.rules,
        also: proposal.also,
        also_codes: proposal.also_codes,
        approvals: 0,
        denials: 0,
        edits: 0,
        evidence: Vec::new(),
        newest: approval.id,
        first: answered.at,
        last: answered.at,
    });
    match answered.edited {
        Some(_) => group.edits += 1,
        None => group.add(answered.answer.behavior, approval.id, evidence),
    }
}

/// Whether the call needs a confirmation today, and would not with the rules.
fn settles(rulebook: &Rulebook, approval: &Approval, effect: Effect, rules: &[Rule], now: Timestamp) -> bool {
    let asked = &approval.asked;
    let session = asked.session();
    let here = asked.call.cwd.as_deref().filter(|_| !asked.around.elsewhere);
    let policy = rulebook.active_policy(&asked.around, here, session.as_ref()).policy;
    let around = JudgeContext {
        now,
        root: asked.around.root.clone(),
        home: asked.around.home.clone(),
        can_confirm: true,
        requires_approval: asked.around.requires_approval,
        facts: asked.verdict.facts.clone(),
    };
    let settled = judge_with_extra_rules(&policy, &asked.call, &around, effect, rules);
    judge(&policy, &asked.call, &around).decision == Decision::Confirm
        && matches!(settled, Ok(Some(verdict)) if verdict.decision == Decision::from(effect))
}
