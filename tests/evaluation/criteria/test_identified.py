"""TRAJECTORY: the customer known first."""

from typing import Any

from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, result_of, says
from tests.evaluation.criteria.mock_trajectories import FAILED, LOOKED, WRITTEN, run


def found(user: str) -> list[AnyMessage]:
    """A search for the customer that finds this one."""
    search = a_call("find", id=user)
    return [says(None, search), result_of(search, user)]


class TestIdentified:
    CHECK: dict[str, Any] = {"check": "identified", "by": ["get_users"], "needed_for": ["create_task"]}  # noqa: RUF012

    def test_before(self) -> None:
        assert run(LOOKED + WRITTEN, self.CHECK) == (True, "")

    def test_after(self) -> None:
        why = "create_task was called in turn 0, before the customer was identified"
        assert run(WRITTEN + LOOKED, self.CHECK) == (False, why)
        assert not run(FAILED + WRITTEN, self.CHECK)[0]

    def test_never(self) -> None:
        assert run([], self.CHECK) == (False, "the customer was never identified")

    def test_as_somebody_else(self) -> None:
        assert run(LOOKED + WRITTEN, {**self.CHECK, "shows": "user_1"})[0]
        assert not run(LOOKED + WRITTEN, {**self.CHECK, "shows": "user_2"})[0]

    def test_who_gave_anothers_name_by_mistake_is_looked_up_as_that_person(self) -> None:
        check = {"check": "identified", "by": ["find"], "needed_for": ["get_users", "create_task"], "shows": "user_1"}
        slip, corrected = found("user_2"), found("user_1")
        assert run([*slip, *LOOKED, *corrected, *WRITTEN], check)[0]
        assert not run([*LOOKED, *slip, *corrected, *WRITTEN], check)[0]
        assert not run([*slip, *WRITTEN, *corrected], check)[0]
        assert run([*slip, *LOOKED], check) == (False, "the customer was never identified")

    def test_every_other_tool_needs_it(self) -> None:
        everything = {"check": "identified", "by": ["get_users"]}
        transfer = a_call("transfer_to_human_agents")
        assert not run(WRITTEN + LOOKED, everything)[0]
        assert run([says(None, transfer), result_of(transfer), *LOOKED], everything)[0]
