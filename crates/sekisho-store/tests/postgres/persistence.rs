//! Stored values come back unchanged, whatever they contain.

use sekisho_gate::WriteAccess;

use sekisho_gate::ledger::LedgerReader;

use sekisho_gate::ExecutionId;
use sekisho_gate::approval_machine::ApprovalTrigger;
use sekisho_gate::ledger::{ExecutionOutcome, Ledger, OpenOutcome};
use sekisho_policy::{Call, Effect};
use sekisho_testkit::fixtures::{
    admission, call, caller, new_approval, pending_approval, replica, seconds_after_start,
};

use super::harness::{RUNTIME, fresh, other};

/// PostgreSQL cannot store NUL in text, nor long text in an index.
#[test]
fn unusual_text_is_stored_unchanged() {
    RUNTIME.block_on(async {
        let (store, url) = fresh().await;
        let long = "x".repeat(100_000);
        for text in ["\0", "\u{1}0", "a\0b", &long, "é関所\u{202e}", "'; DROP TABLE calls; --", "\\"] {
            let strange = Call {
                tool: text.into(),
                call_id: Some(text.into()),
                conversation: Some(text.into()),
                cwd: Some(text.into()),
                workspace: Some(text.into()),
                ..call("1")
            };
            store
                .admit(
                    WriteAccess::TESTS,
                    admission(strange.clone(), caller(), seconds_after_start(0), Effect::Deny),
                )
                .await
                .unwrap();
            let asked = pending_approval(strange.clone(), caller(), seconds_after_start(0), Some(60));
            assert_eq!(
                store.open(WriteAccess::TESTS, new_approval(&asked, replica(1))).await,
                Ok(OpenOutcome::New),
                "{text:.9?}"
            );
            let again = pending_approval(strange.clone(), caller(), seconds_after_start(1), Some(60));
            assert_eq!(
                store.open(WriteAccess::TESTS, new_approval(&again, replica(1))).await,
                Ok(OpenOutcome::Joined(asked.clone())),
                "{text:.9?}"
            );
            assert_eq!(store.approval(asked.id).await.unwrap().unwrap(), asked);
            store
                .step(WriteAccess::TESTS, asked.id, ApprovalTrigger::TimePassed, seconds_after_start(100))
                .await
                .unwrap();
            let mut run = admission(strange, caller(), seconds_after_start(0), Effect::Allow);
            let execution = ExecutionId::new(seconds_after_start(0));
            run.execution = Some(execution);
            store.admit(WriteAccess::TESTS, run).await.unwrap();
            let ending = ExecutionOutcome {
                at: seconds_after_start(3),
                is_error: false,
                output: Some(text.into()),
                duration_ms: Some(1),
                exit: None,
            };
            assert_eq!(store.finish(WriteAccess::TESTS, execution, ending).await, Ok(true));
        }
        let tables: i64 =
            other(&url).await.query_one("SELECT count(*) FROM calls", &[]).await.unwrap().get(0);
        assert_eq!(tables, 7 * 3);
    });
}

#[test]
fn published_tables_have_their_columns() {
    RUNTIME.block_on(async {
        let (_store, url) = fresh().await;
        let columns = "SELECT string_agg(column_name, ' ' ORDER BY ordinal_position) \
            FROM information_schema.columns WHERE table_name = $1";
        let expected = [
            (
                "tool_executions",
                "id execution_id tool_name input output is_error duration_ms created_at call approval finished_at \
                 once began_at sandbox exit_code signal",
            ),
            ("run_todos", "run todos updated_at"),
            ("run_outputs", "run id output bytes created_at"),
            (
                "runs",
                "id agent credential settings state version messages chunks owner works created_at updated_at \
                 parent root reserved",
            ),
            ("sub_agents", "id run spec created_at"),
            ("agents", "id name settings created_at updated_at"),
            ("run_messages", "run seq body"),
            ("run_chunks", "run seq body"),
            ("run_requests", "seq run body created_at"),
            ("pipelines", "id name definition created_at updated_at"),
            (
                "pipeline_runs",
                "id pipeline credential settings state version chunks owner works created_at updated_at",
            ),
            ("pipeline_chunks", "run seq body"),
            ("pipeline_requests", "seq run body created_at"),
            (
                "agent_tool_permissions",
                "id agent_id tool_name is_enabled config require_approval created_at updated_at",
            ),
            (
                "audit_log",
                "writer seq key at kind call approval execution tool server agent credential decision approver \
                 text body previous code",
            ),
            (
                "tool_permission_rules",
                "id made effect auto_approve server_id tool_name tool_pattern priority agent command command_glob \
                 skill_name path host timeout_s on_timeout expires_at note examples unrestricted created_at \
                 updated_at created_by input",
            ),
        ];
        let other = other(&url).await;
        for (table, names) in expected {
            let found: String = other.query_one(columns, &[&table]).await.unwrap().get(0);
            assert_eq!(found, names, "{table}");
        }
        let changed = other.execute("DELETE FROM audit_log", &[]).await.unwrap_err();
        assert!(changed.as_db_error().unwrap().message().contains("audit log"), "{changed}");
    });
}
