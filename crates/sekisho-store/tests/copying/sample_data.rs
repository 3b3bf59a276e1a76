//! Sample data with rows of every kind.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;
use sekisho_agent::agents::{Agent, AgentChange, AgentMode, AgentSettings, Agents, Budgets, ToolPermission};
use sekisho_agent::conversation::Provider;
use sekisho_agent::machine::{RunLimits, RunState};
use sekisho_agent::pipelines::definition::PipelineDefinition;
use sekisho_agent::pipelines::machine::PipelineState;
use sekisho_agent::pipelines::stored_pipelines::{Pipeline, PipelineChange};
use sekisho_agent::pipelines::stored_runs::{
    PipelineRequest, PipelineRunSettings, StageAgent, StoredPipelineRun,
};
use sekisho_agent::run_settings::RunSettings;
use sekisho_agent::run_trees::{ReplyNeeds, Reserved, SubAgent, SubAgentSpec, TreeGrowth};
use sekisho_agent::runs::{RunCreation, RunRequest, Runs, StoredRun};
use sekisho_agent::{PipelineRuns, Pipelines};
use sekisho_gate::WriteAccess;
use sekisho_gate::answer::{Actor, Answer, Role};
use sekisho_gate::approval::Approval;
use sekisho_gate::approval_machine::{ApprovalTrigger, Claim, REREAD_WINDOW};
use sekisho_gate::audit::{AuditLog, WriterId};
use sekisho_gate::caller::{Caller, Session};
use sekisho_gate::input_schema::InputSchema;
use sekisho_gate::ledger::{ExecutionOutcome, ExecutionStart, Ledger, NewApproval, ProgramExit};
use sekisho_gate::record::{AuditEntry, Record, RecordKind};
use sekisho_gate::registered_records::CheckedRecord;
use sekisho_gate::rule_store::{RuleStore, StoredRule};
use sekisho_gate::token_store::{
    NewDevice, SecretHash, SignInLink, Token, TokenKind, TokenStore, link_created_record,
    token_created_record, token_revoked_record,
};
use sekisho_gate::{ExecutionId, TokenId};
use sekisho_policy::{Call, Effect, Example, Examples, OnTimeout, Rule};
use sekisho_store::{Options, SqliteStore};
use sekisho_testkit::fixtures::{
    admission, answer_trigger, audit_config, call, caller, new_approval, pending_approval, replica,
    rules_changed_record, seconds_after_start, stored_rule,
};
use sekisho_tools::run_storage::{RunOutput, Todo, TodoStatus};
use sekisho_tools::{RunStorage, ToolConfig};
use serde_json::json;

/// A file in a temporary directory.
pub(crate) struct File {
    _directory: tempfile::TempDir,
    pub(crate) path: PathBuf,
    /// An approval that is still pending.
    pub(crate) pending: Approval,
}

impl File {
    pub(crate) async fn filled() -> File {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ledger.db");
        old_rows(&SqliteStore::open(&path, Options::new(audit_config())).unwrap()).await;
        let store = SqliteStore::open(&path, Options::new(audit_config())).unwrap();
        calls(&store).await;
        let pending = questions(&store).await;
        rules(&store).await;
        tokens(&store).await;
        runs(&store).await;
        pipelines(&store).await;
        agents(&store).await;
        store.checkpoint(seconds_after_start(900)).await.unwrap();
        let removed = store.prune(seconds_after_start(50), seconds_after_start(901)).await.unwrap();
        let purged = store.purge(seconds_after_start(50) + REREAD_WINDOW).await.unwrap();
        assert!(removed > 0 && purged > 0, "{removed} {purged}");
        drop(store);
        File { _directory: directory, path, pending }
    }

    pub(crate) fn store(&self) -> SqliteStore {
        SqliteStore::open(&self.path, Options::new(audit_config())).unwrap()
    }

    /// A connection as another process would open it.
    pub(crate) fn other(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(&self.path).unwrap()
    }
}

/// A separate chain, most of which is pruned.
async fn old_rows(store: &SqliteStore) {
    for second in 0..5 {
        let old = admission(call("old"), caller(), seconds_after_start(second), Effect::Deny);
        store.admit(WriteAccess::TESTS, old).await.unwrap();
    }
}

/// The start of a tool's run.
fn start(execution: ExecutionId) -> ExecutionStart {
    let kind = RecordKind::from_name("tool.execution_started").unwrap();
    let at = seconds_after_start(100);
    let body = json!({ "input": { "text": "é\u{0}" } });
    let entry = AuditEntry::without_call(kind, at, None, "started".into(), body);
    let record = Record { entry: AuditEntry { execution: Some(execution), ..entry }, event: None };
    ExecutionStart { at, sandbox: Some("full".into()), record }
}

async fn calls(store: &SqliteStore) {
    let strange = Call { tool: "a\0b\u{1}c".into(), cwd: Some("é関所'\\".into()), ..call("\u{1}0") };
    for effect in [Effect::Allow, Effect::Deny] {
        for call in [strange.clone(), call("plain"), Call { call_id: None, conversation: None, ..call("") }] {
            let admitted = admission(call, caller(), seconds_after_start(100), effect);
            let execution = admitted.execution;
            store.admit(WriteAccess::TESTS, admitted).await.unwrap();
            if let Some(execution) = execution {
                let ending = ExecutionOutcome {
                    at: seconds_after_start(101),
                    is_error: true,
                    output: Some("\0no".into()),
                    duration_ms: Some(7),
                    exit: Some(ProgramExit::Signal(9)),
                };
                let start = start(execution);
                assert!(store.begin(WriteAccess::TESTS, execution, start).await.unwrap());
                assert!(store.finish(WriteAccess::TESTS, execution, ending).await.unwrap());
            }
        }
    }
    // More than one batch.
    let line = |text: String| {
        AuditEntry::without_call(
            RecordKind::Token,
            seconds_after_start(200),
            None,
            text,
            json!({ "é": "\u{0}" }),
        )
    };
    let lines = (0..2500).map(|number| line(format!("token {number}"))).collect();
    assert_eq!(
        store.import_spool(WriteAccess::TESTS, WriterId(uuid::Uuid::from_u128(7)), 1, lines).await,
        Ok(2500)
    );
}

/// An approval in every state; returns one that is pending.
async fn questions(store: &SqliteStore) -> Approval {
    let ask = async |call_id: &str, asker: Caller| {
        let asked = pending_approval(call(call_id), asker, seconds_after_start(300), Some(10_000));
        store.open(WriteAccess::TESTS, new_approval(&asked, replica(1))).await.unwrap();
        asked
    };
    let step = async |asked: &Approval, happening: ApprovalTrigger, at: Timestamp| {
        assert!(store.step(WriteAccess::TESTS, asked.id, happening, at).await.unwrap().unwrap().changed);
    };
    let answer =
        |asked: &Approval, answer: Answer| answer_trigger(asked, answer, None, seconds_after_start(301));
    let denied = ask("denied", caller()).await;
    step(&denied, answer(&denied, Answer::deny()), seconds_after_start(301)).await;
    let approved = ask("approved\0", caller()).await;
    step(&approved, answer(&approved, Answer::approve()), seconds_after_start(301)).await;
    let claimed = ask("claimed", caller()).await;
    let edit = Answer::approve().with_input(json!({ "edited": 1.5e-7 }));
    step(&claimed, answer(&claimed, edit), seconds_after_start(301)).await;
    step(
        &claimed,
        ApprovalTrigger::Claimed(Claim::Run(ExecutionId::new(seconds_after_start(302)))),
        seconds_after_start(302),
    )
    .await;
    let expired = ask("expired", caller()).await;
    step(&expired, ApprovalTrigger::TimePassed, seconds_after_start(90_000)).await;
    let aborted = ask("aborted", caller()).await;
    store.leave(WriteAccess::TESTS, aborted.id, replica(1), seconds_after_start(303)).await.unwrap();
    let keyless =
        pending_approval(Call { call_id: None, ..call("") }, caller(), seconds_after_start(304), None);
    let schema = InputSchema::new(json!({ "title": "é関所\u{0}" })).unwrap();
    let keyless = NewApproval { schema: Some(schema), ..new_approval(&keyless, replica(1)) };
    store.open(WriteAccess::TESTS, keyless).await.unwrap();
    let once = admission(call("once"), caller().durable(), seconds_after_start(305), Effect::Allow);
    store.admit(WriteAccess::TESTS, once).await.unwrap();
    ask("parked", caller().durable()).await;
    ask("pending\0", caller()).await
}

async fn rules(store: &SqliteStore) {
    let text = |name: &str| Some(name.to_owned());
    let mut whole = stored_rule("deploy", Effect::Confirm, seconds_after_start(400));
    whole.rule = Rule {
        priority: -7,
        server: text("server"),
        tool_pattern: text("t*\0"),
        agent: text("agent"),
        timeout_s: Some(u32::MAX),
        on_timeout: Some(OnTimeout::Park),
        expires_at: Some(seconds_after_start(100_000)),
        note: text("why"),
        examples: Some(Examples { matching: vec![Example::Text("x".into())], not_match: Vec::new() }),
        unrestricted: true,
        ..whole.rule
    };
    let session = Session { credential: "token-1".into(), agent: text("a"), scope: "run:\u{1}".into() };
    let of_session = StoredRule {
        session: Some(session),
        ..stored_rule("deploy", Effect::Allow, seconds_after_start(401))
    };
    let gone = stored_rule("gone", Effect::Deny, seconds_after_start(402));
    store
        .add(
            WriteAccess::TESTS,
            vec![whole, of_session, gone.clone()],
            rules_changed_record(seconds_after_start(403), "made"),
        )
        .await
        .unwrap();
    assert!(
        store
            .remove(WriteAccess::TESTS, gone.id, rules_changed_record(seconds_after_start(404), "removed"))
            .await
            .unwrap()
    );
}

pub(crate) fn token(name: &str, seconds: i64) -> Token {
    Token {
        id: TokenId::new(seconds_after_start(seconds)),
        name: name.into(),
        role: Role::Agent,
        kind: TokenKind::Api,
        hash: SecretHash::of(name.as_bytes()),
        agent: Some("é\0".into()),
        vouches_for_server: true,
        roots: vec!["/work/\0".into()],
        created_at: seconds_after_start(seconds),
        created_by: "Ada\u{1}".into(),
        expires_at: Some(seconds_after_start(seconds + 9)),
        revoked_at: None,
        last_used_at: None,
    }
}

/// A to-do list and an output, newer than what is purged.
async fn runs(store: &SqliteStore) {
    let (run, at) = (uuid::Uuid::from_u128(7), seconds_after_start(800));
    let todo = Todo {
        content: "first\0".into(),
        status: TodoStatus::InProgress,
        id: None,
        active_form: Some("é".into()),
    };
    store.set_todos(run, vec![todo], at).await.unwrap();
    let output = RunOutput { run, id: uuid::Uuid::from_u128(8), text: "a\0b\u{1}\n".into(), at };
    assert!(store.keep_output(output, 100).await.unwrap());
    let settings = RunSettings {
        agent: uuid::Uuid::from_u128(9),
        agent_name: "é\0".into(),
        credential: "a\0b\u{1}".into(),
        provider: Provider::Scripted,
        model: "script".into(),
        system: Some("\0".into()),
        temperature: Some(0.7),
        max_tokens: 7,
        context_tokens: 128_000,
        price: None,
        workspace: None,
        enabled_tools: None,
        requires_approval: false,
        mode: None,
        parent: None,
        stage: None,
        approvals_expire: false,
        tool_config: BTreeMap::new(),
    };
    let limits = RunLimits::replies(5);
    let (state, step) = RunState::start(limits, "go\0".into());
    let owner = Some(replica(1));
    let started = StoredRun {
        id: run,
        settings,
        state,
        version: 0,
        chunk_count: 0,
        owner,
        created_at: at,
        updated_at: at,
    };
    assert_eq!(store.create(started, step, None).await.unwrap(), RunCreation::Stored);
    sub_agent(store, run).await;
    for text in ["more\0", "and more"] {
        let message = RunRequest::Message { text: text.into() };
        assert!(store.request(run, message, at).await.unwrap());
    }
}

/// A pipeline, and a run of it with requests.
async fn pipelines(store: &SqliteStore) {
    let at = seconds_after_start(802);
    let record = || CheckedRecord::for_tests(rules_changed_record(at, "a pipeline changed"));
    let stage = json!({ "agent": "a\0", "prompt": "go\0" });
    let definition: PipelineDefinition =
        serde_json::from_value(json!({ "name": "p\0\u{1}", "stages": [stage] })).unwrap();
    let pipeline = uuid::Uuid::from_u128(10);
    let stored = Pipeline { id: pipeline, definition: definition.clone(), created_at: at, updated_at: at };
    assert_eq!(store.create_pipeline(stored, record()).await.unwrap(), PipelineChange::Stored);
    let id = uuid::Uuid::from_u128(11);
    let (state, chunks) = PipelineState::start(id, 1, (Some(7), None), at);
    let settings = PipelineRunSettings {
        pipeline: Some(pipeline),
        definition,
        agents: vec![StageAgent { id: uuid::Uuid::from_u128(9), name: "a\0".into() }],
        input: "\0".into(),
        credential: "a\0b\u{1}".into(),
        roots: Vec::new(),
        started_by: Actor::Rule("a rule".into()),
    };
    let run = StoredPipelineRun {
        id,
        settings,
        state,
        version: 0,
        chunk_count: 1,
        owner: Some(replica(1)),
        created_at: at,
        updated_at: at,
    };
    let created = store.create_pipeline_run(run, chunks, None, record()).await.unwrap();
    assert_eq!(created, RunCreation::Stored);
    for request in [PipelineRequest::Retry, PipelineRequest::Abort { why: "\0".into() }] {
        assert!(store.request_of_pipeline_run(id, request, at).await.unwrap());
    }
}

/// A sub-agent of a run, and what the run reserved.
async fn sub_agent(store: &SqliteStore, run: uuid::Uuid) {
    let spec = SubAgentSpec {
        name: "é/\0".into(),
        system_prompt: "\0".into(),
        model: "m".into(),
        tools: BTreeMap::new(),
    };
    let agent = SubAgent { id: uuid::Uuid::from_u128(10), run, spec, created_at: seconds_after_start(800) };
    assert_eq!(store.create_sub_agent(agent, 1).await.unwrap(), TreeGrowth::Stored);
    let needs = ReplyNeeds { tokens: 7, cost: None };
    assert_eq!(store.reserve(run, run, needs).await.unwrap(), Reserved::Granted);
}

/// An agent with a tool.
async fn agents(store: &SqliteStore) {
    let at = seconds_after_start(801);
    let settings = AgentSettings {
        name: "a\0b\u{1}".into(),
        provider: Provider::Anthropic,
        model: "m".into(),
        system_prompt: Some("\0".into()),
        user_prompt: None,
        temperature: 0.7,
        max_tokens: 4096,
        context_tokens: 128_000,
        budgets: Budgets::default(),
        mode: AgentMode::Auto,
        require_tool_approval: true,
        workspace: None,
    };
    let id = uuid::Uuid::from_u128(9);
    let record = || CheckedRecord::for_tests(rules_changed_record(at, "an agent changed"));
    let agent = Agent { id, settings, created_at: at, updated_at: at };
    let stored = store.create_agent(agent, record()).await.unwrap();
    assert_eq!(stored, AgentChange::Stored);
    let config = Some(ToolConfig { shell_timeout_ms: Some(7), ..ToolConfig::default() });
    let tool = ToolPermission { tool_name: "t\0".into(), is_enabled: true, config, require_approval: true };
    assert!(store.set_tool_permissions(id, vec![tool], at, record()).await.unwrap());
}

/// A revoked token, a device's token, and a link that was not followed.
async fn tokens(store: &SqliteStore) {
    let first = token("first\0", 500);
    store
        .add_token(
            WriteAccess::TESTS,
            first.clone(),
            token_created_record(&first, None, seconds_after_start(500)),
        )
        .await
        .unwrap();
    assert!(store.set_notifications(first.id, json!({ "é": "\u{0}" })).await.unwrap());
    assert!(
        store
            .revoke_token(
                WriteAccess::TESTS,
                first.id,
                seconds_after_start(501),
                token_revoked_record(&first, None, seconds_after_start(501))
            )
            .await
            .unwrap()
    );
    for secret in ["a", "b"] {
        let link = SignInLink {
            hash: SecretHash::of(secret.as_bytes()),
            name: "phone\0".into(),
            role: Role::Approver,
            created_at: seconds_after_start(502),
            created_by: "Ada".into(),
            expires_at: seconds_after_start(1000),
        };
        store.add_link(WriteAccess::TESTS, link.clone(), link_created_record(&link, None)).await.unwrap();
    }
    let device = NewDevice {
        id: TokenId::new(seconds_after_start(503)),
        hash: SecretHash::of(b"c"),
        user_agent: None,
        expires_at: None,
    };
    assert!(
        store.follow_link(SecretHash::of(b"a"), device, seconds_after_start(503)).await.unwrap().is_some()
    );
}
