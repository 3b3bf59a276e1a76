//! The demo's script, messages and directory.

use sekisho_agent::conversation::{AssistantPart, CallInput, CallResult, Message};
use sekisho_agent::machine::CallOutcome;
use sekisho_agent::model::scripted::ScriptedModel;
use sekisho_agent::model::{Model, ModelRequest, PieceSink, ReplyPiece};
use sekisho_gate::refusal::{Refusal, RefusalCode};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::demo_directory::DemoDirectory;
use super::messages::{AnsweredBy, DemoAnswer, DemoEvent, Effect, message_lines};
use super::script::{COMMAND, CUSTOMER, DEPLOY, DemoCall, FILES, TASK, customer_input, script};

fn text_of(event: DemoEvent) -> String {
    let lines: Vec<String> =
        message_lines(&event).iter().map(|line| format!("{}|{}", line.label, line.text)).collect();
    lines.join("\n")
}

fn call(tool: &str, input: Value) -> DemoCall {
    DemoCall { tool: tool.into(), input }
}

fn edit() -> DemoCall {
    call("edit", json!({ "path": "/demo/deploy.toml" }))
}

fn command() -> DemoCall {
    call("shell_exec", json!({ "command": "ls" }))
}

fn answered(call: DemoCall, answer: DemoAnswer) -> String {
    text_of(DemoEvent::Answered { call, by: AnsweredBy::Person("mai".into()), answer })
}

fn yes(changed: bool, lines: &[&str]) -> DemoAnswer {
    DemoAnswer::Yes { changed, effect: Effect::Ran(lines.iter().map(|line| (*line).into()).collect()) }
}

#[test]
fn every_question_says_what_it_asks() {
    for (call, expected) in [
        (edit(), "2 asks|may I change deploy.toml?\n|shown as a diff "),
        (call("shell_exec", json!({ "command": COMMAND })), "3 asks|may I run `ls logs && find logs -name "),
        (
            call(CUSTOMER.0, customer_input()),
            "4 asks|may I call crm/delete_customer with {\"customer_id\":\"C-10482\",",
        ),
    ] {
        let text = text_of(DemoEvent::QuestionOpened(call));
        assert!(text.starts_with(expected), "{text}");
    }
}

#[test]
fn answer_says_what_it_does() {
    assert_eq!(
        answered(edit(), yes(false, &["replicas = 6"])),
        "2 yes|approved by mai: deploy.toml is changed on disk\n|  replicas = 6"
    );
    assert_eq!(
        answered(command(), yes(true, &["a", "b\u{1b}[1m"])),
        "3 yes|approved by mai, with a change: it ran in the sandbox\n|  a\n|  b\\u{1b}[1m"
    );
    let long = answered(command(), yes(false, &["1", "2", "3", "4", "5", "6", "7"]));
    assert!(long.ends_with("|  6\n|  …"), "{long}");
    let failed = DemoAnswer::Yes { changed: false, effect: Effect::Failed("no".into()) };
    assert_eq!(answered(command(), failed), "3 yes|approved by mai: it failed: no");
    let nothing = DemoAnswer::Yes { changed: false, effect: Effect::Nothing };
    let said = answered(call(CUSTOMER.0, json!({ "customer_id": 7 })), nothing);
    assert_eq!(
        said,
        "4 yes|approved by mai: the agent would now call crm/delete_customer with {\"customer_id\":7}"
    );
    let no = |stops| DemoAnswer::No { message: "Permission denied: not mine".into(), stops };
    let denied = "3 no|denied by mai: the model receives `Permission denied: not mine`";
    assert_eq!(answered(command(), no(false)), denied);
    assert_eq!(
        answered(command(), no(true)),
        format!("{denied}\n|and the run is stopped, so the demo ends here")
    );
    let expired = answered(command(), DemoAnswer::Expired);
    assert!(expired.starts_with("3 expired|nobody answered in time: "), "{expired}");
    let withdrawn = answered(edit(), DemoAnswer::Withdrawn("enough".into()));
    assert_eq!(withdrawn, "2 gone|the question was withdrawn: enough");
}

#[test]
fn calls_without_a_question_are_explained_once() {
    let decided = |call: DemoCall, explains| text_of(DemoEvent::Decided { call, through: Ok(()), explains });
    assert_eq!(
        decided(call("read", json!({ "path": "notes.txt" })), true),
        "1 runs|read notes.txt\n|a built-in rule allows what only reads, so you are not asked"
    );
    assert_eq!(
        decided(call("grep", json!({ "pattern": "replicas" })), false),
        "1 runs|search for `replicas`"
    );
    let through = Err("Permission denied: a rule".into());
    let denied = text_of(DemoEvent::Decided { call: command(), through, explains: false });
    assert_eq!(denied, "3 not|without a question: the model receives `Permission denied: a rule`");
}

#[test]
fn rule_and_person_are_named_differently() {
    let by = AnsweredBy::Rule("session:1".into());
    assert_eq!(
        text_of(DemoEvent::Answered { call: command(), by, answer: yes(false, &[]) }),
        "3 yes|allowed by a rule that was just saved, session:1: it ran in the sandbox"
    );
    let kept = DemoEvent::Remembered { allowed: true, why: "a rule".into() };
    assert_eq!(text_of(kept), "4 kept|from now on it runs without a question; the demo asks again\n|a rule");
    assert_eq!(text_of(DemoEvent::AskedAgain { through: Ok(()) }), "4 again|allowed without a question");
    assert!(text_of(DemoEvent::Finished).contains("sekisho install claude-code"));
}

#[test]
fn untrusted_text_is_escaped() {
    let hostile = "\u{1b}[2J\u{202e}\n";
    let by = AnsweredBy::Person(hostile.into());
    let input = json!({ "path": hostile, "command": hostile, "pattern": hostile, hostile: 1 });
    let answers = [
        yes(true, &[hostile]),
        DemoAnswer::Yes { changed: true, effect: Effect::Failed(hostile.into()) },
        DemoAnswer::Yes { changed: true, effect: Effect::Nothing },
        DemoAnswer::No { message: hostile.into(), stops: true },
        DemoAnswer::Withdrawn(hostile.into()),
    ];
    let mut events = vec![DemoEvent::Says(hostile.into()), DemoEvent::Task(hostile.into())];
    for tool in ["read", "grep", "edit", "shell_exec", CUSTOMER.0, hostile] {
        let call = call(tool, input.clone());
        events.push(DemoEvent::QuestionOpened(call.clone()));
        events.push(DemoEvent::Decided { call: call.clone(), through: Err(hostile.into()), explains: true });
        events.extend(answers.iter().map(|answer| DemoEvent::Answered {
            call: call.clone(),
            by: by.clone(),
            answer: answer.clone(),
        }));
    }
    for event in events {
        for line in message_lines(&event) {
            assert!(!line.text.contains(['\u{1b}', '\u{202e}', '\n']), "{line:?}");
        }
    }
}

struct NoPieces;

impl PieceSink for NoPieces {
    fn take(&self, _: ReplyPiece) {}
    fn restart(&self) {}
}

/// What the agent does after these results of its calls: its words, then its calls.
async fn after(results: &[CallOutcome]) -> String {
    let model = ScriptedModel::from_value(script()).unwrap();
    let mut messages = vec![Message::User { text: TASK.into() }];
    for result in results {
        let content = result.content();
        let result =
            CallResult { call_id: "a".into(), name: "f".into(), content, is_error: result.is_error() };
        messages.push(Message::Assistant { parts: Vec::new() });
        messages.push(Message::Tools { results: vec![result] });
    }
    let (tools, temperature) = (Vec::new(), None);
    let request =
        ModelRequest { model: "x".into(), system: None, messages, tools, temperature, max_tokens: 9 };
    let reply = model.reply(&request, &NoPieces, &CancellationToken::new()).await.unwrap();
    let part = |part: AssistantPart| match part {
        AssistantPart::Text { text } => text,
        AssistantPart::Call(call) => match call.input {
            CallInput::Object(input) => {
                let input = input.get("path").or(input.get("command")).and_then(Value::as_str);
                format!("[{} {}]", call.name, input.unwrap_or_default())
            }
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    reply.parts.into_iter().map(part).collect::<Vec<_>>().join(" ")
}

fn ran(content: &str, edited: Option<Value>) -> CallOutcome {
    CallOutcome::Completed { content: content.into(), is_error: false, is_final: false, edited }
}

fn worked() -> CallOutcome {
    ran("{\"success\":true}", None)
}

fn refused(code: RefusalCode, reason: Option<&str>) -> CallOutcome {
    let usual = Refusal::new(code);
    let reason = reason.map_or(usual.reason.clone(), str::to_owned);
    CallOutcome::Refused { refusal: Refusal { reason, ..usual } }
}

#[tokio::test]
async fn agent_reacts_to_every_answer() {
    let expired = || refused(RefusalCode::Expired, None);
    let edited = || ran("{\"success\":true}", Some(json!({ "command": "ls" })));
    let no = |reason| refused(RefusalCode::Denied, reason);
    let (risky, list) = (format!("[shell_exec {COMMAND}]"), "[shell_exec find logs -name '*.log']");
    let check = |results: Vec<CallOutcome>, expected: Vec<String>| async move {
        let found = after(&results).await;
        for part in expected {
            assert!(found.contains(&part), "{found} does not contain {part}");
        }
    };
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    check(vec![], texts(&["First I look around."])).await;
    check(vec![worked()], texts(&["six replicas", "[edit deploy.toml]"])).await;
    // Before the change, whatever comes of it, is a read.
    let change = |result: CallOutcome| vec![worked(), result];
    check(change(worked()), texts(&["The change is made.", &risky])).await;
    check(change(edited()), texts(&["Your version", &risky])).await;
    check(change(no(None)), texts(&["stays as it is. Next", &risky])).await;
    check(change(no(Some("not before noon"))), texts(&["(\"not before noon\")", &risky])).await;
    check(change(expired()), texts(&["Nobody answered", "I ask again.", "[edit deploy.toml]"])).await;
    check(change(ran("the text is not there", None)), texts(&["did not work", &risky])).await;
    let mut silent = vec![worked(), expired(), expired(), expired()];
    check(silent.clone(), texts(&["I ask again.", "[edit deploy.toml]"])).await;
    silent.push(worked());
    check(silent.clone(), texts(&["The change is made.", &risky])).await;
    silent.push(no(Some("no")));
    check(silent, texts(&["You said \"no\"", list])).await;
    let run = |result: CallOutcome| vec![worked(), worked(), result];
    check(run(worked()), texts(&["the release script ran"])).await;
    check(run(edited()), texts(&["I used your command instead of mine."])).await;
    check(run(no(None)), texts(&["Then I delete and release nothing.", list])).await;
    check(run(no(Some("keep the logs"))), texts(&["You said \"keep the logs\"", list])).await;
    check(run(refused(RefusalCode::DeniedByRule, Some("a rule"))), texts(&["You said \"a rule\"", list]))
        .await;
    check(run(expired()), texts(&["no answer is not a yes", list])).await;
    check(run(ran("{\"success\":false}", None)), texts(&["did not work"])).await;
    check(vec![worked(), worked(), expired(), worked()], texts(&["up to you"])).await;
}

#[test]
fn directory_is_removed() {
    let directory = DemoDirectory::open().unwrap();
    let path = directory.path().to_path_buf();
    for (name, text) in FILES {
        assert_eq!(std::fs::read_to_string(path.join(name)).unwrap(), text);
    }
    assert_eq!(directory.new_lines(), [""; 0]);
    std::fs::write(path.join(DEPLOY.0), DEPLOY.1.replace("replicas = 2", "replicas = 3")).unwrap();
    assert_eq!(directory.new_lines(), ["replicas = 3"]);
    drop(directory);
    assert!(!path.exists());
}
