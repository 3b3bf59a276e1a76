//! Counts from the audit log how often rules decided. Each request reads only the records that are new.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::audit::{AuditLog, AuditQuery, ChainRow, MAX_PAGE_BYTES, START_CURSOR, WriterId};
use sekisho_gate::record::RecordKind;
use sekisho_policy::{Effect, LayerKind, Rule};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::error::ApiError;
use crate::exclusive_jobs::run_blocking;
use crate::rule_key::RuleKey;

/// How far back hits are counted.
const SPAN: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How many records of each of the two kinds one refresh reads at most.
const MOST: usize = 50_000;
/// Records in memory at once.
const PAGE: usize = 2048;
/// Several writers share an audit log, and their records may arrive out of order by this much.
const LATE: SignedDuration = SignedDuration::from_secs(10);
const HOUR: i64 = 3600;

/// The counts so far, and how far the audit log was read.
#[derive(Debug, Default)]
pub(crate) struct RuleHitCounter {
    /// Locked while counting, so that two requests do not count the same records.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    counted: Arc<RuleHits>,
    verdicts: Cursor,
    questions: Cursor,
}

/// How far the records of one kind were read.
#[derive(Clone, Debug, Default)]
struct Cursor {
    last: Option<(Timestamp, WriterId, u64)>,
    /// Recently counted records, so that reading them again does not count them again.
    recent: HashMap<(WriterId, u64), Timestamp>,
}

/// Hits by rule and hour.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleHits(HashMap<RuleKey, HourlyHits>);

#[derive(Clone, Debug, Default)]
struct HourlyHits {
    hours: BTreeMap<i64, u64>,
    last: Timestamp,
}

impl RuleHits {
    /// How often a rule decided in the last seven days, and when it last did.
    pub(crate) fn of(&self, key: &RuleKey, now: Timestamp) -> (u64, Option<Timestamp>) {
        let Some(times) = self.0.get(key) else { return (0, None) };
        let hits = times.hours.range(first_hour(now)..).map(|(_, hits)| hits).sum();
        (hits, (hits > 0).then_some(times.last))
    }

    fn add(&mut self, rows: &[ChainRow]) {
        for row in rows {
            let body: CitedRules = serde_json::from_str(&row.body).unwrap_or_default();
            let keys: HashSet<RuleKey> = body.rules.iter().filter_map(CitedRule::key).collect();
            for key in keys {
                let times = self.0.entry(key).or_default();
                *times.hours.entry(row.at().as_second().div_euclid(HOUR)).or_default() += 1;
                times.last = times.last.max(row.at());
            }
        }
    }

    /// Drops hits that are too old.
    fn prune(&mut self, now: Timestamp) {
        let first = first_hour(now);
        self.0.retain(|_, times| {
            times.hours.retain(|hour, _| *hour >= first);
            !times.hours.is_empty()
        });
    }
}

fn first_hour(now: Timestamp) -> i64 {
    since(now).as_second().div_euclid(HOUR)
}

fn since(now: Timestamp) -> Timestamp {
    now.saturating_sub(SPAN).unwrap_or(Timestamp::MIN)
}

/// The rules that a record cites.
#[derive(Default, Deserialize)]
struct CitedRules {
    #[serde(default)]
    rules: Vec<CitedRule>,
}

#[derive(Deserialize)]
struct CitedRule {
    effect: Effect,
    layer: LayerKind,
    source: String,
    line: u32,
    #[serde(default)]
    id: Option<Uuid>,
    rule: Value,
}

impl CitedRule {
    fn key(&self) -> Option<RuleKey> {
        let rule: Rule = serde_json::from_value(self.rule.clone()).ok()?;
        Some(RuleKey::of(self.id, self.layer, &self.source, self.line, self.effect, &rule))
    }
}

impl RuleHitCounter {
    /// The counts as of the last refresh.
    pub(crate) async fn cached(&self) -> Arc<RuleHits> {
        Arc::clone(&self.state.lock().await.counted)
    }

    /// The counts, up to date: reads all records of the last seven days the first time, then only new ones.
    pub(crate) async fn refresh(
        &self,
        audit: &Arc<dyn AuditLog>,
        now: Timestamp,
    ) -> Result<Arc<RuleHits>, ApiError> {
        let mut state = self.state.lock().await;
        // Works on a copy: after a failure everything is counted again.
        let mut counted = RuleHits::clone(&state.counted);
        let (mut verdicts, mut questions) = (state.verdicts.clone(), state.questions.clone());
        for (kind, cursor) in [(RecordKind::Verdict, &mut verdicts), (RecordKind::Question, &mut questions)] {
            counted = cursor.read(audit, kind, counted, now).await?;
        }
        counted.prune(now);
        *state = State { counted: Arc::new(counted), verdicts, questions };
        Ok(Arc::clone(&state.counted))
    }
}

impl Cursor {
    /// Counts records not counted yet: backwards from now the first time, forwards from the last record after
    /// that.
    async fn read(
        &mut self,
        audit: &Arc<dyn AuditLog>,
        kind: RecordKind,
        mut counted: RuleHits,
        now: Timestamp,
    ) -> Result<RuleHits, ApiError> {
        let follows = self.last.map(|(at, _, _)| {
            let at = at.saturating_sub(LATE).unwrap_or(at);
            (at, START_CURSOR.1, START_CURSOR.2)
        });
        let mut query = AuditQuery {
            from: Some(since(now)),
            kind: Some(kind.name().into()),
            after: follows,
            limit: PAGE,
            max_bytes: Some(MAX_PAGE_BYTES),
            ..AuditQuery::default()
        };
        let mut read = 0;
        while read < MOST {
            let mut rows = audit.search(query.clone()).await?;
            let end = rows.last().filter(|_| !query.is_end(&rows)).map(row_position);
            read += rows.len();
            rows.retain(|row| !self.recent.contains_key(&(row.writer, row.seq)));
            self.last = rows.iter().map(row_position).chain(self.last).max();
            self.recent.extend(rows.iter().map(|row| ((row.writer, row.seq), row.at())));
            counted = run_blocking(move || {
                counted.add(&rows);
                counted
            })
            .await?;
            let Some(end) = end else { break };
            match follows {
                Some(_) => query.after = Some(end),
                None => query.before = Some(end),
            }
        }
        let late = self.last.and_then(|(at, _, _)| at.saturating_sub(LATE).ok());
        self.recent.retain(|_, at| late.is_none_or(|late| *at >= late));
        Ok(counted)
    }
}

fn row_position(row: &ChainRow) -> (Timestamp, WriterId, u64) {
    (row.at(), row.writer, row.seq)
}
