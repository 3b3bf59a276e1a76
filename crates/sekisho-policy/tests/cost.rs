//! The maximum cost of judging any text, measured in bytes allocated at once, not in time.
//!
//! Each text is short and causes much work, or is simply long. The printed figures are for people. The tests
//! assert the limit on memory, and that a deny is found in each text.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
#![expect(
    clippy::disallowed_methods,
    reason = "prints the time, and reads the number of cases from the environment"
)]

#[path = "cost/defined_names.rs"]
mod defined_names;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use sekisho_policy::{
    BuiltinLevel, Call, Decision, Effect, Fact, FactQuery, FileSearchOutcome, FileSecrecy, JudgeContext,
    Layer, LayerKind, Layers, Policy, Repository, Rule, Verdict, advise, candidate_allow_rules, judge,
    required_facts,
};
use serde_json::json;

struct Counting;
static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "a counting allocator")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(held, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The built-in rules and 200 others, all with command conditions.
fn policy() -> Policy {
    let bash = || Rule { tool: Some("bash".into()), ..Rule::default() };
    let mut rules: Vec<(Effect, Rule)> = Vec::new();
    for number in 0..50 {
        let command = |text: String| Rule { command: Some(text), ..bash() };
        let glob = |text: String| Rule { command_glob: Some(text), ..bash() };
        rules.push((Effect::Deny, command(format!("forbidden{number}"))));
        rules.push((Effect::Allow, command(format!("tool{number} run"))));
        rules.push((Effect::Deny, glob(format!("*evil{number}*--force*"))));
        rules.push((Effect::Confirm, glob(format!("asked{number} ?* x"))));
    }
    let mut layer = Layer::from_rules(LayerKind::Global, "test", rules).unwrap();
    layer.settings.builtin = Some(BuiltinLevel::Full);
    Policy::compile(Layers::from(vec![layer]))
}

struct Cost {
    millis: u128,
    /// The most bytes allocated at once.
    peak: usize,
    /// The size of the serialized verdict.
    sent: usize,
    verdict: Verdict,
}

/// The fact with which a text is judged to its end.
fn harmless(query: &FactQuery) -> Fact {
    match query {
        FactQuery::Resolve(path) => Fact::Resolved(path.replacen('~', "/home/u", 1)),
        FactQuery::Repository(_) => Fact::Repository(Repository::Plain),
        FactQuery::TrackedLinks(_) => Fact::TrackedLinks(false),
        FactQuery::GlobOption { .. } => Fact::GlobOption(false),
        FactQuery::Files(_) => Fact::Files(FileSearchOutcome::Protected(Vec::new())),
        FactQuery::Contents(_) => Fact::Contents(FileSecrecy::NoSecret),
    }
}

fn cost(policy: &Policy, text: &str) -> Cost {
    let call = Call { cwd: Some("/w".into()), ..Call::new("bash", json!({ "command": text })) };
    let mut context = JudgeContext {
        root: Some("/w".into()),
        home: Some("/home/u".into()),
        ..JudgeContext::at(jiff::Timestamp::UNIX_EPOCH)
    };
    let before = HELD.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let began = Instant::now();
    let asked = required_facts(policy, &call);
    let needed = asked.len();
    for query in asked {
        let fact = harmless(&query);
        context.facts.insert(query, fact);
    }
    let verdict = judge(policy, &call, &context);
    let millis = began.elapsed().as_millis();
    drop(advise(&call, &context, &verdict));
    drop(candidate_allow_rules(&call, &context, &verdict));
    let peak = PEAK.load(Ordering::Relaxed).saturating_sub(before);
    assert!(needed < 10_000, "{needed} facts");
    let sent = serde_json::to_vec(&verdict).unwrap().len();
    Cost { millis, peak, sent, verdict }
}

const MEMORY: usize = 64 << 20;
const SENT: usize = 8 << 20;

fn bounded(policy: &Policy, name: &str, text: &str) -> (u128, usize) {
    let Cost { millis, peak, sent, verdict } = cost(policy, text);
    assert!(peak < MEMORY, "{name} ({} bytes) holds {peak} bytes", text.len());
    assert!(sent < SENT, "{name} ({} bytes) makes a verdict of {sent} bytes", text.len());
    assert!(verdict.decision != Decision::Allow || text.len() <= 10_000, "{name}");
    (millis, peak)
}

/// Fragments that are repeated until the text has the required length.
const REPEATED: &[(&str, &str)] = &[
    ("env -S", "env -S "),
    ("env -S with a text", "env -S 'a b' "),
    ("fd -x", "fd -x "),
    ("nix develop -c", "nix develop -c "),
    ("git -c", "git -c a.b=c "),
    ("-c of git", "-c a.b=c "),
    ("substitutions", "$(a) "),
    ("substitutions in commands", "a $(a); "),
    ("open substitutions", "$("),
    ("backticks", "`a` "),
    ("globs", "cat * "),
    ("wildcards", "*"),
    ("wildcards and letters", "a?"),
    ("words with a glob", "* "),
    ("eval", "eval "),
    ("sudo -x", "sudo -x "),
    ("sudo -u", "sudo -u a "),
    ("xargs", "xargs -I x "),
    ("parallel", "parallel "),
    ("bash -c", "bash -c "),
    ("bash -c quoted", "bash -c 'ls' "),
    ("find -exec", "find . -exec "),
    ("find -exec closed", "-exec a {} \\; "),
    ("commands", "a;"),
    ("lines", "ls\n"),
    ("pipes", "a|"),
    ("background", "a&"),
    ("assignments", "a=b "),
    ("assignments alone", "a=b;"),
    ("loops", "for a in b; do c $a; done; "),
    ("many loops", "for a in x; do "),
    ("conditions", "if a; then "),
    ("groups", "{ "),
    ("subshells", "("),
    ("redirects", "> a "),
    ("reading redirects", "< a "),
    ("here-strings", "<<< a "),
    ("here-documents", "cat <<E\na\nE\n"),
    ("descriptors", "2>&1 "),
    ("functions", "a() { b; }; "),
    ("braces", "{a,b}"),
    ("brace words", "{a,b,c,d} "),
    ("many braces", "{a,{b,{c,"),
    ("ranges", "{1..64} "),
    ("variables", "$a"),
    ("variables as words", "$a "),
    ("parameters", "${a:-b} "),
    ("nested parameters", "${a:-"),
    ("arithmetic", "$((1+1)) "),
    ("quotes", "'a' "),
    ("double quotes", "\"a$b\" "),
    ("brackets", "[a"),
    ("tests", "[[ a ]] && "),
    ("cd", "cd a; "),
    ("cd and more", "cd a && ls; cd /b && "),
    ("pushd", "pushd a; "),
    ("cat words", "cat a "),
    ("paths", "../"),
    ("long paths", "a/"),
    ("hidden", "\u{200b}a"),
    ("carriage returns", "\r"),
    ("unknown program", "foo -x "),
    ("unknown with values", "--a=b "),
    ("docker", "docker run -v a:b "),
    ("kubectl", "kubectl exec a -- "),
    ("ssh", "ssh h "),
    ("ssh -o", "ssh -o ProxyCommand=a "),
    ("sed -e", "sed -e p "),
    ("awk", "awk '{print}' "),
    ("git -C", "git -C a "),
    ("read", "read a; cat $a; "),
    ("while read", "ls | while read a; do cat $a; done; "),
    ("xargs cat", "ls | xargs cat; "),
    ("fetched", "curl a | sh; "),
    ("written and run", "curl -o a b; ./a; "),
    ("test -v", "test -v a; "),
    ("printf", "printf -v a b; "),
    ("strace", "strace -f "),
    ("tar", "tar --to-command=a "),
    ("make", "make SHELL=a "),
    ("npx", "npx -c "),
    ("flock", "flock a -c "),
    ("watch", "watch "),
    ("timeout", "timeout -x 1 "),
    ("nice", "nice -n 1 "),
    ("su", "su -c "),
    ("script", "script -c "),
    ("letters", "a"),
    ("comments", "# a\n"),
    ("continuations", "a \\\n"),
];

/// Fragments repeated between a beginning and an end.
const FRAMED: &[(&str, &str, &str, &str)] = &[
    ("a loop over words", "for i in ", "a ", "; do ls x; done"),
    ("a loop over words that are used", "for i in ", "a ", "; do cat $i; done"),
    ("a loop over globs", "for i in ", "* ", "; do cat $i; done"),
    ("uses of a few words", "for i in a b c d e f g h; do ", "cat $i$i; ", "done"),
    ("select", "select i in ", "a ", "; do ls; done"),
    ("cases", "case a in ", "b) c;; ", "esac"),
    ("patterns", "case a in ", "b|", "c) d;; esac"),
    ("here-documents that do not end", "cat ", "<<E ", "\n"),
    ("a here-document", "cat <<E\n", "a\n", "E\n"),
    ("a here-document with expansions", "cat <<E\n", "$a `b`\n", "E\n"),
    ("one array", "a=(", "b ", ")"),
    ("one test", "[[ ", "a == b || ", "c ]]"),
    ("one sum", "$((", "1+", "1))"),
    ("one word in quotes", "ls '", "a", "'"),
    ("hidden characters", "# ", "\u{1}", "\nls"),
    ("hidden characters apart", "# ", "\u{1}a", "\nls"),
    ("words of echo", "echo ", "$(a) ", "| xargs cat"),
    ("git diff", "git diff -- ", "a ", ""),
    ("git grep", "git grep x -- ", "':!*a' ", ""),
    ("git ls-files", "cat $(git ls-files ", "'*.rs' ", ")"),
    ("braces in one glob", "rg x -g '", "{a}", "'"),
    ("alternatives in one glob", "rg x --iglob '", "{a,b,c,d}", "'"),
    ("braces for grep", "grep -r x . --include='", "{,}", "'"),
    ("one glob that leaves out", "rg x -g '!", "*a", "'"),
    ("globs of rg", "rg x ", "-g '*.{a,b,c,d}{e,f}?' ", ""),
    ("globs of rg that leave out", "rg x ", "-g '!*.a' ", ""),
    ("globs that rg lists by", "cat $(rg --files ", "-g '*{a,b}*.c' ", ")"),
    ("types of rg", "rg x ", "-tjs ", ""),
    ("directories that grep leaves out", "grep -r x . ", "--exclude-dir=a ", ""),
    ("wildcards of git diff", "git diff -- '", "*?", "'"),
    ("wildcards of git grep", "git grep x -- '", "*?", "'"),
    ("wildcards of git log", "git log -p -- '", "a*", "'"),
    ("wildcards of git ls-files", "git ls-files '", "*?", "' | xargs cat"),
    ("pathspecs with wildcards", "git diff -- ", "'*?*?x' ", ""),
    ("git diffs with wildcards", "", "git diff -- '*?*?xxxxxxxxxxxxxxxxxxxx'; ", ""),
];

/// A path that no kernel accepts is unknown, even if comparing it with the protected ones would be cheap.
#[test]
fn long_paths_are_unknown() {
    let policy = policy();
    for name in [".config/", ".git/", "a/", "../", "etc/"] {
        let path = format!("{}x", name.repeat(1_000_000 / name.len()));
        for command in ["cat", "cd", "ls <", "grep -r x"] {
            let verdict = cost(&policy, &format!("{command} {path}")).verdict;
            assert_eq!(verdict.decision, Decision::Confirm, "{command} {name}");
        }
        let call = Call::new("read", json!({ "path": path })).in_directory("/w");
        let verdict = judge(&policy, &call, &JudgeContext::at(jiff::Timestamp::UNIX_EPOCH));
        assert_eq!(verdict.decision, Decision::Confirm, "read {name}");
    }
    let paths: Vec<String> = (0..90_000).map(|number| format!("a{number}")).collect();
    let call = Call::new("read_many_files", json!({ "paths": paths })).in_directory("/w");
    assert!(required_facts(&policy, &call).len() <= 2048);
    let verdict = judge(&policy, &call, &JudgeContext::at(jiff::Timestamp::UNIX_EPOCH));
    assert_eq!(verdict.decision, Decision::Confirm);
}

/// Globs of file search tools: too long or too many globs are unknown.
#[test]
fn globs_of_tools_are_bounded() {
    let policy = policy();
    let nested = format!("{}a{}", "{".repeat(500_000), "}".repeat(500_000));
    let long = [&nested, &"{a}".repeat(300_000), &"{a,b}".repeat(200_000), &"*.rs,".repeat(200_000)];
    let lists = [json!(vec!["*.{a,b,c,d}{e,f,g,h}x"; 40_000]), json!(vec!["!*.a"; 200_000])];
    for glob in long.into_iter().map(|glob| json!(glob)).chain(lists) {
        for (tool, field) in [("Grep", "glob"), ("search_file_content", "include"), ("Glob", "pattern")] {
            let paths: Vec<String> = (0..1_000).map(|number| format!("d{number}")).collect();
            let call =
                Call::new(tool, json!({ "pattern": "x", field: glob, "path": paths })).in_directory("/w");
            let before = HELD.load(Ordering::Relaxed);
            PEAK.store(before, Ordering::Relaxed);
            let needed = required_facts(&policy, &call).len();
            let verdict = judge(&policy, &call, &JudgeContext::at(jiff::Timestamp::UNIX_EPOCH));
            let peak = PEAK.load(Ordering::Relaxed).saturating_sub(before);
            assert!(needed < 10_000 && peak < MEMORY, "{tool}: {needed} facts, {peak} bytes");
            assert_eq!(verdict.decision, Decision::Confirm, "{tool}");
        }
    }
}

/// `make prove` sets this and builds with optimisation.
fn in_full() -> bool {
    std::env::var_os("SEKISHO_COST_CASES").is_some()
}

/// Many of a piece with different numbers, so that no two count as one.
fn many(piece: &str, bytes: usize) -> String {
    (0..bytes / (piece.len() + 4)).map(|number| piece.replace('#', &number.to_string())).collect()
}

fn lengths() -> &'static [usize] {
    if in_full() { &[500, 10_000, 100_000, 1_000_000] } else { &[10_000, 200_000] }
}

#[test]
fn a_megabyte_of_anything_is_bounded() {
    let policy = policy();
    let mut worst = Worst::default();
    let lengths = lengths();
    for (name, piece) in REPEATED {
        for length in lengths {
            let repeated = piece.repeat(length / piece.len() + 1);
            let (millis, peak) = bounded(&policy, name, &repeated);
            worst.note(millis, peak, || format!("{name}, {} bytes", repeated.len()));
        }
    }
    for (name, before, piece, after) in FRAMED {
        for length in lengths {
            let framed = format!("{before}{}{after}", piece.repeat(length / piece.len() + 1));
            let (millis, peak) = bounded(&policy, name, &framed);
            worst.note(millis, peak, || format!("{name}, {} bytes", framed.len()));
        }
    }
    // As many values of a variable as are kept.
    for piece in ["ls | while read f; do cat \"$f\"; done; ", "for f in $(ls); do cat \"$f\" \"$f\"; done; "]
    {
        for times in [20, 40, 60] {
            let text = piece.repeat(times);
            let (millis, peak) = bounded(&policy, "loops over a listing", &text);
            worst.note(millis, peak, || format!("loops over a listing, {} bytes", text.len()));
        }
    }
    // As many words as uses of them.
    for length in lengths {
        let (words, uses) = ("a ".repeat(length / 4), "cat $i; ".repeat(length / 16));
        let text = format!("for i in {words}; do {uses}done");
        let (millis, peak) = bounded(&policy, "words and uses", &text);
        worst.note(millis, peak, || format!("words and uses, {} bytes", text.len()));
    }
    for length in lengths {
        let half = length / 2;
        for (name, text) in [
            ("a loop over different globs", format!("for f in {}; do cat $f; done", many("*# ", *length))),
            ("different globs", format!("cat {}", many("*#? ", *length))),
            ("globs and places", format!("rg x {} {}", many("-g '*.a#' ", half), many("a# ", half))),
            (
                "names and places",
                format!("grep -r x {} {}", many("--exclude-dir=a# ", half), many("a# ", half)),
            ),
            ("long globs", format!("cat {}", many(&format!("{}# ", "*a".repeat(100)), *length))),
            ("longer globs", format!("cat {}", many(&format!("{}# ", "?*".repeat(250)), *length))),
            ("long globs of rg", format!("rg x {}", many(&format!("-g '{}.#' ", "*e".repeat(100)), *length))),
            ("nested braces", format!("rg x -g '{}a{}'", "{".repeat(half), "}".repeat(half))),
        ] {
            let (millis, peak) = bounded(&policy, name, &text);
            worst.note(millis, peak, || format!("{name}, {} bytes", text.len()));
        }
    }
    worst.print("repeated");
}

/// Computed operands. `#` is a number.
const OPERANDS: &[&str] = &[
    "$(ls) ",
    "\"$(ls)\" ",
    "$(ls d#) ",
    "\"$(ls d#)\" ",
    "a#/$(ls) ",
    "a#/$(ls d#) ",
    "$(ls d#)/x# ",
    "$(find d#) ",
    "$(git ls-files 'a#*') ",
    "$(pwd) ",
    "<(ls) ",
    "<(ls d#) ",
    "*# ",
];
/// Commands that take them.
const COMMANDS: &[&str] = &[
    "cat ",
    "ls ",
    "grep -r x ",
    "rg x ",
    "diff -r ",
    "git diff ",
    "git diff -- ",
    "git grep x -- ",
    "find . -exec cat ",
];
/// Whole texts.
const LOOPS: &[&str] = &[
    "for i# in *; do cat $i#; done; ",
    "for i in *; do grep -r x $i; done; ",
    "for f in d#*; do grep -r x $f; done; ",
    "for f in $(ls d#); do rg x \"$f\"; done; ",
    "ls d# | xargs grep -r x; ",
    "cat $(ls d#); ",
    "cd d#; cat $(ls); ",
    "cd d# && git diff; ",
    "rg x; ",
];

/// Computed operands: each may contain what any command of the text lists.
#[test]
fn computed_operands_do_not_multiply() {
    let policy = policy();
    let mut worst = Worst::default();
    let lengths: &[usize] =
        if in_full() { &[1_000, 2_000, 4_000, 8_000, 30_000, 60_000, 100_000] } else { &[1_000, 8_000] };
    for length in lengths {
        let many = |piece: &str| -> String {
            let numbered = (0..).map(|number: usize| piece.replace('#', &number.to_string()));
            let mut left = *length;
            let fits = numbered.take_while(|piece| {
                let is_left = left > 0;
                left = left.saturating_sub(piece.len());
                is_left
            });
            fits.collect()
        };
        let operands = COMMANDS.iter().flat_map(|command| {
            OPERANDS.iter().map(move |operand| (format!("{command}{operand}"), *command, *operand))
        });
        let loops = LOOPS.iter().map(|text| ((*text).to_owned(), "", *text));
        for (name, before, piece) in operands.chain(loops) {
            let text = format!("{before}{}", many(piece));
            let (millis, peak) = bounded(&policy, &name, &text);
            worst.note(millis, peak, || format!("{name}, {} bytes", text.len()));
        }
    }
    worst.print("computed");
}

/// The slowest text and the one with the most memory.
#[derive(Default)]
struct Worst {
    slowest: (u128, String),
    largest: (usize, String),
}

impl Worst {
    /// Returns whether it is worse than all before.
    fn note(&mut self, millis: u128, peak: usize, name: impl Fn() -> String) -> bool {
        let (slower, larger) = (millis > self.slowest.0, peak > self.largest.0);
        if slower {
            self.slowest = (millis, name());
        }
        if larger {
            self.largest = (peak, name());
        }
        slower || larger
    }

    fn print(&self, kind: &str) {
        println!("{kind}: slowest {} ms ({})", self.slowest.0, self.slowest.1);
        println!("{kind}: most memory {} KiB ({})", self.largest.0 / 1024, self.largest.1);
    }
}

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    fn of<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// Whether the table has the program as one that runs what it is given.
fn runs_others(program: &str) -> bool {
    ["a b c", "-x a b", "-c 'a b'", "-e a -- b", "--exec a"].iter().any(|rest| {
        let script = sekisho_shell::analyse(&format!("{program} {rest}"));
        let profile =
            script.commands.first().map(|command| sekisho_shell::programs::profile_command(&command.words));
        profile.is_some_and(|profile| !profile.inner_commands.is_empty())
    })
}

/// A random piece of shell text: programs of the table with options that run something, inside constructs of
/// bash.
fn piece(dice: &mut Dice, programs: &[&str], depth: usize) -> String {
    let options = [
        "-c",
        "-x",
        "-e",
        "-I",
        "-S",
        "-exec",
        "--",
        "-u",
        "-o",
        "-C",
        "{}",
        "\\;",
        "a=b",
        "-X",
        "--exec",
        "+",
        "a",
        "*",
        "$a",
        "$(ls)",
        "b/$(ls a)",
        "<(ls)",
    ];
    let searchers = ["grep -r x", "rg x", "diff -r", "git diff", "cat", "ls"];
    let program = if dice.below(4) == 0 { dice.of(&searchers) } else { dice.of(programs) };
    let mut text = format!("{program} ");
    for _ in 0..dice.below(6) {
        text += dice.of(&options);
        text.push(' ');
    }
    if depth == 0 {
        return text;
    }
    let inner = piece(dice, programs, depth - 1);
    match dice.below(10) {
        0 => format!("{text}$({inner})"),
        1 => format!("{text}'{inner}' "),
        2 => format!("{text}\"{inner}\" "),
        3 => format!("{text}| {inner}"),
        4 => format!("for a in {inner}; do {text}$a; done; "),
        5 => format!("{text}<({inner}) "),
        6 => format!("{text}; {inner}"),
        7 => format!("{text}< {inner}"),
        8 => format!("{{ {text}; {inner}; }} "),
        _ => text + &inner,
    }
}

/// Searches for the most expensive text: pieces are repeated, and the worst so far are mixed with new ones.
#[test]
fn random_search_finds_no_costlier_text() {
    let policy = policy();
    let programs: Vec<&str> = sekisho_shell::programs::names().filter(|name| runs_others(name)).collect();
    let cases = std::env::var("SEKISHO_COST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let (mut dice, mut worst) = (Dice(0x5eed), Worst::default());
    let mut kept: Vec<String> = vec![String::new()];
    for _ in 0..cases {
        let depth = dice.below(4);
        let base = kept[dice.below(kept.len())].clone();
        let new = base + &piece(&mut dice, &programs, depth);
        let length = [500, 5_000, 10_000, 50_000, 1_000_000][dice.below(if in_full() { 5 } else { 4 })];
        let text = new.repeat(length / new.len() + 1);
        let (millis, peak) = bounded(&policy, &new, &text);
        if worst.note(millis, peak, || format!("{} bytes of `{new}`", text.len())) && new.len() < 2_000 {
            kept.push(new);
        }
    }
    worst.print("searched");
}

#[test]
fn deny_is_found_in_oversized_text() {
    let policy = policy();
    let length = if in_full() { 1_000_000 } else { 150_000 };
    for (name, piece) in REPEATED {
        // After these, nothing is a separate word.
        let swallowed =
            ["wildcards", "wildcards and letters", "braces", "many braces", "letters", "paths", "hidden"];
        let swallowed = swallowed.contains(name) || !piece.ends_with([' ', ';', '\n']);
        let text = format!(
            "{}{}forbidden7 x",
            piece.repeat(length / piece.len()),
            if swallowed { "; " } else { "" }
        );
        let verdict = cost(&policy, &text).verdict;
        assert_eq!(verdict.decision, Decision::Deny, "{name}: {:?}", verdict.reasons);
        let text = format!("{} evil3 a --force b", piece.repeat(length / piece.len()));
        let verdict = cost(&policy, &text).verdict;
        assert_eq!(verdict.decision, Decision::Deny, "{name}: {:?}", verdict.reasons);
    }
}
