//! What every store must do.
//!
//! The cases know only the ports, plus [`Inspect`] for data that the ports only write. Time is an argument,
//! so there is no clock and nothing sleeps. A case panics with what is wrong.

mod admissions;
mod approval_lists;
mod approval_opening;
mod approval_transitions;
mod audit_chains;
mod audit_search;
mod claims;
mod departures;
mod event_log;
mod execute_once;
mod expiry;
mod harness;
mod input_purge;
mod log_pruning;
mod past_calls;
mod persistence;
mod races;
mod registered_records;
mod rule_store;
mod run_storage;
mod token_store;
mod tool_runs;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use sekisho_gate::audit::AuditLog;
use sekisho_gate::ledger::{BoxFuture, Ledger};
use sekisho_gate::rule_store::RuleStore;
use sekisho_gate::token_store::TokenStore;
use sekisho_tools::RunStorage;

use crate::block_on;
use crate::inspect::Inspect;

/// An open store.
#[derive(Clone)]
pub struct StorePorts {
    /// Its ledger.
    pub ledger: Arc<dyn Ledger>,
    /// Its rules.
    pub rules: Arc<dyn RuleStore>,
    /// Its tokens.
    pub tokens: Arc<dyn TokenStore>,
    /// The data of runs.
    pub runs: Arc<dyn RunStorage>,
    /// Its audit log, signed with [`fixtures::audit_config`](crate::fixtures::audit_config).
    pub audit: Arc<dyn AuditLog>,
    /// Direct access to the stored data.
    pub inspect: Arc<dyn Inspect>,
}

/// Makes the stores under test. Each case gets a backend of its own.
pub trait Backend: Send + Sync {
    /// An empty store. Called once per case.
    fn fresh(&self) -> BoxFuture<'_, StorePorts>;

    /// Closes the store, as if its process had ended, and opens it again.
    fn reopen(&self, store: StorePorts) -> BoxFuture<'_, StorePorts>;

    /// Runs tasks in parallel. A backend that needs a runtime spawns them there instead.
    fn at_once(&self, tasks: Vec<BoxFuture<'static, ()>>) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let start = std::sync::Barrier::new(tasks.len());
            std::thread::scope(|threads| {
                for task in tasks {
                    threads.spawn(|| {
                        start.wait();
                        block_on(task);
                    });
                }
            });
        })
    }
}

/// One case.
pub type Case = for<'a> fn(&'a dyn Backend) -> BoxFuture<'a, ()>;

macro_rules! cases {
    ($($module:ident: $($case:ident),+;)+) => {
        /// Every case with its name.
        pub fn cases() -> Vec<(&'static str, Case)> {
            vec![$($((
                concat!(stringify!($module), "::", stringify!($case)),
                (|backend| Box::pin($module::$case(backend))) as Case,
            )),+),+]
        }
    };
}

cases! {
    admissions: allowed_call_writes_call_execution_entry_and_event, denied_call_has_no_execution,
        execution_ends_once, existing_execution_is_not_written_again;
    approval_opening: new_approval_is_stored_and_announced, second_request_joins,
        same_key_with_another_input_conflicts, different_keys_open_different_approvals,
        answer_waits_for_its_caller, claimed_answer_opens_a_new_approval_locally,
        remote_caller_can_read_again_for_a_minute, expired_approval_ends_and_a_new_one_opens,
        aborted_approval_is_opened_anew, latest_approval_under_a_key_counts;
    approval_transitions: every_step_follows_the_state_machine, first_answer_wins, late_answer_finds_it_expired,
        edited_call_is_stored_and_runs, edited_call_denied_by_a_rule_is_denied;
    claims: answer_is_claimed_once, remote_caller_can_read_the_answer_again, claimed_denial_runs_nothing,
        void_answer_runs_nothing, claim_with_an_existing_execution_changes_nothing;
    execute_once: allowed_call_is_admitted_once, only_local_durable_calls_spend_a_key,
        denied_call_spends_no_key, denied_call_is_told_that_it_ran, claimed_answer_spends_the_key, earlier_answer_beats_a_later_rule,
        approval_without_a_durable_key_permits_no_durable_call,
        answer_is_void_if_its_execution_was_never_permitted, approve_is_void_if_the_key_was_spent,
        claimed_denial_is_found_again, unpermitted_execution_frees_its_key,
        spent_key_stays_spent_after_reopening, many_submissions_make_one_execution,
        executions_are_found_with_their_owner, schema_is_stored_by_tool_and_version;
    departures: approval_ends_when_its_last_waiter_leaves, another_waiting_replica_keeps_the_approval,
        lost_replica_does_not_keep_the_approval, sweeping_replica_keeps_its_approvals,
        parked_and_durable_approvals_stay, each_approval_has_its_own_waiters;
    expiry: empty_store_expires_nothing, due_approvals_expire, next_deadline_is_the_earliest,
        approvals_of_a_lost_replica_end_after_the_grace_period, live_replica_abandons_nothing,
        joining_again_keeps_the_approval, opening_an_approval_marks_the_replica_as_seen,
        approval_that_outlives_its_caller_is_never_abandoned;
    approval_lists: pending_approvals_are_ordered_and_paged, page_continues_after_an_ended_approval,
        approvals_are_found_by_every_filter, page_is_bounded_by_size, approvals_are_paged_newest_first;
    event_log: snapshot_names_its_last_event, events_have_no_gap, event_head_grows;
    persistence: everything_survives_reopening, work_continues_after_reopening, waiters_survive_reopening,
        every_status_round_trips, missing_ids_are_not_found, notes_are_recorded;
    rule_store: list_is_in_creation_order, replacement_keeps_the_position, removed_rule_is_gone,
        session_rules_end_with_their_session, all_rules_are_added_or_none, revision_grows,
        rules_survive_reopening;
    token_store: list_is_in_creation_order, revoked_token_stays_listed_and_is_invalid,
        use_is_recorded_once_a_minute, link_is_followed_once, expired_link_is_not_followed,
        existing_rows_are_not_written_again, notification_settings_are_stored, missing_ids_are_not_found,
        one_link_signs_in_one_device;
    registered_records: component_record_is_treated_like_any_other, event_of_a_newer_version_is_kept;
    past_calls: calls_are_listed_as_judged, facts_are_raw_in_the_call_and_masked_in_the_log,
        purged_calls_are_left_out, older_record_has_no_facts;
    races: many_callers_open_one_approval, one_of_two_racing_answers_wins, equal_racing_answers_count_once,
        one_of_many_claims_wins, answer_and_leave_race_has_one_winner,
        snapshots_agree_with_events_while_others_write;
    audit_chains: written_rows_verify, concurrent_writes_leave_valid_chains, failed_write_leaves_no_gap,
        checkpoints_cover_chains_that_grew, spools_are_imported_once, keys_can_change_in_the_middle;
    audit_search: every_field_finds_its_rows, pages_and_following_rows, calls_are_listed_once_with_their_rows,
        statistics_of_a_time_span, most_confirmed_commands;
    log_pruning: old_rows_are_pruned_and_the_rest_verifies, chain_continues_after_its_cut,
        chain_never_disappears;
    input_purge: inputs_are_purged_after_the_end, edited_inputs_are_purged_too,
        command_text_is_purged_everywhere, facts_of_a_call_are_purged, call_that_may_still_run_keeps_its_input;
    run_storage: todos_are_replaced_and_survive_reopening, outputs_belong_to_one_run,
        output_is_stored_once_and_within_the_limit, unused_data_is_deleted_unless_a_question_is_open;
    tool_runs: run_is_stored_from_begin_to_end, input_of_a_run_is_masked_and_purged,
        run_that_was_cut_off_is_told_from_others, execution_begins_once;
}

/// Runs every case on backends that need no runtime, and panics with the names of those that failed.
pub fn run(backend: impl Fn() -> Box<dyn Backend>) {
    let fails = |case: Case| {
        let backend = backend();
        catch_unwind(AssertUnwindSafe(|| block_on(case(backend.as_ref())))).is_err()
    };
    let failed: Vec<&str> =
        cases().into_iter().filter(|(_, case)| fails(*case)).map(|(name, _)| name).collect();
    assert!(failed.is_empty(), "{} cases failed: {}", failed.len(), failed.join(", "));
}
