//! `sekisho pipeline` with a real server: search, analyse, write, killed in the middle of each stage.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::serve::test_server::{TestServer, eventually};
use crate::test_home::{CommandOutput, TestHome};

/// A double of the search API. It can be held, so that searches do not end.
#[derive(Clone)]
struct SearchDouble {
    url: String,
    searches: Arc<AtomicUsize>,
    holds: Arc<AtomicBool>,
}

impl SearchDouble {
    fn start() -> SearchDouble {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/search", listener.local_addr().unwrap());
        let double = SearchDouble { url, searches: Arc::default(), holds: Arc::default() };
        let (searches, holds) = (Arc::clone(&double.searches), Arc::clone(&double.holds));
        let found = json!({ "web": { "results": [
            { "title": "Solar", "url": "https://solar.example/", "description": "Solar power grew by 30 %." },
        ] } });
        let found = found.to_string();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                searches.fetch_add(1, Ordering::SeqCst);
                let (holds, found) = (Arc::clone(&holds), found.clone());
                std::thread::spawn(move || {
                    let _ = stream.read(&mut [0; 4096]);
                    while holds.load(Ordering::SeqCst) {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", found.len());
                    // The server that asked may have been killed.
                    let _ = stream.write_all((head + &found).as_bytes());
                });
            }
        });
        double
    }

    fn count(&self) -> usize {
        self.searches.load(Ordering::SeqCst)
    }
}

struct Fixture {
    place: TestHome,
    server: TestServer,
    search: SearchDouble,
    admin: String,
}

fn call(name: &str, input: Value) -> Value {
    json!({ "name": name, "input": input })
}

/// The scripts of the three agents. Each expects what the stage before gave it.
fn scripts() -> [(&'static str, &'static str, Value); 3] {
    let search = json!([
        { "text": "I search.", "expect": { "contains": "Find sources about solar power." },
          "calls": [call("web_search", json!({ "query": "solar power" }))] },
        [ { "when": { "last_contains": "The outcome of this call is unknown" }, "text": "The search was cut off." },
          { "text": "Solar power grew by 30 %.", "expect": { "contains": "Solar power grew by 30 %." }, "delay_ms": 200 } ],
    ]);
    let analyse = json!([
        { "expect": { "contains": "Analyse for solar power:" },
          "calls": [call("todo_write", json!({ "todos": [{ "content": "check the figure", "status": "completed" }] }))] },
        { "text": "30 % is a lot.", "delay_ms": 200 },
    ]);
    let write = json!([
        { "expect": { "contains": "Write doc/report.md: 30 % is a lot." },
          "calls": [call("file_write", json!({ "path": "doc/report.md", "content": "30 % is a lot.\n", "mode": "create" }))] },
        { "text": "The report is in doc/report.md.", "expect": { "contains": "\"success\":true" }, "delay_ms": 200 },
    ]);
    [("searcher", "web_search", search), ("analyst", "todo_write", analyse), ("writer", "file_write", write)]
}

fn definition() -> Value {
    json!({ "name": "report", "stages": [
        { "name": "search", "agent": "searcher", "prompt": "Find sources about {{input}}.", "enabledTools": ["web_search"] },
        { "name": "analyse", "agent": "analyst", "prompt": "Analyse for {{input}}: {{previous}}" },
        { "name": "write", "agent": "writer", "prompt": "Write doc/report.md: {{previous}}",
          "toolConfig": { "file_write": { "allowed_dirs": ["doc"] } } },
    ] })
}

impl Fixture {
    /// A server whose policy asks about the tools of all three stages.
    fn new() -> Fixture {
        let (place, search) = (TestHome::new(), SearchDouble::start());
        let asks = ["web_search", "todo_write", "file_write"].map(|tool| json!({ "tool": tool }));
        let config = json!({ "version": 1, "permissions": { "confirm": asks } });
        TestHome::write(&place.global(), config.to_string());
        let server_json = json!({ "search_endpoint": search.url });
        TestHome::write(&place.home().join(".config/sekisho/server.json"), server_json.to_string());
        for (name, _, script) in scripts() {
            TestHome::write(&place.home().join(format!("scripts/{name}.json")), script.to_string());
        }
        TestHome::write(&place.home().join("report.json"), definition().to_string());
        let server = start(&place);
        let made = place.run(&["token", "create", "--name", "me", "--role", "admin"]);
        let admin = made.out.trim().to_owned();
        let fixture = Fixture { place, server, search, admin };
        for (name, tool, _) in scripts() {
            fixture.ok(&[
                "agents",
                "create",
                name,
                "--provider",
                "scripted",
                "--model",
                name,
                "--tool",
                tool,
            ]);
        }
        fixture
    }

    fn file(&self) -> String {
        self.place.home().join("report.json").to_str().unwrap().to_owned()
    }

    fn report(&self) -> PathBuf {
        self.place.home().join("../project/doc/report.md")
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.place.output(&self.place.command(arguments).env("SEKISHO_TOKEN", &self.admin).assert())
    }

    /// A command that must end with 0.
    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.code, 0, "{arguments:?}: {}{}", output.out, output.err);
        output.out
    }

    fn start_run(&self) -> String {
        let out = self.ok(&["pipeline", "run", &self.file(), "--input", "solar power", "--detach"]);
        out.trim().to_owned()
    }

    fn status(&self, id: &str) -> Value {
        serde_json::from_str(&self.run(&["pipeline", "status", id, "--json"]).out).unwrap()
    }

    /// Waits until the question of a stage is open. Returns the run of the stage.
    fn asked(&self, id: &str, stage: usize) -> String {
        eventually("the stage never asked", || {
            let run = self.status(id);
            let is_open = run["stages"][stage]["status"] == "suspended";
            is_open.then(|| run["stages"][stage]["attempts"][0]["runId"].as_str().unwrap().to_owned())
        })
    }

    fn ended(&self, id: &str) -> Value {
        eventually("the pipeline never ended", || {
            let run = self.status(id);
            (!["running", "suspended"].contains(&run["status"].as_str().unwrap())).then_some(run)
        })
    }

    fn kill_and_restart(&mut self) {
        self.server.signal(rustix::process::Signal::KILL);
        self.server.ended();
        self.server = start(&self.place);
    }

    /// How often tools of a run began.
    fn executions(&self) -> Vec<(String, i64)> {
        let database = self.place.home().join(".local/state/sekisho/ledger.db");
        let database = rusqlite::Connection::open(database).unwrap();
        let query = "SELECT tool_name, count(*) FROM tool_executions GROUP BY tool_name ORDER BY tool_name";
        let mut statement = database.prepare(query).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.map(Result::unwrap).collect()
    }
}

fn start(place: &TestHome) -> TestServer {
    let project = place.home().join("../project").canonicalize().unwrap();
    let scripts = place.home().join("scripts");
    let variables = [
        ("SEKISHO_PROJECT_ROOT", project.to_str().unwrap()),
        ("SEKISHO_SCRIPTS", scripts.to_str().unwrap()),
        ("BRAVE_SEARCH_API_KEY", "BSA-0123456789-very-secret"),
    ];
    TestServer::start_with(place, &[], &variables)
}

#[test]
fn search_analyse_and_write_survive_kills_in_each_stage() {
    let mut fixture = Fixture::new();
    let id = fixture.start_run();
    for stage in 0..3 {
        // Once while the question is open, and once while the model thinks about the result.
        fixture.asked(&id, stage);
        fixture.kill_and_restart();
        let run = fixture.asked(&id, stage);
        let approve = format!("POST /api/runs/{run}/approve-tool-call?wait=false");
        let bearer = format!("Bearer {}", fixture.admin);
        let answer = fixture.server.request(&approve, &[("Authorization", &bearer)], Some(&json!({})));
        assert_eq!(answer.status, 200, "{answer:?}");
        eventually("the tool never ended", || {
            let messages = fixture.run(&["runs", "show", &run, "--json"]).out;
            messages.contains("\"role\": \"tools\"").then_some(())
        });
        fixture.kill_and_restart();
    }
    let ended = fixture.ended(&id);
    assert_eq!(ended["status"], "completed", "{ended}");
    assert_eq!(ended["output"], "The report is in doc/report.md.");
    assert_eq!(ended["stages"][0]["output"], "Solar power grew by 30 %.");
    assert_eq!(std::fs::read_to_string(fixture.report()).unwrap(), "30 % is a lot.\n");
    assert_eq!(fixture.search.count(), 1);
    let once = [("file_write", 1), ("todo_write", 1), ("web_search", 1)];
    assert_eq!(fixture.executions(), once.map(|(tool, count)| (tool.to_owned(), count)));
    fixture.server.stop();
}

/// A search that was under way when the server was killed is not repeated. Its stage reads that.
#[test]
fn search_that_was_cut_off_is_not_repeated() {
    let mut fixture = Fixture::new();
    fixture.search.holds.store(true, Ordering::SeqCst);
    let id = fixture.start_run();
    let run = fixture.asked(&id, 0);
    let approve = format!("POST /api/runs/{run}/approve-tool-call?wait=false");
    let bearer = format!("Bearer {}", fixture.admin);
    fixture.server.request(&approve, &[("Authorization", &bearer)], Some(&json!({})));
    eventually("the search never began", || (fixture.search.count() == 1).then_some(()));
    fixture.kill_and_restart();
    fixture.search.holds.store(false, Ordering::SeqCst);
    fixture.asked(&id, 1);
    let shown = fixture.status(&id);
    assert_eq!(shown["stages"][0]["output"], "The search was cut off.", "{shown}");
    assert_eq!(fixture.search.count(), 1);
    let out = fixture.ok(&["pipeline", "abort", &id, "--reason", "no sources"]);
    assert!(out.ends_with(": aborted\n"), "{out}");
    assert!(fixture.ok(&["approvals", "list"]).contains("no open questions"));
    fixture.server.stop();
}

#[test]
fn pipeline_is_stored_run_and_tried_again_in_the_terminal() {
    let fixture = Fixture::new();
    let talks = json!([{ "text": "nothing special" }]);
    for name in ["searcher", "analyst"] {
        TestHome::write(&fixture.place.home().join(format!("scripts/{name}.json")), talks.to_string());
    }
    let writer = fixture.place.home().join("scripts/writer.json");
    let broken = json!([{ "error": { "code": "bad_request", "message": "no such model" } }]);
    TestHome::write(&writer, broken.to_string());
    assert!(fixture.ok(&["pipeline", "list"]).starts_with("no pipelines yet"));
    let made = fixture.ok(&["pipeline", "create", &fixture.file()]);
    assert!(made.starts_with("created pipeline `report` ("), "{made}");
    let again = fixture.run(&["pipeline", "create", &fixture.file()]);
    assert!(again.code == 1 && again.err.contains("another pipeline is called `report`"), "{}", again.err);
    assert!(fixture.ok(&["pipeline", "create", &fixture.file(), "--replace"]).starts_with("replaced"));
    assert!(fixture.ok(&["pipeline", "list"]).contains("report  search → analyse → write"));
    let shown: Value = serde_json::from_str(&fixture.ok(&["pipeline", "show", "report"])).unwrap();
    assert_eq!(shown, definition());

    let failed = fixture.run(&["pipeline", "run", "report", "--input", "solar power"]);
    assert_eq!(failed.code, 1, "{}{}", failed.out, failed.err);
    for part in ["[1/3] search  started", "[2/3] analyse  completed", "[3/3] write  failed", "no such model"]
    {
        assert!(failed.out.contains(part), "{part} in {}", failed.out);
    }
    let runs = fixture.ok(&["pipeline", "runs", "--all"]);
    assert!(runs.contains("failed     report") && runs.contains("stage 3 of 3"), "{runs}");
    let id = runs.split_whitespace().next().unwrap();
    TestHome::write(&writer, json!([{ "text": "written" }]).to_string());
    let retried = fixture.ok(&["pipeline", "retry", id]);
    assert!(retried.contains("[3/3] write  started, attempt 2"), "{retried}");
    assert!(retried.ends_with("completed\nwritten\n"), "{retried}");
    let status = fixture.ok(&["pipeline", "status", id]);
    assert!(status.contains("[3/3] write  completed"), "{status}");

    let wrong = fixture.run(&["pipeline", "run", "reports"]);
    assert!(wrong.code == 1 && wrong.err.contains("no pipeline `reports`"), "{}", wrong.err);
    TestHome::write(
        &fixture.place.home().join("report.json"),
        json!({ "name": "x", "stages": [{ "agent": "a" }] }).to_string(),
    );
    let wrong = fixture.run(&["pipeline", "run", &fixture.file()]);
    assert!(wrong.code == 1 && wrong.err.contains("stages[0]"), "{}", wrong.err);
    fixture.ok(&["pipeline", "delete", "report", "--yes"]);
    // The terminal's own token is an approver's: it runs pipelines, and stores none.
    TestHome::write(&fixture.place.home().join("report.json"), definition().to_string());
    let refused = fixture.place.run(&["pipeline", "create", &fixture.file()]);
    assert!(refused.code == 1 && refused.err.contains("only admins store pipelines"), "{}", refused.err);
    fixture.server.stop();
}
