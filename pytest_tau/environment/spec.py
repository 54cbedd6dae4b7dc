"""What a domain folder's ``domain.py`` says about itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .toolkit import Toolkit


@dataclass(frozen=True)
class DomainSpec:
    """The parts of a domain that are code; policy and data are files beside it, named by convention.

    ``tools`` and ``user_tools``: the toolkits of the agent and of the customer; their ``db`` annotations name the
    databases.
    ``now``: the domain's clock, which stands still. ``solo``: whether the agent may work alone from a ticket.
    ``sync``: called with both toolkits after every successful call, where one side's actions show on the other.
    ``seed``: of the ids that :meth:`Toolkit.new_id` hands out.
    """

    tools: type[Toolkit]
    user_tools: type[Toolkit] | None = None
    now: datetime | None = None
    solo: bool = False
    sync: Callable[[Any, Any], None] | None = None
    seed: int = 0
