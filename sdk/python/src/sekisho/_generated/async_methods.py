# Made from spec/openapi.json by `python scripts/generate.py`. Do not edit.
"""One method for every operation, asynchronous."""

from __future__ import annotations

import builtins
from typing import Any

from .._http import CLIENT_DEFAULT, AsyncHttp, Timeout
from . import types as t


class AsyncApprovals:
    """Approvals: questions to humans about calls."""

    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list(
        self,
        *,
        before: t.ApprovalId | None = None,
        limit: int | None = None,
        state: t.QuestionState | None = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.Questions:
        """Lists approvals, newest first; an agent sees its own.

        For the roles agent, viewer, approver, admin.
        `before`: Only approvals asked before this one: the `next` of the previous page.
        `limit`: How many at most; default 100, maximum 500.
        `state`: Only approvals in this state.
        """
        result: t.Questions = await self._http.call("listApprovals", query={"before": before, "limit": limit, "state": state}, timeout=timeout)
        return result

    async def withdraw(
        self,
        id: str,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.SeenQuestion:
        """Withdraws an approval; an agent only its own.

        For the roles agent, approver, admin.
        """
        result: t.SeenQuestion = await self._http.call("withdrawApproval", path={"id": str(id)}, timeout=timeout)
        return result

    async def show(
        self,
        id: str,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.SeenQuestion:
        """Gets an approval.

        For the roles agent, viewer, approver, admin.
        """
        result: t.SeenQuestion = await self._http.call("getApproval", path={"id": str(id)}, timeout=timeout)
        return result

    async def answer(
        self,
        id: str,
        body: t.AnswerBody,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.AnswerTaken:
        """Answers an approval; the first answer wins.

        For the roles approver, admin.
        """
        result: t.AnswerTaken = await self._http.call("answerApproval", path={"id": str(id)}, body=body, timeout=timeout)
        return result

    async def wait(
        self,
        id: str,
        *,
        timeout_ms: int | None = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.SeenQuestion:
        """Waits until an approval has ended, or until a timeout.

        For the roles agent, viewer, approver, admin.
        `timeout_ms`: How long to wait at most, in milliseconds; default 30 000.
        """
        result: t.SeenQuestion = await self._http.call("waitForApproval", path={"id": str(id)}, query={"timeoutMs": timeout_ms}, timeout=timeout, default=(30.0 if timeout_ms is None else timeout_ms / 1000) + 10.0)
        return result


class AsyncRules:
    """The rules in force."""

    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list(
        self,
        *,
        effect: t.Effect | None = None,
        project: str | None = None,
        source: t.RuleSource | None = None,
        text: str | None = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.RuleList:
        """Lists the rules of all layers, where each is, and how often it decided.

        For the roles viewer, approver, admin.
        `effect`: Only rules with this effect.
        `project`: Only the files that count in this registered project; default all registered projects.
        `source`: Only rules from this source.
        `text`: Only rules with this text in a field or in their file name, ignoring case.
        """
        result: t.RuleList = await self._http.call("listRules", query={"effect": effect, "project": project, "source": source, "text": text}, timeout=timeout)
        return result

    async def add(
        self,
        body: t.RuleBody,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.RuleItem:
        """Adds a rule to the database.

        For the roles admin.
        """
        result: t.RuleItem = await self._http.call("addRule", body=body, timeout=timeout)
        return result

    async def suggestions(
        self,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.Suggestions:
        """Suggests rules from the answers of the last thirty days.

        For the roles viewer, approver, admin.
        """
        result: t.Suggestions = await self._http.call("suggestRules", timeout=timeout)
        return result

    async def test(
        self,
        body: t.RuleTrial,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.RuleTried:
        """Tests what one or several rules would have decided on recent calls.

        For the roles viewer, approver, admin.
        """
        result: t.RuleTried = await self._http.call("testRule", body=body, timeout=timeout)
        return result

    async def remove(
        self,
        id: str,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> None:
        """Removes a rule.

        For the roles admin.
        """
        await self._http.call("removeRule", path={"id": str(id)}, timeout=timeout)

    async def show(
        self,
        id: str,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.RuleItem:
        """Gets a rule.

        For the roles viewer, approver, admin.
        """
        result: t.RuleItem = await self._http.call("getRule", path={"id": str(id)}, timeout=timeout)
        return result

    async def replace(
        self,
        id: str,
        body: t.RuleBody,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.RuleItem:
        """Replaces a rule.

        For the roles admin.
        """
        result: t.RuleItem = await self._http.call("replaceRule", path={"id": str(id)}, body=body, timeout=timeout)
        return result


class AsyncAudit:
    """The audit log."""

    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def search(
        self,
        *,
        agent: str | None = None,
        approval: t.ApprovalId | None = None,
        approver: str | None = None,
        before: str | None = None,
        checkpoints: bool | None = None,
        decision: t.Decision | None = None,
        from_: str | None = None,
        kind: t.RecordKind | None = None,
        limit: int | None = None,
        text: str | None = None,
        to: str | None = None,
        tool: str | None = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.AuditRows:
        """Searches the audit log, newest records first.

        For the roles viewer, approver, admin.
        `agent`: The exact agent id.
        `approval`: The approval.
        `approver`: The name of who decided.
        `before`: The `next` of the previous page.
        `checkpoints`: Whether to include checkpoints.
        `decision`: The decision.
        `from_`: Start of the span.
        `kind`: The kind of record.
        `limit`: How many at most; default 100.
        `text`: Words that a record contains, in any order, ignoring case.
        `to`: End of the span, exclusive.
        `tool`: The exact tool name.
        """
        result: t.AuditRows = await self._http.call("searchAudit", query={"agent": agent, "approval": approval, "approver": approver, "before": before, "checkpoints": checkpoints, "decision": decision, "from": from_, "kind": kind, "limit": limit, "text": text, "to": to, "tool": tool}, timeout=timeout)
        return result

    async def calls(
        self,
        *,
        agent: str | None = None,
        approval: t.ApprovalId | None = None,
        approver: str | None = None,
        before: str | None = None,
        checkpoints: bool | None = None,
        decision: t.Decision | None = None,
        from_: str | None = None,
        kind: t.RecordKind | None = None,
        limit: int | None = None,
        text: str | None = None,
        to: str | None = None,
        tool: str | None = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.AuditCalls:
        """Searches the audit log by call, newest first.

        For the roles viewer, approver, admin.
        `agent`: The exact agent id.
        `approval`: The approval.
        `approver`: The name of who decided.
        `before`: The `next` of the previous page.
        `checkpoints`: Whether to include checkpoints.
        `decision`: The decision.
        `from_`: Start of the span.
        `kind`: The kind of record.
        `limit`: How many at most; default 100.
        `text`: Words that a record contains, in any order, ignoring case.
        `to`: End of the span, exclusive.
        `tool`: The exact tool name.
        """
        result: t.AuditCalls = await self._http.call("searchAuditCalls", query={"agent": agent, "approval": approval, "approver": approver, "before": before, "checkpoints": checkpoints, "decision": decision, "from": from_, "kind": kind, "limit": limit, "text": text, "to": to, "tool": tool}, timeout=timeout)
        return result

    async def export(
        self,
        *,
        agent: str | None = None,
        approval: t.ApprovalId | None = None,
        approver: str | None = None,
        decision: t.Decision | None = None,
        format: t.AuditFormat | None = None,
        from_: str | None = None,
        kind: t.RecordKind | None = None,
        text: str | None = None,
        to: str | None = None,
        tool: str | None = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> str:
        """Exports the audit log, oldest records first.

        For the roles viewer, approver, admin.
        `agent`: The exact agent id.
        `approval`: The approval.
        `approver`: The name of who decided.
        `decision`: The decision.
        `format`: The format; default `jsonl`.
        `from_`: Start of the span.
        `kind`: The kind of record.
        `text`: Words that a record contains, in any order, ignoring case.
        `to`: End of the span, exclusive; default now.
        `tool`: The exact tool name.
        """
        result: str = await self._http.call("exportAudit", query={"agent": agent, "approval": approval, "approver": approver, "decision": decision, "format": format, "from": from_, "kind": kind, "text": text, "to": to, "tool": tool}, timeout=timeout)
        return result

    async def kinds(
        self,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.AuditKinds:
        """Lists all kinds of records: the values of `kind`.

        For the roles viewer, approver, admin.
        """
        result: t.AuditKinds = await self._http.call("auditKinds", timeout=timeout)
        return result

    async def show(
        self,
        writer: str,
        seq: str | int,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.AuditRowInChain:
        """Gets a record and its place in its chain.

        For the roles viewer, approver, admin.
        """
        result: t.AuditRowInChain = await self._http.call("getAuditRow", path={"writer": str(writer), "seq": str(seq)}, timeout=timeout)
        return result

    async def stats(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.AuditStats:
        """Statistics for a span of time; default the last day.

        For the roles viewer, approver, admin.
        `from_`: Start of the span; default one day before `to`.
        `to`: End of the span, exclusive; default now.
        """
        result: t.AuditStats = await self._http.call("auditStats", query={"from": from_, "to": to}, timeout=timeout)
        return result

    async def verify(
        self,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.AuditVerified:
        """Verifies that the audit log is complete and unchanged.

        For the roles viewer, approver, admin.
        """
        result: t.AuditVerified = await self._http.call("verifyAudit", timeout=timeout, default=None)
        return result


class AsyncTools:
    """The built-in tools."""

    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list(
        self,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> builtins.list[t.BuiltInTool]:
        """Lists the built-in tools, by name.

        For the roles viewer, approver, admin.
        """
        result: builtins.list[t.BuiltInTool] = await self._http.call("listTools", timeout=timeout)
        return result

    async def configure(
        self,
        body: t.ToolConfigBody,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.StatusOk:
        """Enables, disables and configures tools of an agent.

        For the roles admin.
        """
        result: t.StatusOk = await self._http.call("configureTools", body=body, timeout=timeout)
        return result


class AsyncAgents:
    """The agents that the server runs."""

    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list(
        self,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.AgentList:
        """Lists the agents, in order of creation.

        For the roles viewer, approver, admin.
        """
        result: t.AgentList = await self._http.call("listAgents", timeout=timeout)
        return result

    async def create(
        self,
        body: t.AgentBodyInput,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.AgentView:
        """Creates an agent; all tools are off until they are enabled.

        For the roles admin.
        """
        result: t.AgentView = await self._http.call("createAgent", body=body, timeout=timeout)
        return result

    async def remove(
        self,
        id: str,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> None:
        """Deletes an agent and its tool permissions.

        For the roles admin.
        """
        await self._http.call("deleteAgent", path={"id": str(id)}, timeout=timeout)

    async def show(
        self,
        id: str,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.AgentView:
        """Gets an agent and its tools.

        For the roles viewer, approver, admin.
        """
        result: t.AgentView = await self._http.call("getAgent", path={"id": str(id)}, timeout=timeout)
        return result

    async def replace(
        self,
        id: str,
        body: t.AgentBodyInput,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.AgentView:
        """Replaces the settings of an agent; its tools stay.

        For the roles admin.
        """
        result: t.AgentView = await self._http.call("replaceAgent", path={"id": str(id)}, body=body, timeout=timeout)
        return result

    async def usage(
        self,
        id: str,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.AgentUsageView:
        """Gets what the stored runs of an agent have used and cost.

        For the roles viewer, approver, admin.
        """
        result: t.AgentUsageView = await self._http.call("getAgentUsage", path={"id": str(id)}, timeout=timeout)
        return result


class AsyncRuns:
    """Runs of agents."""

    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def start(
        self,
        body: t.ExecuteBody,
        *,
        wait: bool | None = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.ExecutionView:
        """Starts a run of an agent, and waits for it.

        For the roles agent, approver, admin.
        `wait`: `true`: wait until the run has ended. `false`: do not wait. By default until it has ended,
        or only waits for approvals.
        """
        result: t.ExecutionView = await self._http.call("executeWithTools", body=body, query={"wait": wait}, timeout=timeout, default=CLIENT_DEFAULT if wait is False else None)
        return result

    async def orchestrate(
        self,
        body: t.OrchestrateBody,
        *,
        wait: bool | None = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.ExecutionView:
        """Starts a run of an agent that may have sub-agents, and waits for it.

        For the roles agent, approver, admin.
        `wait`: `true`: wait until the run has ended. `false`: do not wait. By default until it has ended,
        or only waits for approvals.
        """
        result: t.ExecutionView = await self._http.call("orchestrate", body=body, query={"wait": wait}, timeout=timeout, default=CLIENT_DEFAULT if wait is False else None)
        return result

    async def orchestration(
        self,
        id: str,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.ExecutionView:
        """Gets a run, the runs of its sub-agents, and what they wait for.

        For the roles agent, viewer, approver, admin.
        """
        result: t.ExecutionView = await self._http.call("getOrchestration", path={"id": str(id)}, timeout=timeout)
        return result

    async def approve_orchestration(
        self,
        id: str,
        body: t.ApproveOrchestrationBody,
        *,
        wait: bool | None = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.ExecutionView:
        """Approves calls of a run and of its sub-agents.

        For the roles approver, admin.
        `wait`: `true`: wait until the run has ended. `false`: do not wait. By default until it has ended,
        or only waits for approvals.
        """
        result: t.ExecutionView = await self._http.call("approveOrchestration", path={"id": str(id)}, body=body, query={"wait": wait}, timeout=timeout, default=CLIENT_DEFAULT if wait is False else None)
        return result

    async def list(
        self,
        *,
        active: bool | None = None,
        agent_id: str | None = None,
        before: str | None = None,
        limit: int | None = None,
        roots: bool | None = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.RunList:
        """Lists runs, newest first; an agent sees its own.

        For the roles agent, viewer, approver, admin.
        `active`: `true`: only runs that go on or wait for approvals. `false`: only runs that have ended.
        `agent_id`: Only runs of this agent.
        `before`: Only runs started before this one: the `next` of the previous page.
        `limit`: How many at most; default 50, maximum 200.
        `roots`: `true`: only runs that a person or a program started, none of sub-agents.
        """
        result: t.RunList = await self._http.call("listRuns", query={"active": active, "agentId": agent_id, "before": before, "limit": limit, "roots": roots}, timeout=timeout)
        return result

    async def show(
        self,
        id: str,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.RunView:
        """Gets a run.

        For the roles agent, viewer, approver, admin.
        """
        result: t.RunView = await self._http.call("getRun", path={"id": str(id)}, timeout=timeout)
        return result

    async def abort(
        self,
        id: str,
        body: t.AbortBody | None = None,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.RunView:
        """Ends a run, its tools and its questions.

        For the roles approver, admin.
        """
        result: t.RunView = await self._http.call("abortRun", path={"id": str(id)}, body={} if body is None else body, timeout=timeout)
        return result

    async def approve(
        self,
        id: str,
        body: t.ApproveToolCallBody | None = None,
        *,
        wait: bool | None = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.RunView:
        """Approves a call of a run.

        For the roles approver, admin.
        `wait`: `true`: wait until the run has ended. `false`: do not wait. By default until it has ended,
        or only waits for approvals.
        """
        result: t.RunView = await self._http.call("approveToolCall", path={"id": str(id)}, body={} if body is None else body, query={"wait": wait}, timeout=timeout, default=CLIENT_DEFAULT if wait is False else None)
        return result

    async def decline(
        self,
        id: str,
        body: t.DeclineToolCallBody | None = None,
        *,
        wait: bool | None = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.RunView:
        """Declines a call of a run; the model reads the reason.

        For the roles approver, admin.
        `wait`: `true`: wait until the run has ended. `false`: do not wait. By default until it has ended,
        or only waits for approvals.
        """
        result: t.RunView = await self._http.call("declineToolCall", path={"id": str(id)}, body={} if body is None else body, query={"wait": wait}, timeout=timeout, default=CLIENT_DEFAULT if wait is False else None)
        return result

    async def interrupt(
        self,
        id: str,
        body: t.InterruptBody | None = None,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.RunView:
        """Ends the tools of a run that run now.

        For the roles approver, admin.
        """
        result: t.RunView = await self._http.call("interruptRun", path={"id": str(id)}, body={} if body is None else body, timeout=timeout)
        return result

    async def messages(
        self,
        id: str,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.RunMessages:
        """Gets the conversation of a run.

        For the roles agent, viewer, approver, admin.
        """
        result: t.RunMessages = await self._http.call("getRunMessages", path={"id": str(id)}, timeout=timeout)
        return result

    async def send(
        self,
        id: str,
        body: t.MessageBody,
        *,
        wait: bool | None = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.RunView:
        """Sends a message to a run.

        For the roles approver, admin.
        `wait`: `true`: wait until the run has ended. `false`: do not wait. By default until it has ended,
        or only waits for approvals.
        """
        result: t.RunView = await self._http.call("sendRunMessage", path={"id": str(id)}, body=body, query={"wait": wait}, timeout=timeout, default=CLIENT_DEFAULT if wait is False else None)
        return result


class AsyncPipelines:
    """Pipelines: stages of agents, each fed with the output of the one before."""

    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list(
        self,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.PipelineList:
        """Lists the pipelines, in order of creation.

        For the roles viewer, approver, admin.
        """
        result: t.PipelineList = await self._http.call("listPipelines", timeout=timeout)
        return result

    async def create(
        self,
        body: t.PipelineBodyInput,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.PipelineView:
        """Creates a pipeline.

        For the roles admin.
        """
        result: t.PipelineView = await self._http.call("createPipeline", body=body, timeout=timeout)
        return result

    async def remove(
        self,
        id: str,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> None:
        """Deletes a pipeline; its runs stay, and go on.

        For the roles admin.
        """
        await self._http.call("deletePipeline", path={"id": str(id)}, timeout=timeout)

    async def show(
        self,
        id: str,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.PipelineView:
        """Gets a pipeline.

        For the roles viewer, approver, admin.
        """
        result: t.PipelineView = await self._http.call("getPipeline", path={"id": str(id)}, timeout=timeout)
        return result

    async def replace(
        self,
        id: str,
        body: t.PipelineBodyInput,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.PipelineView:
        """Replaces the definition of a pipeline.

        For the roles admin.
        """
        result: t.PipelineView = await self._http.call("replacePipeline", path={"id": str(id)}, body=body, timeout=timeout)
        return result

    async def run(
        self,
        id: str,
        body: t.RunPipelineBody,
        *,
        wait: bool | None = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.PipelineRunView:
        """Starts a run of a pipeline, and waits for it.

        For the roles agent, approver, admin.
        `wait`: `true`: wait until the run has ended. `false`: do not wait. By default until it has ended,
        or its stage only waits for approvals.
        """
        result: t.PipelineRunView = await self._http.call("runPipeline", path={"id": str(id)}, body=body, query={"wait": wait}, timeout=timeout, default=CLIENT_DEFAULT if wait is False else None)
        return result


class AsyncPipelineRuns:
    """Runs of pipelines."""

    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list(
        self,
        *,
        active: bool | None = None,
        before: str | None = None,
        limit: int | None = None,
        pipeline_id: str | None = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.PipelineRunList:
        """Lists runs of pipelines, newest first; an agent sees its own.

        For the roles agent, viewer, approver, admin.
        `active`: `true`: only runs that go on or wait for approvals. `false`: only runs that have ended.
        `before`: Only runs started before this one: the `next` of the previous page.
        `limit`: How many at most; default 50, maximum 200.
        `pipeline_id`: Only runs of this stored pipeline.
        """
        result: t.PipelineRunList = await self._http.call("listPipelineRuns", query={"active": active, "before": before, "limit": limit, "pipelineId": pipeline_id}, timeout=timeout)
        return result

    async def start(
        self,
        body: t.StartPipelineRunBody,
        *,
        wait: bool | None = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.PipelineRunView:
        """Starts a run of a pipeline that is not stored, and waits for it.

        For the roles agent, approver, admin.
        `wait`: `true`: wait until the run has ended. `false`: do not wait. By default until it has ended,
        or its stage only waits for approvals.
        """
        result: t.PipelineRunView = await self._http.call("startPipelineRun", body=body, query={"wait": wait}, timeout=timeout, default=CLIENT_DEFAULT if wait is False else None)
        return result

    async def show(
        self,
        id: str,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.PipelineRunView:
        """Gets a run of a pipeline, with its stages and their runs.

        For the roles agent, viewer, approver, admin.
        """
        result: t.PipelineRunView = await self._http.call("getPipelineRun", path={"id": str(id)}, timeout=timeout)
        return result

    async def abort(
        self,
        id: str,
        body: t.AbortBody,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.PipelineRunView:
        """Ends a run of a pipeline, and the run of its stage with its tools and questions.

        For the roles approver, admin.
        """
        result: t.PipelineRunView = await self._http.call("abortPipelineRun", path={"id": str(id)}, body=body, timeout=timeout)
        return result

    async def retry(
        self,
        id: str,
        *,
        wait: bool | None = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.PipelineRunView:
        """Tries the failed stage of a run again, from its start.

        For the roles agent, approver, admin.
        `wait`: `true`: wait until the run has ended. `false`: do not wait. By default until it has ended,
        or its stage only waits for approvals.
        """
        result: t.PipelineRunView = await self._http.call("retryPipelineStage", path={"id": str(id)}, query={"wait": wait}, timeout=timeout, default=CLIENT_DEFAULT if wait is False else None)
        return result


class AsyncTrust:
    """Projects whose own rules may loosen. For admins."""

    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def remove(
        self,
        body: t.DistrustBody,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.Project:
        """Withdraws trust from a project file.

        For the roles admin.
        """
        result: t.Project = await self._http.call("distrustProject", body=body, timeout=timeout)
        return result

    async def list(
        self,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.ProjectList:
        """Lists the registered projects, and whether their files are trusted.

        For the roles admin.
        """
        result: t.ProjectList = await self._http.call("listProjects", timeout=timeout)
        return result

    async def add(
        self,
        body: t.TrustBody,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.Project:
        """Trusts a project file as it was read, so that its rules may loosen.

        For the roles admin.
        """
        result: t.Project = await self._http.call("trustProject", body=body, timeout=timeout)
        return result


class AsyncNotifications:
    """Your notification settings."""

    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def show(
        self,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.Notifications:
        """Gets your notification settings.

        For the roles viewer, approver, admin.
        """
        result: t.Notifications = await self._http.call("getNotifications", timeout=timeout)
        return result

    async def set(
        self,
        body: t.NotificationsInput,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.Notifications:
        """Sets your notification settings.

        For the roles viewer, approver, admin.
        """
        result: t.Notifications = await self._http.call("setNotifications", body=body, timeout=timeout)
        return result


class AsyncTokens:
    """Credentials. For admins."""

    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def list(
        self,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.TokensBody:
        """Lists all credentials, including expired and revoked ones.

        For the roles admin.
        """
        result: t.TokensBody = await self._http.call("listTokens", timeout=timeout)
        return result

    async def create(
        self,
        body: t.NewTokenBody,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.MadeToken:
        """Creates a token; its secret is shown once.

        For the roles admin.
        """
        result: t.MadeToken = await self._http.call("createToken", body=body, timeout=timeout)
        return result

    async def link(
        self,
        body: t.NewLinkBody,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.MadeLink:
        """Creates a short-lived link that signs in one device, once.

        For the roles admin.
        """
        result: t.MadeLink = await self._http.call("createLink", body=body, timeout=timeout)
        return result

    async def revoke(
        self,
        id: str,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> None:
        """Revokes a credential for good.

        For the roles admin.
        """
        await self._http.call("revokeToken", path={"id": str(id)}, timeout=timeout)


class AsyncSession:
    """The caller's session."""

    def __init__(self, http: AsyncHttp) -> None:
        self._http = http

    async def sign_out(
        self,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> None:
        """Signs a browser out and revokes its credential.

        For the roles agent, viewer, approver, admin.
        """
        await self._http.call("signOut", timeout=timeout)

    async def show(
        self,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.SessionBody:
        """Gets the caller's identity and facts about this server.

        For the roles agent, viewer, approver, admin.
        """
        result: t.SessionBody = await self._http.call("getSession", timeout=timeout)
        return result

    async def sign_in(
        self,
        body: t.SignIn,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.SignedIn:
        """Signs a browser in with a link.

        Open to anyone.
        """
        result: t.SignedIn = await self._http.call("signIn", body=body, timeout=timeout)
        return result


class AsyncMethods:
    """The operations that belong to no group."""

    def __init__(self, http: AsyncHttp) -> None:
        self._http = http
        self.approvals = AsyncApprovals(http)
        """Approvals: questions to humans about calls."""
        self.rules = AsyncRules(http)
        """The rules in force."""
        self.audit = AsyncAudit(http)
        """The audit log."""
        self.tools = AsyncTools(http)
        """The built-in tools."""
        self.agents = AsyncAgents(http)
        """The agents that the server runs."""
        self.runs = AsyncRuns(http)
        """Runs of agents."""
        self.pipelines = AsyncPipelines(http)
        """Pipelines: stages of agents, each fed with the output of the one before."""
        self.pipeline_runs = AsyncPipelineRuns(http)
        """Runs of pipelines."""
        self.trust = AsyncTrust(http)
        """Projects whose own rules may loosen. For admins."""
        self.notifications = AsyncNotifications(http)
        """Your notification settings."""
        self.tokens = AsyncTokens(http)
        """Credentials. For admins."""
        self.session = AsyncSession(http)
        """The caller's session."""

    async def decide(
        self,
        body: t.Decide,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> t.Decided:
        """Judges a call without asking anyone.

        For the roles agent, viewer, approver, admin.
        """
        result: t.Decided = await self._http.call("decide", body=body, timeout=timeout)
        return result

    async def docs(
        self,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> str:
        """This API as a page to read.

        Open to anyone.
        """
        result: str = await self._http.call("getDocs", timeout=timeout)
        return result

    async def docs_style(
        self,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> str:
        """The stylesheet of that page.

        Open to anyone.
        """
        result: str = await self._http.call("getDocsStyle", timeout=timeout)
        return result

    async def report_execution(
        self,
        id: str,
        body: t.Ended,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> None:
        """Reports how an allowed call ended.

        For the roles agent, admin.
        """
        await self._http.call("reportExecution", path={"id": str(id)}, body=body, timeout=timeout)

    async def hook(
        self,
        agent: str,
        body: dict[str, Any],
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> dict[str, Any]:
        """An agent's hook over HTTP: its JSON in, its JSON out.

        For the roles agent, admin.
        """
        result: dict[str, Any] = await self._http.call("hook", path={"agent": str(agent)}, body=body, timeout=timeout, default=600.0)
        return result

    async def openapi(
        self,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> dict[str, Any]:
        """This API as an OpenAPI document.

        Open to anyone.
        """
        result: dict[str, Any] = await self._http.call("getOpenapi", timeout=timeout)
        return result

    async def health(
        self,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> str:
        """`ok` while calls can be recorded.

        Open to anyone.
        """
        result: str = await self._http.call("health", timeout=timeout)
        return result

    async def metrics(
        self,
        *,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> str:
        """Metrics for Prometheus.

        For the roles viewer, approver, admin.
        """
        result: str = await self._http.call("metrics", timeout=timeout)
        return result
