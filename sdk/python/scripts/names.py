"""Where each operation of the OpenAPI document is found in the clients: group and method, as in the TypeScript client.

`BY_HAND` are those that ask or stream; they are written in `client.py`.
"""

# The doc comment of every group; the empty name is the client itself.
GROUPS = {
    "approvals": "Approvals: questions to humans about calls.",
    "rules": "The rules in force.",
    "audit": "The audit log.",
    "tools": "The built-in tools.",
    "agents": "The agents that the server runs.",
    "runs": "Runs of agents.",
    "pipelines": "Pipelines: stages of agents, each fed with the output of the one before.",
    "pipeline_runs": "Runs of pipelines.",
    "trust": "Projects whose own rules may loosen. For admins.",
    "notifications": "Your notification settings.",
    "tokens": "Credentials. For admins.",
    "session": "The caller's session.",
    "": "The operations that belong to no group.",
}

METHODS = {
    "listApprovals": "approvals.list",
    "getApproval": "approvals.show",
    "answerApproval": "approvals.answer",
    "withdrawApproval": "approvals.withdraw",
    "waitForApproval": "approvals.wait",
    "listRules": "rules.list",
    "getRule": "rules.show",
    "addRule": "rules.add",
    "replaceRule": "rules.replace",
    "removeRule": "rules.remove",
    "testRule": "rules.test",
    "suggestRules": "rules.suggestions",
    "searchAudit": "audit.search",
    "searchAuditCalls": "audit.calls",
    "getAuditRow": "audit.show",
    "auditKinds": "audit.kinds",
    "auditStats": "audit.stats",
    "exportAudit": "audit.export",
    "verifyAudit": "audit.verify",
    "listTools": "tools.list",
    "configureTools": "tools.configure",
    "listAgents": "agents.list",
    "getAgent": "agents.show",
    "getAgentUsage": "agents.usage",
    "createAgent": "agents.create",
    "replaceAgent": "agents.replace",
    "deleteAgent": "agents.remove",
    "executeWithTools": "runs.start",
    "orchestrate": "runs.orchestrate",
    "getOrchestration": "runs.orchestration",
    "approveOrchestration": "runs.approve_orchestration",
    "listRuns": "runs.list",
    "getRun": "runs.show",
    "getRunMessages": "runs.messages",
    "sendRunMessage": "runs.send",
    "approveToolCall": "runs.approve",
    "declineToolCall": "runs.decline",
    "interruptRun": "runs.interrupt",
    "abortRun": "runs.abort",
    "listPipelines": "pipelines.list",
    "getPipeline": "pipelines.show",
    "createPipeline": "pipelines.create",
    "replacePipeline": "pipelines.replace",
    "deletePipeline": "pipelines.remove",
    "runPipeline": "pipelines.run",
    "startPipelineRun": "pipeline_runs.start",
    "listPipelineRuns": "pipeline_runs.list",
    "getPipelineRun": "pipeline_runs.show",
    "retryPipelineStage": "pipeline_runs.retry",
    "abortPipelineRun": "pipeline_runs.abort",
    "listProjects": "trust.list",
    "trustProject": "trust.add",
    "distrustProject": "trust.remove",
    "getNotifications": "notifications.show",
    "setNotifications": "notifications.set",
    "listTokens": "tokens.list",
    "createToken": "tokens.create",
    "revokeToken": "tokens.revoke",
    "createLink": "tokens.link",
    "getSession": "session.show",
    "signIn": "session.sign_in",
    "signOut": "session.sign_out",
    "decide": "decide",
    "reportExecution": "report_execution",
    "hook": "hook",
    "health": "health",
    "metrics": "metrics",
    "getOpenapi": "openapi",
    "getDocs": "docs",
    "getDocsStyle": "docs_style",
}

# Written by hand in `client.py`, by operation.
BY_HAND = {
    "canUseTool": "can_use_tool",
    "followEvents": "events",
    "followRun": "follow_run",
    "followPipelineRun": "follow_pipeline_run",
}

# Not offered: the WebSocket carries what `events` and `approvals.answer` carry.
NOT_OFFERED = {"openSocket"}

# Their bodies may be omitted: every field has a default.
OPTIONAL_BODIES = {"interruptRun", "abortRun", "approveToolCall", "declineToolCall"}

# Timeouts in seconds that differ from the client's, `None` for none.
TIMEOUTS = {
    "verifyAudit": "None",
    "hook": "600.0",
    "waitForApproval": "(30.0 if timeout_ms is None else timeout_ms / 1000) + 10.0",
}

# Runs are waited for as long as they take, unless `wait` is false.
WAITS = {
    "executeWithTools", "orchestrate", "approveOrchestration", "approveToolCall", "declineToolCall", "sendRunMessage",
    "runPipeline", "startPipelineRun", "retryPipelineStage",
}
