//! Repository layouts that run a program, or make git print foreign files. Git itself proves that each works;
//! no read-only command is allowed in it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::git_judge::{GitJudge, READERS, text};
use super::test_repositories::{TestDisk, append, copy};

/// How a layout is shown to work.
#[derive(Clone, Copy)]
enum Acts {
    /// A program ran.
    Runs(&'static str),
    /// The secret was printed.
    Prints(&'static str),
    /// Only other versions of git do it.
    Elsewhere,
}

use Acts::{Elsewhere, Prints, Runs};

/// A layout: its name, the function that builds it (and returns where git is run), and the command that
/// triggers it.
type Layout = (&'static str, fn(&TestDisk) -> PathBuf, Acts);

const SECRET: &str = "the-secret";

const LAYOUTS: &[Layout] = &[
    ("a bare repository in a directory of the work tree", bare_directory, Runs("git status")),
    ("a gitfile that leads to a directory of the work tree", gitfile, Runs("git status")),
    ("a config for the work tree", worktree_config, Runs("git status")),
    ("a commondir in a plain repository", commondir, Runs("git status")),
    ("a hook", hook, Runs("git status")),
    ("a hook by core.hooksPath", hooks_path, Runs("git diff")),
    ("an include for a branch", include_if, Runs("git status")),
    ("a NUL in a subsection", nul, Runs("git status")),
    ("a section in the old form", old_section, Runs("git diff")),
    ("a submodule's config", submodule_config, Runs("git status")),
    ("a submodule's hook", submodule_hook, Runs("git diff")),
    ("a filter by a macro", filter_by_macro, Runs("git diff")),
    ("HEAD and commondir alone", head_and_commondir, Runs("git diff")),
    ("a section with a dot and a subsection", dotted_section, Runs("git diff")),
    ("a promisor whose URL is a command", promisor, Runs("git show HEAD")),
    ("a gitfile that ends with a blank", gitfile_with_blank, Runs("git status")),
    ("a commondir that ends with a blank", commondir_with_blank, Runs("git status")),
    ("an invalid .git next to a bare repository", invalid_beside_bare, Runs("git status")),
    ("a submodule in history", submodule_in_history, Runs("git log -p")),
    ("core.worktree at another's files", work_tree_elsewhere, Prints("git diff")),
    ("a link in place of BISECT_START", bisect_link, Prints("git status")),
    ("a link in place of packed-refs", packed_refs_link, Prints("git log")),
    ("a link in another work tree's part", worktrees_link, Prints("git worktree list")),
    ("a link in place of a remote's file", branches_link, Prints("git remote get-url x")),
    ("an index that leads out", index_leads_out, Prints("git diff")),
    ("a tracked directory that is a link", tracked_link, Prints("git grep the")),
    ("alternates outside", alternates, Prints("git show other")),
    (".git that is a link", dot_git_link, Prints("git show")),
    ("a gitfile to another's repository", foreign_gitfile, Prints("git show")),
    ("a list of commits to ignore that is none", ignore_revs, Prints("git blame a.txt")),
    ("the user's config includes a file of the work tree", user_include, Runs("git status")),
    ("the user's hooks are in the work tree", user_hooks, Runs("git status")),
    ("a merge driver while merges are shown", merge_driver, Runs("git log -p -m")),
    ("branches sorted by signature", sorted_by_signature, Runs("git branch")),
    ("a format that verifies", verifying_format, Runs("git log")),
    ("signatures shown", signatures_shown, Runs("git log")),
    ("a command for the references of alternates", alternate_refs, Elsewhere),
    ("a hook by config", configured_hook, Elsewhere),
    ("a pager", pager, Elsewhere),
];

#[test]
fn no_read_only_command_is_allowed_in_a_hostile_repository() {
    let mut wrong = Vec::new();
    for (name, make, acts) in LAYOUTS {
        let disk = TestDisk::new();
        let directory = make(&disk);
        let judge = GitJudge::new(&disk);
        let acting = match acts {
            Runs(command) | Prints(command) => Some(*command),
            Elsewhere => None,
        };
        // Only some commands read through a tracked link.
        let readers: Vec<&str> =
            if *name == "a tracked directory that is a link" { Vec::new() } else { READERS.to_vec() };
        for command in readers.into_iter().chain(acting) {
            if judge.allows(command, &directory) {
                wrong.push(format!("{name}: {command} is allowed"));
            }
        }
        let Some(command) = acting else { continue };
        let words: Vec<&str> = command.split(' ').collect();
        let done = disk.run(&directory, words[0], &words[1..]);
        let output = [done.stdout, done.stderr].concat();
        let output = String::from_utf8_lossy(&output);
        let acted = match acts {
            Runs(_) => disk.is_marked(),
            _ => output.contains(SECRET),
        };
        if !acted {
            wrong.push(format!("{name}: {command} does nothing, so this proves nothing: {output}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same file, whatever leads to it.
fn secret(disk: &TestDisk) -> PathBuf {
    let path = disk.path("secret");
    fs::write(&path, format!("{SECRET}\n")).unwrap();
    path
}

fn set(disk: &TestDisk, repo: &Path, key: &str, value: &str) {
    disk.git(repo, &["config", key, value]);
}

/// A monitor that leaves a mark, as a section of a config.
fn monitor(disk: &TestDisk) -> String {
    format!("[core]\n\tfsmonitor = {}\n", disk.program())
}

fn bare_directory(disk: &TestDisk) -> PathBuf {
    let docs = disk.repository("r").join("docs");
    fs::create_dir_all(docs.join("objects")).unwrap();
    fs::create_dir_all(docs.join("refs")).unwrap();
    fs::write(docs.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    let more = "\trepositoryformatversion = 0\n\tbare = false\n";
    let config = format!("{}{more}\tworktree = {}\n", monitor(disk), docs.parent().unwrap().display());
    fs::write(docs.join("config"), config).unwrap();
    docs
}

fn gitfile(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    fs::rename(repo.join(".git"), repo.join("cache")).unwrap();
    append(&repo.join("cache/config"), &monitor(disk));
    fs::write(repo.join(".git"), "gitdir: cache\n").unwrap();
    repo
}

fn worktree_config(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    set(disk, &repo, "extensions.worktreeConfig", "true");
    fs::write(repo.join(".git/config.worktree"), monitor(disk)).unwrap();
    repo
}

fn commondir(disk: &TestDisk) -> PathBuf {
    let (repo, other) = (disk.repository("r"), disk.repository("other"));
    append(&other.join(".git/config"), &monitor(disk));
    fs::write(repo.join(".git/commondir"), "../../other/.git\n").unwrap();
    repo
}

fn write_hook(disk: &TestDisk, hooks: &Path) {
    fs::create_dir_all(hooks).unwrap();
    let text = fs::read_to_string(disk.program()).unwrap();
    disk.script(&hooks.join("post-index-change"), &text);
}

/// Sets the time of a file, so that it differs from the index by more than the second that git checks: the
/// index is refreshed.
fn touch(repo: &Path) {
    let file = fs::File::options().write(true).open(repo.join("a.txt")).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
}

fn hook(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    write_hook(disk, &repo.join(".git/hooks"));
    touch(&repo);
    repo
}

fn hooks_path(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    write_hook(disk, &repo.join("tools/hooks"));
    set(disk, &repo, "core.hooksPath", "tools/hooks");
    touch(&repo);
    repo
}

fn include_if(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    fs::write(repo.join("x"), monitor(disk)).unwrap();
    append(&repo.join(".git/config"), "[includeIf \"onbranch:main\"]\n\tpath = ../x\n");
    repo
}

fn nul(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    append(&repo.join(".git/config"), &format!("[core \"fsmonitor\0\"]\n\tk = {}\n", disk.program()));
    repo
}

fn old_section(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    append(&repo.join(".git/config"), &format!("[diff.EV]\n\ttextconv = {}\n", disk.program()));
    fs::write(repo.join(".gitattributes"), "*.u diff=ev\n").unwrap();
    repo
}

fn with_submodule(disk: &TestDisk) -> PathBuf {
    disk.repository("inner");
    let repo = disk.repository("r");
    disk.git(&repo, &["submodule", "add", "-q", "../inner", "sub"]);
    disk.git(&repo, &["commit", "-qm", "sub"]);
    repo
}

fn submodule_config(disk: &TestDisk) -> PathBuf {
    let repo = with_submodule(disk);
    append(&repo.join(".git/modules/sub/config"), &monitor(disk));
    repo
}

fn submodule_hook(disk: &TestDisk) -> PathBuf {
    let repo = with_submodule(disk);
    write_hook(disk, &repo.join(".git/modules/sub/hooks"));
    touch(&repo.join("sub"));
    repo
}

fn filter_by_macro(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    set(disk, &repo, "filter.ev.clean", &disk.program());
    fs::write(repo.join(".git/info/attributes"), "[attr]ours filter=ev\n* ours\n").unwrap();
    repo
}

fn head_and_commondir(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    let (d, e) = (repo.join("d"), repo.join("e"));
    copy(&repo.join(".git"), &e);
    fs::remove_file(e.join("HEAD")).unwrap();
    fs::create_dir(&d).unwrap();
    fs::write(d.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(d.join("commondir"), "../e\n").unwrap();
    fs::copy(repo.join(".git/index"), d.join("index")).unwrap();
    let config = format!("[core]\n\tbare = false\n\tworktree = {}\n", repo.display());
    fs::write(d.join("config.worktree"), config).unwrap();
    set(disk, &repo, "core.bare", "false");
    let run = format!("[extensions]\n\tworktreeConfig = true\n[diff]\n\texternal = {}\n", disk.program());
    append(&e.join("config"), &run);
    d
}

fn dotted_section(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    append(&repo.join(".git/config"), &format!("[diff.x \"y\"]\n\ttextconv = {}\n", disk.program()));
    fs::write(repo.join(".gitattributes"), "*.u diff=x.y\n").unwrap();
    repo
}

fn promisor(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    let blob = disk.git(&repo, &["rev-parse", "HEAD:a.txt"]);
    let (directory, file) = blob.trim().split_at(2);
    fs::remove_file(repo.join(".git/objects").join(directory).join(file)).unwrap();
    let program = disk.program();
    append(
        &repo.join(".git/config"),
        &format!(
            "[remote \"o\"]\n\turl = ext::{program}\n\tpromisor = true\n[protocol \"ext\"]\n\tallow = always\n"
        ),
    );
    repo
}

fn gitfile_with_blank(disk: &TestDisk) -> PathBuf {
    let (repo, other) = (disk.repository("r"), disk.repository("other"));
    set(disk, &repo, "core.worktree", "../");
    fs::rename(repo.join(".git"), repo.join("g")).unwrap();
    copy(&other.join(".git"), &repo.join("g "));
    append(&repo.join("g /config"), &monitor(disk));
    fs::write(repo.join(".git"), "gitdir: g \n").unwrap();
    repo
}

fn commondir_with_blank(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    disk.git(&repo, &["worktree", "add", "-q", "../linked"]);
    // A parser that cuts the blank reads the directory above, which is harmless.
    let other = repo.join(".git/worktrees/.. ");
    copy(&repo.join(".git"), &disk.path("copy"));
    fs::rename(disk.path("copy"), &other).unwrap();
    append(&other.join("config"), &monitor(disk));
    fs::write(repo.join(".git/worktrees/linked/commondir"), "../.. \n").unwrap();
    disk.path("w/linked")
}

fn invalid_beside_bare(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    for name in ["HEAD", "objects", "refs", "config", "index"] {
        fs::rename(repo.join(".git").join(name), repo.join(name)).unwrap();
    }
    append(&repo.join("config"), &format!("{}\tworktree = {}\n", monitor(disk), repo.display()));
    repo
}

fn submodule_in_history(disk: &TestDisk) -> PathBuf {
    let repo = with_submodule(disk);
    fs::write(disk.path("w/inner/a.txt"), "later\n").unwrap();
    disk.git(&disk.path("w/inner"), &["commit", "-qam", "later"]);
    disk.git(&repo.join("sub"), &["pull", "-q"]);
    disk.git(&repo, &["commit", "-qam", "later"]);
    // It is no longer in the index, but its repository is still there.
    disk.git(&repo, &["rm", "-q", "--cached", "sub"]);
    set(disk, &repo, "diff.submodule", "diff");
    set(disk, &repo.join("sub"), "diff.external", &disk.program());
    set(disk, &repo.join("sub"), "core.fsmonitor", &disk.program());
    set(disk, &repo.join("sub"), "diff.x.textconv", &disk.program());
    append(&repo.join(".git/modules/sub/info/attributes"), "* diff=x\n");
    repo
}

fn work_tree_elsewhere(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    let other = disk.path("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("a.txt"), format!("{SECRET}\n")).unwrap();
    set(disk, &repo, "core.worktree", &text(&other));
    repo
}

fn bisect_link(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    symlink(secret(disk), repo.join(".git/BISECT_START")).unwrap();
    fs::write(repo.join(".git/BISECT_LOG"), "").unwrap();
    repo
}

fn packed_refs_link(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    let _ = fs::remove_file(repo.join(".git/packed-refs"));
    symlink(secret(disk), repo.join(".git/packed-refs")).unwrap();
    repo
}

fn worktrees_link(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    disk.git(&repo, &["worktree", "add", "-q", "../linked"]);
    let gitdir = repo.join(".git/worktrees/linked/gitdir");
    fs::remove_file(&gitdir).unwrap();
    symlink(secret(disk), gitdir).unwrap();
    repo
}

fn branches_link(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    fs::create_dir_all(repo.join(".git/branches")).unwrap();
    symlink(secret(disk), repo.join(".git/branches/x")).unwrap();
    repo
}

/// An entry of the index becomes that of a file outside.
fn index_leads_out(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    fs::write(disk.path("w/secret"), format!("{SECRET}\n")).unwrap();
    fs::write(repo.join("src/secrets"), "").unwrap();
    disk.git(&repo, &["add", "src/secrets"]);
    let index = repo.join(".git/index");
    let content = fs::read(&index).unwrap();
    // Names of equal length.
    let from: &[u8] = b"src/secrets\0";
    let to: &[u8] = b"./../secret\0";
    let at = content.windows(from.len()).position(|window| window == from).unwrap();
    let (before, after) = content.split_at(at);
    let (_, after) = after.split_at(from.len());
    // Git does not check a sum of zeros.
    let (after, _) = after.split_at(after.len() - 20);
    let changed = [before, to, after, &[0; 20]].concat();
    fs::write(&index, changed).unwrap();
    repo
}

fn tracked_link(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    let other = disk.path("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("b.u"), format!("{SECRET}\n")).unwrap();
    fs::remove_dir_all(repo.join("src")).unwrap();
    symlink(&other, repo.join("src")).unwrap();
    repo
}

/// A repository outside of the workspace with a secret in its history.
fn foreign(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("foreign");
    fs::write(repo.join("a.txt"), format!("{SECRET}\n")).unwrap();
    disk.git(&repo, &["commit", "-qam", "secret"]);
    let outside = disk.path("foreign");
    fs::rename(repo, &outside).unwrap();
    outside
}

fn alternates(disk: &TestDisk) -> PathBuf {
    let (repo, other) = (disk.repository("r"), foreign(disk));
    let alternates = format!("{}\n", other.join(".git/objects").display());
    fs::write(repo.join(".git/objects/info/alternates"), alternates).unwrap();
    fs::write(repo.join(".git/refs/heads/other"), disk.git(&other, &["rev-parse", "HEAD"])).unwrap();
    repo
}

fn dot_git_link(disk: &TestDisk) -> PathBuf {
    let (repo, other) = (disk.path("w/r"), foreign(disk));
    fs::create_dir(&repo).unwrap();
    symlink(other.join(".git"), repo.join(".git")).unwrap();
    repo
}

fn foreign_gitfile(disk: &TestDisk) -> PathBuf {
    let (repo, other) = (disk.path("w/r"), foreign(disk));
    fs::create_dir(&repo).unwrap();
    fs::write(repo.join(".git"), format!("gitdir: {}\n", other.join(".git").display())).unwrap();
    repo
}

fn ignore_revs(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    set(disk, &repo, "blame.ignoreRevsFile", &text(&secret(disk)));
    repo
}

fn user_include(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    fs::write(repo.join("git.inc"), monitor(disk)).unwrap();
    let include = format!("[include]\n\tpath = {}\n", repo.join("git.inc").display());
    append(&disk.home().join(".gitconfig"), &include);
    repo
}

fn user_hooks(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    write_hook(disk, &repo.join(".githooks"));
    append(&disk.home().join(".gitconfig"), "[core]\n\thooksPath = .githooks\n");
    touch(&repo);
    repo
}

fn merge_driver(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    disk.git(&repo, &["stash", "-q"]);
    disk.git(&repo, &["checkout", "-q", "-b", "other", "HEAD~1"]);
    fs::write(repo.join("a.txt"), "other\n").unwrap();
    disk.git(&repo, &["commit", "-qam", "other"]);
    disk.git(&repo, &["merge", "-q", "-s", "ours", "-m", "merge", "main"]);
    set(disk, &repo, "merge.x.driver", &format!("{} %A %O %B", disk.program()));
    set(disk, &repo, "log.diffMerges", "remerge");
    fs::write(repo.join(".gitattributes"), "*.txt merge=x\n").unwrap();
    repo
}

/// Gives the last commit an invalid signature; the program that verifies it leaves a mark.
fn signed(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    let commit = disk.git(&repo, &["cat-file", "commit", "HEAD"]);
    let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n";
    let (headers, message) = commit.split_once("\n\n").unwrap();
    fs::write(disk.path("commit"), format!("{headers}\n{signature}\n{message}")).unwrap();
    let commit = text(&disk.path("commit"));
    let id = disk.git(&repo, &["hash-object", "-t", "commit", "-w", &commit]);
    disk.git(&repo, &["update-ref", "refs/heads/main", id.trim()]);
    disk.git(&repo, &["branch", "second"]);
    set(disk, &repo, "gpg.program", &disk.program());
    repo
}

fn sorted_by_signature(disk: &TestDisk) -> PathBuf {
    let repo = signed(disk);
    set(disk, &repo, "branch.sort", "signature");
    repo
}

fn verifying_format(disk: &TestDisk) -> PathBuf {
    let repo = signed(disk);
    set(disk, &repo, "format.pretty", "%h %G?");
    repo
}

fn signatures_shown(disk: &TestDisk) -> PathBuf {
    let repo = signed(disk);
    append(&disk.home().join(".gitconfig"), "[log]\n\tshowSignature = true\n");
    repo
}

fn alternate_refs(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    set(disk, &repo, "core.alternateRefsCommand", &disk.program());
    repo
}

fn configured_hook(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    set(disk, &repo, "hook.x.command", &disk.program());
    set(disk, &repo, "hook.x.event", "post-index-change");
    repo
}

fn pager(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    set(disk, &repo, "core.pager", &disk.program());
    repo
}
