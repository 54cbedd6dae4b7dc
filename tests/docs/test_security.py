"""Each promise of SECURITY.md names the tests that keep it."""

import re

from tests.docs.markdown import ROOT

PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_each_promise_has_a_test() -> None:
    table = PAGE.partition("## Promises")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("|")][2:]
    assert len(rows) > 20
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)`", row)
        assert named, row
        for path in named:
            assert "def test_" in (ROOT / path).read_text(encoding="utf-8"), path
