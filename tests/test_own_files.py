"""Files of the project that no code reads: where they name others, those are there."""

import re
import tomllib

import pytest

from tests.docs.markdown import ROOT


@pytest.mark.parametrize("script", ["matrix", "real_models", "frameworks"])
def test_scripts_of_ci_name_tests_that_there_are(script: str) -> None:
    named = re.findall(r"\btests/[\w/.]+\w", (ROOT / ".ci" / script).read_text(encoding="utf-8"))
    assert [one for one in named if not (ROOT / one).exists()] == []


def test_each_change_is_a_fragment_of_a_known_type_that_names_no_issue() -> None:
    types = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]["type"]
    known = "|".join(one["directory"] for one in types)
    fragments = {file.name for file in (ROOT / "changelog.d").glob("*.md")} - {"README.md"}
    assert [name for name in fragments if not re.fullmatch(rf"\+[\w-]+\.(?:{known})\.md", name)] == []
