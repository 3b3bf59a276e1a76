//! Tool names of known agents, and which input fields contain the command, path or URL.
//!
//! A data table with one entry per canonical tool. A name that is not in it stands for itself.

use std::sync::LazyLock;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// What a tool does, as far as judging a call depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToolKind {
    /// Runs bash text.
    Shell,
    /// Reads files.
    Read,
    /// Searches files or directories.
    Search,
    /// Writes files.
    Write,
    /// Fetches a URL.
    Web,
    /// Queries a search engine; the host is the engine's, not the caller's choice.
    WebSearch,
    /// Loads a skill by name.
    Skill,
    /// Touches nothing outside the conversation.
    Notes,
    /// Anything else.
    Other,
}

impl ToolKind {
    /// Whether `path` rules can apply.
    pub fn is_file(self) -> bool {
        matches!(self, ToolKind::Read | ToolKind::Search | ToolKind::Write)
    }
}

/// An input field that contains what a tool acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetField {
    /// A field with one value, or a list of values.
    Field(&'static str),
    /// A field with a glob; the part before the first wildcard is a path.
    Glob(&'static str),
    /// A field with globs that select the files whose contents are displayed.
    Filter(&'static str),
    /// A field with a patch text, whose headers name the files.
    Patch(&'static str),
    /// A field with prose that may contain URLs.
    Prose(&'static str),
}

impl TargetField {
    /// The name of the field.
    pub fn field(&self) -> &'static str {
        let (TargetField::Field(name)
        | TargetField::Glob(name)
        | TargetField::Filter(name)
        | TargetField::Patch(name)
        | TargetField::Prose(name)) = self;
        name
    }
}

/// One canonical tool.
#[derive(Debug, PartialEq, Eq)]
pub struct Tool {
    /// The name used in rules.
    pub name: &'static str,
    /// What it does.
    pub kind: ToolKind,
    /// The fields with its command, path, URL or skill name; `sekisho check TOOL TEXT` fills the first.
    pub target_fields: &'static [TargetField],
    /// Other names for it: (name, agent).
    pub aliases: &'static [(&'static str, &'static str)],
}

use TargetField::{Field, Filter, Glob, Patch, Prose};

const PATHS: &[TargetField] = &[
    Field("path"),
    Field("file_path"),
    Field("filePath"),
    Field("absolute_path"),
    Field("target_file"),
    Field("notebook_path"),
    Field("paths"),
];

const SEARCH_PATHS: &[TargetField] = &[
    Field("path"),
    Field("dir_path"),
    Field("directory"),
    Field("target_directory"),
    Field("target_directories"),
];

/// The table. Sorted by subject; the order has no meaning.
pub static TOOLS: &[Tool] = &[
    Tool {
        name: "bash",
        kind: ToolKind::Shell,
        target_fields: &[Field("command"), Field("cmd")],
        aliases: &[
            ("Bash", "Claude Code"),
            ("shell", "Codex"),
            ("local_shell", "Codex"),
            ("exec_command", "Codex"),
            ("shell_command", "Codex"),
            ("run_shell_command", "Gemini CLI"),
            ("run_terminal_cmd", "Cursor"),
            ("Shell", "Cursor"),
            ("shell_exec", "sekisho"),
        ],
    },
    Tool {
        name: "read",
        kind: ToolKind::Read,
        target_fields: &[
            Field("path"),
            Field("file_path"),
            Field("filePath"),
            Field("absolute_path"),
            Field("target_file"),
            Field("notebook_path"),
            Field("paths"),
            Glob("include"),
        ],
        aliases: &[
            ("Read", "Claude Code"),
            ("NotebookRead", "Claude Code"),
            ("read_file", "Gemini CLI, Cursor, Codex"),
            ("read_many_files", "Gemini CLI"),
            ("view_image", "Codex"),
        ],
    },
    Tool {
        name: "write",
        kind: ToolKind::Write,
        target_fields: PATHS,
        aliases: &[("Write", "Claude Code, Cursor"), ("write_file", "Gemini CLI"), ("file_write", "sekisho")],
    },
    Tool {
        name: "edit",
        kind: ToolKind::Write,
        target_fields: &[
            Field("path"),
            Field("file_path"),
            Field("filePath"),
            Field("target_file"),
            Field("target_notebook"),
            Field("notebook_path"),
            Patch("input"),
            Patch("patch"),
            Patch("patchText"),
            Patch("command"),
        ],
        aliases: &[
            ("Edit", "Claude Code"),
            ("MultiEdit", "Claude Code"),
            ("NotebookEdit", "Claude Code"),
            ("replace", "Gemini CLI"),
            ("multiedit", "opencode"),
            ("patch", "opencode"),
            ("apply_patch", "Codex, opencode"),
            ("edit_file", "Cursor"),
            ("edit_notebook", "Cursor"),
            ("search_replace", "Cursor"),
            ("StrReplace", "Cursor"),
        ],
    },
    Tool {
        name: "delete",
        kind: ToolKind::Write,
        target_fields: PATHS,
        aliases: &[("delete_file", "Cursor"), ("Delete", "Cursor")],
    },
    Tool {
        name: "grep",
        kind: ToolKind::Search,
        target_fields: &[
            Field("path"),
            Field("dir_path"),
            Field("directory"),
            Field("target_directory"),
            Field("target_directories"),
            Filter("glob"),
            Filter("include"),
            Filter("include_pattern"),
        ],
        aliases: &[
            ("Grep", "Claude Code, Cursor"),
            ("search_file_content", "Gemini CLI"),
            ("grep_search", "Gemini CLI, Cursor"),
            ("grep_files", "Codex"),
        ],
    },
    Tool {
        name: "glob",
        kind: ToolKind::Search,
        target_fields: &[
            Glob("pattern"),
            Glob("glob_pattern"),
            Field("path"),
            Field("dir_path"),
            Field("target_directory"),
        ],
        aliases: &[
            ("Glob", "Claude Code, Cursor"),
            ("glob_search", "sekisho"),
            ("glob_file_search", "Cursor"),
        ],
    },
    Tool {
        name: "list",
        kind: ToolKind::Search,
        target_fields: SEARCH_PATHS,
        aliases: &[
            ("LS", "Claude Code, Cursor"),
            ("list_directory", "Gemini CLI"),
            ("list_dir", "Codex, Cursor"),
            ("ls", "Gemini CLI"),
        ],
    },
    Tool {
        name: "web_fetch",
        kind: ToolKind::Web,
        target_fields: &[Field("url"), Field("urls"), Prose("prompt")],
        aliases: &[("WebFetch", "Claude Code"), ("webfetch", "opencode")],
    },
    Tool {
        name: "web_search",
        kind: ToolKind::WebSearch,
        target_fields: &[Field("query"), Field("search_term")],
        aliases: &[
            ("WebSearch", "Claude Code"),
            ("google_web_search", "Gemini CLI"),
            ("websearch", "opencode"),
        ],
    },
    Tool {
        name: "skill_load",
        kind: ToolKind::Skill,
        target_fields: &[Field("name"), Field("skill_name"), Field("skill"), Field("command")],
        aliases: &[("Skill", "Claude Code"), ("skill", "opencode"), ("activate_skill", "Gemini CLI")],
    },
    Tool {
        name: "todo_read",
        kind: ToolKind::Notes,
        target_fields: &[],
        aliases: &[("TodoRead", "Claude Code"), ("todoread", "opencode")],
    },
    Tool {
        name: "todo_write",
        kind: ToolKind::Notes,
        target_fields: &[],
        aliases: &[
            ("TodoWrite", "Claude Code"),
            ("todowrite", "opencode"),
            ("write_todos", "Gemini CLI"),
            ("update_plan", "Codex"),
        ],
    },
    // The agent's own to-do list, used only by the agent and its user.
    Tool {
        name: "task_list",
        kind: ToolKind::Notes,
        target_fields: &[],
        aliases: &[
            ("TaskCreate", "Claude Code"),
            ("TaskGet", "Claude Code"),
            ("TaskList", "Claude Code"),
            ("TaskUpdate", "Claude Code"),
            ("tracker_add_dependency", "Gemini CLI"),
            ("tracker_create_task", "Gemini CLI"),
            ("tracker_get_task", "Gemini CLI"),
            ("tracker_list_tasks", "Gemini CLI"),
            ("tracker_update_task", "Gemini CLI"),
            ("tracker_visualize", "Gemini CLI"),
        ],
    },
    // Shows the output of an allowed command or sub-agent. Does not start, write to or end anything.
    Tool {
        name: "task_output",
        kind: ToolKind::Notes,
        target_fields: &[],
        aliases: &[("TaskOutput", "Claude Code"), ("BashOutput", "Claude Code")],
    },
    // Asks the agent's user a question.
    Tool {
        name: "ask_user",
        kind: ToolKind::Notes,
        target_fields: &[],
        aliases: &[
            ("AskUserQuestion", "Claude Code"),
            ("question", "opencode"),
            ("request_user_input", "Codex"),
        ],
    },
    // Begins or ends planning. The agent asks its user itself, and calls are judged the same in every mode.
    Tool {
        name: "plan_mode",
        kind: ToolKind::Notes,
        target_fields: &[],
        aliases: &[
            ("EnterPlanMode", "Claude Code"),
            ("ExitPlanMode", "Claude Code"),
            ("enter_plan_mode", "Gemini CLI"),
            ("exit_plan_mode", "Gemini CLI"),
            ("plan_enter", "opencode"),
            ("plan_exit", "opencode"),
        ],
    },
    // Loads descriptions of connected tools into the conversation; calling one of them is a separate call.
    Tool {
        name: "tool_search",
        kind: ToolKind::Notes,
        target_fields: &[],
        aliases: &[("ToolSearch", "Claude Code")],
    },
    // Returns the run's result to the caller that started it.
    Tool {
        name: "structured_output",
        kind: ToolKind::Notes,
        target_fields: &[],
        aliases: &[("StructuredOutput", "Claude Code, opencode")],
    },
    // Sets the heading of the display (Gemini CLI).
    Tool { name: "update_topic", kind: ToolKind::Notes, target_fields: &[], aliases: &[] },
    // Starts a sub-agent. Each of its calls is judged separately. The names are common words that others use
    // for other tools, so they count only for agents known to use them like this.
    Tool {
        name: "sub_agent",
        kind: ToolKind::Other,
        target_fields: &[],
        aliases: &[("Agent", "Claude Code"), ("Task", "Claude Code"), ("task", "opencode")],
    },
    // Tools of our own runs for sub-agents.
    Tool { name: "create_sub_agent", kind: ToolKind::Other, target_fields: &[], aliases: &[] },
    Tool { name: "execute_sub_agent", kind: ToolKind::Other, target_fields: &[], aliases: &[] },
    Tool { name: "get_sub_agent_result", kind: ToolKind::Other, target_fields: &[], aliases: &[] },
    Tool { name: "tool_output_cache", kind: ToolKind::Notes, target_fields: &[], aliases: &[] },
    Tool { name: "tool_output_cache_grep", kind: ToolKind::Notes, target_fields: &[], aliases: &[] },
    Tool { name: "done", kind: ToolKind::Notes, target_fields: &[], aliases: &[] },
    Tool { name: "git_ops", kind: ToolKind::Other, target_fields: &[], aliases: &[] },
    Tool { name: "self_eval", kind: ToolKind::Other, target_fields: &[], aliases: &[] },
];

/// Every name in the table, with the index of its tool.
static NAMES: LazyLock<HashMap<&'static str, usize, FixedState>> = LazyLock::new(|| {
    let names = TOOLS.iter().enumerate().flat_map(|(index, tool)| {
        std::iter::once(tool.name)
            .chain(tool.aliases.iter().map(|(name, _)| *name))
            .map(move |name| (name, index))
    });
    // Allocate once: a process that judges one call builds this table for it.
    let mut table = HashMap::with_capacity_and_hasher(128, FixedState::default());
    table.extend(names);
    table
});

/// Whether a name is that of a tool for sub-agents of our own runs.
pub fn is_sub_agent_tool(name: &str) -> bool {
    matches!(name, "create_sub_agent" | "execute_sub_agent" | "get_sub_agent_result")
}

/// The index of a known tool in [`TOOLS`], by any of its names.
pub(crate) fn index_of(name: &str) -> Option<usize> {
    NAMES.get(name).copied()
}

/// The canonical tool for a name of a known agent's tool.
pub fn by_name(name: &str) -> Option<&'static Tool> {
    index_of(name).and_then(|index| TOOLS.get(index))
}

/// The tool with this canonical name.
pub fn canonical(name: &str) -> Option<&'static Tool> {
    by_name(name).filter(|tool| tool.name == name)
}

/// Every name in the table with its tool.
pub fn all_names() -> impl Iterator<Item = (&'static str, &'static Tool)> {
    TOOLS.iter().flat_map(|tool| {
        std::iter::once((tool.name, tool)).chain(tool.aliases.iter().map(move |(name, _)| (*name, tool)))
    })
}

/// A name as agents write it inside a tool name: every UTF-16 unit that is not a letter, digit, `_` or `-`
/// becomes `_`.
pub fn sanitised_name(name: &str) -> String {
    let mut spelled = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || c == '_' || c == '-' {
            spelled.push(c);
        } else {
            (0..c.len_utf16()).for_each(|_| spelled.push('_'));
        }
    }
    spelled
}

#[cfg(test)]
mod tests {
    use super::{TOOLS, all_names, by_name, canonical};
    use std::collections::HashSet;

    #[test]
    fn every_name_belongs_to_one_tool() {
        let mut seen = HashSet::new();
        for (name, _) in all_names() {
            assert!(seen.insert(name), "`{name}` is in the table twice");
        }
    }

    #[test]
    fn agent_names_map_to_canonical_tools() {
        for (theirs, ours) in [
            ("Bash", "bash"),
            ("run_shell_command", "bash"),
            ("shell_exec", "bash"),
            ("read_file", "read"),
            ("apply_patch", "edit"),
            ("glob_search", "glob"),
            ("WebFetch", "web_fetch"),
            ("Skill", "skill_load"),
            ("TaskUpdate", "task_list"),
            ("question", "ask_user"),
            ("Agent", "sub_agent"),
        ] {
            assert_eq!(by_name(theirs).map(|tool| tool.name), Some(ours), "{theirs}");
        }
        assert_eq!(by_name("frobnicate"), None);
        assert!(canonical("Bash").is_none());
        assert!(canonical("bash").is_some());
        assert!(TOOLS.len() < usize::from(u8::MAX));
    }
}
