//! The program table files are well formed, unique and sorted, and errors name file and position.

use std::collections::BTreeSet;

use sekisho_shell::programs::{BuiltinList, files, names, profile_command};

use crate::support::{self, words};

#[test]
fn every_file_is_well_formed() {
    let faults: Vec<String> =
        files().filter_map(|file| support::table(&[file]).err()).map(|error| error.to_string()).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn names_are_unique_and_the_index_has_them_all() {
    let all: Vec<(&str, &str)> = files().collect();
    let table = support::table(&all).unwrap();
    let parsed: BTreeSet<&str> = table.names().collect();
    let indexed: BTreeSet<&str> = names().collect();
    let astray: Vec<&&str> = parsed.symmetric_difference(&indexed).collect();
    assert!(astray.is_empty(), "{astray:?}");
    assert!(indexed.len() >= 120, "{}", indexed.len());
}

#[test]
fn a_program_is_added_without_code() {
    let text = r#"
        [program.peek]
        also = ["peep"]
        builtin = "full"
        harmless = { flags = "ab", valued = "n", long = "all width=" }
        other = { long = "write=" }
        operands = { kind = "read", max = 2 }
    "#;
    let table = support::table(&[("peek.toml", text)]).unwrap();
    let judge = |command: &str| table.read(&words(command)).harmless.is_ok();
    assert!(judge("peek -abn 3 --all --width 4 x y"));
    assert!(judge("peep -n3 -- -x"));
    assert!(!judge("peek -c"));
    assert!(!judge("peek --wri=x"));
    assert!(!judge("peek --wid=3"), "abbreviations need a complete list");
    assert!(!judge("peek x y z"));
    assert!(!judge("cat x"), "this table has no cat");
    assert_eq!(table.read(&words("peek x")).builtin, Some(BuiltinList::Full));
}

#[test]
fn errors_name_file_and_location() {
    let error = |text: &str| support::table(&[("x.toml", text)]).unwrap_err();
    assert_eq!(error("[program.a]\nharmles = {}").file, "x.toml");
    assert_eq!(error("[program.a]\nvalues = { x = \"nonsense\" }").location, "a");
    assert!(error("[program.a]\nharmless.flags = \"xx\"").to_string().contains("-x occurs twice"));
    assert!(error("[program.a]\nharmless.long = \"b\"\nother.long = \"b=\"").to_string().contains("--b"));
    assert!(error("[program.a]\nalso = [\"b\"]\n[program.b]").to_string().contains("occurs twice"));
    assert!(error("[program.a]\nharmless.include = [\"none\"]").to_string().contains("none"));
}

/// The commands that a built-in list allows, as written in its file.
fn listed(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.split_once("\"command\": \"")?.1.split_once('"'))
        .map(|(c, _)| c)
        .collect()
}

/// The commands that the table marks for a built-in list, including aliases.
fn marked() -> Vec<String> {
    let mut found = Vec::new();
    for (_, text) in files() {
        let file: toml::Table = text.parse().unwrap_or_default();
        for (name, program) in tables(&file, "program") {
            collect(&[], name, program, &mut found);
        }
    }
    found
}

fn tables<'t>(of: &'t toml::Table, key: &str) -> impl Iterator<Item = (&'t str, &'t toml::Table)> {
    let inside = of.get(key).and_then(toml::Value::as_table).into_iter().flatten();
    inside.filter_map(|(name, value)| Some((name.as_str(), value.as_table()?)))
}

/// The commands that the table marks for a preset, including aliases.
fn marked_for(preset: &str) -> Vec<String> {
    fn collect(above: &[String], name: &str, command: &toml::Table, preset: &str, found: &mut Vec<String>) {
        let also = command.get("also").and_then(toml::Value::as_array).into_iter().flatten();
        for name in std::iter::once(name).chain(also.filter_map(toml::Value::as_str)) {
            let mut path = above.to_vec();
            path.push(name.to_owned());
            let text = |field: &str| command.get(field).and_then(toml::Value::as_str);
            if text("preset") == Some(preset) {
                found.push(path.join(" "));
            }
            if preset == "dev" {
                let modules = text("modules").unwrap_or_default().split_whitespace();
                found.extend(modules.map(|module| format!("{} -m {module}", path.join(" "))));
            }
            let parses = text("parses_if").filter(|_| text("alone_in") == Some(preset));
            found.extend(parses.map(|word| format!("{} {word}", path.join(" "))));
            for field in ["alone", "help"] {
                if text(&format!("{field}_in")) == Some(preset) {
                    let words = text(field).unwrap_or_default().split_whitespace();
                    found.extend(words.map(|word| format!("{} {word}", path.join(" "))));
                }
            }
            for (name, sub) in tables(command, "sub") {
                collect(&path, name, sub, preset, found);
            }
        }
    }
    let mut found = Vec::new();
    for (_, text) in files() {
        let file: toml::Table = text.parse().unwrap_or_default();
        for (name, program) in tables(&file, "program") {
            collect(&[], name, program, preset, &mut found);
        }
    }
    found
}

/// Commands that share an entry with others, and are left out: `k` and `corepack` may be anything, `ni test` installs a
/// package named `test`, `pipx` updates the environments that it lists, podman and nerdctl have only some commands of docker,
/// yarn and bun may run a script named `list`, bun a file named `tsc`, and `pdm show` asks a registry.
const NOT_OFFERED: &str = "k
corepack
ni
nr
pipx
podman service
podman stack
podman node
podman plugin
podman config
podman context
podman buildx
podman compose
nerdctl service
nerdctl stack
nerdctl node
nerdctl plugin
nerdctl config
nerdctl context
nerdctl buildx
nerdctl compose
nerdctl secret
nerdctl pod
nerdctl machine
nerdctl system df
docker pod
docker machine
yarn list
yarn ls
yarnpkg list
yarnpkg ls
bun list
bun ls
bun tsc
bun jest
bun vitest
pdm show
hatch show";

/// Whether a rule for the leading words of a command includes it.
fn covers(rule: &str, command: &str) -> bool {
    command.strip_prefix(rule).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

fn is_left_out(command: &str) -> bool {
    NOT_OFFERED.lines().any(|name| covers(name, command))
}

#[test]
fn marks_and_presets_agree() {
    let built_in: Vec<&str> = listed(include_str!("../../../sekisho-policy/src/builtin/seed.json"))
        .into_iter()
        .chain(listed(include_str!("../../../sekisho-policy/src/builtin/more.json")))
        .collect();
    for (preset, text) in [
        ("dev", include_str!("../../../sekisho-policy/src/builtin/presets/dev.json")),
        ("network-read", include_str!("../../../sekisho-policy/src/builtin/presets/network-read.json")),
        (
            "local-work",
            concat!(
                include_str!("../../../sekisho-policy/src/builtin/presets/local-work.json"),
                include_str!("../../../sekisho-policy/src/builtin/presets/local-work-with-dev.json")
            ),
        ),
    ] {
        let rules = listed(text);
        let marked = marked_for(preset);
        let without_mark: Vec<&&str> =
            rules.iter().filter(|rule| !marked.iter().any(|command| command == *rule)).collect();
        assert!(without_mark.is_empty(), "{preset}: allowed, but not marked: {without_mark:?}");
        let without_rule: Vec<&String> = marked
            .iter()
            .filter(|command| !is_left_out(command) && !rules.iter().any(|rule| covers(rule, command)))
            .collect();
        assert!(without_rule.is_empty(), "{preset}: marked, but not allowed: {without_rule:?}");
        let always: Vec<&String> =
            marked.iter().filter(|command| built_in.iter().any(|rule| covers(rule, command))).collect();
        assert!(always.is_empty(), "{preset}: allowed without the preset: {always:?}");
    }
}

fn collect(above: &[String], name: &str, command: &toml::Table, found: &mut Vec<String>) {
    let also = command.get("also").and_then(toml::Value::as_array).into_iter().flatten();
    for name in std::iter::once(name).chain(also.filter_map(toml::Value::as_str)) {
        let mut path = above.to_vec();
        path.push(name.to_owned());
        for field in ["alone", "help"] {
            if command.contains_key(&format!("{field}_in")) {
                continue;
            }
            let listed = command.get(field).and_then(toml::Value::as_str).unwrap_or_default();
            found.extend(listed.split_whitespace().map(|word| format!("{} {word}", path.join(" "))));
        }
        let parses = command.get("parses_if").filter(|_| !command.contains_key("alone_in"));
        let parses = parses.and_then(toml::Value::as_str);
        found.extend(parses.map(|word| format!("{} {word}", path.join(" "))));
        if command.contains_key("builtin") {
            found.push(path.join(" "));
        }
        for (name, sub) in tables(command, "sub") {
            collect(&path, name, sub, found);
        }
    }
}

#[test]
fn marks_and_built_in_rules_agree() {
    let seed = listed(include_str!("../../../sekisho-policy/src/builtin/seed.json"));
    let more = listed(include_str!("../../../sekisho-policy/src/builtin/more.json"));
    let rules: Vec<&str> = seed.iter().chain(&more).copied().collect();
    assert!(rules.len() > 60, "{}", rules.len());
    let marked = marked();
    assert!(marked.len() > 60, "{}", marked.len());
    let without_rule: Vec<&String> = marked
        .iter()
        .filter(|command| !is_left_out(command) && !rules.iter().any(|rule| covers(rule, command)))
        .collect();
    assert!(without_rule.is_empty(), "marked, but no built-in rule allows them: {without_rule:?}");
    // `cd`, and commands that are harmless only depending on what they run or set, have no mark.
    let unmarked = [
        "bash", "sh", "cd", "type", "read", "wait", "time", "timeout", "nice", "stdbuf", "command",
        "builtin", "xargs", "pushd", "popd",
    ];
    let without_mark: Vec<&&str> = rules
        .iter()
        .filter(|rule| !unmarked.contains(rule) && !marked.iter().any(|command| command == *rule))
        .collect();
    assert!(without_mark.is_empty(), "allowed by a built-in rule, but not marked: {without_mark:?}");
    for rule in seed {
        let list = profile_command(&words(rule)).builtin;
        assert!(rule == "cd" || list == Some(BuiltinList::Seed), "{rule}: {list:?}");
    }
}

/// Most programs read options behind operands, too. With the other grammar these would be operands without a check.
#[test]
fn options_behind_operands_are_read_or_refused() {
    // `awk`, the builtins and programs in Go stop at the first operand, and behind that of `unzip` are names in the archive.
    let exceptions = ["actionlint", "awk", "printf", "shfmt", "unzip"];
    let mut unchecked = Vec::new();
    for (_, text) in files() {
        let file: toml::Table = text.parse().unwrap();
        for (name, program) in tables(&file, "program") {
            collect_unchecked(name, program, &mut unchecked);
        }
    }
    unchecked.retain(|name| !exceptions.contains(&name.as_str()));
    assert!(unchecked.is_empty(), "{unchecked:?}");
}

fn collect_unchecked(path: &str, command: &toml::Table, found: &mut Vec<String>) {
    let grammar = command.get("grammar").and_then(toml::Value::as_str);
    let is_posix = matches!(grammar, Some("posix" | "single-dash-first"));
    let is_marked = command.contains_key("builtin") || command.contains_key("preset");
    let operands = command.get("operands").and_then(toml::Value::as_table);
    let is_limited =
        operands.is_some_and(|operands| operands.contains_key("max") || operands.contains_key("each"));
    if is_posix && is_marked && !is_limited && !command.contains_key("inner") {
        found.push(path.to_owned());
    }
    for (name, sub) in tables(command, "sub") {
        collect_unchecked(&format!("{path} {name}"), sub, found);
    }
}

#[test]
fn common_programs_are_known() {
    let known: BTreeSet<&str> = names().collect();
    let daily = "cargo npm npx pnpm yarn bun pip uv poetry go make cmake docker podman kubectl helm terraform gh curl wget
        ssh scp rsync tar zip unzip gzip sed awk jq yq python python3 node deno ruby perl php java apt apt-get brew dnf
        systemctl service journalctl chmod chown chgrp mv cp rm rmdir ln mkdir touch dd truncate tee shred mkfs mount
        kill pkill killall crontab at nc socat openssl gpg psql mysql sqlite3 redis-cli vim nano emacs less more man
        tmux screen sudo doas env command builtin exec time nice nohup timeout setsid stdbuf ionice chrt taskset
        strace ltrace watch xargs parallel find fd sh bash dash zsh ksh eval busybox toybox flock script su runuser
        nsenter unshare chroot setpriv systemd-run entr nix-shell uvx bunx direnv dotenv caffeinate trap export
        declare typeset readonly local unset read mapfile let alias unalias shopt set enable hash source . history fc
        complete bind pushd popd cd";
    let missing: Vec<&str> = daily.split_whitespace().filter(|name| !known.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
