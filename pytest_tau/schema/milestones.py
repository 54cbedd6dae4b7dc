"""Points on the way through a task: milestones and minefields, with the predicates that say when they are reached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field

from .calls import EnvAssertion
from .checks import Names, TrajectoryCheck
from .messages import Frozen, Requestor


class RecordIs(Frozen):
    """A field of a record has this value; without ``path``, the record is there."""

    check: Literal["record"]
    table: str
    """The table."""
    key: str = ""
    """The record; left out for a table that is one object."""
    path: str = ""
    """The field, such as `status` or `items[0].price`."""
    value: Any = None
    """The JSON value that it must have."""
    side: Requestor = "assistant"
    """Whose database it is in: `assistant` (the agent's) or `user` (the customer's)."""


class RecordCount(Frozen):
    """So many records of a table have these values."""

    check: Literal["count"]
    table: str
    """The table."""
    where: dict[str, Any] = Field(default_factory=dict)
    """The JSON values that a record must have, by field; every record counts when left out."""
    at_least: int = Field(default=1, ge=0)
    """The fewest there may be."""
    at_most: int | None = Field(default=None, ge=0)
    """The most there may be; any number when left out."""
    side: Requestor = "assistant"
    """Whose database it is in: `assistant` (the agent's) or `user` (the customer's)."""


class Asserted(EnvAssertion):
    """A method of a toolkit, which must change nothing, returns ``assert_value``."""

    check: Literal["assertion"]


class Said(Frozen):
    """One message holds all these texts, as whole words and numbers."""

    check: Literal["said"]
    texts: Names
    """What must be said."""
    by: Requestor = "assistant"
    """Who must say it: `assistant` (the agent) or `user` (the customer)."""


class Not(Frozen):
    """The opposite of another predicate."""

    check: Literal["not"]
    of: Predicate
    """The predicate."""


class AllOf(Frozen):
    """Several predicates hold at once."""

    check: Literal["all"]
    of: list[Predicate] = Field(min_length=1)
    """The predicates."""


class OneOf(Frozen):
    """One of several predicates holds."""

    check: Literal["any"]
    of: list[Predicate] = Field(min_length=1)
    """The predicates."""


Predicate = Annotated[
    RecordIs | RecordCount | Asserted | Said | Not | AllOf | OneOf | TrajectoryCheck, Discriminator("check")
]


class Point(Frozen):
    """Something that can become true on the way."""

    id: Annotated[str, Field(min_length=1)]
    """A name that is unique among the task's milestones and minefields."""
    name: str | None = None
    """What people read instead of the id."""
    when: Predicate
    """The state of the world, the call or the message that it is about."""


class Minefield(Point):
    """Something that must never become true; where it does, the trial has no progress."""


class Milestone(Point):
    """A point on the way. It is reached where ``when`` becomes true and those it comes ``after`` have been reached."""

    after: list[str] = Field(default_factory=list)
    """The milestones, by id, that must have been reached before."""


def in_order(milestones: Sequence[Milestone]) -> list[Milestone]:
    """The milestones with each behind those it comes after; raises ValueError where there is no such order."""
    found: list[Milestone] = []
    waiting = list(milestones)
    known = {milestone.id for milestone in milestones}
    while waiting:
        done = {milestone.id for milestone in found}
        for milestone in waiting:
            if strange := next((id for id in milestone.after if id not in known), None):
                raise ValueError(f"the milestone '{milestone.id}' comes after '{strange}', which does not exist")
            if done.issuperset(milestone.after):
                break
        else:
            raise ValueError(f"the milestones {', '.join(one.id for one in waiting)} wait for each other")
        found.append(milestone)
        waiting.remove(milestone)
    return found
