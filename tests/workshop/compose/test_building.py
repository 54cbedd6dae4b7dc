"""How the task of a plan is told and graded."""

from dataclasses import replace
from itertools import islice
from typing import Any

import pytest
from hypothesis import given

from pytest_tau import Task
from pytest_tau.errors import DomainError
from pytest_tau.schema.calls import EnvFunctionCall
from pytest_tau.schema.checks import Called, NotCalled
from pytest_tau.schema.scenario import Instructions
from pytest_tau.schema.task import EvaluationCriteria
from tau_workshop.compose import Atom, ComposeOptions, Family, Reference, look_up
from tau_workshop.compose.building import Built, build, fill_references, inside
from tau_workshop.compose.personas import LEAVING
from tau_workshop.compose.plans import Plan, Planner
from tests import strategies
from tests.builders import mock

from .families import ADD, DELETE, SEE, TICK, WHO, family

CHANGES = {"update_task_status", "create_task"}
NAMED = replace(TICK, refers={"task": Reference("task_1", "my first task")})
ONCE: dict[str, Any] = {"writes": (2, 2), "mind": "kept", "refusals": "none", "told": "once"}
IN_TURN: dict[str, Any] = {**ONCE, "told": "in_turn"}


def plans(*atoms: Atom, n: int = 20, **options: Any) -> list[Plan]:
    return list(islice(Planner(family(*atoms), mock(), 3, ComposeOptions(**options)).plans(), n))


def built(*atoms: Atom, of: Family | None = None, **options: Any) -> Built:
    (plan,) = plans(*atoms, n=1, **options)
    return build(plan, of or family(*atoms), "mock", CHANGES)


def told(task: Task) -> Instructions:
    found = task.user_scenario.instructions
    assert isinstance(found, Instructions)
    return found


def graded(task: Task) -> EvaluationCriteria:
    assert task.evaluation_criteria is not None
    return task.evaluation_criteria


def said(plan: Plan, *atoms: Atom) -> Instructions:
    return told(build(plan, family(*atoms), "mock", CHANGES).task)


def test_all_at_once_or_one_after_the_other() -> None:
    (once,) = plans(TICK, ADD, n=1, writes=(2, 2), told="once", mind="kept", refusals="none")
    (turns,) = plans(TICK, ADD, n=1, writes=(2, 2), told="in_turn", mind="kept", refusals="none")
    assert said(once, TICK, ADD).later is None
    assert "Buy stamps" in said(once, TICK, ADD).reason_for_call
    later = said(turns, TICK, ADD).later
    assert later is not None
    assert [(moment.when, "Buy stamps" in moment.say, moment.before) for moment in later] == [
        ("done", True, "get_users_2")
    ]


@pytest.mark.parametrize(("mind", "looked"), [("revised", 1), ("kept", 0)])
def test_what_only_the_earlier_wish_needs_is_looked_up_where_there_is_one(mind: Any, looked: int) -> None:
    assert ADD.revision is not None
    atom = replace(ADD, revision=replace(ADD.revision, looks=(look_up("get_tasks", user_id="user_1"),)))
    task = built(atom, writes=(1, 1), refusals="none", mind=mind).task
    assert [step.name for step in task.gold_actions].count("get_tasks") == looked


def test_before_i_go_is_only_said_of_the_last_wish() -> None:
    every = [replace(ADD, intent=f"add_{n}", touches=frozenset({f"{n}:tasks"})) for n in range(4)]
    leaving, last = LEAVING.partition("{")[0], 0
    for plan in plans(*every, n=40, writes=(2, 4), told="in_turn", mind="kept", refusals="none"):
        later = [moment.say for moment in said(plan, *every).later or ()]
        assert not any(say.startswith(leaving) for say in later[:-1])
        last += later[-1].startswith(leaving)
    assert last


@pytest.mark.parametrize(("mind", "atom", "opens", "turns"), [
    ("withdrawn", TICK, "task_1", "task_1"), ("revised", ADD, "Buy paper", "Buy stamps"),
])  # fmt: skip
def test_a_changed_mind_comes_with_the_proposal(mind: Any, atom: Atom, opens: str, turns: str) -> None:
    writes = (1, 1) if mind == "revised" else (0, 0)
    (plan,) = plans(atom, n=1, mind=mind, refusals="none", writes=writes)
    told = said(plan, atom)
    assert opens in told.reason_for_call
    assert told.later is not None
    (moment,) = told.later
    assert (moment.when, turns in moment.say) == ("proposed", True)
    criteria = build(plan, family(atom), "mock", {"update_task_status", "create_task"}).task.evaluation_criteria
    assert criteria is not None
    assert moment.proposal is not None
    assert any(isinstance(c, NotCalled) and c.name == moment.proposal.name for c in criteria.trajectory or [])


def test_the_checks_of_the_domain_count() -> None:
    (plan,) = plans(TICK, n=1, mind="kept", refusals="none")
    bare = replace(plan, introduction=replace(plan.introduction, checks=()))
    for checked in (False, True):
        task = build(bare, family(TICK, checks=()), "mock", CHANGES, checked=checked).task
        assert task.evaluation_criteria is not None
        assert ("TRAJECTORY" in task.evaluation_criteria.reward_basis) is checked


class TestTheGoldPath:
    def test_what_was_seen_is_not_looked_up_again_before_something_changed(self) -> None:
        at_once, in_turn = built(TICK, ADD, **ONCE), built(TICK, ADD, **IN_TURN)
        names = [[step.name for step in one.task.gold_actions] for one in (at_once, in_turn)]
        assert names[0] == ["get_users", "update_task_status", "create_task"]
        assert names[1] == ["get_users", "update_task_status", "get_users", "create_task"]
        assert (at_once.begins, in_turn.begins) == ((1, 2), (1, 3))

    def test_each_step_has_an_id_of_its_own(self) -> None:
        ids = [step.action_id for step in built(TICK, ADD, **IN_TURN).task.gold_actions]
        assert ids == ["get_users_0", "update_task_status_1", "get_users_2", "create_task_3"]

    def test_what_was_withdrawn_is_looked_up_and_not_done(self) -> None:
        one = built(TICK, mind="withdrawn", refusals="none", writes=(0, 0))
        assert [step.name for step in one.task.gold_actions] == ["get_users"]
        forbidden = [c for c in graded(one.task).trajectory or [] if isinstance(c, NotCalled)]
        assert NotCalled(check="not_called", name="update_task_status", arguments={"task_id": "task_1"}) in forbidden

    def test_records_without_ids_are_searched_for_first(self) -> None:
        (plan,) = plans(NAMED, n=1, refusals="none", mind="kept", ids="hidden")
        search = look_up("get_users", page=2)
        found = build(replace(plan, customer=replace(plan.customer, search=(search,))), family(NAMED), "mock", CHANGES)
        assert [str(step) for step in found.task.gold_actions][:2] == [str(SEE), str(search)]


class TestWhatIsGraded:
    def test_the_basis_names_what_there_is(self) -> None:
        assert graded(built(ADD, mind="kept").task).reward_basis == ["DB", "TRAJECTORY"]
        facts = replace(ADD, facts=("42",))
        assert graded(built(facts, mind="kept").task).reward_basis == ["DB", "COMMUNICATE", "TRAJECTORY"]
        bare = graded(built(ADD, mind="kept", of=family(ADD, checks=(), state=False)).task)
        assert (bare.reward_basis, bare.trajectory) == ([], None)

    def test_what_the_family_forbids_and_the_gold_path_does_is_not_forbidden(self) -> None:
        hand_over = look_up("transfer_to_human_agents", summary="-")
        person = replace(DELETE, steps=(hand_over,), checks=(), tags=("transfer",), last=True)
        plan = next(plan for plan in plans(TICK, person, n=60) if len(plan.wishes) == 2)
        together = build(plan, family(TICK, person), "mock", CHANGES).task

        def forbidden(task: Task) -> list[str]:
            return [check.name for check in graded(task).trajectory or [] if isinstance(check, NotCalled)]

        assert "transfer_to_human_agents" not in forbidden(together)
        assert "transfer_to_human_agents" in forbidden(built(ADD, mind="kept").task)

    def test_a_check_that_two_wishes_make_is_made_once(self) -> None:
        seen = (Called(check="called", name="get_users"),)
        checks = graded(built(replace(TICK, checks=seen), replace(ADD, checks=seen), **ONCE).task).trajectory or []
        assert [check for check in checks if check.check == "called"] == [*seen]


class TestWhatTheTaskSaysOfItself:
    def test_its_name_tags_and_purpose(self) -> None:
        task = built(TICK, ADD, **ONCE).task
        assert task.id == "user_1.tick+add"
        assert {"composed", "tick", "add", "writes_2", "ids_said", "at_once"} <= set(task.tags)
        assert task.description is not None
        assert task.description.purpose == "The status of task_1; the new task."

    def test_a_changed_mind_is_told(self) -> None:
        task = built(TICK, mind="withdrawn", refusals="none", writes=(0, 0)).task
        assert "withdrawn" in task.tags
        assert task.description is not None
        assert str(task.description.purpose).endswith("(withdrawn after the proposal).")

    def test_what_is_taken_back_does_not_count_as_tried(self) -> None:
        cheapest = replace(TICK, tags=("superlative",))
        assert "superlative" in built(cheapest, mind="kept", refusals="none", writes=(1, 1)).task.tags
        assert "superlative" not in built(cheapest, mind="withdrawn", refusals="none", writes=(0, 0)).task.tags

    def test_what_prepares_the_world_and_what_must_be_read(self) -> None:
        start = EnvFunctionCall(env_type="assistant", func_name="create_task", arguments={"user_id": "user_1"})
        task = built(replace(ADD, initialise=(start,), documents=("a", "b", "a")), mind="kept").task
        assert task.initial_state is not None
        assert task.initial_state.initialization_actions == [start]
        assert task.required_documents == ["a", "b"]


class TestWords:
    def test_without_ids_the_customer_says_none_and_says_that_they_know_none(self) -> None:
        of = family(NAMED, without_ids=("I have no number.",))
        for part in (None, 0, 1):
            (plan,) = plans(NAMED, n=1, refusals="none", mind="kept", ids="hidden")
            words = told(build(replace(plan, part=part), of, "mock", CHANGES).task)
            assert "task_1" not in words.reason_for_call
            assert "my first task" in words.reason_for_call
            assert "I have no number." in (words.known_info or "")

    def test_in_directions_what_is_mine_is_yours(self) -> None:
        vague = replace(
            TICK, refers={"task": Reference("my task that I made")}, manner=("You want {task} done.",), tags=()
        )
        words = told(built(vague, mind="kept", refusals="none").task)
        assert "You want your task that you made done." in (words.task_instructions or "")
        assert "my task that I made" in words.reason_for_call

    def test_who_they_are_is_said_when_asked(self) -> None:
        assert (told(built(ADD, mind="kept").task).known_info or "") in WHO.says

    @given(strategies.text(min_size=1, max_size=30).filter(lambda text: text.split()))
    def test_only_the_first_letter_of_what_goes_on_changes(self, sentence: str) -> None:
        first, *_ = sentence.split()
        if not first.rstrip(","):
            return
        assert inside(sentence)[1:] == sentence[1:]
        assert inside(sentence)[0] in (sentence[0], sentence[0].lower())


@pytest.mark.parametrize(("sentence", "goes_on"), [
    ("First I'd like a seat.", "first I'd like a seat."),
    ("Please wait.", "please wait."),
    ("I've lost it.", "I've lost it."),
    ("Farah Okonkwo can't travel.", "Farah Okonkwo can't travel."),
    ("The Dutch oven that I ordered is too small.", "the Dutch oven that I ordered is too small."),
    ("Could Farah Okonkwo come along?", "could Farah Okonkwo come along?"),
    ("Reservation WVUXDW has to be earlier.", "reservation WVUXDW has to be earlier."),
])  # fmt: skip
def test_a_sentence_that_goes_on_after_other_words(sentence: str, goes_on: str) -> None:
    assert inside(sentence) == goes_on


@pytest.mark.parametrize("name", ["{book}", "{book.title}", "{item.name}", "{item.title}", "{item[name]}"])
def test_words_that_name_what_the_wish_does_not_refer_to(name: str) -> None:
    atom = Atom("renew", (f"Renew {name}.",), (), frozenset(), refers={"item": Reference("the book")})
    with pytest.raises(DomainError, match=r"^atom 'renew': .* is no reference of it, in the words 'Renew"):
        fill_references(atom.says[0], atom, hidden=False)
