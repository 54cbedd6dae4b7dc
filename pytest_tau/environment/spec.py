"""What a domain folder's ``domain.py`` says about itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, get_args

from pydantic import TypeAdapter, ValidationError

from ..errors import DomainError
from ..schema.checks import TrajectoryCheck
from ..schema.problems import unread_keys
from ..schema.task import Task
from .fitting import Fitting
from .toolkit import Toolkit

if TYPE_CHECKING:
    from .documents import KnowledgeBase

DUAL = "dual"
COMPOSED_TAG = "composed"
"""The tag of tasks that the composer made; the tags of their wishes follow it, in order."""


@dataclass(frozen=True)
class Policy(Fitting):
    """A policy made of several files of the domain folder, each put into a section: section name -> file name.

    ``solo``: the sections for an agent that works alone from a ticket, where they differ.
    """

    sections: Mapping[str, str]
    solo: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Pace(Fitting):
    """Virtual seconds, unless a tool says its own (``@tool(seconds=…)``).

    ``reads``, ``writes``, ``other``: a call, by what its tool does. ``agent``, ``customer``: a message with words, and
    ``agent_word``, ``customer_word`` each word of it: to write it, and for the other side to read it.
    """

    reads: float = 2.0
    writes: float = 4.0
    other: float = 1.0
    agent: float = 3.0
    agent_word: float = 0.3
    customer: float = 5.0
    customer_word: float = 0.5


@dataclass(frozen=True)
class TeamRole(Fitting):
    """One of the roles of a team: a desk with tools, a policy and colleagues.

    ``tools``: the names of those of the domain's tools that it may call. ``hands_to``: the roles that it may hand over
    to. ``files``: files of the domain folder that make up its policy, in their order. ``policy``: their text, which is
    put in when the domain is loaded.
    """

    tools: Sequence[str]
    files: Sequence[str]
    hands_to: Sequence[str] = ()
    policy: str = ""


@dataclass(frozen=True)
class DomainSpec(Fitting):
    """The parts of a domain that are code. Policy and data are files next to it, named by convention.

    - ``tools``, ``user_tools``: the toolkits of the agent and of the customer; their ``db`` annotations name the
      databases.
    - ``now``: the domain's fixed clock. ``solo``: whether the agent may work alone from a ticket.
    - ``sync``: called with both toolkits after every successful call, to apply one side's actions to the other.
    - ``seed``: the seed of the ids that :meth:`Toolkit.new_id` returns.
    - ``policies``: the variants of the policy by name; the first is the default. A domain without variants has its
      ``policy.md`` and optionally a ``policy_solo.md``.
    - ``documents``: the knowledge base in the folder ``documents``, if there is one.
    - ``shared_database``: both toolkits work on the agent's database; the customer has none of their own.
    - ``begin``: called with both toolkits and the task before the task is set up.
    - ``public_only``: the folder contains only code; policy, database and documents are those of the public data.
    - ``checks``: the policy as TRAJECTORY checks, written as in a task. They apply to every task that does not switch
      them off (``without``) or replace them by a check of the same kind. On public data they are only reported.
    - ``dual_only``: the customer's tools, the agent's tools with ``@tool(dual=True)``, and ``policy_dual.md`` exist
      only for tasks tagged ``dual``. Public data has none of them.
    - ``safety``: the section on safety, privacy and ethics at the end of the policy: a version of ours, such as "1", or
      a file in the folder. Public data and the policy for solo mode have none.
    - ``pace``: how long calls and replies take in virtual time.
    - ``roles``: how a team of agents may share the work, by name; the first receives the customer. A single agent has
      all tools and the whole policy.
    """

    tools: type[Toolkit]
    user_tools: type[Toolkit] | None = None
    now: datetime | None = None
    solo: bool = False
    sync: Callable[[Any, Any], None] | None = None
    seed: int = 0
    policies: Mapping[str, Policy] = field(default_factory=dict)
    documents: KnowledgeBase | None = None
    shared_database: bool = False
    begin: Callable[[Any, Any, Task], None] | None = None
    public_only: bool = False
    checks: Sequence[Mapping[str, Any]] = ({"check": "claims"}, {"check": "no_needless_writes"})
    safety: str | None = None
    pace: Pace = field(default_factory=Pace)
    dual_only: bool = False
    roles: Mapping[str, TeamRole] = field(default_factory=dict)

    def _named(self) -> dict[str, Any]:
        if self.documents is None:  # few domains have some, and the others need not import them
            return {"KnowledgeBase": object}
        from .documents import KnowledgeBase

        return {"KnowledgeBase": KnowledgeBase}

    def shows_both_sides(self, task: Task | None) -> bool:
        """Whether the customer acts as well in a task, or in the tasks of this domain at all."""
        return not self.dual_only or (task is not None and DUAL in task.tags)

    @cached_property
    def default_checks(self) -> tuple[TrajectoryCheck, ...]:
        """``checks``, read, and that a team keeps to its roles where there are some. Raises DomainError."""
        checks = [*self.checks, *([{"check": "own_role"}] if self.roles else [])]
        try:
            made = _read_checks(checks)
            for position, (check, read) in enumerate(zip(checks, made, strict=True)):
                for place, key, _ in unread_keys(check, read):
                    raise DomainError(f"DomainSpec.checks: {position}: nothing reads the key '{place}{key}'")
            return made
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise DomainError(f"DomainSpec.checks: {where}: {first['msg']}") from None


def _read_checks(checks: list[Mapping[str, Any]]) -> tuple[TrajectoryCheck, ...]:
    """Each by its own kind, which costs least; all together, for the sentence, where one is none."""
    with suppress(ValidationError, LookupError, TypeError):
        return tuple(_kinds()[check["check"]].model_validate(check) for check in checks)
    return tuple(_checks().validate_python(checks))


@cache
def _kinds() -> dict[str, type[Any]]:
    """The checks there are; the validators of the few that a domain makes are built faster than that of all."""
    kinds = get_args(get_args(TrajectoryCheck)[0])
    return {get_args(kind.model_fields["check"].annotation)[0]: kind for kind in kinds}


@cache
def _checks() -> TypeAdapter[list[TrajectoryCheck]]:
    """The validator of checks, built when it is first needed."""
    return TypeAdapter(list[TrajectoryCheck])
