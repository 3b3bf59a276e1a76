//! Processes that are killed in the middle of everything.
//!
//! This binary starts itself again as a gate with many askers and answerers on one ledger. Each of them says on its standard
//! output what it was told, and only then goes on. After a while the process is killed, and the ledger is held against what
//! was said: whatever anybody was told is there, and nobody was told what is not. Then the next process goes on with the
//! same ledger, and those who asked come back with the same keys.

pub(crate) mod checks;
mod child;
pub(crate) mod told;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use self::checks::Book;
use self::told::Told;
use crate::site::Site;

/// How many processes are killed.
const KILLS: u64 = 20;
/// So many of them go on with the same ledger.
const A_LEDGER: u64 = 20;
/// What a server knows such a process by.
const KILLED: &str = "killed";
/// A process that has not begun by then never will.
const PATIENCE: Duration = Duration::from_secs(60);

#[expect(clippy::disallowed_methods, reason = "the long form of the proof is asked for by the environment")]
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

#[test]
fn what_anybody_was_told_outlives_a_kill_in_a_file() {
    what_anybody_was_told_outlives_a_kill(Site::file, 150);
}

#[test]
fn what_anybody_was_told_outlives_a_kill_in_a_server() {
    // It takes longer until anybody is told anything.
    what_anybody_was_told_outlives_a_kill(Site::server, 900);
}

/// Each process lives for so many milliseconds at most.
fn what_anybody_was_told_outlives_a_kill(fresh: fn() -> Site, longest: u64) {
    let kills = number("SEKISHO_KILLS").unwrap_or(KILLS);
    let seed = number("SEKISHO_KILL_SEED").unwrap_or(7);
    println!("{kills} kills from seed {seed}: SEKISHO_KILLS and SEKISHO_KILL_SEED change them");
    let mut site = fresh();
    let mut book = Book::default();
    // On a machine that is too busy to get anywhere in that time, a few more live longer.
    for kill in 0..kills + 10 {
        let quick = kill < kills;
        // What is left open piles up, until a process has no time for anything but reading it.
        if kill > 0 && quick && kill % A_LEDGER == 0 {
            book.still_holds(&site).unwrap();
            println!("{}", book.sums());
            (site, book) = (fresh(), Book::default());
        }
        if !quick && book.is_full() {
            break;
        }
        let after = Duration::from_millis(if quick {
            5 + random(seed, kill) % (longest - 4)
        } else {
            1000.max(2 * longest)
        });
        // Some never get as far as opening it.
        let from_the_start = quick && kill % 5 == 4;
        book.add(kill, killed(&site, kill, after, from_the_start));
        if let Err(wrong) = book.check(&site) {
            panic!("seed {seed}, kill {kill} after {after:?}: {wrong}");
        }
    }
    book.still_holds(&site).unwrap();
    println!("{}", book.sums());
    assert!(book.is_full(), "there was something to be lost: {}", book.sums());
}

/// Starts a process, kills it, and gives all that was told.
fn killed(site: &Site, generation: u64, after: Duration, from_the_start: bool) -> Vec<Told> {
    let mut process = started(site, generation);
    let output = process.stdout.take().unwrap();
    let (sender, lines) = channel();
    let reader = std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut line = String::new();
        // A line without an end was not told.
        while output.read_line(&mut line).is_ok_and(|read| read > 0) && line.ends_with('\n') {
            if let Some(told) = Told::read(&line) {
                sender.send(told).unwrap();
            }
            line.clear();
        }
    });
    let begun = (!from_the_start).then(|| lines.recv_timeout(PATIENCE).expect("the process begins"));
    std::thread::sleep(after);
    assert!(process.try_wait().unwrap().is_none(), "it runs until it is killed");
    process.kill().unwrap();
    process.wait().unwrap();
    reader.join().unwrap();
    begun.into_iter().chain(lines).collect()
}

#[expect(clippy::disallowed_methods, reason = "a process to be killed")]
fn started(site: &Site, generation: u64) -> Child {
    let mut ledger = site.address().to_owned();
    if let Site::Server { .. } = site {
        ledger = format!("{ledger}?application_name={KILLED}");
    }
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killing::child::lives_until_it_is_killed", "--nocapture"])
        .env(child::LEDGER, ledger)
        .env(child::GENERATION, generation.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// A number that looks random and is the same every time.
fn random(seed: u64, at: u64) -> u64 {
    let mut mixed = seed.wrapping_add(at.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
