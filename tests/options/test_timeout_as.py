"""``--tau-timeout-as``: what a trial is whose agent ran out of time."""

import pytest

from pytest_tau.plugin.playing import guarding, lookahead
from tests.options.usage import assert_refused
from tests.plugin.inner import AGENTS, journal, mock_run, rows
from tests.plugin.parts import mock_play

ONE = ("--tau-agent=agents:Hangs", "--tau-tasks=count_my_tasks", "--tau-timeout=0.4")


def test_a_miss_that_is_not_played_again(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    result = mock_run(pytester, *ONE, "--tau-timeout-as=miss", "--tau-gate=pass^1 <= 0.5")
    assert result.ret == pytest.ExitCode.OK  # a verdict like any other, so the gate has its coverage
    assert (rows(result)["mock"]["infra"], rows(result)["mock"]["missed"]) == ("0", "1")
    [record] = journal(pytester.path)
    assert record.reward is not None
    assert record.reward.value == 0.0
    assert record.fault is not None
    assert record.fault.kind == "premature_end"
    mock_play(pytester, *ONE, "--tau-timeout-as=miss", "--tau-gate=pass^1 <= 0.5", "--tau-resume")
    assert len(journal(pytester.path)) == 1


@pytest.mark.parametrize("at_once", ["1", "2"])
def test_a_reply_that_never_comes_back_is_a_miss_as_well(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, at_once: str
) -> None:
    for module in (guarding, lookahead):
        monkeypatch.setattr(module, "LOOK", 0.01)
        monkeypatch.setattr(module, "PATIENCE", 0.02)
    pytester.makepyfile(
        agents="""
        import threading

        OVER = threading.Event()

        class Hangs:
            def __init__(self, context): ...

            def reply(self, messages):
                OVER.wait(120)
        """
    )
    pytester.makeconftest("import agents\n\ndef pytest_sessionfinish():\n    agents.OVER.set()")
    mock_run(pytester, *ONE, "--tau-timeout-as=miss", f"--tau-concurrency={at_once}")
    assert [(record.outcome, record.reward and record.reward.value) for record in journal(pytester.path)] == [
        ("missed", 0.0)
    ]


def test_a_customer_who_takes_too_long_is_no_miss(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        agents=AGENTS,
        customers="""
        import asyncio

        class Silent:
            def __init__(self, context):
                self.said = 0

            async def reply(self, messages):
                self.said += 1
                if self.said > 1:
                    await asyncio.Event().wait()
                return "Hello."
        """,
    )
    mock_play(
        pytester,
        "--tau-agent=agents:Polite",
        "--tau-user=customers:Silent",
        "--tau-tasks=count_my_tasks",
        "--tau-timeout=0.4",
        "--tau-timeout-as=miss",
    )
    [record] = journal(pytester.path)
    assert record.outcome == "infra_error"


def test_a_bad_value_is_a_usage_error() -> None:
    assert_refused("timeout_as", "pass", "must be one of infra, miss, not 'pass'")
