"""Approvals for the OpenAI Agents SDK: its interruptions are answered by sekisho.

    approval = ToolApproval(AsyncSekisho())
    agent = Agent(name="files", tools=approval.tools([write_file]))
    result = await approval.run(agent, "Write the report")

The SDK itself is imported only when a helper is used.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import uuid
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from ._questions import Asker
from .client import AsyncSekisho
from .denial import Decision, denial

if TYPE_CHECKING:
    from agents import Agent, RunResult, Tool
    from agents.items import ToolApprovalItem
    from agents.run_state import RunState


class ToolApproval:
    """Puts the interruptions of runs to sekisho.

    `conversation_id` names what belongs together in the inbox; a new one by default. `timeout_ms` is how long a human
    has; by default the rule says it. A server that cannot be reached for `patience` seconds denies.
    """

    def __init__(
        self,
        client: AsyncSekisho | None = None,
        *,
        workspace_id: str | None = None,
        conversation_id: str | None = None,
        agent_id: str | None = None,
        cwd: str | None = None,
        timeout_ms: int | None = None,
        patience: float | None = 30.0,
    ) -> None:
        self._client = client or AsyncSekisho()
        self._asker = Asker(workspace_id, conversation_id or str(uuid.uuid4()), agent_id, cwd, None, timeout_ms)
        self._patience = patience
        # By call id: what a human made of the input.
        self._edited: dict[str, str] = {}
        self._gated: set[str] = set()

    def tools(self, tools: Iterable[Tool]) -> list[Tool]:
        """Copies of the tools that need an approval, and take an input that a human edited.

        Only function tools can be gated here; others are refused, since they would run without a question.
        """
        from agents import FunctionTool

        gated: list[Tool] = []
        for tool in tools:
            if not isinstance(tool, FunctionTool):
                raise TypeError(f"`{getattr(tool, 'name', tool)}` is no function tool: set its own approval option instead")
            self._gated.add(tool.name)
            copy = dataclasses.replace(tool, needs_approval=True, on_invoke_tool=self._invoke(tool.on_invoke_tool))
            gated.append(copy)
        return gated

    async def run(self, agent: Agent[Any], input: Any, **options: Any) -> RunResult:
        """`Runner.run` to its end: every interruption is put to sekisho, all of one step at once."""
        from agents import Runner

        result = await Runner.run(agent, input, **options)
        context = {name: value for name, value in options.items() if name not in ("context", "session")}
        while result.interruptions:
            result = await Runner.run(agent, await self.answer(result), **context, **_session(options))
        return result

    async def answer(self, result: Any) -> RunState[Any]:
        """Puts the interruptions of a result (also of a streamed one) to sekisho; run the agent again with what it returns."""
        state = cast("RunState[Any]", result.to_state())
        items: list[ToolApprovalItem] = list(result.interruptions)
        decisions = await asyncio.gather(*(self._decide(item) for item in items))
        for item, decision in zip(items, decisions, strict=True):
            if decision["behavior"] == "allow":
                state.approve(item)
            else:
                state.reject(item, rejection_message=decision["message"])
        return state

    async def _decide(self, item: ToolApprovalItem) -> Decision:
        try:
            name, call_id = str(item.name or ""), _call_id(item.raw_item)
            input = json.loads(item.arguments or "{}")
            if not isinstance(input, dict):
                raise TypeError("the input is no object")
            server = _text(item.raw_item, "server_label")
            call = self._asker.call(name, input, call_id or f"call-{uuid.uuid4()}", server=server)
        except Exception as error:
            return denial(error, self._client.address)
        decision = await self._client.ask_or_deny(call, patience=self._patience)
        updated = decision.get("updatedInput") if decision["behavior"] == "allow" else None
        if updated is not None:
            edited = json.dumps(updated)
            if name not in self._gated or call_id is None:
                return denial(ValueError(f"a human changed the input to {edited}, and `{name}` cannot take it"), self._client.address)
            self._edited[call_id] = edited
        return decision

    def _invoke(self, inner: Any) -> Any:
        async def invoke(context: Any, arguments: str) -> Any:
            edited = self._edited.pop(str(getattr(context, "tool_call_id", "")), None)
            return await inner(context, arguments if edited is None else edited)

        return invoke


def _session(options: dict[str, Any]) -> dict[str, Any]:
    return {"session": options["session"]} if "session" in options else {}


def _call_id(raw: Any) -> str | None:
    return _text(raw, "call_id") or _text(raw, "id")


def _text(raw: Any, field: str) -> str | None:
    value = raw.get(field) if isinstance(raw, dict) else getattr(raw, field, None)
    return value if isinstance(value, str) and value else None
