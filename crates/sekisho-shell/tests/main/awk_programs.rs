//! Runs the awk programs that the analysis calls harmless.
//!
//! Each program has a command hidden where the analysis sees a string or a pattern. If awk finds the end of a string or of
//! a pattern elsewhere, or divides where the analysis sees a pattern, the command is code, and a file appears.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sekisho_shell::programs::profile_command;
use sekisho_shell::word::{Span, Word};

use crate::differential::Random;

const CASES: usize = 3_000;

/// The places for a pattern (`R`), the inside of a string (`S`) and a value (`T`), around a hidden command.
const FRAMES: [&str; 12] = [
    // The pattern is longer than it seems.
    r#"{ x = a[ /R/ ] "]/]; system(c); z = a[" 1 "]; q = 1 } #" }"#,
    r#"/R/ { x = "]/ { system(c) } #" }"#,
    r#"/R/ { x = "/ { system(c) } #" }"#,
    r#"{ gsub(/R/, "]/, y); system(c) } #") }"#,
    r#"$1 ~ /R/ && x = "]/ { print > f } #""#,
    // It is shorter.
    r#"/R/ { system(c) } #/ { print }"#,
    r#"{ x = /R/; system(c) } #/ }"#,
    // The string is longer, or shorter.
    r#"{ x = "S"; y = " ; system(c) } #" }"#,
    r#"{ x = "S"; system(c) } #" }"#,
    r#"{ print "S", " | c } #" }"#,
    // A slash divides, or begins a pattern.
    r#"{ x = T /1; y = " /; system(c) } #" }"#,
    r#"{ x = T /1; system(c); y = 1/ 1 }"#,
];

const IN_PATTERN: [&str; 20] = [
    "a",
    "[",
    "]",
    "[^]",
    "[]",
    "[[:alpha:]",
    "[[:alpha:]]",
    "[a]",
    "[^a",
    "[.",
    "[[",
    "\\/",
    "\\\\",
    "\\[",
    "\\]",
    "\"",
    "/",
    ":]",
    "^",
    " ",
];

const IN_STRING: [&str; 10] = ["a", "\\\\", "\\\"", "\\", "/", "\\/", "#", "\\n", "\\0", "'"];

fn filled(random: &mut Random, pieces: &[&str]) -> String {
    (0..random.below(5)).map(|_| random.pick(pieces)).collect()
}

/// A value of awk, before which and after which a slash is read in different ways.
fn value(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.once_in(3) {
        let plain = [
            "1", ".5", "x", "$1", "$NF", "NF", "length", "rand()", "x++", "--x", "\"a\"", "/a/", "a[1]",
            "getline", "index", "substr", "in", "else", "next", "$x++", "!x", "-1", "1 ", "x\t", "(1)",
            "srand", "END", "BEGIN", "default", "compl", "toupper",
        ];
        return random.pick(&plain).to_owned();
    }
    let frames = [
        "(T)",
        "T T",
        "T / T",
        "a[T]",
        "!T",
        "-T",
        "T ~ T",
        "length(T)",
        "T ? T : T",
        "T, T",
        "(T) in a",
        "T\n",
        "T;",
        "T++",
        "++T",
        "$T",
        "int T",
        "T in T",
        "T % T",
        "{T}",
        "T /= T",
        "T }\n{ T",
    ];
    let frame = random.pick(&frames);
    fill(frame, 'T', || value(random, depth - 1))
}

/// The text with every `place` replaced.
fn fill(text: &str, place: char, mut with: impl FnMut() -> String) -> String {
    text.chars().map(|c| if c == place { with() } else { c.to_string() }).collect()
}

fn program(random: &mut Random) -> String {
    let frame = random.pick(&FRAMES);
    let frame = fill_pieces(frame, random);
    if random.once_in(8) { frame.replace("; ", "\n") } else { frame }
}

fn fill_pieces(frame: &str, random: &mut Random) -> String {
    let mut text = String::new();
    for (at, c) in frame.char_indices() {
        // Only where the letter stands for something: between slashes, between quotes, or before a slash.
        let next = frame.get(at + 1..).unwrap_or_default();
        match c {
            'R' if next.starts_with('/') => text.push_str(&filled(random, &IN_PATTERN)),
            'S' if next.starts_with('"') => text.push_str(&filled(random, &IN_STRING)),
            'T' if next.starts_with(" /") => text.push_str(&value(random, 2)),
            _ => text.push(c),
        }
    }
    text
}

/// Whether the analysis calls `awk PROGRAM in` harmless.
fn is_accepted(program: &str) -> bool {
    let span = Span { start: 0, end: 0 };
    let words: Vec<Word> = ["awk", program, "in"].iter().map(|text| Word::new(span, *text)).collect();
    profile_command(&words).harmless.is_ok()
}

/// The implementations on this machine, with the words before a program.
fn implementations() -> Vec<Vec<String>> {
    let find = |name: &str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).map(|directory| directory.join(name)).find(|file| file.is_file())
    };
    let known = ["gawk", "mawk", "original-awk", "bwk", "goawk", "busybox", "awk"];
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut found = Vec::new();
    for name in known {
        let Some(file) = find(name) else { continue };
        let target = fs::canonicalize(&file).unwrap();
        if seen.contains(&target) {
            continue;
        }
        seen.push(target);
        let mut words = vec![file.to_str().unwrap().to_owned()];
        words.extend((name == "busybox").then(|| "awk".to_owned()));
        found.push(words);
    }
    found
}

/// Runs a program on one line of input. Returns whether awk accepted it.
fn run(awk: &[String], program: &str, directory: &Path) -> bool {
    let (name, before) = awk.split_first().unwrap();
    // The command reads what awk prints into it, so that awk does not fail.
    let status = Command::new(name)
        .args(before)
        .args(["-v", "c=read x; : > found", "-v", "f=found", program, "in"])
        .env_clear()
        .env("PATH", "/nonexistent")
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.unwrap().success()
}

#[test]
fn accepted_awk_programs_only_print() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<usize>().unwrap());
    let cases = number("SEKISHO_AWK_CASES").unwrap_or(CASES);
    let seed = number("SEKISHO_AWK_SEED").unwrap_or(0x0a3c);
    let mut random = Random::new(seed as u64);
    let awks = implementations();
    assert!(!awks.is_empty(), "no awk in PATH");
    let directory = std::env::temp_dir().join(format!("sekisho-awk-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("in"), "a b\n").unwrap();
    let (mut accepted, mut valid) = (0_usize, 0_usize);
    let mut violations = Vec::new();
    for _ in 0..cases {
        let program = program(&mut random);
        if !is_accepted(&program) {
            continue;
        }
        accepted += 1;
        for awk in &awks {
            valid += usize::from(run(awk, &program, &directory));
            if fs::read_dir(&directory).unwrap().count() > 1 {
                violations.push(format!("{}: {program:?}", awk.join(" ")));
                fs::remove_dir_all(&directory).unwrap();
                fs::create_dir_all(&directory).unwrap();
                fs::write(directory.join("in"), "a b\n").unwrap();
            }
        }
        if violations.len() > 20 {
            break;
        }
    }
    fs::remove_dir_all(&directory).unwrap();
    println!("{cases} programs, {accepted} accepted, {valid} valid runs, {} implementations", awks.len());
    assert!(violations.is_empty(), "{}", violations.join("\n"));
    assert!(
        accepted > cases / 50 && valid > accepted / 4,
        "the programs test too little: {accepted}, {valid}"
    );
}

/// The hidden command runs if the frame is right, so a program that is accepted wrongly would be noticed.
#[test]
fn a_hidden_command_is_noticed() {
    let directory = std::env::temp_dir().join(format!("sekisho-awk-noticed-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("in"), "a b\n").unwrap();
    let awks = implementations();
    let awk = awks.first().expect("no awk in PATH");
    let found = directory.join("found");
    for program in ["{ system(c) }", "{ print > f }", "{ print | c }"] {
        assert!(!is_accepted(program), "{program}");
        assert!(run(awk, program, &directory), "{program}");
        assert!(found.exists(), "{program}");
        fs::remove_file(&found).unwrap();
    }
    fs::remove_dir_all(&directory).unwrap();
}
