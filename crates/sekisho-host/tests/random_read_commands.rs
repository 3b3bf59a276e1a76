//! Allowed read commands show nothing protected: random workspaces with secrets, links and odd names, and
//! random commands that read with globs, searches and lists, judged with the facts of the disk and then run
//! by bash. The output of an allowed command must not contain the text of a protected file.
//!
//! `SEKISHO_READER_CASES` sets the number of commands, `SEKISHO_READER_SEED` the seed.
#![expect(clippy::disallowed_methods, reason = "a test that runs bash and reads its settings")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use sekisho_host::{FactResolver, SearchLimit};
use sekisho_policy::{
    Call, ContentCheck, Decision, Fact, FactQuery, Facts, FileSearch, FileSearchOutcome, JudgeContext,
    Layers, Policy, judge, required_facts,
};
use serde_json::json;

/// The text in every protected file.
const MARKER: &str = "MARKER-OF-A-SECRET";

/// A small random number generator (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % end as u64).unwrap()
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn chance(&mut self, per_cent: usize) -> bool {
        self.below(100) < per_cent
    }
}

const DIRECTORIES: &[&str] = &["", "src/", "d/", "d e/", "keys/", ".cfg/", "sub/deep/", "k2/", "[id]/"];
const PLAIN: &[&str] = &[
    "a.txt", "k1", "notes.md", "x.rs", "b c.txt", "k.yml", "[id].ts", "it's.md", "z z/q", "config", "e.txt",
];
const SECRET: &[&str] = &[
    ".env",
    ".env.local",
    ".ENV",
    "id_rsa",
    "secrets.yml",
    "Secrets.YAML",
    "app.tfstate",
    "credentials.json",
    ".ssh/config",
    ".aws/x.txt",
    ".pgpass",
    ".dev.vars",
];
/// Protected by their contents: a private key or a token is written to them.
const BY_CONTENTS: &[&str] = &["server.key", "tls.pem", ".npmrc"];
const HARMLESS: &[&str] = &[".env.example", "cert.pem", "id_rsa.pub", ".yarnrc.yml", ".gitignore"];
const LINKS: &[&str] = &["l", "k3", "link.txt", "x2.rs", "deep link", "n.md", "l.yml", ".hid"];

struct World {
    root: PathBuf,
    home: PathBuf,
    _place: tempfile::TempDir,
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    // A directory with that name, or a link, may be there already.
    let _ = fs::write(path, text);
}

impl World {
    fn new(dice: &mut Dice) -> World {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path().canonicalize().unwrap();
        let world = World { root: base.join("ws"), home: base.join("home"), _place: temp };
        let secret = format!("{MARKER} foo\n");
        put(&world.home.join(".ssh/id_ed25519"), &secret);
        put(&world.home.join(".ssh/config"), &secret);
        put(&world.home.join(".cargo/credentials.toml"), &secret);
        put(&world.home.join("plain/.env"), &secret);
        put(&world.home.join("plain/a.txt"), "foo\n");
        put(&world.root.join("a.txt"), "foo a\n");
        put(&world.root.join("src/main.rs"), "foo main\n");
        for _ in 0..dice.below(12) {
            put(&world.root.join(format!("{}{}", dice.one(DIRECTORIES), dice.one(PLAIN))), "foo plain\n");
        }
        for _ in 0..dice.below(3) {
            let name = format!("{}{}", dice.one(DIRECTORIES), dice.one(SECRET));
            put(&world.root.join(name), &secret);
        }
        if dice.chance(20) {
            let key = format!("-----BEGIN PRIVATE KEY-----\n{MARKER} foo token\n-----END PRIVATE KEY-----\n");
            put(&world.root.join(format!("{}{}", dice.one(DIRECTORIES), dice.one(BY_CONTENTS))), &key);
        }
        for _ in 0..dice.below(3) {
            let certificate = "-----BEGIN CERTIFICATE-----\nfoo\n-----END CERTIFICATE-----\n";
            put(&world.root.join(format!("{}{}", dice.one(DIRECTORIES), dice.one(HARMLESS))), certificate);
        }
        for _ in 0..dice.below(4) {
            world.link(dice);
        }
        if dice.chance(30) {
            world.commit(dice);
        }
        world
    }

    fn link(&self, dice: &mut Dice) {
        let targets = [
            self.home.join(".ssh/id_ed25519"),
            self.home.join(".ssh"),
            self.home.join("plain"),
            self.home.join(".cargo"),
            self.home.clone(),
            self.root.join(".env"),
            self.root.join("src"),
            self.root.join("a.txt"),
            PathBuf::from(".."),
            PathBuf::from("."),
            PathBuf::from("../nowhere"),
            PathBuf::from("id_rsa"),
        ];
        let link = self.root.join(format!("{}{}", dice.one(DIRECTORIES), dice.one(LINKS)));
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        let _ = symlink(&targets[dice.below(targets.len())], link);
    }

    fn commit(&self, dice: &mut Dice) {
        let what = dice.one(&["a.txt src", ".", "a.txt"]);
        let script = format!("git init -q . && git add -f {what}");
        let done = self.command(&script).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    fn command(&self, script: &str) -> Command {
        let mut command = Command::new("timeout");
        command.args(["10", "bash", "--norc", "--noprofile", "-c", script]);
        command.current_dir(&self.root).stdin(Stdio::null()).env_clear();
        command.env("HOME", &self.home).env("PATH", std::env::var_os("PATH").unwrap());
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        command
    }

    /// Whether the output of a command contains a secret.
    fn leaks(&self, script: &str) -> bool {
        let output = self.command(script).output().unwrap();
        let printed = |bytes: &[u8]| memchr::memmem::find(bytes, MARKER.as_bytes()).is_some();
        printed(&output.stdout) || printed(&output.stderr)
    }

    fn decide(&self, policy: &Policy, script: &str, blind: bool) -> Decision {
        let call = Call::new("bash", json!({ "command": script })).in_directory(self.root.to_str().unwrap());
        let needs = required_facts(policy, &call);
        let mut around = JudgeContext::at(jiff::Timestamp::UNIX_EPOCH);
        around.root = Some(self.root.to_str().unwrap().into());
        around.home = Some(self.home.to_str().unwrap().into());
        // The time limit must not decide here.
        let bound = SearchLimit { entries: 50_000, time: Duration::from_secs(600) };
        let facts = FactResolver::new(Some(&self.home)).with_limit(bound).look_up(
            policy,
            &needs,
            around.root.as_deref(),
        );
        around.facts = if blind { without_files(&facts) } else { facts };
        judge(policy, &call, &around).decision
    }
}

impl World {
    /// A workspace with these files next to a secret and links.
    fn of(files: &[&str], links: &[(&str, &str)]) -> World {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path().canonicalize().unwrap();
        let world = World { root: base.join("ws"), home: base.join("home"), _place: temp };
        fs::create_dir_all(&world.home).unwrap();
        put(&world.root.join(".env"), &format!("{MARKER} KEY\n"));
        for file in files {
            let (name, text) = file.split_once(" = ").unwrap_or((file, "KEY plain\n"));
            put(&world.root.join(name), text);
        }
        for (from, to) in links {
            fs::create_dir_all(world.root.join(from).parent().unwrap()).unwrap();
            symlink(to, world.root.join(from)).unwrap();
        }
        world
    }
}

/// Checks commands that must not run without a question in a workspace.
#[track_caller]
fn check_asks(files: &[&str], links: &[(&str, &str)], commands: &[&str]) {
    let policy = Policy::compile(Layers::default());
    let world = World::of(files, links);
    for command in commands {
        assert_ne!(world.decide(&policy, command, false), Decision::Allow, "{command}");
    }
}

/// Checks commands that are allowed in a workspace of ordinary names with a `.env` in it.
#[track_caller]
fn check_allows(files: &[&str], commands: &[&str]) {
    let policy = Policy::compile(Layers::default());
    let world = World::of(files, &[]);
    for command in commands {
        assert_eq!(world.decide(&policy, command, false), Decision::Allow, "{command}");
    }
}

#[test]
fn list_that_includes_ignored_files_is_asked_about() {
    let secret = format!("prod.env = {MARKER}\n");
    let files = [".git/HEAD = ref: refs/heads/main\n", ".gitignore = *.env\n", "src/a.rs", &secret];
    check_allows(
        &files,
        &["rg --files | xargs cat", "cat $(rg --files --sort path)", "rg -l KEY | xargs cat"],
    );
    check_asks(
        &files,
        &[],
        &[
            "rg --files --no-ignore | xargs cat",
            "rg --files --no-ignore-vcs | xargs cat",
            "cat $(rg --files --no-ignore)",
            "rg --files --no-ignore | while read -r f; do cat \"$f\"; done",
            "rg --files -u | xargs cat",
            "rg --files --no-ignore-parent | xargs cat",
            "rg --no-ignore KEY",
            "rg -u KEY",
            "rg --ignore-file x KEY",
        ],
    );
}

#[test]
fn name_that_becomes_an_option_is_asked_about() {
    let greps = [
        "grep KEY *",
        "grep KEY [-]* a.txt",
        "ls | xargs grep KEY",
        "for f in *; do grep KEY \"$f\" d; done",
        "ls | while read -r f; do grep KEY \"$f\"; done",
        "grep KEY $(ls)",
    ];
    check_asks(&["-r", "a.txt", "d/b.txt"], &[], &greps);
    check_asks(&["-R", "k"], &[], &["grep SEC ?R k"]);
    let counts = ["cd d && wc -l *", "cd d && wc [-]*", "cd d && du *", "cd d && ls | head -1 | xargs wc"];
    check_asks(&["d/--files0-from=..%.env", "d/a"], &[], &counts);
    let listed = ["wc -l *", "du *", "ls | head -1 | xargs wc", "ls | xargs -n1 wc -l"];
    check_asks(&["--files0-from=.env", "a.txt"], &[], &listed);
    let quiet = [
        "grep KEY *",
        "grep KEY *.txt",
        "wc -l *",
        "du -sh *",
        "ls | xargs wc -l",
        "ls | xargs grep KEY",
        "for f in *; do grep KEY \"$f\"; done",
        "find src -name '*.rs' | xargs grep -l KEY",
        "find src -name '*.rs' -exec grep -l KEY {} +",
        "for p in KEY TODO; do grep -c $p a.txt; done",
    ];
    check_allows(&["a.txt", "b.txt", "src/m.rs"], &quiet);
}

#[test]
fn name_that_is_split_is_asked_about() {
    let cut = ["for f in z/*; do cat $f; done", "for f in z/b*; do cat $f; done", "ls z/* | xargs cat"];
    check_asks(&["z/b .env"], &[], &cut);
    check_asks(&["b .env"], &[], &["for f in *; do cat $f; done", "ls | xargs cat"]);
    check_asks(&["y/b .en?"], &[], &["for f in y/b*; do cat $f; done"]);
    check_asks(&["x .env/a"], &[], &["ls | xargs cat", "for f in *; do head -1 $f; done"]);
    let quiet =
        ["for f in z/*; do cat $f; done", "for f in *.txt; do head -3 $f; done", "ls z/* | xargs cat"];
    check_allows(&["z/b.txt", "a.txt"], &quiet);
    check_allows(&["z/b c.txt"], &["for f in z/*; do cat \"$f\"; done"]);
    // Some programs do not print an ignored name, others do.
    let ignored = [".git/HEAD = ref: refs/heads/main\n", ".gitignore = *.log\n", "z/b c.log", "z/a.txt"];
    check_allows(&ignored, &["rg --files z | xargs cat"]);
    check_asks(&ignored, &[], &["find z -type f | xargs cat"]);
}

#[test]
fn name_joined_with_text_is_asked_about() {
    let links = [("d/e/y", "../../.env"), ("d/e.x", "../.env"), ("d/e/x", "../../.env"), ("x.1", ".env")];
    let commands = [
        "find d -name e -exec cat {}/y \\;",
        "find d -name e -exec cat '{}.x' \\;",
        "find d -name e -execdir cat {}.x \\;",
        "find d -name e -exec cat {}/../e.x \\;",
        "find q -name .en -exec cat {}v \\;",
        "ls | while read f; do cat \"d/e/$f\"; done",
        "ls | xargs -I% cat d/e/%",
        "find . -name '*.c' | while read -r f; do cat \"d/e/$f\"; done",
        "for i in $(seq 3); do cat x.$i; done",
        "cat $(pwd)/x.1",
        "cat \"$(git rev-parse --show-toplevel)/x.1\"",
    ];
    check_asks(&["x", "q/.en", "a.c"], &links, &commands);
    let quiet = [
        "ls src | while read f; do cat \"src/$f\"; done",
        "ls src | xargs -I% head -3 src/%",
        "for i in $(seq 3); do cat log.$i; done",
        "find src -name '*.rs' -exec head -3 {} \\;",
        "find src -name '*.rs' | while read -r f; do head -3 \"$f\"; done",
    ];
    check_allows(&["src/m.rs", "log.1", "log.2"], &quiet);
}

#[test]
fn character_class_of_one_is_a_glob() {
    let commands = [
        "cat [k]eys/*",
        "cat [k]eys/*.env",
        "cat keys/[k]",
        "grep -r KEY [k]eys",
        "cat [k]eys/k",
        "head -1 ke[y]s/p.*",
    ];
    check_asks(&["keys/p.env"], &[("keys/k", "../.env")], &commands);
    check_allows(&["keys/a.txt"], &["cat [k]eys/*.txt", "cat keys/[a].txt"]);
}

#[test]
fn nul_separated_names_are_not_joined() {
    let commands = [
        "cat $(grep -lZ KEY .e nv)",
        "cat $(grep -l --null KEY .e nv)",
        "for f in $(grep -lZ KEY .e nv); do cat $f; done",
        "cat $(find . -name '*e' -print0)",
        "grep -lZ KEY .e nv | while read -r f; do cat \"$f\"; done",
        "grep -l KEY .e nv | xargs -0 cat",
    ];
    check_asks(&[".e = KEY\n", "nv = KEY\n"], &[], &commands);
    let quiet = [
        "find src -name '*.rs' -print0 | xargs -0 cat",
        "find src -name '*.rs' -print0 | xargs -n 10 -0 wc -l",
        "find src -name '*.rs' -print0 | sort -z | xargs -r0 head -1",
        "grep -rlZ KEY src | xargs -0 cat",
        "find src -name '*.rs' -print0 | while IFS= read -r -d '' f; do cat \"$f\"; done",
    ];
    check_allows(&["src/m.rs"], &quiet);
}

#[test]
fn name_that_the_next_program_may_parse_differently_is_asked_about() {
    let odd = |name: &str, link: &str, commands: &[&str]| check_asks(&[name], &[(link, ".env")], commands);
    odd("u/a k\u{a0}y", "k\u{a0}y", &["cat $(find u -name 'a*')", "grep -rl KEY u | xargs cat"]);
    odd("s/'a b'.rs", "a b.rs", &["find s -type f -name '*.rs' | xargs cat"]);
    odd("q/x:", "q/x", &["find q -type f -name '*:' | while IFS=: read -r f; do cat \"$f\"; done"]);
    odd("r/a\\", "r/ar", &["find r -name 'a*' | while read f; do cat \"$f\"; done"]);
    let commands = ["ls src/sub docs | xargs cat", "cat $(ls src/sub docs)", "ls -R src/sub | xargs cat"];
    check_asks(&["src/sub/a", "docs/b"], &[("src/sub:", "../.env")], &commands);
    check_asks(&["src/x"], &[("src/x*", "../.env")], &["cat $(ls -F src/x)", "ls -p src/x | xargs cat"]);
    check_asks(&[".cfg", "other/a"], &[("other/.cfg", "../.env")], &["ls .cfg | (cd other && xargs cat)"]);
    check_asks(
        &["a.txt"],
        &[("input)", ".env")],
        &["cat a.txt | grep -l KEY - | xargs cat", "cat a.txt | grep -l KEY | xargs cat"],
    );
    // Only files that are not listed have odd names.
    check_allows(
        &["docs/a b.txt", "src/m.rs"],
        &["find . -name '*.rs' | xargs wc -l", "find src -name '*.rs' | xargs cat"],
    );
}

#[test]
fn printed_word_may_be_a_file() {
    let links = [("Linux", ".env"), ("2", ".env")];
    check_asks(
        &["a.txt"],
        &links,
        &["cat $(uname)", "cat \"$(uname -s)\"", "for i in $(seq 3); do cat $i; done"],
    );
    check_allows(&["a.txt"], &["cat $(uname)", "diff <(sort a.txt) <(sort a.txt)"]);
}

#[test]
fn unquoted_directory_name_is_split() {
    let commands = ["cd 'sp ace' && cat $PWD/a", "cd 'sp ace' && cat $(pwd)/a"];
    check_asks(&["sp ace/a", "sp ace/ace/a"], &[], &commands);
    check_allows(&["src/m.rs"], &["cat $PWD/src/m.rs", "cd src && cat $(pwd)/m.rs"]);
}

#[test]
fn rg_is_asked_about_if_it_opens_hidden_secrets() {
    for file in [".ignore", ".rgignore", ".gitignore", ".git/info/exclude"] {
        let file = format!("{file} = target\n!.env\n");
        check_asks(&[&file, "a.txt"], &[], &["rg KEY", "rg KEY .", "rg -l KEY | xargs cat"]);
    }
    check_asks(&["d/.ignore = !.e*\n", "d/.env = KEY\n"], &[], &["rg KEY", "rg KEY d"]);
    check_asks(&[".ignore = !.env\n", "d/.env = KEY\n"], &[], &["rg KEY d", "cd d && rg KEY"]);
    let options =
        ["rg --type-add 'a:.env' -ta KEY", "rg -tall KEY", "rg --ignore-file ig KEY", "rg -t sh KEY"];
    check_asks(&["ig = !.env\n"], &[], &options);
    let ignores = ".gitignore = target\n.env\n!.env.example\n!.github/\n!/src/*.rs\n";
    check_allows(&[ignores, "a.txt", "src/m.rs"], &["rg KEY", "rg -t rust KEY", "rg -n KEY src"]);
}

/// The facts as if nothing protected were ever found.
fn without_files(facts: &Facts) -> Facts {
    let blind = facts.iter().map(|(need, fact)| match need {
        FactQuery::Files(_) => (need.clone(), Fact::Files(FileSearchOutcome::Protected(Vec::new()))),
        _ => (need.clone(), fact.clone()),
    });
    blind.collect::<Vec<_>>().into()
}

const READERS: &[&str] =
    &["cat", "head -5", "tail -n 3", "grep -h foo", "grep foo", "sort", "nl", "tac", "cat --"];
const GLOBS: &[&str] = &[
    "*",
    "*.txt",
    "*.md",
    "k*",
    "?1",
    "[a-l]*",
    ".e*",
    ".*",
    "*/*",
    "d*/*",
    "*/k?",
    "s*/*.yml",
    "*.key",
    "*.pem",
    "{a,k}*",
    "\"d e\"/*",
    "./*",
    "~/*",
    "~/.cargo/*.toml",
    "src/../*",
    "l*/*",
    "l/*",
    "[!.]*",
    "*.y*ml",
    "\\[id\\]/*",
    "i*",
    "*rs*",
    "c*",
    "../ws/*",
    "*/../*",
    "l/../*",
    "[[:lower:]]*",
    "k?",
    "*'s'*",
    "\"\"*",
];
const PLACES: &[&str] =
    &[".", "src", "d", "keys", "'d e'", "sub", "l", "k2", "./", "*", "d*", "~/plain", "l/..", "k3/"];
const NAMES: &[&str] = &["*.txt", "*.rs", "*.md", "k*", "config", "*.yml", "l*", "*.pem", "x*", "*.json"];

fn script(dice: &mut Dice) -> String {
    let (reader, glob) = (dice.one(READERS), dice.one(GLOBS));
    let (dir, other, name) = (dice.one(PLACES), dice.one(PLACES), dice.one(NAMES));
    match dice.below(34) {
        0..=4 => format!("{reader} {glob}"),
        5 => format!("{reader} {dir}/{name}"),
        6 => format!("grep -r foo {dir}"),
        7 => "grep -rh foo".into(),
        8 => format!("grep -rn --include='{name}' foo {dir}"),
        9 => format!("grep -r --exclude='.env*' --exclude=id_rsa --exclude-dir=.ssh foo {dir}"),
        10 => format!("diff -r {dir} {other}"),
        11 => format!("diff {dir} {other}"),
        12 => format!("find {dir} -type f -exec {reader} {{}} +"),
        13 => format!("find {dir} -name '{name}' -exec {reader} {{}} \\;"),
        14 => format!("find {dir} -name '{name}' | xargs {reader}"),
        15 => format!("find {dir} -name '{name}' -print0 | xargs -0 {reader}"),
        16 => format!("ls | xargs {reader}"),
        17 => format!("ls {dir} | xargs {reader}"),
        18 => format!("for f in {glob}; do {reader} \"$f\"; done"),
        19 => format!("for f in a.txt config k1; do {reader} {dir}/$f; done"),
        20 => format!("{reader} $(ls {dir})"),
        21 => format!("{reader} $(find {dir} -name '{name}')"),
        22 => format!("ls | while read -r f; do {reader} \"$f\"; done"),
        23 => format!("find {dir} -name '{name}' -execdir {reader} {{}} \\;"),
        24 => format!("git ls-files | xargs {reader}"),
        25 => format!("{reader} < {glob}"),
        26 => format!("cd {dir} && {reader} {glob}"),
        27 => format!("(cd {dir}; grep -r foo .)"),
        28 => format!("{reader} {dir}/$(basename config)"),
        29 => format!("grep -rl foo {dir} | xargs {reader}"),
        30 => {
            format!("find {dir} -maxdepth 2 \\( -name '{name}' -o -name '*.md' \\) -exec {reader} {{}} +")
        }
        31 => "grep -r foo \"$(git rev-parse --show-toplevel)\"".into(),
        32 => format!("ls -d {glob} | xargs {reader}"),
        _ => format!("for d in src d keys; do grep -r foo $d; done; {reader} {glob} {dir}/config"),
    }
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}

/// All commands of a world are judged before any is run; a world serves a few of them.
fn run(cases: u64, blind: bool) -> (u64, Vec<String>) {
    let policy = Policy::compile(Layers::default());
    let mut dice = Dice(number("SEKISHO_READER_SEED", 7));
    let (mut allowed, mut leaks) = (0, Vec::new());
    let mut world = World::new(&mut dice);
    for case in 0..cases {
        if case % 6 == 5 {
            world = World::new(&mut dice);
        }
        let script = script(&mut dice);
        if world.decide(&policy, &script, blind) != Decision::Allow {
            continue;
        }
        allowed += 1;
        if world.leaks(&script) {
            let list = world.command("find . ~ -printf '%p -> %l\\n'").output().unwrap();
            leaks.push(format!("case {case}: {script}\n{}", String::from_utf8_lossy(&list.stdout)));
        }
    }
    (allowed, leaks)
}

#[test]
fn allowed_reader_shows_nothing_protected() {
    let cases = number("SEKISHO_READER_CASES", 300);
    let (allowed, leaks) = run(cases, false);
    println!("{allowed} of {cases} readers were allowed");
    assert!(leaks.is_empty(), "{} leaks:\n{}", leaks.len(), leaks.join("\n"));
    // Otherwise nothing was tested.
    assert!(allowed * 5 >= cases, "only {allowed} of {cases} were allowed");
}

/// Whatever bash expands a glob to, a protected file among it is found.
#[test]
fn glob_finds_what_bash_expands_it_to() {
    let policy = Policy::compile(Layers::default());
    let mut dice = Dice(number("SEKISHO_READER_SEED", 7));
    let mut protected = 0;
    for _ in 0..40 {
        let world = World::new(&mut dice);
        let home = world.home.to_str();
        // Only globs without quotes and braces, which would need parsing here.
        for glob in GLOBS.iter().filter(|glob| !glob.contains(['"', '\'', '{', '~', '\\'])) {
            let output = world.command(&format!("printf '%s\\0' {glob}")).output().unwrap();
            let names = output.stdout.split(|byte| *byte == 0).map(String::from_utf8_lossy);
            let paths = names.filter_map(|name| world.root.join(&*name).canonicalize().ok());
            let secret = |path: &PathBuf| {
                let mut found = policy.protections(path.to_str().unwrap(), None, home);
                found.any(|one| one.is_secret() && one.contents() == ContentCheck::NotNeeded)
            };
            let expands = paths.filter(secret).count() > 0;
            let search = FileSearch {
                directory: world.root.to_str().unwrap().into(),
                top: false,
                no_options: false,
                inside: false,
                whole_names: false,
                pattern: Some((*glob).into()),
                below: None,
            };
            let facts =
                FactResolver::new(Some(&world.home)).look_up(&policy, &[FactQuery::Files(search)], None);
            let found = facts.iter().any(|(_, fact)| {
                matches!(fact, Fact::Files(FileSearchOutcome::Protected(found)) if found.iter().any(|file| file.secret))
            });
            assert!(!expands || found, "{glob}");
            protected += usize::from(expands);
        }
    }
    assert!(protected >= 30, "only {protected} globs expanded to something protected");
}

/// The control: without the facts about files, the same commands leak.
#[test]
fn without_the_facts_the_same_readers_leak() {
    let (_, leaks) = run(300, true);
    assert!(leaks.len() >= 5, "only {} leaks", leaks.len());
}
