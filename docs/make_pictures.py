"""Makes the pictures of the README from a real run: the HTML report, light and dark, and a failing gate in a terminal.

    python docs/make_pictures.py        # needs Chromium

The agent is ``faulty``, the oracle with seeded mistakes: pictures stay the same until the report or the suite changes.
"""

from __future__ import annotations

import html
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
RUN = ["--tau-domain=retail", "--tau-k=4", "--tau-agent=faulty:rate=0.2", "--tau-seed=7", "--tau-gate=pass^1 >= 0.85"]
BROWSER = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
]  # fmt: skip
TERMINAL = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; padding: 24px 28px; background: #16181d; color: #e6e7ea; font: 15px/1.45 monospace; }}
pre {{ margin: 0; font: inherit; }}
</style><pre>{text}</pre>"""


def main() -> None:
    """Run, and take the pictures."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("no Chromium found: install chromium or google-chrome")
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        command = [sys.executable, "-m", "pytest", *RUN, "--tb=no", "-q", f"--tau-html={report}"]
        said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout  # noqa: S603
        shown = [line for line in said.splitlines() if line.startswith(("|", "gate ", "[ ]", "Faults", "agent:", "="))]
        terminal = Path(folder) / "terminal.html"
        terminal.write_text(TERMINAL.format(text=html.escape("\n".join(shown))), encoding="utf-8")
        _shoot(browser, report, "report-light.png", "1280,900", folder)
        _shoot(browser, report, "report-dark.png", "1280,900", folder, "--blink-settings=preferredColorScheme=0")
        width = 60 + int(9.1 * max(map(len, shown)))  # of letters of the size above
        _shoot(browser, terminal, "gate.png", f"{width},{60 + 22 * len(shown)}", folder)


def _shoot(browser: str, page: Path, name: str, size: str, folder: str, *flags: str) -> None:
    command = [browser, *BROWSER, *flags, f"--user-data-dir={folder}/{name}", f"--window-size={size}"]
    command += [f"--screenshot={PICTURES / name}", page.as_uri()]
    subprocess.run(command, capture_output=True, check=True)  # noqa: S603


if __name__ == "__main__":
    main()
