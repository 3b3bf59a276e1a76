//! Files of a repository that point elsewhere.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::{act, append, command, every_action, evil, fired, plain, repository, set_up};
use crate::project::{Project, listing};

#[test]
fn files_of_the_repository_redirect_nothing() {
    // A work tree elsewhere.
    let project = repository();
    let outside = project.path("outside");
    append(&project.path("work/.git/config"), format!("[core]\nworktree = {}\n", outside.display()));
    assert!(
        String::from_utf8(plain(&project.path("work"), &["status", "--porcelain"]).stdout)
            .unwrap()
            .contains("secret")
    );
    let before = listing(&outside);
    for (action, result) in every_action(&project) {
        assert!(!result.is_error && !result.content.contains("secret"), "{action}: {}", result.content);
    }
    assert_eq!(listing(&outside), before);

    // The common directory of another repository.
    for plainly in [true, false] {
        let project = repository();
        let evil = evil(&project);
        let hostile = project.path("hostile");
        command("cp").arg("-a").arg(project.path("work/.git")).arg(&hostile).output().unwrap();
        append(&hostile.join("config"), format!("[core]\nfsmonitor = {evil}\n"));
        append(&project.path("work/.git/commondir"), format!("{}\n", hostile.display()));
        if plainly {
            plain(&project.path("work"), &["status"]);
            assert!(fired(&project));
            continue;
        }
        let before = listing(&hostile);
        for (action, result) in every_action(&project) {
            let why = "makes this repository use files of another repository";
            assert!(result.is_error && result.content.contains(why), "{action}: {}", result.content);
            assert!(!project.path("fired").exists(), "{action}");
        }
        assert_eq!(listing(&hostile), before);
    }
}

#[test]
fn directory_that_looks_like_a_repository_is_none() {
    let mut project = repository();
    let evil = evil(&project);
    let docs = project.path("work/docs");
    for folder in ["objects", "refs"] {
        fs::create_dir_all(docs.join(folder)).unwrap();
    }
    append(&docs.join("HEAD"), "ref: refs/heads/main\n");
    append(
        &docs.join("config"),
        format!(
            "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = {}\nfsmonitor = {evil}\n",
            docs.display()
        ),
    );
    plain(&docs, &["status"]);
    assert!(fired(&project));
    project.context.set_root(docs);
    for action in ["status", "diff", "log", "show", "branch_list"] {
        let result = act(&project, action, &json!({}));
        assert!(!result.is_error && !project.path("fired").exists(), "{action}: {}", result.content);
    }
    // The work tree begins above the project.
    for (action, args) in [
        ("add", json!({ "files": ["HEAD"] })),
        ("commit", json!({ "message": "x" })),
        ("checkout", json!({ "branch_name": "other" })),
    ] {
        let result = act(&project, action, &args);
        assert!(
            result.is_error && result.content.contains("reaches outside the project"),
            "{}",
            result.content
        );
    }
}

#[test]
fn git_directory_elsewhere_is_refused() {
    let victim = repository();
    let victim_git = victim.path("work/.git");
    set_up(&victim.path("work"), &["worktree", "add", "-q", "../tree", "other"]);
    let before = listing(&victim_git);
    for (contents, why) in [
        (format!("gitdir: {}\n", victim_git.display()), "outside the project"),
        (format!("gitdir: {}/worktrees/tree\n", victim_git.display()), "outside the project"),
        (format!("gitdir: {}\0junk", victim_git.display()), "neither a directory"),
        ("gitdir:  x\n".into(), "No such file"),
        (String::new(), "neither a directory"),
    ] {
        let project = Project::new();
        append(&project.path("work/.git"), contents.as_bytes());
        for action in ["status", "log"] {
            let result = act(&project, action, &json!({}));
            assert!(result.is_error && result.content.contains(why), "{contents:?}: {}", result.content);
        }
        let result = act(&project, "commit", &json!({ "message": "x" }));
        assert!(result.is_error, "{}", result.content);
    }
    let project = Project::new();
    symlink(&victim_git, project.path("work/.git")).unwrap();
    assert!(act(&project, "log", &json!({})).is_error);
    assert_eq!(listing(&victim_git), before);
}

#[test]
fn linked_work_tree_works() {
    let mut project = repository();
    set_up(&project.path("work"), &["worktree", "add", "-q", "../tree", "other"]);
    let tree = project.path("tree");
    project.context.set_root(tree);
    fs::write(project.path("tree/f.txt"), "tree\n").unwrap();
    for (action, args) in [
        ("status", json!({})),
        ("add", json!({ "files": ["f.txt"] })),
        ("commit", json!({ "message": "tree" })),
    ] {
        let result = act(&project, action, &args);
        assert!(!result.is_error, "{action}: {}", result.content);
    }
    assert!(set_up(&project.path("work"), &["log", "--format=%s", "other"]).starts_with("tree"));
}

#[test]
fn link_in_the_git_directory_is_refused() {
    let project = repository();
    let index = project.path("work/.git/index");
    fs::rename(&index, project.path("outside/index")).unwrap();
    symlink(project.path("outside/index"), &index).unwrap();
    let before = listing(&project.path("outside"));
    fs::write(project.path("work/f.txt"), "two\n").unwrap();
    let result = act(&project, "add", &json!({ "files": ["f.txt"] }));
    assert!(result.is_error && result.content.contains("symbolic link"), "{}", result.content);
    assert!(act(&project, "status", &json!({})).is_error);
    assert_eq!(listing(&project.path("outside")), before);
}

/// Git writes the message of a commit and the logs in place.
#[test]
fn hard_link_in_the_git_directory_is_not_written_through() {
    for name in ["COMMIT_EDITMSG", "logs/HEAD", "logs/refs/heads/main"] {
        let project = repository();
        let file = project.path("work/.git").join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&file);
        fs::hard_link(project.path("outside/secret"), &file).unwrap();
        fs::write(project.path("work/f.txt"), "two\n").unwrap();
        set_up(&project.path("work"), &["add", "f.txt"]);
        let result = act(&project, "commit", &json!({ "message": "x" }));
        assert!(result.is_error && result.content.contains("hard link"), "{name}: {}", result.content);
        assert_eq!(project.text("outside/secret"), "outside", "{name}");
        assert!(!act(&project, "status", &json!({})).is_error, "{name}");
    }
}

/// Git quotes the lines of an `alternates` file that it cannot use.
#[test]
fn link_deep_in_the_git_directory_reveals_nothing() {
    for name in ["objects/info/alternates", "packed-refs", "shallow", "refs/heads/x"] {
        let project = repository();
        let link = project.path("work/.git").join(name);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&link);
        symlink(project.path("outside/secret"), &link).unwrap();
        for (action, args) in
            [("show", json!({ "ref": "deadbeef" })), ("log", json!({})), ("status", json!({}))]
        {
            let result = act(&project, action, &args);
            assert!(
                result.is_error && result.content.contains("symbolic link"),
                "{name}: {}",
                result.content
            );
        }
    }
}

#[test]
fn repository_of_another_user_is_refused() {
    let project = repository();
    let git = project.path("work/.git");
    // Only root can give a file away.
    if !rustix::process::geteuid().is_root() {
        return;
    }
    std::os::unix::fs::chown(&git, Some(65534), None).unwrap();
    let result = act(&project, "status", &json!({}));
    assert!(result.is_error && result.content.contains("another user"), "{}", result.content);
}

#[test]
fn objects_of_another_repository_are_not_shown() {
    let project = repository();
    set_up(&project.path("outside"), &["init", "-q", "."]);
    fs::write(project.path("outside/top"), "TOPSECRET\n").unwrap();
    let blob = set_up(&project.path("outside"), &["hash-object", "-w", "top"]);
    let alternates = project.path("work/.git/objects/info/alternates");
    fs::create_dir_all(alternates.parent().unwrap()).unwrap();
    let objects = project.path("outside/.git/objects");
    for text in
        [format!("{}\n", objects.display()), "../../../outside/.git/objects\n".into(), "\"x\"\n".into()]
    {
        fs::write(&alternates, &text).unwrap();
        for (action, args) in [("show", json!({ "ref": blob })), ("status", json!({}))] {
            let result = act(&project, action, &args);
            assert!(
                result.is_error && result.content.contains("files of another repository"),
                "{text}: {}",
                result.content
            );
        }
    }
    // Inside the project it is the project's own.
    set_up(&project.path("work/doc"), &["init", "-q", "spare"]);
    fs::write(&alternates, format!("# more\n{}\n", project.path("work/doc/spare/.git/objects").display()))
        .unwrap();
    let result = act(&project, "log", &json!({}));
    assert!(!result.is_error, "{}", result.content);
    // Which must not lead outside either.
    let nested = project.path("work/doc/spare/.git/objects/info/alternates");
    fs::write(nested, format!("{}\n", objects.display())).unwrap();
    assert!(act(&project, "log", &json!({})).is_error);
}

/// Git opens whatever path its index names.
#[test]
fn index_that_names_a_file_outside_is_refused() {
    for (name, planted) in [("xx/secret", "../secret"), ("xtmp/secret.txt", "/tmp/secret.txt")] {
        let project = repository();
        let work = project.path("work");
        let blob = set_up(&work, &["hash-object", "-w", "f.txt"]);
        set_up(&work, &["update-index", "--add", "--cacheinfo", &format!("100644,{blob},{name}")]);
        let index = work.join(".git/index");
        let bytes = fs::read(&index).unwrap();
        let at = bytes.windows(name.len()).position(|window| window == name.as_bytes()).unwrap();
        let planted_bytes = [&bytes[..at], planted.as_bytes(), &bytes[at + name.len()..]].concat();
        fs::write(&index, planted_bytes).unwrap();
        for (action, args) in
            [("diff", json!({})), ("status", json!({})), ("commit", json!({ "message": "x" }))]
        {
            let result = act(&project, action, &args);
            let expected = format!("outside the work tree: {planted}");
            assert!(result.is_error && result.content.contains(&expected), "{action}: {}", result.content);
        }
    }
}

/// Git would wait for a FIFO until its time is up.
#[test]
fn fifo_in_place_of_a_file_is_named() {
    for name in [
        ".gitattributes",
        ".gitignore",
        ".gitmodules",
        ".mailmap",
        ".git/HEAD",
        ".git/config",
        ".git/index",
        ".git/info/attributes",
        ".git/info/exclude",
        ".git/packed-refs",
        ".git/refs/heads/x",
        "included",
    ] {
        let project = repository();
        let fifo = project.path("work").join(name);
        fs::create_dir_all(fifo.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&fifo);
        assert!(command("mkfifo").arg(&fifo).status().unwrap().success());
        if name == "included" {
            append(&project.path("work/.git/config"), "[include]\npath = ../included\n");
        }
        for (action, args) in [("status", json!({})), ("add", json!({ "files": ["f.txt"] }))] {
            let result = act(&project, action, &args);
            let expected = format!("{name} is a FIFO");
            assert!(result.is_error && result.content.contains(&expected), "{name}: {}", result.content);
        }
    }
}
