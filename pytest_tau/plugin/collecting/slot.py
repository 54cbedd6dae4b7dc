"""One trial of one task, as it waits in a test to be played; and the trials by the parameters that stand for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..run import Run

if TYPE_CHECKING:
    from ...conversation.view import AgentView
    from ...environment.domain import Domain
    from ...recordings.rescored import Recording
    from ...schema.task import Task
    from .variants import PlayedVariant


class Slot(NamedTuple):
    """One trial of one task, waiting to be run; ``agent`` is the label of who plays it, where several do.

    ``variant``: how it is played where that is not as it is; then ``task`` is the task as it is told, and ``view`` how
    the agent sees its world, where that is otherwise than it is. ``suite``: what the marker of its test names, where
    that is not the domain. ``file_in_row``: whether a test of the same name in another file plays the same. There are
    thousands of them, and named tuples are made fast.
    """

    task: Task
    domain: Domain
    trial: int
    recording: Recording | None = None
    agent: str = ""
    variant: PlayedVariant | None = None
    view: AgentView | None = None
    ready: bool = True
    suite: str | None = None
    file_in_row: bool = False


def slots_by_parameter(run: Run) -> dict[str, Slot]:
    """The trials by the parameters that stand for them."""
    return {}
