//! Parsing and judging shell commands, compared with other parsers, on distinct everyday commands and on the
//! bypass list; and the cost of hostile text.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::io::Cursor;
use std::path::Path;
use std::time::Instant;

use sekisho_bench::table::{Table, format_number};
use sekisho_policy::{
    Call, Decision, Fact, FactQuery, FileSearchOutcome, FileSecrecy, JudgeContext, Layers, Policy,
    Repository, judge, required_facts,
};
use serde_json::{Value, json};

/// How many distinct commands to make.
const WANTED: usize = 10_000;

fn main() {
    let everyday = distinct(&commands("everyday"));
    let bypass = commands("bypass");
    let policy = Policy::compile(Layers::default());
    println!("{} distinct everyday commands, {} of the bypass list\n", everyday.len(), bypass.len());
    for (name, commands) in [("everyday", &everyday), ("bypass", &bypass)] {
        compare(name, commands, &policy);
    }
    hostile(&policy);
}

/// The commands of one corpus directory.
fn commands(directory_name: &str) -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/corpus/shell").join(directory_name);
    let mut found = BTreeSet::new();
    for entry in directory.read_dir().expect("the corpus is there") {
        let text = std::fs::read_to_string(entry.expect("a file").path()).expect("a text");
        for line in text.lines().filter(|line| line.starts_with('{')) {
            let row: Value = serde_json::from_str(line).expect("a row");
            found.extend(row["command"].as_str().map(str::to_owned));
        }
    }
    found.into_iter().collect()
}

/// The same commands about other files and words, so that caching does not help.
fn distinct(commands: &[String]) -> Vec<String> {
    let mut all: BTreeSet<String> = BTreeSet::new();
    for round in 0.. {
        for command in commands {
            let names = ["foo", "main", "src", "a.txt", "README", "error", "lib"];
            let changed = names.iter().fold(command.clone(), |text, name| {
                let (stem, end) = name.split_once('.').unwrap_or((name, ""));
                let dot = if end.is_empty() { "" } else { "." };
                text.replace(name, &format!("{stem}{round}{dot}{end}"))
            });
            all.insert(changed);
        }
        if all.len() >= WANTED || round > 200 {
            break;
        }
    }
    all.into_iter().collect()
}

fn compare(name: &str, commands: &[String], policy: &Policy) {
    let calls: Vec<(Call, JudgeContext)> = commands.iter().map(|command| call(policy, command)).collect();
    let allowed = calls
        .iter()
        .filter(|(call, context)| judge(policy, call, context).decision == Decision::Allow)
        .count();
    let mut table = Table::new(
        format!("{name}: ns for a command, each new in its pass ({allowed} of {} allowed)", calls.len()),
        ["", "p50", "p90", "mean", "p50 ÷ brush-parser"].map(String::from),
    );
    let brush = measure(commands.len(), |at| {
        let options = brush_parser::ParserOptions::default();
        let mut parser = brush_parser::Parser::new(Cursor::new(commands[at].as_bytes()), &options);
        let _ = black_box(parser.parse_program());
    });
    let mut sitter = tree_sitter::Parser::new();
    sitter.set_language(&tree_sitter_bash::LANGUAGE.into()).expect("the grammar loads");
    let rows = [
        (
            "sekisho: analyse",
            measure(commands.len(), |at| drop(black_box(sekisho_shell::analyse(&commands[at])))),
        ),
        (
            "sekisho: facts to look up",
            measure(calls.len(), |at| drop(black_box(required_facts(policy, &calls[at].0)))),
        ),
        (
            "sekisho: whole verdict",
            measure(calls.len(), |at| drop(black_box(judge(policy, &calls[at].0, &calls[at].1)))),
        ),
        (
            "shell-words: split",
            measure(commands.len(), |at| drop(black_box(shell_words::split(&commands[at])))),
        ),
        (
            "tree-sitter-bash: parse and walk",
            measure(commands.len(), |at| {
                let tree = sitter.parse(&commands[at], None).expect("a tree");
                let mut cursor = tree.walk();
                let mut count = 0;
                'walk: loop {
                    count += usize::from(cursor.node().kind() == "command");
                    if cursor.goto_first_child() || cursor.goto_next_sibling() {
                        continue;
                    }
                    while cursor.goto_parent() {
                        if cursor.goto_next_sibling() {
                            continue 'walk;
                        }
                    }
                    break;
                }
                black_box(count);
            }),
        ),
        ("brush-parser: program grammar", brush.clone()),
    ];
    for (what, times) in rows {
        let ratio = times.p50 / brush.p50;
        table.row([
            what.into(),
            format_number(times.p50),
            format_number(times.p90),
            format_number(times.mean),
            format!("{ratio:.2}"),
        ]);
    }
    table.print();
}

#[derive(Clone)]
struct Times {
    p50: f64,
    p90: f64,
    mean: f64,
}

/// One pass, so that an engine cannot reuse results for the same command; over this many commands the median
/// is stable all the same.
fn measure(length: usize, mut work: impl FnMut(usize)) -> Times {
    let mut times: Vec<u128> = (0..length)
        .map(|at| {
            let start = Instant::now();
            work(at);
            start.elapsed().as_nanos()
        })
        .collect();
    times.sort_unstable();
    let mean = times.iter().sum::<u128>() as f64 / length as f64;
    Times { p50: times[length / 2] as f64, p90: times[length * 9 / 10] as f64, mean }
}

/// A call in a workspace without problems.
fn call(policy: &Policy, command: &str) -> (Call, JudgeContext) {
    let call = Call::new("Bash", json!({ "command": command })).in_directory("/home/me/project");
    let mut context = JudgeContext::at(jiff::Timestamp::UNIX_EPOCH);
    context.root = Some("/home/me/project".into());
    context.home = Some("/home/me".into());
    for query in required_facts(policy, &call) {
        let fact = match &query {
            FactQuery::Resolve(path) => Fact::Resolved(path.replacen('~', "/home/me", 1)),
            FactQuery::Repository(_) => Fact::Repository(Repository::Plain),
            FactQuery::TrackedLinks(_) => Fact::TrackedLinks(false),
            FactQuery::GlobOption { .. } => Fact::GlobOption(false),
            FactQuery::Files(_) => Fact::Files(FileSearchOutcome::Protected(Vec::new())),
            FactQuery::Contents(_) => Fact::Contents(FileSecrecy::NoSecret),
        };
        context.facts.insert(query, fact);
    }
    (call, context)
}

/// Texts made to be slow, at two lengths: what doubles with the length is linear.
fn hostile(policy: &Policy) {
    let shapes = [
        ("$(", "$("),
        ("backticks", "\"`"),
        ("{", "{ "),
        ("((", "(("),
        ("<<E", "<<E\n"),
        ("ls;", "ls;"),
        ("a|", "a|"),
        ("@(", "@("),
        ("${a[", "${a["),
        ("quotes", "'a'\"b\""),
        ("globs", "[a-"),
        ("tmux", "tmux "),
        ("sudo", "sudo "),
        ("env A=b", "env A=b "),
        ("find -exec", "find . -exec "),
        ("x$(", "x$(a "),
        ("loop words", "for f in a a a; do cat $f; done;"),
    ];
    let mut table = Table::new(
        "hostile text: µs for facts and verdict, best of 3".to_owned(),
        ["repeated", "5 KB", "10 KB", "10 KB ÷ 5 KB", "µs a KB"].map(String::from),
    );
    for (name, piece) in shapes {
        let time = |length: usize| {
            let text = piece.repeat(length / piece.len());
            let (call, context) = call(policy, &text);
            (0..3)
                .map(|_| {
                    let start = Instant::now();
                    black_box(required_facts(policy, &call));
                    drop(black_box(judge(policy, &call, &context)));
                    start.elapsed().as_nanos() as f64 / 1_000.0
                })
                .fold(f64::MAX, f64::min)
        };
        let (half, whole) = (time(5_000), time(9_990));
        table.row([
            name.into(),
            format_number(half),
            format_number(whole),
            format!("{:.1}", whole / half),
            format_number(whole / 10.0),
        ]);
    }
    table.print();
}
