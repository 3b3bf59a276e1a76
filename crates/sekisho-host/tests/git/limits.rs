//! Files made to be expensive: reading them is limited, and unread files lead to a question.

use std::fs;

use super::git_judge::GitJudge;
use super::test_repositories::TestDisk;

/// A pipe in place of a file would block.
#[test]
fn pipes_are_not_opened() {
    let disk = TestDisk::new();
    let repo = disk.repository("r");
    fs::write(repo.join("id_rsa"), "secret").unwrap();
    let judge = GitJudge::new(&disk);
    assert!(!judge.allows("rg x", &repo));
    disk.run(&repo, "mkfifo", &[".gitignore"]);
    assert!(!judge.allows("rg x", &repo));
    fs::remove_file(repo.join(".gitignore")).unwrap();
    fs::write(repo.join(".gitignore"), "id_rsa\n").unwrap();
    fs::remove_file(repo.join(".git/index")).unwrap();
    disk.run(&repo, "mkfifo", &[".git/index"]);
    assert!(!judge.allows("rg x", &repo));
    assert!(!judge.allows("git status", &repo));
}

/// Without a limit these would be as many reads as lines to the power of the depth.
#[test]
fn reads_of_files_that_include_each_other_are_limited() {
    let disk = TestDisk::new();
    let repo = disk.repository("r");
    let judge = GitJudge::new(&disk);
    let config = fs::read_to_string(repo.join(".git/config")).unwrap();
    fs::write(repo.join(".git/config"), format!("{config}[include]\n{}", "\tpath = config\n".repeat(40)))
        .unwrap();
    assert!(!judge.allows("git status", &repo));
    fs::write(repo.join(".git/config"), config).unwrap();
    assert!(judge.allows("git status", &repo));
    fs::write(repo.join(".git/objects/info/alternates"), ".\n".repeat(300)).unwrap();
    assert!(!judge.allows("git status", &repo));
}

#[test]
fn index_with_long_paths_is_not_read() {
    let disk = TestDisk::new();
    let repo = disk.repository("r");
    let entries = 100_u32;
    let mut index = b"DIRC\0\0\0\x04".to_vec();
    index.extend(entries.to_be_bytes());
    for number in 0..entries {
        index.extend([7; 24]);
        index.extend(0o160_000_u32.to_be_bytes());
        index.extend([7; 32]);
        index.extend(0x0fff_u16.to_be_bytes());
        index.push(0);
        if number == 0 {
            index.extend(vec![b'a'; 100_000]);
        }
        index.extend(b"b\0");
    }
    fs::write(repo.join(".git/index"), index).unwrap();
    assert!(!GitJudge::new(&disk).allows("git status", &repo));
}

/// A file deeper than a path can name is still reached step by step.
#[test]
fn secret_behind_an_overlong_path_is_not_skipped() {
    let disk = TestDisk::new();
    let repo = disk.repository("r");
    let judge = GitJudge::new(&disk);
    assert!(judge.allows("grep -r x .", &repo));
    let name = "d".repeat(250);
    let script = format!("for i in $(seq 17); do mkdir {name} && cd {name}; done; echo secret > .env");
    disk.run(&repo, "bash", &["-c", &script]);
    assert!(!judge.allows("grep -r x .", &repo));
}

/// Many large files count by their size.
#[test]
fn reading_key_files_is_limited() {
    let disk = TestDisk::new();
    let repo = disk.repository("r");
    let judge = GitJudge::new(&disk);
    let certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    fs::write(repo.join("0.pem"), certificate).unwrap();
    assert!(judge.allows("cat *.pem", &repo));
    fs::write(repo.join("0.pem"), certificate.repeat(16_000)).unwrap();
    for number in 1..100 {
        fs::hard_link(repo.join("0.pem"), repo.join(format!("{number}.pem"))).unwrap();
    }
    assert!(!judge.allows("cat *.pem", &repo));
}
