"""What a domain folder's ``domain.py`` says about itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..errors import DomainError
from ..schema.checks import TrajectoryCheck
from ..schema.task import Task
from .documents import KnowledgeBase
from .pace import Pace
from .toolkit import Toolkit

DUAL = "dual"
_CHECKS = TypeAdapter(list[TrajectoryCheck])


@dataclass(frozen=True)
class Policy:
    """A policy made of several files of the domain folder, each put into a section: section name -> file name.

    ``solo``: the sections for an agent that works alone from a ticket, where they differ.
    """

    sections: Mapping[str, str]
    solo: Mapping[str, str] | None = None


@dataclass(frozen=True)
class DomainSpec:
    """The parts of a domain that are code; policy and data are files beside it, named by convention.

    ``tools`` and ``user_tools``: the toolkits of the agent and of the customer; their ``db`` annotations name the
    databases.
    ``now``: the domain's clock, which stands still. ``solo``: whether the agent may work alone from a ticket.
    ``sync``: called with both toolkits after every successful call, where one side's actions show on the other.
    ``seed``: of the ids that :meth:`Toolkit.new_id` hands out.
    ``policies``: the variants of the policy by name, the first of them the default; a domain without any has its
    ``policy.md`` and perhaps a ``policy_solo.md``.
    ``documents``: the knowledge base in the folder ``documents``, for a domain that has one.
    ``shared_database``: both toolkits work on the agent's database; the customer's side has none of its own.
    ``begin``: called with both toolkits and the task before anything of the task is set up.
    ``public_only``: the folder has code alone; policy, database and documents are those of the public data.
    ``checks``: the policy as TRAJECTORY checks, as a task writes them; they hold for every task that does not switch
    them off (``without``) or say otherwise with a check of the same kind. On public data they are reported only.
    ``dual_only``: the customer's tools, those of the agent that are ``@tool(dual=True)``, and what ``policy_dual.md``
    says are there for tasks tagged ``dual`` alone; public data has none of it.
    ``safety``: the section on safety, privacy and ethics that ends the policy: the version of ours, such as "1", or a
    file of the folder that stands in its place. Public data has none, nor has the policy for solo mode.
    ``pace``: how long calls and replies take in virtual time.
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

    def shows_both_sides(self, task: Task | None) -> bool:
        """Whether the customer acts as well in a task, or in the tasks of this domain at all."""
        return not self.dual_only or (task is not None and DUAL in task.tags)

    @cached_property
    def default_checks(self) -> tuple[TrajectoryCheck, ...]:
        """``checks``, read. Raises DomainError."""
        try:
            return tuple(_CHECKS.validate_python(list(self.checks)))
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise DomainError(f"DomainSpec.checks: {where}: {first['msg']}") from None
