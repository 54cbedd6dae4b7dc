"""keep, drop and rerun, as they treat the attempts of one trial; whole runs are in tests/options/test_invalid.py."""

from collections.abc import Callable

import pytest

from pytest_tau.diagnosis.own_device import INVENTED
from pytest_tau.diagnosis.user_audit import SPOILING
from pytest_tau.plugin.playing.invalid_trials import RERUNS, play_until_valid
from pytest_tau.schema.simulation import Simulation, Termination, UserFinding
from tests.reports.runs import simulation

Players = tuple[Callable[[int], Simulation], Callable[[Simulation], Simulation]]


def found(rule: str = INVENTED) -> UserFinding:
    return UserFinding(rule=rule, turn=1, text="nobody told it the zip code")


def attempts(*findings: list[UserFinding]) -> Players:
    """What plays, and what audits: the attempt with this number has these findings."""
    audited = iter(findings)

    def play(number: int) -> Simulation:
        return simulation(seed=number)

    def audit(played: Simulation) -> Simulation:
        return played.model_copy(update={"user_findings": next(audited)})

    return play, audit


BROKEN, SOUND = [found()], list[UserFinding]()


@pytest.mark.parametrize("policy", ["keep", "drop", "rerun"])
def test_a_customer_who_keeps_to_the_rules_is_played_once(policy: str) -> None:
    made = play_until_valid(*attempts(SOUND), policy)
    assert (made.seed, made.discarded, made.termination_reason) == (0, None, Termination.USER_STOP)


def test_keep_keeps() -> None:
    made = play_until_valid(*attempts(BROKEN), "keep")
    assert (made.termination_reason, made.user_findings, made.note) == (Termination.USER_STOP, BROKEN, None)


def test_drop_ends_with_the_customer_and_says_why() -> None:
    made = play_until_valid(*attempts(BROKEN), "drop")
    assert made.termination_reason is Termination.USER_ERROR
    assert made.note == (
        "the simulated customer broke the rules, which ended with user_stop: "
        f"{INVENTED} in turn 1 (nobody told it the zip code)"
    )


@pytest.mark.parametrize("again", range(1, RERUNS + 1))
def test_rerun_plays_until_the_rules_are_kept_and_hides_nothing(again: int) -> None:
    made = play_until_valid(*attempts(*[BROKEN] * again, SOUND), "rerun")
    assert made.termination_reason is Termination.USER_STOP
    assert made.seed == again
    assert [attempt.seed for attempt in made.discarded or []] == list(range(again))
    assert [attempt.user_findings for attempt in made.discarded or []] == [BROKEN] * again


def test_rerun_gives_up_and_drops() -> None:
    made = play_until_valid(*attempts(*[BROKEN] * (RERUNS + 1)), "rerun")
    assert made.termination_reason is Termination.USER_ERROR
    assert len(made.discarded or []) == RERUNS


def test_rerun_goes_on_after_the_attempts_of_an_earlier_run() -> None:
    before = [simulation(seed=9)]
    made = play_until_valid(*attempts(BROKEN, SOUND), "rerun", before)
    assert [attempt.seed for attempt in made.discarded or []] == [9, 1]
    assert made.seed == 2


@pytest.mark.parametrize("rule", [*SPOILING, "some other rule"])
def test_only_rules_that_spoil_a_trial_count(rule: str) -> None:
    made = play_until_valid(*attempts([found(rule)]), "drop")
    assert (made.termination_reason is Termination.USER_ERROR) == (rule in SPOILING)
