//! Processes that are killed during work.
//!
//! This binary starts itself again as a gate with many callers and approvers on one database. Each of them
//! prints what it was told before it continues. After a number of lines the process is killed, and the
//! database is compared with the output: everything that was reported is stored, and nothing was reported
//! that is not stored. Then the next process continues with the same database, and callers return with the
//! same keys.
//!
//! Progress is counted in lines, never in time, so a slow machine kills at the same points as a fast one.

pub(crate) mod checks;
mod child;
pub(crate) mod report_line;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use self::checks::ReportLog;
use self::report_line::ReportLine;
use crate::test_database::TestDatabase;

/// How many processes are killed.
const KILLS: u64 = 20;
/// How many of them share one database.
const A_LEDGER: u64 = 20;
/// A process is killed after fewer lines than this.
const LINES: u64 = 200;
/// The application name of such a process on the server.
const KILLED: &str = "killed";
/// A process that prints nothing for this long hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

#[expect(clippy::disallowed_methods, reason = "the long form of the proof is asked for by the environment")]
pub(crate) fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

#[test]
fn reported_results_survive_a_kill_in_a_file() {
    reported_results_survive_a_kill(TestDatabase::file);
}

#[test]
fn reported_results_survive_a_kill_in_a_server() {
    reported_results_survive_a_kill(TestDatabase::server);
}

/// When a process is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// As soon as there is an approval that only a later process answers.
    Left,
    /// This many milliseconds after its start, whether or not it has opened the database by then.
    Starting(u64),
    /// After this many lines.
    Lines(u64),
    /// As soon as something of every kind was reported that could be lost.
    Full,
}

fn reported_results_survive_a_kill(fresh: fn() -> TestDatabase) {
    let kills = number("SEKISHO_KILLS").unwrap_or(KILLS).max(2);
    let seed = number("SEKISHO_KILL_SEED").unwrap_or(7);
    println!("{kills} kills from seed {seed}: SEKISHO_KILLS and SEKISHO_KILL_SEED change them");
    let mut site = fresh();
    let mut book = ReportLog::default();
    let mut is_first = true;
    for kill in 0..kills {
        // Open approvals pile up until a process only has time to read them. Every database is used by more
        // than one process.
        let is_last = kill + 1 == kills || ((kill + 1) % A_LEDGER == 0 && kills - kill > 2);
        let random = random(seed, kill);
        let moment = match (is_first, is_last) {
            (true, _) => Moment::Left,
            (_, true) => Moment::Full,
            _ if kill % 5 == 3 => Moment::Starting(5 + random % 100),
            _ => Moment::Lines(random % LINES),
        };
        kill_one(&site, kill, moment, &mut book);
        if let Err(wrong) = book.check(&site) {
            panic!("seed {seed}, kill {kill} ({moment:?}): {wrong}");
        }
        if is_last {
            finish(&site, &book);
            (site, book) = (fresh(), ReportLog::default());
        }
        is_first = is_last;
    }
}

/// Everything reported about a database still holds, and something of every kind was reported.
fn finish(site: &TestDatabase, book: &ReportLog) {
    book.still_holds(site).unwrap();
    println!("{}", book.sums());
    assert!(book.is_full(), "there was something to be lost: {}", book.sums());
}

/// Starts a process, kills it, and adds everything it reported to the log.
fn kill_one(site: &TestDatabase, generation: u64, moment: Moment, book: &mut ReportLog) {
    let mut process = started(site, generation);
    let output = process.stdout.take().unwrap();
    let (sender, lines) = channel();
    let reader = std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut line = String::new();
        // A line without a line break was not reported.
        while output.read_line(&mut line).is_ok_and(|read| read > 0) && line.ends_with('\n') {
            if let Some(told) = ReportLine::read(&line) {
                sender.send(told).unwrap();
            }
            line.clear();
        }
    });
    book.begin(generation);
    wait_for(moment, &lines, book);
    assert!(process.try_wait().unwrap().is_none(), "it runs until it is killed");
    process.kill().unwrap();
    process.wait().unwrap();
    reader.join().unwrap();
    lines.into_iter().for_each(|told| book.add(told));
}

/// Waits until it is time to kill the process.
fn wait_for(moment: Moment, lines: &Receiver<ReportLine>, book: &mut ReportLog) {
    let hear = |book: &mut ReportLog| book.add(lines.recv_timeout(PATIENCE).expect("the process goes on"));
    match moment {
        Moment::Starting(millis) => std::thread::sleep(Duration::from_millis(millis)),
        // The first line says that it has started.
        Moment::Lines(count) => (0..=count).for_each(|_| hear(book)),
        Moment::Left => {
            while !book.has_left_one() {
                hear(book);
            }
        }
        Moment::Full => {
            while !book.has_heard_everything() {
                hear(book);
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a process to be killed")]
fn started(site: &TestDatabase, generation: u64) -> Child {
    let mut ledger = site.address().to_owned();
    if let TestDatabase::Server { .. } = site {
        ledger = format!("{ledger}?application_name={KILLED}");
    }
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed_process::child::lives_until_it_is_killed", "--nocapture"])
        .env(child::LEDGER, ledger)
        .env(child::GENERATION, generation.to_string())
        // If this process ends, so does the child: its standard input closes.
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// A pseudorandom number that is the same on every run.
pub(crate) fn random(seed: u64, at: u64) -> u64 {
    let mut mixed = seed.wrapping_add(at.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
