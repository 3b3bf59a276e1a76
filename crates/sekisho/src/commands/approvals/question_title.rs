//! Who wants to do what: `claude-code wants to call delete_customer on crm`.

use sekisho_gate::display::TitleCode;
use sekisho_policy::tools::{ToolKind, by_name};
use sekisho_policy::{Call, IdClaim};
use sekisho_server::wire::approval::ApprovalView;
use serde_json::Value;

use crate::input_fields::input_fields;
use crate::terminal::{ensure_visible, visible};

/// The title of a question.
pub(super) fn question_title(question: &ApprovalView) -> String {
    // Stored by a version without codes.
    let Some(code) = question.shown.title_code else {
        return ensure_visible(&question.shown.title).into_owned();
    };
    let agent = question.agent_chain.last().or(question.agent_id.as_ref()).filter(|agent| !agent.is_empty());
    let agent = agent.map_or("An agent".into(), |agent| visible(agent));
    let does = match code {
        TitleCode::RunCommand => "run a command",
        TitleCode::ReadFile => "read a file",
        TitleCode::SearchFiles => "search files",
        TitleCode::WriteFile => "write a file",
        TitleCode::DeleteFile => "delete a file",
        TitleCode::EditFile => "edit a file",
        TitleCode::ChangeFiles => "change files",
        TitleCode::FetchWeb => "fetch from the web",
        TitleCode::SearchWeb => "search the web",
        TitleCode::LoadSkill => "load a skill",
        TitleCode::RunTool => {
            let tool = visible(&question.tool_name);
            return match &question.server_id {
                Some(server) => format!("{agent} wants to call {tool} on {}", visible(server)),
                None => format!("{agent} wants to call {tool}"),
            };
        }
    };
    format!("{agent} wants to {does}")
}

/// What a call does on one line, without its tool: the command, the path, the address, or the fields of its input.
pub(super) fn call_summary(tool: &str, message: &str, input: &Value) -> String {
    let message = message.replace(['\n', '\t'], " ");
    let main = message.strip_prefix(&format!("{tool}: ")).unwrap_or(&message);
    // The path alone does not say what a search looks for.
    let searches = by_name(tool).is_some_and(|tool| tool.kind == ToolKind::Search);
    let is_json = main.starts_with('{') || main.starts_with('[');
    let fields = (searches || is_json).then(|| input_fields(input)).flatten();
    fields.unwrap_or_else(|| ensure_visible(main).into_owned())
}

/// The tool with its server, then what its call does.
pub(in crate::commands) fn call_line(tool: &str, server: Option<&str>, input: Value) -> String {
    let mut call = Call::new(tool, input);
    call.server = server.map(|server| IdClaim::claimed(server.to_owned()));
    let message = sekisho_gate::display::message(&call);
    named_line(&tool_name(tool, server), &message, &call.input)
}

/// The same for a message that is known.
pub(super) fn named_line(tool: &str, message: &str, input: &Value) -> String {
    match message == tool {
        true => tool.to_owned(),
        false => format!("{tool}: {}", call_summary(tool, message, input)),
    }
}

/// A tool with its server, as messages name it.
pub(super) fn tool_name(tool: &str, server: Option<&str>) -> String {
    match server {
        Some(server) => visible(&format!("{server}/{tool}")).into_owned(),
        None => visible(tool).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use sekisho_testkit::fixtures;
    use serde_json::json;

    use super::*;

    fn question(tool: &str, server: Option<&str>, input: Value) -> ApprovalView {
        let mut call = Call::new(tool, input);
        call.server = server.map(|server| IdClaim::claimed(server.to_owned()));
        let approval = fixtures::pending_approval(
            fixtures::call("call-1"),
            fixtures::caller(),
            fixtures::seconds_after_start(0),
            Some(120),
        );
        let mut view: ApprovalView = (&approval).into();
        let verdict = view.verdict.clone();
        view.shown =
            sekisho_gate::display::show(&call, &verdict, &|_| sekisho_gate::host_ports::CurrentFile::Absent);
        view.tool_name = tool.into();
        view.server_id = server.map(str::to_owned);
        view.agent_chain = Vec::new();
        view.agent_id = Some("claude-code".into());
        view
    }

    #[test]
    fn title_says_who_wants_to_do_what() {
        let title = |tool, server, input| question_title(&question(tool, server, input));
        assert_eq!(
            title("delete_customer", Some("crm"), json!({ "customer_id": "C-10482" })),
            "claude-code wants to call delete_customer on crm"
        );
        assert_eq!(title("Bash", None, json!({ "command": "make" })), "claude-code wants to run a command");
        assert_eq!(title("frob", None, json!({})), "claude-code wants to call frob");
        let mut nameless = question("Read", None, json!({ "file_path": "a" }));
        nameless.agent_id = None;
        assert_eq!(question_title(&nameless), "An agent wants to read a file");
        nameless.shown.title_code = None;
        assert_eq!(question_title(&nameless), "Read file?");
    }

    #[test]
    fn calls_show_fields_instead_of_json() {
        for (tool, server, input, expected) in [
            ("delete_customer", Some("crm"), json!({ "id": "C-1", "erase": true }), "crm/delete_customer: "),
            ("grep", None, json!({ "pattern": "main" }), "grep: pattern main"),
            ("Bash", None, json!({ "command": "git  push" }), "Bash: git push"),
            ("Read", None, json!({ "file_path": "/w/a" }), "Read: /w/a"),
            ("frob", None, json!({}), "frob"),
        ] {
            let line = call_line(tool, server, input);
            assert!(line.starts_with(expected) && !line.contains('{'), "{line}");
        }
    }
}
