"""The real LangGraph and LangChain's middleware, with a scripted model."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, TypedDict

import pytest
from conftest import human
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from real_server import TestServer

from sekisho import AsyncSekisho, Sekisho
from sekisho.langgraph import ToolApproval, ToolDenied, approve_tool_call

CONFIG: Any = {"configurable": {"thread_id": "1"}}


class ScriptedModel(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self


def react(written: list[str], texts: list[str], decisions: list[str] | None = None) -> Any:
    """An agent whose model writes notes."""

    def write_note(text: str) -> str:
        """Writes a note."""
        written.append(text)
        return f"wrote {text}"

    calls: Any = [{"name": "write_note", "args": {"text": text}, "id": f"call_{text}", "type": "tool_call"} for text in texts]
    model = ScriptedModel(messages=iter([AIMessage("", tool_calls=calls), AIMessage("done")]))
    allowed: Any = {"allowed_decisions": decisions or ["approve", "edit", "reject"]}
    review = HumanInTheLoopMiddleware(interrupt_on={"write_note": allowed})
    return create_agent(model, tools=[write_note], middleware=[review], checkpointer=InMemorySaver())


def told(result: Any) -> list[str]:
    return [message.content for message in result["messages"] if message.type == "tool"]


def run(work: Any) -> Any:
    return asyncio.run(asyncio.wait_for(work, 120))


def test_two_calls_of_one_step(server: TestServer) -> None:
    written: list[str] = []

    async def work() -> None:
        def answer(question: Any) -> Any:
            return {"behavior": "allow"} if question["input"]["text"] == "one" else {"behavior": "deny", "message": "one is enough"}

        async with server.as_async("agent") as client, human(server, answer, after=2) as seen:
            result = await ToolApproval(client).ainvoke(react(written, ["one", "two"]), {"messages": "go"}, CONFIG)
            assert len(seen) == 2
            assert "wrote one" in told(result)
            assert any("one is enough" in text for text in told(result))

    run(work())
    assert written == ["one"]


def test_edited_input_runs_unless_edits_are_not_allowed(server: TestServer) -> None:
    async def work(decisions: list[str], written: list[str]) -> Any:
        async with server.as_async("agent") as client, human(server, lambda _: {"behavior": "allow", "updatedInput": {"text": "edited"}}):
            return await ToolApproval(client).ainvoke(react(written, ["one"], decisions), {"messages": "go"}, CONFIG)

    written: list[str] = []
    run(work(["approve", "edit", "reject"], written))
    assert written == ["edited"]
    result = run(work(["approve", "reject"], written))
    assert written == ["edited"]
    assert "cannot be edited" in told(result)[0]


class State(TypedDict):
    notes: Annotated[list[str], lambda old, new: old + new]


def parallel() -> Any:
    """Two nodes that run at once, each with an interrupt of its own."""

    def node(name: str) -> Any:
        def work(_: State) -> Any:
            try:
                args = approve_tool_call("write_note", {"text": name})
            except ToolDenied as error:
                return {"notes": [f"{name} denied: {error}"]}
            return {"notes": [f"{name}: {args['text']}"]}

        return work

    graph = StateGraph(State)
    for name in ("a", "b"):
        graph.add_node(name, node(name))
        graph.add_edge(START, name)
        graph.add_edge(name, END)
    return graph.compile(checkpointer=InMemorySaver())


def test_two_interrupts_at_once_blocking(server: TestServer) -> None:
    def answer(question: Any) -> Any:
        return {"behavior": "allow", "updatedInput": {"text": "A"}} if question["input"]["text"] == "a" else {"behavior": "deny", "message": "no"}

    async def work() -> Any:
        async with human(server, answer, after=2) as seen:
            approval = ToolApproval(server.as_("agent"))
            with ThreadPoolExecutor() as pool:
                result = await asyncio.wrap_future(pool.submit(approval.invoke, parallel(), {"notes": []}, CONFIG))
            assert len(seen) == 2
            return result

    notes = sorted(run(work())["notes"])
    assert notes[0] == "a: A" and notes[1].startswith("b denied: ") and "no" in notes[1]


def test_nobody_answers(server: TestServer) -> None:
    notes = ToolApproval(server.as_("agent"), timeout_ms=1000).invoke(parallel(), {"notes": []}, CONFIG)["notes"]
    assert len(notes) == 2 and all("nobody answered in time" in note for note in notes)


def test_server_down_denies() -> None:
    approval = ToolApproval(Sekisho("http://127.0.0.1:1", "t"), patience=0.3)
    notes = approval.invoke(parallel(), {"notes": []}, CONFIG)["notes"]
    assert len(notes) == 2 and all("cannot be reached" in note for note in notes)


def test_client_must_fit() -> None:
    with pytest.raises(TypeError, match="ainvoke"):
        ToolApproval(AsyncSekisho("http://127.0.0.1:1", "t")).invoke(parallel(), {"notes": []}, CONFIG)
