//! Objects of another repository, shown by git in the sandbox.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use sekisho_gate::answer::Answer;
use sekisho_tools::git_ops::{GitOps, GitSettings};
use serde_json::json;

use super::{git_program, plain, set_up};
use crate::sandbox_fixture::isolations;
use crate::workshop::Workshop;

/// A repository with a secret, as a loose object or in a pack. Returns the name of the object.
fn other_repository(place: &Path, is_packed: bool) -> String {
    fs::create_dir_all(place).unwrap();
    set_up(place, &["init", "-q", "."]);
    fs::write(place.join("top"), "TOPSECRET\n").unwrap();
    let blob = set_up(place, &["hash-object", "-w", "top"]);
    if is_packed {
        set_up(place, &["add", "top"]);
        set_up(place, &["commit", "-q", "-m", "top"]);
        set_up(place, &["repack", "-q", "-a", "-d"]);
    }
    blob
}

fn link_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        symlink(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// Makes the objects of a repository lead to the secret of another one.
fn plant(way: &str, work: &Path, objects: &Path, blob: &str) {
    let own = work.join(".git/objects");
    let alternates = |text: String| {
        fs::create_dir_all(own.join("info")).unwrap();
        fs::write(own.join("info/alternates"), text).unwrap();
    };
    let folder = blob.get(..2).unwrap();
    match way {
        "quoted" => {
            let quoted = format!("\"{}\"", objects.display());
            fs::create_dir_all(own.join(&quoted)).unwrap();
            alternates(format!("{quoted}\n"));
        }
        "alternate with a link" => {
            let inside = work.join("doc/alternate");
            fs::create_dir_all(&inside).unwrap();
            symlink(objects.join(folder), inside.join(folder)).unwrap();
            alternates(format!("{}\n", inside.display()));
        }
        "link to an object" => link_all(&objects.join(folder), &own.join(folder)),
        _ => link_all(&objects.join("pack"), &own.join("pack")),
    }
}

#[tokio::test]
async fn links_to_objects_elsewhere_show_nothing() {
    for way in ["quoted", "alternate with a link", "link to an object", "link to a pack"] {
        for isolation in isolations() {
            let place = tempfile::tempdir().unwrap();
            let other = place.path().canonicalize().unwrap().join("other");
            let blob = other_repository(&other, way == "link to a pack");
            let settings = GitSettings { program: git_program(), identity: None };
            let workshop = Workshop::with_tools(&json!({}), isolation, vec![Box::new(GitOps::new(settings))]);
            let work: PathBuf = workshop.root();
            set_up(&work, &["init", "-q", "."]);
            let own = set_up(&work, &["hash-object", "-w", "--stdin"]);
            plant(way, &work, &other.join(".git/objects"), &blob);
            let found = plain(&work, &["show", &blob]);
            assert_eq!(String::from_utf8_lossy(&found.stdout), "TOPSECRET\n", "{way} is not an attack");
            // A repository with a link among its objects is not used at all; one in an alternate is left to Landlock.
            for (object, is_shown) in [(&blob, false), (&own, way == "alternate with a link")] {
                let input = json!({ "action": "show", "args": { "ref": object } });
                let result = workshop.run_tool_answered("git_ops", input, Answer::approve()).await;
                let shown = match result {
                    Ok(result) => (!result.is_error, result.content),
                    Err(error) => (false, error.to_string()),
                };
                assert_eq!(shown.0, is_shown, "{way}: {}", shown.1);
                assert!(!shown.1.contains("TOPSECRET"), "{way}: {}", shown.1);
            }
        }
    }
}
