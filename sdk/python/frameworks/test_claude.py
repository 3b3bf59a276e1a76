"""The real Claude Agent SDK with a scripted model."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import AssistantMessage, ClaudeAgentOptions, ClaudeSDKClient, ResultMessage, ToolUseBlock, query
from conftest import human
from models import Model
from real_server import TestServer

from sekisho import AsyncSekisho
from sekisho.claude_agent_sdk import create_tool_approval_handler, with_approval

LIMIT = 300.0
# How long the SDK waits until its program has started, in milliseconds; a loaded machine needs more than the default of 60 s.
os.environ["CLAUDE_CODE_STREAM_CLOSE_TIMEOUT"] = "300000"


def bash(call_id: str, command: str) -> Any:
    return (call_id, "Bash", {"command": command, "description": "test"})


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    (tmp_path / "home").mkdir()
    return tmp_path


def options(place: Path, model: Model, **more: Any) -> ClaudeAgentOptions:
    home = str(place / "home")
    env = {
        "HOME": home, "ANTHROPIC_BASE_URL": model.address, "ANTHROPIC_API_KEY": "dummy", "TMPDIR": home, "CLAUDE_CODE_TMPDIR": home,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "IS_SANDBOX": "1", "CLAUDE_CONFIG_DIR": f"{home}/.claude",
    }
    return ClaudeAgentOptions(cwd=place / "work", env=env, model="claude-sonnet-4-5", **more)


async def play(options: ClaudeAgentOptions, prompt: str = "go") -> ResultMessage:
    found: list[ResultMessage] = []
    async for message in query(prompt=prompt, options=options):
        if isinstance(message, ResultMessage):
            found.append(message)
    return found[-1]


def run(work: Any) -> Any:
    return asyncio.run(asyncio.wait_for(work, LIMIT))


@pytest.mark.parametrize("mode", ["default", "bypassPermissions"])
def test_allow_runs_also_where_bypass_was_set(server: TestServer, place: Path, mode: Any) -> None:
    model = Model([[bash(f"toolu_allow_{mode}", "echo hi > x")], "done"])

    async def work() -> None:
        async with server.as_async("agent") as client, human(server, lambda _: {"behavior": "allow"}) as seen:
            given = options(place, model, permission_mode=mode, extra_args={"dangerously-skip-permissions": None} if mode != "default" else {})
            await play(with_approval(given, client, workspace_id="w", conversation_id="claude"))
            assert [(one["toolName"], one["workspaceId"], one["conversationId"]) for one in seen] == [("Bash", "w", "claude")]

    run(work())
    assert (place / "work" / "x").read_text() == "hi\n"


def test_denial_reaches_the_model(server: TestServer, place: Path) -> None:
    model = Model([[bash("toolu_deny", "echo hi > x")], "done"])

    async def work() -> None:
        async with server.as_async("agent") as client, human(server, lambda _: {"behavior": "deny", "message": "use y instead"}):
            await play(with_approval(options(place, model), client))

    run(work())
    assert not (place / "work" / "x").exists()
    assert "use y instead" in model.results()["toolu_deny"]


def test_edited_input_runs(server: TestServer, place: Path) -> None:
    model = Model([[bash("toolu_edit", "echo hi > x")], "done"])

    async def work() -> None:
        edited = {"command": "echo edited > y", "description": "test"}
        async with server.as_async("agent") as client, human(server, lambda _: {"behavior": "allow", "updatedInput": edited}) as seen:
            await play(with_approval(options(place, model), client))
            assert len(seen) == 1

    run(work())
    assert not (place / "work" / "x").exists()
    assert (place / "work" / "y").read_text() == "edited\n"


def test_nobody_answers(server: TestServer, place: Path) -> None:
    model = Model([[bash("toolu_late", "echo hi > x")], "done"])

    async def work() -> None:
        async with server.as_async("agent") as client:
            await play(with_approval(options(place, model), client, timeout_ms=1000))

    run(work())
    assert not (place / "work" / "x").exists()
    assert "nobody answered in time" in model.results()["toolu_late"]


def test_reading_asks_nobody_and_writing_does_with_allowed_tools(server: TestServer, place: Path) -> None:
    """`allowed_tools` never reach `can_use_tool`; the hook sees them."""
    (place / "work" / "a.txt").write_text("text")
    write = ("toolu_write", "Write", {"file_path": str(place / "work" / "b.txt"), "content": "b"})
    model = Model([[("toolu_glob", "Glob", {"pattern": "*.txt"}), ("toolu_read", "Read", {"file_path": str(place / "work" / "a.txt")})], [write], "done"])

    async def work() -> None:
        async with server.as_async("agent") as client, human(server, lambda _: {"behavior": "deny", "message": "no"}) as seen:
            await play(with_approval(options(place, model, allowed_tools=["Glob", "Read", "Write"]), client))
            assert [one["toolName"] for one in seen] == ["Write"]

    run(work())
    assert "a.txt" in model.results()["toolu_glob"]
    assert not (place / "work" / "b.txt").exists()


def test_follow_up_message_is_gated_as_the_first(server: TestServer, place: Path) -> None:
    model = Model([[bash("toolu_first", "echo 1 > one")], "first done", [bash("toolu_second", "echo 2 > two")], "second done"])

    async def work() -> None:
        def answer(question: Any) -> Any:
            return {"behavior": "allow"} if question["toolUseId"] == "toolu_first" else {"behavior": "deny", "message": "not twice"}

        async with server.as_async("agent") as client, human(server, answer) as seen:
            async with ClaudeSDKClient(with_approval(options(place, model), client, conversation_id="chat")) as chat:
                for prompt in ("go", "feedback: go on"):
                    await chat.query(prompt)
                    async for _ in chat.receive_response():
                        pass
            assert [(one["toolUseId"], one["conversationId"]) for one in seen] == [("toolu_first", "chat"), ("toolu_second", "chat")]

    run(work())
    assert (place / "work" / "one").exists() and not (place / "work" / "two").exists()
    assert "not twice" in model.results()["toolu_second"]


def test_disabled_hooks_of_the_project_do_not_skip_the_question(server: TestServer, place: Path) -> None:
    folder = place / "work" / ".claude"
    folder.mkdir()
    (folder / "settings.local.json").write_text('{"disableAllHooks": true, "permissions": {"allow": ["Bash"], "defaultMode": "bypassPermissions"}}')
    model = Model([[bash("toolu_disabled", "echo hi > x")], "done"])

    async def work() -> None:
        async with server.as_async("agent") as client, human(server, lambda _: {"behavior": "deny", "message": "no"}) as seen:
            await play(with_approval(options(place, model, setting_sources=["user", "project", "local"]), client))
            assert len(seen) == 1

    run(work())
    assert not (place / "work" / "x").exists()


def test_callback_alone_asks(server: TestServer, place: Path) -> None:
    model = Model([[bash("toolu_callback", "echo hi > x")], "done"])

    async def work() -> None:
        async with server.as_async("agent") as client, human(server, lambda _: {"behavior": "allow"}) as seen:
            handler = create_tool_approval_handler(client, workspace_id="w", conversation_id="c", cwd=place / "work")
            await play(options(place, model, can_use_tool=handler))
            assert [one["toolUseId"] for one in seen] == ["toolu_callback"]
            told = await handler("Glob", {"pattern": "*.py"}, "toolu_string")  # type: ignore[arg-type]
            assert told.behavior == "allow"

    run(work())
    assert (place / "work" / "x").exists()


def test_cancelling_the_run_withdraws_the_question(server: TestServer, place: Path) -> None:
    model = Model([[bash("toolu_cancel", "echo hi > x")], "done"])

    async def work() -> None:
        async with server.as_async("agent") as client, server.as_async("approver") as approver:
            running = asyncio.ensure_future(play(with_approval(options(place, model), client)))
            async with approver.events() as events:
                mine: list[str] = []
                async for _ in events:
                    mine = [one["id"] for one in events.open.values() if one["toolUseId"] == "toolu_cancel"]
                    if mine:
                        break
                (question,) = mine
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            assert (await approver.approvals.wait(question))["state"] == "aborted"

    run(work())
    assert not (place / "work" / "x").exists()


@pytest.mark.parametrize("broken", ["down", "token"])
def test_server_down_or_wrong_token_denies(server: TestServer, place: Path, broken: str) -> None:
    model = Model([[bash("toolu_down", "echo hi > x"), bash("toolu_ls", "ls")], "done"])
    client = AsyncSekisho("http://127.0.0.1:1", "t") if broken == "down" else AsyncSekisho(server.address, "wrong")
    run(play(with_approval(options(place, model, permission_mode="bypassPermissions"), client, patience=0.5)))
    assert not (place / "work" / "x").exists()
    for told in model.results().values():
        assert ("cannot be reached" if broken == "down" else "does not accept the token") in told


def test_questions_switched_off_let_it_run_but_deny_rules_hold(place: Path) -> None:
    rule = {"version": 1, "permissions": {"deny": [{"tool": "bash", "command": "touch"}]}}
    with TestServer(env={"TOOL_APPROVAL_ENABLED": "false"}, config=rule) as server:
        model = Model([[bash("toolu_off", "echo hi > x"), bash("toolu_rule", "touch y")], "done"])
        run(play(with_approval(options(place, model), server.as_async("agent"))))
    assert (place / "work" / "x").exists() and not (place / "work" / "y").exists()
