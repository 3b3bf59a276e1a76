"""The real OpenAI Agents SDK with a scripted model."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from agents import Agent, OpenAIResponsesModel, WebSearchTool, function_tool, set_tracing_disabled
from conftest import human
from models import Model
from openai import AsyncOpenAI
from real_server import TestServer

from sekisho import AsyncSekisho
from sekisho.openai_agents import ToolApproval

set_tracing_disabled(True)


def agent(approval: ToolApproval, model: Model, written: list[str]) -> Agent[Any]:
    @function_tool
    def write_note(text: str) -> str:
        """Writes a note."""
        written.append(text)
        return f"wrote {text}"

    client = AsyncOpenAI(base_url=f"{model.address}/v1", api_key="dummy")
    return Agent(name="notes", model=OpenAIResponsesModel("gpt-5.1", client), tools=approval.tools([write_note]))


def play(client: AsyncSekisho, script: list[Any], written: list[str], **more: Any) -> tuple[Model, Any]:
    model = Model(script)
    approval = ToolApproval(client, **more)

    async def work() -> Any:
        return await approval.run(agent(approval, model, written), "go")

    return model, work()


def note(call_id: str, text: str) -> Any:
    return (call_id, "write_note", {"text": text})


def run(work: Any) -> Any:
    return asyncio.run(asyncio.wait_for(work, 120))


def test_two_questions_at_once_one_allowed_one_denied(server: TestServer) -> None:
    written: list[str] = []

    async def work() -> None:
        def answer(question: Any) -> Any:
            return {"behavior": "allow"} if question["input"]["text"] == "one" else {"behavior": "deny", "message": "one is enough"}

        async with server.as_async("agent") as client, human(server, answer, after=2) as seen:
            model, running = play(client, [[note("call_1", "one"), note("call_2", "two")], "done"], written)
            assert (await running).final_output == "done"
            assert len(seen) == 2
            assert model.results() == {"call_1": "wrote one", "call_2": "one is enough"}

    run(work())
    assert written == ["one"]


def test_edited_input_runs(server: TestServer) -> None:
    written: list[str] = []

    async def work() -> None:
        async with server.as_async("agent") as client, human(server, lambda _: {"behavior": "allow", "updatedInput": {"text": "edited"}}):
            model, running = play(client, [[note("call_edit", "one")], "done"], written)
            await running
            assert model.results() == {"call_edit": "wrote edited"}

    run(work())
    assert written == ["edited"]


def test_nobody_answers(server: TestServer) -> None:
    written: list[str] = []

    async def work() -> None:
        async with server.as_async("agent") as client:
            model, running = play(client, [[note("call_late", "one")], "done"], written, timeout_ms=1000)
            await running
            assert "nobody answered in time" in model.results()["call_late"]

    run(work())
    assert written == []


def test_server_down_denies() -> None:
    written: list[str] = []

    async def work() -> None:
        model, running = play(AsyncSekisho("http://127.0.0.1:1", "t"), [[note("call_down", "one")], "done"], written, patience=0.3)
        await running
        assert "cannot be reached" in model.results()["call_down"]

    run(work())
    assert written == []


def test_tool_that_cannot_be_gated_is_refused() -> None:
    with pytest.raises(TypeError, match="no function tool"):
        ToolApproval(AsyncSekisho("http://127.0.0.1:1", "t")).tools([WebSearchTool()])
