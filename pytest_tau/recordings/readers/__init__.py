"""The formats of logs, a module each: ``NAME``, ``recognises`` and ``conversations``, as :mod:`..reading` says.

The first that recognises a part reads it, so the particular ones come before the general ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from . import agents_sdk, chat, journal, langfuse, langsmith, plain, responses, spans, tau1, tau2

if TYPE_CHECKING:
    from ..reading import LogReader

READERS: Sequence[LogReader] = tuple(
    cast("LogReader", module)
    for module in (spans, agents_sdk, journal, tau2, tau1, langsmith, langfuse, responses, chat, plain)
)
