//! What a scan finds in repositories of several layouts, made without git.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use sekisho_policy::{RepositoryFinding, RepositoryProblem as Problem};
use tempfile::TempDir;

use super::scan::RepositoryScan;
use super::{DIRECTORY_COST, Repositories};

struct Layout {
    _directory: TempDir,
    /// The directory with everything.
    top: PathBuf,
}

impl Layout {
    /// A repository in `r`.
    fn new() -> Layout {
        let directory = tempfile::tempdir().unwrap();
        let layout = Layout { top: directory.path().canonicalize().unwrap(), _directory: directory };
        for name in ["r/.git/objects", "r/.git/refs", "home"] {
            fs::create_dir_all(layout.top.join(name)).unwrap();
        }
        layout.write("r/.git/HEAD", "ref: refs/heads/main\n");
        layout
    }

    /// A work tree in `t` that belongs to the repository in `r`.
    fn linked() -> Layout {
        let layout = Layout::new();
        let (part, tree) = ("r/.git/worktrees/t", layout.top.join("t"));
        layout.write(&format!("{part}/HEAD"), "ref: refs/heads/other\n");
        layout.write(&format!("{part}/commondir"), "../..\n");
        layout.write(&format!("{part}/gitdir"), &format!("{}/.git\n", tree.display()));
        layout.write("t/.git", &format!("gitdir: {}\n", layout.top.join(part).display()));
        layout
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.top.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn link(&self, name: &str, target: &str) {
        fs::create_dir_all(self.top.join(name).parent().unwrap()).unwrap();
        symlink(target, self.top.join(name)).unwrap();
    }

    fn findings(&self, directory: &str) -> Vec<RepositoryFinding> {
        let mut scan = RepositoryScan::default();
        scan.scan_directory(&self.top.join(directory), Some(&self.top.join("home")));
        scan.findings
    }

    /// The problems that a scan from a directory finds.
    fn problems(&self, directory: &str) -> Vec<Problem> {
        self.findings(directory).iter().map(|finding| finding.problem).collect()
    }

    /// The same, if they matter only to commands that change the repository.
    #[track_caller]
    fn check_for_writers(&self, expected: &[Problem]) {
        let findings = self.findings("r");
        assert!(findings.iter().all(|finding| finding.writes), "{findings:?}");
        self.check("r", expected);
    }

    #[track_caller]
    fn check(&self, directory: &str, expected: &[Problem]) {
        assert_eq!(self.problems(directory), expected);
    }
}

#[test]
fn plain_repository_is_found_from_below() {
    let layout = Layout::new();
    layout.write("r/sub/config", "");
    layout.check("r", &[]);
    layout.check("r/sub", &[]);
}

#[test]
fn objects_must_be_a_directory() {
    let layout = Layout::new();
    fs::set_permissions(layout.top.join("r/.git/refs"), fs::Permissions::from_mode(0o700)).unwrap();
    layout.check("r", &[]);
    fs::remove_dir(layout.top.join("r/.git/objects")).unwrap();
    let objects = layout.write("r/.git/objects", "");
    fs::set_permissions(objects, fs::Permissions::from_mode(0o755)).unwrap();
    layout.check("r", &[Problem::NotRepository]);
}

#[test]
fn settings_that_older_versions_reject_may_mean_no_repository() {
    let layout = Layout::new();
    layout.write("r/.git/config", "[extensions]\n\tworktreeConfig = true\n[user]\n\tobjectFormat = x\n");
    layout.check("r", &[]);
    layout.write("r/.git/config", "[extensions]\n\tobjectFormat = sha256\n");
    layout.check("r", &[Problem::Absent]);
}

#[test]
fn object_format_counts_only_in_the_main_config() {
    let layout = Layout::new();
    layout.write("r/.git/config.worktree", "[extensions]\n\tobjectFormat = sha256\n");
    assert!(layout.problems("r").contains(&Problem::Setting));
}

#[test]
fn included_file_must_be_in_the_repository() {
    let layout = Layout::new();
    layout.write("settings", "");
    layout.write("r/settings", "");
    layout.write("r/.git/config", "[include]\n\tpath = ../settings\n");
    layout.check("r", &[]);
    layout.write("r/.git/config", "[include]\n\tpath = ../../settings\n");
    layout.check("r", &[Problem::Setting]);
}

#[test]
fn separate_repository_must_lead_back() {
    let layout = Layout::new();
    layout.write("s/.git", "gitdir: ../r/.git\n");
    layout.write("r/.git/config", "[core]\n\tworktree = ../../s\n");
    layout.check("s", &[]);
    layout.write("r/.git/config", "[core]\n\tworktree = ..\n");
    layout.check("s", &[Problem::Setting, Problem::Redirect]);
}

#[test]
fn every_config_of_a_linked_work_tree_is_read() {
    let layout = Layout::linked();
    layout.check("t", &[]);
    // Git ignores it in the shared config.
    layout.write("r/.git/config", "[core]\n\tworktree = /elsewhere\n");
    layout.check("t", &[]);
    layout.write("r/.git/config.worktree", "[core]\n\tfsmonitor = ./x\n");
    layout.check("t", &[Problem::Setting]);
}

#[test]
fn links_of_work_trees_are_found() {
    let layout = Layout::linked();
    layout.link("r/.git/worktrees/t/BISECT_START", "/etc/passwd");
    layout.check("t", &[Problem::Link]);
    layout.check("r", &[Problem::Link]);
    let layout = Layout::new();
    layout.link("r/.git/worktrees/x", "../../sub");
    fs::create_dir(layout.top.join("r/sub")).unwrap();
    layout.check("r", &[Problem::Link]);
}

#[test]
fn what_cannot_be_listed_is_a_finding() {
    let layout = Layout::new();
    layout.write("r/.git/objects/pack", "");
    layout.check("r", &[Problem::Unreadable]);
    let layout = Layout::new();
    fs::create_dir(layout.top.join("r/.git/sharedindex.x")).unwrap();
    layout.check("r", &[Problem::Unreadable]);
    // Opening a pipe would wait for a writer.
    let layout = Layout::new();
    mknodat(CWD, layout.top.join("r/.git/worktrees"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    layout.check("r", &[Problem::Unreadable]);
}

#[test]
fn directories_are_followed_to_a_limit() {
    let layout = Layout::new();
    let refs = layout.top.join("r/.git/refs");
    fs::create_dir_all(refs.join(["a"; 31].join("/"))).unwrap();
    layout.check("r", &[]);
    fs::create_dir_all(refs.join(["a"; 32].join("/"))).unwrap();
    layout.check("r", &[Problem::TooMuch]);
}

/// An index with one entry, a submodule.
fn index_of_submodule(path: &str) -> Vec<u8> {
    let mut bytes = [b"DIRC".as_slice(), &2_u32.to_be_bytes(), &1_u32.to_be_bytes(), &[0; 24]].concat();
    bytes.extend(0o160_000_u32.to_be_bytes());
    bytes.extend([0; 32]);
    bytes.extend(u16::try_from(path.len()).unwrap().to_be_bytes());
    bytes.extend(path.bytes());
    bytes.extend(std::iter::repeat_n(0, 8 - (62 + path.len()) % 8));
    bytes
}

#[test]
fn submodule_behind_a_link_is_a_finding() {
    let layout = Layout::new();
    fs::write(layout.top.join("r/.git/index"), index_of_submodule("s")).unwrap();
    layout.check("r", &[]);
    fs::create_dir(layout.top.join("r/real")).unwrap();
    layout.link("r/s", "real");
    layout.check("r", &[Problem::Link]);
}

#[test]
fn checking_directories_has_a_cost() {
    let layout = Layout::new();
    fs::write(layout.top.join("r/.git/index"), index_of_submodule("d/s")).unwrap();
    let mut repositories = Repositories::default();
    repositories.begin_call();
    repositories.look_up(&layout.top.join("r"), None).unwrap();
    let before = repositories.left;
    assert_eq!(repositories.reads_through_link(&layout.top.join("r"), None), Some(false));
    assert_eq!(before - repositories.left, "d/".len() * DIRECTORY_COST);
}

#[test]
fn alternates_are_read_as_in_git() {
    let layout = Layout::new();
    let alternates = |text: &str| {
        layout.write("r/.git/objects/info/alternates", text);
        layout.problems("r")
    };
    fs::create_dir_all(layout.top.join("r/.git/objects/\"x")).unwrap();
    assert_eq!(alternates("# none\n"), []);
    assert_eq!(alternates("\"x\n"), [Problem::Alternates]);
}

#[test]
fn user_hooks_in_the_work_tree_are_found() {
    let layout = Layout::new();
    let hook = layout.write("r/hooks/post-index-change", "");
    fs::set_permissions(hook, fs::Permissions::from_mode(0o755)).unwrap();
    layout.write("home/.gitconfig", "[core \"x\"]\n\thooksPath = hooks\n");
    layout.check("r", &[]);
    layout.write("home/.gitconfig", "[core]\n\thooksPath = hooks\n");
    layout.check("r", &[Problem::Hook]);
}

#[test]
fn user_hooks_that_a_link_connects_with_the_work_tree_are_found() {
    let executable = |layout: &Layout, name: &str| {
        let hook = layout.write(name, "");
        fs::set_permissions(hook, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let layout = Layout::new();
    executable(&layout, "r/hooks/post-index-change");
    layout.link("home/hooks", "../r/hooks");
    layout.write("home/.gitconfig", "[core]\n\thooksPath = ~/hooks\n");
    layout.check("r", &[Problem::Hook]);
    let layout = Layout::new();
    executable(&layout, "elsewhere/post-index-change");
    layout.link("r/hooks", "../elsewhere");
    layout.write("home/.gitconfig", "[core]\n\thooksPath = hooks\n");
    layout.check("r", &[Problem::Hook, Problem::Hook]);
}

#[test]
fn hooks_of_others_matter_to_writers() {
    let layout = Layout::new();
    layout.write("r/.git/hooks/pre-commit", "");
    layout.write("r/own", "");
    layout.link("r/.git/hooks/pre-push", "../../own");
    layout.link("r/.git/hooks/commit-msg.sample", "../../../other");
    layout.check_for_writers(&[]);
    layout.write("other", "");
    layout.link("r/.git/hooks/commit-msg", "../../../other");
    layout.check_for_writers(&[Problem::Hook]);
    let layout = Layout::new();
    layout.write("r/.git/config", "[core]\n\thooksPath = ../hooks\n");
    layout.write("hooks/pre-commit.sample", "");
    layout.check_for_writers(&[]);
    layout.write("hooks/pre-commit", "");
    layout.check_for_writers(&[Problem::Hook]);
}

#[test]
fn hooks_that_each_process_finds_elsewhere_are_found() {
    let layout = Layout::new();
    layout.write("r/.git/config", "[core]\n\thooksPath = /proc/self/cwd/no-hooks\n");
    layout.check("r", &[Problem::Setting]);
}

#[test]
fn what_an_interrupted_merge_left_matters_to_writers() {
    let layout = Layout::new();
    layout.write("r/.git/MERGE_RR", "");
    layout.check_for_writers(&[]);
    layout.write("r/.git/MERGE_RR", "x");
    layout.check_for_writers(&[Problem::Redirect]);
    let layout = Layout::new();
    layout.link("r/.git/rr-cache", "../sub");
    layout.check_for_writers(&[Problem::Link]);
}

#[test]
fn user_config_may_not_include_the_repository_or_itself() {
    let layout = Layout::new();
    layout.write("r/settings", "");
    layout.write("home/.gitconfig", "[include]\n\tpath = ../r/settings\n");
    layout.check("r", &[Problem::Setting]);
    layout.write("home/.gitconfig", "[include]\n\tpath = .gitconfig\n");
    let problems = layout.problems("r");
    assert_eq!(problems.last(), Some(&Problem::Setting));
    assert!(problems.len() < 20, "{problems:?}");
}
