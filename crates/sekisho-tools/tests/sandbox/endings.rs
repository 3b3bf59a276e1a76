//! What is left when a program ends or is ended: nothing.

use std::cell::RefCell;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{chown, symlink};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Stdio};

use sekisho_tools::sandbox::{Control, DirectoryId, HelperPlan, PlannedDir};

use crate::sandbox_fixture::{Arena, arenas, programs, wait_until};

/// A running helper and its control socket.
fn start(arena: &Arena, plan: HelperPlan) -> (Child, UnixStream) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let plan = HelperPlan { control: Some(Control::Stdin), ..plan };
    let mut command = arena.program(&programs().helper, &plan.to_arguments());
    let child = command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).spawn().unwrap();
    (child, ours)
}

fn wait_for_line(child: &mut Child, expected: &str) {
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line.trim(), expected);
}

/// The processes with this text in their arguments.
fn processes_with(mark: &Path) -> Vec<String> {
    let mark = mark.as_os_str().as_encoded_bytes();
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter(|entry| {
        let arguments = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        arguments.windows(mark.len()).any(|window| window == mark)
    });
    pids.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn processes_that_fork_and_leave_are_killed() {
    for arena in arenas() {
        let mut victim = arena.victim();
        let mark = arena.inside().join("mark");
        let attack = ["hop".into(), mark.clone().into_os_string(), "5".into()];
        let command: Vec<_> = std::iter::once(programs().attacker.clone().into()).chain(attack).collect();
        let (mut helper, control) = start(&arena, arena.plan(&command));
        wait_for_line(&mut helper, "hopping");
        drop(control);
        let helper = RefCell::new(helper);
        wait_until("the helper ends", || helper.borrow_mut().try_wait().unwrap().is_some());
        assert!(processes_with(&mark).is_empty(), "{}", arena.name());
        assert!(victim.is_alive(), "only the program is killed; {}", arena.name());
    }
}

#[test]
fn daemons_are_killed() {
    for arena in arenas() {
        let mark = arena.inside().join("mark");
        // Twice forked, in a session of its own, deaf to signals, and stopped.
        let text = "(trap '' TERM HUP INT; setsid bash -c 'sleep 1000; : '$0 >/dev/null 2>&1 &) ; \
            (setsid bash -c 'kill -STOP $$; sleep 1000; : '$0 >/dev/null 2>&1 &) ; sleep 0.1; echo started";
        let words = ["bash", "-c", text].map(Into::into).into_iter().chain([mark.clone().into_os_string()]);
        let command: Vec<_> = words.collect();
        let (mut helper, control) = start(&arena, arena.plan(&command));
        wait_for_line(&mut helper, "started");
        helper.wait().unwrap();
        drop(control);
        assert!(processes_with(&mark).is_empty(), "{}", arena.name());
    }
}

#[test]
fn temporary_directory_is_removed() {
    for arena in arenas() {
        for text in [
            "mkdir -p a/b; touch a/b/c; chmod 0 a/b a .",
            "ln -s / link; mkfifo fifo; for i in $(seq 300); do mkdir d$i; cd d$i; done",
            "mkdir a; chmod 0 a; echo ready; sleep 1000",
        ] {
            let dir = arena.inside().join("temporary");
            fs::create_dir(&dir).unwrap();
            std::os::unix::fs::chown(&dir, arena.user, arena.user).unwrap();
            let command = ["bash", "-c", text].map(Into::into);
            let plan = HelperPlan {
                working_dir: Some(dir.clone()),
                temporary: Some(dir.clone()),
                ..arena.plan(&command)
            };
            let (mut helper, control) = start(&arena, plan);
            if text.contains("ready") {
                wait_for_line(&mut helper, "ready");
                drop(control);
                helper.wait().unwrap();
            } else {
                helper.wait().unwrap();
                drop(control);
            }
            assert!(!dir.exists(), "{}, {text}", arena.name());
            assert!(arena.inside().join("file").exists());
        }
    }
}

/// Another program may exchange a directory for a link, or for another directory, before the helper opens it.
#[test]
fn exchanged_directory_is_neither_written_nor_removed() {
    for arena in arenas() {
        for (by_link, is_temporary) in [(true, true), (true, false), (false, true), (false, false)] {
            arena.reset();
            let (dir, victim) = (arena.inside().join("temporary"), arena.outside());
            fs::create_dir(&dir).unwrap();
            let id = DirectoryId::of(&fs::metadata(&dir).unwrap());
            fs::rename(&dir, arena.inside().join("kept")).unwrap();
            if by_link {
                symlink(&victim, &dir).unwrap();
            } else {
                fs::create_dir(&dir).unwrap();
                fs::write(dir.join("file"), "").unwrap();
                chown(&dir, arena.user, arena.user).unwrap();
            }
            let command = ["touch".into(), dir.join("planted").into_os_string()];
            let plan = HelperPlan {
                writable: vec![PlannedDir { path: dir.clone(), id: Some(id) }],
                temporary: is_temporary.then(|| dir.clone()),
                ..arena.plan(&command)
            };
            let output = arena.program(&programs().helper, &plan.to_arguments()).output().unwrap();
            let name = format!("{}, link {by_link}, temporary {is_temporary}: {output:?}", arena.name());
            assert_eq!(output.status.code(), Some(125), "{name}");
            assert!(!dir.join("planted").exists() && dir.join("file").exists(), "{name}");
            assert!(victim.join("file").exists(), "{name}");
        }
    }
}

#[test]
fn program_that_ran_is_never_said_not_to_have_started() {
    for arena in arenas() {
        let command = ["bash", "-c", "echo ready; sleep 1000"].map(Into::into);
        let (mut helper, mut control) = start(&arena, arena.plan(&command));
        wait_for_line(&mut helper, "ready");
        let pid = helper.id();
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
        for child in children.split_whitespace() {
            let child = rustix::process::Pid::from_raw(child.parse().unwrap()).unwrap();
            rustix::process::kill_process(child, rustix::process::Signal::KILL).unwrap();
        }
        let mut said = String::new();
        control.read_to_string(&mut said).unwrap();
        helper.wait().unwrap();
        let expected = if arena.is_isolated() { "killed something ended the sandbox" } else { "signalled 9" };
        assert!(said.starts_with(expected), "{}: {said}", arena.name());
    }
}
