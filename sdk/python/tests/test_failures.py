"""Server down, wrong token, slow network: every failure is a denial that says why, and only safe requests are repeated."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from real_server import TestServer

from sekisho import AsyncSekisho, Decision, Sekisho, SekishoError

CALL: Any = {"toolName": "write", "input": {"path": "/tmp/a", "content": "b"}, "toolUseId": "failure-1"}
ALLOW = {"behavior": "allow", "executionId": "e"}


def both(handler: Callable[[httpx.Request], httpx.Response], patience: float | None = 5.0, call: Any = CALL) -> Iterator[Decision]:
    """What both clients decide."""
    transport = httpx.MockTransport(handler)
    yield Sekisho("http://user:secret@s", "t", transport=transport).ask_or_deny(call, patience=patience)
    yield asyncio.run(AsyncSekisho("http://user:secret@s", "t", transport=transport).ask_or_deny(call, patience=patience))


def check_denied(decision: Decision, code: str, *texts: str) -> None:
    assert decision["behavior"] == "deny"
    assert decision["code"] == code, decision
    for text in texts:
        assert text in decision["message"]
    assert "secret" not in decision["message"]


def test_server_that_is_down_denies() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
    decision = Sekisho(address, "t").ask_or_deny(CALL, patience=0.5)
    check_denied(decision, "unreachable", address, "sekisho serve", "did not run")
    decision = asyncio.run(AsyncSekisho(address, "t").ask_or_deny(CALL, patience=0.5))
    check_denied(decision, "unreachable", address)


def test_wrong_token_denies_at_once(server: TestServer) -> None:
    for token, code in (("wrong", "unauthenticated"), (None, "refused")):
        decision = Sekisho(server.address, token).ask_or_deny(CALL, patience=None)
        check_denied(decision, code, server.address, "token")
        decision = asyncio.run(AsyncSekisho(server.address, token).ask_or_deny(CALL, patience=None))
        check_denied(decision, code, server.address, "token")
    check_denied(server.as_("viewer").ask_or_deny(CALL, patience=None), "refused")


@pytest.mark.parametrize("token", ["", " ", "a\nb", "ä"])
def test_token_that_cannot_be_sent_denies(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Sekisho("http://s", lambda: token, transport=httpx.MockTransport(lambda _: httpx.Response(200, json=ALLOW)))
    check_denied(client.ask_or_deny(CALL), "failed", "token")


def test_slow_server_denies() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        decision = Sekisho(address, "t", timeout=0.2).ask_or_deny(CALL, patience=0.1)
        check_denied(decision, "timed_out", "0.2 s")
        decision = asyncio.run(AsyncSekisho(address, "t", timeout=0.2).ask_or_deny(CALL, patience=0.1))
        check_denied(decision, "timed_out", "0.2 s")


@pytest.mark.parametrize(
    ("response", "code"),
    [
        (httpx.Response(302, headers={"location": "http://elsewhere/"}), "refused"),
        (httpx.Response(200, text="<html>hello", headers={"content-type": "text/html"}), "failed"),
        (httpx.Response(200, text="{", headers={"content-type": "application/json"}), "unreachable"),
        (httpx.Response(200, json=[]), "failed"),
        (httpx.Response(200, json={"behavior": "maybe"}), "failed"),
        (httpx.Response(200, json=None), "failed"),
        (httpx.Response(400, json={"error": {"code": "InvalidRequest", "message": "`toolName` is empty"}}), "refused"),
    ],
)
def test_response_that_is_no_answer_denies(response: httpx.Response, code: str) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(response.status_code, content=response.content, headers=response.headers)

    for decision in both(answer, patience=0.1):
        check_denied(decision, code)


@pytest.mark.parametrize("input", [{"a": float("nan")}, {"a": "\ud800"}, {"a": object()}, {"a": {1, 2}}])
def test_input_that_is_not_json_denies_before_anything_is_sent(input: dict[str, Any]) -> None:
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json=ALLOW)

    for decision in both(answer, call={**CALL, "input": input}):
        check_denied(decision, "failed")
    assert sent == []


def test_only_the_same_call_id_is_repeated() -> None:
    """503, a lost connection, then the answer: the question is joined by its id, and nothing else is sent."""
    seen: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append((request.url.path, json.loads(request.content)))
        if len(seen) % 3 == 1:
            return httpx.Response(503, json={"error": {"code": "Closing", "message": "later"}})
        if len(seen) % 3 == 2:
            raise httpx.ConnectError("reset")
        return httpx.Response(200, json=ALLOW)

    for decision in both(answer, patience=None):
        assert decision["behavior"] == "allow"
    assert seen == [("/api/can-use-tool", CALL)] * 6


def test_answers_and_other_writes_are_not_repeated() -> None:
    seen: list[str] = []

    def fail(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.path)
        raise httpx.ReadError("reset")

    client = Sekisho("http://s", "t", transport=httpx.MockTransport(fail))
    for write in (
        lambda: client.approvals.answer("a", {"behavior": "allow"}),
        lambda: client.runs.start({"agent_id": "a", "input": "go"}),
        lambda: client.runs.send("r", {"text": "hi"}),
        lambda: client.can_use_tool(CALL),
    ):
        seen.clear()
        with pytest.raises(SekishoError) as error:
            write()
        assert error.value.code == "Unreachable"
        assert len(seen) == 1


def test_waiting_survives_failures_and_gives_up_when_they_last() -> None:
    pending = {"id": "q", "state": "pending"}
    fails = threading.Event()
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(f"{request.method} {request.url.path}")
        if request.url.path.endswith("/wait"):
            if not fails.is_set() and len(seen) > 3:
                return httpx.Response(200, json={**pending, "state": "approved"})
            return httpx.Response(502, text="bad gateway")
        if request.method == "POST" and any(one.endswith("/wait") for one in seen) and not fails.is_set():
            return httpx.Response(200, json=ALLOW)
        return httpx.Response(202, json=pending)

    for decision in both(answer, patience=30.0):
        assert decision["behavior"] == "allow"
        seen.clear()
    fails.set()
    for decision in both(answer, patience=0.3):
        check_denied(decision, "refused", "bad gateway")
    assert seen[-1] == "DELETE /api/approvals/q"


def test_wrong_address_is_an_error_of_the_caller() -> None:
    for address in ("ftp://s", "s:1", "http://", "not a url"):
        with pytest.raises(ValueError, match="base_url"):
            Sekisho(address)
    with pytest.raises(ValueError, match="`id`"):
        Sekisho("http://s").approvals.show("")
    with pytest.raises(ValueError, match="`id`"):
        Sekisho("http://s").approvals.show("..")


def test_proxies_of_the_environment_are_not_used_for_loopback(monkeypatch: pytest.MonkeyPatch, server: TestServer) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    assert server.as_("viewer").health() == "ok"
