"""Wishes in which the customer acts as well: what is added to them, and that both sides are needed."""

from functools import cache

import pytest

from pytest_tau import Domain, Task, generate, grade, load_domain, load_tasks, simulate
from pytest_tau.agents.oracle import Oracle
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.schema.checks import Order
from tau_workshop.compose import Atom, ComposeOptions, look_up, number_in_mail, with_both_sides
from tau_workshop.compose.atoms import Reference

CANCEL = look_up("cancel", order_id="#1")
WISH = Atom(
    "cancel",
    ("Cancel {order}.", "Please cancel {order}.", "{Order} has to go.", "No more {order}."),
    (look_up("see", order_id="#1"), CANCEL),
    frozenset({"#1:all"}),
    refers={"order": Reference("order #1"), "Order": Reference("Order #1")},
    withdraws=("Keep {order}.",),
    charges=("card_1", 12.5),
)


def test_an_ordinary_wish_becomes_two() -> None:
    code, request = with_both_sides([WISH], "ada_1", ["cancel"])
    assert [step.name for step in code.steps] == [
        "see", "send_code", "check_inbox", "open_mail", "check_code", "cancel",
    ]  # fmt: skip
    assert code.rank < WISH.rank
    assert [step.name for step in request.steps][1:4] == ["request_payment", "check_payment_app", "approve_payment"]
    for atom in (code, request):
        assert {"dual", "cancel"} <= set(atom.tags)
        assert "ada_1:home" in atom.touches
        assert not atom.withdraws
        assert isinstance(atom.checks[-1], Order)


def test_what_is_not_one_granted_change_stays_what_it_is() -> None:
    asking = Atom("ask", WISH.says, (look_up("see", order_id="#1"),), frozenset())
    twice = Atom("two", WISH.says, (CANCEL, CANCEL), frozenset())
    assert list(with_both_sides([asking, twice], "ada_1", ["cancel"])) == []


def test_a_number_stands_in_a_mail_alone() -> None:
    atom = number_in_mail(WISH, "ada_1", "the order of the mail", "Thanks", "It is #1.")
    assert [step.name for step in atom.steps] == ["check_inbox", "open_mail", "see", "cancel"]
    assert {name: ref.text(hidden=False) for name, ref in (atom.refers or {}).items()} == {
        "order": "the order of the mail",
        "Order": "The order of the mail",
    }
    assert [call.func_name for call in atom.initialise] == ["belongs_to", "receive"]


def test_who_does_not_know_a_number_has_no_other_wish_that_says_it() -> None:
    whole = frozenset({"#1:all", "#1:address"})
    atom = number_in_mail(WISH, "ada_1", "the order of my mail", "Thanks", "It is #1.", whole)
    assert whole <= atom.touches
    assert "You do not know the number of the order of my mail." in atom.manner[-1]


@cache
def of_both(name: str) -> tuple[Domain, list[Task]]:
    tasks = load_tasks(builtin_folder("tasks", name), split="base")
    return load_domain(builtin_folder("domains", name)), [task for task in tasks if "dual" in task.tags]


@pytest.mark.parametrize("name", ["retail", "airline"])
def test_the_frozen_ones_need_both_sides(name: str) -> None:
    domain, tasks = of_both(name)
    assert len(tasks) >= 12
    kinds = {"protected_account", "payment_by_request", "number_in_mail"}
    kinds |= {"checked_in", "then_check_in"} if name == "airline" else set()
    assert kinds <= {tag for task in tasks for tag in task.tags}
    # With both sides the oracle passes each, as it does wherever the suite is played.
    for task in tasks[::4]:
        theirs = [step for step in task.gold_actions if step.requestor == "user"]
        criteria = task.evaluation_criteria
        assert theirs
        assert criteria is not None
        alone = [step for step in task.gold_actions if step.requestor != "user"]
        idle = task.model_copy(update={"evaluation_criteria": criteria.model_copy(update={"actions": alone})})
        played = simulate(idle, domain, lambda context, idle=idle: Oracle(idle, context))  # type: ignore[misc]
        assert not grade(task, played, domain).passed


@pytest.mark.slow
@pytest.mark.parametrize("name", ["retail", "airline"])
def test_more_of_them_prove(name: str) -> None:
    # Of few writes: a search for somebody who could want six of them goes through all customers.
    for task in generate(builtin_folder("domains", name), 3, 9, ComposeOptions(demands=("dual",), writes=(1, 2))):
        assert "dual" in task.tags
