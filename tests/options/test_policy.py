"""``--tau-policy``: which variant of a domain's policy the agent works under."""

import pytest

from pytest_tau import load_domain
from tests.options.usage import refused

TELECOM = ("--tau-domain=telecom", "--tau-tasks=1")
READER = """
    class Reader:
        def __init__(self, context):
            self.policy = context.policy

        def reply(self, messages):
            with open("policy.txt", "w", encoding="utf-8") as file:
                file.write(self.policy)
            return "Goodbye."
"""


def policy_given(pytester: pytest.Pytester, *args: str) -> str:
    pytester.makepyfile(reader=READER)
    pytester.runpytest(*TELECOM, "--tau-agent=reader:Reader", *args)
    return (pytester.path / "policy.txt").read_text(encoding="utf-8")


def test_the_agent_works_under_it(pytester: pytest.Pytester) -> None:
    variants = {name: load_domain("telecom", policy=name).policy for name in ("manual", "workflow")}
    assert variants["manual"] != variants["workflow"]
    assert policy_given(pytester) == variants["manual"]
    assert policy_given(pytester, "--tau-policy=workflow") == variants["workflow"]


def test_a_file_is_named_from_the_root_directory_wherever_pytest_is_started(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]")
    pytester.path.joinpath("prompt.md").write_text("Be brief.", encoding="utf-8")
    monkeypatch.syspath_prepend(pytester.path)
    below = pytester.mkdir("below")
    below.joinpath("other.md").write_text("Be long.", encoding="utf-8")
    pytester.makepyfile(reader=READER)
    monkeypatch.chdir(below)
    pytester.runpytest("--tau-domain=mock", "--tau-tasks=1", "--tau-agent=reader:Reader", "--tau-policy=prompt.md")
    assert below.joinpath("policy.txt").read_text(encoding="utf-8") == "Be brief."
    said = refused(pytester, "--tau-domain=mock", "--tau-policy=other.md")
    said.fnmatch_lines([f"*{pytester.path / 'other.md'}: the policy cannot be read: *"])


def test_a_bad_value_names_those_there_are(pytester: pytest.Pytester) -> None:
    for ini, args in (("", ["--tau-policy=verse"]), ("tau_policy = verse", [])):
        pytester.makeini(f"[pytest]\n{ini}")
        said = refused(pytester, *TELECOM, *args)
        said.fnmatch_lines(["*domain 'telecom' has no policy 'verse'; *manual*workflow*"])


def test_a_domain_with_one_policy_says_so(pytester: pytest.Pytester) -> None:
    said = refused(pytester, "--tau-domain=mock", "--tau-policy=manual")
    said.fnmatch_lines(["*domain 'mock' has no policy 'manual'; *"])
