//! Attributes and ignored files that a user sets for all repositories.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::git::{act, append, command, repository, set_up};
use crate::project::Project;

/// A repository in `work`, and these files, some of them in the home directory `home`.
fn with_files(files: &[(&str, &str)]) -> Project {
    let mut project = repository();
    let home = project.path("home");
    fs::create_dir(&home).unwrap();
    project.context.home = Some(home);
    for (name, text) in files {
        append(&project.path(name), text);
    }
    project
}

fn staged(project: &Project) -> String {
    set_up(&project.path("work"), &["diff", "--cached", "--name-only"])
}

const ASSIGNED: &str = "*.enc filter=crypt\n";
const DEFINED: &str = "[filter \"crypt\"]\nclean = cat\n";
const OWN_ATTRIBUTES: &str = "[core]\nattributesFile = ~/own\n";

#[test]
fn file_with_a_filter_of_the_user_is_not_stored_unfiltered() {
    let cases: &[&[(&str, &str)]] = &[
        &[("home/.config/git/attributes", ASSIGNED)],
        &[("home/.config/git/attributes", "[attr]enc filter=crypt\n*.enc enc\n")],
        &[("home/.gitconfig", OWN_ATTRIBUTES), ("home/own", ASSIGNED)],
        &[("home/.config/git/config", OWN_ATTRIBUTES), ("home/own", ASSIGNED)],
        &[
            ("home/.gitconfig", "[include]\npath = more\n"),
            ("home/more", OWN_ATTRIBUTES),
            ("home/own", ASSIGNED),
        ],
        &[("work/.git/config", "[core]\nattributesFile = own\n"), ("work/own", ASSIGNED)],
        &[("work/.git/config", OWN_ATTRIBUTES), ("home/.gitconfig", OWN_ATTRIBUTES), ("home/own", ASSIGNED)],
        // A setting that names nothing does not switch off the user's file.
        &[
            ("work/.git/config", "[core]\nattributesFile = missing\n"),
            ("home/.config/git/attributes", ASSIGNED),
        ],
        // The repository assigns the filter, and the user defines it.
        &[("work/.gitattributes", ASSIGNED), ("home/.gitconfig", DEFINED)],
        &[
            ("work/.gitattributes", ASSIGNED),
            ("home/.gitconfig", "[includeIf \"gitdir:/x/\"]\npath = more\n"),
            ("home/more", DEFINED),
        ],
        &[
            ("work/.gitattributes", ASSIGNED),
            ("work/.git/config", "[include]\npath = ~/more\n"),
            ("home/more", DEFINED),
        ],
    ];
    for files in cases {
        let project = with_files(files);
        fs::write(project.path("work/secret.enc"), "contents\n").unwrap();
        fs::write(project.path("work/plain"), "contents\n").unwrap();
        let result = act(&project, "add", &json!({ "files": ["secret.enc"] }));
        assert!(result.is_error && result.content.contains("filter"), "{files:?}: {}", result.content);
        assert_eq!(staged(&project), "", "{files:?}");
        let result = act(&project, "add", &json!({ "files": ["plain"] }));
        assert!(!result.is_error, "{files:?}: {}", result.content);
    }
}

#[test]
fn nothing_is_added_while_the_users_files_are_unknown() {
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[("home/.gitconfig", "[core\n")], "is not understood"),
        (&[("home/.gitconfig", "[include]\npath = .gitconfig\n")], "too many included files"),
        (&[("home/.gitconfig", "[core]\nattributesFile = ~/.config\n")], "is not a regular file"),
        (&[("home/.gitconfig", "[core]\nexcludesFile = ~/fifo\n")], "is not a regular file"),
        (&[("home/.gitconfig", "[include]\npath = fifo\n")], "is not a regular file"),
        (
            &[
                ("home/.gitconfig", "[includeIf \"gitdir:/x/\"]\npath = more\n"),
                ("home/more", OWN_ATTRIBUTES),
            ],
            "counts only under a condition",
        ),
        (&[("work/.git/config", "[core]\nattributesFile = ../outside/secret\n")], "outside the work tree"),
        (&[("work/.git/config", "[core]\nexcludesFile = ../outside/secret\n")], "outside the work tree"),
        (&[("work/.git/config", "[core]\nattributesFile = link\n")], "reached through a link"),
        (&[("home/.gitconfig", "[core]\nattributesFile = link\n")], "reached through a link"),
        // Git would print what it does not take for attributes.
        (
            &[("work/.git/config", "[core]\nattributesFile = .env\n"), ("work/.env", "KEY = s3cret!\n")],
            "is not a file with attributes",
        ),
    ];
    for (files, why) in cases {
        let project = with_files(files);
        fs::create_dir_all(project.path("home/.config")).unwrap();
        symlink("../outside/secret", project.path("work/link")).unwrap();
        assert!(command("mkfifo").arg(project.path("home/fifo")).status().unwrap().success());
        fs::write(project.path("work/new"), "contents\n").unwrap();
        let result = act(&project, "add", &json!({ "files": ["new"] }));
        assert!(result.is_error && result.content.contains(why), "{files:?}: {}", result.content);
        assert_eq!(staged(&project), "", "{files:?}");
        for action in ["status", "diff", "log"] {
            let result = act(&project, action, &json!({}));
            assert!(!result.is_error, "{files:?}, {action}: {}", result.content);
        }
    }
}

#[test]
fn files_that_the_user_ignores_are_neither_shown_nor_added() {
    let own = "[core]\nexcludesFile = ~/own\n";
    let ignored = "*.log\n";
    let cases: &[&[(&str, &str)]] = &[
        &[("home/.config/git/ignore", ignored)],
        &[("home/.gitconfig", own), ("home/own", ignored)],
        &[("home/.config/git/config", own), ("home/own", ignored)],
        &[("work/.git/config", "[core]\nexcludesFile = own\n"), ("work/own", ignored)],
        &[("work/.git/config", "[core]\nexcludesFile = /dev/null\n"), ("home/.config/git/ignore", ignored)],
    ];
    for files in cases {
        let project = with_files(files);
        fs::write(project.path("work/debug.log"), "contents\n").unwrap();
        fs::write(project.path("work/plain"), "contents\n").unwrap();
        let status = act(&project, "status", &json!({}));
        assert!(!status.is_error && status.content.contains("plain"), "{files:?}: {}", status.content);
        assert!(!status.content.contains("debug.log"), "{files:?}: {}", status.content);
        let added = act(&project, "add", &json!({ "files": ["."] }));
        assert!(!added.is_error, "{files:?}: {}", added.content);
        let staged = staged(&project);
        assert!(staged.contains("plain") && !staged.contains("debug.log"), "{files:?}: {staged}");
    }
}

#[test]
fn links_to_the_users_files_are_followed() {
    let project = with_files(&[("outside/dotfiles/ignore", "*.log\n"), ("home/.config/other", "")]);
    symlink(project.path("outside/dotfiles"), project.path("home/.config/git")).unwrap();
    fs::write(project.path("work/debug.log"), "contents\n").unwrap();
    let status = act(&project, "status", &json!({}));
    assert!(!status.is_error && !status.content.contains("debug.log"), "{}", status.content);
}
