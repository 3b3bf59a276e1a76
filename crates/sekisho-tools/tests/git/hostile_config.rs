//! Programs that a repository names in its config, attributes and hooks.

use std::fs;

use serde_json::json;

use super::{act, append, every_action, evil, fired, plain, repository, set_up};
use crate::project::Project;

/// An attack: config, files below the work tree, and a plain command that runs the program.
struct Attack {
    name: &'static str,
    config: &'static str,
    files: &'static [(&'static str, &'static str)],
    works_with: &'static [&'static str],
}

const ALL: (&str, &str) = (".git/info/attributes", "* filter=ev diff=ev merge=ev\n");

/// `EVIL` stands for the program.
const ATTACKS: &[Attack] = &[
    Attack { name: "fsmonitor", config: "[core]\nfsmonitor = EVIL\n", files: &[], works_with: &["status"] },
    Attack {
        name: "hooksPath",
        config: "[core]\nhooksPath = hooks\n",
        files: &[("hooks/post-index-change", "HOOK")],
        works_with: &["status"],
    },
    Attack {
        name: "clean filter",
        config: "[filter \"ev\"]\nclean = EVIL\n",
        files: &[ALL],
        works_with: &["diff"],
    },
    Attack {
        name: "clean filter of tracked attributes",
        config: "[filter \"ev\"]\nclean = EVIL\n",
        files: &[(".gitattributes", "* filter=ev\n")],
        works_with: &["diff"],
    },
    Attack {
        name: "smudge filter",
        config: "[filter \"ev\"]\nsmudge = EVIL\n",
        files: &[ALL],
        works_with: &["checkout", "-f", "other"],
    },
    Attack {
        name: "process filter",
        config: "[filter \"ev\"]\nprocess = EVIL\n",
        files: &[ALL],
        works_with: &["diff"],
    },
    Attack {
        name: "required filter",
        config: "[filter \"ev\"]\nclean = EVIL\nsmudge = EVIL\nrequired\n",
        files: &[ALL],
        works_with: &["diff"],
    },
    Attack {
        name: "filter without a name",
        config: "[filter \"\"]\nclean = EVIL\nsmudge = EVIL\n",
        files: &[(".git/info/attributes", "* filter=\n")],
        works_with: &["diff"],
    },
    Attack {
        name: "filter with = and dots",
        config: "[filter \"a=b.c d\"]\nclean = EVIL\n",
        files: &[
            (".git/info/attributes", "* filter=a=b.c\n"),
            (".git/config", "[filter \"a=b.c\"]\nclean = EVIL\n"),
        ],
        works_with: &["diff"],
    },
    Attack {
        name: "filter in the old form",
        config: "[filter.ev]\nclean = EVIL\n",
        files: &[ALL],
        works_with: &["diff"],
    },
    Attack {
        name: "filter by a macro",
        config: "[filter \"ev\"]\nclean = EVIL\n",
        files: &[(".git/info/attributes", "[attr]ours filter=ev\n* ours\n")],
        works_with: &["diff"],
    },
    Attack {
        name: "attributes file elsewhere",
        config: "[filter \"ev\"]\nclean = EVIL\n[core]\nattributesFile = attr\n",
        files: &[("attr", "* filter=ev\n")],
        works_with: &["diff"],
    },
    Attack {
        name: "key cut by NUL",
        config: "[core \"fsmonitor\0\"]\nk = EVIL\n",
        files: &[],
        works_with: &["status"],
    },
    Attack {
        name: "filter key cut by NUL",
        config: "[filter \"ev.clean\0\"]\nk = EVIL\n",
        files: &[ALL],
        works_with: &["diff"],
    },
    Attack {
        name: "include",
        config: "[include]\npath = ../inc\n",
        files: &[("inc", "[core]\nfsmonitor = EVIL\n[filter \"ev\"]\nclean = EVIL\n"), ALL],
        works_with: &["status"],
    },
    Attack {
        name: "conditional include",
        config: "[includeIf \"onbranch:main\"]\npath = ../inc\n",
        files: &[("inc", "[filter \"ev\"]\nclean = EVIL\n"), ALL],
        works_with: &["diff"],
    },
    Attack {
        name: "config of the work tree",
        config: "[extensions]\nworktreeConfig = true\n",
        files: &[(".git/config.worktree", "[core]\nfsmonitor = EVIL\n[filter \"ev\"]\nclean = EVIL\n"), ALL],
        works_with: &["status"],
    },
    Attack { name: "external diff", config: "[diff]\nexternal = EVIL\n", files: &[], works_with: &["diff"] },
    Attack {
        name: "diff driver",
        config: "[diff \"ev\"]\ncommand = EVIL\n",
        files: &[ALL],
        works_with: &["diff"],
    },
    Attack {
        name: "textconv",
        config: "[diff \"ev\"]\ntextconv = EVIL\ncachetextconv = true\n",
        files: &[ALL],
        works_with: &["diff"],
    },
    Attack {
        name: "pager",
        config: "[core]\npager = EVIL\n[pager]\nstatus = EVIL\nlog = EVIL\nshow = EVIL\ndiff = EVIL\nbranch = EVIL\nconfig = EVIL\n",
        files: &[],
        works_with: &[],
    },
    Attack {
        name: "signing",
        config: "[commit]\ngpgSign = true\n[gpg]\nprogram = EVIL\n",
        files: &[],
        works_with: &["commit", "--allow-empty", "-m", "x"],
    },
    Attack {
        name: "signing with ssh",
        config: "[commit]\ngpgSign = true\n[gpg]\nformat = ssh\n[gpg \"ssh\"]\nprogram = EVIL\ndefaultKeyCommand = EVIL\n",
        files: &[],
        works_with: &["commit", "--allow-empty", "-m", "x"],
    },
    Attack {
        name: "showing signatures",
        config: "[log]\nshowSignature = true\n[gpg]\nprogram = EVIL\n",
        files: &[],
        works_with: &["log"],
    },
    Attack {
        name: "signature in the format",
        config: "[format]\npretty = %G?\n[gpg]\nprogram = EVIL\n",
        files: &[],
        works_with: &["show"],
    },
    Attack {
        name: "sorting by signature",
        config: "[branch]\nsort = signature\n[gpg]\nprogram = EVIL\n",
        files: &[],
        works_with: &["branch"],
    },
    Attack {
        name: "editor and template",
        config: "[core]\neditor = EVIL\n[commit]\ntemplate = f.txt\nverbose = true\n[sequence]\neditor = EVIL\n",
        files: &[],
        works_with: &["commit", "--allow-empty"],
    },
    Attack { name: "alias", config: "[alias]\nstatus = !EVIL\nx = !EVIL\n", files: &[], works_with: &["x"] },
    Attack {
        name: "merge driver",
        config: "[merge \"ev\"]\ndriver = EVIL\n[log]\ndiffMerges = remerge\n",
        files: &[ALL],
        works_with: &[],
    },
    Attack {
        name: "configured hooks",
        config: "[hook \"ev\"]\ncommand = EVIL\nevent = post-index-change\nevent = pre-commit\nevent = post-checkout\n",
        files: &[],
        works_with: &[],
    },
    Attack {
        name: "credentials",
        config: "[credential]\nhelper = !EVIL\n[core]\naskPass = EVIL\nsshCommand = EVIL\ngitProxy = EVIL\nalternateRefsCommand = EVIL\n",
        files: &[],
        works_with: &[],
    },
    Attack {
        name: "automatic maintenance",
        config: "[gc]\nauto = 1\nautoDetach = false\n[maintenance]\nauto = true\nautoDetach = false\n",
        files: &[(".git/hooks/pre-auto-gc", "HOOK")],
        works_with: &[],
    },
];

fn plant(project: &Project, attack: &Attack) {
    let evil = evil(project);
    let text = |text: &str| text.replace("EVIL", &evil);
    append(&project.path("work/.git/config"), text(attack.config));
    for (name, contents) in attack.files {
        let path = project.path("work").join(name);
        if *contents == "HOOK" {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::copy(&evil, path).unwrap();
        } else {
            append(&path, text(contents));
        }
    }
}

#[test]
fn no_action_runs_a_program_of_the_repository() {
    for attack in ATTACKS {
        if !attack.works_with.is_empty() {
            let project = repository();
            plant(&project, attack);
            fs::write(project.path("work/f.txt"), "two\n").unwrap();
            plain(&project.path("work"), attack.works_with);
            assert!(fired(&project), "{}: the attack does not work in plain git", attack.name);
        }
        let project = repository();
        plant(&project, attack);
        for (action, result) in every_action(&project) {
            assert!(!project.path("fired").exists(), "{} ran at {action}: {}", attack.name, result.content);
        }
    }
}

#[test]
fn no_action_runs_a_hook() {
    let hooks = [
        "applypatch-msg",
        "pre-applypatch",
        "post-applypatch",
        "pre-commit",
        "pre-merge-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
        "pre-rebase",
        "post-checkout",
        "post-merge",
        "pre-push",
        "reference-transaction",
        "pre-auto-gc",
        "post-rewrite",
        "fsmonitor-watchman",
        "post-index-change",
    ];
    for plainly in [true, false] {
        let project = repository();
        let evil = evil(&project);
        fs::create_dir_all(project.path("work/.git/hooks")).unwrap();
        for hook in hooks {
            fs::copy(&evil, project.path("work/.git/hooks").join(hook)).unwrap();
        }
        if plainly {
            fs::write(project.path("work/f.txt"), "two\n").unwrap();
            plain(&project.path("work"), &["status"]);
            assert!(fired(&project));
            continue;
        }
        for (action, result) in every_action(&project) {
            assert!(!result.is_error && !project.path("fired").exists(), "{action}: {}", result.content);
        }
    }
}

#[test]
fn submodule_runs_nothing() {
    for plainly in [true, false] {
        let project = repository();
        let work = project.path("work");
        let source = project.path("source");
        fs::create_dir(&source).unwrap();
        set_up(&source, &["init", "-q", "-b", "main"]);
        fs::write(source.join("s.txt"), "one\n").unwrap();
        set_up(&source, &["add", "."]);
        set_up(&source, &["commit", "-q", "-m", "s"]);
        let url = source.display().to_string();
        set_up(&work, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "sub"]);
        set_up(&work, &["commit", "-q", "-m", "submodule"]);
        let evil = evil(&project);
        let config = format!("[core]\nfsmonitor = {evil}\n[filter \"ev\"]\nclean = {evil}\n");
        append(&work.join(".git/modules/sub/config"), config);
        append(&work.join(".git/modules/sub/info/attributes"), "* filter=ev\n");
        fs::create_dir_all(work.join(".git/modules/sub/hooks")).unwrap();
        fs::copy(&evil, work.join(".git/modules/sub/hooks/post-index-change")).unwrap();
        append(
            &work.join(".git/config"),
            "[submodule]\nrecurse = true\n[diff]\nsubmodule = diff\n[status]\nsubmoduleSummary = true\n",
        );
        fs::write(work.join("sub/s.txt"), "two\n").unwrap();
        if plainly {
            plain(&work, &["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "add", "."]);
            assert!(fired(&project), "plain `git add .` runs a filter of the submodule");
            continue;
        }
        for (action, result) in every_action(&project) {
            assert!(!project.path("fired").exists(), "{action}: {}", result.content);
        }
        fs::write(work.join("sub/s.txt"), "six\n").unwrap();
        for files in [json!(["."]), json!(["sub"])] {
            let result = act(&project, "add", &json!({ "files": files }));
            assert!(!project.path("fired").exists(), "{}", result.content);
        }
    }
}

/// A missing object makes git fetch it, by whatever the config names.
#[test]
fn missing_object_fetches_nothing() {
    for plainly in [true, false] {
        let project = repository();
        let work = project.path("work");
        let evil = evil(&project);
        let blob = set_up(&work, &["rev-parse", "other:f.txt"]);
        let (folder, file) = blob.split_at(2);
        fs::remove_file(work.join(".git/objects").join(folder).join(file)).unwrap();
        let config = format!(
            "[remote \"origin\"]\nurl = ext::{evil}\npromisor = true\n[extensions]\npartialClone = origin\n[protocol \"ext\"]\nallow = always\n"
        );
        append(&work.join(".git/config"), config);
        if plainly {
            plain(&work, &["checkout", "other"]);
            assert!(fired(&project));
            continue;
        }
        for (action, result) in every_action(&project) {
            assert!(!project.path("fired").exists(), "{action}: {}", result.content);
        }
    }
}
