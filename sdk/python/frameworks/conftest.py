from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from real_server import TestServer  # noqa: E402

from sekisho import SekishoError  # noqa: E402

Answer = dict[str, Any]


@pytest.fixture(scope="session")
def server() -> Iterator[TestServer]:
    with TestServer() as running:
        yield running


@asynccontextmanager
async def human(server: TestServer, answer: Callable[[Any], Answer | None], after: int = 1) -> AsyncIterator[list[Any]]:
    """Answers questions as they come, once `after` of them are open together; yields those that were seen."""
    seen: list[Any] = []
    async with server.as_async("approver") as approver:
        before = [one["id"] for one in (await approver.approvals.list())["approvals"]]

    async def work() -> None:
        async with server.as_async("approver") as approver, approver.events() as events:
            async for _ in events:
                known = [one["id"] for one in seen] + before
                fresh = [one for one in events.open.values() if one["id"] not in known]
                if len(fresh) < after:
                    continue
                for question in reversed(fresh):
                    seen.append(question)
                    told = answer(question)
                    if told is not None:
                        body: Any = {"digest": question["digest"], **told}
                        try:
                            await approver.approvals.answer(question["id"], body)
                        except SekishoError as error:
                            if error.status not in (409, 410):  # it has ended already
                                raise

    task = asyncio.ensure_future(work())
    try:
        yield seen
    finally:
        task.cancel()
        (error,) = await asyncio.gather(task, return_exceptions=True)
        if isinstance(error, Exception):
            raise error
