# Made from spec/openapi.json by `python scripts/generate.py`. Do not edit.
"""What is sent and received, named as in the OpenAPI document. Fields have the names of the wire."""

from __future__ import annotations

import sys
from typing import Any, Literal, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired, TypeAlias
else:
    from typing_extensions import NotRequired, TypeAlias

__all__ = [
    "AbortBody",
    "Accepted",
    "AddressNote",
    "AddressNoteBlank",
    "AddressNoteHostWrittenOtherwise",
    "AddressNoteImpossibleHost",
    "AddressNoteIpWrittenOtherwise",
    "AddressNoteLettersBeyondAscii",
    "AddressNoteNotWeb",
    "AddressNotePort",
    "AddressNoteUnreadable",
    "AddressNoteUserBeforeHost",
    "AgentBody",
    "AgentBodyInput",
    "AgentList",
    "AgentTool",
    "AgentUsageView",
    "AgentView",
    "AlsoAllowed",
    "AlsoAllowedCommandAlone",
    "AlsoAllowedCommandsBeginning",
    "AlsoAllowedCommandsLike",
    "AlsoAllowedFilesBelow",
    "AlsoAllowedHost",
    "AlsoAllowedKnownTool",
    "AlsoAllowedPath",
    "AlsoAllowedServerTool",
    "AlsoAllowedServerToolInput",
    "AlsoAllowedSkill",
    "AlsoAllowedToolInput",
    "AlsoAllowedToolNamed",
    "AnswerBody",
    "AnswerBucket",
    "AnswerTaken",
    "ApprovalId",
    "ApproveOrchestrationBody",
    "ApproveToolCallBody",
    "AskedCommand",
    "AskedTool",
    "AuditCall",
    "AuditCalls",
    "AuditChain",
    "AuditFormat",
    "AuditKind",
    "AuditKinds",
    "AuditProblem",
    "AuditRow",
    "AuditRowInChain",
    "AuditRows",
    "AuditStats",
    "AuditVerified",
    "Behavior",
    "Below",
    "BuiltInTool",
    "BuiltInToolDefinition",
    "CallOutcome",
    "CanUseTool",
    "ChangeCount",
    "ChangedCall",
    "CitedRule",
    "Completed",
    "Considered",
    "Danger",
    "DangerCode",
    "DangerLevel",
    "DangerSpan",
    "Decide",
    "Decided",
    "Decision",
    "DeclineToolCallBody",
    "DelegationItem",
    "DelegationRow",
    "Described",
    "DescribedBy",
    "Descriptor",
    "DescriptorKind",
    "DiffHunk",
    "DiffLine",
    "DiffSign",
    "Digest",
    "DistrustBody",
    "Effect",
    "Ended",
    "ErrorBody",
    "ErrorDetail",
    "Evidence",
    "Example",
    "ExampleCall",
    "ExampleCallInput",
    "ExampleInput",
    "ExecuteBody",
    "ExecutionId",
    "ExecutionUsage",
    "ExecutionView",
    "Fact",
    "FactContents",
    "FactFiles",
    "FactGlobOption",
    "FactRepository",
    "FactResolved",
    "FactTrackedLinks",
    "Facts",
    "FieldBeside",
    "FileChange",
    "FileDiff",
    "FileMark",
    "FileNote",
    "FileNoteAnchorFoundTwice",
    "FileNoteAnchorNotFound",
    "FileNoteChunk",
    "FileNoteComparedAsBlock",
    "FileNoteDirectoryUnclear",
    "FileNoteDirectoryUnknown",
    "FileNoteEdit",
    "FileNoteLastLineBreakAdded",
    "FileNoteLastLineBreakRemoved",
    "FileNoteLinesFoundTwice",
    "FileNoteLinesNotFound",
    "FileNoteLinesNotShown",
    "FileNoteMoveOverwrites",
    "FileNoteMoveUnclear",
    "FileNoteNameUnclear",
    "FileNoteNoSuchFile",
    "FileNoteNothingToReplace",
    "FileNoteOtherMachine",
    "FileNoteReachedByLink",
    "FileNoteSketch",
    "FileNoteTextFoundOtherTimes",
    "FileNoteTextFoundTwice",
    "FileNoteTextNotFound",
    "FileNoteTooLarge",
    "FileNoteTooMuchWork",
    "FileNoteUnshown",
    "FileSearch",
    "FilesFound",
    "FilesFoundMayBeOption",
    "FilesFoundProtected",
    "FilesFoundSplits",
    "FollowUntil",
    "Form",
    "FormCommand",
    "FormDelegation",
    "FormDiff",
    "FormJson",
    "FormUrl",
    "FoundFile",
    "GitFiles",
    "HiddenCharacter",
    "Hiding",
    "Holds",
    "Hour",
    "InterruptBody",
    "LayerKind",
    "LeftOut",
    "LeftOutAddress",
    "LeftOutChange",
    "LeftOutChanges",
    "LeftOutCommand",
    "LeftOutField",
    "LeftOutFields",
    "LeftOutFileNow",
    "LeftOutFilesNow",
    "LeftOutInput",
    "LeftOutMarks",
    "LeftOutPurged",
    "LeftOutSentences",
    "Links",
    "LiveEvent",
    "LiveEventRulesChanged",
    "LiveEventSnapshot",
    "LiveEventToolApprovalRequest",
    "LiveEventToolApprovalResolved",
    "LiveEventToolExecutionCompleted",
    "LiveEventToolExecutionStarted",
    "LiveReply",
    "LiveReplyError",
    "LiveReplyPong",
    "LiveReplyToolApprovalAccepted",
    "MadeLink",
    "MadeToken",
    "MarkedPart",
    "MessageBody",
    "ModelProvider",
    "Need",
    "NeedContents",
    "NeedFiles",
    "NeedGlobOption",
    "NeedGlobOptionGlobOption",
    "NeedRepository",
    "NeedResolve",
    "NeedTrackedLinks",
    "NestedRepositories",
    "NewLinkBody",
    "NewTokenBody",
    "Nothing",
    "Notifications",
    "NotificationsInput",
    "OnTimeout",
    "OrchestrateBody",
    "OrchestrationMode",
    "Outcome",
    "Outcomes",
    "OwnQuestion",
    "Part",
    "PartApprovalRequired",
    "PartAssignment",
    "PartChangesShell",
    "PartConfigBroken",
    "PartEvent",
    "PartExpansion",
    "PartFieldMissing",
    "PartFieldUnreadable",
    "PartKind",
    "PartMayBeOption",
    "PartNoRule",
    "PartNoWorkspace",
    "PartNobodyCanConfirm",
    "PartNotEvaluated",
    "PartObstacle",
    "PartOpaque",
    "PartOutsideWorkspace",
    "PartPathUnknown",
    "PartProgramText",
    "PartProtectedAmong",
    "PartProtectedPath",
    "PartRedirect",
    "PartRepositoryRuns",
    "PartRepositoryUnknown",
    "PartRepositoryUnproven",
    "PartRule",
    "PartRunsUnknown",
    "PartShellUnread",
    "PartTooManyFiles",
    "PartTooMuch",
    "PartTrackedLinks",
    "PartWalksHome",
    "PartWorkLimit",
    "PathAccess",
    "PendingCallView",
    "PendingExecution",
    "Permission",
    "PermissionAllow",
    "PermissionDeny",
    "PipelineBody",
    "PipelineBodyInput",
    "PipelineList",
    "PipelineRunList",
    "PipelineRunView",
    "PipelineStageBody",
    "PipelineStageBodyInput",
    "PipelineStageView",
    "PipelineView",
    "Preset",
    "PresetItem",
    "PresetRule",
    "Project",
    "ProjectList",
    "ProjectState",
    "Proposal",
    "Question",
    "QuestionOutcome",
    "QuestionState",
    "Questions",
    "QuietHours",
    "Reason",
    "ReasonApprovalRequired",
    "ReasonAssignment",
    "ReasonChangesShell",
    "ReasonConfigBroken",
    "ReasonDetail",
    "ReasonExpansion",
    "ReasonFieldMissing",
    "ReasonFieldUnreadable",
    "ReasonMayBeOption",
    "ReasonNoRule",
    "ReasonNoWorkspace",
    "ReasonNobodyCanConfirm",
    "ReasonNotEvaluated",
    "ReasonObstacle",
    "ReasonOpaque",
    "ReasonOutsideWorkspace",
    "ReasonPathUnknown",
    "ReasonProgramText",
    "ReasonProtectedAmong",
    "ReasonProtectedPath",
    "ReasonRedirect",
    "ReasonRepositoryRuns",
    "ReasonRepositoryUnknown",
    "ReasonRepositoryUnproven",
    "ReasonRule",
    "ReasonRunsUnknown",
    "ReasonShellUnread",
    "ReasonTooManyFiles",
    "ReasonTooMuch",
    "ReasonTrackedLinks",
    "ReasonWalksHome",
    "ReasonWorkLimit",
    "RecordKind",
    "RecordLine",
    "RecordLineApproved",
    "RecordLineCalledOff",
    "RecordLineCallerLeft",
    "RecordLineCheckpoint",
    "RecordLineDenied",
    "RecordLineExpired",
    "RecordLineFailed",
    "RecordLineFileRuleChanged",
    "RecordLineFileRuleRemoved",
    "RecordLineFinished",
    "RecordLineInputsForgotten",
    "RecordLineKeyAdded",
    "RecordLineLetThrough",
    "RecordLineLinkMade",
    "RecordLinePolicyFileChanged",
    "RecordLineRemembered",
    "RecordLineRowsRemoved",
    "RecordLineRuleAdded",
    "RecordLineRuleChanged",
    "RecordLineRuleRemoved",
    "RecordLineSignedIn",
    "RecordLineSignedOut",
    "RecordLineSpoolUnread",
    "RecordLineTokenMade",
    "RecordLineTokenRevoked",
    "RecordLineTold",
    "RecordLineTooLarge",
    "RecordLineTrustFailed",
    "RecordLineTrustRevoked",
    "RecordLineTrusted",
    "RecordLineTurnedBack",
    "RefusalCode",
    "RememberBody",
    "RememberRules",
    "RememberedBody",
    "Repository",
    "RepositoryFinding",
    "RepositoryNamesPrograms",
    "RepositoryNamesProgramsNamesPrograms",
    "RepositoryProblem",
    "RepositoryUnproven",
    "RepositoryUnprovenUnproven",
    "Resolved",
    "Role",
    "RuleBody",
    "RuleExamples",
    "RuleExamplesInput",
    "RuleFields",
    "RuleFieldsInput",
    "RuleItem",
    "RuleList",
    "RuleProblem",
    "RuleSession",
    "RuleSource",
    "RuleStanding",
    "RuleTrial",
    "RuleTried",
    "RunBudgets",
    "RunList",
    "RunMessage",
    "RunMessages",
    "RunPipelineBody",
    "RunStatus",
    "RunToolCall",
    "RunToolResult",
    "RunView",
    "Scope",
    "SeenQuestion",
    "SessionBody",
    "SessionKind",
    "Shown",
    "SignIn",
    "Signature",
    "SignedIn",
    "Spread",
    "StageAttemptView",
    "Standing",
    "StartPipelineRunBody",
    "Started",
    "Stats",
    "StatusOk",
    "SubAgentExecution",
    "Suggestion",
    "Suggestions",
    "TitleCode",
    "TokenBody",
    "TokenId",
    "TokenKind",
    "TokensBody",
    "ToolConfigBody",
    "ToolConfigEntry",
    "ToolDescriptor",
    "TrustBody",
    "UsageView",
    "Verdict",
    "Warning",
    "WarningConfigBroken",
    "WarningConfigWritable",
    "WarningDirectoryWritable",
    "WarningNoApprovers",
    "WarningNoTls",
    "WarningNobodyAnswers",
    "WarningOther",
    "WarningProjectBroken",
    "WarningQuestionsOff",
    "WarningRunsAsRoot",
    "WarningSecretReadable",
    "WarningWideRule",
    "WebAddress",
    "Wrong",
]


class AbortBody(TypedDict):
    """Ends a run."""

    reason: NotRequired[str | None]
    """Why."""


class Accepted(TypedDict):
    """An answer that was accepted."""

    again: bool
    """Whether the same answer had been given before."""
    id: ApprovalId
    """The approval."""
    remembered: NotRequired[RememberedBody]
    """What was remembered."""


AddressNote: TypeAlias = Union["AddressNoteUnreadable", "AddressNoteNotWeb", "AddressNoteUserBeforeHost", "AddressNoteBlank", "AddressNoteImpossibleHost", "AddressNoteLettersBeyondAscii", "AddressNoteHostWrittenOtherwise", "AddressNoteIpWrittenOtherwise", "AddressNotePort"]
"""A note on a web address: something that is easy to miss. All text in it is visible text."""


class AddressNoteBlank(TypedDict):
    """It contains a space or a backslash."""

    code: Literal["blank"]


class AddressNoteHostWrittenOtherwise(TypedDict):
    """The host is spelled differently from how it is parsed."""

    code: Literal["host_written_otherwise"]
    host: str
    """The host as parsed."""


class AddressNoteImpossibleHost(TypedDict):
    """No host can have this name."""

    code: Literal["impossible_host"]
    host: str
    """The name."""


class AddressNoteIpWrittenOtherwise(TypedDict):
    """The IP address is spelled differently from how it is parsed."""

    code: Literal["ip_written_otherwise"]
    host: str
    """The address as parsed."""


class AddressNoteLettersBeyondAscii(TypedDict):
    """The host name contains non-ASCII letters."""

    code: Literal["letters_beyond_ascii"]


class AddressNoteNotWeb(TypedDict):
    """It is not a web address."""

    code: Literal["not_web"]
    scheme: str
    """Its scheme."""


class AddressNotePort(TypedDict):
    """The port is unusual."""

    code: Literal["port"]
    port: int
    """The port."""


class AddressNoteUnreadable(TypedDict):
    """The address cannot be parsed."""

    code: Literal["unreadable"]


class AddressNoteUserBeforeHost(TypedDict):
    """A user name precedes the host."""

    code: Literal["user_before_host"]
    user: str
    """The user name."""


class AgentBody(TypedDict):
    """The settings of an agent."""

    contextTokens: int
    """The window of the model, in tokens; default 128000. When a conversation nears it, long results of older calls
    are sent as references.
    """
    costBudgetUsd: NotRequired[str]
    """The most that a whole run may cost, in US dollars, such as `"0.50"`; absent for no limit. Needs a price of the
    model in `model_prices` of `server.json`.
    """
    maxIterations: int
    """How many replies the model may give to a message; default 5."""
    maxTokens: int
    """The most tokens of a reply; default 4096."""
    mode: OrchestrationMode
    """Whether it has sub-agents, and which of its calls are always asked about."""
    model: str
    """The model, by the name that its provider gives it; for `scripted`, the name of a script."""
    name: str
    """Its name, by which rules call it. No two agents have the same."""
    provider: ModelProvider
    """Which interface its model has."""
    requireToolApproval: bool
    """Whether every tool call of this agent needs an approval, also where a rule allows it."""
    systemPrompt: NotRequired[str]
    """The system prompt."""
    temperature: float
    """How varied replies are, from 0 to 2; default 0.7."""
    timeBudgetSeconds: NotRequired[int]
    """The most seconds from the start of a run to its end, waiting for approvals included; absent for no limit."""
    tokenBudget: NotRequired[int]
    """The most tokens of a whole run, input and output; absent for no limit. A request that could exceed it, with its
    input and `maxTokens` of output, is not sent, and the run ends.
    """
    userPrompt: NotRequired[str]
    """Text before the first message of every run."""
    workspace: NotRequired[str]
    """The root of its workspace: a project that is registered with the server. Absent for the server's
    `SEKISHO_PROJECT_ROOT`. Without either, tools that work on files, programs or repositories fail.
    """


class AgentBodyInput(TypedDict):
    """The settings of an agent."""

    contextTokens: NotRequired[int]
    """The window of the model, in tokens; default 128000. When a conversation nears it, long results of older calls
    are sent as references.
    """
    costBudgetUsd: NotRequired[str | None]
    """The most that a whole run may cost, in US dollars, such as `"0.50"`; absent for no limit. Needs a price of the
    model in `model_prices` of `server.json`.
    """
    maxIterations: NotRequired[int]
    """How many replies the model may give to a message; default 5."""
    maxTokens: NotRequired[int]
    """The most tokens of a reply; default 4096."""
    mode: NotRequired[OrchestrationMode]
    """Whether it has sub-agents, and which of its calls are always asked about."""
    model: str
    """The model, by the name that its provider gives it; for `scripted`, the name of a script."""
    name: str
    """Its name, by which rules call it. No two agents have the same."""
    provider: ModelProvider
    """Which interface its model has."""
    requireToolApproval: NotRequired[bool]
    """Whether every tool call of this agent needs an approval, also where a rule allows it."""
    systemPrompt: NotRequired[str | None]
    """The system prompt."""
    temperature: NotRequired[float]
    """How varied replies are, from 0 to 2; default 0.7."""
    timeBudgetSeconds: NotRequired[int | None]
    """The most seconds from the start of a run to its end, waiting for approvals included; absent for no limit."""
    tokenBudget: NotRequired[int | None]
    """The most tokens of a whole run, input and output; absent for no limit. A request that could exceed it, with its
    input and `maxTokens` of output, is not sent, and the run ends.
    """
    userPrompt: NotRequired[str | None]
    """Text before the first message of every run."""
    workspace: NotRequired[str | None]
    """The root of its workspace: a project that is registered with the server. Absent for the server's
    `SEKISHO_PROJECT_ROOT`. Without either, tools that work on files, programs or repositories fail.
    """


class AgentList(TypedDict):
    """All agents."""

    agents: list[AgentView]
    """The agents, in order of creation."""


class AgentTool(TypedDict):
    """Whether and how an agent may use a tool."""

    config: NotRequired[Any]
    """The settings of the tool for this agent; absent for the defaults."""
    isEnabled: bool
    """Whether the agent may use it."""
    requireApproval: bool
    """Whether every call of the tool needs an approval, also where a rule allows it."""
    toolName: str
    """The tool."""


class AgentUsageView(TypedDict):
    """What the stored runs of an agent and of its sub-agents have used, those that go on included."""

    agentId: str
    """The agent."""
    replies: int
    """How many replies their models gave."""
    runs: int
    """How many runs there are, those of sub-agents included."""
    runsWithoutPrice: int
    """How many runs have no price, and are not in the cost."""
    usage: UsageView
    """The tokens, and what the runs cost whose models have a price."""


class AgentView(TypedDict):
    """An agent."""

    createdAt: str
    """When it was created."""
    id: str
    """Its id."""
    settings: AgentBody
    """Its settings."""
    tools: list[AgentTool]
    """The tools that an admin has enabled or disabled for it. Other tools are off."""
    updatedAt: str
    """When its settings were last changed."""


AlsoAllowed: TypeAlias = Union["AlsoAllowedCommandsBeginning", "AlsoAllowedCommandsLike", "AlsoAllowedCommandAlone", "AlsoAllowedFilesBelow", "AlsoAllowedPath", "AlsoAllowedHost", "AlsoAllowedSkill", "AlsoAllowedServerToolInput", "AlsoAllowedToolInput", "AlsoAllowedServerTool", "AlsoAllowedKnownTool", "AlsoAllowedToolNamed"]
"""What a rule would allow besides this call. All text in it is visible text."""


class AlsoAllowedCommandAlone(TypedDict):
    """One command in any directory, whatever its files contain by then."""

    code: Literal["command_alone"]
    command: str
    """The command."""


class AlsoAllowedCommandsBeginning(TypedDict):
    """Every command that begins with these words, with any options and operands, in any directory."""

    code: Literal["commands_beginning"]
    command: str
    """The leading words."""


class AlsoAllowedCommandsLike(TypedDict):
    """Every command of a form, in any directory."""

    code: Literal["commands_like"]
    command: str
    """The form; `*` matches any text."""


class AlsoAllowedFilesBelow(TypedDict):
    """Every file below a directory."""

    access: PathAccess
    """How the files are accessed."""
    code: Literal["files_below"]
    path: str
    """The directory."""


class AlsoAllowedHost(TypedDict):
    """Every address of a host."""

    code: Literal["host"]
    host: str
    """The host."""


class AlsoAllowedKnownTool(TypedDict):
    """Every call of a tool, by any name that agents use for it."""

    code: Literal["known_tool"]
    tool: str
    """The tool."""


class AlsoAllowedPath(TypedDict):
    """A path, and everything below it if it is a directory."""

    access: PathAccess
    """How the path is accessed."""
    code: Literal["path"]
    path: str
    """The path."""


class AlsoAllowedServerTool(TypedDict):
    """Every call of a tool of a server."""

    code: Literal["server_tool"]
    server: str
    """The server."""
    tool: str
    """The tool."""


class AlsoAllowedServerToolInput(TypedDict):
    """Only calls of a tool of a server with the input of this call."""

    code: Literal["server_tool_input"]
    server: str
    """The server."""
    tool: str
    """The tool."""


class AlsoAllowedSkill(TypedDict):
    """A skill, whatever it contains by then."""

    code: Literal["skill"]
    skill: str
    """The skill."""


class AlsoAllowedToolInput(TypedDict):
    """Only calls of a tool with the input of this call."""

    code: Literal["tool_input"]
    tool: str
    """The tool."""


class AlsoAllowedToolNamed(TypedDict):
    """Every call of a tool with this name, including tools of MCP servers."""

    code: Literal["tool_named"]
    tool: str
    """The name."""


class AnswerBody(TypedDict):
    """An answer to an approval."""

    behavior: Behavior
    """Allow or deny."""
    digest: NotRequired[Digest | None]
    """The digest of the call that was shown. An answer with a different digest is rejected."""
    interrupt: NotRequired[bool]
    """Whether to stop the run as well."""
    message: NotRequired[str | None]
    """The reason; the model reads it."""
    remember: NotRequired[RememberBody | None]
    """Rules to store: `true` means the narrowest proposal, for the project."""
    updatedInput: NotRequired[Any]
    """Another input to run instead: a full replacement, judged again."""


class AnswerBucket(TypedDict):
    """One bucket of the histogram of answer times."""

    times: int
    """The number of answers."""
    upToMs: NotRequired[int]
    """The upper bound in milliseconds. None for the last bucket, which has no bound."""


class AnswerTaken(TypedDict):
    """The result of an answer."""

    again: bool
    """Whether the same answer had been given before."""
    approval: Question
    """The approval as it is now."""
    remembered: NotRequired[RememberedBody]
    """What was remembered."""


ApprovalId: TypeAlias = str
"""An approval."""


class ApproveOrchestrationBody(TypedDict):
    """Approves calls of a run and of its sub-agents."""

    approval_ids: NotRequired[list[ApprovalId]]
    """The calls, by their approvals."""
    tool_call_ids: NotRequired[list[str]]
    """The calls, by their ids. Two runs may have calls with the same id; then name their approvals."""


class ApproveToolCallBody(TypedDict):
    """Approves a call of a run."""

    toolCallId: NotRequired[str | None]
    """The call. May be left out if exactly one waits."""


class AskedCommand(TypedDict):
    """A shell command that needed approval."""

    approved: int
    """How many of these were approved."""
    command: str
    """The leading words, as a rule names them: `rm`, `git push`, `npm run build`."""
    denied: int
    """How many of these were denied."""
    times: int
    """How many approvals it was a reason for."""
    tool: str
    """The canonical name of the tool."""


class AskedTool(TypedDict):
    """A tool that needed approval."""

    approved: int
    """How many were approved."""
    denied: int
    """How many were denied."""
    expired: int
    """How many expired."""
    times: int
    """How many approvals it needed."""
    tool: str
    """The tool."""


class AuditCall(TypedDict):
    """A call and all its records, or one record that is not about a call."""

    answeredAfterMs: NotRequired[int]
    """How long the answer took, in milliseconds."""
    by: NotRequired[str]
    """The name of the person or rule that answered."""
    failed: NotRequired[bool]
    """Whether its tool failed. Absent if it is not known to have ended."""
    message: NotRequired[str]
    """The tool and its main input, masked. Absent in records of earlier versions."""
    outcome: NotRequired[CallOutcome]
    """What became of the call. Absent for a record that is not about a call, and if the record of the decision was
    pruned.
    """
    ranMs: NotRequired[int]
    """How long its tool ran, in milliseconds."""
    rows: list[AuditRow]
    """Its records, oldest first: at least one, at most 100."""


class AuditCalls(TypedDict):
    """A page of the audit log by call."""

    calls: list[AuditCall]
    """The calls, by their newest record that matches, newest first. Records that are not about a call are listed
    between them, each by itself.
    """
    next: NotRequired[str]
    """What to send as `before` for the next page; absent on the last page."""


class AuditChain(TypedDict):
    """A chain, as seen from one record."""

    last: int
    """The number of the chain's last record."""
    removedTo: NotRequired[int]
    """Records up to this number were pruned."""
    signature: Signature
    """Whether the record is as it was signed. Only verification checks the whole chain."""


AuditFormat: TypeAlias = Literal["jsonl", "csv"]


class AuditKind(TypedDict):
    """A kind of record."""

    name: RecordKind
    """Its name."""
    schema: NotRequired[Any]
    """The JSON Schema of its body, if a component registered the kind."""


class AuditKinds(TypedDict):
    """All kinds of records."""

    kinds: list[AuditKind]
    """The gate's own kinds first, then those that other components registered."""


class AuditProblem(TypedDict):
    """A problem found by verification."""

    message: str
    """What is wrong."""
    seq: NotRequired[int]
    """The number of the record; absent if the problem concerns the whole chain."""
    writer: str
    """The writer whose chain has the problem."""


class AuditRow(TypedDict):
    """A record of the audit log."""

    agent: NotRequired[str]
    """The agent's id."""
    approval: NotRequired[str]
    """The approval it is about."""
    approver: NotRequired[str]
    """Who decided."""
    at: str
    """When it was written."""
    body: Any
    """Everything else: JSON, or the plain text if it is not JSON."""
    call: NotRequired[str]
    """The call it is about."""
    code: str
    """Its own code, in hexadecimal."""
    credential: NotRequired[str]
    """The credential that asked."""
    decision: NotRequired[str]
    """The decision."""
    execution: NotRequired[str]
    """The execution it is about."""
    key: int
    """The id of the key that signed it."""
    kind: str
    """The kind of record."""
    line: NotRequired[RecordLine]
    """The line as a code, unless a reason in the body says it; absent in records stored before codes existed."""
    previous: str
    """The code of the previous record, in hexadecimal."""
    seq: int
    """Its number in the chain, from 1."""
    server: NotRequired[str]
    """The MCP server."""
    text: str
    """One line for people."""
    tool: NotRequired[str]
    """The tool's name."""
    writer: str
    """The writer whose chain it belongs to."""


class AuditRowInChain(TypedDict):
    """A record and its place in its chain."""

    chain: AuditChain
    """Its chain."""
    row: AuditRow
    """The record."""


class AuditRows(TypedDict):
    """A page of the audit log."""

    next: NotRequired[str]
    """What to send as `before` for the next page; absent on the last page."""
    rows: list[AuditRow]
    """The records, newest first."""


AuditStats = TypedDict("AuditStats", {
    "from": str,
    "stats": "Stats",
    "to": str,
})
"""Statistics for a span of time."""


class AuditVerified(TypedDict):
    """The result of verification."""

    chains: NotRequired[int]
    """How many chains there are; absent if reading ended early."""
    ok: bool
    """Whether the whole log is intact."""
    problems: list[AuditProblem]
    """The problems found. Reading stops at the first."""
    rows: int
    """How many records were read."""


Behavior: TypeAlias = Literal["allow", "deny"]
"""Whether the call may run."""


Below = TypedDict("Below", {
    "cut": "NotRequired[str]",
    "deep": bool,
    "except": "NotRequired[list[str]]",
    "except_directories": "NotRequired[list[str]]",
    "except_here": "NotRequired[list[str]]",
    "git": "GitFiles",
    "hidden": bool,
    "links": "Links",
    "only": "NotRequired[list[str]]",
    "quoted": "NotRequired[bool]",
    "repositories": "NotRequired[NestedRepositories]",
    "unhidden": "NotRequired[list[str]]",
    "within": "NotRequired[list[str]]",
})
"""How a command reads the files below a directory."""


class BuiltInTool(TypedDict):
    """A built-in tool."""

    category: str
    """What it is for: `ReadOnly`, `FileSystem`, `Execution`, `VersionControl` or `Composite`."""
    definition: BuiltInToolDefinition
    """The tool as a model sees it."""
    name: str
    """Its name."""


class BuiltInToolDefinition(TypedDict):
    """A tool as a model sees it."""

    description: str
    """What it does and when to use it."""
    input_schema: Any
    """The JSON Schema of its input."""
    name: str
    """Its name."""


CallOutcome: TypeAlias = Literal["allowed", "denied_by_rule", "waiting", "approved", "turned_back", "denied", "expired", "aborted"]
"""What became of a call."""


class CanUseTool(TypedDict):
    """A call that wants to run."""

    agentId: NotRequired[str | None]
    """The agent's id. It counts for an allow only if the token is bound to it."""
    alwaysAsk: NotRequired[bool]
    """`true`: ask a human even where questions are switched off (`TOOL_APPROVAL_ENABLED=false`). Hooks set this."""
    conversationId: NotRequired[str | None]
    """The conversation the call belongs to."""
    cwd: NotRequired[str | None]
    """The directory the call would run in, absolute."""
    descriptor: NotRequired[ToolDescriptor | None]
    """What the tool does, and where its input holds commands, paths and addresses. It is only a claim: the verdict is
    never looser with it than without.
    """
    input: dict[str, Any]
    """The tool's input."""
    inputSchema: NotRequired[dict[str, Any] | None]
    """The JSON Schema of the tool's input, up to 64 KiB. Where a human edits the input, it is checked by this first."""
    onTimeout: NotRequired[OnTimeout | None]
    """What happens if nobody answers in time: the call is denied, or the question stays open."""
    projectRoot: NotRequired[str | None]
    """The root of the project the session began in, absolute. Only this project's rules may loosen, and only if the
    project is registered.
    """
    runId: NotRequired[str | None]
    """The run the call belongs to."""
    serverId: NotRequired[str | None]
    """The MCP server the tool belongs to."""
    supportsConfirm: NotRequired[bool | None]
    """`false`: nobody can be asked, so a question is denied."""
    timeoutMs: NotRequired[int | None]
    """How long to wait for a human, in milliseconds; rounded up to whole seconds. Default: the timeout of the rule
    that asks, or 120 s.
    """
    toolName: str
    """The tool's name, as the agent calls it."""
    toolUseId: str
    """The call's own id. A request with the same id joins the open question, or reads its answer."""
    workspaceId: NotRequired[str | None]
    """A label for the workspace; never a path."""


class ChangeCount(TypedDict):
    """How many calls change from one decision to another."""

    after: Decision
    """The decision with the rules."""
    before: Decision
    """The decision without the rules."""
    count: int
    """How many calls."""


class ChangedCall(TypedDict):
    """A past call, judged without and with the rules."""

    after: Decision
    """The decision with the tested rules."""
    at: str
    """When it was asked about."""
    before: Decision
    """The decision of today's rules."""
    callId: str
    """The id of the call."""
    message: str
    """The tool and its main input, in one line."""
    toolName: str
    """The tool's name."""
    wasThen: Decision
    """The decision at the time."""


class CitedRule(TypedDict):
    """The wire form of a cited rule."""

    effect: Effect
    id: NotRequired[str]
    layer: LayerKind
    line: int
    priority: int
    rule: Any
    source: str


class Completed(TypedDict):
    """A tool that finished."""

    approvalId: NotRequired[ApprovalId]
    """The approval that allowed it, if there was one."""
    durationMs: NotRequired[int]
    """How long it ran, in milliseconds, if that is known."""
    executionId: ExecutionId
    """The id of the execution."""
    isError: bool
    """Whether it failed."""
    runId: NotRequired[str]
    """The run of the call, if it names one."""
    toolName: NotRequired[str]
    """The tool's name."""


class Considered(TypedDict):
    """One rule that concerns a call."""

    outcome: Outcome
    """What happened to it."""
    rule: CitedRule
    """The rule."""


class Danger(TypedDict):
    """A danger level and its cause. The sentence is built on demand."""

    code: NotRequired[DangerCode]
    """The cause. Absent in records from before codes existed."""
    further: NotRequired[list[DangerCode]]
    """Further causes, after `code`."""
    level: DangerLevel
    """How dangerous it is."""
    spans: NotRequired[list[DangerSpan]]
    """Where the words that cause it are (`-delete`, `| sh`), in order, in UTF-8 bytes: of the shown command in a
    display, of the call's text in a verdict. Absent if it is not known, or if they are not in the text.
    """
    why: str
    """The cause, for people. The text may change; programs read the code."""


DangerCode: TypeAlias = Literal["acts_on_github", "acts_on_cluster", "acts_on_device", "acts_on_forge", "acts_on_cloud", "acts_on_cloud_storage", "acts_on_containers", "acts_on_containers_or_machines", "acts_on_images_or_volumes", "acts_on_deployments", "builds_go_programs", "builds_and_runs_program", "builds_and_runs_packages", "builds_and_runs_tests", "builds_and_runs_project", "calls_github_api", "may_overwrite_files", "overwrites_remote_history", "may_overwrite_uncommitted", "changes_repository", "changes_files", "changes_git_settings", "changes_infrastructure", "changes_infrastructure_or_reveals_secrets", "changes_databases", "changes_file_systems", "changes_other_machines", "changes_cluster", "changes_secrets", "changes_settings", "changes_machine_settings", "changes_submodules", "changes_network", "changes_dependencies", "changes_remotes", "changes_repository_and_runs_hooks", "changes_running_system", "changes_users", "changes_infrastructure_state", "changes_published_or_credentials", "changes_schedule", "changes_trusted_software", "changes_directory_permissions", "changes_permissions", "changes_owner_or_permissions", "checks_or_rewrites_sources", "checks_out_commits", "connects_programs_and_network", "contacts_remote", "contacts_remotes", "copies_between_machines", "copies_files", "changes_remote_storage", "creates_files_or_changes_times", "creates_files_or_directories", "changes_working_trees", "truncates_files", "deletes_cloud_resources", "deletes_on_forge", "removes_images_or_volumes", "removes_containers_or_machines", "deletes_branch", "deletes_file_or_empty_directory", "deletes_release", "deletes_repository", "deletes_working_tree", "deletes_issue", "deletes_remote_branches", "deletes_build_results", "deletes_directories", "deletes_found_files", "deletes_files", "deletes_or_moves_tag", "deletes_tracking_branches", "deletes_cluster_resources", "deletes_stored_data", "deletes_untracked_files", "destroys_files", "destroys_infrastructure", "discards_all_stashed_changes", "discards_stashed_changes", "discards_uncommitted_changes", "downloads_repository", "downloads_submodules", "downloads_and_installs_programs", "downloads_and_runs_code", "downloads_and_runs_packages", "downloads_or_builds_programs", "downloads_packages_and_runs_code", "downloads_packages_and_runs_install_scripts", "downloads_packages_or_runs_code", "downloads_packages_or_runs_scripts", "downloads_programs_or_runs_them", "downloads_builds_and_installs_programs", "ends_processes", "ends_processes_by_name", "gives_container_access", "handles_credentials", "handles_keys", "handles_keys_and_connections", "handles_keys_and_secrets", "installs_or_runs_downloaded_code", "installs_or_runs_software", "installs_software", "logs_in_with_password", "makes_link", "makes_commits_unrecoverable", "manages_compilers", "manages_infrastructure", "manages_packages", "manages_system_packages", "merges_pull_request", "moves_files", "moves_branch_or_index", "moves_uncommitted_changes", "opens_pager", "opens_raw_connection", "opens_editor", "overwrites_file", "publishes_package", "publishes_package_or_handles_credentials", "publishes_release", "publishes_image_or_logs_in", "reaches_network", "reaches_network_and_writes_files", "reads_from_cluster", "reads_package_list", "reads_service_state", "reads_system_state", "reads_whole_databases", "removes_containers", "removes_packages", "removes_software", "compresses_files", "rewrites_commits", "rewrites_files", "rewrites_files_in_place", "rewrites_history", "repeats_command_endlessly", "traces_command", "runs_command_as_service", "runs_command_at_every_change", "runs_command_for_every_argument", "runs_command_for_every_file", "runs_command_for_many_commits", "runs_command_in_cluster", "runs_command_in_container", "runs_command_in_another_namespace", "runs_command_in_another_window", "runs_command_in_every_submodule", "runs_command_in_new_namespaces", "runs_command_under_another_root", "runs_command_with_other_rights", "runs_container_in_cluster", "runs_container", "sources_file", "runs_package_manager", "runs_program", "runs_scripting_program", "runs_script_of_package", "records_shell", "runs_text_as_commands", "runs_text_later", "runs_text_or_file_as_commands", "runs_another_command", "runs_build_scripts", "runs_commands_as_other_user", "runs_commands_in_other_session", "runs_commands_later", "runs_commands_on_other_machine", "runs_statements_on_database", "runs_build_file", "runs_makefile", "runs_commands_of_sources", "runs_project_code", "runs_project_configuration", "runs_virtual_machines", "runs_project_commands", "sends_commits", "sends_data", "sends_mail", "serves_repository_or_credentials", "sets_system_clock", "starts_workflow", "starts_another_agent", "starts_another_program", "starts_containers", "starts_or_ends_service", "starts_other_programs", "starts_stops_or_changes_services", "stops_or_removes_containers_or_images", "stops_machine", "adds_files_to_repository", "takes_orders_from_file", "sends_message", "waits_endlessly", "writes_file", "writes_archive", "writes_buffers_to_disk", "writes_files", "writes_raw_bytes", "writes_files_and_runs_programs", "writes_or_overwrites_files", "changes_automation", "touches_protected", "runs_deleting_program", "runs_sending_program", "runs_fetched", "runs_decoded", "input_changes_meaning", "opens_file_by_redirect", "only_reads", "too_large_to_judge", "reads_files", "runs_programs", "loads_instructions", "stays_in_conversation", "unknown_tool", "reads_and_may_change", "unknown_server_tool", "named_for_deleting", "named_for_paying", "named_for_sending", "hides_terminal_sequence", "hides_control_character", "hides_direction_change", "hides_spelled_text", "hides_blank_letter", "hides_zero_width", "impossible_host", "user_before_host"]
"""The effect of a call."""


DangerLevel: TypeAlias = Literal["none", "caution", "danger"]
"""How dangerous a call is."""


class DangerSpan(TypedDict):
    """A range of a text, in UTF-8 bytes."""

    end: int
    """The byte after the last."""
    start: int
    """The first byte."""


class Decide(TypedDict):
    """A call to judge, without asking anyone."""

    agentId: NotRequired[str | None]
    """The agent's id. It counts for an allow only if the token is bound to it."""
    conversationId: NotRequired[str | None]
    """The conversation the call belongs to."""
    cwd: NotRequired[str | None]
    """The directory the call would run in, absolute."""
    descriptor: NotRequired[ToolDescriptor | None]
    """What the tool does, and where its input holds commands, paths and addresses. It is only a claim: the verdict is
    never looser with it than without.
    """
    input: NotRequired[dict[str, Any]]
    """The tool's input."""
    namesProven: NotRequired[bool]
    """`true`: judge as if the server and agent ids were proven. Not for agents."""
    runId: NotRequired[str | None]
    """The run the call belongs to."""
    serverId: NotRequired[str | None]
    """The MCP server the tool belongs to."""
    supportsConfirm: NotRequired[bool | None]
    """`false`: nobody can be asked, so a question is denied."""
    toolName: str
    """The tool's name, as the agent calls it."""
    toolUseId: NotRequired[str | None]
    """The call's own id; it has no effect here."""
    workspaceId: NotRequired[str | None]
    """A label for the workspace; never a path."""


class Decided(TypedDict):
    """What the verdict on a call would be. Advisory: it does not permit the call to run."""

    considered: NotRequired[list[Considered]]
    """The rules that were considered, and the outcome of each; not for agents."""
    danger: Danger
    """How dangerous the call is."""
    decision: Decision
    """The decision."""
    reason: str
    """The reason, in one sentence."""
    verdict: NotRequired[Verdict]
    """The whole verdict; not for agents."""


Decision: TypeAlias = Literal["allow", "confirm", "deny"]
"""The decision on a call, from loosest to strictest. Combining decisions takes the maximum."""


class DeclineToolCallBody(TypedDict):
    """Declines a call of a run."""

    info: NotRequired[str | None]
    """Another name for `reason`, which takes precedence."""
    interrupt: NotRequired[bool]
    """Whether the run ends as well."""
    reason: NotRequired[str | None]
    """Why. The model reads it."""
    toolCallId: NotRequired[str | None]
    """The call. May be left out if exactly one waits."""


DelegationItem: TypeAlias = Literal["model", "workspace", "tool", "limit"]
"""What a [`DelegationRow`] is about."""


class DelegationRow(TypedDict):
    """One thing that a sub-agent gets, beside what its parent has."""

    agent: NotRequired[str]
    """What the sub-agent gets. Absent if it gets none of it."""
    item: DelegationItem
    """What it is."""
    name: str
    """The name of the tool or of the limit. Empty for others."""
    parent: NotRequired[str]
    """What its parent has. Absent if it has none of it."""


class Described(TypedDict):
    """A descriptor and its source. Nothing in a request is deserialized as this type: requests contain an
    [`UncheckedDescriptor`], which becomes a claim. The serde form is used for stored calls.
    """

    by: DescribedBy
    tool: Descriptor


DescribedBy: TypeAlias = Literal["caller", "registry", "pinned_server"]
"""Where a descriptor comes from."""


class Descriptor(TypedDict):
    """What a tool does, and which input fields contain its targets. Its lists match its kind, and no field is in a
    list twice.
    """

    addresses: NotRequired[list[str]]
    """Fields with addresses that are fetched."""
    commands: NotRequired[list[str]]
    """Fields with commands: each a text, or one command as a list of words."""
    kind: DescriptorKind
    """What the tool does."""
    readOnly: NotRequired[bool]
    """The tool changes nothing. This alone does not allow anything."""
    reads: NotRequired[list[str]]
    """Fields with paths of files that are read: each a text or a list of texts."""
    searches: NotRequired[list[str]]
    """Fields with directories that are searched, or read with everything below them."""
    writes: NotRequired[list[str]]
    """Fields with paths of files that are written, edited or deleted."""


DescriptorKind: TypeAlias = Literal["shell", "read_files", "search_files", "write_files", "web", "skill", "sub_agents", "composite", "unknown"]
"""What a tool does."""


class DiffHunk(TypedDict):
    """A group of changed lines."""

    lines: list[DiffLine]
    """The lines of the hunk."""


class DiffLine(TypedDict):
    """A line of a diff."""

    new: NotRequired[int]
    """The line number after the change, from 1."""
    old: NotRequired[int]
    """The line number before the change, from 1."""
    sign: DiffSign
    """Whether the line is kept, added or removed."""
    text: str
    """The text without its line break."""


DiffSign: TypeAlias = Literal[" ", "+", "-"]
"""What happens to a line."""


Digest: TypeAlias = str
"""SHA-256 over the canonical JSON (RFC 8785) of a call's server, tool, input, directory and descriptor (if any)."""


class DistrustBody(TypedDict):
    """A request to withdraw trust."""

    root: str
    """The project's root, as listed."""


Effect: TypeAlias = Literal["allow", "confirm", "deny"]
"""What a rule does with the calls it matches, from loosest to strictest."""


class Ended(TypedDict):
    """How an allowed call ended."""

    durationMs: NotRequired[int | None]
    """How long it took, in milliseconds."""
    isError: bool
    """Whether it failed."""
    output: NotRequired[str | None]
    """Its output. It is kept out of the audit log, and deleted with the call's input."""


class ErrorBody(TypedDict):
    """The body of every error response."""

    error: ErrorDetail
    """The error."""


class ErrorDetail(TypedDict):
    """The error in an [`ErrorBody`]."""

    code: str
    """The stable code, for programs."""
    field: NotRequired[str]
    """The field of the request that is wrong, if it is a single field."""
    hint: NotRequired[str]
    """What to do next."""
    message: str
    """What went wrong and where, for people."""
    pending: NotRequired[list[Any]]
    """The calls that wait for an answer, if the request must name some of them."""


class Evidence(TypedDict):
    """An answer that supports a rule."""

    approvalId: str
    """The approval."""
    at: str
    """When it was answered."""
    by: str
    """Who answered."""
    message: str
    """What was asked, in one line."""


Example: TypeAlias = Union[str, "ExampleCall"]
"""One example: a command, path, URL or skill name, if the rule has such a condition, else a tool name; or a whole
call.
"""


class ExampleCall(TypedDict):
    """A whole call as an example."""

    agent: NotRequired[str]
    """The agent."""
    input: NotRequired[Any]
    """The tool's input."""
    server: NotRequired[str]
    """The MCP server."""
    tool: str
    """The tool's name."""


class ExampleCallInput(TypedDict):
    """A whole call as an example."""

    agent: NotRequired[str | None]
    """The agent."""
    input: NotRequired[Any]
    """The tool's input."""
    server: NotRequired[str | None]
    """The MCP server."""
    tool: str
    """The tool's name."""


ExampleInput: TypeAlias = Union[str, "ExampleCallInput"]
"""One example: a command, path, URL or skill name, if the rule has such a condition, else a tool name; or a whole
call.
"""


class ExecuteBody(TypedDict):
    """A request for a run, and to wait for it."""

    agent_id: str
    """The agent."""
    enabled_tools: NotRequired[list[str] | None]
    """The tools that the run may use, of those that the agent has. `[]` for none; absent for all of them."""
    input: str
    """What the agent is to do."""
    tool_config: NotRequired[dict[str, Any] | None]
    """Settings of tools, by their names. They may only narrow those of the agent."""


ExecutionId: TypeAlias = str
"""One run of one tool."""


class ExecutionUsage(TypedDict):
    """Tokens."""

    input_tokens: int
    """Input, cached tokens included."""
    output_tokens: int
    """Output."""


class ExecutionView(TypedDict):
    """A run, in the names of the route `execute-with-tools`."""

    agent_id: str
    """The agent."""
    error: NotRequired[str]
    """More about the end, such as the error of the model."""
    finish_reason: str | None
    """Why the run ended: `stop`, `max_iterations`, `length`, `refusal`, `unfinished_calls`, `other`, `error`,
    `budget`, `interrupted` or `aborted`. Null while it goes on.
    """
    id: str
    """The run's id."""
    output: str
    """What the model said last."""
    pending: list[PendingExecution]
    """The calls that wait for an approval, those of sub-agents included."""
    run_id: str
    """The run's id."""
    status: RunStatus
    """What the run does."""
    sub_agents: NotRequired[list[SubAgentExecution]]
    """The runs of sub-agents, in order of their start."""
    usage: ExecutionUsage
    """The tokens so far, those of sub-agents included."""


Fact: TypeAlias = Union["FactResolved", "FactRepository", "FactTrackedLinks", "FactGlobOption", "FactFiles", "FactContents"]
"""The answer to a [`FactQuery`]."""


class FactContents(TypedDict):
    """Whether the file contains a secret."""

    contents: Holds


class FactFiles(TypedDict):
    """The protected files."""

    files: FilesFound


class FactGlobOption(TypedDict):
    """Whether a name begins with `-`."""

    glob_option: bool


class FactRepository(TypedDict):
    """What the repository's config and attributes can do."""

    repository: Repository


class FactResolved(TypedDict):
    """The resolved path."""

    resolved: str


class FactTrackedLinks(TypedDict):
    """Whether the index names files in a directory that is a symbolic link."""

    tracked_links: bool


Facts: TypeAlias = list["list[Need | Fact]"]
"""Facts by query. A fact that is not present is unknown, and unknown never allows."""


class FieldBeside(TypedDict):
    """An input field that the form does not show. All text in it is visible text."""

    name: str
    """Its name."""
    value: str
    """The value: a string as it is, anything else as JSON."""


FileChange: TypeAlias = Literal["created", "changed", "deleted", "same", "unknown"]
"""What happens to a file."""


class FileDiff(TypedDict):
    """The change to one file."""

    added: int
    """The number of added lines."""
    change: FileChange
    """What happens to the file."""
    hunks: list[DiffHunk]
    """The changed lines with some context."""
    movedTo: NotRequired[str]
    """The new path, if the file is moved."""
    noteCodes: NotRequired[list[FileNote]]
    """The same as codes, one per sentence. Empty in views stored before codes existed."""
    notes: NotRequired[list[str]]
    """Notes on the change. If the change is `unknown`, they say why, and the hunks show what was requested, not the
    result.
    """
    path: str
    """The path of the file: absolute if that is known, otherwise as the call names it."""
    removed: int
    """The number of removed lines."""


class FileMark(TypedDict):
    """A file that was read to show a call."""

    mark: str
    """The fingerprint: `absent`, or the SHA-256 of the file's bytes."""
    path: str
    """The absolute path, unescaped: for reading the file again, not for display."""


FileNote: TypeAlias = Union["FileNoteNoSuchFile", "FileNoteUnshown", "FileNoteOtherMachine", "FileNoteNameUnclear", "FileNoteDirectoryUnclear", "FileNoteDirectoryUnknown", "FileNoteReachedByLink", "FileNoteMoveOverwrites", "FileNoteMoveUnclear", "FileNoteSketch", "FileNoteLastLineBreakRemoved", "FileNoteLastLineBreakAdded", "FileNoteComparedAsBlock", "FileNoteLinesNotShown", "FileNoteTooMuchWork", "FileNoteEdit", "FileNoteNothingToReplace", "FileNoteTextNotFound", "FileNoteTextFoundTwice", "FileNoteTextFoundOtherTimes", "FileNoteTooLarge", "FileNoteChunk", "FileNoteAnchorNotFound", "FileNoteAnchorFoundTwice", "FileNoteLinesNotFound", "FileNoteLinesFoundTwice"]
"""A note on a file change, or why its result is unknown. All text in it is visible text."""


class FileNoteAnchorFoundTwice(TypedDict):
    """The line after `@@` occurs more than once in the file."""

    code: Literal["anchor_found_twice"]


class FileNoteAnchorNotFound(TypedDict):
    """The line after `@@` is not in the file."""

    code: Literal["anchor_not_found"]


class FileNoteChunk(TypedDict):
    """A chunk of a patch cannot be applied."""

    because: FileNote
    """Why it cannot be applied."""
    code: Literal["chunk"]
    number: int
    """The number of the chunk, from 1."""


class FileNoteComparedAsBlock(TypedDict):
    """Too many lines differ for a line-by-line comparison."""

    code: Literal["compared_as_block"]


class FileNoteDirectoryUnclear(TypedDict):
    """The directory the path is relative to cannot be determined."""

    code: Literal["directory_unclear"]


class FileNoteDirectoryUnknown(TypedDict):
    """The directory the path is relative to was not stated."""

    code: Literal["directory_unknown"]


class FileNoteEdit(TypedDict):
    """One of several edits cannot be made."""

    because: FileNote
    """Why it cannot be made."""
    code: Literal["edit"]
    number: int
    """The number of the edit, from 1."""


class FileNoteLastLineBreakAdded(TypedDict):
    """The change adds a line break at the end of the file."""

    code: Literal["last_line_break_added"]


class FileNoteLastLineBreakRemoved(TypedDict):
    """The new content does not end with a line break."""

    code: Literal["last_line_break_removed"]


class FileNoteLinesFoundTwice(TypedDict):
    """The lines to replace occur more than once in the file."""

    code: Literal["lines_found_twice"]


class FileNoteLinesNotFound(TypedDict):
    """The lines to replace are not in the file."""

    code: Literal["lines_not_found"]


class FileNoteLinesNotShown(TypedDict):
    """Some lines of the change are not shown."""

    code: Literal["lines_not_shown"]
    lines: int
    """The number of lines."""


class FileNoteMoveOverwrites(TypedDict):
    """A file exists at the destination of the move."""

    code: Literal["move_overwrites"]


class FileNoteMoveUnclear(TypedDict):
    """The destination of the move is unknown."""

    because: FileNote
    """Why it is unknown."""
    code: Literal["move_unclear"]


class FileNoteNameUnclear(TypedDict):
    """The tool decides which file the name means."""

    code: Literal["name_unclear"]


class FileNoteNoSuchFile(TypedDict):
    """The file does not exist."""

    code: Literal["no_such_file"]


class FileNoteNothingToReplace(TypedDict):
    """The edit has no text to replace, and the file is not empty."""

    code: Literal["nothing_to_replace"]


class FileNoteOtherMachine(TypedDict):
    """The file is on another machine."""

    code: Literal["other_machine"]


class FileNoteReachedByLink(TypedDict):
    """The path goes through a symbolic link."""

    code: Literal["reached_by_link"]
    path: str
    """The path."""
    target: str
    """The resolved path of the file."""


class FileNoteSketch(TypedDict):
    """The tool merges a sketch into the file in its own way."""

    code: Literal["sketch"]


class FileNoteTextFoundOtherTimes(TypedDict):
    """The text to replace does not occur as often as expected."""

    code: Literal["text_found_other_times"]
    found: int
    """How often it occurs."""
    times: int
    """How often it should occur."""


class FileNoteTextFoundTwice(TypedDict):
    """The text to replace occurs more than once in the file."""

    code: Literal["text_found_twice"]


class FileNoteTextNotFound(TypedDict):
    """The text to replace is not in the file."""

    code: Literal["text_not_found"]


class FileNoteTooLarge(TypedDict):
    """The changed file would exceed the size limit."""

    code: Literal["too_large"]
    most: int
    """The limit in bytes."""


class FileNoteTooMuchWork(TypedDict):
    """Computing the result exceeds the work limit of one call."""

    code: Literal["too_much_work"]


class FileNoteUnshown(TypedDict):
    """The file cannot be shown as text."""

    code: Literal["unshown"]
    why: str
    """Why, as displayed to people."""


class FileSearch(TypedDict):
    """The files that a command would open: the expansion of a glob, and the files below."""

    below: NotRequired[Below]
    """How the files below are read, if they are."""
    directory: str
    """Absolute, or begins with `~` for the home directory."""
    inside: NotRequired[bool]
    """Report a name that leads out of the workspace."""
    no_options: NotRequired[bool]
    """Report a name that begins with `-`, because the command would treat it as an option."""
    pattern: NotRequired[str]
    """A glob that bash expands in it, written as in [`FactQuery::GlobOption`]. Without one, the directory itself."""
    top: NotRequired[bool]
    """Start from the root of the git repository that contains the directory."""
    whole_names: NotRequired[bool]
    """Report a name with blanks, quotes or wildcards, because it would become other names."""


FilesFound: TypeAlias = Union["FilesFoundProtected", "Literal['too_many']", "FilesFoundMayBeOption", "FilesFoundSplits"]
"""The result of a file search."""


class FilesFoundMayBeOption(TypedDict):
    """The path of a name that begins with `-`, if that was to be reported."""

    may_be_option: str


class FilesFoundProtected(TypedDict):
    """The first few protected files; empty if there are none."""

    protected: list[FoundFile]


class FilesFoundSplits(TypedDict):
    """The path of a name with blanks, quotes or wildcards, if that was to be reported."""

    splits: str


FollowUntil: TypeAlias = Literal["ended", "suspended"]


Form: TypeAlias = Union["FormJson", "FormCommand", "FormDiff", "FormUrl", "FormDelegation"]
"""The form that fits the tool. All text in it is visible text: hidden characters are escaped as `\\u{…}`."""


class FormCommand(TypedDict):
    """A shell command."""

    form: Literal["command"]
    parts: list[MarkedPart]
    """The parts in text order. Nested parts that appear in the text are in this list as well. If there are more than
    2000, the most dangerous are marked and `leftOut` says how many are not.
    """
    text: str
    """The command verbatim, including line breaks and tabs."""


class FormDelegation(TypedDict):
    """A sub-agent that would be made or started."""

    agent: str
    """The name of the sub-agent, below that of its parent."""
    form: Literal["delegation"]
    parent: str
    """The name of its parent."""
    prompt: str
    """The system prompt of the sub-agent."""
    rows: list[DelegationRow]
    """What the sub-agent gets, beside what its parent has."""
    task: NotRequired[str]
    """What the sub-agent is to do, if it would be started."""


class FormDiff(TypedDict):
    """Changes to files."""

    files: list[FileDiff]
    """One diff per file."""
    form: Literal["diff"]


class FormJson(TypedDict):
    """The pretty-printed JSON alone."""

    form: Literal["json"]


class FormUrl(TypedDict):
    """Addresses that would be fetched."""

    addresses: list[WebAddress]
    """The addresses."""
    form: Literal["url"]


class FoundFile(TypedDict):
    """A protected file that a command would open."""

    path: str
    """Its path as the command reaches it. A directory ends with a slash."""
    pattern: str
    """The pattern on the list of protected paths."""
    secret: bool
    """Whether reading it reveals a secret."""


GitFiles: TypeAlias = Literal["all", "not_ignored", "tracked", "changed"]
"""Which files are opened, by their status in git."""


class HiddenCharacter(TypedDict):
    """A character that was escaped."""

    hiding: Hiding
    """How it hides text."""
    shown_as: str
    """The escaped form: `\\u{202e}`."""
    times: int
    """How often it occurs in the call."""


Hiding: TypeAlias = Literal["escape", "control", "direction", "zero_width", "tag", "selector", "filler", "blank", "private_use", "unassigned", "lone_mark"]
"""How a character hides or disguises text."""


Holds: TypeAlias = Literal["no_secret", "secret"]
"""Whether a file contains a secret."""


class Hour(TypedDict):
    """Statistics of one hour."""

    allowed: int
    """Calls allowed without approval."""
    answerP50Ms: NotRequired[int]
    """The median time of people's answers in this hour, in milliseconds."""
    approved: int
    """Calls that people approved in this hour, whenever the approval was opened."""
    asked: int
    """Approvals opened."""
    at: str
    """The start of the hour."""
    denied: int
    """Calls denied without approval."""
    rejected: int
    """Calls that people denied in this hour."""


InterruptBody: TypeAlias = "dict[str, Any]"
"""Ends the tools of a run. It has no fields."""


LayerKind: TypeAlias = Literal["built_in", "managed", "global", "project", "database", "session"]
"""Where rules come from. The order is for display, not strength."""


LeftOut: TypeAlias = Union["LeftOutCommand", "LeftOutInput", "LeftOutAddress", "LeftOutField", "LeftOutChange", "LeftOutSentences", "LeftOutMarks", "LeftOutFields", "LeftOutChanges", "LeftOutFileNow", "LeftOutFilesNow", "LeftOutPurged"]
"""A part of a call that is not shown. All text in it is visible text."""


class LeftOutAddress(TypedDict):
    """Part of an address."""

    bytes: int
    """How many bytes are not shown."""
    code: Literal["address"]


class LeftOutChange(TypedDict):
    """Part of a file change."""

    bytes: int
    """How many bytes are not shown."""
    code: Literal["change"]
    path: str
    """The path of the file."""


class LeftOutChanges(TypedDict):
    """File changes."""

    changes: int
    """How many changes are not shown."""
    code: Literal["changes"]


class LeftOutCommand(TypedDict):
    """Part of the command."""

    bytes: int
    """How many bytes are not shown."""
    code: Literal["command"]


class LeftOutField(TypedDict):
    """Part of a field."""

    bytes: int
    """How many bytes are not shown."""
    code: Literal["field"]
    field: str
    """The field."""


class LeftOutFields(TypedDict):
    """Fields of the input."""

    code: Literal["fields"]
    fields: int
    """How many fields are not listed."""


class LeftOutFileNow(TypedDict):
    """The current content of a file."""

    because: FileNote
    """Why it is not shown."""
    code: Literal["file_now"]
    path: str
    """The path of the file."""


class LeftOutFilesNow(TypedDict):
    """The current content of this file and all later ones: reading them exceeds the work limit of one call."""

    code: Literal["files_now"]
    path: str
    """The path of the first file."""


class LeftOutInput(TypedDict):
    """Part of the input."""

    bytes: int
    """How many bytes are not shown."""
    code: Literal["input"]


class LeftOutMarks(TypedDict):
    """Marks of command parts. None of them is more dangerous than the marked parts."""

    code: Literal["marks"]
    parts: int
    """How many parts are not marked."""


class LeftOutPurged(TypedDict):
    """The input, because it was purged."""

    code: Literal["purged"]


class LeftOutSentences(TypedDict):
    """Descriptions of the command's parts."""

    bytes: int
    """How many bytes are not shown."""
    code: Literal["sentences"]


Links: TypeAlias = Literal["skip", "open", "follow"]
"""How links are handled."""


LiveEvent: TypeAlias = Union["LiveEventSnapshot", "LiveEventToolApprovalRequest", "LiveEventToolApprovalResolved", "LiveEventToolExecutionStarted", "LiveEventToolExecutionCompleted", "LiveEventRulesChanged"]
"""An event."""


class LiveEventRulesChanged(TypedDict):
    """Rules changed; `GET /api/rules` lists them."""

    data: Nothing
    type: Literal["rules_changed"]


class LiveEventSnapshot(TypedDict):
    """The current state. It replaces everything sent before."""

    data: Standing
    type: Literal["snapshot"]


class LiveEventToolApprovalRequest(TypedDict):
    """An approval was opened."""

    data: SeenQuestion
    type: Literal["tool_approval_request"]


class LiveEventToolApprovalResolved(TypedDict):
    """An approval ended."""

    data: Resolved
    type: Literal["tool_approval_resolved"]


class LiveEventToolExecutionCompleted(TypedDict):
    """A tool finished."""

    data: Completed
    type: Literal["tool_execution_completed"]


class LiveEventToolExecutionStarted(TypedDict):
    """A tool started."""

    data: Started
    type: Literal["tool_execution_started"]


LiveReply: TypeAlias = Union["LiveReplyToolApprovalAccepted", "LiveReplyError", "LiveReplyPong"]
"""A reply to one subscriber's message."""


class LiveReplyError(TypedDict):
    """The answer was rejected, or the message is not valid."""

    data: Wrong
    type: Literal["error"]


class LiveReplyPong(TypedDict):
    """The reply to `ping`."""

    data: Nothing
    type: Literal["pong"]


class LiveReplyToolApprovalAccepted(TypedDict):
    """The answer was accepted."""

    data: Accepted
    type: Literal["tool_approval_accepted"]


class MadeLink(TypedDict):
    """A link that signs in one device, once."""

    expiresAt: str
    """When the link expires."""
    qrSvg: str
    """The address as a QR code, in SVG."""
    url: str
    """The address the device opens."""


class MadeToken(TypedDict):
    """A token that was created."""

    secret: str
    """The secret. It is shown only this once."""
    token: TokenBody
    """The token."""


class MarkedPart(TypedDict):
    """A marked part of a shell command."""

    danger: NotRequired[Danger]
    """What it does, if known."""
    decision: Decision
    """The decision for this part alone."""
    inner: NotRequired[list[MarkedPart]]
    """Parts it runs that do not appear in the text."""
    kind: PartKind
    """The kind of part."""
    range: NotRequired[list[int]]
    """The range in the visible text, in UTF-8 bytes. None for parts that do not appear in it (the inside of `bash -c
    '…'`).
    """
    text: str
    """The text of the part."""
    why: str
    """The reason as a sentence."""


class MessageBody(TypedDict):
    """A message to a run."""

    text: str
    """The text."""


ModelProvider: TypeAlias = Literal["anthropic", "openai", "scripted"]
"""Which interface a model has."""


Need: TypeAlias = Union["NeedResolve", "NeedRepository", "NeedTrackedLinks", "NeedGlobOption", "NeedFiles", "NeedContents"]
"""A fact that judging a call depends on."""


class NeedContents(TypedDict):
    """Whether a file contains a secret, for names that do not decide this alone (`*.pem`). The path is absolute, or
    begins with `~`.
    """

    contents: str


class NeedFiles(TypedDict):
    """Which of the files that a command would open are protected."""

    files: FileSearch


class NeedGlobOption(TypedDict):
    """Whether a glob, expanded in a directory, gives a name that begins with `-`."""

    glob_option: NeedGlobOptionGlobOption


class NeedGlobOptionGlobOption(TypedDict):
    directory: str
    """Absolute path of the directory."""
    pattern: str
    """The glob as written, without quotes. Wildcard characters that were quoted have a `\\` before them."""


class NeedRepository(TypedDict):
    """Whether the git repository of a directory can name programs for git to run."""

    repository: str


class NeedResolve(TypedDict):
    """The path with links followed. For a path that does not exist: its nearest existing ancestor, resolved, with the
    rest appended. The path is absolute, or begins with `~` for the home directory.
    """

    resolve: str


class NeedTrackedLinks(TypedDict):
    """Whether git would read files outside a work tree because the index names files in a directory that is a symbolic
    link. The directory is in the work tree.
    """

    tracked_links: str


NestedRepositories: TypeAlias = Literal["below", "here"]
"""Where a repository is another one."""


class NewLinkBody(TypedDict):
    """A link to create."""

    name: str
    """The name of the device; visible characters only."""
    role: Role
    """What the device may do: any role except agent."""


class NewTokenBody(TypedDict):
    """A token to create."""

    agent: NotRequired[str | None]
    """The only agent that may ask with it; the agent's name is then proven."""
    expiresInDays: NotRequired[int | None]
    """How many days it is valid; without it, until it is revoked."""
    name: str
    """Its name, for people; visible characters only."""
    role: Role
    """What it may do."""
    roots: NotRequired[list[str]]
    """The registered workspace roots its calls may belong to; empty means any."""
    vouches: NotRequired[bool]
    """Whether it belongs to a host application that may state which MCP server a call uses."""


Nothing: TypeAlias = "dict[str, Any]"
"""An empty object."""


class Notifications(TypedDict):
    """Notification settings of a token's holder."""

    desktop: bool
    """Whether to show system notifications."""
    minimumDanger: DangerLevel
    """Notify only of approvals with at least this danger."""
    quietHours: NotRequired[QuietHours]
    """When not to notify."""
    sound: bool
    """Whether to play a sound."""


class NotificationsInput(TypedDict):
    """Notification settings of a token's holder."""

    desktop: bool
    """Whether to show system notifications."""
    minimumDanger: DangerLevel
    """Notify only of approvals with at least this danger."""
    quietHours: NotRequired[QuietHours | None]
    """When not to notify."""
    sound: bool
    """Whether to play a sound."""


OnTimeout: TypeAlias = Literal["deny", "park"]
"""What happens if nobody answers in time."""


class OrchestrateBody(TypedDict):
    """Starts a run of an agent that may have sub-agents."""

    agent_id: str
    """The agent."""
    input: str
    """What the agent is to do."""
    mode: NotRequired[OrchestrationMode | None]
    """The mode. It only narrows that of the agent: `none` takes its sub-agents away, `approval` asks about more.
    Absent for the agent's own.
    """


OrchestrationMode: TypeAlias = Literal["none", "auto", "approval"]
"""Whether an agent has sub-agents, and which of its calls are always asked about."""


Outcome: TypeAlias = Literal["decided", "limited", "outranked", "not_evaluated", "unproven", "cannot_loosen", "expired"]
"""What happened to a rule."""


class Outcomes(TypedDict):
    """How approvals ended."""

    aborted: int
    """The caller left, or the approval was cancelled."""
    approved: int
    """The call was approved."""
    denied: int
    """The call was denied."""
    expired: int
    """Nobody answered in time."""


class OwnQuestion(TypedDict):
    """An approval as the agent that asked sees it: what the agent sent, and the outcome. Information that was looked
    up for people, such as file contents, is left out.
    """

    askedAt: str
    """When it was asked."""
    conversationId: str | None
    """The conversation."""
    digest: Digest
    """The digest that an answer must match."""
    expiresAt: NotRequired[str]
    """When it expires; absent if it does not expire."""
    id: ApprovalId
    """Its id."""
    input: Any
    """The tool's input, as it was asked."""
    outcome: NotRequired[QuestionOutcome]
    """How it ended."""
    state: QuestionState
    """Its current state."""
    toolName: str
    """The tool's name."""
    toolUseId: NotRequired[str]
    """The call's own id."""
    workspaceId: str | None
    """The label of the workspace."""


Part: TypeAlias = Union["PartRule", "PartNoRule", "PartNotEvaluated", "PartProtectedPath", "PartProtectedAmong", "PartTooManyFiles", "PartPathUnknown", "PartFieldMissing", "PartFieldUnreadable", "PartWorkLimit", "PartShellUnread", "PartOpaque", "PartRedirect", "PartAssignment", "PartExpansion", "PartObstacle", "PartMayBeOption", "PartChangesShell", "PartProgramText", "PartWalksHome", "PartOutsideWorkspace", "PartNoWorkspace", "PartRepositoryRuns", "PartRepositoryUnproven", "PartTrackedLinks", "PartRepositoryUnknown", "PartRunsUnknown", "PartTooMuch", "PartApprovalRequired", "PartNobodyCanConfirm", "PartConfigBroken"]
"""One part of a shell text: a command, a redirect, an assignment, or something unknown."""


class PartApprovalRequired(TypedDict):
    """The settings of the agent or the tool require an approval, whatever the rules allow."""

    cited: NotRequired[CitedRule]
    code: Literal["approval_required"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartAssignment(TypedDict):
    """An assignment that may change what runs."""

    cited: NotRequired[CitedRule]
    code: Literal["assignment"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    name: str
    """The variable."""
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartChangesShell(TypedDict):
    """The command changes the state of the shell that runs the following commands."""

    cited: NotRequired[CitedRule]
    code: Literal["changes_shell"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    program: str
    """The command."""
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartConfigBroken(TypedDict):
    """A config file does not load."""

    cited: NotRequired[CitedRule]
    code: Literal["config_broken"]
    danger: NotRequired[Danger]
    decision: Decision
    error: str
    """The error."""
    kind: PartKind
    layer: LayerKind
    """Its layer."""
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartEvent(TypedDict):
    """An event of another component: `type` is the kind of its record, such as `agent.run_started`. Clients ignore
    kinds they do not know.
    """

    data: Any
    """The body of the record; `GET /api/audit/kinds` has its schema."""
    type: RecordKind
    """The kind of record."""


class PartExpansion(TypedDict):
    """A variable or other expansion that is not on the list of harmless ones."""

    cited: NotRequired[CitedRule]
    code: Literal["expansion"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str
    word: str
    """As written."""


class PartFieldMissing(TypedDict):
    """The tool's descriptor names a field that the input does not have."""

    cited: NotRequired[CitedRule]
    code: Literal["field_missing"]
    danger: NotRequired[Danger]
    decision: Decision
    field: str
    """The field, as a JSON pointer."""
    kind: PartKind
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartFieldUnreadable(TypedDict):
    """The tool's descriptor names a field whose value has another type than declared."""

    cited: NotRequired[CitedRule]
    code: Literal["field_unreadable"]
    danger: NotRequired[Danger]
    decision: Decision
    field: str
    """The field, as a JSON pointer."""
    kind: PartKind
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str


PartKind: TypeAlias = Literal["command", "redirect", "assignment", "opaque"]
"""What a [`Part`] is."""


class PartMayBeOption(TypedDict):
    """A word that may turn out to be an option."""

    cited: NotRequired[CitedRule]
    code: Literal["may_be_option"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str
    word: str
    """As written."""


class PartNoRule(TypedDict):
    """No rule matches, and the default is to ask."""

    cited: NotRequired[CitedRule]
    code: Literal["no_rule"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartNoWorkspace(TypedDict):
    """No workspace is known, so a path may lead out of it."""

    cited: NotRequired[CitedRule]
    code: Literal["no_workspace"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    path: str
    """The path."""
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartNobodyCanConfirm(TypedDict):
    """Nobody can answer an approval."""

    cited: NotRequired[CitedRule]
    code: Literal["nobody_can_confirm"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartNotEvaluated(TypedDict):
    """A deny or confirm rule might match, but a fact it depends on is unknown."""

    cited: NotRequired[CitedRule]
    code: Literal["not_evaluated"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    reason: str
    rule: int
    """Position in [`Verdict::rules`](crate::Verdict::rules)."""
    span: NotRequired[list[int]]
    text: str


class PartObstacle(TypedDict):
    """An option or operand that is not known to be harmless."""

    cited: NotRequired[CitedRule]
    code: Literal["obstacle"]
    danger: NotRequired[Danger]
    decision: Decision
    detail: NotRequired[ReasonDetail]
    """Why. Absent in records from before details existed."""
    kind: PartKind
    name: NotRequired[str]
    """The name in the sentence: a program or an option."""
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str
    why: str
    """Why, for people. The text may change; programs read the detail."""
    word: str
    """As written."""


class PartOpaque(TypedDict):
    """A part of a shell text that only bash itself can evaluate."""

    cited: NotRequired[CitedRule]
    code: Literal["opaque"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    opaque: str
    """Why it is opaque."""
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartOutsideWorkspace(TypedDict):
    """A path leads out of the workspace."""

    cited: NotRequired[CitedRule]
    code: Literal["outside_workspace"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    path: str
    """The path."""
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartPathUnknown(TypedDict):
    """It is unknown which file the call touches."""

    cited: NotRequired[CitedRule]
    code: Literal["path_unknown"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartProgramText(TypedDict):
    """It runs code given as text or in a file."""

    cited: NotRequired[CitedRule]
    code: Literal["program_text"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    program: str
    """The program."""
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartProtectedAmong(TypedDict):
    """The call would open several files, and one of them is protected."""

    cited: NotRequired[CitedRule]
    code: Literal["protected_among"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    path: str
    """The file."""
    pattern: str
    """The pattern on the list of protected paths."""
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartProtectedPath(TypedDict):
    """The call touches a protected path."""

    cited: NotRequired[CitedRule]
    code: Literal["protected_path"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    path: str
    """The path."""
    pattern: str
    """The pattern on the list of protected paths."""
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartRedirect(TypedDict):
    """A redirect that opens a file, or has a form that is not known to be harmless."""

    cited: NotRequired[CitedRule]
    code: Literal["redirect"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str
    word: str
    """As written."""


class PartRepositoryRuns(TypedDict):
    """The git repository names programs that git would run."""

    cited: NotRequired[CitedRule]
    code: Literal["repository_runs"]
    danger: NotRequired[Danger]
    decision: Decision
    directory: str
    """Directory in which git would run."""
    kind: PartKind
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str
    what: str
    """The setting."""


class PartRepositoryUnknown(TypedDict):
    """It is unknown what the git repository can do."""

    cited: NotRequired[CitedRule]
    code: Literal["repository_unknown"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartRepositoryUnproven(TypedDict):
    """Something in the git repository, or on the path to it, is not known to be harmless."""

    cited: NotRequired[CitedRule]
    code: Literal["repository_unproven"]
    danger: NotRequired[Danger]
    decision: Decision
    directory: str
    """Directory in which git would run."""
    file: str
    """The file or directory."""
    key: NotRequired[str]
    """The setting, if the problem is one."""
    kind: PartKind
    parts: NotRequired[list[Part]]
    problem: RepositoryProblem
    """The problem."""
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartRule(TypedDict):
    """A rule decided."""

    cited: NotRequired[CitedRule]
    code: Literal["rule"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    reason: str
    rule: int
    """Position in [`Verdict::rules`](crate::Verdict::rules)."""
    span: NotRequired[list[int]]
    text: str


class PartRunsUnknown(TypedDict):
    """It runs something unknown."""

    cited: NotRequired[CitedRule]
    code: Literal["runs_unknown"]
    danger: NotRequired[Danger]
    decision: Decision
    detail: NotRequired[ReasonDetail]
    """Why. Absent in records from before details existed."""
    kind: PartKind
    name: NotRequired[str]
    """The name in the sentence: a program or an option."""
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str
    why: str
    """Why, for people. The text may change; programs read the detail."""


class PartShellUnread(TypedDict):
    """It is unknown what the shell command runs."""

    cited: NotRequired[CitedRule]
    code: Literal["shell_unread"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartTooManyFiles(TypedDict):
    """There are more files than the limit, so a protected one may be among them."""

    cited: NotRequired[CitedRule]
    code: Literal["too_many_files"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    path: str
    """The directory."""
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartTooMuch(TypedDict):
    """More commands, or more deeply nested ones, than the limit."""

    cited: NotRequired[CitedRule]
    code: Literal["too_much"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartTrackedLinks(TypedDict):
    """Git would read files outside the work tree through a directory that is a symbolic link."""

    cited: NotRequired[CitedRule]
    code: Literal["tracked_links"]
    danger: NotRequired[Danger]
    decision: Decision
    directory: str
    """Directory in which git would run."""
    kind: PartKind
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartWalksHome(TypedDict):
    """It would search the home directory."""

    cited: NotRequired[CitedRule]
    code: Literal["walks_home"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    path: str
    """The start directory."""
    reason: str
    span: NotRequired[list[int]]
    text: str


class PartWorkLimit(TypedDict):
    """Matching exceeded the work limit for one call."""

    cited: NotRequired[CitedRule]
    code: Literal["work_limit"]
    danger: NotRequired[Danger]
    decision: Decision
    kind: PartKind
    parts: NotRequired[list[Part]]
    reason: str
    span: NotRequired[list[int]]
    text: str


PathAccess: TypeAlias = Literal["read", "search", "delete", "edit", "write"]
"""How a path is accessed."""


class PendingCallView(TypedDict):
    """A call that waits for an approval."""

    approvalId: ApprovalId
    """The question about it."""
    args: Any
    """The input."""
    toolCallId: str
    """The call's id."""
    toolName: str
    """The tool."""


class PendingExecution(TypedDict):
    """A call that waits for an approval."""

    agents: list[str]
    """The names of the agents, from the first one down to the one that made the call."""
    approval_id: ApprovalId
    """The question about it."""
    args: Any
    """The input."""
    run_id: str
    """The run that made the call."""
    tool_call_id: str
    """The call's id."""
    tool_name: str
    """The tool."""


Permission: TypeAlias = Union["PermissionAllow", "PermissionDeny"]
"""The response to a caller, in the form of the Claude Agent SDK's `canUseTool`."""


class PermissionAllow(TypedDict):
    """The call may run."""

    behavior: Literal["allow"]
    executionId: ExecutionId
    """The execution; report its end with `POST /api/executions/{id}`."""
    updatedInput: NotRequired[Any]
    """The input to run with, if a human changed it."""


class PermissionDeny(TypedDict):
    """The call may not run."""

    behavior: Literal["deny"]
    code: RefusalCode
    """The kind of refusal."""
    detail: NotRequired[str]
    """Details of this refusal, if there are any."""
    interrupt: NotRequired[bool]
    """Whether to stop the run as well."""
    message: str
    """The reason, for the model."""


class PipelineBody(TypedDict):
    """A pipeline: stages of agents, each fed with the output of the one before."""

    description: NotRequired[str]
    """What it is for."""
    name: str
    """Its name. No two stored pipelines have the same."""
    stages: list[PipelineStageBody]
    """The stages, in order."""
    timeBudgetSeconds: NotRequired[int]
    """The most seconds from the start to the end, waiting for approvals included; absent for no limit."""
    tokenBudget: NotRequired[int]
    """The most tokens of all stages together, input and output; absent for no limit."""


class PipelineBodyInput(TypedDict):
    """A pipeline: stages of agents, each fed with the output of the one before."""

    description: NotRequired[str | None]
    """What it is for."""
    name: str
    """Its name. No two stored pipelines have the same."""
    stages: list[PipelineStageBodyInput]
    """The stages, in order."""
    timeBudgetSeconds: NotRequired[int | None]
    """The most seconds from the start to the end, waiting for approvals included; absent for no limit."""
    tokenBudget: NotRequired[int | None]
    """The most tokens of all stages together, input and output; absent for no limit."""


class PipelineList(TypedDict):
    """All pipelines."""

    pipelines: list[PipelineView]
    """The pipelines, in order of creation."""


class PipelineRunList(TypedDict):
    """A page of runs of pipelines."""

    next: NotRequired[str]
    """What to send as `before` for the next page; absent on the last page."""
    runs: list[PipelineRunView]
    """The runs, newest first."""


class PipelineRunView(TypedDict):
    """A run of a pipeline."""

    createdAt: str
    """When it was started."""
    error: NotRequired[str]
    """More about the end, for people."""
    failedStage: NotRequired[int]
    """The stage that failed, from 0 on. It can be tried again."""
    failure: NotRequired[str]
    """Why it failed, as a code."""
    id: str
    """Its id."""
    input: NotRequired[str]
    """The input. Absent in lists."""
    name: str
    """The name that the pipeline had at the start."""
    output: NotRequired[str]
    """The output of the last stage, once it is done. Absent in lists."""
    pipelineId: NotRequired[str]
    """The stored pipeline; absent for one that is not stored."""
    stages: list[PipelineStageView]
    """The stages, in order."""
    startedBy: str
    """The credential that started it."""
    status: RunStatus
    """What it does."""
    updatedAt: str
    """When it last changed."""
    usage: UsageView
    """The tokens of all stages so far, without the one under way."""


class PipelineStageBody(TypedDict):
    """A stage of a pipeline: an agent, what it is to do, and what it may use of what it has."""

    agent: str
    """The agent, by its name or its id."""
    enabledTools: NotRequired[list[str]]
    """The tools that the stage may use, of those that the agent has. `[]` for none; absent for all of them."""
    maxIterations: NotRequired[int]
    """How many replies the model may give, if that is fewer than the agent has."""
    name: NotRequired[str]
    """Its name, for people; by default that of the agent."""
    prompt: str
    """What the agent is to do. `{{input}}` is the input of the pipeline, and `{{previous}}` the output of the stage
    before, which every stage but the first needs. `\\{{` is `{{` as text.
    """
    timeBudgetSeconds: NotRequired[int]
    """The most seconds of the stage, if that is fewer than the agent has."""
    tokenBudget: NotRequired[int]
    """The most tokens of the stage, if that is fewer than the agent has."""
    toolConfig: NotRequired[dict[str, Any]]
    """Settings of tools, by their names. They may only narrow those of the agent."""


class PipelineStageBodyInput(TypedDict):
    """A stage of a pipeline: an agent, what it is to do, and what it may use of what it has."""

    agent: str
    """The agent, by its name or its id."""
    enabledTools: NotRequired[list[str] | None]
    """The tools that the stage may use, of those that the agent has. `[]` for none; absent for all of them."""
    maxIterations: NotRequired[int | None]
    """How many replies the model may give, if that is fewer than the agent has."""
    name: NotRequired[str | None]
    """Its name, for people; by default that of the agent."""
    prompt: str
    """What the agent is to do. `{{input}}` is the input of the pipeline, and `{{previous}}` the output of the stage
    before, which every stage but the first needs. `\\{{` is `{{` as text.
    """
    timeBudgetSeconds: NotRequired[int | None]
    """The most seconds of the stage, if that is fewer than the agent has."""
    tokenBudget: NotRequired[int | None]
    """The most tokens of the stage, if that is fewer than the agent has."""
    toolConfig: NotRequired[dict[str, Any]]
    """Settings of tools, by their names. They may only narrow those of the agent."""


class PipelineStageView(TypedDict):
    """A stage of a run of a pipeline."""

    agentId: str
    """The agent."""
    agentName: str
    """The name that the agent had at the start."""
    attempts: list[StageAttemptView]
    """Its attempts, in order."""
    name: str
    """Its name."""
    output: NotRequired[str]
    """Its output, once it is done. Absent in lists."""
    pending: NotRequired[list[PendingCallView]]
    """The calls that wait for an approval."""
    status: NotRequired[RunStatus]
    """What it does; absent until it begins."""


class PipelineView(TypedDict):
    """A stored pipeline."""

    createdAt: str
    """When it was created."""
    definition: PipelineBody
    """Its definition."""
    id: str
    """Its id."""
    updatedAt: str
    """When its definition was last changed."""


Preset: TypeAlias = Literal["dev", "local-work", "network-read", "strict"]
"""Opt-in lists of rules."""


class PresetItem(TypedDict):
    """A preset, and where it is on."""

    files: list[str]
    """The files that switch it on."""
    ignoredIn: list[str]
    """Project files that name it without effect, because they may only tighten as long as they are not trusted."""
    name: Preset
    """Its name in a config file."""
    on: bool
    """Whether a file switches it on."""
    rules: list[PresetRule]
    """What its rules match."""


class PresetRule(TypedDict):
    """A rule of a preset, in a few words."""

    about: str
    """The command, or the tool and the path."""
    effect: Effect
    """Its effect."""


class Project(TypedDict):
    """A registered project and its file."""

    allows: NotRequired[int]
    """How many of its rules allow something; they apply only if the file is trusted."""
    diff: NotRequired[str]
    """What changed since it was last trusted, as a line diff."""
    path: str
    """The path of its file."""
    problem: NotRequired[str]
    """Why it does not load, or cannot be trusted here."""
    root: str
    """The project's root."""
    sha256: NotRequired[str]
    """SHA-256 of the file's bytes."""
    state: ProjectState
    """How the file compares with what was trusted."""
    text: NotRequired[str]
    """The text of the file."""
    trustedAt: NotRequired[str]
    """When it was last trusted."""
    trustedBy: NotRequired[str]
    """Who trusted it."""


class ProjectList(TypedDict):
    """The registered projects."""

    projects: list[Project]
    """Each project with its file."""


ProjectState: TypeAlias = Literal["trusted", "changed", "never", "absent", "broken"]
"""How a project file compares with what was trusted."""


class Proposal(TypedDict):
    """Rules that would decide equal calls from now on."""

    also: str
    """What else they would allow, in plain words."""
    alsoCodes: NotRequired[list[AlsoAllowed]]
    """The same as codes; empty in approvals stored before codes existed."""
    rules: list[RuleFields]
    """The rules; a compound command needs one for each part."""


class Question(TypedDict):
    """A question put to humans, and its outcome."""

    agentChain: NotRequired[list[str]]
    """For a sub-agent: the names of the agents, from the one that was started down to the one that asks."""
    agentId: NotRequired[str]
    """The agent's id."""
    askedAt: str
    """When it was asked."""
    askedBy: str
    """The credential that asked."""
    askedByName: NotRequired[str]
    """The name of the token that asked, for people."""
    conversationId: str | None
    """The conversation; null if the caller named none."""
    cwd: NotRequired[str]
    """The directory the call would run in."""
    descriptor: NotRequired[Described]
    """What the tool does, and who described it."""
    digest: Digest
    """The digest that an answer must match."""
    expiresAt: NotRequired[str]
    """When it expires; absent if it does not expire."""
    id: ApprovalId
    """Its id."""
    input: Any
    """The tool's input, as the agent wrote it."""
    onTimeout: OnTimeout
    """What happens if nobody answers in time."""
    outcome: NotRequired[QuestionOutcome]
    """How it ended."""
    proposals: list[Proposal]
    """The rules that remembering would store, narrowest first."""
    root: NotRequired[str]
    """The workspace root the call belongs to."""
    runId: NotRequired[str]
    """The run the call belongs to."""
    serverId: NotRequired[str]
    """The MCP server the tool belongs to."""
    shown: Shown
    """The call as people see it."""
    state: QuestionState
    """Its current state."""
    toolName: str
    """The tool's name."""
    toolUseId: NotRequired[str]
    """The call's own id."""
    verdict: Verdict
    """The verdict that led to the question. If it has more than 2000 parts, only the gravest are listed; its decision,
    reasons and danger are those of the whole.
    """
    workspaceId: str | None
    """The label of the workspace; null if the caller named none. Old clients rely on the key being present."""


class QuestionOutcome(TypedDict):
    """How an approval ended."""

    at: str
    """When it ended."""
    by: str
    """Who or what ended it, for people."""
    code: NotRequired[RefusalCode]
    """The kind of refusal, if it is one."""
    detail: NotRequired[str]
    """Details of the refusal: the words of the person who withdrew the question."""
    how: NotRequired[str]
    """The channel of the answer: `web`, `terminal`, `api`, …; absent if no person answered."""
    interrupt: NotRequired[bool]
    """Whether the run was to stop as well."""
    message: NotRequired[str]
    """The reason, for people."""
    taken: bool
    """Whether the caller has received the answer."""
    updatedInput: NotRequired[Any]
    """The input that replaced the requested one."""


QuestionState: TypeAlias = Literal["pending", "approved", "denied", "expired", "aborted"]
"""The state of an approval."""


class Questions(TypedDict):
    """A page of approvals."""

    approvals: list[SeenQuestion]
    """The approvals, newest first."""
    next: NotRequired[ApprovalId]
    """What to send as `before` for the next page; absent on the last page."""


QuietHours = TypedDict("QuietHours", {
    "from": str,
    "timeZone": str,
    "to": str,
})
"""A part of each day. If it ends before it begins, it spans midnight."""


Reason: TypeAlias = Union["ReasonRule", "ReasonNoRule", "ReasonNotEvaluated", "ReasonProtectedPath", "ReasonProtectedAmong", "ReasonTooManyFiles", "ReasonPathUnknown", "ReasonFieldMissing", "ReasonFieldUnreadable", "ReasonWorkLimit", "ReasonShellUnread", "ReasonOpaque", "ReasonRedirect", "ReasonAssignment", "ReasonExpansion", "ReasonObstacle", "ReasonMayBeOption", "ReasonChangesShell", "ReasonProgramText", "ReasonWalksHome", "ReasonOutsideWorkspace", "ReasonNoWorkspace", "ReasonRepositoryRuns", "ReasonRepositoryUnproven", "ReasonTrackedLinks", "ReasonRepositoryUnknown", "ReasonRunsUnknown", "ReasonTooMuch", "ReasonApprovalRequired", "ReasonNobodyCanConfirm", "ReasonConfigBroken"]
"""Why a decision was made. On the wire its fields are flattened into those of a [`Part`](crate::Part), so names must
not collide. Rules are given by their position in [`Verdict::rules`](crate::Verdict::rules).
"""


class ReasonApprovalRequired(TypedDict):
    """The settings of the agent or the tool require an approval, whatever the rules allow."""

    code: Literal["approval_required"]


class ReasonAssignment(TypedDict):
    """An assignment that may change what runs."""

    code: Literal["assignment"]
    name: str
    """The variable."""


class ReasonChangesShell(TypedDict):
    """The command changes the state of the shell that runs the following commands."""

    code: Literal["changes_shell"]
    program: str
    """The command."""


class ReasonConfigBroken(TypedDict):
    """A config file does not load."""

    code: Literal["config_broken"]
    error: str
    """The error."""
    layer: LayerKind
    """Its layer."""


ReasonDetail: TypeAlias = Literal["no_program", "computed_program", "program_elsewhere", "unknown_program", "not_listed", "no_harmless_use", "no_harmless_subcommand", "other_directory", "needs_option", "operand_needs_option", "too_many_operands", "may_become_too_many", "operand_prefix", "sets_other_variable", "unknown_option", "unproven_option", "option_takes_no_value", "may_be_option", "computed_value", "reads_standard_input", "unproven_value", "not_installed", "special_name", "git_format", "git_sort", "not_a_setting", "waits_long", "jq_program", "git_setting", "sed_script", "printf_format", "awk_program", "yq_path", "names_host", "other_machine", "outside_allow", "too_few_operands", "shows_environment", "computed_replacement", "no_closing_bracket", "may_change_test", "not_a_simple_test", "find_computed_word", "find_option", "find_computed_command", "find_executes", "name_splits", "computed_path", "changes_meaning", "leaves_sandbox", "second_directory", "unknown_directory_field", "uncertain_start", "computed_end", "no_command", "setting_may_run", "options_unknown", "options_contradict", "runs_command_file", "built_from_parts", "option_runs", "sed_runs", "runs_input", "computed_text", "other_shell"]
"""Why a command is not known to be harmless, or why it is unknown what it runs."""


class ReasonExpansion(TypedDict):
    """A variable or other expansion that is not on the list of harmless ones."""

    code: Literal["expansion"]
    word: str
    """As written."""


class ReasonFieldMissing(TypedDict):
    """The tool's descriptor names a field that the input does not have."""

    code: Literal["field_missing"]
    field: str
    """The field, as a JSON pointer."""


class ReasonFieldUnreadable(TypedDict):
    """The tool's descriptor names a field whose value has another type than declared."""

    code: Literal["field_unreadable"]
    field: str
    """The field, as a JSON pointer."""


class ReasonMayBeOption(TypedDict):
    """A word that may turn out to be an option."""

    code: Literal["may_be_option"]
    word: str
    """As written."""


class ReasonNoRule(TypedDict):
    """No rule matches, and the default is to ask."""

    code: Literal["no_rule"]


class ReasonNoWorkspace(TypedDict):
    """No workspace is known, so a path may lead out of it."""

    code: Literal["no_workspace"]
    path: str
    """The path."""


class ReasonNobodyCanConfirm(TypedDict):
    """Nobody can answer an approval."""

    code: Literal["nobody_can_confirm"]


class ReasonNotEvaluated(TypedDict):
    """A deny or confirm rule might match, but a fact it depends on is unknown."""

    code: Literal["not_evaluated"]
    rule: int
    """Position in [`Verdict::rules`](crate::Verdict::rules)."""


class ReasonObstacle(TypedDict):
    """An option or operand that is not known to be harmless."""

    code: Literal["obstacle"]
    detail: NotRequired[ReasonDetail]
    """Why. Absent in records from before details existed."""
    name: NotRequired[str]
    """The name in the sentence: a program or an option."""
    why: str
    """Why, for people. The text may change; programs read the detail."""
    word: str
    """As written."""


class ReasonOpaque(TypedDict):
    """A part of a shell text that only bash itself can evaluate."""

    code: Literal["opaque"]
    opaque: str
    """Why it is opaque."""


class ReasonOutsideWorkspace(TypedDict):
    """A path leads out of the workspace."""

    code: Literal["outside_workspace"]
    path: str
    """The path."""


class ReasonPathUnknown(TypedDict):
    """It is unknown which file the call touches."""

    code: Literal["path_unknown"]


class ReasonProgramText(TypedDict):
    """It runs code given as text or in a file."""

    code: Literal["program_text"]
    program: str
    """The program."""


class ReasonProtectedAmong(TypedDict):
    """The call would open several files, and one of them is protected."""

    code: Literal["protected_among"]
    path: str
    """The file."""
    pattern: str
    """The pattern on the list of protected paths."""


class ReasonProtectedPath(TypedDict):
    """The call touches a protected path."""

    code: Literal["protected_path"]
    path: str
    """The path."""
    pattern: str
    """The pattern on the list of protected paths."""


class ReasonRedirect(TypedDict):
    """A redirect that opens a file, or has a form that is not known to be harmless."""

    code: Literal["redirect"]
    word: str
    """As written."""


class ReasonRepositoryRuns(TypedDict):
    """The git repository names programs that git would run."""

    code: Literal["repository_runs"]
    directory: str
    """Directory in which git would run."""
    what: str
    """The setting."""


class ReasonRepositoryUnknown(TypedDict):
    """It is unknown what the git repository can do."""

    code: Literal["repository_unknown"]


class ReasonRepositoryUnproven(TypedDict):
    """Something in the git repository, or on the path to it, is not known to be harmless."""

    code: Literal["repository_unproven"]
    directory: str
    """Directory in which git would run."""
    file: str
    """The file or directory."""
    key: NotRequired[str]
    """The setting, if the problem is one."""
    problem: RepositoryProblem
    """The problem."""


class ReasonRule(TypedDict):
    """A rule decided."""

    code: Literal["rule"]
    rule: int
    """Position in [`Verdict::rules`](crate::Verdict::rules)."""


class ReasonRunsUnknown(TypedDict):
    """It runs something unknown."""

    code: Literal["runs_unknown"]
    detail: NotRequired[ReasonDetail]
    """Why. Absent in records from before details existed."""
    name: NotRequired[str]
    """The name in the sentence: a program or an option."""
    why: str
    """Why, for people. The text may change; programs read the detail."""


class ReasonShellUnread(TypedDict):
    """It is unknown what the shell command runs."""

    code: Literal["shell_unread"]


class ReasonTooManyFiles(TypedDict):
    """There are more files than the limit, so a protected one may be among them."""

    code: Literal["too_many_files"]
    path: str
    """The directory."""


class ReasonTooMuch(TypedDict):
    """More commands, or more deeply nested ones, than the limit."""

    code: Literal["too_much"]


class ReasonTrackedLinks(TypedDict):
    """Git would read files outside the work tree through a directory that is a symbolic link."""

    code: Literal["tracked_links"]
    directory: str
    """Directory in which git would run."""


class ReasonWalksHome(TypedDict):
    """It would search the home directory."""

    code: Literal["walks_home"]
    path: str
    """The start directory."""


class ReasonWorkLimit(TypedDict):
    """Matching exceeded the work limit for one call."""

    code: Literal["work_limit"]


RecordKind: TypeAlias = Union[Literal["verdict"], "Literal['question']", "Literal['outcome']", "Literal['claim']", "Literal['execution']", "Literal['rules']", "Literal['trust']", "Literal['token']", "Literal['upkeep']", "Literal['checkpoint']", str]
"""The kind of record: one of the gate's own kinds, or `area.kind` of a component."""


RecordLine: TypeAlias = Union["RecordLineTooLarge", "RecordLineApproved", "RecordLineDenied", "RecordLineExpired", "RecordLineCallerLeft", "RecordLineCalledOff", "RecordLineLetThrough", "RecordLineTold", "RecordLineTurnedBack", "RecordLineFinished", "RecordLineFailed", "RecordLineRuleAdded", "RecordLineRuleChanged", "RecordLineRuleRemoved", "RecordLineFileRuleChanged", "RecordLineFileRuleRemoved", "RecordLineRemembered", "RecordLinePolicyFileChanged", "RecordLineTrusted", "RecordLineTrustFailed", "RecordLineTrustRevoked", "RecordLineTokenMade", "RecordLineTokenRevoked", "RecordLineSignedIn", "RecordLineSignedOut", "RecordLineLinkMade", "RecordLineInputsForgotten", "RecordLineRowsRemoved", "RecordLineKeyAdded", "RecordLineSpoolUnread", "RecordLineCheckpoint"]
"""What an audit record says."""


class RecordLineApproved(TypedDict):
    """A human or a rule approved a call."""

    by: str
    """Who or what answered."""
    code: Literal["approved"]


class RecordLineCalledOff(TypedDict):
    """An approval was cancelled."""

    code: Literal["called_off"]
    why: str
    """The reason given."""


class RecordLineCallerLeft(TypedDict):
    """The caller did not wait for the answer."""

    code: Literal["caller_left"]


class RecordLineCheckpoint(TypedDict):
    """A checkpoint: the heads of all chains."""

    chains: int
    """The number of chains."""
    code: Literal["checkpoint"]


class RecordLineDenied(TypedDict):
    """A human or a rule denied a call."""

    by: str
    """Who or what answered."""
    code: Literal["denied"]


class RecordLineExpired(TypedDict):
    """Nobody answered in time."""

    code: Literal["expired"]


class RecordLineFailed(TypedDict):
    """A tool failed."""

    code: Literal["failed"]


class RecordLineFileRuleChanged(TypedDict):
    """A rule in the user's own policy file was changed."""

    by: str
    """Who changed it."""
    code: Literal["file_rule_changed"]
    effect: Effect
    """The effect of the changed rule."""
    file: str
    """The name of the file."""
    line: int
    """The line where the rule started."""


class RecordLineFileRuleRemoved(TypedDict):
    """A rule in the user's own policy file was removed."""

    by: str
    """Who removed it."""
    code: Literal["file_rule_removed"]
    effect: Effect
    """The effect of the rule."""
    file: str
    """The name of the file."""
    line: int
    """The line where the rule started."""


class RecordLineFinished(TypedDict):
    """A tool finished."""

    code: Literal["finished"]


class RecordLineInputsForgotten(TypedDict):
    """Old raw inputs were deleted."""

    before: str
    """The calls ended before this time."""
    code: Literal["inputs_forgotten"]
    inputs: NotRequired[int]
    """How many inputs, if known."""


class RecordLineKeyAdded(TypedDict):
    """A new key signs the audit log."""

    code: Literal["key_added"]
    key: int
    """The number of the key."""


class RecordLineLetThrough(TypedDict):
    """The call was allowed to run."""

    code: Literal["let_through"]


class RecordLineLinkMade(TypedDict):
    """A sign-in link was created."""

    code: Literal["link_made"]
    name: str
    """The name of the token it creates."""
    role: Role
    """The role of that token."""


class RecordLinePolicyFileChanged(TypedDict):
    """A policy file changed."""

    code: Literal["policy_file_changed"]


class RecordLineRemembered(TypedDict):
    """An answer was stored as a rule."""

    by: str
    """Who answered."""
    code: Literal["remembered"]
    effect: Effect
    """The effect of the rule."""
    scope: Scope
    """Where the rule applies."""


class RecordLineRowsRemoved(TypedDict):
    """Old audit rows were removed."""

    before: str
    """The rows are older than this."""
    code: Literal["rows_removed"]


class RecordLineRuleAdded(TypedDict):
    """A rule was added."""

    by: str
    """Who added it."""
    code: Literal["rule_added"]
    effect: Effect
    """The effect of the rule."""
    id: str
    """The id of the rule."""


class RecordLineRuleChanged(TypedDict):
    """A rule was changed."""

    by: str
    """Who changed it."""
    code: Literal["rule_changed"]
    effect: Effect
    """The effect of the rule."""
    id: str
    """The id of the rule."""


class RecordLineRuleRemoved(TypedDict):
    """A rule was removed."""

    by: str
    """Who removed it."""
    code: Literal["rule_removed"]
    effect: Effect
    """The effect of the rule."""
    id: str
    """The id of the rule."""


class RecordLineSignedIn(TypedDict):
    """A sign-in link created a token."""

    code: Literal["signed_in"]
    name: str
    """Its name."""


class RecordLineSignedOut(TypedDict):
    """The holder of a token signed out."""

    code: Literal["signed_out"]
    name: str
    """Its name."""


class RecordLineSpoolUnread(TypedDict):
    """A line of a hook's spool could not be read."""

    code: Literal["spool_unread"]


class RecordLineTokenMade(TypedDict):
    """A token was created."""

    code: Literal["token_made"]
    name: str
    """Its name."""


class RecordLineTokenRevoked(TypedDict):
    """A token was revoked."""

    code: Literal["token_revoked"]
    name: str
    """Its name."""


class RecordLineTold(TypedDict):
    """The caller received the refusal."""

    code: Literal["told"]


class RecordLineTooLarge(TypedDict):
    """The call is too large to describe."""

    code: Literal["too_large"]


class RecordLineTrustFailed(TypedDict):
    """Trust in a project's policy file could not be stored."""

    code: Literal["trust_failed"]
    error: str
    """What went wrong, as displayed to people."""
    path: str
    """The path of the file."""


class RecordLineTrustRevoked(TypedDict):
    """A project's policy file is no longer trusted."""

    by: str
    """Who revoked the trust."""
    code: Literal["trust_revoked"]
    path: str
    """The path of the file."""


class RecordLineTrusted(TypedDict):
    """A project's policy file was trusted."""

    by: str
    """Who trusts it."""
    code: Literal["trusted"]
    path: str
    """The path of the file."""


class RecordLineTurnedBack(TypedDict):
    """An approved call may not run after all."""

    code: Literal["turned_back"]
    why: str
    """Why, as displayed to people."""


RefusalCode: TypeAlias = Literal["denied", "denied_by_rule", "expired", "aborted", "nobody_can_answer", "not_recorded", "config_broken", "input_not_exact", "other_input", "already_taken", "no_call_id", "no_room", "closing"]
"""The kinds of refusal."""


RememberBody: TypeAlias = Union[bool, "RememberRules"]
"""What to remember."""


class RememberRules(TypedDict):
    """Which rules to remember, and where."""

    rules: NotRequired[list[RuleFieldsInput]]
    """The rules, as proposed or as edited. Empty: the narrowest proposal."""
    scope: Scope
    """Where they apply."""


class RememberedBody(TypedDict):
    """What was remembered, or why not. The answer stands either way."""

    diff: NotRequired[str]
    """The changes in a project file that was not written, because it differs from the file a human trusted."""
    message: NotRequired[str]
    """Why the rules apply to the session only, or why nothing was stored."""
    rules: list[RuleFields]
    """The rules as they were stored."""
    scope: NotRequired[Scope]
    """Where the rules apply, which may differ from the requested scope. Absent if nothing was stored."""


Repository: TypeAlias = Union[Literal["plain"], "RepositoryNamesPrograms", "RepositoryUnproven"]
"""What a git repository can make git do."""


class RepositoryFinding(TypedDict):
    """Something about a git repository that is not known to be harmless, even to a command that only reads."""

    file: str
    """The file or directory, absolute."""
    key: NotRequired[str]
    """The setting, as `section.subsection.key`, if the problem is one."""
    problem: RepositoryProblem
    """The problem."""
    submodule: NotRequired[bool]
    """It is in a submodule, which git reads in a separate process that command options do not reach."""
    writes: NotRequired[bool]
    """It matters only to commands that change the repository."""


class RepositoryNamesPrograms(TypedDict):
    """Its own config or attributes name a program that git would run."""

    names_programs: RepositoryNamesProgramsNamesPrograms


class RepositoryNamesProgramsNamesPrograms(TypedDict):
    what: str
    """The setting."""


RepositoryProblem: TypeAlias = Literal["setting", "hook", "unreadable", "looks_bare", "not_repository", "redirect", "link", "alternates", "index", "user_include", "credential", "absent", "too_much"]
"""Problems of a git repository."""


class RepositoryUnproven(TypedDict):
    """Something in it, or on the path to it, is not known to be harmless."""

    unproven: RepositoryUnprovenUnproven


class RepositoryUnprovenUnproven(TypedDict):
    findings: list[RepositoryFinding]
    """The findings; at least one."""


class Resolved(TypedDict):
    """An approval that ended."""

    id: ApprovalId
    """Its id."""
    outcome: NotRequired[QuestionOutcome]
    """Who ended it, and why."""
    state: QuestionState
    """How it ended; never `pending`."""
    toolName: NotRequired[str]
    """The tool's name."""


Role: TypeAlias = Literal["agent", "viewer", "approver", "admin"]
"""What a credential may do, from least to most."""


class RuleBody(TypedDict):
    """The schema of [`RuleBody`]. It is parsed by hand, because a flattened struct cannot reject unknown fields."""

    agent: NotRequired[str | None]
    """Exact agent id; absent means any."""
    autoApprove: NotRequired[bool | None]
    """`true`: allow; `false`: confirm, or deny if `effect` says so."""
    command: NotRequired[str | None]
    """Shell tools: the leading words of a command, such as `git push`."""
    commandGlob: NotRequired[str | None]
    """Shell tools: `*` is any text, `?` one character. With `command`: both must match."""
    effect: NotRequired[Effect | None]
    """The effect. Either this or `autoApprove` is required."""
    examples: NotRequired[RuleExamplesInput | None]
    """Calls the rule must and must not match."""
    expiresAt: NotRequired[str | None]
    """When the rule expires."""
    host: NotRequired[str | None]
    """Web tools: a host, or `*.suffix`, perhaps with a port (`example.com:8443`). Without one, an allow covers the
    default port only, a deny or confirm every port.
    """
    input: NotRequired[str | None]
    """The input of the call, as JSON text: all of it for an allow, fields that it has for a deny or confirm."""
    note: NotRequired[str | None]
    """Why the rule exists. The model reads the note of a deny."""
    onTimeout: NotRequired[OnTimeout | None]
    """Confirm rules: what happens if nobody answers in time."""
    path: NotRequired[str | None]
    """File tools: a gitignore-style glob over the absolute path."""
    priority: NotRequired[int | None]
    """Higher wins; default 0. A deny wins at any priority."""
    rule: NotRequired[RuleFieldsInput | None]
    """The fields of the rule, unless they are next to `effect`."""
    server: NotRequired[str | None]
    """Exact id of an MCP server; absent means any."""
    serverId: NotRequired[str | None]
    """Another name for `server`."""
    skillName: NotRequired[str | None]
    """`skill_load` only: exact name of the skill."""
    timeoutS: NotRequired[int | None]
    """Confirm rules: seconds to wait for an answer; default 120."""
    tool: NotRequired[str | None]
    """Exact tool name. A canonical name (`bash`, `read`, …) also matches the names that known agents use for that
    tool.
    """
    toolName: NotRequired[str | None]
    """Another name for `tool`."""
    toolPattern: NotRequired[str | None]
    """`*` wildcard over the whole tool name, ignoring case. With `tool`: either may match."""
    unrestricted: NotRequired[bool | None]
    """Whole-tool allow of a shell tool: drops the limits on shell text."""


class RuleExamples(TypedDict):
    """A rule's own tests."""

    match: NotRequired[list[Example]]
    """Calls the rule must match."""
    notMatch: NotRequired[list[Example]]
    """Calls the rule must not match."""


class RuleExamplesInput(TypedDict):
    """A rule's own tests."""

    match: NotRequired[list[ExampleInput]]
    """Calls the rule must match."""
    notMatch: NotRequired[list[ExampleInput]]
    """Calls the rule must not match."""


class RuleFields(TypedDict):
    """What a rule matches, and its options. `null` means absent."""

    agent: NotRequired[str]
    """Exact agent id; absent means any."""
    command: NotRequired[str]
    """Shell tools: the leading words of a command, such as `git push`."""
    commandGlob: NotRequired[str]
    """Shell tools: `*` is any text, `?` one character. With `command`: both must match."""
    examples: NotRequired[RuleExamples]
    """Calls the rule must and must not match."""
    expiresAt: NotRequired[str]
    """When the rule expires."""
    host: NotRequired[str]
    """Web tools: a host, or `*.suffix`, perhaps with a port (`example.com:8443`). Without one, an allow covers the
    default port only, a deny or confirm every port.
    """
    input: NotRequired[str]
    """The input of the call, as JSON text: all of it for an allow, fields that it has for a deny or confirm."""
    note: NotRequired[str]
    """Why the rule exists. The model reads the note of a deny."""
    onTimeout: NotRequired[OnTimeout]
    """Confirm rules: what happens if nobody answers in time."""
    path: NotRequired[str]
    """File tools: a gitignore-style glob over the absolute path."""
    priority: NotRequired[int]
    """Higher wins; default 0. A deny wins at any priority."""
    server: NotRequired[str]
    """Exact id of an MCP server; absent means any."""
    serverId: NotRequired[str]
    """Another name for `server`."""
    skillName: NotRequired[str]
    """`skill_load` only: exact name of the skill."""
    timeoutS: NotRequired[int]
    """Confirm rules: seconds to wait for an answer; default 120."""
    tool: NotRequired[str]
    """Exact tool name. A canonical name (`bash`, `read`, …) also matches the names that known agents use for that
    tool.
    """
    toolName: NotRequired[str]
    """Another name for `tool`."""
    toolPattern: NotRequired[str]
    """`*` wildcard over the whole tool name, ignoring case. With `tool`: either may match."""
    unrestricted: NotRequired[bool]
    """Whole-tool allow of a shell tool: drops the limits on shell text."""


class RuleFieldsInput(TypedDict):
    """What a rule matches, and its options. `null` means absent."""

    agent: NotRequired[str | None]
    """Exact agent id; absent means any."""
    command: NotRequired[str | None]
    """Shell tools: the leading words of a command, such as `git push`."""
    commandGlob: NotRequired[str | None]
    """Shell tools: `*` is any text, `?` one character. With `command`: both must match."""
    examples: NotRequired[RuleExamplesInput | None]
    """Calls the rule must and must not match."""
    expiresAt: NotRequired[str | None]
    """When the rule expires."""
    host: NotRequired[str | None]
    """Web tools: a host, or `*.suffix`, perhaps with a port (`example.com:8443`). Without one, an allow covers the
    default port only, a deny or confirm every port.
    """
    input: NotRequired[str | None]
    """The input of the call, as JSON text: all of it for an allow, fields that it has for a deny or confirm."""
    note: NotRequired[str | None]
    """Why the rule exists. The model reads the note of a deny."""
    onTimeout: NotRequired[OnTimeout | None]
    """Confirm rules: what happens if nobody answers in time."""
    path: NotRequired[str | None]
    """File tools: a gitignore-style glob over the absolute path."""
    priority: NotRequired[int | None]
    """Higher wins; default 0. A deny wins at any priority."""
    server: NotRequired[str | None]
    """Exact id of an MCP server; absent means any."""
    serverId: NotRequired[str | None]
    """Another name for `server`."""
    skillName: NotRequired[str | None]
    """`skill_load` only: exact name of the skill."""
    timeoutS: NotRequired[int | None]
    """Confirm rules: seconds to wait for an answer; default 120."""
    tool: NotRequired[str | None]
    """Exact tool name. A canonical name (`bash`, `read`, …) also matches the names that known agents use for that
    tool.
    """
    toolName: NotRequired[str | None]
    """Another name for `tool`."""
    toolPattern: NotRequired[str | None]
    """`*` wildcard over the whole tool name, ignoring case. With `tool`: either may match."""
    unrestricted: NotRequired[bool | None]
    """Whole-tool allow of a shell tool: drops the limits on shell text."""


class RuleItem(TypedDict):
    """A rule, where it is, and how often it decided."""

    autoApprove: bool
    """Whether calls it matches run without a question."""
    createdAt: NotRequired[str]
    """When it was created."""
    createdBy: NotRequired[str]
    """Who created it."""
    editable: bool
    """Whether it can be changed over the API."""
    effect: Effect
    """Its effect."""
    expired: NotRequired[bool]
    """Whether it has expired."""
    file: NotRequired[str]
    """The file it is in."""
    hits: int
    """How many calls of the last seven days it decided, or helped to decide."""
    id: str
    """The UUID of a stored rule; for others the id written in the rule, or a digest of its position and text."""
    lastHit: NotRequired[str]
    """When it last decided."""
    line: NotRequired[int]
    """The line it begins at."""
    priority: int
    """Higher wins."""
    rule: RuleFields
    """What it matches."""
    serverId: str | None
    """The MCP server; null means any."""
    session: NotRequired[RuleSession]
    """The only session it applies to."""
    source: RuleSource
    """Where it comes from."""
    standing: RuleStanding
    """Whether it applies."""
    toolName: str | None
    """The exact tool; null means that the pattern decides, or any tool."""
    toolPattern: str | None
    """The wildcard pattern."""
    updatedAt: NotRequired[str]
    """When it was last changed."""


class RuleList(TypedDict):
    """All rules."""

    generation: int
    """Grows whenever rules change."""
    presets: list[PresetItem]
    """The opt-in lists of rules that are shipped with sekisho, and where they are on."""
    problems: list[RuleProblem]
    """Layers and rules that do not load."""
    rules: list[RuleItem]
    """The rules, by layer."""


class RuleProblem(TypedDict):
    """A problem with a layer: a file that does not load, or an invalid stored rule."""

    file: str
    """The file, or another name of the source."""
    message: str
    """What is wrong and how to fix it."""
    source: RuleSource
    """The layer."""


class RuleSession(TypedDict):
    """The session a rule is remembered for."""

    agentId: NotRequired[str]
    """The agent's id."""
    credential: str
    """The credential that asked."""
    scope: str
    """The run or conversation."""


RuleSource: TypeAlias = Literal["built-in", "managed", "global", "project", "database", "session"]
"""Where a rule comes from."""


RuleStanding: TypeAlias = Literal["counts", "not_trusted", "only_tightens", "broken"]
"""Whether a rule applies. Denies and confirms of project files always do."""


class RuleTrial(TypedDict):
    """Rules to test on past calls: one, or several that belong together."""

    autoApprove: NotRequired[bool | None]
    """`true`: allow; `false`: confirm, or deny if `effect` says so."""
    call: NotRequired[Decide | None]
    """A call to judge with the rules, besides the past calls."""
    effect: NotRequired[Effect | None]
    """The effect. Either this or `autoApprove` is required."""
    limit: NotRequired[int | None]
    """How many calls to test, newest first; default 500."""
    replaces: NotRequired[str | None]
    """The stored rule that `rule` would replace."""
    rule: NotRequired[RuleFieldsInput | None]
    """The rule. Either this or `rules` is required."""
    rules: NotRequired[list[RuleFieldsInput] | None]
    """Rules that would be stored together, such as a proposal for a compound command."""
    since: NotRequired[str | None]
    """Ignore calls before this time."""


class RuleTried(TypedDict):
    """What rules would have decided."""

    call: NotRequired[Decided]
    """The verdict on `call` with the rules. It cites a tested rule by the id of the rule it replaces, or else by its
    index as a UUID, from 0.
    """
    changed: list[ChangedCall]
    """Calls whose decision would change, newest first; 200 at most."""
    changedTotal: int
    """How many decisions would change in total."""
    counts: list[ChangeCount]
    """All tested calls, by their decisions without and with the rules."""
    matched: int
    """How many of them a tested rule matches."""
    matches: list[ChangedCall]
    """The latest calls that match, whether or not their decision would change; 50 at most."""
    tried: int
    """How many past calls were judged, with and without the rules."""


class RunBudgets(TypedDict):
    """What a run may use. Absent for no limit."""

    costUsd: NotRequired[str]
    """Money, in US dollars."""
    seconds: NotRequired[int]
    """Seconds from its start to its end."""
    tokens: NotRequired[int]
    """Tokens, input and output."""


class RunList(TypedDict):
    """A page of runs."""

    next: NotRequired[str]
    """What to send as `before` for the next page; absent on the last page."""
    runs: list[RunView]
    """The runs, newest first."""


class RunMessage(TypedDict):
    """A message of a run."""

    results: NotRequired[list[RunToolResult]]
    """The results of the calls before it, as the model reads them."""
    role: str
    """`user`, `assistant` or `tools`."""
    text: NotRequired[str]
    """The text of a user or of the model."""
    toolCalls: NotRequired[list[RunToolCall]]
    """The calls of the model."""


class RunMessages(TypedDict):
    """The conversation of a run."""

    messages: list[RunMessage]
    """The messages, in order."""


class RunPipelineBody(TypedDict):
    """Starts a run of a stored pipeline."""

    input: NotRequired[str | None]
    """The input, if a prompt has `{{input}}`."""


RunStatus: TypeAlias = Literal["running", "suspended", "completed", "failed", "aborted"]
"""What a run does."""


class RunToolCall(TypedDict):
    """A call of the model."""

    args: Any
    """The input. A string, if it was not a JSON object; such a call does not run."""
    toolCallId: str
    """The call's id."""
    toolName: str
    """The tool."""


class RunToolResult(TypedDict):
    """The result of a call."""

    content: str
    """The text."""
    isError: bool
    """Whether it is an error."""
    toolCallId: str
    """The call's id."""
    toolName: str
    """The tool."""


class RunView(TypedDict):
    """A run."""

    agentId: str
    """The agent."""
    agentName: str
    """The name that the agent had at the start."""
    budgets: RunBudgets
    """What it may use."""
    children: NotRequired[list[str]]
    """The runs that it started. Absent in lists."""
    createdAt: str
    """When it was started."""
    depth: int
    """How many runs are above it: 0 for a run that a person or a program started."""
    error: NotRequired[str]
    """More about the end, such as the error of the model."""
    finishReason: NotRequired[str]
    """Why it ended. Absent while it goes on."""
    id: str
    """Its id."""
    model: str
    """The model."""
    output: NotRequired[str]
    """What the model said last. Absent in lists."""
    parentId: NotRequired[str]
    """The run that started it, if it is that of a sub-agent."""
    pending: list[PendingCallView]
    """The calls that wait for an approval."""
    provider: ModelProvider
    """Which interface its model has."""
    queuedMessages: int
    """How many messages wait until the run is free."""
    replies: int
    """How many replies the model gave so far."""
    startedBy: str
    """The credential that started it."""
    status: RunStatus
    """What it does."""
    totalUsage: NotRequired[UsageView]
    """The tokens so far, those of the runs below it included. Absent in lists."""
    updatedAt: str
    """When it last changed."""
    usage: UsageView
    """The tokens so far, and what they cost."""
    workspace: NotRequired[str]
    """Its workspace."""


Scope: TypeAlias = Literal["session", "project", "global"]
"""Where a remembered rule applies."""


SeenQuestion: TypeAlias = Union["Question", "OwnQuestion"]
"""An approval, as far as the reader may see it."""


class SessionBody(TypedDict):
    """The caller, and facts about this server."""

    address: NotRequired[str]
    """The address people open, which links start with; not for agents."""
    asks: bool
    """Whether people are asked at all."""
    expiresAt: NotRequired[str]
    """When its credential expires."""
    id: NotRequired[TokenId]
    """The id of its token, if it has one."""
    kind: SessionKind
    """How it authenticated."""
    name: str
    """Its name, for people."""
    projects: NotRequired[list[str]]
    """The registered projects; not for agents."""
    role: Role
    """What it may do."""
    version: str
    """The server's version."""
    warningCodes: NotRequired[list[Warning]]
    """The same as codes, one for each sentence; not for agents."""
    warnings: NotRequired[list[str]]
    """What is unsafe about this configuration; not for agents."""


SessionKind: TypeAlias = Literal["api", "device", "socket"]
"""How a caller authenticated."""


class Shown(TypedDict):
    """A call as people see it."""

    besides: NotRequired[list[FieldBeside]]
    """Input fields that the form does not show. Display them beside it."""
    danger: Danger
    """How dangerous the call is, and why."""
    directory: NotRequired[str]
    """The directory a command would start in, if the input names one other than the call's `cwd`. Empty if it cannot
    be determined.
    """
    files: NotRequired[list[FileMark]]
    """The files that were read for this view, with their fingerprints."""
    form: Form
    """The form that fits the tool."""
    hidden: NotRequired[list[HiddenCharacter]]
    """The escaped characters that hide or disguise text."""
    json: str
    """The whole input as pretty-printed JSON, with hidden characters made visible."""
    leftOut: NotRequired[list[str]]
    """What is not shown and how much, one sentence each. Empty if `whole` is true. Display them beside the form."""
    leftOutCodes: NotRequired[list[LeftOut]]
    """The same as codes, one per sentence. Empty in views stored before codes existed."""
    message: str
    """The tool and its main input. For commands, the normalised command."""
    title: str
    """`Run command?`, `Run tool?`, …"""
    titleCode: NotRequired[TitleCode]
    """The same as a code. Absent in views stored before codes existed."""
    whole: bool
    """Whether everything could be shown. A call that is not shown whole cannot be remembered."""
    why: str
    """Why it needs an answer."""


class SignIn(TypedDict):
    """A sign-in request."""

    link: str
    """The text after `#link=` in a link: `skl_…`."""


Signature: TypeAlias = Literal["holds", "changed", "unknown_key"]
"""Whether a record is as it was signed."""


class SignedIn(TypedDict):
    """A device that signed in."""

    name: str
    """The name of the device."""
    pageKey: str
    """The page's half of the browser's credential: 32 hexadecimal digits for `X-Sekisho-Page`. It is shown only this
    once.
    """
    role: Role
    """What it may do."""


class Spread(TypedDict):
    """Percentiles of a set of values."""

    p50: int
    """The median."""
    p90: int
    """The 90th percentile."""
    p99: int
    """The 99th percentile."""


class StageAttemptView(TypedDict):
    """An attempt of a stage."""

    endedAt: NotRequired[str]
    """When it ended."""
    error: NotRequired[str]
    """More about the failure, for people."""
    failure: NotRequired[str]
    """Why it failed, as a code: a reason for which a run ends, or `not_started`, `run_missing`, `run_id_taken`,
    `no_output` or `too_long`.
    """
    runId: str
    """The run of the stage's agent, as in `/api/runs`."""
    startedAt: str
    """When it began."""
    usage: NotRequired[UsageView]
    """Its tokens, once it has ended."""


class Standing(TypedDict):
    """The current state."""

    approvals: list[SeenQuestion]
    """The open approvals, oldest first."""
    seq: int
    """The number of the last event it includes."""


class StartPipelineRunBody(TypedDict):
    """Starts a run of a pipeline that is not stored."""

    definition: PipelineBodyInput
    """The pipeline."""
    input: NotRequired[str | None]
    """The input, if a prompt has `{{input}}`."""


class Started(TypedDict):
    """A tool that started."""

    approvalId: NotRequired[ApprovalId]
    """The approval that allowed it, if there was one."""
    executionId: ExecutionId
    """The id of the execution."""
    runId: NotRequired[str]
    """The run of the call, if it names one."""
    toolName: str
    """The tool's name."""


class Stats(TypedDict):
    """Statistics of a time range."""

    answerMs: Spread | None
    """How long people took to answer, in milliseconds."""
    answers: list[AnswerBucket]
    """The same as a histogram, always with the same bounds, in ascending order."""
    asked: list[AskedTool]
    """The tools that needed approval most often, and how the approvals ended; at most 20."""
    bytes: int
    """The size of the database in bytes."""
    commands: list[AskedCommand]
    """The shell commands that needed approval most often, from the latest approvals of the range; at most 20."""
    hours: list[Hour]
    """Decisions and human answers by hour."""
    outcomes: Outcomes
    """How many approvals were approved, denied, expired or aborted."""
    rows: int
    """The number of rows in the log."""


class StatusOk(TypedDict):
    """A change was stored."""

    status: str
    """Always `ok`."""


class SubAgentExecution(TypedDict):
    """A run of a sub-agent."""

    agents: list[str]
    """The names of the agents, from the first one down to this one."""
    finish_reason: str | None
    """Why it ended. Null while it goes on."""
    parent_run_id: str
    """The run that started it."""
    run_id: str
    """The run's id."""
    status: RunStatus
    """What the run does."""


class Suggestion(TypedDict):
    """Rules that people's answers support."""

    also: str
    """What else they would cover, in plain words."""
    alsoCodes: NotRequired[list[AlsoAllowed]]
    """The same as codes; empty in approvals stored before codes existed."""
    effect: Effect
    """The effect of the rules."""
    evidence: list[Evidence]
    """The latest of them, ten at most."""
    firstAt: str
    """When the first was given."""
    lastAt: str
    """When the last was given."""
    rules: list[RuleFields]
    """The rules."""
    support: int
    """How many equal answers there are, with none to the contrary."""


class Suggestions(TypedDict):
    """Suggested rules."""

    suggestions: list[Suggestion]
    """The suggestions, strongest first."""


TitleCode: TypeAlias = Literal["run_command", "read_file", "search_files", "write_file", "delete_file", "edit_file", "change_files", "fetch_web", "search_web", "load_skill", "run_tool"]
"""What a question asks permission for. Tools of MCP servers are always `run_tool`."""


class TokenBody(TypedDict):
    """A credential. Nothing of its secret is included."""

    agent: NotRequired[str]
    """The only agent that may ask with it; the agent's name is then proven."""
    counts: bool
    """Whether it is valid now."""
    createdAt: str
    """When it was created."""
    createdBy: str
    """Who created it."""
    device: NotRequired[str]
    """The browser that followed the link: `Chrome on Linux`. For display only, never trusted."""
    expiresAt: NotRequired[str]
    """When it expires."""
    id: TokenId
    """Its id; not secret."""
    kind: TokenKind
    """What it is for."""
    lastUsedAt: NotRequired[str]
    """When it was last used, to within a minute."""
    name: str
    """Its name, for people."""
    revokedAt: NotRequired[str]
    """When it was revoked."""
    role: Role
    """What it may do."""
    roots: list[str]
    """The workspace roots its calls may belong to; empty means any registered root."""
    vouches: bool
    """Whether it belongs to a host application that may state which MCP server a call uses."""


TokenId: TypeAlias = str
"""A credential."""


TokenKind: TypeAlias = Literal["api", "device"]
"""What a token is for."""


class TokensBody(TypedDict):
    """All credentials."""

    tokens: list[TokenBody]
    """The tokens, oldest first, including expired and revoked ones."""


class ToolConfigBody(TypedDict):
    """Which tools an agent may use. Tools that are not in the list stay as they are."""

    agent_id: str
    """The agent."""
    tools: list[ToolConfigEntry]
    """The tools."""


class ToolConfigEntry(TypedDict):
    """Whether and how an agent may use a tool."""

    config: NotRequired[Any]
    """The settings of the tool for this agent, as in `tool_config` of `server.json`; absent or null for the defaults."""
    is_enabled: bool
    """Whether the agent may use it."""
    require_approval: NotRequired[bool]
    """Whether every call of the tool needs an approval, also where a rule allows it."""
    tool_name: str
    """The tool."""


class ToolDescriptor(TypedDict):
    """A descriptor as written. Each list contains fields of the input: a name (`script`) or a JSON pointer
    (`/steps/*/run`, where `*` stands for each element of a list).
    """

    addresses: NotRequired[list[str]]
    """Fields with addresses that are fetched."""
    commands: NotRequired[list[str]]
    """Fields with commands: each a text, or one command as a list of words."""
    kind: DescriptorKind
    """What the tool does."""
    readOnly: NotRequired[bool]
    """The tool changes nothing. This alone does not allow anything."""
    reads: NotRequired[list[str]]
    """Fields with paths of files that are read: each a text or a list of texts."""
    searches: NotRequired[list[str]]
    """Fields with directories that are searched, or read with everything below them."""
    writes: NotRequired[list[str]]
    """Fields with paths of files that are written, edited or deleted."""


class TrustBody(TypedDict):
    """A request to trust exactly these bytes."""

    root: str
    """The project's root, as listed."""
    sha256: str
    """SHA-256 of the bytes that were read and are trusted, in hexadecimal."""


class UsageView(TypedDict):
    """Tokens and what they cost."""

    cacheReadTokens: int
    """Input that was read from the provider's cache."""
    cacheWriteTokens: int
    """Input that was written to it."""
    costUsd: NotRequired[str]
    """What it cost, in US dollars, such as `"0.0123"`. Absent if the model has no price."""
    inputTokens: int
    """Input, cached tokens included."""
    outputTokens: int
    """Output."""


class Verdict(TypedDict):
    """The wire form of a verdict."""

    danger: Danger
    decision: Decision
    facts: NotRequired[Facts]
    on_timeout: NotRequired[OnTimeout]
    """What happens then."""
    parts: list[Part]
    reason: str
    reasons: list[Reason]
    rules: list[CitedRule]
    timeout_s: NotRequired[int]
    """Seconds."""


Warning: TypeAlias = Union["WarningQuestionsOff", "WarningNoTls", "WarningNoApprovers", "WarningNobodyAnswers", "WarningRunsAsRoot", "WarningDirectoryWritable", "WarningConfigWritable", "WarningSecretReadable", "WarningConfigBroken", "WarningProjectBroken", "WarningWideRule", "WarningOther"]
"""What is unsafe about a configuration."""


class WarningConfigBroken(TypedDict):
    """A config file does not load, so everything is denied."""

    code: Literal["config_broken"]
    error: str
    """The error, for people."""


class WarningConfigWritable(TypedDict):
    """Other users may write to a config file."""

    code: Literal["config_writable"]
    path: str
    """The file."""


class WarningDirectoryWritable(TypedDict):
    """Other users may write to a directory."""

    code: Literal["directory_writable"]
    path: str
    """The directory."""


class WarningNoApprovers(TypedDict):
    """The server was started without approvers."""

    code: Literal["no_approvers"]


class WarningNoTls(TypedDict):
    """Other machines reach the server without TLS."""

    address: str
    """The address it listens on."""
    code: Literal["no_tls"]


class WarningNobodyAnswers(TypedDict):
    """No valid token may answer."""

    code: Literal["nobody_answers"]


class WarningOther(TypedDict):
    """Anything else."""

    code: Literal["other"]
    message: str
    """The warning, for people."""


class WarningProjectBroken(TypedDict):
    """A project file does not load, so every call in that project is asked about."""

    code: Literal["project_broken"]
    error: str
    """The error, for people."""


class WarningQuestionsOff(TypedDict):
    """Questions are off: calls that would be asked about run."""

    code: Literal["questions_off"]


class WarningRunsAsRoot(TypedDict):
    """The server runs as root."""

    code: Literal["runs_as_root"]


class WarningSecretReadable(TypedDict):
    """Other users may read a file that holds a secret."""

    code: Literal["secret_readable"]
    path: str
    """The file."""


class WarningWideRule(TypedDict):
    """A rule allows more than a person can oversee."""

    code: Literal["wide_rule"]
    message: str
    """The problem, for people."""
    place: str
    """The file and the line."""


class WebAddress(TypedDict):
    """An address that would be fetched."""

    host: NotRequired[str]
    """The host as the network sees it (punycode). None if it cannot be determined."""
    noteCodes: NotRequired[list[AddressNote]]
    """The same as codes, one per sentence. Empty in views stored before codes existed."""
    notes: NotRequired[list[str]]
    """Notes on what is easy to miss: a user name that looks like a host, a name in another script, an unusual port."""
    url: str
    """The address as the call names it."""


class Wrong(TypedDict):
    """The reply to a message that failed."""

    code: str
    """The stable code, for programs."""
    hint: NotRequired[str]
    """What to do next."""
    id: NotRequired[str]
    """The approval it was about, if its id could be read."""
    message: str
    """What went wrong and where, for people."""
    status: int
    """The HTTP status of the same error."""
