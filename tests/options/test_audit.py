"""``--tau-audit``: what the grades of the played tasks are worth, printed beside the score."""

import pytest

from tests.options.usage import refused
from tests.plugin.inner import AGENTS, SHOP, journal, make_shop, mock_run, shop_task, task, write
from tests.plugin.parts import mock_play, play
from tests.shared import shared

FLOOR = "audit: trivial floor 0.0 % (0 of 2 tasks); mutation score * (* of *); * finding*."


def test_beside_the_score(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, "--tau-tasks=2", "--tau-audit", "--tau-markdown=run.md", "--tau-html=run.html")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["| mock *", FLOOR])
    for name in ("run.md", "run.html"):
        assert "trivial floor 0.0 % (0 of 2 tasks)" in (pytester.path / name).read_text(encoding="utf-8")


def test_only_when_asked_for(pytester: pytest.Pytester) -> None:
    result = mock_play(pytester, "--tau-tasks=1")
    assert "trivial floor" not in result.stdout.str()
    assert [record.audit for record in journal(pytester.path)] == [None]


ALONE = "trivial floor: 0.0 % (0 of 6 tasks are passed by an agent that solves nothing)."


@pytest.mark.parametrize("workers", [(), pytest.param(("-n1",), marks=pytest.mark.slow)])
def test_the_floor_alone_stands_beside_the_score_of_every_agent_that_is_evaluated(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    pytester.makepyfile(agents=AGENTS)
    options = ("--tau-agent=agents:Polite", "--tau-markdown=run.md", "-v")
    result = mock_run(pytester, *options, *workers)
    result.stdout.fnmatch_lines(["| mock *", ALONE])
    result.stdout.no_fnmatch_line("*mutation score*")
    assert ALONE in (pytester.path / "run.md").read_text(encoding="utf-8")


def test_it_can_be_left_out(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    pytester.makeini("[pytest]\ntau_audit = off")
    assert "trivial floor" not in mock_play(pytester, "--tau-agent=agents:Polite", "--tau-tasks=1").stdout.str()
    result = mock_play(pytester, "--tau-agent=agents:Polite", "--tau-audit", "--tau-tasks=1")
    result.stdout.fnmatch_lines(["audit: trivial floor *"])


def test_the_floor_of_a_conftests_agent_and_of_recordings(pytester: pytest.Pytester) -> None:
    mock_play(pytester, "--tau-tasks=1")
    one = ALONE.replace("6 tasks are", "1 task is")
    play(pytester, "--tau-rescore=.tau", "-v").stdout.fnmatch_lines([one])
    pytester.makepyfile(agents=AGENTS)
    pytester.makeconftest(
        "import agents, pytest\n@pytest.fixture(scope='session')\ndef tau_agent():\n    return agents.Polite"
    )
    mock_run(pytester, "--tau-tasks=1", "-v").stdout.fnmatch_lines([one])


def test_a_task_that_anybody_passes_is_counted_and_one_that_was_changed_is_looked_at_again(
    pytester: pytest.Pytester,
) -> None:
    make_shop(pytester.path)
    pytester.makepyfile(agents=AGENTS)
    options = ("--tau-domain=shop", "--tau-agent=agents:Polite")
    play(pytester, *options, "-v").stdout.fnmatch_lines(["trivial floor: 0.0 % (0 of 1 task *"])
    write(pytester.path, "tasks/shop/sell_one.json", shop_task(evaluation_criteria={"actions": []}))
    play(pytester, *options).stdout.fnmatch_lines(["trivial floor: 100.0 % (1 of 1 task *"])


@pytest.mark.parametrize("option", ["--tau-agent=noop", "--tau-agent=faulty:rate=0.5", "--tau-mode=solo"])
def test_of_nobody_who_is_evaluated_there_is_no_floor(pytester: pytest.Pytester, option: str) -> None:
    assert "trivial floor" not in mock_play(pytester, "--tau-tasks=complete_a_task", option).stdout.str()


def test_once_a_task_however_many_trials(pytester: pytest.Pytester) -> None:
    result = mock_play(pytester, "--tau-tasks=1", "--tau-k=3", "--tau-audit")
    result.stdout.fnmatch_lines(["audit: trivial floor 0.0 % (0 of 1 task); *"])
    assert [record.audit is not None for record in journal(pytester.path)] == [True, False, False]


@pytest.mark.slow
def test_over_workers(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, "--tau-tasks=2", "--tau-audit", "--tau-k=2", "-n1")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines([FLOOR])


def test_a_suite_of_ones_own_with_a_task_that_anybody_passes(pytester: pytest.Pytester) -> None:
    write(pytester.path, "domains/shop/domain.py", SHOP)
    write(pytester.path, "domains/shop/policy.md", "Sell.")
    write(pytester.path, "domains/shop/db.json", {"items": {"pen": {"item_id": "pen", "stock": 3}}})
    write(pytester.path, "tasks/shop/idle.json", task("idle", domain="shop", evaluation_criteria={"actions": []}))
    for argument in ("--tau-domain=shop", "tasks/shop/idle.json"):
        result = play(pytester, argument, "--tau-audit")
        result.assert_outcomes(passed=1)
        result.stdout.fnmatch_lines(
            [
                "audit: trivial floor 100.0 % (1 of 1 task: *1 by one that says one polite sentence*",
                "idle: the trivial agent 'noop' passes: it thanks and does nothing; ask for *",
            ]
        )


def test_on_public_data(pytester: pytest.Pytester) -> None:
    result = play(
        pytester,
        "--tau-domain=airline",
        f"--tau-data={shared('tau2')}",
        "--tau-tasks=1",
        "--tau-audit",
        "--tau-agent=noop",
    )
    result.stdout.fnmatch_lines(["audit: trivial floor * % (* of 1 task*); *"])


def test_a_tool_that_breaks_under_the_audit_breaks_nothing_else(pytester: pytest.Pytester) -> None:
    """The audit plays the tools of a domain as no trial does."""
    write(
        pytester.path,
        "domains/shop/domain.py",
        SHOP.replace("        item.stock -= number", "        raise SystemError"),
    )
    write(pytester.path, "domains/shop/policy.md", "Sell.")
    write(pytester.path, "domains/shop/db.json", {"items": {"pen": {"item_id": "pen", "stock": 3}}})
    gold = {"action_id": "a", "name": "sell", "arguments": {"item_id": "pen"}}
    write(pytester.path, "tasks/shop/sell.json", task("sell", domain="shop", evaluation_criteria={"actions": [gold]}))
    result = play(pytester, "--tau-domain=shop", "--tau-audit")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["audit: trivial floor * (* of 1 task*); *"])


def test_the_rerun_command_does_without(pytester: pytest.Pytester) -> None:
    result = mock_play(pytester, "--tau-audit", "--tau-tasks=1", "--tau-agent=noop")
    result.stdout.fnmatch_lines(["Run exactly this trial again:  pytest *trial1* --tau-agent=noop"])


def test_a_bad_value_is_a_usage_error(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ntau_audit = maybe")
    refused(pytester, "--tau-domain=mock").fnmatch_lines(
        ["ERROR: ini value tau_audit: must be one of on, off, not 'maybe'"]
    )
