//! The file, held against everything that was told.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension};
use sekisho_gate::approval::Fate;
use sekisho_gate::ledger::Ledger;
use sekisho_gate::{ApprovalId, ExecutionId};
use uuid::Uuid;

use super::told::Told;
use crate::support::{Place, wait};

/// Everything that was told, by all processes so far.
#[derive(Default)]
pub(super) struct Book {
    told: Vec<Told>,
    /// Those that are new since the last look.
    new: usize,
    /// In which process a question was first seen.
    first_seen: BTreeMap<ApprovalId, u64>,
    /// Questions that were answered for an asker who came back.
    came_back: BTreeSet<ApprovalId>,
    /// Questions that were open when a process was killed.
    left_open: BTreeSet<ApprovalId>,
}

type Checked = Result<(), String>;

/// Rules that hold of every file, as queries that find what breaks them.
const RULES: &[(&str, &str)] = &[
    (
        "a question has one outcome if it has ended, and none before",
        "SELECT id FROM approvals a WHERE (a.state <> 'pending') <> \
            (SELECT count(*) FROM audit_log l WHERE l.approval = a.id AND l.kind = 'outcome')",
    ),
    (
        "a question was asked once",
        "SELECT id FROM approvals a WHERE 1 <> \
            (SELECT count(*) FROM audit_log l WHERE l.approval = a.id AND l.kind = 'question')",
    ),
    (
        "an answer is claimed once",
        "SELECT id FROM approvals a WHERE (a.claimed_at IS NOT NULL) <> \
            (SELECT count(*) FROM audit_log l WHERE l.approval = a.id AND l.kind = 'claim')",
    ),
    (
        "a question runs once at most",
        "SELECT approval FROM tool_executions WHERE approval IS NOT NULL GROUP BY approval HAVING count(*) > 1",
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

/// Counts that must be the same.
const EQUAL: &[(&str, &str, &str)] = &[
    ("events have no gap", "SELECT count(*) FROM events", "SELECT coalesce(max(seq), 0) FROM events"),
    (
        "every end of a question is announced",
        "SELECT count(*) FROM audit_log WHERE kind = 'outcome'",
        "SELECT count(*) FROM events WHERE json_extract(body, '$.type') = 'resolved'",
    ),
    (
        "every question is announced",
        "SELECT count(*) FROM approvals",
        "SELECT count(*) FROM events WHERE json_extract(body, '$.type') = 'opened'",
    ),
    (
        "every execution is announced",
        "SELECT count(*) FROM tool_executions",
        "SELECT count(*) FROM events WHERE json_extract(body, '$.type') = 'started'",
    ),
];

impl Book {
    /// Adds what a process told.
    pub(super) fn add(&mut self, generation: u64, told: Vec<Told>) {
        for told in &told {
            match told {
                Told::Opened { id, .. } => {
                    self.first_seen.entry(*id).or_insert(generation);
                }
                Told::Permitted { approval: Some(id), .. }
                    if self.first_seen.get(id).is_some_and(|first| *first < generation) =>
                {
                    self.came_back.insert(*id);
                }
                _ => {}
            }
        }
        self.new = self.told.len();
        self.told.extend(told);
    }

    /// Looks at the file.
    pub(super) fn check(&mut self, place: &Place) -> Checked {
        if !place.path.exists() {
            return if self.told.is_empty() { Ok(()) } else { Err("the file is gone".into()) };
        }
        // Opening it is what the next process does, and writes the log back.
        let store = place.store();
        let db = place.other();
        whole(&db)?;
        rules(&db)?;
        crate::support::verify(&store, &[]).map_err(|bad| bad.to_string())?;
        let pending = wait(store.snapshot()).map_err(|error| error.to_string())?.pending;
        let open: i64 = one(&db, "SELECT count(*) FROM approvals WHERE state = 'pending'");
        if i64::try_from(pending.len()) != Ok(open) {
            return Err(format!("{open} questions are pending, and {} can be read", pending.len()));
        }
        self.left_open.extend(pending.iter().map(|approval| approval.id));
        // What ended stays as it is, so what was held against the file before needs only the rules.
        self.told.get(self.new..).unwrap_or_default().iter().try_for_each(|told| held(&db, told))?;
        self.spent_once()
    }

    /// Nobody may have been permitted twice by one answer; reading it again names the same execution.
    fn spent_once(&self) -> Checked {
        let mut spent: BTreeMap<ApprovalId, ExecutionId> = BTreeMap::new();
        for told in &self.told {
            if let Told::Permitted { execution, approval: Some(id), call_id } = told
                && *spent.entry(*id).or_insert(*execution) != *execution
            {
                return Err(format!("`{call_id}` was permitted twice by question `{id}`"));
            }
        }
        Ok(())
    }

    /// Everything that was told is still so.
    pub(super) fn still_holds(&self, place: &Place) -> Checked {
        let db = place.other();
        self.told.iter().try_for_each(|told| held(&db, told))
    }

    pub(super) fn sums(&self) -> String {
        let count = |is: fn(&Told) -> bool| self.told.iter().filter(|told| is(told)).count();
        format!(
            "{} questions seen, {} answers, {} permits by rule, {} by answer, {} refusals; {} questions open at a kill, {} \
             answered for one who came back",
            self.first_seen.len(),
            count(|told| matches!(told, Told::Answered { .. })),
            count(|told| matches!(told, Told::Permitted { approval: None, .. })),
            count(|told| matches!(told, Told::Permitted { approval: Some(_), .. })),
            count(|told| matches!(told, Told::Refused { .. })),
            self.left_open.len(),
            self.came_back.len(),
        )
    }

    /// Whether there was something of every kind to be lost.
    pub(super) fn is_full(&self) -> bool {
        let any = |is: fn(&Told) -> bool| self.told.iter().any(is);
        any(|told| matches!(told, Told::Answered { .. }))
            && any(|told| matches!(told, Told::Permitted { approval: None, .. }))
            && any(|told| matches!(told, Told::Permitted { approval: Some(_), .. }))
            && !self.left_open.is_empty()
            && !self.came_back.is_empty()
    }
}

fn whole(db: &Connection) -> Checked {
    let said: String = one(db, "PRAGMA integrity_check");
    let loose = db.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap();
    if said == "ok" && !loose { Ok(()) } else { Err(format!("the file is damaged: {said}, {loose}")) }
}

fn rules(db: &Connection) -> Checked {
    for (rule, broken) in RULES {
        if let Some(id) = db.query_row(broken, [], |row| row.get::<_, Uuid>(0)).optional().unwrap() {
            return Err(format!("{rule}: `{id}`"));
        }
    }
    for (rule, left, right) in EQUAL {
        let (left, right): (i64, i64) = (one(db, left), one(db, right));
        if left != right {
            return Err(format!("{rule}: {left}, {right}"));
        }
    }
    Ok(())
}

/// Whether the file says what somebody was told.
fn held(db: &Connection, told: &Told) -> Checked {
    let wrong = |found: &dyn std::fmt::Debug| Err(format!("{told:?} was told, and the file has {found:?}"));
    match told {
        Told::Begun | Told::Refused { .. } => Ok(()),
        Told::Opened { id, deadline } => match fate(db, *id) {
            Some(fate) if fate.deadline == *deadline => Ok(()),
            found => wrong(&found),
        },
        Told::Answered { id, state, by } => {
            let found = fate(db, *id);
            let answer = found.as_ref().and_then(|fate| fate.state.answered());
            let same = answer.is_some_and(|answer| answer.by.to_string() == *by);
            if same && found.as_ref().is_some_and(|fate| fate.state.name() == state) {
                Ok(())
            } else {
                wrong(&found)
            }
        }
        Told::Permitted { call_id, execution, approval } => {
            let text = "SELECT coalesce(q.call_id, c.call_id), e.approval FROM tool_executions e \
                JOIN calls c ON c.id = e.call LEFT JOIN approvals a ON a.id = e.approval \
                LEFT JOIN calls q ON q.id = a.call WHERE e.id = ?1";
            let row = db.prepare_cached(text).unwrap().query_row([execution.0], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, Option<Uuid>>(1)?))
            });
            let found = row.optional().unwrap();
            let spent = approval.is_none_or(|id| {
                let claimed = fate(db, id).and_then(|fate| fate.claimed);
                claimed.and_then(|claimed| claimed.execution) == Some(*execution)
            });
            let same = found == Some((call_id.clone(), approval.map(|id| id.0)));
            if same && spent { Ok(()) } else { wrong(&found) }
        }
    }
}

fn fate(db: &Connection, id: ApprovalId) -> Option<Fate> {
    let mut statement = db.prepare_cached("SELECT fate FROM approvals WHERE id = ?1").unwrap();
    let found: Option<String> = statement.query_row([id.0], |row| row.get(0)).optional().unwrap();
    found.map(|text| serde_json::from_str(&text).unwrap())
}

fn one<T: rusqlite::types::FromSql>(db: &Connection, text: &str) -> T {
    db.query_row(text, [], |row| row.get(0)).unwrap()
}
