"""Against the real binary."""

from __future__ import annotations

import asyncio
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from real_server import TestServer

from sekisho import AsyncSekisho, Sekisho, SekishoError, is_question


def call(call_id: str) -> Any:
    return {"toolName": "write", "input": {"path": "/tmp/a.txt", "content": call_id}, "toolUseId": call_id}


def asked(approver: Sekisho, call_id: str) -> Any:
    """The open question about a call, as soon as it is there."""
    with approver.events() as events:
        for _ in events:
            for question in events.open.values():
                if question.get("toolUseId") == call_id:
                    return question
    raise AssertionError("the stream ended")


async def asked_async(approver: AsyncSekisho, call_id: str) -> Any:
    async with approver.events() as events:
        async for _ in events:
            for question in events.open.values():
                if question.get("toolUseId") == call_id:
                    return question
    raise AssertionError("the stream ended")


def test_question_is_announced_and_answered(server: TestServer) -> None:
    agent, approver = server.as_("agent"), server.as_("approver")
    with ThreadPoolExecutor() as pool:
        for name, ask in (("waits", agent.can_use_tool), ("polls", agent.ask)):
            response = pool.submit(ask, call(name))
            question = asked(approver, name)
            taken = approver.approvals.answer(question["id"], {"behavior": "allow", "digest": question["digest"]})
            assert taken["approval"]["state"] == "approved"
            permission = response.result()
            assert permission["behavior"] == "allow"
            agent.report_execution(permission["executionId"], {"isError": False})


def test_edited_input_and_denial_reach_the_caller(server: TestServer) -> None:
    async def run() -> None:
        async with server.as_async("agent") as agent, server.as_async("approver") as approver:
            tasks = [asyncio.ensure_future(agent.ask(call(f"pair-{number}"))) for number in (1, 2)]
            edited = {"path": "/tmp/a.txt", "content": "edited"}
            second = await asked_async(approver, "pair-2")
            await approver.approvals.answer(second["id"], {"behavior": "deny", "message": "not today"})
            first = await asked_async(approver, "pair-1")
            await approver.approvals.answer(first["id"], {"behavior": "allow", "updatedInput": edited})
            one, two = await asyncio.gather(*tasks)
            assert one["behavior"] == "allow" and one.get("updatedInput") == edited
            assert two["behavior"] == "deny" and "not today" in two["message"] and two["code"] == "denied"

    asyncio.run(run())


def test_nobody_answers_in_time(server: TestServer) -> None:
    late: Any = {**call("late"), "timeoutMs": 1}
    told = server.as_("agent").ask(late)
    assert told["behavior"] == "deny" and told["code"] == "expired"


def test_cancelling_withdraws_the_question(server: TestServer) -> None:
    agent, approver = server.as_("agent"), server.as_("approver")
    cancel = threading.Event()
    with ThreadPoolExecutor() as pool:
        response = pool.submit(agent.ask, call("cancel"), cancel=cancel)
        question = asked(approver, "cancel")
        cancel.set()
        with pytest.raises(SekishoError) as error:
            response.result()
        assert error.value.code == "Cancelled" and not error.value.passing
    assert approver.approvals.show(question["id"])["state"] == "aborted"

    async def run() -> None:
        async with server.as_async("agent") as agent, server.as_async("approver") as approver:
            for name, ask in (("ask", agent.ask), ("can_use_tool", agent.can_use_tool)):
                task = asyncio.ensure_future(ask(call(name)))
                question = await asked_async(approver, name)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert (await approver.approvals.wait(question["id"]))["state"] == "aborted", name
            # Cancelled before its id arrived.
            task = asyncio.ensure_future(agent.ask(call("early")))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        async with server.as_async("approver") as approver:
            left = (await approver.approvals.list(state="pending"))["approvals"]
            assert "early" not in [question.get("toolUseId") for question in left]

    asyncio.run(run())


def test_refused_request_is_an_error_with_its_code(server: TestServer) -> None:
    with pytest.raises(SekishoError) as error:
        server.as_("agent").tokens.list()
    assert (error.value.code, error.value.status) == ("Forbidden", 403)
    with pytest.raises(SekishoError) as error:
        server.as_("viewer").approvals.show("nothing")
    assert error.value.code == "NotFound"
    with pytest.raises(SekishoError) as error:
        Sekisho(server.address).approvals.list()
    assert error.value.code == "Unauthenticated" and "sekisho token create" in (error.value.hint or "")
    question = server.as_("agent").can_use_tool(call("conflict"), wait=False)
    assert is_question(question)
    approver = server.as_("approver")
    approver.approvals.answer(question["id"], {"behavior": "deny", "message": "no"})
    with pytest.raises(SekishoError) as error:
        approver.approvals.answer(question["id"], {"behavior": "allow"})
    assert (error.value.code, error.value.status) == ("Conflict", 409)


def test_asking_and_events_survive_a_restart() -> None:
    with TestServer() as server:
        agent, approver = server.as_("agent"), server.as_("approver")
        with ThreadPoolExecutor() as pool, approver.events() as events:
            response = pool.submit(agent.ask, call("restart"))
            for _ in events:
                if events.open:
                    break
            (question,) = events.open.values()
            server.down(signal.SIGKILL)
            server.up()
            approver.approvals.answer(question["id"], {"behavior": "allow"})
            for event in events:
                if event.type == "tool_approval_resolved":
                    break
            assert event.data["state"] == "approved"
            assert not events.open
            assert response.result()["behavior"] == "allow"


def test_server_can_be_read(server: TestServer) -> None:
    viewer, admin = server.as_("viewer"), server.as_("admin")
    assert viewer.health() == "ok"
    assert viewer.session.show()["role"] == "viewer"
    assert len(admin.tokens.list()["tokens"]) >= 4
    assert viewer.rules.list()["rules"] is not None
    assert viewer.audit.search(limit=3)["rows"]
    assert viewer.audit.export().startswith("{")
    assert viewer.openapi()["openapi"] == "3.1.0"
    assert "sekisho" in viewer.metrics()


def test_agent_runs_with_tools_and_is_followed(server: TestServer) -> None:
    admin, approver, viewer = server.as_("admin"), server.as_("approver"), server.as_("viewer")
    server.script("python", [{"calls": [{"name": "todo_write", "input": {"todos": []}}]}, {"text": "All done."}])
    names = [tool["name"] for tool in admin.list_tools()]
    assert "todo_write" in names
    agent = admin.agents.create({"name": "python", "provider": "scripted", "model": "python"})
    admin.update_tool_permissions(agent["id"], [{"tool_name": "todo_write", "is_enabled": True}])
    run = approver.execute_agent_with_tools(agent["id"], "go", ["todo_write"])
    assert (run["status"], run["output"]) == ("completed", "All done."), run
    stored = [event for event in viewer.follow_run(run["run_id"]) if event.id is not None]
    assert (stored[0].type, stored[0].from_, stored[-1].type) == ("user-message", "USER", "finish")
    for at, event in enumerate(stored):
        assert [one for one in viewer.follow_run(run["run_id"], last_event_id=event.id or "") if one.id] == stored[at + 1 :]
    with pytest.raises(SekishoError) as error:
        list(server.as_("agent").follow_run(run["run_id"]))
    assert error.value.code == "NotFound"

    async def run_async() -> None:
        async with server.as_async("approver") as client:
            assert [tool["name"] for tool in await client.list_tools()] == names
            run = await client.execute_agent_with_tools(agent["id"], "go", [], wait=False)
            kinds = [event.type async for event in client.follow_run(run["run_id"])]
            assert kinds[-1] == "finish"

    asyncio.run(run_async())
