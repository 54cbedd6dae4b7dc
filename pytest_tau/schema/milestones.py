"""Points on the way through a task: milestones and minefields, with the predicates that say when they are reached."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, model_validator

from .calls import EnvAssertion
from .checks import Names, TrajectoryCheck
from .messages import Requestor
from .values import Frozen


class RecordIs(Frozen):
    """A field of a record has this value; without ``path``, the record exists."""

    check: Literal["record"]
    table: str
    """The table."""
    key: str = ""
    """The key of the record; omit it for a table that is a single object."""
    path: str = ""
    """The field, such as `status` or `items[0].price`."""
    value: Any = None
    """The JSON value of the field."""
    side: Requestor = "assistant"
    """Whose database it is in: `assistant` (the agent's) or `user` (the customer's)."""


class RecordCount(Frozen):
    """The number of records in a table with these values is within bounds."""

    check: Literal["count"]
    table: str
    """The table."""
    where: dict[str, Any] = Field(default_factory=dict)
    """The JSON values that a record must have, by field; by default every record counts."""
    at_least: int = Field(default=1, ge=0)
    """The lower bound."""
    at_most: int | None = Field(default=None, ge=0)
    """The upper bound; by default none."""
    side: Requestor = "assistant"
    """Whose database it is in: `assistant` (the agent's) or `user` (the customer's)."""

    @model_validator(mode="after")
    def _some_number_is_within(self) -> Self:
        if self.at_most is not None and self.at_most < self.at_least:
            raise ValueError(f"no number is at least {self.at_least} and at most {self.at_most}")
        return self


class Asserted(EnvAssertion):
    """A method of a toolkit returns ``assert_value``. The method must not change anything."""

    check: Literal["assertion"]


class Said(Frozen):
    """One message contains all these texts, as whole words and numbers."""

    check: Literal["said"]
    texts: Names
    """What must be said."""
    by: Requestor = "assistant"
    """Who must say it: `assistant` (the agent) or `user` (the customer)."""


class Not(Frozen):
    """The opposite of another predicate."""

    check: Literal["not"]
    of: "Predicate"
    """The predicate."""


class AllOf(Frozen):
    """All of several predicates hold."""

    check: Literal["all"]
    of: list["Predicate"] = Field(min_length=1)
    """The predicates."""


class OneOf(Frozen):
    """At least one of several predicates holds."""

    check: Literal["any"]
    of: list["Predicate"] = Field(min_length=1)
    """The predicates."""


Predicate = Annotated[
    RecordIs | RecordCount | Asserted | Said | Not | AllOf | OneOf | TrajectoryCheck, Discriminator("check")
]


class Point(Frozen):
    """Something that can become true on the way."""

    id: Annotated[str, Field(min_length=1)]
    """A name that is unique among the task's milestones and minefields."""
    name: str | None = None
    """A readable name, shown instead of the id."""
    when: Predicate
    """The predicate: a state of the world, a call or a message."""


class Minefield(Point):
    """Something that must never become true. If it does, the trial's progress is 0."""


class Milestone(Point):
    """A point on the way, reached when ``when`` becomes true and all milestones in ``after`` have been reached."""

    after: list[str] = Field(default_factory=list)
    """The ids of the milestones that must be reached first."""


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
