"""The clients: `Sekisho` blocks, `AsyncSekisho` is for `asyncio`. Both have the same methods."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeGuard, TypeVar, cast, overload

import httpx

from ._generated import types as t
from ._generated.async_methods import AsyncMethods
from ._generated.sync_methods import Methods
from ._http import CLIENT_DEFAULT, AsyncHttp, AsyncToken, Http, Query, Timeout, Token
from .backoff import Backoff
from .denial import Decision, denial
from .errors import SekishoError
from .events import SILENCE, AsyncEventClient, EventClient
from .run_events import PipelineEvent, RunEvent, follow, follow_async, pipeline_event, run_event

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")

DEFAULT_URL = "http://127.0.0.1:8787"
# One long poll while `ask` waits, and while it also looks whether it was cancelled.
_LOOK_MS = 30_000
_LOOK_OFTEN_MS = 1_000
_WITHDRAW_TIMEOUT = 5.0


def is_question(told: t.Permission | t.OwnQuestion) -> TypeGuard[t.OwnQuestion]:
    """Whether the call waits for a human."""
    return "behavior" not in told


def is_whole(question: t.SeenQuestion) -> TypeGuard[t.Question]:
    """Whether an approval is complete: people see all of it, an agent sees only its own part."""
    return "shown" in question


class _Patience:
    """How long to repeat what fails with a transient error."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._since = time.monotonic()
        self._backoff = Backoff()

    def succeeded(self) -> None:
        self._since = time.monotonic()
        self._backoff.reset()

    def delay(self, error: SekishoError) -> float:
        """The delay before the next attempt; raises the error if there is none."""
        if not error.passing:
            raise error
        delay = self._backoff.next(error.retry_after or 0.0)
        if self._seconds is not None and time.monotonic() - self._since + delay > self._seconds:
            raise error
        return delay


class Sekisho(Methods):
    """A blocking client of one server. It may be used by several threads at once.

    Every method takes `timeout` in seconds, and raises a `SekishoError` on failure.
    `base_url` and `token` default to the variables `SEKISHO_URL` and `SEKISHO_TOKEN`. A token may be a function that
    returns it for each request. `timeout` is for requests that wait for no human and no run.
    """

    def __init__(
        self,
        base_url: str | None = None,
        token: Token | None = None,
        *,
        timeout: float | None = 30.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        http = Http(base_url or os.environ.get("SEKISHO_URL") or DEFAULT_URL, token or _token(), timeout, transport)
        super().__init__(http)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    @property
    def address(self) -> str:
        """The address of the server, without anything secret."""
        return self._http.address

    def call(
        self,
        operation: str,
        *,
        path: Mapping[str, str] | None = None,
        query: Query | None = None,
        body: object = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> Any:
        """Calls any operation by its name in the OpenAPI document. The other methods wrap this one."""
        return self._http.call(operation, path=path, query=query, body=body, timeout=timeout)

    @overload
    def can_use_tool(self, call: t.CanUseTool, *, wait: Literal[True] = True, timeout: Timeout = ...) -> t.Permission: ...
    @overload
    def can_use_tool(self, call: t.CanUseTool, *, wait: bool, timeout: Timeout = ...) -> t.Permission | t.OwnQuestion: ...
    def can_use_tool(
        self, call: t.CanUseTool, *, wait: bool = True, timeout: Timeout = CLIENT_DEFAULT
    ) -> t.Permission | t.OwnQuestion:
        """Decides whether a call may run; asks a human if necessary, and waits.

        With `wait=False` a pending approval is returned instead of waiting; calling again with the same `toolUseId`
        returns the answer once there is one. `ask` does that, and survives restarts of the server.
        """
        query: Query = {} if wait else {"wait": False}
        default: Timeout = None if wait else CLIENT_DEFAULT
        told: t.Permission | t.OwnQuestion = self._http.call(
            "canUseTool", query=query, body=call, timeout=timeout, default=default
        )
        return told

    def ask(
        self, call: t.CanUseTool, *, cancel: threading.Event | None = None, patience: float | None = None
    ) -> t.Permission:
        """Like `can_use_tool`, without one long request: the approval survives restarts and network failures.

        `cancel` withdraws it and raises a `SekishoError` with the code `Cancelled`; so does any exception, such as a
        `KeyboardInterrupt`. `patience`: give up after the server was out of reach for so many seconds; by default never.
        Requests are repeated only with the `toolUseId` they had, so that they join the question they asked.
        """
        limit = _Patience(patience)
        while True:
            told = self._insist(limit, cancel, lambda: self.can_use_tool(call, wait=False))
            answer, question = _read(told)
            if answer is not None:
                return answer
            try:
                ended = _unanswered(self._ended(question, limit, cancel))
                if ended is not None:
                    return ended
            except BaseException:
                # The caller no longer waits. If this request fails too, the approval expires by itself.
                with contextlib.suppress(Exception):
                    self.approvals.withdraw(question, timeout=_WITHDRAW_TIMEOUT)
                raise

    def ask_or_deny(
        self, call: t.CanUseTool, *, cancel: threading.Event | None = None, patience: float | None = 30.0
    ) -> Decision:
        """Like `ask`, but never raises an `Exception`: every failure is a denial with a sentence that says why."""
        try:
            return self.ask(call, cancel=cancel, patience=patience)
        except Exception as error:
            return denial(error, self.address)

    def _ended(self, id: str, limit: _Patience, cancel: threading.Event | None) -> t.SeenQuestion:
        look = _LOOK_MS if cancel is None else _LOOK_OFTEN_MS
        while True:
            _check(cancel)
            question = self._insist(limit, cancel, lambda: self.approvals.wait(id, timeout_ms=look))
            if question["state"] != "pending":
                return question

    def _insist(self, limit: _Patience, cancel: threading.Event | None, what: Callable[[], T]) -> T:
        """Retries on transient errors."""
        while True:
            try:
                told = what()
            except SekishoError as error:
                delay = limit.delay(error)
                if cancel is None:
                    time.sleep(delay)
                else:
                    cancel.wait(delay)
                    _check(cancel)
            else:
                limit.succeeded()
                return told

    def list_tools(self) -> list[t.BuiltInTool]:
        """Lists the built-in tools, by name."""
        return self.tools.list()

    def update_tool_permissions(self, agent_id: str, tools: list[t.ToolConfigEntry]) -> None:
        """Enables, disables and configures tools of an agent; tools that are not named stay as they are. For admins."""
        self.tools.configure({"agent_id": agent_id, "tools": tools})

    def execute_agent_with_tools(
        self,
        agent_id: str,
        input: str,
        enabled_tools: list[str] | None = None,
        tool_config: dict[str, Any] | None = None,
        *,
        wait: bool | None = None,
    ) -> t.ExecutionView:
        """Starts a run of an agent, and waits until it has ended or only waits for approvals, or as `wait` says.

        `enabled_tools` and `tool_config` may only narrow what the agent has; `[]` for no tools.
        """
        return self.runs.start(_run(agent_id, input, enabled_tools, tool_config), wait=wait)

    def events(self, *, last_event_id: str = "", backoff: Backoff | None = None, silence: float = SILENCE) -> EventClient:
        """Follows the server's events, from now until it is closed."""
        return EventClient(self._http, last_event_id=last_event_id, backoff=backoff, silence=silence)

    def follow_run(
        self, id: str, *, until: t.FollowUntil | None = None, last_event_id: str = "", backoff: Backoff | None = None
    ) -> Iterator[RunEvent]:
        """Follows a run, from its beginning or after an event, until it has ended or as `until` says.

        Lost connections and restarts of the server are survived.
        """
        return map(run_event, follow(self._http, "followRun", id, {"until": until}, last_event_id, backoff))

    def follow_pipeline_run(
        self, id: str, *, last_event_id: str = "", backoff: Backoff | None = None
    ) -> Iterator[PipelineEvent]:
        """Follows a run of a pipeline, from its beginning or after an event, until it has ended. As `follow_run`."""
        return map(pipeline_event, follow(self._http, "followPipelineRun", id, {}, last_event_id, backoff))


class AsyncSekisho(AsyncMethods):
    """A client of one server for `asyncio`, for one event loop.

    As `Sekisho`; cancelling a task that asks withdraws the question.
    """

    def __init__(
        self,
        base_url: str | None = None,
        token: AsyncToken | None = None,
        *,
        timeout: float | None = 30.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        http = AsyncHttp(base_url or os.environ.get("SEKISHO_URL") or DEFAULT_URL, token or _token(), timeout, transport)
        super().__init__(http)
        self._leaving: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        if self._leaving:
            await asyncio.wait(set(self._leaving))
        await self._http.aclose()

    @property
    def address(self) -> str:
        """The address of the server, without anything secret."""
        return self._http.address

    async def call(
        self,
        operation: str,
        *,
        path: Mapping[str, str] | None = None,
        query: Query | None = None,
        body: object = None,
        timeout: Timeout = CLIENT_DEFAULT,
    ) -> Any:
        """Calls any operation by its name in the OpenAPI document. The other methods wrap this one."""
        return await self._http.call(operation, path=path, query=query, body=body, timeout=timeout)

    @overload
    async def can_use_tool(self, call: t.CanUseTool, *, wait: Literal[True] = True, timeout: Timeout = ...) -> t.Permission: ...
    @overload
    async def can_use_tool(self, call: t.CanUseTool, *, wait: bool, timeout: Timeout = ...) -> t.Permission | t.OwnQuestion: ...
    async def can_use_tool(
        self, call: t.CanUseTool, *, wait: bool = True, timeout: Timeout = CLIENT_DEFAULT
    ) -> t.Permission | t.OwnQuestion:
        """Decides whether a call may run; asks a human if necessary, and waits. Cancelling withdraws the question.

        With `wait=False` a pending approval is returned instead of waiting; calling again with the same `toolUseId`
        returns the answer once there is one. `ask` does that, and survives restarts of the server.
        """
        query: Query = {} if wait else {"wait": False}
        default: Timeout = None if wait else CLIENT_DEFAULT
        told: t.Permission | t.OwnQuestion = await self._http.call(
            "canUseTool", query=query, body=call, timeout=timeout, default=default
        )
        return told

    async def ask(self, call: t.CanUseTool, *, patience: float | None = None) -> t.Permission:
        """Like `can_use_tool`, without one long request: the approval survives restarts and network failures.

        Cancelling withdraws it. `patience`: give up after the server was out of reach for so many seconds; by default never.
        Requests are repeated only with the `toolUseId` they had, so that they join the question they asked.
        """
        limit = _Patience(patience)
        while True:
            # Not cancelled itself: an approval whose id never arrived could not be withdrawn.
            asked = asyncio.ensure_future(self.can_use_tool(call, wait=False))
            try:
                answer, question = _read(await asyncio.shield(asked))
                if answer is not None:
                    return answer
                limit.succeeded()
                ended = _unanswered(await self._ended(question, limit))
                if ended is not None:
                    return ended
            except SekishoError as error:
                if asked.done() and asked.exception() is None:
                    await asyncio.shield(self._leave(asked))
                    raise
                await asyncio.sleep(limit.delay(error))
            except BaseException:
                self._leave(asked)
                raise

    async def ask_or_deny(self, call: t.CanUseTool, *, patience: float | None = 30.0) -> Decision:
        """Like `ask`, but never raises an `Exception`: every failure is a denial with a sentence that says why."""
        try:
            return await self.ask(call, patience=patience)
        except Exception as error:
            return denial(error, self.address)

    async def _ended(self, id: str, limit: _Patience) -> t.SeenQuestion:
        """Waits until an approval has ended. Retries on transient errors."""
        while True:
            try:
                question = await self.approvals.wait(id, timeout_ms=_LOOK_MS)
            except SekishoError as error:
                await asyncio.sleep(limit.delay(error))
            else:
                limit.succeeded()
                if question["state"] != "pending":
                    return question

    def _leave(self, asked: asyncio.Future[t.Permission | t.OwnQuestion]) -> asyncio.Task[None]:
        """Withdraws a question in the background: whoever asked may be cancelled again and again."""

        async def leave() -> None:
            # If this fails, the approval expires by itself.
            with contextlib.suppress(Exception):
                answer, question = _read(await asked)
                if answer is None:
                    await self.approvals.withdraw(question, timeout=_WITHDRAW_TIMEOUT)

        task = asyncio.get_running_loop().create_task(leave())
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)
        return task

    async def list_tools(self) -> list[t.BuiltInTool]:
        """Lists the built-in tools, by name."""
        return await self.tools.list()

    async def update_tool_permissions(self, agent_id: str, tools: list[t.ToolConfigEntry]) -> None:
        """Enables, disables and configures tools of an agent; tools that are not named stay as they are. For admins."""
        await self.tools.configure({"agent_id": agent_id, "tools": tools})

    async def execute_agent_with_tools(
        self,
        agent_id: str,
        input: str,
        enabled_tools: list[str] | None = None,
        tool_config: dict[str, Any] | None = None,
        *,
        wait: bool | None = None,
    ) -> t.ExecutionView:
        """Starts a run of an agent, and waits until it has ended or only waits for approvals, or as `wait` says.

        `enabled_tools` and `tool_config` may only narrow what the agent has; `[]` for no tools.
        """
        return await self.runs.start(_run(agent_id, input, enabled_tools, tool_config), wait=wait)

    def events(
        self, *, last_event_id: str = "", backoff: Backoff | None = None, silence: float = SILENCE
    ) -> AsyncEventClient:
        """Follows the server's events, from now until it is closed."""
        return AsyncEventClient(self._http, last_event_id=last_event_id, backoff=backoff, silence=silence)

    async def follow_run(
        self, id: str, *, until: t.FollowUntil | None = None, last_event_id: str = "", backoff: Backoff | None = None
    ) -> AsyncIterator[RunEvent]:
        """Follows a run, from its beginning or after an event, until it has ended or as `until` says.

        Lost connections and restarts of the server are survived.
        """
        async for event in follow_async(self._http, "followRun", id, {"until": until}, last_event_id, backoff):
            yield run_event(event)

    async def follow_pipeline_run(
        self, id: str, *, last_event_id: str = "", backoff: Backoff | None = None
    ) -> AsyncIterator[PipelineEvent]:
        """Follows a run of a pipeline, from its beginning or after an event, until it has ended. As `follow_run`."""
        async for event in follow_async(self._http, "followPipelineRun", id, {}, last_event_id, backoff):
            yield pipeline_event(event)


def _token() -> str | None:
    return os.environ.get("SEKISHO_TOKEN") or None


def _read(told: t.Permission | t.OwnQuestion) -> tuple[t.Permission | None, str]:
    """The answer, or the id of the question. What is neither is an error, never an answer."""
    fields: Any = told
    if isinstance(fields, dict):
        if fields.get("behavior") in ("allow", "deny"):
            return cast("t.Permission", told), ""
        if "behavior" not in fields and isinstance(fields.get("id"), str):
            return None, fields["id"]
    raise ValueError("the response is neither an answer nor a question")


def _unanswered(question: t.SeenQuestion) -> t.PermissionDeny | None:
    """The denial for a question that ended without an answer: asking again would be a new question."""
    if question["state"] == "expired":
        message = "nobody answered in time; the call was not denied: try again, or continue without it"
        return {"behavior": "deny", "code": "expired", "message": message}
    if question["state"] == "aborted":
        message = question["outcome"].get("message", "") if "outcome" in question else ""
        return {"behavior": "deny", "code": "aborted", "message": message or "the question was withdrawn"}
    return None


def _check(cancel: threading.Event | None) -> None:
    if cancel is not None and cancel.is_set():
        raise SekishoError("the question was withdrawn", code="Cancelled")


def _run(agent_id: str, input: str, enabled_tools: list[str] | None, tool_config: dict[str, Any] | None) -> t.ExecuteBody:
    body: t.ExecuteBody = {"agent_id": agent_id, "input": input}
    if enabled_tools is not None:
        body["enabled_tools"] = enabled_tools
    if tool_config is not None:
        body["tool_config"] = tool_config
    return body
