"""Events against a scripted server: resumption, snapshots, duplicates, and the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from sekisho import AsyncSekisho, Backoff, Connection, Sekisho, SekishoError, SekishoEvent

QUICK = (0.01, 0.02)
STREAMS = [
    'id: 5\nevent: snapshot\ndata: {"seq": 5, "approvals": [{"id": "a"}]}\n\nid: 6\nevent: tool_approval_request\ndata: {"id": "b"}\n\n',
    'id: 6\nevent: tool_approval_request\ndata: {"id": "b"}\n\nid: 7\nevent: tool_approval_resolved\ndata: {"id": "a"}\n\n'
    "event: rules_changed\ndata: no json\n\nid: 8\nevent: later\ndata: {}\n\n",
]


def scripted(*responses: httpx.Response | str) -> tuple[Callable[[httpx.Request], httpx.Response], list[str | None]]:
    """A handler that gives one response after another, and the `last-event-id` of each request."""
    rest, asked = list(responses), list[str | None]()

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers.get("last-event-id"))
        told = rest.pop(0)
        return told if isinstance(told, httpx.Response) else httpx.Response(200, text=told)

    return answer, asked


def forbidden() -> httpx.Response:
    return httpx.Response(403, json={"error": {"code": "Forbidden", "message": "revoked"}})


def read(answer: Callable[[httpx.Request], httpx.Response], asynchronous: bool, watch: Callable[[Connection], None]) -> tuple[list[SekishoEvent], list[str], str]:
    """Reads events until the server refuses; returns them, the open approvals and the last id."""
    found: list[SekishoEvent] = []
    if not asynchronous:
        events = Sekisho("http://s", "t", transport=httpx.MockTransport(answer)).events(backoff=Backoff(*QUICK))
        events.on_connection(watch)
        with pytest.raises(SekishoError, match="revoked"):
            for event in events:
                found.append(event)
        return found, list(events.open), events.last_event_id

    async def run() -> tuple[list[str], str]:
        client = AsyncSekisho("http://s", "t", transport=httpx.MockTransport(answer))
        events = client.events(backoff=Backoff(*QUICK))
        events.on_connection(watch)
        with pytest.raises(SekishoError, match="revoked"):
            async for event in events:
                found.append(event)
        return list(events.open), events.last_event_id

    return (found, *asyncio.run(run()))


@pytest.mark.parametrize("asynchronous", [False, True])
def test_events_resume_after_the_last_one(asynchronous: bool) -> None:
    answer, asked = scripted(STREAMS[0], httpx.Response(503), STREAMS[1], forbidden())
    states: list[str] = []
    found, opened, last = read(answer, asynchronous, lambda connection: states.append(connection.state))
    assert [(event.type, event.seq) for event in found] == [
        ("snapshot", 5), ("tool_approval_request", 6), ("tool_approval_resolved", 7), ("later", 8),
    ]
    assert opened == ["b"]
    assert last == "8"
    assert asked == [None, "6", "6", "8"]
    assert states == ["open", "lost", "lost", "open", "lost", "closed"]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_run_is_followed_to_its_end_through_lost_connections(asynchronous: bool) -> None:
    begin = 'id: 1\ndata: {"type": "tool-call", "runId": "r", "from": "AGENT", "payload": {"a": 1}}\n\ndata: {"type": "text-delta"}\n\ndata: oops\n\n'
    answer, asked = scripted(begin, httpx.Response(500), 'id: 2\ndata: {"type": "finish"}\n\ndata: [DONE]\n\ndata: {"type": "never"}\n\n')
    transport = httpx.MockTransport(answer)
    if asynchronous:

        async def run() -> list[Any]:
            client = AsyncSekisho("http://s", "t", transport=transport)
            return [event async for event in client.follow_run("r", backoff=Backoff(*QUICK))]

        found = asyncio.run(run())
    else:
        found = list(Sekisho("http://s", "t", transport=transport).follow_run("r", backoff=Backoff(*QUICK)))
    assert [(event.type, event.id) for event in found] == [("tool-call", "1"), ("text-delta", None), ("finish", "2")]
    assert (found[0].run_id, found[0].from_, found[0].payload) == ("r", "AGENT", {"a": 1})
    assert asked == [None, "1", "1"]


def test_handlers_are_called_and_removed() -> None:
    answer, _ = scripted(STREAMS[0], forbidden())
    events = Sekisho("http://s", "t", transport=httpx.MockTransport(answer)).events(backoff=Backoff(*QUICK))
    seen: list[str] = []
    events.on("tool_approval_request", lambda data: seen.append(data["id"]))
    remove = events.on("tool_approval_request", lambda data: seen.append("removed"))
    remove()
    remove()
    with pytest.raises(SekishoError):
        list(events)
    assert seen == ["b"]


def test_closing_ends_the_iteration() -> None:
    answer, _ = scripted(STREAMS[0], STREAMS[1])
    with Sekisho("http://s", "t", transport=httpx.MockTransport(answer)).events() as events:
        for _ in events:
            events.close()
    assert events.last_event_id == "5"

    async def run() -> None:
        answer, _ = scripted(STREAMS[0], STREAMS[1])
        async with AsyncSekisho("http://s", "t", transport=httpx.MockTransport(answer)) as client:
            events = client.events()
            assert (await events.__anext__()).type == "snapshot"
            waiting = asyncio.ensure_future(events.__anext__())
            assert (await waiting).type == "tool_approval_request"
            waiting = asyncio.ensure_future(events.__anext__())
            await asyncio.sleep(0)
            await events.aclose()
            with pytest.raises(StopAsyncIteration):
                await waiting

    asyncio.run(run())
