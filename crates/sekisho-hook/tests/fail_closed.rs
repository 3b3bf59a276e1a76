//! Every failure is a block.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use sekisho_host::Installations;

use crate::harness::HookHarness;

#[test]
fn panic_blocks() {
    let mut place = HookHarness::new();
    place.environment.push(("SEKISHO_HOOK_TEST_PANIC", "1".into()));
    let spoken = place.bash("make test");
    assert!(spoken.is_block(), "{spoken:?}");
    assert!(spoken.err.contains("as the test wanted"), "{spoken:?}");
}

#[test]
fn unreadable_request_blocks() {
    let place = HookHarness::new();
    let good = place.before("make test", "toolu_1").to_string();
    for wrong in [
        String::new(),
        "{".into(),
        "[]".into(),
        "null".into(),
        good.replacen("\"cwd\"", "\"cwd\":\"/\",\"cwd\"", 1),
        good.replace("PreToolUse", "BeforeLunch"),
        good.replacen("\"tool_name\"", "\"name\"", 1),
        good.replace("{\"command\":\"make test\"}", "7"),
        format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("{good}{good}"),
    ] {
        let spoken = place.send(&wrong);
        assert!(spoken.is_block(), "{}: {spoken:?}", wrong.chars().take(80).collect::<String>());
    }
    assert!(place.send(&" ".repeat((16 << 20) + 2)).is_block());
}

#[test]
fn missing_or_foreign_installation_blocks() {
    let place = HookHarness::new();
    let told = place.before("make test", "toolu_1").to_string();
    let file = Installations::at(place.state()).write(&place.installation).unwrap();
    let at = file.to_string_lossy().into_owned();
    assert_eq!(place.start(&["claude-code", "--installation", &at], &told).decision(), "allow");
    for arguments in [
        vec![],
        vec!["claude-code"],
        vec!["claude-code", "--installation"],
        vec!["claude-code", "--installation", "/nowhere.json"],
        vec!["codex", "--installation", &at],
        vec!["nobody", "--installation", &at],
        vec!["claude-code", "--installation", &at, "--loosen"],
    ] {
        let spoken = place.start(&arguments, &told);
        assert!(spoken.is_block(), "{arguments:?}: {spoken:?}");
    }
    std::fs::write(&file, "{ \"version\": 1 }").unwrap();
    assert!(place.start(&["claude-code", "--installation", &at], &told).is_block());
}

#[test]
fn unrecorded_call_does_not_run() {
    let place = HookHarness::new();
    place.write("state/spool", "a file where a directory has to be");
    let spoken = place.bash("make test");
    assert!(spoken.is_block() && spoken.err.contains("record"), "{spoken:?}");
}

#[test]
fn broken_config_allows_nothing() {
    let place = HookHarness::new();
    place.write("config.json", "{ nonsense");
    let spoken = place.bash("make test");
    assert_eq!(spoken.decision(), "deny", "{spoken:?}");
    assert!(spoken.reason().contains("config.json"), "{spoken:?}");
}

#[test]
fn unwritable_answer_blocks() {
    let place = HookHarness::new();
    let file = Installations::at(place.state()).write(&place.installation).unwrap();
    // Writing to a full device fails, like writing to a pipe without a reader.
    let input = place.base().join("input.json");
    std::fs::write(&input, place.before("make test", "toolu_1").to_string()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_sekisho-hook"))
        .args(["claude-code", "--installation", &file.to_string_lossy()])
        .current_dir(place.project())
        .stdin(std::fs::File::open(input).unwrap())
        .stdout(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert!(output.status.code() == Some(2) && !output.stderr.is_empty(), "{output:?}");
}

#[test]
fn missing_directory_blocks() {
    let place = HookHarness::new();
    let mut told = place.before("make test", "toolu_1");
    told["cwd"] = serde_json::json!(place.base().join("gone"));
    assert!(place.send(&told.to_string()).is_block());
    told.as_object_mut().unwrap().remove("cwd");
    assert!(place.send(&told.to_string()).is_block());
}

#[test]
fn blocked_rows_of_others_do_not_block_a_sweep() {
    let mut place = HookHarness::new();
    assert_eq!(place.bash("make test").decision(), "allow");
    let spool = place.state().join("spool").read_dir().unwrap().next().unwrap().unwrap().path();
    let held = std::fs::File::open(spool).unwrap();
    held.lock_shared().unwrap();
    assert_eq!(place.bash("rm x").decision(), "deny", "recorded elsewhere");
    assert_eq!(place.record().len(), 2);

    // A server that accepts no connection.
    let socket = place.installation.socket.clone().unwrap();
    let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let mut queue = Vec::new();
    listener.set_nonblocking(true).unwrap();
    for _ in 0..5000 {
        let end = rustix::net::socket_with(
            rustix::net::AddressFamily::UNIX,
            rustix::net::SocketType::STREAM,
            rustix::net::SocketFlags::NONBLOCK,
            None,
        );
        let end = end.unwrap();
        if rustix::net::connect(&end, &rustix::net::SocketAddrUnix::new(&socket).unwrap()).is_err() {
            break;
        }
        queue.push(end);
    }
    place.wait_seconds(1);
    place.installation.unattended = sekisho_host::UnattendedTimeout::Deny;
    assert_eq!(place.bash("frobnicate").decision(), "deny");
}

#[test]
fn stuck_hook_ends_before_its_agent_times_out() {
    let mut place = HookHarness::new();
    place.installation.limit_s = 4;
    // Nothing is ever written to this pipe.
    let pipe = place.base().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
        .unwrap();
    let file = Installations::at(place.state()).write(&place.installation).unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_sekisho-hook"))
        .args(["claude-code", "--installation", &file.to_string_lossy()])
        .stdin(std::fs::OpenOptions::new().read(true).write(true).open(pipe).unwrap())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    // Killed by the alarm it set for itself: no other process ends it, and no input arrives.
    assert_eq!(status.signal(), Some(rustix::process::Signal::ALARM.as_raw()), "{status}");
}
