"""A player that never comes back costs its own trial: told as a time-out, and the run goes on."""

from collections import Counter

import pytest

from tests.plugin.inner import apart, journal

AGENTS = """
import threading

class Hangs:
    def __init__(self, context):
        self.context = context

    def reply(self, messages):
        if self.context.task_id == "complete_a_task":
            threading.Event().wait(120)
        return "Goodbye."
"""
# Time limits as short as this would be noise; here nothing else takes long.
SOON = "import pytest_tau.plugin.playing.running as r\nimport pytest_tau.plugin.playing.lookahead as l\n"
SOON += "for module in (r, l):\n    module.LOOK, module.PATIENCE = 0.1, 0.5\n"


@pytest.mark.parametrize(
    "how",
    [
        pytest.param(("-n0", "--tau-concurrency=2"), marks=pytest.mark.slow),
        pytest.param(("-n2", "--tau-concurrency=2"), marks=pytest.mark.slow),
        ("-n1", "--tau-concurrency=1"),
    ],
    ids=["ahead", "ahead in workers", "one at a time in workers"],
)
def test_a_reply_that_never_comes_ends_one_trial(pytester: pytest.Pytester, how: tuple[str, ...]) -> None:
    pytester.makepyfile(agents=AGENTS)
    pytester.makeconftest(SOON)
    result = apart(
        pytester, "--tau-domain=mock", "--tau-agent=agents:Hangs", "--tau-timeout=3", "--tau-progress=1", *how
    )
    outcomes = Counter(record.outcome.value for record in journal(pytester.path))
    assert outcomes == {"missed": 5, "infra_error": 1}
    [hanging] = [record.simulation for record in journal(pytester.path) if record.outcome == "infra_error"]
    assert hanging is not None
    assert hanging.termination_reason == "timeout"
    assert hanging.note is not None
    assert hanging.note.startswith("the agent was still answering ")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    if "--tau-concurrency=1" in how:  # else most of it was over before its test waited for it
        waiting = "tau: waiting for tau/mock/complete_a_task.json::test_task[[]trial1[]], begun * ago*"
        result.stdout.fnmatch_lines([waiting])
