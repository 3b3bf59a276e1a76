//! A directory above the workspace that another program exchanges for a link while a command is started.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use sekisho_gate::answer::Answer;
use sekisho_gate::ledger::LedgerReader;
use sekisho_tools::ProjectCheck;
use sekisho_tools::file_write::FileWrite;
use sekisho_tools::sandbox::Isolation;
use sekisho_tools::self_eval::SelfEval;
use sekisho_tools::shell_exec::ShellExec;
use serde_json::{Value, json};

use crate::project::listing;
use crate::sandbox_fixture::isolations;
use crate::workshop::{Workshop, person, request};

const WRITES: &str = "echo x > doc/x; echo y > y; echo z > ../proj/doc/z";

/// A workshop in `a/proj`, another project `victim/proj`, and a link `evil` to `victim` that can take the place of `a`.
struct Exchange {
    workshop: Workshop,
    place: PathBuf,
}

impl Exchange {
    fn new(isolation: Isolation, allowed: &str) -> Exchange {
        let tools: Vec<Box<dyn sekisho_tools::Tool>> =
            vec![Box::new(ShellExec::new()), Box::new(SelfEval::new()), Box::new(FileWrite)];
        let mut workshop = Workshop::with_tools(&json!({}), isolation, tools);
        let place = workshop.root();
        for name in ["a", "victim"] {
            fs::create_dir_all(place.join(name).join("proj/doc")).unwrap();
        }
        symlink("victim", place.join("evil")).unwrap();
        workshop.ctx.set_root(place.join("a/proj"));
        workshop.ctx.allowed_write_dirs = vec![allowed.into()];
        workshop.ctx.checks = [(ProjectCheck::Build, WRITES.to_owned())].into();
        Exchange { workshop, place }
    }

    fn exchange(place: &Path) {
        renameat_with(CWD, place.join("a"), CWD, place.join("evil"), RenameFlags::EXCHANGE).unwrap();
    }

    async fn run(&self, tool: &'static str) -> String {
        let input: Value = match tool {
            "shell_exec" => json!({ "command": WRITES }),
            _ => json!({ "checks": ["build"] }),
        };
        match self.workshop.run_tool_answered(tool, input, Answer::approve()).await {
            Ok(result) => result.content,
            Err(error) => error.to_string(),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn exchanged_workspace_is_refused() {
    for allowed in [".", "doc"] {
        for tool in ["shell_exec", "self_eval"] {
            let exchange = Exchange::new(Isolation::None, allowed);
            let victim = exchange.place.join("victim");
            let before = listing(&victim);
            exchange.run(tool).await;
            assert!(exchange.place.join("a/proj/doc/x").exists(), "{tool}");
            Exchange::exchange(&exchange.place);
            let said = exchange.run(tool).await;
            assert!(said.contains("was exchanged for another directory"), "{tool}: {said}");
            assert_eq!(listing(&victim), before, "{tool}, {allowed}");
            // Another directory of the same name.
            fs::remove_file(exchange.place.join("a")).unwrap();
            fs::rename(exchange.place.join("victim"), exchange.place.join("a")).unwrap();
            let said = exchange.run(tool).await;
            assert!(said.contains("was exchanged for another directory"), "{tool}: {said}");
            assert!(!exchange.place.join("a/proj/doc/x").exists(), "{tool}, {allowed}");
        }
    }
}

/// The rules are read by path, so they may be those of the other directory.
#[tokio::test(flavor = "multi_thread")]
async fn workspace_exchanged_while_the_gate_decides_is_refused() {
    let exchange = Exchange::new(Isolation::None, "doc");
    let (runner, ctx) = (exchange.workshop.runner.clone(), exchange.workshop.ctx.clone());
    let call = request("file_write", json!({ "path": "doc/n", "content": "n" }));
    let running = tokio::spawn(async move { runner.run(call, &ctx).await });
    let ledger = &exchange.workshop.ledger;
    let approval = loop {
        tokio::task::yield_now().await;
        assert!(!running.is_finished(), "nobody was asked");
        if let Some(approval) = ledger.pending(None, 10).await.unwrap().into_iter().next() {
            break approval;
        }
    };
    fs::rename(exchange.place.join("a"), exchange.place.join("b")).unwrap();
    fs::rename(exchange.place.join("victim"), exchange.place.join("a")).unwrap();
    exchange.workshop.gate.answer(approval.id, Answer::approve(), person()).await.unwrap();
    let said = running.await.unwrap().unwrap_err().to_string();
    assert!(said.contains("was exchanged for another directory"), "{said}");
    assert!(!exchange.place.join("a/proj/doc/n").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn exchange_while_a_command_is_started_leads_nowhere_else() {
    for isolation in isolations() {
        for allowed in [".", "doc"] {
            let exchange = Exchange::new(isolation.clone(), allowed);
            let victim = exchange.place.join("victim");
            let before = listing(&victim);
            let done = AtomicBool::new(false);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    for round in (0_u64..).take_while(|_| !done.load(Ordering::Relaxed)) {
                        Exchange::exchange(&exchange.place);
                        std::thread::sleep(Duration::from_micros(500 + round * 317 % 9000));
                        Exchange::exchange(&exchange.place);
                        std::thread::sleep(Duration::from_micros(500 + round * 511 % 9000));
                    }
                });
                let handle = tokio::runtime::Handle::current();
                tokio::task::block_in_place(|| {
                    for tool in ["shell_exec", "self_eval"].into_iter().cycle().take(16) {
                        handle.block_on(exchange.run(tool));
                    }
                });
                done.store(true, Ordering::Relaxed);
            });
            assert_eq!(listing(&victim), before, "{isolation:?}, {allowed}");
        }
    }
}
