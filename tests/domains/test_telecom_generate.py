"""The telecom tasks: composed as the public set is, frozen for our world, and played through."""

import dataclasses
import hashlib
import json
import re
from datetime import date, timedelta
from functools import cache
from types import ModuleType
from typing import Any

import pytest

from pytest_tau import Domain, Task, grade, load_domain, load_tasks, simulate
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.environment.task_problems import task_problems
from pytest_tau.environment.tasks import read_splits
from pytest_tau.errors import TaskError
from pytest_tau.schema.calls import Action
from pytest_tau.schema.messages import AssistantMessage
from pytest_tau.schema.scenario import Instructions
from pytest_tau.schema.simulation import Simulation
from tau_workshop.compose import Combination, DeviceFault, combinations, compose, prove
from tests.builders import whole, workshop_part
from tests.shared import shared

PUBLIC_IDS = "27ccec36ec0b4bd739d627c6a0c7219423178dc4e7da30f4f3a89c701ff6528a"
ALL_IDS = "75ce40f145aa8a1f96eaed8f7b9dd497f63285c089acbad930ad8ecc5bc7bb5c"
STRUCTURE = "f3dcabe64f4989f76c6d63db2e81c542340c76636ae4010818b915f27f8665f1"


def generator() -> ModuleType:
    return workshop_part(builtin_folder("domains", "telecom"), "generate")


@cache
def telecom() -> Domain:
    return load_domain(builtin_folder("domains", "telecom"))


@cache
def suite() -> dict[str, Task]:
    return {task.id: task for task in whole("telecom")}


@pytest.fixture(scope="module")
def public() -> Domain:
    return load_domain("telecom", data=shared("tau2"))


@pytest.fixture(scope="module")
def public_tasks() -> list[Task]:
    return load_tasks("telecom", data=shared("tau2"), split="full")


def public_caller(public: Domain, tasks: list[Task]) -> Any:
    """Whoever calls in the public tasks, and the bill they may owe."""
    calls = {call.func_name: call.arguments for task in tasks for call in _init(task)}
    return generator().caller(
        public,
        calls["set_user_info"]["phone_number"],
        calls["suspend_line_for_overdue_bill"]["new_bill_id"],
    )


def _init(task: Task) -> list[Any]:
    return list((task.initial_state and task.initial_state.initialization_actions) or [])


def public_id(one: Combination) -> str:
    return f"[{one.family.name}]{'|'.join(one.names)}[PERSONA:{one.persona.name.title()}]"


def digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()


@pytest.mark.slow
def test_the_combinations_are_those_of_the_public_set(public: Domain, public_tasks: list[Task]) -> None:
    who = public_caller(public, public_tasks)
    every = [one for family in generator().families(who) for one in combinations(family, generator().PERSONAS[0])]
    assert digest("\n".join(public_id(one) for one in every)) == ALL_IDS
    released = [public_id(one) for one in generator().full_set(who)]
    assert digest("\n".join(released)) == PUBLIC_IDS
    assert released == [task.id for task in public_tasks]


@pytest.mark.parametrize("every", [40, pytest.param(1, marks=pytest.mark.slow)])
def test_the_composed_tasks_have_the_structure_of_the_public_ones(
    public: Domain, public_tasks: list[Task], every: int
) -> None:
    composed = generator().full_set(public_caller(public, public_tasks))
    words = {
        assertion.func_name: assertion.message
        for task in public_tasks
        for assertion in _assertions(task)
        if assertion.message
    }
    words |= {
        a.name: a.arguments["summary"] for task in public_tasks for a in task.gold_actions if a.compare_args == []
    }
    structures = []
    for one, recorded in list(zip(composed, public_tasks, strict=True))[::every]:
        task = compose(one, public, generator().describe)
        structures.append(_structure(public_id(one), task, words))
        assert structures[-1] == _structure(recorded.id, recorded, {}), recorded.id
    if every == 1:
        assert digest(json.dumps(structures, sort_keys=True, separators=(",", ":"))) == STRUCTURE


def _assertions(task: Task) -> list[Any]:
    return list((task.evaluation_criteria and task.evaluation_criteria.env_assertions) or [])


def _structure(task_id: str, task: Task, words: dict[str, str]) -> list[Any]:
    """What the checksum is about; ``words`` puts the public messages and summary in the place of ours."""
    assertions = [assertion.model_dump() for assertion in _assertions(task)]
    for assertion in assertions:
        if assertion["message"] is not None:
            assertion["message"] = words.get(assertion["func_name"], assertion["message"])
    actions = [action.model_dump(exclude={"rules"}) for action in task.gold_actions]
    for action in actions:
        if action["name"] in words:
            action["arguments"] = {"summary": words[action["name"]]}
    assert task.evaluation_criteria is not None
    initialisation = [call.model_dump() for call in _init(task)]
    return [task_id, initialisation, actions, assertions, task.evaluation_criteria.reward_basis]


def test_the_halves_have_no_caller_no_opening_and_no_persona_in_common() -> None:
    splits = read_splits(builtin_folder("tasks", "telecom") / "base.json")
    assert splits is not None
    halves = [[suite()[task_id] for task_id in splits[name]] for name in ("train", "test")]
    for look in (lambda task: _init(task)[0].arguments["name"], lambda task: task.user_scenario.persona, _opening):
        train, test = ({look(task) for task in half} for half in halves)
        assert not (train & test) - {None}


def test_thirty_callers_and_forty_openings() -> None:
    assert len({_init(task)[0].arguments["name"] for task in suite().values()}) >= 30
    assert len({_opening(task) for task in suite().values()}) >= 40


def _opening(task: Task) -> str:
    instructions = task.user_scenario.instructions
    return instructions if isinstance(instructions, str) else instructions.reason_for_call


def test_no_opening_is_said_again_before_all_were() -> None:
    said: dict[tuple[str, Any], list[str]] = {}
    for task in generator().generate(telecom(), 24, 90210):
        second = {persona.text for some in generator().PERSONAS[1::2] for persona in some[1:]}
        half = int(task.user_scenario.persona in second)
        if task.user_scenario.persona:
            said.setdefault((task.tags[0], half), []).append(_opening(task))
    assert len(said) == 6
    for openings in said.values():
        assert len(set(openings)) == len(openings)


def test_several_places_abroad_and_several_directions() -> None:
    known = [one for task in suite().values() if isinstance(one := task.user_scenario.instructions, Instructions)]
    places = {hit for one in known if (hit := re.search(r"abroad, [^.,]+", one.known_info or ""))}
    assert len({hit[0] for hit in places}) >= 5
    assert len({one.task_instructions for one in known}) >= 20


def test_nothing_is_asked_of_a_bill_that_there_is_not() -> None:
    asked = 0
    for task in suite().values():
        about_bills = [one for one in _assertions(task) if one.func_name == "assert_no_overdue_bill"]
        owes = "overdue_bill_suspension" in task.id
        asked += len(about_bills)
        assert owes or not about_bills
    assert asked


@pytest.mark.parametrize("page", ["main_policy.md"])
def test_whoever_hands_over_says_why_first(page: str) -> None:
    text = (builtin_folder("domains", "telecom") / page).read_text(encoding="utf-8")
    assert "Say first why it cannot be done here." in text


def test_the_callers_are_those_that_their_script_writes() -> None:
    text = (builtin_folder("domains", "telecom") / "db.toml").read_text(encoding="utf-8")
    script = workshop_part(builtin_folder("domains", "telecom"), "make_callers")
    assert text.partition(script.MARK)[2].strip() == script.render().strip()


def test_every_bill_runs_to_the_last_day_of_its_month() -> None:
    bills = telecom().environment().dump()["agent"]["bills"]
    ends = [date.fromisoformat(bill["period_end"]) for bill in bills]
    assert {(end + timedelta(days=1)).day for end in ends} == {1}


def test_another_seed_chooses_other_tasks() -> None:
    first, second = ([task.id for task in generator().generate(telecom(), 3, seed)] for seed in (1, 2))
    assert len(set(first)) == len(set(second)) == 3
    assert first != second
    assert first == [task.id for task in generator().generate(telecom(), 3, 1)]


def test_the_suite_is_spread_over_complaints_difficulties_personas_and_callers() -> None:
    assert len(suite()) == 114
    tags = {tag for task in suite().values() for tag in task.tags}
    assert {f"atoms_{number}" for number in range(1, 10)} <= tags
    assert {"persona_none", "persona_easy", "persona_hard"} <= tags
    assert len({task.user_scenario.persona for task in suite().values()}) == 13
    assert {"mobile_data_issue", "service_issue", "mms_issue"} <= tags
    assert {_init(task)[0].arguments["phone_number"] for task in suite().values()} == {
        phone_number for phone_number, _ in generator().CALLERS
    }


def test_the_suite_fits_the_domain() -> None:
    assert [problem for task in suite().values() for problem in task_problems(task, telecom())] == []


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.slow)])
def test_the_suite_played_alone(every: int) -> None:
    """With a customer it is played as a suite of this project."""
    for task in list(suite().values())[::every]:
        simulation = simulate(task, telecom(), agent="oracle", user="scripted", solo=True)
        assert grade(task, simulation, telecom()).passed, task.id


@pytest.mark.parametrize(("looks_at", "passes"), [("the contract", True), ("the card", True), ("nothing", False)])
def test_either_of_two_facts_is_enough_for_a_hand_over(looks_at: str, passes: bool) -> None:
    """The steps hand over at a locked card, before they come to the contract; who only guesses has seen neither."""
    both = {"contract_end_suspension", "lock_sim_card_pin"}
    task = next(task for task in suite().values() if both <= set(task.id.replace(".", "+").split("+")))
    steps = task.gold_actions
    if looks_at != "the contract":
        names = ["reseat_sim_card"] * ("unseat_sim_card" in task.id)
        names += ["check_sim_status"] if looks_at == "the card" else []
        looks = [Action(action_id=name, name=name, arguments={}, requestor="user") for name in names]
        steps = [*looks, *(step for step in steps if step.name == "transfer_to_human_agents")]
    assert grade(task, _played(task, steps), telecom()).passed is passes


def test_a_phone_beyond_repair_has_no_line_resumed_for_an_unpaid_bill() -> None:
    task = next(t for t in suite().values() if {"lock_sim_card_pin", "overdue_bill_suspension"} <= set(_faults(t)))
    [suspended] = [call for call in _init(task) if call.func_name == "suspend_line_for_overdue_bill"]
    line = {name: suspended.arguments[name] for name in ("customer_id", "line_id")}
    resume = Action(action_id="resume", name="resume_line", arguments=line, requestor="assistant")
    assert grade(task, _played(task, task.gold_actions), telecom()).passed
    unpaid = _played(task, [*task.gold_actions[:-1], resume, task.gold_actions[-1]])
    assert not grade(task, unpaid, telecom()).passed


@pytest.mark.parametrize("fault", ["lock_sim_card_pin", "contract_end_suspension"])
def test_the_gold_summary_of_a_hand_over_is_reason_enough_where_nobody_hears(fault: str) -> None:
    """In solo the agent writes to a colleague; the oracle's notes beside its calls are left out here."""
    task = next(t for t in suite().values() if fault in _faults(t))
    played = simulate(task, telecom(), agent="oracle", user="scripted", solo=True)
    silent = [
        message.model_copy(update={"content": None}) if isinstance(message, AssistantMessage) else message
        for message in played.messages
    ]
    assert grade(task, played.model_copy(update={"messages": silent}), telecom()).passed


def _faults(task: Task) -> list[str]:
    return task.id.split(".")[1].split("+")


def test_data_is_added_when_its_price_has_been_seen() -> None:
    task = next(task for task in suite().values() if any(step.name == "refuel_data" for step in task.gold_actions))
    assert grade(task, _played(task, task.gold_actions), telecom()).passed
    unseen = [step for step in task.gold_actions if step.name != "get_details_by_id"]
    assert not grade(task, _played(task, unseen), telecom()).passed


def _played(task: Task, steps: list[Action]) -> Simulation:
    assert task.evaluation_criteria is not None
    criteria = task.evaluation_criteria.model_copy(update={"actions": steps})
    return simulate(task.model_copy(update={"evaluation_criteria": criteria}), telecom(), agent="oracle")


@pytest.mark.parametrize(
    ("cause", "step", "other_way"),
    [
        ("lock_sim_card_pin", "check_sim_status", "check_network_status"),
        ("contract_end_suspension", "get_customer_by_phone", "get_customer_by_id"),
    ],
)
def test_a_fact_may_be_found_in_another_way(cause: str, step: str, other_way: str) -> None:
    causes = {"contract_end_suspension", "lock_sim_card_pin"}
    task = next(t for t in suite().values() if [name for name in causes if name in t.id] == [cause])
    customer = [call.arguments["customer_id"] for call in _init(task) if "customer_id" in call.arguments]
    arguments = {"customer_id": customer[0]} if cause == "contract_end_suspension" else {}
    steps = [
        one.model_copy(update={"name": other_way, "arguments": arguments}) if one.name == step else one
        for one in task.gold_actions
    ]
    assert steps != task.gold_actions
    assert grade(task, _played(task, steps), telecom()).passed


@pytest.mark.parametrize("missing", ["check_sim_status", "transfer_to_human_agents"])
def test_a_hand_over_needs_its_fact_and_is_made(missing: str) -> None:
    causes = {"contract_end_suspension", "overdue_bill_suspension"}
    task = next(t for t in suite().values() if "lock_sim_card_pin" in t.id and not any(name in t.id for name in causes))
    steps = [step for step in task.gold_actions if step.name != missing]
    assert not grade(task, _played(task, steps), telecom()).passed


def test_a_solution_that_no_longer_solves_is_refused_by_name() -> None:
    wrong = (Action(action_id="x", name="toggle_wifi", arguments={}, requestor="user"),)
    with pytest.raises(TaskError, match=r"^atom data_mode_off of mobile_data_issue: after its solution, it does not"):
        prove(_with_mutated("data_mode_off", solve=wrong), telecom())


def test_a_step_too_many_is_refused_by_name() -> None:
    back_and_forth = (Action(action_id="x", name="toggle_data", arguments={}, requestor="user"),) * 3
    with pytest.raises(TaskError, match=r"^atoms bad_vpn \+ data_mode_off of .*: before .*, all is well already$"):
        prove(_with_mutated("bad_vpn", "data_mode_off", solve=back_and_forth), telecom())


def test_a_fault_that_breaks_nothing_is_refused_by_name() -> None:
    with pytest.raises(TaskError, match=r"^atom bad_vpn of mobile_data_issue: before disconnect_vpn\(\), all is well"):
        prove(_with_mutated("bad_vpn", initialise=()), telecom())


def _with_mutated(*names: str, **changes: Any) -> Combination:
    """A combination of the mobile data family whose last atom is not as it should be."""
    who = generator().caller(telecom(), *generator().CALLERS[0])
    family = generator().families(who)[0]
    atoms: list[DeviceFault] = [next(a for group in family.groups for a in group if a.name == name) for name in names]
    atoms[-1] = dataclasses.replace(atoms[-1], **changes)
    return Combination(family, tuple(atoms), generator().PERSONAS[0][0])
