"""How xdist hands out tests in a tau run: every worker knows enough of its next tests to play them ahead.

How it works. A worker plays the trials of tests that it has been sent; it cannot play what it does not know. xdist's
load scheduling sends each worker a few tests and, where tests are slow, does not refill a queue that holds two. With
conversations of minutes that would leave all slots but two of each worker empty.

:class:`DeepLoadScheduling` keeps each queue filled to a depth: two tests for each slot, as look-ahead has two jobs for
each, and two more, since a worker runs one and keeps its last test back until it knows what follows. At the start every
worker gets its share, so that the first does not take all of a small suite. Towards the end the rest is shared out
among the workers, so that none sits on a long queue while others idle. A test that was sent is not taken back.

When a worker dies, xdist gives its tests to others. Which of them had been played is not known here but from its spool
(:mod:`.spool`): what is finished there is taken, and what it was playing is run by itself, as one of those trials may
have killed it.
"""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler import LoadScheduling, WorkStealingScheduling  # type: ignore[import-untyped]

from ..private import can_fill_queues, send_tests
from ..run import Run
from .hosts import conversations_at_once


class DeepLoadScheduling(LoadScheduling):  # type: ignore[misc]
    """Load scheduling that keeps so many tests in each worker's queue.

    That of xdist does not refill a queue of two or more slow tests; a worker which sees two tests ahead can play two.
    """

    def __init__(self, config: pytest.Config, log: Any, depth: int) -> None:
        super().__init__(config, log)
        self._depth = depth

    def schedule(self) -> None:
        """Hand out the first tests, as deep as the queues are, but to every worker its share."""
        first, self.maxschedchunk = self.collection is None, self._depth
        super().schedule()
        nodes = self.nodes if first else []
        for place, node in enumerate(nodes):
            self._fill(node, share=-(-len(self.pending) // (len(nodes) - place)))
        self._shut_down_if_all_sent()

    def check_schedule(self, node: Any, duration: float = 0) -> None:
        """Fill up a worker's queue; the last tests are shared out."""
        if node.shutting_down:
            return
        if self.pending:
            self._fill(node, share=max(2, -(-len(self.pending) // len(self.nodes))))
        self._shut_down_if_all_sent()

    def _shut_down_if_all_sent(self) -> None:
        """A worker keeps its last test back until it knows that none follows."""
        if self.collection and not self.pending:
            for node in self.nodes:
                if not node.shutting_down:
                    node.shutdown()

    def _fill(self, node: Any, *, share: int) -> None:
        room = self._depth - len(self.node2pending[node])
        send_tests(self, node, max(0, min(room, share)))


def can_run_again(sched: Any) -> bool:
    """Whether a scheduler takes back a test whose worker died; those that keep tests together do not."""
    return isinstance(sched, (LoadScheduling, WorkStealingScheduling))


def scheduler(run: Run, log: Any) -> DeepLoadScheduling | None:
    """The scheduler of a tau run under ``-n``; None where xdist's own will do."""
    if run.config.getvalue("dist") != "load" or not can_fill_queues(LoadScheduling):
        return None
    concurrency = conversations_at_once(run)
    return DeepLoadScheduling(run.config, log, 2 * concurrency + 2) if concurrency > 1 else None
