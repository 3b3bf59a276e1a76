"""Approvals for LangGraph: its interrupts are answered by sekisho.

    approval = ToolApproval(Sekisho())
    result = approval.invoke(graph, {"messages": [...]}, {"configurable": {"thread_id": "1"}})

It answers the interrupts of LangChain's `HumanInTheLoopMiddleware`, and those of `approve_tool_call`, which nodes and
tools of your own call. Another interrupt is left to you. LangGraph itself is imported only when a helper is used.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from ._questions import Asker
from .client import AsyncSekisho, Sekisho
from .denial import Decision, denial

if TYPE_CHECKING:
    from langgraph.types import Command, Interrupt

    from ._generated.types import CanUseTool


class ToolDenied(Exception):
    """The call was denied; the text is the reason."""


def approve_tool_call(name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Interrupts the graph until the call is approved, and returns the input to run with, which a human may have edited.

    For nodes and tools. Raises `ToolDenied` with the reason if the call may not run. The graph needs a checkpointer.
    """
    from langgraph.types import interrupt

    decisions = ["approve", "edit", "reject"]
    answer = interrupt(
        {
            "action_requests": [{"name": name, "args": dict(args)}],
            "review_configs": [{"action_name": name, "allowed_decisions": decisions}],
        }
    )
    try:
        (decision,) = answer["decisions"]
        kind = decision["type"]
        if kind == "approve":
            return dict(args)
        if kind == "edit" and decision["edited_action"]["name"] == name:
            return dict(decision["edited_action"]["args"])
    except (TypeError, KeyError, ValueError) as error:
        raise ToolDenied(f"The answer to `{name}` cannot be read, so it did not run.") from error
    raise ToolDenied(str(decision.get("message") or "The call was denied."))


class ToolApproval:
    """Puts the interrupts of graphs to sekisho. `invoke` needs a `Sekisho`, `ainvoke` an `AsyncSekisho`.

    `conversation_id` names what belongs together in the inbox; a new one by default. `timeout_ms` is how long a human
    has; by default the rule says it. A server that cannot be reached for `patience` seconds denies.
    """

    def __init__(
        self,
        client: Sekisho | AsyncSekisho | None = None,
        *,
        workspace_id: str | None = None,
        conversation_id: str | None = None,
        agent_id: str | None = None,
        cwd: str | None = None,
        timeout_ms: int | None = None,
        patience: float | None = 30.0,
    ) -> None:
        self._client = client or Sekisho()
        self._asker = Asker(workspace_id, conversation_id or str(uuid.uuid4()), agent_id, cwd, None, timeout_ms)
        self._patience = patience

    def invoke(self, graph: Any, input: Any, config: Any = None, **options: Any) -> Any:
        """`graph.invoke` to its end: every interrupt is put to sekisho, all that are open at once."""
        result = graph.invoke(input, config, **options)
        while _answerable(result):
            result = graph.invoke(self.answer(result["__interrupt__"]), config, **options)
        return result

    async def ainvoke(self, graph: Any, input: Any, config: Any = None, **options: Any) -> Any:
        """`graph.ainvoke` to its end: every interrupt is put to sekisho, all that are open at once."""
        result = await graph.ainvoke(input, config, **options)
        while _answerable(result):
            result = await graph.ainvoke(await self.aanswer(result["__interrupt__"]), config, **options)
        return result

    def answer(self, interrupts: Iterable[Interrupt]) -> Command[Any]:
        """Puts interrupts to sekisho; resume the graph with what it returns."""
        client = self._client
        if not isinstance(client, Sekisho):
            raise TypeError("`answer` and `invoke` need a `Sekisho`; use `aanswer` and `ainvoke`")
        reviews = [_Review(one, self._asker) for one in interrupts]
        calls = [call for review in reviews for call in review.calls]
        with ThreadPoolExecutor(max_workers=max(len(calls), 1)) as pool:
            decisions = list(pool.map(lambda call: client.ask_or_deny(call, patience=self._patience), calls))
        return _command(reviews, decisions, client.address)

    async def aanswer(self, interrupts: Iterable[Interrupt]) -> Command[Any]:
        """As `answer`, for `asyncio`."""
        client = self._client
        if not isinstance(client, AsyncSekisho):
            raise TypeError("`aanswer` and `ainvoke` need an `AsyncSekisho`; use `answer` and `invoke`")
        reviews = [_Review(one, self._asker) for one in interrupts]
        calls = [call for review in reviews for call in review.calls]
        decisions = await asyncio.gather(*(client.ask_or_deny(call, patience=self._patience) for call in calls))
        return _command(reviews, list(decisions), client.address)


class _Review:
    """One interrupt: the calls that it asks about, and which decisions it takes."""

    def __init__(self, interrupt: Interrupt, asker: Asker) -> None:
        self.id = interrupt.id
        value = interrupt.value
        self._actions: list[dict[str, Any]] = list(value["action_requests"])
        self._editable = {
            config["action_name"] for config in value.get("review_configs", []) if "edit" in config["allowed_decisions"]
        }
        # An interrupt keeps its id when the graph is resumed, so that the same call joins the same question.
        self.calls: list[CanUseTool] = [
            asker.call(str(action["name"]), dict(action["args"]), f"{self.id}/{number}")
            for number, action in enumerate(self._actions)
        ]

    def answer(self, decisions: Iterable[Decision], address: str) -> dict[str, Any]:
        told = zip(self._actions, decisions, strict=True)
        return {"decisions": [self._decision(str(action["name"]), decision, address) for action, decision in told]}

    def _decision(self, name: str, decision: Decision, address: str) -> dict[str, Any]:
        if decision["behavior"] == "deny":
            return {"type": "reject", "message": decision["message"]}
        edited = decision.get("updatedInput")
        if edited is None:
            return {"type": "approve"}
        if name not in self._editable:
            error = ValueError(f"a human changed the input to {edited}, and `{name}` cannot be edited here")
            return {"type": "reject", "message": denial(error, address)["message"]}
        return {"type": "edit", "edited_action": {"name": name, "args": edited}}


def _answerable(result: Any) -> bool:
    """Whether every open interrupt asks about calls. Any other is for the caller."""
    found = result.get("__interrupt__") if isinstance(result, Mapping) else None
    return bool(found) and all(isinstance(one.value, Mapping) and "action_requests" in one.value for one in found or ())


def _command(reviews: list[_Review], decisions: list[Decision], address: str) -> Command[Any]:
    from langgraph.types import Command

    rest = iter(decisions)
    return Command(
        resume={review.id: review.answer([next(rest) for _ in review.calls], address) for review in reviews}
    )
