"""Parses server-sent events as they arrive, by the HTML standard's "Interpreting an event stream"."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

_ENDS = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class ServerSentEvent:
    """One event of a stream."""

    type: str
    """Event type; `message` by default."""
    data: str
    last_event_id: str
    """The last id of the stream, from this event or an earlier one."""
    id: str | None
    """The id of this event itself, if it has one."""


class SseParser:
    """Parses a stream in pieces of any size."""

    def __init__(self, last_event_id: str = "") -> None:
        self.retry: float | None = None
        """The delay before a reconnect that the stream asks for, in seconds."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest: list[str] = []
        self._begun = False
        # The last piece ended with CR, so a LF at the start of the next one belongs to it.
        self._after_return = False
        self._type = ""
        self._data: list[str] = []
        self._id = last_event_id
        self._own: str | None = None

    def push(self, piece: bytes) -> Iterator[ServerSentEvent]:
        """Parses the next piece, and yields the events that it completes."""
        text = self._decoder.decode(piece)
        if text == "":
            return
        ends_with_return = text.endswith("\r")
        if not self._begun:
            self._begun = True
            text = text.removeprefix("\ufeff")
        if self._after_return:
            text = text.removeprefix("\n")
        self._after_return = ends_with_return
        begin = 0
        for end in _ENDS.finditer(text):
            line = "".join([*self._rest, text[begin : end.start()]])
            self._rest.clear()
            begin = end.end()
            event = self._line(line)
            if event is not None:
                yield event
        if begin < len(text):
            self._rest.append(text[begin:])

    def _line(self, line: str) -> ServerSentEvent | None:
        if line == "":
            return self._dispatch()
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            self._type = value
        elif field == "data":
            self._data.append(value)
        elif field == "id" and "\0" not in value:
            self._own = self._id = value
        elif field == "retry" and value.isascii() and value.isdigit():
            self.retry = int(value[:9]) / 1000
        return None

    def _dispatch(self) -> ServerSentEvent | None:
        kind, data, own = self._type or "message", self._data, self._own
        self._type, self._data, self._own = "", [], None
        return ServerSentEvent(kind, "\n".join(data), self._id, own) if data else None
