"""The examples, as their users start them: allowed and denied."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import human
from models import Model
from real_server import ROOT, TestServer
from start import EXAMPLES, environment, script


def test_examples_are_short() -> None:
    assert EXAMPLES == ["claude-agent-sdk-python", "langgraph-python", "openai-agents-python"]
    for name in EXAMPLES:
        assert len((ROOT / "examples" / name / "main.py").read_text().splitlines()) <= 60


@pytest.mark.parametrize("allowed", [True, False])
@pytest.mark.parametrize("name", EXAMPLES)
def test_example_writes_only_what_is_allowed(server: TestServer, tmp_path: Path, name: str, allowed: bool) -> None:
    place = tmp_path / "work"
    place.mkdir()
    model = Model(script(name, place))

    async def work() -> str:
        answer: dict[str, Any] = {"behavior": "allow"} if allowed else {"behavior": "deny", "message": "not today"}
        async with human(server, lambda _: answer) as seen:
            child = await asyncio.create_subprocess_exec(
                sys.executable, str(ROOT / "examples" / name / "main.py"), cwd=place, env=environment(server, model, tmp_path),
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
            )
            said, _ = await asyncio.wait_for(child.communicate(), 300)
            assert child.returncode == 0, said.decode()
            assert [one["workspaceId"] for one in seen] == ["example"], said.decode()
            return said.decode()

    said = asyncio.run(work())
    assert (place / "hello.txt").exists() == allowed
    if not allowed:
        assert "not today" in said + "".join(model.results().values())
