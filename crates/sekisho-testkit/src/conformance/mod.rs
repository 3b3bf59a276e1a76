//! What every ledger must do.
//!
//! The cases know the ports and nothing else, with one look behind them ([`Inspect`]) for what the ports only write. Time is
//! an argument, so there is no clock and nothing sleeps. A case panics with what is wrong.

mod admitting;
mod answering;
mod auditing;
mod claiming;
mod cutting;
mod desk;
mod durable;
mod keeping;
mod leaving;
mod listing;
mod opening;
mod parts;
mod past;
mod purging;
mod racing;
mod rules;
mod searching;
mod sweeping;
mod tokens;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use sekisho_gate::audit::Audit;
use sekisho_gate::ledger::{Later, Ledger};
use sekisho_gate::rules::Rules;
use sekisho_gate::tokens::Tokens;

use crate::block_on;
use crate::inspect::Inspect;

/// An open store.
#[derive(Clone)]
pub struct Store {
    /// Its ledger.
    pub ledger: Arc<dyn Ledger>,
    /// Its rules.
    pub rules: Arc<dyn Rules>,
    /// Its credentials.
    pub tokens: Arc<dyn Tokens>,
    /// Its log, signed with [`fixtures::seal`](crate::fixtures::seal).
    pub audit: Arc<dyn Audit>,
    /// What it holds behind them.
    pub inspect: Arc<dyn Inspect>,
}

/// Makes the stores that are tried. Each case gets a backend of its own.
pub trait Backend: Send + Sync {
    /// An empty store. Called once a case.
    fn fresh(&self) -> Later<'_, Store>;

    /// Closes the store, as the process that had it would by ending, and opens the same one again.
    fn reopen(&self, store: Store) -> Later<'_, Store>;

    /// Runs tasks truly at once. A backend that needs a runtime spawns them there instead.
    fn at_once(&self, tasks: Vec<Later<'static, ()>>) -> Later<'_, ()> {
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
pub type Case = for<'a> fn(&'a dyn Backend) -> Later<'a, ()>;

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
    admitting: what_runs_leaves_a_call_an_execution_a_line_and_an_event, what_is_turned_back_has_no_execution,
        an_execution_ends_once, an_execution_that_is_there_already_is_not_written_again;
    opening: a_new_question_is_kept_and_told, asking_again_joins, the_same_key_with_another_input_is_a_conflict,
        other_keys_are_other_questions, an_answer_waits_for_its_asker, a_taken_answer_is_a_new_question_here,
        a_remote_asker_reads_again_for_a_minute, an_expired_question_is_ended_and_asked_anew,
        an_aborted_question_is_asked_anew, the_latest_under_a_key_counts;
    answering: every_step_is_the_machines, the_first_answer_wins, an_answer_that_is_late_finds_it_expired,
        an_edited_call_is_kept_and_runs, an_edited_call_that_a_rule_denies_is_denied;
    claiming: an_answer_is_taken_once, a_remote_asker_is_told_again, a_refusal_is_told_and_runs_nothing,
        an_answer_that_no_longer_holds_runs_nothing, a_claim_whose_execution_is_there_already_changes_nothing;
    durable: an_allowed_call_is_admitted_once, only_durable_calls_of_this_process_are_held_to_it,
        a_call_that_is_turned_back_spends_nothing, a_call_that_is_turned_back_finds_that_it_ran,
        a_claimed_answer_spends_the_key,
        an_answer_goes_before_a_rule_that_came_later, a_question_that_spends_no_key_lets_nothing_run_under_one,
        an_answer_is_void_where_its_execution_was_never_permitted,
        a_yes_is_void_where_the_key_was_spent, a_refusal_that_was_taken_is_found_again,
        what_was_never_permitted_frees_its_key, a_spent_key_stays_spent_after_reopening,
        many_submissions_are_one_execution, executions_are_found_with_their_owner,
        a_schema_is_kept_by_tool_and_version;
    leaving: the_last_waiter_takes_the_question_along, another_replica_keeps_it, a_lost_replica_does_not_keep_it,
        a_replica_that_sweeps_keeps_it, parked_and_durable_questions_stay, each_question_has_its_own_waiters;
    sweeping: nothing_is_nothing, what_is_due_expires, the_next_moment_is_the_earliest,
        what_a_lost_replica_left_is_ended_after_a_while, a_replica_that_is_heard_of_abandons_nothing,
        joining_again_saves_it, a_replica_that_asks_is_heard_of, what_outlives_its_asker_is_never_abandoned;
    listing: pending_ones_come_in_order_and_in_pages, a_page_goes_on_after_one_that_ended,
        a_snapshot_says_what_it_reflects, events_have_no_gap, the_head_grows, questions_are_found_by_what_they_are,
        a_page_ends_where_its_questions_are_heavy_enough,
        questions_come_in_pages_newest_first;
    keeping: everything_is_there_after_reopening, it_goes_on_after_reopening, waiters_are_still_known_after_reopening,
        every_fate_reads_as_it_was_written, what_is_not_there_is_not_found, notes_go_on_the_record;
    rules: they_are_listed_in_the_order_they_were_made, a_change_takes_the_place_of_the_old_one,
        what_is_removed_is_gone, a_sessions_rules_end_with_it, all_are_added_or_none, the_revision_grows,
        they_are_there_after_reopening;
    tokens: they_are_listed_in_the_order_they_were_made, what_is_revoked_stays_and_counts_no_more,
        use_is_noted_once_a_minute, a_link_is_followed_once, a_link_that_has_ended_is_not_followed,
        what_is_there_already_is_not_written_again, wishes_are_kept, what_is_not_there_is_not_found,
        one_link_lets_one_device_in;
    parts: a_line_is_treated_like_any_other, an_event_of_a_newer_version_is_kept;
    past: calls_come_as_they_were_judged, facts_are_raw_beside_the_input_and_masked_in_the_log,
        what_was_purged_is_left_out, an_older_record_has_no_facts;
    racing: many_askers_are_one_question, two_answers_are_one, equal_answers_are_one, many_claims_are_one,
        an_answer_and_a_leaving_are_one, snapshots_agree_with_events_while_others_write;
    auditing: what_was_written_verifies, many_writers_at_once_leave_a_chain, what_fails_leaves_no_gap,
        checkpoints_vouch_for_what_grew, spools_are_taken_in_once, keys_change_in_the_middle;
    searching: every_field_finds_its_rows, pages_turn_and_rows_are_followed, a_span_of_time_in_numbers,
        the_commands_that_were_asked_about;
    cutting: what_is_old_is_cut_and_the_rest_verifies, a_chain_goes_on_after_its_cut, a_chain_never_disappears;
    purging: inputs_are_forgotten_after_the_end, what_an_answer_changed_is_forgotten_too,
        the_words_of_a_command_are_forgotten_wherever_they_were_kept, what_may_still_run_keeps_its_input;
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
