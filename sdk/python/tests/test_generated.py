"""The generated code: up to date, complete, and true to the OpenAPI document."""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from sekisho import AsyncSekisho, Sekisho, types

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scripts"))
import generate  # noqa: E402
from client_code import operations  # noqa: E402
from names import BY_HAND, METHODS, NOT_OFFERED  # noqa: E402

DOCUMENT = json.loads(generate.SPEC.read_text(encoding="utf-8"))
OPERATIONS = [(method, path, one) for method, path, one in operations(DOCUMENT) if one["operationId"] not in NOT_OFFERED]


def test_generated_files_are_current() -> None:
    assert generate.main(["--check"]) == 0


def test_only_the_websocket_has_no_method() -> None:
    assert {"openSocket"} == NOT_OFFERED


def method_of(client: Any, name: str) -> Callable[..., Any]:
    found = client
    for part in name.split("."):
        found = getattr(found, part)
    assert callable(found)
    return typing.cast("Callable[..., Any]", found)


def arguments(method: Callable[..., Any], operation: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """One value for each parameter: paths and body by position, queries by name."""
    values: list[Any] = [f"a/{one['name']}" for one in operation.get("parameters", []) if one["in"] == "path"]
    if "requestBody" in operation:
        values.append({"sent": True})
    named = {
        name: 7
        for name, one in inspect.signature(method).parameters.items()
        if one.kind is inspect.Parameter.KEYWORD_ONLY and name not in ("timeout", "backoff", "silence", "last_event_id")
    }
    return values, named


def check(request: httpx.Request, method: str, path: str, operation: dict[str, Any]) -> None:
    assert request.method == method
    for one in operation.get("parameters", []):
        if one["in"] == "path":
            path = path.replace(f"{{{one['name']}}}", f"a%2F{one['name']}")
    assert request.url.raw_path.decode().partition("?")[0] == path
    known = {one["name"] for one in operation.get("parameters", []) if one["in"] == "query"} - {"lastEventId"}
    sent = set(request.url.params.keys())
    # `wait` of `canUseTool` is sent only if it is false.
    assert sent == known or (sent == set() and operation["operationId"] == "canUseTool")
    assert request.headers["authorization"] == "Bearer t"
    if "requestBody" in operation:
        assert json.loads(request.content) == {"sent": True}


def response(request: httpx.Request) -> httpx.Response:
    stream = request.headers["accept"] == "text/event-stream"
    return httpx.Response(200, text='event: snapshot\ndata: {"approvals": []}\n\ndata: [DONE]\n\n') if stream else httpx.Response(200, json={})


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS, ids=[one["operationId"] for _, _, one in OPERATIONS])
def test_operation_has_a_method_in_both_clients(method: str, path: str, operation: dict[str, Any]) -> None:
    name = {**METHODS, **BY_HAND}[operation["operationId"]]
    seen: list[httpx.Request] = []

    def record(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return response(request)

    client = Sekisho("http://s", "t", transport=httpx.MockTransport(record))
    call = method_of(client, name)
    values, named = arguments(call, operation)
    result = call(*values, **named)
    if isinstance(result, Iterator):
        next(result, None)
    check(seen[-1], method, path, operation)

    async def asynchronous() -> None:
        client = AsyncSekisho("http://s", "t", transport=httpx.MockTransport(record))
        result = method_of(client, name)(*values, **named)
        if inspect.isawaitable(result):
            await result
        else:
            async for _ in result:
                break

    asyncio.run(asynchronous())
    check(seen[-1], method, path, operation)
    assert len(seen) == 2


def test_both_clients_have_the_same_methods() -> None:
    sync, asynchronous = Sekisho("http://s"), AsyncSekisho("http://s")
    renamed = {"close": "aclose"}

    def public(thing: object) -> set[str]:
        return {name for name in dir(thing) if not name.startswith("_")}

    assert {renamed.get(name, name) for name in public(sync)} == public(asynchronous)
    for group in {name.partition(".")[0] for name in METHODS.values() if "." in name}:
        assert public(getattr(sync, group)) == public(getattr(asynchronous, group))
        for name in public(getattr(sync, group)):
            both = [inspect.signature(getattr(getattr(one, group), name)) for one in (sync, asynchronous)]
            assert both[0] == both[1], f"{group}.{name}"


def test_types_can_be_read_at_run_time() -> None:
    found = [one for one in vars(types).values() if typing.is_typeddict(one)]
    assert len(found) > 200
    for one in found:
        typing.get_type_hints(one)
    assert types.PermissionDeny.__required_keys__ >= {"behavior", "message", "code"}
