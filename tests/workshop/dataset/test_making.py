"""Composed tasks are played into conversations: so many, in every way, the same for the same seed."""

import pytest

from pytest_tau import grade
from pytest_tau.agents.faulty import KINDS
from pytest_tau.errors import TauError
from pytest_tau.variants.tool_faults import read_faults
from tau_workshop.dataset.labels import Labelled
from tau_workshop.dataset.making import EACH, PLAIN, SHARES, Made, conversations, leaks, prepare, share_out
from tau_workshop.dataset.splits import kin_of
from tests.builders import mock

N, SEED = 12, 5


@pytest.fixture(scope="module")
def made() -> Made:
    return prepare("retail", N, SEED)


@pytest.fixture(scope="module")
def played(made: Made) -> list[Labelled]:
    return list(conversations(made, N, SEED))


def test_each_split_has_its_share_of_tasks_and_nothing_in_common_with_another(made: Made) -> None:
    assert {split: len(tasks) for split, tasks in made.tasks.items()} == {
        split: max(1, round(N * share / EACH)) for split, share in SHARES.items()
    }
    kins = {split: [kin_of(task, made.domain) for task in tasks] for split, tasks in made.tasks.items()}
    for split, own in kins.items():
        others = [kin for other in kins if other != split for kin in kins[other]]
        assert not any(one.shares(other) for one in own for other in others)


def test_each_split_has_its_share_of_conversations_numbered(played: list[Labelled]) -> None:
    for split, share in SHARES.items():
        own = [one.id for one in played if one.split == split]
        assert own == [f"{split}-{number:05d}" for number in range(max(1, round(N * share)))]


@pytest.mark.parametrize(
    ("n", "shares"), [(3, (1, 1, 1)), (5, (3, 1, 1)), (12, (10, 1, 1)), (15, (11, 2, 2)), (5000, (4000, 500, 500))]
)
def test_the_splits_have_as_many_conversations_together_as_are_asked_for(n: int, shares: tuple[int, ...]) -> None:
    assert tuple(share_out(n).values()) == shares
    assert all(sum(share_out(number).values()) == number for number in range(3, 200))


def test_the_oracle_passes_and_a_mistake_of_the_others_is_named(played: list[Labelled]) -> None:
    by_oracle = [one for one in played if one.player == "oracle"]
    others = [one for one in played if one.player == "faulty"]
    assert len(by_oracle) + len(others) == len(played)
    assert all(one.passed and one.planted is None for one in by_oracle)
    assert {one.planted for one in others} <= set(KINDS)
    assert not all(one.passed for one in others)
    assert {one.simulation.agent for one in others} == {"faulty"}


def test_tools_fail_for_the_oracle_alone(played: list[Labelled]) -> None:
    kinds = {str(plan) for plan in read_faults("all")}
    failing = [one for one in played if one.faults]
    assert failing
    for one in failing:
        assert (one.player, one.faults in kinds) == ("oracle", True)


def test_a_task_told_otherwise_has_a_name_of_its_own_and_the_same_grade(made: Made, played: list[Labelled]) -> None:
    known = {task.id for tasks in made.tasks.values() for task in tasks}
    told = [one for one in played if one.task.id not in known]
    assert told
    for one in played:
        assert one.simulation.task_id == one.task.id
        assert one.task.id in known or one.perturbation != PLAIN
        assert grade(one.task, one.simulation, made.domain).value == one.reward.value


def test_the_same_seed_makes_the_same(played: list[Labelled]) -> None:
    def whole(one: Labelled) -> tuple[object, ...]:
        trainable = [label.trainable for label in one.turns]
        return one.id, one.task, one.perturbation, [m.content for m in one.simulation.messages], trainable

    again = conversations(prepare("retail", N, SEED), N, SEED)
    assert [whole(one) for one in again] == [whole(one) for one in played]


def test_what_splits_have_in_common_is_counted(made: Made) -> None:
    found = leaks(made, made.tasks)
    assert list(found) == ["train and validation", "train and test", "validation and test"]
    assert all(counts == {"records": 0, "wordings": 0} for counts in found.values())
    [task] = made.tasks["test"]
    own = kin_of(task, made.domain)
    twice = leaks(made, {"one": [task], "other": [task]})
    assert twice == {"one and other": {"records": len(own.records), "wordings": len(own.words)}}


def test_a_domain_without_atoms_is_refused() -> None:
    with pytest.raises(TauError, match="tasks cannot be composed"):
        prepare(mock().folder, 3, 1)
