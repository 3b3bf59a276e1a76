//! The data of runs survives the kill of the process that wrote it.
//!
//! This binary starts itself again. The child writes to-do lists and outputs one after the other, and prints each number
//! after the store has answered. It is killed after some lines; everything that it printed is there.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use sekisho_tools::run_storage::{RunOutput, Todo, TodoStatus};
use uuid::Uuid;

use crate::postgres::harness::RUNTIME;
use crate::test_database::{TestDatabase, opened};

/// The file, or the URL of a database.
const LEDGER: &str = "SEKISHO_TEST_RUNS_LEDGER";
const RUN: Uuid = Uuid::from_u128(1);
/// What a line begins with.
const MARK: &str = "written ";
/// After how many lines the process is killed.
const LINES: u64 = 20;

fn todo(number: u64) -> Todo {
    Todo { content: number.to_string(), status: TodoStatus::Pending, id: None, active_form: None }
}

/// Does nothing by itself: the tests below run it.
#[test]
#[expect(clippy::disallowed_methods, reason = "whoever starts this process says so in its environment")]
fn writes_until_it_is_killed() {
    let Some(ledger) = std::env::var(LEDGER).ok() else { return };
    RUNTIME.block_on(async {
        let store = opened(&ledger).await;
        println!();
        for number in 0..1_000_000 {
            let at = jiff::Timestamp::now();
            let id = Uuid::from_u128(u128::from(number));
            let output = RunOutput { run: RUN, id, text: format!("output {number}"), at };
            assert!(store.keep_output(output, usize::MAX).await.unwrap());
            store.set_todos(RUN, vec![todo(number)], at).await.unwrap();
            println!("{MARK}{number}");
        }
    });
}

#[expect(clippy::disallowed_methods, reason = "a process to be killed")]
fn reported_data_is_there(site: &TestDatabase) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed_runs::writes_until_it_is_killed", "--nocapture"])
        .env(LEDGER, site.address())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let numbers = lines.by_ref().filter_map(|line| line.unwrap().strip_prefix(MARK)?.parse::<u64>().ok());
    let last = numbers.take(usize::try_from(LINES).unwrap()).last().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(last, LINES - 1);
    // It may have written more than it could print.
    let store = site.store();
    RUNTIME.block_on(async {
        let todos = store.todos(RUN).await.unwrap();
        let number: u64 = todos.first().unwrap().content.parse().unwrap();
        assert!(number >= last, "{number} < {last}");
        for number in 0..=number {
            let found = store.output(RUN, Uuid::from_u128(u128::from(number))).await.unwrap();
            assert_eq!(found, Some(format!("output {number}")));
        }
    });
}

#[test]
fn data_in_a_file_survives_a_kill() {
    reported_data_is_there(&TestDatabase::file());
}

#[test]
fn data_in_a_server_survives_a_kill() {
    reported_data_is_there(&TestDatabase::server());
}
