"""How the criteria make a reward."""

from typing import Any

import pytest

from pytest_tau import Reward, grade
from pytest_tau.errors import RecordingError, TaskError
from pytest_tau.evaluation.grade import may_pass, passes
from pytest_tau.schema.reward import CriterionResult
from pytest_tau.schema.simulation import Termination
from tests.builders import CREATE, a_call, action, finished, mock, played_calls, result_of, says, task, u_call

CREATED = a_call("create_task", **CREATE)
ASSERTION = {
    "env_type": "assistant",
    "func_name": "assert_task_status",
    "arguments": {"task_id": "task_4", "expected_status": "pending"},
}


def graded(criteria: dict[str, Any] | None, *calls: Any, text: str = "", **options: Any) -> Reward:
    messages = [*played_calls(mock(), *calls), *([says(text)] if text else [])]
    return grade(task(criteria=criteria), finished(messages), mock(), **options)


@pytest.mark.parametrize(
    "criteria",
    [
        None,
        {"actions": [action("create_task", **CREATE)]},
        {"actions": []},
        {"env_assertions": [ASSERTION], "reward_basis": ["ENV_ASSERTION"]},
        {"actions": [action("create_task", **CREATE)], "communicate_info": ["seven"]},
        {"nl_assertions": ["The agent was kind."], "reward_basis": ["NL_ASSERTION"]},
    ],
)
@pytest.mark.parametrize("ended", [Termination.USER_STOP, Termination.TIMEOUT])
def test_passing_is_what_the_grade_says(criteria: dict[str, Any] | None, ended: Termination) -> None:
    simulation = finished(played_calls(mock(), CREATED), reason=ended)
    played = task(criteria=criteria)
    reward = grade(played, simulation, mock())
    assert passes(played, simulation, mock()) is bool(reward.passed)
    assert may_pass(played, simulation, mock()) is (reward.value != 0.0)


def test_a_conversation_is_graded_in_no_other_domain_than_it_ran_in() -> None:
    called = a_call("get_user_details", user_id="ann_lee_1")
    elsewhere = finished([says(None, called), result_of(called, "{}")]).model_copy(update={"domain": "airline"})
    for verdict in (grade, passes, may_pass):
        with pytest.raises(RecordingError, match="'t' ran in the domain 'airline', and 'mock' has no tool 'get_user_d"):
            verdict(task(), elsewhere, mock())


def test_a_domain_under_another_name_is_the_same_as_long_as_it_has_the_tools() -> None:
    played = finished(played_calls(mock(), a_call("get_users")))
    renamed = played.model_copy(update={"domain": "mock_of_ours"})
    assert grade(task(), renamed, mock()) == grade(task(), played, mock())


GRADED = (Termination.USER_STOP, Termination.AGENT_STOP)


class TestEnds:
    @pytest.mark.parametrize("reason", [reason for reason in Termination if reason not in GRADED])
    def test_a_premature_end_is_worth_nothing(self, reason: Termination) -> None:
        reward = grade(task(criteria={"reward_basis": []}), finished(reason=reason), mock())
        assert (reward.value, reward.basis, reward.results) == (0.0, None, [])
        assert reward.note == f"Simulation terminated prematurely. Termination reason: {reason.value}"

    def test_its_note_goes_along(self) -> None:
        reward = grade(task(), finished(reason=Termination.TIMEOUT, note="too slow"), mock())
        assert (reward.note or "").endswith("Termination reason: timeout (too slow)")

    @pytest.mark.parametrize("reason", [Termination.USER_STOP, Termination.AGENT_STOP])
    def test_a_stop_is_graded(self, reason: Termination) -> None:
        assert grade(task(criteria={"reward_basis": []}), finished(reason=reason), mock()).passed

    def test_no_criteria(self) -> None:
        reward = graded(None, CREATED)
        assert (reward.value, reward.basis, reward.note) == (1.0, None, "No evaluation criteria")


class TestBasis:
    @pytest.mark.parametrize(
        ("basis", "value"),
        [
            (["DB"], 1.0),
            (["COMMUNICATE"], 0.0),
            (["DB", "COMMUNICATE"], 0.0),
            (["DB", "DB", "ACTION", "ENV_ASSERTION"], 1.0),
            (["ACTION"], 1.0),
            (["TRAJECTORY"], 0.0),
            (["NL_ASSERTION"], None),
            (["DB", "NL_ASSERTION"], None),
            (["NL_ASSERTION", "COMMUNICATE"], 0.0),  # no judge can save it
            ([], 1.0),
        ],
    )
    def test_only_its_criteria_count(self, basis: list[str], value: float | None) -> None:
        criteria = {
            "actions": [action("create_task", **CREATE)],
            "env_assertions": [ASSERTION],
            "communicate_info": ["never said"],
            "nl_assertions": ["The agent was kind."],
            "trajectory": [{"check": "called", "name": "get_users"}],
            "reward_basis": basis,
        }
        reward = graded(criteria, CREATED)
        assert reward.value == value
        assert reward.ungraded is (value is None)
        assert set(reward.basis or []) == set(basis)
        # The others are reported all the same.
        reported = {r.criterion: r.in_basis for r in reward.results}
        assert {"ENV_ASSERTION", "ACTION", "COMMUNICATE", "NL_ASSERTION", "TRAJECTORY"} <= set(reported)
        assert {name for name, counts in reported.items() if counts} == set(basis)

    def test_the_default(self) -> None:
        reward = graded({"actions": []})
        assert (reward.value, reward.basis) == (1.0, ["DB", "COMMUNICATE"])

    @pytest.mark.parametrize("assertions", [None, []])
    def test_no_statements_need_no_judge(self, assertions: Any) -> None:
        assert graded({"nl_assertions": assertions, "reward_basis": ["NL_ASSERTION"]}).value == 1.0

    def test_extra_results(self) -> None:
        def extra(value: float | None, in_basis: bool = True) -> CriterionResult:
            return CriterionResult(criterion="MINE", value=value, in_basis=in_basis)

        basis: dict[str, Any] = {"reward_basis": []}
        assert graded(basis, extra=[extra(0.0)]).value == 0.0
        assert graded(basis, extra=[extra(None)]).value is None
        assert graded(basis, extra=[extra(0.0, in_basis=False)]).value == 1.0
        assert graded(None, extra=[extra(0.0)]).value == 0.0


class TestAssertions:
    def value(self, *calls: Any, **changes: Any) -> tuple[float | None, str]:
        criteria = {"env_assertions": [{**ASSERTION, **changes}], "reward_basis": ["ENV_ASSERTION"]}
        reward = graded(criteria, *calls)
        result = reward.result("ENV_ASSERTION")
        assert result is not None
        return reward.value, result.checks[0].explanation

    def test_on_the_state_reached(self) -> None:
        assert self.value(CREATED) == (1.0, "")
        assert self.value(CREATED, assert_value=False) == (0.0, "does not hold")
        assert self.value(CREATED, assert_value=False, message="must be done") == (0.0, "must be done")

    def test_one_that_raises_is_not_met(self) -> None:
        assert self.value() == (0.0, "ValueError: Task task_4 not found")
        assert self.value(func_name="nope") == (0.0, "AttributeError: 'MockTools' object has no attribute 'nope'")
        assert self.value(func_name="get_users", arguments={})[1].endswith("instead of bool")

    def test_one_that_writes_does_not_change_the_verdict_on_the_state(self) -> None:
        writing = {"env_type": "assistant", "func_name": "create_task", "arguments": CREATE}
        reward = graded({"actions": [], "env_assertions": [writing], "reward_basis": ["DB"]})
        assert reward.value == 1.0

    def test_none_are_met(self) -> None:
        assert graded({"env_assertions": [], "reward_basis": ["ENV_ASSERTION"]}).value == 1.0


class TestReplay:
    forged = (says(None, CREATED), result_of(CREATED, "Done"))

    def test_a_recording_must_replay(self) -> None:
        played = task(criteria={"actions": [action("create_task", **CREATE)]})
        with pytest.raises(RecordingError, match="does not replay"):
            grade(played, finished(self.forged), mock())
        assert grade(played, finished(self.forged), mock(), strict=False).passed

    def test_one_that_was_ended_before_its_last_call_ran_is_graded_as_far_as_it_goes(self) -> None:
        played = task(criteria={"actions": [action("create_task", **CREATE)]})
        waiting = (*played_calls(mock(), CREATED), says(None, a_call("get_users")))
        reward = grade(played, finished(waiting, reason=Termination.TEST_ENDED), mock())
        assert (reward.value, reward.progress) == (0.0, 1.0)
        with pytest.raises(RecordingError, match="Tool message expected"):
            grade(played, finished(waiting), mock())

    def test_an_initial_state_that_cannot_be_set_up(self) -> None:
        broken = task(criteria={}, initial_state={"initialization_data": {"agent_data": {"nope": {}}}})
        with pytest.raises(TaskError, match="the database has no 'nope'"):
            grade(broken, finished(), mock())

    def test_in_solo_every_criterion_takes_the_agent_for_both(self) -> None:
        gold = action("dismiss_notification", requestor="user", notification_id="notif_1")
        check = {"check": "called", "name": "dismiss_notification", "requestor": "user"}
        basis = ["DB", "ACTION", "TRAJECTORY"]
        played = task(criteria={"actions": [gold], "trajectory": [check], "reward_basis": basis})
        by_agent = a_call("dismiss_notification", notification_id="notif_1")
        sim = finished(played_calls(mock(), by_agent, solo=True), Termination.AGENT_STOP, solo=True)
        assert grade(played, sim, mock()).passed
        by_user = u_call("dismiss_notification", notification_id="notif_1")
        assert grade(played, finished(played_calls(mock(), by_user)), mock()).passed
