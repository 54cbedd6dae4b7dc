"""Limits on model calls that hold over all threads, event loops and processes of one run, and its budget.

How it works. The state is an SQLite file in a folder of the run, opened for each look at it: that survives killed
processes, forks and threads, and its transactions are the only lock there is. A caller asks whether it may go; if not,
it is told how long to wait, sleeps outside of the transaction and asks again. A call is a row from the moment it is let
through; rows count for the rate until a window after they have arrived at the latest, for the calls in flight while
they are open.

The budget is reserved before a call and settled after it. Where nobody has said how long an answer can get, a quarter
more is reserved for it than the longest one of that model took, and beside other calls as much as the largest took; the
first call of a model goes alone, as nothing is known of it, and later ones beside as many others as answers are known,
as long as the budget has room for twice as much of each. So what is in flight together fits, and a budget is exceeded
by no more than what one call takes beyond what could be known of it.
"""

from __future__ import annotations

import asyncio
import math
import os
import random
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from ..clock import monotonic
from ..errors import InfraError, SettingsError

FILE_NAME = "limits.sqlite3"
WINDOW = 60.0
# Tokens that the first answer of a model is taken to have.
FIRST_ANSWER = 1000
# A request arrives after it was let through, and before it is answered: until then it may be on its way, and two that
# were let through a minute apart may arrive closer than that. Bounded, so that slow answers do not make the limit
# smaller than it is; but not for the first ones of a process, which have taken more than six seconds to get out.
ARRIVAL = 5.0
_POLL = 0.05
# Calls that use less than they reserved make room earlier than the window says.
_LOOK_AGAIN = 5.0
_BUSY = 30.0
# How much longer than the longest answer so far the next one may be.
_LONGER = 1.25
# How much longer than what is reserved for them calls that go side by side may turn out.
_GROWTH = 2

_SCHEMA = """
CREATE TABLE IF NOT EXISTS calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT, pid INTEGER NOT NULL, at REAL NOT NULL, until REAL NOT NULL,
    tokens INTEGER NOT NULL, usd REAL NOT NULL, open INTEGER NOT NULL, alone INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS calls_at ON calls (at);
CREATE TABLE IF NOT EXISTS spent (
    calls INTEGER NOT NULL, tokens INTEGER NOT NULL, usd REAL NOT NULL, refused INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS largest (
    model TEXT PRIMARY KEY, answer INTEGER NOT NULL, tokens INTEGER NOT NULL, usd REAL NOT NULL,
    answers INTEGER NOT NULL
);
INSERT INTO spent SELECT 0, 0, 0.0, 0 WHERE NOT EXISTS (SELECT 1 FROM spent);
"""


class BudgetReached(InfraError):
    """The run's budget has no room for another call: what is left of it is not run."""

    permanent = True


@dataclass(frozen=True)
class LimitSettings:
    """What to keep to; None is no limit.

    Attributes:
        rpm: requests in any minute, retries included.
        tpm: tokens in any minute, read and written.
        max_inflight: requests at once.
        budget_usd: USD in all.
        budget_tokens: tokens in all.
    """

    rpm: int | None = None
    tpm: int | None = None
    max_inflight: int | None = None
    budget_usd: float | None = None
    budget_tokens: int | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not value > 0:
                raise SettingsError(f"{name.replace('_', ' ')} is {value}; a limit is more than 0")

    def part(self, hosts: int) -> LimitSettings:
        """What each of so many hosts keeps to, so that together they keep to this; whole numbers are rounded down.

        Raises:
            SettingsError: a host would be left with nothing.
        """
        parts: dict[str, Any] = {}
        for name, value in vars(self).items():
            if value is None:
                continue
            parts[name] = value / hosts if name == "budget_usd" else value // hosts
            if parts[name] == 0:
                raise SettingsError(
                    f"{name.replace('_', ' ')} is {value}, too little to be shared by {hosts} hosts; "
                    f"raise it to at least {hosts}, or use fewer hosts"
                )
        return LimitSettings(**parts)


@dataclass(frozen=True)
class Spent:
    """What the run's calls have used up: settled ones, and lost ones as they were reserved.

    ``refused`` counts the calls that did not fit into the budget.
    """

    calls: int
    tokens: int
    usd: float
    refused: int = 0


@dataclass(frozen=True)
class Need:
    """What a call takes, as well as one knows before it.

    Attributes:
        tokens: how many it reads, and writes where that is limited.
        usd: what those cost.
        model: whose answers say how long this one can get; None where its length is limited.
        usd_a_token: what each token of the answer costs.
    """

    tokens: int = 0
    usd: float = 0.0
    model: str | None = None
    usd_a_token: float = 0.0

    def with_answer(self, tokens: int) -> tuple[int, float]:
        """Tokens and USD with an answer of this length."""
        return self.tokens + tokens, self.usd + tokens * self.usd_a_token


NOTHING = Need()


class _State(NamedTuple):
    """What counts for the next call: settled sums, reserved sums, and the calls of the window, oldest first.

    ``alone``: one of those in flight wants no other beside it.
    """

    spent: Spent
    reserved_tokens: int
    reserved_usd: float
    inflight: int
    alone: bool
    window: list[tuple[float, int]]


class Limits(Protocol):
    """What lets calls of models go: the limits of a run, alone or with what it shares with other runs."""

    @property
    def settings(self) -> LimitSettings:
        """What the run keeps to."""

    async def acquire(self, need: Need = NOTHING, *, seconds: float = 600.0) -> Any:
        """Wait until a call may start; see :meth:`RunLimits.acquire`."""

    def settle(
        self,
        call: Any,
        *,
        tokens: int | None = None,
        usd: float | None = None,
        answer: tuple[str, int] | None = None,
    ) -> None:
        """Count a call as over; see :meth:`RunLimits.settle`."""


class RunLimits:
    """The limits of one run.

    Args:
        folder: a folder that all processes of the run share, on a local disk.
        settings: the limits.
        clock: a clock all processes share; replaced in tests.
        sleep: waits; replaced in tests.
    """

    def __init__(
        self,
        folder: Path,
        settings: LimitSettings,
        *,
        clock: Callable[[], float] = monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.settings = settings
        self._path = folder / FILE_NAME
        self._clock = clock
        self._sleep = sleep
        self._answered = False
        folder.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self._path, timeout=_BUSY)) as db:
            db.executescript(f"BEGIN IMMEDIATE;{_SCHEMA}COMMIT;")

    async def acquire(self, need: Need = NOTHING, *, seconds: float = 600.0) -> int:
        """Wait until a call may start, and count it in.

        Args:
            need: what it will take.
            seconds: when it is certainly over; it counts as lost from then on.

        Returns:
            What :meth:`settle` takes when the call is over, however it ended.

        Raises:
            BudgetReached: the call does not fit into what is left of the budget.
        """
        while True:
            with self._transaction() as db:
                now = self._clock()
                state = self._look(db, now)
                tokens, usd, alone = self._sized(db, need)
                refusal = self._refusal(state.spent, tokens, usd)
                if refusal is not None:
                    db.execute("UPDATE spent SET refused = refused + 1")
                most = self._at_most(db, need, tokens, usd)
                alone |= state.inflight > self._most_beside(db, need)
                wait = self._wait(state, now, *(most if state.inflight else (tokens, usd)), alone=alone)
                if refusal is None and wait == 0.0:
                    return self._insert(db, now, seconds, *most, alone=alone)
            if refusal is not None:
                raise BudgetReached(refusal)
            # Spread: those who wait for the same slot must not all look at once.
            await self._sleep(min(wait, _LOOK_AGAIN) + random.uniform(0.0, _POLL))

    def settle(
        self, call: int, *, tokens: int | None = None, usd: float | None = None, answer: tuple[str, int] | None = None
    ) -> None:
        """Count a call as over, with what it used; what is None counts as it was reserved.

        ``answer``: the model and how long its answer was, in tokens.
        """
        self._answered, now = True, self._clock()
        with self._transaction() as db:
            row = db.execute("SELECT tokens, usd FROM calls WHERE id = ? AND open", (call,)).fetchone()
            if row is not None:  # else it took longer than it said, and counts as lost
                self._close(db, call, row[0] if tokens is None else tokens, row[1] if usd is None else usd, now)
            if answer is not None:
                db.execute(
                    "INSERT INTO largest VALUES (?, ?, ?, ?, 1) ON CONFLICT (model) DO UPDATE SET"
                    " answers = answers + 1, answer = MAX(answer, excluded.answer),"
                    " tokens = MAX(tokens, excluded.tokens), usd = MAX(usd, excluded.usd)",
                    (*answer, tokens or 0, usd or 0.0),
                )

    def _sized(self, db: sqlite3.Connection, need: Need) -> tuple[int, float, bool]:
        """Tokens and USD to reserve, and whether the call has to go alone because nobody can know."""
        if need.model is None:
            return need.tokens, need.usd, False
        row = db.execute("SELECT answer FROM largest WHERE model = ?", (need.model,)).fetchone()
        budgeted = self.settings.budget_usd is not None or self.settings.budget_tokens is not None
        if row is None:
            return *need.with_answer(FIRST_ANSWER), budgeted
        return *need.with_answer(max(FIRST_ANSWER, math.ceil(row[0] * _LONGER))), False

    def _at_most(self, db: sqlite3.Connection, need: Need, tokens: int, usd: float) -> tuple[int, float]:
        """What a call may take: as one knows, or as much as any of its model has taken."""
        row = db.execute("SELECT tokens, usd FROM largest WHERE model = ?", (need.model,)).fetchone()
        return (tokens, usd) if row is None else (max(tokens, row[0]), max(usd, row[1]))

    def _most_beside(self, db: sqlite3.Connection, need: Need) -> float:
        """Beside how many others a call of unknown length may go under a budget: as many as answers are known."""
        budgeted = self.settings.budget_usd is not None or self.settings.budget_tokens is not None
        if need.model is None or not budgeted:
            return math.inf
        row = db.execute("SELECT answers FROM largest WHERE model = ?", (need.model,)).fetchone()
        return 0 if row is None else int(row[0])

    def spent(self) -> Spent:
        """What has been used up so far."""
        with self._transaction() as db:
            return self._look(db, self._clock()).spent

    @property
    def exhausted(self) -> bool:
        """Whether the budget is used up or has turned a call away, so that no new trial should start."""
        spent = self.spent()
        return spent.refused > 0 or self._refusal(spent, 0, 0.0) is not None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=_BUSY, isolation_level=None)) as db:
            # A crash of the machine ends the run anyway: no need to wait for the disk.
            db.execute("PRAGMA synchronous = OFF")
            db.execute("BEGIN IMMEDIATE")
            yield db
            db.execute("COMMIT")

    def _look(self, db: sqlite3.Connection, now: float) -> _State:
        self._close_lost(db, now)
        # Those from the future are of before a restart of the machine, and of its clock.
        db.execute("DELETE FROM calls WHERE NOT open AND (at <= ? OR at > ?)", (now - WINDOW, now + WINDOW))
        window = db.execute("SELECT at, tokens FROM calls WHERE at > ? ORDER BY at", (now - WINDOW,)).fetchall()
        reserved = db.execute(
            "SELECT COUNT(*), COALESCE(SUM(tokens), 0), COALESCE(SUM(usd), 0.0), COALESCE(MAX(alone), 0)"
            " FROM calls WHERE open"
        ).fetchone()
        spent = Spent(*db.execute("SELECT calls, tokens, usd, refused FROM spent").fetchone())
        return _State(spent, reserved[1], reserved[2], reserved[0], bool(reserved[3]), window)

    def _close_lost(self, db: sqlite3.Connection, now: float) -> None:
        """Give back the slots of killed processes. Their calls may have been served, so they cost what was reserved."""
        rows = db.execute("SELECT id, pid, until, tokens, usd FROM calls WHERE open").fetchall()
        dead = {pid for pid in {row[1] for row in rows} if not _alive(pid)}
        for call, pid, until, tokens, usd in rows:
            if until <= now or pid in dead:
                self._close(db, call, tokens, usd, now)

    def _insert(
        self, db: sqlite3.Connection, now: float, seconds: float, tokens: int, usd: float, *, alone: bool
    ) -> int:
        arrival = ARRIVAL if self._answered else seconds
        row = (os.getpid(), now + arrival, now + seconds, tokens, usd, alone)
        cursor = db.execute(
            "INSERT INTO calls (pid, at, until, tokens, usd, open, alone) VALUES (?, ?, ?, ?, ?, 1, ?)", row
        )
        return cursor.lastrowid or 0

    def _close(self, db: sqlite3.Connection, call: int, tokens: int, usd: float, now: float) -> None:
        db.execute(
            "UPDATE calls SET open = 0, tokens = ?, usd = ?, at = MIN(at, ?) WHERE id = ?", (tokens, usd, now, call)
        )
        db.execute("UPDATE spent SET calls = calls + 1, tokens = tokens + ?, usd = usd + ?", (tokens, usd))

    def _refusal(self, spent: Spent, tokens: int, usd: float) -> str | None:
        """Why a call does not fit into the budget, however the calls in flight turn out."""
        for unit, used, wanted, budget in self._budgets(spent, tokens, usd):
            if used >= budget or used + wanted > budget:
                return f"the budget of {budget:g} {unit} is reached: {used:g} used, and a call may take {wanted:g}"
        return None

    def _budgets(self, spent: Spent, tokens: int, usd: float) -> list[tuple[str, float, float, float]]:
        usd_budget, token_budget = self.settings.budget_usd, self.settings.budget_tokens
        budgets: list[tuple[str, float, float, float]] = []
        if usd_budget is not None:
            budgets.append(("USD", spent.usd, usd, usd_budget))
        if token_budget is not None:
            budgets.append(("tokens", spent.tokens, tokens, token_budget))
        return budgets

    def _wait(self, state: _State, now: float, tokens: int, usd: float, *, alone: bool) -> float:
        """Seconds until another look is worth it; 0.0 when the call may start."""
        # Of calls side by side each may take more than any before; one that goes alone goes beyond the budget alone.
        times = _GROWTH if state.inflight else 1
        spent = state.spent
        held = Spent(0, spent.tokens + times * state.reserved_tokens, spent.usd + times * state.reserved_usd)
        # Calls in flight usually cost less than was reserved for them: wait for what they leave.
        full = any(
            used + wanted > budget for _, used, wanted, budget in self._budgets(held, times * tokens, times * usd)
        )
        full |= state.alone or (alone and state.inflight > 0)
        busy = self.settings.max_inflight is not None and state.inflight >= self.settings.max_inflight
        return max(_POLL if full or busy else 0.0, self._rate_wait(state.window, now, tokens))

    def _rate_wait(self, window: list[tuple[float, int]], now: float, tokens: int) -> float:
        """Seconds until enough calls have left the window."""
        requests, used = len(window), sum(row[1] for row in window)
        rpm, tpm = self.settings.rpm, self.settings.tpm
        wait = 0.0
        for at, of_call in window:
            if (rpm is None or requests < rpm) and (tpm is None or used + tokens <= tpm):
                break
            requests, used = requests - 1, used - of_call
            wait = at + WINDOW - now
        return wait


def _alive(pid: int) -> bool:
    if os.name == "nt":  # signal 0 is a Ctrl-C there; lost calls are closed when their time is over
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
