"""The events of one run, of an agent or of a pipeline."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

from ._http import AsyncHttp, Http
from .backoff import Backoff
from .errors import SekishoError, error_of, unreachable
from .events import SILENCE
from .sse import ServerSentEvent, SseParser


@dataclass(frozen=True)
class RunEvent:
    """An event of a run of an agent.

    Text is sent while the model writes it: a `text-start` without a `text-end` before it takes back what was sent since
    the last one, and `text-end` has the whole text.
    """

    type: str
    """`user-message`, `text-start`, `text-delta`, `text-end`, `tool-call`, `tool-call-approval`, `tool-result`, `tool-error`,
    `tool-output-denied`, `step-finish` or `finish`. Newer servers may send others, which can be ignored."""
    run_id: str
    from_: str
    """`USER` for a message of a user, `AGENT` for all others."""
    payload: dict[str, Any]
    """What happened; its fields depend on the type."""
    id: str | None
    """Where another call could continue. Events that are not stored, such as `text-delta`, have none."""


@dataclass(frozen=True)
class PipelineEvent:
    """An event of a run of a pipeline. Follow the runs of its stages for what their models say."""

    type: str
    """`stage-start`, `stage-pending`, `stage-finish`, `stage-error` or `finish`. Newer servers may send others."""
    pipeline_run_id: str
    payload: dict[str, Any]
    id: str | None
    """Where another call could continue. `stage-pending` is not stored and has none."""


class _Progress:
    """How far a stream was read."""

    def __init__(self, last_event_id: str, backoff: Backoff | None) -> None:
        self.backoff = backoff or Backoff()
        self.done = False
        self._last_event_id = last_event_id

    def headers(self) -> dict[str, str]:
        headers = {"accept": "text/event-stream"}
        if self._last_event_id:
            headers["last-event-id"] = self._last_event_id
        return headers

    def read(self, parser: SseParser, piece: bytes) -> Iterator[dict[str, Any]]:
        for raw in parser.push(piece):
            if raw.data == "[DONE]":
                self.done = True
                return
            self.backoff.reset()
            event = _understood(raw)
            if event is None:
                continue
            if raw.id is not None:
                self._last_event_id = raw.id
            yield event
        if parser.retry is not None:
            self.backoff.suggest(parser.retry)

    def delay(self, error: SekishoError) -> float:
        """The delay until the next attempt; raises the error if there is none."""
        if not error.passing:
            raise error
        return self.backoff.next(error.retry_after or 0.0)


def _understood(raw: ServerSentEvent) -> dict[str, Any] | None:
    try:
        data: Any = json.loads(raw.data)
    except ValueError:
        return None
    return {**data, "id": raw.id} if isinstance(data, dict) else None


def run_event(event: dict[str, Any]) -> RunEvent:
    """An event of a run, from the wire."""
    return RunEvent(event.get("type", ""), event.get("runId", ""), event.get("from", ""), event.get("payload") or {}, event["id"])


def pipeline_event(event: dict[str, Any]) -> PipelineEvent:
    """An event of a run of a pipeline, from the wire."""
    return PipelineEvent(event.get("type", ""), event.get("pipelineRunId", ""), event.get("payload") or {}, event["id"])


def follow(
    http: Http,
    operation: str,
    id: str,
    query: dict[str, str | int | float | bool | None],
    last_event_id: str,
    backoff: Backoff | None,
    silence: float = SILENCE,
) -> Iterator[dict[str, Any]]:
    """Follows a stream until its end. Lost connections are opened again."""
    progress = _Progress(last_event_id, backoff)
    while True:
        try:
            parser = SseParser()
            with http.stream(operation, path={"id": id}, query=query, headers=progress.headers(), timeout=silence) as response:
                if not response.is_success:
                    raise error_of(response.status_code, response.reason_phrase, response.headers.get("retry-after"), response.read())
                for piece in response.iter_bytes():
                    yield from progress.read(parser, piece)
                    if progress.done:
                        return
            error = unreachable("the server ended the stream")
        except SekishoError as lost:
            error = lost
        time.sleep(progress.delay(error))


async def follow_async(
    http: AsyncHttp,
    operation: str,
    id: str,
    query: dict[str, str | int | float | bool | None],
    last_event_id: str,
    backoff: Backoff | None,
    silence: float = SILENCE,
) -> AsyncIterator[dict[str, Any]]:
    """As `follow`."""
    progress = _Progress(last_event_id, backoff)
    while True:
        try:
            parser = SseParser()
            async with http.stream(operation, path={"id": id}, query=query, headers=progress.headers(), timeout=silence) as response:
                if not response.is_success:
                    content = await response.aread()
                    raise error_of(response.status_code, response.reason_phrase, response.headers.get("retry-after"), content)
                async for piece in response.aiter_bytes():
                    for event in progress.read(parser, piece):
                        yield event
                    if progress.done:
                        return
            error = unreachable("the server ended the stream")
        except SekishoError as lost:
            error = lost
        await asyncio.sleep(progress.delay(error))
