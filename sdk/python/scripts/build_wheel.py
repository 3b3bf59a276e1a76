"""Builds the wheel into a folder, checks what it holds, and imports it from an empty environment.

It needs hatchling in the environment that runs it, and no network: what the wheel depends on is taken from there.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
IMPORTS = "import sekisho, sekisho.claude_agent_sdk, sekisho.langgraph, sekisho.openai_agents; sekisho.Sekisho('http://127.0.0.1:1')"


def main(folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("sekisho-*.whl"):
        old.unlink()
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(HERE)], check=True)
    (wheel,) = folder.glob("sekisho-*.whl")
    check_contents(wheel)
    with tempfile.TemporaryDirectory() as empty:
        venv.create(empty, with_pip=False)
        inside = Path(empty) / "bin" / "python"
        packages = Path(empty) / "packages"
        # Only what the wheel itself asks for.
        frozen = folder.parent / "wheels"
        if not frozen.is_dir():
            subprocess.run([*pip, "wheel", "-w", str(frozen), "-c", str(HERE / "requirements.txt"), "httpx", "typing-extensions"], check=True)
        subprocess.run([*pip, "install", "--no-index", "--find-links", str(frozen), "--target", str(packages), str(wheel)], check=True)
        subprocess.run([str(inside), "-I", "-c", f"import sys; sys.path.insert(0, {str(packages)!r}); {IMPORTS}"], check=True)
    print(f"{wheel.name}: {wheel.stat().st_size // 1024} KB")
    return 0


def check_contents(wheel: Path) -> None:
    source = HERE / "src"
    expected = {str(file.relative_to(source)) for file in (source / "sekisho").rglob("*") if file.suffix == ".py" or file.name == "py.typed"}
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        requires = [line for line in archive.read(metadata).decode().splitlines() if line.startswith("Requires-Dist: ")]
    if held != expected:
        raise SystemExit(f"the wheel lacks {sorted(expected - held)} and has {sorted(held - expected)}")
    if not wheel.name.endswith("-py3-none-any.whl"):
        raise SystemExit(f"{wheel.name} has compiled parts")
    if len(requires) != 2:
        raise SystemExit(f"the wheel depends on {requires}")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
