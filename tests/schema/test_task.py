"""What a task says of itself."""

from pytest_tau import Task
from pytest_tau.schema.scenario import Instructions, UserScenario
from tests.builders import action, task

FULL = Instructions(
    domain="retail", reason_for_call="Why", known_info="a\n\nb", unknown_info="", task_instructions="Do\n  this"
)


class TestTask:
    def test_its_domain(self) -> None:
        assert task().domain_name == "mock"
        assert task(domain=None).domain_name is None
        assert Task(id="a", user_scenario=UserScenario(instructions=FULL)).domain_name == "retail"
        assert Task(id="a", domain="x", user_scenario=UserScenario(instructions=FULL)).domain_name == "x"

    def test_what_is_left_out_is_empty(self) -> None:
        bare = task()
        assert (bare.gold_actions, bare.history, bare.evaluation_criteria) == ([], [], None)
        assert task(criteria={}).gold_actions == []
        assert task(initial_state={}).history == []

    def test_defaults(self) -> None:
        (gold,) = task(criteria={"actions": [{"action_id": "1", "name": "x", "arguments": {}}]}).gold_actions
        assert (gold.requestor, gold.compare_args) == ("assistant", None)

    def test_json_round_trip(self) -> None:
        full = task(criteria={"actions": [action("x", a=[1, None])], "reward_basis": []}, tags=["a"])
        assert Task.model_validate_json(full.model_dump_json()) == full


def test_actions_that_share_an_id_all_belong_to_a_conversation() -> None:
    scenario = {"instructions": "Help."}
    look = {"action_id": "look", "name": "get_users", "arguments": {}}
    made = Task.model_validate(
        {
            "id": "t",
            "user_scenario": scenario,
            "episodes": [{"user_scenario": scenario, "before": "write"}],
            "evaluation_criteria": {"actions": [look, look, {**look, "action_id": "write"}, look]},
        }
    )
    assert [[action.action_id for action in made.in_episode(one).gold_actions] for one in (1, 2)] == [
        ["look", "look"],
        ["write", "look"],
    ]
