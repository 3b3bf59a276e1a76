"""The helpers without their frameworks: how they ask, and what they do with what they are told."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
from real_server import TestServer

from sekisho import AsyncSekisho
from sekisho.claude_agent_sdk import _arguments, _settings, create_pre_tool_use_hook, mcp_tool


def test_names_of_mcp_tools_are_split_unless_ambiguous() -> None:
    assert mcp_tool("Bash") == (None, "Bash")
    assert mcp_tool("mcp__gate__danger") == ("gate", "danger")
    assert mcp_tool("mcp__my_server__get_user") == ("my_server", "get_user")
    for name in ("mcp__a__b__c", "mcp__a", "mcp____b", "mcp__a__", "mcp__a___b"):
        with pytest.raises(ValueError, match="ambiguous"):
            mcp_tool(name)


def test_settings_lose_what_skips_approvals(tmp_path: Any) -> None:
    given = {"permissions": {"defaultMode": "bypassPermissions", "allow": ["Read"]}, "disableAllHooks": True, "env": {"A": "b"}}
    expected = {"permissions": {"allow": ["Read"], "disableBypassPermissionsMode": "disable"}, "disableAllHooks": False, "env": {"A": "b"}}
    assert json.loads(_settings(json.dumps(given), None)) == expected
    (tmp_path / "settings.json").write_text(json.dumps(given))
    assert json.loads(_settings("settings.json", tmp_path)) == expected
    with pytest.raises(FileNotFoundError):
        _settings("missing.json", tmp_path)
    kept: dict[str, str | None] = {"debug": None, "permission-mode": "plan"}
    skips: dict[str, str | None] = {"dangerously-skip-permissions": None, "allow-dangerously-skip-permissions": None}
    assert _arguments({**kept, **skips}) == kept
    assert _arguments({"permission-mode": "bypassPermissions"}) == {}


def hook_input(call_id: str, **more: Any) -> Any:
    return {
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/tmp", "tool_name": "Write",
        "tool_input": {"file_path": "/tmp/x", "content": call_id}, "tool_use_id": call_id, **more,
    }


def test_hook_allows_what_is_harmless_and_puts_the_rest_to_a_human(server: TestServer) -> None:
    async def run() -> None:
        async with server.as_async("agent") as agent, server.as_async("approver") as approver:
            hook = create_pre_tool_use_hook(agent, workspace_id="w", conversation_id="c", cwd="/tmp")
            reading = hook_input("hook-1", tool_name="Glob", tool_input={"pattern": "*.py"}, cwd=str(server.folder / "data"))
            output = (await hook(reading, "hook-1", {"signal": None}))["hookSpecificOutput"]
            assert output == {"hookEventName": "PreToolUse", "permissionDecision": "allow"}
            waiting = asyncio.ensure_future(hook(hook_input("hook-2", agent_id="sub"), "hook-2", {"signal": None}))
            async with approver.events() as events:
                async for _ in events:
                    found = [one for one in events.open.values() if one.get("toolUseId") == "sub/hook-2"]
                    if found:
                        break
            assert (found[0]["workspaceId"], found[0]["conversationId"]) == ("w", "c")
            await approver.approvals.answer(found[0]["id"], {"behavior": "deny", "message": "no", "interrupt": True})
            answer = await waiting
            assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
            assert "no" in answer["hookSpecificOutput"]["permissionDecisionReason"]
            assert answer["continue_"] is False

    asyncio.run(run())


def test_hook_denies_whatever_fails() -> None:
    def allow(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={"behavior": "allow", "executionId": "e", "updatedInput": "text"})

    async def run() -> None:
        hook = create_pre_tool_use_hook(AsyncSekisho("http://s", "t", transport=httpx.MockTransport(allow)))
        wrong: list[Any] = [{}, None, hook_input("a", tool_input=None), hook_input("b"), hook_input("c", tool_name="mcp__a__b__c")]
        for input in wrong:
            answer: Any = await hook(input, "x", {"signal": None})
            assert answer["hookSpecificOutput"]["permissionDecision"] == "deny", input
            assert "did not run" in answer["hookSpecificOutput"]["permissionDecisionReason"]

    asyncio.run(run())
