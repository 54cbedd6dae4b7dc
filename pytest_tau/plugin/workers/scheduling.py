"""How xdist hands out tests in a tau run: every worker knows enough of its next tests to play them ahead."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from xdist.scheduler import LoadScheduling, WorkStealingScheduling  # type: ignore[import-untyped]

from ..playing.lookahead import concurrency_of
from ..settings.options import any_given, settings


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
        self._send_tests(node, max(0, min(room, share)))


def outlive(node: Any) -> None:
    """Let nothing be sent to a worker that has died, which would end the whole run before xdist hears of that end.

    xdist then hands the tests of that worker to others, those that could not be sent among them.
    """
    send = node.sendcommand

    def send_if_alive(name: str, **kwargs: object) -> None:
        with suppress(OSError):
            send(name, **kwargs)

    node.sendcommand = send_if_alive


def can_run_again(sched: Any) -> bool:
    """Whether a scheduler takes back a test whose worker died; those that keep tests together do not."""
    return isinstance(sched, (LoadScheduling, WorkStealingScheduling))


def scheduler(config: pytest.Config, log: Any) -> DeepLoadScheduling | None:
    """The scheduler of a tau run under ``-n``; None where xdist's own will do."""
    chosen = settings(config)
    if config.getvalue("dist") != "load" or not (any_given(config) or chosen.domain or chosen.task_dirs):
        return None
    concurrency = concurrency_of(config)
    return DeepLoadScheduling(config, log, 2 * concurrency + 2) if concurrency > 1 else None
