//! `self_eval`: its contract, where its commands come from, and what of them can be changed.

use std::time::{Duration, Instant};

use sekisho_gate::answer::Answer;
use sekisho_tools::sandbox::Isolation;
use sekisho_tools::self_eval::{LEAST_TIMEOUT, STREAM_LIMIT, SelfEval};
use sekisho_tools::{ProjectCheck, Tool, ToolCategory, ToolError, ToolResult};
use serde_json::{Value, json};

use crate::workshop::Workshop;

fn workshop(permissions: &Value) -> Workshop {
    Workshop::with_tools(permissions, Isolation::None, vec![Box::new(SelfEval::new())])
}

/// A workshop with these commands, all of them allowed.
fn configured(commands: &[(ProjectCheck, &str)]) -> Workshop {
    let mut workshop = workshop(&json!({ "allow": [{ "tool": "bash", "unrestricted": true }] }));
    workshop.ctx.checks = commands.iter().map(|(check, command)| (*check, (*command).to_owned())).collect();
    workshop
}

fn report(result: &ToolResult) -> Value {
    serde_json::from_str(&result.content).unwrap_or_else(|_| panic!("{}", result.content))
}

#[test]
fn definition() {
    let tool = SelfEval::new();
    assert_eq!((tool.name(), tool.category()), ("self_eval", ToolCategory::Composite));
    assert!(tool.starts_programs());
    let expected = json!({
        "name": "self_eval",
        "description": "Run project quality checks (build, lint, type-check) and return structured metrics. Use this to verify code quality after making changes.",
        "input_schema": {
            "type": "object",
            "properties": {
                "checks": {
                    "type": "array",
                    "minItems": 1,
                    "items": { "type": "string", "enum": ["build", "lint", "type_check", "test"] },
                    "description": "Which checks to run (default: build, lint, type_check)"
                }
            }
        }
    });
    assert_eq!(serde_json::to_value(tool.definition()).unwrap(), expected);
    assert_eq!((LEAST_TIMEOUT, STREAM_LIMIT), (Duration::from_secs(120), 5_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn result_fields() {
    let workshop = configured(&[
        (ProjectCheck::Build, "echo out; echo err >&2"),
        (ProjectCheck::Lint, "exit 3"),
        (ProjectCheck::TypeCheck, "kill -9 $$"),
        (ProjectCheck::Test, "true"),
    ]);
    let told = report(&workshop.run("self_eval", json!({})).await.unwrap());
    assert_eq!((&told["all_passed"], &told["total_checks"]), (&json!(false), &json!(3)), "{told}");
    let checks = told["checks"].as_object().unwrap();
    let names: Vec<&str> = checks.keys().map(String::as_str).collect();
    assert_eq!(names, ["build", "lint", "type_check"], "tests run only if they are named");
    for (name, passed, code, stdout, stderr) in [
        ("build", true, json!(0), "out\n", "err\n"),
        ("lint", false, json!(3), "", ""),
        ("type_check", false, json!(null), "", ""),
    ] {
        let check = &checks[name];
        assert_eq!((&check["passed"], &check["exit_code"]), (&json!(passed), &code), "{check}");
        assert_eq!((&check["stdout"], &check["stderr"]), (&json!(stdout), &json!(stderr)), "{check}");
        assert!(check["duration_ms"].is_u64() && check.get("error").is_none(), "{check}");
    }
    let told = report(&workshop.run("self_eval", json!({ "checks": ["test", "test"] })).await.unwrap());
    assert_eq!((&told["all_passed"], &told["total_checks"]), (&json!(true), &json!(1)), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_stream_keeps_head_and_tail() {
    let workshop =
        configured(&[(ProjectCheck::Build, "echo begin; head -c 100000 /dev/zero | tr '\\0' x; echo end")]);
    let told = report(&workshop.run("self_eval", json!({ "checks": ["build"] })).await.unwrap());
    let text = told["checks"]["build"]["stdout"].as_str().unwrap();
    assert!(
        text.starts_with("begin\n") && text.ends_with("end\n") && text.len() < STREAM_LIMIT + 100,
        "{}",
        text.len()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn time_limit_is_reported() {
    let mut workshop = configured(&[(ProjectCheck::Build, "sleep 1000"), (ProjectCheck::Lint, "sleep 1000")]);
    // The context's own limit is shorter, which does not count; the deadline of the caller does.
    workshop.ctx.shell_timeout = Duration::from_millis(1);
    workshop.ctx.deadline = Some(Instant::now() + Duration::from_millis(300));
    let told = report(&workshop.run("self_eval", json!({ "checks": ["build", "lint"] })).await.unwrap());
    for name in ["build", "lint"] {
        assert_eq!(told["checks"][name]["error"], json!("Timeout"), "{told}");
        assert_eq!(told["checks"][name]["passed"], json!(false), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn check_without_a_command_does_not_pass() {
    let workshop = configured(&[(ProjectCheck::Build, "true")]);
    let told = report(&workshop.run("self_eval", json!({})).await.unwrap());
    assert_eq!(
        (&told["all_passed"], &told["checks"]["build"]["passed"]),
        (&json!(false), &json!(true)),
        "{told}"
    );
    let lint = &told["checks"]["lint"];
    let why = lint["error"].as_str().unwrap();
    assert!(why.starts_with("No command found for 'lint': the project has no Makefile"), "{why}");
    assert!(why.contains("`checks.lint`") && lint["passed"] == json!(false), "{lint}");
    let refused = workshop.run("self_eval", json!({ "checks": ["lint"] })).await.unwrap_err();
    assert!(
        matches!(&refused, ToolError::Incomplete(why) if why.starts_with("No command found")),
        "{refused:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn model_names_checks_and_no_commands() {
    let workshop = configured(&[(ProjectCheck::Build, "true")]);
    for (input, message) in [
        (json!({ "commands": [{ "check": "build", "command": "id" }] }), "Unknown 'commands' parameter"),
        (json!({ "checks": ["build"], "commands": [] }), "Unknown 'commands' parameter"),
        (json!({ "checks": ["deploy"] }), "Invalid 'checks.0' parameter"),
        (json!({ "checks": [] }), "Invalid 'checks' parameter"),
    ] {
        let refused = workshop.run("self_eval", input.clone()).await.unwrap_err();
        assert!(refused.to_string().starts_with(message), "{input}: {refused}");
    }
    assert!(workshop.ledger.calls().is_empty(), "nobody was asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn question_shows_the_commands_of_the_project() {
    let workshop = workshop(&json!({}));
    std::fs::write(workshop.root().join("Makefile"), "build:\n\techo built\nlint:\n\techo linted\n").unwrap();
    let (asked, result) = workshop.run_asked("self_eval", json!({}), Answer::approve()).await;
    let commands = json!([
        { "check": "build", "command": "make build" },
        { "check": "lint", "command": "make lint" },
    ]);
    assert_eq!(asked.asked.call.input["commands"], commands);
    assert!(asked.asked.shown.message.contains("make lint"), "{}", asked.asked.shown.message);
    let told = report(&result.unwrap());
    assert_eq!(told["checks"]["type_check"]["passed"], json!(false), "{told}");
    assert_eq!(told["checks"]["build"]["command"], json!("make build"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_command_is_judged_like_bash() {
    let rules = json!({ "allow": [{ "tool": "bash", "command": "true" }], "deny": [{ "tool": "bash", "command": "false" }] });
    let mut workshop = workshop(&rules);
    workshop.ctx.checks =
        [(ProjectCheck::Build, "true".to_owned()), (ProjectCheck::Lint, "false".to_owned())].into();
    let told = report(&workshop.run("self_eval", json!({ "checks": ["build"] })).await.unwrap());
    assert_eq!(told["all_passed"], json!(true), "an allowed command asks nobody");
    let refused = workshop.run("self_eval", json!({ "checks": ["build", "lint"] })).await.unwrap_err();
    assert!(matches!(refused, ToolError::Refused(_)), "one denied command denies the call: {refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_is_what_a_human_permitted() {
    let mut workshop = workshop(&json!({}));
    workshop.ctx.checks = [(ProjectCheck::Build, "echo configured > doc/out".to_owned())].into();
    let edited = |command: &str| json!({ "checks": ["build"], "commands": [{ "check": "build", "command": command }] });
    let answer = Answer::approve().with_input(edited("echo edited > doc/out"));
    let (_, result) = workshop.run_asked("self_eval", json!({ "checks": ["build"] }), answer).await;
    assert_eq!(report(&result.unwrap())["checks"]["build"]["command"], json!("echo edited > doc/out"));
    assert_eq!(std::fs::read_to_string(workshop.root().join("doc/out")).unwrap(), "edited\n");
    for input in [
        edited("git push"),
        edited(""),
        json!({ "checks": ["build"], "commands": [{ "check": "lint", "command": "true" }] }),
        json!({ "checks": ["build"], "commands": [
            { "check": "build", "command": "true" }, { "check": "build", "command": "true" }] }),
    ] {
        let answer = Answer::approve().with_input(input.clone());
        let (_, refused) = workshop.run_asked("self_eval", json!({ "checks": ["build"] }), answer).await;
        assert!(matches!(refused, Err(ToolError::EditForbidden(_))), "{input}: {refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_of_commands_count() {
    let mut workshop = configured(&[(ProjectCheck::Build, "git push"), (ProjectCheck::Lint, "ls")]);
    let refused = workshop.run("self_eval", json!({ "checks": ["build"] })).await.unwrap_err();
    assert!(matches!(&refused, ToolError::Forbidden(why) if why.contains("pushing")), "{refused:?}");
    workshop.ctx.allowed_commands = Some(vec!["cat".into()]);
    let refused = workshop.run("self_eval", json!({ "checks": ["lint"] })).await.unwrap_err();
    assert!(matches!(&refused, ToolError::Forbidden(why) if why.contains("'ls'")), "{refused:?}");
    assert!(workshop.ledger.calls().is_empty(), "nobody was asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_run_in_the_sandbox() {
    let workshop = configured(&[(ProjectCheck::Build, "touch src/x"), (ProjectCheck::Lint, "touch doc/x")]);
    let result = workshop.run("self_eval", json!({ "checks": ["build", "lint"] })).await.unwrap();
    assert!(result.sandbox.is_some());
    let told = report(&result);
    assert_eq!(told["checks"]["build"]["passed"], json!(false), "{told}");
    assert_eq!(told["checks"]["lint"]["passed"], json!(true), "{told}");
    assert!(!workshop.root().join("src/x").exists() && workshop.root().join("doc/x").exists());
}
