//! Compares the database with everything that was reported.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use sekisho_gate::approval::ApprovalProgress;
use sekisho_gate::{ApprovalId, ExecutionId};

use super::report_line::ReportLine;
use crate::harness::wait;
use crate::test_database::TestDatabase;

/// Everything reported by all processes so far.
#[derive(Default)]
pub(crate) struct ReportLog {
    told: Vec<ReportLine>,
    /// How many lines are new since the last check.
    new: usize,
    /// The process that is reporting.
    generation: u64,
    /// The process in which an approval was first seen.
    first_seen: BTreeMap<ApprovalId, u64>,
    /// Approvals that were answered for a caller that returned.
    came_back: BTreeSet<ApprovalId>,
    /// Approvals that were open when a process was killed.
    left_open: BTreeSet<ApprovalId>,
}

type Checked = Result<(), String>;

/// Invariants of every database, as queries that find violations.
const RULES: &[(&str, &str)] = &[
    (
        "a question has one outcome if it has ended, and none before",
        "SELECT id FROM approvals a WHERE (CASE a.state WHEN 'pending' THEN 0 ELSE 1 END) <> \
            (SELECT count(*) FROM audit_log l WHERE l.approval = a.id AND l.kind = 'outcome')",
    ),
    (
        "a question was asked once",
        "SELECT id FROM approvals a WHERE 1 <> \
            (SELECT count(*) FROM audit_log l WHERE l.approval = a.id AND l.kind = 'question')",
    ),
    (
        "an answer is claimed once",
        "SELECT id FROM approvals a WHERE (CASE WHEN a.claimed_at IS NULL THEN 0 ELSE 1 END) <> \
            (SELECT count(*) FROM audit_log l WHERE l.approval = a.id AND l.kind = 'claim')",
    ),
    (
        "a question runs once at most",
        "SELECT approval FROM tool_executions WHERE approval IS NOT NULL GROUP BY approval HAVING count(*) > 1",
    ),
    (
        "a call of a durable run runs once at most",
        "SELECT c.call_id FROM tool_executions e JOIN calls c ON c.id = e.call WHERE c.call_id LIKE 'durable-%' \
            GROUP BY c.call_id HAVING count(*) > 1",
    ),
    (
        "what runs has a verdict or a claim on the record",
        "SELECT id FROM tool_executions WHERE id NOT IN (SELECT execution FROM audit_log WHERE execution IS NOT NULL \
            AND (kind = 'claim' AND approval IS NOT NULL OR kind = 'verdict' AND decision = 'allow'))",
    ),
    (
        "what is on the record as running runs",
        "SELECT execution FROM audit_log WHERE execution IS NOT NULL \
            AND execution NOT IN (SELECT id FROM tool_executions)",
    ),
    (
        "only what was approved runs",
        "SELECT e.id FROM tool_executions e JOIN approvals a ON a.id = e.approval WHERE a.state <> 'approved'",
    ),
];

/// Counts that must be equal.
const EQUAL: &[(&str, &str, &str)] = &[
    ("events have no gap", "SELECT count(*) FROM events", "SELECT coalesce(max(seq), 0) FROM events"),
    (
        "every end of a question is announced",
        "SELECT count(*) FROM audit_log WHERE kind = 'outcome'",
        "SELECT count(*) FROM events WHERE {type} = 'resolved'",
    ),
    (
        "every question is announced",
        "SELECT count(*) FROM approvals",
        "SELECT count(*) FROM events WHERE {type} = 'opened'",
    ),
    (
        "every execution is announced",
        "SELECT count(*) FROM tool_executions",
        "SELECT count(*) FROM events WHERE {type} = 'started'",
    ),
];

impl ReportLog {
    /// Starts reading the reports of another process.
    pub(crate) fn begin(&mut self, generation: u64) {
        self.new = self.told.len();
        self.generation = generation;
    }

    /// Adds a reported line.
    pub(crate) fn add(&mut self, told: ReportLine) {
        match &told {
            ReportLine::Opened { id, .. } => {
                self.first_seen.entry(*id).or_insert(self.generation);
            }
            ReportLine::Permitted { approval: Some(id), .. }
                if self.first_seen.get(id).is_some_and(|first| *first < self.generation) =>
            {
                self.came_back.insert(*id);
            }
            _ => {}
        }
        self.told.push(told);
    }

    /// Checks the database.
    pub(crate) fn check(&mut self, site: &TestDatabase) -> Checked {
        let there = if let TestDatabase::File(place) = site { place.path.exists() } else { true };
        if !there {
            return if self.told.is_empty() { Ok(()) } else { Err("the file was deleted".into()) };
        }
        settled(site)?;
        // Opening it is what the next process does; for a file it writes back the `-wal` file.
        let store = site.store();
        whole(site)?;
        rules(site)?;
        crate::harness::verify(&*store, &[]).map_err(|bad| bad.to_string())?;
        let pending = wait(store.snapshot()).map_err(|error| error.to_string())?.pending;
        let open = site.one("SELECT count(*) FROM approvals WHERE state = 'pending'");
        if i64::try_from(pending.len()) != Ok(open) {
            return Err(format!("{open} questions are pending, and {} can be read", pending.len()));
        }
        self.left_open.extend(pending.iter().map(|approval| approval.id));
        // Ended approvals never change, so earlier lines need only the invariants.
        self.told.get(self.new..).unwrap_or_default().iter().try_for_each(|told| held(site, told))?;
        self.spent_once()
    }

    /// One answer never permits two executions; reading it again names the same execution.
    fn spent_once(&self) -> Checked {
        let mut spent: BTreeMap<ApprovalId, ExecutionId> = BTreeMap::new();
        for told in &self.told {
            if let ReportLine::Permitted { execution, approval: Some(id), call_id } = told
                && *spent.entry(*id).or_insert(*execution) != *execution
            {
                return Err(format!("`{call_id}` was permitted twice by question `{id}`"));
            }
        }
        let mut permitted = BTreeSet::new();
        for told in &self.told {
            if let ReportLine::Permitted { call_id, .. } = told
                && call_id.starts_with("durable-")
                && !permitted.insert(call_id)
            {
                return Err(format!("`{call_id}` was permitted twice"));
            }
        }
        Ok(())
    }

    /// Everything that was reported still holds.
    pub(crate) fn still_holds(&self, site: &TestDatabase) -> Checked {
        let _open = site.store();
        self.told.iter().try_for_each(|told| held(site, told))
    }

    pub(crate) fn sums(&self) -> String {
        let count = |is: fn(&ReportLine) -> bool| self.told.iter().filter(|told| is(told)).count();
        format!(
            "{} questions seen, {} answers, {} permits by rule, {} by answer, {} refusals, {} found spent; {} questions open \
             at a kill, {} answered for one who came back",
            self.first_seen.len(),
            count(|told| matches!(told, ReportLine::Answered { .. })),
            count(|told| matches!(told, ReportLine::Permitted { approval: None, .. })),
            count(|told| matches!(told, ReportLine::Permitted { approval: Some(_), .. })),
            count(|told| matches!(told, ReportLine::Refused { .. })),
            count(|told| matches!(told, ReportLine::Spent { .. })),
            self.left_open.len(),
            self.came_back.len(),
        )
    }

    /// Whether something of every kind was there to be lost.
    pub(crate) fn is_full(&self) -> bool {
        self.has_heard_everything() && !self.left_open.is_empty()
    }

    /// Whether something of every kind was reported.
    pub(crate) fn has_heard_everything(&self) -> bool {
        let any = |is: fn(&ReportLine) -> bool| self.told.iter().any(is);
        any(|told| matches!(told, ReportLine::Answered { .. }))
            && any(|told| matches!(told, ReportLine::Permitted { approval: None, .. }))
            && any(|told| matches!(told, ReportLine::Permitted { approval: Some(_), .. }))
            && any(|told| matches!(told, ReportLine::Spent { .. }))
            && !self.came_back.is_empty()
    }

    /// Whether an approval was seen that only a later process answers.
    pub(crate) fn has_left_one(&self) -> bool {
        self.told.iter().any(|told| matches!(told, ReportLine::Left { .. }))
    }
}

/// A server finishes what a killed process sent to it; nothing can be compared before that.
fn settled(site: &TestDatabase) -> Checked {
    if let TestDatabase::Server { .. } = site {
        let left =
            format!("SELECT count(*) FROM pg_stat_activity WHERE application_name = '{}'", super::KILLED);
        let since = Instant::now();
        while site.one(&left) > 0 {
            if since.elapsed() > super::PATIENCE {
                return Err("the server still works for a process that is gone".into());
            }
        }
    }
    Ok(())
}

/// A server takes care of its own files.
fn whole(site: &TestDatabase) -> Checked {
    let TestDatabase::File(_) = site else { return Ok(()) };
    let (said, loose) = (site.texts("PRAGMA integrity_check"), site.texts("PRAGMA foreign_key_check"));
    if said == ["ok"] && loose.is_empty() {
        Ok(())
    } else {
        Err(format!("the file is damaged: {said:?}, {loose:?}"))
    }
}

fn rules(site: &TestDatabase) -> Checked {
    for (rule, broken) in RULES {
        if let Some(id) = site.texts(broken).first() {
            return Err(format!("{rule}: `{id}`"));
        }
    }
    let kind = match site {
        TestDatabase::File(_) => "json_extract(body, '$.type')",
        TestDatabase::Server { .. } => "body::json ->> 'type'",
    };
    for (rule, left, right) in EQUAL {
        let (left, right) = (site.one(left), site.one(&right.replace("{type}", kind)));
        if left != right {
            return Err(format!("{rule}: {left}, {right}"));
        }
    }
    Ok(())
}

/// Whether the database agrees with a reported line.
fn held(site: &TestDatabase, told: &ReportLine) -> Checked {
    let wrong = |found: &dyn std::fmt::Debug| Err(format!("{told:?} was told, and the ledger has {found:?}"));
    match told {
        ReportLine::Begun | ReportLine::Refused { .. } => Ok(()),
        ReportLine::Left { id } => {
            fate(site, *id).map_or_else(|| wrong(&None::<ApprovalProgress>), |_| Ok(()))
        }
        ReportLine::Opened { id, deadline } => match fate(site, *id) {
            Some(fate) if fate.deadline == *deadline => Ok(()),
            found => wrong(&found),
        },
        ReportLine::Answered { id, state, by } => {
            let found = fate(site, *id);
            let answer = found.as_ref().and_then(|fate| fate.state.answered());
            let same = answer.is_some_and(|answer| answer.by.to_string() == *by);
            if same && found.as_ref().is_some_and(|fate| fate.state.name() == state) {
                Ok(())
            } else {
                wrong(&found)
            }
        }
        ReportLine::Spent { call_id, execution } => {
            let found = site.texts(&format!(
                "SELECT c.call_id FROM tool_executions e JOIN calls c ON c.id = e.call WHERE e.id = {}",
                site.id(execution.0)
            ));
            if found == [call_id.as_str()] { Ok(()) } else { wrong(&found) }
        }
        ReportLine::Permitted { call_id, execution, approval } => {
            let by = approval.map_or("IS NULL".into(), |id| format!("= {}", site.id(id.0)));
            let found = site.texts(&format!(
                "SELECT coalesce(q.call_id, c.call_id) FROM tool_executions e \
                 JOIN calls c ON c.id = e.call LEFT JOIN approvals a ON a.id = e.approval \
                 LEFT JOIN calls q ON q.id = a.call WHERE e.id = {} AND e.approval {by}",
                site.id(execution.0)
            ));
            let spent = approval.is_none_or(|id| {
                let claimed = fate(site, id).and_then(|fate| fate.claimed);
                claimed.and_then(|claimed| claimed.execution) == Some(*execution)
            });
            if spent && found == [call_id.as_str()] { Ok(()) } else { wrong(&found) }
        }
    }
}

fn fate(site: &TestDatabase, id: ApprovalId) -> Option<ApprovalProgress> {
    let found = site.texts(&format!("SELECT fate FROM approvals WHERE id = {}", site.id(id.0)));
    found.first().map(|text| serde_json::from_str(text).unwrap())
}
