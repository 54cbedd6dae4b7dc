"""``--tau-invalid``: what becomes of trials whose simulated customer broke the rules."""

import pytest

from tests.options.usage import assert_refused
from tests.plugin.inner import journal, mock_run
from tests.plugin.parts import mock_play, play
from tests.reports.blocks import readable

USERS = """
    class Honest:
        def __init__(self, context):
            pass

        def reply(self, messages):
            if len(messages) == 1:
                return "Please tick off the task of mine that is done."
            said = messages[-1].content
            if "Shall I go ahead?" in said:
                return "Yes, please."
            if "details" in said:
                return "It is task_1."
            # The oracle asks for more, as this customer tells it in other words than the task's.
            return "No, that is all." if "?" in said else "Thank you. ###STOP###"


    class Invents(Honest):
        def reply(self, messages):
            return super().reply(messages) + " My zip code is 99501."


    class Once(Honest):
        made = 0

        def __init__(self, context):
            super().__init__(context)
            self.first = Once.made == 0
            Once.made += 1

        def reply(self, messages):
            return super().reply(messages) + " My zip code is 99501." * self.first


    class Twice(Once):
        def __init__(self, context):
            super().__init__(context)
            self.first = Once.made <= 2
"""
ONE = "--tau-tasks=complete_a_task"
INVENTED = "invented fact: nobody told it the zip code 99501"


@pytest.fixture(autouse=True)
def _users(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(users=USERS)
    pytester.syspathinsert()


def user(name: str) -> tuple[str, str]:
    return ONE, f"--tau-user=users:{name}"


def test_by_default_it_is_reported_and_graded(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, *user("Invents"), "--tau-html=report.html", "--tau-markdown=report.md")
    result.assert_outcomes(passed=1)
    line = "user audit: the customer broke rules in 1 of 1 simulations (invented fact 1)."
    result.stdout.fnmatch_lines([line])
    [record] = journal(pytester.path)
    assert record.simulation is not None
    assert record.simulation.user_findings is not None
    assert [(found.rule, found.turn) for found in record.simulation.user_findings] == [("invented fact", 1)]
    assert record.simulation.discarded is None
    page = readable(pytester.path / "report.html")
    assert "customer: invented fact" in page
    assert "user audit: invented fact in turn 1: nobody told it the zip code 99501" in page
    assert line in (pytester.path / "report.md").read_text(encoding="utf-8")


def test_drop_makes_it_invalid(pytester: pytest.Pytester) -> None:
    result = mock_play(pytester, *user("Invents"), "--tau-invalid=drop")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*user fault: {INVENTED} (turn 1)"])
    [record] = journal(pytester.path)
    assert record.outcome == "invalid"


def test_a_journal_that_is_graded_again_is_held_to_it_by_its_own_findings(pytester: pytest.Pytester) -> None:
    mock_play(pytester, *user("Invents")).assert_outcomes(passed=1)
    result = play(pytester, "--tau-rescore=.tau", "--tau-invalid=drop")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*user fault: {INVENTED} (turn 1)"])
    [record] = journal(pytester.path)
    assert record.outcome == "invalid"
    play(pytester, "--tau-rescore=.tau", "--tau-invalid=drop")  # what was dropped is not dropped a second time
    [again] = journal(pytester.path)
    assert again.simulation is not None
    assert record.simulation is not None
    assert again.simulation.note == record.simulation.note


@pytest.mark.parametrize(("name", "again"), [("Twice", 2)])
def test_rerun_plays_again_and_hides_nothing(pytester: pytest.Pytester, name: str, again: int) -> None:
    result = mock_play(pytester, *user(name), "--tau-invalid=rerun", "--tau-html=report.html")
    result.assert_outcomes(passed=1)
    times = f"played again {again} time{'s' * (again > 1)}"
    result.stdout.fnmatch_lines([f"user audit: the customer broke rules in 0 of 1 simulations; {times}."])
    [record] = journal(pytester.path)
    assert record.simulation is not None
    played = [*(record.simulation.discarded or []), record.simulation]
    assert [bool(attempt.user_findings) for attempt in played] == [True] * again + [False]
    assert len({attempt.seed for attempt in played}) == again + 1
    page = readable(pytester.path / "report.html")
    assert "attempt 1 was played again, and stands in the journal: invented fact in turn 1" in page


def test_customers_who_keep_to_the_rules(pytester: pytest.Pytester) -> None:
    result = mock_play(pytester, *user("Honest"), "--tau-invalid=rerun", "-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["user audit: the customer broke rules in 0 of 1 simulations."])


def test_the_scripted_customer_is_not_looked_at(pytester: pytest.Pytester) -> None:
    result = mock_play(pytester, ONE, "--tau-invalid=rerun")
    result.assert_outcomes(passed=1)
    assert "user audit" not in result.stdout.str()
    [record] = journal(pytester.path)
    assert record.simulation is not None
    assert record.simulation.user_findings is None


@pytest.mark.slow
def test_over_workers(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, *user("Invents"), "--tau-k=4", "-n1")
    result.stdout.fnmatch_lines(["user audit: the customer broke rules in 4 of 4 simulations (invented fact 4)."])


def test_a_bad_value_is_a_usage_error() -> None:
    assert_refused("invalid", "maybe", "must be one of rerun, keep, drop, not 'maybe'")
