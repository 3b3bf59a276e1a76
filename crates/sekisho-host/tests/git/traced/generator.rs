//! Repositories generated from settings, positions for them and discovery tricks; and commands to run in
//! them.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::git_judge::READERS;
use super::super::test_repositories::{append, copy};
use super::discovery_tricks::TRICKS;
use super::random_numbers::Random;
use super::templates::{self, TEMPLATES};
use super::workspace::Workspace;

/// Which settings are used.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Keys {
    /// All that the installed git documents, and some that other versions do.
    Documented,
    /// Those known to make read-only commands act.
    Harmful,
}

/// A command in a repository.
pub(super) struct Pair {
    /// The directory of the repository, below `ws`.
    pub(super) case: String,
    /// Where in it git is run.
    directory: String,
    command: &'static str,
    pub(super) made_of: String,
}

impl Pair {
    pub(super) fn script(&self) -> String {
        format!("cd {}/{} && {}", self.case, self.directory, self.command)
    }
}

/// Settings that the documentation of an older git lacks.
const MORE_KEYS: &[&str] = &[
    "filter.<driver>.process",
    "filter.<driver>.required",
    "hook.<name>.command",
    "hook.<name>.event",
    "extensions.partialClone",
    "extensions.preciousObjects",
    "extensions.relativeWorktrees",
    "extensions.submodulePathConfig",
    "core.fscache",
    "lfs.url",
    "gitflow.branch.master",
];

const HARMFUL: &[&str] = &[
    "core.fsmonitor",
    "core.fsmonitor",
    "diff.external",
    "diff.<driver>.textconv",
    "diff.<driver>.command",
    "filter.<driver>.clean",
    "filter.<driver>.process",
    "core.pager",
    "gpg.program",
    "log.showSignature",
    "core.worktree",
    "core.attributesFile",
    "core.excludesFile",
    "core.hooksPath",
    "remote.origin.promisor",
    "remote.origin.url",
    "diff.submodule",
    "diff.orderFile",
    "mailmap.file",
    "blame.ignoreRevsFile",
    "include.path",
    "branch.sort",
    "tag.sort",
    "format.pretty",
    "log.diffMerges",
    "status.submoduleSummary",
    "submodule.recurse",
    "core.splitIndex",
    "merge.<driver>.driver",
];

pub(super) struct Generator<'a> {
    workspace: &'a Workspace,
    random: Random,
    templates: PathBuf,
    keys: Vec<String>,
    next: usize,
}

impl<'a> Generator<'a> {
    pub(super) fn new(workspace: &'a Workspace, seed: u64, keys: Keys) -> Generator<'a> {
        let disk = &workspace.disk;
        let documented = disk.git(&disk.path(""), &["help", "--config"]);
        let documented = documented.lines().filter(|line| line.contains('.') && !line.contains(' '));
        let keys = match keys {
            Keys::Documented => documented.chain(MORE_KEYS.iter().copied()).map(Into::into).collect(),
            Keys::Harmful => HARMFUL.iter().map(|key| (*key).to_owned()).collect(),
        };
        Generator { workspace, random: Random::new(seed), templates: templates::make(disk), keys, next: 0 }
    }

    /// Generates repositories, with some commands each.
    pub(super) fn batch(&mut self, repositories: usize, commands: usize) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for _ in 0..repositories {
            let case = format!("c{}", self.next);
            self.next += 1;
            let (directory, made_of) = self.make(&self.workspace.root().join(&case));
            for _ in 0..commands {
                let command = *self.random.pick(READERS);
                let (directory, made_of) = (directory.clone(), made_of.clone());
                pairs.push(Pair { case: case.clone(), directory, command, made_of });
            }
        }
        pairs
    }

    /// Generates one repository; returns where git is run and what it consists of.
    fn make(&mut self, case: &Path) -> (String, String) {
        let template = *self.random.pick(TEMPLATES);
        copy(&self.templates.join(template), case);
        fs::create_dir(case.join("outside")).unwrap();
        fs::write(case.join("outside/secret"), "the-secret\n").unwrap();
        let mut made_of = vec![template.to_owned()];
        for _ in 0..self.random.below(3) {
            made_of.push(self.set(case, template));
        }
        let mut directory = "r".to_owned();
        if self.random.percent(35) {
            let (name, trick) = self.random.pick(TRICKS);
            if let Some(other) = trick(case, self.workspace) {
                directory = other;
            }
            made_of.push((*name).to_owned());
        }
        if directory == "r" && self.random.percent(15) && case.join("r/src").is_dir() {
            directory = "r/src".into();
        }
        (directory, made_of.join("; "))
    }

    /// Writes one setting somewhere.
    fn set(&mut self, case: &Path, template: &str) -> String {
        // Half of them from the sections that read-only commands use.
        let keys: Vec<&String> = match self.random.percent(50) {
            true => self.keys.iter().filter(|key| is_looked_at(key)).collect(),
            false => self.keys.iter().collect(),
        };
        let key = (*self.random.pick(&keys)).clone();
        let key = self.named(&key);
        let value = self.value(case, &key);
        let line = self.written(&key, &value);
        let main = if template == "linked" { case.join("main/.git") } else { case.join("r/.git") };
        let own = if template == "linked" { main.join("worktrees/r") } else { main.clone() };
        let position = match self.random.below(10) {
            0 => {
                append(&main.join("config"), "[extensions]\n\tworktreeConfig = true\n");
                append(&own.join("config.worktree"), &line);
                "config.worktree"
            }
            1 => {
                append(&main.join("config"), "[include]\n\tpath = more\n");
                append(&main.join("more"), &line);
                "include"
            }
            2 => {
                append(&main.join("config"), "[includeIf \"onbranch:main\"]\n\tpath = ../more.inc\n");
                append(&main.join("../more.inc"), &line);
                "include of the work tree"
            }
            3 => {
                append(&main.join("config"), "[include]\n\tpath = ../../outside/more\n");
                append(&case.join("outside/more"), &line);
                "include of a file outside"
            }
            4 if template == "submodule" => {
                append(&main.join("modules/sub/config"), &line);
                "the submodule's config"
            }
            _ => {
                append(&main.join("config"), &line);
                "config"
            }
        };
        format!("{key}={value} in {position}")
    }

    /// A key without placeholders.
    fn named(&mut self, key: &str) -> String {
        let mut named = String::new();
        let mut rest = key;
        while let Some((before, after)) = rest.split_once('<') {
            let (placeholder, after) = after.split_once('>').unwrap_or((after, ""));
            let names: &[&str] = match placeholder {
                "driver" => &["x", "x.y"],
                "cmd" => &["log", "status", "diff", "branch"],
                "format" => &["openpgp", "ssh"],
                "tool" => &["x", "vimdiff"],
                _ => &["origin", "main", "sub", "x"],
            };
            named.push_str(before);
            named.push_str(self.random.pick::<&str>(names));
            rest = after;
        }
        named.push_str(rest);
        named.replace('*', "x")
    }

    fn value(&mut self, case: &Path, key: &str) -> String {
        let program = self.workspace.program().display().to_string();
        let outside = case.join("outside/secret").display().to_string();
        let key = key.to_ascii_lowercase();
        let fitting: &[&str] = match key.as_str() {
            "branch.sort" | "tag.sort" => &["signature", "-signature:grade", "-committerdate"],
            "format.pretty" => &["%h %G?", "oneline", "format:%GK"],
            "log.diffmerges" => &["remerge", "first-parent", "r"],
            "diff.submodule" => &["diff", "log", "short"],
            "log.showsignature" | "submodule.recurse" | "status.submodulesummary" | "core.splitindex" => {
                &["true", "yes", "false", "1"]
            }
            "core.hookspath" => &["hooks", ".githooks", "../outside", ""],
            "core.worktree" => &["..", "../..", "../../outside", "/", "."],
            "core.attributesfile" | "core.excludesfile" => &["src/b.u", "../outside/secret", "none", "a.txt"],
            _ if key.ends_with(".promisor") => &["true", "1", "false"],
            _ if key.ends_with(".partialclonefilter") => &["blob:none"],
            _ => &[],
        };
        if !fitting.is_empty() && self.random.percent(80) {
            return (*self.random.pick(fitting)).to_owned();
        }
        let ext = format!("ext::{program}");
        let any = [
            &program,
            &program,
            &program,
            &outside,
            &ext,
            "true",
            "true",
            "false",
            "",
            "1",
            "0",
            "auto",
            "always",
            "all",
            "./evil.sh",
            "../outside/secret",
            "refs/heads/*",
        ];
        (*self.random.pick(&any)).to_owned()
    }

    /// A setting as a section of a config, in one of the ways to write it.
    fn written(&mut self, key: &str, value: &str) -> String {
        let (section, rest) = key.split_once('.').unwrap();
        let (subsection, name) = rest.rsplit_once('.').map_or((None, rest), |(sub, name)| (Some(sub), name));
        let mut section = section.to_owned();
        if self.random.percent(20) {
            section = section.to_ascii_uppercase();
        }
        let header = match subsection {
            None => section,
            Some(sub) if self.random.percent(20) => format!("{section}.{sub}"),
            Some(sub) if sub.contains('.') && self.random.percent(40) => {
                let (first, second) = sub.split_once('.').unwrap();
                format!("{section}.{first} \"{second}\"")
            }
            Some(sub) => format!("{section} \"{sub}\""),
        };
        let end = *self.random.pick(&["\n", "\n", "\n", "\r\n", " ; more\n", " # \\\n"]);
        let gap = *self.random.pick(&["\n\t", "\n\t", " ", "", "\r\n"]);
        let is = *self.random.pick(&[" = ", "=", " =\t", " = \\\n  "]);
        let quoted = if self.random.percent(30) { format!("\"{value}\"") } else { value.to_owned() };
        format!("[{header}]{gap}{name}{is}{quoted}{end}")
    }
}

fn is_looked_at(key: &str) -> bool {
    const SECTIONS: &[&str] = &[
        "core",
        "diff",
        "log",
        "status",
        "blame",
        "branch",
        "tag",
        "submodule",
        "grep",
        "format",
        "index",
        "remote",
        "extensions",
        "pager",
        "column",
        "merge",
        "notes",
        "attr",
        "mailmap",
        "feature",
        "i18n",
        "pretty",
        "filter",
    ];
    SECTIONS.contains(&key.split('.').next().unwrap())
}
