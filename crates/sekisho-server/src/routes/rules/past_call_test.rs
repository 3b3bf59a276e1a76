//! Tests what rules would have decided on past calls.

use std::collections::BTreeMap;
use std::path::Path;

use axum::Extension;
use axum::extract::State;
use jiff::Timestamp;
use sekisho_gate::caller::{Caller, CallerEnvironment, Session};
use sekisho_gate::display::show;
use sekisho_gate::host_ports::CurrentFile;
use sekisho_gate::ledger::PastCall;
use sekisho_gate::rule_store::StoredRule;
use sekisho_gate::rulebook::{RuleDraft, Rulebook, TrialRulebook};
use sekisho_policy::whole_words::whole_values;
use sekisho_policy::{
    Call, Decision, JudgeContext, Policy, Rule, RuleOutcome, Verdict, judge, judge_and_trace,
};
use uuid::Uuid;

use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::exclusive_jobs::run_blocking;
use crate::json_body::{JsonBody, JsonResponse};
use crate::routes::calls::decide_call;
use crate::settings::Settings;
use crate::wire::rule::{ChangeCount, RetestedCall, RuleTestRequest, RuleTestResponse};

/// How many changed calls are reported.
const MAX_CHANGED: usize = 200;
/// How many matching calls are reported.
const MATCHES: usize = 50;
/// How many calls a rule is tested on at most.
const MOST: usize = 5000;
/// The longest line about a call, in characters.
const LONGEST_LINE: usize = 500;

pub(super) async fn test(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    JsonBody(mut trial, _memory): JsonBody<RuleTestRequest>,
) -> Result<JsonResponse<RuleTestResponse>, ApiError> {
    let drafts = trial.drafts()?;
    let limit = trial.limit.unwrap_or(500);
    if !(1..=MOST).contains(&limit) {
        return Err(ApiError::invalid(format!("`limit` is {limit}; it must be 1 to {MOST}")));
    }
    let place = app.inner.exclusive_jobs.rule_test.start().await?;
    let now = app.now();
    let supposed = with_drafts(&app, drafts, trial.replaces, now).await?;
    let call = match trial.call.take() {
        Some(call) => Some(decide_call(&app, &who, call, Some(&supposed.all)).await?),
        None => None,
    };
    let mut past = app.gate().ledger().past_calls(limit).await?;
    past.retain(|past| trial.since.is_none_or(|since| past.at >= since));
    run_blocking(move || {
        let _place = place;
        let trying = RuleTest { app: &app, supposed: &supposed, now };
        JsonResponse(RuleTestResponse { call, ..trying.run(past) })
    })
    .await
}

/// All rules including the tested ones, and the ids of the tested ones.
struct TestedRules {
    all: TrialRulebook,
    tried: Vec<Uuid>,
}

/// The stored rules together with the drafts.
async fn with_drafts(
    app: &App,
    drafts: Vec<RuleDraft>,
    replaces: Option<Uuid>,
    now: Timestamp,
) -> Result<TestedRules, ApiError> {
    let rulebook = app.gate().rulebook();
    rulebook.refresh(now).await?;
    let mut rules = rulebook.stored();
    let before = replaces.and_then(|id| rules.iter().position(|stored| stored.id == id));
    if let (Some(id), None) = (replaces, before) {
        return Err(ApiError::not_found(format!("`replaces`: there is no stored rule `{id}`"))
            .with_hint("only a rule in the database can be replaced"));
    }
    let session = before.map(|at| rules.swap_remove(at)).and_then(|before| before.session);
    let mut tried = Vec::with_capacity(drafts.len());
    for (number, draft) in (0..).zip(drafts) {
        let id = replaces.unwrap_or(Uuid::from_u128(number));
        tried.push(id);
        rules.push(StoredRule {
            id,
            effect: draft.effect,
            rule: Rule { id: Some(id), ..draft.rule },
            session: session.clone(),
            created_at: now,
            updated_at: now,
            created_by: String::new(),
        });
    }
    Ok(TestedRules { all: rulebook.trial_with(rules), tried })
}

/// A past call to report.
struct ReportedCall<'a> {
    past: &'a PastCall,
    before: Decision,
    after: Verdict,
    matches: bool,
}

struct RuleTest<'a> {
    app: &'a App,
    supposed: &'a TestedRules,
    now: Timestamp,
}

impl RuleTest<'_> {
    fn run(&self, mut past: Vec<PastCall>) -> RuleTestResponse {
        let tried = past.len();
        let rulebook: &Rulebook = self.app.gate().rulebook();
        // Sorted by directory, so that each policy is compiled once.
        past.sort_by(|a, b| (&a.call.cwd, &a.credential).cmp(&(&b.call.cwd, &b.credential)));
        let mut matched = 0;
        let mut counts: BTreeMap<(Decision, Decision), usize> = BTreeMap::new();
        let mut reported = Vec::new();
        for past in &past {
            let seen = PastCallContext::of(past, self.app.settings(), self.now);
            let before = judge(&seen.policy(rulebook), &past.call, &seen.around);
            let after = self.supposed.all.in_force(&seen.place, seen.cwd(), seen.session.as_ref());
            let (after, matches) = judged(&after.policy, &past.call, &seen.around, &self.supposed.tried);
            matched += usize::from(matches);
            *counts.entry((before.decision, after.decision)).or_default() += 1;
            if matches || before.decision != after.decision {
                reported.push(ReportedCall { past, before: before.decision, after, matches });
            }
        }
        reported.sort_by_key(|reported| std::cmp::Reverse((reported.past.at, reported.past.id)));
        let changed = || reported.iter().filter(|reported| reported.changes());
        let matches = reported.iter().filter(|reported| reported.matches);
        let counts =
            counts.into_iter().map(|((before, after), count)| ChangeCount { before, after, count }).collect();
        RuleTestResponse {
            tried,
            matched,
            matches: matches.take(MATCHES).map(ReportedCall::call).collect(),
            changed: changed().take(MAX_CHANGED).map(ReportedCall::call).collect(),
            changed_total: changed().count(),
            counts,
            call: None,
        }
    }
}

/// The verdict, and whether one of the tested rules matches the call.
fn judged(policy: &Policy, call: &Call, around: &JudgeContext, tried: &[Uuid]) -> (Verdict, bool) {
    let (verdict, considered) = judge_and_trace(policy, call, around);
    let matches = considered.iter().any(|considered| {
        considered.rule.id().is_some_and(|id| tried.contains(&id))
            && matches!(
                considered.outcome,
                RuleOutcome::Decided | RuleOutcome::Limited | RuleOutcome::Outranked
            )
    });
    (verdict, matches)
}

impl ReportedCall<'_> {
    fn changes(&self) -> bool {
        self.before != self.after.decision
    }

    fn call(&self) -> RetestedCall {
        let past = self.past;
        let shown = show(&past.call, &self.after, &|_| CurrentFile::Absent);
        RetestedCall {
            call_id: past.id.0,
            at: past.at,
            tool_name: past.call.tool.clone(),
            message: line(&shown.message),
            before: self.before,
            after: self.after.decision,
            was_then: past.decision,
        }
    }
}

/// The text, cut to a readable length.
pub(super) fn line(text: &str) -> String {
    let most = text.char_indices().nth(LONGEST_LINE).map_or(text.len(), |(at, _)| at);
    let mut line = whole_values(text, most).to_owned();
    if line.len() < text.len() {
        line.push('…');
    }
    line
}

/// A past call and the registered project that contains its directory.
struct PastCallContext<'a> {
    call: &'a Call,
    place: CallerEnvironment,
    session: Option<Session>,
    around: JudgeContext,
}

impl<'a> PastCallContext<'a> {
    fn of(past: &'a PastCall, settings: &Settings, now: Timestamp) -> PastCallContext<'a> {
        let call = &past.call;
        let cwd = call.cwd.as_deref().map(Path::new);
        let roots = settings.projects.iter().filter(|root| cwd.is_some_and(|cwd| cwd.starts_with(root)));
        let root = roots.max_by_key(|root| root.len()).cloned();
        let home = settings.locations.home.as_ref().and_then(|home| home.to_str()).map(str::to_owned);
        let place =
            CallerEnvironment { root: root.clone(), home: home.clone(), ..CallerEnvironment::default() };
        let around = JudgeContext { root, home, facts: past.facts.clone(), ..JudgeContext::at(now) };
        let session = Session::of(&Caller::remote(past.credential.clone()), call);
        PastCallContext { call, place, session, around }
    }

    fn cwd(&self) -> Option<&str> {
        self.call.cwd.as_deref()
    }

    fn policy(&self, rulebook: &Rulebook) -> std::sync::Arc<Policy> {
        rulebook.active_policy(&self.place, self.cwd(), self.session.as_ref()).policy
    }
}
