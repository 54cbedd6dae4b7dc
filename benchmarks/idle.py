"""What an installed but unused plugin adds to a bare pytest: CPU time, imports, files, output."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.measuring import Result, bare, interleaved

PAIRS = 24
LIMIT_MS = 5.0
HEAVY = ("pydantic", "litellm", "asyncio", "jinja2")
RUN = ["-m", "pytest", "-q", *bare(), "test_one.py"]
WITHOUT = ["-p", "no:tau"]
MODULES = "import json, sys, pytest; code = pytest.main(sys.argv[1:]); print(json.dumps([int(code), *sys.modules]))"


def traces(arguments: list[str]) -> tuple[set[str], set[str], int]:
    """The modules a run has imported, the files it has left, and how many lines it has printed."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        _one_test(folder)
        command = [sys.executable, "-c", MODULES, "-q", *bare(), *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        *printed, last = done.stdout.splitlines() + done.stderr.splitlines()
        code, *modules = json.loads(last)
        if code:
            raise RuntimeError(done.stdout)
        files = {str(path.relative_to(folder)) for path in folder.rglob("*")}
        return set(modules), files, len(printed)


def _one_test(folder: Path) -> None:
    (folder / "test_one.py").write_text("def test_one():\n    pass\n", encoding="utf-8")


def main() -> None:
    """Print the line."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        _one_test(folder)
        pairs = interleaved([*RUN], [*RUN, *WITHOUT], folder, PAIRS)
    modules, files, lines = traces([])
    bare_modules, bare_files, bare_lines = traces(WITHOUT)
    ours = modules - bare_modules
    heavy = [module for module in HEAVY if module in ours]
    note = (
        f"imports {len(ours)} modules, of {'/'.join(HEAVY)}: {', '.join(heavy) or 'none'}; "
        f"files written: {len(files - bare_files)}; lines printed: {lines - bare_lines}"
    )
    added = median(1000 * (with_it - without) for with_it, without in pairs)
    print(Result("idle plugin, added CPU", added, LIMIT_MS, "ms", note))


if __name__ == "__main__":
    main()
