"""Starts an example with a local server and a scripted model: python start.py claude-agent-sdk-python

The question can be answered with the command that is printed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tests"), str(HERE.parent / "src"), str(HERE)]
from models import Model, Turn  # noqa: E402
from real_server import BIN, ROOT, TestServer  # noqa: E402

EXAMPLES = sorted(folder.name for folder in (ROOT / "examples").glob("*-python"))


def script(name: str, place: Path) -> list[Turn]:
    """What the model of an example does."""
    if name == "claude-agent-sdk-python":
        return [[("toolu_example", "Write", {"file_path": str(place / "hello.txt"), "content": "Hello!\n"})], "All done."]
    return [[("call_example", "write_file", {"path": "hello.txt", "content": "Hello!\n"})], "All done."]


def environment(server: TestServer, model: Model, home: Path) -> dict[str, str]:
    """The variables that an example needs; everything it writes goes below `home`."""
    return {
        "PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home), "CLAUDE_CODE_TMPDIR": str(home),
        "PYTHONPATH": str(HERE.parent / "src"), "IS_SANDBOX": "1", "CLAUDE_CODE_STREAM_CLOSE_TIMEOUT": "300000", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "SEKISHO_URL": server.address, "SEKISHO_TOKEN": server.tokens["agent"],
        "ANTHROPIC_BASE_URL": model.address, "ANTHROPIC_API_KEY": "dummy",
        "OPENAI_BASE_URL": f"{model.address}/v1", "OPENAI_API_KEY": "dummy",
    }


def main(name: str) -> int:
    if name not in EXAMPLES:
        print(f"unknown example `{name}`; known examples: {', '.join(EXAMPLES)}", file=sys.stderr)
        return 64
    with tempfile.TemporaryDirectory() as home, TestServer() as server:
        place = Path(home) / "work"
        place.mkdir()
        model = Model(script(name, place))
        token = server.tokens["approver"]
        print(f"answer with: SEKISHO_URL={server.address} SEKISHO_TOKEN={token} {BIN} approvals watch", flush=True)
        program = [sys.executable, str(ROOT / "examples" / name / "main.py")]
        code = subprocess.run(program, cwd=place, env=environment(server, model, Path(home)), check=False).returncode
        file = place / "hello.txt"
        print(f"hello.txt: {file.read_text()!r}" if file.exists() else "hello.txt was not written")
        return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) == 2 else ""))
