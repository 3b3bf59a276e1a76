// Made from spec/openapi.json by `npm run types`. Do not edit.
/* eslint-disable */
export interface paths {
    "/api/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the agents, in order of creation
         * @description For the roles viewer, approver, admin.
         */
        get: operations["listAgents"];
        put?: never;
        /**
         * Creates an agent; all tools are off until they are enabled
         * @description For the roles admin.
         */
        post: operations["createAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Gets an agent and its tools
         * @description For the roles viewer, approver, admin.
         */
        get: operations["getAgent"];
        /**
         * Replaces the settings of an agent; its tools stay
         * @description Send all settings: omitted ones get their defaults. Runs keep the settings that they were started with.
         *
         *     For the roles admin.
         */
        put: operations["replaceAgent"];
        post?: never;
        /**
         * Deletes an agent and its tool permissions
         * @description Its runs stay. Those that go on have no tools any more, and their open questions are denied.
         *
         *     For the roles admin.
         */
        delete: operations["deleteAgent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Gets what the stored runs of an agent have used and cost
         * @description For the roles viewer, approver, admin.
         */
        get: operations["getAgentUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists approvals, newest first; an agent sees its own
         * @description A page ends when its approvals reach 8 MiB, even before `limit`: follow `next` until it is absent.
         *
         *     For the roles agent, viewer, approver, admin.
         */
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/approvals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Gets an approval
         * @description For the roles agent, viewer, approver, admin.
         */
        get: operations["getApproval"];
        put?: never;
        post?: never;
        /**
         * Withdraws an approval; an agent only its own
         * @description For the roles agent, approver, admin.
         */
        delete: operations["withdrawApproval"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/approvals/{id}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answers an approval; the first answer wins
         * @description Repeating the same answer gives the same result; a different answer gives 409. After expiry or abort: 410. Only an admin may store rules that are wider than proposed.
         *
         *     For the roles approver, admin.
         */
        post: operations["answerApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/approvals/{id}/wait": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Waits until an approval has ended, or until a timeout
         * @description Returns the approval as it is then, still pending after a timeout. Waiting only reads: it does not take the answer.
         *
         *     For the roles agent, viewer, approver, admin.
         */
        get: operations["waitForApproval"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Searches the audit log, newest records first
         * @description A page ends when its records reach 8 MiB, even before `limit`: follow `next` until it is absent.
         *
         *     For the roles viewer, approver, admin.
         */
        get: operations["searchAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Searches the audit log by call, newest first
         * @description A call is found if one of its records matches, and has all its records. `limit` counts calls. A page ends when its records reach 8 MiB, even before `limit`: follow `next` until it is absent.
         *
         *     For the roles viewer, approver, admin.
         */
        get: operations["searchAuditCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Exports the audit log, oldest records first
         * @description JSON lines contain every byte of each record, including its signature. In CSV, a cell that a spreadsheet would read as a formula is prefixed with an apostrophe. A response that breaks off is not complete.
         *
         *     For the roles viewer, approver, admin.
         */
        get: operations["exportAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/kinds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists all kinds of records: the values of `kind`
         * @description For the roles viewer, approver, admin.
         */
        get: operations["auditKinds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/rows/{writer}/{seq}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Gets a record and its place in its chain
         * @description For the roles viewer, approver, admin.
         */
        get: operations["getAuditRow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Statistics for a span of time; default the last day
         * @description For the roles viewer, approver, admin.
         */
        get: operations["auditStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verifies that the audit log is complete and unchanged
         * @description Only one verification runs at a time. The response is 200 even if problems were found.
         *
         *     For the roles viewer, approver, admin.
         */
        post: operations["verifyAudit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/can-use-tool": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decides whether a call may run; asks a human if necessary, and waits
         * @description Closing the connection withdraws the question. With `wait=false` the response to a question is 202 and the question itself; a later request with the same `toolUseId` gets the answer.
         *
         *     For the roles agent, admin.
         */
        post: operations["canUseTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Judges a call without asking anyone
         * @description Advisory: nobody is asked, nothing is recorded, and the verdict does not permit the call to run. An agent gets only the decision and a sentence.
         *
         *     For the roles agent, viewer, approver, admin.
         */
        post: operations["decide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This API as a page to read
         * @description Open to anyone.
         */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/docs.css": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The stylesheet of that page
         * @description Open to anyone.
         */
        get: operations["getDocsStyle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Opens the same stream as server-sent events
         * @description Continues after `Last-Event-ID` if all later events are still in memory; otherwise it begins with a snapshot.
         *
         *     Events are `LiveEvent`: `snapshot`, `tool_approval_request`, `tool_approval_resolved`, `tool_execution_started`, `tool_execution_completed`, `rules_changed`; events of other components are `PartEvent`.
         *
         *     For the roles agent, viewer, approver, admin.
         */
        get: operations["followEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execute-with-tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Starts a run of an agent, and waits for it
         * @description Returns when the run has ended, or when it only waits for approvals (`status: "suspended"`). With `wait=true` it also waits for the approvals, with `wait=false` for nothing. The run goes on if the connection closes. `enabled_tools` and `tool_config` only narrow what the agent has: more is 403 `ToolPermissionDenied`. If the agent cannot run at all, because its model has no key for example, it is 500 `ToolExecutionFailed`.
         *
         *     For the roles agent, approver, admin.
         */
        post: operations["executeWithTools"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/executions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reports how an allowed call ended
         * @description For the roles agent, admin.
         */
        post: operations["reportExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/hooks/{agent}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An agent's hook over HTTP: its JSON in, its JSON out
         * @description `claude-code` and `codex` (hooks and app-server approvals), `gemini-cli`, `opencode`. Waits for a human if necessary. Once the caller is known, the response is always 200; its body says if the call is blocked. Configure the hook with `onFailure: "block"` for all other failures.
         *
         *     For the roles agent, admin.
         */
        post: operations["hook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Gets your notification settings
         * @description For the roles viewer, approver, admin.
         */
        get: operations["getNotifications"];
        /**
         * Sets your notification settings
         * @description For the roles viewer, approver, admin.
         */
        put: operations["setNotifications"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This API as an OpenAPI document
         * @description Open to anyone.
         */
        get: operations["getOpenapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orchestrate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Starts a run of an agent that may have sub-agents, and waits for it
         * @description As `execute-with-tools`, for the run and those of its sub-agents together: it is `suspended` when all of them only wait for approvals. `mode` only narrows that of the agent: more is 403 `ToolPermissionDenied`.
         *
         *     For the roles agent, approver, admin.
         */
        post: operations["orchestrate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orchestrations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Gets a run, the runs of its sub-agents, and what they wait for
         * @description For the roles agent, viewer, approver, admin.
         */
        get: operations["getOrchestration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orchestrations/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approves calls of a run and of its sub-agents
         * @description Without ids only if exactly one call waits: otherwise 409, and `error.pending` lists the calls. All named calls must wait, or none is approved. Returns when nothing happens before the next answer, or as `wait` says. To decline a call, use `/api/runs/{id}/decline-tool-call` with the call's `run_id`, or answer its approval.
         *
         *     For the roles approver, admin.
         */
        post: operations["approveOrchestration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pipeline-runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists runs of pipelines, newest first; an agent sees its own
         * @description For the roles agent, viewer, approver, admin.
         */
        get: operations["listPipelineRuns"];
        put?: never;
        /**
         * Starts a run of a pipeline that is not stored, and waits for it
         * @description As `runPipeline`. It can do no more than its agents, which admins define.
         *
         *     For the roles agent, approver, admin.
         */
        post: operations["startPipelineRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pipeline-runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Gets a run of a pipeline, with its stages and their runs
         * @description For the roles agent, viewer, approver, admin.
         */
        get: operations["getPipelineRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pipeline-runs/{id}/abort": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends a run of a pipeline, and the run of its stage with its tools and questions
         * @description For the roles approver, admin.
         */
        post: operations["abortPipelineRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pipeline-runs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follows a run of a pipeline as server-sent events
         * @description Each event is `{type, pipelineRunId, payload}`; the types are `stage-start`, `stage-pending`, `stage-finish`, `stage-error` and `finish`. Stored events have an `id`; `Last-Event-ID` continues after it. `stage-pending` says which calls of the stage wait for approvals; it is not stored. The stream ends with `[DONE]` when the run has ended. Follow the runs of the stages for what their models say.
         *
         *     Events are `LiveEvent`: `snapshot`, `tool_approval_request`, `tool_approval_resolved`, `tool_execution_started`, `tool_execution_completed`, `rules_changed`; events of other components are `PartEvent`.
         *
         *     For the roles agent, viewer, approver, admin.
         */
        get: operations["followPipelineRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pipeline-runs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tries the failed stage of a run again, from its start
         * @description The stages before it are not repeated. A run that did not fail is 409; a stage can be tried 100 times.
         *
         *     For the roles agent, approver, admin.
         */
        post: operations["retryPipelineStage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pipelines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the pipelines, in order of creation
         * @description For the roles viewer, approver, admin.
         */
        get: operations["listPipelines"];
        put?: never;
        /**
         * Creates a pipeline
         * @description Its agents and tools must exist. An error names the field, such as `stages[1].prompt`.
         *
         *     For the roles admin.
         */
        post: operations["createPipeline"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pipelines/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Gets a pipeline
         * @description For the roles viewer, approver, admin.
         */
        get: operations["getPipeline"];
        /**
         * Replaces the definition of a pipeline
         * @description Send all of it: omitted settings get their defaults. Runs keep the definition that they were started with.
         *
         *     For the roles admin.
         */
        put: operations["replacePipeline"];
        post?: never;
        /**
         * Deletes a pipeline; its runs stay, and go on
         * @description For the roles admin.
         */
        delete: operations["deletePipeline"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pipelines/{id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Starts a run of a pipeline, and waits for it
         * @description Returns when the run has ended, or when its stage only waits for approvals (`status: "suspended"`). With `wait=true` it also waits for the approvals, with `wait=false` for nothing. The run goes on if the connection closes. Each stage is a run of its agent, in `/api/runs`; stages only narrow what their agents have: more is 403 `ToolPermissionDenied`. If an agent cannot run at all, it is 500 `ToolExecutionFailed`.
         *
         *     For the roles agent, approver, admin.
         */
        post: operations["runPipeline"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the rules of all layers, where each is, and how often it decided
         * @description Each rule appears in our own names, in `rule`, and in the flat form `serverId`, `toolName`, `toolPattern`, `autoApprove`, `priority`.
         *
         *     For the roles viewer, approver, admin.
         */
        get: operations["listRules"];
        put?: never;
        /**
         * Adds a rule to the database
         * @description Fields may be next to `effect` or in `rule`. `serverId` and `toolName` are other names for `server` and `tool`, `autoApprove` for `effect`; two spellings must agree. A rule without any condition matches every call.
         *
         *     For the roles admin.
         */
        post: operations["addRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Gets a rule
         * @description For the roles viewer, approver, admin.
         */
        get: operations["getRule"];
        /**
         * Replaces a rule
         * @description Send the whole rule: omitted fields are removed. A rule of the user's own file is changed in that file, which keeps its comments and order; the rule may then get a different id. Rules of other files and built-in rules cannot be changed here: 409.
         *
         *     For the roles admin.
         */
        put: operations["replaceRule"];
        post?: never;
        /**
         * Removes a rule
         * @description The rule must be in the database or in the user's own file.
         *
         *     For the roles admin.
         */
        delete: operations["removeRule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/rules/suggestions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Suggests rules from the answers of the last thirty days
         * @description A suggestion needs at least five equal answers by people, none to the contrary, and a call that would still be asked about today.
         *
         *     For the roles viewer, approver, admin.
         */
        get: operations["suggestRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/rules/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tests what one or several rules would have decided on recent calls
         * @description Judges past calls by the current rules, with and without the tested ones, using the facts about files recorded then. Nothing is stored.
         *
         *     For the roles viewer, approver, admin.
         */
        post: operations["testRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists runs, newest first; an agent sees its own
         * @description For the roles agent, viewer, approver, admin.
         */
        get: operations["listRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Gets a run
         * @description For the roles agent, viewer, approver, admin.
         */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/abort": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends a run, its tools and its questions
         * @description For the roles approver, admin.
         */
        post: operations["abortRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/approve-tool-call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approves a call of a run
         * @description Returns when the run has ended or waits for approvals again, or as `wait` says. `toolCallId` may be left out only if exactly one call waits: otherwise 409. A call that does not wait, because it is unknown or was answered before, is 409 `AGENT_RESUME_TOOL_CALL_NOT_SUSPENDED`; an unknown run is 404 `AGENT_RESUME_NO_SNAPSHOT_FOUND`.
         *
         *     For the roles approver, admin.
         */
        post: operations["approveToolCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/decline-tool-call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Declines a call of a run; the model reads the reason
         * @description As `approve-tool-call`. `reason` takes precedence over `info`.
         *
         *     For the roles approver, admin.
         */
        post: operations["declineToolCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follows a run as server-sent events
         * @description Each event is `{type, runId, from, payload}`; the types are `user-message`, `text-start`, `text-delta`, `text-end`, `tool-call`, `tool-call-approval`, `tool-result`, `tool-error`, `tool-output-denied`, `context-folded`, `step-finish` and `finish`. Stored events have an `id`; `Last-Event-ID` continues after it. Text is sent while it arrives; a second `text-start` without a `text-end` before it takes the text back. The stream ends with `[DONE]` when the run has ended, or with `until=suspended` when it only waits for approvals.
         *
         *     Events are `LiveEvent`: `snapshot`, `tool_approval_request`, `tool_approval_resolved`, `tool_execution_started`, `tool_execution_completed`, `rules_changed`; events of other components are `PartEvent`.
         *
         *     For the roles agent, viewer, approver, admin.
         */
        get: operations["followRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/interrupt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends the tools of a run that run now
         * @description The run goes on: its model reads that a human interrupted them. Calls that wait for an approval go on waiting. Nothing changes if no tool runs.
         *
         *     For the roles approver, admin.
         */
        post: operations["interruptRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Gets the conversation of a run
         * @description For the roles agent, viewer, approver, admin.
         */
        get: operations["getRunMessages"];
        put?: never;
        /**
         * Sends a message to a run
         * @description While the run is busy or waits for approvals, the message is queued; it is never taken as an answer. It continues a run that has ended, unless the run was aborted: 409. It is refused with 409 if 100 messages or 4 MiB of them are queued.
         *
         *     For the roles approver, admin.
         */
        post: operations["sendRunMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Gets the caller's identity and facts about this server
         * @description For the roles agent, viewer, approver, admin.
         */
        get: operations["getSession"];
        put?: never;
        /**
         * Signs a browser in with a link
         * @description A link works once, for a short time. The browser's credential has two halves, and both are needed: a cookie that scripts cannot read, and `pageKey`. The page sends `pageKey` in the header `X-Sekisho-Page` of every request. A WebSocket offers two subprotocols instead: `sekisho` and `sekisho.page.<pageKey>`.
         *
         *     Open to anyone.
         */
        post: operations["signIn"];
        /**
         * Signs a browser out and revokes its credential
         * @description For the roles agent, viewer, approver, admin.
         */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists all credentials, including expired and revoked ones
         * @description For the roles admin.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Creates a token; its secret is shown once
         * @description For the roles admin.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revokes a credential for good
         * @description The last admin token cannot be revoked: 409.
         *
         *     For the roles admin.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a short-lived link that signs in one device, once
         * @description For the roles admin.
         */
        post: operations["createLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the built-in tools, by name
         * @description For the roles viewer, approver, admin.
         */
        get: operations["listTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enables, disables and configures tools of an agent
         * @description Counts at once, also in runs that go on: the open questions about a disabled tool are denied. Tools that are not in the list stay as they are.
         *
         *     For the roles admin.
         */
        post: operations["configureTools"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/trust": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the registered projects, and whether their files are trusted
         * @description For the roles admin.
         */
        get: operations["listProjects"];
        put?: never;
        /**
         * Trusts a project file as it was read, so that its rules may loosen
         * @description `sha256` identifies the file as it was read. If the file has changed since, it is not trusted: 409.
         *
         *     For the roles admin.
         */
        post: operations["trustProject"];
        /**
         * Withdraws trust from a project file
         * @description For the roles admin.
         */
        delete: operations["distrustProject"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Opens a WebSocket: first a snapshot, then every change; it also accepts answers
         * @description Messages are `{type, data}`; events also have `seq`. An agent gets only its own approvals and executions. A client that cannot set a header offers the protocols `sekisho` and `sekisho.token.<token>`; a page of this server offers `sekisho` and `sekisho.page.<pageKey>`.
         *
         *     Events are `LiveEvent`: `snapshot`, `tool_approval_request`, `tool_approval_resolved`, `tool_execution_started`, `tool_execution_completed`, `rules_changed`; events of other components are `PartEvent`.
         *
         *     For the roles agent, viewer, approver, admin.
         */
        get: operations["openSocket"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * `ok` while calls can be recorded
         * @description Open to anyone.
         */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics for Prometheus
         * @description For the roles viewer, approver, admin.
         */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Ends a run. */
        AbortBody: {
            /** @description Why. */
            reason?: string | null;
        };
        /** @description An answer that was accepted. */
        Accepted: {
            /** @description Whether the same answer had been given before. */
            again: boolean;
            /** @description The approval. */
            id: components["schemas"]["ApprovalId"];
            /** @description What was remembered. */
            remembered?: components["schemas"]["RememberedBody"];
        };
        /** @description A note on a web address: something that is easy to miss. All text in it is visible text. */
        AddressNote: {
            /** @constant */
            code: "unreadable";
        } | {
            /** @constant */
            code: "not_web";
            /** @description Its scheme. */
            scheme: string;
        } | {
            /** @constant */
            code: "user_before_host";
            /** @description The user name. */
            user: string;
        } | {
            /** @constant */
            code: "blank";
        } | {
            /** @constant */
            code: "impossible_host";
            /** @description The name. */
            host: string;
        } | {
            /** @constant */
            code: "letters_beyond_ascii";
        } | {
            /** @constant */
            code: "host_written_otherwise";
            /** @description The host as parsed. */
            host: string;
        } | {
            /** @constant */
            code: "ip_written_otherwise";
            /** @description The address as parsed. */
            host: string;
        } | {
            /** @constant */
            code: "port";
            /**
             * Format: uint16
             * @description The port.
             */
            port: number;
        };
        /** @description The settings of an agent. */
        AgentBody: {
            /**
             * Format: uint32
             * @description The window of the model, in tokens; default 128000. When a conversation nears it, long results of older calls are
             *     sent as references.
             * @default 128000
             */
            contextTokens: number;
            /**
             * @description The most that a whole run may cost, in US dollars, such as `"0.50"`; absent for no limit. Needs a price of the model in
             *     `model_prices` of `server.json`.
             */
            costBudgetUsd?: string;
            /**
             * Format: uint32
             * @description How many replies the model may give to a message; default 5.
             * @default 5
             */
            maxIterations: number;
            /**
             * Format: uint32
             * @description The most tokens of a reply; default 4096.
             * @default 4096
             */
            maxTokens: number;
            /**
             * @description Whether it has sub-agents, and which of its calls are always asked about.
             * @default none
             */
            mode: components["schemas"]["OrchestrationMode"];
            /** @description The model, by the name that its provider gives it; for `scripted`, the name of a script. */
            model: string;
            /** @description Its name, by which rules call it. No two agents have the same. */
            name: string;
            /** @description Which interface its model has. */
            provider: components["schemas"]["ModelProvider"];
            /**
             * @description Whether every tool call of this agent needs an approval, also where a rule allows it.
             * @default false
             */
            requireToolApproval: boolean;
            /** @description The system prompt. */
            systemPrompt?: string;
            /**
             * Format: double
             * @description How varied replies are, from 0 to 2; default 0.7.
             * @default 0.7
             */
            temperature: number;
            /**
             * Format: uint64
             * @description The most seconds from the start of a run to its end, waiting for approvals included; absent for no limit.
             */
            timeBudgetSeconds?: number;
            /**
             * Format: uint64
             * @description The most tokens of a whole run, input and output; absent for no limit. A request that could exceed it, with its
             *     input and `maxTokens` of output, is not sent, and the run ends.
             */
            tokenBudget?: number;
            /** @description Text before the first message of every run. */
            userPrompt?: string;
            /**
             * @description The root of its workspace: a project that is registered with the server. Absent for the server's
             *     `SEKISHO_PROJECT_ROOT`. Without either, tools that work on files, programs or repositories fail.
             */
            workspace?: string;
        };
        /** @description The settings of an agent. */
        AgentBodyInput: {
            /**
             * Format: uint32
             * @description The window of the model, in tokens; default 128000. When a conversation nears it, long results of older calls are
             *     sent as references.
             * @default 128000
             */
            contextTokens?: number;
            /**
             * @description The most that a whole run may cost, in US dollars, such as `"0.50"`; absent for no limit. Needs a price of the model in
             *     `model_prices` of `server.json`.
             */
            costBudgetUsd?: string | null;
            /**
             * Format: uint32
             * @description How many replies the model may give to a message; default 5.
             * @default 5
             */
            maxIterations?: number;
            /**
             * Format: uint32
             * @description The most tokens of a reply; default 4096.
             * @default 4096
             */
            maxTokens?: number;
            /**
             * @description Whether it has sub-agents, and which of its calls are always asked about.
             * @default none
             */
            mode?: components["schemas"]["OrchestrationMode"];
            /** @description The model, by the name that its provider gives it; for `scripted`, the name of a script. */
            model: string;
            /** @description Its name, by which rules call it. No two agents have the same. */
            name: string;
            /** @description Which interface its model has. */
            provider: components["schemas"]["ModelProvider"];
            /**
             * @description Whether every tool call of this agent needs an approval, also where a rule allows it.
             * @default false
             */
            requireToolApproval?: boolean;
            /** @description The system prompt. */
            systemPrompt?: string | null;
            /**
             * Format: double
             * @description How varied replies are, from 0 to 2; default 0.7.
             * @default 0.7
             */
            temperature?: number;
            /**
             * Format: uint64
             * @description The most seconds from the start of a run to its end, waiting for approvals included; absent for no limit.
             */
            timeBudgetSeconds?: number | null;
            /**
             * Format: uint64
             * @description The most tokens of a whole run, input and output; absent for no limit. A request that could exceed it, with its
             *     input and `maxTokens` of output, is not sent, and the run ends.
             */
            tokenBudget?: number | null;
            /** @description Text before the first message of every run. */
            userPrompt?: string | null;
            /**
             * @description The root of its workspace: a project that is registered with the server. Absent for the server's
             *     `SEKISHO_PROJECT_ROOT`. Without either, tools that work on files, programs or repositories fail.
             */
            workspace?: string | null;
        };
        /** @description All agents. */
        AgentList: {
            /** @description The agents, in order of creation. */
            agents: components["schemas"]["AgentView"][];
        };
        /** @description Whether and how an agent may use a tool. */
        AgentTool: {
            /** @description The settings of the tool for this agent; absent for the defaults. */
            config?: unknown;
            /** @description Whether the agent may use it. */
            isEnabled: boolean;
            /**
             * @description Whether every call of the tool needs an approval, also where a rule allows it.
             * @default false
             */
            requireApproval: boolean;
            /** @description The tool. */
            toolName: string;
        };
        /** @description What the stored runs of an agent and of its sub-agents have used, those that go on included. */
        AgentUsageView: {
            /**
             * Format: uuid
             * @description The agent.
             */
            agentId: string;
            /**
             * Format: uint64
             * @description How many replies their models gave.
             */
            replies: number;
            /**
             * Format: uint64
             * @description How many runs there are, those of sub-agents included.
             */
            runs: number;
            /**
             * Format: uint64
             * @description How many runs have no price, and are not in the cost.
             */
            runsWithoutPrice: number;
            /** @description The tokens, and what the runs cost whose models have a price. */
            usage: components["schemas"]["UsageView"];
        };
        /** @description An agent. */
        AgentView: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /** @description Its settings. */
            settings: components["schemas"]["AgentBody"];
            /** @description The tools that an admin has enabled or disabled for it. Other tools are off. */
            tools: components["schemas"]["AgentTool"][];
            /**
             * Format: date-time
             * @description When its settings were last changed.
             */
            updatedAt: string;
        };
        /** @description What a rule would allow besides this call. All text in it is visible text. */
        AlsoAllowed: {
            /** @constant */
            code: "commands_beginning";
            /** @description The leading words. */
            command: string;
        } | {
            /** @constant */
            code: "commands_like";
            /** @description The form; `*` matches any text. */
            command: string;
        } | {
            /** @constant */
            code: "command_alone";
            /** @description The command. */
            command: string;
        } | {
            /** @description How the files are accessed. */
            access: components["schemas"]["PathAccess"];
            /** @constant */
            code: "files_below";
            /** @description The directory. */
            path: string;
        } | {
            /** @description How the path is accessed. */
            access: components["schemas"]["PathAccess"];
            /** @constant */
            code: "path";
            /** @description The path. */
            path: string;
        } | {
            /** @constant */
            code: "host";
            /** @description The host. */
            host: string;
        } | {
            /** @constant */
            code: "skill";
            /** @description The skill. */
            skill: string;
        } | {
            /** @constant */
            code: "server_tool_input";
            /** @description The server. */
            server: string;
            /** @description The tool. */
            tool: string;
        } | {
            /** @constant */
            code: "tool_input";
            /** @description The tool. */
            tool: string;
        } | {
            /** @constant */
            code: "server_tool";
            /** @description The server. */
            server: string;
            /** @description The tool. */
            tool: string;
        } | {
            /** @constant */
            code: "known_tool";
            /** @description The tool. */
            tool: string;
        } | {
            /** @constant */
            code: "tool_named";
            /** @description The name. */
            tool: string;
        };
        /** @description An answer to an approval. */
        AnswerBody: {
            /** @description Allow or deny. */
            behavior: components["schemas"]["Behavior"];
            /**
             * @description The digest of the call that was shown. An answer with a different digest is rejected.
             * @default null
             */
            digest?: components["schemas"]["Digest"] | null;
            /**
             * @description Whether to stop the run as well.
             * @default false
             */
            interrupt?: boolean;
            /**
             * @description The reason; the model reads it.
             * @default null
             */
            message?: string | null;
            /**
             * @description Rules to store: `true` means the narrowest proposal, for the project.
             * @default null
             */
            remember?: components["schemas"]["RememberBody"] | null;
            /**
             * @description Another input to run instead: a full replacement, judged again.
             * @default null
             */
            updatedInput?: unknown;
        };
        /** @description One bucket of the histogram of answer times. */
        AnswerBucket: {
            /**
             * Format: uint64
             * @description The number of answers.
             */
            times: number;
            /**
             * Format: uint64
             * @description The upper bound in milliseconds. None for the last bucket, which has no bound.
             */
            upToMs?: number;
        };
        /** @description The result of an answer. */
        AnswerTaken: {
            /** @description Whether the same answer had been given before. */
            again: boolean;
            /** @description The approval as it is now. */
            approval: components["schemas"]["Question"];
            /** @description What was remembered. */
            remembered?: components["schemas"]["RememberedBody"];
        };
        /**
         * Format: uuid
         * @description An approval.
         */
        ApprovalId: string;
        /** @description Approves calls of a run and of its sub-agents. */
        ApproveOrchestrationBody: {
            /** @description The calls, by their approvals. */
            approval_ids?: components["schemas"]["ApprovalId"][];
            /** @description The calls, by their ids. Two runs may have calls with the same id; then name their approvals. */
            tool_call_ids?: string[];
        };
        /** @description Approves a call of a run. */
        ApproveToolCallBody: {
            /** @description The call. May be left out if exactly one waits. */
            toolCallId?: string | null;
        };
        /** @description A shell command that needed approval. */
        AskedCommand: {
            /**
             * Format: uint64
             * @description How many of these were approved.
             */
            approved: number;
            /** @description The leading words, as a rule names them: `rm`, `git push`, `npm run build`. */
            command: string;
            /**
             * Format: uint64
             * @description How many of these were denied.
             */
            denied: number;
            /**
             * Format: uint64
             * @description How many approvals it was a reason for.
             */
            times: number;
            /** @description The canonical name of the tool. */
            tool: string;
        };
        /** @description A tool that needed approval. */
        AskedTool: {
            /**
             * Format: uint64
             * @description How many were approved.
             */
            approved: number;
            /**
             * Format: uint64
             * @description How many were denied.
             */
            denied: number;
            /**
             * Format: uint64
             * @description How many expired.
             */
            expired: number;
            /**
             * Format: uint64
             * @description How many approvals it needed.
             */
            times: number;
            /** @description The tool. */
            tool: string;
        };
        /** @description A call and all its records, or one record that is not about a call. */
        AuditCall: {
            /**
             * Format: uint64
             * @description How long the answer took, in milliseconds.
             */
            answeredAfterMs?: number;
            /** @description The name of the person or rule that answered. */
            by?: string;
            /** @description Whether its tool failed. Absent if it is not known to have ended. */
            failed?: boolean;
            /** @description The tool and its main input, masked. Absent in records of earlier versions. */
            message?: string;
            /**
             * @description What became of the call. Absent for a record that is not about a call, and if the record of the decision was
             *     pruned.
             */
            outcome?: components["schemas"]["CallOutcome"];
            /**
             * Format: uint64
             * @description How long its tool ran, in milliseconds.
             */
            ranMs?: number;
            /** @description Its records, oldest first: at least one, at most 100. */
            rows: components["schemas"]["AuditRow"][];
        };
        /** @description A page of the audit log by call. */
        AuditCalls: {
            /**
             * @description The calls, by their newest record that matches, newest first. Records that are not about a call are listed
             *     between them, each by itself.
             */
            calls: components["schemas"]["AuditCall"][];
            /** @description What to send as `before` for the next page; absent on the last page. */
            next?: string;
        };
        /** @description A chain, as seen from one record. */
        AuditChain: {
            /**
             * Format: uint64
             * @description The number of the chain's last record.
             */
            last: number;
            /**
             * Format: uint64
             * @description Records up to this number were pruned.
             */
            removedTo?: number;
            /** @description Whether the record is as it was signed. Only verification checks the whole chain. */
            signature: components["schemas"]["Signature"];
        };
        AuditFormat: "jsonl" | "csv";
        /** @description A kind of record. */
        AuditKind: {
            /** @description Its name. */
            name: components["schemas"]["RecordKind"];
            /** @description The JSON Schema of its body, if a component registered the kind. */
            schema?: unknown;
        };
        /** @description All kinds of records. */
        AuditKinds: {
            /** @description The gate's own kinds first, then those that other components registered. */
            kinds: components["schemas"]["AuditKind"][];
        };
        /** @description A problem found by verification. */
        AuditProblem: {
            /** @description What is wrong. */
            message: string;
            /**
             * Format: uint64
             * @description The number of the record; absent if the problem concerns the whole chain.
             */
            seq?: number;
            /**
             * Format: uuid
             * @description The writer whose chain has the problem.
             */
            writer: string;
        };
        /** @description A record of the audit log. */
        AuditRow: {
            /** @description The agent's id. */
            agent?: string;
            /**
             * Format: uuid
             * @description The approval it is about.
             */
            approval?: string;
            /** @description Who decided. */
            approver?: string;
            /**
             * Format: date-time
             * @description When it was written.
             */
            at: string;
            /** @description Everything else: JSON, or the plain text if it is not JSON. */
            body: unknown;
            /**
             * Format: uuid
             * @description The call it is about.
             */
            call?: string;
            /** @description Its own code, in hexadecimal. */
            code: string;
            /** @description The credential that asked. */
            credential?: string;
            /** @description The decision. */
            decision?: string;
            /**
             * Format: uuid
             * @description The execution it is about.
             */
            execution?: string;
            /**
             * Format: uint32
             * @description The id of the key that signed it.
             */
            key: number;
            /** @description The kind of record. */
            kind: string;
            /**
             * @description The line as a code, unless a reason in the body says it; absent in records stored before codes
             *     existed.
             */
            line?: components["schemas"]["RecordLine"];
            /** @description The code of the previous record, in hexadecimal. */
            previous: string;
            /**
             * Format: uint64
             * @description Its number in the chain, from 1.
             */
            seq: number;
            /** @description The MCP server. */
            server?: string;
            /** @description One line for people. */
            text: string;
            /** @description The tool's name. */
            tool?: string;
            /**
             * Format: uuid
             * @description The writer whose chain it belongs to.
             */
            writer: string;
        };
        /** @description A record and its place in its chain. */
        AuditRowInChain: {
            /** @description Its chain. */
            chain: components["schemas"]["AuditChain"];
            /** @description The record. */
            row: components["schemas"]["AuditRow"];
        };
        /** @description A page of the audit log. */
        AuditRows: {
            /** @description What to send as `before` for the next page; absent on the last page. */
            next?: string;
            /** @description The records, newest first. */
            rows: components["schemas"]["AuditRow"][];
        };
        /** @description Statistics for a span of time. */
        AuditStats: {
            /**
             * Format: date-time
             * @description Start of the span.
             */
            from: string;
            /** @description The numbers. */
            stats: components["schemas"]["Stats"];
            /**
             * Format: date-time
             * @description End of the span, exclusive.
             */
            to: string;
        };
        /** @description The result of verification. */
        AuditVerified: {
            /**
             * Format: uint
             * @description How many chains there are; absent if reading ended early.
             */
            chains?: number;
            /** @description Whether the whole log is intact. */
            ok: boolean;
            /** @description The problems found. Reading stops at the first. */
            problems: components["schemas"]["AuditProblem"][];
            /**
             * Format: uint64
             * @description How many records were read.
             */
            rows: number;
        };
        /** @description Whether the call may run. */
        Behavior: "allow" | "deny";
        /** @description How a command reads the files below a directory. */
        Below: {
            /** @description Names are split at blanks, and the pieces are opened in this directory. */
            cut?: string;
            /** @description Whether it enters subdirectories. */
            deep: boolean;
            /** @description Globs for names: matching files are not opened. */
            except?: string[];
            /** @description Globs for names: matching directories are not entered. */
            except_directories?: string[];
            /**
             * @description Globs for names: matching tracked files in the directory itself are not opened, even if the search
             *     starts at the repository root.
             */
            except_here?: string[];
            /** @description Which files it opens, by their status in git. */
            git: components["schemas"]["GitFiles"];
            /** @description Whether it opens names that begin with a dot. */
            hidden: boolean;
            /** @description How it handles links. */
            links: components["schemas"]["Links"];
            /** @description Globs for names: only matching files are opened. Empty: all files. */
            only?: string[];
            /** @description Names are printed by git, which quotes unusual names. */
            quoted?: boolean;
            /** @description Report repositories of their own: git would run what their config names. */
            repositories?: components["schemas"]["NestedRepositories"];
            /** @description Globs for names that begin with a dot and are opened although others are not. */
            unhidden?: string[];
            /**
             * @description Of the tracked files, only those below these paths, which are absolute or begin with `~`. Empty: all
             *     files.
             */
            within?: string[];
        };
        /** @description A built-in tool. */
        BuiltInTool: {
            /** @description What it is for: `ReadOnly`, `FileSystem`, `Execution`, `VersionControl` or `Composite`. */
            category: string;
            /** @description The tool as a model sees it. */
            definition: components["schemas"]["BuiltInToolDefinition"];
            /** @description Its name. */
            name: string;
        };
        /** @description A tool as a model sees it. */
        BuiltInToolDefinition: {
            /** @description What it does and when to use it. */
            description: string;
            /** @description The JSON Schema of its input. */
            input_schema: unknown;
            /** @description Its name. */
            name: string;
        };
        /** @description What became of a call. */
        CallOutcome: "allowed" | "denied_by_rule" | "waiting" | "approved" | "turned_back" | "denied" | "expired" | "aborted";
        /** @description A call that wants to run. */
        CanUseTool: {
            /**
             * @description The agent's id. It counts for an allow only if the token is bound to it.
             * @default null
             */
            agentId?: string | null;
            /**
             * @description `true`: ask a human even where questions are switched off (`TOOL_APPROVAL_ENABLED=false`). Hooks
             *     set this.
             * @default false
             */
            alwaysAsk?: boolean;
            /**
             * @description The conversation the call belongs to.
             * @default null
             */
            conversationId?: string | null;
            /**
             * @description The directory the call would run in, absolute.
             * @default null
             */
            cwd?: string | null;
            /**
             * @description What the tool does, and where its input holds commands, paths and addresses. It is only a
             *     claim: the verdict is never looser with it than without.
             * @default null
             */
            descriptor?: components["schemas"]["ToolDescriptor"] | null;
            /** @description The tool's input. */
            input: {
                [key: string]: unknown;
            };
            /**
             * @description The JSON Schema of the tool's input, up to 64 KiB. Where a human edits the input, it is checked by this first.
             * @default null
             */
            inputSchema?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description What happens if nobody answers in time: the call is denied, or the question stays open.
             * @default null
             */
            onTimeout?: components["schemas"]["OnTimeout"] | null;
            /**
             * @description The root of the project the session began in, absolute. Only this project's rules may loosen, and
             *     only if the project is registered.
             * @default null
             */
            projectRoot?: string | null;
            /**
             * @description The run the call belongs to.
             * @default null
             */
            runId?: string | null;
            /**
             * @description The MCP server the tool belongs to.
             * @default null
             */
            serverId?: string | null;
            /**
             * @description `false`: nobody can be asked, so a question is denied.
             * @default null
             */
            supportsConfirm?: boolean | null;
            /**
             * Format: uint64
             * @description How long to wait for a human, in milliseconds; rounded up to whole seconds. Default: the timeout
             *     of the rule that asks, or 120 s.
             * @default null
             */
            timeoutMs?: number | null;
            /** @description The tool's name, as the agent calls it. */
            toolName: string;
            /** @description The call's own id. A request with the same id joins the open question, or reads its answer. */
            toolUseId: string;
            /**
             * @description A label for the workspace; never a path.
             * @default null
             */
            workspaceId?: string | null;
        };
        /** @description How many calls change from one decision to another. */
        ChangeCount: {
            /** @description The decision with the rules. */
            after: components["schemas"]["Decision"];
            /** @description The decision without the rules. */
            before: components["schemas"]["Decision"];
            /**
             * Format: uint
             * @description How many calls.
             */
            count: number;
        };
        /** @description A past call, judged without and with the rules. */
        ChangedCall: {
            /** @description The decision with the tested rules. */
            after: components["schemas"]["Decision"];
            /**
             * Format: date-time
             * @description When it was asked about.
             */
            at: string;
            /** @description The decision of today's rules. */
            before: components["schemas"]["Decision"];
            /**
             * Format: uuid
             * @description The id of the call.
             */
            callId: string;
            /** @description The tool and its main input, in one line. */
            message: string;
            /** @description The tool's name. */
            toolName: string;
            /** @description The decision at the time. */
            wasThen: components["schemas"]["Decision"];
        };
        /** @description The wire form of a cited rule. */
        CitedRule: {
            effect: components["schemas"]["Effect"];
            /** Format: uuid */
            id?: string;
            layer: components["schemas"]["LayerKind"];
            /** Format: uint32 */
            line: number;
            /** Format: int32 */
            priority: number;
            rule: unknown;
            source: string;
        };
        /** @description A tool that finished. */
        Completed: {
            /** @description The approval that allowed it, if there was one. */
            approvalId?: components["schemas"]["ApprovalId"];
            /**
             * Format: int64
             * @description How long it ran, in milliseconds, if that is known.
             */
            durationMs?: number;
            /** @description The id of the execution. */
            executionId: components["schemas"]["ExecutionId"];
            /** @description Whether it failed. */
            isError: boolean;
            /** @description The run of the call, if it names one. */
            runId?: string;
            /** @description The tool's name. */
            toolName?: string;
        };
        /** @description One rule that concerns a call. */
        Considered: {
            /** @description What happened to it. */
            outcome: components["schemas"]["Outcome"];
            /** @description The rule. */
            rule: components["schemas"]["CitedRule"];
        };
        /** @description A danger level and its cause. The sentence is built on demand. */
        Danger: {
            /** @description The cause. Absent in records from before codes existed. */
            code?: components["schemas"]["DangerCode"];
            /** @description Further causes, after `code`. */
            further?: components["schemas"]["DangerCode"][];
            /** @description How dangerous it is. */
            level: components["schemas"]["DangerLevel"];
            /**
             * @description Where the words that cause it are (`-delete`, `| sh`), in order, in UTF-8 bytes: of the shown command in a
             *     display, of the call's text in a verdict. Absent if it is not known, or if they are not in the text.
             */
            spans?: components["schemas"]["DangerSpan"][];
            /** @description The cause, for people. The text may change; programs read the code. */
            why: string;
        };
        /**
         * @description The effect of a call.
         * @enum {string}
         */
        DangerCode: "acts_on_github" | "acts_on_cluster" | "acts_on_device" | "acts_on_forge" | "acts_on_cloud" | "acts_on_cloud_storage" | "acts_on_containers" | "acts_on_containers_or_machines" | "acts_on_images_or_volumes" | "acts_on_deployments" | "builds_go_programs" | "builds_and_runs_program" | "builds_and_runs_packages" | "builds_and_runs_tests" | "builds_and_runs_project" | "calls_github_api" | "may_overwrite_files" | "overwrites_remote_history" | "may_overwrite_uncommitted" | "changes_repository" | "changes_files" | "changes_git_settings" | "changes_infrastructure" | "changes_infrastructure_or_reveals_secrets" | "changes_databases" | "changes_file_systems" | "changes_other_machines" | "changes_cluster" | "changes_secrets" | "changes_settings" | "changes_machine_settings" | "changes_submodules" | "changes_network" | "changes_dependencies" | "changes_remotes" | "changes_repository_and_runs_hooks" | "changes_running_system" | "changes_users" | "changes_infrastructure_state" | "changes_published_or_credentials" | "changes_schedule" | "changes_trusted_software" | "changes_directory_permissions" | "changes_permissions" | "changes_owner_or_permissions" | "checks_or_rewrites_sources" | "checks_out_commits" | "connects_programs_and_network" | "contacts_remote" | "contacts_remotes" | "copies_between_machines" | "copies_files" | "changes_remote_storage" | "creates_files_or_changes_times" | "creates_files_or_directories" | "changes_working_trees" | "truncates_files" | "deletes_cloud_resources" | "deletes_on_forge" | "removes_images_or_volumes" | "removes_containers_or_machines" | "deletes_branch" | "deletes_file_or_empty_directory" | "deletes_release" | "deletes_repository" | "deletes_working_tree" | "deletes_issue" | "deletes_remote_branches" | "deletes_build_results" | "deletes_directories" | "deletes_found_files" | "deletes_files" | "deletes_or_moves_tag" | "deletes_tracking_branches" | "deletes_cluster_resources" | "deletes_stored_data" | "deletes_untracked_files" | "destroys_files" | "destroys_infrastructure" | "discards_all_stashed_changes" | "discards_stashed_changes" | "discards_uncommitted_changes" | "downloads_repository" | "downloads_submodules" | "downloads_and_installs_programs" | "downloads_and_runs_code" | "downloads_and_runs_packages" | "downloads_or_builds_programs" | "downloads_packages_and_runs_code" | "downloads_packages_and_runs_install_scripts" | "downloads_packages_or_runs_code" | "downloads_packages_or_runs_scripts" | "downloads_programs_or_runs_them" | "downloads_builds_and_installs_programs" | "ends_processes" | "ends_processes_by_name" | "gives_container_access" | "handles_credentials" | "handles_keys" | "handles_keys_and_connections" | "handles_keys_and_secrets" | "installs_or_runs_downloaded_code" | "installs_or_runs_software" | "installs_software" | "logs_in_with_password" | "makes_link" | "makes_commits_unrecoverable" | "manages_compilers" | "manages_infrastructure" | "manages_packages" | "manages_system_packages" | "merges_pull_request" | "moves_files" | "moves_branch_or_index" | "moves_uncommitted_changes" | "opens_pager" | "opens_raw_connection" | "opens_editor" | "overwrites_file" | "publishes_package" | "publishes_package_or_handles_credentials" | "publishes_release" | "publishes_image_or_logs_in" | "reaches_network" | "reaches_network_and_writes_files" | "reads_from_cluster" | "reads_package_list" | "reads_service_state" | "reads_system_state" | "reads_whole_databases" | "removes_containers" | "removes_packages" | "removes_software" | "compresses_files" | "rewrites_commits" | "rewrites_files" | "rewrites_files_in_place" | "rewrites_history" | "repeats_command_endlessly" | "traces_command" | "runs_command_as_service" | "runs_command_at_every_change" | "runs_command_for_every_argument" | "runs_command_for_every_file" | "runs_command_for_many_commits" | "runs_command_in_cluster" | "runs_command_in_container" | "runs_command_in_another_namespace" | "runs_command_in_another_window" | "runs_command_in_every_submodule" | "runs_command_in_new_namespaces" | "runs_command_under_another_root" | "runs_command_with_other_rights" | "runs_container_in_cluster" | "runs_container" | "sources_file" | "runs_package_manager" | "runs_program" | "runs_scripting_program" | "runs_script_of_package" | "records_shell" | "runs_text_as_commands" | "runs_text_later" | "runs_text_or_file_as_commands" | "runs_another_command" | "runs_build_scripts" | "runs_commands_as_other_user" | "runs_commands_in_other_session" | "runs_commands_later" | "runs_commands_on_other_machine" | "runs_statements_on_database" | "runs_build_file" | "runs_makefile" | "runs_commands_of_sources" | "runs_project_code" | "runs_project_configuration" | "runs_virtual_machines" | "runs_project_commands" | "sends_commits" | "sends_data" | "sends_mail" | "serves_repository_or_credentials" | "sets_system_clock" | "starts_workflow" | "starts_another_agent" | "starts_another_program" | "starts_containers" | "starts_or_ends_service" | "starts_other_programs" | "starts_stops_or_changes_services" | "stops_or_removes_containers_or_images" | "stops_machine" | "adds_files_to_repository" | "takes_orders_from_file" | "sends_message" | "waits_endlessly" | "writes_file" | "writes_archive" | "writes_buffers_to_disk" | "writes_files" | "writes_raw_bytes" | "writes_files_and_runs_programs" | "writes_or_overwrites_files" | "changes_automation" | "touches_protected" | "runs_deleting_program" | "runs_sending_program" | "runs_fetched" | "runs_decoded" | "input_changes_meaning" | "opens_file_by_redirect" | "only_reads" | "too_large_to_judge" | "reads_files" | "runs_programs" | "loads_instructions" | "stays_in_conversation" | "unknown_tool" | "reads_and_may_change" | "unknown_server_tool" | "named_for_deleting" | "named_for_paying" | "named_for_sending" | "hides_terminal_sequence" | "hides_control_character" | "hides_direction_change" | "hides_spelled_text" | "hides_blank_letter" | "hides_zero_width" | "impossible_host" | "user_before_host";
        /** @description How dangerous a call is. */
        DangerLevel: "none" | "caution" | "danger";
        /** @description A range of a text, in UTF-8 bytes. */
        DangerSpan: {
            /**
             * Format: uint32
             * @description The byte after the last.
             */
            end: number;
            /**
             * Format: uint32
             * @description The first byte.
             */
            start: number;
        };
        /** @description A call to judge, without asking anyone. */
        Decide: {
            /**
             * @description The agent's id. It counts for an allow only if the token is bound to it.
             * @default null
             */
            agentId?: string | null;
            /**
             * @description The conversation the call belongs to.
             * @default null
             */
            conversationId?: string | null;
            /**
             * @description The directory the call would run in, absolute.
             * @default null
             */
            cwd?: string | null;
            /**
             * @description What the tool does, and where its input holds commands, paths and addresses. It is only a
             *     claim: the verdict is never looser with it than without.
             * @default null
             */
            descriptor?: components["schemas"]["ToolDescriptor"] | null;
            /**
             * @description The tool's input.
             * @default {}
             */
            input?: {
                [key: string]: unknown;
            };
            /**
             * @description `true`: judge as if the server and agent ids were proven. Not for agents.
             * @default false
             */
            namesProven?: boolean;
            /**
             * @description The run the call belongs to.
             * @default null
             */
            runId?: string | null;
            /**
             * @description The MCP server the tool belongs to.
             * @default null
             */
            serverId?: string | null;
            /**
             * @description `false`: nobody can be asked, so a question is denied.
             * @default null
             */
            supportsConfirm?: boolean | null;
            /** @description The tool's name, as the agent calls it. */
            toolName: string;
            /**
             * @description The call's own id; it has no effect here.
             * @default null
             */
            toolUseId?: string | null;
            /**
             * @description A label for the workspace; never a path.
             * @default null
             */
            workspaceId?: string | null;
        };
        /** @description What the verdict on a call would be. Advisory: it does not permit the call to run. */
        Decided: {
            /** @description The rules that were considered, and the outcome of each; not for agents. */
            considered?: components["schemas"]["Considered"][];
            /** @description How dangerous the call is. */
            danger: components["schemas"]["Danger"];
            /** @description The decision. */
            decision: components["schemas"]["Decision"];
            /** @description The reason, in one sentence. */
            reason: string;
            /** @description The whole verdict; not for agents. */
            verdict?: components["schemas"]["Verdict"];
        };
        /** @description The decision on a call, from loosest to strictest. Combining decisions takes the maximum. */
        Decision: "allow" | "confirm" | "deny";
        /** @description Declines a call of a run. */
        DeclineToolCallBody: {
            /** @description Another name for `reason`, which takes precedence. */
            info?: string | null;
            /** @description Whether the run ends as well. */
            interrupt?: boolean;
            /** @description Why. The model reads it. */
            reason?: string | null;
            /** @description The call. May be left out if exactly one waits. */
            toolCallId?: string | null;
        };
        /** @description What a [`DelegationRow`] is about. */
        DelegationItem: "model" | "workspace" | "tool" | "limit";
        /** @description One thing that a sub-agent gets, beside what its parent has. */
        DelegationRow: {
            /** @description What the sub-agent gets. Absent if it gets none of it. */
            agent?: string;
            /** @description What it is. */
            item: components["schemas"]["DelegationItem"];
            /** @description The name of the tool or of the limit. Empty for others. */
            name: string;
            /** @description What its parent has. Absent if it has none of it. */
            parent?: string;
        };
        /**
         * @description A descriptor and its source.
         *
         *     Nothing in a request is deserialized as this type: requests contain an [`UncheckedDescriptor`], which
         *     becomes a claim. The serde form is used for stored calls.
         */
        Described: {
            by: components["schemas"]["DescribedBy"];
            tool: components["schemas"]["Descriptor"];
        };
        /** @description Where a descriptor comes from. */
        DescribedBy: "caller" | "registry" | "pinned_server";
        /**
         * @description What a tool does, and which input fields contain its targets. Its lists match its kind, and no field is in
         *     a list twice.
         */
        Descriptor: {
            /** @description Fields with addresses that are fetched. */
            addresses?: string[];
            /** @description Fields with commands: each a text, or one command as a list of words. */
            commands?: string[];
            /** @description What the tool does. */
            kind: components["schemas"]["DescriptorKind"];
            /** @description The tool changes nothing. This alone does not allow anything. */
            readOnly?: boolean;
            /** @description Fields with paths of files that are read: each a text or a list of texts. */
            reads?: string[];
            /** @description Fields with directories that are searched, or read with everything below them. */
            searches?: string[];
            /** @description Fields with paths of files that are written, edited or deleted. */
            writes?: string[];
        };
        /** @description What a tool does. */
        DescriptorKind: "shell" | "read_files" | "search_files" | "write_files" | "web" | "skill" | "sub_agents" | "composite" | "unknown";
        /** @description A group of changed lines. */
        DiffHunk: {
            /** @description The lines of the hunk. */
            lines: components["schemas"]["DiffLine"][];
        };
        /** @description A line of a diff. */
        DiffLine: {
            /**
             * Format: uint32
             * @description The line number after the change, from 1.
             */
            new?: number;
            /**
             * Format: uint32
             * @description The line number before the change, from 1.
             */
            old?: number;
            /** @description Whether the line is kept, added or removed. */
            sign: components["schemas"]["DiffSign"];
            /** @description The text without its line break. */
            text: string;
        };
        /** @description What happens to a line. */
        DiffSign: " " | "+" | "-";
        /**
         * @description SHA-256 over the canonical JSON (RFC 8785) of a call's server, tool, input, directory and descriptor (if
         *     any).
         */
        Digest: string;
        /** @description A request to withdraw trust. */
        DistrustBody: {
            /** @description The project's root, as listed. */
            root: string;
        };
        /** @description What a rule does with the calls it matches, from loosest to strictest. */
        Effect: "allow" | "confirm" | "deny";
        /** @description How an allowed call ended. */
        Ended: {
            /**
             * Format: int64
             * @description How long it took, in milliseconds.
             * @default null
             */
            durationMs?: number | null;
            /** @description Whether it failed. */
            isError: boolean;
            /**
             * @description Its output. It is kept out of the audit log, and deleted with the call's input.
             * @default null
             */
            output?: string | null;
        };
        /** @description The body of every error response. */
        ErrorBody: {
            /** @description The error. */
            error: components["schemas"]["ErrorDetail"];
        };
        /** @description The error in an [`ErrorBody`]. */
        ErrorDetail: {
            /** @description The stable code, for programs. */
            code: string;
            /** @description The field of the request that is wrong, if it is a single field. */
            field?: string;
            /** @description What to do next. */
            hint?: string;
            /** @description What went wrong and where, for people. */
            message: string;
            /** @description The calls that wait for an answer, if the request must name some of them. */
            pending?: unknown[];
        };
        /** @description An answer that supports a rule. */
        Evidence: {
            /**
             * Format: uuid
             * @description The approval.
             */
            approvalId: string;
            /**
             * Format: date-time
             * @description When it was answered.
             */
            at: string;
            /** @description Who answered. */
            by: string;
            /** @description What was asked, in one line. */
            message: string;
        };
        /**
         * @description One example: a command, path, URL or skill name, if the rule has such a condition, else a tool name; or a
         *     whole call.
         */
        Example: string | components["schemas"]["ExampleCall"];
        /** @description A whole call as an example. */
        ExampleCall: {
            /** @description The agent. */
            agent?: string;
            /** @description The tool's input. */
            input?: unknown;
            /** @description The MCP server. */
            server?: string;
            /** @description The tool's name. */
            tool: string;
        };
        /** @description A whole call as an example. */
        ExampleCallInput: {
            /** @description The agent. */
            agent?: string | null;
            /** @description The tool's input. */
            input?: unknown;
            /** @description The MCP server. */
            server?: string | null;
            /** @description The tool's name. */
            tool: string;
        };
        /**
         * @description One example: a command, path, URL or skill name, if the rule has such a condition, else a tool name; or a
         *     whole call.
         */
        ExampleInput: string | components["schemas"]["ExampleCallInput"];
        /** @description A request for a run, and to wait for it. */
        ExecuteBody: {
            /**
             * Format: uuid
             * @description The agent.
             */
            agent_id: string;
            /** @description The tools that the run may use, of those that the agent has. `[]` for none; absent for all of them. */
            enabled_tools?: string[] | null;
            /** @description What the agent is to do. */
            input: string;
            /** @description Settings of tools, by their names. They may only narrow those of the agent. */
            tool_config?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * Format: uuid
         * @description One run of one tool.
         */
        ExecutionId: string;
        /** @description Tokens. */
        ExecutionUsage: {
            /**
             * Format: uint64
             * @description Input, cached tokens included.
             */
            input_tokens: number;
            /**
             * Format: uint64
             * @description Output.
             */
            output_tokens: number;
        };
        /** @description A run, in the names of the route `execute-with-tools`. */
        ExecutionView: {
            /**
             * Format: uuid
             * @description The agent.
             */
            agent_id: string;
            /** @description More about the end, such as the error of the model. */
            error?: string;
            /**
             * @description Why the run ended: `stop`, `max_iterations`, `length`, `refusal`, `unfinished_calls`, `other`, `error`,
             *     `budget`, `interrupted` or `aborted`. Null while it goes on.
             */
            finish_reason: string | null;
            /**
             * Format: uuid
             * @description The run's id.
             */
            id: string;
            /** @description What the model said last. */
            output: string;
            /** @description The calls that wait for an approval, those of sub-agents included. */
            pending: components["schemas"]["PendingExecution"][];
            /**
             * Format: uuid
             * @description The run's id.
             */
            run_id: string;
            /** @description What the run does. */
            status: components["schemas"]["RunStatus"];
            /** @description The runs of sub-agents, in order of their start. */
            sub_agents?: components["schemas"]["SubAgentExecution"][];
            /** @description The tokens so far, those of sub-agents included. */
            usage: components["schemas"]["ExecutionUsage"];
        };
        /** @description The answer to a [`FactQuery`]. */
        Fact: {
            resolved: string;
        } | {
            repository: components["schemas"]["Repository"];
        } | {
            tracked_links: boolean;
        } | {
            glob_option: boolean;
        } | {
            files: components["schemas"]["FilesFound"];
        } | {
            contents: components["schemas"]["Holds"];
        };
        /** @description Facts by query. A fact that is not present is unknown, and unknown never allows. */
        Facts: [
            components["schemas"]["Need"],
            components["schemas"]["Fact"]
        ][];
        /** @description An input field that the form does not show. All text in it is visible text. */
        FieldBeside: {
            /** @description Its name. */
            name: string;
            /** @description The value: a string as it is, anything else as JSON. */
            value: string;
        };
        /** @description What happens to a file. */
        FileChange: "created" | "changed" | "deleted" | "same" | "unknown";
        /** @description The change to one file. */
        FileDiff: {
            /**
             * Format: uint
             * @description The number of added lines.
             */
            added: number;
            /** @description What happens to the file. */
            change: components["schemas"]["FileChange"];
            /** @description The changed lines with some context. */
            hunks: components["schemas"]["DiffHunk"][];
            /** @description The new path, if the file is moved. */
            movedTo?: string;
            /** @description The same as codes, one per sentence. Empty in views stored before codes existed. */
            noteCodes?: components["schemas"]["FileNote"][];
            /**
             * @description Notes on the change. If the change is `unknown`, they say why, and the hunks show what was
             *     requested, not the result.
             */
            notes?: string[];
            /** @description The path of the file: absolute if that is known, otherwise as the call names it. */
            path: string;
            /**
             * Format: uint
             * @description The number of removed lines.
             */
            removed: number;
        };
        /** @description A file that was read to show a call. */
        FileMark: {
            /** @description The fingerprint: `absent`, or the SHA-256 of the file's bytes. */
            mark: string;
            /** @description The absolute path, unescaped: for reading the file again, not for display. */
            path: string;
        };
        /** @description A note on a file change, or why its result is unknown. All text in it is visible text. */
        FileNote: {
            /** @constant */
            code: "no_such_file";
        } | {
            /** @constant */
            code: "unshown";
            /** @description Why, as displayed to people. */
            why: string;
        } | {
            /** @constant */
            code: "other_machine";
        } | {
            /** @constant */
            code: "name_unclear";
        } | {
            /** @constant */
            code: "directory_unclear";
        } | {
            /** @constant */
            code: "directory_unknown";
        } | {
            /** @constant */
            code: "reached_by_link";
            /** @description The path. */
            path: string;
            /** @description The resolved path of the file. */
            target: string;
        } | {
            /** @constant */
            code: "move_overwrites";
        } | {
            /** @description Why it is unknown. */
            because: components["schemas"]["FileNote"];
            /** @constant */
            code: "move_unclear";
        } | {
            /** @constant */
            code: "sketch";
        } | {
            /** @constant */
            code: "last_line_break_removed";
        } | {
            /** @constant */
            code: "last_line_break_added";
        } | {
            /** @constant */
            code: "compared_as_block";
        } | {
            /** @constant */
            code: "lines_not_shown";
            /**
             * Format: uint
             * @description The number of lines.
             */
            lines: number;
        } | {
            /** @constant */
            code: "too_much_work";
        } | {
            /** @description Why it cannot be made. */
            because: components["schemas"]["FileNote"];
            /** @constant */
            code: "edit";
            /**
             * Format: uint
             * @description The number of the edit, from 1.
             */
            number: number;
        } | {
            /** @constant */
            code: "nothing_to_replace";
        } | {
            /** @constant */
            code: "text_not_found";
        } | {
            /** @constant */
            code: "text_found_twice";
        } | {
            /** @constant */
            code: "text_found_other_times";
            /**
             * Format: uint
             * @description How often it occurs.
             */
            found: number;
            /**
             * Format: uint64
             * @description How often it should occur.
             */
            times: number;
        } | {
            /** @constant */
            code: "too_large";
            /**
             * Format: uint
             * @description The limit in bytes.
             */
            most: number;
        } | {
            /** @description Why it cannot be applied. */
            because: components["schemas"]["FileNote"];
            /** @constant */
            code: "chunk";
            /**
             * Format: uint
             * @description The number of the chunk, from 1.
             */
            number: number;
        } | {
            /** @constant */
            code: "anchor_not_found";
        } | {
            /** @constant */
            code: "anchor_found_twice";
        } | {
            /** @constant */
            code: "lines_not_found";
        } | {
            /** @constant */
            code: "lines_found_twice";
        };
        /** @description The files that a command would open: the expansion of a glob, and the files below. */
        FileSearch: {
            /** @description How the files below are read, if they are. */
            below?: components["schemas"]["Below"];
            /** @description Absolute, or begins with `~` for the home directory. */
            directory: string;
            /** @description Report a name that leads out of the workspace. */
            inside?: boolean;
            /** @description Report a name that begins with `-`, because the command would treat it as an option. */
            no_options?: boolean;
            /**
             * @description A glob that bash expands in it, written as in [`FactQuery::GlobOption`]. Without one, the directory
             *     itself.
             */
            pattern?: string;
            /** @description Start from the root of the git repository that contains the directory. */
            top?: boolean;
            /** @description Report a name with blanks, quotes or wildcards, because it would become other names. */
            whole_names?: boolean;
        };
        /** @description The result of a file search. */
        FilesFound: {
            protected: components["schemas"]["FoundFile"][];
        } | "too_many" | {
            may_be_option: string;
        } | {
            splits: string;
        };
        FollowUntil: "ended" | "suspended";
        /**
         * @description The form that fits the tool. All text in it is visible text: hidden characters are escaped as
         *     `\u{…}`.
         */
        Form: {
            /** @constant */
            form: "json";
        } | {
            /** @constant */
            form: "command";
            /**
             * @description The parts in text order. Nested parts that appear in the text are in this list as well. If
             *     there are more than 2000, the most dangerous are marked and `leftOut` says how many are not.
             */
            parts: components["schemas"]["MarkedPart"][];
            /** @description The command verbatim, including line breaks and tabs. */
            text: string;
        } | {
            /** @description One diff per file. */
            files: components["schemas"]["FileDiff"][];
            /** @constant */
            form: "diff";
        } | {
            /** @description The addresses. */
            addresses: components["schemas"]["WebAddress"][];
            /** @constant */
            form: "url";
        } | {
            /** @description The name of the sub-agent, below that of its parent. */
            agent: string;
            /** @constant */
            form: "delegation";
            /** @description The name of its parent. */
            parent: string;
            /** @description The system prompt of the sub-agent. */
            prompt: string;
            /** @description What the sub-agent gets, beside what its parent has. */
            rows: components["schemas"]["DelegationRow"][];
            /** @description What the sub-agent is to do, if it would be started. */
            task?: string;
        };
        /** @description A protected file that a command would open. */
        FoundFile: {
            /** @description Its path as the command reaches it. A directory ends with a slash. */
            path: string;
            /** @description The pattern on the list of protected paths. */
            pattern: string;
            /** @description Whether reading it reveals a secret. */
            secret: boolean;
        };
        /** @description Which files are opened, by their status in git. */
        GitFiles: "all" | "not_ignored" | "tracked" | "changed";
        /** @description A character that was escaped. */
        HiddenCharacter: {
            /** @description How it hides text. */
            hiding: components["schemas"]["Hiding"];
            /** @description The escaped form: `\u{202e}`. */
            shown_as: string;
            /**
             * Format: uint
             * @description How often it occurs in the call.
             */
            times: number;
        };
        /** @description How a character hides or disguises text. */
        Hiding: "escape" | "control" | "direction" | "zero_width" | "tag" | "selector" | "filler" | "blank" | "private_use" | "unassigned" | "lone_mark";
        /** @description Whether a file contains a secret. */
        Holds: "no_secret" | "secret";
        /** @description Statistics of one hour. */
        Hour: {
            /**
             * Format: uint64
             * @description Calls allowed without approval.
             */
            allowed: number;
            /**
             * Format: uint64
             * @description The median time of people's answers in this hour, in milliseconds.
             */
            answerP50Ms?: number;
            /**
             * Format: uint64
             * @description Calls that people approved in this hour, whenever the approval was opened.
             */
            approved: number;
            /**
             * Format: uint64
             * @description Approvals opened.
             */
            asked: number;
            /**
             * Format: date-time
             * @description The start of the hour.
             */
            at: string;
            /**
             * Format: uint64
             * @description Calls denied without approval.
             */
            denied: number;
            /**
             * Format: uint64
             * @description Calls that people denied in this hour.
             */
            rejected: number;
        };
        /** @description Ends the tools of a run. It has no fields. */
        InterruptBody: Record<string, never>;
        /** @description Where rules come from. The order is for display, not strength. */
        LayerKind: "built_in" | "managed" | "global" | "project" | "database" | "session";
        /** @description A part of a call that is not shown. All text in it is visible text. */
        LeftOut: {
            /**
             * Format: uint
             * @description How many bytes are not shown.
             */
            bytes: number;
            /** @constant */
            code: "command";
        } | {
            /**
             * Format: uint
             * @description How many bytes are not shown.
             */
            bytes: number;
            /** @constant */
            code: "input";
        } | {
            /**
             * Format: uint
             * @description How many bytes are not shown.
             */
            bytes: number;
            /** @constant */
            code: "address";
        } | {
            /**
             * Format: uint
             * @description How many bytes are not shown.
             */
            bytes: number;
            /** @constant */
            code: "field";
            /** @description The field. */
            field: string;
        } | {
            /**
             * Format: uint
             * @description How many bytes are not shown.
             */
            bytes: number;
            /** @constant */
            code: "change";
            /** @description The path of the file. */
            path: string;
        } | {
            /**
             * Format: uint
             * @description How many bytes are not shown.
             */
            bytes: number;
            /** @constant */
            code: "sentences";
        } | {
            /** @constant */
            code: "marks";
            /**
             * Format: uint
             * @description How many parts are not marked.
             */
            parts: number;
        } | {
            /** @constant */
            code: "fields";
            /**
             * Format: uint
             * @description How many fields are not listed.
             */
            fields: number;
        } | {
            /**
             * Format: uint
             * @description How many changes are not shown.
             */
            changes: number;
            /** @constant */
            code: "changes";
        } | {
            /** @description Why it is not shown. */
            because: components["schemas"]["FileNote"];
            /** @constant */
            code: "file_now";
            /** @description The path of the file. */
            path: string;
        } | {
            /** @constant */
            code: "files_now";
            /** @description The path of the first file. */
            path: string;
        } | {
            /** @constant */
            code: "purged";
        };
        /** @description How links are handled. */
        Links: "skip" | "open" | "follow";
        /** @description An event. */
        LiveEvent: {
            data: components["schemas"]["Standing"];
            /** @constant */
            type: "snapshot";
        } | {
            data: components["schemas"]["SeenQuestion"];
            /** @constant */
            type: "tool_approval_request";
        } | {
            data: components["schemas"]["Resolved"];
            /** @constant */
            type: "tool_approval_resolved";
        } | {
            data: components["schemas"]["Started"];
            /** @constant */
            type: "tool_execution_started";
        } | {
            data: components["schemas"]["Completed"];
            /** @constant */
            type: "tool_execution_completed";
        } | {
            data: components["schemas"]["Nothing"];
            /** @constant */
            type: "rules_changed";
        };
        /** @description A reply to one subscriber's message. */
        LiveReply: {
            data: components["schemas"]["Accepted"];
            /** @constant */
            type: "tool_approval_accepted";
        } | {
            data: components["schemas"]["Wrong"];
            /** @constant */
            type: "error";
        } | {
            data: components["schemas"]["Nothing"];
            /** @constant */
            type: "pong";
        };
        /** @description A link that signs in one device, once. */
        MadeLink: {
            /**
             * Format: date-time
             * @description When the link expires.
             */
            expiresAt: string;
            /** @description The address as a QR code, in SVG. */
            qrSvg: string;
            /** @description The address the device opens. */
            url: string;
        };
        /** @description A token that was created. */
        MadeToken: {
            /** @description The secret. It is shown only this once. */
            secret: string;
            /** @description The token. */
            token: components["schemas"]["TokenBody"];
        };
        /** @description A marked part of a shell command. */
        MarkedPart: {
            /** @description What it does, if known. */
            danger?: components["schemas"]["Danger"];
            /** @description The decision for this part alone. */
            decision: components["schemas"]["Decision"];
            /** @description Parts it runs that do not appear in the text. */
            inner?: components["schemas"]["MarkedPart"][];
            /** @description The kind of part. */
            kind: components["schemas"]["PartKind"];
            /**
             * @description The range in the visible text, in UTF-8 bytes. None for parts that do not appear in it (the
             *     inside of `bash -c '…'`).
             */
            range?: [
                number,
                number
            ];
            /** @description The text of the part. */
            text: string;
            /** @description The reason as a sentence. */
            why: string;
        };
        /** @description A message to a run. */
        MessageBody: {
            /** @description The text. */
            text: string;
        };
        /** @description Which interface a model has. */
        ModelProvider: "anthropic" | "openai" | "scripted";
        /** @description A fact that judging a call depends on. */
        Need: {
            resolve: string;
        } | {
            repository: string;
        } | {
            tracked_links: string;
        } | {
            glob_option: {
                /** @description Absolute path of the directory. */
                directory: string;
                /** @description The glob as written, without quotes. Wildcard characters that were quoted have a `\` before them. */
                pattern: string;
            };
        } | {
            files: components["schemas"]["FileSearch"];
        } | {
            contents: string;
        };
        /** @description Where a repository is another one. */
        NestedRepositories: "below" | "here";
        /** @description A link to create. */
        NewLinkBody: {
            /** @description The name of the device; visible characters only. */
            name: string;
            /** @description What the device may do: any role except agent. */
            role: components["schemas"]["Role"];
        };
        /** @description A token to create. */
        NewTokenBody: {
            /**
             * @description The only agent that may ask with it; the agent's name is then proven.
             * @default null
             */
            agent?: string | null;
            /**
             * Format: uint32
             * @description How many days it is valid; without it, until it is revoked.
             * @default null
             */
            expiresInDays?: number | null;
            /** @description Its name, for people; visible characters only. */
            name: string;
            /** @description What it may do. */
            role: components["schemas"]["Role"];
            /**
             * @description The registered workspace roots its calls may belong to; empty means any.
             * @default []
             */
            roots?: string[];
            /**
             * @description Whether it belongs to a host application that may state which MCP server a call uses.
             * @default false
             */
            vouches?: boolean;
        };
        /** @description An empty object. */
        Nothing: Record<string, never>;
        /** @description Notification settings of a token's holder. */
        Notifications: {
            /** @description Whether to show system notifications. */
            desktop: boolean;
            /** @description Notify only of approvals with at least this danger. */
            minimumDanger: components["schemas"]["DangerLevel"];
            /** @description When not to notify. */
            quietHours?: components["schemas"]["QuietHours"];
            /** @description Whether to play a sound. */
            sound: boolean;
        };
        /** @description Notification settings of a token's holder. */
        NotificationsInput: {
            /** @description Whether to show system notifications. */
            desktop: boolean;
            /** @description Notify only of approvals with at least this danger. */
            minimumDanger: components["schemas"]["DangerLevel"];
            /** @description When not to notify. */
            quietHours?: components["schemas"]["QuietHours"] | null;
            /** @description Whether to play a sound. */
            sound: boolean;
        };
        /** @description What happens if nobody answers in time. */
        OnTimeout: "deny" | "park";
        /** @description Starts a run of an agent that may have sub-agents. */
        OrchestrateBody: {
            /**
             * Format: uuid
             * @description The agent.
             */
            agent_id: string;
            /** @description What the agent is to do. */
            input: string;
            /**
             * @description The mode. It only narrows that of the agent: `none` takes its sub-agents away, `approval` asks about more. Absent
             *     for the agent's own.
             */
            mode?: components["schemas"]["OrchestrationMode"] | null;
        };
        /** @description Whether an agent has sub-agents, and which of its calls are always asked about. */
        OrchestrationMode: "none" | "auto" | "approval";
        /** @description What happened to a rule. */
        Outcome: "decided" | "limited" | "outranked" | "not_evaluated" | "unproven" | "cannot_loosen" | "expired";
        /** @description How approvals ended. */
        Outcomes: {
            /**
             * Format: uint64
             * @description The caller left, or the approval was cancelled.
             */
            aborted: number;
            /**
             * Format: uint64
             * @description The call was approved.
             */
            approved: number;
            /**
             * Format: uint64
             * @description The call was denied.
             */
            denied: number;
            /**
             * Format: uint64
             * @description Nobody answered in time.
             */
            expired: number;
        };
        /**
         * @description An approval as the agent that asked sees it: what the agent sent, and the outcome. Information that was
         *     looked up for people, such as file contents, is left out.
         */
        OwnQuestion: {
            /**
             * Format: date-time
             * @description When it was asked.
             */
            askedAt: string;
            /** @description The conversation. */
            conversationId: string | null;
            /** @description The digest that an answer must match. */
            digest: components["schemas"]["Digest"];
            /**
             * Format: date-time
             * @description When it expires; absent if it does not expire.
             */
            expiresAt?: string;
            /** @description Its id. */
            id: components["schemas"]["ApprovalId"];
            /** @description The tool's input, as it was asked. */
            input: unknown;
            /** @description How it ended. */
            outcome?: components["schemas"]["QuestionOutcome"];
            /** @description Its current state. */
            state: components["schemas"]["QuestionState"];
            /** @description The tool's name. */
            toolName: string;
            /** @description The call's own id. */
            toolUseId?: string;
            /** @description The label of the workspace. */
            workspaceId: string | null;
        };
        /** @description One part of a shell text: a command, a redirect, an assignment, or something unknown. */
        Part: {
            cited?: components["schemas"]["CitedRule"];
            danger?: components["schemas"]["Danger"];
            decision: components["schemas"]["Decision"];
            kind: components["schemas"]["PartKind"];
            parts?: components["schemas"]["Part"][];
            /** @default  */
            reason: string;
            span?: [
                number,
                number
            ];
            text: string;
        } & ({
            /** @constant */
            code: "rule";
            /**
             * Format: uint
             * @description Position in [`Verdict::rules`](crate::Verdict::rules).
             */
            rule: number;
        } | {
            /** @constant */
            code: "no_rule";
        } | {
            /** @constant */
            code: "not_evaluated";
            /**
             * Format: uint
             * @description Position in [`Verdict::rules`](crate::Verdict::rules).
             */
            rule: number;
        } | {
            /** @constant */
            code: "protected_path";
            /** @description The path. */
            path: string;
            /** @description The pattern on the list of protected paths. */
            pattern: string;
        } | {
            /** @constant */
            code: "protected_among";
            /** @description The file. */
            path: string;
            /** @description The pattern on the list of protected paths. */
            pattern: string;
        } | {
            /** @constant */
            code: "too_many_files";
            /** @description The directory. */
            path: string;
        } | {
            /** @constant */
            code: "path_unknown";
        } | {
            /** @constant */
            code: "field_missing";
            /** @description The field, as a JSON pointer. */
            field: string;
        } | {
            /** @constant */
            code: "field_unreadable";
            /** @description The field, as a JSON pointer. */
            field: string;
        } | {
            /** @constant */
            code: "work_limit";
        } | {
            /** @constant */
            code: "shell_unread";
        } | {
            /** @constant */
            code: "opaque";
            /** @description Why it is opaque. */
            opaque: string;
        } | {
            /** @constant */
            code: "redirect";
            /** @description As written. */
            word: string;
        } | {
            /** @constant */
            code: "assignment";
            /** @description The variable. */
            name: string;
        } | {
            /** @constant */
            code: "expansion";
            /** @description As written. */
            word: string;
        } | {
            /** @constant */
            code: "obstacle";
            /** @description Why. Absent in records from before details existed. */
            detail?: components["schemas"]["ReasonDetail"];
            /** @description The name in the sentence: a program or an option. */
            name?: string;
            /** @description Why, for people. The text may change; programs read the detail. */
            why: string;
            /** @description As written. */
            word: string;
        } | {
            /** @constant */
            code: "may_be_option";
            /** @description As written. */
            word: string;
        } | {
            /** @constant */
            code: "changes_shell";
            /** @description The command. */
            program: string;
        } | {
            /** @constant */
            code: "program_text";
            /** @description The program. */
            program: string;
        } | {
            /** @constant */
            code: "walks_home";
            /** @description The start directory. */
            path: string;
        } | {
            /** @constant */
            code: "outside_workspace";
            /** @description The path. */
            path: string;
        } | {
            /** @constant */
            code: "no_workspace";
            /** @description The path. */
            path: string;
        } | {
            /** @constant */
            code: "repository_runs";
            /** @description Directory in which git would run. */
            directory: string;
            /** @description The setting. */
            what: string;
        } | {
            /** @constant */
            code: "repository_unproven";
            /** @description Directory in which git would run. */
            directory: string;
            /** @description The file or directory. */
            file: string;
            /** @description The setting, if the problem is one. */
            key?: string;
            /** @description The problem. */
            problem: components["schemas"]["RepositoryProblem"];
        } | {
            /** @constant */
            code: "tracked_links";
            /** @description Directory in which git would run. */
            directory: string;
        } | {
            /** @constant */
            code: "repository_unknown";
        } | {
            /** @constant */
            code: "runs_unknown";
            /** @description Why. Absent in records from before details existed. */
            detail?: components["schemas"]["ReasonDetail"];
            /** @description The name in the sentence: a program or an option. */
            name?: string;
            /** @description Why, for people. The text may change; programs read the detail. */
            why: string;
        } | {
            /** @constant */
            code: "too_much";
        } | {
            /** @constant */
            code: "approval_required";
        } | {
            /** @constant */
            code: "nobody_can_confirm";
        } | {
            /** @constant */
            code: "config_broken";
            /** @description The error. */
            error: string;
            /** @description Its layer. */
            layer: components["schemas"]["LayerKind"];
        });
        /**
         * @description An event of another component: `type` is the kind of its record, such as `agent.run_started`. Clients
         *     ignore kinds they do not know.
         */
        PartEvent: {
            /** @description The body of the record; `GET /api/audit/kinds` has its schema. */
            data: unknown;
            /** @description The kind of record. */
            type: components["schemas"]["RecordKind"];
        };
        /** @description What a [`Part`] is. */
        PartKind: "command" | "redirect" | "assignment" | "opaque";
        /** @description How a path is accessed. */
        PathAccess: "read" | "search" | "delete" | "edit" | "write";
        /** @description A call that waits for an approval. */
        PendingCallView: {
            /** @description The question about it. */
            approvalId: components["schemas"]["ApprovalId"];
            /** @description The input. */
            args: unknown;
            /** @description The call's id. */
            toolCallId: string;
            /** @description The tool. */
            toolName: string;
        };
        /** @description A call that waits for an approval. */
        PendingExecution: {
            /** @description The names of the agents, from the first one down to the one that made the call. */
            agents: string[];
            /** @description The question about it. */
            approval_id: components["schemas"]["ApprovalId"];
            /** @description The input. */
            args: unknown;
            /**
             * Format: uuid
             * @description The run that made the call.
             */
            run_id: string;
            /** @description The call's id. */
            tool_call_id: string;
            /** @description The tool. */
            tool_name: string;
        };
        /** @description The response to a caller, in the form of the Claude Agent SDK's `canUseTool`. */
        Permission: {
            /** @constant */
            behavior: "allow";
            /** @description The execution; report its end with `POST /api/executions/{id}`. */
            executionId: components["schemas"]["ExecutionId"];
            /** @description The input to run with, if a human changed it. */
            updatedInput?: unknown;
        } | {
            /** @constant */
            behavior: "deny";
            /** @description The kind of refusal. */
            code: components["schemas"]["RefusalCode"];
            /** @description Details of this refusal, if there are any. */
            detail?: string;
            /** @description Whether to stop the run as well. */
            interrupt?: boolean;
            /** @description The reason, for the model. */
            message: string;
        };
        /** @description A pipeline: stages of agents, each fed with the output of the one before. */
        PipelineBody: {
            /** @description What it is for. */
            description?: string;
            /** @description Its name. No two stored pipelines have the same. */
            name: string;
            /** @description The stages, in order. */
            stages: components["schemas"]["PipelineStageBody"][];
            /**
             * Format: uint64
             * @description The most seconds from the start to the end, waiting for approvals included; absent for no limit.
             */
            timeBudgetSeconds?: number;
            /**
             * Format: uint64
             * @description The most tokens of all stages together, input and output; absent for no limit.
             */
            tokenBudget?: number;
        };
        /** @description A pipeline: stages of agents, each fed with the output of the one before. */
        PipelineBodyInput: {
            /** @description What it is for. */
            description?: string | null;
            /** @description Its name. No two stored pipelines have the same. */
            name: string;
            /** @description The stages, in order. */
            stages: components["schemas"]["PipelineStageBodyInput"][];
            /**
             * Format: uint64
             * @description The most seconds from the start to the end, waiting for approvals included; absent for no limit.
             */
            timeBudgetSeconds?: number | null;
            /**
             * Format: uint64
             * @description The most tokens of all stages together, input and output; absent for no limit.
             */
            tokenBudget?: number | null;
        };
        /** @description All pipelines. */
        PipelineList: {
            /** @description The pipelines, in order of creation. */
            pipelines: components["schemas"]["PipelineView"][];
        };
        /** @description A page of runs of pipelines. */
        PipelineRunList: {
            /**
             * Format: uuid
             * @description What to send as `before` for the next page; absent on the last page.
             */
            next?: string;
            /** @description The runs, newest first. */
            runs: components["schemas"]["PipelineRunView"][];
        };
        /** @description A run of a pipeline. */
        PipelineRunView: {
            /**
             * Format: date-time
             * @description When it was started.
             */
            createdAt: string;
            /** @description More about the end, for people. */
            error?: string;
            /**
             * Format: uint
             * @description The stage that failed, from 0 on. It can be tried again.
             */
            failedStage?: number;
            /** @description Why it failed, as a code. */
            failure?: string;
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /** @description The input. Absent in lists. */
            input?: string;
            /** @description The name that the pipeline had at the start. */
            name: string;
            /** @description The output of the last stage, once it is done. Absent in lists. */
            output?: string;
            /**
             * Format: uuid
             * @description The stored pipeline; absent for one that is not stored.
             */
            pipelineId?: string;
            /** @description The stages, in order. */
            stages: components["schemas"]["PipelineStageView"][];
            /** @description The credential that started it. */
            startedBy: string;
            /** @description What it does. */
            status: components["schemas"]["RunStatus"];
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updatedAt: string;
            /** @description The tokens of all stages so far, without the one under way. */
            usage: components["schemas"]["UsageView"];
        };
        /** @description A stage of a pipeline: an agent, what it is to do, and what it may use of what it has. */
        PipelineStageBody: {
            /** @description The agent, by its name or its id. */
            agent: string;
            /** @description The tools that the stage may use, of those that the agent has. `[]` for none; absent for all of them. */
            enabledTools?: string[];
            /**
             * Format: uint32
             * @description How many replies the model may give, if that is fewer than the agent has.
             */
            maxIterations?: number;
            /** @description Its name, for people; by default that of the agent. */
            name?: string;
            /**
             * @description What the agent is to do. `{{input}}` is the input of the pipeline, and `{{previous}}` the output of the stage before,
             *     which every stage but the first needs. `\{{` is `{{` as text.
             */
            prompt: string;
            /**
             * Format: uint64
             * @description The most seconds of the stage, if that is fewer than the agent has.
             */
            timeBudgetSeconds?: number;
            /**
             * Format: uint64
             * @description The most tokens of the stage, if that is fewer than the agent has.
             */
            tokenBudget?: number;
            /** @description Settings of tools, by their names. They may only narrow those of the agent. */
            toolConfig?: {
                [key: string]: unknown;
            };
        };
        /** @description A stage of a pipeline: an agent, what it is to do, and what it may use of what it has. */
        PipelineStageBodyInput: {
            /** @description The agent, by its name or its id. */
            agent: string;
            /** @description The tools that the stage may use, of those that the agent has. `[]` for none; absent for all of them. */
            enabledTools?: string[] | null;
            /**
             * Format: uint32
             * @description How many replies the model may give, if that is fewer than the agent has.
             */
            maxIterations?: number | null;
            /** @description Its name, for people; by default that of the agent. */
            name?: string | null;
            /**
             * @description What the agent is to do. `{{input}}` is the input of the pipeline, and `{{previous}}` the output of the stage before,
             *     which every stage but the first needs. `\{{` is `{{` as text.
             */
            prompt: string;
            /**
             * Format: uint64
             * @description The most seconds of the stage, if that is fewer than the agent has.
             */
            timeBudgetSeconds?: number | null;
            /**
             * Format: uint64
             * @description The most tokens of the stage, if that is fewer than the agent has.
             */
            tokenBudget?: number | null;
            /** @description Settings of tools, by their names. They may only narrow those of the agent. */
            toolConfig?: {
                [key: string]: unknown;
            };
        };
        /** @description A stage of a run of a pipeline. */
        PipelineStageView: {
            /**
             * Format: uuid
             * @description The agent.
             */
            agentId: string;
            /** @description The name that the agent had at the start. */
            agentName: string;
            /** @description Its attempts, in order. */
            attempts: components["schemas"]["StageAttemptView"][];
            /** @description Its name. */
            name: string;
            /** @description Its output, once it is done. Absent in lists. */
            output?: string;
            /** @description The calls that wait for an approval. */
            pending?: components["schemas"]["PendingCallView"][];
            /** @description What it does; absent until it begins. */
            status?: components["schemas"]["RunStatus"];
        };
        /** @description A stored pipeline. */
        PipelineView: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /** @description Its definition. */
            definition: components["schemas"]["PipelineBody"];
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /**
             * Format: date-time
             * @description When its definition was last changed.
             */
            updatedAt: string;
        };
        /** @description Opt-in lists of rules. */
        Preset: "dev" | "local-work" | "network-read" | "strict";
        /** @description A preset, and where it is on. */
        PresetItem: {
            /** @description The files that switch it on. */
            files: string[];
            /** @description Project files that name it without effect, because they may only tighten as long as they are not trusted. */
            ignoredIn: string[];
            /** @description Its name in a config file. */
            name: components["schemas"]["Preset"];
            /** @description Whether a file switches it on. */
            on: boolean;
            /** @description What its rules match. */
            rules: components["schemas"]["PresetRule"][];
        };
        /** @description A rule of a preset, in a few words. */
        PresetRule: {
            /** @description The command, or the tool and the path. */
            about: string;
            /** @description Its effect. */
            effect: components["schemas"]["Effect"];
        };
        /** @description A registered project and its file. */
        Project: {
            /**
             * Format: uint
             * @description How many of its rules allow something; they apply only if the file is trusted.
             */
            allows?: number;
            /** @description What changed since it was last trusted, as a line diff. */
            diff?: string;
            /** @description The path of its file. */
            path: string;
            /** @description Why it does not load, or cannot be trusted here. */
            problem?: string;
            /** @description The project's root. */
            root: string;
            /** @description SHA-256 of the file's bytes. */
            sha256?: string;
            /** @description How the file compares with what was trusted. */
            state: components["schemas"]["ProjectState"];
            /** @description The text of the file. */
            text?: string;
            /**
             * Format: date-time
             * @description When it was last trusted.
             */
            trustedAt?: string;
            /** @description Who trusted it. */
            trustedBy?: string;
        };
        /** @description The registered projects. */
        ProjectList: {
            /** @description Each project with its file. */
            projects: components["schemas"]["Project"][];
        };
        /** @description How a project file compares with what was trusted. */
        ProjectState: "trusted" | "changed" | "never" | "absent" | "broken";
        /** @description Rules that would decide equal calls from now on. */
        Proposal: {
            /** @description What else they would allow, in plain words. */
            also: string;
            /** @description The same as codes; empty in approvals stored before codes existed. */
            alsoCodes?: components["schemas"]["AlsoAllowed"][];
            /** @description The rules; a compound command needs one for each part. */
            rules: components["schemas"]["RuleFields"][];
        };
        /** @description A question put to humans, and its outcome. */
        Question: {
            /** @description For a sub-agent: the names of the agents, from the one that was started down to the one that asks. */
            agentChain?: string[];
            /** @description The agent's id. */
            agentId?: string;
            /**
             * Format: date-time
             * @description When it was asked.
             */
            askedAt: string;
            /** @description The credential that asked. */
            askedBy: string;
            /** @description The name of the token that asked, for people. */
            askedByName?: string;
            /** @description The conversation; null if the caller named none. */
            conversationId: string | null;
            /** @description The directory the call would run in. */
            cwd?: string;
            /** @description What the tool does, and who described it. */
            descriptor?: components["schemas"]["Described"];
            /** @description The digest that an answer must match. */
            digest: components["schemas"]["Digest"];
            /**
             * Format: date-time
             * @description When it expires; absent if it does not expire.
             */
            expiresAt?: string;
            /** @description Its id. */
            id: components["schemas"]["ApprovalId"];
            /** @description The tool's input, as the agent wrote it. */
            input: unknown;
            /** @description What happens if nobody answers in time. */
            onTimeout: components["schemas"]["OnTimeout"];
            /** @description How it ended. */
            outcome?: components["schemas"]["QuestionOutcome"];
            /** @description The rules that remembering would store, narrowest first. */
            proposals: components["schemas"]["Proposal"][];
            /** @description The workspace root the call belongs to. */
            root?: string;
            /** @description The run the call belongs to. */
            runId?: string;
            /** @description The MCP server the tool belongs to. */
            serverId?: string;
            /** @description The call as people see it. */
            shown: components["schemas"]["Shown"];
            /** @description Its current state. */
            state: components["schemas"]["QuestionState"];
            /** @description The tool's name. */
            toolName: string;
            /** @description The call's own id. */
            toolUseId?: string;
            /**
             * @description The verdict that led to the question. If it has more than 2000 parts, only the gravest are listed; its
             *     decision, reasons and danger are those of the whole.
             */
            verdict: components["schemas"]["Verdict"];
            /** @description The label of the workspace; null if the caller named none. Old clients rely on the key being present. */
            workspaceId: string | null;
        };
        /** @description How an approval ended. */
        QuestionOutcome: {
            /**
             * Format: date-time
             * @description When it ended.
             */
            at: string;
            /** @description Who or what ended it, for people. */
            by: string;
            /** @description The kind of refusal, if it is one. */
            code?: components["schemas"]["RefusalCode"];
            /** @description Details of the refusal: the words of the person who withdrew the question. */
            detail?: string;
            /** @description The channel of the answer: `web`, `terminal`, `api`, …; absent if no person answered. */
            how?: string;
            /** @description Whether the run was to stop as well. */
            interrupt?: boolean;
            /** @description The reason, for people. */
            message?: string;
            /** @description Whether the caller has received the answer. */
            taken: boolean;
            /** @description The input that replaced the requested one. */
            updatedInput?: unknown;
        };
        /** @description A page of approvals. */
        Questions: {
            /** @description The approvals, newest first. */
            approvals: components["schemas"]["SeenQuestion"][];
            /** @description What to send as `before` for the next page; absent on the last page. */
            next?: components["schemas"]["ApprovalId"];
        };
        /** @description The state of an approval. */
        QuestionState: "pending" | "approved" | "denied" | "expired" | "aborted";
        /** @description A part of each day. If it ends before it begins, it spans midnight. */
        QuietHours: {
            /** @description Start: `22:00`. */
            from: string;
            /** @description The IANA time zone: `Europe/Vienna`. */
            timeZone: string;
            /** @description End: `07:00`. */
            to: string;
        };
        /**
         * @description Why a decision was made. On the wire its fields are flattened into those of a [`Part`](crate::Part), so
         *     names must not collide. Rules are given by their position in [`Verdict::rules`](crate::Verdict::rules).
         */
        Reason: {
            /** @constant */
            code: "rule";
            /**
             * Format: uint
             * @description Position in [`Verdict::rules`](crate::Verdict::rules).
             */
            rule: number;
        } | {
            /** @constant */
            code: "no_rule";
        } | {
            /** @constant */
            code: "not_evaluated";
            /**
             * Format: uint
             * @description Position in [`Verdict::rules`](crate::Verdict::rules).
             */
            rule: number;
        } | {
            /** @constant */
            code: "protected_path";
            /** @description The path. */
            path: string;
            /** @description The pattern on the list of protected paths. */
            pattern: string;
        } | {
            /** @constant */
            code: "protected_among";
            /** @description The file. */
            path: string;
            /** @description The pattern on the list of protected paths. */
            pattern: string;
        } | {
            /** @constant */
            code: "too_many_files";
            /** @description The directory. */
            path: string;
        } | {
            /** @constant */
            code: "path_unknown";
        } | {
            /** @constant */
            code: "field_missing";
            /** @description The field, as a JSON pointer. */
            field: string;
        } | {
            /** @constant */
            code: "field_unreadable";
            /** @description The field, as a JSON pointer. */
            field: string;
        } | {
            /** @constant */
            code: "work_limit";
        } | {
            /** @constant */
            code: "shell_unread";
        } | {
            /** @constant */
            code: "opaque";
            /** @description Why it is opaque. */
            opaque: string;
        } | {
            /** @constant */
            code: "redirect";
            /** @description As written. */
            word: string;
        } | {
            /** @constant */
            code: "assignment";
            /** @description The variable. */
            name: string;
        } | {
            /** @constant */
            code: "expansion";
            /** @description As written. */
            word: string;
        } | {
            /** @constant */
            code: "obstacle";
            /** @description Why. Absent in records from before details existed. */
            detail?: components["schemas"]["ReasonDetail"];
            /** @description The name in the sentence: a program or an option. */
            name?: string;
            /** @description Why, for people. The text may change; programs read the detail. */
            why: string;
            /** @description As written. */
            word: string;
        } | {
            /** @constant */
            code: "may_be_option";
            /** @description As written. */
            word: string;
        } | {
            /** @constant */
            code: "changes_shell";
            /** @description The command. */
            program: string;
        } | {
            /** @constant */
            code: "program_text";
            /** @description The program. */
            program: string;
        } | {
            /** @constant */
            code: "walks_home";
            /** @description The start directory. */
            path: string;
        } | {
            /** @constant */
            code: "outside_workspace";
            /** @description The path. */
            path: string;
        } | {
            /** @constant */
            code: "no_workspace";
            /** @description The path. */
            path: string;
        } | {
            /** @constant */
            code: "repository_runs";
            /** @description Directory in which git would run. */
            directory: string;
            /** @description The setting. */
            what: string;
        } | {
            /** @constant */
            code: "repository_unproven";
            /** @description Directory in which git would run. */
            directory: string;
            /** @description The file or directory. */
            file: string;
            /** @description The setting, if the problem is one. */
            key?: string;
            /** @description The problem. */
            problem: components["schemas"]["RepositoryProblem"];
        } | {
            /** @constant */
            code: "tracked_links";
            /** @description Directory in which git would run. */
            directory: string;
        } | {
            /** @constant */
            code: "repository_unknown";
        } | {
            /** @constant */
            code: "runs_unknown";
            /** @description Why. Absent in records from before details existed. */
            detail?: components["schemas"]["ReasonDetail"];
            /** @description The name in the sentence: a program or an option. */
            name?: string;
            /** @description Why, for people. The text may change; programs read the detail. */
            why: string;
        } | {
            /** @constant */
            code: "too_much";
        } | {
            /** @constant */
            code: "approval_required";
        } | {
            /** @constant */
            code: "nobody_can_confirm";
        } | {
            /** @constant */
            code: "config_broken";
            /** @description The error. */
            error: string;
            /** @description Its layer. */
            layer: components["schemas"]["LayerKind"];
        };
        /**
         * @description Why a command is not known to be harmless, or why it is unknown what it runs.
         * @enum {string}
         */
        ReasonDetail: "no_program" | "computed_program" | "program_elsewhere" | "unknown_program" | "not_listed" | "no_harmless_use" | "no_harmless_subcommand" | "other_directory" | "needs_option" | "operand_needs_option" | "too_many_operands" | "may_become_too_many" | "operand_prefix" | "sets_other_variable" | "unknown_option" | "unproven_option" | "option_takes_no_value" | "may_be_option" | "computed_value" | "reads_standard_input" | "unproven_value" | "not_installed" | "special_name" | "git_format" | "git_sort" | "not_a_setting" | "waits_long" | "jq_program" | "git_setting" | "sed_script" | "printf_format" | "awk_program" | "yq_path" | "names_host" | "other_machine" | "outside_allow" | "too_few_operands" | "shows_environment" | "computed_replacement" | "no_closing_bracket" | "may_change_test" | "not_a_simple_test" | "find_computed_word" | "find_option" | "find_computed_command" | "find_executes" | "name_splits" | "computed_path" | "changes_meaning" | "leaves_sandbox" | "second_directory" | "unknown_directory_field" | "uncertain_start" | "computed_end" | "no_command" | "setting_may_run" | "options_unknown" | "options_contradict" | "runs_command_file" | "built_from_parts" | "option_runs" | "sed_runs" | "runs_input" | "computed_text" | "other_shell";
        /** @description The kind of record: one of the gate's own kinds, or `area.kind` of a component. */
        RecordKind: "verdict" | "question" | "outcome" | "claim" | "execution" | "rules" | "trust" | "token" | "upkeep" | "checkpoint" | string;
        /** @description What an audit record says. */
        RecordLine: {
            /** @constant */
            code: "too_large";
        } | {
            /** @description Who or what answered. */
            by: string;
            /** @constant */
            code: "approved";
        } | {
            /** @description Who or what answered. */
            by: string;
            /** @constant */
            code: "denied";
        } | {
            /** @constant */
            code: "expired";
        } | {
            /** @constant */
            code: "caller_left";
        } | {
            /** @constant */
            code: "called_off";
            /** @description The reason given. */
            why: string;
        } | {
            /** @constant */
            code: "let_through";
        } | {
            /** @constant */
            code: "told";
        } | {
            /** @constant */
            code: "turned_back";
            /** @description Why, as displayed to people. */
            why: string;
        } | {
            /** @constant */
            code: "finished";
        } | {
            /** @constant */
            code: "failed";
        } | {
            /** @description Who added it. */
            by: string;
            /** @constant */
            code: "rule_added";
            /** @description The effect of the rule. */
            effect: components["schemas"]["Effect"];
            /**
             * Format: uuid
             * @description The id of the rule.
             */
            id: string;
        } | {
            /** @description Who changed it. */
            by: string;
            /** @constant */
            code: "rule_changed";
            /** @description The effect of the rule. */
            effect: components["schemas"]["Effect"];
            /**
             * Format: uuid
             * @description The id of the rule.
             */
            id: string;
        } | {
            /** @description Who removed it. */
            by: string;
            /** @constant */
            code: "rule_removed";
            /** @description The effect of the rule. */
            effect: components["schemas"]["Effect"];
            /**
             * Format: uuid
             * @description The id of the rule.
             */
            id: string;
        } | {
            /** @description Who changed it. */
            by: string;
            /** @constant */
            code: "file_rule_changed";
            /** @description The effect of the changed rule. */
            effect: components["schemas"]["Effect"];
            /** @description The name of the file. */
            file: string;
            /**
             * Format: uint32
             * @description The line where the rule started.
             */
            line: number;
        } | {
            /** @description Who removed it. */
            by: string;
            /** @constant */
            code: "file_rule_removed";
            /** @description The effect of the rule. */
            effect: components["schemas"]["Effect"];
            /** @description The name of the file. */
            file: string;
            /**
             * Format: uint32
             * @description The line where the rule started.
             */
            line: number;
        } | {
            /** @description Who answered. */
            by: string;
            /** @constant */
            code: "remembered";
            /** @description The effect of the rule. */
            effect: components["schemas"]["Effect"];
            /** @description Where the rule applies. */
            scope: components["schemas"]["Scope"];
        } | {
            /** @constant */
            code: "policy_file_changed";
        } | {
            /** @description Who trusts it. */
            by: string;
            /** @constant */
            code: "trusted";
            /** @description The path of the file. */
            path: string;
        } | {
            /** @constant */
            code: "trust_failed";
            /** @description What went wrong, as displayed to people. */
            error: string;
            /** @description The path of the file. */
            path: string;
        } | {
            /** @description Who revoked the trust. */
            by: string;
            /** @constant */
            code: "trust_revoked";
            /** @description The path of the file. */
            path: string;
        } | {
            /** @constant */
            code: "token_made";
            /** @description Its name. */
            name: string;
        } | {
            /** @constant */
            code: "token_revoked";
            /** @description Its name. */
            name: string;
        } | {
            /** @constant */
            code: "signed_in";
            /** @description Its name. */
            name: string;
        } | {
            /** @constant */
            code: "signed_out";
            /** @description Its name. */
            name: string;
        } | {
            /** @constant */
            code: "link_made";
            /** @description The name of the token it creates. */
            name: string;
            /** @description The role of that token. */
            role: components["schemas"]["Role"];
        } | {
            /**
             * Format: date-time
             * @description The calls ended before this time.
             */
            before: string;
            /** @constant */
            code: "inputs_forgotten";
            /**
             * Format: uint64
             * @description How many inputs, if known.
             */
            inputs?: number;
        } | {
            /**
             * Format: date-time
             * @description The rows are older than this.
             */
            before: string;
            /** @constant */
            code: "rows_removed";
        } | {
            /** @constant */
            code: "key_added";
            /**
             * Format: uint32
             * @description The number of the key.
             */
            key: number;
        } | {
            /** @constant */
            code: "spool_unread";
        } | {
            /**
             * Format: uint
             * @description The number of chains.
             */
            chains: number;
            /** @constant */
            code: "checkpoint";
        };
        /** @description The kinds of refusal. */
        RefusalCode: "denied" | "denied_by_rule" | "expired" | "aborted" | "nobody_can_answer" | "not_recorded" | "config_broken" | "input_not_exact" | "other_input" | "already_taken" | "no_call_id" | "no_room" | "closing";
        /** @description What to remember. */
        RememberBody: boolean | components["schemas"]["RememberRules"];
        /** @description What was remembered, or why not. The answer stands either way. */
        RememberedBody: {
            /** @description The changes in a project file that was not written, because it differs from the file a human trusted. */
            diff?: string;
            /** @description Why the rules apply to the session only, or why nothing was stored. */
            message?: string;
            /** @description The rules as they were stored. */
            rules: components["schemas"]["RuleFields"][];
            /** @description Where the rules apply, which may differ from the requested scope. Absent if nothing was stored. */
            scope?: components["schemas"]["Scope"];
        };
        /** @description Which rules to remember, and where. */
        RememberRules: {
            /**
             * @description The rules, as proposed or as edited. Empty: the narrowest proposal.
             * @default []
             */
            rules?: components["schemas"]["RuleFieldsInput"][];
            /** @description Where they apply. */
            scope: components["schemas"]["Scope"];
        };
        /** @description What a git repository can make git do. */
        Repository: "plain" | {
            names_programs: {
                /** @description The setting. */
                what: string;
            };
        } | {
            unproven: {
                /** @description The findings; at least one. */
                findings: components["schemas"]["RepositoryFinding"][];
            };
        };
        /** @description Something about a git repository that is not known to be harmless, even to a command that only reads. */
        RepositoryFinding: {
            /** @description The file or directory, absolute. */
            file: string;
            /** @description The setting, as `section.subsection.key`, if the problem is one. */
            key?: string;
            /** @description The problem. */
            problem: components["schemas"]["RepositoryProblem"];
            /** @description It is in a submodule, which git reads in a separate process that command options do not reach. */
            submodule?: boolean;
            /** @description It matters only to commands that change the repository. */
            writes?: boolean;
        };
        /** @description Problems of a git repository. */
        RepositoryProblem: "setting" | "hook" | "unreadable" | "looks_bare" | "not_repository" | "redirect" | "link" | "alternates" | "index" | "user_include" | "credential" | "absent" | "too_much";
        /** @description An approval that ended. */
        Resolved: {
            /** @description Its id. */
            id: components["schemas"]["ApprovalId"];
            /** @description Who ended it, and why. */
            outcome?: components["schemas"]["QuestionOutcome"];
            /** @description How it ended; never `pending`. */
            state: components["schemas"]["QuestionState"];
            /** @description The tool's name. */
            toolName?: string;
        };
        /** @description What a credential may do, from least to most. */
        Role: "agent" | "viewer" | "approver" | "admin";
        /** @description The schema of [`RuleBody`]. It is parsed by hand, because a flattened struct cannot reject unknown fields. */
        RuleBody: {
            /** @description Exact agent id; absent means any. */
            agent?: string | null;
            /**
             * @description `true`: allow; `false`: confirm, or deny if `effect` says so.
             * @default null
             */
            autoApprove?: boolean | null;
            /** @description Shell tools: the leading words of a command, such as `git push`. */
            command?: string | null;
            /** @description Shell tools: `*` is any text, `?` one character. With `command`: both must match. */
            commandGlob?: string | null;
            /**
             * @description The effect. Either this or `autoApprove` is required.
             * @default null
             */
            effect?: components["schemas"]["Effect"] | null;
            /** @description Calls the rule must and must not match. */
            examples?: components["schemas"]["RuleExamplesInput"] | null;
            /**
             * Format: date-time
             * @description When the rule expires.
             */
            expiresAt?: string | null;
            /**
             * @description Web tools: a host, or `*.suffix`, perhaps with a port (`example.com:8443`). Without one, an allow covers the default
             *     port only, a deny or confirm every port.
             */
            host?: string | null;
            /** @description The input of the call, as JSON text: all of it for an allow, fields that it has for a deny or confirm. */
            input?: string | null;
            /** @description Why the rule exists. The model reads the note of a deny. */
            note?: string | null;
            /** @description Confirm rules: what happens if nobody answers in time. */
            onTimeout?: components["schemas"]["OnTimeout"] | null;
            /** @description File tools: a gitignore-style glob over the absolute path. */
            path?: string | null;
            /**
             * Format: int32
             * @description Higher wins; default 0. A deny wins at any priority.
             */
            priority?: number | null;
            /**
             * @description The fields of the rule, unless they are next to `effect`.
             * @default null
             */
            rule?: components["schemas"]["RuleFieldsInput"] | null;
            /** @description Exact id of an MCP server; absent means any. */
            server?: string | null;
            /** @description Another name for `server`. */
            serverId?: string | null;
            /** @description `skill_load` only: exact name of the skill. */
            skillName?: string | null;
            /**
             * Format: uint32
             * @description Confirm rules: seconds to wait for an answer; default 120.
             */
            timeoutS?: number | null;
            /**
             * @description Exact tool name. A canonical name (`bash`, `read`, …) also matches the names that known agents use for
             *     that tool.
             */
            tool?: string | null;
            /** @description Another name for `tool`. */
            toolName?: string | null;
            /** @description `*` wildcard over the whole tool name, ignoring case. With `tool`: either may match. */
            toolPattern?: string | null;
            /** @description Whole-tool allow of a shell tool: drops the limits on shell text. */
            unrestricted?: boolean | null;
        };
        /** @description A rule's own tests. */
        RuleExamples: {
            /** @description Calls the rule must match. */
            match?: components["schemas"]["Example"][];
            /** @description Calls the rule must not match. */
            notMatch?: components["schemas"]["Example"][];
        };
        /** @description A rule's own tests. */
        RuleExamplesInput: {
            /** @description Calls the rule must match. */
            match?: components["schemas"]["ExampleInput"][];
            /** @description Calls the rule must not match. */
            notMatch?: components["schemas"]["ExampleInput"][];
        };
        /** @description What a rule matches, and its options. `null` means absent. */
        RuleFields: {
            /** @description Exact agent id; absent means any. */
            agent?: string;
            /** @description Shell tools: the leading words of a command, such as `git push`. */
            command?: string;
            /** @description Shell tools: `*` is any text, `?` one character. With `command`: both must match. */
            commandGlob?: string;
            /** @description Calls the rule must and must not match. */
            examples?: components["schemas"]["RuleExamples"];
            /**
             * Format: date-time
             * @description When the rule expires.
             */
            expiresAt?: string;
            /**
             * @description Web tools: a host, or `*.suffix`, perhaps with a port (`example.com:8443`). Without one, an allow covers the default
             *     port only, a deny or confirm every port.
             */
            host?: string;
            /** @description The input of the call, as JSON text: all of it for an allow, fields that it has for a deny or confirm. */
            input?: string;
            /** @description Why the rule exists. The model reads the note of a deny. */
            note?: string;
            /** @description Confirm rules: what happens if nobody answers in time. */
            onTimeout?: components["schemas"]["OnTimeout"];
            /** @description File tools: a gitignore-style glob over the absolute path. */
            path?: string;
            /**
             * Format: int32
             * @description Higher wins; default 0. A deny wins at any priority.
             */
            priority?: number;
            /** @description Exact id of an MCP server; absent means any. */
            server?: string;
            /** @description Another name for `server`. */
            serverId?: string;
            /** @description `skill_load` only: exact name of the skill. */
            skillName?: string;
            /**
             * Format: uint32
             * @description Confirm rules: seconds to wait for an answer; default 120.
             */
            timeoutS?: number;
            /**
             * @description Exact tool name. A canonical name (`bash`, `read`, …) also matches the names that known agents use for
             *     that tool.
             */
            tool?: string;
            /** @description Another name for `tool`. */
            toolName?: string;
            /** @description `*` wildcard over the whole tool name, ignoring case. With `tool`: either may match. */
            toolPattern?: string;
            /** @description Whole-tool allow of a shell tool: drops the limits on shell text. */
            unrestricted?: boolean;
        };
        /** @description What a rule matches, and its options. `null` means absent. */
        RuleFieldsInput: {
            /** @description Exact agent id; absent means any. */
            agent?: string | null;
            /** @description Shell tools: the leading words of a command, such as `git push`. */
            command?: string | null;
            /** @description Shell tools: `*` is any text, `?` one character. With `command`: both must match. */
            commandGlob?: string | null;
            /** @description Calls the rule must and must not match. */
            examples?: components["schemas"]["RuleExamplesInput"] | null;
            /**
             * Format: date-time
             * @description When the rule expires.
             */
            expiresAt?: string | null;
            /**
             * @description Web tools: a host, or `*.suffix`, perhaps with a port (`example.com:8443`). Without one, an allow covers the default
             *     port only, a deny or confirm every port.
             */
            host?: string | null;
            /** @description The input of the call, as JSON text: all of it for an allow, fields that it has for a deny or confirm. */
            input?: string | null;
            /** @description Why the rule exists. The model reads the note of a deny. */
            note?: string | null;
            /** @description Confirm rules: what happens if nobody answers in time. */
            onTimeout?: components["schemas"]["OnTimeout"] | null;
            /** @description File tools: a gitignore-style glob over the absolute path. */
            path?: string | null;
            /**
             * Format: int32
             * @description Higher wins; default 0. A deny wins at any priority.
             */
            priority?: number | null;
            /** @description Exact id of an MCP server; absent means any. */
            server?: string | null;
            /** @description Another name for `server`. */
            serverId?: string | null;
            /** @description `skill_load` only: exact name of the skill. */
            skillName?: string | null;
            /**
             * Format: uint32
             * @description Confirm rules: seconds to wait for an answer; default 120.
             */
            timeoutS?: number | null;
            /**
             * @description Exact tool name. A canonical name (`bash`, `read`, …) also matches the names that known agents use for
             *     that tool.
             */
            tool?: string | null;
            /** @description Another name for `tool`. */
            toolName?: string | null;
            /** @description `*` wildcard over the whole tool name, ignoring case. With `tool`: either may match. */
            toolPattern?: string | null;
            /** @description Whole-tool allow of a shell tool: drops the limits on shell text. */
            unrestricted?: boolean | null;
        };
        /** @description A rule, where it is, and how often it decided. */
        RuleItem: {
            /** @description Whether calls it matches run without a question. */
            autoApprove: boolean;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt?: string;
            /** @description Who created it. */
            createdBy?: string;
            /** @description Whether it can be changed over the API. */
            editable: boolean;
            /** @description Its effect. */
            effect: components["schemas"]["Effect"];
            /** @description Whether it has expired. */
            expired?: boolean;
            /** @description The file it is in. */
            file?: string;
            /**
             * Format: uint64
             * @description How many calls of the last seven days it decided, or helped to decide.
             */
            hits: number;
            /**
             * @description The UUID of a stored rule; for others the id written in the rule, or a digest of its position and
             *     text.
             */
            id: string;
            /**
             * Format: date-time
             * @description When it last decided.
             */
            lastHit?: string;
            /**
             * Format: uint32
             * @description The line it begins at.
             */
            line?: number;
            /**
             * Format: int32
             * @description Higher wins.
             */
            priority: number;
            /** @description What it matches. */
            rule: components["schemas"]["RuleFields"];
            /** @description The MCP server; null means any. */
            serverId: string | null;
            /** @description The only session it applies to. */
            session?: components["schemas"]["RuleSession"];
            /** @description Where it comes from. */
            source: components["schemas"]["RuleSource"];
            /** @description Whether it applies. */
            standing: components["schemas"]["RuleStanding"];
            /** @description The exact tool; null means that the pattern decides, or any tool. */
            toolName: string | null;
            /** @description The wildcard pattern. */
            toolPattern: string | null;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updatedAt?: string;
        };
        /** @description All rules. */
        RuleList: {
            /**
             * Format: uint64
             * @description Grows whenever rules change.
             */
            generation: number;
            /** @description The opt-in lists of rules that are shipped with sekisho, and where they are on. */
            presets: components["schemas"]["PresetItem"][];
            /** @description Layers and rules that do not load. */
            problems: components["schemas"]["RuleProblem"][];
            /** @description The rules, by layer. */
            rules: components["schemas"]["RuleItem"][];
        };
        /** @description A problem with a layer: a file that does not load, or an invalid stored rule. */
        RuleProblem: {
            /** @description The file, or another name of the source. */
            file: string;
            /** @description What is wrong and how to fix it. */
            message: string;
            /** @description The layer. */
            source: components["schemas"]["RuleSource"];
        };
        /** @description The session a rule is remembered for. */
        RuleSession: {
            /** @description The agent's id. */
            agentId?: string;
            /** @description The credential that asked. */
            credential: string;
            /** @description The run or conversation. */
            scope: string;
        };
        /** @description Where a rule comes from. */
        RuleSource: "built-in" | "managed" | "global" | "project" | "database" | "session";
        /** @description Whether a rule applies. Denies and confirms of project files always do. */
        RuleStanding: "counts" | "not_trusted" | "only_tightens" | "broken";
        /** @description Rules to test on past calls: one, or several that belong together. */
        RuleTrial: {
            /**
             * @description `true`: allow; `false`: confirm, or deny if `effect` says so.
             * @default null
             */
            autoApprove?: boolean | null;
            /** @description A call to judge with the rules, besides the past calls. */
            call?: components["schemas"]["Decide"] | null;
            /**
             * @description The effect. Either this or `autoApprove` is required.
             * @default null
             */
            effect?: components["schemas"]["Effect"] | null;
            /**
             * Format: uint
             * @description How many calls to test, newest first; default 500.
             * @default null
             */
            limit?: number | null;
            /**
             * Format: uuid
             * @description The stored rule that `rule` would replace.
             * @default null
             */
            replaces?: string | null;
            /**
             * @description The rule. Either this or `rules` is required.
             * @default null
             */
            rule?: components["schemas"]["RuleFieldsInput"] | null;
            /**
             * @description Rules that would be stored together, such as a proposal for a compound command.
             * @default null
             */
            rules?: components["schemas"]["RuleFieldsInput"][] | null;
            /**
             * Format: date-time
             * @description Ignore calls before this time.
             * @default null
             */
            since?: string | null;
        };
        /** @description What rules would have decided. */
        RuleTried: {
            /**
             * @description The verdict on `call` with the rules. It cites a tested rule by the id of the rule it replaces, or
             *     else by its index as a UUID, from 0.
             */
            call?: components["schemas"]["Decided"];
            /** @description Calls whose decision would change, newest first; 200 at most. */
            changed: components["schemas"]["ChangedCall"][];
            /**
             * Format: uint
             * @description How many decisions would change in total.
             */
            changedTotal: number;
            /** @description All tested calls, by their decisions without and with the rules. */
            counts: components["schemas"]["ChangeCount"][];
            /**
             * Format: uint
             * @description How many of them a tested rule matches.
             */
            matched: number;
            /** @description The latest calls that match, whether or not their decision would change; 50 at most. */
            matches: components["schemas"]["ChangedCall"][];
            /**
             * Format: uint
             * @description How many past calls were judged, with and without the rules.
             */
            tried: number;
        };
        /** @description What a run may use. Absent for no limit. */
        RunBudgets: {
            /** @description Money, in US dollars. */
            costUsd?: string;
            /**
             * Format: uint64
             * @description Seconds from its start to its end.
             */
            seconds?: number;
            /**
             * Format: uint64
             * @description Tokens, input and output.
             */
            tokens?: number;
        };
        /** @description A page of runs. */
        RunList: {
            /**
             * Format: uuid
             * @description What to send as `before` for the next page; absent on the last page.
             */
            next?: string;
            /** @description The runs, newest first. */
            runs: components["schemas"]["RunView"][];
        };
        /** @description A message of a run. */
        RunMessage: {
            /** @description The results of the calls before it, as the model reads them. */
            results?: components["schemas"]["RunToolResult"][];
            /** @description `user`, `assistant` or `tools`. */
            role: string;
            /** @description The text of a user or of the model. */
            text?: string;
            /** @description The calls of the model. */
            toolCalls?: components["schemas"]["RunToolCall"][];
        };
        /** @description The conversation of a run. */
        RunMessages: {
            /** @description The messages, in order. */
            messages: components["schemas"]["RunMessage"][];
        };
        /** @description Starts a run of a stored pipeline. */
        RunPipelineBody: {
            /** @description The input, if a prompt has `{{input}}`. */
            input?: string | null;
        };
        /** @description What a run does. */
        RunStatus: "running" | "suspended" | "completed" | "failed" | "aborted";
        /** @description A call of the model. */
        RunToolCall: {
            /** @description The input. A string, if it was not a JSON object; such a call does not run. */
            args: unknown;
            /** @description The call's id. */
            toolCallId: string;
            /** @description The tool. */
            toolName: string;
        };
        /** @description The result of a call. */
        RunToolResult: {
            /** @description The text. */
            content: string;
            /** @description Whether it is an error. */
            isError: boolean;
            /** @description The call's id. */
            toolCallId: string;
            /** @description The tool. */
            toolName: string;
        };
        /** @description A run. */
        RunView: {
            /**
             * Format: uuid
             * @description The agent.
             */
            agentId: string;
            /** @description The name that the agent had at the start. */
            agentName: string;
            /** @description What it may use. */
            budgets: components["schemas"]["RunBudgets"];
            /** @description The runs that it started. Absent in lists. */
            children?: string[];
            /**
             * Format: date-time
             * @description When it was started.
             */
            createdAt: string;
            /**
             * Format: uint
             * @description How many runs are above it: 0 for a run that a person or a program started.
             * @default 0
             */
            depth: number;
            /** @description More about the end, such as the error of the model. */
            error?: string;
            /** @description Why it ended. Absent while it goes on. */
            finishReason?: string;
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /** @description The model. */
            model: string;
            /** @description What the model said last. Absent in lists. */
            output?: string;
            /**
             * Format: uuid
             * @description The run that started it, if it is that of a sub-agent.
             */
            parentId?: string;
            /** @description The calls that wait for an approval. */
            pending: components["schemas"]["PendingCallView"][];
            /** @description Which interface its model has. */
            provider: components["schemas"]["ModelProvider"];
            /**
             * Format: uint
             * @description How many messages wait until the run is free.
             */
            queuedMessages: number;
            /**
             * Format: uint32
             * @description How many replies the model gave so far.
             */
            replies: number;
            /** @description The credential that started it. */
            startedBy: string;
            /** @description What it does. */
            status: components["schemas"]["RunStatus"];
            /** @description The tokens so far, those of the runs below it included. Absent in lists. */
            totalUsage?: components["schemas"]["UsageView"];
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updatedAt: string;
            /** @description The tokens so far, and what they cost. */
            usage: components["schemas"]["UsageView"];
            /** @description Its workspace. */
            workspace?: string;
        };
        /** @description Where a remembered rule applies. */
        Scope: "session" | "project" | "global";
        /** @description An approval, as far as the reader may see it. */
        SeenQuestion: components["schemas"]["Question"] | components["schemas"]["OwnQuestion"];
        /** @description The caller, and facts about this server. */
        SessionBody: {
            /** @description The address people open, which links start with; not for agents. */
            address?: string;
            /** @description Whether people are asked at all. */
            asks: boolean;
            /**
             * Format: date-time
             * @description When its credential expires.
             */
            expiresAt?: string;
            /** @description The id of its token, if it has one. */
            id?: components["schemas"]["TokenId"];
            /** @description How it authenticated. */
            kind: components["schemas"]["SessionKind"];
            /** @description Its name, for people. */
            name: string;
            /** @description The registered projects; not for agents. */
            projects?: string[];
            /** @description What it may do. */
            role: components["schemas"]["Role"];
            /** @description The server's version. */
            version: string;
            /** @description The same as codes, one for each sentence; not for agents. */
            warningCodes?: components["schemas"]["Warning"][];
            /** @description What is unsafe about this configuration; not for agents. */
            warnings?: string[];
        };
        /** @description How a caller authenticated. */
        SessionKind: "api" | "device" | "socket";
        /** @description A call as people see it. */
        Shown: {
            /** @description Input fields that the form does not show. Display them beside it. */
            besides?: components["schemas"]["FieldBeside"][];
            /** @description How dangerous the call is, and why. */
            danger: components["schemas"]["Danger"];
            /**
             * @description The directory a command would start in, if the input names one other than the call's `cwd`.
             *     Empty if it cannot be determined.
             */
            directory?: string;
            /** @description The files that were read for this view, with their fingerprints. */
            files?: components["schemas"]["FileMark"][];
            /** @description The form that fits the tool. */
            form: components["schemas"]["Form"];
            /** @description The escaped characters that hide or disguise text. */
            hidden?: components["schemas"]["HiddenCharacter"][];
            /** @description The whole input as pretty-printed JSON, with hidden characters made visible. */
            json: string;
            /**
             * @description What is not shown and how much, one sentence each. Empty if `whole` is true. Display them beside
             *     the form.
             */
            leftOut?: string[];
            /** @description The same as codes, one per sentence. Empty in views stored before codes existed. */
            leftOutCodes?: components["schemas"]["LeftOut"][];
            /** @description The tool and its main input. For commands, the normalised command. */
            message: string;
            /** @description `Run command?`, `Run tool?`, … */
            title: string;
            /** @description The same as a code. Absent in views stored before codes existed. */
            titleCode?: components["schemas"]["TitleCode"];
            /** @description Whether everything could be shown. A call that is not shown whole cannot be remembered. */
            whole: boolean;
            /** @description Why it needs an answer. */
            why: string;
        };
        /** @description Whether a record is as it was signed. */
        Signature: "holds" | "changed" | "unknown_key";
        /** @description A device that signed in. */
        SignedIn: {
            /** @description The name of the device. */
            name: string;
            /**
             * @description The page's half of the browser's credential: 32 hexadecimal digits for `X-Sekisho-Page`. It is shown
             *     only this once.
             */
            pageKey: string;
            /** @description What it may do. */
            role: components["schemas"]["Role"];
        };
        /** @description A sign-in request. */
        SignIn: {
            /** @description The text after `#link=` in a link: `skl_…`. */
            link: string;
        };
        /** @description Percentiles of a set of values. */
        Spread: {
            /**
             * Format: uint64
             * @description The median.
             */
            p50: number;
            /**
             * Format: uint64
             * @description The 90th percentile.
             */
            p90: number;
            /**
             * Format: uint64
             * @description The 99th percentile.
             */
            p99: number;
        };
        /** @description An attempt of a stage. */
        StageAttemptView: {
            /**
             * Format: date-time
             * @description When it ended.
             */
            endedAt?: string;
            /** @description More about the failure, for people. */
            error?: string;
            /** @description Why it failed, as a code: a reason for which a run ends, or `not_started`, `run_missing`, `run_id_taken`, `no_output` or `too_long`. */
            failure?: string;
            /**
             * Format: uuid
             * @description The run of the stage's agent, as in `/api/runs`.
             */
            runId: string;
            /**
             * Format: date-time
             * @description When it began.
             */
            startedAt: string;
            /** @description Its tokens, once it has ended. */
            usage?: components["schemas"]["UsageView"];
        };
        /** @description The current state. */
        Standing: {
            /** @description The open approvals, oldest first. */
            approvals: components["schemas"]["SeenQuestion"][];
            /**
             * Format: uint64
             * @description The number of the last event it includes.
             */
            seq: number;
        };
        /** @description A tool that started. */
        Started: {
            /** @description The approval that allowed it, if there was one. */
            approvalId?: components["schemas"]["ApprovalId"];
            /** @description The id of the execution. */
            executionId: components["schemas"]["ExecutionId"];
            /** @description The run of the call, if it names one. */
            runId?: string;
            /** @description The tool's name. */
            toolName: string;
        };
        /** @description Starts a run of a pipeline that is not stored. */
        StartPipelineRunBody: {
            /** @description The pipeline. */
            definition: components["schemas"]["PipelineBodyInput"];
            /** @description The input, if a prompt has `{{input}}`. */
            input?: string | null;
        };
        /** @description Statistics of a time range. */
        Stats: {
            /** @description How long people took to answer, in milliseconds. */
            answerMs: components["schemas"]["Spread"] | null;
            /** @description The same as a histogram, always with the same bounds, in ascending order. */
            answers: components["schemas"]["AnswerBucket"][];
            /** @description The tools that needed approval most often, and how the approvals ended; at most 20. */
            asked: components["schemas"]["AskedTool"][];
            /**
             * Format: uint64
             * @description The size of the database in bytes.
             */
            bytes: number;
            /**
             * @description The shell commands that needed approval most often, from the latest approvals of the range; at
             *     most 20.
             */
            commands: components["schemas"]["AskedCommand"][];
            /** @description Decisions and human answers by hour. */
            hours: components["schemas"]["Hour"][];
            /** @description How many approvals were approved, denied, expired or aborted. */
            outcomes: components["schemas"]["Outcomes"];
            /**
             * Format: uint64
             * @description The number of rows in the log.
             */
            rows: number;
        };
        /** @description A change was stored. */
        StatusOk: {
            /** @description Always `ok`. */
            status: string;
        };
        /** @description A run of a sub-agent. */
        SubAgentExecution: {
            /** @description The names of the agents, from the first one down to this one. */
            agents: string[];
            /** @description Why it ended. Null while it goes on. */
            finish_reason: string | null;
            /**
             * Format: uuid
             * @description The run that started it.
             */
            parent_run_id: string;
            /**
             * Format: uuid
             * @description The run's id.
             */
            run_id: string;
            /** @description What the run does. */
            status: components["schemas"]["RunStatus"];
        };
        /** @description Rules that people's answers support. */
        Suggestion: {
            /** @description What else they would cover, in plain words. */
            also: string;
            /** @description The same as codes; empty in approvals stored before codes existed. */
            alsoCodes?: components["schemas"]["AlsoAllowed"][];
            /** @description The effect of the rules. */
            effect: components["schemas"]["Effect"];
            /** @description The latest of them, ten at most. */
            evidence: components["schemas"]["Evidence"][];
            /**
             * Format: date-time
             * @description When the first was given.
             */
            firstAt: string;
            /**
             * Format: date-time
             * @description When the last was given.
             */
            lastAt: string;
            /** @description The rules. */
            rules: components["schemas"]["RuleFields"][];
            /**
             * Format: uint
             * @description How many equal answers there are, with none to the contrary.
             */
            support: number;
        };
        /** @description Suggested rules. */
        Suggestions: {
            /** @description The suggestions, strongest first. */
            suggestions: components["schemas"]["Suggestion"][];
        };
        /** @description What a question asks permission for. Tools of MCP servers are always `run_tool`. */
        TitleCode: "run_command" | "read_file" | "search_files" | "write_file" | "delete_file" | "edit_file" | "change_files" | "fetch_web" | "search_web" | "load_skill" | "run_tool";
        /** @description A credential. Nothing of its secret is included. */
        TokenBody: {
            /** @description The only agent that may ask with it; the agent's name is then proven. */
            agent?: string;
            /** @description Whether it is valid now. */
            counts: boolean;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /** @description Who created it. */
            createdBy: string;
            /** @description The browser that followed the link: `Chrome on Linux`. For display only, never trusted. */
            device?: string;
            /**
             * Format: date-time
             * @description When it expires.
             */
            expiresAt?: string;
            /** @description Its id; not secret. */
            id: components["schemas"]["TokenId"];
            /** @description What it is for. */
            kind: components["schemas"]["TokenKind"];
            /**
             * Format: date-time
             * @description When it was last used, to within a minute.
             */
            lastUsedAt?: string;
            /** @description Its name, for people. */
            name: string;
            /**
             * Format: date-time
             * @description When it was revoked.
             */
            revokedAt?: string;
            /** @description What it may do. */
            role: components["schemas"]["Role"];
            /** @description The workspace roots its calls may belong to; empty means any registered root. */
            roots: string[];
            /** @description Whether it belongs to a host application that may state which MCP server a call uses. */
            vouches: boolean;
        };
        /**
         * Format: uuid
         * @description A credential.
         */
        TokenId: string;
        /** @description What a token is for. */
        TokenKind: "api" | "device";
        /** @description All credentials. */
        TokensBody: {
            /** @description The tokens, oldest first, including expired and revoked ones. */
            tokens: components["schemas"]["TokenBody"][];
        };
        /** @description Which tools an agent may use. Tools that are not in the list stay as they are. */
        ToolConfigBody: {
            /**
             * Format: uuid
             * @description The agent.
             */
            agent_id: string;
            /** @description The tools. */
            tools: components["schemas"]["ToolConfigEntry"][];
        };
        /** @description Whether and how an agent may use a tool. */
        ToolConfigEntry: {
            /**
             * @description The settings of the tool for this agent, as in `tool_config` of `server.json`; absent or null for the
             *     defaults.
             */
            config?: unknown;
            /** @description Whether the agent may use it. */
            is_enabled: boolean;
            /**
             * @description Whether every call of the tool needs an approval, also where a rule allows it.
             * @default false
             */
            require_approval?: boolean;
            /** @description The tool. */
            tool_name: string;
        };
        /**
         * @description A descriptor as written. Each list contains fields of the input: a name (`script`) or a JSON pointer
         *     (`/steps/*\/run`, where `*` stands for each element of a list).
         */
        ToolDescriptor: {
            /** @description Fields with addresses that are fetched. */
            addresses?: string[];
            /** @description Fields with commands: each a text, or one command as a list of words. */
            commands?: string[];
            /** @description What the tool does. */
            kind: components["schemas"]["DescriptorKind"];
            /** @description The tool changes nothing. This alone does not allow anything. */
            readOnly?: boolean;
            /** @description Fields with paths of files that are read: each a text or a list of texts. */
            reads?: string[];
            /** @description Fields with directories that are searched, or read with everything below them. */
            searches?: string[];
            /** @description Fields with paths of files that are written, edited or deleted. */
            writes?: string[];
        };
        /** @description A request to trust exactly these bytes. */
        TrustBody: {
            /** @description The project's root, as listed. */
            root: string;
            /** @description SHA-256 of the bytes that were read and are trusted, in hexadecimal. */
            sha256: string;
        };
        /** @description Tokens and what they cost. */
        UsageView: {
            /**
             * Format: uint64
             * @description Input that was read from the provider's cache.
             */
            cacheReadTokens: number;
            /**
             * Format: uint64
             * @description Input that was written to it.
             */
            cacheWriteTokens: number;
            /** @description What it cost, in US dollars, such as `"0.0123"`. Absent if the model has no price. */
            costUsd?: string;
            /**
             * Format: uint64
             * @description Input, cached tokens included.
             */
            inputTokens: number;
            /**
             * Format: uint64
             * @description Output.
             */
            outputTokens: number;
        };
        /** @description The wire form of a verdict. */
        Verdict: {
            danger: components["schemas"]["Danger"];
            decision: components["schemas"]["Decision"];
            facts?: components["schemas"]["Facts"];
            /** @description What happens then. */
            on_timeout?: components["schemas"]["OnTimeout"];
            /** @default [] */
            parts: components["schemas"]["Part"][];
            /** @default  */
            reason: string;
            reasons: components["schemas"]["Reason"][];
            rules: components["schemas"]["CitedRule"][];
            /**
             * Format: uint32
             * @description Seconds.
             */
            timeout_s?: number;
        };
        /** @description What is unsafe about a configuration. */
        Warning: {
            /** @constant */
            code: "questions_off";
        } | {
            /** @description The address it listens on. */
            address: string;
            /** @constant */
            code: "no_tls";
        } | {
            /** @constant */
            code: "no_approvers";
        } | {
            /** @constant */
            code: "nobody_answers";
        } | {
            /** @constant */
            code: "runs_as_root";
        } | {
            /** @constant */
            code: "directory_writable";
            /** @description The directory. */
            path: string;
        } | {
            /** @constant */
            code: "config_writable";
            /** @description The file. */
            path: string;
        } | {
            /** @constant */
            code: "secret_readable";
            /** @description The file. */
            path: string;
        } | {
            /** @constant */
            code: "config_broken";
            /** @description The error, for people. */
            error: string;
        } | {
            /** @constant */
            code: "project_broken";
            /** @description The error, for people. */
            error: string;
        } | {
            /** @constant */
            code: "wide_rule";
            /** @description The problem, for people. */
            message: string;
            /** @description The file and the line. */
            place: string;
        } | {
            /** @constant */
            code: "other";
            /** @description The warning, for people. */
            message: string;
        };
        /** @description An address that would be fetched. */
        WebAddress: {
            /** @description The host as the network sees it (punycode). None if it cannot be determined. */
            host?: string;
            /** @description The same as codes, one per sentence. Empty in views stored before codes existed. */
            noteCodes?: components["schemas"]["AddressNote"][];
            /**
             * @description Notes on what is easy to miss: a user name that looks like a host, a name in another script, an
             *     unusual port.
             */
            notes?: string[];
            /** @description The address as the call names it. */
            url: string;
        };
        /** @description The reply to a message that failed. */
        Wrong: {
            /** @description The stable code, for programs. */
            code: string;
            /** @description What to do next. */
            hint?: string;
            /** @description The approval it was about, if its id could be read. */
            id?: string;
            /** @description What went wrong and where, for people. */
            message: string;
            /**
             * Format: uint16
             * @description The HTTP status of the same error.
             */
            status: number;
        };
    };
    responses: {
        /** @description `Closing`: The server is stopping; try again in a moment. `NoRoom`: Too much data is being sent or requested at the moment; try again shortly. `NotRecorded`: The database cannot be read or written now, so no call may run. */
        Closing: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `Conflict`: A different answer was given before, or the same call was asked with a different input. `AGENT_RESUME_TOOL_CALL_NOT_SUSPENDED`: The tool call does not wait for an answer: it is unknown, or was answered before. `NameTaken`: Another agent has this name. `DigestMismatch`: The answer is for a different call than the one in question. `LastAdmin`: The token is the last admin token; without it nobody could create another. `Busy`: The same job is already running. `NoKey`: The audit log cannot be verified without its key. `NotEditable`: The rule is built in or in a file other than the user's own, or its file has just changed. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `Forbidden`: The role of the token does not allow it. `ToolPermissionDenied`: The request wants tools or settings that the agent does not have. `HostNotAllowed`: `Host` is not one of this server's names. `OriginNotAllowed`: The request comes from a page of another site. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `Gone`: The question has expired or was withdrawn. */
        Gone: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `Internal`: An internal error of the server; see its log. `ToolExecutionFailed`: The agent cannot run: its model or the settings of its tools cannot be used. `LedgerDamaged`: The database holds data that cannot be read; run `sekisho doctor`. `NotWritten`: A file could not be written. */
        Internal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `InvalidRequest`: Something in the request is not valid; the message names the field. `EditNotChecked`: The edited input cannot be checked by the tool's schema; approve or deny the call as it is. `SchemaNotTaken`: `inputSchema` cannot be used: it is invalid, too long, too deep, or refers to other documents. */
        InvalidRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `MethodNotAllowed`: The path does not support this method; `Allow` lists those it supports. */
        MethodNotAllowed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `NotFound`: It does not exist, or the caller may not see it. `AGENT_RESUME_NO_SNAPSHOT_FOUND`: There is no such run. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `RateLimited`: Too many requests, open questions or failed attempts; see `Retry-After`. */
        RateLimited: {
            headers: {
                /** @description Seconds to wait */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `TooLarge`: The body is too large. `TooManyValues`: The values in the body would use more memory than its size permits. */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `TooSlow`: The body took too long to arrive. */
        TooSlow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `Unauthenticated`: The request has no token, or no valid one. */
        Unauthenticated: {
            headers: {
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `UnsupportedMediaType`: The body is not declared as JSON. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `UpgradeRequired`: This route needs a WebSocket upgrade. */
        UpgradeRequired: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listAgents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    createAgent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "claude-sonnet-4-5",
                 *       "name": "reviewer",
                 *       "provider": "anthropic",
                 *       "systemPrompt": "You review changes.",
                 *       "workspace": "/home/me/project"
                 *     }
                 */
                "application/json": components["schemas"]["AgentBodyInput"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    replaceAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "claude-sonnet-4-5",
                 *       "name": "reviewer",
                 *       "provider": "anthropic",
                 *       "systemPrompt": "You review changes.",
                 *       "workspace": "/home/me/project"
                 *     }
                 */
                "application/json": components["schemas"]["AgentBodyInput"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    deleteAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getAgentUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentUsageView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    listApprovals: {
        parameters: {
            query?: {
                /** @description Only approvals asked before this one: the `next` of the previous page. */
                before?: components["schemas"]["ApprovalId"];
                /** @description How many at most; default 100, maximum 500. */
                limit?: number;
                /** @description Only approvals in this state. */
                state?: components["schemas"]["QuestionState"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Questions"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SeenQuestion"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    withdrawApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SeenQuestion"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    answerApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "behavior": "deny",
                 *       "message": "Not on a Friday; open a pull request."
                 *     }
                 */
                "application/json": components["schemas"]["AnswerBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnswerTaken"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    waitForApproval: {
        parameters: {
            query?: {
                /** @description How long to wait at most, in milliseconds; default 30 000. */
                timeoutMs?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SeenQuestion"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    searchAudit: {
        parameters: {
            query?: {
                /** @description The exact agent id. */
                agent?: string;
                /** @description The approval. */
                approval?: components["schemas"]["ApprovalId"];
                /** @description The name of who decided. */
                approver?: string;
                /** @description The `next` of the previous page. */
                before?: string;
                /** @description Whether to include checkpoints. */
                checkpoints?: boolean;
                /** @description The decision. */
                decision?: components["schemas"]["Decision"];
                /** @description Start of the span. */
                from?: string;
                /** @description The kind of record. */
                kind?: components["schemas"]["RecordKind"];
                /** @description How many at most; default 100. */
                limit?: number;
                /** @description Words that a record contains, in any order, ignoring case. */
                text?: string;
                /** @description End of the span, exclusive. */
                to?: string;
                /** @description The exact tool name. */
                tool?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditRows"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    searchAuditCalls: {
        parameters: {
            query?: {
                /** @description The exact agent id. */
                agent?: string;
                /** @description The approval. */
                approval?: components["schemas"]["ApprovalId"];
                /** @description The name of who decided. */
                approver?: string;
                /** @description The `next` of the previous page. */
                before?: string;
                /** @description Whether to include checkpoints. */
                checkpoints?: boolean;
                /** @description The decision. */
                decision?: components["schemas"]["Decision"];
                /** @description Start of the span. */
                from?: string;
                /** @description The kind of record. */
                kind?: components["schemas"]["RecordKind"];
                /** @description How many at most; default 100. */
                limit?: number;
                /** @description Words that a record contains, in any order, ignoring case. */
                text?: string;
                /** @description End of the span, exclusive. */
                to?: string;
                /** @description The exact tool name. */
                tool?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditCalls"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    exportAudit: {
        parameters: {
            query?: {
                /** @description The exact agent id. */
                agent?: string;
                /** @description The approval. */
                approval?: components["schemas"]["ApprovalId"];
                /** @description The name of who decided. */
                approver?: string;
                /** @description The decision. */
                decision?: components["schemas"]["Decision"];
                /** @description The format; default `jsonl`. */
                format?: components["schemas"]["AuditFormat"];
                /** @description Start of the span. */
                from?: string;
                /** @description The kind of record. */
                kind?: components["schemas"]["RecordKind"];
                /** @description Words that a record contains, in any order, ignoring case. */
                text?: string;
                /** @description End of the span, exclusive; default now. */
                to?: string;
                /** @description The exact tool name. */
                tool?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    auditKinds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditKinds"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getAuditRow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                seq: string;
                writer: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditRowInChain"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    auditStats: {
        parameters: {
            query?: {
                /** @description Start of the span; default one day before `to`. */
                from?: string;
                /** @description End of the span, exclusive; default now. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditStats"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    verifyAudit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditVerified"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    canUseTool: {
        parameters: {
            query?: {
                /** @description `false`: do not wait for a human. */
                wait?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "cwd": "/home/me/project",
                 *       "input": {
                 *         "command": "git push origin main"
                 *       },
                 *       "timeoutMs": 120000,
                 *       "toolName": "bash",
                 *       "toolUseId": "call-1"
                 *     }
                 */
                "application/json": components["schemas"]["CanUseTool"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Permission"];
                };
            };
            /** @description Accepted, but not finished yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnQuestion"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    decide: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "cwd": "/home/me/project",
                 *       "input": {
                 *         "command": "git status"
                 *       },
                 *       "toolName": "bash"
                 *     }
                 */
                "application/json": components["schemas"]["Decide"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Decided"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Closing"];
        };
    };
    getDocsStyle: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/css": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Closing"];
        };
    };
    followEvents: {
        parameters: {
            query?: {
                /**
                 * @description The id of the last event received, for clients that cannot set `Last-Event-ID`. The header takes
                 *     precedence: a browser that reconnects sends it together with the old query.
                 */
                lastEventId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    executeWithTools: {
        parameters: {
            query?: {
                /**
                 * @description `true`: wait until the run has ended. `false`: do not wait. By default until it has ended, or only waits for
                 *     approvals.
                 */
                wait?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent_id": "0198c0de-0000-7000-8000-000000000001",
                 *       "enabled_tools": [
                 *         "read"
                 *       ],
                 *       "input": "Summarise the README."
                 *     }
                 */
                "application/json": components["schemas"]["ExecuteBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    reportExecution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "durationMs": 830,
                 *       "isError": false,
                 *       "output": "Everything up-to-date"
                 *     }
                 */
                "application/json": components["schemas"]["Ended"];
            };
        };
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    hook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getNotifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Notifications"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    setNotifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NotificationsInput"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Notifications"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getOpenapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Closing"];
        };
    };
    orchestrate: {
        parameters: {
            query?: {
                /**
                 * @description `true`: wait until the run has ended. `false`: do not wait. By default until it has ended, or only waits for
                 *     approvals.
                 */
                wait?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrchestrateBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getOrchestration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    approveOrchestration: {
        parameters: {
            query?: {
                /**
                 * @description `true`: wait until the run has ended. `false`: do not wait. By default until it has ended, or only waits for
                 *     approvals.
                 */
                wait?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApproveOrchestrationBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    listPipelineRuns: {
        parameters: {
            query?: {
                /** @description `true`: only runs that go on or wait for approvals. `false`: only runs that have ended. */
                active?: boolean;
                /** @description Only runs started before this one: the `next` of the previous page. */
                before?: string;
                /** @description How many at most; default 50, maximum 200. */
                limit?: number;
                /** @description Only runs of this stored pipeline. */
                pipelineId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PipelineRunList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    startPipelineRun: {
        parameters: {
            query?: {
                /**
                 * @description `true`: wait until the run has ended. `false`: do not wait. By default until it has ended, or its stage only waits for
                 *     approvals.
                 */
                wait?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartPipelineRunBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PipelineRunView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getPipelineRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PipelineRunView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    abortPipelineRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AbortBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PipelineRunView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    followPipelineRun: {
        parameters: {
            query?: {
                /** @description The id of the last event received, for clients that cannot set `Last-Event-ID`. */
                lastEventId?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    retryPipelineStage: {
        parameters: {
            query?: {
                /**
                 * @description `true`: wait until the run has ended. `false`: do not wait. By default until it has ended, or its stage only waits for
                 *     approvals.
                 */
                wait?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PipelineRunView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    listPipelines: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PipelineList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    createPipeline: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PipelineBodyInput"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PipelineView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getPipeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PipelineView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    replacePipeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PipelineBodyInput"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PipelineView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    deletePipeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    runPipeline: {
        parameters: {
            query?: {
                /**
                 * @description `true`: wait until the run has ended. `false`: do not wait. By default until it has ended, or its stage only waits for
                 *     approvals.
                 */
                wait?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunPipelineBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PipelineRunView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    listRules: {
        parameters: {
            query?: {
                /** @description Only rules with this effect. */
                effect?: components["schemas"]["Effect"];
                /** @description Only the files that count in this registered project; default all registered projects. */
                project?: string;
                /** @description Only rules from this source. */
                source?: components["schemas"]["RuleSource"];
                /** @description Only rules with this text in a field or in their file name, ignoring case. */
                text?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    addRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuleBody"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleItem"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleItem"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    replaceRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuleBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleItem"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    removeRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    suggestRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Suggestions"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    testRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuleTrial"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleTried"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /** @description `true`: only runs that go on or wait for approvals. `false`: only runs that have ended. */
                active?: boolean;
                /** @description Only runs of this agent. */
                agentId?: string;
                /** @description Only runs started before this one: the `next` of the previous page. */
                before?: string;
                /** @description How many at most; default 50, maximum 200. */
                limit?: number;
                /** @description `true`: only runs that a person or a program started, none of sub-agents. */
                roots?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    abortRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AbortBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    approveToolCall: {
        parameters: {
            query?: {
                /**
                 * @description `true`: wait until the run has ended. `false`: do not wait. By default until it has ended, or only waits for
                 *     approvals.
                 */
                wait?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApproveToolCallBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    declineToolCall: {
        parameters: {
            query?: {
                /**
                 * @description `true`: wait until the run has ended. `false`: do not wait. By default until it has ended, or only waits for
                 *     approvals.
                 */
                wait?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Use the staging database.",
                 *       "toolCallId": "call_1"
                 *     }
                 */
                "application/json": components["schemas"]["DeclineToolCallBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    followRun: {
        parameters: {
            query?: {
                /** @description The id of the last event received, for clients that cannot set `Last-Event-ID`. */
                lastEventId?: string;
                /** @description When the stream ends; default `ended`. */
                until?: components["schemas"]["FollowUntil"];
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    interruptRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InterruptBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getRunMessages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunMessages"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    sendRunMessage: {
        parameters: {
            query?: {
                /**
                 * @description `true`: wait until the run has ended. `false`: do not wait. By default until it has ended, or only waits for
                 *     approvals.
                 */
                wait?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionBody"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            503: components["responses"]["Closing"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    listTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokensBody"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent": "ci-bot",
                 *       "expiresInDays": 30,
                 *       "name": "ci",
                 *       "role": "agent"
                 *     }
                 */
                "application/json": components["schemas"]["NewTokenBody"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeToken"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    createLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "phone",
                 *       "role": "approver"
                 *     }
                 */
                "application/json": components["schemas"]["NewLinkBody"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeLink"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    listTools: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BuiltInTool"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    configureTools: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent_id": "0198c0de-0000-7000-8000-000000000001",
                 *       "tools": [
                 *         {
                 *           "is_enabled": true,
                 *           "tool_name": "read"
                 *         },
                 *         {
                 *           "config": {
                 *             "allowed_dirs": [
                 *               "doc"
                 *             ]
                 *           },
                 *           "is_enabled": true,
                 *           "tool_name": "file_write"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ToolConfigBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusOk"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    listProjects: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    trustProject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TrustBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    distrustProject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DistrustBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    openSocket: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection becomes a WebSocket. */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            426: components["responses"]["UpgradeRequired"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Closing"];
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
}

/** The method and path of every operation. */
export const routes = {
  abortPipelineRun: ['POST', '/api/pipeline-runs/{id}/abort'],
  abortRun: ['POST', '/api/runs/{id}/abort'],
  addRule: ['POST', '/api/rules'],
  answerApproval: ['POST', '/api/approvals/{id}/answer'],
  approveOrchestration: ['POST', '/api/orchestrations/{id}/approve'],
  approveToolCall: ['POST', '/api/runs/{id}/approve-tool-call'],
  auditKinds: ['GET', '/api/audit/kinds'],
  auditStats: ['GET', '/api/audit/stats'],
  canUseTool: ['POST', '/api/can-use-tool'],
  configureTools: ['POST', '/api/tools/config'],
  createAgent: ['POST', '/api/agents'],
  createLink: ['POST', '/api/tokens/links'],
  createPipeline: ['POST', '/api/pipelines'],
  createToken: ['POST', '/api/tokens'],
  decide: ['POST', '/api/decide'],
  declineToolCall: ['POST', '/api/runs/{id}/decline-tool-call'],
  deleteAgent: ['DELETE', '/api/agents/{id}'],
  deletePipeline: ['DELETE', '/api/pipelines/{id}'],
  distrustProject: ['DELETE', '/api/trust'],
  executeWithTools: ['POST', '/api/execute-with-tools'],
  exportAudit: ['GET', '/api/audit/export'],
  followEvents: ['GET', '/api/events'],
  followPipelineRun: ['GET', '/api/pipeline-runs/{id}/events'],
  followRun: ['GET', '/api/runs/{id}/events'],
  getAgent: ['GET', '/api/agents/{id}'],
  getAgentUsage: ['GET', '/api/agents/{id}/usage'],
  getApproval: ['GET', '/api/approvals/{id}'],
  getAuditRow: ['GET', '/api/audit/rows/{writer}/{seq}'],
  getDocs: ['GET', '/api/docs'],
  getDocsStyle: ['GET', '/api/docs.css'],
  getNotifications: ['GET', '/api/notifications'],
  getOpenapi: ['GET', '/api/openapi.json'],
  getOrchestration: ['GET', '/api/orchestrations/{id}'],
  getPipeline: ['GET', '/api/pipelines/{id}'],
  getPipelineRun: ['GET', '/api/pipeline-runs/{id}'],
  getRule: ['GET', '/api/rules/{id}'],
  getRun: ['GET', '/api/runs/{id}'],
  getRunMessages: ['GET', '/api/runs/{id}/messages'],
  getSession: ['GET', '/api/session'],
  health: ['GET', '/healthz'],
  hook: ['POST', '/api/hooks/{agent}'],
  interruptRun: ['POST', '/api/runs/{id}/interrupt'],
  listAgents: ['GET', '/api/agents'],
  listApprovals: ['GET', '/api/approvals'],
  listPipelineRuns: ['GET', '/api/pipeline-runs'],
  listPipelines: ['GET', '/api/pipelines'],
  listProjects: ['GET', '/api/trust'],
  listRules: ['GET', '/api/rules'],
  listRuns: ['GET', '/api/runs'],
  listTokens: ['GET', '/api/tokens'],
  listTools: ['GET', '/api/tools'],
  metrics: ['GET', '/metrics'],
  openSocket: ['GET', '/api/ws'],
  orchestrate: ['POST', '/api/orchestrate'],
  removeRule: ['DELETE', '/api/rules/{id}'],
  replaceAgent: ['PUT', '/api/agents/{id}'],
  replacePipeline: ['PUT', '/api/pipelines/{id}'],
  replaceRule: ['PUT', '/api/rules/{id}'],
  reportExecution: ['POST', '/api/executions/{id}'],
  retryPipelineStage: ['POST', '/api/pipeline-runs/{id}/retry'],
  revokeToken: ['DELETE', '/api/tokens/{id}'],
  runPipeline: ['POST', '/api/pipelines/{id}/run'],
  searchAudit: ['GET', '/api/audit'],
  searchAuditCalls: ['GET', '/api/audit/calls'],
  sendRunMessage: ['POST', '/api/runs/{id}/messages'],
  setNotifications: ['PUT', '/api/notifications'],
  signIn: ['POST', '/api/session'],
  signOut: ['DELETE', '/api/session'],
  startPipelineRun: ['POST', '/api/pipeline-runs'],
  suggestRules: ['GET', '/api/rules/suggestions'],
  testRule: ['POST', '/api/rules/test'],
  trustProject: ['POST', '/api/trust'],
  verifyAudit: ['POST', '/api/audit/verify'],
  waitForApproval: ['GET', '/api/approvals/{id}/wait'],
  withdrawApproval: ['DELETE', '/api/approvals/{id}'],
} as const;
