"""A run as one table with a line a trial: CSV, or Parquet with pyarrow."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..files import replacing, write_whole
from ..metrics.trial_facts import TrialFacts
from ..printable import printable

if TYPE_CHECKING:
    from ..schema.record import TrialRecord
    from ..schema.reward import Judgement
    from ..schema.spending import Usage

COLUMNS: dict[str, type] = {
    "domain": str,
    "task_id": str,
    "label": str,
    "variant": str,
    "trial": int,
    "outcome": str,
    "reward": float,
    "progress": float,
    "under_policy_least": float,
    "under_policy_most": float,
    "steps": int,
    "tool_errors": int,
    "ended_by": str,
    "fault": str,
    "seconds": float,
    "agent_cost": float,
    "user_cost": float,
    "judge_cost": float,
    "agent_prompt_tokens": int,
    "agent_completion_tokens": int,
    "user_prompt_tokens": int,
    "user_completion_tokens": int,
    "judge_prompt_tokens": int,
    "judge_completion_tokens": int,
    "agent": str,
    "agent_model": str,
    "user": str,
    "seed": int,
    "nodeid": str,
}
"""The columns and their types; what is unknown is empty.

``under_policy_least`` counts what is unclear as a breach, ``under_policy_most`` as none; of a missed trial as well.
``label`` tells several agents apart; ``variant`` is how a task was told or shown, where not as it is. Costs are in USD,
of all attempts at a trial; the tables add to them what was paid for trials that ``--tau-resume`` played again. Tokens
are those of the conversation that counts, and of its judge.
"""

_BEYOND = 2**63  # what whole numbers of 64 bits with a sign cannot hold
_FORMULA = re.compile(r"(?m)^(?=[=+\-@\t])")  # how a cell begins that a spreadsheet computes


def trial_rows(records: Iterable[TrialRecord]) -> Iterator[dict[str, Any]]:
    """A line for each trial; every column is in each, None where nothing is known."""
    for record in records:
        played, reward = record.simulation, record.reward
        found: dict[str, Any] = {
            "domain": record.domain,
            "task_id": record.task_id,
            "label": record.label,
            "variant": None if record.variant is None else record.variant.label,
            "trial": record.trial,
            "outcome": record.outcome.value,
            "reward": None if reward is None else reward.value,
            "progress": None if reward is None else reward.progress,
            "fault": None if record.fault is None else record.fault.kind.value,
            "nodeid": record.nodeid,
        }
        if reward is not None and reward.violated is not None:
            found["under_policy_least"], found["under_policy_most"] = reward.under_policy_range
        if played is not None:
            costs = TrialFacts.of(record.model_dump(mode="json", exclude={"simulation": {"messages"}})).costs
            found |= {
                "steps": played.steps,
                "tool_errors": played.errors,
                "ended_by": played.termination_reason.value,
                "seconds": round(played.duration, 6) or None,  # 0 where a recording does not say
                "agent_cost": costs.agent,
                "user_cost": costs.user,
                "judge_cost": costs.judge,
                **_tokens("agent", (m.usage for m in played.messages if m.role == "assistant")),
                **_tokens("user", (m.usage for m in played.messages if m.role == "user")),
                **_tokens("judge", (judgement.usage for judgement in _judgements(record))),
                "agent": played.agent or None,  # "" where a recording does not say
                "agent_model": _text(played.agent_parameters.get("model")),
                "user": played.user or None,
                "seed": played.seed,
            }
        yield {name: found.get(name) for name in COLUMNS}


def _tokens(side: str, found: Iterable[Usage | None]) -> dict[str, int]:
    usages = [usage for usage in found if usage is not None]
    if not usages:
        return {}
    return {
        f"{side}_prompt_tokens": sum(usage.prompt_tokens for usage in usages),
        f"{side}_completion_tokens": sum(usage.completion_tokens for usage in usages),
    }


def _judgements(record: TrialRecord) -> Iterator[Judgement]:
    """What models have said of a trial: of criteria, of its customer, of a miss, and how satisfied the customer is."""
    played, reward = record.simulation, record.reward
    found: list[Judgement | None] = [
        None if played is None else played.user_judgement,
        None if record.fault is None else record.fault.explained_by,
    ]
    if reward is not None:
        found += [result.judgement for result in reward.results]
        found.append(None if reward.review is None else reward.review.judgement)
        found.append(None if reward.satisfaction is None else reward.satisfaction.judgement)
    yield from filter(None, found)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def write_csv(records: Iterable[TrialRecord], path: Path) -> None:
    """Write the table as CSV (RFC 4180, UTF-8), with its head; what a spreadsheet would run has a ' before it."""
    with replacing(path) as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writeheader()
        writer.writerows({name: _inert(value) for name, value in row.items()} for row in trial_rows(records))


def _inert(value: Any) -> Any:
    """A cell that no terminal obeys, and none of whose lines a spreadsheet computes: some take each for a row."""
    return _FORMULA.sub("'", printable(value)) if isinstance(value, str) else value


def write_parquet(records: Iterable[TrialRecord], path: Path, facts: Mapping[str, str] | None = None) -> None:
    """Write the table as Parquet; needs pyarrow. ``facts``, how the numbers came about, are the table's metadata.

    Lone surrogates are written as in other files; a whole number of more than 64 bits, such as a recorded seed, is
    left empty.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64()}
    told = {name: _storable(value) for name, value in (facts or {}).items()}
    schema = pa.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()], metadata=told)
    rows = [{name: _storable(value) for name, value in row.items()} for row in trial_rows(records)]
    written = BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), written)
    write_whole(path, written.getvalue())


def _storable(value: Any) -> Any:
    """A cell that Parquet has room for."""
    if isinstance(value, str):
        return value.encode("utf-8", "xmlcharrefreplace").decode()
    return None if isinstance(value, int) and not -_BEYOND <= value < _BEYOND else value
