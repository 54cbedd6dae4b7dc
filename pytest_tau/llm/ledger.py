"""The account of a run's model calls: which are in flight, which count for the rates, and what was spent.

It is an SQLite file in a folder of the run. So it survives killed processes, forks and threads, and its transactions
are the only lock there is. A call is a row from the moment it is let through. Rows count for the rate until a window
after they have arrived at the latest, and for the calls in flight while they are open.

The budget is reserved before a call and settled after it. Where nobody has said how long an answer can get, a quarter
more is reserved for it than the longest one of that model took, and beside other calls as much as the largest took.
The first call of a model goes alone, as nothing is known of it. After n answers a call may run beside at most n others,
as long as the budget has room for twice as much of each. So what is in flight together fits, and a budget is exceeded
by no more than what one call takes beyond what could be known of it.
"""

from __future__ import annotations

import math
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ..errors import InfraError, SettingsError, describe
from .limit_settings import LimitSettings

FILE_NAME = "limits.sqlite3"
WINDOW = 60.0
# Tokens that the first answer of a model is taken to have.
FIRST_ANSWER = 1000
# A request arrives after it was let through, and before it is answered: until then it may be on its way, and two that
# were let through a minute apart may arrive closer than that. Bounded, so that slow answers do not make the limit
# smaller than it is; but not for the first ones of a process, which have taken more than six seconds to get out.
ARRIVAL = 5.0
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
CREATE INDEX IF NOT EXISTS calls_open ON calls (open) WHERE open;
CREATE TABLE IF NOT EXISTS spent (
    calls INTEGER NOT NULL, tokens INTEGER NOT NULL, usd REAL NOT NULL, refused INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS largest (
    model TEXT PRIMARY KEY, answer INTEGER NOT NULL, tokens INTEGER NOT NULL, usd REAL NOT NULL,
    answers INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS waiting (port INTEGER PRIMARY KEY, since REAL NOT NULL);
INSERT INTO spent SELECT 0, 0, 0.0, 0 WHERE NOT EXISTS (SELECT 1 FROM spent);
"""


class BudgetReached(InfraError):
    """The run's budget has no room for another call: what is left of it is not run."""

    permanent = True


class LedgerBusy(Exception):
    """Another process is writing; nothing was done, and the same may be tried again at once."""


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


class Wait(NamedTuple):
    """A call may not start yet. ``seconds``: until the rate has room; None if another call must end first."""

    seconds: float | None


class Started(NamedTuple):
    """A call that was counted in. ``took_last``: the next one has to wait until one of those in flight ends."""

    call: int
    took_last: bool


class _InFlight(NamedTuple):
    """What is reserved for the calls in flight; ``alone``: one of them wants no other beside it."""

    number: int
    tokens: int
    usd: float
    alone: bool


class Ledger:
    """The account of one run, as one process looks at it. May be used by several threads.

    Args:
        folder: a folder that all processes of the run share, on a local disk.
        settings: the limits.
        clock: a clock all processes share, in seconds.

    Raises:
        SettingsError: the file cannot be made, or is none of ours.
    """

    def __init__(self, folder: Path, settings: LimitSettings, clock: Callable[[], float]) -> None:
        self.settings = settings
        self._path = folder / FILE_NAME
        self._clock = clock
        self._answered = False
        self._connections = threading.local()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._connection(busy_seconds=30.0).executescript(f"BEGIN EXCLUSIVE;{_SCHEMA}COMMIT;")
        except (OSError, sqlite3.Error) as error:
            reason = getattr(error, "strerror", None) or describe(error)
            raise SettingsError(
                f"{self._path}: calls cannot be counted there: {reason}; see that its folder can be written, "
                "and delete the file if it is damaged"
            ) from None

    def start(self, need: Need, seconds: float, *, port: int | None = None, others: bool = False) -> Started | Wait:
        """Count a call in if it may start.

        Args:
            need: what it will take.
            seconds: when it is certainly over; it counts as lost from then on.
            port: where its process wants to hear that a place may be free; see :meth:`settle`.
            others: whether its process has more calls, and wants to hear of the next place if there is none for them.

        Raises:
            BudgetReached: the call does not fit into what is left of the budget.
            LedgerBusy: another process is writing.
        """
        with self._transaction() as db:
            now = self._clock()
            tokens, usd, alone = self._size(db, need)
            answer = self._decide(db, now, need, tokens, usd, alone, seconds)
            if not isinstance(answer, Started) and self._close_lost(db, now):
                answer = self._decide(db, now, need, tokens, usd, alone, seconds)
            if isinstance(answer, str):
                db.execute("UPDATE spent SET refused = refused + 1")
            waits = others and answer.took_last if isinstance(answer, Started) else isinstance(answer, Wait)
            if waits and port is not None:
                db.execute("INSERT OR IGNORE INTO waiting VALUES (?, ?)", (port, now))
        if isinstance(answer, str):
            raise BudgetReached(answer)
        return answer

    def settle(self, call: int, *, tokens: int | None, usd: float | None, answer: tuple[str, int] | None) -> int | None:
        """Count a call as over; returns the port of the process that has waited longest, which is told to look again.

        What is None counts as it was reserved. ``answer``: the model and how long its answer was, in tokens. Raises
        LedgerBusy.
        """
        self._answered = True
        with self._transaction() as db:
            now = self._clock()
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
            return self._next_waiting(db)

    def next_waiting(self) -> int | None:
        """The port of the process that has waited longest, which is told to look again. Raises LedgerBusy."""
        with self._transaction() as db:
            return self._next_waiting(db)

    def spending(self) -> Spent:
        """What has been used up so far. Waits while another process writes."""
        with self._transaction(busy_seconds=30.0) as db:
            self._close_lost(db, self._clock())
            return self._read_spending(db)

    def refusal(self, spent: Spent, tokens: int, usd: float) -> str | None:
        """Why a call does not fit into the budget, however the calls in flight turn out."""
        for unit, used, wanted, budget in self._budgets(spent, tokens, usd):
            if used >= budget or used + wanted > budget:
                total, so_far, more = (f"{one:g}" if unit == "USD" else f"{one:.0f}" for one in (budget, used, wanted))
                return f"the budget of {total} {unit} is reached: {so_far} used, and a call may take {more}"
        return None

    # The file

    def _connection(self, busy_seconds: float) -> sqlite3.Connection:
        """This thread's connection; a process that was forked has connections of its own."""
        kept: _Connection | None = getattr(self._connections, "kept", None)
        if kept is None or kept.pid != os.getpid():
            kept = sqlite3.connect(self._path, timeout=busy_seconds, isolation_level=None, factory=_Connection)
            kept.pid, kept.busy_seconds = os.getpid(), busy_seconds
            # A crash of the machine ends the run anyway: no need to wait for the disk.
            kept.execute("PRAGMA synchronous = OFF")
            # To make the journal anew and delete it takes six times as long as all else.
            kept.execute("PRAGMA journal_mode = PERSIST")
            self._connections.kept = kept
        if kept.busy_seconds != busy_seconds:
            kept.execute(f"PRAGMA busy_timeout = {int(busy_seconds * 1000)}")
            kept.busy_seconds = busy_seconds
        return kept

    @contextmanager
    def _transaction(self, busy_seconds: float = 0.0) -> Iterator[sqlite3.Connection]:
        try:
            db = self._connection(busy_seconds)
            # Immediate ones can find a reader at their end, and would have to wait for it.
            db.execute("BEGIN EXCLUSIVE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")
        except sqlite3.Error as error:
            if "locked" in str(error):
                raise LedgerBusy from None
            raise InfraError(f"{self._path}: the limits of the run cannot be kept: {error}") from None

    # What may start

    def _decide(
        self, db: sqlite3.Connection, now: float, need: Need, tokens: int, usd: float, alone: bool, seconds: float
    ) -> Started | Wait | str:
        """The call that was let through, how long to wait, or why the budget refuses it."""
        spent = self._read_spending(db)
        if (refusal := self.refusal(spent, tokens, usd)) is not None:
            return refusal
        flight = _InFlight(
            *db.execute(
                "SELECT COUNT(*), COALESCE(SUM(tokens), 0), COALESCE(SUM(usd), 0.0), COALESCE(MAX(alone), 0)"
                " FROM calls WHERE open"
            ).fetchone()
        )
        most = self._at_most(db, need, tokens, usd)
        alone |= flight.number > self._most_beside(db, need)
        wanted = most if flight.number else (tokens, usd)
        if self._is_full(spent, flight, *wanted, alone=alone):
            return Wait(None)
        if (wait := self._rate_wait(db, now, wanted[0])) > 0.0:
            return Wait(wait)
        call = self._insert(db, now, seconds, *most, alone=alone)
        return Started(call, took_last=flight.number + 1 == self.settings.max_inflight)

    def _size(self, db: sqlite3.Connection, need: Need) -> tuple[int, float, bool]:
        """Tokens and USD to reserve, and whether the call has to go alone because nobody can know."""
        if need.model is None:
            return need.tokens, need.usd, False
        row = db.execute("SELECT answer FROM largest WHERE model = ?", (need.model,)).fetchone()
        if row is None:
            return *need.with_answer(FIRST_ANSWER), self.settings.has_budget
        return *need.with_answer(max(FIRST_ANSWER, math.ceil(row[0] * _LONGER))), False

    def _at_most(self, db: sqlite3.Connection, need: Need, tokens: int, usd: float) -> tuple[int, float]:
        """What a call may take: as one knows, or as much as any of its model has taken."""
        if need.model is None:
            return tokens, usd
        row = db.execute("SELECT tokens, usd FROM largest WHERE model = ?", (need.model,)).fetchone()
        return (tokens, usd) if row is None else (max(tokens, row[0]), max(usd, row[1]))

    def _most_beside(self, db: sqlite3.Connection, need: Need) -> float:
        """Beside how many others a call of unknown length may go under a budget: as many as answers are known."""
        if need.model is None or not self.settings.has_budget:
            return math.inf
        row = db.execute("SELECT answers FROM largest WHERE model = ?", (need.model,)).fetchone()
        return 0 if row is None else int(row[0])

    def _is_full(self, spent: Spent, flight: _InFlight, tokens: int, usd: float, *, alone: bool) -> bool:
        """Whether a call must wait for one in flight: for its place, or for what it leaves of the budget."""
        if flight.alone or (alone and flight.number > 0):
            return True
        if self.settings.max_inflight is not None and flight.number >= self.settings.max_inflight:
            return True
        # Of calls side by side each may take more than any before; one that goes alone goes beyond the budget alone.
        times = _GROWTH if flight.number else 1
        held = Spent(0, spent.tokens + times * flight.tokens, spent.usd + times * flight.usd)
        return any(
            used + wanted > budget for _, used, wanted, budget in self._budgets(held, times * tokens, times * usd)
        )

    def _rate_wait(self, db: sqlite3.Connection, now: float, tokens: int) -> float:
        """Seconds until enough calls have left the window."""
        rpm, tpm = self.settings.rpm, self.settings.tpm
        if rpm is None and tpm is None:
            return 0.0
        # Those from the future are of before a restart of the machine, and of its clock.
        db.execute("DELETE FROM calls WHERE NOT open AND (at <= ? OR at > ?)", (now - WINDOW, now + WINDOW))
        requests, used = db.execute(
            "SELECT COUNT(*), COALESCE(SUM(tokens), 0) FROM calls WHERE at > ?", (now - WINDOW,)
        ).fetchone()
        wait = 0.0
        leaving = db.execute("SELECT at, tokens FROM calls WHERE at > ? ORDER BY at", (now - WINDOW,))
        while requests and not ((rpm is None or requests < rpm) and (tpm is None or used + tokens <= tpm)):
            at, of_call = leaving.fetchone()
            requests, used = requests - 1, used - of_call
            wait = at + WINDOW - now
        leaving.close()
        return wait

    # Rows

    def _read_spending(self, db: sqlite3.Connection) -> Spent:
        return Spent(*db.execute("SELECT calls, tokens, usd, refused FROM spent").fetchone())

    def _close_lost(self, db: sqlite3.Connection, now: float) -> bool:
        """Give back the places of killed processes; their calls may have been served, and cost what was reserved."""
        found = db.execute("SELECT pid, MIN(until) FROM calls WHERE open GROUP BY pid").fetchall()
        gone = [(pid, is_alive) for pid, until in found if not (is_alive := _is_alive(pid)) or until <= now]
        for pid, is_alive in gone:
            rows = db.execute("SELECT id, until, tokens, usd FROM calls WHERE open AND pid = ?", (pid,)).fetchall()
            for call, until, tokens, usd in rows:
                if not is_alive or until <= now:
                    self._close(db, call, tokens, usd, now)
        return bool(gone)

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
        db.execute("UPDATE spent SET calls = calls + 1, tokens = tokens + ?, usd = usd + ?", (tokens, usd))
        db.execute(
            "UPDATE calls SET open = 0, tokens = ?, usd = ?, at = MIN(at, ?) WHERE id = ?", (tokens, usd, now, call)
        )

    def _next_waiting(self, db: sqlite3.Connection) -> int | None:
        found = db.execute("SELECT port FROM waiting ORDER BY since LIMIT 1").fetchone()
        if found is None:
            return None
        db.execute("DELETE FROM waiting WHERE port = ?", found)
        return int(found[0])

    def _budgets(self, spent: Spent, tokens: int, usd: float) -> list[tuple[str, float, float, float]]:
        budgets: list[tuple[str, float, float, float]] = []
        if self.settings.budget_usd is not None:
            budgets.append(("USD", spent.usd, usd, self.settings.budget_usd))
        if self.settings.budget_tokens is not None:
            budgets.append(("tokens", spent.tokens, tokens, self.settings.budget_tokens))
        return budgets


class _Connection(sqlite3.Connection):
    """Of one process; closes itself: the thread that it belongs to ends without a word."""

    pid: int
    busy_seconds: float

    def __del__(self) -> None:
        with suppress(sqlite3.Error):
            self.close()


def _is_alive(pid: int) -> bool:
    if os.name == "nt":  # signal 0 is a Ctrl-C there; lost calls are closed when their time is over
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
