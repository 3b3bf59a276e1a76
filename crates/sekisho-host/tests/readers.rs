//! Readers that are allowed show nothing protected: random workspaces with secrets, links and odd names, random commands
//! that read by globs, searches and lists, judged with the facts of the disk and then really run by bash. The text of a
//! protected file must not be in what an allowed one prints.
//!
//! `SEKISHO_READER_CASES` sets the number of commands, `SEKISHO_READER_SEED` where they begin.
#![expect(clippy::disallowed_methods, reason = "a test that runs bash and reads its settings")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use sekisho_host::{Bound, Resolver};
use sekisho_policy::{
    Call, Contents, Decision, Fact, Facts, FileSearch, FilesFound, Layers, Need, Policy, Surroundings, judge,
    needs,
};
use serde_json::json;

/// What every protected file holds.
const MARKER: &str = "MARKER-OF-A-SECRET";

/// A small generator of numbers (splitmix64).
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
/// By what they hold: a private key or a token is put in.
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
    // A directory of that name, or a link, may be there already.
    let _ = fs::write(path, text);
}

impl World {
    fn new(dice: &mut Dice) -> World {
        let place = tempfile::tempdir().unwrap();
        let base = place.path().canonicalize().unwrap();
        let world = World { root: base.join("ws"), home: base.join("home"), _place: place };
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

    /// Whether what a command prints is protected.
    fn leaks(&self, script: &str) -> bool {
        let output = self.command(script).output().unwrap();
        let printed = |bytes: &[u8]| memchr::memmem::find(bytes, MARKER.as_bytes()).is_some();
        printed(&output.stdout) || printed(&output.stderr)
    }

    fn decide(&self, policy: &Policy, script: &str, blind: bool) -> Decision {
        let call = Call::new("bash", json!({ "command": script })).in_directory(self.root.to_str().unwrap());
        let needs = needs(policy, &call);
        let mut around = Surroundings::at(jiff::Timestamp::UNIX_EPOCH);
        around.root = Some(self.root.to_str().unwrap().into());
        around.home = Some(self.home.to_str().unwrap().into());
        // The clock must not decide here.
        let bound = Bound { entries: 50_000, time: Duration::from_secs(600) };
        let facts =
            Resolver::new(Some(&self.home)).bounded(bound).look_up(policy, &needs, around.root.as_deref());
        around.facts = if blind { without_files(&facts) } else { facts };
        judge(policy, &call, &around).decision
    }
}

/// The facts as they would be if nothing protected were ever found.
fn without_files(facts: &Facts) -> Facts {
    let blind = facts.iter().map(|(need, fact)| match need {
        Need::Files(_) => (need.clone(), Fact::Files(FilesFound::Protected(Vec::new()))),
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
    let (place, other, name) = (dice.one(PLACES), dice.one(PLACES), dice.one(NAMES));
    match dice.below(34) {
        0..=4 => format!("{reader} {glob}"),
        5 => format!("{reader} {place}/{name}"),
        6 => format!("grep -r foo {place}"),
        7 => "grep -rh foo".into(),
        8 => format!("grep -rn --include='{name}' foo {place}"),
        9 => format!("grep -r --exclude='.env*' --exclude=id_rsa --exclude-dir=.ssh foo {place}"),
        10 => format!("diff -r {place} {other}"),
        11 => format!("diff {place} {other}"),
        12 => format!("find {place} -type f -exec {reader} {{}} +"),
        13 => format!("find {place} -name '{name}' -exec {reader} {{}} \\;"),
        14 => format!("find {place} -name '{name}' | xargs {reader}"),
        15 => format!("find {place} -name '{name}' -print0 | xargs -0 {reader}"),
        16 => format!("ls | xargs {reader}"),
        17 => format!("ls {place} | xargs {reader}"),
        18 => format!("for f in {glob}; do {reader} \"$f\"; done"),
        19 => format!("for f in a.txt config k1; do {reader} {place}/$f; done"),
        20 => format!("{reader} $(ls {place})"),
        21 => format!("{reader} $(find {place} -name '{name}')"),
        22 => format!("ls | while read -r f; do {reader} \"$f\"; done"),
        23 => format!("find {place} -name '{name}' -execdir {reader} {{}} \\;"),
        24 => format!("git ls-files | xargs {reader}"),
        25 => format!("{reader} < {glob}"),
        26 => format!("cd {place} && {reader} {glob}"),
        27 => format!("(cd {place}; grep -r foo .)"),
        28 => format!("{reader} {place}/$(basename config)"),
        29 => format!("grep -rl foo {place} | xargs {reader}"),
        30 => {
            format!("find {place} -maxdepth 2 \\( -name '{name}' -o -name '*.md' \\) -exec {reader} {{}} +")
        }
        31 => "grep -r foo \"$(git rev-parse --show-toplevel)\"".into(),
        32 => format!("ls -d {glob} | xargs {reader}"),
        _ => format!("for d in src d keys; do grep -r foo $d; done; {reader} {glob} {place}/config"),
    }
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}

/// Commands of a world are judged before any is run; a world serves a few of them.
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
fn an_allowed_reader_shows_nothing_protected() {
    let cases = number("SEKISHO_READER_CASES", 300);
    let (allowed, leaks) = run(cases, false);
    println!("{allowed} of {cases} readers were allowed");
    assert!(leaks.is_empty(), "{} leaks:\n{}", leaks.len(), leaks.join("\n"));
    // Else nothing was shown.
    assert!(allowed * 5 >= cases, "only {allowed} of {cases} were allowed");
}

/// Whatever bash makes of a glob, a protected file among it is found.
#[test]
fn a_glob_finds_what_bash_expands_it_to() {
    let policy = Policy::compile(Layers::default());
    let mut dice = Dice(number("SEKISHO_READER_SEED", 7));
    let mut protected = 0;
    for _ in 0..40 {
        let world = World::new(&mut dice);
        let home = world.home.to_str();
        // Written so that quotes and braces need no reading here.
        for glob in GLOBS.iter().filter(|glob| !glob.contains(['"', '\'', '{', '~', '\\'])) {
            let output = world.command(&format!("printf '%s\\0' {glob}")).output().unwrap();
            let names = output.stdout.split(|byte| *byte == 0).map(String::from_utf8_lossy);
            let paths = names.filter_map(|name| world.root.join(&*name).canonicalize().ok());
            let secret = |path: &PathBuf| {
                let mut found = policy.protections(path.to_str().unwrap(), None, home);
                found.any(|one| one.is_secret() && one.contents() == Contents::Always)
            };
            let expands = paths.filter(secret).count() > 0;
            let search = FileSearch {
                directory: world.root.to_str().unwrap().into(),
                top: false,
                pattern: Some((*glob).into()),
                below: None,
            };
            let facts = Resolver::new(Some(&world.home)).look_up(&policy, &[Need::Files(search)], None);
            let found = facts.iter().any(|(_, fact)| {
                matches!(fact, Fact::Files(FilesFound::Protected(found)) if found.iter().any(|file| file.secret))
            });
            assert!(!expands || found, "{glob}");
            protected += usize::from(expands);
        }
    }
    assert!(protected >= 30, "only {protected} globs expanded to something protected");
}

/// The control: where the facts about files are not believed, the same commands leak.
#[test]
fn without_the_facts_the_same_readers_leak() {
    let (_, leaks) = run(300, true);
    assert!(leaks.len() >= 5, "only {} leaks", leaks.len());
}
