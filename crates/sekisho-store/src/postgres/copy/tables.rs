//! The tables and columns to copy, in an order that satisfies foreign keys.

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnKind {
    Id,
    Number,
    /// A four-byte integer.
    Small,
    Flag,
    /// JSON, and text without NUL: copied byte for byte.
    Text,
    /// Text from outside, which may contain NUL.
    Foreign,
    Bytes,
    /// The key hash of an approval: not in the file, computed from other columns.
    Key,
}

/// A table to copy.
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) columns: &'static [(&'static str, ColumnKind)],
    /// The order in which its rows are read.
    pub(super) order: &'static str,
}

use ColumnKind::{Bytes, Flag, Foreign, Id, Key, Number, Small, Text};

pub(super) const ALL: &[Table] = &[
    Table { name: "calls", columns: CALLS, order: "rowid" },
    Table { name: "approvals", columns: APPROVALS, order: "seq" },
    Table { name: "tool_executions", columns: EXECUTIONS, order: "rowid" },
    Table { name: "input_schemas", columns: SCHEMAS, order: "tool, version" },
    Table { name: "runs", columns: RUNS, order: "rowid" },
    Table { name: "sub_agents", columns: SUB_AGENTS, order: "rowid" },
    Table { name: "run_messages", columns: RUN_TEXTS, order: "run, seq" },
    Table { name: "run_chunks", columns: RUN_TEXTS, order: "run, seq" },
    Table { name: "run_requests", columns: RUN_REQUESTS, order: "seq" },
    Table { name: "run_todos", columns: RUN_TODOS, order: "run" },
    Table { name: "run_outputs", columns: RUN_OUTPUTS, order: "run, id" },
    Table { name: "agents", columns: AGENTS, order: "rowid" },
    Table { name: "agent_tool_permissions", columns: PERMISSIONS, order: "rowid" },
    Table { name: "pipelines", columns: PIPELINES, order: "rowid" },
    Table { name: "pipeline_runs", columns: PIPELINE_RUNS, order: "rowid" },
    Table { name: "pipeline_chunks", columns: RUN_TEXTS, order: "run, seq" },
    Table { name: "pipeline_requests", columns: RUN_REQUESTS, order: "seq" },
    Table { name: "tool_permission_rules", columns: RULES, order: "made" },
    Table { name: "session_rules", columns: SESSION_RULES, order: "made" },
    Table { name: "tokens", columns: TOKENS, order: "seq" },
    Table { name: "links", columns: LINKS, order: "hash" },
    Table { name: "events", columns: &[("seq", Number), ("at", Number), ("body", Text)], order: "seq" },
    Table { name: "audit_log", columns: LOG, order: "writer, seq" },
    Table { name: "writers", columns: WRITERS, order: "writer" },
    Table { name: "cuts", columns: CUTS, order: "writer" },
];

const RUNS: &[(&str, ColumnKind)] = &[
    ("id", Id),
    ("agent", Id),
    ("credential", Foreign),
    ("settings", Text),
    ("state", Text),
    ("version", Number),
    ("messages", Number),
    ("chunks", Number),
    ("owner", Id),
    ("works", Flag),
    ("created_at", Number),
    ("updated_at", Number),
    ("parent", Id),
    ("root", Id),
    ("reserved", Text),
];

const SUB_AGENTS: &[(&str, ColumnKind)] = &[("id", Id), ("run", Id), ("spec", Text), ("created_at", Number)];

const RUN_TEXTS: &[(&str, ColumnKind)] = &[("run", Id), ("seq", Number), ("body", Text)];

const RUN_REQUESTS: &[(&str, ColumnKind)] =
    &[("seq", Number), ("run", Id), ("body", Text), ("created_at", Number)];

const CALLS: &[(&str, ColumnKind)] = &[
    ("id", Id),
    ("input", Text),
    ("digest", Bytes),
    ("tool", Foreign),
    ("server", Foreign),
    ("agent", Foreign),
    ("credential", Foreign),
    ("workspace", Foreign),
    ("conversation", Foreign),
    ("run_id", Foreign),
    ("call_id", Foreign),
    ("cwd", Foreign),
    ("created_at", Number),
    ("ended_at", Number),
    ("facts", Text),
];

const APPROVALS: &[(&str, ColumnKind)] = &[
    ("seq", Number),
    ("id", Id),
    ("call", Id),
    ("credential", Foreign),
    ("scope", Foreign),
    ("call_key", Foreign),
    ("key", Key),
    ("state", Text),
    ("deadline", Number),
    ("claimed_at", Number),
    ("asked_at", Number),
    ("asked", Text),
    ("fate", Text),
];

const EXECUTIONS: &[(&str, ColumnKind)] = &[
    ("id", Id),
    ("execution_id", Id),
    ("tool_name", Foreign),
    ("input", Text),
    ("output", Foreign),
    ("is_error", Flag),
    ("duration_ms", Number),
    ("created_at", Number),
    ("call", Id),
    ("approval", Id),
    ("finished_at", Number),
    ("once", Bytes),
    ("began_at", Number),
    ("sandbox", Text),
    ("exit_code", Small),
    ("signal", Small),
];

const SCHEMAS: &[(&str, ColumnKind)] =
    &[("tool", Foreign), ("version", Bytes), ("schema", Text), ("used_at", Number)];

const RUN_TODOS: &[(&str, ColumnKind)] = &[("run", Id), ("todos", Text), ("updated_at", Number)];

const RUN_OUTPUTS: &[(&str, ColumnKind)] =
    &[("run", Id), ("id", Id), ("output", Foreign), ("bytes", Number), ("created_at", Number)];

const AGENTS: &[(&str, ColumnKind)] =
    &[("id", Id), ("name", Foreign), ("settings", Text), ("created_at", Number), ("updated_at", Number)];

const PIPELINES: &[(&str, ColumnKind)] =
    &[("id", Id), ("name", Foreign), ("definition", Text), ("created_at", Number), ("updated_at", Number)];

const PIPELINE_RUNS: &[(&str, ColumnKind)] = &[
    ("id", Id),
    ("pipeline", Id),
    ("credential", Foreign),
    ("settings", Text),
    ("state", Text),
    ("version", Number),
    ("chunks", Number),
    ("owner", Id),
    ("works", Flag),
    ("created_at", Number),
    ("updated_at", Number),
];

const PERMISSIONS: &[(&str, ColumnKind)] = &[
    ("id", Id),
    ("agent_id", Id),
    ("tool_name", Foreign),
    ("is_enabled", Flag),
    ("config", Text),
    ("require_approval", Flag),
    ("created_at", Number),
    ("updated_at", Number),
];

const RULES: &[(&str, ColumnKind)] = &[
    ("id", Id),
    ("made", Number),
    ("effect", Text),
    ("server_id", Foreign),
    ("tool_name", Foreign),
    ("tool_pattern", Foreign),
    ("priority", Number),
    ("agent", Foreign),
    ("command", Foreign),
    ("command_glob", Foreign),
    ("skill_name", Foreign),
    ("path", Foreign),
    ("host", Foreign),
    ("timeout_s", Number),
    ("on_timeout", Text),
    ("expires_at", Number),
    ("note", Foreign),
    ("examples", Text),
    ("unrestricted", Flag),
    ("created_at", Number),
    ("updated_at", Number),
    ("created_by", Foreign),
    ("input", Foreign),
];

const SESSION_RULES: &[(&str, ColumnKind)] = &[
    ("id", Id),
    ("made", Number),
    ("credential", Foreign),
    ("agent", Foreign),
    ("scope", Foreign),
    ("effect", Text),
    ("rule", Text),
    ("expires_at", Number),
    ("created_at", Number),
    ("updated_at", Number),
    ("created_by", Foreign),
];

const TOKENS: &[(&str, ColumnKind)] = &[
    ("seq", Number),
    ("id", Id),
    ("name", Foreign),
    ("role", Text),
    ("kind", Text),
    ("hash", Bytes),
    ("agent", Foreign),
    ("vouches", Flag),
    ("roots", Text),
    ("created_at", Number),
    ("created_by", Foreign),
    ("expires_at", Number),
    ("revoked_at", Number),
    ("last_used_at", Number),
    ("notifications", Text),
];

const LINKS: &[(&str, ColumnKind)] = &[
    ("hash", Bytes),
    ("name", Foreign),
    ("role", Text),
    ("created_at", Number),
    ("created_by", Foreign),
    ("expires_at", Number),
];

const LOG: &[(&str, ColumnKind)] = &[
    ("writer", Id),
    ("seq", Number),
    ("key", Small),
    ("at", Number),
    ("kind", Text),
    ("call", Id),
    ("approval", Id),
    ("execution", Id),
    ("tool", Text),
    ("server", Text),
    ("agent", Text),
    ("credential", Text),
    ("decision", Text),
    ("approver", Text),
    ("text", Text),
    ("body", Text),
    ("previous", Bytes),
    ("code", Bytes),
];

const WRITERS: &[(&str, ColumnKind)] = &[("writer", Id), ("seq", Number), ("code", Bytes), ("told", Number)];

const CUTS: &[(&str, ColumnKind)] =
    &[("writer", Id), ("seq", Number), ("head", Bytes), ("at", Number), ("key", Small), ("code", Bytes)];

impl Table {
    /// The query that reads all of it from the file.
    pub(super) fn select(&self) -> String {
        let columns: Vec<_> = self
            .columns
            .iter()
            .map(|(name, kind)| match kind {
                Key => format!("NULL AS {name}"),
                _ => (*name).to_owned(),
            })
            .collect();
        format!("SELECT {} FROM {} ORDER BY {}", columns.join(", "), self.name, self.order)
    }

    /// The statement that writes any number of rows, each column as an array.
    pub(super) fn insert(&self) -> String {
        let names: Vec<_> = self.columns.iter().map(|(name, _)| *name).collect();
        let arrays: Vec<_> = (1..)
            .zip(self.columns)
            .map(|(place, (_, kind))| {
                let of = match kind {
                    Id => "uuid",
                    Number => "bigint",
                    Small => "int",
                    Flag => "boolean",
                    Text | Foreign => "text",
                    Bytes | Key => "bytea",
                };
                format!("${place}::{of}[]")
            })
            .collect();
        format!(
            "INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE SELECT * FROM UNNEST({})",
            self.name,
            names.join(", "),
            arrays.join(", ")
        )
    }
}
