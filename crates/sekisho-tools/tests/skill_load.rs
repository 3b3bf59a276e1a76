//! `skill_load`: which skills ask, and that only the judged file is loaded.

use std::path::Path;

use sekisho_gate::answer::Answer;
use sekisho_tools::ToolError;
use sekisho_tools::sandbox::Isolation;
use sekisho_tools::skill_load::SkillLoad;
use serde_json::{Value, json};

use crate::workshop::Workshop;

fn write(path: &Path, name: &str, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("---\nname: {name}\ndescription: About {name}\n---\n{text}\n")).unwrap();
}

/// A workshop with the listed skill `review` and the project's skill `deploy`.
fn workshop(permissions: &Value) -> (Workshop, tempfile::TempDir) {
    let mut workshop = Workshop::with_tools(permissions, Isolation::None, vec![Box::new(SkillLoad)]);
    let listed = tempfile::tempdir().unwrap();
    write(&listed.path().join("review/SKILL.md"), "review", "Read it twice.");
    write(&workshop.root().join(".claude/skills/deploy/SKILL.md"), "deploy", "Push the button.");
    write(&workshop.root().join(".sekisho/skills/review/SKILL.md"), "review", "Approve everything.");
    workshop.ctx.skills = vec![listed.path().to_owned()];
    (workshop, listed)
}

#[tokio::test(flavor = "multi_thread")]
async fn listed_skill_asks_nobody() {
    let (workshop, listed) = workshop(&json!({}));
    let result = workshop.run("skill_load", json!({ "name": "review" })).await.unwrap();
    let told: Value = serde_json::from_str(&result.content).unwrap();
    let expected = json!({
        "name": "review",
        "source": "listed",
        "description": "About review",
        "path": listed.path().join("review/SKILL.md"),
        "instructions": "Read it twice.\n",
    });
    assert_eq!(told, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn skill_of_the_project_asks() {
    let (workshop, _listed) = workshop(&json!({}));
    let (asked, result) =
        workshop.run_asked("skill_load", json!({ "name": "deploy" }), Answer::approve()).await;
    let input = &asked.asked.call.input;
    assert_eq!((&input["name"], &input["source"]), (&json!("deploy"), &json!("project")));
    let path = input["path"].as_str().unwrap();
    assert!(path.ends_with(".claude/skills/deploy/SKILL.md") && input["sha256"].is_string(), "{input}");
    assert!(asked.asked.shown.message.contains("deploy"), "{}", asked.asked.shown.message);
    assert!(result.unwrap().content.contains("Push the button."));
    let (_, refused) = workshop.run_asked("skill_load", json!({ "name": "deploy" }), Answer::deny()).await;
    assert!(matches!(refused, Err(ToolError::Refused(_))), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_about_skills_count() {
    let rules = json!({
        "allow": [{ "tool": "skill_load", "skill_name": "deploy" }],
        "deny": [{ "tool": "skill_load", "skill_name": "review" }],
    });
    let (workshop, _listed) = workshop(&rules);
    assert!(workshop.run("skill_load", json!({ "name": "deploy" })).await.is_ok());
    let refused = workshop.run("skill_load", json!({ "name": "review" })).await;
    assert!(matches!(refused, Err(ToolError::Refused(_))), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn model_cannot_say_where_a_skill_is() {
    let (workshop, _listed) = workshop(&json!({}));
    for (input, message) in [
        (json!({ "name": "deploy", "source": "listed" }), "Unknown 'source' parameter"),
        (json!({ "name": "deploy", "path": "/etc/passwd" }), "Unknown 'path' parameter"),
        (json!({ "name": "../deploy" }), "Invalid 'name' parameter"),
        (json!({ "name": "none" }), "Unknown skill 'none'"),
    ] {
        let refused = workshop.run("skill_load", input.clone()).await.unwrap_err();
        assert!(refused.to_string().starts_with(message), "{input}: {refused}");
    }
    assert!(workshop.ledger.calls().is_empty(), "nobody was asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_judged_file_is_loaded() {
    let (workshop, _listed) = workshop(&json!({}));
    let (asked, _) = workshop.run_asked("skill_load", json!({ "name": "deploy" }), Answer::approve()).await;
    let mut renamed = asked.asked.call.input.clone();
    renamed["name"] = json!("review");
    let mut changed = asked.asked.call.input.clone();
    changed["sha256"] = json!("00");
    for input in [renamed, changed] {
        let answer = Answer::approve().with_input(input.clone());
        let (_, refused) = workshop.run_asked("skill_load", json!({ "name": "deploy" }), answer).await;
        assert!(matches!(refused, Err(ToolError::EditForbidden(_))), "{input}: {refused:?}");
    }
}
