"""The parser of events, delays, and errors."""

from __future__ import annotations

import pytest

from sekisho import Backoff, ServerSentEvent, SseParser
from sekisho.errors import error_of


def parsed(*pieces: bytes) -> list[ServerSentEvent]:
    parser = SseParser()
    return [event for piece in pieces for event in parser.push(piece)]


STREAM = "\ufeffevent: a\ndata: one\ndata: two\nid: 1\n\n: note\r\rdata:  ü\r\n\r\nid: 2\n\ndata\n\nid: x\0\nretry: 20\nretry: no\ndata: {}\n\nlost".encode()


def test_stream_is_parsed_however_it_is_cut() -> None:
    expected = [
        ServerSentEvent("a", "one\ntwo", "1", "1"),
        ServerSentEvent("message", " ü", "1", None),
        ServerSentEvent("message", "", "2", None),
        ServerSentEvent("message", "{}", "2", None),
    ]
    assert parsed(STREAM) == expected
    for at in range(len(STREAM)):
        assert parsed(STREAM[:at], STREAM[at:]) == expected, at
    assert parsed(*(STREAM[at : at + 1] for at in range(len(STREAM)))) == expected


def test_retry_of_a_stream_is_in_seconds() -> None:
    parser = SseParser()
    assert list(parser.push(b"retry: 1500\nretry: -1\n")) == []
    assert parser.retry == 1.5


def test_delays_grow_up_to_the_longest() -> None:
    backoff = Backoff(1.0, 5.0, lambda: 0.0)
    assert [backoff.next() for _ in range(5)] == [0.5, 1.0, 2.0, 2.5, 2.5]
    assert backoff.next(30.0) == 30.0
    assert backoff.tries == 6
    backoff.reset()
    backoff.suggest(2.0)
    assert backoff.next() == 1.0


def test_error_of_the_server_keeps_its_code_and_hint() -> None:
    body = b'{"error": {"code": "NotFound", "message": "no such rule", "hint": "list them", "field": "id"}}'
    error = error_of(404, "Not Found", "3", body)
    assert (error.code, error.message, error.hint, error.field, error.status, error.retry_after) == (
        "NotFound", "no such rule", "list them", "id", 404, 3.0,
    )
    assert not error.passing


@pytest.mark.parametrize(("status", "passing"), [(400, False), (401, False), (408, True), (409, False), (429, True), (500, True), (503, True)])
def test_error_of_a_proxy_is_named_by_its_status(status: int, passing: bool) -> None:
    error = error_of(status, "Reason", "soon", b"<html>")
    assert (error.code, error.message, error.retry_after, error.passing) == (f"Http{status}", "<html>", None, passing)
    assert error_of(status, "Reason", None, b"").message == "Reason"
