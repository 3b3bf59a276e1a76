//! What rules would have done to the calls of the past.

use std::collections::BTreeMap;
use std::path::Path;

use axum::Extension;
use axum::extract::State;
use jiff::Timestamp;
use sekisho_gate::asker::{Around, Asker, Session};
use sekisho_gate::display::show;
use sekisho_gate::ledger::Past;
use sekisho_gate::premises::FileNow;
use sekisho_gate::rulebook::{Draft, Rulebook, Supposed};
use sekisho_gate::rules::StoredRule;
use sekisho_policy::{Call, Decision, Outcome, Policy, Rule, Surroundings, Verdict, judge, judge_and_trace};
use uuid::Uuid;

use crate::app::App;
use crate::auth::Identity;
use crate::body::{Body, Json};
use crate::errands::aside;
use crate::error::Fault;
use crate::routes::asking::advise;
use crate::settings::Settings;
use crate::wire::rule::{ChangeCount, ChangedCall, RuleTrial, RuleTried};

/// How many changed calls are told of.
const TOLD: usize = 200;
/// How many calls that match are told of.
const MATCHES: usize = 50;
/// How many calls a rule is tried on at most.
const MOST: usize = 5000;
/// The longest line about a call, in characters.
const LONGEST_LINE: usize = 500;

pub(super) async fn test(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Body(mut trial, _memory): Body<RuleTrial>,
) -> Result<Json<RuleTried>, Fault> {
    let drafts = trial.drafts()?;
    let limit = trial.limit.unwrap_or(500);
    if !(1..=MOST).contains(&limit) {
        return Err(Fault::invalid(format!("`limit` is {limit}; it has to be 1 to {MOST}")));
    }
    let place = app.inner.errands.trying.in_turn().await?;
    let now = app.now();
    let supposed = suppose(&app, drafts, trial.replaces, now).await?;
    let call = match trial.call.take() {
        Some(call) => Some(advise(&app, &who, call, Some(&supposed.all)).await?),
        None => None,
    };
    let mut past = app.gate().ledger().past(limit).await?;
    past.retain(|past| trial.since.is_none_or(|since| past.at >= since));
    aside(move || {
        let _place = place;
        let trying = Trying { app: &app, supposed: &supposed, now };
        Json(RuleTried { call, ..trying.run(past) })
    })
    .await
}

/// The rules as they would be, and by which ids those are known that are tried.
struct Rules {
    all: Supposed,
    tried: Vec<Uuid>,
}

/// The rules as they would be with the drafts.
async fn suppose(
    app: &App,
    drafts: Vec<Draft>,
    replaces: Option<Uuid>,
    now: Timestamp,
) -> Result<Rules, Fault> {
    let rulebook = app.gate().rulebook();
    rulebook.refresh(now).await?;
    let mut rules = rulebook.stored();
    let before = replaces.and_then(|id| rules.iter().position(|stored| stored.id == id));
    if let (Some(id), None) = (replaces, before) {
        return Err(Fault::not_found(format!("`replaces`: there is no kept rule `{id}`"))
            .hint("only a rule of the database can be replaced"));
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
    Ok(Rules { all: rulebook.supposing(rules), tried })
}

/// A call that is told of.
struct Told<'a> {
    past: &'a Past,
    before: Decision,
    after: Verdict,
    matches: bool,
}

struct Trying<'a> {
    app: &'a App,
    supposed: &'a Rules,
    now: Timestamp,
}

impl Trying<'_> {
    fn run(&self, mut past: Vec<Past>) -> RuleTried {
        let tried = past.len();
        let rulebook: &Rulebook = self.app.gate().rulebook();
        // Calls of one place after another: each policy is then compiled once.
        past.sort_by(|a, b| (&a.call.cwd, &a.credential).cmp(&(&b.call.cwd, &b.credential)));
        let mut matched = 0;
        let mut counts: BTreeMap<(Decision, Decision), usize> = BTreeMap::new();
        let mut told = Vec::new();
        for past in &past {
            let seen = Seen::of(past, self.app.settings(), self.now);
            let before = judge(&seen.policy(rulebook), &past.call, &seen.around);
            let after = self.supposed.all.in_force(&seen.place, seen.cwd(), seen.session.as_ref());
            let (after, matches) = judged(&after.policy, &past.call, &seen.around, &self.supposed.tried);
            matched += usize::from(matches);
            *counts.entry((before.decision, after.decision)).or_default() += 1;
            if matches || before.decision != after.decision {
                told.push(Told { past, before: before.decision, after, matches });
            }
        }
        told.sort_by_key(|told| std::cmp::Reverse((told.past.at, told.past.id)));
        let changed = || told.iter().filter(|told| told.changes());
        let matches = told.iter().filter(|told| told.matches);
        let counts =
            counts.into_iter().map(|((before, after), count)| ChangeCount { before, after, count }).collect();
        RuleTried {
            tried,
            matched,
            matches: matches.take(MATCHES).map(Told::call).collect(),
            changed: changed().take(TOLD).map(Told::call).collect(),
            changed_total: changed().count(),
            counts,
            call: None,
        }
    }
}

/// The verdict, and whether one of the rules has to do with the call.
fn judged(policy: &Policy, call: &Call, around: &Surroundings, tried: &[Uuid]) -> (Verdict, bool) {
    let (verdict, considered) = judge_and_trace(policy, call, around);
    let matches = considered.iter().any(|considered| {
        considered.rule.id().is_some_and(|id| tried.contains(&id))
            && matches!(considered.outcome, Outcome::Decided | Outcome::Limited | Outcome::Outranked)
    });
    (verdict, matches)
}

impl Told<'_> {
    fn changes(&self) -> bool {
        self.before != self.after.decision
    }

    fn call(&self) -> ChangedCall {
        let past = self.past;
        let shown = show(&past.call, &self.after, &|_| FileNow::Absent);
        ChangedCall {
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

/// One line of bearable length.
pub(super) fn line(text: &str) -> String {
    let mut line: String = text.chars().take(LONGEST_LINE).collect();
    if line.len() < text.len() {
        line.push('…');
    }
    line
}

/// A past call in its place: the registered project its directory lies in.
struct Seen<'a> {
    call: &'a Call,
    place: Around,
    session: Option<Session>,
    around: Surroundings,
}

impl<'a> Seen<'a> {
    fn of(past: &'a Past, settings: &Settings, now: Timestamp) -> Seen<'a> {
        let call = &past.call;
        let cwd = call.cwd.as_deref().map(Path::new);
        let roots = settings.projects.iter().filter(|root| cwd.is_some_and(|cwd| cwd.starts_with(root)));
        let root = roots.max_by_key(|root| root.len()).cloned();
        let home = settings.locations.home.as_ref().and_then(|home| home.to_str()).map(str::to_owned);
        let place = Around { root: root.clone(), home: home.clone(), ..Around::default() };
        let around = Surroundings { now, root, home, can_confirm: true, facts: past.facts.clone() };
        let session = Session::of(&Asker::remote(past.credential.clone()), call);
        Seen { call, place, session, around }
    }

    fn cwd(&self) -> Option<&str> {
        self.call.cwd.as_deref()
    }

    fn policy(&self, rulebook: &Rulebook) -> std::sync::Arc<Policy> {
        rulebook.in_force(&self.place, self.cwd(), self.session.as_ref()).policy
    }
}
