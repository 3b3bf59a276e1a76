"""Runs the real binary with a temporary directory and its own port. `SEKISHO_BIN` names another binary."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sekisho import AsyncSekisho, Sekisho

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(os.environ.get("SEKISHO_BIN") or ROOT / "target" / "debug" / "sekisho")
ROLES = ("agent", "viewer", "approver", "admin")


class TestServer:
    """A server; its files are in `folder`."""

    __test__ = False  # not a class of tests

    def __init__(self, *, env: Mapping[str, str] | None = None, config: Mapping[str, Any] | None = None) -> None:
        if not BIN.exists():
            raise FileNotFoundError(f"{BIN} does not exist: build it, or set SEKISHO_BIN")
        self.folder = Path(tempfile.mkdtemp(prefix="sekisho-python-"))
        self.address = "http://127.0.0.1:0"
        self._env = dict(env or {})
        self._child: subprocess.Popen[str] | None = None
        if config is not None:
            file = self.folder / "config" / "sekisho" / "config.json"
            file.parent.mkdir(parents=True)
            file.write_text(json.dumps(config))
        self.tokens = {
            role: json.loads(self.run("token", "create", "--name", role, "--role", role, "--json"))["token"] for role in ROLES
        }
        self.up()

    def __enter__(self) -> TestServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def run(self, *words: str) -> str:
        """Runs a `sekisho` command in the server's environment."""
        return subprocess.run([BIN, *words], env=self._environment, check=True, capture_output=True, text=True).stdout

    @property
    def _environment(self) -> dict[str, str]:
        names = {"XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state", "XDG_DATA_HOME": "data", "SEKISHO_SCRIPTS": "scripts"}
        paths = {name: str(self.folder / folder) for name, folder in names.items()}
        return {"PATH": os.environ.get("PATH", ""), "HOME": str(self.folder), **paths, **self._env}

    def as_(self, role: str) -> Sekisho:
        """A blocking client with the token of a role."""
        return Sekisho(self.address, self.tokens[role])

    def as_async(self, role: str) -> AsyncSekisho:
        """An asynchronous client with the token of a role."""
        return AsyncSekisho(self.address, self.tokens[role])

    def script(self, name: str, steps: list[Any]) -> None:
        """Writes the script of a scripted model."""
        folder = self.folder / "scripts"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.json").write_text(json.dumps(steps))

    def up(self) -> None:
        """Starts the server, on the port it had before if it had one."""
        listen = self.address.removeprefix("http://")
        words = ["serve", "--listen", listen, "--socket", "none", "--log-format", "json"]
        child = subprocess.Popen([BIN, *words], env=self._environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self._child = child
        assert child.stderr is not None
        said: list[str] = []
        for line in child.stderr:
            said.append(line)
            found = re.search(r"https?://127\.0\.0\.1:[0-9]+", line)
            if found:
                self.address = found.group()
                threading.Thread(target=child.stderr.read, daemon=True).start()
                return
        raise RuntimeError("the server did not start:\n" + "".join(said))

    def down(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Stops the server and keeps its files."""
        if self._child is not None:
            self._child.send_signal(how)
            self._child.wait()
            self._child = None

    def end(self) -> None:
        """Stops the server and removes its files."""
        self.down(signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)
