"""What the grades of a suite are worth, in lines below the table: the trivial floor, or a whole audit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..metrics.shared_tasks import shared_domains, shared_task
from ..metrics.totals import Totals
from ..metrics.wording import percent
from ..printable import count_of

LISTED = 20


def worth_lines(totals: Totals, domain: str) -> Iterator[tuple[bool, str]]:
    """What a domain's grades are worth, as far as its tasks were audited, and whether somebody has asked for that.

    Whichever agent or test has met a task first: its audit, which is found once a process, stands on that one's trial.
    """
    known = ((shared_task(*key), task.audit) for key, task in totals.tasks.items() if task.audit)
    audits = {task_id: audit for (name, task_id), audit in known if name == domain}
    if not audits:
        return
    where = f", {domain}" if len(shared_domains(totals.domains())) > 1 else ""
    trivial, by = sum(bool(audit.get("trivial")) for audit in audits.values()), _by_whom(audits.values())
    if all(audit.get("floor_only") for audit in audits.values()):
        name = f"trivial floor{where}"
        passed = f"{count_of(len(audits), 'tasks')} {'is' if len(audits) == 1 else 'are'} passed"
        what = f"{trivial} of {passed} by an agent that solves nothing"
        yield trivial > 0, f"{name}: {percent(trivial / len(audits))} ({what}{by})."
        return
    made, noticed = (sum(audit.get(name, 0) for audit in audits.values()) for name in ("mutants", "noticed"))
    name = f"audit{where}"
    score = f"mutation score {percent(noticed / made)} ({noticed} of {made})" if made else "no mutants"
    floor = f"trivial floor {percent(trivial / len(audits))} ({trivial} of {count_of(len(audits), 'tasks')}{by})"
    found = [f"{task_id}: {finding}" for task_id, audit in audits.items() for finding in audit.get("findings", ())]
    yield True, f"{name}: {floor}; {score}; {count_of(len(found), 'findings')}."
    shown = [audit["pictures"] for audit in audits.values() if audit.get("pictures") is not None]
    if shown:
        ways = {"send": "seeing", "alt": "told", "drop": "blind"}
        counts = ", ".join(f"{text} {sum(how in passed for passed in shown)}" for how, text in ways.items())
        yield True, f"pictures of {count_of(len(shown), 'tasks')}: the oracle passes {counts}."
    yield from ((True, one) for one in found[:LISTED])
    if len(found) > LISTED:
        yield True, f"… and {len(found) - LISTED} more, which pytest-tau audit lists."


_TRIVIAL = {
    "noop": "says one polite sentence",
    "transfer": "hands over at once",
    "apologise": "apologises",
    "dump": "reads out all that it finds",
    "repeat": "says back what the customer said",
}


def _by_whom(audits: Iterable[Mapping[str, Any]]) -> str:
    """Which trivial agents passed, and how many tasks each."""
    by = Counter(agent for audit in audits for agent in audit.get("trivial", ()))
    most_first = sorted(by.items(), key=lambda one: (-one[1], one[0]))
    told = ", ".join(f"{n} by one that {_TRIVIAL.get(name, name)}" for name, n in most_first)
    return f": {told}" if told else ""
