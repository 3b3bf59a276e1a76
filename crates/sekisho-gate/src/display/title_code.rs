//! What a question asks permission for: a code, and the title that people read.

use std::borrow::Cow;

use schemars::JsonSchema;
use sekisho_policy::tools::ToolKind;
use sekisho_policy::{Call, CallTool, say};
use serde::{Deserialize, Serialize};

/// What a question asks permission for. Tools of MCP servers are always `run_tool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TitleCode {
    /// To run a command.
    RunCommand,
    /// To read a file.
    ReadFile,
    /// To search files.
    SearchFiles,
    /// To write a file.
    WriteFile,
    /// To delete a file.
    DeleteFile,
    /// To edit a file.
    EditFile,
    /// To write, edit or delete files: the tool's descriptor does not say which.
    ChangeFiles,
    /// To fetch an address.
    FetchWeb,
    /// To search the web.
    SearchWeb,
    /// To load a skill.
    LoadSkill,
    /// To run a tool about which nothing else is known.
    RunTool,
}

impl TitleCode {
    /// What the question about a call asks permission for.
    pub(super) fn of(call: &Call) -> TitleCode {
        let tool = CallTool::of(call).filter(|_| call.server.is_none());
        let described = tool.is_some_and(|tool| tool.in_table().is_none());
        match tool.map(|tool| (tool.kind(), tool.name())) {
            Some((ToolKind::Write, _)) if described => TitleCode::ChangeFiles,
            Some((ToolKind::Shell, _)) => TitleCode::RunCommand,
            Some((ToolKind::Read, _)) => TitleCode::ReadFile,
            Some((ToolKind::Search, _)) => TitleCode::SearchFiles,
            Some((ToolKind::Write, "write")) => TitleCode::WriteFile,
            Some((ToolKind::Write, "delete")) => TitleCode::DeleteFile,
            Some((ToolKind::Write, _)) => TitleCode::EditFile,
            Some((ToolKind::Web, _)) => TitleCode::FetchWeb,
            Some((ToolKind::WebSearch, _)) => TitleCode::SearchWeb,
            Some((ToolKind::Skill, _)) => TitleCode::LoadSkill,
            Some((ToolKind::Notes | ToolKind::Other, _)) | None => TitleCode::RunTool,
        }
    }

    /// The title.
    pub fn sentence(self) -> Cow<'static, str> {
        say(match self {
            TitleCode::RunCommand => "Run command?",
            TitleCode::ReadFile => "Read file?",
            TitleCode::SearchFiles => "Search files?",
            TitleCode::WriteFile => "Write file?",
            TitleCode::DeleteFile => "Delete file?",
            TitleCode::EditFile => "Edit file?",
            TitleCode::ChangeFiles => "Change files?",
            TitleCode::FetchWeb => "Fetch from the web?",
            TitleCode::SearchWeb => "Search the web?",
            TitleCode::LoadSkill => "Load skill?",
            TitleCode::RunTool => "Run tool?",
        })
    }
}
