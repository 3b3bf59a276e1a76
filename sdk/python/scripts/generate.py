"""Writes src/sekisho/_generated from spec/openapi.json; with --check only says whether it is up to date.

It needs nothing but Python.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from client_code import client_module, routes_module  # noqa: E402
from type_code import types_module  # noqa: E402

HERE = Path(__file__).resolve().parent
SPEC = HERE.parents[2] / "spec" / "openapi.json"
PLACE = HERE.parent / "src" / "sekisho" / "_generated"


def files(document: dict[str, Any]) -> dict[str, str]:
    """The generated files by their names."""
    head = "# Made from spec/openapi.json by `python scripts/generate.py`. Do not edit.\n"
    return {
        "__init__.py": head,
        "types.py": head + types_module(document),
        "routes.py": head + routes_module(document),
        "sync_methods.py": head + client_module(document, is_async=False),
        "async_methods.py": head + client_module(document, is_async=True),
    }


def main(arguments: list[str]) -> int:
    expected = files(json.loads(SPEC.read_text(encoding="utf-8")))
    if "--check" in arguments:
        stale = [name for name, text in expected.items() if not _holds(PLACE / name, text)]
        if stale:
            print(f"stale: {', '.join(stale)}; renew with: python scripts/generate.py", file=sys.stderr)
        return 1 if stale else 0
    PLACE.mkdir(parents=True, exist_ok=True)
    for name, text in expected.items():
        (PLACE / name).write_text(text, encoding="utf-8")
    return 0


def _holds(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
