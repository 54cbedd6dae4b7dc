"""``--tau-miss-as``, and the properties that JUnit reports have whatever it is."""

import xml.etree.ElementTree as ElementTree
from collections import Counter

import pytest

from tests.options.usage import assert_refused
from tests.plugin.inner import AGENTS, mock_run, outcomes, workers
from tests.plugin.parts import mock_play

ONE = ("--tau-tasks=count_my_tasks", "--tau-agent=noop")


@pytest.mark.parametrize(("value", "counts"), [(None, {"failed": 1}), ("xfail", {"xfailed": 1})])
def test_says_how_pytest_counts_a_miss(pytester: pytest.Pytester, value: str | None, counts: dict[str, int]) -> None:
    result = mock_play(pytester, *ONE, *([f"--tau-miss-as={value}"] if value else []))
    result.assert_outcomes(**counts)
    assert outcomes(pytester.path) == {"count_my_tasks": "missed"}
    assert result.ret == pytest.ExitCode.TESTS_FAILED  # a miss is a miss, however it is shown
    assert ("Exit status 1: --tau-miss-as xfail" in result.stdout.str()) == (value == "xfail")


def test_a_test_that_is_marked_xfail_stays_one(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.mark.xfail
        @pytest.mark.tau(domain="mock", tasks="count_my_tasks")
        def test_it(tau_reward):
            assert tau_reward.passed
    """)
    result = pytester.runpytest("--tau-agent=noop")
    result.assert_outcomes(xfailed=1)
    assert result.ret == pytest.ExitCode.OK


def test_a_bad_value_is_a_usage_error() -> None:
    assert_refused("miss_as", "skip", "must be one of fail, xfail, not 'skip'")


def junit(pytester: pytest.Pytester) -> dict[str, dict[str, list[str]]]:
    """The properties of each test case of ``junit.xml``, and which of failure, error or skipped stands in it."""
    found: dict[str, dict[str, list[str]]] = {}
    for case in ElementTree.parse(pytester.path / "junit.xml").getroot().iter("testcase"):  # noqa: S314 (our own file)
        properties: dict[str, list[str]] = {}
        for node in case.iter("property"):
            properties.setdefault(node.attrib["name"], []).append(node.attrib["value"])
        properties["verdict"] = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        found[f"{case.attrib['classname']}::{case.attrib['name']}"] = properties
    return found


POLICY = {"tau_fault": ["policy_breach"], "tau_violations": ["procedure 0.5"]}
# By --tau-miss-as: what each agent's trials say, and how pytest counts them.
REPORTED: dict[str, dict[str, tuple[str, str, dict[str, list[str]], list[str], str]]] = {
    "fail": {
        "oracle": ("passed", "1", {}, [], "passed"),
        "noop": ("missed", "0", POLICY, ["failure"], "failed"),
    },
    "xfail": {
        "noop": ("missed", "0", POLICY, ["skipped"], "xfailed"),
        "agents:Provider": ("infra_error", "", {"tau_fault": ["provider_fault"]}, ["failure"], "failed"),
        "agents:Raises": ("error", "", {}, ["failure"], "failed"),
    },
}


@pytest.mark.parametrize("value", REPORTED)
def test_junit_has_each_property_once(pytester: pytest.Pytester, value: str) -> None:
    """Where a miss counts as an expected failure, nothing else does."""
    pytester.makepyfile(agents=AGENTS)
    agents = [f"--tau-agent=a{number}={agent}" for number, agent in enumerate(REPORTED[value])]
    result = mock_run(pytester, ONE[0], *agents, f"--tau-miss-as={value}", "--junitxml=junit.xml", "--tau-k=2")
    result.assert_outcomes(**Counter(2 * [count for *_, count in REPORTED[value].values()]))
    suite = ElementTree.parse(pytester.path / "junit.xml").getroot().iterfind("testsuite/properties/property")  # noqa: S314
    facts = {node.attrib["name"]: node.attrib["value"] for node in suite}
    assert facts["tau_agent"] == ", ".join(f"a{number}: {agent}" for number, agent in enumerate(REPORTED[value]))
    assert (facts["tau_domains"], facts["tau_k"], facts["tau_seed"]) == ("mock (built in)", "2", "300")
    cases = junit(pytester)
    for number, (outcome, reward, more, verdict, _) in enumerate(REPORTED[value].values()):
        for trial in ("1", "2"):
            assert cases[f"tau.mock.count_my_tasks.json::test_task[a{number}-trial{trial}]"] == {
                "tau_task": ["mock/count_my_tasks"],
                "tau_trial": [trial],
                "tau_outcome": [outcome],
                "tau_reward": [reward],
                **more,
                "verdict": verdict,
            }


@pytest.mark.slow
def test_junit_with_workers_and_gates(pytester: pytest.Pytester) -> None:
    args = ("--tau-domain=mock", *ONE, "--tau-gate=pass^1 >= 0", "--tau-miss-as=xfail", "--junitxml=junit.xml")
    assert workers(pytester, *args).ret == 0
    [case] = junit(pytester).values()
    assert case["tau_outcome"] == ["missed"]
    assert case["verdict"] == ["skipped"]
