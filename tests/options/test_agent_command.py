"""``--tau-agent-command``, and ``--tau-agent http://…`` with an agent in Node behind the address."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.adapters.server import Answer, competent, node, serving
from tests.options.usage import refused
from tests.plugin.inner import journal, mock_run, rows
from tests.plugin.parts import mock_play

EXAMPLES = Path(__file__).parents[2] / "examples" / "agents" / "node"
SERVER = ("uvicorn", "mcp.server.lowlevel", "mcp.server.streamable_http_manager")
ONE = "--tau-tasks=complete_a_task"


@pytest.mark.slow  # two processes of Node, and the MCP server beside them
def test_a_program_plays_trials_side_by_side(pytester: pytest.Pytester) -> None:
    for name in SERVER:  # now: the inner run would forget them again
        pytest.importorskip(name, reason="mcp is not installed: pytest-tau[mcp]")
    program = f"--tau-agent-command={node()} {EXAMPLES / 'command_agent.mjs'}"
    result = mock_run(pytester, ONE, program, "--tau-k=2")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["tau: * conversations at once"])
    one = journal(pytester.path)[0]
    assert one.simulation is not None
    assert one.simulation.agent == f"command:{node()} {EXAMPLES / 'command_agent.mjs'}"


def test_an_address_plays_them_too(pytester: pytest.Pytester) -> None:
    program = [node(), str(EXAMPLES / "http_agent.mjs"), "0"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found is not None
            result = mock_run(pytester, ONE, f"--tau-agent={found[0]}?token=quite-secret", "--tau-k=2")
        finally:
            process.kill()
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines([f"tau: mock (built in); k 2; agent {found[0]}; *", f"agent: {found[0]}   user: *"])
    result.stdout.no_fnmatch_line("tau: no model is evaluated*")
    assert rows(result)["mock"]["cost"] == "unknown"
    kept = "".join(file.read_text(encoding="utf-8") for file in (pytester.path / ".tau").rglob("*.json*"))
    assert found[0] in kept
    assert "quite-secret" not in kept


def test_one_that_lets_nobody_in_is_refused_before_the_run(pytester: pytest.Pytester) -> None:
    with serving(lambda asked: Answer({}, 401)) as server:
        told = refused(pytester, "--tau-domain=mock", f"--tau-agent={server.url}")
        told.fnmatch_lines(["*refused access (HTTP 401): put * into the environment variable TAU_AGENT_AUTHORIZATION"])
        assert not server.asked


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--tau-agent=noop", "--tau-agent-protocol=openai"], "--tau-agent-protocol: no agent is behind an address*"),
        (["--tau-agent-command=no-such-program"], "--tau-agent-command: there is no program 'no-such-program' here*"),
        (["--tau-agent=http://me:pw@127.0.0.1/"], "the agent's address has a name or password in it*"),
    ],
)
def test_what_cannot_be_is_refused(pytester: pytest.Pytester, args: list[str], sentence: str) -> None:
    refused(pytester, "--tau-domain=mock", *args).fnmatch_lines([f"ERROR: {sentence}"])


def test_a_hook_may_give_an_address(pytester: pytest.Pytester) -> None:
    with serving(competent) as server:
        pytester.makeconftest(f"def pytest_tau_make_agent(item):\n    return {server.url!r}\n")
        mock_play(pytester, ONE).assert_outcomes(passed=1)
        assert len(server.asked) == 2
