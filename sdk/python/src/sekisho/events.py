"""Live events of the server, with reconnection and resumption."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, cast

from ._http import AsyncHttp, Http
from .backoff import Backoff
from .errors import SekishoError, error_of, unreachable
from .sse import ServerSentEvent, SseParser

if TYPE_CHECKING:
    from ._generated.types import SeenQuestion

SILENCE = 45.0
"""A stream without data for this many seconds is opened again. The server sends at least every 15 s."""


@dataclass(frozen=True)
class SekishoEvent:
    """One event: its type and data are those of `LiveEvent` in the OpenAPI document."""

    type: str
    """`snapshot`, `tool_approval_request`, `tool_approval_resolved`, `tool_execution_started`,
    `tool_execution_completed` or `rules_changed`. Newer servers may send others."""
    data: dict[str, Any]
    seq: int | None


@dataclass(frozen=True)
class Connection:
    """State of the connection."""

    state: Literal["open", "lost", "closed"]
    """`lost`: the next attempt follows after the delay. `closed`: ended for good."""
    error: SekishoError | None = None
    delay: float = 0.0
    """Seconds until the next attempt."""


class _Feed:
    """What is known from the events so far, and who is told about them."""

    def __init__(self, last_event_id: str, backoff: Backoff | None) -> None:
        self.backoff = backoff or Backoff()
        self.last_event_id = last_event_id
        self.open: dict[str, SeenQuestion] = {}
        self.handlers: dict[str, list[Callable[[dict[str, Any]], None]]] = {}
        self.watchers: list[Callable[[Connection], None]] = []
        self._seq: int | None = None

    def headers(self) -> dict[str, str]:
        headers = {"accept": "text/event-stream"}
        if self.last_event_id:
            headers["last-event-id"] = self.last_event_id
        return headers

    def read(self, parser: SseParser, piece: bytes) -> Iterator[SekishoEvent]:
        for raw in parser.push(piece):
            event = self._take(raw)
            if event is not None:
                for handler in tuple(self.handlers.get(event.type, ())):
                    handler(event.data)
                yield event
        if parser.retry is not None:
            self.backoff.suggest(parser.retry)

    def tell(self, connection: Connection) -> None:
        for watcher in tuple(self.watchers):
            watcher(connection)

    def lost(self, error: SekishoError) -> float:
        """The delay until the next attempt; raises the error if there is none."""
        if not error.passing:
            self.tell(Connection("closed", error))
            raise error
        delay = self.backoff.next(error.retry_after or 0.0)
        self.tell(Connection("lost", error, delay))
        return delay

    def _take(self, raw: ServerSentEvent) -> SekishoEvent | None:
        self.last_event_id = raw.last_event_id
        self.backoff.reset()
        data = _object(raw.data)
        if data is None:
            return None
        own = raw.id or ""
        event = SekishoEvent(raw.type, data, int(own) if own.isascii() and own.isdigit() else None)
        if event.type == "snapshot":
            self._seq = event.seq
        elif event.seq is not None and self._seq is not None and event.seq <= self._seq:
            return None  # already delivered before the connection was lost
        elif event.seq is not None:
            self._seq = event.seq
        self._follow(event)
        return event

    def _follow(self, event: SekishoEvent) -> None:
        """Keeps the open approvals up to date."""
        if event.type == "snapshot":
            self.open.clear()
            for question in event.data.get("approvals", []):
                self.open[question["id"]] = question
        elif event.type == "tool_approval_request":
            self.open[event.data["id"]] = cast("SeenQuestion", event.data)
        elif event.type == "tool_approval_resolved":
            self.open.pop(event.data["id"], None)


def _object(text: str) -> dict[str, Any] | None:
    try:
        data: Any = json.loads(text)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


class _Stream:
    """What both event clients have in common."""

    def __init__(self, last_event_id: str, backoff: Backoff | None, silence: float) -> None:
        self._feed = _Feed(last_event_id, backoff)
        self._silence = silence

    @property
    def open(self) -> Mapping[str, SeenQuestion]:
        """The open approvals by their ids, in the order they were opened, as of the last event that was read."""
        return MappingProxyType(self._feed.open)

    @property
    def last_event_id(self) -> str:
        """The last event's id, where another client could continue."""
        return self._feed.last_event_id

    def on(self, type: str, handler: Callable[[dict[str, Any]], None]) -> Callable[[], None]:
        """Calls a handler with the data of every event of a type, while events are read. Returns a function that removes it."""
        return _added(self._feed.handlers.setdefault(type, []), handler)

    def on_connection(self, handler: Callable[[Connection], None]) -> Callable[[], None]:
        """Calls a handler whenever the state of the connection changes. Returns a function that removes it."""
        return _added(self._feed.watchers, handler)


def _added(handlers: list[Any], handler: Any) -> Callable[[], None]:
    handlers.append(handler)

    def remove() -> None:
        if handler in handlers:
            handlers.remove(handler)

    return remove


class EventClient(_Stream):
    """Follows events, through restarts and lost connections. Iterating reads them; `close` ends it, from any thread.

    Events missed in between are sent afterwards, or replaced by a snapshot. So `open` is correct after the first event.
    """

    def __init__(self, http: Http, *, last_event_id: str = "", backoff: Backoff | None = None, silence: float = SILENCE) -> None:
        super().__init__(last_event_id, backoff, silence)
        self._http = http
        self._closed = threading.Event()
        self._events = self._read()

    def __iter__(self) -> Iterator[SekishoEvent]:
        return self._events

    def __next__(self) -> SekishoEvent:
        return next(self._events)

    def __enter__(self) -> EventClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stops following. An iteration in another thread ends with the next data, at the latest after 15 s."""
        self._closed.set()

    def _read(self) -> Iterator[SekishoEvent]:
        while not self._closed.is_set():
            try:
                yield from self._connection()
                error = unreachable("the server ended the stream")
            except SekishoError as lost:
                error = lost
            if self._closed.is_set():
                break
            self._closed.wait(self._feed.lost(error))
        self._feed.tell(Connection("closed"))

    def _connection(self) -> Iterator[SekishoEvent]:
        parser = SseParser(self._feed.last_event_id)
        with self._http.stream("followEvents", headers=self._feed.headers(), timeout=self._silence) as response:
            if not response.is_success:
                raise error_of(response.status_code, response.reason_phrase, response.headers.get("retry-after"), response.read())
            self._feed.tell(Connection("open"))
            for piece in response.iter_bytes():
                for event in self._feed.read(parser, piece):
                    yield event
                    if self._closed.is_set():
                        return
                if self._closed.is_set():
                    return


class AsyncEventClient(_Stream):
    """Follows events, through restarts and lost connections. Iterating reads them; `aclose` ends it.

    Events missed in between are sent afterwards, or replaced by a snapshot. So `open` is correct after the first event.
    """

    def __init__(self, http: AsyncHttp, *, last_event_id: str = "", backoff: Backoff | None = None, silence: float = SILENCE) -> None:
        super().__init__(last_event_id, backoff, silence)
        self._http = http
        self._closed = asyncio.Event()
        self._reader: asyncio.Future[SekishoEvent] | None = None
        self._events = self._read()

    def __aiter__(self) -> AsyncIterator[SekishoEvent]:
        return self

    async def __anext__(self) -> SekishoEvent:
        if self._closed.is_set():
            raise StopAsyncIteration
        # Reading goes on in a task of its own, so that a cancelled wait loses no event.
        if self._reader is None:
            self._reader = asyncio.ensure_future(self._events.__anext__())
        closing = asyncio.ensure_future(self._closed.wait())
        reader = self._reader
        either: set[asyncio.Future[Any]] = {reader, closing}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            closing.cancel()
        if not reader.done():
            raise StopAsyncIteration
        self._reader = None
        if self._closed.is_set() and reader.cancelled():
            raise StopAsyncIteration
        return reader.result()

    async def __aenter__(self) -> AsyncEventClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Stops following."""
        if self._closed.is_set():
            return
        self._closed.set()
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.wait({self._reader})
        await self._events.aclose()
        self._feed.tell(Connection("closed"))

    async def _read(self) -> AsyncGenerator[SekishoEvent, None]:
        while True:
            try:
                parser = SseParser(self._feed.last_event_id)
                async with self._http.stream("followEvents", headers=self._feed.headers(), timeout=self._silence) as response:
                    if not response.is_success:
                        content = await response.aread()
                        raise error_of(response.status_code, response.reason_phrase, response.headers.get("retry-after"), content)
                    self._feed.tell(Connection("open"))
                    async for piece in response.aiter_bytes():
                        for event in self._feed.read(parser, piece):
                            yield event
                error = unreachable("the server ended the stream")
            except SekishoError as lost:
                error = lost
            await asyncio.sleep(self._feed.lost(error))
