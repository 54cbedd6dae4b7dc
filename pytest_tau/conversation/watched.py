"""A trial as whoever watches over it sees it, from any thread: how it stands, how long it takes, and how to end it.

What is at work for a trial, a player or a tool, may not come back. Then its watcher interrupts or abandons it.
"""

from __future__ import annotations

import threading

from ..clock import Clock
from ..schema.simulation import Termination
from .asking import AtWork, Interrupted
from .seats import Seats
from .turns import Conversation, Speak

# Seconds for close() of an agent, after which whoever watches loses patience.
TO_CLOSE = 5.0


class WatchedTrial:
    """What a watcher needs of a trial.

    Attributes:
        conversation: what has been said, and whose turn it is.
        clock: its time.
        abandoned: whether nobody waits for it any more.
    """

    def __init__(self, conversation: Conversation, clock: Clock, seats: Seats) -> None:
        self.conversation = conversation
        self.clock = clock
        self.abandoned = False
        self._seats = seats
        self._work = AtWork()
        self._note: str | None = None
        self._cancelled = False
        self._closing: Clock | None = None

    def end(self, reason: Termination, note: str | None = None) -> None:
        """End the conversation where it is, unless it has ended already."""
        if not self.conversation.over:
            self._note = note
            self.conversation.end(reason)

    def cancel(self) -> None:
        """Let the trial end without a result, with TrialCancelled, before the next turn; from any thread."""
        self._cancelled = True

    @property
    def is_busy(self) -> bool:
        """Whether a player or a tool is at work, and may be interrupted."""
        return bool(self._work) or self._closing is not None

    @property
    def turns(self) -> int | None:
        """How many messages there are so far, while it is being played; None once it is over."""
        return None if self.conversation.over or self._seats.closed else len(self.conversation.messages)

    @property
    def overdue(self) -> float:
        """Seconds beyond the limit of the trial, or of closing its agent; 0.0 while there is time, or all is over."""
        if self._closing is not None:
            return self._closing.overdue
        return 0.0 if self.conversation.over else self.clock.overdue

    @property
    def is_closing(self) -> bool:
        """Whether the conversation is over, and the agent is being let go."""
        return self._closing is not None and self.conversation.over

    def abandon(self) -> None:
        """End the trial for its time limit though a player or a tool is still at work; from any thread.

        What comes of that then is heard by nobody: whoever plays the trial gets TrialCancelled.
        """
        turn = self.conversation.turn
        role = turn.role if isinstance(turn, Speak) else "agent"
        self._cancelled = self.abandoned = True
        self._end(Termination.TIMEOUT, self._work.still(role, f"{self.overdue:.0f} s after the time limit"))
        letting_go = threading.Thread(target=self._seats.close, args=(0.0,), name="tau-close", daemon=True)
        letting_go.start()  # in a thread of its own, as this one is not to wait for the agent again
        letting_go.join(TO_CLOSE)

    def leave_closing(self) -> None:
        """Go on without an agent that does not come back from its close(); from any thread."""
        self.abandoned = True
        self._seats.warn_of_close("had not returned after its time")

    def close(self) -> None:
        """Let go of what the trial and its agent hold open; nothing happens when that has been done.

        Who watches over the trial may interrupt an agent that takes longer than ``TO_CLOSE`` seconds for it.
        """
        left = self.clock.seconds_left
        self._closing = Clock(TO_CLOSE)
        try:
            self._seats.close(TO_CLOSE if left is None else min(left, TO_CLOSE))
        except Interrupted:  # between two lines of ours
            self._seats.warn_of_close("had not returned after its time")
        finally:
            self._closing = None

    def _end(self, reason: Termination, note: str) -> None:
        self._note = note
        self.conversation.end(reason)
