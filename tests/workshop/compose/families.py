"""A family over the to-do list, small enough to break on purpose."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pytest_tau import Domain
from pytest_tau.schema.checks import Confirmed, NotCalled, Reason
from tau_workshop.compose import Atom, Customer, Family, Introduction, Reference, Revision, look_up

SEE = look_up("get_users")
TICK = Atom(
    "tick",
    ("Please set {task} to completed.", "I have done {task}, so it is completed."),
    (SEE, look_up("update_task_status", task_id="task_1", status="completed")),
    frozenset({"task_1"}),
    about="the status of {task}",
    refers={"task": Reference("task_1", None)},
    withdraws=("Wait, leave {task} open.", "No, {task} is not done yet."),
)
ADD = Atom(
    "add",
    ("Please add a task called Buy stamps.", "I need a new task called Buy stamps."),
    (SEE, look_up("create_task", user_id="user_1", title="Buy stamps")),
    frozenset({"user_1:tasks"}),
    about="the new task",
    rank=1,
    revision=Revision(
        ("Please add a task called Buy paper.", "I need a new task called Buy paper."),
        ("Wait, call it Buy stamps.", "No, it should be called Buy stamps."),
        look_up("create_task", user_id="user_1", title="Buy paper"),
    ),
)
DELETE = Atom(
    "delete",
    ("Please delete task_2.", "I want task_2 deleted."),
    (SEE,),
    frozenset({"task_2"}),
    checks=(
        Reason(check="reason", any_of=["tasks are never deleted"]),
        NotCalled(check="not_called", name="update_task_status", arguments={"task_id": "task_2"}),
    ),
    tags=("refusal",),
)
WHO = Introduction(("I am user_1.", "My user id is user_1."), (SEE,))


def family(*atoms: Atom, customers: Sequence[str] = ("user_1",), **changes: Any) -> Family:
    """These wishes of each customer."""

    def people(domain: Domain) -> list[Customer]:
        return [Customer(name, (WHO,), lambda: list(atoms)) for name in customers]

    checks = (Confirmed(check="confirmed"), NotCalled(check="not_called", name="transfer_to_human_agents"))
    return replace(Family(customers=people, checks=checks), **changes)
